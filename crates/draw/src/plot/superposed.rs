//! The drawing of a mechanism at several instants in one picture (M88 figure 15.1).
//!
//! A scene declares it as `[[plot]] kind = "drawing"` with `at = [t, …]`, or `every = n` for every n-th recorded state from
//! `from` to `to`. The command names instants: `drawing:0,0.1,0.2`, or `drawing:0..1/21` for 21 equally spaced ones.

use percuss_record::{PlotError, Record};
use percuss_scene::{Plot, Scene};

use super::declared::{instants, window};
use super::draw;
use crate::drawing::{self, Drawing, Theme};

/// Largest number of instants in one picture.
const MOST: usize = 2000;

/// Whether the text after the colon of `drawing:…` names several instants.
pub(super) fn is_several(text: &str) -> bool {
    text.contains(',') || text.contains("..")
}

/// The picture that a scene declares.
pub(super) fn declared(record: &Record, scene: &Scene, plot: &Plot) -> Result<String, PlotError> {
    let listed = instants(scene, plot)?;
    let Some(every) = plot.every else {
        return picture(&read(record)?, &plot.name, &listed);
    };
    let (from, to) = window(scene, plot)?;
    let drawing = read(record)?;
    // A drawing of a long run has fewer states than the record.
    let recorded = record.num_rows("coordinates")?;
    if drawing.times().len() < recorded {
        return Err(PlotError::Nothing(format!(
            "the plot `{}` takes every {every} of {recorded} recorded states, of which a drawing keeps {}: give `at`, \
             the instants, or record fewer states",
            plot.name,
            drawing.times().len()
        )));
    }
    let inside = drawing.times().iter().filter(|t| (from..=to).contains(*t));
    let chosen: Vec<f64> = inside.copied().step_by(every).collect();
    picture(&drawing, &plot.name, &chosen)
}

/// The picture of `drawing:T,T,…` or `drawing:FROM..TO/N`.
pub(super) fn named(record: &Record, name: &str, text: &str) -> Result<String, PlotError> {
    picture(&read(record)?, name, &times(name, text)?)
}

/// The instants that a name lists.
fn times(name: &str, text: &str) -> Result<Vec<f64>, PlotError> {
    let wrong = || {
        PlotError::Unknown(format!(
            "`{name}`: instants as in drawing:0,0.5,1 or drawing:0..1/11 were expected after the colon, not `{text}`"
        ))
    };
    let number = |text: &str| {
        let parsed = text.trim().parse::<f64>().ok();
        parsed.filter(|t| t.is_finite()).ok_or_else(wrong)
    };
    let Some((from, rest)) = text.split_once("..") else {
        return text.split(',').map(number).collect();
    };
    let (to, count) = rest.split_once('/').ok_or_else(wrong)?;
    let (from, to) = (number(from)?, number(to)?);
    let count: usize = count.trim().parse().map_err(|_| wrong())?;
    if !(2..=MOST).contains(&count) || !(from < to) {
        return Err(PlotError::Unknown(format!(
            "`{name}`: an interval FROM..TO that is not empty, and 2 to {MOST} instants were expected"
        )));
    }
    let last = (count - 1) as f64;
    let instant = |k: usize| from + (to - from) * k as f64 / last;
    Ok((0..count).map(instant).collect())
}

fn read(record: &Record) -> Result<Drawing, PlotError> {
    let drawing = drawing::of(record)?.filter(|drawing| !drawing.is_empty());
    drawing.ok_or_else(|| {
        PlotError::Nothing("no state was recorded: there is nothing to draw".to_string())
    })
}

fn picture(drawing: &Drawing, name: &str, at: &[f64]) -> Result<String, PlotError> {
    match at.len() {
        0 => Err(PlotError::Nothing(format!(
            "the plot `{name}` has nothing to show in this run: no recorded state lies between `from` and `to`"
        ))),
        n if n > MOST => Err(PlotError::Nothing(format!(
            "the plot `{name}` shows {n} instants; at most {MOST} were expected: take fewer"
        ))),
        _ => Ok(drawing.superposed_svg(at, draw::SIZE, Theme::Light)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_list_instants_or_divide_an_interval() {
        assert_eq!(times("d", "0, 0.5,2").unwrap(), [0.0, 0.5, 2.0]);
        assert_eq!(times("d", "1..2/5").unwrap(), [1.0, 1.25, 1.5, 1.75, 2.0]);
        assert!(is_several("1..2/5") && is_several("0,1") && !is_several("0.5"));
        for wrong in [
            "1,x", "1..2", "2..1/3", "0..1/1", "0..inf/3", "nan,1", "0..1/1e3",
        ] {
            assert!(times("d", wrong).is_err(), "{wrong}");
        }
    }
}
