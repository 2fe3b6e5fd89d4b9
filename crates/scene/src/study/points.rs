//! The values that the runs of a study take.

use expr::{Graph, Scope};

use crate::error::{InputError, SceneError};
use crate::file::{Formula, Range, Scene, Study, Vary};
use crate::study::random::Random;

/// Most runs of one study: beyond this a count is a slip of the pen.
const MOST: usize = 10_000_000;

/// Overrides of each run, one value for each key that is varied: the grid of all lists and
/// intervals, the last key fastest; samples are drawn together and go faster than any of them.
pub(crate) fn points(scene: &Scene, study: &Study) -> Result<Vec<Vec<String>>, SceneError> {
    let mut axes: Vec<(usize, Vec<String>)> = Vec::new();
    let mut samples: Vec<(usize, Vec<String>)> = Vec::new();
    for (slot, vary) in study.vary.iter().enumerate() {
        match &vary.range {
            Range::List(values) => axes.push((slot, values.clone())),
            Range::Even { from, to, count } => {
                axes.push((slot, even(scene, study, vary, (from, to), *count)?));
            }
            Range::Sample { text, count, seed } => {
                samples.push((slot, sample(scene, study, vary, text, (*count, *seed))?));
            }
        }
    }
    let draws = drawn_together(scene, study, &samples)?;
    let lengths = axes.iter().map(|(_, values)| values.len()).chain([draws]);
    let total = lengths.fold(1usize, usize::saturating_mul);
    if total > MOST {
        let problem = format!("{total} runs were asked for; at most {MOST} are possible");
        return Err(wrong(scene, study, "vary", study.line, problem));
    }
    let mut points = Vec::with_capacity(total);
    for index in 0..total {
        let mut point = vec![String::new(); study.vary.len()];
        for (slot, values) in &samples {
            point[*slot].clone_from(&values[index % draws]);
        }
        let mut rest = index / draws;
        for (slot, values) in axes.iter().rev() {
            point[*slot].clone_from(&values[rest % values.len()]);
            rest /= values.len();
        }
        points.push(point);
    }
    Ok(points)
}

fn drawn_together(
    scene: &Scene,
    study: &Study,
    samples: &[(usize, Vec<String>)],
) -> Result<usize, SceneError> {
    let Some((_, first)) = samples.first() else {
        return Ok(1);
    };
    match samples
        .iter()
        .find(|(_, values)| values.len() != first.len())
    {
        None => Ok(first.len()),
        Some((slot, values)) => {
            let vary = &study.vary[*slot];
            let problem = format!(
                "samples are drawn together: `count = {}` was expected as for the first, not {}",
                first.len(),
                values.len()
            );
            Err(wrong(scene, study, &vary.key, vary.line, problem))
        }
    }
}

fn even(
    scene: &Scene,
    study: &Study,
    vary: &Vary,
    (from, to): (&Formula, &Formula),
    count: usize,
) -> Result<Vec<String>, SceneError> {
    let part = format!("study `{}`, vary, {}", study.name, vary.key);
    let (a, b) = (
        scene.evaluate(&part, "from", from)?,
        scene.evaluate(&part, "to", to)?,
    );
    check_count(scene, study, vary, count)?;
    let at = |k: usize| match count {
        1 => a,
        // Both ends exactly.
        _ if k == count - 1 => b,
        _ => a + (b - a) * (k as f64 / (count - 1) as f64),
    };
    Ok((0..count).map(|k| text_of(at(k))).collect())
}

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
    let parsed = scope.input(&mut graph, "rnd").and_then(|_| {
        for (name, value) in scene.parameters() {
            scope.parameter(&mut graph, name, *value)?;
        }
        graph.parse(&scope, &text.text)
    });
    let node = parsed.map_err(|error| fail(error.to_string()))?;
    let mut random = Random::new(seed, &vary.key);
    let mut values = Vec::with_capacity(count);
    for _ in 0..count {
        let rnd = random.uniform();
        let value = graph
            .evaluate(node, &[rnd])
            .map_err(|error| fail(error.to_string()))?;
        if !value.is_finite() {
            return Err(fail(format!("`{}` is {value} with rnd = {rnd}", text.text)));
        }
        values.push(text_of(value));
    }
    Ok(values)
}

fn check_count(scene: &Scene, study: &Study, vary: &Vary, count: usize) -> Result<(), SceneError> {
    match count <= MOST {
        true => Ok(()),
        false => {
            let problem = format!("`count = {count}`: at most {MOST} runs are possible");
            Err(wrong(scene, study, &vary.key, vary.line, problem))
        }
    }
}

/// A number as an override that reads as the same bits.
pub(crate) fn text_of(value: f64) -> String {
    format!("{value:?}")
}

/// An error about a key of a study.
pub(crate) fn wrong(
    scene: &Scene,
    study: &Study,
    key: &str,
    line: usize,
    problem: String,
) -> SceneError {
    SceneError::from(InputError {
        file: scene.origin().to_string(),
        origin: crate::error::Origin::Line(line),
        part: format!("study `{}`", study.name),
        key: key.to_string(),
        value: String::new(),
        problem,
        advice: String::new(),
    })
}
