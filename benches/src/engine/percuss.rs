//! percuss, through its crate `bodies`.

use glam::{DQuat, DVec2, DVec3};
use percuss_bodies::plane::Angle;
use percuss_bodies::{
    Activation, Body, Dim, Freedom, Friction, MassProperties, Materials, Model, PairLaw, Plane,
    Pose, PrescribedMotion, Settings, Space, State, StepReport, World, plane, space,
};
use percuss_contact::{ResidualEvaluator, ResidualMeasure};

use super::{Engine, words};
use crate::scene::{self, Frame, Grain, Place, Scene, Shape};

/// Options of percuss.
#[derive(Debug, Clone)]
pub struct Choice {
    pub tolerance: f64,
    pub activation: Activation,
    pub threads: usize,
    pub solver: &'static str,
    /// Time at which the scene starts.
    pub start: f64,
    /// Whether penetrations are corrected by projection after each step.
    pub correction: bool,
}

impl Choice {
    /// The default method on one thread, contacts by prediction.
    pub fn to(tolerance: f64) -> Self {
        Self {
            tolerance,
            activation: Activation::Predicted,
            threads: 1,
            solver: "auto",
            start: 0.0,
            correction: false,
        }
    }

    /// The defaults of percuss, to this tolerance.
    pub fn stock(tolerance: f64) -> Self {
        Self {
            activation: Activation::default(),
            ..Self::to(tolerance)
        }
    }

    fn settings(&self) -> Settings {
        Settings {
            step: scene::STEP,
            tolerance: self.tolerance,
            solver: self.solver.into(),
            activation: self.activation,
            threads: self.threads,
            projection: self.correction,
            ..Settings::default()
        }
    }
}

/// A frame that turns with this angular velocity.
#[derive(Debug)]
struct Turn(f64);

impl PrescribedMotion<Plane> for Turn {
    fn at(&mut self, anchor: &Pose<Plane>, t: f64) -> (Pose<Plane>, [f64; 3]) {
        let mut pose = *anchor;
        pose.rotation = Angle::new(anchor.rotation.angle() + self.0 * t);
        (pose, [0.0, 0.0, self.0])
    }
}

#[derive(Debug)]
struct Quake;

impl PrescribedMotion<Plane> for Quake {
    fn at(&mut self, anchor: &Pose<Plane>, t: f64) -> (Pose<Plane>, [f64; 3]) {
        let mut pose = *anchor;
        pose.position.x += scene::ground(t);
        (pose, [scene::ground_velocity(t), 0.0, 0.0])
    }
}

/// A model and a state under construction.
struct Draft<D: Dim> {
    model: Model<D>,
    state: State<D>,
}

impl<D: Dim> Draft<D> {
    fn new(scene: &Scene, gravity: D::Vector, t: f64) -> Self {
        let law = PairLaw {
            friction: Friction::Coulomb(scene.friction),
            ..PairLaw::default()
        };
        Self {
            model: Model {
                bodies: Vec::new(),
                materials: Materials::new(1, &law),
                prescribed_motions: Vec::new(),
                gravity,
                force_fields: Vec::new(),
                drag: Vec::new(),
                joints: Vec::new(),
                cell: None,
            },
            state: State {
                t,
                poses: Vec::new(),
                velocities: Vec::new(),
                kinematic_origins: Vec::new(),
                contacts: Vec::new(),
                cell: None,
            },
        }
    }

    fn add(
        &mut self,
        body: (D::Shape, MassProperties<D>, Freedom),
        pose: Pose<D>,
        velocity: D::Dofs,
    ) {
        let (shape, mass, freedom) = body;
        self.model.bodies.push(Body {
            shape,
            mass,
            material: 0,
            freedom,
        });
        self.state.poses.push(pose);
        self.state.velocities.push(velocity);
    }
}

/// A plane scene as a world; bodies have the indices of the scene's, boundaries follow.
pub fn plane_world(scene: &Scene, choice: &Choice) -> Result<World<Plane>, String> {
    let mut draft = Draft::<Plane>::new(scene, DVec2::Y * -scene::GRAVITY, choice.start);
    // Bodies: shape, mass properties and initial state.
    for grain in &scene.grains {
        let shape = match grain.shape {
            Shape::Block([a, b]) => {
                let polygon = plane::ConvexPolygon::rectangle(2.0 * a, 2.0 * b).map_err(words)?;
                plane::Shape::Polygon(polygon.into())
            }
            Shape::Disc(radius) => plane::Shape::disc(radius).map_err(words)?,
            _ => return Err(format!("{}: a body of space in the plane", scene.name)),
        };
        let mass = MassProperties {
            mass: grain.mass(),
            inertia: grain.inertia().z,
        };
        let Place {
            position,
            angle,
            velocity,
            spin,
            ..
        } = grain.start;
        let pose = Pose {
            position: position.truncate(),
            rotation: Angle::new(angle),
        };
        let velocity = [velocity.x, velocity.y, spin.z];
        draft.add((shape, mass, Freedom::Free), pose, velocity);
    }
    match scene.frame {
        Some(frame) => plane_frame(frame, &mut draft)?,
        None => plane_borders(scene, &mut draft),
    }
    World::new(draft.model, draft.state, choice.settings()).map_err(words)
}

