//! Checks of settings, model and state, and the initial state of a world.

use percuss_solve::auto::AutoParams;
use percuss_solve::{Auto, Solver};

use super::World;
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::materials::Friction;
use crate::model::{Body, Freedom, Model};
use crate::settings::{Integrator, Settings};
use crate::state::State;
use crate::step::joints::JointDrift;
use crate::step::{balance, cell_step, check_pose, not_finite};
use percuss_geometry::Pose;

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

/// Refuses a periodic cell with an integrator that does not know its flow.
pub(super) fn integrator<D: Dynamics>(
    settings: &Settings,
    model: &Model<D>,
) -> Result<(), WorldError> {
    if settings.integrator == Integrator::Projected && model.cell.is_some() {
        return Err(WorldError::Setting {
            what: "the integrator",
            value: "projected".into(),
            expected: "`midpoint`, the only one with a periodic cell,",
        });
    }
    Ok(())
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
    percuss_solve::by_name(&settings.solver).ok_or_else(|| WorldError::Setting {
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
        check_pose(i, state.t, &state.poses[i])?;
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
                    check_pose(i, t, &placed)?;
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
        let mut drift = JointDrift {
            model: &self.model,
            state: &mut self.state,
            cache: &self.scratch.cache,
            scratch: &mut self.scratch.projection.joints,
        };
        drift.init()?;
        cell_step::init(&mut self.model, &mut self.state, &mut self.scratch.end)?;
        self.initial_report();
        Ok(())
    }

    /// Report before the first step: energies alone.
    pub(super) fn initial_report(&mut self) {
        self.report = balance::initial_report(
            &self.model,
            &self.state,
            &self.scratch.cache,
            &self.scratch.end.strain_rate,
            &mut self.scratch.balance,
        );
    }
}
