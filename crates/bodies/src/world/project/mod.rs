//! Overlaps: found, reported, projected away in the kinetic metric (M88 Remark 11.1).
//!
//! ```text
//! min ½ ‖dq‖²_A   with   g_α(q) + G_α,n dq ≥ 0  for every overlap α
//! ```
//!
//! is (★) without friction: dq stands for the velocity, g for the given one. Touches that are nearly closed
//! take part, so that what pushes one pair apart does not press another together. A periodic cell that
//! follows a stress gives way, too. Velocities are left alone: what overlaps gains nothing by it.

mod grains;

use contact::law::Law;
use contact::{FactoredDelassus, Problem};
use solve::{Goal, Solver};

use super::cell::MOST as MODES;
use super::{CLOSED, NO_GROUP, World};
use crate::detect::{Detector, Found};
use crate::dim::Dim;
use crate::error::WorldError;
use crate::model::{Body, Model};

pub(super) use grains::Grains;

/// Two bodies that overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Overlap {
    /// The bodies, the smaller number first.
    pub bodies: [u32; 2],
    /// How deep.
    pub depth: f64,
}

/// Accuracy of a projection: what is left is projected in the next step.
const TOLERANCE: f64 = 1e-6;

/// Sweeps of a projection at most.
const SWEEPS: usize = 200;

/// Of the radii of two bodies: a gap below this share is looked at by a projection, too, since what pushes
/// others apart may close it.
pub(super) const NEAR: f64 = 1e-5;

impl<D: Dim> World<D> {
    /// All pairs of bodies that overlap by more than `tolerance`, deepest first.
    pub fn overlaps(&mut self, tolerance: f64) -> Vec<Overlap> {
        let work = &mut self.work;
        work.detector.detect_within(
            (&self.model, self.state.cell.as_ref()),
            &self.state.poses,
            &[],
        );
        self.link
            .amend(&self.model, &self.state.poses, &mut self.work.detector);
        let work = &mut self.work;
        let mut all: Vec<Overlap> = Vec::new();
        for found in work.detector.found() {
            let (bodies, depth) = (found.bodies, -found.touch.gap);
            if depth <= tolerance {
                continue;
            }
            match all.last_mut().filter(|last| last.bodies == bodies) {
                Some(last) => last.depth = last.depth.max(depth),
                None => all.push(Overlap { bodies, depth }),
            }
        }
        self.forget();
        all.sort_by(|a, b| b.depth.total_cmp(&a.depth).then(a.bodies.cmp(&b.bodies)));
        all
    }

    /// Moves bodies apart until no overlap is deeper than `tolerance`, by projections in the kinetic
    /// metric; returns the deepest overlap that is left after at most `rounds` of them.
    ///
    /// # Errors
    /// As [`World::advance`].
    pub fn relax(&mut self, tolerance: f64, rounds: usize) -> Result<f64, WorldError> {
        let deepest = |world: &mut Self| world.overlaps(0.0).first().map_or(0.0, |o| o.depth);
        let mut left = deepest(self);
        for _ in 0..rounds {
            if left <= tolerance {
                break;
            }
            self.project(0.0)?;
            left = deepest(self);
        }
        self.forget();
        self.begin_account();
        Ok(left)
    }

    /// One projection at the end of a step, whose touches the detector has.
    pub(super) fn correct(&mut self) -> Result<(), WorldError> {
        if self.work.grains.round() {
            self.project_grains();
            return Ok(());
        }
        self.project(CLOSED)
    }

    /// One projection of the overlaps of the present state, if one is deeper than a share of the radii.
    fn project(&mut self, share: f64) -> Result<(), WorldError> {
        let t = self.state.t;
        let detector = self.detect_near();
        let deep = |found: &Found<D>| {
            let [a, b] = found.bodies.map(|i| self.work.near[i as usize]);
            -found.touch.gap > share / NEAR * (a + b)
        };
        if !detector.found().iter().any(deep) {
            self.work.projector = Some(detector);
            return Ok(());
        }
        let old = self.work.projection.take();
        let mut builder = old.map_or_else(FactoredDelassus::builder, Problem::recycle);
        let rest = [0.0; 6];
        let refuse = |error: contact::ProblemError| WorldError::Contact {
            bodies: [0, 0],
            t,
            reason: error.to_string(),
        };
        for group in &self.work.group {
            if *group != NO_GROUP {
                builder
                    .add_kinetic_group(&rest[..D::DOF], &rest[..D::DOF])
                    .map_err(refuse)?;
            }
        }
        let modes = self.work.cell.modes();
        if modes > 0 {
            builder
                .add_kinetic_group(&[0.0; MODES][..modes], &[0.0; MODES][..modes])
                .map_err(refuse)?;
        }
        for found in detector.found() {
            self.push_overlap(&mut builder, found).map_err(refuse)?;
        }
        let problem = builder.build().map_err(refuse)?;
        if problem.num_contacts() > 0 {
            self.shift_by(&problem);
        }
        self.work.projection = Some(problem);
        self.work.projector = Some(detector);
        Ok(())
    }

