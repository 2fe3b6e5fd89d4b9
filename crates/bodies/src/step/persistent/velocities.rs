//! Velocities at the end of a step: persistent contacts obey their law with U_F at q_F and the impulse of the whole step.
//!
//! ```text
//! u_F′ = u_F + A⁻¹ Σ G(q_F)ᵀ S′,      law(U_F′ + c, S + S′),      held rows of joints: U_F′ = 0
//! ```
//!
//! This is a contact problem like (★), for the same laws, solver and residual, with the free velocity u_F − A⁻¹ Σ GᵀS
//! and the impulses S as its start. They are left as they are where they meet the tolerance.

use percuss_contact::law::Status;
use percuss_contact::{FactoredDelassus, Problem, ResidualEvaluator, ResidualMeasure};
use percuss_solve::Solver;

use super::PersistentScratch;
use crate::body::Body;
use crate::candidate::Candidate;
use crate::dynamics::Dynamics;
use crate::error::WorldError;
use crate::model::Model;
use crate::state::{Contact, PersistentContact, State, StepReport};
use crate::step::assemble::{self, WIDE, frame, kinetic};
use crate::step::balance::contact_status;
use crate::step::scratch::{Balance, Midpoint};
use crate::step::{NO_GROUP, SolvedStep, StepInputs, end_velocity, not_finite, solve};
use percuss_geometry::Vector;

/// A contact slides in the mean of the step and at its end if the two velocities differ by less than this share.
const SLIDES: f64 = 0.5;

/// What the projection did beside the velocities.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ProjectionReport {
    /// Works Σ ½S′·(U_F + U_F′) of normal and of other rows of contacts, of held rows of joints, and −Σ S′·W.
    impact: f64,
    sliding: f64,
    bilateral: f64,
    boundary: f64,
    /// The part of them of contacts that do not slide.
    lasting: f64,
    /// Velocity residual RV, and iterations of the solver.
    residual: f64,
    iterations: usize,
}

impl ProjectionReport {
    /// Adds the works to the report of the step.
    pub fn add_to(&self, tolerance: f64, report: &mut StepReport) {
        report.impact += self.impact;
        report.sliding += self.sliding;
        report.bilateral += self.bilateral;
        report.boundary += self.boundary;
        report.lasting += self.lasting;
        report.iterations += self.iterations;
        // A residual that is not a number misses, too.
        report.reached &= self.residual <= tolerance;
        if !(self.residual <= report.residual) {
            report.residual = self.residual;
        }
        // Energy gained by the projection that the step itself did not lose.
        let own = self.impact + self.sliding + self.bilateral;
        let all = report.impact + report.sliding + report.joint_friction + report.bilateral;
        let gained = own.min(all);
        if gained > 0.0 && report.turnover > 0.0 {
            report.gain += gained / report.turnover;
            report.excess += gained / report.turnover;
        }
    }
}

impl<D: Dynamics> PersistentScratch<D> {
    /// Finds the contacts that are projected, at the poses of the state at the end of the step. `step` is the solved
    /// step, whose `state` is that of the end with the contacts of its beginning.
    pub fn find(&mut self, step: SolvedStep<'_, D>, balance: &Balance<D>) {
        self.contacts.select(step, balance);
        self.contacts
            .reevaluate(step, &step.inputs.state.poses, step.inputs.detection);
        self.contacts.remember(step, balance);
    }

