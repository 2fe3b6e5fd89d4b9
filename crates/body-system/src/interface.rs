//! The trait `System` of a mechanism for bodies.

use percuss_bodies::contact_law;
use percuss_contact::law::Status;
use percuss_contact::{Law, Restitution};
use percuss_mechanism::{
    ConfigurationSpace, Constraint, FeatureRange, StateRef, System, SystemError,
};

use crate::coordinates::BodyDim;
use crate::system::{BodySystem, ConstraintOrigin};

impl<D: BodyDim> System for BodySystem<D> {
    fn configuration_space(&self) -> &ConfigurationSpace {
        &self.space
    }

    fn position_name(&self, i: usize) -> String {
        self.name_of(i, true)
    }

    fn velocity_name(&self, i: usize) -> String {
        self.name_of(i, false)
    }

    fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    fn dynamics(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        mass: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), SystemError> {
        let n = v.len();
        mass.fill(0.0);
        force.fill(0.0);
        let loads = self.loads(t, q, v);
        for (i, slot) in self.slots.iter().enumerate() {
            let masses = D::mass_diagonal(&self.model.bodies[i].mass);
            slot.scatter::<D>(|k, s| {
                mass[s * n + s] = masses.as_ref()[k];
                force[s] = loads[i].as_ref()[k];
            });
        }
        if self.model.joints.iter().any(|joint| joint.spring.is_some()) {
            let configuration = self.at(q, v);
            for (j, row, pull) in configuration.springs() {
                configuration.add_row(
                    &row,
                    configuration.sides(j),
                    configuration.joint_bodies(j),
                    pull,
                    force,
                );
            }
        }
        self.finite("a force", t, force)
    }

    fn potential(&mut self, _t: f64, q: &[f64]) -> Result<f64, SystemError> {
        let configuration = self.at(q, &vec![0.0; self.space.num_velocities()]);
        let mut potential = 0.0;
        for (i, slot) in self.slots.iter().enumerate() {
            if !slot.entries.is_empty() {
                let mass = self.model.bodies[i].mass.mass;
                let gravity = D::embed(self.model.gravity);
                potential -= mass * gravity.dot(configuration.placed[i].position.value);
            }
        }
        for (j, joint) in self.model.joints.iter().enumerate() {
            if let Some(spring) = &joint.spring {
                let off = configuration.coordinate(j) - spring.rest;
                potential += 0.5 * spring.stiffness * off * off;
            }
        }
        Ok(potential)
    }

    fn gaps(&mut self, t: f64, q: &[f64], gaps: &mut [f64]) -> Result<(), SystemError> {
        let configuration = self.at(q, &vec![0.0; self.space.num_velocities()]);
        let mut all = Vec::with_capacity(gaps.len());
        for i in 0..self.constraints.len() {
            configuration
                .values(i, &mut all)
                .map_err(|problem| SystemError {
                    what: format!("the contact `{}`", self.constraints[i].name),
                    problem,
                    t,
                })?;
        }
        gaps.copy_from_slice(&all);
        self.finite("a gap", t, gaps)
    }

    fn rows(
        &mut self,
        constraint: usize,
        t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        let n = self.space.num_velocities();
        jacobian.fill(0.0);
        boundary.fill(0.0);
        let configuration = self.at(q, &vec![0.0; n]);
        let (rows, placed, bodies) = configuration.rows(constraint);
        for (row, out) in rows.iter().zip(jacobian.chunks_mut(n)) {
            configuration.add_row(row, placed, bodies, 1.0, out);
        }
        self.finite("a row of G", t, jacobian)
    }

    fn bias(
        &mut self,
        constraint: usize,
        t: f64,
        q: &[f64],
        v: &[f64],
        bias: &mut [f64],
    ) -> Result<(), SystemError> {
        let configuration = self.at(q, v);
        let (rows, [a, b], _) = configuration.rows(constraint);
        for (row, bias) in rows.iter().zip(bias.iter_mut()) {
            *bias = row.velocity(a, b).rate;
        }
        self.finite("the rate of a row of G", t, bias)
    }

    fn law(
        &mut self,
        constraint: usize,
        _at: StateRef<'_>,
        _h: f64,
        previous: Status,
    ) -> Result<Law, SystemError> {
        Ok(match self.origins[constraint] {
            ConstraintOrigin::Joint(_) => Law::Bilateral,
            ConstraintOrigin::LowerLimit(_) | ConstraintOrigin::UpperLimit(_) => Law::Frictionless,
            ConstraintOrigin::Contact { .. } | ConstraintOrigin::Pin(_) => {
                match self.law_of(constraint) {
                    Some(law) => contact_law::<D>(law, previous).0,
                    None => Law::Frictionless,
                }
            }
        })
    }

    fn restitution(
        &mut self,
        constraint: usize,
        _at: StateRef<'_>,
    ) -> Result<Restitution, SystemError> {
        Ok(match self.origins[constraint] {
            ConstraintOrigin::LowerLimit(j) | ConstraintOrigin::UpperLimit(j) => {
                let limits = self.model.joints[j].limits;
                Restitution {
                    normal: limits.map_or(0.0, |limits| limits.restitution),
                    tangential: 0.0,
                }
            }
            _ => self
                .law_of(constraint)
                .map_or_else(Restitution::default, |law| law.restitution),
        })
    }

    fn range(
        &mut self,
        constraint: usize,
        at: StateRef<'_>,
    ) -> Result<Option<FeatureRange>, SystemError> {
        let ConstraintOrigin::Contact { .. } = self.origins[constraint] else {
            return Ok(None);
        };
        let range = self.at(at.q, at.v).touch(constraint).range;
        Ok(Some(FeatureRange {
            inside: range.value,
            rate: range.rate,
        }))
    }

    fn length_scale(&self, constraint: usize) -> Option<f64> {
        match self.origins[constraint] {
            ConstraintOrigin::Contact { bodies, .. } => {
                Some(self.shapes[bodies[0]].size.min(self.shapes[bodies[1]].size))
            }
            _ => None,
        }
    }
}
