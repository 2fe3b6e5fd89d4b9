//! Retraction of moving sets: closed forms, fine samplings, and the variation that it bounds (M99 §5, §6).

use percuss_convex::{Ball, Ellipsoid, HalfSpace};
use percuss_sweep::{
    ConstraintRows, DiscConfiguration, Inequalities, InequalitySet, Method, Metric,
    MovingPolyhedron, MovingProduct, MovingSet, Process, RetractionPolicy, Schedule, Settings,
    TransformedSet,
};

use crate::common::{
    MovingBall, Numbers, dragged, dragging, method, orders, tractrix, worst_error,
};

fn searched() -> Settings {
    Settings {
        retraction: RetractionPolicy::Searched,
        ..Settings::default()
    }
}

/// A polygon of m random sides around the origin whose bounds go from b₀ at t = 0 to b₁ at t = 1.
fn polygon(numbers: &mut Numbers, m: usize) -> (MovingPolyhedron, Vec<[f64; 2]>, [Vec<f64>; 2]) {
    let mut sides = Vec::new();
    for k in 0..m {
        // Spread around, so that the set is bounded: normals of a triangle are no more than 1.4/3 of a turn apart.
        let angle = std::f64::consts::TAU * (k as f64 + 0.2 * numbers.next()) / m as f64;
        sides.push([angle.cos(), angle.sin()]);
    }
    let mut bounds = || {
        (0..m)
            .map(|_| 1.0 + 0.3 * numbers.next())
            .collect::<Vec<f64>>()
    };
    let both = [bounds(), bounds()];
    let rows = ConstraintRows::dense(2, &sides.concat()).expect("rows");
    let moving = both.clone();
    let set = MovingPolyhedron::new(rows, move |t, b| {
        for (k, b) in b.iter_mut().enumerate() {
            *b = (1.0 - t) * moving[0][k] + t * moving[1][k];
        }
    });
    (set.expect("a polygon"), sides, both)
}

/// Distance of a point from the set by projection in the metric.
fn far(set: &mut MovingPolyhedron, metric: &Metric, t: f64, x: &[f64]) -> f64 {
    set.distance(metric, t, x).expect("a distance")
}

#[test]
fn excess_of_polygons_agrees_with_a_fine_sampling_in_two_metrics() {
    let mut numbers = Numbers(3);
    for trial in 0..40 {
        let metric = match trial % 2 {
            0 => Metric::Euclidean,
            _ => Metric::full(2, &[2.0, 0.6, 0.6, 0.7]).expect("a metric"),
        };
        let (mut set, sides, [first, _]) = polygon(&mut numbers, 3 + trial % 5);
        set.set_metric(&metric).expect("set");
        let e = set.excess(0.0, 1.0).expect("computed").expect("known");
        // Points of C(0) on rays from the origin, which is inside.
        let mut most = 0.0_f64;
        for k in 0..20_000 {
            let angle = std::f64::consts::TAU * f64::from(k) / 20_000.0;
            let d = [angle.cos(), angle.sin()];
            let reach = sides
                .iter()
                .zip(&first)
                .map(|(g, b)| b / (g[0] * d[0] + g[1] * d[1]));
            let reach = reach.filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min);
            most = most.max(far(&mut set, &metric, 1.0, &[reach * d[0], reach * d[1]]));
        }
        // A corner is at most half an angle away from a ray, 2e-4 of the reach; corners may be as far as 5.
        assert!(
            e >= most - 1e-12 && e <= most + 4e-3,
            "trial {trial}: {e} {most}"
        );
    }
}

#[test]
fn excess_satisfies_the_triangle_inequality_over_three_times() {
    let mut numbers = Numbers(17);
    for _ in 0..30 {
        let (mut set, ..) = polygon(&mut numbers, 6);
        let mut e = |s, t| set.excess(s, t).expect("computed").expect("known");
        // Exact to rounding.
        assert!(e(0.0, 1.0) <= e(0.0, 0.3) + e(0.3, 1.0) + 1e-12);
        assert!(e(1.0, 0.0) <= e(1.0, 0.6) + e(0.6, 0.0) + 1e-12);
    }
}

