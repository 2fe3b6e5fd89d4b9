//! Law of impulse ratios for multiple impacts (Liu, Zhao and Brogliato), with bi-stiffness contacts.
//!
//! ```text
//! dS_i/dS_j = (K_i/K_j)^{1/(η+1)} (E_i/E_j)^{η/(η+1)}                        normal impulses of closed contacts
//! dE_i = −U_i dS_i while U_i < 0 (compression),   dE_i = −(U_i/e_i²) dS_i while U_i > 0 (expansion)
//! U = U⁻ + W S;   the impact ends where all E_i = 0 and no contact approaches
//! ```
//!
//! K_i is the stiffness of contact i, of which only ratios matter, η the exponent of the force over the indentation
//! (3/2 of Hertz, 1 of linear springs), e_i the energetic coefficient of restitution. With x_i = ((η+1) E_i/K_i)^{1/(η+1)} and a
//! parameter s with dS_i/ds = K_i x_i^η the ratios become
//!
//! ```text
//! dx_i/ds = −U_i (compression), −U_i/e_i² (expansion),     dS_i/ds = K_i x_i^η,     0 ≤ x_i
//! ```
//!
//! without the singularity at E = 0; x and s have no meaning of their own, the configuration stays where it is.
//! Friction (one tangential direction) is Coulomb's law between the rates of the impulses: a sliding contact has its
//! bound, those that stick the rates that keep U_t = 0. The equations are integrated by the pair of Dormand and Prince of
//! orders 5(4); every change of phase, of slip and every opening ends a step, found by bisection.
//!
//! Limits: e ≥ 0.01, because expansion takes the parameter e² of compression. A single contact does not depend on K and η:
//! it is [`super::energetic`]. Sources: Liu, Zhao and Brogliato 2008, 2009; Stronge 1990.

use super::ImpactSolver;
use super::rows::{ImpactRows, refused};
use super::slip_modes::{Slip, SlipModes};
use crate::error::MechanismError;
use crate::settings::ImpactLaw;
use crate::system::System;

/// Smallest coefficient of restitution.
const LEAST_RESTITUTION: f64 = 0.01;

/// Error of a step, relative to the velocity and the impulse of the impact: rounding sets in at 1e-15.
const TOLERANCE: f64 = 1e-14;

/// A smaller step is accepted whatever its error estimate: a kink inside it costs no more than this.
const SMALLEST_STEP: f64 = 1e-13;

/// An approach below this share of the fastest one at the start is rest.
const STILL: f64 = 1e-13;

/// Steps after which the impact is given up: chains of ten contacts take some thousand.
const STEPS: usize = 2_000_000;

/// Halvings that locate an event within a step to rounding.
const HALVINGS: usize = 60;

pub(super) fn resolve<S: System + ?Sized>(
    strike: &mut ImpactSolver<'_>,
    system: &mut S,
    members: &[usize],
) -> Result<(), MechanismError> {
    const LAW: ImpactLaw = ImpactLaw::Lzb;
    let rows = ImpactRows::collect(strike, system, LAW, members)?;
    let t = strike.at.t;
    let mut stiffness = Vec::with_capacity(rows.contacts.len());
    for contact in &rows.contacts {
        let k = system.contact_stiffness(contact.constraint, strike.at)?;
        if !(k > 0.0 && k.is_finite()) {
            let problem = format!("it needs a positive stiffness, not {k}, of");
            return Err(refused(LAW, system, contact.constraint, t, &problem));
        }
        if contact.restitution < LEAST_RESTITUTION {
            let problem = format!(
                "it needs a restitution of at least {LEAST_RESTITUTION}, not {}, of",
                contact.restitution
            );
            return Err(refused(LAW, system, contact.constraint, t, &problem));
        }
        stiffness.push(k);
    }
    let exponent = system.stiffness_exponent();
    if !(1.0..=10.0).contains(&exponent) {
        return Err(MechanismError::Impact {
            law: LAW.name(),
            t,
            reason: format!("its exponent is {exponent}; a number from 1 to 10 was expected"),
        });
    }
    let Some(mut chain) = Chain::new(&rows, stiffness, exponent) else {
        return Ok(());
    };
    if !chain.run() {
        return Err(MechanismError::Impact {
            law: LAW.name(),
            t,
            reason: format!("it did not end within {STEPS} steps"),
        });
    }
    let impulse = chain.impulses();
    strike.apply_contacts(system, &rows, &impulse, members)
}

