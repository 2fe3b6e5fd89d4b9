//! Standard error and the log of the process: messages above the progress bar, lines of the log.
//!
//! They are in one module because each needs the others: a message goes to the log, a failure of the log is a
//! message, and both leave the bar intact. The state is that of the process, as there is one standard error.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

/// Minimal interval between progress lines.
const APART: Duration = Duration::from_secs(1);

/// Maximal interval between progress lines, however long the work takes.
const FURTHEST: Duration = Duration::from_secs(10);

/// The bar that may be on screen: messages are printed above it.
static SHOWN: Mutex<Option<ProgressBar>> = Mutex::new(None);

thread_local! {
    /// Whether this thread has suspended the bar already.
    static ASIDE: Cell<bool> = const { Cell::new(false) };
}

fn shown() -> MutexGuard<'static, Option<ProgressBar>> {
    SHOWN
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Makes `bar` the one that messages are printed above.
pub fn register_bar(bar: &ProgressBar) {
    *shown() = Some(bar.clone());
}

/// Ends what [`register_bar`] began; the bar itself stays as it is.
pub fn unregister_bar() {
    shown().take();
}

/// Runs `write` with the bar, if there is one, suspended.
pub fn suspend_bar<T>(write: impl FnOnce() -> T) -> T {
    let bar = shown().clone();
    match bar.filter(|_| !ASIDE.get()) {
        None => write(),
        Some(bar) => {
            ASIDE.set(true);
            let done = bar.suspend(write);
            ASIDE.set(false);
            done
        }
    }
}

/// Removes the bar from the screen.
pub fn clear_bar() {
    if let Some(bar) = shown().take() {
        bar.finish_and_clear();
    }
}

/// Writes a sentence to standard error, above the progress bar, and to the log. A failure to write is ignored.
pub fn message(sentence: &str) {
    let _ = suspend_bar(|| writeln!(io::stderr().lock(), "percuss: {sentence}"));
    log_line(sentence);
}

/// Warnings, in sentences.
pub fn warnings<'a>(sentences: impl IntoIterator<Item = &'a String>) {
    for sentence in sentences {
        message(&format!("warning: {sentence}"));
    }
}

/// The log of the process.
struct Log {
    file: File,
    path: PathBuf,
    begun: Instant,
    /// Time of the last progress line.
    told: Instant,
}

static LOG: Mutex<Option<Log>> = Mutex::new(None);

fn held() -> MutexGuard<'static, Option<Log>> {
    LOG.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Begins the log of the process in `file`; times count from `begun`.
pub fn open_log(file: File, path: &Path, begun: Instant) {
    *held() = Some(Log {
        file,
        path: path.into(),
        begun,
        told: begun,
    });
}

/// Whether there is a log: a failure to write closes it.
pub fn log_is_open() -> bool {
    held().is_some()
}

/// Appends a line to the log. If writing fails, that is reported once and the log is closed: the run goes on
/// without it.
pub fn log_line(text: &str) {
    let mut log = held();
    let Some(open) = log.as_mut() else {
        return;
    };
    let seconds = open.begun.elapsed().as_secs_f64();
    let mut all = String::new();
    for (number, part) in text.lines().enumerate() {
        // Continuation lines of a message are indented below its first line.
        let stamp = match number {
            0 => format!("[{seconds:10.3} s]"),
            _ => " ".repeat(14),
        };
        all += &format!("{stamp} {part}\n");
    }
    // One write per line: a reader that follows the file sees whole lines.
    if let Err(error) = open.file.write_all(all.as_bytes()) {
        let path = open.path.clone();
        *log = None;
        drop(log);
        log_failed(&path, &error);
    }
}

fn log_failed(path: &Path, error: &std::io::Error) {
    message(&format!(
        "{}: cannot write to the log: {error}; the work goes on without it",
        path.display()
    ));
}

/// Appends a progress line if one is due; `text` is called only then.
pub fn log_progress(text: impl FnOnce() -> String) {
    let mut log = held();
    let Some(open) = log.as_mut() else {
        return;
    };
    // The interval grows with the duration of the work.
    let apart = (open.begun.elapsed() / 60).clamp(APART, FURTHEST);
    if open.told.elapsed() < apart {
        return;
    }
    open.told = Instant::now();
    drop(log);
    log_line(&text());
}
