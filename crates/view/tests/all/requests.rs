//! Which requests are answered: a list of those that must not be, and whatever else there is.

use percuss_view::{AccessRule, Query, RequestError, RequestTarget, parse};
use proptest::prelude::*;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

fn guard() -> AccessRule {
    AccessRule {
        port: 8080,
        token: TOKEN.into(),
    }
}

fn request(line: &str, headers: &str) -> Result<Option<RequestTarget>, RequestError> {
    parse(format!("{line}\r\n{headers}\r\n").as_bytes(), &guard())
}

fn get(path: &str) -> Result<Option<RequestTarget>, RequestError> {
    request(&format!("GET {path} HTTP/1.1"), "Host: 127.0.0.1:8080\r\n")
}

fn status(answer: Result<Option<RequestTarget>, RequestError>) -> u16 {
    answer.map_or_else(|refusal| refusal.status, |_| 200)
}

#[test]
fn known_addresses_are_understood() {
    let api = |path: &str| get(&format!("/{TOKEN}/api/{path}"));
    let cases = [
        ("about", Query::About),
        ("frames", Query::Frames),
        ("shapes", Query::Shapes),
        ("drawing", Query::Drawing),
        ("bodies/17", Query::Bodies(17)),
        ("contacts/0", Query::Contacts(0)),
        ("body/3", Query::Body(3)),
        ("steps", Query::Steps(None)),
        ("steps?from=-1e-3&to=2.5", Query::Steps(Some((-1e-3, 2.5)))),
        ("history", Query::History),
        ("history?body=4", Query::BodyHistory(4)),
        (
            "history?feature=2&a=0&b=1",
            Query::ContactHistory([0, 1, 2]),
        ),
    ];
    for (path, ask) in cases {
        assert_eq!(api(path), Ok(Some(RequestTarget::Data(ask))), "{path}");
    }
    assert_eq!(get(&format!("/{TOKEN}/")), Ok(Some(RequestTarget::Page)));
    assert_eq!(get(&format!("/{TOKEN}")), Ok(Some(RequestTarget::Slash)));
}

#[test]
fn other_addresses_are_refused() {
    let bad = [
        ("/", 403),
        ("/favicon.ico", 403),
        ("/0123456789abcdef0123456789abcdee/", 403),
        ("/0123456789abcdef/api/about", 403),
        ("/TOKEN/../run.json", 400),
        ("/TOKEN/api/../../etc/passwd", 400),
        ("/TOKEN/%2e%2e/run.json", 400),
        ("/TOKEN/api/bodies/%30", 400),
        ("/TOKEN/run.json", 404),
        ("/TOKEN/api/run.json", 404),
        ("/TOKEN//etc/passwd", 404),
        ("/TOKEN/api/", 404),
        ("/TOKEN/api/bodies", 404),
        ("/TOKEN/api/bodies/", 400),
        ("/TOKEN/api/bodies/-1", 400),
        ("/TOKEN/api/bodies/1/2", 400),
        ("/TOKEN/api/bodies/99999999999999999999", 400),
        ("/TOKEN/api/bodies/1?x=1", 400),
        ("/TOKEN/api/steps?from=1", 400),
        ("/TOKEN/api/steps?from=2&to=1", 400),
        ("/TOKEN/api/steps?from=nan&to=1", 400),
        ("/TOKEN/api/steps?from=0&to=1&to=2", 400),
        ("/TOKEN/api/history?body=1&a=2", 400),
        ("/TOKEN/api/history?a=1&b=2", 400),
        ("TOKEN/api/about", 400),
        ("http://127.0.0.1:8080/TOKEN/api/about", 400),
        ("*", 400),
        ("/TOKEN/api/about\\..", 400),
    ];
    for (path, known) in bad {
        let path = path.replace("TOKEN", TOKEN);
        assert_eq!(status(get(&path)), known, "{path}");
    }
    let long = format!("/{TOKEN}/api/{}", "a".repeat(2000));
    assert_eq!(status(get(&long)), 414);
}

