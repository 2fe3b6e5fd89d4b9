//! Instruction counts of the kernels, by callgrind, compared with the stored counters.
//!
//! Counts are reproducible where times are not, so that a regression shows in review. Each kernel is run twice
//! with different numbers of repetitions; the difference excludes the start-up. Programs that dispatch on the
//! CPU at run time use at most AVX2 under callgrind.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::options::Options;
use crate::ratio::{Bound, Ratio};
use crate::report::{Part, Table, short};

/// Relative growth that is reported as a regression.
const ALLOWED: f64 = 0.03;

/// One counter of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counter {
    pub name: String,
    pub unit: String,
    pub instructions: f64,
}

/// The file of counters.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Counters {
    #[serde(default)]
    counter: Vec<Counter>,
}

/// The kernels: name, unit, and two numbers of repetitions.
const KERNELS: [(&str, &str, [usize; 2]); 6] = [
    ("sphere sweep", "contact and sweep", [20, 120]),
    ("planar sweep", "contact and sweep", [20, 120]),
    ("general sweep", "contact and sweep", [10, 40]),
    ("sphere detection", "sphere", [4, 12]),
    ("wall step", "step", [20, 60]),
    ("sphere step", "step", [10, 30]),
];

/// The instruction count in callgrind's output file.
pub fn collected(text: &str) -> Option<u64> {
    let of = |key: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(key)?.split_whitespace().next())
    };
    of("summary:").or_else(|| of("totals:"))?.parse().ok()
}

