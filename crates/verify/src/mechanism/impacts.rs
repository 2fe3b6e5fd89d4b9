//! Impacts that are resolved apart from the step by the energetic law, the LZB law or a map, computed a second time.
//!
//! ```text
//! energetic   S_n up to the end of compression and to that of the work e²W, slip stopped or reversed in between
//! LZB         M v' = Σ gᵀ k xᵑ,  x' = −g v (compression), −g v/e² (expansion)       frictionless contacts
//! map         v⁺ = F(q, v⁻), S ≥ 0 from M (v⁺ − v⁻) = Σ Gᵀ S; both conditions of (1.11), and (1.12)
//! ```
//!
//! Joints enter by bordered equations, M a + Jᵀ λ = gᵀ, J a = 0. What is left of the recorded impulses after those of the
//! impact must obey the laws of the step. The integration of LZB is that of Cash and Karp, in velocities. LZB with
//! friction, and the sequential and Poisson's law, are not computed again.

use percuss_contact::Law;
use percuss_contact::law::Status;
use percuss_scene::model::mechanism::{ConstraintKind, ImpactLaw, StateRef, System, SystemError};

use super::MechanismVerifier;
use super::dense::{dot, solve};
use super::step::Step;

/// Bisections of a root of a monotone function.
const HALVINGS: usize = 200;

/// Error of a step of the integration, relative to the fastest approach.
const ERROR: f64 = 1e-14;

/// Steps after which an integration counts as failed.
const STEPS: usize = 3_000_000;

/// An impact, computed again.
pub(super) struct OwnImpact {
    /// v⁺.
    pub velocity: Vec<f64>,
    /// S by place of the constraint among the rows of the step.
    pub impulse: Vec<Vec<f64>>,
}

/// A closed contact: place among the rows of the step, its rows g, and A⁻¹gᵀ with the joints held.
struct Struck {
    place: usize,
    constraint: usize,
    rows: Vec<Vec<f64>>,
    answers: Vec<Vec<f64>>,
    /// U⁻.
    begin: Vec<f64>,
    restitution: f64,
}

