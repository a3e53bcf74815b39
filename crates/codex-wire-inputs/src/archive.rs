//! Reads the members of archives, one after the other. Nothing is written, and a name of a member is
//! only shown.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::error::Error;
use crate::names::{Named, named};
use crate::unpack::{Bounded, Budget};

/// The most members of an archive, whatever they are.
const MEMBERS: usize = 65_534;

/// The longest name of a member that is read.
const NAME: u64 = 64 << 10;

/// The kind of a member that begins in another archive.
const PART: u8 = b'M';

const SPARSE: &str = "sparse members";

/// What to do with a member: its name within the archive, and its bytes or why there are none.
pub(crate) type Each<'e> = dyn FnMut(&str, Result<Box<dyn Read + '_>, Error>) + 'e;

/// Reads a tar archive.
pub(crate) fn tar(input: impl Read, each: &mut Each<'_>) -> Result<(), Error> {
    let mut archive = tar::Archive::new(input);
    let mut long_name: Option<Vec<u8>> = None;
    let (mut is_sparse, mut size) = (false, None);
    // The crate would read a long name into memory, however long it is.
    for (number, member) in archive.entries().map_err(cut)?.raw(true).enumerate() {
        if number >= MEMBERS {
            return Err(Error::TooManyMembers(MEMBERS));
        }
        let mut member = member.map_err(cut)?;
        let kind = member.header().entry_type();
        if kind.is_gnu_longname() || kind.is_pax_local_extensions() {
            let mut bytes = Vec::new();
            member.take(NAME).read_to_end(&mut bytes).map_err(cut)?;
            let name = match kind.is_gnu_longname() {
                true => Some(bytes.split(|byte| *byte == 0).next().unwrap_or_default()),
                false => {
                    let header = Extended::of(&bytes);
                    (is_sparse, size) = (header.is_sparse, header.size);
                    header.path
                }
            };
            long_name = name.map(<[u8]>::to_vec).or(long_name);
            continue;
        }
        let name = long_name
            .take()
            .unwrap_or_else(|| member.path_bytes().into_owned());
        // Then neither this member nor the next one stands where the crate sees it.
        let stored = member.header().entry_size().map_err(cut)?;
        if size.take().is_some_and(|size| size != stored) {
            return Err(Error::Unsupported(
                "members with a size in an extended header",
            ));
        }
        let problem = match kind.as_byte() {
            _ if std::mem::take(&mut is_sparse) || kind.is_gnu_sparse() => Some(SPARSE),
            PART => Some("members that begin in another archive"),
            _ => None,
        };
        if let Some(problem) = problem.filter(|_| is_read(&name)) {
            let failed = Err(Error::Unsupported(problem));
            each(&String::from_utf8_lossy(&name), failed);
        } else if (kind.is_file() || kind.is_contiguous()) && is_read(&name) {
            each(&String::from_utf8_lossy(&name), Ok(Box::new(&mut member)));
        }
        // Where the next member begins is not known then.
        let gnu = member.header().as_gnu();
        if kind.is_gnu_sparse() && gnu.is_some_and(tar::GnuHeader::is_extended) {
            return Err(Error::Unsupported(SPARSE));
        }
    }
    Ok(())
}

/// What the extended header of a member says: lines such as `18 path=a/b.jsonl`.
#[derive(Debug, Default, PartialEq, Eq)]
struct Extended<'h> {
    path: Option<&'h [u8]>,
    /// The bytes that are stored, if the header of the member has no room for the number.
    size: Option<u64>,
    is_sparse: bool,
}

impl<'h> Extended<'h> {
    fn of(mut header: &'h [u8]) -> Self {
        let mut found = Extended::default();
        let mut of_sparse = None;
        while let Some((line, rest)) = line(header) {
            header = rest;
            if let Some(path) = line.strip_prefix(b"path=") {
                found.path = Some(path);
            } else if let Some(size) = line.strip_prefix(b"size=") {
                found.size = str::from_utf8(size).ok().and_then(|size| size.parse().ok());
            } else if let Some(line) = line.strip_prefix(b"GNU.sparse.") {
                found.is_sparse = true;
                of_sparse = line.strip_prefix(b"name=").or(of_sparse);
            }
        }
        // The path of a sparse member is made up.
        found.path = of_sparse.or(found.path);
        found
    }
}

/// The first line of an extended header, and what follows it.
fn line(header: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = memchr::memchr(b' ', header)?;
    let length = str::from_utf8(&header[..space]).ok()?;
    let length = length.parse::<usize>().ok()?;
    let line = header.get(space + 1..length)?.strip_suffix(b"\n")?;
    Some((line, &header[length..]))
}

