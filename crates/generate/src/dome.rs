//! Spherical dome of blocks in courses.
//!
//! ```text
//! direction(θ, φ) = (sin θ cos φ, sin θ sin φ, cos θ),   r, R = radius ∓ thickness/2
//! block of a course, φ ∈ [a, b], θ ∈ [θ_above, θ_below]:
//!   cross joints   meridian planes φ = a and φ = b
//!   upper bed      the plane through the centre, direction(θ_above, a) and direction(θ_above, b)
//!   lower bed      the upper beds of the blocks below: convex, as a cone about the axis is
//!   faces          parallel planes through the four directions (θ_above or θ_below, a or b) times r, R
//! ```
//!
//! A lower bed has a ridge over each cross joint of the course below: the block is the exact convex
//! polyhedron that fits, for any number of blocks in either course and any bond. Neighbours have whole
//! faces (cross joints) or planes (beds) in common: no gap, no overlap. A block is the cone from the centre over its
//! outer face, less the same scaled by r/R: its volume is V_R·(1 − (r/R)³). Vertices on
//! cross joints are on the spheres, faces are chords: the dome has less volume than the shell between
//! the spheres, by a fraction of the order of the squares of a block's angles.
//!
//! Without an oculus a flat keystone closes the dome.

use std::f64::consts::PI;
use std::sync::Arc;

use percuss_bodies::space::{ConvexPolyhedron, Shape};
use percuss_bodies::{Pose, Space};

use super::GeneratedBody;
use super::error::{self, GenerateError};
use super::prism::moved;
use super::vault::{Bond, most, thickness};
use crate::generator_dim::{Quat, Vec3};

/// Fewest blocks of a course: with two, beds would be parts of one plane.
const FEWEST: usize = 3;

/// A joint of the course below nearer to a block's end than this fraction of its angle coincides with it.
const SAME: f64 = 1e-9;

/// Number of blocks in a course.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Blocks {
    /// The same number in each course.
    Number(usize),
    /// The number that comes nearest to this length, half way up the course on the middle sphere.
    Size(f64),
}

/// Parameters of a dome.
#[derive(Debug, Clone, PartialEq)]
pub struct Dome {
    /// Radius of the middle sphere.
    pub radius: f64,
    /// Difference of the outer and the inner radius.
    pub thickness: f64,
    /// Number of courses, the keystone among them.
    pub courses: usize,
    /// Number of blocks in a course.
    pub blocks: Blocks,
    /// Angle subtended by the dome at the centre: π is a hemisphere.
    pub span: f64,
    /// Angle subtended by the opening at the top; 0 for a keystone instead.
    pub oculus: f64,
    /// Bond of the courses.
    pub bond: Bond,
    /// The centre of the spheres.
    pub origin: Vec3,
}

impl Dome {
    /// Polar angles of the beds from the springing upwards.
    fn beds(&self) -> Vec<f64> {
        // Equal angles between the beds.
        let (foot, top) = (0.5 * self.span, 0.5 * self.oculus);
        let n = self.courses as f64;
        if self.oculus > 0.0 {
            let at = |k: usize| foot + (top - foot) * (k as f64 / n);
            return (0..=self.courses).map(at).collect();
        }
        // The keystone is as wide as a course is high: half of its angle is on either side.
        let step = foot / (n - 0.5);
        (0..self.courses).map(|k| foot - step * k as f64).collect()
    }

    /// Number of blocks of the course between two beds.
    fn number(&self, below: f64, above: f64) -> f64 {
        match self.blocks {
            Blocks::Number(number) => number as f64,
            Blocks::Size(size) => {
                let around = 2.0 * PI * self.radius * (0.5 * (below + above)).sin();
                (around / size).round().max(FEWEST as f64)
            }
        }
    }

    /// Indices of the blocks of the lowest course.
    pub fn springers(&self) -> Vec<usize> {
        match self.beds()[..] {
            [below, above, ..] => (0..self.number(below, above) as usize).collect(),
            _ => vec![0],
        }
    }
}

/// The cross joints of a course: one at `first`, `count` at equal angles.
#[derive(Clone, Copy)]
struct Joints {
    first: f64,
    count: usize,
}

