//! Our standard input and output as files: each can be closed separately, and each write is one call of the
//! system.

use std::fs::File;
use std::io;

use anyhow::Context;

/// Our standard input and output, which are taken away from the rest of the program.
pub(crate) fn taken() -> anyhow::Result<(File, File)> {
    take().context("cannot take over standard input and output")
}

/// Takes standard input and output, and puts `/dev/null` in their places. Dropping the files then
/// really closes the pipes.
#[cfg(unix)]
fn take() -> io::Result<(File, File)> {
    use std::os::fd::AsFd;

    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(File::options().write(true).open("/dev/null")?)?;
    Ok((input.into(), output.into()))
}

/// Takes standard input and output. The originals stay open until the program ends.
#[cfg(windows)]
fn take() -> io::Result<(File, File)> {
    use std::os::windows::io::AsHandle;

    let input = io::stdin().as_handle().try_clone_to_owned()?;
    let output = io::stdout().as_handle().try_clone_to_owned()?;
    Ok((input.into(), output.into()))
}
