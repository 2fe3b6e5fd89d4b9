//! Small worlds for tests.

use glam::{DQuat, DVec2, DVec3};
use percuss_bodies::{
    Activation, Body, Drag, Dynamics, ForceField, Freedom, Friction, MassProperties, Materials,
    Model, PairLaw, Plane, Pose, PrescribedMotion, Settings, Space, State, World, plane, space,
};
use percuss_contact::Restitution;

/// A world under construction.
pub struct WorldBuilder<D: Dynamics> {
    pub model: Model<D>,
    pub state: State<D>,
    pub settings: Settings,
}

impl<D: Dynamics> WorldBuilder<D> {
    pub fn new(law: PairLaw, gravity: D::Vector) -> Self {
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
                t: 0.0,
                poses: Vec::new(),
                velocities: Vec::new(),
                kinematic_origins: Vec::new(),
                contacts: Vec::new(),
                cell: None,
            },
            // Moreau's rule, the one that closed forms of a step are for.
            settings: Settings {
                tolerance: 1e-10,
                activation: Activation::Gap,
                ..Settings::default()
            },
        }
    }

    pub fn add(
        &mut self,
        shape: D::Shape,
        mass: MassProperties<D>,
        freedom: Freedom,
        pose: Pose<D>,
        velocity: D::Dofs,
    ) -> usize {
        self.model.bodies.push(Body {
            shape,
            mass,
            material: 0,
            freedom,
        });
        self.state.poses.push(pose);
        self.state.velocities.push(velocity);
        self.model.bodies.len() - 1
    }

    /// A body of density 1 (times `density`).
    pub fn body(&mut self, shape: D::Shape, density: f64, pose: Pose<D>, v: D::Dofs) -> usize {
        let mass = D::mass_properties(&shape, density).unwrap();
        self.add(shape, mass, Freedom::Free, pose, v)
    }

    pub fn guide(&mut self, guide: Box<dyn PrescribedMotion<D>>) -> Freedom {
        self.model.prescribed_motions.push(guide);
        Freedom::Kinematic(self.model.prescribed_motions.len() as u32 - 1)
    }

    pub fn field(&mut self, field: Box<dyn ForceField<D>>) {
        self.model.force_fields.push(field);
    }

    pub fn drag(&mut self, drag: Drag) {
        self.model.drag = vec![drag; self.model.bodies.len()];
    }

    pub fn world(self) -> World<D> {
        World::new(self.model, self.state, self.settings).unwrap()
    }
}

impl WorldBuilder<Plane> {
    /// The solid below y = 0.
    pub fn floor(&mut self) -> usize {
        let mass = MassProperties {
            mass: 0.0,
            inertia: 0.0,
        };
        let shape = plane::Shape::HalfPlane;
        self.add(shape, mass, Freedom::Fixed, at2(0.0, 0.0), [0.0; 3])
    }
}

impl WorldBuilder<Space> {
    /// The solid below z = 0.
    pub fn floor(&mut self) -> usize {
        let mass = MassProperties {
            mass: 0.0,
            inertia: DVec3::ZERO,
        };
        let shape = space::Shape::HalfSpace;
        self.add(shape, mass, Freedom::Fixed, at3(DVec3::ZERO), [0.0; 6])
    }
}

pub fn at2(x: f64, y: f64) -> Pose<Plane> {
    Pose {
        position: DVec2::new(x, y),
        rotation: plane::Angle::new(0.0),
    }
}

pub fn at3(position: DVec3) -> Pose<Space> {
    Pose {
        position,
        rotation: DQuat::IDENTITY,
    }
}

pub fn rectangle(w: f64, h: f64) -> plane::Shape {
    plane::Shape::Polygon(plane::ConvexPolygon::rectangle(w, h).unwrap().into())
}

pub fn cuboid(x: f64, y: f64, z: f64) -> space::Shape {
    let sides = DVec3::new(x, y, z);
    space::Shape::Polyhedron(space::ConvexPolyhedron::cuboid(sides).unwrap().into())
}

pub fn coulomb(mu: f64) -> PairLaw {
    PairLaw {
        friction: Friction::Coulomb(mu),
        ..PairLaw::default()
    }
}

pub fn with_rebound(mu: f64, normal: f64, tangential: f64) -> PairLaw {
    PairLaw {
        restitution: Restitution { normal, tangential },
        ..coulomb(mu)
    }
}

pub fn run<D: Dynamics>(world: &mut World<D>, steps: usize) {
    for _ in 0..steps {
        world.step().unwrap();
        let ledger = world.report();
        assert!(
            ledger.reached,
            "t = {}: residual {:e}",
            ledger.t, ledger.residual
        );
        // Sums of some hundred products: rounding, nothing else.
        assert!(
            ledger.energy < 1e-11,
            "t = {}: {:e}",
            ledger.t,
            ledger.energy
        );
        assert!(ledger.momentum < 1e-12, "{:e}", ledger.momentum);
    }
}
