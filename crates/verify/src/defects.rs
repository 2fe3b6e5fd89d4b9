//! The residual RV that decides convergence, implemented independently: velocity defects of the contacts over their
//! velocity scale (speed at stake).
//!
//! ```text
//! RV = max_α ‖F_α‖ / (κ_α V_α),     V_α = max s_β over the contacts that bodies connect with α, s = ‖b‖ or,
//!                                   where b_n > 0, max(0, ‖b_t‖ − b_n); but no less than 1e-3 of the speed
//!                                   of its own bodies
//! ```

/// Lower bound of V: this share of the speed of a contact's own bodies.
const OWN: f64 = 1e-3;

/// The defect of one contact or of one part of a joint.
#[derive(Debug, Clone)]
pub(super) struct Defect {
    /// The bodies that its impulse moves.
    pub bodies: Vec<usize>,
    pub rows: usize,
    pub kappa: f64,
    /// The norm ‖F‖ of the natural map and the speed s.
    pub left: f64,
    pub free: f64,
    /// Velocity error that rounding of the terms may cause.
    pub rounding: f64,
}

/// The defects of all contacts and joint parts of a step.
#[derive(Debug, Default)]
pub(super) struct Defects {
    list: Vec<Defect>,
}

/// The residual of a step.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Residual {
    /// RV, and the part of it that rounding may have caused.
    pub residual: f64,
    pub rounding: f64,
    /// Index of the worst defect, in the order of [`Defects::push`].
    pub worst: usize,
    /// The velocity scale V of each defect, in the same order.
    pub speed: Vec<f64>,
}

impl Defects {
    pub fn push(&mut self, defect: Defect) {
        self.list.push(defect);
    }

    /// Evaluates RV. `own` is the speed of a body in the kinetic metric, √(2E); `one` says that all contacts are
    /// connected (one component).
    pub fn residual(&self, own: impl Fn(usize) -> f64, one: bool) -> Residual {
        let component = self.components(one);
        // Largest speed of each component.
        let mut largest = vec![0.0_f64; self.list.len()];
        for (defect, root) in self.list.iter().zip(&component) {
            largest[*root] = largest[*root].max(defect.free);
        }
        let mut verdict = Residual {
            residual: 0.0,
            rounding: 0.0,
            worst: 0,
            speed: Vec::with_capacity(self.list.len()),
        };
        for (k, (defect, root)) in self.list.iter().zip(&component).enumerate() {
            let fastest = defect.bodies.iter().fold(0.0_f64, |m, i| m.max(own(*i)));
            // V of the contact, bounded below by the speed of its own bodies.
            let floor = OWN * fastest * (defect.rows as f64 / defect.kappa).sqrt();
            let speed = largest[*root].max(floor);
            let share = match defect.left {
                0.0 => 0.0,
                left => left / (defect.kappa * speed),
            };
            if !(share <= verdict.residual) {
                verdict.residual = if share.is_nan() { f64::INFINITY } else { share };
                verdict.worst = k;
            }
            let rounding = defect.rounding / speed.max(f64::MIN_POSITIVE);
            verdict.rounding = verdict.rounding.max(rounding);
            verdict.speed.push(speed);
        }
        verdict
    }

    /// Connected components of the contact graph by union–find: the first contact of the component of each contact.
    fn components(&self, one: bool) -> Vec<usize> {
        if one {
            return vec![0; self.list.len()];
        }
        let bodies = self.list.iter().flat_map(|d| &d.bodies).max();
        // Contacts that share a moved body are connected.
        let mut first: Vec<Option<usize>> = vec![None; bodies.map_or(0, |most| most + 1)];
        let mut parent: Vec<usize> = (0..self.list.len()).collect();
        for (k, defect) in self.list.iter().enumerate() {
            for &body in &defect.bodies {
                match first[body] {
                    None => first[body] = Some(k),
                    Some(other) => {
                        let (i, j) = (root(&parent, k), root(&parent, other));
                        parent[i.max(j)] = i.min(j);
                    }
                }
            }
        }
        (0..self.list.len()).map(|k| root(&parent, k)).collect()
    }
}

fn root(parent: &[usize], mut k: usize) -> usize {
    while parent[k] != k {
        k = parent[k];
    }
    k
}

#[cfg(test)]
mod tests {
    use super::{Defect, Defects};

    fn defect(bodies: &[usize], left: f64, free: f64) -> Defect {
        Defect {
            bodies: bodies.to_vec(),
            rows: 1,
            kappa: 1.0,
            left,
            free,
            rounding: 0.0,
        }
    }

    #[test]
    fn contacts_of_a_component_share_the_largest_speed() {
        let mut defects = Defects::default();
        // 0 and 1 touch, 1 and 2 touch; 7 is alone.
        defects.push(defect(&[0, 1], 0.0, 2.0));
        defects.push(defect(&[7], 1e-3, 1e-2));
        defects.push(defect(&[2, 1], 1e-3, 0.0));
        let verdict = defects.residual(|_| 0.0, false);
        assert_eq!(verdict.speed, [2.0, 1e-2, 2.0]);
        assert_eq!((verdict.worst, verdict.residual), (1, 0.1));
        // Connected by something else, all are.
        assert_eq!(defects.residual(|_| 0.0, true).residual, 5e-4);
    }

    #[test]
    fn what_is_not_a_number_is_the_worst() {
        let mut defects = Defects::default();
        defects.push(defect(&[0], f64::NAN, 1.0));
        defects.push(defect(&[0], 1.0, 1.0));
        assert_eq!(defects.residual(|_| 0.0, false).residual, f64::INFINITY);
    }
}
