//! Energy budget of a step (dissipation inequality): turnover, gain of the contacts, work of persistent contacts.
//!
//! ```text
//! turnover  max(E(v_I), E(v_L), ½‖hA⁻¹K‖², |work|, |boundary|)        forced   ½‖hA⁻¹K‖²
//! gain      Σ S [Uᵃ − ½δ(U − U_L)],  Uᵃ = ½(1−δ)U_I + ½(1+δ)U         over the contacts, relative to the turnover
//! excess    the gain; with several δ or joints no more than Σ S (U + ρU_I)/(1+ρ)
//! lasting   Σ ½S (U_I + U) of contacts that carried impulses before, too, without sliding, and of joints; in the scheme
//!           `projected` with −K·Δq, the work of the displacement of q_F onto contacts
//! ```

use percuss_contact::law::Status;
use percuss_scene::model::mechanism::{ConstraintKind, ImpactLaw, System, SystemError};

use super::super::report::{Report, RowRange, beyond};
use super::dense::{dot, energy, solve};
use super::step::{Step, size};
use super::{MechanismVerifier, RecordedState};

/// Relative tolerance: sums over a few rows of products that are known to rounding; K is iterated to 1e-13.
const BOOKS: f64 = 1e-10;

/// Energies below this share of the largest energy so far count as rest.
const REST: f64 = 1e-14;

/// Columns of the energy budget.
const COLUMNS: [&str; 6] = ["gain", "excess", "turnover", "forced", "lasting", "mixed"];

pub(super) fn declare_checks(report: &mut Report) {
    let books = "energy turned over, gained, forced and lost by lasting contacts, recomputed, against the account; \
                 relative to what is at stake";
    report.declare("books", books, BOOKS);
}

/// Energy budget of a step.
#[derive(Default)]
struct EnergyBudget {
    gain: f64,
    /// Lawful work Σ S (U + ρU_I)/(1+ρ).
    lawful: f64,
    /// Smallest and largest ρ of the contact rows that carry an impulse.
    range: Option<(f64, f64)>,
    bilateral: bool,
    lasting: f64,
    /// Sum of the absolute values of all products.
    size: f64,
    /// Whether bilateral rows have the ρ of the contacts: part of a collision.
    again: bool,
    /// The gain with the common ρ of the contacts that act together with bilateral rows, where there is one.
    one: Option<f64>,
}

/// Sums over all rows with one common ρ.
struct CommonRestitution {
    rho: f64,
    /// Σ S·(U + ρU_I)/(1+ρ) − ½δ S·(U − U_L), and Σ ½S·(U_I + U).
    sum: f64,
    work: f64,
    moves: bool,
}

impl CommonRestitution {
    fn new(rho: f64) -> Self {
        Self {
            rho,
            sum: 0.0,
            work: 0.0,
            moves: false,
        }
    }

    fn delta(&self) -> f64 {
        (1.0 - self.rho) / (1.0 + self.rho)
    }

    fn add(&mut self, s: f64, [begin, end, free]: [f64; 3], moves: bool) {
        let delta = self.delta();
        self.sum += s * (end + self.rho * begin) / (1.0 + self.rho);
        self.sum -= 0.5 * delta * s * (end - free);
        self.work += 0.5 * s * (begin + end);
        self.moves |= moves;
    }

    /// Excess of the sums over their bounds; `forced` is ½‖U_L − U_I‖² of all coordinates.
    fn above(&self, forced: f64) -> f64 {
        match self.moves {
            true => self.sum,
            false => self.sum.max(self.work - 0.25 * self.delta() * forced),
        }
    }
}

impl EnergyBudget {
    fn mixed(&self) -> bool {
        self.range.is_some_and(|(least, most)| least < most)
    }

    /// The energy gain.
    fn gained(&self) -> f64 {
        self.one.unwrap_or(self.gain)
    }

    /// The inadmissible part of the gain, which no law allows.
    fn excess(&self) -> f64 {
        if let Some(one) = self.one {
            return one;
        }
        match (self.mixed() || self.bilateral) && self.lawful < self.gain {
            true => self.lawful,
            false => self.gain,
        }
    }
}

