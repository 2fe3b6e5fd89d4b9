//! Observables of groups, regions and joints, and names that are refused.

use crate::watch_common::{BLOCK, edited, last, observed, refusal, series};

/// Ten discs in a row at x = 0.5, 1.5, ..., radius 0.1 and mass 1, the first moving.
fn row() -> String {
    let discs: String = (0..10)
        .map(|k| {
            let x = f64::from(k) + 0.5;
            let speed = if k == 0 { 2 } else { 0 };
            format!(
                "[[body]]\nname = \"d{k}\"\nshape = {{ disc = 0.1 }}\nmaterial = \"m\"\nmass = 1\n\
                 position = [{x}, {k}]\nvelocity = [{speed}, 0]\n"
            )
        })
        .collect();
    format!(
        r#"kind = "bodies"
[parameters]
shift = 2
[world]
dimension = 2
[[material]]
name = "m"
[[law]]
between = ["any", "any"]
{discs}
[[group]]
name = "few"
bodies = ["d1", "d3", "d0"]
[[region]]
name = "window"
low = ["shift*t", "-inf"]
high = ["shift*t + 3", "inf"]
[[region]]
name = "part"
low = [0, "-inf"]
high = [10, "inf"]
slices = {{ axis = "x", count = 4 }}
[[region]]
name = "nowhere"
low = [100, 100]
high = [200, 200]
[run]
until = 1
step = 0.25
"#
    )
}

#[test]
fn groups_are_counted_summed_and_bounded() {
    let names = [
        "count_few",
        "sum_x_few",
        "mean_y_few",
        "max_y_few",
        "min_y_few",
        "sum_mass_few",
        "top_few",
        "bottom_few",
        "left_few",
        "right_few",
        "max_speed_few",
        "sum_kinetic_few",
        "mean_displacement_few",
        "sum_vx_few",
    ];
    let values = last(&row(), names);
    // After 1 s the first has gone 2 m: x = 2.5, 1.5, 3.5; y = 0, 1, 3.
    let third = 2.0 / 3.0;
    let exact = [
        3.0,
        7.5,
        4.0 / 3.0,
        3.0,
        0.0,
        3.0,
        3.1,
        -0.1,
        1.4,
        3.6,
        2.0,
        2.0,
        third,
        2.0,
    ];
    for ((name, value), exact) in names.iter().zip(values).zip(exact) {
        assert!(
            (value - exact).abs() < 1e-14,
            "{name}: {value} instead of {exact}"
        );
    }
}

#[test]
fn regions_move_and_slices_share_out_every_body() {
    let names = [
        "count_window",
        "sum_mass_window",
        "mean_x_window",
        "count_nowhere",
        "sum_x_nowhere",
        "mean_x_nowhere",
        "count_part_1",
        "count_part_2",
        "count_part_3",
        "count_part_4",
        "count_part_1 + count_part_2 + count_part_3 + count_part_4",
    ];
    let outcome = observed(&row(), &names);
    let at = |name: &str, k: usize| series(&outcome, name)[k];
    // At t = 0 the window is [0, 3]: 0.5, 1.5, 2.5. At t = 1 it is [2, 5]: 2.5 twice, 3.5, 4.5.
    assert_eq!([at("count_window", 0), at("count_window", 4)], [3.0, 4.0]);
    assert_eq!(at("sum_mass_window", 4), 4.0);
    assert_eq!(
        [at("mean_x_window", 0), at("mean_x_window", 4)],
        [1.5, 3.25]
    );
    assert_eq!([at("count_nowhere", 0), at("sum_x_nowhere", 0)], [0.0, 0.0]);
    assert!(at("mean_x_nowhere", 0).is_nan(), "the mean of no bodies");
    // Slices of 2.5: the body at 2.5 belongs to the second, none is lost and none counted twice.
    let counts = |k: usize| ["1", "2", "3", "4"].map(|s| at(&format!("count_part_{s}"), k));
    assert_eq!(counts(0), [2.0, 3.0, 2.0, 3.0]);
    assert_eq!(counts(4), [1.0, 4.0, 2.0, 3.0]);
    for k in 0..5 {
        assert_eq!(at(names[10], k), 10.0);
    }
}

