//! A warm detection with cylinders and meshes allocates nothing.
//!
//! This file has an allocator of its own that counts, each thread for itself.
// A global allocator cannot be written without `unsafe`; this one only counts and passes on.
#![allow(unsafe_code)]

mod mesh_kit;
mod space_kit;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use bodies::space::{self, Shape};
use space_kit::{Random, at, polyhedron};

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
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_warm_detection_allocates_nothing() {
    let mut random = Random(4);
    let ground = mesh_kit::shape(mesh_kit::grid(20, 3.0, &mut random, |x, y| {
        (3.0 * x).sin() * y.cos()
    }));
    let shapes = [
        Shape::sphere(0.5).unwrap(),
        Shape::capsule(1.0, 0.3).unwrap(),
        Shape::cylinder(1.0, 0.4).unwrap(),
        polyhedron(random.cuboid()),
        polyhedron(random.hull()),
    ];
    let cylinder = Shape::cylinder(1.2, 0.5).unwrap();
    let poses: Vec<_> = (0..200).map(|_| random.pose(1.0)).collect();
    let mut out = Vec::with_capacity(4096);
    let before = COUNT.with(Cell::get);
    let counted = Box::new(1);
    assert!(COUNT.with(Cell::get) > before, "the counter counts");
    drop(counted);
    let before = COUNT.with(Cell::get);
    let mut points = 0;
    for pose in &poses {
        for shape in &shapes {
            for boundary in [&ground, &cylinder, &Shape::HalfSpace] {
                out.clear();
                space::touch(
                    (boundary, &at(0.0, 0.0, 0.0)),
                    (shape, pose),
                    0.01,
                    &mut out,
                );
                points += out.len();
            }
        }
        out.clear();
        space::touch(
            (&cylinder, pose),
            (&Shape::HalfSpace, &at(0.0, 0.0, 0.0)),
            0.01,
            &mut out,
        );
        points += out.len();
    }
    assert_eq!(COUNT.with(Cell::get), before);
    assert!(points > 1000 && out.capacity() == 4096);
}
