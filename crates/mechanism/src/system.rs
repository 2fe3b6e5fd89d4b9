//! The interface of a mechanism: coordinates, mass matrix, forces, constraints.
//!
//! ```text
//! A(t,q) dv = K(t,q,v) dt + Σ_α G_αᵀ dS_α,    q̇ from v by the configuration space     (M88 7.4)
//! U_α = G_α(t,q) v + W_α(t,q)                  velocity of constraint α, d rows        (JM92 5.3)
//! ```
//!
//! A system is given by A, K and its constraints; a constraint by its rows G, W, the value of its gap or holonomic
//! functions, its velocity terms Ġ v + Ẇ, and the law between U and S. Derivatives are exact: an implementor
//! differentiates by hand or symbolically, never by finite differences. Methods take `&mut self` so that an implementor
//! may keep scratch; they must be pure otherwise.

use percuss_contact::law::Status;
use percuss_contact::{Law, Restitution};

use crate::configuration::ConfigurationSpace;
use crate::error::SystemError;

/// Kind of constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConstraintKind {
    /// Unilateral: gap g(t,q) ≥ 0; row 0 is the normal, the others tangential (M88 §2, §12).
    Contact,
    /// Bilateral, holonomic: f(t,q) = 0, one row for each function (B02 §2).
    Joint,
    /// Bilateral, holonomic, with friction: the first rows enforce f(t,q) = 0 (one or two functions), the others are
    /// tangential with a threshold that follows the reaction (B02 §6).
    FrictionJoint {
        /// Number of holonomic rows.
        normal_rows: usize,
    },
    /// Bilateral, nonholonomic: G v + W = 0 without a position function (B02 §4).
    Nonholonomic,
    /// Non-firm: the reaction stays in a convex set, −U ∈ N_C(λ) (B02 §5): dry friction, bounded motors; with
    /// [`Constraint::while_closed`] and the whole space for C, rolling in contact.
    NonFirm,
}

impl ConstraintKind {
    /// Whether a row of such a constraint is a friction row: the work of its reaction counts as friction, not as
    /// impact.
    pub fn is_friction_row(self, row: usize) -> bool {
        match self {
            Self::Contact => row > 0,
            Self::FrictionJoint { normal_rows } => row >= normal_rows,
            Self::NonFirm => true,
            Self::Joint | Self::Nonholonomic => false,
        }
    }
}

/// The constant part of a constraint.
#[derive(Debug, Clone, PartialEq)]
pub struct Constraint {
    /// Its name in messages and tables.
    pub name: String,
    /// Contact, joint, nonholonomic or non-firm.
    pub kind: ConstraintKind,
    /// Number of rows d of G.
    pub rows: usize,
    /// Conditional association (B02 §7): the contact while which this constraint acts; `None` where it always does.
    pub while_closed: Option<usize>,
}

impl Constraint {
    /// A constraint that is not associated with a contact.
    pub fn new(name: impl Into<String>, kind: ConstraintKind, rows: usize) -> Self {
        Self {
            name: name.into(),
            kind,
            rows,
            while_closed: None,
        }
    }

    /// Number of position functions: the gap of a contact, the functions of a joint.
    pub fn num_gaps(&self) -> usize {
        match self.kind {
            ConstraintKind::Contact => 1,
            ConstraintKind::Joint => self.rows,
            ConstraintKind::FrictionJoint { normal_rows } => normal_rows,
            ConstraintKind::Nonholonomic | ConstraintKind::NonFirm => 0,
        }
    }

    /// Whether it is unilateral: it acts only where its gap is closed.
    pub fn is_contact(&self) -> bool {
        self.kind == ConstraintKind::Contact
    }
}

/// A mechanism in generalised coordinates.
pub trait System {
    /// Coordinates, and how positions follow from velocities.
    fn configuration_space(&self) -> &ConfigurationSpace;

    /// Name of position `i`, for messages and tables.
    fn position_name(&self, i: usize) -> String;

    /// Name of velocity `i`.
    fn velocity_name(&self, i: usize) -> String;

    /// The constraints, in a fixed order.
    fn constraints(&self) -> &[Constraint];

    /// A (n × n row-major, symmetric positive definite) and K (n entries).
    ///
    /// # Errors
    /// A value that is not finite.
    fn dynamics(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        mass: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), SystemError>;

    /// Force Jacobians ∂K/∂q and ∂K/∂v (n × n row-major each), the first along velocities where the configuration space
    /// is not Euclidean. Returns false where the implementor has none; the θ-method then iterates without them.
    ///
    /// # Errors
    /// A value that is not finite.
    fn force_jacobians(
        &mut self,
        _t: f64,
        _q: &[f64],
        _v: &[f64],
        _by_position: &mut [f64],
        _by_velocity: &mut [f64],
    ) -> Result<bool, SystemError> {
        Ok(false)
    }

