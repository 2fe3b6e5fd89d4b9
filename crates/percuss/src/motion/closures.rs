//! Mechanisms whose mass matrix, forces and constraints are closures.

use percuss_mechanism::{ConfigurationSpace, Constraint, ImpactLaw, Scheme, Settings, State};

use super::Mechanism;
use super::closure_constraint::{At, ClosureConstraint};
use super::closure_system::ClosureSystem;
use crate::error::{self, Error, Result};

/// A mechanism of N coordinates whose parts are closures. By default the mass matrix is the identity, there is no
/// force, and everything starts at rest at 0.
///
/// ```
/// use percuss::Mechanism;
/// # fn main() -> percuss::Result<()> {
/// // A pendulum of length 1: A = 1, K = −g sin θ.
/// let mut pendulum = Mechanism::from_closures(["theta"])
///     .start([0.1], [0.0])
///     .force(|at| [-9.81 * at.q[0].sin()])
///     .potential(|at| -9.81 * at.q[0].cos())
///     .build()?;
/// pendulum.run_until(2.0)?;
/// assert!((pendulum.energy() + 9.81 * 0.1_f64.cos()).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
pub struct ClosureMechanism<const N: usize> {
    system: ClosureSystem<N>,
    q: [f64; N],
    v: [f64; N],
    settings: Settings,
}