/// Runs a kernel of this program under callgrind.
fn count(name: &str, repeats: usize, scratch: &Path) -> Result<(u64, f64), String> {
    let program = std::env::current_exe().map_err(|e| e.to_string())?;
    let out = scratch.join("callgrind.out");
    let valgrind = std::env::var("VALGRIND").unwrap_or_else(|_| "valgrind".into());
    // The kernel in a child process under callgrind.
    let output = Command::new(&valgrind)
        .args(["--tool=callgrind", "--quiet"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(program)
        .args(["kernel", name, &repeats.to_string()])
        .output()
        .map_err(|e| format!("{valgrind}: {e} (it counts instructions; install valgrind)"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let hint = if said.contains("SIGILL") {
            "this valgrind does not know an instruction of the program; 3.24 does (VALGRIND names another one)\n"
        } else {
            ""
        };
        return Err(format!("{valgrind}, {name}: {hint}{}", said.trim()));
    }
    // Instruction count and number of units.
    let text = std::fs::read_to_string(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let total = collected(&text).ok_or("callgrind's file has no summary")?;
    let units = String::from_utf8_lossy(&output.stdout);
    let units = units
        .trim()
        .parse()
        .map_err(|_| format!("kernel {name} said {units}"))?;
    Ok((total, units))
}

/// Relative change of a counter; `None` for a new one.
fn change(old: &[Counter], new: &Counter) -> Option<f64> {
    let before = old
        .iter()
        .find(|c| c.name == new.name && c.unit == new.unit)?;
    Some(new.instructions / before.instructions - 1.0)
}

fn path() -> PathBuf {
    crate::root().join("benches/counters.toml")
}

fn load() -> Result<Vec<Counter>, String> {
    let shown = path().display().to_string();
    match std::fs::read_to_string(path()) {
        Ok(text) => parse(&text).map_err(|e| format!("{shown}: {e}")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(format!("{shown}: {error}")),
    }
}

fn parse(text: &str) -> Result<Vec<Counter>, String> {
    let file: Counters = toml::from_str(text).map_err(|e| e.to_string())?;
    let sound = file
        .counter
        .iter()
        .all(|c| c.instructions.is_finite() && c.instructions > 0.0);
    // A damaged reference value is an error.
    if sound {
        Ok(file.counter)
    } else {
        Err("instructions must be positive".into())
    }
}

/// The file's text.
fn write(counters: &[Counter]) -> String {
    let mut text = String::from(
        "# Instructions of the hot loops (callgrind, AVX2). `./bench --only counters` compares,\n# `./bench --only counters --write` keeps what it counted.\n",
    );
    for Counter {
        name,
        unit,
        instructions,
    } in counters
    {
        text += &format!(
            "\n[[counter]]\nname = \"{name}\"\nunit = \"{unit}\"\ninstructions = {instructions:.1}\n"
        );
    }
    text
}

/// Counts the instructions of all kernels.
pub fn part(options: &Options) -> Result<Part, String> {
    let mut part = Part::new("counters");
    let old = load()?;
    let scratch = std::env::temp_dir().join(format!("percuss-bench-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|e| e.to_string())?;
    let mut table = Table::new(&["kernel", "instructions", "per", "kept", "change, %"]);
    let mut new = Vec::new();
    let mut progress = crate::clock::Progress::new("callgrind", KERNELS.len());
    // Difference of two repetition counts, per unit of work.
    for (done, (name, unit, [few, many])) in KERNELS.into_iter().enumerate() {
        let (low, units_low) = count(name, few, &scratch)?;
        let (high, units_high) = count(name, many, &scratch)?;
        let counter = Counter {
            name: name.into(),
            unit: unit.into(),
            instructions: (high as f64 - low as f64) / (units_high - units_low),
        };
        let change = change(&old, &counter);
        part.failed |= change.is_some_and(|c| !(c <= ALLOWED)) && !options.write;
        let kept = old.iter().find(|c| c.name == name);
        table.row([
            name.into(),
            short(counter.instructions),
            unit.into(),
            kept.map_or("–".into(), |c| short(c.instructions)),
            change.map_or("new".into(), |c| format!("{:+.1}", 100.0 * c)),
        ]);
        if let Some(kept) = kept {
            let (name, kept) = (format!("counters.{name}"), ("kept", kept.instructions));
            let grown = Ratio::new(&name, "instructions", counter.instructions, kept);
            part.ratios.push(grown.aim(Bound::AtMost(1.0 + ALLOWED)));
        }
        new.push(counter);
        progress.at(done + 1);
    }
    drop(progress);
    // A temporary directory that remains does no harm.
    let _ = std::fs::remove_dir_all(&scratch);
    // New reference values on request.
    if options.write {
        std::fs::write(path(), write(&new)).map_err(|e| e.to_string())?;
    }
    part.table(&table);
    if part.failed {
        part.say("A counter has grown by more than 3 %. Where that is meant, `--write` keeps the new figures.");
    }
    part.figures = json!(new);
    Ok(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(instructions: f64) -> Counter {
        Counter {
            name: "sweep".into(),
            unit: "contact".into(),
            instructions,
        }
    }

    #[test]
    fn the_total_is_read_from_callgrinds_file() {
        let text = "# callgrind format\nversion: 1\nevents: Ir\nsummary: 1191385\n\nfn=(1) main\n7 12\ntotals: 1191380\n";
        assert_eq!(collected(text), Some(1_191_385));
        assert_eq!(collected("events: Ir\ntotals: 12 3\n"), Some(12));
        assert_eq!(collected("events: Ir\nsummary: many\n"), None);
        assert_eq!(collected(""), None);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let counters = vec![
            counter(123.4),
            Counter {
                name: "step".into(),
                ..counter(1e7)
            },
        ];
        assert_eq!(parse(&write(&counters)).expect("its own text"), counters);
        assert!(parse("[[counter]]\nname = \"x\"").is_err());
        assert!(parse(&write(&[counter(0.0)])).is_err());
    }

    #[test]
    fn growth_is_relative_to_the_counter_of_the_same_name_and_unit() {
        let grown = change(&[counter(100.0)], &counter(104.0)).expect("known");
        assert!((grown - 0.04).abs() < 1e-12);
        let other = Counter {
            unit: "step".into(),
            ..counter(104.0)
        };
        assert_eq!(change(&[counter(100.0)], &other), None);
    }

    #[test]
    fn the_committed_file_is_sound_and_names_every_kernel() {
        let kept = load().expect("a sound file");
        for (name, unit, _) in KERNELS {
            assert!(
                kept.iter().any(|c| c.name == name && c.unit == unit),
                "{name}"
            );
        }
    }
}
