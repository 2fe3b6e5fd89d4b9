//! Constraints and laws from their Python description.

use percuss_contact::law::Status;
use percuss_mechanism::{Constraint, ConstraintKind};
use percuss_scene::{LawForm, SetForm, assemble_law};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::error;

/// The law of one constraint.
pub(super) struct ConstraintLaw {
    /// The type of law.
    pub form: LawForm,
    /// Coefficients, where they are constant.
    pub constant: Option<Vec<f64>>,
}

/// One constraint from (name, kind, rows, normal rows, form, coefficients or None).
pub(super) fn constraint(item: &Bound<'_, PyAny>) -> PyResult<(Constraint, ConstraintLaw)> {
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
    Ok((
        Constraint { name, kind, rows },
        ConstraintLaw { form, constant },
    ))
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
        "firm" => SetForm::Firm,
        _ => return Err(error::input(format!("unknown set of reactions `{word}`"))),
    })
}
