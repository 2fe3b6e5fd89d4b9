"""Exact nonsmooth contact dynamics, with a certificate for every answer.

Worlds of rigid bodies, scenes and their runs, contact problems:

>>> import percuss as pc
>>> run = pc.run("ball-e05", until=0.5)
>>> run.certificate["ok"]
True
"""

from __future__ import annotations

from ._arrays import STATUS
from ._percuss import (
    Error,
    InputError,
    MachineError,
    NotConverged,
    Problem,
    Scene,
    __version__,
)
from ._problems import Solution, Stage, problem, solve, solvers
from ._runs import Drawing, Run, check, load, open, resume, run, verify
from ._scenes import Example, examples
from ._tables import Table
from ._world import Course, State, World

__all__ = [
    "STATUS",
    "Course",
    "Drawing",
    "Error",
    "Example",
    "InputError",
    "MachineError",
    "NotConverged",
    "Problem",
    "Run",
    "Scene",
    "Solution",
    "Stage",
    "State",
    "Table",
    "World",
    "__version__",
    "check",
    "examples",
    "load",
    "open",
    "problem",
    "resume",
    "run",
    "solve",
    "solvers",
    "verify",
]
