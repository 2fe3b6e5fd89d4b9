//! Barrel vault of equal voussoirs.
//!
//! ```text
//! bed joint k:       angle from the vertical  α_k = (2k − n)·span/(2n),       k = 0 … n
//! cross joint of j:  y = j·depth/rings, in odd courses of a running bond (j + ½)·depth/rings
//! ```
//!
//! The axis is along y. Bed joints are planes through the axis; each voussoir is the prism over the
//! trapezium between two of them, its inner and outer faces chords of the circles r ∓ thickness/2.
//! Voussoirs of one course share whole cross joints, those of two courses parts of one plane, so that
//! the vault has the volume ½n(R² − r²) sin(span/n)·depth of its prisms and no gaps. A running bond has
//! half voussoirs at the ends of its odd courses; without bond the vault is a row of arches.

use std::f64::consts::PI;

use percuss_bodies::{Pose, Space};

use super::GeneratedBody;
use super::error::{self, GenerateError};
use super::prism::{Prism, moved};
use crate::generator_dim::{Quat, Vec2, Vec3};

/// Bond: position of the joints of neighbouring courses relative to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bond {
    /// Running bond, half a block apart: courses interlock.
    #[default]
    Running,
    /// Stack bond, in line: rings of a vault, ribs of a dome that touch but do not interlock.
    Stack,
}

/// Parameters of a vault.
#[derive(Debug, Clone, PartialEq)]
pub struct Vault {
    /// Radius of the middle line.
    pub radius: f64,
    /// Difference of the outer and the inner radius.
    pub thickness: f64,
    /// Number of courses from springing to springing.
    pub voussoirs: usize,
    /// Angle of the vault, symmetric about the vertical: π is a half circle.
    pub span: f64,
    /// Extent along y.
    pub depth: f64,
    /// Number of whole voussoirs along y.
    pub rings: usize,
    /// Bond of the courses.
    pub bond: Bond,
    /// Middle of the axis.
    pub origin: Vec3,
}

impl Vault {
    /// Number of voussoirs of a course.
    fn course(&self, course: usize) -> usize {
        // Odd courses of a running bond have half voussoirs at both ends.
        let halves = self.bond == Bond::Running && course % 2 == 1;
        self.rings + usize::from(halves)
    }

    /// Indices of the voussoirs of the first and the last course, of `all` voussoirs.
    pub fn springers(&self, all: usize) -> Vec<usize> {
        let first = self.course(0).min(all);
        let last = self.course(self.voussoirs.saturating_sub(1)).min(all);
        let mut numbers: Vec<usize> = (0..first).collect();
        numbers.extend((all - last).max(first)..all);
        numbers
    }
}

/// Makes a vault, course by course from the left springing (smallest x), each along y.
///
/// # Errors
/// A length, an angle or a number out of range.
pub fn vault(vault: &Vault) -> Result<Vec<GeneratedBody<Space>>, GenerateError> {
    check(vault)?;
    let n = vault.voussoirs as f64;
    let (sin, cos) = (vault.span / (2.0 * n)).sin_cos();
    let inner = vault.radius - vault.thickness / 2.0;
    let outer = vault.radius + vault.thickness / 2.0;
    // One voussoir upright above the axis; its sides are exact mirror images.
    let section = [
        Vec2::new(-inner * sin, inner * cos),
        Vec2::new(inner * sin, inner * cos),
        Vec2::new(outer * sin, outer * cos),
        Vec2::new(-outer * sin, outer * cos),
    ];
    let step = vault.depth / vault.rings as f64;
    let made =
        |depth| Space::prism(&section, depth).map_err(|e| GenerateError::shape("thickness", &e));
    let (whole, half) = (made(step)?, made(0.5 * step)?);
    let mut pieces = Vec::new();
    // Courses from the left springing, voussoirs along y.
    for k in 0..vault.voussoirs {
        // A positive rotation about y goes from z to x: from the left springing to the right one.
        let turn = Quat::from_rotation_y((2.0 * k as f64 + 1.0 - n) * vault.span / (2.0 * n));
        let count = vault.course(k);
        for j in 0..count {
            let halves = count > vault.rings;
            let end = halves && (j == 0 || j + 1 == count);
            // In quarters of a voussoir from the near end: integers, so that joints coincide.
            let quarters = match (halves, j) {
                (false, _) => 4 * j + 2,
                (true, 0) => 1,
                (true, _) if end => 4 * vault.rings - 1,
                (true, _) => 4 * j,
            };
            let y = 0.25 * step * quarters as f64 - 0.5 * vault.depth;
            let (shape, pose) = if end { &half } else { &whole };
            let by = vault.origin + Vec3::new(0.0, y, 0.0);
            let pose: Pose<Space> = moved(pose, turn, by);
            let shape = shape.clone();
            pieces.push(GeneratedBody { shape, pose });
        }
    }
    Ok(pieces)
}

fn check(vault: &Vault) -> Result<(), GenerateError> {
    error::length("radius", vault.radius)?;
    error::length("thickness", vault.thickness)?;
    error::length("depth", vault.depth)?;
    error::point("origin", vault.origin)?;
    error::count("voussoirs", vault.voussoirs)?;
    error::count("rings", vault.rings)?;
    thickness(vault.thickness, vault.radius)?;
    if !(vault.span > 0.0 && vault.span <= 2.0 * PI * (1.0 + f64::EPSILON)) {
        return Err(GenerateError::new(
            "span",
            format!("{} is not an angle between 0 and 2 pi", vault.span),
            "It is in radians: pi makes a half circle",
        ));
    }
    // As for an arch: a voussoir over half a circle has no chord on the inner side.
    let fewest = (vault.span / (0.9 * PI)).ceil();
    if (vault.voussoirs as f64) < fewest {
        return Err(GenerateError::new(
            "voussoirs",
            format!("{} cannot span an angle of {}", vault.voussoirs, vault.span),
            format!("Use {fewest} or more"),
        ));
    }
    most("rings", vault.voussoirs as f64 * (vault.rings as f64 + 0.5))
}

/// Requires a shell that is hollow: thickness below twice the radius.
pub fn thickness(thickness: f64, radius: f64) -> Result<(), GenerateError> {
    if thickness < 2.0 * radius {
        return Ok(());
    }
    Err(GenerateError::new(
        "thickness",
        format!("{thickness} is not less than twice the radius {radius}"),
        "`radius` is that of the middle line",
    ))
}

/// Requires no more bodies than one generator makes.
pub fn most(key: &'static str, bodies: f64) -> Result<(), GenerateError> {
    if bodies <= super::MOST as f64 {
        return Ok(());
    }
    Err(GenerateError::new(
        key,
        format!(
            "this makes about {bodies:.0} bodies, more than the {} one generator makes",
            super::MOST
        ),
        "Use fewer or larger ones",
    ))
}
