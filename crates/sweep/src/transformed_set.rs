//! A set of `convex` under a moving similarity: C(t) = a(t) + s(t) R(t) C₀(t).
//!
//! a is a translation, s > 0 a scale, R an orthogonal matrix, and C₀ may itself depend on time through its parameters
//! (radii, corners, bounds). A projection onto C(t) is one onto C₀ in the metric RᵀAR, since |a + sRy − z|_A = s |y −
//! Rᵀ(z − a)/s|_RᵀAR.
//!
//! Excess of a translation by a: dist(−a, recession cone of C), the part of a that the set does not make good by receding.
//! Of a set that is scaled or rotates, known: e(C(s), C(t)) ≤ |a(t) − a(s)| + ‖M(t) − M(s)‖ ρ with M = sR and
//! ρ = sup |x| over C₀, bounded by its bounding box; for a set with 0 ∈ C₀ that is only scaled, growing adds nothing.
//! Searched: the largest dist(a, C(t)) over supporting points a of C(s) (`percuss_convex::excess`), also where C₀
//! depends on time.

use percuss_convex::{ConvexSet, Set, Support};

use crate::error::{Result, SweepingError, at, check_finite, check_len};
use crate::lane_sums::{axpy, dot, norm, sub};
use crate::metric::Metric;
use crate::moving_set::{MovingSet, ProjectionReport};

/// A vector-valued function of time, written into a slice.
pub type VectorFunction = Box<dyn Fn(f64, &mut [f64]) + Send>;

/// A scalar function of time.
pub type ScalarFunction = Box<dyn Fn(f64) -> f64 + Send>;

/// A set of `convex` as a function of time.
pub type SetFunction = Box<dyn Fn(f64) -> percuss_convex::Result<Set> + Send>;

/// The set C₀.
enum BaseSet {
    Fixed(Box<Set>),
    TimeDependent(SetFunction),
}

/// C(t) = a(t) + s(t) R(t) C₀(t).
pub struct TransformedSet {
    dim: usize,
    body: BaseSet,
    shift: Option<VectorFunction>,
    scale: Option<ScalarFunction>,
    rotation: Option<VectorFunction>,
    metric: Metric,
    convex_metric: percuss_convex::Metric,
    /// Bound ρ of |x| over a fixed C₀ (+∞ if unbounded), computed when first needed.
    radius_bound: Option<f64>,
    /// Whether 0 ∈ C₀; valid once `radius_bound` is known.
    holds_origin: bool,
}

/// The similarity a + sR at one time.
struct Similarity {
    shift: Vec<f64>,
    scale: f64,
    /// R row-major; empty for the identity.
    rotation: Vec<f64>,
}

impl TransformedSet {
    /// A fixed set C₀, to be moved by the `with_` methods.
    pub fn new(set: impl Into<Set>) -> Self {
        let set = set.into();
        Self::from_body(set.dim(), BaseSet::Fixed(Box::new(set)))
    }

    /// A set C₀(t) built at every evaluation; `dim` is its dimension.
    pub fn time_dependent(
        dim: usize,
        shape: impl Fn(f64) -> percuss_convex::Result<Set> + Send + 'static,
    ) -> Self {
        Self::from_body(dim, BaseSet::TimeDependent(Box::new(shape)))
    }

    fn from_body(dim: usize, body: BaseSet) -> Self {
        Self {
            dim,
            body,
            shift: None,
            scale: None,
            rotation: None,
            metric: Metric::Euclidean,
            convex_metric: percuss_convex::Metric::euclidean(dim),
            radius_bound: None,
            holds_origin: false,
        }
    }

    /// Translates the set by a(t).
    pub fn with_shift(mut self, shift: impl Fn(f64, &mut [f64]) + Send + 'static) -> Self {
        self.shift = Some(Box::new(shift));
        self
    }

    /// Scales the set by s(t) > 0 about its own origin.
    pub fn with_scale(mut self, scale: impl Fn(f64) -> f64 + Send + 'static) -> Self {
        self.scale = Some(Box::new(scale));
        self
    }

