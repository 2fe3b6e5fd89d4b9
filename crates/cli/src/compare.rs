//! `percuss solve --compare`: every method on every problem, and the performance profile.
//!
//! With t(p, m) the time method m needs for problem p (infinite if it misses the tolerance) and τ(p, m) = t(p,
//! m) / min over methods of t(p, ·), the profile of m is the fraction of all problems with τ(p, m) <= τ, as a
//! function of τ (Dolan and Moré 2002): at τ = 1 how often m is the fastest, for large τ how often it succeeds
//! at all.

use percuss_draw::plot::performance_profile as profile;
use percuss_draw::plot::performance_profile::PerformanceCurve;
use percuss_solve::Goal;
use serde::Serialize;

use crate::attempt::LoadedProblem;
use crate::error::CommandError;
use crate::output::{self, OutputFile};
use crate::progress::Progress;
use crate::solve_common::{History, SolveArgs, SolveCounts, attempt_by, closing, load};
use crate::solve_json::{MethodResult, ProblemResult, ProblemsSummary, Skipped};
use crate::text_table;

/// A shorter solve is repeated, since clock resolution and a cold cache matter as much as the work.
const SHORT: f64 = 0.02;

/// Number of timings of a short solve; the smallest counts. Methods are deterministic, so the results do not
/// differ.
const TIMINGS: usize = 3;

/// Width of a cell: `12.3 ms 1.0e-9`.
const CELL: usize = 17;

/// One problem and the results of all methods; the fields of the best one are at the top level, as without
/// `--compare`.
#[derive(Serialize)]
struct Compared {
    #[serde(flatten)]
    best: ProblemResult,
    runs: Vec<MethodResult>,
}

/// One method over all problems.
#[derive(Serialize)]
struct Method {
    method: &'static str,
    /// Problems it solved.
    solved: usize,
    /// Problems it solved fastest.
    fastest: usize,
    /// Time of all its solves, including the failed ones.
    seconds: f64,
}

/// The object that `--compare --json` prints.
#[derive(Serialize)]
struct Comparison {
    #[serde(flatten)]
    summary: ProblemsSummary<Compared>,
    methods: Vec<Method>,
    /// The file of the performance profile.
    profile: String,
}

/// Runs the comparison.
pub fn run(args: &SolveArgs, tally: &mut SolveCounts) -> Result<(), CommandError> {
    let target = OutputFile::new(&args.output)?;
    let (problems, skipped) = all_runs(args, tally)?;
    // The performance profile.
    target.write(draw(args, &problems)?)?;
    let methods = methods(&problems);
    let solved = problems.len() - tally.missed;
    let seconds = methods.iter().map(|m| m.seconds).sum();
    if args.json {
        return output::print_json(&Comparison {
            summary: args.summary(problems, solved, skipped),
            methods,
            profile: target.name(),
        });
    }
    // Summary of the methods and closing line.
    let mut text = String::new();
    if !args.quiet {
        text += &format!("\n{}", summary(&methods, problems.len()));
        text += &format!("\nperformance profile: {}\n", target.name());
    }
    let bound = args.bound();
    text += &closing(solved, problems.len(), skipped.len(), &bound, seconds);
    output::print(&text)
}

/// Every method on every file, a row of the table after each file.
fn all_runs(
    args: &SolveArgs,
    tally: &mut SolveCounts,
) -> Result<(Vec<Compared>, Vec<Skipped>), CommandError> {
    let goal = args.goal();
    let mut history = History::new(args)?;
    let names = text_table::names(&args.files);
    let width = text_table::width(&names);
    let (mut problems, mut skipped) = (Vec::new(), Vec::new());
    let progress = Progress::new(args.files.len() * percuss_solve::NAMES.len(), args.quiet);
    for (path, name) in args.files.iter().zip(&names) {
        progress.at(name);
        let Some(loaded) = load(path, &progress, &mut skipped, tally) else {
            percuss_solve::NAMES.iter().for_each(|_| progress.step());
            continue;
        };
        // All methods on one problem.
        let mut runs = Vec::with_capacity(percuss_solve::NAMES.len());
        for method in percuss_solve::NAMES {
            progress.at(&format!("{name}: {method}"));
            runs.push(timed(&loaded, method, &goal, &mut history)?);
            progress.step();
        }
        let Some(best) = best(&runs, &goal) else {
            continue;
        };
        // The best result decides whether the problem counts as solved.
        let best = ProblemResult::new(&loaded, best.clone());
        tally.missed += usize::from(!best.run.solved);
        if !args.json && !args.quiet {
            let row = row(name, &runs, &goal, width);
            let text = if problems.is_empty() {
                heading(width) + &row
            } else {
                row
            };
            progress.aside(|| output::print(&text))?;
        }
        problems.push(Compared { best, runs });
    }
    drop(progress);
    history.write()?;
    Ok((problems, skipped))
}

