//! Mechanisms in generalised coordinates, from closures or from expressions: [`Mechanism`].

mod closure_constraint;
mod closure_system;
mod closures;
mod expressions;

use percuss_mechanism::{
    EventDriven, Integrator, MechanismError, Scheme, Settings, State, StepReport, System,
    TimeStepper,
};
use percuss_record::Certificate;

use crate::error::{Error, Result};

pub use closure_constraint::{At, ClosureConstraint};
pub use closures::ClosureMechanism;
pub use expressions::{ExpressionContact, ExpressionMechanism};

/// A mechanism in motion: A(t,q) dv = K(t,q,v) dt + Σ Gᵀ dS with contacts, joints and friction, read by the names of its
/// coordinates.
///
/// ```
/// use percuss::Mechanism;
/// # fn main() -> percuss::Result<()> {
/// let mut ball = Mechanism::from_expressions()
///     .length("z", 1.0, 0.0)
///     .kinetic("0.5*z_dot^2")
///     .potential("9.81*z")
///     .build()?;
/// ball.run_until(0.1)?;
/// assert!((ball.position("z")? - (1.0 - 0.5 * 9.81 * 0.01)).abs() < 1e-9);
/// # Ok(())
/// # }
/// ```
pub struct Mechanism {
    integrator: Box<dyn Integrator>,
    positions: Vec<String>,
    velocities: Vec<String>,
    step: f64,
    certificate: Certificate,
}

impl std::fmt::Debug for Mechanism {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mechanism")
            .field("positions", &self.positions)
            .field("state", self.integrator.state())
            .finish_non_exhaustive()
    }
}

impl Mechanism {
    /// A mechanism whose mass matrix, forces and constraints are closures; the coordinates are given by name.
    ///
    /// ```
    /// use percuss::{ClosureConstraint, Mechanism};
    /// # fn main() -> percuss::Result<()> {
    /// let mut ball = Mechanism::from_closures(["x", "z"])
    ///     .start([0.0, 1.0], [1.0, 0.0])
    ///     .force(|_| [0.0, -9.81])
    ///     .constraint(ClosureConstraint::contact("floor", |at| at.q[1], |_| [0.0, 1.0]).restitution(0.5))
    ///     .build()?;
    /// ball.run_until(0.5)?;
    /// assert!(ball.velocity("z")? > 0.0); // it has bounced
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_closures<const N: usize>(names: [&str; N]) -> ClosureMechanism<N> {
        ClosureMechanism::new(names)
    }

    /// A mechanism whose energies and constraints are expressions, exactly differentiated.
    ///
    /// ```
    /// use percuss::Mechanism;
    /// let error = Mechanism::from_expressions().length("z", 1.0, 0.0).kinetic("0.5*zdot^2").build();
    /// assert!(error.unwrap_err().to_string().contains("zdot"));
    /// ```
    pub fn from_expressions() -> ExpressionMechanism {
        ExpressionMechanism::default()
    }