    /// Solves for the velocities at the end of the step; they stay as they are where they meet the tolerance.
    pub fn project_velocities(
        &mut self,
        step: SolvedStep<'_, D>,
        balance: &Balance<D>,
        solver: &mut dyn Solver,
    ) -> Result<ProjectionReport, WorldError> {
        let mut done = ProjectionReport::default();
        self.velocity.velocity.clear();
        if self.contacts.candidates.is_empty() {
            return Ok(done);
        }
        let StepInputs {
            model,
            state,
            settings,
            cache,
            detection,
            ..
        } = step.inputs;
        self.end.poses.clone_from(&state.poses);
        self.set_shift(step, balance);
        self.set_free(step);
        let Self {
            contacts,
            end,
            free,
            assembly,
            solution,
            velocity,
            judge,
            ends,
            scratch,
            ..
        } = self;
        let inputs = StepInputs {
            midpoint: end,
            free,
            ..step.inputs
        };
        let chosen = assemble::EndContacts {
            candidates: &contacts.candidates,
            memory: &contacts.memory,
            shift: &contacts.shift,
        };
        assemble::assemble(
            inputs,
            Some(chosen),
            state.t,
            assembly,
            &mut solution.impulse,
        )?;
        let Some((problem, kinetic)) = problem_of(assembly.problem.as_ref()) else {
            return Ok(done);
        };
        let judge = judge.get_or_insert_with(|| ResidualEvaluator::new(problem));
        judge.resize_for(problem);
        let mut residual = |s: &[f64]| judge.residual(problem, s, ResidualMeasure::Velocity);
        done.residual = residual(&solution.impulse);
        // No more exact than the step was solved.
        let of_step = step.solution.report.as_ref().map_or(0.0, |r| r.residual);
        let missed = !(done.residual <= settings.tolerance.max(of_step));
        if missed {
            let threads = detection.detector.threads();
            solve::solve(solver, Some(problem), settings, threads, None, solution);
            done.residual = residual(&solution.impulse);
            let report = solution.report.as_ref();
            done.iterations = report.map_or(0, |report| report.iterations);
        }
        // U_F′ of all rows.
        ends.resize(problem.num_rows(), 0.0);
        scratch.resize(problem.scratch_len(), 0.0);
        problem.velocity_into(&solution.impulse, scratch, ends);
        for (row, end) in ends.iter_mut().enumerate() {
            *end -= kinetic.rebound(row);
        }
        if missed {
            let s = &solution.impulse;
            end_velocity::compute(model, cache, end, free, Some(problem), s, velocity);
            self.add_works(step, balance, &mut done);
        }
        Ok(done)
    }

    /// c of the contacts that slide: the mean velocity of the step less that at its end, row by row.
    fn set_shift(&mut self, step: SolvedStep<'_, D>, balance: &Balance<D>) {
        let Some(problem) = &step.assembly.problem else {
            return;
        };
        let contacts = &mut self.contacts;
        contacts.shift.clear();
        for (&k, found) in contacts.source.iter().zip(&contacts.candidates) {
            let mut shift = [0.0; WIDE];
            let rows = problem.rows(k as usize);
            // Contacts that close in this step have no mean velocity of sliding.
            if step.assembly.persistent[k as usize] && rows.len() > 1 {
                let (begin, end) = (
                    &step.assembly.begin_velocity[rows.clone()],
                    &balance.end_velocity[rows.clone()],
                );
                let mid = &step.inputs.candidates()[step.assembly.active[k as usize] as usize];
                let axes = [
                    frame(step.inputs.model, step.inputs.midpoint, mid),
                    frame(step.inputs.model, &self.end, found),
                ];
                let normals = [mid.point.normal, found.point.normal];
                let last = relative_velocity::<D>(step, &self.end, found);
                // Translation, then rotation of rolling resistance.
                for (part, from) in [(0, 0), (1, D::N)] {
                    let count = rows.len().min(D::N * (part + 1)).saturating_sub(from);
                    if count == 0 {
                        continue;
                    }
                    // Row i of the part is about axis i, or about the next one where it is a rotation.
                    let axis = |of: usize, i: usize| axes[of].as_ref()[(i + part) % D::N];
                    let first = usize::from(part == 0);
                    let mut mean = D::Vector::default();
                    for i in first..count {
                        mean += axis(0, i) * (0.5 * (begin[from + i] + end[from + i]));
                    }
                    let mean = super::reevaluate::turned(normals[0], normals[1], mean);
                    let mut across = last[part];
                    if part == 0 {
                        across -= normals[1] * across.dot(normals[1]);
                    }
                    // In the plane the axis of rotation is not a vector.
                    if part == 1 && D::N == 2 {
                        let (mean, last) = (0.5 * (begin[2] + end[2]), last[1][0]);
                        if (last - mean).abs() <= SLIDES * mean.abs() {
                            shift[2] = mean - last;
                        }
                        continue;
                    }
                    let change = mean - across;
                    if change.norm() <= SLIDES * mean.norm() {
                        for i in first..count {
                            shift[from + i] = axis(1, i).dot(change);
                        }
                    }
                }
            }
            contacts.shift.push(shift);
        }
    }

