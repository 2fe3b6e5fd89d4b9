//! The scheme `projected` on systems with known motions: order 2 over four steps, and errors at most a fiftieth of the
//! midpoint scheme's at h = 1 ms.

use crate::common::{Model, close};
use crate::persistent::{rotation, stepper};
use percuss_contact::Law;
use percuss_mechanism::{ConfigurationSpace, ConstraintKind, Coordinate, Integrator, Scheme};

/// Steps of the measured orders.
const STEPS: [f64; 4] = [4e-3, 2e-3, 1e-3, 5e-4];

/// Slope of log(error) over log(h) by least squares.
fn slope(errors: &[f64]) -> f64 {
    let points: Vec<[f64; 2]> = STEPS
        .iter()
        .zip(errors)
        .map(|(h, e)| [h.ln(), e.ln()])
        .collect();
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / points.len() as f64;
    let (x, y) = (mean(0), mean(1));
    let up: f64 = points.iter().map(|p| (p[0] - x) * (p[1] - y)).sum();
    up / points.iter().map(|p| (p[0] - x).powi(2)).sum::<f64>()
}

/// Measures the order over [`STEPS`] and compares the error at 1 ms with the midpoint scheme's. Returns the errors.
fn second_order(name: &str, error: impl Fn(Scheme, f64) -> f64) -> Vec<f64> {
    let errors = STEPS.map(|h| error(Scheme::Projected, h)).to_vec();
    let midpoint = error(Scheme::Midpoint, 1e-3);
    let order = slope(&errors);
    println!("{name}: {errors:?}, order {order:.3}; midpoint {midpoint:e}");
    assert!((order - 2.0).abs() <= 0.15, "{name}: {order} of {errors:?}");
    assert!(
        50.0 * errors[2] <= midpoint,
        "{name}: {errors:?} against {midpoint:e}"
    );
    errors
}

/// Runs to time `until`; every step meets its tolerance, gains nothing and stays out of the surfaces.
fn run(model: Model, scheme: Scheme, h: f64, until: f64, start: [&[f64]; 2]) -> [Vec<f64>; 2] {
    let mut motion = stepper(model, scheme, h, start[0], start[1]);
    for _ in 0..(until / h).round() as usize {
        motion.advance().unwrap();
        let report = motion.step_report();
        assert!(report.reached && report.excess <= 1e-9, "{report:?}");
        // Rounding of gaps, as positions are projected: the squared size of the coordinates.
        let size = motion
            .state()
            .q
            .iter()
            .fold(1.0_f64, |m, q| m.max(1.0 + q.abs()));
        let closed = report.penetration < 2e-15 * size * size;
        assert!(scheme != Scheme::Projected || closed, "{report:?}");
    }
    let state = motion.state();
    [state.q.clone(), state.v.clone()]
}

