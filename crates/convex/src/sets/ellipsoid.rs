//! Balls and ellipsoids.

use super::{ConvexSet, Point, Set, Subspace, Support};
use crate::conic::{ConeKind, ConicForm};
use crate::dense::{
    axpy, cholesky_in_place, dot, mul_into, norm, solve_lower, sub, symmetric_eigen,
};
use crate::error::{Result, check_finite, check_len, check_non_negative};
use crate::metric::Metric;

/// { x : |x − c| ≤ r }.
#[derive(Debug, Clone, PartialEq)]
pub struct Ball {
    center: Vec<f64>,
    radius: f64,
}

impl Ball {
    /// The ball with this centre and radius ≥ 0.
    pub fn new(center: &[f64], radius: f64) -> Result<Self> {
        check_finite("ball center", center)?;
        check_non_negative("ball radius", radius)?;
        Ok(Self {
            center: center.to_vec(),
            radius,
        })
    }

    /// The same ball as an ellipsoid, for r > 0.
    fn ellipsoid(&self) -> Option<Ellipsoid> {
        let axes = vec![self.radius; self.center.len()];
        Ellipsoid::from_semi_axes(&self.center, &axes).ok()
    }
}

impl ConvexSet for Ball {
    fn dim(&self) -> usize {
        self.center.len()
    }
    fn affine_dim(&self) -> Result<Option<usize>> {
        Ok(Some(if self.radius > 0.0 { self.dim() } else { 0 }))
    }
    fn project(&self, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        let d = sub(z, &self.center);
        let len = norm(&d);
        if len <= self.radius {
            return Ok(z.to_vec());
        }
        let mut p = self.center.clone();
        axpy(self.radius / len, &d, &mut p);
        Ok(p)
    }
    fn project_in(&self, metric: &Metric, z: &[f64]) -> Result<Vec<f64>> {
        match self.ellipsoid() {
            Some(e) if !metric.is_euclidean() => e.project_in(metric, z),
            _ => self.project(z),
        }
    }
    fn conic_form(&self) -> ConicForm {
        let n = self.dim();
        let mut form = ConicForm::whole(n, 0);
        // (r, x − c) in the second-order cone.
        let mut rows = vec![0.0; (n + 1) * n];
        let mut offsets = vec![self.radius; n + 1];
        for i in 0..n {
            rows[(i + 1) * n + i] = 1.0;
            offsets[i + 1] = -self.center[i];
        }
        form.push(ConeKind::SecondOrder, &rows, &offsets);
        form
    }
    fn support(&self, y: &[f64]) -> Result<Support> {
        self.check(y)?;
        let len = norm(y);
        let mut point = self.center.clone();
        if len > 0.0 {
            axpy(self.radius / len, y, &mut point);
        }
        let value = dot(y, &self.center) + self.radius * len;
        Ok(Support::Attained { value, point })
    }
    fn recession_cone(&self) -> Set {
        Point::origin(self.dim()).into()
    }
    fn ray_exit(&self, x: &[f64], d: &[f64]) -> Result<f64> {
        self.check(x)?;
        self.check(d)?;
        // |o + s d|² = r².
        let o = sub(x, &self.center);
        let r2 = self.radius * self.radius;
        Ok(quadratic_exit(dot(d, d), dot(&o, d), dot(&o, &o) - r2))
    }
    /// A ball about 0, or the ellipsoid of [`Ellipsoid::polar`] when 0 is another interior point.
    fn polar(&self) -> Option<Set> {
        if self.radius == 0.0 {
            return Point::new(&self.center).ok()?.polar();
        }
        if self.center.iter().all(|v| *v == 0.0) {
            return Ball::new(&self.center, 1.0 / self.radius)
                .ok()
                .map(Set::from);
        }
        self.ellipsoid()?.polar()
    }
}

/// Largest root s of a s² + 2 b s + c = 0 with c ≤ 0, written without cancellation.
fn quadratic_exit(a: f64, b: f64, c: f64) -> f64 {
    if a == 0.0 {
        return f64::INFINITY;
    }
    let c = c.min(0.0);
    let root = (b * b - a * c).sqrt();
    if b > 0.0 {
        -c / (b + root)
    } else {
        (root - b) / a
    }
}

