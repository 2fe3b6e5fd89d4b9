//! Warm code paths allocate nothing.
//!
//! A program of its own: its allocator counts, each thread for itself, and a program has one allocator.
// A global allocator cannot be written without `unsafe`; this one only counts and passes on.
#![allow(unsafe_code)]

mod detect;
mod world;

// Helpers of the other tests; only some of them are used here.
#[allow(dead_code)]
#[path = "../all/support/mod.rs"]
mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

fn count_one() {
    // The thread may be ending, its counter gone.
    let _ = COUNT.try_with(|c| c.set(c.get() + 1));
}

// SAFETY: every call is passed to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_one();
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `System` with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count_one();
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of this thread so far.
fn count() -> usize {
    COUNT.with(Cell::get)
}

/// Allocations of this thread during some work.
fn allocations(work: impl FnOnce()) -> usize {
    let before = count();
    work();
    count() - before
}
