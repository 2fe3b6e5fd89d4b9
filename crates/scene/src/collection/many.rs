//! What a scene says about many bodies at once, as text.

use std::sync::Arc;

use super::spec::Name;
use super::structure::StructureSpec;
use crate::file::{Formula, Word};

/// Sizes of grains.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SizesSpec {
    Equal(Formula),
    Uniform([Formula; 2]),
    Normal([Formula; 2], [Formula; 2]),
    Lognormal([Formula; 2], [Formula; 2]),
    ByArea([Formula; 2]),
    Mix(Vec<[Formula; 2]>),
    Sieve(Vec<[Formula; 2]>),
}

/// Where a packing is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RegionOfPacking {
    Box,
    Cylinder,
    Cell,
}

/// What grains look like.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GrainSpec {
    pub sizes: SizesSpec,
    /// Fewest and most corners of angular grains; round ones where there are none.
    pub corners: Option<[Formula; 2]>,
}

impl GrainSpec {
    /// Whether all grains are alike.
    pub fn certain(&self) -> bool {
        matches!(self.sizes, SizesSpec::Equal(_)) && self.corners.is_none()
    }
}

/// Which arrangement a generator makes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ArrangementSpec {
    Wall {
        block: Vec<Formula>,
        courses: Formula,
        length: Formula,
        vary: Option<Formula>,
        seed: Option<Formula>,
    },
    Column {
        block: Vec<Formula>,
        count: Formula,
        lean: Option<Formula>,
    },
    Arch {
        radius: Formula,
        thickness: Formula,
        voussoirs: Formula,
        span: Option<Formula>,
        facets: Option<Formula>,
    },
    Grid {
        grain: GrainSpec,
        counts: Vec<Formula>,
        spacing: Option<Formula>,
        lattice: Option<Word>,
        jitter: Option<Formula>,
        seed: Option<Formula>,
    },
    Packing {
        grain: GrainSpec,
        region: RegionOfPacking,
        /// Empty in a periodic cell.
        low: Vec<Formula>,
        high: Vec<Formula>,
        count: Option<Formula>,
        fraction: Option<Formula>,
        seed: Option<Formula>,
    },
    Deposit {
        grain: GrainSpec,
        low: Vec<Formula>,
        high: Vec<Formula>,
        count: Formula,
        seed: Option<Formula>,
    },
    Grains {
        positions: Vec<Vec<Formula>>,
        radii: Vec<Formula>,
    },
    /// Grains in numbers, by a caller: coordinates (the last is 0 in the plane), then the radius.
    Given(Arc<[[f64; 4]]>),
    Structure(StructureSpec),
}

/// Many bodies at once.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ManySpec {
    /// The key of its table.
    pub word: &'static str,
    pub name: String,
    pub line: usize,
    /// The keys of the table with their lines.
    pub lines: Vec<(String, usize)>,
    pub arrangement: ArrangementSpec,
    pub origin: Option<Vec<Formula>>,
    pub material: Name,
    pub density: Option<Formula>,
    pub velocity: Option<Vec<Formula>>,
    pub fixed: bool,
    /// Those it springs from are fixed.
    pub springers: bool,
}

impl ManySpec {
    /// What it is called in messages.
    pub fn part(&self) -> String {
        format!("{} `{}`", self.word, self.name)
    }
}

impl super::spec::BodiesSpec {
    /// Adds grains that are in no text.
    pub fn add_grains(&mut self, name: &str, material: &str, grains: Vec<[f64; 4]>) {
        self.many.push(ManySpec {
            word: "grains",
            name: name.to_string(),
            line: 0,
            lines: Vec::new(),
            arrangement: ArrangementSpec::Given(grains.into()),
            origin: None,
            material: Name::at_line(material, 0),
            density: None,
            velocity: None,
            fixed: false,
            springers: false,
        });
    }
}
