//! Dry-stone walls, rows of dominoes, houses of cards.

use percuss_generate::{
    Cards, DominoRow, Drystone, GenerateError, GeneratedBody, cards, drystone, row,
};

use crate::generate_common::touching::{touching, volume};
use crate::generate_common::{Vec2, Vec3, corners, corners3, overlap, separation3};
use percuss_bodies::geometry::Dim;
use percuss_bodies::{Plane, Space};

// Coordinates are below 10 and rounded some ten times: 10·10·2⁻⁵² = 2e-14.
const ROUNDING: f64 = 1e-13;

// How near counts as touching: far above rounding, far below any block.
const NEAR: f64 = 1e-9;

fn field_wall(seed: u64, irregular: f64) -> Drystone<Plane> {
    Drystone {
        lengths: [0.2, 0.5],
        heights: [0.1, 0.25],
        length: 4.0,
        height: 1.6,
        depth: 0.0,
        stagger: 0.3,
        irregular,
        seed,
        origin: Vec2::new(0.5, -0.25),
    }
}

/// Courses as lists of stones: a new one begins where a stone lies to the left of the one before.
fn courses(pieces: &[GeneratedBody<Plane>]) -> Vec<Vec<Vec<Vec2>>> {
    let mut all: Vec<Vec<Vec<Vec2>>> = Vec::new();
    let mut last = f64::INFINITY;
    for piece in pieces {
        if piece.pose.position.x < last {
            all.push(Vec::new());
        }
        last = piece.pose.position.x;
        all.last_mut().unwrap().push(corners(piece));
    }
    all
}

/// The two corners on the right of a stone, lower one first.
fn right(stone: &[Vec2]) -> [Vec2; 2] {
    let mut all = stone.to_vec();
    all.sort_by(|a, b| b.x.total_cmp(&a.x));
    all.truncate(2);
    all.sort_by(|a, b| a.y.total_cmp(&b.y));
    [all[0], all[1]]
}

#[test]
fn a_dry_stone_wall_fills_its_outline_without_overlap() {
    for (seed, irregular) in [(1, 0.0), (2, 0.0), (3, 0.3), (4, 0.5)] {
        let make = field_wall(seed, irregular);
        let pieces = drystone(&make).unwrap();
        assert!((volume(&pieces) / (4.0 * 1.6) - 1.0).abs() < 1e-13);
        assert!(overlap(&pieces) < ROUNDING);
        let (pairs, worst) = touching(&pieces, NEAR);
        assert!(worst < ROUNDING, "{worst}");
        // A joint between neighbours, and every stone above the first course on one or more below,
        // with two points each.
        let courses = courses(&pieces);
        let mut first = 0;
        for (k, course) in courses.iter().enumerate() {
            for i in first..first + course.len() {
                let on = pairs
                    .iter()
                    .filter(|(a, b, points)| *b == i && *a < first && *points == 2);
                assert_eq!(on.count() > 0, k > 0, "stone {i}");
                if i > first {
                    assert!(pairs.contains(&(i - 1, i, 2)), "stone {i}");
                }
            }
            first += course.len();
        }
    }
}

#[test]
fn joints_of_a_dry_stone_wall_keep_their_distance_and_stones_their_size() {
    for seed in 0..20 {
        for irregular in [0.0, 0.4] {
            let make = field_wall(seed, irregular);
            let pieces = drystone(&make).unwrap();
            let courses = courses(&pieces);
            let slack = 0.5 * irregular;
            for pair in courses.windows(2) {
                let below: Vec<f64> = pair[0][..pair[0].len() - 1]
                    .iter()
                    .map(|stone| right(stone)[1].x)
                    .collect();
                for stone in &pair[1][..pair[1].len() - 1] {
                    let x = right(stone)[0].x;
                    let nearest = below.iter().map(|b| (b - x).abs()).fold(9.0, f64::min);
                    assert!(nearest > 0.3 * 0.2 - 1e-9, "seed {seed}: {nearest}");
                }
            }
            for stone in courses.iter().flatten() {
                let side = |pick: fn(&Vec2) -> f64| {
                    let all = stone.iter().map(pick);
                    let [a, b] = all.fold([9.0_f64, -9.0_f64], |[a, b], x| [a.min(x), b.max(x)]);
                    b - a
                };
                let (length, height) = (side(|c| c.x), side(|c| c.y));
                assert!(length > (1.0 - slack) * 0.2 - 1e-9 && length < 0.5 + slack * 0.2 + 1e-9);
                assert!(height > (1.0 - slack) * 0.1 - 1e-9 && height < 0.25 + slack * 0.1 + 1e-9);
            }
        }
    }
}

