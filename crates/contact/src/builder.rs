//! How a mechanical system is put together: groups of coordinates, then contacts.
//!
//! Each group's mass matrix is factored once, A = L Lᵀ, and every block of G is stored as
//! Ĝ = G L⁻ᵀ (each row solves L ĝ = g), so that nothing behind the builder sees a mass.

#[cfg(test)]
mod tests;

use crate::error::ProblemError;
use crate::kinetic::{Form, Kinetic, Sparse, Touch};
use crate::law::Law;
use crate::problem::{Buffers, Operator, Problem};

/// Restitution coefficients of a contact: ρ = (1−δ)/(1+δ), δ the dissipation index (JM92 6.1).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Restitution {
    /// ρ of the normal row.
    pub normal: f64,
    /// ρ of the tangential (and rolling) rows.
    pub tangential: f64,
}

/// Collects groups and contacts, then makes the [`Problem`].
#[derive(Debug, Clone)]
pub struct KineticBuilder {
    kinetic: Kinetic,
    law: Vec<Law>,
    buffers: Buffers,
}

impl Default for KineticBuilder {
    fn default() -> Self {
        Self {
            kinetic: Kinetic {
                group_offset: vec![0],
                factor_ptr: Vec::new(),
                factor: Vec::new(),
                begin: Vec::new(),
                free: Vec::new(),
                offset: vec![0],
                touch_ptr: vec![0],
                touch: Vec::new(),
                jacobian: Vec::new(),
                boundary: Sparse::default(),
                rebound: Sparse::default(),
            },
            law: Vec::new(),
            buffers: Buffers::default(),
        }
    }
}

impl KineticBuilder {
    /// Starts again with the memory of a problem that is no longer needed: a step like the one
    /// before allocates nothing.
    pub(crate) fn reuse(mut kinetic: Kinetic, mut law: Vec<Law>, buffers: Buffers) -> Self {
        kinetic.group_offset.truncate(1);
        kinetic.factor_ptr.clear();
        kinetic.factor.clear();
        kinetic.begin.clear();
        kinetic.free.clear();
        kinetic.offset.truncate(1);
        kinetic.touch_ptr.truncate(1);
        kinetic.touch.clear();
        kinetic.jacobian.clear();
        kinetic.boundary.clear();
        kinetic.rebound.clear();
        law.clear();
        Self {
            kinetic,
            law,
            buffers,
        }
    }

    /// Adds a group of m coordinates with its mass matrix A (m × m row-major, symmetric positive
    /// definite), velocity at the beginning of the step and impulse hK of the given forces.
    /// Returns the group's index.
    pub fn group(
        &mut self,
        mass: &[f64],
        velocity: &[f64],
        impulse: &[f64],
    ) -> Result<usize, ProblemError> {
        let k = &mut self.kinetic;
        let (group, m) = (k.group_offset.len() - 1, velocity.len());
        same_size(
            "the mass matrix",
            mass.len(),
            m * m,
            "velocity length squared",
        )?;
        same_size(
            "the impulse of given forces",
            impulse.len(),
            m,
            "velocity length",
        )?;
        finite("mass", || format!("group {group}"), mass)?;
        finite("velocity", || format!("group {group}"), velocity)?;
        finite("impulse", || format!("group {group}"), impulse)?;
        let start = k.factor.len();
        k.factor.extend_from_slice(mass);
        let l = &mut k.factor[start..];
        if let Err((pivot, value)) = cholesky(l, m) {
            k.factor.truncate(start);
            return Err(ProblemError::Mass {
                group,
                pivot,
                value,
            });
        }
        // v̂ = Lᵀ v; v̂_free = v̂ + L⁻¹ hK.
        let mut change = impulse.to_vec();
        forward(l, &mut change);
        for i in 0..m {
            let hat: f64 = (i..m).map(|j| l[j * m + i] * velocity[j]).sum();
            k.begin.push(hat);
            k.free.push(hat + change[i]);
        }
        k.factor_ptr.resize(group, None);
        k.factor_ptr.push(Some(start));
        k.group_offset.push(k.free.len());
        Ok(group)
    }

    /// Adds a group that is already in kinetic coordinates (mass matrix the identity): v̂ at the
    /// beginning of the step and v̂_free. Returns the group's index.
    pub fn kinetic_group(&mut self, begin: &[f64], free: &[f64]) -> Result<usize, ProblemError> {
        let k = &mut self.kinetic;
        let group = k.group_offset.len() - 1;
        same_size(
            "the free velocity of a group",
            free.len(),
            begin.len(),
            "velocity length",
        )?;
        finite("velocity", || format!("group {group}"), begin)?;
        finite("free velocity", || format!("group {group}"), free)?;
        k.begin.extend_from_slice(begin);
        k.free.extend_from_slice(free);
        k.group_offset.push(k.free.len());
        Ok(group)
    }

