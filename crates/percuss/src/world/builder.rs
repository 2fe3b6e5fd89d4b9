//! The builder of a world: bodies, laws, joints, forces and settings in any order, checked together at the end.

use percuss_bodies::{Activation, Integrator, Settings};

use super::World;
use super::assemble;
use crate::body::{Body, Dimension};
use crate::error::Result;
use crate::force::{BodyState, ForceFn, Load};
use crate::joint::{BodyId, BodyRef, Joint};
use crate::law::ContactLaw;

/// Acceleration of gravity on the ground, m/s².
const GRAVITY: f64 = 9.81;

/// A contact law between two names, each a body or a material.
#[derive(Debug)]
pub(super) struct LawBetween {
    pub between: [String; 2],
    pub law: ContactLaw,
}

/// A force law on a body, or on all bodies.
pub(super) struct ForceOnBody<D: Dimension> {
    /// `None` for all bodies.
    pub body: Option<BodyRef>,
    pub law: ForceFn<D>,
}

/// Collects what a [`World`] is made of. Nothing is checked before [`WorldBuilder::build`], which names the part, the
/// key and the value of whatever is wrong.
///
/// ```
/// use percuss::plane::{Body, ContactLaw, World};
/// # fn main() -> percuss::Result<()> {
/// let world = World::builder()
///     .step(1e-3)
///     .gravity([0.0, -1.62]) // on the moon
///     .law(ContactLaw::coulomb(0.4))
///     .body("ground", Body::half_plane())
///     .body("stone", Body::rectangle(0.2, 0.1).at([0.0, 0.05]))
///     .build()?;
/// assert_eq!(world.num_bodies(), 2);
/// # Ok(())
/// # }
/// ```
pub struct WorldBuilder<D: Dimension> {
    pub(super) bodies: Vec<(String, Body<D>)>,
    pub(super) joints: Vec<(String, Joint<D>)>,
    pub(super) default_law: ContactLaw,
    pub(super) laws: Vec<LawBetween>,
    pub(super) forces: Vec<ForceOnBody<D>>,
    pub(super) gravity: D::Vector,
    pub(super) start: f64,
    pub(super) overlap: Option<f64>,
    pub(super) settings: Settings,
}

impl<D: Dimension> std::fmt::Debug for WorldBuilder<D> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorldBuilder")
            .field("bodies", &self.bodies)
            .field("joints", &self.joints)
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl<D: Dimension> Default for WorldBuilder<D> {
    fn default() -> Self {
        Self {
            bodies: Vec::new(),
            joints: Vec::new(),
            default_law: ContactLaw::default(),
            laws: Vec::new(),
            forces: Vec::new(),
            gravity: D::down(GRAVITY),
            start: 0.0,
            overlap: None,
            settings: Settings::default(),
        }
    }
}

impl<D: Dimension> WorldBuilder<D> {
    /// Adds a body.
    ///
    /// ```
    /// use percuss::plane::{Body, World};
    /// let twice = World::builder().body("a", Body::disc(0.1)).body("a", Body::disc(0.2)).build();
    /// assert_eq!(twice.unwrap_err().to_string(), "body `a`: the name is given twice");
    /// ```
    pub fn body(mut self, name: impl Into<String>, body: Body<D>) -> Self {
        self.add_body(name, body);
        self
    }

    /// Adds a body and returns its handle, for loops.
    ///
    /// ```
    /// use percuss::plane::{Body, World};
    /// # fn main() -> percuss::Result<()> {
    /// let mut builder = World::builder();
    /// let discs: Vec<_> = (0..3)
    ///     .map(|k| builder.add_body(format!("disc {k}"), Body::disc(0.1).at([0.3 * k as f64, 0.0])))
    ///     .collect();
    /// assert_eq!(builder.build()?.body(discs[2])?.name(), "disc 2");
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_body(&mut self, name: impl Into<String>, body: Body<D>) -> BodyId {
        self.bodies.push((name.into(), body));
        // More bodies than indices of 32 bits do not fit in memory.
        BodyId(u32::try_from(self.bodies.len() - 1).unwrap_or(u32::MAX))
    }

