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
from ._scenes import Example, examples

__all__ = [
    "Error",
    "Example",
    "InputError",
    "MachineError",
    "NotConverged",
    "Scene",
    "__version__",
    "examples",
]
