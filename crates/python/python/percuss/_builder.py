"""What a world is made of: the keys of a scene, collected by keyword."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np

from ._percuss import Error, InputError
from ._text import Number, name, number, numeric, positive, table, toml, vector, whole, wrong

#: t -> displacement from where the body is at the start.
Motion = Callable[[float], object]
#: (t, positions, velocities) -> one row of forces for each body.
Force = Callable[[float, Any, Any], object]
#: A vector of numbers or expressions.
Vector = Union[Sequence[Number], "np.ndarray[Any, Any]"]


class Builder:
    """Collects bodies, laws and what else a scene has; :class:`World` adds the motion."""

    dimension: int

    def __init__(self) -> None:
        self._tables: list[tuple[str, dict[str, object]]] = []
        self._single: dict[str, dict[str, object]] = {}
        self._materials: list[str] = []
        self._names: set[str] = set()
        self._groups: dict[str, list[str]] = {}
        self._grains: list[tuple[str, str, np.ndarray[Any, Any]]] = []
        self._motions: list[tuple[str, Motion, Optional[Motion]]] = []
        self._forces: list[tuple[Optional[list[str]], Force]] = []

    # What follows is overridden by the world: nothing can be added once it is built.
    def _changing(self) -> None:
        raise NotImplementedError

    def add(self, kind: str, /, **keys: object) -> None:
        """Adds a table of the scene language by its keys: ``w.add("watch", name="foot", between=[...])``.

        A key that is a word of Python has an underscore after it (``from_``).
        """
        self._changing()
        clean = {key[:-1] if key.endswith("_") else key: value for key, value in keys.items()}
        for key, value in clean.items():
            if value is not None:
                toml(key, value)
        self._tables.append((name("kind", kind), clean))

    def material(self, name_: str = "material", /, density: Optional[Number] = None) -> str:
        """A material; density is per area in the plane, per volume in space. Gives its name."""
        self._changing()
        known = name("name", name_)
        if known in self._materials:
            raise InputError(f"`name`: there is a material `{known}` already")
        density = None if density is None else number("density", density)
        self.add("material", name=known, density=density)
        self._materials.append(known)
        return known

    def law(
        self,
        a: str = "any",
        b: str = "any",
        *,
        friction: Union[Number, Mapping[str, object], None] = None,
        restitution: Optional[Number] = None,
        dissipation: Optional[Number] = None,
        tangential_restitution: Optional[Number] = None,
        rolling_friction: Optional[Number] = None,
        spinning_friction: Optional[Number] = None,
    ) -> None:
        """What happens where two materials touch; ``"any"`` stands for all."""
        if friction is not None and not isinstance(friction, Mapping):
            friction = number("friction", friction)
        given = {
            "restitution": restitution,
            "dissipation": dissipation,
            "tangential_restitution": tangential_restitution,
            "rolling_friction": rolling_friction,
            "spinning_friction": spinning_friction,
        }
        checked = {key: None if v is None else number(key, v) for key, v in given.items()}
        self.add("law", between=[name("a", a), name("b", b)], friction=friction, **checked)

    def body(
        self,
        shape: Mapping[str, object],
        *,
        material: Optional[str] = None,
        name: Optional[str] = None,
        position: Optional[Vector] = None,
        angle: Optional[Number] = None,
        rotation: Optional[Mapping[str, object]] = None,
        quaternion: Optional[Vector] = None,
        velocity: Optional[Vector] = None,
        spin: Union[Number, Vector, None] = None,
        fixed: bool = False,
        free: Optional[Sequence[str]] = None,
        mass: Optional[Number] = None,
        inertia: Union[Number, Vector, None] = None,
        centre: Optional[Vector] = None,
        axes: Optional[Vector] = None,
        motion: Union[Mapping[str, object], Motion, tuple[Motion, Motion], None] = None,
        force: Union[Vector, Force, None] = None,
        torque: Union[Number, Vector, None] = None,
        at: Optional[Vector] = None,
        group: Union[str, Sequence[str], None] = None,
    ) -> str:
        """A body of any shape of the scene language; gives its name.

        ``motion`` is a table of expressions in ``t``, or a callable t -> displacement, or a pair of
        callables for displacement and velocity. ``force`` is a vector of expressions, or a callable
        (t, position, velocity) -> force.
        """
        self._changing()
        if not isinstance(shape, Mapping) or not shape:
            raise wrong("shape", shape, "a table such as {'disc': 0.1}")
        n = self.dimension
        word = next(iter(shape))
        known = self._name(name, str(word))
        keys: dict[str, object] = {
            "name": known,
            "shape": dict(shape),
            "material": self._material(material),
            "position": None if position is None else vector("position", position, n),
            "angle": None if angle is None else number("angle", angle),
            "rotation": rotation,
            "orientation": None if quaternion is None else vector("quaternion", quaternion, 4),
            "velocity": None if velocity is None else vector("velocity", velocity, n),
            "spin": self._turning("spin", spin),
            "free": None if free is None else list(free),
            "mass": None if mass is None else number("mass", mass),
            "inertia": self._turning("inertia", inertia),
            "centre": None if centre is None else vector("centre", centre, n),
            "axes": None if axes is None else vector("axes", axes, 4),
            "torque": self._turning("torque", torque),
            "at": None if at is None else vector("at", at, n),
        }
        if not isinstance(fixed, (bool, np.bool_)):
            raise wrong("fixed", fixed, "True or False")
        if fixed:
            keys["fixed"] = True
        moved = self._motion(known, motion, keys)
        pushed: Optional[Force] = None
        if callable(force):
            pushed = force
        elif force is not None:
            keys["force"] = vector("force", force, n)
        groups = [group] if isinstance(group, str) else list(group or ())
        self.add("body", **keys)
        self._names.add(known)
        for each in groups:
            self._groups.setdefault(_name_of("group", each), []).append(known)
        if moved is not None:
            self._motions.append(moved)
        if pushed is not None:
            self._forces.append(([known], pushed))
        return known

    def _motion(
        self, known: str, motion: object, keys: dict[str, object]
    ) -> Optional[tuple[str, Motion, Optional[Motion]]]:
        if motion is None:
            return None
        if isinstance(motion, Mapping) or (
            isinstance(motion, Sequence) and not any(callable(part) for part in motion)
        ):
            keys["motion"] = motion
            return None
        pair = motion if isinstance(motion, tuple) else (motion, None)
        if len(pair) != 2 or not callable(pair[0]) or not (pair[1] is None or callable(pair[1])):
            raise wrong("motion", motion, "a table of expressions, a callable, or a pair of callables")
        # Any motion holds the place of the callable.
        keys["motion"] = {"x": "0"}
        return known, pair[0], pair[1]

    def _turning(self, argument: str, value: object) -> object:
        if value is None:
            return None
        return number(argument, value) if self.dimension == 2 else vector(argument, value, 3)

    def _name(self, given: Optional[str], word: str) -> str:
        if given is not None:
            return _name_of("name", given)
        count = sum(1 for kind, _ in self._tables if kind == "body") + 1
        while f"{word}{count}" in self._names:
            count += 1
        return f"{word}{count}"

    def _material(self, given: Optional[str]) -> str:
        if given is not None:
            return _name_of("material", given)
        if len(self._materials) == 1:
            return self._materials[0]
        if not self._materials:
            raise InputError("`material`: the name of a material was expected; make one with `material`")
        raise InputError(
            f"`material`: one of {', '.join(self._materials)} was expected: there are several"
        )

    def _plane(self, word: str, dimension: int) -> None:
        if self.dimension != dimension:
            where = "the plane (dimension=2)" if dimension == 2 else "space (dimension=3)"
            raise InputError(f"`{word}` is a shape of {where}; this world has dimension {self.dimension}")

    # Shapes.

    def disc(self, radius: Number, **body: Any) -> str:
        """A disc in the plane."""
        self._plane("disc", 2)
        return self.body({"disc": number("radius", radius)}, **body)

    def sphere(self, radius: Number, **body: Any) -> str:
        """A sphere in space."""
        self._plane("sphere", 3)
        return self.body({"sphere": number("radius", radius)}, **body)

    def box(self, size: Vector, **body: Any) -> str:
        """A rectangle ``[width, height]`` or a box ``[x, y, z]``."""
        return self.body({"box": vector("size", size, self.dimension)}, **body)

    def polygon(self, vertices: object, **body: Any) -> str:
        """A polygon in the plane, convex or not, by its vertices."""
        self._plane("polygon", 2)
        return self.body({"polygon": numeric("vertices", vertices, (None, 2))}, **body)

    def polyhedron(self, vertices: object, faces: Optional[Sequence[Sequence[int]]] = None, **body: Any) -> str:
        """The hull of points in space, or a convex polyhedron with these faces."""
        self._plane("polyhedron", 3)
        shape: dict[str, object] = {"polyhedron": numeric("vertices", vertices, (None, 3))}
        if faces is not None:
            shape["faces"] = [[whole("faces", k, 0) for k in face] for face in faces]
        return self.body(shape, **body)

    def capsule(self, length: Number, radius: Number, **body: Any) -> str:
        """A capsule: all points within ``radius`` of a segment of this length."""
        return self.body({"capsule": [number("length", length), number("radius", radius)]}, **body)

    def cylinder(self, length: Number, radius: Number, **body: Any) -> str:
        """A cylinder along z."""
        self._plane("cylinder", 3)
        return self.body({"cylinder": [number("length", length), number("radius", radius)]}, **body)

    def mesh(self, file: str | os.PathLike[str], scale: Optional[Number] = None, **body: Any) -> str:
        """A boundary of triangles from a file, ``.stl`` or ``.obj``."""
        self._plane("mesh", 3)
        return self.body(_filled({"mesh": os.fspath(file), "scale": scale}), **body)

    def solid(
        self,
        file: str | os.PathLike[str],
        scale: Optional[Number] = None,
        parts: Optional[int] = None,
        resolution: Optional[int] = None,
        **body: Any,
    ) -> str:
        """A body bounded by a closed surface of triangles from a file, cut into convex parts."""
        self._plane("solid", 3)
        shape = {"solid": os.fspath(file), "scale": scale, "parts": parts, "resolution": resolution}
        return self.body(_filled(shape), **body)

    def compound(self, parts: Sequence[Mapping[str, object]], **body: Any) -> str:
        """Parts that are joined: ``[{"shape": {...}, "position": [...]}, ...]``."""
        return self.body({"compound": [dict(part) for part in parts]}, **body)

    def half_plane(self, normal: Vector = (0, 1), **body: Any) -> str:
        """All below a line, by its outward normal; fixed unless a motion is given."""
        self._plane("half_plane", 2)
        return self._boundary({"half_plane": vector("normal", normal, 2)}, body)

    def half_space(self, normal: Vector = (0, 0, 1), **body: Any) -> str:
        """All below a plane, by its outward normal; fixed unless a motion is given."""
        self._plane("half_space", 3)
        return self._boundary({"half_space": vector("normal", normal, 3)}, body)

    def chain(self, points: object, closed: bool = False, **body: Any) -> str:
        """A boundary of segments in the plane; fixed unless a motion is given."""
        self._plane("chain", 2)
        shape = {"chain": numeric("points", points, (None, 2)), "closed": bool(closed)}
        return self._boundary(shape, body)

    def heights(self, heights: object, size: Union[Number, Vector], **body: Any) -> str:
        """A boundary by heights at equal distances; fixed unless a motion is given."""
        shape: tuple[int | None, ...] = (None,) if self.dimension == 2 else (None, None)
        values = numeric("heights", heights, shape)
        return self._boundary({"heights": values, "size": size}, body)

    def _boundary(self, shape: Mapping[str, object], body: dict[str, Any]) -> str:
        if not any(key in body for key in ("fixed", "motion", "free")):
            body["fixed"] = True
        return self.body(shape, **body)

    # Many bodies.

    def spheres(self, positions: object, radii: object, *, material: Optional[str] = None, name: str = "spheres") -> str:
        """Spheres at ``positions`` (n x 3), by an array that no text repeats; gives their group."""
        self._plane("spheres", 3)
        return self._bulk(positions, radii, material, name)

    def discs(self, positions: object, radii: object, *, material: Optional[str] = None, name: str = "discs") -> str:
        """Discs at ``positions`` (n x 2), by an array that no text repeats; gives their group."""
        self._plane("discs", 2)
        return self._bulk(positions, radii, material, name)

    def _bulk(self, positions: object, radii: object, material: Optional[str], given: str) -> str:
        self._changing()
        places = numeric("positions", positions, (None, self.dimension))
        rows = np.zeros((places.shape[0], 4))
        rows[:, : self.dimension] = places
        if isinstance(radii, (int, float, np.integer, np.floating)):
            rows[:, 3] = positive("radii", radii)
        else:
            sizes = numeric("radii", radii, (places.shape[0],))
            if (sizes <= 0).any():
                raise wrong("radii", float(sizes[sizes <= 0][0]), "positive numbers")
            rows[:, 3] = sizes
        known = _name_of("name", given)
        self._grains.append((known, self._material(material), rows))
        return known

    def generate(self, kind: str, name: str, *, material: Optional[str] = None, **keys: object) -> str:
        """Many bodies by a generator of the scene language; gives their group."""
        known = _name_of("name", name)
        self.add(kind, name=known, material=self._material(material), **keys)
        return known

    def wall(self, name: str = "wall", **keys: Any) -> str:
        """A wall in running bond: ``block``, ``courses``, ``length``, ``origin``, ``vary``, ``seed``.

        With ``vary`` each side of each block by itself is shorter by up to this fraction.
        """
        return self.generate("wall", name, **keys)

    def column(self, name: str = "column", **keys: Any) -> str:
        """Blocks on each other: ``block``, ``count``, ``origin``, ``lean``."""
        return self.generate("column", name, **keys)

    def arch(self, name: str = "arch", **keys: Any) -> str:
        """An arch: ``radius``, ``thickness``, ``voussoirs``, ``span``, ``origin``, ``facets``, ``depth``."""
        return self.generate("arch", name, **keys)

    def grid(self, name: str = "grid", **keys: Any) -> str:
        """Grains on a lattice: ``radius``, ``counts``, ``spacing``, ``lattice``, ``jitter``, ``origin``."""
        return self.generate("grid", name, **keys)

    def packing(self, name: str = "packing", **keys: Any) -> str:
        """Grains at random: ``radius``, ``low``, ``high``, ``count`` or ``fraction``, ``seed``, ``region``."""
        return self.generate("packing", name, **keys)

    def deposit(self, name: str = "deposit", **keys: Any) -> str:
        """Grains dropped one after the other: ``radius``, ``count``, ``low``, ``high``, ``seed``."""
        return self.generate("deposit", name, **keys)

    def vault(self, name: str = "vault", **keys: Any) -> str:
        """A barrel vault: ``radius``, ``thickness``, ``voussoirs``, ``depth``, ``rings``, ``bond``."""
        return self.generate("vault", name, **keys)

    def dome(self, name: str = "dome", **keys: Any) -> str:
        """A dome: ``radius``, ``thickness``, ``courses``, ``blocks`` or ``size``, ``oculus``, ``bond``."""
        return self.generate("dome", name, **keys)

    def drums(self, name: str = "drums", **keys: Any) -> str:
        """A column of drums: ``radius``, ``top``, ``count``, ``height``, ``sides``, ``capital``."""
        return self.generate("drums", name, **keys)

    def drystone(self, name: str = "drystone", **keys: Any) -> str:
        """A dry-stone wall: ``stone``, ``course``, ``length``, ``height``, ``depth``, ``seed``."""
        return self.generate("drystone", name, **keys)

    def row(self, name: str = "row", **keys: Any) -> str:
        """Blocks that stand apart: ``block``, ``count``, ``spacing``, ``origin``, ``heading``, ``turn``."""
        return self.generate("row", name, **keys)

    def cards(self, name: str = "cards", **keys: Any) -> str:
        """A house of cards: ``card``, ``storeys``, ``lean``, ``origin``."""
        return self.generate("cards", name, **keys)

    # What else there is.

    def joint(self, kind: str, a: str, b: str = "world", *, name: str, **keys: Any) -> str:
        """A joint between two bodies, or a body and ``"world"``; gives its name."""
        known = _name_of("name", name)
        self.add("joint", name=known, kind=kind, between=[a, b], **keys)
        return known

    def force(self, call: Force, bodies: Union[str, Sequence[str], None] = None) -> None:
        """A force by a callable (t, positions, velocities) -> rows, for bodies and groups by name.

        Positions are n x dimension at the midpoint of the step, velocities n x 3 (plane) or n x 6
        with the spin (space: about body axes), rows n x dimension, or with the moments beside them.
        """
        self._changing()
        if not callable(call):
            raise wrong("call", call, "a callable (t, positions, velocities)")
        names = [bodies] if isinstance(bodies, str) else None if bodies is None else list(bodies)
        self._forces.append((names, call))

    def field(self, force: Optional[Vector] = None, **keys: Any) -> None:
        """A force by expressions: ``bodies``, ``per``, ``torque``."""
        self.add("field", force=None if force is None else vector("force", force, self.dimension), **keys)

    def drag(self, coefficient: Optional[Number] = None, **keys: Any) -> None:
        """Resistance of a fluid: ``spin_coefficient``, ``bodies``."""
        self.add("drag", coefficient=coefficient, **keys)

    def group(self, name: str, bodies: Sequence[str]) -> str:
        """A group of bodies and groups."""
        known = _name_of("name", name)
        self._changing()
        self._groups.setdefault(known, []).extend(_name_of("bodies", body) for body in bodies)
        return known

    def region(self, name: str, **keys: Any) -> str:
        """A part of space whose bodies are looked at: ``low``, ``high``, ``of``, ``slices``."""
        self.add("region", name=_name_of("name", name), **keys)
        return name

    def watch(self, name: str, a: str, b: str) -> str:
        """The contacts between two bodies or groups, for observables."""
        self.add("watch", name=_name_of("name", name), between=[a, b])
        return name

    def cell(self, **keys: Any) -> None:
        """A periodic cell: ``size`` or ``vectors``, ``periodic``, ``strain_rate``, ``stress``, ..."""
        self._changing()
        for key, value in keys.items():
            toml(key, value)
        self._single["cell"] = keys

    def prepare(self, name: str, until: Number, **keys: Any) -> None:
        """A run before the run: ``stop``, ``set``, ``free``, ``fixed``, ``rest``, ``must``."""
        self.add("prepare", name=name, until=number("until", until), **keys)

    def finding(self, name: str, value: str, **keys: Any) -> None:
        """Something to be measured: ``expected``, ``tolerance``, ``at_least``, ``at_most``, ``only_at``."""
        self.add("finding", name=name, value=value, **keys)

    def _body_text(self, with_grains: bool) -> str:
        parts = [table(kind, keys) for kind, keys in self._tables]
        parts += [table(kind, keys, many=False) for kind, keys in self._single.items()]
        for known, material, rows in self._grains:
            keys: dict[str, object] = {"name": known, "material": material}
            if with_grains:
                keys.update(positions=rows[:, : self.dimension], radii=rows[:, 3])
            else:
                # The numbers go another way; see `World.build`.
                keys.update(positions=[], radius=1)
            parts.append(table("grains", keys))
        for known, members in self._groups.items():
            parts.append(table("group", {"name": known, "bodies": members}))
        return "\n".join(parts)


def _name_of(argument: str, value: object) -> str:
    return name(argument, value)


def _filled(keys: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in keys.items() if value is not None}


__all__ = ["Builder", "Error", "Force", "Motion", "Vector"]
