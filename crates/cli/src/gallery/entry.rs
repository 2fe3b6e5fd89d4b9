//! An entry of the gallery: a built-in system, the outcome of its run, its files.

use percuss_record::{Manifest, RunStatus};
use percuss_scene::Scene;
use serde_json::{Value, json};

/// Folders of a gallery.
pub const FOLDERS: [&str; 6] = ["runs", "pictures", "films", "plots", "pages", "scenes"];

/// File name of a scene's text.
pub fn scene_file(name: &str) -> String {
    format!("scenes/{name}.toml")
}

/// Section of the gallery.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Mechanism,
    Bodies,
    Sweep,
}

impl Group {
    /// All sections with their headings.
    pub const ALL: [(Self, &'static str); 3] = [
        (Self::Bodies, "Collections of bodies"),
        (Self::Mechanism, "Mechanisms"),
        (Self::Sweep, "Sweeping processes"),
    ];

    /// From the text of a scene.
    pub fn of(text: &str) -> Self {
        let kind = text.lines().find_map(|line| {
            let (key, value) = line.split_once('=')?;
            (key.trim() == "kind").then(|| value.trim().trim_matches('"'))
        });
        match kind {
            Some("bodies") => Self::Bodies,
            Some("sweep") => Self::Sweep,
            _ => Self::Mechanism,
        }
    }
}

/// Outcome of the run of a system.
pub enum SystemOutcome {
    /// The run was recorded.
    Ran(Box<Manifest>),
    /// The scene was refused, with this message.
    Refused(String),
    /// The run failed.
    Failed(String),
}

/// A system.
pub struct Entry {
    pub name: String,
    pub title: String,
    pub source: String,
    pub about: String,
    pub group: Group,
    pub outcome: SystemOutcome,
    /// Files, relative to the page.
    pub picture: Option<String>,
    pub film: Option<String>,
    pub plot: Option<(String, String)>,
    pub page: Option<String>,
    /// Errors of pictures.
    pub notes: Vec<String>,
}

impl Entry {
    pub fn of(scene: &Scene, group: Group) -> Self {
        Self {
            title: scene.title().into(),
            source: scene.source().into(),
            about: scene.about().into(),
            group,
            ..Self::broken(scene.name(), String::new())
        }
    }

    pub fn broken(name: &str, why: String) -> Self {
        Self {
            name: name.into(),
            title: name.into(),
            source: String::new(),
            about: String::new(),
            group: Group::Mechanism,
            outcome: SystemOutcome::Failed(why),
            picture: None,
            film: None,
            plot: None,
            page: None,
            notes: Vec::new(),
        }
    }

    fn manifest(&self) -> Option<&Manifest> {
        match &self.outcome {
            SystemOutcome::Ran(manifest) => Some(manifest),
            _ => None,
        }
    }

    /// Its findings, as its manifest has them.
    pub fn findings(&self) -> &[Value] {
        self.manifest()
            .and_then(|manifest| manifest.findings.as_deref())
            .unwrap_or(&[])
    }

    /// Its certificate.
    pub fn certificate(&self) -> &Value {
        let known = self.manifest().and_then(|m| m.certificate.as_ref());
        known.unwrap_or(&Value::Null)
    }

    /// Number of findings that are as expected, and of those with an expectation.
    pub fn met(&self) -> (usize, usize) {
        let findings = self.findings().iter();
        let judged = findings.clone().filter(|f| f["ok"].is_boolean()).count();
        (findings.filter(|f| f["ok"] == true).count(), judged)
    }

    /// Whether run and pictures succeeded and all findings are as expected.
    pub fn is_ok(&self) -> bool {
        let (met, judged) = self.met();
        match &self.outcome {
            SystemOutcome::Ran(manifest) => {
                let finished = manifest.status == RunStatus::Finished;
                finished
                    && met == judged
                    && self.certificate()["ok"] == true
                    && self.notes.is_empty()
            }
            SystemOutcome::Refused(_) => super::REFUSED.contains(&&*self.name),
            SystemOutcome::Failed(_) => false,
        }
    }

    /// In a word.
    pub fn status(&self) -> &'static str {
        match &self.outcome {
            SystemOutcome::Ran(manifest) => manifest.status.name(),
            SystemOutcome::Refused(_) => "refused",
            SystemOutcome::Failed(_) => "failed",
        }
    }

    /// What is not as it should be.
    pub fn problem_text(&self) -> String {
        match &self.outcome {
            SystemOutcome::Refused(why) | SystemOutcome::Failed(why) => why.clone(),
            SystemOutcome::Ran(manifest) => {
                let missed = self.findings().iter().filter(|f| f["ok"] == false);
                let missed: Vec<&str> = missed.filter_map(|f| f["name"].as_str()).collect();
                let mut all = self.notes.clone();
                if manifest.status != RunStatus::Finished {
                    all.push(
                        manifest
                            .reason
                            .clone()
                            .unwrap_or_else(|| self.status().into()),
                    );
                }
                if self.certificate()["ok"] != true {
                    all.push("its certificate is not met".into());
                }
                if !missed.is_empty() {
                    all.push(format!(
                        "findings outside their expectation: {}",
                        missed.join(", ")
                    ));
                }
                all.join("; ")
            }
        }
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let (met, judged) = self.met();
        json!({
            "name": self.name,
            "status": self.status(),
            "ok": self.is_ok(),
            "certificate": self.certificate()["ok"],
            "findings": judged,
            "findings_ok": met,
            "picture": self.picture,
            "film": self.film,
            "page": self.page,
            "plot": self.plot.as_ref().map(|(file, _)| file),
            "trouble": if self.is_ok() { Value::Null } else { self.problem_text().into() },
        })
    }
}
