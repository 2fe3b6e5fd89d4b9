//! Specifications of a mechanism as read from its tables; expressions are still text.

use crate::tables::certificate::CertificateSpec;
use crate::tables::drawing::DrawingSpec;
use crate::tables::record::RecordSpec;
use crate::{Formula, Named};

/// What a coordinate is, its `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoordinateKind {
    /// A position on a line; also any other number.
    Line,
    /// An angle.
    Angle,
    /// A rotation in space: a unit quaternion, three components of spin.
    Orientation,
}

impl CoordinateKind {
    /// Number of its positions.
    pub fn num_positions(self) -> usize {
        match self {
            Self::Line | Self::Angle => 1,
            Self::Orientation => 4,
        }
    }

    /// Number of its velocities.
    pub fn num_velocities(self) -> usize {
        match self {
            Self::Line | Self::Angle => 1,
            Self::Orientation => 3,
        }
    }
}

/// `[[coordinate]]`.
#[derive(Debug, Clone, PartialEq)]
pub struct CoordinateSpec {
    pub name: String,
    pub line: usize,
    pub kind: CoordinateKind,
    /// One per position, or none for the default.
    pub initial: Vec<Formula>,
    /// One per velocity, or none for 0.
    pub velocity: Vec<Formula>,
}

/// `[dynamics]`: energies and generalised forces.
#[derive(Debug, Clone, PartialEq)]
pub struct DynamicsSpec {
    pub kinetic: Formula,
    pub potential: Option<Formula>,
    /// By coordinate name: one for a length or angle, three for an orientation.
    pub forces: Vec<(String, Vec<Formula>)>,
}

/// Friction of a contact.
#[derive(Debug, Clone, PartialEq)]
pub enum FrictionSpec {
    Isotropic(Formula),
    Asymmetric { plus: Formula, minus: Formula },
    Elliptic([Formula; 2]),
    Polygon(Vec<[Formula; 2]>),
    StaticDynamic { fixed: Formula, sliding: Formula },
}

impl FrictionSpec {
    /// Its name in messages.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Isotropic(_) => "one coefficient",
            Self::Asymmetric { .. } => "{ plus, minus }",
            Self::Elliptic(_) => "{ axes }",
            Self::Polygon(_) => "{ polygon }",
            Self::StaticDynamic { .. } => "{ static, dynamic }",
        }
    }
}

/// Restitution of a contact, as a coefficient or by the dissipation index.
#[derive(Debug, Clone, PartialEq)]
pub enum RestitutionSpec {
    Restitution(Formula),
    Dissipation(Formula),
}

/// `[[contact]]`: a unilateral contact.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactSpec {
    pub name: String,
    pub line: usize,
    pub gap: Formula,
    pub normal: Option<Formula>,
    pub tangent: Vec<Formula>,
    pub friction: Option<(FrictionSpec, usize)>,
    pub moment: Vec<Formula>,
    pub rolling: Option<Formula>,
    pub spinning: Option<Formula>,
    pub rebound: Option<RestitutionSpec>,
    pub tangential_restitution: Option<Formula>,
    /// Stiffness for the LZB law.
    pub stiffness: Option<Formula>,
}

/// `[[joint]]`: a bilateral holonomic constraint, with or without friction.
#[derive(Debug, Clone, PartialEq)]
pub struct BilateralSpec {
    pub name: String,
    pub line: usize,
    pub constraint: Vec<Formula>,
    pub tangent: Vec<Formula>,
    pub friction: Option<Formula>,
    pub project: Option<ProjectSpec>,
}

/// `project`: the constraints to whose gradients frictional rows are made orthogonal in the kinetic metric.
#[derive(Debug, Clone, PartialEq)]
pub enum ProjectSpec {
    /// All joints of the mechanism.
    Joints,
    /// These constraints.
    Named(Vec<Word>),
}

/// `[[velocity_constraint]]`: a nonholonomic constraint.
#[derive(Debug, Clone, PartialEq)]
pub struct NonholonomicSpec {
    pub name: String,
    pub line: usize,
    pub constraint: Vec<Formula>,
    /// The contact while which it acts (`while`).
    pub condition: Option<Word>,
}

/// The set of admissible reactions of a non-firm constraint.
#[derive(Debug, Clone, PartialEq)]
pub enum SetSpec {
    AtLeast(Formula),
    AtMost(Formula),
    Between(Formula, Formula),
    Ball(Formula),
    Firm,
    Sum(Vec<SetSpec>),
    /// Lower and upper bound of each row.
    Intervals(Vec<[Formula; 2]>),
    /// Semi-axes, one for each row.
    Ellipse(Vec<Formula>),
    /// Vertices of a convex polytope; of a polygon in two rows.
    Vertices(Vec<Vec<Formula>>),
    /// Half-spaces of a convex polytope: a normal, then a bound.
    HalfSpaces(Vec<Vec<Formula>>),
    /// A factor ≥ 0 times a set.
    Scaled(Formula, Box<SetSpec>),
}

/// `[[nonfirm]]`: a bilateral constraint whose reaction stays in a set (B02 §5).
#[derive(Debug, Clone, PartialEq)]
pub struct NonFirmSpec {
    pub name: String,
    pub line: usize,
    pub constraint: Vec<Formula>,
    pub force: SetSpec,
    /// M(q) by rows.
    pub matrix: Vec<Vec<Formula>>,
    pub project: Option<ProjectSpec>,
    /// The contact while which it acts (`while`).
    pub condition: Option<Word>,
}

/// Step length: fixed, or adaptive.
#[derive(Debug, Clone, PartialEq)]
pub enum StepSpec {
    Fixed(Formula),
    Variable {
        tolerance: Formula,
        smallest: Formula,
        largest: Formula,
    },
}

/// A word with its position.
pub type Word = Formula;

/// `[run]` and `[impact]`, with `[record]` and `[certificate]`.
#[derive(Debug, Clone, PartialEq)]
pub struct MechanismRunSpec {
    pub until: Formula,
    pub start: Option<Formula>,
    pub step: StepSpec,
    pub integrator: Option<Word>,
    pub theta: Option<Formula>,
    pub forces: Option<Word>,
    pub tangent_cone: Option<Word>,
    pub correction: Option<Word>,
    pub tolerance: Option<Formula>,
    pub record_every: usize,
    pub record: RecordSpec,
    pub certificate: CertificateSpec,
    pub law: Option<Word>,
    pub restitution: Option<Formula>,
    /// Velocities after an impact by coordinate name (`[impact.velocity]`).
    pub velocity: Vec<(String, Vec<Formula>)>,
    /// Exponent of the contact forces of the LZB law.
    pub exponent: Option<Formula>,
}

/// A whole mechanism.
#[derive(Debug, Clone, PartialEq)]
pub struct MechanismSpec {
    pub parameters: Vec<Named>,
    /// Generalised coordinates.
    pub coordinates: Vec<CoordinateSpec>,
    pub definitions: Vec<Named>,
    pub dynamics: DynamicsSpec,
    /// Unilateral constraints.
    pub contacts: Vec<ContactSpec>,
    /// Bilateral constraints.
    pub joints: Vec<BilateralSpec>,
    pub velocity_constraints: Vec<NonholonomicSpec>,
    pub nonfirm: Vec<NonFirmSpec>,
    pub run: MechanismRunSpec,
    /// Elements of its drawing.
    pub drawings: Vec<DrawingSpec>,
    /// Settings that make it a sweeping process.
    pub sweep: Option<super::SweepSpec>,
}

/// The run is over when the remaining time is less than this share of a step: rounding of t.
pub const END_TOLERANCE: f64 = 1e-6;
