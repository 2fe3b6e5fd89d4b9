//! Drawings are evaluated from records: against closed forms, at all states, without touching them.

use percuss_draw::drawing::{DrawingValues, FRAMES, Kind, Theme};
use percuss_scene::Scene;

use crate::common::edited;
use crate::drawing_common::{drawn, item, points, recorded, series};

fn pendulum(more: &str) -> Scene {
    let text = format!(
        r#"kind = "mechanism"
title = "A pendulum"
[parameters]
l = 0.7
g = 9.81
[[coordinate]]
name = "phi"
kind = "angle"
initial = 1.0
[dynamics]
kinetic = "0.5*l^2*phi_dot^2"
potential = "-g*l*cos(phi)"
[run]
until = 2.0
step = 1e-3
{more}
[[drawing]]
name = "rod"
link = [[0, 0], ["l*sin(phi)", "-l*cos(phi)"]]
[[drawing]]
name = "path"
trace = ["l*sin(phi)", "-l*cos(phi)"]
[[drawing]]
name = "mass"
tip = ["l*sin(phi)", "-l*cos(phi)"]
radius = 0.05
angle = "phi"
[[drawing]]
name = "right half"
link = [[0, 0], ["if(phi > 0, 1, ln(0))", 0], [0, 1]]
"#
    );
    Scene::parse("pendulum", "pendulum.toml", &text).expect("a scene")
}

#[test]
fn the_tip_of_a_pendulum_is_where_its_recorded_angle_says() {
    let (_folder, record) = recorded(&pendulum(""));
    let drawing = drawn(&record, FRAMES);
    assert_eq!(drawing.header.frames, 2001);
    let (rod, path) = (item(&drawing, "rod"), item(&drawing, "path"));
    let (mass, spoke) = (item(&drawing, "mass"), item(&drawing, "mass, spoke"));
    for (k, phi) in series(&drawing, "phi").iter().enumerate() {
        let tip = [0.7 * phi.sin(), -0.7 * phi.cos()];
        let rim = [tip[0] + 0.05 * phi.cos(), tip[1] + 0.05 * phi.sin()];
        // Points are rounded to 24 bits: 6e-8 of lengths below 1.
        let at = |p: &[f64], q: [f64; 2]| (p[0] - q[0]).abs() < 6e-8 && (p[1] - q[1]).abs() < 6e-8;
        let drawn = points(&drawing, rod, k);
        assert!(at(&drawn[0], [0.0, 0.0]) && at(&drawn[1], tip), "{k}");
        assert!(at(&points(&drawing, mass, k)[0], tip));
        let spoke = points(&drawing, spoke, k);
        assert!(at(&spoke[0], tip) && at(&spoke[1], rim) && spoke[2][0].is_nan());
        // A path has one more point at each state.
        let path = points(&drawing, path, k);
        assert_eq!(path.len(), k + 1);
        assert!(at(&path[k], tip));
    }
    let corners = &drawing.header.corners;
    assert!(corners.min[1] < -0.75 && corners.max[1] > 1.0);
    assert_eq!(drawing.header.portraits.len(), 1);
}

#[test]
fn a_point_without_a_value_lifts_the_pen_and_spreads_nowhere() {
    let (_folder, record) = recorded(&pendulum(""));
    let drawing = drawn(&record, 100);
    let half = item(&drawing, "right half");
    let mut seen = [0, 0];
    for (k, phi) in series(&drawing, "phi").iter().enumerate() {
        let points = points(&drawing, half, k);
        assert_eq!(points.len(), 3);
        let there = points[1].iter().all(|x| x.is_finite());
        assert_eq!(there, *phi > 0.0);
        assert!(
            there || points[1].iter().all(|x| x.is_nan()),
            "whole points are missing"
        );
        seen[usize::from(there)] += 1;
        assert_eq!((points[0][0], points[2][1]), (0.0, 1.0));
    }
    assert!(seen[0] > 10 && seen[1] > 10, "both happen: {seen:?}");
    let text = drawing.svg(1.0, (400, 300), Theme::Dark);
    assert!(!text.contains("NaN") && text.contains("<polyline"));
}

