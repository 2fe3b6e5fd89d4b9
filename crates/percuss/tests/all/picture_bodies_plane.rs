//! Pictures of bodies of the plane show every body where it is.

use percuss_draw::picture::{PictureRequest, RunPictures};
use percuss_record::frame::{BodyState, DrawnForce, Frame, RecordedFrames};
use percuss_record::{BodyDescription, BodyMotion, RecordedShape};
use percuss_scene::Colour;

use crate::picture_common::{discs, elements, name, number, points, svg, text, within};
use crate::record_common::{PLANE, parsed, record};

/// Scale and origin of a picture of the plane from two discs, checked with all others.
fn check_discs(svg: &str, all: &[([f64; 2], f64)]) {
    let circles = within(svg, "bodies", "circle");
    assert_eq!(circles.len(), all.len());
    let at = |k: usize| (number(circles[k], "cx"), number(circles[k], "cy"));
    let scale = (at(1).0 - at(0).0) / (all[1].0[0] - all[0].0[0]);
    assert!(scale > 0.0);
    for (k, (position, radius)) in all.iter().enumerate() {
        let x = at(0).0 + scale * (position[0] - all[0].0[0]);
        // Upwards is downwards in pixels.
        let y = at(0).1 - scale * (position[1] - all[0].0[1]);
        // Written to a hundredth of a pixel, both ends of the scale too.
        let close = |a: f64, b: f64| (a - b).abs() < 0.03;
        assert!(close(at(k).0, x) && close(at(k).1, y), "disc {k}");
        assert!(close(number(circles[k], "r"), radius * scale), "radius {k}");
    }
}

#[test]
fn discs_are_where_they_are_to_one_scale_and_turned_as_they_are() {
    let all = [
        ([0.0, 0.0], 0.5),
        ([3.0, 1.0], 0.4),
        ([-1.0, 2.0], 0.3),
        ([1.0, -2.5], 0.2),
    ];
    let (bodies, still) = discs(&all);
    let picture = svg(2, &bodies, &[still], &PictureRequest::default());
    check_discs(&picture, &all);
    // The mark of disc k points in the direction of its angle, k radians.
    let circles = within(&picture, "bodies", "circle");
    let marks = within(&picture, "bodies", "line");
    assert_eq!(marks.len(), all.len());
    for (k, (circle, mark)) in circles.iter().zip(&marks).enumerate() {
        let (dx, dy) = (
            number(mark, "x2") - number(circle, "cx"),
            number(mark, "y2") - number(circle, "cy"),
        );
        let r = number(circle, "r");
        let (sin, cos) = (k as f64).sin_cos();
        assert!(
            (dx - r * cos).abs() < 0.02 && (dy + r * sin).abs() < 0.02,
            "mark {k}"
        );
    }
}

#[test]
fn six_instants_share_one_window_and_one_scale() {
    let all = [([0.0, 0.0], 0.5), ([4.0, 1.0], 0.5)];
    let (bodies, still) = discs(&all);
    let stills: Vec<Frame> = (0..6)
        .map(|k| {
            let mut still = still.clone();
            still.t = f64::from(k);
            still.bodies[1].position[1] += f64::from(k);
            still
        })
        .collect();
    let picture = svg(2, &bodies, &stills, &PictureRequest::default());
    let circles = within(&picture, "bodies", "circle");
    assert_eq!(circles.len(), 12);
    let radii: Vec<&str> = circles.iter().map(|c| text(c, "r")).collect();
    assert!(radii.iter().all(|r| *r == radii[0]));
    let scale = number(circles[0], "r") / 0.5;
    for k in 0..6 {
        let rise = number(circles[2 * k], "cy") - number(circles[2 * k + 1], "cy");
        assert!((rise - scale * (1.0 + k as f64)).abs() < 0.03, "panel {k}");
        assert!(picture.contains(&format!(">t = {k}</text>")));
    }
    assert_eq!(elements(&picture, "clipPath").len(), 6);
}

