//! Memory of a step, grouped by the stage that fills it, and the constants derived from the model.
//!
//! The motion is not continued from it: a world resumed from the model, the state and the report makes the same steps
//! bit by bit. What callers read after a step (contacts, impulses, joint rows) is read from here.

use percuss_contact::law::Status;
use percuss_contact::{Problem, ResidualEvaluator};
use percuss_geometry::{Pose, min_width};
use percuss_solve::{Nncg, Report, Solver};

use super::assemble::BodyData;
use super::balance::{self, ContactWorks, PainleveContact, PainleveScratch};
use super::joints::{JointAssembly, JointCache, JointProjection};
use super::other_solution::OtherSolution;
use super::persistent::PersistentScratch;
use super::projection::{self, SphereProjection};
use super::{CLOSED_IF_LOADED, NO_GROUP, gap_scale};
use crate::body::{Body, Freedom};
use crate::candidate::Candidate;
use crate::detect::Detector;
use crate::dynamics::Dynamics;
use crate::joint::{BilateralConstraint, JointReport};
use crate::model::Model;
use crate::periodic_cell::{Lattice, Matrix, PeriodicCell, contract};
use crate::settings::Settings;

/// Everything that a step writes beside the state and the report.
pub(crate) struct Scratch<D: Dynamics> {
    /// Constants of the model, computed once by [`ModelCache::new`].
    pub cache: ModelCache<D>,
    /// Solver of (★).
    pub solver: Box<dyn Solver>,
    /// Filled by `midpoint::place`.
    pub midpoint: Midpoint<D>,
    /// Filled by `free_velocity::compute`; corrected by `joints::gyroscopic::correct_free_velocity`.
    pub free: FreeVelocity<D>,
    /// Filled by `detection::detect`, once a step.
    pub detection: Detection<D>,
    /// Filled by `assemble::assemble`; the laws of joint friction by `joints::FrictionIteration`.
    pub assembly: Assembly<D>,
    /// Started by `assemble::assemble`, solved by `percuss_solve::solve`.
    pub solution: Solution,
    /// Filled by `end_velocity::compute`.
    pub end: EndVelocity<D>,
    /// Filled by `joints::next_pass`.
    pub coupling: Coupling<D>,
    /// Filled by `balance::of_step`.
    pub balance: Balance<D>,
    /// Filled by `projection::project_overlaps` and `joints::project_drift`.
    pub projection: Projection<D>,
    /// Filled by `persistent::project`.
    pub persistent: PersistentScratch<D>,
}

/// Constants derived from the model.
pub(crate) struct ModelCache<D: Dynamics> {
    /// Index of the group of kinetic coordinates of each body.
    pub group: Vec<u32>,
    /// Whether the kinetic coordinates of a body contain its spin about world axes (isotropic inertia).
    pub spin_in_world_axes: Vec<bool>,
    /// Whether, in addition, the body is a sphere of space.
    pub is_sphere: Vec<bool>,
    /// Indices of the kinematic bodies.
    pub kinematic: Vec<u32>,
    /// Bounding radius of each body, the scale of gaps; 0 if unbounded.
    pub gap_scale: Vec<f64>,
    /// Smallest width of each body, the scale of penetrations.
    pub min_width: Vec<f64>,
    /// Restitution coefficient of all contacts, normal and tangential, if they have only one.
    pub common_restitution: Option<f64>,
    /// A^-½: 1/√m by velocity component, 0 where the component is not an unknown.
    pub inverse_sqrt_mass: Vec<D::Dofs>,
    /// Margin of the bounding box of each body in the projection's detection.
    pub projection_margin: Vec<f64>,
    /// The periodic cell.
    pub cell: CellCache,
    /// The joints.
    pub joints: JointCache,
}

/// Constants of the periodic cell.
pub(crate) struct CellCache {
    /// 1/√(M B:B) by mode, the inverse square root of its inertia.
    pub inverse_sqrt_mass: Vec<f64>,
    /// Index of its group of kinetic coordinates, behind those of the bodies.
    pub group: usize,
}

/// The configuration at the midpoint of the step.
pub(crate) struct Midpoint<D: Dynamics> {
    /// Poses q_M.
    pub poses: Vec<Pose<D>>,
    /// The periodic cell.
    pub lattice: Option<Lattice<D>>,
    /// L_I, the strain rate at the beginning of the step.
    pub strain_rate: Matrix,
}

impl<D: Dynamics> Default for Midpoint<D> {
    fn default() -> Self {
        Self {
            poses: Vec::new(),
            lattice: None,
            strain_rate: [[0.0; 3]; 3],
        }
    }
}

/// The velocities without contacts and joints.
pub(crate) struct FreeVelocity<D: Dynamics> {
    /// Forces and moments of the force fields by body; empty without force fields.
    pub loads: Vec<D::Dofs>,
    /// u_L; for kinematic bodies the given velocity at the end of the step.
    pub velocity: Vec<D::Dofs>,
    /// The imposed part of the strain rate at the end of the step, and L_L.
    pub imposed_rate: Matrix,
    pub strain_rate: Matrix,
}

