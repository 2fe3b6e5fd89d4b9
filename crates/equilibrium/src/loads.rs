//! Limit analysis of a load case of a scene: the largest load multiplier and its collapse mechanism.
//!
//! The dead load is gravity and the force fields at the start; the live load is that of `[[load]]`. The multiplier is
//! computed with associated friction (an upper bound) and with Coulomb's, nonassociated friction. Scenes with joints,
//! a periodic cell or preparations are refused.

use percuss_bodies::{Dim, ForceContext, Freedom, Pose, Vector};
use percuss_record::BodyDescription;
use percuss_record::frame::BodyState;
use percuss_scene::bodies_scene::{BodiesSetup, BuiltBodies, LoadCase, LoadKind};
use percuss_scene::{InputError, Origin, Scene, SceneError};
use percuss_statics::{
    EquilibriumReport, LimitLoad, Loads, NonassociatedLimit, Sense, StaticsError,
    check_equilibrium, limit_load, nonassociated_limit,
};

use super::record_dim::RecordDim;
use super::static_model::{StaticContact, StaticModel, detect_closed_contacts};

/// A contact point at collapse.
#[derive(Debug, Clone, PartialEq)]
pub struct CollapseContact {
    /// Indices of the two bodies.
    pub bodies: [u32; 2],
    /// Contact point; z = 0 in the plane.
    pub at: [f64; 3],
    /// Normal force at collapse.
    pub normal: f64,
    /// Opening velocity in the mechanism.
    pub opening: f64,
    /// Sliding velocity in the mechanism.
    pub sliding: f64,
    /// Relative angular velocity of the bodies in the mechanism.
    pub turning: f64,
    /// Hinge, sliding or idle.
    pub role: Role,
}

/// What a contact does in a collapse mechanism.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is at rest, or carries no force.
    Idle,
    /// It carries a force, and the bodies rotate about it.
    Hinge,
    /// It carries a force and slides.
    Slide,
}

/// Velocities and forces below this fraction of the largest count as 0: an interior-point method leaves
/// zeros at small positive numbers.
const STILL: f64 = 1e-4;

/// The velocity of a body in a collapse mechanism.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// Velocity of its centre of mass; z = 0 in the plane.
    pub velocity: [f64; 3],
    /// Angular velocity in world axes.
    pub spin: [f64; 3],
}

/// The result of the limit analysis of a load case.
#[derive(Debug, Clone)]
pub struct LimitAnalysis {
    /// Name of the load case.
    pub load: String,
    /// The load that is multiplied.
    pub kind: LoadKind,
    /// Dimension, 2 or 3.
    pub dimension: usize,
    /// Equilibrium under the dead load alone.
    pub standing: EquilibriumReport,
    /// The largest multiplier with associated friction.
    pub limit: LimitLoad,
    /// The largest multiplier with Coulomb's (nonassociated) friction.
    pub coulomb: NonassociatedLimit,
    /// Names and shapes of the bodies.
    pub names: Vec<BodyDescription>,
    /// Initial poses of the bodies.
    pub places: Vec<BodyState>,
    /// The collapse mechanism, scaled to a largest coordinate velocity of 1 (rotations times radius of gyration).
    pub mechanism: Vec<Moved>,
    /// The contacts, with what they do in the mechanism.
    pub joints: Vec<CollapseContact>,
}

impl LimitAnalysis {
    /// The tilt angle in radians, from the associated multiplier; `None` for other loads.
    pub fn angle(&self) -> Option<f64> {
        match self.kind {
            LoadKind::Tilt(_) => Some(self.limit.multiplier.atan()),
            _ => None,
        }
    }
}

/// Computes the largest multiplier of a load case of a scene.
///
/// # Errors
/// The scene cannot be built, has no such load, or is not one that limit analysis covers.
pub fn analyse_load(scene: &Scene, load: &str) -> Result<LimitAnalysis, SceneError> {
    match scene.build_bodies()? {
        BuiltBodies::Plane(assembly) => of_load(scene, assembly, load),
        BuiltBodies::Space(assembly) => of_load(scene, assembly, load),
    }
}

