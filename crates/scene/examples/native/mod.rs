//! The mechanisms of the speed comparison, as text and in Rust.

use percuss_contact::law::Status;
use percuss_contact::{Law, Restitution};
use percuss_mechanism::{
    ConfigurationSpace, Constraint, ConstraintKind, StateRef, System, SystemError,
};

/// B02 example 8 with equal point masses and bars.
pub const PENDULUM_WALL: &str = r#"
kind = "mechanism"
[parameters]
l = 1.0
m = 1.0
g = 9.81
[[coordinate]]
name = "a"
kind = "angle"
initial = 1.2
[[coordinate]]
name = "b"
kind = "angle"
initial = 0.4
[definitions]
x1 = "l*sin(a)"
y1 = "-l*cos(a)"
x2 = "x1 + l*sin(b)"
y2 = "y1 - l*cos(b)"
[dynamics]
kinetic = "0.5*m*(x1_dot^2 + y1_dot^2 + x2_dot^2 + y2_dot^2)"
potential = "m*g*(y1 + y2)"
[[contact]]
name = "knee"
gap = "x1"
restitution = 0.5
[[contact]]
name = "tip"
gap = "x2"
restitution = 0.5
[run]
until = 10
step = 1e-4
"#;

/// The same in Rust.
#[derive(Clone)]
pub struct PendulumWall {
    chart: ConfigurationSpace,
    constraints: Vec<Constraint>,
}

fn contact(name: &str, rows: usize) -> Constraint {
    Constraint::new(name, ConstraintKind::Contact, rows)
}

impl PendulumWall {
    pub fn new() -> Self {
        Self {
            chart: ConfigurationSpace::euclidean(2),
            constraints: vec![contact("knee", 1), contact("tip", 1)],
        }
    }
}

