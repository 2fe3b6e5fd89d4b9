//! What a scene of bodies says, as text: expressions are not looked into.

use super::form::{HeightsSpec, MeshSpec, PieceSpec, SolidSpec};
use crate::file::CertificateSpec;
use crate::file::{Formula, FrictionSpec, Named, Picture, RecordSpec, RestitutionSpec, Word};
use crate::survey::{DistributionSpec, ProfileSpec};

pub(crate) use super::many::{
    ArrangementSpec, GeneratorSpec, GrainSpec, RegionOfPacking, SizesSpec,
};

/// A name with its place: of a material, a body, a group, a file.
pub(crate) type Name = Word;

/// A material.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MaterialSpec {
    pub name: String,
    pub line: usize,
    pub density: Option<Formula>,
}

/// A law between two materials.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LawSpec {
    pub line: usize,
    pub between: [Name; 2],
    /// The friction and its line; the direction of its first axis.
    pub friction: Option<(FrictionSpec, usize, Option<Vec<Formula>>)>,
    pub rolling: Option<Formula>,
    pub spinning: Option<Formula>,
    pub rebound: Option<RestitutionSpec>,
    pub tangential_restitution: Option<Formula>,
}

/// What a body looks like.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ShapeSpec {
    /// Disc or sphere.
    Ball(Formula),
    Box(Vec<Formula>),
    Polygon(Vec<Vec<Formula>>),
    /// Length, radius.
    Capsule([Formula; 2]),
    /// Length, radius.
    Cylinder([Formula; 2]),
    /// Half-plane or half-space: its outward normal.
    Half(Vec<Formula>),
    Chain {
        vertices: Vec<Vec<Formula>>,
        closed: bool,
    },
    Hull(Vec<Vec<Formula>>),
    Polyhedron {
        vertices: Vec<Vec<Formula>>,
        faces: Vec<Vec<usize>>,
    },
    PolyhedronFile {
        file: Name,
        scale: Option<Formula>,
    },
    Mesh(MeshSpec),
    Solid(SolidSpec),
    Heights(HeightsSpec),
    Compound(Vec<PieceSpec>),
}

impl ShapeSpec {
    /// Its key in the file.
    pub fn key(&self, dimension: usize) -> &'static str {
        match self {
            Self::Ball(_) if dimension == 2 => "disc",
            Self::Ball(_) => "sphere",
            Self::Box(_) => "box",
            Self::Polygon(_) => "polygon",
            Self::Capsule(_) => "capsule",
            Self::Cylinder(_) => "cylinder",
            Self::Half(_) if dimension == 2 => "half_plane",
            Self::Half(_) => "half_space",
            Self::Chain { .. } => "chain",
            Self::Hull(_) | Self::Polyhedron { .. } | Self::PolyhedronFile { .. } => "polyhedron",
            Self::Mesh(_) => "mesh",
            Self::Solid(_) => "solid",
            Self::Heights(_) => "heights",
            Self::Compound(_) => "compound",
        }
    }

    /// Whether it can only bound others.
    pub fn boundary_only(&self) -> bool {
        matches!(
            self,
            Self::Half(_) | Self::Chain { .. } | Self::Mesh(_) | Self::Heights(_)
        )
    }

    /// Whether all its parts have densities of their own.
    pub fn dense(&self) -> bool {
        let own = |piece: &PieceSpec| piece.density.is_some() || piece.shape.dense();
        matches!(self, Self::Compound(pieces) if pieces.iter().all(own))
    }
}

/// How a body is turned at the start.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum TurnSpec {
    None,
    Angle(Formula),
    About {
        axis: Vec<Formula>,
        angle: Formula,
    },
    /// w, x, y, z.
    Quaternion(Vec<Formula>),
}

/// A part of a given motion.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum MotionSpec {
    Expressions {
        /// One per coordinate.
        offset: Vec<Option<Formula>>,
        /// In space with the axis.
        turn: Option<(Option<Vec<Formula>>, Formula)>,
    },
    Accelerogram {
        file: Name,
        direction: Vec<Formula>,
        scale: Option<Formula>,
        drift: Option<Word>,
    },
}

/// What the motion of a body obeys.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum FreedomSpec {
    Free,
    /// Bits of the velocity components that follow forces.
    Only(u8),
    Fixed,
    Motion(Vec<MotionSpec>),
}

/// A given force.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LoadSpec {
    pub force: Option<Vec<Formula>>,
    pub torque: Option<Vec<Formula>>,
    pub at: Option<Vec<Formula>>,
}

/// A body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BodySpec {
    pub name: String,
    pub line: usize,
    pub shape: ShapeSpec,
    pub shape_line: usize,
    pub material: Name,
    pub mass: Option<Formula>,
    pub inertia: Option<Vec<Formula>>,
    /// Centre of mass, in the axes of the description.
    pub centre: Option<Vec<Formula>>,
    /// Body axes in those of the description: a quaternion.
    pub axes: Option<Vec<Formula>>,
    pub position: Option<Vec<Formula>>,
    pub turn: TurnSpec,
    pub velocity: Option<Vec<Formula>>,
    pub spin: Option<Vec<Formula>>,
    pub freedom: FreedomSpec,
    pub load: Option<LoadSpec>,
}

impl BodySpec {
    /// What it is called in messages.
    pub fn part(&self) -> String {
        format!("body `{}`", self.name)
    }
}

