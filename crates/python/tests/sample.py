"""A program as a user would type it; checked by mypy, run by the tests."""

from __future__ import annotations

import numpy as np
import percuss as pc


def main() -> float:
    world = pc.World(dimension=2, gravity=[0, -9.81], step=1e-3, parameters={"mu": 0.4})
    stone = world.material("stone", density=2400)
    world.law(stone, stone, friction="mu")
    world.half_plane([0, 1], motion=lambda t: [0.02 * np.sin(20 * t), 0.0], name="ground")
    world.wall(block=[0.6, 0.4], courses=4, length=1.8, origin=[-0.9, 0.0])

    heights: list[float] = []
    course = world.run(
        until=0.1, observe=["top_wall"], callback=lambda w: heights.append(float(w.positions[:, 1].max()))
    )
    assert len(heights) == len(course.t) - 1
    contacts = world.contacts
    sliding = contacts[contacts["status"] == pc.STATUS.index("slip")]
    print(world, len(sliding), course.certificate["ok"])

    solution: pc.Solution = pc.solve(np.eye(3), [-1.0, 0.5, 0.0], mu=0.3)
    table: pc.Table = pc.run("ball-e05", until=0.2).tables["steps"]
    return float(solution.r[0]) + float(table["h"][0])


if __name__ == "__main__":
    main()
