//! The progress bar: on a terminal, and only if the work turns out to last.

use std::cell::Cell;
use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that is over before this is not worth a bar. What has lasted one second will on average
/// last another.
const PATIENCE: Duration = Duration::from_secs(1);

/// The bar of shares moves at most this often.
const BLINK: Duration = Duration::from_millis(100);

/// Parts of the whole that a bar of shares can tell apart.
const SHARES: usize = 1000;

/// A bar that shows itself when the work lasts.
pub struct Progress {
    bar: ProgressBar,
    waiting: Option<(Sender<()>, JoinHandle<()>)>,
    /// When the bar was last moved by [`Progress::share`].
    moved: Cell<Instant>,
}

impl Progress {
    /// A bar of `steps` steps, never shown if `quiet` or without a terminal.
    pub fn new(steps: usize, quiet: bool) -> Self {
        Self::with_template(steps, quiet, "{bar:30} {pos}/{len} {elapsed} {wide_msg}")
    }

    /// A bar of work that is measured in shares of the whole.
    pub fn of_shares(quiet: bool) -> Self {
        Self::with_template(
            SHARES,
            quiet,
            "{bar:30} {percent:>3} % {elapsed} {wide_msg}",
        )
    }

    fn with_template(steps: usize, quiet: bool, template: &str) -> Self {
        let target = ProgressDrawTarget::hidden();
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let wanted = !quiet && io::stderr().is_terminal();
        let waiting = wanted.then(|| show_later(bar.clone()));
        Self {
            bar,
            waiting,
            moved: Cell::new(Instant::now()),
        }
    }

    /// A share of the whole is done; `what` is asked for only when the bar moves.
    pub fn share(&self, share: f64, what: impl FnOnce() -> String) {
        // Steps may be faster than a bar can be drawn.
        if self.moved.get().elapsed() >= BLINK {
            self.moved.set(Instant::now());
            self.bar.set_message(what());
            self.bar
                .set_position((share.clamp(0.0, 1.0) * SHARES as f64) as u64);
        }
    }

    /// What is being done now.
    pub fn at(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// One step is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }

    /// Runs `write` with the bar out of the way.
    pub fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((done, thread)) = self.waiting.take() {
            drop(done);
            // A panic there would have been printed already and concerns the bar alone.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}

/// Shows the bar after [`PATIENCE`] unless the sender is dropped before.
fn show_later(bar: ProgressBar) -> (Sender<()>, JoinHandle<()>) {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || {
        if receiver.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(Duration::from_millis(200));
        }
    });
    (sender, thread)
}
