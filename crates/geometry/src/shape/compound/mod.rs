//! Compounds: bodies that are unions of convex parts.
//!
//! ```text
//! C = ∪ P_k,   P_k convex and bounded, rigidly joined
//! m = Σ m_k,   c = Σ m_k c_k / m,   J = Σ R_k J_k R_kᵀ + m_k (|d_k|² 1 − d_k d_kᵀ),   d_k = c_k − c
//! ```
//!
//! Body axes are the principal axes, in which J is diagonal; their origin is the centre of mass c. Contact points
//! of compounds are computed part by part with the narrow phase of the convex parts. Points that a part has and the
//! union has not are removed afterwards: `surface` rejects normals of internal edges and faces (ghost collisions at
//! seams), `merge` unites duplicate points and removes redundant ones on seams. A bounding volume hierarchy finds
//! the parts near a box (`part_tree`). Parts of one body never touch one another.
//!
//! Limits: where parts overlap, the mass of each of them counts. At most [`MAX_PARTS`] parts.

mod contact_points;
mod merge;
mod part_tree;
mod surface;
mod surface_point;

use crate::dim::{Aabb, MassProperties, Pose};
use crate::error::ShapeError;
use crate::shape::DecompositionFit;
use crate::shape::Geometry;
use crate::vector::Vector;
use part_tree::PartTree;

pub(crate) use contact_points::contact_points;

/// Largest number of parts: the feature of a contact point is hashed from the indices of two parts, 16 bits each.
pub const MAX_PARTS: usize = 1 << 16;

/// A convex part of a compound, placed in the body axes of the compound.
#[derive(Debug, Clone, PartialEq)]
pub struct Part<D: Geometry> {
    /// Shape of the part, in axes of its own.
    pub shape: D::Shape,
    /// Pose of these axes in the body axes of the compound.
    pub pose: Pose<D>,
}

/// The surface that a compound approximates or decomposes, in body axes: the outline of a polygon of the plane or
/// the triangles of a closed surface of space.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceSurface<D: Geometry> {
    /// Vertices; in the plane those of the outline, anticlockwise.
    pub vertices: Vec<D::Vector>,
    /// Triangles of a surface of space, as indices of vertices; empty in the plane.
    pub triangles: Vec<[u32; 3]>,
}

/// One piece of a compound: shape, pose, and density relative to that of the whole.
pub type CompoundPiece<D> = (<D as Geometry>::Shape, Pose<D>, f64);

/// A union of convex parts in principal axes, with the centre of mass at the origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Compound<D: Geometry> {
    parts: Vec<Part<D>>,
    tree: PartTree<D>,
    bounding_radius: f64,
    /// Mass properties for density 1.
    mass: MassProperties<D>,
    source_surface: Option<SourceSurface<D>>,
    fit: Option<DecompositionFit>,
}

impl<D: Geometry> Compound<D> {
    /// A compound from its pieces; also returns the pose of its body axes in the axes in which the pieces are placed.
    /// A piece that is a compound itself is split into its parts.
    ///
    /// # Errors
    /// No pieces or too many, a boundary among them, a density that is not positive and finite.
    pub fn new(pieces: &[CompoundPiece<D>]) -> Result<(Self, Pose<D>), ShapeError> {
        // Mass properties of each piece, and its convex parts.
        let mut masses = Vec::with_capacity(pieces.len());
        let mut parts = Vec::with_capacity(pieces.len());
        for (number, (shape, pose, density)) in pieces.iter().enumerate() {
            if !(*density > 0.0 && density.is_finite()) {
                return Err(ShapeError::Degenerate(format!(
                    "part {number} has density {density}: a positive, finite number was expected"
                )));
            }
            let Some(mass) = D::mass_properties(shape, *density) else {
                return Err(ShapeError::Degenerate(format!(
                    "part {number} is a boundary: a part must have an inside and a mass"
                )));
            };
            masses.push((mass, *pose));
            // A compound contributes its parts.
            match D::compound(shape) {
                None => parts.push((shape.clone(), *pose)),
                Some(inner) => parts.extend(
                    inner
                        .parts
                        .iter()
                        .map(|part| (part.shape.clone(), D::compose(pose, &part.pose))),
                ),
            }
        }
        if masses.is_empty() {
            return Err(ShapeError::Degenerate(
                "a compound without parts: at least one was expected".into(),
            ));
        }
        // Centre of mass and principal axes of the whole.
        let (mass, axes) = D::combine_masses(&masses);
        Ok((Self::from_parts(&parts, mass, &axes, None)?, axes))
    }