/// The ground, shaking or not, and the walls.
fn plane_borders(scene: &Scene, draft: &mut Draft<Plane>) {
    let mut border = |freedom: Freedom, position: DVec2, angle: f64| {
        let mass = MassProperties {
            mass: 0.0,
            inertia: 0.0,
        };
        let pose = Pose {
            position,
            rotation: Angle::new(angle),
        };
        draft.add((plane::Shape::HalfPlane, mass, freedom), pose, [0.0; 3]);
    };
    let ground = if scene.quake {
        Freedom::Kinematic(0)
    } else {
        Freedom::Fixed
    };
    border(ground, DVec2::ZERO, 0.0);
    if let Some(half) = scene.half {
        let quarter = std::f64::consts::FRAC_PI_2;
        border(Freedom::Fixed, DVec2::X * -half, -quarter);
        border(Freedom::Fixed, DVec2::X * half, quarter);
    }
    if scene.quake {
        draft.model.prescribed_motions.push(Box::new(Quake));
        // Origin of the kinematic body: the position of the ground when the motion began.
        draft.state.kinematic_origins.push(Pose {
            position: DVec2::ZERO,
            rotation: Angle::default(),
        });
    }
}

/// A frame that turns.
fn plane_frame(frame: Frame, draft: &mut Draft<Plane>) -> Result<(), String> {
    let half = frame.half;
    let corners =
        [[-half, -half], [half, -half], [half, half], [-half, half]].map(|[x, y]| DVec2::new(x, y));
    let chain = plane::Chain::new(&corners, true).map_err(words)?;
    let mass = MassProperties {
        mass: 0.0,
        inertia: 0.0,
    };
    let centre = Pose {
        position: DVec2::ZERO,
        rotation: Angle::default(),
    };
    let shape = plane::Shape::Chain(chain.into());
    draft.add((shape, mass, Freedom::Kinematic(0)), centre, [0.0; 3]);
    draft
        .model
        .prescribed_motions
        .push(Box::new(Turn(frame.rate)));
    draft.state.kinematic_origins.push(centre);
    Ok(())
}

/// A scene in space as a world; bodies have the indices of the scene's, boundaries follow.
pub fn space_world(scene: &Scene, choice: &Choice) -> Result<World<Space>, String> {
    let mut draft = Draft::<Space>::new(scene, DVec3::Z * -scene::GRAVITY, choice.start);
    for grain in &scene.grains {
        let shape = match &grain.shape {
            Shape::Ball(radius) => space::Shape::sphere(*radius).map_err(words)?,
            Shape::Capsule(half, radius) => {
                space::Shape::capsule(2.0 * half, *radius).map_err(words)?
            }
            Shape::Cuboid(half) => {
                let cuboid = space::ConvexPolyhedron::cuboid(2.0 * *half).map_err(words)?;
                space::Shape::Polyhedron(cuboid.into())
            }
            Shape::Hull(hull) => space::Shape::Polyhedron(hull.clone()),
            _ => return Err(format!("{}: a plane body in space", scene.name)),
        };
        let mass = MassProperties {
            mass: grain.mass(),
            inertia: grain.inertia(),
        };
        let Place {
            position,
            rotation,
            velocity,
            spin,
            ..
        } = grain.start;
        let pose = Pose { position, rotation };
        // Angular velocities are about body axes.
        let [a, b] = [velocity, rotation.conjugate() * spin].map(|v| v.to_array());
        let velocity = [a[0], a[1], a[2], b[0], b[1], b[2]];
        draft.add((shape, mass, Freedom::Free), pose, velocity);
    }
    // Ground and walls as half-spaces.
    let mut borders = vec![(DVec3::Z, 0.0)];
    if let Some(half) = scene.half {
        let sides = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y];
        borders.extend(sides.map(|normal| (normal, half)));
    }
    for (normal, distance) in borders {
        let pose = Pose {
            position: normal * -distance,
            rotation: DQuat::from_rotation_arc(DVec3::Z, normal),
        };
        let mass = MassProperties {
            mass: 0.0,
            inertia: DVec3::ZERO,
        };
        draft.add(
            (space::Shape::HalfSpace, mass, Freedom::Fixed),
            pose,
            [0.0; 6],
        );
    }
    World::new(draft.model, draft.state, choice.settings()).map_err(words)
}

/// percuss with one scene.
#[derive(Debug)]
pub enum Percuss {
    Plane(Box<World<Plane>>, usize),
    Space(Box<World<Space>>, usize),
}

