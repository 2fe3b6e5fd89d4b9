//! Dry-stone wall: courses of random heights, stones of random lengths, staggered joints.
//!
//! ```text
//! beds     0 = z_0 < z_1 < … < z_n = height,      z_{k+1} − z_k ∈ [h_0, h_1]
//! joints   0 = x_0 < x_1 < … < x_m = length,      x_{j+1} − x_j ∈ [l_0, l_1]    (of each course)
//! bond     |x_j − x'_i| ≥ stagger·l_0 for all inner joints x_j of a course and x'_i of the one below
//! ```
//!
//! Both are random walks that must end at a given point and avoid given intervals. The
//! points from which the end can be reached are found first ([`walk`]); each step then is uniform among
//! those that lead on. If a course cannot be bonded to the one below, the wall is drawn again with the next
//! random numbers; after [`ATTEMPTS`] attempts it is refused.
//!
//! With `irregular` = q, joints lean and beds tilt: each end of a joint moves by up to ±q l_0/4 along
//! its bed, each end of an inner bed by up to ±q h_0/4. Beds stay straight from end to end and joints
//! are shared by two stones: all stones are quadrilaterals that bear on whole faces. The ends of
//! joints keep the distance stagger·l_0; lengths and heights may leave their bounds by q/2 of the
//! smallest.

mod constrained_walk;

use percuss_bodies::Space;
use percuss_bodies::geometry::Dim;

use super::GeneratedBody;
use super::error::{self, GenerateError};
use super::prism::{Prism, shifted};
use super::random::SplitMix64;
use super::vault::most;
use crate::generator_dim::Vec2;
use constrained_walk::ConstrainedWalk;

/// Attempts before a bond counts as impossible.
const ATTEMPTS: usize = 100;

/// Parameters of a dry-stone wall.
#[derive(Debug, Clone, PartialEq)]
pub struct Drystone<D: Prism> {
    /// Shortest and longest stone.
    pub lengths: [f64; 2],
    /// Lowest and highest course.
    pub heights: [f64; 2],
    /// Length of the wall.
    pub length: f64,
    /// Height of the wall.
    pub height: f64,
    /// Its extent along y (space).
    pub depth: f64,
    /// Least distance of joints of two courses, as a fraction of the shortest stone.
    pub stagger: f64,
    /// How far joints lean and beds tilt: 0 for upright boxes, at most 0.5.
    pub irregular: f64,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Lower left corner (in space the one with the smallest coordinates).
    pub origin: D::Vector,
}

/// A course: the two beds as heights at both ends, and the ends of its joints on them.
struct Course {
    below: [f64; 2],
    above: [f64; 2],
    joints: Vec<[f64; 2]>,
}

/// Makes a dry-stone wall, course by course from below, from left to right.
///
/// # Errors
/// A length, a part or a number out of range; heights or lengths that do not add up; joints too dense
/// to be staggered.
pub fn drystone<D: Prism>(wall: &Drystone<D>) -> Result<Vec<GeneratedBody<D>>, GenerateError> {
    check(wall)?;
    let mut random = SplitMix64::new(wall.seed, "drystone");
    for _ in 0..ATTEMPTS {
        if let Some(courses) = draw(wall, &mut random)? {
            return build(wall, &courses);
        }
    }
    Err(GenerateError::new(
        "stagger",
        format!(
            "no bond was found in {ATTEMPTS} attempts: stones from {} to {} long leave no room for \
             joints {} away from those below",
            wall.lengths[0],
            wall.lengths[1],
            apart(wall)
        ),
        "Use a smaller `stagger`, or stones whose lengths differ more",
    ))
}

/// Distance of nominal joints: their ends may come nearer by twice their lean.
fn apart<D: Prism>(wall: &Drystone<D>) -> f64 {
    (wall.stagger + 0.5 * wall.irregular) * wall.lengths[0]
}

