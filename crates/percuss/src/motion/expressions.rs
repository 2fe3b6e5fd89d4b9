//! Mechanisms whose energies and constraints are expressions: the text of a scene, written by methods.

use std::fmt::Write as _;

use percuss_scene::{InputError, Origin, Scene, SceneError};

use super::Mechanism;
use crate::error::{self, Error, Result};

/// A unilateral contact of a mechanism of expressions.
///
/// ```
/// use percuss::ExpressionContact;
/// let floor = ExpressionContact::new("floor", "z").friction("0.3", "x_dot").restitution("0.5");
/// assert_eq!(floor.gap, "z");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExpressionContact {
    /// Its name.
    pub name: String,
    /// Gap, positive when apart.
    pub gap: String,
    /// Friction coefficient; empty for none.
    pub friction: String,
    /// Sliding velocity, with friction.
    pub tangent: String,
    /// Coefficient of restitution, 0 to 1; empty for 0.
    pub restitution: String,
}

impl ExpressionContact {
    /// A frictionless contact without rebound.
    ///
    /// ```
    /// # use percuss::ExpressionContact;
    /// assert!(ExpressionContact::new("floor", "z").restitution.is_empty());
    /// ```
    pub fn new(name: impl Into<String>, gap: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            gap: gap.into(),
            ..Self::default()
        }
    }

    /// Coulomb friction: the coefficient and the sliding velocity.
    ///
    /// ```
    /// # use percuss::ExpressionContact;
    /// assert_eq!(ExpressionContact::new("floor", "z").friction(0.3, "x_dot").friction, "0.3");
    /// ```
    pub fn friction(mut self, mu: impl ToString, tangent: impl Into<String>) -> Self {
        (self.friction, self.tangent) = (mu.to_string(), tangent.into());
        self
    }

    /// Coefficient of restitution, a number or an expression.
    ///
    /// ```
    /// # use percuss::ExpressionContact;
    /// assert_eq!(ExpressionContact::new("floor", "z").restitution("e").restitution, "e");
    /// ```
    pub fn restitution(mut self, e: impl ToString) -> Self {
        self.restitution = e.to_string();
        self
    }
}

/// A named expression.
#[derive(Debug, Clone)]
struct Named {
    name: String,
    value: String,
}

/// A mechanism written as expressions: kinetic and potential energy, forces, constraints. All derivatives are exact.
///
/// ```
/// use percuss::{ExpressionContact, Mechanism};
/// # fn main() -> percuss::Result<()> {
/// // A pendulum that hits a wall.
/// let mut pendulum = Mechanism::from_expressions()
///     .parameter("l", 0.5)
///     .angle("theta", 1.0, 0.0)
///     .kinetic("0.5*l^2*theta_dot^2")
///     .potential("-9.81*l*cos(theta)")
///     .contact(ExpressionContact::new("wall", "l*sin(theta)").restitution(0.5))
///     .build()?;
/// pendulum.run_until(3.0)?;
/// assert!(pendulum.position("theta")? > -1e-3 && pendulum.certificate().ok);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct ExpressionMechanism {
    parameters: Vec<Named>,
    coordinates: String,
    definitions: Vec<Named>,
    kinetic: String,
    potential: String,
    forces: Vec<Named>,
    constraints: String,
    step: Option<f64>,
    integrator: String,
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    let mut all = String::with_capacity(text.len() + 2);
    all.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                all.push('\\');
                all.push(c);
            }
            c if c.is_control() => {
                let _ = write!(all, "\\u{:04X}", c as u32);
            }
            c => all.push(c),
        }
    }
    all.push('"');
    all
}

/// A line `key = "value"` for each value that is not empty.
fn lines(out: &mut String, pairs: &[(&str, &str)]) {
    for (key, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
        let _ = writeln!(out, "{key} = {}", quoted(value));
    }
}

/// A table of named expressions.
fn table(out: &mut String, title: &str, all: &[Named]) {
    if all.is_empty() {
        return;
    }
    let _ = writeln!(out, "[{title}]");
    for Named { name, value } in all {
        let _ = writeln!(out, "{} = {}", quoted(name), quoted(value));
    }
}

impl ExpressionMechanism {
    /// A constant that expressions may use: a number or an expression in other parameters.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// let builder = Mechanism::from_expressions().parameter("m", 2.0).parameter("weight", "m*9.81");
    /// assert!(builder.to_scene().contains("weight"));
    /// ```
    pub fn parameter(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        self.parameters.push(Named {
            name: name.into(),
            value: value.to_string(),
        });
        self
    }

