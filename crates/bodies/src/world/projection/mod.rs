//! Overlaps: found, reported, and projected out in the kinetic metric (position correction, M88 Remark 11.1).
//!
//! ```text
//! min ½ ‖dq‖²_A   with   g_α(q) + G_α,n dq ≥ 0  for every overlap α
//! ```
//!
//! is (★) without friction: dq takes the place of the velocity, g that of the boundary velocity. Nearly closed
//! gaps are included, so that separating one pair does not make another overlap. A periodic cell with modes is
//! displaced as well. Velocities are not changed: overlapping bodies gain no energy. Discs and spheres: `grains`.

mod spheres;

use contact::law::Law;
use contact::{FactoredDelassus, Problem};
use solve::{Goal, Solver};

use super::cell_step::MAX_MODES as MODES;
use super::{CLOSED, NO_GROUP, World};
use crate::detect::{Candidate, Detector};
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::model::{Body, Model};

pub(super) use spheres::SphereProjection;

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

impl<D: Dynamics> World<D> {
    /// All pairs of bodies that overlap by more than `tolerance`, deepest first.
    pub fn overlaps(&mut self, tolerance: f64) -> Vec<Overlap> {
        let work = &mut self.scratch;
        // Detection of the state without margin.
        work.detector.detect_model(
            (&self.model, self.state.cell.as_ref()),
            &self.state.poses,
            &[],
        );
        self.joints
            .apply_to_detector(&self.model, &self.state.poses, &mut self.scratch.detector);
        let work = &mut self.scratch;
        let mut all: Vec<Overlap> = Vec::new();
        for found in work.detector.candidates() {
            let (bodies, depth) = (found.bodies, -found.point.gap);
            if depth <= tolerance {
                continue;
            }
            // Candidates are sorted by bodies: the deepest point of a pair counts.
            match all.last_mut().filter(|last| last.bodies == bodies) {
                Some(last) => last.depth = last.depth.max(depth),
                None => all.push(Overlap { bodies, depth }),
            }
        }
        self.invalidate_contacts();
        all.sort_by(|a, b| b.depth.total_cmp(&a.depth).then(a.bodies.cmp(&b.bodies)));
        all
    }

    /// Separates overlapping bodies until no overlap is deeper than `tolerance`, by projections in the kinetic
    /// metric; returns the deepest overlap that is left after at most `rounds` of them.
    ///
    /// # Errors
    /// A projection problem that cannot be assembled.
    pub fn separate_overlaps(&mut self, tolerance: f64, rounds: usize) -> Result<f64, WorldError> {
        let deepest = |world: &mut Self| world.overlaps(0.0).first().map_or(0.0, |o| o.depth);
        let mut left = deepest(self);
        for _ in 0..rounds {
            if left <= tolerance {
                break;
            }
            self.project(0.0)?;
            left = deepest(self);
        }
        self.invalidate_contacts();
        self.initial_report();
        Ok(left)
    }

    /// One projection at the end of a step.
    pub(super) fn project_overlaps(&mut self) -> Result<(), WorldError> {
        if self.scratch.sphere_projection.round() {
            self.project_spheres();
            return Ok(());
        }
        self.project(CLOSED)
    }

    /// One projection of the overlaps of the present state, if one is deeper than the fraction `share` of the
    /// radii.
    fn project(&mut self, share: f64) -> Result<(), WorldError> {
        let t = self.state.t;
        let detector = self.detect_for_projection();
        // Nothing to do unless some overlap exceeds the tolerance.
        let deep = |found: &Candidate<D>| {
            let [a, b] = found
                .bodies
                .map(|i| self.scratch.projection_margin[i as usize]);
            -found.point.gap > share / NEAR * (a + b)
        };
        if !detector.candidates().iter().any(deep) {
            self.scratch.projection_detector = Some(detector);
            return Ok(());
        }
        // All bodies at rest: the velocity of the problem is a displacement.
        let old = self.scratch.projection_problem.take();
        let mut builder = old.map_or_else(FactoredDelassus::builder, Problem::recycle);
        let rest = [0.0; 6];
        let refuse = |error: contact::ProblemError| WorldError::Contact {
            bodies: [0, 0],
            t,
            reason: error.to_string(),
        };
        for group in &self.scratch.group {
            if *group != NO_GROUP {
                builder
                    .add_kinetic_group(&rest[..D::DOF], &rest[..D::DOF])
                    .map_err(refuse)?;
            }
        }
        let modes = self.scratch.cell.modes();
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
        self.scratch.projection_problem = Some(problem);
        self.scratch.projection_detector = Some(detector);
        Ok(())
    }