/// Reads a zip archive.
pub(crate) fn zip(mut file: File, budget: &Budget, each: &mut Each<'_>) -> Result<(), Error> {
    budget.stores(file.seek(SeekFrom::End(0))?);
    if members(&mut file)? > MEMBERS {
        return Err(Error::TooManyMembers(MEMBERS));
    }
    let mut archive = zip::ZipArchive::new(io::BufReader::new(file)).map_err(damaged)?;
    if has_overlap(&mut archive) {
        return Err(Error::Overlap);
    }
    for index in 0..archive.len() {
        match archive.by_index(index) {
            Ok(member) => {
                let name = member.name().map_err(damaged)?.into_owned();
                if member.is_file() && is_read(name.as_bytes()) {
                    each(&name, Ok(Box::new(Bounded::new(member, budget))));
                }
            }
            Err(error) => each(&format!("member {}", index + 1), Err(damaged(error))),
        }
    }
    Ok(())
}

/// Whether members share bytes: a small archive could hold any number of large ones so. Those that are damaged
/// are not read.
fn has_overlap(archive: &mut zip::ZipArchive<impl Read + Seek>) -> bool {
    let mut places = Vec::with_capacity(archive.len());
    for index in 0..archive.len() {
        if let Ok(member) = archive.by_index_raw(index)
            && let Some(data) = member.data_start()
        {
            let end = data.saturating_add(member.compressed_size());
            places.push((member.header_start(), end));
        }
    }
    places.sort_unstable();
    places.windows(2).any(|pair| pair[0].1 > pair[1].0)
}

/// How many members the end of a zip archive names. All of them are read into memory before the first
/// one.
fn members(file: &mut File) -> io::Result<usize> {
    const END: usize = 22;
    let length = file.seek(SeekFrom::End(0))?;
    let from = length.saturating_sub(END as u64 + u64::from(u16::MAX));
    file.seek(SeekFrom::Start(from))?;
    let mut end = Vec::new();
    file.by_ref().take(length - from).read_to_end(&mut end)?;
    file.rewind()?;
    let ends = memchr::memmem::find_iter(&end, b"PK\x05\x06");
    let numbers = ends.filter_map(|at| end.get(at + 10..at + 12));
    let numbers = numbers.map(|bytes| usize::from(u16::from_le_bytes([bytes[0], bytes[1]])));
    Ok(numbers.max().unwrap_or(0))
}

/// Whether a member has the name of something that is read, or of an archive, which is an error in an archive.
fn is_read(name: &[u8]) -> bool {
    named(name) != Named::Other
}

fn damaged(error: zip::result::ZipError) -> Error {
    match error {
        zip::result::ZipError::Io(error) => cut(error),
        zip::result::ZipError::InvalidArchive(_) => Error::Damaged("archive"),
        error => io::Error::new(io::ErrorKind::InvalidData, error).into(),
    }
}

fn cut(error: io::Error) -> Error {
    Error::of_packed(error, "archive")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_only_so_many_members() {
        let mut member = tar::Header::new_gnu();
        member.set_path("a.png").unwrap();
        member.set_size(0);
        member.set_cksum();
        let read = |members: usize| {
            let end = io::repeat(0).take(1024);
            let bytes = member.as_bytes().repeat(members);
            tar((&bytes[..]).chain(end), &mut |_, _| {})
        };
        assert!(read(MEMBERS).is_ok());
        let error = read(MEMBERS + 1).unwrap_err();
        assert!(matches!(error, Error::TooManyMembers(MEMBERS)), "{error}");
    }

    #[test]
    fn extended_headers_have_the_path() {
        let path = |header: &'static [u8]| Extended::of(header).path;
        assert_eq!(path(b"11 mtime=1\n"), None);
        assert_eq!(
            path(b"11 mtime=1\n18 path=a/b.jsonl\n"),
            Some(&b"a/b.jsonl"[..])
        );
        for bad in ["", "x path=a\n", "99 path=a\n", "0 \n", "3 \n"] {
            assert_eq!(path(bad.as_bytes()), None, "{bad}");
        }
        let sparse = b"23 GNU.sparse.name=a/b\n16 path=GNU/b.0\n16 size=1048576\n";
        let expected = Extended {
            path: Some(b"a/b"),
            size: Some(1 << 20),
            is_sparse: true,
        };
        assert_eq!(Extended::of(sparse), expected);
    }
}
