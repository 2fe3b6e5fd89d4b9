//! Whatever a program says to the builders of worlds and mechanisms: a world or a message, never a panic; numbers that
//! are not finite are refused with the name of the part and of the key.

use percuss::{ClosureConstraint, Mechanism, plane, space};

const BAD: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// The message of a world of one body that must be refused.
fn refused(body: plane::Body) -> String {
    let world = plane::World::builder().body("b", body).build();
    world.expect_err("it was accepted").to_string()
}

#[test]
fn numbers_of_bodies_that_are_not_finite_are_refused_by_name() {
    use plane::Body;
    for x in BAD {
        let all = [
            refused(Body::disc(x)),
            refused(Body::rectangle(1.0, x)),
            refused(Body::capsule(x, 0.1)),
            refused(Body::polygon([[0.0, 0.0], [1.0, x], [0.0, 1.0]])),
            refused(Body::chain([[0.0, 0.0], [x, 0.0]])),
            refused(Body::compound([
                plane::Part::new(plane::Shape::default()).at([x, 0.0])
            ])),
            refused(Body::compound([
                plane::Part::new(plane::Shape::default()).density(x)
            ])),
            refused(Body::disc(1.0).at([x, 0.0])),
            refused(Body::disc(1.0).angle(x)),
            refused(Body::disc(1.0).velocity([0.0, x])),
            refused(Body::disc(1.0).spin(x)),
            refused(Body::disc(1.0).density(x)),
            refused(Body::disc(1.0).mass(x)),
            refused(Body::disc(1.0).inertia(x)),
            refused(Body::disc(1.0).drag(x, 0.0)),
            refused(Body::disc(1.0).drag(0.0, x)),
            refused(Body::disc(1.0).moved_by(move |_| ([x, 0.0], [0.0, 0.0]))),
        ];
        for message in all {
            assert!(message.starts_with("body `b`: "), "{message}");
        }
    }
}

#[test]
fn parts_without_sense_are_refused() {
    use plane::Body;
    for body in [
        Body::disc(0.0),
        Body::disc(-1.0),
        Body::polygon([]),
        Body::chain([]),
        Body::compound([]),
        Body::disc(1.0).locked([7]),
        Body::half_plane().mass(1.0),
        Body::new(plane::Shape::HalfPlane),
        Body::compound([plane::Part::new(plane::Shape::HalfPlane)]),
    ] {
        assert!(refused(body).starts_with("body `b`: "));
    }
    let sphere = || space::World::builder().body("b", space::Body::sphere(1.0));
    assert!(sphere().body("c", space::Body::hull([])).build().is_err());
    assert!(
        sphere()
            .body("c", space::Body::mesh(vec![], vec![[0, 1, 2]]))
            .build()
            .is_err()
    );
    assert!(
        sphere()
            .body("c", space::Body::cuboid([1.0, f64::NAN, 1.0]))
            .build()
            .is_err()
    );
    let turned = space::Body::half_space().turned([0.0, 0.0, 1.0], f64::NAN);
    assert!(sphere().body("c", turned).build().is_err());
}

#[test]
fn numbers_of_laws_settings_and_joints_are_refused_by_name() {
    use plane::{Body, ContactLaw, Joint, World};
    let world = || World::builder().body("b", Body::disc(1.0));
    let hinge = || Joint::revolute("world", "b", [0.0, 0.0]);
    for x in BAD.into_iter().chain([-1.0]) {
        let laws = [
            ContactLaw::coulomb(x),
            ContactLaw::frictionless().restitution(x),
            ContactLaw::coulomb(0.1).rolling(x),
            ContactLaw::coulomb(0.1).spinning(x),
            ContactLaw::static_dynamic(x, 0.1),
            ContactLaw::static_dynamic(0.1, x),
            ContactLaw {
                tangential_restitution: x,
                ..ContactLaw::default()
            },
        ];
        for law in laws {
            let message = world().law(law).build().unwrap_err().to_string();
            assert!(message.starts_with("default law: `"), "{message}");
        }
        assert!(world().step(x).build().is_err() && world().tolerance(x).build().is_err());
        assert!(world().overlap(x).build().is_err());
        let joints = [
            hinge().limits(0.0, 1.0).limit_restitution(x),
            hinge().friction(x, 0.1),
            hinge().friction(0.1, x),
            hinge().spring(x, 0.0, 0.0),
            hinge().spring(0.0, 0.0, x),
            Joint::clearance("b", "b", [0.0, 0.0], x, 0.1, ContactLaw::default()),
        ];
        for joint in joints {
            let message = world().joint("j", joint).build().unwrap_err().to_string();
            assert!(message.starts_with("joint `j`"), "{message}");
        }
    }
    for x in BAD {
        assert!(world().gravity([x, 0.0]).build().is_err() && world().start(x).build().is_err());
        assert!(
            world()
                .joint("j", Joint::revolute("world", "b", [x, 0.0]))
                .build()
                .is_err()
        );
        assert!(world().joint("j", hinge().motor(x)).build().is_err());
        assert!(
            world()
                .joint("j", hinge().spring(0.0, x, 0.0))
                .build()
                .is_err()
        );
        let slider = Joint::prismatic("world", "b", [0.0, 0.0], [x, 0.0]);
        assert!(world().joint("j", slider).build().is_err());
    }
    for joint in [
        hinge().limits(1.0, 0.0),
        hinge().limits(f64::NAN, 1.0),
        hinge().motor_bound(f64::NAN),
        Joint::prismatic("world", "b", [0.0, 0.0], [0.0, 0.0]),
        Joint::revolute("b", "b", [0.0, 0.0]),
        Joint::revolute("world", "world", [0.0, 0.0]),
        Joint::distance("world", "b", [1.0, 0.0], [1.0, 0.0]),
    ] {
        assert!(world().joint("j", joint).build().is_err());
    }
    let twice = world().joint("j", hinge()).joint("j", hinge()).build();
    assert_eq!(
        twice.unwrap_err().to_string(),
        "joint `j`: the name is given twice"
    );
}