#[test]
fn a_seed_gives_one_wall_and_another_seed_another() {
    let one = drystone(&field_wall(5, 0.2)).unwrap();
    assert_eq!(one, drystone(&field_wall(5, 0.2)).unwrap());
    assert_ne!(one, drystone(&field_wall(6, 0.2)).unwrap());
    // In space it is the same wall, deep.
    let deep = Drystone::<Space> {
        lengths: [0.2, 0.5],
        heights: [0.1, 0.25],
        length: 4.0,
        height: 1.6,
        depth: 0.7,
        stagger: 0.3,
        irregular: 0.2,
        seed: 5,
        origin: Vec3::new(0.5, 2.0, -0.25),
    };
    let pieces = drystone(&deep).unwrap();
    assert_eq!(pieces.len(), one.len());
    assert!((volume(&pieces) / (4.0 * 1.6 * 0.7) - 1.0).abs() < 1e-13);
    for (flat, solid) in one.iter().zip(&pieces) {
        for corner in corners(flat) {
            for y in [2.0, 2.7] {
                let same = Vec3::new(corner.x, y, corner.y);
                let all = corners3(solid);
                assert!(all.iter().any(|c| (*c - same).length() < ROUNDING));
            }
        }
    }
}

#[test]
fn a_row_stands_at_equal_distances_on_a_line_or_an_arc() {
    let straight = DominoRow::<Plane> {
        block: Vec2::new(0.1, 0.8),
        count: 7,
        spacing: 0.3,
        heading: 0.0,
        turn: 0.0,
        origin: Vec2::new(1.0, 2.0),
    };
    for (k, piece) in row(&straight).unwrap().iter().enumerate() {
        let expected = Vec2::new(1.0 + 0.3 * k as f64, 2.4);
        assert!((piece.pose.position - expected).length() < ROUNDING);
    }
    // A closed ring: centres on a circle of circumference 20·0.3, all chords equal.
    let whole = 2.0 * std::f64::consts::PI;
    let ring = DominoRow::<Space> {
        block: Vec3::new(0.1, 0.3, 0.8),
        count: 20,
        spacing: 0.3,
        heading: 0.7,
        turn: whole * 19.0 / 20.0,
        origin: Vec3::new(1.0, 2.0, 3.0),
    };
    let pieces = row(&ring).unwrap();
    let radius = 20.0 * 0.3 / whole;
    let centre = Vec3::new(
        1.0 - radius * 0.7_f64.sin(),
        2.0 + radius * 0.7_f64.cos(),
        3.4,
    );
    for piece in &pieces {
        let arm = piece.pose.position - centre;
        assert!((arm.length() - radius).abs() < ROUNDING);
        // Its thin side is along the circle.
        let along = Space::rotate(&piece.pose.rotation, Vec3::X);
        assert!(along.dot(arm).abs() < ROUNDING && along.cross(arm).z < 0.0);
    }
    let (mut nearest, mut farthest) = (9.0_f64, 0.0_f64);
    for k in 0..20 {
        let next = &pieces[(k + 1) % 20].pose.position;
        let chord = (*next - pieces[k].pose.position).length();
        (nearest, farthest) = (nearest.min(chord), farthest.max(chord));
    }
    assert!(farthest - nearest < ROUNDING);
    // Just as wide as there is room for, and no wider: the inner corners meet.
    let half = whole / 40.0;
    let room = 2.0 * (radius - 0.05 / half.tan());
    let wide = |width: f64| DominoRow {
        block: Vec3::new(0.1, width, 0.8),
        ..ring.clone()
    };
    assert_eq!(row(&wide(1.001 * room)).unwrap_err().key, "turn");
    let pieces = row(&wide(0.999 * room)).unwrap();
    let apart = separation3(&corners3(&pieces[0]), &corners3(&pieces[1]));
    assert!(apart > 0.0 && apart < 1e-3, "{apart}");
}

fn house(storeys: usize) -> Cards<Plane> {
    Cards {
        card: Vec2::new(0.09, 0.003),
        storeys,
        lean: 0.4,
        origin: Vec2::new(0.5, 0.25),
    }
}

