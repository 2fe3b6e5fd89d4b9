//! Crowd motion: people leaving a room as discs that must not overlap.
//!
//! Each person has a desired velocity towards the door; the actual velocity is the nearest admissible one (least
//! squares over all), which is the perturbed process −dq ∈ N_Q(q) − U(q) dt. The room is [−depth, 0] × [−width/2,
//! width/2], its door the gap |y| < door/2 in the wall x = 0; beyond it is open ground.

use super::positive;
use crate::disc_configuration::{DiscConfiguration, Obstacle};
use crate::error::{Result, SweepingError, check_len};
use crate::process::Process;

/// The room and its people.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Room {
    /// Extent along x.
    pub depth: f64,
    /// Extent along y.
    pub width: f64,
    /// Opening of the door.
    pub door: f64,
    /// Radius of a person.
    pub radius: f64,
    /// Desired walking speed.
    pub speed: f64,
}

impl Room {
    fn validate(&self) -> Result<()> {
        positive("depth of the room", self.depth)?;
        positive("width of the room", self.width)?;
        positive("radius of a person", self.radius)?;
        positive("speed of a person", self.speed)?;
        if !(self.door > 2.0 * self.radius && self.door < self.width) {
            return Err(SweepingError::Invalid {
                what: "door",
                value: self.door,
                expected: "wider than a person, narrower than the room",
            });
        }
        Ok(())
    }

    /// Walls of the room as segments, with the gap of the door.
    fn walls(&self) -> Vec<Obstacle> {
        let (d, w, o) = (self.depth, 0.5 * self.width, 0.5 * self.door);
        // Back wall, side walls, and the two parts of the front wall.
        let corners = [
            ([-d, -w], [-d, w]),
            ([-d, -w], [0.0, -w]),
            ([-d, w], [0.0, w]),
            ([0.0, -w], [0.0, -o]),
            ([0.0, o], [0.0, w]),
        ];
        let segment = |(a, b): ([f64; 2], [f64; 2])| Obstacle::Segment {
            from: a.to_vec(),
            to: b.to_vec(),
        };
        corners.map(segment).to_vec()
    }

    /// `columns` × `rows` people on a grid that starts at the back wall, displaced at random by up to `jitter` of the
    /// free space between neighbours (0 to 1); deterministic for a given seed.
    pub fn fill(&self, columns: usize, rows: usize, jitter: f64, seed: u64) -> Result<Vec<f64>> {
        self.validate()?;
        let (dx, dy) = (self.depth / columns as f64, self.width / rows as f64);
        let slack = 0.5 * dx.min(dy) - self.radius;
        if !(slack > 0.0) {
            return Err(SweepingError::Invalid {
                what: "half the distance of neighbours on the grid, less a radius",
                value: slack,
                expected: "a positive number: fewer people or a larger room",
            });
        }
        // Xorshift generator.
        let mut state = seed ^ 0x9e37_79b9_7f4a_7c15;
        let mut shake = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // Within the square inscribed in the disc of radius `slack`.
            ((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
                * jitter.clamp(0.0, 1.0)
                * slack
                * std::f64::consts::FRAC_1_SQRT_2
        };
        let mut q = Vec::with_capacity(2 * columns * rows);
        for i in 0..columns {
            for j in 0..rows {
                q.push(-self.depth + (i as f64 + 0.5) * dx + shake());
                q.push(-0.5 * self.width + (j as f64 + 0.5) * dy + shake());
            }
        }
        Ok(q)
    }

    /// Desired velocity of a person at (x, y): to the door, then straight on.
    fn desired_velocity(&self, x: f64, y: f64) -> (f64, f64) {
        let free = 0.5 * self.door - self.radius;
        // Inside: to the nearest point of the door; outside: straight on.
        let (tx, ty) = if x < 0.0 {
            (self.radius, y.clamp(-0.5 * free, 0.5 * free))
        } else {
            (x + 1.0, y)
        };
        let (dx, dy) = (tx - x, ty - y);
        let length = dx.hypot(dy).max(f64::MIN_POSITIVE);
        (self.speed * dx / length, self.speed * dy / length)
    }

    /// The process from the positions q (x₁, y₁, x₂, …).
    pub fn process(&self, q: &[f64]) -> Result<Process<DiscConfiguration>> {
        self.validate()?;
        check_len("positions", q.len() % 2, 0)?;
        let walls = self.walls();
        let set = DiscConfiguration::new(2, &vec![self.radius; q.len() / 2])?
            .with_obstacles(move |_| walls.clone());
        let room = *self;
        Ok(
            Process::new(set, 0.0, q)?.with_perturbation(move |_, q, f| {
                for (f, q) in f.chunks_exact_mut(2).zip(q.chunks_exact(2)) {
                    let (u, v) = room.desired_velocity(q[0], q[1]);
                    (f[0], f[1]) = (-u, -v);
                }
            }),
        )
    }

    /// Number of people at q who have passed the door.
    pub fn outside(&self, q: &[f64]) -> usize {
        q.chunks_exact(2).filter(|p| p[0] > 0.0).count()
    }
}
