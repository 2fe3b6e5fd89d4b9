//! A wall of bricks in running bond on ground that begins to shake: first its weight on the ground, then how far the
//! courses move.

use percuss::plane::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (width, height, courses, bricks) = (0.4, 0.2, 6, 4);
    // From 0.1 s on the ground oscillates with 2 Hz.
    let shaking = |t: f64| {
        let (omega, s) = (std::f64::consts::TAU * 2.0, (t - 0.1).max(0.0));
        let rate = 0.08 * omega * (omega * s).sin();
        ([0.08 * (1.0 - (omega * s).cos()), 0.0], [rate, 0.0])
    };
    let mut builder = World::builder()
        .law(ContactLaw::coulomb(0.5))
        .law_between("ground", "brick", ContactLaw::coulomb(0.7))
        .body("ground", Body::half_plane().moved_by(shaking));
    for course in 0..courses {
        for k in 0..bricks {
            let x = width * (k as f64 + 0.5 * f64::from(course % 2));
            let y = height * (f64::from(course) + 0.5);
            let brick = Body::rectangle(width, height)
                .density(2400.0)
                .material("brick");
            builder.add_body(format!("{course}/{k}"), brick.at([x, y]));
        }
    }
    let mut world = builder.build()?;

    world.run_until(0.1)?;
    let on_ground = world
        .contacts()
        .filter(|contact| contact.bodies[0] == "ground");
    let carried: f64 = on_ground.map(|contact| contact.force.y).sum();
    let weight = 9.81
        * world
            .bodies()
            .filter(|b| b.name() != "ground")
            .map(|b| b.mass())
            .sum::<f64>();
    println!("the ground carries {carried:.1} N of {weight:.1} N");
    assert!((carried / weight - 1.0).abs() < 1e-4);

    world.run_until(0.6)?;
    for course in 0..courses {
        let moved = world.body(format!("{course}/0"))?.position().x
            - world.body("ground")?.position().x
            - width * (0.5 * f64::from(course % 2));
        println!("course {course} moved {:+.4} m against the ground", moved);
    }
    let certificate = world.certificate();
    println!(
        "{} steps, worst residual {:.1e}",
        certificate.steps, certificate.worst_residual
    );
    assert_eq!(certificate.missed, 0);
    Ok(())
}
