//! Every step accounts for itself (JM92 §6).
//!
//! ```text
//! momentum:  A(u_F − u_L) = Σ Gᵀ S          G applied anew, from points and normals
//! energy:    E_F − E_I = hK·½(u_F + u_I) + Σ ½ S·(U_F + U_I) − Σ ½ S·(W_F + W_I)
//! ```
//!
//! Given forces include the gyroscopic ones; without contacts they do no work.

use contact::law::{Law, Status};
use contact::{Kinetic, Problem};
use solve::Report;

use super::joint::JointWorks;
use super::{NO_GROUP, Workspace, World, kinetic};
use crate::dim::Dim;
use crate::state::Ledger;
use crate::vector::Vector;

/// Rows of a contact at most.
const WIDE: usize = 6;

/// Works of the contacts of a step.
#[derive(Default)]
struct Works {
    impact: f64,
    sliding: f64,
    boundary: f64,
    joint: JointWorks,
}

impl<D: Dim> World<D> {
    /// The account before the first step: energies alone.
    pub(super) fn begin_account(&mut self) {
        self.ledger = Ledger {
            t: self.state.t,
            reached: true,
            kinetic: self.kinetic_energy(&self.state.velocities) + self.cell_energy(),
            potential: self.potential_energy(),
            ..Ledger::default()
        };
        (self.ledger.elastic, self.ledger.drift) = self.read_joints();
    }

    /// ½ m v² of one body.
    pub(super) fn kinetic_of(&self, body: usize, velocity: &D::Dofs) -> f64 {
        let root = self.work.inverse_root[body].as_ref().iter();
        let parts = root.zip(velocity.as_ref()).filter(|(r, _)| **r > 0.0);
        0.5 * parts.map(|(r, v)| (v / r) * (v / r)).sum::<f64>()
    }

    /// The account of the step whose velocities are known and whose state is still that before.
    pub(super) fn account(&mut self, t_end: f64) {
        let before = self.ledger.kinetic;
        let (work, at_stake) = self.work_of_forces();
        let (works, momentum) = self.contacts_account();
        let after = self.kinetic_energy(&self.work.end) + self.cell_energy();
        let terms = [
            after,
            -before,
            -work,
            -works.impact,
            -works.sliding,
            -works.boundary,
            -works.joint.motor,
            -works.joint.spring,
            -works.joint.rub,
            -works.joint.held,
        ];
        let scale = terms.iter().fold(at_stake, |m, t| m.max(t.abs()));
        let relative = |x: f64| if scale > 0.0 { x / scale } else { x };
        let found = self.work.detector.found().iter();
        let report = self.work.report.as_ref();
        self.ledger = Ledger {
            t: t_end,
            h: self.settings.step,
            num_active: self.work.active.len(),
            num_pairs: self.work.detector.num_pairs(),
            residual: report.map_or(0.0, |r| r.residual),
            iterations: report.map_or(0, |r| r.iterations),
            reached: report.is_none_or(Report::reached),
            penetration: found.fold(0.0, |deepest, f| deepest.max(-f.touch.gap)),
            momentum,
            kinetic: after,
            potential: 0.0,
            work,
            impact: works.impact,
            sliding: works.sliding,
            boundary: works.boundary,
            energy: relative(terms.iter().sum::<f64>().abs()),
            gain: relative((works.impact + works.sliding).max(0.0)),
            motor: works.joint.motor,
            spring: works.joint.spring,
            rub: works.joint.rub,
            held: works.joint.held,
            drift: 0.0,
            elastic: 0.0,
        };
    }

    /// Energy of gravity where the bodies are now; the last entry of the account.
    pub(super) fn account_position(&mut self) {
        self.ledger.potential = self.potential_energy();
        if !self.model.joints.is_empty() {
            self.ledger.kinetic = self.kinetic_energy(&self.state.velocities);
            (self.ledger.elastic, self.ledger.drift) = self.read_joints();
        }
    }