impl MechanismVerifier<'_> {
    /// The impact of a step; `None` where the law is not computed again.
    pub(super) fn own_impact(&mut self, step: &Step) -> Result<Option<OwnImpact>, SystemError> {
        let law = self.settings.impact;
        if !matches!(law, ImpactLaw::Energetic | ImpactLaw::Lzb | ImpactLaw::Map) {
            return Ok(None);
        }
        let Some(struck) = self.struck_contacts(step)? else {
            return Ok(None);
        };
        let impulses = match law {
            ImpactLaw::Energetic => self.own_energetic(step, &struck)?,
            ImpactLaw::Lzb => self.own_ratios(step, &struck)?,
            _ => self.own_map(step, &struck)?,
        };
        let Some(impulses) = impulses else {
            return Ok(None);
        };
        // v⁺ with the joints held, and their impulses from the balance of momentum.
        let n = step.begin.len();
        let mut own = OwnImpact {
            velocity: step.begin.clone(),
            impulse: self
                .constraint_rows
                .iter()
                .map(|row| vec![0.0; row.impulse.len()])
                .collect(),
        };
        let mut given = vec![0.0; n];
        for (contact, s) in struck.iter().zip(&impulses) {
            for (row, s) in s.iter().enumerate() {
                own.impulse[contact.place][row] = *s;
                for i in 0..n {
                    own.velocity[i] += s * contact.answers[row][i];
                    given[i] += s * contact.rows[row][i];
                }
            }
        }
        let joints = self.joint_rows(step);
        if let Some(answer) = bordered(&step.mass, &joints, &given) {
            for ((place, row), s) in self.joint_places().into_iter().zip(&answer.1) {
                own.impulse[place][row] = -s;
            }
        }
        Ok(Some(own))
    }

    /// Places (row of the step, row of the constraint) of all firm rows.
    fn joint_places(&self) -> Vec<(usize, usize)> {
        let mut all = Vec::new();
        for (place, row) in self.constraint_rows.iter().enumerate() {
            let kind = self.system.constraints()[row.constraint].kind;
            if matches!(kind, ConstraintKind::Joint | ConstraintKind::Nonholonomic) {
                all.extend((0..row.impulse.len()).map(|k| (place, k)));
            }
        }
        all
    }

    fn joint_rows(&self, step: &Step) -> Vec<Vec<f64>> {
        let n = step.begin.len();
        let row = |(place, k): (usize, usize)| step.rows[place].0[k * n..(k + 1) * n].to_vec();
        self.joint_places().into_iter().map(row).collect()
    }

    /// The closed contacts of the step; `None` where joints are redundant.
    fn struck_contacts(&mut self, step: &Step) -> Result<Option<Vec<Struck>>, SystemError> {
        let n = step.begin.len();
        let joints = self.joint_rows(step);
        let at = StateRef {
            t: step.t,
            q: &step.q,
            v: &step.begin,
        };
        let mut all = Vec::new();
        for place in 0..self.constraint_rows.len() {
            let constraint = self.constraint_rows[place].constraint;
            if !self.system.constraints()[constraint].is_contact() {
                continue;
            }
            let (g, w) = &step.rows[place];
            let rows: Vec<Vec<f64>> = g.chunks(n.max(1)).map(<[f64]>::to_vec).collect();
            let mut answers = Vec::new();
            for row in &rows {
                match bordered(&step.mass, &joints, row) {
                    Some((answer, _)) => answers.push(answer),
                    None => return Ok(None),
                }
            }
            let begin = rows
                .iter()
                .zip(w)
                .map(|(g, w)| w + dot(g, &step.begin))
                .collect();
            all.push(Struck {
                place,
                constraint,
                rows,
                answers,
                begin,
                restitution: self.system.restitution(constraint, at)?.normal,
            });
        }
        Ok(Some(all))
    }

    /// Energetic restitution of one contact: compression and expansion as functions of the normal impulse.
    fn own_energetic(
        &mut self,
        step: &Step,
        struck: &[Struck],
    ) -> Result<Option<Vec<Vec<f64>>>, SystemError> {
        let [contact] = struck else { return Ok(None) };
        let at = StateRef {
            t: step.t,
            q: &step.q,
            v: &step.begin,
        };
        let law = self.system.law(contact.constraint, at, 1.0, Status::Slip)?;
        let bounds = match law {
            Law::Coulomb { mu } if contact.rows.len() == 2 => [-mu, mu],
            Law::CoulombAsymmetric { plus, minus } => [-minus, plus],
            _ => [0.0, 0.0],
        };
        // W in both rows; a contact without friction slides for ever.
        let w = |i: usize, j: usize| dot(&contact.rows[i], &contact.answers[j]);
        let nn = w(0, 0);
        let (nt, tt) = match contact.rows.len() {
            1 => (0.0, 1.0),
            _ => (w(0, 1), w(1, 1)),
        };
        let [un, ut] = [
            contact.begin[0],
            contact.begin.get(1).copied().unwrap_or(0.0),
        ];
        // First slip until p₁, then stick or the other slip.
        let hold = (-nt / tt).clamp(bounds[0], bounds[1]);
        let first = match ut {
            u if u > 0.0 => bounds[0],
            u if u < 0.0 => bounds[1],
            _ => hold,
        };
        let rate = nt + tt * first;
        let stop = if ut != 0.0 && ut * rate < 0.0 {
            -ut / rate
        } else {
            f64::INFINITY
        };
        let slopes = [nn + nt * first, nn + nt * hold];
        let speed = |p: f64| un + slopes[0] * p.min(stop) + slopes[1] * (p - stop).max(0.0);
        let work = |p: f64| {
            let a = p.min(stop);
            let b = (p - stop).max(0.0);
            un * a + 0.5 * slopes[0] * a * a + speed(a) * b + 0.5 * slopes[1] * b * b
        };
        // Both ends by bisection; the speed rises at last.
        let mut far = -un / nn;
        while speed(far) < 0.0 {
            far *= 2.0;
        }
        let compressed = bisect(0.0, far, |p| speed(p) >= 0.0);
        let e = contact.restitution;
        let wanted = work(compressed) * (1.0 - e * e);
        let mut far = 2.0 * compressed + f64::MIN_POSITIVE;
        while work(far) < wanted {
            far *= 2.0;
        }
        let end = match e > 0.0 {
            true => bisect(compressed, far, |p| work(p) >= wanted),
            false => compressed,
        };
        let tangential = first * end.min(stop) + hold * (end - stop).max(0.0);
        let mut impulse = vec![end];
        impulse.resize(contact.rows.len(), tangential);
        Ok(Some(vec![impulse]))
    }

    /// The LZB law without friction, in velocities.
    fn own_ratios(
        &mut self,
        step: &Step,
        struck: &[Struck],
    ) -> Result<Option<Vec<Vec<f64>>>, SystemError> {
        if struck.iter().any(|contact| contact.rows.len() > 1) {
            return Ok(None);
        }
        let at = StateRef {
            t: step.t,
            q: &step.q,
            v: &step.begin,
        };
        let mut stiffness = Vec::new();
        for contact in struck {
            stiffness.push(self.system.contact_stiffness(contact.constraint, at)?);
        }
        let power = self.system.stiffness_exponent();
        // Units: the fastest approach, the first inverse mass, the largest stiffness.
        let fast = struck.iter().fold(0.0_f64, |m, c| m.max(-c.begin[0]));
        let light = struck
            .first()
            .map_or(1.0, |c| dot(&c.rows[0], &c.answers[0]));
        let stiff = stiffness.iter().fold(0.0_f64, |m, k| m.max(*k));
        let m = struck.len();
        let forces = |x: &[f64]| -> Vec<f64> {
            let both = x.iter().zip(&stiffness);
            both.map(|(x, k)| k / stiff * x.max(0.0).powf(power))
                .collect()
        };
        // State: x, U, S by contact.
        let slope = |y: &[f64]| -> Vec<f64> {
            let (f, mut d) = (forces(&y[..m]), vec![0.0; 3 * m]);
            for i in 0..m {
                let (x, u, e) = (y[i], y[m + i], struck[i].restitution);
                d[i] = match (u < 0.0, x > 0.0) {
                    (true, _) if x > 0.0 || u < -1e-13 => -u,
                    (false, true) => -u / (e * e),
                    _ => 0.0,
                };
                d[m + i] = (0..m)
                    .map(|j| dot(&struck[i].rows[0], &struck[j].answers[0]) / light * f[j])
                    .sum();
                d[2 * m + i] = f[i];
            }
            d
        };
        let mut y = vec![0.0; 3 * m];
        for i in 0..m {
            y[m + i] = struck[i].begin[0] / fast;
        }
        let mut h = 1e-5;
        for _ in 0..STEPS {
            if (0..m).all(|i| y[i] <= 0.0 && y[m + i] >= -1e-13) {
                let all = y[2 * m..].iter().map(|s| vec![s * fast / light]);
                return Ok(Some(all.collect()));
            }
            let (next, error) = cash_karp(&slope, &y, h);
            // An opening inside the step is found by shorter steps.
            let opens = (0..m).any(|i| y[i] > 0.0 && next[i] < -1e-13);
            if (error > ERROR || opens) && h > 1e-13 {
                h *= 0.5;
                continue;
            }
            y = next;
            y[..m].iter_mut().for_each(|x| *x = x.max(0.0));
            if error < 0.02 * ERROR {
                h *= 1.5;
            }
        }
        Ok(None)
    }

    /// A map: F again, its impulses, and its conditions.
    fn own_map(
        &mut self,
        step: &Step,
        struck: &[Struck],
    ) -> Result<Option<Vec<Vec<f64>>>, SystemError> {
        let n = step.begin.len();
        let at = StateRef {
            t: step.t,
            q: &step.q,
            v: &step.begin,
        };
        let long = |x: &[f64]| dot(x, x).sqrt();
        let closed: Vec<&Struck> = struck
            .iter()
            .filter(|c| c.begin[0] <= 2e-12 * long(&c.rows[0]) * long(&step.begin))
            .collect();
        let names: Vec<usize> = closed.iter().map(|c| c.constraint).collect();
        let mut after = vec![0.0; n];
        if !self.system.impact_map(at, &names, &mut after)? {
            return Ok(None);
        }
        let change: Vec<f64> = (0..n).map(|i| after[i] - step.begin[i]).collect();
        // Nonnegative impulses by projected sweeps on ½‖Δv − Σ a S‖² in the kinetic metric.
        let m = closed.len();
        let w = |i: usize, j: usize| dot(&closed[i].rows[0], &closed[j].answers[0]);
        let wanted: Vec<f64> = closed.iter().map(|c| dot(&c.rows[0], &change)).collect();
        let mut s = vec![0.0; m];
        for _ in 0..100_000 {
            let mut moved = 0.0_f64;
            for i in 0..m {
                let pushed: f64 = (0..m).map(|j| w(i, j) * s[j]).sum();
                let next = (s[i] + (wanted[i] - pushed) / w(i, i)).max(0.0);
                moved = moved.max((next - s[i]).abs() * w(i, i).sqrt());
                s[i] = next;
            }
            if moved <= 1e-16 * long(&change) {
                break;
            }
        }
        // Conditions (1.11) and (1.12), relative to the velocities.
        let mut rest = change.clone();
        for (contact, s) in closed.iter().zip(&s) {
            rest.iter_mut()
                .zip(&contact.answers[0])
                .for_each(|(r, a)| *r -= s * a);
        }
        let energy = |v: &[f64]| super::dense::energy(&step.mass, v);
        let scale = energy(&step.begin).max(energy(&after));
        let left = (energy(&rest) / scale).sqrt();
        let approach = struck.iter().fold(0.0_f64, |worst, c| {
            let u = c.begin[0] + dot(&c.rows[0], &change);
            worst.max(-u / (long(&c.rows[0]) * (long(&after) + long(&step.begin))))
        });
        let work: f64 = closed
            .iter()
            .zip(&s)
            .map(|(c, s)| s * (c.begin[0] + 0.5 * dot(&c.rows[0], &change)))
            .sum();
        let off = left.max(approach).max(work / scale);
        let place = self.place("the map F(q, v-)");
        self.report.add_comparison("impact map", off, || place);
        // By contact of the step; those that separate take no part.
        let mut impulses = Vec::new();
        for contact in struck {
            let k = closed.iter().position(|c| c.place == contact.place);
            impulses.push(vec![k.map_or(0.0, |k| s[k])]);
        }
        Ok(Some(impulses))
    }
}