impl<D: Dynamics> Default for FreeVelocity<D> {
    fn default() -> Self {
        Self {
            loads: Vec::new(),
            velocity: Vec::new(),
            imposed_rate: [[0.0; 3]; 3],
            strain_rate: [[0.0; 3]; 3],
        }
    }
}

/// The candidates at the midpoint, and the threads of the step.
pub(crate) struct Detection<D: Dynamics> {
    pub detector: Detector<D>,
    /// Margin of the bounding box of each body; constant if contacts are activated by their gap.
    pub aabb_margin: Vec<f64>,
    /// Candidates of pins in their holes.
    pub clearance_candidates: Vec<Candidate<D>>,
}

/// The contact problem (★).
pub(crate) struct Assembly<D: Dynamics> {
    pub problem: Option<Problem>,
    /// Active contacts: index of the candidate of each.
    pub active: Vec<u32>,
    /// Whether they persist: their law has U_F + U_I.
    pub persistent: Vec<bool>,
    /// Whether persistent contacts take the restitution of their materials in this pass.
    pub as_impacts: bool,
    /// U_I by row.
    pub begin_velocity: Vec<f64>,
    /// Body data, gathered for locality of memory.
    pub body_data: Vec<BodyData<D>>,
    /// The rows of the joints.
    pub joints: JointAssembly<D>,
}

impl<D: Dynamics> Default for Assembly<D> {
    fn default() -> Self {
        Self {
            problem: None,
            active: Vec::new(),
            persistent: Vec::new(),
            as_impacts: false,
            begin_velocity: Vec::new(),
            body_data: Vec::new(),
            joints: JointAssembly::default(),
        }
    }
}

impl<D: Dynamics> Assembly<D> {
    /// Resets what passes of a step change.
    pub fn begin_step(&mut self) {
        self.joints.begin_step();
        self.as_impacts = false;
    }

    /// Whether an active contact persists.
    pub fn any_persistent(&self) -> bool {
        self.persistent.contains(&true)
    }
}

/// The solution of (★).
#[derive(Default)]
pub(crate) struct Solution {
    /// Impulse S by row.
    pub impulse: Vec<f64>,
    /// Report of the solver; `None` without contacts and joints.
    pub report: Option<Report>,
}

/// The velocities at the end of the step.
pub(crate) struct EndVelocity<D: Dynamics> {
    /// u_F; for kinematic bodies the given velocity.
    pub velocity: Vec<D::Dofs>,
    /// v̂_F in kinetic coordinates; not written without contacts.
    pub kinetic: Vec<f64>,
    /// L_F; between two steps the strain rate of the state.
    pub strain_rate: Matrix,
}

impl<D: Dynamics> Default for EndVelocity<D> {
    fn default() -> Self {
        Self {
            velocity: Vec::new(),
            kinetic: Vec::new(),
            strain_rate: [[0.0; 3]; 3],
        }
    }
}

/// What decides on further passes of a step with joints.
pub(crate) struct Coupling<D: Dynamics> {
    /// Bodies whose gyroscopic moments are taken from the first pass, sorted; those of joints and persistent contacts.
    pub gyroscopic: Vec<usize>,
    /// End velocities of the first pass, from which the gyroscopic moments are taken.
    pub first_end_velocity: Vec<D::Dofs>,
    /// U_F by row and p̂ in kinetic coordinates, for the energy gain of a step.
    pub row_end_velocity: Vec<f64>,
    pub impulse_kinetic: Vec<f64>,
}

/// Sums and results of the balance of a step.
pub(crate) struct Balance<D: Dynamics> {
    /// Status by contact, U_F by row.
    pub status: Vec<Status>,
    pub end_velocity: Vec<f64>,
    /// Σ GᵀS by body: wrench of the contact and joint impulses.
    pub contact_wrench: Vec<D::Dofs>,
    /// Contact impulses as vectors, in world axes.
    pub contact_impulse: Vec<D::Vector>,
    /// Partial sums of the contact works, one for each chunk of contacts.
    pub partial_works: Vec<ContactWorks>,
    /// Evaluates the residual of a step's impulses.
    pub judge: Option<ResidualEvaluator>,
    /// Scratch of the Painlevé check, and the sliding contact of smallest γ.
    pub painleve: PainleveScratch,
    pub sliding: Option<PainleveContact>,
    /// Another solution of the step's contact problem, if one was found.
    pub other_solution: Option<OtherSolution>,
    /// Reports of the joints.
    pub joint_reports: Vec<JointReport<D>>,
    /// Buffer of `joints::read_joints`.
    pub held: Vec<BilateralConstraint<D>>,
}

