//! `[crowd]`: evacuation of a room (crowd motion), the coordinates of all people given by one
//! table.

use crate::tables::{CoordinateKind, CoordinateSpec};
use crate::{Formula, InputError, Named, Reader};

/// The table `[crowd]`.
#[derive(Debug, Clone, PartialEq)]
pub struct CrowdSpec {
    /// Number of columns in which people stand at the start.
    pub columns: usize,
    /// Number of rows.
    pub rows: usize,
    /// depth, width, door, radius, speed, jitter, in this order.
    pub numbers: Vec<Formula>,
    /// Seed of the random displacements at the start.
    pub seed: u64,
}

/// Keys of the numbers of a room.
pub const KEYS: [&str; 6] = ["depth", "width", "door", "radius", "speed", "jitter"];

/// Largest number of people: every step solves a new polyhedron.
const MOST: usize = 1000;

/// Reads `[crowd]`.
pub fn read(root: &mut Reader<'_>) -> Result<Option<CrowdSpec>, Box<InputError>> {
    let Some(item) = root.take("crowd") else {
        return Ok(None);
    };
    let mut reader = root.of("[crowd]", "crowd", item)?;
    // Number of people, bounded by the cost of a step.
    let mut count = |key: &'static str| match reader.count_if(key)? {
        Some(count) => Ok(count),
        None => Err(reader.missing(key)),
    };
    let (columns, rows) = (count("columns")?, count("rows")?);
    if columns.saturating_mul(rows) > MOST {
        let problem = format!("{columns} columns of {rows} people are too many");
        return Err(reader.error(problem, format!("At most {MOST} people")));
    }
    // Dimensions and speed are expressions, evaluated with the parameters.
    let mut numbers = Vec::new();
    for key in KEYS {
        numbers.push(reader.formula(key)?);
    }
    let seed = reader.count_if("seed")?.unwrap_or(1) as u64;
    reader.finish()?;
    Ok(Some(CrowdSpec {
        columns,
        rows,
        numbers,
        seed,
    }))
}

impl CrowdSpec {
    /// Coordinates x1, y1, x2, y2, … of the people.
    pub fn coordinates(&self, line: usize) -> Vec<CoordinateSpec> {
        // Two coordinates per person.
        let person = |k: usize| ["x", "y"].map(|axis| format!("{axis}{k}"));
        let names = (1..=self.columns * self.rows).flat_map(person);
        names
            .map(|name| CoordinateSpec {
                name,
                line,
                kind: CoordinateKind::Line,
                initial: Vec::new(),
                velocity: Vec::new(),
            })
            .collect()
    }

    /// The definition `outside`: the number of people out of the door.
    pub fn definitions(&self, line: usize) -> Named {
        let each = (1..=self.columns * self.rows).map(|k| format!("step(x{k})"));
        Named {
            name: "outside".into(),
            formula: Formula::at_line(each.collect::<Vec<_>>().join(" + "), line),
        }
    }
}