/// A group.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GroupSpec {
    pub name: String,
    pub line: usize,
    pub bodies: Vec<Name>,
}

/// A region.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RegionSpec {
    pub name: String,
    pub line: usize,
    pub low: Option<Vec<Formula>>,
    pub high: Option<Vec<Formula>>,
    pub of: Option<Name>,
    /// Axis, number.
    pub slices: Option<(usize, usize)>,
}

/// A joint.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JointSpec {
    pub name: String,
    pub line: usize,
    pub kind: Word,
    /// Two bodies, or the world and a body.
    pub between: [Name; 2],
    /// Its point in space at the start; two of them for a distance.
    pub at: Option<Vec<Vec<Formula>>>,
    /// Its points in the axes that the two shapes are described in.
    pub anchors: Option<Vec<Vec<Formula>>>,
    pub axis: Option<Vec<Formula>>,
    pub length: Option<Formula>,
    pub about: Option<Word>,
    /// low, high, restitution.
    pub limits: Option<[Option<Formula>; 3]>,
    /// speed, bound.
    pub motor: Option<(Formula, Option<Formula>)>,
    /// stiffness, rest, damping.
    pub spring: Option<[Option<Formula>; 3]>,
    pub friction: Option<Formula>,
    pub radius: Option<Formula>,
    pub play: Option<Formula>,
    pub restitution: Option<Formula>,
    pub contact: bool,
}

impl JointSpec {
    /// What it is called in messages.
    pub fn part(&self) -> String {
        format!("joint `{}`", self.name)
    }
}

/// A watched pair.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WatchSpec {
    pub name: String,
    pub line: usize,
    pub between: [Name; 2],
}

/// A force on many bodies.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FieldSpec {
    /// From 1, in messages.
    pub number: usize,
    pub line: usize,
    pub load: LoadSpec,
    pub bodies: Option<Vec<Name>>,
    pub per_mass: bool,
}

/// What a load case multiplies.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CaseSpec {
    /// Force per mass on every body.
    Acceleration(Vec<Formula>),
    /// The sense (plane) or axis (space) about which gravity turns.
    Tilt(Vec<Formula>),
    /// A force on one body.
    Force {
        force: Vec<Formula>,
        body: Name,
        at: Option<Vec<Formula>>,
    },
}

/// A load case of limit analysis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LoadCaseSpec {
    pub name: String,
    pub line: usize,
    pub case: CaseSpec,
}

/// Resistance of a fluid.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DragSpec {
    /// From 1, in messages.
    pub number: usize,
    pub line: usize,
    pub coefficient: Option<Formula>,
    pub spin_coefficient: Option<Formula>,
    pub bodies: Option<Vec<Name>>,
}

/// `[run]`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BodiesRunSpec {
    pub start: Option<Formula>,
    pub until: Formula,
    pub step: Formula,
    pub tolerance: Option<Formula>,
    pub record_every: Option<Formula>,
    pub record: RecordSpec,
    pub certificate: CertificateSpec,
    pub activation: Option<Word>,
    pub correction: Option<Word>,
    pub solver: Option<Word>,
    pub max_iterations: Option<Formula>,
    pub overlap: Option<Formula>,
    pub relax: Option<Word>,
    pub stop: Option<Formula>,
}

/// A run before the run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PrepareSpec {
    pub name: String,
    pub line: usize,
    pub until: Formula,
    pub step: Option<Formula>,
    pub tolerance: Option<Formula>,
    pub stop: Option<Formula>,
    /// Whether it is refused where `stop` has not become true.
    pub must: bool,
    pub set: Vec<Named>,
    /// Body, and the bits of its velocity components that follow forces.
    pub free: Vec<(Name, u8)>,
    pub hold: Vec<Name>,
    pub rest: bool,
}

/// A component of a matrix with its expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Component {
    pub name: &'static str,
    pub row: usize,
    pub column: usize,
    pub formula: Formula,
}

/// `[cell]`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CellSpec {
    pub line: usize,
    pub vectors: Vec<Vec<Formula>>,
    /// The key that gave the vectors: `size` or `vectors`.
    pub key: &'static str,
    pub periodic: [bool; 3],
    pub strain_rate: Vec<Component>,
    pub stress: Vec<Component>,
    pub pressure: Option<Formula>,
    pub inertia: Option<Formula>,
    pub damping: Option<Formula>,
}

/// The whole of a collection.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BodiesSpec {
    pub parameters: Vec<Named>,
    pub dimension: usize,
    pub gravity: Option<Vec<Formula>>,
    pub cell: Option<CellSpec>,
    pub materials: Vec<MaterialSpec>,
    pub laws: Vec<LawSpec>,
    pub bodies: Vec<BodySpec>,
    pub generators: Vec<GeneratorSpec>,
    pub groups: Vec<GroupSpec>,
    pub regions: Vec<RegionSpec>,
    pub watches: Vec<WatchSpec>,
    pub profiles: Vec<ProfileSpec>,
    pub distributions: Vec<DistributionSpec>,
    pub fields: Vec<FieldSpec>,
    pub drags: Vec<DragSpec>,
    pub loads: Vec<LoadCaseSpec>,
    pub joints: Vec<JointSpec>,
    pub pictures: Vec<Picture>,
    pub prepare: Vec<PrepareSpec>,
    pub run: BodiesRunSpec,
    /// Bodies whose motion or force a program gave.
    pub callables: Vec<String>,
}
