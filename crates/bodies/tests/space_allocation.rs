//! Looking for contacts allocates nothing once the list is large enough.
//!
//! This file has an allocator of its own that counts, and one test, so that no other thread counts.
// A global allocator cannot be written without `unsafe`; this one only counts and passes on.
#![allow(unsafe_code)]

mod space_kit;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use bodies::Space;
use bodies::space::{self, Polyhedron, Shape};
use glam::DVec3;
use space_kit::{Random, SpacePose, polyhedron};

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
fn a_warm_search_for_contacts_allocates_nothing() {
    let mut random = Random(31);
    let ball: Vec<DVec3> = (0..300).map(|_| random.direction()).collect();
    let shapes = [
        Shape::HalfSpace,
        Shape::sphere(0.5).unwrap(),
        Shape::capsule(1.0, 0.3).unwrap(),
        polyhedron(random.cuboid()),
        polyhedron(random.hull()),
        polyhedron(Polyhedron::hull(&ball).unwrap().0),
    ];
    let poses: Vec<SpacePose> = (0..200).map(|_| random.pose(0.7)).collect();
    let mut out: Vec<bodies::Touch<Space>> = Vec::with_capacity(1000);
    let mut found = 0;
    let before = COUNT.with(Cell::get);
    for a in &shapes {
        for b in &shapes {
            for pair in poses.windows(2) {
                for reach in [0.0, 0.1] {
                    out.clear();
                    space::touch((a, &pair[0]), (b, &pair[1]), reach, &mut out);
                    found += out.len();
                }
            }
        }
    }
    let count = COUNT.with(Cell::get) - before;
    assert!(found > 10_000, "{found}");
    assert_eq!(count, 0);
}
