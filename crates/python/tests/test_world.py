"""Worlds: what is built, stepped, read and changed."""

from __future__ import annotations

import copy
import gc
import pickle

import numpy as np
import percuss as pc
import pytest

from conftest import ball_world, block_world


def test_a_free_ball_falls_as_the_midpoint_rule_says(ball: pc.World) -> None:
    ball.step(100)
    # Exact for a constant force: x = x0 + v t, z = z0 - g t^2 / 2.
    t = 0.1
    at = ball.index("ball")
    assert ball.time == pytest.approx(t, abs=1e-12)  # 100 sums of 1e-3
    # Rounding of 100 steps.
    assert ball.positions[at] == pytest.approx([t, 0, 0.5 - 5 * t**2], abs=1e-13)
    assert ball.velocities[at] == pytest.approx([1, 0, -10 * t], abs=1e-13)


def test_a_block_rests_and_its_contacts_carry_its_weight(block: pc.World) -> None:
    block.step(200)
    contacts = block.contacts
    assert contacts.shape == (2,)
    weight = 0.2 * 0.1 * 2400 * 9.81
    # The tolerance of the world is 1e-6, relative.
    assert contacts["force"].sum() == pytest.approx(weight, rel=1e-5)
    assert set(contacts["status"]) <= {0, 1, 2}
    assert pc.STATUS[contacts["status"][0]] == "stick"
    assert block.names[contacts["a"][0]] == "floor"
    assert np.allclose(contacts["normal"], [0, 1])


def test_a_block_slides_down_as_coulomb_says() -> None:
    # a = g (sin s - mu cos s), exact under the midpoint rule.
    slope, mu, g = 0.5, 0.2, 9.81
    w = pc.World(gravity=[g * np.sin(slope), -g * np.cos(slope)], step=1e-3, tolerance=1e-10)
    w.material("stone", density=1)
    w.law(friction=mu)
    w.half_plane([0, 1])
    w.box([0.2, 0.1], position=[0, 0.05], name="block")
    w.step(500)
    speed = g * (np.sin(slope) - mu * np.cos(slope)) * w.time
    # Residuals of 1e-10 a step, relative to an impulse of g h.
    assert w.velocities[w.index("block"), 0] == pytest.approx(speed, rel=1e-7)


def test_arrays_are_the_engines_own_memory(block: pc.World) -> None:
    first, second = block.velocities, block.velocities
    address = first.__array_interface__["data"][0]
    assert second.__array_interface__["data"][0] == address
    before = block.positions.copy()
    positions = block.positions
    block.set_velocities(np.array([[0, 0], [1.0, 0.0]]))
    block.step(10)
    assert block.velocities.__array_interface__["data"][0] == address
    assert not np.array_equal(before, positions)


@pytest.mark.parametrize("name", ["positions", "velocities", "spins", "angles"])
def test_writing_to_an_array_raises(block: pc.World, name: str) -> None:
    array = getattr(block, name)
    with pytest.raises(ValueError, match="read-only"):
        array[...] = 1.0
    with pytest.raises(ValueError):
        array.flags.writeable = True


def test_an_array_outlives_its_world() -> None:
    world = ball_world()
    world.step()
    positions, copied = world.positions, world.positions.copy()
    del world
    gc.collect()
    junk = [np.full(1000, 7.0) for _ in range(100)]
    assert np.array_equal(positions, copied)
    del junk


def test_a_million_velocities_are_not_copied() -> None:
    n = 100
    grid = np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    w = pc.World(dimension=3, step=1e-3)
    w.material("grain", density=1)
    w.law()
    w.spheres(grid * 1.0, 0.4)
    velocities = w.velocities
    assert velocities.shape == (1_000_000, 3)
    assert w.velocities.__array_interface__["data"][0] == velocities.__array_interface__["data"][0]
    assert velocities.base is not None and not velocities.flags.owndata


