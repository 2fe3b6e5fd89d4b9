//! The progress bar: on a terminal, and only if the work turns out to last.

use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work that is over before this is not worth a bar. What has lasted one second will on average
/// last another.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar that shows itself when the work lasts.
pub struct Progress {
    bar: ProgressBar,
    waiting: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// A bar of `steps` steps, never shown if `quiet` or without a terminal.
    pub fn new(steps: usize, quiet: bool) -> Self {
        let target = ProgressDrawTarget::hidden();
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed} {wide_msg}")
        {
            bar.set_style(style);
        }
        let wanted = !quiet && io::stderr().is_terminal();
        let waiting = wanted.then(|| show_later(bar.clone()));
        Self { bar, waiting }
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
