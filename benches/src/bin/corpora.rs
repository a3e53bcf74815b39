//! Writes the corpora to a folder, for peers in other languages: the lines of each release, their
//! schema, and invalid lines. See `benches/others/README.md`.

use std::path::PathBuf;
use std::{env, fs, io};

use benches::files;
use benches::shapes::{Shapes, contests};

fn main() -> io::Result<()> {
    let folder = env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.ok_or_else(|| io::Error::other("usage: corpora FOLDER"))?;
    fs::create_dir_all(&folder)?;
    let of_message_set = |(message_set, corpus)| {
        (
            message_set,
            Shapes::new(message_set, &corpus).of_message_set(&corpus),
        )
    };
    let corpora: Vec<_> = contests()?.into_iter().map(of_message_set).collect();
    files::write(&folder, &corpora)
}
