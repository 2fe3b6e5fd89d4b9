#![doc = include_str!("../README.md")]

mod common;
mod digits;
mod growth;
mod metric;
mod order;
mod output;
mod perturb;
mod report;
mod runner;
mod samples;
mod variant;
mod work;

use percuss_run::Threads;
use percuss_run::compile_findings;
use percuss_run::finding::ground::with_expression_context;
use percuss_scene::{Scene, SceneError};

pub use digits::{AuditedFinding, ValueIn};
pub use growth::{Sensitivity, SensitivityClass};
pub use metric::Size;
pub use order::{Order, Orders, Over};
pub use output::{AUDIT, load_recorded_scene, output_place};
pub use report::{Audit, Exceeded, RunReport, THRESHOLDS};
pub use variant::LeftOut;

use runner::{AuditRun, AuditRunner};
use variant::Variant;
use work::Teller;

/// Which findings are evaluated in every run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FindingScope {
    /// Those that need no run but the audited one.
    #[default]
    OfTheRun,
    /// All: cases and studies are run again for each variant.
    All,
}

/// Options of an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditOptions {
    /// Threads for the runs.
    pub threads: Threads,
    /// Which findings are evaluated.
    pub findings: FindingScope,
}

/// Why there is no audit.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The scene has an error.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The reference cannot start or cannot go on; the message.
    #[error("{0}")]
    NoReference(String),
    /// The progress callback asked to stop.
    #[error("stopped on request")]
    Stopped,
}

/// Audits the main run of a scene. `progress` is called with the run in work and the share done,
/// and returns whether to go on.
///
/// # Errors
/// The scene has an error, or its run cannot start or cannot go on.
pub fn audit(
    scene: &Scene,
    asked: AuditOptions,
    progress: &mut dyn FnMut(&str, f64) -> bool,
) -> Result<Audit, AuditError> {
    percuss_run::check_findings(scene)?;
    let (scene, unmeasured) = selected(scene, asked.findings)?;
    let mut maker = AuditRunner::new(&scene)?;
    // Weights in units of the work of the reference, which is made first: it gives size and
    // instants.
    let (variants, mut left_out) = variant::variants(&scene, &maker.common)?;
    let weights: Vec<f64> = variants.iter().map(Variant::weight).collect();
    let all = 1.0 + weights.iter().sum::<f64>();
    let share = 1.0 / all;
    let mut hear = |words: &str, done: f64| progress(words, share * done);
    let reference = maker.reference(asked.threads, &mut hear)?;
    let metric = maker.metric(&reference);
    let words = format!("{} variants", variants.len());
    // All variants on the threads, the longest first.
    let make = |k: usize, teller: &Teller<'_>| {
        let variant = &variants[k];
        maker.make(variant, &metric, teller)
    };
    let mut hear = |done: f64| progress(&words, share + (1.0 - share) * done);
    let made = work::run_jobs(&weights, asked.threads.get(), make, &mut hear);
    let Some(made) = made else {
        return Err(AuditError::Stopped);
    };
    // Variants that do not apply are left out, with the reason.
    let mut runs: Vec<(Variant, AuditRun)> =
        vec![(Variant::reference(&scene, &maker.common), reference)];
    for (variant, made) in variants.into_iter().zip(made) {
        match made.unfit(&variant) {
            Some(why) => left_out.push(LeftOut::new(&variant, why)),
            None => runs.push((variant, made)),
        }
    }
    Ok(report::report(
        &scene, &maker, &metric, runs, left_out, unmeasured,
    ))
}

/// The scene with the findings that are evaluated, and the names of the others.
fn selected(scene: &Scene, scope: FindingScope) -> Result<(Scene, Vec<String>), SceneError> {
    if scope == FindingScope::All {
        return Ok((scene.clone(), Vec::new()));
    }
    let plan = with_expression_context(scene, |ground| compile_findings(scene, ground))?;
    let (mut kept, mut left) = (Vec::new(), Vec::new());
    for (asked, expression) in scene.findings().iter().zip(&plan.findings) {
        let main = asked.case.as_deref().is_none_or(|case| case == "main");
        match main && expression.needs_only_the_run() {
            true => kept.push(asked.name.clone()),
            false => left.push(asked.name.clone()),
        }
    }
    Ok((scene.keeping_findings(&kept), left))
}
