//! HTTP server on the loopback address: the page and the binary tables of one run.
//!
//! One thread accepts connections, and one thread per connection answers; a connection is one request. The
//! resources of a connection are bounded: size and duration of its request, duration of its response, number of
//! concurrent connections.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use crate::page::{PAGE, policy};
use crate::request::{self, AccessRule, HttpRequest, RequestError, RequestTarget};
use crate::run::FollowedRun;

/// Resource limits of connections.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximal size of a request in bytes.
    pub request: usize,
    /// Time limit for receiving a whole request.
    pub request_timeout: Duration,
    /// Time limit for the reader to accept a response.
    pub response_timeout: Duration,
    /// Maximal number of concurrent connections.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            request: 8192,
            request_timeout: Duration::from_secs(10),
            response_timeout: Duration::from_secs(60),
            connections: 64,
        }
    }
}

/// Options of a server.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// The port; 0 chooses any free one.
    pub port: u16,
    /// Whether the address is ::1 and not 127.0.0.1.
    pub ipv6: bool,
    /// Whether binary tables are compressed, too: for a slow connection.
    pub compress: bool,
    /// Resource limits.
    pub limits: Limits,
}

/// A listening server.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    run: FollowedRun,
    guard: AccessRule,
    policy: String,
    options: Options,
    connections: AtomicUsize,
    stopped: AtomicBool,
}

/// Handle that stops a server from another thread.
#[derive(Debug, Clone)]
pub struct Stopper {
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Stopper {
    /// Stops accepting connections; [`Server::serve`] returns.
    pub fn stop(&self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // A connection to itself wakes the accepting thread.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
    }
}

impl Server {
    /// Starts to listen.
    ///
    /// # Errors
    /// The port is in use or not permitted, or the system provides no random numbers.
    pub fn bind(run: FollowedRun, options: Options) -> io::Result<Self> {
        // Loopback address only.
        let address: IpAddr = match options.ipv6 {
            true => Ipv6Addr::LOCALHOST.into(),
            false => Ipv4Addr::LOCALHOST.into(),
        };
        let listener = TcpListener::bind((address, options.port))?;
        let address = listener.local_addr()?;
        // A random secret token of 128 bits.
        let mut secret = [0_u8; 16];
        getrandom::fill(&mut secret).map_err(|e| io::Error::other(e.to_string()))?;
        let token = secret.iter().map(|b| format!("{b:02x}")).collect();
        Ok(Self {
            listener,
            address,
            shared: Arc::new(Shared {
                run,
                guard: AccessRule {
                    port: address.port(),
                    token,
                },
                policy: policy(),
                options,
                connections: AtomicUsize::new(0),
                stopped: AtomicBool::new(false),
            }),
        })
    }

    /// The address of the page.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.address, self.shared.guard.token)
    }

    /// Its port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// A handle that stops the server.
    pub fn stopper(&self) -> Stopper {
        Stopper {
            address: self.address,
            shared: Arc::clone(&self.shared),
        }
    }

    /// Serves until it is stopped.
    ///
    /// # Errors
    /// No more connections can be accepted.
    pub fn serve(self) -> io::Result<()> {
        let mut failures = 0;
        loop {
            let taken = self.listener.accept();
            if self.shared.stopped.load(Ordering::SeqCst) {
                return Ok(());
            }
            match taken {
                Ok((stream, _)) => {
                    failures = 0;
                    self.take(stream);
                }
                // The client gave up before it was accepted, or file descriptors are exhausted for a moment.
                Err(error) => {
                    failures += 1;
                    if failures > 100 {
                        return Err(error);
                    }
                    thread::sleep(Duration::from_millis(20));
                }
            }
        }
    }

    fn take(&self, mut stream: TcpStream) {
        let shared = Arc::clone(&self.shared);
        let before = shared.connections.fetch_add(1, Ordering::SeqCst);
        let place = ConnectionCount(Arc::clone(&shared));
        if before >= shared.options.limits.connections {
            let _ = stream.set_write_timeout(Some(Duration::from_secs(1)));
            // Unread input is drained: closing the socket with unread bytes would reset the connection and lose
            // the response.
            let _ = stream.set_read_timeout(Some(Duration::from_millis(50)));
            let _ = stream.read(&mut [0_u8; 4096]);
            let busy = RequestError::new(503, "too many connections at once; ask again");
            let _ = Reply::of(&busy).send(&mut stream, false, &shared);
            return;
        }
        let answer = move || {
            let _place = place;
            shared.handle_connection(stream);
        };
        // If no thread can be started, the connection is closed: the client may retry.
        let _ = thread::Builder::new().name("view".into()).spawn(answer);
    }
}

/// Counts a connection while it lives.
struct ConnectionCount(Arc<Shared>);

