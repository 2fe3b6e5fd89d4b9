//! A ball is thrown on a rough floor: a mechanism of closures with friction and restitution. The impact changes the
//! velocities by (1 + e) v_n along the normal and by at most μ times this along the floor.

use percuss::{ClosureConstraint, Mechanism};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (g, m, e) = (9.81, 0.3, 0.6);
    for mu in [0.0, 0.1, 0.9] {
        // Coordinates: centre of the ball (a point mass) and its kinetic energy ½ m (ẋ² + ż²).
        let floor = ClosureConstraint::contact("floor", |at| at.q[1], |_| [0.0, 1.0])
            .friction(mu, |_| [1.0, 0.0])
            .restitution(e);
        let mut ball = Mechanism::from_closures(["x", "z"])
            .start([0.0, 1.0], [2.0, 0.0])
            .mass(move |_| [[m, 0.0], [0.0, m]])
            .force(move |_| [0.0, -m * g])
            .potential(move |at| m * g * at.q[1])
            .constraint(floor)
            .step(1e-5)
            .build()?;
        let fall = (2.0_f64 / g).sqrt();
        ball.run_until(fall + 1e-3)?;
        // Friction stops the sliding where it can.
        let (vn, impulse) = (g * fall, (1.0 + e) * g * fall);
        let exact = [2.0 - (mu * impulse).min(2.0), e * vn - 1e-3 * g];
        let after = [ball.velocity("x")?, ball.velocity("z")?];
        println!("mu = {mu}: velocity after the impact {after:.4?}, exactly {exact:.4?} m/s");
        assert!((after[0] - exact[0]).abs() < 1e-3 && (after[1] - exact[1]).abs() < 1e-3);
    }
    Ok(())
}
