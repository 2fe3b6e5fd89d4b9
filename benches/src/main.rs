//! Benchmarks of percuss: see docs/speed.md.

mod attempt;
mod clock;
mod counters;
mod engine;
mod engines;
mod figure;
mod files;
mod fit;
mod heaps;
mod height;
mod kernel;
mod lattice;
mod limits;
mod machine;
mod moving;
mod options;
mod overlap;
mod profile;
mod ratio;
mod report;
mod roofline;
mod scaling;
mod scene;
mod verdict;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Map, Value, json};

use machine::Machine;
use options::{HELP, Options, Output};
use report::Part;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Tasks that sections start as child processes.
    if let [task, first, second] = arguments.as_slice() {
        match task.as_str() {
            "kernel" => return answer(kernel(first, second)),
            "solve" => return answer(attempt::solve(first, second)),
            _ => {}
        }
    }
    match Options::parse(&arguments) {
        Ok(None) => {
            print!("{HELP}");
            ExitCode::SUCCESS
        }
        Ok(Some(options)) => run(&options),
        Err(error) => {
            eprintln!("./bench: {error}");
            ExitCode::from(2)
        }
    }
}

/// Runs a kernel alone, see `kernel`.
fn kernel(name: &str, repeats: &str) -> Result<String, String> {
    let repeats = repeats
        .parse()
        .map_err(|_| format!("{repeats} is no number"))?;
    kernel::run(name, repeats).map(|units| units.to_string())
}

/// Prints the result of a single task.
fn answer(found: Result<String, String>) -> ExitCode {
    match found {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("./bench: {error}");
            ExitCode::from(2)
        }
    }
}

/// The root of the project.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

fn run(options: &Options) -> ExitCode {
    let (mut figures, mut ratios, mut failed) = (Map::new(), Vec::new(), false);
    // A failing section does not stop the others.
    for &name in &options.only {
        eprintln!("==> {name}");
        let machine = Machine::here();
        let part = match part(name, options) {
            Ok(part) => part,
            Err(error) => {
                eprintln!("./bench: {name}: {error}");
                failed = true;
                continue;
            }
        };
        failed |= part.failed;
        let text = format!("{}\n\n{}", machine.line(), part.markdown());
        if options.json != Some(Output::Standard) {
            println!("\n## {name}\n\n{text}");
        }
        // A full run updates the documentation.
        if !options.quick
            && let Err(error) = document(part.name, &text)
        {
            eprintln!("./bench: {error}");
            failed = true;
        }
        let entry = json!({ "machine": machine.figures(), "figures": part.figures });
        figures.insert(name.into(), entry);
        ratios.extend(part.ratios);
    }
    // Ratios and figures as JSON.
    let file = options.figures.clone().map(Output::File);
    let delivered = deliver(options.json.as_ref(), &ratio::object(&ratios))
        .and_then(|()| deliver(file.as_ref(), &Value::Object(figures)));
    if let Err(error) = delivered {
        eprintln!("./bench: {error}");
        failed = true;
    }
    ExitCode::from(u8::from(failed))
}

fn part(name: &str, options: &Options) -> Result<Part, String> {
    match name {
        "roofline" => roofline::part(options),
        "engines" => engines::part(options),
        "moving" => moving::part(options),
        "files" => files::part(options),
        "scaling" => scaling::part(options),
        "profile" => profile::part(options),
        "height" => height::part(options),
        "counters" => counters::part(options),
        other => Err(format!("{other} is no part")),
    }
}

/// Inserts the text of a section into the documentation.
fn document(name: &str, text: &str) -> Result<(), String> {
    let path = root().join("docs/speed.md");
    let shown = path.display();
    let old = std::fs::read_to_string(&path).map_err(|e| format!("{shown}: {e}"))?;
    let new = report::replace(&old, name, text).map_err(|e| format!("{shown}: {e}"))?;
    std::fs::write(&path, new).map_err(|e| format!("{shown}: {e}"))
}

fn deliver(output: Option<&Output>, value: &Value) -> Result<(), String> {
    let text = serde_json::to_string_pretty(value).map_err(|e| e.to_string())?;
    match output {
        None => Ok(()),
        Some(Output::Standard) => {
            println!("{text}");
            Ok(())
        }
        Some(Output::File(path)) => {
            std::fs::write(path, text + "\n").map_err(|e| format!("{}: {e}", path.display()))
        }
    }
}
