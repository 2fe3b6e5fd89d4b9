//! Fill colours of bodies, and their legend.

use percuss_record::frame::{BodyState, Frame};
use percuss_record::{BodyDescription, BodyMotion};
use percuss_scene::Colour;

use super::colour::{self, ColourMap, FIXED, PLAIN, Rgb};
use super::norm;
use super::request::{PictureRequest, Theme};

/// How much lighter bodies are drawn behind force lines.
pub(super) const PALE: f64 = 0.6;

/// Legend of the colours.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ColourLegend {
    /// No legend.
    None,
    /// A colour bar of values.
    Bar {
        label: &'static str,
        ramp: ColourMap,
        /// How much lighter than the colour map the bodies are drawn.
        pale: f64,
    },
    /// Named swatches.
    Swatches(Vec<(String, Rgb)>),
}

/// Fill colours of the bodies of every frame.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BodyColours {
    pub key: ColourLegend,
    /// By frame and body.
    pub fills: Vec<Vec<Rgb>>,
}

impl BodyColours {
    /// The colours of a request; `first` is the initial state of the run.
    pub(super) fn of(
        bodies: &[BodyDescription],
        stills: &[Frame],
        first: &Frame,
        flat: bool,
        (request, span): (&PictureRequest, Option<(f64, f64)>),
    ) -> Self {
        let mut paint = match request.colour {
            Colour::None => Self::plain(bodies, stills),
            Colour::Material => Self::materials(bodies, stills),
            colour => Self::values(bodies, stills, first, flat, (colour, span)),
        };
        if request.forces || request.fade_bodies {
            paint.fade(flat, request.theme);
        }
        paint
    }

    /// Lightens bodies and legend behind force lines. Bodies in space are drawn translucent instead, to the
    /// same effect.
    fn fade(&mut self, flat: bool, theme: Theme) {
        // Fills in the plane.
        if flat {
            for fill in self.fills.iter_mut().flatten() {
                *fill = match theme {
                    Theme::Light => fill.lighter(PALE),
                    Theme::Dark => fill.darker(PALE),
                };
            }
        }
        // The legend likewise.
        match &mut self.key {
            ColourLegend::None => {}
            ColourLegend::Bar { pale, .. } => *pale = PALE,
            ColourLegend::Swatches(names) => {
                for (_, colour) in names {
                    *colour = colour.lighter(PALE);
                }
            }
        }
    }

    fn plain(bodies: &[BodyDescription], stills: &[Frame]) -> Self {
        let fills = bodies.iter().map(|b| still_or(b, PLAIN)).collect();
        Self {
            key: ColourLegend::None,
            fills: vec![fills; stills.len()],
        }
    }

    fn materials(bodies: &[BodyDescription], stills: &[Frame]) -> Self {
        // Materials of bodies that are not fixed, in order of first appearance.
        let mut names: Vec<&str> = Vec::new();
        for body in bodies.iter().filter(|b| b.motion != BodyMotion::Fixed) {
            if !names.contains(&&*body.material) {
                names.push(&body.material);
            }
        }
        let colour = |body: &BodyDescription| {
            let number = names.iter().position(|n| **n == *body.material);
            still_or(body, colour::of_material(number.unwrap_or(0)))
        };
        let fills: Vec<Rgb> = bodies.iter().map(colour).collect();
        let swatches = names.iter().enumerate();
        let swatches = swatches.map(|(k, n)| ((*n).to_string(), colour::of_material(k)));
        Self {
            key: match names.len() {
                0 | 1 => ColourLegend::None,
                _ => ColourLegend::Swatches(swatches.collect()),
            },
            fills: vec![fills; stills.len()],
        }
    }

    fn values(
        bodies: &[BodyDescription],
        stills: &[Frame],
        first: &Frame,
        flat: bool,
        (colour, span): (Colour, Option<(f64, f64)>),
    ) -> Self {
        let of = |still: &Frame| values(bodies, still, first, flat, colour);
        // Values of all frames, and a colour map over them or over the common span.
        let all: Vec<Vec<f64>> = stills.iter().map(of).collect();
        let signed = flat && colour == Colour::Spin;
        let from_zero = colour != Colour::Mass;
        let ramp = match span {
            Some((low, high)) => ColourMap::over([low, high].into_iter(), from_zero, signed),
            None => ColourMap::over(all.iter().flatten().copied(), from_zero, signed),
        };
        let fill = |x: &f64| if x.is_nan() { FIXED } else { ramp.colour(*x) };
        Self {
            key: ColourLegend::Bar {
                label: label(colour),
                ramp,
                pale: 0.0,
            },
            fills: all.iter().map(|v| v.iter().map(fill).collect()).collect(),
        }
    }
}

/// The values shown by the colours of the bodies of a frame; NaN for bodies without one.
fn values(
    bodies: &[BodyDescription],
    still: &Frame,
    first: &Frame,
    flat: bool,
    colour: Colour,
) -> Vec<f64> {
    let value = |body: usize, name: &BodyDescription, place: &BodyState| match colour {
        Colour::Speed => norm(place.velocity),
        Colour::Displacement => first.bodies.get(body).map_or(f64::NAN, |from| {
            norm(std::array::from_fn(|k| {
                place.position[k] - from.position[k]
            }))
        }),
        Colour::Spin if flat => place.spin[2],
        Colour::Spin => norm(place.spin),
        Colour::Mass => name.mass.unwrap_or(f64::NAN),
        Colour::None | Colour::Material => f64::NAN,
    };
    // Fixed bodies have no value.
    let all = bodies.iter().zip(&still.bodies).enumerate();
    all.map(|(k, (name, place))| match name.motion {
        BodyMotion::Fixed => f64::NAN,
        _ => value(k, name, place),
    })
    .collect()
}

/// Smallest and largest value shown by the colours of a frame; `None` where colours show no value.
pub(super) fn span(
    bodies: &[BodyDescription],
    still: &Frame,
    first: &Frame,
    flat: bool,
    colour: Colour,
) -> Option<(f64, f64)> {
    let all = values(bodies, still, first, flat, colour).into_iter();
    let spans = all.filter(|x| x.is_finite()).map(|x| (x, x));
    spans.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

fn still_or(body: &BodyDescription, colour: Rgb) -> Rgb {
    match body.motion {
        BodyMotion::Fixed => FIXED,
        _ => colour,
    }
}

/// Heading of a colour bar.
fn label(colour: Colour) -> &'static str {
    match colour {
        Colour::None => "",
        Colour::Speed => "speed",
        Colour::Displacement => "displacement",
        Colour::Spin => "spin",
        Colour::Material => "material",
        Colour::Mass => "mass",
    }
}
