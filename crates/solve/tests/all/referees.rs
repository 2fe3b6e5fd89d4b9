//! Solutions checked by independent methods: an interior-point conic solver, and plain enumeration.

use crate::common::{apart, dot, end, kinetic, norm, settled, solve_cold, velocity};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT,
};
use percuss_contact::{Law, Problem};
use percuss_solve::sample::{Pyramid, RandomContacts, Table, Tower, Wall};
use percuss_solve::{Auto, Goal};

/// The Coulomb coefficient of contact `a`; 0 for a frictionless one.
fn friction(problem: &Problem, a: usize) -> f64 {
    match problem.law(a) {
        Law::Coulomb { mu } => *mu,
        Law::Frictionless => 0.0,
        other => panic!("unexpected law {other:?}"),
    }
}

/// W as upper triangle in compressed columns (W is symmetric: its rows are its columns).
fn upper(problem: &Problem) -> CscMatrix<f64> {
    let w = problem.matrix();
    let n = problem.num_rows();
    let (mut ptr, mut row, mut val) = (vec![0], Vec::new(), Vec::new());
    for a in 0..problem.num_contacts() {
        for (i, column) in problem.rows(a).enumerate() {
            for (b, block) in w.row(a) {
                let width = problem.dim(b);
                for (j, r) in problem.rows(b).enumerate() {
                    if r <= column {
                        row.push(r);
                        val.push(block[i * width + j]);
                    }
                }
            }
            ptr.push(row.len());
        }
    }
    CscMatrix::new(n, n, ptr, row, val)
}

/// min ½ rᵀ W r + (b + s)ᵀ r over the cones, by the conic solver. `shift` is s, one per contact,
/// added to the normal rows. Returns r and the duality gap, an energy.
fn referee(problem: &Problem, shift: &[f64]) -> (Vec<f64>, f64) {
    let n = problem.num_rows();
    let mut q = problem.free_velocity().to_vec();
    // (mu r_n, r_t) in the second-order cone: slack = P r, A = −P.
    let mut diagonal = vec![-1.0; n];
    let mut cones = Vec::new();
    for a in 0..problem.num_contacts() {
        let first = problem.rows(a).start;
        q[first] += shift[a];
        let mu = friction(problem, a);
        if problem.dim(a) == 1 {
            cones.push(SupportedConeT::NonnegativeConeT(1));
        } else {
            diagonal[first] = -mu;
            cones.push(SupportedConeT::SecondOrderConeT(problem.dim(a)));
        }
    }
    let a = CscMatrix::new(n, n, (0..=n).collect(), (0..n).collect(), diagonal);
    let settings: DefaultSettings<f64> = DefaultSettingsBuilder::default()
        .verbose(false)
        .tol_gap_abs(1e-12)
        .tol_gap_rel(1e-12)
        .tol_feas(1e-12)
        .build()
        .unwrap();
    let mut solver =
        DefaultSolver::new(&upper(problem), &q, &a, &vec![0.0; n], &cones, settings).unwrap();
    solver.solve();
    let status = solver.solution.status;
    assert!(
        matches!(status, SolverStatus::Solved | SolverStatus::AlmostSolved),
        "{status:?}"
    );
    let gap = (solver.solution.obj_val - solver.solution.obj_val_dual).abs();
    (solver.solution.x.clone(), gap)
}

#[test]
fn frictionless_impacts_are_the_quadratic_programme() {
    for seed in 0..100 {
        let linkage = RandomContacts {
            bodies: 2 + seed as usize % 4,
            contacts: 3 + seed as usize % 7,
            friction: 0.0,
            seed,
            ..RandomContacts::default()
        };
        let problem = linkage.problem().unwrap();
        let (r, report) = solve_cold(&mut Auto::default(), &problem, &Goal::with_tolerance(1e-12));
        assert!(report.reached(), "seed {seed}: {report:?}");
        assert_same_motion(
            &format!("seed {seed}"),
            &problem,
            &r,
            &vec![0.0; problem.num_contacts()],
        );
    }
}

