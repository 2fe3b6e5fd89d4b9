//! A run as one file, taken apart again.

use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use crate::common::{BALL, PLANE, bodies, crowd, mechanism, numbers, opened};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::DeflateDecoder;
use percuss_view::html::{HtmlOptions, write};
use percuss_view::{BinaryTable, Query};
use serde_json::Value;
use tempfile::tempdir;

/// The elements of a page by their id.
fn elements(page: &str) -> HashMap<String, String> {
    let mut all = HashMap::new();
    for part in page.split("<script ").skip(1) {
        let (tag, rest) = part.split_once('>').expect("a tag");
        let (text, _) = rest.split_once("</script>").expect("an end");
        if let Some((_, id)) = tag.split_once("id=\"") {
            let id = id.split('"').next().expect("an id");
            assert!(
                all.insert(id.to_string(), text.to_string()).is_none(),
                "{id} twice"
            );
        }
    }
    all
}

struct File {
    index: Value,
    packs: HashMap<String, BinaryTable>,
    bytes: u64,
}

fn read(path: &Path) -> File {
    let page = fs::read_to_string(path).expect("a page");
    let mut elements = elements(&page);
    let index = elements.remove("percuss-index").expect("an index");
    let index: Value = serde_json::from_str(&index).expect("JSON");
    assert_eq!(index["compression"], "deflate-raw");
    let mut packs = HashMap::new();
    for (id, text) in &elements {
        let name = id.strip_prefix("pack:").expect("a pack");
        let small = STANDARD.decode(text).expect("base64");
        let mut bytes = Vec::new();
        DeflateDecoder::new(small.as_slice())
            .read_to_end(&mut bytes)
            .expect("deflate");
        assert_eq!(index["packs"][name]["bytes"], bytes.len(), "{name}");
        packs.insert(
            name.to_string(),
            BinaryTable::decode(&bytes).expect("a pack"),
        );
    }
    assert_eq!(
        index["packs"].as_object().map(|p| p.len()),
        Some(packs.len())
    );
    File {
        index,
        packs,
        bytes: page.len() as u64,
    }
}

#[test]
fn a_file_holds_the_page_and_every_pack_as_the_server_gives_it() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    bodies(PLANE, &path);
    let out = folder.path().join("run.html");
    let moment = opened(&path).snapshot().expect("a run");
    let done = write(&moment, &out, &HtmlOptions::default(), &mut |_| {}).expect("written");
    let file = read(&out);
    assert_eq!(done.bytes, file.bytes);
    assert_eq!((done.states, done.of, done.contacts), (11, 11, 10));
    assert_eq!(file.packs.len(), 3 + 11 + 10);
    for (name, ask) in [
        ("frames", Query::Frames),
        ("shapes", Query::Shapes),
        ("steps", Query::Steps(None)),
        ("bodies/7", Query::Bodies(7)),
        ("contacts/3", Query::Contacts(3)),
    ] {
        let known = moment.pack(&ask).expect("a pack").encode();
        // Not a number is not equal to itself: bytes are compared.
        assert_eq!(file.packs[name].encode(), known, "{name}");
    }
    let about = &file.index["about"];
    assert_eq!(about["title"], "Plane </script><b>things</b>");
    assert_eq!(
        (&about["thinned"], &about["directory"]),
        (&Value::Null, &Value::Null)
    );
    // All of the page is there: data stand at its marker, and nothing else was changed.
    let page = fs::read_to_string(&out).expect("a page");
    let own = String::from_utf8(percuss_view::PAGE.to_vec()).expect("UTF-8");
    let (before, after) = own.split_once(percuss_view::MARKER).expect("a marker");
    assert!(page.starts_with(before) && page.ends_with(after));
    // Hostile text in the data has not become part of the page.
    let data = &page[before.len()..page.len() - after.len()];
    assert!(!data.contains("<b>") && !data.contains("<is>"));
    assert_eq!(data.matches("</script>").count(), 1 + file.packs.len());
    let place = path.display().to_string();
    assert!(!page.contains(&place), "the file tells where it was made");
}

