//! `percuss export --png`, `--svg`, `--gif`, `--mp4`: options of pictures, and still pictures.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use percuss_draw::film::{FilmSchedule, FilmSpeed, FrameSequence, RenderOptions};
use percuss_draw::picture::Theme;
use percuss_record::Record;
use percuss_scene::Colour;

use crate::error::{CommandError, CommandStatus};
use crate::film;
use crate::numbers::format_short;
use crate::output::{self, OutputFile};
use crate::table_command::time;

/// Smallest and largest side in pixels.
const SIDES: std::ops::RangeInclusive<usize> = 120..=4096;

/// Default zoom from SVG pixels to image pixels, as in `percuss plot`.
const ZOOM: f64 = 2.0;

/// Pictures and films of a run.
#[derive(Args)]
pub struct PictureArgs {
    /// A picture of the state nearest to --at
    #[arg(long, value_name = "FILE", conflicts_with_all = ["vtk", "csv", "html"])]
    png: Option<PathBuf>,

    /// The same as SVG
    #[arg(long, value_name = "FILE", conflicts_with_all = ["vtk", "csv", "html", "png"])]
    svg: Option<PathBuf>,

    /// A film
    #[arg(long, value_name = "FILE", conflicts_with_all = ["vtk", "csv", "html", "png", "svg"])]
    gif: Option<PathBuf>,

    /// A film, by the program ffmpeg
    #[arg(long, value_name = "FILE", conflicts_with_all = ["vtk", "csv", "html", "png", "svg", "gif"])]
    mp4: Option<PathBuf>,

    /// The instant of a picture [default: the last state]
    #[arg(long, value_name = "T", allow_hyphen_values = true, value_parser = time)]
    at: Option<f64>,

    /// Width and height in pixels, for example 1280x720 [default: as its content asks for]
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<(usize, usize)>,

    /// What colours of bodies mean [default: as the first picture of the scene]
    #[arg(long, value_name = "WHAT")]
    colour: Option<ColourWord>,

    /// Forces between bodies as lines whose width is the force; --chains makes force chains stand out
    #[arg(long)]
    forces: bool,

    /// On what it is drawn [default: light]
    #[arg(long, value_name = "THEME")]
    theme: Option<ThemeWord>,

    /// From where space is seen: x,y,z or front, back, left, right, top, oblique
    #[arg(long, value_name = "DIR", allow_hyphen_values = true, value_parser = view)]
    view: Option<[f64; 3]>,

    /// What is shown: x0,y0,x1,y1 in the plane, x0,y0,z0,x1,y1,z1 in space
    #[arg(long, value_name = "CORNERS", allow_hyphen_values = true, value_parser = corners)]
    window: Option<Corners>,

    /// Frames of a film in a second, up to 60, of a GIF up to 50 [default: 25]
    #[arg(long, value_name = "N", value_parser = positive)]
    fps: Option<f64>,

    /// Seconds of the motion in one of the film [default: 1 where the film then lasts 2 to 15 seconds]
    #[arg(long, value_name = "S", value_parser = positive, conflicts_with = "every")]
    speed: Option<f64>,
}

/// What colours mean, as words of the command line.
#[derive(Clone, Copy, ValueEnum)]
enum ColourWord {
    None,
    Speed,
    Displacement,
    Spin,
    Material,
    Mass,
}

#[derive(Clone, Copy, ValueEnum)]
enum ThemeWord {
    Light,
    Dark,
}

/// Corners of a window: four or six numbers.
#[derive(Clone)]
struct Corners(Vec<f64>);

fn numbers(text: &str) -> Option<Vec<f64>> {
    let all = text.split(',').map(|part| part.trim().parse::<f64>());
    let all: Vec<f64> = all.collect::<Result<_, _>>().ok()?;
    all.iter().all(|x| x.is_finite()).then_some(all)
}

fn corners(text: &str) -> Result<Corners, String> {
    let found = numbers(text).filter(|all| all.len() == 4 || all.len() == 6);
    let found = found.filter(|all| {
        let (low, high) = all.split_at(all.len() / 2);
        low.iter().zip(high).all(|(low, high)| low < high)
    });
    found.map(Corners).ok_or_else(|| {
        "it must be the lower and the upper corner, x0,y0,x1,y1 or x0,y0,z0,x1,y1,z1".into()
    })
}

