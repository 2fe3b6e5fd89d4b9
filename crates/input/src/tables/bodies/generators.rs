//! Specifications of generators, which make many bodies at once; expressions are still text.

use std::sync::Arc;

use super::spec::Name;
use super::structure::StructureSpec;
use crate::tables::Word;
use crate::{Formula, InputError, Origin};

/// Distribution of grain sizes.
#[derive(Debug, Clone, PartialEq)]
pub enum SizesSpec {
    Equal(Formula),
    Uniform([Formula; 2]),
    Normal([Formula; 2], [Formula; 2]),
    Lognormal([Formula; 2], [Formula; 2]),
    ByArea([Formula; 2]),
    Mix(Vec<[Formula; 2]>),
    Sieve(Vec<[Formula; 2]>),
}

/// The region that a packing fills.
#[derive(Debug, Clone, PartialEq)]
pub enum RegionOfPacking {
    Box,
    Cylinder,
    Cell,
}

/// Sizes and shape of grains.
#[derive(Debug, Clone, PartialEq)]
pub struct GrainSpec {
    pub sizes: SizesSpec,
    /// Fewest and most vertices of angular grains; `None`: discs or spheres.
    pub corners: Option<[Formula; 2]>,
}

impl GrainSpec {
    /// Whether all grains are equal, so that no random numbers are drawn.
    pub fn certain(&self) -> bool {
        matches!(self.sizes, SizesSpec::Equal(_)) && self.corners.is_none()
    }
}

/// The arrangement that a generator makes.
#[derive(Debug, Clone, PartialEq)]
pub enum ArrangementSpec {
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
        /// Lower bounds; empty in a periodic cell.
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
    /// Grains given as numbers by a caller: coordinates (the last is 0 in the plane), then the radius.
    Given(Arc<[[f64; 4]]>),
    Structure(StructureSpec),
}

/// The table of a generator.
#[derive(Debug, Clone, PartialEq)]
pub struct GeneratorSpec {
    /// The key of its table, such as `wall`.
    pub word: &'static str,
    pub name: String,
    pub line: usize,
    /// The keys of the table with their line numbers.
    pub lines: Vec<(String, usize)>,
    pub arrangement: ArrangementSpec,
    pub origin: Option<Vec<Formula>>,
    pub material: Name,
    pub density: Option<Formula>,
    pub velocity: Option<Vec<Formula>>,
    pub fixed: bool,
    /// Whether the bodies at the springings of an arch or vault are fixed.
    pub springers: bool,
}

impl GeneratorSpec {
    /// Its name in messages.
    pub fn part(&self) -> String {
        format!("{} `{}`", self.word, self.name)
    }
}

impl super::spec::BodiesSpec {
    /// Replaces the grains of a `[[grains]]`; false if there is none of that name.
    pub fn put_grains(&mut self, name: &str, grains: Vec<[f64; 4]>) -> bool {
        let mut all = self.generators.iter_mut();
        match all.find(|many| many.word == "grains" && many.name == name) {
            None => false,
            Some(many) => {
                many.arrangement = ArrangementSpec::Given(grains.into());
                true
            }
        }
    }

    /// Refuses scenes with motions or forces given by a caller's functions, which their text does not hold.
    pub fn require_text(&self, file: &str) -> Result<(), Box<InputError>> {
        if self.callables.is_empty() {
            return Ok(());
        }
        Err(Box::new(InputError {
            file: file.to_string(),
            origin: Origin::Whole,
            part: String::new(),
            key: "callables".to_string(),
            value: String::new(),
            problem: format!(
                "a motion or a force was given by a program (of {}): this text alone cannot be \
                 computed",
                self.callables.join(", ")
            ),
            advice: "Run the program again".to_string(),
        }))
    }
}
