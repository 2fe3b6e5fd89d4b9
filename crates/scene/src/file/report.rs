//! What a scene asks to be run beside it and what it claims: cases, studies, findings, plots, pictures.
//!
//! Expressions stay text: their language is that of findings.

use crate::file::reader::Formula;

/// Overrides `key = value`, values as text.
pub type Overrides = Vec<(String, String)>;

/// The same scene with other values.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// One line about it.
    pub title: Option<String>,
    /// What is changed.
    pub set: Overrides,
    /// Where it begins in the file.
    pub line: usize,
}

/// How an interval is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spacing {
    /// Equal ratios instead of equal differences.
    pub log: bool,
    /// Whole numbers only, both ends included.
    pub whole: bool,
}

/// The values a study gives to one key.
#[derive(Debug, Clone, PartialEq)]
pub enum VariedValues {
    /// These, each an expression in the parameters or a word.
    List(Vec<String>),
    /// `count` equally spaced ones, both ends included.
    Even {
        /// First.
        from: Formula,
        /// Last.
        to: Formula,
        /// How many.
        count: usize,
        /// How the interval is divided.
        spacing: Spacing,
    },
    /// `count` values of an expression in `rnd`, uniform in [0, 1), and `gauss`, standard normal.
    Sample {
        /// The expression.
        text: Formula,
        /// How many.
        count: usize,
        /// Seed of the random numbers.
        seed: u64,
    },
    /// A Latin hypercube: one value at random in each of `count` parts of the interval, the parts in
    /// random order.
    Latin {
        /// One end.
        from: Formula,
        /// The other.
        to: Formula,
        /// How many.
        count: usize,
        /// Seed of the random numbers.
        seed: u64,
        /// How the interval is divided.
        spacing: Spacing,
    },
    /// The key's column of a list of points: all keys of the list go through their rows together.
    Column(Vec<String>),
    /// The same run again with the numbers `first`, `first + 1`, …: seeds.
    Repeat {
        /// The first number.
        first: u64,
        /// How many runs.
        count: usize,
    },
}

/// One key that a study varies.
#[derive(Debug, Clone, PartialEq)]
pub struct Vary {
    /// The key of an override.
    pub key: String,
    /// Its values.
    pub range: VariedValues,
    /// Where it stands.
    pub line: usize,
}

/// A search for the value at which something changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Bisect {
    /// The key of an override.
    pub key: String,
    /// One end.
    pub from: Formula,
    /// The other, larger.
    pub to: Formula,
    /// Length of the interval at which the search ends.
    pub tolerance: Formula,
    /// Where it stands.
    pub line: usize,
}

/// Many short runs of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// Its name.
    pub name: String,
    /// Overrides of all its runs.
    pub set: Overrides,
    /// What is varied.
    pub vary: Vec<Vary>,
    /// What is searched for.
    pub bisect: Option<Bisect>,
    /// The condition of the search.
    pub when: Option<Formula>,
    /// Columns: name and value expression.
    pub observe: Vec<(String, Formula)>,
    /// Where it begins in the file.
    pub line: usize,
}

/// A value that may be a number, a truth, a text or a list.
#[derive(Debug, Clone, PartialEq)]
pub enum Datum {
    /// A number.
    Number(f64),
    /// A text: an expression, or a word.
    Text(String),
    /// True or false.
    Truth(bool),
    /// Several.
    List(Vec<Datum>),
}

/// What is expected of a finding.
#[derive(Debug, Clone, PartialEq)]
pub enum Check {
    /// Nothing: it is only reported.
    Report,
    /// A value.
    Expected {
        /// The value.
        value: Datum,
        /// Absolute, or relative as `"0.5 %"`.
        tolerance: Option<Datum>,
    },
    /// An upper bound.
    AtMost(Formula),
    /// A lower bound.
    AtLeast(Formula),
    /// Both bounds.
    Between(Formula, Formula),
}

/// Something a scene is known for.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingSpec {
    /// Its name.
    pub name: String,
    /// How it is measured.
    pub value: Formula,
    /// What is expected.
    pub check: Check,
    /// The run it looks at; the main one where not given.
    pub case: Option<String>,
    /// Where the expectation comes from.
    pub source: Option<String>,
    /// What it means.
    pub about: Option<String>,
    /// Where it begins in the file.
    pub line: usize,
}

/// How a plot draws its points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlotKind {
    /// Joined.
    Line,
    /// Dots.
    Points,
}

/// A picture of a run or of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: Option<String>,
    /// Observable, or column of the study, along x; time where not given.
    pub x: Option<Formula>,
    /// Observables, or columns of the study, along y.
    pub y: Vec<Formula>,
    /// Label of x.
    pub x_label: Option<String>,
    /// Label of y.
    pub y_label: Option<String>,
    /// How it is drawn.
    pub kind: PlotKind,
    /// The runs it shows.
    pub cases: Vec<String>,
    /// Same scale on both axes.
    pub equal: bool,
    /// The running mean over time instead, with its standard error.
    pub average: bool,
    /// Shows times from here.
    pub from: Option<Formula>,
    /// Shows times up to here.
    pub to: Option<Formula>,
    /// The study it shows instead of runs.
    pub study: Option<String>,
    /// Where it begins in the file.
    pub line: usize,
}

/// What colours of bodies mean in a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colour {
    /// Nothing: all alike.
    #[default]
    None,
    /// Speed of the centre of mass.
    Speed,
    /// Distance from where the body was at the start.
    Displacement,
    /// Angular velocity.
    Spin,
    /// Material.
    Material,
    /// Mass.
    Mass,
}

/// A picture of the bodies of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: Option<String>,
    /// Instants it shows, side by side; the end where none is given.
    pub at: Vec<Formula>,
    /// What colours mean.
    pub colour: Colour,
    /// Whether contact forces are drawn.
    pub forces: bool,
    /// Whether force chains stand out among them.
    pub chains: bool,
    /// Lower corner of the window.
    pub low: Option<Vec<Formula>>,
    /// Upper corner of the window.
    pub high: Option<Vec<Formula>>,
    /// Direction from which space is seen.
    pub view: Option<Vec<Formula>>,
    /// Where it begins in the file.
    pub line: usize,
}
