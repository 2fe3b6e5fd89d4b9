//! Summary of a run for the page: identity, progress, certificate, findings.

use serde_json::{Map, Value, json};

use crate::moment::RunSnapshot;

impl RunSnapshot {
    /// Identity, progress and results of the run, as JSON.
    pub fn about(&self) -> Value {
        let manifest = self.record.manifest();
        let settings = &manifest.settings;
        let frames = self.frames();
        let company = self.body_attributes.as_ref().ok();
        let n = if self.flat { 2 } else { 3 };
        let listed = self.further();
        let columns: Vec<Value> = listed
            .iter()
            .map(|c| json!({ "name": c.name, "unit": c.unit, "meaning": c.meaning }))
            .collect();
        // Last recorded time.
        let last = frames.last().map(|span| span.t).or(manifest.reached);
        let start = settings.get("start").cloned().unwrap_or(json!(0.0));
        json!({
            "format": 1,
            "name": manifest.scene,
            "directory": self.record.directory().display().to_string(),
            "title": manifest.title,
            "about": self.facts.about,
            "source": manifest.source,
            "kind": self.facts.kind,
            "dimension": n,
            "units": units(),
            "state": self.state.name(),
            "reason": manifest.reason,
            "time": {
                "from": frames.first().map_or(start, |span| json!(span.t)),
                "to": last,
                "step": settings.get("step"),
                "until": settings.get("until"),
            },
            "frames": frames.len(),
            "contact_frames": self.contact_steps.len(),
            "bodies": company.map_or(0, |c| c.bodies.len()),
            "origin": self.origin,
            "box": self.bounding(n),
            "gravity": self.facts.gravity,
            "cell": self.cell.is_ok(),
            "periodic": self.facts.periodic,
            "materials": company.map_or(&[][..], |c| &c.materials),
            "groups": company.map_or(&[][..], |c| &c.group_names),
            "parameters": manifest.parameters,
            "version": manifest.percuss,
            "certificate": self.certificate(),
            "findings": manifest.findings.as_deref().unwrap_or(&[]),
            "columns": columns,
            "notes": self.notes(),
            "revision": self.revision,
        })
    }

    fn bounding(&self, n: usize) -> Value {
        let count = self.frames().len();
        // From the first and the last state.
        let ends = match count {
            0 => return Value::Null,
            1 => vec![0],
            _ => vec![0, count - 1],
        };
        let Some((low, high)) = self.box_of(&ends) else {
            return Value::Null;
        };
        let from_origin = |corner: [f64; 3]| -> Vec<f64> {
            let each = corner.iter().zip(&self.origin).map(|(x, o)| x - o);
            each.take(n).collect()
        };
        json!({ "min": from_origin(low), "max": from_origin(high) })
    }

    /// The certificate; of a run in progress, up to the steps read so far.
    fn certificate(&self) -> Value {
        let manifest = self.record.manifest();
        let ledger = self.steps.as_ref().map(|(_, account)| account.ledger());
        // The certificate of a completed run; otherwise from the steps read so far.
        let mut told: Map<String, Value> = match &manifest.certificate {
            Some(Value::Object(known)) => known.clone(),
            _ => {
                let Ok(ledger) = &ledger else {
                    return Value::Null;
                };
                let worst = |name: &str| ledger.worst(name).map(|w| w.value.abs());
                let mut told = Map::new();
                told.insert("steps".into(), ledger.rows.into());
                told.insert("missed".into(), ledger.missed.into());
                for name in [
                    "residual",
                    "penetration",
                    "momentum",
                    "energy",
                    "gain",
                    "drift",
                ] {
                    told.insert(format!("worst_{name}"), json!(worst(name)));
                }
                told
            }
        };
        told.insert(
            "tolerance".into(),
            manifest
                .settings
                .get("tolerance")
                .cloned()
                .unwrap_or_default(),
        );
        // The steps with the worst residuals.
        if let Ok(ledger) = ledger {
            told.insert("worst".into(), ledger.worst_steps());
        }
        Value::Object(told)
    }

    /// Notes on tables that are absent or damaged, in sentences.
    fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = Vec::new();
        let mut tell = |note: Option<String>| notes.extend(note);
        tell(self.facts.fault.clone());
        tell(self.states.as_ref().err().map(ToString::to_string));
        tell(self.steps.as_ref().err().map(ToString::to_string));
        if self.has_bodies() {
            tell(self.body_attributes.as_ref().err().map(ToString::to_string));
            tell(self.contacts.as_ref().err().map(ToString::to_string));
        }
        notes.extend(self.record.manifest().warnings.iter().cloned());
        notes.dedup();
        notes
    }
}

/// Default units: scenes use any coherent units; the built-in ones use SI.
fn units() -> Value {
    json!({
        "length": "m", "time": "s", "mass": "kg", "force": "N", "energy": "J",
        "length/time": "m/s", "rad": "rad", "rad/time": "rad/s", "force*time": "N s",
        "force*length*time": "N m s", "1/time": "1/s", "1": "",
    })
}
