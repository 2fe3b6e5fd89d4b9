//! Volume, centre of mass and principal moments of inertia.
//!
//! A polyhedron is a signed sum of tetrahedra between a point o and the triangles of its faces, over which the
//! integrals of 1, x and x xᵀ are polynomials of the corners x₁, x₂, x₃ (relative to o):
//!
//! ```text
//! V = det(x₁, x₂, x₃)/6,   ∫x dV = V/4 Σx_i,   ∫x xᵀ dV = V/20 (Σ x_i x_iᵀ + (Σx_i)(Σx_i)ᵀ)
//! ```
//!
//! The principal axes come from the cyclic Jacobi method: off-diagonal entries that are zero to rounding are not
//! rotated, so that a body given in principal axes keeps them.

use glam::{DMat3, DQuat, DVec3};

use crate::dim::{MassProperties, Pose, Space};
use crate::error::ShapeError;

/// Off-diagonal moments below this fraction of the largest moment are rounding: the axes are principal.
const PRINCIPAL: f64 = 1e-14;

/// Largest number of Jacobi sweeps; the method converges quadratically and needs four or five.
const SWEEPS: usize = 30;

/// Volume and principal moments for density 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct VolumeMoments {
    pub volume: f64,
    pub inertia: DVec3,
}

impl VolumeMoments {
    /// Mass properties for a density.
    pub(crate) fn with_density(&self, density: f64) -> MassProperties<Space> {
        MassProperties {
            mass: density * self.volume,
            inertia: density * self.inertia,
        }
    }

    /// A box with these sides.
    pub(crate) fn cuboid(sides: DVec3) -> Self {
        let volume = sides.x * sides.y * sides.z;
        let s = sides * sides;
        let inertia = volume / 12.0 * DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y);
        Self { volume, inertia }
    }

    /// A sphere.
    pub(crate) fn sphere(radius: f64) -> Self {
        let volume = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        let inertia = DVec3::splat(0.4 * volume * radius * radius);
        Self { volume, inertia }
    }

    /// A cylinder along z.
    pub(crate) fn cylinder(half_length: f64, radius: f64) -> Self {
        let (h, rr) = (half_length, radius * radius);
        let volume = 2.0 * std::f64::consts::PI * rr * h;
        let across = volume * (rr / 4.0 + h * h / 3.0);
        Self {
            volume,
            inertia: DVec3::new(across, across, volume * rr / 2.0),
        }
    }

    /// A cylinder along z with hemispheres at its ends: their transverse moments about the capsule's centre are
    /// V_s (2/5 r² + h² + 3/4 h r) for both together.
    pub(crate) fn capsule(half_length: f64, radius: f64) -> Self {
        let (h, r) = (half_length, radius);
        let (tube, ends) = (Self::cylinder(h, r), Self::sphere(r));
        let across = tube.inertia.x + ends.volume * (0.4 * r * r + h * h + 0.75 * h * r);
        Self {
            volume: tube.volume + ends.volume,
            inertia: DVec3::new(across, across, tube.inertia.z + ends.inertia.z),
        }
    }

    /// A polyhedron, with the pose of its principal axes at the centre of mass.
    pub(crate) fn polyhedron(
        vertices: &[DVec3],
        loops: &[Vec<u32>],
    ) -> Result<(Self, Pose<Space>), ShapeError> {
        // Relative to the mean of the vertices, so that there is no cancellation far from the origin.
        let mean = vertices
            .iter()
            .fold(DVec3::ZERO, |sum, v| sum + *v / vertices.len() as f64);
        let at = |i: u32| vertices[i as usize] - mean;
        let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        // Triangle fan of each face: moments of order 0, 1 and 2 of its tetrahedra.
        for corners in loops {
            for k in 2..corners.len() {
                let (a, b, c) = (at(corners[0]), at(corners[k - 1]), at(corners[k]));
                let part = a.dot(b.cross(c)) / 6.0;
                let sum = a + b + c;
                volume += part;
                first += part / 4.0 * sum;
                let squares = [a, b, c, sum].map(|x| DMat3::from_cols(x * x.x, x * x.y, x * x.z));
                second += part / 20.0 * (squares[0] + squares[1] + squares[2] + squares[3]);
            }
        }
        if !(volume > 0.0) {
            return Err(ShapeError::Degenerate(format!(
                "a polyhedron with volume {volume}: a positive one was expected"
            )));
        }
        // Second moments about the centre of mass, then the inertia tensor tr(S) 1 − S.
        let centre = first / volume;
        let c = DMat3::from_cols(centre * centre.x, centre * centre.y, centre * centre.z);
        let second = second - volume * c;
        let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
        let tensor = DMat3::from_diagonal(DVec3::splat(trace)) - second;
        let (inertia, axes) = principal(tensor);
        let pose = Pose {
            position: mean + centre,
            rotation: DQuat::from_mat3(&axes).normalize(),
        };
        Ok((Self { volume, inertia }, pose))
    }
}

/// Eigenvalues and right-handed orthonormal eigenvectors (columns) of a symmetric matrix, by the cyclic Jacobi method.
pub(crate) fn principal(tensor: DMat3) -> (DVec3, DMat3) {
    let mut m = tensor.to_cols_array_2d();
    let mut axes = DMat3::IDENTITY.to_cols_array_2d();
    let largest = (0..3).fold(0.0, |most: f64, i| most.max(m[i][i].abs()));
    for _ in 0..SWEEPS {
        let mut turned = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q].abs() > PRINCIPAL * largest {
                rotate(&mut m, &mut axes, p, q);
                turned = true;
            }
        }
        if !turned {
            break;
        }
    }
    let values = DVec3::new(m[0][0], m[1][1], m[2][2]);
    (values, DMat3::from_cols_array_2d(&axes))
}

/// A Jacobi rotation in the plane of axes p and q that makes m[p][q] zero.
fn rotate(m: &mut [[f64; 3]; 3], axes: &mut [[f64; 3]; 3], p: usize, q: usize) {
    // Tangent, cosine and sine of the rotation angle; the smaller root is the stable one.
    let theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    let r = 3 - p - q;
    let (mpq, mrp, mrq) = (m[p][q], m[r][p], m[r][q]);
    m[p][p] -= t * mpq;
    m[q][q] += t * mpq;
    m[p][q] = 0.0;
    m[q][p] = 0.0;
    m[r][p] = c * mrp - s * mrq;
    m[p][r] = m[r][p];
    m[r][q] = s * mrp + c * mrq;
    m[q][r] = m[r][q];
    for k in 0..3 {
        let (xp, xq) = (axes[p][k], axes[q][k]);
        axes[p][k] = c * xp - s * xq;
        axes[q][k] = s * xp + c * xq;
    }
}
