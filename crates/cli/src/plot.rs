//! `percuss plot`: pictures of a run.

use std::path::PathBuf;

use clap::Args;
use scene::plot::{Gallery, png};
use scene::record::Record;

use crate::output::{self, Stop, Target, Verdict};
use crate::progress::Progress;
use crate::run::ThreadArgs;
use crate::table;

/// Draw a picture of a run: what its scene declares, energies, residuals, phase portraits, bodies
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    percuss plot runs/pendulum-1                        list the pictures there are\n  \
    percuss plot runs/pendulum-1 energy\n  \
    percuss plot runs/pendulum-1 phase:theta -o portrait.png\n  \
    percuss plot runs/wall-1 picture:2.5 -o wall.png    bodies at an instant\n  \
    percuss plot runs/wall-1 forces                     forces between them at the end\n\n\
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

    #[command(flatten)]
    threads: ThreadArgs,

    /// No messages
    #[arg(long, short)]
    quiet: bool,
}

/// The format of a picture file.
#[derive(Clone, Copy)]
enum Format {
    Svg,
    Png,
}

/// Runs the command.
pub fn run(args: &PlotArgs) -> Result<Verdict, Stop> {
    let record = Record::open(&args.directory)?;
    let gallery = Gallery::of(&record)?;
    let Some(what) = &args.what else {
        let rows = gallery
            .list()?
            .into_iter()
            .map(|(name, title)| [name, title]);
        output::print(&table::aligned(&rows.collect::<Vec<_>>()))?;
        return Ok(Verdict::Well);
    };
    let path = args
        .output
        .clone()
        .unwrap_or_else(|| args.directory.join(file_name(what)));
    let format = format(&path)?;
    let progress = Progress::of_unknown(args.quiet);
    progress.at("drawing");
    let text = gallery.svg(what, args.threads.get(), &mut |note| {
        progress.at(note);
        if !args.quiet {
            output::message(note);
        }
    })?;
    drop(progress);
    let target = Target::new(&path)?;
    let failed = |e: String| Stop::Fault(format!("cannot draw the picture: {e}"));
    match format {
        Format::Svg => target.write(&text)?,
        Format::Png => target.write(png(&text).map_err(failed)?)?,
    }
    if !args.quiet {
        output::print(&format!("{}\n", path.display()))?;
    }
    Ok(Verdict::Well)
}

fn format(path: &std::path::Path) -> Result<Format, Stop> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("svg") => Ok(Format::Svg),
        Some("png") => Ok(Format::Png),
        _ => Err(Stop::Input(format!(
            "{}: a picture is .svg or .png; name the file accordingly",
            path.display()
        ))),
    }
}

/// A name for the file of a picture that every file system takes.
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
