"""What Python costs: the wall of equal blocks against the command, a callback at every step, import.

    python crates/python/benches/cost.py [PATH OF THE COMMAND]

Runs are interleaved and the least processor time of each is taken, that of children included: other work
on the machine then hardly matters. Bounds: the wall 1.05, the callback 1.05 at 1,000 bodies, import 0.3 s.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable

import numpy as np
import percuss as pc

ROUNDS = 5


def spent() -> float:
    """Processor time of this process, its threads and its children."""
    return sum(os.times()[:4])


def timed(call: Callable[[], object]) -> float:
    begin = spent()
    call()
    return spent() - begin


def least(calls: dict[str, Callable[[], object]]) -> dict[str, float]:
    best = {name: float("inf") for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            best[name] = min(best[name], timed(call))
    return best


def wall(command: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        count = [0]

        def place() -> str:
            count[0] += 1
            return str(Path(folder) / f"run{count[0]}")

        until = "0.3"
        by_command = [command, "run", "wall-perfect", "--set", f"until={until}", "--threads", "1", "--quiet", "--no-findings"]
        best = least(
            {
                "command": lambda: subprocess.run([*by_command, "-o", place()], check=True, stdout=subprocess.DEVNULL),
                "Python": lambda: pc.run("wall-perfect", place(), until=float(until), threads=1, findings=False),
            }
        )
    ratio = best["Python"] / best["command"]
    print(f"wall: command {best['command']:.3f} s, Python {best['Python']:.3f} s, ratio {ratio:.3f}")


def settled() -> tuple[pc.World, pc.State]:
    """1,000 discs at rest in a box, and where they are."""
    w = pc.World(gravity=[0, -9.81], step=1e-3, tolerance=1e-4)
    w.material("grain", density=1000)
    w.law(friction=0.3)
    w.half_plane([0, 1])
    w.half_plane([1, 0], position=[0, 0])
    w.half_plane([-1, 0], position=[0.8, 0])
    w.deposit(radius={"uniform": [0.008, 0.012]}, count=1000, low=[0, 0], high=[0.8, 2], seed=1)
    w.step(20)
    return w, w.state


def callback() -> None:
    w, state = settled()
    sums = np.zeros(2)

    def look(world: pc.World) -> None:
        sums[:] += world.positions.sum(axis=0)

    def run(call: Callable[[pc.World], object] | None) -> None:
        w.restore(state)
        w.run(duration=0.03, callback=call)

    best = least({"plain": lambda: run(None), "callback": lambda: run(look)})
    ratio = best["callback"] / best["plain"]
    print(f"callback, 1,000 bodies: {best['plain']:.3f} s without, {best['callback']:.3f} s with, ratio {ratio:.3f}")


def imports() -> None:
    def run(code: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    best = least({"nothing": run("pass"), "numpy": run("import numpy"), "percuss": run("import percuss")})
    print(
        f"import: {best['percuss'] - best['nothing']:.3f} s, of which NumPy "
        f"{best['numpy'] - best['nothing']:.3f} s"
    )


if __name__ == "__main__":
    found = sys.argv[1] if len(sys.argv) > 1 else shutil.which("percuss")
    imports()
    callback()
    if found:
        wall(found)
    else:
        print("wall: name the command percuss to compare with it")
