//! Scenes of bodies in the plane become the collections they describe.

use percuss_bodies::plane::Shape;
use percuss_scene::{Scene, SceneKind};

use crate::crowd::everything::PLANE;
use crate::crowd::{BLOCK, edited, number, plane};
use percuss_bodies::geometry::Dim;
use percuss_bodies::{Activation, ForceContext, Freedom, Friction, Plane};

fn close(a: f64, b: f64) {
    // A handful of operations on numbers of this size: far above rounding, far below any slip.
    assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{a} is not {b}");
}

#[test]
fn the_block_of_the_documentation_is_a_collection() {
    let scene = Scene::parse("block", "block.toml", BLOCK).unwrap();
    assert_eq!(scene.kind(), SceneKind::Bodies);
    let assembly = plane(BLOCK);
    assert_eq!(assembly.names.bodies, ["ground", "block"]);
    assert_eq!(assembly.names.materials, ["stone"]);
    let gravity = assembly.model.gravity;
    close(gravity.x, 9.81 * 0.3_f64.sin());
    close(gravity.y, -9.81 * 0.3_f64.cos());
    assert_eq!(assembly.model.bodies[0].freedom, Freedom::Fixed);
    assert_eq!(assembly.model.bodies[0].shape, Shape::HalfPlane);
    let block = &assembly.model.bodies[1];
    assert_eq!(block.freedom, Freedom::Free);
    close(block.mass.mass, 48.0);
    close(block.mass.inertia, 48.0 * (0.04 + 0.01) / 12.0);
    let (law, _) = assembly.model.materials.law(0, 0);
    assert_eq!(law.friction, Friction::Coulomb(0.5));
    assert_eq!((assembly.start, assembly.until), (0.0, 2.0));
    // 2000 steps, 250 of them kept.
    assert_eq!(assembly.record_every, 8);
    assert_eq!(assembly.state.poses[1].position.to_array(), [0.0, 0.05]);
}

#[test]
fn settings_are_those_of_the_file() {
    let assembly = plane(PLANE);
    let settings = &assembly.settings;
    assert_eq!((settings.step, settings.tolerance), (1e-3, 1e-8));
    assert_eq!(settings.activation, Activation::Predicted);
    assert!(settings.projection);
    assert_eq!(settings.solver, "nlgs");
    assert_eq!(settings.max_iterations, Some(50));
    assert_eq!(assembly.overlap.allowed, Some(1e-5));
    assert!(assembly.overlap.relax);
    assert_eq!((assembly.start, assembly.until), (1.0, 2.0));
    assert_eq!(assembly.state.t, 1.0);
    assert_eq!(assembly.record_every, 7);
    assert_eq!(assembly.stop.as_ref().unwrap().text, "contacts > 3");
}

#[test]
fn shapes_are_placed_as_written() {
    let assembly = plane(PLANE);
    let at = |name: &str| number(&assembly.names.bodies, name);
    // The outward normal of the half-plane is (-3, 4)/5.
    let slope = &assembly.state.poses[at("slope")];
    let normal = Plane::rotate(&slope.rotation, [0.0, 1.0].into());
    close(normal.x, -0.6);
    close(normal.y, 0.8);
    assert_eq!(slope.position.to_array(), [1.0, 2.0]);
    // The triangle's centroid is (4, 1) in its own axes; a quarter turn takes it to (-1, 4).
    let wedge = &assembly.state.poses[at("wedge")];
    close(wedge.position.x, 0.0);
    close(wedge.position.y, 5.0);
    close(wedge.rotation.angle(), std::f64::consts::FRAC_PI_2);
    let Shape::Polygon(polygon) = &assembly.model.bodies[at("wedge")].shape else {
        panic!("a polygon was expected");
    };
    // Its corners in space are those of the file, turned and moved.
    let corners = polygon.vertices().iter();
    let mut corners: Vec<[f64; 2]> = corners
        .map(|v| (wedge.position + Plane::rotate(&wedge.rotation, *v)).to_array())
        .collect();
    corners.sort_by(|a, b| a.partial_cmp(b).unwrap());
    for (corner, expected) in corners.iter().zip([[-2.0, 4.0], [1.0, 4.0], [1.0, 7.0]]) {
        close(corner[0], expected[0]);
        close(corner[1], expected[1]);
    }
    assert_eq!(assembly.state.velocities[at("wedge")], [1.0, -1.0, 2.0]);
    let Shape::Chain(chain) = &assembly.model.bodies[at("bowl")].shape else {
        panic!("a chain was expected");
    };
    assert_eq!(chain.vertices().len(), 3);
}

