//! The result of an audit: comparison of all runs.

use percuss_record::Certificate;
use percuss_scene::Scene;
use serde::Serialize;

use super::digits::{self, AuditedFinding};
use super::growth::{self, SATURATED, Sensitivity};
use super::metric::{Metric, Size};
use super::order::{self, Order, Orders, Pair};
use super::runner::{AuditRun, AuditRunner};
use super::samples::Samples;
use super::variant::{LeftOut, Role, Variant};

/// Relative distances for which the first time beyond them is reported.
pub const THRESHOLDS: [f64; 3] = [1e-6, 1e-3, 1e-1];

/// The result of an audit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audit {
    /// Name of the scene.
    pub scene: String,
    /// Its title.
    pub title: String,
    /// Its overrides.
    pub overrides: Vec<(String, String)>,
    /// Start and end of the run.
    pub span: [f64; 2],
    /// The step of the reference.
    pub step: f64,
    /// Whether every run is certified and every finding holds in every run.
    pub ok: bool,
    /// What is not certified or does not hold, in sentences.
    pub not_held: Vec<String>,
    /// The length to which distances are relative.
    pub size: Size,
    /// The reference first, then its variants.
    pub runs: Vec<RunReport>,
    /// Variants that do not apply.
    pub left_out: Vec<LeftOut>,
    /// Observed orders of convergence.
    pub orders: Orders,
    /// What becomes of a perturbation.
    pub sensitivity: Sensitivity,
    /// The findings in all runs.
    pub findings: Vec<AuditedFinding>,
    /// Findings that were not evaluated, because they need further runs.
    pub unmeasured: Vec<String>,
    /// Whether the record of the run has the certificate of the reference; none where there is no
    /// record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<bool>,
    /// The instants at which runs are compared.
    pub times: Vec<f64>,
}

/// One of the runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunReport {
    /// Its name.
    pub name: &'static str,
    /// What is changed in it.
    pub what: String,
    /// Its certificate.
    pub certificate: Certificate,
    /// Why it ended early.
    pub stopped: Option<String>,
    /// Whether the stop condition of the scene ended it.
    pub halted: bool,
    /// The last instant it reached.
    pub end: f64,
    /// The first time beyond each threshold.
    pub exceeded: Vec<Exceeded>,
    /// Largest relative distance to the reference.
    pub largest: f64,
    /// The body with the largest distance then.
    pub furthest: Option<String>,
    /// Relative distance to the reference at the last common instant.
    pub last: f64,
    /// Relative distance to the reference at each instant that both reached.
    pub distances: Vec<f64>,
}

impl RunReport {
    /// Whether it finished with its certificate met.
    pub fn certified(&self) -> bool {
        self.certificate.ok && self.stopped.is_none()
    }
}

/// The first instant beyond a threshold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Exceeded {
    /// The relative distance.
    pub threshold: f64,
    /// The first instant beyond it; none where it is never reached.
    pub t: Option<f64>,
}

/// Compares the runs.
pub(super) fn report(
    scene: &Scene,
    maker: &AuditRunner<'_>,
    metric: &Metric,
    mut runs: Vec<(Variant, AuditRun)>,
    left_out: Vec<LeftOut>,
    unmeasured: Vec<String>,
) -> Audit {
    // Reference first, then in a fixed order.
    runs.sort_by_key(|(variant, _)| rank(variant.role));
    // Distances of all runs to the reference.
    let all: Vec<RunReport> = runs
        .iter()
        .map(|run| compared(maker, metric, &runs[0].1, run))
        .collect();
    let findings = digits::findings(&runs);
    // Distances of the run with a given role.
    let distances = |role: Role| {
        let place = runs.iter().position(|(variant, _)| variant.role == role)?;
        Some(all[place].distances.as_slice())
    };
    // Growth of the perturbation; the time from which on runs cannot be compared.
    let mut sensitivity = match distances(Role::Perturbed) {
        Some(distances) => growth::sensitivity(&maker.times, distances),
        None => Sensitivity::unknown(),
    };
    let beyond = all
        .iter()
        .filter_map(|run| first_beyond(&maker.times, &run.distances, SATURATED));
    sensitivity.incomparable_from = beyond.min_by(f64::total_cmp);
    let not_held = not_held(&all, &findings, maker.prepared_ok);
    let (start, until) = maker.common.span();
    Audit {
        scene: scene.name().to_string(),
        title: scene.title().to_string(),
        overrides: scene.overrides().to_vec(),
        span: [start, until],
        step: maker.common.step(),
        ok: not_held.is_empty(),
        not_held,
        size: metric.size(),
        orders: orders(maker, metric, &runs),
        runs: all,
        left_out,
        sensitivity,
        findings,
        unmeasured,
        recorded: None,
        times: maker.times.clone(),
    }
}

/// The order in which runs are shown.
fn rank(role: Role) -> u32 {
    match role {
        Role::Reference => 0,
        Role::Step(divisor) => divisor,
        Role::Tolerance => 10,
        Role::Activation | Role::Integrator => 11,
        Role::Perturbed => 12,
    }
}

