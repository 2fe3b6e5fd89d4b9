//! `percuss solve`: solves problem files by one method and evaluates the residuals independently.

use std::fmt::Write as _;

use crate::error::CommandError;
use crate::output;
use crate::progress::Progress;
use crate::solve_common::{History, SolveArgs, SolveCounts, attempt_by, closing, load};
use crate::solve_json::{MethodResult, ProblemResult};
use crate::text_table;

/// Solves all files by one method.
pub fn run(args: &SolveArgs, tally: &mut SolveCounts) -> Result<(), CommandError> {
    let goal = args.goal();
    let mut history = History::new(args)?;
    let tables = !args.json && !args.quiet;
    let names = text_table::names(&args.files);
    let width = text_table::width(&names);
    let (mut records, mut skipped) = (Vec::new(), Vec::new());
    let progress = Progress::new(args.files.len(), args.quiet);
    // Solve file by file; rows are printed as they are known.
    for (path, name) in args.files.iter().zip(&names) {
        progress.at(name);
        if let Some(loaded) = load(path, &progress, &mut skipped, tally) {
            let attempt = attempt_by(&loaded, &args.solver, &goal)?;
            history.add(&loaded.file, &args.solver, &attempt);
            let record =
                ProblemResult::new(&loaded, MethodResult::new(&attempt, &args.solver, &goal));
            tally.missed += usize::from(!record.run.solved);
            if tables {
                let heading = if records.is_empty() {
                    text_table::heading(width)
                } else {
                    String::new()
                };
                let text = heading + &text_table::row(name, &record, width);
                progress.aside(|| output::print(&text))?;
            }
            records.push(record);
        }
        progress.step();
    }
    drop(progress);
    history.write()?;
    // JSON object, or legend, sums by class and closing line.
    let solved = records.len() - tally.missed;
    if args.json {
        return output::print_json(&args.summary(records, solved, skipped));
    }
    let mut text = String::new();
    if tables {
        let parts = [
            text_table::legend(&records, &args.bound()),
            text_table::classes(&records, goal.measure),
        ];
        for part in parts.iter().filter(|p| !p.is_empty()) {
            let _ = write!(text, "\n{part}");
        }
        text += "\n";
    }
    let seconds = records.iter().map(|r| r.run.seconds).sum();
    text += &closing(solved, records.len(), skipped.len(), &args.bound(), seconds);
    output::print(&text)
}