/// { x : (x − c)ᵀ E (x − c) ≤ 1 }, E symmetric positive definite.
#[derive(Debug, Clone, PartialEq)]
pub struct Ellipsoid {
    center: Vec<f64>,
    shape: Metric,
    /// Eigenvalues of E and eigenvectors by rows, for the Euclidean projection.
    values: Vec<f64>,
    vectors: Vec<f64>,
}

impl Ellipsoid {
    /// The ellipsoid of the n×n matrix E, row-major.
    pub fn new(center: &[f64], matrix: &[f64]) -> Result<Self> {
        check_finite("ellipsoid center", center)?;
        let shape = Metric::new(center.len(), matrix)?;
        let (values, vectors) = eigen(shape.matrix(), center.len());
        Ok(Self {
            center: center.to_vec(),
            shape,
            values,
            vectors,
        })
    }

    /// The ellipsoid with semi-axes along the coordinates, each > 0.
    pub fn from_semi_axes(center: &[f64], axes: &[f64]) -> Result<Self> {
        let n = center.len();
        check_len("semi-axes", axes.len(), n)?;
        let mut matrix = vec![0.0; n * n];
        for (i, &a) in axes.iter().enumerate() {
            if !(a.is_finite() && a > 0.0) {
                return Err(crate::ConvexError::Invalid {
                    what: "semi-axis",
                    value: a,
                    expected: "a finite number > 0",
                });
            }
            matrix[i * n + i] = 1.0 / (a * a);
        }
        Self::new(center, &matrix)
    }
}

/// Eigenvalues and row eigenvectors of a symmetric matrix.
fn eigen(matrix: &[f64], n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut a = matrix.to_vec();
    let mut vectors = vec![0.0; n * n];
    symmetric_eigen(&mut a, n, &mut vectors);
    ((0..n).map(|i| a[i * n + i]).collect(), vectors)
}

/// Projection of x onto { Σ e_i ⟨v_i, p⟩² ≤ 1 }: p_i = x_i/(1 + λ e_i) in the eigenbasis.
///
/// With G(λ) = |(√e_i x_i/(1 + λ e_i))_i| the equation 1/G = 1 has an increasing, concave left
/// side, on which Newton's method increases from λ = 0 without overshoot.
fn nearest_on_ellipsoid(values: &[f64], vectors: &[f64], x: &[f64]) -> Vec<f64> {
    let n = x.len();
    let mut c = vec![0.0; n];
    mul_into(vectors, x, &mut c);
    let mut lambda = 0.0_f64;
    // Quadratic convergence; a slow start occurs only for axes of very different length.
    for _ in 0..200 {
        let (mut g2, mut slope) = (0.0, 0.0);
        for i in 0..n {
            let d = 1.0 + lambda * values[i];
            let t = values[i] * (c[i] / d) * (c[i] / d);
            g2 += t;
            slope += t * values[i] / d;
        }
        let g = g2.sqrt();
        // (1 − 1/G) / (1/G)' with (1/G)' = slope/G³
        let step = (g - 1.0) * g2 / slope;
        if step.is_nan() || step <= 0.0 {
            break;
        }
        lambda += step;
        if g - 1.0 <= 4.0 * f64::EPSILON || step <= f64::EPSILON * lambda {
            break;
        }
    }
    // Back from the eigenbasis.
    let mut p = vec![0.0; n];
    for i in 0..n {
        axpy(
            c[i] / (1.0 + lambda * values[i]),
            &vectors[i * n..(i + 1) * n],
            &mut p,
        );
    }
    p
}

