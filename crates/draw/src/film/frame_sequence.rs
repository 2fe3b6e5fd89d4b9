//! The recorded states of a run as a sequence of pictures.

use std::cell::OnceCell;

use percuss_record::frame::{Frame, RecordedFrames};
use percuss_record::{PlotError, Record};
use percuss_scene::{Colour, Scene, SceneKind};

use super::schedule::nearest;
use crate::drawing::{self, Drawing};
use crate::picture::{
    BodyShapes, Image, ImageWriter, PictureRequest, Size, Theme, default_request, zoom,
};

/// Default width and height of a drawing, in pixels of the SVG.
const DRAWING: (u32, u32) = (800, 600);

/// Options of pictures and films.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RenderOptions {
    /// Quantity that colours the bodies; that of the scene's first picture where not given.
    pub colour: Option<Colour>,
    /// Whether forces are drawn.
    pub forces: bool,
    /// Whether force chains are highlighted.
    pub chains: bool,
    /// Light or dark background.
    pub theme: Theme,
    /// Viewing direction in space.
    pub view: Option<[f64; 3]>,
    /// Lower and upper corner of the window.
    pub window: Option<([f64; 3], [f64; 3])>,
    /// Width and height in pixels.
    pub size: Option<(usize, usize)>,
    /// Pixels per SVG pixel where the size is not given; 0 means 1.
    pub zoom: f64,
}

impl RenderOptions {
    /// Name of the first option given that drawings of mechanisms do not support.
    fn of_bodies(&self) -> Option<&'static str> {
        let all = [
            (self.colour.is_some(), "--colour"),
            (self.forces, "--forces"),
            (self.chains, "--chains"),
            (self.view.is_some(), "--view"),
            (self.window.is_some(), "--window"),
        ];
        let given = all.into_iter().find(|(given, _)| *given);
        given.map(|(_, name)| name)
    }

    fn size(&self) -> Size {
        match self.size {
            Some((width, height)) => Size::Pixels(width, height),
            None if self.zoom > 0.0 => Size::Natural(self.zoom),
            None => Size::Natural(1.0),
        }
    }
}

#[derive(Debug)]
enum Source<'a> {
    Bodies(RecordedFrames<'a>, Box<Scene>),
    Drawing(Box<Drawing>),
}

/// The recorded states of a run, as frames.
#[derive(Debug)]
pub struct FrameSequence<'a> {
    source: Source<'a>,
    /// The initial state, read when first needed.
    first: OnceCell<Frame>,
}

impl<'a> FrameSequence<'a> {
    /// Opens the states of a run.
    ///
    /// # Errors
    /// It is a study, its records lack a table, no state is recorded yet, or the scene of a mechanism declares
    /// no drawing.
    pub fn of(record: &'a Record) -> Result<Self, PlotError> {
        let manifest = record.manifest();
        let shown = record.directory().display();
        if manifest.kind == "study" {
            return Err(PlotError::Nothing(format!(
                "{shown}: this is a study, and a study has no states to be seen; `percuss plot {shown}` \
                 lists its plots"
            )));
        }
        // The scene as it was run.
        let overrides = manifest.overrides.iter();
        let set: Vec<_> = overrides.map(|o| (&*o.key, &*o.value)).collect();
        let scene = Scene::parse(&manifest.scene, &manifest.origin, &manifest.text)?;
        let scene = scene.with_overrides(&set)?;
        // Frames of bodies, or a drawing with at least one item.
        let source = match scene.kind() {
            SceneKind::Bodies => Source::Bodies(RecordedFrames::of(record)?, Box::new(scene)),
            _ => match drawing::of(record)?.filter(|drawing| !drawing.header.items.is_empty()) {
                Some(drawing) => Source::Drawing(Box::new(drawing)),
                None => {
                    return Err(PlotError::Nothing(format!(
                        "{shown}: the scene declares no [[drawing]], so there is nothing to see at an \
                         instant; add one to the scene, or `percuss plot {shown}` lists its plots"
                    )));
                }
            },
        };
        let reel = Self {
            source,
            first: OnceCell::new(),
        };
        match reel.is_empty() {
            true => Err(PlotError::Nothing(format!(
                "{shown}: no state is recorded yet: there is nothing to show"
            ))),
            false => Ok(reel),
        }
    }

