//! Prescribed motions of kinematic bodies: expressions in t, and accelerograms (base excitation).
//!
//! ```text
//! x(t) = x_0 + Σ f_i(t),   R(t) = exp(θ(t) e) R_0,   v = ẋ,   Ω = Rᵀ θ̇ e
//! ```
//!
//! x_0, R_0 is the pose of the body when the stage began. f and θ are expressions in t, differentiated
//! symbolically, or twice integrated accelerograms.

use percuss_bodies::plane::Angle;
use percuss_bodies::{Plane, Pose, PrescribedMotion, Space, Vector};
use percuss_expr::{Graph, NodeId, Program, Scratch};
use percuss_generate::ground_motion::{Accelerogram, Drift, GroundMotion};

use super::context::{At, Clock, Context, at};
use super::data;
use super::scene_dim::{Quat, Vec2, Vec3};
use crate::error::SceneError;
use percuss_input::tables::Word;
use percuss_input::tables::bodies::spec::{BodySpec, MotionSpec, Name};
use percuss_input::{Formula, InputError};

/// The prescribed motion of one body.
#[derive(Debug)]
pub(super) struct ExpressionMotion {
    /// Displacement and angle, then their rates.
    program: Program,
    scratch: Scratch,
    out: [f64; 8],
    /// Axis of the rotation, in world axes.
    axis: Vec3,
    accelerograms: Vec<AccelerogramMotion>,
}

/// Ground motion along a direction.
#[derive(Debug)]
struct AccelerogramMotion {
    ground: GroundMotion,
    /// Unit direction times scale.
    direction: Vec3,
}

/// Displacement, angle, and their rates.
struct Offset {
    place: Vec3,
    angle: f64,
    velocity: Vec3,
    spin: f64,
}

impl ExpressionMotion {
    fn offset(&mut self, t: f64) -> Offset {
        let run = self.program.run(&[t], &mut self.scratch, &mut self.out);
        // One input and eight outputs always fit; if not, NaN is better than a wrong number: the
        // step reports it.
        if run.is_err() {
            self.out = [f64::NAN; 8];
        }
        let [x, y, z, angle, vx, vy, vz, spin] = self.out;
        let (mut place, mut velocity) = (Vec3::new(x, y, z), Vec3::new(vx, vy, vz));
        // Add the ground motion of every accelerogram.
        for shaken in &self.accelerograms {
            let ground = shaken.ground.at(t);
            place += shaken.direction * ground.x;
            velocity += shaken.direction * ground.v;
        }
        Offset {
            place,
            angle,
            velocity,
            spin,
        }
    }
}

impl PrescribedMotion<Plane> for ExpressionMotion {
    fn at(&mut self, anchor: &Pose<Plane>, t: f64) -> (Pose<Plane>, [f64; 3]) {
        let offset = self.offset(t);
        let pose = Pose {
            position: anchor.position + Vec2::new(offset.place.x, offset.place.y),
            rotation: Angle::new(anchor.rotation.angle() + offset.angle),
        };
        (pose, [offset.velocity.x, offset.velocity.y, offset.spin])
    }
}

impl PrescribedMotion<Space> for ExpressionMotion {
    fn at(&mut self, anchor: &Pose<Space>, t: f64) -> (Pose<Space>, [f64; 6]) {
        let offset = self.offset(t);
        // R(t) = exp(θ e) R_0; the spin in body axes.
        let turn = Quat::from_axis_angle(self.axis, offset.angle);
        let rotation = (turn * anchor.rotation).normalize();
        let (v, w) = (
            offset.velocity,
            rotation.conjugate() * (self.axis * offset.spin),
        );
        let pose = Pose {
            position: anchor.position + offset.place,
            rotation,
        };
        (pose, [v.x, v.y, v.z, w.x, w.y, w.z])
    }
}

