//! Worlds of rigid bodies: [`World`], its builder, and what is read of it.

mod assemble;
mod builder;
mod laws;
mod names;
mod view;

use percuss_bodies::{Pose, Settings, StepReport, World as EngineWorld};
use percuss_record::{Certificate, Criterion};

use crate::body::Dimension;
use crate::error::{Error, Result};
use crate::joint::{BodyId, BodyRef};
use names::{Names, describe};

pub use builder::WorldBuilder;
pub use view::{BodyView, Contact, JointView};

/// Rigid bodies in motion, read by name. A thin layer over the engine's
/// [`World`](percuss_bodies::World): it adds names and the certificate and changes no result.
///
/// ```
/// use percuss::plane::{Body, World};
/// # fn main() -> percuss::Result<()> {
/// let mut world = World::builder()
///     .body("floor", Body::half_plane())
///     .body("disc", Body::disc(0.1).at([0.0, 1.1]))
///     .build()?;
/// world.run_until(1.0)?; // it has landed
/// assert!((world.body("disc")?.position().y - 0.1).abs() < 1e-4);
/// assert!(world.certificate().ok);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct World<D: Dimension> {
    engine: EngineWorld<D>,
    names: Names,
    shape_axes: Vec<Pose<D>>,
    certificate: Certificate,
}

impl<D: Dimension> World<D> {
    /// A builder without bodies: gravity 9.81 downwards, steps of 1e-3, frictionless contacts without rebound.
    ///
    /// ```
    /// use percuss::plane::World;
    /// let world = World::builder().build().unwrap();
    /// assert_eq!(world.settings().step, 1e-3);
    /// ```
    pub fn builder() -> WorldBuilder<D> {
        WorldBuilder::default()
    }

    /// A built world at its initial state.
    fn new(engine: EngineWorld<D>, names: Names, shape_axes: Vec<Pose<D>>) -> Self {
        let mut certificate = Certificate::new();
        certificate.begin(engine.report());
        Self {
            engine,
            names,
            shape_axes,
            certificate,
        }
    }

    /// Makes one step.
    ///
    /// # Errors
    /// A force, a prescribed motion or a velocity that is not finite, joints that contradict each other.
    ///
    /// ```
    /// use percuss::plane::{Body, BodyState, World};
    /// let mut world = World::builder()
    ///     .body("disc", Body::disc(0.1))
    ///     .force("disc", |_: &BodyState| [f64::NAN, 0.0])
    ///     .build()
    ///     .unwrap();
    /// let error = world.step().unwrap_err();
    /// assert!(error.to_string().starts_with("body `disc`: its force at t = "));
    /// ```
    pub fn step(&mut self) -> Result<()> {
        let made = self.engine.step();
        made.map_err(|error| describe(error, &self.names))?;
        let (engine, names) = (&self.engine, &self.names);
        self.certificate
            .add(engine.report(), &|what| place(what, engine, names));
        Ok(())
    }

