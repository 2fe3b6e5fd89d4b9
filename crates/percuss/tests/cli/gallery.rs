//! `percuss gallery`: a page whose links and images are there, with the findings of its runs.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use crate::common::{folder, percuss};
use serde_json::Value;

const NAMES: [&str; 4] = ["ball-e05", "sweep-square", "three-discs", "zeno-reversed"];

/// Values of an attribute in a page.
fn attributes<'a>(html: &'a str, name: &str) -> Vec<&'a str> {
    let key = format!(" {name}=\"");
    let parts = html.split(key.as_str()).skip(1);
    parts.filter_map(|part| part.split('"').next()).collect()
}

/// Whether an image has more than one colour.
fn is_drawn(path: &Path) -> bool {
    let bytes = fs::read(path).expect("there");
    match path.extension().and_then(|e| e.to_str()) {
        Some("png") => {
            let file = std::io::Cursor::new(&bytes);
            let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
            let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
            reader.next_frame(&mut pixels).expect("whole");
            pixels.chunks_exact(3).any(|p| p != &pixels[..3])
        }
        Some("gif") => {
            let mut options = gif::DecodeOptions::new();
            options.set_color_output(gif::ColorOutput::Indexed);
            let mut decoder = options.read_info(bytes.as_slice()).expect("a GIF");
            let first = decoder.read_next_frame().expect("whole").expect("a frame");
            let drawn = first.buffer.iter().any(|p| *p != first.buffer[0]);
            let moves = decoder.read_next_frame().expect("whole").is_some();
            drawn && moves && bytes.len() <= 1_000_000
        }
        _ => String::from_utf8_lossy(&bytes).contains("</svg>"),
    }
}

fn findings(manifest: &Path) -> Vec<(String, Value)> {
    let text = fs::read_to_string(manifest).expect("a manifest");
    let manifest: Value = serde_json::from_str(&text).expect("JSON");
    let all = manifest["findings"].as_array().cloned().unwrap_or_default();
    let pair = |f: Value| {
        (
            f["name"].as_str().unwrap_or("").to_string(),
            f["ok"].clone(),
        )
    };
    all.into_iter().map(pair).collect()
}

fn modified(path: &Path) -> SystemTime {
    fs::metadata(path)
        .and_then(|m| m.modified())
        .expect("a time")
}

#[test]
fn the_page_shows_systems_with_images_links_and_findings() {
    let folder = folder();
    let at = folder.path();
    let only = NAMES.join(",");
    let args = [
        "gallery",
        "-o",
        "out",
        "--only",
        &only,
        "--json",
        "--threads",
        "2",
    ];
    let ran = percuss(at, &args);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    let json = ran.json();
    let systems = json["systems"].as_array().expect("systems");
    let names: Vec<&str> = systems.iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names, NAMES);
    assert!(systems.iter().all(|s| s["ok"] == true), "{json}");
    let out = at.join("out");
    let html = fs::read_to_string(out.join("index.html")).expect("the page");
    // All that it refers to is there, and images show something.
    for link in attributes(&html, "href")
        .iter()
        .chain(&attributes(&html, "src"))
    {
        assert!(out.join(link).is_file(), "{link}");
    }
    let images = attributes(&html, "src");
    assert!(images.len() >= 6, "{images:?}");
    for image in &images {
        assert!(is_drawn(&out.join(image)), "{image}");
    }
    assert_eq!(
        attributes(&html, "alt").len(),
        images.len(),
        "every image has words"
    );
    // Nothing comes from elsewhere.
    assert!(!html.contains("http://") && !html.contains("https://"));
    check_cards(&html, &out);
    again(at, &args, &out);
}

/// Each system has a card with its command, its scene and the findings of its run.
fn check_cards(html: &str, out: &Path) {
    for name in NAMES {
        let part = html.split(&format!("<article id=\"{name}\">")).nth(1);
        let part = part
            .and_then(|p| p.split("</article>").next())
            .expect("a card");
        assert!(part.contains(&format!("percuss run {name}")));
        let scene = fs::read_to_string(out.join(format!("scenes/{name}.toml"))).expect("there");
        assert!(scene.contains("title"));
        if name == "zeno-reversed" {
            assert!(part.contains("refused, as it must be"), "{part}");
            continue;
        }
        let rows: Vec<&str> = part.split("<tr><td").skip(1).collect();
        let found = findings(&out.join(format!("runs/{name}/run.json")));
        assert_eq!(rows.len(), found.len(), "{name}");
        for (row, (finding, ok)) in rows.iter().zip(found) {
            assert!(row.contains(&format!(">{finding}</td>")), "{row}");
            assert_eq!(row.contains(">ok</td>"), ok == true, "{row}");
        }
    }
}

/// A second time nothing is run; a run of another text is made anew, and a picture that is gone as well.
fn again(at: &Path, args: &[&str], out: &Path) {
    let manifest = |name: &str| out.join(format!("runs/{name}/run.json"));
    let before = ["ball-e05", "three-discs"].map(|name| modified(&manifest(name)));
    let text = fs::read_to_string(manifest("ball-e05")).expect("there");
    let altered = text.replacen("title = ", "# changed\\ntitle = ", 1);
    assert_ne!(text, altered);
    fs::write(manifest("ball-e05"), &altered).expect("written");
    let picture = out.join("pictures/three-discs.png");
    let pixels = fs::read(&picture).expect("there");
    fs::remove_file(&picture).expect("removed");
    let ran = percuss(at, args);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    assert_eq!(modified(&manifest("three-discs")), before[1]);
    assert_eq!(fs::read(&picture).expect("drawn again"), pixels);
    assert_eq!(
        fs::read_to_string(manifest("ball-e05")).expect("there"),
        text
    );
}

#[test]
fn systems_that_are_none_are_refused() {
    let folder = folder();
    let ran = percuss(
        folder.path(),
        &["gallery", "-o", "out", "--only", "wall,nothing"],
    );
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("`nothing`"), "{}", ran.err);
    assert!(!folder.path().join("out").exists());
}

#[test]
fn a_run_that_fails_is_listed_and_the_others_are_made() {
    let folder = folder();
    let at = folder.path();
    // A file where a run directory should be.
    fs::create_dir_all(at.join("out/runs")).expect("made");
    fs::write(at.join("out/runs/ball-e05"), "in the way").expect("written");
    let ran = percuss(
        at,
        &["gallery", "-o", "out", "--only", "ball-e05,three-discs"],
    );
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("ball-e05: "), "{}", ran.out);
    assert!(ran.out.contains("1 of 2 systems"), "{}", ran.out);
    let html = fs::read_to_string(at.join("out/index.html")).expect("the page");
    assert!(html.contains("class=\"bad\"") && html.contains("pictures/three-discs.png"));
}
