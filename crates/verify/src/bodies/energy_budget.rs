//! Energy budget of a step (dissipation inequality): turnover, gain and inadmissible gain of contacts and joints,
//! work of persistent contacts; and penetration and joint drift relative to the size of the bodies.
//!
//! ```text
//! turnover  max(T_I, T(v_L), forced, |work|, |boundary|, |motor|, |spring|)
//! forced    ½‖v_L − v_I‖² in the metric A
//! lawful    Σ S (U_F + ρU_I)/(1 + ρ)                                             ≤ 0 where the laws hold
//! gain      lawful − ½δ‖v_F − v_L‖², δ = (1 − ρ)/(1 + ρ), with one ρ; else Σ ½S (U_I + U_F)
//! excess    the gain with one ρ; else no more than lawful. Joints that act with contacts that carry impulses are
//!           taken with the ρ of the contacts, and ‖v_F − v_L‖ without the effect of springs and motors
//! lasting   Σ ½S (U_I − U_F⁻) of contacts that carried impulses before, too, and the work of bilateral joint rows
//! ```

use percuss_scene::model::bodies::{Friction, PairLaw};

use super::super::report::{Report, RowRange, beyond};
use super::super::vector::{V3, add_scaled, apply, dot};
use super::BodiesVerifier;
use super::read::{RecordedContactRow, RecordedState};
use super::recorded_steps::{EXCESS, FORCED, GAIN, LASTING, MIXED, TURNOVER, WORK};
use super::scene_data::{EmbedInSpace, clearance_of};
use super::step_motion::RowImpulse;

/// Relative tolerance: sums over all contacts of products that are known to rounding.
const BOOKS: f64 = 1e-10;

/// A contact is at rest if a step changes its penetration by no more than this share.
const AT_REST: f64 = 0.1;

pub(super) fn declare_checks(report: &mut Report) {
    let books = "energy turned over, gained, forced and lost by lasting contacts, recomputed, against the account; \
                 relative to what is at stake";
    report.declare("books", books, BOOKS);
    let shares =
        "depths and joint errors over sizes of bodies, recomputed, against the account; relative";
    report.declare("shares", shares, 1e-9);
}

/// Sums over the contacts and joints of a step.
#[derive(Debug, Default)]
struct ContactSums {
    lawful: f64,
    /// Σ ½ S (U_I + U_F) over contacts, bilateral rows, friction and limits.
    raw: f64,
    /// Smallest and largest ρ of the contact rows that carry an impulse.
    range: Option<(f64, f64)>,
    /// Whether bilateral rows, friction or limits of joints carry impulses.
    acts: bool,
    /// Work of the bilateral rows.
    held: f64,
    /// Sum of the absolute values of all products.
    size: f64,
}

/// The restitution coefficient ρ of a row; a frictionless law has that of the normal row alone.
fn rho(law: &PairLaw, row: usize) -> f64 {
    let smooth = matches!(law.friction, Friction::None | Friction::Coulomb(0.0))
        && law.rolling == 0.0
        && law.spinning == 0.0;
    match row > 0 && !smooth {
        true => law.restitution.tangential,
        false => law.restitution.normal,
    }
}

