//! Export of a run to one HTML file: the page with the binary tables embedded, which opens from disk.
//!
//! ```text
//! page … <script type="application/json" id="percuss-index"> { about, packs } </script>
//!        <script type="application/octet-stream;base64" id="pack:bodies/0"> base64(deflate(table)) </script> …
//! ```
//!
//! States are left out evenly until the file keeps its size limit; the first and the last stay. The stride is
//! estimated from a few states and corrected by the size of the result. The file states what was left out
//! (`thinned`). One binary table is in memory at a time; the file appears under its name when it is complete
//! (write to a temporary file, rename).

mod draft;

use std::path::Path;

use serde_json::{Value, json};

use draft::{TemporaryFile, packed};

use crate::error::ViewError;
use crate::index::StepSpan;
use crate::moment::RunSnapshot;
use crate::page::PAGE;
use crate::route::Query;

/// Default size limit in bytes.
pub const BUDGET: u64 = 60_000_000;

/// Number of states from which the size of a file is estimated.
const SAMPLES: usize = 6;

/// Options of an HTML export.
#[derive(Debug, Clone, PartialEq)]
pub struct HtmlOptions {
    /// Stride over the recorded states; chosen by the size limit if not given.
    pub every: Option<usize>,
    /// Start of the time window.
    pub from: Option<f64>,
    /// End of the time window.
    pub until: Option<f64>,
    /// Size limit in bytes.
    pub most: u64,
    /// Whether contacts are included.
    pub contacts: bool,
    /// Whether an existing file is replaced.
    pub force: bool,
}

impl Default for HtmlOptions {
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

/// Summary of an HTML export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HtmlSummary {
    /// Bytes of the file.
    pub bytes: u64,
    /// States in it.
    pub states: usize,
    /// Recorded states in the time window.
    pub of: usize,
    /// Steps whose contacts are included.
    pub contacts: usize,
}

/// Writes a run as one HTML file. `progress` receives the fraction done.
///
/// # Errors
/// The file exists, no state lies in the time window, one state alone exceeds the limit, the records are
/// damaged, or writing fails.
pub fn write(
    moment: &RunSnapshot,
    out: &Path,
    request: &HtmlOptions,
    progress: &mut dyn FnMut(f64),
) -> Result<HtmlSummary, ViewError> {
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
        let choice = HtmlContent::new(moment, request, &all, every);
        let draft = TemporaryFile::new(out)?;
        let bytes = draft.fill(moment, &choice, progress)?;
        if bytes <= request.most {
            draft.persist()?;
            return Ok(HtmlSummary {
                bytes,
                states: choice.states.len(),
                of: all.len(),
                contacts: choice.contacts.len(),
            });
        }
        // With this stride only the first and the last state are left.
        if request.every.is_some() || every >= all.len() {
            return Err(ViewError::Question(too_large(
                moment, request, bytes, &choice,
            )));
        }
        // Rounded up with a margin: the sizes of states differ.
        let ratio = bytes as f64 / request.most as f64;
        every = (every + 1).max((every as f64 * ratio * 1.02).ceil() as usize);
    }
}

fn too_large(
    moment: &RunSnapshot,
    request: &HtmlOptions,
    bytes: u64,
    choice: &HtmlContent,
) -> String {
    // Advice by what takes the room.
    let states = match choice.states.len() {
        0 => "the run".to_string(),
        1 => "one state".to_string(),
        n => format!("{n} states"),
    };
    let without = match request.contacts && !moment.contact_steps.is_empty() {
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

/// The recorded states in the time window. A run without any may still have steps and a drawing.
fn chosen(moment: &RunSnapshot, request: &HtmlOptions) -> Result<Vec<usize>, ViewError> {
    let frames = moment.frames();
    let low = request.from.unwrap_or(f64::NEG_INFINITY);
    let high = request.until.unwrap_or(f64::INFINITY);
    // States in the time window.
    let within = |(_, span): &(usize, &StepSpan)| low <= span.t && span.t <= high;
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

/// Estimates the stride with which the file keeps its size limit.
fn estimate(
    moment: &RunSnapshot,
    request: &HtmlOptions,
    all: &[usize],
) -> Result<usize, ViewError> {
    let mut fixed = PAGE.len();
    for ask in [
        Query::Frames,
        Query::Shapes,
        Query::Steps(None),
        Query::Drawing,
    ] {
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
        sampled += packed(moment, &Query::Bodies(*frame))?.map_or(0, |text| text.len());
        let span = moment.frames().get(*frame);
        let touched = span.and_then(|span| contact_at(moment, span.step));
        if let Some(contact) = touched.filter(|_| request.contacts) {
            sampled += packed(moment, &Query::Contacts(contact))?.map_or(0, |text| text.len());
        }
    }
    let room = (request.most as f64 - fixed as f64).max(1.0);
    let whole = sampled as f64 / samples as f64 * all.len() as f64;
    Ok(((whole / room).ceil() as usize).clamp(1, all.len()))
}

/// The last step at or before a step whose contacts are recorded.
fn contact_at(moment: &RunSnapshot, step: i64) -> Option<usize> {
    let after = moment
        .contact_steps
        .partition_point(|span| span.step <= step);
    after.checked_sub(1)
}

/// Content of an HTML file.
struct HtmlContent {
    /// Indices of the states and of the contact steps that are included.
    states: Vec<usize>,
    contacts: Vec<usize>,
    thinned: Value,
}

impl HtmlContent {
    fn new(moment: &RunSnapshot, request: &HtmlOptions, all: &[usize], every: usize) -> Self {
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
        let less = states.len() < recorded || contacts.len() < moment.contact_steps.len();
        let thinned = match less && moment.has_bodies() {
            false => Value::Null,
            true => json!({
                "frames": states.len(), "of": recorded, "every": every,
                "contact_frames": contacts.len(), "contacts_of": moment.contact_steps.len(),
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