#[test]
fn joints_are_counted_and_open() {
    let text = r#"kind = "bodies"
[world]
dimension = 2
gravity = [0, -10]
[[material]]
name = "m"
density = 1000
[[law]]
between = ["any", "any"]
friction = 0.5
[[body]]
name = "floor"
shape = { half_plane = [0, 1] }
material = "m"
fixed = true
[[column]]
name = "tower"
material = "m"
block = [0.4, 0.2]
count = 4
origin = [0, 0]
[[body]]
name = "beside"
shape = { box = [0.4, 0.16] }
material = "m"
position = [0.4, 0.08]
[[body]]
name = "lid"
shape = { box = [0.4, 0.2] }
material = "m"
position = [0, 0.9]
velocity = [0, 1]
[[group]]
name = "all"
bodies = ["tower", "beside", "lid"]
[run]
until = 0.05
step = 1e-3
"#;
    let outcome = observed(
        text,
        &["joints_all", "opened_all", "joints_tower", "opened_tower"],
    );
    let ends = |of: &str| {
        let values = series(&outcome, of);
        [values[0], *values.last().expect("a state")]
    };
    // Three joints in the tower, the lid on it, the block beside it that presses on nothing.
    assert_eq!(ends("joints_all"), [5.0, 4.0]);
    assert_eq!(ends("opened_all"), [0.0, 1.0]);
    assert_eq!(ends("joints_tower"), [3.0, 3.0]);
    assert_eq!(ends("opened_tower"), [0.0, 0.0]);
}

fn asked(value: &str) -> String {
    format!("{BLOCK}\n[[finding]]\nname = \"asked\"\nvalue = \"{value}\"\n")
}

#[test]
fn unknown_names_are_refused_with_the_nearest_before_the_run() {
    for (value, guess) in [
        ("final(blok_x)", "did you mean `block_x`"),
        ("final(block_vxx)", "did you mean `block_vx`"),
        ("final(kinetik)", "did you mean `kinetic`"),
        ("final(force_fot)", "did you mean `force_foot`"),
        ("final(block_z)", "unknown name `block_z`"),
        ("impact(fot, 1)", "unknown watch `fot`; did you mean `foot`"),
        ("locked(foot, 1)", "is for mechanisms"),
        ("impulse(foot, 2)", "row 1, the normal"),
        ("error(block_x; 1e-3; block_y)", "cannot use the motion"),
        ("block_x + 1", "changes along the motion"),
    ] {
        let said = refusal(&asked(value));
        assert!(said.contains(guess), "{value}: {said}");
        assert!(
            said.contains("test.toml:") && said.contains("finding `asked`"),
            "{said}"
        );
    }
    let said = refusal(&edited(
        BLOCK,
        &[("until = 0.1", "until = 0.1\nstop = \"block_w > 1\"")],
    ));
    assert!(
        said.contains("[run]") && said.contains("`stop`") && said.contains("block_w"),
        "{said}"
    );
}

#[test]
fn a_name_with_two_meanings_is_refused() {
    let edits = [(
        "[run]",
        "[[group]]\nname = \"x\"\nbodies = [\"block\"]\n[run]",
    )];
    let text = edited(&asked("final(count_x)"), &edits);
    let text = edited(
        &text,
        &[
            ("name = \"block\"", "name = \"count\""),
            ("[\"block\"]", "[\"count\"]"),
        ],
    );
    let text = text.replace("[\"block\", \"floor\"]", "[\"count\", \"floor\"]");
    let said = refusal(&text);
    assert!(said.contains("count_x"), "{said}");
}
