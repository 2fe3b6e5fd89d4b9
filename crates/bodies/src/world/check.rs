//! Checks of settings, model and state, and the initial state of a world.

use solve::auto::AutoParams;
use solve::{Auto, Nncg, Solver};

use super::{CLOSED_IF_LOADED, NO_GROUP, Scratch, World, balance, gap_scale};
use crate::detect::Detector;
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::materials::Friction;
use crate::model::{Body, Freedom, Model};
use crate::settings::Settings;
use crate::state::State;
use percuss_geometry::{Pose, Vector, min_width};

/// Checks that step and tolerance are positive and finite.
pub(super) fn settings(settings: &Settings) -> Result<(), WorldError> {
    let positive = |what, value: f64| {
        if value > 0.0 && value.is_finite() {
            return Ok(());
        }
        Err(WorldError::Setting {
            what,
            value: value.to_string(),
            expected: "a positive, finite number",
        })
    };
    positive("the step", settings.step)?;
    positive("the tolerance", settings.tolerance)
}

/// Sweeps of the first stage of `auto` before a factorising method is tried. A step starts close to its solution, a
/// sweep costs well below a microsecond per contact, a factorisation a millisecond or more: unlike for a
/// single problem, many sweeps pay.
const SWEEPS: usize = 3000;

/// Sweeps without progress after which the first stage gives up.
const PATIENCE: usize = 500;

/// The solver named by the settings.
pub(super) fn solver(settings: &Settings) -> Result<Box<dyn Solver>, WorldError> {
    if settings.solver == "auto" {
        return Ok(Box::new(Auto::new(AutoParams {
            first_sweeps: SWEEPS,
            first_patience: PATIENCE,
            ..AutoParams::default()
        })));
    }
    solve::by_name(&settings.solver).ok_or_else(|| WorldError::Setting {
        what: "the solver",
        value: settings.solver.clone(),
        expected: "one of the solvers that `percuss solve --help` lists",
    })
}

/// Checks sizes, masses, references and that numbers are finite.
pub(super) fn model<D: Dynamics>(model: &Model<D>, state: &State<D>) -> Result<(), WorldError> {
    let n = model.bodies.len();
    let reference = |text: String| Err(WorldError::Reference(text));
    // One pose and one velocity per body, and drag for all or none.
    if state.poses.len() != n || state.velocities.len() != n {
        return reference(format!(
            "{n} bodies, but {} placements and {} velocities",
            state.poses.len(),
            state.velocities.len()
        ));
    }
    if !model.drag.is_empty() && model.drag.len() != n {
        return reference(format!("{n} bodies, but {} drags", model.drag.len()));
    }
    // Each body: finite state, existing material and motion, positive mass, movable shape.
    for (i, body) in model.bodies.iter().enumerate() {
        pose(i, state.t, &state.poses[i])?;
        if !state.velocities[i].as_ref().iter().all(|v| v.is_finite()) {
            return Err(not_finite(i, "velocity", state.t));
        }
        if usize::from(body.material) >= model.materials.count() {
            return reference(format!("body {i}: there is no material {}", body.material));
        }
        match body.freedom {
            Freedom::Kinematic(guide) if guide as usize >= model.prescribed_motions.len() => {
                return reference(format!("body {i}: there is no guide {guide}"));
            }
            Freedom::Free if D::boundary_only(&body.shape) => {
                return reference(format!("body {i}: a boundary cannot move freely"));
            }
            Freedom::Free | Freedom::Partial(_) => mass(i, body)?,
            Freedom::Kinematic(_) | Freedom::Fixed => {}
        }
    }
    laws(model)
}

/// Checks that mass and moments are positive and finite where the component is free.
fn mass<D: Dynamics>(i: usize, body: &Body<D>) -> Result<(), WorldError> {
    for (k, &value) in D::mass_diagonal(&body.mass).as_ref().iter().enumerate() {
        if body.freedom.is_free(k) && !(value > 0.0 && value.is_finite()) {
            return Err(WorldError::Mass {
                body: i,
                what: if k < D::N {
                    "mass"
                } else {
                    "moment of inertia"
                },
                value,
            });
        }
    }
    Ok(())
}

/// Checks that every contact law exists in this dimension.
fn laws<D: Dynamics>(model: &Model<D>) -> Result<(), WorldError> {
    let count = model.materials.count();
    for a in 0..count {
        for b in a..count {
            // Rolling resistance and anisotropic sections exist for some laws and dimensions only.
            let (law, _) = model.materials.law(a as u16, b as u16);
            let refuse = |why: &str| {
                let text = format!("the law between materials {a} and {b}: {why}");
                Err(WorldError::Reference(text))
            };
            let resists = law.rolling > 0.0 || law.spinning > 0.0;
            let plain = matches!(law.friction, Friction::None | Friction::Coulomb(_));
            if resists && !plain {
                return refuse("rolling resistance goes with one coefficient of friction");
            }
            match (&law.friction, D::N) {
                (Friction::Asymmetric { .. }, 3) => {
                    return refuse("a coefficient for each sense is for the plane");
                }
                (Friction::Elliptic { .. } | Friction::Polygon { .. }, 2) => {
                    return refuse("a section with two axes is for space");
                }
                _ => {}
            }
            if law.spinning > 0.0 && D::N == 2 {
                return refuse("spinning about the normal is for space");
            }
        }
    }
    Ok(())
}

