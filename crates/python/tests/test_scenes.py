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
