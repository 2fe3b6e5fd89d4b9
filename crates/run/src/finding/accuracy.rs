//! Errors of a time discretisation and observed orders of convergence.
//!
//! ```text
//! e(h) = max_t |x_h(t) − x(t)|,   its mean over time,   or its value at the end
//! order = slope of ln e over ln h, least squares
//! ```
//!
//! All runs are compared at the same instants. For the largest error and the final one these are
//! ends of steps of every run when the steps divide each other, so that nothing is interpolated.
//! The mean is taken over instants much closer than the steps, at the midpoints of equal cells,
//! because a velocity that jumps one step too late is wrong for the length of that step. For
//! several observables the largest of their errors at each instant counts. The distance of graphs
//! (module `graph_distance`) compares whole motions, all observables at once.

use std::rc::Rc;

use percuss_scene::SceneKind;
use percuss_scene::symbolic::of_time;

use super::evaluated_run::{EvaluatedRun, Studies, present};
use crate::finding::expression::Expression;
use crate::finding::graph_distance::{Polyline, hausdorff};
use crate::finding::language::exact;
use crate::finding::sampler;
use crate::finding::value::{Absent, Valued};
use percuss_simulation::parallel;

/// Largest number of instants compared for the largest error.
const INSTANTS: usize = 2000;

/// Cells of the mean per shortest step, and bounds of their number.
const CELLS_PER_STEP: f64 = 4.0;
const CELLS: (f64, f64) = (2000.0, 200_000.0);

/// Ratio of the shortest step to the step of the reference `finest`.
const FINEST: f64 = 256.0;

/// The norm of the error over time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Norm {
    Largest,
    Mean,
    Final,
    /// The Hausdorff distance of the graphs.
    Graph,
}

/// The reference solution.
#[derive(Debug, Clone, PartialEq)]
pub enum Reference {
    Event,
    Finest,
    Exact(Vec<String>),
}

/// An error, or the order fitted to several errors.
#[derive(Debug, Clone)]
pub struct Accuracy {
    pub of: Vec<String>,
    pub steps: Vec<Expression>,
    pub reference: Reference,
    pub norm: Norm,
    /// Whether the order is wanted, not the error.
    pub fit: bool,
}

/// Instants start + (k + shift)·spacing, k from `first` to `last`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    pub start: f64,
    pub spacing: f64,
    pub shift: f64,
    pub first: usize,
    pub last: usize,
}

impl Grid {
    /// The instants in order.
    pub fn instants(&self) -> impl Iterator<Item = f64> {
        let Self {
            start,
            spacing,
            shift,
            ..
        } = *self;
        (self.first..=self.last).map(move |k| start + (k as f64 + shift) * spacing)
    }

    /// The instants at which runs with these steps over [start, until] are compared.
    pub fn choose(norm: Norm, start: f64, until: f64, steps: &[f64]) -> Self {
        let length = until - start;
        let longest = steps.iter().copied().fold(0.0, f64::max);
        let shortest = steps.iter().copied().fold(f64::INFINITY, f64::min);
        let whole = |ratio: f64| (ratio - ratio.round()).abs() <= 1e-6 && ratio.round() >= 1.0;
        let grid = |spacing: f64, shift: f64, first: usize, last: usize| Self {
            start,
            spacing,
            shift,
            first,
            last,
        };
        match norm {
            Norm::Mean => {
                // Midpoints of cells that are shorter than any step.
                let cells = (CELLS_PER_STEP * length / shortest)
                    .clamp(CELLS.0, CELLS.1)
                    .ceil();
                grid(length / cells, 0.5, 0, cells as usize - 1)
            }
            Norm::Final => {
                // The event-driven reference gives its outputs at multiples of the spacing.
                let pieces = (length / longest).round().clamp(1.0, INSTANTS as f64);
                grid(length / pieces, 0.0, pieces as usize, pieces as usize)
            }
            Norm::Largest | Norm::Graph
                if steps.iter().all(|h| whole(longest / h)) && longest <= length =>
            {
                // Ends of the longest step, which are ends of all shorter ones.
                let count = (length / longest * (1.0 + 1e-9)).floor();
                let stride = (count / INSTANTS as f64).ceil().max(1.0);
                grid(stride * longest, 0.0, 1, (count / stride).floor() as usize)
            }
            Norm::Largest | Norm::Graph => grid(length / INSTANTS as f64, 0.0, 1, INSTANTS),
        }
    }
}

