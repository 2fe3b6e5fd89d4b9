"""Runs: of scenes, of directories."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path
from typing import Any, Optional, Union

from . import _percuss
from ._percuss import InputError, Record, Scene
from ._progress import Tell, bar
from ._tables import Table
from ._text import wrong
from ._warnings import warn, warn_renamed

#: What can be run: a built-in scene by name, a file, the text of a scene, a scene.
SceneLike = Union[str, "os.PathLike[str]", Scene]


class Drawing:
    """A picture: SVG, and PNG made of it. Notebooks show it."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    @property
    def png(self) -> bytes:
        """The picture as a PNG file."""
        return _percuss.svg_to_png(self.svg)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file, ``.svg`` or ``.png``."""
        target = Path(path)
        if target.suffix == ".svg":
            target.write_text(self.svg, encoding="utf-8")
        elif target.suffix == ".png":
            target.write_bytes(self.png)
        else:
            raise wrong("path", str(path), "a file name that ends with .svg or .png")

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"<percuss.Drawing, {len(self.svg)} characters of SVG>"


class Tables(Mapping[str, Table]):
    """The tables of a run by name; each is read when it is asked for."""

    def __init__(self, record: Record, keep: object = None) -> None:
        self._record = record
        self._keep = keep

    def __getitem__(self, name: str) -> Table:
        return Table(self._record.table(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self._record.tables())

    def __len__(self) -> int:
        return len(self._record.tables())

    def __repr__(self) -> str:
        return f"<percuss.Tables: {', '.join(self)}>"


class Run:
    """A run that is recorded in a directory."""

    def __init__(
        self,
        directory: str | os.PathLike[str],
        keep: Optional[tempfile.TemporaryDirectory[str]] = None,
    ) -> None:
        self.directory = Path(directory)
        # The folder of a run without a place of its own goes when the run does.
        self._keep = keep
        self._record = Record(os.fspath(directory))
        self.manifest: dict[str, Any] = self._record.manifest()

    @property
    def scene(self) -> str:
        """Name of the scene."""
        return str(self.manifest["scene"])

    @property
    def title(self) -> str:
        """Title of the scene."""
        return str(self.manifest["title"])

    @property
    def status(self) -> str:
        """``finished``, ``running``, ``stopped`` or ``interrupted``."""
        return str(self.manifest["status"])

    @property
    def reached(self) -> Optional[float]:
        """The last instant that was recorded."""
        value = self.manifest["reached"]
        return None if value is None else float(value)

    @property
    def certificate(self) -> dict[str, Any]:
        """Worst figures over all steps; ``certificate["ok"]`` says whether they are within bounds."""
        return dict(self.manifest["certificate"] or {})

    @property
    def warnings(self) -> list[str]:
        """What is not as it should be, in sentences: what the certificate lacks, and warnings."""
        return list(self.manifest.get("warnings") or [])

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What the scene is known for, as measured."""
        return list(self.manifest["findings"] or [])

    @property
    def ok(self) -> bool:
        """Whether the run finished, its certificate is met and no finding is missed."""
        missed = any(finding["ok"] is False for finding in self.findings)
        return self.status == "finished" and bool(self.certificate.get("ok")) and not missed

    @property
    def tables(self) -> Tables:
        """The tables by name."""
        return Tables(self._record, self._keep)

    def table(self, name: str, columns: Optional[list[str]] = None) -> Table:
        """A table, or some of its columns."""
        return Table(self._record.table(name, columns))

    @property
    def plots(self) -> list[str]:
        """Names of the plots and pictures there are."""
        return [name for name, _ in self._record.pictures()]

    def drawing(
        self,
        name: str,
        at: Optional[float] = None,
        where: Optional[Mapping[str, object]] = None,
        log_x: bool = False,
        log_y: bool = False,
    ) -> Drawing:
        """A plot or picture as the command draws it."""
        only = [(key, str(value)) for key, value in (where or {}).items()]
        return Drawing(self._record.svg(name, at, only, log_x, log_y))

    def picture(self, t: Optional[float] = None) -> Drawing:
        """The bodies at the end, or at an instant."""
        return self.drawing("picture" if t is None else f"picture:{t!r}")

    def plot(self, name: str, ax: Any = None) -> Any:
        """A plot: a Matplotlib figure where Matplotlib is there, else a :class:`Drawing`.

        Pictures of bodies are drawings in any case.
        """
        try:
            plt = importlib.import_module("matplotlib.pyplot")
        except ImportError:
            if ax is not None:
                raise
            return self.drawing(name)
        # A picture of bodies has no series; what it is not is said by drawing it.
        if ax is None and not self._has_series(name):
            return self.drawing(name)
        figure = self._record.series(name)
        if ax is None:
            _, ax = plt.subplots()
        for label, x, y in figure["series"]:
            ax.plot(x, y, label=label or None, linewidth=1.2)
        ax.set_xlabel(figure["x_label"])
        ax.set_ylabel(figure["y_label"])
        ax.set_title(figure["title"])
        if figure["x_log"]:
            ax.set_xscale("log")
        if figure["y_log"]:
            ax.set_yscale("log")
        if len(figure["series"]) > 1:
            ax.legend()
        return ax.figure

    def _has_series(self, name: str) -> bool:
        try:
            self._record.series(name)
        except InputError:
            return False
        return True

    def verify(
        self,
        every: int = 1,
        steps: Optional[tuple[int, int]] = None,
        progress: bool | Tell = False,
    ) -> dict[str, Any]:
        """Recomputes gaps, laws, momentum and energy from the records; ``["ok"]`` is the verdict."""
        tell, end = bar(progress, "verifying")
        try:
            report: dict[str, Any] = self._record.verify(every, steps, tell)
        finally:
            end()
        return report

    def summary(self) -> str:
        """The run in a few lines."""
        lines = [self.title, f"{self.status} at t = {self.reached}"]
        certificate = self.certificate
        if certificate:
            verdict = "ok" if certificate.get("ok") else "NOT ok"
            steps, missed = certificate.get("steps"), certificate.get("missed")
            lines.append(f"certificate {verdict}: {steps} steps, {missed} missed their tolerance")
        for finding in self.findings:
            verdict = _verdict(finding)
            lines.append(f"  {finding['name']}: {finding['value']} {verdict}".rstrip())
        return "\n".join(lines)

    def __repr__(self) -> str:
        certificate = "ok" if self.certificate.get("ok") else "NOT ok"
        judged = [f for f in self.findings if f["ok"] is not None]
        met = sum(1 for f in judged if f["ok"])
        found = f", {met} of {len(judged)} findings ok" if judged else ""
        where = "" if self._keep else f" in {self.directory}"
        return f"<percuss.Run {self.scene}: {self.status}, certificate {certificate}{found}{where}>"

    def _repr_html_(self) -> str:
        parts = [f"<p><b>{escape(self.title)}</b>: {escape(self.status)}</p>"]
        certificate = self.certificate
        rows = "".join(
            f"<tr><td>{escape(key)}</td><td>{escape(_value(value))}</td></tr>"
            for key, value in certificate.items()
            if isinstance(value, (bool, int, float))
        )
        parts.append(f"<table><caption>certificate</caption>{rows}</table>")
        if self.findings:
            rows = "".join(
                f"<tr><td>{escape(str(f['name']))}</td><td>{escape(_value(f['value']))}</td>"
                f"<td>{_verdict(f)}</td></tr>"
                for f in self.findings
            )
            parts.append(f"<table><caption>findings</caption>{rows}</table>")
        drawing = self._look()
        if drawing is not None:
            parts.append(drawing.svg)
        return "".join(parts)

    def _look(self) -> Optional[Drawing]:
        """A picture of the bodies, or the first plot there is."""
        names = self.plots
        for name in ["picture", *names]:
            if name in names:
                try:
                    return self.drawing(name)
                except InputError:
                    continue
        return None


