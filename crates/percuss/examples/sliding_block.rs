//! A block on an incline: it slides with a = g (sin α − μ cos α) if tan α > μ, and rests otherwise.

use percuss::plane::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (g, alpha, t) = (9.81, 25_f64.to_radians(), 1.0);
    // Unit vectors down the incline and away from it.
    let down = Vector::new(-alpha.cos(), -alpha.sin());
    let normal = Vector::new(-alpha.sin(), alpha.cos());
    for mu in [0.2, 0.4, 0.6] {
        let block = Body::rectangle(0.4, 0.2).angle(alpha).at(normal * 0.1);
        let mut world = World::builder()
            .tolerance(1e-10)
            .law(ContactLaw::coulomb(mu))
            .body("incline", Body::half_plane().angle(alpha))
            .body("block", block)
            .build()?;
        world.run_until(t)?;
        let slid = (world.body("block")?.position() - normal * 0.1).dot(down);
        let exact = 0.5 * g * (alpha.sin() - mu * alpha.cos()).max(0.0) * t * t;
        println!("mu = {mu}: it slid {slid:.6} m, exactly {exact:.6} m");
        assert!((slid - exact).abs() < 1e-5);
        assert!(world.certificate().ok);
    }
    Ok(())
}