impl MechanismVerifier<'_> {
    /// Marks these columns as not verified.
    pub(super) fn books_unread(&mut self, why: &'static str) {
        self.report
            .mark_all_unchecked("steps", &COLUMNS, RowRange::All, why);
    }

    /// Compares the energy budget of a step with the recorded one.
    pub(super) fn compare_energy_budget(
        &mut self,
        step: &Step,
        before: Option<&RecordedState>,
        last: &RecordedState,
    ) -> Result<(), SystemError> {
        if self.settings.impact.is_separate() {
            self.books_unread("impacts of this law are treated apart from the step");
            return Ok(());
        }
        // Free velocity v_L and the energy scale of the step.
        let n = step.begin.len();
        let pushed = solve(&step.mass, &step.force).unwrap_or_else(|| vec![f64::NAN; n]);
        let free: Vec<f64> = (0..n).map(|i| step.begin[i] + pushed[i]).collect();
        let forced = 0.5 * dot(&pushed, &step.force);
        let account = self.step_row;
        let sizes = [
            energy(&step.mass, &step.begin),
            energy(&step.mass, &free),
            account.works[0].abs(),
            account.works[3].abs(),
        ];
        let turnover = sizes.into_iter().fold(forced, f64::max);
        // Gain and work of persistent contacts.
        let mut books = self.gained(step, &free)?;
        let known = self.add_lasting(step, last, &mut books);
        if let Some(before) = before {
            let (work, size) = self.work_of_displacement(step, before, last);
            books.lasting += work;
            books.size += size;
        }
        if !known {
            let why = "what contacts did in the step before is not recorded";
            self.report
                .mark_unchecked("steps", "lasting", RowRange::All, why);
        }
        self.peak = self.peak.max(account.kinetic).max(turnover);
        let scale = turnover.max(books.size).max(REST * self.peak);
        let scale = scale.max(f64::MIN_POSITIVE);
        // Differences; the record holds the gains relative to the turnover.
        let found = [
            ("turnover", turnover - account.turnover),
            ("forced", forced - account.forced),
            ("gain", books.gained().max(0.0) - account.gain * turnover),
            (
                "excess",
                books.excess().max(0.0) - account.excess * turnover,
            ),
            (
                "lasting",
                if known {
                    books.lasting - account.lasting
                } else {
                    0.0
                },
            ),
        ];
        self.note_books(&found, scale);
        let same = books.mixed() == account.mixed;
        let place = self.place("mixed");
        self.report
            .add_comparison("books", if same { 0.0 } else { f64::INFINITY }, || place);
        Ok(())
    }

    /// Adds the differences, relative to the energy scale of the step.
    fn note_books(&mut self, found: &[(&'static str, f64)], scale: f64) {
        // K depends on velocities that are as accurate as the solution of the contact problem.
        let allowed = 20.0 * self.step_row.residual.min(self.settings.tolerance);
        for (what, off) in found {
            let off = if *off == 0.0 { 0.0 } else { off.abs() / scale };
            let place = self.place(*what);
            self.report
                .add_comparison("books", beyond(off, allowed), || place);
        }
    }

    /// Energy gain of the contacts.
    fn gained(&mut self, step: &Step, free: &[f64]) -> Result<EnergyBudget, SystemError> {
        let n = step.begin.len();
        // Restitution: canonical, that of the contacts, or of each row.
        let common = match self.settings.impact {
            ImpactLaw::Canonical => self.system.canonical_restitution(step.at_contacts())?,
            _ => None,
        };
        let mut books = EnergyBudget::default();
        let beside = self.contact_rho(step, common)?;
        let mut one = beside.map(CommonRestitution::new);
        for k in 0..self.constraint_rows.len() {
            let constraint = self.constraint_rows[k].constraint;
            let weights = self.weights_of(step, k, (common, beside))?;
            let kind = self.system.constraints()[constraint].kind;
            let contact = self.system.constraints()[constraint].is_contact();
            books.again |=
                !contact && weights != self.restitution_weights(constraint, step.at(k), common)?;
            let (g, w) = &step.rows[k];
            for (row, s) in self.constraint_rows[k].impulse.iter().enumerate() {
                if *s == 0.0 {
                    continue;
                }
                // U_I, U and U_L of the row.
                let g = &g[row * n..(row + 1) * n];
                let [begin, end, free] = [&step.begin[..], &step.velocity_before_projection, free]
                    .map(|v| w[row] + dot(g, v));
                let rho = weights[row];
                books.lawful += s * (end + rho * begin) / (1.0 + rho);
                books.size += s.abs() * (begin.abs() + end.abs() + free.abs());
                if let Some(sums) = &mut one {
                    sums.add(*s, [begin, end, free], w[row] != 0.0);
                    // Friction of joints and non-firm rows are laws of U_F.
                    let rubs = !contact && kind.is_friction_row(row) && sums.rho != 0.0;
                    one = one.filter(|_| !rubs);
                }
                if !contact {
                    books.bilateral = true;
                    continue;
                }
                let (least, most) = books.range.unwrap_or((rho, rho));
                books.range = Some((least.min(rho), most.max(rho)));
                // Gain of a contact row by its δ.
                let delta = (1.0 - rho) / (1.0 + rho);
                let average = 0.5 * ((1.0 - delta) * begin + (1.0 + delta) * end);
                books.gain += s * (average - 0.5 * delta * (end - free));
            }
        }
        if let Some(one) = one.filter(|_| books.bilateral) {
            let change: Vec<f64> = free.iter().zip(&step.begin).map(|(l, i)| l - i).collect();
            books.one = Some(one.above(energy(&step.mass, &change)));
        }
        Ok(books)
    }

    /// Work of persistent contacts and joints; false where it is not known which contacts persist.
    fn add_lasting(&self, step: &Step, last: &RecordedState, books: &mut EnergyBudget) -> bool {
        let n = step.begin.len();
        for (k, touch) in self.constraint_rows.iter().enumerate() {
            let kind = self.system.constraints()[touch.constraint].kind;
            let now = touch.status.unwrap_or(Status::Open);
            // Number of rows that count as persistent.
            let count = match (kind, self.previous[touch.constraint]) {
                (ConstraintKind::Contact, None) => return false,
                (ConstraintKind::Contact, Some(before)) => match (before, now) {
                    (Status::Open, _) | (_, Status::Open) => 0,
                    (Status::Stick, Status::Stick) => touch.impulse.len(),
                    _ => 1,
                },
                _ if books.again => 0,
                (ConstraintKind::Joint | ConstraintKind::Nonholonomic, _) => touch.impulse.len(),
                (ConstraintKind::FrictionJoint { normal_rows }, _) => normal_rows,
                (ConstraintKind::NonFirm, _) => 0,
            };
            let mut add = |s: f64, w: f64, g: &[f64], first: &[f64], end: &[f64]| {
                let (first, end) = (w + dot(g, first), w + dot(g, end));
                books.lasting += 0.5 * s * (first + end);
                books.size += s.abs() * (first.abs() + end.abs());
            };
            let (g, w) = &step.rows[k];
            for row in 0..count {
                let g = &g[row * n..(row + 1) * n];
                add(
                    touch.impulse[row],
                    w[row],
                    g,
                    &step.begin,
                    &step.velocity_before_projection,
                );
            }
            // Impulses of the velocity projection at the end: of contacts the normal one.
            let (g, w) = &step.holds[k];
            let held = match kind {
                ConstraintKind::Contact
                    if self.previous[touch.constraint] == Some(Status::Open) =>
                {
                    0
                }
                ConstraintKind::Contact => 1,
                _ => touch.end_impulse.len(),
            };
            for (row, s) in touch.end_impulse.iter().take(held).enumerate() {
                add(
                    *s,
                    w[row],
                    &g[row * n..(row + 1) * n],
                    &step.velocity_before_projection,
                    &last.v,
                );
            }
        }
        true
    }

    /// Largest displacement since the start, and the widest gap.
    pub(super) fn compare_extent(&mut self, last: &RecordedState) -> Result<(), SystemError> {
        let mut gaps = vec![0.0; self.first_gap[self.first_gap.len() - 1]];
        self.system.gaps(last.t, &last.q, &mut gaps)?;
        let moved = last
            .q
            .iter()
            .zip(&self.origin)
            .map(|(q, from)| (q - from).abs());
        let mut extent = moved.fold(0.0, f64::max);
        for (i, constraint) in self.system.constraints().iter().enumerate() {
            if constraint.is_contact() {
                extent = extent.max(size(&gaps[self.first_gap[i]..self.first_gap[i + 1]]));
            }
        }
        let off = (extent - self.step_row.extent).abs() / (1.0 + size(&last.q) + extent);
        let place = self.place("extent");
        self.report.add_comparison("gap", off, || place);
        Ok(())
    }
}
