//! Reaction selection for dependent (hyperstatic) constraints.
//!
//! More constraints than degrees of freedom leave accelerations determined and reactions not: every R + N z with Ĝᵀ N =
//! 0 gives the same motion, also for one contact whose own Jacobian has reduced rank (M88 §17). The laws only need some
//! reactions that satisfy them, so those with the largest smallest margin are taken,
//!
//! ```text
//! max τ:   m_j(R + N z) ≥ τ w_j  for all margins m_j (concave in R),   τ ≤ 1,   |z| bounded
//! ```
//!
//! a second-order cone program, solved by Newton's method with a logarithmic barrier. τ < 0 says that no reactions
//! satisfy the laws.

use percuss_convex::dense;

use super::contact_mode::{
    ContactMode, ForceSet, PartMode, SetScale, along, length, norm, outward,
};
use super::evaluated_state::EvaluatedConstraint;

/// Bound on |z|, in multiples of the forces at hand.
const FAR: f64 = 1e3;

/// Final barrier parameter: the optimum is missed by this much for each margin.
const LAST: f64 = 1e-12;

/// A margin as a second-order cone: s·x − |F x| ≥ τ w, with x = (z, 1).
struct MarginCone {
    /// The linear part s: coefficients of z, then the constant.
    line: Vec<f64>,
    /// Rows of F, each as `line`; none for a half-space.
    body: Vec<Vec<f64>>,
    weight: f64,
}

/// Reactions as affine functions of z: one column for each vector of the null space, then the constant, each by
/// constraint and row.
pub(crate) struct ReactionFamily<'a> {
    pub(crate) locals: &'a [EvaluatedConstraint],
    pub(crate) modes: &'a [ContactMode],
    /// columns[k][constraint][row]; the last is the constant.
    pub(crate) columns: Vec<Vec<Vec<f64>>>,
    /// Force scale, by constraint.
    pub(crate) force: Vec<f64>,
}

impl ReactionFamily<'_> {
    /// Coefficients of one reaction: of z, then the constant.
    fn row(&self, local: usize, row: usize) -> Vec<f64> {
        self.columns.iter().map(|c| c[local][row]).collect()
    }

    /// The z that maximises the smallest margin; z = 0 if all margins are non-negative there. With `any`, the first z
    /// at which they are.
    pub(crate) fn best(&self, any: bool) -> Vec<f64> {
        let cones = self.cones();
        let free = self.columns.len() - 1;
        let barrier = Barrier { cones, free };
        // Determined, or admissible already.
        if free == 0 || barrier.least() >= 0.0 {
            return vec![0.0; free];
        }
        barrier.maximise(any)
    }

    /// All margins of the modes as cones.
    fn cones(&self) -> Vec<MarginCone> {
        let mut cones = Vec::new();
        for (k, local) in self.locals.iter().enumerate() {
            let ContactMode::Closed { sign, grips } = &self.modes[k] else {
                continue;
            };
            let weight = self.force[k].max(f64::MIN_POSITIVE);
            // The scale s of the force sets, as an affine function of z.
            let scale = match local.structure.scale {
                SetScale::Fixed => self.constant(1.0),
                SetScale::Normal => self.row(k, 0),
                SetScale::Magnitude if local.structure.normal == 1 => {
                    scaled(&self.row(k, 0), *sign)
                }
                // The magnitude of two reactions is not concave: left as it is.
                SetScale::Magnitude => continue,
            };
            if local.structure.scale != SetScale::Fixed {
                cones.push(half_space(scale.clone(), weight));
            }
            for (p, grip) in grips.iter().enumerate() {
                self.part(k, p, grip, &scale, weight, &mut cones);
            }
        }
        cones
    }

    fn constant(&self, value: f64) -> Vec<f64> {
        let mut line = vec![0.0; self.columns.len()];
        line[self.columns.len() - 1] = value;
        line
    }

    /// Cones of one part in the mode `grip`.
    fn part(
        &self,
        k: usize,
        p: usize,
        grip: &PartMode,
        scale: &[f64],
        weight: f64,
        cones: &mut Vec<MarginCone>,
    ) {
        let part = &self.locals[k].structure.parts[p];
        let rows: Vec<Vec<f64>> = part.rows.clone().map(|i| self.row(k, i)).collect();
        let edge = |v: &[[f64; 2]], n: [f64; 2], at: usize| {
            // n·(s v − f).
            let mut line = scaled(scale, n[0] * v[at][0] + n[1] * v[at][1]);
            dense::axpy(-n[0], &rows[0], &mut line);
            dense::axpy(-n[1], &rows[1], &mut line);
            line
        };
        match (grip, &part.stick_set, &part.slide_set) {
            (PartMode::Stick, ForceSet::Interval { plus, minus }, _) => {
                // Two half-spaces, ±f ≤ s·bound.
                for (bound, sense) in [(plus, -1.0), (minus, 1.0)] {
                    if bound.is_finite() {
                        let mut line = scaled(scale, *bound);
                        dense::axpy(sense, &rows[0], &mut line);
                        cones.push(half_space(line, weight));
                    }
                }
            }
            (PartMode::Stick, ForceSet::Disc(radius), _) => cones.push(MarginCone {
                line: scaled(scale, *radius),
                body: rows,
                weight,
            }),
            (PartMode::Stick, ForceSet::Ellipse(axes), _) if axes[0] > 0.0 && axes[1] > 0.0 => {
                // Scale to a disc of the shorter axis.
                let unit = axes[0].min(axes[1]);
                let body = (0..2).map(|i| scaled(&rows[i], unit / axes[i])).collect();
                cones.push(MarginCone {
                    line: scaled(scale, unit),
                    body,
                    weight,
                });
            }
            (PartMode::Stick, ForceSet::Polygon(section), _) => {
                let v = section.vertices();
                for at in 0..v.len() {
                    cones.push(half_space(edge(v, outward(v, at), at), weight));
                }
            }
            (PartMode::Edge(at), _, ForceSet::Polygon(section)) => {
                let v = section.vertices();
                let e = along(v, *at);
                // Position along the edge between its two vertices.
                let share = scaled(&edge(v, e, *at), -1.0);
                let mut room = scaled(scale, length(v, *at));
                dense::axpy(-1.0, &share, &mut room);
                cones.push(half_space(share, weight));
                cones.push(half_space(room, weight));
            }
            _ => {}
        }
    }
}

