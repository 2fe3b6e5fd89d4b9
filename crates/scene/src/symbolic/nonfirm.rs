//! Constraints on velocities: nonholonomic ones, conditional ones, and non-firm ones with their sets of reactions.
//!
//! ```text
//! R = Σ λ_i α_i,   λ ∈ M(q) [C_0 + Σ κ_i(q, v, t; r) C_i]                                        (B02 §6.1)
//! ```
//!
//! M is taken into the rows: with α'_j = Σ_i M_ij α_i the reaction is Σ λ'_j α'_j and λ' = M⁻¹λ lies in the sum of the
//! sets. Recorded forces are λ'. Thresholds κ may name the reactions r of joints, contacts and velocity constraints by
//! the names of their observables, `force_J`, `force2_J`; they are inputs beside the state.

use percuss_expr::{NodeId, Scope};
use percuss_mechanism::ConstraintKind;

use super::constraints::{Collector, Labelled, LawSource, Row};
use super::laws::{LawForm, SetForm};
use super::names::Names;
use percuss_input::tables::{NonFirmSpec, NonholonomicSpec, SetSpec, Word};
use percuss_input::{Formula, InputError, Origin, expression_error, value_error};

/// Reactions that thresholds may see: a scope with their names, made when the first threshold is read.
#[derive(Default)]
pub(super) struct Reactions {
    scope: Option<Scope>,
    /// Input slot, constraint and row of each.
    pub inputs: Vec<(usize, usize, usize)>,
}