/// Projection of overlaps: frictionless problem, detector, solver, and their results; projection of joint drift.
pub(crate) struct Projection<D: Dynamics> {
    pub problem: Option<Problem>,
    pub spheres: SphereProjection<D>,
    /// A detector of its own: the step's candidates are read after the projection.
    pub detector: Option<Detector<D>>,
    /// Candidates of pins in their holes.
    pub clearance_candidates: Vec<Candidate<D>>,
    pub solver: Nncg,
    pub impulse: Vec<f64>,
    pub displacement: Vec<f64>,
    pub joints: JointProjection<D>,
}

impl CellCache {
    fn new(cell: Option<&PeriodicCell>, group: usize) -> Self {
        let inverse_sqrt_mass = cell.map_or_else(Vec::new, |cell| {
            // Inertia of a mode is M B:B.
            let modes = cell.modes.iter();
            modes
                .map(|mode| 1.0 / (cell.mass * contract(mode, mode)).sqrt())
                .collect()
        });
        Self {
            inverse_sqrt_mass,
            group,
        }
    }

    /// Number of deformation modes.
    pub fn modes(&self) -> usize {
        self.inverse_sqrt_mass.len()
    }
}

impl<D: Dynamics> ModelCache<D> {
    fn new(model: &Model<D>) -> Self {
        // Kinetic groups are numbered in the order of the movable bodies.
        let mut groups = 0_u32;
        let group = model.bodies.iter().map(|body| {
            if body.freedom.movable() {
                groups += 1;
                groups - 1
            } else {
                NO_GROUP
            }
        });
        let group: Vec<u32> = group.collect();
        // A^-½ by component, 0 for locked components.
        let inverse_root = model.bodies.iter().map(|body| {
            let mut roots = D::mass_diagonal(&body.mass);
            for (k, value) in roots.as_mut().iter_mut().enumerate() {
                let follows = body.freedom.is_free(k);
                *value = if follows { 1.0 / value.sqrt() } else { 0.0 };
            }
            roots
        });
        // Isotropic bodies take their spin about world axes.
        let turns = |body: &Body<D>| {
            body.freedom == Freedom::Free && D::has_isotropic_inertia(&body.mass.inertia)
        };
        let ball = |body: &Body<D>| turns(body) && D::is_sphere(&body.shape);
        // Kinematic bodies are few: listed, so that steps do not search for them.
        let guided = (0..model.bodies.len() as u32)
            .filter(|&i| matches!(model.bodies[i as usize].freedom, Freedom::Kinematic(_)));
        let size: Vec<f64> = model.bodies.iter().map(gap_scale::<D>).collect();
        let widths = model.bodies.iter().map(|body| min_width::<D>(&body.shape));
        Self {
            group,
            spin_in_world_axes: model.bodies.iter().map(turns).collect(),
            is_sphere: model.bodies.iter().map(ball).collect(),
            kinematic: guided.collect(),
            min_width: widths.collect(),
            common_restitution: balance::common_restitution(model),
            inverse_sqrt_mass: inverse_root.collect(),
            projection_margin: projection::margins(model, &size),
            cell: CellCache::new(model.cell.as_ref(), groups as usize),
            joints: JointCache::new(model),
            gap_scale: size,
        }
    }
}

impl<D: Dynamics> Scratch<D> {
    pub fn new(model: &Model<D>, settings: &Settings, solver: Box<dyn Solver>) -> Self {
        let cache = ModelCache::new(model);
        let closed = |size: &f64| CLOSED_IF_LOADED * size;
        Self {
            solver,
            midpoint: Midpoint::default(),
            free: FreeVelocity::default(),
            detection: Detection {
                detector: Detector::new(settings.threads),
                aabb_margin: cache.gap_scale.iter().map(closed).collect(),
                clearance_candidates: Vec::new(),
            },
            assembly: Assembly::default(),
            solution: Solution::default(),
            end: EndVelocity::default(),
            coupling: Coupling {
                gyroscopic: Vec::new(),
                first_end_velocity: Vec::new(),
                row_end_velocity: Vec::new(),
                impulse_kinetic: Vec::new(),
            },
            balance: Balance {
                status: Vec::new(),
                end_velocity: Vec::new(),
                contact_wrench: Vec::new(),
                contact_impulse: Vec::new(),
                partial_works: Vec::new(),
                judge: None,
                painleve: PainleveScratch::default(),
                sliding: None,
                other_solution: None,
                joint_reports: Vec::new(),
                held: Vec::new(),
            },
            projection: Projection {
                problem: None,
                spheres: SphereProjection::new(model),
                detector: None,
                clearance_candidates: Vec::new(),
                solver: Nncg::default(),
                impulse: Vec::new(),
                displacement: Vec::new(),
                joints: JointProjection::default(),
            },
            persistent: PersistentScratch::default(),
            cache,
        }
    }

    /// Invalidates the contacts of the last step: the detector now holds other candidates.
    pub fn invalidate_contacts(&mut self) {
        self.assembly.active.clear();
        self.balance.status.clear();
        self.midpoint.poses.clear();
        self.assembly.joints.blocks.clear();
        self.persistent.clear();
    }
}