fn half_space(line: Vec<f64>, weight: f64) -> MarginCone {
    MarginCone {
        line,
        body: Vec::new(),
        weight,
    }
}

fn scaled(x: &[f64], s: f64) -> Vec<f64> {
    super::contact_mode::scaled(x, s)
}

/// Barrier problem in x = (z, τ).
struct Barrier {
    cones: Vec<MarginCone>,
    free: usize,
}

impl Barrier {
    /// Linear part of a cone at x, less τ w.
    fn lead(cone: &MarginCone, x: &[f64]) -> f64 {
        let free = x.len() - 1;
        dense::dot(&cone.line[..free], &x[..free]) + cone.line[free] - x[free] * cone.weight
    }

    fn body(cone: &MarginCone, x: &[f64]) -> Vec<f64> {
        let free = x.len() - 1;
        let value = |row: &Vec<f64>| dense::dot(&row[..free], &x[..free]) + row[free];
        cone.body.iter().map(value).collect()
    }

    /// Barrier function −τ − μ Σ log; infinite outside.
    fn value(&self, x: &[f64], mu: f64) -> f64 {
        let tau = x[self.free];
        let mut logs = (1.0 - tau).max(0.0).ln();
        // Bounds on z and τ.
        for z in &x[..self.free] {
            logs += (1.0 - (z / FAR).powi(2)).max(0.0).ln();
        }
        for cone in &self.cones {
            let (lead, f) = (Self::lead(cone, x), norm(&Self::body(cone, x)));
            if !(lead > f) {
                return f64::INFINITY;
            }
            let unit = cone.weight;
            logs += if cone.body.is_empty() {
                (lead / unit).ln()
            } else {
                ((lead - f) / unit * ((lead + f) / unit)).ln()
            };
        }
        let value = -tau - mu * logs;
        if value.is_nan() { f64::INFINITY } else { value }
    }

