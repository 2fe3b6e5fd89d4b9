//! Contact law of a candidate, from the materials of its bodies or from a joint with clearance.

use percuss_contact::law::{Law, Status};

use crate::candidate::Candidate;
use crate::dynamics::Dynamics;
use crate::joint::clearance_joint;
use crate::materials::{Friction, PairLaw};
use crate::model::Model;

/// The law of a candidate's pair of materials, or that of the joint whose pin it is; and whether the directions
/// of anisotropic friction are fixed in the first body.
#[inline(always)]
pub(super) fn pair_law<'a, D: Dynamics>(
    model: &'a Model<D>,
    found: &Candidate<D>,
) -> (&'a PairLaw, bool) {
    // A pin in a hole has the law of its joint.
    if !model.joints.is_empty()
        && let Some(joint) = clearance_joint(&model.joints, found)
        && let Some(clearance) = &model.joints[joint].clearance
    {
        return (&clearance.law, true);
    }
    if model.materials.count() == 1 {
        return model.materials.law(0, 0);
    }
    let [a, b] = found.bodies.map(|i| model.bodies[i as usize].material);
    model.materials.law(a, b)
}

/// The law of a contact between two materials and its number of rows; `previous` is the contact's status in the
/// step before, on which static and dynamic friction depend.
pub fn law<D: Dynamics>(pair: &PairLaw, previous: Status) -> (Law, usize) {
    // Rolling or spinning resistance: angular rows beside the frame.
    if pair.rolling > 0.0 || pair.spinning > 0.0 {
        let mu = match pair.friction {
            Friction::Coulomb(mu) => mu,
            _ => 0.0,
        };
        let mu_roll = pair.rolling;
        return match D::N {
            2 => (Law::RollingPlane { mu, mu_roll }, 3),
            _ => {
                let mu_spin = pair.spinning;
                let law = Law::Rolling {
                    mu,
                    mu_roll,
                    mu_spin,
                };
                (law, 6)
            }
        };
    }
    // Sliding friction alone; no coefficient means a normal row alone.
    match &pair.friction {
        Friction::None => (Law::Frictionless, 1),
        Friction::Coulomb(0.0) => (Law::Frictionless, 1),
        Friction::Coulomb(mu) => (Law::Coulomb { mu: *mu }, D::N),
        Friction::Asymmetric { plus, minus } => {
            let (plus, minus) = (*plus, *minus);
            (Law::CoulombAsymmetric { plus, minus }, D::N)
        }
        Friction::Elliptic { mu1, mu2, .. } => {
            let (mu1, mu2) = (*mu1, *mu2);
            (Law::CoulombElliptic { mu1, mu2 }, D::N)
        }
        Friction::Polygon { section, .. } => (Law::CoulombPolygon(section.clone()), D::N),
        Friction::StaticDynamic(friction) => {
            let friction = *friction;
            (Law::StaticDynamic { friction, previous }, D::N)
        }
    }
}
