//! The one-step problem by hand: a ball of 1 kg hits the ground at 2 m/s while it slides at 1 m/s, with μ = 0.2 and a
//! coefficient of restitution of one half.

use percuss::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut step = FactoredDelassus::builder();
    // A point mass in the plane: A = diag(m, m), its velocity, the impulse of given forces.
    let ball = step.add_group(&[1.0, 0.0, 0.0, 1.0], &[1.0, -2.0], &[0.0, 0.0])?;
    // Rows of G: the normal velocity (up) first, then the tangential one.
    let rows = [0.0, 1.0, 1.0, 0.0];
    let bounce = Restitution {
        normal: 0.5,
        tangential: 0.0,
    };
    step.add_contact(
        Law::Coulomb { mu: 0.2 },
        &[(ball, &rows)],
        &[0.0, 0.0],
        bounce,
    )?;
    let problem = step.build()?;

    let mut impulse = vec![0.0; problem.num_rows()];
    let report = Auto::default().solve(&problem, &mut impulse, &Goal::with_tolerance(1e-12));
    println!(
        "impulses {impulse:?} N s by {}, residual {:e}",
        report.method(),
        report.residual
    );
    // m (1 + e) v_n, and friction at its bound −μ r_n.
    assert!((impulse[0] - 3.0).abs() < 1e-12 && (impulse[1] + 0.6).abs() < 1e-12);

    let certificate = Certificate::of_impulses(&problem, &impulse).ok_or("no masses")?;
    println!("friction dissipated {} J", -certificate.friction_work);
    Ok(())
}
