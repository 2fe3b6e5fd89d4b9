//! HTTP requests: parsing and access control.
//!
//! A request is accepted if all of this holds: it is well-formed HTTP/1.0 or 1.1 without a body; its method is
//! GET or HEAD; its Host header names this server (protection against DNS rebinding); its Origin is no other
//! site; its path has plain characters only, begins with the secret token, and is one of the known addresses.
//! No part of a request is ever used as a file system path.

use crate::error::ViewError;
use crate::route::Query;

/// Maximal number of characters of path and query.
const TARGET: usize = 512;

/// Maximal number of headers.
const HEADERS: usize = 64;

/// Target of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestTarget {
    /// The page.
    Page,
    /// The page, at the address with a trailing slash.
    Slash,
    /// Data of the run.
    Data(Query),
}

/// An accepted request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HttpRequest {
    pub target: RequestTarget,
    /// Whether it is a HEAD request: the response has no body.
    pub head: bool,
    /// Whether the response may be compressed by gzip.
    pub gzip: bool,
}

/// Why a request is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestError {
    /// HTTP status.
    pub status: u16,
    /// Message.
    pub sentence: String,
}

impl RequestError {
    pub(crate) fn new(status: u16, sentence: &str) -> Self {
        Self {
            status,
            sentence: sentence.into(),
        }
    }
}

impl From<ViewError> for RequestError {
    fn from(error: ViewError) -> Self {
        Self {
            status: error.status(),
            sentence: error.to_string(),
        }
    }
}

/// Access rule of a server.
#[derive(Debug, Clone)]
pub struct AccessRule {
    /// Its port.
    pub port: u16,
    /// The secret token that every address begins with.
    pub token: String,
}

impl AccessRule {
    /// Whether a Host header names this server.
    fn is_here(&self, host: &[u8]) -> bool {
        let port = self.port;
        let named = |name: &str| {
            let whole = format!("{name}:{port}");
            host.eq_ignore_ascii_case(whole.as_bytes())
                // The default port is omitted.
                || (port == 80 && host.eq_ignore_ascii_case(name.as_bytes()))
        };
        ["127.0.0.1", "localhost", "[::1]"].iter().any(|n| named(n))
    }

    /// Whether a text is the token; constant-time comparison.
    fn is_token(&self, text: &str) -> bool {
        let (a, b) = (self.token.as_bytes(), text.as_bytes());
        let mut different = u8::from(a.len() != b.len());
        for (k, byte) in a.iter().enumerate() {
            different |= byte ^ b.get(k).copied().unwrap_or(0);
        }
        std::hint::black_box(different) == 0
    }
}

/// Parses the request at the beginning of a connection; `None` while its headers are incomplete.
///
/// # Errors
/// The request is rejected.
pub fn parse(bytes: &[u8], guard: &AccessRule) -> Result<Option<RequestTarget>, RequestError> {
    Ok(read(bytes, guard)?.map(|request| request.target))
}

/// The same, with method and accepted encoding.
pub(crate) fn read(bytes: &[u8], guard: &AccessRule) -> Result<Option<HttpRequest>, RequestError> {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    // Parse; an incomplete request is continued later.
    match request.parse(bytes) {
        Ok(httparse::Status::Complete(_)) => {}
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(httparse::Error::TooManyHeaders) => {
            return Err(RequestError::new(431, "too many headers"));
        }
        Err(_) => return Err(RequestError::new(400, "this is no request")),
    }
    let (Some(method), Some(target)) = (request.method, request.path) else {
        return Err(RequestError::new(400, "this is no request"));
    };
    // Method.
    let head = match method {
        "GET" => false,
        "HEAD" => true,
        _ => return Err(RequestError::new(405, "only GET and HEAD are answered")),
    };
    check(request.headers, guard)?;
    // Accepted encodings: gzip unless q=0.
    let accepts = values(request.headers, "accept-encoding");
    let mut codings = accepts.flat_map(|v| v.split(|b| *b == b','));
    let gzip = codings.any(|coding| {
        let mut parts = coding.split(|b| *b == b';').map(<[u8]>::trim_ascii);
        let name = parts.next().unwrap_or(b"");
        name.eq_ignore_ascii_case(b"gzip") && !parts.any(|p| p == b"q=0")
    });
    Ok(Some(HttpRequest {
        target: find(target, guard)?,
        head,
        gzip,
    }))
}

fn values<'a>(
    headers: &'a [httparse::Header<'a>],
    name: &'static str,
) -> impl Iterator<Item = &'a [u8]> {
    let named = headers
        .iter()
        .filter(move |h| h.name.eq_ignore_ascii_case(name));
    named.map(|h| h.value.trim_ascii())
}

fn check(headers: &[httparse::Header<'_>], guard: &AccessRule) -> Result<(), RequestError> {
    // Exactly one Host header, which names this server.
    let mut hosts = values(headers, "host");
    match (hosts.next(), hosts.next()) {
        (Some(host), None) if guard.is_here(host) => {}
        (Some(_), None) => {
            let text = "this server answers to 127.0.0.1 and localhost alone, with its port";
            return Err(RequestError::new(403, text));
        }
        _ => return Err(RequestError::new(400, "one host was expected")),
    }
    // Requests from pages of other sites are rejected.
    for origin in values(headers, "origin") {
        if !origin
            .strip_prefix(b"http://")
            .is_some_and(|host| guard.is_here(host))
        {
            return Err(RequestError::new(403, "pages of other sites get no answer"));
        }
    }
    // No request body.
    let body = values(headers, "content-length").any(|length| length != b"0");
    if body || values(headers, "transfer-encoding").next().is_some() {
        return Err(RequestError::new(
            400,
            "a request with a body is not answered",
        ));
    }
    Ok(())
}

/// Resolves the path of a request.
fn find(target: &str, guard: &AccessRule) -> Result<RequestTarget, RequestError> {
    if target.len() > TARGET {
        return Err(RequestError::new(414, "this address is too long"));
    }
    // Plain characters only, and no dot segments.
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/_-.+?&=".contains(&b);
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let Some(path) = path.strip_prefix('/').filter(|_| target.bytes().all(plain)) else {
        return Err(RequestError::new(400, "this is no address of this server"));
    };
    if path.split('/').any(|part| part == "." || part == "..") {
        return Err(RequestError::new(400, "this is no address of this server"));
    }
    // Secret token.
    let (token, rest) = match path.split_once('/') {
        Some((token, rest)) => (token, Some(rest)),
        None => (path, None),
    };
    if !guard.is_token(token) {
        let text =
            "the secret in the address is not right: open the address that percuss view printed";
        return Err(RequestError::new(403, text));
    }
    // Page or data.
    match rest {
        None => Ok(RequestTarget::Slash),
        Some("") => Ok(RequestTarget::Page),
        Some(rest) => match rest.strip_prefix("api/") {
            Some(path) => Ok(RequestTarget::Data(Query::parse(path, query)?)),
            None => Err(RequestError::new(404, "there is nothing at this address")),
        },
    }
}
