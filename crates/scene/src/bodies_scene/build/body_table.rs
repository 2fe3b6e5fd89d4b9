//! Body table: all bodies with their names, and the groups of them.

use std::collections::HashMap;

use percuss_bodies::{Body, Dim, Freedom, MassProperties, Pose};
use percuss_generate::GeneratedBody;

use super::body::{self, Made};
use super::context::{At, Context, at};
use super::scene_dim::SceneDim;
use super::{cell, generators, laws, structure};
use crate::error::SceneError;
use percuss_input::InputError;
use percuss_input::tables::bodies::BodiesSpec;
use percuss_input::tables::bodies::generators::GeneratorSpec;
use percuss_input::tables::bodies::spec::{FreedomSpec, Name};

/// The bodies in order: those of `[[body]]`, then those of the generators in the order of the file.
pub(super) struct BodyTable<D: Dim> {
    pub names: Vec<String>,
    pub bodies: Vec<Body<D>>,
    pub poses: Vec<Pose<D>>,
    pub velocities: Vec<D::Dofs>,
    /// For the bodies of `[[body]]`: the pose of the body axes in the axes of the shape's description.
    pub placements: Vec<Pose<D>>,
    /// Spin components without moment of inertia: body and component.
    pub weightless: Vec<(u32, usize)>,
    /// Groups, name and members in ascending order: of generators, then of `[[group]]`.
    pub groups: Vec<(String, Vec<u32>)>,
    /// By body: whether it follows forces in some stage.
    movable: Vec<bool>,
    /// What each name refers to.
    known: HashMap<String, Known>,
}

/// What a name refers to, and its line.
#[derive(Clone, Copy)]
enum Known {
    Body(u32, usize),
    Group(usize, usize),
    Region(usize),
    Joint(usize),
}

/// Largest number of bodies: their indices have 32 bits.
const MOST: usize = u32::MAX as usize;

impl<D: SceneDim> BodyTable<D> {
    /// Makes all bodies. `masks` has for each body of `[[body]]` the velocity components that follow
    /// forces in some stage.
    pub fn new(
        context: &mut Context<'_>,
        spec: &BodiesSpec,
        masks: &[u8],
    ) -> Result<Self, SceneError> {
        let mut roster = Self {
            names: Vec::new(),
            bodies: Vec::new(),
            poses: Vec::new(),
            velocities: Vec::new(),
            placements: Vec::new(),
            weightless: Vec::new(),
            groups: Vec::new(),
            movable: Vec::new(),
            known: HashMap::new(),
        };
        // Prescribed motions are numbered in the order of their bodies.
        let mut guides = 0;
        for (one, mask) in spec.bodies.iter().zip(masks) {
            // Bodies of `[[body]]` first.
            let made: Made<D> = body::body(context, spec, one, *mask, guides)?;
            guides += u32::from(matches!(one.freedom, FreedomSpec::Motion(_)));
            roster.placements.push(made.placement);
            let number = roster.names.len() as u32;
            let spins = (0..3).filter(|k| made.weightless >> k & 1 == 1);
            roster.weightless.extend(spins.map(|k| (number, k)));
            roster.push(context, &one.part(), one.name.clone(), one.line, made)?;
        }
        // Then the bodies of generators, and the groups of both.
        for many in &spec.generators {
            roster.generate(context, spec, many)?;
        }
        roster.group(context, spec)?;
        let each = roster.bodies.iter().enumerate();
        roster.movable = each
            .map(|(i, body)| {
                masks
                    .get(i)
                    .map_or(body.freedom.movable(), |mask| *mask != 0)
            })
            .collect();
        Ok(roster)
    }

    fn push(
        &mut self,
        context: &Context<'_>,
        part: &str,
        name: String,
        line: usize,
        made: Made<D>,
    ) -> Result<(), Box<InputError>> {
        if self.names.len() >= MOST {
            let problem = format!("there are more than {MOST} bodies");
            return Err(context.part_error(part, line, problem, "Use fewer"));
        }
        let number = self.names.len() as u32;
        self.register(context, part, &name, Known::Body(number, line), line)?;
        self.names.push(name);
        self.bodies.push(made.body);
        self.poses.push(made.pose);
        self.velocities.push(made.velocity);
        Ok(())
    }