    /// Rotates the set about its own origin by R(t), an orthogonal matrix, row-major.
    pub fn with_rotation(mut self, rotation: impl Fn(f64, &mut [f64]) + Send + 'static) -> Self {
        self.rotation = Some(Box::new(rotation));
        self
    }

    /// Rotates a set of the plane by the angle φ(t) (counter-clockwise, radians).
    pub fn with_angle(self, angle: impl Fn(f64) -> f64 + Send + 'static) -> Self {
        self.with_rotation(move |t, r| {
            let (s, c) = angle(t).sin_cos();
            if let [xx, xy, yx, yy] = r {
                (*xx, *xy, *yx, *yy) = (c, -s, s, c);
            } else {
                // Not the plane: NaN is refused by the check of the matrix.
                r.fill(f64::NAN);
            }
        })
    }

    /// The similarity at time t, checked.
    fn frame(&self, t: f64) -> Result<Similarity> {
        let n = self.dim;
        // Translation, scale, rotation, each checked.
        let mut shift = vec![0.0; n];
        if let Some(path) = &self.shift {
            path(t, &mut shift);
            check_finite("translation of the set", &shift, t)?;
        }
        let scale = self.scale.as_ref().map_or(1.0, |s| s(t));
        if !(scale.is_finite() && scale > 0.0) {
            return Err(SweepingError::Empty {
                time: t,
                rows: Vec::new(),
                reason: format!("its scale is {scale}, expected a positive number"),
            });
        }
        let mut turn = Vec::new();
        if let Some(path) = &self.rotation {
            turn.resize(n * n, 0.0);
            path(t, &mut turn);
            check_finite("rotation of the set", &turn, t)?;
            check_orthogonal(n, &turn)?;
        }
        Ok(Similarity {
            shift,
            scale,
            rotation: turn,
        })
    }

    /// C₀ at time t.
    fn base(&self, t: f64) -> Result<std::borrow::Cow<'_, Set>> {
        match &self.body {
            BaseSet::Fixed(set) => Ok(std::borrow::Cow::Borrowed(set)),
            BaseSet::TimeDependent(shape) => {
                let set = shape(t).map_err(at(t))?;
                check_len("set at this instant", set.dim(), self.dim)?;
                Ok(std::borrow::Cow::Owned(set))
            }
        }
    }

    /// RᵀAR, the metric of the projection onto C₀.
    fn rotated_metric(&self, turn: &[f64]) -> Result<percuss_convex::Metric> {
        let n = self.dim;
        if turn.is_empty() || self.metric == Metric::Euclidean {
            return Ok(self.convex_metric.clone());
        }
        let a = self.convex_metric.matrix();
        let mut out = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                let entry = |k: usize, l: usize| turn[k * n + i] * a[k * n + l] * turn[l * n + j];
                out[i * n + j] = (0..n)
                    .map(|k| (0..n).map(|l| entry(k, l)).sum::<f64>())
                    .sum();
            }
        }
        percuss_convex::Metric::new(n, &out).map_err(at(f64::NAN))
    }

    /// Upper bound of ρ = sup |x| over a fixed C₀, from its bounding box.
    fn radius_bound(&mut self) -> Result<f64> {
        if let Some(reach) = self.radius_bound {
            return Ok(reach);
        }
        let BaseSet::Fixed(set) = &self.body else {
            return Ok(f64::INFINITY);
        };
        // Half-widths of the bounding box from the support function.
        let mut sum = 0.0;
        for i in 0..self.dim {
            let mut most = 0.0_f64;
            for sign in [-1.0, 1.0] {
                let mut e = vec![0.0; self.dim];
                e[i] = sign;
                most = most.max(set.support(&e).map_err(at(f64::NAN))?.value().abs());
            }
            sum += most * most;
        }
        self.holds_origin = set
            .contains(&vec![0.0; self.dim], 0.0)
            .map_err(at(f64::NAN))?;
        self.radius_bound = Some(sum.sqrt());
        Ok(sum.sqrt())
    }
}

