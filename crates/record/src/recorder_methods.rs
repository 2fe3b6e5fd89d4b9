//! Methods that the recorders of mechanisms and of bodies have in common.

/// Methods that hand on to the `RunWriter` in the field `$writer`; `close_as` is the recorder's own.
macro_rules! methods_of_run_writer {
    ($writer:ident) => {
        /// The directory, once the first step is computed.
        pub fn directory(&self) -> Option<&std::path::Path> {
            self.$writer.directory()
        }

        /// The manifest as it stands.
        pub fn manifest(&self) -> &$crate::manifest::Manifest {
            &self.$writer.manifest
        }

        /// Takes the error that stopped the recording, if there was one.
        pub fn take_fault(&mut self) -> Option<$crate::error::RecordError> {
            self.fault.take()
        }

        /// Writes the rows in memory and the status of the run. Does nothing when there was no step.
        ///
        /// # Errors
        /// A file operation fails.
        pub fn close(
            &mut self,
            certificate: &impl serde::Serialize,
            stopped: Option<String>,
        ) -> Result<(), $crate::error::RecordError> {
            let status = match stopped {
                None => $crate::manifest::RunStatus::Finished,
                Some(_) => $crate::manifest::RunStatus::Stopped,
            };
            self.close_as(status, certificate, stopped)
        }

        /// The same for a run that was stopped on request: `resume` continues it.
        ///
        /// # Errors
        /// A file operation fails.
        pub fn interrupt(
            &mut self,
            certificate: &impl serde::Serialize,
            reason: String,
        ) -> Result<(), $crate::error::RecordError> {
            let status = $crate::manifest::RunStatus::Interrupted;
            self.close_as(status, certificate, Some(reason))
        }

        /// Adds warnings to the manifest; written with the next manifest.
        pub fn add_warnings(&mut self, warnings: Vec<String>) {
            self.$writer.manifest.warnings.extend(warnings);
        }

        /// Adds the findings to the manifest.
        ///
        /// # Errors
        /// A file operation fails.
        pub fn add_findings(
            &mut self,
            findings: Vec<serde_json::Value>,
        ) -> Result<(), $crate::error::RecordError> {
            self.$writer.manifest.findings = Some(findings);
            self.$writer.write_manifest()
        }

        /// Waits until every full chunk is on the disk.
        ///
        /// # Errors
        /// A chunk could not be written.
        pub fn flush(&self) -> Result<(), $crate::error::RecordError> {
            self.$writer.flush().map(|_| ())
        }

        /// The run has ended completely: removes checkpoints and the lock.
        ///
        /// # Errors
        /// A file operation fails.
        pub fn finish(&mut self) -> Result<(), $crate::error::RecordError> {
            self.$writer.finish()
        }
    };
}

pub(crate) use methods_of_run_writer;
