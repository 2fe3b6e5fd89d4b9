//! A disc slides on a floor until it rolls.
use percuss::plane::*;

fn main() -> percuss::Result<()> {
    let mut world = World::builder()
        .law(ContactLaw::coulomb(0.5))
        .body("floor", Body::half_plane())
        .body("disc", Body::disc(0.1).at([0.0, 0.1]).velocity([1.0, 0.0]))
        .build()?;
    world.run_until(1.0)?;
    println!("it rolls at {:.3} m/s", world.body("disc")?.velocity().x);
    Ok(())
}
