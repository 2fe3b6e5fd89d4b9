//! Measures of granular matter on arrangements whose forces are known in closed form.

use std::f64::consts::{FRAC_PI_2, PI};

use percuss_record::NullObserver;
use percuss_run::Threads;

use crate::watch_common::{BLOCK, edited, last, observed, parsed, refusal, series};

/// Four columns of three discs of diameter 1 between smooth walls, pressed by 3 from above and by 1
/// from the right, per length.
const LATTICE: &str = r#"kind = "bodies"
[world]
dimension = 2
[[material]]
name = "grain"
density = 2
[[material]]
name = "wall"
[[law]]
between = ["grain", "grain"]
friction = 0
[[law]]
between = ["any", "any"]
[[body]]
name = "floor"
shape = { half_plane = [0, 1] }
material = "wall"
fixed = true
[[body]]
name = "left"
shape = { half_plane = [1, 0] }
material = "wall"
fixed = true
[[body]]
name = "lid"
shape = { half_plane = [0, -1] }
position = [0, 3]
material = "wall"
mass = 1
free = ["y"]
force = [0, -12]
[[body]]
name = "right"
shape = { half_plane = [-1, 0] }
position = [4, 0]
material = "wall"
mass = 1
free = ["x"]
force = [-3, 0]
[[grid]]
name = "all"
radius = 0.5
counts = [4, 3]
spacing = 1
origin = [0.5, 0.5]
material = "grain"
[[region]]
name = "cut"
low = [0.7, 0.3]
high = [3.1, 1.7]
[[region]]
name = "layer"
low = [0, 0]
high = [4, 3]
slices = { axis = "y", count = 2 }
[run]
until = 0.1
step = 0.01
tolerance = 1e-12
record_every = 5
"#;

/// Above the tolerance of the steps.
const NEAR: f64 = 1e-9;

fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() < NEAR, "{value}, not {expected}");
}

#[test]
fn the_stress_of_a_lattice_is_the_load_of_its_walls() {
    let [xx, xy, yx, yy, pressure, ratio, angle] = last(
        LATTICE,
        [
            "stress_xx_all",
            "stress_xy_all",
            "stress_yx_all",
            "stress_yy_all",
            "pressure_all",
            "stress_ratio_all",
            "stress_angle_all",
        ],
    );
    near(xx, 1.0);
    near(xy, 0.0);
    near(yx, 0.0);
    near(yy, 3.0);
    near(pressure, 2.0);
    near(ratio, 0.5);
    near(angle, FRAC_PI_2);
}

#[test]
fn a_layer_has_the_stress_of_the_whole_wherever_it_cuts_the_grains() {
    let [whole, half, upper] = last(
        LATTICE,
        ["stress_yy_all", "stress_yy_layer_1", "stress_yy_layer_2"],
    );
    near(half, whole);
    near(upper, whole);
}

#[test]
fn fabric_and_coordination_of_a_lattice_are_counted_by_hand() {
    // 4 columns of 4 contacts that stand, 3 rows of 5 that lie.
    let [xx, xy, yy, spread, z, core, rattlers, mobilised, force] = last(
        LATTICE,
        [
            "fabric_xx_all",
            "fabric_xy_all",
            "fabric_yy_all",
            "anisotropy_all",
            "coordination_all",
            "core_coordination_all",
            "rattlers_all",
            "mobilised_all",
            "normal_force_all",
        ],
    );
    near(xx, 15.0 / 31.0);
    near(xy, 0.0);
    near(yy, 16.0 / 31.0);
    near(spread, 1.0 / 31.0);
    near(z, 4.0);
    near(core, 4.0);
    near(rattlers, 0.0);
    // There is no friction to mobilise.
    assert!(mobilised.is_nan());
    // Every plane carries the load: 4 of 12 each, 5 of 3 each.
    near(force, (4.0 * 12.0 + 5.0 * 3.0) / 31.0);
}

#[test]
fn the_solid_fraction_of_a_cut_is_that_of_the_parts_inside() {
    let [whole, half] = last(LATTICE, ["fraction_all", "fraction_layer_1"]);
    // Walls may be a little nearer or farther than the start by the tolerance of a step.
    near(whole, PI / 4.0);
    near(half, PI / 4.0);
    let [cut] = last(LATTICE, ["fraction_cut"]);
    // Midpoints of a fine lattice: the boundary's cells, 0.2 % of all, may be on either side.
    let (mut inside, mut all) = (0, 0);
    for i in 0..2400 {
        for j in 0..1400 {
            let (x, y) = (
                0.7 + (f64::from(i) + 0.5) * 1e-3,
                0.3 + (f64::from(j) + 0.5) * 1e-3,
            );
            let (dx, dy) = (x - x.floor() - 0.5, y - y.floor() - 0.5);
            inside += i32::from(dx * dx + dy * dy <= 0.25);
            all += 1;
        }
    }
    let sampled = f64::from(inside) / f64::from(all);
    assert!((cut - sampled).abs() < 1e-3, "{cut}, {sampled}");
}

