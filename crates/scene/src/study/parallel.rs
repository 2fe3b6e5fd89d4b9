//! The same work on several threads, with the same result.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Results of `work(0)`, …, `work(count − 1)` in order. Each job is done once, by whichever thread is
/// free, and knows nothing of the others: the result is that of one thread.
pub(crate) fn map<T, F>(count: usize, threads: usize, work: F) -> Vec<T>
where
    T: Send,
    F: Fn(usize) -> T + Sync,
{
    map_telling(count, threads, work, &mut |_| true)
}

/// As [`map`]. After each of its own jobs the calling thread tells the share done; when it hears
/// that this is enough no further jobs are begun and only the results before the first job left out
/// are given.
pub(crate) fn map_telling<T, F>(
    count: usize,
    threads: usize,
    work: F,
    tell: &mut dyn FnMut(f64) -> bool,
) -> Vec<T>
where
    T: Send,
    F: Fn(usize) -> T + Sync,
{
    let next = AtomicUsize::new(0);
    let enough = AtomicBool::new(false);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(count));
    let go = |tell: &mut dyn FnMut(f64) -> bool| {
        while !enough.load(Ordering::Relaxed) {
            let job = next.fetch_add(1, Ordering::Relaxed);
            if job >= count {
                return;
            }
            let result = work(job);
            // A thread that panicked is raised again when the scope ends.
            let mut done = done.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            done.push((job, result));
            let share = done.len() as f64 / count as f64;
            drop(done);
            if !tell(share) {
                enough.store(true, Ordering::Relaxed);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(|| go(&mut |_| true));
        }
        go(tell);
    });
    let mut done = done
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    done.sort_by_key(|(job, _)| *job);
    let numbered = done.into_iter().enumerate();
    let unbroken = numbered.take_while(|(at, (job, _))| at == job);
    unbroken.map(|(_, (_, result))| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_for_any_number_of_threads() {
        let expected: Vec<usize> = (0..100).map(|job| job * job).collect();
        for threads in [0, 1, 2, 3, 200] {
            assert_eq!(map(100, threads, |job| job * job), expected);
        }
        assert!(map(0, 3, |job| job).is_empty());
    }

    #[test]
    fn what_was_done_before_the_stop_is_kept() {
        let mut told = Vec::new();
        let results = map_telling(10, 1, |job| job, &mut |share| {
            told.push(share);
            share < 0.35
        });
        assert_eq!(results, [0, 1, 2, 3]);
        assert_eq!(told, [0.1, 0.2, 0.3, 0.4]);
    }
}
