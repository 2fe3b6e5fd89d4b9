"""Exact nonsmooth contact dynamics, with a certificate for every answer.

Worlds of rigid bodies, scenes and their runs, contact problems:

>>> import percuss as pc
>>> run = pc.run("ball-e05", until=0.5)
>>> run.certificate["ok"]
True
"""

from __future__ import annotations

from . import sets
from ._arrays import STATUS
from ._assembly import Assembly, from_blocks, from_meshes, to_blocks, to_meshes
from ._audit import Audit, audit
from ._functions import FunctionMechanism, mechanism, study
from ._lagrangian import from_sympy, sympy_text
from ._mechanism import Mechanism
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
from ._robot import Robot
from ._runs import Drawing, Run, check, load, open, resume, run, verify
from ._scenes import Example, examples
from ._sweeping import Sweep, SweepPath, sweep
from ._tables import Table
from ._trajectory import Stopped, Study, Trajectory
from ._urdf import from_urdf, read_urdf
from ._warnings import CertificateWarning
from ._world import Course, State, World
from ._writer import to_urdf

__all__ = [
    "STATUS",
    "Assembly",
    "Audit",
    "CertificateWarning",
    "Course",
    "Drawing",
    "Error",
    "Example",
    "FunctionMechanism",
    "InputError",
    "MachineError",
    "Mechanism",
    "NotConverged",
    "Problem",
    "Robot",
    "Run",
    "Scene",
    "Solution",
    "Stage",
    "State",
    "Stopped",
    "Study",
    "Sweep",
    "SweepPath",
    "Table",
    "Trajectory",
    "World",
    "__version__",
    "audit",
    "check",
    "examples",
    "from_blocks",
    "from_meshes",
    "from_sympy",
    "from_urdf",
    "load",
    "mechanism",
    "open",
    "problem",
    "read_urdf",
    "resume",
    "run",
    "sets",
    "solve",
    "solvers",
    "study",
    "sweep",
    "sympy_text",
    "to_blocks",
    "to_meshes",
    "to_urdf",
    "verify",
]
