//! Scenes: files, built-in systems, texts.

use std::path::Path;

use percuss_scene::{Scene, SceneKind};
use pyo3::prelude::*;

use crate::error;

/// Adds the class and the functions of this file.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyScene>()?;
    module.add_function(wrap_pyfunction!(builtin, module)?)
}

/// Name, title and source of every built-in scene.
#[pyfunction]
fn builtin() -> PyResult<Vec<(String, String, String)>> {
    let all = percuss_scene::builtin::list().map_err(error::scene)?;
    let row = |entry: percuss_scene::builtin::Builtin| (entry.name, entry.title, entry.source);
    Ok(all.into_iter().map(row).collect())
}

/// A scene: a mechanism, a sweeping process or bodies, with settings and known results.
#[pyclass(frozen, name = "Scene", module = "percuss")]
pub struct PyScene {
    /// The scene as the engine reads it.
    pub scene: Scene,
}

#[pymethods]
impl PyScene {
    /// Reads a built-in scene by its name, or a file.
    #[staticmethod]
    fn load(path_or_name: &str) -> PyResult<Self> {
        let scene = Scene::load(path_or_name).map_err(error::scene)?;
        Ok(Self { scene })
    }

    /// Reads a scene from its text.
    #[staticmethod]
    #[pyo3(signature = (text, name="scene", origin=None, folder=None))]
    fn parse(text: &str, name: &str, origin: Option<&str>, folder: Option<&str>) -> PyResult<Self> {
        let scene = Scene::parse(name, origin.unwrap_or(name), text).map_err(error::scene)?;
        let scene = match folder {
            Some(folder) => scene.from_folder(Path::new(folder)),
            None => scene,
        };
        Ok(Self { scene })
    }

    /// The same scene with overridden values, as by `--set` of the command.
    fn with_values(&self, pairs: Vec<(String, String)>) -> PyResult<Self> {
        let scene = self.scene.with_overrides(&pairs).map_err(error::scene)?;
        Ok(Self { scene })
    }

    /// The same scene with the overrides of its table `[fast]`, as by `--fast` of the command.
    fn fast(&self) -> PyResult<Self> {
        let scene = self.scene.fast().map_err(error::scene)?;
        Ok(Self { scene })
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.scene.name()
    }

    /// Its title, one line.
    #[getter]
    fn title(&self) -> &str {
        self.scene.title()
    }

    /// Source in the literature; may be empty.
    #[getter]
    fn source(&self) -> &str {
        self.scene.source()
    }

    /// Description; may be empty.
    #[getter]
    fn about(&self) -> &str {
        self.scene.about()
    }

    /// The whole text of the file.
    #[getter]
    fn text(&self) -> &str {
        self.scene.text()
    }

    /// Warnings about the text, in sentences: words of an earlier version.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.scene.warnings().to_vec()
    }

    /// `"bodies"` or `"mechanism"` (a sweep is a mechanism).
    #[getter]
    fn kind(&self) -> &'static str {
        match self.scene.kind() {
            SceneKind::Bodies => "bodies",
            SceneKind::Mechanism => "mechanism",
        }
    }

    /// Names and values of the parameters.
    #[getter]
    fn parameters(&self) -> std::collections::BTreeMap<String, f64> {
        self.scene.parameters().iter().cloned().collect()
    }

    fn __repr__(&self) -> String {
        format!("<percuss.Scene {}: {}>", self.name(), self.title())
    }
}