    /// Registers a name, which must be unique.
    fn register(
        &mut self,
        context: &Context<'_>,
        part: &str,
        name: &str,
        known: Known,
        line: usize,
    ) -> Result<(), Box<InputError>> {
        // Bodies, groups, regions and joints share one name space.
        let Some(other) = self.known.insert(name.to_string(), known) else {
            return Ok(());
        };
        let (what, first) = match other {
            Known::Body(_, line) => ("a body", line),
            Known::Group(_, line) => ("a group", line),
            Known::Region(line) => ("a region", line),
            Known::Joint(line) => ("a joint", line),
        };
        let problem = format!("`{name}` is already the name of {what}, given on line {first}");
        Err(context.part_error(part, line, problem, "Give each its own name"))
    }

    /// Adds the bodies of a generator and their group.
    fn generate(
        &mut self,
        context: &mut Context<'_>,
        spec: &BodiesSpec,
        many: &GeneratorSpec,
    ) -> Result<(), SceneError> {
        let part = many.part();
        let material = laws::material(context, spec, at(&part, "material"), &many.material)?;
        // Density: of the generator, else of its material.
        let density = match (&many.density, spec.materials.get(usize::from(material))) {
            (Some(density), _) => Some(context.positive(at(&part, "density"), density)?),
            (None, Some(of)) => match &of.density {
                None => None,
                Some(density) => {
                    let of = format!("material `{}`", of.name);
                    Some(context.positive(at(&of, "density"), density)?)
                }
            },
            (None, None) => None,
        };
        if density.is_none() && !many.fixed {
            let name = &many.material.text;
            let problem = format!("there is no `density`, and the material `{name}` has none");
            let advice = "Give one of them";
            return Err(context.part_error(&part, many.line, problem, advice).into());
        }
        // Common initial velocity.
        let velocity = match &many.velocity {
            None => Vec::new(),
            Some(velocity) => context.numbers(at(&part, "velocity"), velocity)?,
        };
        let first = self.names.len();
        let lattice = cell::lattice(context, spec)?;
        let pieces = generators::pieces::<D>(context, many, lattice)?;
        let springers = structure::springers(context, many, pieces.len())?;
        // Bodies `NAME_1`, `NAME_2`, …; springers may be fixed.
        for (index, piece) in pieces.into_iter().enumerate() {
            let held = many.fixed || springers.binary_search(&index).is_ok();
            let made = placed(piece, material, density, (!held).then_some(&velocity));
            let name = format!("{}_{}", many.name, index + 1);
            self.push(context, &part, name, many.line, made)?;
        }
        let members = (first as u32..self.names.len() as u32).collect();
        self.add_group(context, &part, &many.name, many.line, members)?;
        Ok(())
    }

    fn add_group(
        &mut self,
        context: &Context<'_>,
        part: &str,
        name: &str,
        line: usize,
        members: Vec<u32>,
    ) -> Result<(), Box<InputError>> {
        let known = Known::Group(self.groups.len(), line);
        self.register(context, part, name, known, line)?;
        self.groups.push((name.to_string(), members));
        Ok(())
    }

    /// Resolves `[[group]]`: groups may name each other in any order, but not in a cycle.
    fn group(&mut self, context: &Context<'_>, spec: &BodiesSpec) -> Result<(), Box<InputError>> {
        let first = self.groups.len();
        for group in &spec.groups {
            let part = format!("group `{}`", group.name);
            self.add_group(context, &part, &group.name, group.line, Vec::new())?;
        }
        // Register all names first, since groups may refer to later ones.
        let mut done = vec![false; spec.groups.len()];
        for at in 0..spec.groups.len() {
            self.collect(context, spec, first, at, &mut done)?;
        }
        Ok(())
    }