#[test]
fn cards_of_a_house_touch_where_they_should_and_nowhere_else() {
    for storeys in 1..=4 {
        let make = house(storeys);
        let pieces = cards(&make).unwrap();
        assert_eq!(
            pieces.len(),
            storeys * (storeys + 1) + storeys * (storeys - 1) / 2
        );
        assert!(overlap(&pieces) < ROUNDING);
        let (pairs, worst) = touching(&pieces, NEAR);
        assert!(worst < ROUNDING, "{worst}");
        // Ridges are faces. Flat cards lie on two corners, and each bears two feet, of one tent.
        let ridges = pairs.iter().filter(|(_, _, points)| *points == 2);
        assert_eq!(ridges.count(), storeys * (storeys + 1) / 2);
        let flat = storeys * (storeys - 1) / 2;
        let single = pairs.iter().filter(|(_, _, points)| *points == 1);
        assert_eq!(single.count(), 4 * flat);
        let lowest = pieces
            .iter()
            .flat_map(corners)
            .map(|c| c.y)
            .fold(9.0, f64::min);
        assert!((lowest - 0.25).abs() < ROUNDING);
    }
    let deep = Cards::<Space> {
        card: Vec3::new(0.09, 0.06, 0.003),
        storeys: 2,
        lean: 0.4,
        origin: Vec3::ZERO,
    };
    let pieces = cards(&deep).unwrap();
    let (pairs, worst) = touching(&pieces, NEAR);
    assert!(worst < ROUNDING && pairs.len() == 3 + 4, "{pairs:?}");
    let flat = volume(&cards(&house(2)).unwrap());
    assert!((volume(&pieces) / (0.06 * flat) - 1.0).abs() < 1e-13);
}

#[test]
fn stones_rows_and_cards_that_cannot_be_are_refused_at_their_key() {
    fn refused<T>(made: Result<T, GenerateError>, key: &str) {
        assert_eq!(made.err().map(|e| e.key), Some(key));
    }
    let wall = |change: fn(&mut Drystone<Plane>)| {
        let mut make = field_wall(1, 0.0);
        change(&mut make);
        drystone(&make)
    };
    // Equal stones: joints of all courses are at the same places.
    refused(wall(|w| w.lengths = [0.5, 0.5]), "stagger");
    refused(wall(|w| w.lengths = [0.35, 0.36]), "length");
    refused(wall(|w| w.heights = [0.7, 0.75]), "height");
    refused(wall(|w| w.lengths = [0.5, 0.2]), "stone");
    refused(wall(|w| w.heights = [0.0, 0.2]), "course");
    refused(wall(|w| w.stagger = 0.6), "stagger");
    refused(wall(|w| w.irregular = -0.1), "irregular");
    refused(wall(|w| w.length = 1e9), "length");
    // Without bond equal stones are a wall.
    assert_eq!(
        wall(|w| (w.lengths, w.stagger, w.heights) = ([0.5, 0.5], 0.0, [0.2, 0.2]))
            .unwrap()
            .len(),
        64
    );
    let dominoes = |change: fn(&mut DominoRow<Space>)| {
        let mut make = DominoRow {
            block: Vec3::new(0.1, 0.3, 0.8),
            count: 20,
            spacing: 0.3,
            heading: 0.0,
            turn: 0.0,
            origin: Vec3::ZERO,
        };
        change(&mut make);
        row(&make)
    };
    refused(dominoes(|r| r.spacing = 0.1), "spacing");
    refused(dominoes(|r| r.turn = 6.2), "turn");
    refused(dominoes(|r| r.turn = f64::NAN), "turn");
    refused(dominoes(|r| (r.turn, r.count) = (1.0, 1)), "turn");
    refused(dominoes(|r| r.heading = f64::INFINITY), "heading");
    let house_of = |change: fn(&mut Cards<Plane>)| {
        let mut make = house(2);
        change(&mut make);
        cards(&make)
    };
    refused(house_of(|c| c.lean = 0.0), "lean");
    refused(house_of(|c| c.lean = 1.6), "lean");
    refused(house_of(|c| c.card = Vec2::new(0.09, 0.03)), "card");
    refused(house_of(|c| c.storeys = 1_000_000), "storeys");
}
