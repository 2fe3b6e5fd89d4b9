//! The plots that a scene declares: observables of runs, columns of studies.

use percuss_input::{expression_error, value_error};
use percuss_record::{NullObserver, PlotError, Record};
use percuss_run::finding::ground::with_expression_context;
use percuss_run::statistics::block::running;
use percuss_run::study::compile_study;
use percuss_run::{Threads, run_mechanism};
use percuss_scene::{
    Formula, Observable, Plot, PlotKind, Scene, SceneError, SceneKind, SymbolicSystem,
};

use super::figure::{Figure, Series, SeriesStyle};
use super::sampled_motion::SampledMotion;
use super::{bodies_plots, histogram, unit};
use crate::picture::check_pictures;

/// Name of the case that is the run itself.
const MAIN: &str = "main";

pub(super) fn part(plot: &Plot) -> String {
    format!("plot `{}`", plot.name)
}

/// Compiles the observables of all plots and checks the columns of studies.
///
/// # Errors
/// The first expression that does not compile, with its plot and line.
pub fn check_plots(scene: &Scene) -> Result<(), SceneError> {
    check_pictures(scene)?;
    let mut system = match scene.kind() {
        SceneKind::Mechanism => Some(scene.build_mechanism()?.system),
        SceneKind::Bodies => None,
    };
    if let Some(system) = &mut system {
        crate::drawing::check_drawings(scene, system)?;
    }
    // Columns of studies, or observables of mechanisms; those of bodies are checked below.
    for plot in scene.plots() {
        known_findings(scene, plot)?;
        if plot.kind == PlotKind::Drawing {
            instants(scene, plot)?;
            continue;
        }
        match (&plot.study, &mut system) {
            (Some(study), _) => study_columns(scene, plot, study)?,
            (None, Some(system)) => {
                observables(scene, plot, system)?;
            }
            (None, None) => {}
        }
        window(scene, plot)?;
    }
    match scene.kind() {
        SceneKind::Mechanism => Ok(()),
        SceneKind::Bodies => bodies_plots::check(scene),
    }
}

/// The figure of a declared plot. Cases other than the main one, and studies, are run for it; `note` is told
/// which.
pub(super) fn figure(
    record: &Record,
    scene: &Scene,
    plot: &Plot,
    threads: Threads,
    note: &mut dyn FnMut(&str),
) -> Result<Figure, PlotError> {
    if !plot.findings.is_empty() {
        return counted_findings(record, scene, plot);
    }
    // Series: of a study, of runs of bodies, or of runs of a mechanism.
    let series = match &plot.study {
        Some(study) => of_study(scene, plot, study, threads, note)?,
        None if scene.kind() == SceneKind::Bodies => {
            bodies_plots::of_cases(record, scene, plot, threads, note)?
        }
        None => of_cases(record, scene, plot, note)?,
    };
    if plot.kind == PlotKind::Histogram {
        return Ok(histogram_of(scene, plot, &series));
    }
    let series = match plot.average {
        true => averaged(series),
        false => series,
    };
    let time = unit::label("t", "time");
    // A study without `x` is plotted over its varied key, whose unit is unknown.
    let x = match (&plot.x, &plot.study) {
        (Some(x), _) if x.text == "t" => time.as_str(),
        (Some(x), _) => x.text.as_str(),
        (None, None) => time.as_str(),
        (None, Some(study)) => first_key(scene, study),
    };
    // A single observable labels the axis itself.
    let y = match plot.y.as_slice() {
        [y] => y.text.clone(),
        _ => String::new(),
    };
    Ok(Figure {
        title: plot
            .title
            .clone()
            .unwrap_or_else(|| format!("{}: {}", scene.title(), plot.name)),
        x_label: plot.x_label.clone().unwrap_or_else(|| x.into()),
        y_label: plot.y_label.clone().unwrap_or(y),
        series,
        equal_aspect: plot.equal,
        ..Figure::default()
    })
}

