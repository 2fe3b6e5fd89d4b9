//! Works, end velocity and status of each contact, and the wrench Σ GᵀS on each body.

use percuss_contact::law::{Law, Status};
use percuss_contact::{FactoredDelassus, Problem};

use super::ContactWorks;
use crate::body::{Body, Freedom};
use crate::candidate::Candidate;
use crate::dynamics::Dynamics;
use crate::step::assemble::{frame, kinetic, single_planar_law};
use crate::step::scratch::{Balance, Coupling};
use crate::step::{NO_GROUP, SolvedStep};

/// Largest number of rows of a contact.
const WIDE: usize = 6;

/// Contacts per partial sum: fixed, so that the sums do not depend on the number of threads.
const PIECE: usize = if cfg!(test) { 32 } else { 1024 };

/// Input, shared by all threads.
struct ContactView<'a, D: Dynamics> {
    problem: &'a Problem,
    kinetic: &'a FactoredDelassus,
    found: &'a [Candidate<D>],
    active: &'a [u32],
    impulse: &'a [f64],
    begin: &'a [f64],
    hat: &'a [f64],
    group: &'a [u32],
    bodies: &'a [Body<D>],
    /// Whether a periodic cell has a mean flow.
    flow: bool,
}

/// Output for consecutive chunks: end velocities by row, status by contact, works by chunk.
struct ContactOutput<'a> {
    finish: &'a mut [f64],
    status: &'a mut [Status],
    works: &'a mut [ContactWorks],
}

impl<'s, D: Dynamics> SolvedStep<'s, D> {
    /// Works of the contacts, their end velocity and status, and Σ GᵀS by body.
    pub(super) fn contact_works(
        &self,
        coupling: &mut Coupling<D>,
        out: &mut Balance<D>,
    ) -> ContactWorks {
        out.contact_impulse.clear();
        out.end_velocity.clear();
        out.status.clear();
        out.contact_wrench.clear();
        out.partial_works.clear();
        let problem = self.assembly.problem.as_ref();
        let known = problem.and_then(|p| Some((p, kinetic(p)?)));
        if let Some((problem, kinetic)) = known {
            let view = self.view(problem, kinetic);
            let count = view.active.len();
            out.end_velocity.resize(problem.offset()[count], 0.0);
            out.status.resize(count, Status::Open);
            out.partial_works
                .resize(count.div_ceil(PIECE), ContactWorks::default());
            // Works, end velocity and status, in parallel.
            let filled = ContactOutput {
                finish: &mut out.end_velocity,
                status: &mut out.status,
                works: &mut out.partial_works,
            };
            match self.inputs.detection.detector.threads().pool(count) {
                Some(pool) => pool.install(|| view.share(0, filled)),
                None => view.visit_all(0, filled),
            }
            // Wrench by body: serial, in the order of the contacts.
            let rest = &mut out.contact_wrench;
            rest.resize(self.inputs.model.bodies.len(), D::ZERO_VELOCITY);
            let found = self.inputs.candidates();
            let flat = single_planar_law(self.inputs.model).is_some();
            let rows = problem.offset().windows(2);
            for (touch, rows) in self.assembly.active.iter().zip(rows) {
                let found = &found[*touch as usize];
                let push = match self.solution.impulse[rows[0]..rows[1]] {
                    [n, t] if flat => self.push_flat_wrench(found, [n, t], rest),
                    ref s => self.push_wrench(found, s, rest),
                };
                out.contact_impulse.push(push);
            }
            self.turn_rest(rest);
        }
        // Partial sums are added in order.
        let mut works = ContactWorks::default();
        for piece in &out.partial_works {
            works.impact += piece.impact;
            works.sliding += piece.sliding;
            works.boundary += piece.boundary;
            works.end += piece.end;
        }
        // Joints: works, impulses on bodies, energy gain.
        if let Some((problem, _)) = known {
            works.joint = self.joint_works(problem, &mut out.end_velocity, &mut out.joint_reports);
            works.impact += works.joint.limit;
            works.boundary += works.joint.boundary;
            self.add_joint_impulses(problem, &mut out.contact_wrench);
            works.books = self.books(problem, &works, coupling, out);
        }
        works
    }

