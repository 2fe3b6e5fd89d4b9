//! Sets given by smooth inequalities, C(t) = { x : c_k(t, x) ≤ 0 } (M99 10), convex unless declared prox-regular.
//!
//! Projection by sequential quadratic programming with exact second derivatives and a merit function; where that
//! stalls, by cutting planes, which cannot fail on convex functions: every tangent gives an outer half-space, the
//! distance to their intersection rises, and tangents that contradict each other prove that C(t) is empty. Convexity is
//! checked on the way: a tangent that lies above its function at a visited point is reported with both points.
//!
//! A set that is declared prox-regular with a radius r need not be convex: it is projected onto by sequential quadratic
//! programming alone, whose Hessian A + Σ λ ∇²c is positive definite nearer than r, and its radius is checked at
//! every point (module `prox_regular`). Its excess is not searched: the distance is no convex function there.

mod cuts;
mod prox_regular;
mod regular;
mod search;
mod sqp;

use crate::error::{Result, SweepingError, at, check_finite, check_len};
use crate::inequalities::Inequalities;
use crate::lane_sums::{dot, norm, sub};
use crate::metric::Metric;
use crate::moving_set::{MovingSet, ProjectionReport};
use percuss_convex::qp::{LinearConstraints, ProxWorkspace};

/// The set { x : c_k(t, x) ≤ 0 for all k }.
pub struct InequalitySet<I> {
    functions: I,
    metric: Metric,
    /// The metric as a dense matrix.
    white: percuss_convex::Metric,
    /// Multipliers of the last projection: warm start of the next.
    multipliers: Vec<f64>,
    prox: ProxWorkspace,
    /// Declared radius of prox-regularity of a set that is not convex, and the radius at the last point.
    regular: Option<(f64, f64)>,
    /// Points at which the last excesses were attained: starts of the next search.
    witnesses: Vec<Vec<f64>>,
}

impl<I: Inequalities> InequalitySet<I> {
    /// The set of these functions, in the Euclidean metric.
    pub fn new(functions: I) -> Result<Self> {
        let (n, m) = (functions.dim(), functions.count());
        if n == 0 || m == 0 {
            return Err(SweepingError::Invalid {
                what: "number of inequalities or of coordinates",
                value: 0.0,
                expected: "at least 1",
            });
        }
        Ok(Self {
            metric: Metric::Euclidean,
            white: percuss_convex::Metric::euclidean(n),
            multipliers: vec![0.0; m],
            prox: ProxWorkspace::new(),
            regular: None,
            witnesses: Vec::new(),
            functions,
        })
    }

    /// The set of functions that need not be convex, prox-regular with this radius wherever the process meets its
    /// boundary: nearest points are unique up to the distance `radius`.
    pub fn prox_regular(functions: I, radius: f64) -> Result<Self> {
        if !(radius.is_finite() && radius > 0.0) {
            return Err(SweepingError::Invalid {
                what: "radius of prox-regularity",
                value: radius,
                expected: "a positive number",
            });
        }
        let mut set = Self::new(functions)?;
        set.regular = Some((radius, f64::INFINITY));
        Ok(set)
    }

    /// Multipliers of the last projection: A(z − p) = Σ λ_k ∇c_k(p).
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// Tests convexity: looks for a tangent above its function between every two of the given points, which should be
    /// spread over the region of interest.
    ///
    /// # Errors
    /// A function that is not convex, with both points.
    pub fn check_convexity(&self, t: f64, points: &[Vec<f64>]) -> Result<()> {
        let mut tangents = Vec::new();
        for x in points {
            check_len("point of a convexity check", x.len(), self.functions.dim())?;
            tangents.push(self.tangent(t, x)?);
        }
        check_tangents(t, &tangents)
    }

    /// Values and gradients at x, checked to be finite.
    fn tangent(&self, t: f64, x: &[f64]) -> Result<Linearisation> {
        let (n, m) = (self.functions.dim(), self.functions.count());
        let mut tangent = Linearisation {
            x: x.to_vec(),
            values: vec![0.0; m],
            gradients: vec![0.0; n * m],
        };
        self.functions.values(t, x, &mut tangent.values);
        check_finite("inequality", &tangent.values, t)?;
        self.functions.gradients(t, x, &mut tangent.gradients);
        check_finite("gradient of an inequality", &tangent.gradients, t)?;
        Ok(tangent)
    }
}

/// Values and gradients of all functions at one point.
#[derive(Debug, Clone)]
pub(crate) struct Linearisation {
    pub(crate) x: Vec<f64>,
    pub(crate) values: Vec<f64>,
    gradients: Vec<f64>,
}

impl Linearisation {
    pub(crate) fn row(&self, k: usize) -> &[f64] {
        let n = self.x.len();
        &self.gradients[k * n..(k + 1) * n]
    }

    /// Largest c_k/|∇c_k|: the distance to the farthest tangent half-space, ≤ 0 inside.
    fn violation(&self) -> f64 {
        let mut worst = f64::NEG_INFINITY;
        for (k, &c) in self.values.iter().enumerate() {
            let length = norm(self.row(k));
            let distance = if c > 0.0 && length == 0.0 {
                f64::INFINITY
            } else {
                c / length.max(f64::MIN_POSITIVE)
            };
            worst = worst.max(distance);
        }
        worst
    }
}