#[test]
fn excess_of_half_planes_slabs_translations_and_turning_squares_has_its_closed_form() {
    let of = |rows: &[f64], n: usize, b: fn(f64, &mut [f64])| {
        MovingPolyhedron::new(ConstraintRows::dense(n, rows).expect("rows"), b).expect("a set")
    };
    let known =
        |set: &mut dyn MovingSet, s: f64, t: f64| set.excess(s, t).expect("e").expect("known");
    // A slab across (0.6, 0.8), not along an axis and with a third row that is never active.
    let rows = [0.6, 0.8, -0.6, -0.8, 1.2, 1.6];
    let mut slab = of(&rows, 2, |t, b| b.copy_from_slice(&[1.0 - t, 1.0, 50.0]));
    assert!((known(&mut slab, 0.0, 0.5) - 0.5).abs() < 1e-14);
    assert_eq!(known(&mut slab, 0.5, 0.0), 0.0);
    // A wedge between two lines at 60°: moved along its axis by s it retracts by s sin 30° + 0 on each side, by s at the tip.
    let root = 0.75_f64.sqrt();
    let wedge = [-0.5, root, -0.5, -root];
    let mut wedge = of(&wedge, 2, |t, b| b.fill(-0.5 * t));
    assert!((known(&mut wedge, 0.0, 1.0) - 1.0).abs() < 1e-14);
    assert_eq!(known(&mut wedge, 1.0, 0.0), 0.0);
    // Twenty coordinates, sides at random: too many corners, but a translation by a shows in the bounds.
    let mut numbers = Numbers(8);
    let shift: Vec<f64> = (0..20).map(|_| numbers.next()).collect();
    let mut rows: Vec<f64> = (0..60 * 20).map(|_| numbers.next()).collect();
    let negative: Vec<f64> = rows.iter().map(|g| -g).collect();
    rows.extend(negative);
    let given = ConstraintRows::dense(20, &rows).expect("rows");
    let length = shift.iter().map(|v| v * v).sum::<f64>().sqrt();
    let mut many = MovingPolyhedron::new(given, move |t, b| {
        for (b, g) in b.iter_mut().zip(rows.chunks(20)) {
            *b = 1.0 + t * g.iter().zip(&shift).map(|(g, a)| g * a).sum::<f64>();
        }
    })
    .expect("a polytope");
    // Least squares of 120 rows.
    assert!((known(&mut many, 0.0, 0.25) - 0.25 * length).abs() < 1e-10);
    // A square of side 2 that turns by φ: its corner is off by √2 sin of what is left of the angle, 1 − … of its side.
    let turn = |t: f64, m: &mut [f64]| {
        let (s, c) = t.sin_cos();
        m.copy_from_slice(&[c, s, -s, c, -c, -s, s, -c]);
    };
    let mut square =
        MovingPolyhedron::with_moving_rows((2, 4, 0), turn, |_, b| b.fill(1.0)).expect("a square");
    let (t, quarter) = (0.3_f64, std::f64::consts::FRAC_PI_4);
    let expected = 2.0_f64.sqrt() * (quarter - t).cos() - 1.0;
    assert!((known(&mut square, 0.0, t) - expected).abs() < 1e-14);
    // A half-plane that turns recedes without bound: not known.
    let mut edge = MovingPolyhedron::with_moving_rows(
        (2, 1, 0),
        |t, m| m.copy_from_slice(&[t.cos(), t.sin()]),
        |_, b| b.fill(1.0),
    )
    .expect("an edge");
    assert_eq!(edge.excess(0.0, 0.1).expect("e"), None);
}

/// x²/a² + y²/b² ≤ 1 with semi-axes that change.
struct Ellipse(fn(f64) -> [f64; 2]);

