//! Models of a few bodies and runs of their motions.

use glam::{DQuat, DVec2, DVec3};
use percuss_bodies::model::{Body, Freedom, Model};
use percuss_bodies::{Friction, Joint, Materials, PairLaw};
use percuss_body_system::{BodyDim, BodyEvent, BodyMotion, BodySystemError};
use percuss_contact::Restitution;
use percuss_geometry::rotation::Angle;
use percuss_geometry::{MassProperties, Plane, Pose, Space, plane, space};
use percuss_mechanism::EventKind;

/// Bodies under construction.
pub struct Scene<D: BodyDim> {
    pub bodies: Vec<Body<D>>,
    pub poses: Vec<Pose<D>>,
    pub velocities: Vec<D::Dofs>,
    pub law: PairLaw,
    pub gravity: D::Vector,
    pub joints: Vec<Joint<D>>,
}

impl<D: BodyDim> Scene<D> {
    pub fn new(friction: f64, restitution: f64, gravity: D::Vector) -> Self {
        Self {
            bodies: Vec::new(),
            poses: Vec::new(),
            velocities: Vec::new(),
            law: PairLaw {
                friction: Friction::Coulomb(friction),
                restitution: Restitution {
                    normal: restitution,
                    tangential: 0.0,
                },
                ..PairLaw::default()
            },
            gravity,
            joints: Vec::new(),
        }
    }

    /// A body of unit density.
    pub fn body(mut self, shape: D::Shape, pose: Pose<D>, velocity: D::Dofs) -> Self {
        let mass = D::mass_properties(&shape, 1.0).expect("a body");
        self.bodies.push(Body {
            shape,
            mass,
            material: 0,
            freedom: Freedom::Free,
        });
        self.poses.push(pose);
        self.velocities.push(velocity);
        self
    }

    /// A body at rest for ever.
    pub fn fixed(mut self, shape: D::Shape, pose: Pose<D>, mass: MassProperties<D>) -> Self {
        self.bodies.push(Body {
            shape,
            mass,
            material: 0,
            freedom: Freedom::Fixed,
        });
        self.poses.push(pose);
        self.velocities.push(D::ZERO_VELOCITY);
        self
    }

    pub fn joint(mut self, joint: Joint<D>) -> Self {
        self.joints.push(joint);
        self
    }

    pub fn begin(self, interval: f64) -> Result<BodyMotion<D>, BodySystemError> {
        let names = (0..self.bodies.len()).map(|i| format!("body {i}"));
        let names = names.collect();
        let model = Model {
            bodies: self.bodies,
            materials: Materials::new(1, &self.law),
            prescribed_motions: Vec::new(),
            gravity: self.gravity,
            force_fields: Vec::new(),
            drag: Vec::new(),
            joints: self.joints,
            cell: None,
        };
        let start = (0.0, &self.poses[..], &self.velocities[..]);
        BodyMotion::new(model, start, names, (interval, 1e-10))
    }

    /// Runs the motion.
    pub fn run(self, interval: f64, count: usize) -> Run<D> {
        let mut motion = self.begin(interval).unwrap_or_else(|e| panic!("{e}"));
        let mut run = Run {
            states: vec![motion.state()],
            events: Vec::new(),
            energy: Vec::new(),
            defect: 0.0,
            closed: 0,
        };
        for _ in 0..count {
            motion.advance().unwrap_or_else(|e| panic!("{e}"));
            run.states.push(motion.state());
            run.events.extend(motion.events());
            let report = motion.report();
            run.energy.push(report.kinetic + report.potential);
            run.defect = run.defect.max(report.energy);
            run.closed = report.num_active;
        }
        run
    }
}

/// Poses and velocities.
pub type BodyState<P, V> = (Vec<P>, Vec<V>);

/// A motion: states at the ends of intervals, events, mechanical energy.
pub struct Run<D: BodyDim> {
    pub states: Vec<BodyState<Pose<D>, D::Dofs>>,
    pub events: Vec<BodyEvent>,
    pub energy: Vec<f64>,
    /// Largest energy residual of an interval.
    pub defect: f64,
    pub closed: usize,
}

impl<D: BodyDim> Run<D> {
    pub fn last(&self) -> &BodyState<Pose<D>, D::Dofs> {
        &self.states[self.states.len() - 1]
    }

    /// Instants of events of a kind.
    pub fn instants(&self, kind: impl Fn(&EventKind) -> bool) -> Vec<f64> {
        let events = self.events.iter().filter(|e| kind(&e.kind));
        events.map(|e| e.t).collect()
    }

    /// Instants of impacts.
    pub fn impacts(&self) -> Vec<f64> {
        self.instants(|kind| matches!(kind, EventKind::Impact { .. }))
    }

    /// Largest relative change of the mechanical energy after the first interval.
    pub fn energy_change(&self) -> f64 {
        let first = self.energy[0];
        let off = self.energy.iter().map(|e| (e - first).abs());
        off.fold(0.0, f64::max) / first.abs()
    }
}

pub fn flat(x: f64, y: f64, angle: f64) -> Pose<Plane> {
    Pose {
        position: DVec2::new(x, y),
        rotation: Angle::new(angle),
    }
}

pub fn pose_at(position: [f64; 3], rotation: DQuat) -> Pose<Space> {
    Pose {
        position: DVec3::from_array(position),
        rotation,
    }
}

pub fn disc(radius: f64) -> plane::Shape {
    plane::Shape::disc(radius).unwrap()
}

pub fn rectangle(width: f64, height: f64) -> plane::Shape {
    let (x, y) = (0.5 * width, 0.5 * height);
    let corners = [(-x, -y), (x, -y), (x, y), (-x, y)].map(|(x, y)| DVec2::new(x, y));
    plane::Shape::Polygon(plane::ConvexPolygon::new(&corners).unwrap().0.into())
}

pub fn cuboid(x: f64, y: f64, z: f64) -> space::Shape {
    let shape = space::ConvexPolyhedron::cuboid(DVec3::new(x, y, z)).unwrap();
    space::Shape::Polyhedron(shape.into())
}

/// The floor y = 0.
pub fn floor() -> (plane::Shape, Pose<Plane>, MassProperties<Plane>) {
    let mass = MassProperties {
        mass: 1.0,
        inertia: 1.0,
    };
    (plane::Shape::HalfPlane, flat(0.0, 0.0, 0.0), mass)
}

/// The ground z = 0.
pub fn ground() -> (space::Shape, Pose<Space>, MassProperties<Space>) {
    let mass = MassProperties {
        mass: 1.0,
        inertia: DVec3::ONE,
    };
    let pose = pose_at([0.0; 3], DQuat::IDENTITY);
    (space::Shape::HalfSpace, pose, mass)
}

#[track_caller]
pub fn close(found: f64, wanted: f64, tolerance: f64) {
    let off = (found - wanted).abs();
    assert!(off <= tolerance, "{found} instead of {wanted}: {off:e}");
}
