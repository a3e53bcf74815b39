//! Tests of the tables: over recordings of real binaries, and of the program.

mod cells;
mod described;
mod entries;
mod folders;
mod golden;
mod limits;
mod program;
mod recordings;
mod shown;
mod streams;
mod threads;