fn of_load<D: RecordDim>(
    scene: &Scene,
    mut assembly: BodiesSetup<D>,
    load: &str,
) -> Result<LimitAnalysis, SceneError> {
    // The load case by name.
    let Some(case) = assembly
        .names
        .loads
        .iter()
        .find(|case| case.name == load)
        .cloned()
    else {
        return Err(unknown(scene, &assembly.names.loads, load));
    };
    let (ground, dead) = InitialConfiguration::new(scene, &mut assembly)?;
    let live = ground.live_load(&assembly, &case);
    let wrong = |error: StaticsError| ground.wrong(scene, &assembly, &error);
    let system = &ground.gathered.system;
    // Equilibrium of the dead load, associated limit, then the nonassociated one from it.
    let standing = check_equilibrium(system, &dead).map_err(wrong)?;
    let loads = Loads {
        dead: &dead,
        live: &live,
    };
    let limit = limit_load(system, loads, Sense::Greatest).map_err(wrong)?;
    let coulomb = nonassociated_limit(system, loads, Sense::Greatest, &limit).map_err(wrong)?;
    let names = names(&assembly);
    // Without equilibrium of the dead load, the mechanism shown is that of the dead load.
    let moving = match standing.stands {
        true => &limit.mechanism,
        false => &standing.mechanism,
    };
    let (mechanism, joints) = ground.collapse(moving, &limit.impulse);
    Ok(LimitAnalysis {
        load: case.name,
        kind: case.kind,
        dimension: D::N,
        standing,
        names,
        places: ground.poses.iter().map(D::place).collect(),
        mechanism,
        joints,
        limit,
        coulomb,
    })
}

fn names<D: RecordDim>(assembly: &BodiesSetup<D>) -> Vec<BodyDescription> {
    let cast = &assembly.names;
    let all = assembly.model.bodies.iter().zip(&cast.bodies);
    all.filter_map(|(body, name)| {
        let material = cast.materials.get(body.material as usize);
        D::name(name, material.map_or("", String::as_str), body)
    })
    .collect()
}

/// The error for a load that the scene does not have.
fn unknown(scene: &Scene, loads: &[LoadCase], name: &str) -> SceneError {
    let known: Vec<String> = loads.iter().map(|case| case.name.clone()).collect();
    // Suggest the nearest known name.
    let guess = match percuss_expr::similar_names(name, &known).first() {
        Some(nearest) => format!("; did you mean `{nearest}`?"),
        None => String::new(),
    };
    let (problem, advice) = match known.is_empty() {
        true => (
            "it has no load case".to_string(),
            "Add a [[load]] with a `name` and `acceleration`, `tilt` or `force`".to_string(),
        ),
        false => (
            format!(
                "there is no load `{name}`{guess} (known here: {})",
                known.join(", ")
            ),
            String::new(),
        ),
    };
    scene_error(scene, problem, advice)
}

/// An error about the scene as a whole.
pub(super) fn scene_error(
    scene: &Scene,
    problem: impl Into<String>,
    advice: impl Into<String>,
) -> SceneError {
    InputError {
        file: scene.origin().to_string(),
        origin: Origin::Whole,
        part: String::new(),
        key: String::new(),
        value: String::new(),
        problem: problem.into(),
        advice: advice.into(),
    }
    .into()
}