#[test]
fn the_closest_law_of_a_pair_holds() {
    use plane::{Body, ContactLaw, World};
    // Three pucks of one material slide on a floor; one has a law of its own with it.
    let puck = |x: f64| {
        Body::rectangle(0.2, 0.1)
            .at([x, 0.05])
            .velocity([1.0, 0.0])
            .material("puck")
    };
    let builder = || {
        World::builder()
            .law(ContactLaw::coulomb(0.9))
            .law_between("floor", "puck", ContactLaw::coulomb(0.1))
            .body("floor", Body::half_plane())
            .body("usual", puck(0.0))
            .body("waxed", puck(-5.0))
            .body("other", puck(5.0).material("rubber"))
    };
    let mut world = builder()
        .law_between("waxed", "floor", ContactLaw::frictionless())
        .build()
        .unwrap();
    world.run_until(0.05).unwrap();
    let speed = |name: &str| world.body(name).unwrap().velocity().x;
    for (name, mu) in [("usual", 0.1), ("waxed", 0.0), ("other", 0.9)] {
        assert!(
            (speed(name) - (1.0 - mu * 9.81 * 0.05)).abs() < 1e-6,
            "{name}"
        );
    }
    // Laws that fit equally well, and names that nothing has.
    let law = ContactLaw::frictionless();
    let doubled = builder().law_between("puck", "floor", law.clone()).build();
    assert!(
        doubled
            .unwrap_err()
            .to_string()
            .contains("fits the same bodies")
    );
    let unknown = builder().law_between("puck", "ice", law).build();
    assert!(
        unknown
            .unwrap_err()
            .to_string()
            .contains("there is no body or material `ice`")
    );
}

#[test]
fn the_facade_changes_no_bit() {
    use percuss::bodies as engine;
    use plane::{Body, ContactLaw, World};
    let mut world = World::builder()
        .law(ContactLaw::coulomb(0.5).restitution(0.3))
        .body("floor", Body::half_plane())
        .body("disc", Body::disc(0.1).at([0.0, 0.3]).velocity([1.0, 0.0]))
        .build()
        .unwrap();
    // The same model, written for the engine.
    let shape = engine::plane::Shape::disc(0.1).unwrap();
    let mass = shape.mass_properties(1000.0).unwrap();
    let law = engine::PairLaw {
        friction: engine::Friction::Coulomb(0.5),
        restitution: percuss::contact::Restitution {
            normal: 0.3,
            tangential: 0.0,
        },
        ..engine::PairLaw::default()
    };
    let state = world.engine().state().clone();
    let none = engine::MassProperties {
        mass: 0.0,
        inertia: 0.0,
    };
    let body = |shape, mass, freedom| engine::Body {
        shape,
        mass,
        material: 0,
        freedom,
    };
    let model = engine::Model::<engine::Plane> {
        bodies: vec![
            body(
                engine::plane::Shape::HalfPlane,
                none,
                engine::Freedom::Fixed,
            ),
            body(shape, mass, engine::Freedom::Free),
        ],
        materials: engine::Materials::new(1, &law),
        prescribed_motions: Vec::new(),
        gravity: [0.0, -9.81].into(),
        force_fields: Vec::new(),
        drag: Vec::new(),
        joints: Vec::new(),
        cell: None,
    };
    let mut bare = engine::World::new(model, state, engine::Settings::default()).unwrap();
    for _ in 0..600 {
        world.step().unwrap();
        bare.step().unwrap();
        assert_eq!(world.engine().state(), bare.state());
    }
}

#[test]
fn closures_of_mechanisms_that_give_no_number_are_named() {
    let floor = || ClosureConstraint::contact("floor", |at| at.q[0], |_| [1.0]);
    let ball = || Mechanism::from_closures(["z"]).start([1.0], [0.0]);
    for x in BAD {
        assert!(ball().mass(move |_| [[x]]).build().is_err());
        assert!(
            ball()
                .force(move |_| [x])
                .build()
                .and_then(|mut m| m.step())
                .is_err()
        );
        assert!(ball().constraint(floor().restitution(x)).build().is_err());
        assert!(
            ball()
                .constraint(floor().friction(x, |_| [0.0]))
                .build()
                .is_err()
        );
        let gap = ClosureConstraint::contact("wall", move |_| x, |_| [1.0]);
        let message = ball().constraint(gap).build().unwrap_err().to_string();
        assert!(message.contains("`wall`"), "{message}");
        assert!(ball().step(x).build().is_err());
        let mut fine = ball().constraint(floor()).build().unwrap();
        assert!(fine.run_until(x).is_err());
    }
    // A tangent without a law, and parts that only contacts have.
    assert!(
        ball()
            .constraint(floor().tangent(|_| [1.0]))
            .build()
            .is_err()
    );
    let joint = ClosureConstraint::joint("rod", |at| at.q[0] - 1.0, |_| [1.0]).restitution(0.5);
    assert!(ball().constraint(joint).build().is_err());
    let quoted = Mechanism::from_expressions()
        .length("a\"b\\\n", 0.0, 0.0)
        .kinetic("1");
    assert!(quoted.build().is_err());
}