impl Accuracy {
    /// The error or the order.
    pub fn evaluate(
        &self,
        subject: &mut EvaluatedRun<'_>,
        studies: &mut dyn Studies,
    ) -> Valued<f64> {
        let mut steps = Vec::with_capacity(self.steps.len());
        // Steps are expressions, and must be positive.
        for step in &self.steps {
            let h = step.number(subject, studies)?;
            if !(h > 0.0) {
                return Err(Absent::because(format!("the step {h} is not positive")));
            }
            steps.push(h);
        }
        let (start, until) = subject.asked()?;
        // The same instants for the reference and for every run.
        let grid = Grid::choose(self.norm, start, until, &steps);
        if self.norm == Norm::Graph {
            return self.distances(subject, (start, until), &steps);
        }
        let reference = self.reference_values(subject, &grid, &steps)?;
        let runs: Vec<(f64, bool)> = steps.iter().map(|h| (*h, false)).collect();
        let computed = self.compute(subject, &grid, &runs)?;
        let errors: Vec<f64> = computed.iter().map(|x| self.error(x, &reference)).collect();
        self.result(subject, &steps, &errors)
    }

    /// The error, or the order fitted to all.
    fn result(&self, subject: &mut EvaluatedRun<'_>, steps: &[f64], errors: &[f64]) -> Valued<f64> {
        match (self.fit, errors.first()) {
            (false, Some(error)) => Ok(*error),
            _ => {
                let pairs = steps.iter().zip(errors).map(|(h, e)| [*h, *e]);
                subject.errors = pairs.collect();
                fitted_order(steps, errors)
            }
        }
    }

    /// Error or order by the Hausdorff distance of the graphs.
    fn distances(
        &self,
        subject: &mut EvaluatedRun<'_>,
        (start, until): (f64, f64),
        steps: &[f64],
    ) -> Valued<f64> {
        let finest = steps.iter().copied().fold(f64::INFINITY, f64::min);
        let (scene, of) = (subject.scene(), &self.of);
        // The reference last, with the runs on all threads.
        let mut runs: Vec<(f64, bool)> = steps.iter().map(|h| (*h, false)).collect();
        match self.reference {
            Reference::Event => runs.push((finest, true)),
            Reference::Finest => runs.push((finest / FINEST, false)),
            Reference::Exact(_) => {}
        }
        let work = |job: usize| sampler::graph(scene, of, runs[job].0, runs[job].1);
        let mut graphs = parallel::map(runs.len(), subject.threads(), work);
        let reference = match &self.reference {
            Reference::Exact(texts) => exact_graph(subject, texts, (start, until), finest),
            _ => graphs
                .pop()
                .unwrap_or_else(|| Err(Absent::because("there is no reference"))),
        };
        let reference = reference?;
        let mut errors = Vec::with_capacity(steps.len());
        for graph in graphs {
            let graph = graph?;
            if !graph.is_usable() || !reference.is_usable() {
                return Err(Absent::because("a graph has a value that is not finite"));
            }
            errors.push(hausdorff(&graph, &reference));
        }
        self.result(subject, steps, &errors)
    }

    /// Values of the reference at the instants: event-driven, with a much shorter step, or exact.
    fn reference_values(
        &self,
        subject: &mut EvaluatedRun<'_>,
        grid: &Grid,
        steps: &[f64],
    ) -> Valued<Rc<[f64]>> {
        let run = match &self.reference {
            Reference::Event => (grid.spacing, true),
            Reference::Finest => {
                let finest = steps.iter().copied().fold(f64::INFINITY, f64::min);
                (finest / FINEST, false)
            }
            Reference::Exact(texts) => {
                let instants: Vec<f64> = grid.instants().collect();
                return exact_values(subject, texts, &instants);
            }
        };
        let mut values = self.compute(subject, grid, &[run])?;
        values
            .pop()
            .ok_or_else(|| Absent::because("there is no reference"))
    }

    /// The observables at the instants for runs of given step, event-driven or not. Runs that are
    /// not known yet are made in parallel.
    fn compute(
        &self,
        subject: &mut EvaluatedRun<'_>,
        grid: &Grid,
        runs: &[(f64, bool)],
    ) -> Valued<Vec<Rc<[f64]>>> {
        let key = |run: &(f64, bool)| format!("{:?} {grid:?} {run:?}", self.of);
        let unknown = |run: &&(f64, bool)| !subject.compared.contains_key(&key(run));
        let missing: Vec<(f64, bool)> = runs.iter().filter(unknown).copied().collect();
        let scene = subject.scene();
        let instants: Vec<f64> = grid.instants().collect();
        let work = |job: usize| {
            let (step, event) = missing[job];
            sampler::values(scene, &self.of, &instants, step, event)
        };
        // Missing runs on all threads; results are cached for other findings.
        let done = parallel::map(missing.len(), subject.threads(), work);
        for (run, values) in missing.iter().zip(done) {
            subject.compared.insert(key(run), values.map(Rc::from));
        }
        let known = runs
            .iter()
            .map(|run| match subject.compared.get(&key(run)) {
                Some(values) => values.clone(),
                None => Err(Absent::because("a run of the comparison is missing")),
            });
        known.collect()
    }