#[test]
fn thinning_keeps_both_ends_and_is_even() {
    let (_folder, record) = recorded(&pendulum(""));
    let (all, few) = (drawn(&record, FRAMES), drawn(&record, 8));
    assert_eq!(few.times().len(), 8);
    assert_eq!(few.times()[0], all.times()[0]);
    assert_eq!(few.times()[7], all.times()[2000]);
    let steps = few.times().windows(2).map(|w| w[1] - w[0]);
    // 2000/7 steps, rounded either way.
    assert!(
        steps.clone().all(|s| s > 0.2849 && s < 0.2871),
        "{:?}",
        steps.collect::<Vec<_>>()
    );
    assert_eq!(few.frame(-1.0), 0);
    assert_eq!(few.frame(f64::INFINITY), 7);
    assert_eq!(few.frame(few.times()[3] + 1e-3), 3);
}

#[test]
fn drawings_change_no_bit_of_a_run() {
    let scene = pendulum("");
    let text = scene.text();
    let bare = &text[..text.find("[[drawing]]").expect("a drawing")];
    let bare = Scene::parse("pendulum", "pendulum.toml", bare).expect("a scene");
    let (_one, with) = recorded(&scene);
    let (_two, without) = recorded(&bare);
    for table in ["steps", "coordinates", "contacts", "events"] {
        let read = |record: &percuss_record::Record| record.table(table, None).expect("a table");
        assert_eq!(read(&with), read(&without), "{table}");
    }
    let checksums = |record: &percuss_record::Record| {
        let tables = record.manifest().tables.iter();
        tables.map(|t| t.checksums.clone()).collect::<Vec<_>>()
    };
    assert_eq!(checksums(&with), checksums(&without));
    // A run of a scene that declares nothing still gives its coordinates.
    let drawing = drawn(&without, FRAMES);
    assert!(drawing.is_empty() && series(&drawing, "phi").len() == 2001);
}

#[test]
fn a_wall_is_a_strip_behind_its_face_and_lights_up_with_its_contact() {
    let drawings = "[[drawing]]\nname = \"ground\"\nobstacle = [0, 0]\nnormal = [0, 2]\ncontact = \
                    \"ground\"\n[[drawing]]\nname = \"ball\"\ntip = [0, \"z\"]\n[run]";
    let text = edited(&[("[run]", drawings)]);
    let scene = Scene::parse("ball", "ball.toml", &text).expect("a scene");
    let (_folder, record) = recorded(&scene);
    let drawing = drawn(&record, FRAMES);
    let ground = item(&drawing, "ground");
    assert!(drawing.header.items[ground].fixed && drawing.header.items[ground].closed);
    let strip = points(&drawing, ground, 5);
    assert_eq!(strip.len(), 4);
    assert!(
        strip[0][1] == 0.0 && strip[1][1] == 0.0,
        "the face is the line"
    );
    assert!(
        strip[2][1] < 0.0 && strip[3][1] < 0.0,
        "the rest is behind it"
    );
    let corners = &drawing.header.corners;
    assert!(strip[0][0].min(strip[1][0]) < corners.min[0]);
    assert!(strip[0][0].max(strip[1][0]) > corners.max[0]);
    // It falls for sqrt(2/g) = 0.4515 s: no impulse before, one in the step of the impact.
    let frame = |t: f64| drawing.frame(t);
    let touched = |a: f64, b: f64| (frame(a)..frame(b)).any(|k| drawing.contact_acts(ground, k));
    assert!(!touched(0.0, 0.44) && touched(0.44, 0.46) && !touched(0.47, 0.8));
}

fn sweep(gaps: &[&str]) -> Scene {
    let contacts = gaps.iter().enumerate();
    let contacts: Vec<String> = contacts
        .map(|(k, gap)| format!("[[contact]]\nname = \"c{k}\"\ngap = \"{gap}\"\n"))
        .collect();
    let text = format!(
        "kind = \"sweep\"\n[[coordinate]]\nname = \"x\"\ninitial = -0.6\n[[coordinate]]\nname = \"y\"\n\
         initial = 0.8\n{}[run]\nuntil = 3.0\nstep = 0.01\n",
        contacts.concat()
    );
    Scene::parse("sweep", "sweep.toml", &text).expect("a scene")
}

