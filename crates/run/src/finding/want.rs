//! What a run of bodies must keep for the measures that will be evaluated on it.

use percuss_scene::bodies_scene::SceneNames;

use super::event_measures::{contacts_of, force_of};
use crate::finding::expression::Expression;
use crate::finding::measure::{Call, EvaluationTime, RunMeasure};
use percuss_simulation::ObservableRequest;

impl Call {
    /// Requests what the measure needs.
    pub fn add_requests(&self, cast: &SceneNames, wanted: &mut ObservableRequest) {
        let all = |expressions: &[Expression], wanted: &mut ObservableRequest| {
            expressions
                .iter()
                .for_each(|one| one.add_requests(cast, wanted));
        };
        match self {
            // Arguments are value expressions and may need observables themselves.
            Self::Run(measure) => measure.add_requests(cast, wanted),
            Self::OfList { list, numbers, .. } => {
                list.add_requests(cast, wanted);
                all(numbers, wanted);
            }
            Self::List(items) => all(items, wanted),
            Self::Slope(both) => all(both, wanted),
            // Studies and limit analysis make computations of their own.
            Self::Column { .. } | Self::Threshold { .. } | Self::Fails(_) | Self::Limit { .. } => {}
            Self::CriticalParameter { from, to, .. } => {
                from.add_requests(cast, wanted);
                to.add_requests(cast, wanted);
            }
        }
    }
}

impl RunMeasure {
    /// Requests observables, and the events of watches, that the measure needs.
    fn add_requests(&self, cast: &SceneNames, wanted: &mut ObservableRequest) {
        let name = |number: usize| cast.event_source(number);
        match self {
            Self::Point { of, place } => {
                wanted.observable(of);
                if let EvaluationTime::At(time) | EvaluationTime::Before(time) = place {
                    time.add_requests(cast, wanted);
                }
            }
            Self::Over { of, span, .. } => {
                wanted.observable(of);
                if let Some((from, to)) = span {
                    from.add_requests(cast, wanted);
                    to.add_requests(cast, wanted);
                }
            }
            Self::Passing { of, k, .. } => {
                wanted.observable(of);
                k.iter().for_each(|k| k.add_requests(cast, wanted));
            }
            // Events of a watch.
            Self::Nth { constraint, k, .. } => {
                name(*constraint)
                    .into_iter()
                    .for_each(|watch| wanted.watch(watch));
                k.iter().for_each(|k| k.add_requests(cast, wanted));
            }
            Self::Impacts { constraint, faster } => {
                name(*constraint)
                    .into_iter()
                    .for_each(|watch| wanted.watch(watch));
                faster
                    .iter()
                    .for_each(|speed| speed.add_requests(cast, wanted));
            }
            // The accumulation of impacts needs events and the closed steps.
            Self::Accumulation { constraint } => {
                if let Some(watch) = name(*constraint) {
                    wanted.watch(watch);
                    wanted.observable(&contacts_of(watch));
                }
            }
            // The impulse is the integral of the normal force.
            Self::Impulse { constraint, .. } => {
                if let Some(watch) = name(*constraint) {
                    wanted.observable(&force_of(watch));
                }
            }
            // Makes runs of its own.
            Self::Accuracy(accuracy) => {
                accuracy
                    .steps
                    .iter()
                    .for_each(|step| step.add_requests(cast, wanted));
            }
            Self::Worst(_) | Self::Missed => {}
        }
    }
}