def test_rotations_are_unit_quaternions_in_the_order_they_say(ball: pc.World) -> None:
    w = pc.World(dimension=3, step=1e-3)
    w.material("m", density=1)
    w.law()
    w.box([1, 2, 3], quaternion=[np.cos(0.3), 0, 0, np.sin(0.3)], name="b")
    assert w.quaternions[0] == pytest.approx([np.cos(0.3), 0, 0, np.sin(0.3)], abs=1e-15)
    assert w.rotations[0] == pytest.approx([0, 0, np.sin(0.3), np.cos(0.3)], abs=1e-15)


def test_a_restored_state_goes_on_with_the_same_bits() -> None:
    world = block_world(friction=0.3)
    world.step(1)
    world.set_velocities(np.array([[0, 0], [0.7, 0.4]]), [0, 2.0])
    world.step(50)
    kept = pickle.loads(pickle.dumps(copy.deepcopy(world.state)))
    address = world.positions.__array_interface__["data"][0]
    world.step(100)
    end = (world.positions.copy(), world.velocities.copy(), world.angles.copy())
    world.restore(kept)
    assert world.time == kept.t
    assert world.positions.__array_interface__["data"][0] == address
    world.step(100)
    assert np.array_equal(world.positions, end[0])
    assert np.array_equal(world.velocities, end[1])
    assert np.array_equal(world.angles, end[2])


def test_a_world_and_its_scene_file_move_alike(tmp_path: object) -> None:
    world = block_world(friction=0.1, title="block")
    world.discs([[0.5, 0.1], [0.8, 0.25]], [0.1, 0.05], name="grains")
    text = world.to_scene(until=0.2)
    run = pc.run(text)
    world.run(until=0.2)
    table = run.tables["bodies"]
    last = table["step"] == table["step"].max()
    assert np.array_equal(table["x"][last], world.positions[:, 0])
    assert np.array_equal(table["y"][last], world.positions[:, 1])


def test_generators_make_the_bodies_of_the_scene_language() -> None:
    w = pc.World(gravity=[0, -9.81], step=1e-3)
    w.material("stone", density=2400)
    w.law(friction=0.5)
    w.half_plane()
    w.wall(block=[0.6, 0.4], courses=4, length=1.8, origin=[0, 0])
    assert w.names[1:3] == ["wall_1", "wall_2"]
    assert len(w.groups["wall"]) == len(w.names) - 1
    w.step(5)
    assert w.observe("count_wall") == len(w.groups["wall"])


def test_the_blocks_of_a_wall_differ_one_by_one() -> None:
    def heights(vary: float, seed: int = 1) -> list[float]:
        w = pc.World(gravity=[0, -9.81], step=1e-3)
        w.material("stone", density=2400)
        w.law(friction=0.5)
        w.half_plane()
        w.wall(block=[0.6, 0.4], courses=2, length=1.8, vary=vary, seed=seed)
        return [w.observe(f"wall_{k}_top") - w.observe(f"wall_{k}_bottom") for k in (1, 2, 3)]

    assert len(set(heights(0.01))) == 3 and heights(0.01) == heights(0.01) != heights(0.01, 2)
    with pytest.raises(pc.InputError, match="vary"):
        heights(0.3)


def test_observables_are_those_of_findings(ball: pc.World) -> None:
    ball.step(10)
    v = ball.velocities[ball.index("ball")]
    mass = ball.masses[ball.index("ball")]
    spin_energy = 0.0
    assert ball.observe("kinetic") == pytest.approx(mass * (v @ v) / 2 + spin_energy, rel=1e-14)
    assert ball.ledger["kinetic"] == ball.observe("kinetic")
    with pytest.raises(pc.InputError, match="bal_x"):
        ball.observe("bal_x")


