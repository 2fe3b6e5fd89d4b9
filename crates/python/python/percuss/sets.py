"""Moving convex sets of arrays and functions of time, for :func:`percuss.sweep`.

Every number of a set may be a function of time that returns it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._percuss import InputError
from ._derivatives import EPSILON

__all__ = [
    "Ball",
    "Bounded",
    "Box",
    "Discs",
    "Ellipsoid",
    "HalfSpace",
    "MovingSet",
    "Point",
    "Polyhedron",
    "Polytope",
    "Product",
    "Segment",
    "Smooth",
]

Floats = NDArray[np.float64]

#: Numbers, or a function of time that returns them.
Moving = Union[ArrayLike, Callable[[float], ArrayLike]]


def numbers(value: Any, name: str, infinite: bool = False) -> Floats:
    """A contiguous array of float64 without NaN."""
    try:
        out = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError):
        kind = type(value).__name__
        raise InputError(f"`{name}`: an array of numbers was expected, not {kind}") from None
    if np.isnan(out).any() or not (infinite or np.isfinite(out).all()):
        raise InputError(f"`{name}`: it has entries that are not finite")
    return out


def shaped(value: Any, shape: tuple[int, ...], name: str, infinite: bool = False) -> Floats:
    """An array of this shape; a number where one entry is expected."""
    out = numbers(value, name, infinite)
    if out.shape != shape and not (out.size == 1 and int(np.prod(shape)) == 1):
        raise InputError(f"`{name}` has the shape {out.shape}; {shape} was expected")
    return out.reshape(shape)


class _Wrapped:
    """A function of time whose results are looked at before they are used."""

    def __init__(
        self, function: Callable[..., Any], shape: tuple[int, ...], name: str, infinite: bool
    ) -> None:
        self.function, self.shape, self.name, self.infinite = function, shape, name, infinite

    def __call__(self, *arguments: Any) -> Floats:
        return shaped(self.function(*arguments), self.shape, self.name, self.infinite)


def moving(
    value: Any, shape: tuple[int, ...], name: str, infinite: bool = False
) -> Union[Floats, tuple[_Wrapped, int]]:
    """What the extension takes: an array, or a function with the number of its entries."""
    if callable(value):
        return _Wrapped(value, shape, name, infinite), int(np.prod(shape))
    return shaped(value, shape, name, infinite)


def _first(value: Any, name: str, infinite: bool = False) -> Floats:
    """The value at t = 0, from which the dimension is read."""
    return numbers(value(0.0) if callable(value) else value, name, infinite)


class MovingSet:
    """A closed set C(t)."""

    #: Dimension of the space.
    dim: int

    def spec(self) -> tuple[str, dict[str, Any]]:
        """What the extension builds it from."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__} in R^{self.dim}>"


class Polyhedron(MovingSet):
    """{ x : G x <= b(t) }, the first ``equalities`` rows as equations.

    ``G`` (m, n) and ``b`` (m) may be functions of time; with rows that stand still the projection is
    exact and warm. ``rates`` is b'(t), for the event-driven method.

    >>> Polyhedron([[1.0, 0.0], [-1.0, 0.0]], lambda t: [1 + t, 1 - t])
    <Polyhedron in R^2>
    """

    def __init__(
        self, G: Moving, b: Moving, *, equalities: int = 0, rates: Optional[Moving] = None
    ) -> None:
        first = _first(G, "G")
        if first.ndim != 2 or first.shape[1] == 0:
            raise InputError(f"`G` has the shape {first.shape}; rows of a matrix were expected")
        rows, self.dim = first.shape
        if isinstance(equalities, bool) or not isinstance(equalities, int):
            raise InputError(f"`equalities = {equalities!r}`: a whole number was expected")
        if not 0 <= equalities <= rows:
            raise InputError(f"`equalities = {equalities}`: at most the {rows} rows were expected")
        self._spec: dict[str, Any] = {
            "dim": self.dim,
            "equalities": equalities,
            "rows": moving(G, (rows, self.dim), "G"),
            "bounds": moving(b, (rows,), "b"),
            "rates": None if rates is None else moving(rates, (rows,), "rates"),
        }
        moving(_first(b, "b"), (rows,), "b")

    def spec(self) -> tuple[str, dict[str, Any]]:
        return "polyhedron", self._spec


