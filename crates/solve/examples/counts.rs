//! Iterations of every method on the sample problems, to 1e-4 and to 1e-8 in R2, from zero impulses.
//!
//! ```text
//! cargo run --release -p percuss-solve --example counts             generated problems
//! cargo run --release -p percuss-solve --example counts FILE...     problem files (local form)
//! ```
//!
//! A dash means that the method stopped (stalled, or out of iterations) before; the best residual
//! follows then. The lines `ref` give the figures of the prototype that the methods come from; its
//! packings have the same parameters but another random generator, so they are not the same ones.

use percuss_contact::{Law, Problem};
use percuss_solve::admm::AdmmParams;
use percuss_solve::nlgs::NlgsParams;
use percuss_solve::nncg::{NncgParams, Sweeps};
use percuss_solve::sample::{Attitude, Chain, Packing, Pyramid, Table, Tower, Wall};
use percuss_solve::{Admm, Auto, Goal, InteriorPoint, Nlgs, Nncg, SmoothingNewton, Solver};

/// A problem with the prototype's counts for NLGS, NNCG and ADMM.
struct Row {
    name: String,
    reference: [&'static str; 3],
    problem: Problem,
}

fn row(name: &str, reference: [&'static str; 3], problem: Problem) -> Row {
    Row {
        name: name.into(),
        reference,
        problem,
    }
}

fn structures() -> Result<Vec<Row>, percuss_contact::ProblemError> {
    let push = Tower {
        push: 0.05,
        ..Tower::heavy_top(10, 1e3)
    };
    let wall_push = Wall {
        lateral: 0.15,
        ..Wall::default()
    };
    let lying = Chain {
        links: 30,
        attitude: Attitude::Horizontal,
        ..Chain::default()
    };
    Ok(vec![
        row(
            "tower 10",
            ["313/-", "61/786", "32/64"],
            Tower::of(10).problem()?,
        ),
        row(
            "tower 80",
            ["2673/-", "327/-", "70/-"],
            Tower::of(80).problem()?,
        ),
        row(
            "top x1e3",
            ["3971/-", "262/-", "45/98"],
            Tower::heavy_top(10, 1e3).problem()?,
        ),
        row(
            "top x1e6",
            ["", "", ""],
            Tower::heavy_top(10, 1e6).problem()?,
        ),
        row(
            "alternating",
            ["3768/-", "154/22459", "36/69"],
            Tower::alternating(10, 1e3).problem()?,
        ),
        row("top, push", ["3972/-", "206/-", "45/2052"], push.problem()?),
        row(
            "wall",
            ["209/1236", "65/284", "26/63"],
            Wall::default().problem()?,
        ),
        row(
            "wall 0.15 g",
            ["337/1872", "128/374", "57/190"],
            wall_push.problem()?,
        ),
        row(
            "chain hanging",
            ["1604/-", "83/807", "42/115"],
            Chain::default().problem()?,
        ),
        row("chain lying", ["6/13", "5/13", "17/30"], lying.problem()?),
        row("table", ["", "", ""], Table::default().problem()?),
    ])
}

fn piles() -> Result<Vec<Row>, percuss_contact::ProblemError> {
    let pyramid = |layers, friction, tilt| {
        let pile = Pyramid {
            layers,
            friction,
            tilt,
            ..Pyramid::default()
        };
        pile.problem()
    };
    let settled = Packing::default().settle()?;
    let heavy = Packing {
        mass_ratio: 1000.0,
        seed: 2,
        ..Packing::default()
    };
    let falling = Packing {
        steps: 201,
        ..Packing::default()
    };
    Ok(vec![
        row(
            "pyramid 6 mu 1",
            ["-/-", "-/-", "23/39"],
            pyramid(6, 1.0, 0.0)?,
        ),
        row("pyramid 8 mu 1", ["", "-/-", "-/-"], pyramid(8, 1.0, 0.0)?),
        row(
            "pyramid 8 mu .5",
            ["-/-", "-/-", "145/-"],
            pyramid(8, 0.5, 0.0)?,
        ),
        row(
            "pyramid 8 tilted",
            ["-/-", "-/-", "-/-"],
            pyramid(8, 0.5, 0.35)?,
        ),
        row(
            "spheres colliding",
            ["656/4037", "198/709", "368/1845"],
            falling.settle()?.colliding()?,
        ),
        row(
            "spheres at rest",
            ["1197/-", "359/-", "464/-"],
            settled.at_rest(0.0)?,
        ),
        row(
            "spheres tilted",
            ["1170/-", "303/23128", "429/-"],
            settled.at_rest(0.6)?,
        ),
        row(
            "spheres 1:1000",
            ["2516/-", "855/-", "742/-"],
            heavy.settle()?.at_rest(0.0)?,
        ),
    ])
}

fn files(paths: &[String]) -> Result<Vec<Row>, Box<dyn std::error::Error>> {
    let mut rows = Vec::new();
    for path in paths {
        let percuss_fclib::ProblemForm::Local(l) = percuss_fclib::read(path.as_ref())?.form else {
            return Err(format!("{path} is not in local form").into());
        };
        let problem =
            Problem::from_matrix(l.spacedim, &l.w.row_ptr, &l.w.col, &l.w.val, l.q, &l.mu)?;
        let name = path.rsplit('/').next().unwrap_or(path);
        rows.push(row(name, ["", "", ""], problem));
    }
    Ok(rows)
}

/// The residual is evaluated at every iteration and stagnation guards are off, so that counts are those of the method.
fn methods() -> Vec<(&'static str, Box<dyn Solver>)> {
    let nncg = |sweeps, patience| {
        Box::new(Nncg::new(NncgParams {
            residual_interval: 1,
            max_sweeps: 40_000,
            patience,
            sweeps,
            ..NncgParams::default()
        }))
    };
    let relaxation = Nlgs::new(NlgsParams {
        residual_interval: 1,
        max_sweeps: 40_000,
        ..NlgsParams::default()
    });
    let admm = Admm::new(AdmmParams {
        patience: 5_000,
        ..AdmmParams::default()
    });
    vec![
        ("nlgs", Box::new(relaxation)),
        ("nncg exact", nncg(Sweeps::Exact, 40_000)),
        ("nncg proj.", nncg(Sweeps::Projection, 4_000)),
        ("admm", Box::new(admm)),
        ("smoothing", Box::new(SmoothingNewton::default())),
        ("interior", Box::new(InteriorPoint::default())),
    ]
}

/// "iterations to 1e-4/to 1e-8", with the best residual when a figure is missing.
fn count(solver: &mut dyn Solver, problem: &Problem) -> String {
    let goal = Goal {
        keep_history: true,
        ..Goal::with_tolerance(1e-8)
    };
    let mut impulse = vec![0.0; problem.num_rows()];
    let report = solver.solve(problem, &mut impulse, &goal);
    let hit = |tolerance: f64| {
        let found = report.history.iter().find(|h| h.1 <= tolerance);
        found.map_or("-".to_string(), |h| h.0.to_string())
    };
    let rest = if report.reached() {
        String::new()
    } else {
        format!(" {:.0e}", report.residual)
    };
    format!("{}/{}{rest}", hit(1e-4), hit(1e-8))
}

/// The default method: the stages of its path, its residual and its time.
fn automatic(problem: &Problem, tolerance: f64) -> String {
    let mut impulse = vec![0.0; problem.num_rows()];
    let clock = std::time::Instant::now();
    let report = Auto::default().solve(problem, &mut impulse, &Goal::with_tolerance(tolerance));
    let time = clock.elapsed().as_secs_f64();
    let stages: Vec<String> = report
        .path
        .iter()
        .map(|s| format!("{} {}", s.method, s.iterations))
        .collect();
    format!(
        "{} ({:.0e}, {time:.2} s)",
        stages.join(", "),
        report.residual
    )
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let rows = if paths.is_empty() {
        let mut rows = structures()?;
        rows.extend(piles()?);
        rows
    } else {
        files(&paths)?
    };
    print!("{:17} {:>8}", "problem", "contacts");
    for (name, _) in methods() {
        print!(" {name:14}");
    }
    println!();
    for row in rows {
        let pins = row.problem.laws().contains(&Law::Bilateral);
        let kind = if pins { "pins" } else { "" };
        print!("{:17} {:>4}{kind:>4}", row.name, row.problem.num_contacts());
        for (_, mut solver) in methods() {
            print!(" {:14}", count(solver.as_mut(), &row.problem));
        }
        println!();
        if row.reference.iter().any(|r| !r.is_empty()) {
            let [nlgs, nncg, admm] = row.reference;
            println!(
                "{:>17} {:8} {nlgs:14} {nncg:14} {:14} {admm:14}",
                "ref", "", ""
            );
        }
        for (label, tolerance) in [("auto 1e-4", 1e-4), ("auto 1e-8", 1e-8)] {
            println!(
                "{label:>17} {:8} {}",
                "",
                automatic(&row.problem, tolerance)
            );
        }
    }
    Ok(())
}