    fn is_empty(&self) -> bool {
        match &self.source {
            Source::Bodies(states, _) => states.is_empty(),
            Source::Drawing(drawing) => drawing.times().is_empty(),
        }
    }

    /// Dimension, 2 or 3, of bodies; `None` for a drawing.
    pub fn dimension(&self) -> Option<usize> {
        match &self.source {
            Source::Bodies(states, _) => Some(states.dimension),
            Source::Drawing(_) => None,
        }
    }

    /// Number of bodies; 0 for a drawing.
    pub fn bodies(&self) -> usize {
        match &self.source {
            Source::Bodies(states, _) => states.bodies.len(),
            Source::Drawing(_) => 0,
        }
    }

    /// The times of all states.
    ///
    /// # Errors
    /// The records are damaged.
    pub fn times(&self) -> Result<Vec<f64>, PlotError> {
        match &self.source {
            Source::Bodies(states, _) => {
                let all = (0..states.len()).map(|state| states.time(state));
                Ok(all.collect::<Result<_, _>>()?)
            }
            Source::Drawing(drawing) => Ok(drawing.times().to_vec()),
        }
    }

    /// Index and time of the state nearest to an instant; the last state if none is given.
    ///
    /// # Errors
    /// The instant is outside what is recorded, or the records are damaged.
    pub fn nearest(&self, t: Option<f64>) -> Result<(usize, f64), PlotError> {
        let (count, time): (usize, &dyn Fn(usize) -> Result<f64, PlotError>) = match &self.source {
            Source::Bodies(states, _) => (states.len(), &|k| Ok(states.time(k)?)),
            Source::Drawing(drawing) => {
                let times = drawing.times();
                (times.len(), &|k| {
                    Ok(times.get(k).copied().unwrap_or(f64::NAN))
                })
            }
        };
        let last = count.saturating_sub(1);
        let (low, high) = (time(0)?, time(last)?);
        let Some(t) = t else {
            return Ok((last, high));
        };
        // Times are accumulated sums of steps: an end time may lie outside by rounding.
        let room = 1e-9 * (high - low).abs().max(high.abs());
        if !(t >= low - room && t <= high + room) {
            return Err(PlotError::Unknown(format!(
                "--at {t} is outside the recorded states, which go from t = {low} to {high}"
            )));
        }
        let state = match &self.source {
            Source::Bodies(states, _) => states.nearest(t)?,
            Source::Drawing(drawing) => nearest(drawing.times(), t),
        };
        Ok((state, time(state)?))
    }

    /// Prepares a renderer that draws all states with one window and one scale; `stamp` is the number of
    /// decimals of the time label of films. `tell` receives the fraction of states read.
    ///
    /// # Errors
    /// An option is not supported by this run, or the records are damaged.
    pub fn renderer(
        &self,
        wish: &RenderOptions,
        states: &[usize],
        stamp: Option<usize>,
        tell: &mut dyn FnMut(f64),
    ) -> Result<FrameRenderer<'_>, PlotError> {
        let (of, scene) = match &self.source {
            Source::Bodies(of, scene) => (of, scene),
            Source::Drawing(drawing) => {
                return match wish.of_bodies() {
                    None => Ok(FrameRenderer::Drawing(drawing, *wish)),
                    Some(name) => Err(PlotError::Unknown(format!(
                        "{name} is for runs of bodies; this is a mechanism or a sweeping process"
                    ))),
                };
            }
        };
        // Request, and the initial state where displacements are shown.
        let request = request(scene, wish, stamp)?;
        let first = self.first(request.colour == Colour::Displacement)?;
        let company = BodyShapes {
            bodies: &of.bodies,
            dimension: of.dimension,
            first,
        };
        let forces = request.forces;
        // Pass over all states: common window, colour scale and force widths.
        let mut seen = states.iter();
        let begin = of.read(*seen.next().unwrap_or(&0), forces)?;
        let mut easel = ImageWriter::new(company, &begin, request, wish.size());
        for (k, state) in seen.enumerate() {
            easel.include(&of.read(*state, forces)?);
            tell((k + 1) as f64 / states.len() as f64);
        }
        Ok(FrameRenderer::Bodies {
            states: of,
            easel: Box::new(easel),
            forces,
        })
    }

    /// The initial state; an empty one where it is not needed.
    fn first(&self, needed: bool) -> Result<&Frame, PlotError> {
        if let Some(first) = self.first.get() {
            return Ok(first);
        }
        let first = match &self.source {
            Source::Bodies(states, _) if needed => states.read(0, false)?,
            _ => Frame::default(),
        };
        Ok(self.first.get_or_init(|| first))
    }
}

