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
from ._functions import FunctionMechanism, mechanism, study
from ._mechanism import Mechanism
from ._scenes import Example, examples
from ._sweeping import Path, Sweep, sweep
from ._trajectory import Stopped, Study, Trajectory

__all__ = [
    "Error",
    "Example",
    "FunctionMechanism",
    "InputError",
    "MachineError",
    "Mechanism",
    "NotConverged",
    "Path",
    "Scene",
    "Stopped",
    "Study",
    "Sweep",
    "Trajectory",
    "__version__",
    "examples",
    "mechanism",
    "study",
    "sweep",
]