impl<const N: usize> std::fmt::Debug for ClosureMechanism<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClosureMechanism")
            .field("names", &self.system.names)
            .field("parts", &self.system.parts)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl<const N: usize> ClosureMechanism<N> {
    pub(super) fn new(names: [&str; N]) -> Self {
        Self {
            system: ClosureSystem {
                space: ConfigurationSpace::euclidean(N),
                names: names.map(str::to_string),
                mass: Box::new(|_| {
                    std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))))
                }),
                force: Box::new(|_| [0.0; N]),
                potential: None,
                constraints: Vec::new(),
                parts: Vec::new(),
                impact_map: None,
                exponent: 1.5,
            },
            q: [0.0; N],
            v: [0.0; N],
            settings: Settings::default(),
        }
    }

    /// Positions and velocities at t = 0.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// let free = Mechanism::from_closures(["x"]).start([1.0], [f64::NAN]).build();
    /// assert!(free.unwrap_err().to_string().contains("`velocity = NaN`"));
    /// ```
    pub fn start(mut self, q: [f64; N], v: [f64; N]) -> Self {
        (self.q, self.v) = (q, v);
        self
    }

    /// The mass matrix A(t, q), symmetric and positive definite.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// let singular = Mechanism::from_closures(["x", "y"]).mass(|_| [[1.0, 1.0], [1.0, 1.0]]);
    /// assert!(singular.build().is_err());
    /// ```
    pub fn mass(mut self, mass: impl FnMut(&At<N>) -> [[f64; N]; N] + Send + 'static) -> Self {
        self.system.mass = Box::new(mass);
        self
    }

    /// The forces K(t, q, v), velocity terms included.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// let damped = Mechanism::from_closures(["x"]).force(|at| [-at.q[0] - 0.1 * at.v[0]]);
    /// assert!(damped.build().is_ok());
    /// ```
    pub fn force(mut self, force: impl FnMut(&At<N>) -> [f64; N] + Send + 'static) -> Self {
        self.system.force = Box::new(force);
        self
    }

    /// The potential energy of conservative forces, for the energy in reports; it adds no force.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// let spring = Mechanism::from_closures(["x"])
    ///     .force(|at| [-at.q[0]])
    ///     .potential(|at| 0.5 * at.q[0] * at.q[0]);
    /// assert!(spring.build().is_ok());
    /// ```
    pub fn potential(mut self, potential: impl FnMut(&At<N>) -> f64 + Send + 'static) -> Self {
        self.system.potential = Some(Box::new(potential));
        self
    }

    /// Adds a contact, a joint, a nonholonomic constraint or dry friction.
    ///
    /// ```
    /// # use percuss::{ClosureConstraint, Mechanism};
    /// let under = Mechanism::from_closures(["z"])
    ///     .start([-1.0], [0.0])
    ///     .constraint(ClosureConstraint::contact("floor", |at| at.q[0], |_| [1.0]))
    ///     .build();
    /// assert!(under.unwrap_err().to_string().contains("`floor`"));
    /// ```
    pub fn constraint(mut self, constraint: ClosureConstraint<N>) -> Self {
        self.system.constraints.push(Constraint::new(
            constraint.name.clone(),
            constraint.kind,
            constraint.rows.len(),
        ));
        self.system.parts.push(constraint);
        self
    }

    /// Length of a step; 1e-3 by default.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// assert!(Mechanism::from_closures(["x"]).step(-1.0).build().is_err());
    /// ```
    pub fn step(mut self, h: f64) -> Self {
        self.settings.step = h;
        self
    }

    /// Integration scheme; Moreau's midpoint scheme by default.
    ///
    /// ```
    /// # use percuss::{Mechanism, mechanism::Scheme};
    /// assert!(Mechanism::from_closures(["x"]).scheme(Scheme::Theta(0.6)).build().is_ok());
    /// ```
    pub fn scheme(mut self, scheme: Scheme) -> Self {
        self.settings.scheme = scheme;
        self
    }

    /// The impact law v⁺ = F(q, v⁻): a closure of the state before the impact and of the names of the closed contacts. The
    /// conditions of B02 (1.11) and (1.12) are checked at every impact, and a violation stops the motion.
    ///
    /// ```
    /// use percuss::{ClosureConstraint, Mechanism};
    /// # fn main() -> percuss::Result<()> {
    /// // A ball that bounces with a restitution that falls with the speed.
    /// let mut ball = Mechanism::from_closures(["z"])
    ///     .start([0.0], [-2.0])
    ///     .constraint(ClosureConstraint::contact("floor", |at| at.q[0], |_| [1.0]))
    ///     .impact_map(|at, closed| {
    ///         assert_eq!(closed, ["floor"]);
    ///         [-at.v[0] / (1.0 + at.v[0].abs())]
    ///     })
    ///     .build()?;
    /// ball.run_until(0.01)?;
    /// assert!((ball.velocity("z")? - 2.0 / 3.0).abs() < 1e-12);
    /// # Ok(())
    /// # }
    /// ```
    pub fn impact_map(
        mut self,
        map: impl FnMut(&At<N>, &[&str]) -> [f64; N] + Send + 'static,
    ) -> Self {
        self.system.impact_map = Some(Box::new(map));
        self.settings.impact = ImpactLaw::Map;
        self
    }

    /// The law of impulse ratios for simultaneous contacts (LZB), with the exponent of the contact forces over the
    /// indentation: 1.5 of Hertz, 1 of linear springs. See [`ClosureConstraint::stiffness`].
    ///
    /// ```
    /// use percuss::{ClosureConstraint, Mechanism};
    /// # fn main() -> percuss::Result<()> {
    /// let pair = |name: &str, a: usize| {
    ///     let gap = move |at: &percuss::At<3>| at.q[a + 1] - at.q[a] - 1.0;
    ///     let row = move |_: &percuss::At<3>| std::array::from_fn(|i| match i {
    ///         _ if i == a => -1.0,
    ///         _ if i == a + 1 => 1.0,
    ///         _ => 0.0,
    ///     });
    ///     ClosureConstraint::contact(name, gap, row).restitution(1.0)
    /// };
    /// let mut cradle = Mechanism::from_closures(["a", "b", "c"])
    ///     .start([0.0, 1.0, 2.0], [1.0, 0.0, 0.0])
    ///     .constraint(pair("ab", 0))
    ///     .constraint(pair("bc", 1))
    ///     .impulse_ratios(1.5)
    ///     .build()?;
    /// cradle.run_until(0.01)?;
    /// assert!((cradle.velocity("c")? - 0.99454931).abs() < 1e-8);
    /// # Ok(())
    /// # }
    /// ```
    pub fn impulse_ratios(mut self, exponent: f64) -> Self {
        self.system.exponent = exponent;
        self.settings.impact = ImpactLaw::Lzb;
        self
    }

    /// All settings of the integration.
    ///
    /// ```
    /// # use percuss::{Mechanism, mechanism::Settings};
    /// let settings = Settings { tolerance: 1e-12, ..Settings::default() };
    /// assert!(Mechanism::from_closures(["x"]).settings(settings).build().is_ok());
    /// ```
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Checks everything and starts the motion.
    ///
    /// # Errors
    /// What is wrong first, with the name of the constraint or coordinate.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// assert!(Mechanism::from_closures(["x", "x"]).build().is_err()); // one name for two
    /// ```
    pub fn build(self) -> Result<Mechanism> {
        if N == 0 {
            return Err(Error::part("mechanism", "it has no coordinates"));
        }
        let names = &self.system.names;
        let mut seen = std::collections::HashSet::new();
        if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
            let part = format!("coordinate `{name}`");
            return Err(Error::part(part, "the name is given twice"));
        }
        for (name, (q, v)) in names.iter().zip(self.q.iter().zip(&self.v)) {
            let part = format!("coordinate `{name}`");
            error::finite(&part, "position", &[*q])?;
            error::finite(&part, "velocity", &[*v])?;
        }
        for part in &self.system.parts {
            part.check(self.settings.scheme)?;
        }
        let initial = State {
            t: 0.0,
            q: self.q.to_vec(),
            v: self.v.to_vec(),
            impulse: Vec::new(),
            status: Vec::new(),
        };
        let step = self.settings.step;
        Mechanism::start(self.system, self.settings, initial, step)
    }
}
