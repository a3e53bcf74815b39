//! Packs the schemas of all releases into one archive, which a release attaches.
//!
//! A file stands at the path that its `$id` names below `schemas/`. The archive is the same bytes
//! whenever it is made of the same schemas.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context as _, Result};
use codex_wire::MessageSet;
use codex_wire_schema::{Published, archive};
use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

/// What was packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// The number of files.
    pub files: u64,
    /// Their size before they were compressed, in bytes.
    pub bytes: u64,
}

/// Writes the archive of all schemas, a `.tar.gz`.
///
/// # Errors
/// When the file cannot be written.
pub fn pack_file(to: &Path, message_sets: &[MessageSet]) -> Result<Packed> {
    let file = File::create(to).with_context(|| to.display().to_string())?;
    let mut out = BufWriter::new(file);
    let packed = pack(&mut out, message_sets)?;
    out.flush()?;
    Ok(packed)
}

/// Writes the archive of the schemas of some message sets.
///
/// # Errors
/// When `out` cannot be written to.
pub fn pack(out: &mut impl Write, message_sets: &[MessageSet]) -> Result<Packed> {
    // The builder of the format states neither a time nor a system.
    let compressed = GzBuilder::new().mtime(0).write(out, Compression::best());
    let mut builder = Builder::new(compressed);
    let mut packed = Packed::default();
    archive(message_sets, &mut |file: &Published| -> Result<()> {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_size(file.text.len() as u64);
        header.set_mode(0o644);
        header.set_mtime(0);
        let path = format!("schemas/{}", file.path);
        builder.append_data(&mut header, &path, file.text.as_bytes())?;
        packed.files += 1;
        packed.bytes += file.text.len() as u64;
        Ok(())
    })?;
    builder.into_inner()?.finish()?;
    Ok(packed)
}
