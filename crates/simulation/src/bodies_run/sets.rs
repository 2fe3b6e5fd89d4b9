//! Groups and regions: which bodies belong to them at the end of a step.

use percuss_bodies::{Dim, World};
use percuss_expr::{Graph, Program, Scope, Scratch};
use percuss_scene::Formula;
use percuss_scene::bodies_scene::{NameTable, Region};

/// The bounds of a group: all of space.
const EVERYWHERE: ([f64; 3], [f64; 3]) = ([f64::NEG_INFINITY; 3], [f64::INFINITY; 3]);

/// The members of a group, or of a region at present.
#[derive(Debug)]
pub(super) struct BodySet {
    /// Members, in ascending order.
    pub now: Vec<u32>,
    region: Option<Boundary>,
    /// The box of a region at present.
    frame: ([f64; 3], [f64; 3]),
}

/// The bounds of a region.
#[derive(Debug)]
struct Boundary {
    /// Bodies that may be in the region.
    candidates: Vec<u32>,
    low: Vec<Bound>,
    high: Vec<Bound>,
    /// Slice number, number of slices, axis.
    slice: Option<(usize, usize, usize)>,
}

/// One bound: infinite, or an expression in t.
#[derive(Debug)]
enum Bound {
    Infinite(f64),
    Moving(Box<(Program, Scratch)>),
}

impl Bound {
    /// Compiles a bound; `inf` and `-inf` need no program.
    fn compile(formula: &Formula, parameters: &[(String, f64)]) -> Result<Self, String> {
        // Infinite bounds.
        match formula.text.trim() {
            "inf" | "+inf" => return Ok(Self::Infinite(f64::INFINITY)),
            "-inf" => return Ok(Self::Infinite(f64::NEG_INFINITY)),
            _ => {}
        }
        // An expression in t and the parameters.
        let (mut graph, mut scope) = (Graph::new(), Scope::new());
        let parsed = scope.input(&mut graph, "t").and_then(|_| {
            for (name, value) in parameters {
                scope.parameter(&mut graph, name, *value)?;
            }
            graph.parse(&scope, &formula.text)
        });
        let node = parsed.map_err(|error| error.to_string())?;
        let program = Program::compile(&graph, &[node]);
        Ok(Self::Moving(Box::new((program, Scratch::new()))))
    }

    /// The bound at a time; NaN where the expression fails.
    fn at(&mut self, t: f64) -> f64 {
        match self {
            Self::Infinite(value) => *value,
            Self::Moving(moving) => {
                let (program, scratch) = &mut **moving;
                let mut out = [f64::NAN];
                match program.run(&[t], scratch, &mut out) {
                    Ok(()) => out[0],
                    Err(_) => f64::NAN,
                }
            }
        }
    }
}

impl BodySet {
    /// The set of a number: groups in their order, then regions.
    pub fn compile(number: usize, glossary: &NameTable<'_>) -> Result<Self, String> {
        let cast = glossary.names;
        // A group has fixed members.
        if let Some((_, members)) = cast.groups.get(number) {
            return Ok(Self {
                now: members.clone(),
                region: None,
                frame: EVERYWHERE,
            });
        }
        // A region: members are found at every step.
        let Some(region) = cast.regions.get(number - cast.groups.len()) else {
            return Err("there is no such group or region".to_string());
        };
        Ok(Self {
            now: Vec::new(),
            region: Some(Boundary::compile(region, glossary.parameters)?),
            frame: EVERYWHERE,
        })
    }

    /// All bodies that may ever be in the set.
    pub fn candidates(&self) -> &[u32] {
        match &self.region {
            Some(region) => &region.candidates,
            None => &self.now,
        }
    }

    /// The box of a region at present; a group has infinite bounds.
    pub fn frame(&self) -> ([f64; 3], [f64; 3]) {
        self.frame
    }

    /// Updates the members of a region.
    pub fn update<D: Dim>(&mut self, world: &World<D>) {
        let Some(region) = &mut self.region else {
            return;
        };
        // The box at the present time, then the centres inside it.
        let state = world.state();
        let (low, high, closed) = region.box_at(state.t);
        self.frame = (low, high);
        self.now.clear();
        for &body in &region.candidates {
            let Some(pose) = state.poses.get(body as usize) else {
                continue;
            };
            // A body on the boundary between two slices belongs to the upper one alone.
            let inside = |axis: usize| {
                let x = pose.position[axis];
                x >= low[axis] && (x < high[axis] || closed[axis] && x == high[axis])
            };
            if (0..D::N.min(low.len())).all(inside) {
                self.now.push(body);
            }
        }
    }
}

impl Boundary {
    fn compile(region: &Region, parameters: &[(String, f64)]) -> Result<Self, String> {
        let bounds = |all: &[Formula]| {
            let each = all
                .iter()
                .map(|formula| Bound::compile(formula, parameters));
            let each: Result<Vec<Bound>, String> = each.collect();
            each.map_err(|error| format!("in a bound of the region `{}`: {error}", region.name))
        };
        Ok(Self {
            candidates: region.members.clone(),
            low: bounds(&region.low)?,
            high: bounds(&region.high)?,
            slice: region.slice,
        })
    }

    /// Lower and upper bounds at a time, and whether the upper one is included.
    fn box_at(&mut self, t: f64) -> ([f64; 3], [f64; 3], [bool; 3]) {
        let mut low = [f64::NEG_INFINITY; 3];
        let mut high = [f64::INFINITY; 3];
        let mut closed = [true; 3];
        // Bounds that are not given are infinite.
        for (value, bound) in low.iter_mut().zip(&mut self.low) {
            *value = bound.at(t);
        }
        for (value, bound) in high.iter_mut().zip(&mut self.high) {
            *value = bound.at(t);
        }
        // One of equal slices along an axis; only the last one includes its upper bound.
        if let Some((slice, count, axis)) = self.slice
            && axis < 3
        {
            let (from, to) = (low[axis], high[axis]);
            let cut = |k: usize| match k {
                0 => from,
                _ if k >= count => to,
                _ => from + (to - from) * (k as f64 / count as f64),
            };
            low[axis] = cut(slice);
            high[axis] = cut(slice + 1);
            closed[axis] = slice + 1 == count;
        }
        (low, high, closed)
    }
}
