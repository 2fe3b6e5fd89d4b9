"""How far a run is, on one line of the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Optional

#: What hears of progress: share done, time reached, words.
Tell = Callable[[float, float, str], None]


class Bar:
    """A bar on standard error; nothing is left of it at the end."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.width = 0

    def __call__(self, share: float, t: float, words: str) -> None:
        share = min(max(share, 0.0), 1.0)
        full = round(24 * share)
        line = f"{self.name} [{'#' * full}{'.' * (24 - full)}] {100 * share:3.0f} %"
        if t == t:
            line += f"  t = {t:.4g}"
        if words:
            line += f"  {words}"
        self.width = max(self.width, len(line))
        sys.stderr.write("\r" + line.ljust(self.width))
        sys.stderr.flush()

    def close(self) -> None:
        if self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")
            sys.stderr.flush()


def bar(progress: bool | Tell, name: str) -> tuple[Optional[Tell], Callable[[], None]]:
    """What hears of progress, and what ends it."""
    if callable(progress):
        return progress, lambda: None
    if not progress:
        return None, lambda: None
    made = Bar(name)
    return made, made.close