impl Collector<'_> {
    /// Adds a nonholonomic constraint; with `while`, one that acts only while a contact is closed.
    pub fn velocity_constraint(&mut self, spec: &NonholonomicSpec) -> Result<(), Box<InputError>> {
        let part = &format!("velocity constraint `{}`", spec.name);
        let rows = self.velocity_rows(part, &spec.name, &spec.constraint)?;
        if spec.condition.is_none() {
            let forms = rows.iter().map(|row| row.row.clone()).collect();
            self.nonholonomic.push((spec.name.clone(), forms));
        }
        let (count, law) = (
            rows.len(),
            LawSource {
                form: LawForm::Bilateral,
                values: Vec::new(),
                key: "constraint",
                origin: Origin::Line(spec.line),
            },
        );
        let kind = match spec.condition {
            None => ConstraintKind::Nonholonomic,
            Some(_) => ConstraintKind::NonFirm,
        };
        self.push((&spec.name, part, spec.line), kind, rows, law, None)?;
        self.condition(part, spec.condition.as_ref())?;
        self.forces(spec.line, &spec.name, count);
        Ok(())
    }

    /// Associates the last constraint with a contact.
    fn condition(&mut self, part: &str, contact: Option<&Word>) -> Result<(), Box<InputError>> {
        let Some(word) = contact else {
            return Ok(());
        };
        let named = |c: &percuss_mechanism::Constraint| c.is_contact() && c.name == word.text;
        let found = self.constraints.iter().position(named);
        let Some(found) = found else {
            let problem = format!("there is no contact `{}`", word.text);
            let contacts = self.constraints.iter().filter(|c| c.is_contact());
            let names: Vec<String> = contacts.map(|c| format!("`{}`", c.name)).collect();
            let advice = match names.is_empty() {
                true => "This scene has no [[contact]]".to_string(),
                false => format!("Contacts are {}", names.join(", ")),
            };
            return Err(value_error(
                self.file, part, "while", word, problem, &advice,
            ));
        };
        if let Some(last) = self.constraints.last_mut() {
            last.while_closed = Some(found);
        }
        Ok(())
    }

    /// Adds a non-firm constraint: a bilateral one whose reaction stays in a set C (B02 §5, §6).
    pub fn nonfirm(&mut self, spec: &NonFirmSpec) -> Result<(), Box<InputError>> {
        let part = &format!("non-firm constraint `{}`", spec.name);
        let rows = match spec.matrix.is_empty() {
            true => self.velocity_rows(part, &spec.name, &spec.constraint)?,
            false => self.combined_rows(part, spec)?,
        };
        let (mut values, count) = (Vec::new(), rows.len());
        let mut origin = Origin::Line(spec.line);
        // The set of reactions, with its bounds as coefficients.
        let form = self.set(part, &spec.name, &spec.force, &mut values, &mut origin)?;
        let seen = self.seen(&values);
        let law = LawSource {
            form: LawForm::NonFirm(form),
            values,
            key: "force",
            origin,
        };
        self.push(
            (&spec.name, part, spec.line),
            ConstraintKind::NonFirm,
            rows,
            law,
            None,
        )?;
        if let Some(last) = self.touching.last_mut() {
            last.seen = seen;
        }
        self.condition(part, spec.condition.as_ref())?;
        self.project(part, 0, spec.project.as_ref());
        self.forces(spec.line, &spec.name, count);
        Ok(())
    }

    /// Rows α'_j = Σ_i M_ij α_i.
    fn combined_rows(
        &mut self,
        part: &str,
        spec: &NonFirmSpec,
    ) -> Result<Vec<Row>, Box<InputError>> {
        let forms = spec.constraint.iter();
        let forms: Vec<NodeId> = forms
            .map(|formula| self.parse(part, "constraint", formula))
            .collect::<Result<_, _>>()?;
        let mut entries = Vec::new();
        for formula in spec.matrix.iter().flatten() {
            let node = self.parse(part, "matrix", formula)?;
            let Names {
                graph, coordinates, ..
            } = &mut self.names;
            if coordinates.depends_on_velocity(graph, node) {
                let problem = "M(q) depends on velocities".to_string();
                let advice = "It may depend on positions and time";
                return Err(value_error(
                    self.file, part, "matrix", formula, problem, advice,
                ));
            }
            entries.push(node);
        }
        let count = forms.len();
        let mut rows = Vec::with_capacity(count);
        for j in 0..count {
            let graph = &mut self.names.graph;
            let mut node = None;
            for (i, form) in forms.iter().enumerate() {
                let term = graph.mul(entries[i * count + j], *form);
                node = Some(match node {
                    None => term,
                    Some(sum) => graph.add(sum, term),
                });
            }
            let label = format!("the velocity of `{}`", spec.name);
            if let Some(node) = node {
                rows.push(self.velocity_of(
                    (part, "constraint"),
                    &spec.constraint[j],
                    label,
                    node,
                )?);
            }
        }
        Ok(rows)
    }

    /// The constraints whose reactions these values depend on.
    fn seen(&self, values: &[Labelled]) -> Vec<usize> {
        let mut seen = Vec::new();
        for (_, node) in values {
            let slots = self.names.graph.inputs_of(*node);
            let used = self
                .reactions
                .inputs
                .iter()
                .filter(|(slot, ..)| slots.contains(slot));
            seen.extend(used.map(|(_, constraint, _)| *constraint));
        }
        seen.sort_unstable();
        seen.dedup();
        seen
    }

    /// Parses a bound, which may name reactions.
    fn parse_bound(&mut self, part: &str, formula: &Formula) -> Result<NodeId, Box<InputError>> {
        let Self {
            names,
            reactions,
            constraints,
            file,
            ..
        } = self;
        if reactions.scope.is_none() {
            // Normal reactions of contacts, all reactions of joints and velocity constraints.
            let mut scope = names.scope.clone();
            for (i, known) in constraints.iter().enumerate() {
                let rows = match known.kind {
                    ConstraintKind::Contact => 1,
                    ConstraintKind::Joint | ConstraintKind::Nonholonomic => known.rows,
                    ConstraintKind::FrictionJoint { normal_rows } => normal_rows,
                    ConstraintKind::NonFirm => 0,
                };
                for row in 0..rows {
                    let name = match row {
                        0 => format!("force_{}", known.name),
                        _ => format!("force{}_{}", row + 1, known.name),
                    };
                    // A name that the scene has given to something else is left to it.
                    if let Ok(node) = scope.input(&mut names.graph, &name) {
                        let slot = names.graph.input_slot(node).unwrap_or_default();
                        reactions.inputs.push((slot, i, row));
                    }
                }
            }
            reactions.scope = Some(scope);
        }
        let scope = reactions.scope.as_ref().unwrap_or(&names.scope);
        names.graph.parse(scope, &formula.text).map_err(|error| {
            let advice = names.advice(&error);
            let error = expression_error(file, part, "force", formula, &error);
            Box::new(InputError { advice, ..*error })
        })
    }

    fn set(
        &mut self,
        part: &str,
        name: &str,
        spec: &SetSpec,
        values: &mut Vec<Labelled>,
        origin: &mut Origin,
    ) -> Result<SetForm, Box<InputError>> {
        // The form of the set, and its bounds in order.
        let (form, formulas): (SetForm, Vec<&Formula>) = match spec {
            SetSpec::AtLeast(a) => (SetForm::AtLeast, vec![a]),
            SetSpec::AtMost(b) => (SetForm::AtMost, vec![b]),
            SetSpec::Between(a, b) => (SetForm::Between, vec![a, b]),
            SetSpec::Ball(radius) => (SetForm::Ball, vec![radius]),
            SetSpec::Firm => (SetForm::Firm, Vec::new()),
            SetSpec::Intervals(all) => (SetForm::Intervals, all.iter().flatten().collect()),
            SetSpec::Ellipse(axes) => (SetForm::Ellipse, axes.iter().collect()),
            SetSpec::Vertices(all) => {
                (SetForm::Vertices(all.len()), all.iter().flatten().collect())
            }
            SetSpec::HalfSpaces(all) => (
                SetForm::HalfSpaces(all.len()),
                all.iter().flatten().collect(),
            ),
            SetSpec::Scaled(factor, of) => {
                let label = format!("`force` of `{name}`");
                values.push((label, self.parse_bound(part, factor)?));
                let of = self.set(part, name, of, values, origin)?;
                (SetForm::Scaled(Box::new(of)), Vec::new())
            }
            SetSpec::Sum(sets) => {
                let mut forms = Vec::new();
                for set in sets {
                    forms.push(self.set(part, name, set, values, origin)?);
                }
                (SetForm::Sum(forms), Vec::new())
            }
        };
        for formula in formulas {
            let label = format!("`force` of `{name}`");
            values.push((label, self.parse_bound(part, formula)?));
            *origin = formula.origin.clone();
        }
        Ok(form)
    }
}
