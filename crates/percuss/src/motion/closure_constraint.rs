//! Constraints of a mechanism by closures, and the states that closures see.

use percuss_contact::Law;
use percuss_contact::law::NonFirmSet;
use percuss_mechanism::{ConstraintKind, Scheme};

use crate::error::{self, Error, Result};

/// A state of a mechanism with N coordinates, as its closures see it.
///
/// ```
/// use percuss::At;
/// let weight = |at: &At<2>| [0.0, -9.81 * (1.0 - at.q[1] / 6.4e6)];
/// assert_eq!(weight(&At { t: 0.0, q: [0.0, 0.0], v: [0.0, 0.0] })[1], -9.81);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct At<const N: usize> {
    /// Time.
    pub t: f64,
    /// Positions.
    pub q: [f64; N],
    /// Velocities; 0 in closures of positions: mass matrix, potential, gaps and rows.
    pub v: [f64; N],
}

impl<const N: usize> At<N> {
    /// A state of the engine.
    pub(super) fn new(t: f64, q: &[f64], v: &[f64]) -> Self {
        let entry = |all: &[f64], i: usize| all.get(i).copied().unwrap_or(0.0);
        Self {
            t,
            q: std::array::from_fn(|i| entry(q, i)),
            v: std::array::from_fn(|i| entry(v, i)),
        }
    }
}

pub(super) type Scalar<const N: usize> = Box<dyn FnMut(&At<N>) -> f64 + Send>;
pub(super) type Row<const N: usize> = Box<dyn FnMut(&At<N>) -> [f64; N] + Send>;
pub(super) type Matrix<const N: usize> = Box<dyn FnMut(&At<N>) -> [[f64; N]; N] + Send>;

/// A contact, a joint, a nonholonomic constraint or dry friction of a mechanism, by its rows U = G v + W.
///
/// ```
/// use percuss::ClosureConstraint;
/// // A point (x, z) on a rough floor that bounces.
/// let floor = ClosureConstraint::contact("floor", |at| at.q[1], |_| [0.0, 1.0])
///     .friction(0.3, |_| [1.0, 0.0])
///     .restitution(0.5);
/// // A point on a circle of radius 1.
/// let rod = ClosureConstraint::joint(
///     "rod",
///     |at| 0.5 * (at.q[0] * at.q[0] + at.q[1] * at.q[1] - 1.0),
///     |at| at.q,
/// );
/// # let _: [ClosureConstraint<2>; 2] = [floor, rod];
/// ```
pub struct ClosureConstraint<const N: usize> {
    pub(super) name: String,
    pub(super) kind: ConstraintKind,
    /// Gap of a contact, or function of a joint.
    pub(super) gap: Option<Scalar<N>>,
    /// Rows of G: normal first, then tangents.
    pub(super) rows: Vec<Row<N>>,
    /// W of the first row.
    pub(super) boundary: Option<Scalar<N>>,
    /// Ġ v + Ẇ of each row.
    pub(super) bias: Vec<Option<Scalar<N>>>,
    law: Option<Law>,
    /// Threshold of dry friction.
    threshold: f64,
    pub(super) restitution: f64,
    /// K of the LZB law.
    pub(super) stiffness: f64,
}

impl<const N: usize> std::fmt::Debug for ClosureConstraint<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClosureConstraint")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

