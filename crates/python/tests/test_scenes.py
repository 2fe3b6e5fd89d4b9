"""Scenes: built-in ones, texts, errors."""

import percuss as pc
import pytest


def test_the_builtin_scenes_are_those_of_the_command() -> None:
    names = [example.name for example in pc.examples()]
    assert names == sorted(names)
    assert "wall" in names and "pendulum" in names


def test_an_unknown_name_raises_with_the_text_of_the_command() -> None:
    with pytest.raises(pc.InputError, match="`wal` is neither a file nor a built-in scene"):
        pc.Scene.load("wal")


def test_an_override_changes_a_parameter() -> None:
    scene = pc.Scene.load("wall").with_values([("until", "0.5")])
    assert scene.kind == "bodies"


FAST = """
kind = "mechanism"
[[coordinate]]
name = "x"
[dynamics]
kinetic = "0.5*x_dot^2"
[run]
until = 1
step = 0.01
[fast]
until = 0.2
"""


def test_a_fast_run_takes_the_settings_of_the_scene() -> None:
    assert pc.run(FAST, fast=True).certificate["steps"] == 20
    assert pc.run(FAST, fast=True, until=0.1).certificate["steps"] == 10
    assert pc.run(FAST).certificate["steps"] == 100
    with pytest.raises(pc.InputError, match=r"no table `\[fast\]`"):
        pc.run("ball-e05", fast=True)
