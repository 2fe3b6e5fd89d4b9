//! Energy gained through contacts and joints in a step, and energy that the scheme loses at persistent contacts.
//!
//! ```text
//! gain    Σ S·Uᵃ − ½δ S·(𝒲S) = Σ S·(U_F + ρU_I)/(1+ρ) − ½δ ‖v̂_F − v̂_L‖²       ρ = (1−δ)/(1+δ)   (JM92 6.2)
//! ```
//!
//! With one ρ both terms are ≤ 0 where the laws hold, for any forces; held rows of joints are taken with the ρ
//! of the contacts beside them (`joints::energy_gain`). With several ρ the second term need not be (Kane and Levinson's
//! paradox): then only the first one is counted as `excess`. Self-stress S⁰ with GᵀS⁰ = 0 changes neither sum.
//!
//! ```text
//! lasting   Σ ½ S·(U_I − U_F⁻) over the persistent contacts: impulses in this step and the one before
//! ```
//!
//! U_F⁻ is the relative velocity at the end of the step before. Between two steps the velocities of the bodies
//! do not change: the difference of U_I is due to the rotation of the contact frame, which the midpoint rule
//! takes into account once a step. A persistent contact has U_F⁻ = U_F = 0 without restitution, so that the sum
//! is its whole work: the energy that the scheme loses on curved paths. Collisions, also those transmitted
//! through contacts, have U_F⁻ ≠ 0 and do not contribute.

use percuss_contact::Problem;
use percuss_contact::law::Status;

use super::ContactWorks;
use crate::dynamics::Dynamics;
use crate::materials::{Friction, PairLaw};
use crate::model::Model;
use crate::step::SolvedStep;
use crate::step::assemble::{frame, kinetic};
use crate::step::law::pair_law;
use crate::step::scratch::{Balance, Coupling};
use percuss_geometry::Vector;

/// Energy that the contacts and joints of a step gained or lost.
#[derive(Debug, Clone, Default)]
pub(crate) struct EnergyGain {
    /// Energy gained.
    pub gain: f64,
    /// The part of it that no law allows.
    pub excess: f64,
    /// Whether the restitution coefficients of contacts with impulses differ.
    pub mixed: bool,
    /// Energy change by the scheme at persistent contacts and held joints.
    pub lasting: f64,
}

/// Sums of one pass over all contacts.
struct Seen {
    /// Σ S·(U_F + ρU_I)/(1 + ρ).
    lawful: f64,
    /// Smallest and largest ρ of a row with an impulse.
    range: (f64, f64),
    lasting: f64,
}

/// The restitution coefficient of all contacts of a model, normal and tangential, if there is only one.
pub(in crate::step) fn common_restitution<D: Dynamics>(model: &Model<D>) -> Option<f64> {
    let count = model.materials.count() as u16;
    let pairs = (0..count).flat_map(|a| (a..count).map(move |b| (a, b)));
    let pairs = pairs.map(|(a, b)| model.materials.law(a, b).0);
    let pins = model
        .joints
        .iter()
        .filter_map(|joint| joint.clearance.as_ref());
    let all = pairs.chain(pins.map(|clearance| &clearance.law));
    let mut each = all.flat_map(|law| [rho(law, 0), rho(law, 1)]);
    let first = each.next().unwrap_or(0.0);
    each.all(|other| other == first).then_some(first)
}

/// ρ of a row of a law; a row that the law does not have counts with the normal ρ.
fn rho(law: &PairLaw, row: usize) -> f64 {
    let smooth = matches!(law.friction, Friction::None | Friction::Coulomb(0.0))
        && law.rolling == 0.0
        && law.spinning == 0.0;
    match row {
        0 => law.restitution.normal,
        _ if smooth => law.restitution.normal,
        _ => law.restitution.tangential,
    }
}

/// Positive part; NaN is kept.
fn positive(x: f64) -> f64 {
    if x < 0.0 { 0.0 } else { x }
}

