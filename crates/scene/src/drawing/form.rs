//! What a drawing consists of, ready to be written or shown.

use serde::Serialize;

/// What a thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A line through points.
    Link,
    /// Points.
    Tip,
    /// Discs or balls about points.
    Disc,
    /// What others touch.
    Obstacle,
    /// The path of a point up to now: one point for each state.
    Trace,
    /// A surface in space: a grid of points.
    Surface,
    /// The moving set of a sweeping process.
    Set,
}

/// One thing of a drawing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Whether its last point is joined to its first.
    pub closed: bool,
    /// Whether it is filled.
    pub filled: bool,
    /// Of discs, balls and round obstacles, about their points.
    pub radius: Option<f64>,
    /// Place in the palette of plots, 0 to 6; 7 is grey.
    pub colour: u8,
    /// Of its lines, in pixels.
    pub width: f64,
    /// Written beside its first point.
    pub label: Option<String>,
    /// Whether it is the same in all states: its points are given once.
    pub fixed: bool,
    /// Whether it is a straight wall: four points, of which the first two are its face and the others lie
    /// behind it; in space a square of its plane.
    pub wall: bool,
    /// Points along both parameters of a surface, the second fastest.
    pub grid: Option<[usize; 2]>,
    /// Contacts and joints it takes part in.
    pub contacts: Vec<String>,
}

/// Lower and upper corner of all that is drawn.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct DrawingBounds {
    /// Lower corner.
    pub min: Vec<f64>,
    /// Upper corner.
    pub max: Vec<f64>,
}

/// A coordinate with its velocity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PhasePortrait {
    /// The coordinate.
    pub x: String,
    /// Its velocity.
    pub y: String,
    /// Unit of the coordinate; empty where it is the user's own.
    pub x_unit: String,
    /// Unit of the velocity.
    pub y_unit: String,
}

/// What the arrays of a drawing mean.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Header {
    /// Title of the run.
    pub title: String,
    /// 2 or 3.
    pub dimension: usize,
    /// Names of the axes.
    pub axes: Vec<String>,
    /// Units of the axes; empty where they are the user's own.
    pub units: Vec<String>,
    /// What there is to be seen.
    #[serde(rename = "box")]
    pub corners: DrawingBounds,
    /// The things, the first one lowest.
    pub items: Vec<Item>,
    /// Number of states.
    pub frames: usize,
    /// Coordinates that have a velocity.
    pub portraits: Vec<PhasePortrait>,
}

/// The values of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum DrawingValues {
    /// 32-bit floating point.
    F32(Vec<f32>),
    /// 64-bit floating point.
    F64(Vec<f64>),
    /// 32-bit whole numbers.
    U32(Vec<u32>),
    /// Bytes.
    U8(Vec<u8>),
}

/// A column of a drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawingColumn {
    /// `t`, `count_K`, `points_K`, `touch_K` of item K, or `q:NAME`.
    pub name: String,
    /// Unit; empty where it is the user's own.
    pub unit: String,
    /// Its values.
    pub values: DrawingValues,
}

/// A drawing at all its states.
///
/// Columns: `t`, the times of the N states; for item k `count_k`, the number of its points (one value if
/// it is fixed, N otherwise), and `points_k`, all points one state after the other, `dimension` numbers
/// each, NaN where the pen is up; `touch_k`, for an item with contacts, 1 in states up to which, from
/// the state before, one of them had an impulse; and all recorded coordinates and velocities as
/// `q:NAME`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drawing {
    /// What the columns mean.
    pub header: Header,
    /// The arrays.
    pub columns: Vec<DrawingColumn>,
}

impl Drawing {
    /// Whether there is nothing to draw, though coordinates may be there.
    pub fn is_empty(&self) -> bool {
        self.header.items.is_empty() || self.header.frames == 0
    }

    /// Times of the states.
    pub fn times(&self) -> &[f64] {
        match self.column("t") {
            Some(DrawingValues::F64(t)) => t,
            _ => &[],
        }
    }

    /// The values of a column by name.
    pub fn column(&self, name: &str) -> Option<&DrawingValues> {
        let found = self.columns.iter().find(|column| column.name == name);
        found.map(|column| &column.values)
    }

    /// The state nearest to an instant; the earlier of two.
    pub fn frame(&self, at: f64) -> usize {
        let t = self.times();
        let after = t.partition_point(|time| *time < at);
        match (after.checked_sub(1).map(|k| (k, t[k])), t.get(after)) {
            (Some((before, early)), Some(late)) if at - early <= late - at => before,
            (_, Some(_)) | (None, None) => after,
            (Some((before, _)), None) => before,
        }
    }

    /// The points of an item in a state, `dimension` numbers each; of a trace, all up to then.
    pub fn points(&self, item: usize, frame: usize) -> &[f32] {
        let counts = self.column(&format!("count_{item}"));
        let points = self.column(&format!("points_{item}"));
        let (Some(DrawingValues::U32(counts)), Some(DrawingValues::F32(points))) = (counts, points)
        else {
            return &[];
        };
        let Some(what) = self.header.items.get(item) else {
            return &[];
        };
        let frame = if what.fixed { 0 } else { frame };
        let size = |counts: &[u32]| {
            let all = counts.iter().map(|count| *count as usize);
            all.sum::<usize>() * self.header.dimension
        };
        let end = size(counts.get(..=frame).unwrap_or(counts));
        let begin = match what.kind {
            Kind::Trace => 0,
            _ => size(counts.get(..frame).unwrap_or(counts)),
        };
        points.get(begin..end).unwrap_or(&[])
    }

    /// Whether a contact of an item acts in a state, or did since the one before.
    pub fn contact_acts(&self, item: usize, frame: usize) -> bool {
        match self.column(&format!("touch_{item}")) {
            Some(DrawingValues::U8(touches)) => touches.get(frame).is_some_and(|touch| *touch > 0),
            _ => false,
        }
    }
}