#[test]
fn the_stress_of_a_pile_is_the_weight_above() {
    let pile = edited(
        LATTICE,
        &[
            ("dimension = 2", "dimension = 2\ngravity = [0, -10]"),
            ("force = [0, -12]", "force = [0, 0]"),
            ("position = [0, 3]", "position = [0, 9]"),
            ("counts = [4, 3]", "counts = [4, 5]"),
            ("low = [0.7, 0.3]", "low = [0, 1]"),
            ("high = [3.1, 1.7]", "high = [4, 2]"),
            ("until = 0.1", "until = 0.02"),
        ],
    );
    // Planes of the lower half carry four discs, those of the upper half three.
    let [yy] = last(&pile, ["stress_yy_cut"]);
    let weight = 2.0 * PI / 4.0 * 10.0;
    near(yy, 3.5 * weight);
}

#[test]
fn what_holds_nothing_is_taken_away_until_nothing_is_left() {
    // A row of three pushed against a wall by a force on the first: it has one neighbour, and when it
    // is gone the next has one.
    let row = edited(
        LATTICE,
        &[
            ("friction = 0", "friction = 0.5"),
            ("force = [-3, 0]", "force = [0, 0]"),
            ("force = [0, -12]", "force = [0, 0]"),
            (
                "[[grid]]",
                "[[field]]\nforce = [-5, 0]\nbodies = \"all_3\"\n[[grid]]",
            ),
            ("counts = [4, 3]", "counts = [3, 1]"),
            ("origin = [0.5, 0.5]", "origin = [0.5, 1.5]"),
        ],
    );
    let [z, rattlers, heap, right] = last(
        &row,
        [
            "coordination_all",
            "rattlers_all",
            "heap_all",
            "heap_right_all",
        ],
    );
    near(z, 5.0 / 3.0);
    near(rattlers, 3.0);
    near(heap, 3.0);
    near(right, 3.0);
    // Held from both sides it is a core.
    let held = edited(
        &row,
        &[
            ("position = [4, 0]", "position = [3, 0]"),
            (
                "free = [\"x\"]\nforce = [0, 0]",
                "free = [\"x\"]\nforce = [-3, 0]",
            ),
        ],
    );
    let [rattlers, core] = last(&held, ["rattlers_all", "core_coordination_all"]);
    near(rattlers, 0.0);
    near(core, 2.0);
}

#[test]
fn mobilisation_is_friction_over_its_bound() {
    // A block of weight 20 with friction 0.5, pushed by 5 of the 10 that it can bear.
    let pushed = edited(
        BLOCK,
        &[(
            "position = [0, 0.25]",
            "position = [0, 0.25]\nforce = [5, 0]\n[[group]]\nname = \"all\"\nbodies = [\"block\"]",
        )],
    );
    let [mobilised, z] = last(&pushed, ["mobilised_all", "coordination_all"]);
    // The mean over the two corners, whose shares are not determined: friction and weight add up.
    assert!((0.25..=0.75).contains(&mobilised), "{mobilised}");
    // Two points of contact, one neighbour.
    near(z, 1.0);
}

#[test]
fn shear_and_kinetic_stress_are_those_of_given_velocities() {
    let disc = |name: &str, x: f64, y: f64, vx: f64, vy: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nshape = {{ disc = 0.1 }}\nmaterial = \"m\"\nmass = 3\n\
             position = [{x}, {y}]\nvelocity = [{vx}, {vy}]\n"
        )
    };
    // v = (0.5 y + x, −y): L = [[1, 0.5], [0, −1]], D′ = [[1, 0.25], [0.25, −1]].
    let places = [(0.0, 0.0), (1.0, 0.0), (0.3, 1.0), (1.7, 2.0)];
    let bodies: String = places
        .iter()
        .enumerate()
        .map(|(k, (x, y))| disc(&format!("d{k}"), *x, *y, 0.5 * y + x, -y))
        .collect();
    let text = format!(
        "kind = \"bodies\"\n[world]\ndimension = 2\n[[material]]\nname = \"m\"\n[[law]]\n\
         between = [\"any\", \"any\"]\n{bodies}[[group]]\nname = \"all\"\n\
         bodies = [\"d0\", \"d1\", \"d2\", \"d3\"]\n[run]\nuntil = 0.1\nstep = 0.1\n"
    );
    let names = [
        "shear_rate_all",
        "kinetic_stress_xy_all",
        "grain_size_all",
        "pressure_all",
    ];
    let outcome = observed(&text, &names);
    let first = |of: &str| series(&outcome, of)[0];
    near(
        first("shear_rate_all"),
        (2.0 * (1.0 + 1.0 + 2.0 * 0.0625_f64)).sqrt(),
    );
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| places.iter().map(f).sum::<f64>() / 4.0;
    let (vx, vy) = (|p: &(f64, f64)| 0.5 * p.1 + p.0, |p: &(f64, f64)| -p.1);
    let product = mean(&|p| vx(p) * vy(p)) - mean(&vx) * mean(&vy);
    // The box around the discs is 1.9 × 2.2.
    near(first("kinetic_stress_xy_all"), 12.0 * product / (1.9 * 2.2));
    near(first("grain_size_all"), 0.2);
    near(first("pressure_all"), 0.0);
}

