//! A warm program allocates nothing.
//!
//! A program of its own: its allocator counts, each thread for itself, and a program has one allocator.
// A global allocator cannot be written without `unsafe`; this one only counts and passes on.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use percuss_expr::{Graph, Program, Scope, Scratch};

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
fn a_warm_run_allocates_nothing() {
    let mut graph = Graph::new();
    let mut scope = Scope::new();
    let x = scope.input(&mut graph, "x").unwrap();
    let node = graph
        .parse(&scope, "sin(x)*exp(-x) + if(x < 1, x^3, 1)")
        .unwrap();
    let derivative = graph.derivative(node, x);
    let before = COUNT.with(Cell::get);
    let program = Program::compile(&graph, &[node, derivative]);
    assert!(COUNT.with(Cell::get) > before, "the counter counts");
    let (mut scratch, mut outputs) = (Scratch::new(), [0.0; 2]);
    program
        .run_checked(&[0.5], &mut scratch, &mut outputs)
        .unwrap();
    let before = COUNT.with(Cell::get);
    for k in 0..1000 {
        program
            .run_checked(&[f64::from(k)], &mut scratch, &mut outputs)
            .unwrap();
    }
    assert_eq!(COUNT.with(Cell::get), before);
}
