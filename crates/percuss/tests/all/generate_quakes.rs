//! Records of earthquakes: reading, exact integrals, drift, rest before and after.

#[path = "../../../scene/examples/quake.rs"]
#[allow(dead_code)] // Its `main` is not called here.
mod example;

use std::f64::consts::PI;

use percuss_generate::ground_motion::{Accelerogram, Drift, GroundMotion};
use proptest::prelude::*;

fn record(rows: &[[f64; 2]]) -> Accelerogram {
    let text: String = rows.iter().map(|[t, a]| format!("{t:e},{a:e}\n")).collect();
    Accelerogram::parse(&text).unwrap()
}

fn sampled(n: usize, until: f64, a: impl Fn(f64) -> f64) -> Accelerogram {
    let rows: Vec<[f64; 2]> = (0..=n)
        .map(|i| {
            let t = until * i as f64 / n as f64;
            [t, a(t)]
        })
        .collect();
    record(&rows)
}

#[test]
fn a_piecewise_linear_record_is_integrated_exactly() {
    // a = 3 s on [0, 2], then 6 − (s − 2)·4 on [2, 3]; s = t − 1.
    let quake = GroundMotion::new(&record(&[[1.0, 0.0], [3.0, 6.0], [4.0, 2.0]]), Drift::Keep);
    for s in [0.0, 0.3, 1.0, 1.7, 2.0] {
        let ground = quake.at(1.0 + s);
        let exact = [s.powi(3) / 2.0, 1.5 * s * s, 3.0 * s];
        for (is, should) in [ground.x, ground.v, ground.a].into_iter().zip(exact) {
            assert!((is - should).abs() < 1e-14, "{s}: {is} {should}");
        }
    }
    for r in [0.0_f64, 0.4, 0.999] {
        let ground = quake.at(3.0 + r);
        // From x = 4, v = 6.
        let exact = [
            4.0 + 6.0 * r + 3.0 * r * r - 2.0 / 3.0 * r.powi(3),
            6.0 + 6.0 * r - 2.0 * r * r,
            6.0 - 4.0 * r,
        ];
        for (is, should) in [ground.x, ground.v, ground.a].into_iter().zip(exact) {
            assert!((is - should).abs() < 1e-13, "{r}: {is} {should}");
        }
    }
}

#[test]
fn a_sampled_sine_converges_to_its_integrals_with_order_two() {
    // a = −ω² sin ωt from rest: v = ω (cos ωt − 1), x = sin ωt − ωt.
    let w = 2.0 * PI;
    let error = |n: usize| {
        let quake = GroundMotion::new(&sampled(n, 2.0, |t| -w * w * (w * t).sin()), Drift::Keep);
        (0..200)
            .map(|i| i as f64 * 0.01 + 0.003)
            .fold(0.0_f64, |worst, t| {
                let ground = quake.at(t);
                let (v, x) = (w * ((w * t).cos() - 1.0), (w * t).sin() - w * t);
                worst.max((ground.v - v).abs()).max((ground.x - x).abs())
            })
    };
    let (coarse, fine) = (error(200), error(400));
    // Linear interpolation of the record is wrong by ω⁴ h²/8 at most, integrated over 2 s.
    assert!(coarse < w.powi(4) * 1e-4 / 8.0 * 2.0, "{coarse}");
    assert!((coarse / fine - 4.0).abs() < 0.2, "{coarse} {fine}");
}

#[test]
fn the_drift_removed_is_that_of_the_closed_form() {
    // Velocities that are the polynomial itself vanish with it.
    let [c1, c2] = [0.7, -0.2];
    let quake = GroundMotion::new(&sampled(50, 3.0, |t| c1 + 2.0 * c2 * t), Drift::Remove);
    assert!((quake.drift()[0] - c1).abs() < 1e-12 && (quake.drift()[1] - c2).abs() < 1e-12);
    for i in 0..40 {
        let ground = quake.at(0.1 * f64::from(i));
        assert!(ground.x.abs() < 1e-12 && ground.v.abs() < 1e-12 && ground.a.abs() < 1e-12);
    }
    // v = s³ on [0, 1], a = 3 s²: the best c₁ s + c₂ s² has [1/3 1/4; 1/4 1/5] c = [1/5, 1/6],
    // c = (−2/5, 4/3).
    let quake = GroundMotion::new(&sampled(4000, 1.0, |t| 3.0 * t * t), Drift::Remove);
    // The record is a polygon: wrong by 6 h²/8 = 5e-8.
    let [is1, is2] = quake.drift();
    assert!(
        (is1 + 0.4).abs() < 1e-6 && (is2 - 4.0 / 3.0).abs() < 1e-6,
        "{is1} {is2}"
    );
}

