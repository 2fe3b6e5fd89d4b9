//! The computation behind `bounds`: the null space, then for each connected component self-stress, a bound of the
//! impulses, the least-norm solution and the ends of every interval.

use std::ops::Range;

use crate::assembly::ContactAssembly;
use crate::conic_program::{ConicProgram, SolutionBound, SolveStatus};
use crate::error::StaticsError;
use crate::impulse_domain::{Face, ImpulseDomain};
use crate::impulse_interval::{ComputeOptions, ImpulseBounds, ImpulseInterval, NARROW};
use crate::interval_ends::{
    ComponentProgram, IntervalEnd, ObservedExtremes, add_balance_equations,
};
use crate::null_space::{Hyperstaticity, null_space};
use crate::self_stress::{self, connected_components};

/// Rows of the null space below this share of its largest entry are rounding.
const VANISH: f64 = 1e-8;

/// An observed S_n below this share of the largest impulse counts as attaining the law's bound 0.
const TOUCHES_ZERO: f64 = 1e-8;

/// State of the computation. Impulses are scaled by the largest one.
pub(crate) struct BoundsComputation<'a> {
    system: &'a ContactAssembly,
    domains: Vec<ImpulseDomain>,
    /// Unknowns x* by contact, scaled.
    start: Vec<Vec<f64>>,
    /// By contact: whether S_n can vary.
    open: Vec<bool>,
    scale: f64,
    /// The result so far.
    pub result: ImpulseBounds,
}

impl<'a> BoundsComputation<'a> {
    /// Domains of all contacts, and S* projected onto them.
    pub fn new(
        system: &'a ContactAssembly,
        faces: &[Face],
        impulse: &[f64],
    ) -> Result<Self, StaticsError> {
        let scale = impulse.iter().fold(0.0_f64, |m, s| m.max(s.abs()));
        let unit = if scale > 0.0 { scale } else { 1.0 };
        let (mut domains, mut start) = (Vec::new(), Vec::new());
        let mut least = vec![0.0; impulse.len()];
        let mut moved = 0.0_f64;
        for contact in 0..system.num_contacts() {
            let rows = system.rows(contact);
            let domain =
                ImpulseDomain::new(contact, system.law(contact), rows.len(), &faces[contact])?;
            // S* projected onto its face, and the distance.
            let x = project_onto_face(system, contact, &domain, &impulse[rows.clone()], unit);
            domain.expand(&x, &mut least[rows.clone()]);
            for (s, kept) in impulse[rows.clone()].iter().zip(&mut least[rows]) {
                moved = moved.max((s / unit - *kept).abs());
                *kept *= unit;
            }
            domains.push(domain);
            start.push(x);
        }
        let intervals = (0..system.num_contacts())
            .map(|contact| ImpulseInterval::point(least[system.rows(contact).start]));
        Ok(Self {
            system,
            open: vec![false; domains.len()],
            domains,
            start,
            scale: unit,
            result: ImpulseBounds {
                intervals: intervals.collect(),
                hyperstaticity: Hyperstaticity::none(),
                least,
                self_stress: None,
                stress_balance: 0.0,
                balance: 0.0,
                cone: 0.0,
                gap: 0.0,
                projection_distance: moved,
                scale,
                parts: 0,
                programs: 0,
            },
        })
    }

    /// Null space of Gᵀ, component by component; returns whether each contact can vary.
    pub fn compute_hyperstaticity(&mut self) -> Vec<bool> {
        let mut varying = vec![false; self.domains.len()];
        let present: Vec<bool> = self.domains.iter().map(|d| d.unknowns > 0).collect();
        for part in connected_components(self.system, &present) {
            let program = self.program(&part);
            let (openness, size) = null_space(
                program.program.b.len(),
                program.program.columns,
                &program.program.equal,
            );
            self.result.hyperstaticity = self.result.hyperstaticity.and(openness);
            for (contact, columns) in part.iter().zip(&program.columns) {
                let own = &size[columns.clone()];
                varying[*contact] = own.iter().any(|size| *size > VANISH);
                self.open[*contact] = own.first().is_some_and(|size| *size > VANISH);
            }
        }
        varying
    }

    /// The feasibility program of a component: E x = E x*, x in the domains.
    fn program(&self, part: &[usize]) -> ComponentProgram {
        // Columns and cones.
        let mut program = ConicProgram::default();
        let columns: Vec<Range<usize>> = part
            .iter()
            .map(|contact| {
                let first = program.domain(&self.domains[*contact]);
                first..program.columns
            })
            .collect();
        add_balance_equations(self.system, &self.domains, part, &columns, &mut program);
        // Right-hand side E x*.
        let mut x = vec![0.0; program.columns];
        for (contact, columns) in part.iter().zip(&columns) {
            x[columns.clone()].copy_from_slice(&self.start[*contact]);
        }
        for &(row, column, value) in &program.equal {
            program.b[row] += value * x[column];
        }
        ComponentProgram { program, columns }
    }