    /// Makes steps until the time is within half a step of `t`.
    ///
    /// # Errors
    /// A time that is not finite or has passed, or a step that fails.
    ///
    /// ```
    /// use percuss::plane::{Body, World};
    /// # fn main() -> percuss::Result<()> {
    /// let mut world = World::builder().body("disc", Body::disc(0.1)).build()?;
    /// world.run_until(0.5)?;
    /// assert!((world.time() - 0.5).abs() < 1e-9);
    /// assert!(world.run_until(0.2).is_err() && world.run_until(f64::NAN).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn run_until(&mut self, t: f64) -> Result<()> {
        self.run_with(t, |_| {})
    }

    /// The same, and calls `observe` after every step.
    ///
    /// # Errors
    /// As [`World::run_until`].
    ///
    /// ```
    /// use percuss::plane::{Body, World};
    /// # fn main() -> percuss::Result<()> {
    /// let mut world = World::builder().body("disc", Body::disc(0.1).velocity([0.0, 2.0])).build()?;
    /// let mut highest = 0.0_f64;
    /// world.run_with(0.4, |world| highest = highest.max(world.body("disc").unwrap().position().y))?;
    /// assert!((highest - 2.0 * 2.0 / (2.0 * 9.81)).abs() < 1e-3);
    /// # Ok(())
    /// # }
    /// ```
    pub fn run_with(&mut self, t: f64, mut observe: impl FnMut(&Self)) -> Result<()> {
        let half = 0.5 * self.settings().step;
        if !t.is_finite() || t < self.time() - half {
            let expected = "a finite time, not before the present one,";
            return Err(Error::value("world", "until", t, expected));
        }
        while self.time() < t - half {
            self.step()?;
            observe(self);
        }
        Ok(())
    }

    /// The present time.
    ///
    /// ```
    /// # use percuss::plane::World;
    /// assert_eq!(World::builder().build().unwrap().time(), 0.0);
    /// ```
    pub fn time(&self) -> f64 {
        self.engine.state().t
    }

    /// A body by name or handle.
    ///
    /// # Errors
    /// There is no such body; the message lists those that there are.
    ///
    /// ```
    /// # use percuss::plane::{Body, World};
    /// # let world = World::builder().body("disc", Body::disc(0.1)).build().unwrap();
    /// let error = world.body("disk").unwrap_err();
    /// assert_eq!(error.to_string(), "there is no body `disk`; there are `disc`");
    /// ```
    pub fn body(&self, body: impl Into<BodyRef>) -> Result<BodyView<'_, D>> {
        let number = self.names.body(&body.into())?;
        Ok(self.view(number))
    }

    /// All bodies, in the order in which they were added.
    ///
    /// ```
    /// # use percuss::plane::{Body, World};
    /// # let world = World::builder().body("disc", Body::disc(0.1)).build().unwrap();
    /// assert_eq!(world.bodies().map(|body| body.name()).collect::<Vec<_>>(), ["disc"]);
    /// ```
    pub fn bodies(&self) -> impl Iterator<Item = BodyView<'_, D>> {
        (0..self.num_bodies() as u32).map(|number| self.view(number))
    }

    /// The body of an index that exists.
    fn view(&self, number: u32) -> BodyView<'_, D> {
        let (state, i) = (self.engine.state(), number as usize);
        BodyView {
            id: BodyId(number),
            name: self.names.of_body(BodyId(number)),
            body: &self.engine.model().bodies[i],
            pose: &state.poses[i],
            velocity: &state.velocities[i],
            shape_axes: &self.shape_axes[i],
        }
    }

    /// Number of bodies.
    ///
    /// ```
    /// # use percuss::plane::{Body, World};
    /// assert_eq!(World::builder().body("disc", Body::disc(0.1)).build().unwrap().num_bodies(), 1);
    /// ```
    pub fn num_bodies(&self) -> usize {
        self.names.bodies().len()
    }

    /// A joint by name.
    ///
    /// # Errors
    /// There is no such joint; the message lists those that there are.
    ///
    /// ```
    /// # use percuss::plane::{Body, Joint, World};
    /// # let hinge = Joint::revolute("world", "arm", [0.0, 0.0]);
    /// # let arm = Body::rectangle(1.0, 0.1);
    /// # let world = World::builder().body("arm", arm).joint("hinge", hinge).build().unwrap();
    /// assert_eq!(world.joint("hinge").unwrap().angle(), 0.0);
    /// assert!(world.joint("knee").is_err());
    /// ```
    pub fn joint(&self, name: &str) -> Result<JointView<'_, D>> {
        let number = self.names.joint(name)?;
        let unknown = || Error::part(format!("joint `{name}`"), "it has no report");
        Ok(JointView {
            name: self.names.of_joint(number),
            report: *self.engine.joint(number).ok_or_else(unknown)?,
        })
    }

    /// The active contacts of the last step.
    ///
    /// ```
    /// # use percuss::plane::{Body, World};
    /// # let floor = Body::half_plane();
    /// # let disc = Body::disc(0.1).at([0.0, 0.1]);
    /// # let mut world = World::builder().body("floor", floor).body("disc", disc).build().unwrap();
    /// assert_eq!(world.contacts().count(), 0);
    /// world.step().unwrap();
    /// assert_eq!(world.contacts().count(), 1);
    /// ```
    pub fn contacts(&self) -> impl Iterator<Item = Contact<'_, D>> {
        let count = self.engine.num_contacts();
        (0..count).map(|number| view::contact(&self.engine, &self.names, number))
    }

    /// Report of the last step: residual, penetration, balances of momentum and energy.
    ///
    /// ```
    /// # use percuss::plane::{Body, World};
    /// # let mut world = World::builder().body("disc", Body::disc(0.1)).build().unwrap();
    /// world.step().unwrap();
    /// assert!(world.report().reached && world.report().energy < 1e-12);
    /// ```
    pub fn report(&self) -> &StepReport {
        self.engine.report()
    }

    /// Certificate of all steps so far: the worst figure of each criterion, and whether all of them hold.
    ///
    /// ```
    /// # use percuss::plane::{Body, World};
    /// # let mut world = World::builder().body("disc", Body::disc(0.1)).build().unwrap();
    /// world.run_until(0.1).unwrap();
    /// assert!(world.certificate().ok && world.certificate().steps == 100);
    /// ```
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// Settings of the time integration.
    ///
    /// ```
    /// # use percuss::plane::World;
    /// assert_eq!(World::builder().build().unwrap().settings().tolerance, 1e-6);
    /// ```
    pub fn settings(&self) -> &Settings {
        self.engine.settings()
    }

    /// Kinetic energy, potential energy of gravity and elastic energy of joint springs.
    ///
    /// ```
    /// # use percuss::plane::{Body, World};
    /// # let disc = Body::disc(0.1).mass(2.0).velocity([3.0, 0.0]);
    /// # let world = World::builder().body("disc", disc).build().unwrap();
    /// assert!((world.energy() - 9.0).abs() < 1e-12);
    /// ```
    pub fn energy(&self) -> f64 {
        let report = self.engine.report();
        report.kinetic + report.potential + report.elastic
    }

    /// The engine: contact problem, state, granular measures.
    ///
    /// ```
    /// # use percuss::plane::World;
    /// assert!(World::builder().build().unwrap().engine().problem().is_none());
    /// ```
    pub fn engine(&self) -> &EngineWorld<D> {
        &self.engine
    }

    /// The engine alone, without names and certificate.
    ///
    /// ```
    /// # use percuss::plane::{Body, World};
    /// # let world = World::builder().body("disc", Body::disc(0.1)).build().unwrap();
    /// let mut engine = world.into_engine();
    /// engine.step().unwrap();
    /// ```
    pub fn into_engine(self) -> EngineWorld<D> {
        self.engine
    }
}

/// The bodies or the joint where a criterion is violated most.
fn place<D: Dimension>(what: Criterion, engine: &EngineWorld<D>, names: &Names) -> String {
    let pair = |bodies: [u32; 2]| {
        let [a, b] = bodies.map(|body| names.of_body(BodyId(body)));
        format!("`{a}` and `{b}`")
    };
    let joint = |number: u32| format!("joint `{}`", names.of_joint(number as usize));
    let found = match what {
        Criterion::Penetration => engine.deepest(),
        Criterion::Resting => engine.deepest_at_rest(),
        Criterion::Drift => {
            let largest = engine.largest_drift();
            return largest.map_or_else(String::new, |drift| joint(drift.joint));
        }
        Criterion::Nonunique => {
            let sliding = engine.painleve_contact();
            return sliding.map_or_else(String::new, |sliding| pair(sliding.bodies));
        }
        Criterion::OtherSolution => {
            let other = engine.other_solution();
            return other.map_or_else(String::new, |other| pair(other.bodies));
        }
        _ => None,
    };
    // The contact of a pin is that of its joint.
    found.map_or_else(String::new, |deepest| match deepest.joint {
        Some(number) => joint(number),
        None => pair(deepest.bodies),
    })
}
