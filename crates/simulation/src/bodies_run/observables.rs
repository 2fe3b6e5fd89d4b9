//! Observables, compiled once and evaluated at every step.
//!
//! All texts share one program; a quantity that several of them use is computed once. Only
//! requested quantities cost time: those of named bodies a few numbers each, those of sets a pass
//! over the members, contact forces one pass over the contacts.

use percuss_bodies::{Plane, Space, World};
use percuss_expr::{ErrorKind, Graph, NodeId, Program, Scope, Scratch};
use percuss_record::WorldRef;
use percuss_scene::bodies_scene::NameTable;
use percuss_scene::bodies_scene::names::quantity::{BodyQuantity, Quantity, SetQuantity};
use serde::{Deserialize, Serialize};

use super::contact_tally::ContactTally;
use super::granular::GranularMeasures;
use super::observed_dim::ObservedDim;
use super::sets::BodySet;
use super::totals::Totals;
use super::touching_pairs::TouchingPairs;
use crate::text_error::TextError;

/// Largest number of distinct names in one text.
const NAMES: usize = 10_000;

/// Compiled observables of one run.
#[derive(Debug)]
pub struct Observables {
    program: Program,
    scratch: Scratch,
    /// The quantity of each input of the program.
    quantities: Vec<Quantity>,
    inputs: Vec<f64>,
    outputs: Vec<f64>,
    look: ObservableInputs,
}

/// What is kept from step to step; everything else is computed anew at every step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ObservablesCheckpoint {
    totals: Totals,
    origin: Vec<(u32, [f64; 3])>,
    first: Vec<Vec<[u32; 2]>>,
    begun: bool,
}

/// The data from which quantities are evaluated.
#[derive(Debug)]
pub(super) struct ObservableInputs {
    /// The requested sets, by number.
    pub sets: Vec<(usize, BodySet)>,
    pub tally: ContactTally,
    pub totals: Totals,
    pub grains: GranularMeasures,
    /// Initial positions, by body; only for bodies whose displacement is requested.
    pub origin: Vec<(u32, [f64; 3])>,
    /// Pairs of each set that touched at the start.
    pub first: Vec<Vec<[u32; 2]>>,
    /// Numbers of pairs of each set that touch now, and of initial pairs that have opened.
    pub joints: Vec<(usize, usize)>,
    plane: Option<TouchingPairs<Plane>>,
    space: Option<TouchingPairs<Space>>,
    displaced: Vec<u32>,
    begun: bool,
}

impl Observables {
    /// Compiles texts into one program.
    ///
    /// # Errors
    /// Which text is wrong, and what is wrong with it.
    pub fn compile<T: AsRef<str>>(
        glossary: &NameTable<'_>,
        texts: &[T],
    ) -> Result<Self, (usize, TextError)> {
        let mut names = Names::new(glossary).map_err(|error| (0, error))?;
        let mut nodes = Vec::with_capacity(texts.len());
        // One graph for all texts.
        for (at, text) in texts.iter().enumerate() {
            let node = names.parse(text.as_ref()).map_err(|error| (at, error))?;
            nodes.push(node);
        }
        let Names {
            graph, quantities, ..
        } = names;
        let look = ObservableInputs::of(&quantities, glossary);
        let look = look.map_err(|problem| (0, TextError::new(0, 1, problem)))?;
        Ok(Self {
            program: Program::compile(&graph, &nodes),
            scratch: Scratch::new(),
            inputs: vec![0.0; quantities.len()],
            outputs: vec![f64::NAN; nodes.len()],
            quantities,
            look,
        })
    }

    /// Values of all texts at the end of a step. Every step must be given, the start first. NaN
    /// where there is no value (the mean of no bodies, the logarithm of a negative number).
    pub fn evaluate(&mut self, view: WorldRef<'_>) -> &[f64] {
        match view {
            WorldRef::Plane(world) => {
                // The detector of touching pairs is taken out while the rest is borrowed.
                let mut joints = self.look.plane.take();
                self.read_world(world, &mut joints);
                self.look.plane = joints;
            }
            WorldRef::Space(world) => {
                let mut joints = self.look.space.take();
                self.read_world(world, &mut joints);
                self.look.space = joints;
            }
        }
        &self.outputs
    }