/// The smallest p in [low, high] from which on `reached` holds, to rounding.
fn bisect(mut low: f64, mut high: f64, reached: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if reached(middle) {
            high = middle
        } else {
            low = middle
        }
    }
    high
}

/// a and λ of M a + Jᵀ λ = b, J a = 0.
fn bordered(mass: &[f64], joints: &[Vec<f64>], b: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
    let (n, m) = (b.len(), joints.len());
    let size = n + m;
    let mut matrix = vec![0.0; size * size];
    let mut right = b.to_vec();
    right.resize(size, 0.0);
    for i in 0..n {
        matrix[i * size..i * size + n].copy_from_slice(&mass[i * n..(i + 1) * n]);
        for (k, row) in joints.iter().enumerate() {
            matrix[i * size + n + k] = row[i];
            matrix[(n + k) * size + i] = row[i];
        }
    }
    let mut answer = solve(&matrix, &right)?;
    let multipliers = answer.split_off(n);
    Some((answer, multipliers))
}

/// A step of the method of Cash and Karp, with its error.
fn cash_karp(slope: &dyn Fn(&[f64]) -> Vec<f64>, y: &[f64], h: f64) -> (Vec<f64>, f64) {
    const ROWS: [&[f64]; 5] = [
        &[1.0 / 5.0],
        &[3.0 / 40.0, 9.0 / 40.0],
        &[3.0 / 10.0, -9.0 / 10.0, 6.0 / 5.0],
        &[-11.0 / 54.0, 5.0 / 2.0, -70.0 / 27.0, 35.0 / 27.0],
        &[
            1631.0 / 55296.0,
            175.0 / 512.0,
            575.0 / 13824.0,
            44275.0 / 110592.0,
            253.0 / 4096.0,
        ],
    ];
    const FIFTH: [f64; 6] = [
        37.0 / 378.0,
        0.0,
        250.0 / 621.0,
        125.0 / 594.0,
        0.0,
        512.0 / 1771.0,
    ];
    const FOURTH: [f64; 6] = [
        2825.0 / 27648.0,
        0.0,
        18575.0 / 48384.0,
        13525.0 / 55296.0,
        277.0 / 14336.0,
        1.0 / 4.0,
    ];
    let mut slopes = vec![slope(y)];
    for row in ROWS {
        let at: Vec<f64> = (0..y.len())
            .map(|i| y[i] + h * row.iter().zip(&slopes).map(|(w, k)| w * k[i]).sum::<f64>())
            .collect();
        slopes.push(slope(&at));
    }
    let sum = |weights: &[f64; 6], i: usize| -> f64 {
        weights.iter().zip(&slopes).map(|(w, k)| w * k[i]).sum()
    };
    let next = (0..y.len()).map(|i| y[i] + h * sum(&FIFTH, i)).collect();
    let error = (0..y.len()).fold(0.0_f64, |m, i| {
        m.max((h * (sum(&FIFTH, i) - sum(&FOURTH, i))).abs())
    });
    (next, error)
}
