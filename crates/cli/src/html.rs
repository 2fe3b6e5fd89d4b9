//! `percuss export --html`: the viewer page with the run embedded, as one file.

use std::path::{Path, PathBuf};

use clap::Args;
use percuss_view::FollowedRun;
use percuss_view::html::{self, BUDGET, HtmlOptions};

use crate::error::CommandError;
use crate::progress::Progress;

/// What belongs to the page alone.
#[derive(Args)]
pub struct HtmlArgs {
    /// The page of `percuss view` with the run in it, as one file that opens anywhere
    #[arg(long, value_name = "FILE", conflicts_with_all = ["csv", "vtk", "tessellate", "chains"])]
    pub html: Option<PathBuf>,

    /// Size of the page with its data at most, in MB [default: 60]: states are left out evenly
    #[arg(long, value_name = "MB", value_parser = megabytes, requires = "html",
          conflicts_with_all = ["csv", "vtk"])]
    max_size: Option<u64>,

    /// Leave contacts out of the page
    #[arg(long, requires = "html", conflicts_with_all = ["csv", "vtk"])]
    no_contacts: bool,
}

fn megabytes(text: &str) -> Result<u64, String> {
    match text.parse::<f64>() {
        Ok(size) if size > 0.0 && size <= 1e6 => Ok((1e6 * size) as u64),
        _ => Err("it must be a number of megabytes above 0".into()),
    }
}

/// Range of states to export, and whether an existing file is replaced.
pub struct ExportRange {
    /// Stride over the states.
    pub every: Option<usize>,
    /// Start of the time window.
    pub from: Option<f64>,
    /// End of the time window.
    pub until: Option<f64>,
    /// Whether an existing file is replaced.
    pub force: bool,
}

/// Writes the file; returns a message about it.
pub fn write(
    args: &HtmlArgs,
    directory: &Path,
    out: &Path,
    chosen: &ExportRange,
    progress: &Progress,
) -> Result<String, CommandError> {
    let run = FollowedRun::open(directory)?;
    let moment = run.snapshot()?;
    let request = HtmlOptions {
        every: chosen.every,
        from: chosen.from,
        until: chosen.until,
        most: args.max_size.unwrap_or(BUDGET),
        contacts: !args.no_contacts,
        force: chosen.force,
    };
    let mut tell = |share: f64| progress.share(share, || "exporting".into());
    let done = html::write(&moment, out, &request, &mut tell)?;
    // Message: states and contacts included.
    let bodies = moment.record().entry("names").is_ok();
    let states = match (done.states, done.of) {
        _ if !bodies => "the run".to_string(),
        (0, _) => "the run".to_string(),
        (n, of) if n == of => format!("all {n} states"),
        (n, of) => format!("{n} of {of} states"),
    };
    let contacts = match done.contacts {
        0 => ", no contacts".to_string(),
        1 => ", contacts of 1 step".to_string(),
        n => format!(", contacts of {n} steps"),
    };
    let contacts = if bodies { contacts } else { String::new() };
    Ok(format!(
        "{states}{contacts} in {} ({:.1} MB); open it in a browser, no server is needed\n",
        out.display(),
        done.bytes as f64 / 1e6
    ))
}
