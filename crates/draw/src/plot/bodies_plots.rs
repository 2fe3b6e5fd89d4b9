//! The plots of runs of bodies: standard ones, and observables that a scene declares.

use percuss_record::{NullObserver, PlotError, Record, RecordError};
use percuss_run::bodies_run::Observables;
use percuss_run::{RunProgress, Threads, run_bodies_observing};
use percuss_scene::{Formula, InputError, Plot, Scene, SceneError};

use super::declared::{case_label, part, series_style, window};
use super::fabric::FABRIC;
use super::figure::{Figure, Series};
use super::histogram::FORCES;
use super::standard::{ORDERS, count, from_start, lost, orders, over_time, residual};
use super::unit;

/// Names and titles of the plots that every run of bodies has.
pub(super) const STANDARD: [(&str, &str); 8] = [
    (
        "energy",
        "kinetic, potential, total energy and what was lost",
    ),
    ("residual", "residual of each step, logarithmic"),
    ("penetration", "deepest penetration over time"),
    ("contacts", "number of contacts over time"),
    ("iterations", "iterations of the solver in each step"),
    (
        FORCES,
        "normal impulses over their mean, at the end; force-distribution:T at time T",
    ),
    (
        FABRIC,
        "directions of contact normals as a rose, at the end; fabric:T at time T",
    ),
    (
        "orders",
        "errors over the step, with the orders fitted to them",
    ),
];

/// A standard plot of a run of bodies; `None` for an unknown name.
pub(super) fn figure(record: &Record, name: &str) -> Result<Option<Figure>, PlotError> {
    let title = &record.manifest().title;
    let of = |what: &str| format!("{title}: {what}");
    Ok(Some(match name {
        "energy" => energy(record, of("energy"))?,
        "residual" => residual(record, of("residual of each step"))?,
        "penetration" => Figure {
            title: of("penetration"),
            y_label: unit::label("largest -gap at the midpoint of each step", "length"),
            ..count(record, "penetration", "")?
        },
        "contacts" => count(record, "active", "contacts that took part")?,
        "iterations" => count(record, "iterations", "iterations of each step")?,
        ORDERS => orders(record, of("order of convergence"))?,
        _ => return Ok(None),
    }))
}

/// Energies; the total includes the elastic energy of springs. The dissipation of contacts and joints is
/// cumulative from the start.
fn energy(record: &Record, title: String) -> Result<Figure, RecordError> {
    let columns = [
        "t",
        "kinetic",
        "potential",
        "elastic",
        "impact",
        "sliding",
        "joint_friction",
        "bilateral",
        "spring",
    ];
    let steps = record.table("steps", Some(&columns))?;
    let [
        t,
        kinetic,
        potential,
        elastic,
        impact,
        sliding,
        joint_friction,
        bilateral,
        spring,
    ] = columns.map(|c| steps.numbers(c));
    // Total energy, with the potential relative to its initial value where that is large.
    let (potential, label) = from_start(potential, &kinetic);
    let each = 0..t.len();
    let total = |k: usize| kinetic[k] + potential[k] + elastic[k];
    let total: Vec<f64> = each.clone().map(total).collect();
    // Dissipation in joints: friction, limits and spring damping.
    let mut before = elastic.first().copied().unwrap_or(0.0);
    let joints: Vec<f64> = each
        .map(|k| {
            // Springs store a part of their work; the rest is dissipated by damping.
            let damped = spring[k] + elastic[k] - before;
            before = elastic[k];
            joint_friction[k] + bilateral[k] + damped
        })
        .collect();
    let mut series = vec![Series::line("kinetic", &t, &kinetic, 0)];
    if potential.iter().chain(&elastic).any(|p| *p != 0.0) {
        series.push(Series::line("potential", &t, &potential, 1));
        series.push(Series::line("total", &t, &total, 2));
    }
    // Cumulative dissipation by type.
    let works = [
        ("lost in impacts", impact),
        ("lost in sliding", sliding),
        ("lost in joints", joints),
    ];
    series.extend(lost(&t, works));
    Ok(over_time(title, &label, series))
}

/// Observables of one run: times and, by expression, values.
struct ObservedSeries {
    times: Vec<f64>,
    series: Vec<(String, Vec<f64>)>,
}

impl ObservedSeries {
    /// From the table `observables` of the run itself.
    fn of_record(record: &Record, texts: &[&str]) -> Result<Self, PlotError> {
        let columns = &record.entry("observables")?.columns;
        let mut names = vec!["t"];
        for text in texts {
            let meaning = format!("`{text}` at the end of the step");
            let column = columns.iter().find(|c| c.meaning == meaning);
            names.push(column.map(|c| c.name.as_str()).ok_or_else(|| {
                let lacking = format!("`{text}` was not observed in this run: run the scene again");
                PlotError::Nothing(lacking)
            })?);
        }
        let table = record.table("observables", Some(&names))?;
        let numbers = |k: usize| -> Vec<f64> {
            let values = table.values.get(k);
            values.map_or_else(Vec::new, |v| (0..table.rows).map(|r| v.number(r)).collect())
        };
        let series = texts.iter().enumerate();
        Ok(Self {
            times: numbers(0),
            series: series.map(|(k, t)| ((*t).into(), numbers(k + 1))).collect(),
        })
    }

