"""Blocks, meshes and robots of other programs."""

import json
import math
import warnings

import numpy as np
import pytest

import percuss as pc

CUBE = [[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]
QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


class Compas:
    """As a mesh of COMPAS behaves."""

    def __init__(self, shift):
        self.shift = shift

    def to_vertices_and_faces(self):
        return [[x, y, z + self.shift] for x, y, z in CUBE], QUADS


class Trimesh:
    """As a mesh of trimesh behaves: triangles."""

    def __init__(self, vertices, faces):
        self.vertices, self.faces = np.array(vertices), np.array(faces)


def triangulated(faces):
    return [[f[0], f[k], f[k + 1]] for f in faces for k in range(1, len(f) - 1)]


def test_blocks_of_all_sorts_become_the_same_bodies():
    data = {"vertex": {str(k): dict(zip("xyz", v)) for k, v in enumerate(CUBE)}, "face": dict(enumerate(QUADS))}
    sorts = [(CUBE, QUADS), {"vertices": CUBE, "faces": QUADS}, data, Compas(0.0), Trimesh(CUBE, triangulated(QUADS))]
    for sort in sorts:
        body = pc.from_blocks([sort], density=2.0).describe()["bodies"][0]
        assert body["mass"] == pytest.approx(2.0, rel=1e-12)
        # A cube of mass 2: m a²/6.
        np.testing.assert_allclose(body["inertia"], 2 / 6, rtol=1e-12)
        np.testing.assert_allclose(body["position"], 0.5, rtol=1e-12)


def test_inside_out_blocks_are_turned_and_names_are_kept():
    made = pc.from_blocks([(CUBE, [f[::-1] for f in QUADS])], names=["key stone"])
    assert made.bodies[0]["name"] == "key_stone"
    assert made.describe()["bodies"][0]["mass"] == pytest.approx(2400)


def test_a_pile_of_blocks_stands():
    pile = pc.from_blocks([Compas(0.0), Compas(1.0), Compas(2.0)], fixed=[0])
    scene = pc.Scene.parse(pile.to_scene(until=0.2, step=1e-3))
    assert scene.kind == "bodies"
    assert [body["movable"] for body in pile.describe()["bodies"]] == [False, True, True]


def test_blocks_go_round():
    pile = pc.from_blocks([Compas(0.0), Compas(1.0)], fixed=[0])
    back = pc.to_blocks(pile)
    again = pc.from_blocks(back, fixed=[0])
    for a, b in zip(pile.describe()["bodies"], again.describe()["bodies"]):
        assert a["mass"] == pytest.approx(b["mass"], rel=1e-12)
        np.testing.assert_allclose(a["position"], b["position"], atol=1e-12)
        np.testing.assert_allclose(sorted(a["inertia"]), sorted(b["inertia"]), rtol=1e-9)


def ell():
    """An L of three unit cubes: not convex."""
    profile = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]
    low = [[x, y, 0.0] for x, y in profile]
    high = [[x, y, 1.0] for x, y in profile]
    # The caps are not convex: two pieces each.
    caps = [[0, 3, 2, 1], [0, 5, 4, 3], [6, 7, 8, 9], [6, 9, 10, 11]]
    sides = [[k, (k + 1) % 6, 6 + (k + 1) % 6, 6 + k] for k in range(6)]
    return Trimesh(low + high, triangulated(caps + sides))


