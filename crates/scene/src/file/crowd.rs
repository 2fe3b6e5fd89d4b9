//! `[crowd]`: evacuation of a room (crowd motion), the coordinates of all people given by one
//! table.

use percuss_sweep::apps::crowd::Room;

use crate::file::{CoordinateSpec, Formula, Named, Reader};
use percuss_input::InputError;

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
                kind: percuss_mechanism::Coordinate::Length,
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

    /// The room of these numbers, in the order of `KEYS`, and the initial positions.
    pub fn people(
        &self,
        numbers: &[f64],
    ) -> Result<(Room, Vec<f64>), percuss_sweep::SweepingError> {
        let at = |i: usize| numbers.get(i).copied().unwrap_or(f64::NAN);
        // In the order of the keys.
        let room = Room {
            depth: at(0),
            width: at(1),
            door: at(2),
            radius: at(3),
            speed: at(4),
        };
        let q = room.fill(self.columns, self.rows, at(5), self.seed)?;
        Ok((room, q))
    }
}
