//! Records of the runs of a study.
//!
//! The records are those of `percuss run`, with these differences in `run.json`: the certificate is
//! serialised as it is (`sums` and `marks`, no `not_met` and no shares), and warnings, nonunique
//! instants and solids are absent. The record of a run that could not start is kept.

use std::path::Path;

use percuss_record::{Lock, Manifest, OutputDirectory, RecordError, RunWriter};
use percuss_scene::bodies_scene::BuiltBodies;
use percuss_scene::{BuiltMechanism, CheckpointPolicy, Scene};

use crate::finding::SceneRunner;
use crate::recorded::{
    ManifestContent, RecordTarget, RecordedRun, RunError, RunOutcome, record_bodies,
    record_mechanism,
};
use percuss_simulation::MechanismOutcome;
use percuss_simulation::RunProgress;
use percuss_simulation::Threads;
use percuss_simulation::{BodiesOutcome, ObservableRequest};

/// Records one run in a directory and replaces what an interrupted study left there.
pub(super) struct RecordingRunner<'a> {
    directory: &'a Path,
}

impl<'a> RecordingRunner<'a> {
    /// Records into this directory of the study.
    pub fn new(directory: &'a Path) -> Self {
        Self { directory }
    }

    /// The run writer of a new run.
    fn target(&self, manifest: Manifest) -> Result<RecordTarget, RunError> {
        // A directory whose run is in no journal belongs to a run that was killed.
        let _ = std::fs::remove_dir_all(self.directory);
        let place = OutputDirectory::Given(self.directory.to_path_buf());
        let writer = RunWriter::new(place, manifest, CheckpointPolicy::default())?;
        Ok(RecordTarget::Directory(Box::new(writer)))
    }

    /// Ends the records of a run, or returns its first error.
    fn finish(&self, recorded: Result<RecordedRun, RunError>) -> Result<RunOutcome, RecordError> {
        let ended = recorded
            .map_err(|error| error.into_record_error(self.directory))
            .and_then(|mut recorded| {
                recorded.records.finish()?;
                Ok(recorded.outcome)
            });
        // Records that could not be written are not resumed: the study makes the run again. The first error counts.
        if ended.is_err() {
            let _ = Lock::take_abandoned(self.directory).map(|lock| lock.map(Lock::end));
        }
        ended
    }

    /// The error of an outcome of the other kind of scene, which no run has.
    fn other_kind(&self) -> RecordError {
        let reason = std::io::Error::other("the outcome is that of another kind of scene");
        RecordError::fault(self.directory, "record a run in this directory", &reason)
    }
}

impl SceneRunner for RecordingRunner<'_> {
    type Error = RecordError;

    fn mechanism(
        &mut self,
        scene: &Scene,
        built: BuiltMechanism,
    ) -> Result<MechanismOutcome, RecordError> {
        let manifest = Manifest::of_mechanism(scene, &built, 1);
        let content = ManifestContent::Figures;
        let recorded = self
            .target(manifest)
            .and_then(|target| record_mechanism(scene, built, target, content, &mut go_on));
        match self.finish(recorded)? {
            RunOutcome::Mechanism(outcome) => Ok(*outcome),
            RunOutcome::Bodies(_) => Err(self.other_kind()),
        }
    }

    fn bodies(
        &mut self,
        scene: &Scene,
        collection: BuiltBodies,
        threads: Threads,
        wanted: &ObservableRequest,
    ) -> Result<BodiesOutcome, RecordError> {
        let mut wanted = wanted.clone();
        // The observables of the scene's plots must be in the records, too.
        for plot in scene.plots().iter().filter(|plot| plot.study.is_none()) {
            let texts = plot.x.iter().chain(&plot.y);
            texts.for_each(|formula| wanted.observable(&formula.text));
        }
        let wanted = &wanted;
        let manifest = Manifest::of_bodies(scene, &collection, threads.get());
        let content = ManifestContent::Figures;
        let recorded = self.target(manifest).and_then(|target| {
            record_bodies(
                scene, collection, wanted, threads, target, content, &mut go_on,
            )
        });
        match self.finish(recorded)? {
            RunOutcome::Bodies(outcome) => Ok(*outcome),
            RunOutcome::Mechanism(_) => Err(self.other_kind()),
        }
    }
}

/// No run of a study is stopped on request; the study is.
fn go_on(_: &RunProgress<'_>) -> bool {
    true
}
