//! Mass matrix A(t,q) at one configuration and its Cholesky factor: A = L Lᵀ, kinetic coordinates v̂ = Lᵀ v, E =
//! ½‖v̂‖².

use percuss_convex::{ConvexError, dense};

use crate::error::MechanismError;
use crate::system::{StateRef, System};

/// A pivot below this share of its diagonal entry is rounding: A is singular.
const SINGULAR: f64 = 1e-14;

/// A, its Cholesky factor, and the forces K at one configuration.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inertia {
    /// Number of velocities.
    pub(crate) n: usize,
    /// A, row-major.
    pub(crate) mass: Vec<f64>,
    /// L, lower triangular.
    pub(crate) factor: Vec<f64>,
    /// K.
    pub(crate) force: Vec<f64>,
}

impl Inertia {
    pub(crate) fn new(n: usize) -> Self {
        Self {
            n,
            mass: vec![0.0; n * n],
            factor: vec![0.0; n * n],
            force: vec![0.0; n],
        }
    }

    /// Evaluates A and K at a state and factors A.
    pub(crate) fn evaluate<S: System + ?Sized>(
        &mut self,
        system: &mut S,
        at: StateRef<'_>,
    ) -> Result<(), MechanismError> {
        system.dynamics(at.t, at.q, at.v, &mut self.mass, &mut self.force)?;
        self.factor.copy_from_slice(&self.mass);
        match cholesky(&mut self.factor, self.n) {
            Ok(()) => Ok(()),
            Err((pivot, value)) => Err(self.singular(system, at, pivot, value)),
        }
    }

    /// Error: names the velocity whose pivot failed.
    fn singular<S: System + ?Sized>(
        &self,
        system: &S,
        at: StateRef<'_>,
        pivot: usize,
        value: f64,
    ) -> MechanismError {
        // Singular to rounding, or indefinite.
        let scale = self.mass[pivot * self.n + pivot].abs();
        let singular = value >= -1e-10 * scale;
        MechanismError::Mass {
            what: if singular { "singular" } else { "indefinite" },
            t: at.t,
            coordinate: system.velocity_name(pivot),
            pivot: value,
            state: describe(system, at.q),
        }
    }

    /// Kinetic energy ½ vᵀ A v.
    pub(crate) fn energy(&self, v: &[f64]) -> f64 {
        let n = self.n;
        let mut twice = 0.0;
        for i in 0..n {
            let row = &self.mass[i * n..(i + 1) * n];
            twice += v[i] * dense::dot(row, v);
        }
        0.5 * twice
    }

    /// v + L⁻ᵀ change: a velocity with a change in kinetic coordinates.
    pub(crate) fn moved(&self, v: &[f64], change: &[f64]) -> Vec<f64> {
        let mut change = change.to_vec();
        dense::solve_lower_transposed(&self.factor, self.n, &mut change);
        v.iter().zip(&change).map(|(v, c)| v + c).collect()
    }

    /// x ← A⁻¹ x.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        dense::solve_spd(&self.factor, self.n, x);
    }

    /// Dual norm √(xᵀ A⁻¹ x) = ‖L⁻¹x‖. Overwrites x.
    pub(crate) fn dual_norm(&self, x: &mut [f64]) -> f64 {
        dense::solve_lower(&self.factor, self.n, x);
        dense::dot(x, x).sqrt()
    }

    /// Kinetic norm ‖v‖ = √(vᵀ A v).
    pub(crate) fn norm(&self, v: &[f64]) -> f64 {
        (2.0 * self.energy(v)).max(0.0).sqrt()
    }
}

/// Positions with their names, for messages.
pub(crate) fn describe<S: System + ?Sized>(system: &S, q: &[f64]) -> String {
    let entry = |(i, value): (usize, &f64)| format!("{} = {value}", system.position_name(i));
    let all: Vec<String> = q.iter().enumerate().map(entry).collect();
    all.join(", ")
}

/// Velocities with their names, for messages.
pub(crate) fn named_velocities<S: System + ?Sized>(system: &S, v: &[f64]) -> String {
    let entry = |(i, value): (usize, &f64)| format!("{} = {value}", system.velocity_name(i));
    let all: Vec<String> = v.iter().enumerate().map(entry).collect();
    all.join(", ")
}

/// Lower Cholesky factor in place; the error is the pivot that failed and its value.
pub(crate) fn cholesky(a: &mut [f64], n: usize) -> Result<(), (usize, f64)> {
    match dense::cholesky_in_place(a, n) {
        Err(ConvexError::NotPositiveDefinite { pivot, value, .. }) => return Err((pivot, value)),
        Err(_) => return Err((0, f64::NAN)),
        Ok(()) => {}
    }
    for i in 0..n {
        // Pivots against the diagonal of A, which is the squared length of the row of L.
        let row = &a[i * n..=i * n + i];
        let pivot = row[i] * row[i];
        if !(pivot > SINGULAR * dense::dot(row, row)) {
            return Err((i, pivot));
        }
    }
    Ok(())
}