impl Percuss {
    pub fn new(scene: &Scene, choice: &Choice) -> Result<Self, String> {
        let count = scene.grains.len();
        Ok(if scene.spatial() {
            Self::Space(Box::new(space_world(scene, choice)?), count)
        } else {
            Self::Plane(Box::new(plane_world(scene, choice)?), count)
        })
    }

    /// Report of the last step.
    pub fn ledger(&self) -> &StepReport {
        match self {
            Self::Plane(world, _) => world.report(),
            Self::Space(world, _) => world.report(),
        }
    }

    /// Impulses of the last step, by row.
    pub fn impulses(&self) -> Vec<f64> {
        let mut all = Vec::new();
        match self {
            Self::Plane(world, _) => {
                (0..world.num_contacts()).for_each(|a| all.extend(world.contact(a).impulse));
            }
            Self::Space(world, _) => {
                (0..world.num_contacts()).for_each(|a| all.extend(world.contact(a).impulse));
            }
        }
        all
    }

    /// The contact problem of the last step.
    pub fn problem(&self) -> Option<&percuss_contact::Problem> {
        match self {
            Self::Plane(world, _) => world.problem(),
            Self::Space(world, _) => world.problem(),
        }
    }
}

/// The deepest overlap of these places by percuss's detection, m: for boxes and hulls in space.
pub fn deepest(scene: &Scene, places: &[Place]) -> Result<f64, String> {
    let mut there = scene.clone();
    for (grain, place) in there.grains.iter_mut().zip(places) {
        grain.start = *place;
    }
    let mut world = space_world(&there, &Choice::to(1e-4))?;
    Ok(world.overlaps(0.0).first().map_or(0.0, |o| o.depth))
}

impl Engine for Percuss {
    fn reached(&self) -> Option<bool> {
        Some(self.ledger().reached)
    }

    fn residual(&self) -> Option<f64> {
        let problem = self.problem().filter(|p| p.num_contacts() > 0)?;
        let impulse = self.impulses();
        Some(ResidualEvaluator::new(problem).residual(
            problem,
            &impulse,
            ResidualMeasure::Dimensionless,
        ))
    }

    fn step(&mut self) -> Result<(), String> {
        match self {
            Self::Plane(world, _) => world.step().map_err(words),
            Self::Space(world, _) => world.step().map_err(words),
        }
    }

    fn places(&mut self, into: &mut Vec<Place>) -> Result<(), String> {
        into.clear();
        match self {
            Self::Plane(world, count) => {
                let state = world.state();
                into.extend((0..*count).map(|i| {
                    let (pose, v) = (&state.poses[i], &state.velocities[i]);
                    Place {
                        position: pose.position.extend(0.0),
                        angle: pose.rotation.angle(),
                        rotation: DQuat::IDENTITY,
                        velocity: DVec3::new(v[0], v[1], 0.0),
                        spin: DVec3::new(0.0, 0.0, v[2]),
                    }
                }));
            }
            Self::Space(world, count) => {
                let state = world.state();
                into.extend((0..*count).map(|i| {
                    let (pose, v) = (&state.poses[i], &state.velocities[i]);
                    // A ball has no orientation.
                    let rotation = match world.model().bodies[i].shape {
                        space::Shape::Sphere { .. } => DQuat::IDENTITY,
                        _ => pose.rotation,
                    };
                    Place {
                        position: pose.position,
                        angle: 0.0,
                        rotation,
                        velocity: DVec3::new(v[0], v[1], v[2]),
                        // The world stores angular velocities about body axes.
                        spin: pose.rotation * DVec3::new(v[3], v[4], v[5]),
                    }
                }));
            }
        }
        Ok(())
    }
}

/// Number of steps in which the penetrations of the fall are removed by projection.
const CLEANING: usize = 100;

/// Lets a scene settle; returns it with its final states. Penetrations of the fall are removed by projection in
/// some further steps.
pub fn settled(scene: &Scene, choice: &Choice, steps: usize) -> Result<Scene, String> {
    let fallen = stepped(scene, choice, steps)?;
    let choice = Choice {
        correction: true,
        ..choice.clone()
    };
    stepped(&fallen, &choice, CLEANING)
}

/// The scene after some steps.
fn stepped(scene: &Scene, choice: &Choice, steps: usize) -> Result<Scene, String> {
    let mut engine = Percuss::new(scene, choice)?;
    let label = format!("{} of {} settle", scene.name, scene.grains.len());
    let mut progress = crate::clock::Progress::new(label, steps);
    for step in 0..steps {
        engine.step()?;
        progress.at(step + 1);
    }
    // The final states become the start.
    let mut places = Vec::new();
    engine.places(&mut places)?;
    let mut scene = scene.clone();
    let set = |(grain, place): (&mut Grain, &Place)| grain.start = *place;
    scene.grains.iter_mut().zip(&places).for_each(set);
    Ok(scene)
}