    /// From another run of the scene (a case).
    fn of_run(
        scene: &Scene,
        texts: &[&str],
        threads: Threads,
        case: &str,
        note: &mut dyn FnMut(&str),
    ) -> Result<Self, PlotError> {
        note(&format!("running the case `{case}`"));
        let texts: Vec<String> = texts.iter().map(|t| (*t).into()).collect();
        let collection = scene.build_bodies()?;
        let mut sink = NullObserver;
        let go_on = &mut |_: &RunProgress<'_>| true;
        let outcome = run_bodies_observing(scene, collection, &texts, threads, &mut sink, go_on);
        if let Some(stop) = &outcome.stopped {
            note(&format!("case `{case}`: {stop}"));
        }
        Ok(Self {
            times: outcome.times,
            series: outcome.series,
        })
    }

    fn values(&self, text: &str) -> &[f64] {
        let found = self.series.iter().find(|(known, _)| known == text);
        found.map_or(&[], |(_, values)| values)
    }
}

/// The series of a declared plot of observables, for all its cases.
pub(super) fn of_cases(
    record: &Record,
    scene: &Scene,
    plot: &Plot,
    threads: Threads,
    note: &mut dyn FnMut(&str),
) -> Result<Vec<Series>, PlotError> {
    // Distinct expressions of the plot.
    let mut texts: Vec<&str> = Vec::new();
    for formula in plot.x.iter().chain(&plot.y) {
        if !texts.contains(&formula.text.as_str()) {
            texts.push(&formula.text);
        }
    }
    let mut all = Vec::new();
    // The main case is read from the records; other cases are run.
    for case in &plot.cases {
        let cases = scene.cases().iter();
        let found = cases.filter(|_| case != "main").find(|c| c.name == *case);
        let changed = match found {
            Some(found) => scene.with_overrides(&found.set)?,
            None => scene.clone(),
        };
        let observed = match found {
            None => ObservedSeries::of_record(record, &texts)?,
            Some(_) => ObservedSeries::of_run(&changed, &texts, threads, case, note)?,
        };
        // Points in the time window.
        let (from, to) = window(&changed, plot)?;
        let along = match &plot.x {
            Some(x) => observed.values(&x.text),
            None => &observed.times,
        };
        for y in &plot.y {
            let points = along.iter().zip(observed.values(&y.text));
            let seen = observed.times.iter().zip(points);
            let seen = seen.filter(|(t, _)| (from..=to).contains(*t));
            all.push(Series {
                label: case_label(plot, &y.text, case),
                points: seen.map(|(_, (x, y))| (*x, *y)).collect(),
                style: series_style(plot),
                colour: all.len(),
            });
        }
    }
    Ok(all)
}

/// Compiles the observables of all plots of bodies. Every case is built only once: there may be very many
/// bodies.
///
/// # Errors
/// The first that does not compile, with its plot and line.
pub(super) fn check(scene: &Scene) -> Result<(), SceneError> {
    let observed = || scene.plots().iter().filter(|plot| plot.study.is_none());
    // Distinct cases of all plots.
    let mut cases: Vec<&str> = Vec::new();
    for case in observed().flat_map(|plot| &plot.cases) {
        if !cases.contains(&case.as_str()) {
            cases.push(case);
        }
    }
    // Each case is built once, and all its plots are compiled against it.
    for case in cases {
        let found = scene.cases().iter().find(|c| c.name == case);
        let changed = match found.filter(|_| case != "main") {
            Some(found) => scene.with_overrides(&found.set)?,
            None => scene.clone(),
        };
        let collection = changed.build_bodies()?;
        let glossary = collection.name_table(changed.parameters());
        for plot in observed().filter(|plot| plot.cases.iter().any(|c| c == case)) {
            let keyed = plot.x.iter().map(|x| ("x", x));
            for (key, formula) in keyed.chain(plot.y.iter().map(|y| ("y", y))) {
                let compiled = Observables::compile(&glossary, &[&formula.text]);
                compiled.map_err(|(_, error)| {
                    let problem = error.render(&formula.text);
                    unreadable(scene, plot, key, formula, problem)
                })?;
            }
        }
    }
    Ok(())
}

fn unreadable(
    scene: &Scene,
    plot: &Plot,
    key: &str,
    formula: &Formula,
    problem: String,
) -> SceneError {
    SceneError::from(InputError {
        file: scene.origin().to_string(),
        origin: formula.origin.clone(),
        part: part(plot),
        key: key.to_string(),
        value: String::new(),
        problem,
        advice: String::new(),
    })
}
