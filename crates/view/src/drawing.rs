//! The drawing of a mechanism or a sweeping process as a binary table.

use percuss_draw::drawing::{self, DrawingValues};
use percuss_record::PlotError;
use serde_json::Value;

use crate::error::ViewError;
use crate::moment::RunSnapshot;
use crate::pack::{BinaryTable, BinaryValues};

impl RunSnapshot {
    /// The drawing of a mechanism over all sampled states, and its coordinates.
    ///
    /// # Errors
    /// It is a run of bodies, its coordinates were not recorded, or the records are damaged.
    pub fn drawing(&self) -> Result<BinaryTable, ViewError> {
        let drawn = match self.has_bodies() {
            true => None,
            false => drawing::of(&self.record).map_err(|error| match error {
                PlotError::Record(error) => error.into(),
                PlotError::Unknown(text) | PlotError::Nothing(text) => ViewError::Absent(text),
                other => ViewError::Scene(other.to_string()),
            })?,
        };
        let Some(drawn) = drawn else {
            let text = "a run of bodies has no drawing: it is in api/shapes and api/bodies";
            return Err(ViewError::Absent(text.into()));
        };
        // Columns.
        let mut pack = BinaryTable::new();
        for column in drawn.columns {
            let data = match column.values {
                DrawingValues::F32(values) => BinaryValues::F32(values),
                DrawingValues::F64(values) => BinaryValues::F64(values),
                DrawingValues::U32(values) => BinaryValues::U32(values),
                DrawingValues::U8(values) => BinaryValues::U8(values),
            };
            pack.add(column.name, &column.unit, data);
        }
        // Metadata.
        let header = serde_json::to_value(&drawn.header).unwrap_or_default();
        if let Value::Object(header) = header {
            for (key, value) in header {
                pack.insert_header(&key, value);
            }
        }
        Ok(pack)
    }
}
