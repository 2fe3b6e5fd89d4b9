//! Limit load of a contact assembly (plastic limit analysis with associated sliding).
//!
//! ```text
//! max λ      Gᵀ S + f₀ + λ f₁ = 0,   S ∈ K                       static theorem: a lower bound
//! min −f₀·v  f₁·v = 1,   G v ∈ K*                                kinematic theorem: an upper bound
//! ```
//!
//! The two programs are dual: an S proves that the load is carried, a mechanism v that no larger one is, since
//! 0 = v·(Gᵀ S + f₀ + λ f₁) = G v·S + f₀·v + λ with G v·S ≥ 0. Both are checked here. The sliding of
//! such a mechanism dilates, u_n = μ|u_t| (G v ∈ K*, normality); Coulomb's does not, see `nonassociated`.
//! Where a mechanism only opens joints about hinges, the two agree.
//!
//! The bound of λ accounts for the solver's residual of G v ∈ K*, for all S whose sum is up to [`AMPLE`] times
//! that of the one found.

use std::ops::Range;

use crate::assembly::ContactAssembly;
use crate::conic_program::{ConicProgram, ConicSolution, SolutionBound, SolveStatus};
use crate::error::{StaticsError, finite, sized};
use crate::impulse_domain::{Face, ImpulseDomain};
use crate::interval_ends::add_balance_equations;

/// The bound of a multiplier holds for S up to this many times the one found.
const AMPLE: f64 = 2.0;

/// Contact velocities (and impulses) below this share of the largest are rounding.
const STILL: f64 = 1e-5;

/// Given loads by coordinate.
#[derive(Debug, Clone, Copy)]
pub struct Loads<'a> {
    /// Dead load f₀, constant.
    pub dead: &'a [f64],
    /// Live load f₁, which is multiplied by λ.
    pub live: &'a [f64],
}

/// Direction of the optimisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// The largest λ.
    Greatest,
    /// The smallest λ: the live load in the opposite sense.
    Least,
}

impl Sense {
    /// +1 or −1.
    pub(crate) fn sign(self) -> f64 {
        match self {
            Self::Greatest => 1.0,
            Self::Least => -1.0,
        }
    }
}

/// Outcome of a limit analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitStatus {
    /// A largest (smallest) multiplier exists.
    Bounded,
    /// The multiplier is unbounded: an S balances the live load by itself.
    Unbounded,
    /// No multiplier allows equilibrium.
    Infeasible,
}

/// A limit load with its static and kinematic proofs.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitLoad {
    /// Outcome.
    pub status: LimitStatus,
    /// The multiplier that `impulse` carries; infinite if unbounded, NaN if there is none.
    pub multiplier: f64,
    /// Upper bound (lower for the smallest λ) proven by `mechanism`.
    pub bound: f64,
    /// S; if unbounded, the S that balances the live load alone.
    pub impulse: Vec<f64>,
    /// The collapse mechanism, live·v = 1 (−1 for the smallest); if infeasible, a mechanism on which
    /// the dead load does positive work and the live load none.
    pub mechanism: Vec<f64>,
    /// |Gᵀ S + f₀ + λ f₁|, relative to the largest load.
    pub balance: f64,
    /// Cone violation of S, relative to the largest load.
    pub cone: f64,
    /// Residual of G v ∈ K*, relative to the largest relative velocity.
    pub kinematic: f64,
    /// Largest sliding velocity at a contact with an impulse, relative to the largest relative
    /// velocity; 0 where the mechanism only opens joints.
    pub sliding: f64,
}

impl LimitLoad {
    /// Distance between the multiplier and its bound.
    pub fn gap(&self) -> f64 {
        match self.status {
            LimitStatus::Bounded => (self.bound - self.multiplier).abs(),
            _ => 0.0,
        }
    }
}

/// The largest (smallest) multiplier of the live load.
///
/// # Errors
/// Loads of the wrong length or not finite, a law without a convex cone, a solver failure.
pub fn limit_load(
    system: &ContactAssembly,
    loads: Loads<'_>,
    sense: Sense,
) -> Result<LimitLoad, StaticsError> {
    LimitProgram::new(system, loads, sense)?.solve()
}

/// The opposite direction.
impl std::ops::Not for Sense {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::Greatest => Self::Least,
            Self::Least => Self::Greatest,
        }
    }
}

/// The domains of all contacts, each at rest: its whole cone.
pub(crate) fn cones(system: &ContactAssembly) -> Result<Vec<ImpulseDomain>, StaticsError> {
    (0..system.num_contacts())
        .map(|contact| {
            let rows = system.rows(contact).len();
            ImpulseDomain::new(contact, system.law(contact), rows, &Face::Stick)
        })
        .collect()
}

/// Largest absolute value; 1 where all are 0.
pub(crate) fn largest(values: &[f64]) -> f64 {
    let most = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if most > 0.0 { most } else { 1.0 }
}