/// Runge–Kutta's method of fourth order with 20,000 steps: far below the errors that are measured with it.
fn reference<const N: usize>(
    mut x: [f64; N],
    until: f64,
    rate: impl Fn(&[f64; N]) -> [f64; N],
) -> [f64; N] {
    let n = 20_000;
    let h = until / n as f64;
    let ahead = |x: &[f64; N], k: &[f64; N], h: f64| -> [f64; N] {
        std::array::from_fn(|i| x[i] + h * k[i])
    };
    for _ in 0..n {
        let a = rate(&x);
        let b = rate(&ahead(&x, &a, 0.5 * h));
        let c = rate(&ahead(&x, &b, 0.5 * h));
        let d = rate(&ahead(&x, &c, h));
        x = std::array::from_fn(|i| x[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    x
}

/// Largest difference.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m, (x, y)| m.max((x - y).abs()))
}

/// A point inside a loop of radius 1, fast enough to stay on it: φ̈ = −g sin φ.
#[test]
fn point_in_a_loop() {
    let g = 9.81;
    let end = reference([0.0, 8.0], 1.0, |x| [x[1], -g * x[0].sin()]);
    let exact = [end[0].sin(), -end[0].cos()];
    second_order("loop", |scheme, h| {
        let model = Model::new(2, move |_, _, _, k| k.copy_from_slice(&[0.0, -g]))
            .constraint("loop", ConstraintKind::Contact, 1)
            .gaps(|_, q, gaps| gaps[0] = 1.0 - q[0].hypot(q[1]))
            .rows(|_, _, q, rows, _| {
                let r = q[0].hypot(q[1]);
                rows.copy_from_slice(&[-q[0] / r, -q[1] / r]);
            });
        let [q, _] = run(model, scheme, h, 1.0, [&[0.0, -1.0], &[8.0, 0.0]]);
        distance(&q, &exact)
    });
}

/// A wheel of radius r that rolls inside the loop: a point with the inertia 1 + J/r², without slip.
#[test]
fn wheel_in_a_loop() {
    let (g, r, inertia) = (9.81, 0.2, 0.5 * 0.2 * 0.2);
    let path = 1.0 - r;
    let pull = g / (path * (1.0 + inertia / (r * r)));
    let end = reference([0.0, 9.0], 1.0, |x| [x[1], -pull * x[0].sin()]);
    let exact = [path * end[0].sin(), -path * end[0].cos()];
    second_order("wheel", |scheme, h| {
        let model = Model::new(3, |_, _, _, _| ())
            .dynamics(move |_, _, _, mass, k| {
                mass.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, inertia]);
                k.copy_from_slice(&[0.0, -g, 0.0]);
            })
            .constraint("loop", ConstraintKind::Contact, 2)
            .gaps(move |_, q, gaps| gaps[0] = path - q[0].hypot(q[1]))
            .rows(move |_, _, q, rows, _| {
                let d = q[0].hypot(q[1]);
                let (x, y) = (q[0] / d, q[1] / d);
                rows.copy_from_slice(&[-x, -y, 0.0, -y, x, r]);
            })
            .law(|_, _, _, _| Law::Coulomb { mu: 5.0 });
        let speed = 9.0 * path;
        let start: [&[f64]; 2] = [&[0.0, -path, 0.0], &[speed, 0.0, -speed / r]];
        let [q, _] = run(model, scheme, h, 1.0, start);
        distance(&q[..2], &exact)
    });
}

