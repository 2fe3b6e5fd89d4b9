"""The built-in scenes."""

from __future__ import annotations

from typing import NamedTuple

from . import _percuss


class Example(NamedTuple):
    """A built-in scene."""

    name: str
    title: str
    source: str


def examples() -> list[Example]:
    """The built-in scenes, sorted by name.

    >>> "wall" in [example.name for example in examples()]
    True
    """
    return [Example(*row) for row in _percuss.builtin()]
