"""Lagrangians of SymPy: the text means what the expression means."""

import numpy as np
import pytest

import percuss as pc

sympy = pytest.importorskip("sympy")
x, y, m = sympy.symbols("x y m")

EXPRESSIONS = [
    x + y - m,
    -x * y**2 / 3,
    -(x**2),
    (-x) ** 3,
    x ** (-2) + 1 / y,
    x**y,
    sympy.sqrt(x) / sympy.sqrt(y),
    (x + y) ** sympy.Rational(3, 2),
    sympy.sin(x) * sympy.cos(y) + sympy.tan(m),
    sympy.asin(x / 4) + sympy.acos(y / 4) + sympy.atan(m) + sympy.atan2(y, x),
    sympy.exp(-x) + sympy.log(y) + sympy.sinh(x) * sympy.cosh(y) - sympy.tanh(m),
    sympy.Abs(x - y) + sympy.sign(y - x) + sympy.Min(x, y, m) * sympy.Max(x, 2),
    sympy.Heaviside(x - y) + sympy.floor(3 * x) + sympy.ceiling(y),
    sympy.Piecewise((x, x > y), (y**2, x > m), (m, True)),
    sympy.Piecewise((x, (x > y) & (y > m)), (y, sympy.Or(x < m, ~(y > 1))), (m, True)),
    sympy.cot(x) + sympy.sec(y) + sympy.csc(m) + sympy.asinh(x) + sympy.acosh(1 + y) + sympy.atanh(x / 4),
    sympy.pi * sympy.E + sympy.Rational(7, 3) * x - sympy.Float("0.1"),
    2 * x - 3 * (y - 4 * (m - x)),
    x * (y + m) / (x - 5),
]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_text_and_expression_agree_at_random_points(expression):
    text = pc.sympy_text(expression)
    value = sympy.lambdify((x, y, m), expression, "numpy")
    rng = np.random.default_rng(3)
    for _ in range(8):
        a, b, c = rng.uniform(0.3, 2.5, 3)
        motion = pc.Mechanism(
            {"x": a, "y": b}, "x_dot^2 + y_dot^2", parameters={"m": c}
        ).run(until=1e-3, step=1e-3)
        # Two evaluations of one formula: a few roundings.
        assert motion.observe(text)[0] == pytest.approx(float(value(a, b, c)), rel=1e-12, abs=1e-12)


def test_a_lagrangian_of_functions_of_time_moves_as_its_text():
    mechanics = pytest.importorskip("sympy.physics.mechanics")
    a, b = mechanics.dynamicsymbols("a b")
    g, w = sympy.symbols("g w")
    T = (2 * a.diff() ** 2 + b.diff() ** 2 + 2 * sympy.cos(a - b) * a.diff() * b.diff()) / 2
    V = -2 * g * sympy.cos(a) - g * sympy.cos(b)
    made = pc.from_sympy(
        T,
        V,
        q=[a, b],
        initial={a: -0.8, "b": -0.6},
        velocity={b: 0.1},
        parameters={g: 9.81, "w": 0.5},
        forces={a: -a.diff() / 10},
        contacts={"wall": {"gap": w - sympy.sin(a) - sympy.sin(b), "restitution": 0.8}},
    ).run(until=1.0, step=1e-3)
    text = pc.Mechanism(
        {"a": -0.8, "b": (-0.6, 0.1)},
        "(2*a_dot^2 + b_dot^2 + 2*cos(a - b)*a_dot*b_dot)/2",
        "-2*9.81*cos(a) - 9.81*cos(b)",
        {"a": "-a_dot/10"},
        contacts={"wall": {"gap": "0.5 - sin(a) - sin(b)", "restitution": 0.8}},
    ).run(until=1.0, step=1e-3)
    np.testing.assert_allclose(made.q, text.q, atol=1e-9)


def test_symbols_take_velocities_of_their_own():
    q, v = sympy.symbols("q v")
    made = pc.from_sympy(v**2 / 2, q**2 / 2, q=[q], u=[v], initial={q: 1.0})
    motion = made.run(until=1.0, step=1e-3, integrator="event")
    assert motion.q[-1, 0] == pytest.approx(np.cos(motion.t[-1]), abs=1e-9)


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: pc.sympy_text(sympy.gamma(x)), "gamma"),
        (lambda: pc.sympy_text(sympy.I * x), "I|number"),
        (lambda: pc.sympy_text(sympy.oo), "finite"),
        (lambda: pc.sympy_text(sympy.Symbol("a b")), "a b"),
        (lambda: pc.sympy_text(sympy.Integral(x, x)), "Integral"),
        (lambda: pc.sympy_text(object()), "SymPy"),
        (lambda: pc.from_sympy(x**2, q=[]), "q"),
        (lambda: pc.from_sympy(x**2, q=[3]), "q"),
        (lambda: pc.from_sympy(m * sympy.Symbol("x_dot") ** 2, q=[x]), "`m`"),
        (lambda: pc.from_sympy(sympy.Symbol("x_dot") ** 2, q=[x], initial={y: 1}), "initial"),
    ],
)
def test_what_has_no_meaning_is_named(call, word):
    with pytest.raises(pc.InputError, match=word):
        call()
