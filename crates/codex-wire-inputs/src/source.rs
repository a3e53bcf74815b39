//! Opens one input.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use crate::archive;
use crate::error::{Error, Unreadable};
use crate::exclude::{Exclude, is_excluded};
use crate::interruptible::{Interruptible, Stoppable};
use crate::known;
use crate::names::{Named, named};
use crate::placed::Placed;
use crate::skipped::{SkipReason, Skipped};
use crate::stop::Watch;
use crate::unpack::{Budget, Form, unpack, unpack_member};

/// The path that stands for standard input.
pub const STDIN: &str = "-";

/// How many bytes are read at once.
const BUFFER: usize = 256 << 10;

/// How often a file is looked for that Codex compresses and unpacks in turn.
const TRIES: usize = 3;

/// An input.
#[derive(Debug, PartialEq, Eq)]
pub enum Source {
    /// Standard input.
    Stdin,
    /// A file that the user names.
    Named(PathBuf),
    /// A file that was found in a folder. Codex may compress or unpack it before it is opened.
    Listed(PathBuf),
}

/// An input that was opened.
#[non_exhaustive]
pub struct Opened<'p> {
    /// Its name: the path, for a member `ARCHIVE!MEMBER`.
    pub name: String,
    /// Its bytes, unpacked.
    pub input: Box<dyn BufRead + 'p>,
    /// Whether it is skipped if it is not a transcript: its name does not say that it is one, and the user
    /// did not name it.
    pub is_lenient: bool,
    /// The file that it is in, if it is the whole of one.
    file: Option<PathBuf>,
}

impl Opened<'_> {
    /// Reads it whole.
    ///
    /// # Errors
    /// If it cannot be read, or has more than a GiB: it may be a device that never ends.
    pub fn whole(&mut self) -> Result<Vec<u8>, Error> {
        let data = self.file.as_ref().and_then(|path| fs::metadata(path).ok());
        let stored = data
            .filter(fs::Metadata::is_file)
            .map_or(0, |data| data.len());
        whole(&mut self.input, WHOLE, stored)
    }
}

/// How many bytes of an input are read into memory where all of it is needed at once.
const WHOLE: u64 = 1 << 30;

/// Reads a file that is not an input, such as a baseline: as [`Opened::whole`] does, since it may be one that
/// strangers name.
///
/// # Errors
/// If it cannot be read, or has more than a GiB.
pub fn read_whole(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    Ok(whole(&mut file, WHOLE, size)?)
}

/// Reads up to so many bytes, of which these are expected: memory that grows while they come is copied, and there twice.
fn whole(input: &mut impl Read, most: u64, expected: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    // Who is told how far the reading is knows the first lines when memory runs out.
    let first = most.min(BUFFER as u64);
    input.by_ref().take(first).read_to_end(&mut bytes)?;
    let rest = expected.min(most).saturating_sub(bytes.len() as u64);
    bytes.reserve_exact(usize::try_from(rest).unwrap_or_default());
    let left = most - bytes.len() as u64;
    input.take(left).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == most && input.read(&mut [0])? > 0 {
        return Err(Error::TooLarge(most));
    }
    Ok(bytes)
}

/// What an input turns out to be: itself, or a member if it is an archive.
pub enum Found<'p> {
    /// Something to read.
    Input(Opened<'p>),
    /// Something that cannot be read.
    Failed(Unreadable),
    /// Something that is not read.
    Skipped(Skipped),
}

impl Source {
    /// Its name: the path, and `-` for standard input.
    pub fn name(&self) -> String {
        match self {
            Source::Stdin => STDIN.to_owned(),
            Source::Named(path) | Source::Listed(path) => path.display().to_string(),
        }
    }

