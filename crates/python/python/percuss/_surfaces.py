"""Closed surfaces of other programs: vertices and faces, by whatever name they go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._percuss import InputError

Floats = NDArray[np.float64]


class Surface(NamedTuple):
    """Vertices (n, 3) and loops of their numbers, anticlockwise seen from outside."""

    vertices: Floats
    faces: list[list[int]]


def read(item: Any, name: str) -> Surface:
    """A surface from a pair, a dict, or an object with vertices and faces.

    Understood: ``(vertices, faces)``; dicts with ``vertices`` and ``faces`` or, as COMPAS writes meshes,
    ``vertex`` and ``face``; objects with ``to_vertices_and_faces()`` (COMPAS) or ``vertices`` and ``faces``
    (trimesh).
    """
    if hasattr(item, "to_vertices_and_faces"):
        vertices, faces = item.to_vertices_and_faces()
    elif isinstance(item, Mapping):
        vertices, faces = _of_dict(item, name)
    elif hasattr(item, "vertices") and hasattr(item, "faces"):
        vertices, faces = item.vertices, item.faces
    elif isinstance(item, Sequence) and not isinstance(item, str) and len(item) == 2:
        vertices, faces = item
    else:
        kind = type(item).__name__
        raise InputError(
            f"`{name}`: {kind} is no block; (vertices, faces), a dict with these, or an object with "
            "them was expected"
        )
    return checked(vertices, faces, name)


def _of_dict(item: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    if "vertices" in item and "faces" in item:
        return item["vertices"], item["faces"]
    data = item.get("data", item)
    if isinstance(data, Mapping) and "vertex" in data and "face" in data:
        keys = list(data["vertex"])
        number = {str(key): k for k, key in enumerate(keys)}
        try:
            points = [[data["vertex"][key][axis] for axis in "xyz"] for key in keys]
            loops = data["face"].values() if isinstance(data["face"], Mapping) else data["face"]
            return points, [[number[str(key)] for key in loop] for loop in loops]
        except (KeyError, TypeError) as error:
            raise InputError(f"`{name}`: a mesh of COMPAS without {error}") from None
    raise InputError(f"`{name}`: a dict with vertices and faces was expected")


def checked(vertices: Any, faces: Any, name: str) -> Surface:
    """The same with its numbers looked at, and turned outwards if it is inside out."""
    try:
        points = np.array(vertices, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"`{name}`: its vertices are no numbers") from None
    if points.ndim != 2 or points.shape[1] != 3 or len(points) < 4:
        raise InputError(
            f"`{name}`: its vertices have the shape {points.shape}; (n, 3) with n >= 4 was expected"
        )
    if not np.isfinite(points).all():
        raise InputError(f"`{name}`: a vertex is not finite")
    loops: list[list[int]] = []
    try:
        for loop in faces:
            loops.append([int(k) for k in loop])
    except (TypeError, ValueError):
        raise InputError(f"`{name}`: its faces are no lists of numbers of vertices") from None
    if len(loops) < 4:
        raise InputError(f"`{name}`: {len(loops)} faces; at least four were expected")
    for k, loop in enumerate(loops):
        if len(loop) < 3 or min(loop) < 0 or max(loop) >= len(points):
            raise InputError(
                f"`{name}`: face {k} is {loop}; three or more numbers from 0 to {len(points) - 1} "
                "were expected"
            )
    volume = _volume(points, loops)
    if volume == 0.0:
        raise InputError(f"`{name}`: its faces enclose no volume")
    if volume < 0.0:
        loops = [loop[::-1] for loop in loops]
    return Surface(points, loops)


def triangles(faces: list[list[int]]) -> list[list[int]]:
    """Fans of triangles.

    >>> triangles([[0, 1, 2, 3]])
    [[0, 1, 2], [0, 2, 3]]
    """
    return [[loop[0], loop[k], loop[k + 1]] for loop in faces for k in range(1, len(loop) - 1)]


def _volume(points: Floats, loops: list[list[int]]) -> float:
    """Six times less: the signed volume."""
    corners = points[np.array(triangles(loops))] - points.mean(axis=0)
    return float(np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum()) / 6


def volume(surface: Surface) -> float:
    """The volume that a closed surface encloses.

    >>> cube = [[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    >>> quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    >>> float(round(volume(checked(cube, quads, "cube")), 12))
    1.0
    """
    return _volume(surface.vertices, surface.faces)


def convex(surface: Surface) -> bool:
    """Whether no vertex is outside the plane of a face, to 1e-9 of the size."""
    points = surface.vertices
    size = float(np.ptp(points, axis=0).max())
    corners = points[np.array(triangles(surface.faces))]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    flat = lengths <= 1e-14 * size * size
    normals = normals[~flat] / lengths[~flat][:, None]
    offsets = np.einsum("ij,ij->i", normals, corners[~flat][:, 0])
    return bool((points @ normals.T - offsets <= 1e-9 * size).all())


def closed(surface: Surface) -> bool:
    """Whether every edge is run through once each way."""
    edges: dict[tuple[int, int], int] = {}
    for loop in surface.faces:
        for a, b in zip(loop, loop[1:] + loop[:1]):
            edges[(a, b)] = edges.get((a, b), 0) + 1
    return all(count == 1 and (b, a) in edges for (a, b), count in edges.items())


def write_obj(surface: Surface, path: Path) -> None:
    """Writes an OBJ file of triangles; numbers keep all their digits."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in surface.vertices.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles(surface.faces)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def rotation(q: Any) -> Floats:
    """The matrix of a unit quaternion (w, x, y, z)."""
    w, x, y, z = np.asarray(q, dtype=np.float64) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion(m: Floats) -> Floats:
    """The unit quaternion (w, x, y, z) of a rotation matrix.

    >>> bool(np.allclose(rotation(quaternion(rotation([0.1, 0.2, 0.3, 0.4]))), rotation([0.1, 0.2, 0.3, 0.4])))
    True
    """
    # The largest of the four squares is at least 1/4: no root of rounding.
    squares = np.array(
        [
            1 + m[0, 0] + m[1, 1] + m[2, 2],
            1 + m[0, 0] - m[1, 1] - m[2, 2],
            1 - m[0, 0] + m[1, 1] - m[2, 2],
            1 - m[0, 0] - m[1, 1] + m[2, 2],
        ]
    )
    k = int(squares.argmax())
    s = 2.0 * float(np.sqrt(squares[k]))
    wx, wy, wz = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    xy, xz, yz = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
    rows = ((None, wx, wy, wz), (wx, None, xy, xz), (wy, xy, None, yz), (wz, xz, yz, None))
    q = np.array([s / 4 if value is None else value / s for value in rows[k]])
    out: Floats = q / np.linalg.norm(q)
    return out