/// Checks that a pose is finite.
pub(super) fn pose<D: Dynamics>(body: usize, t: f64, pose: &Pose<D>) -> Result<(), WorldError> {
    // A rotated vector is finite if the rotation is.
    let turned = D::rotate(&pose.rotation, D::Vector::splat(1.0));
    if pose.position.is_finite() && turned.is_finite() {
        return Ok(());
    }
    Err(not_finite(body, "placement", t))
}

/// The error of a quantity that is not finite.
pub(super) fn not_finite(body: usize, what: &'static str, t: f64) -> WorldError {
    WorldError::NotFinite { body, what, t }
}

impl<D: Dynamics> Scratch<D> {
    pub(super) fn new(model: &Model<D>, settings: &Settings, solver: Box<dyn Solver>) -> Self {
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
        Self {
            detector: Detector::new(settings.threads),
            solver,
            group,
            spin_in_world_axes: model.bodies.iter().map(turns).collect(),
            min_width: model
                .bodies
                .iter()
                .map(|body| min_width::<D>(&body.shape))
                .collect(),
            common_restitution: balance::common_restitution(model),
            inverse_sqrt_mass: inverse_root.collect(),
            mid: Vec::new(),
            end: Vec::new(),
            loads: Vec::new(),
            body_data: Vec::new(),
            aabb_margin: size.iter().map(|size| CLOSED_IF_LOADED * size).collect(),
            is_sphere: model.bodies.iter().map(ball).collect(),
            kinematic: guided.collect(),
            active: Vec::new(),
            status: Vec::new(),
            problem: None,
            impulse: Vec::new(),
            begin_velocity: Vec::new(),
            end_velocity: Vec::new(),
            kinetic_velocity: Vec::new(),
            contact_wrench: Vec::new(),
            partial_works: Vec::new(),
            contact_impulse: Vec::new(),
            projection_problem: None,
            sphere_projection: crate::world::projection::SphereProjection::new(model),
            projection_margin: super::projection::reaches(model, &size),
            projection_detector: None,
            projection_solver: Nncg::default(),
            projection_impulse: Vec::new(),
            displacement: Vec::new(),
            solver_report: None,
            painleve: crate::world::balance::PainleveScratch::default(),
            sliding: None,
            other_solution: None,
            judge: None,
            cell: super::cell_step::CellScratch::new(model.cell.as_ref(), groups as usize),
            gap_scale: size,
        }
    }
}

impl<D: Dynamics> World<D> {
    /// Initial state: kinematic bodies get pose and velocity of their prescribed motion, locked components are
    /// set to zero, then joints, cell and report are initialised.
    pub(super) fn begin(&mut self) -> Result<(), WorldError> {
        let t = self.state.t;
        // Origins of the prescribed motions: the poses that their bodies have now.
        if self.state.kinematic_origins.is_empty() {
            let still = Pose {
                position: D::Vector::default(),
                rotation: D::Rotation::default(),
            };
            self.state.kinematic_origins = vec![still; self.model.prescribed_motions.len()];
            for (i, body) in self.model.bodies.iter().enumerate() {
                if let Freedom::Kinematic(guide) = body.freedom {
                    self.state.kinematic_origins[guide as usize] = self.state.poses[i];
                }
            }
        }
        for (i, body) in self.model.bodies.iter().enumerate() {
            // Kinematic bodies: pose and velocity at t. Others: locked components to zero.
            let velocity = &mut self.state.velocities[i];
            match body.freedom {
                Freedom::Kinematic(guide) => {
                    let Some(anchor) = self.state.kinematic_origins.get(guide as usize) else {
                        let text = format!("guide {guide} has no anchor");
                        return Err(WorldError::Reference(text));
                    };
                    let (placed, given) =
                        self.model.prescribed_motions[guide as usize].at(anchor, t);
                    pose(i, t, &placed)?;
                    self.state.poses[i] = placed;
                    *velocity = given;
                }
                _ => {
                    for (k, v) in velocity.as_mut().iter_mut().enumerate() {
                        if !body.freedom.is_free(k) {
                            *v = 0.0;
                        }
                    }
                }
            }
        }
        self.init_joints()?;
        self.init_cell()?;
        self.initial_report();
        Ok(())
    }
}