    /// ½ Σ m v² over what follows forces.
    fn kinetic_energy(&self, velocities: &[D::Dofs]) -> f64 {
        let mut sum = 0.0;
        for (root, velocity) in self.work.inverse_root.iter().zip(velocities) {
            for (r, v) in root.as_ref().iter().zip(velocity.as_ref()) {
                if *r > 0.0 {
                    let hat = v / r;
                    sum += hat * hat;
                }
            }
        }
        0.5 * sum
    }

    /// −Σ m g·x over the bodies that follow gravity.
    fn potential_energy(&self) -> f64 {
        let gravity = self.model.gravity;
        let mut sum = 0.0;
        for (body, pose) in self.model.bodies.iter().zip(&self.state.poses) {
            for k in 0..D::N {
                if body.freedom.follows(k) {
                    sum -= body.mass.mass * gravity.slice()[k] * pose.position.slice()[k];
                }
            }
        }
        sum
    }

    /// (v̂_L − v̂_I)·½(v̂_F + v̂_I), and ½‖v̂_L − v̂_I‖², what the forces would do to bodies at rest: close
    /// to rest every other term is a difference of rounding errors of that size.
    fn work_of_forces(&self) -> (f64, f64) {
        let work = &self.work;
        let known = work.problem.as_ref().and_then(kinetic);
        let (mut sum, mut at_stake) = self.cell_work();
        for (i, group) in work.group.iter().enumerate() {
            if *group == NO_GROUP {
                continue;
            }
            let root = work.inverse_root[i].as_ref();
            let begin = work.turned(i, &self.state.velocities[i]);
            let end = work.turned(i, &work.end[i]);
            for k in (0..D::DOF).filter(|&k| root[k] > 0.0) {
                let (u, v) = (begin.as_ref()[k] / root[k], end.as_ref()[k] / root[k]);
                let free = known.map_or(v, |kin| kin.free()[*group as usize * D::DOF + k]);
                sum += (free - u) * 0.5 * (u + v);
                at_stake += 0.5 * (free - u) * (free - u);
            }
        }
        (sum, at_stake)
    }

    /// Works of the contacts, what each of them did, and what is left of the balance of momentum.
    fn contacts_account(&mut self) -> (Works, f64) {
        let mut works = Works::default();
        self.work.status.clear();
        self.work.finish.clear();
        let Some(problem) = self.work.problem.take() else {
            return (works, 0.0);
        };
        let mut momentum = 0.0;
        if let Some(kinetic) = kinetic(&problem) {
            for contact in 0..self.work.active.len() {
                self.work
                    .contact_works(&problem, kinetic, contact, &mut works);
            }
            works.joint = self.joint_works(&problem);
            works.impact += works.joint.limit;
            works.boundary += works.joint.boundary;
            momentum = self.momentum(&problem, kinetic);
        }
        self.work.problem = Some(problem);
        (works, momentum)
    }

    /// ‖v̂_F − v̂_L − A^(-1/2) Σ GᵀS‖ relative to its largest term, GᵀS from the vectors of the
    /// impulses and the points they act at.
    fn momentum(&mut self, problem: &Problem, kinetic: &Kinetic) -> f64 {
        let mut rest = std::mem::take(&mut self.work.rest);
        rest.clear();
        rest.resize(self.model.bodies.len(), D::REST);
        for (contact, &touch) in self.work.active.iter().enumerate() {
            let found = &self.work.detector.found()[touch as usize];
            let s = &self.work.impulse[problem.rows(contact)];
            let frame = self.frame(touch);
            let axes = frame.as_ref();
            let (mut vector, mut moment) = (D::Vector::default(), D::Vector::default());
            for (i, s) in s.iter().enumerate() {
                if i < D::N {
                    vector += axes[i] * *s;
                } else {
                    moment += axes[(i - D::N + 1) % D::N] * *s;
                }
            }
            let at = (found.touch.point_a + found.touch.point_b) * 0.5;
            for (side, (&body, sign)) in found.bodies.iter().zip([-1.0, 1.0]).enumerate() {
                let centre = self.work.centre(found, side);
                let (mut row, mut turn) = ([0.0; WIDE], [0.0; WIDE]);
                let axes = self.work.axes(body as usize);
                D::row(&axes, at - centre, vector, &mut row);
                if s.len() > D::N {
                    match D::N {
                        2 => turn[2] = s[2],
                        _ => D::spin_row(&axes, moment, &mut turn),
                    }
                }
                let sum = rest[body as usize].as_mut();
                for (k, entry) in sum.iter_mut().enumerate() {
                    *entry += sign * (row[k] + turn[k]);
                }
            }
        }
        self.add_joint_impulses(problem, &mut rest);
        let figure = self.work.unbalanced(kinetic, &rest);
        self.work.rest = rest;
        figure
    }
}

