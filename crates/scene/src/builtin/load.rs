//! Reading the text of a scene file.

use std::path::Path;

use crate::builtin;
use crate::error::SceneError;
use crate::file::Scene;

/// Largest file that is read, in bytes.
const LONGEST: u64 = 16 << 20;

/// The text of a file. A missing file gives a message that points to the built-in scenes.
pub fn read(path: &str) -> Result<String, SceneError> {
    // Input errors for missing and binary files, else a fault of the machine.
    let fault = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => SceneError::Missing(nothing_there(path)),
        std::io::ErrorKind::InvalidData => SceneError::Missing(format!(
            "{path}: this is not a text in UTF-8; a scene is a text file (TOML)"
        )),
        _ => SceneError::machine(format!("cannot read {path}"), &error),
    };
    let about = std::fs::metadata(path).map_err(fault)?;
    if about.is_dir() {
        let text =
            format!("{path}: this is a directory, a scene file was expected; name the file in it");
        return Err(SceneError::Missing(text));
    }
    if about.len() > LONGEST {
        let text = format!(
            "{path}: the file has {} bytes, more than a scene can have; is it a scene file?",
            about.len()
        );
        return Err(SceneError::Missing(text));
    }
    std::fs::read_to_string(path).map_err(fault)
}

fn nothing_there(path: &str) -> String {
    let names: Vec<String> = builtin::names().map(str::to_string).collect();
    let guess = match percuss_expr::similar_names(path, &names).first() {
        Some(nearest) => format!("; did you mean `{nearest}`?"),
        None => String::new(),
    };
    format!(
        "`{path}` is neither a file nor a built-in scene{guess} \
         (`percuss examples` lists the built-in scenes)"
    )
}

impl Scene {
    /// Loads a scene from a file, or a built-in scene by its name.
    ///
    /// # Errors
    /// There is neither, the file cannot be read, or as [`Scene::parse`].
    pub fn load(path_or_name: &str) -> Result<Self, SceneError> {
        let path = Path::new(path_or_name);
        // A bare word is the name of a built-in scene first, then a file.
        let is_path = path.extension().is_some() || path.components().count() > 1;
        if !is_path && let Some(text) = builtin::text(path_or_name) {
            return Self::parse(path_or_name, path_or_name, text);
        }
        let name = path
            .file_stem()
            .map_or(path_or_name.into(), |stem| stem.to_string_lossy());
        Self::parse(&name, path_or_name, &read(path_or_name)?)
    }
}
