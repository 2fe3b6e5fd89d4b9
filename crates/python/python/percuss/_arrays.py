"""Data types of structured arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

#: What the numbers of ``status`` mean.
STATUS = ("open", "stick", "slip")


def contact_type(dimension: int) -> np.dtype[Any]:
    """The record of a contact: bodies, place, normal from ``a`` to ``b``, impulse on ``b``.

    ``velocity`` is that after the step, normal first; ``force`` the mean normal force of the step.
    """
    n = dimension
    return np.dtype(
        [
            ("a", "u4"),
            ("b", "u4"),
            ("feature", "u4"),
            ("status", "u4"),
            ("gap", "f8"),
            ("position", "f8", (n,)),
            ("normal", "f8", (n,)),
            ("impulse", "f8", (n,)),
            ("normal_impulse", "f8"),
            ("force", "f8"),
            ("velocity", "f8", (n,)),
        ]
    )
