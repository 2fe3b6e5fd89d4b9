//! Every built-in system with 0.7 and 1.3 of its step: all findings are met. What a finding says must not depend on
//! whether an instant ends a step, nor on a tolerance that fits one step alone.

use std::time::Instant;

use percuss_run::finding::Finding;
use percuss_run::{FindingsOf, RunOptions, Threads, execute};
use percuss_scene::{Check, Datum, FindingSpec, Scene, SceneKind};

use crate::systems::{CHECKED, REFUSED, complaints, names, short};

/// The steps, over the declared one: neither divides it, and a time that the declared step divides they do not.
const FACTORS: [f64; 2] = [0.7, 1.3];

/// Systems that are left out, and why. One of them whose findings are met is an error.
const EXCLUDED: [(&str, &str); 0] = [];

/// The step of `[run]` as the file has it, a number or an expression. A table of bounds of variable steps is none.
fn declared_step(scene: &Scene) -> Option<String> {
    let run = scene.text().split("\n[run]").nth(1)?;
    let lines = run
        .lines()
        .skip(1)
        .take_while(|line| !line.starts_with('['));
    let step = lines
        .filter_map(|line| line.strip_prefix("step = "))
        .next()?;
    let step = step.split('#').next().unwrap_or(step).trim();
    (!step.starts_with('{')).then(|| step.trim_matches('"').to_string())
}

/// Whether a finding is of further runs that have steps of their own, and speaks of the step nowhere: it is the same
/// whatever the step is, and `every_built_in_system_shows_what_it_is_known_for` has it.
fn has_steps_of_its_own(finding: &FindingSpec) -> bool {
    let words = |text: &str| {
        let split = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        text.split(split).any(|word| word == "h")
    };
    let datum = |datum: &Datum| matches!(datum, Datum::Text(text) if words(text));
    let bound = match &finding.check {
        Check::Report => false,
        Check::Expected { value, tolerance } => {
            datum(value) || tolerance.as_ref().is_some_and(datum)
        }
        Check::AtMost(bound) | Check::AtLeast(bound) => words(&bound.text),
        Check::Between(least, most) => words(&least.text) || words(&most.text),
    };
    let value = finding.value.text.trim_start_matches("largest(list(");
    let further = [
        "order(",
        "order_l1(",
        "order_final(",
        "error(",
        "error_l1(",
        "error_final(",
    ];
    further.iter().any(|call| value.starts_with(call)) && !bound && !words(value)
}

/// Which findings of a system are measured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// Those on which the step has an effect; long systems are shortened and have their certificates looked at alone.
    Short,
    /// All, from beginning to end.
    Whole,
}

/// A finding that is not met, in words.
fn missed(finding: &Finding) -> Option<String> {
    let reason = finding.reason.as_deref().unwrap_or("");
    let (value, expected) = (&finding.value, &finding.expected);
    (finding.ok == Some(false)).then(|| {
        let tolerance = finding.tolerance;
        format!(
            "{} = {value:?}, not {expected:?} within {tolerance:?} {reason}",
            finding.name
        )
    })
}

/// What is wrong with a system at other steps, if anything is.
fn complaint(name: &str, extent: Extent) -> Option<String> {
    let excluded = EXCLUDED.iter().any(|(known, _)| *known == name);
    let wrong: Vec<String> = FACTORS
        .iter()
        .filter_map(|f| at_step(name, *f, extent))
        .collect();
    match (excluded, wrong.is_empty()) {
        (false, true) | (true, false) => None,
        (true, true) => Some(format!(
            "{name}: it is left out and all of its findings are met"
        )),
        (false, false) => Some(wrong.join("\n")),
    }
}

/// Whether a system is to be refused, and is, in these words.
fn is_refused(name: &str, error: &str) -> bool {
    let mut refused = REFUSED.iter().filter(|(known, _)| *known == name);
    refused.any(|(_, words)| words.iter().all(|word| error.contains(word)))
}