    /// Opens it, unpacked. An archive is not opened.
    ///
    /// # Errors
    /// If it cannot be read, or is an archive.
    pub fn open<'p>(&self, watch: &'p dyn Watch) -> Result<Opened<'p>, Error> {
        let (name, input) = self.stored(watch)?;
        let unpacked = unpack(input, &Budget::default())?;
        match unpacked.form {
            Form::Plain | Form::Blank => Ok(opened(Some(self), name, unpacked.bytes, watch)),
            Form::Tar | Form::Zip => Err(Error::Archive),
        }
    }

    /// Opens it, and calls `each` with it, or with each of its members if it is an archive. Members that
    /// match a pattern are skipped.
    pub fn each(&self, watch: &dyn Watch, exclude: &[Exclude], mut each: impl FnMut(Found<'_>)) {
        match self.stored(watch) {
            Ok((name, input)) => each_in(Some(self), name, input, watch, exclude, &mut each),
            Err(error) => each(Found::Failed(Unreadable::new(self.name(), error))),
        }
    }

    /// Its path, unless it is standard input.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Source::Stdin => None,
            Source::Named(path) | Source::Listed(path) => Some(path),
        }
    }

    /// The name, and the bytes as they are stored.
    fn stored<'p>(&self, watch: &'p dyn Watch) -> Result<(String, Box<dyn Read + 'p>), Error> {
        let stop = watch.stop();
        let (path, input) = match self {
            Source::Stdin => {
                let input: Box<dyn Read + 'p> = match is_regular(Path::new(STDIN_PATH)) {
                    true => Box::new(Counted::new(io::stdin().lock(), watch)),
                    false => {
                        let input = Interruptible::new(io::stdin(), stop.clone());
                        Box::new(Counted::new(input, watch))
                    }
                };
                return Ok((STDIN.to_owned(), input));
            }
            // A pipe may have a name, such as a shell makes for `<(…)`.
            Source::Named(path) if !is_regular(path) => {
                let file = LazyFile {
                    path: path.clone(),
                    file: None,
                };
                let input = Interruptible::new(file, stop.clone());
                (path.clone(), Box::new(input) as Box<dyn Read>)
            }
            Source::Named(path) => {
                let file = File::open(path).map_err(|error| with_hint(path, error))?;
                (path.clone(), Box::new(file) as Box<dyn Read>)
            }
            Source::Listed(path) => {
                let (path, file) = open_listed(path)?;
                (path, Box::new(file) as Box<dyn Read>)
            }
        };
        // Progress is a part of the bytes that are stored, not of those that are unpacked.
        let counted = Counted::new(input, watch);
        Ok((path.display().to_string(), Box::new(counted)))
    }
}

fn opened<'p>(
    source: Option<&Source>,
    name: String,
    bytes: Box<dyn Read + 'p>,
    watch: &'p dyn Watch,
) -> Opened<'p> {
    let is_lenient = match source {
        Some(Source::Listed(path)) => known::is_perhaps(path),
        _ => false,
    };
    watch.opened(&name);
    Opened {
        name,
        input: buffered(bytes, watch),
        is_lenient,
        file: source.and_then(Source::path).map(Path::to_owned),
    }
}

