//! Export of runs of bodies to ParaView: VTK PolyData files and PVD collections.
//!
//! ```text
//! OUT/bodies.pvd     times and files of the series; open this one in ParaView
//! OUT/bodies-000000.vtp     a point for every body, with arrays
//! OUT/shapes-000000.vtp     surfaces of the bodies at their poses
//! OUT/contacts-000000.vtp   a point for every contact, with arrays
//! OUT/chains-000000.vtp     lines between bodies in contact (force chains; where asked for)
//! OUT/names.csv      what the numbers of bodies, groups and materials mean
//! ```
//!
//! The tables are read step by step: memory is bounded by a chunk of each table and a state. The `.pvd` of a series
//! is written last, so that a series with one is complete.

mod body_surfaces;
mod contacts;
mod series;
mod step_reader;
mod surface;
mod vtp;

use std::path::Path;

pub use series::prepare_folder;
pub use vtp::{ArrayData, Cells, DataArray, PolyData};

use body_surfaces::BodySurfaces;
use series::{ExportFolder, FileSeries};
use step_reader::{StepReader, StepRows};
use surface::Tessellation;

use crate::error::RecordError;
use crate::reader::Record;

/// Vertices around capsules and cylinders by default.
const AROUND: usize = 16;

/// Options of the export.
#[derive(Debug, Clone, PartialEq)]
pub struct VtkOptions {
    /// Stride over the recorded states.
    pub every: usize,
    /// Earliest time.
    pub from: Option<f64>,
    /// Latest time.
    pub until: Option<f64>,
    /// Vertices around round shapes; with it discs and spheres have surfaces, too.
    pub tessellate: Option<usize>,
    /// Whether the lines between bodies in contact are written.
    pub chains: bool,
    /// Whether files of an earlier export are replaced.
    pub force: bool,
}

/// Summary of an export.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VtkSummary {
    /// Number of exported states.
    pub states: usize,
    /// What could not be exported, and why.
    pub notes: Vec<String>,
}

/// Writes the states of a run of bodies for ParaView. `progress` is called with the fraction done.
///
/// # Errors
/// The run is a mechanism or did not record its bodies, there is no state at these times, the folder is not empty,
/// the records are damaged, or a file operation fails.
pub fn vtk(
    record: &Record,
    out: &Path,
    request: &VtkOptions,
    progress: &mut dyn FnMut(f64),
) -> Result<VtkSummary, RecordError> {
    let shown = record.directory().display();
    if record.entry("names").is_err() {
        return Err(RecordError::Unknown(format!(
            "{shown}: ParaView files show bodies, and this is no run of bodies; write its tables with \
             percuss export {shown} --csv OUT"
        )));
    }
    let flat = record
        .entry("bodies")?
        .columns
        .iter()
        .all(|c| c.name != "z");
    // The first state is the reference of displacements.
    let always = (f64::NEG_INFINITY, f64::INFINITY);
    let first = StepReader::new(record, "bodies", body_surfaces::columns(flat), always)?.step()?;
    let Some(first) = first else {
        let text =
            format!("{shown}: no state is recorded yet; wait for the run, or start it again");
        return Err(RecordError::Unknown(text));
    };
    let fineness = Tessellation {
        around: request.tessellate.unwrap_or(AROUND).max(3),
        balls: request.tessellate.is_some(),
        flat,
    };
    let company = BodySurfaces::new(record, &body_surfaces::body_states(&first, flat), fineness)?;
    let mut export = Export::new(record, request, &company)?;
    // The folder is created only when there is something to write.
    let start = loop {
        match export.bodies.step()? {
            None => return Err(export.nothing(first.t)),
            Some(slab) if export.within(slab.t) => break slab,
            Some(_) => {}
        }
    };
    let folder = ExportFolder::make(out, request.force)?;
    folder.names(record, &company)?;
    export.write_states(&folder, start, progress)
}

/// The tables being read.
struct Export<'a> {
    record: &'a Record,
    request: &'a VtkOptions,
    company: &'a BodySurfaces,
    bodies: StepReader<'a>,
    contacts: Option<StepReader<'a>>,
    cell: Option<StepReader<'a>>,
    notes: Vec<String>,
}

impl<'a> Export<'a> {
    fn new(
        record: &'a Record,
        request: &'a VtkOptions,
        company: &'a BodySurfaces,
    ) -> Result<Self, RecordError> {
        // Chunks outside the time window are skipped.
        let low = request.from.unwrap_or(f64::NEG_INFINITY);
        let window = (low, request.until.unwrap_or(f64::INFINITY));
        let walk =
            |table: &'static str, columns: &[&str]| StepReader::new(record, table, columns, window);
        let mut notes = Vec::new();
        let contacts = match record.entry("contacts") {
            Ok(_) => Some(walk("contacts", &contacts::columns(company.flat))?),
            Err(why) if request.chains => return Err(why),
            Err(why) => {
                notes.push(why.to_string());
                None
            }
        };
        // The periodic cell, for nearest images.
        let cell = match record.entry("cell").is_ok() {
            true => Some(walk("cell", cell_columns(company.flat))?),
            false => None,
        };
        Ok(Self {
            record,
            request,
            company,
            bodies: walk("bodies", body_surfaces::columns(company.flat))?,
            contacts,
            cell,
            notes,
        })
    }

