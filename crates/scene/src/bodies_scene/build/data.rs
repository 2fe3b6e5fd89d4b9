//! Data files that a scene refers to: beside it, or built in.

use std::borrow::Cow;
use std::path::Path;

use super::context::{At, Context};
use crate::builtin;
use crate::error::SceneError;
use crate::file::DataFile;
use percuss_input::tables::bodies::spec::Name;

/// Largest file that is read, in bytes.
const LONGEST: u64 = 1 << 30;

/// The bytes of a file; where there is none, of the built-in data file of that name.
pub(super) fn read(
    context: &Context<'_>,
    at: At<'_>,
    name: &Name,
) -> Result<Cow<'static, [u8]>, SceneError> {
    let folder = Path::new(context.file).parent().unwrap_or(Path::new(""));
    let shown = folder.join(&name.text);
    // A file found from another folder than the current one keeps its name.
    let path = context.sources.folder.join(&shown);
    let path = if path.exists() { path } else { shown.clone() };
    match std::fs::metadata(&path) {
        Ok(about) if about.is_file() && about.len() <= LONGEST => {
            let what = format!("cannot read {}", path.display());
            let bytes = std::fs::read(&path);
            let bytes = bytes.map_err(|error| SceneError::machine(what, &error))?;
            note(context, name, Some(&shown), &bytes);
            return Ok(Cow::Owned(bytes));
        }
        Ok(about) if about.is_file() => {
            let problem = format!(
                "the file has {} bytes, at most {LONGEST} are read",
                about.len()
            );
            return Err(context.wrong(at, name, problem, "").into());
        }
        _ => {}
    }
    // No such file: a built-in one, else an error with the nearest name.
    if let Some(bytes) = builtin::data(&name.text) {
        note(context, name, None, bytes);
        return Ok(Cow::Borrowed(bytes));
    }
    let known: Vec<String> = builtin::data_names().map(str::to_string).collect();
    let guess = match percuss_expr::similar_names(&name.text, &known).first() {
        Some(nearest) => format!("; did you mean the built-in \"{nearest}\"?"),
        None => String::new(),
    };
    let problem = format!("there is no file {}{guess}", path.display());
    let advice = "Files are looked for beside the scene";
    Err(context.wrong(at, name, problem, advice).into())
}

/// Records that a file was read, once.
fn note(context: &Context<'_>, name: &Name, path: Option<&Path>, bytes: &[u8]) {
    let mut files = context.sources.files.borrow_mut();
    if !files.iter().any(|file| file.name == name.text) {
        files.push(DataFile {
            name: name.text.clone(),
            path: path.map(|path| path.display().to_string()),
            checksum: crc32fast::hash(bytes),
        });
    }
}

/// The same as UTF-8 text.
pub(super) fn read_text(
    context: &Context<'_>,
    at: At<'_>,
    name: &Name,
) -> Result<String, SceneError> {
    let bytes = read(context, at, name)?;
    match String::from_utf8(bytes.into_owned()) {
        Ok(text) => Ok(text),
        Err(_) => {
            let problem = "the file is not a text in UTF-8";
            Err(context.wrong(at, name, problem, "").into())
        }
    }
}
