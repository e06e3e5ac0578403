//! An answer: status, headers and the bytes of a file.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::request::Request;

/// The page's policy: its own files only, WebAssembly, and no text that turns into markup or script.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; \
    connect-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; frame-src 'self'; \
    base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";

/// What goes back to the client.
#[derive(Debug)]
pub struct Response {
    status: &'static str,
    content_type: &'static str,
    body: Vec<u8>,
    head_only: bool,
}

impl Response {
    pub fn to(request: &Request, site: &Path) -> Response {
        match request {
            Request::File { path, head_only } => Response::file(&site.join(path), site, *head_only),
            Request::OtherMethod => Response::text("405 Method Not Allowed"),
            Request::Malformed => Response::text("400 Bad Request"),
        }
    }

    /// The file after all links, if it still lies inside the site.
    fn file(path: &Path, site: &Path, head_only: bool) -> Response {
        let read = path
            .canonicalize()
            .ok()
            .filter(|real| real.starts_with(site))
            .and_then(|real| fs::read(real).ok());
        match read {
            Some(body) => Response {
                status: "200 OK",
                content_type: content_type(path),
                body,
                head_only,
            },
            None => Response {
                head_only,
                ..Response::text("404 Not Found")
            },
        }
    }

    fn text(status: &'static str) -> Response {
        let body = format!("{status}\n").into_bytes();
        Response {
            status,
            content_type: "text/plain; charset=utf-8",
            body,
            head_only: false,
        }
    }

    /// Writes the answer, after which the connection ends.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let head = format!(
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nContent-Security-Policy: {}\r\n\
             X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
             Cross-Origin-Opener-Policy: same-origin\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n",
            self.status,
            self.content_type,
            self.body.len(),
            CONTENT_SECURITY_POLICY,
        );
        out.write_all(head.as_bytes())?;
        if !self.head_only {
            out.write_all(&self.body)?;
        }
        out.flush()
    }
}

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(OsStr::to_str) {
        Some("html") => "text/html; charset=utf-8",
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("json" | "map") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("txt" | "md" | "strand") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
