"""The last states of the worlds that the tests make, as hashes: what a change that must not change a bit is held against.

``pytest crates/python/tests --world-hashes=compare`` (or ``write``). ``world_hashes.txt`` has a line for each test that
makes worlds. Tests with random input are left out. Compare on the machine that wrote the file: hashes depend on the C
library's elementary functions.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import percuss as pc

FILE = Path(__file__).with_name("world_hashes.txt")
HEAD = "# Made by pytest --world-hashes=write: TEST HASH, see world_hashes.py\n"

# Hypothesis draws other input each time.
RANDOM = "fuzz"


class WorldHashes:
    """Hashes time, positions, velocities, rotations and spins of every built world at the end of its test."""

    def __init__(self) -> None:
        self.worlds: list[pc.World] = []
        self.found: dict[str, str] = {}
        made, build = self.worlds, pc.World.build

        def remembered(world: pc.World, *args: Any, **kwargs: Any) -> pc.World:
            new = world._built is None
            build(world, *args, **kwargs)
            if new:
                made.append(world)
            return world

        pc.World.build = remembered  # type: ignore[method-assign]

    def end_of_test(self, name: str) -> None:
        """Hashes the worlds of the test that has ended."""
        worlds, hashed = list(self.worlds), hashlib.sha256()
        self.worlds.clear()
        if not worlds or RANDOM in name:
            return
        for world in worlds:
            hashed.update(repr(world.time).encode())
            turned = world.angles if world.dimension == 2 else world.quaternions
            for array in (world.positions, world.velocities, turned, world.spins):
                hashed.update(array.tobytes())
        self.found[name] = hashed.hexdigest()[:16]

    def write(self) -> str:
        """Writes the file."""
        lines = "".join(f"{name} {value}\n" for name, value in sorted(self.found.items()))
        FILE.write_text(HEAD + lines)
        return f"world hashes of {len(self.found)} tests written"

    def differences(self) -> list[str]:
        """What is not as in the file; tests that did not run are not compared."""
        lines = [line.rsplit(" ", 1) for line in FILE.read_text().splitlines() if not line.startswith("#")]
        kept = {name: value for name, value in lines}
        wrong = [f"{name}: other bits than those in {FILE.name}" for name, value in self.found.items()
                 if kept.get(name, value) != value]
        new = [f"{name}: not in {FILE.name}; pytest --world-hashes=write" for name in self.found if name not in kept]
        return wrong + new
