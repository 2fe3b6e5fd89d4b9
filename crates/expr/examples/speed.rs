//! Cost of compiled text expressions beside the same formulas in Rust.
//!
//! ```text
//! cargo run --release -p percuss-expr --example speed
//! ```
//!
//! Best of several rounds, because other load only ever adds time.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use percuss_expr::lagrange::{Coordinates, Equations};
use percuss_expr::{Graph, Program, Scope, Scratch};

const ROUNDS: usize = 200;
const RUNS: usize = 20_000;

/// Nanoseconds per call.
fn time(mut call: impl FnMut(f64) -> f64) -> f64 {
    let mut best = f64::INFINITY;
    let mut sum = 0.0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for i in 0..RUNS {
            sum += call(black_box(i as f64 * 1e-4));
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    black_box(sum);
    best / RUNS as f64 * 1e9
}

fn report(what: &str, program: &Program, text: f64, native: f64) {
    let instructions = program.num_instructions();
    println!("{what}: {text:.1} ns as text ({instructions} instructions), {native:.1} ns in Rust,");
    println!("    ratio {:.2}", text / native);
}

fn motion() -> Result<(), Box<dyn Error>> {
    let mut graph = Graph::new();
    let mut scope = Scope::new();
    scope.input(&mut graph, "t")?;
    let text = "0.01*sin(2*pi*1.5*t)*exp(-t/2) + if(t < 0.5, t, 0.5)";
    let node = graph.parse(&scope, text)?;
    let program = Program::compile(&graph, &[node]);
    let (mut scratch, mut output) = (Scratch::new(), [0.0]);
    let text = time(|t| match program.run(&[t], &mut scratch, &mut output) {
        Ok(()) => output[0],
        Err(_) => f64::NAN,
    });
    let native = time(|t| {
        let wave = 0.01 * (2.0 * std::f64::consts::PI * 1.5 * t).sin() * (-t / 2.0).exp();
        wave + if t < 0.5 { t } else { 0.5 }
    });
    report("prescribed motion", &program, text, native);
    Ok(())
}

/// Masses and lengths of the double pendulum.
struct Pendulum {
    m: [f64; 2],
    l: [f64; 2],
    g: f64,
}

impl Pendulum {
    /// A (row by row) and K, as one would write them by hand.
    #[inline(never)]
    fn equations(&self, q: [f64; 2], v: [f64; 2], out: &mut [f64; 6]) {
        let Pendulum {
            m: [m1, m2],
            l: [l1, l2],
            g,
        } = *self;
        let (s, c) = (q[0] - q[1]).sin_cos();
        let coupling = m2 * l1 * l2;
        out[0] = (m1 + m2) * l1 * l1;
        out[1] = coupling * c;
        out[2] = out[1];
        out[3] = m2 * l2 * l2;
        out[4] = -coupling * s * v[1] * v[1] - (m1 + m2) * g * l1 * q[0].sin();
        out[5] = coupling * s * v[0] * v[0] - m2 * g * l2 * q[1].sin();
    }
}

fn pendulum(kinetic: &str, what: &str) -> Result<(), Box<dyn Error>> {
    let mut graph = Graph::new();
    let mut scope = Scope::new();
    let mut inputs = Vec::new();
    for name in ["q1", "q2", "v1", "v2"] {
        inputs.push(scope.input(&mut graph, name)?);
    }
    for (name, value) in [
        ("m1", 1.0),
        ("m2", 0.7),
        ("l1", 0.9),
        ("l2", 1.1),
        ("g", 9.81),
    ] {
        scope.parameter(&mut graph, name, value)?;
    }
    let kinetic = graph.parse(&scope, kinetic)?;
    let potential = graph.parse(&scope, "-(m1 + m2)*g*l1*cos(q1) - m2*g*l2*cos(q2)")?;
    let positions = inputs[..2].to_vec();
    let coordinates = Coordinates::new(&graph, None, positions, inputs[2..].to_vec())?;
    let equations = Equations::derive(&mut graph, &coordinates, kinetic, Some(potential), &[])?;
    let program = equations.program(&graph);
    let (mut scratch, mut out) = (Scratch::new(), [0.0; 6]);
    let text = time(|x| {
        let inputs = black_box([x, 0.3, 1.1, -x]);
        match program.run(&inputs, &mut scratch, &mut out) {
            Ok(()) => out.iter().sum(),
            Err(_) => f64::NAN,
        }
    });
    let native = Pendulum {
        m: [1.0, 0.7],
        l: [0.9, 1.1],
        g: 9.81,
    };
    let native = black_box(native);
    let native = time(|x| {
        let [q1, q2, v1, v2] = black_box([x, 0.3, 1.1, -x]);
        native.equations([q1, q2], [v1, v2], &mut out);
        out.iter().sum()
    });
    report(what, &program, text, native);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    motion()?;
    let by_angles = "0.5*(m1 + m2)*l1^2*v1^2 + 0.5*m2*l2^2*v2^2 + m2*l1*l2*v1*v2*cos(q1 - q2)";
    pendulum(by_angles, "double pendulum, T by angles")?;
    let by_points = "0.5*m1*((l1*v1*cos(q1))^2 + (l1*v1*sin(q1))^2) \
        + 0.5*m2*((l1*v1*cos(q1) + l2*v2*cos(q2))^2 + (l1*v1*sin(q1) + l2*v2*sin(q2))^2)";
    pendulum(by_points, "double pendulum, T by velocities of points")
}
