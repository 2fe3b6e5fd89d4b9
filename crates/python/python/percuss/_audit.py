"""Audits: what of a run outlives a change of its discretisation."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Optional

from . import _percuss
from ._percuss import Scene
from ._progress import Tell, bar
from ._runs import Drawing, Run, SceneLike, load


class Audit:
    """A run and its repetitions with other steps, tolerance and rule.

    ``data`` holds everything as ``audit.json`` of the command does.
    """

    def __init__(self, data: dict[str, Any], svg: str) -> None:
        self.data = data
        self.drawing = Drawing(svg)

    @property
    def ok(self) -> bool:
        """Whether every run is certified and every finding holds in every run."""
        return bool(self.data["ok"])

    @property
    def not_held(self) -> list[str]:
        """What is not so, in words."""
        return list(self.data["not_held"])

    @property
    def runs(self) -> dict[str, dict[str, Any]]:
        """The runs by name, ``reference`` first: certificate, distances, first times beyond thresholds."""
        return {run["name"]: run for run in self.data["runs"]}

    @property
    def findings(self) -> dict[str, dict[str, Any]]:
        """The findings by name: value, digits in which all runs agree, whether it holds in all."""
        return {finding["name"]: finding for finding in self.data["findings"]}

    @property
    def times(self) -> list[float]:
        """The instants at which runs are compared."""
        return list(self.data["times"])

    @property
    def order(self) -> Optional[float]:
        """Observed order of convergence of the configuration."""
        value = self.data["orders"]["configuration"]["order"]
        return None if value is None else float(value)

    @property
    def chaotic(self) -> bool:
        """Whether a perturbation at the level of rounding grows exponentially."""
        return bool(self.data["sensitivity"]["verdict"] == "chaotic")

    @property
    def rate(self) -> Optional[float]:
        """Rate of that growth, 1/s."""
        value = self.data["sensitivity"]["rate"]
        return None if value is None else float(value)

    def _repr_svg_(self) -> str:
        return self.drawing.svg

    def __repr__(self) -> str:
        order = "not observed" if self.order is None else f"{self.order:.2f}"
        verdict = "ok" if self.ok else "NOT ok"
        fate = self.data["sensitivity"]["verdict"]
        scene, count = self.data["scene"], len(self.data["runs"])
        return f"<percuss.Audit of {scene}: {verdict}, {count} runs, order {order}, {fate}>"


def audit(
    scene: SceneLike | Run,
    out: Optional[str | os.PathLike[str]] = None,
    *,
    set: Optional[Mapping[str, object]] = None,
    until: Optional[float] = None,
    threads: Optional[int] = None,
    all_findings: bool = False,
    progress: bool | Tell = False,
) -> Audit:
    """Audits a scene, a run or a run directory as the command does.

    The run is made again with half and a quarter of the step, a tenth of the tolerance, the other
    activation rule or integrator, and from positions moved by 1e-12 of the size. Nothing is written
    without ``out``.

    >>> found = percuss.audit("pendulum", until=0.3)
    >>> found.runs["half_step"]["certificate"]["ok"]
    True
    """
    values = dict(set or {})
    if until is not None:
        values["run.until"] = until
    found = _scene(scene, values)
    place = None if out is None else os.fspath(out)
    tell, end = bar(progress, found.name)
    try:
        data, svg = _percuss.audit_scene(found, place, threads, all_findings, tell)
    finally:
        end()
    return Audit(data, svg)


def _scene(scene: SceneLike | Run, values: Mapping[str, object]) -> Scene:
    """The scene of what was given, with values."""
    if isinstance(scene, Run):
        return load(_percuss.scene_of_run(os.fspath(scene.directory)), values)
    # Built-in scenes come before folders of the same name.
    named = isinstance(scene, str) and scene in [row[0] for row in _percuss.builtin()]
    if isinstance(scene, (str, os.PathLike)) and not named and _is_folder(scene):
        return load(_percuss.scene_of_run(os.fspath(scene)), values)
    return load(scene, values)


def _is_folder(path: str | os.PathLike[str]) -> bool:
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        # The text of a scene is no path.
        return False
