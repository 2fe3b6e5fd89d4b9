//! Convex sets, the trait of their common operations, and a closed enum for nesting them.
//!
//! ```text
//! projection   p = argmin_{x ∈ C} ½|x − z|_A²      ⇔   A (z − p) ∈ N_C(p)
//! support      σ_C(y) = sup_{x ∈ C} ⟨y, x⟩
//! gauge        γ_C(x) = inf { t > 0 : x ∈ t C }     (0 ∈ C)
//! polar        C° = { y : σ_C(y) ≤ 1 };             for a cone { y : σ_C(y) ≤ 0 }
//! ```
//!
//! Euclidean projections have closed forms or finite algorithms on every basic set. In another
//! metric polyhedral sets use [`crate::qp`], balls and ellipsoids become an ellipsoid in white
//! coordinates, and all others use the conic solver of [`crate::conic`].

mod affine;
mod axis_box;
mod combine;
mod ellipsoid;
mod intersection;
mod point;
mod polar;
mod polycone;
mod polyhedron;
mod polytope;
mod section_cones;

pub use affine::{HalfSpace, Subspace};
pub use axis_box::{AxisBox, Simplex};
pub use combine::{Product, Scale, Translate};
pub use ellipsoid::{Ball, Ellipsoid};
pub use intersection::Intersection;
pub use point::{Point, Segment};
pub use polar::PolarCone;
pub use polycone::PolyhedralCone;
pub use polyhedron::Polyhedron;
pub use polytope::Polytope;
pub use section_cones::{RollingCone, SecondOrderCone};

use crate::conic::ConicForm;
use crate::dense::{axpy, dot, norm, sub};
use crate::error::{ConvexError, Result, check_vector};
use crate::metric::Metric;

/// A linear form counts as bounded on a set when its component along the recession cone
/// is below this fraction of its length: rounding of normals read from data.
pub const RECESSION_TOLERANCE: f64 = 1e-12;

/// The value of a support function and where it is attained.
#[derive(Debug, Clone, PartialEq)]
pub enum Support {
    /// sup ⟨y, x⟩ is `value`, attained at `point`.
    Attained {
        /// The supremum.
        value: f64,
        /// A point of the set where it is attained.
        point: Vec<f64>,
    },
    /// The supremum is +∞: the set recedes along `direction` with ⟨y, direction⟩ > 0.
    Unbounded {
        /// A recession direction along which the form increases.
        direction: Vec<f64>,
    },
}

impl Support {
    /// The supremum, +∞ when unbounded.
    pub fn value(&self) -> f64 {
        match self {
            Self::Attained { value, .. } => *value,
            Self::Unbounded { .. } => f64::INFINITY,
        }
    }

    /// The supporting point, if there is one.
    pub fn point(&self) -> Option<&[f64]> {
        match self {
            Self::Attained { point, .. } => Some(point),
            Self::Unbounded { .. } => None,
        }
    }

    /// The support attained at `point`.
    fn attained(y: &[f64], point: Vec<f64>) -> Self {
        Self::Attained {
            value: dot(y, &point),
            point,
        }
    }
}

/// Operations of every closed convex set of this crate.
pub trait ConvexSet {
    /// Dimension n of the surrounding space.
    fn dim(&self) -> usize;

    /// Dimension of the set (of its affine hull); `None` where no finite rule gives it.
    fn affine_dim(&self) -> Result<Option<usize>>;

    /// Euclidean projection of `z`.
    fn project(&self, z: &[f64]) -> Result<Vec<f64>>;

    /// The set as G ξ + h ∈ Q (SOCP representation).
    fn conic_form(&self) -> ConicForm;

    /// sup ⟨y, x⟩ over the set.
    fn support(&self, y: &[f64]) -> Result<Support>;

    /// The recession cone: directions of all half-lines in the set.
    fn recession_cone(&self) -> Set;

    /// The polar set, for cones the polar cone; `None` where no set of this crate equals it.
    fn polar(&self) -> Option<Set>;

    /// Projection of `z` in a metric.
    fn project_in(&self, metric: &Metric, z: &[f64]) -> Result<Vec<f64>> {
        if metric.is_euclidean() {
            return self.project(z);
        }
        self.check(z)?;
        crate::qp::check_metric(metric, self.dim())?;
        self.conic_form().project(metric, z)
    }

