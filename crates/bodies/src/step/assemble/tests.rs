//! Contacts assembled with sizes known at compile time against the general path.

use super::*;
use crate::world::World;
use glam::{DQuat, DVec2, DVec3};
use percuss_contact::FactoredDelassus;

use crate::materials::Materials;
use crate::model::{Body, Freedom, PrescribedMotion};
use crate::periodic_cell::{CellController, ImposedLoading, Lattice, PeriodicCell};
use crate::settings::Settings;
use crate::state::State;
use crate::{plane, space};
use percuss_geometry::{MassProperties, Plane, Pose, Space};

/// Moves along x and turns.
#[derive(Debug)]
struct Slide;

impl<D: Dynamics> PrescribedMotion<D> for Slide {
    fn at(&mut self, anchor: &Pose<D>, t: f64) -> (Pose<D>, D::Dofs) {
        let mut velocity = D::ZERO_VELOCITY;
        let speed = velocity.as_mut();
        (speed[0], speed[D::DOF - 1]) = (0.3 * (9.0 * t).cos(), 0.2);
        (D::advance_pose(anchor, &velocity, t), velocity)
    }
}

/// A mean flow in every direction.
#[derive(Debug)]
struct Shear;

impl CellController for Shear {
    fn at(&mut self, t: f64) -> ImposedLoading {
        let mut rate = [[-0.3, 0.2, 0.1], [0.05, -0.2, 0.3], [0.1, 0.0, -0.4]];
        rate[0][1] += t;
        ImposedLoading {
            rate,
            ..ImposedLoading::default()
        }
    }
}

struct Scene<D: Dynamics>(Model<D>, State<D>);

impl<D: Dynamics> Scene<D> {
    fn new(gravity: D::Vector) -> Self {
        let mut law = PairLaw {
            friction: Friction::Coulomb(0.4),
            ..PairLaw::default()
        };
        let mut materials = Materials::new(2, &law);
        (law.restitution.normal, law.restitution.tangential) = (0.5, 0.2);
        materials.set(0, 1, law);
        let model = Model {
            bodies: Vec::new(),
            materials,
            prescribed_motions: vec![Box::new(Slide)],
            gravity,
            force_fields: Vec::new(),
            drag: Vec::new(),
            joints: Vec::new(),
            cell: None,
        };
        let state = State {
            t: 0.0,
            poses: Vec::new(),
            velocities: Vec::new(),
            kinematic_origins: Vec::new(),
            contacts: Vec::new(),
            cell: None,
        };
        Self(model, state)
    }

    fn add(&mut self, shape: D::Shape, freedom: Freedom, pose: Pose<D>) {
        let k = self.0.bodies.len();
        let mut ones = D::ZERO_VELOCITY;
        ones.as_mut().fill(1.0);
        let none: MassProperties<D> = D::from_mass_diagonal(&ones);
        let mass = D::mass_properties(&shape, 1000.0).unwrap_or(none);
        let material = (k % 2) as u16;
        self.0.bodies.push(Body {
            shape,
            mass,
            material,
            freedom,
        });
        self.1.poses.push(pose);
        let mut velocity = D::ZERO_VELOCITY;
        for (i, v) in velocity.as_mut().iter_mut().enumerate() {
            *v = 0.2 * ((k * 7 + i * 3) as f64).sin();
        }
        self.1.velocities.push(velocity);
    }

    fn world(self) -> World<D> {
        let settings = Settings {
            tolerance: 1e-5,
            activation: Activation::Predicted,
            ..Settings::default()
        };
        World::new(self.0, self.1, settings).unwrap()
    }
}

fn freedom(k: usize) -> Freedom {
    match k % 6 {
        4 => Freedom::Partial(0b101),
        _ => Freedom::Free,
    }
}

/// Both code paths for every candidate of some steps; returns the number of contacts.
fn compare<D: Dynamics>(mut world: World<D>) -> usize {
    let mut contacts = 0;
    for _ in 0..60 {
        world.step().unwrap();
        contacts += agree(&world);
    }
    contacts
}

