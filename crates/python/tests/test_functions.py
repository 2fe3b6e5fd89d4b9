"""Mechanisms of Python functions, against the same ones of expressions."""

import numpy as np
import pytest

import percuss as pc

G = 9.81


def both_double_pendulums():
    written = pc.Mechanism(
        {"a": -0.8, "b": -0.6},
        "0.5*a_dot^2 + 0.5*(a_dot^2 + b_dot^2 + 2*cos(a - b)*a_dot*b_dot)",
        "-2*9.81*cos(a) - 9.81*cos(b)",
        contacts={"wall": {"gap": "0.5 - sin(a) - sin(b)", "restitution": 0.8}},
    )

    def mass(q):
        c = np.cos(q[0] - q[1])
        return np.array([[2.0, c], [c, 1.0]])

    def potential(q):
        return -2 * G * np.cos(q[0]) - G * np.cos(q[1])

    mine = pc.mechanism(
        {"a": -0.8, "b": -0.6},
        mass,
        potential=potential,
        contacts={"wall": {"gap": lambda q: 0.5 - np.sin(q[0]) - np.sin(q[1]), "restitution": 0.8}},
    )
    return written, mine


@pytest.mark.parametrize("integrator", ["midpoint", "projected", "theta", "paoli", "event"])
def test_functions_move_as_expressions_do(integrator):
    written, mine = both_double_pendulums()
    first = written.run(until=1.1, step=2e-3, integrator=integrator)
    second = mine.run(until=1.1, step=2e-3, integrator=integrator)
    # Derivatives are exact to rounding on both sides; iterations end at 1e-10 to 1e-12.
    assert np.abs(first.q - second.q).max() < 1e-8
    assert len(first.impacts()) == len(second.impacts()) > 0


@pytest.mark.parametrize("law", ["moreau", "canonical", "sequential", "poisson"])
def test_all_impact_laws_agree_with_expressions(law):
    def run(make):
        return make.run(until=1.0, step=1e-3)

    written = pc.Mechanism(
        {"x": (0.0, 1.0), "y": (0.2, -1.0)},
        "0.5*(x_dot^2 + 2*y_dot^2 + 0.4*x_dot*y_dot)",
        contacts={"a": {"gap": "0.5 - x", "restitution": 0.5}, "b": {"gap": "y", "restitution": 0.5}},
        impact=law,
    )
    mine = pc.mechanism(
        {"x": (0.0, 1.0), "y": (0.2, -1.0)},
        np.array([[1.0, 0.2], [0.2, 2.0]]),
        lambda t, q, u: np.zeros(2),
        gaps=[lambda q: 0.5 - q[0], lambda q: q[1]],
        restitution=[0.5, 0.5],
        impact=law,
    )
    first, second = run(written), run(mine)
    assert np.abs(first.q - second.q).max() < 1e-10


def test_friction_and_moving_boundaries_agree_with_expressions():
    written = pc.Mechanism(
        {"x": (0.0, 2.0), "z": 0.0},
        "0.5*(x_dot^2 + z_dot^2)",
        "9.81*z",
        contacts={
            "belt": {
                "gap": "z - 0.01*sin(20*t) + 0.01*t",
                "tangent": "x_dot - 0.3*cos(t)",
                "friction": 0.3,
            }
        },
    )
    mine = pc.mechanism(
        {"x": (0.0, 2.0), "z": 0.0},
        np.eye(2),
        lambda t, q, u: np.array([0.0, -G]),
        gaps=[lambda t, q: q[1] - 0.01 * np.sin(20 * t) + 0.01 * t],
        tangents=[lambda t, q, u: u[0] - 0.3 * np.cos(t)],
        friction=[0.3],
    )
    first, second = (m.run(until=1.0, step=1e-3) for m in (written, mine))
    assert np.abs(first.q - second.q).max() < 1e-10
    np.testing.assert_allclose(
        first.impulses["belt"], second.impulses["contact_1"], atol=1e-11
    )


