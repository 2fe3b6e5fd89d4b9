//! A warm mechanism allocates nothing.
//!
//! A program of its own: its allocator counts, each thread for itself, and a program has one allocator.
// A global allocator cannot be written without `unsafe`; this one only counts and passes on.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System as Machine};
use std::cell::Cell;

use percuss_contact::law::Status;
use percuss_mechanism::{Integrator, StateRef, System, TimeStepper};
use percuss_scene::Scene;

struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // The thread may be ending, its counter gone.
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { Machine.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from the machine with this layout.
        unsafe { Machine.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const SCENE: &str = r#"
kind = "mechanism"
[[coordinate]]
name = "x"
[[coordinate]]
name = "y"
kind = "angle"
[dynamics]
kinetic = "x_dot^2 + y_dot^2 + x_dot*y_dot*cos(y)"
potential = "x*sin(y)"
[[contact]]
name = "a"
gap = "x - sin(t)"
tangent = "y_dot"
friction = "0.3 + 0.1*sin(x)"
restitution = 0.5
[[contact]]
name = "b"
gap = "y"
tangent = ["x_dot", "y_dot"]
friction = { polygon = [[1, 0], [0, 1], [-1, -1]] }
[[joint]]
name = "c"
constraint = "x - y"
[[nonfirm]]
name = "d"
constraint = "y_dot"
force = { between = [-1, 2] }
[run]
until = 1
step = 1e-3
"#;

/// Everything a step asks for.
fn ask(system: &mut impl System, k: usize) {
    let (t, q, v) = (0.1 * k as f64, [0.2, 0.3], [0.4, 0.5]);
    let at = StateRef { t, q: &q, v: &v };
    let (mut mass, mut force) = ([0.0; 4], [0.0; 2]);
    system.dynamics(t, &q, &v, &mut mass, &mut force).unwrap();
    system.potential(t, &q).unwrap();
    system.gaps(t, &q, &mut [0.0; 3]).unwrap();
    let (mut by_q, mut by_v) = ([0.0; 4], [0.0; 4]);
    system
        .force_jacobians(t, &q, &v, &mut by_q, &mut by_v)
        .unwrap();
    for (constraint, rows) in [2, 3, 1, 1].into_iter().enumerate() {
        let (mut g, mut w) = ([0.0; 6], [0.0; 3]);
        let (g, w) = (&mut g[..2 * rows], &mut w[..rows]);
        system.rows(constraint, t, &q, g, w).unwrap();
        system.bias(constraint, t, &q, &v, w).unwrap();
        system.law(constraint, at, 1e-3, Status::Slip).unwrap();
        system.restitution(constraint, at).unwrap();
    }
}

#[test]
fn a_warm_mechanism_allocates_nothing() {
    let before = COUNT.with(Cell::get);
    let built = Scene::parse("s", "s", SCENE).and_then(|scene| scene.build_mechanism());
    let mut system = built.unwrap().system;
    assert!(COUNT.with(Cell::get) > before, "the counter counts");
    ask(&mut system, 0);
    let before = COUNT.with(Cell::get);
    (1..100).for_each(|k| ask(&mut system, k));
    assert_eq!(COUNT.with(Cell::get), before);
}

/// A block that two shaken surfaces push about with friction.
const SHAKEN: &str = r#"
kind = "mechanism"
[[coordinate]]
name = "x"
[[coordinate]]
name = "z"
[definitions]
shaker = "0.02*sin(20*t)"
[dynamics]
kinetic = "0.5*(x_dot^2 + z_dot^2)"
potential = "9.81*z + 20*x^2"
[[contact]]
name = "below"
gap = "z"
tangent = "x_dot - shaker_dot"
friction = 0.3
[[contact]]
name = "beside"
gap = "x + 0.01"
tangent = "z_dot"
friction = 0.2
[run]
until = 1
step = 1e-3
"#;

#[test]
fn a_warm_step_with_contacts_allocates_nothing() {
    let built = Scene::parse("s", "s", SHAKEN).and_then(|scene| scene.build_mechanism());
    let built = built.unwrap();
    let mut motion = TimeStepper::new(built.system, built.settings, built.initial).unwrap();
    let mut advance = |steps: usize| {
        let mut most = 0;
        for _ in 0..steps {
            motion.advance().unwrap();
            most = most.max(motion.step_report().num_active);
        }
        most
    };
    // Every combination of contacts has been met by then.
    assert_eq!(advance(2000), 2);
    let before = COUNT.with(Cell::get);
    assert!(advance(2000) >= 1);
    assert_eq!(COUNT.with(Cell::get), before);
}
