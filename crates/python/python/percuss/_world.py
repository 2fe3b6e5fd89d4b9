"""Worlds: bodies that are built, stepped, looked at and changed from Python."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

import numpy as np

from . import _percuss
from ._arrays import contact_type
from ._builder import Builder, Vector
from ._percuss import Engine, Error, InputError
from ._progress import Tell, bar
from ._runs import Drawing, Run
from ._text import Number, lines, number, numeric, positive, table, vector, whole, wrong
from ._warnings import warn, warn_renamed

#: States that are kept of a recorded run where nothing is said.
_KEPT = 250

_KEYS = ("integrator", "activation", "correction", "solver", "max_iterations", "overlap", "relax", "stop")


@dataclass(frozen=True)
class State:
    """Everything that a motion is continued from: it can be pickled, copied and restored."""

    t: float
    dimension: int
    bodies: int
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Course:
    """What came out of :meth:`World.run`."""

    certificate: dict[str, Any]
    #: Times of all states, the start first.
    t: np.ndarray[Any, Any]
    #: Observables by their texts, a value for each time.
    series: dict[str, np.ndarray[Any, Any]] = field(repr=False)
    #: The records, where there are any.
    run: Optional[Run] = None

    def __getitem__(self, observable: str) -> np.ndarray[Any, Any]:
        return self.series[observable]


#: Entries of the account of a step that had another name in earlier versions.
_RENAMED = {"rub": "joint_friction", "held": "bilateral"}


class StepLedger(dict[str, Any]):
    """The account of a step. An entry by its old name is found for one version, with a warning."""

    def __missing__(self, key: str) -> Any:
        if key not in _RENAMED:
            raise KeyError(key)
        new = _RENAMED[key]
        warn_renamed(
            [
                f"the entry `{key}` of the account of a step is called `{new}` now; this version still "
                "accepts the old name, the next one will not"
            ]
        )
        return self[new]


class World(Builder):
    """Rigid bodies in the plane or in space.

    Bodies, laws and the rest are added first; the world is built when it is first stepped or looked
    at, by the same reader as a scene file, with the same messages.

    >>> w = World(dimension=2, gravity=[0, -9.81], step=1e-3)
    >>> stone = w.material("stone", density=2400)
    >>> w.law(friction=0.5)
    >>> floor = w.half_plane([0, 1])
    >>> block = w.box([0.2, 0.1], position=[0, 0.05], name="block")
    >>> w.step(10)
    >>> len(w.contacts)
    2
    """

    def __init__(
        self,
        dimension: int = 2,
        gravity: Optional[Vector] = None,
        step: Number = 1e-3,
        tolerance: Number = 1e-6,
        *,
        title: str = "A world",
        parameters: Optional[Mapping[str, Number]] = None,
        start: float = 0.0,
        integrator: Optional[str] = None,
        activation: Optional[str] = None,
        correction: Optional[bool] = None,
        solver: Optional[str] = None,
        max_iterations: Optional[int] = None,
        overlap: Optional[Number] = None,
        relax: Optional[bool] = None,
        stop: Optional[str] = None,
        threads: int = 1,
    ) -> None:
        super().__init__()
        if dimension not in (2, 3) or isinstance(dimension, bool):
            raise wrong("dimension", dimension, "2 or 3")
        self.dimension = int(dimension)
        self._gravity = None if gravity is None else vector("gravity", gravity, self.dimension)
        self._step = number("step", step)
        self._tolerance = number("tolerance", tolerance)
        if not isinstance(title, str):
            raise wrong("title", title, "a text")
        self.title = title
        if parameters is not None and not isinstance(parameters, Mapping):
            raise wrong("parameters", parameters, "a table of names and numbers")
        self._parameters = {
            str(key): number(f"parameters[{key!r}]", value) for key, value in (parameters or {}).items()
        }
        given = (integrator, activation, correction, solver, max_iterations, overlap, relax, stop)
        self._settings = dict(zip(_KEYS, given))
        self._start = float(number("start", float(start)))
        self._threads = whole("threads", threads)
        self._built: Optional[Engine] = None
        self._views: dict[str, np.ndarray[Any, Any]] = {}

    # Building.

    def _changing(self) -> None:
        if self._built is not None:
            raise Error("the world is built: nothing can be added to it; make another one")

    def _text(self, until: float, whole: bool, every: Optional[int] = None) -> str:
        world: dict[str, object] = {"dimension": self.dimension, "gravity": self._gravity}
        run: dict[str, object] = {"until": until, "step": self._step, "tolerance": self._tolerance}
        if self._start != 0.0:
            run["start"] = self._start
        run["record_every"] = every
        run.update(self._settings)
        top: dict[str, object] = {"kind": "bodies", "title": self.title}
        if whole and (self._motions or self._forces):
            names = [name for name, _, _ in self._motions]
            names += [name for bodies, _ in self._forces for name in (bodies or ["all"])]
            top["callables"] = names
        parts = [lines(top)]
        if self._parameters:
            parts.append(table("parameters", dict(self._parameters), many=False))
        parts.append(table("world", world, many=False))
        parts.append(self._body_text(whole))
        parts.append(table("run", run, many=False))
        return "\n".join(parts)

    def to_scene(self, until: float = 1.0) -> str:
        """The world as the text of a scene file, where nothing in it is a callable."""
        if self._motions or self._forces:
            names = [name for name, _, _ in self._motions]
            what = f"the motion of {', '.join(names)}" if names else "a force"
            raise InputError(f"{what} is a Python callable, which no scene file can hold")
        return self._text(number_after("until", until, self._start), True)

    def build(self, progress: bool | Tell = False) -> World:
        """Builds the world now: overlaps are looked at, preparations run."""
        if self._built is None:
            # A run of any length: where it ends is said by `run`.
            until = self._start + 1.0
            tell, end = bar(progress, "build")
            try:
                self._built = _percuss.build(
                    self._text(until, False),
                    [(name, rows) for name, _, rows in self._grains],
                    self._motions,
                    self._forces,
                    self._threads,
                    tell,
                )
            finally:
                end()
            warn_renamed(self._built.scene_warnings())
        return self

    @property
    def _engine(self) -> Engine:
        self.build()
        assert self._built is not None
        return self._built

    # Motion.

    def step(self, count: int = 1) -> None:
        """Makes steps.

        What is not as it should be, a contact that is too deep or a step that missed its tolerance, is a
        :class:`CertificateWarning` when it is so for the first time; :attr:`certificate` has all of it.
        """
        warn(self._engine.step(whole("count", count, 0)))

    def run(
        self,
        until: Optional[float] = None,
        *,
        duration: Optional[float] = None,
        out: Optional[str | os.PathLike[str]] = None,
        every: Optional[int] = None,
        observe: Sequence[str] = (),
        callback: Optional[Callable[[World], object]] = None,
        findings: bool = True,
        progress: bool | Tell = False,
    ) -> Course:
        """Runs to a time, or for a duration.

        ``callback(world)`` is called after every step; what it raises stops the run and is raised
        here, with the world as it is. ``out`` records the run (every so many steps); ``observe``
        are expressions whose values at every step are kept. Ctrl-C ends after a step, leaves a
        checkpoint where there are records, and raises ``KeyboardInterrupt``.
        """
        engine = self._engine
        t, step = engine.time
        if (until is None) == (duration is None):
            raise InputError("`until`, `duration`: one of the two was expected")
        if duration is not None:
            end = t + positive("duration", duration)
        else:
            end = number_after("until", until, t)
        if isinstance(observe, str):
            raise wrong("observe", observe, "a list of expressions")
        if callback is not None and not callable(callback):
            raise wrong("callback", callback, "a callable (world)")
        kept = max(1, round((end - t) / step / _KEPT)) if every is None else whole("every", every)
        call = None if callback is None else lambda: callback(self)
        whole_text = not (self._motions or self._forces)
        text = self._text(end, True, kept) if out is not None else ""
        tell, finish = bar(progress, "run")
        try:
            told = _percuss.run_world(
                engine,
                end,
                text,
                whole_text,
                None if out is None else os.fspath(out),
                kept,
                [str(each) for each in observe],
                call,
                tell,
                bool(findings),
            )
        finally:
            finish()
        run = None if told["directory"] is None else Run(told["directory"])
        warn(told["warnings"])
        return Course(told["certificate"], told["times"], told["series"], run)

    # What it is.

    @property
    def certificate(self) -> dict[str, Any]:
        """What the steps made by :meth:`step` vouch for."""
        return self._engine.certificate()

    @property
    def time(self) -> float:
        """The time."""
        return self._engine.time[0]

    @property
    def names(self) -> list[str]:
        """Names of the bodies, in the order of all arrays."""
        return self._engine.names()

    @property
    def groups(self) -> dict[str, np.ndarray[Any, Any]]:
        """Numbers of the bodies of each group."""
        return {name: np.array(members, dtype=np.int64) for name, members in self._engine.groups()}

    @property
    def masses(self) -> np.ndarray[Any, Any]:
        """Masses of the bodies; 0 where nothing can move them."""
        masses: np.ndarray[Any, Any] = self._engine.bodies()["masses"]
        return masses

    def index(self, name: str) -> int:
        """Number of a body by its name."""
        names = self.names
        if name not in names:
            raise wrong("name", name, "the name of a body")
        return names.index(name)

    def _view(self, what: str) -> np.ndarray[Any, Any]:
        found = self._views.get(what)
        if found is None:
            engine = self._engine
            if not engine.names():
                shape = (0,) if self.dimension == 2 and what in ("spins", "rotations") else (0, self.dimension)
                found = np.empty(shape)
                found.flags.writeable = False
            else:
                found = np.asarray(engine.view(what))
            self._views[what] = found
        return found

    @property
    def positions(self) -> np.ndarray[Any, Any]:
        """Centres of mass, n x dimension: the engine's own memory, read-only; it changes as the world moves."""
        return self._view("positions")

    @property
    def velocities(self) -> np.ndarray[Any, Any]:
        """Velocities of the centres of mass, n x dimension: the engine's own memory, read-only."""
        return self._view("velocities")

    @property
    def spins(self) -> np.ndarray[Any, Any]:
        """Angular velocities: n in the plane, n x 3 about body axes in space. The engine's own memory."""
        return self._view("spins")

    @property
    def angles(self) -> np.ndarray[Any, Any]:
        """Angles in the plane, not reduced: the engine's own memory, read-only."""
        if self.dimension != 2:
            raise InputError("`angles` are those of the plane; in space there are `quaternions`")
        return self._view("rotations")

    @property
    def rotations(self) -> np.ndarray[Any, Any]:
        """Quaternions x, y, z, w (the order of SciPy) in space: the engine's own memory, read-only."""
        if self.dimension != 3:
            raise InputError("`rotations` are those of space; in the plane there are `angles`")
        return self._view("rotations")

    @property
    def quaternions(self) -> np.ndarray[Any, Any]:
        """Quaternions w, x, y, z (the order of scene files) in space; a copy."""
        return np.roll(self.rotations, 1, axis=1)

    def set_velocities(self, velocities: object, spins: object = None) -> None:
        """Sets velocities (n x dimension), and spins where given, of the bodies that follow forces."""
        count, n = len(self.names), self.dimension
        rows = np.empty((count, 3 if n == 2 else 6))
        rows[:, :n] = numeric("velocities", velocities, (count, n))
        turning = self.spins if spins is None else numeric("spins", spins, (count,) if n == 2 else (count, 3))
        rows[:, n:] = turning.reshape(count, -1)
        self._engine.set_velocities(rows)

    @property
    def contacts(self) -> np.ndarray[Any, Any]:
        """The contacts of the last step, a structured array: see ``contacts.dtype``."""
        return np.frombuffer(self._engine.contacts(), dtype=contact_type(self.dimension))

    @property
    def ledger(self) -> dict[str, Any]:
        """The account of the last step: residual, energies, works, penetration."""
        return StepLedger(self._engine.ledger())

    def observe(self, expression: str) -> float:
        """The value of an observable: the names of findings and plots (``kinetic``, ``block_x``, ...).

        What counts from a start (``block_displacement``, ``work``) counts from when it was first asked
        for.
        """
        if not isinstance(expression, str):
            raise wrong("expression", expression, "an expression (text)")
        return self._engine.observe(expression)

    @property
    def state(self) -> State:
        """Where the world is: to be kept, copied, pickled, restored."""
        engine = self._engine
        return State(engine.time[0], self.dimension, len(engine.names()), engine.state())

    def restore(self, state: State) -> None:
        """Goes to a state of this world, or of one with the same bodies: the next steps are the same bits."""
        if not isinstance(state, State):
            raise wrong("state", state, "a percuss.State")
        if state.dimension != self.dimension or state.bodies != len(self.names):
            raise InputError(
                f"`state`: it has {state.bodies} bodies in dimension {state.dimension}, this world "
                f"{len(self.names)} in dimension {self.dimension}"
            )
        self._engine.restore(state.data)

    # How it looks.

    def drawing(self, name: str = "picture") -> Drawing:
        """A picture of the world as it is: ``"picture"`` or ``"forces"``."""
        engine = self._engine
        with tempfile.TemporaryDirectory(prefix="percuss-") as folder:
            place = os.path.join(folder, "world")
            _percuss.snapshot_world(engine, place, self._text(max(1.0, engine.time[0] + 1.0), False))
            return Run(place).drawing(name)

    def picture(self) -> Drawing:
        """A picture of the world as it is."""
        return self.drawing("picture")

    def save(self, path: str | os.PathLike[str], until: float = 1.0) -> None:
        """Writes the world as a scene file."""
        Path(path).write_text(self.to_scene(until), encoding="utf-8")

    def __repr__(self) -> str:
        where = "plane" if self.dimension == 2 else "space"
        if self._built is None:
            count = sum(1 for kind, _ in self._tables if kind == "body")
            grains = sum(len(rows) for _, _, rows in self._grains)
            return f"<percuss.World in the {where}, not built yet: {count + grains} bodies and generators>"
        try:
            t, names = self._built.time[0], len(self._built.names())
            return f"<percuss.World in the {where}: {names} bodies at t = {t:.6g}, {self._built.num_contacts()} contacts>"
        except Error:
            return f"<percuss.World in the {where}, being stepped>"

    def _repr_png_(self) -> bytes:
        return self.picture().png

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(repr(self))}</p>{self.picture().svg}"


def number_after(argument: str, value: object, t: float) -> float:
    """A finite time after another one."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise wrong(argument, value, f"a time after t = {t}")
    end = float(value)
    if not (math.isfinite(end) and end > t):
        raise wrong(argument, value, f"a finite time after t = {t}")
    return end