#[test]
fn masses_are_given_or_follow_from_the_density() {
    let assembly = plane(PLANE);
    let body = |name: &str| &assembly.model.bodies[number(&assembly.names.bodies, name)];
    let disc = body("disc");
    close(disc.mass.mass, 8.0);
    // The disc's own moment, m r²/2.
    close(disc.mass.inertia, 1.0);
    close(body("pill").mass.mass, 3.0);
    close(body("pill").mass.inertia, 0.7);
    close(body("wedge").mass.mass, 2000.0 * 4.5);
    close(body("lid").mass.mass, 7.0);
    assert_eq!(body("lid").freedom, Freedom::Partial(0b010));
    assert_eq!(body("table").freedom, Freedom::Kinematic(0));
}

#[test]
fn the_law_of_a_pair_by_name_beats_one_with_any() {
    let assembly = plane(PLANE);
    let law = |a, b| assembly.model.materials.law(a, b).0;
    assert_eq!(law(0, 0).friction, Friction::Coulomb(0.1));
    // Sliding in the positive sense feels `plus`: the impulse is then negative, the lower bound of the law (M88 §13).
    let asymmetric = Friction::Asymmetric {
        plus: 0.3,
        minus: 0.2,
    };
    assert_eq!(law(1, 1).friction, asymmetric);
    assert_eq!(law(1, 1).restitution.normal, 0.5);
    assert_eq!(law(1, 1).restitution.tangential, 0.0);
    assert_eq!(law(0, 1), law(1, 0));
    assert_eq!(law(0, 1).friction, Friction::Coulomb(0.5));
    assert_eq!(law(0, 1).rolling, 0.01);
    // (1 - 1/2)/(1 + 1/2), for both directions.
    close(law(0, 1).restitution.normal, 1.0 / 3.0);
    close(law(0, 1).restitution.tangential, 1.0 / 3.0);
}

#[test]
fn given_motions_are_the_expressions_and_their_exact_derivatives() {
    let mut assembly = plane(PLANE);
    assert_eq!(assembly.model.prescribed_motions.len(), 1);
    assert_eq!(assembly.state.kinematic_origins.len(), 1);
    let anchor = assembly.state.kinematic_origins[0];
    assert_eq!(anchor.position.to_array(), [0.0, -5.0]);
    let w = 3.0 * std::f64::consts::PI;
    for t in [0.0, 0.3, 1.7, 25.0] {
        let (pose, velocity) = assembly.model.prescribed_motions[0].at(&anchor, t);
        close(pose.position.x, 0.1 * (w * t).sin());
        close(pose.position.y, -5.0 + t * t);
        close(pose.rotation.angle(), 0.5 * t);
        close(velocity[0], 0.1 * w * (w * t).cos());
        close(velocity[1], 2.0 * t);
        close(velocity[2], 0.5);
    }
}

