//! House of cards.
//!
//! ```text
//! storey j of n:   n − j tents of two cards, leaning by ±α from the vertical, and between their ridges
//!                  n − j − 1 cards that lie flat and carry the next storey
//! ridge:           the tents' cards are cut along the vertical plane between them
//! pitch of tents:  2(foot + 2 lid),   foot = L sin α − c,   lid = t cos α − c,   c = (t/4) cos α
//! ```
//!
//! A card is a rectangle L × t (in space a box). One corner at the top is cut off by a vertical plane
//! c behind it, so that two cards lean on each other with faces, of height t/(4 sin α): two sharp
//! corners in contact have no normal. Each card stands on its lower corner, at the distance `foot` from
//! the plane of the ridge; its highest corner, at the distance `lid`, carries the flat cards, whose ends
//! are `lid`/2 from that plane. Feet of two tents are a `lid` or more apart and touch nothing but what
//! they stand on.

use percuss_bodies::Vector;

use super::GeneratedBody;
use super::error::{self, GenerateError};
use super::prism::{Prism, shifted};
use super::vault::most;
use crate::generator_dim::Vec2;

/// Parameters of a house of cards.
#[derive(Debug, Clone, PartialEq)]
pub struct Cards<D: Prism> {
    /// Length and thickness of a card; in space length, width and thickness.
    pub card: D::Vector,
    /// Number of storeys.
    pub storeys: usize,
    /// Angle of the leaning cards from the vertical.
    pub lean: f64,
    /// Middle of the base.
    pub origin: D::Vector,
}

/// Dimensions of a house.
struct Plan {
    sin: f64,
    cos: f64,
    length: f64,
    thickness: f64,
    /// Distance behind the corner at which a card is cut.
    cut: f64,
    /// From the plane of the ridge to the corner that a card stands on.
    foot: f64,
    /// From that plane to the highest corner.
    lid: f64,
    /// From ridge to ridge.
    pitch: f64,
    /// From the ground to the highest corner.
    rise: f64,
}

/// Makes a house of cards, storey by storey: the leaning cards from left to right, then the flat ones.
///
/// # Errors
/// A length, an angle or a number out of range; cards too thick to lean so.
pub fn cards<D: Prism>(cards: &Cards<D>) -> Result<Vec<GeneratedBody<D>>, GenerateError> {
    let plan = check(cards)?;
    let depth = if D::N == 3 { cards.card[1] } else { 1.0 };
    let make =
        |section: &[Vec2]| D::prism(section, depth).map_err(|e| GenerateError::shape("card", &e));
    let left = leaning(&plan);
    // The mirror image, anticlockwise again.
    let right: Vec<Vec2> = left.iter().rev().map(|p| Vec2::new(-p.x, p.y)).collect();
    // Half the length of a flat card.
    let half = 0.5 * (plan.pitch - plan.lid);
    let flat = [
        Vec2::new(-half, 0.0),
        Vec2::new(half, 0.0),
        Vec2::new(half, plan.thickness),
        Vec2::new(-half, plan.thickness),
    ];
    let (left, right, flat) = (make(&left)?, make(&right)?, make(&flat)?);
    let mut pieces = Vec::new();
    let mut put = |made: &(D::Shape, percuss_bodies::Pose<D>), x: f64, up: f64| {
        pieces.push(GeneratedBody {
            shape: made.0.clone(),
            pose: shifted(&made.1, cards.origin + D::spot(x, 0.0, up)),
        });
    };
    // Storey by storey: tents of two leaning cards, then flat cards between their ridges.
    for storey in 0..cards.storeys {
        let tents = cards.storeys - storey;
        let base = storey as f64 * (plan.rise + plan.thickness);
        let ridge = |i: usize| (i as f64 - 0.5 * (tents as f64 - 1.0)) * plan.pitch;
        for i in 0..tents {
            put(&left, ridge(i), base);
            put(&right, ridge(i), base);
        }
        for i in 1..tents {
            put(&flat, 0.5 * (ridge(i - 1) + ridge(i)), base + plan.rise);
        }
    }
    Ok(pieces)
}

/// The left card of a tent: the plane of the ridge is x = 0, it stands on y = 0.
fn leaning(plan: &Plan) -> Vec<Vec2> {
    // Along the card upwards, and across it to the side it leans to.
    let along = Vec2::new(plan.sin, plan.cos);
    let across = Vec2::new(plan.cos, -plan.sin);
    let stand = Vec2::new(-plan.foot, 0.0);
    let top = stand + along * plan.length;
    let mut under = top - along * (plan.cut / plan.sin);
    let mut over = top - across * (plan.cut / plan.cos);
    // Exactly on the plane of the ridge, so that the faces of the two cards coincide.
    under.x = 0.0;
    over.x = 0.0;
    let back = across * plan.thickness;
    vec![stand - back, stand, under, over, top - back]
}

fn check<D: Prism>(cards: &Cards<D>) -> Result<Plan, GenerateError> {
    for side in cards.card.components() {
        error::length("card", *side)?;
    }
    error::point("origin", cards.origin)?;
    error::count("storeys", cards.storeys)?;
    let n = cards.storeys as f64;
    most("storeys", n * (n + 1.0) + 0.5 * n * (n - 1.0))?;
    // Outside, cosine or sine is lost in the thickness of any card.
    if !(cards.lean > 0.01 && cards.lean < 1.56) {
        return Err(GenerateError::new(
            "lean",
            format!("{} is not an angle between 0.01 and 1.56", cards.lean),
            "It is that between a card and the vertical, in radians",
        ));
    }
    let (length, thickness) = (cards.card[0], cards.card[D::N - 1]);
    let (sin, cos) = cards.lean.sin_cos();
    let cut = 0.25 * thickness * cos;
    let (foot, lid) = (length * sin - cut, thickness * cos - cut);
    // Its weight must act between its foot and the ridge, or the card falls outwards.
    if 0.5 * length * sin <= 0.5 * thickness * cos + cut {
        return Err(GenerateError::new(
            "card",
            format!("{thickness} is too thick for a length of {length} and this `lean`"),
            "Use thinner cards, or let them lean more",
        ));
    }
    Ok(Plan {
        sin,
        cos,
        length,
        thickness,
        cut,
        foot,
        lid,
        pitch: 2.0 * (foot + 2.0 * lid),
        rise: length * cos + thickness * sin,
    })
}
