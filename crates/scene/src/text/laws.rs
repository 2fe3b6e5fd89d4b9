//! The law of one constraint from the values of its coefficients.
//!
//! Laws with constant coefficients are made once; thresholds of non-firm constraints scale with the
//! length of a step, and the set made last is kept.

use contact::Law;
use contact::law::{LawError, NonFirmSet, PolygonSection, StaticDynamic, Status};

use super::unit::{Inputs, Values};
use mechanism::SystemError;

/// Which law; its coefficients come as a list.
#[derive(Debug, Clone, PartialEq)]
pub enum LawForm {
    /// None.
    Frictionless,
    /// μ.
    Coulomb,
    /// plus, minus.
    Asymmetric,
    /// μ₁, μ₂.
    Elliptic,
    /// x, y of each vertex.
    Polygon,
    /// Static, dynamic.
    StaticDynamic,
    /// μ, rolling, and spinning where there is a row for it.
    Rolling,
    /// μ, rolling.
    RollingPlane,
    /// None.
    Bilateral,
    /// μ.
    BilateralFriction {
        /// Number of bilateral rows.
        normal_rows: usize,
    },
    /// The numbers of its set, in order.
    NonFirm(SetForm),
}

impl LawForm {
    /// Of `rows` rows, the first `normal` of them normal, those that are velocities of sliding.
    pub fn num_slips(&self, rows: usize, normal: usize) -> usize {
        match self {
            Self::Frictionless | Self::Bilateral | Self::NonFirm(_) => 0,
            Self::RollingPlane => 1,
            Self::Rolling => 2,
            _ => rows.saturating_sub(normal),
        }
    }
}

/// Which set of reactions; bounds come as a list, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum SetForm {
    /// From a bound on.
    AtLeast,
    /// Up to a bound.
    AtMost,
    /// Between two bounds.
    Between,
    /// A radius.
    Ball,
    /// Everything; no number.
    Firm,
    /// Sum of sets, their numbers one after the other.
    Sum(Vec<SetForm>),
}

/// A box with equal bounds in all rows, widened by a ball.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    lower: f64,
    upper: f64,
    radius: f64,
}

impl SetForm {
    /// Adds this set to the bounds; takes its numbers from `values`.
    fn add_to(
        &self,
        bounds: &mut Bounds,
        values: &mut std::slice::Iter<'_, f64>,
    ) -> Result<(), String> {
        let mut next = || values.next().copied().unwrap_or(f64::NAN);
        match self {
            Self::AtLeast => interval(bounds, next(), f64::INFINITY),
            Self::AtMost => interval(bounds, f64::NEG_INFINITY, next()),
            Self::Between => {
                let lower = next();
                interval(bounds, lower, next())
            }
            Self::Ball => {
                let radius = next();
                bounds.radius += radius;
                match radius >= 0.0 {
                    true => Ok(()),
                    false => Err(format!(
                        "the radius of the ball is {radius}, it must be >= 0"
                    )),
                }
            }
            Self::Firm => interval(bounds, f64::NEG_INFINITY, f64::INFINITY),
            Self::Sum(sets) => sets.iter().try_for_each(|set| set.add_to(bounds, values)),
        }
    }
}

fn interval(bounds: &mut Bounds, lower: f64, upper: f64) -> Result<(), String> {
    bounds.lower += lower;
    bounds.upper += upper;
    if !(lower <= upper) {
        return Err(format!("the interval from {lower} to {upper} is empty"));
    }
    match lower <= 0.0 && 0.0 <= upper {
        true => Ok(()),
        false => Err(format!(
            "the interval from {lower} to {upper} does not contain 0: a constraint at rest would \
             have to push"
        )),
    }
}