/// Histogram of the ordinates of series.
fn histogram_of(scene: &Scene, plot: &Plot, series: &[Series]) -> Figure {
    let values = |one: &Series| one.points.iter().map(|p| p.1).collect::<Vec<f64>>();
    let named: Vec<(String, Vec<f64>)> = series
        .iter()
        .map(|one| (one.label.clone(), values(one)))
        .collect();
    let x = match plot.y.as_slice() {
        [y] => y.text.clone(),
        _ => String::new(),
    };
    let figure = histogram::of_values(&named);
    Figure {
        title: plot
            .title
            .clone()
            .unwrap_or_else(|| format!("{}: {}", scene.title(), plot.name)),
        x_label: plot.x_label.clone().unwrap_or(x),
        y_label: plot.y_label.clone().unwrap_or(figure.y_label),
        ..figure
    }
}

/// Histogram of recorded values of findings.
fn counted_findings(record: &Record, scene: &Scene, plot: &Plot) -> Result<Figure, PlotError> {
    let measured = record.manifest().findings.as_deref().unwrap_or(&[]);
    let mut series = Vec::new();
    for name in &plot.findings {
        let found = measured.iter().find(|f| f["name"] == name.as_str());
        let Some(found) = found else {
            let missing = format!(
                "the finding `{name}` was not measured in this run: run the scene without --no-findings"
            );
            return Err(PlotError::Nothing(missing));
        };
        // A list, or one number.
        let value = &found["value"];
        let numbers: Vec<f64> = match value.as_array() {
            Some(all) => all.iter().filter_map(serde_json::Value::as_f64).collect(),
            None => value.as_f64().into_iter().collect(),
        };
        series.push(Series {
            label: name.clone(),
            points: numbers.into_iter().map(|y| (0.0, y)).collect(),
            ..Series::default()
        });
    }
    let figure = histogram_of(scene, plot, &series);
    let x_label = match (&plot.x_label, plot.findings.as_slice()) {
        (None, [one]) => one.clone(),
        _ => figure.x_label,
    };
    Ok(Figure { x_label, ..figure })
}

/// Checks that the findings of a histogram exist.
fn known_findings(scene: &Scene, plot: &Plot) -> Result<(), SceneError> {
    let known: Vec<String> = scene.findings().iter().map(|f| f.name.clone()).collect();
    let Some(name) = plot.findings.iter().find(|name| !known.contains(name)) else {
        return Ok(());
    };
    let formula = Formula::at_line(name, plot.line);
    let problem = "the scene has no such finding";
    let advice = match known.is_empty() {
        true => "The scene declares no finding".to_string(),
        false => format!("It declares {}", known.join(", ")),
    };
    let part = part(plot);
    let error = value_error(scene.origin(), &part, "findings", &formula, problem, advice);
    Err(error.into())
}

/// The instants that a drawing lists; empty where it takes every n-th state.
pub(super) fn instants(scene: &Scene, plot: &Plot) -> Result<Vec<f64>, SceneError> {
    let drawn = scene.kind() == SceneKind::Mechanism && crate::drawing::has_drawing(scene);
    if !drawn {
        let formula = Formula::at_line("drawing", plot.line);
        let problem = "the scene has no [[drawing]]: nothing says what it looks like";
        let advice = "Add [[drawing]], or use [[picture]] for bodies";
        let error = value_error(
            scene.origin(),
            &part(plot),
            "kind",
            &formula,
            problem,
            advice,
        );
        return Err(error.into());
    }
    window(scene, plot)?;
    let at = plot.at.iter();
    at.map(|formula| scene.evaluate(&part(plot), "at", formula))
        .collect()
}

/// The first key that a study varies.
fn first_key<'a>(scene: &'a Scene, study: &str) -> &'a str {
    let found = scene.studies().iter().find(|s| s.name == study);
    let key = found.and_then(|s| s.vary.first());
    key.map_or("run", |vary| vary.key.as_str())
}