    /// Adds a contact: its law, the groups it touches with its d × m block of G for each
    /// (row-major), the given velocity W_α of a moving boundary (d entries) and its restitution.
    /// Returns the contact's index.
    pub fn contact(
        &mut self,
        law: Law,
        touches: &[(usize, &[f64])],
        boundary: &[f64],
        restitution: Restitution,
    ) -> Result<usize, ProblemError> {
        let rho = [restitution.normal, restitution.tangential];
        let contact = self.kinetic.offset.len() - 1;
        finite("restitution", || format!("contact {contact}"), &rho)?;
        self.push_contact(law, touches, boundary)?;
        // U_I = Ĝ v̂_begin + W_α, weighted row by row.
        let k = &mut self.kinetic;
        let mut rebound = boundary.to_vec();
        k.add_gather(contact, &k.begin, &mut rebound);
        for (i, u) in rebound.iter_mut().enumerate() {
            *u *= if i == 0 { rho[0] } else { rho[1] };
        }
        k.rebound.push(k.offset[contact], &rebound);
        Ok(contact)
    }

    /// Adds a contact whose weighted begin velocity ρ U_I is known row by row.
    /// Returns the contact's index.
    pub fn contact_with_rebound(
        &mut self,
        law: Law,
        touches: &[(usize, &[f64])],
        boundary: &[f64],
        rebound: &[f64],
    ) -> Result<usize, ProblemError> {
        let contact = self.kinetic.offset.len() - 1;
        same_size(
            "the rebound velocity",
            rebound.len(),
            boundary.len(),
            "rows of the contact",
        )?;
        finite("rebound velocity", || format!("contact {contact}"), rebound)?;
        self.push_contact(law, touches, boundary)?;
        let k = &mut self.kinetic;
        k.rebound.push(k.offset[contact], rebound);
        Ok(contact)
    }

    /// Adds a contact of three rows between balls in space whose groups have six coordinates, the
    /// last three about space axes: the frame (n, t1, t2), and for one or two balls the group with
    /// s = ±1/√m and c = ±ρ/√I, ρ the distance of the point from the centre along n. It is the
    /// contact whose blocks are (s n, 0), (s t1, c t2), (s t2, −c t1), in a third of the memory.
    /// Returns the contact's index.
    pub fn contact_of_balls(
        &mut self,
        law: Law,
        frame: &[[f64; 3]; 3],
        balls: &[(usize, f64, f64)],
        boundary: &[f64; 3],
        rebound: &[f64; 3],
    ) -> Result<usize, ProblemError> {
        let contact = self.kinetic.offset.len() - 1;
        finite("rebound velocity", || format!("contact {contact}"), rebound)?;
        self.check_contact(&law, boundary, balls.iter().map(|ball| (ball.0, 18)))?;
        same_size(
            "the list of balls",
            balls.len().clamp(1, 2),
            balls.len(),
            "one or two",
        )?;
        finite("G", || format!("contact {contact}"), frame.as_flattened())?;
        let k = &mut self.kinetic;
        let block = k.jacobian.len();
        k.jacobian.extend_from_slice(frame.as_flattened());
        for which in 0..2 {
            let (s, c) = balls.get(which).map_or((0.0, 0.0), |ball| (ball.1, ball.2));
            k.jacobian.extend_from_slice(&[s, c]);
        }
        for (which, ball) in balls.iter().enumerate() {
            let form = Form::Ball(which as u8);
            let touch = Touch::new(k.group_offset[ball.0], 6, block, form);
            k.touch.push(touch.ok_or_else(too_large)?);
        }
        finite("G", || format!("contact {contact}"), &k.jacobian[block..])?;
        self.close_contact(law, boundary);
        let k = &mut self.kinetic;
        k.rebound.push(k.offset[contact], rebound);
        Ok(contact)
    }

    /// Everything of a contact but its rebound.
    fn push_contact(
        &mut self,
        law: Law,
        touches: &[(usize, &[f64])],
        boundary: &[f64],
    ) -> Result<(), ProblemError> {
        let sizes = touches.iter().map(|(group, block)| (*group, block.len()));
        self.check_contact(&law, boundary, sizes)?;
        let contact = self.kinetic.offset.len() - 1;
        for &(_, block) in touches {
            finite("G", || format!("contact {contact}"), block)?;
        }
        for &(group, block) in touches {
            self.kinetic.push_touch(group, block, boundary.len())?;
        }
        self.close_contact(law, boundary);
        Ok(())
    }

