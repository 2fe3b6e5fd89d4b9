//! `percuss export`: records in formats of other programs.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use percuss_record::export::{self, VtkOptions};
use percuss_record::{CellValue, Record};

use crate::console;
use crate::error::{CommandError, CommandStatus};
use crate::html::{self, ExportRange, HtmlArgs};
use crate::lines::{RowTextWriter, TableFormat};
use crate::output;
use crate::pictures::{self, CommonOptions, PictureArgs};
use crate::progress::Progress;
use crate::table_command::{self, Columns};

/// Write a run for others: pictures, films, one page, ParaView files, CSV
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    percuss export runs/wall-1 --vtk wall-vtk            open wall-vtk/shapes.pvd in ParaView\n  \
    percuss export runs/silo-1 --vtk out --every 5 --chains\n  \
    percuss export runs/jacks-1 --vtk out --from 0.5 --until 1 --tessellate 24\n  \
    percuss export runs/pendulum-1 --csv tables          all tables as text\n  \
    percuss export runs/wall-1 --html wall.html          the page with the run in it, to pass on\n  \
    percuss export runs/wall-1 --png wall.png --at 2.5   a picture of the bodies\n  \
    percuss export runs/silo-1 --png silo.png --size 1600x1000 --colour speed --view 1,-1,0.4\n  \
    percuss export runs/wall-1 --gif wall.gif --forces   a film\n  \
    percuss export runs/wall-1 --mp4 wall.mp4 --size 1280x720 --fps 30 --speed 0.5\n\n\
    Parquet needs no export: the files of a run are read as they are by polars, DuckDB, pandas, R.\n\
    Exit status: 0 written; 2 there is no such run, it has nothing of that sort, the file is there or\n\
    the folder holds files; 3 the files cannot be written, or ffmpeg is missing.")]
pub struct ExportArgs {
    /// The directory of a run
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// ParaView files (.vtp, .pvd) into this folder, new or empty
    #[arg(
        long,
        value_name = "OUT",
        conflicts_with = "csv",
        required_unless_present_any = ["csv", "html", "png", "svg", "gif", "mp4"]
    )]
    vtk: Option<PathBuf>,

    /// All tables as CSV into this folder, new or empty
    #[arg(long, value_name = "OUT")]
    csv: Option<PathBuf>,

    #[command(flatten)]
    html: HtmlArgs,

    /// Every N-th recorded state (ParaView, page, films)
    #[arg(long, value_name = "N", value_parser = count, conflicts_with = "csv")]
    every: Option<usize>,

    /// No state before this time (ParaView, page, films)
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = table_command::time,
          conflicts_with = "csv")]
    from: Option<f64>,

    /// No state after this time (ParaView, page, films)
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = table_command::time,
          conflicts_with = "csv")]
    until: Option<f64>,

    /// Corners around round shapes, 3 to 256; discs and balls, otherwise points with a radius, become
    /// surfaces, too [default: 16 for capsules and cylinders]
    #[arg(long, value_name = "N", value_parser = corners, conflicts_with = "csv")]
    tessellate: Option<usize>,

    /// Lines between bodies that press on each other, too (ParaView); force chains in colour (pictures)
    #[arg(long, conflicts_with = "csv")]
    chains: bool,

    /// Replace the files of an earlier export in the folder, or the file that is there
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    picture: PictureArgs,

    /// No progress bar and no messages
    #[arg(long, short)]
    quiet: bool,
}

fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n > 0 => Ok(n),
        _ => Err("it must be a whole number, 1 or more".into()),
    }
}

fn corners(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if (3..=256).contains(&n) => Ok(n),
        _ => Err("it must be a whole number from 3 to 256".into()),
    }
}

/// Runs the command.
pub fn run(args: &ExportArgs) -> Result<CommandStatus, CommandError> {
    let record = Record::open(&args.directory)?;
    // Pictures and films.
    if args.picture.wanted() {
        return picture(args, &record);
    }
    if let Some(name) = args.picture.given() {
        return Err(CommandError::Input(format!(
            "{name} is for pictures and films (--png, --svg, --gif, --mp4): leave it out"
        )));
    }
    // Page, ParaView files or CSV.
    let progress = Progress::of_shares(args.quiet);
    progress.at("exporting");
    let told = match (&args.vtk, &args.csv) {
        _ if args.html.html.is_some() => page(args, &progress)?,
        (Some(out), _) => vtk(args, &record, out, &progress)?,
        (None, Some(out)) => csv(args, &record, out, &progress)?,
        (None, None) => {
            return Err(CommandError::Input(
                "say --vtk OUT, --csv OUT or --html FILE".into(),
            ));
        }
    };
    drop(progress);
    if !args.quiet {
        output::print(&told)?;
    }
    Ok(CommandStatus::Success)
}