impl Drop for ConnectionCount {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A response with its headers.
struct Reply {
    status: u16,
    kind: &'static str,
    body: Arc<[u8]>,
    /// Whether it is compressed if the client accepts that.
    squeeze: bool,
    location: Option<String>,
}

impl Reply {
    fn of(refusal: &RequestError) -> Self {
        Self {
            status: refusal.status,
            kind: "application/json",
            body: json!({ "error": refusal.sentence })
                .to_string()
                .into_bytes()
                .into(),
            squeeze: false,
            location: None,
        }
    }

    fn send(&self, stream: &mut TcpStream, head: bool, shared: &Shared) -> io::Result<()> {
        // Status line and security headers.
        let mut text = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nX-Frame-Options: DENY\r\n\
             Content-Security-Policy: {}\r\n",
            self.status,
            phrase(self.status),
            self.kind,
            self.body.len(),
            shared.policy,
        );
        if self.squeeze {
            text += "Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n";
        }
        if self.status == 405 {
            text += "Allow: GET, HEAD\r\n";
        }
        if let Some(location) = &self.location {
            text += &format!("Location: {location}\r\n");
        }
        // Body, unless it is a HEAD request.
        text += "\r\n";
        stream.write_all(text.as_bytes())?;
        if !head {
            stream.write_all(&self.body)?;
        }
        stream.flush()
    }
}

fn phrase(status: u16) -> &'static str {
    match status {
        200 => "OK",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        414 => "URI Too Long",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}

/// Minimal size in bytes of a response that is compressed.
const WORTH: usize = 1024;

impl Shared {
    /// Handles one connection.
    fn handle_connection(&self, mut stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let _ = stream.set_write_timeout(Some(self.options.limits.response_timeout));
        let (reply, head, clean) = match self.receive(&mut stream) {
            Ok(Some(request)) => (self.reply(&request), request.head, true),
            Ok(None) => return,
            Err(refusal) => (Reply::of(&refusal), false, false),
        };
        let sent = reply.send(&mut stream, head, self);
        let _ = stream.shutdown(Shutdown::Write);
        if sent.is_ok() && !clean {
            // Unread input is drained: closing the socket with unread bytes would reset the connection and lose
            // the response.
            let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
            let mut rest = [0_u8; 4096];
            for _ in 0..256 {
                match stream.read(&mut rest) {
                    Ok(n) if n > 0 => {}
                    _ => break,
                }
            }
        }
    }

    /// Receives the request of a connection; `None` where it was closed without one.
    fn receive(&self, stream: &mut TcpStream) -> Result<Option<HttpRequest>, RequestError> {
        let limits = &self.options.limits;
        let end = Instant::now() + limits.request_timeout;
        let mut bytes = Vec::new();
        let mut part = [0_u8; 2048];
        // Read until the headers are complete, within time and size limits.
        loop {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
                return Err(RequestError::new(408, "the request took too long"));
            }
            match stream.read(&mut part) {
                Ok(0) if bytes.is_empty() => return Ok(None),
                Ok(0) => return Err(RequestError::new(400, "the request is cut off")),
                Ok(n) => bytes.extend(part.get(..n).unwrap_or(&[])),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e)
                    if matches!(
                        e.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
                    ) =>
                {
                    return Err(RequestError::new(408, "the request took too long"));
                }
                Err(_) => return Ok(None),
            }
            if let Some(request) = request::read(&bytes, &self.guard)? {
                return Ok(Some(request));
            }
            if bytes.len() > limits.request {
                return Err(RequestError::new(431, "the request is too long"));
            }
        }
    }

    fn reply(&self, request: &HttpRequest) -> Reply {
        let made = catch_unwind(AssertUnwindSafe(|| self.make(request)));
        let broken = "this could not be answered: a fault of the program";
        let made = made.unwrap_or_else(|_| Err(RequestError::new(500, broken)));
        let mut reply = made.unwrap_or_else(|refusal| Reply::of(&refusal));
        reply.squeeze &= request.gzip && reply.body.len() >= WORTH;
        if reply.squeeze {
            match gzip(&reply.body) {
                Ok(body) => reply.body = body.into(),
                Err(_) => reply.squeeze = false,
            }
        }
        reply
    }

    fn make(&self, request: &HttpRequest) -> Result<Reply, RequestError> {
        let reply = |kind, body, squeeze| Reply {
            status: 200,
            kind,
            body,
            squeeze,
            location: None,
        };
        // Page, redirect to the address with a trailing slash, or data.
        match &request.target {
            RequestTarget::Page => Ok(reply("text/html; charset=utf-8", PAGE.into(), true)),
            RequestTarget::Slash => Ok(Reply {
                location: Some(format!("/{}/", self.guard.token)),
                status: 308,
                ..reply("text/plain", [].into(), false)
            }),
            RequestTarget::Data(ask) => {
                let answer = self.run.answer(ask)?;
                Ok(match answer.json {
                    true => reply("application/json", answer.bytes, true),
                    false => {
                        let squeeze = self.options.compress;
                        reply("application/octet-stream", answer.bytes, squeeze)
                    }
                })
            }
        }
    }
}

fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes)?;
    encoder.finish()
}
