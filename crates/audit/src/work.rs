//! The runs of an audit on several threads, with progress reports and cancellation.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// Time between two progress reports.
const TELL: Duration = Duration::from_millis(50);

/// Progress report of a job.
pub(super) struct Teller<'a> {
    share: &'a AtomicU64,
    enough: &'a AtomicBool,
}

impl Teller<'_> {
    /// Stores the share of the job that is done and returns whether to go on.
    pub fn tell(&self, share: f64) -> bool {
        self.share.store(share.to_bits(), Ordering::Relaxed);
        !self.enough.load(Ordering::Relaxed)
    }
}

/// Does jobs of these weights, in their order as threads become free. `progress` is called with the
/// share done, on the calling thread, and returns whether to go on; there is no result when it was
/// stopped.
pub(super) fn run_jobs<T: Send>(
    weights: &[f64],
    threads: usize,
    work: impl Fn(usize, &Teller<'_>) -> T + Sync,
    progress: &mut dyn FnMut(f64) -> bool,
) -> Option<Vec<T>> {
    let count = weights.len();
    let total: f64 = weights.iter().sum();
    let shares: Vec<AtomicU64> = weights.iter().map(|_| AtomicU64::new(0)).collect();
    let (next, enough) = (AtomicUsize::new(0), AtomicBool::new(false));
    let done: Mutex<Vec<Option<T>>> = Mutex::new(weights.iter().map(|_| None).collect());
    let (sender, receiver) = mpsc::channel::<()>();
    // One job: the next number, its progress, its result.
    let job = || {
        let k = next.fetch_add(1, Ordering::Relaxed);
        let share = shares.get(k)?;
        let teller = Teller {
            share,
            enough: &enough,
        };
        let result = work(k, &teller);
        teller.tell(1.0);
        // The panic of a thread is raised again when the scope ends.
        let mut done = done.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        done[k] = Some(result);
        Some(())
    };
    // Workers hold the sender; the calling thread reports progress until the channel closes.
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, count.max(1)) {
            let sender = sender.clone();
            let (job, enough) = (&job, &enough);
            scope.spawn(move || {
                let _held = sender;
                while !enough.load(Ordering::Relaxed) && job().is_some() {}
            });
        }
        drop(sender);
        // The channel closes when the last thread has ended.
        while receiver.recv_timeout(TELL) == Err(RecvTimeoutError::Timeout) {
            let parts = weights.iter().zip(&shares);
            let parts = parts.map(|(w, s)| w * f64::from_bits(s.load(Ordering::Relaxed)));
            if !progress(parts.sum::<f64>() / total) {
                enough.store(true, Ordering::Relaxed);
            }
        }
    });
    if enough.load(Ordering::Relaxed) {
        return None;
    }
    let done = done.into_inner();
    let done = done.unwrap_or_else(|poisoned| poisoned.into_inner());
    done.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::run_jobs;

    #[test]
    fn results_come_in_order_for_any_number_of_threads() {
        let weights = [4.0, 2.0, 1.0, 1.0, 1.0];
        for threads in [1, 2, 9] {
            let done = run_jobs(&weights, threads, |k, _| 3 * k, &mut |_| true);
            assert_eq!(done, Some(vec![0, 3, 6, 9, 12]));
        }
        assert_eq!(run_jobs(&[], 2, |k, _| k, &mut |_| true), Some(Vec::new()));
    }

    #[test]
    fn nothing_comes_of_jobs_that_were_stopped() {
        let patient = |_: usize, teller: &super::Teller<'_>| {
            while teller.tell(0.5) {
                std::thread::yield_now();
            }
        };
        assert_eq!(run_jobs(&[1.0, 1.0], 2, patient, &mut |_| false), None);
    }
}
