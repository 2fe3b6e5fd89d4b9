"""The motion of a mechanism as arrays."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from ._percuss import Error, InputError, Motion
from ._warnings import warn

__all__ = ["Stopped", "Study", "Trajectory"]

Floats = NDArray[np.float64]


def _record(columns: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
    """Columns as one structured array."""
    kinds = {"active": np.int64, "iterations": np.int64, "reached": np.bool_}
    dtype = [(name, kinds.get(name, values.dtype)) for name, values in columns.items()]
    length = len(next(iter(columns.values()))) if columns else 0
    out = np.zeros(length, dtype=dtype)
    for name, values in columns.items():
        out[name] = values
    return out


class Trajectory:
    """A motion: states at the ends of all steps, impulses, events, the account of the steps.

    ``t`` has n entries, ``q`` is (n, positions), ``u`` is (n, velocities): right limits. Row 0 is the
    initial state; row k of ``ledger`` and of ``impulses[name]`` is about the step that ends in state k.
    A coordinate, a velocity or, for mechanisms of expressions, any observable is had by its name:
    ``motion["theta"]``, ``motion["energy"]``.
    """

    def __init__(self, motion: Motion) -> None:
        self._motion = motion
        states = motion.states()
        #: Times of the states.
        self.t: Floats = states["t"]
        #: Positions.
        self.q: Floats = states["q"]
        #: Velocities, right limits.
        self.u: Floats = states["u"]
        #: Names of the positions.
        self.positions: list[str] = motion.positions
        #: Names of the velocities.
        self.velocities: list[str] = motion.velocities
        #: Names of the contacts, joints and other constraints.
        self.constraints: list[str] = motion.constraints
        #: Why the motion ended early, if it did.
        self.stopped: Optional[str] = motion.stopped
        #: The worst of each figure of the account, and ``ok``.
        self.certificate: dict[str, Any] = json.loads(motion.certificate())
        warn(motion.warnings(), stacklevel=5)
        self._ledger: Optional[NDArray[Any]] = None
        self._touches: Optional[list[dict[str, Floats]]] = None
        self._events: Optional[NDArray[Any]] = None

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        events = len(self.events)
        names = ", ".join(self.positions)
        verdict = "certified" if self.certificate["ok"] else f"{self.certificate['missed']} missed"
        ended = f", {self.stopped}" if self.stopped else ""
        return (
            f"<Trajectory of ({names}): t = {self.t[0]:g} to {self.t[-1]:g} in "
            f"{len(self.t) - 1} steps, {events} events, {verdict}{ended}>"
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{key.replace('_', ' ')}</th><td>{value}</td></tr>"
            for key, value in self.certificate.items()
        )
        text = repr(self).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return f"<div><code>{text}</code><table>{rows}</table></div>"

    @property
    def ledger(self) -> NDArray[Any]:
        """The account of the steps: a structured array with ``kinetic``, ``residual``, …"""
        if self._ledger is None:
            self._ledger = _record(self._motion.ledger())
        return self._ledger

    @property
    def events(self) -> NDArray[Any]:
        """What happened: a structured array ``t, constraint, kind, before, after``.

        ``kind`` is impact (with the normal velocities before and after), touch, detach, stick, slip,
        accumulation, painleve (``before`` is γ), locked.
        """
        if self._events is None:
            told = self._motion.events()
            names = np.array([*self.constraints, ""], dtype=str)
            width = max([len(name) for name in self.constraints], default=1)
            dtype = [
                ("t", np.float64),
                ("constraint", f"U{max(width, 1)}"),
                ("kind", "U12"),
                ("before", np.float64),
                ("after", np.float64),
            ]
            events = np.zeros(len(told["t"]), dtype=dtype)
            events["t"] = told["t"]
            events["constraint"] = names[told["constraint"]]
            events["kind"] = told["kind"]
            events["before"] = told["before"]
            events["after"] = told["after"]
            self._events = events
        return self._events

    def impacts(self, constraint: Optional[str] = None) -> NDArray[Any]:
        """The collisions, of one contact or of all."""
        events = self.events
        chosen = events["kind"] == "impact"
        if constraint is not None:
            self._index(constraint)
            chosen &= events["constraint"] == constraint
        found: NDArray[Any] = events[chosen]
        return found

    def _index(self, constraint: str) -> int:
        try:
            return self.constraints.index(constraint)
        except ValueError:
            known = ", ".join(self.constraints) or "none"
            raise InputError(f"unknown constraint `{constraint}` (known here: {known})") from None

    def _rows(self) -> list[dict[str, Floats]]:
        if self._touches is None:
            self._touches = self._motion.impulses()
        return self._touches

    @property
    def impulses(self) -> dict[str, Floats]:
        """Impulses by constraint, (n, rows): normal first, then tangential. Row 0 is 0."""
        return {name: rows["impulse"] for name, rows in zip(self.constraints, self._rows())}

    def gap(self, constraint: str) -> Floats:
        """Gap of a contact at the ends of the steps it took part in; NaN elsewhere."""
        return self._rows()[self._index(constraint)]["gap"]

    @property
    def energy(self) -> Floats:
        """Kinetic plus potential energy."""
        energy: Floats = self.ledger["kinetic"] + self.ledger["potential"]
        return energy

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What was found, of mechanisms of expressions that have findings."""
        text = self._motion.findings
        found: list[dict[str, Any]] = json.loads(text) if text else []
        return found

    def observe(self, expression: str) -> Floats:
        """An observable at all states: an expression in coordinates, velocities, definitions,
        parameters, ``energy``, ``gap_C``, ``force_C``, … of a mechanism of expressions."""
        if not isinstance(expression, str):
            raise InputError(f"`expression`: text was expected, not {type(expression).__name__}")
        values: Floats = self._motion.observe(expression)
        return values

    def __getitem__(self, name: str) -> Floats:
        if name == "t":
            return self.t
        if name in self.positions:
            return self.q[:, self.positions.index(name)]
        if name in self.velocities:
            return self.u[:, self.velocities.index(name)]
        return self.observe(name)

    def plot(self, *names: str, x: str = "t") -> Any:
        """Names or observables over another one: a figure of Matplotlib."""
        try:
            made = importlib.import_module("matplotlib.figure")
        except ImportError as error:
            raise ImportError("plots need Matplotlib: pip install matplotlib") from error
        figure = made.Figure(figsize=(6.4, 3.6), layout="constrained")
        axes = figure.add_subplot()
        for name in names or tuple(self.positions):
            axes.plot(self[x], self[name], label=name, linewidth=1.2)
        axes.set_xlabel(x)
        axes.legend(frameon=False)
        return figure


