"""Arguments that are not right: named, with what was expected; nothing crashes the interpreter."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
import percuss as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

NAN = float("nan")
EYE = np.eye(3)


def started() -> pc.World:
    w = pc.World(gravity=[0, -1])
    w.material("m", density=1)
    w.law()
    w.disc(0.1, position=[0, 1], name="d")
    return w


WRONG: list[tuple[str, Callable[[], Any]]] = [
    ("dimension", lambda: pc.World(dimension=4)),
    ("gravity", lambda: pc.World(gravity=[0, NAN])),
    ("gravity", lambda: pc.World(gravity=[0, 0, -1])),
    ("gravity", lambda: pc.World(gravity=9.81)),  # type: ignore[arg-type]
    ("step", lambda: pc.World(step=None)),  # type: ignore[arg-type]
    ("step", lambda: pc.World(step=float("inf"))),
    ("threads", lambda: pc.World(threads=0)),
    ("parameters", lambda: pc.World(parameters=3)),  # type: ignore[arg-type]
    ("radius", lambda: started().disc("", position=[0, 3])),
    ("radius", lambda: started().disc(NAN)),
    ("radius", lambda: started().disc([1])),
    ("radius", lambda: started().disc()),  # type: ignore[call-arg]
    ("position", lambda: started().disc(0.1, position=[0, 0, 0])),
    ("position", lambda: started().disc(0.1, position="here")),
    ("velocity", lambda: started().disc(0.1, velocity=[NAN, 0])),
    ("fixed", lambda: started().disc(0.1, fixed="yes")),
    ("name", lambda: started().disc(0.1, name="7up")),
    ("material", lambda: started().disc(0.1, material=7)),
    ("material", lambda: pc.World().disc(0.1)),
    ("vertices", lambda: started().polygon([[0, 0], [1, NAN], [0, 1]])),
    ("vertices", lambda: started().polygon([[0, 0, 0]])),
    ("vertices", lambda: started().polygon("square")),
    ("size", lambda: started().box([1])),
    ("motion", lambda: started().half_plane(motion=3)),
    ("friction", lambda: started().law(friction=object())),
    ("positions", lambda: started().discs([[0, 0, 0]], 1)),
    ("positions", lambda: started().discs([[0, NAN]], 1)),
    ("radii", lambda: started().discs([[0, 0]], [1, 2])),
    ("radii", lambda: started().discs([[0, 0]], -1)),
    ("sphere", lambda: started().sphere(1)),
    ("count", lambda: started().step(-1)),
    ("count", lambda: started().step("many")),  # type: ignore[arg-type]
    ("until", lambda: started().run()),
    ("until", lambda: started().run(until=-1)),
    ("until", lambda: started().run(until=NAN)),
    ("until", lambda: started().run(until="late")),  # type: ignore[arg-type]
    ("duration", lambda: started().run(duration=0)),
    ("every", lambda: started().run(until=1, every=0)),
    ("callback", lambda: started().run(until=1, callback=3)),  # type: ignore[arg-type]
    ("observe", lambda: started().run(until=1, observe="kinetic")),
    ("velocities", lambda: started().set_velocities([[1, 2, 3]])),
    ("velocities", lambda: started().set_velocities([[1, NAN]])),
    ("spins", lambda: started().set_velocities([[1, 0]], [[1, 2]])),
    ("state", lambda: started().restore(b"xyz")),  # type: ignore[arg-type]
    ("state", lambda: started().restore(pc.State(0.0, 2, 1, b"xyz"))),
    ("expression", lambda: started().observe(7)),  # type: ignore[arg-type]
    ("name", lambda: started().index("nobody")),
    ("scene", lambda: pc.run(7)),  # type: ignore[arg-type]
    ("set", lambda: pc.run("wall", set={"until": [1]})),
    ("threads", lambda: pc.run("ball-e05", threads=0)),
    ("W", lambda: pc.solve([[1.0]], [1.0, 2.0, 3.0], 0.3)),
    ("W", lambda: pc.solve(EYE * NAN, [1.0, 2.0, 3.0], 0.3)),
    ("W", lambda: pc.solve("no file"[:0] or object(), [1.0, 2.0, 3.0], 0.3)),
    ("b", lambda: pc.solve(EYE)),
    ("b", lambda: pc.solve(EYE, [1.0, NAN, 0.0], 0.3)),
    ("b", lambda: pc.solve(EYE, "b", 0.3)),
    ("mu", lambda: pc.solve(EYE, [1.0, 2.0, 3.0])),
    ("mu", lambda: pc.solve(EYE, [1.0, 2.0, 3.0], -0.1)),
    ("mu", lambda: pc.solve(EYE, [1.0, 2.0, 3.0], [0.1, 0.2])),
    ("solver", lambda: pc.solve(EYE, [1.0, 2.0, 3.0], 0.3, solver="magic")),
    ("tolerance", lambda: pc.solve(EYE, [1.0, 2.0, 3.0], 0.3, tolerance=0)),
    ("measure", lambda: pc.solve(EYE, [1.0, 2.0, 3.0], 0.3, measure="r3")),
    ("start", lambda: pc.solve(EYE, [1.0, 2.0, 3.0], 0.3, start=[1.0])),
]


@pytest.mark.parametrize(("argument", "call"), WRONG, ids=[f"{i}-{a}" for i, (a, _) in enumerate(WRONG)])
def test_a_wrong_argument_is_named(argument: str, call: Callable[[], Any]) -> None:
    with pytest.raises((pc.InputError, TypeError), match=argument):
        call()


def test_what_the_reader_refuses_has_the_text_of_the_command() -> None:
    w = pc.World(gravity=[0, -1])
    w.material("m", density=1)
    w.law(friction=-0.5)
    w.half_plane()
    w.disc(0.1, position=[0, 1], name="d")
    with pytest.raises(pc.InputError, match=r"^World: law.*`friction = -0.5`"):
        w.step()
    w = started()
    w.disc(-1, position=[3, 0], name="bad")
    with pytest.raises(pc.InputError, match=r"^World: body `bad`.*disc"):
        w.build()
    w = started()
    w.disc(0.1, position=[0, 1.1], name="over")
    with pytest.raises(pc.InputError, match="overlap at the start: `d` and `over`"):
        w.build()


ANY = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.binary(max_size=4),
    st.lists(st.one_of(st.floats(), st.text(max_size=3)), max_size=4),
    st.lists(st.lists(st.floats(), max_size=3), max_size=4),
    st.dictionaries(st.text(max_size=4), st.floats(), max_size=2),
    st.builds(np.array, st.lists(st.floats(), max_size=4)),
    st.just(object()),
)

SHAPES = ["disc", "box", "polygon", "capsule", "half_plane", "chain", "sphere", "polyhedron", "cylinder", "half_space"]


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    dimension=st.sampled_from([2, 3]),
    shape=st.sampled_from(SHAPES),
    arguments=st.lists(ANY, min_size=1, max_size=2),
    keys=st.dictionaries(
        st.sampled_from(["position", "velocity", "angle", "spin", "mass", "motion", "force", "name", "quaternion", "fixed", "free"]),
        ANY,
        max_size=3,
    ),
)
def test_bodies_of_anything_raise_or_move(dimension: int, shape: str, arguments: list[Any], keys: dict[str, Any]) -> None:
    w = pc.World(dimension=dimension, step=1e-3)
    w.material("m", density=1)
    w.law(friction=0.3)
    try:
        getattr(w, shape)(*arguments, **keys)
        w.step(2)
        assert np.isfinite(w.positions).all()
    except (pc.Error, TypeError):
        pass


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(w=ANY, b=ANY, mu=ANY, start=ANY)
def test_problems_of_anything_raise_or_answer(w: Any, b: Any, mu: Any, start: Any) -> None:
    try:
        pc.solve(w, b, mu, start=start, max_iterations=10)
    except (pc.Error, TypeError):
        pass


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(text=st.text(max_size=60), keys=st.dictionaries(st.text(max_size=6), ANY, max_size=3))
def test_scenes_of_anything_raise(text: str, keys: dict[str, Any]) -> None:
    with pytest.raises((pc.Error, TypeError)):
        pc.run("\n" + text, set=keys)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(data=st.binary(max_size=200))
def test_states_of_anything_raise(data: bytes) -> None:
    w = started()
    with pytest.raises(pc.Error):
        w.restore(pc.State(0.0, 2, 1, data))
    w.step()
