//! The order of a step, and the ends of a run.

use percuss_mechanism::{State, StepReport as MechanismReport};
use percuss_record::{MechanismRef, SimulationRef, Step};
use percuss_scene::SceneError;

use super::{Driver, Stage, StepObservers};
use crate::simulation::{Checkpoint, Simulation, SimulationState};
use crate::stop::StopReason;
use percuss_record::StepReport;
use percuss_record::{Certificate, Criterion};

/// A clock that fails at a given step.
struct Clock {
    state: State,
    report: MechanismReport,
    fails_at: f64,
}

impl Clock {
    fn new(fails_at: f64) -> Self {
        Self {
            state: State {
                t: 0.0,
                q: Vec::new(),
                v: Vec::new(),
                impulse: Vec::new(),
                status: Vec::new(),
            },
            report: MechanismReport::default(),
            fails_at,
        }
    }
}

impl Simulation for Clock {
    fn step(&mut self) -> Result<(), StopReason> {
        if self.state.t >= self.fails_at {
            return Err(StopReason::Bodies("the clock stands".into()));
        }
        self.state.t += 1.0;
        Ok(())
    }

    fn discard_failed_step(&mut self) -> bool {
        true
    }

    fn time(&self) -> f64 {
        self.state.t
    }

    fn report(&self) -> StepReport {
        (&self.report).into()
    }

    fn view(&self) -> SimulationRef<'_> {
        SimulationRef::Mechanism(MechanismRef {
            state: &self.state,
            report: &self.report,
            constraint_reports: Vec::new(),
            events: &[],
        })
    }

    fn place_of(&self, _what: Criterion) -> String {
        String::new()
    }

    fn save(&self) -> Option<SimulationState<'_>> {
        None
    }
}

/// Writes down what it is told.
#[derive(Default)]
struct Diary {
    lines: Vec<String>,
    halt_at: usize,
}

impl StepObservers for Diary {
    fn before_progress(&mut self, step: &Step<'_>) -> Result<bool, SceneError> {
        self.lines.push(format!("before {}", step.number));
        Ok(step.number == self.halt_at)
    }

    fn after_progress(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        let last = if step.last { " last" } else { "" };
        self.lines.push(format!("after {}{last}", step.number));
        Ok(())
    }

    fn checkpoint_due(&mut self) -> bool {
        self.lines.push("due".into());
        false
    }

    fn write_checkpoint(&mut self, _checkpoint: &Checkpoint<'_>) -> Result<(), SceneError> {
        self.lines.push("checkpoint".into());
        Ok(())
    }

    fn on_failure(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        self.lines.push(format!("failure after {}", step.number));
        Ok(())
    }

    fn on_request(&mut self, step: &Step<'_>) -> Result<(), SceneError> {
        self.lines.push(format!("request after {}", step.number));
        Ok(())
    }
}

/// Runs a clock until t = 2 and returns what was told, with the reason of an early stop.
fn told(
    mut clock: Clock,
    halt_at: usize,
    request_at: usize,
    (checkpoint_at_end, request_at_end): (bool, bool),
) -> (Vec<String>, Option<StopReason>) {
    let stage = Stage {
        preparation: None,
        start: 0.0,
        until: 2.0,
        end: Stage::end_of(0.0, 2.0, 1.0),
        tolerance: 1e-9,
        checkpoint_at_end,
        request_at_end,
    };
    let mut driver = Driver::new(stage, 0, Certificate::new());
    let mut diary = Diary {
        lines: Vec::new(),
        halt_at,
    };
    let mut steps = Vec::new();
    driver.drive(&mut clock, &mut diary, &mut |progress| {
        steps.push(progress.step);
        progress.step != request_at
    });
    assert_eq!(steps.len(), driver.step);
    (diary.lines, driver.stopped.map(|stop| stop.reason))
}

const NEVER: usize = usize::MAX;

#[test]
fn a_run_goes_to_its_end_in_order() {
    let (lines, stopped) = told(Clock::new(9.0), NEVER, NEVER, (false, false));
    assert_eq!(
        lines,
        ["before 1", "after 1", "due", "before 2", "after 2 last"]
    );
    assert_eq!(stopped, None);
    // Where a checkpoint may be written at the last step, it is asked for.
    let (lines, _) = told(Clock::new(9.0), NEVER, NEVER, (true, false));
    assert_eq!(lines.last().map(String::as_str), Some("due"));
}

#[test]
fn a_request_at_the_last_step_is_an_interruption_only_before_a_further_stage() {
    let (lines, stopped) = told(Clock::new(9.0), NEVER, 1, (false, false));
    assert_eq!(lines, ["before 1", "after 1", "due", "request after 1"]);
    assert_eq!(stopped, Some(StopReason::Requested));
    let (_, stopped) = told(Clock::new(9.0), NEVER, 2, (true, false));
    assert_eq!(stopped, None);
    let (_, stopped) = told(Clock::new(9.0), NEVER, 2, (true, true));
    assert_eq!(stopped, Some(StopReason::Requested));
}

#[test]
fn a_stop_condition_ends_a_run_and_a_failure_shows_the_last_state_again() {
    let (lines, stopped) = told(Clock::new(9.0), 1, 1, (true, true));
    assert_eq!(lines, ["before 1", "after 1 last"]);
    assert_eq!(stopped, None);
    let (lines, stopped) = told(Clock::new(1.0), NEVER, NEVER, (false, false));
    assert_eq!(lines, ["before 1", "after 1", "due", "failure after 1"]);
    assert_eq!(stopped, Some(StopReason::Bodies("the clock stands".into())));
}
