"""What a certificate lacks reaches Python's warnings."""

from __future__ import annotations

import warnings

import pytest

import percuss as pc

BEAD = """
kind = "mechanism"
[[coordinate]]
name = "x"
velocity = 2.0
[[coordinate]]
name = "y"
initial = -1.0
[dynamics]
kinetic = "0.5*(x_dot^2 + y_dot^2)"
[[contact]]
name = "rim"
gap = "1 - sqrt(x^2 + y^2)"
[run]
until = 10.0
step = 1e-2
"""


def dropped(step: float, **settings: object) -> pc.World:
    """A box that is dropped on a floor; by the papers' rule it rests as deep as it was in the step of the impact."""
    w = pc.World(dimension=2, gravity=[0, -9.81], step=step, activation="gap", **settings)
    w.material("stone", density=2000)
    w.law(friction=0.5)
    w.half_plane([0, 1])
    w.box([0.4, 0.2], position=[0, 1.1], name="block")
    return w


def test_a_world_stepped_by_hand_says_once_that_a_box_is_too_deep() -> None:
    w = dropped(5e-3)
    with pytest.warns(pc.CertificateWarning, match="resting: .* `block`") as told:
        for _ in range(200):
            w.step()
    assert len([each for each in told if "resting" in str(each.message)]) == 1
    assert not w.certificate["ok"]
    assert [each["what"] for each in w.certificate["not_met"]] == ["resting"]


def test_small_steps_are_silent() -> None:
    w = dropped(1e-4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        w.step(8000)
    assert w.certificate["ok"] and w.certificate["steps"] == 8000


def test_a_run_of_a_world_warns_and_its_certificate_says_where() -> None:
    w = dropped(5e-3)
    with pytest.warns(pc.CertificateWarning, match="resting"):
        course = w.run(duration=1.0)
    (entry,) = course.certificate["not_met"]
    assert entry["where"].endswith("`block`") and entry["first_step"] >= 1


def test_a_run_of_a_scene_has_its_warnings_in_its_manifest() -> None:
    with pytest.warns(pc.CertificateWarning) as told:
        run = pc.run(BEAD)
    assert [str(each.message) for each in told] == run.warnings
    assert [each["what"] for each in run.certificate["not_met"]] == ["penetration", "resting", "dissipation"]
    assert not run.ok
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bounds = ["penetration", "resting", "dissipation"]
        kept = pc.run(BEAD, set={f"certificate.{key}": 1 for key in bounds})
    assert kept.certificate["ok"] and kept.warnings == []


def test_restitution_is_named_only_where_coefficients_differ() -> None:
    w = dropped(5e-3)
    with pytest.warns(pc.CertificateWarning) as told:
        w.run(duration=1.0)
    assert not any("restitution" in str(each.message) for each in told)
