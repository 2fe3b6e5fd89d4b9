//! Description of the machine of a benchmark run.

use serde_json::{Value, json};

/// CPU name, cores, load and compiler, as far as the system reports them.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    pub processor: String,
    pub cores: usize,
    pub load: String,
    pub date: String,
    pub compiler: String,
    pub revision: String,
}

impl Machine {
    pub fn here() -> Self {
        let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let processor = processor.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == "model name").then(|| value.trim().to_string())
        });
        Self {
            processor: processor.unwrap_or_else(|| std::env::consts::ARCH.into()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            load: load(),
            date: said("date", &["-u", "+%Y-%m-%d %H:%M UTC"]),
            compiler: said("rustc", &["--version"]),
            revision: said("git", &["rev-parse", "--short", "HEAD"]),
        }
    }

    /// One line above a table.
    pub fn line(&self) -> String {
        let Self {
            processor,
            cores,
            load,
            date,
            compiler,
            revision,
        } = self;
        // Half a task beside ours already takes the second core now and then.
        let busy = load.parse().is_ok_and(|load: f64| load > 0.5);
        let busy = if busy {
            " The machine did other work at the time: times of two threads are upper bounds."
        } else {
            ""
        };
        format!(
            "*{date}, {processor}, {cores} cores, load {load} before the part began, {compiler}, revision {revision}; Rapier 0.36.1, Box2D 3.2 (boxdd 0.6.0).{busy}*"
        )
    }

    pub fn figures(&self) -> Value {
        json!({
            "processor": self.processor,
            "cores": self.cores,
            "load": self.load,
            "date": self.date,
            "compiler": self.compiler,
            "revision": self.revision,
        })
    }
}

/// Load average over the last minute.
fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().unwrap_or("unknown").into()
}

/// Output of a command, or that it is unknown.
fn said(command: &str, arguments: &[&str]) -> String {
    let mut command = std::process::Command::new(command);
    let output = command.args(arguments).current_dir(crate::root()).output();
    let text = output.ok().filter(|o| o.status.success());
    let text = text.and_then(|o| String::from_utf8(o.stdout).ok());
    text.map_or("unknown".into(), |t| t.trim().into())
}
