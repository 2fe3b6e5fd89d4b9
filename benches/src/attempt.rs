//! One method on one problem file, in a child process with a time limit.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use percuss_contact::{Law, Problem, ResidualEvaluator, ResidualMeasure};
use percuss_solve::Goal;

use crate::clock::timed;
use crate::engine::words;

/// The tolerance, in R1.
pub const TOLERANCE: f64 = 1e-8;

/// Result of a method on a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Solved {
    pub seconds: f64,
    pub error: f64,
}

impl Solved {
    /// Whether the tolerance was reached.
    pub fn reached(&self) -> bool {
        self.error <= TOLERANCE
    }
}

/// Reads a file as a problem.
pub fn read(path: &Path) -> Result<Problem, String> {
    let file = percuss_fclib::read(path).map_err(words)?;
    percuss_fclib::convert::to_problem(&file).map_err(words)
}

/// Runs one method on one file in this process; returns its result as two numbers.
pub fn solve(path: &str, method: &str) -> Result<String, String> {
    let problem = read(Path::new(path))?;
    let goal = Goal {
        measure: ResidualMeasure::Fclib,
        ..Goal::with_tolerance(TOLERANCE)
    };
    let mut best = Solved {
        seconds: f64::INFINITY,
        error: f64::INFINITY,
    };
    let start = Instant::now();
    // As often as fits in half a second; most files take a few milliseconds.
    while best.seconds.is_infinite() || start.elapsed() < Duration::from_millis(500) {
        let mut solver =
            percuss_solve::by_name(method).ok_or_else(|| format!("{method} is no method"))?;
        let mut impulse = vec![0.0; problem.num_rows()];
        let (seconds, _) = timed(|| solver.solve(&problem, &mut impulse, &goal));
        let error =
            ResidualEvaluator::new(&problem).residual(&problem, &impulse, ResidualMeasure::Fclib);
        best = Solved {
            seconds: seconds.min(best.seconds),
            error,
        };
    }
    Ok(format!("{:e} {:e}", best.seconds, best.error))
}

/// A program that the system kills after so many seconds of CPU time: a busy machine must not make a method
/// fail.
fn limited(program: &Path, limit: Duration) -> Command {
    let mut command = Command::new("sh");
    let seconds = limit.as_secs_f64().ceil().max(1.0);
    command.args(["-c", "ulimit -t \"$0\"; exec \"$@\"", &seconds.to_string()]);
    command.arg(program);
    command
}