/// What a contact with an impulse does that would open if it were solved anew: where normal and
/// tangential rows are strongly coupled both may obey the law (M88 §14). A pair that obeys it is
/// what happened.
fn carried(law: &Law, kappa: f64, impulse: &[f64], velocity: &[f64]) -> Status {
    let mut left = [0.0; WIDE];
    let left = &mut left[..impulse.len()];
    law.natural_residual(kappa, impulse, velocity, left);
    let square = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>();
    match square(left) <= 0.25 * square(impulse) {
        true => law.status(impulse, velocity, velocity[0].abs()),
        false => Status::Open,
    }
}

impl<D: Dim> Workspace<D> {
    /// Works, end velocity and status of one contact.
    fn contact_works(
        &mut self,
        problem: &Problem,
        kinetic: &Kinetic,
        contact: usize,
        works: &mut Works,
    ) {
        let rows = problem.rows(contact);
        let d = rows.len();
        let (mut end, mut own) = ([0.0; WIDE], [0.0; WIDE]);
        for (i, row) in rows.clone().enumerate() {
            end[i] = kinetic.boundary(row);
        }
        let boundary = end;
        kinetic.add_gather(contact, &self.hat, &mut end[..d]);
        kinetic.add_gather(contact, kinetic.begin(), &mut own[..d]);
        let mut free = [0.0; WIDE];
        let h = problem.block(contact);
        for (i, row) in rows.clone().enumerate() {
            let (s, begin) = (self.impulse[row], self.begin[row]);
            let done = 0.5 * s * (begin + end[i]);
            if i == 0 {
                works.impact += done;
            } else {
                works.sliding += done;
            }
            // W_I = U_I − G u_I.
            works.boundary -= 0.5 * s * (begin - own[i] + boundary[i]);
            let bar = end[i] + kinetic.rebound(row);
            let held: f64 = (0..d)
                .map(|j| h[i * d + j] * self.impulse[rows.start + j])
                .sum();
            free[i] = bar - held;
        }
        let mut again = [0.0; WIDE];
        let impulse = &self.impulse[rows.clone()];
        again[..d].copy_from_slice(impulse);
        let law = problem.law(contact);
        let mut status = law.solve_local(h, &free[..d], &mut again[..d]);
        if status == Status::Open && impulse[0] > 0.0 {
            let mut bar = end;
            for (i, row) in rows.clone().enumerate() {
                bar[i] += kinetic.rebound(row);
            }
            status = carried(law, problem.kappa(contact), impulse, &bar[..d]);
        }
        self.finish.extend_from_slice(&end[..d]);
        self.status.push(status);
    }

    /// What `rest`, the impulses by body, leaves of the change of momentum.
    fn unbalanced(&self, kinetic: &Kinetic, rest: &[D::Dofs]) -> f64 {
        let (mut left, mut changed, mut pushed) = (0.0, 0.0, 0.0);
        for (i, group) in self.group.iter().enumerate() {
            if *group == NO_GROUP {
                continue;
            }
            let root = self.inverse_root[i].as_ref();
            let end = self.turned(i, &self.end[i]);
            for k in (0..D::DOF).filter(|&k| root[k] > 0.0) {
                let free = kinetic.free()[*group as usize * D::DOF + k];
                let change = end.as_ref()[k] / root[k] - free;
                let push = root[k] * rest[i].as_ref()[k];
                left += (change - push) * (change - push);
                changed += free * free;
                pushed += push * push;
            }
        }
        let scale: f64 = f64::max(changed, pushed);
        if scale > 0.0 {
            (left / scale).sqrt()
        } else {
            left.sqrt()
        }
    }
}
