"""Bodies of space that came from other programs, on their way to a world."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np

from . import _percuss
from . import _surfaces as surfaces
from ._percuss import InputError
from ._surfaces import Surface
from ._keys import scene_text

if TYPE_CHECKING:
    from ._world import World

__all__ = ["Assembly", "from_blocks", "from_meshes", "to_blocks", "to_meshes"]


def identifier(name: Any, taken: set[str]) -> str:
    """A name that scenes accept: letters, digits, _, no digit first, not taken.

    >>> identifier("link-1", {"link_1"})
    'link_1_2'
    """
    text = re.sub(r"[^A-Za-z0-9_]", "_", str(name)) or "body"
    if text[0].isdigit():
        text = f"b{text}"
    out, k = text, 1
    while out in taken:
        k += 1
        out = f"{text}_{k}"
    taken.add(out)
    return out


class Assembly:
    """Bodies, materials, laws and joints of space as the tables of a scene.

    ``to_scene`` gives the scene file, ``world`` a world to step, ``describe`` all bodies with their shapes,
    masses and placements as the engine has them.
    """

    def __init__(self, gravity: Sequence[float] = (0.0, 0.0, -9.81), name: str = "assembly") -> None:
        self.name = name
        self.gravity = [float(g) for g in gravity]
        if len(self.gravity) != 3 or not np.isfinite(self.gravity).all():
            raise InputError("`gravity`: three finite numbers were expected")
        self.materials: list[dict[str, Any]] = []
        self.laws: list[dict[str, Any]] = []
        self.bodies: list[dict[str, Any]] = []
        self.joints: list[dict[str, Any]] = []
        self._folder: Optional[tempfile.TemporaryDirectory[str]] = None

    def __repr__(self) -> str:
        return f"<Assembly of {len(self.bodies)} bodies and {len(self.joints)} joints>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{body['name']}</td><td>{next(iter(body['shape']))}</td></tr>"
            for body in self.bodies[:20]
        )
        more = f"<p>and {len(self.bodies) - 20} more</p>" if len(self.bodies) > 20 else ""
        return f"<table><tr><th>body</th><th>shape</th></tr>{rows}</table>{more}"

    def file(self, name: str) -> Path:
        """A place for a file that lives as long as the assembly."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="percuss-")
        return Path(self._folder.name) / name

    def keys(self, **run: Any) -> dict[str, Any]:
        """All tables; the arguments are keys of ``[run]``."""
        return {
            "kind": "bodies",
            "title": self.name,
            "world": {"dimension": 3, "gravity": self.gravity},
            "material": self.materials,
            "law": self.laws,
            "body": self.bodies,
            "joint": self.joints,
            "run": {key: value for key, value in run.items() if value is not None},
        }

    def to_scene(self, until: float = 1.0, step: float = 1e-3, **run: Any) -> str:
        """The scene file; further arguments are keys of ``[run]``."""
        return scene_text(self.keys(until=until, step=step, **run))

    def describe(self) -> dict[str, Any]:
        """Bodies and joints as the engine has them: in body axes, placed in space at the start."""
        text = _percuss.describe_bodies(self.name, self.to_scene(), None)
        out: dict[str, Any] = json.loads(text)
        return out


    def world(self, *, step: float = 1e-3, tolerance: float = 1e-6, **settings: Any) -> World:
        """A world of it; the arguments are those of :class:`percuss.World`."""
        from ._world import World

        world = World(3, self.gravity, step, tolerance, title=self.name, **settings)
        for kind in ("material", "law", "body", "joint"):
            for keys in self.keys()[kind]:
                world.add(kind, **keys)
        # Files that shapes were written to live as long as the world.
        world.__dict__["_assembly"] = self
        return world


def describe(source: Any) -> dict[str, Any]:
    """Bodies and joints of an assembly or a world of space, placed as they are now."""
    if isinstance(source, Assembly):
        return source.describe()
    if not hasattr(source, "to_scene"):
        kind = type(source).__name__
        raise InputError(f"`source`: an assembly or a world of space was expected, not {kind}")
    out: dict[str, Any] = json.loads(_percuss.describe_bodies("world", source.to_scene(), None))
    if hasattr(source, "quaternions"):
        names = source.names
        places = dict(zip(names, zip(source.positions.tolist(), source.quaternions.tolist())))
        before = {body["name"]: dict(body) for body in out["bodies"]}
        for body in out["bodies"]:
            if body["name"] in places:
                body["position"], body["quaternion"] = places[body["name"]]
        _carry(out, before)
        for joint in out["joints"]:
            if joint["limits"] is not None:
                word = "slide" if joint["kind"] == "prismatic" else "angle"
                gone = source.observe(f"{joint['name']}_{word}")
                joint["limits"] = [None if end is None else end - gone for end in joint["limits"]]
    return out


