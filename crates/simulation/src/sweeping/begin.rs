//! The sweeping process of a scene: moving set, metric and drift.

use std::cell::RefCell;

use percuss_mechanism::State;
use percuss_scene::SymbolicSystem;
use percuss_scene::symbolic::{SweepingSettings, of_time};
use percuss_sweep::{Metric, MovingSet, Process, SweepingError, WithExcessBound};

use super::set::{self, Complaint, Functions};

/// Builds the process of a scene: a room with people, or the set of its contacts and joints.
pub(super) fn process(
    plan: &SweepingSettings,
    system: &mut SymbolicSystem,
    initial: &State,
    complaint: &Complaint,
) -> Result<Process<Box<dyn MovingSet>>, SweepingError> {
    if let Some((room, people)) = &plan.room {
        return Ok(room.process(people)?.boxed());
    }
    let mut set = set::of_scene(plan, system, complaint)?;
    if let Some(text) = &plan.retraction {
        set = bounded(set, system, text)?;
    }
    // Euclidean, diagonal or full metric, by the number of entries.
    let n = initial.q.len();
    let metric = match plan.metric.len() {
        0 => Metric::Euclidean,
        k if k == n => Metric::diagonal(&plan.metric)?,
        _ => Metric::full(n, &plan.metric)?,
    };
    let process = Process::new(set, initial.t, &initial.q)?.with_metric(metric)?;
    // The process has −du ∈ N_C(u) + f dt: the drift enters with the opposite sign.
    let drift = Functions::new(system, complaint);
    let process = process.with_perturbation(move |t, u, f| {
        drift.drift(t, u, f);
        f.iter_mut().for_each(|f| *f = -*f);
    });
    // λ(t) of the regularised flow.
    let penalty = plan.penalty.as_deref();
    Ok(match penalty.and_then(|text| of_text(system, text)) {
        Some(penalty) => process.with_penalty(penalty),
        None => process,
    })
}

/// A function of time that the scene gives as an expression, parsed when the scene was built; NaN where it fails.
fn of_text(system: &SymbolicSystem, text: &str) -> Option<impl Fn(f64) -> f64 + Send + use<>> {
    let mut own = system.clone();
    let observable = own.observable(text).ok()?;
    let pair = RefCell::new((own, observable));
    Some(move |t: f64| {
        let (system, observable) = &mut *pair.borrow_mut();
        of_time(observable, system, t).unwrap_or(f64::NAN)
    })
}

/// The set with the excess bound from the retraction function r(t) that the scene gives.
fn bounded(
    set: Box<dyn MovingSet>,
    system: &SymbolicSystem,
    text: &str,
) -> Result<Box<dyn MovingSet>, SweepingError> {
    let Some(at) = of_text(system, text) else {
        return Ok(set);
    };
    Ok(Box::new(WithExcessBound::new(set, move |s, t| {
        at(t) - at(s)
    })))
}