#[test]
fn the_set_of_a_sweep_is_the_disc_of_its_closed_form() {
    let (_folder, record) = recorded(&sweep(&["0.5*(1 - (x - t)^2 - y^2)"]));
    let drawing = drawn(&record, FRAMES);
    let (set, path) = (item(&drawing, "set"), item(&drawing, "path"));
    assert_eq!(drawing.header.items[set].kind, Kind::Set);
    assert_eq!(drawing.header.axes, ["x", "y"]);
    for (k, t) in drawing.times().iter().enumerate() {
        let circle = points(&drawing, set, k);
        assert_eq!(circle.len(), 96);
        for p in &circle {
            // Rounded to 24 bits at lengths up to 4.
            let radius = (p[0] - t).hypot(p[1]);
            assert!((radius - 1.0).abs() < 5e-7, "{k}: {radius}");
        }
        // All the way round: no gap wider than three times the even one.
        let gap = |a: &[f64], b: &[f64]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let widest = (0..96).map(|i| gap(&circle[i], &circle[(i + 1) % 96]));
        assert!(widest.fold(0.0, f64::max) < 3.0 * std::f64::consts::TAU / 96.0);
        assert_eq!(points(&drawing, path, k).len(), k + 1);
    }
    let corners = &drawing.header.corners;
    assert!(
        corners.min[0] < -1.0 && corners.max[0] > 4.0,
        "all of it is seen"
    );
}

#[test]
fn a_polyhedral_set_has_its_exact_corners_and_an_unbounded_one_is_cut_off() {
    let square = ["x - t + 1", "t + 1 - x", "y + 1", "1 - y"];
    let (_folder, record) = recorded(&sweep(&square));
    let drawing = drawn(&record, 50);
    let set = item(&drawing, "set");
    for (k, t) in drawing.times().iter().enumerate() {
        let mut corners = points(&drawing, set, k);
        assert_eq!(corners.len(), 4);
        corners.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        for (corner, sides) in corners
            .iter()
            .zip([(-1., -1.), (-1., 1.), (1., -1.), (1., 1.)])
        {
            let off = (corner[0] - t - sides.0).hypot(corner[1] - sides.1);
            assert!(off < 1e-6, "{k}: {corner:?}");
        }
    }
    let (_folder, record) = recorded(&sweep(&["x - t + 1"]));
    let drawing = drawn(&record, 50);
    let set = item(&drawing, "set");
    let left = |k: usize| {
        points(&drawing, set, k)
            .iter()
            .fold(f64::INFINITY, |a, p| a.min(p[0]))
    };
    for (k, t) in drawing.times().iter().enumerate() {
        assert!((left(k) - (t - 1.0)).abs() < 1e-6, "its only side");
    }
    let corners = &drawing.header.corners;
    assert!(
        corners.max[0] - corners.min[0] < 10.0,
        "what is seen ends near the path"
    );
}

#[test]
fn columns_follow_the_counts_they_announce() {
    let (_folder, record) = recorded(&pendulum(""));
    let drawing = drawn(&record, 300);
    for (k, thing) in drawing.header.items.iter().enumerate() {
        let (Some(DrawingValues::U32(counts)), Some(DrawingValues::F32(points))) = (
            drawing.column(&format!("count_{k}")),
            drawing.column(&format!("points_{k}")),
        ) else {
            panic!("item {k} lacks a column");
        };
        assert_eq!(counts.len(), if thing.fixed { 1 } else { 300 });
        assert_eq!(points.len(), 2 * counts.iter().sum::<u32>() as usize);
    }
    let json = serde_json::to_value(&drawing.header).expect("a header");
    assert_eq!(json["items"][0]["kind"], "link");
    assert!(json["box"]["min"].is_array() && json["frames"] == 300);
}
