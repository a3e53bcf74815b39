//! Unpacks inputs: what they are is seen by their first bytes, not by their names.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::rc::Rc;

use flate2::read::MultiGzDecoder;

use crate::error::Error;

/// How many bytes are read at once.
const BUFFER: usize = 256 << 10;

/// How many bytes are read with the first one. What is read later in larger steps does not go through this buffer.
const FIRST: usize = 32 << 10;

/// So many bytes may come out of any input, however small it is; of an archive out of all members together.
const FREE: u64 = 1 << 30;

/// So many bytes may come out of each byte beyond that: more than any transcript has.
const RATIO: u64 = 1_000;

/// What may come out of an input. All that is packed in it shares this: members, and what is packed in
/// them.
#[derive(Clone, Default)]
pub(crate) struct Budget(Rc<Bytes>);

#[derive(Default)]
struct Bytes {
    stored: Cell<u64>,
    unpacked: Cell<u64>,
}

impl Budget {
    /// The input has so many bytes, in whatever order they are read.
    pub(crate) fn stores(&self, bytes: u64) {
        self.0.stored.set(bytes);
    }
}

/// How much says what unpacked bytes are: the header of a member of a tar archive.
const HEAD: usize = 512;

const GZIP: &[u8] = b"\x1f\x8b";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// The bytes of an input, unpacked.
pub(crate) struct Unpacked<'p> {
    pub(crate) bytes: Box<dyn Read + 'p>,
    pub(crate) form: Form,
}

/// What the unpacked bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// One input.
    Plain,
    /// NUL alone, as the end of a tar archive is, and a file whose contents were lost.
    Blank,
    Tar,
    Zip,
}

/// Unpacks what is compressed, and looks whether it is an archive. Of what may be a transcript, no more is read than what is
/// there with the first byte, so that nothing waits.
pub(crate) fn unpack<'p>(input: impl Read + 'p, budget: &Budget) -> io::Result<Unpacked<'p>> {
    let input = Tally {
        input,
        budget: budget.clone(),
    };
    unpack_member(input, budget)
}

/// The same of a member of an archive, whose bytes are part of those that are stored already.
pub(crate) fn unpack_member<'p>(
    input: impl Read + 'p,
    budget: &Budget,
) -> io::Result<Unpacked<'p>> {
    // All of a small file comes with its first byte.
    let mut input = BufReader::with_capacity(FIRST, input);
    let there = there(&mut input)?;
    let form = match there.first() {
        _ if is_tar(there) => Some(Form::Tar),
        first => may_be_transcript(first.copied()).then_some(Form::Plain),
    };
    if let Some(form) = form {
        return Ok(Unpacked {
            bytes: Box::new(input),
            form,
        });
    }
    let head = head(&mut input, ZSTD.len())?;
    let (is_gzip, is_zstd) = (head.starts_with(GZIP), is_zstd(&head));
    let input = Cursor::new(head).chain(input);
    let bytes: Box<dyn Read + 'p> = if is_gzip {
        let unpacked = MultiGzDecoder::new(BufReader::with_capacity(BUFFER, input));
        Box::new(Bounded::new(unpacked, budget))
    } else if is_zstd {
        Box::new(Bounded::new(zstd::Decoder::new(input)?, budget))
    } else {
        Box::new(input)
    };
    with_form(bytes)
}

fn is_zstd(head: &[u8]) -> bool {
    // A zstd file may begin with a frame that is skipped.
    let is_skippable = head.len() >= ZSTD.len()
        && head[0] & 0xf0 == 0x50
        && head[1..ZSTD.len()] == *b"\x2a\x4d\x18";
    head.starts_with(ZSTD) || is_skippable
}

/// Looks what the unpacked bytes are.
fn with_form<'p>(mut bytes: Box<dyn Read + 'p>) -> io::Result<Unpacked<'p>> {
    let head = head(&mut bytes, HEAD)?;
    // What is packed once begins otherwise.
    if head.starts_with(GZIP) || is_zstd(&head) {
        return Err(Error::PackedTwice.into());
    }
    let form = if is_tar(&head) {
        Form::Tar
    } else if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
        Form::Zip
    } else if head.len() == HEAD && head.iter().all(|byte| *byte == 0) {
        Form::Blank
    } else {
        Form::Plain
    };
    Ok(Unpacked {
        bytes: Box::new(Cursor::new(head).chain(bytes)),
        form,
    })
}

/// Whether the first bytes are those of a tar archive: the name of its first member, which may begin as a transcript does, and
/// more. Text has no NUL. The oldest archives have no mark, but the sum of their bytes.
fn is_tar(head: &[u8]) -> bool {
    const NAME: usize = 257;
    const MAGIC: &[u8] = b"ustar";
    let has_mark = head.get(NAME..NAME + MAGIC.len()) == Some(MAGIC);
    (has_mark || has_sum(head)) && head[..NAME].contains(&0)
}

/// Whether the first bytes have their sum where the header of a member of a tar archive has it.
fn has_sum(head: &[u8]) -> bool {
    const SUM: std::ops::Range<usize> = 148..156;
    let Some(head) = head.get(..HEAD) else {
        return false;
    };
    let sum = tar::Header::from_byte_slice(head).cksum();
    let others = head[..SUM.start].iter().chain(&head[SUM.end..]);
    let others: u32 = others.map(|byte| u32::from(*byte)).sum();
    // What stands there counts as spaces.
    sum.is_ok_and(|sum| sum == others + SUM.len() as u32 * u32::from(b' '))
}

