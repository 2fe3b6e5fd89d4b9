//! Clocks, and a progress line for tasks of more than two seconds.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// CPU time of this thread: the cost of a step on a machine that does other work, too.
pub fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// CPU time of a closure in all threads of this process, with its result.
pub fn spent<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let now = || {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
    };
    let start = now();
    let result = work();
    (now() - start, result)
}

/// CPU time of a closure in this thread, with its result.
pub fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = thread_seconds();
    let result = work();
    (thread_seconds() - start, result)
}

/// Wall time of a closure: the only clock that shows a parallel speed-up.
pub fn elapsed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}

/// Progress of a long task, on standard error.
#[derive(Debug)]
pub struct Progress {
    label: String,
    total: usize,
    started: Instant,
    shown: Option<Instant>,
    live: bool,
}

impl Progress {
    /// Prints nothing before two seconds have passed.
    pub fn new(label: impl Into<String>, total: usize) -> Self {
        Self {
            label: label.into(),
            total,
            started: Instant::now(),
            shown: None,
            live: std::io::stderr().is_terminal(),
        }
    }

    /// Prints the start at once: the first part alone takes long.
    pub fn announce(&mut self) {
        self.shown = Some(Instant::now());
        self.show(0);
    }

    /// Reports that `done` parts are done.
    pub fn at(&mut self, done: usize) {
        // A log file gets a line every 10 s, a terminal one line that is updated.
        let pause = Duration::from_secs(if self.live { 1 } else { 10 });
        let due = match self.shown {
            None => self.started.elapsed() > Duration::from_secs(2),
            Some(at) => at.elapsed() > pause,
        };
        if !due {
            return;
        }
        self.shown = Some(Instant::now());
        self.show(done);
    }

    fn show(&self, done: usize) {
        let (start, end) = if self.live {
            ("\r\x1b[2K", "")
        } else {
            ("", "\n")
        };
        let seconds = self.started.elapsed().as_secs();
        eprint!(
            "{start}  {}: {done} of {}, {seconds} s{end}",
            self.label, self.total
        );
        // Failure to print progress is ignored.
        let _ = std::io::stderr().flush();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.live && self.shown.is_some() {
            eprint!("\r\x1b[2K");
        }
    }
}