/// Draws beds and joints; `None` if a course could not be bonded to the one below.
fn draw<D: Prism>(
    wall: &Drystone<D>,
    random: &mut SplitMix64,
) -> Result<Option<Vec<Course>>, GenerateError> {
    let rise = ConstrainedWalk::new(wall.heights, wall.height, &[]);
    let Some(beds) = rise.draw(random) else {
        return Err(GenerateError::new(
            "height",
            format!(
                "{} is not a sum of courses from {} to {}",
                wall.height, wall.heights[0], wall.heights[1]
            ),
            "Change it, or let courses differ more",
        ));
    };
    let mut centred = || 2.0 * random.uniform() - 1.0;
    // Beds: inner ones tilt by random ends.
    let tilt = 0.25 * wall.irregular * wall.heights[0];
    let mut ends: Vec<[f64; 2]> = Vec::with_capacity(beds.len());
    for (k, bed) in beds.iter().enumerate() {
        let inner = k > 0 && k + 1 < beds.len();
        let tilt = if inner { tilt } else { 0.0 };
        ends.push([bed + tilt * centred(), bed + tilt * centred()]);
    }
    // Courses: joints keep away from those below, inner ones lean.
    let lean = 0.25 * wall.irregular * wall.lengths[0];
    let mut courses: Vec<Course> = Vec::with_capacity(beds.len());
    let mut last: Vec<f64> = Vec::new();
    for pair in ends.windows(2) {
        let walk = ConstrainedWalk::new(wall.lengths, wall.length, &around(&last, apart(wall)));
        let Some(joints) = walk.draw(random) else {
            if courses.is_empty() {
                return Err(impossible_length(wall));
            }
            return Ok(None);
        };
        let count = joints.len();
        let mut move_end = |j: usize, x: f64| {
            let inner = j > 0 && j + 1 < count;
            let lean = if inner { lean } else { 0.0 };
            x + lean * (2.0 * random.uniform() - 1.0)
        };
        courses.push(Course {
            below: pair[0],
            above: pair[1],
            joints: joints
                .iter()
                .enumerate()
                .map(|(j, x)| [move_end(j, *x), move_end(j, *x)])
                .collect(),
        });
        last = joints;
    }
    Ok(Some(courses))
}

fn impossible_length<D: Prism>(wall: &Drystone<D>) -> GenerateError {
    GenerateError::new(
        "length",
        format!(
            "{} is not a sum of stones from {} to {}",
            wall.length, wall.lengths[0], wall.lengths[1]
        ),
        "Change it, or let stones differ more",
    )
}

/// Intervals without joints: about the inner joints of the course below.
fn around(joints: &[f64], apart: f64) -> Vec<[f64; 2]> {
    let inner = joints.get(1..joints.len().saturating_sub(1)).unwrap_or(&[]);
    inner.iter().map(|x| [x - apart, x + apart]).collect()
}

/// Makes the stones between the joints.
fn build<D: Prism>(
    wall: &Drystone<D>,
    courses: &[Course],
) -> Result<Vec<GeneratedBody<D>>, GenerateError> {
    // Prisms are centred in depth.
    let by = wall.origin + D::spot(0.0, 0.5 * wall.depth, 0.0);
    // A point of a straight bed.
    let at = |bed: [f64; 2], x: f64| {
        let share = x / wall.length;
        Vec2::new(x, bed[0] * (1.0 - share) + bed[1] * share)
    };
    let mut pieces = Vec::new();
    for course in courses {
        for pair in course.joints.windows(2) {
            let section = [
                at(course.below, pair[0][0]),
                at(course.below, pair[1][0]),
                at(course.above, pair[1][1]),
                at(course.above, pair[0][1]),
            ];
            let made = D::prism(&section, wall.depth);
            let (shape, pose) = made.map_err(|e| GenerateError::shape("irregular", &e))?;
            pieces.push(GeneratedBody {
                shape,
                pose: shifted(&pose, by),
            });
        }
    }
    Ok(pieces)
}

fn check<D: Prism>(wall: &Drystone<D>) -> Result<(), GenerateError> {
    for (key, pair) in [("stone", wall.lengths), ("course", wall.heights)] {
        error::length(key, pair[0])?;
        error::length(key, pair[1])?;
        if pair[0] > pair[1] {
            let problem = format!("from {} to {} there is nothing", pair[0], pair[1]);
            let advice = "The smallest comes first";
            return Err(GenerateError::new(key, problem, advice));
        }
    }
    error::length("length", wall.length)?;
    error::length("height", wall.height)?;
    if D::N == Space::N {
        error::length("depth", wall.depth)?;
    }
    error::point("origin", wall.origin)?;
    for (key, value, most) in [
        ("stagger", wall.stagger, 0.5),
        ("irregular", wall.irregular, 0.5),
    ] {
        if !(0.0..=most).contains(&value) {
            let problem = format!("{value} is not between 0 and {most}");
            return Err(GenerateError::new(key, problem, ""));
        }
    }
    // Bounds of the numbers of stones and courses.
    let columns = wall.length / wall.lengths[0];
    let rows = wall.height / wall.heights[0];
    if columns > constrained_walk::MOST as f64 || rows > constrained_walk::MOST as f64 {
        let key = if columns > rows { "length" } else { "height" };
        let problem = format!(
            "this makes up to {:.0} steps in a line, more than {}",
            columns.max(rows),
            constrained_walk::MOST
        );
        return Err(GenerateError::new(key, problem, "Use larger stones"));
    }
    most("stone", columns * rows)
}
