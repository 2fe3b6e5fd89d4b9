//! Pictures show what they say.

use super::*;
use crate::axis::Scale;
use crate::rasterise::png;

fn sine() -> Figure {
    let t: Vec<f64> = (0..1000).map(|k| f64::from(k) * 0.01).collect();
    let y: Vec<f64> = t.iter().map(|t| t.sin()).collect();
    let z: Vec<f64> = t.iter().map(|t| t.cos()).collect();
    Figure {
        title: "Sine & <cosine>".into(),
        x_label: "time".into(),
        y_label: "value".into(),
        series: vec![
            Series::line("sine", &t, &y, 0),
            Series::line("cosine", &t, &z, 1),
        ],
        ..Figure::default()
    }
}

#[test]
fn a_picture_has_title_labels_and_legend() {
    let text = svg(&sine()).expect("drawable");
    for part in [
        "Sine &amp; &lt;cosine&gt;",
        "\ntime\n",
        "\nvalue\n",
        "\nsine\n",
        "\ncosine\n",
    ] {
        assert!(text.contains(part), "{part}");
    }
    // Its size on the page is that of the picture, not of the fine canvas.
    assert!(text.contains("<svg width=\"860\" height=\"560\" viewBox=\"0 0 6880 4480\""));
    let mut one = sine();
    one.series.truncate(1);
    assert!(
        !svg(&one).expect("drawable").contains("\nsine\n"),
        "no legend for one curve"
    );
}

#[test]
fn with_equal_scale_a_circle_is_round() {
    let points = (0..=360).map(|k| f64::from(k).to_radians().sin_cos());
    let figure = Figure {
        series: vec![Series {
            points: points.map(|(s, c)| (3.0 * c, 3.0 * s)).collect(),
            ..Series::default()
        }],
        equal_aspect: true,
        ..Figure::default()
    };
    let text = svg(&figure).expect("drawable");
    let line = text
        .split("<polyline")
        .max_by_key(|part| part.split("points").nth(1).map_or(0, str::len))
        .and_then(|part| part.split("points=\"").nth(1))
        .and_then(|part| part.split('"').next())
        .expect("a line");
    let points: Vec<(f64, f64)> = line
        .split_whitespace()
        .map(|p| p.split_once(',').expect("a pair"))
        .map(|(x, y)| (x.parse().expect("a number"), y.parse().expect("a number")))
        .collect();
    let span = |of: fn(&(f64, f64)) -> f64| {
        let all = points.iter().map(of);
        all.clone().fold(f64::MIN, f64::max) - all.fold(f64::MAX, f64::min)
    };
    // Whole points of the fine canvas: each end is rounded.
    assert!((span(|p| p.0) - span(|p| p.1)).abs() <= 2.0);
    assert!(span(|p| p.0) > 1000.0);
}

#[test]
fn a_png_has_letters_without_any_font_of_the_machine() {
    let dark = |title: &str| {
        let figure = Figure {
            title: title.into(),
            ..sine()
        };
        let bytes = png(&svg(&figure).expect("drawable")).expect("rasterised");
        let picture = resvg::tiny_skia::Pixmap::decode_png(&bytes).expect("a PNG");
        assert_eq!((picture.width(), picture.height()), (1720, 1120));
        // The title is in the top 70 rows.
        let top = picture.pixels().iter().take(70 * 1720);
        top.filter(|p| p.red() < 128).count()
    };
    assert_eq!(dark(""), 0);
    // A letter of 20 pixels, doubled, has some hundred dark ones.
    assert!(dark("Energy γ") > 500);
}

#[test]
fn what_cannot_be_shown_is_no_panic() {
    let mut figure = sine();
    figure.y_scale = Scale::Log;
    figure.series[0].points.iter_mut().for_each(|p| p.1 = -1.0);
    figure.series[1].points.clear();
    assert!(figure.is_empty());
    assert!(svg(&figure).is_ok());
    figure.series[0].points = vec![(f64::INFINITY, f64::NAN), (1e308, 1e308), (-1e308, 1.0)];
    assert!(!figure.is_empty());
    assert!(svg(&figure).is_ok());
    figure.y_scale = Scale::Linear;
    figure.equal_aspect = true;
    assert!(svg(&figure).is_ok());
}