def _carry(description: dict[str, Any], before: Mapping[str, Mapping[str, Any]]) -> None:
    """Moves joints with their first bodies; their coordinates begin at 0 again."""
    bodies = description["bodies"]
    for joint in description["joints"]:
        first = joint["bodies"][0]
        if first is None:
            continue
        now, then = bodies[first], before[bodies[first]["name"]]
        turn = surfaces.rotation(now["quaternion"]) @ surfaces.rotation(then["quaternion"]).T
        place = turn @ (np.array(joint["at"]) - then["position"]) + now["position"]
        joint["at"], joint["axis"] = place.tolist(), (turn @ joint["axis"]).tolist()


def to_blocks(source: Any, around: int = 24) -> list[tuple[list[list[float]], list[list[int]]]]:
    """The bodies of an assembly or a world of space as (vertices, faces), where they are now.

    Polyhedra are as they are; round bodies have ``around`` corners around; half-spaces have no end and
    are left out. ``compas.datastructures.Mesh.from_vertices_and_faces(*block)`` and
    ``trimesh.Trimesh(*block)`` (triangles: :func:`percuss.to_meshes`) take them.
    """
    found = placed(describe(source), around)
    return [(surface.vertices.tolist(), surface.faces) for _, surface in found]


def to_meshes(source: Any, around: int = 24) -> dict[str, tuple[Any, Any]]:
    """The same by name and in triangles: arrays (n, 3) of vertices and (m, 3) of their numbers."""
    found = placed(describe(source), around)
    return {
        name: (surface.vertices, np.array(surfaces.triangles(surface.faces), dtype=np.int64))
        for name, surface in found
    }


def _fixed(
    given: Union[Iterable[int], Callable[[int, Surface], bool]], count: int
) -> Callable[[int, Surface], bool]:
    if callable(given):
        return given
    try:
        chosen = {int(k) for k in given}
    except (TypeError, ValueError):
        raise InputError("`fixed`: numbers of blocks or a function were expected") from None
    for k in chosen:
        if not 0 <= k < count:
            raise InputError(f"`fixed`: there is no block {k}; from 0 to {count - 1} were expected")
    return lambda k, _: k in chosen


def _supports(item: Any) -> bool:
    """Whether a block says of itself that it is held."""
    if isinstance(item, Mapping):
        return bool(item.get("is_support") or item.get("fixed"))
    flag = getattr(item, "is_support", False)
    return isinstance(flag, (bool, np.bool_)) and bool(flag)


def _listed(items: Any, argument: str) -> list[Any]:
    if hasattr(items, "blocks") and callable(items.blocks):
        items = items.blocks()
    if isinstance(items, Mapping):
        items = items.get("blocks", list(items.values()))
    try:
        out = list(items)
    except TypeError:
        kind = type(items).__name__
        raise InputError(f"`{argument}`: a list was expected, not {kind}") from None
    if not out:
        raise InputError(f"`{argument}`: at least one was expected")
    return out


def shape_of(
    surface: Surface, assembly: Assembly, name: str, held: bool, parts: int
) -> dict[str, Any]:
    """A convex surface as a polyhedron, another as a solid of parts, an open one that is held as a mesh."""
    if surfaces.closed(surface):
        if surfaces.convex(surface):
            return {"polyhedron": surface.vertices, "faces": surface.faces}
        if not held:
            path = assembly.file(f"{name}.obj")
            surfaces.write_obj(surface, path)
            return {"solid": str(path), "parts": parts}
    if not held:
        raise InputError(
            f"`{name}`: its surface is not closed and it is not fixed; a body that moves has an inside"
        )
    path = assembly.file(f"{name}.obj")
    surfaces.write_obj(surface, path)
    return {"mesh": str(path)}


