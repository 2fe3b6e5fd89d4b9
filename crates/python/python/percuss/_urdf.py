"""URDF, the robot description format: read."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _xml
from ._assembly import Assembly
from ._percuss import InputError, MachineError
from ._robot import KINDS, Frame, Link, Part, Robot, RobotJoint, rpy_matrix
from ._xml import Element

__all__ = ["from_urdf", "read_urdf"]

Floats = NDArray[np.float64]

#: Elements of links and joints that say nothing about rigid motion.
_SILENT = {"visual", "material"}


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
