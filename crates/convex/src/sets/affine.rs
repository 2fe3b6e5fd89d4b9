//! Half-spaces and affine subspaces.

use super::{ConvexSet, PolyhedralCone, RECESSION_TOLERANCE, Segment, Set, Support};
use crate::conic::{ConeKind, ConicForm};
use crate::dense::{axpy, dot, norm, row_space, sub};
use crate::error::{ConvexError, Result, check_finite, check_len, check_vector};

/// { x : ⟨a, x⟩ ≤ b }.
#[derive(Debug, Clone, PartialEq)]
pub struct HalfSpace {
    normal: Vec<f64>,
    bound: f64,
}

impl HalfSpace {
    /// The half-space ⟨normal, x⟩ ≤ bound; the normal must not vanish.
    pub fn new(normal: &[f64], bound: f64) -> Result<Self> {
        check_finite("half-space normal", normal)?;
        check_finite("half-space bound", &[bound])?;
        if norm(normal) == 0.0 {
            return Err(ConvexError::Invalid {
                what: "length of the half-space normal",
                value: 0.0,
                expected: "a positive length",
            });
        }
        Ok(Self {
            normal: normal.to_vec(),
            bound,
        })
    }
}

impl ConvexSet for HalfSpace {
    fn dim(&self) -> usize {
        self.normal.len()
    }
    fn affine_dim(&self) -> Result<Option<usize>> {
        Ok(Some(self.dim()))
    }
    fn project(&self, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        let len = norm(&self.normal);
        let unit: Vec<f64> = self.normal.iter().map(|v| v / len).collect();
        // Distance along the unit normal.
        let excess = dot(&unit, z) - self.bound / len;
        let mut p = z.to_vec();
        if excess > 0.0 {
            axpy(-excess, &unit, &mut p);
        }
        Ok(p)
    }
    fn conic_form(&self) -> ConicForm {
        let mut form = ConicForm::whole(self.dim(), 0);
        let row: Vec<f64> = self.normal.iter().map(|v| -v).collect();
        form.push(ConeKind::NonNegative, &row, &[self.bound]);
        form
    }
    fn support(&self, y: &[f64]) -> Result<Support> {
        self.check(y)?;
        let recession = self.recession_cone();
        let direction = recession.project(y)?;
        if norm(&direction) > RECESSION_TOLERANCE * norm(y) {
            return Ok(Support::Unbounded { direction });
        }
        // Bounded only along the normal: attained on the boundary plane.
        let s = self.bound / dot(&self.normal, &self.normal);
        Ok(Support::attained(
            y,
            self.normal.iter().map(|v| s * v).collect(),
        ))
    }
    fn recession_cone(&self) -> Set {
        HalfSpace {
            normal: self.normal.clone(),
            bound: 0.0,
        }
        .into()
    }
    fn is_cone(&self) -> bool {
        self.bound == 0.0
    }
    fn ray_exit(&self, x: &[f64], d: &[f64]) -> Result<f64> {
        self.check(x)?;
        self.check(d)?;
        let rate = dot(&self.normal, d);
        if rate <= 0.0 {
            return Ok(f64::INFINITY);
        }
        Ok(((self.bound - dot(&self.normal, x)) / rate).max(0.0))
    }
    /// The segment [0, a/b]; the ray through a when b ≤ 0.
    fn polar(&self) -> Option<Set> {
        if self.bound <= 0.0 {
            let ray = PolyhedralCone::from_generators(self.dim(), &self.normal);
            return ray.ok().map(Set::from);
        }
        let tip: Vec<f64> = self.normal.iter().map(|v| v / self.bound).collect();
        let segment = Segment::new(&vec![0.0; self.dim()], &tip);
        segment.ok().map(Set::from)
    }
}

/// An affine subspace, stored by an orthonormal basis of Rⁿ that splits into its directions and
/// their complement.
#[derive(Debug, Clone, PartialEq)]
pub struct Subspace {
    point: Vec<f64>,
    /// Orthonormal rows orthogonal to the subspace.
    normals: Vec<f64>,
    /// Orthonormal rows along it.
    directions: Vec<f64>,
}

