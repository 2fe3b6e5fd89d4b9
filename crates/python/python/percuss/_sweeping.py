"""The sweeping process: a point moved by a moving set, -du in N_C(t)(u) - w(t, u) dt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _percuss
from ._percuss import InputError
from ._functions import _number, _step
from ._mechanism import Named, Sceneful, coordinates_of, named, table
from .sets import Floats, MovingSet, numbers, shaped
from ._keys import Table, scene_text

__all__ = ["Sweep", "SweepPath", "sweep"]


class Sweep(Sceneful):
    """A sweeping process of expressions: every key of ``kind = "sweep"`` scenes.

    ``contacts`` maps names to gaps, C(t) = { gap(t, u) >= 0 }; ``drift`` maps coordinates to a velocity;
    ``process`` has the other keys of ``[process]`` (``metric``, ``lambda``, ``start``, ``jumps``, ``kinks``,
    ``retraction``).

    >>> play = Sweep({"x": 0.0}, {"left": "x - sin(t) + 0.3", "right": "sin(t) + 0.3 - x"})
    >>> path = play.run(until=2.0, step=1e-3)
    >>> bool(abs(path["x"].max() - 0.7) < 1e-5)
    True
    """

    def __init__(
        self,
        coordinates: Any = None,
        contacts: Optional[Named] = None,
        joints: Optional[Named] = None,
        *,
        drift: Optional[Table] = None,
        process: Optional[Table] = None,
        crowd: Optional[Table] = None,
        parameters: Optional[Table] = None,
        definitions: Optional[Table] = None,
        run: Optional[Table] = None,
        cases: Optional[Named] = None,
        studies: Optional[Named] = None,
        findings: Optional[Named] = None,
        plots: Optional[Named] = None,
        record: Optional[Table] = None,
        checkpoint: Optional[Table] = None,
        title: Optional[str] = None,
        source: Optional[str] = None,
        about: Optional[str] = None,
        name: str = "sweep",
        **tables: Any,
    ) -> None:
        how = table(process, "process") or {}
        if drift is not None:
            how["drift"] = table(drift, "drift")
        keys: dict[str, Any] = {
            "kind": "sweep",
            "title": title,
            "source": source,
            "about": about,
            "parameters": table(parameters, "parameters"),
            "coordinate": [] if coordinates is None else coordinates_of(coordinates),
            "definitions": table(definitions, "definitions"),
            "contact": named(contacts, "contacts", "gap"),
            "joint": named(joints, "joints", "constraint"),
            "process": how or None,
            "crowd": table(crowd, "crowd"),
            "run": table(run, "run") or {},
            "case": named(cases, "cases"),
            "study": named(studies, "studies"),
            "finding": named(findings, "findings", "value"),
            "plot": named(plots, "plots"),
            "record": table(record, "record"),
            "checkpoint": table(checkpoint, "checkpoint"),
            **tables,
        }
        super().__init__(keys, name)
        provisional = {**keys, "run": {"until": 1.0, "step": 1e-3, **keys["run"]}}
        provisional.update({"finding": [], "plot": [], "study": [], "case": []})
        _percuss.check_mechanism(name, scene_text(provisional), [])

    def __repr__(self) -> str:
        names = ", ".join(str(item.get("name", "?")) for item in self._keys["coordinate"])
        count = len(self._keys["contact"]) + len(self._keys["joint"])
        return f"<Sweep of ({names or 'a crowd'}) with {count} constraints>"


class SweepPath:
    """The path of a point: ``t`` (n), ``u`` (n, dim), the account of the steps.

    ``loads`` has the multipliers of the steps, (n - 1, constraints), where the set has such; ``steps`` is a
    structured array; ``jumps`` has both limits at each jump of the set; ``account`` the sums and the worst, with
    ``ok``, ``variation``, ``retraction`` and, where that is known, ``within_bound``: whether the variation of u stayed within it, a theorem for catching-up.
    """

    def __init__(self, made: Mapping[str, Any]) -> None:
        #: Instants: the start and the ends of all steps.
        self.t: Floats = made["t"]
        #: The point there.
        self.u: Floats = made["u"]
        #: Multipliers of the steps.
        self.loads: Floats = made["loads"]
        columns: dict[str, Floats] = made["steps"]
        kinds: dict[str, Any] = {"iterations": np.int64, "met": np.bool_}
        self.steps: NDArray[Any] = np.zeros(
            len(columns["t"]), dtype=[(name, kinds.get(name, np.float64)) for name in columns]
        )
        for name, values in columns.items():
            self.steps[name] = values
        #: Jumps of the set: instant, point before, point after (limits from the left and from the right).
        self.jumps: list[tuple[float, Floats, Floats]] = [
            (float(self.t[k + 1]), self.u[k], self.u[k + 1]) for k in made["jumps"]
        ]
        #: Changes of the active set, (t, constraint, held), of the event-driven method.
        self.changes: list[tuple[float, int, bool]] = list(made["changes"])
        #: Sums and the worst over the run.
        self.account: dict[str, Any] = dict(made["account"])

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        verdict = "certified" if self.account["ok"] else f"{self.account['missed']} missed"
        return (
            f"<SweepPath in R^{self.u.shape[1]}: t = {self.t[0]:g} to {self.t[-1]:g} in "
            f"{len(self.steps)} steps, variation {self.account['variation']:g}, {verdict}>"
        )


def sweep(
    moving: MovingSet,
    start: ArrayLike,
    until: float,
    step: Union[float, Table],
    *,
    begin: float = 0.0,
    method: str = "catching-up",
    theta: Optional[float] = None,
    penalty: Optional[Union[float, Callable[[float], float]]] = None,
    drift: Optional[Callable[[float, Floats], ArrayLike]] = None,
    metric: Optional[ArrayLike] = None,
    project: bool = False,
    jumps: Sequence[float] = (),
    kinks: Sequence[float] = (),
    tolerance: float = 1e-8,
    retraction: str = "known",
    progress: Optional[Callable[[float], object]] = None,
) -> SweepPath:
    """Moves a point by a moving set of arrays and functions.

    ``method`` is ``"catching-up"``, ``"trapezoidal"``, ``"theta"`` (with ``theta``), ``"regularised"`` (with
    ``penalty``, a number or a function of t) or ``"event"``. ``drift(t, u)`` is where the point would go if nothing held it; ``metric`` the
    scalar product, a diagonal or a matrix; ``project`` allows a start outside. ``step`` is a number, or
    a dict with tolerance, smallest and largest: the set then retracts by at most ``tolerance`` in a step.
    ``retraction`` is ``"known"`` (closed forms and corners only) or ``"searched"`` (for any convex set, by
    many projections in each step).

    >>> from percuss.sets import Ball
    >>> path = sweep(Ball(lambda t: [t, 0.0], 1.0), [0.0, 0.5], until=3.0, step=0.01)
    >>> path.account["ok"], path.account["within_bound"]
    (True, None)
    >>> path = sweep(Ball(lambda t: [t, 0.0], 1.0), [0.0, 0.5], until=3.0, step=0.01, retraction="searched")
    >>> path.account["within_bound"], round(path.account["retraction"], 6)
    (True, 3.0)
    """
    if not isinstance(moving, MovingSet):
        raise InputError(f"`moving`: a set was expected, not {type(moving).__name__}")
    if (theta is not None) != (method == "theta"):
        raise InputError('`theta`: it goes with method="theta", and is needed there')
    if (penalty is not None) != (method == "regularised"):
        raise InputError('`penalty`: it goes with method="regularised", and is needed there')
    if retraction not in ("known", "searched"):
        raise InputError(f'`retraction = {retraction!r}`: "known" or "searched" was expected')
    if drift is not None and not callable(drift):
        raise InputError("`drift`: a function of (t, u) was expected")
    n = moving.dim
    point = shaped(start, (n,), "start")
    length, adaptive = _step(step)
    diagonal, matrix = _metric(metric, n)
    end, begun = _number(until, "until"), _number(begin, "begin")
    if not end > begun:
        raise InputError(f"`until = {end}`: a number above the beginning {begun} was expected")
    chosen = {
        "method": method if isinstance(method, str) else repr(method),
        "theta": 0.5 if theta is None else _number(theta, "theta"),
        "penalty": 1.0 if penalty is None or callable(penalty) else _number(penalty, "penalty"),
        "growing": _of_time(penalty) if callable(penalty) else None,
        "searched": retraction == "searched",
        "project": bool(project),
        "tolerance": _number(tolerance, "tolerance"),
        "begin": begun,
        "end": end,
        "step": length,
        "adaptive": adaptive,
        "jumps": _instants(jumps, "jumps"),
        "kinks": _instants(kinks, "kinks"),
        "diagonal": diagonal,
        "matrix": matrix,
    }
    flow = None
    if drift is not None:
        velocity = drift

        def flow(t: float, u: Floats) -> Floats:
            # The crate has the other sign: -du in N + f dt.
            return np.ascontiguousarray(-shaped(velocity(t, u), (n,), "drift"))

    return SweepPath(_percuss.run_sweep(moving.spec(), point.tolist(), chosen, flow, progress))


def _of_time(penalty: Callable[[float], float]) -> Callable[[float], Floats]:
    def values(t: float) -> Floats:
        return np.array([_number(penalty(t), "penalty")])

    return values


def _instants(value: Any, name: str) -> list[float]:
    out: list[float] = numbers(value, name).ravel().tolist()
    return out


def _metric(value: Any, n: int) -> tuple[Optional[list[float]], Optional[list[float]]]:
    if value is None:
        return None, None
    array = numbers(value, "metric")
    if array.shape == (n,):
        return array.tolist(), None
    if array.shape == (n, n):
        return None, array.ravel().tolist()
    raise InputError(f"`metric` has the shape {array.shape}; {(n,)} or {(n, n)} was expected")
