//! Command line options.

use std::path::PathBuf;

/// The sections, in the order in which they run.
pub const PARTS: [&str; 8] = [
    "roofline", "engines", "moving", "files", "scaling", "profile", "height", "counters",
];

/// Destination of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Standard output, instead of the tables.
    Standard,
    /// A file.
    File(PathBuf),
}

/// The options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Destination of the ratios as JSON, if any.
    pub json: Option<Output>,
    /// File of all figures.
    pub figures: Option<PathBuf>,
    pub only: Vec<&'static str>,
    pub quick: bool,
    /// Whether the file of counters is rewritten.
    pub write: bool,
    /// Time limit in seconds of a method on a problem file.
    pub limit: u64,
    /// A directory with further problem files.
    pub files: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            json: None,
            figures: None,
            only: PARTS.to_vec(),
            quick: false,
            write: false,
            limit: 60,
            files: None,
        }
    }
}

/// The help text.
pub const HELP: &str = "usage: ./bench [--only NAME]... [--quick] [--json[=FILE]] [--figures FILE] [--files DIR] [--limit SECONDS]
               [--write]

Builds benches/ and measures percuss beside its peers and beside what this machine can do. The tables
go to standard output and, unless --quick is given, into docs/speed.md between their markers.

  --only NAME      one part (may be given again): roofline, engines, moving, files, scaling, profile,
                   height, counters
  --quick          short runs and small scenes; the documentation stays as it is
  --json[=FILE]    one JSON object of named ratios, each with both sides' figures: in a file, or instead
                   of the tables on standard output
  --figures FILE   keep all figures of all parts as JSON
  --files DIR      more problem files beside those of data/fclib and ../shared/fclib
  --limit SECONDS  most time of a method on a problem file (60), a tenth of the default's
  --write          counters: keep what was counted in benches/counters.toml
  --help           this text

Exit status: 0 all well, 1 a counter has grown by more than 3 % or a part failed, 2 wrong use.
";

impl Options {
    /// Parses the command line; `None` asks for help.
    pub fn parse(arguments: &[String]) -> Result<Option<Self>, String> {
        let mut options = Self::default();
        let mut only = Vec::new();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if let Some(file) = argument.strip_prefix("--json=") {
                if file.is_empty() {
                    return Err("--json= needs a file".into());
                }
                options.json = Some(Output::File(file.into()));
                continue;
            }
            match argument.as_str() {
                "--help" | "-h" => return Ok(None),
                "--quick" => options.quick = true,
                "--write" => options.write = true,
                "--json" => options.json = Some(Output::Standard),
                "--figures" => {
                    let file = rest.next().ok_or("--figures needs a file")?;
                    options.figures = Some(file.into());
                }
                "--only" => {
                    let name = rest.next().ok_or("--only needs the name of a part")?;
                    let known = PARTS.iter().find(|p| *p == name);
                    let known =
                        known.ok_or_else(|| format!("{name} is no part: {}", PARTS.join(", ")))?;
                    only.push(*known);
                }
                "--files" => {
                    let place = rest.next().ok_or("--files needs a directory")?;
                    options.files = Some(place.into());
                }
                "--limit" => {
                    let text = rest.next().ok_or("--limit needs a number of seconds")?;
                    let limit = text.parse().ok().filter(|l| *l > 0);
                    options.limit =
                        limit.ok_or_else(|| format!("{text} is no number of seconds"))?;
                }
                other => return Err(format!("{other} is not known; --help tells what is")),
            }
        }
        // Sections in their own order, each once.
        if !only.is_empty() {
            options.only = PARTS.into_iter().filter(|p| only.contains(p)).collect();
        }
        Ok(Some(options))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Option<Options>, String> {
        let words: Vec<String> = text.split_whitespace().map(String::from).collect();
        Options::parse(&words)
    }

    #[test]
    fn without_arguments_every_part_runs() {
        assert_eq!(parse(""), Ok(Some(Options::default())));
    }

    #[test]
    fn json_takes_a_file_or_none() {
        let of = |text| parse(text).expect("right use").expect("no help");
        assert_eq!(of("--json --quick").json, Some(Output::Standard));
        let file = Output::File("out.json".into());
        assert_eq!(of("--json=out.json --quick").json, Some(file));
        assert_eq!(of("--figures all.json").figures, Some("all.json".into()));
    }

    #[test]
    fn parts_run_in_their_order_once() {
        let options = parse("--only files --only engines --only files");
        let options = options.expect("right use").expect("no help");
        assert_eq!(options.only, ["engines", "files"]);
    }

    #[test]
    fn wrong_use_is_told() {
        for text in [
            "--only",
            "--json=",
            "--json out.json",
            "--figures",
            "--only nothing",
            "--limit",
            "--limit -1",
            "--limit 0",
            "fast",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(parse("--quick --help"), Ok(None));
    }
}
