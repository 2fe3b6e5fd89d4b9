//! Pictures and films of a run for the gallery.

use std::fs;
use std::path::Path;

use percuss_draw::film::{
    FilmFrame, FilmSchedule, FilmSpeed, FrameRenderer, FrameSequence, GifWriter, Palette,
    RenderOptions,
};
use percuss_draw::picture::Image;
use percuss_draw::plot::RunPlots;
use percuss_record::Record;
use percuss_run::Threads;
use percuss_scene::Scene;
use percuss_view::FollowedRun;
use percuss_view::html::{self, HtmlOptions};

use super::entry::{Entry, Group};

/// Sizes of pictures and of films in pixels.
const PICTURE: (usize, usize) = (880, 600);
const FILM: (usize, usize) = (440, 300);

/// Maximal size of a film in bytes.
const LARGEST: usize = 1_000_000;

/// Maximal size of a page in bytes.
const HEAVIEST: u64 = 6_000_000;

/// Frame rate, and number of frames of a film: fewer where it would be too large.
const FPS: f64 = 12.0;
const FRAMES: [usize; 4] = [60, 36, 20, 10];

/// Number of bodies beyond which a film takes too long.
const MANY: usize = 50_000;

/// Makes the pictures of a run: all of them if the run is new, otherwise the missing ones.
pub fn pictures(entry: &mut Entry, folder: &Path, directory: &Path, anew: bool) {
    let record = match Record::open(directory) {
        Ok(record) => record,
        Err(error) => return entry.notes.push(error.to_string()),
    };
    let name = entry.name.clone();
    let there = |file: &str| !anew && folder.join(file).is_file();
    // Plot.
    if let Err(why) = plot(entry, &record, folder, anew) {
        entry.notes.push(format!("its plot cannot be drawn: {why}"));
    }
    // Viewer page.
    let file = format!("pages/{name}.html");
    let made = match there(&file) {
        true => Ok(()),
        false => page(directory, &folder.join(&file)),
    };
    match made {
        Ok(()) => entry.page = Some(file),
        Err(why) => entry
            .notes
            .push(format!("its page cannot be written: {why}")),
    }
    // A mechanism without a drawing has only its plot.
    let Ok(reel) = FrameSequence::of(&record) else {
        entry.picture = entry.plot.as_ref().map(|(file, _)| file.clone());
        return;
    };
    // Picture.
    let file = format!("pictures/{name}.png");
    let made = match there(&file) {
        true => Ok(()),
        false => still(entry, &record, &reel).and_then(|bytes| {
            let written = fs::write(folder.join(&file), bytes);
            written.map_err(|e| e.to_string())
        }),
    };
    match made {
        Ok(()) => entry.picture = Some(file),
        Err(why) => entry
            .notes
            .push(format!("its picture cannot be drawn: {why}")),
    }
    // Film.
    let file = format!("films/{name}.gif");
    if there(&file) {
        entry.film = Some(file);
        return;
    }
    match film(&reel) {
        Ok(None) => {}
        Ok(Some(bytes)) => match fs::write(folder.join(&file), bytes) {
            Ok(()) => entry.film = Some(file),
            Err(e) => entry.notes.push(format!("its film cannot be written: {e}")),
        },
        Err(why) => entry.notes.push(format!("its film cannot be drawn: {why}")),
    }
}

/// The HTML page of the run.
fn page(directory: &Path, file: &Path) -> Result<(), String> {
    let run = FollowedRun::open(directory).map_err(|e| e.to_string())?;
    let moment = run.snapshot().map_err(|e| e.to_string())?;
    let request = HtmlOptions {
        most: HEAVIEST,
        force: true,
        ..HtmlOptions::default()
    };
    let done = html::write(&moment, file, &request, &mut |_| {});
    done.map(drop).map_err(|e| e.to_string())
}

/// The first plot that the scene declares, as SVG.
fn plot(entry: &mut Entry, record: &Record, folder: &Path, anew: bool) -> Result<(), String> {
    let gallery = RunPlots::of(record).map_err(|e| e.to_string())?;
    let first = gallery
        .list()
        .map_err(|e| e.to_string())?
        .into_iter()
        .next();
    let Some((name, title)) = first else {
        return Ok(());
    };
    let file = format!("plots/{}.svg", entry.name);
    if anew || !folder.join(&file).is_file() {
        let svg = gallery.svg(&name, Threads::new(1), &mut |_| {});
        let svg = svg.map_err(|e| e.to_string())?;
        fs::write(folder.join(&file), svg).map_err(|e| e.to_string())?;
    }
    entry.plot = Some((file, title));
    Ok(())
}

