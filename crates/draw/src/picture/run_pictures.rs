//! The pictures of a run of bodies, by name.

use percuss_record::frame::{Frame, RecordedFrames};
use percuss_record::{PlotError, Record};
use percuss_scene::{Colour, Formula, Picture, Scene, SceneError};

use super::joint_glyphs::joint_glyphs;
use super::request::PictureRequest;
use super::svg_page::{BodyShapes, draw};

/// Names and titles of the pictures that every run of bodies has.
pub const STANDARD: [(&str, &str); 3] = [
    ("picture", "the bodies at the end; picture:T at time T"),
    ("pictures", "the bodies at six instants"),
    (
        "forces",
        "contact forces at the end, as lines whose width is the force; forces:T at time T",
    ),
];

/// Number of instants in the picture `pictures`.
const INSTANTS: usize = 6;

/// The pictures of a run of bodies.
#[derive(Debug)]
pub struct RunPictures<'a> {
    record: &'a Record,
    scene: &'a Scene,
}

/// Instants shown by a picture.
enum Instants {
    End,
    At(Vec<f64>),
    EvenlySpaced,
}

impl<'a> RunPictures<'a> {
    /// The pictures of a run; `scene` is the scene of its manifest.
    pub fn new(record: &'a Record, scene: &'a Scene) -> Self {
        Self { record, scene }
    }

    /// Names and titles of the pictures: those that the scene declares first.
    pub fn list(&self) -> Vec<(String, String)> {
        let declared = self.scene.pictures().iter().map(|picture| {
            let title = picture.title.clone();
            let title = title.unwrap_or_else(|| "declared by the scene".into());
            (picture.name.clone(), title)
        });
        let mut all: Vec<(String, String)> = declared.collect();
        // Standard pictures, unless the scene declares one of the same name.
        for (name, title) in STANDARD {
            if all.iter().all(|(known, _)| known != name) {
                all.push((name.into(), title.into()));
            }
        }
        all
    }

    /// The picture with this name as SVG; `None` for an unknown name.
    ///
    /// # Errors
    /// A table cannot be read, or there is nothing to show.
    pub fn svg(&self, name: &str) -> Result<Option<String>, PlotError> {
        let declared = self.scene.pictures().iter().find(|p| p.name == name);
        let (request, moments) = match declared {
            Some(picture) => declared_request(self.scene, picture)?,
            None => match self.standard(name)? {
                Some(standard) => standard,
                None => return Ok(None),
            },
        };
        self.draw(&request, &moments).map(Some)
    }

    fn standard(&self, name: &str) -> Result<Option<(PictureRequest, Instants)>, PlotError> {
        let (word, time) = match name.split_once(':') {
            Some((word, time)) => (word, Some(time)),
            None => (name, None),
        };
        // Instants by name: `picture:2.5` at a time, `pictures` evenly spaced.
        let moments = match (word, time) {
            ("picture" | "forces", None) => Instants::End,
            ("picture" | "forces", Some(time)) => Instants::At(vec![instant(name, time)?]),
            ("pictures", None) => Instants::EvenlySpaced,
            _ => return Ok(None),
        };
        let request = PictureRequest {
            title: self.scene.title().into(),
            colour: Colour::Material,
            forces: word == "forces",
            ..PictureRequest::default()
        };
        Ok(Some((request, moments)))
    }

