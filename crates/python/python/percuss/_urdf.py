"""URDF, the robot description format: read and written."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from . import _surfaces as surfaces
from . import _xml
from ._assembly import Assembly, describe, surface_of
from ._percuss import InputError, MachineError
from ._robot import KINDS, Frame, Link, Part, Robot, RobotJoint
from ._surfaces import Surface
from ._xml import Element

__all__ = ["from_urdf", "read_urdf", "to_urdf"]

Floats = NDArray[np.float64]

#: Elements of links and joints that say nothing about rigid motion.
_SILENT = {"visual", "material"}


def rpy_matrix(rpy: Sequence[float]) -> Floats:
    """The rotation of fixed-axis angles: about x, then y, then z."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


def matrix_rpy(m: Floats) -> Floats:
    """The angles of a rotation.

    >>> bool(np.allclose(matrix_rpy(rpy_matrix([0.3, -0.4, 2.0])), [0.3, -0.4, 2.0]))
    True
    """
    across = float(np.hypot(m[0, 0], m[1, 0]))
    pitch = np.arctan2(-m[2, 0], across)
    if across < 1e-9:
        # Roll and yaw turn about one axis: all of it is given to the roll.
        return np.array([np.arctan2(-m[1, 2], m[1, 1]), pitch, 0.0])
    return np.array([np.arctan2(m[2, 1], m[2, 2]), pitch, np.arctan2(m[1, 0], m[0, 0])])


