//! Contacts between two bodies under one law: what is the same for all of them is asked once.

use super::{KineticBuilder, all_finite};
use crate::error::ProblemError;
use crate::kinetic::{Form, Touch};
use crate::law::Law;

/// Takes contacts of R rows, all of one law, between groups of M kinetic coordinates.
#[derive(Debug)]
pub struct Pairs<'a, const R: usize, const M: usize> {
    builder: &'a mut KineticBuilder,
    law: Law,
}

impl KineticBuilder {
    /// A way in for contacts of one law; none where the law does not fit them, or groups are not all of M
    /// kinetic coordinates.
    pub fn pairs<const R: usize, const M: usize>(&mut self, law: Law) -> Option<Pairs<'_, R, M>> {
        let k = &self.kinetic;
        let even = |(group, first): (usize, &usize)| *first == M * group;
        let plain = k.factor_ptr.is_empty() && k.group_offset.iter().enumerate().all(even);
        let counted = k.free.len() <= u32::MAX as usize;
        let fits = plain && counted && law.validate(R).is_ok();
        fits.then_some(Pairs { builder: self, law })
    }
}

impl<const R: usize, const M: usize> Pairs<'_, R, M> {
    /// The builder, for contacts of other kinds in between.
    pub fn builder(&mut self) -> &mut KineticBuilder {
        self.builder
    }

    /// Adds a contact between two groups, without a moving boundary; the same as
    /// [`KineticBuilder::contact_with_rebound`]. Returns the contact's index.
    ///
    /// # Errors
    /// As there.
    #[inline(always)]
    pub fn push(
        &mut self,
        groups: [usize; 2],
        blocks: &[[[f64; M]; R]; 2],
        rebound: &[f64; R],
    ) -> Result<usize, ProblemError> {
        let k = &mut self.builder.kinetic;
        let [first, second] = groups.map(|group| group * M);
        let end = |first: usize| k.free.get(first..)?.first_chunk::<M>();
        let (Some(v), Some(w)) = (end(first), end(second)) else {
            return self.push_any(groups, blocks, rebound);
        };
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
        // The trace holds the square of every entry, b every other number: they are finite if these are.
        let sound = all_finite(&b) & (trace < f64::INFINITY) & (h[0][0] > 0.0);
        let block = k.jacobian.len();
        if !sound || first == second || block > u32::MAX as usize - 2 * R * M {
            return self.push_any(groups, blocks, rebound);
        }
        let touch = |first: usize, block: usize| Touch {
            first: first as u32,
            block: block as u32,
            width: M as u16,
            form: Form::Dense,
        };
        k.touch
            .extend_from_slice(&[touch(first, block), touch(second, block + R * M)]);
        k.jacobian
            .extend_from_slice(blocks.as_flattened().as_flattened());
        let builder = &mut *self.builder;
        if builder.fault.is_none() {
            builder.derived.add_later(b, h, trace);
        }
        Ok(builder.close_rows(&self.law, [&[0.0; R], rebound]))
    }

    /// The same for what is not as expected.
    #[cold]
    fn push_any(
        &mut self,
        groups: [usize; 2],
        blocks: &[[[f64; M]; R]; 2],
        rebound: &[f64; R],
    ) -> Result<usize, ProblemError> {
        let touches = [0, 1].map(|side| (groups[side], blocks[side].as_flattened()));
        self.builder
            .contact_with_rebound(self.law.clone(), &touches, &[0.0; R], rebound)
    }
}

#[inline(always)]
fn dot<const M: usize>(x: &[f64; M], y: &[f64; M]) -> f64 {
    let mut sum = x[0] * y[0];
    for k in 1..M {
        sum += x[k] * y[k];
    }
    sum
}