/// Makes the law of `rows` rows over a time `h` (forces: h = 1) from the values of its coefficients.
///
/// # Errors
/// Coefficients without meaning, in words.
pub fn assemble_law(
    form: &LawForm,
    values: &[f64],
    rows: usize,
    h: f64,
    previous: Status,
) -> Result<Law, String> {
    let of = |i: usize| values.get(i).copied().unwrap_or(f64::NAN);
    let text = |error: LawError| error.to_string();
    let law = match form {
        LawForm::Frictionless => Law::Frictionless,
        LawForm::Coulomb => Law::Coulomb { mu: of(0) },
        // The law bounds the reaction, which opposes sliding: sliding in + is resisted by the lower
        // bound (M88 §13).
        LawForm::Asymmetric => {
            let (plus, minus) = (of(0), of(1));
            let named = Law::CoulombAsymmetric { plus, minus };
            named.validate(rows).map_err(text)?;
            Law::CoulombAsymmetric {
                plus: minus,
                minus: plus,
            }
        }
        LawForm::Elliptic => Law::CoulombElliptic {
            mu1: of(0),
            mu2: of(1),
        },
        LawForm::Polygon => {
            let vertices: Vec<[f64; 2]> = values.chunks_exact(2).map(|c| [c[0], c[1]]).collect();
            PolygonSection::new(&vertices).map_err(text)?.into_law()
        }
        LawForm::StaticDynamic => Law::StaticDynamic {
            friction: StaticDynamic {
                mu_static: of(0),
                mu_dynamic: of(1),
            },
            previous,
        },
        LawForm::Rolling => Law::Rolling {
            mu: of(0),
            mu_roll: of(1),
            mu_spin: values.get(2).copied().unwrap_or(0.0),
        },
        LawForm::RollingPlane => Law::RollingPlane {
            mu: of(0),
            mu_roll: of(1),
        },
        LawForm::Bilateral => Law::Bilateral,
        LawForm::BilateralFriction { normal_rows } => Law::BilateralFriction {
            normal_rows: *normal_rows,
            mu: of(0),
        },
        LawForm::NonFirm(set) => nonfirm(set, values, rows, h)?,
    };
    law.validate(rows).map_err(text)?;
    Ok(law)
}

/// The set C times h: bounds on forces become bounds on impulses.
fn nonfirm(set: &SetForm, values: &[f64], rows: usize, h: f64) -> Result<Law, String> {
    let text = |error: LawError| error.to_string();
    let mut bounds = Bounds {
        lower: 0.0,
        upper: 0.0,
        radius: 0.0,
    };
    set.add_to(&mut bounds, &mut values.iter())?;
    let (lower, upper) = (vec![h * bounds.lower; rows], vec![h * bounds.upper; rows]);
    let ball = NonFirmSet::ball(rows, h * bounds.radius).map_err(text)?;
    let axis_box = NonFirmSet::axis_box(&lower, &upper).map_err(text)?;
    Ok(axis_box.plus(1.0, &ball).map_err(text)?.into_law())
}

/// The law of one constraint.
#[derive(Debug, Clone)]
pub(super) struct LawOf {
    form: LawForm,
    values: Values,
    rows: usize,
    /// The law made last, where coefficients are constant, and the length of step it is for.
    made: Option<(Law, f64)>,
}

impl LawOf {
    /// Checks coefficients that are constant.
    pub fn new(form: LawForm, values: Values, rows: usize) -> Result<Self, String> {
        let made = match values.constant() {
            None => None,
            Some(constants) => {
                let law = assemble_law(&form, constants, rows, 1.0, Status::Open)?;
                Some((law, 1.0))
            }
        };
        Ok(Self {
            form,
            values,
            rows,
            made,
        })
    }

    /// The law at a state.
    #[inline]
    pub fn at(
        &mut self,
        name: &str,
        inputs: &Inputs,
        h: f64,
        previous: Status,
    ) -> Result<Law, SystemError> {
        if let Some((law, made_for)) = &mut self.made {
            match (&self.form, &mut *law) {
                (LawForm::StaticDynamic, Law::StaticDynamic { friction, .. }) => {
                    let friction = *friction;
                    return Ok(Law::StaticDynamic { friction, previous });
                }
                (LawForm::NonFirm(_), _) if *made_for != h => {}
                _ => return Ok(law.clone()),
            }
        }
        self.make(name, inputs, h, previous)
    }

    fn make(
        &mut self,
        name: &str,
        inputs: &Inputs,
        h: f64,
        previous: Status,
    ) -> Result<Law, SystemError> {
        let values = self.values.at(inputs)?;
        let law = assemble_law(&self.form, values, self.rows, h, previous).map_err(|problem| {
            SystemError {
                what: format!("the law of `{name}`"),
                problem: format!("has no meaning: {problem}"),
                t: inputs.values[0],
            }
        })?;
        if let Some(made) = &mut self.made {
            *made = (law.clone(), h);
        }
        Ok(law)
    }
}
