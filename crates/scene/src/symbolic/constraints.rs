//! Constraints of a mechanism: rows G, W and bias by symbolic differentiation, gaps, laws and restitution.
//!
//! Here are joints; unilateral contacts are in `contacts`, nonholonomic and non-firm constraints in `nonfirm`.

use percuss_expr::NodeId;
use percuss_expr::lagrange::{Constraints, LagrangeError, VelocityRow};
use percuss_mechanism::scaling::NormalScaling;
use percuss_mechanism::{Constraint, ConstraintKind};

use super::ConstraintPrograms;
use super::laws::{LawForm, LawOf};
use super::names::Names;
use super::nonfirm::Reactions;
use super::observable::{Extra, Quantity};
use super::projection::ProjectionSource;
use super::unit::{Unit, Values};
use percuss_input::tables::BilateralSpec;
use percuss_input::{Formula, InputError, Origin, expression_error, value_error};

// The reader refuses the rows that no law could have.
const _: () = assert!(percuss_input::tables::MOST_ROWS == percuss_contact::law::MAX_ROWS);

/// A node with its label in messages.
pub(super) type Labelled = (String, NodeId);

/// Collects the constraints of a scene while it is built.
pub(super) struct Collector<'a> {
    pub file: &'a str,
    pub names: Names,
    pub constraints: Vec<Constraint>,
    pub touching: Vec<ConstraintPrograms>,
    pub gaps: Vec<Labelled>,
    /// Observables of constraints: line of the constraint, name, quantity.
    pub extras: Vec<(usize, String, Extra)>,
    /// Frictional rows to be projected.
    pub projections: Vec<ProjectionSource>,
    /// Reactions that thresholds may see.
    pub reactions: Reactions,
    /// Rows of the nonholonomic constraints, with their names.
    pub nonholonomic: Vec<(String, Vec<VelocityRow>)>,
}

/// A row of G and W with its bias Ġ v + Ẇ.
pub(super) struct Row {
    label: String,
    pub(super) row: VelocityRow,
}

/// A law with its coefficients, and its position in the file for messages.
pub(super) struct LawSource<'a> {
    pub form: LawForm,
    pub values: Vec<Labelled>,
    pub key: &'a str,
    pub origin: Origin,
}

