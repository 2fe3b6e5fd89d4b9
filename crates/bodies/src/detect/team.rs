//! Threads: contiguous pieces of a list are worked on by whoever is free; where a piece begins has no
//! influence on what is written to it.

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Pieces shorter than this are not worth handing to another thread.
const SHORTEST: usize = if cfg!(test) { 16 } else { 1024 };
/// Pieces per thread, so that none waits long for the slowest.
const PIECES: usize = 8;

/// The threads of a detector, and of what else a step does by body or by contact.
#[derive(Debug)]
pub(crate) struct DetectionThreads {
    pool: Option<ThreadPool>,
}

impl DetectionThreads {
    /// One thread works without a pool.
    pub(super) fn new(threads: usize) -> Self {
        let pool = match threads {
            0 | 1 => None,
            _ => ThreadPoolBuilder::new().num_threads(threads).build().ok(),
        };
        Self { pool }
    }

    /// The pool if `amount` pieces of work are enough to share.
    pub(crate) fn pool(&self, amount: usize) -> Option<&ThreadPool> {
        self.pool.as_ref().filter(|_| amount > SHORTEST)
    }

    /// Length of the pieces of a list of `amount`; the whole list if it is not shared.
    pub(super) fn chunk_len(&self, amount: usize) -> usize {
        match self.pool(amount) {
            Some(pool) => amount
                .div_ceil(pool.current_num_threads() * PIECES)
                .max(SHORTEST),
            None => amount.max(1),
        }
    }

    /// Works on pieces of a list; `work` is given the index of the first entry of its piece.
    pub(crate) fn for_chunks<T: Send>(&self, list: &mut [T], work: impl Fn(usize, &mut [T]) + Sync) {
        match self.pool(list.len()) {
            Some(pool) => {
                let size = self.chunk_len(list.len());
                pool.install(|| {
                    list.par_chunks_mut(size)
                        .enumerate()
                        .for_each(|(k, piece)| work(k * size, piece));
                });
            }
            None => work(0, list),
        }
    }
}