class _Reader:
    """A file being read; messages have its name and lines."""

    def __init__(self, origin: str, folder: Path, packages: Mapping[str, Path], parts: int) -> None:
        self.origin, self.folder, self.packages, self.parts = origin, folder, packages, parts
        self.ignored: list[str] = []

    def wrong(self, element: Element, problem: str) -> InputError:
        return InputError(f"{self.origin}:{element.line}: <{element.tag}>: {problem}")

    def text(self, element: Element, key: str) -> str:
        value = element.attributes.get(key)
        if value is None or not value.strip():
            raise self.wrong(element, f"the attribute `{key}` is missing")
        return value.strip()

    def numbers(
        self, element: Element, key: str, count: int, default: Optional[Sequence[float]] = None
    ) -> Floats:
        if default is not None and key not in element.attributes:
            return np.array(default, dtype=np.float64)
        words = self.text(element, key).split()
        try:
            values = np.array([float(word) for word in words])
        except ValueError:
            values = np.zeros(0)
        if len(values) != count or not np.isfinite(values).all():
            expected = "a finite number was" if count == 1 else f"{count} finite numbers were"
            given = " ".join(words)[:60]
            raise self.wrong(element, f'`{key}="{given}"`: {expected} expected')
        return values

    def number(self, element: Element, key: str, default: Optional[float] = None) -> float:
        return float(self.numbers(element, key, 1, None if default is None else [default])[0])

    def positive(self, element: Element, key: str) -> float:
        value = self.number(element, key)
        if not value > 0.0:
            raise self.wrong(element, f'`{key}="{value:g}"`: a positive number was expected')
        return value

    def frame(self, owner: Element) -> Frame:
        origin = owner.one("origin")
        if origin is None:
            return Frame()
        zero = [0.0, 0.0, 0.0]
        return Frame(
            self.numbers(origin, "xyz", 3, zero), rpy_matrix(self.numbers(origin, "rpy", 3, zero).tolist())
        )

    def ignore(self, owner: str, children: list[Element], known: set[str]) -> None:
        for child in children:
            if child.tag not in known and child.tag not in _SILENT:
                self.ignored.append(f"<{child.tag}> of {owner} (line {child.line})")

    def link(self, element: Element) -> Link:
        link = Link(self.text(element, "name"))
        self.ignore(f"link `{link.name}`", element.children, {"inertial", "collision"})
        inertial = element.one("inertial")
        if inertial is not None:
            self.inertial(link, inertial)
        for collision in element.all("collision"):
            geometry = collision.one("geometry")
            if geometry is None or len(geometry.children) != 1:
                raise self.wrong(collision, "one shape within <geometry> was expected")
            link.parts.append(Part(self.shape(geometry.children[0]), self.frame(collision)))
        return link

    def inertial(self, link: Link, element: Element) -> None:
        mass, tensor = element.one("mass"), element.one("inertia")
        if mass is None or tensor is None:
            raise self.wrong(element, "<mass> and <inertia> were expected")
        link.mass = self.number(mass, "value")
        if link.mass < 0.0:
            raise self.wrong(mass, f'`value="{link.mass:g}"`: a number from 0 was expected')
        xx, yy, zz = (self.number(tensor, key) for key in ("ixx", "iyy", "izz"))
        xy, xz, yz = (self.number(tensor, key, 0.0) for key in ("ixy", "ixz", "iyz"))
        own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if link.mass > 0.0:
            moments = np.linalg.eigvalsh(own)
            if not moments[0] > 0.0 or moments[2] > (moments[0] + moments[1]) * (1 + 1e-9):
                listed = ", ".join(f"{m:g}" for m in moments)
                raise self.wrong(
                    tensor,
                    f"no body has the principal moments {listed}: they must be positive, and none "
                    "larger than the sum of the others",
                )
        frame = self.frame(element)
        link.centre = frame.position
        link.inertia = frame.rotation @ own @ frame.rotation.T

    def shape(self, element: Element) -> dict[str, Any]:
        if element.tag == "box":
            sides = self.numbers(element, "size", 3)
            if not (sides > 0).all():
                raise self.wrong(element, "`size`: three positive numbers were expected")
            return {"box": sides.tolist()}
        if element.tag == "sphere":
            return {"sphere": self.positive(element, "radius")}
        if element.tag in ("cylinder", "capsule"):
            length, radius = self.positive(element, "length"), self.positive(element, "radius")
            return {element.tag: [length, radius]}
        if element.tag == "mesh":
            return self.mesh(element)
        raise self.wrong(element, "box, sphere, cylinder, capsule or mesh was expected")

    def mesh(self, element: Element) -> dict[str, Any]:
        name = self.text(element, "filename")
        scale = self.numbers(element, "scale", 3, [1.0, 1.0, 1.0])
        if not (scale[0] > 0 and np.all(scale == scale[0])):
            raise self.wrong(element, "`scale`: three equal positive numbers were expected")
        path = self.resolve(element, name)
        if path.suffix.lower() not in (".stl", ".obj"):
            raise self.wrong(
                element, f'`filename="{name}"`: a file with the ending .stl or .obj was expected'
            )
        if not path.is_file():
            raise self.wrong(element, f'`filename="{name}"`: there is no file {path}')
        return {"solid": str(path), "scale": float(scale[0]), "parts": self.parts}

    def resolve(self, element: Element, name: str) -> Path:
        if name.startswith("package://"):
            package, _, rest = name[len("package://") :].partition("/")
            root = self.packages.get(package, self.packages.get(""))
            if root is None:
                known = ", ".join(key for key in self.packages if key) or "none"
                raise self.wrong(
                    element,
                    f"the package `{package}` is not known (given: {known}); give its folder by "
                    f'packages={{"{package}": "…"}}',
                )
            return Path(root) / rest if package in self.packages else Path(root) / package / rest
        if name.startswith("file://"):
            return Path(name[len("file://") :])
        return self.folder / name

    def joint(self, element: Element) -> RobotJoint:
        name, kind = self.text(element, "name"), self.text(element, "type")
        if kind not in KINDS:
            known = ", ".join(KINDS)
            raise self.wrong(element, f'joint `{name}`: `type="{kind}"`: one of {known} was expected')
        known_here = {"origin", "parent", "child", "axis", "limit", "dynamics"}
        self.ignore(f"joint `{name}`", element.children, known_here)
        if element.one("mimic") is not None:
            raise self.wrong(element, f"joint `{name}`: <mimic> couples joints, which is not supported")
        ends = []
        for tag in ("parent", "child"):
            end = element.one(tag)
            if end is None:
                raise self.wrong(element, f"joint `{name}`: <{tag}> is missing")
            ends.append(self.text(end, "link"))
        joint = RobotJoint(name, kind, ends[0], ends[1], self.frame(element))
        if kind in ("fixed", "floating"):
            return joint
        axis = element.one("axis")
        if axis is not None:
            joint.axis = self.numbers(axis, "xyz", 3)
            if not np.linalg.norm(joint.axis) > 0:
                raise self.wrong(axis, "`xyz`: a direction was expected")
        limit, dynamics = element.one("limit"), element.one("dynamics")
        if limit is None and kind in ("revolute", "prismatic"):
            raise self.wrong(element, f"joint `{name}`: a {kind} joint needs <limit>")
        if limit is not None:
            self.limits(joint, limit)
        if dynamics is not None:
            joint.damping = self.number(dynamics, "damping", 0.0)
            joint.friction = self.number(dynamics, "friction", 0.0)
            if joint.damping < 0 or joint.friction < 0:
                raise self.wrong(dynamics, "damping and friction from 0 were expected")
        return joint

    def limits(self, joint: RobotJoint, limit: Element) -> None:
        if joint.kind != "continuous":
            joint.low = self.number(limit, "lower", 0.0)
            joint.high = self.number(limit, "upper", 0.0)
            if joint.low > joint.high:
                raise self.wrong(limit, f"lower {joint.low:g} is above upper {joint.high:g}")
        for key in ("effort", "velocity"):
            if key in limit.attributes:
                self.ignored.append(f"`{key}` of joint `{joint.name}` (line {limit.line})")

    def robot(self, root: Element) -> Robot:
        if root.tag != "robot":
            raise self.wrong(root, "a <robot> was expected")
        self.ignore("the robot", root.children, {"link", "joint"})
        robot = Robot(
            root.attributes.get("name", "robot"),
            [self.link(link) for link in root.all("link")],
            [self.joint(joint) for joint in root.all("joint")],
        )
        robot.ignored = self.ignored
        return robot


