//! Records of the runs of a study, as `percuss run` would have written them.

use std::path::Path;

use crate::collection::Collection;
use crate::file::Scene;
use crate::finding::{Records, Threads};
use crate::record::{BodiesRecorder, Layout, Manifest, Place, RecordError, Recorder};
use crate::run::{RunOutcome, run};
use crate::text::Built;
use crate::watch::{BodiesOutcome, Wanted, run_wanted};

/// Records one run in a directory; what an interrupted study left there is replaced.
pub(super) struct Keeper<'a> {
    directory: &'a Path,
    fault: Option<RecordError>,
}

impl<'a> Keeper<'a> {
    /// Into this directory of the study.
    pub fn new(directory: &'a Path) -> Self {
        Self {
            directory,
            fault: None,
        }
    }

    /// What went wrong while recording.
    pub fn take_fault(&mut self) -> Option<RecordError> {
        self.fault.take()
    }

    fn note(&mut self, result: Result<(), RecordError>) {
        if let Err(error) = result {
            self.fault.get_or_insert(error);
        }
    }

    fn place(&self) -> Place {
        // A directory without the study's word for its run is of a run that was killed.
        let _ = std::fs::remove_dir_all(self.directory);
        Place::Given(self.directory.to_path_buf())
    }
}

impl Records for Keeper<'_> {
    fn mechanism(&mut self, scene: &Scene, built: Built) -> RunOutcome {
        let manifest = Manifest::of_mechanism(scene, &built, Threads::new(1));
        let layout = Layout::of_scene(scene, &built.system);
        let mut recorder = match Recorder::new(self.place(), manifest, layout, built.record_every) {
            Ok(recorder) => recorder,
            Err(error) => {
                self.note(Err(error));
                return run(built, &mut crate::sink::Discard, &mut |_| true);
            }
        };
        let outcome = run(built, &mut recorder, &mut |_| true);
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
        collection: Collection,
        threads: Threads,
        wanted: &Wanted,
    ) -> BodiesOutcome {
        let mut wanted = wanted.clone();
        // What the scene's plots show must be in the records, too.
        for plot in scene.plots().iter().filter(|plot| plot.study.is_none()) {
            let texts = plot.x.iter().chain(&plot.y);
            texts.for_each(|formula| wanted.observable(&formula.text));
        }
        let wanted = &wanted;
        let manifest = Manifest::of_bodies(scene, &collection, threads);
        let mut recorder = match BodiesRecorder::new(self.place(), manifest, &collection) {
            Ok(recorder) => recorder,
            Err(error) => {
                self.note(Err(error));
                let sink = &mut crate::sink::Discard;
                return run_wanted(scene, collection, wanted, threads, sink, &mut |_| true);
            }
        };
        let go_on = &mut |_: &crate::watch::Tick<'_>| true;
        let outcome = run_wanted(scene, collection, wanted, threads, &mut recorder, go_on);
        if let Some(fault) = recorder.take_fault() {
            self.note(Err(fault));
        }
        self.note(recorder.add_series(&outcome.times, &outcome.series));
        self.note(recorder.add_surveys(&outcome));
        let stopped = outcome.stopped.as_ref().map(ToString::to_string);
        self.note(recorder.close(&outcome.certificate, stopped));
        self.note(recorder.finish());
        outcome
    }
}
