//! The HTML file: binary tables embedded in the page, written to a temporary file and renamed.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use percuss_record::RecordError;
use serde_json::{Map, Value, json};

use super::HtmlContent;
use crate::error::ViewError;
use crate::index::StepSpan;
use crate::moment::RunSnapshot;
use crate::pack::BinaryTable;
use crate::page::{MARKER, PAGE};
use crate::route::Query;
use crate::states::times;

/// A binary table, deflated and in base64; `None` where the run has none.
pub(super) fn packed(moment: &RunSnapshot, ask: &Query) -> Result<Option<String>, ViewError> {
    match pack(moment, ask)? {
        Some(pack) => Ok(Some(compressed_base64(&pack)?.0)),
        None => Ok(None),
    }
}

fn pack(moment: &RunSnapshot, ask: &Query) -> Result<Option<BinaryTable>, ViewError> {
    match moment.pack(ask) {
        Ok(pack) => Ok(Some(pack)),
        // Tables that were not recorded are listed in the notes.
        Err(error) if error.status() == 404 => Ok(None),
        Err(error) => Err(error),
    }
}

/// A binary table, deflated and in base64, and its size before compression.
fn compressed_base64(pack: &BinaryTable) -> Result<(String, usize), ViewError> {
    let bytes = pack.encode();
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    let done = encoder.write_all(&bytes).and_then(|()| encoder.finish());
    let small = done.map_err(|e| ViewError::Scene(format!("a table cannot be compressed: {e}")))?;
    Ok((STANDARD.encode(small), bytes.len()))
}

/// A temporary file beside its target.
pub(super) struct TemporaryFile {
    path: PathBuf,
    out: PathBuf,
    kept: bool,
}

impl TemporaryFile {
    pub fn new(out: &Path) -> Result<Self, ViewError> {
        // A symbolic link is kept and the file behind it replaced.
        let out = fs::canonicalize(out).unwrap_or_else(|_| out.into());
        let mut name = std::ffi::OsString::from(".");
        name.push(out.file_name().unwrap_or_default());
        name.push(format!(".{}.part", std::process::id()));
        Ok(Self {
            path: out.with_file_name(name),
            out,
            kept: false,
        })
    }

    fn fault(&self, error: &io::Error) -> ViewError {
        RecordError::Fault {
            path: self.out.clone(),
            doing: "write this file",
            reason: format!(
                "{error}; name a file in a folder that exists and that you may write to, with room for it"
            ),
        }
        .into()
    }

    /// Writes the whole page; returns its size in bytes.
    pub fn fill(
        &self,
        moment: &RunSnapshot,
        choice: &HtmlContent,
        progress: &mut dyn FnMut(f64),
    ) -> Result<u64, ViewError> {
        let mut options = OpenOptions::new();
        let file = options
            .write(true)
            .create(true)
            .truncate(true)
            .open(&self.path);
        let mut writer = Writer {
            file: BufWriter::new(file.map_err(|e| self.fault(&e))?),
            bytes: 0,
            packs: Map::new(),
        };
        // The page up to the marker, the data, the rest of the page.
        let page = String::from_utf8_lossy(PAGE);
        let (before, after) = page.split_once(MARKER).unwrap_or((&page, ""));
        let put = |writer: &mut Writer, text: &str| writer.put(text).map_err(|e| self.fault(&e));
        put(&mut writer, before)?;
        let spans = |all: &[StepSpan], chosen: &[usize]| -> Vec<StepSpan> {
            chosen.iter().filter_map(|k| all.get(*k).copied()).collect()
        };
        let states = spans(moment.frames(), &choice.states);
        let contacts = spans(&moment.contact_steps, &choice.contacts);
        writer.add("frames", &times(&states, &contacts), self)?;
        self.add_packs(&mut writer, moment, choice, progress)?;
        let index = index(moment, choice, &states, std::mem::take(&mut writer.packs));
        put(&mut writer, &index)?;
        put(&mut writer, after)?;
        let bytes = writer.bytes;
        // Flush and sync before the rename.
        let file = writer
            .file
            .into_inner()
            .map_err(|e| self.fault(e.error()))?;
        file.sync_all().map_err(|e| self.fault(&e))?;
        Ok(bytes)
    }

