"""Mechanisms of expressions."""

import math

import numpy as np
import pytest

import percuss as pc


def ball(**keys):
    return pc.Mechanism(
        {"z": 1.0},
        kinetic="0.5*m*z_dot^2",
        potential="m*g*z",
        parameters={"m": 1.0, "g": 9.81, "e": 0.5},
        contacts={"floor": {"gap": "z", "restitution": "e"}},
        **keys,
    )


def test_a_dropped_ball_meets_the_floor_when_it_should():
    motion = ball().run(until=1.0, step=1e-3)
    # The instant of an impact is known to within the step.
    assert abs(motion.impacts("floor")["t"][0] - math.sqrt(2 / 9.81)) <= 1.5e-3
    assert motion.certificate["ok"]
    assert motion.q.shape == (len(motion.t), 1)
    assert motion.positions == ["z"] and motion.velocities == ["z_dot"]


def test_zenos_accumulation_is_found_by_events():
    motion = ball().run(until=2.0, step=1e-2, integrator="event")
    end = motion.events[motion.events["kind"] == "accumulation"]["t"][0]
    # Impacts are located to rounding; the sum of the rest is geometric.
    assert abs(end - 3 * math.sqrt(2 / 9.81)) < 1e-9


@pytest.mark.parametrize("integrator", ["midpoint", "theta", "paoli", "event"])
def test_all_integrators_run(integrator):
    motion = ball().run(until=0.3, step=1e-3, integrator=integrator)
    fallen = 1 - 0.5 * 9.81 * motion.t[-1] ** 2
    # First order at worst (Paoli's scheme): g t h/2.
    assert abs(motion.q[-1, 0] - fallen) < 2e-3


def test_variable_steps_and_impact_laws_are_reachable():
    step = {"tolerance": 1e-6, "smallest": 1e-5, "largest": 1e-2}
    for law in ("moreau", "canonical", "sequential", "poisson"):
        motion = ball(impact=law).run(until=0.6, step=step)
        hit = motion.impacts("floor")[0]
        # The step that has the impact is at least 1e-5 long, over which weight acts.
        assert abs(hit["after"] + 0.5 * hit["before"]) < 1e-4 * abs(hit["before"])


def test_names_and_observables_are_columns():
    motion = ball().run(until=0.2, step=1e-2)
    np.testing.assert_array_equal(motion["z"], motion.q[:, 0])
    np.testing.assert_allclose(motion["energy"], motion.energy, rtol=1e-12)
    np.testing.assert_allclose(motion["z^2 + t"], motion["z"] ** 2 + motion.t, rtol=1e-14)
    with pytest.raises(pc.InputError, match="zz"):
        motion["zz"]


def test_impulses_balance_the_weight_at_rest():
    resting = pc.Mechanism(
        {"z": 0.0}, "0.5*z_dot^2", "9.81*z", contacts={"floor": {"gap": "z"}}
    ).run(until=0.1, step=1e-3)
    impulses = resting.impulses["floor"]
    assert impulses.shape == (len(resting.t), 1)
    # A step's impulse is the weight times the step; the first may differ by how it begins.
    np.testing.assert_allclose(impulses[2:, 0], 9.81e-3, rtol=1e-9)
    assert set(resting.ledger.dtype.names) >= {"kinetic", "residual", "energy", "reached"}


def test_joints_velocity_constraints_and_nonfirm_ones_are_reachable():
    pendulum = pc.Mechanism(
        {"x": 0.6, "y": -0.8}, "0.5*(x_dot^2 + y_dot^2)", "9.81*y", joints={"rod": "x^2 + y^2 - 1"}
    ).run(until=0.5, step=1e-3)
    assert np.abs(np.hypot(*pendulum.q.T) - 1).max() < 1e-10
    sledge = pc.Mechanism(
        {"x": (0.0, 1.0), "y": 0.0, "a": (0.0, 0.5)},
        "0.5*(x_dot^2 + y_dot^2 + a_dot^2)",
        velocity_constraints={"skate": "-sin(a)*x_dot + cos(a)*y_dot"},
    ).run(until=0.5, step=1e-3)
    across = -np.sin(sledge["a"]) * sledge["x_dot"] + np.cos(sledge["a"]) * sledge["y_dot"]
    assert np.abs(across).max() < 1e-9
    rubbed = pc.Mechanism(
        {"x": (0.0, 1.0)},
        "0.5*x_dot^2",
        nonfirm={"pad": {"constraint": "x_dot", "force": {"between": [-2.0, 2.0]}}},
    ).run(until=1.0, step=1e-3)
    # It stops after v²/2F.
    assert abs(rubbed["x"][-1] - 0.25) < 2e-3 and abs(rubbed["x_dot"][-1]) < 1e-12


