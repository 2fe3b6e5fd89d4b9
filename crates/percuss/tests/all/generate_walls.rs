//! Walls and columns: numbers, sizes, joints.

use percuss_bodies::plane::Shape;
use percuss_generate::{Column, GeneratedBody, GeneratorDim, Wall, column, wall};

use crate::generate_common::{Vec2, Vec3, corners, corners3, overlap};
use percuss_bodies::geometry::Dim;
use percuss_bodies::{Plane, Space, Vector};

fn standard() -> Wall<Plane> {
    Wall {
        block: Vec2::new(0.6, 0.4),
        courses: 16,
        length: 6.3,
        origin: Vec2::new(1.0, -2.0),
        vary: 0.0,
        seed: 1,
    }
}

/// Left, bottom, right, top.
fn extent(piece: &GeneratedBody<Plane>) -> [f64; 4] {
    let all = corners(piece);
    let fold =
        |f: fn(f64, f64) -> f64, from: f64, of: fn(&Vec2) -> f64| all.iter().map(of).fold(from, f);
    [
        fold(f64::min, f64::INFINITY, |v| v.x),
        fold(f64::min, f64::INFINITY, |v| v.y),
        fold(f64::max, f64::NEG_INFINITY, |v| v.x),
        fold(f64::max, f64::NEG_INFINITY, |v| v.y),
    ]
}

// Coordinates are below 10 and rounded a few times: 10·2⁻⁵² = 2e-15 each time.
const ROUNDING: f64 = 1e-14;

#[test]
fn the_standard_wall_has_176_blocks_in_16_courses_of_ten_and_a_half() {
    let pieces = wall(&standard()).unwrap();
    assert_eq!(pieces.len(), 176);
    for (number, course) in pieces.chunks(11).enumerate() {
        let sides: Vec<[f64; 4]> = course.iter().map(extent).collect();
        // The half block is the last one of even courses and the first one of odd ones.
        let half = if number % 2 == 0 { 10 } else { 0 };
        for (i, [left, bottom, right, top]) in sides.iter().enumerate() {
            let length = if i == half { 0.3 } else { 0.6 };
            assert!((right - left - length).abs() < ROUNDING);
            assert!((bottom - (-2.0 + 0.4 * number as f64)).abs() < ROUNDING);
            assert!((top - bottom - 0.4).abs() < ROUNDING);
        }
        assert!((sides[0][0] - 1.0).abs() < ROUNDING && (sides[10][2] - 7.3).abs() < ROUNDING);
        for pair in sides.windows(2) {
            assert!((pair[1][0] - pair[0][2]).abs() < ROUNDING, "an open joint");
        }
    }
    assert!(overlap(&pieces) < ROUNDING);
}

#[test]
fn no_joint_is_above_another() {
    let pieces = wall(&standard()).unwrap();
    for pair in pieces.chunks(11).collect::<Vec<_>>().windows(2) {
        for lower in &pair[0][..10] {
            let joint = extent(lower)[2];
            let nearest = pair[1].iter().map(|b| (extent(b)[0] - joint).abs());
            let nearest = nearest.fold(f64::INFINITY, f64::min);
            assert!(nearest > 0.29, "joints {nearest} apart");
        }
    }
}

#[test]
fn a_wall_of_whole_blocks_ends_odd_courses_with_halves_at_both_ends() {
    let even = Wall {
        length: 1.8,
        courses: 2,
        ..standard()
    };
    let lengths: Vec<f64> = wall(&even)
        .unwrap()
        .iter()
        .map(|piece| extent(piece)[2] - extent(piece)[0])
        .collect();
    let expected = [0.6, 0.6, 0.6, 0.3, 0.6, 0.6, 0.3];
    assert_eq!(lengths.len(), 7);
    for (is, should) in lengths.iter().zip(expected) {
        assert!((is - should).abs() < ROUNDING);
    }
}

#[test]
fn equal_blocks_share_their_shape() {
    let pieces = wall(&standard()).unwrap();
    let mut seen = Vec::new();
    for piece in &pieces {
        let Shape::Polygon(polygon) = &piece.shape else {
            panic!("a block is a polygon");
        };
        if !seen.iter().any(|old| std::sync::Arc::ptr_eq(old, polygon)) {
            seen.push(polygon.clone());
        }
    }
    assert_eq!(seen.len(), 2);
}

