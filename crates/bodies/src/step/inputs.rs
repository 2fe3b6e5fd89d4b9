//! What the stages of a step read: the inputs of the contact problem, and the step once it is solved.

use super::scratch::{
    Assembly, Detection, EndVelocity, FreeVelocity, Midpoint, ModelCache, Solution,
};
use crate::candidate::Candidate;
use crate::dynamics::Dynamics;
use crate::model::Model;
use crate::settings::Settings;
use crate::state::State;

/// Everything that is known before (★) is assembled.
pub(crate) struct StepInputs<'a, D: Dynamics> {
    pub model: &'a Model<D>,
    /// The state at the beginning of the step.
    pub state: &'a State<D>,
    pub settings: &'a Settings,
    pub cache: &'a ModelCache<D>,
    pub midpoint: &'a Midpoint<D>,
    pub free: &'a FreeVelocity<D>,
    pub detection: &'a Detection<D>,
}

impl<D: Dynamics> Clone for StepInputs<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: Dynamics> Copy for StepInputs<'_, D> {}

impl<'a, D: Dynamics> StepInputs<'a, D> {
    /// The step with its contact problem solved.
    pub fn solved(
        self,
        assembly: &'a Assembly<D>,
        solution: &'a Solution,
        end: &'a EndVelocity<D>,
    ) -> SolvedStep<'a, D> {
        SolvedStep {
            inputs: self,
            assembly,
            solution,
            end,
        }
    }

    /// The candidates at the midpoint.
    #[inline]
    pub fn candidates(&self) -> &'a [Candidate<D>] {
        self.detection.detector.candidates()
    }
}

/// A step whose contact problem is solved while the state is still that of its beginning; also the last step as
/// callers read it.
pub(crate) struct SolvedStep<'a, D: Dynamics> {
    pub inputs: StepInputs<'a, D>,
    pub assembly: &'a Assembly<D>,
    pub solution: &'a Solution,
    pub end: &'a EndVelocity<D>,
}

impl<D: Dynamics> Clone for SolvedStep<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D: Dynamics> Copy for SolvedStep<'_, D> {}