/// The convex function J(r) = ½ rᵀ W r + (b + s)ᵀ r exceeds its least value by at least ½‖v̂ − v̂*‖²,
/// so each answer is as near to the one velocity of the minimum as the root of twice its own gap:
/// the referee's by its report, ours by r·(u + s) (primal minus dual value of a feasible pair).
fn assert_same_motion(name: &str, problem: &Problem, r: &[f64], shift: &[f64]) {
    let (other, gap) = referee(problem, shift);
    let u = velocity(problem, r);
    let mut own = 0.0;
    for a in 0..problem.num_contacts() {
        let rows = problem.rows(a);
        own += r[rows.start] * shift[a] + dot(&r[rows.clone()], &u[rows]);
    }
    let (here, there) = (end(problem, r), end(problem, &other));
    let distance: Vec<f64> = here.iter().zip(&there).map(|(x, y)| x - y).collect();
    let size = norm(kinetic(problem).free());
    // The last term is for feasibility, which both keep to some 1e-10 of the free velocity only.
    let bound = (2.0 * gap).sqrt() + (2.0 * own.abs()).sqrt() + 1e-7 * size;
    assert!(
        norm(&distance) <= bound,
        "{name}: {:e} {bound:e}",
        norm(&distance)
    );
    // A bound that says something: five per cent of the motion for a packing with a residual of 1e-6, far less for the
    // others.
    assert!(bound <= 5e-2 * size, "{name}: {bound:e} {size:e}");
}

/// At a Coulomb solution, the problem with De Saxcé's shift frozen at s = mu |u_t| is a convex one
/// with the same solution; its velocity is unique.
fn frozen_shift_agrees(name: &str, problem: &Problem, tolerance: f64) {
    let (r, report) = solve_cold(
        &mut Auto::default(),
        problem,
        &Goal::with_tolerance(tolerance),
    );
    assert!(report.reached(), "{name}: {report:?}");
    let u = velocity(problem, &r);
    let shift: Vec<f64> = (0..problem.num_contacts())
        .map(|a| problem.law(a).shift(&u[problem.rows(a)]))
        .collect();
    assert_same_motion(name, problem, &r, &shift);
}

#[test]
fn coulomb_solutions_solve_the_convex_problem_with_their_shift() {
    let sliding = Tower {
        push: 0.8,
        ..Tower::of(4)
    };
    frozen_shift_agrees("tower", &Tower::of(5).problem().unwrap(), 1e-10);
    frozen_shift_agrees("sliding tower", &sliding.problem().unwrap(), 1e-10);
    let wall = Wall {
        courses: 6,
        bricks: 4,
        lateral: 0.7,
        ..Wall::default()
    };
    frozen_shift_agrees("wall", &wall.problem().unwrap(), 1e-10);
    let pyramid = Pyramid {
        layers: 3,
        friction: 0.2,
        ..Pyramid::default()
    };
    frozen_shift_agrees("spreading pyramid", &pyramid.problem().unwrap(), 1e-10);
    let table = Table {
        push: [0.7, 0.2],
        ..Table::default()
    };
    frozen_shift_agrees("sliding table", &table.problem().unwrap(), 1e-10);
    // A jammed packing: 1e-10 is hard to reach, and not needed: the bound follows the residual.
    frozen_shift_agrees("tilted packing", &settled().at_rest(0.6).unwrap(), 1e-6);
    for seed in 0..20 {
        let linkage = RandomContacts {
            contacts: 6,
            bodies: 4,
            seed,
            ..RandomContacts::default()
        };
        frozen_shift_agrees("linkage", &linkage.problem().unwrap(), 1e-10);
    }
}

/// Dense solve by elimination with pivoting; `None` when singular.
fn eliminate(mut m: Vec<f64>, mut x: Vec<f64>) -> Option<Vec<f64>> {
    let n = x.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| m[i * n + k].abs().total_cmp(&m[j * n + k].abs()))?;
        if m[pivot * n + k].abs() < 1e-11 {
            return None;
        }
        for j in 0..n {
            m.swap(k * n + j, pivot * n + j);
        }
        x.swap(k, pivot);
        for i in 0..n {
            if i != k {
                let factor = m[i * n + k] / m[k * n + k];
                for j in k..n {
                    m[i * n + j] -= factor * m[k * n + j];
                }
                x[i] -= factor * x[k];
            }
        }
    }
    Some((0..n).map(|k| x[k] / m[k * n + k]).collect())
}

