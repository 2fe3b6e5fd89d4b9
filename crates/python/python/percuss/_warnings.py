"""What is not as it should be in a motion, as Python's warnings."""

from __future__ import annotations

import warnings
from collections.abc import Iterable


class CertificateWarning(UserWarning):
    """A certificate is not met, or a motion is not what it seems: the message says where and when."""


def warn_renamed(sentences: Iterable[str], stacklevel: int = 3) -> None:
    """Warns once for each sentence about a word of an earlier version, where the caller's caller is."""
    for sentence in sentences:
        warnings.warn(sentence, FutureWarning, stacklevel=stacklevel)


def warn(sentences: Iterable[str], stacklevel: int = 3) -> None:
    """Warns once for each sentence, where the caller's caller is."""
    for sentence in sentences:
        warnings.warn(sentence, CertificateWarning, stacklevel=stacklevel)
