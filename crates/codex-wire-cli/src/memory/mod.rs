//! Implements `--max-memory`: whatever an input makes the program hold, it is no more than this.
//!
//! The limit stands where all memory comes from, in the [allocator](Limited), so that no code can forget it.
//! What is not allocated, such as the program itself and the stacks of threads, is not counted.

mod allocator;
mod end;
mod place;

use anstream::ColorChoice;

pub(crate) use allocator::DEFAULT;
pub(crate) use allocator::Limited;
pub(crate) use place::{at_line, begin};

/// Allows so many bytes from here on. Last words have colours if they are wanted.
pub(crate) fn limit(bytes: u64, color: ColorChoice) {
    end::colour(color);
    allocator::allow(bytes);
}
