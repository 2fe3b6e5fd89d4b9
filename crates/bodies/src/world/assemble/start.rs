//! What a contact starts from: its impulse in the step before.

use crate::detect::Candidate;
use crate::dim::Dim;
use crate::state::PersistentContact;
use crate::vector::Vector;

/// The memory of the same contact in the step before: both lists are sorted alike.
#[inline]
pub(in crate::world) fn find_previous<'a, D: Dim>(
    memory: &'a [PersistentContact<D>],
    last: &mut usize,
    found: &Candidate<D>,
) -> Option<&'a PersistentContact<D>> {
    let pair = key(found.bodies);
    let rest = (found.image, found.point.feature);
    while let Some(known) = memory.get(*last) {
        let own = key(known.bodies);
        if own > pair || own == pair && (known.image, known.feature) >= rest {
            let same = own == pair && (known.image, known.feature) == rest;
            return same.then_some(known);
        }
        *last += 1;
    }
    None
}

/// Two bodies as one number in their order.
#[inline(always)]
fn key([a, b]: [u32; 2]) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// The impulse of the step before in the present frame; nothing for a new contact.
#[inline]
pub(super) fn push_warm_start<D: Dim>(
    impulse: &mut Vec<f64>,
    memory: Option<&PersistentContact<D>>,
    frame: &D::Frame,
) {
    let mut start = [0.0; 3];
    if let Some(memory) = memory {
        for (s, axis) in start.iter_mut().zip(frame.as_ref()) {
            *s = axis.dot(memory.impulse);
        }
    }
    impulse.extend_from_slice(&start[..D::N]);
}

/// The same for a contact of `d` rows, fewer or more than axes.
pub(super) fn push_warm_start_rows<D: Dim>(
    impulse: &mut Vec<f64>,
    memory: Option<&PersistentContact<D>>,
    frame: &D::Frame,
    d: usize,
) {
    let Some(memory) = memory else {
        impulse.extend(std::iter::repeat_n(0.0, d));
        return;
    };
    let axes = frame.as_ref().iter().map(|axis| axis.dot(memory.impulse));
    impulse.extend(axes.chain(memory.moment).take(d));
}
