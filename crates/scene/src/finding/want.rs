//! What a run of bodies must keep for the measures that will be taken of it.

use crate::collection::Cast;
use crate::finding::expression::Expression;
use crate::finding::happening::{contacts_of, force_of};
use crate::finding::measure::{Call, OfRun, Place};
use crate::watch::Wanted;

impl Call {
    /// Adds what it looks at.
    pub fn want(&self, cast: &Cast, wanted: &mut Wanted) {
        let all = |expressions: &[Expression], wanted: &mut Wanted| {
            expressions.iter().for_each(|one| one.want(cast, wanted));
        };
        match self {
            Self::Run(measure) => measure.want(cast, wanted),
            Self::OfList { list, numbers, .. } => {
                list.want(cast, wanted);
                all(numbers, wanted);
            }
            Self::List(items) => all(items, wanted),
            Self::Slope(both) => all(both, wanted),
            Self::Column { .. } | Self::Threshold { .. } | Self::Fails(_) | Self::Limit { .. } => {}
            Self::Verge { from, to, .. } => {
                from.want(cast, wanted);
                to.want(cast, wanted);
            }
        }
    }
}

impl OfRun {
    fn want(&self, cast: &Cast, wanted: &mut Wanted) {
        let name = |watch: usize| cast.watches.get(watch).map(|watch| watch.name.as_str());
        match self {
            Self::Point { of, place } => {
                wanted.observable(of);
                if let Place::At(time) = place {
                    time.want(cast, wanted);
                }
            }
            Self::Over { of, span, .. } => {
                wanted.observable(of);
                if let Some((from, to)) = span {
                    from.want(cast, wanted);
                    to.want(cast, wanted);
                }
            }
            Self::Passing { of, k, .. } => {
                wanted.observable(of);
                k.iter().for_each(|k| k.want(cast, wanted));
            }
            Self::Nth { constraint, k, .. } => {
                name(*constraint)
                    .into_iter()
                    .for_each(|watch| wanted.watch(watch));
                k.iter().for_each(|k| k.want(cast, wanted));
            }
            Self::Impacts { constraint, faster } => {
                name(*constraint)
                    .into_iter()
                    .for_each(|watch| wanted.watch(watch));
                faster.iter().for_each(|speed| speed.want(cast, wanted));
            }
            Self::Accumulation { constraint } => {
                if let Some(watch) = name(*constraint) {
                    wanted.watch(watch);
                    wanted.observable(&contacts_of(watch));
                }
            }
            Self::Impulse { constraint, .. } => {
                if let Some(watch) = name(*constraint) {
                    wanted.observable(&force_of(watch));
                }
            }
            // Runs of their own.
            Self::Accuracy(accuracy) => {
                accuracy
                    .steps
                    .iter()
                    .for_each(|step| step.want(cast, wanted));
            }
            Self::Worst(_) | Self::Missed => {}
        }
    }
}