#[test]
fn distributions_and_profiles_are_counted_at_recorded_steps() {
    let text = format!(
        "{LATTICE}\n[[distribution]]\nname = \"angles\"\nof = \"all\"\nquantity = \"contact_angle\"\nbins = 4\n\
         [[distribution]]\nname = \"sizes\"\nof = \"all\"\nquantity = \"size\"\nlow = 0.4\nhigh = 0.5\nbins = 2\n\
         [[profile]]\nname = \"up\"\nregion = \"layer\"\nquantity = [\"stress_yy\", \"inertial_number\"]\nfrom = 0.05\n"
    );
    let scene = parsed(&text);
    let collection = scene.build_bodies().expect("a collection");
    let wanted = percuss_run::observable_request(&scene, &collection).expect("what is wanted");
    assert!(
        wanted
            .observables
            .iter()
            .any(|text| text == "stress_yy_layer_2")
    );
    let one = Threads::new(1);
    let outcome = percuss_run::run_bodies(
        &scene,
        collection,
        &wanted,
        one,
        &mut NullObserver,
        &mut |_| true,
    );
    // Steps 5 and 10 are recorded: 15 contacts that lie, 16 that stand, twice.
    let angles = &outcome.distributions[0];
    // 0 and π are one direction, π/2 is the end of two bins.
    let [a, b, c, d] = angles.counts[..] else {
        panic!("four bins");
    };
    assert_eq!((a + d, b + c), (30, 32));
    assert_eq!(angles.total, 62);
    let share: f64 = (0..4).map(|k| angles.density(k) * PI / 4.0).sum();
    assert!((share - 1.0).abs() < 1e-12);
    // Twelve discs, twice; the upper end belongs to the last bin.
    let sizes = &outcome.distributions[1];
    assert_eq!(sizes.total, 24);
    assert_eq!(sizes.counts, [0, 24]);
}

#[test]
fn bad_surveys_are_refused_with_what_is_known() {
    let with = |tables: &str| refusal(&format!("{LATTICE}\n{tables}"));
    let said = with("[[profile]]\nname = \"p\"\nregion = \"cut\"\nquantity = \"fraction\"\n");
    assert!(
        said.contains("region with slices `cut`") && said.contains("layer"),
        "{said}"
    );
    let said = with("[[profile]]\nname = \"p\"\nregion = \"layer\"\nquantity = \"fractoin\"\n");
    assert!(said.contains("did you mean `fraction`?"), "{said}");
    let said =
        with("[[profile]]\nname = \"p\"\nregion = \"layer\"\nquantity = \"fraction\"\nfrom = 3\n");
    assert!(said.contains("holds nothing of the run"), "{said}");
    let said = with("[[distribution]]\nname = \"d\"\nof = \"al\"\nquantity = \"size\"\n");
    assert!(said.contains("did you mean `all`?"), "{said}");
    let said = with("[[distribution]]\nname = \"d\"\nof = \"all\"\nquantity = \"size\"\n");
    assert!(said.contains("`low` is missing"), "{said}");
    let said = with(
        "[[distribution]]\nname = \"d\"\nof = \"all\"\nquantity = \"mobilised\"\nlow = 1\nhigh = 0\n",
    );
    assert!(said.contains("there is nothing"), "{said}");
    let twice = "[[distribution]]\nname = \"d\"\nof = \"all\"\nquantity = \"mobilised\"\n";
    let said = with(&format!("{twice}[[picture]]\nname = \"d\"\n"));
    assert!(
        said.contains("another plot, picture or survey `d`"),
        "{said}"
    );
}