/// Refuses a matrix whose rows are not orthonormal.
fn check_orthogonal(n: usize, r: &[f64]) -> Result<()> {
    for i in 0..n {
        for j in 0..=i {
            let d = dot(&r[i * n..(i + 1) * n], &r[j * n..(j + 1) * n]);
            let off = d - if i == j { 1.0 } else { 0.0 };
            // Sines and cosines are orthogonal to 1e-15; a matrix given with fewer digits is refused.
            if off.abs() > 1e-10 {
                return Err(SweepingError::Invalid {
                    what: "product of two rows of a rotation",
                    value: d,
                    expected: "0 or 1: rows orthonormal to 1e-10",
                });
            }
        }
    }
    Ok(())
}

impl Similarity {
    /// x ↦ Rᵀ x.
    fn back(&self, x: &[f64]) -> Vec<f64> {
        if self.rotation.is_empty() {
            return x.to_vec();
        }
        let n = x.len();
        let mut out = vec![0.0; n];
        for i in 0..n {
            axpy(x[i], &self.rotation[i * n..(i + 1) * n], &mut out);
        }
        out
    }

    /// x ↦ R x.
    fn forward(&self, x: &[f64]) -> Vec<f64> {
        if self.rotation.is_empty() {
            return x.to_vec();
        }
        let rows = self.rotation.chunks_exact(x.len());
        rows.map(|row| dot(row, x)).collect()
    }

    /// The place a + s R y.
    fn placed(&self, y: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; y.len()];
        self.to_world(y, &mut out);
        out
    }

    /// Rᵀ(x − a)/s.
    fn to_body(&self, x: &[f64]) -> Vec<f64> {
        let mut y = self.back(&sub(x, &self.shift));
        y.iter_mut().for_each(|v| *v /= self.scale);
        y
    }

    /// a + s R y.
    fn to_world(&self, y: &[f64], out: &mut [f64]) {
        let n = y.len();
        for i in 0..n {
            let turned = if self.rotation.is_empty() {
                y[i]
            } else {
                dot(&self.rotation[i * n..(i + 1) * n], y)
            };
            out[i] = self.shift[i] + self.scale * turned;
        }
    }
}

impl MovingSet for TransformedSet {
    fn dim(&self) -> usize {
        self.dim
    }

    fn set_metric(&mut self, metric: &Metric) -> Result<()> {
        metric.check(self.dim)?;
        self.convex_metric = metric.to_convex(self.dim)?;
        self.metric = metric.clone();
        Ok(())
    }

    fn project_into(&mut self, t: f64, z: &[f64], out: &mut [f64]) -> Result<ProjectionReport> {
        check_len("point to project", z.len(), self.dim)?;
        check_finite("point to project", z, t)?;
        let frame = self.frame(t)?;
        let metric = self.rotated_metric(&frame.rotation)?;
        let set = self.base(t)?;
        // Project in the frame of C₀, then transform back.
        let p = set.project_in(&metric, &frame.to_body(z)).map_err(at(t))?;
        frame.to_world(&p, out);
        check_finite("nearest point", out, t)?;
        let violation = frame.scale * set.distance(&p).map_err(at(t))?;
        Ok(ProjectionReport {
            iterations: 1,
            violation,
        })
    }

    /// (σ_C(y) − ⟨y, p⟩)/|y| by the support function: how far the supporting hyperplane with normal y is from p, zero
    /// exactly on the normal cone. Where the support in the direction y is infinite (y has a rounding component along
    /// which the set is unbounded), the projection of p + 2A⁻¹y decides.
    fn normal_cone_distance(&mut self, t: f64, p: &[f64], y: &[f64]) -> Result<f64> {
        let frame = self.frame(t)?;
        // |y| as a covector, √(yᵀA⁻¹y).
        let mut step = y.to_vec();
        self.metric.raise(&mut step);
        let length = dot(y, &step).max(0.0).sqrt();
        if length == 0.0 {
            return Ok(0.0);
        }
        let set = self.base(t)?;
        let (p_body, y_body) = (frame.to_body(p), frame.back(y));
        if let Ok(Support::Attained { value, .. }) = set.support(&y_body) {
            let gap = frame.scale * (value - dot(&y_body, &p_body));
            // Below a millionth of the data y is mostly rounding of z − p.
            let unit = length.max(1e-6 * (1.0 + norm(p)));
            return Ok(gap.max(0.0) / unit);
        }
        drop(set);
        // No finite support: p must be the projection of p + 2A⁻¹y.
        let mut z = p.to_vec();
        axpy(2.0, &step, &mut z);
        let mut again = vec![0.0; z.len()];
        self.project_into(t, &z, &mut again)?;
        Ok(self.metric.norm(&sub(&again, p)))
    }

