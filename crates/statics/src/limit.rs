//! The largest load that an assembly can carry.
//!
//! ```text
//! max λ      Gᵀ S + f₀ + λ f₁ = 0,   S ∈ K                       static theorem: a lower bound
//! min −f₀·v  f₁·v = 1,   G v ∈ K*                                kinematic theorem: an upper bound
//! ```
//!
//! The two are dual: an S proves that the load is carried, a mechanism v that more is not, since
//! 0 = v·(Gᵀ S + f₀ + λ f₁) = G v·S + f₀·v + λ with G v·S ≥ 0. Both are measured here. The sliding of
//! such a mechanism dilates, u_n = μ|u_t| (G v ∈ K*, normality); Coulomb's does not, see `coulomb`.
//! Where a mechanism only opens joints about hinges, the two agree.
//!
//! The bound of λ allows for what the solver left of G v ∈ K* among S up to [`AMPLE`] times as large
//! in sum as the one found.

use std::ops::Range;

use crate::domain::{ImpulseDomain, Face};
use crate::ends::add_balance_equations;
use crate::error::{StaticsError, finite, sized};
use crate::program::{ConicSolution, SolveStatus, ConicProgram, SolutionBound};
use crate::system::ContactAssembly;

/// Room for other S in the bound of a multiplier.
const AMPLE: f64 = 2.0;

/// Velocities of contacts below this share of the fastest are rounding.
const STILL: f64 = 1e-5;

/// Given loads by coordinate.
#[derive(Debug, Clone, Copy)]
pub struct Loads<'a> {
    /// f₀, which is always there.
    pub dead: &'a [f64],
    /// f₁, which is multiplied.
    pub live: &'a [f64],
}

/// Which end of the multipliers is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// The largest λ.
    Greatest,
    /// The least λ: the load in the opposite sense.
    Least,
}

impl Sense {
    pub(crate) fn sign(self) -> f64 {
        match self {
            Self::Greatest => 1.0,
            Self::Least => -1.0,
        }
    }
}

/// How far the multipliers go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitStatus {
    /// To a largest (least) one.
    Bounded,
    /// Without end: an S carries the live load by itself.
    Unbounded,
    /// There is no multiplier with equilibrium.
    Infeasible,
}

/// A limit load with what proves it.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitLoad {
    /// How far the multipliers go.
    pub status: LimitStatus,
    /// The multiplier that `impulse` carries; infinite if unbounded, NaN if there is none.
    pub multiplier: f64,
    /// What `mechanism` proves: no multiplier is beyond it.
    pub bound: f64,
    /// S; if unbounded the S that balances the live load alone.
    pub impulse: Vec<f64>,
    /// The mechanism of collapse, live·v = 1 (−1 for the least); if there is no multiplier, one that
    /// gains energy from the dead load and none from the live one.
    pub mechanism: Vec<f64>,
    /// |Gᵀ S + f₀ + λ f₁|, relative to the largest load.
    pub balance: f64,
    /// Distance of S from the cones, relative to the largest load.
    pub cone: f64,
    /// What is left of G v ∈ K*, relative to the largest relative velocity.
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

/// The largest (least) multiplier of the live load.
///
/// # Errors
/// Loads of the wrong length or not finite, a live load that is none, a law without a convex cone, a
/// solver without an answer.
pub fn limit_load(system: &ContactAssembly, loads: Loads<'_>, sense: Sense) -> Result<LimitLoad, StaticsError> {
    LimitProgram::new(system, loads, sense)?.solve()
}

/// The opposite end.
impl std::ops::Not for Sense {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Self::Greatest => Self::Least,
            Self::Least => Self::Greatest,
        }
    }
}

/// The domains of all contacts at rest.
pub(crate) fn cones(system: &ContactAssembly) -> Result<Vec<ImpulseDomain>, StaticsError> {
    (0..system.num_contacts())
        .map(|contact| {
            let rows = system.rows(contact).len();
            ImpulseDomain::new(contact, system.law(contact), rows, &Face::Stick)
        })
        .collect()
}

/// The largest entry; 1 where all are 0.
pub(crate) fn largest(values: &[f64]) -> f64 {
    let most = values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if most > 0.0 { most } else { 1.0 }
}

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

/// Which row of a program each coordinate has.
pub(crate) struct Numbering(Vec<usize>);

impl Numbering {
    /// Values by row as values by coordinate.
    pub fn by_coordinate(&self, rows: &[f64]) -> Vec<f64> {
        self.0
            .iter()
            .map(|row| rows.get(*row).copied().unwrap_or(0.0))
            .collect()
    }
}

