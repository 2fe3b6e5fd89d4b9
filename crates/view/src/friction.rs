//! Friction usage (mobilised friction) of a contact.
//!
//! ```text
//! usage = gauge_D(S_t) / S_n,     gauge_D(x) = min { s ≥ 0 : x ∈ s D },     D the section of the cone (M88 §12)
//! ```
//!
//! It is 0 for an impulse along the normal and 1 on the boundary of the friction cone; for Coulomb's law ‖S_t‖
//! / (μ S_n). With static and dynamic coefficients the static one is used. Without friction, or without a
//! normal impulse, it is NaN.

use percuss_bodies::Friction;
use percuss_scene::bodies_scene::BodiesEnvironment;

/// Friction laws by pair of material numbers.
#[derive(Debug, Clone)]
pub(crate) struct FrictionUsage {
    surroundings: BodiesEnvironment,
}

impl FrictionUsage {
    pub fn new(surroundings: BodiesEnvironment) -> Self {
        Self { surroundings }
    }

    /// Friction usage of a contact between two materials.
    pub fn usage(&self, materials: [u32; 2], normal: f64, tangential: [f64; 2]) -> f64 {
        let laws = &self.surroundings.laws;
        let known = |m: u32| {
            u16::try_from(m)
                .ok()
                .filter(|m| usize::from(*m) < laws.count())
        };
        // Materials without a known law.
        let (Some(a), Some(b)) = (known(materials[0]), known(materials[1])) else {
            return f64::NAN;
        };
        // No normal impulse or no friction.
        if !(normal > 0.0) || tangential.iter().any(|t| t.is_nan()) {
            return f64::NAN;
        }
        gauge(&laws.law(a, b).0.friction, tangential) / normal
    }
}

fn gauge(friction: &Friction, [t1, t2]: [f64; 2]) -> f64 {
    match friction {
        Friction::None => f64::NAN,
        // With μ = 0 (rolling friction only) there is no cone.
        Friction::Coulomb(mu) => t1.hypot(t2) / positive(*mu),
        Friction::StaticDynamic(law) => t1.hypot(t2) / positive(law.mu_static),
        Friction::Asymmetric { plus, minus } => match t1 >= 0.0 {
            true => share(t1, *plus),
            false => share(-t1, *minus),
        },
        Friction::Elliptic { mu1, mu2, .. } => (t1 / mu1).hypot(t2 / mu2),
        Friction::Polygon { section, .. } => {
            // Vertices are counterclockwise about 0: the outward normal of an edge e is (e_y, −e_x).
            let corners = section.vertices();
            let next = corners.iter().cycle().skip(1);
            let edges = corners.iter().zip(next).map(|(v, w)| {
                let outward = [w[1] - v[1], v[0] - w[0]];
                let reach = outward[0] * v[0] + outward[1] * v[1];
                share(outward[0] * t1 + outward[1] * t2, reach)
            });
            edges.fold(0.0, f64::max)
        }
    }
}

fn positive(mu: f64) -> f64 {
    if mu > 0.0 { mu } else { f64::NAN }
}

/// x/bound, and 0 for 0/0: no force against a direction without friction.
fn share(x: f64, bound: f64) -> f64 {
    if x <= 0.0 { 0.0 } else { x / bound }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn the_gauge_is_one_on_the_edge_of_every_section_and_homogeneous() {
        let square = [[0.5, -0.2], [0.5, 0.4], [-0.3, 0.4], [-0.3, -0.2]];
        let section = contact_section(&square);
        let polygon = Friction::Polygon {
            section,
            along: [1.0, 0.0, 0.0],
        };
        let elliptic = Friction::Elliptic {
            mu1: 0.5,
            mu2: 0.25,
            along: [1.0, 0.0, 0.0],
        };
        let asymmetric = Friction::Asymmetric {
            plus: 0.6,
            minus: 0.2,
        };
        let cases = [
            (Friction::Coulomb(0.5), [0.3, 0.4]),
            (polygon.clone(), [0.5, 0.1]),
            (polygon.clone(), [0.0, -0.2]),
            (polygon, [-0.3, 0.4]),
            (elliptic, [0.0, -0.25]),
            (asymmetric.clone(), [0.6, 0.0]),
            (asymmetric, [-0.2, 0.0]),
        ];
        for (friction, edge) in cases {
            for scale in [0.0, 0.25, 1.0, 3.0] {
                let value = gauge(&friction, edge.map(|x| scale * x));
                // A few rounding errors of numbers of order one.
                assert!(
                    (value - scale).abs() < 1e-14,
                    "{friction:?} {edge:?} {value}"
                );
            }
        }
        assert!(gauge(&Friction::None, [1.0, 0.0]).is_nan());
    }

    fn contact_section(corners: &[[f64; 2]]) -> Arc<percuss_contact::law::PolygonSection> {
        Arc::new(percuss_contact::law::PolygonSection::new(corners).expect("a convex polygon"))
    }
}