    /// Adds a joint.
    ///
    /// ```
    /// use percuss::plane::{Body, Joint, World};
    /// let error = World::builder()
    ///     .body("arm", Body::rectangle(1.0, 0.1))
    ///     .joint("hinge", Joint::revolute("world", "amr", [0.5, 0.0]))
    ///     .build()
    ///     .unwrap_err();
    /// assert_eq!(error.to_string(), "joint `hinge`: there is no body `amr`; there are `arm`");
    /// ```
    pub fn joint(mut self, name: impl Into<String>, joint: Joint<D>) -> Self {
        self.joints.push((name.into(), joint));
        self
    }

    /// The contact law of all pairs without one of their own; by default frictionless without rebound.
    ///
    /// ```
    /// use percuss::plane::{ContactLaw, World};
    /// let error = World::builder().law(ContactLaw::coulomb(-0.1)).build().unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "default law: `friction = -0.1`: a finite number, 0 or more, was expected"
    /// );
    /// ```
    pub fn law(mut self, law: ContactLaw) -> Self {
        self.default_law = law;
        self
    }

    /// The contact law of a pair, each of the two the name of a body or of a material. A law between two bodies goes
    /// before one between a body and a material, and this before one between two materials.
    ///
    /// ```
    /// use percuss::plane::{Body, ContactLaw, World};
    /// # fn main() -> percuss::Result<()> {
    /// let mut world = World::builder()
    ///     .law_between("floor", "ball", ContactLaw::frictionless().restitution(1.0))
    ///     .body("floor", Body::half_plane())
    ///     .body("ball", Body::disc(0.1).at([0.0, 1.1]))
    ///     .build()?;
    /// world.run_until(0.9)?; // two falls of 1 m take 0.903 s
    /// assert!(world.body("ball")?.position().y > 1.09);
    /// # Ok(())
    /// # }
    /// ```
    pub fn law_between(
        mut self,
        a: impl Into<String>,
        b: impl Into<String>,
        law: ContactLaw,
    ) -> Self {
        self.laws.push(LawBetween {
            between: [a.into(), b.into()],
            law,
        });
        self
    }

    /// A force on a body, by a closure of its state; several forces on one body are added.
    ///
    /// ```
    /// use percuss::space::{Body, BodyState, World};
    /// # fn main() -> percuss::Result<()> {
    /// let mut world = World::builder()
    ///     .body("balloon", Body::sphere(0.5).mass(1.0))
    ///     .force("balloon", |at: &BodyState| [0.0, 0.0, 2.0 * 9.81 * at.mass])
    ///     .build()?;
    /// world.run_until(1.0)?;
    /// assert!((world.body("balloon")?.velocity().z - 9.81).abs() < 1e-9);
    /// # Ok(())
    /// # }
    /// ```
    pub fn force<L: Into<Load<D>>>(
        mut self,
        body: impl Into<BodyRef>,
        mut law: impl FnMut(&BodyState<D>) -> L + Send + 'static,
    ) -> Self {
        self.forces.push(ForceOnBody {
            body: Some(body.into()),
            law: Box::new(move |at| law(at).into()),
        });
        self
    }

    /// A force on every body, by a closure of its state.
    ///
    /// ```
    /// use percuss::plane::{Body, BodyState, World};
    /// let builder = World::builder()
    ///     .body("leaf", Body::disc(0.1))
    ///     .force_on_all(|at: &BodyState| [0.5 * (3.0 - at.velocity.x), 0.0]); // wind
    /// assert!(builder.build().is_ok());
    /// ```
    pub fn force_on_all<L: Into<Load<D>>>(
        mut self,
        mut law: impl FnMut(&BodyState<D>) -> L + Send + 'static,
    ) -> Self {
        self.forces.push(ForceOnBody {
            body: None,
            law: Box::new(move |at| law(at).into()),
        });
        self
    }

    /// Acceleration of gravity; 9.81 downwards by default (−y in the plane, −z in space).
    ///
    /// ```
    /// use percuss::space::World;
    /// assert!(World::builder().gravity([0.0, 0.0, f64::NAN]).build().is_err());
    /// ```
    pub fn gravity(mut self, gravity: impl Into<D::Vector>) -> Self {
        self.gravity = gravity.into();
        self
    }

