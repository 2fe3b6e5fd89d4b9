//! `--log FILE`: messages and progress of a command, with the time since its start.
//!
//! The file is appended to and never truncated: the log of a resumed run follows that of the original. There is
//! one log for the whole process, as there is one standard error.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::sync::{Mutex, MutexGuard};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use crate::args::LogArgs;
use crate::console;
use crate::error::CommandError;

/// The words of the command line, the name of the command first.
static COMMAND_LINE: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn command_line() -> MutexGuard<'static, Vec<String>> {
    COMMAND_LINE
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Keeps the words of the command line for the beginning of the log.
pub fn set_command_line(words: &[OsString]) {
    let words = words.iter().map(|word| word.to_string_lossy().into_owned());
    *command_line() = words.collect();
}

/// Opens the log, if one was requested, before the work begins.
pub fn open(args: &LogArgs, what: &str, threads: usize) -> Result<(), CommandError> {
    let Some(path) = args.file() else {
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
    let words: Vec<String> = command_line().iter().map(|word| quoted(word)).collect();
    console::open_log(file, path, begun);
    let version = env!("CARGO_PKG_VERSION");
    console::log_line(&format!(
        "percuss {version}, {what}, {threads} {}, begun {}",
        if threads == 1 { "thread" } else { "threads" },
        date(SystemTime::now())
    ));
    console::log_line(&format!("command: {}", words.join(" ")));
    // A full disk is reported now and not in the middle of the run.
    match console::log_is_open() {
        true => Ok(()),
        false => Err(CommandError::Machine(format!(
            "{}: the log cannot be written; free space or name another file",
            path.display()
        ))),
    }
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
