"""Audits: the figures of the command, as objects."""

from __future__ import annotations

import json
from pathlib import Path

import percuss as pc
import pytest

PENDULUM = """
kind = "mechanism"
[[coordinate]]
name = "theta"
kind = "angle"
initial = 1.0
[dynamics]
kinetic = "0.5*theta_dot^2"
potential = "-9.81*cos(theta)"
[run]
until = 3
step = 0.01
"""


def test_a_smooth_pendulum_has_order_two_and_is_not_chaotic(tmp_path: Path) -> None:
    heard: list[float] = []
    found = pc.audit(PENDULUM, tmp_path / "a", threads=2, progress=lambda s, t, w: heard.append(s))
    assert found.ok and not found.chaotic and found.not_held == []
    # The next term of the expansion is h² = 1e-4 of it.
    assert found.order == pytest.approx(2.0, abs=0.01)
    assert list(found.runs)[0] == "reference"
    half = found.runs["half_step"]
    assert half["certificate"]["ok"] and len(half["distances"]) == len(found.times)
    assert "order 2.00" in repr(found) and found.drawing.svg.startswith("<svg")
    kept = json.loads((tmp_path / "a" / "audit.json").read_text(encoding="utf-8"))
    assert kept == found.data
    with pytest.raises(pc.InputError, match="not empty"):
        pc.audit(PENDULUM, tmp_path / "a")


def test_a_run_is_audited_with_its_overrides(tmp_path: Path) -> None:
    run = pc.run("pendulum", tmp_path / "p", until=0.2, findings=False)
    for given in (run, tmp_path / "p", str(tmp_path / "p")):
        found = pc.audit(given, threads=1)
        assert found.data["span"][1] == 0.2
    assert pc.audit(run, until=0.1).data["span"][1] == 0.1


def test_bad_input_is_named() -> None:
    with pytest.raises(pc.InputError, match="no-such-scene"):
        pc.audit("no-such-scene")
    with pytest.raises(pc.InputError, match="threads"):
        pc.audit(PENDULUM, threads=0)
    with pytest.raises(pc.InputError, match="colour"):
        pc.audit(PENDULUM, set={"colour": 1})
