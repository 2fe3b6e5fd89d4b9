//! Newton's cradle: one ball hits a row of others, without loss. With small gaps the impacts come one after the other and
//! the last ball leaves alone. Touching balls are hit at once: Moreau's impact law then shares the momentum.

use percuss::plane::*;

/// Velocities after the impact of one ball on a row, the gaps between the balls being given.
fn cradle(count: usize, gap: f64) -> percuss::Result<Vec<f64>> {
    let radius = 0.05;
    let mut builder = World::builder()
        .gravity([0.0, 0.0])
        .tolerance(1e-12)
        .law(ContactLaw::frictionless().restitution(1.0));
    let mut balls = Vec::new();
    for k in 0..count {
        let x = k as f64 * (2.0 * radius + gap);
        let (x, v) = if k == 0 { (x - 0.02, 1.0) } else { (x, 0.0) };
        let ball = Body::disc(radius).at([x, 0.0]).velocity([v, 0.0]);
        balls.push(builder.add_body(format!("ball {k}"), ball));
    }
    let mut world = builder.build()?;
    world.run_until(0.1)?;
    balls
        .iter()
        .map(|ball| Ok(world.body(*ball)?.velocity().x))
        .collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (gap, exact) in [
        (2e-3, [0.0, 0.0, 1.0]),
        (0.0, [-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]),
    ] {
        let after = cradle(3, gap)?;
        println!("gaps of {gap} m: velocities {after:.4?} m/s");
        for (v, exact) in after.iter().zip(exact) {
            assert!((v - exact).abs() < 1e-6);
        }
        // Momentum and energy are those of the first ball.
        let sums = after
            .iter()
            .fold([0.0, 0.0], |[p, e], v| [p + v, e + v * v]);
        assert!((sums[0] - 1.0).abs() < 1e-9 && (sums[1] - 1.0).abs() < 1e-6);
    }
    Ok(())
}