#[test]
fn a_file_keeps_its_bound_by_leaving_states_out_evenly() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    bodies(&crowd(2000, 60), &path);
    let moment = opened(&path).snapshot().expect("a run");
    let out = folder.path().join("run.html");
    let most = percuss_view::PAGE.len() as u64 + 250_000;
    let request = HtmlOptions {
        most,
        ..HtmlOptions::default()
    };
    let done = write(&moment, &out, &request, &mut |_| {}).expect("written");
    let file = read(&out);
    assert!(file.bytes <= most, "{} > {most}", file.bytes);
    // Room is used: a file of twice as many states would not fit.
    assert!(done.states > 2 && done.states < 61, "{done:?}");
    let rest = file.bytes - percuss_view::PAGE.len() as u64;
    assert!(2 * rest > 250_000, "{rest} of 250000 used");
    let steps = numbers(&file.packs["frames"], "step");
    assert_eq!((steps[0], steps[steps.len() - 1]), (0.0, 60.0));
    let every = file.index["about"]["thinned"]["every"]
        .as_f64()
        .expect("a number");
    assert!(
        steps[..steps.len() - 1]
            .windows(2)
            .all(|w| w[1] - w[0] == every),
        "{steps:?}"
    );
    assert_eq!(file.index["about"]["thinned"]["of"], 61);
    assert_eq!(file.index["about"]["frames"], steps.len());
    for (k, step) in steps.iter().enumerate() {
        let pack = &file.packs[&format!("bodies/{k}")];
        assert_eq!(pack.extra()["step"].as_f64(), Some(*step));
        assert_eq!(pack.extra()["frame"], k);
    }
    let small = HtmlOptions {
        most: 100_000,
        force: true,
        ..HtmlOptions::default()
    };
    let error = write(&moment, &out, &small, &mut |_| {}).expect_err("too small");
    assert!(error.to_string().contains("--max-size"), "{error}");
    // What was there before is still there, and nothing beside it.
    assert_eq!(read(&out).bytes, file.bytes);
    let names: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert_eq!(names.len(), 2);
}

#[test]
fn times_cadence_and_contacts_can_be_chosen() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    bodies(PLANE, &path);
    let moment = opened(&path).snapshot().expect("a run");
    let out = folder.path().join("run.html");
    let request = HtmlOptions {
        every: Some(2),
        from: Some(0.1),
        until: Some(0.35),
        contacts: false,
        ..HtmlOptions::default()
    };
    write(&moment, &out, &request, &mut |_| {}).expect("written");
    let file = read(&out);
    // Recorded are steps 0, 4, 8, …: from 0.1 to 0.35 they are 12, 16, …, 32.
    assert_eq!(numbers(&file.packs["frames"], "step"), [12.0, 20.0, 28.0]);
    assert!(file.packs.keys().all(|name| !name.starts_with("contacts")));
    assert_eq!(file.index["about"]["thinned"]["contacts"], false);
    let again = write(&moment, &out, &request, &mut |_| {}).expect_err("it is there");
    assert!(again.to_string().contains("--force"), "{again}");
    let forced = HtmlOptions {
        force: true,
        ..request.clone()
    };
    write(&moment, &out, &forced, &mut |_| {}).expect("replaced");
    let never = HtmlOptions {
        from: Some(7.0),
        force: true,
        ..request
    };
    let error = write(&moment, &out, &never, &mut |_| {}).expect_err("no such time");
    assert!(error.to_string().contains("choose --from"), "{error}");
    let folder_error = write(&moment, folder.path(), &forced, &mut |_| {});
    assert!(
        folder_error
            .expect_err("a folder")
            .to_string()
            .contains("folder")
    );
    let nowhere = folder.path().join("no/such/run.html");
    let error = write(&moment, &nowhere, &forced, &mut |_| {}).expect_err("no folder");
    assert!(error.is_fault(), "{error}");
}

#[test]
fn a_mechanism_takes_its_drawing_along() {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    mechanism(BALL, &path);
    let moment = opened(&path).snapshot().expect("a run");
    let out = folder.path().join("ball.html");
    write(&moment, &out, &HtmlOptions::default(), &mut |_| {}).expect("written");
    let file = read(&out);
    let drawing = &file.packs["drawing"];
    let known = moment.pack(&Query::Drawing).expect("a drawing").encode();
    assert_eq!(drawing.encode(), known);
    assert_eq!(file.index["about"]["kind"], "mechanism");
    assert!(file.packs.contains_key("steps") && !file.packs.contains_key("bodies/0"));
}
