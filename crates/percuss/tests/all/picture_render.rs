//! Bodies of space as pixels, against areas and depths in closed form.

use std::f64::consts::PI;

use percuss_draw::picture::{BodyShapes, PictureRequest, Raster, Theme, render_bodies};
use percuss_record::frame::{BodyState, Frame};
use percuss_record::{BodyDescription, BodyMotion, Faces, RecordedShape};
use proptest::prelude::*;

use crate::picture_common::{balls, name};

/// Pixels of a side, and lengths: the window is [-2, 2]², seen along z.
const SIDE: usize = 400;
const SCALE: f64 = SIDE as f64 / 4.0;

fn request(view: [f64; 3]) -> PictureRequest {
    PictureRequest {
        view: Some(view),
        low: Some([-2.0; 3]),
        high: Some([2.0; 3]),
        colour: percuss_scene::Colour::Material,
        ..PictureRequest::default()
    }
}

fn seen(bodies: &[BodyDescription], still: &Frame, view: [f64; 3]) -> Raster {
    let company = BodyShapes {
        bodies,
        dimension: 3,
        first: still,
    };
    render_bodies(&company, still, &request(view), (SIDE, SIDE))
}

/// Seen along z.
fn above(bodies: &[BodyDescription], still: &Frame) -> Raster {
    seen(bodies, still, [0.0, 0.0, 1.0])
}

/// Area that is covered, in lengths squared, with so many pixels for a length.
fn area(raster: &Raster, scale: f64) -> f64 {
    let opacity = raster.pixels.iter().map(|p| f64::from(p[3]) / 255.0);
    opacity.sum::<f64>() / (scale * scale)
}

/// A border of pixels is counted by nine points each; along a smooth curve their errors are independent and
/// nearly cancel. A tenth of a border of one pixel is far more than is ever seen, and far less than
/// any mistake in a formula makes.
fn border(length: f64, scale: f64) -> f64 {
    0.1 * length / scale
}

fn alone(outline: RecordedShape, place: BodyState) -> (Vec<BodyDescription>, Frame) {
    let still = Frame {
        bodies: vec![place],
        ..Frame::default()
    };
    (vec![name(BodyMotion::Free, outline)], still)
}

/// Turned about x: the body's z axis then has this angle with the line of sight.
fn tilted(angle: f64) -> BodyState {
    let (sin, cos) = (0.5 * angle).sin_cos();
    BodyState {
        rotation: [cos, sin, 0.0, 0.0],
        ..BodyState::at([0.1, -0.2, 0.3], 0.0)
    }
}

#[test]
fn a_ball_covers_its_disc() {
    for r in [0.2, 0.7, 1.3] {
        let (bodies, still) = balls(&[([0.13, 0.21, 5.0], r)]);
        let found = area(&above(&bodies, &still), SCALE);
        let off = (found - PI * r * r).abs();
        assert!(off < border(2.0 * PI * r, SCALE), "{r}: {off}");
    }
}

#[test]
fn of_two_balls_that_overlap_the_nearer_surface_is_seen() {
    let all = [([0.0, 0.0, 0.0], 1.0), ([0.6, 0.1, 0.5], 0.8)];
    let (mut bodies, still) = balls(&all);
    bodies[1].material = "brass".into();
    let raster = above(&bodies, &still);
    let mut counted = [0; 2];
    for (k, pixel) in raster.pixels.iter().enumerate() {
        let x = ((k % SIDE) as f64 + 0.5) / SCALE - 2.0;
        let y = 2.0 - ((k / SIDE) as f64 + 0.5) / SCALE;
        let near = |([cx, cy, cz], r): ([f64; 3], f64)| {
            let left = r * r - (x - cx).powi(2) - (y - cy).powi(2);
            if left > 0.0 {
                cz + left.sqrt()
            } else {
                f64::NEG_INFINITY
            }
        };
        let (a, b) = (near(all[0]), near(all[1]));
        // Beside the border, where a pixel shows both; the first is the bluer one.
        let apart = (a - b).abs() > 0.05 || a.is_infinite() != b.is_infinite();
        let rim = all
            .iter()
            .any(|([cx, cy, _], r)| ((x - cx).hypot(y - cy) - r).abs() < 2.0 / SCALE);
        if pixel[3] == 255 && apart && !rim {
            let blue = pixel[2] > pixel[0];
            assert_eq!(blue, a > b, "at {x}, {y}: {pixel:?}, {a} and {b}");
            counted[usize::from(blue)] += 1;
        }
    }
    assert!(counted[0] > 10_000 && counted[1] > 10_000, "{counted:?}");
}

