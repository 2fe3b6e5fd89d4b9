"""URDF, the robot description format: written."""

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
from ._assembly import describe, surface_of
from ._percuss import InputError, MachineError
from ._robot import Frame, Link, Part, Robot, RobotJoint, matrix_rpy
from ._surfaces import Surface

__all__ = ["to_urdf"]

Floats = NDArray[np.float64]


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