    /// The error of a run in the chosen norm.
    fn error(&self, computed: &[f64], reference: &[f64]) -> f64 {
        let width = self.of.len().max(1);
        // The largest error of all observables at each instant.
        let pairs = computed.chunks(width).zip(reference.chunks(width));
        let errors = pairs.map(|(a, b)| {
            let each = a.iter().zip(b).map(|(a, b)| (a - b).abs());
            each.fold(
                0.0,
                |worst: f64, e| if e.is_nan() { e } else { worst.max(e) },
            )
        });
        let errors: Vec<f64> = errors.collect();
        match self.norm {
            Norm::Mean => errors.iter().sum::<f64>() / errors.len() as f64,
            // NaN must not be lost.
            Norm::Largest | Norm::Final | Norm::Graph => {
                errors.iter().fold(0.0, |worst: f64, &e| {
                    if worst.is_nan() || e.is_nan() {
                        f64::NAN
                    } else {
                        worst.max(e)
                    }
                })
            }
        }
    }
}

/// The exact solution at the instants.
fn exact_values(
    subject: &EvaluatedRun<'_>,
    texts: &[String],
    instants: &[f64],
) -> Valued<Rc<[f64]>> {
    if subject.scene().kind() == SceneKind::Bodies {
        return exact_of_bodies(subject, texts, instants);
    }
    let built = subject.scene().build_mechanism();
    let mut system = built
        .map_err(|error| Absent::because(error.to_string()))?
        .system;
    let mut solutions = Vec::with_capacity(texts.len());
    for text in texts {
        let compiled = system.observable(text);
        solutions.push(compiled.map_err(|error| Absent::because(error.to_string()))?);
    }
    let mut values = Vec::new();
    for &t in instants {
        for observable in &mut solutions {
            let value = of_time(observable, &mut system, t);
            values.push(value.map_err(|error| Absent::because(error.to_string()))?);
        }
    }
    Ok(values.into())
}

/// Instants of an exact graph per shortest step, and their largest number.
const POINTS_PER_STEP: f64 = 4.0;
const POINTS: f64 = 400_000.0;

/// The graph of the exact solution: its values at close instants, and both limits where the set of a sweeping process
/// jumps.
fn exact_graph(
    subject: &EvaluatedRun<'_>,
    texts: &[String],
    (start, until): (f64, f64),
    finest: f64,
) -> Valued<Polyline> {
    let count = (POINTS_PER_STEP * (until - start) / finest)
        .clamp(1.0, POINTS)
        .ceil();
    let mut instants: Vec<f64> = (0..=count as usize)
        .map(|k| start + (until - start) * k as f64 / count)
        .collect();
    if subject.scene().kind() != SceneKind::Bodies {
        let built = subject.scene().build_mechanism();
        let sweep = built
            .map_err(|error| Absent::because(error.to_string()))?
            .sweep;
        let jumps = sweep.map_or_else(Vec::new, |plan| plan.jumps.clone());
        for t in jumps.into_iter().filter(|t| *t > start && *t <= until) {
            instants.extend([t.next_down(), t]);
        }
        instants.sort_by(f64::total_cmp);
        instants.dedup();
    }
    let values = exact_values(subject, texts, &instants)?;
    let mut graph = Polyline::new(texts.len());
    for (t, row) in instants.iter().zip(values.chunks(texts.len())) {
        graph.push(*t, row);
    }
    Ok(graph)
}

/// The exact solution for bodies, an expression in `t` and the parameters.
fn exact_of_bodies(
    subject: &EvaluatedRun<'_>,
    texts: &[String],
    instants: &[f64],
) -> Valued<Rc<[f64]>> {
    let mut solutions = Vec::with_capacity(texts.len());
    for text in texts {
        let compiled = exact(subject.parameters(), text);
        solutions.push(compiled.map_err(|error| Absent::because(error.to_string()))?);
    }
    let mut values = Vec::new();
    for &t in instants {
        for ((graph, node), text) in solutions.iter().zip(texts) {
            let value = graph.evaluate(*node, &[t]);
            let value = value.map_err(|error| Absent::because(error.to_string()))?;
            values.push(present(text, t, value)?);
        }
    }
    Ok(values.into())
}

/// The observed order: slope of ln e over ln h by least squares.
pub fn fitted_order(steps: &[f64], errors: &[f64]) -> Valued<f64> {
    for (h, error) in steps.iter().zip(errors) {
        if !(*error > 0.0 && error.is_finite()) {
            let reason = format!("the error with step {h} is {error}: no order can be fitted");
            return Err(Absent::because(reason));
        }
    }
    // Regression line through the points (ln h, ln e).
    let n = steps.len() as f64;
    let points = || steps.iter().zip(errors).map(|(h, e)| (h.ln(), e.ln()));
    let mean_x = points().map(|(x, _)| x).sum::<f64>() / n;
    let mean_y = points().map(|(_, y)| y).sum::<f64>() / n;
    let over: f64 = points().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let under: f64 = points().map(|(x, _)| (x - mean_x) * (x - mean_x)).sum();
    match under > 0.0 {
        true => Ok(over / under),
        false => Err(Absent::because(
            "the steps are all the same: no order can be fitted",
        )),
    }
}
