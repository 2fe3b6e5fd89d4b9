//! Overlaps: found, reported, and projected out in the kinetic metric (position correction, M88 Remark 11.1).
//!
//! ```text
//! min ½ ‖dq‖²_A   with   g_α(q) + G_α,n dq ≥ 0  for every overlap α
//! ```
//!
//! is (★) without friction: dq takes the place of the velocity, g that of the boundary velocity. Nearly closed
//! gaps are included, so that separating one pair does not make another overlap. A periodic cell with modes is
//! displaced as well. Velocities are not changed: overlapping bodies gain no energy. Discs and spheres: `spheres`.

mod spheres;

use percuss_contact::law::Law;
use percuss_contact::{FactoredDelassus, Problem};
use percuss_solve::{Goal, Solver};

use super::assemble::kinetic;
use super::cell_step::{self, MAX_MODES as MODES};
use super::detection::apply_joints;
use super::scratch::{Detection, Midpoint, ModelCache, Projection};
use super::{CLOSED, NO_GROUP};
use crate::body::Body;
use crate::candidate::Candidate;
use crate::detect::Detector;
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::model::Model;
use crate::settings::Settings;
use crate::state::State;

pub(crate) use spheres::SphereProjection;

/// Two bodies that overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// Indices of the bodies, the smaller one first.
    pub bodies: [u32; 2],
    /// Penetration depth.
    pub depth: f64,
}

/// Tolerance of a projection: the rest is projected in the next step.
const TOLERANCE: f64 = 1e-6;

/// Largest number of sweeps of a projection.
const SWEEPS: usize = 200;

/// Gaps below this fraction of the radii take part in a projection, since separating others may close them.
pub(super) const NEAR: f64 = 1e-5;

/// The projection of overlaps: moves poses, and the cell, of the state.
pub(crate) struct OverlapProjection<'a, D: Dynamics> {
    pub model: &'a Model<D>,
    pub state: &'a mut State<D>,
    pub settings: &'a Settings,
    pub cache: &'a ModelCache<D>,
    pub scratch: &'a mut Projection<D>,
}

