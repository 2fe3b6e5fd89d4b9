//! Compiles the `[[drawing]]` entries of a scene to items that can be evaluated at a state.

use percuss_input::{expression_error, value_error};
use percuss_mechanism::System;
use percuss_scene::file::{DrawingShapeSpec, DrawingSpec, OverSpec, PointSpec};
use percuss_scene::symbolic::{DrawingProgram, DrawingProgramError};
use percuss_scene::{Formula, InputError, Scene, SceneError, SymbolicSystem};

use super::default_items as default;
use super::drawing_data::Kind;

/// Number of points of a fixed curve, and of a moving one.
const CURVE: [usize; 2] = [401, 73];

/// Number of points along each parameter of a fixed surface, and of a moving one.
const SURFACE: [usize; 2] = [33, 13];

/// One compiled item: its expressions and the sampled parameters.
pub(super) struct CompiledItem<'a> {
    pub spec: &'a DrawingSpec,
    pub dimension: usize,
    pub kind: Kind,
    pub sketch: DrawingProgram,
    /// Parameter values of a curve or surface, point by point.
    pub samples: Vec<[f64; 2]>,
    pub grid: Option<[usize; 2]>,
    pub radius: Option<f64>,
    pub width: f64,
    pub contacts: Vec<String>,
}

impl CompiledItem<'_> {
    /// Number of coordinates of its points in one state; 0 for a fixed item.
    pub fn numbers(&self) -> usize {
        if matches!(self.spec.shape, DrawingShapeSpec::Set) {
            return super::moving_set::WEIGHT;
        }
        if self.sketch.is_constant() {
            return 0;
        }
        let points = match &self.spec.shape {
            DrawingShapeSpec::Link(all)
            | DrawingShapeSpec::Obstacle(all)
            | DrawingShapeSpec::Tip { at: all, .. } => all.len(),
            DrawingShapeSpec::Half { .. } => 4,
            DrawingShapeSpec::Round { .. } | DrawingShapeSpec::Trace(_) => 1,
            DrawingShapeSpec::Curve { .. } | DrawingShapeSpec::Surface { .. } => self.samples.len(),
            DrawingShapeSpec::Spring(_) => super::evaluated_items::SPRING,
            DrawingShapeSpec::Set => 0,
        };
        points * self.dimension
    }
}

/// Compiles the drawing of a scene, if it has one.
///
/// # Errors
/// The first expression that does not compile, a value that is not a number, or an unknown contact.
pub fn check_drawings(scene: &Scene, system: &mut SymbolicSystem) -> Result<(), SceneError> {
    let Some(mechanism) = scene.mechanism() else {
        return Ok(());
    };
    compile(scene, &default::specs(mechanism), system).map(drop)
}

/// Compiles all items.
pub(super) fn compile<'a>(
    scene: &Scene,
    specs: &'a [DrawingSpec],
    system: &mut SymbolicSystem,
) -> Result<Vec<CompiledItem<'a>>, SceneError> {
    let each = specs.iter().map(|spec| {
        let compiler = Compiler { scene, spec };
        compiler.thing(system)
    });
    each.collect()
}

struct Compiler<'s, 'a> {
    scene: &'s Scene,
    spec: &'a DrawingSpec,
}

