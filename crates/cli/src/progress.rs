//! Progress bar: shown on a terminal only, and only for work of some duration. Progress also goes to the log,
//! at its own intervals.

use std::cell::{Cell, RefCell};
use std::io::{self, IsTerminal};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use percuss_run::RunProgress;

use crate::console;
use crate::numbers::format_short;
use crate::rate::{self, RateEstimate};

/// Delay before a bar is shown. Work that has lasted one second will on average last another.
const PATIENCE: Duration = Duration::from_secs(1);

/// Minimal interval between updates of the bar.
const BLINK: Duration = Duration::from_millis(100);

/// Resolution of a bar of fractions.
const SHARES: usize = 1000;

/// A bar that appears after a delay.
pub struct Progress {
    bar: ProgressBar,
    waiting: Option<(Sender<()>, JoinHandle<()>)>,
    begun: Instant,
    /// Time of the last update by [`Progress::share`] or [`Progress::tick`].
    moved: Cell<Instant>,
    estimate: RefCell<RateEstimate>,
}

impl Progress {
    /// A bar of `steps` steps, never shown if `quiet` or without a terminal.
    pub fn new(steps: usize, quiet: bool) -> Self {
        Self::with_template(steps, quiet, "{bar:30} {pos}/{len} {elapsed} {wide_msg}")
    }

    /// A bar of work that is measured as a fraction.
    pub fn of_shares(quiet: bool) -> Self {
        Self::with_template(
            SHARES,
            quiet,
            "{bar:30} {percent:>3} % {elapsed} {wide_msg}",
        )
    }

    /// A spinner for work of unknown duration: what is being done and for how long.
    pub fn of_unknown(quiet: bool) -> Self {
        Self::with_template(SHARES, quiet, "{spinner} {elapsed} {wide_msg}")
    }

    /// A bar of a run: its progress, and below it the last step.
    pub fn of_run(quiet: bool) -> Self {
        let template = "{bar:30} {percent:>3} % {prefix}\n{wide_msg}";
        Self::with_template(SHARES, quiet, template)
    }

    fn with_template(steps: usize, quiet: bool, template: &str) -> Self {
        // Hidden until the delay has passed.
        let target = ProgressDrawTarget::hidden();
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        // Only on a terminal.
        let wanted = !quiet && io::stderr().is_terminal();
        let waiting = wanted.then(|| {
            console::register_bar(&bar);
            show_later(bar.clone())
        });
        let now = Instant::now();
        Self {
            bar,
            waiting,
            begun: now,
            moved: Cell::new(now),
            estimate: RefCell::new(RateEstimate::new(0.0)),
        }
    }

    /// Whether the bar is due for an update: steps may be faster than a bar can be drawn.
    fn should_redraw(&self) -> bool {
        let due = self.moved.get().elapsed() >= BLINK;
        if due {
            self.moved.set(Instant::now());
        }
        due
    }

    /// Adds a sample to the rate estimate; the remaining time as text, if known.
    fn note(&self, steps: usize, share: f64) -> Option<String> {
        let mut estimate = self.estimate.borrow_mut();
        estimate.note(self.begun.elapsed().as_secs_f64(), steps, share);
        let position = (share.clamp(0.0, 1.0) * SHARES as f64) as u64;
        self.bar.set_position(position);
        let left = estimate.left()?;
        Some(format!("{} left", rate::clock(left)))
    }

    /// Sets the fraction done; `what` is called only when the bar is updated.
    pub fn share(&self, share: f64, what: impl FnOnce() -> String) {
        if !self.should_redraw() {
            return;
        }
        let left = self.note(0, share);
        let what = what();
        let text = match left {
            // A text that states the remaining time itself is kept: a count of runs gives a better estimate.
            Some(left) if !what.ends_with(" left") => format!("{what}, {left}"),
            _ => what,
        };
        console::log_progress(|| format!("{:.1} % done: {text}", 100.0 * share.clamp(0.0, 1.0)));
        self.bar.set_message(text);
    }

    /// Reports a step of a run.
    pub fn tick(&self, tick: &RunProgress<'_>) {
        if !self.should_redraw() {
            return;
        }
        let left = self.note(tick.step, tick.share);
        let rate = self.estimate.borrow().rate();
        let (how_far, how) = (position_text(tick, left.as_deref()), step_text(tick, rate));
        console::log_progress(|| format!("{how_far}; {how}"));
        self.bar.set_prefix(how_far);
        self.bar.set_message(how);
    }

    /// Sets the text of the current task.
    pub fn at(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// One step is done.
    pub fn step(&self) {
        self.bar.inc(1);
    }

    /// Runs `write` with the bar suspended.
    pub fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        console::suspend_bar(write)
    }
}

/// Progress of a run as text.
fn position_text(tick: &RunProgress<'_>, left: Option<&str>) -> String {
    let what = match tick.preparation {
        Some(name) => format!("preparing {name}: "),
        None => String::new(),
    };
    let left = left.map_or(String::new(), |left| format!(", {left}"));
    format!(
        "{what}t = {} of {}{left}",
        format_short(tick.t),
        format_short(tick.until)
    )
}

/// The last step as text.
fn step_text(tick: &RunProgress<'_>, rate: Option<f64>) -> String {
    let plural = |n: usize, noun: &str| match n {
        1 => format!("1 {noun}"),
        n => format!("{n} {noun}s"),
    };
    let rate = rate.map_or(String::new(), |r| format!(", {}", rate::rate(r)));
    format!(
        "step {}{rate}, {}, {}, residual {:.1e}",
        tick.step,
        plural(tick.contacts, "contact"),
        plural(tick.iterations, "iteration"),
        tick.residual
    )
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((done, thread)) = self.waiting.take() {
            drop(done);
            // A panic there would have been printed already and affects the bar alone.
            let _ = thread.join();
            console::unregister_bar();
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

#[cfg(test)]
mod tests {
    use super::{position_text, step_text};
    use percuss_record::Certificate;
    use percuss_run::RunProgress;

    fn tick(certificate: &Certificate) -> RunProgress<'_> {
        RunProgress {
            preparation: None,
            step: 1200,
            t: 0.6,
            until: 2.0,
            share: 0.3,
            contacts: 340,
            iterations: 45,
            residual: 3.14e-9,
            tolerance: 1e-8,
            reached: true,
            penetration: 0.0,
            gain: 0.0,
            gamma: f64::INFINITY,
            certificate,
        }
    }

    #[test]
    fn a_bar_says_how_far_and_how_it_goes() {
        let certificate = Certificate::new();
        assert_eq!(
            position_text(&tick(&certificate), Some("43 s left")),
            "t = 0.6 of 2, 43 s left"
        );
        assert_eq!(
            step_text(&tick(&certificate), Some(512.0)),
            "step 1200, 512 steps/s, 340 contacts, 45 iterations, residual 3.1e-9"
        );
        let settling = RunProgress {
            preparation: Some("settle"),
            contacts: 1,
            ..tick(&certificate)
        };
        assert_eq!(
            position_text(&settling, None),
            "preparing settle: t = 0.6 of 2"
        );
        assert!(step_text(&settling, None).contains("1 contact,"));
    }
}
