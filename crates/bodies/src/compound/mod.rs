//! Bodies made of convex parts.
//!
//! ```text
//! C = ∪ P_k,   P_k convex and bounded, rigidly joined
//! m = Σ m_k,   c = Σ m_k c_k / m,   J = Σ R_k J_k R_kᵀ + m_k (|d_k|² 1 − d_k d_kᵀ),   d_k = c_k − c
//! ```
//!
//! Body axes are those in which J is diagonal, with their origin at c. Where two compounds touch is
//! found part by part; what a part alone would say and the union would not is taken out again
//! (`surface`: contacts at seams; `merge`: points found twice, points between others on a seam). Parts
//! near a box are found by a tree. Parts of one body never touch one another.
//!
//! Limits: the mass of parts that overlap counts for each of them. [`MOST_PARTS`] parts.

mod merge;
mod spot;
mod surface;
mod touch;
mod tree;

use crate::dim::Dim;
use crate::error::ShapeError;
use crate::pose::{Aabb, MassProperties, Pose};
use crate::space::DecompositionFit;
use crate::vector::Vector;
use tree::PartTree;

pub(crate) use touch::contact_points;

/// Parts at most: numbers of contact points are made of those of two parts.
pub const MAX_PARTS: usize = 1 << 16;

/// A convex part in body axes of the whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Part<D: Dim> {
    /// Its shape, in axes of its own.
    pub shape: D::Shape,
    /// Where these axes are.
    pub pose: Pose<D>,
}

/// What a compound stands for, in body axes: the outline of a polygon or the triangles of a surface.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceSurface<D: Dim> {
    /// Vertices; in the plane the outline, anticlockwise.
    pub vertices: Vec<D::Vector>,
    /// Triangles of a surface of space.
    pub triangles: Vec<[u32; 3]>,
}

/// A shape as one piece of a compound: where it is, and its density relative to that of the whole.
pub type CompoundPiece<D> = (<D as Dim>::Shape, Pose<D>, f64);

/// A body made of convex parts, in principal axes, centre of mass at the origin.
#[derive(Debug, Clone, PartialEq)]
pub struct Compound<D: Dim> {
    parts: Vec<Part<D>>,
    tree: PartTree<D>,
    bounding_radius: f64,
    /// For density 1.
    mass: MassProperties<D>,
    source_surface: Option<SourceSurface<D>>,
    fit: Option<DecompositionFit>,
}

impl<D: Dim> Compound<D> {
    /// From pieces; also gives the placement of the body axes in the axes the pieces are placed in. A
    /// piece that is a compound itself is taken apart.
    ///
    /// # Errors
    /// No pieces or too many, a boundary among them, a density that is not positive and finite.
    pub fn new(pieces: &[CompoundPiece<D>]) -> Result<(Self, Pose<D>), ShapeError> {
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
        let (mass, axes) = D::combine_masses(&masses);
        Ok((Self::from_parts(&parts, mass, &axes, None)?, axes))
    }

    /// From convex parts that stand for something whose mass properties (for density 1), placement of
    /// the body axes and outline (in the axes of the parts) are known better than from the parts.
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
        let masses = D::mass_diagonal(&mass);
        if let Some(value) = masses.as_ref().iter().find(|m| !m.is_normal()) {
            return Err(ShapeError::Degenerate(format!(
                "the mass or a moment of the whole is {value} for density 1: its size is beyond the \
                 range of numbers"
            )));
        }
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

    /// The same, knowing how far its parts are from what they stand for.
    pub(crate) fn with_fit(self, fit: DecompositionFit) -> Self {
        Self {
            fit: Some(fit),
            ..self
        }
    }

    /// How far the parts are from what they stand for, where they are not exactly that.
    pub fn fit(&self) -> Option<&DecompositionFit> {
        self.fit.as_ref()
    }

    /// The parts.
    pub fn parts(&self) -> &[Part<D>] {
        &self.parts
    }

    /// What the parts stand for, if it is not just them.
    pub fn source_surface(&self) -> Option<&SourceSurface<D>> {
        self.source_surface.as_ref()
    }

    /// Largest distance of a point from the centre of mass.
    pub fn bounding_radius(&self) -> f64 {
        self.bounding_radius
    }

    /// Mass properties where the densities of the parts are multiplied by this one.
    pub fn mass_properties(&self, density: f64) -> MassProperties<D> {
        let mut masses = D::mass_diagonal(&self.mass);
        masses.as_mut().iter_mut().for_each(|m| *m *= density);
        D::from_mass_diagonal(&masses)
    }

    /// The box around it in space.
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