    /// Collects the members of a group after those of the groups it names: depth-first search with an explicit
    /// stack of (group, next name).
    fn collect(
        &mut self,
        context: &Context<'_>,
        spec: &BodiesSpec,
        first: usize,
        group: usize,
        done: &mut [bool],
    ) -> Result<(), Box<InputError>> {
        // The stack is the path from the group asked for.
        let mut way = vec![(group, 0)];
        while let Some(&mut (group, ref mut next)) = way.last_mut() {
            let of = &spec.groups[group];
            let Some(name) = of.bodies.get(*next).filter(|_| !done[group]) else {
                done[group] = true;
                let members = &mut self.groups[first + group].1;
                members.sort_unstable();
                members.dedup();
                way.pop();
                continue;
            };
            let part = format!("group `{}`", of.name);
            let place = at(&part, "bodies");
            match self.known.get(&name.text) {
                Some(Known::Body(number, _)) => {
                    self.groups[first + group].1.push(*number);
                    *next += 1;
                }
                Some(&Known::Group(other, _)) if other < first || done[other - first] => {
                    let members = self.groups[other].1.clone();
                    self.groups[first + group].1.extend(members);
                    *next += 1;
                }
                Some(&Known::Group(other, _)) => {
                    if way.iter().any(|(group, _)| *group == other - first) {
                        let problem = format!("`{}` has itself as a member", name.text);
                        return Err(context.wrong(place, name, problem, "Groups cannot be rings"));
                    }
                    way.push((other - first, 0));
                }
                _ => return Err(self.unknown(context, place, name, "body or group")),
            }
        }
        Ok(())
    }

    /// Registers the name of a region.
    pub fn region(
        &mut self,
        context: &Context<'_>,
        part: &str,
        name: &str,
        line: usize,
    ) -> Result<(), Box<InputError>> {
        self.register(context, part, name, Known::Region(line), line)
    }

    /// Registers the name of a joint.
    pub fn joint(
        &mut self,
        context: &Context<'_>,
        part: &str,
        name: &str,
        line: usize,
    ) -> Result<(), Box<InputError>> {
        self.register(context, part, name, Known::Joint(line), line)
    }

    /// Whether a body follows forces in some stage.
    pub fn moves(&self, body: u32) -> bool {
        self.movable.get(body as usize).copied().unwrap_or(false)
    }

    /// The index of a body.
    pub fn body(
        &self,
        context: &Context<'_>,
        at: At<'_>,
        name: &Name,
    ) -> Result<u32, Box<InputError>> {
        match self.known.get(&name.text) {
            Some(Known::Body(number, _)) => Ok(*number),
            _ => Err(self.unknown(context, at, name, "body")),
        }
    }

    /// Bodies by the name of one or of a group, in ascending order.
    pub fn members(
        &self,
        context: &Context<'_>,
        at: At<'_>,
        name: &Name,
    ) -> Result<Vec<u32>, Box<InputError>> {
        match self.known.get(&name.text) {
            Some(Known::Body(number, _)) => Ok(vec![*number]),
            Some(Known::Group(group, _)) => Ok(self.groups[*group].1.clone()),
            _ => Err(self.unknown(context, at, name, "body or group")),
        }
    }

    /// Bodies of several names; all bodies where none is given.
    pub fn all_members(
        &self,
        context: &Context<'_>,
        at: At<'_>,
        names: Option<&[Name]>,
    ) -> Result<Vec<u32>, Box<InputError>> {
        let Some(names) = names else {
            return Ok((0..self.names.len() as u32).collect());
        };
        let mut all = Vec::new();
        for name in names {
            all.extend(self.members(context, at, name)?);
        }
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    fn unknown(
        &self,
        context: &Context<'_>,
        at: At<'_>,
        name: &Name,
        word: &str,
    ) -> Box<InputError> {
        /// Largest number of names searched for a similar one.
        const SEARCHED: usize = 10_000;
        let groups = self.groups.iter().map(|(name, _)| name);
        let groups = groups.take(if word == "body" { 0 } else { usize::MAX });
        let bodies = self.names.iter().take(SEARCHED);
        let mut known = bodies.chain(groups).cloned();
        context.unknown(at, name, word, &mut known)
    }
}

/// A body of a generator; fixed without a velocity.
fn placed<D: SceneDim>(
    piece: GeneratedBody<D>,
    material: u16,
    density: Option<f64>,
    velocity: Option<&Vec<f64>>,
) -> Made<D> {
    let mass = density.and_then(|density| D::mass_properties(&piece.shape, density));
    Made {
        body: Body {
            mass: mass.unwrap_or(MassProperties {
                mass: 0.0,
                inertia: D::inertia(&[0.0; 3]),
            }),
            shape: piece.shape,
            material,
            freedom: match velocity {
                None => Freedom::Fixed,
                Some(_) => Freedom::Free,
            },
        },
        velocity: velocity.map_or(D::ZERO_VELOCITY, |v| {
            D::velocity(&piece.pose.rotation, v, &[])
        }),
        placement: piece.pose,
        pose: piece.pose,
        weightless: 0,
    }
}
