"""Mechanisms of expressions.

Every key of ``kind = "mechanism"`` scenes is an argument here; the reader of scene files checks them
and its messages name the argument.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

from . import _percuss
from ._percuss import InputError
from ._keys import Table, overrides, scene_text
from ._trajectory import Study, Trajectory, whole

__all__ = ["Mechanism"]

#: Tables by their names, or with a key ``name`` each.
Named = Union[Mapping[str, Any], Sequence[Table]]


def named(value: Optional[Named], argument: str, short: Optional[str] = None) -> list[dict[str, Any]]:
    """A dict of name to keys, or a list of dicts, as a list of dicts with names.

    ``short`` is the key that a bare value stands for.

    >>> named({"floor": "z"}, "contacts", "gap")
    [{'name': 'floor', 'gap': 'z'}]
    """
    if value is None:
        return []
    if isinstance(value, Mapping):
        out: list[dict[str, Any]] = []
        for name, keys in value.items():
            if isinstance(keys, Mapping):
                out.append({"name": name, **keys})
            elif short is not None and keys is not None:
                out.append({"name": name, short: keys})
            else:
                kind = type(keys).__name__
                raise InputError(f"`{argument}`: `{name}` is {kind}; a dict of keys was expected")
        return out
    if isinstance(value, Sequence) and not isinstance(value, str):
        for k, keys in enumerate(value):
            if not isinstance(keys, Mapping):
                kind = type(keys).__name__
                raise InputError(f"`{argument}`: item {k} is {kind}; a dict of keys was expected")
        return [dict(keys) for keys in value]
    kind = type(value).__name__
    raise InputError(f"`{argument}`: a dict or a list of dicts was expected, not {kind}")


def coordinates_of(value: Any) -> list[dict[str, Any]]:
    """Coordinates as tables: names, values at the start, or dicts of keys."""
    if isinstance(value, str):
        value = value.split()
    if isinstance(value, Sequence) and all(isinstance(item, str) for item in value):
        return [{"name": item} for item in value]
    if isinstance(value, Mapping):
        pairs = {
            name: dict(zip(("initial", "velocity"), keys)) if _is_pair(keys) else keys
            for name, keys in value.items()
        }
        return named(pairs, "coordinates", "initial")
    return named(value, "coordinates", "initial")


def _is_pair(keys: Any) -> bool:
    return isinstance(keys, tuple) and len(keys) == 2


class Sceneful:
    """What mechanisms and sweeping processes of expressions share."""

    def __init__(self, keys: dict[str, Any], name: str) -> None:
        self._keys = keys
        self._name = name

    def to_scene(self, **run: Any) -> str:
        """The scene file of it; further arguments are keys of ``[run]``."""
        return scene_text(self._with_run(run))

    def _with_run(self, run: Mapping[str, Any]) -> dict[str, Any]:
        keys = dict(self._keys)
        given = {**keys.get("run", {}), **{k: v for k, v in run.items() if v is not None}}
        if "until" not in given:
            raise InputError("`until`: it is missing; the end of the run was expected")
        if "step" not in given:
            raise InputError(
                "`step`: it is missing; the length of a step was expected, or a dict with "
                "tolerance, smallest, largest"
            )
        keys["run"] = given
        return keys

    def check(self, **run: Any) -> None:
        """Reads and compiles everything, runs nothing; raises what is wrong."""
        _percuss.check_mechanism(self._name, self.to_scene(**run), [])

    def run(
        self,
        until: Optional[Any] = None,
        step: Optional[Any] = None,
        *,
        set: Optional[Table] = None,
        findings: bool = False,
        threads: int = 1,
        progress: Optional[Callable[[float], object]] = None,
        **run: Any,
    ) -> Trajectory:
        """Computes the motion and returns it.

        ``until``, ``step`` and all further arguments are the keys of ``[run]`` (``integrator``,
        ``theta``, ``forces``, ``tangent_cone``, ``correction``, ``tolerance``, ``start``); ``set`` overrides parameters;
        ``findings`` evaluates those that were given; ``progress`` is called with the share done.
        """
        _count(threads, "threads")
        text = self.to_scene(until=until, step=step, **run)
        pairs = overrides(set)
        return whole(
            _percuss.run_mechanism(self._name, text, pairs, bool(findings), threads, progress)
        )

    def study(
        self,
        vary: Optional[Table] = None,
        observe: Optional[Table] = None,
        *,
        until: Optional[Any] = None,
        step: Optional[Any] = None,
        points: Optional[Table] = None,
        repeat: Optional[Table] = None,
        bisect: Optional[Table] = None,
        when: Optional[str] = None,
        outcomes: Optional[Table] = None,
        set: Optional[Table] = None,
        threads: int = 1,
        progress: Optional[Callable[[float], object]] = None,
        **run: Any,
    ) -> Study:
        """Many runs over a grid, a list, a sample of parameters, or a bisection; one table.

        The arguments are the keys of a study file: ``vary={"mu": [0.1, 0.2]}``,
        ``observe={"end": "final(x)"}``, ``bisect={"key": "mu", "from": 0, "to": 1, "tolerance": 1e-3}``
        with ``when="final(x) > 1"``.
        """
        _count(threads, "threads")
        study: dict[str, Any] = {"kind": "study", "when": when}
        tables = {
            "set": set,
            "vary": vary,
            "points": points,
            "repeat": repeat,
            "bisect": bisect,
            "observe": observe,
            "outcomes": outcomes,
        }
        for key, table in tables.items():
            if table is not None:
                if not isinstance(table, Mapping):
                    kind = type(table).__name__
                    raise InputError(f"`{key}`: a dict of keys was expected, not {kind}")
                study[key] = dict(table)
        text = self.to_scene(until=until, step=step, **run)
        result = _percuss.run_study(self._name, text, [], scene_text(study), threads, progress)
        return Study(json.loads(result))

    def __copy__(self) -> Sceneful:
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        new._keys = copy.deepcopy(self._keys)
        return new


def _count(value: object, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(f"`{name} = {value!r}`: a whole number from 1 was expected")


def table(value: Optional[Table], argument: str) -> Optional[dict[str, Any]]:
    """A dict of keys, or nothing."""
    if value is None:
        return None
    if not isinstance(value, Mapping):
        kind = type(value).__name__
        raise InputError(f"`{argument}`: a dict of keys was expected, not {kind}")
    return dict(value)


class Mechanism(Sceneful):
    """A mechanism in generalised coordinates, of expressions.

    ``coordinates`` maps names to initial values, to pairs (initial, velocity), or to dicts of keys
    (``initial``, ``velocity``, ``kind``); ``contacts``, ``joints``, ``velocity_constraints`` and
    ``nonfirm`` map names to dicts of the keys that scene files have, or are lists of such dicts. A(q),
    its derivatives and Lagrange's velocity terms are derived exactly from ``kinetic``.

    >>> ball = Mechanism(
    ...     {"z": 1.0},
    ...     kinetic="0.5*m*z_dot^2",
    ...     potential="m*g*z",
    ...     parameters={"m": 1.0, "g": 9.81},
    ...     contacts={"floor": {"gap": "z", "restitution": 0.5}},
    ... )
    >>> motion = ball.run(until=2.0, step=1e-3)
    >>> bool(abs(motion.impacts("floor")["t"][0] - (2 / 9.81) ** 0.5) < 2e-3)
    True
    >>> motion.certificate["ok"]
    True
    """

    def __init__(
        self,
        coordinates: Any,
        kinetic: Union[str, float],
        potential: Optional[Union[str, float]] = None,
        forces: Optional[Table] = None,
        *,
        parameters: Optional[Table] = None,
        definitions: Optional[Table] = None,
        contacts: Optional[Named] = None,
        joints: Optional[Named] = None,
        velocity_constraints: Optional[Named] = None,
        nonfirm: Optional[Named] = None,
        impact: Optional[Union[str, Table]] = None,
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
        name: str = "mechanism",
        **tables: Any,
    ) -> None:
        dynamics: dict[str, Any] = {"kinetic": kinetic, "potential": potential}
        if forces is not None:
            dynamics["forces"] = table(forces, "forces")
        keys: dict[str, Any] = {
            "kind": "mechanism",
            "title": title,
            "source": source,
            "about": about,
            "parameters": table(parameters, "parameters"),
            "coordinate": coordinates_of(coordinates),
            "definitions": table(definitions, "definitions"),
            "dynamics": dynamics,
            "contact": named(contacts, "contacts", "gap"),
            "joint": named(joints, "joints", "constraint"),
            "velocity_constraint": named(
                velocity_constraints, "velocity_constraints", "constraint"
            ),
            "nonfirm": named(nonfirm, "nonfirm"),
            "impact": {"law": impact} if isinstance(impact, str) else table(impact, "impact"),
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
        # Everything that can be wrong is told here and not at the first run.
        _percuss.check_mechanism(name, scene_text(self._provisional()), [])

    def _provisional(self) -> dict[str, Any]:
        run = {"until": 1.0, "step": 1e-3, **self._keys["run"]}
        start = run.get("start")
        if isinstance(start, (int, float)) and "until" not in self._keys["run"]:
            run["until"] = start + 1.0
        return {**self._keys, "run": run, "finding": [], "plot": [], "study": [], "case": []}

    def __repr__(self) -> str:
        names = ", ".join(str(item.get("name", "?")) for item in self._keys["coordinate"])
        count = sum(
            len(self._keys[key]) for key in ("contact", "joint", "velocity_constraint", "nonfirm")
        )
        return f"<Mechanism of ({names}) with {count} constraints: T = {self._keys['dynamics']['kinetic']}>"
