//! Tables of joints and midpoints, which the verification of the records needs.
//!
//! | table | one row for | where |
//! |---|---|---|
//! | `midpoints` | every body that follows forces, in every recorded step | runs with joints, `correction` or the integrator `projected` |
//! | `joints` | every row of every joint in every recorded step | runs with joints |
//! | `end_contacts` | every contact that is projected at the end of a recorded step | the integrator `projected` |
//!
//! A row of `midpoints` has the pose at which contacts and joints were evaluated, and the velocity of the body before
//! the correction of joints and overlaps. A row of `joints` has direction, point, velocities and impulse.

use std::sync::Arc;

use percuss_bodies::{Dim, Integrator, Settings, Vector, World};
use percuss_scene::bodies_scene::SceneNames;

use super::super::column::{Column, ColumnType};
use super::super::error::RecordError;
use super::super::tables::{step, time};
use super::rows::{PoseColumns, RepeatedTexts, RowWriter, push_contact};
use super::tables::{AXES, bodies, body, contacts, real};
use crate::run_writer::RunWriter;
use crate::selection::with_compression;
use crate::table_writer::TableWriter;

/// The columns of `midpoints`.
pub(super) fn midpoints<D: Dim>() -> Vec<Column> {
    let mut columns = bodies::<D>();
    for column in columns.iter_mut().skip(3) {
        let velocity = column.unit.ends_with("/time");
        column.meaning += match velocity {
            true => ", before joints and overlaps are put right",
            false => ", at the midpoint of the step",
        };
    }
    if D::N == 3 {
        let meaning = "spin about space axes by which the gyroscopic moment of a body in a joint or a persistent contact was taken";
        let first = AXES.map(|axis| real(&format!("first_{axis}"), "rad/time", meaning).or_null());
        columns.extend(first);
    }
    columns
}

/// The columns of `joints`.
pub(super) fn joints<D: Dim>() -> Vec<Column> {
    let text = |name: &str, meaning: &str| Column::new(name, ColumnType::Text, "1", meaning);
    let part = "what the row is to the joint: bilateral, spring, motor, friction or limit";
    let turn = "0: velocity of b against a along the direction; 1: their spin about it (plane: about \
                the third axis, with this sign)";
    let mut columns = vec![
        step(),
        time(),
        body("joint", "number of the joint, from 0"),
        text("name", "name of the joint"),
        text("part", part),
        body("row", "which row of the part, from 0"),
        real("turn", "1", turn),
    ];
    for axis in &AXES[..D::N] {
        let meaning = "the point, at the midpoint of the step";
        columns.push(real(axis, "length", meaning));
    }
    for axis in &AXES[..D::N] {
        let meaning = "direction or axis, at the midpoint of the step";
        columns.push(real(&format!("direction_{axis}"), "1", meaning));
    }
    let unit = "length/time or rad/time";
    columns.extend([
        real("begin", unit, "velocity of the row before the step"),
        real(
            "end",
            unit,
            "velocity of the row after the step, before joints are put right",
        ),
        real(
            "impulse",
            "force*time or force*length*time",
            "impulse on the second body over the step, along the row",
        ),
    ]);
    columns
}

/// The table of the contacts that the integrator `projected` projects at the end of a step.
pub(super) const END_CONTACTS: &str = "end_contacts";

/// The columns of `end_contacts`: those of `contacts`, with other meanings of some.
pub(super) fn end_contacts<D: Dim>() -> Vec<Column> {
    let mut columns = contacts::<D>();
    for column in &mut columns {
        let start = column
            .name
            .split('_')
            .next()
            .unwrap_or_default()
            .to_string();
        column.meaning += match start.as_str() {
            "begin" => "; here before the projection at the end of the step",
            "end" => "; here after that projection",
            "impulse" => "; here with that of the projection",
            "step" | "t" | "a" | "b" | "feature" => continue,
            _ => "; here at the end of the step, before positions are projected",
        };
    }
    columns
}

