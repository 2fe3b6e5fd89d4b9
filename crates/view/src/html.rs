//! A run as one file: the page with the packs in it, to be opened from disk and passed on.
//!
//! ```text
//! page … <script type="application/json" id="percuss-index"> { about, packs } </script>
//!        <script type="application/octet-stream;base64" id="pack:bodies/0"> base64(deflate(pack)) </script> …
//! ```
//!
//! States are left out evenly until the file keeps its bound; the first and the last stay. How many that
//! takes is estimated from a few states and put right by what comes out. What was left out is told in the
//! file (`thinned`). A pack is in memory at a time; the file appears under its name when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use scene::record::RecordError;
use serde_json::{Map, Value, json};

use crate::error::ViewError;
use crate::index::Span;
use crate::moment::Moment;
use crate::pack::Pack;
use crate::page::{MARKER, PAGE};
use crate::route::Ask;
use crate::states::times;

/// Bytes of a file where nothing is said.
pub const BUDGET: u64 = 60_000_000;

/// States that the size of a file is estimated from.
const SAMPLES: usize = 6;

/// What goes into the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Every so many recorded states; as many as there is room for without it.
    pub every: Option<usize>,
    /// Earliest time.
    pub from: Option<f64>,
    /// Latest time.
    pub until: Option<f64>,
    /// Bytes at most.
    pub most: u64,
    /// Whether contacts are in it.
    pub contacts: bool,
    /// Whether a file that is there is replaced.
    pub force: bool,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            every: None,
            from: None,
            until: None,
            most: BUDGET,
            contacts: true,
            force: false,
        }
    }
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// Bytes of the file.
    pub bytes: u64,
    /// States in it.
    pub states: usize,
    /// States in the records, between the times asked for.
    pub of: usize,
    /// Steps whose contacts are in it.
    pub contacts: usize,
}

/// Writes a run as one file. `progress` hears the share done.
///
/// # Errors
/// There is such a file, there is no state at these times, one state alone is too large, the records are
/// damaged, or the machine refuses.
pub fn write(
    moment: &Moment,
    out: &Path,
    request: &Request,
    progress: &mut dyn FnMut(f64),
) -> Result<Exported, ViewError> {
    let shown = out.display();
    if out.is_dir() {
        let text = format!("{shown}: this is a folder; name a file, such as {shown}/run.html");
        return Err(ViewError::Question(text));
    }
    if out.exists() && !request.force {
        let text = format!("{shown}: this file is there already; add --force, or name another");
        return Err(ViewError::Question(text));
    }
    let all = chosen(moment, request)?;
    let mut every = match request.every {
        Some(every) => every.max(1),
        None => estimate(moment, request, &all)?,
    };
    loop {
        let choice = Choice::new(moment, request, &all, every);
        let draft = Draft::new(out)?;
        let bytes = draft.fill(moment, &choice, progress)?;
        if bytes <= request.most {
            draft.keep()?;
            return Ok(Exported {
                bytes,
                states: choice.states.len(),
                of: all.len(),
                contacts: choice.contacts.len(),
            });
        }
        if request.every.is_some() || choice.states.len() <= 1 {
            return Err(ViewError::Question(too_large(
                moment, request, bytes, &choice,
            )));
        }
        // Rounded up, and a little more: what is left out need not be of the usual size.
        let ratio = bytes as f64 / request.most as f64;
        every = (every + 1).max((every as f64 * ratio * 1.02).ceil() as usize);
    }
}

fn too_large(moment: &Moment, request: &Request, bytes: u64, choice: &Choice) -> String {
    let states = match choice.states.len() {
        0 => "the run".to_string(),
        1 => "one state alone".to_string(),
        n => format!("{n} states"),
    };
    let without = match request.contacts && !moment.touched.is_empty() {
        true => ", leave contacts out with --no-contacts",
        false => "",
    };
    let fewer = match request.every {
        Some(_) => ", a larger --every",
        None => "",
    };
    format!(
        "{states} would take {:.1} MB, and at most {:.1} MB are allowed; give a larger --max-size{fewer}{without}",
        bytes as f64 / 1e6,
        request.most as f64 / 1e6
    )
}