fn view(text: &str) -> Result<[f64; 3], String> {
    // Named directions.
    let named = match text {
        "front" => Some([0.0, -1.0, 0.0]),
        "back" => Some([0.0, 1.0, 0.0]),
        "left" => Some([-1.0, 0.0, 0.0]),
        "right" => Some([1.0, 0.0, 0.0]),
        "top" => Some([0.0, 0.0, 1.0]),
        "oblique" => Some([0.55, -1.0, 0.55]),
        _ => None,
    };
    // Or three numbers that are not all 0.
    let given = || {
        let all = <[f64; 3]>::try_from(numbers(text)?).ok()?;
        all.iter().any(|x| *x != 0.0).then_some(all)
    };
    named.or_else(given).ok_or_else(|| {
        "it must be a direction x,y,z or front, back, left, right, top, oblique".into()
    })
}

fn size(text: &str) -> Result<(usize, usize), String> {
    let parts = text.split_once(['x', 'X']);
    let sides = parts.and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    let fits = |(w, h): &(usize, usize)| SIDES.contains(w) && SIDES.contains(h);
    sides.filter(fits).ok_or_else(|| {
        format!(
            "it must be WIDTHxHEIGHT with {} to {} pixels each, for example 1280x720",
            SIDES.start(),
            SIDES.end()
        )
    })
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        _ => Err("it must be a number above 0".into()),
    }
}

/// Options that pictures share with other exports.
pub struct CommonOptions {
    /// Stride over the states.
    pub every: Option<usize>,
    /// Start of the time window.
    pub from: Option<f64>,
    /// End of the time window.
    pub until: Option<f64>,
    /// Whether force chains are highlighted.
    pub chains: bool,
    /// Whether existing files are replaced.
    pub force: bool,
    /// Whether messages are suppressed.
    pub quiet: bool,
}

/// What to export.
enum Product<'a> {
    Still(&'a Path, bool),
    Film(&'a Path, film::FilmFormat),
}

impl PictureArgs {
    fn product(&self) -> Option<Product<'_>> {
        match (&self.png, &self.svg, &self.gif, &self.mp4) {
            (Some(file), ..) => Some(Product::Still(file, false)),
            (_, Some(file), ..) => Some(Product::Still(file, true)),
            (_, _, Some(file), _) => Some(Product::Film(file, film::FilmFormat::Gif)),
            (.., Some(file)) => Some(Product::Film(file, film::FilmFormat::Mp4)),
            _ => None,
        }
    }

    /// Whether a picture or a film is requested.
    pub fn wanted(&self) -> bool {
        self.product().is_some()
    }

    /// The first picture option that is given.
    pub fn given(&self) -> Option<&'static str> {
        let all = [
            (self.at.is_some(), "--at"),
            (self.size.is_some(), "--size"),
            (self.colour.is_some(), "--colour"),
            (self.forces, "--forces"),
            (self.theme.is_some(), "--theme"),
            (self.view.is_some(), "--view"),
            (self.window.is_some(), "--window"),
            (self.fps.is_some(), "--fps"),
            (self.speed.is_some(), "--speed"),
        ];
        all.into_iter()
            .find(|(given, _)| *given)
            .map(|(_, name)| name)
    }

    fn render_options(
        &self,
        reel: &FrameSequence<'_>,
        shared: &CommonOptions,
        zoom: f64,
    ) -> Result<RenderOptions, CommandError> {
        let dimension = reel.dimension();
        // Options that do not fit the run.
        if self.view.is_some() && dimension == Some(2) {
            return Err(CommandError::Input(
                "--view is for runs in space; this one is in the plane".into(),
            ));
        }
        if shared.chains && !self.forces {
            return Err(CommandError::Input(
                "--chains makes force chains stand out among forces: give --forces as well".into(),
            ));
        }
        // Window: four numbers in the plane, six in space.
        let window = match (&self.window, dimension) {
            (None, _) => None,
            (Some(Corners(all)), Some(n)) if all.len() != 2 * n => {
                return Err(CommandError::Input(format!(
                    "--window takes {} numbers for this run, the lower and the upper corner",
                    2 * n
                )));
            }
            (Some(Corners(all)), _) => {
                let (low, high) = all.split_at(all.len() / 2);
                let corner =
                    |of: &[f64]| std::array::from_fn(|k| of.get(k).copied().unwrap_or(0.0));
                Some((corner(low), corner(high)))
            }
        };
        Ok(RenderOptions {
            colour: self.colour.map(colour),
            forces: self.forces,
            chains: shared.chains,
            theme: match self.theme {
                Some(ThemeWord::Dark) => Theme::Dark,
                _ => Theme::Light,
            },
            view: self.view,
            window,
            size: self.size,
            zoom,
        })
    }
}

