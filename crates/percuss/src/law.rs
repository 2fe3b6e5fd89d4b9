//! Contact laws of pairs of bodies or materials.

use percuss_bodies::{Friction, PairLaw};
use percuss_contact::Restitution;
use percuss_contact::law::StaticDynamic;

use crate::error::{self, Result};

/// What happens where two bodies touch: friction, restitution, rolling and spinning resistance. The default is a
/// frictionless contact without rebound.
///
/// ```
/// use percuss::{ContactLaw, plane::{Body, World}};
///
/// let world = World::builder()
///     .law(ContactLaw::coulomb(0.3).restitution(0.5)) // everywhere else
///     .law_between("ice", "steel", ContactLaw { restitution: 0.2, ..ContactLaw::default() })
///     .body("floor", Body::half_plane().material("ice"))
///     .body("puck", Body::disc(0.04).at([0.0, 0.04]).material("steel"))
///     .build();
/// assert!(world.is_ok());
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContactLaw {
    /// Friction law.
    pub friction: Friction,
    /// Coefficient of restitution along the normal, 0 to 1.
    pub restitution: f64,
    /// Coefficient of restitution along the tangents, 0 to 1.
    pub tangential_restitution: f64,
    /// Rolling resistance: bound of the rolling moment over the normal force, a length.
    pub rolling: f64,
    /// Spinning resistance: bound of the moment about the normal over the normal force, a length (space).
    pub spinning: f64,
}

impl ContactLaw {
    /// No friction, no rebound: Signorini's condition alone.
    ///
    /// ```
    /// # use percuss::ContactLaw;
    /// assert_eq!(ContactLaw::frictionless(), ContactLaw::default());
    /// ```
    pub fn frictionless() -> Self {
        Self::default()
    }

    /// Coulomb's law with one coefficient.
    ///
    /// ```
    /// # use percuss::ContactLaw;
    /// let law = ContactLaw::coulomb(0.3);
    /// assert_eq!(law.restitution, 0.0);
    /// ```
    pub fn coulomb(mu: f64) -> Self {
        Self {
            friction: Friction::Coulomb(mu),
            ..Self::default()
        }
    }

    /// Coulomb's law with a static and a dynamic coefficient.
    ///
    /// ```
    /// # use percuss::{ContactLaw, plane::{Body, World}};
    /// let law = ContactLaw::static_dynamic(0.2, 0.4); // dynamic above static: refused
    /// assert!(World::builder().law(law).build().is_err());
    /// ```
    pub fn static_dynamic(static_mu: f64, dynamic_mu: f64) -> Self {
        Self {
            friction: Friction::StaticDynamic(StaticDynamic {
                mu_static: static_mu,
                mu_dynamic: dynamic_mu,
            }),
            ..Self::default()
        }
    }

    /// The same law with a coefficient of restitution along the normal.
    ///
    /// ```
    /// # use percuss::ContactLaw;
    /// assert_eq!(ContactLaw::frictionless().restitution(0.8).restitution, 0.8);
    /// ```
    pub fn restitution(mut self, normal: f64) -> Self {
        self.restitution = normal;
        self
    }

    /// The same law with rolling resistance, a length.
    ///
    /// ```
    /// # use percuss::ContactLaw;
    /// assert_eq!(ContactLaw::coulomb(0.5).rolling(1e-3).rolling, 1e-3);
    /// ```
    pub fn rolling(mut self, length: f64) -> Self {
        self.rolling = length;
        self
    }

    /// The same law with spinning resistance, a length (space).
    ///
    /// ```
    /// # use percuss::ContactLaw;
    /// assert_eq!(ContactLaw::coulomb(0.5).spinning(1e-3).spinning, 1e-3);
    /// ```
    pub fn spinning(mut self, length: f64) -> Self {
        self.spinning = length;
        self
    }

    /// Checks all coefficients; `part` names the law in messages.
    pub(crate) fn checked(&self, part: &str) -> Result<PairLaw> {
        match &self.friction {
            Friction::None | Friction::Polygon { .. } => {}
            Friction::Coulomb(mu) => {
                error::not_negative(part, "friction", *mu)?;
            }
            Friction::Asymmetric { plus, minus } => {
                error::not_negative(part, "friction.plus", *plus)?;
                error::not_negative(part, "friction.minus", *minus)?;
            }
            Friction::Elliptic { mu1, mu2, along } => {
                error::not_negative(part, "friction.mu1", *mu1)?;
                error::not_negative(part, "friction.mu2", *mu2)?;
                error::finite(part, "friction.along", along)?;
            }
            Friction::StaticDynamic(both) => {
                error::not_negative(part, "friction.static", both.mu_static)?;
                error::not_negative(part, "friction.dynamic", both.mu_dynamic)?;
                if both.mu_dynamic > both.mu_static {
                    let expected = "a number not above the static coefficient";
                    return Err(error::Error::value(
                        part,
                        "friction.dynamic",
                        both.mu_dynamic,
                        expected,
                    ));
                }
            }
        }
        Ok(PairLaw {
            friction: self.friction.clone(),
            rolling: error::not_negative(part, "rolling", self.rolling)?,
            spinning: error::not_negative(part, "spinning", self.spinning)?,
            restitution: Restitution {
                normal: error::share(part, "restitution", self.restitution)?,
                tangential: error::share(
                    part,
                    "tangential_restitution",
                    self.tangential_restitution,
                )?,
            },
        })
    }
}
