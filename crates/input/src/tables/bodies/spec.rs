//! Specifications of a scene of bodies as read from its tables; expressions are still text.

use super::form::{HeightsSpec, MeshSpec, PieceSpec, SolidSpec};
use super::generators::GeneratorSpec;
use crate::report::Picture;
use crate::tables::{
    CertificateSpec, DistributionSpec, FrictionSpec, ProfileSpec, RecordSpec, RestitutionSpec, Word,
};
use crate::{Formula, Named};

/// A name with its line: of a material, a body, a group, a file.
pub type Name = Word;

/// `[[material]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct MaterialSpec {
    pub name: String,
    pub line: usize,
    pub density: Option<Formula>,
}

/// `[[law]]`: the contact law between two materials.
#[derive(Debug, Clone, PartialEq)]
pub struct LawSpec {
    pub line: usize,
    pub between: [Name; 2],
    /// The friction with its line, and the direction of its first axis.
    pub friction: Option<(FrictionSpec, usize, Option<Vec<Formula>>)>,
    pub rolling: Option<Formula>,
    pub spinning: Option<Formula>,
    pub rebound: Option<RestitutionSpec>,
    pub tangential_restitution: Option<Formula>,
}

/// The shape of a body.
#[derive(Debug, Clone, PartialEq)]
pub enum ShapeSpec {
    /// Disc or sphere, by its radius.
    Ball(Formula),
    Box(Vec<Formula>),
    Polygon(Vec<Vec<Formula>>),
    /// Length and radius.
    Capsule([Formula; 2]),
    /// Length and radius.
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
    /// Its key in the scene file.
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

    /// Whether it has no volume of its own and can only be a boundary of other bodies.
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

/// Initial orientation of a body.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnSpec {
    None,
    Angle(Formula),
    About {
        axis: Vec<Formula>,
        angle: Formula,
    },
    /// Unit quaternion w, x, y, z.
    Quaternion(Vec<Formula>),
}

/// A part of a prescribed motion.
#[derive(Debug, Clone, PartialEq)]
pub enum MotionSpec {
    Expressions {
        /// Displacement by coordinate.
        offset: Vec<Option<Formula>>,
        /// Rotation angle, in space with its axis.
        turn: Option<(Option<Vec<Formula>>, Formula)>,
    },
    Accelerogram {
        file: Name,
        direction: Vec<Formula>,
        scale: Option<Formula>,
        drift: Option<Word>,
    },
}

/// Which velocity components of a body follow forces.
#[derive(Debug, Clone, PartialEq)]
pub enum FreedomSpec {
    Free,
    /// Bit mask of the velocity components that follow forces.
    Only(u8),
    Fixed,
    Motion(Vec<MotionSpec>),
}

/// A given force and torque, with the point of application.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadSpec {
    pub force: Option<Vec<Formula>>,
    pub torque: Option<Vec<Formula>>,
    pub at: Option<Vec<Formula>>,
}

/// `[[body]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct BodySpec {
    pub name: String,
    pub line: usize,
    pub shape: ShapeSpec,
    pub shape_line: usize,
    pub material: Name,
    pub mass: Option<Formula>,
    pub inertia: Option<Vec<Formula>>,
    /// Centre of mass, in the axes of the shape.
    pub centre: Option<Vec<Formula>>,
    /// Body axes relative to those of the shape: a unit quaternion.
    pub axes: Option<Vec<Formula>>,
    pub position: Option<Vec<Formula>>,
    pub turn: TurnSpec,
    pub velocity: Option<Vec<Formula>>,
    pub spin: Option<Vec<Formula>>,
    pub freedom: FreedomSpec,
    pub load: Option<LoadSpec>,
}

impl BodySpec {
    /// Its name in messages.
    pub fn part(&self) -> String {
        format!("body `{}`", self.name)
    }
}

/// `[[group]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupSpec {
    pub name: String,
    pub line: usize,
    pub bodies: Vec<Name>,
}