/// Makes a dome, course by course from the springing, each anticlockwise from above; the keystone last.
///
/// # Errors
/// A length, an angle or a number out of range.
pub fn dome(dome: &Dome) -> Result<Vec<GeneratedBody<Space>>, GenerateError> {
    check(dome)?;
    let beds = dome.beds();
    let counts: Vec<f64> = beds.windows(2).map(|b| dome.number(b[0], b[1])).collect();
    most("courses", counts.iter().sum())?;
    // Courses from the springing upwards, each fitted to the joints of the one below.
    let mut pieces = Vec::new();
    let mut below: Option<Joints> = None;
    for (pair, count) in beds.windows(2).zip(&counts) {
        let count = *count as usize;
        let first = match (dome.bond, below) {
            (Bond::Running, Some(below)) => below.first + clearance(below.count, count),
            _ => 0.0,
        };
        let joints = Joints { first, count };
        course(dome, [pair[0], pair[1]], joints, below, &mut pieces)?;
        below = Some(joints);
    }
    if dome.oculus == 0.0 {
        let around = below.unwrap_or(Joints {
            first: 0.0,
            count: dome.number(0.5 * dome.span, 0.0) as usize,
        });
        let bed = beds.last().copied().unwrap_or(0.0);
        pieces.push(keystone(dome, bed, around)?);
    }
    Ok(pieces)
}

/// Half the angle at which joints of two courses repeat: no joint can be farther from all those of
/// the other course. With equal numbers it is half a block.
fn clearance(a: usize, b: usize) -> f64 {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    // π/lcm(a, b), as a product that cannot overflow.
    PI * x as f64 / (a as f64 * b as f64)
}

/// Makes the blocks of one course.
fn course(
    dome: &Dome,
    beds: [f64; 2],
    joints: Joints,
    below: Option<Joints>,
    pieces: &mut Vec<GeneratedBody<Space>>,
) -> Result<(), GenerateError> {
    // Angle of a block.
    let width = 2.0 * PI / joints.count as f64;
    // Blocks over the same joints below are one shape, rotated.
    let alike = below.is_none_or(|below| below.count % joints.count == 0);
    let mut shared: Option<(Shape, Pose<Space>)> = None;
    for j in 0..joints.count {
        let middle = joints.first + (j as f64 + 0.5) * width;
        let made = match shared.take().filter(|_| alike) {
            Some(made) => made,
            None => {
                let beneath = below.map(|below| beneath(below, middle, width));
                block(dome, beds, width, beneath.as_ref())?
            }
        };
        let turn = Quat::from_rotation_z(middle);
        pieces.push(GeneratedBody {
            shape: made.0.clone(),
            pose: moved(&made.1, turn, dome.origin),
        });
        shared = Some(made);
    }
    Ok(())
}

/// Joints of the course below a block, as angles from its middle: from the last one not inside it on
/// the right to the first one not inside it on the left.
fn beneath(below: Joints, middle: f64, width: f64) -> Vec<f64> {
    let pitch = 2.0 * PI / below.count as f64;
    let slack = SAME * width;
    let number = |angle: f64| (middle + angle - below.first) / pitch;
    let from = number(-0.5 * width + slack).floor() as i64;
    let to = number(0.5 * width - slack).ceil() as i64;
    let angle = |i: i64| below.first + i as f64 * pitch - middle;
    (from..=to).map(angle).collect()
}

/// A direction by its polar angle and its azimuth.
fn direction(polar: f64, azimuth: f64) -> Vec3 {
    let (sin, cos) = polar.sin_cos();
    Vec3::new(sin * azimuth.cos(), sin * azimuth.sin(), cos)
}

/// A block about the azimuth 0, over the joints below it, or with a lower bed of its own.
fn block(
    dome: &Dome,
    [below, above]: [f64; 2],
    width: f64,
    beneath: Option<&Vec<f64>>,
) -> Result<(Shape, Pose<Space>), GenerateError> {
    let half = 0.5 * width;
    let corners = [direction(below, -half), direction(below, half)];
    let tops = [direction(above, half), direction(above, -half)];
    // Rays from the centre through the vertices: two above, and one for each ridge or end below.
    let mut rays: Vec<Vec3> = tops.to_vec();
    match beneath {
        None => rays.extend(corners),
        Some(joints) => {
            let own = vec![-half, half];
            let slack = SAME * width;
            let inside = joints.iter().copied().filter(|a| a.abs() < half - slack);
            for azimuth in inside.chain(own) {
                rays.push(on_bed(below, joints, azimuth));
            }
        }
    }
    // The plane n·x = 1 through the four nominal corners on the unit sphere; n is in the plane of
    // symmetry y = 0: a x + c z = 1 at both polar angles.
    let (p, q) = (corners[1], tops[0]);
    let det = p.x * q.z - q.x * p.z;
    let plane = Vec3::new((q.z - p.z) / det, 0.0, (p.x - q.x) / det);
    shell(dome, &rays, plane)
}

