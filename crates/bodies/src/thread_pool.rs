//! Thread pool: contiguous chunks of a list are distributed over threads by work stealing; where a chunk begins
//! does not influence what is written to it.

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Smallest chunk that is worth giving to another thread.
const SHORTEST: usize = if cfg!(test) { 16 } else { 1024 };
/// Chunks per thread, for load balance.
const PIECES: usize = 8;

/// The threads of a detector, also used by the other stages of a step that work body by body or contact by contact.
#[derive(Debug)]
pub(crate) struct DetectionThreads {
    pool: Option<ThreadPool>,
}

impl DetectionThreads {
    /// With one thread there is no pool.
    pub(super) fn new(threads: usize) -> Self {
        let pool = match threads {
            0 | 1 => None,
            _ => ThreadPoolBuilder::new().num_threads(threads).build().ok(),
        };
        Self { pool }
    }

    /// The pool if `amount` entries are enough to be distributed.
    pub(crate) fn pool(&self, amount: usize) -> Option<&ThreadPool> {
        self.pool.as_ref().filter(|_| amount > SHORTEST)
    }

    /// Chunk length for a list of `amount` entries; the whole list if it is not distributed.
    pub(super) fn chunk_len(&self, amount: usize) -> usize {
        match self.pool(amount) {
            Some(pool) => amount
                .div_ceil(pool.current_num_threads() * PIECES)
                .max(SHORTEST),
            None => amount.max(1),
        }
    }

    /// Calls `work` on the chunks of a list with the index of the first entry of each chunk.
    pub(crate) fn for_chunks<T: Send>(
        &self,
        list: &mut [T],
        work: impl Fn(usize, &mut [T]) + Sync,
    ) {
        match self.pool(list.len()) {
            Some(pool) => {
                // Chunks depend on the length and the number of threads alone.
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