/// The picture request for bodies.
fn request(
    scene: &Scene,
    wish: &RenderOptions,
    stamp: Option<usize>,
) -> Result<PictureRequest, PlotError> {
    let mut request = default_request(scene)?;
    // Options override the default request.
    if let Some(colour) = wish.colour {
        request.colour = colour;
    }
    if let Some((low, high)) = wish.window {
        (request.low, request.high) = (Some(low), Some(high));
    }
    if wish.view.is_some() {
        request.view = wish.view;
    }
    request.forces = wish.forces;
    request.chains = wish.chains;
    request.theme = wish.theme;
    request.time_decimals = stamp;
    request.hide_time = stamp.is_some();
    Ok(request)
}

/// Renders the states of a run with common scales.
#[derive(Debug)]
pub enum FrameRenderer<'a> {
    /// Bodies.
    Bodies {
        /// The recorded states.
        states: &'a RecordedFrames<'a>,
        /// The image writer with the common window and scales.
        easel: Box<ImageWriter<'a>>,
        /// Whether forces must be read.
        forces: bool,
    },
    /// A mechanism or a sweeping process.
    Drawing(&'a Drawing, RenderOptions),
}

impl FrameRenderer<'_> {
    /// A state as SVG.
    ///
    /// # Errors
    /// The records are damaged.
    pub fn svg(&self, state: usize) -> Result<String, PlotError> {
        match self {
            Self::Bodies {
                states,
                easel,
                forces,
            } => Ok(easel.svg(&states.read(state, *forces)?)),
            Self::Drawing(drawing, wish) => Ok(sheet(drawing, wish, state).0),
        }
    }

    /// A state as pixels.
    ///
    /// # Errors
    /// The records are damaged, or the picture is too large.
    pub fn image(&self, state: usize) -> Result<Image, PlotError> {
        let drawn = match self {
            Self::Bodies {
                states,
                easel,
                forces,
            } => easel.image(&states.read(state, *forces)?),
            Self::Drawing(drawing, wish) => {
                let (svg, zoom, (w, h)) = sheet(drawing, wish, state);
                let even = |length: f64| 2 * (0.5 * length * zoom).ceil().max(1.0) as usize;
                let size = wish.size.unwrap_or((even(w), even(h)));
                let ground = match wish.theme {
                    Theme::Light => [255; 4],
                    Theme::Dark => [0, 0, 0, 255],
                };
                Image::of_svg(&svg, zoom, size, ground.repeat(size.0 * size.1))
            }
        };
        drawn.map_err(PlotError::Drawing)
    }
}

/// A drawing at a state as SVG, the pixels per SVG pixel, and its size.
fn sheet(drawing: &Drawing, wish: &RenderOptions, state: usize) -> (String, f64, (f64, f64)) {
    let (zoom, page) = zoom(wish.size());
    let (w, h) = page.unwrap_or((f64::from(DRAWING.0), f64::from(DRAWING.1)));
    let theme = match wish.theme {
        Theme::Light => drawing::Theme::Light,
        Theme::Dark => drawing::Theme::Dark,
    };
    let at = drawing.times().get(state).copied().unwrap_or(f64::NAN);
    let size = (w.ceil() as u32, h.ceil() as u32);
    (drawing.svg(at, size, theme), zoom, (w, h))
}