#[test]
fn what_is_left_is_orthogonal_to_the_drift_and_consistent() {
    let text = example::record();
    let record = Accelerogram::parse(&text).unwrap();
    let quake = GroundMotion::new(&record, Drift::Remove);
    let kept = GroundMotion::new(&record, Drift::Keep);
    let [c1, c2] = quake.drift();
    let (mut first, mut second, mut size) = (0.0, 0.0, 0.0);
    for i in 0..20_000 {
        let t = (f64::from(i) + 0.5) * 1e-3;
        let (a, b) = (quake.at(t), kept.at(t));
        first += a.v * t;
        second += a.v * t * t;
        size += a.v.abs() * t * t;
        // Subtracted consistently from all three.
        assert!((b.a - a.a - c1 - 2.0 * c2 * t).abs() < 1e-12);
        assert!((b.v - a.v - c1 * t - c2 * t * t).abs() < 1e-12);
        assert!((b.x - a.x - c1 * t * t / 2.0 - c2 * t.powi(3) / 3.0).abs() < 1e-11);
    }
    // The midpoint rule with ten points a row is wrong by about (1e-3/1e-2)²/24 of what alternates.
    assert!(
        first.abs() < 1e-4 * size && second.abs() < 1e-4 * size,
        "{first} {second} {size}"
    );
}

#[test]
fn the_ground_is_at_rest_before_and_stands_still_after() {
    let quake = GroundMotion::new(&sampled(100, 1.0, |t| 1.0 + t), Drift::Keep);
    let [begin, end] = quake.times();
    assert_eq!(begin, 0.0);
    // A twentieth of the duration to stop.
    assert!((end - 1.05).abs() < 1e-12);
    assert_eq!(quake.at(-1.0), Default::default());
    let (last, later) = (quake.at(end), quake.at(end + 100.0));
    assert_eq!((last.v, last.a, last), (0.0, 0.0, later));
    // Velocity and displacement are continuous at the end of the record and where it has stopped.
    for t in [1.0, 1.025, end] {
        let (before, after) = (quake.at(t - 1e-9), quake.at(t));
        // Accelerations are below 2·1.5/0.05 = 60.
        assert!(
            (before.v - after.v).abs() < 1e-7 && (before.x - after.x).abs() < 1e-8,
            "{t}"
        );
    }
    // It goes on by the mean velocity of the triangle: half of v for 0.05.
    let left = quake.at(1.0);
    assert!((left.v - 1.5).abs() < 1e-12 && (last.x - left.x - 0.5 * 1.5 * 0.05).abs() < 1e-12);
}

#[test]
fn velocity_is_the_derivative_of_displacement_everywhere() {
    let record = Accelerogram::parse(&example::record()).unwrap();
    let quake = GroundMotion::new(&record, Drift::Remove);
    let h = 1e-5;
    for i in 0..2200 {
        let t = f64::from(i) * 0.01 + 0.0037;
        let slope = (quake.at(t + h).x - quake.at(t - h).x) / (2.0 * h);
        // Third derivative times h²/6, jerk below 200, and rounding 1e-16/h.
        assert!((slope - quake.at(t).v).abs() < 1e-8, "{t}");
    }
}

#[test]
fn texts_with_headers_comments_and_empty_lines_are_read() {
    let text =
        "\u{feff}# a comment\n\ntime, acceleration\r\n0, 1 # first\r\n 0.5 ,-2.5e0\r\n1,3\n\n";
    let record = Accelerogram::parse(text).unwrap();
    assert_eq!(record.rows(), &[[0.0, 1.0], [0.5, -2.5], [1.0, 3.0]]);
}