    /// Free velocity of the projection: u_F without the impulses of the contacts.
    fn set_free(&mut self, step: SolvedStep<'_, D>) {
        let StepInputs {
            model,
            state,
            cache,
            ..
        } = step.inputs;
        let wrench = &mut self.wrench;
        wrench.clear();
        wrench.resize(model.bodies.len(), D::ZERO_VELOCITY);
        for (found, memory) in self.contacts.candidates.iter().zip(&self.contacts.memory) {
            let at = (found.point.point_a + found.point.point_b) * 0.5;
            let axes = frame(model, &self.end, found);
            let turn = moment_of::<D>(axes.as_ref(), memory.moment);
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let body = found.bodies[side] as usize;
                if cache.group[body] == NO_GROUP {
                    continue;
                }
                let push = D::wrench(at - self.end.poses[body].position, memory.impulse);
                let sum = wrench[body].as_mut().iter_mut();
                for (k, (sum, push)) in sum.zip(push.as_ref()).enumerate() {
                    *sum += sign * (push + turn[k]);
                }
            }
        }
        // u_F − A⁻¹ Σ GᵀS, moments about body axes.
        self.free.velocity.clone_from(&state.velocities);
        for (i, wrench) in wrench.iter().enumerate() {
            if cache.group[i] == NO_GROUP || wrench.as_ref().iter().all(|w| *w == 0.0) {
                continue;
            }
            let push = D::spin_to_body(&self.end.poses[i].rotation, wrench);
            let roots = cache.inverse_sqrt_mass[i].as_ref();
            let v = self.free.velocity[i].as_mut().iter_mut();
            for (v, (push, root)) in v.zip(push.as_ref().iter().zip(roots)) {
                *v -= root * root * push;
            }
        }
    }

    /// Works of the impulses S′ = (S + S′) − S.
    fn add_works(
        &self,
        step: SolvedStep<'_, D>,
        balance: &Balance<D>,
        done: &mut ProjectionReport,
    ) {
        let Some((problem, kinetic)) = problem_of(self.assembly.problem.as_ref()) else {
            return;
        };
        let contacts = self.assembly.active.len();
        for a in 0..problem.num_contacts() {
            let touch = self.assembly.active.get(a).map(|touch| *touch as usize);
            let before = touch.map(|touch| {
                let memory = &self.contacts.memory[touch];
                let axes = frame(
                    step.inputs.model,
                    &self.end,
                    &self.contacts.candidates[touch],
                );
                (axes, memory)
            });
            let sticks = touch.is_some_and(|touch| {
                balance.status[self.contacts.source[touch] as usize] == Status::Stick
            });
            for (i, row) in problem.rows(a).enumerate() {
                let earlier = before
                    .as_ref()
                    .map_or(0.0, |(axes, memory)| match i < D::N {
                        true => axes.as_ref()[i].dot(memory.impulse),
                        false => memory.moment[i - D::N],
                    });
                let s = self.solution.impulse[row] - earlier;
                let work = 0.5 * s * (self.assembly.begin_velocity[row] + self.ends[row]);
                done.boundary -= s * kinetic.boundary(row);
                match i {
                    _ if a >= contacts => done.bilateral += work,
                    0 => done.impact += work,
                    _ => done.sliding += work,
                }
                if a >= contacts || i == 0 || sticks {
                    done.lasting += work;
                }
            }
        }
    }

    /// Gives the movable bodies their velocities at the end of the step.
    pub fn set_velocities(
        &self,
        bodies: &[Body<D>],
        state: &mut State<D>,
    ) -> Result<(), WorldError> {
        for (i, v) in self.velocity.velocity.iter().enumerate() {
            if !bodies[i].freedom.movable() {
                continue;
            }
            if !v.as_ref().iter().all(|v| v.is_finite()) {
                return Err(not_finite(i, "velocity", state.t));
            }
            state.velocities[i] = *v;
        }
        Ok(())
    }

    /// Status of a contact at the end of the step: by its law with Ū = U_F′ + c.
    fn status(&self, problem: &Problem, contact: usize) -> Status {
        let rows = problem.rows(contact);
        let shift = &self.contacts.shift[self.assembly.active[contact] as usize];
        let mut bar = [0.0; WIDE];
        for ((bar, end), c) in bar.iter_mut().zip(&self.ends[rows.clone()]).zip(shift) {
            *bar = end + c;
        }
        let s = &self.solution.impulse[rows.clone()];
        let bar = &bar[..rows.len()];
        contact_status(problem, contact, s, bar)
    }

    /// Forgets the contacts of the last step.
    pub fn clear(&mut self) {
        self.contacts.candidates.clear();
    }

    /// Number of contacts of the projection of velocities.
    pub fn count(&self) -> usize {
        match self.contacts.candidates.is_empty() {
            true => 0,
            false => self.assembly.active.len(),
        }
    }

    /// A contact of the projection: its point at the end of the step, U_F, U_F′ and S + S′.
    pub fn contact(&self, model: &Model<D>, index: usize) -> Option<Contact<'_, D>> {
        let problem = self
            .assembly
            .problem
            .as_ref()
            .filter(|_| index < self.count())?;
        let rows = problem.rows(index);
        let found = &self.contacts.candidates[self.assembly.active[index] as usize];
        Some(Contact {
            bodies: found.bodies,
            image: found.image,
            centres: [0, 1].map(|side| self.end.centre(found, side)),
            point: &found.point,
            status: self.status(problem, index),
            frame: frame(model, &self.end, found),
            begin: &self.assembly.begin_velocity[rows.clone()],
            end: &self.ends[rows.clone()],
            impulse: &self.solution.impulse[rows],
        })
    }

    /// Marks the contacts that persist in the next step, with their velocity U_F′; `memory` has the active contacts of
    /// the step.
    pub fn mark(&self, model: &Model<D>, memory: &mut [PersistentContact<D>]) {
        let Some(problem) = &self.assembly.problem else {
            return;
        };
        if self.contacts.candidates.is_empty() {
            return;
        }
        for (a, &touch) in self.assembly.active.iter().enumerate() {
            let rows = problem.rows(a);
            let (touch, first) = (touch as usize, rows.start);
            let Some(kept) = memory.get_mut(self.contacts.source[touch] as usize) else {
                continue;
            };
            kept.persistent = self.solution.impulse[first] > 0.0;
            kept.status = self.status(problem, a);
            let axes = frame(model, &self.end, &self.contacts.candidates[touch]);
            kept.velocity = D::Vector::default();
            for (axis, u) in axes.as_ref().iter().zip(&self.ends[rows]) {
                kept.velocity += *axis * *u;
            }
        }
    }
}