impl Collector<'_> {
    /// Parses an expression in all names of the scene.
    pub fn parse(
        &mut self,
        part: &str,
        key: &str,
        formula: &Formula,
    ) -> Result<NodeId, Box<InputError>> {
        let Names { graph, scope, .. } = &mut self.names;
        graph.parse(scope, &formula.text).map_err(|error| {
            let advice = self.names.advice(&error);
            let error = expression_error(self.file, part, key, formula, &error);
            Box::new(InputError { advice, ..*error })
        })
    }

    pub(super) fn refuse(
        &self,
        part: &str,
        key: &str,
        at: &Formula,
        error: &LagrangeError,
    ) -> Box<InputError> {
        value_error(self.file, part, key, at, error.to_string(), "")
    }

    /// The row of a holonomic function f(t, q), its rate; and the function itself.
    pub(super) fn holonomic(
        &mut self,
        (part, key): (&str, &str),
        formula: &Formula,
        label: String,
    ) -> Result<(NodeId, Row), Box<InputError>> {
        let node = self.parse(part, key, formula)?;
        let Names {
            graph, coordinates, ..
        } = &mut self.names;
        // Gradient ∂f/∂q, rate ∂f/∂t, and the bias of the second derivative.
        let derived = Constraints::derive(graph, coordinates, &[(key, node)])
            .map_err(|error| self.refuse(part, key, formula, &error))?;
        let row = VelocityRow {
            gradient: derived.gradients,
            boundary: derived.rates[0],
            bias: derived.bias[0],
        };
        Ok((node, Row { label, row }))
    }

    /// The row of a velocity that is affine in v; and the velocity itself.
    pub(super) fn velocity(
        &mut self,
        (part, key): (&str, &str),
        formula: &Formula,
        label: String,
    ) -> Result<(NodeId, Row), Box<InputError>> {
        let node = self.parse(part, key, formula)?;
        let row = self.velocity_of((part, key), formula, label, node)?;
        Ok((node, row))
    }

    /// The row of a velocity that is affine in v, from its node.
    pub(super) fn velocity_of(
        &mut self,
        (part, key): (&str, &str),
        formula: &Formula,
        label: String,
        node: NodeId,
    ) -> Result<Row, Box<InputError>> {
        let Names {
            graph, coordinates, ..
        } = &mut self.names;
        // The velocity must be affine in v.
        let row = VelocityRow::derive(graph, coordinates, "the velocity", node)
            .map_err(|error| self.refuse(part, key, formula, &error))?;
        Ok(Row { label, row })
    }

    /// Compiles a constraint and adds it: outputs are G by rows, then W.
    pub(super) fn push(
        &mut self,
        (name, part, line): (&str, &str, usize),
        kind: ConstraintKind,
        rows: Vec<Row>,
        law: LawSource<'_>,
        rebound: Option<Values>,
    ) -> Result<(), Box<InputError>> {
        self.require_name(name, part, line)?;
        let Names { graph, inputs, .. } = &self.names;
        let n = rows[0].row.gradient.len();
        let velocities = &inputs[inputs.len() - n..];
        let (mut outputs, mut bias) = (Vec::new(), Vec::new());
        for Row { label, row } in &rows {
            let entries = velocities.iter().zip(&row.gradient);
            outputs.extend(entries.map(|(v, &g)| (format!("the part of {label} by {v}"), g)));
        }
        for Row { label, row } in &rows {
            outputs.push((
                format!("the part of {label} without velocities"),
                row.boundary,
            ));
            bias.push((format!("the rate of {label}"), row.bias));
        }
        // Constant coefficients are checked here, others when they are evaluated.
        let values = Values::compile(graph, law.values);
        let law = LawOf::new(law.form, values, rows.len()).map_err(|problem| {
            Box::new(InputError {
                file: self.file.to_string(),
                origin: law.origin,
                part: part.to_string(),
                key: law.key.to_string(),
                value: String::new(),
                problem,
                advice: String::new(),
            })
        })?;
        self.touching.push(ConstraintPrograms {
            rows: Unit::compile(graph, outputs),
            bias: Unit::compile(graph, bias),
            law,
            rebound,
            scaling: None,
            projection: None,
            seen: Vec::new(),
        });
        self.constraints
            .push(Constraint::new(name, kind, rows.len()));
        Ok(())
    }

    /// Scales the normal rows of the last constraint to the unit of length, if its coordinates may need it.
    pub(super) fn scale(&mut self, normal: usize, tangential: usize) {
        if let Some(last) = self.touching.last_mut() {
            last.scaling = NormalScaling::new(&self.names.chart, normal, tangential);
        }
    }

    /// Requires a constraint name that is unique and valid within names of observables.
    fn require_name(&self, name: &str, part: &str, line: usize) -> Result<(), Box<InputError>> {
        let fail = |problem: String, advice: &str| {
            Err(Box::new(InputError {
                file: self.file.to_string(),
                origin: Origin::Line(line),
                part: part.to_string(),
                key: "name".to_string(),
                value: String::new(),
                problem,
                advice: advice.to_string(),
            }))
        };
        // The name becomes part of names of observables.
        let letter = |c: char| c.is_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(letter) || name.starts_with(char::is_numeric) {
            let problem = format!(
                "`{name}` is not a name: names begin with a letter or `_` and go on with letters, \
                 digits and `_`"
            );
            return fail(problem, "");
        }
        match self.constraints.iter().any(|c| c.name == name) {
            true => fail(
                format!("another constraint is called `{name}`"),
                "Contacts, joints and other constraints need names of their own",
            ),
            false => Ok(()),
        }
    }

    pub(super) fn extra(&mut self, line: usize, name: String, extra: Extra) {
        self.extras.push((line, name, extra));
    }

    pub(super) fn force(&mut self, line: usize, prefix: &str, name: &str, row: usize) {
        let constraint = self.constraints.len() - 1;
        let quantity = Quantity::Force { constraint, row };
        self.extra(line, format!("{prefix}_{name}"), Extra::Measured(quantity));
    }

    /// Adds a joint (bilateral holonomic constraint), with or without friction.
    pub fn joint(&mut self, spec: &BilateralSpec) -> Result<(), Box<InputError>> {
        let name = &spec.name;
        let part = &format!("joint `{name}`");
        // Normal rows are rates of the holonomic functions.
        let (mut rows, mut gaps) = (Vec::new(), Vec::new());
        for formula in &spec.constraint {
            let label = format!("the rate of `{name}`");
            let (node, row) = self.holonomic((part, "constraint"), formula, label)?;
            gaps.push((format!("the constraint of `{name}`"), node));
            rows.push(row);
        }
        // Sliding velocities of a joint with friction follow its normal rows.
        let normal_rows = rows.len();
        for formula in &spec.tangent {
            let label = format!("the sliding velocity of `{name}`");
            rows.push(self.velocity((part, "tangent"), formula, label)?.1);
        }
        // A bilateral law, or one with friction bounded by the size of the reaction.
        let (kind, form) = match spec.friction {
            None => (ConstraintKind::Joint, LawForm::Bilateral),
            Some(_) => (
                ConstraintKind::FrictionJoint { normal_rows },
                LawForm::BilateralFriction { normal_rows },
            ),
        };
        let (mut values, mut origin) = (Vec::new(), Origin::Line(spec.line));
        if let Some(mu) = &spec.friction {
            let label = format!("`friction` of `{name}`");
            values.push((label, self.parse(part, "friction", mu)?));
            origin = mu.origin.clone();
        }
        let law = LawSource {
            form,
            values,
            key: "friction",
            origin,
        };
        self.push((name, part, spec.line), kind, rows, law, None)?;
        if spec.friction.is_some() {
            self.scale(normal_rows, spec.tangent.len());
        }
        self.project(part, normal_rows, spec.project.as_ref());
        self.gaps.extend(gaps);
        self.forces(spec.line, name, normal_rows);
        for i in 0..spec.tangent.len() {
            let prefix = ["friction", "friction2"][i];
            self.force(spec.line, prefix, name, normal_rows + i);
        }
        Ok(())
    }

    /// Observables `force_NAME`, `force2_NAME`, … of the first rows.
    pub(super) fn forces(&mut self, line: usize, name: &str, rows: usize) {
        for row in 0..rows {
            let prefix = match row {
                0 => "force".to_string(),
                _ => format!("force{}", row + 1),
            };
            self.force(line, &prefix, name, row);
        }
    }

    pub(super) fn velocity_rows(
        &mut self,
        part: &str,
        name: &str,
        formulas: &[Formula],
    ) -> Result<Vec<Row>, Box<InputError>> {
        let mut rows = Vec::new();
        for formula in formulas {
            let label = format!("the velocity of `{name}`");
            rows.push(self.velocity((part, "constraint"), formula, label)?.1);
        }
        Ok(rows)
    }
}
