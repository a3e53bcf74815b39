//! Our standard input and output as files: each can be closed separately, and each write is one call of the
//! system.

use std::fs::File;
use std::io;

use anyhow::Context;
use codex_wire_live::stand_in::Streams;

/// Our standard input and output, which are taken away from the rest of the program.
pub(crate) fn taken() -> anyhow::Result<(File, File)> {
    take().context("cannot take over standard input and output")
}

/// Standard input, output and error, for a stand-in.
pub(crate) fn streams() -> anyhow::Result<Streams> {
    let cannot = "cannot use the standard streams";
    let input = duplicate(&io::stdin()).context(cannot)?;
    let output = duplicate(&io::stdout()).context(cannot)?;
    let errors = duplicate(&io::stderr()).context(cannot)?;
    Ok(Streams::new(input, output, errors))
}

#[cfg(unix)]
fn duplicate(stream: &impl std::os::fd::AsFd) -> io::Result<File> {
    Ok(stream.as_fd().try_clone_to_owned()?.into())
}

#[cfg(windows)]
fn duplicate(stream: &impl std::os::windows::io::AsHandle) -> io::Result<File> {
    Ok(stream.as_handle().try_clone_to_owned()?.into())
}

/// Takes standard input and output, and puts `/dev/null` in their places. Dropping the files then
/// really closes the pipes.
#[cfg(unix)]
fn take() -> io::Result<(File, File)> {
    let (input, output) = (duplicate(&io::stdin())?, duplicate(&io::stdout())?);
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(File::options().write(true).open("/dev/null")?)?;
    Ok((input, output))
}

/// Takes standard input and output. The originals stay open until the program ends.
#[cfg(windows)]
fn take() -> io::Result<(File, File)> {
    Ok((duplicate(&io::stdin())?, duplicate(&io::stdout())?))
}