def test_findings_are_evaluated_on_demand():
    made = ball(findings={"first": {"value": "impact(floor, 1)", "expected": "sqrt(2/g)", "tolerance": "3*h"}})
    assert made.run(until=1.0, step=1e-3).findings == []
    found = made.run(until=1.0, step=1e-3, findings=True).findings
    assert found[0]["name"] == "first" and found[0]["ok"] is True


def test_studies_give_tables():
    table = ball().study(
        vary={"e": [0.2, 0.5], "m": {"from": 1, "to": 2, "count": 2}},
        observe={"hits": "impacts(floor)", "top": "maximum(z, 0.5, 1.0)"},
        until=1.0,
        step=1e-3,
    )
    assert len(table) == 4 and table.ends == ["finished"] * 4
    assert table["e"].tolist() == [0.2, 0.2, 0.5, 0.5]
    # The second flight is e² as high.
    assert np.all(np.abs(table["top"] - table["e"] ** 2) < 0.02)
    with pytest.raises(pc.InputError, match="known here"):
        table["nothing"]


def test_bisection_finds_where_a_block_slips():
    block = pc.Mechanism(
        {"x": 0.0},
        "0.5*x_dot^2",
        "-9.81*sin(s)*x",
        parameters={"s": 0.3, "mu": 0.5},
        nonfirm={"rub": {"constraint": "x_dot", "force": {"ball": "mu*9.81*cos(s)"}}},
    )
    table = block.study(
        bisect={"key": "mu", "from": 0.0, "to": 1.0, "tolerance": 1e-4},
        when="final(x) > 1e-6",
        until=0.2,
        step=1e-2,
    )
    assert abs(table["threshold"][0] - math.tan(0.3)) < 2e-4


def test_scene_text_is_what_the_command_reads():
    text = ball().to_scene(until=2.0, step=1e-3)
    scene = pc.Scene.parse(text)
    assert scene.kind == "mechanism" and scene.parameters["e"] == 0.5


def test_what_is_wrong_is_named():
    cases = [
        (lambda: pc.Mechanism({"z": 1.0}, "0.5*z_dot^2 +"), "kinetic"),
        (lambda: pc.Mechanism({"z": 1.0}, "0.5*y_dot^2"), "y_dot"),
        (lambda: pc.Mechanism({"z": float("nan")}, "0.5*z_dot^2"), "initial"),
        (lambda: pc.Mechanism({"z": 1.0}, "0.5*z_dot^2", contacts=3), "contacts"),
        (lambda: pc.Mechanism({"z": 1.0}, "0.5*z_dot^2", contacts=[{"gap": "z"}]), "name"),
        (lambda: pc.Mechanism({"z": 1.0}, "0.5*z_dot^2", frogs={}), "frogs"),
        (lambda: ball().run(step=1e-3), "until"),
        (lambda: ball().run(until=1.0), "step"),
        (lambda: ball().run(until=1.0, step=-1.0), "step"),
        (lambda: ball().run(until=1.0, step=1e-3, integrator="euler"), "euler"),
        (lambda: ball().run(until=1.0, step=1e-3, set={"q": 1}), "q"),
        (lambda: ball().run(until=1.0, step=1e-3, threads=0), "threads"),
        (lambda: ball().study(vary=[1]), "vary"),
        (lambda: ball().study(vary={"e": "many"}, until=1, step=0.1), "e"),
    ]
    for call, word in cases:
        with pytest.raises(pc.InputError, match=word):
            call()


def test_a_motion_that_cannot_go_on_is_raised_with_what_there_is():
    blown = pc.Mechanism({"x": (0.0, 1.0)}, "0.5*x_dot^2", forces={"x": "sqrt(0.5 - x)"})
    with pytest.raises(pc.Stopped, match="force") as caught:
        blown.run(until=5.0, step=1e-2)
    assert 1 < len(caught.value.trajectory.t) < 51
    assert caught.value.trajectory.q[-1, 0] < 0.51


def test_what_progress_raises_stops_the_run():
    def stop(share):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        ball().run(until=200.0, step=1e-5, progress=stop)