impl Inequalities for Ellipse {
    fn dim(&self) -> usize {
        2
    }
    fn count(&self) -> usize {
        1
    }
    fn values(&self, t: f64, x: &[f64], out: &mut [f64]) {
        let axes = (self.0)(t);
        out[0] = 0.5 * ((x[0] / axes[0]).powi(2) + (x[1] / axes[1]).powi(2) - 1.0);
    }
    fn gradients(&self, t: f64, x: &[f64], out: &mut [f64]) {
        let axes = (self.0)(t);
        (out[0], out[1]) = (x[0] / axes[0].powi(2), x[1] / axes[1].powi(2));
    }
}

#[test]
fn searched_excess_of_smooth_sets_is_that_of_the_closed_form() {
    // A ball moved by a: |a|, in two and three coordinates.
    for dim in [2, 3] {
        let ball = MovingBall {
            dim,
            radius: 0.7,
            centre: |t, a| {
                a.fill(0.0);
                (a[0], a[1]) = (t, -2.0 * t);
            },
            speed: |_, v| v.fill(0.0),
        };
        let mut set = InequalitySet::new(ball).expect("a set");
        for (s, t) in [(0.0, 0.01), (0.01, 0.03), (1.0, 1.5)] {
            let e = set.searched_excess(s, t).expect("e").expect("found");
            let exact = (t - s) * 5.0_f64.sqrt();
            // The search stops at gains of 1e-14; projections are exact to 1e-12.
            assert!((e - exact).abs() < 1e-9, "{dim}: {e} {exact}");
        }
        assert_eq!(set.excess(0.0, 1.0).expect("e"), None);
    }
    // Concentric ellipses: the largest shrinking of a semi-axis; two local maxima, one of which changes.
    let axes = |t: f64| [2.0 - 0.5 * t, 1.0 - t * t];
    let mut set = InequalitySet::new(Ellipse(axes)).expect("a set");
    for (s, t) in [(0.0, 0.1), (0.1, 0.2), (0.2, 0.3), (0.4, 0.6), (0.6, 0.8)] {
        let e = set.searched_excess(s, t).expect("e").expect("found");
        let (a, b) = (axes(s), axes(t));
        let exact = f64::max(a[0] - b[0], a[1] - b[1]);
        assert!((e - exact).abs() < 1e-8, "{s} to {t}: {e} {exact}");
    }
}

#[test]
fn searched_excess_of_transformed_sets_agrees_with_a_fine_sampling() {
    let ellipse = Ellipsoid::from_semi_axes(&[0.3, 0.0], &[1.0, 0.4]).expect("an ellipse");
    let mut set = TransformedSet::new(ellipse)
        .with_shift(|t, a| (a[0], a[1]) = (0.2 * t, 0.1 * t * t))
        .with_scale(|t| 1.0 - 0.3 * t)
        .with_angle(|t| 0.8 * t);
    let metric = Metric::diagonal(&[1.0, 2.5]).expect("a metric");
    set.set_metric(&metric).expect("set");
    for (s, t) in [(0.0, 0.5), (0.5, 0.6), (0.9, 0.1)] {
        let e = set.searched_excess(s, t).expect("e").expect("found");
        let mut most = 0.0_f64;
        for k in 0..20_000 {
            let angle = std::f64::consts::TAU * f64::from(k) / 20_000.0;
            // The boundary of the ellipse, moved by hand.
            let y = [0.3 + angle.cos(), 0.4 * angle.sin()];
            let ((sin, cos), scale) = ((0.8 * s).sin_cos(), 1.0 - 0.3 * s);
            let x = [
                0.2 * s + scale * (cos * y[0] - sin * y[1]),
                0.1 * s * s + scale * (sin * y[0] + cos * y[1]),
            ];
            most = most.max(set.distance(&metric, t, &x).expect("a distance"));
        }
        // A smooth maximum, sampled every 3e-4.
        assert!(
            e >= most - 1e-10 && e <= most + 1e-6,
            "{s} to {t}: {e} {most}"
        );
    }
    // A half-space that is moved along itself loses nothing, across itself what it moves.
    let half = HalfSpace::new(&[0.6, 0.8], 1.0).expect("a half-space");
    let mut half = TransformedSet::new(half).with_shift(|t, a| (a[0], a[1]) = (-t, -t));
    assert!((half.excess(0.0, 1.0).expect("e").expect("known") - 1.4).abs() < 1e-14);
    assert_eq!(half.excess(1.0, 0.0).expect("e"), Some(0.0));
}

