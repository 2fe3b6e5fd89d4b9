//! Records of the runs of a study.
//!
//! The records are those of `percuss run`, with these differences in `run.json`: the certificate is
//! serialised as it is (`sums` and `marks`, no `not_met` and no shares), and warnings, nonunique
//! instants and solids are absent. The record of a run that could not start is kept.

use std::path::Path;

use percuss_record::{
    BodiesRecorder, Manifest, MechanismLayout, MechanismRecorder, OutputDirectory, RecordError,
};
use percuss_scene::bodies_scene::BuiltBodies;
use percuss_scene::{BuiltMechanism, Scene};

use crate::bodies_run::{BodiesOutcome, ObservableRequest, run_bodies};
use crate::finding::SceneRunner;
use crate::mechanism_run::{MechanismOutcome, run_mechanism};
use crate::parallel::Threads;

/// Records one run in a directory and replaces what an interrupted study left there.
pub(super) struct RecordingRunner<'a> {
    directory: &'a Path,
    fault: Option<RecordError>,
}

impl<'a> RecordingRunner<'a> {
    /// Records into this directory of the study.
    pub fn new(directory: &'a Path) -> Self {
        Self {
            directory,
            fault: None,
        }
    }

    /// The first error of recording.
    pub fn take_fault(&mut self) -> Option<RecordError> {
        self.fault.take()
    }

    /// Keeps the first error.
    fn note(&mut self, result: Result<(), RecordError>) {
        if let Err(error) = result {
            self.fault.get_or_insert(error);
        }
    }

    fn place(&self) -> OutputDirectory {
        // A directory whose run is in no journal belongs to a run that was killed.
        let _ = std::fs::remove_dir_all(self.directory);
        OutputDirectory::Given(self.directory.to_path_buf())
    }
}

impl SceneRunner for RecordingRunner<'_> {
    fn mechanism(&mut self, scene: &Scene, built: BuiltMechanism) -> MechanismOutcome {
        let manifest = Manifest::of_mechanism(scene, &built, 1);
        let layout = MechanismLayout::of_scene(scene, &built.system);
        let mut recorder =
            match MechanismRecorder::new(self.place(), manifest, layout, built.record_every) {
                Ok(recorder) => recorder,
                // Without a recorder the run is made all the same; the error is kept.
                Err(error) => {
                    self.note(Err(error));
                    return run_mechanism(built, &mut percuss_record::NullObserver, &mut |_| true);
                }
            };
        let outcome = run_mechanism(built, &mut recorder, &mut |_| true);
        // Close the record with certificate and reason for an early stop.
        if let Some(fault) = recorder.take_fault() {
            self.note(Err(fault));
        }
        let stopped = outcome.stopped.as_ref().map(ToString::to_string);
        self.note(recorder.close(&outcome.certificate, stopped));
        self.note(recorder.finish());
        outcome
    }

    fn bodies(
        &mut self,
        scene: &Scene,
        collection: BuiltBodies,
        threads: Threads,
        wanted: &ObservableRequest,
    ) -> BodiesOutcome {
        let mut wanted = wanted.clone();
        // The observables of the scene's plots must be in the records, too.
        for plot in scene.plots().iter().filter(|plot| plot.study.is_none()) {
            let texts = plot.x.iter().chain(&plot.y);
            texts.for_each(|formula| wanted.observable(&formula.text));
        }
        let wanted = &wanted;
        let manifest = Manifest::of_bodies(scene, &collection, threads.get());
        let mut recorder = match BodiesRecorder::new(self.place(), manifest, &collection) {
            Ok(recorder) => recorder,
            Err(error) => {
                self.note(Err(error));
                let sink = &mut percuss_record::NullObserver;
                return run_bodies(scene, collection, wanted, threads, sink, &mut |_| true);
            }
        };
        let go_on = &mut |_: &crate::progress::RunProgress<'_>| true;
        let outcome = run_bodies(scene, collection, wanted, threads, &mut recorder, go_on);
        if let Some(fault) = recorder.take_fault() {
            self.note(Err(fault));
        }
        // Series, profiles and distributions, then certificate and reason for an early stop.
        self.note(recorder.add_series(&outcome.times, &outcome.series));
        self.note(recorder.add_surveys(&outcome.surveys()));
        let stopped = outcome.stopped.as_ref().map(ToString::to_string);
        self.note(recorder.close(&outcome.certificate, stopped));
        self.note(recorder.finish());
        outcome
    }
}
