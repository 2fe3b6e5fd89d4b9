//! Films: frames into a GIF, or through a pipe to ffmpeg.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};

use percuss_draw::film::{
    FilmFrame, FilmSchedule, FrameRenderer, FrameSequence, GifWriter, Palette, RenderOptions,
};
use percuss_draw::picture::Image;

use crate::console;
use crate::error::{CommandError, CommandStatus};
use crate::interrupt;
use crate::numbers::format_short;
use crate::output::{self, OutputFile};
use crate::progress::Progress;

/// Default frame rate.
pub const FPS: f64 = 25.0;

/// Number of frames from which the palette of a GIF is computed.
const SAMPLES: usize = 12;

/// Seconds for which the last frame of a GIF is shown before it repeats.
const REST: f64 = 1.0;

/// The format of a film.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum FilmFormat {
    /// GIF, encoded by percuss.
    Gif,
    /// MP4, encoded by ffmpeg.
    Mp4,
}

/// Why a film ended early.
enum FilmError {
    Stop(CommandError),
    Interrupted,
}

impl<T: Into<CommandError>> From<T> for FilmError {
    fn from(stop: T) -> Self {
        Self::Stop(stop.into())
    }
}

/// Makes a film.
pub fn run(
    reel: &FrameSequence<'_>,
    wish: &RenderOptions,
    plan: &FilmSchedule,
    (path, format): (&Path, FilmFormat),
    quiet: bool,
) -> Result<CommandStatus, CommandError> {
    // Frame rate limit of the format.
    let most = if format == FilmFormat::Gif {
        50.0
    } else {
        60.0
    };
    if plan.fps > most {
        return Err(CommandError::Input(format!(
            "--fps {}: such a film has at most {most} frames in a second; --speed makes it slower",
            plan.fps
        )));
    }
    even(wish, format)?;
    let target = OutputFile::new(path)?;
    interrupt::install_handler()?;
    // Schedule of frames, and decimals of the time label.
    let times = reel.times()?;
    let frames = plan.frames(&times)?;
    let progress = Progress::of_shares(quiet);
    let states: Vec<usize> = frames.iter().map(|frame| frame.state).collect();
    let stamp = decimals(&states, &times);
    // Reading the states is the smaller part of the work: 15 % of the progress bar.
    let mut tell = |share: f64| progress.share(0.15 * share, || "reading the states".into());
    let shooting = reel.renderer(wish, &states, Some(stamp), &mut tell)?;
    let mut drawn = 0_usize;
    let count = frames.len();
    // Render a frame, unless interrupted.
    let mut next = |image: &mut dyn FnMut() -> Result<(), FilmError>| {
        if interrupt::requested() {
            return Err(FilmError::Interrupted);
        }
        image()?;
        drawn += 1;
        let share = 0.15 + 0.85 * drawn as f64 / count as f64;
        progress.share(share, || format!("frame {drawn} of {count}"));
        Ok(())
    };
    // Encode.
    let done = match format {
        FilmFormat::Gif => {
            gif(&shooting, &frames, plan.fps, &mut next).and_then(|bytes| Ok(target.write(bytes)?))
        }
        FilmFormat::Mp4 => mp4(&shooting, &frames, plan.fps, path, &mut next),
    };
    drop(progress);
    match done {
        Ok(()) => {}
        Err(FilmError::Stop(stop)) => return Err(stop),
        Err(FilmError::Interrupted) => {
            console::message("interrupted; no film was written");
            return Ok(CommandStatus::Interrupted);
        }
    }
    if !quiet {
        output::print(&told(path, &frames, &times, plan))?;
    }
    Ok(CommandStatus::Success)
}

/// Summary of a film as text.
fn told(path: &Path, frames: &[FilmFrame], times: &[f64], plan: &FilmSchedule) -> String {
    let at = |frame: Option<&FilmFrame>| frame.and_then(|f| times.get(f.state)).copied();
    let (from, until) = (at(frames.first()), at(frames.last()));
    let [from, until] = [from, until].map(|t| format_short(t.unwrap_or(f64::NAN)));
    let count: usize = frames.iter().map(|frame| frame.count).sum();
    let seconds = count as f64 / plan.fps;
    format!(
        "{}: {} states from t = {from} to {until} in {seconds:.1} s\n",
        path.display(),
        frames.len()
    )
}

/// Rejects a size that the format does not support.
fn even(wish: &RenderOptions, format: FilmFormat) -> Result<(), CommandError> {
    match wish.size {
        Some((w, h)) if format == FilmFormat::Mp4 && (w % 2 != 0 || h % 2 != 0) => {
            Err(CommandError::Input(format!(
                "--size {w}x{h}: the sides of an MP4 are even numbers; give {}x{}",
                w + w % 2,
                h + h % 2
            )))
        }
        _ => Ok(()),
    }
}

/// Decimals that distinguish the times of frames.
fn decimals(states: &[usize], times: &[f64]) -> usize {
    let time = |state: &usize| times.get(*state).copied().unwrap_or(f64::NAN);
    let apart = states.windows(2).map(|w| time(&w[1]) - time(&w[0]));
    let least = apart.filter(|d| *d > 0.0).fold(f64::INFINITY, f64::min);
    match least.is_finite() {
        true => (-least.log10()).ceil().clamp(0.0, 9.0) as usize,
        false => 3,
    }
}