/// What is there with the first byte, which is not taken.
fn there(input: &mut impl BufRead) -> io::Result<&[u8]> {
    while let Err(error) = input.fill_buf() {
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    input.fill_buf()
}

/// Whether what has this first byte may be a transcript, and is neither compressed nor an archive.
fn may_be_transcript(first: Option<u8>) -> bool {
    matches!(first, Some(b'{' | b'[' | b' ' | b'\t' | b'\r' | b'\n'))
}

/// The first bytes; of text that may be a transcript no more than what is there with the first one.
fn head(input: &mut impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut head = vec![0; most];
    let read = loop {
        match input.read(&mut head) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => break read?,
        }
    };
    head.truncate(read);
    if may_be_transcript(head.first().copied()) {
        return Ok(head);
    }
    let rest = most.saturating_sub(head.len()) as u64;
    input.take(rest).read_to_end(&mut head)?;
    Ok(head)
}

/// Counts the bytes that are read.
struct Tally<R> {
    input: R,
    budget: Budget,
}

impl<R: Read> Read for Tally<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        let stored = &self.budget.0.stored;
        stored.set(stored.get() + read as u64);
        Ok(read)
    }
}

/// Unpacked bytes, which end with an error if they are too many for what is stored.
pub(crate) struct Bounded<R> {
    input: R,
    budget: Budget,
}

impl<R: Read> Bounded<R> {
    pub(crate) fn new(input: R, budget: &Budget) -> Self {
        Bounded {
            input,
            budget: budget.clone(),
        }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer);
        let read = read.map_err(|error| Error::of_packed(error, "compressed data"))?;
        let Bytes { stored, unpacked } = &*self.budget.0;
        unpacked.set(unpacked.get().saturating_add(read as u64));
        if is_bomb(stored.get(), unpacked.get()) {
            return Err(Error::Bomb(RATIO).into());
        }
        Ok(read)
    }
}

fn is_bomb(stored: u64, unpacked: u64) -> bool {
    unpacked > FREE.saturating_add(stored.saturating_mul(RATIO))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bombs_end_with_an_error() {
        assert!(!is_bomb(0, FREE));
        assert!(is_bomb(0, FREE + 1));
        assert!(!is_bomb(10, FREE + 10 * RATIO));
        assert!(is_bomb(10, FREE + 10 * RATIO + 1));
        let endless = Bounded::new(io::repeat(b' '), &Budget::default());
        let read = io::copy(
            &mut BufReader::with_capacity(BUFFER, endless),
            &mut io::sink(),
        );
        assert!(read.unwrap_err().to_string().contains("each byte"));
    }

    /// What each member may be is not what all of them may be, nor what is packed in them.
    #[test]
    fn all_members_share_a_budget() {
        let budget = Budget::default();
        let read = |bytes: u64| {
            let input = Bounded::new(io::repeat(b' ').take(bytes), &budget);
            let mut input = BufReader::with_capacity(BUFFER, input);
            io::copy(&mut input, &mut io::sink())
        };
        let most = FREE / 4;
        for _ in 0..4 {
            assert_eq!(read(most).unwrap(), most);
        }
        assert!(read(1).unwrap_err().to_string().contains("each byte"));
    }

    #[test]
    fn what_is_packed_twice_is_no_input() {
        let gzip = |bytes: &[u8]| {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            io::Write::write_all(&mut packer, bytes).unwrap();
            packer.finish().unwrap()
        };
        let zstd = |bytes: &[u8]| zstd::encode_all(bytes, 1).unwrap();
        for packed in [gzip(&gzip(b"{}")), gzip(&zstd(b"{}")), zstd(&gzip(b"{}"))] {
            let unpacked = unpack(&packed[..], &Budget::default());
            let error = unpacked.err().map(|error| error.to_string());
            assert_eq!(
                error.as_deref(),
                Some("it is compressed twice: unpack it first")
            );
        }
        assert!(unpack(&gzip(b"{}")[..], &Budget::default()).is_ok());
    }

    /// A tar archive begins with the name of its first member, which may begin as a transcript does.
    #[test]
    fn an_archive_may_begin_as_a_transcript_does() {
        for name in ["[a]/b.jsonl", "{a}.jsonl", " a.jsonl"] {
            let mut member = tar::Header::new_gnu();
            member.set_path(name).unwrap();
            member.set_size(0);
            member.set_cksum();
            let archive = [member.as_bytes(), &[0; 1024][..]].concat();
            let packed = zstd::encode_all(&archive[..], 1).unwrap();
            for bytes in [archive, packed] {
                let unpacked = unpack(&bytes[..], &Budget::default()).unwrap();
                assert_eq!(unpacked.form, Form::Tar, "{name}");
            }
        }
        // An archive of the oldest kind.
        let mut member = tar::Header::new_old();
        member.set_path("a.jsonl").unwrap();
        member.set_size(0);
        member.set_cksum();
        let unpacked = unpack(&member.as_bytes()[..], &Budget::default()).unwrap();
        assert_eq!(unpacked.form, Form::Tar);
        // Text has no NUL.
        let text = format!("{{\"{}ustar\":1}}\n", "a".repeat(255));
        let unpacked = unpack(text.as_bytes(), &Budget::default()).unwrap();
        assert_eq!(unpacked.form, Form::Plain);
    }

    #[test]
    fn what_may_be_a_transcript_is_not_waited_for() {
        struct OneByte(bool);
        impl Read for OneByte {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                assert!(!self.0, "more was read than there is");
                self.0 = true;
                buffer[0] = b'{';
                Ok(1)
            }
        }
        assert_eq!(
            unpack(OneByte(false), &Budget::default()).unwrap().form,
            Form::Plain
        );
    }
}