    fn add_packs(
        &self,
        writer: &mut Writer,
        moment: &RunSnapshot,
        choice: &HtmlContent,
        progress: &mut dyn FnMut(f64),
    ) -> Result<(), ViewError> {
        // Tables of the whole run.
        for (name, ask) in [
            ("shapes", Query::Shapes),
            ("steps", Query::Steps(None)),
            ("drawing", Query::Drawing),
        ] {
            if let Some(pack) = pack(moment, &ask)? {
                writer.add(name, &pack, self)?;
            }
        }
        if !moment.has_bodies() {
            return Ok(());
        }
        let total = (choice.states.len() + choice.contacts.len()).max(1) as f64;
        // States and contacts, renumbered.
        for (k, frame) in choice.states.iter().enumerate() {
            let mut pack = moment.bodies(*frame)?;
            pack.insert_header("frame", k);
            writer.add(&format!("bodies/{k}"), &pack, self)?;
            progress(k as f64 / total);
        }
        for (k, frame) in choice.contacts.iter().enumerate() {
            let mut pack = moment.contacts_table(*frame)?;
            pack.insert_header("frame", k);
            writer.add(&format!("contacts/{k}"), &pack, self)?;
            progress((choice.states.len() + k) as f64 / total);
        }
        Ok(())
    }

    pub fn persist(mut self) -> Result<(), ViewError> {
        fs::rename(&self.path, &self.out).map_err(|e| self.fault(&e))?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if !self.kept {
            let _ = fs::remove_file(&self.path);
        }
    }
}

struct Writer {
    file: BufWriter<File>,
    bytes: u64,
    packs: Map<String, Value>,
}

impl Writer {
    fn put(&mut self, text: &str) -> io::Result<()> {
        self.bytes += text.len() as u64;
        self.file.write_all(text.as_bytes())
    }

    fn add(
        &mut self,
        name: &str,
        pack: &BinaryTable,
        draft: &TemporaryFile,
    ) -> Result<(), ViewError> {
        let (text, bytes) = compressed_base64(pack)?;
        self.packs.insert(name.into(), json!({ "bytes": bytes }));
        let put = |writer: &mut Self| {
            writer.put("<script type=\"application/octet-stream;base64\" id=\"pack:")?;
            writer.put(name)?;
            writer.put("\">")?;
            writer.put(&text)?;
            writer.put("</script>\n")
        };
        put(self).map_err(|e| draft.fault(&e))
    }
}

/// The index element, which lists the content of the file.
fn index(
    moment: &RunSnapshot,
    choice: &HtmlContent,
    states: &[StepSpan],
    packs: Map<String, Value>,
) -> String {
    let mut about = moment.about();
    about["frames"] = states.len().into();
    about["contact_frames"] = choice.contacts.len().into();
    if let (Some(first), Some(last)) = (states.first(), states.last()) {
        about["time"]["from"] = first.t.into();
        about["time"]["to"] = last.t.into();
    }
    about["thinned"] = choice.thinned.clone();
    // The path of the run directory is removed: a file that is shared should not reveal it.
    let place = moment.record.directory().display().to_string();
    if let Value::Object(about) = &mut about {
        about.remove("directory");
    }
    for note in about["notes"].as_array_mut().into_iter().flatten() {
        let told = note.as_str().unwrap_or_default();
        *note = told.replace(&place, &moment.record.manifest().scene).into();
    }
    let index = json!({
        "format": 1, "about": about, "compression": "deflate-raw", "packs": packs,
    });
    // `<` is escaped, so that no text can end the element.
    let text = index.to_string().replace('<', "\\u003c");
    format!("<script type=\"application/json\" id=\"percuss-index\">{text}</script>\n")
}