    /// Time at the start; 0 by default.
    ///
    /// ```
    /// use percuss::plane::World;
    /// assert_eq!(World::builder().start(2.0).build().unwrap().time(), 2.0);
    /// ```
    pub fn start(mut self, t: f64) -> Self {
        self.start = t;
        self
    }

    /// Length of a step; 1e-3 by default.
    ///
    /// ```
    /// use percuss::plane::World;
    /// assert!(World::builder().step(0.0).build().is_err());
    /// ```
    pub fn step(mut self, h: f64) -> Self {
        self.settings.step = h;
        self
    }

    /// Residual that each step must reach; 1e-6 by default.
    ///
    /// ```
    /// use percuss::plane::World;
    /// let world = World::builder().tolerance(1e-10).build().unwrap();
    /// assert_eq!(world.settings().tolerance, 1e-10);
    /// ```
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.settings.tolerance = tolerance;
        self
    }

    /// Solver by name, one of [`percuss::solve::NAMES`](crate::solve::NAMES); `"auto"` by default.
    ///
    /// ```
    /// use percuss::plane::World;
    /// assert!(World::builder().solver("nlgs").build().is_ok());
    /// assert!(World::builder().solver("magic").build().is_err());
    /// ```
    pub fn solver(mut self, name: impl Into<String>) -> Self {
        self.settings.solver = name.into();
        self
    }

    /// The time integration; Moreau's midpoint scheme by default.
    ///
    /// ```
    /// use percuss::{bodies::Integrator, plane::World};
    /// assert!(World::builder().integrator(Integrator::Projected).build().is_ok());
    /// ```
    pub fn integrator(mut self, integrator: Integrator) -> Self {
        self.settings.integrator = integrator;
        self
    }

    /// Which candidates become contacts of a step; by default those that could close before the next one.
    ///
    /// ```
    /// use percuss::{bodies::Activation, plane::World};
    /// assert!(World::builder().activation(Activation::Gap).build().is_ok());
    /// ```
    pub fn activation(mut self, activation: Activation) -> Self {
        self.settings.activation = activation;
        self
    }

    /// Projects overlaps out after each step; off by default.
    ///
    /// ```
    /// use percuss::plane::World;
    /// assert!(World::builder().projection(true).build().unwrap().settings().projection);
    /// ```
    pub fn projection(mut self, on: bool) -> Self {
        self.settings.projection = on;
        self
    }

    /// Number of threads; results do not depend on it. 1 by default.
    ///
    /// ```
    /// use percuss::plane::World;
    /// assert!(World::builder().threads(0).build().is_err());
    /// ```
    pub fn threads(mut self, count: usize) -> Self {
        self.settings.threads = count;
        self
    }

    /// Allows bodies to overlap by this depth at the start; by default 1e-6 of the smaller one.
    ///
    /// ```
    /// use percuss::plane::{Body, World};
    /// let sunk = || {
    ///     let disc = Body::disc(0.1).at([0.0, 0.05]);
    ///     World::builder().body("floor", Body::half_plane()).body("disc", disc)
    /// };
    /// let error = sunk().build().unwrap_err().to_string();
    /// assert!(error.starts_with("bodies `floor` and `disc`: they overlap by 5.000e-2 at the start"));
    /// assert!(sunk().overlap(0.06).build().is_ok());
    /// ```
    pub fn overlap(mut self, depth: f64) -> Self {
        self.overlap = Some(depth);
        self
    }

    /// Checks everything and makes the world.
    ///
    /// # Errors
    /// What is wrong first, with the name of the part, the key and the value.
    ///
    /// ```
    /// use percuss::plane::{Body, World};
    /// let error = World::builder().body("disc", Body::disc(0.1).mass(-2.0)).build().unwrap_err();
    /// let expected = "body `disc`: `mass = -2`: a positive, finite number was expected";
    /// assert_eq!(error.to_string(), expected);
    /// ```
    pub fn build(self) -> Result<World<D>> {
        assemble::world(self)
    }
}
