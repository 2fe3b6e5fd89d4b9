"""Mechanisms of Python functions: A(t, q) du = K(t, q, u) dt + Σ Gᵀ dS."""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from . import _percuss
from ._percuss import InputError
from ._constraints import contact, joint, nonfirm, velocity
from ._derivatives import Chart, Floats, Function, Given
from ._mechanism import Named, coordinates_of, named
from ._model import Model
from ._keys import Table
from ._trajectory import Stopped, Study, Trajectory, whole

__all__ = ["FunctionMechanism", "mechanism", "study"]

def _start(tables: list[dict[str, Any]]) -> tuple[list[str], list[str], Floats, Floats]:
    """Names, kinds, positions and velocities at the start."""
    names: list[str] = []
    kinds: list[str] = []
    q: list[float] = []
    v: list[float] = []
    for table in tables:
        name = table.get("name")
        if not isinstance(name, str) or not name.isidentifier():
            raise InputError(f"`coordinates`: {name!r} is no name; letters, digits, _ were expected")
        if name in names:
            raise InputError(f"`coordinates`: the name `{name}` is given twice")
        for key in table:
            if key not in ("name", "kind", "initial", "velocity"):
                raise InputError(
                    f"`coordinates`: unknown key `{key}` of `{name}`; kind, initial or velocity "
                    "was expected"
                )
        kind = table.get("kind", "line")
        if kind not in ("line", "angle", "orientation"):
            raise InputError(
                f"`coordinates`: `{name}` has the kind {kind!r}; line, angle or orientation was "
                "expected"
            )
        turned = kind == "orientation"
        place = table.get("initial")
        place = ([1.0, 0.0, 0.0, 0.0] if turned else 0.0) if place is None else place
        speed = table.get("velocity")
        speed = ([0.0] * 3 if turned else 0.0) if speed is None else speed
        q += list(Function(place, f"initial of {name}", "t", (4,) if turned else ())(0).ravel())
        v += list(Function(speed, f"velocity of {name}", "t", (3,) if turned else ())(0).ravel())
        names.append(name)
        kinds.append(kind)
    if not names:
        raise InputError("`coordinates`: at least one was expected")
    position, velocity = np.array(q), np.array(v)
    if not (np.all(np.isfinite(position)) and np.all(np.isfinite(velocity))):
        raise InputError("`coordinates`: a value at the start is not finite")
    return names, kinds, position, velocity


class FunctionMechanism:
    """A mechanism of Python functions; made by :func:`mechanism`."""

    def __init__(self, model: Model, q: Floats, u: Floats, impact: str) -> None:
        self._model = model
        self._impact = impact
        #: Positions at the start.
        self.q = q
        #: Velocities at the start.
        self.u = u

    def __repr__(self) -> str:
        names = ", ".join(self._model.position_names)
        count = len(self._model.parts)
        return f"<Mechanism of functions of ({names}) with {count} constraints>"

    def run(
        self,
        until: float,
        step: Union[float, Table],
        *,
        start: float = 0.0,
        integrator: str = "midpoint",
        theta: Optional[float] = None,
        forces: str = "mean",
        tangent_cone: str = "midpoint",
        correction: bool = False,
        tolerance: float = 1e-10,
        q: Optional[Given] = None,
        u: Optional[Given] = None,
        progress: Optional[Callable[[float], object]] = None,
    ) -> Trajectory:
        """Computes the motion; the arguments are the keys of ``[run]`` in scene files.

        ``q`` and ``u`` replace the state at the start. What a function raises stops the motion and is
        raised here.
        """
        if theta is not None and integrator != "theta":
            raise InputError('`theta`: this does nothing without integrator="theta"')
        length, adaptive = _step(step)
        settings = {
            "integrator": _word(integrator, "integrator"),
            "theta": 0.5 if theta is None else _number(theta, "theta"),
            "step": length,
            "adaptive": adaptive,
            "forces": _word(forces, "forces"),
            "tangent_cone": _word(tangent_cone, "tangent_cone"),
            "law": self._impact,
            "correction": bool(correction),
            "tolerance": _number(tolerance, "tolerance"),
        }
        chart = self._model.chart
        place = self.q if q is None else Function(q, "q", "t", (chart.num_positions,))(0)
        speed = self.u if u is None else Function(u, "u", "t", (chart.num_velocities,))(0)
        begin = (_number(start, "start"), place.tolist(), speed.tolist())
        end = _number(until, "until")
        return whole(_percuss.run_callable(self._model, settings, begin, end, progress))


