//! Sweeping processes: scenes with `kind = "sweep"`, −du ∈ N_C(t)(u) − w(t, u) dt.
//!
//! The point u consists of the coordinates, C(t) = { gap_k(t, u) ≥ 0, f_j(t, u) = 0 } of the
//! contacts and joints, and w is the drift. Everything else (names, observables, findings, studies,
//! plots, records) is that of a mechanism: the same expressions, the same tables. Where all
//! functions are affine in the coordinates, with coefficients of t alone, the set is a polyhedron;
//! otherwise it is an intersection of smooth regions, and its gaps must be concave unless the scene
//! declares the radius `prox_regular`.

use super::crowd::CrowdSpec;
use super::read_run::word;
use crate::tables::{
    BilateralSpec, ContactSpec, CoordinateKind, CoordinateSpec, DynamicsSpec, Word,
};
use crate::{Formula, InputError, Reader};

/// The table `[process]`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SweepSpec {
    /// One entry per coordinate, or a whole matrix row by row; none for the Euclidean metric.
    pub metric: Vec<Formula>,
    /// Drift, by coordinate name.
    pub drift: Vec<(String, Vec<Formula>)>,
    pub lambda: Option<Formula>,
    pub start: Option<Word>,
    pub jumps: Vec<Formula>,
    pub kinks: Vec<Formula>,
    pub retraction: Option<Formula>,
    pub prox_regular: Option<Formula>,
    pub crowd: Option<CrowdSpec>,
}

/// Reads the table `[process]`.
pub fn read(
    root: &mut Reader<'_>,
    coordinates: &[CoordinateSpec],
) -> Result<SweepSpec, Box<InputError>> {
    let Some(item) = root.take("process") else {
        return Ok(SweepSpec::default());
    };
    // Expressions of the process.
    let mut reader = root.of("[process]", "process", item)?;
    let mut spec = SweepSpec {
        metric: reader.formulas_if("metric")?.unwrap_or_default(),
        lambda: reader.formula_if("lambda")?,
        start: word(&mut reader, "start")?,
        jumps: reader.formulas_if("jumps")?.unwrap_or_default(),
        kinks: reader.formulas_if("kinks")?.unwrap_or_default(),
        retraction: reader.formula_if("retraction")?,
        prox_regular: reader.formula_if("prox_regular")?,
        ..SweepSpec::default()
    };
    // Drift: one expression per coordinate.
    if let Some(item) = reader.take("drift") {
        let mut table = reader.of("[process.drift]", "drift", item)?;
        for entry in table.take_all() {
            // Names of coordinates, with a suggestion for misspelt ones.
            if !coordinates.iter().any(|c| c.name == entry.key) {
                let known: Vec<String> = coordinates.iter().map(|c| c.name.clone()).collect();
                let guess = match percuss_expr::similar_names(&entry.key, &known).first() {
                    Some(nearest) => format!("; did you mean `{nearest}`?"),
                    None => String::new(),
                };
                let problem = format!("there is no coordinate `{}`{guess}", entry.key);
                return Err(table.wrong(&entry.key, &entry.item, problem, ""));
            }
            let formula = table.to_formula(&entry.key, entry.item)?;
            spec.drift.push((entry.key, vec![formula]));
        }
    }
    // The metric: none, a diagonal, or a whole matrix.
    let n = coordinates.len();
    if ![0, n, n * n].contains(&spec.metric.len()) {
        let problem = format!("`metric` has {} entries", spec.metric.len());
        let advice = format!("Give {n} (a diagonal) or {} (a matrix, row by row)", n * n);
        return Err(reader.error(problem, advice));
    }
    reader.finish()?;
    Ok(spec)
}

impl SweepSpec {
    /// The drift as forces of a mechanism of unit mass, from which names and programs are compiled.
    pub fn dynamics(&self, coordinates: &[CoordinateSpec]) -> DynamicsSpec {
        let squares = coordinates.iter().map(|c| format!("{}_dot^2", c.name));
        let text = format!("0.5*({})", squares.collect::<Vec<_>>().join(" + "));
        DynamicsSpec {
            kinetic: Formula::at_line(text, coordinates.first().map_or(1, |c| c.line)),
            potential: None,
            forces: self.drift.clone(),
        }
    }
}

/// Refuses keys of mechanisms that have no meaning in a sweeping process: velocities, friction,
/// restitution.
pub fn refuse(
    root: &Reader<'_>,
    coordinates: &[CoordinateSpec],
    contacts: &[ContactSpec],
    joints: &[BilateralSpec],
) -> Result<(), Box<InputError>> {
    // The error has the line of the coordinate, contact or joint.
    let at = |line: usize, part: String, key: &str, advice: &str| {
        let problem =
            format!("`{key}` means nothing in a sweeping process, which has no velocities");
        Err(Box::new(InputError {
            origin: crate::Origin::Line(line),
            part,
            ..*root.error(problem, advice)
        }))
    };
    for c in coordinates {
        let part = format!("coordinate `{}`", c.name);
        if !c.velocity.is_empty() {
            return at(c.line, part, "velocity", "Give `initial` alone");
        }
        if c.kind != CoordinateKind::Line {
            return at(
                c.line,
                part,
                "kind",
                "All coordinates of a swept point are lines",
            );
        }
    }
    // Of a contact only the gap has a meaning.
    for c in contacts {
        let given = [
            ("normal", c.normal.is_some()),
            ("tangent", !c.tangent.is_empty()),
            ("friction", c.friction.is_some()),
            ("moment", !c.moment.is_empty()),
            ("rolling_friction", c.rolling.is_some()),
            ("spinning_friction", c.spinning.is_some()),
            ("restitution", c.rebound.is_some()),
            ("tangential_restitution", c.tangential_restitution.is_some()),
            ("stiffness", c.stiffness.is_some()),
        ];
        if let Some((key, _)) = given.iter().find(|(_, given)| *given) {
            let part = format!("contact `{}`", c.name);
            return at(c.line, part, key, "A contact has a `name` and a `gap` here");
        }
    }
    // Of a joint only its constraint has a meaning.
    for j in joints {
        if j.friction.is_some() || !j.tangent.is_empty() {
            let part = format!("joint `{}`", j.name);
            return at(
                j.line,
                part,
                "friction",
                "A joint has a `name` and a `constraint` here",
            );
        }
    }
    Ok(())
}