impl System for PendulumWall {
    fn configuration_space(&self) -> &ConfigurationSpace {
        &self.chart
    }
    fn position_name(&self, i: usize) -> String {
        ["a", "b"][i].to_string()
    }
    fn velocity_name(&self, i: usize) -> String {
        ["a_dot", "b_dot"][i].to_string()
    }
    fn constraints(&self) -> &[Constraint] {
        &self.constraints
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
        force[0] = -s * v[1] * v[1] - 2.0 * 9.81 * q[0].sin();
        force[1] = s * v[0] * v[0] - 9.81 * q[1].sin();
        Ok(())
    }
    fn potential(&mut self, _t: f64, q: &[f64]) -> Result<f64, SystemError> {
        Ok(-9.81 * (2.0 * q[0].cos() + q[1].cos()))
    }
    fn gaps(&mut self, _t: f64, q: &[f64], gaps: &mut [f64]) -> Result<(), SystemError> {
        gaps[0] = q[0].sin();
        gaps[1] = gaps[0] + q[1].sin();
        Ok(())
    }
    fn rows(
        &mut self,
        constraint: usize,
        _t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        jacobian[0] = q[0].cos();
        jacobian[1] = if constraint == 0 { 0.0 } else { q[1].cos() };
        boundary[0] = 0.0;
        Ok(())
    }
    fn bias(
        &mut self,
        constraint: usize,
        _t: f64,
        q: &[f64],
        v: &[f64],
        bias: &mut [f64],
    ) -> Result<(), SystemError> {
        bias[0] = -q[0].sin() * v[0] * v[0];
        if constraint == 1 {
            bias[0] -= q[1].sin() * v[1] * v[1];
        }
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
    fn restitution(
        &mut self,
        _constraint: usize,
        _at: StateRef<'_>,
    ) -> Result<Restitution, SystemError> {
        Ok(Restitution {
            normal: 0.5,
            tangential: 0.0,
        })
    }
}

/// A block on a shaken table with a spring: always in contact, sticking and sliding.
pub const SLIDER: &str = r#"
kind = "mechanism"
[parameters]
m = 2.0
k = 40.0
g = 9.81
mu = 0.3
amplitude = 0.1
omega = 8.0
[[coordinate]]
name = "x"
[[coordinate]]
name = "z"
[definitions]
table = "amplitude*sin(omega*t)"
[dynamics]
kinetic = "0.5*m*(x_dot^2 + z_dot^2)"
potential = "m*g*z + 0.5*k*x^2"
[[contact]]
name = "table_top"
gap = "z"
tangent = "x_dot - table_dot"
friction = "mu"
[run]
until = 10
step = 1e-4
"#;

/// The same in Rust.
#[derive(Clone)]
pub struct Slider {
    chart: ConfigurationSpace,
    constraints: Vec<Constraint>,
}

impl Slider {
    pub fn new() -> Self {
        Self {
            chart: ConfigurationSpace::euclidean(2),
            constraints: vec![contact("table_top", 2)],
        }
    }
}

impl System for Slider {
    fn configuration_space(&self) -> &ConfigurationSpace {
        &self.chart
    }
    fn position_name(&self, i: usize) -> String {
        ["x", "z"][i].to_string()
    }
    fn velocity_name(&self, i: usize) -> String {
        ["x_dot", "z_dot"][i].to_string()
    }
    fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }
    fn dynamics(
        &mut self,
        _t: f64,
        q: &[f64],
        _v: &[f64],
        mass: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), SystemError> {
        mass.copy_from_slice(&[2.0, 0.0, 0.0, 2.0]);
        force.copy_from_slice(&[-40.0 * q[0], -2.0 * 9.81]);
        Ok(())
    }
    fn potential(&mut self, _t: f64, q: &[f64]) -> Result<f64, SystemError> {
        Ok(2.0 * 9.81 * q[1] + 20.0 * q[0] * q[0])
    }
    fn gaps(&mut self, _t: f64, q: &[f64], gaps: &mut [f64]) -> Result<(), SystemError> {
        gaps[0] = q[1];
        Ok(())
    }
    fn rows(
        &mut self,
        _constraint: usize,
        t: f64,
        _q: &[f64],
        jacobian: &mut [f64],
        boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        jacobian.copy_from_slice(&[0.0, 1.0, 1.0, 0.0]);
        boundary[0] = 0.0;
        boundary[1] = -0.8 * (8.0 * t).cos();
        Ok(())
    }
    fn bias(
        &mut self,
        _constraint: usize,
        t: f64,
        _q: &[f64],
        _v: &[f64],
        bias: &mut [f64],
    ) -> Result<(), SystemError> {
        bias[0] = 0.0;
        bias[1] = 6.4 * (8.0 * t).sin();
        Ok(())
    }
    fn law(
        &mut self,
        _constraint: usize,
        _at: StateRef<'_>,
        _h: f64,
        _previous: Status,
    ) -> Result<Law, SystemError> {
        Ok(Law::Coulomb { mu: 0.3 })
    }
}

/// Three links on a floor: six coordinates by two angles each, three tips with friction.
pub const CHAIN: &str = r#"
kind = "mechanism"
[parameters]
l = 0.3
m = 1.0
g = 9.81
[[coordinate]]
name = "x"
[[coordinate]]
name = "z"
initial = 0.5
[[coordinate]]
name = "a"
[[coordinate]]
name = "b"
initial = 0.5
[[coordinate]]
name = "c"
initial = -0.5
[[coordinate]]
name = "d"
initial = 0.2
[definitions]
x1 = "x + l*cos(a)"
z1 = "z + l*sin(a)"
x2 = "x1 + l*cos(b)"
z2 = "z1 + l*sin(b)"
x3 = "x2 + l*cos(c)"
z3 = "z2 + l*sin(c)"
x4 = "x3 + l*cos(d)"
z4 = "z3 + l*sin(d)"
[dynamics]
kinetic = "0.5*m*(x_dot^2+z_dot^2+x1_dot^2+z1_dot^2+x2_dot^2+z2_dot^2+x3_dot^2+z3_dot^2+x4_dot^2+z4_dot^2)"
potential = "m*g*(z+z1+z2+z3+z4)"
[[contact]]
name = "first"
gap = "z"
tangent = "x_dot"
friction = 0.3
[[contact]]
name = "middle"
gap = "z2"
tangent = "x2_dot"
friction = 0.3
[[contact]]
name = "last"
gap = "z4"
tangent = "x4_dot"
friction = 0.3
[run]
until = 10
step = 1e-4
"#;