    /// State for a checkpoint.
    pub fn checkpoint(&self) -> ObservablesCheckpoint {
        let look = &self.look;
        ObservablesCheckpoint {
            totals: look.totals,
            origin: look.origin.clone(),
            first: look.first.clone(),
            begun: look.begun,
        }
    }

    /// Restores the state of a checkpoint.
    pub fn restore(&mut self, memory: ObservablesCheckpoint) {
        let look = &mut self.look;
        (look.totals, look.begun) = (memory.totals, memory.begun);
        (look.origin, look.first) = (memory.origin, memory.first);
    }

    /// Evaluates the inputs of the program, then the program.
    fn read_world<D: ObservedDim>(
        &mut self,
        world: &World<D>,
        joints: &mut Option<TouchingPairs<D>>,
    ) {
        self.look.update(world, joints, &self.quantities);
        for (input, quantity) in self.inputs.iter_mut().zip(&self.quantities) {
            *input = self.look.value(world, *quantity);
        }
        let run = self
            .program
            .run(&self.inputs, &mut self.scratch, &mut self.outputs);
        // An expression that fails has no value.
        if run.is_err() {
            self.outputs.fill(f64::NAN);
        }
    }
}

impl ObservableInputs {
    /// Requests from sets, contact tally and granular measures what the quantities need.
    fn of(quantities: &[Quantity], glossary: &NameTable<'_>) -> Result<Self, String> {
        let cast = glossary.names;
        let total = cast.bodies.len();
        // Nothing requested yet.
        let mut look = Self {
            sets: Vec::new(),
            tally: ContactTally::default(),
            totals: Totals::default(),
            grains: GranularMeasures::default(),
            origin: Vec::new(),
            first: Vec::new(),
            joints: Vec::new(),
            plane: None,
            space: None,
            displaced: Vec::new(),
            begun: false,
        };
        // Each kind of quantity requests its data.
        for quantity in quantities {
            match *quantity {
                Quantity::Contacts | Quantity::Sliding => look.tally.count(),
                Quantity::Body { body, what } => look.need(what, &[body], total),
                Quantity::Watch { watch, .. } => {
                    if let Some(watched) = cast.watches.get(watch) {
                        look.tally.watch(watch, watched, total);
                    }
                }
                Quantity::Set { set, what } => {
                    if !look.sets.iter().any(|(known, _)| *known == set) {
                        look.sets.push((set, BodySet::compile(set, glossary)?));
                    }
                    if let SetQuantity::Grain(what) = what
                        && let Some((_, known)) = look.sets.iter().find(|(k, _)| *k == set)
                    {
                        look.grains.ask(set, known, what, total);
                    }
                    if let SetQuantity::Fold(_, what) = what
                        && let Some(at) = look.sets.iter().position(|(known, _)| *known == set)
                    {
                        let members = look.sets[at].1.candidates().to_vec();
                        look.need(what, &members, total);
                    }
                }
                Quantity::Time
                | Quantity::Report(_)
                | Quantity::Total(_)
                | Quantity::Cell(_)
                | Quantity::Joint { .. } => {}
            }
        }
        look.displaced.sort_unstable();
        look.displaced.dedup();
        Ok(look)
    }

    /// Requests the data for a quantity of these bodies.
    fn need(&mut self, what: BodyQuantity, bodies: &[u32], total: usize) {
        if what.touches() {
            self.tally.follow(bodies, total);
        }
        if what == BodyQuantity::Displacement {
            self.displaced.extend_from_slice(bodies);
        }
    }