impl<const N: usize> ClosureConstraint<N> {
    fn new(
        name: impl Into<String>,
        kind: ConstraintKind,
        row: impl FnMut(&At<N>) -> [f64; N] + Send + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            kind,
            gap: None,
            rows: vec![Box::new(row)],
            boundary: None,
            bias: vec![None],
            law: None,
            threshold: 0.0,
            restitution: 0.0,
            stiffness: 1.0,
        }
    }

    /// A unilateral contact: its gap, positive when apart, and the gradient of the gap.
    ///
    /// ```
    /// # use percuss::ClosureConstraint;
    /// let floor = ClosureConstraint::<2>::contact("floor", |at| at.q[1], |_| [0.0, 1.0]);
    /// # let _ = floor;
    /// ```
    pub fn contact(
        name: impl Into<String>,
        gap: impl FnMut(&At<N>) -> f64 + Send + 'static,
        gradient: impl FnMut(&At<N>) -> [f64; N] + Send + 'static,
    ) -> Self {
        Self {
            gap: Some(Box::new(gap)),
            ..Self::new(name, ConstraintKind::Contact, gradient)
        }
    }

    /// A joint: a function of the position that stays 0, and its gradient.
    ///
    /// ```
    /// # use percuss::ClosureConstraint;
    /// let slope = ClosureConstraint::<2>::joint("slope", |at| at.q[1] - at.q[0], |_| [-1.0, 1.0]);
    /// # let _ = slope;
    /// ```
    pub fn joint(
        name: impl Into<String>,
        function: impl FnMut(&At<N>) -> f64 + Send + 'static,
        gradient: impl FnMut(&At<N>) -> [f64; N] + Send + 'static,
    ) -> Self {
        Self {
            gap: Some(Box::new(function)),
            ..Self::new(name, ConstraintKind::Joint, gradient)
        }
    }

    /// A nonholonomic constraint: a combination of the velocities that stays 0.
    ///
    /// ```
    /// # use percuss::ClosureConstraint;
    /// // A skate at the angle q[2] does not move sideways.
    /// let blade = ClosureConstraint::<3>::nonholonomic("blade", |at| [-at.q[2].sin(), at.q[2].cos(), 0.0]);
    /// # let _ = blade;
    /// ```
    pub fn nonholonomic(
        name: impl Into<String>,
        row: impl FnMut(&At<N>) -> [f64; N] + Send + 'static,
    ) -> Self {
        Self::new(name, ConstraintKind::Nonholonomic, row)
    }

    /// Dry friction with a constant threshold: a force of at most `threshold` against a combination of the velocities.
    ///
    /// ```
    /// # use percuss::{ClosureConstraint, Mechanism};
    /// # fn main() -> percuss::Result<()> {
    /// let mut sledge = Mechanism::from_closures(["x"])
    ///     .start([0.0], [1.0])
    ///     .constraint(ClosureConstraint::dry_friction("snow", |_| [1.0], 2.0))
    ///     .build()?;
    /// sledge.run_until(1.0)?; // it stops after v²/2f = 0.25
    /// assert!((sledge.position("x")? - 0.25).abs() < 1e-3 && sledge.velocity("x")? == 0.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn dry_friction(
        name: impl Into<String>,
        row: impl FnMut(&At<N>) -> [f64; N] + Send + 'static,
        threshold: f64,
    ) -> Self {
        Self {
            threshold,
            ..Self::new(name, ConstraintKind::NonFirm, row)
        }
    }

    /// Coulomb friction of a contact: the coefficient, and the row of the sliding velocity.
    ///
    /// ```
    /// # use percuss::ClosureConstraint;
    /// let floor = ClosureConstraint::<2>::contact("floor", |at| at.q[1], |_| [0.0, 1.0])
    ///     .friction(0.3, |_| [1.0, 0.0]);
    /// # let _ = floor;
    /// ```
    pub fn friction(
        self,
        mu: f64,
        tangent: impl FnMut(&At<N>) -> [f64; N] + Send + 'static,
    ) -> Self {
        self.tangent(tangent).law(Law::Coulomb { mu })
    }

    /// A further row of a contact, along a tangent.
    ///
    /// ```
    /// # use percuss::{ClosureConstraint, contact::Law};
    /// // Friction of a point of space in both directions of the floor.
    /// let floor = ClosureConstraint::<3>::contact("floor", |at| at.q[2], |_| [0.0, 0.0, 1.0])
    ///     .tangent(|_| [1.0, 0.0, 0.0])
    ///     .tangent(|_| [0.0, 1.0, 0.0])
    ///     .law(Law::Coulomb { mu: 0.3 });
    /// # let _ = floor;
    /// ```
    pub fn tangent(mut self, row: impl FnMut(&At<N>) -> [f64; N] + Send + 'static) -> Self {
        self.rows.push(Box::new(row));
        self.bias.push(None);
        self
    }

    /// The law of a contact; by default frictionless.
    ///
    /// ```
    /// # use percuss::{ClosureConstraint, contact::Law};
    /// let ratchet = ClosureConstraint::<2>::contact("ratchet", |at| at.q[1], |_| [0.0, 1.0])
    ///     .tangent(|_| [1.0, 0.0])
    ///     .law(Law::CoulombAsymmetric { plus: 0.8, minus: 0.1 });
    /// # let _ = ratchet;
    /// ```
    pub fn law(mut self, law: Law) -> Self {
        self.law = Some(law);
        self
    }

    /// Coefficient of restitution of a contact, 0 to 1.
    ///
    /// ```
    /// # use percuss::ClosureConstraint;
    /// let floor = ClosureConstraint::<1>::contact("floor", |at| at.q[0], |_| [1.0]).restitution(0.8);
    /// # let _ = floor;
    /// ```
    pub fn restitution(mut self, normal: f64) -> Self {
        self.restitution = normal;
        self
    }

    /// Stiffness of a contact for the law of impulse ratios, of which only ratios matter; 1 by default.
    ///
    /// ```
    /// # use percuss::ClosureConstraint;
    /// let hard = ClosureConstraint::<1>::contact("hard", |at| at.q[0], |_| [1.0]).stiffness(100.0);
    /// # let _ = hard;
    /// ```
    pub fn stiffness(mut self, stiffness: f64) -> Self {
        self.stiffness = stiffness;
        self
    }

    /// W of its first row: the partial derivative by time of the gap, where that moves.
    ///
    /// ```
    /// # use percuss::ClosureConstraint;
    /// // A floor that rises with speed 1.
    /// let floor = ClosureConstraint::<1>::contact("floor", |at| at.q[0] - at.t, |_| [1.0])
    ///     .boundary_velocity(|_| -1.0);
    /// # let _ = floor;
    /// ```
    pub fn boundary_velocity(mut self, rate: impl FnMut(&At<N>) -> f64 + Send + 'static) -> Self {
        self.boundary = Some(Box::new(rate));
        self
    }

    /// Ġ v + Ẇ of the row that was given last, the part of its acceleration without accelerations of the coordinates.
    /// The event-driven integrator needs it for every row; give `|_| 0.0` where rows are constant.
    ///
    /// ```
    /// # use percuss::{ClosureConstraint, Mechanism, mechanism::Scheme};
    /// # fn main() -> percuss::Result<()> {
    /// let floor = ClosureConstraint::contact("floor", |at| at.q[0], |_| [1.0]).restitution(0.5);
    /// let ball = |floor| {
    ///     let ball = Mechanism::from_closures(["z"]).start([1.0], [0.0]).force(|_| [-9.81]);
    ///     ball.scheme(Scheme::Event).constraint(floor).build()
    /// };
    /// let mut exact = ball(floor.second_derivative(|_| 0.0))?;
    /// exact.run_until(0.5)?;
    /// let floor = ClosureConstraint::contact("floor", |at| at.q[0], |_| [1.0]);
    /// assert!(ball(floor).is_err());
    /// # Ok(())
    /// # }
    /// ```
    pub fn second_derivative(mut self, bias: impl FnMut(&At<N>) -> f64 + Send + 'static) -> Self {
        if let Some(last) = self.bias.last_mut() {
            *last = Some(Box::new(bias));
        }
        self
    }

    /// Checks its numbers, and that its rows fit its law.
    pub(super) fn check(&self, scheme: Scheme) -> Result<()> {
        let part = format!("constraint `{}`", self.name);
        error::share(&part, "restitution", self.restitution)?;
        error::not_negative(&part, "threshold", self.threshold)?;
        let contact = self.kind == ConstraintKind::Contact;
        if !contact && (self.rows.len() > 1 || self.law.is_some() || self.restitution != 0.0) {
            let problem = "only a contact has tangents, a law and a restitution";
            return Err(Error::part(part, problem));
        }
        self.law_over(1.0)
            .and_then(|law| law.validate(self.rows.len()).map_err(|e| e.to_string()))
            .map_err(|problem| Error::part(&part, problem))?;
        if scheme == Scheme::Event && self.bias.iter().any(Option::is_none) {
            let problem = "the event-driven integrator needs a `second_derivative` of every row";
            return Err(Error::part(part, problem));
        }
        Ok(())
    }

    /// Its law over a time h: the threshold of dry friction is a force.
    pub(super) fn law_over(&self, h: f64) -> Result<Law, String> {
        match self.kind {
            ConstraintKind::NonFirm => {
                let bound = self.threshold * h;
                let set = NonFirmSet::interval(-bound, bound).map_err(|e| e.to_string())?;
                Ok(set.into_law())
            }
            ConstraintKind::Contact => Ok(self.law.clone().unwrap_or(Law::Frictionless)),
            _ => Ok(Law::Bilateral),
        }
    }
}
