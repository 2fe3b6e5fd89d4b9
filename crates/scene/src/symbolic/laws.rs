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
    /// Lower and upper bound of each row.
    Intervals,
    /// A semi-axis for each row.
    Ellipse,
    /// So many vertices, a number for each row.
    Vertices(usize),
    /// So many half-spaces: a normal, a number for each row, then the bound.
    HalfSpaces(usize),
    /// A factor, then the numbers of the set.
    Scaled(Box<SetForm>),
}

/// A box, plus a ball, plus further convex sets.
#[derive(Debug, Clone)]
struct Bounds {
    lower: Vec<f64>,
    upper: Vec<f64>,
    radius: f64,
    /// Each with its factor.
    parts: Vec<(f64, NonFirmSet)>,
    /// Factor of the sets that are added.
    scale: f64,
}

impl SetForm {
    /// Adds this set (Minkowski sum) to the bounds, with its numbers taken from `values`.
    fn add_to(
        &self,
        bounds: &mut Bounds,
        values: &mut std::slice::Iter<'_, f64>,
    ) -> Result<(), String> {
        // Bounds of sums add up.
        let rows = bounds.lower.len();
        let mut next = || values.next().copied().unwrap_or(f64::NAN);
        let text = |error: LawError| error.to_string();
        match self {
            Self::AtLeast => bounds.intervals(next(), f64::INFINITY),
            Self::AtMost => bounds.intervals(f64::NEG_INFINITY, next()),
            Self::Between => {
                let lower = next();
                bounds.intervals(lower, next())
            }
            Self::Ball => {
                let radius = next();
                bounds.radius += bounds.scale * radius;
                match radius >= 0.0 {
                    true => Ok(()),
                    false => Err(format!(
                        "the radius of the ball is {radius}, it must be >= 0"
                    )),
                }
            }
            Self::Firm => bounds.intervals(f64::NEG_INFINITY, f64::INFINITY),
            Self::Sum(sets) => sets.iter().try_for_each(|set| set.add_to(bounds, values)),
            Self::Intervals => (0..rows).try_for_each(|row| {
                let lower = next();
                bounds.interval(row, lower, next())
            }),
            Self::Ellipse => {
                let axes: Vec<f64> = (0..rows).map(|_| next()).collect();
                let set = NonFirmSet::ellipsoid(&axes).map_err(text)?;
                bounds.parts.push((bounds.scale, set));
                Ok(())
            }
            Self::Vertices(count) => {
                let vertices: Vec<f64> = (0..count * rows).map(|_| next()).collect();
                let set = NonFirmSet::polytope(rows, &vertices).map_err(text)?;
                bounds.parts.push((bounds.scale, set));
                Ok(())
            }
            Self::HalfSpaces(count) => {
                let sides: Vec<f64> = (0..count * (rows + 1)).map(|_| next()).collect();
                let set = NonFirmSet::half_spaces(rows, &sides).map_err(text)?;
                bounds.parts.push((bounds.scale, set));
                Ok(())
            }
            Self::Scaled(set) => {
                let factor = next();
                if !(factor >= 0.0 && factor.is_finite()) {
                    return Err(format!("the factor of a set is {factor}, it must be >= 0"));
                }
                let outer = bounds.scale;
                bounds.scale *= factor;
                let added = set.add_to(bounds, values);
                bounds.scale = outer;
                added
            }
        }
    }
}

impl Bounds {
    /// Adds an interval in every row.
    fn intervals(&mut self, lower: f64, upper: f64) -> Result<(), String> {
        (0..self.lower.len()).try_for_each(|row| self.interval(row, lower, upper))
    }

    /// Adds an interval in one row.
    fn interval(&mut self, row: usize, lower: f64, upper: f64) -> Result<(), String> {
        // 0 C = {0}, also where C is unbounded.
        let scaled = |b: f64| {
            if self.scale == 0.0 {
                0.0
            } else {
                self.scale * b
            }
        };
        let (add_lower, add_upper) = (scaled(lower), scaled(upper));
        self.lower[row] += add_lower;
        self.upper[row] += add_upper;
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
        lower: vec![0.0; rows],
        upper: vec![0.0; rows],
        radius: 0.0,
        parts: Vec::new(),
        scale: 1.0,
    };
    // Box plus ball plus what else there is, all times h.
    set.add_to(&mut bounds, &mut values.iter())?;
    // Infinite bounds stay so at an impact, h = 0.
    let scaled = |b: &f64| if b.is_infinite() { *b } else { h * b };
    let times = |all: &[f64]| all.iter().map(scaled).collect::<Vec<f64>>();
    let ball = NonFirmSet::ball(rows, h * bounds.radius).map_err(text)?;
    let axis_box = NonFirmSet::axis_box(&times(&bounds.lower), &times(&bounds.upper));
    let mut sum = axis_box.map_err(text)?.plus(1.0, &ball).map_err(text)?;
    for (factor, part) in &bounds.parts {
        sum = sum.plus(h * factor, part).map_err(text)?;
    }
    Ok(sum.into_law())
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
