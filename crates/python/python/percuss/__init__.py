"""Exact nonsmooth contact dynamics, with a certificate for every answer.

>>> import percuss as pc
>>> scene = pc.Scene.load("pendulum")
>>> scene.kind
'mechanism'
"""

from __future__ import annotations

from ._percuss import (
    Error,
    InputError,
    MachineError,
    NotConverged,
    Scene,
    __version__,
)
from . import sets
from ._assembly import Assembly, from_blocks, from_meshes, to_blocks, to_meshes
from ._functions import FunctionMechanism, mechanism, study
from ._lagrangian import from_sympy, sympy_text
from ._mechanism import Mechanism
from ._robot import Robot
from ._scenes import Example, examples
from ._sweeping import Path, Sweep, sweep
from ._trajectory import Stopped, Study, Trajectory
from ._urdf import from_urdf, read_urdf, to_urdf

__all__ = [
    "Assembly",
    "Error",
    "Example",
    "FunctionMechanism",
    "InputError",
    "MachineError",
    "Mechanism",
    "NotConverged",
    "Path",
    "Robot",
    "Scene",
    "Stopped",
    "Study",
    "Sweep",
    "Trajectory",
    "__version__",
    "examples",
    "from_blocks",
    "from_meshes",
    "from_sympy",
    "from_urdf",
    "mechanism",
    "read_urdf",
    "sets",
    "study",
    "sweep",
    "sympy_text",
    "to_blocks",
    "to_meshes",
    "to_urdf",
]
