//! Solves problem files by the default method: stages, residual and processor time.
//!
//! `cargo run --release -p percuss-solve --example files -- [--to TOLERANCE] [--by SOLVER] FILE...`
//!
//! From zero impulses, in the error measure R1 of the collection. Times are processor times of the thread where the
//! system reports them.

use percuss_contact::{ResidualEvaluator, ResidualMeasure};
use percuss_fclib::convert::to_problem;
use percuss_solve::Goal;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut tolerance, mut solver, mut paths) = (1e-8, "auto".to_string(), Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(word) = arguments.next() {
        match word.as_str() {
            "--to" => tolerance = arguments.next().ok_or("--to needs a number")?.parse()?,
            "--by" => solver = arguments.next().ok_or("--by needs a solver")?,
            _ => paths.push(word),
        }
    }
    let mut sum = 0.0;
    for path in &paths {
        let problem = to_problem(&percuss_fclib::read(path.as_ref())?)?;
        let mut impulse = vec![0.0; problem.num_rows()];
        let mut method = percuss_solve::by_name(&solver).ok_or("no such solver")?;
        let goal = Goal {
            measure: ResidualMeasure::Fclib,
            ..Goal::with_tolerance(tolerance)
        };
        let start = clock();
        let report = method.solve(&problem, &mut impulse, &goal);
        let spent = clock() - start;
        sum += spent;
        let stages: Vec<String> = report
            .path
            .iter()
            .map(|s| format!("{} {} {:.0e}", s.method, s.iterations, s.residual))
            .collect();
        let name = path.rsplit('/').next().unwrap_or(path);
        let judged = ResidualEvaluator::new(&problem)
            .evaluate(&problem, &impulse)
            .r1;
        println!(
            "{name:44} {:>5} {spent:9.4} s {judged:.1e} {:?} {}",
            problem.num_contacts(),
            report.outcome,
            stages.join(", ")
        );
    }
    println!("sum {sum:.3} s");
    Ok(())
}

fn clock() -> f64 {
    let nanoseconds = std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or(0.0, |n| 1e-9 * n)
}
