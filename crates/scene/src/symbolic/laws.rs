//! The contact law of a constraint from the values of its coefficients.
//!
//! Laws with constant coefficients are made once. Thresholds of non-firm constraints are forces and scale with the
//! length of a step; the law made last is cached.

use percuss_contact::Law;
use percuss_contact::law::{LawError, NonFirmSet, PolygonSection, StaticDynamic, Status};

use super::unit::{Inputs, Values};
use percuss_mechanism::SystemError;

/// The type of a law; the comment of each variant lists its coefficients in order.
#[derive(Debug, Clone, PartialEq)]
pub enum LawForm {
    /// No coefficient.
    Frictionless,
    /// μ.
    Coulomb,
    /// μ₊, μ₋ of NOTATION: while u_t > 0 and while u_t < 0.
    Asymmetric,
    /// μ₁, μ₂.
    Elliptic,
    /// x, y of each vertex.
    Polygon,
    /// μ_s, μ_d.
    StaticDynamic,
    /// μ, μ_roll, and μ_spin where there is a row for it.
    Rolling,
    /// μ, μ_roll.
    RollingPlane,
    /// No coefficient.
    Bilateral,
    /// μ.
    BilateralFriction {
        /// Number of bilateral rows.
        normal_rows: usize,
    },
    /// The bounds of its set, in order.
    NonFirm(SetForm),
}

impl LawForm {
    /// The number of sliding-velocity rows among `rows` rows whose first `normal` are normal.
    pub fn num_slips(&self, rows: usize, normal: usize) -> usize {
        match self {
            Self::Frictionless | Self::Bilateral | Self::NonFirm(_) => 0,
            Self::RollingPlane => 1,
            Self::Rolling => 2,
            _ => rows.saturating_sub(normal),
        }
    }
}

/// The set of admissible reactions; the comment of each variant lists its bounds in order.
#[derive(Debug, Clone, PartialEq)]
pub enum SetForm {
    /// Lower bound.
    AtLeast,
    /// Upper bound.
    AtMost,
    /// Lower and upper bound.
    Between,
    /// Radius of a ball about 0.
    Ball,
    /// The whole space, no number: a firm constraint.
    Firm,
    /// Minkowski sum of sets, their numbers one after the other.
    Sum(Vec<SetForm>),
}

/// A box with equal bounds in all rows, plus a ball.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    lower: f64,
    upper: f64,
    radius: f64,
}

impl SetForm {
    /// Adds this set (Minkowski sum) to the bounds, with its numbers taken from `values`.
    fn add_to(
        &self,
        bounds: &mut Bounds,
        values: &mut std::slice::Iter<'_, f64>,
    ) -> Result<(), String> {
        // Bounds of sums add up.
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

/// Makes the law of `rows` rows over a time `h` (h = 1 for forces) from the values of its coefficients.
///
/// # Errors
/// Coefficients are inadmissible; the text says why.
pub fn assemble_law(
    form: &LawForm,
    values: &[f64],
    rows: usize,
    h: f64,
    previous: Status,
) -> Result<Law, String> {
    // A missing coefficient is NaN, which no law accepts.
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

/// The law of a set C times h: bounds of forces become bounds of impulses.
fn nonfirm(set: &SetForm, values: &[f64], rows: usize, h: f64) -> Result<Law, String> {
    let text = |error: LawError| error.to_string();
    let mut bounds = Bounds {
        lower: 0.0,
        upper: 0.0,
        radius: 0.0,
    };
    // Box plus ball, both times h.
    set.add_to(&mut bounds, &mut values.iter())?;
    let (lower, upper) = (vec![h * bounds.lower; rows], vec![h * bounds.upper; rows]);
    let ball = NonFirmSet::ball(rows, h * bounds.radius).map_err(text)?;
    let axis_box = NonFirmSet::axis_box(&lower, &upper).map_err(text)?;
    Ok(axis_box.plus(1.0, &ball).map_err(text)?.into_law())
}

/// Type and coefficients of the law of one constraint, with a cache.
#[derive(Debug, Clone)]
pub(super) struct LawOf {
    form: LawForm,
    values: Values,
    rows: usize,
    /// The law made last, where coefficients are constant, and the step length it is for.
    made: Option<(Law, f64)>,
}

impl LawOf {
    /// Checks constant coefficients and makes their law.
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

    /// The law at a state: cached, or made anew where coefficients or the step length changed.
    #[inline]
    pub fn at(
        &mut self,
        name: &str,
        inputs: &Inputs,
        h: f64,
        previous: Status,
    ) -> Result<Law, SystemError> {
        // The cached law, except where it depends on the status or on h.
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
        // Evaluate the coefficients and make the law anew.
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