/// A representative state: of bodies, in the middle of the instants of the scene's first picture, or of the
/// motion; of a drawing the last, whose traces are complete.
fn still(entry: &Entry, record: &Record, reel: &FrameSequence<'_>) -> Result<Vec<u8>, String> {
    let (_, last) = reel.nearest(None).map_err(|e| e.to_string())?;
    // Bodies in the middle of the motion; a drawing at its end.
    let at = match entry.group {
        Group::Bodies => instant(record).unwrap_or(0.5 * last),
        _ => last,
    };
    let near = reel.nearest(Some(at)).or_else(|_| reel.nearest(None));
    let (state, _) = near.map_err(|e| e.to_string())?;
    let wish = RenderOptions {
        size: Some(PICTURE),
        ..RenderOptions::default()
    };
    let shooting = reel.renderer(&wish, &[state], None, &mut |_| {});
    let image = shooting.and_then(|shooting| shooting.image(state));
    image.map_err(|e| e.to_string())?.png()
}

/// The middle one of the instants of the scene's first picture.
fn instant(record: &Record) -> Option<f64> {
    let manifest = record.manifest();
    let scene = Scene::parse(&manifest.scene, &manifest.origin, &manifest.text).ok()?;
    let picture = scene.pictures().first()?;
    let at = picture.at.get(picture.at.len() / 2)?;
    let part = format!("picture `{}`", picture.name);
    scene.evaluate(&part, "at", at).ok()
}

/// The GIF of a run; `None` where nothing moves or it would be too large.
fn film(reel: &FrameSequence<'_>) -> Result<Option<Vec<u8>>, String> {
    let times = reel.times().map_err(|e| e.to_string())?;
    let (Some(first), Some(last)) = (times.first(), times.last()) else {
        return Ok(None);
    };
    // No film of too few states or too many bodies.
    if times.len() < 3 || reel.bodies() > MANY {
        return Ok(None);
    }
    let wish = RenderOptions {
        size: Some(FILM),
        ..RenderOptions::default()
    };
    // Fewer frames until the film is small enough.
    for count in FRAMES {
        let plan = FilmSchedule {
            from: None,
            until: None,
            fps: FPS,
            pace: FilmSpeed::Speed((last - first) / (count - 1) as f64 * FPS),
        };
        let frames = plan.frames(&times).map_err(|e| e.to_string())?;
        let states: Vec<usize> = frames.iter().map(|frame| frame.state).collect();
        let shooting = reel.renderer(&wish, &states, Some(2), &mut |_| {});
        let shooting = shooting.map_err(|e| e.to_string())?;
        let (bytes, moves) = written(&shooting, &frames)?;
        if !moves {
            return Ok(None);
        }
        if bytes.len() <= LARGEST {
            return Ok(Some(bytes));
        }
    }
    Ok(None)
}

/// Whether pictures differ below title and time label.
fn moves(images: &[Image]) -> bool {
    let begin = |image: &Image| 3 * image.width * (image.height / 5);
    let below = |image: &'_ Image| image.rgb.get(begin(image)..).unwrap_or(&[]).to_vec();
    let Some((first, rest)) = images.split_first() else {
        return false;
    };
    let first = below(first);
    rest.iter().any(|image| below(image) != first)
}

/// The GIF, and whether anything moves in it.
fn written(shooting: &FrameRenderer<'_>, frames: &[FilmFrame]) -> Result<(Vec<u8>, bool), String> {
    let image = |frame: &FilmFrame| shooting.image(frame.state).map_err(|e| e.to_string());
    let images: Vec<Image> = frames.iter().map(image).collect::<Result<_, _>>()?;
    let palette = Palette::of(&images);
    let mut writer = GifWriter::new(Vec::new(), FILM, palette)?;
    for (k, (image, frame)) in images.iter().zip(frames).enumerate() {
        let rest = if k + 1 == frames.len() { 1.0 } else { 0.0 };
        writer.add(image, frame.count as f64 / FPS + rest)?;
    }
    Ok((writer.finish()?, moves(&images)))
}