/// The candidates of the last step, whose state is now that of its end: any state will do.
fn agree<D: Dynamics>(world: &World<D>) -> usize {
    let (mut plain, mut any) = (FactoredDelassus::builder(), FactoredDelassus::builder());
    let inputs = world.last_step().inputs;
    let mut body_data = Vec::new();
    fixed_size::gather_body_data(inputs, &mut body_data);
    let assembler = Assembler {
        inputs,
        body_data: &body_data,
        candidates: inputs.candidates(),
        memory: &inputs.state.contacts,
        stage: Stage::Midpoint { as_impacts: false },
    };
    assembler.push_bodies(&mut plain).unwrap();
    assembler.push_bodies(&mut any).unwrap();
    // Sums of a dozen products of velocities of order 1 and of 1/√m, which is at most 1 here; the term
    // g/h of an open gap is added to them, of order 100.
    let near = |x: &[f64], y: &[f64]| {
        assert_eq!(x.len(), y.len());
        for (x, y) in x.iter().zip(y) {
            assert!((x - y).abs() <= 1e-13 * (1.0 + x.abs()), "{x} {y}");
        }
    };
    let mut contacts = 0;
    for (touch, found) in inputs.candidates().iter().enumerate() {
        let (pair, first) = pair_law(inputs.model, found);
        let (law, d) = law::<D>(pair, Status::Open);
        let touched = PairedCandidate {
            touch,
            found,
            pair,
            memory: None,
            frame: frame_of(inputs.midpoint, found, (pair, first)),
        };
        let one = assembler
            .push_fixed_size(&mut plain, &law, &touched)
            .unwrap();
        let two = assembler
            .push_general(&mut any, (law, d), &touched)
            .unwrap();
        assert_eq!(one.is_some(), two.is_some());
        if let (Some(one), Some(two)) = (one, two) {
            near(&one[..d], &two[..d]);
            contacts += 1;
        }
    }
    let (plain, any) = (plain.build().unwrap(), any.build().unwrap());
    near(plain.free_velocity(), any.free_velocity());
    for contact in 0..contacts {
        near(plain.diagonal_block(contact), any.diagonal_block(contact));
    }
    let (Some(plain), Some(any)) = (kinetic(&plain), kinetic(&any)) else {
        return contacts;
    };
    for contact in 0..contacts {
        let blocks = plain.dense_blocks(contact).zip(any.dense_blocks(contact));
        assert_eq!(
            plain.dense_blocks(contact).count(),
            any.dense_blocks(contact).count()
        );
        for ((first, block), (second, other)) in blocks {
            assert_eq!(first, second);
            near(&block, &other);
        }
    }
    contacts
}

/// All candidates under one planar Coulomb law: the path for them, and the one candidate by candidate.
fn flat_agrees(world: &World<Plane>) -> usize {
    let inputs = world.last_step().inputs;
    let mut body_data = Vec::new();
    fixed_size::gather_body_data(inputs, &mut body_data);
    let assembler = Assembler {
        inputs,
        body_data: &body_data,
        candidates: inputs.candidates(),
        memory: &inputs.state.contacts,
        stage: Stage::Midpoint { as_impacts: false },
    };
    let law = single_planar_law(inputs.model).unwrap();
    let make = |flat: bool| {
        let mut builder = FactoredDelassus::builder();
        assembler.push_bodies(&mut builder).unwrap();
        let (mut active, mut begin, mut impulse) = (Vec::new(), Vec::new(), Vec::new());
        let mut persistent = Vec::new();
        let mut filled = AssembledRows {
            active: &mut active,
            persistent: &mut persistent,
            begin: &mut begin,
            impulse: &mut impulse,
        };
        if flat {
            let law = law.clone();
            assembler
                .push_planar_coulomb(&mut builder, &mut filled, (law, 0.0))
                .unwrap();
        } else {
            let mut last = 0;
            for touch in 0..inputs.candidates().len() {
                let at = (touch, &mut last, 0.0);
                assembler
                    .push_candidate(&mut builder, &mut filled, at)
                    .unwrap();
            }
        }
        (builder.build().unwrap(), active, begin, impulse)
    };
    let near = |x: &[f64], y: &[f64]| {
        assert_eq!(x.len(), y.len());
        for (x, y) in x.iter().zip(y) {
            assert!((x - y).abs() <= 1e-13 * (1.0 + x.abs()), "{x} {y}");
        }
    };
    let ((flat, active, begin, impulse), (any, active2, begin2, impulse2)) =
        (make(true), make(false));
    assert_eq!(active, active2);
    near(&begin, &begin2);
    near(&impulse, &impulse2);
    near(flat.free_velocity(), any.free_velocity());
    for contact in 0..flat.num_contacts() {
        near(flat.diagonal_block(contact), any.diagonal_block(contact));
        assert_eq!(flat.law(contact), any.law(contact));
        let (Some(flat), Some(any)) = (kinetic(&flat), kinetic(&any)) else {
            continue;
        };
        for ((first, block), (second, other)) in
            flat.dense_blocks(contact).zip(any.dense_blocks(contact))
        {
            assert_eq!(first, second);
            near(&block, &other);
        }
    }
    flat.num_contacts()
}

