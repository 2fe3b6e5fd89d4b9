//! Building a scene of bodies: from specifications with expressions to a model, an initial state and settings.
//!
//! Shapes, masses and poses are made once, with the parameters of the run. What a preparation
//! may change is made for each of them: laws, gravity, prescribed motions, forces, drag.
//!
//! `body_table` holds all bodies, `body`, `form`, `balance` and `zero_inertia` make one of them, `generators` and
//! `structure` call the generators; `conditions` makes the model of a stage with `laws`, `prescribed_motion`, `load`
//! (forces) and `cell`; `joint` makes joints; `scene_names`, `ambiguous_names`, `case` and `survey` make names, load
//! cases and statistics; `settings` and `prepare` evaluate `[run]` and `[[prepare]]`; `scene_dim`, `plane` and `space`
//! have what depends on the dimension; `context` evaluates expressions, `data` reads files, `pictures` checks
//! `[[picture]]`, `environment` makes laws and gravity alone.

mod ambiguous_names;
mod balance;
mod body;
mod body_table;
mod case;
mod cell;
mod conditions;
mod context;
mod data;
pub(crate) mod environment;
mod form;
mod generators;
mod joint;
mod laws;
mod load;
mod pictures;
mod plane;
mod prepare;
mod prescribed_motion;
mod scene_dim;
mod scene_names;
mod settings;
mod space;
mod structure;
mod survey;
mod zero_inertia;

use percuss_bodies::{Model, Plane, Space, State};

use super::{BodiesSetup, BuiltBodies, Preparation};
use crate::error::SceneError;
use crate::file::Scene;
use percuss_input::tables::bodies::BodiesSpec;
use percuss_input::tables::bodies::spec::FreedomSpec;

use body_table::BodyTable;
use conditions::Conditions;
use context::{Context, Sources};
use scene_dim::SceneDim;

/// Builds the bodies of a scene.
pub fn build(scene: &Scene, spec: &BodiesSpec) -> Result<BuiltBodies, SceneError> {
    spec.require_text(scene.origin())?;
    match spec.dimension {
        2 => assembly::<Plane>(scene, spec).map(BuiltBodies::Plane),
        _ => assembly::<Space>(scene, spec).map(BuiltBodies::Space),
    }
}

/// Makes the joints, assembled at the poses of the first stage.
fn join<D: SceneDim>(
    context: &mut Context<'_>,
    spec: &BodiesSpec,
    roster: &BodyTable<D>,
    (model, prepare): (&mut Model<D>, &mut [Preparation<D>]),
    start: f64,
) -> Result<(), SceneError> {
    if spec.joints.is_empty() {
        return Ok(());
    }
    // Joints are assembled where the bodies are when the first stage begins.
    let poses = match prepare.first_mut() {
        Some(first) => joint::places(roster, &mut first.model, 0.0),
        None => joint::places(roster, model, start),
    };
    model.joints = joint::joints(context, &spec.joints, roster, &poses, start)?;
    for preparation in prepare {
        preparation.model.joints = joint::joints(context, &spec.joints, roster, &poses, 0.0)?;
    }
    Ok(())
}

fn assembly<D: SceneDim>(scene: &Scene, spec: &BodiesSpec) -> Result<BodiesSetup<D>, SceneError> {
    // Data files and seeds are recorded while the scene is built.
    let sources = Sources {
        folder: scene.folder().into(),
        ..Sources::default()
    };
    let mut context = Context {
        file: scene.origin(),
        parameters: scene.resolved(),
        sources: &sources,
    };
    // Settings, the table of bodies, names and statistics.
    let schedule = settings::schedule(&mut context, &spec.run)?;
    let masks = prepare::masks(&context, spec)?;
    let mut roster: BodyTable<D> = BodyTable::new(&mut context, spec, &masks)?;
    let mut cast = scene_names::scene_names(&mut context, spec, &mut roster, schedule.start)?;
    let span = (schedule.start, schedule.until);
    survey::add(&mut context, scene, spec, &mut cast, span)?;
    cast.record = settings::recorded(&mut context, &spec.run, &roster, span)?;
    ambiguous_names::require_distinct(&context, spec, &cast)?;
    pictures::check(&mut context, spec)?;
    // One model per stage: preparations, then the run.
    let conditions = Conditions::new(&context, spec, &roster, &masks)?;
    let mut prepare =
        prepare::preparations(&context, spec, &roster, &conditions, &schedule.settings)?;
    let freedoms: Vec<_> = roster.bodies.iter().map(|body| body.freedom).collect();
    let mut model = conditions.model(&mut context, &roster, &freedoms, schedule.start)?;
    let models = (&mut model, &mut prepare[..]);
    join(&mut context, spec, &roster, models, schedule.start)?;
    // Zero and very small moments of inertia.
    zero_inertia::require_inertia(&context, spec, &roster, &model)?;
    zero_inertia::raise_small_moments(&mut model);
    for preparation in &mut prepare {
        zero_inertia::raise_small_moments(&mut preparation.model);
    }
    // Poses that prescribed motions are relative to.
    let guided = spec.bodies.iter().zip(&roster.poses);
    let guided = guided.filter(|(body, _)| matches!(body.freedom, FreedomSpec::Motion(_)));
    let anchors = guided.map(|(_, pose)| *pose).collect();
    Ok(BodiesSetup {
        model,
        state: State {
            t: schedule.start,
            poses: roster.poses,
            velocities: roster.velocities,
            kinematic_origins: anchors,
            contacts: Vec::new(),
            cell: cell::lattice(&mut context, spec)?,
        },
        settings: schedule.settings,
        event_driven: schedule.event_driven,
        prepare,
        names: cast,
        start: schedule.start,
        until: schedule.until,
        record_every: schedule.record_every,
        overlap: schedule.overlap,
        bounds: schedule.bounds,
        stop: spec.run.stop.clone(),
        files: sources.files.take(),
        seed: sources.seeds.borrow().first().copied(),
    })
}
