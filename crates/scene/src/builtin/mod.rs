//! Built-in scenes: the scene files of the repository and the data files they refer to, compiled into the library
//! and sorted by name. The build script writes both tables; look-up is by binary search.

mod load;

use crate::error::SceneError;
use crate::file::Scene;
pub use load::read;

/// Name and text of every built-in scene.
static SCENES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenes.rs"));

/// Name and bytes of every file that built-in scenes refer to.
static DATA: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/data.rs"));

/// An entry of the list of built-in scenes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Builtin {
    /// Name of the scene, the stem of its file.
    pub name: String,
    /// Title of the scene, one line.
    pub title: String,
    /// Publication or origin of the system.
    pub source: String,
}

/// Names of all built-in scenes, sorted.
pub fn names() -> impl Iterator<Item = &'static str> {
    SCENES.iter().map(|(name, _)| *name)
}

/// Text of a built-in scene.
pub fn text(name: &str) -> Option<&'static str> {
    let at = SCENES
        .binary_search_by(|(known, _)| (*known).cmp(name))
        .ok()?;
    Some(SCENES[at].1)
}

/// Names of the files that come with the built-in scenes, sorted.
pub fn data_names() -> impl Iterator<Item = &'static str> {
    DATA.iter().map(|(name, _)| *name)
}

/// Bytes of a file that comes with the built-in scenes, where a scene calls it `NAME` or
/// `data/NAME`.
pub fn data(name: &str) -> Option<&'static [u8]> {
    let name = name.strip_prefix("data/").unwrap_or(name);
    let at = DATA
        .binary_search_by(|(known, _)| (*known).cmp(name))
        .ok()?;
    Some(DATA[at].1)
}

/// All built-in scenes with their titles.
///
/// # Errors
/// A built-in scene is broken; tests keep this from happening.
pub fn list() -> Result<Vec<Builtin>, SceneError> {
    // Parsing gives title and source.
    let entry = |&(name, text): &(&str, &str)| {
        let scene = Scene::parse(name, name, text)?;
        Ok(Builtin {
            name: name.to_string(),
            title: scene.title().to_string(),
            source: scene.source().to_string(),
        })
    };
    SCENES.iter().map(entry).collect()
}
