//! Contacts of rigid bodies: sizes are compile-time constants, so that adding a contact runs no loop of unknown length.
//!
//! Anything unusual (mass matrices, one group twice, invalid data) takes the general path, which either adds the
//! contact or reports the error.

use super::{ProblemBuilder, too_large};
use crate::check::{all_finite, check_finite, same_size};
use crate::delassus::{BlockStorage, GroupBlock};
use crate::error::ProblemError;
use crate::law::Law;

impl ProblemBuilder {
    /// Adds a contact of R rows between one or two groups of M coordinates; same result as
    /// [`ProblemBuilder::add_contact_with_rebound`]. Returns the contact's index.
    ///
    /// # Errors
    /// As for that method.
    #[inline]
    pub fn add_body_contact<const R: usize, const M: usize>(
        &mut self,
        law: &Law,
        touches: &[(usize, &[[f64; M]; R])],
        boundary: &[f64; R],
        rebound: &[f64; R],
    ) -> Result<usize, ProblemError> {
        // Fast path only for distinct groups of M kinetic coordinates and finite data.
        let distinct = match touches {
            [_] => true,
            [one, two] => one.0 != two.0,
            _ => false,
        };
        let mut sound = distinct && all_finite(boundary) & all_finite(rebound);
        for (group, block) in touches {
            sound = sound && self.plain(*group, M) && all_finite(block.as_flattened());
        }
        if !sound || law.validate(R).is_err() || !self.room(touches.len() * R * M) {
            return self.add_body_contact_general(law, touches, boundary, rebound);
        }
        // b = W_α + ρ U_I + Σ Ĝ v̂_free and the lower triangle of H = Σ Ĝ Ĝᵀ, while the blocks are appended.
        let mut h = [[0.0; R]; R];
        let mut b = [0.0; R];
        for i in 0..R {
            b[i] = boundary[i] + rebound[i];
        }
        for (group, block) in touches {
            let first = self.kinetic.group_offset[*group];
            if let Some(v) = self.kinetic.free[first..].first_chunk::<M>() {
                for i in 0..R {
                    b[i] += dot(&block[i], v);
                    for j in 0..=i {
                        h[i][j] += dot(&block[i], &block[j]);
                    }
                }
            }
            let k = &mut self.kinetic;
            k.blocks.push(GroupBlock {
                first_coordinate: first as u32,
                start: k.jacobian.len() as u32,
                width: M as u16,
                storage: BlockStorage::Dense,
            });
            k.jacobian.extend_from_slice(block.as_flattened());
        }
        // H is symmetric.
        for i in 0..R {
            for j in 0..i {
                h[j][i] = h[i][j];
            }
        }
        Ok(self.finish_sized_contact(law, [boundary, rebound], b, h))
    }

    /// General path of [`ProblemBuilder::add_body_contact`].
    #[cold]
    fn add_body_contact_general<const R: usize, const M: usize>(
        &mut self,
        law: &Law,
        touches: &[(usize, &[[f64; M]; R])],
        boundary: &[f64; R],
        rebound: &[f64; R],
    ) -> Result<usize, ProblemError> {
        let flat: Vec<(usize, &[f64])> = touches
            .iter()
            .map(|(group, block)| (*group, block.as_flattened()))
            .collect();
        self.add_contact_with_rebound(law.clone(), &flat, boundary, rebound)
    }

    /// Adds a contact of three rows between spheres in space whose groups have six coordinates, the
    /// last three about space axes: the orthonormal frame (n, t1, t2), and for one or two spheres the
    /// group with s = ±1/√m and c = ±ρ/√I, ρ the distance of the point from the centre along n. It equals
    /// the contact with the blocks (s n, 0), (s t1, c t2), (s t2, −c t1), in a third of the memory.
    /// Returns the contact's index.
    ///
    /// # Errors
    /// As for [`ProblemBuilder::add_contact_with_rebound`].
    #[inline]
    pub fn add_sphere_contact(
        &mut self,
        law: &Law,
        frame: &[[f64; 3]; 3],
        balls: &[(usize, f64, f64)],
        boundary: &[f64; 3],
        rebound: &[f64; 3],
    ) -> Result<usize, ProblemError> {
        // Compressed block: frame, then (s, c) of each sphere.
        let mut record = [0.0; 13];
        record[..9].copy_from_slice(frame.as_flattened());
        for (which, ball) in balls.iter().take(2).enumerate() {
            record[9 + 2 * which] = ball.1;
            record[10 + 2 * which] = ball.2;
        }
        // Finite data, one or two spheres of different groups, groups of six kinetic coordinates.
        let mut sound = all_finite(&record) & all_finite(boundary) & all_finite(rebound);
        sound &= match balls {
            [_] => true,
            [one, two] => one.0 != two.0,
            _ => false,
        };
        for ball in balls {
            sound = sound && self.plain(ball.0, 6);
        }
        if !sound || law.validate(3).is_err() || !self.room(record.len()) {
            self.refuse_balls(law, balls, &record, [boundary, rebound])?;
        }
        // b and the diagonal H = Σ diag(s², s² + c², s² + c²).
        let k = &mut self.kinetic;
        let block = k.jacobian.len() as u32;
        let (mut normal, mut across) = (0.0, 0.0);
        let mut b = [0, 1, 2].map(|i| boundary[i] + rebound[i]);
        for (which, &(group, s, c)) in balls.iter().enumerate() {
            let first = k.group_offset[group];
            k.blocks.push(GroupBlock {
                first_coordinate: first as u32,
                start: block,
                width: 6,
                storage: BlockStorage::Sphere(which as u8),
            });
            normal += s * s;
            across += s * s + c * c;
            crate::delassus::gather_sphere(&record, which as u8, &k.free[first..first + 6], &mut b);
        }
        k.jacobian.extend_from_slice(&record);
        let h = [[normal, 0.0, 0.0], [0.0, across, 0.0], [0.0, 0.0, across]];
        Ok(self.finish_sized_contact(law, [boundary, rebound], b, h))
    }

