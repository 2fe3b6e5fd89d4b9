//! Constraints and laws from their Python description.

use percuss_contact::law::Status;
use percuss_mechanism::{Constraint, ConstraintKind};
use percuss_scene::{LawForm, SetForm, assemble_law};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use crate::error;

/// The law of one constraint.
pub(super) struct ConstraintLaw {
    /// The type of law.
    pub form: LawForm,
    /// Coefficients, where they are constant.
    pub constant: Option<Vec<f64>>,
}

/// One constraint from (name, kind, rows, normal rows, form, coefficients or None, contact or None), after the
/// constraints `before`.
pub(super) fn constraint(
    item: &Bound<'_, PyAny>,
    before: &[Constraint],
) -> PyResult<(Constraint, ConstraintLaw)> {
    let item = item.cast::<PyTuple>()?;
    let name: String = item.get_item(0)?.extract()?;
    let word: String = item.get_item(1)?.extract()?;
    let rows: usize = item.get_item(2)?.extract()?;
    let normal_rows: usize = item.get_item(3)?.extract()?;
    let constant: Option<Vec<f64>> = item.get_item(5)?.extract()?;
    // Type of the constraint.
    let kind = match word.as_str() {
        "contact" => ConstraintKind::Contact,
        "joint" => ConstraintKind::Joint,
        "friction_joint" => ConstraintKind::FrictionJoint { normal_rows },
        "velocity" => ConstraintKind::Nonholonomic,
        "nonfirm" => ConstraintKind::NonFirm,
        _ => return Err(error::input(format!("unknown kind of constraint `{word}`"))),
    };
    let form = form(&item.get_item(4)?, normal_rows)?;
    // Constant coefficients are checked at once.
    if let Some(values) = &constant {
        let law = assemble_law(&form, values, rows, 1.0, Status::Open);
        law.map_err(|problem| error::input(format!("the law of `{name}`: {problem}")))?;
    }
    let condition: Option<String> = item.get_item(6)?.extract()?;
    let mut made = Constraint::new(name, kind, rows);
    if let Some(contact) = condition {
        let known = |c: &Constraint| c.is_contact() && c.name == contact;
        let Some(place) = before.iter().position(known) else {
            let name = &made.name;
            return Err(error::input(format!(
                "`while` of `{name}`: there is no contact `{contact}`"
            )));
        };
        made.while_closed = Some(place);
    }
    Ok((made, ConstraintLaw { form, constant }))
}

/// A law by its name; a non-firm one is a pair ("nonfirm", set).
fn form(item: &Bound<'_, PyAny>, normal_rows: usize) -> PyResult<LawForm> {
    if let Ok(pair) = item.cast::<PyTuple>() {
        return Ok(LawForm::NonFirm(set(&pair.get_item(1)?)?));
    }
    let word: String = item.extract()?;
    Ok(match word.as_str() {
        "frictionless" => LawForm::Frictionless,
        "coulomb" => LawForm::Coulomb,
        "asymmetric" => LawForm::Asymmetric,
        "elliptic" => LawForm::Elliptic,
        "polygon" => LawForm::Polygon,
        "static_dynamic" => LawForm::StaticDynamic,
        "rolling" => LawForm::Rolling,
        "rolling_plane" => LawForm::RollingPlane,
        "bilateral" => LawForm::Bilateral,
        "bilateral_friction" => LawForm::BilateralFriction { normal_rows },
        _ => return Err(error::input(format!("unknown law `{word}`"))),
    })
}

fn set(item: &Bound<'_, PyAny>) -> PyResult<SetForm> {
    // Shapes with a number of lines, and factors, are lists.
    if let Ok(pair) = item.cast::<PyList>() {
        let word: String = pair.get_item(0)?.extract()?;
        return match word.as_str() {
            "factor" => Ok(SetForm::Scaled(Box::new(set(&pair.get_item(1)?)?))),
            "box" => Ok(SetForm::Intervals),
            "half_spaces" => Ok(SetForm::HalfSpaces(pair.get_item(1)?.extract()?)),
            _ => Ok(SetForm::Vertices(pair.get_item(1)?.extract()?)),
        };
    }
    if let Ok(parts) = item.cast::<PyTuple>() {
        let parts = parts.iter().map(|part| set(&part));
        return Ok(SetForm::Sum(parts.collect::<PyResult<_>>()?));
    }
    let word: String = item.extract()?;
    Ok(match word.as_str() {
        "at_least" => SetForm::AtLeast,
        "at_most" => SetForm::AtMost,
        "between" => SetForm::Between,
        "ball" => SetForm::Ball,
        "ellipse" => SetForm::Ellipse,
        "firm" => SetForm::Firm,
        _ => return Err(error::input(format!("unknown set of reactions `{word}`"))),
    })
}