/// Compiles the motion of a body; `start` is the time at which its stage begins.
pub(super) fn compile_motion(
    context: &mut Context<'_>,
    body: &BodySpec,
    motions: &[MotionSpec],
    start: f64,
) -> Result<ExpressionMotion, SceneError> {
    let part = format!("{}, motion", body.part());
    let mut clock = Clock::new(context)?;
    let mut nodes = [Graph::ZERO; 4];
    let (mut axis, mut shaken) = (Vec3::Z, Vec::new());
    // Sum of the parts: displacement by axis and angle.
    for motion in motions {
        match motion {
            MotionSpec::Expressions { offset, turn } => {
                for (i, formula) in offset.iter().enumerate() {
                    if let Some(formula) = formula {
                        let key = ["x", "y", "z"][i];
                        let node = parse(&mut clock, context, at(&part, key), formula, start)?;
                        nodes[i] = clock.graph.add(nodes[i], node);
                    }
                }
                if let Some((about, angle)) = turn {
                    if let Some(about) = about {
                        let e = context.direction(at(&part, "turn.axis"), about, "the axis")?;
                        axis = Vec3::from_components(&e);
                    }
                    let key = if about.is_some() {
                        "turn.angle"
                    } else {
                        "angle"
                    };
                    let node = parse(&mut clock, context, at(&part, key), angle, start)?;
                    nodes[3] = clock.graph.add(nodes[3], node);
                }
            }
            MotionSpec::Accelerogram { .. } => {
                shaken.extend(self::accelerogram_motion(context, &part, motion)?)
            }
        }
    }
    // Velocities are symbolic derivatives.
    let rates = nodes.map(|node| clock.graph.derivative(node, clock.time));
    let outputs: Vec<NodeId> = nodes.into_iter().chain(rates).collect();
    Ok(ExpressionMotion {
        program: Program::compile(&clock.graph, &outputs),
        scratch: Scratch::new(),
        out: [0.0; 8],
        axis,
        accelerograms: shaken,
    })
}

/// The part of a motion that is an accelerogram.
fn accelerogram_motion(
    context: &mut Context<'_>,
    part: &str,
    motion: &MotionSpec,
) -> Result<Option<AccelerogramMotion>, SceneError> {
    let MotionSpec::Accelerogram {
        file,
        direction,
        scale,
        drift,
    } = motion
    else {
        return Ok(None);
    };
    let ground = ground(context, part, file, drift.as_ref())?;
    let direction = context.direction(at(part, "direction"), direction, "`direction`")?;
    let scale = match scale {
        None => 1.0,
        Some(scale) => context.number(at(part, "scale"), scale)?,
    };
    let direction = Vec3::from_components(&direction) * scale;
    Ok(Some(AccelerogramMotion { ground, direction }))
}

/// Parses an expression in t whose value and rate at the start must be finite.
fn parse(
    clock: &mut Clock,
    context: &Context<'_>,
    place: At<'_>,
    formula: &Formula,
    start: f64,
) -> Result<NodeId, Box<InputError>> {
    let node = clock.parse(context, place, formula)?;
    let rate = clock.graph.derivative(node, clock.time);
    for (what, node) in [("value", node), ("rate", rate)] {
        let value = clock.graph.evaluate(node, &[start]).unwrap_or(f64::NAN);
        if !value.is_finite() {
            let problem =
                format!("its {what} at t = {start} is {value}; a finite number was expected");
            return Err(context.wrong(place, formula, problem, ""));
        }
    }
    Ok(node)
}

/// Reads the ground motion of a file.
fn ground(
    context: &Context<'_>,
    part: &str,
    file: &Name,
    drift: Option<&Word>,
) -> Result<GroundMotion, SceneError> {
    const DRIFTS: [(&str, Drift); 2] = [("remove", Drift::Remove), ("keep", Drift::Keep)];
    let place = at(part, "accelerogram");
    // Baseline correction by default.
    let drift = match drift {
        None => Drift::default(),
        Some(word) => context.word(at(part, "drift"), word, &DRIFTS)?,
    };
    let text = data::read_text(context, place, file)?;
    let record = Accelerogram::parse(&text);
    let record = record.map_err(|error| context.wrong(place, file, error.to_string(), ""))?;
    Ok(GroundMotion::new(&record, drift))
}