/// The recorded states between the times asked for. A run that has none may still have an account and a
/// drawing.
fn chosen(moment: &Moment, request: &Request) -> Result<Vec<usize>, ViewError> {
    let frames = moment.frames();
    let low = request.from.unwrap_or(f64::NEG_INFINITY);
    let high = request.until.unwrap_or(f64::INFINITY);
    let within = |(_, span): &(usize, &Span)| low <= span.t && span.t <= high;
    let all: Vec<usize> = frames
        .iter()
        .enumerate()
        .filter(within)
        .map(|(k, _)| k)
        .collect();
    match (all.is_empty(), frames.first(), frames.last()) {
        (true, Some(first), Some(last)) => Err(ViewError::Question(format!(
            "{}: no state is recorded at these times; the records go from t = {} to t = {}: choose --from \
             and --until among them",
            moment.record.directory().display(),
            first.t,
            last.t
        ))),
        _ => Ok(all),
    }
}

/// How many states must be passed over for the file to keep its bound, about.
fn estimate(moment: &Moment, request: &Request, all: &[usize]) -> Result<usize, ViewError> {
    let mut fixed = PAGE.len();
    for ask in [Ask::Frames, Ask::Shapes, Ask::Steps(None), Ask::Drawing] {
        fixed += packed(moment, &ask)?.map_or(0, |text| text.len());
    }
    if !moment.has_bodies() || all.is_empty() {
        return Ok(1);
    }
    let samples = SAMPLES.min(all.len());
    let mut sampled = 0;
    for k in 0..samples {
        let place = k * (all.len() - 1) / (samples - 1).max(1);
        let Some(frame) = all.get(place) else {
            continue;
        };
        sampled += packed(moment, &Ask::Bodies(*frame))?.map_or(0, |text| text.len());
        let span = moment.frames().get(*frame);
        let touched = span.and_then(|span| contact_at(moment, span.step));
        if let Some(contact) = touched.filter(|_| request.contacts) {
            sampled += packed(moment, &Ask::Contacts(contact))?.map_or(0, |text| text.len());
        }
    }
    let room = (request.most as f64 - fixed as f64).max(1.0);
    let whole = sampled as f64 / samples as f64 * all.len() as f64;
    Ok(((whole / room).ceil() as usize).clamp(1, all.len()))
}

/// The last step whose contacts are known at a step.
fn contact_at(moment: &Moment, step: i64) -> Option<usize> {
    let after = moment.touched.partition_point(|span| span.step <= step);
    after.checked_sub(1)
}

/// What goes into a file.
struct Choice {
    /// Numbers of the states and of the steps whose contacts are in it.
    states: Vec<usize>,
    contacts: Vec<usize>,
    thinned: Value,
}

impl Choice {
    fn new(moment: &Moment, request: &Request, all: &[usize], every: usize) -> Self {
        let mut states: Vec<usize> = all.iter().step_by(every).copied().collect();
        if let Some(last) = all.last()
            && request.every.is_none()
            && states.last() != Some(last)
        {
            states.push(*last);
        }
        let spans = states.iter().filter_map(|k| moment.frames().get(*k));
        let mut contacts: Vec<usize> = match moment.has_bodies() && request.contacts {
            true => spans
                .filter_map(|span| contact_at(moment, span.step))
                .collect(),
            false => Vec::new(),
        };
        contacts.dedup();
        let recorded = moment.frames().len();
        let less = states.len() < recorded || contacts.len() < moment.touched.len();
        let thinned = match less && moment.has_bodies() {
            false => Value::Null,
            true => json!({
                "frames": states.len(), "of": recorded, "every": every,
                "contact_frames": contacts.len(), "contacts_of": moment.touched.len(),
                "contacts": request.contacts, "from": request.from, "until": request.until,
                "limit_bytes": request.most,
            }),
        };
        Self {
            states,
            contacts,
            thinned,
        }
    }
}

/// A pack deflated and in base64; nothing where the run has none.
fn packed(moment: &Moment, ask: &Ask) -> Result<Option<String>, ViewError> {
    match pack(moment, ask)? {
        Some(pack) => Ok(Some(squeezed(&pack)?.0)),
        None => Ok(None),
    }
}

