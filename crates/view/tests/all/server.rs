//! The server over real connections: what it says, what it refuses, how it ends.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::common::{PLANE, bodies, numbers, opened};
use percuss_view::{BinaryTable, Limits, Options, Query, Server, Stopper};
use tempfile::{TempDir, tempdir};

struct RunningServer {
    port: u16,
    token: String,
    stopper: Stopper,
    thread: Option<JoinHandle<()>>,
    _folder: TempDir,
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.stopper.stop();
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(ended.is_none_or(|end| end.is_ok()));
    }
}

fn up_at(name: &str, options: Options) -> RunningServer {
    let folder = tempdir().expect("a folder");
    let path = folder.path().join(name);
    bodies(PLANE, &path);
    serve(&path, options, folder)
}

fn serve(path: &Path, options: Options, folder: TempDir) -> RunningServer {
    let server = Server::bind(opened(path), options).expect("a free port");
    let address = server.address();
    let token = address
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .expect("a token");
    RunningServer {
        port: server.port(),
        token: token.into(),
        stopper: server.stopper(),
        thread: Some(thread::spawn(move || server.serve().expect("served"))),
        _folder: folder,
    }
}

struct Answer {
    status: u16,
    head: String,
    body: Vec<u8>,
}

impl RunningServer {
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("set");
        stream
    }

    /// What comes back for these bytes.
    fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // The server may have refused before all is written.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        answer(stream)
    }

    fn get_with(&self, path: &str, headers: &str) -> Answer {
        let (port, token) = (self.port, &self.token);
        let text =
            format!("GET /{token}/{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}\r\n");
        self.raw(text.as_bytes())
    }

    fn get(&self, path: &str) -> Answer {
        self.get_with(path, "")
    }
}