    fn excess(&mut self, from: f64, to: f64) -> Result<Option<f64>> {
        if matches!(self.body, BaseSet::TimeDependent(_)) {
            return Ok(None);
        }
        let (a, b) = (self.frame(from)?, self.frame(to)?);
        let moved = self.metric.norm(&sub(&b.shift, &a.shift));
        if self.scale.is_none() && self.rotation.is_none() {
            // A bounded set does not recede.
            return match self.radius_bound()?.is_finite() {
                true => Ok(Some(moved)),
                false => self.excess_of_translation(&a, &b, to).map(Some),
            };
        }
        let reach = self.radius_bound()?;
        if reach.is_infinite() || self.metric != Metric::Euclidean {
            return Ok(None);
        }
        // Scaling only: a set that contains its origin loses nothing by growing.
        if self.rotation.is_none() {
            let shrink = a.scale - b.scale;
            let shrink = if self.holds_origin {
                shrink.max(0.0)
            } else {
                shrink.abs()
            };
            return Ok(Some(moved + shrink * reach));
        }
        let n = self.dim;
        // Frobenius norm of M(t) − M(s).
        let change: f64 = (0..n * n)
            .map(|k| (b.scale * b.rotation[k] - a.scale * a.rotation[k]).powi(2))
            .sum();
        // The Frobenius norm bounds the operator norm; in the plane a difference of similarities is a similarity, and
        // its norm is Frobenius/√2.
        let shape = if n == 2 { 0.5 } else { 1.0 };
        Ok(Some(moved + (shape * change).sqrt() * reach))
    }

    fn searched_excess(&mut self, from: f64, to: f64) -> Result<Option<f64>> {
        let fixed = matches!(self.body, BaseSet::Fixed(_));
        if fixed && self.scale.is_none() && self.rotation.is_none() {
            return self.excess(from, to);
        }
        let (a, b) = (self.frame(from)?, self.frame(to)?);
        let (first, last) = (self.base(from)?, self.base(to)?);
        let turned = self.rotated_metric(&b.rotation)?;
        // Directions with a supporting hyperplane of C(to), in its own axes.
        let recession = last.recession_cone();
        let mut starts = Vec::new();
        for y in percuss_convex::excess::directions(self.dim) {
            let own = b.back(&y);
            let along = recession.project(&own).map_err(at(to))?;
            let left = sub(&own, &along);
            if norm(&left) > 1e-10 {
                starts.push(b.forward(&left));
            }
        }
        let mut argmax = |y: &[f64]| {
            Ok(match first.support(&a.back(y))? {
                Support::Attained { point, .. } => Some(a.placed(&point)),
                Support::Unbounded { .. } => None,
            })
        };
        let mut nearest = |x: &[f64]| Ok(b.placed(&last.project_in(&turned, &b.to_body(x))?));
        let metric = &self.convex_metric;
        let found = percuss_convex::excess::search(metric, &starts, &mut argmax, &mut nearest);
        Ok(Some(found.map_err(at(to))?.value))
    }
}

impl TransformedSet {
    /// dist(−(a(t) − a(s)), recession cone) of a set that is translated.
    fn excess_of_translation(&self, a: &Similarity, b: &Similarity, to: f64) -> Result<f64> {
        let back = sub(&a.shift, &b.shift);
        let recession = self.base(to)?.recession_cone();
        let kept = recession.project_in(&self.convex_metric, &back);
        Ok(self.metric.norm(&sub(&back, &kept.map_err(at(to))?)))
    }
}
