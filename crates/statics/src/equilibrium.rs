//! Equilibrium of an assembly under a load.
//!
//! ```text
//! min s      |Gᵀ S + f| ≤ s by coordinate,   S ∈ K
//! max f·v    Σ|v| ≤ 1,   G v ∈ K*
//! ```
//!
//! The primal is always feasible (S = 0) and the smallest s is continuous in the load, so that the program has
//! an answer at the limit of stability, too. Equilibrium holds if s = 0; otherwise the dual is a mechanism that gains
//! energy.

use crate::assembly::ContactAssembly;
use crate::conic_program::ConicProgram;
use crate::error::{StaticsError, finite, sized};
use crate::limit_load::{BalanceProgram, cones, expand, largest};

/// s below this share of the largest load is rounding: the solver's tolerance is 1e-11.
const COUNTS: f64 = 1e-8;

/// Result of an equilibrium check, with its proof.
#[derive(Debug, Clone, PartialEq)]
pub struct EquilibriumReport {
    /// Whether some admissible S balances the load.
    pub stands: bool,
    /// That S.
    pub impulse: Vec<f64>,
    /// A mechanism that gains energy, if there is no equilibrium; its largest velocity is 1.
    pub mechanism: Vec<f64>,
    /// |Gᵀ S + f|, relative to the largest load.
    pub balance: f64,
    /// Cone violation of S, relative to the largest load.
    pub cone: f64,
    /// Power of the load on the mechanism, relative to the largest load.
    pub power: f64,
    /// Residual of G v ∈ K*, relative to the largest relative velocity.
    pub kinematic: f64,
}

/// Whether the assembly is in equilibrium under a load.
///
/// # Errors
/// A load of the wrong length or not finite, a law without a convex cone, a solver failure.
pub fn check_equilibrium(
    system: &ContactAssembly,
    dead: &[f64],
) -> Result<EquilibriumReport, StaticsError> {
    sized("the load", dead.len(), system.num_coordinates())?;
    finite(|| "the load".into(), dead)?;
    let domains = cones(system)?;
    let unit = largest(dead);
    // min s.
    let frame = BalanceProgram::new(system, &domains, &[dead]);
    let rows = frame.program.b.len();
    let program = slack_program(&frame, unit);
    let slack = program.columns - 1;
    let mut q = vec![0.0; program.columns];
    q[slack] = 1.0;
    let answer = program.solve(&q, "looking for equilibrium")?;
    // The residuals of S, recomputed.
    let impulse = expand(system, &domains, &frame.columns, &answer.x, unit);
    let left = system.scatter(&impulse);
    let balance = left
        .iter()
        .zip(dead)
        .fold(0.0_f64, |m, (g, f)| m.max((g + f).abs()))
        / unit;
    let cone = frame.program.cone_violation(&answer.x);
    let stands = balance.max(cone) <= COUNTS;
    // Mechanism: difference of the multipliers of the two inequalities of each coordinate.
    let y: Vec<f64> = (0..rows)
        .map(|row| answer.z[rows + row] - answer.z[row])
        .collect();
    let fastest = largest(&y);
    let mechanism: Vec<f64> = frame
        .numbering
        .by_coordinate(&y)
        .iter()
        .map(|v| if stands { 0.0 } else { v / fastest })
        .collect();
    let rest = program.dual_residual(&q, &answer.y, &answer.z);
    let rest = rest[..slack].iter().fold(0.0_f64, |m, r| m.max(r.abs())) / fastest;
    let power: f64 = mechanism.iter().zip(dead).map(|(v, f)| v * f / unit).sum();
    let fast = largest(&system.gather(&mechanism));
    Ok(EquilibriumReport {
        stands,
        impulse,
        mechanism,
        balance,
        cone,
        power,
        kinematic: if stands { 0.0 } else { rest / fast },
    })
}

/// |E x + f| ≤ s by row: first s + (E x + f) ≥ 0, then s − (E x + f) ≥ 0; s is the last column.
fn slack_program(frame: &BalanceProgram, unit: f64) -> ConicProgram {
    let mut program = frame.program.clone();
    let mut lines: Vec<Vec<(usize, f64)>> = vec![Vec::new(); program.b.len()];
    // Equations by row.
    for (row, column, value) in program.equal.drain(..) {
        lines[row].push((column, value));
    }
    program.b.clear();
    let slack = program.columns;
    program.columns += 1;
    let own = std::mem::take(&mut program.positive);
    // Two inequalities per coordinate, before the cones of the contacts.
    for sign in [1.0, -1.0] {
        for (line, f) in lines.iter().zip(&frame.loads[0]) {
            let mut entries: Vec<(usize, f64)> = line
                .iter()
                .map(|(column, value)| (*column, sign * value))
                .collect();
            entries.push((slack, 1.0));
            program.positive.push((entries, sign * f / unit));
        }
    }
    program.positive.extend(own);
    program
}
