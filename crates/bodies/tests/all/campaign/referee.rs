//! Independent solution of the velocities of a step: a conic program with De Saxcé's shifts.
//!
//! ```text
//! v̂(s) = argmin ½‖v̂ − v̂_free‖²   with   Ĝ_α v̂ + given_α + s_α n ∈ K*_α,   bilateral rows = 0,   s_α = μ_α ‖u_t,α‖
//! ```
//!
//! Velocities solve a step if and only if they are the solution of this program with their own shifts. It is solved by
//! the crate `clarabel`, which shares nothing with the solvers.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettingsBuilder, DefaultSolver, IPSolver, SolverStatus, SupportedConeT,
};
use percuss_contact::{DelassusOperator, FactoredDelassus, Law, Problem};

/// Distance of velocities from the referee's, in kinetic coordinates.
pub struct Distance {
    pub distance: f64,
    /// Accuracy of the referee itself.
    pub accuracy: f64,
    /// Whether that is good enough for a verdict.
    pub decides: bool,
}

/// Relative accuracy of the velocities: a program that is not solved to this gives no verdict.
const DECIDES: f64 = 1e-5;

#[derive(Default)]
pub struct Referee {
    shift: Vec<f64>,
}

impl Referee {
    /// Distance of the velocities of `r`; `None` where the program is not solved or a law is not supported here.
    pub fn distance(&mut self, problem: &Problem, r: &[f64]) -> Option<Distance> {
        let DelassusOperator::Factored(kinetic) = problem.operator() else {
            return None;
        };
        let mut own = vec![0.0; kinetic.num_coordinates()];
        kinetic.velocity_into(r, &mut own);
        let scale = norm(&own).max(norm(kinetic.free())).max(f64::MIN_POSITIVE);
        self.shifts(problem, kinetic, &own)?;
        let (found, gap) = self.project(problem, kinetic, scale)?;
        Some(Distance {
            distance: apart(&own, &found),
            // ½‖v̂ − v̂*‖² is at most the gap: one of 1e-13, asked for, is 4e-7 of the velocities.
            accuracy: scale * f64::max(2e-6, (2.0 * gap).sqrt()),
            decides: (2.0 * gap).sqrt() <= DECIDES,
        })
    }

    /// s = μ‖u_t‖ of every contact.
    fn shifts(&mut self, problem: &Problem, kinetic: &FactoredDelassus, v: &[f64]) -> Option<()> {
        self.shift.clear();
        for a in 0..problem.num_contacts() {
            let rows = problem.rows(a);
            let mut u: Vec<f64> = rows.clone().map(|row| kinetic.affine_term(row)).collect();
            kinetic.add_gather(a, v, &mut u);
            self.shift.push(match problem.law(a) {
                Law::Coulomb { mu } => mu * norm(&u[1..]),
                Law::Frictionless | Law::Bilateral => 0.0,
                _ => return None,
            });
        }
        Some(())
    }

