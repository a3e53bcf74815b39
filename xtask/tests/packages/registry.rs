//! A registry of npm on loopback, which has the packages of a folder and no others.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha512};

/// A registry, which answers until the test program ends.
pub(crate) struct Registry {
    /// Its address.
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Registry {
    /// Starts one with the packages of a folder.
    pub(crate) fn start(folder: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let pages = Arc::new(pages(folder, &url));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pages, log) = (Arc::clone(&pages), Arc::clone(&log));
                // Who leaves early gets no answer.
                std::thread::spawn(move || drop(answer(&stream, &pages, &log)));
            }
        });
        Self { url, asked }
    }

    /// The paths that it was asked for, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(
    mut stream: &TcpStream,
    pages: &BTreeMap<String, Vec<u8>>,
    log: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut request = String::new();
        if reader.read_line(&mut request)? == 0 {
            return Ok(());
        }
        let mut header = String::from("-");
        while !header.trim().is_empty() {
            header.clear();
            reader.read_line(&mut header)?;
        }
        let path = request.split(' ').nth(1).unwrap_or_default();
        log.lock().unwrap().push(path.to_owned());
        let (status, body) = match pages.get(path) {
            Some(body) => ("200 OK", &**body),
            None => ("404 Not Found", &b"{}"[..]),
        };
        let length = body.len();
        write!(
            stream,
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        )?;
        stream.write_all(body)?;
    }
}

/// What is answered, by path: a document for each package, and the package.
fn pages(folder: &Path, url: &str) -> BTreeMap<String, Vec<u8>> {
    let mut out = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let mut manifest = manifest(&bytes);
        let file = format!("/-/{}", path.file_name().unwrap().to_string_lossy());
        let digest = base64::engine::general_purpose::STANDARD.encode(Sha512::digest(&bytes));
        manifest["dist"] = json!({
            "tarball": format!("{url}{file}"),
            "integrity": format!("sha512-{digest}"),
        });
        let (name, version) = (manifest["name"].clone(), manifest["version"].clone());
        let (name, version) = (name.as_str().unwrap(), version.as_str().unwrap());
        let document = json!({
            "name": name,
            "dist-tags": { "latest": version },
            "versions": { version: manifest },
        });
        out.insert(format!("/{name}"), document.to_string().into_bytes());
        out.insert(file, bytes);
    }
    out
}

/// The manifest in a package.
fn manifest(package: &[u8]) -> Value {
    let mut archive = tar::Archive::new(GzDecoder::new(package));
    let mut entries = archive.entries().unwrap().map(Result::unwrap);
    let mut entry = entries
        .find(|entry| entry.path().unwrap() == Path::new("package/package.json"))
        .unwrap();
    let mut text = String::new();
    entry.read_to_string(&mut text).unwrap();
    serde_json::from_str(&text).unwrap()
}
