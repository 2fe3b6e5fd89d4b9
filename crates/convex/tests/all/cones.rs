//! The cone projections against Moreau's decomposition, an oracle table and each other.

use percuss_convex::cone::{
    project_circular, project_elliptic, project_interval, project_polygonal, project_rolling,
    validate_polygon,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

const CASES: u32 = 4000;

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// A projection p of x onto the cone with support of K° given by `cone_support`
/// (max of ⟨d, k⟩ over unit k in K): checks x − p ∈ K°, ⟨p, x − p⟩ = 0 and idempotence.
fn check_moreau(
    x: &[f64],
    project: impl Fn(&mut [f64]),
    polar_excess: impl Fn(&[f64]) -> f64,
    inside_excess: impl Fn(&[f64]) -> f64,
) {
    let mut p = x.to_vec();
    project(&mut p);
    let rest: Vec<f64> = x.iter().zip(&p).map(|(a, b)| a - b).collect();
    let scale = norm(x);
    // Each figure is a sum of a few products of data of this scale: a hundred roundings.
    let tol = 100.0 * f64::EPSILON * scale;
    assert!(
        inside_excess(&p) <= tol,
        "p leaves the cone by {:e}: x {x:?} p {p:?}",
        inside_excess(&p)
    );
    assert!(
        polar_excess(&rest) <= tol,
        "rest leaves the polar by {:e}: x {x:?} p {p:?}",
        polar_excess(&rest)
    );
    assert!(
        dot(&p, &rest).abs() <= tol * scale,
        "not orthogonal: x {x:?} p {p:?}"
    );
    let mut again = p.clone();
    project(&mut again);
    for (a, b) in again.iter().zip(&p) {
        assert!((a - b).abs() <= tol, "not idempotent: {again:?} {p:?}");
    }
}

/// Entries over 24 decades, zeros and equal values included.
fn entry() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => -1.0..1.0,
        1 => Just(0.0),
        1 => Just(1.0),
        1 => Just(-1.0),
        2 => (-12.0..12.0f64, any::<bool>()).prop_map(|(e, s)| if s { 10f64.powf(e) } else { -(10f64.powf(e)) }),
    ]
}

fn coefficient() -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 1 => Just(1.0), 4 => 0.0..5.0, 1 => (-8.0..4.0f64).prop_map(|e| 10f64.powf(e))]
}