    /// Whether a contact with blocks of these sizes can be added.
    fn check_contact(
        &self,
        law: &Law,
        boundary: &[f64],
        sizes: impl Iterator<Item = (usize, usize)>,
    ) -> Result<(), ProblemError> {
        let k = &self.kinetic;
        let (contact, rows) = (k.offset.len() - 1, boundary.len());
        let groups = k.group_offset.len() - 1;
        law.validate(rows)
            .map_err(|source| ProblemError::Law { contact, source })?;
        finite(
            "boundary velocity",
            || format!("contact {contact}"),
            boundary,
        )?;
        for (group, size) in sizes {
            if group >= groups {
                return Err(ProblemError::Group {
                    contact,
                    group,
                    groups,
                });
            }
            let m = k.group_offset[group + 1] - k.group_offset[group];
            same_size("a block of G", size, rows * m, "rows times coordinates")?;
        }
        Ok(())
    }

    /// Ends the contact whose touches are there.
    fn close_contact(&mut self, law: Law, boundary: &[f64]) {
        let k = &mut self.kinetic;
        k.touch_ptr.push(k.touch.len() as u32);
        let first = k.offset.last().copied().unwrap_or(0);
        k.boundary.push(first, boundary);
        k.offset.push(first + boundary.len());
        self.law.push(law);
    }

    /// Finishes the problem.
    pub fn build(self) -> Result<Problem, ProblemError> {
        Problem::with_buffers(self.law, Operator::Kinetic(self.kinetic), self.buffers)
    }
}

impl Kinetic {
    /// Stores Ĝ = G L⁻ᵀ for one touched group: each row solves L ĝ = g.
    fn push_touch(&mut self, group: usize, block: &[f64], rows: usize) -> Result<(), ProblemError> {
        let (first, last) = (self.group_offset[group], self.group_offset[group + 1]);
        let m = last - first;
        if m == 0 {
            // Nothing to move; a touch would share its first coordinate with the next group.
            return Ok(());
        }
        let start = self.jacobian.len();
        self.jacobian.extend_from_slice(block);
        if let Some(at) = self.factor_ptr.get(group).copied().flatten() {
            let l = &self.factor[at..at + m * m];
            for i in 0..rows {
                forward(l, &mut self.jacobian[start + i * m..start + (i + 1) * m]);
            }
        }
        // A contact between two points of one group: its blocks add up to one.
        let own = *self.touch_ptr.last().unwrap_or(&0) as usize;
        if let Some(same) = self.touch[own..].iter().find(|t| t.first as usize == first) {
            let (kept, added) = self.jacobian.split_at_mut(start);
            let kept = &mut kept[same.block()..same.block() + rows * m];
            kept.iter_mut().zip(added).for_each(|(k, a)| *k += *a);
            self.jacobian.truncate(start);
            return Ok(());
        }
        let touch = Touch::new(first, m, start, Form::Dense);
        self.touch.push(touch.ok_or_else(too_large)?);
        Ok(())
    }
}

/// More than the indices of a problem can count.
fn too_large() -> ProblemError {
    ProblemError::TooLarge
}

fn same_size(what: &str, found: usize, expected: usize, why: &str) -> Result<(), ProblemError> {
    if found == expected {
        return Ok(());
    }
    Err(ProblemError::Size {
        what: what.into(),
        found,
        expected,
        why: why.into(),
    })
}

pub(crate) fn finite(
    what: &'static str,
    owner: impl Fn() -> String,
    values: &[f64],
) -> Result<(), ProblemError> {
    match values.iter().find(|v| !v.is_finite()) {
        None => Ok(()),
        Some(&value) => Err(ProblemError::NotFinite {
            what,
            owner: owner(),
            value,
        }),
    }
}

/// Lower Cholesky factor in place (the strict upper part is zeroed).
fn cholesky(a: &mut [f64], n: usize) -> Result<(), (usize, f64)> {
    for i in 0..n {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum();
            let rest = a[i * n + j] - dot;
            if i == j {
                // A pivot lost in rounding is a singular mass matrix, not a small mass.
                if !(rest > 1e-14 * a[i * n + i].abs()) {
                    return Err((i, rest));
                }
                a[i * n + i] = rest.sqrt();
            } else {
                a[i * n + j] = rest / a[j * n + j];
            }
        }
        a[i * n + i + 1..(i + 1) * n].fill(0.0);
    }
    Ok(())
}

/// Solves L x = b in place.
fn forward(l: &[f64], x: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        let dot: f64 = (0..i).map(|j| l[i * n + j] * x[j]).sum();
        x[i] = (x[i] - dot) / l[i * n + i];
    }
}
