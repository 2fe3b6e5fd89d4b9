//! The laws of the joints of a step.

use bodies::joint::{Coordinate, Kind};

use super::super::laws::{Rule, Section, Sums};
use super::super::vector::dot;
use super::Walk;
use super::given::{Flat, Speed};
use super::hinge::{coordinate, ends};
use super::joints::{LAWS, Row};
use super::motion::Push;

impl<D: Flat> Walk<'_, D> {
    /// The laws of the joints; their blocks are part of R2.
    pub(super) fn judge_joints(&mut self, sums: &mut Sums) {
        let rows = std::mem::take(&mut self.joints.rows);
        let pushes = self.joint_pushes_of(rows.len()).to_vec();
        let mut first = 0;
        let mut pressed = 0.0;
        while let Some(row) = rows.get(first) {
            let same = |r: &&Row| r.joint == row.joint && r.part == row.part && r.row >= 1;
            let count = 1 + rows[first + 1..].iter().take_while(same).count();
            let end = first + count;
            let (off, name) =
                self.judge_block(&rows[first..end], &pushes[first..end], &mut pressed, sums);
            let place = self.place(format!("joint `{name}`, {}", row.part));
            self.report.note("joint laws", off, || place);
            first = end;
        }
        self.joints.rows = rows;
    }

    fn joint_pushes_of(&self, count: usize) -> &[Push] {
        &self.pushes[self.pushes.len().saturating_sub(count)..]
    }

    /// One part of one joint: how far it is off, and the name of the joint.
    fn judge_block(
        &mut self,
        rows: &[Row],
        pushes: &[Push],
        pressed: &mut f64,
        sums: &mut Sums,
    ) -> (f64, String) {
        let h = self.motion.h;
        let number = rows[0].joint;
        let t = self.motion.t;
        let speed = match self.given.model.joints.get_mut(number) {
            Some(joint) => joint.motor.as_mut().map_or(0.0, |motor| motor.speed.at(t)),
            None => return (f64::INFINITY, "?".into()),
        };
        let joint = &self.given.model.joints[number];
        let ends = ends(joint, &self.motion.mid);
        let (value, _, direction) = coordinate(joint, &ends);
        let mut trace = self.trace(pushes);
        let s: Vec<f64> = rows.iter().map(|row| row.impulse).collect();
        let with = |v: &[Speed]| -> Vec<f64> {
            pushes.iter().map(|p| self.motion.relative(p, v)).collect()
        };
        let (begin, mut u, mut b) = (
            with(&self.motion.begin),
            with(&self.motion.end),
            with(&self.motion.free),
        );
        let mut more = vec![0.0; rows.len()];
        let mut slack = 1.0;
        let rule = match rows[0].part {
            "held" => {
                *pressed = self.pressed(number, &s);
                more.clone_from(&begin);
                Rule::Held
            }
            "spring" => {
                let Some(spring) = &joint.spring else {
                    return (f64::INFINITY, joint.name.clone());
                };
                let beta = 0.25 * h * h * spring.stiffness + 0.5 * h * spring.damping;
                let stretch = value - spring.rest - 0.25 * h * begin[0];
                let alpha = h * spring.stiffness * stretch + 0.5 * h * spring.damping * begin[0];
                trace += 1.0 / beta;
                more[0] = alpha / beta;
                u[0] += s[0] / beta;
                Rule::Held
            }
            "motor" => {
                more[0] = -speed;
                match joint.motor.as_ref().map(|motor| motor.bound) {
                    Some(bound) if bound.is_finite() => ball(1, h * bound),
                    _ => Rule::Held,
                }
            }
            "friction" => {
                let rub = joint.rub.map_or(0.0, |rub| {
                    let lever = match joint.coordinate {
                        Coordinate::Turn => rub.radius,
                        _ => 1.0,
                    };
                    rub.coefficient * lever
                });
                // Its threshold is found by iteration, to the tolerance.
                slack = LAWS / (10.0 * self.tolerance).max(LAWS);
                ball(rows.len(), rub * *pressed)
            }
            _ => {
                let limits = joint.limits;
                more[0] = limits.map_or(0.0, |limits| limits.restitution * begin[0]);
                let sign = if dot(direction, rows[0].direction) < 0.0 {
                    -1.0
                } else {
                    1.0
                };
                if let (Some(limits), true) = (limits, self.predicted) {
                    let gap = match sign > 0.0 {
                        true => value - limits.low,
                        false => limits.high - value,
                    };
                    if gap > 1e-9 && limits.restitution == 0.0 {
                        more[0] = gap / h;
                    }
                }
                slack = LAWS / (10.0 * self.tolerance).max(LAWS);
                Rule::Cone(Section::Nothing)
            }
        };
        for k in 0..rows.len() {
            u[k] += more[k];
            b[k] += more[k];
        }
        let kappa = rows.len() as f64 / trace;
        let mut f = vec![0.0; rows.len()];
        rule.natural(kappa, &s, &u, &mut f);
        sums.add(kappa, &f, &s, &u, &b);
        let size = |x: &[f64]| x.iter().map(|v| v * v).sum::<f64>().sqrt();
        let rows_size: f64 = pushes.iter().map(|push| self.row_size(push)).sum();
        let scale = size(&s).max(kappa * rows_size).max(kappa * size(&more));
        let off = if size(&f) == 0.0 {
            0.0
        } else {
            size(&f) / scale
        };
        (off * slack, joint.name.clone())
    }

    /// The size of the reaction that friction is scaled by.
    fn pressed(&self, number: usize, s: &[f64]) -> f64 {
        let kind = self.given.model.joints[number].kind;
        let rows = match (kind, D::N) {
            (Kind::Revolute, 3) => 1..3,
            (Kind::Revolute | Kind::Spherical, n) => 0..n,
            (Kind::Prismatic | Kind::Cylindrical, n) => 0..n - 1,
            _ => 0..0,
        };
        let parts = s.get(rows).unwrap_or(&[]);
        parts.iter().map(|s| s * s).sum::<f64>().sqrt()
    }
}

fn ball(rows: usize, radius: f64) -> Rule {
    Rule::Within {
        low: vec![0.0; rows],
        high: vec![0.0; rows],
        radius,
    }
}
