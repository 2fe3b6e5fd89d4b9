//! Specifications of masonry structures; expressions are still text.

use crate::Formula;

/// A structure of blocks.
#[derive(Debug, Clone, PartialEq)]
pub enum StructureSpec {
    Vault {
        radius: Formula,
        thickness: Formula,
        voussoirs: Formula,
        span: Option<Formula>,
        depth: Formula,
        /// One if not given: an arch in space.
        rings: Option<Formula>,
        bond: BondSpec,
    },
    Dome {
        radius: Formula,
        thickness: Formula,
        courses: Formula,
        blocks: BlocksSpec,
        span: Option<Formula>,
        oculus: Option<Formula>,
        bond: BondSpec,
    },
    Drums {
        radius: Formula,
        top: Option<Formula>,
        count: Formula,
        height: Formula,
        sides: Option<Formula>,
        capital: Option<Vec<Formula>>,
    },
    Drystone {
        stone: [Formula; 2],
        course: [Formula; 2],
        length: Formula,
        height: Formula,
        /// Only in space.
        depth: Option<Formula>,
        stagger: Option<Formula>,
        irregular: Option<Formula>,
        seed: Option<Formula>,
    },
    Row {
        block: Vec<Formula>,
        count: Formula,
        spacing: Formula,
        heading: Option<Formula>,
        turn: Option<Formula>,
    },
    Cards {
        card: Vec<Formula>,
        storeys: Formula,
        lean: Formula,
    },
}

/// How the blocks of neighbouring courses or rings lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BondSpec {
    /// Every second course is shifted by half a block.
    Running,
    /// All courses alike.
    Stack,
}

/// Number or size of the blocks of a dome's course.
#[derive(Debug, Clone, PartialEq)]
pub enum BlocksSpec {
    Number(Formula),
    Size(Formula),
}
