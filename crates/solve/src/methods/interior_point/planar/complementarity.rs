//! The four complementarity pairs of one contact in the planar interior point method, and their elimination.

use crate::methods::newton_system::planar_system::TangentBlock;

/// Pairs z = (n, p, m, γ) and s of a contact, their changes, and the residual of the definitions of s.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ComplementarityPairs {
    mu: f64,
    pub z: [f64; 4],
    pub s: [f64; 4],
    pub dz: [f64; 4],
    pub ds: [f64; 4],
    rest: [f64; 4],
    /// Right-hand side of the linearised pairs: target − z (s + rest).
    right: [f64; 4],
    answer: PairElimination,
}

/// Eliminated pairs: (dp, dm) from their right-hand sides, and dn from du_n.
#[derive(Debug, Clone, Copy, Default)]
struct PairElimination {
    /// The 2 × 2 inverse for (dp, dm).
    inverse: [[f64; 2]; 2],
    /// The same applied to (p, m), computed without cancellation.
    common: [f64; 2],
    /// dn = (right_n − n du_n) · `normal`.
    normal: f64,
    /// γ/s_γ.
    share: f64,
}

/// Safety factor above the rounding of a product.
const SPARE: f64 = 1.0 + 1e-9;

impl ComplementarityPairs {
    /// Around these scaled impulses, at the distance `room` from the boundary.
    pub fn at(mu: f64, x: [f64; 2], room: f64) -> Self {
        // Inside the cone: n positive, the tangential part below 0.9 μ n, p and m positive.
        let n = x[0].max(room);
        let t = x[1].clamp(-0.9 * mu * n, 0.9 * mu * n);
        let least = 0.05 * mu * n;
        let (p, m) = (t.max(0.0) + least, (-t).max(0.0) + least);
        Self {
            mu,
            z: [n, p, m, 0.0],
            ..Self::default()
        }
    }

    /// Sets γ and s at these velocities.
    pub fn open(&mut self, u: [f64; 2], room: f64) {
        let [n, p, m, _] = self.z;
        let gamma = u[1].abs() + room;
        self.z[3] = gamma;
        self.s = [
            u[0].max(room),
            (u[1] + gamma).max(room),
            (gamma - u[1]).max(room),
            (self.mu * n - p - m).max(0.1 * room),
        ];
    }

    /// Scaled impulse (n, p − m).
    pub fn impulse(&self) -> [f64; 2] {
        [self.z[0], self.z[1] - self.z[2]]
    }

    /// Residual of the definitions of s at these velocities.
    pub fn set_rest(&mut self, u: [f64; 2]) {
        let [n, p, m, gamma] = self.z;
        let is = [u[0], u[1] + gamma, gamma - u[1], self.mu * n - p - m];
        for k in 0..4 {
            self.rest[k] = is[k] - self.s[k];
        }
    }

    /// Eliminates the pairs; returns K.
    pub fn eliminate(&mut self, alpha: f64) -> TangentBlock {
        let ([n, p, m, gamma], [s_n, s_p, s_m, s_g]) = (self.z, self.s);
        // Matrix of (dp, dm) after elimination of γ.
        let e = gamma / s_g;
        let a = [
            [s_p + p * (alpha + e), p * (e - alpha)],
            [m * (e - alpha), s_m + m * (alpha + e)],
        ];
        // The determinant as a sum of positive terms, without cancellation.
        let size = s_p * s_m + (s_p * m + s_m * p) * (alpha + e) + 4.0 * p * m * alpha * e;
        self.answer = PairElimination {
            inverse: [
                [a[1][1] / size, -a[0][1] / size],
                [-a[1][0] / size, a[0][0] / size],
            ],
            common: [
                p * (s_m + 2.0 * alpha * m) / size,
                m * (s_p + 2.0 * alpha * p) / size,
            ],
            normal: 1.0 / (s_n + alpha * n),
            share: e,
        };
        let k = n * self.answer.normal;
        let along = self.answer.of(-p, m);
        let [dp, dm] = self.answer.common;
        TangentBlock {
            n: k,
            c: e * self.mu * (dp - dm) * k,
            t: along[1] - along[0],
        }
    }

    /// Sets the target of z s; returns c, the change of the impulse at fixed velocity.
    pub fn aim(&mut self, target: [f64; 4]) -> [f64; 2] {
        for k in 0..4 {
            self.right[k] = target[k] - self.z[k] * (self.s[k] + self.rest[k]);
        }
        let [dn, dp, dm] = self.respond([0.0; 2]);
        [dn, dp - dm]
    }

    /// dn, dp and dm for a velocity change du.
    fn respond(&self, du: [f64; 2]) -> [f64; 3] {
        let ([n, p, m, _], answer) = (self.z, &self.answer);
        let dn = (self.right[0] - n * du[0]) * answer.normal;
        // dγ without its dependence on dp and dm.
        let bare = self.right[3] / self.s[3] - answer.share * self.mu * dn;
        let [dp, dm] = answer.of(self.right[1] - p * du[1], self.right[2] + m * du[1]);
        let [by_p, by_m] = answer.common;
        [dn, dp - bare * by_p, dm - bare * by_m]
    }

    /// Changes of all pairs for a velocity change du.
    pub fn change(&mut self, du: [f64; 2], alpha: f64) {
        let [dn, dp, dm] = self.respond(du);
        let shift = alpha * (dp - dm);
        // Of two equivalent formulas for dγ and ds_γ the one that divides by the larger number.
        let (slack, gamma) = if self.z[3] <= self.s[3] {
            let slack = self.mu * dn - dp - dm;
            (slack, (self.right[3] - self.z[3] * slack) / self.s[3])
        } else {
            let gamma = if self.z[1] >= self.z[2] {
                (self.right[1] - self.s[1] * dp) / self.z[1] - du[1] - shift
            } else {
                (self.right[2] - self.s[2] * dm) / self.z[2] + du[1] + shift
            };
            ((self.right[3] - self.s[3] * gamma) / self.z[3], gamma)
        };
        self.dz = [dn, dp, dm, gamma];
        let ds = [
            du[0] + alpha * dn,
            du[1] + gamma + shift,
            gamma - du[1] - shift,
            slack,
        ];
        for k in 0..4 {
            self.ds[k] = ds[k] + self.rest[k];
        }
    }

    /// Largest step that keeps z and s positive, at most `longest`.
    pub fn max_step(&self, longest: f64) -> f64 {
        let pairs = self.z.iter().zip(&self.dz);
        let others = self.s.iter().zip(&self.ds);
        // Division only where the bound would decrease: such a branch is rarely taken and well predicted.
        pairs.chain(others).fold(longest, |step, (x, d)| {
            if (*d < 0.0) & (-d * step * SPARE > *x) {
                step.min(-x / d)
            } else {
                step
            }
        })
    }

    /// Σ min(z, s)² over the four pairs.
    pub fn left(&self) -> f64 {
        (0..4).map(|k| self.z[k].min(self.s[k]).powi(2)).sum()
    }

    /// Σ z s after a step.
    pub fn gap(&self, step: f64) -> f64 {
        (0..4)
            .map(|k| (self.z[k] + step * self.dz[k]) * (self.s[k] + step * self.ds[k]))
            .sum()
    }
}

impl PairElimination {
    fn of(&self, a: f64, b: f64) -> [f64; 2] {
        let [x, y] = &self.inverse;
        [x[0] * a + x[1] * b, y[0] * a + y[1] * b]
    }
}