/// Calls `each` with what somebody else has opened, or with each of its members if it is an archive: unpacked, as
/// [`Source::each`] does with a file. A `.zip` is not read so, since it is read from its end.
pub fn each_of_bytes(
    name: &str,
    input: impl Read,
    watch: &dyn Watch,
    mut each: impl FnMut(Found<'_>),
) {
    let input = Box::new(Counted::new(input, watch));
    each_in(None, name.to_owned(), input, watch, &[], &mut each);
}

fn each_in(
    source: Option<&Source>,
    name: String,
    input: Box<dyn Read + '_>,
    watch: &dyn Watch,
    exclude: &[Exclude],
    each: &mut dyn FnMut(Found<'_>),
) {
    let label = source.map_or_else(|| name.clone(), Source::name);
    let failed = |error| Found::Failed(Unreadable::new(label.clone(), error));
    let budget = Budget::default();
    let unpacked = match unpack(input, &budget) {
        Ok(unpacked) => unpacked,
        Err(error) => return each(failed(error.into())),
    };
    let mut members = 0u64;
    let mut plain = HashSet::new();
    let mut member = |inside: &str, bytes: Result<Box<dyn Read + '_>, Error>| {
        members += 1;
        let name = format!("{name}!{inside}");
        // The name is only shown and compared.
        let folder = Path::new(&name[..name.len() - inside.len()]);
        if is_excluded(exclude, folder, &folder.join(inside))
            || is_excluded(exclude, Path::new(""), Path::new(inside))
        {
            return each(Found::Skipped(Skipped::new(name, SkipReason::Excluded)));
        }
        if inside.ends_with(".jsonl") {
            plain.insert(inside.to_owned());
        } else if inside
            .strip_suffix(".zst")
            .is_some_and(|other| plain.contains(other))
        {
            return each(Found::Skipped(Skipped::new(
                name,
                SkipReason::CompressedCopy,
            )));
        }
        watch.member(&name);
        let unpacked = bytes.and_then(|bytes| Ok(unpack_member(bytes, &budget)?));
        each(match unpacked {
            Ok(mut unpacked) if matches!(unpacked.form, Form::Plain | Form::Blank) => {
                match known::reason_of_member(inside, &mut unpacked.bytes) {
                    Ok(None) => {}
                    Ok(Some(reason)) => return each(Found::Skipped(Skipped::new(name, reason))),
                    Err(error) => return each(Found::Failed(Unreadable::new(name, error))),
                }
                watch.opened(&name);
                let is_lenient = named(inside.as_bytes()) != Named::Transcript;
                Found::Input(Opened {
                    name,
                    input: buffered(unpacked.bytes, watch),
                    is_lenient,
                    file: None,
                })
            }
            Ok(_) => Found::Failed(Unreadable::new(name, Error::NestedArchive)),
            Err(error) => Found::Failed(Unreadable::new(name, error)),
        });
    };
    let read = match (unpacked.form, source) {
        // A tar archive without members is its end alone.
        (Form::Blank, _) if named(name.as_bytes()) == Named::Archive => Ok(()),
        (Form::Plain | Form::Blank, _) => {
            return each(Found::Input(opened(source, name, unpacked.bytes, watch)));
        }
        (Form::Tar, _) => {
            let stop = watch.stop().clone();
            archive::tar(Stoppable::new(unpacked.bytes, stop), &mut member)
        }
        (Form::Zip, Some(Source::Named(path) | Source::Listed(path))) if is_regular(path) => {
            let file = File::open(path).map_err(Error::from);
            file.and_then(|file| archive::zip(file, &budget, &mut member))
        }
        (Form::Zip, _) => Err(Error::ZipFromPipe),
    };
    match read {
        Err(error) => each(failed(error)),
        Ok(()) if members == 0 && matches!(source, Some(Source::Listed(_))) => {
            let skipped = Skipped::new(name, SkipReason::EmptyArchive);
            each(Found::Skipped(skipped));
        }
        Ok(()) if members == 0 => each(failed(Error::EmptyArchive)),
        Ok(()) => {}
    }
}

/// The other form of a session file: Codex compresses `x.jsonl` to `x.jsonl.zst`, and writes the
/// plain file back when the session is resumed.
pub fn other_form(path: &Path) -> Option<PathBuf> {
    // A name need not be valid UTF-8.
    if path.extension().is_some_and(|ending| ending == "zst") {
        return Some(path.with_extension(""));
    }
    let is_plain = path.extension().is_some_and(|ending| ending == "jsonl");
    is_plain.then(|| path.with_extension("jsonl.zst"))
}

/// Opens a file that a folder had when it was listed. Since then Codex may have replaced it by its
/// other form, and back again.
fn open_listed(path: &Path) -> io::Result<(PathBuf, File)> {
    let mut missing = None;
    for _ in 0..TRIES {
        for path in [Some(path.to_owned()), other_form(path)]
            .into_iter()
            .flatten()
        {
            match File::open(&path) {
                Ok(file) => return Ok((path, file)),
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    missing.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
    }
    Err(missing.unwrap_or_else(|| ErrorKind::NotFound.into()))
}

/// An error that names the other form of a file, if only that is there.
fn with_hint(path: &Path, error: io::Error) -> Error {
    let other = other_form(path).filter(|other| other.is_file());
    match other {
        Some(other) if error.kind() == ErrorKind::NotFound => Error::OtherForm { error, other },
        _ => error.into(),
    }
}

/// The path of standard input, on systems that have one.
const STDIN_PATH: &str = "/dev/stdin";

/// Whether a read never waits for another process. A file that does not exist never waits either.
pub(crate) fn is_regular(path: &Path) -> bool {
    fs::metadata(path).map_or(path != Path::new(STDIN_PATH), |about| about.is_file())
}

/// A file that is opened at the first read, because opening a named pipe may block forever.
struct LazyFile {
    path: PathBuf,
    file: Option<File>,
}

impl Read for LazyFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(File::open(&self.path)?),
        };
        file.read(buffer)
    }
}

