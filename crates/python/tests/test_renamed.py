"""Words of earlier versions: accepted for one version, with a warning."""

import warnings

import pytest

import percuss as pc

SCENE = """
kind = "bodies"
[world]
dimension = 2
gravity = [0, -10]
[[material]]
name = "stone"
density = 1000
[[law]]
between = ["stone", "stone"]
friction = 0.5
[[body]]
name = "floor"
shape = { half_plane = [0, 1] }
material = "stone"
fixed = true
[[body]]
name = "block"
shape = { box = [0.4, 0.2] }
material = "stone"
position = [0, 0.15]
[[prepare]]
name = "wait"
until = 0.05
KEY = ["block"]
[run]
until = 0.02
step = 0.005
"""


def test_the_old_key_of_a_scene_warns_and_the_new_one_does_not() -> None:
    with pytest.warns(FutureWarning, match="`hold` is called `fixed` now"):
        old = pc.run(SCENE.replace("KEY", "hold"))
    assert any("`hold`" in sentence for sentence in old.warnings)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        new = pc.run(SCENE.replace("KEY", "fixed"))
    assert (old.tables["bodies"]["y"] == new.tables["bodies"]["y"]).all()
    with pytest.raises(pc.InputError, match="both given"):
        pc.run(SCENE.replace("KEY", 'hold = ["block"]\nfixed'))


def test_old_names_of_columns_and_of_the_account_are_found_with_a_warning() -> None:
    run = pc.run(SCENE.replace("KEY", "fixed"))
    steps = run.tables["steps"]
    with pytest.warns(FutureWarning, match="`rub` of the table `steps` is called `joint_friction`"):
        assert (steps["rub"] == steps["joint_friction"]).all()
    with pytest.raises(pc.InputError, match="no column `rubb`"):
        steps["rubb"]


def test_a_world_warns_when_it_is_built() -> None:
    world = pc.World(dimension=2, step=0.005, gravity=[0, -10])
    world.material("stone", density=1000)
    world.law(friction=0.5)
    world.half_plane([0, 1])
    world.box([0.4, 0.2], name="block", position=[0, 0.1])
    world.prepare("wait", 0.05, hold=["block"])
    with pytest.warns(FutureWarning, match="^World: prepare `wait`: the key `hold` is called `fixed` now"):
        world.build()
    world.step()
    with pytest.warns(FutureWarning, match="`held` of the account of a step is called `bilateral`"):
        assert world.ledger["held"] == world.ledger["bilateral"]
    with pytest.raises(KeyError):
        world.ledger["heldd"]