class _Carried(MovingSet):
    """A set that may be shifted, scaled and turned: C(t) = a(t) + s(t) R(t) C0(t)."""

    _word = ""

    def _hold(self, dim: int, given: dict[str, tuple[Any, tuple[int, ...]]], infinite: bool) -> None:
        self.dim = dim
        if dim < 1:
            raise InputError(f"a set of R^{dim}: at least one coordinate was expected")
        self._spec: dict[str, Any] = {"dim": dim, "numbers": list(given)}
        for name, (value, shape) in given.items():
            moving(_first(value, name, infinite), shape, name, infinite)
            self._spec[name] = moving(value, shape, name, infinite)

    def moved(
        self,
        shift: Optional[Moving] = None,
        *,
        scale: Optional[Moving] = None,
        angle: Optional[Moving] = None,
        rotation: Optional[Moving] = None,
    ) -> MovingSet:
        """The same set moved: shifted by a(t), scaled by s(t) > 0, turned by an angle (plane) or an
        orthogonal matrix.

        >>> import math
        >>> Ball([0, 0], 1.0).moved(lambda t: [math.cos(t), math.sin(t)])
        <Ball in R^2>
        """
        new = object.__new__(type(self))
        new.dim = self.dim
        new._spec = dict(self._spec)
        n = self.dim
        if angle is not None:
            if rotation is not None:
                raise InputError("`angle` and `rotation` are both given; keep one")
            if n != 2:
                raise InputError("`angle`: a set of the plane was expected; give `rotation`")
            turn = angle
            rotation = lambda t: _turned(turn(t) if callable(turn) else turn)  # noqa: E731
        for name, value, shape in (
            ("shift", shift, (n,)),
            ("scale", scale, (1,)),
            ("rotation", rotation, (n, n)),
        ):
            if value is not None:
                if self._spec.get(name) is not None:
                    raise InputError(f"`{name}`: the set is moved already; move it once")
                moving(_first(value, name), shape, name)
                new._spec[name] = moving(value, shape, name)
        return new

    def spec(self) -> tuple[str, dict[str, Any]]:
        return self._word, self._spec


def _turned(angle: Any) -> Floats:
    a = float(shaped(angle, (1,), "angle")[0])
    return np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])


class Point(_Carried):
    """A single point: the process follows it."""

    _word = "point"

    def __init__(self, at: Moving) -> None:
        n = _first(at, "at").size
        self._hold(n, {"at": (at, (n,))}, False)


class Ball(_Carried):
    """A ball."""

    _word = "ball"

    def __init__(self, centre: Moving, radius: Moving) -> None:
        n = _first(centre, "centre").size
        self._hold(n, {"centre": (centre, (n,)), "radius": (radius, (1,))}, False)


class Box(_Carried):
    """A box along the axes; sides may be at infinity."""

    _word = "box"

    def __init__(self, low: Moving, high: Moving) -> None:
        n = _first(low, "low", True).size
        self._hold(n, {"low": (low, (n,)), "high": (high, (n,))}, True)


class Ellipsoid(_Carried):
    """An ellipsoid with its axes along those of space."""

    _word = "ellipsoid"

    def __init__(self, centre: Moving, axes: Moving) -> None:
        n = _first(centre, "centre").size
        self._hold(n, {"centre": (centre, (n,)), "axes": (axes, (n,))}, False)


class Segment(_Carried):
    """The segment between two points."""

    _word = "segment"

    def __init__(self, a: Moving, b: Moving) -> None:
        n = _first(a, "a").size
        self._hold(n, {"a": (a, (n,)), "b": (b, (n,))}, False)


class HalfSpace(_Carried):
    """{ x : normal · x <= bound }."""

    _word = "half_space"

    def __init__(self, normal: Moving, bound: Moving) -> None:
        n = _first(normal, "normal").size
        self._hold(n, {"normal": (normal, (n,)), "bound": (bound, (1,))}, False)


class Polytope(_Carried):
    """The convex hull of points, (count, n)."""

    _word = "polytope"

    def __init__(self, vertices: Moving) -> None:
        first = _first(vertices, "vertices")
        if first.ndim != 2 or first.size == 0:
            raise InputError(f"`vertices` has the shape {first.shape}; rows of points were expected")
        self._hold(first.shape[1], {"vertices": (vertices, first.shape)}, False)


class Discs(MovingSet):
    """Discs (``space=2``) or balls (3) that must not overlap: coordinates x1, y1, x2, …

    ``walls`` are rows (normal, offset): discs stay where normal · x >= offset + radius. ``segments`` are
    rows (from, to). Both may be functions of time.
    """

    def __init__(
        self,
        radii: ArrayLike,
        *,
        space: int = 2,
        walls: Optional[Moving] = None,
        segments: Optional[Moving] = None,
    ) -> None:
        if space not in (2, 3):
            raise InputError(f"`space = {space!r}`: 2 or 3 was expected")
        array = numbers(radii, "radii")
        if array.ndim != 1 or array.size == 0 or not (array > 0).all():
            raise InputError("`radii`: a list of positive numbers was expected")
        self.dim = space * array.size
        self._spec = {
            "space": space,
            "radii": array,
            "walls": _table(walls, space + 1, "walls"),
            "segments": _table(segments, 2 * space, "segments"),
        }

    def spec(self) -> tuple[str, dict[str, Any]]:
        return "discs", self._spec


