"""Robots: links with mass and collision geometry, joined in a tree; placed in space as bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _surfaces as surfaces
from ._assembly import Assembly, identifier
from ._percuss import InputError

Floats = NDArray[np.float64]

#: Kinds of joints that are understood.
KINDS = ("fixed", "revolute", "continuous", "prismatic", "floating")


@dataclass
class Frame:
    """A placement: x = position + rotation · X."""

    position: Floats = field(default_factory=lambda: np.zeros(3))
    rotation: Floats = field(default_factory=lambda: np.eye(3))

    def then(self, inner: Frame) -> Frame:
        """A placement within this one."""
        return Frame(self.position + self.rotation @ inner.position, self.rotation @ inner.rotation)


@dataclass
class Part:
    """A piece of collision geometry: the shape as scenes have it, and where it is in the link."""

    shape: dict[str, Any]
    frame: Frame = field(default_factory=Frame)


@dataclass
class Link:
    """A rigid link; ``inertia`` is about the centre of mass, in link axes."""

    name: str
    mass: float = 0.0
    centre: Floats = field(default_factory=lambda: np.zeros(3))
    inertia: Floats = field(default_factory=lambda: np.zeros((3, 3)))
    parts: list[Part] = field(default_factory=list)

    def take(self, other: Link, frame: Frame) -> None:
        """Makes another link, placed in this one, a part of it (parallel-axis theorem)."""
        if other.mass > 0.0:
            place = frame.position + frame.rotation @ other.centre
            turned = frame.rotation @ other.inertia @ frame.rotation.T
            mass = self.mass + other.mass
            centre = (self.mass * self.centre + other.mass * place) / mass
            self.inertia = (
                self.inertia
                + _steiner(self.mass, self.centre - centre)
                + turned
                + _steiner(other.mass, place - centre)
            )
            self.mass, self.centre = mass, centre
        self.parts += [Part(part.shape, frame.then(part.frame)) for part in other.parts]


def _steiner(mass: float, d: Floats) -> Floats:
    out: Floats = mass * (d @ d * np.eye(3) - np.outer(d, d))
    return out


@dataclass
class RobotJoint:
    """A joint; ``frame`` is where the child is in the parent when the coordinate is 0."""

    name: str
    kind: str
    parent: str
    child: str
    frame: Frame = field(default_factory=Frame)
    axis: Floats = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    low: Optional[float] = None
    high: Optional[float] = None
    damping: float = 0.0
    friction: float = 0.0


def turned(axis: Floats, angle: float) -> Floats:
    """The rotation about an axis."""
    half = 0.5 * angle
    q = np.concatenate([[np.cos(half)], np.sin(half) * axis / np.linalg.norm(axis)])
    return surfaces.rotation(q)


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


class Robot:
    """Links and joints in a tree.

    ``assembly`` places it in space as bodies with joints. Where it came from a file, ``ignored`` names
    what of it has no meaning here.
    """

    def __init__(self, name: str, links: Sequence[Link], joints: Sequence[RobotJoint]) -> None:
        self.name = name
        self.links = {link.name: link for link in links}
        self.joints = {joint.name: joint for joint in joints}
        #: Elements of the file that were not used.
        self.ignored: list[str] = []
        if len(self.links) != len(links) or len(self.joints) != len(joints):
            raise InputError(f"robot `{name}`: two links or two joints have the same name")
        self._above: dict[str, RobotJoint] = {}
        for joint in joints:
            for end in (joint.parent, joint.child):
                if end not in self.links:
                    raise InputError(f"joint `{joint.name}`: there is no link `{end}`")
            if joint.child in self._above:
                other = self._above[joint.child].name
                raise InputError(
                    f"link `{joint.child}` is the child of two joints, `{other}` and `{joint.name}`"
                )
            self._above[joint.child] = joint
        roots = [link for link in self.links if link not in self._above]
        if len(roots) != 1:
            found = ", ".join(f"`{root}`" for root in roots) or "none (a loop)"
            raise InputError(f"robot `{name}`: one root link was expected, found {found}")
        #: Name of the link that has no parent.
        self.root = roots[0]
        #: Names of the links, parents first.
        self.order = self._ordered()
        if len(self.order) != len(self.links):
            lost = ", ".join(f"`{link}`" for link in self.links if link not in self.order)
            raise InputError(f"robot `{name}`: the links {lost} are joined in a loop")

    def __repr__(self) -> str:
        moving = sum(joint.kind not in ("fixed", "floating") for joint in self.joints.values())
        return f"<Robot `{self.name}`: {len(self.links)} links, {moving} moving joints>"

    def _ordered(self) -> list[str]:
        below: dict[str, list[str]] = {}
        for child, joint in self._above.items():
            below.setdefault(joint.parent, []).append(child)
        order = [self.root]
        for link in order:
            order += below.get(link, [])
        return order

    def frames(
        self, positions: Optional[Mapping[str, float]] = None, base: Optional[Frame] = None
    ) -> dict[str, Frame]:
        """Where every link is in space, for given coordinates of the joints (0 where none is given)."""
        given = dict(positions or {})
        for name in given:
            if name not in self.joints:
                known = ", ".join(self.joints)
                raise InputError(f"`positions`: there is no joint `{name}` (known here: {known})")
        out = {self.root: base or Frame()}
        for link in self.order[1:]:
            joint = self._above[link]
            value = float(given.get(joint.name, 0.0))
            moved = Frame()
            if joint.kind in ("revolute", "continuous"):
                moved = Frame(np.zeros(3), turned(joint.axis, value))
            elif joint.kind == "prismatic":
                moved = Frame(value * joint.axis / np.linalg.norm(joint.axis), np.eye(3))
            elif value != 0.0:
                raise InputError(f"`positions`: joint `{joint.name}` is {joint.kind} and has none")
            out[link] = out[joint.parent].then(joint.frame).then(moved)
        return out

    def _lumped(self, all_fixed: bool) -> tuple[dict[str, Link], dict[str, str]]:
        """Links with those without mass of their own made parts of what holds them."""
        links = {
            name: Link(name, link.mass, link.centre, link.inertia, list(link.parts))
            for name, link in self.links.items()
        }
        into = {name: name for name in links}
        for name in reversed(self.order[1:]):
            joint = self._above[name]
            if joint.kind != "fixed":
                continue
            parent, link = links[joint.parent], links[name]
            if all_fixed or link.mass == 0.0 or parent.mass == 0.0:
                parent.take(link, joint.frame)
                into[name] = joint.parent
        return links, into

    def assembly(
        self,
        *,
        positions: Optional[Mapping[str, float]] = None,
        fixed_base: bool = True,
        base: Optional[Frame] = None,
        friction: Any = 0.5,
        restitution: float = 0.0,
        gravity: Sequence[float] = (0.0, 0.0, -9.81),
        lump: bool = False,
    ) -> Assembly:
        """The robot as bodies and joints, at given coordinates of its joints.

        ``fixed_base`` holds the root link. Links without mass become parts of what they are fixed to;
        ``lump`` does so with all links that are fixed to others.
        """
        frames = self.frames(positions, base)
        links, into = self._lumped(bool(lump))
        assembly = Assembly(gravity, self.name)
        assembly.materials.append({"name": "link"})
        assembly.laws.append(
            {"between": ["link", "link"], "friction": friction, "restitution": restitution}
        )
        taken = {"world", "link"}
        names: dict[str, str] = {}
        for name in self.order:
            if into[name] != name:
                continue
            link, held = links[name], name == self.root and fixed_base
            if held and not link.parts:
                names[name] = "world"
                continue
            if not held and not link.mass > 0.0:
                raise InputError(f"link `{name}` can move and has no mass")
            names[name] = identifier(name, taken)
            assembly.bodies.append(_body(link, names[name], frames[name], held))
        given = dict(positions or {})
        for name in self.order[1:]:
            joint = self._above[name]
            if into[name] == name and joint.kind != "floating":
                above = joint.parent
                while into[above] != above:
                    above = into[above]
                value = float(given.get(joint.name, 0.0))
                table = _joint(joint, value, frames[name], (names[above], names[name]))
                table["name"] = identifier(joint.name, taken)
                assembly.joints.append(table)
        return assembly


def _body(link: Link, name: str, frame: Frame, held: bool) -> dict[str, Any]:
    parts = link.parts
    if not parts:
        # Something must have the mass: a ball a hundredth of what would have these moments.
        radius = 0.01 * float(np.sqrt(2.5 * np.trace(link.inertia) / 3 / link.mass))
        parts = [Part({"sphere": radius or 1e-3}, Frame(link.centre, np.eye(3)))]
    table: dict[str, Any] = {
        "name": name,
        "shape": {
            "compound": [
                {
                    "shape": part.shape,
                    "position": part.frame.position,
                    "orientation": surfaces.quaternion(part.frame.rotation),
                }
                for part in parts
            ]
        },
        "material": "link",
        "position": frame.position,
        "orientation": surfaces.quaternion(frame.rotation),
    }
    if held:
        # What holds for ever needs a mass for its description only.
        table["fixed"] = True
        for part in table["shape"]["compound"]:
            part["density"] = 1.0
        return table
    moments, axes = principal(link.inertia)
    table.update(mass=link.mass, centre=link.centre, inertia=moments, axes=surfaces.quaternion(axes))
    return table


def principal(inertia: Floats) -> tuple[Floats, Floats]:
    """Principal moments and axes (columns); axes that are principal already are kept.

    >>> moments, axes = principal(np.diag([3.0, 2.0, 4.0]))
    >>> moments.tolist(), bool((axes == np.eye(3)).all())
    ([3.0, 2.0, 4.0], True)
    """
    off = np.abs(inertia - np.diag(np.diag(inertia))).max()
    if off <= 1e-14 * np.abs(inertia).max():
        return np.diag(inertia).copy(), np.eye(3)
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    return moments, axes


def _joint(
    joint: RobotJoint, value: float, frame: Frame, between: tuple[str, str]
) -> dict[str, Any]:
    """A joint as scenes have it; coordinates begin at 0 there."""
    kind = "revolute" if joint.kind == "continuous" else joint.kind
    table: dict[str, Any] = {
        "name": joint.name,
        "kind": kind,
        "between": list(between),
        "at": frame.position,
    }
    if kind == "fixed":
        return table
    table["axis"] = frame.rotation @ (joint.axis / np.linalg.norm(joint.axis))
    if joint.kind != "continuous" and (joint.low is not None or joint.high is not None):
        low = None if joint.low is None else joint.low - value
        high = None if joint.high is None else joint.high - value
        if (low is not None and low > 0) or (high is not None and high < 0):
            raise InputError(
                f"joint `{joint.name}` begins at {value:g}, outside its limits {joint.low} to "
                f"{joint.high}; choose its `positions`"
            )
        bounds = {"low": low, "high": high}
        table["limits"] = {key: bound for key, bound in bounds.items() if bound is not None}
    if joint.damping > 0.0:
        table["spring"] = {"stiffness": 0.0, "damping": joint.damping}
    if joint.friction > 0.0:
        # A constant moment or force against the motion: a motor that keeps it at rest.
        table["motor"] = {"speed": 0.0, "bound": joint.friction}
    return table
