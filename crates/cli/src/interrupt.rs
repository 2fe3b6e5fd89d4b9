//! Signal handling: Ctrl-C (SIGINT), SIGTERM and a closed terminal (SIGHUP).
//!
//! During a run the first signal is a request: the step is completed, what is in memory is written to disk, and
//! the command ends with status 130. Where nothing would be lost, as in the runs that findings need, it ends
//! the command at once; so does a second signal at any time.

use std::process;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::console;
use crate::error::CommandError;

/// Exit status of a command that was interrupted: 128 + SIGINT.
pub const STATUS: u8 = 130;

/// Number of signals received.
static ASKED: AtomicUsize = AtomicUsize::new(0);

/// Message when a signal ends the program at once; `None` while the run must be closed first.
static EXIT_MESSAGE: Mutex<Option<String>> = Mutex::new(None);

/// Installs the handler; before, and in commands that never call this, a signal kills the process. Signals that
/// are ignored already (`nohup`, background jobs of a script) stay ignored: a run that is meant to outlive its
/// terminal does, and its checkpoints serve otherwise.
pub fn install_handler() -> Result<(), CommandError> {
    match ctrlc::try_set_handler(on_signal) {
        Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        Err(error) => Err(CommandError::Machine(format!(
            "cannot listen to Ctrl-C: {error}; run again, or run without a terminal"
        ))),
    }
}

/// Whether a signal was received.
pub fn requested() -> bool {
    ASKED.load(Ordering::Relaxed) > 0
}

fn on_signal() {
    let before = ASKED.fetch_add(1, Ordering::Relaxed);
    let words = last_words().clone();
    match (words, before) {
        (Some(words), _) => end(&words),
        (None, 0) => {
            console::message("interrupted: the step is being finished; once more to end at once");
        }
        (None, _) => end("ended at once; what is in the records by now stays readable"),
    }
}

fn last_words() -> std::sync::MutexGuard<'static, Option<String>> {
    let words = EXIT_MESSAGE.lock();
    words.unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn end(words: &str) -> ! {
    console::clear_bar();
    console::message(words);
    console::log_line(&format!("exit status {STATUS}"));
    process::exit(STATUS.into());
}

/// While it lives, a signal ends the program at once.
pub struct ExitAtOnce;

/// From here on a signal ends the program at once, with this message; so does one that was received before.
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