    /// Whether the set is a cone with apex 0 by construction.
    fn is_cone(&self) -> bool {
        false
    }

    /// Euclidean distance from `x` to the set.
    fn distance(&self, x: &[f64]) -> Result<f64> {
        Ok(norm(&sub(x, &self.project(x)?)))
    }

    /// Whether `x` is within Euclidean distance `tol` of the set.
    fn contains(&self, x: &[f64], tol: f64) -> Result<bool> {
        Ok(self.distance(x)? <= tol)
    }

    /// Whether `y` is an outward normal at `x`: x ∈ C and x = proj_C(x + y), both within `tol`.
    fn in_normal_cone(&self, x: &[f64], y: &[f64], tol: f64) -> Result<bool> {
        self.check(x)?;
        self.check(y)?;
        let mut z = x.to_vec();
        axpy(1.0, y, &mut z);
        let p = self.project(&z)?;
        Ok(self.contains(x, tol)? && norm(&sub(&p, x)) <= tol)
    }

    /// sup { s ≥ 0 : x + s d ∈ C } from a point x of the set; +∞ along recession directions.
    fn ray_exit(&self, x: &[f64], d: &[f64]) -> Result<f64> {
        self.check(x)?;
        self.check(d)?;
        exit_by_separation(self, x, d)
    }

    /// inf { t > 0 : x ∈ t C }, `None` unless 0 ∈ C (to 1e-14 of |x|).
    fn gauge(&self, x: &[f64]) -> Result<Option<f64>> {
        self.check(x)?;
        // The gauge is defined for 0 ∈ C: inverse of the exit along x.
        let origin = vec![0.0; self.dim()];
        if !self.contains(&origin, 1e-14 * norm(x))? {
            return Ok(None);
        }
        Ok(Some(1.0 / self.ray_exit(&origin, x)?))
    }

    /// An error for vectors of the wrong length or with entries that are not finite.
    fn check(&self, x: &[f64]) -> Result<()> {
        check_vector("vector", x, self.dim())
    }
}

/// Newton's method on the distance along a ray: from outside, the hyperplane that separates
/// x + s d from the set cuts the ray closer to the set; finite on polyhedra, quadratic on smooth sets.
fn exit_by_separation<C: ConvexSet + ?Sized>(set: &C, x: &[f64], d: &[f64]) -> Result<f64> {
    let size = norm(d);
    if size == 0.0 {
        return Ok(f64::INFINITY);
    }
    // Recession directions never leave the set.
    let receding = set.recession_cone().project(d)?;
    if norm(&sub(&receding, d)) <= RECESSION_TOLERANCE * size {
        return Ok(f64::INFINITY);
    }
    let at = |s: f64| -> Vec<f64> { x.iter().zip(d).map(|(a, b)| a + s * b).collect() };
    // First a point outside the set: expand from the scale of the data.
    let mut s = (norm(x) / size).max(1.0 / size);
    while s.is_finite() && set.distance(&at(s))? <= 1e-13 * (norm(x) + s * size) {
        s *= 4.0;
    }
    // 100 exceeds the quadratic phase by far; polyhedra end when s stops decreasing.
    for _ in 0..100 {
        let q = at(s);
        let w = sub(&q, &set.project(&q)?);
        let gap = dot(&w, &w);
        let rate = dot(&w, d);
        let next = s - gap / rate;
        if gap.sqrt() <= 1e-15 * (norm(x) + s * size) || rate <= 0.0 || next >= s {
            break;
        }
        s = next.max(0.0);
    }
    Ok(s)
}

/// Steps of the proximal point method; polyhedra need two or three, smooth sets about ten.
const SUPPORT_STEPS: usize = 200;

