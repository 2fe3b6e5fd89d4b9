//! A double pendulum in text against the same one in Rust.

use percuss_contact::law::Status;
use percuss_mechanism::{StateRef, System};
use percuss_scene::{Sample, Scene, SymbolicSystem};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Two point masses, a joint that keeps the lower one on a moving line, a wall with friction.
const SCENE: &str = r#"
kind = "mechanism"
[parameters]
m1 = 1.3
m2 = 0.7
l1 = 0.9
l2 = 1.1
g = 9.81
c = 0.2
k = 3.0
speed = 0.4
[[coordinate]]
name = "a"
kind = "angle"
initial = 0.3
[[coordinate]]
name = "b"
kind = "angle"
velocity = "speed"
[definitions]
x1 = "l1*sin(a)"
y1 = "-l1*cos(a)"
x2 = "x1 + l2*sin(b)"
y2 = "y1 - l2*cos(b)"
[dynamics]
kinetic = "0.5*m1*(x1_dot^2 + y1_dot^2) + 0.5*m2*(x2_dot^2 + y2_dot^2)"
potential = "m1*g*y1 + m2*g*y2 + 0.5*k*(b - a)^2"
[dynamics.forces]
b = "-c*(b_dot - a_dot)*abs(b_dot - a_dot)"
[[contact]]
name = "wall"
gap = "2 + 0.1*sin(3*t) - x2"
tangent = "y2_dot - 0.5*t"
friction = "0.3 + 0.1*sin(a)^2"
restitution = "0.5/(1 + b_dot^2)"
tangential_restitution = 0.25
[[joint]]
name = "line"
constraint = ["y2 + x2*t/5", "x1*x2 - 1"]
[run]
until = 1
step = 1e-3
"#;

/// The same by hand.
struct Native {
    q: [f64; 2],
    v: [f64; 2],
    t: f64,
}

const M1: f64 = 1.3;
const M2: f64 = 0.7;
const L1: f64 = 0.9;
const L2: f64 = 1.1;
const G: f64 = 9.81;
const K: f64 = 3.0;
const C: f64 = 0.2;

impl Native {
    fn mass(&self) -> [f64; 4] {
        let off = M2 * L1 * L2 * (self.q[0] - self.q[1]).cos();
        [(M1 + M2) * L1 * L1, off, off, M2 * L2 * L2]
    }

    fn force(&self) -> [f64; 2] {
        let ([a, b], [u, v]) = (self.q, self.v);
        let turn = M2 * L1 * L2 * (a - b).sin();
        let drag = -C * (v - u) * (v - u).abs();
        [
            -turn * v * v - (M1 + M2) * G * L1 * a.sin() + K * (b - a),
            turn * u * u - M2 * G * L2 * b.sin() - K * (b - a) + drag,
        ]
    }

    /// (value, derivative by a, by b, second along the motion) of x1, x2, y2.
    fn points(&self) -> [[f64; 4]; 3] {
        let ([a, b], [u, v]) = (self.q, self.v);
        let (sa, ca, sb, cb) = (a.sin(), a.cos(), b.sin(), b.cos());
        let (fall, rise) = (L1 * sa * u * u, L1 * ca * u * u);
        [
            [L1 * sa, L1 * ca, 0.0, -fall],
            [L1 * sa + L2 * sb, L1 * ca, L2 * cb, -fall - L2 * sb * v * v],
            [-L1 * ca - L2 * cb, L1 * sa, L2 * sb, rise + L2 * cb * v * v],
        ]
    }

    fn rate(&self, point: [f64; 4]) -> f64 {
        point[1] * self.v[0] + point[2] * self.v[1]
    }
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (f, e) in found.iter().zip(expected) {
        // A few dozen operations on numbers of order 10.
        let near = (f - e).abs() <= 1e-13 * (1.0 + e.abs() + expected.len() as f64);
        assert!(near, "{found:?} is not {expected:?}");
    }
}