/// A row whose remainder after orthogonalisation is shorter than this fraction of the longest is dependent.
const RANK: f64 = 1e-12;

impl Subspace {
    /// All of Rⁿ.
    pub fn whole(n: usize) -> Self {
        Self {
            point: vec![0.0; n],
            normals: Vec::new(),
            directions: row_space(&[], n, RANK).basis,
        }
    }

    /// point + span of the rows of `basis` (any number of them, dependent ones allowed).
    pub fn from_basis(point: &[f64], basis: &[f64]) -> Result<Self> {
        let n = point.len();
        check_finite("subspace point", point)?;
        check_finite("subspace basis", basis)?;
        check_rows("subspace basis", basis.len(), n)?;
        // Rank-revealing split of Rⁿ into directions and normals.
        let split = row_space(basis, n, RANK);
        let (along, across) = split.basis.split_at(split.rank * n);
        Ok(Self {
            point: point.to_vec(),
            normals: across.to_vec(),
            directions: along.to_vec(),
        })
    }

    /// { x ∈ Rⁿ : rows x = values }; inconsistent equations are an error.
    pub fn from_equations(n: usize, rows: &[f64], values: &[f64]) -> Result<Self> {
        check_vector("equation rows", rows, values.len() * n)?;
        check_finite("equation values", values)?;
        let metric = crate::metric::Metric::euclidean(n);
        let equations = crate::qp::LinearConstraints {
            matrix: rows,
            bounds: values,
            equalities: values.len(),
        };
        // The point closest to 0; inconsistent equations fail here.
        let point = crate::qp::prox(&metric, equations, &vec![0.0; n])?.point;
        let split = row_space(rows, n, RANK);
        let (across, along) = split.basis.split_at(split.rank * n);
        Ok(Self {
            point,
            normals: across.to_vec(),
            directions: along.to_vec(),
        })
    }

    /// The parallel linear subspace.
    fn linear(&self) -> Self {
        Self {
            point: vec![0.0; self.dim()],
            ..self.clone()
        }
    }

    fn rows(m: &[f64], n: usize) -> impl Iterator<Item = &[f64]> {
        m.chunks_exact(n.max(1))
    }
}

/// Checks that a flat list consists of whole rows of length n.
pub(super) fn check_rows(what: &'static str, len: usize, n: usize) -> Result<()> {
    if n == 0 {
        return check_len(what, len, 0);
    }
    check_len(what, len, len.div_ceil(n) * n)
}

impl ConvexSet for Subspace {
    fn dim(&self) -> usize {
        self.point.len()
    }
    fn affine_dim(&self) -> Result<Option<usize>> {
        Ok(Some(self.directions.len() / self.dim().max(1)))
    }
    fn project(&self, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        let mut p = z.to_vec();
        let offset = sub(z, &self.point);
        // Subtract the components along the normals.
        for e in Self::rows(&self.normals, self.dim()) {
            axpy(-dot(e, &offset), e, &mut p);
        }
        Ok(p)
    }
    fn conic_form(&self) -> ConicForm {
        let n = self.dim();
        let mut form = ConicForm::whole(n, 0);
        for e in Self::rows(&self.normals, n) {
            form.push(ConeKind::Zero, e, &[-dot(e, &self.point)]);
        }
        form
    }
    fn support(&self, y: &[f64]) -> Result<Support> {
        self.check(y)?;
        // Bounded only for y orthogonal to the directions.
        let direction = self.linear().project(y)?;
        if norm(&direction) > RECESSION_TOLERANCE * norm(y) {
            return Ok(Support::Unbounded { direction });
        }
        Ok(Support::attained(y, self.point.clone()))
    }
    fn recession_cone(&self) -> Set {
        self.linear().into()
    }
    fn is_cone(&self) -> bool {
        self.point.iter().all(|v| *v == 0.0)
    }
    /// The orthogonal complement of a linear subspace.
    fn polar(&self) -> Option<Set> {
        let complement = Self {
            point: self.point.clone(),
            normals: self.directions.clone(),
            directions: self.normals.clone(),
        };
        self.is_cone().then(|| complement.into())
    }
}
