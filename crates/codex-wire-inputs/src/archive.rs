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

/// What to do with a member: its name within the archive, and its bytes or why there are none.
pub(crate) type Each<'e> = dyn FnMut(&str, Result<Box<dyn Read + '_>, Error>) + 'e;

/// Reads a tar archive.
pub(crate) fn tar(input: impl Read, each: &mut Each<'_>) -> Result<(), Error> {
    let mut archive = tar::Archive::new(input);
    let mut long_name: Option<Vec<u8>> = None;
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
                false => pax_path(&bytes),
            };
            long_name = name.map(<[u8]>::to_vec).or(long_name);
            continue;
        }
        let name = long_name
            .take()
            .unwrap_or_else(|| member.path_bytes().into_owned());
        if kind.is_file() && is_read(&name) {
            each(&String::from_utf8_lossy(&name), Ok(Box::new(&mut member)));
        }
    }
    Ok(())
}

/// The path in the extended header of a member: lines such as `18 path=a/b.jsonl`.
fn pax_path(mut header: &[u8]) -> Option<&[u8]> {
    let mut path = None;
    while let Some(space) = memchr::memchr(b' ', header) {
        let length = str::from_utf8(&header[..space])
            .ok()?
            .parse::<usize>()
            .ok()?;
        let line = header.get(space + 1..length)?.strip_suffix(b"\n")?;
        path = line.strip_prefix(b"path=").or(path);
        header = &header[length..];
    }
    path
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
        assert_eq!(pax_path(b"9 mtime=1\n"), None);
        assert_eq!(
            pax_path(b"11 mtime=1\n18 path=a/b.jsonl\n"),
            Some(&b"a/b.jsonl"[..])
        );
        for bad in ["", "x path=a\n", "99 path=a\n", "0 \n", "3 \n"] {
            assert_eq!(pax_path(bad.as_bytes()), None, "{bad}");
        }
    }
}