    /// A coordinate that is a length, with its initial position and velocity. Its velocity is called `NAME_dot`.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// let builder = Mechanism::from_expressions().length("x", 1.0, f64::NAN).kinetic("0.5*x_dot^2");
    /// assert!(builder.build().is_err());
    /// ```
    pub fn length(self, name: impl AsRef<str>, position: f64, velocity: f64) -> Self {
        self.coordinate(name.as_ref(), "line", position, velocity)
    }

    /// A coordinate that is an angle, never reduced modulo 2π.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// let wheel = Mechanism::from_expressions().angle("phi", 0.0, 3.0).kinetic("phi_dot^2").build();
    /// assert_eq!(wheel.unwrap().velocity("phi").unwrap(), 3.0);
    /// ```
    pub fn angle(self, name: impl AsRef<str>, position: f64, velocity: f64) -> Self {
        self.coordinate(name.as_ref(), "angle", position, velocity)
    }

    fn coordinate(mut self, name: &str, kind: &str, position: f64, velocity: f64) -> Self {
        self.coordinates.push_str("[[coordinate]]\n");
        let (position, velocity) = (position.to_string(), velocity.to_string());
        let keys = [
            ("name", name),
            ("kind", kind),
            ("initial", &position),
            ("velocity", &velocity),
        ];
        lines(&mut self.coordinates, &keys);
        self
    }

    /// A name for an expression; `NAME_dot` is its rate where it depends on positions and time only.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// let pendulum = Mechanism::from_expressions()
    ///     .angle("theta", 0.5, 0.0)
    ///     .define("x", "sin(theta)")
    ///     .define("y", "-cos(theta)")
    ///     .kinetic("0.5*(x_dot^2 + y_dot^2)")
    ///     .potential("9.81*y");
    /// assert!(pendulum.build().is_ok());
    /// ```
    pub fn define(mut self, name: impl Into<String>, expression: impl Into<String>) -> Self {
        self.definitions.push(Named {
            name: name.into(),
            value: expression.into(),
        });
        self
    }

    /// The kinetic energy, quadratic in the velocities.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// let cubic = Mechanism::from_expressions().length("x", 0.0, 1.0).kinetic("x_dot^3");
    /// assert!(cubic.build().is_err());
    /// ```
    pub fn kinetic(mut self, expression: impl Into<String>) -> Self {
        self.kinetic = expression.into();
        self
    }

    /// The potential energy; none by default.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// let spring = Mechanism::from_expressions()
    ///     .length("x", 1.0, 0.0)
    ///     .kinetic("0.5*x_dot^2")
    ///     .potential("0.5*x^2");
    /// assert!(spring.build().is_ok());
    /// ```
    pub fn potential(mut self, expression: impl Into<String>) -> Self {
        self.potential = expression.into();
        self
    }

    /// A force along a coordinate, beside those of the potential.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// let damped = Mechanism::from_expressions()
    ///     .length("x", 1.0, 0.0)
    ///     .kinetic("0.5*x_dot^2")
    ///     .force("x", "-x - 0.1*x_dot");
    /// assert!(damped.build().is_ok());
    /// ```
    pub fn force(mut self, coordinate: impl Into<String>, expression: impl Into<String>) -> Self {
        self.forces.push(Named {
            name: coordinate.into(),
            value: expression.into(),
        });
        self
    }

    /// Adds a contact.
    ///
    /// ```
    /// # use percuss::{ExpressionContact, Mechanism};
    /// let sunk = Mechanism::from_expressions()
    ///     .length("z", -1.0, 0.0)
    ///     .kinetic("0.5*z_dot^2")
    ///     .contact(ExpressionContact::new("floor", "z"));
    /// assert!(sunk.build().unwrap_err().to_string().contains("`floor`"));
    /// ```
    pub fn contact(mut self, contact: ExpressionContact) -> Self {
        self.constraints.push_str("[[contact]]\n");
        let keys = [
            ("name", contact.name.as_str()),
            ("gap", &contact.gap),
            ("friction", &contact.friction),
            ("tangent", &contact.tangent),
            ("restitution", &contact.restitution),
        ];
        lines(&mut self.constraints, &keys);
        self
    }

    /// Adds a joint: an expression of positions and time that stays 0.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// # fn main() -> percuss::Result<()> {
    /// let mut pendulum = Mechanism::from_expressions()
    ///     .length("x", 1.0, 0.0)
    ///     .length("y", 0.0, 0.0)
    ///     .kinetic("0.5*(x_dot^2 + y_dot^2)")
    ///     .potential("9.81*y")
    ///     .joint("rod", "x^2 + y^2 - 1")
    ///     .build()?;
    /// pendulum.run_until(1.0)?;
    /// let (x, y) = (pendulum.position("x")?, pendulum.position("y")?);
    /// assert!((x.hypot(y) - 1.0).abs() < 1e-9);
    /// # Ok(())
    /// # }
    /// ```
    pub fn joint(self, name: impl AsRef<str>, constraint: impl AsRef<str>) -> Self {
        self.bilateral("joint", name.as_ref(), constraint.as_ref())
    }

