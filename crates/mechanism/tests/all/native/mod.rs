//! Systems written by hand, for tests of the integrators.

use percuss_contact::law::Status;
use percuss_contact::{Law, Restitution};
use percuss_mechanism::{
    ConfigurationSpace, Constraint, ConstraintKind, State, StateRef, System, SystemError,
};

/// A point of unit mass in ℝⁿ under a constant force, with linear constraints by rows.
#[derive(Debug)]
pub struct Point {
    chart: ConfigurationSpace,
    constraints: Vec<Constraint>,
    pub force: Vec<f64>,
    pub parts: Vec<Part>,
}

/// A constraint on the point: rows of G, offset of the gap, law, restitution.
#[derive(Debug)]
pub struct Part {
    pub rows: Vec<Vec<f64>>,
    pub offset: f64,
    pub law: Law,
    pub restitution: Restitution,
}

impl Point {
    pub fn new(force: Vec<f64>, parts: Vec<(&str, ConstraintKind, Part)>) -> Self {
        let constraints = parts
            .iter()
            .map(|(name, kind, part)| Constraint::new(*name, *kind, part.rows.len()));
        Self {
            chart: ConfigurationSpace::euclidean(force.len()),
            constraints: constraints.collect(),
            force,
            parts: parts.into_iter().map(|(_, _, part)| part).collect(),
        }
    }
}

impl System for Point {
    fn configuration_space(&self) -> &ConfigurationSpace {
        &self.chart
    }
    fn position_name(&self, i: usize) -> String {
        format!("x{i}")
    }
    fn velocity_name(&self, i: usize) -> String {
        format!("x{i}_dot")
    }
    fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }
    fn dynamics(
        &mut self,
        _t: f64,
        _q: &[f64],
        v: &[f64],
        mass: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), SystemError> {
        let n = v.len();
        mass.fill(0.0);
        (0..n).for_each(|i| mass[i * n + i] = 1.0);
        force.copy_from_slice(&self.force);
        Ok(())
    }
    fn potential(&mut self, _t: f64, q: &[f64]) -> Result<f64, SystemError> {
        Ok(-q.iter().zip(&self.force).map(|(x, f)| x * f).sum::<f64>())
    }
    fn gaps(&mut self, _t: f64, q: &[f64], gaps: &mut [f64]) -> Result<(), SystemError> {
        let mut at = 0;
        for (part, constraint) in self.parts.iter().zip(&self.constraints) {
            for row in &part.rows[..constraint.num_gaps()] {
                gaps[at] = part.offset + row.iter().zip(q).map(|(g, x)| g * x).sum::<f64>();
                at += 1;
            }
        }
        Ok(())
    }
    fn rows(
        &mut self,
        constraint: usize,
        _t: f64,
        _q: &[f64],
        jacobian: &mut [f64],
        boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        let rows = &self.parts[constraint].rows;
        let n = self.force.len();
        for (i, row) in rows.iter().enumerate() {
            jacobian[i * n..(i + 1) * n].copy_from_slice(row);
        }
        boundary.fill(0.0);
        Ok(())
    }
    fn bias(
        &mut self,
        _constraint: usize,
        _t: f64,
        _q: &[f64],
        _v: &[f64],
        bias: &mut [f64],
    ) -> Result<(), SystemError> {
        bias.fill(0.0);
        Ok(())
    }
    fn law(
        &mut self,
        constraint: usize,
        _at: StateRef<'_>,
        _h: f64,
        _previous: Status,
    ) -> Result<Law, SystemError> {
        Ok(self.parts[constraint].law.clone())
    }
    fn restitution(
        &mut self,
        constraint: usize,
        _at: StateRef<'_>,
    ) -> Result<Restitution, SystemError> {
        Ok(self.parts[constraint].restitution)
    }
}

/// Two equal bars (B02 example 4 without springs): point masses at the ends, gravity.
pub struct DoublePendulum {
    chart: ConfigurationSpace,
    pub damping: f64,
}

impl DoublePendulum {
    pub fn new(damping: f64) -> Self {
        Self {
            chart: ConfigurationSpace::euclidean(2),
            damping,
        }
    }
}

impl System for DoublePendulum {
    fn configuration_space(&self) -> &ConfigurationSpace {
        &self.chart
    }
    fn position_name(&self, i: usize) -> String {
        format!("theta{i}")
    }
    fn velocity_name(&self, i: usize) -> String {
        format!("theta{i}_dot")
    }
    fn constraints(&self) -> &[Constraint] {
        &[]
    }
    fn dynamics(
        &mut self,
        _t: f64,
        q: &[f64],
        v: &[f64],
        mass: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), SystemError> {
        let (s, c) = (q[0] - q[1]).sin_cos();
        mass.copy_from_slice(&[2.0, c, c, 1.0]);
        force[0] = -s * v[1] * v[1] - 2.0 * 9.81 * q[0].sin() - self.damping * v[0];
        force[1] = s * v[0] * v[0] - 9.81 * q[1].sin() - self.damping * v[1];
        Ok(())
    }
    fn potential(&mut self, _t: f64, q: &[f64]) -> Result<f64, SystemError> {
        Ok(-9.81 * (2.0 * q[0].cos() + q[1].cos()))
    }
    fn gaps(&mut self, _t: f64, _q: &[f64], _gaps: &mut [f64]) -> Result<(), SystemError> {
        Ok(())
    }
    fn rows(
        &mut self,
        _constraint: usize,
        _t: f64,
        _q: &[f64],
        _jacobian: &mut [f64],
        _boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        Ok(())
    }
    fn bias(
        &mut self,
        _constraint: usize,
        _t: f64,
        _q: &[f64],
        _v: &[f64],
        _bias: &mut [f64],
    ) -> Result<(), SystemError> {
        Ok(())
    }
    fn law(
        &mut self,
        _constraint: usize,
        _at: StateRef<'_>,
        _h: f64,
        _previous: Status,
    ) -> Result<Law, SystemError> {
        Ok(Law::Frictionless)
    }
}