class Stopped(Error):
    """A motion that could not go on; ``trajectory`` is what was computed until then."""

    def __init__(self, text: str, trajectory: Trajectory) -> None:
        super().__init__(text)
        #: The motion until it stopped.
        self.trajectory = trajectory


def whole(motion: Motion) -> Trajectory:
    """The trajectory of a motion that came to its end."""
    trajectory = Trajectory(motion)
    if trajectory.stopped is not None:
        raise Stopped(trajectory.stopped, trajectory)
    return trajectory


class Study:
    """The table of a study: one row for each run.

    ``study["column"]`` is an array of the numbers of a column or of a key that was varied; NaN where a
    run has none. ``ends`` says how each run ended, ``reasons`` why there is no number.
    """

    def __init__(self, result: Mapping[str, Any]) -> None:
        table = result["table"]
        #: Keys that were varied.
        self.keys: list[str] = list(table["keys"])
        #: Columns that were observed.
        self.columns: list[str] = list(table["columns"])
        #: The runs as the command gives them in JSON.
        self.rows: list[dict[str, Any]] = list(table["rows"])
        #: Groups of runs that ended alike, where asked for.
        self.outcomes: Optional[list[dict[str, Any]]] = result.get("outcomes")
        #: How each run ended: finished, missed, stopped, refused, fault.
        self.ends: list[str] = [row["end"] for row in self.rows]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        keys = ", ".join(self.keys) or "nothing"
        columns = ", ".join(self.columns)
        bad = sum(end != "finished" for end in self.ends)
        return f"<Study over {keys}: {len(self)} runs, {bad} of them not finished; {columns}>"

    @property
    def reasons(self) -> list[Optional[str]]:
        """Why runs stopped before their end."""
        return [row.get("stopped") for row in self.rows]

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name in self.keys:
            at = self.keys.index(name)
            return _column([row["settings"][at] for row in self.rows])
        if name in self.columns:
            at = self.columns.index(name)
            return _column([row["cells"][at]["value"] for row in self.rows])
        known = ", ".join([*self.keys, *self.columns])
        raise InputError(f"unknown column `{name}` (known here: {known})")

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """All columns as arrays; ``pandas.DataFrame(study.to_dict())`` makes a frame."""
        return {name: self[name] for name in [*self.keys, *self.columns]}


def _column(values: list[Any]) -> NDArray[Any]:
    if all(value is None or isinstance(value, (int, float)) for value in values):
        if values and all(isinstance(value, bool) for value in values):
            return np.array(values, dtype=np.bool_)
        return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out