#[test]
fn given_forces_are_the_expressions_at_the_state_of_each_body() {
    let mut assembly = plane(PLANE);
    let n = assembly.names.bodies.len();
    let mut velocities = assembly.state.velocities.clone();
    let [disc, pill, lid] = ["disc", "pill", "lid"].map(|b| number(&assembly.names.bodies, b));
    velocities[disc] = [0.25, 0.0, 4.0];
    let mut loads = vec![[0.0; 3]; n];
    let scenery = ForceContext {
        t: 2.0,
        poses: &assembly.state.poses,
        velocities: &velocities,
        bodies: &assembly.model.bodies,
    };
    for field in &mut assembly.model.force_fields {
        field.add_loads(&scenery, &mut loads);
    }
    // Its own load: (x, -m t) = (2, -16) at (0, 1/2), torque 4; the field: 8 (-2, 0.25·8, 2).
    close(loads[disc][0], 2.0 - 16.0);
    close(loads[disc][1], -16.0 + 16.0);
    // (0, 1/2) × (2, -16) = -1.
    close(loads[disc][2], 4.0 - 1.0 + 16.0);
    close(loads[pill][0], -15.0);
    close(loads[lid][1], -3.0 + 2.0);
    let others = (0..n).filter(|i| ![disc, pill, lid].contains(i));
    assert!(others.into_iter().all(|i| loads[i] == [0.0; 3]));
}

#[test]
fn the_point_of_a_force_is_in_the_axes_of_the_shape() {
    let text = edited(
        PLANE,
        &[("spin = 2\n", "spin = 2\nforce = [1, 0]\nat = [6, 0]\n")],
    );
    let mut assembly = plane(&text);
    let wedge = number(&assembly.names.bodies, "wedge");
    let mut loads = vec![[0.0; 3]; assembly.names.bodies.len()];
    let scenery = ForceContext {
        t: 0.0,
        poses: &assembly.state.poses,
        velocities: &assembly.state.velocities,
        bodies: &assembly.model.bodies,
    };
    for field in &mut assembly.model.force_fields {
        field.add_loads(&scenery, &mut loads);
    }
    // The corner (6, 0) is at (1, 7) in space, the centre at (0, 5): (1, 2) × (1, 0) = -2.
    close(loads[wedge][2], -2.0);
}

#[test]
fn drags_of_several_tables_add_up() {
    let assembly = plane(PLANE);
    let drag = |name: &str| assembly.model.drag[number(&assembly.names.bodies, name)];
    assert_eq!(drag("disc").translation, 0.75);
    assert_eq!(drag("disc").rotation, 0.125);
    assert_eq!(drag("brick").translation, 0.5);
    assert_eq!(drag("lid").translation, 0.0);
}

#[test]
fn groups_regions_and_watches_have_their_members() {
    let cast = plane(PLANE).names;
    let index = |name: &str| number(&cast.bodies, name) as u32;
    let group = |name: &str| &cast.groups.iter().find(|(n, _)| n == name).unwrap().1;
    assert_eq!(*group("rounds"), [index("disc"), index("pill")]);
    let movers = [index("wedge"), index("disc"), index("pill"), index("brick")];
    assert_eq!(*group("movers"), movers);
    let names: Vec<&str> = cast.regions.iter().map(|r| r.name.as_str()).collect();
    let expected = ["middle", "layer_1", "layer_2", "layer_3", "layer_4"];
    assert_eq!(names, expected);
    assert_eq!(cast.regions[0].slice, None);
    assert_eq!(cast.regions[0].high[0].text, "1 + t");
    assert_eq!(cast.regions[0].high[1].text, "inf");
    // All that forces can move.
    assert_eq!(cast.regions[0].members.len(), 5);
    assert_eq!(cast.regions[2].slice, Some((1, 4, 1)));
    assert_eq!(cast.regions[2].members, movers);
    assert_eq!(cast.watches[0].first, movers);
    assert_eq!(cast.watches[0].second, [index("table")]);
}

