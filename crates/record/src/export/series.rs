//! The folder of an export: files of the series, their PVD collections, names.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::body_surfaces::BodySurfaces;
use super::vtp::PolyData;
use crate::column::CellValue;
use crate::error::RecordError;
use crate::reader::Record;

/// A series of files with their times.
#[derive(Debug)]
pub struct FileSeries {
    name: &'static str,
    entries: Vec<(f64, String)>,
}

impl FileSeries {
    /// An empty series.
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            entries: Vec::new(),
        }
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// The folder of an export.
#[derive(Debug)]
pub struct ExportFolder {
    path: PathBuf,
}

/// Names of all series.
const SERIES: [&str; 4] = ["bodies", "shapes", "contacts", "chains"];

impl ExportFolder {
    /// Creates the folder; one that is not empty is refused, or cleared of the files of an earlier export.
    pub fn make(path: &Path, force: bool) -> Result<Self, RecordError> {
        prepare_folder(path, force, |name| {
            // Files of an earlier export, by their names.
            let Some((stem, ending)) = name.rsplit_once('.') else {
                return false;
            };
            let series = stem.split('-').next().unwrap_or("");
            name == "names.csv" || SERIES.contains(&series) && ["vtp", "pvd"].contains(&ending)
        })?;
        Ok(Self { path: path.into() })
    }

    /// Writes a file and adds it to a series.
    pub fn add(&self, series: &mut FileSeries, t: f64, poly: &PolyData) -> Result<(), RecordError> {
        let name = format!("{}-{:06}.vtp", series.name, series.len());
        self.write(&name, |out| poly.write(t, out))?;
        series.entries.push((t, name));
        Ok(())
    }

    /// Writes the PVD collection of a series.
    pub fn close(&self, series: &FileSeries) -> Result<(), RecordError> {
        if series.is_empty() {
            return Ok(());
        }
        self.write(&format!("{}.pvd", series.name), |out| {
            writeln!(out, "<?xml version=\"1.0\"?>")?;
            writeln!(
                out,
                "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">"
            )?;
            writeln!(out, "<Collection>")?;
            for (t, name) in &series.entries {
                // Shortest exact decimals: times of the files are those of the records.
                writeln!(
                    out,
                    "<DataSet timestep=\"{t:?}\" group=\"\" part=\"0\" file=\"{name}\"/>"
                )?;
            }
            writeln!(out, "</Collection>\n</VTKFile>")
        })
    }

    /// Writes `names.csv`: the meaning of the numbers of bodies, groups and materials.
    pub fn names(&self, record: &Record, company: &BodySurfaces) -> Result<(), RecordError> {
        let table = record.table("names", Some(&["motion", "mass", "shape"]))?;
        self.write("names.csv", |out| {
            let heading = "body,name,group,group_name,material,material_name,motion,mass,shape";
            writeln!(out, "{heading}")?;
            for (k, body) in company.bodies.iter().enumerate() {
                let number = |all: &[i64]| all.get(k).copied().unwrap_or(-1).to_string();
                let group = company.groups.get(k).map_or("", |g| g);
                let mut fields = vec![
                    k.to_string(),
                    quoted(&body.name),
                    number(&company.group),
                    quoted(group),
                    number(&company.material),
                    quoted(&body.material),
                ];
                // Motion, mass and shape as recorded; null is empty.
                fields.extend(table.values.iter().map(|values| match values.cell(k) {
                    CellValue::Text(text) => quoted(text),
                    CellValue::Real(x) => format!("{x:?}"),
                    _ => String::new(),
                }));
                writeln!(out, "{}", fields.join(","))?;
            }
            Ok(())
        })
    }

    fn write(
        &self,
        name: &str,
        fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), RecordError> {
        let path = self.path.join(name);
        let written = File::create(&path).and_then(|file| {
            // A file that could not be completed is removed.
            let mut out = BufWriter::with_capacity(1 << 18, file);
            fill(&mut out)?;
            out.flush()
        });
        written.map_err(|e| {
            let _ = fs::remove_file(&path);
            RecordError::fault(&path, "write this file", &e)
        })
    }
}

/// Creates a folder for an export. One that is not empty is refused, unless by force: then the files that `ours`
/// recognises are removed, and nothing else.
///
/// # Errors
/// The folder is not empty, or a file operation fails.
pub fn prepare_folder(
    path: &Path,
    force: bool,
    ours: impl Fn(&str) -> bool,
) -> Result<(), RecordError> {
    let fault = |e: io::Error| RecordError::fault(path, "use this folder", &e);
    if path.exists() && !path.is_dir() {
        return Err(RecordError::Unknown(format!(
            "{}: this is a file; name a folder for the export",
            path.display()
        )));
    }
    fs::create_dir_all(path).map_err(fault)?;
    let mut found = Vec::new();
    for entry in fs::read_dir(path).map_err(fault)? {
        found.push(entry.map_err(fault)?);
    }
    if !found.is_empty() && !force {
        return Err(RecordError::Unknown(format!(
            "{}: this folder holds files already; name a new one, or add --force to replace what an \
             earlier export wrote there",
            path.display()
        )));
    }
    // Only files of the export are removed.
    for entry in found {
        let file = entry.file_type().map_err(fault)?.is_file();
        if file && ours(&entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path()).map_err(fault)?;
        }
    }
    Ok(())
}

/// A CSV field (RFC 4180).
fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.into(),
    }
}
