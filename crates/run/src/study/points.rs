//! Design points: the values of the varied keys in the runs of a study.

use percuss_expr::{Graph, Scope};
use percuss_generate::random::SplitMix64;
use percuss_scene::{Formula, InputError, Scene, SceneError, Study, VariedValues, Vary};

use crate::study::span::Span;

/// Largest number of runs of one study.
const MOST: usize = 10_000_000;

/// Keys that vary together: their places in the point, and the values of each.
struct Axis {
    slots: Vec<usize>,
    values: Vec<Vec<String>>,
}

impl Axis {
    fn of(slot: usize, values: Vec<String>) -> Self {
        Self {
            slots: vec![slot],
            values: vec![values],
        }
    }

    fn len(&self) -> usize {
        self.values.first().map_or(0, Vec::len)
    }

    /// Puts the values of one place of the axis into a point.
    fn put(&self, at: usize, point: &mut [String]) {
        for (slot, values) in self.slots.iter().zip(&self.values) {
            point[*slot].clone_from(&values[at]);
        }
    }
}

/// Overrides of each run, one value for each varied key. Lists, intervals and the rows of a list of
/// points make a grid, the last key fastest; samples are drawn together and vary faster than the
/// grid, repetitions faster still. A point keeps its number however the study is run.
pub fn points(scene: &Scene, study: &Study) -> Result<Vec<Vec<String>>, SceneError> {
    // Number of runs: the product of the lengths of all axes.
    let axes = axes(scene, study)?;
    let lengths = axes.iter().map(Axis::len);
    let total = lengths.fold(1usize, usize::saturating_mul);
    if total > MOST {
        let problem = format!("{total} runs were asked for; at most {MOST} are possible");
        return Err(wrong(scene, study, "vary", study.line, problem));
    }
    let mut points = Vec::with_capacity(total);
    // The number of a run in mixed radix: the last axis varies fastest.
    for index in 0..total {
        let mut point = vec![String::new(); study.vary.len()];
        let mut rest = index;
        for axis in axes.iter().rev() {
            axis.put(rest % axis.len(), &mut point);
            rest /= axis.len();
        }
        points.push(point);
    }
    Ok(points)
}

/// The axes of the grid, slowest first.
fn axes(scene: &Scene, study: &Study) -> Result<Vec<Axis>, SceneError> {
    let mut axes: Vec<Axis> = Vec::new();
    let mut listed: Option<Axis> = None;
    let mut samples: Option<Axis> = None;
    let mut repeated: Option<Axis> = None;
    // Grid axes each by itself; columns, samples and repetitions in one axis each.
    for (slot, vary) in study.vary.iter().enumerate() {
        match &vary.range {
            VariedValues::List(values) => axes.push(Axis::of(slot, values.clone())),
            VariedValues::Column(values) => join(&mut listed, slot, values.clone()),
            VariedValues::Even {
                from,
                to,
                count,
                spacing,
            } => {
                let span = Span::of(scene, study, vary, (from, to), *spacing)?;
                check_count(scene, study, vary, *count)?;
                axes.push(Axis::of(slot, texts(span.even(*count))));
            }
            VariedValues::Sample { text, count, seed } => {
                together(scene, study, vary, samples.as_ref(), *count)?;
                let drawn = sample(scene, study, vary, text, (*count, *seed))?;
                join(&mut samples, slot, drawn);
            }
            VariedValues::Latin {
                from,
                to,
                count,
                seed,
                spacing,
            } => {
                together(scene, study, vary, samples.as_ref(), *count)?;
                let span = Span::of(scene, study, vary, (from, to), *spacing)?;
                check_count(scene, study, vary, *count)?;
                let drawn = texts(span.latin(*count, &mut SplitMix64::new(*seed, &vary.key)));
                join(&mut samples, slot, drawn);
            }
            VariedValues::Repeat { first, count } => {
                check_count(scene, study, vary, *count)?;
                let numbers = (0..*count as u64).map(|k| first.saturating_add(k).to_string());
                repeated = Some(Axis::of(slot, numbers.collect()));
            }
        }
    }
    // Slowest first: listed points, grid, samples, repetitions.
    let slow = listed.into_iter().chain(axes);
    Ok(slow.chain(samples).chain(repeated).collect())
}

