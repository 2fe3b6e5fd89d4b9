//! Painlevé's configurations among bodies.

use percuss_record::{Certificate, Criterion, NullObserver};
use percuss_run::{ObservableRequest, Threads};
use percuss_scene::Scene;

use crate::scene_mechanisms::go;
use crate::scene_painleve::ROD;

/// Runs bodies; the certificate and γ of every step.
fn slide(text: &str, edits: &[(&str, &str)]) -> (Certificate, Vec<f64>) {
    let mut text = text.to_string();
    for (old, new) in edits {
        assert!(text.contains(old), "the scene has no `{old}`");
        text = text.replace(old, new);
    }
    let scene = Scene::parse("scene", "scene.toml", &text).expect("a scene");
    let collection = scene.build_bodies().expect("bodies");
    let mut gamma = Vec::new();
    let wanted = ObservableRequest::default();
    let one = Threads::new(1);
    let run = percuss_run::run_bodies(
        &scene,
        collection,
        &wanted,
        one,
        &mut NullObserver,
        &mut |tick| {
            gamma.push(tick.gamma);
            true
        },
    );
    (run.certificate, gamma)
}

const ROD_AS_BODY: &str = r#"
kind = "bodies"
[world]
dimension = 2
gravity = [0, -9.81]
[[material]]
name = "m"
[[law]]
between = ["m", "m"]
friction = 1.6
[[body]]
name = "floor"
shape = { half_plane = [0, 1] }
material = "m"
fixed = true
[[body]]
name = "rod"
shape = { box = [1.0, 0.02] }
material = "m"
mass = 1
inertia = "1/12"
position = [0, "0.5*sin(pi/3) + 0.01*cos(pi/3)"]
angle = "pi/3"
velocity = [-1, 0]
[run]
until = 0.002
step = 1e-4
"#;

/// Painlevé's rod as a body of the plane and as a mechanism: the same γ in every step. Bodies said nothing of it.
#[test]
fn a_rod_among_bodies_has_the_gamma_of_the_mechanism() {
    let tip = [
        (
            "tip_x = \"x - 0.5*cos(theta)\"",
            "tip_x = \"x - 0.5*cos(theta) + 0.01*sin(theta)\"",
        ),
        (
            "tip_z = \"z - 0.5*sin(theta)\"",
            "tip_z = \"z - 0.5*sin(theta) - 0.01*cos(theta)\"",
        ),
        ("\"0.5*sin(pi/3)\"", "\"0.5*sin(pi/3) + 0.01*cos(pi/3)\""),
        ("until = 0.01", "until = 0.002"),
        ("SCHEME", "midpoint"),
    ];
    // Below the threshold it slides, and γ > 0 in every step; beyond it, it jumps at once.
    for (mu, jumps) in [("1.0", false), ("1.6", true)] {
        let friction = format!("friction = {mu}");
        let edit = [("friction = 1.6", friction.as_str())];
        let (certificate, found) = slide(ROD_AS_BODY, &edit);
        let (outcome, _) = go(ROD, &[&tip[..], &edit].concat());
        let motion = &outcome.trajectory;
        let wanted: Vec<f64> = (1..motion.len())
            .map(|k| motion.step_report(k).gamma)
            .collect();
        assert_eq!(found.len(), wanted.len());
        assert!(
            wanted[0].is_finite() && (wanted[0] <= 0.0) == jumps,
            "{wanted:?}"
        );
        // The first step is the same; after it the mechanism lets its tip go for one step and is that much behind,
        // over which γ changes by 5e-7.
        assert!(
            (found[0] - wanted[0]).abs() < 1e-13,
            "{found:?}, not {wanted:?}"
        );
        for (a, b) in found.iter().zip(&wanted).filter(|(_, b)| b.is_finite()) {
            assert!((a - b).abs() < 2e-6, "{found:?}, not {wanted:?}");
        }
        assert_eq!(certificate.is_reported(Criterion::Nonunique), jumps);
        if jumps {
            let said = certificate.sentence(Criterion::Nonunique);
            assert!(said.contains("floor") && said.contains("rod"), "{said}");
        }
    }
}

const ROD_IN_SPACE: &str = r#"
kind = "bodies"
[world]
dimension = 3
gravity = [0, 0, -9.81]
[[material]]
name = "m"
[[law]]
between = ["m", "m"]
friction = 1.6
[[body]]
name = "floor"
shape = { half_space = [0, 0, 1] }
material = "m"
fixed = true
[[body]]
name = "rod"
shape = { capsule = [1.0, 0.01] }
material = "m"
mass = 1
inertia = ["1/12", "1/12", 1e-4]
position = [0, 0, "0.5*sin(pi/3) + 0.01"]
rotation = { axis = [0, 1, 0], angle = "pi/6" }
velocity = VELOCITY
[run]
until = 1e-4
step = 1e-4
"#;