/// A point mass in the plane held by a rod: x² + y² = 1 as a joint, gravity along −y.
pub struct RodPendulum {
    chart: ConfigurationSpace,
    constraints: Vec<Constraint>,
}

impl RodPendulum {
    pub fn new() -> Self {
        Self {
            chart: ConfigurationSpace::euclidean(2),
            constraints: vec![Constraint::new("rod", ConstraintKind::Joint, 1)],
        }
    }
}

impl System for RodPendulum {
    fn configuration_space(&self) -> &ConfigurationSpace {
        &self.chart
    }
    fn position_name(&self, i: usize) -> String {
        ["x", "y"][i].to_string()
    }
    fn velocity_name(&self, i: usize) -> String {
        ["x_dot", "y_dot"][i].to_string()
    }
    fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }
    fn dynamics(
        &mut self,
        _t: f64,
        _q: &[f64],
        _v: &[f64],
        mass: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), SystemError> {
        mass.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
        force.copy_from_slice(&[0.0, -9.81]);
        Ok(())
    }
    fn potential(&mut self, _t: f64, q: &[f64]) -> Result<f64, SystemError> {
        Ok(9.81 * q[1])
    }
    fn gaps(&mut self, _t: f64, q: &[f64], gaps: &mut [f64]) -> Result<(), SystemError> {
        gaps[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
        Ok(())
    }
    fn rows(
        &mut self,
        _constraint: usize,
        _t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        jacobian.copy_from_slice(q);
        boundary[0] = 0.0;
        Ok(())
    }
    fn bias(
        &mut self,
        _constraint: usize,
        _t: f64,
        _q: &[f64],
        v: &[f64],
        bias: &mut [f64],
    ) -> Result<(), SystemError> {
        bias[0] = v[0] * v[0] + v[1] * v[1];
        Ok(())
    }
    fn law(
        &mut self,
        _constraint: usize,
        _at: StateRef<'_>,
        _h: f64,
        _previous: Status,
    ) -> Result<Law, SystemError> {
        Ok(Law::Bilateral)
    }
}

/// A state without history.
pub fn state(q: &[f64], v: &[f64]) -> State {
    State {
        t: 0.0,
        q: q.to_vec(),
        v: v.to_vec(),
        impulse: Vec::new(),
        status: Vec::new(),
    }
}

/// A uniform rod of half-length 1/2 and mass 1 in the plane, one end on the floor y = 0 with
/// friction; coordinates of the centre and the angle to the horizontal (P15, M88 §14).
#[derive(Debug)]
pub struct Rod {
    chart: ConfigurationSpace,
    constraints: Vec<Constraint>,
    pub mu: f64,
    pub gravity: f64,
}

impl Rod {
    pub const HALF: f64 = 0.5;

    pub fn new(mu: f64, gravity: f64) -> Self {
        Self {
            chart: ConfigurationSpace::euclidean(3),
            constraints: vec![Constraint::new("tip", ConstraintKind::Contact, 2)],
            mu,
            gravity,
        }
    }
}

impl System for Rod {
    fn configuration_space(&self) -> &ConfigurationSpace {
        &self.chart
    }
    fn position_name(&self, i: usize) -> String {
        ["x", "y", "theta"][i].to_string()
    }
    fn velocity_name(&self, i: usize) -> String {
        ["x_dot", "y_dot", "theta_dot"][i].to_string()
    }
    fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }
    fn dynamics(
        &mut self,
        _t: f64,
        _q: &[f64],
        _v: &[f64],
        mass: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), SystemError> {
        let inertia = Self::HALF * Self::HALF / 3.0;
        mass.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, inertia]);
        force.copy_from_slice(&[0.0, -self.gravity, 0.0]);
        Ok(())
    }
    fn gaps(&mut self, _t: f64, q: &[f64], gaps: &mut [f64]) -> Result<(), SystemError> {
        gaps[0] = q[1] - Self::HALF * q[2].sin();
        Ok(())
    }
    fn rows(
        &mut self,
        _constraint: usize,
        _t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        let (s, c) = q[2].sin_cos();
        jacobian.copy_from_slice(&[0.0, 1.0, -Self::HALF * c, 1.0, 0.0, Self::HALF * s]);
        boundary.fill(0.0);
        Ok(())
    }
    fn bias(
        &mut self,
        _constraint: usize,
        _t: f64,
        q: &[f64],
        v: &[f64],
        bias: &mut [f64],
    ) -> Result<(), SystemError> {
        let (s, c) = q[2].sin_cos();
        let square = Self::HALF * v[2] * v[2];
        bias.copy_from_slice(&[square * s, square * c]);
        Ok(())
    }
    fn law(
        &mut self,
        _constraint: usize,
        _at: StateRef<'_>,
        _h: f64,
        _previous: Status,
    ) -> Result<Law, SystemError> {
        Ok(Law::Coulomb { mu: self.mu })
    }
}