impl ConvexSet for Ellipsoid {
    fn dim(&self) -> usize {
        self.center.len()
    }
    fn affine_dim(&self) -> Result<Option<usize>> {
        Ok(Some(self.dim()))
    }
    fn project(&self, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        let d = sub(z, &self.center);
        if self.shape.inner(&d, &d) <= 1.0 {
            return Ok(z.to_vec());
        }
        let mut p = nearest_on_ellipsoid(&self.values, &self.vectors, &d);
        axpy(1.0, &self.center, &mut p);
        Ok(p)
    }
    /// In white coordinates the set is the ellipsoid of L⁻¹ E L⁻ᵀ.
    fn project_in(&self, metric: &Metric, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        let n = self.dim();
        crate::qp::check_metric(metric, n)?;
        let mut d = sub(z, &self.center);
        if metric.is_euclidean() || self.shape.inner(&d, &d) <= 1.0 {
            return self.project(z);
        }
        // L⁻¹ E L⁻ᵀ: two triangular solves with a transposition between.
        let mut white = self.shape.matrix().to_vec();
        for row in white.chunks_exact_mut(n) {
            solve_lower(metric.factor(), n, row);
        }
        transpose(&mut white, n);
        for row in white.chunks_exact_mut(n) {
            solve_lower(metric.factor(), n, row);
        }
        let (values, vectors) = eigen(&white, n);
        metric.whiten(&mut d);
        let mut p = nearest_on_ellipsoid(&values, &vectors, &d);
        metric.unwhiten(&mut p);
        axpy(1.0, &self.center, &mut p);
        Ok(p)
    }
    fn conic_form(&self) -> ConicForm {
        let n = self.dim();
        let mut form = ConicForm::whole(n, 0);
        // (1, Lᵀ (x − c)) with E = L Lᵀ
        let mut rows = vec![0.0; (n + 1) * n];
        let mut offset = self.center.clone();
        self.shape.whiten(&mut offset);
        for i in 0..n {
            for k in 0..n {
                rows[(i + 1) * n + k] = self.shape.factor()[k * n + i];
            }
        }
        let mut offsets = vec![1.0];
        offsets.extend(offset.iter().map(|v| -v));
        form.push(ConeKind::SecondOrder, &rows, &offsets);
        form
    }
    fn support(&self, y: &[f64]) -> Result<Support> {
        self.check(y)?;
        let mut d = y.to_vec();
        self.shape.solve(&mut d);
        // √(yᵀE⁻¹y), attained at c + E⁻¹y/len.
        let len = dot(y, &d).max(0.0).sqrt();
        let mut point = self.center.clone();
        if len > 0.0 {
            axpy(1.0 / len, &d, &mut point);
        }
        let value = dot(y, &self.center) + len;
        Ok(Support::Attained { value, point })
    }
    fn recession_cone(&self) -> Set {
        Point::origin(self.dim()).into()
    }
    fn ray_exit(&self, x: &[f64], d: &[f64]) -> Result<f64> {
        self.check(x)?;
        self.check(d)?;
        let o = sub(x, &self.center);
        let e = |a: &[f64], b: &[f64]| self.shape.inner(a, b);
        Ok(quadratic_exit(e(d, d), e(&o, d), e(&o, &o) - 1.0))
    }
    /// For γ = cᵀEc < 1 squaring ⟨c, y⟩ + √(yᵀE⁻¹y) ≤ 1 gives the ellipsoid with centre
    /// −E c/(1 − γ) and matrix (1 − γ)(E⁻¹ − c cᵀ); otherwise 0 is not an interior point.
    fn polar(&self) -> Option<Set> {
        let n = self.dim();
        let gamma = self.shape.inner(&self.center, &self.center);
        if n == 0 {
            return Some(Subspace::whole(0).into());
        }
        if gamma >= 1.0 {
            return None;
        }
        let inverse = self.shape.inverse().ok()?;
        let mut matrix = inverse.matrix().to_vec();
        for i in 0..n {
            axpy(
                -self.center[i],
                &self.center,
                &mut matrix[i * n..(i + 1) * n],
            );
        }
        matrix.iter_mut().for_each(|v| *v *= 1.0 - gamma);
        let mut center = vec![0.0; n];
        self.shape.apply_into(&self.center, &mut center);
        center.iter_mut().for_each(|v| *v /= gamma - 1.0);
        // A surface close to 0 makes the polar numerically unbounded.
        let mut test = matrix.clone();
        cholesky_in_place(&mut test, n).ok()?;
        Ellipsoid::new(&center, &matrix).ok().map(Set::from)
    }
}

/// Transposes in place.
fn transpose(m: &mut [f64], n: usize) {
    for i in 0..n {
        for j in 0..i {
            m.swap(i * n + j, j * n + i);
        }
    }
}