    /// Reports what is wrong with a contact of spheres.
    #[cold]
    fn refuse_balls(
        &self,
        law: &Law,
        balls: &[(usize, f64, f64)],
        record: &[f64],
        [boundary, rebound]: [&[f64; 3]; 2],
    ) -> Result<(), ProblemError> {
        let contact = self.kinetic.offset.len() - 1;
        let owner = || format!("contact {contact}");
        check_finite("rebound velocity", owner, rebound)?;
        self.check_contact(law, boundary, balls.iter().map(|ball| (ball.0, 18)))?;
        let num = balls.len();
        same_size("the list of balls", num, num.clamp(1, 2), "one or two")?;
        // H is that of two groups: a group that is there twice would lose its cross terms.
        if let [one, two] = balls {
            let groups = 1 + usize::from(one.0 != two.0);
            same_size("the groups of two balls", groups, 2, "one for each")?;
        }
        check_finite("G", owner, record)?;
        // A group with a mass matrix is no sphere; what is left is an index overflow.
        for ball in balls {
            let factors = usize::from(self.kinetic.mass_factor(ball.0).is_some());
            same_size(
                "the mass matrix of a ball",
                factors,
                0,
                "kinetic coordinates",
            )?;
        }
        Err(too_large())
    }

    /// Whether a group has `width` kinetic coordinates and the identity as mass matrix.
    #[inline(always)]
    fn plain(&self, group: usize, width: usize) -> bool {
        let k = &self.kinetic;
        group + 1 < k.group_offset.len()
            && k.group_offset[group + 1] - k.group_offset[group] == width
            && k.mass_factor(group).is_none()
    }

    /// Whether `more` entries of Ĝ fit the index type.
    #[inline(always)]
    fn room(&self, more: usize) -> bool {
        self.kinetic.jacobian.len() + more <= u32::MAX as usize
            && self.kinetic.free.len() <= u32::MAX as usize
    }

    /// Completes a contact whose group blocks have been appended and whose b and H are known.
    #[inline(always)]
    pub(super) fn finish_sized_contact<const R: usize>(
        &mut self,
        law: &Law,
        [boundary, rebound]: [&[f64; R]; 2],
        b: [f64; R],
        h: [[f64; R]; R],
    ) -> usize {
        if self.first_error.is_none() {
            let contact = self.kinetic.offset.len() - 1;
            let added = self.local_blocks.add(contact, law.normal(), b, h);
            self.first_error = added.err();
        }
        self.finish_rows(law, [boundary, rebound])
    }

    /// Completes a contact whose group blocks, b and H have been appended.
    #[inline(always)]
    pub(super) fn finish_rows<const R: usize>(
        &mut self,
        law: &Law,
        [boundary, rebound]: [&[f64; R]; 2],
    ) -> usize {
        let k = &mut self.kinetic;
        let contact = k.offset.len() - 1;
        let first = k.offset[contact];
        k.block_ptr.push(k.blocks.len() as u32);
        k.boundary.push(first, boundary);
        k.rebound.push(first, rebound);
        k.offset.push(first + R);
        // Constructed in place: writing the law in parts and copying it whole would cause a store-forwarding stall.
        match law {
            Law::Coulomb { mu } => self.law.push(Law::Coulomb { mu: *mu }),
            other => self.law.push(other.clone()),
        }
        contact
    }
}

/// Scalar product of arrays.
#[inline(always)]
fn dot<const M: usize>(x: &[f64; M], y: &[f64; M]) -> f64 {
    let mut sum = 0.0;
    for k in 0..M {
        sum += x[k] * y[k];
    }
    sum
}
