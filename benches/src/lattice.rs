//! A lattice of balls as a contact problem of any size, built without contact detection: for the cost of
//! sweeps.
//!
//! Balls of different masses on a cubic lattice, each in contact with its three lower neighbours or the wall;
//! tilted gravity produces sticking, sliding and open contacts together.

use percuss_contact::{FactoredDelassus, Law, Problem, ProblemError};
use percuss_solve::sample::Random;

/// About `balls` balls with three contacts each.
pub fn lattice(balls: usize) -> Result<Problem, ProblemError> {
    let edge = ((balls as f64).cbrt().round() as usize).max(1);
    let mut random = Random::new(1);
    let mut builder = FactoredDelassus::builder();
    let mut root = Vec::new();
    for _ in 0..edge.pow(3) {
        let mass: f64 = random.within(0.5, 2.0);
        let velocity = [0.0; 6].map(|_: f64| random.within(-0.01, 0.01));
        let mut free = velocity;
        for (v, g) in free.iter_mut().zip([-0.03, -0.02, -0.1]) {
            *v += mass.sqrt() * g;
        }
        builder.add_kinetic_group(&velocity, &free)?;
        root.push(1.0 / mass.sqrt());
    }
    for b in 0..edge.pow(3) {
        for (axis, stride) in [(2, edge * edge), (1, edge), (0, 1)] {
            let frame = frame(&mut random, axis);
            // 1/√I = √(5/2) / (r √m) with r = ½, times the lever arm.
            let ball = |k: usize, sign: f64| (k, sign * root[k], -0.5 * root[k] * 10_f64.sqrt());
            let (first, second) = (ball(b, 1.0), ball(b.saturating_sub(stride), -1.0));
            let both = [first, second];
            let inside = !(b / stride).is_multiple_of(edge);
            let touching = if inside { &both[..] } else { &both[..1] };
            let law = Law::Coulomb { mu: 0.4 };
            builder.add_sphere_contact(&law, &frame, touching, &[0.0; 3], &[0.0; 3])?;
        }
    }
    builder.build()
}

/// An orthonormal frame with its normal near an axis.
fn frame(random: &mut Random, axis: usize) -> [[f64; 3]; 3] {
    let mut n = [0.0; 3].map(|_: f64| random.within(-0.2, 0.2));
    n[axis] = 1.0;
    let n = glam::DVec3::from(n).normalize();
    let mut t = [0.0; 3];
    t[(axis + 1) % 3] = 1.0;
    let t = glam::DVec3::from(t);
    let t = (t - n * n.dot(t)).normalize();
    [n, t, n.cross(t)].map(Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lattice_has_three_contacts_for_each_ball() {
        assert_eq!(lattice(64).expect("sound").num_contacts(), 192);
    }
}
