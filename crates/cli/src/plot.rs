//! `percuss plot`: plots and pictures of a run.

use std::path::PathBuf;

use clap::Args;
use percuss_draw::plot::{PlotOptions, RunPlots};
use percuss_draw::rasterise::png;
use percuss_record::Record;

use crate::args::ThreadArgs;
use crate::console;
use crate::error::{CommandError, CommandStatus};
use crate::output::{self, OutputFile};
use crate::progress::Progress;
use crate::table_command::time;
use crate::text_table;

/// Draw a picture of a run: what its scene declares, energies, residuals, phase portraits, bodies
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    percuss plot runs/pendulum-1                        list the pictures there are\n  \
    percuss plot runs/pendulum-1 energy\n  \
    percuss plot runs/pendulum-1 phase:theta -o portrait.png\n  \
    percuss plot runs/woodpecker-1 drawing --at 0.5     a mechanism at an instant\n  \
    percuss plot runs/wall-1 picture:2.5 -o wall.png    bodies at an instant\n  \
    percuss plot runs/wall-1 forces                     forces between them at the end\n  \
    percuss plot runs/wall-1 bodies:t:y --where name=key --log-y\n  \
    percuss plot runs/wall-1 contacts:gap:impulse_n --at 2.5\n  \
    percuss plot runs/wall-1 histogram:contacts:impulse_n --at 2.5 --log-x\n  \
    percuss plot runs/wall-1 fabric:2.5                 directions of contact normals\n  \
    percuss plot runs/study-1 height --against e --by mu\n\n\
    Axes carry the units of the tables, in SI. A study over a grid of two keys is a map of\n\
    colours, one with repetitions shows means with standard errors.\n\
    Cases and studies that a picture shows beside the run itself are run for it.\n\
    Exit status: 0 drawn; 2 there is no such picture or run; 3 the file cannot be written.")]
pub struct PlotArgs {
    /// The directory of a run
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// Which picture; without it the pictures are listed
    #[arg(value_name = "WHAT")]
    what: Option<String>,

    /// The file, .svg or .png [default: DIR/WHAT.svg]
    #[arg(long, short, value_name = "FILE", requires = "what")]
    output: Option<PathBuf>,

    /// Only what is nearest to this time (columns of tables, histograms, roses, drawings)
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = time, requires = "what")]
    at: Option<f64>,

    /// Only rows in which a column has this value; bodies also by name (may be repeated)
    #[arg(long = "where", value_name = "COLUMN=VALUE", value_parser = condition, requires = "what")]
    only: Vec<(String, String)>,

    /// Decimal scale of the x axis
    #[arg(long, requires = "what")]
    log_x: bool,

    /// Decimal scale of the y axis
    #[arg(long, requires = "what")]
    log_y: bool,

    /// What a finding of a study is drawn over [default: the first key that was varied]
    #[arg(long, value_name = "KEY", requires = "what")]
    against: Option<String>,

    /// A series for each value of this key or column
    #[arg(long, value_name = "KEY", requires = "what")]
    by: Option<String>,

    /// The plane of a rose in space: xy, xz or yz [default: xz]
    #[arg(long, value_name = "PLANE", requires = "what")]
    plane: Option<String>,

    #[command(flatten)]
    threads: ThreadArgs,

    /// No messages
    #[arg(long, short)]
    quiet: bool,
}

fn condition(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((column, value)) if !column.trim().is_empty() => {
            Ok((column.trim().into(), value.trim().into()))
        }
        _ => Err("it must be COLUMN=VALUE, for example --where body=3".into()),
    }
}

/// The format of a picture file.
#[derive(Clone, Copy)]
enum PictureFormat {
    Svg,
    Png,
}

/// Runs the command.
pub fn run(args: &PlotArgs) -> Result<CommandStatus, CommandError> {
    let record = Record::open(&args.directory)?;
    let gallery = RunPlots::of(&record)?.with_options(PlotOptions {
        at: args.at,
        conditions: args.only.clone(),
        log_x: args.log_x,
        log_y: args.log_y,
        against: args.against.clone(),
        by: args.by.clone(),
        plane: args.plane.clone(),
    });
    // Without a name: list the plots.
    let Some(what) = &args.what else {
        let rows = gallery.list()?.into_iter().chain(gallery.name_patterns());
        let rows = rows.map(|(name, title)| [name, title]);
        output::print(&text_table::aligned(&rows.collect::<Vec<_>>()))?;
        return Ok(CommandStatus::Success);
    };
    let path = args
        .output
        .clone()
        .unwrap_or_else(|| args.directory.join(file_name(what)));
    let format = format(&path)?;
    // Draw; cases and studies are run if the plot needs them.
    let progress = Progress::of_unknown(args.quiet);
    progress.at("drawing");
    let text = gallery.svg(what, args.threads.get(), &mut |note| {
        progress.at(note);
        if !args.quiet {
            console::message(note);
        }
    })?;
    drop(progress);
    let target = OutputFile::new(&path)?;
    let failed = |e: String| CommandError::Machine(format!("cannot draw the picture: {e}"));
    // SVG, or PNG rasterised from it.
    match format {
        PictureFormat::Svg => target.write(&text)?,
        PictureFormat::Png => target.write(png(&text).map_err(failed)?)?,
    }
    if !args.quiet {
        output::print(&format!("{}\n", path.display()))?;
    }
    Ok(CommandStatus::Success)
}

fn format(path: &std::path::Path) -> Result<PictureFormat, CommandError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("svg") => Ok(PictureFormat::Svg),
        Some("png") => Ok(PictureFormat::Png),
        _ => Err(CommandError::Input(format!(
            "{}: a picture is .svg or .png; name the file accordingly",
            path.display()
        ))),
    }
}

/// A file name for a picture that is valid on every file system.
fn file_name(what: &str) -> String {
    let plain = |c: char| {
        if c.is_alphanumeric() || matches!(c, '-' | '_') {
            c
        } else {
            '-'
        }
    };
    what.chars().map(plain).collect::<String>() + ".svg"
}
