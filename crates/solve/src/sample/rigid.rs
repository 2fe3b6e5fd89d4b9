//! Rigid bodies and contact points for the sample problems, added to a problem builder.
//!
//! A body in space has the coordinates (velocity of the centre of mass, angular velocity) in axes
//! in which its inertia is diagonal; in the plane (v_x, v_y, ω). A contact row of direction e at
//! lever l from the centre of mass reads e·v + (l × e)·ω.

use percuss_contact::{Law, ProblemBuilder, ProblemError, Restitution};

/// Direction or position in space.
pub(super) type Vec3 = [f64; 3];

/// A rigid body: mass, principal moments of inertia, velocity at the beginning of the step, and h g.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Body {
    pub mass: f64,
    pub inertia: Vec3,
    pub velocity: [f64; 6],
    pub fall: Vec3,
}

impl Body {
    /// A body at rest.
    pub fn at_rest(mass: f64, inertia: Vec3, fall: Vec3) -> Self {
        Self {
            mass,
            inertia,
            velocity: [0.0; 6],
            fall,
        }
    }

    /// A homogeneous sphere at rest.
    pub fn ball(mass: f64, radius: f64, fall: Vec3) -> Self {
        Self::at_rest(mass, [0.4 * mass * radius * radius; 3], fall)
    }

    /// Adds the body as a group of six coordinates.
    pub fn add_to(&self, builder: &mut ProblemBuilder) -> Result<usize, ProblemError> {
        let mut matrix = [0.0; 36];
        let mut impulse = [0.0; 6];
        // Mass and inertia on the diagonal; impulse m h g.
        for i in 0..3 {
            matrix[i * 7] = self.mass;
            matrix[(i + 3) * 7] = self.inertia[i];
            impulse[i] = self.mass * self.fall[i];
        }
        builder.add_group(&matrix, &self.velocity, &impulse)
    }
}

/// A contact point between body `b` and body `a`, or a fixed boundary.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SampleContact {
    pub b: usize,
    pub a: Option<usize>,
    /// Rows of the frame, normal (from a to b) first.
    pub frame: [Vec3; 3],
    pub lever_b: Vec3,
    pub lever_a: Vec3,
    /// Velocity added to the normal row: gap over step, which stops bodies at a distance.
    pub advance: f64,
}

impl SampleContact {
    /// Adds the contact with zero restitution.
    pub fn add_to(&self, builder: &mut ProblemBuilder, law: Law) -> Result<usize, ProblemError> {
        // The contact velocity is that of b minus that of a.
        let block_b = space_block(&self.frame, &self.lever_b, 1.0);
        let block_a = space_block(&self.frame, &self.lever_a, -1.0);
        let boundary = [self.advance, 0.0, 0.0];
        let soft = Restitution::default();
        match self.a {
            Some(a) => {
                let touches: [(usize, &[f64]); 2] = [(self.b, &block_b), (a, &block_a)];
                builder.add_contact(law, &touches, &boundary, soft)
            }
            None => builder.add_contact(law, &[(self.b, &block_b)], &boundary, soft),
        }
    }
}

/// Adds a planar body (mass, moment of inertia about its centre) with this initial velocity, under h g.
pub(super) fn add_planar(
    builder: &mut ProblemBuilder,
    mass: f64,
    inertia: f64,
    velocity: Vec3,
    fall: [f64; 2],
) -> Result<usize, ProblemError> {
    // diag(m, m, I).
    let matrix = [mass, 0.0, 0.0, 0.0, mass, 0.0, 0.0, 0.0, inertia];
    builder.add_group(&matrix, &velocity, &[mass * fall[0], mass * fall[1], 0.0])
}

/// Rows (n, t) of a planar contact for a lever l, with t = n rotated by +90 degrees.
pub(super) fn plane_block(normal: [f64; 2], lever: [f64; 2], sign: f64) -> [f64; 6] {
    let mut block = [0.0; 6];
    // e·v + (l × e) ω.
    for (row, e) in [normal, [-normal[1], normal[0]]].iter().enumerate() {
        block[row * 3] = sign * e[0];
        block[row * 3 + 1] = sign * e[1];
        block[row * 3 + 2] = sign * (lever[0] * e[1] - lever[1] * e[0]);
    }
    block
}

fn space_block(frame: &[Vec3; 3], lever: &Vec3, sign: f64) -> [f64; 18] {
    let mut block = [0.0; 18];
    for (row, e) in frame.iter().enumerate() {
        // e·v + (l × e)·ω.
        let moment = cross(lever, e);
        for i in 0..3 {
            block[row * 6 + i] = sign * e[i];
            block[row * 6 + 3 + i] = sign * moment[i];
        }
    }
    block
}

/// An orthonormal frame (n, t1, t2) on a unit normal.
pub(super) fn frame(n: Vec3) -> [Vec3; 3] {
    // An axis that is not nearly parallel to n.
    let helper = if n[0].abs() > 0.7 {
        [0.0, 1.0, 0.0]
    } else {
        [1.0, 0.0, 0.0]
    };
    let t = cross(&n, &helper);
    let t1 = scaled(&t, 1.0 / length(&t));
    [n, t1, cross(&n, &t1)]
}

pub(super) fn cross(a: &Vec3, b: &Vec3) -> Vec3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

pub(super) fn scaled(a: &Vec3, s: f64) -> Vec3 {
    a.map(|x| x * s)
}

pub(super) fn minus(a: &Vec3, b: &Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn length(a: &Vec3) -> f64 {
    a.iter().map(|x| x * x).sum::<f64>().sqrt()
}