/// A particle that slides across a slope: friction turns with the velocity, v̇ = g sin β e − μ g cos β v/|v|. A slope that
/// moves along itself carries the motion with it; its work is no gain of energy.
#[test]
fn friction_that_turns_is_of_second_order() {
    let (g, mu) = (9.81, 0.4_f64);
    let (sin, cos) = (mu.atan().sin(), mu.atan().cos());
    let end = reference([1.0, 0.0], 0.4, |v| {
        let speed = v[0].hypot(v[1]);
        let friction = mu * g * cos / speed;
        [-friction * v[0], g * sin - friction * v[1]]
    });
    // tan β = μ: |v| + v_down stays 1.
    close(end[0].hypot(end[1]) + end[1], 1.0, 1e-12);
    for belt in [0.0, 3.0, -3.0] {
        let errors = STEPS.map(|h| {
            let force = [0.0, g * sin, -g * cos];
            let model = Model::new(3, move |_, _, _, k| k.copy_from_slice(&force))
                .constraint("slope", ConstraintKind::Contact, 3)
                .gaps(|_, q, gaps| gaps[0] = q[2])
                .rows(move |_, _, _, rows, w| {
                    rows.copy_from_slice(&[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
                    w[1] = -belt;
                })
                .law(move |_, _, _, _| Law::Coulomb { mu });
            let start: [&[f64]; 2] = [&[0.0; 3], &[1.0 + belt, 0.0, 0.0]];
            let [_, v] = run(model, Scheme::Projected, h, 0.4, start);
            distance(&v[..2], &[end[0] + belt, end[1]])
        });
        println!("cross slope: {errors:?}");
        assert!((slope(&errors) - 2.0).abs() <= 0.15, "{errors:?}");
        assert!(errors[2] < 1e-5, "{errors:?}");
    }
}

/// A rigid body of mass 1 over a floor, with moments of inertia `inertia` about its centre of mass and a contact at
/// `point(R)` of the body, R the rotation.
pub fn spinning(
    inertia: [f64; 3],
    mu: f64,
    point: impl Fn(&[[f64; 3]; 3]) -> [f64; 3] + Copy + 'static,
) -> Model {
    let mut coordinates = vec![Coordinate::Length; 3];
    coordinates.push(Coordinate::Orientation);
    Model::new(6, |_, _, _, _| ())
        .chart(ConfigurationSpace::new(coordinates))
        .dynamics(move |_, _, v, mass, k| {
            mass.fill(0.0);
            for i in 0..3 {
                mass[i * 6 + i] = 1.0;
                mass[(i + 3) * 6 + i + 3] = inertia[i];
            }
            let w = &v[3..6];
            let l: [f64; 3] = std::array::from_fn(|i| inertia[i] * w[i]);
            let turn = cross(&l, w);
            k.copy_from_slice(&[0.0, 0.0, -9.81, turn[0], turn[1], turn[2]]);
        })
        .constraint("floor", ConstraintKind::Contact, 3)
        .gaps(move |_, q, gaps| {
            let m = rotation(&q[3..7]);
            gaps[0] = q[2] + dot(&m[2], &point(&m));
        })
        .rows(move |_, _, q, rows, _| {
            let m = rotation(&q[3..7]);
            let p = point(&m);
            for (row, axis) in [2, 0, 1].into_iter().enumerate() {
                rows[row * 6 + axis] = 1.0;
                rows[row * 6 + 3..row * 6 + 6].copy_from_slice(&cross(&p, &m[axis]));
            }
        })
        .law(move |_, _, _, _| Law::Coulomb { mu })
}

fn cross(a: &[f64], b: &[f64]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A heavy top whose tip sticks to the floor: Euler's equations about the tip.
#[test]
fn heavy_top() {
    let (l, inertia, until) = (0.5, [0.05, 0.05, 0.1], 1.0);
    let tip = [0.0, 0.0, -l];
    let about = [inertia[0] + l * l, inertia[1] + l * l, inertia[2]];
    let start: [f64; 4] = [(0.2_f64).cos(), (0.2_f64).sin(), 0.0, 0.0];
    let spin = [0.0, 0.3, 40.0];
    let x = [
        start[0], start[1], start[2], start[3], spin[0], spin[1], spin[2],
    ];
    let end = reference(x, until, |x| {
        let (q, w) = (&x[..4], &x[4..]);
        let m = rotation(q);
        let angular: [f64; 3] = std::array::from_fn(|i| about[i] * w[i]);
        let turn = cross(&angular, w);
        let weight = cross(&[0.0, 0.0, l], &m[2]);
        [
            -0.5 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]),
            0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]),
            0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]),
            0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]),
            (turn[0] - 9.81 * weight[0]) / about[0],
            (turn[1] - 9.81 * weight[1]) / about[1],
            (turn[2] - 9.81 * weight[2]) / about[2],
        ]
    });
    let axis = |q: &[f64]| {
        let m = rotation(q);
        [m[0][2], m[1][2], m[2][2]]
    };
    let exact = axis(&end[..4]);
    second_order("heavy top", |scheme, h| {
        let m = rotation(&start);
        let up = |p: &[f64; 3]| [dot(&m[0], p), dot(&m[1], p), dot(&m[2], p)];
        let (arm, speed) = (up(&tip), up(&cross(&spin, &tip)));
        let q = [
            -arm[0], -arm[1], -arm[2], start[0], start[1], start[2], start[3],
        ];
        let v = [-speed[0], -speed[1], -speed[2], spin[0], spin[1], spin[2]];
        let [q, _] = run(
            spinning(inertia, 5.0, move |_| tip),
            scheme,
            h,
            until,
            [&q, &v],
        );
        distance(&axis(&q[3..7]), &exact)
    });
}