/// Sides and lowest corner of a piece, axis by axis; the last axis is up.
fn bounds<D: GeneratorDim>(piece: &GeneratedBody<D>) -> (Vec<f64>, Vec<f64>) {
    let aabb = D::aabb(&piece.shape, &piece.pose);
    let (low, high) = (aabb.low, aabb.high);
    let sides = low.components().iter().zip(high.components());
    let sides = sides.map(|(a, b)| b - a).collect();
    (sides, low.components().to_vec())
}

/// Courses of blocks, by the cells that they lie in; checks what holds for each block by itself and returns the relative
/// shortenings of all sides, a list for each axis.
fn shortenings<D: GeneratorDim>(make: &Wall<D>) -> Vec<Vec<f64>> {
    let up = D::N - 1;
    let pieces = wall(make).unwrap();
    let boxes: Vec<_> = pieces.iter().map(bounds).collect();
    let mut short = vec![Vec::new(); D::N];
    for (index, (sides, low)) in boxes.iter().enumerate() {
        // The half block is the last one of even courses and the first one of odd ones.
        let (course, place) = (index / 11, index % 11);
        let half = if course % 2 == 0 { 10 } else { 0 };
        for axis in 0..D::N {
            let whole = if axis == 0 && place == half { 0.5 } else { 1.0 };
            let share = 1.0 - sides[axis] / (whole * make.block[axis]);
            assert!((-ROUNDING..make.vary + ROUNDING).contains(&share));
            short[axis].push(share);
        }
        // It lies on the ground, or level on the highest of the blocks it is over.
        let over = |other: &&(Vec<f64>, Vec<f64>)| {
            other.1[0] < low[0] + sides[0] && low[0] < other.1[0] + other.0[0]
        };
        let below = boxes[..index - place].iter().rev().take(11).filter(over);
        let highest = below.map(|(sides, low)| low[up] + sides[up]);
        let highest = highest.reduce(f64::max).unwrap_or(make.origin[up]);
        assert!((low[up] - highest).abs() < ROUNDING, "{index} hovers");
        // Joints to the next block are gaps, and no wider than two halves of what is missing.
        if place < 10 {
            let gap = boxes[index + 1].1[0] - (low[0] + sides[0]);
            assert!((-ROUNDING..make.vary * make.block[0] + ROUNDING).contains(&gap));
        }
    }
    short
}

#[test]
fn each_block_of_a_varied_wall_has_sides_of_its_own_and_lies_on_the_highest_below() {
    let vary = 0.01;
    let varied = Wall { vary, ..standard() };
    let pieces = wall(&varied).unwrap();
    assert!(overlap(&pieces) < ROUNDING);
    let deep = Wall::<Space> {
        block: Vec3::new(0.6, 0.25, 0.4),
        courses: 16,
        length: 6.3,
        origin: Vec3::new(1.0, 5.0, -2.0),
        vary,
        seed: 1,
    };
    for short in [shortenings(&varied), shortenings(&deep)] {
        for (axis, all) in short.iter().enumerate() {
            assert_eq!(all.len(), 176);
            // Uniform in [0, vary): mean ½, variance 1/12, and no correlation with the next axis; five standard
            // deviations of 176 draws.
            let mean = all.iter().sum::<f64>() / (176.0 * vary);
            assert!(
                (mean - 0.5).abs() < 5.0 / (12.0_f64 * 176.0).sqrt(),
                "{mean}"
            );
            let other = &short[(axis + 1) % short.len()];
            let product = all.iter().zip(other).map(|(a, b)| {
                let centred = |x: &f64| x / vary - 0.5;
                centred(a) * centred(b)
            });
            let product = product.sum::<f64>() / 176.0;
            assert!(product.abs() < 5.0 / (12.0 * 176.0_f64.sqrt()), "{product}");
            // Within a course, too: a course of one height has no spread.
            for course in all.chunks(11) {
                let spread = course
                    .iter()
                    .fold(0.0, |s: f64, x| s.max((x - course[0]).abs()));
                assert!(spread > 0.2 * vary, "axis {axis}: {spread}");
            }
        }
    }
    assert_eq!(wall(&varied).unwrap(), pieces);
    assert_ne!(wall(&Wall { seed: 2, ..varied }).unwrap(), pieces);
}

