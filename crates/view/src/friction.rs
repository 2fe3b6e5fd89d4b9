//! How much of its friction a contact uses.
//!
//! ```text
//! usage = gauge_D(S_t) / S_n,     gauge_D(x) = min { s ≥ 0 : x ∈ s D },     D the section of the cone (M88 §12)
//! ```
//!
//! 0 is an impulse along the normal, 1 the edge of the cone; for Coulomb's law ‖S_t‖ / (μ S_n). With two
//! coefficients it is the static one. Where there is no friction, or no normal impulse, it is not a number.

use bodies::Friction;
use scene::collection::BodiesEnvironment;

/// Friction by numbers of materials.
#[derive(Debug, Clone)]
pub(crate) struct FrictionUsage {
    surroundings: BodiesEnvironment,
}

impl FrictionUsage {
    pub fn new(surroundings: BodiesEnvironment) -> Self {
        Self { surroundings }
    }

    /// The share of its friction that a contact between two materials uses.
    pub fn usage(&self, materials: [u32; 2], normal: f64, tangential: [f64; 2]) -> f64 {
        let laws = &self.surroundings.laws;
        let known = |m: u32| {
            u16::try_from(m)
                .ok()
                .filter(|m| usize::from(*m) < laws.count())
        };
        let (Some(a), Some(b)) = (known(materials[0]), known(materials[1])) else {
            return f64::NAN;
        };
        if !(normal > 0.0) || tangential.iter().any(|t| t.is_nan()) {
            return f64::NAN;
        }
        gauge(&laws.law(a, b).0.friction, tangential) / normal
    }
}

fn gauge(friction: &Friction, [t1, t2]: [f64; 2]) -> f64 {
    match friction {
        Friction::None => f64::NAN,
        // With μ = 0 beside a rolling friction there is no cone to use.
        Friction::Coulomb(mu) => t1.hypot(t2) / positive(*mu),
        Friction::StaticDynamic(law) => t1.hypot(t2) / positive(law.mu_static),
        Friction::Asymmetric { plus, minus } => match t1 >= 0.0 {
            true => share(t1, *plus),
            false => share(-t1, *minus),
        },
        Friction::Elliptic { mu1, mu2, .. } => (t1 / mu1).hypot(t2 / mu2),
        Friction::Polygon { section, .. } => {
            // Anticlockwise about 0: the outward normal of an edge e is (e_y, −e_x).
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

/// x/bound, and 0 for 0/0: a side without friction that is not leant on.
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
                // A few roundings of numbers of size one.
                assert!(
                    (value - scale).abs() < 1e-14,
                    "{friction:?} {edge:?} {value}"
                );
            }
        }
        assert!(gauge(&Friction::None, [1.0, 0.0]).is_nan());
    }

    fn contact_section(corners: &[[f64; 2]]) -> Arc<contact::law::PolygonSection> {
        Arc::new(contact::law::PolygonSection::new(corners).expect("a convex polygon"))
    }
}
