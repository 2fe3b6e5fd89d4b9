//! Ends of the intervals of one connected component: two conic programs for each contact, one solver set-up for
//! all of them.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::assembly::ContactAssembly;
use crate::conic_program::{ConicProgram, ConicSolution, SolutionBound, SolveStatus};
use crate::error::StaticsError;
use crate::impulse_domain::ImpulseDomain;
use crate::impulse_interval::{ImpulseBounds, NARROW};

/// The conic program of one connected component.
pub(crate) struct ComponentProgram {
    pub program: ConicProgram,
    /// Columns of each contact of the component.
    pub columns: Vec<Range<usize>>,
}

/// One end of an interval.
pub(crate) struct IntervalEnd {
    /// Position of the contact in the component.
    pub k: usize,
    pub end: SolveStatus,
    /// Proven lower bound of the objective.
    pub bound: f64,
    pub answer: ConicSolution,
}

impl ComponentProgram {
    /// Columns of the normal impulses.
    pub fn normals(&self, part: &[usize], system: &ContactAssembly) -> Vec<usize> {
        let both = part.iter().zip(&self.columns);
        both.filter(|(contact, columns)| system.law(**contact).normal() && !columns.is_empty())
            .map(|(_, columns)| columns.start)
            .collect()
    }

    /// Minimises sign · S_n for each (contact, sign) asked for. Every program starts from the same
    /// point, so that the result does not depend on the number of threads.
    pub fn ends(
        &self,
        asked: &[(usize, f64)],
        reach: &SolutionBound,
        threads: usize,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Vec<IntervalEnd>, StaticsError> {
        let done = AtomicUsize::new(0);
        let threads = threads.clamp(1, asked.len().max(1));
        let share = asked.len().div_ceil(threads).max(1);
        // One chunk per thread; this thread takes the first and reports progress.
        let mut chunks = asked.chunks(share);
        let own = chunks.next().unwrap_or(&[]);
        // Solve a chunk and count completed programs over all threads.
        let work = |chunk: &[(usize, f64)], hear: &mut dyn FnMut(usize)| {
            self.chunk(chunk, reach, &mut || {
                hear(done.fetch_add(1, Ordering::Relaxed) + 1);
            })
        };
        let work = &work;
        std::thread::scope(|scope| {
            let others: Vec<_> = chunks
                .map(|chunk| scope.spawn(move || work(chunk, &mut |_| {})))
                .collect();
            let mut all = work(own, &mut |count| {
                progress(count as f64 / asked.len() as f64)
            })?;
            // Results in the order asked for.
            for other in others {
                let stopped = |_| StaticsError::Solver {
                    status: "a thread stopped".into(),
                    during: "looking for the ends of intervals",
                };
                all.extend(other.join().map_err(stopped)??);
            }
            Ok(all)
        })
    }

    /// Solves some of the programs one after the other with one solver.
    fn chunk(
        &self,
        asked: &[(usize, f64)],
        reach: &SolutionBound,
        done: &mut dyn FnMut(),
    ) -> Result<Vec<IntervalEnd>, StaticsError> {
        let mut all = Vec::with_capacity(asked.len());
        if asked.is_empty() {
            return Ok(all);
        }
        let mut q = vec![0.0; self.program.columns];
        // The solver scales the objective once, at set-up: use the same first objective for all.
        let first = self
            .columns
            .iter()
            .find(|c| !c.is_empty())
            .map_or(0, |c| c.start);
        q[first] = 1.0;
        let mut session = self
            .program
            .session(&q, "looking for the ends of intervals")?;
        q[first] = 0.0;
        // Only the objective changes from program to program.
        for &(k, sign) in asked {
            q[self.columns[k].start] = sign;
            let answer = session.objective(&q)?;
            let bound = self.program.bound(&q, &answer, reach);
            q[self.columns[k].start] = 0.0;
            all.push(IntervalEnd {
                k,
                end: answer.end,
                bound,
                answer,
            });
            done();
        }
        Ok(all)
    }
}

/// Smallest and largest S_n of each contact among the admissible S found.
pub(crate) struct ObservedExtremes {
    pub least: Vec<f64>,
    pub greatest: Vec<f64>,
}

impl ObservedExtremes {
    /// The extremes of S* alone.
    pub fn new(own: &ComponentProgram, part: &[usize], start: &[Vec<f64>]) -> Self {
        let first = part
            .iter()
            .map(|contact| start[*contact].first().copied().unwrap_or(0.0));
        let least: Vec<f64> = first.take(own.columns.len()).collect();
        Self {
            greatest: least.clone(),
            least,
        }
    }

    /// Updates the extremes with a solution if it is admissible.
    pub fn observe(
        &mut self,
        own: &ComponentProgram,
        answer: &ConicSolution,
        result: &mut ImpulseBounds,
    ) {
        if answer.end != SolveStatus::Solved {
            return;
        }
        let (balance, cone) = (
            own.program.balance_residual(&answer.x),
            own.program.cone_violation(&answer.x),
        );
        result.balance = result.balance.max(balance);
        result.cone = result.cone.max(cone);
        // Not admissible to the accuracy required: no extreme.
        if balance.max(cone) > NARROW {
            return;
        }
        for (k, columns) in own.columns.iter().enumerate() {
            if let Some(x) = answer.x.get(columns.start).filter(|_| !columns.is_empty()) {
                self.least[k] = self.least[k].min(*x);
                self.greatest[k] = self.greatest[k].max(*x);
            }
        }
    }
}

/// Appends the equations E = Gᵀ B of the contacts of a component, its coordinates renumbered; b = 0. Returns the row
/// of each coordinate, `usize::MAX` for those without a contact of the component.
pub(crate) fn add_balance_equations(
    system: &ContactAssembly,
    domains: &[ImpulseDomain],
    part: &[usize],
    columns: &[Range<usize>],
    program: &mut ConicProgram,
) -> Vec<usize> {
    let mut number = vec![usize::MAX; system.num_coordinates()];
    let mut count = 0;
    for (contact, columns) in part.iter().zip(columns) {
        let domain = &domains[*contact];
        for (first, width, block) in system.blocks(*contact) {
            for k in 0..width {
                // Number the coordinates in order of first use.
                let row = &mut number[first + k];
                if *row == usize::MAX {
                    *row = count;
                    count += 1;
                }
                // Entries of Gᵀ B.
                for (x, column) in columns.clone().enumerate() {
                    let value: f64 = (0..domain.rows)
                        .map(|i| block[i * width + k] * domain.basis[i * domain.unknowns + x])
                        .sum();
                    if value != 0.0 {
                        program.equal.push((*row, column, value));
                    }
                }
            }
        }
    }
    program.b = vec![0.0; count];
    number
}