def test_a_motion_by_callables_is_that_of_its_expression() -> None:
    def quake(motion: object) -> pc.World:
        w = pc.World(gravity=[0, -9.81], step=1e-3)
        w.material("stone", density=2400)
        w.law(friction=0.3)
        w.half_plane(motion=motion, name="ground")
        w.box([0.2, 0.1], position=[0, 0.05], name="block")
        w.step(300)
        return w

    a, f = 0.05, 2 * np.pi * 2
    given = quake({"x": f"{a}*sin({f!r}*t)"})
    place = lambda t: [a * np.sin(f * t), 0.0]  # noqa: E731
    rate = lambda t: [a * f * np.cos(f * t), 0.0]  # noqa: E731
    # The same motion to rounding: the bits of sine and its argument may differ.
    assert quake((place, rate)).positions == pytest.approx(given.positions, abs=1e-9)
    # By central differences: of second order in the step, (f h)^2 / 24 of the velocity.
    assert quake(place).positions == pytest.approx(given.positions, abs=a * (f * 1e-3) ** 2 * 4)


def test_a_force_by_a_callable_is_that_of_its_expression() -> None:
    def pulled(**force: object) -> pc.World:
        w = pc.World(step=1e-3)
        w.material("m", density=1)
        w.law()
        w.disc(0.1, mass=2, name="d", **force)
        return w

    text = pulled(force=["-3*x", "1"])
    call = pulled(force=lambda t, x, v: np.column_stack([-3 * x[:, 0], np.ones(len(x))]))
    for w in (text, call):
        w.step(200)
    # One multiplication in another order.
    assert call.positions == pytest.approx(text.positions, abs=1e-14)


def test_what_a_callable_raises_is_raised_and_the_state_stays() -> None:
    def motion(t: float) -> list[float]:
        if t > 0.01:
            raise RuntimeError("the sensor is gone")
        return [0.0, 0.0]

    w = pc.World(gravity=[0, -1], step=1e-3)
    w.material("m", density=1)
    w.law()
    w.half_plane(motion=motion)
    w.disc(0.1, position=[0, 1])
    with pytest.raises(RuntimeError, match="the sensor is gone"):
        w.step(100)
    reached, positions = w.time, w.positions.copy()
    assert 0 < reached < 0.011
    with pytest.raises(RuntimeError):
        w.run(duration=0.1)
    assert w.time == reached and np.array_equal(positions, w.positions)


def test_a_callback_sees_every_step_and_may_stop_the_run(block: pc.World) -> None:
    seen: list[float] = []

    def look(w: pc.World) -> None:
        seen.append(w.time)
        assert w.positions.shape == (2, 2)
        assert len(w.contacts) >= 0
        if len(seen) == 20:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        block.run(until=1.0, callback=look)
    assert len(seen) == 20
    assert block.time == seen[-1]
    block.step()
    assert block.time > seen[-1]


def test_a_world_shows_itself(block: pc.World) -> None:
    assert "not built" in repr(block)
    block.step(2)
    assert "2 bodies" in repr(block)
    assert block._repr_png_().startswith(b"\x89PNG")
    assert "<svg" in block._repr_html_()
    assert "<svg" in block.drawing("forces").svg


def test_nothing_can_be_added_to_a_built_world(block: pc.World) -> None:
    block.step()
    with pytest.raises(pc.Error, match="the world is built"):
        block.disc(0.1, position=[0, 3])


def test_joints_hold() -> None:
    w = pc.World(gravity=[0, -10], step=1e-3)
    w.material("m", density=1)
    w.law()
    w.disc(0.1, position=[1, 0], name="bob")
    w.joint("revolute", "world", "bob", name="pivot", at=[0, 0])
    w.step(500)
    # The joint is held to rounding and projected after each step.
    assert np.hypot(*w.positions[0]) == pytest.approx(1.0, abs=1e-9)
    assert w.observe("pivot_force") > 0


def test_the_interpreter_is_free_while_a_world_is_stepped(block: pc.World) -> None:
    import threading
    import time

    block.step()
    thread = threading.Thread(target=block.step, args=(50_000,))
    thread.start()
    awake, refused = 0, 0
    while thread.is_alive():
        time.sleep(1e-4)
        awake += 1
        try:
            block.time
        except pc.Error as error:
            assert "being stepped" in str(error)
            refused += 1
    thread.join()
    # With the interpreter's lock held it would wake once, after the last step.
    assert awake > 5 and refused > 0
    assert block.time == pytest.approx(50.001, abs=1e-6)