def test_meshes_that_are_not_convex_become_parts():
    body = pc.from_meshes(ell(), density=1.0).describe()["bodies"][0]
    assert body["shape"]["kind"] == "compound" and len(body["shape"]["parts"]) >= 2
    # Mass and centre are those of the surface, exactly.
    assert body["mass"] == pytest.approx(3.0, rel=1e-12)
    np.testing.assert_allclose(body["position"], [5 / 6, 5 / 6, 0.5], rtol=1e-12)
    (vertices, faces), = pc.to_blocks(pc.from_meshes(ell(), density=1.0))
    assert len(vertices) == 12 and len(faces) == 20


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: pc.from_blocks([]), "items"),
        (lambda: pc.from_blocks(3), "items"),
        (lambda: pc.from_blocks([3]), "block_1"),
        (lambda: pc.from_blocks([(CUBE, [[0, 1, 99]] * 4)]), "face 0"),
        (lambda: pc.from_blocks([([["a"] * 3] * 4, QUADS)]), "vertices"),
        (lambda: pc.from_blocks([(np.full((8, 3), np.nan), QUADS)]), "finite"),
        (lambda: pc.from_blocks([(CUBE, QUADS[:5])]), "not closed"),
        (lambda: pc.from_blocks([(CUBE, QUADS)], fixed=[7]), "fixed"),
        (lambda: pc.from_blocks([(CUBE, QUADS)], names=[]), "names"),
        (lambda: pc.from_blocks([(CUBE, QUADS)], density=-1.0).describe(), "density"),
        (lambda: pc.from_blocks([{"vertex": {"0": {}}, "face": {}}]), "block_1"),
    ],
)
def test_bad_blocks_are_named(call, word):
    with pytest.raises(pc.InputError, match=word):
        call()


def arm(l1=1.0, l2=0.8):
    """Two rods that swing in the plane x, z about y, with inertia off the diagonal on paper."""

    def link(name, length, mass):
        moment = mass * length**2 / 12
        return f"""
        <link name="{name}">
          <inertial>
            <origin xyz="0 0 {-length / 2}" rpy="0.3 0 0"/>
            <mass value="{mass}"/>
            <inertia ixx="{moment}" iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/>
          </inertial>
          <visual><geometry><box size="1 1 1"/></geometry></visual>
        </link>"""

    return f"""<?xml version="1.0"?>
    <robot name="arm">
      <link name="base"/>
      {link("upper", l1, 2.0)}
      {link("lower", l2, 1.5)}
      <joint name="shoulder" type="continuous">
        <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
      </joint>
      <joint name="elbow" type="continuous">
        <origin xyz="0 0 {-l1}"/><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/>
      </joint>
    </robot>"""


def expressions(l1=1.0, l2=0.8):
    m1, m2 = 2.0, 1.5
    # x = -l sin a, z = -l cos a: turning about +y takes -z to -x.
    return pc.Mechanism(
        {"a": 0.7, "b": 0.3},
        f"0.5*({m1 * l1**2 / 12 + m1 * l1**2 / 4} + {m2 * l1**2})*a_dot^2"
        f" + 0.5*{m2 * l2**2 / 12 + m2 * l2**2 / 4}*(a_dot + b_dot)^2"
        f" + {m2 * l1 * l2 / 2}*cos(b)*a_dot*(a_dot + b_dot)",
        f"-9.81*({m1 * l1 / 2 + m2 * l1}*cos(a) + {m2 * l2 / 2}*cos(a + b))",
    )


def moved(step):
    """How far the arm's bodies are from where the expressions say."""
    made = pc.from_urdf(arm(), positions={"shoulder": 0.7, "elbow": 0.3})
    world = made.world(step=step)
    world.run(until=0.5)
    exact = expressions().run(until=0.5, step=1e-4, integrator="event")
    a, b = exact.q[-1]
    upper = np.array([-0.5 * math.sin(a), 0.0, -0.5 * math.cos(a)])
    lower = 2 * upper + 0.4 * np.array([-math.sin(a + b), 0.0, -math.cos(a + b)])
    return np.abs(np.array(world.positions) - [upper, lower]).max()


def test_a_two_link_arm_moves_as_its_lagrangian():
    errors = [moved(step) for step in (4e-3, 2e-3, 1e-3)]
    order = np.polyfit(np.log([4e-3, 2e-3, 1e-3]), np.log(errors), 1)[0]
    # The scheme is of second order in smooth motion.
    assert errors[-1] < 1e-4 and order > 1.5