fn pack(moment: &Moment, ask: &Ask) -> Result<Option<Pack>, ViewError> {
    match moment.pack(ask) {
        Ok(pack) => Ok(Some(pack)),
        // What was not recorded is told among the notes.
        Err(error) if error.status() == 404 => Ok(None),
        Err(error) => Err(error),
    }
}

/// A pack deflated and in base64, and its bytes before.
fn squeezed(pack: &Pack) -> Result<(String, usize), ViewError> {
    let bytes = pack.encode();
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    let done = encoder.write_all(&bytes).and_then(|()| encoder.finish());
    let small = done.map_err(|e| ViewError::Scene(format!("a table cannot be compressed: {e}")))?;
    Ok((STANDARD.encode(small), bytes.len()))
}

/// A file that is being written, beside the one it will be.
struct Draft {
    path: PathBuf,
    out: PathBuf,
    kept: bool,
}

impl Draft {
    fn new(out: &Path) -> Result<Self, ViewError> {
        // A link is kept and the file behind it replaced.
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

    /// Writes everything; the bytes of the file.
    fn fill(
        &self,
        moment: &Moment,
        choice: &Choice,
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
        let page = String::from_utf8_lossy(PAGE);
        let (before, after) = page.split_once(MARKER).unwrap_or((&page, ""));
        let put = |writer: &mut Writer, text: &str| writer.put(text).map_err(|e| self.fault(&e));
        put(&mut writer, before)?;
        let spans = |all: &[Span], chosen: &[usize]| -> Vec<Span> {
            chosen.iter().filter_map(|k| all.get(*k).copied()).collect()
        };
        let states = spans(moment.frames(), &choice.states);
        let contacts = spans(&moment.touched, &choice.contacts);
        let mut add = |name: String, pack: &Pack| writer.add(&name, pack, self);
        add("frames".into(), &times(&states, &contacts))?;
        for (name, ask) in [
            ("shapes", Ask::Shapes),
            ("steps", Ask::Steps(None)),
            ("drawing", Ask::Drawing),
        ] {
            if let Some(pack) = pack(moment, &ask)? {
                add(name.into(), &pack)?;
            }
        }
        if moment.has_bodies() {
            let total = (choice.states.len() + choice.contacts.len()).max(1) as f64;
            for (k, frame) in choice.states.iter().enumerate() {
                let mut pack = moment.bodies(*frame)?;
                pack.tell("frame", k);
                add(format!("bodies/{k}"), &pack)?;
                progress(k as f64 / total);
            }
            for (k, frame) in choice.contacts.iter().enumerate() {
                let mut pack = moment.touches(*frame)?;
                pack.tell("frame", k);
                add(format!("contacts/{k}"), &pack)?;
                progress((choice.states.len() + k) as f64 / total);
            }
        }
        let index = index(moment, choice, &states, std::mem::take(&mut writer.packs));
        put(&mut writer, &index)?;
        put(&mut writer, after)?;
        let bytes = writer.bytes;
        let file = writer
            .file
            .into_inner()
            .map_err(|e| self.fault(e.error()))?;
        file.sync_all().map_err(|e| self.fault(&e))?;
        Ok(bytes)
    }

    fn keep(mut self) -> Result<(), ViewError> {
        fs::rename(&self.path, &self.out).map_err(|e| self.fault(&e))?;
        self.kept = true;
        Ok(())
    }
}

impl Drop for Draft {
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

    fn add(&mut self, name: &str, pack: &Pack, draft: &Draft) -> Result<(), ViewError> {
        let (text, bytes) = squeezed(pack)?;
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

/// The element that says what is in the file.
fn index(moment: &Moment, choice: &Choice, states: &[Span], packs: Map<String, Value>) -> String {
    let mut about = moment.about();
    about["frames"] = states.len().into();
    about["contact_frames"] = choice.contacts.len().into();
    if let (Some(first), Some(last)) = (states.first(), states.last()) {
        about["time"]["from"] = first.t.into();
        about["time"]["to"] = last.t.into();
    }
    about["thinned"] = choice.thinned.clone();
    // A file that is passed on does not tell where it was made.
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
    // Nothing in a text can end the element.
    let text = index.to_string().replace('<', "\\u003c");
    format!("<script type=\"application/json\" id=\"percuss-index\">{text}</script>\n")
}