/// S by row from the unknowns x, multiplied by `unit`.
pub(crate) fn expand(
    system: &ContactAssembly,
    domains: &[ImpulseDomain],
    columns: &[Range<usize>],
    x: &[f64],
    unit: f64,
) -> Vec<f64> {
    let mut impulse = vec![0.0; system.num_rows()];
    for (contact, columns) in columns.iter().enumerate() {
        let rows = &mut impulse[system.rows(contact)];
        domains[contact].expand(&x[columns.clone()], rows);
        rows.iter_mut().for_each(|s| *s *= unit);
    }
    impulse
}

/// Row of the program of each coordinate.
pub(crate) struct Numbering(Vec<usize>);

impl Numbering {
    /// Reorders values by row into values by coordinate.
    pub fn by_coordinate(&self, rows: &[f64]) -> Vec<f64> {
        self.0
            .iter()
            .map(|row| rows.get(*row).copied().unwrap_or(0.0))
            .collect()
    }
}

/// The balance equations Gᵀ B x of all coordinates, with the loads in the same order.
pub(crate) struct BalanceProgram {
    pub program: ConicProgram,
    pub columns: Vec<Range<usize>>,
    pub numbering: Numbering,
    /// The loads by row of the program.
    pub loads: Vec<Vec<f64>>,
}

impl BalanceProgram {
    /// Columns and cones of all contacts, balance equations of all coordinates.
    pub fn new(system: &ContactAssembly, domains: &[ImpulseDomain], loads: &[&[f64]]) -> Self {
        let mut program = ConicProgram::default();
        let columns: Vec<Range<usize>> = domains
            .iter()
            .map(|domain| program.domain(domain)..program.columns)
            .collect();
        let all: Vec<usize> = (0..domains.len()).collect();
        let order = add_balance_equations(system, domains, &all, &columns, &mut program);
        // Coordinates without any contact have equations too: nothing can balance their load.
        let mut rows = order;
        for row in rows.iter_mut().filter(|row| **row == usize::MAX) {
            *row = program.b.len();
            program.b.push(0.0);
        }
        let by_row = |load: &&[f64]| {
            let mut out = vec![0.0; program.b.len()];
            for (row, f) in rows.iter().zip(load.iter()) {
                out[*row] = *f;
            }
            out
        };
        let loads = loads.iter().map(by_row).collect();
        Self {
            program,
            columns,
            numbering: Numbering(rows),
            loads,
        }
    }
}

/// The conic program of a multiplier, scaled by the loads.
pub(crate) struct LimitProgram<'a> {
    system: &'a ContactAssembly,
    loads: Loads<'a>,
    sense: Sense,
    domains: Vec<ImpulseDomain>,
    /// Largest dead load; S and λ f₁ are scaled by it.
    pub(crate) unit: f64,
    /// λ = multiple · x of its column.
    multiple: f64,
}

impl<'a> LimitProgram<'a> {
    /// Checks the loads and computes the scales.
    pub(crate) fn new(
        system: &'a ContactAssembly,
        loads: Loads<'a>,
        sense: Sense,
    ) -> Result<Self, StaticsError> {
        for (what, load) in [("the dead load", loads.dead), ("the live load", loads.live)] {
            sized(what, load.len(), system.num_coordinates())?;
            finite(|| what.into(), load)?;
        }
        let unit = largest(loads.dead);
        Ok(Self {
            system,
            domains: cones(system)?,
            loads,
            sense,
            unit,
            multiple: unit / largest(loads.live),
        })
    }

    /// Solves with the cones of the contact laws.
    fn solve(&self) -> Result<LimitLoad, StaticsError> {
        self.solve_in(&self.domains)
    }

    /// The domains of the contact laws.
    pub(crate) fn domains(&self) -> &[ImpulseDomain] {
        &self.domains
    }

    /// Solves with other domains.
    pub(crate) fn solve_in(&self, domains: &[ImpulseDomain]) -> Result<LimitLoad, StaticsError> {
        let sign = self.sense.sign();
        let mut frame =
            BalanceProgram::new(self.system, domains, &[self.loads.dead, self.loads.live]);
        // One more column for λ: E x + λ f₁ = −f₀.
        let program = &mut frame.program;
        let lambda = program.columns;
        program.columns += 1;
        for (row, (f0, f1)) in frame.loads[0].iter().zip(&frame.loads[1]).enumerate() {
            program.b[row] = -f0 / self.unit;
            if *f1 != 0.0 {
                // One unit of the column is a load as large as the dead load.
                program
                    .equal
                    .push((row, lambda, f1 * self.multiple / self.unit));
            }
        }
        // Objective ∓λ.
        let mut q = vec![0.0; program.columns];
        q[lambda] = -sign;
        let answer = program.solve(&q, "looking for the limit load")?;
        match answer.end {
            SolveStatus::Solved => Ok(self.bounded(&frame, domains, &q, answer)),
            SolveStatus::Unbounded => Ok(self.unbounded(&frame, domains, &answer)),
            SolveStatus::Infeasible => Ok(self.nowhere(&frame, &answer)),
        }
    }