/// The same at one step.
fn at_step(name: &str, factor: f64, extent: Extent) -> Option<String> {
    let told = |what: String| Some(format!("{name}, {factor} of the step: {what}"));
    let scene = Scene::load(name).expect("a built-in scene");
    let Some(step) = declared_step(&scene) else {
        return told("it has no fixed step".into());
    };
    // A step that is a parameter is set as such: cases and studies set it, too.
    let parameter = scene.parameters().iter().find(|(name, _)| *name == step);
    let (key, step) = match parameter {
        Some((name, value)) => (name.clone(), format!("{:?}", factor * value)),
        None => ("run.step".to_string(), format!("{factor}*({step})")),
    };
    let shortened = short().find(|(long, _)| *long == name && extent == Extent::Short);
    let mut set = vec![(key, step)];
    let mut findings = FindingsOf::AllRuns;
    if let Some((_, settings)) = &shortened {
        let pairs = settings.iter().filter_map(|one| one.split_once('='));
        set.extend(pairs.map(|(key, value)| (key.to_string(), value.to_string())));
        findings = FindingsOf::Nothing;
    }
    let scene = match scene.with_overrides(&set) {
        Ok(scene) => scene,
        Err(error) => return told(error.to_string()),
    };
    // Runs with steps of their own would be made again for nothing.
    let kept = scene
        .findings()
        .iter()
        .filter(|f| extent == Extent::Whole || !has_steps_of_its_own(f));
    let kept: Vec<String> = kept.map(|finding| finding.name.clone()).collect();
    let options = RunOptions {
        threads: Threads::new(1),
        findings,
        ..RunOptions::default()
    };
    let run = match execute(&scene.keeping_findings(&kept), options) {
        Ok(run) => run,
        // A scene that is to be refused has no steps.
        Err(error) if is_refused(name, &error.to_string()) => return None,
        Err(error) => return told(error.to_string()),
    };
    if run.certificate["missed"]
        .as_u64()
        .is_some_and(|missed| missed > 0)
    {
        return told(format!(
            "{} steps missed their tolerance",
            run.certificate["missed"]
        ));
    }
    // Depths, drift and energy are within their bounds, too.
    if run.certificate["ok"] == false {
        return told("the certificate is not ok".into());
    }
    let wrong: Vec<String> = run.findings.iter().flatten().filter_map(missed).collect();
    (!wrong.is_empty()).then(|| format!("{name}, {factor} of the step: {}", wrong.join("; ")))
}

/// Mechanisms and sweeping processes. Collections of bodies take several times as long as all other tests together and
/// are in `./nightly`, as are long systems with the declared step.
#[test]
fn findings_of_built_in_mechanisms_hold_with_other_steps() {
    let mut names = names();
    names.retain(|name| !CHECKED.contains(&name.as_str()));
    names.retain(|name| {
        let scene = Scene::load(name).expect("a built-in scene");
        scene.kind() == SceneKind::Mechanism
    });
    let wrong = complaints(&names, |name| complaint(name, Extent::Short));
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The same from beginning to end with all cases and studies. Names in PERCUSS_SYSTEMS choose some systems.
#[test]
#[ignore = "takes hours: ./nightly runs it"]
fn every_finding_of_every_built_in_system_holds_with_other_steps() {
    let chosen = std::env::var("PERCUSS_SYSTEMS").unwrap_or_default();
    let chosen: Vec<&str> = chosen.split_whitespace().collect();
    let mut names = names();
    names.retain(|name| chosen.is_empty() || chosen.contains(&name.as_str()));
    let wrong = complaints(&names, |name| {
        let start = Instant::now();
        let wrong = complaint(name, Extent::Whole);
        let (seconds, verdict) = (
            start.elapsed().as_secs_f64(),
            wrong.as_deref().unwrap_or("ok"),
        );
        println!(
            "{name:<24} {seconds:>8.1} s  {}",
            verdict.lines().next().unwrap_or("")
        );
        wrong
    });
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