def _word(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"`{name} = {value!r}`: a word was expected")
    return value


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise InputError(f"`{name} = {value!r}`: a number was expected")
    number = float(value)
    if not np.isfinite(number):
        raise InputError(f"`{name} = {value!r}`: a finite number was expected")
    return number


def _step(step: Union[float, Table]) -> tuple[float, Optional[tuple[float, float, float]]]:
    if isinstance(step, Mapping):
        unknown = set(step) - {"tolerance", "smallest", "largest"}
        missing = {"tolerance", "smallest", "largest"} - set(step)
        if unknown or missing:
            raise InputError(
                "`step`: a number was expected, or a dict with tolerance, smallest and largest"
            )
        tolerance, smallest, largest = (
            _number(step[key], f"step.{key}") for key in ("tolerance", "smallest", "largest")
        )
        return largest, (tolerance, smallest, largest)
    return _number(step, "step"), None


def _listed(value: Any, count: int, name: str) -> list[Any]:
    """One value for all, or a list with one for each."""
    if isinstance(value, (list, tuple)):
        if len(value) != count:
            raise InputError(f"`{name}`: {len(value)} given, one for each of {count} gaps expected")
        return list(value)
    return [value] * count


def _short(
    gaps: Any, gradients: Any, tangents: Any, friction: Any, restitution: Any
) -> list[dict[str, Any]]:
    """The short form: lists of gaps and what belongs to each."""
    if gaps is None:
        for name, value in (("gradients", gradients), ("tangents", tangents)):
            if value is not None and not isinstance(value, str):
                raise InputError(f"`{name}`: this does nothing without `gaps`")
        return []
    if callable(gaps):
        gaps = [gaps]
    if not isinstance(gaps, (list, tuple)):
        raise InputError(f"`gaps`: a list of functions was expected, not {type(gaps).__name__}")
    gradients = None if isinstance(gradients, str) else gradients
    out = []
    columns = (
        _listed(gradients, len(gaps), "gradients"),
        _listed(tangents, len(gaps), "tangents"),
        _listed(friction, len(gaps), "friction"),
        _listed(restitution, len(gaps), "restitution"),
    )
    for k, (gap, gradient, tangent, mu, e) in enumerate(zip(gaps, *columns)):
        table = {"name": f"contact_{k + 1}", "gap": gap}
        extra = {"gradient": gradient, "tangent": tangent, "friction": mu, "restitution": e}
        out.append({**table, **{key: value for key, value in extra.items() if value is not None}})
    return out


