//! The records of a run while it is made: a directory, or a manifest in memory.

use std::path::Path;

use percuss_record::{
    BodiesRecorder, Manifest, MechanismRecorder, NonuniqueInstant, Observer, RecordError,
    RunStatus, Step,
};
use percuss_scene::SceneError;
use serde_json::Value;

use super::outcome::RunOutcome;

/// The records of a run, from its last step to their end.
pub trait RunRecords {
    /// The directory, once there is one.
    fn directory(&self) -> Option<&Path>;
    /// The manifest as it stands.
    fn manifest(&self) -> &Manifest;
    /// Takes the error that stopped the recording.
    fn take_fault(&mut self) -> Option<RecordError>;
    /// Adds warnings, written with the next manifest.
    fn add_warnings(&mut self, warnings: Vec<String>);
    /// Adds the instants at which the motion is not unique, written with the next manifest.
    fn set_nonunique(&mut self, instants: Vec<NonuniqueInstant>);
    /// Writes what only the outcome has: series, profiles, distributions.
    fn add_outcome(&mut self, outcome: &RunOutcome) -> Result<(), RecordError>;
    /// Writes how the run ended.
    fn close(&mut self, certificate: &Value, stopped: Option<String>) -> Result<(), RecordError>;
    /// Writes that the run was stopped on request.
    fn interrupt(&mut self, certificate: &Value, reason: String) -> Result<(), RecordError>;
    /// Writes that the records could not be written any further.
    fn fail(&mut self, certificate: &Value, reason: String) -> Result<(), RecordError>;
    /// Removes the records of a run that could not start.
    fn abandon(&mut self) -> Result<(), RecordError>;
    /// Adds the findings.
    fn add_findings(&mut self, findings: Vec<Value>) -> Result<(), RecordError>;
    /// Removes checkpoints and the lock: the run has ended completely.
    fn finish(&mut self) -> Result<(), RecordError>;
}

/// Methods that hand on to those of the same name of a recorder.
macro_rules! methods_of_recorder {
    () => {
        fn directory(&self) -> Option<&Path> {
            self.directory()
        }

        fn manifest(&self) -> &Manifest {
            self.manifest()
        }

        fn take_fault(&mut self) -> Option<RecordError> {
            self.take_fault()
        }

        fn add_warnings(&mut self, warnings: Vec<String>) {
            self.add_warnings(warnings);
        }

        fn close(
            &mut self,
            certificate: &Value,
            stopped: Option<String>,
        ) -> Result<(), RecordError> {
            self.close(certificate, stopped)
        }

        fn interrupt(&mut self, certificate: &Value, reason: String) -> Result<(), RecordError> {
            self.interrupt(certificate, reason)
        }

        fn fail(&mut self, certificate: &Value, reason: String) -> Result<(), RecordError> {
            self.fail(certificate, reason)
        }

        fn add_findings(&mut self, findings: Vec<Value>) -> Result<(), RecordError> {
            self.add_findings(findings)
        }

        fn finish(&mut self) -> Result<(), RecordError> {
            self.finish()
        }
    };
}

impl RunRecords for MechanismRecorder {
    methods_of_recorder!();

    fn set_nonunique(&mut self, instants: Vec<NonuniqueInstant>) {
        self.set_nonunique(instants);
    }

    fn add_outcome(&mut self, _outcome: &RunOutcome) -> Result<(), RecordError> {
        Ok(())
    }

    /// A mechanism that could not start has written nothing.
    fn abandon(&mut self) -> Result<(), RecordError> {
        Ok(())
    }
}

impl RunRecords for BodiesRecorder {
    methods_of_recorder!();

    /// Nonunique instants of bodies are in the certificate.
    fn set_nonunique(&mut self, _instants: Vec<NonuniqueInstant>) {}

    fn add_outcome(&mut self, outcome: &RunOutcome) -> Result<(), RecordError> {
        let RunOutcome::Bodies(outcome) = outcome else {
            return Ok(());
        };
        self.add_series(&outcome.times, &outcome.series)?;
        self.add_surveys(&outcome.surveys())
    }

    fn abandon(&mut self) -> Result<(), RecordError> {
        self.abandon()
    }
}

/// A run in memory: its manifest says what that of a directory would, without tables.
#[derive(Debug)]
pub struct MemoryRecords {
    pub manifest: Manifest,
}

impl MemoryRecords {
    /// Sets how the run ended.
    fn end(&mut self, status: RunStatus, certificate: &Value, reason: Option<String>) {
        self.manifest.status = status;
        self.manifest.reason = reason;
        self.manifest.certificate = Some(certificate.clone());
    }
}

impl RunRecords for MemoryRecords {
    fn directory(&self) -> Option<&Path> {
        None
    }

    fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    fn take_fault(&mut self) -> Option<RecordError> {
        None
    }

    fn add_warnings(&mut self, warnings: Vec<String>) {
        self.manifest.warnings.extend(warnings);
    }

    fn set_nonunique(&mut self, instants: Vec<NonuniqueInstant>) {
        self.manifest.nonunique = instants;
    }

    fn add_outcome(&mut self, outcome: &RunOutcome) -> Result<(), RecordError> {
        self.manifest.reached = outcome.times().last().copied();
        Ok(())
    }

    fn close(&mut self, certificate: &Value, stopped: Option<String>) -> Result<(), RecordError> {
        let status = match stopped {
            None => RunStatus::Finished,
            Some(_) => RunStatus::Stopped,
        };
        self.end(status, certificate, stopped);
        Ok(())
    }

    fn interrupt(&mut self, certificate: &Value, reason: String) -> Result<(), RecordError> {
        self.end(RunStatus::Interrupted, certificate, Some(reason));
        Ok(())
    }

    fn fail(&mut self, certificate: &Value, reason: String) -> Result<(), RecordError> {
        self.end(RunStatus::Stopped, certificate, Some(reason));
        Ok(())
    }

    fn abandon(&mut self) -> Result<(), RecordError> {
        Ok(())
    }

    fn add_findings(&mut self, findings: Vec<Value>) -> Result<(), RecordError> {
        self.manifest.findings = Some(findings);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), RecordError> {
        Ok(())
    }
}

impl Observer for MemoryRecords {
    fn on_step(&mut self, _step: &Step<'_>) -> Result<(), SceneError> {
        Ok(())
    }
}
