//! `percuss view` and `percuss export --html` with the built program.

use crate::common;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::child_process::{begin, ended, signal, signals_ignored};
use crate::common::scenes::{BALL, discs, recorded};
use crate::common::{command, folder, percuss};
use serde_json::Value;

/// How long another process may take on a loaded machine before it counts as stuck.
const PATIENCE: Duration = Duration::from_secs(300);

/// A page that is served.
struct Page {
    child: Child,
    host: String,
    token: String,
}

impl Page {
    fn open(folder: &Path, directory: &str) -> Self {
        let mut command = command(folder, &["view", directory, "--no-browser", "--quiet"]);
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("its output");
        BufReader::new(out)
            .read_line(&mut line)
            .expect("an address");
        let rest = line.trim_end().strip_prefix("http://").expect("an address");
        let (host, token) = rest.split_once('/').expect("a secret");
        let token = token.trim_end_matches('/');
        assert!(
            host.starts_with("127.0.0.1:") && token.len() == 32,
            "{line}"
        );
        Self {
            child,
            host: host.into(),
            token: token.into(),
        }
    }

    fn ask(&self, path: &str) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.host).expect("a connection");
        let (host, token) = (&self.host, &self.token);
        let text = format!("GET /{token}/{path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        stream.write_all(text.as_bytes()).expect("asked");
        let mut all = Vec::new();
        stream.read_to_end(&mut all).expect("an answer");
        let end = all
            .windows(4)
            .position(|w| w == b"\r\n\r\n")
            .expect("headers");
        let head = String::from_utf8_lossy(&all[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok());
        (status.expect("a status"), all[end + 4..].to_vec())
    }

    fn about(&self) -> Value {
        let (status, body) = self.ask("api/about");
        assert_eq!(status, 200);
        serde_json::from_slice(&body).expect("JSON")
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The header of a binary table.
fn header(bytes: &[u8]) -> Value {
    let length = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize;
    serde_json::from_slice(&bytes[4..4 + length]).expect("JSON")
}

/// A column of 32-bit floats of a binary table.
fn column(bytes: &[u8], name: &str) -> Vec<f32> {
    let header = header(bytes);
    let length = u32::from_le_bytes(bytes[..4].try_into().expect("four bytes")) as usize;
    let data = &bytes[(4 + length).next_multiple_of(8)..];
    let columns = header["columns"].as_array().expect("a list");
    let entry = columns
        .iter()
        .find(|c| c["name"] == name)
        .expect("the column");
    assert_eq!(entry["type"], "f32");
    let number = |key: &str| entry[key].as_u64().expect("a number") as usize;
    let begin = number("offset");
    let values = data[begin..begin + 4 * number("length")].chunks_exact(4);
    values
        .map(|b| f32::from_le_bytes(b.try_into().expect("four")))
        .collect()
}

#[test]
fn a_state_is_what_percuss_table_prints() {
    let folder = folder();
    recorded(folder.path(), &discs(40), "run");
    let page = Page::open(folder.path(), "run");
    let about = page.about();
    assert_eq!(
        (&about["state"], &about["frames"]),
        (&"ended".into(), &41.into())
    );
    let (status, state) = page.ask("api/bodies/17");
    assert_eq!(status, 200);
    let t = header(&state)["t"].as_f64().expect("a time").to_string();
    let args = [
        "table",
        "run",
        "bodies",
        "--at",
        &t,
        "--columns",
        "x,vy",
        "--quiet",
    ];
    let printed = percuss(folder.path(), &args).out;
    let (x, vy) = (column(&state, "x"), column(&state, "vy"));
    let origin = about["origin"][0].as_f64().expect("a number");
    assert_eq!(printed.lines().count(), x.len());
    for (k, line) in printed.lines().enumerate() {
        let mut known = line.split(',').map(|v| v.parse::<f64>().expect("a number"));
        assert_eq!(x[k], (known.next().expect("x") - origin) as f32);
        assert_eq!(vy[k], known.next().expect("vy") as f32);
    }
}

#[test]
fn ctrl_c_ends_it_with_status_0() {
    if signals_ignored() {
        return;
    }
    for name in ["INT", "TERM"] {
        let folder = folder();
        recorded(folder.path(), &discs(2), "run");
        let mut page = Page::open(folder.path(), "run");
        assert_eq!(page.ask("api/frames").0, 200);
        signal(&page.child, name);
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = page.child.try_wait().expect("a process") {
                break status;
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        };
        assert_eq!(status.code(), Some(0), "{name}");
    }
}

#[test]
fn what_cannot_be_shown_is_told_with_its_status() {
    let folder = folder();
    let path = folder.path();
    for bad in ["no-such-run", "."] {
        let ran = percuss(path, &["view", bad, "--no-browser"]);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert!(ran.err.contains("percuss run"), "{}", ran.err);
    }
    recorded(path, &discs(2), "run");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let ran = percuss(path, &["view", "run", "--no-browser", "--port", &port]);
    assert_eq!(ran.status, 3);
    assert!(
        ran.err.contains(&port) && ran.err.contains("--port"),
        "{}",
        ran.err
    );
    assert_eq!(percuss(path, &["view", "run", "--port", "0"]).status, 2);
    assert_eq!(percuss(path, &["view", "run", "--port", "99999"]).status, 2);
    fs::write(path.join("run/run.json"), "{").expect("written");
    let ran = percuss(path, &["view", "run", "--no-browser"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("damaged"), "{}", ran.err);
}

#[test]
fn a_run_is_followed_while_it_goes_on_and_after_it_was_killed() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("scene.toml"), discs(10_000_000)).expect("written");
    let args = [
        "run",
        "scene.toml",
        "-o",
        "run",
        "-q",
        "--checkpoint-seconds",
        "0.2",
    ];
    let mut run = begin(path, &args);
    common::child_process::wait_until(&mut run, || path.join("run/checkpoint-000002.bin").exists());
    let page = Page::open(path, "run");
    let (mut frames, mut revision) = (0, 0);
    for _ in 0..3 {
        common::child_process::wait_until(&mut run, || {
            let about = page.about();
            assert_eq!(about["state"], "running");
            let (seen, now) = (about["frames"].as_u64(), about["revision"].as_u64());
            let (seen, now) = (seen.expect("a count"), now.expect("a number"));
            assert!(seen >= frames && now >= revision, "it shrinks");
            let grown = seen > frames && now > revision;
            (frames, revision) = (seen, now);
            grown
        });
        // The newest state is there as a whole: discs rest on the floor.
        let (status, state) = page.ask(&format!("api/bodies/{}", frames - 1));
        assert_eq!(status, 200);
        assert!(column(&state, "y").iter().skip(1).all(|y| y.abs() < 1e-6));
    }
    run.kill().expect("killed");
    run.wait().expect("ended");
    let begun = Instant::now();
    while page.about()["state"] != "interrupted" {
        assert!(begun.elapsed() < PATIENCE, "still not seen");
        std::thread::sleep(Duration::from_millis(50));
    }
    let about = page.about();
    let last = about["frames"].as_u64().expect("a count") - 1;
    assert_eq!(page.ask(&format!("api/bodies/{last}")).0, 200);
    assert_eq!(about["certificate"]["missed"], 0);
}

#[test]
fn a_hostile_name_and_paths_out_of_the_run_do_no_harm() {
    let folder = folder();
    let path = folder.path();
    let name = "it's \"<script>alert(1)<\n$(id) ..";
    recorded(path, &discs(3), name);
    fs::write(path.join("secret.txt"), "secret").expect("written");
    let page = Page::open(path, name);
    assert_eq!(page.about()["directory"], name);
    for bad in [
        "../secret.txt",
        "..%2fsecret.txt",
        "%2e%2e/secret.txt",
        "api/../../secret.txt",
        "run.json",
    ] {
        let (status, body) = page.ask(bad);
        assert!([400, 404].contains(&status), "{bad}: {status}");
        assert!(!String::from_utf8_lossy(&body).contains("secret"), "{bad}");
    }
    let out = percuss(path, &["export", name, "--html", "out.html", "-q"]);
    assert_eq!(out.status, 0, "{}", out.err);
    let text = fs::read_to_string(path.join("out.html")).expect("a page");
    assert!(!text.contains("alert(1)"));
}

#[test]
fn a_mechanism_is_shown_and_written() {
    let folder = folder();
    let path = folder.path();
    recorded(path, BALL, "run");
    let page = Page::open(path, "run");
    assert_eq!(page.about()["kind"], "mechanism");
    for known in ["api/frames", "api/steps", "api/history", "api/drawing"] {
        assert_eq!(page.ask(known).0, 200, "{known}");
    }
    let ran = percuss(path, &["export", "run", "--html", "ball.html"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(ran.out.starts_with("the run in ball.html"), "{}", ran.out);
}

#[test]
fn without_a_screen_no_browser_is_opened_and_the_address_is_printed() {
    if signals_ignored() || cfg!(target_os = "macos") || cfg!(windows) {
        return;
    }
    let folder = folder();
    recorded(folder.path(), &discs(2), "run");
    let mut command: Command = command(folder.path(), &["view", "run"]);
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().expect("its output"));
    out.read_line(&mut line).expect("an address");
    assert!(line.starts_with("http://127.0.0.1:"), "{line}");
    signal(&child, "INT");
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("its output");
    assert_eq!(rest, "", "the address is the one line");
    let ran = ended(child);
    assert_eq!(ran.status, 0);
    assert!(ran.err.contains("no browser was opened"), "{}", ran.err);
}