def test_event_driven_motion_on_a_curve_needs_second_derivatives_and_has_them():
    def parabola(q):
        return q[1] - 0.5 * q[0] ** 2

    written = pc.Mechanism(
        {"x": (1.0, 0.0), "y": 0.5},
        "0.5*(x_dot^2 + y_dot^2)",
        "9.81*y",
        contacts={"bowl": {"gap": "y - 0.5*x^2", "tangent": "(x_dot + x*y_dot)/sqrt(1 + x^2)", "friction": 0.1}},
    )
    mine = pc.mechanism(
        {"x": (1.0, 0.0), "y": 0.5},
        np.eye(2),
        lambda t, q, u: np.array([0.0, -G]),
        contacts={
            "bowl": {
                "gap": parabola,
                "tangent": lambda t, q, u: (u[0] + q[0] * u[1]) / np.sqrt(1 + q[0] ** 2),
                "friction": 0.1,
            }
        },
    )
    given = pc.mechanism(
        {"x": (1.0, 0.0), "y": 0.5},
        np.eye(2),
        lambda t, q, u: np.array([0.0, -G]),
        contacts={
            "bowl": {
                "gap": parabola,
                "gradient": lambda q: np.array([-q[0], 1.0]),
                "tangent": lambda t, q, u: (u[0] + q[0] * u[1]) / np.sqrt(1 + q[0] ** 2),
                "friction": 0.1,
            }
        },
    )
    first, second, third = (
        m.run(until=1.0, step=5e-3, integrator="event") for m in (written, mine, given)
    )
    # Second derivatives are right to 1e-11 or so, the integrator to 1e-12.
    assert np.abs(first.q - second.q).max() < 1e-8
    assert np.abs(first.q - third.q).max() < 1e-8


def test_an_orientation_turns_as_with_expressions():
    inertia = np.array([1.0, 2.0, 3.0])
    start = {"Q": {"kind": "orientation", "velocity": [0.1, 2.0, 0.1]}}
    written = pc.Mechanism(start, "0.5*(Q_spin_1^2 + 2*Q_spin_2^2 + 3*Q_spin_3^2)")
    mine = pc.mechanism(start, np.diag(inertia), forces=lambda t, q, u: np.zeros(3))
    first, second = (m.run(until=2.0, step=1e-3) for m in (written, mine))
    assert np.abs(first.q - second.q).max() < 1e-9
    # Euler's equations of the free top keep the momentum's size.
    momentum = np.linalg.norm(second.u * inertia, axis=1)
    assert np.ptp(momentum) < 1e-5 * momentum[0]


def test_joints_velocity_and_nonfirm_constraints_of_functions():
    rod = pc.mechanism(
        {"x": 0.6, "y": -0.8},
        np.eye(2),
        lambda t, q, u: np.array([0.0, -G]),
        joints={"rod": {"constraint": lambda q: q @ q - 1.0}},
    ).run(until=0.5, step=1e-3)
    assert np.abs(np.hypot(*rod.q.T) - 1).max() < 1e-10
    skate = pc.mechanism(
        {"x": (0.0, 1.0), "y": 0.0, "a": (0.0, 0.5)},
        np.eye(3),
        lambda t, q, u: np.zeros(3),
        velocity_constraints={"skate": lambda t, q, u: -np.sin(q[2]) * u[0] + np.cos(q[2]) * u[1]},
    ).run(until=0.5, step=1e-3)
    across = -np.sin(skate["a"]) * skate["x_dot"] + np.cos(skate["a"]) * skate["y_dot"]
    assert np.abs(across).max() < 1e-9
    rubbed = pc.mechanism(
        {"x": (0.0, 1.0)},
        np.eye(1),
        lambda t, q, u: np.zeros(1),
        nonfirm_constraints={"pad": {"constraint": lambda t, q, u: u[0], "force": {"between": [-2, 2]}}},
    ).run(until=1.0, step=1e-3)
    assert abs(rubbed["x"][-1] - 0.25) < 2e-3