    /// A finite multiplier: S, mechanism, and the bound from the dual.
    fn bounded(
        &self,
        frame: &BalanceProgram,
        domains: &[ImpulseDomain],
        q: &[f64],
        answer: ConicSolution,
    ) -> LimitLoad {
        let program = &frame.program;
        let lambda = program.columns - 1;
        // Scale the dual so that the live load does exactly one unit of work on the mechanism: λ then
        // drops out of the residual.
        let zero = vec![0.0; program.columns];
        let work = program.dual_residual(&zero, &answer.y, &answer.z)[lambda];
        let scale = if work * q[lambda] < 0.0 {
            -q[lambda] / work
        } else {
            1.0
        };
        let dual = ConicSolution {
            y: answer.y.iter().map(|y| y * scale).collect(),
            z: answer.z.iter().map(|z| z * scale).collect(),
            ..answer
        };
        // The bound, for impulses up to AMPLE times the sum found.
        let normals = frame.columns.iter().filter(|columns| !columns.is_empty());
        let total: f64 = normals.map(|columns| dual.x[columns.start].abs()).sum();
        let reach = SolutionBound::new(&frame.columns, domains.iter(), AMPLE * total.max(1.0));
        let bound = program.bound(q, &dual, &reach);
        // Mechanism, its residual, and the impulses.
        let sign = self.sense.sign();
        let mechanism = frame.numbering.by_coordinate(&dual.y);
        let rest = program.dual_residual(q, &dual.y, &dual.z);
        let impulse = expand(self.system, domains, &frame.columns, &dual.x, self.unit);
        let u = self.system.gather(&mechanism);
        let fast = largest(&u);
        LimitLoad {
            status: LimitStatus::Bounded,
            multiplier: dual.x[lambda] * self.multiple,
            bound: -sign * bound * self.multiple,
            sliding: self.sliding(&u, &impulse),
            // Scaled so that live·v = 1.
            mechanism: mechanism
                .iter()
                .map(|v| v * self.multiple / self.unit)
                .collect(),
            balance: program.balance_residual(&dual.x),
            cone: program.cone_violation(&dual.x),
            kinematic: rest[..lambda].iter().fold(0.0_f64, |m, r| m.max(r.abs())) / fast,
            impulse,
        }
    }

    /// Unbounded multiplier: the ray balances the live load alone.
    fn unbounded(
        &self,
        frame: &BalanceProgram,
        domains: &[ImpulseDomain],
        answer: &ConicSolution,
    ) -> LimitLoad {
        let lambda = frame.program.columns - 1;
        // The homogeneous program, in which the ray is checked.
        let mut ray = frame.program.clone();
        ray.b.iter_mut().for_each(|b| *b = 0.0);
        for line in ray
            .positive
            .iter_mut()
            .chain(ray.discs.iter_mut().flatten())
        {
            line.1 = 0.0;
        }
        let over = 1.0 / answer.x[lambda].abs().max(f64::MIN_POSITIVE);
        let x: Vec<f64> = answer.x.iter().map(|x| x * over).collect();
        LimitLoad {
            status: LimitStatus::Unbounded,
            multiplier: self.sense.sign() * f64::INFINITY,
            bound: self.sense.sign() * f64::INFINITY,
            impulse: expand(
                self.system,
                domains,
                &frame.columns,
                &x,
                self.unit / self.multiple,
            ),
            mechanism: vec![0.0; self.loads.dead.len()],
            balance: ray.balance_residual(&x),
            cone: ray.cone_violation(&x),
            kinematic: 0.0,
            sliding: 0.0,
        }
    }

    /// No equilibrium: a Farkas certificate, read as a mechanism.
    fn nowhere(&self, frame: &BalanceProgram, answer: &ConicSolution) -> LimitLoad {
        // Normalised to a largest velocity of 1.
        let fastest = largest(&answer.y);
        let y: Vec<f64> = answer.y.iter().map(|y| y / fastest).collect();
        let z: Vec<f64> = answer.z.iter().map(|z| z / fastest).collect();
        let zero = vec![0.0; frame.program.columns];
        let rest = frame.program.dual_residual(&zero, &y, &z);
        let mechanism = frame.numbering.by_coordinate(&y);
        let fast = largest(&self.system.gather(&mechanism));
        LimitLoad {
            status: LimitStatus::Infeasible,
            multiplier: f64::NAN,
            bound: f64::NAN,
            impulse: vec![0.0; self.system.num_rows()],
            mechanism,
            balance: 0.0,
            cone: 0.0,
            kinematic: rest.iter().fold(0.0_f64, |m, r| m.max(r.abs())) / fast,
            sliding: 0.0,
        }
    }

    /// Largest sliding velocity of a loaded contact, relative to the fastest contact.
    fn sliding(&self, u: &[f64], impulse: &[f64]) -> f64 {
        let (fast, most) = (largest(u), largest(impulse));
        let mut sliding = 0.0_f64;
        for contact in 0..self.system.num_contacts() {
            let rows = self.system.rows(contact);
            // Unloaded contacts and joints do not count.
            if !self.system.law(contact).normal() || impulse[rows.start] < STILL * most {
                continue;
            }
            let tangential = u[rows].iter().skip(1).map(|v| v * v).sum::<f64>().sqrt();
            sliding = sliding.max(tangential / fast);
        }
        if sliding > STILL { sliding } else { 0.0 }
    }
}
