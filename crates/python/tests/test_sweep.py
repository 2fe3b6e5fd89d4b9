"""Sweeping processes, of expressions and of arrays."""

import math

import numpy as np
import pytest

import percuss as pc
from percuss import sets


def test_play_of_expressions_and_of_arrays_is_the_same():
    written = pc.Sweep({"x": 0.0}, {"left": "x - sin(t) + 0.3", "right": "sin(t) + 0.3 - x"})
    first = written.run(until=4.0, step=1e-2)
    box = sets.Box(lambda t: [math.sin(t) - 0.3], lambda t: [math.sin(t) + 0.3])
    rows = sets.Polyhedron(
        [[1.0], [-1.0]],
        lambda t: [0.3 + math.sin(t), 0.3 - math.sin(t)],
        rates=lambda t: [math.cos(t), -math.cos(t)],
    )
    for moving in (box, rows):
        second = pc.sweep(moving, [0.0], until=4.0, step=1e-2)
        # Both project exactly onto the same intervals at the same instants.
        np.testing.assert_allclose(first["x"], second.u[:, 0], atol=1e-12)
        assert second.account["ok"]


def test_loads_push_the_point_back():
    rows = sets.Polyhedron([[1.0, 0.0]], lambda t: [-t])
    path = pc.sweep(rows, [0.0, 0.5], until=1.0, step=0.1)
    # u_F - u_I = -Σ λ G: each step moves by the step.
    np.testing.assert_allclose(path.loads[:, 0], 0.1, atol=1e-12)
    np.testing.assert_allclose(path.u[-1], [-1.0, 0.5], atol=1e-12)


def tractrix(t):
    """A point pushed by a unit disc whose centre moves along x with velocity 1."""
    angle = 2 * math.atan(math.tan(math.atan2(0.8, -0.6) / 2) * math.exp(t))
    return np.array([t + math.cos(angle), math.sin(angle)])


@pytest.mark.parametrize(
    ("how", "order"),
    [
        ({}, 1),
        ({"method": "trapezoidal"}, 1),
        ({"method": "theta", "theta": 0.5}, 2),
    ],
)
def test_methods_have_their_orders(how, order):
    errors = []
    for step in (0.02, 0.01, 0.005):
        disc = sets.Ball([0.0, 0.0], 1.0).moved(lambda t: [t, 0.0])
        path = pc.sweep(disc, [-0.6, 0.8], until=1.0, step=step, **how)
        errors.append(np.linalg.norm(path.u[-1] - tractrix(1.0)))
    seen = np.polyfit(np.log([0.02, 0.01, 0.005]), np.log(errors), 1)[0]
    assert abs(seen - order) < 0.35


def test_smooth_sets_go_by_events_and_by_penalty():
    disc = sets.Smooth(lambda t, x: [(x[0] - t) ** 2 + x[1] ** 2 - 1], 2)
    precise = pc.sweep(disc, [-0.6, 0.8], until=1.0, step=0.1, method="event")
    # The referee integrates to 1e-10 or so.
    assert np.linalg.norm(precise.u[-1] - tractrix(1.0)) < 1e-7
    soft = pc.sweep(disc, [-0.6, 0.8], until=1.0, step=1e-3, method="regularised", penalty=1e3)
    # |u_λ - u| <= √(∫|u'|²/2λ).
    assert np.linalg.norm(soft.u[-1] - tractrix(1.0)) < math.sqrt(1 / 2e3)


def test_variation_stays_within_the_retraction():
    disc = sets.Ball([0.0, 0.0], 0.5).moved(lambda t: [math.cos(t), math.sin(t)])
    path = pc.sweep(disc, [1.0, 0.0], until=6.0, step=1e-2)
    assert path.account["within_bound"] is True
    # An arc is longer than its chords: the bound is at most the way of the centre.
    assert path.account["bound"] <= 6.0 + 1e-9
    shaped = sets.Bounded(sets.Ball(lambda t: [t, 0.0], 1.0), lambda s, t: t - s)
    assert pc.sweep(shaped, [-0.6, 0.8], until=1.0, step=1e-2).account["within_bound"] is True


def test_drift_metric_and_start_outside():
    wall = sets.HalfSpace([1.0, 0.0], 0.0)
    path = pc.sweep(wall, [-1.0, 0.0], until=2.0, step=1e-2, drift=lambda t, u: [1.0, 0.5])
    np.testing.assert_allclose(path.u[-1], [0.0, 1.0], atol=1e-9)
    slanted = sets.Polyhedron([[1.0, 1.0]], [0.0])
    with pytest.raises(pc.InputError, match="outside"):
        pc.sweep(slanted, [1.0, 1.0], until=1.0, step=0.5)
    # In the metric diag(1, 4) the nearest point goes along A⁻¹(1, 1).
    near = pc.sweep(slanted, [1.0, 1.0], until=1.0, step=0.5, project=True, metric=[1.0, 4.0])
    np.testing.assert_allclose(near.u[0], np.array([1, 1]) - 2 / 1.25 * np.array([1, 0.25]), atol=1e-9)
    full = pc.sweep(slanted, [1.0, 1.0], until=1.0, step=0.5, project=True, metric=[[1.0, 0.0], [0.0, 4.0]])
    np.testing.assert_allclose(near.u, full.u, atol=1e-9)