    /// Gradient and Hessian of the barrier function.
    fn derivatives(&self, x: &[f64], mu: f64) -> (Vec<f64>, Vec<f64>) {
        let m = self.free + 1;
        let (mut g, mut h) = (vec![0.0; m], vec![0.0; m * m]);
        let tau = x[self.free];
        // Objective and bounds.
        g[self.free] = -1.0 + mu / (1.0 - tau);
        h[m * m - 1] = mu / (1.0 - tau).powi(2);
        for i in 0..self.free {
            let (a, b) = (FAR - x[i], FAR + x[i]);
            g[i] += mu * (1.0 / a - 1.0 / b);
            h[i * m + i] += mu * (1.0 / (a * a) + 1.0 / (b * b));
        }
        for cone in &self.cones {
            let (lead, f) = (Self::lead(cone, x), Self::body(cone, x));
            // Barrier −log d with d = lead² − |f|², or lead alone for a half-space.
            let mut slope_lead = cone.line[..self.free].to_vec();
            slope_lead.push(-cone.weight);
            if cone.body.is_empty() {
                add(&mut g, &mut h, &slope_lead, mu, lead);
                continue;
            }
            let d = (lead - norm(&f)) * (lead + norm(&f));
            let mut slope = vec![0.0; m];
            dense::axpy(2.0 * lead, &slope_lead, &mut slope);
            // Cone: gradient of d and the constant Hessian of d.
            let mut rows = vec![(1.0, slope_lead)];
            for (row, value) in cone.body.iter().zip(&f) {
                let mut line = row[..self.free].to_vec();
                line.push(0.0);
                dense::axpy(-2.0 * value, &line, &mut slope);
                rows.push((-1.0, line));
            }
            add(&mut g, &mut h, &slope, mu, d);
            for (sign, line) in rows {
                rank_one(&mut h, &line, -2.0 * sign * mu / d);
            }
        }
        (g, h)
    }

    /// Smallest relative margin at z = 0.
    fn least(&self) -> f64 {
        let share = |c: &MarginCone| {
            let lead = c.line[self.free];
            let f: Vec<f64> = c.body.iter().map(|row| row[self.free]).collect();
            (lead - norm(&f)) / c.weight
        };
        self.cones.iter().map(share).fold(1.0, f64::min)
    }

    /// z of the largest τ, or with `any` of the first positive τ.
    fn maximise(&self, any: bool) -> Vec<f64> {
        let mut x = vec![0.0; self.free + 1];
        // Strictly feasible start: z = 0, τ below the smallest margin.
        x[self.free] = self.least() - 1.0;
        let mut mu = 1.0;
        // Reduce the barrier parameter; Newton's method to each centre.
        while mu > LAST && !(any && x[self.free] > 0.0) {
            mu *= 0.1;
            for _ in 0..40 {
                if !self.newton(&mut x, mu) {
                    break;
                }
            }
        }
        x.truncate(self.free);
        x
    }

    /// One damped Newton step; false when converged.
    fn newton(&self, x: &mut [f64], mu: f64) -> bool {
        let m = x.len();
        let (g, mut h) = self.derivatives(x, mu);
        // Tiny regularisation of the Hessian, then the Newton direction.
        let trace: f64 = (0..m).map(|i| h[i * m + i]).sum();
        (0..m).for_each(|i| h[i * m + i] += 1e-15 * trace);
        let mut step: Vec<f64> = g.iter().map(|g| -g).collect();
        if dense::cholesky_in_place(&mut h, m).is_err() {
            return false;
        }
        dense::solve_spd(&h, m, &mut step);
        let decrease = -dense::dot(&g, &step);
        if !(decrease > 1e-6 * mu) {
            return false;
        }
        // Backtracking line search (Armijo).
        let before = self.value(x, mu);
        let mut length = 1.0;
        for _ in 0..60 {
            let trial: Vec<f64> = x.iter().zip(&step).map(|(x, s)| x + length * s).collect();
            if self.value(&trial, mu) <= before - 0.1 * length * decrease {
                x.copy_from_slice(&trial);
                return true;
            }
            length *= 0.5;
        }
        false
    }
}

/// Adds −μ log d with gradient ∇d of d: gradient −μ∇d/d, Hessian μ ∇d∇dᵀ/d².
fn add(g: &mut [f64], h: &mut [f64], slope: &[f64], mu: f64, d: f64) {
    dense::axpy(-mu / d, slope, g);
    rank_one(h, slope, mu / (d * d));
}

fn rank_one(h: &mut [f64], v: &[f64], s: f64) {
    let m = v.len();
    for i in 0..m {
        for j in 0..m {
            h[i * m + j] += s * v[i] * v[j];
        }
    }
}
