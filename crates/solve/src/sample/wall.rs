//! A running-bond brick wall in the plane.

use percuss_contact::{FactoredDelassus, Law, Problem, ProblemBuilder, ProblemError, Restitution};

use super::rigid::{add_planar, plane_block};

/// Bricks 2 × 1, every second course shifted by half a brick and closed by half bricks; two contact points at each bed
/// joint and each head joint; a fixed floor.
#[derive(Debug, Clone, PartialEq)]
pub struct Wall {
    /// Number of courses.
    pub courses: usize,
    /// Whole bricks in an unshifted course.
    pub bricks: usize,
    /// Friction coefficient of all joints.
    pub friction: f64,
    /// Lateral acceleration as a multiple of gravity.
    pub lateral: f64,
    /// Gravitational acceleration.
    pub gravity: f64,
    /// Length of the step h.
    pub step: f64,
}

impl Default for Wall {
    /// Twelve courses of eight bricks, friction 0.6.
    fn default() -> Self {
        Self {
            courses: 12,
            bricks: 8,
            friction: 0.6,
            lateral: 0.0,
            gravity: 10.0,
            step: 0.01,
        }
    }
}

struct Brick {
    center: [f64; 2],
    length: f64,
}

impl Brick {
    fn left(&self) -> f64 {
        self.center[0] - 0.5 * self.length
    }

    fn right(&self) -> f64 {
        self.center[0] + 0.5 * self.length
    }
}

impl Wall {
    /// The one-step problem.
    ///
    /// # Errors
    /// Numbers that are not finite, a negative friction coefficient.
    pub fn problem(&self) -> Result<Problem, ProblemError> {
        let (bricks, courses) = self.lay();
        let drop = self.gravity * self.step;
        let mut joints = Joints {
            builder: FactoredDelassus::builder(),
            bricks: &bricks,
            law: Law::Coulomb { mu: self.friction },
        };
        for brick in &bricks {
            // Thickness and density 1: the mass of a brick is its length.
            let m = brick.length;
            let inertia = m * (brick.length * brick.length + 1.0) / 12.0;
            let fall = [self.lateral * drop, -drop];
            add_planar(&mut joints.builder, m, inertia, [0.0; 3], fall)?;
        }
        for (row, course) in courses.iter().enumerate() {
            if row == 0 {
                // Floor contacts at both ends of a brick.
                for &b in course {
                    for x in [bricks[b].left(), bricks[b].right()] {
                        joints.add(b, None, [x, 0.0], [0.0, 1.0])?;
                    }
                }
            }
            // Joints within the course, then with the course below.
            joints.heads(course, row as f64)?;
            if row > 0 {
                joints.bed(&courses[row - 1], course, row as f64)?;
            }
        }
        joints.builder.build()
    }

    /// Bricks in order, and their indices by course.
    fn lay(&self) -> (Vec<Brick>, Vec<Vec<usize>>) {
        let mut bricks = Vec::new();
        let mut courses = Vec::with_capacity(self.courses);
        for row in 0..self.courses {
            // Odd courses begin and end with half bricks.
            let whole = if row % 2 == 0 {
                self.bricks
            } else {
                self.bricks.saturating_sub(1)
            };
            let mut lengths = vec![2.0; whole];
            if row % 2 == 1 && self.bricks > 0 {
                lengths.insert(0, 1.0);
                lengths.push(1.0);
            }
            let mut course = Vec::with_capacity(lengths.len());
            let mut x = 0.0;
            for length in lengths {
                course.push(bricks.len());
                bricks.push(Brick {
                    center: [x + 0.5 * length, row as f64 + 0.5],
                    length,
                });
                x += length;
            }
            courses.push(course);
        }
        (bricks, courses)
    }
}

struct Joints<'a> {
    builder: ProblemBuilder,
    bricks: &'a [Brick],
    law: Law,
}

impl Joints<'_> {
    /// Head joints between neighbours of one course.
    fn heads(&mut self, course: &[usize], bottom: f64) -> Result<(), ProblemError> {
        for pair in course.windows(2) {
            let x = self.bricks[pair[0]].right();
            for y in [bottom, bottom + 1.0] {
                self.add(pair[1], Some(pair[0]), [x, y], [1.0, 0.0])?;
            }
        }
        Ok(())
    }

    /// Bed joints between a course and the one below: the ends of every overlap.
    fn bed(&mut self, below: &[usize], above: &[usize], y: f64) -> Result<(), ProblemError> {
        for &b in above {
            for &a in below {
                let left = self.bricks[b].left().max(self.bricks[a].left());
                let right = self.bricks[b].right().min(self.bricks[a].right());
                // Overlaps are half bricks or nothing; touching corners carry no joint.
                if right - left > 0.5 {
                    for x in [left, right] {
                        self.add(b, Some(a), [x, y], [0.0, 1.0])?;
                    }
                }
            }
        }
        Ok(())
    }

    fn add(
        &mut self,
        b: usize,
        a: Option<usize>,
        point: [f64; 2],
        normal: [f64; 2],
    ) -> Result<(), ProblemError> {
        let lever = |k: usize| {
            let c = self.bricks[k].center;
            [point[0] - c[0], point[1] - c[1]]
        };
        let block_b = plane_block(normal, lever(b), 1.0);
        let block_a = a.map(|a| (a, plane_block(normal, lever(a), -1.0)));
        let mut touches: Vec<(usize, &[f64])> = vec![(b, &block_b)];
        if let Some((a, block)) = &block_a {
            touches.push((*a, block));
        }
        let soft = Restitution::default();
        self.builder
            .add_contact(self.law.clone(), &touches, &[0.0; 2], soft)?;
        Ok(())
    }
}