    fn within(&self, t: f64) -> bool {
        let early = self.request.from.is_some_and(|from| t < from);
        let late = self.request.until.is_some_and(|until| t > until);
        !early && !late
    }

    fn nothing(&self, first: f64) -> RecordError {
        let last = self.record.manifest().reached.unwrap_or(first);
        RecordError::Unknown(format!(
            "{}: no state is recorded at these times; the records go from t = {first} to t = {last}: choose \
             --from and --until among them",
            self.record.directory().display()
        ))
    }

    fn write_states(
        mut self,
        folder: &ExportFolder,
        start: StepRows,
        progress: &mut dyn FnMut(f64),
    ) -> Result<VtkSummary, RecordError> {
        let flat = self.company.flat;
        let mut bodies = FileSeries::new("bodies");
        let mut shapes = FileSeries::new("shapes");
        let mut touches = FileSeries::new("contacts");
        let mut chains = FileSeries::new("chains");
        // All states in the window, every `every`-th one exported.
        let (mut ahead, mut cells) = (None, None);
        let (mut next, mut seen) = (Some(start), 0_usize);
        while let Some(slab) = next {
            if self.within(slab.t) {
                if seen.is_multiple_of(self.request.every.max(1)) {
                    let t = slab.t;
                    let state = body_surfaces::body_states(&slab, flat);
                    folder.add(&mut bodies, t, &self.company.points(&state))?;
                    folder.add(&mut shapes, t, &self.company.shapes(&state))?;
                    // Contacts, and lines between the centres with the periodic cell.
                    if let Some((found, known)) = self.contacts_of_step(slab.step, &mut ahead)? {
                        let found = found.as_ref();
                        if known {
                            folder.add(&mut touches, t, &contacts::points(found, flat))?;
                        }
                        if known && self.request.chains {
                            let cell = self.cell_of(slab.step, &mut cells)?;
                            let company = self.company;
                            let lines =
                                contacts::contact_lines(found, company, &state, cell.as_ref());
                            folder.add(&mut chains, t, &lines)?;
                        }
                    }
                }
                seen += 1;
            }
            progress(self.bodies.share());
            next = self.bodies.step()?;
        }
        // Lists of times last: a series with one is complete.
        let states = bodies.len();
        for series in [&bodies, &shapes, &touches, &chains] {
            folder.close(series)?;
        }
        Ok(VtkSummary {
            states,
            notes: self.notes,
        })
    }

    /// The contacts of a step, and whether they are known.
    fn contacts_of_step(
        &mut self,
        step: i64,
        ahead: &mut Option<StepRows>,
    ) -> Result<Option<(Option<StepRows>, bool)>, RecordError> {
        let Some(walk) = &mut self.contacts else {
            return Ok(None);
        };
        let found = walk.at(step, ahead)?;
        // Where contacts are thinned, no rows may mean that none were recorded.
        let chosen = self.record.manifest().settings.get("record");
        let keys = ["contacts_every", "bodies_every", "from", "until"];
        let thinned = keys
            .iter()
            .any(|k| chosen.is_some_and(|c| c.get(k).is_some()));
        let known = found.is_some() || !thinned;
        Ok(Some((found, known)))
    }

    fn cell_of(
        &mut self,
        step: i64,
        ahead: &mut Option<StepRows>,
    ) -> Result<Option<[[f64; 3]; 3]>, RecordError> {
        let Some(walk) = &mut self.cell else {
            return Ok(None);
        };
        let n = if self.company.flat { 2 } else { 3 };
        Ok(walk.at(step, ahead)?.map(|slab| {
            let mut vectors = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
            for (j, vector) in vectors.iter_mut().enumerate().take(n) {
                for (k, entry) in vector.iter_mut().enumerate().take(n) {
                    *entry = slab.number(0, 2 + j * n + k);
                }
            }
            vectors
        }))
    }
}

fn cell_columns(flat: bool) -> &'static [&'static str] {
    match flat {
        true => &["step", "t", "a_x", "a_y", "b_x", "b_y"],
        false => &[
            "step", "t", "a_x", "a_y", "a_z", "b_x", "b_y", "b_z", "c_x", "c_y", "c_z",
        ],
    }
}