/// Callback that renders a frame, counts it and reports progress.
type Next<'a> = dyn FnMut(&mut dyn FnMut() -> Result<(), FilmError>) -> Result<(), FilmError> + 'a;

fn unwritten(what: &str) -> CommandError {
    CommandError::Machine(format!("cannot write the film: {what}"))
}

/// Encodes a GIF.
fn gif(
    shooting: &FrameRenderer<'_>,
    frames: &[FilmFrame],
    fps: f64,
    next: &mut Next<'_>,
) -> Result<Vec<u8>, FilmError> {
    // The palette from some frames.
    let samples = samples(frames).map(|frame| shooting.image(frame.state));
    let samples: Vec<Image> = samples.collect::<Result<_, _>>()?;
    let size = samples
        .first()
        .map_or((1, 1), |image| (image.width, image.height));
    let palette = Palette::of(&samples);
    drop(samples);
    let mut writer = GifWriter::new(Vec::new(), size, palette).map_err(|e| unwritten(&e))?;
    // Frames with their delays; the last one is shown longer.
    for (k, frame) in frames.iter().enumerate() {
        next(&mut || {
            let image = shooting.image(frame.state)?;
            let rest = if k + 1 == frames.len() { REST } else { 0.0 };
            let lasts = frame.count as f64 / fps + rest;
            writer.add(&image, lasts).map_err(|e| unwritten(&e))?;
            Ok(())
        })?;
    }
    Ok(writer.finish().map_err(|e| unwritten(&e))?)
}

/// Evenly spaced frames, including the first and the last.
fn samples(frames: &[FilmFrame]) -> impl Iterator<Item = &FilmFrame> {
    let count = frames.len().min(SAMPLES);
    let last = frames.len().saturating_sub(1);
    let place = move |k: usize| k * last / count.saturating_sub(1).max(1);
    (0..count).filter_map(move |k| frames.get(place(k)))
}

/// An ffmpeg process that writes to a temporary file beside the target.
struct Encoder {
    child: Child,
    draft: PathBuf,
}

impl Encoder {
    fn start(path: &Path, (width, height): (usize, usize), fps: f64) -> Result<Self, CommandError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let draft = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
        // Raw RGB frames through a pipe, encoded as MP4 in yuv420p.
        let started = Command::new("ffmpeg")
            .args(["-hide_banner", "-loglevel", "error", "-nostdin", "-y"])
            .args(["-f", "rawvideo", "-pixel_format", "rgb24"])
            .args(["-video_size", &format!("{width}x{height}")])
            .args(["-framerate", &fps.to_string(), "-i", "pipe:0"])
            .args([
                "-an",
                "-pix_fmt",
                "yuv420p",
                "-movflags",
                "+faststart",
                "-f",
                "mp4",
            ])
            .arg(absolute(&draft))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        match started {
            Ok(child) => Ok(Self { child, draft }),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Err(CommandError::Machine(
                "an MP4 is written by the program ffmpeg, which is not on this machine's PATH: install it \
                 (apt install ffmpeg, brew install ffmpeg, winget install ffmpeg), or write a GIF with \
                 --gif FILE"
                    .into(),
            )),
            Err(e) => Err(CommandError::Machine(format!("cannot start ffmpeg: {e}"))),
        }
    }

    fn pipe(&mut self) -> Option<&mut ChildStdin> {
        self.child.stdin.as_mut()
    }

    /// Waits for ffmpeg and renames the film to its target; removes an incomplete one.
    fn finish(mut self, path: &Path, fed: io::Result<()>) -> Result<(), CommandError> {
        // Closing the pipe ends the film.
        drop(self.child.stdin.take());
        let ended = self.child.wait_with_output();
        let done = match ended {
            Ok(output) if output.status.success() => fed
                .and_then(|()| fs::rename(&self.draft, path))
                .map_err(|e| unwritten(&format!("{}: {e}", path.display()))),
            Ok(output) => {
                let words = String::from_utf8_lossy(&output.stderr);
                let last = words.lines().last().unwrap_or("it did not say why");
                Err(CommandError::Machine(format!(
                    "ffmpeg could not write the film: {last}"
                )))
            }
            Err(e) => Err(unwritten(&e.to_string())),
        };
        // An incomplete film is removed.
        if done.is_err() {
            let _ = fs::remove_file(&self.draft);
        }
        done
    }

    /// Ends ffmpeg and removes its file.
    fn give_up(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(&self.draft);
    }
}

/// An absolute path, which cannot be mistaken for an option of ffmpeg.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.into())
}

fn mp4(
    shooting: &FrameRenderer<'_>,
    frames: &[FilmFrame],
    fps: f64,
    path: &Path,
    next: &mut Next<'_>,
) -> Result<(), FilmError> {
    let Some(first) = frames.first() else {
        return Ok(());
    };
    let image = shooting.image(first.state)?;
    let mut encoder = Encoder::start(path, (image.width, image.height), fps)?;
    let mut fed = Ok(());
    for frame in frames {
        let fed = &mut fed;
        let made = next(&mut || {
            let image = shooting.image(frame.state)?;
            if let Some(pipe) = encoder.pipe() {
                *fed = (0..frame.count).try_for_each(|_| pipe.write_all(&image.rgb));
            }
            Ok(())
        });
        if let Err(cut) = made {
            encoder.give_up();
            return Err(cut);
        }
        // ffmpeg ended early: its error message is reported.
        if fed.is_err() {
            break;
        }
    }
    Ok(encoder.finish(path, fed)?)
}