/// Support by the proximal point method x ← proj_C(x + t y): a fixed point is a maximiser; it
/// ends in finitely many steps on polyhedra and contracts by about 1e-3 per step on smooth sets.
fn support_by_proximal_point<C: ConvexSet + ?Sized>(set: &C, y: &[f64]) -> Result<Support> {
    let length = norm(y);
    let direction = set.recession_cone().project(y)?;
    if norm(&direction) > RECESSION_TOLERANCE * length {
        return Ok(Support::Unbounded { direction });
    }
    let mut x = set.project(&vec![0.0; set.dim()])?;
    if length == 0.0 {
        return Ok(Support::attained(y, x));
    }
    let mut residual = f64::INFINITY;
    let mut stride = norm(&x).max(1.0);
    let mut reach = 1e3;
    for _ in 0..SUPPORT_STEPS {
        // Long steps suppress curvature, longer ones cross edges almost perpendicular to y; short
        // ones at the end, since a fixed point of any step is a maximiser and the rounding of
        // the projection grows with the step.
        let mut z = x.clone();
        axpy(reach * stride / length, y, &mut z);
        let p = set.project(&z)?;
        let moved = norm(&sub(&p, &x));
        stride = norm(&p).max(moved).max(f64::MIN_POSITIVE);
        x = p;
        // A change that no longer decreases has reached the rounding of the projection itself.
        let settled = moved <= 1e-10 * stride && moved >= 0.5 * residual;
        residual = moved;
        reach = match moved / stride {
            m if m <= 1e-7 => 3.0,
            m if m <= 1e-3 => 1e3,
            _ => (10.0 * reach).min(1e8),
        };
        if settled || moved <= 1e-15 * stride {
            return Ok(Support::attained(y, x));
        }
    }
    Err(ConvexError::NotConverged {
        what: "support function",
        iterations: SUPPORT_STEPS,
        residual: residual / stride,
    })
}

/// Methods of [`ConvexSet`] that are the same for all closed convex cones but those that know more.
macro_rules! methods_of_cones {
    () => {
        fn support(&self, y: &[f64]) -> Result<Support> {
            cone_support(self, y)
        }
        fn recession_cone(&self) -> Set {
            self.clone().into()
        }
        fn is_cone(&self) -> bool {
            true
        }
    };
}

use methods_of_cones;

macro_rules! closed_enum {
    ($($name:ident),*) => {
        /// Any of the sets, for nesting.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Set {
            $(#[doc = concat!("See [`", stringify!($name), "`].")] $name($name),)*
        }

        $(impl From<$name> for Set {
            fn from(set: $name) -> Self {
                Self::$name(set)
            }
        })*

        impl Set {
            fn inner(&self) -> &dyn ConvexSet {
                match self {
                    $(Self::$name(set) => set,)*
                }
            }
        }
    };
}

closed_enum!(
    Point,
    HalfSpace,
    Ball,
    AxisBox,
    Ellipsoid,
    Segment,
    Simplex,
    Polyhedron,
    Polytope,
    Subspace,
    SecondOrderCone,
    RollingCone,
    PolyhedralCone,
    PolarCone,
    Product,
    Translate,
    Scale,
    Intersection
);

impl ConvexSet for Set {
    fn dim(&self) -> usize {
        self.inner().dim()
    }
    fn affine_dim(&self) -> Result<Option<usize>> {
        self.inner().affine_dim()
    }
    fn project(&self, z: &[f64]) -> Result<Vec<f64>> {
        self.inner().project(z)
    }
    fn project_in(&self, metric: &Metric, z: &[f64]) -> Result<Vec<f64>> {
        self.inner().project_in(metric, z)
    }
    fn conic_form(&self) -> ConicForm {
        self.inner().conic_form()
    }
    fn support(&self, y: &[f64]) -> Result<Support> {
        self.inner().support(y)
    }
    fn recession_cone(&self) -> Set {
        self.inner().recession_cone()
    }
    fn polar(&self) -> Option<Set> {
        self.inner().polar()
    }
    fn is_cone(&self) -> bool {
        self.inner().is_cone()
    }
    fn distance(&self, x: &[f64]) -> Result<f64> {
        self.inner().distance(x)
    }
    fn contains(&self, x: &[f64], tol: f64) -> Result<bool> {
        self.inner().contains(x, tol)
    }
    fn ray_exit(&self, x: &[f64], d: &[f64]) -> Result<f64> {
        self.inner().ray_exit(x, d)
    }
}

/// The support of a cone: 0 on its polar, +∞ elsewhere.
fn cone_support<C: ConvexSet + ?Sized>(cone: &C, y: &[f64]) -> Result<Support> {
    // The projection onto the cone is a direction of increase.
    let direction = cone.project(y)?;
    if norm(&direction) > RECESSION_TOLERANCE * norm(y) {
        return Ok(Support::Unbounded { direction });
    }
    Ok(Support::Attained {
        value: 0.0,
        point: vec![0.0; cone.dim()],
    })
}