/// The equations in units of the fastest approach, the largest normal inverse mass and the largest stiffness.
struct Chain<'a> {
    rows: &'a ImpactRows,
    /// U⁻ and W.
    begin: Vec<f64>,
    delassus: Vec<f64>,
    stiffness: Vec<f64>,
    exponent: f64,
    /// Unit of the impulses.
    unit: f64,
    /// x by contact, then S by row.
    state: Vec<f64>,
    slips: SlipModes,
}

impl<'a> Chain<'a> {
    /// `None` where no contact approaches.
    fn new(rows: &'a ImpactRows, mut stiffness: Vec<f64>, exponent: f64) -> Option<Self> {
        let r = rows.len();
        let normals = || rows.contacts.iter().map(|c| c.row);
        let speed = normals().fold(0.0_f64, |m, i| m.max(-rows.begin[i]));
        let light = normals().fold(0.0_f64, |m, i| m.max(rows.delassus[i * r + i]));
        let stiff = stiffness.iter().copied().fold(0.0, f64::max);
        if !(speed > 0.0 && light > 0.0) {
            return None;
        }
        stiffness.iter_mut().for_each(|k| *k /= stiff);
        Some(Self {
            rows,
            begin: rows.begin.iter().map(|u| u / speed).collect(),
            delassus: rows.delassus.iter().map(|w| w / light).collect(),
            state: vec![0.0; stiffness.len() + r],
            slips: SlipModes::new(&rows.contacts),
            stiffness,
            exponent,
            unit: speed / light,
        })
    }

    /// S by row, in the units of the system.
    fn impulses(&self) -> Vec<f64> {
        let all = self.state[self.stiffness.len()..].iter();
        all.map(|s| s * self.unit).collect()
    }

    /// U by row.
    fn velocities(&self, state: &[f64]) -> Vec<f64> {
        let (r, s) = (self.begin.len(), &state[self.stiffness.len()..]);
        let row = |i: usize| {
            let pushed = (0..r).map(|j| self.delassus[i * r + j] * s[j]);
            self.begin[i] + pushed.sum::<f64>()
        };
        (0..r).map(row).collect()
    }

    /// dS_n/ds of each contact.
    fn forces(&self, state: &[f64]) -> Vec<f64> {
        let pairs = self.stiffness.iter().zip(state);
        pairs
            .map(|(k, x)| k * x.max(0.0).powf(self.exponent))
            .collect()
    }

    fn slope(&self, state: &[f64]) -> Vec<f64> {
        let u = self.velocities(state);
        let forces = self.forces(state);
        let mut slope = Vec::with_capacity(state.len());
        for (i, contact) in self.rows.contacts.iter().enumerate() {
            let speed = u[contact.row];
            let compressed = state[i] > 0.0;
            slope.push(if speed < 0.0 && (compressed || speed < -STILL) {
                -speed
            } else if compressed {
                -speed / (contact.restitution * contact.restitution)
            } else {
                0.0
            });
        }
        slope.extend(self.slips.rates(self.rows, &self.delassus, &forces));
        slope
    }