impl<D: Dynamics> OverlapProjection<'_, D> {
    /// One projection at the end of a step.
    pub fn project_at_end(
        &mut self,
        midpoint: &Midpoint<D>,
        detection: &Detection<D>,
    ) -> Result<(), WorldError> {
        if self.scratch.spheres.round() {
            self.project_spheres(midpoint, detection);
            return Ok(());
        }
        self.project(CLOSED)
    }

    /// One projection of the overlaps of the present state, if one is deeper than the fraction `share` of the
    /// radii.
    pub fn project(&mut self, share: f64) -> Result<(), WorldError> {
        let t = self.state.t;
        let detector = self.detect_for_projection();
        // Nothing to do unless some overlap exceeds the tolerance.
        let deep = |found: &Candidate<D>| {
            let [a, b] = found
                .bodies
                .map(|i| self.cache.projection_margin[i as usize]);
            -found.point.gap > share / NEAR * (a + b)
        };
        if !detector.candidates().iter().any(deep) {
            self.scratch.detector = Some(detector);
            return Ok(());
        }
        // All bodies at rest: the velocity of the problem is a displacement.
        let old = self.scratch.problem.take();
        let mut builder = old.map_or_else(FactoredDelassus::builder, Problem::recycle);
        let rest = [0.0; 6];
        let refuse = |error: percuss_contact::ProblemError| WorldError::Contact {
            bodies: [0, 0],
            t,
            reason: error.to_string(),
        };
        for group in &self.cache.group {
            if *group != NO_GROUP {
                builder
                    .add_kinetic_group(&rest[..D::DOF], &rest[..D::DOF])
                    .map_err(refuse)?;
            }
        }
        let modes = self.cache.cell.modes();
        if modes > 0 {
            builder
                .add_kinetic_group(&[0.0; MODES][..modes], &[0.0; MODES][..modes])
                .map_err(refuse)?;
        }
        // One frictionless row for each candidate.
        for found in detector.candidates() {
            self.push_overlap(&mut builder, found).map_err(refuse)?;
        }
        let problem = builder.build().map_err(refuse)?;
        if problem.num_contacts() > 0 {
            self.shift_by(&problem);
        }
        self.scratch.problem = Some(problem);
        self.scratch.detector = Some(detector);
        Ok(())
    }

    /// Detects the candidates of the present state, nearly closed gaps included.
    fn detect_for_projection(&mut self) -> Detector<D> {
        let threads = self.settings.threads;
        let known = self.scratch.detector.take();
        let mut detector = known.unwrap_or_else(|| Detector::new(threads));
        let place = (self.model, self.state.cell.as_ref());
        detector.detect_model(place, &self.state.poses, &self.cache.projection_margin);
        apply_joints(
            self.model,
            self.cache,
            &self.state.poses,
            &mut self.scratch.clearance_candidates,
            &mut detector,
        );
        detector
    }

    /// Adds the normal row of a candidate.
    fn push_overlap(
        &self,
        builder: &mut percuss_contact::ProblemBuilder,
        found: &Candidate<D>,
    ) -> Result<(), percuss_contact::ProblemError> {
        let touch = &found.point;
        let at = (touch.point_a + touch.point_b) * 0.5;
        let mut blocks = [[0.0; 6]; 2];
        let (mut sides, mut count) = ([(0_usize, 0_usize); 2], 0);
        let mut size = 0.0;
        for (side, (&body, sign)) in found.bodies.iter().zip([-1.0, 1.0]).enumerate() {
            let body = body as usize;
            if self.cache.group[body] == NO_GROUP {
                continue;
            }
            let pose = &self.state.poses[body];
            let offset = match (side, &self.state.cell) {
                (1, Some(lattice)) => lattice.offset(found.image),
                _ => D::Vector::default(),
            };
            // Normal row at the present pose, at the image for the second body.
            let root = self.cache.inverse_sqrt_mass[body].as_ref();
            D::linear_jacobian_row(
                &pose.rotation,
                at - pose.position - offset,
                touch.normal,
                &mut blocks[side],
            );
            for k in 0..D::DOF {
                blocks[side][k] *= sign * root[k];
                size += blocks[side][k] * blocks[side][k];
            }
            sides[count] = (self.cache.group[body] as usize, side);
            count += 1;
        }
        // A row of zeros constrains nothing.
        if !(size > 0.0) {
            return Ok(());
        }
        let [first, second] = sides.map(|(group, side)| (group, &blocks[side][..D::DOF]));
        let (gap, none) = ([touch.gap], [0.0]);
        let law = Law::Frictionless;
        let modes = self.cache.cell.modes();
        let mut row = [0.0; MODES];
        // Entries of the cell's modes.
        if let (Some(lattice), true) = (&self.state.cell, modes > 0) {
            let [a, b] = found.bodies.map(|i| self.state.poses[i as usize].position);
            let branch = b + lattice.offset(found.image) - a;
            cell_step::fill_row(self.model, self.cache, branch, touch.normal, &mut row);
        }
        let cell = (self.cache.cell.group, &row[..modes]);
        match count {
            2 if modes > 0 => {
                builder.add_contact_with_rebound(law, &[first, second, cell], &gap, &none)?
            }
            1 => builder.add_contact_with_rebound(law, &[first], &gap, &none)?,
            _ => builder.add_contact_with_rebound(law, &[first, second], &gap, &none)?,
        };
        Ok(())
    }

    /// Solves the projection and displaces bodies and cell.
    fn shift_by(&mut self, problem: &Problem) {
        let work = &mut *self.scratch;
        work.impulse.clear();
        work.impulse.resize(problem.num_rows(), 0.0);
        // Few sweeps of moderate accuracy.
        let goal = Goal::with_tolerance(TOLERANCE).at_most(SWEEPS);
        work.solver.solve(problem, &mut work.impulse, &goal);
        let Some(kinetic) = kinetic(problem) else {
            return;
        };
        let hat = &mut work.displacement;
        hat.resize(kinetic.num_coordinates(), 0.0);
        kinetic.velocity_into(&work.impulse, hat);
        // Displacement dq = A^-½ dq̂ of each body, applied as a velocity over unit time.
        for (i, group) in self.cache.group.iter().enumerate() {
            if *group == NO_GROUP {
                continue;
            }
            let first = *group as usize * D::DOF;
            let root = self.cache.inverse_sqrt_mass[i].as_ref();
            let mut step = D::ZERO_VELOCITY;
            for (k, s) in step.as_mut().iter_mut().enumerate() {
                *s = hat[first + k] * root[k];
            }
            if step.as_ref().iter().all(|s| s.is_finite()) {
                self.state.poses[i] = D::advance_pose(&self.state.poses[i], &step, 1.0);
            }
        }
        cell_step::shift(self.model, self.state, self.cache, hat);
    }
}

/// Margin of each body in the projection's detection: a fraction of its radius if it is movable.
pub(super) fn margins<D: Dynamics>(model: &Model<D>, size: &[f64]) -> Vec<f64> {
    let bodies = model.bodies.iter().zip(size);
    let one = |(body, size): (&Body<D>, &f64)| match body.freedom.movable() {
        true => NEAR * size,
        false => 0.0,
    };
    bodies.map(one).collect()
}