def read_urdf(
    source: Union[str, os.PathLike[str]],
    *,
    packages: Union[None, str, os.PathLike[str], Mapping[str, Any]] = None,
    parts: int = 16,
) -> Robot:
    """Reads a URDF from a file or from text that begins with ``<``.

    ``packages`` is the folder that ``package://`` names are looked for in, or a dict of package to folder.
    Visual geometry says nothing about motion and is passed over; what else is not used is named in a
    warning. ``effort`` and ``velocity`` limits are for controllers and among it.
    """
    text = isinstance(source, str) and source.lstrip().startswith("<")
    if text:
        origin, folder, data = "robot", Path(), str(source).encode("utf-8", "surrogatepass")
    else:
        try:
            path = Path(source)
        except TypeError:
            kind = type(source).__name__
            raise InputError(f"`source`: a path or the text of a URDF was expected, not {kind}") from None
        origin, folder = str(path), path.parent
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise InputError(f"`source`: there is no file {path}") from None
        except OSError as error:
            raise MachineError(f"{path}: {error}") from error
    given: Mapping[str, Any]
    if packages is None:
        given = {}
    elif isinstance(packages, Mapping):
        given = {str(key): Path(value) for key, value in packages.items()}
    else:
        given = {"": Path(packages)}
    reader = _Reader(origin, folder, given, parts)
    robot = reader.robot(_xml.parse(data, origin))
    if robot.ignored:
        shown = "; ".join(robot.ignored[:8])
        more = f"; and {len(robot.ignored) - 8} more" if len(robot.ignored) > 8 else ""
        warnings.warn(f"{origin}: not used: {shown}{more}", stacklevel=2)
    return robot


def from_urdf(
    source: Union[str, os.PathLike[str]],
    *,
    packages: Union[None, str, os.PathLike[str], Mapping[str, Any]] = None,
    parts: int = 16,
    **options: Any,
) -> Assembly:
    """Bodies and joints from a URDF; ``options`` are those of :meth:`Robot.assembly`."""
    return read_urdf(source, packages=packages, parts=parts).assembly(**options)


def _attributes(**values: Any) -> str:
    def shown(value: Any) -> str:
        if isinstance(value, str):
            return value
        # Rounding of zero would be written as -0.0.
        return " ".join(repr(float(v) + 0.0) for v in np.ravel(value))

    return "".join(f" {key}={quoteattr(shown(value))}" for key, value in values.items())


def _origin(frame: Frame) -> str:
    return f"<origin{_attributes(xyz=frame.position, rpy=matrix_rpy(frame.rotation))}/>"