    /// Starts the integrator that the settings name.
    fn start<S: System + 'static>(
        system: S,
        settings: Settings,
        initial: State,
        step: f64,
    ) -> Result<Self> {
        let space = system.configuration_space();
        let positions = (0..space.num_positions()).map(|i| system.position_name(i));
        let velocities = (0..space.num_velocities()).map(|i| system.velocity_name(i));
        let (positions, velocities) = (positions.collect(), velocities.collect());
        let made: Result<Box<dyn Integrator>, MechanismError> = match settings.scheme {
            Scheme::Event => EventDriven::new(system, settings, initial)
                .map(|motion| Box::new(motion) as Box<dyn Integrator>),
            _ => TimeStepper::new(system, settings, initial)
                .map(|motion| Box::new(motion) as Box<dyn Integrator>),
        };
        let integrator = made?;
        let mut certificate = Certificate::new();
        certificate.begin(integrator.step_report());
        Ok(Self {
            integrator,
            positions,
            velocities,
            step,
            certificate,
        })
    }

    /// Makes one step, or one output interval of the event-driven integrator.
    ///
    /// # Errors
    /// The motion cannot be continued; the state is that before.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// # let mut free = Mechanism::from_closures(["x"]).start([0.0], [2.0]).build().unwrap();
    /// free.step().unwrap();
    /// assert!((free.position("x").unwrap() - 2e-3).abs() < 1e-15);
    /// ```
    pub fn step(&mut self) -> Result<()> {
        self.integrator.advance()?;
        self.certificate
            .add(self.integrator.step_report(), &|_| String::new());
        Ok(())
    }

    /// Makes steps until the time is within half a step of `t`.
    ///
    /// # Errors
    /// A time that is not finite or has passed, or a step that fails.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// # let mut free = Mechanism::from_closures(["x"]).start([0.0], [2.0]).build().unwrap();
    /// free.run_until(1.0).unwrap();
    /// assert!((free.time() - 1.0).abs() < 1e-9);
    /// ```
    pub fn run_until(&mut self, t: f64) -> Result<()> {
        let half = 0.5 * self.step;
        if !t.is_finite() || t < self.time() - half {
            let expected = "a finite time, not before the present one,";
            return Err(Error::value("mechanism", "until", t, expected));
        }
        while self.time() < t - half {
            self.step()?;
        }
        Ok(())
    }

    /// The present time.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// assert_eq!(Mechanism::from_closures(["x"]).build().unwrap().time(), 0.0);
    /// ```
    pub fn time(&self) -> f64 {
        self.integrator.state().t
    }

    /// A position by the name of its coordinate.
    ///
    /// # Errors
    /// There is no such coordinate; the message lists those that there are.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// # let free = Mechanism::from_closures(["x"]).start([3.0], [0.0]).build().unwrap();
    /// assert_eq!(free.position("x").unwrap(), 3.0);
    /// assert_eq!(free.position("y").unwrap_err().to_string(), "there is no coordinate `y`; there are `x`");
    /// ```
    pub fn position(&self, name: &str) -> Result<f64> {
        let found = self.positions.iter().position(|known| known == name);
        let value = found.and_then(|i| self.integrator.state().q.get(i));
        let known = || self.positions.iter().map(String::as_str);
        let unknown = || Error::unknown("coordinate", format!("`{name}`"), known());
        value.copied().ok_or_else(unknown)
    }

    /// A velocity by the name of its coordinate, or by its own name (`x_dot`).
    ///
    /// # Errors
    /// There is no such coordinate; the message lists the velocities that there are.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// # let free = Mechanism::from_closures(["x"]).start([0.0], [2.0]).build().unwrap();
    /// assert_eq!(free.velocity("x").unwrap(), free.velocity("x_dot").unwrap());
    /// ```
    pub fn velocity(&self, name: &str) -> Result<f64> {
        let rate = format!("{name}_dot");
        let fits = |known: &String| known == name || *known == rate;
        let found = self.velocities.iter().position(fits);
        let value = found.and_then(|i| self.integrator.state().v.get(i));
        let known = || self.velocities.iter().map(String::as_str);
        let unknown = || Error::unknown("velocity", format!("`{name}`"), known());
        value.copied().ok_or_else(unknown)
    }

    /// Time, positions and velocities.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// # let free = Mechanism::from_closures(["x"]).start([0.0], [2.0]).build().unwrap();
    /// assert_eq!(free.state().v, [2.0]);
    /// ```
    pub fn state(&self) -> &State {
        self.integrator.state()
    }

    /// Report of the last step: residual, penetration, balances of momentum and energy.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// # let mut free = Mechanism::from_closures(["x"]).start([0.0], [2.0]).build().unwrap();
    /// free.step().unwrap();
    /// assert!(free.report().reached);
    /// ```
    pub fn report(&self) -> &StepReport {
        self.integrator.step_report()
    }

    /// Certificate of all steps so far: the worst figure of each criterion, and whether all of them hold.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// # let mut free = Mechanism::from_closures(["x"]).start([0.0], [2.0]).build().unwrap();
    /// free.run_until(0.1).unwrap();
    /// assert!(free.certificate().ok);
    /// ```
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// Kinetic and potential energy.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// # let mut free = Mechanism::from_closures(["x"]).start([0.0], [2.0]).build().unwrap();
    /// free.step().unwrap();
    /// assert!((free.energy() - 2.0).abs() < 1e-12);
    /// ```
    pub fn energy(&self) -> f64 {
        let report = self.integrator.step_report();
        report.kinetic + report.potential
    }

    /// The integrator: events and constraint reports of the last step, checkpoints.
    ///
    /// ```
    /// # use percuss::Mechanism;
    /// # let free = Mechanism::from_closures(["x"]).build().unwrap();
    /// assert!(free.integrator().events().is_empty());
    /// ```
    pub fn integrator(&self) -> &dyn Integrator {
        &*self.integrator
    }
}