#[test]
fn a_wall_of_any_size_of_blocks_is_bonded_at_the_largest_variation() {
    for (vary, length) in [(0.25, 6.3), (0.25, 1.8), (0.1, 0.3)] {
        let make = Wall {
            vary,
            length,
            ..standard()
        };
        let pieces = wall(&make).unwrap();
        assert!(overlap(&pieces) < ROUNDING);
        assert_eq!(
            pieces.len(),
            wall(&Wall { vary: 0.0, ..make }).unwrap().len()
        );
    }
}

#[test]
fn a_wall_in_space_is_the_wall_of_the_plane_with_depth() {
    let flat = wall(&standard()).unwrap();
    let deep = wall(&Wall::<Space> {
        block: Vec3::new(0.6, 0.25, 0.4),
        courses: 16,
        length: 6.3,
        origin: Vec3::new(1.0, 5.0, -2.0),
        vary: 0.0,
        seed: 1,
    })
    .unwrap();
    assert_eq!(flat.len(), deep.len());
    for (a, b) in flat.iter().zip(&deep) {
        let at = b.pose.position;
        assert_eq!((a.pose.position.x, a.pose.position.y), (at.x, at.z));
        assert!((at.y - 5.125).abs() < ROUNDING);
        let [left, bottom, right, top] = extent(a);
        for corner in corners3(b) {
            let near = |x: f64, a: f64, b: f64| (x - a).abs().min((x - b).abs()) < ROUNDING;
            assert!(near(corner.x, left, right) && near(corner.z, bottom, top));
            assert!(near(corner.y, 5.0, 5.25));
        }
    }
}

#[test]
fn a_wall_that_cannot_be_is_refused_with_the_key_and_what_to_do() {
    let refused = |change: fn(&mut Wall<Plane>), key: &str, part: &str| {
        let mut make = standard();
        change(&mut make);
        let error = wall(&make).unwrap_err();
        assert_eq!(error.key, key);
        assert!(error.to_string().contains(part), "{error}");
    };
    refused(|m| m.length = 6.2, "length", "Take 6 or 6.3");
    refused(|m| m.length = f64::NAN, "length", "NaN");
    refused(|m| m.courses = 0, "courses", "none");
    refused(|m| m.courses = usize::MAX, "courses", "10000000");
    refused(|m| m.vary = 0.5, "vary", "0.25");
    refused(|m| m.vary = -0.1, "vary", "between");
    refused(|m| m.vary = f64::NAN, "vary", "NaN");
    refused(|m| m.block = Vec2::new(0.6, 0.0), "block", "0 is not");
    refused(|m| m.length = 1e300, "courses", "blocks");
}

#[test]
fn a_column_stacks_its_blocks_along_its_axis() {
    let lean = 0.2;
    let make = Column::<Plane> {
        block: Vec2::new(1.0, 0.5),
        count: 8,
        origin: Vec2::new(3.0, 1.0),
        lean,
    };
    let pieces = column(&make).unwrap();
    assert_eq!(pieces.len(), 8);
    assert!(overlap(&pieces) < ROUNDING);
    for (i, piece) in pieces.iter().enumerate() {
        let height = 0.5 * (i as f64 + 0.5);
        // Anticlockwise: towards smaller x.
        let expected = Vec2::new(3.0 - height * lean.sin(), 1.0 + height * lean.cos());
        assert!((piece.pose.position - expected).length() < ROUNDING);
    }
    let deep = column(&Column::<Space> {
        block: Vec3::new(1.0, 2.0, 0.5),
        count: 8,
        origin: Vec3::new(3.0, 0.0, 1.0),
        lean,
    })
    .unwrap();
    for (a, b) in pieces.iter().zip(&deep) {
        let (p, q) = (a.pose.position, b.pose.position);
        assert!((p.x - q.x).abs() + q.y.abs() + (p.y - q.z).abs() < ROUNDING);
        // The edges of both lean alike.
        let x = Space::rotate(&b.pose.rotation, Vec3::X);
        let flat = Plane::rotate(&a.pose.rotation, Vec2::X);
        assert!((x - Vec3::new(flat.x, 0.0, flat.y)).length() < ROUNDING);
    }
    let error = column(&Column { count: 0, ..make }).unwrap_err();
    assert_eq!(error.key, "count");
}
