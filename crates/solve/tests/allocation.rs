//! Gauss–Seidel sweeps and solves with buffers of the right size allocate nothing.
//!
//! A program of its own: its allocator counts, each thread for itself, and a program has one allocator.
// A global allocator cannot be written without `unsafe`; this one only counts and passes on.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use percuss_contact::Problem;
use percuss_solve::nlgs::NlgsParams;
use percuss_solve::nncg::{NncgParams, Sweeps};
use percuss_solve::sample::{Chain, Pyramid, Tower, Wall};
use percuss_solve::{Goal, Nlgs, Nncg, Solver};

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

fn allocations(work: impl FnOnce()) -> usize {
    let before = COUNT.with(Cell::get);
    work();
    COUNT.with(Cell::get) - before
}

fn problems() -> Vec<Problem> {
    vec![
        Tower::of(6).problem().unwrap(),
        Wall::default().problem().unwrap(),
        Pyramid::default().problem().unwrap(),
        Chain::default().problem().unwrap(),
    ]
}

/// Allocations allowed for a report. Its list of stages is stored inline and needs none; one is left as a margin.
const REPORT: usize = 1;

#[test]
fn the_counter_counts() {
    assert_eq!(
        allocations(|| drop(std::hint::black_box(vec![1.0; 100]))),
        1
    );
}

#[test]
fn warm_sweeps_allocate_nothing() {
    for problem in problems() {
        let mut impulse = vec![0.0; problem.num_rows()];
        let mut relaxation = Nlgs::default();
        relaxation.sweep(&problem, &mut impulse, 1);
        let count = allocations(|| relaxation.sweep(&problem, &mut impulse, 50));
        assert_eq!(count, 0);
    }
}

#[test]
fn a_warm_solve_allocates_its_report_only() {
    let goal = Goal::with_tolerance(1e-12).at_most(300);
    for problem in problems() {
        let start = vec![0.0; problem.num_rows()];
        let mut impulse = start.clone();
        let mut solvers: Vec<Box<dyn Solver>> = vec![Box::new(Nlgs::new(NlgsParams {
            residual_interval: 1,
            ..Default::default()
        }))];
        for sweeps in [Sweeps::Exact, Sweeps::Projection, Sweeps::Guarded] {
            solvers.push(Box::new(Nncg::new(NncgParams {
                sweeps,
                patience: 20,
                ..Default::default()
            })));
        }
        for solver in &mut solvers {
            solver.solve(&problem, &mut impulse, &goal);
            impulse.copy_from_slice(&start);
            let count = allocations(|| drop(solver.solve(&problem, &mut impulse, &goal)));
            assert!(count <= REPORT, "{}: {count} allocations", solver.name());
        }
    }
}