/// A tippe top, a ball whose centre of mass is a little below its centre, that slides: its motion by Newton's and Euler's
/// equations with the normal force that keeps z + e b₃·ẑ, and, whatever the friction, Jellett's integral L·(e b₃ − R ẑ),
/// which the midpoint scheme keeps to the same order.
#[test]
fn tippe_top_slides_and_keeps_jelletts_integral() {
    let (radius, e, inertia, mu) = (1.0, 0.2, [0.35, 0.35, 0.4], 0.2);
    let point =
        move |m: &[[f64; 3]; 3]| [-radius * m[2][0], -radius * m[2][1], e - radius * m[2][2]];
    let jellett = move |q: &[f64], v: &[f64]| {
        let m = rotation(&q[3..7]);
        let angular: [f64; 3] = std::array::from_fn(|i| inertia[i] * v[3 + i]);
        dot(&angular, &point(&m))
    };
    let start: [f64; 4] = [(0.3_f64).cos(), (0.3_f64).sin(), 0.0, 0.0];
    let m = rotation(&start);
    let height = -dot(&m[2], &point(&m));
    let spin = [0.0, 1.0, 15.0];
    let climb = -dot(&cross(&spin, &point(&m)), &m[2]);
    let q = [0.0, 0.0, height, start[0], start[1], start[2], start[3]];
    let v = [0.3, 0.0, climb, spin[0], spin[1], spin[2]];
    // Orientation, angular velocity in the body, velocity of the centre of mass.
    let x = [q[3], q[4], q[5], q[6], v[3], v[4], v[5], v[0], v[1], v[2]];
    let end = reference(x, 1.0, |x| {
        let (q, w, v) = (&x[..4], &x[4..7], &x[7..]);
        let m = rotation(q);
        let p = point(&m);
        let slip: [f64; 2] = std::array::from_fn(|i| v[i] + dot(&cross(w, &p), &m[i]));
        let speed = slip[0].hypot(slip[1]);
        // Accelerations and the second derivative of the gap with a normal force.
        let with = |normal: f64| {
            let force = [
                -mu * normal * slip[0] / speed,
                -mu * normal * slip[1] / speed,
                normal,
            ];
            let inside: [f64; 3] =
                std::array::from_fn(|i| (0..3).map(|j| m[j][i] * force[j]).sum());
            let angular: [f64; 3] = std::array::from_fn(|i| inertia[i] * w[i]);
            let (turn, moment) = (cross(&angular, w), cross(&p, &inside));
            let dw: [f64; 3] = std::array::from_fn(|i| (turn[i] + moment[i]) / inertia[i]);
            // k = Rᵀẑ: k̇ = k × ω, k̈₃ from its first two components.
            let (k, dk) = (m[2], cross(&m[2], w));
            let bend = dk[0] * w[1] + k[0] * dw[1] - dk[1] * w[0] - k[1] * dw[0];
            (dw, force, force[2] - 9.81 + e * bend)
        };
        let (none, one) = (with(0.0).2, with(1.0).2);
        let (dw, force, _) = with(-none / (one - none));
        [
            -0.5 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]),
            0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]),
            0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]),
            0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]),
            dw[0],
            dw[1],
            dw[2],
            force[0],
            force[1],
            force[2] - 9.81,
        ]
    });
    let run = |scheme, h| run(spinning(inertia, mu, point), scheme, h, 1.0, [&q, &v]);
    second_order("tippe top", |scheme, h| {
        let [_, speed] = run(scheme, h);
        distance(&speed[..3], &end[7..])
    });
    let errors = STEPS.map(|h| {
        let [end, speed] = run(Scheme::Projected, h);
        // It has turned over noticeably: the integral is no trivial one.
        assert!((rotation(&end[3..7])[2][2] - m[2][2]).abs() > 0.02);
        (jellett(&end, &speed) / jellett(&q, &v) - 1.0).abs()
    });
    println!("Jellett's integral: {errors:?}");
    assert!(
        (slope(&errors) - 2.0).abs() <= 0.15 && errors[2] < 1e-6,
        "{errors:?}"
    );
}

