//! Slip of the contacts during an impact that is followed along its impulses: which slide, in which sense, which stick.
//!
//! ```text
//! U_t > 0: λ_t = −minus·λ_n,   U_t < 0: λ_t = plus·λ_n,   U_t = 0: λ_t within the bounds with dU_t = 0, or at one of them with
//! dU_t in its sense                                                      (λ: rates of the impulses; λ_n is known)
//! ```

use super::rows::{ImpactContact, ImpactRows};

/// A sliding velocity below this share of the velocities of the impact is none.
const NO_SLIP: f64 = 1e-12;

/// A rate may be beyond its bound by this share: rounding of the rates.
const BOUND: f64 = 1e-10;

/// Sweeps of the choice of modes; it converges geometrically, and no result needs it to more than the sign.
const SWEEPS: usize = 2000;

/// Slip of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slip {
    /// U_t > 0.
    Forward,
    /// U_t < 0.
    Backward,
    /// U_t = 0, or no friction.
    Stick,
}

/// Slip of every contact.
#[derive(Debug, Clone, Default)]
pub(super) struct SlipModes {
    modes: Vec<Slip>,
}

impl SlipModes {
    pub(super) fn new(contacts: &[ImpactContact]) -> Self {
        Self {
            modes: vec![Slip::Stick; contacts.len()],
        }
    }

    /// Slip of contact `i`.
    pub(super) fn of(&self, i: usize) -> Slip {
        self.modes[i]
    }

    /// Whether a sticking rate is within its bounds.
    pub(super) fn is_within(rate: f64, [low, high]: [f64; 2], force: f64) -> bool {
        let more = BOUND * force * (1.0 + high - low);
        low * force - more <= rate && rate <= high * force + more
    }

    /// Rates of all impulses, by row: normal forces as given, friction by the modes.
    pub(super) fn rates(&self, rows: &ImpactRows, w: &[f64], forces: &[f64]) -> Vec<f64> {
        let r = rows.len();
        let mut rates = vec![0.0; r];
        let mut sticking = Vec::new();
        for ((contact, force), mode) in rows.contacts.iter().zip(forces).zip(&self.modes) {
            rates[contact.row] = *force;
            let Some([low, high]) = contact.friction else {
                continue;
            };
            match mode {
                Slip::Forward => rates[contact.row + 1] = low * force,
                Slip::Backward => rates[contact.row + 1] = high * force,
                // An open contact has nothing to stick by.
                Slip::Stick if *force > 0.0 => sticking.push(contact.row + 1),
                Slip::Stick => {}
            }
        }
        // dU_t = 0 at those that stick.
        let k = sticking.len();
        let mut matrix = vec![0.0; k * k];
        let mut right = vec![0.0; k];
        for (a, &i) in sticking.iter().enumerate() {
            right[a] = -(0..r).map(|j| w[i * r + j] * rates[j]).sum::<f64>();
            for (b, &j) in sticking.iter().enumerate() {
                matrix[a * k + b] = w[i * r + j];
            }
        }
        eliminate(&mut matrix, &mut right);
        for (&i, rate) in sticking.iter().zip(&right) {
            rates[i] = *rate;
        }
        rates
    }

    /// Chooses the modes at velocities `u` with normal forces `forces`.
    pub(super) fn choose(&mut self, rows: &ImpactRows, w: &[f64], u: &[f64], forces: &[f64]) {
        let r = rows.len();
        // In units of the fastest approach at the start.
        let largest = u.iter().fold(1.0_f64, |m, u| m.max(u.abs()));
        let mut rates = vec![0.0; r];
        let mut still = Vec::new();
        for (i, contact) in rows.contacts.iter().enumerate() {
            rates[contact.row] = forces[i];
            let Some([low, high]) = contact.friction else {
                continue;
            };
            let slip = u[contact.row + 1];
            if slip.abs() <= NO_SLIP * largest {
                still.push((i, contact.row + 1, low * forces[i], high * forces[i]));
            } else if slip > 0.0 {
                self.modes[i] = Slip::Forward;
                rates[contact.row + 1] = low * forces[i];
            } else {
                self.modes[i] = Slip::Backward;
                rates[contact.row + 1] = high * forces[i];
            }
        }
        // The convex problem of those that do not slide: sweeps, each row exactly.
        let wanted = |rates: &[f64], row: usize| {
            let pushed: f64 = (0..r).map(|j| w[row * r + j] * rates[j]).sum();
            rates[row] - pushed / w[row * r + row]
        };
        for _ in 0..SWEEPS {
            let mut moved = false;
            for &(_, row, low, high) in &still {
                let next = wanted(&rates, row).clamp(low, high);
                moved |= (next - rates[row]).abs() > 1e-15 * (high - low);
                rates[row] = next;
            }
            if !moved {
                break;
            }
        }
        for &(i, row, low, high) in &still {
            let (free, more) = (wanted(&rates, row), 1e-12 * (high - low));
            self.modes[i] = if free < low - more {
                Slip::Forward
            } else if free > high + more {
                Slip::Backward
            } else {
                Slip::Stick
            };
        }
    }
}

/// Solves a small symmetric system in place; rows that depend on others get 0.
fn eliminate(matrix: &mut [f64], right: &mut [f64]) {
    let k = right.len();
    let mut used = vec![true; k];
    for p in 0..k {
        let scale = matrix[p * k + p].abs();
        let before: f64 = matrix[p * k..(p + 1) * k].iter().map(|x| x.abs()).sum();
        if !(scale > 1e-12 * before) {
            used[p] = false;
            continue;
        }
        for i in p + 1..k {
            let factor = matrix[i * k + p] / matrix[p * k + p];
            for j in p..k {
                matrix[i * k + j] -= factor * matrix[p * k + j];
            }
            right[i] -= factor * right[p];
        }
    }
    for p in (0..k).rev() {
        if !used[p] {
            right[p] = 0.0;
            continue;
        }
        let known: f64 = (p + 1..k).map(|j| matrix[p * k + j] * right[j]).sum();
        right[p] = (right[p] - known) / matrix[p * k + p];
    }
}