class _Writer:
    def __init__(self, folder: Optional[Path]) -> None:
        self.folder = folder

    def geometry(self, shape: Mapping[str, Any], name: str, frame: Frame) -> list[tuple[str, Frame]]:
        """The elements of a shape and where they are."""
        if "box" in shape:
            return [(f"<box{_attributes(size=shape['box'])}/>", frame)]
        if "sphere" in shape:
            return [(f"<sphere{_attributes(radius=shape['sphere'])}/>", frame)]
        if "cylinder" in shape:
            length, radius = shape["cylinder"]
            return [(f"<cylinder{_attributes(radius=radius, length=length)}/>", frame)]
        if "capsule" in shape:
            # URDF has no capsules: a cylinder and two balls are one.
            length, radius = shape["capsule"]
            out = [(f"<cylinder{_attributes(radius=radius, length=length)}/>", frame)]
            for end in (-0.5, 0.5):
                ball = frame.then(Frame(np.array([0.0, 0.0, end * length]), np.eye(3)))
                out.append((f"<sphere{_attributes(radius=radius)}/>", ball))
            return out
        if "solid" in shape:
            scale = [float(shape.get("scale", 1.0))] * 3
            return [(f"<mesh{_attributes(filename=str(shape['solid']), scale=scale)}/>", frame)]
        surface: Surface = shape["surface"]
        if self.folder is None:
            raise InputError(
                f"`folder`: the shape of `{name}` needs a file of its own; give a folder for it"
            )
        path = self.folder / f"{name}.obj"
        try:
            surfaces.write_obj(surface, path)
        except OSError as error:
            raise MachineError(f"{path}: {error}") from error
        return [(f"<mesh{_attributes(filename=path.name)}/>", frame)]

    def link(self, link: Link) -> list[str]:
        lines = [f"  <link{_attributes(name=link.name)}>"]
        if link.mass > 0.0:
            i = link.inertia
            moments = _attributes(
                ixx=i[0, 0], iyy=i[1, 1], izz=i[2, 2], ixy=i[0, 1], ixz=i[0, 2], iyz=i[1, 2]
            )
            lines += [
                "    <inertial>",
                f"      {_origin(Frame(link.centre, np.eye(3)))}",
                f"      <mass{_attributes(value=link.mass)}/>",
                f"      <inertia{moments}/>",
                "    </inertial>",
            ]
        for k, part in enumerate(link.parts):
            for text, frame in self.geometry(part.shape, f"{link.name}_{k + 1}", part.frame):
                lines += [
                    "    <collision>",
                    f"      {_origin(frame)}",
                    f"      <geometry>{text}</geometry>",
                    "    </collision>",
                ]
        return [*lines, "  </link>"]

    def joint(self, joint: RobotJoint) -> list[str]:
        lines = [
            f"  <joint{_attributes(name=joint.name, type=joint.kind)}>",
            f"    {_origin(joint.frame)}",
            f"    <parent{_attributes(link=joint.parent)}/>",
            f"    <child{_attributes(link=joint.child)}/>",
        ]
        if joint.kind not in ("fixed", "floating"):
            lines.append(f"    <axis{_attributes(xyz=joint.axis)}/>")
            if joint.kind != "continuous":
                low = -1e9 if joint.low is None else joint.low
                high = 1e9 if joint.high is None else joint.high
                # The format wants effort and velocity; these bound nothing.
                bounds = _attributes(lower=low, upper=high, effort=1e9, velocity=1e9)
                lines.append(f"    <limit{bounds}/>")
            if joint.damping > 0.0 or joint.friction > 0.0:
                rates = _attributes(damping=joint.damping, friction=joint.friction)
                lines.append(f"    <dynamics{rates}/>")
        return [*lines, "  </joint>"]


def to_urdf(source: Any, folder: Union[None, str, os.PathLike[str]] = None) -> str:
    """The URDF of a robot, an assembly or a world of space whose joints form a tree.

    Link axes are parallel to those of space at the start. Shapes that URDF has no element for are
    written to ``folder`` as OBJ files.
    """
    if isinstance(source, Robot):
        robot = source
    else:
        robot = robot_of(describe(source), str(getattr(source, "name", "robot")))
    writer = _Writer(None if folder is None else Path(folder))
    lines = ['<?xml version="1.0"?>', f"<robot{_attributes(name=robot.name)}>"]
    for name in robot.order:
        lines += writer.link(robot.links[name])
    for joint in robot.joints.values():
        lines += writer.joint(joint)
    return "\n".join([*lines, "</robot>"]) + "\n"


