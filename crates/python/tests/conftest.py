"""Worlds that several tests use."""

from __future__ import annotations

from typing import Iterator

import percuss as pc
import pytest

from world_hashes import WorldHashes


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--world-hashes", choices=("write", "compare"), help="hashes of the last states of all worlds")


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_HASHES] = WorldHashes() if config.getoption("--world-hashes") else None


@pytest.fixture(autouse=True)
def _hash_worlds(request: pytest.FixtureRequest) -> Iterator[None]:
    yield
    hashes = request.config.stash[_HASHES]
    if hashes is not None:
        hashes.end_of_test(request.node.nodeid.rsplit("/", 1)[-1])


def pytest_sessionfinish(session: pytest.Session) -> None:
    hashes = session.config.stash[_HASHES]
    if hashes is None:
        return
    if session.config.getoption("--world-hashes") == "write":
        print("\n" + hashes.write())
        return
    differences = hashes.differences()
    print(f"\nworld hashes of {len(hashes.found)} tests compared, {len(differences)} differ")
    print("\n".join(differences))
    if differences:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


_HASHES = pytest.StashKey["WorldHashes | None"]()


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