/// The point where the bed of the course below, chords between its joints, meets a meridian plane.
fn on_bed(polar: f64, joints: &[f64], azimuth: f64) -> Vec3 {
    for pair in joints.windows(2) {
        if (pair[0]..=pair[1]).contains(&azimuth) {
            // On the chord tan θ' = tan θ cos(half)/cos(φ − middle).
            let (half, middle) = (0.5 * (pair[1] - pair[0]), 0.5 * (pair[0] + pair[1]));
            let (sin, cos) = polar.sin_cos();
            let flat = sin * half.cos() / (azimuth - middle).cos();
            return Vec3::new(flat * azimuth.cos(), flat * azimuth.sin(), cos);
        }
    }
    direction(polar, azimuth)
}

/// The keystone within the topmost bed.
fn keystone(dome: &Dome, bed: f64, joints: Joints) -> Result<GeneratedBody<Space>, GenerateError> {
    let pitch = 2.0 * PI / joints.count as f64;
    let rays = (0..joints.count).map(|i| direction(bed, joints.first + i as f64 * pitch));
    let plane = Vec3::new(0.0, 0.0, 1.0 / bed.cos());
    let (shape, pose) = shell(dome, &rays.collect::<Vec<_>>(), plane)?;
    let pose = moved(&pose, Quat::IDENTITY, dome.origin);
    Ok(GeneratedBody { shape, pose })
}

/// The convex hull of rays from the centre, cut by the planes n·x = r and n·x = R.
fn shell(dome: &Dome, rays: &[Vec3], n: Vec3) -> Result<(Shape, Pose<Space>), GenerateError> {
    let radii = [
        dome.radius - dome.thickness / 2.0,
        dome.radius + dome.thickness / 2.0,
    ];
    let at = |radius: f64| rays.iter().map(move |ray| *ray * (radius / n.dot(*ray)));
    let points: Vec<Vec3> = radii.into_iter().flat_map(at).collect();
    let made = ConvexPolyhedron::hull(&points).map_err(|e| GenerateError::shape("thickness", &e));
    made.map(|(polyhedron, pose)| (Shape::Polyhedron(Arc::new(polyhedron)), pose))
}

fn check(dome: &Dome) -> Result<(), GenerateError> {
    error::length("radius", dome.radius)?;
    error::length("thickness", dome.thickness)?;
    error::count("courses", dome.courses)?;
    error::point("origin", dome.origin)?;
    thickness(dome.thickness, dome.radius)?;
    if !(dome.span > 0.0 && dome.span <= PI * (1.0 + f64::EPSILON)) {
        return Err(GenerateError::new(
            "span",
            format!("{} is not an angle between 0 and pi", dome.span),
            "It is in radians: pi makes a half sphere, and blocks below its equator would not be convex",
        ));
    }
    if !(dome.oculus >= 0.0 && dome.oculus < dome.span) {
        return Err(GenerateError::new(
            "oculus",
            format!(
                "{} is not an angle from 0 to less than the span {}",
                dome.oculus, dome.span
            ),
            "It is the angle of the opening as seen from the centre; 0 closes the dome",
        ));
    }
    if dome.oculus == 0.0 && dome.courses < 2 {
        return Err(GenerateError::new(
            "courses",
            "1 course cannot carry a keystone: the keystone is one",
            "Use 2 or more, or an `oculus`",
        ));
    }
    match dome.blocks {
        Blocks::Number(number) if number < FEWEST => Err(GenerateError::new(
            "blocks",
            format!("{number} blocks cannot close a course"),
            format!("Use {FEWEST} or more"),
        )),
        Blocks::Number(_) => Ok(()),
        Blocks::Size(size) => error::length("size", size).map(|_| ()),
    }
}