fn answer(mut stream: TcpStream) -> Answer {
    let mut all = Vec::new();
    stream.read_to_end(&mut all).expect("an answer");
    let end = all.windows(4).position(|w| w == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no answer: {}", String::from_utf8_lossy(&all)));
    let head = String::from_utf8_lossy(&all[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|s| s.parse().ok());
    Answer {
        status: status.expect("a status"),
        head,
        body: all[end + 4..].to_vec(),
    }
}

#[test]
fn the_page_and_its_data_come_with_careful_headers() {
    let up = up_at("run", Options::default());
    let page = up.get("");
    assert_eq!(page.status, 200);
    assert_eq!(page.body, percuss_view::PAGE);
    let policy = [
        "default-src 'none'",
        "script-src 'sha256-",
        "frame-ancestors 'none'",
    ];
    let careful = [
        "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer",
        "Cache-Control: no-store",
        "Content-Type: text/html; charset=utf-8",
    ];
    for line in policy.iter().chain(&careful) {
        assert!(page.head.contains(line), "{line}: {}", page.head);
    }
    assert!(!page.head.contains("Access-Control"), "{}", page.head);
    let about = up.get("api/about");
    assert_eq!(about.status, 200);
    let about: serde_json::Value = serde_json::from_slice(&about.body).expect("JSON");
    assert_eq!(about["title"], "Plane </script><b>things</b>");
    let state = up.get("api/bodies/3");
    let state = BinaryTable::decode(&state.body).expect("a pack");
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("again");
    bodies(PLANE, &path);
    let known = opened(&path)
        .snapshot()
        .expect("a run")
        .pack(&Query::Bodies(3))
        .expect("a pack");
    assert_eq!(numbers(&state, "x"), numbers(&known, "x"));
    let moved = up.raw(
        format!(
            "GET /{} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n",
            up.token, up.port
        )
        .as_bytes(),
    );
    assert_eq!(moved.status, 308);
    let head = up.raw(
        format!(
            "HEAD /{}/ HTTP/1.0\r\nHost: localhost:{}\r\n\r\n",
            up.token, up.port
        )
        .as_bytes(),
    );
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert!(
        head.head
            .contains(&format!("Content-Length: {}", percuss_view::PAGE.len()))
    );
}

/// Requests that must not be answered, and the status of the refusal.
fn bad_requests(port: u16, token: &str) -> Vec<(String, u16)> {
    let host = format!("Host: 127.0.0.1:{port}\r\n\r\n");
    vec![
        (
            format!("GET /{token}/../../etc/passwd HTTP/1.1\r\n{host}"),
            400,
        ),
        (
            format!("GET /{token}/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\n{host}"),
            400,
        ),
        (
            format!("GET /{token}/api/bodies/..%2f..%2frun.json HTTP/1.1\r\n{host}"),
            400,
        ),
        (format!("GET //etc/passwd HTTP/1.1\r\n{host}"), 403),
        (format!("GET /{token}//etc/passwd HTTP/1.1\r\n{host}"), 404),
        (format!("GET /{token}/run.json HTTP/1.1\r\n{host}"), 404),
        (format!("GET /{token}/api/about\0 HTTP/1.1\r\n{host}"), 400),
        (format!("GET / HTTP/1.1\r\n{host}"), 403),
        (format!("GET /{}/ HTTP/1.1\r\n{host}", "0".repeat(32)), 403),
        (
            format!("GET /{token}/ HTTP/1.1\r\nHost: example.org:{port}\r\n\r\n"),
            403,
        ),
        (
            format!("GET /{token}/ HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n"),
            403,
        ),
        (format!("GET /{token}/ HTTP/1.1\r\n\r\n"), 400),
        (
            format!("POST /{token}/ HTTP/1.1\r\nContent-Length: 3\r\n{host}abc"),
            405,
        ),
        (format!("OPTIONS /{token}/ HTTP/1.1\r\n{host}"), 405),
        (
            format!("GET /{token}/ HTTP/1.1\r\nOrigin: https://example.org\r\n{host}"),
            403,
        ),
        (format!("GET /{token}/\r\n"), 400),
        (
            format!("GET /{}/ HTTP/1.1\r\n{host}", "a".repeat(5000)),
            414,
        ),
        (
            format!(
                "GET /{token}/ HTTP/1.1\r\nX: {}\r\n{host}",
                "b".repeat(100_000)
            ),
            431,
        ),
        ("\u{16}\u{3}\u{1} hello".into(), 400),
    ]
}

#[test]
fn what_must_not_be_answered_is_refused() {
    let up = up_at("run", Options::default());
    let token = up.token.clone();
    for (text, status) in bad_requests(up.port, &token) {
        let answer = up.raw(text.as_bytes());
        let shown: String = text.chars().take(80).collect();
        assert_eq!(answer.status, status, "{shown:?}");
        let told: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
        assert!(told["error"].is_string());
        let told = String::from_utf8_lossy(&answer.body).into_owned();
        assert!(!told.contains("root:") && !told.contains(&token), "{told}");
    }
    // It is still there.
    assert_eq!(up.get("api/frames").status, 200);
}

#[test]
fn a_request_that_dribbles_in_is_ended_and_others_are_answered_meanwhile() {
    let limits = Limits {
        request_timeout: Duration::from_millis(400),
        ..Limits::default()
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    let up = up_at("run", options);
    let mut slow = up.connect();
    let writer = slow.try_clone().expect("a clone");
    // It goes on until it is cut off: without the bound of the server it would come to the end of its list.
    let dribble = thread::spawn(move || {
        let mut writer = writer;
        (0..6000).any(|_| {
            thread::sleep(Duration::from_millis(20));
            writer.write_all(b"G").is_err()
        })
    });
    assert_eq!(up.get("api/frames").status, 200);
    let mut all = Vec::new();
    // An answer, or a connection that is cut: not an open one.
    let _ = slow.read_to_end(&mut all);
    let text = String::from_utf8_lossy(&all).into_owned();
    assert!(text.is_empty() || text.starts_with("HTTP/1.1 4"), "{text}");
    drop(slow);
    assert!(dribble.join().expect("ended"), "it was never cut off");
}

#[test]
fn more_connections_than_allowed_are_turned_away() {
    let limits = Limits {
        connections: 3,
        ..Limits::default()
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    let up = up_at("run", options);
    let idle: Vec<TcpStream> = (0..3).map(|_| up.connect()).collect();
    // They count once they are taken, one after the other: the fourth comes after them.
    let refused = up.get("api/frames");
    assert_eq!(refused.status, 503);
    drop(idle);
    let begun = Instant::now();
    while up.get("api/frames").status != 200 {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "places do not come back"
        );
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn many_ask_at_once_and_get_the_same() {
    let up = up_at("run", Options::default());
    let first = up.get("api/contacts/2").body;
    thread::scope(|scope| {
        let asked: Vec<_> = (0..8)
            .map(|k| {
                let up = &up;
                scope.spawn(move || match k % 2 {
                    0 => up.get("api/contacts/2").body,
                    _ => up.get("api/bodies/1").body,
                })
            })
            .collect();
        for (k, one) in asked.into_iter().enumerate() {
            let body = one.join().expect("answered");
            assert!(k % 2 == 1 || body == first);
            BinaryTable::decode(&body).expect("a pack");
        }
    });
}

#[test]
fn answers_are_compressed_where_asked_for_and_only_then() {
    let options = Options {
        compress: true,
        ..Options::default()
    };
    let up = up_at("run", options);
    let plain = up.get("api/steps");
    assert!(!plain.head.contains("Content-Encoding"));
    let packed = up.get_with("api/steps", "Accept-Encoding: br, gzip;q=0.8\r\n");
    assert!(
        packed.head.contains("Content-Encoding: gzip"),
        "{}",
        packed.head
    );
    let mut text = Vec::new();
    let mut decoder = flate2::read::GzDecoder::new(packed.body.as_slice());
    decoder.read_to_end(&mut text).expect("gzip");
    assert_eq!(text, plain.body);
    let refused = up.get_with("api/steps", "Accept-Encoding: gzip;q=0\r\n");
    assert!(!refused.head.contains("Content-Encoding"));
}

#[test]
fn a_directory_with_a_hostile_name_is_served() {
    let name = "a'\"<script>alert(1)<&\n .. %2e";
    let up = up_at(name, Options::default());
    let about = up.get("api/about");
    let about: serde_json::Value = serde_json::from_slice(&about.body).expect("JSON");
    assert!(
        about["directory"]
            .as_str()
            .is_some_and(|d| d.ends_with("%2e")),
        "{about}"
    );
    assert_eq!(up.get("api/bodies/0").status, 200);
}

#[test]
fn a_port_that_is_taken_is_told() {
    let up = up_at("run", Options::default());
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("run");
    bodies(PLANE, &path);
    let options = Options {
        port: up.port,
        ..Options::default()
    };
    let error = Server::bind(opened(&path), options).expect_err("taken");
    assert_eq!(error.kind(), std::io::ErrorKind::AddrInUse);
}
