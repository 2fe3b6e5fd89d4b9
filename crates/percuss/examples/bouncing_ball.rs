//! A ball falls from one metre and returns from each bounce with half of its speed: infinitely many bounces in 1.35 s.
//! Its heights and the instant at which it lies still have closed forms.

use percuss::space::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (radius, height, e, g) = (0.05, 1.0, 0.5, 9.81);
    let mut world = World::builder()
        .step(2e-4)
        .law(ContactLaw::frictionless().restitution(e))
        .body("floor", Body::half_space())
        .body("ball", Body::sphere(radius).at([0.0, 0.0, radius + height]))
        .build()?;
    // Highest point of each flight, by the sign of the velocity.
    let (mut tops, mut rising) = (vec![height], false);
    while world.time() < 1.5 {
        world.step()?;
        let ball = world.body("ball")?;
        let up = ball.velocity().z > 0.0;
        if rising && !up {
            tops.push(ball.position().z - radius);
        }
        rising = up;
    }
    for (k, top) in tops.iter().take(5).enumerate() {
        let exact = height * f64::powi(e, 2 * k as i32);
        println!("flight {k}: {top:.4} m high, exactly {exact:.4} m");
        assert!((top - exact).abs() < 5e-3);
    }
    let rest = (2.0 * height / g).sqrt() * (1.0 + e) / (1.0 - e);
    let speed = world.body("ball")?.velocity().length();
    println!("at rest after {rest:.4} s: speed at the end {speed:.1e} m/s");
    assert!(speed < 1e-9);
    Ok(())
}