    /// Detects the candidates of the present state, nearly closed gaps included.
    fn detect_for_projection(&mut self) -> Detector<D> {
        let work = &mut self.scratch;
        let threads = self.settings.threads;
        let projector = work.projection_detector.take();
        let mut detector = projector.unwrap_or_else(|| Detector::new(threads));
        let place = (&self.model, self.state.cell.as_ref());
        detector.detect_model(place, &self.state.poses, &work.projection_margin);
        self.joints
            .apply_to_detector(&self.model, &self.state.poses, &mut detector);
        detector
    }

    /// Adds the normal row of a candidate.
    fn push_overlap(
        &self,
        builder: &mut contact::ProblemBuilder,
        found: &Candidate<D>,
    ) -> Result<(), contact::ProblemError> {
        let touch = &found.point;
        let at = (touch.point_a + touch.point_b) * 0.5;
        let mut blocks = [[0.0; 6]; 2];
        let (mut sides, mut count) = ([(0_usize, 0_usize); 2], 0);
        let mut size = 0.0;
        for (side, (&body, sign)) in found.bodies.iter().zip([-1.0, 1.0]).enumerate() {
            let body = body as usize;
            if self.scratch.group[body] == NO_GROUP {
                continue;
            }
            let pose = &self.state.poses[body];
            let offset = match (side, &self.state.cell) {
                (1, Some(lattice)) => lattice.offset(found.image),
                _ => D::Vector::default(),
            };
            // Normal row at the present pose, at the image for the second body.
            let root = self.scratch.inverse_sqrt_mass[body].as_ref();
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
            sides[count] = (self.scratch.group[body] as usize, side);
            count += 1;
        }
        // A row of zeros constrains nothing.
        if !(size > 0.0) {
            return Ok(());
        }
        let [first, second] = sides.map(|(group, side)| (group, &blocks[side][..D::DOF]));
        let (gap, none) = ([touch.gap], [0.0]);
        let law = Law::Frictionless;
        let modes = self.scratch.cell.modes();
        let mut row = [0.0; MODES];
        // Entries of the cell's modes.
        if let (Some(lattice), true) = (&self.state.cell, modes > 0) {
            let [a, b] = found.bodies.map(|i| self.state.poses[i as usize].position);
            let branch = b + lattice.offset(found.image) - a;
            self.cell_row(branch, touch.normal, &mut row);
        }
        let cell = (self.scratch.cell.group, &row[..modes]);
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
        let work = &mut self.scratch;
        work.projection_impulse.clear();
        work.projection_impulse.resize(problem.num_rows(), 0.0);
        // Few sweeps of moderate accuracy.
        let goal = Goal::with_tolerance(TOLERANCE).at_most(SWEEPS);
        work.projection_solver
            .solve(problem, &mut work.projection_impulse, &goal);
        let Some(kinetic) = super::kinetic(problem) else {
            return;
        };
        let mut hat = std::mem::take(&mut work.displacement);
        hat.resize(kinetic.num_coordinates(), 0.0);
        kinetic.velocity_into(&work.projection_impulse, &mut hat);
        // Displacement dq = A^-½ dq̂ of each body, applied as a velocity over unit time.
        for (i, group) in work.group.iter().enumerate() {
            if *group == NO_GROUP {
                continue;
            }
            let first = *group as usize * D::DOF;
            let root = work.inverse_sqrt_mass[i].as_ref();
            let mut step = D::ZERO_VELOCITY;
            for (k, s) in step.as_mut().iter_mut().enumerate() {
                *s = hat[first + k] * root[k];
            }
            if step.as_ref().iter().all(|s| s.is_finite()) {
                self.state.poses[i] = D::advance_pose(&self.state.poses[i], &step, 1.0);
            }
        }
        self.shift_cell(&hat);
        self.scratch.displacement = hat;
    }

    /// Invalidates the contacts of the last step: the detector now holds other candidates.
    fn invalidate_contacts(&mut self) {
        self.scratch.active.clear();
        self.scratch.status.clear();
        self.scratch.mid.clear();
        self.joints.forget();
    }
}

/// Margin of each body in the projection's detection: a fraction of its radius if it is movable.
pub(super) fn reaches<D: Dynamics>(model: &Model<D>, size: &[f64]) -> Vec<f64> {
    let bodies = model.bodies.iter().zip(size);
    let one = |(body, size): (&Body<D>, &f64)| match body.freedom.movable() {
        true => NEAR * size,
        false => 0.0,
    };
    bodies.map(one).collect()
}
