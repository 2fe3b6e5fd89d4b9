//! Constraints of a scene: rows, gaps, laws, restitution.

use expr::lagrange::{Constraints, LagrangeError, VelocityRow};
use expr::{Graph, NodeId};
use mechanism::{Constraint, Kind};

use super::Touching;
use super::laws::{Form, LawOf, SetForm};
use super::names::Names;
use super::observable::{Extra, Quantity};
use super::unit::{Unit, Values};
use crate::error::{InputError, Origin};
use crate::file::{
    ContactSpec, Formula, FrictionSpec, JointSpec, NonFirmSpec, ReboundSpec, SetSpec, VelocitySpec,
    expression_error, value_error,
};

/// A named expression with its value.
type Labelled = (String, NodeId);

/// Collects the constraints of a scene.
pub(super) struct Collector<'a> {
    pub file: &'a str,
    pub names: Names,
    pub constraints: Vec<Constraint>,
    pub touching: Vec<Touching>,
    pub gaps: Vec<Labelled>,
    /// Line of the constraint, name for observables, what it is.
    pub extras: Vec<(usize, String, Extra)>,
}

/// A row of G and W with its bias.
struct Row {
    label: String,
    row: VelocityRow,
}

/// Where a law comes from, for messages.
struct LawSource<'a> {
    form: Form,
    values: Vec<Labelled>,
    key: &'a str,
    origin: Origin,
}

