//! A pendulum from its energies as text: its period at large amplitude against the complete elliptic integral.

use std::f64::consts::PI;

use percuss::Mechanism;

/// Period by the arithmetic-geometric mean: T = 2π √(l/g) / agm(1, cos(θ₀/2)).
fn exact_period(l: f64, g: f64, amplitude: f64) -> f64 {
    let (mut a, mut b) = (1.0, (0.5 * amplitude).cos());
    for _ in 0..6 {
        (a, b) = (0.5 * (a + b), f64::sqrt(a * b));
    }
    2.0 * PI * (l / g).sqrt() / a
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (l, g, h) = (0.5, 9.81, 1e-4);
    for amplitude in [0.1, 1.0, 2.5] {
        let mut pendulum = Mechanism::from_expressions()
            .parameter("l", l)
            .parameter("g", g)
            .angle("theta", amplitude, 0.0)
            .define("x", "l*sin(theta)")
            .define("y", "-l*cos(theta)")
            .kinetic("0.5*(x_dot^2 + y_dot^2)")
            .potential("g*y")
            .step(h)
            .build()?;
        // A quarter of a period: the time of the first passage through the lowest point.
        let mut before = pendulum.position("theta")?;
        let period = loop {
            pendulum.step()?;
            let now = pendulum.position("theta")?;
            if now <= 0.0 {
                break 4.0 * (pendulum.time() - h * now / (now - before));
            }
            before = now;
        };
        let exact = exact_period(l, g, amplitude);
        println!("amplitude {amplitude} rad: period {period:.7} s, exactly {exact:.7} s");
        assert!((period / exact - 1.0).abs() < 1e-6);
    }
    Ok(())
}
