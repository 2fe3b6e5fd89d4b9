//! Laws of constraints of mechanisms as rules of this module.

use percuss_contact::Law;

use super::super::laws::{Rule, Section};
use super::super::sum_set::SumSet;

/// The rules of a law over `rows` rows: two where its coefficient depends on the status of the constraint before and
/// the record does not have it, none for a non-firm set that this module cannot project onto.
pub(super) fn rules(law: &Law, rows: usize, known: bool) -> Vec<Rule> {
    let cone = |section: Section| vec![Rule::Cone(section)];
    let disc = |mu: f64| match rows {
        1 => Rule::Cone(Section::Nothing),
        _ => Rule::Cone(Section::Discs(vec![(mu, rows - 1)])),
    };
    match law {
        Law::Frictionless => cone(Section::Nothing),
        Law::Coulomb { mu } => vec![disc(*mu)],
        Law::CoulombAsymmetric { plus, minus } => cone(Section::Interval {
            plus: *plus,
            minus: *minus,
        }),
        Law::CoulombElliptic { mu1, mu2 } => cone(Section::Ellipse([*mu1, *mu2])),
        Law::CoulombPolygon(section) => cone(Section::Polygon(section.vertices().to_vec())),
        Law::StaticDynamic { friction, previous } => match known {
            true if *previous == percuss_contact::law::Status::Slip => {
                vec![disc(friction.mu_dynamic)]
            }
            true => vec![disc(friction.mu_static)],
            false => vec![disc(friction.mu_static), disc(friction.mu_dynamic)],
        },
        Law::Rolling {
            mu,
            mu_roll,
            mu_spin,
        } => {
            let mut discs = vec![(*mu, 2), (*mu_roll, 2)];
            if rows == 6 {
                discs.push((*mu_spin, 1));
            }
            cone(Section::Discs(discs))
        }
        Law::RollingPlane { mu, mu_roll } => cone(Section::Discs(vec![(*mu, 1), (*mu_roll, 1)])),
        Law::Bilateral => vec![Rule::Held],
        Law::NonFirm(set) if !set.is_box_and_ball() => {
            let vertices = set.vertices().chunks(rows.max(1)).map(<[f64]>::to_vec);
            let sum = SumSet {
                low: set.lower().to_vec(),
                high: set.upper().to_vec(),
                radius: set.radius(),
                vertices: vertices.collect(),
                ellipsoids: set.ellipsoids().map(<[f64]>::to_vec).collect(),
            };
            match sum.known() {
                true => vec![Rule::WithinSum(sum)],
                false => Vec::new(),
            }
        }
        Law::NonFirm(set) => vec![Rule::Within {
            low: set.lower().to_vec(),
            high: set.upper().to_vec(),
            radius: set.radius(),
        }],
        Law::BilateralFriction { normal_rows, mu } => vec![Rule::HeldFriction {
            held: *normal_rows,
            mu: *mu,
        }],
    }
}