    /// The input of the pass over the contacts.
    fn view(&self, problem: &'s Problem, kinetic: &'s FactoredDelassus) -> ContactView<'s, D> {
        ContactView {
            problem,
            kinetic,
            found: self.inputs.candidates(),
            active: &self.assembly.active,
            impulse: &self.solution.impulse,
            begin: &self.assembly.begin_velocity,
            hat: &self.end.kinetic,
            group: &self.inputs.cache.group,
            bodies: &self.inputs.model.bodies,
            flow: self.inputs.model.cell.is_some(),
        }
    }

    /// [`Self::push_wrench`] for planar contacts under one law.
    #[inline(always)]
    fn push_flat_wrench(
        &self,
        found: &Candidate<D>,
        s: [f64; 2],
        rest: &mut [D::Dofs],
    ) -> D::Vector {
        let touch = &found.point;
        let frame = D::contact_frame(touch.normal);
        let axes = frame.as_ref();
        let vector = axes[0] * s[0] + axes[1] * s[1];
        let at = (touch.point_a + touch.point_b) * 0.5;
        for (body, sign) in found.bodies.into_iter().zip([-1.0, 1.0]) {
            let body = body as usize;
            if self.inputs.cache.group[body] == NO_GROUP {
                continue;
            }
            let push = D::wrench(at - self.inputs.midpoint.poses[body].position, vector);
            let sum = rest[body].as_mut().iter_mut().zip(push.as_ref());
            sum.for_each(|(sum, push)| *sum += sign * push);
        }
        vector
    }

    /// Adds the wrench of a contact impulse on both bodies, from its vector and the point it acts at; returns
    /// the vector.
    #[inline(always)]
    fn push_wrench(&self, found: &Candidate<D>, s: &[f64], rest: &mut [D::Dofs]) -> D::Vector {
        let frame = frame(self.inputs.model, self.inputs.midpoint, found);
        let axes = frame.as_ref();
        let (mut vector, mut moment) = (D::Vector::default(), D::Vector::default());
        // Linear rows give the impulse vector, angular rows the moment.
        for (i, s) in s.iter().enumerate() {
            if i < D::N {
                vector += axes[i] * *s;
            } else {
                moment += axes[(i - D::N + 1) % D::N] * *s;
            }
        }
        let at = (found.point.point_a + found.point.point_b) * 0.5;
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let body = found.bodies[side] as usize;
            if self.inputs.cache.group[body] == NO_GROUP {
                continue;
            }
            let push = D::wrench(at - self.inputs.midpoint.centre(found, side), vector);
            let sum = rest[body].as_mut();
            for (sum, push) in sum.iter_mut().zip(push.as_ref()) {
                *sum += sign * push;
            }
            // Moment of rolling and spinning resistance.
            if s.len() > D::N {
                let mut turn = [0.0; WIDE];
                match D::N {
                    2 => turn[2] = s[2],
                    _ => D::angular_jacobian_row(&D::Rotation::default(), moment, &mut turn),
                }
                for (sum, turn) in sum.iter_mut().zip(&turn) {
                    *sum += sign * turn;
                }
            }
        }
        vector
    }

    /// Moments about the axes of each body's spin coordinates.
    fn turn_rest(&self, rest: &mut [D::Dofs]) {
        for (i, rest) in rest.iter_mut().enumerate() {
            if !self.inputs.cache.spin_in_world_axes[i] && self.inputs.cache.group[i] != NO_GROUP {
                *rest = D::spin_to_body(&self.inputs.midpoint.poses[i].rotation, rest);
            }
        }
    }
}

impl<D: Dynamics> ContactView<'_, D> {
    /// Divides the chunks, from chunk `first` on, recursively over the threads (fork–join).
    fn share(&self, first: usize, filled: ContactOutput<'_>) {
        let half = filled.works.len() / 2;
        if half == 0 {
            return self.visit_all(first, filled);
        }
        let contacts = half * PIECE;
        let offset = self.problem.offset();
        let rows = offset[first * PIECE + contacts] - offset[first * PIECE];
        let (finish, more_finish) = filled.finish.split_at_mut(rows);
        let (status, more_status) = filled.status.split_at_mut(contacts);
        let (works, more_works) = filled.works.split_at_mut(half);
        let one = ContactOutput {
            finish,
            status,
            works,
        };
        let two = ContactOutput {
            finish: more_finish,
            status: more_status,
            works: more_works,
        };
        rayon::join(|| self.share(first, one), || self.share(first + half, two));
    }

    /// All contacts of the chunks from chunk `first` on, serially.
    fn visit_all(&self, first: usize, filled: ContactOutput<'_>) {
        let start = first * PIECE;
        let offset = self.problem.offset().get(start..).unwrap_or(&[]);
        let row = offset.first().copied().unwrap_or(0);
        let pieces = filled.status.chunks_mut(PIECE).zip(filled.works);
        let mut rows = offset.windows(2).enumerate();
        for (status, works) in pieces {
            for (status, (k, rows)) in status.iter_mut().zip(&mut rows) {
                let end = &mut filled.finish[rows[0] - row..rows[1] - row];
                let at = (start + k, rows[0]);
                // The number of rows as a constant, so that the loops unroll.
                *status = match end.len() {
                    2 => self.visit::<2>(at, end, works),
                    3 => self.visit::<3>(at, end, works),
                    6 => self.visit::<6>(at, end, works),
                    _ => self.visit::<1>(at, end, works),
                };
            }
        }
    }

    /// One contact of R rows: end velocity, works, status.
    #[inline(always)]
    fn visit<const R: usize>(
        &self,
        (contact, first): (usize, usize),
        finish: &mut [f64],
        works: &mut ContactWorks,
    ) -> Status {
        let kinetic = self.kinetic;
        let rows = |list: &[f64]| list[first..].first_chunk().copied().unwrap_or([0.0; R]);
        let (s, begin): ([f64; R], [f64; R]) = (rows(self.impulse), rows(self.begin));
        // U_F = Ĝ v̂_F + W.
        let boundary: [f64; R] = kinetic.boundaries(first);
        let end = kinetic.gather(contact, self.hat, boundary);
        finish.copy_from_slice(&end);
        // Works ½ S·(U_I + U_F), and Ū = U_F + ρ U_I, on which the law depends.
        let mut bar: [f64; R] = kinetic.rebounds(first);
        for i in 0..R {
            let done = 0.5 * s[i] * (begin[i] + end[i]);
            if i == 0 {
                works.impact += done;
            } else {
                works.sliding += done;
            }
            works.end += s[i] * end[i];
            bar[i] += end[i];
        }
        if self.carried_along(contact) {
            // Work of the boundary: W_I = U_I − G u_I, W_F as assembled.
            let own = kinetic.gather(contact, kinetic.begin(), [0.0; R]);
            for i in 0..R {
                works.boundary -= 0.5 * s[i] * (begin[i] - own[i] + boundary[i]);
            }
        }
        status_of_rows(self.problem, contact, &s, &bar)
    }

    /// Whether a moving boundary or a mean flow takes part in a contact.
    #[inline]
    fn carried_along(&self, contact: usize) -> bool {
        // Between two movable bodies there is no boundary.
        if !self.flow && self.kinetic.num_groups_of(contact) == 2 {
            return false;
        }
        let found = &self.found[self.active[contact] as usize];
        let moves = |body: u32| {
            let body = body as usize;
            self.group[body] == NO_GROUP && self.bodies[body].freedom != Freedom::Fixed
        };
        self.flow || moves(found.bodies[0]) || moves(found.bodies[1])
    }
}

