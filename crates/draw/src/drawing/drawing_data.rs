//! Data of an evaluated drawing: items, columns and header, as the viewer reads them.

use serde::Serialize;

/// Type of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A polyline through points.
    Link,
    /// Single points.
    Tip,
    /// Discs or balls centred at points.
    Disc,
    /// A boundary that other items make contact with.
    Obstacle,
    /// The path of a point up to the current state: one point for each state.
    Trace,
    /// A surface in space: a grid of points.
    Surface,
    /// The moving set of a sweeping process.
    Set,
}

/// One item of a drawing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: Kind,
    /// Whether its last point is joined to its first.
    pub closed: bool,
    /// Whether it is filled.
    pub filled: bool,
    /// Radius of discs, balls and round obstacles.
    pub radius: Option<f64>,
    /// Colour index in the palette of plots, 0 to 6; 7 is grey.
    pub colour: u8,
    /// Line width in pixels.
    pub width: f64,
    /// Text beside its first point.
    pub label: Option<String>,
    /// Whether it is the same in all states: its points are stored once.
    pub fixed: bool,
    /// Whether it is a half-plane: four points, of which the first two are its face and the others lie behind
    /// it; in space a square of its plane.
    pub wall: bool,
    /// Number of points along both parameters of a surface; the second varies fastest.
    pub grid: Option<[usize; 2]>,
    /// Contacts and joints it takes part in.
    pub contacts: Vec<String>,
}

/// Bounding box of all items.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct DrawingBounds {
    /// Lower corner.
    pub min: Vec<f64>,
    /// Upper corner.
    pub max: Vec<f64>,
}

/// A coordinate and its velocity: the axes of a phase portrait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PhasePortrait {
    /// The coordinate.
    pub x: String,
    /// Its velocity.
    pub y: String,
    /// Unit of the coordinate; empty where the user's units are unknown.
    pub x_unit: String,
    /// Unit of the velocity.
    pub y_unit: String,
}

/// Metadata of a drawing: what the columns contain.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Header {
    /// Title of the run.
    pub title: String,
    /// Dimension of the points, 2 or 3.
    pub dimension: usize,
    /// Names of the axes.
    pub axes: Vec<String>,
    /// Units of the axes; empty where the user's units are unknown.
    pub units: Vec<String>,
    /// Bounding box.
    #[serde(rename = "box")]
    pub corners: DrawingBounds,
    /// The items in painting order, the lowest first.
    pub items: Vec<Item>,
    /// Number of states.
    pub frames: usize,
    /// Coordinates that have a velocity.
    pub portraits: Vec<PhasePortrait>,
}

/// The values of a column, by type.
#[derive(Debug, Clone, PartialEq)]
pub enum DrawingValues {
    /// 32-bit floating point.
    F32(Vec<f32>),
    /// 64-bit floating point.
    F64(Vec<f64>),
    /// 32-bit unsigned integers.
    U32(Vec<u32>),
    /// Bytes.
    U8(Vec<u8>),
}

/// A named column of a drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawingColumn {
    /// `t`, `count_K`, `points_K`, `touch_K` of item K, or `q:NAME`.
    pub name: String,
    /// Unit; empty where the user's units are unknown.
    pub unit: String,
    /// Its values.
    pub values: DrawingValues,
}

/// A drawing at all its states.
///
/// Columns: `t`, the times of the N states; for item k `count_k`, the number of its points (one value if it is fixed,
/// N otherwise), and `points_k`, all points state after state, `dimension` numbers each, NaN where a line is broken;
/// `touch_k`, for an item with contacts, 1 in each state for which a contact had an impulse since the previous state;
/// and all recorded coordinates and velocities as `q:NAME`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Drawing {
    /// What the columns mean.
    pub header: Header,
    /// The arrays.
    pub columns: Vec<DrawingColumn>,
}

impl Drawing {
    /// Whether there are no items; coordinates may exist all the same.
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

    /// Index of the state nearest to an instant; the earlier of two.
    pub fn frame(&self, at: f64) -> usize {
        let t = self.times();
        let after = t.partition_point(|time| *time < at);
        match (after.checked_sub(1).map(|k| (k, t[k])), t.get(after)) {
            (Some((before, early)), Some(late)) if at - early <= late - at => before,
            (_, Some(_)) | (None, None) => after,
            (Some((before, _)), None) => before,
        }
    }

    /// The points of an item in a state, `dimension` numbers each; of a trace, all points up to that state.
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

    /// Whether a contact of an item had an impulse in a state or since the previous one.
    pub fn contact_acts(&self, item: usize, frame: usize) -> bool {
        match self.column(&format!("touch_{item}")) {
            Some(DrawingValues::U8(touches)) => touches.get(frame).is_some_and(|touch| *touch > 0),
            _ => false,
        }
    }
}