def test_stiff_forces_go_through_the_theta_method():
    # A spring of period 2e-3 with steps of 1e-2: explicit schemes blow up.
    stiff = pc.mechanism({"x": 1.0}, np.eye(1), lambda t, q, u: -1e7 * q - 10.0 * u)
    motion = stiff.run(until=1.0, step=1e-2, integrator="theta", theta=1.0)
    assert np.abs(motion.q[-1]) < 1.0 and motion.certificate["ok"]


def test_differences_stand_in_where_asked_for():
    def gap(q):
        return float(np.linalg.norm(q)) - 0.5

    mine = pc.mechanism(
        {"x": 2.0, "y": 0.1},
        np.eye(2),
        lambda t, q, u: np.array([-1.0, 0.0]),
        gaps=[gap],
        derivatives="differences",
    )
    motion = mine.run(until=3.0, step=1e-3)
    # Penetration of Moreau's scheme is of the order of the step.
    assert np.linalg.norm(motion.q, axis=1).min() > 0.49


def test_what_a_function_raises_comes_out():
    def late(t, q, u):
        if t > 0.05:
            raise KeyError("mine")
        return np.zeros(1)

    with pytest.raises(KeyError, match="mine"):
        pc.mechanism({"x": 0.0}, np.eye(1), late).run(until=1.0, step=1e-2)


def test_numbers_that_are_not_finite_stop_the_motion_by_name():
    def lost(t, q, u):
        return np.array([np.nan if t > 0.05 else 0.0])

    with pytest.raises(pc.Error, match="K"):
        pc.mechanism({"x": 0.0}, np.eye(1), lost).run(until=1.0, step=1e-2)


def force(t, q, u):
    return np.zeros(1)


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: pc.mechanism({"x": 0.0}, np.eye(2), force), "A"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), lambda t, q, u: np.zeros(2)), "K"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), lambda a, b, c, d: 0), "arguments"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), 3), "K"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), force, forces=force), "forces"),
        (lambda: pc.mechanism({"x": 0.0}, "mass", force), "A"),
        (lambda: pc.mechanism({}, np.eye(1), force), "coordinates"),
        (lambda: pc.mechanism({"x": "one"}, np.eye(1), force), "initial"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), force, gaps=3), "gaps"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), force, gaps=[lambda q: abs(q[0] - 1)]), "analytic"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), force, gaps=[lambda q: float(q[0])]), "complex"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), force, gaps=[lambda q: q[0]], gradients=[lambda q: [2.0]]), "gradient"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), force, gaps=[lambda q: q[0]], restitution=2.0), "restitution"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), force, gaps=[lambda q: q[0]], friction=0.3), "tangent"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), force, contacts={"c": {"gap": 1}}), "gap"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), force, contacts={"c": {"gpa": 1}}), "did you mean `gap`"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), force, velocity_constraints={"c": lambda t, q, u: u[0] ** 2}), "linear"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), force, impact="newton").run(1.0, 0.1), "newton"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), force).run(1.0, "small"), "step"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), force).run(-1.0, 0.1), "until"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), force).run(1.0, 0.1, theta=0.7), "theta"),
        (lambda: pc.mechanism({"x": 0.0}, np.eye(1), force).run(1.0, 0.1, q=[1, 2]), "q"),
        (lambda: pc.mechanism({"x": 0.0}, -np.eye(1), force).run(1.0, 0.1), "mass matrix"),
        (lambda: pc.mechanism({"x": -1.0}, np.eye(1), force, gaps=[lambda q: q[0]]).run(1.0, 0.1), "contact_1"),
    ],
)
def test_what_is_wrong_is_named(call, word):
    with pytest.raises(pc.InputError, match=word):
        call()


def test_a_study_says_which_runs_failed():
    def make(x):
        return pc.mechanism({"x": x}, np.eye(1), force, gaps=[lambda q: q[0]])

    table = pc.study(make, {"x": [-1.0, 1.0]}, {"end": lambda m: m.q[-1, 0]}, 0.1, 1e-2)
    assert table.ends == ["refused", "finished"]
    assert np.isnan(table["end"][0]) and table["end"][1] == 1.0
    assert "contact_1" in table.reasons[0]