#[test]
fn a_text_that_is_no_record_is_refused_with_its_line() {
    let refused = |text: &str, line: Option<usize>, part: &str| {
        let error = Accelerogram::parse(text).unwrap_err();
        assert_eq!(error.line, line, "{error}");
        assert!(error.to_string().contains(part), "{error}");
    };
    refused("t,a\n0,1\n1,x\n2,1\n", Some(3), "`x` is not a number");
    refused("t,a\nb,c\n0,1\n1,1\n2,1\n", Some(2), "`b` is not a number");
    refused("0,1\n1\n2,1\n", Some(2), "2 columns were expected");
    refused("0,1\n1,2,3\n2,1\n", Some(2), "there are 3");
    refused("0 1\n1 2\n2 3\n", Some(2), "comma");
    refused("0,1\n1,nan\n2,1\n", Some(2), "not finite");
    refused("0,1\n1,2\n1,1\n", Some(3), "repeats that of line 2");
    refused("0,1\n\n1,2\n0.5,1\n", Some(4), "is before that of line 3");
    refused(
        "0,1\n1,2\n2,1\n3,1\n14,1\n",
        Some(5),
        "a gap of 11 since line 4",
    );
    refused("0,1\n1,2\n", None, "2 rows are no record");
    refused("", None, "0 rows");
}

#[test]
fn the_record_of_the_scenes_is_what_the_example_writes() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../scene/scenes/data/quake.csv"
    );
    let stored = Accelerogram::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    let made = Accelerogram::parse(&example::record()).unwrap();
    assert_eq!(stored.rows().len(), 2001);
    let mut peak: f64 = 0.0;
    for (a, b) in stored.rows().iter().zip(made.rows()) {
        assert_eq!(a[0], b[0]);
        // Six digits are written; cosines of two machines may differ in the last bit.
        assert!((a[1] - b[1]).abs() < 1.5e-6);
        peak = peak.max(a[1].abs());
    }
    assert!((peak - 0.35).abs() < 1e-6);
    let (first, last) = (stored.rows()[0], stored.rows()[2000]);
    assert_eq!(
        (first[1].abs(), last, last[1].abs()),
        (0.0, [20.0, 0.0], 0.0)
    );
    // A ground that moves like one: centimetres to decimetres, and it does not wander off.
    let quake = GroundMotion::new(&stored, Drift::Remove);
    let (mut v, mut x): (f64, f64) = (0.0, 0.0);
    for i in 0..2100 {
        let ground = quake.at(f64::from(i) * 0.01);
        v = v.max(9.81 * ground.v.abs());
        x = x.max(9.81 * ground.x.abs());
    }
    assert!(
        (0.1..0.6).contains(&v) && (0.02..0.4).contains(&x),
        "v {v} m/s, x {x} m"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_motion_is_linear_in_the_record(
        a in prop::collection::vec(-1.0..1.0_f64, 20), b in prop::collection::vec(-1.0..1.0_f64, 20),
        factor in -3.0..3.0_f64, at in -1.0..4.0_f64, keep in any::<bool>(),
    ) {
        let drift = if keep { Drift::Keep } else { Drift::Remove };
        let make = |f: &dyn Fn(usize) -> f64| {
            let rows: Vec<[f64; 2]> = (0..20).map(|i| [0.1 * i as f64, f(i)]).collect();
            GroundMotion::new(&record(&rows), drift).at(at)
        };
        let (x, y) = (make(&|i| a[i]), make(&|i| b[i]));
        let sum = make(&|i| a[i] + factor * b[i]);
        for (is, should) in [
            (sum.x, x.x + factor * y.x),
            (sum.v, x.v + factor * y.v),
            (sum.a, x.a + factor * y.a),
        ] {
            // Accelerations of the stop reach 2 v/0.095 = 80 at most: rounding of some 1e-14.
            prop_assert!((is - should).abs() < 1e-11, "{is} {should}");
        }
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[0-9,.eE#\\-+ \n\rnaif]{0,200}") {
        if let Ok(record) = Accelerogram::parse(&text) {
            let quake = GroundMotion::new(&record, Drift::Remove);
            let _ = quake.at(1.0);
        }
    }
}
