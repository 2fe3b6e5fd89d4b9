//! Independent jobs on several threads, with results that do not depend on their number.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};

/// Results of `work(0)`, …, `work(count − 1)` in order. Each job is done once, by whichever thread
/// is free, and is independent of the others: the result is that of one thread.
pub fn map<T, F>(count: usize, threads: usize, work: F) -> Vec<T>
where
    T: Send,
    F: Fn(usize) -> T + Sync,
{
    map_with_progress(count, threads, work, &mut |_| true)
}

/// As [`map`]. After each of its own jobs the calling thread reports the share done; when it is
/// told to stop, no further jobs are begun and only the results before the first job left out are
/// returned.
pub fn map_with_progress<T, F>(
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
    // The loop of a worker: take the next job until none is left or it is told to stop.
    let go = |tell: &mut dyn FnMut(f64) -> bool| {
        while !enough.load(Ordering::Relaxed) {
            let job = next.fetch_add(1, Ordering::Relaxed);
            if job >= count {
                return;
            }
            let result = work(job);
            // The panic of a thread is raised again when the scope ends.
            let mut done = done.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            done.push((job, result));
            let share = done.len() as f64 / count as f64;
            drop(done);
            if !tell(share) {
                enough.store(true, Ordering::Relaxed);
            }
        }
    };
    // The calling thread works, too, and is the only one that reports.
    std::thread::scope(|scope| {
        for _ in 1..threads.min(count) {
            scope.spawn(|| go(&mut |_| true));
        }
        go(tell);
    });
    let mut done = done
        .into_inner()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    // Results in order, up to the first job that was left out.
    done.sort_by_key(|(job, _)| *job);
    let numbered = done.into_iter().enumerate();
    let unbroken = numbered.take_while(|(at, (job, _))| at == job);
    unbroken.map(|(_, (_, result))| result).collect()
}

/// Does all jobs on some threads. `take` is called on the calling thread with the jobs that have
/// ended and returns whether to go on; an error, of a job or of `take`, ends the work.
pub fn for_each_job<T: Send, E: Send>(
    jobs: &[usize],
    threads: usize,
    work: impl Fn(usize) -> Result<T, E> + Sync,
    mut take: impl FnMut(Vec<(usize, T)>) -> Result<bool, E>,
) -> Result<(), E> {
    let (next, enough) = (AtomicUsize::new(0), AtomicBool::new(false));
    let (sender, receiver) = mpsc::channel();
    let (next, enough, work) = (&next, &enough, &work);
    std::thread::scope(|scope| {
        // Workers send their results; a closed channel ends them.
        for _ in 0..threads {
            let sender = sender.clone();
            scope.spawn(move || {
                while !enough.load(Ordering::Relaxed) {
                    let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else {
                        return;
                    };
                    if sender.send((*job, work(*job))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut ended = Ok(());
        while let Ok(first) = receiver.recv() {
            // All results that have arrived meanwhile are written together.
            let batch = std::iter::once(first).chain(receiver.try_iter());
            let batch: Result<Vec<(usize, T)>, E> =
                batch.map(|(job, done)| Ok((job, done?))).collect();
            match batch.and_then(&mut take) {
                Ok(true) => {}
                Ok(false) => enough.store(true, Ordering::Relaxed),
                Err(error) => {
                    enough.store(true, Ordering::Relaxed);
                    ended = Err(error);
                }
            }
        }
        ended
    })
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
        let results = map_with_progress(10, 1, |job| job, &mut |share| {
            told.push(share);
            share < 0.35
        });
        assert_eq!(results, [0, 1, 2, 3]);
        assert_eq!(told, [0.1, 0.2, 0.3, 0.4]);
    }

    #[test]
    fn every_job_is_done_once_for_any_number_of_threads() {
        let jobs: Vec<usize> = (0..97).map(|k| 3 * k).collect();
        for threads in [1, 2, 5, 200] {
            let mut seen = Vec::new();
            let done = for_each_job::<_, ()>(
                &jobs,
                threads,
                |job| Ok(job * job),
                |batch| {
                    seen.extend(batch);
                    Ok(true)
                },
            );
            assert_eq!(done, Ok(()));
            seen.sort_unstable();
            let all: Vec<(usize, usize)> = jobs.iter().map(|job| (*job, job * job)).collect();
            assert_eq!(seen, all);
        }
    }

    #[test]
    fn an_error_or_a_word_ends_the_work() {
        let jobs: Vec<usize> = (0..1000).collect();
        let failed = for_each_job(
            &jobs,
            2,
            |job| if job == 10 { Err("full") } else { Ok(job) },
            |_| Ok(true),
        );
        assert_eq!(failed, Err("full"));
        let mut made = 0;
        let stopped = for_each_job::<_, ()>(&jobs, 1, Ok, |batch| {
            made += batch.len();
            Ok(false)
        });
        assert_eq!(stopped, Ok(()));
        assert!((1..=1000).contains(&made), "{made}");
    }
}

/// Number of threads that further runs may use, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threads(usize);

/// All threads of the machine.
impl Default for Threads {
    fn default() -> Self {
        Self::all()
    }
}

impl Threads {
    /// This many threads, at least one.
    pub fn new(count: usize) -> Self {
        Self(count.max(1))
    }

    /// All threads of the machine.
    pub fn all() -> Self {
        Self(std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// The number of threads.
    pub fn get(self) -> usize {
        self.0
    }
}