def _parts(shape: Mapping[str, Any], frame: Frame) -> list[Part]:
    """The collision geometry of a shape of a description."""
    kind = shape["kind"]
    if kind == "sphere":
        return [Part({"sphere": shape["radius"]}, frame)]
    if kind in ("cylinder", "capsule"):
        return [Part({kind: [shape["length"], shape["radius"]]}, frame)]
    if kind == "compound" and not shape.get("skin"):
        out: list[Part] = []
        for part in shape["parts"]:
            turn = surfaces.rotation(part["quaternion"])
            inner = Frame(np.array(part["position"]), turn)
            out += _parts(part["shape"], frame.then(inner))
        return out
    surface = surface_of(shape, 24)
    if surface is None:
        return []
    if kind == "polyhedron" and len(surface.vertices) == 8:
        half = np.abs(surface.vertices).max(axis=0)
        if np.allclose(np.abs(surface.vertices), half, rtol=1e-12, atol=0.0):
            return [Part({"box": (2 * half).tolist()}, frame)]
    return [Part({"surface": surface}, frame)]


_BACK = {"revolute": "revolute", "prismatic": "prismatic", "fixed": "fixed"}


def robot_of(description: Mapping[str, Any], name: str) -> Robot:
    """A robot from the description of bodies and joints of space."""
    bodies, joints = description["bodies"], description["joints"]
    world = "world"
    while any(body["name"] == world for body in bodies):
        world += "_"
    above: dict[int, Mapping[str, Any]] = {}
    for joint in joints:
        if joint["kind"] not in _BACK:
            raise InputError(
                f"joint `{joint['name']}` is {joint['kind']}; URDF has revolute, prismatic and fixed ones"
            )
        child = joint["bodies"][1]
        if child is None or child in above:
            whose = "the world" if child is None else f"`{bodies[child]['name']}`"
            raise InputError(
                f"joint `{joint['name']}`: {whose} cannot be its child; a tree of joints, each with the "
                "body it carries as the second, was expected"
            )
        above[child] = joint
    # Link axes are those of space; the origin of a link is at its joint, of a root at its centre.
    origins = {
        k: np.array(above[k]["at"] if k in above else body["position"]) for k, body in enumerate(bodies)
    }
    links: list[Link] = []
    made: list[RobotJoint] = []
    roots = [k for k in range(len(bodies)) if k not in above]
    anchored = any(joint["bodies"][0] is None for joint in joints)
    needs_world = anchored or len(roots) != 1
    if needs_world:
        links.append(Link(world))
    for k, body in enumerate(bodies):
        turn = surfaces.rotation(body["quaternion"])
        centre = np.array(body["position"]) - origins[k]
        link = Link(body["name"], parts=_parts(body["shape"], Frame(centre, turn)))
        if body["movable"]:
            link.mass, link.centre = body["mass"], centre
            link.inertia = turn @ np.diag(body["inertia"]) @ turn.T
        elif not link.parts:
            warnings.warn(f"body `{body['name']}` has no end and is left out", stacklevel=3)
            continue
        links.append(link)
        if k in above:
            made.append(_back(above[k], bodies, origins, k, world))
        elif needs_world:
            kind = "floating" if body["movable"] else "fixed"
            place = Frame(origins[k], np.eye(3))
            made.append(RobotJoint(f"{body['name']}_base", kind, world, body["name"], place))
    return Robot(name, links, made)


def _back(
    joint: Mapping[str, Any],
    bodies: Sequence[Mapping[str, Any]],
    origins: Mapping[int, Floats],
    child: int,
    world: str,
) -> RobotJoint:
    first = joint["bodies"][0]
    parent = world if first is None else bodies[first]["name"]
    start = np.zeros(3) if first is None else origins[first]
    out = RobotJoint(
        joint["name"],
        _BACK[joint["kind"]],
        parent,
        bodies[child]["name"],
        Frame(origins[child] - start, np.eye(3)),
    )
    if out.kind == "fixed":
        return out
    out.axis = np.array(joint["axis"])
    limits, spring, motor = joint["limits"], joint["spring"], joint["motor"]
    if limits is not None:
        out.low, out.high = limits
    elif out.kind == "revolute":
        out.kind = "continuous"
    if spring is not None:
        if spring["stiffness"] != 0.0:
            raise InputError(f"joint `{joint['name']}` has a spring, which URDF has not")
        out.damping = spring["damping"]
    if motor is not None:
        if motor["speed"] != 0.0 or motor["bound"] is None:
            raise InputError(f"joint `{joint['name']}` has a motor, which URDF has not")
        out.friction = motor["bound"]
    if joint["rubs"]:
        raise InputError(
            f"joint `{joint['name']}` has friction that follows its force, which URDF has not"
        )
    return out