/// The tables of a run, in their order: `midpoints`, `joints` and `end_contacts` where there are any.
#[derive(Debug, Default)]
pub(super) struct JointTables {
    pub tables: Vec<TableWriter>,
    names: Vec<Arc<str>>,
    parts: Vec<(&'static str, Arc<str>)>,
}

impl JointTables {
    pub fn new<D: Dim>(cast: &SceneNames, settings: &Settings) -> Self {
        let projected = settings.integrator == Integrator::Projected;
        let mut tables = Vec::new();
        if projected || settings.projection || !cast.joints.is_empty() {
            tables.push(TableWriter::new(
                "midpoints",
                with_compression(&cast.record, midpoints::<D>()),
            ));
        }
        if !cast.joints.is_empty() {
            tables.push(TableWriter::new(
                "joints",
                with_compression(&cast.record, joints::<D>()),
            ));
        }
        if projected {
            tables.push(TableWriter::new(
                END_CONTACTS,
                with_compression(&cast.record, end_contacts::<D>()),
            ));
        }
        let parts = ["bilateral", "spring", "motor", "friction", "limit"];
        Self {
            tables,
            names: cast
                .joints
                .iter()
                .map(|name| name.as_str().into())
                .collect(),
            parts: parts.map(|part| (part, part.into())).into(),
        }
    }

    /// Appends the rows of one step.
    pub fn push<D: PoseColumns>(
        &mut self,
        session: &RunWriter,
        words: &RepeatedTexts,
        step: usize,
        world: &World<D>,
    ) -> Result<(), RecordError> {
        let now = (step, world.state().t);
        let ends = self.tables.iter_mut().find(|t| t.name() == END_CONTACTS);
        if let Some(table) = ends {
            for contact in (0..world.num_end_contacts()).filter_map(|k| world.end_contact(k)) {
                push_contact(table.values(), words, now, &contact, None);
                session.submit_full_chunk(table)?;
            }
        }
        let Some((midpoints, joints)) = self.tables.split_first_mut() else {
            return Ok(());
        };
        for number in 0..world.model().bodies.len() {
            if let Some((pose, velocity)) = world.midpoint(number) {
                let values = midpoints.values();
                // The last three columns of space are the angular velocity of the gyroscopic moment.
                let own = values.len() - if D::N == 3 { 3 } else { 0 };
                let (columns, first) = values.split_at_mut(own);
                super::rows::push_body(columns, now, number, pose, velocity);
                // Angular velocity of the gyroscopic moment, where it was evaluated separately.
                let mut known = [None; 3];
                if let Some(velocity) = world.first_velocity(number) {
                    let mut entries = known.iter_mut();
                    D::spin(pose, velocity, &mut |x| {
                        if let Some(entry) = entries.next() {
                            *entry = Some(x);
                        }
                    });
                }
                for (column, x) in first.iter_mut().zip(known) {
                    column.push_optional(x);
                }
                session.submit_full_chunk(midpoints)?;
            }
        }
        let Some(joints) = joints.iter_mut().find(|t| t.name() == "joints") else {
            return Ok(());
        };
        // Joint rows.
        let (names, parts) = (&self.names, &self.parts);
        let mut written = Ok(());
        world.joint_rows(&mut |known| {
            let mut row = RowWriter::of(joints.values());
            row.integer(step);
            row.real(now.1);
            row.integer(known.joint);
            let name = names.get(known.joint).cloned();
            row.text(&name.unwrap_or_else(|| "".into()));
            let part = parts.iter().find(|(word, _)| *word == known.part);
            row.text(part.map_or(&"".into(), |(_, shared)| shared));
            row.integer(known.row);
            row.real(known.turn);
            row.reals(known.at.components());
            row.reals(known.direction.components());
            row.reals(&[known.begin, known.end, known.impulse]);
            if written.is_ok() {
                written = session.submit_full_chunk(joints);
            }
        });
        written
    }
}