/// A run and its distance to the reference.
fn compared(
    maker: &AuditRunner<'_>,
    metric: &Metric,
    reference: &AuditRun,
    (variant, made): &(Variant, AuditRun),
) -> RunReport {
    // Distances at the instants that both runs reached; NaN counts as the largest.
    let common = reference.samples.len().min(made.samples.len());
    let far = (0..common).map(|k| metric.distance(k, reference.samples.at(k), made.samples.at(k)));
    let far: Vec<(f64, usize)> = far.collect();
    let distances: Vec<f64> = far.iter().map(|(d, _)| *d).collect();
    let largest = far.iter().fold((0.0, 0), |worst: (f64, usize), at| {
        if at.0 > worst.0 || at.0.is_nan() {
            *at
        } else {
            worst
        }
    });
    let exceeded = THRESHOLDS.map(|threshold| Exceeded {
        threshold,
        t: first_beyond(&maker.times, &distances, threshold),
    });
    RunReport {
        name: variant.role.name(),
        what: variant.what.clone(),
        certificate: made.certificate.clone(),
        stopped: made.stopped.as_ref().map(ToString::to_string),
        halted: made.halted,
        end: made.end,
        exceeded: exceeded.to_vec(),
        largest: largest.0,
        furthest: maker
            .common
            .body(largest.1)
            .filter(|_| largest.0 > 0.0)
            .map(String::from),
        last: distances.last().copied().unwrap_or(f64::NAN),
        distances,
    }
}

/// The first instant at which a distance is beyond a threshold, or is NaN.
fn first_beyond(times: &[f64], distances: &[f64], threshold: f64) -> Option<f64> {
    let place = distances.iter().position(|d| !(*d <= threshold))?;
    times.get(place).copied()
}

/// Distance of two runs at an instant.
type Apart<'a> = &'a dyn Fn(&Samples, &Samples) -> f64;

/// Observed orders from the runs with steps h, h/2 and h/4.
fn orders(maker: &AuditRunner<'_>, metric: &Metric, runs: &[(Variant, AuditRun)]) -> Orders {
    // Samples of the runs by role.
    let of = |role: Role| runs.iter().find(|(variant, _)| variant.role == role);
    let samples = |role: Role| of(role).map(|(_, made)| &made.samples);
    let absent = |reason: &str| Orders {
        configuration: Order::absent(reason),
        energy: Order::absent(reason),
    };
    if maker.common.varies_steps() {
        return absent("steps are chosen by their error");
    }
    let steps = (
        samples(Role::Reference),
        samples(Role::Step(2)),
        samples(Role::Step(4)),
    );
    let (Some(h), Some(half), Some(quarter)) = steps else {
        return absent("there are no runs with shorter steps");
    };
    // Runs that show the effect of tolerance and rounding alone.
    let noise: Vec<_> = [Role::Tolerance, Role::Perturbed]
        .into_iter()
        .filter_map(samples)
        .collect();
    let common = h.len().min(half.len()).min(quarter.len());
    // Energies relative to the largest one of the reference.
    let largest = h.energies.iter().fold(0.0_f64, |s, e| s.max(e.abs()));
    let scale = if largest > 0.0 { largest } else { 1.0 };
    // Differences at an instant, for configurations and for the energy.
    let pair = |k: usize, apart: Apart<'_>| {
        let noise = noise.iter().filter(|other| k < other.len());
        Pair {
            t: maker.times[k],
            coarse: apart(h, half),
            fine: apart(half, quarter),
            floor: noise.map(|other| apart(h, other)).fold(0.0, f64::max),
        }
    };
    let placed = |k: usize| pair(k, &|a, b| metric.distance(k, a.at(k), b.at(k)).0);
    let stored = |k: usize| pair(k, &|a, b| (a.energies[k] - b.energies[k]).abs() / scale);
    // The energy is compared as long as the configurations are comparable.
    let placed: Vec<Pair> = (0..common).map(placed).collect();
    let placed = &placed[..order::comparable(&placed)];
    let stored: Vec<Pair> = (0..placed.len()).map(stored).collect();
    Orders {
        configuration: order::order(placed),
        energy: order::order(&stored),
    }
}

/// What is not certified or does not hold, in sentences.
fn not_held(runs: &[RunReport], findings: &[AuditedFinding], prepared_ok: bool) -> Vec<String> {
    let mut all = Vec::new();
    // Preparations, certificates, findings.
    if !prepared_ok {
        all.push("a preparation is not certified: steps of it missed their tolerance".to_string());
    }
    for run in runs.iter().filter(|run| !run.certified()) {
        let (missed, steps) = (run.certificate.missed, run.certificate.steps);
        let why = match &run.stopped {
            Some(stopped) => stopped.clone(),
            None if missed > 0 => format!("{missed} of {steps} steps missed their tolerance"),
            None => "its certificate is not met".to_string(),
        };
        all.push(format!("{} is not certified: {why}", run.name));
    }
    for finding in findings
        .iter()
        .filter(|finding| finding.holds == Some(false))
    {
        let bad = finding.values.iter().filter(|v| v.ok == Some(false));
        let names: Vec<&str> = bad.map(|v| v.run).collect();
        let name = &finding.name;
        all.push(format!(
            "finding {name} does not hold in {}",
            names.join(", ")
        ));
    }
    all
}