/// The balance of all coordinates.
pub(crate) struct BalanceProgram {
    pub program: ConicProgram,
    pub columns: Vec<Range<usize>>,
    pub numbering: Numbering,
    /// The loads by row of the program.
    pub loads: Vec<Vec<f64>>,
}

impl BalanceProgram {
    pub fn new(system: &ContactAssembly, domains: &[ImpulseDomain], loads: &[&[f64]]) -> Self {
        let mut program = ConicProgram::default();
        let columns: Vec<Range<usize>> = domains
            .iter()
            .map(|domain| program.domain(domain)..program.columns)
            .collect();
        let all: Vec<usize> = (0..domains.len()).collect();
        let order = add_balance_equations(system, domains, &all, &columns, &mut program);
        // Coordinates that no contact touches have rows, too: their load has nothing to rest on.
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

/// The program of a multiplier.
pub(crate) struct LimitProgram<'a> {
    system: &'a ContactAssembly,
    loads: Loads<'a>,
    sense: Sense,
    domains: Vec<ImpulseDomain>,
    /// Largest dead load; S and λ f₁ are over it.
    pub(crate) unit: f64,
    /// λ = multiple · x of its column.
    multiple: f64,
}

impl<'a> LimitProgram<'a> {
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

    /// Solves with the cones of the laws.
    fn solve(&self) -> Result<LimitLoad, StaticsError> {
        self.solve_in(&self.domains)
    }

    /// The domains of the laws.
    pub(crate) fn domains(&self) -> &[ImpulseDomain] {
        &self.domains
    }

    /// Solves with other domains.
    pub(crate) fn solve_in(&self, domains: &[ImpulseDomain]) -> Result<LimitLoad, StaticsError> {
        let sign = self.sense.sign();
        let mut frame = BalanceProgram::new(self.system, domains, &[self.loads.dead, self.loads.live]);
        let program = &mut frame.program;
        let lambda = program.columns;
        program.columns += 1;
        for (row, (f0, f1)) in frame.loads[0].iter().zip(&frame.loads[1]).enumerate() {
            program.b[row] = -f0 / self.unit;
            if *f1 != 0.0 {
                // One unit of the column is a load as large as the dead one.
                program
                    .equal
                    .push((row, lambda, f1 * self.multiple / self.unit));
            }
        }
        let mut q = vec![0.0; program.columns];
        q[lambda] = -sign;
        let answer = program.solve(&q, "looking for the limit load")?;
        match answer.end {
            SolveStatus::Solved => Ok(self.bounded(&frame, domains, &q, answer)),
            SolveStatus::Unbounded => Ok(self.unbounded(&frame, domains, &answer)),
            SolveStatus::Infeasible => Ok(self.nowhere(&frame, &answer)),
        }
    }

    fn bounded(&self, frame: &BalanceProgram, domains: &[ImpulseDomain], q: &[f64], answer: ConicSolution) -> LimitLoad {
        let program = &frame.program;
        let lambda = program.columns - 1;
        // Scaled so that the live load does exactly one unit of work on the mechanism: then λ drops
        // out of what is left.
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
        let normals = frame.columns.iter().filter(|columns| !columns.is_empty());
        let total: f64 = normals.map(|columns| dual.x[columns.start].abs()).sum();
        let reach = SolutionBound::new(&frame.columns, domains.iter(), AMPLE * total.max(1.0));
        let bound = program.bound(q, &dual, &reach);
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

    fn unbounded(&self, frame: &BalanceProgram, domains: &[ImpulseDomain], answer: &ConicSolution) -> LimitLoad {
        let lambda = frame.program.columns - 1;
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

    fn nowhere(&self, frame: &BalanceProgram, answer: &ConicSolution) -> LimitLoad {
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

    /// Largest sliding velocity where there is an impulse, relative to the fastest contact.
    fn sliding(&self, u: &[f64], impulse: &[f64]) -> f64 {
        let (fast, most) = (largest(u), largest(impulse));
        let mut sliding = 0.0_f64;
        for contact in 0..self.system.num_contacts() {
            let rows = self.system.rows(contact);
            if !self.system.law(contact).normal() || impulse[rows.start] < STILL * most {
                continue;
            }
            let tangential = u[rows].iter().skip(1).map(|v| v * v).sum::<f64>().sqrt();
            sliding = sliding.max(tangential / fast);
        }
        if sliding > STILL { sliding } else { 0.0 }
    }
}
