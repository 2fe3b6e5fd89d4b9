//! Shared by several test files: solving, measuring, and small problems of every kind.
// Each test file compiles this module for itself and uses a part of it.

use std::sync::OnceLock;

use percuss_contact::{DelassusOperator, FactoredDelassus, Problem, ResidualEvaluator};
use percuss_solve::sample::{Attitude, Chain, Packing, Pyramid, Settled, Table, Tower, Wall};
use percuss_solve::{Goal, Report, Solver};

/// Solves from zero impulses; returns impulses and report.
pub fn solve_cold(solver: &mut dyn Solver, problem: &Problem, goal: &Goal) -> (Vec<f64>, Report) {
    let mut impulse = vec![0.0; problem.num_rows()];
    let report = solver.solve(problem, &mut impulse, goal);
    (impulse, report)
}

/// u = W r + b.
pub fn velocity(problem: &Problem, impulse: &[f64]) -> Vec<f64> {
    let mut u = vec![0.0; problem.num_rows()];
    problem.velocity_into(impulse, &mut vec![0.0; problem.scratch_len()], &mut u);
    u
}

/// RV of `impulse`, evaluated independently of any solver.
pub fn rv(problem: &Problem, impulse: &[f64]) -> f64 {
    ResidualEvaluator::new(problem)
        .evaluate(problem, impulse)
        .rv
}

/// R2 of `impulse`, evaluated independently of any solver.
pub fn r2(problem: &Problem, impulse: &[f64]) -> f64 {
    ResidualEvaluator::new(problem)
        .evaluate(problem, impulse)
        .r2
}

/// The factored operator of a problem made from masses.
pub fn kinetic(problem: &Problem) -> &FactoredDelassus {
    match problem.operator() {
        DelassusOperator::Factored(k) => k,
        DelassusOperator::Stored { .. } => panic!("the problem was made from masses"),
    }
}

/// v̂ at the end of the step.
pub fn end(problem: &Problem, impulse: &[f64]) -> Vec<f64> {
    let mut v = vec![0.0; problem.scratch_len()];
    kinetic(problem).velocity_into(impulse, &mut v);
    v
}

/// Distance of two velocities in the norm of R2, relative to the free velocity:
/// ( Σ κ ‖u − u'‖² / Σ κ ‖b‖² )^½.
pub fn apart(problem: &Problem, u: &[f64], other: &[f64]) -> f64 {
    let (mut left, mut scale) = (0.0, 0.0);
    for a in 0..problem.num_contacts() {
        for row in problem.rows(a) {
            left += problem.kappa(a) * (u[row] - other[row]).powi(2);
            scale += problem.kappa(a) * problem.free_velocity()[row].powi(2);
        }
    }
    (left / scale).sqrt()
}

pub fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

/// 80 spheres settled in a narrow box; made once for each test program.
pub fn settled() -> &'static Settled {
    static SETTLED: OnceLock<Settled> = OnceLock::new();
    SETTLED.get_or_init(|| narrow().settle().unwrap())
}

pub fn narrow() -> Packing {
    Packing {
        spheres: 80,
        side: 5.5,
        steps: 600,
        ..Packing::default()
    }
}

/// One problem of every kind, small enough for a test, with its name.
pub fn one_of_each() -> Vec<(&'static str, Problem)> {
    let mut all = structures();
    all.extend(piles());
    all
}

fn structures() -> Vec<(&'static str, Problem)> {
    let heavy = Tower::heavy_top(10, 1e3);
    let push = Tower {
        push: 0.05,
        ..heavy.clone()
    };
    let lateral = Wall {
        lateral: 0.15,
        ..Wall::default()
    };
    let lying = Chain {
        links: 30,
        attitude: Attitude::Horizontal,
        ..Chain::default()
    };
    let loaded = Table {
        offset: [0.4, 0.2],
        push: [0.3, 0.1],
        ..Table::default()
    };
    let made = [
        ("tower", Tower::of(10).problem()),
        ("tower, heavy top", heavy.problem()),
        ("tower, alternating", Tower::alternating(10, 1e3).problem()),
        ("tower, pushed", push.problem()),
        ("wall", Wall::default().problem()),
        ("wall, lateral", lateral.problem()),
        ("chain, hanging", Chain::default().problem()),
        ("chain, lying", lying.problem()),
        ("table", Table::default().problem()),
        ("table, loaded", loaded.problem()),
    ];
    made.map(|(name, problem)| (name, problem.unwrap())).into()
}

fn piles() -> Vec<(&'static str, Problem)> {
    let pyramid = Pyramid {
        layers: 5,
        friction: 0.5,
        ..Pyramid::default()
    };
    let slanted = Pyramid {
        tilt: 0.2,
        ..pyramid.clone()
    };
    let falling = Packing {
        steps: 170,
        ..narrow()
    };
    let heavy = Packing {
        mass_ratio: 1e3,
        seed: 2,
        ..narrow()
    };
    let made = [
        ("pyramid", pyramid.problem()),
        ("pyramid, slanted", slanted.problem()),
        ("packing at rest", settled().at_rest(0.0)),
        ("packing, tilted", settled().at_rest(0.6)),
        ("packing, heavy", heavy.settle().unwrap().at_rest(0.0)),
        ("packing, colliding", falling.settle().unwrap().colliding()),
    ];
    made.map(|(name, problem)| (name, problem.unwrap())).into()
}
