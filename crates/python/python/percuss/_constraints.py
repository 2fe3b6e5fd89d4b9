"""Constraints of mechanisms of Python functions: gaps, joints, velocity and non-firm constraints."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Any, Optional

import numpy as np

from ._percuss import InputError
from ._derivatives import Array, Chart, Floats, Function
from ._rows import Positions, Rows, State

__all__ = ["Constraint", "contact", "joint", "nonfirm", "velocity"]

class Constraint:
    """One constraint as the integrators see it."""

    def __init__(self, name: str, kind: str, form: Any, numbers: list[Function]) -> None:
        self.name = name
        self.kind = kind
        self.form = form
        self.numbers = numbers
        self.place: Optional[Positions] = None
        #: Velocity that stands for the rate of the gap, where that is not the normal velocity.
        self.normal: Optional[Rows] = None
        self.speeds: list[Rows] = []
        self.restitution: Optional[Function] = None
        self.tangential: Optional[Function] = None
        self.index = False
        #: The contact while which it acts.
        self.condition: Optional[str] = None
        #: Stiffness for the law of impulse ratios.
        self.stiffness = 1.0

    @property
    def num_gaps(self) -> int:
        """Number of position functions."""
        return 0 if self.place is None else self.place.count

    @property
    def num_rows(self) -> int:
        """Number of rows."""
        return self.num_normal + sum(part.count for part in self.speeds)

    @property
    def num_normal(self) -> int:
        """Rows of the position."""
        return self.num_gaps

    def description(
        self,
    ) -> tuple[str, str, int, int, Any, Optional[list[float]], Optional[str]]:
        """Name, kind, rows, normal rows, law, constant coefficients, the contact while which it acts."""
        constant: Optional[list[float]] = None
        if all(number.constant is not None for number in self.numbers):
            constant = self.coefficients(0.0, np.zeros(0), np.zeros(0))
        rows = (self.num_rows, self.num_normal)
        return (self.name, self.kind, *rows, self.form, constant, self.condition)

    def position(self, t: float, q: Floats) -> Floats:
        """Values of its position functions."""
        assert self.place is not None
        return self.place.values(t, q)

    def _parts(self) -> list[Any]:
        first: list[Any] = []
        if self.normal is not None:
            first = [self.normal]
        elif self.place is not None:
            first = [self.place]
        return [*first, *self.speeds]

    def rows(self, t: float, q: Floats) -> tuple[Array, Array]:
        """G and W."""
        pairs = [part.rows(t, q) for part in self._parts()]
        return np.vstack([pair[0] for pair in pairs]), np.concatenate([pair[1] for pair in pairs])

    def bias(self, t: float, q: Floats, v: Floats) -> Array:
        """Ġu + Ẇ."""
        return np.concatenate([np.atleast_1d(part.bias(t, q, v)) for part in self._parts()])

    def coefficients(self, t: float, q: Floats, v: Floats) -> list[float]:
        """Numbers of the law."""
        return [float(x) for number in self.numbers for x in np.ravel(number(t, q, v))]

    def rebound(self, t: float, q: Floats, v: Floats) -> tuple[float, float]:
        """Normal and tangential restitution."""
        if self.restitution is None:
            normal = 0.0
        else:
            normal = _rho(float(self.restitution(t, q, v)), self.index)
        if self.tangential is not None:
            return normal, float(self.tangential(t, q, v))
        return normal, normal if self.index else 0.0


def _rho(value: float, index: bool) -> float:
    """ρ = (1 − δ)/(1 + δ) of a dissipation index (JM92 6.1)."""
    return (1.0 - value) / (1.0 + value) if index else value


def _known(table: Mapping[str, Any], what: str, keys: tuple[str, ...]) -> str:
    name = table.get("name")
    if not isinstance(name, str) or not name:
        raise InputError(f"{what}: `name`: a word was expected, not {name!r}")
    for key in table:
        if key not in keys:
            close = difflib.get_close_matches(str(key), keys, 1)
            guess = f"; did you mean `{close[0]}`?" if close else ""
            listed = ", ".join(keys)
            raise InputError(f"{what} `{name}`: unknown key `{key}`{guess} (known here: {listed})")
    return name


def _needed(table: Mapping[str, Any], what: str, key: str) -> Callable[..., Any]:
    value = table.get(key)
    if not callable(value):
        found = "it is missing" if value is None else f"it is {type(value).__name__}"
        raise InputError(f"{what} `{table.get('name')}`: `{key}`: {found}; a function was expected")
    out: Callable[..., Any] = value
    return out


def _positions(
    table: Mapping[str, Any], what: str, key: str, chart: Chart, exact: Optional[bool], at: State
) -> Positions:
    name = table.get("name")
    function = Function(_needed(table, what, key), f"{key} of {name}", "t, q")
    gradient = rate = None
    if table.get("gradient") is not None:
        gradient = Function(_needed(table, what, "gradient"), f"gradient of {name}", "t, q")
    if table.get("rate") is not None:
        rate = Function(_needed(table, what, "rate"), f"rate of {name}", "t, q")
    return Positions(function, gradient, rate, chart, exact, at)


def _speeds(
    table: Mapping[str, Any], what: str, key: str, chart: Chart, exact: Optional[bool], at: State
) -> Rows:
    function = Function(_needed(table, what, key), f"{key} of {table.get('name')}", "t, q, u")
    return Rows(function, chart, exact, at)


def _coefficient(value: Any, name: str, shape: tuple[int, ...] = ()) -> Function:
    return Function(value, name, "t, q, u", shape)


_FRICTION = {
    frozenset(("plus", "minus")): ("asymmetric", ("plus", "minus")),
    frozenset(("static", "dynamic")): ("static_dynamic", ("static", "dynamic")),
}


def _friction(value: Any, name: str) -> tuple[str, list[Function]]:
    """The form of a friction law and its coefficients."""
    where = f"friction of {name}"
    if not isinstance(value, Mapping):
        return "coulomb", [_coefficient(value, where)]
    if set(value) == {"axes"}:
        return "elliptic", [_coefficient(value["axes"], f"{where}.axes", (2,))]
    if set(value) == {"polygon"}:
        polygon = np.asarray(value["polygon"], dtype=np.float64)
        return "polygon", [_coefficient(polygon.ravel(), f"{where}.polygon", (polygon.size,))]
    found = _FRICTION.get(frozenset(value))
    if found is None:
        raise InputError(
            f"`{where}`: a number, a function, or a dict with plus and minus, axes, polygon, or "
            "static and dynamic was expected"
        )
    form, keys = found
    return form, [_coefficient(value[key], f"{where}.{key}") for key in keys]


_CONTACT = (
    "name", "gap", "gradient", "rate", "normal", "tangent", "moment", "friction",
    "rolling_friction", "spinning_friction", "restitution", "dissipation", "tangential_restitution",
    "stiffness",
)  # fmt: skip


def contact(
    table: Mapping[str, Any], chart: Chart, exact: Optional[bool], at: State
) -> Constraint:
    """A unilateral contact from its keys."""
    name = _known(table, "contact", _CONTACT)
    has = {key for key, value in table.items() if value is not None}
    if ("tangent" in has) != ("friction" in has):
        one, other = ("tangent", "friction") if "tangent" in has else ("friction", "tangent")
        raise InputError(
            f"contact `{name}`: `{one}` is given without `{other}`; give both, or friction=0"
        )
    form: str = "frictionless"
    numbers: list[Function] = []
    speeds: list[Rows] = []
    if "tangent" in has:
        speeds.append(_speeds(table, "contact", "tangent", chart, exact, at))
        form, numbers = _friction(table["friction"], name)
    if "moment" in has:
        if form != "coulomb" or "rolling_friction" not in has:
            raise InputError(
                f"contact `{name}`: `moment` needs `friction`, one number, and `rolling_friction`"
            )
        speeds.append(_speeds(table, "contact", "moment", chart, exact, at))
        numbers.append(_coefficient(table["rolling_friction"], f"rolling_friction of {name}"))
        form = "rolling_plane" if speeds[0].count == 1 else "rolling"
        if "spinning_friction" in has:
            spinning = table["spinning_friction"]
            numbers.append(_coefficient(spinning, f"spinning_friction of {name}"))
    elif "rolling_friction" in has or "spinning_friction" in has:
        raise InputError(f"contact `{name}`: rolling and spinning friction need `moment`")
    made = Constraint(name, "contact", form, numbers)
    made.place = _positions(table, "contact", "gap", chart, exact, at)
    if made.place.count != 1:
        raise InputError(f"`gap of {name}` gave {made.place.count} numbers; one was expected")
    if "normal" in has:
        made.normal = _speeds(table, "contact", "normal", chart, exact, at)
        if made.normal.count != 1:
            raise InputError(f"`normal of {name}` gave {made.normal.count} numbers; one was expected")
    made.speeds = speeds
    if "restitution" in has and "dissipation" in has:
        raise InputError(f"contact `{name}`: restitution and dissipation are both given; keep one")
    made.index = "dissipation" in has
    rebound = table.get("dissipation") if made.index else table.get("restitution")
    if rebound is not None:
        made.restitution = _coefficient(rebound, f"restitution of {name}")
        _bounded(made.restitution)
    if "tangential_restitution" in has:
        tangential = table["tangential_restitution"]
        made.tangential = _coefficient(tangential, f"tangential_restitution of {name}")
        _bounded(made.tangential)
    if "stiffness" in has:
        stiffness = table["stiffness"]
        number = isinstance(stiffness, (int, float)) and not isinstance(stiffness, bool)
        if not number or not 0.0 < stiffness < float("inf"):
            raise InputError(f"`stiffness of {name} = {stiffness!r}`: a positive number was expected")
        made.stiffness = float(stiffness)
    return made


def _bounded(number: Function) -> None:
    if number.constant is not None and not 0.0 <= float(number.constant) <= 1.0:
        raise InputError(f"`{number.name} = {float(number.constant)}`: a number from 0 to 1 was expected")


def joint(table: Mapping[str, Any], chart: Chart, exact: Optional[bool], at: State) -> Constraint:
    """A bilateral constraint f(t, q) = 0 from its keys."""
    keys = ("name", "constraint", "gradient", "rate", "tangent", "friction")
    name = _known(table, "joint", keys)
    rubs = table.get("tangent") is not None
    if rubs != (table.get("friction") is not None):
        raise InputError(f"joint `{name}`: `tangent` and `friction` go together")
    place = _positions(table, "joint", "constraint", chart, exact, at)
    if rubs:
        made = Constraint(
            name,
            "friction_joint",
            "bilateral_friction",
            [_coefficient(table["friction"], f"friction of {name}")],
        )
        made.speeds = [_speeds(table, "joint", "tangent", chart, exact, at)]
    else:
        made = Constraint(name, "joint", "bilateral", [])
    made.place = place
    return made


def velocity(
    table: Mapping[str, Any], chart: Chart, exact: Optional[bool], at: State
) -> Constraint:
    """A non-holonomic constraint U(t, q, u) = 0 from its keys; with `while` only while a contact is closed."""
    name = _known(table, "velocity constraint", ("name", "constraint", "while"))
    made = Constraint(name, "velocity", "bilateral", [])
    _condition(made, table, "velocity constraint")
    if made.condition is not None:
        made.kind = "nonfirm"
    made.speeds = [_speeds(table, "velocity constraint", "constraint", chart, exact, at)]
    return made


def nonfirm(table: Mapping[str, Any], chart: Chart, exact: Optional[bool], at: State) -> Constraint:
    """A constraint whose reaction stays in a set, from its keys."""
    name = _known(table, "non-firm constraint", ("name", "constraint", "force", "while"))
    form, numbers = _set(table.get("force"), f"force of {name}", 0)
    made = Constraint(name, "nonfirm", ("nonfirm", form), numbers)
    _condition(made, table, "non-firm constraint")
    made.speeds = [_speeds(table, "non-firm constraint", "constraint", chart, exact, at)]
    return made


def _condition(made: Constraint, table: Mapping[str, Any], what: str) -> None:
    value = table.get("while")
    if value is not None and not isinstance(value, str):
        raise InputError(f"{what} `{made.name}`: `while`: the name of a contact was expected")
    made.condition = value


def _numbers(value: Any, name: str, dimensions: int) -> tuple[list[Function], int]:
    """The entries of an array of numbers, and how many lines it has."""
    array = np.asarray(value, dtype=np.float64)
    if array.ndim != dimensions or array.size == 0:
        shape = "an array of numbers" if dimensions == 1 else "an array of arrays of numbers"
        raise InputError(f"`{name}`: {shape} was expected")
    return [_coefficient(array.ravel(), name, (array.size,))], array.shape[0]


def _set(value: Any, name: str, depth: int) -> tuple[Any, list[Function]]:
    """A set of reactions and its numbers."""
    if value == "firm" and isinstance(value, str):
        return "firm", []
    if isinstance(value, Mapping) and len(value) == 1 and depth < 8:
        key, inner = next(iter(value.items()))
        if key in ("at_least", "at_most", "ball"):
            return key, [_coefficient(inner, f"{name}.{key}")]
        if key == "between" and isinstance(inner, (list, tuple)) and len(inner) == 2:
            return key, [_coefficient(one, f"{name}.between") for one in inner]
        if key == "sum" and isinstance(inner, (list, tuple)) and inner:
            pairs = [_set(one, name, depth + 1) for one in inner]
            return tuple(pair[0] for pair in pairs), [n for pair in pairs for n in pair[1]]
        if key == "ellipse":
            return key, _numbers(inner, f"{name}.{key}", 1)[0]
        if key in ("box", "polygon", "vertices", "half_spaces"):
            numbers, count = _numbers(inner, f"{name}.{key}", 2)
            return [key, count], numbers
    if isinstance(value, Mapping) and set(value) == {"factor", "of"} and depth < 8:
        form, numbers = _set(value["of"], name, depth + 1)
        return ["factor", form], [_coefficient(value["factor"], f"{name}.factor"), *numbers]
    raise InputError(
        f"`{name}`: one of at_least, at_most, between, box, ball, ellipse, polygon, vertices, half_spaces, "
        'sum, or factor with of (a dict), or "firm" was expected'
    )