#[test]
fn preparations_have_their_own_conditions() {
    let mut assembly = plane(PLANE);
    let names = assembly.names.bodies.clone();
    let at = |name: &str| number(&names, name);
    let prepare = &mut assembly.prepare[0];
    assert_eq!(prepare.name, "settle");
    assert_eq!(prepare.until, 0.5);
    assert_eq!(prepare.settings.step, 0.01);
    assert_eq!(prepare.settings.tolerance, 1e-3);
    assert_eq!(prepare.settings.solver, "nlgs");
    assert!(prepare.rest);
    assert_eq!(prepare.stop.as_ref().unwrap().text, "kinetic < 1e-9");
    let mu = prepare.parameters.iter().find(|(name, _)| name == "mu");
    assert_eq!(mu.unwrap().1, 0.0);
    let (law, _) = prepare.model.materials.law(0, 1);
    // Rolling friction is left, so that there is a moment to be bounded.
    assert_eq!(law.friction, Friction::Coulomb(0.0));
    let freedom = |name: &str| prepare.model.bodies[at(name)].freedom;
    assert_eq!(freedom("table"), Freedom::Partial(0b101));
    assert_eq!(freedom("disc"), Freedom::Fixed);
    assert_eq!(freedom("brick"), Freedom::Free);
    assert_eq!(prepare.model.prescribed_motions.len(), 1);
    let mut loads = vec![[0.0; 3]; names.len()];
    let scenery = ForceContext {
        t: 0.0,
        poses: &assembly.state.poses,
        velocities: &assembly.state.velocities,
        bodies: &assembly.model.bodies,
    };
    for field in &mut prepare.model.force_fields {
        field.add_loads(&scenery, &mut loads);
    }
    // push = -6 here.
    close(loads[at("lid")][1], -6.0 + 2.0);
}

#[test]
fn pictures_are_read() {
    let scene = Scene::parse("p", "p.toml", PLANE).unwrap();
    let picture = &scene.pictures()[0];
    assert_eq!(picture.name, "end");
    assert_eq!(picture.title.as_deref(), Some("The end"));
    assert_eq!(picture.at.len(), 2);
    assert_eq!(picture.colour, percuss_scene::Colour::Speed);
    assert!(picture.forces);
    assert_eq!(picture.low.as_ref().unwrap()[1].text, "-1.0");
    assert!(picture.view.is_none());
}

#[test]
fn overrides_change_parameters_and_settings() {
    let scene = Scene::parse("p", "p.toml", PLANE).unwrap();
    let set = [
        ("mu", "0.7"),
        ("step", "0.01"),
        ("run.solver", "nncg"),
        ("relax", "false"),
    ];
    let changed = scene.with_overrides(&set).unwrap();
    let percuss_scene::bodies_scene::BuiltBodies::Plane(assembly) = changed.build_bodies().unwrap()
    else {
        panic!("this is in the plane");
    };
    assert_eq!(assembly.settings.step, 0.01);
    assert_eq!(assembly.settings.solver, "nncg");
    assert!(!assembly.overlap.relax);
    let (law, _) = assembly.model.materials.law(0, 1);
    assert_eq!(law.friction, Friction::Coulomb(0.7));
    let error = scene.with_overrides(&[("theta", "0.5")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "p.toml, overridden: `theta = 0.5`: there is no such parameter or setting (those \
         that can be set: mu, a, w, push, start, until, step, integrator, activation, correction, tolerance, \
         solver, max_iterations, overlap, relax, stop, record_every, record.every, record.bodies_every, record.contacts_every, record.tables, record.from, record.until, record.bodies, record.compression, certificate.gain, certificate.penetration, certificate.resting, certificate.drift, certificate.dissipation, certificate.length)"
    );
}

#[test]
fn each_kind_of_scene_says_how_it_is_made() {
    let scene = Scene::parse("p", "p.toml", PLANE).unwrap();
    assert_eq!(
        scene.build_mechanism().unwrap_err().to_string(),
        "p.toml:1: `kind = \"bodies\"`: a scene of the other kind was expected here. A scene of this \
         kind is made by `Scene::build_bodies`"
    );
    let ball = Scene::load("ball-e05").unwrap();
    assert_eq!(ball.kind(), SceneKind::Mechanism);
    let error = ball.build_bodies().unwrap_err().to_string();
    assert!(error.contains("`Scene::build_mechanism`"), "{error}");
}