fn colour(word: ColourWord) -> Colour {
    match word {
        ColourWord::None => Colour::None,
        ColourWord::Speed => Colour::Speed,
        ColourWord::Displacement => Colour::Displacement,
        ColourWord::Spin => Colour::Spin,
        ColourWord::Material => Colour::Material,
        ColourWord::Mass => Colour::Mass,
    }
}

/// Rejects an existing file unless `force` is set.
fn free(path: &Path, force: bool) -> Result<(), CommandError> {
    match path.is_file() && !force {
        true => Err(CommandError::Input(format!(
            "{}: this file is there already; --force replaces it, or name another one",
            path.display()
        ))),
        false => Ok(()),
    }
}

/// Writes the requested picture or film.
pub fn run(
    args: &PictureArgs,
    record: &Record,
    shared: &CommonOptions,
) -> Result<CommandStatus, CommandError> {
    // Options that do not fit the product.
    let refuse = |given: bool, name: &str, of: &str| match given {
        true => Err(CommandError::Input(format!(
            "{name} is for {of}: leave it out"
        ))),
        false => Ok(()),
    };
    match args.product() {
        Some(Product::Still(path, svg)) => {
            let films = "films (--gif, --mp4)";
            refuse(args.fps.is_some(), "--fps", films)?;
            refuse(args.speed.is_some(), "--speed", films)?;
            refuse(shared.every.is_some(), "--every", films)?;
            refuse(shared.from.is_some(), "--from", films)?;
            refuse(shared.until.is_some(), "--until", films)?;
            free(path, shared.force)?;
            still(args, record, shared, (path, svg))
        }
        // A film: its speed by stride, by factor, or automatic.
        Some(Product::Film(path, format)) => {
            refuse(args.at.is_some(), "--at", "pictures (--png, --svg)")?;
            free(path, shared.force)?;
            let reel = FrameSequence::of(record)?;
            let wish = args.render_options(&reel, shared, 1.0)?;
            let pace = match (shared.every, args.speed) {
                (Some(every), _) => FilmSpeed::EveryNth(every),
                (None, Some(speed)) => FilmSpeed::Speed(speed),
                (None, None) => FilmSpeed::Auto,
            };
            let plan = FilmSchedule {
                from: shared.from,
                until: shared.until,
                fps: args.fps.unwrap_or(film::FPS),
                pace,
            };
            film::run(&reel, &wish, &plan, (path, format), shared.quiet)
        }
        None => Err(CommandError::Input(
            "say --png FILE, --svg FILE, --gif FILE or --mp4 FILE".into(),
        )),
    }
}

fn still(
    args: &PictureArgs,
    record: &Record,
    shared: &CommonOptions,
    (path, svg): (&Path, bool),
) -> Result<CommandStatus, CommandError> {
    // The nearest recorded state.
    let reel = FrameSequence::of(record)?;
    let wish = args.render_options(&reel, shared, if svg { 1.0 } else { ZOOM })?;
    let (state, t) = reel.nearest(args.at)?;
    let target = OutputFile::new(path)?;
    let shooting = reel.renderer(&wish, &[state], None, &mut |_| {})?;
    match svg {
        true => target.write(shooting.svg(state)?)?,
        false => {
            let image = shooting.image(state)?;
            let failed = |e: String| CommandError::Machine(format!("cannot draw the picture: {e}"));
            target.write(image.png().map_err(failed)?)?;
        }
    }
    if !shared.quiet {
        let shown = path.display();
        let t = format_short(t);
        output::print(&format!("{shown}: the recorded state at t = {t}\n"))?;
    }
    Ok(CommandStatus::Success)
}
