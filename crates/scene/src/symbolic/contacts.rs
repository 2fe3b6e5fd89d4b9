//! Unilateral contacts of a mechanism: normal, tangential and moment rows, contact law, restitution.

use percuss_expr::{Graph, NodeId};
use percuss_mechanism::ConstraintKind;

use super::constraints::{Collector, LawSource};
use super::laws::LawForm;
use super::names::Names;
use super::observable::{Extra, Quantity};
use super::unit::Values;
use percuss_input::tables::{ContactSpec, FrictionSpec, RestitutionSpec};
use percuss_input::{Formula, InputError, Origin, value_error};

impl Collector<'_> {
    /// Adds a contact with its observables.
    pub fn contact(&mut self, spec: &ContactSpec) -> Result<(), Box<InputError>> {
        let (name, line) = (&spec.name, spec.line);
        let part = &format!("contact `{name}`");
        let label = format!("the normal velocity of `{name}`");
        // Normal row: the rate of the gap, unless the scene gives the normal velocity itself.
        let (gap, mut normal) = self.holonomic((part, "gap"), &spec.gap, label.clone())?;
        let Names {
            graph, coordinates, ..
        } = &mut self.names;
        let mut speed = coordinates.rate(graph, gap);
        if let Some(formula) = &spec.normal {
            (speed, normal) = self.velocity((part, "normal"), formula, label)?;
        }
        // Tangential rows, then those of rolling and spinning.
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
        // Law, restitution, and the compiled programs.
        let law = self.contact_law(part, spec)?;
        let rebound = self.rebound(part, spec)?;
        self.push(
            (name, part, line),
            ConstraintKind::Contact,
            rows,
            law,
            rebound,
        )?;
        // With friction, S_n must be a force: the normal row is scaled to a distance.
        if spec.friction.is_some() && spec.normal.is_none() {
            self.scale(1, spec.tangent.len());
        }
        // Observables of the contact.
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
    ) -> Result<LawSource<'static>, Box<InputError>> {
        let Some((friction, line)) = &spec.friction else {
            return Ok(LawSource {
                form: LawForm::Frictionless,
                values: Vec::new(),
                key: "friction",
                origin: Origin::Line(spec.line),
            });
        };
        // The friction law with its coefficients.
        let (form, mut formulas): (LawForm, Vec<&Formula>) = match friction {
            FrictionSpec::Isotropic(mu) => (LawForm::Coulomb, vec![mu]),
            FrictionSpec::Asymmetric { plus, minus } => (LawForm::Asymmetric, vec![plus, minus]),
            FrictionSpec::Elliptic(axes) => (LawForm::Elliptic, axes.iter().collect()),
            FrictionSpec::Polygon(vertices) => {
                (LawForm::Polygon, vertices.iter().flatten().collect())
            }
            FrictionSpec::StaticDynamic { fixed, sliding } => {
                (LawForm::StaticDynamic, vec![fixed, sliding])
            }
        };
        // Moment rows make it a law with rolling friction.
        let form = match (spec.moment.len(), spec.tangent.len()) {
            (0, _) => form,
            (_, 1) => LawForm::RollingPlane,
            _ => LawForm::Rolling,
        };
        let count = formulas.len();
        formulas.extend(spec.rolling.iter().chain(&spec.spinning));
        // Coefficients of sliding, then of rolling and spinning friction.
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
        // An overridden coefficient has no line.
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

    /// Normal and tangential restitution; `None` where both are 0.
    fn rebound(
        &mut self,
        part: &str,
        spec: &ContactSpec,
    ) -> Result<Option<Values>, Box<InputError>> {
        // A coefficient for the normal row, or the dissipation index δ for all rows.
        let given = match &spec.rebound {
            None => None,
            Some(RestitutionSpec::Restitution(e)) => Some((e, "restitution")),
            Some(RestitutionSpec::Dissipation(delta)) => Some((delta, "dissipation")),
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
        // No restitution: nothing to evaluate.
        if normal == Graph::ZERO && tangential == Graph::ZERO {
            return Ok(None);
        }
        let label = |what: &str| format!("the {what} restitution of `{}`", spec.name);
        let outputs = vec![(label("normal"), normal), (label("tangential"), tangential)];
        Ok(Some(Values::compile(&self.names.graph, outputs)))
    }

    /// Requires a constant restitution to be admissible for an impact law, 0 ≤ e ≤ 1.
    pub fn require_admissible(
        &self,
        part: &str,
        key: &str,
        formula: &Formula,
        restitution: NodeId,
    ) -> Result<(), Box<InputError>> {
        let graph = &self.names.graph;
        // One that depends on the state is checked when it is evaluated.
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
}
