//! A minimal HTTP server: one request, one response, then the connection is closed.

use std::io::{self, BufRead, Read};

/// The longest request that is read.
const LIMIT: u64 = 64 << 20;

/// A request.
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    /// The values of headers by their names in small letters.
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    /// Reads one; `None` if the other side says nothing.
    pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Self>> {
        let first = line(input)?;
        let mut words = first.split(' ').map(str::to_owned);
        let (Some(method), Some(path)) = (words.next(), words.next()) else {
            return Ok(None);
        };
        let (mut length, mut chunked) = (0, false);
        let mut headers = Vec::new();
        loop {
            let header = line(input)?;
            let Some((name, value)) = header.split_once(':') else {
                break;
            };
            let (name, value) = (name.to_ascii_lowercase(), value.trim());
            match name.as_str() {
                "content-length" => length = value.parse().map_err(io::Error::other)?,
                "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
                _ => {}
            }
            headers.push((name, value.to_owned()));
        }
        let mut body = Vec::new();
        if !chunked {
            read_to(input, length, &mut body)?;
        }
        while chunked {
            let size = line(input)?;
            let size = u64::from_str_radix(size.trim(), 16).map_err(io::Error::other)?;
            read_to(input, size, &mut body)?;
            line(input)?;
            chunked = size > 0;
        }
        Ok(Some(Request {
            method,
            path,
            headers,
            body,
        }))
    }

    /// The value of a header, whose name is in small letters.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let (_, value) = headers.find(|(known, _)| known == name)?;
        Some(value)
    }
}

fn read_to(input: &mut impl BufRead, length: u64, body: &mut Vec<u8>) -> io::Result<()> {
    if length > LIMIT {
        return Err(io::Error::other("the request is too long"));
    }
    input.take(length).read_to_end(body)?;
    Ok(())
}

/// A line of the head, without its end.
fn line(input: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    input.take(LIMIT).read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Request {
        Request::read(&mut text.as_bytes()).unwrap().unwrap()
    }

    #[test]
    fn bodies_come_whole_or_in_chunks() {
        let whole = read("POST /v1/responses HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello");
        assert_eq!(
            (&*whole.path, &*whole.body),
            ("/v1/responses", &b"hello"[..])
        );
        let chunks = "POST /a HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n\
                      3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n";
        assert_eq!(read(chunks).body, b"hello");
        let none = read("GET /models HTTP/1.1\r\nHost: x\r\n\r\n");
        assert_eq!((&*none.method, none.body.len()), ("GET", 0));
        assert!(Request::read(&mut &b""[..]).unwrap().is_none());
    }
}