fn system() -> SymbolicSystem {
    Scene::parse("pendulum", "pendulum.toml", SCENE)
        .and_then(|scene| scene.build_mechanism())
        .unwrap()
        .system
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 100,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(2002),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn text_and_rust_agree_on_everything(
        t in -2.0..2.0_f64,
        q in proptest::array::uniform2(-3.0..3.0_f64),
        v in proptest::array::uniform2(-3.0..3.0_f64),
    ) {
        let (mut text, native) = (system(), Native { q, v, t });
        let (mut mass, mut force) = ([0.0; 4], [0.0; 2]);
        text.dynamics(t, &q, &v, &mut mass, &mut force).unwrap();
        close(&mass, &native.mass());
        close(&force, &native.force());

        let [x1, x2, y2] = native.points();
        let mut gaps = [0.0; 3];
        text.gaps(t, &q, &mut gaps).unwrap();
        let wall = 2.0 + 0.1 * (3.0 * t).sin() - x2[0];
        close(&gaps, &[wall, y2[0] + x2[0] * t / 5.0, x1[0] * x2[0] - 1.0]);

        let (mut rows, mut boundary, mut bias) = ([0.0; 4], [0.0; 2], [0.0; 2]);
        text.rows(0, t, &q, &mut rows, &mut boundary).unwrap();
        close(&rows, &[-x2[1], -x2[2], y2[1], y2[2]]);
        close(&boundary, &[0.3 * (3.0 * t).cos(), -0.5 * t]);
        text.bias(0, t, &q, &v, &mut bias).unwrap();
        close(&bias, &[-0.9 * (3.0 * t).sin() - x2[3], y2[3] - 0.5]);

        text.rows(1, t, &q, &mut rows, &mut boundary).unwrap();
        let product = [1, 2].map(|i| x1[i] * x2[0] + x1[0] * x2[i]);
        let line = [1, 2].map(|i| y2[i] + x2[i] * t / 5.0);
        close(&rows, &[line[0], line[1], product[0], product[1]]);
        close(&boundary, &[x2[0] / 5.0, 0.0]);
        text.bias(1, t, &q, &v, &mut bias).unwrap();
        let (r1, r2) = (native.rate(x1), native.rate(x2));
        let bend = x1[3] * x2[0] + 2.0 * r1 * r2 + x1[0] * x2[3];
        close(&bias, &[y2[3] + x2[3] * t / 5.0 + 0.4 * r2, bend]);

        let at = StateRef { t, q: &q, v: &v };
        let law = text.law(0, at, 1e-3, Status::Open).unwrap();
        let mu = 0.3 + 0.1 * q[0].sin().powi(2);
        let percuss_contact::Law::Coulomb { mu: found } = law else {
            panic!("another law");
        };
        prop_assert!((found - mu).abs() < 1e-15);
        prop_assert_eq!(text.law(1, at, 1e-3, Status::Open).unwrap(), percuss_contact::Law::Bilateral);
        let rebound = text.restitution(0, at).unwrap();
        close(&[rebound.normal, rebound.tangential], &[0.5 / (1.0 + v[1] * v[1]), 0.25]);
        prop_assert_eq!(text.restitution(1, at).unwrap(), percuss_contact::Restitution::default());
    }

    #[test]
    fn the_tangent_is_the_derivative_of_the_force(
        q in proptest::array::uniform2(-3.0..3.0_f64),
        v in proptest::array::uniform2(-3.0..3.0_f64),
    ) {
        let mut text = system();
        let (mut by_q, mut by_v) = ([0.0; 4], [0.0; 4]);
        prop_assert!(text.force_jacobians(0.3, &q, &v, &mut by_q, &mut by_v).unwrap());
        let h = 1e-5;
        for j in 0..2 {
            let moved = |by: f64, of: [f64; 2]| {
                let mut next = of;
                next[j] += by;
                next
            };
            let native = |q, v| Native { q, v, t: 0.3 }.force();
            let (ahead, behind) = (native(moved(h, q), v), native(moved(-h, q), v));
            let (faster, slower) = (native(q, moved(h, v)), native(q, moved(-h, v)));
            for i in 0..2 {
                // h²/6 of third derivatives below 100, and 1e-14/h; the drag has a kink in its
                // second derivative, which costs h.
                let along = (ahead[i] - behind[i]) / (2.0 * h);
                prop_assert!((by_q[2 * i + j] - along).abs() < 1e-7);
                let along = (faster[i] - slower[i]) / (2.0 * h);
                prop_assert!((by_v[2 * i + j] - along).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn observables_are_what_their_names_say(
        t in -2.0..2.0_f64,
        q in proptest::array::uniform2(-3.0..3.0_f64),
        v in proptest::array::uniform2(-3.0..3.0_f64),
    ) {
        let (mut text, native) = (system(), Native { q, v, t });
        let forces = |constraint: usize, row: usize| 10.0 * constraint as f64 + row as f64;
        let sample = Sample { t, q: &q, v: &v, forces: &forces, path: percuss_mechanism::PathSums::default() };
        let mut value = |name: &str| {
            let mut observable = text.observable(name).unwrap();
            observable.evaluate(&mut text, &sample).unwrap()
        };
        let [_, x2, y2] = native.points();
        let m = native.mass();
        let kinetic = 0.5 * (m[0] * v[0] * v[0] + 2.0 * m[1] * v[0] * v[1] + m[3] * v[1] * v[1]);
        let potential = -M1 * G * L1 * q[0].cos() + M2 * G * y2[0] + 0.5 * K * (q[1] - q[0]).powi(2);
        let found = [
            value("kinetic"), value("potential"), value("energy"),
            value("gap_wall"), value("normal_speed_wall"), value("slip_wall"),
            value("force_wall"), value("friction_wall"), value("force_line"), value("2*force2_line"),
            value("x2 + t*b_dot + m1"),
        ];
        let expected = [
            kinetic, potential, kinetic + potential,
            2.0 + 0.1 * (3.0 * native.t).sin() - x2[0],
            0.3 * (3.0 * t).cos() - native.rate(x2), native.rate(y2) - 0.5 * t,
            0.0, 1.0, 10.0, 22.0,
            x2[0] + t * v[1] + M1,
        ];
        close(&found, &expected);
    }
}

#[test]
fn the_initial_state_is_as_written() {
    let built = Scene::parse("pendulum", "pendulum.toml", SCENE)
        .and_then(|scene| scene.build_mechanism())
        .unwrap();
    assert_eq!(
        (built.initial.q, built.initial.v),
        (vec![0.3, 0.0], vec![0.0, 0.4])
    );
    assert_eq!(
        (built.initial.t, built.until, built.settings.step),
        (0.0, 1.0, 1e-3)
    );
    assert_eq!(built.initial.impulse.len(), 4);
    let system = built.system;
    assert_eq!(
        (system.position_name(1), system.velocity_name(0)),
        ("b".into(), "a_dot".into())
    );
    assert_eq!(system.constraint_index("line"), Some(1));
}
