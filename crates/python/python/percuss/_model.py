"""What integrators ask of a mechanism of Python functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from ._constraints import Constraint
from ._derivatives import Array, Chart, Floats, Function, slope

__all__ = ["Model"]


class Model:
    """What the integrators ask: one method for each thing a mechanism has to say of itself."""

    def __init__(
        self,
        chart: Chart,
        names: list[str],
        mass: Function,
        force: Optional[Function],
        applied: Optional[Function],
        potential: Optional[Function],
        parts: list[Constraint],
        canonical: Optional[Function],
        impact_map: Optional[Function] = None,
        exponent: float = 1.5,
    ) -> None:
        self.chart = chart
        self.kinds = chart.kinds
        self.position_names, self.velocity_names = _names(names, chart.kinds)
        self.mass = mass
        self.force = force
        self.applied = applied
        self.potential = potential
        self.parts = parts
        self.canonical_e = canonical
        self.velocity_after = impact_map
        self.exponent = exponent
        self.constraints = [part.description() for part in parts]
        self._units = np.eye(chart.num_velocities)

    def dynamics(self, t: float, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """A and K."""
        mass = self.mass(t, q)
        force = self.force(t, q, v) if self.force is not None else self._lagrange(t, q, v, mass)
        return np.ascontiguousarray(mass), np.ascontiguousarray(force)

    def _lagrange(self, t: float, q: Floats, v: Floats, mass: Array) -> Array:
        """Q − ∂V − Ȧu + ½∂(uᵀAu), and −ω × ∂T/∂ω for orientations (B02 2.3)."""
        force: Array = np.zeros(len(v))
        if self.applied is not None:
            force = force + self.applied(t, q, v)
        if self.potential is not None:
            potential, exact = self.potential, self.potential.exact
            for j, unit in enumerate(self._units):
                force[j] -= slope(lambda s: potential(t, self.chart.advance(q, unit, s)), exact)
        if self.mass.constant is None:
            exact = self.mass.exact
            force = force - slope(
                lambda s: self._mass_at(t + s, self.chart.advance(q, v, s)) @ v, exact
            )
            for j, unit in enumerate(self._units):
                force[j] += 0.5 * slope(
                    lambda s: v @ self._mass_at(t, self.chart.advance(q, unit, s)) @ v, exact
                )
        for first in self.chart.spins():
            momentum = (mass @ v)[first : first + 3]
            force[first : first + 3] -= np.cross(v[first : first + 3], momentum)
        return force

    def _mass_at(self, t: Any, q: Array) -> Array:
        # A function of q alone never sees a complex time.
        return self.mass(t, q)

    def tangent(self, t: float, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """∂K along positions and by velocities. Only the iteration of implicit methods uses it."""

        def total(place: Array, velocity: Array) -> Array:
            if self.force is not None:
                return self.force(t, place, velocity)
            return self._lagrange(t, place.real, velocity, self.mass(t, place.real))

        exact = self.force is not None and self.force.exact
        by_q, by_v = [], []
        for unit in self._units:
            by_q.append(slope(lambda s: total(self.chart.advance(q, unit, s), v), exact))
            by_v.append(slope(lambda s: total(q, v + s * unit), exact))
        return (
            np.ascontiguousarray(np.array(by_q).T),
            np.ascontiguousarray(np.array(by_v).T),
        )

    def potential_at(self, t: float, q: Floats) -> float:
        """V."""
        return 0.0 if self.potential is None else float(self.potential(t, q))

    def gaps(self, t: float, q: Floats) -> Floats:
        """Values of all position functions."""
        parts = [part.position(t, q) for part in self.parts if part.num_gaps > 0]
        return np.concatenate(parts) if parts else np.zeros(0)

    def rows(self, k: int, t: float, q: Floats) -> tuple[Floats, Floats]:
        """G and W of a constraint."""
        jacobian, boundary = self.parts[k].rows(t, q)
        return np.ascontiguousarray(jacobian), np.ascontiguousarray(boundary)

    def bias(self, k: int, t: float, q: Floats, v: Floats) -> Floats:
        """Ġu + Ẇ of a constraint."""
        return np.ascontiguousarray(self.parts[k].bias(t, q, v))

    def law(self, k: int, t: float, q: Floats, v: Floats) -> list[float]:
        """Coefficients of the law of a constraint."""
        return self.parts[k].coefficients(t, q, v)

    def restitution(self, k: int, t: float, q: Floats, v: Floats) -> tuple[float, float]:
        """Normal and tangential restitution of a contact."""
        return self.parts[k].rebound(t, q, v)

    def canonical(self, t: float, q: Floats, v: Floats) -> Optional[float]:
        """e of the canonical impact law."""
        return None if self.canonical_e is None else float(self.canonical_e(t, q, v))

    def impact_map(self, t: float, q: Floats, v: Floats) -> Optional[Floats]:
        """The velocity after an impact."""
        if self.velocity_after is None:
            return None
        return np.ascontiguousarray(self.velocity_after(t, q, v))

    def stiffness(self, k: int) -> float:
        """Stiffness of a contact for the law of impulse ratios."""
        return self.parts[k].stiffness


def _names(names: list[str], kinds: Sequence[str]) -> tuple[list[str], list[str]]:
    positions: list[str] = []
    velocities: list[str] = []
    for name, kind in zip(names, kinds):
        if kind == "orientation":
            positions += [f"{name}_{axis}" for axis in "wxyz"]
            velocities += [f"{name}_spin_{k}" for k in (1, 2, 3)]
        else:
            positions.append(name)
            velocities.append(f"{name}_dot")
    return positions, velocities
