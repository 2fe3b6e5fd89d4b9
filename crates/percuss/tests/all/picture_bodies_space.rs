//! Pictures of bodies of space: projected, the nearer over those behind.

use percuss_draw::picture::{PictureRequest, RunPictures};
use percuss_record::frame::{BodyState, Frame};
use percuss_record::{BodyMotion, Faces, RecordedShape};
use proptest::prelude::*;

use crate::picture_common::{balls, elements, name, number, svg, within};
use crate::record_common::{SPACE, parsed, record};

/// Right, up and toward of a view, by their definition.
fn axes(view: [f64; 3]) -> [[f64; 3]; 3] {
    let unit = |v: [f64; 3]| {
        let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
        v.map(|x| x / length)
    };
    let toward = unit(view);
    let right = unit([-toward[1], toward[0], 0.0]);
    let up = [
        toward[1] * right[2] - toward[2] * right[1],
        toward[2] * right[0] - toward[0] * right[2],
        toward[0] * right[1] - toward[1] * right[0],
    ];
    [right, up, toward]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn balls_are_projected_along_the_view() {
    let all = [
        ([0.0, 0.0, 0.0], 0.2),
        ([2.0, 0.5, 0.3], 0.3),
        ([-1.0, 1.5, 1.0], 0.1),
    ];
    let (bodies, still) = balls(&all);
    let view = [1.0, -2.0, 0.7];
    let request = PictureRequest {
        view: Some(view),
        ..PictureRequest::default()
    };
    let picture = svg(3, &bodies, &[still], &request);
    let circles = within(&picture, "bodies", "circle");
    assert_eq!(circles.len(), 3);
    let [right, up, _] = axes(view);
    let find = |radius: f64| {
        let scale = number(
            circles
                .iter()
                .max_by(|a, b| number(a, "r").total_cmp(&number(b, "r")))
                .expect("one"),
            "r",
        ) / 0.3;
        let found = circles
            .iter()
            .find(|c| (number(c, "r") - radius * scale).abs() < 0.01);
        let circle = found.expect("a ball of this size");
        (number(circle, "cx"), number(circle, "cy"), scale)
    };
    let origin = find(0.2);
    for (position, radius) in all {
        let (x, y, scale) = find(radius);
        assert!((x - origin.0 - scale * dot(right, position)).abs() < 0.05);
        assert!((y - origin.1 + scale * dot(up, position)).abs() < 0.05);
    }
}

#[test]
fn a_ball_behind_another_is_left_out_and_one_in_front_comes_last() {
    // Seen along x: small behind large, another before it.
    let all = [
        ([3.0, 0.0, 0.0], 0.5),
        ([0.0, 0.0, 0.0], 1.0),
        ([-3.0, 0.1, 0.0], 0.3),
    ];
    let (bodies, still) = balls(&all);
    let request = PictureRequest {
        view: Some([1.0, 0.0, 0.0]),
        ..PictureRequest::default()
    };
    let picture = svg(3, &bodies, &[still], &request);
    let radii: Vec<f64> = within(&picture, "bodies", "circle")
        .iter()
        .map(|c| number(c, "r"))
        .collect();
    assert_eq!(radii.len(), 2);
    assert!((radii[0] / radii[1] - 2.0).abs() < 1e-3);
}

fn slab(half: [f64; 3]) -> RecordedShape {
    let corner =
        |k: usize| std::array::from_fn(|i| if k >> i & 1 == 0 { -half[i] } else { half[i] });
    let faces = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    RecordedShape::Polyhedron(Faces {
        vertices: (0..8).map(corner).collect(),
        faces: faces.iter().map(|f| f.to_vec()).collect(),
    })
}

#[test]
fn a_ball_on_a_long_slab_is_drawn_over_it_wherever_its_middle_is() {
    // The slab's middle is nearer to the eye than the ball at its far end.
    let bodies = [
        name(BodyMotion::Free, RecordedShape::Round { radius: 0.3 }),
        name(BodyMotion::Free, slab([5.0, 0.5, 0.1])),
    ];
    let still = Frame {
        bodies: vec![
            BodyState::at([-4.0, 0.0, 0.4], 0.0),
            BodyState::at([0.0; 3], 0.0),
        ],
        ..Frame::default()
    };
    let request = PictureRequest {
        view: Some([1.0, -0.2, 0.4]),
        ..PictureRequest::default()
    };
    let picture = svg(3, &bodies, &[still], &request);
    let (ball, faces) = (picture.rfind("<circle"), picture.find("class=\"bodies\""));
    let part = &picture[faces.expect("a group")..];
    let last_face = part.rfind("<polygon").map(|at| at + faces.unwrap_or(0));
    assert!(ball > last_face, "the ball comes last");
    // Three faces of a box are seen.
    assert_eq!(within(&picture, "bodies", "polygon").len(), 3);
}

#[test]
fn every_shape_of_space_is_drawn() {
    let here = tempfile::tempdir().expect("a folder");
    let run = record(SPACE, &here.path().join("run"), &[]);
    let scene = parsed(SPACE);
    let album = RunPictures::new(&run, &scene);
    for name in ["picture", "picture:0", "pictures", "forces"] {
        let picture = album.svg(name).expect("drawn").expect("known");
        let panels = elements(&picture, "clipPath").len();
        assert!(
            within(&picture, "bodies", "circle").len() == panels,
            "{name}: the ball"
        );
        assert!(
            within(&picture, "bodies", "line").len() >= panels,
            "{name}: the pill"
        );
        // A box shows three faces, a can more than a quarter of its strips, the hull at least one.
        assert!(
            within(&picture, "bodies", "polygon").len() > 20 * panels,
            "{name}"
        );
        // The floor has one patch.
        let ground = picture.split("class=\"boundaries\"").skip(1);
        assert!(ground.clone().all(|part| {
            part.trim_start_matches('>')
                .trim_start()
                .starts_with("<polygon")
        }));
        assert_eq!(ground.count(), panels);
    }
    // At the end the ball presses on the floor.
    let forces = album.svg("forces").expect("drawn").expect("known");
    assert!(!within(&forces, "forces", "line").is_empty());
    assert!(album.svg("pictur").expect("no error").is_none());
    let error = album.svg("picture:soon").expect_err("no time").to_string();
    assert!(
        error.contains("a time was expected") && error.contains("soon"),
        "{error}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Of two disjoint balls that overlap on the picture, the one that a common ray meets nearer to the
    /// eye is drawn later.
    #[test]
    fn nearer_balls_cover_those_behind_them(
        seeds in prop::collection::vec((-2.0..2.0f64, -2.0..2.0f64, -2.0..2.0f64, 0.1..0.6f64), 2..25),
        view in (-1.0..1.0f64, -1.0..1.0f64, 0.1..1.0f64),
    ) {
        let mut all: Vec<([f64; 3], f64)> = Vec::new();
        for (x, y, z, r) in seeds {
            let apart = all.iter().all(|(p, s)| {
                let d = [p[0] - x, p[1] - y, p[2] - z];
                dot(d, d).sqrt() > r + s
            });
            if apart {
                // Sizes tell the balls apart on the picture.
                all.push(([x, y, z], r + 1e-9));
            }
        }
        prop_assume!(view.0.hypot(view.1) > 0.05);
        let view = [view.0, view.1, view.2];
        let (bodies, still) = balls(&all);
        let request = PictureRequest { view: Some(view), ..PictureRequest::default() };
        let picture = svg(3, &bodies, &[still], &request);
        let circles = within(&picture, "bodies", "circle");
        let [right, up, toward] = axes(view);
        let largest = all.iter().map(|b| b.1).fold(0.0, f64::max);
        let widest = circles.iter().map(|c| number(c, "r")).fold(0.0, f64::max);
        // Which ball each circle is, by its radius; the largest is never hidden by a smaller one.
        let scale = widest / largest;
        let order: Vec<usize> = circles
            .iter()
            .map(|c| {
                let off = |k: usize| (all[k].1 * scale - number(c, "r")).abs();
                (0..all.len()).min_by(|a, b| off(*a).total_cmp(&off(*b))).expect("one")
            })
            .collect();
        for (place, &i) in order.iter().enumerate() {
            for &j in &order[place + 1..] {
                let ((p, r), (q, s)) = (all[i], all[j]);
                let (u, v) = (dot(right, q) - dot(right, p), dot(up, q) - dot(up, p));
                let apart = u.hypot(v);
                // A clear overlap on the screen, by more than the grid of rays can miss.
                if apart < r + s - 4.0 / scale {
                    // A ray in the middle of the overlap.
                    let (low, high) = ((-r).max(apart - s), r.min(apart + s));
                    let ray = 0.5 * (low + high);
                    let near_i = dot(toward, p) + (r * r - ray * ray).max(0.0).sqrt();
                    let near_j = dot(toward, q) + (s * s - (ray - apart).powi(2)).max(0.0).sqrt();
                    prop_assert!(near_i < near_j, "{} over {}", i, j);
                }
            }
        }
    }
}