    /// Updates all data at the end of a step.
    fn update<D: ObservedDim>(
        &mut self,
        world: &World<D>,
        finder: &mut Option<TouchingPairs<D>>,
        quantities: &[Quantity],
    ) {
        // Initial positions, at the first call.
        if !self.begun {
            let pose = |body: u32| world.state().poses.get(body as usize);
            let known = self.displaced.iter();
            let known = known.filter_map(|&b| Some((b, super::value::triple(pose(b)?.position))));
            self.origin = known.collect();
        }
        // Contacts, works and sets.
        self.tally.update(world);
        self.totals.add(world.report());
        for (_, set) in &mut self.sets {
            set.update(world);
        }
        self.grains.update(world, &self.sets);
        let pairs = |quantity: &Quantity| {
            let of = |what| matches!(what, SetQuantity::Joints | SetQuantity::Opened);
            matches!(*quantity, Quantity::Set { what, .. } if of(what))
        };
        // Touching pairs need collision detection of their own.
        if quantities.iter().any(pairs) {
            let joints = finder.get_or_insert_with(|| TouchingPairs::new(world));
            joints.update(world);
            self.joints.clear();
            for (at, (_, set)) in self.sets.iter().enumerate() {
                let now = joints.of(set);
                let count = now.len();
                if !self.begun {
                    self.first.push(now);
                }
                let opened = self.first.get(at).map_or(0, |first| joints.parted(first));
                self.joints.push((count, opened));
            }
        }
        self.begun = true;
    }
}

/// A graph into which names are entered as inputs when they occur.
struct Names<'a> {
    glossary: &'a NameTable<'a>,
    graph: Graph,
    scope: Scope,
    quantities: Vec<Quantity>,
}

impl<'a> Names<'a> {
    /// A graph with the parameters as constants.
    fn new(glossary: &'a NameTable<'a>) -> Result<Self, TextError> {
        let (mut graph, mut scope) = (Graph::new(), Scope::new());
        for (name, value) in glossary.parameters {
            let known = scope.parameter(&mut graph, name, *value);
            known.map_err(|error| TextError::new(0, 1, error.to_string()))?;
        }
        Ok(Self {
            glossary,
            graph,
            scope,
            quantities: Vec::new(),
        })
    }

    /// Parses a text. Each unknown name is resolved, made an input, and the text parsed again.
    fn parse(&mut self, text: &str) -> Result<NodeId, TextError> {
        self.refuse_ambiguous(text)?;
        for _ in 0..NAMES {
            let error = match self.graph.parse(&self.scope, text) {
                Ok(node) => return Ok(node),
                Err(error) => error,
            };
            let at = error.location().map_or(0, |place| place.offset);
            // Any other error is one of the text.
            let ErrorKind::UnknownName { name, .. } = error.kind() else {
                let width = match error.kind() {
                    ErrorKind::UnknownFunction { name, .. } => name.len(),
                    _ => 1,
                };
                return Err(TextError::new(at, width, error.kind().to_string()));
            };
            // The meaning of the name; its quantity becomes an input.
            let wrong = |problem: String| TextError::new(at, name.len(), problem);
            let meaning = self.glossary.resolve(name).map_err(wrong)?;
            let quantity = meaning.ok_or_else(|| wrong(self.glossary.unknown(name)))?;
            let known = self.scope.input(&mut self.graph, name);
            known.map_err(|error| wrong(error.kind().to_string()))?;
            self.quantities.push(quantity);
        }
        Err(TextError::new(0, 1, "the expression has too many names"))
    }

    /// Refuses a parameter in the text whose name is also that of an observable.
    fn refuse_ambiguous(&self, text: &str) -> Result<(), TextError> {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        // A parameter that occurs as a whole word in the text.
        for (name, _) in self.glossary.parameters {
            let Some(at) = text.find(name.as_str()) else {
                continue;
            };
            let occurs = text.split(|c| !word(c)).any(|w| w == name);
            if occurs && let Err(problem) = self.glossary.resolve(name) {
                return Err(TextError::new(at, name.len(), problem));
            }
        }
        Ok(())
    }
}