/// The result of one method with the smallest of its times.
fn timed(
    loaded: &LoadedProblem,
    method: &str,
    goal: &Goal,
    history: &mut History,
) -> Result<MethodResult, CommandError> {
    let attempt = attempt_by(loaded, method, goal)?;
    history.add(&loaded.file, method, &attempt);
    let mut run = MethodResult::new(&attempt, method, goal);
    // A short solve is timed several times.
    for _ in 1..TIMINGS {
        if run.seconds < SHORT {
            run.seconds = run.seconds.min(attempt_by(loaded, method, goal)?.seconds);
        }
    }
    Ok(run)
}

/// The fastest result within the tolerance, else the one with the smallest residual.
fn best<'a>(runs: &'a [MethodResult], goal: &Goal) -> Option<&'a MethodResult> {
    // Solved results by time, others by residual.
    let rank = |run: &MethodResult| {
        let value = if run.solved {
            run.seconds
        } else {
            run.residual(goal.measure)
        };
        (!run.solved, value)
    };
    runs.iter().min_by(|a, b| {
        let ((missed_a, a), (missed_b, b)) = (rank(a), rank(b));
        missed_a.cmp(&missed_b).then(a.total_cmp(&b))
    })
}

/// τ(p, m) by problem for the method in column `m`; infinite where it misses the tolerance.
fn ratios(problems: &[Compared], m: usize) -> Vec<f64> {
    let ratio = |p: &Compared| match &p.runs[m] {
        // Two times below the clock's resolution count as equal.
        run if run.solved && run.seconds <= p.best.run.seconds => 1.0,
        run if run.solved => run.seconds / p.best.run.seconds,
        _ => f64::INFINITY,
    };
    problems.iter().map(ratio).collect()
}

fn methods(problems: &[Compared]) -> Vec<Method> {
    let of = |(m, method): (usize, &&'static str)| Method {
        method,
        solved: problems.iter().filter(|p| p.runs[m].solved).count(),
        fastest: ratios(problems, m).iter().filter(|t| **t <= 1.0).count(),
        seconds: problems.iter().map(|p| p.runs[m].seconds).sum(),
    };
    percuss_solve::NAMES.iter().enumerate().map(of).collect()
}

fn draw(args: &SolveArgs, problems: &[Compared]) -> Result<String, CommandError> {
    let names = percuss_solve::NAMES.iter().enumerate();
    let curves: Vec<PerformanceCurve> = names
        .map(|(m, name)| PerformanceCurve::new(name, ratios(problems, m)))
        .collect();
    let count = problems.len();
    let noun = if count == 1 { "problem" } else { "problems" };
    let title = format!("Performance profile, {count} {noun}, {}", args.bound());
    profile::svg(&title, &curves)
        .map_err(|e| CommandError::Machine(format!("cannot draw the performance profile: {e}")))
}

fn heading(width: usize) -> String {
    let mut text = format!("{:width$}", "file");
    for method in percuss_solve::NAMES {
        text += &format!("{method:>CELL$}");
    }
    text + "\n"
}

fn row(name: &str, runs: &[MethodResult], goal: &Goal, width: usize) -> String {
    let mut text = format!("{name:width$}");
    // Time, or a dash where the tolerance was missed, and residual.
    for run in runs {
        let residual = text_table::residual(run.residual(goal.measure));
        let time = if run.solved {
            text_table::time(run.seconds)
        } else {
            "-".into()
        };
        text += &format!("{:>CELL$}", format!("{time} {residual:>7}"));
    }
    text + "\n"
}

fn summary(methods: &[Method], total: usize) -> String {
    let wide = methods.iter().map(|m| m.method.len()).max().unwrap_or(0);
    let mut text = format!(
        "{:wide$} {:>10} {:>8} {:>10}\n",
        "method", "solved", "fastest", "time"
    );
    for m in methods {
        let solved = format!("{} of {total}", m.solved);
        let time = text_table::time(m.seconds);
        text += &format!(
            "{:wide$} {solved:>10} {:>8} {time:>10}\n",
            m.method, m.fastest
        );
    }
    text
}
