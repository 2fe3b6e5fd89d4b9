//! A warm loop of touching allocates nothing.
//!
//! This file has an allocator of its own that counts, and one test, so that no other thread counts.
// A global allocator cannot be written without `unsafe`; this one only counts and passes on.
#![allow(unsafe_code)]

mod plane_common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use bodies::plane::{Shape, touch};
use plane_common::{Random, chain};

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

fn count_one() {
    // The test harness has threads of its own; each counts for itself.
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

#[test]
fn a_warm_loop_over_all_pairs_allocates_nothing() {
    let mut random = Random(1);
    let wave: Vec<(f64, f64)> = (-400..400)
        .map(|i| (0.05 * f64::from(i), (0.3 * f64::from(i)).sin() * 0.3))
        .collect();
    let mut shapes = vec![Shape::HalfPlane, chain(&wave, false)];
    for _ in 0..20 {
        shapes.extend([random.disc(), random.capsule(), random.polygon()]);
    }
    let poses: Vec<_> = shapes.iter().map(|_| random.pose(1.5)).collect();
    let mut out = Vec::new();
    let mut sweep = || {
        out.clear();
        for (a, p) in shapes.iter().zip(&poses) {
            for (b, q) in shapes.iter().zip(&poses) {
                touch((a, p), (b, q), 0.2, &mut out);
            }
        }
        out.len()
    };
    let cold = sweep();
    let before = COUNT.with(Cell::get);
    let warm = sweep();
    assert_eq!(COUNT.with(Cell::get) - before, 0);
    assert_eq!(cold, warm);
    assert!(warm > 1_000, "{warm}");
}