#[test]
fn every_shape_of_the_plane_is_drawn_once() {
    let here = tempfile::tempdir().expect("a folder");
    let run = record(PLANE, &here.path().join("run"), &[]);
    let scene = parsed(PLANE);
    let picture = RunPictures::new(&run, &scene)
        .svg("picture")
        .expect("drawn")
        .expect("known");
    assert_eq!(within(&picture, "bodies", "circle").len(), 1, "the coin");
    assert_eq!(within(&picture, "bodies", "path").len(), 1, "the pill");
    assert_eq!(within(&picture, "bodies", "polygon").len(), 1, "the box");
    assert_eq!(
        within(&picture, "boundaries", "polyline").len(),
        1,
        "the ramp"
    );
    assert_eq!(
        within(&picture, "boundaries", "polygon").len(),
        1,
        "the ground"
    );
    assert!(picture.contains(">Plane &lt;things&gt;, t = 0.1</text>"));
    assert!(picture.contains(">wood</text>") && picture.contains(">stone</text>"));
    // The box stands on the floor: its lower corners are on the line of the half-plane.
    let states = RecordedFrames::of(&run).expect("readable");
    let still = states.read(states.len() - 1, false).expect("there");
    let coin = within(&picture, "bodies", "circle")[0];
    let scale = number(coin, "r") / 0.25;
    let floor = number(coin, "cy") + scale * still.bodies[4].position[1];
    let line = within(&picture, "boundaries", "line");
    let long = line.iter().max_by(|a, b| {
        let length = |l: &str| (number(l, "x1") - number(l, "x2")).abs();
        length(a).total_cmp(&length(b))
    });
    let drawn = number(long.expect("a line"), "y1");
    assert!((drawn - floor).abs() < 0.03, "{drawn} {floor}");
    let corners = points(within(&picture, "bodies", "polygon")[0]);
    let lowest = corners.iter().map(|c| c.1).fold(f64::MIN, f64::max);
    // The box has sunk or risen by less than a hundredth of its height.
    assert!(
        (lowest - floor).abs() < 0.01 * 0.2 * scale,
        "{lowest} {floor}"
    );
}

#[test]
fn colours_show_what_they_say() {
    let (bodies, mut still) = discs(&[([0.0, 0.0], 0.5), ([2.0, 0.0], 0.5), ([4.0, 0.0], 0.5)]);
    still.bodies[1].velocity = [0.0, 2.0, 0.0];
    still.bodies[2].velocity = [3.0, 0.0, -0.0];
    still.bodies[0].spin = [0.0, 0.0, -2.0];
    still.bodies[2].spin = [0.0, 0.0, 2.0];
    let fills = |colour: Colour, bodies: &[BodyDescription]| -> Vec<String> {
        let request = PictureRequest {
            colour,
            ..PictureRequest::default()
        };
        let picture = svg(2, bodies, &[still.clone()], &request);
        let circles = within(&picture, "bodies", "circle");
        circles
            .iter()
            .map(|c| text(c, "fill").to_string())
            .collect()
    };
    let speed = fills(Colour::Speed, &bodies);
    // Both ends of viridis.
    assert_eq!(
        (speed[0].as_str(), speed[2].as_str()),
        ("#440154", "#fde725")
    );
    assert!(speed[1] != speed[0] && speed[1] != speed[2]);
    let spin = fills(Colour::Spin, &bodies);
    // Blue, the pale middle, red.
    assert_eq!(spin, ["#054c85", "#f1f0ee", "#8b1d20"]);
    let mut mixed = bodies.clone();
    mixed[2].material = "wood".into();
    let material = fills(Colour::Material, &mixed);
    assert!(material[0] == material[1] && material[0] != material[2]);
    mixed[1].mass = Some(5.0);
    let mass = fills(Colour::Mass, &mixed);
    assert_eq!((mass[0].as_str(), mass[1].as_str()), ("#440154", "#fde725"));
    let none = fills(Colour::None, &mixed);
    assert!(none.iter().all(|fill| *fill == none[0]));
}