    /// Follows the impact to its end; false where it does not end.
    fn run(&mut self) -> bool {
        let mut step = 1e-4;
        self.choose_slips();
        for _ in 0..STEPS {
            if self.is_over() {
                return true;
            }
            let (end, error) = self.step(step);
            let factor = (0.9 * (TOLERANCE / error.max(1e-30)).powf(0.2)).clamp(0.2, 4.0);
            if error > TOLERANCE && step > SMALLEST_STEP {
                step = (step * factor.min(0.9)).max(SMALLEST_STEP);
                continue;
            }
            let was = self.flags(&self.state);
            if self.flags(&end) == was {
                self.state = end;
                step *= factor;
            } else {
                // The shortest step after which something has changed.
                let (mut low, mut high, mut end) = (0.0, step, end);
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (low + high);
                    let (tried, _) = self.step(middle);
                    if self.flags(&tried) == was {
                        low = middle;
                    } else {
                        (high, end) = (middle, tried);
                    }
                }
                self.state = end;
                self.choose_slips();
                step = step.min(1e-4);
            }
            let contacts = self.stiffness.len();
            self.state[..contacts]
                .iter_mut()
                .for_each(|x| *x = x.max(0.0));
        }
        false
    }

    /// Whether all contacts have opened and none approaches.
    fn is_over(&self) -> bool {
        let u = self.velocities(&self.state);
        let mut all = self.rows.contacts.iter().zip(&self.state);
        all.all(|(contact, x)| *x <= 0.0 && u[contact.row] >= -STILL)
    }

    /// What must not change within a step: which contacts are compressed at all, approach, slide in which sense, or stick
    /// within their bounds.
    fn flags(&self, state: &[f64]) -> Vec<(bool, bool, bool)> {
        let (u, forces) = (self.velocities(state), self.forces(state));
        let rates = self.slips.rates(self.rows, &self.delassus, &forces);
        let mut flags = Vec::with_capacity(self.stiffness.len());
        for (i, contact) in self.rows.contacts.iter().enumerate() {
            let holds = match (self.slips.of(i), contact.friction) {
                (Slip::Forward, _) => u[contact.row + 1] > 0.0,
                (Slip::Backward, _) => u[contact.row + 1] < 0.0,
                (Slip::Stick, Some(bounds)) => {
                    SlipModes::is_within(rates[contact.row + 1], bounds, forces[i])
                }
                (Slip::Stick, None) => true,
            };
            let (open, speed) = (state[i] <= 0.0, u[contact.row]);
            let approaches = speed < if open { -STILL } else { 0.0 };
            flags.push((!open || approaches, approaches, holds));
        }
        flags
    }

    /// Chooses the sense of slip of every contact with friction at the present state.
    fn choose_slips(&mut self) {
        let u = self.velocities(&self.state);
        // Forces a moment later: ratios where all of them are zero.
        let mut soon = self.state.clone();
        for (i, contact) in self.rows.contacts.iter().enumerate() {
            soon[i] += 1e-6 * (-u[contact.row]).max(0.0);
        }
        let forces = self.forces(&soon);
        let mut slips = std::mem::take(&mut self.slips);
        slips.choose(self.rows, &self.delassus, &u, &forces);
        self.slips = slips;
    }

    /// A step of the pair of Dormand and Prince of orders 5(4), with the estimate of its error.
    fn step(&self, h: f64) -> (Vec<f64>, f64) {
        const ROWS: [&[f64]; 6] = [
            &[1.0 / 5.0],
            &[3.0 / 40.0, 9.0 / 40.0],
            &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
            &[
                19372.0 / 6561.0,
                -25360.0 / 2187.0,
                64448.0 / 6561.0,
                -212.0 / 729.0,
            ],
            &[
                9017.0 / 3168.0,
                -355.0 / 33.0,
                46732.0 / 5247.0,
                49.0 / 176.0,
                -5103.0 / 18656.0,
            ],
            &[
                35.0 / 384.0,
                0.0,
                500.0 / 1113.0,
                125.0 / 192.0,
                -2187.0 / 6784.0,
                11.0 / 84.0,
            ],
        ];
        // Weights of the fifth order less those of the fourth.
        const ERROR: [f64; 7] = [
            71.0 / 57600.0,
            0.0,
            -71.0 / 16695.0,
            71.0 / 1920.0,
            -17253.0 / 339200.0,
            22.0 / 525.0,
            -1.0 / 40.0,
        ];
        let n = self.state.len();
        let mut slopes = vec![self.slope(&self.state)];
        let mut at = self.state.clone();
        for row in ROWS {
            for (i, at) in at.iter_mut().enumerate() {
                let sum: f64 = row.iter().zip(&slopes).map(|(w, k)| w * k[i]).sum();
                *at = self.state[i] + h * sum;
            }
            slopes.push(self.slope(&at));
        }
        let error = (0..n).fold(0.0_f64, |m, i| {
            let sum: f64 = ERROR.iter().zip(&slopes).map(|(w, k)| w * k[i]).sum();
            m.max((h * sum).abs())
        });
        (at, error)
    }
}