fn scale() -> impl Strategy<Value = f64> {
    (-12.0..12.0f64).prop_map(|e| 10f64.powf(e))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, rng_seed: RngSeed::Fixed(1988), ..ProptestConfig::with_cases(CASES) })]

    #[test]
    fn circular_cone_obeys_moreau_decomposition_at_all_scales(
        x in prop::collection::vec(entry(), 1..6), mu in coefficient(), s in scale(),
    ) {
        let x: Vec<f64> = x.iter().map(|v| v * s).collect();
        let c = (1.0 + mu * mu).sqrt();
        check_moreau(&x, |p| project_circular(p, mu),
            |d| if d.len() == 1 { d[0] } else { (d[0] + mu * norm(&d[1..])) / c },
            |p| ((norm(&p[1..]) - mu * p[0]) / c).max(-p[0]));
    }

    #[test]
    fn interval_cone_obeys_moreau_decomposition_at_all_scales(
        x in prop::collection::vec(entry(), 2), plus in coefficient(), minus in coefficient(), s in scale(),
    ) {
        let x: Vec<f64> = x.iter().map(|v| v * s).collect();
        let (cp, cm) = ((1.0 + plus * plus).sqrt(), (1.0 + minus * minus).sqrt());
        check_moreau(&x, |p| project_interval(p, plus, minus),
            |d| ((d[0] + plus * d[1]) / cp).max((d[0] - minus * d[1]) / cm),
            |p| ((p[1] - plus * p[0]) / cp).max((-p[1] - minus * p[0]) / cm).max(-p[0]));
    }

    #[test]
    fn elliptic_cone_obeys_moreau_decomposition_at_all_scales(
        x in prop::collection::vec(entry(), 3), mu1 in coefficient(), mu2 in coefficient(), s in scale(),
    ) {
        let x: Vec<f64> = x.iter().map(|v| v * s).collect();
        let c = (1.0 + mu1.max(mu2).powi(2)).sqrt();
        // Excess of p measured along the axes, where one unit of gauge is at least min(mu, 1).
        let gauge = |v: f64, m: f64| if m > 0.0 { v / m } else if v == 0.0 { 0.0 } else { f64::INFINITY };
        let least = [mu1, mu2].iter().fold(1.0f64, |a, &b| if b > 0.0 { a.min(b) } else { a });
        check_moreau(&x, |p| project_elliptic(p, mu1, mu2),
            |d| (d[0] + (mu1 * d[1]).hypot(mu2 * d[2])) / c,
            |p| ((gauge(p[1], mu1).hypot(gauge(p[2], mu2)) - p[0]) * least).max(-p[0]));
    }

    #[test]
    fn rolling_cone_obeys_moreau_decomposition_at_all_scales(
        x in prop::collection::vec(entry(), 6), r in prop::collection::vec(coefficient(), 3), s in scale(),
    ) {
        let x: Vec<f64> = x.iter().map(|v| v * s).collect();
        let parts = |d: &[f64]| [norm(&d[1..3]), norm(&d[3..5]), d[5].abs()];
        let c = (1.0 + r.iter().map(|v| v * v).sum::<f64>()).sqrt();
        check_moreau(&x, |p| project_rolling(p, &r, &[2, 2, 1]),
            |d| (d[0] + parts(d).iter().zip(&r).map(|(a, b)| a * b).sum::<f64>()) / c,
            |p| parts(p).iter().zip(&r).map(|(a, b)| (a - b * p[0]) / (1.0 + b * b).sqrt()).fold(-p[0], f64::max));
    }

    #[test]
    fn polygonal_cone_obeys_moreau_decomposition_at_all_scales(
        x in prop::collection::vec(entry(), 3), mut angles in prop::collection::vec(0.0..1.0f64, 1..9), twin in 0..4usize,
        radius in 0.05..3.0f64, s in scale(),
    ) {
        // Repeated vertices, and some much closer than any real section's.
        if twin > 1 {
            angles.push((angles[0] + [0.0, 1e-4][twin - 2]).min(0.9999));
        }
        // The origin joins the circle's points so that 0 ∈ D even for one or two angles.
        let x: Vec<f64> = x.iter().map(|v| v * s).collect();
        angles.sort_by(f64::total_cmp);
        let vertices = hull_with_origin(&angles, radius);
        let rays: Vec<[f64; 3]> = vertices.iter().map(|v| {
            let l = (1.0 + v[0] * v[0] + v[1] * v[1]).sqrt();
            [1.0 / l, v[0] / l, v[1] / l]
        }).collect();
        // Membership by faces; thin polygons have badly conditioned ones, hence the offset test.
        check_moreau(&x, |p| project_polygonal(p, &vertices),
            |d| rays.iter().map(|g| dot(g, d)).fold(0.0, f64::max),
            |p| face_excess(p, &vertices));
    }

    #[test]
    fn elliptic_cone_with_many_sided_polygon_agrees_to_the_sagitta(
        x in prop::collection::vec(-1.0..1.0f64, 3), mu1 in 0.1..2.0f64, mu2 in 0.1..2.0f64,
    ) {
        // Two unrelated algorithms: the inscribed 512-gon is within mu (1 − cos(π/512)) of the
        // ellipse, and projections on sets at that distance differ by O(square root) of it.
        let vertices: Vec<[f64; 2]> = (0..512).map(|k| {
            let a = std::f64::consts::TAU * k as f64 / 512.0;
            [mu1 * a.cos(), mu2 * a.sin()]
        }).collect();
        let (mut p, mut q) = (x.clone(), x.clone());
        project_elliptic(&mut p, mu1, mu2);
        project_polygonal(&mut q, &vertices);
        let sagitta = 2.0 * (1.0 - (std::f64::consts::PI / 512.0).cos());
        let gap = norm(&[p[0] - q[0], p[1] - q[1], p[2] - q[2]]);
        prop_assert!(gap <= 4.0 * sagitta.sqrt() , "{p:?} {q:?} {gap:e}");
        // The distances themselves agree to first order in the sagitta.
        let far = |y: &[f64]| norm(&[x[0] - y[0], x[1] - y[1], x[2] - y[2]]);
        prop_assert!((far(&p) - far(&q)).abs() <= 4.0 * sagitta);
    }
}

/// Counter-clockwise hull of points on a circle and the origin (an extreme point only when
/// all angles lie in one half-turn).
fn hull_with_origin(angles: &[f64], radius: f64) -> Vec<[f64; 2]> {
    let tau = std::f64::consts::TAU;
    let at = |a: f64| [radius * (tau * a).cos(), radius * (tau * a).sin()];
    let count = angles.len();
    let gap_after = |i: usize| {
        if i + 1 < count {
            angles[i + 1] - angles[i]
        } else {
            angles[0] + 1.0 - angles[i]
        }
    };
    let widest = (0..count)
        .max_by(|&i, &j| gap_after(i).total_cmp(&gap_after(j)))
        .unwrap();
    let mut out: Vec<[f64; 2]> = (1..=count)
        .map(|k| at(angles[(widest + k) % count]))
        .collect();
    if gap_after(widest) > 0.5 {
        out.push([0.0, 0.0]);
    }
    out
}