/// Output of a limited command; `None` if it was killed, by the CPU limit or after ten times as long.
fn within(mut command: Command, limit: Duration) -> Result<Option<String>, String> {
    let command = command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(words)?;
    let start = Instant::now();
    // Poll; kill after ten times the limit in wall time.
    while child.try_wait().map_err(words)?.is_none() {
        if start.elapsed() > 10 * limit {
            child.kill().map_err(words)?;
            child.wait().map_err(words)?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().map_err(words)?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    Ok(output.status.success().then_some(text))
}

/// A method of percuss in a child process.
pub fn own(path: &Path, method: &str, limit: Duration) -> Result<Option<Solved>, String> {
    let program = std::env::current_exe().map_err(words)?;
    let mut command = limited(&program, limit);
    command.arg("solve").arg(path).arg(method);
    let Some(text) = within(command, limit)? else {
        return Ok(None);
    };
    let numbers: Vec<f64> = text
        .split_whitespace()
        .filter_map(|w| w.parse().ok())
        .collect();
    match numbers.as_slice() {
        &[seconds, error] => Ok(Some(Solved { seconds, error })),
        _ => Err(format!("{method} said {text}")),
    }
}

/// The problem in the binary format that `peer.py` reads.
pub fn bytes(problem: &Problem) -> Option<Vec<u8>> {
    // Only Coulomb contacts in space.
    let coulomb = |law: &Law| match law {
        Law::Coulomb { mu } => Some(*mu),
        _ => None,
    };
    let mu: Option<Vec<f64>> = problem.laws().iter().map(coulomb).collect();
    let mu = mu.filter(|_| (0..problem.num_contacts()).all(|a| problem.dim(a) == 3))?;
    let file =
        percuss_fclib::convert::from_problem(problem, percuss_fclib::Info::default()).ok()?;
    let percuss_fclib::ProblemForm::Local(local) = file.form else {
        return None;
    };
    // Counts, CSR structure, then values, b and μ.
    let mut all = Vec::new();
    let mut whole = |x: usize| all.extend((x as i64).to_le_bytes());
    whole(problem.num_contacts());
    whole(local.w.val.len());
    local.w.row_ptr.iter().for_each(|x| whole(*x));
    local.w.col.iter().for_each(|x| whole(*x));
    let numbers = local.w.val.iter().chain(problem.free_velocity()).chain(&mu);
    numbers.for_each(|x| all.extend(x.to_le_bytes()));
    Some(all)
}

/// A Python interpreter with Siconos, if there is one.
pub fn python() -> Option<PathBuf> {
    let script = crate::root().join("benches/peer.py");
    ["python3", "/usr/bin/python3"]
        .into_iter()
        .map(PathBuf::from)
        .find(|python| {
            let found = Command::new(python).arg(&script).arg("--version").output();
            found.is_ok_and(|o| o.status.success())
        })
}

/// A method of Siconos in a child process.
pub fn peer(
    python: &Path,
    problem: &Problem,
    method: &str,
    scratch: &Path,
    limit: Duration,
) -> Result<Option<Solved>, String> {
    let (input, output) = (scratch.join("problem"), scratch.join("impulses"));
    let mut best: Option<Solved> = None;
    let start = Instant::now();
    // Repeated for half a second as above, but with a process for each run.
    while best.is_none() || start.elapsed() < Duration::from_millis(500) {
        let mut command = limited(python, limit);
        command
            .arg(crate::root().join("benches/peer.py"))
            .arg(&input);
        command.args([method, &TOLERANCE.to_string()]).arg(&output);
        // One thread for its linear algebra, as for percuss.
        command
            .env("OMP_NUM_THREADS", "1")
            .env("OPENBLAS_NUM_THREADS", "1");
        let Some(text) = within(command, limit)? else {
            return Ok(best);
        };
        let seconds: f64 = text.parse().map_err(|_| format!("peer.py said {text}"))?;
        let data = std::fs::read(&output).map_err(words)?;
        let impulse: Vec<f64> = data
            .as_chunks::<8>()
            .0
            .iter()
            .map(|b| f64::from_le_bytes(*b))
            .collect();
        if impulse.len() != problem.num_rows() {
            return Err(format!(
                "{method} of Siconos gave {} impulses",
                impulse.len()
            ));
        }
        let error =
            ResidualEvaluator::new(problem).residual(problem, &impulse, ResidualMeasure::Fclib);
        let error = if error.is_nan() { f64::INFINITY } else { error };
        let least = best.map_or(seconds, |b| b.seconds.min(seconds));
        best = Some(Solved {
            seconds: least,
            error,
        });
    }
    Ok(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_solve_is_judged_by_the_measure_of_the_files() {
        let path = crate::root().join("data/fclib/Rover1040.hdf5");
        let text = solve(&path.to_string_lossy(), "auto").expect("a file of the repository");
        let numbers: Vec<f64> = text
            .split(' ')
            .map(|w| w.parse().expect("a number"))
            .collect();
        assert!(numbers[0] > 0.0 && numbers[1] <= TOLERANCE, "{text}");
    }

    #[test]
    fn a_process_that_does_not_end_is_ended() {
        let start = Instant::now();
        let mut sleeper = limited(Path::new("sleep"), Duration::from_secs(1));
        sleeper.arg("60");
        assert_eq!(within(sleeper, Duration::from_millis(10)), Ok(None));
        let mut worker = limited(Path::new("sh"), Duration::from_secs(1));
        worker.args(["-c", "while :; do :; done"]);
        assert_eq!(within(worker, Duration::from_secs(3)), Ok(None));
        let mut quick = limited(Path::new("echo"), Duration::from_secs(1));
        quick.arg("done");
        assert_eq!(
            within(quick, Duration::from_secs(60)),
            Ok(Some("done".into()))
        );
        // Shorter than the sleep: the process was killed.
        assert!(start.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn the_dump_has_the_numbers_of_the_problem() {
        let problem = read(&crate::root().join("data/fclib/Rover1040.hdf5"))
            .expect("a file of the repository");
        let data = bytes(&problem).expect("Coulomb's law in space");
        let whole =
            |at: usize| i64::from_le_bytes(data[8 * at..8 * at + 8].try_into().expect("eight"));
        let nonzeros = whole(1) as usize;
        assert_eq!(whole(0) as usize, problem.num_contacts());
        let rows = problem.num_rows();
        assert_eq!(
            data.len(),
            8 * (2 + rows + 1 + 2 * nonzeros + rows + problem.num_contacts())
        );
        let q = 2 + rows + 1 + 2 * nonzeros;
        assert_eq!(
            f64::from_le_bytes(data[8 * q..8 * q + 8].try_into().expect("eight")),
            problem.free_velocity()[0]
        );
    }
}
