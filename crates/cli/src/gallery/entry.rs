//! A system of the gallery: what it is, how its run ended, which files show it.

use scene::Scene;
use scene::record::{Manifest, RunStatus};
use serde_json::{Value, json};

/// Folders of a gallery.
pub const FOLDERS: [&str; 6] = ["runs", "pictures", "films", "plots", "pages", "scenes"];

/// The file of a scene's text.
pub fn scene_file(name: &str) -> String {
    format!("scenes/{name}.toml")
}

/// What a system belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Mechanism,
    Bodies,
    Sweep,
}

impl Group {
    /// All with their headings.
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

/// How the run of a system ended.
pub enum SystemOutcome {
    /// It ran.
    Ran(Box<Manifest>),
    /// It was refused, with these words.
    Refused(String),
    /// It could not be run.
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
    /// Files, as seen from the page.
    pub picture: Option<String>,
    pub film: Option<String>,
    pub plot: Option<(String, String)>,
    pub page: Option<String>,
    /// What went wrong with pictures.
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

    /// Findings that are as expected, and those that are judged.
    pub fn met(&self) -> (usize, usize) {
        let findings = self.findings().iter();
        let judged = findings.clone().filter(|f| f["ok"].is_boolean()).count();
        (findings.filter(|f| f["ok"] == true).count(), judged)
    }

    /// Whether all is as it should be.
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
