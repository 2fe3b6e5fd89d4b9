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
    Ok(process.with_perturbation(move |t, u, f| {
        drift.drift(t, u, f);
        f.iter_mut().for_each(|f| *f = -*f);
    }))
}

/// The set with the excess bound from the retraction function r(t) that the scene gives.
fn bounded(
    set: Box<dyn MovingSet>,
    system: &SymbolicSystem,
    text: &str,
) -> Result<Box<dyn MovingSet>, SweepingError> {
    let mut own = system.clone();
    let Ok(observable) = own.observable(text) else {
        // The text was parsed when the scene was built.
        return Ok(set);
    };
    let pair = RefCell::new((own, observable));
    let at = move |t: f64| {
        let (system, observable) = &mut *pair.borrow_mut();
        of_time(observable, system, t).unwrap_or(f64::NAN)
    };
    Ok(Box::new(WithExcessBound::new(set, move |s, t| {
        at(t) - at(s)
    })))
}