/// Radii of curvature beyond this multiple of 1 + |x| are those of a straight boundary.
const FLAT: f64 = 1e6;

/// c(y) ≥ c(x) + ∇c(x)·(y − x) for convex c: tests every pair.
fn check_tangents(time: f64, tangents: &[Linearisation]) -> Result<()> {
    for a in tangents {
        for b in tangents {
            let step = sub(&b.x, &a.x);
            let reach = norm(&a.x) + norm(&b.x);
            // The curvature of a function over a shorter distance is lost in the rounding of its values.
            if norm(&step) <= 1e-5 * reach {
                continue;
            }
            for k in 0..a.values.len() {
                let slope = dot(a.row(k), &step);
                let excess = a.values[k] + slope - b.values[k];
                let length = norm(a.row(k));
                let size = a.values[k].abs() + b.values[k].abs() + length * norm(&step);
                // Rounding of any function stays far below a billionth of its terms; at the boundary the terms cancel,
                // and gradient times x gives their size, near the origin gradient times radius of curvature.
                let turn = norm(&sub(b.row(k), a.row(k)));
                let radius = (length * norm(&step) / turn).min(FLAT * (1.0 + reach));
                if excess > 1e-9 * size + length * (1e-13 * reach + 1e-14 * radius) {
                    return Err(SweepingError::NotConvex {
                        time,
                        constraint: k,
                        at: a.x.clone(),
                        seen: b.x.clone(),
                        excess,
                    });
                }
            }
        }
    }
    Ok(())
}

/// Distance from the covector y to the cone of the active gradients: the length of its projection onto the polar cone {
/// v : ∇c_k·v ≤ 0 } (Moreau's decomposition), one quadratic programme.
pub(crate) fn cone_distance(
    metric: &percuss_convex::Metric,
    values: &[f64],
    gradients: &[f64],
    p: &[f64],
    y: &[f64],
    t: f64,
) -> Result<f64> {
    // Gradients of the active functions.
    let mut rows = Vec::new();
    for (&c, g) in values.iter().zip(gradients.chunks_exact(p.len().max(1))) {
        // Active to the accuracy of the projection, with a margin for functions of small gradient.
        if c >= -1e-7 * norm(g) * (1.0 + norm(p)) {
            rows.extend_from_slice(g);
        }
    }
    let mut v = y.to_vec();
    metric.solve(&mut v);
    let bounds = vec![0.0; rows.len() / p.len().max(1)];
    let polar =
        percuss_convex::qp::prox(metric, LinearConstraints::inequalities(&rows, &bounds), &v)
            .map_err(at(t))?;
    Ok(metric.norm(&polar.point))
}

impl<I: Inequalities> MovingSet for InequalitySet<I> {
    fn dim(&self) -> usize {
        self.functions.dim()
    }

    fn set_metric(&mut self, metric: &Metric) -> Result<()> {
        metric.check(self.dim())?;
        self.white = metric.to_convex(self.dim())?;
        self.metric = metric.clone();
        Ok(())
    }

    fn project_into(&mut self, t: f64, z: &[f64], out: &mut [f64]) -> Result<ProjectionReport> {
        check_len("point to project", z.len(), self.dim())?;
        check_finite("point to project", z, t)?;
        if self.regular.is_some() {
            return self.project_regular(t, z, out);
        }
        // A point inside is its own projection.
        let start = self.tangent(t, z)?;
        if start.values.iter().all(|c| *c <= 0.0) {
            self.multipliers.fill(0.0);
            out.copy_from_slice(z);
            return Ok(ProjectionReport::default());
        }
        // SQP, then cutting planes where it fails; test the convexity of the last points.
        let mut visited = vec![start];
        let answer = match self.solve_sqp(t, z, &mut visited)? {
            Some(answer) => answer,
            None => self.cutting_planes(t, z, &mut visited)?,
        };
        check_tangents(t, &visited[visited.len().saturating_sub(8)..])?;
        out.copy_from_slice(&answer.x);
        check_finite("nearest point", out, t)?;
        Ok(ProjectionReport {
            iterations: visited.len(),
            violation: answer.violation().max(0.0),
        })
    }

    fn normal_cone_distance(&mut self, t: f64, p: &[f64], y: &[f64]) -> Result<f64> {
        let tangent = self.tangent(t, p)?;
        cone_distance(&self.white, &tangent.values, &tangent.gradients, p, y, t)
    }

    fn searched_excess(&mut self, from: f64, to: f64) -> Result<Option<f64>> {
        match self.regular {
            None => self.search_excess(from, to),
            Some(_) => Ok(None),
        }
    }

    fn inequalities(&self) -> Option<&dyn Inequalities> {
        Some(&self.functions)
    }

    /// The radius at the last point that was projected onto the set.
    fn prox_regularity_radius(&mut self) -> Result<Option<f64>> {
        Ok(self.regular.map(|(_, here)| here))
    }

    fn projection_multipliers(&self) -> Option<Vec<f64>> {
        Some(self.multipliers.clone())
    }

    fn reset_warm_start(&mut self) {
        self.multipliers.fill(0.0);
        self.witnesses.clear();
    }
}
