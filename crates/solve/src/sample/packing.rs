//! Spheres settled in an open box.
//!
//! A loose lattice of spheres falls under gravity by a simple time stepping scheme: relative velocities are bounded by
//! gap over step, v_n + gap/h ≥ 0, overlaps are corrected at a fifth of that rate, and a fixed number of Gauss–Seidel
//! sweeps replaces a solve. The result is a jammed, hyperstatic packing in frictional equilibrium up to the accuracy of
//! those sweeps; from it one-step problems are made at rest, under tilted gravity, or in mid-fall.
//!
//! Cost: steps × sweeps × contacts × 100 ns; 300 spheres settle in some ten seconds.

use percuss_contact::{FactoredDelassus, Law, Problem, ProblemError};

use super::random::Random;
use super::rigid::{Body, SampleContact, Vec3, frame, length, minus, scaled};
use crate::methods::nlgs::Nlgs;

/// Parameters of a packing.
#[derive(Debug, Clone, PartialEq)]
pub struct Packing {
    /// Number of spheres; radii are uniform in 0.75 … 1.25, density 1.
    pub spheres: usize,
    /// Side of the square box; its walls have no top.
    pub side: f64,
    /// Friction coefficient, while settling and in the problems.
    pub friction: f64,
    /// Each sphere is heavier by this factor with probability ½.
    pub mass_ratio: f64,
    /// Number of time steps. About 1600 bring 300 spheres in a box of side 8 to rest.
    pub steps: usize,
    /// Gauss–Seidel sweeps per time step.
    pub sweeps: usize,
    /// Gravitational acceleration.
    pub gravity: f64,
    /// Length of the time step h.
    pub step: f64,
    /// Seed of radii and positions.
    pub seed: u64,
}

impl Default for Packing {
    /// 300 spheres in a box of side 8, friction 0.5, 1600 steps.
    fn default() -> Self {
        Self {
            spheres: 300,
            side: 8.0,
            friction: 0.5,
            mass_ratio: 1.0,
            steps: 1600,
            sweeps: 60,
            gravity: 10.0,
            step: 0.01,
            seed: 0,
        }
    }
}

/// Spacing of the lattice the spheres fall from: two largest spheres and their scatter fit.
const SPACING: f64 = 2.6;
/// Largest displacement of a sphere from its lattice point.
const SCATTER: f64 = 0.04;
/// Contact margin while settling: the speed 15 over a step of 0.01.
const REACH: f64 = 0.15;
/// Fraction of an overlap that is corrected in one step.
const PUSH_OUT: f64 = 0.2;
/// Spheres at rest are in contact when nearer than this (overlaps left by the sweeps are of that order).
const TOUCHING: f64 = 1e-4;
/// Falling spheres collide within the step when nearer than this.
const COLLIDING: f64 = 0.02;

/// A packing after its time steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    packing: Packing,
    radius: Vec<f64>,
    mass: Vec<f64>,
    position: Vec<Vec3>,
    velocity: Vec<[f64; 6]>,
}

struct Near {
    touch: SampleContact,
    gap: f64,
}

impl Packing {
    /// Lets the spheres fall and settle.
    ///
    /// # Errors
    /// Parameters that are not finite or a mass ratio that is not positive.
    pub fn settle(&self) -> Result<Settled, ProblemError> {
        if !self.side.is_finite() {
            // Spheres at positions that are not numbers would have no contacts, and no builder would notice.
            return Err(ProblemError::NotFinite {
                what: "the side of the box",
                owner: "the packing".into(),
                value: self.side,
            });
        }
        let mut state = self.start();
        let mut relaxation = Nlgs::default();
        for _ in 0..self.steps {
            state.advance(&mut relaxation)?;
        }
        Ok(state)
    }

    fn start(&self) -> Settled {
        let mut random = Random::new(self.seed);
        let radius: Vec<f64> = (0..self.spheres)
            .map(|_| random.within(0.75, 1.25))
            .collect();
        // Heavier with probability ½.
        let mass = radius
            .iter()
            .map(|r| {
                let heavy = random.unit() >= 0.5;
                let volume = 4.0 / 3.0 * std::f64::consts::PI * r.powi(3);
                if heavy {
                    volume * self.mass_ratio
                } else {
                    volume
                }
            })
            .collect();
        // A box too narrow for two spheres side by side holds a single column.
        let across = ((self.side / SPACING) as usize).max(1);
        let along = |k: usize| {
            if across == 1 {
                0.5 * self.side
            } else {
                0.5 * SPACING + k as f64 * (self.side - SPACING) / (across - 1) as f64
            }
        };
        // Layers of the lattice, with random displacements.
        let mut position = Vec::with_capacity(self.spheres);
        for k in 0..self.spheres {
            let (layer, place) = (k / (across * across), k % (across * across));
            let lattice = [
                along(place / across),
                along(place % across),
                0.5 * SPACING + SPACING * layer as f64,
            ];
            position.push(lattice.map(|x| x + random.within(-SCATTER, SCATTER)));
        }
        Settled {
            packing: self.clone(),
            velocity: vec![[0.0; 6]; self.spheres],
            radius,
            mass,
            position,
        }
    }
}

impl Settled {
    /// The problem of one step from rest, gravity tilted by an angle (radians) towards +x.
    ///
    /// # Errors
    /// A tilt that is not finite.
    pub fn at_rest(&self, tilt: f64) -> Result<Problem, ProblemError> {
        let drop = self.packing.gravity * self.packing.step;
        let fall = [drop * tilt.sin(), 0.0, -drop * tilt.cos()];
        let rest = vec![[0.0; 6]; self.mass.len()];
        self.assemble(&rest, fall, &self.near(TOUCHING), |_| 0.0)
    }