    fn draw(&self, request: &PictureRequest, moments: &Instants) -> Result<String, PlotError> {
        let states = RecordedFrames::of(self.record)?;
        if states.is_empty() {
            let none = "no state of the bodies is recorded yet: there is nothing to show";
            return Err(PlotError::Nothing(none.into()));
        }
        let last = states.len() - 1;
        // States nearest to the requested instants.
        let mut chosen = match moments {
            Instants::End => vec![last],
            Instants::At(times) => {
                let found = times.iter().map(|t| states.nearest(*t));
                found.collect::<Result<_, _>>()?
            }
            Instants::EvenlySpaced => {
                let (begin, end) = (states.time(0)?, states.time(last)?);
                let share = |k: usize| k as f64 / (INSTANTS - 1) as f64;
                let times = (0..INSTANTS).map(|k| begin + share(k) * (end - begin));
                times
                    .map(|t| states.nearest(t))
                    .collect::<Result<Vec<_>, _>>()?
            }
        };
        chosen.dedup();
        // Frames, and the initial state where displacements are shown.
        let stills = chosen.iter().map(|k| states.read(*k, request.forces));
        let stills: Vec<Frame> = stills.collect::<Result<_, _>>()?;
        let first = match request.colour {
            Colour::Displacement => states.read(0, false)?,
            _ => Frame::default(),
        };
        let mut request = request.clone();
        request.joints = joints(self.scene);
        let company = BodyShapes {
            bodies: &states.bodies,
            dimension: states.dimension,
            first: &first,
        };
        Ok(draw(&company, &stills, &request))
    }
}

fn instant(name: &str, text: &str) -> Result<f64, PlotError> {
    match text.trim().parse::<f64>() {
        Ok(t) if t.is_finite() => Ok(t),
        _ => Err(PlotError::Unknown(format!(
            "`{name}`: a time was expected after the colon, not `{text}`"
        ))),
    }
}

/// The request of a declared picture, with its expressions evaluated.
fn declared_request(
    scene: &Scene,
    picture: &Picture,
) -> Result<(PictureRequest, Instants), SceneError> {
    let part = format!("picture `{}`", picture.name);
    let numbers = |key: &str, formulas: &[Formula]| -> Result<Vec<f64>, SceneError> {
        let all = formulas.iter().map(|f| scene.evaluate(&part, key, f));
        all.collect()
    };
    // A corner or direction, with missing components 0.
    let corner = |key: &str, formulas: &Option<Vec<Formula>>| match formulas {
        None => Ok(None),
        Some(formulas) => {
            let values = numbers(key, formulas)?;
            let entry = |k: usize| values.get(k).copied().unwrap_or(0.0);
            Ok::<_, SceneError>(Some(std::array::from_fn(entry)))
        }
    };
    let times = numbers("at", &picture.at)?;
    let request = PictureRequest {
        title: picture
            .title
            .clone()
            .unwrap_or_else(|| scene.title().into()),
        colour: picture.colour,
        forces: picture.forces,
        chains: picture.chains,
        low: corner("low", &picture.low)?,
        high: corner("high", &picture.high)?,
        view: corner("view", &picture.view)?,
        ..PictureRequest::default()
    };
    // Without instants, the last state.
    let moments = match times.is_empty() {
        true => Instants::End,
        false => Instants::At(times),
    };
    Ok((request, moments))
}

/// The default request: that of the first declared picture, without forces; coloured by material where none is
/// declared.
///
/// # Errors
/// An expression of the declared picture has no value.
pub fn default_request(scene: &Scene) -> Result<PictureRequest, SceneError> {
    let usual = match scene.pictures().first() {
        Some(picture) => declared_request(scene, picture)?.0,
        None => PictureRequest {
            colour: Colour::Material,
            ..PictureRequest::default()
        },
    };
    let mut request = PictureRequest {
        title: scene.title().into(),
        forces: false,
        chains: false,
        ..usual
    };
    request.joints = joints(scene);
    Ok(request)
}

/// Joint glyphs, from the scene in the manifest; none where the scene's data files are missing.
fn joints(scene: &Scene) -> Vec<super::joint_glyphs::JointGlyph> {
    match scene.bodies().is_some_and(|of| !of.joints.is_empty()) {
        true => scene
            .build_bodies()
            .map_or_else(|_| Vec::new(), |c| joint_glyphs(&c)),
        false => Vec::new(),
    }
}

/// Evaluates the expressions of all declared pictures.
///
/// # Errors
/// The first that has no value, with its picture and line.
pub fn check_pictures(scene: &Scene) -> Result<(), SceneError> {
    for picture in scene.pictures() {
        declared_request(scene, picture)?;
    }
    Ok(())
}