/// Refuses scenes that limit analysis does not cover: joints, periodic cells, preparations.
fn require_standing<D: RecordDim>(
    scene: &Scene,
    assembly: &BodiesSetup<D>,
) -> Result<(), SceneError> {
    // Impulses of joints are not part of the static model.
    if let Some(joint) = assembly.names.joints.first() {
        let problem = format!(
            "limit analysis is of bodies that touch, and the joint `{joint}` holds some together"
        );
        return Err(scene_error(scene, problem, "Drop [[joint]]"));
    }
    if assembly.names.cell {
        let problem = "limit analysis is of bodies that stand, and a periodic cell has no ground";
        return Err(scene_error(scene, problem, "Drop [cell]"));
    }
    if let Some(first) = assembly.prepare.first() {
        let problem = format!(
            "limit analysis is of the bodies where the file puts them, and `prepare` (`{}`) \
             would move them first",
            first.name
        );
        return Err(scene_error(scene, problem, "Drop [[prepare]]"));
    }
    Ok(())
}

/// The initial configuration of a scene with its static model.
pub(super) struct InitialConfiguration<D: Dim> {
    pub gathered: StaticModel,
    spots: Vec<StaticContact<D>>,
    poses: Vec<Pose<D>>,
}

impl<D: RecordDim> InitialConfiguration<D> {
    /// Detects the contacts of the initial configuration, and assembles the static model and the dead load.
    pub fn new(
        scene: &Scene,
        assembly: &mut BodiesSetup<D>,
    ) -> Result<(Self, Vec<f64>), SceneError> {
        require_standing(scene, assembly)?;
        let mut poses = assembly.state.poses.clone();
        let model = &mut assembly.model;
        // Kinematic bodies are where their prescribed motion puts them.
        for (i, body) in model.bodies.iter().enumerate() {
            if let Freedom::Kinematic(guide) = body.freedom {
                let k = guide as usize;
                if let (Some(guide), Some(anchor)) = (
                    model.prescribed_motions.get_mut(k),
                    assembly.state.kinematic_origins.get(k),
                ) {
                    poses[i] = guide.at(anchor, assembly.start).0;
                }
            }
        }
        let spots = detect_closed_contacts(model, &poses);
        let gathered = StaticModel::new(&model.bodies, &poses, &spots)
            .map_err(|error| scene_error(scene, error.to_string(), ""))?;
        // Dead load: gravity and force fields at the start.
        let mut loads = vec![D::ZERO_VELOCITY; model.bodies.len()];
        let velocities = loads.clone();
        for (load, body) in loads.iter_mut().zip(&model.bodies) {
            push(load, model.gravity.components(), body.mass.mass);
        }
        let scenery = ForceContext {
            t: assembly.start,
            poses: &poses,
            velocities: &velocities,
            bodies: &model.bodies,
        };
        for field in &mut model.force_fields {
            field.add_loads(&scenery, &mut loads);
        }
        // Forces by coordinate; without a movable body there is nothing to analyse.
        let dead = gathered.load::<D>(&loads);
        if gathered.system.num_coordinates() == 0 {
            let problem = "there is no body that could move";
            return Err(scene_error(scene, problem, ""));
        }
        Ok((
            Self {
                gathered,
                spots,
                poses,
            },
            dead,
        ))
    }

    /// The live load, which the multiplier scales.
    fn live_load(&self, assembly: &BodiesSetup<D>, case: &LoadCase) -> Vec<f64> {
        let mut loads = vec![D::ZERO_VELOCITY; assembly.model.bodies.len()];
        // Proportional to the masses, or a force on one body.
        match &case.kind {
            LoadKind::Acceleration(a) | LoadKind::Tilt(a) => {
                for (load, body) in loads.iter_mut().zip(&assembly.model.bodies) {
                    push(load, a, body.mass.mass);
                }
            }
            LoadKind::Force { body, force, at } => {
                let i = *body as usize;
                push(&mut loads[i], force, 1.0);
                // Point of application off the centre: the torque of the force.
                if let Some(at) = at {
                    let pose = &self.poses[i];
                    let lever = D::rotate(&pose.rotation, D::Vector::from_components(at));
                    let mut row = D::ZERO_VELOCITY;
                    D::linear_jacobian_row(
                        &pose.rotation,
                        lever,
                        D::Vector::from_components(force),
                        row.as_mut(),
                    );
                    loads[i].as_mut()[D::N..].copy_from_slice(&row.as_ref()[D::N..]);
                }
            }
        }
        self.gathered.load::<D>(&loads)
    }

