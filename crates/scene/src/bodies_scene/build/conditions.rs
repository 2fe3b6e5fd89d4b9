//! Conditions of a stage: laws, gravity, prescribed motions, forces, drag.

use percuss_bodies::{Body, Drag, ForceField, Freedom, Model, PrescribedMotion, Vector};

use super::body_table::BodyTable;
use super::context::{Context, at};
use super::load::{self, Target};
use super::scene_dim::SceneDim;
use super::{cell, laws, prescribed_motion as guide};
use crate::error::SceneError;
use percuss_input::InputError;
use percuss_input::tables::bodies::BodiesSpec;
use percuss_input::tables::bodies::spec::FreedomSpec;

/// Everything a model is made from that does not depend on parameter values.
pub(super) struct Conditions<'a> {
    spec: &'a BodiesSpec,
    /// By pair of materials, row-major: whether bodies of them can touch.
    meet: Vec<bool>,
    /// Members of each force field.
    fields: Vec<Vec<u32>>,
    /// Members of each drag.
    drags: Vec<Vec<u32>>,
}

impl<'a> Conditions<'a> {
    /// Finds out which materials can touch, and resolves names. `masks` has the velocity components of the bodies of
    /// `[[body]]` that follow forces in some stage.
    pub fn new<D: SceneDim>(
        context: &Context<'_>,
        spec: &'a BodiesSpec,
        roster: &BodyTable<D>,
        masks: &[u8],
    ) -> Result<Self, Box<InputError>> {
        let movable = |(i, body): (usize, &Body<D>)| match masks.get(i) {
            Some(mask) => *mask != 0,
            None => body.freedom.movable(),
        };
        // Force fields and drags that act on no movable body are refused.
        let mut fields = Vec::new();
        for field in &spec.fields {
            let part = format!("field {}", field.number);
            let place = at(&part, "bodies");
            let members = roster.all_members(context, place, field.bodies.as_deref())?;
            if !members
                .iter()
                .any(|&i| movable((i as usize, &roster.bodies[i as usize])))
            {
                let problem = "it does nothing: none of its bodies can move";
                return Err(context.part_error(&part, field.line, problem, ""));
            }
            fields.push(members);
        }
        let mut drags = Vec::new();
        for drag in &spec.drags {
            let part = format!("drag {}", drag.number);
            let place = at(&part, "bodies");
            let members = roster.all_members(context, place, drag.bodies.as_deref())?;
            if !members
                .iter()
                .any(|&i| movable((i as usize, &roster.bodies[i as usize])))
            {
                let problem = "it does nothing: none of its bodies can move";
                return Err(context.part_error(&part, drag.line, problem, ""));
            }
            drags.push(members);
        }
        Ok(Self {
            spec,
            meet: meet(spec.materials.len(), &roster.bodies, movable),
            fields,
            drags,
        })
    }

    /// The model with the parameters of the context; `freedoms` has the freedom of each body in this stage.
    pub fn model<D: SceneDim>(
        &self,
        context: &mut Context<'_>,
        roster: &BodyTable<D>,
        freedoms: &[Freedom],
        start: f64,
    ) -> Result<Model<D>, SceneError> {
        let count = self.spec.materials.len();
        let meet = |a: usize, b: usize| self.meet[a * count + b];
        let materials = laws::laws(context, self.spec, &meet)?;
        // Laws and gravity with the parameters of this stage.
        let gravity = match &self.spec.gravity {
            None => D::Vector::splat(0.0),
            Some(gravity) => {
                D::Vector::from_components(&context.numbers(at("[world]", "gravity"), gravity)?)
            }
        };
        let bodies: Vec<Body<D>> = roster
            .bodies
            .iter()
            .zip(freedoms)
            .map(|(body, freedom)| Body {
                freedom: *freedom,
                ..body.clone()
            })
            .collect();
        Ok(Model {
            materials,
            prescribed_motions: self.prescribed_motions(context, start)?,
            gravity,
            force_fields: self.loads(context, roster, &bodies)?,
            drag: self.drag(context, bodies.len())?,
            joints: Vec::new(),
            cell: cell::cell(context, self.spec, roster, start)?,
            bodies,
        })
    }