/// `[[region]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionSpec {
    pub name: String,
    pub line: usize,
    pub low: Option<Vec<Formula>>,
    pub high: Option<Vec<Formula>>,
    pub of: Option<Name>,
    /// Axis and number of slices.
    pub slices: Option<(usize, usize)>,
}

/// `[[joint]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct JointSpec {
    pub name: String,
    pub line: usize,
    pub kind: Word,
    /// Two bodies, or the world and a body.
    pub between: [Name; 2],
    /// Its point in world axes at the start; two points for a distance.
    pub at: Option<Vec<Vec<Formula>>>,
    /// Its points in the axes of the two shapes.
    pub anchors: Option<Vec<Vec<Formula>>>,
    pub axis: Option<Vec<Formula>>,
    pub length: Option<Formula>,
    pub about: Option<Word>,
    /// Lower limit, upper limit, restitution.
    pub limits: Option<[Option<Formula>; 3]>,
    /// Speed, bound of the force or torque.
    pub motor: Option<(Formula, Option<Formula>)>,
    /// Stiffness, rest length, damping.
    pub spring: Option<[Option<Formula>; 3]>,
    pub friction: Option<Formula>,
    pub radius: Option<Formula>,
    pub play: Option<Formula>,
    pub restitution: Option<Formula>,
    pub contact: bool,
}

impl JointSpec {
    /// Its name in messages.
    pub fn part(&self) -> String {
        format!("joint `{}`", self.name)
    }
}

/// `[[watch]]`: a contact monitor for a pair of body sets.
#[derive(Debug, Clone, PartialEq)]
pub struct WatchSpec {
    pub name: String,
    pub line: usize,
    pub between: [Name; 2],
}

/// `[[field]]`: a force field on many bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldSpec {
    /// Number from 1, for messages.
    pub number: usize,
    pub line: usize,
    pub load: LoadSpec,
    pub bodies: Option<Vec<Name>>,
    pub per_mass: bool,
}

/// The load that the multiplier of a load case scales.
#[derive(Debug, Clone, PartialEq)]
pub enum CaseSpec {
    /// Force per mass on every body.
    Acceleration(Vec<Formula>),
    /// The sense (plane) or axis (space) of the tilt of gravity.
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
pub struct LoadCaseSpec {
    pub name: String,
    pub line: usize,
    pub case: CaseSpec,
}

/// `[[drag]]`: linear drag of a fluid.
#[derive(Debug, Clone, PartialEq)]
pub struct DragSpec {
    /// Number from 1, for messages.
    pub number: usize,
    pub line: usize,
    pub coefficient: Option<Formula>,
    pub spin_coefficient: Option<Formula>,
    pub bodies: Option<Vec<Name>>,
}

/// `[run]` with `[record]` and `[certificate]`.
#[derive(Debug, Clone, PartialEq)]
pub struct BodiesRunSpec {
    pub start: Option<Formula>,
    pub until: Formula,
    pub step: Formula,
    pub integrator: Option<Word>,
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

/// `[[prepare]]`: a preparation before the run.
#[derive(Debug, Clone, PartialEq)]
pub struct PrepareSpec {
    pub name: String,
    pub line: usize,
    pub until: Formula,
    pub step: Option<Formula>,
    pub tolerance: Option<Formula>,
    pub stop: Option<Formula>,
    /// Whether the run is refused if `stop` has not become true.
    pub must: bool,
    pub set: Vec<Named>,
    /// Body, and the bit mask of its velocity components that follow forces.
    pub free: Vec<(Name, u8)>,
    /// Bodies and groups that do not move during the preparation.
    pub fixed: Vec<Name>,
    pub rest: bool,
}

/// A component of a matrix (strain rate, stress) with its expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Component {
    pub name: &'static str,
    pub row: usize,
    pub column: usize,
    pub formula: Formula,
}

/// `[cell]`: the periodic cell.
#[derive(Debug, Clone, PartialEq)]
pub struct CellSpec {
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

/// A whole scene of bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct BodiesSpec {
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
    /// Bodies whose motion or force is a function of a caller.
    pub callables: Vec<String>,
}