def mechanism(
    coordinates: Any,
    A: Given,
    K: Optional[Callable[..., Any]] = None,
    *,
    forces: Optional[Callable[..., Any]] = None,
    potential: Optional[Callable[..., Any]] = None,
    gaps: Any = None,
    gradients: Any = None,
    tangents: Any = None,
    friction: Any = None,
    restitution: Any = None,
    contacts: Optional[Named] = None,
    joints: Optional[Named] = None,
    velocity_constraints: Optional[Named] = None,
    nonfirm_constraints: Optional[Named] = None,
    impact: Union[str, Table] = "moreau",
    derivatives: str = "complex",
) -> FunctionMechanism:
    """A mechanism whose parts are Python functions.

    ``A`` is the mass matrix, an array or a function of q or (t, q). Either ``K(t, q, u)`` is the whole
    right-hand side of A u̇ = K, or ``forces(t, q, u)`` and ``potential(t, q)`` are given and Lagrange's
    velocity terms follow from A. ``gaps`` are functions of q or (t, q), positive when apart, with one
    ``tangents`` function each (sliding velocity, of (t, q, u)), ``friction`` and ``restitution``; or
    ``contacts``, ``joints``, ``velocity_constraints`` and ``nonfirm_constraints`` map names to dicts of the
    keys that scene files have, with functions in the place of expressions.

    Gradients are taken by a complex step, so functions must take complex arrays; or they are given
    (``gradients``, the key ``gradient``, functions of (t, q)), or ``derivatives="differences"``.

    >>> import numpy as np
    >>> pendulum = mechanism(
    ...     {"x": 0.6, "y": -0.8},
    ...     A=np.eye(2),
    ...     K=lambda t, q, u: np.array([0.0, -9.81]),
    ...     joints={"rod": {"constraint": lambda q: q @ q - 1.0}},
    ... )
    >>> motion = pendulum.run(until=1.0, step=1e-3)
    >>> bool(np.all(np.abs(np.hypot(motion["x"], motion["y"]) - 1) < 1e-10))
    True
    """
    if derivatives not in ("complex", "differences"):
        raise InputError(
            f'`derivatives = {derivatives!r}`: "complex" or "differences" was expected'
        )
    if isinstance(gradients, str):
        derivatives, gradients = gradients, None
        if derivatives not in ("complex", "differences"):
            raise InputError('`gradients`: functions, "complex" or "differences" were expected')
    exact = None if derivatives == "complex" else False
    names, kinds, q, u = _start(coordinates_of(coordinates))
    chart = Chart(kinds)
    n = chart.num_velocities
    mass = Function(A, "A", "t, q", (n, n))
    mass(0.0, q)
    if K is not None and forces is not None:
        raise InputError("`forces`: K is the whole right-hand side; keep one of the two")
    force = None if K is None else Function(_function(K, "K"), "K", "t, q, u", (n,))
    applied = None
    if forces is not None:
        applied = Function(_function(forces, "forces"), "forces", "t, q, u", (n,))
    energy = None
    if potential is not None:
        energy = Function(_function(potential, "potential"), "potential", "t, q", ())
    parts = [
        contact(table, chart, exact, (q, u))
        for table in [*_short(gaps, gradients, tangents, friction, restitution), *named(contacts, "contacts", "gap")]
    ]
    parts += [joint(table, chart, exact, (q, u)) for table in named(joints, "joints", "constraint")]
    parts += [
        velocity(table, chart, exact, (q, u))
        for table in named(velocity_constraints, "velocity_constraints", "constraint")
    ]
    parts += [
        nonfirm(table, chart, exact, (q, u))
        for table in named(nonfirm_constraints, "nonfirm_constraints")
    ]
    seen: set[str] = set()
    for part in parts:
        if part.name in seen:
            raise InputError(f"the name `{part.name}` is given to two constraints")
        seen.add(part.name)
    law, canonical, after, exponent = _impact(impact, n)
    _settle(chart, q, u, exact, mass, force, applied, energy)
    model = Model(chart, names, mass, force, applied, energy, parts, canonical, after, exponent)
    return FunctionMechanism(model, q, u, law)


def _function(value: Any, name: str) -> Callable[..., Any]:
    if not callable(value):
        raise InputError(f"`{name}`: a function was expected, not {type(value).__name__}")
    out: Callable[..., Any] = value
    return out


def _settle(
    chart: Chart,
    q: Floats,
    u: Floats,
    exact: Optional[bool],
    mass: Function,
    force: Optional[Function],
    applied: Optional[Function],
    energy: Optional[Function],
) -> None:
    """Tries every function once and sees how it can be differentiated."""
    along = np.ones(chart.num_velocities)
    if applied is not None:
        applied(0.0, q, u)
    if force is not None:
        force(0.0, q, u)
        try:
            force.settle(exact, lambda s: force(0.0, chart.advance(q, along, s), u), "∂K/∂q")
        except InputError:
            # Only the iteration of implicit methods differentiates K: differences will do.
            force.exact = False
        return
    if energy is not None:
        energy.settle(exact, lambda s: energy(0.0, chart.advance(q, along, s)), "the force −∂V/∂q")
    mass.settle(exact, lambda s: mass(0.0, chart.advance(q, along, s)), "∂A/∂q")


