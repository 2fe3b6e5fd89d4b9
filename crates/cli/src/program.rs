//! How the command starts itself in a child process.

use std::ffi::OsString;
use std::io;
use std::process::Command;
use std::sync::OnceLock;

/// The program and its first arguments where it is not the file of this process.
static PROGRAM: OnceLock<Vec<OsString>> = OnceLock::new();

/// Says how the command is started; the first call counts.
pub fn set(program: Vec<OsString>) {
    let _ = PROGRAM.set(program);
}

/// A process of this command, without arguments yet: the program that was set, else the file of this process.
pub fn command() -> io::Result<Command> {
    if let Some((program, first)) = PROGRAM.get().and_then(|words| words.split_first()) {
        let mut command = Command::new(program);
        command.args(first);
        return Ok(command);
    }
    std::env::current_exe().map(Command::new)
}