#[test]
fn excess_of_products_and_of_resting_obstacles() {
    let ball = |speed: f64| {
        let ball = Ball::new(&[0.0, 0.0], 1.0).expect("a ball");
        let shift = move |t: f64, a: &mut [f64]| (a[0], a[1]) = (speed * t, 0.0);
        Box::new(TransformedSet::new(ball).with_shift(shift)) as Box<dyn MovingSet + Send>
    };
    let mut both = MovingProduct::new(vec![ball(3.0), ball(4.0)]).expect("a product");
    assert!((both.searched_excess(0.0, 1.0).expect("e").expect("known") - 5.0).abs() < 1e-14);
    let mut discs = DiscConfiguration::new(2, &[0.5, 0.5]).expect("discs");
    assert_eq!(discs.excess(0.0, 1.0).expect("e"), Some(0.0));
}

/// Excesses of short steps were too small by up to 6e-5 of themselves, and their sum depended on the step.
#[test]
fn searched_retraction_of_a_gliding_disc_is_its_way_for_every_step() {
    for step in [0.013, 0.01, 0.007, 1e-3] {
        let ball = MovingBall {
            dim: 2,
            radius: 1.0,
            centre: |t, a| (a[0], a[1]) = (3.0 * t, -4.0 * t),
            speed: |_, v| (v[0], v[1]) = (3.0, -4.0),
        };
        let set = InequalitySet::new(ball).expect("a set");
        let process = Process::new(set, 0.0, &[0.5, 0.0]).expect("a process");
        let mut process = process.with_settings(searched()).expect("settings");
        let summary = process
            .run(&Schedule::fixed(1.0, step), |_, _| {})
            .expect("it runs");
        let retraction = summary.retraction.expect("known");
        // Up to a thousand steps, each to a hundred times the gain of 1e-14 at which a search stops.
        assert!((retraction - 5.0).abs() < 1e-9, "{step}: {retraction}");
    }
}

#[test]
fn variation_stays_within_the_searched_retraction_and_meets_it_where_the_point_is_carried() {
    // The tractrix: the disc retracts by t, the point goes |u̇| = tanh.
    let ball = MovingBall {
        dim: 2,
        radius: 1.0,
        centre: dragged,
        speed: dragging,
    };
    let set = InequalitySet::new(ball).expect("a set");
    let process = Process::new(set, 0.0, &tractrix(0.0)).expect("a process");
    let mut process = process.with_settings(searched()).expect("settings");
    let summary = process
        .run(&Schedule::fixed(3.0, 0.02), |_, _| {})
        .expect("it runs");
    assert_eq!(summary.within_bound(), Some(true));
    let retraction = summary.retraction.expect("known");
    // 150 steps, each to 1e-9.
    assert!((retraction - 3.0).abs() < 1e-6, "{retraction}");
    let way = 3.0 - (1.0_f64 / 0.9).acosh().tanh();
    assert!(summary.variation < retraction && summary.variation > 0.5 * way);
}

#[test]
fn warm_starts_of_the_process_are_not_touched_by_the_search() {
    let run = |settings: Settings| {
        let set = InequalitySet::new(Ellipse(|t| [1.5 - 0.3 * t, 1.0 - 0.4 * t])).expect("a set");
        let process = Process::new(set, 0.0, &[1.0, 0.6]).expect("a process");
        let mut process = process.with_settings(settings).expect("settings");
        process
            .run(&Schedule::fixed(1.0, 0.05), |_, _| {})
            .expect("it runs");
        process.point().to_vec()
    };
    // To the bit.
    assert_eq!(run(Settings::default()), run(searched()));
}

