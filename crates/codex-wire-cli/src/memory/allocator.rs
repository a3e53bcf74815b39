//! An allocator that counts.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

use mimalloc::MiMalloc;

use super::end::{Reason, run_out};

/// The allocator of the program, which ends it where it takes more memory than is allowed.
pub(crate) struct Limited;

/// How much may be used unless the user says otherwise, in bytes.
pub(crate) const DEFAULT: u64 = 4 << 30;

/// How many bytes a thread takes or gives back before it says so to the others. What a thread has not said when it
/// ends is never counted, which has to stay little for programs with many threads.
const STEP: isize = 4 << 10;

/// How many bytes are allowed.
static ALLOWED: AtomicUsize = AtomicUsize::new(of(DEFAULT));

/// How many bytes are taken, except for what threads have not said.
static TAKEN: AtomicIsize = AtomicIsize::new(0);

thread_local! {
    /// What this thread has taken or given back since it said so last.
    static UNSAID: Cell<isize> = const { Cell::new(0) };
}

/// Allows so many bytes from here on.
pub(super) fn allow(bytes: u64) {
    ALLOWED.store(of(bytes), Ordering::Relaxed);
}

/// As many bytes as a machine can address.
const fn of(bytes: u64) -> usize {
    if bytes > isize::MAX as u64 {
        isize::MAX as usize
    } else {
        bytes as usize
    }
}

/// Counts bytes, which are negative if they are given back. No layout has more than `isize::MAX`.
fn count(bytes: isize) {
    UNSAID.with(|unsaid| {
        let sum = unsaid.get().wrapping_add(bytes);
        let is_much = !(-STEP..=STEP).contains(&sum);
        unsaid.set(if is_much { 0 } else { sum });
        if is_much {
            say(sum);
        }
    });
}

#[inline(never)]
fn say(bytes: isize) {
    let taken = TAKEN.fetch_add(bytes, Ordering::Relaxed);
    let taken = taken.saturating_add(bytes);
    let allowed = ALLOWED.load(Ordering::Relaxed);
    if bytes > 0 && usize::try_from(taken).is_ok_and(|taken| taken > allowed) {
        run_out(&Reason::Limit(allowed));
    }
}

/// What the system gave, which is nothing if it has no more.
fn given(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null() {
        run_out(&Reason::System);
    }
    pointer
}

#[expect(
    unsafe_code,
    reason = "this is how an allocator is made; each call is passed on as it is"
)]
// SAFETY: everything is done by `MiMalloc`, with the pointers and layouts of the caller. Nothing unwinds: `count` and
// `given` return or end the process.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller keeps what `alloc` asks for.
        given(unsafe { MiMalloc.alloc(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer is one of `MiMalloc` with this layout.
        unsafe { MiMalloc.dealloc(pointer, layout) };
        count(-(layout.size() as isize));
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as with `alloc`.
        given(unsafe { MiMalloc.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both are there while what the one has is copied to the other.
        count(size as isize);
        // SAFETY: the pointer is one of `MiMalloc` with this layout, and the size is one that a layout can have.
        let moved = given(unsafe { MiMalloc.realloc(pointer, layout, size) });
        count(-(layout.size() as isize));
        moved
    }
}