def test_inertia_off_the_diagonal_is_turned_into_principal_axes():
    tensor = np.array([[3.0, 0.3, -0.2], [0.3, 4.0, 0.1], [-0.2, 0.1, 5.0]])
    text = f"""<robot name="r"><link name="b"><inertial><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/>
      <mass value="2"/><inertia ixx="3" iyy="4" izz="5" ixy="0.3" ixz="-0.2" iyz="0.1"/></inertial>
      <collision><origin xyz="1 0 0"/><geometry><box size="1 2 3"/></geometry></collision></link></robot>"""
    body = pc.from_urdf(text, fixed_base=False).describe()["bodies"][0]
    np.testing.assert_allclose(body["inertia"], np.linalg.eigvalsh(tensor), rtol=1e-12)
    np.testing.assert_allclose(body["position"], [0.1, 0.2, 0.3], atol=1e-12)
    assert body["mass"] == 2.0
    # Back in axes of space the tensor is R J Rᵀ.
    again = pc.read_urdf(pc.to_urdf(pc.from_urdf(text, fixed_base=False))).links["b"]
    own = pc.read_urdf(text).links["b"]
    np.testing.assert_allclose(again.inertia, own.inertia, atol=1e-12)


ROBOT = """<robot name="r">
  <link name="base"><collision><geometry><box size="1 1 0.1"/></geometry></collision></link>
  <link name="cart"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
    <collision><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.1" length="0.3"/></geometry></collision></link>
  <link name="tool"><collision><origin xyz="0 0 0.2"/><geometry><sphere radius="0.05"/></geometry></collision></link>
  <link name="rod"><inertial><origin xyz="0 0 0.3"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial>
    <collision><origin xyz="0 0 0.3" rpy="0 1.2 0"/><geometry><capsule radius="0.02" length="0.4"/></geometry></collision></link>
  <joint name="rail" type="prismatic"><origin xyz="0 0 0.2"/><parent link="base"/><child link="cart"/>
    <axis xyz="1 0 0"/><limit lower="-0.5" upper="0.8" effort="1" velocity="1"/><dynamics damping="0.3" friction="0.2"/></joint>
  <joint name="grip" type="fixed"><origin xyz="0 0 0.9"/><parent link="cart"/><child link="tool"/></joint>
  <joint name="hinge" type="revolute"><origin xyz="0 0.3 1.0" rpy="0 0 0.2"/><parent link="cart"/><child link="rod"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1"/></joint>
</robot>"""


def test_a_robot_goes_round():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = pc.from_urdf(ROBOT, positions={"rail": 0.2}, gravity=(0, 0, 0))
        text = pc.to_urdf(first)
        second = pc.from_urdf(text, gravity=(0, 0, 0))
    a, b = first.describe(), second.describe()
    assert [body["name"] for body in a["bodies"]] == ["base", "cart", "rod"]
    # The tool has no mass and is a part of the cart.
    assert len(a["bodies"][1]["shape"]["parts"]) == 2
    for one, two in zip(a["bodies"], b["bodies"]):
        if one["movable"]:
            assert one["mass"] == pytest.approx(two["mass"])
            np.testing.assert_allclose(one["inertia"], two["inertia"], rtol=1e-9)
            np.testing.assert_allclose(one["position"], two["position"], atol=1e-12)
    for one, two in zip(a["joints"], b["joints"]):
        assert one["kind"] == two["kind"]
        np.testing.assert_allclose(one["at"], two["at"], atol=1e-12)
        np.testing.assert_allclose(one["axis"], two["axis"], atol=1e-12)
        np.testing.assert_allclose(one["limits"], two["limits"], atol=1e-12)
    rail = a["joints"][0]
    assert rail["limits"] == pytest.approx([-0.7, 0.6])
    assert rail["spring"]["damping"] == 0.3 and rail["motor"]["bound"] == 0.2


def test_what_is_not_used_is_named_in_a_warning():
    with pytest.warns(UserWarning, match="effort.*rail"):
        pc.read_urdf(ROBOT)
    with pytest.warns(UserWarning, match="gazebo"):
        pc.read_urdf('<robot name="r"><link name="a"/><gazebo/></robot>')


