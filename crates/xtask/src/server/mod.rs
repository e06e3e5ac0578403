//! A static file server for the built page, on the loopback interface only.
//!
//! It sends the headers that a careful host would send, so what works here works under that policy. One thread per
//! connection, one request per connection: a page is some twenty files, and nothing else is served.

mod request;
mod response;

use std::io::{self, BufReader, Read};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::failure::{Failure, Outcome};

use request::Request;
use response::Response;

/// How many ports are tried after the one that was asked for.
const PORTS_TRIED: u16 = 64;

/// A client that sends or takes nothing for this long is dropped.
const PATIENCE: Duration = Duration::from_secs(10);

/// How much of an overlong request is read after its answer.
const MOST_DROPPED: u64 = 1 << 20;

/// A bound server; it answers once `run` is called.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    site: Arc<PathBuf>,
    address: SocketAddr,
}

impl Server {
    /// Binds to `port`, or to the next one that is free; port 0 takes any.
    pub fn bind(site: &Path, port: u16) -> Outcome<Server> {
        let site = site
            .canonicalize()
            .map_err(|error| Failure::io("serve", site, &error))?;
        let listener = bind_from(port)?;
        let address = listener.local_addr().map_err(|error| {
            Failure::new(format!("the server's own address can't be read: {error}"))
        })?;
        Ok(Server {
            listener,
            site: Arc::new(site),
            address,
        })
    }

    /// What to type into a browser.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Answers requests for as long as the program runs.
    pub fn run(&self) {
        for stream in self.listener.incoming() {
            // A connection that is gone before it is accepted concerns nobody else.
            let Ok(stream) = stream else { continue };
            let site = Arc::clone(&self.site);
            // Nor does a client that hangs up early.
            thread::spawn(move || drop(answer(stream, &site)));
        }
    }

    /// Answers requests from a thread of its own, until the program ends.
    pub fn run_in_background(self) {
        thread::spawn(move || self.run());
    }
}

fn bind_from(port: u16) -> Outcome<TcpListener> {
    let last = port.saturating_add(PORTS_TRIED);
    for candidate in port..=last {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, candidate)) {
            Ok(listener) => return Ok(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            Err(error) => {
                return Err(Failure::new(format!(
                    "can't listen on 127.0.0.1:{candidate}: {error}"
                )));
            }
        }
    }
    Err(Failure::new(format!(
        "no free port from {port} to {last}: give another with --port"
    )))
}

fn answer(mut stream: TcpStream, site: &Path) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = Request::read(&mut BufReader::new(&stream))?;
    Response::to(&request, site).write(&mut stream)?;
    hang_up(&stream)
}

/// Closing a socket with unread bytes resets it, and the client may lose the answer: the rest is read and dropped.
fn hang_up(stream: &TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    io::copy(&mut stream.take(MOST_DROPPED), &mut io::sink())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;

    /// Sends raw text to a server over a small site and gives the raw answer.
    fn exchange(name: &str, text: &str) -> String {
        let folder =
            std::env::temp_dir().join(format!("strand-server-{}-{name}", std::process::id()));
        let site = folder.join("site");
        fs::create_dir_all(site.join("assets")).unwrap();
        fs::write(folder.join("secret.txt"), "secret").unwrap();
        fs::write(site.join("index.html"), "<p>page").unwrap();
        fs::write(site.join("assets/engine.wasm"), b"\0asm").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.join("secret.txt"), site.join("link.txt")).unwrap();
        let server = Server::bind(&site, 0).unwrap();
        let mut stream = TcpStream::connect(server.address).unwrap();
        server.run_in_background();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        answer
    }

    fn get(name: &str, path: &str) -> String {
        exchange(name, &format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n"))
    }

    #[test]
    fn a_folder_answers_with_its_index_under_the_policy() {
        let answer = get("index", "/");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
        assert!(
            answer.contains("\r\nContent-Type: text/html; charset=utf-8\r\n"),
            "{answer}"
        );
        assert!(
            answer.contains("\r\nContent-Security-Policy: default-src 'none'; script-src 'self'"),
            "{answer}"
        );
        assert!(answer.ends_with("\r\n\r\n<p>page"), "{answer}");
    }

    #[test]
    fn wasm_has_the_type_that_streaming_compilation_asks_for() {
        assert!(
            get("wasm", "/assets/engine.wasm?v=1")
                .contains("\r\nContent-Type: application/wasm\r\n")
        );
    }

    #[test]
    fn head_sends_the_length_alone() {
        let answer = exchange("head", "HEAD /index.html HTTP/1.1\r\n\r\n");
        assert!(
            answer.contains("\r\nContent-Length: 7\r\n") && answer.ends_with("\r\n\r\n"),
            "{answer}"
        );
    }

    #[test]
    fn nothing_outside_the_site_is_served() {
        let paths = [
            "/../secret.txt",
            "/assets/../../secret.txt",
            "/%2e%2e/secret.txt",
            "/..%2fsecret.txt",
            "/assets/..%5c..%5csecret.txt",
            "//../secret.txt",
            "/link.txt",
            "/index.html%00.txt",
            "/%zz",
            "/%",
        ];
        for (index, path) in paths.iter().enumerate() {
            let answer = get(&format!("outside-{index}"), path);
            assert!(answer.starts_with("HTTP/1.1 40"), "{path}: {answer}");
            assert!(
                !answer.contains("secret\n") && !answer.ends_with("secret"),
                "{path}: {answer}"
            );
        }
    }

    #[test]
    fn other_methods_and_other_text_are_refused() {
        assert!(exchange("post", "POST / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405 "));
        assert!(exchange("noise", "noise\r\n\r\n").starts_with("HTTP/1.1 400 "));
        let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(20_000));
        assert!(exchange("long", &long).starts_with("HTTP/1.1 400 "));
    }

    #[test]
    fn a_taken_port_leads_to_the_next() {
        let folder = std::env::temp_dir();
        let first = Server::bind(&folder, 0).unwrap();
        let second = Server::bind(&folder, first.address.port()).unwrap();
        assert!(second.address.port() > first.address.port());
    }
}
