//! Summary of a run from its manifest: printed by `percuss run` and `percuss show`.

mod notes;

use std::fmt::Write;
use std::path::Path;

use percuss_record::{Manifest, NonuniqueInstant, RunStatus};
use serde::Serialize;
use serde_json::Value;

use crate::error::CommandStatus;
use crate::numbers::{expectation, format_short, value_text};
use crate::text_table;

pub use notes::fits_text;

/// The object that `--json` prints. The fields scene, directory, certificate, findings and status are a stable
/// interface for programs that read them.
#[derive(Debug, Serialize)]
pub struct RunSummaryJson<'a> {
    scene: &'a str,
    title: &'a str,
    directory: Option<String>,
    status: &'a str,
    reason: Option<&'a str>,
    /// Last time computed.
    reached: Option<f64>,
    certificate: &'a Value,
    findings: &'a [Value],
    /// Instants at which the continuation is not unique.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    nonunique: &'a [NonuniqueInstant],
    /// Warnings, in sentences.
    warnings: &'a [String],
}

/// Summary of a run.
pub struct RunSummary<'a> {
    /// The manifest as it was written, or would have been.
    pub manifest: &'a Manifest,
    /// Where the records are, if there are any.
    pub directory: Option<&'a Path>,
}

impl RunSummary<'_> {
    fn findings(&self) -> &[Value] {
        self.manifest.findings.as_deref().unwrap_or(&[])
    }

    fn certificate(&self) -> &Value {
        self.manifest.certificate.as_ref().unwrap_or(&Value::Null)
    }

    fn certified(&self) -> bool {
        self.certificate()["ok"] == true
    }

    /// A run without records was refused before its first step.
    fn status(&self) -> &'static str {
        match (self.manifest.status, self.directory) {
            (RunStatus::Stopped, None) => "refused",
            (status, _) => status.name(),
        }
    }

    /// The exit status of the run.
    pub fn verdict(&self) -> CommandStatus {
        let missed = self.findings().iter().any(|f| f["ok"] == false);
        match self.manifest.status {
            RunStatus::Stopped => CommandStatus::BadInput,
            RunStatus::Interrupted => CommandStatus::Interrupted,
            _ if missed || !self.certified() => CommandStatus::NotMet,
            _ => CommandStatus::Success,
        }
    }

    /// The object that `--json` prints.
    pub fn json(&self) -> RunSummaryJson<'_> {
        let manifest = self.manifest;
        RunSummaryJson {
            scene: &manifest.scene,
            title: &manifest.title,
            directory: self.directory.map(|d| d.display().to_string()),
            status: self.status(),
            reason: manifest.reason.as_deref(),
            reached: manifest.reached,
            certificate: self.certificate(),
            findings: self.findings(),
            nonunique: &manifest.nonunique,
            warnings: &manifest.warnings,
        }
    }

    /// One-line summary.
    pub fn line(&self) -> String {
        let manifest = self.manifest;
        let mut line = format!("{}: {}", manifest.scene, self.status());
        // Certificate.
        match (manifest.status, self.certified()) {
            (RunStatus::Running, _) => line += ", no certificate yet",
            (RunStatus::Stopped | RunStatus::Interrupted, true) => {
                line += ", certificate ok up to there"
            }
            (_, true) => line += ", certificate ok",
            (_, false) => line += ", certificate NOT ok",
        }
        // Findings.
        if let Some(findings) = &manifest.findings {
            let judged = findings.iter().filter(|f| f["ok"].is_boolean());
            let met = findings.iter().filter(|f| f["ok"] == true).count();
            let _ = write!(line, ", {met} of {} findings ok", judged.count());
        }
        if let Some(directory) = self.directory {
            let _ = write!(line, "; records in {}", directory.display());
        }
        line + "\n"
    }

    /// The whole summary as text.
    pub fn text(&self) -> String {
        let manifest = self.manifest;
        // Title and source; status; certificate; notes; findings.
        let mut text = manifest.title.clone();
        if !manifest.source.is_empty() {
            let _ = write!(text, " ({})", manifest.source);
        }
        text += "\n";
        let _ = writeln!(text, "{}", self.how());
        if manifest.certificate.is_some() {
            let _ = write!(text, "\n{}", self.certificate_text());
        }
        text += &notes::warnings_text(manifest);
        if !manifest.nonunique.is_empty() {
            let _ = write!(text, "\n{}", notes::nonunique_text(&manifest.nonunique));
        }
        if !self.findings().is_empty() {
            let _ = write!(text, "\n{}", findings_text(self.findings()));
        }
        text
    }

    fn how(&self) -> String {
        let manifest = self.manifest;
        let settings = &manifest.settings;
        let mut line = self.status().to_string();
        if let Some(t) = manifest.reached {
            let _ = write!(line, " at t = {}", format_short(t));
        }
        // Integrator, step and overrides.
        let word = |key: &str| settings[key].as_str().unwrap_or("?").to_string();
        let step = settings["step"].as_f64().map_or("?".into(), format_short);
        let _ = write!(line, "; integrator {}, step {step}", word("integrator"));
        if let Some(most) = self.certificate()["most_contacts"].as_u64() {
            let _ = write!(line, ", up to {most} contacts");
        }
        for change in &manifest.overrides {
            let _ = write!(line, ", {} = {}", change.key, change.value);
        }
        if let Some(reason) = &manifest.reason {
            let _ = write!(line, "\n{reason}");
        }
        line + &self.prelude()
    }

    /// Preparation of bodies before the run, and whether a stop condition ended it.
    fn prelude(&self) -> String {
        let certificate = self.certificate();
        let mut text = String::new();
        // Stop condition, removal of overlaps, preparatory runs.
        if certificate["halted"] == true {
            text += "\nended by its condition `stop`";
        }
        if let Some(depth) = certificate["relaxed"].as_f64() {
            let depth = format_short(depth);
            let _ = write!(
                text,
                "\noverlaps up to {depth} were moved apart before the start"
            );
        }
        for prepared in certificate["prepared"].as_array().into_iter().flatten() {
            let name = prepared["name"].as_str().unwrap_or("?");
            let lasted = prepared["duration"]
                .as_f64()
                .map_or("?".into(), format_short);
            let _ = write!(text, "\nprepared by `{name}` for a time of {lasted}");
            if let Some(missed) = prepared["missed"].as_u64().filter(|n| *n > 0) {
                let _ = write!(text, "; {missed} steps missed their tolerance");
            }
        }
        text
    }

    fn certificate_text(&self) -> String {
        let certificate = self.certificate();
        let count = |key: &str| certificate[key].as_u64().unwrap_or(0);
        let verdict = if self.certified() { "ok" } else { "NOT ok" };
        let mut text = format!(
            "certificate {verdict}: {} steps, {} missed their tolerance\n",
            count("steps"),
            count("missed")
        );
        text += &notes::not_met_text(certificate);
        let figures = [
            ("residual", "worst_residual"),
            ("penetration", "worst_penetration"),
            ("joint error", "worst_drift"),
            ("momentum balance", "worst_momentum"),
            ("energy balance", "worst_energy"),
            ("energy gain", "worst_gain"),
            ("loss of scheme", "dissipation"),
        ];
        // Most scenes of bodies have no joints.
        let bodies = !self.manifest.settings["dimension"].is_null();
        for (name, key) in figures {
            if bodies && key == "worst_drift" && certificate[key].as_f64() == Some(0.0) {
                continue;
            }
            // Records of earlier versions lack some entries.
            if certificate.get(key).is_none() {
                continue;
            }
            let value = certificate[key].as_f64();
            let value = value.map_or("not a number".into(), text_table::residual);
            let share = certificate[format!("{key}_share")].as_f64();
            let share = share.filter(|share| *share > 0.0);
            let share = share.map_or_else(String::new, |share| {
                format!(
                    "   {} % of its size",
                    format_short((1e4 * share).round() / 100.0)
                )
            });
            let _ = writeln!(text, "  worst {name:<17} {value:>8}{share}");
        }
        if let Some(fits) = certificate["solids"].as_array() {
            text += &fits_text(fits);
        }
        let spare = count("redundant_joint_rows");
        if spare > 0 {
            let names = certificate["redundant_joints"].as_array();
            let names = names.into_iter().flatten().filter_map(Value::as_str);
            let names: Vec<&str> = names.collect();
            let _ = writeln!(
                text,
                "  {spare} joint rows hold what others hold already (at {}): reactions of least norm",
                names.join(", ")
            );
        }
        text
    }
}

/// The findings as a table.
fn findings_text(findings: &[Value]) -> String {
    let heading = ["finding", "value", "expected", "", "case"].map(String::from);
    let mut rows = vec![heading];
    let cases = findings
        .iter()
        .any(|f| f["case"].as_str().is_some_and(|c| c != "main"));
    // One row per finding.
    for finding in findings {
        let verdict = match finding["ok"].as_bool() {
            Some(true) => "ok",
            Some(false) => "NOT ok",
            None if finding["applicable"] == false => "not applicable",
            None => "",
        };
        let case = finding["case"].as_str().unwrap_or("");
        rows.push([
            finding["name"].as_str().unwrap_or("?").into(),
            value_text(&finding["value"]),
            expectation(finding),
            verdict.into(),
            if case == "main" {
                String::new()
            } else {
                case.into()
            },
        ]);
    }
    // The column of cases only where a finding has one.
    if !cases {
        rows[0][4].clear();
    }
    let mut text = text_table::aligned(&rows);
    for finding in findings {
        if let Some(reason) = finding["reason"].as_str() {
            let _ = writeln!(
                text,
                "  {}: {reason}",
                finding["name"].as_str().unwrap_or("?")
            );
        }
    }
    text
}