fn picture(args: &ExportArgs, record: &Record) -> Result<CommandStatus, CommandError> {
    if args.tessellate.is_some() {
        return Err(CommandError::Input(
            "--tessellate is for --vtk: leave it out".into(),
        ));
    }
    let shared = CommonOptions {
        every: args.every,
        from: args.from,
        until: args.until,
        chains: args.chains,
        force: args.force,
        quiet: args.quiet,
    };
    pictures::run(&args.picture, record, &shared)
}

fn page(args: &ExportArgs, progress: &Progress) -> Result<String, CommandError> {
    let Some(out) = &args.html.html else {
        return Ok(String::new());
    };
    let chosen = ExportRange {
        every: args.every,
        from: args.from,
        until: args.until,
        force: args.force,
    };
    html::write(&args.html, &args.directory, out, &chosen, progress)
}

fn vtk(
    args: &ExportArgs,
    record: &Record,
    out: &Path,
    progress: &Progress,
) -> Result<String, CommandError> {
    let request = VtkOptions {
        every: args.every.unwrap_or(1),
        from: args.from,
        until: args.until,
        tessellate: args.tessellate,
        chains: args.chains,
        force: args.force,
    };
    let mut tell = |share: f64| progress.share(share, || "exporting".into());
    let done = export::vtk(record, out, &request, &mut tell)?;
    if !args.quiet {
        let say = |note: &String| progress.aside(|| console::message(note));
        done.notes.iter().for_each(say);
    }
    let states = match done.states {
        1 => "1 state".to_string(),
        n => format!("{n} states"),
    };
    let shown = out.display();
    Ok(format!(
        "{states} in {shown}; open {shown}/shapes.pvd, bodies.pvd and contacts.pvd in ParaView\n"
    ))
}

/// Name of the file that describes the columns.
const COLUMNS: &str = "columns.csv";

fn csv(
    args: &ExportArgs,
    record: &Record,
    out: &Path,
    progress: &Progress,
) -> Result<String, CommandError> {
    let tables = &record.manifest().tables;
    let name = |table: &str| format!("{table}.csv");
    // Files of an earlier export may be replaced.
    let ours = |file: &str| {
        let known = tables.iter().any(|t| name(&t.name) == file);
        known || file == COLUMNS || file == "findings.csv"
    };
    export::prepare_folder(out, args.force, ours)?;
    // One file per table, then findings and the description of columns.
    for (k, table) in tables.iter().enumerate() {
        let view = Columns::of(record, &table.name, None)?;
        write(&out.join(name(&table.name)), &view.headings, |lines| {
            let done = |share: f64| (k as f64 + share) / tables.len() as f64;
            let mut tell = |share: f64| progress.share(done(share), || table.name.clone());
            table_command::all_rows(record, &table.name, &view, lines, &mut tell)
        })?;
    }
    let mut count = tables.len() + 1;
    if record.manifest().findings.is_some() {
        let columns = table_command::FINDINGS.map(String::from).to_vec();
        write(&out.join("findings.csv"), &columns, |lines| {
            table_command::findings(record, &columns, lines)
        })?;
        count += 1;
    }
    explain(record, &out.join(COLUMNS))?;
    Ok(format!(
        "{count} files in {}; units are in {COLUMNS}\n",
        out.display()
    ))
}

/// Writes the description of the columns of all tables.
fn explain(record: &Record, path: &Path) -> Result<(), CommandError> {
    let headings = ["table", "column", "type", "unit", "meaning"].map(String::from);
    write(path, &headings, |lines| {
        for table in &record.manifest().tables {
            for column in &table.columns {
                let kind = serde_json::to_value(column.kind).unwrap_or_default();
                lines.begin();
                lines.cell(CellValue::Text(&table.name));
                lines.cell(CellValue::Text(&column.name));
                lines.value(&kind);
                lines.cell(CellValue::Text(&column.unit));
                lines.cell(CellValue::Text(&column.meaning));
                lines.end()?;
            }
        }
        Ok(())
    })
}

/// Writes a CSV file; an incomplete one is removed.
fn write(
    path: &Path,
    headings: &[String],
    fill: impl FnOnce(&mut RowTextWriter<'_>) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    let fault = |e: std::io::Error| {
        CommandError::Machine(format!(
            "{}: cannot write this file: {e}; free space, or name another folder",
            path.display()
        ))
    };
    // Rows as CSV through a buffer.
    let file = File::create(path).map_err(fault)?;
    let mut file = BufWriter::new(file);
    let done = {
        let mut out = |piece: &[u8]| file.write_all(piece).map_err(fault);
        let mut lines = RowTextWriter::new(TableFormat::Csv, headings, true, &mut out);
        fill(&mut lines).and_then(|()| lines.close())
    };
    let done = done.and_then(|()| file.flush().map_err(fault));
    if done.is_err() {
        let _ = fs::remove_file(path);
    }
    done
}