#[test]
fn other_methods_hosts_and_origins_are_refused() {
    let page = format!("/{TOKEN}/");
    let line = |method: &str| format!("{method} {page} HTTP/1.1");
    let here = "Host: 127.0.0.1:8080\r\n";
    for method in [
        "POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "get",
    ] {
        assert_eq!(status(request(&line(method), here)), 405, "{method}");
    }
    assert_eq!(status(request(&line("HEAD"), here)), 200);
    for host in [
        "127.0.0.1:8080",
        "localhost:8080",
        "LocalHost:8080",
        "[::1]:8080",
    ] {
        assert_eq!(
            status(request(&line("GET"), &format!("Host: {host}\r\n"))),
            200,
            "{host}"
        );
    }
    let elsewhere = [
        "example.org:8080",
        "127.0.0.1",
        "127.0.0.1:8081",
        "127.0.0.1.example.org:8080",
        "localhost.example.org:8080",
        "[::1]",
        "0.0.0.0:8080",
        "",
    ];
    for host in elsewhere {
        assert_eq!(
            status(request(&line("GET"), &format!("Host: {host}\r\n"))),
            403,
            "{host}"
        );
    }
    assert_eq!(status(request(&line("GET"), "")), 400);
    assert_eq!(status(request(&line("GET"), &format!("{here}{here}"))), 400);
    let origin = |origin: &str| request(&line("GET"), &format!("{here}Origin: {origin}\r\n"));
    assert_eq!(status(origin("http://127.0.0.1:8080")), 200);
    for other in [
        "https://example.org",
        "null",
        "http://127.0.0.1:9",
        "https://127.0.0.1:8080",
    ] {
        assert_eq!(status(origin(other)), 403, "{other}");
    }
}

#[test]
fn bodies_many_headers_and_other_versions_are_refused() {
    let page = format!("/{TOKEN}/");
    let line = |method: &str| format!("{method} {page} HTTP/1.1");
    let here = "Host: 127.0.0.1:8080\r\n";
    for body in ["Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"] {
        assert_eq!(status(request(&line("GET"), &format!("{here}{body}"))), 400);
    }
    let many: String = (0..100).map(|k| format!("X-{k}: y\r\n")).collect();
    assert_eq!(status(request(&line("GET"), &format!("{here}{many}"))), 431);
    for version in ["HTTP/2.0", "HTTP/0.9", "HTTP/1.7", "FTP/1.1", ""] {
        let line = format!("GET {page} {version}");
        assert_eq!(status(request(&line, here)), 400, "{version}");
    }
}

#[test]
fn a_request_that_has_not_come_in_whole_is_waited_for() {
    let whole = format!("GET /{TOKEN}/ HTTP/1.1\r\nHost: localhost:8080\r\n\r\n");
    for end in 0..whole.len() {
        assert_eq!(
            parse(&whole.as_bytes()[..end], &guard()),
            Ok(None),
            "{end} bytes"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Whatever comes in, nothing panics, and nothing is answered that does not begin with the secret.
    #[test]
    fn any_bytes_are_refused_or_waited_for(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        if let Ok(Some(asked)) = parse(&bytes, &guard()) {
            prop_assert!(false, "{asked:?}");
        }
    }

    /// The same where a good request is spoilt in one place: what is still answered names the secret.
    #[test]
    fn a_spoilt_request_is_refused_or_still_one(
        place in 0_usize..120,
        byte in any::<u8>(),
        cut in 0_usize..120,
    ) {
        let good = format!("GET /{TOKEN}/api/bodies/12 HTTP/1.1\r\nHost: localhost:8080\r\nAccept: */*\r\n\r\n");
        let mut bytes = good.into_bytes();
        let length = bytes.len();
        bytes[place % length] = byte;
        bytes.drain(..cut * usize::from(cut % 3 == 0) % length);
        if let Ok(Some(_)) = parse(&bytes, &guard()) {
            let text = String::from_utf8_lossy(&bytes);
            prop_assert!(text.contains(TOKEN) && text.to_lowercase().contains("localhost:8080"), "{text}");
        }
    }

    /// Any path of the file system is no address.
    #[test]
    fn any_path_below_the_secret_is_refused(path in "[./%a-zA-Z0-9\\\\_ -]{0,60}") {
        let answer = get(&format!("/{TOKEN}/{path}"));
        let known = ["", "api/about", "api/frames", "api/shapes", "api/drawing", "api/steps", "api/history"];
        match answer {
            Ok(Some(RequestTarget::Data(_) | RequestTarget::Page)) => {
                let numbered = ["api/bodies/", "api/contacts/", "api/body/"];
                let number = |head: &&str| path.strip_prefix(*head).is_some_and(|k| k.parse::<u64>().is_ok());
                prop_assert!(known.contains(&path.as_str()) || numbered.iter().any(number), "{path}");
            }
            Ok(other) => prop_assert!(false, "{other:?}"),
            Err(refusal) => prop_assert!([400, 404].contains(&refusal.status)),
        }
    }
}
