"""Rows G and W of constraints of Python functions, and the second derivatives along a motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Optional

import numpy as np

from ._derivatives import Array, Chart, Floats, Function, difference, slope
from ._percuss import InputError

#: Positions and velocities at the start.
State = tuple[Floats, Floats]


class Rows:
    """Rows of G and W from a velocity U(t, q, u), affine in u."""

    def __init__(self, function: Function, chart: Chart, exact: Optional[bool], at: State) -> None:
        self.chart = chart
        self.function = function
        q, u = at
        first = np.atleast_1d(function(0.0, q, u))
        if first.ndim != 1:
            raise InputError(f"`{function.name}` gave an array of shape {first.shape}; a number or a list was expected")
        self.count = len(first)
        function.shape = (self.count,)
        one, two = np.ones_like(u), np.arange(1.0, len(u) + 1.0)
        zero = function(0.0, q, 0 * u)
        crossed = function(0.0, q, one + two) - function(0.0, q, one) - function(0.0, q, two) + zero
        size = 1.0 + float(np.max(np.abs(function(0.0, q, one + two)), initial=0.0))
        if not np.all(np.abs(crossed) <= 1e-9 * size):
            raise InputError(f"`{function.name}` is not linear (affine) in the velocities")
        self.exact = exact is not False and _takes_complex(
            lambda s: function(0.0, chart.advance(q, one, s), u)
        )

    def rows(self, t: float, q: Floats) -> tuple[Array, Array]:
        units = np.eye(self.chart.num_velocities)
        boundary = self.function(t, q, np.zeros(len(units)))
        columns = [self.function(t, q, unit) - boundary for unit in units]
        return np.array(columns).T, boundary

    def bias(self, t: float, q: Floats, v: Floats) -> Array:
        return slope(
            lambda s: self.function(t + s, self.chart.advance(q, v, s), v), self.exact
        )


def _takes_complex(probe: Callable[[Any], Array]) -> bool:
    """Whether a complex step agrees with differences."""
    try:
        with np.errstate(all="ignore"):
            by_step = slope(probe, True)
    except Exception:
        return False
    by_difference = difference(probe)
    size = 1.0 + float(np.max(np.abs(by_difference), initial=0.0))
    return bool(np.all(np.abs(by_step - by_difference) <= 1e-5 * size))


class Positions:
    """Rows of functions f(t, q) of the position: G = ∂f/∂q, W = ∂f/∂t."""

    def __init__(
        self,
        function: Function,
        gradient: Optional[Function],
        rate: Optional[Function],
        chart: Chart,
        exact: Optional[bool],
        at: State,
    ) -> None:
        self.chart = chart
        self.function = function
        self.gradient = gradient
        self.rate = rate
        q, _ = at
        first = np.atleast_1d(function(0.0, q))
        if first.ndim != 1:
            raise InputError(f"`{function.name}` gave an array of shape {first.shape}; a number or a list was expected")
        self.count = len(first)
        function.shape = (self.count,)
        n = chart.num_velocities
        along = np.ones(n)
        line = lambda s: function(0.0, chart.advance(q, along, s))  # noqa: E731
        if gradient is None:
            function.settle(exact, line, "its gradient")
            if function.exact and not function.timeless:
                function.settle(exact, lambda s: function(s, q), "its rate")
            self.given_exact = False
        else:
            gradient.shape = None
            given = self._gradient(0.0, q)
            by_difference = difference(line)
            size = 1.0 + float(np.max(np.abs(by_difference), initial=0.0))
            # Differences are right to 1e-10; a gradient of something else is wrong by far.
            if not np.all(np.abs(given @ along - by_difference) <= 1e-5 * size):
                raise InputError(
                    f"`{gradient.name}` is not the gradient of `{function.name}`: along (1, …, 1) it "
                    f"gives {given @ along}, differences of the function {by_difference}"
                )
            self.given_exact = exact is not False and _takes_complex(
                lambda s: self._gradient(0.0, chart.advance(q, along, s))
            )
            function.exact = exact is not False and _takes_complex(line)

    def _gradient(self, t: Any, q: Array) -> Array:
        assert self.gradient is not None
        value = self.gradient(t, q)
        shape = (self.count, self.chart.num_velocities)
        if value.shape != shape and not (self.count == 1 and value.shape == shape[1:]):
            raise InputError(
                f"`{self.gradient.name}` gave an array of shape {value.shape}; {shape} was expected"
            )
        return value.reshape(shape)

    def values(self, t: Any, q: Array) -> Array:
        return self.function(t, q)

    def _rate(self, t: Any, q: Array) -> Array:
        if self.rate is not None:
            return np.atleast_1d(self.rate(t, q))
        if self.function.timeless:
            return np.zeros(self.count)
        return slope(lambda s: self.function(t + s, q), self.function.exact)

    def rows(self, t: float, q: Floats) -> tuple[Array, Array]:
        if self.gradient is not None:
            return self._gradient(t, q), self._rate(t, q)
        columns = [
            slope(lambda s: self.function(t, self.chart.advance(q, unit, s)), self.function.exact)
            for unit in np.eye(self.chart.num_velocities)
        ]
        return np.array(columns).T, self._rate(t, q)

    def bias(self, t: float, q: Floats, v: Floats) -> Array:
        """The second derivative along the motion of constant velocity."""
        advance = self.chart.advance
        if self.gradient is not None and self.function.timeless:
            return slope(lambda s: self._gradient(t + s, advance(q, v, s)) @ v, self.given_exact)
        if self.function.exact:
            return difference(
                lambda r: slope(lambda s: self.function(t + r + s, advance(q, v, r + s)), True)
            )
        # f'' by differences of fourth order; 1e-3 leaves 1e-9 of rounding.
        f = [self.function(t + k * 1e-3, advance(q, v, k * 1e-3)) for k in (-2, -1, 0, 1, 2)]
        second: Array = (-f[0] + 16 * f[1] - 30 * f[2] + 16 * f[3] - f[4]) / 12e-6
        return second