_IMPACT = ("law", "restitution", "velocity", "exponent")


def _impact(
    impact: Union[str, Table], velocities: int
) -> tuple[str, Optional[Function], Optional[Function], float]:
    """Law, e of the canonical law, F of a map, exponent of the law of impulse ratios."""
    if isinstance(impact, str):
        impact = {"law": impact}
    if not isinstance(impact, Mapping):
        raise InputError("`impact`: a word or a dict with law and restitution was expected")
    unknown = [key for key in impact if key not in _IMPACT]
    if unknown:
        close = difflib.get_close_matches(str(unknown[0]), _IMPACT, 1)
        guess = f"; did you mean `{close[0]}`?" if close else ""
        raise InputError(f"`impact`: unknown key `{unknown[0]}`{guess}")
    law = impact.get("law", "moreau")
    for key, word in (("restitution", "canonical"), ("velocity", "map"), ("exponent", "lzb")):
        if key in impact and law != word:
            raise InputError(f"`impact.{key}`: this does nothing without the {word} law")
    canonical = after = None
    if "restitution" in impact:
        canonical = Function(impact["restitution"], "impact.restitution", "t, q, u", ())
    if law == "map":
        if "velocity" not in impact:
            raise InputError("`impact`: the map law needs `velocity`, a function of t, q, u")
        given = _function(impact["velocity"], "impact.velocity")
        after = Function(given, "impact.velocity", "t, q, u", (velocities,))
    exponent = _number(impact.get("exponent", 1.5), "impact.exponent")
    if not 1.0 <= exponent <= 10.0:
        raise InputError(f"`impact.exponent = {exponent}`: a number from 1 to 10 was expected")
    return law, canonical, after, exponent


def study(
    make: Callable[..., Any],
    vary: Mapping[str, Sequence[Any]],
    observe: Mapping[str, Callable[[Trajectory], Any]],
    until: float,
    step: Union[float, Table],
    **run: Any,
) -> Study:
    """Runs ``make(**point)`` for every point of a grid and observes each motion.

    ``make`` returns a mechanism of functions or of expressions. A motion that cannot start or go on is
    a row without values that says so.

    >>> import numpy as np
    >>> def ball(e):
    ...     return mechanism({"z": 1.0}, np.eye(1), lambda t, q, u: np.array([-10.0]),
    ...                      gaps=[lambda q: q[0]], restitution=e)
    >>> table = study(ball, {"e": [0.0, 0.5]}, {"bounces": lambda m: len(m.impacts())}, 1.0, 1e-3)
    >>> table["bounces"].tolist()
    [1.0, 2.0]
    """
    if not isinstance(vary, Mapping) or not isinstance(observe, Mapping):
        raise InputError("`vary` and `observe`: dicts were expected")
    keys, columns = list(vary), list(observe)
    rows: list[dict[str, Any]] = []
    for point in itertools.product(*(list(vary[key]) for key in keys)):
        settings = dict(zip(keys, point))
        row: dict[str, Any] = {"settings": list(point), "end": "finished", "cells": []}
        try:
            motion = make(**settings).run(until, step, **run)
            row["cells"] = [{"value": _plain(observe[name](motion))} for name in columns]
            if not motion.certificate["ok"]:
                row["end"] = "missed"
        except (Stopped, InputError) as error:
            row["end"] = "stopped" if isinstance(error, Stopped) else "refused"
            row["stopped"] = str(error)
            row["cells"] = [{"value": None} for _ in columns]
        rows.append(row)
    return Study({"table": {"keys": keys, "columns": columns, "rows": rows}})


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
