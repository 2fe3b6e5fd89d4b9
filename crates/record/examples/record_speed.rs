//! How fast records are written, and a long record to try readers on: copies the states of a run again and
//! again, with other numbers of steps, until the tables `bodies` and `contacts` have the size asked for.
//!
//! ```text
//! cargo run --release -p percuss-record --example record_speed -- SOURCE TARGET GIGABYTES
//! ```
//!
//! SOURCE is the directory of a run of bodies, TARGET a new directory. On a file system in memory the time
//! is that of encoding.

use std::path::{Path, PathBuf};
use std::time::Instant;

use percuss_record::{CHUNK_ROWS, ColumnValues, Manifest, Record, Table, TableWriter};

type Failed = Box<dyn std::error::Error>;

/// A table that is copied.
struct Copied {
    name: &'static str,
    source: Table,
    writer: TableWriter,
    /// Bytes on disk and seconds.
    bytes: u64,
    seconds: f64,
    chunks: usize,
    /// Rows written, and steps of the copies before.
    rows: usize,
    shift: i64,
}

impl Copied {
    fn of(record: &Record, name: &'static str) -> Result<Self, Failed> {
        let source = record.table(name, None)?;
        if source.rows == 0 {
            return Err(format!("the table {name} of the source is empty").into());
        }
        Ok(Self {
            writer: TableWriter::new(name, source.columns.clone()),
            name,
            source,
            bytes: 0,
            seconds: 0.0,
            chunks: 0,
            rows: 0,
            shift: 0,
        })
    }

    /// Writes one full chunk.
    fn chunk(&mut self, directory: &Path) -> Result<(), Failed> {
        let steps = match self.source.values.first() {
            Some(ColumnValues::Integer(steps)) => steps.last().copied().unwrap_or(0) + 1,
            _ => 1,
        };
        for _ in 0..CHUNK_ROWS {
            let row = self.rows % self.source.rows;
            let columns = self.writer.values().iter_mut().zip(&self.source.values);
            for (k, (to, from)) in columns.enumerate() {
                match (to, from) {
                    (ColumnValues::Integer(to), ColumnValues::Integer(from)) => {
                        to.push(from[row] + if k == 0 { self.shift } else { 0 });
                    }
                    (ColumnValues::Real(to), ColumnValues::Real(from)) => to.push(match k {
                        // Times go on as steps do.
                        1 => from[row] + self.shift as f64,
                        _ => from[row],
                    }),
                    (ColumnValues::Optional(to), ColumnValues::Optional(from)) => {
                        to.push(from[row])
                    }
                    (ColumnValues::Truth(to), ColumnValues::Truth(from)) => to.push(from[row]),
                    (ColumnValues::Text(to), ColumnValues::Text(from)) => {
                        to.push(from[row].clone())
                    }
                    _ => {}
                }
            }
            self.rows += 1;
            if self.rows.is_multiple_of(self.source.rows) {
                self.shift += steps;
            }
        }
        let start = Instant::now();
        self.writer.close(directory)?;
        self.seconds += start.elapsed().as_secs_f64();
        let file: PathBuf = format!("{}-{:06}.parquet", self.name, self.chunks).into();
        self.bytes += std::fs::metadata(directory.join(file))?.len();
        self.chunks += 1;
        Ok(())
    }

    fn report(&self) {
        let columns = self.source.columns.len();
        let values = 8.0 * (self.chunks * CHUNK_ROWS * columns) as f64;
        println!(
            "{}: {} rows in {} files, {:.1} bytes a row; {:.0} MB/s of values, {:.0} MB/s on disk",
            self.name,
            self.rows,
            self.chunks,
            self.bytes as f64 / self.rows as f64,
            values / self.seconds / 1e6,
            self.bytes as f64 / self.seconds / 1e6
        );
    }
}

fn main() -> Result<(), Failed> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, target, size] = arguments.as_slice() else {
        return Err("usage: record_speed SOURCE TARGET GIGABYTES".into());
    };
    let (target, size) = (Path::new(target), size.parse::<f64>()? * 1e9);
    let record = Record::open(Path::new(source))?;
    std::fs::create_dir(target)?;
    let mut tables = [
        Copied::of(&record, "bodies")?,
        Copied::of(&record, "contacts")?,
    ];
    // As many of the one as of the other that the source has.
    while tables.iter().map(|t| t.bytes as f64).sum::<f64>() < size {
        let behind = |t: &Copied| t.rows as f64 / t.source.rows as f64;
        let k = usize::from(behind(&tables[0]) > behind(&tables[1]));
        tables[k].chunk(target)?;
    }
    let mut names = TableWriter::new("names", record.entry("names")?.columns.clone());
    let all = record.table("names", None)?;
    names.values().clone_from_slice(&all.values);
    names.close(target)?;
    let mut manifest: Manifest = record.manifest().clone();
    manifest.tables = [&names, &tables[0].writer, &tables[1].writer]
        .map(|t| t.entry(true))
        .to_vec();
    manifest.write(target)?;
    tables.iter().for_each(Copied::report);
    Ok(())
}