/// Status of a contact of a problem with these impulses and Ū.
pub(in crate::step) fn contact_status(
    problem: &Problem,
    contact: usize,
    s: &[f64],
    bar: &[f64],
) -> Status {
    fn of<const R: usize>(problem: &Problem, contact: usize, s: &[f64], bar: &[f64]) -> Status {
        match (s.first_chunk::<R>(), bar.first_chunk::<R>()) {
            (Some(s), Some(bar)) => status_of_rows(problem, contact, s, bar),
            _ => Status::Open,
        }
    }
    match s.len() {
        2 => of::<2>(problem, contact, s, bar),
        3 => of::<3>(problem, contact, s, bar),
        6 => of::<6>(problem, contact, s, bar),
        _ => of::<1>(problem, contact, s, bar),
    }
}

/// The same with the number of rows known. An open contact with an impulse is examined again.
#[inline(always)]
fn status_of_rows<const R: usize>(
    problem: &Problem,
    contact: usize,
    s: &[f64; R],
    bar: &[f64; R],
) -> Status {
    let law = problem.law(contact);
    match status(law, problem.diagonal_block(contact), s, bar) {
        Status::Open if s[0] > 0.0 => carried(law, problem.kappa(contact), s, bar),
        other => other,
    }
}

/// Status of a contact by its law: that of the local problem with free velocity Ū − H S.
#[inline(always)]
fn status<const R: usize>(law: &Law, h: &[f64], s: &[f64; R], bar: &[f64; R]) -> Status {
    let mut free = *bar;
    let h = &h[..R * R];
    for i in 0..R {
        let mut held = 0.0;
        for j in 0..R {
            held += h[i * R + j] * s[j];
        }
        free[i] -= held;
    }
    law.local_status(h, &free, s)
}

/// Status of a contact that carries an impulse although its local problem would open: with strong coupling
/// between normal and tangential rows both may obey the law (M88 §14). The status follows the pair (S, Ū) if
/// that obeys the law.
fn carried(law: &Law, kappa: f64, impulse: &[f64], velocity: &[f64]) -> Status {
    let mut left = [0.0; WIDE];
    let left = &mut left[..impulse.len()];
    law.natural_residual(kappa, impulse, velocity, left);
    let square = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>();
    // A strict inequality: squares of impulses below 1e-154 underflow to 0.
    match square(left) < 0.25 * square(impulse) {
        true => law.status(impulse, velocity, velocity[0].abs()),
        false => Status::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::{Law, Status, carried};

    /// The square of 1e-192 is 0: a rattler with such an impulse was called stick while it separated.
    #[test]
    fn a_contact_that_separates_with_an_impulse_that_underflows_is_open() {
        let law = Law::Coulomb { mu: 0.3 };
        let open = carried(&law, 1.0, &[1e-192, 0.0], &[1e-3, 0.0]);
        assert_eq!(open, Status::Open);
        let pressed = carried(&law, 1.0, &[1.0, 0.0], &[0.0, 0.0]);
        assert_eq!(pressed, Status::Stick);
    }
}