#[test]
fn a_cube_seen_along_its_diagonal_is_a_hexagon() {
    let corner = |k: usize| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { 0.5 } else { -0.5 });
    let faces = Faces {
        vertices: (0..8).map(corner).collect(),
        faces: [
            [0, 4, 6, 2],
            [1, 3, 7, 5],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 2, 3, 1],
            [4, 5, 7, 6],
        ]
        .map(|face| face.to_vec())
        .to_vec(),
    };
    let (bodies, still) = alone(
        RecordedShape::Polyhedron(faces),
        BodyState::at([0.0; 3], 0.0),
    );
    let raster = seen(&bodies, &still, [1.0, 1.0, 1.0]);
    // The window is the projection of the box [-2, 2]³: a hexagon 2·2√(8/3) high.
    let scale = SIDE as f64 / (4.0 * (8.0_f64 / 3.0).sqrt());
    let found = area(&raster, scale);
    let off = (found - 3.0_f64.sqrt()).abs();
    // A hexagon of side √(2/3).
    assert!(off < border(6.0 * (2.0_f64 / 3.0).sqrt(), scale), "{off}");
}

#[test]
fn pixels_are_the_same_again_and_other_in_the_dark() {
    let (bodies, still) = balls(&[([0.0; 3], 1.0), ([0.9, 0.3, 0.4], 0.5)]);
    let (one, two) = (above(&bodies, &still), above(&bodies, &still));
    assert_eq!(one, two);
    let company = BodyShapes {
        bodies: &bodies,
        dimension: 3,
        first: &still,
    };
    let dark = PictureRequest {
        theme: Theme::Dark,
        ..request([0.0, 0.0, 1.0])
    };
    let size = percuss_draw::picture::Size::Pixels(320, 240);
    let light = request([0.0, 0.0, 1.0]);
    let pictures = [light, dark].map(|request| {
        let easel = percuss_draw::picture::ImageWriter::new(company, &still, request, size);
        easel.image(&still).expect("drawn")
    });
    assert_eq!((pictures[0].width, pictures[0].height), (320, 240));
    assert_eq!(pictures[0].rgb[..3], [255; 3]);
    assert_eq!(pictures[1].rgb[..3], [0x14, 0x16, 0x1a]);
}

#[test]
fn light_falls_from_the_upper_left_and_a_ball_throws_a_shadow() {
    let (bodies, still) = balls(&[([0.0; 3], 1.0)]);
    let raster = above(&bodies, &still);
    let bright = |x: usize, y: usize| {
        let p = raster.pixels[y * SIDE + x];
        u32::from(p[0]) + u32::from(p[1]) + u32::from(p[2])
    };
    // Turned to the sun it has more than twice the light of the other side: √2 on a screen.
    let (day, night) = (bright(150, 150), bright(250, 260));
    assert!(10 * day > 14 * night, "lit from one side: {day}, {night}");
    // A small ball between the sun and the large one darkens what is behind it.
    let (bodies, still) = balls(&[([0.0; 3], 1.0), ([-0.72, 1.04, 1.58], 0.3)]);
    let shaded = above(&bodies, &still);
    let dimmed = raster.pixels.iter().zip(&shaded.pixels).enumerate();
    let dimmed = dimmed.filter(|(k, (a, b))| {
        let (x, y) = (k % SIDE, k / SIDE);
        let inside = (x as f64 - 200.0).hypot(y as f64 - 200.0) < 60.0;
        inside && a[1] > b[1] + 40
    });
    // Its shadow has about the area of its disc, 2800 pixels, more or less as the surface slopes.
    let count = dimmed.count();
    assert!((1000..6000).contains(&count), "{count}");
}

#[test]
fn what_is_no_number_is_not_drawn() {
    let (bodies, still) = balls(&[
        ([f64::NAN, 0.0, 0.0], 1.0),
        ([0.0, f64::INFINITY, 0.0], 0.5),
    ]);
    let raster = above(&bodies, &still);
    assert!(raster.pixels.iter().all(|p| p[3] == 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// A convex body of width w(φ) has the area of its shadow: for a rod of length 2h at the angle θ to
    /// the line of sight 2r·2h sin θ + πr² with round ends, and 2r·2h sin θ + πr² cos θ with flat ones.
    #[test]
    fn rods_cover_their_shadows(angle in 0.0..PI, half in 0.1..1.0_f64, radius in 0.1..0.5_f64) {
        let capsule = RecordedShape::Capsule { half_length: half, radius, along: [0.0, 0.0, 1.0] };
        let cylinder = RecordedShape::Cylinder { half_length: half, radius };
        let side = 4.0 * radius * half * angle.sin();
        let disc = PI * radius * radius;
        let around = border(4.0 * half + 2.0 * PI * radius, SCALE);
        for (outline, expected) in [(capsule, side + disc), (cylinder, side + disc * angle.cos().abs())] {
            let (bodies, still) = alone(outline, tilted(angle));
            let found = area(&above(&bodies, &still), SCALE);
            prop_assert!((found - expected).abs() < around, "{found} and {expected}");
        }
    }
}
