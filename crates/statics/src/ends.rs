//! The ends of the intervals of one connected part: two programs for each contact, one set-up for
//! all of them.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::bounds::{ImpulseBounds, NARROW};
use crate::domain::ImpulseDomain;
use crate::error::StaticsError;
use crate::program::{ConicSolution, SolveStatus, ConicProgram, SolutionBound};
use crate::system::ContactAssembly;

/// The program of one connected part.
pub(crate) struct ComponentProgram {
    pub program: ConicProgram,
    /// Columns of each contact of the part.
    pub columns: Vec<Range<usize>>,
}

/// One end of an interval.
pub(crate) struct IntervalEnd {
    /// Which contact of the part.
    pub k: usize,
    pub end: SolveStatus,
    /// What the objective is never below.
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

    /// Solves for the least value of sign · S_n for each contact asked for. Every program is solved
    /// from the same start, so that the split among threads changes nothing.
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
        let mut chunks = asked.chunks(share);
        let own = chunks.next().unwrap_or(&[]);
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
        // The scaling of the objective is set here once, for all of them alike.
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

/// Least and greatest S_n of each contact among the admissible S that were found.
pub(crate) struct ObservedExtremes {
    pub least: Vec<f64>,
    pub greatest: Vec<f64>,
}

impl ObservedExtremes {
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

    /// Takes an S into account if it is admissible.
    pub fn observe(&mut self, own: &ComponentProgram, answer: &ConicSolution, result: &mut ImpulseBounds) {
        if answer.end != SolveStatus::Solved {
            return;
        }
        let (balance, cone) = (
            own.program.balance_residual(&answer.x),
            own.program.cone_violation(&answer.x),
        );
        result.balance = result.balance.max(balance);
        result.cone = result.cone.max(cone);
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

/// E = Gᵀ B for the contacts of a part, its coordinates numbered anew; b = 0. Gives the row of each
/// coordinate, the largest number for those that no contact of the part touches.
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
                let row = &mut number[first + k];
                if *row == usize::MAX {
                    *row = count;
                    count += 1;
                }
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