/// A ball that rolls in a vertical pipe does not fall out: it goes up and down with √(2/7) of the angular velocity about
/// the axis.
#[test]
fn ball_in_a_vertical_pipe() {
    let (g, r, path, turn) = (9.81, 0.2, 0.8, 6.0);
    let inertia = 0.4 * r * r;
    let nu = turn * (2.0_f64 / 7.0).sqrt();
    let until = 2.0;
    let height = -5.0 / 7.0 * g / (nu * nu) * (1.0 - (nu * until).cos());
    let exact = [
        path * (turn * until).cos(),
        path * (turn * until).sin(),
        height,
    ];
    second_order("pipe", |scheme, h| {
        let model = Model::new(6, |_, _, _, _| ())
            .dynamics(move |_, _, _, mass, k| {
                mass.fill(0.0);
                for i in 0..6 {
                    mass[i * 7] = if i < 3 { 1.0 } else { inertia };
                }
                k.copy_from_slice(&[0.0, 0.0, -g, 0.0, 0.0, 0.0]);
            })
            .constraint("pipe", ConstraintKind::Contact, 3)
            .gaps(move |_, q, gaps| gaps[0] = path - q[0].hypot(q[1]))
            .rows(move |_, _, q, rows, _| {
                let d = q[0].hypot(q[1]);
                let (x, y) = (q[0] / d, q[1] / d);
                // The velocities 3 to 5 are the angular velocity in space.
                for (row, e) in [[-x, -y, 0.0], [0.0, 0.0, 1.0], [-y, x, 0.0]]
                    .iter()
                    .enumerate()
                {
                    rows[row * 6..row * 6 + 3].copy_from_slice(e);
                    rows[row * 6 + 3..row * 6 + 6].copy_from_slice(&cross(&[r * x, r * y, 0.0], e));
                }
            })
            .law(|_, _, _, _| Law::Coulomb { mu: 2.0 });
        let v = [0.0, path * turn, 0.0, 0.0, 0.0, -path * turn / r];
        let [q, _] = run(
            model,
            scheme,
            h,
            until,
            [&[path, 0.0, 0.0, 0.0, 0.0, 0.0], &v],
        );
        distance(&q[..3], &exact)
    });
}

/// A flat-faced spring-loaded roller follower on an eccentric disc: it lifts off at the speed at which its closed-form
/// acceleration first outruns spring and weight, found to 0.1 %.
#[test]
fn cam_follower_lifts_off_at_its_speed() {
    let (e, radius, mass, k, preload, g) = (0.01, 0.03, 0.2, 2000.0, 0.005, 9.81);
    let lift = move |a: f64| e * a.sin() + (radius * radius - (e * a.cos()).powi(2)).sqrt();
    // m ω² y″ + m g + k (y − y_min + preload) ≥ 0 for all angles.
    let lowest = lift(-std::f64::consts::FRAC_PI_2);
    let load = move |y: f64| mass * g + k * (y - lowest + preload);
    let critical = (0..200_000)
        .filter_map(|i| {
            let a = i as f64 * std::f64::consts::TAU / 200_000.0;
            let d = 1e-4;
            let second = (lift(a + d) - 2.0 * lift(a) + lift(a - d)) / (d * d);
            (second < 0.0).then(|| (load(lift(a)) / (-mass * second)).sqrt())
        })
        .fold(f64::INFINITY, f64::min);
    let opens = |omega: f64| {
        let place = move |t: f64| [e * (omega * t).cos(), e * (omega * t).sin()];
        let model = Model::new(1, |_, _, _, _| ())
            .dynamics(move |_, q, _, m, f| {
                m[0] = mass;
                f[0] = -load(q[0]);
            })
            .constraint("cam", ConstraintKind::Contact, 1)
            .gaps(move |t, q, gaps| {
                let c = place(t);
                gaps[0] = c[0].hypot(q[0] - c[1]) - radius;
            })
            .rows(move |_, t, q, rows, w| {
                let c = place(t);
                let d = c[0].hypot(q[0] - c[1]);
                rows[0] = (q[0] - c[1]) / d;
                // Velocity of the centre of the cam: ω (−c₁, c₀).
                w[0] = (-c[0] * omega * c[1] - (q[0] - c[1]) * omega * c[0]) / d;
            });
        let slope = (lift(1e-5) - lift(-1e-5)) / 2e-5;
        let start: [&[f64]; 2] = [&[lift(0.0)], &[omega * slope]];
        // 1000 steps a turn, two turns.
        let h = std::f64::consts::TAU / omega / 1000.0;
        let mut motion = stepper(model, Scheme::Projected, h, start[0], start[1]);
        (0..2000).any(|_| {
            motion.advance().unwrap();
            assert!(motion.step_report().penetration < 1e-14);
            motion.state().impulse[0] == 0.0
        })
    };
    assert!(!opens(0.999 * critical) && opens(1.001 * critical));
}

