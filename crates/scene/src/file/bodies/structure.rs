//! Specifications of masonry structures; expressions are still text.

use percuss_generate::Bond;

use crate::file::Formula;

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
        bond: Bond,
    },
    Dome {
        radius: Formula,
        thickness: Formula,
        courses: Formula,
        blocks: BlocksSpec,
        span: Option<Formula>,
        oculus: Option<Formula>,
        bond: Bond,
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

/// Number or size of the blocks of a dome's course.
#[derive(Debug, Clone, PartialEq)]
pub enum BlocksSpec {
    Number(Formula),
    Size(Formula),
}