def test_packages_and_files_are_looked_for(tmp_path):
    pile = pc.from_blocks([(CUBE, QUADS)])
    folder = tmp_path / "bot" / "meshes"
    folder.mkdir(parents=True)
    from percuss import _surfaces

    _surfaces.write_obj(_surfaces.checked(CUBE, QUADS, "cube"), folder / "cube.obj")
    text = """<robot name="r"><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
      <collision><geometry><mesh filename="package://bot/meshes/cube.obj" scale="2 2 2"/></geometry></collision></link></robot>"""
    for packages in (tmp_path, {"bot": tmp_path / "bot"}):
        made = pc.from_urdf(text, packages=packages, fixed_base=False)
        (vertices, _), = pc.to_blocks(made)
        assert np.ptp(np.array(vertices), axis=0).tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(pc.InputError, match="package `bot`"):
        pc.read_urdf(text)
    with pytest.raises(pc.InputError, match="no file"):
        pc.read_urdf(text, packages={"bot": tmp_path})
    assert len(pile.bodies) == 1


BOMB = """<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<robot name="&b;"/>"""


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (BOMB, "document type"),
        ("<robot", "XML"),
        ("<house/>", "robot"),
        ("<robot/>", "root link"),
        ('<robot><link name="a"/><link name="b"/></robot>', "root link"),
        ('<robot><link name="a"/><link name="a"/></robot>', "same name"),
        ('<robot><link/></robot>', "name"),
        ('<robot><link name="a"><inertial/></link></robot>', "mass"),
        ('<robot><link name="a"><collision/></link></robot>', "geometry"),
        ('<robot><link name="a"><collision><geometry><cone/></geometry></collision></link></robot>', "cone"),
        ('<robot><link name="a"><collision><geometry><box size="1 2"/></geometry></collision></link></robot>', "size"),
        ('<robot><link name="a"><collision><geometry><sphere radius="-1"/></geometry></collision></link></robot>', "radius"),
        ('<robot><link name="a"><collision><geometry><mesh filename="a.dae"/></geometry></collision></link></robot>', "stl"),
        ('<robot><link name="a"/><joint name="j" type="planar"/></robot>', "planar"),
        ('<robot><link name="a"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>', "`b`"),
        ("<robot>" + "<a>" * 100 + "</a>" * 100 + "</robot>", "deeper"),
    ],
)
def test_bad_robots_are_named(text, word):
    with pytest.raises(pc.InputError, match=word):
        pc.read_urdf(text)


def test_utf16_does_not_hide_a_document_type(tmp_path):
    path = tmp_path / "r.urdf"
    path.write_bytes(BOMB.replace("<?xml version=\"1.0\"?>", "").encode("utf-16"))
    with pytest.raises(pc.InputError, match="document type|XML"):
        pc.read_urdf(path)


def test_moving_links_without_mass_are_refused():
    text = ROBOT.replace('<inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>', "")
    with warnings.catch_warnings(), pytest.raises(pc.InputError, match="cart"):
        warnings.simplefilter("ignore")
        pc.from_urdf(text)


def test_bodies_given_elsewhere_than_their_shape_swing_about_their_centre():
    """A box whose mass is not in its middle, against the physical pendulum."""
    text = """<robot name="r"><link name="base"/><link name="b">
      <inertial><origin xyz="0 0 -0.7"/><mass value="3"/><inertia ixx="0.4" iyy="0.5" izz="0.3"/></inertial>
      <collision><origin xyz="0 0 -0.2"/><geometry><box size="0.1 0.1 0.4"/></geometry></collision></link>
      <joint name="pin" type="continuous"><parent link="base"/><child link="b"/><axis xyz="0 1 0"/></joint></robot>"""
    world = pc.from_urdf(text, positions={"pin": 0.5}).world(step=1e-3)
    world.run(until=0.6)
    moment = 0.5 + 3 * 0.7**2
    exact = pc.Mechanism({"a": 0.5}, f"0.5*{moment}*a_dot^2", "-3*9.81*0.7*cos(a)")
    a = exact.run(until=0.6, step=1e-2, integrator="event").q[-1, 0]
    # Second order: (ωh)² t-ish, 1e-5.
    np.testing.assert_allclose(world.positions[0], [-0.7 * math.sin(a), 0, -0.7 * math.cos(a)], atol=1e-5)
    assert json.loads(json.dumps(pc.from_urdf(text).describe()))