    fn prescribed_motions<D: SceneDim>(
        &self,
        context: &mut Context<'_>,
        start: f64,
    ) -> Result<Vec<Box<dyn PrescribedMotion<D>>>, SceneError> {
        let mut guides = Vec::new();
        for body in &self.spec.bodies {
            if let FreedomSpec::Motion(motions) = &body.freedom {
                guides.push(D::prescribed_motion(guide::compile_motion(
                    context, body, motions, start,
                )?));
            }
        }
        Ok(guides)
    }

    fn loads<D: SceneDim>(
        &self,
        context: &mut Context<'_>,
        roster: &BodyTable<D>,
        bodies: &[Body<D>],
    ) -> Result<Vec<Box<dyn ForceField<D>>>, Box<InputError>> {
        let mut all: Vec<Box<dyn ForceField<D>>> = Vec::new();
        // Forces given with a body.
        for (i, body) in self.spec.bodies.iter().enumerate() {
            let Some(spec) = &body.load else {
                continue;
            };
            let part = body.part();
            let point = match &spec.at {
                None => None,
                Some(point) => {
                    let placement = &roster.placements[i];
                    let point =
                        D::Vector::from_components(&context.numbers(at(&part, "at"), point)?);
                    // From the axes of the shape's description to body axes.
                    Some(D::rotate_back(
                        &placement.rotation,
                        point - placement.position,
                    ))
                }
            };
            let target = Target {
                members: movable(bodies, &[i as u32]),
                per_mass: false,
                at: point,
            };
            all.push(Box::new(load::load(context, &part, spec, target)?));
        }
        // Force fields on many bodies.
        for (field, members) in self.spec.fields.iter().zip(&self.fields) {
            let part = format!("field {}", field.number);
            let target = Target {
                members: movable(bodies, members),
                per_mass: field.per_mass,
                at: None,
            };
            all.push(Box::new(load::load(context, &part, &field.load, target)?));
        }
        Ok(all)
    }

    /// Drag coefficients by body; those of several tables add up.
    fn drag(&self, context: &mut Context<'_>, count: usize) -> Result<Vec<Drag>, Box<InputError>> {
        if self.spec.drags.is_empty() {
            return Ok(Vec::new());
        }
        // Sum over the tables, by body.
        let mut all = vec![Drag::default(); count];
        for (spec, members) in self.spec.drags.iter().zip(&self.drags) {
            let part = format!("drag {}", spec.number);
            let mut value = |key, formula: &Option<_>| match formula {
                None => Ok(0.0),
                Some(formula) => context.not_negative(at(&part, key), formula),
            };
            let translation = value("coefficient", &spec.coefficient)?;
            let rotation = value("spin_coefficient", &spec.spin_coefficient)?;
            for &i in members {
                all[i as usize].translation += translation;
                all[i as usize].rotation += rotation;
            }
        }
        Ok(all)
    }
}

/// The movable ones of some bodies.
fn movable<D: SceneDim>(bodies: &[Body<D>], members: &[u32]) -> Vec<u32> {
    let all = members.iter().copied();
    all.filter(|&i| bodies[i as usize].freedom.movable())
        .collect()
}

/// Which materials can touch: those of two bodies of which at least one is movable.
fn meet<D: SceneDim>(
    count: usize,
    bodies: &[Body<D>],
    movable: impl Fn((usize, &Body<D>)) -> bool,
) -> Vec<bool> {
    // Bodies and movable bodies by material.
    let (mut all, mut moving) = (vec![0_usize; count], vec![0_usize; count]);
    for (i, body) in bodies.iter().enumerate() {
        let material = usize::from(body.material);
        all[material] += 1;
        moving[material] += usize::from(movable((i, body)));
    }
    let pairs = (0..count).flat_map(|a| (0..count).map(move |b| (a, b)));
    pairs
        .map(|(a, b)| match a == b {
            true => all[a] >= 2 && moving[a] >= 1,
            false => (moving[a] >= 1 && all[b] >= 1) || (all[a] >= 1 && moving[b] >= 1),
        })
        .collect()
}
