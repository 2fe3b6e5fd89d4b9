//! Accounts of the steps, histories and drawings against the records, read here by whole tables.

use percuss_record::Table;
use percuss_view::{BinaryTable, FollowedRun, Query};
use serde_json::Value;
use tempfile::tempdir;

use crate::common::{BALL, PLANE, SPACE, bodies, mechanism, numbers, opened};

fn pack(run: &FollowedRun, ask: &Query) -> BinaryTable {
    let answer = run.answer(ask).unwrap_or_else(|e| panic!("{ask:?}: {e}"));
    assert!(!answer.json);
    BinaryTable::decode(&answer.bytes).unwrap_or_else(|e| panic!("{ask:?}: {e}"))
}

fn about(run: &FollowedRun) -> Value {
    let answer = run.answer(&Query::About).expect("an answer");
    serde_json::from_slice(&answer.bytes).expect("JSON")
}

/// Rows of a table at a step, in order.
fn rows(table: &Table, step: f64) -> Vec<usize> {
    let steps = table.numbers("step");
    (0..table.rows).filter(|row| steps[*row] == step).collect()
}

/// A number rounded to 32 bits: what a binary table can hold of it.
fn single(x: f64) -> f64 {
    f64::from(x as f32)
}

#[test]
fn the_account_is_the_table_of_steps_while_it_is_short() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    let record = bodies(PLANE, &path);
    let run = opened(&path);
    let steps = pack(&run, &Query::Steps(None));
    let table = record.table("steps", None).expect("steps");
    for column in &table.columns {
        let (shown, known) = (numbers(&steps, &column.name), table.numbers(&column.name));
        assert_eq!(shown.len(), known.len(), "{}", column.name);
        // Gamma is absent where no contact slides.
        let same = |(a, b): (&f64, &f64)| a == b || (a.is_nan() && b.is_nan());
        let name = &column.name;
        assert!(
            shown.iter().zip(&known).all(same),
            "{name}: {shown:?}, not {known:?}"
        );
    }
    let window = pack(&run, &Query::Steps(Some((0.105, 0.2))));
    let times = table.numbers("t");
    let within: Vec<f64> = times
        .into_iter()
        .filter(|t| (0.105..=0.2).contains(t))
        .collect();
    assert_eq!(numbers(&window, "t"), within);
    let about = about(&run);
    let residual = table.numbers("residual");
    let worst = residual.iter().copied().fold(0.0, f64::max);
    let told = &about["certificate"]["worst"]["residual"];
    assert_eq!(told["value"].as_f64(), Some(worst));
    let first = residual
        .iter()
        .position(|r| *r == worst)
        .expect("there is one");
    assert_eq!(told["step"].as_f64(), Some(table.numbers("step")[first]));
    assert_eq!(about["certificate"]["worst_residual"].as_f64(), Some(worst));
    assert_eq!(about["state"], "ended");
}

#[test]
fn a_long_account_keeps_ends_sums_and_worst_steps() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    let text = BALL.replace("until = 2", "until = 9.5");
    let record = mechanism(&text, &path);
    let run = opened(&path);
    let steps = pack(&run, &Query::Steps(None));
    let table = record.table("steps", None).expect("steps");
    let (count, width) = (
        table.rows,
        steps.extra()["width"].as_u64().expect("a width") as usize,
    );
    // The smallest power of two that leaves at most 4000 rows.
    assert!(count > 8000 && width == 4, "{count} {width}");
    let span = |name: &str| -> Vec<Vec<f64>> {
        let all = table.numbers(name);
        all.chunks(width).map(<[f64]>::to_vec).collect()
    };
    let last =
        |all: Vec<Vec<f64>>| -> Vec<f64> { all.iter().map(|c| *c.last().expect("some")).collect() };
    for name in ["t", "step", "kinetic", "potential"] {
        assert_eq!(numbers(&steps, name), last(span(name)), "{name}");
    }
    let sums: Vec<f64> = span("impact").iter().map(|c| c.iter().sum()).collect();
    let told = numbers(&steps, "impact");
    // The order of four additions: rounding of numbers below the energy of the ball, 10.
    assert!(told.iter().zip(&sums).all(|(a, b)| (a - b).abs() < 1e-14));
    let worst: Vec<f64> = span("momentum")
        .iter()
        .map(|c| c.iter().fold(0.0, |a: f64, b| a.max(*b)))
        .collect();
    assert_eq!(numbers(&steps, "momentum"), worst);
}

#[test]
fn histories_are_columns_of_the_records_in_full_precision() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    let record = bodies(SPACE, &path);
    let run = opened(&path);
    let table = record.table("bodies", None).expect("states");
    let mine: Vec<usize> = {
        let body = table.numbers("body");
        (0..table.rows).filter(|row| body[*row] == 2.0).collect()
    };
    let history = pack(&run, &Query::BodyHistory(2));
    for name in ["t", "step", "x", "y", "z", "qw", "vx", "spin_z"] {
        let known: Vec<f64> = mine.iter().map(|row| table.numbers(name)[*row]).collect();
        assert_eq!(numbers(&history, name), known, "{name}");
    }
    let contacts = record.table("contacts", None).expect("contacts");
    let key = |row: usize| ["a", "b", "feature"].map(|n| contacts.numbers(n)[row] as usize);
    let pair = key(0);
    let history = pack(&run, &Query::ContactHistory(pair));
    let frames = pack(&run, &Query::Frames);
    let steps = numbers(&frames, "contact_step");
    assert_eq!(numbers(&history, "step"), steps);
    let (sn, status) = (numbers(&history, "sn"), numbers(&history, "status"));
    let mut met = 0;
    for (k, step) in steps.iter().enumerate() {
        let row = rows(&contacts, *step)
            .into_iter()
            .find(|row| key(*row) == pair);
        let known = row.map_or(0.0, |row| contacts.numbers("impulse_n")[row]);
        assert_eq!(sn[k], known);
        assert_eq!(numbers(&history, "gap")[k].is_nan(), row.is_none());
        assert!(row.is_some() || status[k] == 0.0);
        met += usize::from(row.is_some());
    }
    assert!(met > 1, "the contact lasts");
    let strange = run
        .answer(&Query::BodyHistory(77))
        .expect_err("there is none");
    assert_eq!(strange.status(), 404);
}

#[test]
fn a_mechanism_has_frames_a_history_and_a_drawing() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    let record = mechanism(BALL, &path);
    let run = opened(&path);
    let about = about(&run);
    assert_eq!(about["kind"], "mechanism");
    let table = record.table("coordinates", None).expect("coordinates");
    let frames = pack(&run, &Query::Frames);
    assert_eq!(numbers(&frames, "t"), table.numbers("t"));
    let history = pack(&run, &Query::History);
    assert_eq!(numbers(&history, "z"), table.numbers("z"));
    let drawing = pack(&run, &Query::Drawing);
    assert_eq!(drawing.extra()["items"][0]["kind"], "disc");
    let times = numbers(&drawing, "t");
    let points = numbers(&drawing, "points_0");
    let (t, z) = (table.numbers("t"), table.numbers("z"));
    for (k, time) in times.iter().enumerate() {
        let row = t.iter().position(|x| x == time).expect("a recorded time");
        assert_eq!(points[2 * k + 1], single(z[row]));
    }
    for ask in [Query::Bodies(0), Query::Contacts(0), Query::Shapes] {
        assert_eq!(
            run.answer(&ask).expect_err("no bodies").status(),
            404,
            "{ask:?}"
        );
    }
}
