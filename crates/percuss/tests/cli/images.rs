//! `percuss export --png`, `--svg`, `--gif`, `--mp4`: files that can be read again, and refusals.

use std::fs;
use std::path::Path;

use crate::common::{command, folder, percuss};

/// Runs a built-in scene into `run`.
fn run(folder: &Path, scene: &str, set: &[&str]) {
    let mut args = vec!["run", scene, "-o", "run", "-q", "--no-findings"];
    args.extend(set.iter().flat_map(|s| ["--set", *s]));
    let ran = percuss(folder, &args);
    assert_eq!(ran.status, 0, "{}", ran.err);
}

/// Width, height and pixels of a PNG.
fn png(path: &Path) -> (u32, u32, Vec<u8>) {
    let file = std::io::BufReader::new(fs::File::open(path).expect("a file"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("whole");
    assert_eq!(info.color_type, png::ColorType::Rgb);
    (info.width, info.height, pixels)
}

/// Number of different colours.
fn colours(pixels: &[u8]) -> usize {
    let mut all: Vec<&[u8]> = pixels.chunks_exact(3).collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

#[test]
fn a_picture_of_the_plane_has_the_size_and_says_its_instant() {
    let folder = folder();
    let at = folder.path();
    run(at, "three-discs", &[]);
    let args = [
        "export", "run", "--png", "a.png", "--at", "0.1", "--size", "640x400",
    ];
    let ran = percuss(at, &args);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(
        ran.out.starts_with("a.png: the recorded state at t = 0."),
        "{}",
        ran.out
    );
    let (width, height, pixels) = png(&at.join("a.png"));
    assert_eq!((width, height), (640, 400));
    // Ground, bodies, their outlines, letters with smooth edges.
    assert!(colours(&pixels) > 20);
    assert_eq!(pixels[..3], [255; 3]);
    // The same command writes the same bytes, and refuses to do so unasked.
    let before = fs::read(at.join("a.png")).expect("there");
    let again = percuss(at, &args);
    assert_eq!(again.status, 2);
    assert!(again.err.contains("--force"), "{}", again.err);
    let forced = percuss(at, &[&args[..], &["--force"]].concat());
    assert_eq!(forced.status, 0, "{}", forced.err);
    assert_eq!(before, fs::read(at.join("a.png")).expect("there"));
    // In the dark, with forces and another colour; as SVG.
    let args = [
        "export", "run", "--svg", "b.svg", "--theme", "dark", "--forces", "--colour", "speed",
    ];
    assert_eq!(percuss(at, &args).status, 0);
    let svg = fs::read_to_string(at.join("b.svg")).expect("there");
    assert!(svg.contains("#14161a") && svg.contains("class=\"forces\"") && svg.contains("speed"));
}

#[test]
fn space_is_drawn_as_pixels_from_where_it_is_asked() {
    let folder = folder();
    let at = folder.path();
    run(at, "jacks", &["until=0.2"]);
    let picture = |view: &str| {
        let file = format!("{view}.png");
        let args = [
            "export", "run", "--png", &file, "--view", view, "--size", "480x360",
        ];
        let ran = percuss(at, &args);
        assert_eq!(ran.status, 0, "{}", ran.err);
        let (width, height, pixels) = png(&at.join(&file));
        assert_eq!((width, height), (480, 360));
        // Smooth shading has many colours.
        assert!(colours(&pixels) > 500, "{view}: {}", colours(&pixels));
        pixels
    };
    assert_ne!(picture("front"), picture("1,1,2"));
}

/// Frames of a GIF: their number and the sum of their delays in hundredths of a second.
fn frames(path: &Path) -> (u16, u16, usize, u32) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::Indexed);
    let mut decoder = options
        .read_info(fs::File::open(path).expect("there"))
        .expect("a GIF");
    let (mut count, mut delays) = (0, 0);
    while let Some(frame) = decoder.read_next_frame().expect("whole") {
        count += 1;
        delays += u32::from(frame.delay);
    }
    (decoder.width(), decoder.height(), count, delays)
}

#[test]
fn a_gif_has_its_frames_and_lasts_as_long_as_it_should() {
    let folder = folder();
    let at = folder.path();
    run(at, "three-discs", &[]);
    let args = [
        "export", "run", "--gif", "a.gif", "--from", "0", "--until", "0.2", "--fps", "10",
        "--speed", "0.1", "--size", "320x240",
    ];
    let ran = percuss(at, &args);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let (width, height, count, delays) = frames(&at.join("a.gif"));
    assert_eq!((width, height), (320, 240));
    // 0.2 s at a tenth of the pace are 2 s and the last frame, which stays a second longer.
    assert!((200..=315).contains(&delays), "{delays}");
    assert!(count > 10, "{count}");
}

#[test]
fn mechanisms_are_filmed_by_their_drawing() {
    let folder = folder();
    let at = folder.path();
    run(at, "pendulum", &[]);
    let ran = percuss(at, &["export", "run", "--png", "a.png", "--at", "0.5"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(colours(&png(&at.join("a.png")).2) > 10);
    let refused = percuss(
        at,
        &["export", "run", "--png", "b.png", "--colour", "speed"],
    );
    assert_eq!(refused.status, 2);
    assert!(refused.err.contains("--colour"), "{}", refused.err);
}

#[test]
fn what_cannot_be_shown_is_refused_with_its_reason() {
    let folder = folder();
    let at = folder.path();
    run(at, "three-discs", &[]);
    let cases: [(&[&str], i32, &str); 12] = [
        (
            &["run", "--png", "x.png", "--at", "99"],
            2,
            "outside the recorded states",
        ),
        (&["nowhere", "--png", "x.png"], 2, "nowhere"),
        (
            &["run", "--png", "x.png", "--fps", "9"],
            2,
            "--fps is for films",
        ),
        (
            &["run", "--png", "x.png", "--view", "top"],
            2,
            "--view is for runs in space",
        ),
        (&["run", "--png", "x.png", "--size", "9x9"], 2, "--size"),
        (&["run", "--png", "x.png", "--chains"], 2, "--forces"),
        (
            &["run", "--png", "x.png", "--window", "0,0,0,1,1,1"],
            2,
            "4 numbers",
        ),
        (
            &["run", "--png", "x.png", "--tessellate", "9"],
            2,
            "--tessellate is for --vtk",
        ),
        (
            &["run", "--gif", "x.gif", "--at", "1"],
            2,
            "--at is for pictures",
        ),
        (&["run", "--gif", "x.gif", "--fps", "55"], 2, "at most 50"),
        (
            &["run", "--csv", "out", "--theme", "dark"],
            2,
            "--theme is for pictures",
        ),
        (&["run", "--png", "no/such/folder/x.png"], 3, "cannot write"),
    ];
    for (args, status, words) in cases {
        let ran = percuss(at, &[&["export"], args].concat());
        assert_eq!(ran.status, status, "{args:?}: {}", ran.err);
        assert!(ran.err.contains(words), "{args:?}: {}", ran.err);
        assert!(!at.join("x.png").exists() && !at.join("x.gif").exists());
    }
}

#[test]
fn runs_without_recorded_bodies_have_no_picture() {
    let folder = folder();
    let at = folder.path();
    run(at, "three-discs", &["record.tables=contacts"]);
    let ran = percuss(at, &["export", "run", "--png", "x.png"]);
    assert_eq!(ran.status, 2, "{}", ran.err);
    assert!(ran.err.contains("bodies"), "{}", ran.err);
}

#[test]
fn an_mp4_is_written_by_ffmpeg_and_its_absence_is_told() {
    let folder = folder();
    let at = folder.path();
    run(at, "three-discs", &[]);
    let args = [
        "export", "run", "--mp4", "a.mp4", "--until", "0.2", "--size", "320x240", "--fps", "20",
    ];
    let missing = command(at, &args)
        .env("PATH", "")
        .output()
        .expect("started");
    let words = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert_eq!(missing.status.code(), Some(3), "{words}");
    assert!(
        words.contains("ffmpeg") && words.contains("install"),
        "{words}"
    );
    let odd = percuss(
        at,
        &["export", "run", "--mp4", "a.mp4", "--size", "321x240"],
    );
    assert_eq!(odd.status, 2);
    let there = std::process::Command::new("ffprobe")
        .arg("-version")
        .output();
    if there.is_err() {
        println!("ffprobe is not on this machine: the film itself is not looked at");
        return;
    }
    let ran = percuss(at, &args);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let probe = std::process::Command::new("ffprobe")
        .args([
            "-v",
            "error",
            "-count_frames",
            "-select_streams",
            "v",
            "-show_entries",
        ])
        .args([
            "stream=width,height,nb_read_frames,r_frame_rate",
            "-of",
            "csv=p=0",
        ])
        .arg(at.join("a.mp4"))
        .output()
        .expect("ffprobe");
    let told = String::from_utf8_lossy(&probe.stdout).into_owned();
    let fields: Vec<&str> = told.trim().split(',').collect();
    assert_eq!(fields[..3], ["320", "240", "20/1"], "{told}");
    let count: usize = fields[3].parse().expect("a number");
    assert!(count > 4, "{told}");
    let mut left = fs::read_dir(at).expect("a folder").flatten();
    assert!(left.all(|e| !e.file_name().to_string_lossy().ends_with(".part")));
}
