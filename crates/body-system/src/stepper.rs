//! The motion as the stepper of a world: reports, contacts and joint forces of an output interval.
//!
//! Impulses are sums over the interval of the components in the moving frames; frames and points are those of its end.

use glam::DVec3;
use percuss_bodies::joint::CLEARANCES;
use percuss_bodies::{SteppedContact, SteppedState, Stepper};
use percuss_geometry::{ContactPoint, Vector, min_width};
use percuss_mechanism::{ConstraintReport, Integrator};

use crate::coordinates::{BodyDim, Embedded};
use crate::motion::BodyMotion;
use crate::row::Row;
use crate::system::ConstraintOrigin;

/// A vector of the dimension from one of space.
fn projected<D: Embedded>(vector: DVec3) -> D::Vector {
    D::Vector::from_components(&vector.to_array()[..D::N])
}

impl<D: BodyDim> Stepper<D> for BodyMotion<D> {
    fn step(&mut self, end: &mut SteppedState<D>) -> Result<(), String> {
        self.advance().map_err(|error| error.to_string())?;
        end.t = self.time();
        (end.poses, end.velocities) = self.state();
        end.contacts.clear();
        let reports = self.integrator().constraint_reports();
        for report in &reports {
            end.contacts.extend(self.contact(report));
        }
        end.contacts
            .sort_by_key(|contact| (contact.bodies, contact.point.feature));
        end.joints = self.joint_forces(&reports);
        end.report = self.step_report(end.contacts.len());
        Ok(())
    }
}

impl<D: BodyDim> BodyMotion<D> {
    /// The contact of a constraint; `None` for joints and limits.
    fn contact(&self, report: &ConstraintReport<'_>) -> Option<SteppedContact<D>> {
        let state = self.integrator().state();
        let known = self.system().origins()[report.constraint];
        let (bodies, feature) = match known {
            ConstraintOrigin::Contact { bodies, feature } => (bodies, feature),
            ConstraintOrigin::Pin(j) => {
                let sides = self.system().model().joints[j].frames.map(|side| side.body);
                let [Some(a), Some(b)] = sides else {
                    return None;
                };
                ([a as usize, b as usize], CLEARANCES + j as u32)
            }
            _ => return None,
        };
        let rows = self.system().rows_at(report.constraint, &state.q, &state.v);
        // The normal points from the smaller index to the larger one.
        let sign = if bodies[0] < bodies[1] { 1.0 } else { -1.0 };
        let axis = |i: usize| -> DVec3 {
            match rows.get(i) {
                Some(row) => row.direction.value * sign,
                None => own_tangent(&rows, i, D::N) * sign,
            }
        };
        let (normal, at) = (axis(0), rows[0].at.value);
        let behind = at - normal * (report.gap * sign);
        // The point is on the second body of the pair of features.
        let (point_a, point_b) = if sign > 0.0 {
            (behind, at)
        } else {
            (at, behind)
        };
        Some(SteppedContact {
            bodies: [
                bodies[0].min(bodies[1]) as u32,
                bodies[0].max(bodies[1]) as u32,
            ],
            point: ContactPoint {
                point_a: projected::<D>(point_a),
                point_b: projected::<D>(point_b),
                normal: projected::<D>(normal),
                gap: report.gap,
                feature,
            },
            frame: D::frame_of(|i| projected::<D>(axis(i))),
            status: report.status,
            begin: report.begin.to_vec(),
            end: report.end.to_vec(),
            impulse: report.impulse.to_vec(),
        })
    }

    /// Mean force and moment of every joint on its second body.
    fn joint_forces(&self, reports: &[ConstraintReport<'_>]) -> Vec<(D::Vector, [f64; 3])> {
        let (state, h) = (self.integrator().state(), self.report().h);
        let count = self.system().model().joints.len();
        let mut sums = vec![(DVec3::ZERO, DVec3::ZERO); count];
        let mut add = |j: usize, row: &Row, force: f64| match row.angular {
            true => sums[j].1 += row.direction.value * force,
            false => sums[j].0 += row.direction.value * force,
        };
        for report in reports {
            let (ConstraintOrigin::Joint(j)
            | ConstraintOrigin::LowerLimit(j)
            | ConstraintOrigin::UpperLimit(j)) = self.system().origins()[report.constraint]
            else {
                continue;
            };
            let rows = self.system().rows_at(report.constraint, &state.q, &state.v);
            for (row, impulse) in rows.iter().zip(report.impulse) {
                add(j, row, impulse / h);
            }
        }
        for (j, row, pull) in self.system().springs_at(&state.q, &state.v) {
            add(j, &row, pull);
        }
        sums.into_iter()
            .map(|(force, torque)| (projected::<D>(force), torque.to_array()))
            .collect()
    }

    /// The report of the interval in the words of a world.
    fn step_report(&self, contacts: usize) -> percuss_bodies::StepReport {
        let report = self.report();
        let model = self.system().model();
        let widths = model.bodies.iter().map(|body| min_width::<D>(&body.shape));
        let width = widths.fold(f64::INFINITY, f64::min);
        percuss_bodies::StepReport {
            t: report.t,
            h: report.h,
            num_active: contacts,
            residual: report.residual,
            iterations: report.iterations,
            reached: report.reached,
            penetration: report.penetration,
            penetration_share: report.penetration / width,
            momentum: report.momentum,
            kinetic: report.kinetic,
            work: report.work,
            impact: report.impact,
            sliding: report.sliding,
            boundary: report.boundary,
            energy: report.energy,
            turnover: report.turnover,
            gain: report.gain,
            excess: report.excess,
            mixed: report.mixed,
            gamma: report.gamma,
            ..percuss_bodies::StepReport::default()
        }
    }
}

/// A tangent of a contact without rows for it.
fn own_tangent(rows: &[Row], i: usize, dimension: usize) -> DVec3 {
    let normal = rows[0].direction;
    match dimension {
        2 => normal.perpendicular().value,
        _ => normal.tangents()[i - 1].value,
    }
}