    /// A compound from convex parts that represent a solid whose mass properties (for density 1), body axes `axes` and
    /// surface `skin` (in the axes of the parts) are known more accurately than the parts give them.
    ///
    /// # Errors
    /// As [`Compound::new`].
    pub fn from_parts(
        parts: &[(D::Shape, Pose<D>)],
        mass: MassProperties<D>,
        axes: &Pose<D>,
        skin: Option<SourceSurface<D>>,
    ) -> Result<Self, ShapeError> {
        if parts.len() > MAX_PARTS {
            return Err(ShapeError::TooMany {
                what: "parts of a compound".into(),
                count: parts.len(),
                most: MAX_PARTS,
            });
        }
        // Zero, subnormal or infinite masses cannot be computed with.
        let masses = D::mass_diagonal(&mass);
        if let Some(value) = masses.as_ref().iter().find(|m| !m.is_normal()) {
            return Err(ShapeError::Degenerate(format!(
                "the mass or a moment of the whole is {value} for density 1: its size is beyond the \
                 range of numbers"
            )));
        }
        // Parts and source surface in body axes.
        let parts: Vec<Part<D>> = parts
            .iter()
            .map(|(shape, pose)| Part {
                shape: shape.clone(),
                pose: D::relative(axes, pose),
            })
            .collect();
        let radius = parts.iter().fold(0.0_f64, |most, part| {
            most.max(D::farthest(&part.shape, &part.pose))
        });
        let boxes: Vec<Aabb<D>> = parts
            .iter()
            .map(|part| D::aabb(&part.shape, &part.pose))
            .collect();
        let inward = |v: &D::Vector| D::rotate_back(&axes.rotation, *v - axes.position);
        let skin = skin.map(|skin| SourceSurface {
            vertices: skin.vertices.iter().map(inward).collect(),
            triangles: skin.triangles,
        });
        Ok(Self {
            tree: PartTree::new(&boxes),
            parts,
            bounding_radius: radius,
            mass,
            source_surface: skin,
            fit: None,
        })
    }

    /// The same compound with the measured distance of its parts from the source surface.
    pub(crate) fn with_fit(self, fit: DecompositionFit) -> Self {
        Self {
            fit: Some(fit),
            ..self
        }
    }

    /// Distance between the parts and the surface they approximate; `None` where the parts are exact.
    pub fn fit(&self) -> Option<&DecompositionFit> {
        self.fit.as_ref()
    }

    /// The convex parts.
    pub fn parts(&self) -> &[Part<D>] {
        &self.parts
    }

    /// The surface that the parts approximate or decompose, if the compound was made from one.
    pub fn source_surface(&self) -> Option<&SourceSurface<D>> {
        self.source_surface.as_ref()
    }

    /// Largest distance of a point from the centre of mass.
    pub fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// Mass properties with the densities of all parts multiplied by `density`.
    pub fn mass_properties(&self, density: f64) -> MassProperties<D> {
        let mut masses = D::mass_diagonal(&self.mass);
        masses.as_mut().iter_mut().for_each(|m| *m *= density);
        D::from_mass_diagonal(&masses)
    }

    /// Axis-aligned bounding box in world axes: the union of those of the parts.
    pub(crate) fn aabb(&self, pose: &Pose<D>) -> Aabb<D> {
        let all = D::Vector::splat(f64::INFINITY);
        let (mut low, mut high) = (all, -all);
        for part in &self.parts {
            let one = D::aabb(&part.shape, &D::compose(pose, &part.pose));
            low = low.min(one.low);
            high = high.max(one.high);
        }
        Aabb { low, high }
    }
}
