//! Contacts between two bodies under one law: the checks that are the same for all of them are made once.

use super::ProblemBuilder;
use crate::check::all_finite;
use crate::delassus::{BlockStorage, GroupBlock};
use crate::error::ProblemError;
use crate::law::Law;

/// Adds contacts of R rows, all under one law, between groups of M kinetic coordinates.
#[derive(Debug)]
pub struct PairContacts<'a, const R: usize, const M: usize> {
    builder: &'a mut ProblemBuilder,
    law: Law,
}

impl ProblemBuilder {
    /// Adds contacts under one law; `None` where the law does not fit R rows, or some group does not have M
    /// kinetic coordinates.
    pub fn pair_contacts<const R: usize, const M: usize>(
        &mut self,
        law: Law,
    ) -> Option<PairContacts<'_, R, M>> {
        let k = &self.kinetic;
        let even = |(group, first): (usize, &usize)| *first == M * group;
        let plain = k.factor_ptr.is_empty() && k.group_offset.iter().enumerate().all(even);
        let counted = k.free.len() <= u32::MAX as usize;
        let fits = plain && counted && law.validate(R).is_ok();
        fits.then_some(PairContacts { builder: self, law })
    }
}

impl<const R: usize, const M: usize> PairContacts<'_, R, M> {
    /// The builder, for adding other contacts in between.
    pub fn builder(&mut self) -> &mut ProblemBuilder {
        self.builder
    }

    /// Adds a contact between two groups, without a moving boundary; same result as
    /// [`ProblemBuilder::add_contact_with_rebound`]. Returns the contact's index.
    ///
    /// # Errors
    /// As for that method.
    #[inline(always)]
    pub fn push(
        &mut self,
        groups: [usize; 2],
        blocks: &[[[f64; M]; R]; 2],
        rebound: &[f64; R],
    ) -> Result<usize, ProblemError> {
        // v̂_free of both groups.
        let k = &mut self.builder.kinetic;
        let [first, second] = groups.map(|group| group * M);
        let end = |first: usize| k.free.get(first..)?.first_chunk::<M>();
        let (Some(v), Some(w)) = (end(first), end(second)) else {
            return self.push_general(groups, blocks, rebound);
        };
        // b, H and its trace from both blocks.
        let (mut h, mut b) = ([[0.0; R]; R], [0.0; R]);
        let (mut trace, [g, f]) = (0.0, blocks);
        for i in 0..R {
            b[i] = rebound[i] + (dot(&g[i], v) + dot(&f[i], w));
            for j in 0..=i {
                h[i][j] = dot(&g[i], &g[j]) + dot(&f[i], &f[j]);
                h[j][i] = h[i][j];
            }
            trace += h[i][i];
        }
        // The trace contains the square of every Jacobian entry, b all other numbers: if these are finite, so are all.
        let sound = all_finite(&b) & (trace < f64::INFINITY) & (h[0][0] > 0.0);
        let block = k.jacobian.len();
        if !sound || first == second || block > u32::MAX as usize - 2 * R * M {
            return self.push_general(groups, blocks, rebound);
        }
        // Append the two group blocks and their entries.
        let touch = |first: usize, block: usize| GroupBlock {
            first_coordinate: first as u32,
            start: block as u32,
            width: M as u16,
            storage: BlockStorage::Dense,
        };
        k.blocks
            .extend_from_slice(&[touch(first, block), touch(second, block + R * M)]);
        k.jacobian
            .extend_from_slice(blocks.as_flattened().as_flattened());
        let builder = &mut *self.builder;
        if builder.first_error.is_none() {
            builder.local_blocks.push_deferring_kappa(b, h, trace);
        }
        Ok(builder.finish_rows(&self.law, [&[0.0; R], rebound]))
    }

    /// General path of [`PairContacts::push`].
    #[cold]
    fn push_general(
        &mut self,
        groups: [usize; 2],
        blocks: &[[[f64; M]; R]; 2],
        rebound: &[f64; R],
    ) -> Result<usize, ProblemError> {
        let touches = [0, 1].map(|side| (groups[side], blocks[side].as_flattened()));
        self.builder
            .add_contact_with_rebound(self.law.clone(), &touches, &[0.0; R], rebound)
    }
}

/// Scalar product of arrays.
#[inline(always)]
fn dot<const M: usize>(x: &[f64; M], y: &[f64; M]) -> f64 {
    let mut sum = x[0] * y[0];
    for k in 1..M {
        sum += x[k] * y[k];
    }
    sum
}
