//! How a mechanical system is put together: groups of coordinates, then contacts.
//!
//! Each group's mass matrix is factored once, A = L Lᵀ, and every block of G is stored as
//! Ĝ = G L⁻ᵀ (each row solves L ĝ = g), so that nothing behind the builder sees a mass.

use crate::error::ProblemError;
use crate::kinetic::{Kinetic, Touch};
use crate::law::Law;
use crate::problem::{Operator, Problem};

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
                boundary: Vec::new(),
                rebound: Vec::new(),
            },
            law: Vec::new(),
        }
    }
}

impl KineticBuilder {
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
        k.factor_ptr.push(None);
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
        k.rebound.extend_from_slice(&rebound);
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
        self.kinetic.rebound.extend_from_slice(rebound);
        Ok(contact)
    }

    /// Everything of a contact but its rebound.
    fn push_contact(
        &mut self,
        law: Law,
        touches: &[(usize, &[f64])],
        boundary: &[f64],
    ) -> Result<(), ProblemError> {
        let k = &mut self.kinetic;
        let (contact, rows) = (k.offset.len() - 1, boundary.len());
        let groups = k.group_offset.len() - 1;
        law.validate(rows)
            .map_err(|source| ProblemError::Law { contact, source })?;
        finite(
            "boundary velocity",
            || format!("contact {contact}"),
            boundary,
        )?;
        for &(group, block) in touches {
            if group >= groups {
                return Err(ProblemError::Group {
                    contact,
                    group,
                    groups,
                });
            }
            let m = k.group_offset[group + 1] - k.group_offset[group];
            same_size(
                "a block of G",
                block.len(),
                rows * m,
                "rows times coordinates",
            )?;
            finite("G", || format!("contact {contact}"), block)?;
        }
        for &(group, block) in touches {
            k.push_touch(group, block, rows);
        }
        k.touch_ptr.push(k.touch.len() as u32);
        k.boundary.extend_from_slice(boundary);
        k.offset.push(k.boundary.len());
        self.law.push(law);
        Ok(())
    }

    /// Finishes the problem.
    pub fn build(self) -> Result<Problem, ProblemError> {
        Problem::new(self.law, Operator::Kinetic(self.kinetic))
    }
}

impl Kinetic {
    /// Stores Ĝ = G L⁻ᵀ for one touched group: each row solves L ĝ = g.
    fn push_touch(&mut self, group: usize, block: &[f64], rows: usize) {
        let (first, last) = (self.group_offset[group], self.group_offset[group + 1]);
        let m = last - first;
        if m == 0 {
            // Nothing to move; a touch would share its first coordinate with the next group.
            return;
        }
        let start = self.jacobian.len();
        self.jacobian.extend_from_slice(block);
        if let Some(at) = self.factor_ptr[group] {
            let l = &self.factor[at..at + m * m];
            for i in 0..rows {
                forward(l, &mut self.jacobian[start + i * m..start + (i + 1) * m]);
            }
        }
        // A contact between two points of one group: its blocks add up to one.
        let own = *self.touch_ptr.last().unwrap_or(&0) as usize;
        if let Some(same) = self.touch[own..].iter().find(|t| t.first as usize == first) {
            let (kept, added) = self.jacobian.split_at_mut(start);
            let kept = &mut kept[same.block..same.block + rows * m];
            kept.iter_mut().zip(added).for_each(|(k, a)| *k += *a);
            self.jacobian.truncate(start);
            return;
        }
        self.touch.push(Touch {
            first: first as u32,
            width: m as u32,
            block: start,
        });
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_between_two_points_of_one_group_has_one_block() {
        let mut builder = Kinetic::builder();
        let group = builder.group(&[4.0, 0.0, 0.0, 9.0], &[1.0, 2.0], &[0.0; 2]);
        let group = group.unwrap();
        let (left, right) = ([1.0, 0.0], [-0.5, 3.0]);
        let none = Restitution::default();
        let touches: [(usize, &[f64]); 2] = [(group, &left), (group, &right)];
        builder
            .contact(Law::Frictionless, &touches, &[0.0], none)
            .unwrap();
        let problem = builder.build().unwrap();
        // G = (0.5, 3): H = 0.25/4 + 9/9, b = 0.5 + 6. Exact in binary but for two roundings.
        assert!((problem.block(0)[0] - 1.0625).abs() <= 1e-15);
        assert!((problem.free()[0] - 6.5).abs() <= 1e-14);
        assert!((problem.matrix().diagonal(0)[0] - 1.0625).abs() <= 1e-15);
    }

    #[test]
    fn a_group_without_coordinates_touches_nothing() {
        let mut builder = Kinetic::builder();
        let empty = builder.kinetic_group(&[], &[]).unwrap();
        let other = builder.kinetic_group(&[0.0], &[-1.0]).unwrap();
        let touches: [(usize, &[f64]); 2] = [(empty, &[]), (other, &[2.0])];
        builder
            .contact_with_rebound(Law::Frictionless, &touches, &[0.0], &[0.25])
            .unwrap();
        let problem = builder.build().unwrap();
        // W = 2·2 and b = 2·(−1) + 0.25, exact in binary.
        assert_eq!(problem.matrix().diagonal(0), [4.0]);
        assert_eq!(problem.free(), [-1.75]);
    }
}
