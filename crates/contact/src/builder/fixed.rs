//! Contacts of bodies: sizes are known, so that a contact goes in without a loop of unknown length.
//!
//! What is not as expected goes the general way, which refuses it with its reason or takes it.

use super::{ProblemBuilder, all_finite, check_finite, same_size, too_large};
use crate::error::ProblemError;
use crate::kinetic::{BlockStorage, GroupBlock};
use crate::law::Law;

impl ProblemBuilder {
    /// Adds a contact of R rows between one or two groups of M coordinates; see
    /// [`KineticBuilder::contact_with_rebound`], which it does the same as. Returns the contact's
    /// index.
    ///
    /// # Errors
    /// As there.
    #[inline]
    pub fn add_body_contact<const R: usize, const M: usize>(
        &mut self,
        law: &Law,
        touches: &[(usize, &[[f64; M]; R])],
        boundary: &[f64; R],
        rebound: &[f64; R],
    ) -> Result<usize, ProblemError> {
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
            return self.add_body_contact_general(law, touches, (boundary, rebound));
        }
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
        for i in 0..R {
            for j in 0..i {
                h[j][i] = h[i][j];
            }
        }
        Ok(self.finish_sized_contact(law, [boundary, rebound], b, h))
    }

    /// The same for what is not as expected.
    #[cold]
    fn add_body_contact_general<const R: usize, const M: usize>(
        &mut self,
        law: &Law,
        touches: &[(usize, &[[f64; M]; R])],
        (boundary, rebound): (&[f64; R], &[f64; R]),
    ) -> Result<usize, ProblemError> {
        let flat: Vec<(usize, &[f64])> = touches
            .iter()
            .map(|(group, block)| (*group, block.as_flattened()))
            .collect();
        self.add_contact_with_rebound(law.clone(), &flat, boundary, rebound)
    }

    /// Adds a contact of three rows between balls in space whose groups have six coordinates, the
    /// last three about space axes: the orthonormal frame (n, t1, t2), and for one or two balls the
    /// group with s = ±1/√m and c = ±ρ/√I, ρ the distance of the point from the centre along n. It is
    /// the contact whose blocks are (s n, 0), (s t1, c t2), (s t2, −c t1), in a third of the memory.
    /// Returns the contact's index.
    ///
    /// # Errors
    /// As [`KineticBuilder::contact_with_rebound`].
    #[inline]
    pub fn add_sphere_contact(
        &mut self,
        law: &Law,
        frame: &[[f64; 3]; 3],
        balls: &[(usize, f64, f64)],
        boundary: &[f64; 3],
        rebound: &[f64; 3],
    ) -> Result<usize, ProblemError> {
        let mut record = [0.0; 13];
        record[..9].copy_from_slice(frame.as_flattened());
        for (which, ball) in balls.iter().take(2).enumerate() {
            record[9 + 2 * which] = ball.1;
            record[10 + 2 * which] = ball.2;
        }
        let mut sound = all_finite(&record) & all_finite(boundary) & all_finite(rebound);
        sound &= balls.len().wrapping_sub(1) < 2;
        for ball in balls {
            sound = sound && self.plain(ball.0, 6);
        }
        if !sound || law.validate(3).is_err() || !self.room(record.len()) {
            self.refuse_balls(law, balls, (&record, boundary, rebound))?;
        }
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
            crate::kinetic::gather_sphere(&record, which as u8, &k.free[first..first + 6], &mut b);
        }
        k.jacobian.extend_from_slice(&record);
        let h = [[normal, 0.0, 0.0], [0.0, across, 0.0], [0.0, 0.0, across]];
        Ok(self.finish_sized_contact(law, [boundary, rebound], b, h))
    }

    /// Says what is wrong with a contact of balls.
    #[cold]
    fn refuse_balls(
        &self,
        law: &Law,
        balls: &[(usize, f64, f64)],
        (record, boundary, rebound): (&[f64], &[f64; 3], &[f64; 3]),
    ) -> Result<(), ProblemError> {
        let contact = self.kinetic.offset.len() - 1;
        let owner = || format!("contact {contact}");
        check_finite("rebound velocity", owner, rebound)?;
        self.check_contact(law, boundary, balls.iter().map(|ball| (ball.0, 18)))?;
        let num = balls.len();
        same_size("the list of balls", num, num.clamp(1, 2), "one or two")?;
        check_finite("G", owner, record)?;
        // A group with a mass matrix has no balls; anything else is too much for the indices.
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

    /// Whether a group has `width` kinetic coordinates of unit mass.
    #[inline(always)]
    fn plain(&self, group: usize, width: usize) -> bool {
        let k = &self.kinetic;
        group + 1 < k.group_offset.len()
            && k.group_offset[group + 1] - k.group_offset[group] == width
            && k.mass_factor(group).is_none()
    }

    /// Whether `more` entries of Ĝ can be counted.
    #[inline(always)]
    fn room(&self, more: usize) -> bool {
        self.kinetic.jacobian.len() + more <= u32::MAX as usize
            && self.kinetic.free.len() <= u32::MAX as usize
    }

    /// Ends a contact whose touches are there and whose b and H are known.
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
            let derived = self.local_blocks.add(contact, law.normal(), b, h);
            self.first_error = derived.err();
        }
        self.finish_rows(law, [boundary, rebound])
    }

    /// The same where b and H are taken care of.
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
        // Written where it stays: what is written in parts and then moved as a whole has to wait.
        match law {
            Law::Coulomb { mu } => self.law.push(Law::Coulomb { mu: *mu }),
            other => self.law.push(other.clone()),
        }
        contact
    }
}

#[inline(always)]
fn dot<const M: usize>(x: &[f64; M], y: &[f64; M]) -> f64 {
    let mut sum = 0.0;
    for k in 0..M {
        sum += x[k] * y[k];
    }
    sum
}