#[test]
fn theta_above_one_has_order_one_and_looks_no_farther_than_a_jump() {
    let play = |until: f64| {
        let rows = ConstraintRows::dense(1, &[1.0, -1.0]).expect("rows");
        // [a − 0.3, a + 0.3], a jumps by 5 at t = 1.
        MovingPolyhedron::new(rows, move |t, b| {
            let a = if t < until { t } else { t + 5.0 };
            b.copy_from_slice(&[a + 0.3, 0.3 - a]);
        })
        .expect("an interval")
    };
    let settings = method(Method::Theta(1.5));
    let mut errors = Vec::new();
    for step in [0.1, 0.05, 0.025] {
        let process = Process::new(play(1.0), 0.0, &[0.0]).expect("a process");
        let mut process = process.with_settings(settings).expect("settings");
        let schedule = Schedule {
            jumps: vec![1.0],
            ..Schedule::fixed(1.0, step)
        };
        let mut left = f64::NAN;
        let ran = process.run(&schedule, |step, u| {
            if !step.jump {
                left = u[0];
            }
        });
        ran.expect("it runs");
        // u⁻ = 0.7 is dragged by the left end; it would be 3 and more if the jump had been seen.
        errors.push((step, (left - 0.7).abs()));
        assert!((process.point()[0] - 5.7).abs() < 1e-12);
    }
    assert!(errors.iter().all(|e| e.1 < e.0), "{errors:?}");
    assert!(
        orders(&errors).iter().all(|o| (o - 1.0).abs() < 0.2),
        "{errors:?}"
    );
    // Below ½, and what is no number, is refused.
    for theta in [0.4, f64::NAN, f64::INFINITY] {
        let process = Process::new(play(1.0), 0.0, &[0.0]).expect("a process");
        assert!(process.with_settings(method(Method::Theta(theta))).is_err());
    }
}

#[test]
fn penalty_that_grows_follows_the_closed_form_of_its_step() {
    // C = (−∞, 0], u' = −λ(t) u: u_F = u_I/(1 + hλ(t_F)).
    let rows = ConstraintRows::dense(1, &[1.0]).expect("rows");
    let set =
        MovingPolyhedron::new(rows, |t, b| b[0] = if t > 0.0 { 0.0 } else { 2.0 }).expect("a set");
    let process = Process::new(set, 0.0, &[2.0]).expect("a process");
    let settings = method(Method::Regularised(1.0));
    let process = process.with_settings(settings).expect("settings");
    let mut process = process.with_penalty(|t| 3.0 + 4.0 * t);
    let mut expected = 2.0;
    for k in 1..=10 {
        let t = 0.1 * f64::from(k);
        let h = t - process.time();
        process.advance(t).expect("a step");
        expected /= 1.0 + h * (3.0 + 4.0 * t);
        assert!((process.point()[0] - expected).abs() < 1e-14);
    }
    let mut process = process.with_penalty(|_| -1.0);
    let said = process.advance(2.0).expect_err("refused").to_string();
    assert!(said.contains("-1") && said.contains("positive"), "{said}");
}

/// The plane without the disc |x − (t, 0)| < 1.
struct Hole;

impl Inequalities for Hole {
    fn dim(&self) -> usize {
        2
    }
    fn count(&self) -> usize {
        1
    }
    fn values(&self, t: f64, x: &[f64], out: &mut [f64]) {
        out[0] = 0.5 * (1.0 - (x[0] - t).powi(2) - x[1] * x[1]);
    }
    fn gradients(&self, t: f64, x: &[f64], out: &mut [f64]) {
        (out[0], out[1]) = (t - x[0], -x[1]);
    }
}

