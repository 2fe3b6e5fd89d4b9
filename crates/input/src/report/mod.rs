//! Specifications of cases, studies, findings, plots and pictures of a scene.
//!
//! Expressions stay text: their language is that of findings.

mod read;
mod vary;

use crate::reader::Formula;

pub use read::{cases, fast, findings, plots, studies, study};

/// Overrides `key = value`, values as text.
pub type Overrides = Vec<(String, String)>;

/// `[[case]]`: the same scene with overrides.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// Title, one line.
    pub title: Option<String>,
    /// The overrides.
    pub set: Overrides,
    /// Line on which it begins.
    pub line: usize,
}

/// Division of an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spacing {
    /// Logarithmic: equal ratios instead of equal differences.
    pub log: bool,
    /// Integers only, both ends included.
    pub whole: bool,
}

/// The values a study gives to one key.
#[derive(Debug, Clone, PartialEq)]
pub enum VariedValues {
    /// A list, each value an expression in the parameters or a word.
    List(Vec<String>),
    /// `count` equally spaced values, both ends included.
    Even {
        /// First value.
        from: Formula,
        /// Last value.
        to: Formula,
        /// Number of values.
        count: usize,
        /// Division of the interval.
        spacing: Spacing,
    },
    /// `count` values of an expression in `rnd`, uniform in [0, 1), and `gauss`, standard normal.
    Sample {
        /// The expression.
        text: Formula,
        /// Number of values.
        count: usize,
        /// Seed of the random numbers.
        seed: u64,
    },
    /// Latin hypercube sample: one random value in each of `count` parts of the interval, the parts in
    /// random order.
    Latin {
        /// Lower end.
        from: Formula,
        /// Upper end.
        to: Formula,
        /// Number of values.
        count: usize,
        /// Seed of the random numbers.
        seed: u64,
        /// Division of the interval.
        spacing: Spacing,
    },
    /// Column of a list of design points: all keys of the list go through their rows together.
    Column(Vec<String>),
    /// Replicates: the same run with the numbers `first`, `first + 1`, …, which are seeds.
    Repeat {
        /// The first number.
        first: u64,
        /// Number of runs.
        count: usize,
    },
}

/// A key that a study varies.
#[derive(Debug, Clone, PartialEq)]
pub struct Vary {
    /// The key of an override.
    pub key: String,
    /// Its values.
    pub range: VariedValues,
    /// Line of the key.
    pub line: usize,
}

/// A bisection for the value at which a condition changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Bisect {
    /// The key of an override.
    pub key: String,
    /// Lower end.
    pub from: Formula,
    /// Upper end.
    pub to: Formula,
    /// Width of the interval at which the bisection ends.
    pub tolerance: Formula,
    /// Line on which it begins.
    pub line: usize,
}

/// `[[study]]`: many runs of a scene, on a grid, on samples or in a bisection.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    /// Its name.
    pub name: String,
    /// Overrides of all its runs.
    pub set: Overrides,
    /// The varied keys.
    pub vary: Vec<Vary>,
    /// The bisection, if there is one.
    pub bisect: Option<Bisect>,
    /// The condition of the bisection.
    pub when: Option<Formula>,
    /// Columns: name and value expression.
    pub observe: Vec<(String, Formula)>,
    /// Line on which it begins.
    pub line: usize,
}

/// A number, a boolean, a string or a list.
#[derive(Debug, Clone, PartialEq)]
pub enum Datum {
    /// A number.
    Number(f64),
    /// A string: an expression, or a word.
    Text(String),
    /// A boolean.
    Truth(bool),
    /// A list.
    List(Vec<Datum>),
}

/// The expectation of a finding.
#[derive(Debug, Clone, PartialEq)]
pub enum Check {
    /// None: the value is only reported.
    Report,
    /// A value.
    Expected {
        /// The value.
        value: Datum,
        /// Absolute tolerance, or relative as `"0.5 %"`.
        tolerance: Option<Datum>,
    },
    /// An upper bound.
    AtMost(Formula),
    /// A lower bound.
    AtLeast(Formula),
    /// Both bounds.
    Between(Formula, Formula),
}

/// `[[finding]]`: a measured value of a scene with its expected value.
#[derive(Debug, Clone, PartialEq)]
pub struct FindingSpec {
    /// Its name.
    pub name: String,
    /// Expression of the value.
    pub value: Formula,
    /// The expectation.
    pub check: Check,
    /// The case whose run is measured; the main run where not given.
    pub case: Option<String>,
    /// Parameters and settings at whose declared values alone the expectation holds; `parameters` stands for all
    /// parameters.
    pub only_at: Vec<String>,
    /// Publication or origin of the expectation.
    pub source: Option<String>,
    /// Description.
    pub about: Option<String>,
    /// Line on which it begins.
    pub line: usize,
}

/// Style of a plot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlotKind {
    /// Points joined by lines.
    Line,
    /// Markers.
    Points,
    /// How often values occur: of observables over a run, of columns of a study, of findings that are lists.
    Histogram,
    /// The drawing of the scene at several instants, in one picture.
    Drawing,
}

/// `[[plot]]`: a plot of runs or of a study.
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
    /// Lines or markers.
    pub kind: PlotKind,
    /// The cases shown.
    pub cases: Vec<String>,
    /// Same scale on both axes.
    pub equal: bool,
    /// The running mean over time instead, with its standard error.
    pub average: bool,
    /// Start of the time shown.
    pub from: Option<Formula>,
    /// End of the time shown.
    pub to: Option<Formula>,
    /// The study shown instead of runs.
    pub study: Option<String>,
    /// The findings whose values a histogram counts.
    pub findings: Vec<String>,
    /// Instants of a drawing.
    pub at: Vec<Formula>,
    /// Of a drawing: every n-th recorded state.
    pub every: Option<usize>,
    /// Line on which it begins.
    pub line: usize,
}

/// The quantity that colours of bodies show in a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colour {
    /// None: all bodies have one colour.
    #[default]
    None,
    /// Speed of the centre of mass.
    Speed,
    /// Distance from the initial position.
    Displacement,
    /// Angular velocity.
    Spin,
    /// Material.
    Material,
    /// Mass.
    Mass,
}

/// `[[picture]]`: a picture of the bodies of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: Option<String>,
    /// Instants, shown side by side; the end of the run where none is given.
    pub at: Vec<Formula>,
    /// The quantity that colours show.
    pub colour: Colour,
    /// Whether contact forces are drawn.
    pub forces: bool,
    /// Whether force chains are highlighted.
    pub chains: bool,
    /// Lower corner of the window.
    pub low: Option<Vec<Formula>>,
    /// Upper corner of the window.
    pub high: Option<Vec<Formula>>,
    /// Viewing direction in space.
    pub view: Option<Vec<Formula>>,
    /// Line on which it begins.
    pub line: usize,
}
