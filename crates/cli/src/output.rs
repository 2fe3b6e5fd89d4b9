//! Output: results on standard output, atomic replacement of files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::CommandError;

/// Writes text to standard output and flushes it.
pub fn print(text: &str) -> Result<(), CommandError> {
    print_bytes(text.as_bytes())
}

/// The same for the bytes of a text.
pub fn print_bytes(text: &[u8]) -> Result<(), CommandError> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text).and_then(|()| out.flush());
    written.map_err(|e| match e.kind() {
        io::ErrorKind::BrokenPipe => CommandError::ClosedPipe,
        _ => CommandError::Machine(format!(
            "cannot write to the standard output: {e}; free space or redirect it elsewhere"
        )),
    })
}

/// A CSV field (RFC 4180).
pub fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.into()
    }
}

/// One JSON object on standard output.
pub fn print_json(object: &impl serde::Serialize) -> Result<(), CommandError> {
    let text = serde_json::to_string_pretty(object)
        .map_err(|e| CommandError::Machine(format!("cannot write the answer as JSON: {e}")))?;
    print(&(text + "\n"))
}

/// A file that is written at the end. It is created at the beginning, so that a wrong path is reported before
/// the work and not after it.
#[derive(Debug)]
pub struct OutputFile {
    /// The file as the user named it.
    name: PathBuf,
    /// The file behind symbolic links.
    path: PathBuf,
}

impl OutputFile {
    /// Checks that `name` can be written.
    pub fn new(name: &Path) -> Result<Self, CommandError> {
        // A symbolic link is kept and the file behind it replaced.
        let path = fs::canonicalize(name).unwrap_or_else(|_| name.into());
        let target = Self {
            name: name.into(),
            path,
        };
        if target.path.is_dir() {
            let reason = io::Error::from(io::ErrorKind::IsADirectory);
            return Err(target.fault(&reason));
        }
        if !target.is_device() {
            let (draft, _) = target.create_draft().map_err(|e| target.fault(&e))?;
            fs::remove_file(draft).map_err(|e| target.fault(&e))?;
        }
        Ok(target)
    }

    /// The file as the user named it.
    pub fn name(&self) -> String {
        self.name.display().to_string()
    }

    /// Replaces the content atomically: the old content stays if writing fails.
    pub fn write(&self, bytes: impl AsRef<[u8]>) -> Result<(), CommandError> {
        let bytes = bytes.as_ref();
        let written = if self.is_device() {
            fs::write(&self.path, bytes)
        } else {
            self.replace(bytes)
        };
        written.map_err(|e| self.fault(&e))
    }

    /// Whether it is a device or pipe, which accepts data but cannot be replaced.
    fn is_device(&self) -> bool {
        fs::metadata(&self.path).is_ok_and(|m| !m.is_file() && !m.is_dir())
    }

    fn replace(&self, bytes: &[u8]) -> io::Result<()> {
        let (draft, mut file) = self.create_draft()?;
        let done = file
            .write_all(bytes)
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&draft, &self.path));
        if done.is_err() {
            let _ = fs::remove_file(&draft);
        }
        done
    }

    /// A new file beside the target: a rename is atomic only inside one file system.
    fn create_draft(&self) -> io::Result<(PathBuf, File)> {
        let name = self.path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let mut draft = std::ffi::OsString::from(".");
        draft.push(name);
        draft.push(format!(".{}.part", std::process::id()));
        let draft = self.path.with_file_name(draft);
        // A leftover of a killed process with the same id is overwritten.
        let mut options = OpenOptions::new();
        let file = options
            .write(true)
            .create(true)
            .truncate(true)
            .open(&draft)?;
        Ok((draft, file))
    }

    fn fault(&self, reason: &io::Error) -> CommandError {
        CommandError::Machine(format!(
            "{}: cannot write this file: {reason}; name a file in a folder that exists and that \
             you may write to",
            self.name.display()
        ))
    }
}
