//! Ctrl-C, SIGTERM and a closed terminal.
//!
//! While steps are made the first one is a wish: the step is finished, what is in memory goes to the
//! disk, and the command ends with status 130. Where nothing would be lost, as in the runs that
//! findings ask for, it ends the command at once; and so does a second one anywhere.

use std::process;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::output::{self, CommandError};
use crate::{log, progress};

/// Exit status of a command that was interrupted: 128 + SIGINT.
pub const STATUS: u8 = 130;

/// How often we were asked to end.
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// What is said when an interruption ends the program at once; nothing while it must wait.
static EXIT_MESSAGE: Mutex<Option<String>> = Mutex::new(None);

/// Listens from now on; before, and in commands that never ask for it, an interruption kills. Where a
/// signal is ignored already (`nohup`, the background of a script) nothing is changed: a run that shall
/// outlive its terminal does, and its checkpoints serve for the rest.
pub fn install_handler() -> Result<(), CommandError> {
    match ctrlc::try_set_handler(on_signal) {
        Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        Err(error) => Err(CommandError::Machine(format!(
            "cannot listen to Ctrl-C: {error}; run again, or run without a terminal"
        ))),
    }
}

/// Whether we were asked to end.
pub fn requested() -> bool {
    ASKED.load(Ordering::Relaxed) > 0
}

fn on_signal() {
    let before = ASKED.fetch_add(1, Ordering::Relaxed);
    let words = last_words().clone();
    match (words, before) {
        (Some(words), _) => end(&words),
        (None, 0) => {
            output::message("interrupted: the step is being finished; once more to end at once");
        }
        (None, _) => end("ended at once; what is in the records by now stays readable"),
    }
}

fn last_words() -> std::sync::MutexGuard<'static, Option<String>> {
    let words = EXIT_MESSAGE.lock();
    words.unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn end(words: &str) -> ! {
    progress::clear();
    output::message(words);
    log::line(&format!("exit status {STATUS}"));
    process::exit(STATUS.into());
}

/// While it lives an interruption ends the program at once.
pub struct ExitAtOnce;

/// From here on an interruption ends the program at once, with these words. So does one that came
/// before.
pub fn exit_at_once(words: String) -> ExitAtOnce {
    *last_words() = Some(words.clone());
    if requested() {
        end(&words);
    }
    ExitAtOnce
}

impl Drop for ExitAtOnce {
    fn drop(&mut self) {
        *last_words() = None;
    }
}
