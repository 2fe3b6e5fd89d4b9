//! The machine of a run: the only part of a manifest that may differ between machines.

use serde::{Deserialize, Serialize};

/// Processor, operating system and threads of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Machine {
    /// Number of threads of the run.
    pub threads: usize,
    /// Number of cores of the machine.
    pub cores: usize,
    /// The operating system.
    pub os: String,
    /// The architecture.
    pub arch: String,
    /// The processor model, where the operating system reports it.
    pub cpu: Option<String>,
    /// The working directory of the command: paths are relative to it.
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

/// The processor model from Linux's `/proc/cpuinfo`.
fn cpu() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    let (_, name) = line.split_once(':')?;
    Some(name.trim().to_string()).filter(|name| !name.is_empty())
}
