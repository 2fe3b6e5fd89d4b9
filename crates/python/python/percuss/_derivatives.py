"""Derivatives of Python functions along motions.

First derivatives are taken by a complex step, f'(x) = Im f(x + iε)/ε with ε = 1e-20: no difference of
nearly equal numbers is formed and the result is exact to rounding, for functions that are analytic and
take complex arrays. Where a function is known on the real line only, central differences of fourth order
stand in (1e-11 or so of the size of the function). Second derivatives along a motion are differences of
fourth order of first ones.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Optional, Union

import numpy as np
from numpy.typing import NDArray

from ._percuss import InputError

Floats = NDArray[np.float64]
Array = NDArray[Any]

#: The complex step. Squares of it vanish beside 1.
EPSILON = 1e-20

#: Step of central differences of fourth order: the error is 1e-12 f⁽⁵⁾ beside 2e-13 f of rounding.
STEP = 1e-3

_WEIGHTS = ((1.0, 2.0 / 3.0), (2.0, -1.0 / 12.0))


def slope(f: Callable[[Any], Array], exact: bool) -> Array:
    """d/ds f(s) at 0: by a complex step where ``exact``, else by differences."""
    if exact:
        return np.imag(f(1j * EPSILON)) / EPSILON
    return difference(f)


def difference(f: Callable[[float], Array]) -> Array:
    """d/ds f(s) at 0 by central differences of fourth order.

    >>> bool(abs(difference(lambda s: np.exp(np.array([s])))[0] - 1) < 1e-11)
    True
    """
    total: Any = 0.0
    for k, weight in _WEIGHTS:
        total = total + weight / STEP * (f(k * STEP) - f(-k * STEP))
    out: Array = np.asarray(total)
    return out


class Chart:
    """How positions follow velocities: lines and angles add, quaternions turn about body axes."""

    def __init__(self, kinds: Sequence[str]) -> None:
        self.kinds = list(kinds)
        self.flat = "orientation" not in self.kinds
        self.num_positions = sum(4 if kind == "orientation" else 1 for kind in kinds)
        self.num_velocities = sum(3 if kind == "orientation" else 1 for kind in kinds)

    def advance(self, q: Array, v: Array, s: Any) -> Array:
        """The position after the time s, which may be complex, along a constant velocity."""
        if self.flat:
            moved: Array = q + s * v
            return moved
        parts: list[Array] = []
        p = w = 0
        for kind in self.kinds:
            if kind == "orientation":
                parts.append(_turn(q[p : p + 4], v[w : w + 3], s))
                p, w = p + 4, w + 3
            else:
                parts.append(q[p : p + 1] + s * v[w : w + 1])
                p, w = p + 1, w + 1
        return np.concatenate(parts)

    def spins(self) -> list[int]:
        """First velocity of each orientation."""
        out, w = [], 0
        for kind in self.kinds:
            if kind == "orientation":
                out.append(w)
            w += 3 if kind == "orientation" else 1
        return out


def _turn(q: Array, spin: Array, s: Any) -> Array:
    """q ⊗ exp(½ s ω)."""
    rate = float(np.sqrt(np.dot(spin, spin).real))
    if rate == 0.0:
        still: Array = q + 0.0 * s
        return still
    half = 0.5 * s * rate
    w, (x, y, z) = np.cos(half), np.sin(half) * spin / rate
    a, b, c, d = q
    return np.array(
        [
            a * w - b * x - c * y - d * z,
            a * x + b * w + c * z - d * y,
            a * y - b * z + c * w + d * x,
            a * z + b * y - c * x + d * w,
        ]
    )


Given = Union[Callable[..., Any], float, int, Sequence[Any], Array]


class Function:
    """A user's function, or a constant, that is asked by (t, q) or (t, q, u).

    A function may take fewer arguments from the left: ``A(q)`` where ``A(t, q)`` is expected. What it
    returns must have the shape that it is expected to have.
    """

    def __init__(
        self,
        given: Given,
        name: str,
        arguments: str,
        shape: Optional[tuple[int, ...]] = None,
    ) -> None:
        self.name = name
        self.shape = shape
        self.exact = True
        self.constant: Optional[Array] = None
        self.function: Optional[Callable[..., Any]] = None
        self.skips = 0
        if callable(given):
            self.function = given
            self.skips = _skipped(given, name, arguments)
        else:
            self.constant = self._checked(given, False)

    @property
    def timeless(self) -> bool:
        """Whether time does not enter."""
        return self.constant is not None or self.skips > 0

    def __call__(self, *arguments: Any) -> Array:
        if self.function is None:
            assert self.constant is not None
            return self.constant
        value = self.function(*arguments[self.skips :])
        complex_allowed = any(np.iscomplexobj(a) for a in arguments)
        return self._checked(value, complex_allowed)

    def _checked(self, value: Any, complex_allowed: bool) -> Array:
        try:
            out = np.asarray(value)
        except Exception as error:
            raise InputError(f"`{self.name}` is no array of numbers: {error}") from None
        if out.dtype.kind not in "biufc":
            kind = type(value).__name__
            raise InputError(f"`{self.name}` gave {kind}; numbers were expected")
        if out.dtype.kind == "c" and not complex_allowed:
            raise InputError(f"`{self.name}` gave complex numbers for real arguments")
        if self.shape is not None and out.shape != self.shape:
            if out.size == int(np.prod(self.shape)) and out.ndim <= 1 and len(self.shape) <= 1:
                out = out.reshape(self.shape)
            else:
                raise InputError(
                    f"`{self.name}` gave an array of shape {out.shape}; {self.shape} was expected"
                )
        if out.dtype.kind != "c":
            out = out.astype(np.float64)
        return out

    def settle(self, exact: Optional[bool], probe: Callable[[Any], Array], what: str) -> None:
        """Decides between complex steps and differences: ``probe(s)`` is the function along a line.

        ``exact`` is what the user wants; ``None``: complex steps, and a word about it where these fail.
        """
        if exact is False:
            self.exact = False
            return
        if self.function is None:
            return
        advice = (
            "write it with NumPy functions that are analytic (no abs, norm, comparisons of complex "
            'numbers), give the derivative, or choose derivatives="differences"'
        )
        by_difference = difference(probe)
        try:
            with np.errstate(all="ignore"):
                by_step = slope(probe, True)
        except InputError:
            raise
        except Exception as error:
            raise InputError(
                f"`{self.name}` does not take complex arrays ({error}), by which {what} would be "
                f"had: {advice}"
            ) from error
        size = 1.0 + float(np.max(np.abs(by_difference), initial=0.0))
        # Differences are right to 1e-10 of the size; a derivative that is wrong is so by far.
        if not np.all(np.abs(by_step - by_difference) <= 1e-5 * size):
            raise InputError(
                f"`{self.name}` is not analytic: {what} is {by_step} by a complex step, "
                f"{by_difference} by differences; {advice}"
            )


def _skipped(function: Callable[..., Any], name: str, arguments: str) -> int:
    """How many arguments a function leaves out on the left."""
    wanted = len(arguments.split(", "))
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 0
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return 0
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    needed = sum(p.default is p.empty for p in plain)
    for count in range(wanted, 0, -1):
        if needed <= count <= len(plain):
            return wanted - count
    raise InputError(
        f"`{name}` takes {len(plain)} arguments; a function of ({arguments}), or of the last of "
        "them, was expected"
    )