    /// All intervals of one connected component.
    pub fn part(
        &mut self,
        part: &[usize],
        (before, share): (f64, f64),
        effort: &mut ComputeOptions<'_>,
    ) -> Result<(), StaticsError> {
        // Self-stress, a bound of x, and the least-norm solution; all solutions update the observed extremes.
        let own = self.program(part);
        let unbounded = self.self_stress(part, &own)?;
        let mut seen = ObservedExtremes::new(&own, part, &self.start);
        let reach = self.reach(part, &own, &unbounded, &mut seen)?;
        self.least_norm(part, &own, &mut seen)?;
        // Upper ends: max S_n of every contact that can vary and is bounded.
        let asked: Vec<usize> = (0..part.len())
            .filter(|k| self.open[part[*k]] && !own.columns[*k].is_empty())
            .collect();
        let tops: Vec<(usize, f64)> = asked
            .iter()
            .filter(|k| !unbounded[**k])
            .map(|k| (*k, -1.0))
            .collect();
        let mut report = |done: f64| (effort.progress)(before + share * done);
        let solved = own.ends(&tops, &reach, effort.threads, &mut |done| {
            report(0.5 * done)
        })?;
        self.result.programs += solved.len();
        for end in &solved {
            seen.observe(&own, &end.answer, &mut self.result);
        }
        // Lower ends, except where the law's bound 0 has been attained already.
        let bottoms: Vec<(usize, f64)> = asked
            .iter()
            .filter(|k| !self.system.law(part[**k]).normal() || seen.least[**k] > TOUCHES_ZERO)
            .map(|k| (*k, 1.0))
            .collect();
        let lower = own.ends(&bottoms, &reach, effort.threads, &mut |done| {
            report(0.5 + 0.5 * done);
        })?;
        self.result.programs += lower.len();
        for end in &lower {
            seen.observe(&own, &end.answer, &mut self.result);
        }
        for k in asked {
            self.interval(part[k], k, &seen, (&solved, &lower), unbounded[k]);
        }
        Ok(())
    }

    /// Assembles the interval of one contact from attained values and proven bounds.
    fn interval(
        &mut self,
        contact: usize,
        k: usize,
        seen: &ObservedExtremes,
        (tops, bottoms): (&[IntervalEnd], &[IntervalEnd]),
        unbounded: bool,
    ) {
        let law_bound = if self.system.law(contact).normal() {
            0.0
        } else {
            f64::NEG_INFINITY
        };
        let of = |ends: &[IntervalEnd]| {
            ends.iter()
                .find(|end| end.k == k)
                .map(|end| (end.end, end.bound))
        };
        let (mut low, mut high) = (seen.least[k].max(law_bound), seen.greatest[k]);
        let (mut low_bound, mut high_bound) = (law_bound, f64::INFINITY);
        // Upper end: program, unbounded self-stress, or observed only.
        match of(tops) {
            Some((SolveStatus::Unbounded, _)) => high = f64::INFINITY,
            Some((_, bound)) => high_bound = -bound,
            None if unbounded => high = f64::INFINITY,
            None => {}
        }
        // Lower end.
        match of(bottoms) {
            Some((SolveStatus::Unbounded, _)) => low = f64::NEG_INFINITY,
            Some((_, bound)) => low_bound = low_bound.max(bound),
            None => {}
        }
        // A bound that rounding puts inside the attained interval is moved to its end.
        low_bound = low_bound.min(low);
        high_bound = high_bound.max(high);
        for gap in [low - low_bound, high_bound - high] {
            if gap.is_finite() {
                self.result.gap = self.result.gap.max(gap);
            }
        }
        let unit = self.scale;
        self.result.intervals[contact] = ImpulseInterval {
            low: low * unit,
            high: high * unit,
            low_bound: low_bound * unit,
            high_bound: high_bound * unit,
            determined: high - low <= NARROW,
        };
    }