/// W as a dense matrix, two rows for each contact.
fn dense(problem: &Problem) -> Vec<f64> {
    let rows = problem.num_rows();
    let mut w = vec![0.0; rows * rows];
    let matrix = problem.matrix();
    for a in 0..problem.num_contacts() {
        for (b, block) in matrix.row(a) {
            for k in 0..4 {
                w[(2 * a + k / 2) * rows + 2 * b + k % 2] = block[k];
            }
        }
    }
    w
}

/// The impulses of given statuses (0 open, 1 stick, 2 slide towards +t, 3 towards −t).
fn impulses(problem: &Problem, w: &[f64], status: &[usize]) -> Option<Vec<f64>> {
    let rows = problem.num_rows();
    // u_n = 0 and u_t = 0 unless the status says otherwise.
    let mut m = w.to_vec();
    let mut x: Vec<f64> = problem.free_velocity().iter().map(|b| -b).collect();
    for (a, status) in status.iter().enumerate() {
        let mu = friction(problem, a);
        let (normal, tangent) = (2 * a, 2 * a + 1);
        let mut replace = |row: usize, by_normal: f64, by_tangent: f64| {
            m[row * rows..(row + 1) * rows].fill(0.0);
            m[row * rows + normal] = by_normal;
            m[row * rows + tangent] = by_tangent;
            x[row] = 0.0;
        };
        match status {
            0 => {
                replace(normal, 1.0, 0.0);
                replace(tangent, 0.0, 1.0);
            }
            1 => {}
            2 => replace(tangent, mu, 1.0),
            _ => replace(tangent, -mu, 1.0),
        }
    }
    eliminate(m, x)
}

/// The velocities of all solutions of a small planar problem: every combination of statuses, solved
/// as a linear system in r and kept if it satisfies the inequalities.
fn enumerate(problem: &Problem) -> Vec<Vec<f64>> {
    let n = problem.num_contacts();
    let w = dense(problem);
    let mut found = Vec::new();
    for code in 0..4_usize.pow(n as u32) {
        let status: Vec<usize> = (0..n as u32).map(|a| code / 4_usize.pow(a) % 4).collect();
        let Some(r) = impulses(problem, &w, &status) else {
            continue;
        };
        let u = velocity(problem, &r);
        // Inequalities up to the rounding of a dense solve with pivots down to 1e-11.
        let small = 1e-9;
        let holds = (0..n).all(|a| {
            let bound = friction(problem, a) * r[2 * a] + small;
            let pushes = r[2 * a] >= -small;
            match status[a] {
                0 => u[2 * a] >= -small,
                1 => pushes && r[2 * a + 1].abs() <= bound,
                2 => pushes && u[2 * a + 1] >= -small,
                _ => pushes && u[2 * a + 1] <= small,
            }
        });
        if holds {
            found.push(u);
        }
    }
    found
}

#[test]
fn planar_problems_have_the_velocity_that_enumeration_finds() {
    let (mut unique, mut several) = (0, 0);
    for seed in 0..300 {
        let linkage = RandomContacts {
            bodies: 2 + seed as usize % 3,
            contacts: 2 + seed as usize % 3,
            friction: 0.6,
            seed,
            ..RandomContacts::default()
        };
        let problem = linkage.problem().unwrap();
        let all = enumerate(&problem);
        assert!(
            !all.is_empty(),
            "seed {seed}: Coulomb's problem has a solution"
        );
        let (r, report) = solve_cold(&mut Auto::default(), &problem, &Goal::with_tolerance(1e-12));
        assert!(report.reached(), "seed {seed}: {report:?}");
        let u = velocity(&problem, &r);
        let nearest = all
            .iter()
            .map(|v| apart(&problem, &u, v))
            .fold(f64::INFINITY, f64::min);
        // Residual 1e-12 times the condition of W, some 1e4 for a short lever; degenerate
        // statuses (r = u = 0) take its root.
        assert!(nearest <= 1e-6, "seed {seed}: {nearest:e}");
        let spread = all
            .iter()
            .map(|v| apart(&problem, &all[0], v))
            .fold(0.0, f64::max);
        if spread <= 1e-6 {
            unique += 1;
        } else {
            several += 1;
        }
    }
    // Where friction is moderate nearly all problems have one velocity; the test would say little
    // otherwise.
    assert!(unique > 10 * several, "{unique} {several}");
}
