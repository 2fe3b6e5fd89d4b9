//! A point and a segment.

use super::{ConvexSet, HalfSpace, Polyhedron, Set, Subspace, Support};
use crate::conic::{ConeKind, ConicForm};
use crate::dense::{axpy, dot, norm, row_space, sub};
use crate::error::{ConvexError, Result, check_finite, check_vector};
use crate::metric::Metric;

/// The set {p}.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    at: Vec<f64>,
}

impl Point {
    /// The point `at`.
    pub fn new(at: &[f64]) -> Result<Self> {
        check_finite("point", at)?;
        Ok(Self { at: at.to_vec() })
    }

    /// The origin of Rⁿ.
    pub fn origin(n: usize) -> Self {
        Self { at: vec![0.0; n] }
    }

    /// Its coordinates.
    pub fn at(&self) -> &[f64] {
        &self.at
    }
}

impl ConvexSet for Point {
    fn dim(&self) -> usize {
        self.at.len()
    }
    fn affine_dim(&self) -> Result<Option<usize>> {
        Ok(Some(0))
    }
    fn project(&self, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        Ok(self.at.clone())
    }
    fn project_in(&self, metric: &Metric, z: &[f64]) -> Result<Vec<f64>> {
        crate::qp::check_metric(metric, self.dim())?;
        self.project(z)
    }
    fn conic_form(&self) -> ConicForm {
        let mut form = ConicForm::whole(self.dim(), 0);
        for (i, v) in self.at.iter().enumerate() {
            form.push_axis(ConeKind::Zero, i, 1.0, -v);
        }
        form
    }
    fn support(&self, y: &[f64]) -> Result<Support> {
        self.check(y)?;
        Ok(Support::attained(y, self.at.clone()))
    }
    fn recession_cone(&self) -> Set {
        Point::origin(self.dim()).into()
    }
    fn is_cone(&self) -> bool {
        self.at.iter().all(|v| *v == 0.0)
    }
    /// { y : ⟨p, y⟩ ≤ 1 }, the whole space for p = 0.
    fn polar(&self) -> Option<Set> {
        if self.is_cone() {
            return Some(Subspace::whole(self.dim()).into());
        }
        HalfSpace::new(&self.at, 1.0).ok().map(Set::from)
    }
}

/// The segment [a, b].
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    a: Vec<f64>,
    b: Vec<f64>,
}

impl Segment {
    /// The segment between two points, which may coincide.
    pub fn new(a: &[f64], b: &[f64]) -> Result<Self> {
        check_finite("segment end a", a)?;
        check_vector("segment end b", b, a.len())?;
        if a.is_empty() {
            return Err(ConvexError::NoElement {
                what: "segment end a",
            });
        }
        Ok(Self {
            a: a.to_vec(),
            b: b.to_vec(),
        })
    }

    /// Both ends.
    pub fn ends(&self) -> [&[f64]; 2] {
        [&self.a, &self.b]
    }

    /// Projection with the given inner product.
    fn nearest(&self, z: &[f64], inner: impl Fn(&[f64], &[f64]) -> f64) -> Vec<f64> {
        let d = sub(&self.b, &self.a);
        let dd = inner(&d, &d);
        if dd == 0.0 {
            return self.a.clone();
        }
        // Parameter of the foot point, clamped to the segment.
        let t = (inner(&sub(z, &self.a), &d) / dd).clamp(0.0, 1.0);
        // Start from the nearer end, so that both ends are reproduced exactly.
        let (base, t) = if t <= 0.5 {
            (&self.a, t)
        } else {
            (&self.b, t - 1.0)
        };
        let mut p = base.clone();
        axpy(t, &d, &mut p);
        p
    }
}

impl ConvexSet for Segment {
    fn dim(&self) -> usize {
        self.a.len()
    }
    fn affine_dim(&self) -> Result<Option<usize>> {
        Ok(Some(usize::from(self.a != self.b)))
    }
    fn project(&self, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        Ok(self.nearest(z, dot))
    }
    fn project_in(&self, metric: &Metric, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        crate::qp::check_metric(metric, self.dim())?;
        Ok(self.nearest(z, |x, y| metric.inner(x, y)))
    }
    fn conic_form(&self) -> ConicForm {
        let n = self.dim();
        let mut form = ConicForm::whole(n, 0);
        let d = sub(&self.b, &self.a);
        // Equations across the segment, two inequalities along it.
        let split = row_space(&d, n, 0.0);
        for e in split.basis.chunks_exact(n).skip(split.rank) {
            form.push(ConeKind::Zero, e, &[-dot(e, &self.a)]);
        }
        if split.rank == 1 {
            // |d| ≥ ⟨x − a, d/|d|⟩ ≥ 0
            let len = norm(&d);
            let e: Vec<f64> = d.iter().map(|v| v / len).collect();
            let back: Vec<f64> = e.iter().map(|v| -v).collect();
            form.push(ConeKind::NonNegative, &e, &[-dot(&e, &self.a)]);
            form.push(ConeKind::NonNegative, &back, &[dot(&e, &self.b)]);
        }
        form
    }
    fn support(&self, y: &[f64]) -> Result<Support> {
        self.check(y)?;
        let end = if dot(y, &self.a) >= dot(y, &self.b) {
            &self.a
        } else {
            &self.b
        };
        Ok(Support::attained(y, end.clone()))
    }
    fn recession_cone(&self) -> Set {
        Point::origin(self.dim()).into()
    }
    /// { y : ⟨a, y⟩ ≤ 1, ⟨b, y⟩ ≤ 1 }.
    fn polar(&self) -> Option<Set> {
        let rows = [self.a.as_slice(), self.b.as_slice()].concat();
        Polyhedron::new(self.dim(), &rows, &[1.0, 1.0])
            .ok()
            .map(Set::from)
    }
}