impl<'a> Compiler<'_, 'a> {
    fn thing(&self, system: &mut SymbolicSystem) -> Result<CompiledItem<'a>, SceneError> {
        let spec = self.spec;
        let (formulas, overs) = self.formulas();
        let sketch = self.sketch(system, &formulas, &overs)?;
        // A moving item gets fewer sample points.
        let moving = usize::from(!sketch.is_constant());
        let radius = match &spec.shape {
            DrawingShapeSpec::Tip { radius, .. } => radius.as_ref(),
            DrawingShapeSpec::Round { radius, .. } => Some(radius),
            _ => None,
        };
        let radius = radius.map(|r| self.positive("radius", r)).transpose()?;
        let width = match &spec.width {
            Some(width) => self.positive("width", width)?,
            None => usual_width(&spec.shape),
        };
        // Sample points of the parameters.
        let spans: Result<Vec<(f64, f64)>, SceneError> =
            overs.iter().map(|over| self.span(over)).collect();
        let (samples, grid) = samples(&spans?, moving);
        Ok(CompiledItem {
            spec,
            dimension: spec.shape.dimension(),
            kind: kind(&spec.shape, sketch.is_still()),
            sketch,
            samples,
            grid,
            radius,
            width,
            contacts: self.contacts(system)?,
        })
    }

    /// All expressions of the shape, and the parameters of a curve or surface.
    fn formulas(&self) -> (Vec<&'a Formula>, Vec<&'a OverSpec>) {
        let flat = |all: &'a [PointSpec]| all.iter().flatten().collect::<Vec<_>>();
        match &self.spec.shape {
            DrawingShapeSpec::Link(all) | DrawingShapeSpec::Obstacle(all) => {
                (flat(all), Vec::new())
            }
            DrawingShapeSpec::Tip { at, angle, .. } => {
                (flat(at).into_iter().chain(angle).collect(), Vec::new())
            }
            DrawingShapeSpec::Half { at, normal } => {
                (at.iter().chain(normal).collect(), Vec::new())
            }
            DrawingShapeSpec::Round { at, .. } | DrawingShapeSpec::Trace(at) => {
                (at.iter().collect(), Vec::new())
            }
            DrawingShapeSpec::Spring(ends) => (flat(ends), Vec::new()),
            DrawingShapeSpec::Curve { point, over } => (point.iter().collect(), vec![over]),
            DrawingShapeSpec::Surface { point, over } => {
                (point.iter().collect(), over.iter().collect())
            }
            DrawingShapeSpec::Set => (Vec::new(), Vec::new()),
        }
    }

    fn sketch(
        &self,
        system: &mut SymbolicSystem,
        formulas: &[&Formula],
        overs: &[&OverSpec],
    ) -> Result<DrawingProgram, SceneError> {
        let texts: Vec<&str> = formulas.iter().map(|f| f.text.as_str()).collect();
        let names: Vec<&str> = overs.iter().map(|o| o.name.as_str()).collect();
        let (file, part, key) = (self.scene.origin(), &self.spec.part, self.spec.key);
        let sketch = system.drawing_program(&texts, &names);
        // Report the expression, or the parameter, at fault.
        sketch.map_err(|(place, error)| {
            let formula = place.and_then(|place| formulas.get(place));
            let error: Box<InputError> = match (formula, error) {
                (Some(formula), DrawingProgramError::Expression(error)) => {
                    expression_error(file, part, key, formula, &error)
                }
                (Some(formula), DrawingProgramError::Force) => {
                    let problem = "forces are not known where a drawing is made";
                    let advice = "Use coordinates, velocities, definitions, parameters and t";
                    value_error(file, part, key, formula, problem, advice)
                }
                (None, DrawingProgramError::Expression(error)) => {
                    let line = overs.first().map_or(self.spec.line, |over| over.line);
                    let over = Formula::at_line(names.join(", "), line);
                    let advice = "Choose another name for the parameter";
                    let problem = error.kind().to_string();
                    value_error(file, part, "over", &over, problem, advice)
                }
                (None, DrawingProgramError::Force) => {
                    let none = Formula::at_line("", self.spec.line);
                    value_error(file, part, key, &none, "forces are not known here", "")
                }
            };
            error.into()
        })
    }

    /// A positive number from an expression of the parameters.
    fn positive(&self, key: &str, formula: &Formula) -> Result<f64, SceneError> {
        let value = self.scene.evaluate(&self.spec.part, key, formula)?;
        if value > 0.0 {
            return Ok(value);
        }
        let problem = format!("a positive number was expected, not {value}");
        let (file, part) = (self.scene.origin(), &self.spec.part);
        Err(value_error(file, part, key, formula, problem, "").into())
    }

    fn span(&self, over: &OverSpec) -> Result<(f64, f64), SceneError> {
        let end = |formula: &Formula| self.scene.evaluate(&self.spec.part, "over", formula);
        let (from, to) = (end(&over.from)?, end(&over.to)?);
        if from < to {
            return Ok((from, to));
        }
        let problem = format!("`{}`: the interval from {from} to {to} is empty", over.name);
        let (file, part) = (self.scene.origin(), &self.spec.part);
        let advice = "The first end must be below the second";
        Err(value_error(file, part, "over", &over.from, problem, advice).into())
    }

    fn contacts(&self, system: &SymbolicSystem) -> Result<Vec<String>, SceneError> {
        let known: Vec<String> = system
            .constraints()
            .iter()
            .map(|c| c.name.clone())
            .collect();
        // Contacts must exist; the error suggests the nearest name.
        for formula in &self.spec.contacts {
            if known.contains(&formula.text) {
                continue;
            }
            let guess = match percuss_expr::similar_names(&formula.text, &known).first() {
                Some(nearest) => format!("; did you mean `{nearest}`?"),
                None => String::new(),
            };
            let listed = match known.is_empty() {
                true => "the scene has none".to_string(),
                false => format!("there is {}", known.join(", ")),
            };
            let problem = format!("there is no such contact or joint{guess} ({listed})");
            let (file, part) = (self.scene.origin(), &self.spec.part);
            return Err(value_error(file, part, "contact", formula, problem, "").into());
        }
        Ok(self.spec.contacts.iter().map(|f| f.text.clone()).collect())
    }
}