    /// Contacts of the component whose S_n is unbounded because of self-stress.
    fn self_stress(
        &mut self,
        part: &[usize],
        own: &ComponentProgram,
    ) -> Result<Vec<bool>, StaticsError> {
        let normal: Vec<bool> = part
            .iter()
            .map(|contact| self.system.law(*contact).normal())
            .collect();
        let (unbounded, ray) =
            self_stress::unbounded_self_stress(&own.program, &own.columns, &normal)?;
        self.result.programs += 1;
        if unbounded.iter().any(|yes| *yes) {
            let rows = self.result.least.len();
            // Store the ray and its balance residual.
            let all = self
                .result
                .self_stress
                .get_or_insert_with(|| vec![0.0; rows]);
            for (contact, columns) in part.iter().zip(&own.columns) {
                let rows = self.system.rows(*contact);
                self.domains[*contact].expand(&ray[columns.clone()], &mut all[rows]);
            }
            let mut homogeneous = own.program.clone();
            homogeneous.b.iter_mut().for_each(|b| *b = 0.0);
            let left = homogeneous.balance_residual(&ray);
            self.result.stress_balance = self.result.stress_balance.max(left);
        }
        Ok(unbounded)
    }

    /// A bound of x: proven from max Σ S_n where that is finite, otherwise from the solutions found.
    fn reach(
        &mut self,
        part: &[usize],
        own: &ComponentProgram,
        unbounded: &[bool],
        seen: &mut ObservedExtremes,
    ) -> Result<SolutionBound, StaticsError> {
        let normals = own.normals(part, self.system);
        let domains = || part.iter().map(|contact| &self.domains[*contact]);
        let mut total: f64 = seen.greatest.iter().map(|s| s.abs()).sum();
        if unbounded.iter().any(|yes| *yes) || normals.is_empty() {
            return Ok(SolutionBound::new(&own.columns, domains(), total));
        }
        let mut q = vec![0.0; own.program.columns];
        normals.iter().for_each(|column| q[*column] = -1.0);
        let answer = own.program.solve(&q, "bounding the sum of the impulses")?;
        self.result.programs += 1;
        if answer.end == SolveStatus::Solved {
            // ΣS_n = −q·x ≤ top + worst ΣS_n, where worst is the largest |ρ| of a group times its slope:
            // move the residual term to the left-hand side.
            let nothing = SolutionBound::new(&own.columns, domains(), 0.0);
            let one = SolutionBound::new(&own.columns, domains(), 1.0);
            let top = -own.program.bound(&q, &answer, &nothing);
            let worst = -own.program.bound(&q, &answer, &one) - top;
            if worst < 0.5 {
                total = total.max(top / (1.0 - worst));
            }
            seen.observe(own, &answer, &mut self.result);
        }
        Ok(SolutionBound::new(&own.columns, domains(), total))
    }

    /// The admissible S of least norm: a quadratic objective.
    fn least_norm(
        &mut self,
        part: &[usize],
        own: &ComponentProgram,
        seen: &mut ObservedExtremes,
    ) -> Result<(), StaticsError> {
        let mut program = own.program.clone();
        program.square = vec![0.0; program.columns];
        for (contact, columns) in part.iter().zip(&own.columns) {
            let domain = &self.domains[*contact];
            for (k, column) in columns.clone().enumerate() {
                let entries = (0..domain.rows).map(|row| domain.basis[row * domain.unknowns + k]);
                program.square[column] = entries.map(|b| b * b).sum();
            }
        }
        let q = vec![0.0; program.columns];
        // The minimiser replaces S* as the reported solution.
        let answer = program.solve(&q, "looking for the impulses of least norm")?;
        self.result.programs += 1;
        if answer.end == SolveStatus::Solved {
            seen.observe(own, &answer, &mut self.result);
            for (contact, columns) in part.iter().zip(&own.columns) {
                let rows = self.system.rows(*contact);
                let out = &mut self.result.least[rows];
                self.domains[*contact].expand(&answer.x[columns.clone()], out);
                out.iter_mut().for_each(|s| *s *= self.scale);
            }
        }
        Ok(())
    }

    /// The result.
    pub fn finish(self) -> ImpulseBounds {
        self.result
    }
}

/// Unknowns x of the point of the face closest to S.
fn project_onto_face(
    system: &ContactAssembly,
    contact: usize,
    domain: &ImpulseDomain,
    impulse: &[f64],
    unit: f64,
) -> Vec<f64> {
    let mut s: Vec<f64> = impulse.iter().map(|s| s / unit).collect();
    let normal = s.first().copied().unwrap_or(0.0).max(0.0);
    system.law(contact).project(&mut s);
    let mut x = domain.unknowns_of(&s);
    if domain.unknowns == 1 && domain.rows > 1 {
        // On a ray keep the normal impulse.
        x[0] = normal;
    }
    x
}
