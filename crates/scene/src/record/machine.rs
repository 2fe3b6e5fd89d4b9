//! On what a run was computed: the only part of a manifest that may differ between machines.

use serde::{Deserialize, Serialize};

/// On what a run was computed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Machine {
    /// Threads that the run was given.
    pub threads: usize,
    /// Cores of the machine.
    pub cores: usize,
    /// The system.
    pub os: String,
    /// The architecture.
    pub arch: String,
    /// The processor, where the system tells.
    pub cpu: Option<String>,
    /// The folder in which the command was given: paths are relative to it.
    pub folder: Option<String>,
}

impl Machine {
    /// This machine.
    pub fn here(threads: usize) -> Self {
        let folder = std::env::current_dir().ok();
        Self {
            threads,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            os: std::env::consts::OS.into(),
            arch: std::env::consts::ARCH.into(),
            cpu: cpu(),
            folder: folder.map(|path| path.display().to_string()),
        }
    }
}

/// The model of the processor as Linux tells it.
fn cpu() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    let (_, name) = line.split_once(':')?;
    Some(name.trim().to_string()).filter(|name| !name.is_empty())
}