#[test]
fn point_pushed_by_a_moving_hole_follows_its_closed_form() {
    // tan(φ/2) = tan(φ₀/2) eᵗ until φ = π/2.
    let exact = |t: f64| {
        let rest = -(0.15_f64.tan()).ln();
        let held = t.min(rest);
        let phi = 2.0 * (0.15_f64.tan() * held.exp()).atan();
        vec![held + phi.cos(), phi.sin()]
    };
    let mut errors = Vec::new();
    for step in [0.04, 0.02, 0.01] {
        let set = InequalitySet::prox_regular(Hole, 0.95).expect("a set");
        let mut process = Process::new(set, 0.0, &exact(0.0)).expect("a process");
        errors.push((
            step,
            worst_error(&mut process, &Schedule::fixed(2.5, step), exact),
        ));
        let summary = process.summary();
        // Differences of gradients are exact to 1e-10.
        let least = summary.least_radius.expect("a radius");
        assert!((least - 1.0).abs() < 1e-3, "{least}");
        assert_eq!(summary.beyond_radius, 0);
    }
    assert!(
        orders(&errors).iter().all(|o| (o - 1.0).abs() < 0.1),
        "{errors:?}"
    );
}

#[test]
fn radius_in_another_metric_is_that_of_the_ellipse() {
    // In the metric diag(4, 1) the disc is an ellipse of semi-axes 2 and 1, whose least radius of curvature is 1/2 and
    // largest 4; from outside a point at its end (1, 0) η = a²... = 4 |∇c|_* with |∇c|_* = 1/2.
    let mut set = InequalitySet::prox_regular(Hole, 0.3).expect("a set");
    set.set_metric(&Metric::diagonal(&[4.0, 1.0]).expect("a metric"))
        .expect("set");
    let mut p = [0.0; 2];
    for (z, expected) in [([0.95, 0.0], 0.5), ([0.0, 0.9], 1.0)] {
        set.project_into(0.0, &z, &mut p).expect("a nearest point");
        let eta = set
            .prox_regularity_radius()
            .expect("a radius")
            .expect("known");
        // |∇c|_* over the largest eigenvalue of A⁻¹: 1/2 and 1, over 1.
        assert!((eta - expected).abs() < 1e-6, "{z:?}: {eta}");
    }
}

/// { x : x² ≥ t }.
struct Opening;

impl Inequalities for Opening {
    fn dim(&self) -> usize {
        1
    }
    fn count(&self) -> usize {
        1
    }
    fn values(&self, t: f64, x: &[f64], out: &mut [f64]) {
        out[0] = t - x[0] * x[0];
    }
    fn gradients(&self, _t: f64, x: &[f64], out: &mut [f64]) {
        out[0] = -2.0 * x[0];
    }
}

#[test]
fn set_that_opens_under_the_point_is_said_to_have_two_nearest_points() {
    let run = |x: f64, radius: f64, step: f64| {
        let set = InequalitySet::prox_regular(Opening, radius).expect("a set");
        let mut process = Process::new(set, -0.1, &[x]).expect("a process");
        let ran = process.run(&Schedule::fixed(1.0, step), |_, _| {});
        ran.map(|_| process.point()[0])
            .map_err(|error| error.to_string())
    };
    // Met where the radius is 0.2 already, on either side.
    for (x, end) in [(0.2, 1.0), (-0.2, -1.0)] {
        assert!((run(x, 0.15, 0.01).expect("it runs") - end).abs() < 1e-12);
    }
    // Steps that pass over t = 0 find two points; 1e-4 ends a step there, where the gradient vanishes.
    for (step, words) in [
        (0.03, "two nearest points"),
        (0.003, "two nearest points"),
        (1e-4, "no normal"),
    ] {
        let said = run(0.0, 0.1, step).expect_err("it stops");
        assert!(
            said.contains(words) && said.contains("more than one"),
            "{said}"
        );
    }
    // The radius is 0.05 where the boundary meets the point, not the 0.1 declared.
    let said = run(0.05, 0.1, 1e-4).expect_err("it stops");
    assert!(said.contains("radius") && said.contains("1e-1"), "{said}");
    // Steps too long for the radius are refused, not taken to a point by chance.
    let set = InequalitySet::prox_regular(Hole, 0.2).expect("a set");
    let mut process = Process::new(set, 0.0, &[1.5, 0.0]).expect("a process");
    let said = process.advance(1.0).expect_err("it stops").to_string();
    assert!(said.contains("distance"), "{said}");
}