impl<D: Dynamics> SolvedStep<'_, D> {
    /// The restitution coefficient of all contacts of the step, if there is only one. Persistent contacts have ρ = 1.
    pub(in crate::step) fn common_restitution(&self) -> Option<f64> {
        let common = self.inputs.cache.common_restitution;
        common.filter(|_| !self.assembly.any_persistent())
    }

    /// Energy gained and lost through contacts and joints in the step.
    pub(super) fn books(
        &self,
        problem: &Problem,
        works: &ContactWorks,
        coupling: &mut Coupling<D>,
        balance: &Balance<D>,
    ) -> EnergyGain {
        let seen = self.look_back(problem, balance);
        let joint = &works.joint;
        let raw = works.impact + works.sliding + joint.friction + joint.bilateral;
        // Held rows of a step that was solved again take part in a collision: not a loss of the scheme.
        let held = if self.assembly.joints.solved_again() {
            0.0
        } else {
            joint.bilateral
        };
        let lasting = seen.lasting + held;
        let mixed = seen.range.0 < seen.range.1;
        let lawful = match self.common_restitution() {
            // Σ S·U_I from the works and Σ S·U_F; limits of joints are counted with the impacts and subtracted
            // here.
            Some(e) => {
                let begin = 2.0 * (works.impact + works.sliding - joint.limit) - works.end;
                (works.end + e * begin) / (1.0 + e)
            }
            None => seen.lawful,
        } + joint.lawful;
        // One ρ in all rows: the bound of `joints::energy_gain`, joints included.
        if let (false, Some((gain, _))) = (mixed, self.energy_gain_with_joints(problem, coupling)) {
            let gain = positive(gain);
            return EnergyGain {
                gain,
                excess: gain,
                mixed,
                lasting,
            };
        }
        // Several coefficients, or joints with impulses: only the lawful part is a bound.
        if mixed || joint.acts {
            return EnergyGain {
                gain: positive(raw),
                excess: positive(if raw < lawful { raw } else { lawful }),
                mixed,
                lasting,
            };
        }
        // One coefficient and no joints: JM92 6.2.
        let e = self
            .common_restitution()
            .unwrap_or(seen.range.0.clamp(0.0, 1.0));
        let delta = (1.0 - e) / (1.0 + e);
        let gain = positive(lawful - delta * self.pushed(problem));
        EnergyGain {
            gain,
            excess: gain,
            mixed,
            lasting,
        }
    }

    /// ½‖v̂_F − v̂_L‖²: kinetic energy of the impulses.
    fn pushed(&self, problem: &Problem) -> f64 {
        let free = kinetic(problem).map_or(&[][..], |kinetic| kinetic.free());
        let both = self.end.kinetic.iter().zip(free);
        0.5 * both.map(|(v, free)| (v - free) * (v - free)).sum::<f64>()
    }

    /// One pass over all contacts beside their entries of the step before, a merge of two sorted lists.
    fn look_back(&self, problem: &Problem, balance: &Balance<D>) -> Seen {
        let found = self.inputs.candidates();
        let mut memory = self.inputs.state.contacts.iter().peekable();
        let mut seen = Seen {
            lawful: 0.0,
            range: (f64::INFINITY, f64::NEG_INFINITY),
            lasting: 0.0,
        };
        let rows = problem.offset().windows(2);
        let several = self.common_restitution().is_none();
        let kinetic = kinetic(problem);
        let active = self.assembly.active.iter().zip(&self.assembly.persistent);
        for (((&touch, &persists), &status), rows) in active.zip(&balance.status).zip(rows) {
            let found = &found[touch as usize];
            let key = (found.bodies, found.image, found.point.feature);
            while memory
                .next_if(|m| (m.bodies, m.image, m.feature) < key)
                .is_some()
            {}
            let last = memory
                .peek()
                .filter(|m| (m.bodies, m.image, m.feature) == key);
            let (first, rows) = (rows[0], rows[0]..rows[1]);
            let (s, begin) = (
                &self.solution.impulse[rows.clone()],
                &self.assembly.begin_velocity[rows.clone()],
            );
            let end = &balance.end_velocity[rows];
            if let Some(last) = last.filter(|m| m.status != Status::Open)
                && status != Status::Open
            {
                // A contact that sticks in both steps does not slide along its tangents either.
                let stuck = last.status == Status::Stick && status == Status::Stick;
                // The law of a persistent contact has U_F + U_I: all of its work is a loss.
                let axes = frame(self.inputs.model, self.inputs.midpoint, found);
                let axes = axes.as_ref().iter().take(if stuck { D::N } else { 1 });
                let each = axes.zip(s.iter().zip(begin));
                let each = each.zip(end);
                let turned = each.map(|((axis, (s, begin)), end)| match persists {
                    true => s * (begin + end),
                    false => s * (begin - axis.dot(last.velocity)),
                });
                seen.lasting += 0.5 * turned.sum::<f64>();
            }
            // With several coefficients: lawful sum and range of ρ.
            if several {
                let law = pair_law(self.inputs.model, found).0;
                for (i, s) in s.iter().enumerate().filter(|(_, s)| **s != 0.0) {
                    let e = if persists { 1.0 } else { rho(law, i) };
                    // The law of a persistent contact leaves out what the solver left of U_I.
                    let before = match persists {
                        true => kinetic.map_or(begin[i], |kinetic| kinetic.rebound(first + i)),
                        false => begin[i],
                    };
                    seen.lawful += s * (end[i] + e * before) / (1.0 + e);
                    seen.range = (seen.range.0.min(e), seen.range.1.max(e));
                }
            }
        }
        seen
    }
}