impl Collector<'_> {
    /// Parses an expression in all names.
    pub fn parse(
        &mut self,
        part: &str,
        key: &str,
        formula: &Formula,
    ) -> Result<NodeId, InputError> {
        let Names { graph, scope, .. } = &mut self.names;
        graph.parse(scope, &formula.text).map_err(|error| {
            let advice = self.names.advice(&error);
            let error = expression_error(self.file, part, key, formula, &error);
            InputError { advice, ..error }
        })
    }

    fn refuse(&self, part: &str, key: &str, at: &Formula, error: &LagrangeError) -> InputError {
        value_error(self.file, part, key, at, error.to_string(), "")
    }

    /// A row that is the rate of a function of positions and time; the function itself.
    fn holonomic(
        &mut self,
        (part, key): (&str, &str),
        formula: &Formula,
        label: String,
    ) -> Result<(NodeId, Row), InputError> {
        let node = self.parse(part, key, formula)?;
        let Names {
            graph, coordinates, ..
        } = &mut self.names;
        let derived = Constraints::derive(graph, coordinates, &[(key, node)])
            .map_err(|error| self.refuse(part, key, formula, &error))?;
        let row = VelocityRow {
            gradient: derived.gradients,
            boundary: derived.rates[0],
            bias: derived.bias[0],
        };
        Ok((node, Row { label, row }))
    }

    /// A row that is a velocity; the velocity itself.
    fn velocity(
        &mut self,
        (part, key): (&str, &str),
        formula: &Formula,
        label: String,
    ) -> Result<(NodeId, Row), InputError> {
        let node = self.parse(part, key, formula)?;
        let Names {
            graph, coordinates, ..
        } = &mut self.names;
        let row = VelocityRow::derive(graph, coordinates, "the velocity", node)
            .map_err(|error| self.refuse(part, key, formula, &error))?;
        Ok((node, Row { label, row }))
    }

    /// Compiles a constraint and adds it.
    fn push(
        &mut self,
        (name, part, line): (&str, &str, usize),
        kind: Kind,
        rows: Vec<Row>,
        law: LawSource<'_>,
        rebound: Option<Values>,
    ) -> Result<(), InputError> {
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
        let values = Values::compile(graph, law.values);
        let law = LawOf::new(law.form, values, rows.len()).map_err(|problem| InputError {
            file: self.file.to_string(),
            origin: law.origin,
            part: part.to_string(),
            key: law.key.to_string(),
            value: String::new(),
            problem,
            advice: String::new(),
        })?;
        self.touching.push(Touching {
            rows: Unit::compile(graph, outputs),
            bias: Unit::compile(graph, bias),
            law,
            rebound,
        });
        self.constraints.push(Constraint {
            name: name.to_string(),
            kind,
            rows: rows.len(),
        });
        Ok(())
    }

    /// Constraint names are their own and fit into names of observables.
    fn require_name(&self, name: &str, part: &str, line: usize) -> Result<(), InputError> {
        let fail = |problem: String, advice: &str| {
            Err(InputError {
                file: self.file.to_string(),
                origin: Origin::Line(line),
                part: part.to_string(),
                key: "name".to_string(),
                value: String::new(),
                problem,
                advice: advice.to_string(),
            })
        };
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

    fn extra(&mut self, line: usize, name: String, extra: Extra) {
        self.extras.push((line, name, extra));
    }

    fn force(&mut self, line: usize, prefix: &str, name: &str, row: usize) {
        let constraint = self.constraints.len() - 1;
        let quantity = Quantity::Force { constraint, row };
        self.extra(line, format!("{prefix}_{name}"), Extra::Measured(quantity));
    }

    /// Adds a contact.
    pub fn contact(&mut self, spec: &ContactSpec) -> Result<(), InputError> {
        let (name, line) = (&spec.name, spec.line);
        let part = &format!("contact `{name}`");
        let label = format!("the normal velocity of `{name}`");
        let (gap, mut normal) = self.holonomic((part, "gap"), &spec.gap, label.clone())?;
        let Names {
            graph, coordinates, ..
        } = &mut self.names;
        let mut speed = coordinates.rate(graph, gap);
        if let Some(formula) = &spec.normal {
            (speed, normal) = self.velocity((part, "normal"), formula, label)?;
        }
        let (mut rows, mut slips) = (vec![normal], Vec::new());
        for formula in &spec.tangent {
            let label = format!("the sliding velocity of `{name}`");
            let (node, row) = self.velocity((part, "tangent"), formula, label)?;
            rows.push(row);
            slips.push(node);
        }
        for formula in &spec.moment {
            let label = format!("the angular velocity of `{name}`");
            rows.push(self.velocity((part, "moment"), formula, label)?.1);
        }
        let law = self.contact_law(part, spec)?;
        let rebound = self.rebound(part, spec)?;
        self.push((name, part, line), Kind::Contact, rows, law, rebound)?;
        self.gaps.push((format!("the gap of `{name}`"), gap));
        self.extra(line, format!("gap_{name}"), Extra::Node(gap));
        self.extra(line, format!("normal_speed_{name}"), Extra::Node(speed));
        self.force(line, "force", name, 0);
        for (i, slip) in slips.into_iter().enumerate() {
            let number = ["", "2"][i];
            self.extra(line, format!("slip{number}_{name}"), Extra::Node(slip));
            self.force(line, &format!("friction{number}"), name, 1 + i);
        }
        if !spec.tangent.is_empty() {
            let constraint = self.constraints.len() - 1;
            let gamma = Extra::Measured(Quantity::Gamma { constraint });
            self.extra(line, format!("gamma_{name}"), gamma);
        }
        Ok(())
    }

    fn contact_law(
        &mut self,
        part: &str,
        spec: &ContactSpec,
    ) -> Result<LawSource<'static>, InputError> {
        let Some((friction, line)) = &spec.friction else {
            return Ok(LawSource {
                form: Form::Frictionless,
                values: Vec::new(),
                key: "friction",
                origin: Origin::Line(spec.line),
            });
        };
        let (form, mut formulas): (Form, Vec<&Formula>) = match friction {
            FrictionSpec::Isotropic(mu) => (Form::Coulomb, vec![mu]),
            FrictionSpec::Asymmetric { plus, minus } => (Form::Asymmetric, vec![plus, minus]),
            FrictionSpec::Elliptic(axes) => (Form::Elliptic, axes.iter().collect()),
            FrictionSpec::Polygon(vertices) => (Form::Polygon, vertices.iter().flatten().collect()),
            FrictionSpec::StaticDynamic { fixed, sliding } => {
                (Form::StaticDynamic, vec![fixed, sliding])
            }
        };
        let form = match (spec.moment.len(), spec.tangent.len()) {
            (0, _) => form,
            (_, 1) => Form::RollingPlane,
            _ => Form::Rolling,
        };
        let count = formulas.len();
        formulas.extend(spec.rolling.iter().chain(&spec.spinning));
        let mut values = Vec::new();
        for (i, formula) in formulas.iter().enumerate() {
            let key = match i.checked_sub(count) {
                None => "friction",
                Some(0) => "rolling_friction",
                Some(_) => "spinning_friction",
            };
            let label = format!("`{key}` of `{}`", spec.name);
            values.push((label, self.parse(part, key, formula)?));
        }
        // An override may have changed a parameter, not the line.
        let origin = match formulas.iter().find(|f| f.origin == Origin::Override) {
            Some(formula) => formula.origin.clone(),
            None => Origin::Line(*line),
        };
        Ok(LawSource {
            form,
            values,
            key: "friction",
            origin,
        })
    }

    /// Normal and tangential restitution; none where both are 0.
    fn rebound(&mut self, part: &str, spec: &ContactSpec) -> Result<Option<Values>, InputError> {
        let given = match &spec.rebound {
            None => None,
            Some(ReboundSpec::Restitution(e)) => Some((e, "restitution")),
            Some(ReboundSpec::Dissipation(delta)) => Some((delta, "dissipation")),
        };
        let mut normal = Graph::ZERO;
        let mut tangential = Graph::ZERO;
        if let Some((formula, key)) = given {
            let node = self.parse(part, key, formula)?;
            normal = node;
            if key == "dissipation" {
                // ρ = (1 − δ)/(1 + δ), JM92 6.1.
                let graph = &mut self.names.graph;
                let (less, more) = (graph.sub(Graph::ONE, node), graph.add(Graph::ONE, node));
                normal = graph.div(less, more);
                tangential = normal;
            }
            self.require_admissible(part, key, formula, normal)?;
        }
        if let Some(formula) = &spec.tangential_restitution {
            let key = "tangential_restitution";
            tangential = self.parse(part, key, formula)?;
            self.require_admissible(part, key, formula, tangential)?;
        }
        if normal == Graph::ZERO && tangential == Graph::ZERO {
            return Ok(None);
        }
        let label = |what: &str| format!("the {what} restitution of `{}`", spec.name);
        let outputs = vec![(label("normal"), normal), (label("tangential"), tangential)];
        Ok(Some(Values::compile(&self.names.graph, outputs)))
    }

    /// A constant restitution must be one that an impact law can have.
    pub fn require_admissible(
        &self,
        part: &str,
        key: &str,
        formula: &Formula,
        restitution: NodeId,
    ) -> Result<(), InputError> {
        let graph = &self.names.graph;
        if !graph.inputs_of(restitution).is_empty() {
            return Ok(());
        }
        let value = graph.evaluate(restitution, &[]).unwrap_or(f64::NAN);
        if (0.0..=1.0).contains(&value) {
            return Ok(());
        }
        let means = match key {
            "dissipation" => format!("the restitution (1 - delta)/(1 + delta) is {value}"),
            _ => format!("the value is {value}"),
        };
        let problem = format!(
            "{means}, but an impact law is admissible only for 0 <= e <= 1: with e > 1 an impact \
             would create kinetic energy, with e < 0 the bodies would go on into each other (B02 1.12)"
        );
        Err(value_error(self.file, part, key, formula, problem, ""))
    }

    /// Adds a joint.
    pub fn joint(&mut self, spec: &JointSpec) -> Result<(), InputError> {
        let name = &spec.name;
        let part = &format!("joint `{name}`");
        let (mut rows, mut gaps) = (Vec::new(), Vec::new());
        for formula in &spec.constraint {
            let label = format!("the rate of `{name}`");
            let (node, row) = self.holonomic((part, "constraint"), formula, label)?;
            gaps.push((format!("the constraint of `{name}`"), node));
            rows.push(row);
        }
        let normal_rows = rows.len();
        for formula in &spec.tangent {
            let label = format!("the sliding velocity of `{name}`");
            rows.push(self.velocity((part, "tangent"), formula, label)?.1);
        }
        let (kind, form) = match spec.friction {
            None => (Kind::Joint, Form::Bilateral),
            Some(_) => (
                Kind::FrictionJoint { normal_rows },
                Form::BilateralFriction { normal_rows },
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
        self.gaps.extend(gaps);
        self.forces(spec.line, name, normal_rows);
        for i in 0..spec.tangent.len() {
            let prefix = ["friction", "friction2"][i];
            self.force(spec.line, prefix, name, normal_rows + i);
        }
        Ok(())
    }

    /// `force_NAME`, `force2_NAME`, … of the first rows.
    fn forces(&mut self, line: usize, name: &str, rows: usize) {
        for row in 0..rows {
            let prefix = match row {
                0 => "force".to_string(),
                _ => format!("force{}", row + 1),
            };
            self.force(line, &prefix, name, row);
        }
    }

    fn velocity_rows(
        &mut self,
        part: &str,
        name: &str,
        formulas: &[Formula],
    ) -> Result<Vec<Row>, InputError> {
        let mut rows = Vec::new();
        for formula in formulas {
            let label = format!("the velocity of `{name}`");
            rows.push(self.velocity((part, "constraint"), formula, label)?.1);
        }
        Ok(rows)
    }

    /// Adds a non-holonomic constraint.
    pub fn velocity_constraint(&mut self, spec: &VelocitySpec) -> Result<(), InputError> {
        let part = &format!("velocity constraint `{}`", spec.name);
        let rows = self.velocity_rows(part, &spec.name, &spec.constraint)?;
        let (count, law) = (
            rows.len(),
            LawSource {
                form: Form::Bilateral,
                values: Vec::new(),
                key: "constraint",
                origin: Origin::Line(spec.line),
            },
        );
        self.push(
            (&spec.name, part, spec.line),
            Kind::Velocity,
            rows,
            law,
            None,
        )?;
        self.forces(spec.line, &spec.name, count);
        Ok(())
    }

    /// Adds a non-firm constraint.
    pub fn nonfirm(&mut self, spec: &NonFirmSpec) -> Result<(), InputError> {
        let part = &format!("non-firm constraint `{}`", spec.name);
        let rows = self.velocity_rows(part, &spec.name, &spec.constraint)?;
        let (mut values, count) = (Vec::new(), rows.len());
        let mut origin = Origin::Line(spec.line);
        let form = self.set(part, &spec.name, &spec.force, &mut values, &mut origin)?;
        let law = LawSource {
            form: Form::NonFirm(form),
            values,
            key: "force",
            origin,
        };
        self.push(
            (&spec.name, part, spec.line),
            Kind::NonFirm,
            rows,
            law,
            None,
        )?;
        self.forces(spec.line, &spec.name, count);
        Ok(())
    }

    fn set(
        &mut self,
        part: &str,
        name: &str,
        spec: &SetSpec,
        values: &mut Vec<Labelled>,
        origin: &mut Origin,
    ) -> Result<SetForm, InputError> {
        let (form, formulas): (SetForm, Vec<&Formula>) = match spec {
            SetSpec::AtLeast(a) => (SetForm::AtLeast, vec![a]),
            SetSpec::AtMost(b) => (SetForm::AtMost, vec![b]),
            SetSpec::Between(a, b) => (SetForm::Between, vec![a, b]),
            SetSpec::Ball(radius) => (SetForm::Ball, vec![radius]),
            SetSpec::Firm => (SetForm::Firm, Vec::new()),
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
            values.push((label, self.parse(part, "force", formula)?));
            *origin = formula.origin.clone();
        }
        Ok(form)
    }
}
