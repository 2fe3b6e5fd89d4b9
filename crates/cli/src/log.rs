//! `--log FILE`: messages and progress of a command, with the time since its start.
//!
//! The file is appended to and never truncated: the log of a resumed run follows that of the original. There is
//! one log for the whole process, as there is one standard error.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::Args;

use crate::output::{self, CommandError};

/// Minimal interval between progress lines.
const APART: Duration = Duration::from_secs(1);

/// Maximal interval between progress lines, however long the work takes.
const FURTHEST: Duration = Duration::from_secs(10);

/// The log, shared by several commands.
#[derive(Args, Clone)]
pub struct LogArgs {
    /// Append what is said, and a line of progress about every second, to this file
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
}

impl LogArgs {
    /// Opens the log, if one was requested, before the work begins.
    pub fn open(&self, what: &str, threads: usize) -> Result<(), CommandError> {
        let Some(path) = &self.log else {
            return Ok(());
        };
        let begun = Instant::now();
        let file = OpenOptions::new().append(true).create(true).open(path);
        let file = file.map_err(|e| {
            CommandError::Machine(format!(
                "{}: cannot open this file for the log: {e}; name a file in a folder that exists and \
                 that you may write to",
                path.display()
            ))
        })?;
        let words: Vec<String> = std::env::args().map(|word| quoted(&word)).collect();
        *held() = Some(Log {
            file,
            path: path.clone(),
            begun,
            told: begun,
        });
        let version = env!("CARGO_PKG_VERSION");
        line(&format!(
            "percuss {version}, {what}, {threads} {}, begun {}",
            if threads == 1 { "thread" } else { "threads" },
            date(SystemTime::now())
        ));
        line(&format!("command: {}", words.join(" ")));
        // A full disk is reported now and not in the middle of the run.
        let kept = held().is_some();
        match kept {
            true => Ok(()),
            false => Err(CommandError::Machine(format!(
                "{}: the log cannot be written; free space or name another file",
                path.display()
            ))),
        }
    }
}

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

/// Appends a line to the log. If writing fails, that is reported once and the log is closed: the run goes on
/// without it.
pub fn line(text: &str) {
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
        failed(&path, &error);
    }
}

fn failed(path: &Path, error: &std::io::Error) {
    output::message(&format!(
        "{}: cannot write to the log: {error}; the work goes on without it",
        path.display()
    ));
}

/// Appends a progress line if one is due; `text` is called only then.
pub fn progress(text: impl FnOnce() -> String) {
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
    line(&text());
}

/// A command line word, quoted for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=./:,+@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// Date and time in UTC.
fn date(now: SystemTime) -> String {
    let seconds = now.duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Civil date from days: years begin in March, so that a leap day is their last day; 719 468 days lie
    // between 1 March of the year 0 and 1970-01-01.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = 400 * era + year + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{date:02} {hour:02}:{minute:02}:{second:02} UTC")
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::{date, quoted};

    #[test]
    fn dates_are_those_of_the_calendar() {
        let at = |seconds| date(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01 00:00:00 UTC");
        // The leap day of a year divisible by 400, and a day after the end of a year.
        assert_eq!(at(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(at(1_767_225_599), "2025-12-31 23:59:59 UTC");
        assert_eq!(at(1_767_225_600), "2026-01-01 00:00:00 UTC");
    }

    #[test]
    fn words_can_be_pasted_into_a_shell() {
        assert_eq!(quoted("--set"), "--set");
        assert_eq!(quoted("mu=0.3"), "mu=0.3");
        assert_eq!(quoted("a b"), "'a b'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
    }
}