fn kind(shape: &DrawingShapeSpec, still: bool) -> Kind {
    match shape {
        DrawingShapeSpec::Link(_) | DrawingShapeSpec::Spring(_) => Kind::Link,
        DrawingShapeSpec::Tip { radius: None, .. } => Kind::Tip,
        DrawingShapeSpec::Tip { .. } => Kind::Disc,
        DrawingShapeSpec::Obstacle(_)
        | DrawingShapeSpec::Half { .. }
        | DrawingShapeSpec::Round { .. } => Kind::Obstacle,
        // A curve that depends on no coordinate is an obstacle.
        DrawingShapeSpec::Curve { .. } if still => Kind::Obstacle,
        DrawingShapeSpec::Curve { .. } => Kind::Link,
        DrawingShapeSpec::Surface { .. } => Kind::Surface,
        DrawingShapeSpec::Trace(_) => Kind::Trace,
        DrawingShapeSpec::Set => Kind::Set,
    }
}

/// Default line width in pixels.
fn usual_width(shape: &DrawingShapeSpec) -> f64 {
    match shape {
        DrawingShapeSpec::Link(_) => 3.0,
        DrawingShapeSpec::Trace(_) | DrawingShapeSpec::Spring(_) | DrawingShapeSpec::Set => 1.5,
        DrawingShapeSpec::Surface { .. } => 0.75,
        _ => 2.0,
    }
}

/// Sampled parameter values; the last parameter varies fastest.
fn samples(spans: &[(f64, f64)], moving: usize) -> (Vec<[f64; 2]>, Option<[usize; 2]>) {
    let along = |(from, to): (f64, f64), count: usize| {
        (0..count).map(move |k| from + (to - from) * k as f64 / (count - 1) as f64)
    };
    match spans {
        [one] => (along(*one, CURVE[moving]).map(|u| [u, 0.0]).collect(), None),
        [one, two] => {
            let count = SURFACE[moving];
            let rows = along(*one, count).flat_map(|u| along(*two, count).map(move |w| [u, w]));
            (rows.collect(), Some([count, count]))
        }
        _ => (Vec::new(), None),
    }
}