/// A problem with contacts, and its factored operator.
fn problem_of(problem: Option<&Problem>) -> Option<(&Problem, &FactoredDelassus)> {
    let problem = problem?;
    Some((problem, kinetic(problem)?))
}

/// Moment of rolling and spinning resistance by velocity component of a body, world axes.
fn moment_of<D: Dynamics>(axes: &[D::Vector], moment: [f64; 3]) -> [f64; WIDE] {
    let mut turn = [0.0; WIDE];
    if D::N == 2 {
        turn[2] = moment[0];
        return turn;
    }
    let mut sum = D::Vector::default();
    for (i, m) in moment.iter().enumerate() {
        sum += axes[(i + 1) % D::N] * *m;
    }
    turn[3..].copy_from_slice(sum.components());
    turn
}

/// Velocity of the second body relative to the first at a contact, and its relative angular velocity (in the plane its
/// one entry), both in world axes.
fn relative_velocity<D: Dynamics>(
    step: SolvedStep<'_, D>,
    end: &Midpoint<D>,
    found: &Candidate<D>,
) -> [D::Vector; 2] {
    let at = (found.point.point_a + found.point.point_b) * 0.5;
    let mut sum = [D::Vector::default(); 2];
    for (body, sign) in found.bodies.into_iter().zip([-1.0, 1.0]) {
        let body = body as usize;
        let (pose, v) = (&end.poses[body], &step.inputs.state.velocities[body]);
        sum[0] += D::point_velocity(pose, v, at) * sign;
        let world = D::spin_to_world(&pose.rotation, v);
        sum[1] += D::Vector::from_components(&world.as_ref()[D::N..]) * sign;
    }
    sum
}