/// A reader that tells how many bytes were read, and ends when a stop is requested.
struct Counted<'p, R> {
    input: R,
    watch: &'p dyn Watch,
    /// Whoever asks again at the end gets nothing, and the system is not asked.
    is_over: bool,
}

impl<'p, R> Counted<'p, R> {
    fn new(input: R, watch: &'p dyn Watch) -> Self {
        Counted {
            input,
            watch,
            is_over: false,
        }
    }
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.watch.stop().check()?;
        if self.is_over {
            return Ok(0);
        }
        let read = self.input.read(buffer)?;
        self.is_over = read == 0 && !buffer.is_empty();
        self.watch.read(read);
        Ok(read)
    }
}

fn buffered<'p>(input: impl Read + 'p, watch: &'p dyn Watch) -> Box<dyn BufRead + 'p> {
    let input = Stoppable::new(input, watch.stop().clone());
    Box::new(Placed::new(BufReader::with_capacity(BUFFER, input), watch))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stop::Stop;

    #[test]
    fn what_never_ends_is_not_read_whole() {
        assert_eq!(whole(&mut &b"abc"[..], 3, 0).unwrap(), b"abc");
        let error = whole(&mut io::repeat(0), 3, 9).unwrap_err();
        assert_eq!(
            error.to_string(),
            "more than 3 bytes, all of which are needed at once"
        );
    }

    #[test]
    fn what_a_reader_passes_on_is_what_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let packed = folder.path().join("a.jsonl.zst");
        let once = zstd::encode_all(&b"{}\n"[..], 3).unwrap();
        fs::write(&packed, zstd::encode_all(&once[..], 3).unwrap()).unwrap();
        let source = Source::Named(packed.clone());
        let stop = Stop::new();
        let error = source.open(&stop).err();
        assert!(matches!(error, Some(Error::PackedTwice)), "{error:?}");

        fs::write(&packed, &once).unwrap();
        let mut opened = source.open(&stop).unwrap();
        stop.request();
        let error = opened.whole().unwrap_err();
        assert!(matches!(error, Error::Interrupted), "{error:?}");
        let error = Error::from(io::Error::from(Error::Bomb(7)));
        assert!(matches!(error, Error::Bomb(7)), "{error:?}");
    }

    #[test]
    fn forms_of_a_file() {
        let other = |path: &str| other_form(Path::new(path));
        assert_eq!(other("t/a.jsonl"), Some("t/a.jsonl.zst".into()));
        assert_eq!(other("t/a.jsonl.zst"), Some("t/a.jsonl".into()));
        assert_eq!(other("t.zst/a.txt"), None);
    }

    /// What is listed is read in the form that is there, and goes on in that form.
    #[test]
    fn a_file_is_read_in_the_form_that_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("a.jsonl");
        let packed = folder.path().join("a.jsonl.zst");
        let stop = Stop::new();
        let read = |source: &Source| {
            let mut opened = source.open(&stop)?;
            let mut text = String::new();
            opened.input.read_to_string(&mut text)?;
            Ok::<_, Error>((opened.name, text))
        };
        let name = |path: &Path| path.display().to_string();
        fs::write(&packed, zstd::encode_all(&b"{}\n"[..], 3).unwrap()).unwrap();
        let listed = Source::Listed(plain.clone());
        assert_eq!(read(&listed).unwrap(), (name(&packed), "{}\n".to_owned()));
        // The user names one form, and is told of the other.
        let error = read(&Source::Named(plain.clone())).unwrap_err();
        assert!(
            error.to_string().contains("a.jsonl.zst is there"),
            "{error}"
        );

        let mut opened = listed.open(&stop).unwrap();
        fs::write(&plain, "{\"a\":1}\n").unwrap();
        fs::remove_file(&packed).unwrap();
        let mut text = String::new();
        opened.input.read_to_string(&mut text).unwrap();
        assert_eq!(text, "{}\n");
        let listed = Source::Listed(packed.clone());
        assert_eq!(
            read(&listed).unwrap(),
            (name(&plain), "{\"a\":1}\n".to_owned())
        );

        fs::remove_file(&plain).unwrap();
        let error = read(&listed).unwrap_err();
        assert!(
            matches!(&error, Error::Read(error) if error.kind() == ErrorKind::NotFound),
            "{error}"
        );
    }
}