    /// An error of `statics` with the names of the bodies.
    pub fn wrong(
        &self,
        scene: &Scene,
        assembly: &BodiesSetup<D>,
        error: &StaticsError,
    ) -> SceneError {
        let StaticsError::Law { contact, law } = error else {
            return scene_error(scene, error.to_string(), "");
        };
        let named = self.spots.get(*contact).map(|spot| {
            spot.bodies.map(|i| {
                let name = assembly.names.bodies.get(i as usize);
                name.cloned().unwrap_or_default()
            })
        });
        let [a, b] = named.unwrap_or_default();
        let problem = format!(
            "between `{a}` and `{b}` the law {law} has no convex cone of forces: there is no limit \
             analysis of it"
        );
        scene_error(scene, problem, "")
    }

    /// Velocities of the bodies in a mechanism, scaled, and what the contacts do in it.
    fn collapse(&self, mechanism: &[f64], impulse: &[f64]) -> (Vec<Moved>, Vec<CollapseContact>) {
        // Scale to a largest coordinate velocity of 1; spins to world axes.
        let fastest = mechanism.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let over = if fastest > 0.0 { 1.0 / fastest } else { 0.0 };
        let scaled: Vec<f64> = mechanism.iter().map(|v| v * over).collect();
        let velocities = self.gathered.velocities::<D>(&scaled);
        let moved = velocities.iter().zip(&self.poses).map(|(velocity, pose)| {
            let outward = D::spin_to_world(&pose.rotation, velocity);
            let (v, spin) = outward.as_ref().split_at(D::N);
            Moved {
                velocity: three(v),
                spin: match spin {
                    [about] => [0.0, 0.0, *about],
                    _ => three(spin),
                },
            }
        });
        let moved: Vec<Moved> = moved.collect();
        // Relative velocities of the contacts, u = G v.
        let u = self.gathered.system.gather(&scaled);
        let joints = self.spots.iter().enumerate().map(|(contact, spot)| {
            let rows = self.gathered.system.rows(contact);
            let own = &u[rows.clone()];
            let end = own.len().min(D::N);
            let [a, b] = spot.bodies.map(|i| moved[i as usize].spin);
            let turning: [f64; 3] = std::array::from_fn(|k| b[k] - a[k]);
            CollapseContact {
                bodies: spot.bodies,
                at: three(spot.at.components()),
                normal: impulse[rows.start],
                opening: own[0],
                sliding: norm(&own[1..end]),
                turning: norm(&turning),
                role: Role::Idle,
            }
        });
        let mut joints: Vec<CollapseContact> = joints.collect();
        roles(&mut joints);
        (moved, joints)
    }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Decides which contacts are hinges and which slide.
fn roles(joints: &mut [CollapseContact]) {
    let most = |of: &dyn Fn(&CollapseContact) -> f64| joints.iter().map(of).fold(0.0, f64::max);
    // Thresholds relative to the largest velocity, spin and force.
    let fast = most(&|j| j.opening.abs().max(j.sliding));
    let (turning, force) = (most(&|j| j.turning), most(&|j| j.normal));
    for joint in joints {
        // A contact without force is idle.
        if joint.normal <= STILL * force {
            continue;
        }
        if joint.sliding > STILL * fast {
            joint.role = Role::Slide;
        } else if joint.turning > STILL * turning {
            joint.role = Role::Hinge;
        }
    }
}

fn push(load: &mut impl AsMut<[f64]>, force: &[f64], factor: f64) {
    for (entry, f) in load.as_mut().iter_mut().zip(force) {
        *entry += factor * f;
    }
}

/// Three components; z = 0 in the plane.
pub(super) fn three(v: &[f64]) -> [f64; 3] {
    std::array::from_fn(|k| v.get(k).copied().unwrap_or(0.0))
}