/// Discs and boxes on a floor that slides.
fn floor() -> Scene<Plane> {
    let mut scene = Scene::<Plane>::new(DVec2::Y * -9.81);
    let at = |x: f64, y: f64, angle: f64| Pose {
        position: DVec2::new(x, y),
        rotation: percuss_geometry::plane::Angle::new(angle),
    };
    scene.add(
        plane::Shape::HalfPlane,
        Freedom::Kinematic(0),
        at(0.0, 0.0, 0.02),
    );
    scene.add(plane::Shape::HalfPlane, Freedom::Fixed, at(-0.1, 0.0, -1.5));
    for k in 0..40 {
        let shape = match k % 2 {
            0 => plane::Shape::Disc { radius: 0.1 },
            _ => {
                let polygon = plane::ConvexPolygon::rectangle(0.2, 0.16).unwrap();
                plane::Shape::Polygon(polygon.into())
            }
        };
        let (x, y) = ((k % 8) as f64, (k / 8) as f64);
        let pose = at(0.21 * x + 0.05, 0.12 + 0.2 * y, 0.01 * x);
        scene.add(shape, freedom(k), pose);
    }
    scene
}

#[test]
fn plain_contacts_of_the_plane_are_those_of_the_general_way() {
    assert!(compare(floor().world()) > 1000);
}

#[test]
fn contacts_of_one_law_of_the_plane_are_those_of_the_general_way() {
    for restitution in [0.0, 0.4] {
        let mut scene = floor();
        let mut law = PairLaw {
            friction: Friction::Coulomb(0.4),
            ..PairLaw::default()
        };
        (law.restitution.normal, law.restitution.tangential) = (restitution, 0.2);
        scene.0.materials = Materials::new(1, &law);
        scene.0.bodies.iter_mut().for_each(|body| body.material = 0);
        let mut world = scene.world();
        let mut contacts = 0;
        for _ in 0..60 {
            world.step().unwrap();
            contacts += flat_agrees(&world);
        }
        assert!(contacts > 300);
    }
}

/// Spheres and cubes, in a box or in a cell that is sheared.
fn heap(cell: bool) -> World<Space> {
    let mut scene = Scene::<Space>::new(DVec3::Z * -9.81);
    let at = |position: DVec3| Pose {
        position,
        rotation: DQuat::from_rotation_y(0.3 * position.x),
    };
    let below = |position: DVec3, rotation: DQuat| Pose { position, rotation };
    if !cell {
        let floor = below(DVec3::ZERO, DQuat::from_rotation_x(0.02));
        scene.add(space::Shape::HalfSpace, Freedom::Kinematic(0), floor);
        let wall = below(DVec3::X * -0.1, DQuat::from_rotation_y(1.5));
        scene.add(space::Shape::HalfSpace, Freedom::Fixed, wall);
    }
    for k in 0..64 {
        let cube =
            space::ConvexPolyhedron::cuboid(DVec3::new(0.2, 0.2, 0.16 + 0.02 * (k % 3) as f64));
        let shape = match k % 3 {
            0 => space::Shape::Polyhedron(cube.unwrap().into()),
            _ => space::Shape::Sphere { radius: 0.1 },
        };
        let place = DVec3::new((k % 4) as f64, (k / 4 % 4) as f64, (k / 16) as f64);
        let free = if cell { Freedom::Free } else { freedom(k) };
        scene.add(shape, free, at(0.2 * place + DVec3::Z * 0.11));
    }
    if cell {
        scene.0.gravity = DVec3::ZERO;
        scene.0.cell = Some(PeriodicCell {
            periodic: [true; 3],
            control: Some(Box::new(Shear)),
            modes: Vec::new(),
            mass: 1.0,
            damping: 0.0,
        });
        scene.1.cell = Some(Lattice::new(
            [DVec3::X, DVec3::Y, DVec3::Z].map(|e| e * 0.82),
        ));
    }
    scene.world()
}

#[test]
fn plain_contacts_of_space_are_those_of_the_general_way() {
    assert!(compare(heap(false)) > 1000);
}

#[test]
fn plain_contacts_in_a_sheared_cell_are_those_of_the_general_way() {
    assert!(compare(heap(true)) > 1000);
}