/// Adds a key to an axis whose keys vary together.
fn join(axis: &mut Option<Axis>, slot: usize, values: Vec<String>) {
    match axis {
        None => *axis = Some(Axis::of(slot, values)),
        Some(axis) => {
            axis.slots.push(slot);
            axis.values.push(values);
        }
    }
}

fn texts(values: Vec<f64>) -> Vec<String> {
    values.into_iter().map(text_of).collect()
}

/// Checks that all samples have the same number.
fn together(
    scene: &Scene,
    study: &Study,
    vary: &Vary,
    samples: Option<&Axis>,
    count: usize,
) -> Result<(), SceneError> {
    // Samples of different keys are drawn as one set of points.
    match samples.map(Axis::len).filter(|first| *first != count) {
        None => Ok(()),
        Some(first) => {
            let problem = format!(
                "samples are drawn together: `count = {first}` was expected as for the first, not \
                 {count}"
            );
            Err(wrong(scene, study, &vary.key, vary.line, problem))
        }
    }
}

/// Draws the values of a key: an expression in the random numbers `rnd` (uniform) and `gauss`
/// (normal).
fn sample(
    scene: &Scene,
    study: &Study,
    vary: &Vary,
    text: &Formula,
    (count, seed): (usize, u64),
) -> Result<Vec<String>, SceneError> {
    check_count(scene, study, vary, count)?;
    let fail = |problem: String| wrong(scene, study, &vary.key, vary.line, problem);
    let (mut graph, mut scope) = (Graph::new(), Scope::new());
    // A parameter may have had this name before samples knew it.
    let normal = scene.parameters().iter().all(|(name, _)| name != "gauss");
    // Inputs are `rnd`, and `gauss` where it is no parameter.
    let parsed = scope.input(&mut graph, "rnd").and_then(|_| {
        if normal {
            scope.input(&mut graph, "gauss")?;
        }
        for (name, value) in scene.parameters() {
            scope.parameter(&mut graph, name, *value)?;
        }
        graph.parse(&scope, &text.text)
    });
    let node = parsed.map_err(|error| fail(error.to_string()))?;
    let mut random = SplitMix64::new(seed, &vary.key);
    // A sequence of its own: values of `rnd` do not depend on whether `gauss` is used.
    let mut normals = SplitMix64::new(seed, &format!("{} gauss", vary.key));
    let mut values = Vec::with_capacity(count);
    for _ in 0..count {
        let (rnd, gauss) = (random.uniform(), normals.normal());
        let inputs = [rnd, gauss];
        let value = graph
            .evaluate(node, &inputs[..1 + usize::from(normal)])
            .map_err(|error| fail(error.to_string()))?;
        if !value.is_finite() {
            return Err(fail(format!(
                "`{}` is {value} with rnd = {rnd}, gauss = {gauss}",
                text.text
            )));
        }
        values.push(text_of(value));
    }
    Ok(values)
}

/// Checks the number of values of a key.
fn check_count(scene: &Scene, study: &Study, vary: &Vary, count: usize) -> Result<(), SceneError> {
    match count <= MOST {
        true => Ok(()),
        false => {
            let problem = format!("`count = {count}`: at most {MOST} runs are possible");
            Err(wrong(scene, study, &vary.key, vary.line, problem))
        }
    }
}

/// A number as an override that is read as the same bits.
pub fn text_of(value: f64) -> String {
    format!("{value:?}")
}

/// An error about a key of a study.
pub fn wrong(scene: &Scene, study: &Study, key: &str, line: usize, problem: String) -> SceneError {
    SceneError::from(InputError {
        file: scene.origin().to_string(),
        origin: percuss_scene::Origin::Line(line),
        part: format!("study `{}`", study.name),
        key: key.to_string(),
        value: String::new(),
        problem,
        advice: String::new(),
    })
}