def _verdict(finding: Mapping[str, Any]) -> str:
    if not finding.get("applicable", True):
        return "not applicable"
    return {True: "ok", False: "NOT ok", None: ""}[finding["ok"]]


def _value(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def load(scene: SceneLike, set: Optional[Mapping[str, object]] = None, *, fast: bool = False) -> Scene:
    """A built-in scene by its name, a file, the text of a scene; with other values of its keys."""
    if isinstance(scene, Scene):
        found = scene
    elif isinstance(scene, str) and "\n" in scene:
        found = Scene.parse(scene)
    elif isinstance(scene, (str, os.PathLike)):
        path = os.fspath(scene)
        if not isinstance(path, str):
            raise wrong("scene", path, "a name, a path or a text")
        found = Scene.load(path)
    else:
        raise wrong("scene", scene, "the name of a built-in scene, a path, a text or a Scene")
    if fast:
        found = found.fast()
    if not set:
        return found
    return found.with_values([(str(key), _set(key, value)) for key, value in set.items()])


def _set(key: object, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, str)):
        return repr(float(value)) if isinstance(value, float) else str(value)
    raise wrong(f"set[{key!r}]", value, "a number, a truth value or an expression")


def run(
    scene: SceneLike,
    out: Optional[str | os.PathLike[str]] = None,
    *,
    set: Optional[Mapping[str, object]] = None,
    until: Optional[float] = None,
    threads: Optional[int] = None,
    findings: bool = True,
    fast: bool = False,
    progress: bool | Tell = False,
) -> Run:
    """Runs a scene as the command does.

    With ``fast`` it takes the settings that the scene declares for a short run, in its table ``[fast]``; those of ``set``
    win.

    Without ``out`` the records go to a temporary folder that lives as long as the :class:`Run`.
    An interruption (Ctrl-C) ends the run after a step, closes its records and raises
    ``KeyboardInterrupt``; :func:`resume` goes on with it where it has a place of its own.

    >>> run = percuss.run("ball-e05", until=0.1)
    >>> run.certificate["ok"]
    True
    """
    values = dict(set or {})
    if until is not None:
        values["until"] = until
    found = load(scene, values, fast=fast)
    keep: Optional[tempfile.TemporaryDirectory[str]] = None
    if out is None:
        keep = tempfile.TemporaryDirectory(prefix="percuss-")
        place = os.path.join(keep.name, found.name or "run")
    else:
        place = os.fspath(out)
    tell, end = bar(progress, found.name)
    try:
        directory = _percuss.run_scene(found, place, threads, findings, tell)
    finally:
        end()
    done = Run(directory, keep)
    warn_renamed(found.warnings)
    warn(sentence for sentence in done.warnings if sentence not in found.warnings)
    return done


def open(directory: str | os.PathLike[str]) -> Run:
    """The run of a directory, also of one that is under way."""
    return Run(directory)


def resume(
    directory: str | os.PathLike[str],
    *,
    threads: Optional[int] = None,
    findings: bool = True,
    force: bool = False,
    progress: bool | Tell = False,
) -> Run:
    """Goes on with a run that was killed or interrupted, to the same bits."""
    tell, end = bar(progress, "resume")
    try:
        found = _percuss.resume_run(os.fspath(directory), threads, findings, force, tell)
    finally:
        end()
    done = Run(found)
    warn(done.warnings)
    return done


def verify(directory: str | os.PathLike[str], every: int = 1) -> dict[str, Any]:
    """Recomputes gaps, laws, momentum and energy from the records of a run."""
    return open(directory).verify(every)


def check(scene: SceneLike, set: Optional[Mapping[str, object]] = None) -> Scene:
    """Reads everything of a scene and tries its first step; raises what is wrong."""
    found = load(scene, set)
    _percuss.check_scene(found)
    return found
