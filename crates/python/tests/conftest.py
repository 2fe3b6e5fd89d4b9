"""Worlds that several tests use."""

from __future__ import annotations

import percuss as pc
import pytest


def block_world(friction: float = 0.5, **settings: object) -> pc.World:
    """A block on a floor."""
    w = pc.World(dimension=2, gravity=[0, -9.81], step=1e-3, **settings)  # type: ignore[arg-type]
    w.material("stone", density=2400)
    w.law(friction=friction)
    w.half_plane([0, 1], name="floor")
    w.box([0.2, 0.1], position=[0, 0.05], name="block")
    return w


@pytest.fixture
def block() -> pc.World:
    return block_world()


def ball_world() -> pc.World:
    """A ball that falls on a floor in space."""
    w = pc.World(dimension=3, gravity=[0, 0, -10], step=1e-3)
    w.material("steel", density=7800)
    w.law(friction=0.2, restitution=0.5)
    w.half_space([0, 0, 1], name="floor")
    w.sphere(0.1, position=[0, 0, 0.5], name="ball", velocity=[1, 0, 0])
    return w


@pytest.fixture
def ball() -> pc.World:
    return ball_world()