def _table(value: Optional[Moving], width: int, name: str) -> Any:
    if value is None:
        return np.zeros((0, width))
    first = _first(value, name)
    if first.ndim != 2 or first.shape[1] != width:
        raise InputError(f"`{name}` has the shape {first.shape}; rows of {width} were expected")
    return moving(value, first.shape, name)


class Product(MovingSet):
    """C1(t) × C2(t) × …, coordinates one after the other."""

    def __init__(self, factors: Sequence[MovingSet]) -> None:
        if not isinstance(factors, Sequence) or not factors:
            raise InputError("`factors`: a list of sets was expected")
        for factor in factors:
            if not isinstance(factor, MovingSet):
                raise InputError(f"`factors`: {type(factor).__name__} is no set")
        self.dim = sum(factor.dim for factor in factors)
        self._factors = list(factors)

    def spec(self) -> tuple[str, dict[str, Any]]:
        return "product", {"factors": [factor.spec() for factor in self._factors]}


class Bounded(MovingSet):
    """A set with a bound of its retraction: ``bound(s, t)`` is at least e(C(s), C(t)) for s <= t.

    The account then says whether the variation of u stayed within it.
    """

    def __init__(self, inner: MovingSet, bound: Callable[[float, float], float]) -> None:
        if not isinstance(inner, MovingSet):
            raise InputError(f"`inner`: {type(inner).__name__} is no set")
        if not callable(bound):
            raise InputError("`bound`: a function of (s, t) was expected")
        self.dim = inner.dim
        self._inner = inner

        def wrapped(s: float, t: Floats) -> Floats:
            return shaped(bound(s, float(t[0])), (1,), "bound")

        self._bound = wrapped

    def spec(self) -> tuple[str, dict[str, Any]]:
        return "bounded", {"set": self._inner.spec(), "bound": self._bound}


class Smooth(MovingSet):
    """{ x : c_k(t, x) <= 0 }, functions convex in x, or prox-regular.

    ``functions(t, x)`` returns all c_k; ``gradients(t, x)`` their gradients row by row, taken by a
    complex step where not given; ``rates(t, x)`` is ∂c/∂t, by differences where not given. With
    ``prox_regular``, a length r, the functions need not be convex: nearest points of the set must be unique
    within r, and a run stops where they are not.

    >>> Smooth(lambda t, x: [(x[0] - t) ** 2 + x[1] ** 2 - 1], 2)
    <Smooth in R^2>
    """

    def __init__(
        self,
        functions: Callable[[float, Any], ArrayLike],
        dim: int,
        *,
        gradients: Optional[Callable[[float, Floats], ArrayLike]] = None,
        rates: Optional[Callable[[float, Floats], ArrayLike]] = None,
        prox_regular: Optional[float] = None,
    ) -> None:
        if isinstance(dim, bool) or not isinstance(dim, int) or dim < 1:
            raise InputError(f"`dim = {dim!r}`: a whole number from 1 was expected")
        for name, given in (("functions", functions), ("gradients", gradients), ("rates", rates)):
            if given is not None and not callable(given):
                raise InputError(f"`{name}`: a function of (t, x) was expected")
        self.dim = dim
        at = np.linspace(0.1, 0.4, dim)
        count = numbers(functions(0.0, at), "functions").size
        values = _Wrapped(functions, (count,), "functions", False)

        def by_step(t: float, x: Floats) -> Floats:
            columns = [
                np.imag(np.asarray(functions(t, x + 1j * EPSILON * unit))) / EPSILON
                for unit in np.eye(dim)
            ]
            return np.ascontiguousarray(np.array(columns).T.reshape(count, dim))

        if gradients is None:
            _require_analytic(functions, by_step, at)
        self._spec = {
            "dim": dim,
            "count": count,
            "values": values,
            "gradients": _Wrapped(gradients or by_step, (count, dim), "gradients", False),
            "rates": None if rates is None else _Wrapped(rates, (count,), "rates", False),
            "prox_regular": None if prox_regular is None else float(prox_regular),
        }

    def spec(self) -> tuple[str, dict[str, Any]]:
        return "smooth", self._spec


def _require_analytic(functions: Any, by_step: Any, at: Floats) -> None:
    """Compares the complex step with differences, once."""
    advice = "write the functions with analytic NumPy functions, or give `gradients`"
    try:
        exact = by_step(0.0, at)
    except Exception as error:
        raise InputError(f"`functions` do not take complex arrays ({error}): {advice}") from error
    for j, unit in enumerate(np.eye(len(at))):
        ahead = np.asarray(functions(0.0, at + 1e-5 * unit), dtype=np.float64)
        back = np.asarray(functions(0.0, at - 1e-5 * unit), dtype=np.float64)
        rough = np.ravel((ahead - back) / 2e-5)
        # Differences are right to 1e-9 or so; a step that is lost is wrong by far.
        if not np.all(np.abs(exact[:, j] - rough) <= 1e-4 * (1 + np.abs(rough))):
            raise InputError(f"`functions` are not analytic at {at.tolist()}: {advice}")
