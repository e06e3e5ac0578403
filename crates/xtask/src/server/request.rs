//! A request: its method and the file that its path names.

use std::io::{self, BufRead, Read};
use std::path::{Component, Path, PathBuf};

/// More than any browser sends for a page of this size.
const LONGEST_HEAD: u64 = 16 * 1024;

/// What the client asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// A file under the site, relative; a folder stands for its index.
    File { path: PathBuf, head_only: bool },
    /// A method other than GET and HEAD.
    OtherMethod,
    /// Not a request, or a path that can't name a file of the site.
    Malformed,
}

impl Request {
    /// Reads a request line and skips the headers, none of which matters here.
    pub fn read(reader: &mut impl BufRead) -> io::Result<Request> {
        let mut reader = reader.take(LONGEST_HEAD);
        let mut head = Vec::new();
        loop {
            let before = head.len();
            if reader.read_until(b'\n', &mut head)? == 0 {
                return Ok(Request::Malformed);
            }
            if matches!(&head[before..], b"\r\n" | b"\n") {
                return Ok(Request::parse(&head));
            }
        }
    }

    fn parse(head: &[u8]) -> Request {
        let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let Ok(line) = std::str::from_utf8(line) else {
            return Request::Malformed;
        };
        let mut words = line.trim_end().split(' ');
        let (Some(method), Some(target), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Request::Malformed;
        };
        if !version.starts_with("HTTP/1.") {
            return Request::Malformed;
        }
        let head_only = match method {
            "GET" => false,
            "HEAD" => true,
            _ => return Request::OtherMethod,
        };
        file_of(target).map_or(Request::Malformed, |path| Request::File { path, head_only })
    }
}

/// The relative file that a request's target names: decoded, and without a step upwards, a root or a drive.
fn file_of(target: &str) -> Option<PathBuf> {
    let path = target.split(['?', '#']).next()?.strip_prefix('/')?;
    let decoded = percent_decoded(path)?;
    if decoded.contains(['\0', '\\', ':']) {
        return None;
    }
    let mut file = PathBuf::new();
    for component in Path::new(&decoded).components() {
        match component {
            Component::Normal(name) => file.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    if decoded.is_empty() || decoded.ends_with('/') {
        file.push("index.html");
    }
    Some(file)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        if byte == b'%' {
            let high = char::from(bytes.next()?).to_digit(16)?;
            let low = char::from(bytes.next()?).to_digit(16)?;
            decoded.push(u8::try_from(high * 16 + low).ok()?);
        } else {
            decoded.push(byte);
        }
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_decoded_and_folders_stand_for_their_index() {
        assert_eq!(file_of("/"), Some("index.html".into()));
        assert_eq!(file_of("/lessons/"), Some("lessons/index.html".into()));
        assert_eq!(file_of("/a%20b/%C3%A9.js?v=1#x"), Some("a b/é.js".into()));
        assert_eq!(file_of("/./a.js"), Some("a.js".into()));
    }

    #[test]
    fn paths_that_leave_the_site_name_no_file() {
        for target in [
            "",
            "a.js",
            "/../a",
            "/a/../../b",
            "/%2E%2E/a",
            "//etc/passwd",
            "/a%00",
            "/..%5cb",
            "/%ff",
            "/c:/x",
        ] {
            assert_eq!(file_of(target), None, "{target}");
        }
    }
}