/// Running means of series over time, with their standard errors as dotted lines.
fn averaged(series: Vec<Series>) -> Vec<Series> {
    let mut all = Vec::new();
    for one in series {
        let (means, errors) = running(&one.points);
        let bound = |sign: f64| errors.iter().map(move |(t, mean, e)| (*t, mean + sign * e));
        let error = |sign: f64, word: &str| Series {
            label: format!("{}, {word} standard error", one.label),
            points: bound(sign).collect(),
            style: SeriesStyle::Dotted,
            colour: one.colour,
        };
        let (above, below) = (error(1.0, "plus"), error(-1.0, "minus"));
        all.push(Series {
            label: format!("mean of {}", one.label),
            points: means,
            style: SeriesStyle::Line,
            colour: one.colour,
        });
        all.extend([above, below].into_iter().filter(|s| !s.points.is_empty()));
    }
    all
}

pub(super) fn series_style(plot: &Plot) -> SeriesStyle {
    match plot.kind {
        PlotKind::Line => SeriesStyle::Line,
        PlotKind::Points => SeriesStyle::Points,
        // Drawn from the ordinates, or not as a figure.
        PlotKind::Histogram | PlotKind::Drawing => SeriesStyle::Line,
    }
}

/// Time window of a plot.
pub(super) fn window(scene: &Scene, plot: &Plot) -> Result<(f64, f64), SceneError> {
    let bound = |key: &str, formula: &Option<Formula>, default: f64| match formula {
        Some(formula) => scene.evaluate(&part(plot), key, formula),
        None => Ok(default),
    };
    let from = bound("from", &plot.from, f64::NEG_INFINITY)?;
    let to = bound("to", &plot.to, f64::INFINITY)?;
    // An empty time window is an error.
    if let Some(formula) = &plot.from
        && !(from < to)
    {
        let problem = format!("the interval from {from} to {to} is empty");
        let advice = "`from` must be below `to`";
        let error = value_error(
            scene.origin(),
            &part(plot),
            "from",
            formula,
            problem,
            advice,
        );
        return Err(error.into());
    }
    Ok((from, to))
}

/// The observables x and y of a plot, compiled.
fn observables(
    scene: &Scene,
    plot: &Plot,
    system: &mut SymbolicSystem,
) -> Result<(Option<Observable>, Vec<Observable>), SceneError> {
    let mut compile = |key: &str, formula: &Formula| {
        let compiled = system.observable(&formula.text);
        compiled.map_err(|e| {
            SceneError::from(expression_error(
                scene.origin(),
                &part(plot),
                key,
                formula,
                &e,
            ))
        })
    };
    let x = plot.x.as_ref().map(|x| compile("x", x)).transpose()?;
    let y: Result<Vec<_>, _> = plot.y.iter().map(|y| compile("y", y)).collect();
    Ok((x, y?))
}

fn of_cases(
    record: &Record,
    scene: &Scene,
    plot: &Plot,
    note: &mut dyn FnMut(&str),
) -> Result<Vec<Series>, PlotError> {
    let mut all = Vec::new();
    for case in &plot.cases {
        let found = scene
            .cases()
            .iter()
            .find(|c| c.name == *case && case != MAIN);
        let changed = match found {
            Some(found) => scene.with_overrides(&found.set)?,
            None => scene.clone(),
        };
        let built = changed.build_mechanism()?;
        let mut system = built.system.clone();
        // The main case is read from the records; other cases are run.
        let track = if found.is_none() {
            let texts = plot.x.iter().chain(&plot.y);
            let forces = texts.into_iter().any(|f| mentions_forces(&f.text));
            SampledMotion::of_record(record, scene, &system, forces)?
        } else {
            note(&format!("running the case `{case}`"));
            let outcome = run_mechanism(built, &mut NullObserver, &mut |_| true);
            if let Some(stop) = &outcome.stopped {
                note(&format!("case `{case}`: {stop}"));
            }
            SampledMotion::of_trajectory(&outcome.trajectory)
        };
        // Observables over x, or over time.
        let (mut x, y) = observables(&changed, plot, &mut system)?;
        let (from, to) = window(&changed, plot)?;
        let along = match &mut x {
            Some(x) => values(&track, &mut system, x, note),
            None => track.times().to_vec(),
        };
        for mut observable in y {
            let across = values(&track, &mut system, &mut observable, note);
            let points = track.times().iter().zip(along.iter().zip(&across));
            let seen = points.filter(|(t, _)| (from..=to).contains(*t));
            all.push(Series {
                label: case_label(plot, observable.text(), case),
                points: seen.map(|(_, (x, y))| (*x, *y)).collect(),
                style: series_style(plot),
                colour: all.len(),
            });
        }
    }
    Ok(all)
}