/// The same in space, with the lever to the lowest point of a capsule: γ = 1/m + x²/I − μ|x z|/I, and Ŵ_nn =
/// 1/m + x²/I where it slides the other way.
#[test]
fn a_rod_in_space_jumps_one_way_and_slides_the_other() {
    let (x, z) = (0.5 * 0.5, 0.5 * 0.75_f64.sqrt() + 0.01);
    let normal = 1.0 + 12.0 * x * x;
    let gamma = normal - 1.6 * 12.0 * x * z;
    assert!(gamma < 0.0);
    for (velocity, exact) in [("[-1, 0, 0]", gamma), ("[1, 0, 0]", normal)] {
        let (certificate, found) = slide(ROD_IN_SPACE, &[("VELOCITY", velocity)]);
        // In the first step the rod has not turned: rounding alone.
        assert!(
            (found[0] - exact).abs() < 1e-9,
            "{velocity}: {found:?}, not {exact}"
        );
        assert_eq!(certificate.is_reported(Criterion::Nonunique), exact <= 0.0);
    }
}

/// Obliquely, γ is negative but Coulomb's law has no jump: the tip cannot stick within the cone, and no slip at γ = 0
/// opposes its friction. It was told to jump. Less to the side it jumps.
#[test]
fn a_rod_in_space_that_slides_obliquely_slides_on() {
    let (x, z) = (0.5 * 0.5, 0.5 * 0.75_f64.sqrt() + 0.01);
    let (normal, gamma) = (1.0 + 12.0 * x * x, 1.0 + 12.0 * x * x - 1.6 * 12.0 * x * z);
    for (velocity, exact) in [("[-1, 2, 0]", normal), ("[-1, 0.2, 0]", gamma)] {
        let (certificate, found) = slide(ROD_IN_SPACE, &[("VELOCITY", velocity)]);
        // In the first step the rod has not turned: rounding alone.
        assert!(
            (found[0] - exact).abs() < 1e-9,
            "{velocity}: {found:?}, not {exact}"
        );
        assert_eq!(certificate.is_reported(Criterion::Nonunique), exact <= 0.0);
    }
}

const DISCS_AND_BAR: &str = r#"
kind = "bodies"
[world]
dimension = 2
gravity = [0, -9.81]
[[material]]
name = "m"
[[law]]
between = ["m", "m"]
friction = 1.0
[[body]]
name = "floor"
shape = { half_plane = [0, 1] }
material = "m"
fixed = true
[[body]]
name = "foot"
shape = { disc = 0.01 }
material = "m"
mass = 0.05
position = [0, 0.01]
velocity = [-1, 0]
free = ["x", "y"]
[[body]]
name = "head"
shape = { disc = 0.01 }
material = "m"
mass = 1
position = ["cos(pi/3)", "0.01 + sin(pi/3)"]
velocity = [-1, 0]
free = ["x", "y"]
[[joint]]
name = "bar"
kind = "distance"
between = ["foot", "head"]
at = [[0, 0.01], ["cos(pi/3)", "0.01 + sin(pi/3)"]]
[run]
until = 1e-5
step = 1e-5
"#;

/// Two masses and a bar: the foot alone has γ = 1/m > 0, that of the whole is −2.53.
#[test]
fn gamma_among_bodies_knows_the_joints() {
    let (m, c, s) = (1.05, 0.5, 0.75_f64.sqrt());
    let (arm, inertia) = (1.0 / m, 0.05 / m);
    let exact = 1.0 / m + (arm * c) * (arm * c) / inertia - arm * arm * s * c / inertia;
    let (certificate, found) = slide(DISCS_AND_BAR, &[]);
    assert!((found[0] - exact).abs() < 1e-9, "{found:?}, not {exact}");
    assert!(certificate.is_reported(Criterion::Nonunique));
    // Without the bar a disc slides on.
    let start = DISCS_AND_BAR.find("[[joint]]").expect("a joint");
    let end = DISCS_AND_BAR.find("[run]").expect("a run");
    let (certificate, found) = slide(DISCS_AND_BAR, &[(&DISCS_AND_BAR[start..end], "")]);
    assert!((found[0] - 20.0).abs() < 1e-9, "{found:?}");
    assert!(!certificate.is_reported(Criterion::Nonunique));
}
