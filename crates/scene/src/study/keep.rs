//! Records of the runs of a study, as `percuss run` would have written them.

use std::path::Path;

use serde_json::Value;

use crate::collection::Collection;
use crate::file::Scene;
use crate::finding::{Records, Threads};
use crate::record::{
    BodiesRecorder, Layout, Manifest, Override, Place, RecordError, Recorder, settings_json,
};
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
        let mut manifest = manifest(scene);
        let (start, until) = (built.initial.t, built.until);
        manifest.settings = settings_json(&built.settings, start, until, built.record_every);
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
        let mut manifest = manifest(scene);
        manifest.settings = collection.settings_json();
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
        outcome
    }
}

/// What the manifest says of the scene of a run.
fn manifest(scene: &Scene) -> Manifest {
    let mut manifest = Manifest::new("run", scene.name());
    manifest.title = scene.title().into();
    manifest.source = scene.source().into();
    manifest.origin = scene.origin().into();
    manifest.text = scene.text().into();
    let overrides = scene.overrides().iter().map(|(key, value)| Override {
        key: key.clone(),
        value: value.clone(),
    });
    manifest.overrides = overrides.collect();
    let parameters = scene.parameters().iter();
    manifest.parameters = parameters
        .map(|(k, v)| (k.clone(), Value::from(*v)))
        .collect();
    manifest
}