/// Legend label of an observable of a case.
pub(super) fn case_label(plot: &Plot, text: &str, case: &str) -> String {
    match (plot.cases.len(), plot.y.len()) {
        (1, _) => text.into(),
        (_, 1) => case.into(),
        _ => format!("{text}, {case}"),
    }
}

/// Whether an observable may need the table of contacts.
fn mentions_forces(text: &str) -> bool {
    text.contains("force_") || text.contains("friction")
}

fn values(
    track: &SampledMotion,
    system: &mut SymbolicSystem,
    observable: &mut Observable,
    note: &mut dyn FnMut(&str),
) -> Vec<f64> {
    let (values, failed) = track.values(system, observable);
    if let Some(error) = failed {
        note(&format!("left out where it has no value: {error}"));
    }
    values
}

fn study_columns(scene: &Scene, plot: &Plot, study: &str) -> Result<(), SceneError> {
    let Some(declared) = scene.studies().iter().find(|s| s.name == study) else {
        return Err(wrong_study(scene, plot, study));
    };
    // Columns of a study: varied keys, the threshold of a bisection, observed quantities.
    let observed = declared.observe.iter().map(|(name, _)| name.clone());
    let varied = declared.vary.iter().map(|v| v.key.clone());
    let threshold = declared.bisect.iter().map(|_| "threshold".to_string());
    let known: Vec<String> = varied.chain(threshold).chain(observed).collect();
    for (key, formula) in plot
        .x
        .iter()
        .map(|x| ("x", x))
        .chain(plot.y.iter().map(|y| ("y", y)))
    {
        if !known.contains(&formula.text) {
            let problem = format!("the study `{study}` has no such column");
            let advice = format!("It has {}", known.join(", "));
            let part = part(plot);
            let error = value_error(scene.origin(), &part, key, formula, problem, advice);
            return Err(error.into());
        }
    }
    Ok(())
}

fn wrong_study(scene: &Scene, plot: &Plot, study: &str) -> SceneError {
    let names: Vec<&str> = scene.studies().iter().map(|s| s.name.as_str()).collect();
    let advice = match names.is_empty() {
        true => "The scene declares no study".to_string(),
        false => format!("It declares {}", names.join(", ")),
    };
    let formula = Formula::at_line(study, plot.line);
    let problem = "the scene has no such study";
    value_error(
        scene.origin(),
        &part(plot),
        "study",
        &formula,
        problem,
        advice,
    )
    .into()
}

fn of_study(
    scene: &Scene,
    plot: &Plot,
    study: &str,
    threads: Threads,
    note: &mut dyn FnMut(&str),
) -> Result<Vec<Series>, PlotError> {
    study_columns(scene, plot, study)?;
    let Some(declared) = scene.studies().iter().find(|s| s.name == study) else {
        return Err(wrong_study(scene, plot, study).into());
    };
    // Run the study.
    note(&format!("running the study `{study}`"));
    let compiled = with_expression_context(scene, |ground| {
        compile_study(scene, declared, ground.language())
    })?;
    let table = compiled.run(scene, threads, &mut |_| true)?;
    let first = declared
        .vary
        .first()
        .map_or(String::new(), |v| v.key.clone());
    // Plot its columns, by default over the first varied key.
    let x = plot.x.as_ref().map_or(first, |x| x.text.clone());
    let column = |name: &str| {
        let numbers = table.numbers(name);
        numbers.map_err(PlotError::Nothing)
    };
    let along = column(&x)?;
    let series = plot.y.iter().enumerate().map(|(k, y)| {
        let across = column(&y.text)?;
        Ok(Series::line(&y.text, &along, &across, k).with_style(series_style(plot)))
    });
    series.collect()
}
