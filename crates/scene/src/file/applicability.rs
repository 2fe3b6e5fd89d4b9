//! Where the expectation of a finding applies: `only_at` names parameters and settings, and the expectation holds at
//! their declared values alone, those of the file with the changes of the finding's case.

use percuss_input::report::FindingSpec;
use percuss_input::{Formula, Parameters};

use super::content::Content;
use super::{Scene, overrides};
use crate::error::SceneError;

/// The name that stands for all parameters.
const ALL: &str = "parameters";

impl Scene {
    /// Why the expectation of a finding does not apply to this scene: the first name of its `only_at` whose value is
    /// not the declared one. `None` where it applies. The overrides of the finding's case must have been applied.
    ///
    /// # Errors
    /// A parameter or setting has no value.
    pub fn not_applicable(&self, finding: &FindingSpec) -> Result<Option<String>, SceneError> {
        if finding.only_at.is_empty() {
            return Ok(None);
        }
        // The file with the changes of the case.
        let mut declared = Content::clone(&self.declared);
        let case = self
            .cases
            .iter()
            .find(|c| Some(&c.name) == finding.case.as_ref());
        for (key, value) in case.map_or(&[][..], |case| &case.set[..]) {
            overrides::apply(&self.origin, &mut declared, key, value)?;
        }
        let mut given = Parameters::resolve(&self.origin, declared.parameters())?;
        let mut actual = self.parameters.clone();
        let pairs: Vec<_> = given
            .values
            .iter()
            .cloned()
            .zip(actual.values.clone())
            .collect();
        for name in &finding.only_at {
            // Parameters by value: one may have changed because it depends on another.
            let mut known = pairs.iter().filter(|((n, _), _)| n == name || name == ALL);
            if let Some(((name, a), (_, b))) = known.clone().find(|((_, a), (_, b))| a != b) {
                return Ok(Some(format!("`{name}` is {b}, not {a} as declared")));
            }
            if name == ALL || known.next().is_some() {
                continue;
            }
            let a = self.setting_text(&declared, &mut given, name);
            let b = self.setting_text(&self.content, &mut actual, name);
            if a != b {
                return Ok(Some(format!("`{name}` is {b}, not {a} as declared")));
            }
        }
        Ok(None)
    }

    /// A setting as text, a number where it has one.
    fn setting_text(&self, content: &Content, at: &mut Parameters, name: &str) -> String {
        let short = overrides::setting(content, name).unwrap_or("");
        let text = |formula: &Formula| match at.evaluate(&self.origin, "", name, formula) {
            Ok(number) => number.to_string(),
            Err(_) => formula.text.trim().trim_matches(['"', '\'']).to_string(),
        };
        let texts: Vec<String> = overrides::given(content, short).iter().map(text).collect();
        texts.join(", ")
    }

    /// Refuses names in `only_at` that are neither parameters nor settings.
    pub(super) fn check_only_at(&self) -> Result<(), SceneError> {
        for finding in &self.findings {
            let part = format!("finding `{}`, only_at", finding.name);
            for name in finding.only_at.iter().filter(|name| *name != ALL) {
                overrides::require_setting(&self.origin, &self.content, &part, name, finding.line)?;
            }
        }
        Ok(())
    }
}
