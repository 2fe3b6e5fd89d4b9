//! A run of a world that the caller owns, step by step, with records and findings.

use percuss_record::{
    BodiesRecorder, Manifest, NullObserver, Observer, OutputDirectory, RunWriter, Step,
};
use percuss_scene::Scene;

use super::{FindingsOf, Run, conclude};
use crate::recorded::{
    ManifestContent, MemoryRecords, RunError, RunListener, RunOutcome, RunRecords, close_bodies,
};
use percuss_simulation::RunProgress;
use percuss_simulation::Threads;
use percuss_simulation::{AnyWorld, BodiesOutcome, ObservableRequest, RunTemplate, WorldRun};

/// What is recorded of a run of a world, and where.
#[derive(Debug, Clone)]
pub struct WorldRecordSpec<'a> {
    /// The scene whose settings the manifest has.
    pub scene: &'a Scene,
    /// The text in the manifest, where it is not that of the scene.
    pub text: Option<&'a str>,
    /// The directory.
    pub place: OutputDirectory,
}

/// End and record interval of a run of a world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorldRunSpan {
    /// End of the run.
    pub until: f64,
    /// Interval of recorded steps.
    pub every: usize,
}

impl WorldRecordSpec<'_> {
    /// The recorder of a run that starts now.
    fn recorder(
        self,
        span: WorldRunSpan,
        world: &AnyWorld,
        template: &RunTemplate,
    ) -> Result<BodiesRecorder, RunError> {
        let mut manifest = manifest(self.scene)?;
        // Settings of this run.
        manifest.settings["start"] = world.time().0.into();
        manifest.settings["until"] = span.until.into();
        manifest.settings["record_every"] = span.every.into();
        // A world that was built by hand has a text of its own.
        if let Some(text) = self.text {
            manifest.text = text.to_string();
        }
        let writer = RunWriter::new(self.place, manifest, self.scene.checkpoint_schedule())?;
        let names = &template.before.names;
        let recorder = BodiesRecorder::of_world(writer, world.view(), names, span.every)?;
        Ok(recorder)
    }
}

fn manifest(scene: &Scene) -> Result<Manifest, RunError> {
    let bodies = scene.build_bodies()?;
    Ok(Manifest::of_bodies(scene, &bodies, Threads::all().get()))
}

/// A run of a world that the caller owns: between two steps it may be inspected and changed.
///
/// ```text
/// start ── step, step, … (write_checkpoint, interrupt) ── end ── finish
/// ```
#[derive(Debug)]
pub struct ActiveRun {
    course: WorldRun,
    records: Records,
}

/// The records of a world while it is stepped.
#[derive(Debug)]
enum Records {
    Memory(NullObserver),
    Directory(Box<BodiesRecorder>),
}

impl Records {
    fn observer(&mut self) -> &mut dyn Observer {
        match self {
            Self::Memory(nothing) => nothing,
            Self::Directory(recorder) => recorder.as_mut(),
        }
    }
}

impl ActiveRun {
    /// Starts a run from the present time of the world, in memory or with records. The recorder is
    /// given the initial state.
    ///
    /// # Errors
    /// The scene of the records has an error, or their directory is not empty.
    pub fn start(
        world: &AnyWorld,
        template: &RunTemplate,
        wanted: ObservableRequest,
        span: WorldRunSpan,
        records: Option<WorldRecordSpec<'_>>,
    ) -> Result<Self, RunError> {
        let mut records = match records {
            None => Records::Memory(NullObserver),
            Some(spec) => Records::Directory(Box::new(spec.recorder(span, world, template)?)),
        };
        // The recorded steps are those of this run, not those of the scene.
        let mut template = template.clone();
        template.record_every = span.every;
        let sink = records.observer();
        let course = WorldRun::start(world, &template, wanted, span.until, sink);
        Ok(Self { course, records })
    }

    /// Makes one step if there is one left; returns whether there may be another.
    pub fn step(
        &mut self,
        world: &mut AnyWorld,
        progress: &mut dyn FnMut(&RunProgress<'_>) -> bool,
    ) -> bool {
        self.course.step(world, self.records.observer(), progress)
    }

    /// Writes a checkpoint, from which the run can be resumed.
    pub fn write_checkpoint(&mut self, world: &mut AnyWorld) {
        self.course.write_checkpoint(world, self.records.observer());
    }

    /// Writes a checkpoint and ends the run on request.
    pub fn interrupt(&mut self, world: &mut AnyWorld) {
        self.course.interrupt(world, self.records.observer());
    }

    /// Makes no further step.
    pub fn end(self) -> EndedRun {
        EndedRun {
            outcome: self.course.close(),
            records: self.records,
        }
    }
}

/// A run of a world whose steps are made and whose records are not closed yet.
#[derive(Debug)]
pub struct EndedRun {
    /// Its result; that is all of a run in memory.
    pub outcome: BodiesOutcome,
    records: Records,
}

impl EndedRun {
    /// Closes the records and evaluates the findings of the scene.
    ///
    /// # Errors
    /// As [`execute`](super::execute).
    pub fn finish(
        self,
        scene: &Scene,
        findings: FindingsOf,
        threads: Threads,
        listener: &mut dyn RunListener,
    ) -> Result<Run, RunError> {
        let outcome = RunOutcome::Bodies(Box::new(self.outcome));
        // A run in memory gets the manifest that its directory would have.
        let records: Box<dyn RunRecords> = match self.records {
            Records::Directory(recorder) => recorder,
            Records::Memory(_) => Box::new(MemoryRecords {
                manifest: manifest(scene)?,
            }),
        };
        // Records are closed before findings are evaluated: a fault of a finding loses no step.
        let certificate = outcome.certificate_json();
        let closed = close_bodies(records, outcome, certificate, ManifestContent::Full)?;
        conclude(scene, closed, findings, threads, listener)
    }
}

/// Records the present state of a world as a run of one step: for pictures.
///
/// # Errors
/// The scene of the records has an error, or they cannot be written.
pub fn record_snapshot(
    world: &AnyWorld,
    template: &RunTemplate,
    spec: WorldRecordSpec<'_>,
) -> Result<(), RunError> {
    let span = WorldRunSpan {
        until: world.time().0,
        every: 1,
    };
    let mut recorder = spec.recorder(span, world, template)?;
    // The state as the initial one and as the end of a step.
    for step in 0..2 {
        recorder.on_step(&Step::of_world(step, world.view(), step == 1))?;
    }
    recorder.close(&template.before.certificate_json(), None)?;
    Ok(recorder.finish()?)
}