    /// The problem of one step from the present velocities, with the spheres that are about to
    /// collide as contacts: soft impacts.
    ///
    /// # Errors
    /// None for a packing that settled; the type is that of all generators.
    pub fn colliding(&self) -> Result<Problem, ProblemError> {
        self.assemble(&self.velocity, self.fall(), &self.near(COLLIDING), |_| 0.0)
    }

    /// Largest overlap of touching spheres, a length; radii are about 1.
    #[must_use]
    pub fn largest_overlap(&self) -> f64 {
        let near = self.near(0.0);
        near.iter().fold(0.0, |m, c| m.max(-c.gap))
    }

    /// Largest component of a velocity.
    #[must_use]
    pub fn largest_velocity(&self) -> f64 {
        let all = self.velocity.iter().flatten();
        all.fold(0.0, |m, v| m.max(v.abs()))
    }

    fn fall(&self) -> Vec3 {
        [0.0, 0.0, -self.packing.gravity * self.packing.step]
    }

    fn advance(&mut self, relaxation: &mut Nlgs) -> Result<(), ProblemError> {
        let h = self.packing.step;
        // Gap over step for separate spheres; a fraction of the overlap over step otherwise.
        let advance = |gap: f64| {
            if gap > 0.0 {
                gap / h
            } else {
                PUSH_OUT * gap / h
            }
        };
        // Candidates within the contact margin.
        let near = self.near(REACH);
        // Velocity step by Gauss–Seidel, then the positions.
        let problem = self.assemble(&self.velocity, self.fall(), &near, advance)?;
        let mut impulse = vec![0.0; problem.num_rows()];
        relaxation.sweep(&problem, &mut impulse, self.packing.sweeps);
        if let percuss_contact::DelassusOperator::Factored(kinetic) = problem.operator() {
            let mut end = vec![0.0; kinetic.num_coordinates()];
            kinetic.velocity_into(&impulse, &mut end);
            let end = kinetic.physical_velocity(&end);
            for (i, v) in self.velocity.iter_mut().enumerate() {
                v.copy_from_slice(&end[6 * i..6 * i + 6]);
                for k in 0..3 {
                    self.position[i][k] += h * v[k];
                }
            }
        }
        Ok(())
    }

    fn assemble(
        &self,
        velocity: &[[f64; 6]],
        fall: Vec3,
        near: &[Near],
        advance: impl Fn(f64) -> f64,
    ) -> Result<Problem, ProblemError> {
        let mut builder = FactoredDelassus::builder();
        // Spheres, then contacts.
        for i in 0..self.mass.len() {
            let mut body = Body::ball(self.mass[i], self.radius[i], fall);
            body.velocity = velocity[i];
            body.add_to(&mut builder)?;
        }
        let law = Law::Coulomb {
            mu: self.packing.friction,
        };
        for contact in near {
            let mut touch = contact.touch.clone();
            touch.advance = advance(contact.gap);
            touch.add_to(&mut builder, law.clone())?;
        }
        builder.build()
    }

    /// Contact candidates nearer than `reach`: for each sphere those with later spheres, then walls.
    fn near(&self, reach: f64) -> Vec<Near> {
        let n = self.mass.len();
        let largest = self.radius.iter().copied().fold(0.0, f64::max);
        // Sorted by height (sweep and prune), only a layer of two diameters need be searched.
        let mut by_height: Vec<usize> = (0..n).collect();
        by_height.sort_by(|&i, &j| self.position[i][2].total_cmp(&self.position[j][2]));
        let mut pairs = Vec::new();
        for (k, &i) in by_height.iter().enumerate() {
            for &j in &by_height[k + 1..] {
                if self.position[j][2] - self.position[i][2] > 2.0 * largest + reach {
                    break;
                }
                let apart = minus(&self.position[i], &self.position[j]);
                if length(&apart) < self.radius[i] + self.radius[j] + reach {
                    pairs.push((i.min(j), i.max(j)));
                }
            }
        }
        pairs.sort_unstable();
        // Contacts in the order of spheres: pairs, then walls.
        let mut pairs = pairs.into_iter().peekable();
        let mut near = Vec::new();
        for i in 0..n {
            while let Some(&(_, j)) = pairs.peek().filter(|p| p.0 == i) {
                near.push(self.pair(i, j));
                pairs.next();
            }
            near.extend(self.walls(i).into_iter().filter(|c| c.gap < reach));
        }
        near
    }

    fn pair(&self, i: usize, j: usize) -> Near {
        let apart = minus(&self.position[i], &self.position[j]);
        let distance = length(&apart);
        let normal = scaled(&apart, 1.0 / distance);
        Near {
            touch: self.touch(i, Some(j), normal),
            gap: distance - self.radius[i] - self.radius[j],
        }
    }

    fn walls(&self, i: usize) -> [Near; 5] {
        let (x, side) = (&self.position[i], self.packing.side);
        let walls = [
            (x[2], [0.0, 0.0, 1.0]),
            (x[0], [1.0, 0.0, 0.0]),
            (side - x[0], [-1.0, 0.0, 0.0]),
            (x[1], [0.0, 1.0, 0.0]),
            (side - x[1], [0.0, -1.0, 0.0]),
        ];
        walls.map(|(distance, normal)| Near {
            touch: self.touch(i, None, normal),
            gap: distance - self.radius[i],
        })
    }

    fn touch(&self, i: usize, j: Option<usize>, normal: Vec3) -> SampleContact {
        SampleContact {
            b: i,
            a: j,
            frame: frame(normal),
            lever_b: scaled(&normal, -self.radius[i]),
            lever_a: scaled(&normal, j.map_or(0.0, |j| self.radius[j])),
            advance: 0.0,
        }
    }
}
