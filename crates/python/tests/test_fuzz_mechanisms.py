"""Whatever is given to constructors, an exception of the package or a result comes out."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import percuss as pc
from percuss import sets

SETTINGS = settings(
    max_examples=120, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck)
)

numbers = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True), st.integers(-(2**70), 2**70), st.booleans(), st.none()
)
words = st.one_of(st.text(max_size=12), st.sampled_from(["z", "z_dot", "sin(z)", "1/z", "t", "("]))
values = st.recursive(
    st.one_of(numbers, words, st.binary(max_size=4)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(words, inner, max_size=4), st.tuples(inner, inner)
    ),
    max_leaves=8,
)
arrays = st.one_of(
    values,
    st.lists(st.floats(-1e3, 1e3), max_size=4).map(np.array),
    st.lists(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=2), max_size=4).map(np.array),
    st.just(np.full((2, 2), np.nan)),
    st.just(np.array(["a"])),
)


def survives(call):
    """Runs it; only exceptions of the package may come out."""
    try:
        call()
    except pc.Error as error:
        assert str(error), "an exception says what is wrong"


@SETTINGS
@given(values, values, values, values, st.dictionaries(words, values, max_size=3))
def test_mechanisms(coordinates, kinetic, contacts, step, keys):
    survives(lambda: pc.Mechanism(coordinates, kinetic))
    survives(lambda: pc.Mechanism({"z": 1.0}, "z_dot^2", kinetic, contacts=contacts))
    survives(lambda: pc.Mechanism({"z": 1.0}, "z_dot^2", parameters=keys, contacts={"c": keys}))
    plain = pc.Mechanism({"z": 1.0}, "z_dot^2")
    if not isinstance(step, float) or step > 1e-3:
        survives(lambda: plain.run(until=0.01, step=step))
    survives(lambda: plain.run(until=0.01, step=1e-2, set=keys or None))


@SETTINGS
@given(arrays, arrays, values, values)
def test_functions(mass, force, coordinates, options):
    survives(lambda: pc.mechanism(coordinates, mass, lambda t, q, u: force))
    survives(lambda: pc.mechanism({"x": 0.0}, mass, lambda t, q, u: force).run(0.02, 0.01))
    survives(lambda: pc.mechanism({"x": 1.0}, np.eye(1), lambda t, q, u: [0.0], gaps=[lambda q: force]))
    survives(lambda: pc.mechanism({"x": 1.0}, np.eye(1), lambda t, q, u: [0.0], contacts=options))


@SETTINGS
@given(arrays, arrays, arrays, arrays)
def test_sweeps(a, b, start, metric):
    for make in (sets.Polyhedron, sets.Ball, sets.Box, sets.Segment, sets.Ellipsoid, sets.HalfSpace):
        survives(lambda: pc.sweep(make(a, b), start, 0.02, 0.01, metric=metric))
        survives(lambda: pc.sweep(make(lambda t: a, lambda t: b), start, 0.02, 0.01, project=True))
    survives(lambda: pc.sweep(sets.Discs(a), start, 0.02, 0.01))
    survives(lambda: sets.Polytope(a))


@SETTINGS
@given(arrays, arrays, values)
def test_blocks(vertices, faces, options):
    survives(lambda: pc.from_blocks([(vertices, faces)]))
    survives(lambda: pc.from_blocks(vertices))
    survives(lambda: pc.from_blocks([{"vertices": vertices, "faces": faces, "data": options}]))


@SETTINGS
@given(st.text(max_size=60), st.lists(st.sampled_from(
    ["<robot>", "</robot>", '<link name="a">', "</link>", "<inertial>", "</inertial>", '<mass value="1"/>',
     '<mass value="x"/>', "<collision>", "</collision>", "<geometry>", "</geometry>", '<box size="1 1 1"/>',
     '<sphere radius="nan"/>', '<joint name="j" type="revolute">', "</joint>", '<parent link="a"/>',
     '<child link="a"/>', '<inertia ixx="1" iyy="1" izz="1"/>', '<limit lower="2" upper="1"/>']), max_size=12))
def test_robots(text, pieces):
    survives(lambda: pc.read_urdf("<" + text))
    survives(lambda: pc.read_urdf("<robot>" + "".join(pieces) + "</robot>"))


def test_a_closed_interpreter_is_not_needed_to_say_so():
    # The fuzz above would pass if nothing ever succeeded: something must.
    assert pc.mechanism({"x": 0.0}, np.eye(1), lambda t, q, u: [0.0]).run(0.02, 0.01).certificate["ok"]
    with pytest.raises(pc.InputError):
        pc.Mechanism(3, 3)