fn face_excess(p: &[f64], vertices: &[[f64; 2]]) -> f64 {
    let count = vertices.len();
    let area: f64 = (0..count)
        .map(|i| {
            let (a, b) = (vertices[i], vertices[(i + 1) % count]);
            a[0] * b[1] - a[1] * b[0]
        })
        .sum();
    if area < 1e-6 {
        return -p[0]; // flat sections are checked through polar and orthogonality
    }
    (0..count)
        .map(|i| {
            let (a, b) = (vertices[i], vertices[(i + 1) % count]);
            // With b − a, so that short edges are tested without cancellation.
            let d = [b[0] - a[0], b[1] - a[1]];
            let normal = [a[1] * d[0] - a[0] * d[1], d[1], -d[0]];
            let len = norm(&normal);
            if len < 1e-12 {
                0.0
            } else {
                dot(&normal, p) / len
            }
        })
        .fold(-p[0], f64::max)
}

#[test]
fn rolling_cone_matches_the_oracle_table() {
    let text = include_str!("../data/rolling_cone_projection.json");
    let table: serde_json::Value = serde_json::from_str(text).expect("oracle file is JSON");
    let numbers = |v: &serde_json::Value| -> Vec<f64> {
        v.as_array()
            .expect("array")
            .iter()
            .map(|x| x.as_f64().expect("number"))
            .collect()
    };
    let cases = table["cases"].as_array().expect("cases");
    assert!(!cases.is_empty());
    for case in cases {
        let mut x = numbers(&case["x"]);
        let want = numbers(&case["projection"]);
        let radii = [case["mu"].as_f64().unwrap(), case["mu_r"].as_f64().unwrap()];
        project_rolling(&mut x, &radii, &[2, 2]);
        for (a, b) in x.iter().zip(&want) {
            // The table gives 16 digits of numbers of order one.
            assert!((a - b).abs() <= 1e-14, "{x:?} expected {want:?}");
        }
    }
}

#[test]
fn nan_input_stays_visible_in_every_cone() {
    let bad = [1.0, f64::NAN, 0.5];
    type Run<'a> = &'a dyn Fn(&mut [f64]);
    let runs: [Run<'_>; 5] = [
        &|x| project_circular(x, 0.5),
        &|x| project_elliptic(x, 0.5, 0.7),
        &|x| project_elliptic(x, 0.0, 0.7),
        &|x| project_rolling(x, &[0.5, 0.1], &[1, 1]),
        &|x| project_polygonal(x, &[[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]),
    ];
    for run in runs {
        let mut x = bad;
        run(&mut x);
        assert!(x.iter().any(|v| v.is_nan()), "{x:?}");
    }
}

#[test]
fn polygon_check_accepts_convex_sections_and_names_the_bad_vertex() {
    let square = [[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]];
    assert!(validate_polygon(&square).is_ok());
    assert!(validate_polygon(&[[0.0, 0.0]]).is_ok());
    assert!(validate_polygon(&[[-0.5, 0.0], [0.7, 0.0]]).is_ok());
    // 0 on an edge, and a vertex repeated.
    assert!(validate_polygon(&[[-1.0, 0.0], [1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]).is_ok());
    let text = |v: &[[f64; 2]]| validate_polygon(v).unwrap_err().to_string();
    assert!(text(&[]).contains("no element"));
    assert!(text(&[[1.0, f64::NAN]]).contains("[1] is NaN"));
    let mut clockwise = square;
    clockwise.reverse();
    assert!(text(&clockwise).contains("clockwise"));
    let dent = [
        [1.0, -1.0],
        [0.2, 0.0],
        [1.0, 1.0],
        [-1.0, 1.0],
        [-1.0, -1.0],
    ];
    assert!(text(&dent).contains("vertex 1"));
    assert!(text(&[[1.0, 1.0], [2.0, 1.0], [2.0, 2.0]]).contains("leaves 0 outside"));
    assert!(text(&[[1.0, 0.0], [2.0, 0.0]]).contains("leaves 0 outside"));
    // Neighbours whose rounding bends the outline inwards.
    let ulp = f64::EPSILON;
    assert!(
        text(&[
            [1.0, -1.0],
            [1.0, 0.0],
            [1.0 - 3.0 * ulp, ulp],
            [1.0, 1.0],
            [-1.0, 0.0]
        ])
        .contains("vertex")
    );
    let star: Vec<[f64; 2]> = (0..5)
        .map(|k| {
            let a = 2.0 * std::f64::consts::TAU * f64::from(k) / 5.0;
            [a.cos(), a.sin()]
        })
        .collect();
    assert!(validate_polygon(&star).is_err());
}