    /// The touches of the present state, those that are nearly closed among them.
    fn detect_near(&mut self) -> Detector<D> {
        let work = &mut self.work;
        let threads = self.settings.threads;
        let projector = work.projector.take();
        let mut detector = projector.unwrap_or_else(|| Detector::new(threads));
        let place = (&self.model, self.state.cell.as_ref());
        detector.detect_within(place, &self.state.poses, &work.near);
        self.link
            .amend(&self.model, &self.state.poses, &mut detector);
        detector
    }

    /// The normal row of an overlap.
    fn push_overlap(
        &self,
        builder: &mut contact::ProblemBuilder,
        found: &Found<D>,
    ) -> Result<(), contact::ProblemError> {
        let touch = &found.touch;
        let at = (touch.point_a + touch.point_b) * 0.5;
        let mut blocks = [[0.0; 6]; 2];
        let (mut sides, mut count) = ([(0_usize, 0_usize); 2], 0);
        let mut size = 0.0;
        for (side, (&body, sign)) in found.bodies.iter().zip([-1.0, 1.0]).enumerate() {
            let body = body as usize;
            if self.work.group[body] == NO_GROUP {
                continue;
            }
            let pose = &self.state.poses[body];
            let offset = match (side, &self.state.cell) {
                (1, Some(lattice)) => lattice.offset(found.shift),
                _ => D::Vector::default(),
            };
            let root = self.work.inverse_root[body].as_ref();
            D::row(
                &pose.rotation,
                at - pose.position - offset,
                touch.normal,
                &mut blocks[side],
            );
            for k in 0..D::DOF {
                blocks[side][k] *= sign * root[k];
                size += blocks[side][k] * blocks[side][k];
            }
            sides[count] = (self.work.group[body] as usize, side);
            count += 1;
        }
        if !(size > 0.0) {
            return Ok(());
        }
        let [first, second] = sides.map(|(group, side)| (group, &blocks[side][..D::DOF]));
        let (gap, none) = ([touch.gap], [0.0]);
        let law = Law::Frictionless;
        let modes = self.work.cell.modes();
        let mut row = [0.0; MODES];
        if let (Some(lattice), true) = (&self.state.cell, modes > 0) {
            let [a, b] = found.bodies.map(|i| self.state.poses[i as usize].position);
            let branch = b + lattice.offset(found.shift) - a;
            self.cell_row(branch, touch.normal, &mut row);
        }
        let cell = (self.work.cell.group, &row[..modes]);
        match count {
            2 if modes > 0 => {
                builder.add_contact_with_rebound(law, &[first, second, cell], &gap, &none)?
            }
            1 => builder.add_contact_with_rebound(law, &[first], &gap, &none)?,
            _ => builder.add_contact_with_rebound(law, &[first, second], &gap, &none)?,
        };
        Ok(())
    }

    /// Solves the projection and moves the bodies.
    fn shift_by(&mut self, problem: &Problem) {
        let work = &mut self.work;
        work.shift.clear();
        work.shift.resize(problem.num_rows(), 0.0);
        let goal = Goal::with_tolerance(TOLERANCE).at_most(SWEEPS);
        work.sweeper.solve(problem, &mut work.shift, &goal);
        let Some(kinetic) = super::kinetic(problem) else {
            return;
        };
        let mut hat = std::mem::take(&mut work.displacement);
        hat.resize(kinetic.num_coordinates(), 0.0);
        kinetic.velocity_into(&work.shift, &mut hat);
        for (i, group) in work.group.iter().enumerate() {
            if *group == NO_GROUP {
                continue;
            }
            let first = *group as usize * D::DOF;
            let root = work.inverse_root[i].as_ref();
            let mut step = D::REST;
            for (k, s) in step.as_mut().iter_mut().enumerate() {
                *s = hat[first + k] * root[k];
            }
            if step.as_ref().iter().all(|s| s.is_finite()) {
                self.state.poses[i] = D::advance(&self.state.poses[i], &step, 1.0);
            }
        }
        self.shift_cell(&hat);
        self.work.displacement = hat;
    }

    /// Contacts of the last step are no longer those of the detector.
    fn forget(&mut self) {
        self.work.active.clear();
        self.work.status.clear();
        self.work.mid.clear();
        self.link.forget();
    }
}

/// How far a projection looks beyond each body: a share of its radius where it moves.
pub(super) fn reaches<D: Dim>(model: &Model<D>, size: &[f64]) -> Vec<f64> {
    let bodies = model.bodies.iter().zip(size);
    let one = |(body, size): (&Body<D>, &f64)| match body.freedom.movable() {
        true => NEAR * size,
        false => 0.0,
    };
    bodies.map(one).collect()
}