#[test]
fn widths_of_lines_are_forces() {
    let (bodies, mut still) = discs(&[([0.0, 0.0], 0.5), ([1.0, 0.0], 0.5), ([2.0, 0.0], 0.5)]);
    let force = |a: usize, b: usize, x: f64, size: f64| DrawnForce {
        bodies: [a, b],
        at: [x, 0.0, 0.0],
        force: [size, 0.0, 0.0],
        normal: size,
    };
    still.forces = vec![force(0, 1, 0.5, 3.0), force(1, 2, 1.5, 12.0)];
    let request = PictureRequest {
        forces: true,
        ..PictureRequest::default()
    };
    let picture = svg(2, &bodies, &[still], &request);
    let lines = within(&picture, "forces", "line");
    assert_eq!(lines.len(), 2);
    let width = |k: usize| number(lines[k], "stroke-width");
    // The strongest is drawn last; widths are written to a hundredth.
    assert!((width(1) / width(0) - 4.0).abs() < 0.02);
    let circles = within(&picture, "bodies", "circle");
    for (end, circle) in [("1", circles[1]), ("2", circles[2])] {
        assert_eq!(text(lines[1], &format!("x{end}")), text(circle, "cx"));
        assert_eq!(text(lines[1], &format!("y{end}")), text(circle, "cy"));
    }
    assert!(picture.contains("largest force 12 N<"));
}

#[test]
fn what_is_fixed_and_far_does_not_shrink_what_moves() {
    let (mut bodies, mut still) = discs(&[([0.0, 0.5], 0.5), ([2.0, 0.5], 0.5)]);
    let alone = svg(2, &bodies, &[still.clone()], &PictureRequest::default());
    let slab = [[-500.0, -1.0], [500.0, -1.0], [500.0, 0.0], [-500.0, 0.0]];
    bodies.push(name(
        BodyMotion::Fixed,
        RecordedShape::Polygon(slab.to_vec()),
    ));
    still.bodies.push(BodyState::at([0.0; 3], 0.0));
    let both = svg(2, &bodies, &[still.clone()], &PictureRequest::default());
    let radius = |picture: &str| number(within(picture, "bodies", "circle")[0], "r");
    assert!(radius(&both) > 0.5 * radius(&alone));
    // A window that is asked for is the window.
    let request = PictureRequest {
        low: Some([0.0, 0.0, 0.0]),
        high: Some([1.0, 1.0, 0.0]),
        ..PictureRequest::default()
    };
    let near = svg(2, &bodies, &[still], &request);
    // Only the first disc is seen, and half of it fills half the height.
    let circles = within(&near, "bodies", "circle");
    assert_eq!(circles.len(), 1);
    assert!(
        (number(circles[0], "r") - 310.0).abs() < 0.01,
        "{}",
        circles[0]
    );
}

#[test]
fn places_that_are_no_numbers_are_left_out() {
    let (bodies, mut still) = discs(&[([0.0, 0.0], 0.5), ([2.0, 0.0], 0.5), ([4.0, 1e300], 0.5)]);
    still.bodies[1].position[0] = f64::NAN;
    let picture = svg(2, &bodies, &[still.clone()], &PictureRequest::default());
    assert!(within(&picture, "bodies", "circle").len() < 3);
    let picture = svg(3, &bodies, &[still], &PictureRequest::default());
    assert!(within(&picture, "bodies", "circle").len() < 3);
    // Nothing at all is an empty page.
    svg(2, &[], &[Frame::default()], &PictureRequest::default());
    svg(3, &[], &[Frame::default()], &PictureRequest::default());
}

#[test]
fn very_many_discs_become_cells_of_a_raster() {
    let side = 320;
    let all: Vec<([f64; 2], f64)> = (0..side * side)
        .map(|k| ([f64::from(k % side), f64::from(k / side)], 0.5))
        .collect();
    let (bodies, still) = discs(&all);
    let picture = svg(2, &bodies, &[still], &PictureRequest::default());
    assert!(within(&picture, "bodies", "circle").is_empty());
    let cells = within(&picture, "cells", "rect");
    let covered: f64 = cells.iter().map(|c| number(c, "width")).sum();
    let frame = elements(&picture, "rect")[1];
    let area = number(frame, "width") * number(frame, "height");
    // Discs on a square lattice cover π/4 of it; the window has a margin of a tenth on all sides
    // together, and is filled by it in one direction only.
    let lattice = number(frame, "height").powi(2) / 1.1_f64.powi(2);
    let share = covered / lattice;
    assert!(
        (share - std::f64::consts::FRAC_PI_4).abs() < 0.05,
        "{share}"
    );
    assert!(covered < area);
}