/// A slider-crank with 0.1 mm of play in the pin of its slider at h = 20 µs, with and without restitution: the pin stays in
/// its hole.
#[test]
fn slider_crank_with_play_stays_within_its_play() {
    let (crank, rod, omega, play) = (0.153, 0.306, 150.0, 1e-4);
    let (m_rod, m_slider) = (0.038, 0.076);
    let inertia = m_rod * rod * rod / 3.0;
    for (e, mu) in [(0.0, 0.0), (0.0, 0.1), (0.4, 0.05), (0.9, 0.0)] {
        let tip = move |t: f64| [crank * (omega * t).cos(), crank * (omega * t).sin()];
        // The end of the rod less the centre of the hole.
        let apart = move |t: f64, q: &[f64]| {
            let a = tip(t);
            [a[0] + rod * q[0].cos() - q[1], a[1] - rod * q[0].sin()]
        };
        let model = Model::new(2, |_, _, _, _| ())
            .dynamics(move |t, q, _, m, k| {
                m.copy_from_slice(&[inertia, 0.0, 0.0, m_slider]);
                let a = tip(t).map(|x| -omega * omega * x);
                k[0] = -0.5 * m_rod * rod * (-a[0] * q[0].sin() - a[1] * q[0].cos());
                k[1] = 0.0;
            })
            .constraint("pin", ConstraintKind::Contact, 2)
            .gaps(move |t, q, gaps| {
                let d = apart(t, q);
                gaps[0] = play - d[0].hypot(d[1]);
            })
            .rows(move |_, t, q, rows, w| {
                let (d, a) = (apart(t, q), tip(t));
                let size = d[0].hypot(d[1]);
                let n = if size > 0.0 {
                    [-d[0] / size, -d[1] / size]
                } else {
                    [-1.0, 0.0]
                };
                let turned = [-rod * q[0].sin(), -rod * q[0].cos()];
                let moved = [-omega * a[1], omega * a[0]];
                for (row, n) in [n, [-n[1], n[0]]].iter().enumerate() {
                    rows[2 * row] = dot(n, &turned);
                    rows[2 * row + 1] = -n[0];
                    w[row] = dot(n, &moved);
                }
            })
            .law(move |_, _, _, _| Law::Coulomb { mu })
            .restitution(move |_| e);
        let h = 2e-5;
        let speed = -omega * crank / rod;
        let start: [&[f64]; 2] = [&[0.0, crank + rod], &[-speed, 0.0]];
        let mut motion = stepper(model, Scheme::Projected, h, start[0], start[1]);
        let (mut deepest, mut free) = (0.0_f64, 0);
        // Two turns.
        for _ in 0..(2.0 * std::f64::consts::TAU / omega / h) as usize {
            motion.advance().unwrap();
            let report = motion.step_report();
            assert!(report.reached && report.excess < 1e-9, "{report:?}");
            deepest = deepest.max(report.penetration);
            free += usize::from(motion.state().impulse[0] == 0.0);
        }
        assert!(deepest < 1e-2 * play, "{e}: {deepest:e}");
        // The slider follows the ideal mechanism to within the play of the pin, which the rod's lean makes longer.
        let q = &motion.state().q;
        let a = tip(motion.state().t);
        let ideal = a[0] + (rod * rod - a[1] * a[1]).sqrt();
        assert!((q[1] - ideal).abs() < 3.0 * play, "{e}: {} {ideal}", q[1]);
        assert!(free > 0);
    }
}