def test_discs_never_overlap_and_products_are_independent():
    rng = np.random.default_rng(1)
    centres = np.array([[x, y] for x in range(3) for y in range(3)], dtype=float)
    centres += 0.05 * rng.random(centres.shape)
    discs = sets.Discs([0.4] * 9, walls=lambda t: [[1.0, 0.0, -1.0 + 0.5 * t], [-1.0, 0.0, -3.0]])
    path = pc.sweep(discs, centres.ravel(), until=1.5, step=1e-2)
    end = path.u[-1].reshape(9, 2)
    apart = np.linalg.norm(end[:, None] - end[None], axis=2) + 10 * np.eye(9)
    # No overlap can arise, whatever the step; rounding is.
    assert apart.min() > 0.8 - 1e-9
    assert (end[:, 0] - 0.4 >= -0.25 - 1e-9).all()
    pair = sets.Product([sets.Box([-1], [1]).moved(lambda t: [t]), sets.Ball([0.0, 0.0], 1.0)])
    both = pc.sweep(pair, [0.0, 0.5, 0.5], until=3.0, step=0.1)
    np.testing.assert_allclose(both.u[-1], [2.0, 0.5, 0.5], atol=1e-9)


def test_jumps_project_and_other_sets_work():
    jumping = sets.Box([-1.0, -1.0], lambda t: [1.0, 1.0] if t < 0.5 else [0.2, 1.0])
    path = pc.sweep(jumping, [0.9, 0.0], until=1.0, step=0.1, jumps=[0.5])
    np.testing.assert_allclose(path.u[-1], [0.2, 0.0], atol=1e-12)
    for moving, start, end in (
        (sets.Point(lambda t: [t, 2 * t]), [0.0, 0.0], [1.0, 2.0]),
        (sets.Segment([0.0, 0.0], [1.0, 0.0]).moved(lambda t: [0.0, t]), [0.5, 0.0], [0.5, 1.0]),
        (sets.Ellipsoid([0.0, 0.0], [2.0, 1.0]).moved(lambda t: [4 * t, 0.0]), [0.0, 0.0], [2.0, 0.0]),
        (sets.Polytope([[0, 0], [1, 0], [0, 1.0]]).moved(angle=lambda t: math.pi * t), [0.0, 0.0], [0.0, 0.0]),
        (sets.Ball([0.0, 0.0], 1.0).moved(scale=lambda t: 2 - t), [1.9, 0.0], [1.0, 0.0]),
    ):
        path = pc.sweep(moving, start, until=1.0, step=0.05)
        np.testing.assert_allclose(path.u[-1], end, atol=1e-9)


def test_what_a_function_raises_comes_out():
    def late(t):
        if t > 0.5:
            raise KeyError("mine")
        return [0.0, 0.0]

    with pytest.raises(KeyError, match="mine"):
        pc.sweep(sets.Ball(late, 1.0), [0.0, 0.0], until=1.0, step=0.1)


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: sets.Polyhedron([1.0], [1.0]), "G"),
        (lambda: sets.Polyhedron([[1.0]], [1.0, 2.0]), "b"),
        (lambda: sets.Polyhedron([[np.nan]], [1.0]), "G"),
        (lambda: sets.Polyhedron([[1.0]], [1.0], equalities=2), "equalities"),
        (lambda: sets.Ball([0.0], [1.0, 2.0]), "radius"),
        (lambda: pc.sweep(sets.Ball([0.0], -1.0), [0.0], 1.0, 0.1), "radius"),
        (lambda: sets.Box(["a"], [1.0]), "low"),
        (lambda: sets.Discs([-1.0]), "radii"),
        (lambda: sets.Discs([1.0], walls=[[1.0]]), "walls"),
        (lambda: sets.Product([]), "factors"),
        (lambda: sets.Product([3]), "factors"),
        (lambda: sets.Smooth(lambda t, x: [abs(x[0])], 1), "analytic"),
        (lambda: pc.sweep(3, [0.0], 1.0, 0.1), "moving"),
        (lambda: pc.sweep(sets.Ball([0.0], 1.0), [0.0, 1.0], 1.0, 0.1), "start"),
        (lambda: pc.sweep(sets.Ball([0.0], 1.0), [0.0], 1.0, 0.1, method="euler"), "euler"),
        (lambda: pc.sweep(sets.Ball([0.0], 1.0), [0.0], 1.0, 0.1, method="theta"), "theta"),
        (lambda: pc.sweep(sets.Ball([0.0], 1.0), [0.0], 1.0, 0.1, penalty=1.0), "penalty"),
        (lambda: pc.sweep(sets.Ball([0.0], 1.0), [0.0], 1.0, -0.1), "step"),
        (lambda: pc.sweep(sets.Ball([0.0], 1.0), [0.0], 1.0, 0.1, metric=[-1.0]), "metric"),
        (lambda: pc.sweep(sets.Ball([0.0], 1.0), [0.0], 1.0, 0.1, drift=3), "drift"),
        (lambda: pc.sweep(sets.Ball([0.0], 1.0), [0.0], 1.0, 0.1, drift=lambda t, u: [1, 2]), "drift"),
        (lambda: pc.sweep(sets.Polyhedron([[1.0], [-1.0]], [-1.0, -1.0]), [0.0], 1.0, 0.1, project=True), "empty"),
        (lambda: pc.Sweep({"x": 0.0}, {"c": "y"}), "y"),
    ],
)
def test_what_is_wrong_is_named(call, word):
    with pytest.raises(pc.InputError, match=word):
        call()