    /// Adds a nonholonomic constraint: an expression of the velocities that stays 0.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// let skate = Mechanism::from_expressions()
    ///     .length("x", 0.0, 1.0)
    ///     .length("y", 0.0, 0.0)
    ///     .angle("phi", 0.0, 1.0)
    ///     .kinetic("0.5*(x_dot^2 + y_dot^2 + phi_dot^2)")
    ///     .velocity_constraint("blade", "-sin(phi)*x_dot + cos(phi)*y_dot");
    /// assert!(skate.build().is_ok());
    /// ```
    pub fn velocity_constraint(self, name: impl AsRef<str>, constraint: impl AsRef<str>) -> Self {
        self.bilateral("velocity_constraint", name.as_ref(), constraint.as_ref())
    }

    fn bilateral(mut self, kind: &str, name: &str, constraint: &str) -> Self {
        let _ = writeln!(self.constraints, "[[{kind}]]");
        lines(
            &mut self.constraints,
            &[("name", name), ("constraint", constraint)],
        );
        self
    }

    /// Length of a step; 1e-3 by default.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// let builder = Mechanism::from_expressions().length("x", 0.0, 1.0).kinetic("x_dot^2").step(0.0);
    /// let expected = "mechanism: `step = 0`: a positive, finite number was expected";
    /// assert_eq!(builder.build().unwrap_err().to_string(), expected);
    /// ```
    pub fn step(mut self, h: f64) -> Self {
        self.step = Some(h);
        self
    }

    /// The integrator, as in scenes: `"midpoint"` (default), `"projected"`, `"theta"`, `"paoli"` or `"event"`.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// let free = Mechanism::from_expressions().length("x", 0.0, 1.0).kinetic("x_dot^2");
    /// assert!(free.clone().integrator("event").build().is_ok());
    /// assert!(free.integrator("magic").build().is_err());
    /// ```
    pub fn integrator(mut self, name: impl Into<String>) -> Self {
        self.integrator = name.into();
        self
    }

    /// The scene file of this mechanism, of which only `until` in `[run]` is to be chosen.
    ///
    /// ```
    /// # use percuss::{Mechanism, scene::Scene};
    /// let free = Mechanism::from_expressions().length("x", 0.0, 1.0).kinetic("x_dot^2");
    /// assert!(Scene::parse("free", "free.toml", &free.to_scene()).is_ok());
    /// ```
    pub fn to_scene(&self) -> String {
        let mut text = String::from("kind = \"mechanism\"\n");
        table(&mut text, "parameters", &self.parameters);
        text.push_str(&self.coordinates);
        table(&mut text, "definitions", &self.definitions);
        text.push_str("[dynamics]\n");
        lines(
            &mut text,
            &[("kinetic", &self.kinetic), ("potential", &self.potential)],
        );
        table(&mut text, "dynamics.forces", &self.forces);
        text.push_str(&self.constraints);
        // The length of the run is the caller's: any that holds a step will do here.
        let step = self.step.unwrap_or(STEP);
        text.push_str("[run]\n");
        let (until, step) = ((1000.0 * step).to_string(), step.to_string());
        let keys = [
            ("until", until.as_str()),
            ("step", &step),
            ("integrator", &self.integrator),
        ];
        for (key, value) in &keys[..2] {
            let _ = writeln!(text, "{key} = {}", quoted(value));
        }
        lines(&mut text, &keys[2..]);
        text
    }

    /// Checks and differentiates everything and starts the motion.
    ///
    /// # Errors
    /// What is wrong first, with the part, the key and the expression.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// assert!(Mechanism::from_expressions().build().is_err()); // no coordinates
    /// ```
    pub fn build(self) -> Result<Mechanism> {
        let step = error::positive("mechanism", "step", self.step.unwrap_or(STEP))?;
        let scene = Scene::parse("mechanism", "mechanism", &self.to_scene()).map_err(placeless)?;
        let built = scene.build_mechanism().map_err(placeless)?;
        Mechanism::start(built.system, built.settings, built.initial, step)
    }
}

/// Default length of a step.
const STEP: f64 = 1e-3;

/// The same error without the line of a text that the user has not written.
fn placeless(error: SceneError) -> Error {
    match error {
        SceneError::Input(input) => SceneError::from(InputError {
            origin: match input.origin {
                Origin::Line(_) => Origin::Whole,
                other => other,
            },
            ..*input
        })
        .into(),
        other => other.into(),
    }
}