    /// The velocities, and the duality gap of the program with its residuals, in units of `scale`².
    fn project(
        &self,
        problem: &Problem,
        kinetic: &FactoredDelassus,
        scale: f64,
    ) -> Option<(Vec<f64>, f64)> {
        let n = kinetic.num_coordinates();
        let mut rows: Vec<(Vec<(usize, f64)>, f64)> = Vec::new();
        let mut cones = Vec::new();
        // Equations first, then one cone for each contact; −A x + s = b, s in the cone.
        for equations in [true, false] {
            for a in 0..problem.num_contacts() {
                let law = problem.law(a);
                if (*law == Law::Bilateral) != equations {
                    continue;
                }
                let own = lines(problem, kinetic, a);
                let mu = match law {
                    Law::Coulomb { mu } => *mu,
                    _ => 0.0,
                };
                match law {
                    Law::Bilateral => {
                        cones.push(SupportedConeT::ZeroConeT(own.len()));
                        rows.extend(own);
                    }
                    _ => {
                        let mut own = own.into_iter();
                        let (entries, given) = own.next()?;
                        // K*: u_n ≥ μ‖u_t‖, with the larger of the two as it is.
                        let (by, tangential) = if mu > 1.0 { (1.0 / mu, 1.0) } else { (1.0, mu) };
                        let normal = entries.iter().map(|(k, g)| (*k, by * g)).collect();
                        rows.push((normal, by * (given + self.shift[a])));
                        if mu > 0.0 {
                            let count = own.len();
                            for (entries, given) in own {
                                let entries =
                                    entries.iter().map(|(k, g)| (*k, tangential * g)).collect();
                                rows.push((entries, tangential * given));
                            }
                            cones.push(SupportedConeT::SecondOrderConeT(1 + count));
                        } else {
                            cones.push(SupportedConeT::NonnegativeConeT(1));
                        }
                    }
                }
            }
        }
        let mut columns: Vec<Vec<(usize, f64)>> = vec![Vec::new(); n];
        for (row, (entries, _)) in rows.iter().enumerate() {
            for (k, g) in entries {
                columns[*k].push((row, -g));
            }
        }
        let (mut start, mut index, mut values) = (vec![0], Vec::new(), Vec::new());
        for column in &columns {
            index.extend(column.iter().map(|(row, _)| *row));
            values.extend(column.iter().map(|(_, g)| *g));
            start.push(index.len());
        }
        let matrix = CscMatrix::new(rows.len(), n, start, index, values);
        let right: Vec<f64> = rows.iter().map(|(_, given)| given / scale).collect();
        let q: Vec<f64> = kinetic.free().iter().map(|v| -v / scale).collect();
        let settings = DefaultSettingsBuilder::default()
            .verbose(false)
            .max_threads(1)
            .tol_gap_abs(1e-13)
            .tol_gap_rel(1e-13)
            .tol_feas(1e-12)
            .presolve_enable(false)
            .build()
            .ok()?;
        let identity = CscMatrix::identity(n);
        let mut solver =
            DefaultSolver::new(&identity, &q, &matrix, &right, &cones, settings).ok()?;
        solver.solve();
        let fine = matches!(
            solver.solution.status,
            SolverStatus::Solved | SolverStatus::AlmostSolved
        );
        let found = &solver.solution;
        // Weak duality with residuals: ½‖x − x*‖² ≤ gap + ‖z‖ ‖s − Gx − b‖. Large multipliers, as of heavy bodies on
        // light ones, enlarge what the program leaves of its constraints.
        let left = unmet(&rows, &right, &found.s, &found.x);
        let gap = (found.obj_val - found.obj_val_dual).abs() + norm(&found.z) * left;
        fine.then(|| (found.x.iter().map(|x| x * scale).collect(), gap))
    }
}

/// ‖s − Gx − b‖.
fn unmet(rows: &[(Vec<(usize, f64)>, f64)], b: &[f64], s: &[f64], x: &[f64]) -> f64 {
    let each = rows.iter().zip(b).zip(s).map(|(((entries, _), b), s)| {
        let along: f64 = entries.iter().map(|(k, g)| g * x[*k]).sum();
        s - along - b
    });
    each.map(|left| left * left).sum::<f64>().sqrt()
}

/// The rows of a contact by coordinate, with what is given.
fn lines(problem: &Problem, kinetic: &FactoredDelassus, a: usize) -> Vec<(Vec<(usize, f64)>, f64)> {
    let rows = problem.rows(a);
    let d = rows.len();
    let mut list: Vec<(Vec<(usize, f64)>, f64)> = rows
        .map(|row| (Vec::new(), kinetic.affine_term(row)))
        .collect();
    for (first, block) in kinetic.dense_blocks(a) {
        let width = block.len() / d;
        for (i, (entries, _)) in list.iter_mut().enumerate() {
            let own = &block[i * width..(i + 1) * width];
            entries.extend(own.iter().enumerate().map(|(k, g)| (first + k, *g)));
        }
    }
    list
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}
