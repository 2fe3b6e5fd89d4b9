//! Warm start: the impulses of the step before, found by bodies, image and feature.

use crate::candidate::Candidate;
use crate::dynamics::Dynamics;
use crate::state::PersistentContact;
use percuss_geometry::Vector;

/// The entry of the same contact in the step before: a merge of two lists in the same order, at position `last`.
#[inline]
pub(in crate::step) fn find_previous<'a, D: Dynamics>(
    memory: &'a [PersistentContact<D>],
    last: &mut usize,
    found: &Candidate<D>,
) -> Option<&'a PersistentContact<D>> {
    let pair = key(found.bodies);
    let rest = (found.image, found.point.feature);
    // Entries of the step before that come first belong to contacts that have ended.
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

/// Two body indices as one number in the same order.
#[inline(always)]
fn key([a, b]: [u32; 2]) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// Appends the impulse of the step before in the present frame; zeros for a new contact.
#[inline]
pub(super) fn push_warm_start<D: Dynamics>(
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

/// The same for a contact of `d` rows, fewer or more than the axes of the frame.
pub(super) fn push_warm_start_rows<D: Dynamics>(
    impulse: &mut Vec<f64>,
    memory: Option<&PersistentContact<D>>,
    frame: &D::Frame,
    d: usize,
) {
    let Some(memory) = memory else {
        impulse.extend(std::iter::repeat_n(0.0, d));
        return;
    };
    // Linear rows from the impulse vector, angular rows from the stored moments.
    let axes = frame.as_ref().iter().map(|axis| axis.dot(memory.impulse));
    impulse.extend(axes.chain(memory.moment).take(d));
}
