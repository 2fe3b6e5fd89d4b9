//! The laws of the joints of a step: bilateral rows, springs, motors, friction and limits.

use percuss_scene::model::bodies::joint::{JointCoordinate, JointKind};

use super::super::defects::{Defect, Defects};
use super::super::laws::{Rule, Section};
use super::super::vector::dot;
use super::BodiesVerifier;
use super::contacts::size;
use super::joint_frames::{coordinate, joint_frames};
use super::joints::{LAWS, RecordedJointRow};
use super::scene_data::{EmbedInSpace, Twist};
use super::step_motion::RowImpulse;

/// The law of one part of a joint.
struct JointPartLaw {
    rule: Rule,
    /// Terms added to the final velocities.
    more: Vec<f64>,
    /// Compliance of a spring: the part of the velocity that is proportional to the impulse.
    yielding: f64,
    /// Factor on the defect: below 1 where the law is solved to the tolerance only.
    slack: f64,
}

impl JointPartLaw {
    fn new(more: Vec<f64>, rule: Rule) -> Self {
        Self {
            rule,
            more,
            yielding: 0.0,
            slack: 1.0,
        }
    }
}

impl<D: EmbedInSpace> BodiesVerifier<'_, D> {
    /// Compares the laws of the joints; their rows enter the velocity scale of RV.
    pub(super) fn compare_joint_laws(&mut self, defects: &mut Defects) {
        let rows = std::mem::take(&mut self.joints.rows);
        let pushes = self.joint_pushes_of(rows.len()).to_vec();
        let mut first = 0;
        let mut pressed = 0.0;
        while let Some(row) = rows.get(first) {
            // Consecutive rows of one part of one joint form a block.
            let same =
                |r: &&RecordedJointRow| r.joint == row.joint && r.part == row.part && r.row >= 1;
            let count = 1 + rows[first + 1..].iter().take_while(same).count();
            let end = first + count;
            let (off, name) = self.compare_joint_part(
                &rows[first..end],
                &pushes[first..end],
                &mut pressed,
                defects,
            );
            let place = self.place(format!("joint `{name}`, {}", row.part));
            self.report.add_comparison("joint laws", off, || place);
            first = end;
        }
        self.joints.rows = rows;
    }

    fn joint_pushes_of(&self, count: usize) -> &[RowImpulse] {
        &self.impulses[self.impulses.len().saturating_sub(count)..]
    }

    /// One part of one joint: its relative defect, and the name of the joint.
    fn compare_joint_part(
        &mut self,
        rows: &[RecordedJointRow],
        pushes: &[RowImpulse],
        pressed: &mut f64,
        defects: &mut Defects,
    ) -> (f64, String) {
        let number = rows[0].joint;
        let t = self.motion.t;
        let speed = match self.scene.model.joints.get_mut(number) {
            Some(joint) => joint.motor.as_mut().map_or(0.0, |motor| motor.speed.at(t)),
            None => return (f64::INFINITY, "?".into()),
        };
        // Impulses; bilateral rows give the reaction that bounds friction.
        let s: Vec<f64> = rows.iter().map(|row| row.impulse).collect();
        if rows[0].part == "bilateral" {
            *pressed = self.normal_reaction(number, &s);
        }
        let with = |v: &[Twist]| -> Vec<f64> {
            pushes
                .iter()
                .map(|p| self.motion.row_velocity(p, v))
                .collect()
        };
        // U_I, U_F and the free velocity of the rows.
        let begin = with(&self.motion.begin);
        let (mut u, mut b) = (with(&self.motion.end), with(&self.motion.free));
        let name = self.scene.model.joints[number].name.clone();
        let Some(mut part) = self.part(&rows[0], &begin, speed, *pressed) else {
            return (f64::INFINITY, name);
        };
        if rows[0].part == "bilateral" {
            let rho = self.held_restitution(&begin, &u);
            part.more.iter_mut().for_each(|more| *more *= rho);
        }
        for k in 0..rows.len() {
            let more = part.more.get(k).copied().unwrap_or(0.0);
            u[k] += more + part.yielding * s[k];
            b[k] += more;
        }
        // Natural map of the rule, scaled by κ = d / (tr H + compliance).
        let kappa = rows.len() as f64 / (self.trace(pushes) + part.yielding);
        let mut f = vec![0.0; rows.len()];
        part.rule.natural(kappa, &s, &u, &mut f);
        // The defect of a joint is compared separately; here it contributes to the velocity scale only.
        defects.push(Defect {
            bodies: self.moved(pushes),
            rows: rows.len(),
            kappa,
            left: 0.0,
            free: part.rule.speed_at_stake(&b),
            rounding: 0.0,
        });
        let rows_size: f64 = pushes.iter().map(|push| self.row_size(push)).sum();
        let scale = size(&s)
            .max(kappa * rows_size)
            .max(kappa * size(&part.more));
        let off = match size(&f) {
            0.0 => 0.0,
            left => left / scale,
        };
        (off * part.slack, name)
    }

    /// ρ of bilateral rows: 1, or that of the contacts where contacts that act with joints would gain energy with 1.
    pub(super) fn held_restitution(&self, begin: &[f64], end: &[f64]) -> f64 {
        let off = |rho: f64| {
            let each = end.iter().zip(begin).map(|(u, begin)| u + rho * begin);
            size(&each.collect::<Vec<f64>>())
        };
        let other = self.common_restitution().unwrap_or(0.0);
        if off(other) < off(1.0) { other } else { 1.0 }
    }

    /// The law of a part of a joint; `None` where the scene has no such part.
    fn part(
        &self,
        row: &RecordedJointRow,
        begin: &[f64],
        speed: f64,
        pressed: f64,
    ) -> Option<JointPartLaw> {
        let h = self.motion.h;
        let joint = self.scene.model.joints.get(row.joint)?;
        let (value, _, direction) = coordinate(joint, &joint_frames(joint, &self.motion.mid));
        // Friction bounds and limits are found by iteration, to the solver tolerance.
        let found = LAWS / (10.0 * self.tolerance).max(LAWS);
        Some(match row.part {
            "bilateral" => JointPartLaw::new(begin.to_vec(), Rule::Held),
            "spring" => {
                let spring = joint.spring.as_ref()?;
                let beta = 0.25 * h * h * spring.stiffness + 0.5 * h * spring.damping;
                let stretch = value - spring.rest - 0.25 * h * begin[0];
                let alpha = h * spring.stiffness * stretch + 0.5 * h * spring.damping * begin[0];
                JointPartLaw {
                    yielding: 1.0 / beta,
                    ..JointPartLaw::new(vec![alpha / beta], Rule::Held)
                }
            }
            "motor" => {
                let bound = joint.motor.as_ref()?.bound;
                let rule = match bound.is_finite() {
                    true => ball(1, h * bound),
                    false => Rule::Held,
                };
                JointPartLaw::new(vec![-speed], rule)
            }
            "friction" => {
                let rub = joint.friction?;
                let lever = match joint.coordinate {
                    JointCoordinate::Angle => rub.radius,
                    _ => 1.0,
                };
                let rule = ball(begin.len(), rub.coefficient * lever * pressed);
                JointPartLaw {
                    slack: found,
                    ..JointPartLaw::new(Vec::new(), rule)
                }
            }
            _ => {
                let limits = joint.limits?;
                let gap = match dot(direction, row.direction) < 0.0 {
                    true => limits.high - value,
                    false => value - limits.low,
                };
                let open = self.predicted && limits.restitution == 0.0 && gap > 1e-9;
                let more = if open {
                    gap / h
                } else {
                    limits.restitution * begin[0]
                };
                JointPartLaw {
                    slack: found,
                    ..JointPartLaw::new(vec![more], Rule::Cone(Section::Nothing))
                }
            }
        })
    }

    /// The norm of the reaction that bounds the friction of a joint.
    fn normal_reaction(&self, number: usize, s: &[f64]) -> f64 {
        let kind = self.scene.model.joints[number].kind;
        let rows = match (kind, D::N) {
            (JointKind::Revolute, 3) => 1..3,
            (JointKind::Revolute | JointKind::Spherical, n) => 0..n,
            (JointKind::Prismatic | JointKind::Cylindrical, n) => 0..n - 1,
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
