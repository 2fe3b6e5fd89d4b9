"""Lagrangians of SymPy as mechanisms.

SymPy is needed only where these functions are called.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from ._mechanism import Mechanism
from ._percuss import InputError

__all__ = ["from_sympy", "sympy_text"]

#: Functions that both languages have, by their names in SymPy.
_SAME = {
    "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan",
    "atan2": "atan2", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "exp": "exp", "log": "ln",
    "Abs": "abs", "sign": "sign", "Min": "min", "Max": "max", "floor": "floor", "Heaviside": "step",
}  # fmt: skip

#: Functions that are written with others.
_WRITTEN = {
    "cot": "(1/tan({0}))",
    "sec": "(1/cos({0}))",
    "csc": "(1/sin({0}))",
    "asinh": "ln({0} + sqrt({0}^2 + 1))",
    "acosh": "ln({0} + sqrt({0}^2 - 1))",
    "atanh": "(0.5*ln((1 + {0})/(1 - {0})))",
    "coth": "(1/tanh({0}))",
    "ceiling": "(-floor(-{0}))",
}


def _sympy() -> Any:
    try:
        return importlib.import_module("sympy")
    except ImportError as error:
        raise ImportError("Lagrangians of SymPy need SymPy: pip install sympy") from error


def sympy_text(expression: Any) -> str:
    """A SymPy expression in the language of scenes.

    >>> import sympy
    >>> x, m = sympy.symbols("x m")
    >>> sympy_text(m * sympy.sqrt(x) / 2 + sympy.log(x))
    '(1/2)*m*sqrt(x) + ln(x)'
    """
    sympy = _sympy()
    try:
        expression = sympy.sympify(expression)
    except (sympy.SympifyError, TypeError) as error:
        raise InputError(f"{expression!r} is no expression of SymPy: {error}") from None
    return _Printer(sympy).write(expression)


class _Printer:
    """Writes expressions; every operand that is not a name, a number or a call has parentheses."""

    def __init__(self, sympy: Any) -> None:
        self.sympy = sympy

    def write(self, e: Any) -> str:
        s = self.sympy
        if isinstance(e, s.Add):
            out = ""
            for term in e.as_ordered_terms():
                text = self.write(term)
                out += text if not out else (f" - {text[1:]}" if text.startswith("-") else f" + {text}")
            return out
        if isinstance(e, s.Mul):
            return self.product(e)
        if isinstance(e, s.Pow):
            return self.power(e)
        if isinstance(e, s.Piecewise):
            return self.pieces(list(e.args))
        if e.is_Relational or isinstance(e, (s.And, s.Or, s.Not)) or e in (s.true, s.false):
            return self.truth(e)
        if isinstance(e, s.Symbol):
            return self.name(e.name)
        if e.is_Number or isinstance(e, s.NumberSymbol):
            return self.number(e)
        if isinstance(e, s.core.function.Application):
            return self.call(e)
        raise InputError(f"`{e}`: {type(e).__name__} has no meaning in expressions of scenes")

    def name(self, name: str) -> str:
        if not name.isidentifier() or not name.isascii():
            raise InputError(f"the symbol `{name}` is no name: letters, digits, _ were expected")
        return name

    def number(self, e: Any) -> str:
        s = self.sympy
        if e is s.pi:
            return "pi"
        if e.is_Integer:
            return str(int(e)) if e >= 0 else f"({int(e)})"
        if e.is_Rational:
            return f"({e.p}/{e.q})"
        if not e.is_finite or not e.is_real:
            raise InputError(f"`{e}` is no finite real number")
        value = float(e)
        return repr(value) if value >= 0 else f"({value!r})"

    def operand(self, e: Any) -> str:
        text = self.write(e)
        calls = (self.sympy.Symbol, self.sympy.core.function.Application)
        plain = (isinstance(e, calls) and not e.is_Piecewise) or (
            e.is_Number and not text.startswith("-")
        )
        root = isinstance(e, self.sympy.Pow) and text.startswith("sqrt(")
        return text if plain or root else f"({text})"

    def product(self, e: Any) -> str:
        number, rest = e.as_coeff_Mul()
        factors = [self.operand(f) if not isinstance(f, self.sympy.Pow) else self.power(f)
                   for f in self.sympy.Mul.make_args(rest)]  # fmt: skip
        text = "*".join(factors)
        if number == 1:
            return text
        if number == -1:
            return f"-{text}"
        if number.is_number and number < 0:
            return f"-{self.operand(-number)}*{text}"
        return f"{self.operand(number)}*{text}"

    def power(self, e: Any) -> str:
        base, exponent = e.as_base_exp()
        s = self.sympy
        if base is s.E:
            return f"exp({self.write(exponent)})"
        if exponent == s.Rational(1, 2):
            return f"sqrt({self.write(base)})"
        if exponent == s.Rational(-1, 2):
            return f"(1/sqrt({self.write(base)}))"
        if exponent == -1:
            return f"(1/{self.operand(base)})"
        return f"{self.operand(base)}^{self.operand(exponent)}"

    def call(self, e: Any) -> str:
        name = e.func.__name__
        arguments = [self.write(a) for a in e.args]
        if name in _WRITTEN and len(arguments) == 1:
            return _WRITTEN[name].format(f"({arguments[0]})")
        if name == "Heaviside":
            arguments = arguments[:1]
        if name not in _SAME:
            known = ", ".join(sorted([*_SAME, *_WRITTEN]))
            raise InputError(f"the function `{name}` is not known to scenes (known here: {known})")
        return f"{_SAME[name]}({', '.join(arguments)})"

    def pieces(self, pairs: list[Any]) -> str:
        value, condition = pairs[0]
        if condition == self.sympy.true:
            return self.write(value)
        if len(pairs) == 1:
            raise InputError("a Piecewise must have a last piece that holds else: (value, True)")
        return f"if({self.truth(condition)}, {self.write(value)}, {self.pieces(pairs[1:])})"

    def truth(self, e: Any) -> str:
        s = self.sympy
        if e == s.true:
            return "(1 > 0)"
        if e == s.false:
            return "(1 < 0)"
        if isinstance(e, (s.And, s.Or)):
            word = " and " if isinstance(e, s.And) else " or "
            return word.join(f"({self.truth(a)})" for a in e.args)
        if isinstance(e, s.Not):
            return f"not ({self.truth(e.args[0])})"
        signs = {"Gt": ">", "Ge": ">=", "Lt": "<", "Le": "<=", "Eq": "==", "Ne": "!="}
        sign = {
            "StrictGreaterThan": ">",
            "GreaterThan": ">=",
            "StrictLessThan": "<",
            "LessThan": "<=",
            "Equality": "==",
            "Unequality": "!=",
            **signs,
        }.get(type(e).__name__)
        if sign is None:
            raise InputError(f"`{e}` is no condition that scenes know")
        return f"{self.write(e.lhs)} {sign} {self.write(e.rhs)}"


class _Names:
    """Coordinates, velocities and time of SymPy under the names that scenes give them."""

    def __init__(self, q: Sequence[Any], u: Optional[Sequence[Any]], t: Optional[Any]) -> None:
        s = self.sympy = _sympy()
        if not isinstance(q, (list, tuple)) or not q:
            raise InputError("`q`: a list of symbols, or of functions of time, was expected")
        self.names: list[str] = []
        rates: dict[Any, Any] = {}
        places: dict[Any, Any] = {}
        for k, coordinate in enumerate(q):
            if isinstance(coordinate, s.Symbol):
                name = coordinate.name
                rate = u[k] if u is not None else s.Symbol(f"{name}_dot")
                places[coordinate] = s.Symbol(name)
                rates[rate] = s.Symbol(f"{name}_dot")
            elif getattr(coordinate, "is_Function", False) and len(coordinate.args) == 1:
                name, time = coordinate.func.__name__, coordinate.args[0]
                t = time if t is None else t
                places[coordinate] = s.Symbol(name)
                rates[s.Derivative(coordinate, time)] = s.Symbol(f"{name}_dot")
                if u is not None:
                    rates[u[k]] = s.Symbol(f"{name}_dot")
            else:
                raise InputError(f"`q`: {coordinate!r} is neither a symbol nor a function of time")
            self.names.append(name)
        if u is not None and len(u) != len(q):
            raise InputError(f"`u`: {len(u)} velocities for {len(q)} coordinates")
        self.rates, self.places = rates, places
        self.time = {} if t is None else {t: s.Symbol("t")}

    def text(self, expression: Any, name: str, parameters: Mapping[str, Any]) -> str:
        s = self.sympy
        try:
            e = s.sympify(expression)
        except (s.SympifyError, TypeError) as error:
            raise InputError(f"`{name}`: {expression!r} is no expression of SymPy: {error}") from None
        e = e.doit().subs(self.rates).subs(self.places).subs(self.time)
        known = {*self.names, *(f"{n}_dot" for n in self.names), "t", *map(str, parameters)}
        unknown = sorted(str(x) for x in e.free_symbols if str(x) not in known)
        if unknown:
            listed = ", ".join(f"`{x}`" for x in unknown)
            raise InputError(
                f"`{name}`: {listed} is neither a coordinate, a velocity nor a parameter; give its value "
                "in `parameters`"
            )
        return _Printer(s).write(e)

    def tables(self, value: Any, name: str, parameters: Mapping[str, Any]) -> Any:
        """The same keys with the expressions of SymPy in them written out."""
        if isinstance(value, self.sympy.Basic):
            return self.text(value, name, parameters)
        if isinstance(value, Mapping):
            return {k: self.tables(v, f"{name}.{k}", parameters) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.tables(v, name, parameters) for v in value]
        return value


def from_sympy(
    T: Any,
    V: Any = None,
    *,
    q: Sequence[Any],
    u: Optional[Sequence[Any]] = None,
    t: Any = None,
    initial: Optional[Mapping[Any, Any]] = None,
    velocity: Optional[Mapping[Any, Any]] = None,
    parameters: Optional[Mapping[Any, Any]] = None,
    forces: Optional[Mapping[Any, Any]] = None,
    **keys: Any,
) -> Mechanism:
    """A mechanism from the kinetic energy T and the potential V of SymPy.

    ``q`` are symbols (velocities are then ``u``, or symbols named NAME_dot) or functions of time, whose
    derivatives are the velocities. ``initial``, ``velocity`` and ``forces`` are by coordinate, ``parameters``
    by symbol or name; further arguments are those of :class:`Mechanism`, in which expressions of SymPy
    may stand for text.

    >>> import sympy
    >>> from sympy.physics.mechanics import dynamicsymbols
    >>> theta, (m, l, g) = dynamicsymbols("theta"), sympy.symbols("m l g")
    >>> pendulum = from_sympy(
    ...     m * (l * theta.diff()) ** 2 / 2, -m * g * l * sympy.cos(theta),
    ...     q=[theta], initial={theta: 1.0}, parameters={m: 1.0, l: 2.0, g: 9.81},
    ... )
    >>> pendulum.run(until=1.0, step=1e-3).certificate["ok"]
    True
    """
    names = _Names(q, u, t)
    numbers = {str(key): value for key, value in (parameters or {}).items()}
    numbers = names.tables(numbers, "parameters", numbers)
    label = {**{c: n for c, n in zip(q, names.names)}, **{n: n for n in names.names}}

    def by_name(given: Optional[Mapping[Any, Any]], argument: str) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key, value in (given or {}).items():
            if key not in label:
                known = ", ".join(names.names)
                raise InputError(f"`{argument}`: {key} is no coordinate (known here: {known})")
            out[label[key]] = names.tables(value, argument, numbers)
        return out

    places, speeds = by_name(initial, "initial"), by_name(velocity, "velocity")
    coordinates = [
        {"name": n, "initial": places.get(n), "velocity": speeds.get(n)} for n in names.names
    ]
    return Mechanism(
        coordinates,
        names.text(T, "T", numbers),
        None if V is None else names.text(V, "V", numbers),
        by_name(forces, "forces") or None,
        parameters=numbers or None,
        **{key: names.tables(value, key, numbers) for key, value in keys.items()},
    )