def from_blocks(
    items: Any,
    *,
    density: float = 2400.0,
    friction: Any = 0.6,
    restitution: float = 0.0,
    fixed: Union[Iterable[int], Callable[[int, Surface], bool]] = (),
    names: Optional[Sequence[str]] = None,
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
    parts: int = 16,
) -> Assembly:
    """An assembly of blocks given by vertices and faces, as COMPAS has them, or of trimesh meshes.

    ``items`` is a list of blocks, or an object or dict with ``blocks``; each is ``(vertices, faces)``, a dict
    with these, a COMPAS mesh, or any object with ``vertices`` and ``faces``. Convex blocks are polyhedra as
    they are; others are cut into at most ``parts`` convex ones for contact. Blocks that say
    ``is_support`` are held, and those of ``fixed``: numbers, or a function of (number, surface).

    >>> cube = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    >>> quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    >>> pile = from_blocks([(cube, quads), {"vertices": [[x, y, z + 1] for x, y, z in cube], "faces": quads}], fixed=[0])
    >>> [body["mass"] for body in pile.describe()["bodies"]]
    [2400.0, 2400.0]
    """
    given = _listed(items, "items")
    if names is not None and len(names) != len(given):
        raise InputError(f"`names`: {len(names)} given for {len(given)} blocks")
    assembly = Assembly(gravity, "blocks")
    assembly.materials.append({"name": "block", "density": density})
    assembly.laws.append(
        {"between": ["block", "block"], "friction": friction, "restitution": restitution}
    )
    holds = _fixed(fixed, len(given))
    taken: set[str] = set()
    for k, item in enumerate(given):
        label = names[k] if names is not None else f"block_{k + 1}"
        surface = surfaces.read(item, str(label))
        name = identifier(label, taken)
        held = holds(k, surface) or _supports(item)
        body = {
            "name": name,
            "shape": shape_of(surface, assembly, name, held, parts),
            "material": "block",
            "fixed": True if held else None,
        }
        assembly.bodies.append(body)
    return assembly


def from_meshes(items: Any, **options: Any) -> Assembly:
    """The same as :func:`from_blocks` with one mesh allowed for a list of one."""
    if hasattr(items, "vertices") and hasattr(items, "faces"):
        items = [items]
    return from_blocks(items, **options)


def placed(description: Mapping[str, Any], around: int = 24) -> list[tuple[str, Surface]]:
    """The surface of every body in space; round shapes with ``around`` corners. Half-spaces have none."""
    out: list[tuple[str, Surface]] = []
    for body in description["bodies"]:
        own = surface_of(body["shape"], around)
        if own is None:
            continue
        turn = surfaces.rotation(body["quaternion"])
        out.append((body["name"], Surface(own.vertices @ turn.T + body["position"], own.faces)))
    return out


def surface_of(shape: Mapping[str, Any], around: int) -> Optional[Surface]:
    """A shape of a description as polygons in body axes."""
    kind = shape["kind"]
    if kind in ("polyhedron", "mesh"):
        return Surface(np.array(shape["vertices"], dtype=np.float64), [list(f) for f in shape["faces"]])
    if kind == "compound":
        if shape.get("skin"):
            skin = shape["skin"]
            return Surface(np.array(skin["vertices"]), [list(f) for f in skin["faces"]])
        points: list[Any] = []
        loops: list[list[int]] = []
        for part in shape["parts"]:
            inner = surface_of(part["shape"], around)
            if inner is None:
                continue
            turn = surfaces.rotation(part["quaternion"])
            first = len(points)
            points += list(inner.vertices @ turn.T + part["position"])
            loops += [[first + k for k in loop] for loop in inner.faces]
        return Surface(np.array(points), loops)
    if kind == "half_space":
        return None
    return _round(float(shape["radius"]), float(shape.get("length", 0.0)), kind, around)


def _round(radius: float, length: float, kind: str, n: int) -> Surface:
    """Balls, capsules and cylinders along z: rings of n corners on the shape itself."""
    if kind == "cylinder":
        rings = [(-length / 2, radius), (length / 2, radius)]
        poles = None
    else:
        angles = np.pi * (np.arange(1, n // 2) / (n // 2) - 0.5)
        rings = []
        for a in angles:
            z, r = radius * np.sin(a), radius * np.cos(a)
            if length > 0 and abs(z) < 1e-12 * radius:
                rings += [(-length / 2, r), (length / 2, r)]
            else:
                rings.append((z + np.copysign(length / 2, z), r))
        poles = radius + length / 2
    turn = 2 * np.pi * np.arange(n) / n
    points = [[r * np.cos(a), r * np.sin(a), z] for z, r in rings for a in turn]
    loops = []
    for k in range(len(rings) - 1):
        for j in range(n):
            a, b = k * n + j, k * n + (j + 1) % n
            loops.append([a, b, b + n, a + n])
    last = (len(rings) - 1) * n
    if poles is None:
        loops += [list(range(n))[::-1], [last + j for j in range(n)]]
    else:
        south, north = len(points), len(points) + 1
        points += [[0.0, 0.0, -poles], [0.0, 0.0, poles]]
        loops += [[south, (j + 1) % n, j] for j in range(n)]
        loops += [[north, last + j, last + (j + 1) % n] for j in range(n)]
    return Surface(np.array(points), loops)
