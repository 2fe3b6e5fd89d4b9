//! A door swings against its stop: a hinge of space with limits and restitution. Without friction its angular velocity
//! after the stop is −e times that before; with friction in the hinge it loses a little on the way.

use percuss::space::*;

/// Angular velocity of the door after it has hit its stop once.
fn swing(friction: f64) -> percuss::Result<f64> {
    let hinge = Joint::revolute("world", "door", [0.0, 0.0, 1.0], [0.0, 0.0, 1.0])
        .limits(-0.1, 1.2)
        .limit_restitution(0.4)
        .friction(friction, 0.02);
    // 0.9 m wide, turning about its edge with 2 rad/s: its centre moves along y.
    let door = Body::cuboid([0.9, 0.04, 2.0])
        .at([0.45, 0.0, 1.0])
        .density(600.0)
        .velocity([0.0, 0.9, 0.0])
        .spin([0.0, 0.0, 2.0]);
    let mut world = World::builder()
        .body("door", door)
        .joint("hinge", hinge)
        .build()?;
    let mut most = 0.0_f64;
    world.run_with(0.7, |world| {
        most = most.max(world.joint("hinge").map_or(f64::NAN, |hinge| hinge.angle()));
    })?;
    println!("friction {friction}: it opened to {most:.4} rad");
    assert!((most - 1.2).abs() < 5e-3);
    Ok(world.joint("hinge")?.speed())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (free, rough) = (swing(0.0)?, swing(0.2)?);
    println!("angular velocity after the stop: {free:.4} rad/s, with friction {rough:.4} rad/s");
    assert!((free + 0.8).abs() < 1e-6);
    assert!(rough > free && rough < 0.0);
    Ok(())
}