    /// Potential energy of the conservative forces; 0 where none is declared.
    ///
    /// # Errors
    /// A value that is not finite.
    fn potential(&mut self, _t: f64, _q: &[f64]) -> Result<f64, SystemError> {
        Ok(0.0)
    }

    /// Values of all position functions, constraint after constraint ([`Constraint::num_gaps`]
    /// entries each): the gap of a contact, positive when apart; f of a joint.
    ///
    /// # Errors
    /// A value that is not finite.
    fn gaps(&mut self, t: f64, q: &[f64], gaps: &mut [f64]) -> Result<(), SystemError>;

    /// G (rows × n, row-major) and W (rows) of one constraint.
    ///
    /// # Errors
    /// A value that is not finite.
    fn rows(
        &mut self,
        constraint: usize,
        t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        boundary: &mut [f64],
    ) -> Result<(), SystemError>;

    /// Ġ v + Ẇ of one constraint (rows entries): the part of U̇ without accelerations.
    ///
    /// # Errors
    /// A value that is not finite.
    fn bias(
        &mut self,
        constraint: usize,
        t: f64,
        q: &[f64],
        v: &[f64],
        bias: &mut [f64],
    ) -> Result<(), SystemError>;

    /// The law between U and the impulse over a time `h` (forces: h = 1). Thresholds of non-firm constraints are forces
    /// and scale with h; everything else is homogeneous. `previous` is the status in the previous step, for laws with
    /// static and dynamic coefficients.
    ///
    /// # Errors
    /// Coefficients without meaning at this state (named).
    fn law(
        &mut self,
        constraint: usize,
        at: StateRef<'_>,
        h: f64,
        previous: Status,
    ) -> Result<Law, SystemError>;

    /// Constraints whose reactions the law of this one depends on at the same instant: thresholds κ(q, v, t; r_n) of
    /// Problem VI (B02 §6.1). None by default.
    fn seen_reactions(&self, _constraint: usize) -> &[usize] {
        &[]
    }

    /// The law under given reactions: `forces` holds the force of every row of every constraint, one constraint after
    /// the other, as mean over `h`. [`System::law`] is the law without reactions.
    ///
    /// # Errors
    /// As [`System::law`].
    fn law_under_reactions(
        &mut self,
        constraint: usize,
        at: StateRef<'_>,
        h: f64,
        previous: Status,
        _forces: &[f64],
    ) -> Result<Law, SystemError> {
        self.law(constraint, at, h, previous)
    }

    /// Restitution of one contact at the state before an impact; 0 for all else.
    ///
    /// # Errors
    /// A value that is not finite.
    fn restitution(
        &mut self,
        _constraint: usize,
        _at: StateRef<'_>,
    ) -> Result<Restitution, SystemError> {
        Ok(Restitution::default())
    }

    /// The one restitution e(q, v) of the canonical impact law, where one is declared (B02 1.13).
    ///
    /// # Errors
    /// A value that is not finite.
    fn canonical_restitution(&mut self, _at: StateRef<'_>) -> Result<Option<f64>, SystemError> {
        Ok(None)
    }

    /// v⁺ = F(q, v⁻) of the impact map, at the velocity `at.v` before the impact of the contacts `closed`. Returns false
    /// where there is none.
    ///
    /// # Errors
    /// A value that is not finite.
    fn impact_map(
        &mut self,
        _at: StateRef<'_>,
        _closed: &[usize],
        _after: &mut [f64],
    ) -> Result<bool, SystemError> {
        Ok(false)
    }

    /// Stiffness K of one contact for the LZB law, of which only ratios matter.
    ///
    /// # Errors
    /// A value that is not finite.
    fn contact_stiffness(
        &mut self,
        _constraint: usize,
        _at: StateRef<'_>,
    ) -> Result<f64, SystemError> {
        Ok(1.0)
    }

    /// Range of a contact whose gap is that of two features of two bodies (a vertex and a side, say): outside of it other
    /// features touch. `None` where the gap holds everywhere. For the event-driven integrator, to which leaving the range
    /// is an event; outside of it the gap must be positive.
    ///
    /// # Errors
    /// A value that is not finite.
    fn range(
        &mut self,
        _constraint: usize,
        _at: StateRef<'_>,
    ) -> Result<Option<FeatureRange>, SystemError> {
        Ok(None)
    }

    /// Length to which the tolerances of a constraint's gap are relative; `None` where it is taken from the coordinates.
    fn length_scale(&self, _constraint: usize) -> Option<f64> {
        None
    }

    /// Exponent η of the contact force over the indentation for the LZB law: 3/2 is Hertz's.
    fn stiffness_exponent(&self) -> f64 {
        1.5
    }
}

/// Where the touching point of two features is, as a length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureRange {
    /// Distance inside the features; negative outside.
    pub inside: f64,
    /// Its rate.
    pub rate: f64,
}

/// A borrowed state (t, q, v).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StateRef<'a> {
    /// Time.
    pub t: f64,
    /// Positions.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
}