impl<D: EmbedInSpace> BodiesVerifier<'_, D> {
    /// The restitution coefficient ρ that all laws of the scene share, if they do.
    pub(super) fn common_restitution(&self) -> Option<f64> {
        let model = &self.scene.model;
        let count = model.materials.count() as u16;
        let mut all = Vec::new();
        for a in 0..count {
            all.extend((a..count).map(|b| model.materials.law(a, b).0));
        }
        let pins = model.joints.iter().filter_map(|j| j.clearance.as_ref());
        all.extend(pins.map(|clearance| &clearance.law));
        let mut each = all.into_iter().flat_map(|law| [rho(law, 0), rho(law, 1)]);
        let first = each.next().unwrap_or(0.0);
        let common = each.all(|other| other == first).then_some(first);
        // Persistent contacts have ρ = 1.
        common.filter(|_| !self.contacts.iter().any(|t| self.persists(t).is_some()))
    }

    /// U_I and U_F of a contact row, with the mean flow of the cell.
    pub(super) fn both_ends(&self, push: &RowImpulse, branch: V3) -> [f64; 2] {
        let motion = &self.motion;
        let mut u = [&motion.begin, &motion.end].map(|v| motion.row_velocity(push, v));
        if let (Some(flow), false) = (&motion.flow, push.rotational) {
            for (u, rate) in u.iter_mut().zip([&flow.begin, &flow.end]) {
                *u += dot(push.direction, apply(rate, branch));
            }
        }
        u
    }

    fn sums(&self) -> ContactSums {
        let mut sums = ContactSums::default();
        let mut at = 0;
        // Contacts: lawful work, raw work and the range of ρ.
        for touch in &self.contacts {
            let branch = self.motion.branch_vector(touch);
            let law = self.scene.pair(touch.a, touch.b, touch.feature);
            for row in 0..touch.rows {
                let push = &self.impulses[at];
                at += 1;
                let (s, [begin, end]) = (push.size, self.both_ends(push, branch));
                let Some(law) = law.filter(|_| s != 0.0) else {
                    continue;
                };
                let (e, before) = match self.persists(touch) {
                    Some(last) => (1.0, begin - last.left(row, push, D::N)),
                    None => (rho(law, row), begin),
                };
                let (least, most) = sums.range.unwrap_or((e, e));
                sums.range = Some((least.min(e), most.max(e)));
                sums.lawful += s * (end + e * before) / (1.0 + e);
                sums.raw += 0.5 * s * (begin + end);
                sums.size += s.abs() * (begin.abs() + end.abs());
            }
        }
        // Joints: bilateral rows, friction and limits; springs and motors are not dissipative laws.
        for (row, push) in self.joints.rows.iter().zip(&self.impulses[at..]) {
            let [begin, end] =
                [&self.motion.begin, &self.motion.end].map(|v| self.motion.row_velocity(push, v));
            let s = push.size;
            let done = 0.5 * s * (begin + end);
            let joint = self.scene.model.joints.get(row.joint);
            let lawful = match row.part {
                "bilateral" => {
                    sums.held += done;
                    done
                }
                "friction" => s * end,
                "limit" => {
                    let limits = joint.and_then(|joint| joint.limits.as_ref());
                    let e = limits.map_or(0.0, |limits| limits.restitution);
                    s * (end + e * begin) / (1.0 + e)
                }
                _ => continue,
            };
            sums.lawful += lawful;
            sums.raw += done;
            sums.acts |= s != 0.0;
            sums.size += s.abs() * (begin.abs() + end.abs());
        }
        sums
    }

    /// ½‖v_F − v_L‖², ½‖v_L − v_I‖² and T(v_L), the last of bodies alone.
    fn changes(&self) -> [f64; 3] {
        let motion = &self.motion;
        let mut all = [0.0; 3];
        for (i, part) in self.scene.parts.iter().enumerate() {
            for k in (0..6).filter(|&k| part.inverse[k] > 0.0) {
                let (begin, free, end) = (motion.begin[i][k], motion.free[i][k], motion.end[i][k]);
                let half = 0.5 * part.masses[k];
                all[0] += half * (end - free) * (end - free);
                all[1] += half * (free - begin) * (free - begin);
                all[2] += half * free * free;
            }
        }
        // Strain-rate coordinates of the periodic cell.
        if let (Some(flow), Some(free)) = (motion.flow, self.cell_free) {
            let [begin, free, end] =
                [&flow.begin, &free, &flow.end].map(|rate| self.cell_hats(rate));
            for m in 0..end.len() {
                all[0] += 0.5 * (end[m] - free[m]) * (end[m] - free[m]);
                all[1] += 0.5 * (free[m] - begin[m]) * (free[m] - begin[m]);
            }
        }
        all
    }

    /// Energy gain of contacts and joints, and the inadmissible part of it.
    fn gain(&self, sums: &ContactSums, mixed: bool, [pushed, forced]: [f64; 2]) -> [f64; 2] {
        if let (false, Some(gain)) = (mixed, self.gain_beside_joints(forced)) {
            return [gain, gain];
        }
        // No common ρ: only the raw sum, bounded by the lawful one, can be judged.
        if mixed || sums.acts {
            return [sums.raw.max(0.0), sums.raw.min(sums.lawful).max(0.0)];
        }
        let e = self
            .common_restitution()
            .or(sums.range.map(|range| range.0));
        let e = e.unwrap_or(1.0);
        let gain = (sums.lawful - (1.0 - e) / (1.0 + e) * pushed).max(0.0);
        [gain, gain]
    }

    /// Compares the energy budget of the step with the recorded one.
    pub(super) fn compare_energy_budget(&mut self) {
        let Some(row) = self.steps.row else { return };
        if self.persistent.unknown {
            return;
        }
        let sums = self.sums();
        let [pushed, forced, free] = self.changes();
        // Kinetic energy before the step, including the cell.
        let mut before = self.kinetic(&self.motion.begin);
        if let Some(flow) = &self.motion.flow {
            let hats = self.cell_hats(&flow.begin);
            before += 0.5 * hats.iter().map(|x| x * x).sum::<f64>();
        }
        // Recorded works of forces, boundaries, motors and springs.
        let given = [row[WORK], row[WORK + 3], row[WORK + 4], row[WORK + 5]];
        let turnover = given
            .iter()
            .fold(forced.max(before).max(free), |m, w| m.max(w.abs()));
        // Gains, relative to the turnover as in the record.
        let mixed = self.common_restitution().is_none()
            && sums.range.is_some_and(|(least, most)| least < most);
        let [gain, excess] = self.gain(&sums, mixed, [pushed, forced]);
        let joined = self.persistent.projected && !self.scene.model.joints.is_empty();
        let more = self.persistent.gained(sums.raw);
        let (gain, excess) = (gain + more, excess + more);
        let mut found = vec![
            ("turnover", turnover - row[TURNOVER]),
            ("forced", forced - row[FORCED]),
        ];
        if joined {
            let why = "the impulses of joints at the end of the step are not recorded";
            let columns = ["gain", "excess", "lasting"];
            self.report
                .mark_all_unchecked("steps", &columns, RowRange::All, why);
        } else {
            found.push(("gain", gain - row[GAIN] * turnover));
            found.push(("excess", excess - row[EXCESS] * turnover));
        }
        match self.lasting() {
            Some(_) if joined => {}
            Some(lasting) => {
                let lasting = lasting + self.persistent.works.lasting;
                let held = if self.solved_again() { 0.0 } else { sums.held };
                found.push(("lasting", lasting + held - row[LASTING]));
            }
            None => {
                let why = "contacts of the step before are not recorded";
                self.report
                    .mark_unchecked("steps", "lasting", RowRange::All, why);
            }
        }
        // Differences relative to the energy scale of the step.
        let scale = turnover.max(sums.size).max(pushed);
        let scale = scale.max(self.steps.floor()).max(f64::MIN_POSITIVE);
        for (what, off) in found {
            let place = self.place(what);
            let off = if off == 0.0 { 0.0 } else { off.abs() / scale };
            self.report.add_comparison("books", off, || place);
        }
        let off = if mixed == (row[MIXED] == 1.0) {
            0.0
        } else {
            f64::INFINITY
        };
        let place = self.place("mixed");
        self.report.add_comparison("books", off, || place);
    }

    /// Work of persistent contacts; `None` where the contacts of the step before are not known.
    fn lasting(&self) -> Option<f64> {
        let (step, past) = self.previous_contacts.as_ref()?;
        if step + 1 != self.steps.step || self.scene.flows() {
            return None;
        }
        // Persistent contacts: same bodies, same periodic image, same feature.
        let key = |t: &RecordedContactRow| (t.a, t.b, t.shift.map(f64::to_bits), t.feature);
        // Contacts that were projected at the end of the step before are known from there.
        let ends = self.persistent.before(self.steps.step).unwrap_or(&[]);
        let known: std::collections::HashMap<_, &RecordedContactRow> = past
            .iter()
            .chain(ends)
            .map(|touch| (key(touch), touch))
            .collect();
        let mut sum = 0.0;
        for touch in self.contacts.iter().filter(|touch| touch.status != 0) {
            let Some(before) = known.get(&key(touch)).filter(|t| t.status != 0) else {
                continue;
            };
            let rows = |touch: &RecordedContactRow| touch.rows.min(D::N);
            // Relative velocity at the end of the previous step, in space axes.
            let velocity = (0..rows(before)).fold([0.0; 3], |sum, k| {
                add_scaled(sum, before.axes[k], before.end[k])
            });
            // A contact that sticks in both steps contributes its tangential rows, too.
            let stuck = before.status == 1 && touch.status == 1;
            for k in 0..if stuck { rows(touch) } else { 1 } {
                let turned = match self.persists(touch) {
                    Some(_) => touch.begin[k] + touch.end[k],
                    None => touch.begin[k] - dot(touch.axes[k], velocity),
                };
                sum += 0.5 * touch.impulse[k] * turned;
            }
        }
        Some(sum)
    }

    /// The smallest thickness of some bodies; `None` where it cannot be determined from the records.
    fn thinnest(&self, bodies: impl Iterator<Item = usize>) -> Option<f64> {
        let mut least = f64::INFINITY;
        for i in bodies {
            let known = &self.scene.model.bodies.get(i)?.shape;
            let divided = D::compound(known).is_some();
            least = least.min(super::thickness::thickness(self.shapes.get(i)?, divided)?);
        }
        Some(least)
    }

    /// Penetration and joint drift relative to the size of the bodies.
    pub(super) fn compare_shares(&mut self, last: &RecordedState) {
        let Some([deep, loose, resting, sunk]) = self.steps.shares() else {
            return;
        };
        let mut own = Some(0.0_f64);
        // Largest relative penetration at rest, with its depth.
        let mut rest = Some([0.0_f64; 2]);
        for touch in self.contacts.iter().filter(|touch| touch.gap < 0.0) {
            let pin = clearance_of(touch.feature, &self.scene.model.joints);
            // Length scale: the clearance of a pin joint, otherwise the thinner body.
            let size = match pin.and_then(|joint| joint.clearance.as_ref()) {
                Some(clearance) => Some(clearance.play),
                None => self.thinnest([touch.a, touch.b].into_iter()),
            };
            own = own.and_then(|own| Some(own.max(-touch.gap / size?)));
            let way = self.steps.h().unwrap_or(0.0) * touch.begin[0].abs().max(touch.end[0].abs());
            if touch.impulse[0] != 0.0 && way <= AT_REST * -touch.gap {
                rest = rest.and_then(|[depth, share]| {
                    let here = -touch.gap / size?;
                    Some(if here > share {
                        [-touch.gap, here]
                    } else {
                        [depth, share]
                    })
                });
            }
        }
        self.compare_share("penetration_share", own, deep, 0.0);
        self.compare_share("resting", rest.map(|rest| rest[0]), resting, 0.0);
        self.compare_share("resting_share", rest.map(|rest| rest[1]), sunk, 0.0);
        // Drift of the joints.
        let (mut own, mut thin) = (Some(0.0_f64), f64::INFINITY);
        let (drifts, coordinates) = self.drifts(last);
        for (joint, drift) in self.scene.model.joints.iter().zip(drifts) {
            let sides = joint.frames.iter().filter_map(|s| s.body);
            let size = self.thinnest(sides.map(|b| b as usize));
            thin = thin.min(size.unwrap_or(f64::INFINITY));
            own = own.and_then(|own| Some(own.max(drift / size?)));
        }
        // The drift of a joint is known to the rounding of its coordinates.
        self.compare_share("drift_share", own, loose, 1e-12 * coordinates / thin);
    }

    /// Compares one relative figure that is known up to `rounding`.
    fn compare_share(
        &mut self,
        column: &'static str,
        own: Option<f64>,
        recorded: f64,
        rounding: f64,
    ) {
        let Some(own) = own else {
            let why = "how bodies that are not convex are divided is not recorded";
            return self
                .report
                .mark_unchecked("steps", column, RowRange::All, why);
        };
        let off = match beyond((own - recorded).abs(), rounding) {
            0.0 => 0.0,
            off => off / own.max(recorded),
        };
        let place = self.place(column);
        self.report.add_comparison("shares", off, || place);
    }
}
