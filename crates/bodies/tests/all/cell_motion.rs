//! Periodic cells: closed forms, balances, and invariance under the choice of the cell.

use crate::support::*;
use glam::{DVec2, DVec3};
use percuss_bodies::{
    Activation, CellController, ImposedLoading, Lattice, Matrix, PairLaw, PeriodicCell, Plane,
    Space, State, World, WorldError, plane, space,
};

/// Constant strain rate and stress.
#[derive(Debug, Clone, Copy)]
struct Constant(ImposedLoading);

impl CellController for Constant {
    fn at(&mut self, _t: f64) -> ImposedLoading {
        self.0
    }
}

const NONE: Matrix = [[0.0; 3]; 3];

fn unit(entries: &[(usize, usize, f64)]) -> Matrix {
    let mut matrix = NONE;
    for &(row, column, value) in entries {
        matrix[row][column] = value;
    }
    matrix
}

fn cell(rate: Matrix, stress: Matrix, modes: Vec<Matrix>, mass: f64) -> PeriodicCell {
    PeriodicCell {
        periodic: [true; 3],
        control: Some(Box::new(Constant(ImposedLoading { rate, stress }))),
        modes,
        mass,
        damping: 0.0,
    }
}

fn square(side: f64) -> Lattice<Plane> {
    Lattice::new([DVec2::X * side, DVec2::Y * side, DVec2::ZERO])
}

/// Touching discs of radius ½ on a square lattice, n by n, from a corner.
fn lattice_of_discs(n: usize, corner: DVec2, law: PairLaw, given: PeriodicCell) -> World<Plane> {
    let mut stage = WorldBuilder::<Plane>::new(law, DVec2::ZERO);
    for k in 0..n * n {
        let at = corner + DVec2::new((k % n) as f64, (k / n) as f64);
        let disc = plane::Shape::disc(0.5).unwrap();
        stage.body(disc, 1.0, at2(at.x, at.y), [0.0; 3]);
    }
    stage.model.cell = Some(given);
    stage.state.cell = Some(square(n as f64));
    stage.world()
}

const ALL: [(usize, usize, f64); 2] = [(0, 0, 1.0), (1, 1, 1.0)];

#[test]
fn a_lattice_that_is_stretched_follows_the_strain_of_its_cell_in_closed_form() {
    // Ḣ = L H with a constant L: side e^(Lt); bodies stay where they are in the cell.
    let rate = unit(&[(0, 0, 0.1), (1, 1, 0.05), (0, 1, 0.02)]);
    let corner = DVec2::new(0.3, 0.4);
    let mut world = lattice_of_discs(4, corner, coulomb(0.3), cell(rate, NONE, vec![], 0.0));
    world.step().unwrap();
    let (h, steps) = (world.settings().step, 1000);
    for _ in 1..steps {
        world.step().unwrap();
        // A lattice that opens has no contacts.
        assert_eq!(world.num_contacts(), 0);
    }
    let t = h * steps as f64;
    let lattice = world.state().cell.unwrap();
    let (x, y) = ((0.1 * t).exp(), (0.05 * t).exp());
    // exp of a triangular matrix: the corner is b (e^(at) − e^(ct))/(a − c).
    let xy = 0.02 * (x - y) / 0.05;
    // The midpoint rule: t (hL)²/12 = 1e-9.
    assert!((lattice.vectors[0] - DVec2::new(4.0 * x, 0.0)).length() < 1e-8);
    assert!((lattice.vectors[1] - DVec2::new(4.0 * xy, 4.0 * y)).length() < 1e-8);
    assert!((lattice.strain[0][1] - 0.02 * t).abs() < 1e-12);
    let place = world.state().poses[5].position;
    let began = corner + DVec2::new(1.0, 1.0);
    let expected = DVec2::new(x * began.x + xy * began.y, y * began.y);
    assert!((place - expected).length() < 1e-8, "{place} {expected}");
}

#[test]
fn a_lattice_under_a_given_stress_has_it_from_the_first_step_on() {
    // Forces along one row may be larger than along another one: their sum is what is given.
    let stress = unit(&[(0, 0, 3.0), (1, 1, 2.0)]);
    let modes = vec![unit(&ALL[..1]), unit(&ALL[1..])];
    let mut world = lattice_of_discs(
        4,
        DVec2::ZERO,
        coulomb(0.3),
        cell(NONE, stress, modes, 10.0),
    );
    for _ in 0..20 {
        world.step().unwrap();
        let found = world.cell_stress();
        for (i, j, value) in [(0, 0, 3.0), (1, 1, 2.0), (0, 1, 0.0), (1, 0, 0.0)] {
            // The tolerance of the solver is 1e-10 of the velocities that the stress would make.
            assert!((found[i][j] - value).abs() < 1e-6, "{found:?}");
        }
        assert!(world.report().energy < 1e-11);
    }
    assert_eq!(world.num_contacts(), 32);
    assert!((world.state().cell.unwrap().volume() - 16.0).abs() < 1e-6);
}

#[test]
fn a_shear_stress_beyond_what_a_lattice_holds_shears_it_in_its_sense() {
    let run = |shear: f64| {
        let stress = unit(&[(0, 0, 1.0), (1, 1, 1.0), (0, 1, shear)]);
        let modes = vec![unit(&ALL[..1]), unit(&ALL[1..]), unit(&[(0, 1, 1.0)])];
        let mut world = lattice_of_discs(
            4,
            DVec2::ZERO,
            coulomb(0.3),
            cell(NONE, stress, modes, 10.0),
        );
        for _ in 0..10 {
            world.step().unwrap();
        }
        world.state().cell.unwrap().strain[0][1]
    };
    // σ_xy compressive positive pushes the rate of strain to negative values.
    let moved = run(0.9);
    assert!(moved < -1e-6, "{moved}");
    assert!(run(-0.9) > 1e-6);
}

#[test]
fn a_body_that_crosses_a_sheared_cell_goes_straight() {
    let rate = unit(&[(0, 1, 0.7)]);
    let mut stage = WorldBuilder::<Plane>::new(coulomb(0.3), DVec2::ZERO);
    let at = DVec2::new(1.0, 2.0);
    // v = c + L x: at rest in the laboratory but for (0, 0.5).
    let v = DVec2::new(0.0, 0.5);
    let c = [v.x - 0.7 * at.y, v.y, 0.0];
    stage.body(plane::Shape::disc(0.5).unwrap(), 1.0, at2(at.x, at.y), c);
    stage.model.cell = Some(cell(rate, NONE, vec![], 0.0));
    stage.state.cell = Some(square(5.0));
    stage.settings.step = 0.01;
    let mut world = stage.world();
    for _ in 0..1000 {
        world.step().unwrap();
    }
    // t = 10: 5 cells up in the shear of 7; the cell has been replaced by shorter ones on the way.
    let state = world.state();
    let lattice = state.cell.unwrap();
    assert!(lattice.vectors[1].x.abs() < 0.76 * 5.0, "{lattice:?}");
    assert!((lattice.strain[0][1] - 7.0).abs() < 1e-10);
    // Straight, though L c and L x are summed step by step: rounding of 1000 sums.
    let place = state.poses[0].position;
    assert!((place - (at + v * 10.0)).length() < 1e-9, "{place}");
    let lab = state.velocities[0][0] + 0.7 * place.y;
    assert!((lab - v.x).abs() < 1e-10, "{lab}");
}

/// A dilute gas of inelastic discs with friction.
fn gas(copies: usize, move_by: DVec2, given: PeriodicCell, threads: usize) -> World<Plane> {
    let mut stage = WorldBuilder::<Plane>::new(with_rebound(0.4, 0.5, 0.0), DVec2::ZERO);
    let side = 12.0;
    for copy in 0..copies * copies {
        let corner = DVec2::new((copy % copies) as f64, (copy / copies) as f64) * side;
        for k in 0..36 {
            let wave = f64::from(k) * 1.7;
            let at = DVec2::new(
                f64::from(k % 6) * 2.0 + 0.2 * wave.sin(),
                f64::from(k / 6) * 2.0,
            );
            let at = at + corner + move_by;
            let disc = plane::Shape::disc(0.6 + 0.2 * wave.cos()).unwrap();
            stage.body(
                disc,
                1.0,
                at2(at.x, at.y),
                [wave.sin(), (1.3 * wave).cos(), 0.3 * wave.sin()],
            );
        }
    }
    stage.model.cell = Some(given);
    stage.state.cell = Some(square(side * copies as f64));
    stage.settings.step = 5e-3;
    stage.settings.threads = threads;
    stage.world()
}

fn momentum(world: &World<Plane>) -> DVec2 {
    let bodies = world.model().bodies.iter().zip(&world.state().velocities);
    bodies.fold(DVec2::ZERO, |sum, (body, v)| {
        sum + DVec2::new(v[0], v[1]) * body.mass.mass
    })
}

#[test]
fn a_gas_in_a_sheared_and_squeezed_cell_keeps_its_balances() {
    let rate = unit(&[(0, 1, 0.2)]);
    let stress = unit(&[(1, 1, 0.3)]);
    let given = cell(rate, stress, vec![unit(&[(1, 1, 1.0)])], 500.0);
    let mut world = gas(1, DVec2::ZERO, given, 1);
    let (mut boundary, mut contacts) = (0.0_f64, 0);
    for _ in 0..600 {
        let flow = world.state().cell.unwrap().rate;
        let before = momentum(&world);
        world.step().unwrap();
        let ledger = *world.report();
        assert!(ledger.reached);
        // Sums of some hundred products.
        assert!(ledger.energy < 1e-11, "{:e}", ledger.energy);
        assert!(ledger.momentum < 1e-12);
        boundary += ledger.boundary.abs();
        contacts += world.num_contacts();
        // Contacts keep Σ m c; crossing the mean flow changes it by −h L Σ m c, of second order exactly.
        let h = ledger.h;
        let apply = |v: DVec2| DVec2::new(flow[0][1] * v.y, flow[1][1] * v.y);
        let expected = before - apply(before - apply(before) * (0.5 * h)) * h;
        assert!((momentum(&world) - expected).length() < 1e-11 * before.length().max(1.0));
    }
    assert!(contacts > 50 && boundary > 0.0, "{contacts} {boundary}");
}

#[test]
fn the_work_of_the_boundary_is_the_stress_on_the_strain() {
    let rate = unit(&[(0, 1, 0.2), (1, 1, -0.1)]);
    let mut world = gas(1, DVec2::ZERO, cell(rate, NONE, vec![], 0.0), 1);
    for _ in 0..600 {
        world.step().unwrap();
        let (h, stress) = (world.report().h, world.cell_stress());
        let power: f64 = (0..2)
            .flat_map(|i| (0..2).map(move |j| (i, j)))
            .map(|(i, j)| stress[i][j] * rate[i][j])
            .sum();
        // −V σ : L over the step, V at its midpoint as in the stress: one L throughout.
        let volume = world.state().cell.unwrap().volume() * (0.1 * 0.5 * h).exp();
        let expected = -volume * power * h;
        let scale = expected.abs().max(1e-12);
        // V at the midpoint is that of the end to second order in h: 1e-6 of it.
        assert!((world.report().boundary - expected).abs() < 1e-5 * scale);
    }
}

/// After some steps: stress, and bodies from their first one.
fn outcome(mut world: World<Plane>, steps: usize) -> (Matrix, State<Plane>) {
    let mut sum = NONE;
    for _ in 0..steps {
        world.step().unwrap();
        let stress = world.cell_stress();
        for i in 0..2 {
            for j in 0..2 {
                sum[i][j] += stress[i][j];
            }
        }
    }
    (sum, world.into_state())
}

fn squeezed(mass: f64) -> PeriodicCell {
    let rate = unit(&[(0, 1, 0.2)]);
    let stress = unit(&[(0, 0, 0.5), (1, 1, 0.5)]);
    cell(rate, stress, vec![unit(&ALL)], mass)
}

#[test]
fn a_cell_and_four_copies_of_it_have_the_same_stress() {
    let (one, small) = outcome(gas(1, DVec2::ZERO, squeezed(800.0), 1), 100);
    let (four, large) = outcome(gas(2, DVec2::ZERO, squeezed(4.0 * 800.0), 1), 100);
    assert!(one[0][0] > 1.0);
    for i in 0..2 {
        for j in 0..2 {
            // The solver stops at 1e-10 in both; 100 steps of collisions amplify differences.
            assert!(
                (one[i][j] - four[i][j]).abs() < 1e-5 * one[0][0],
                "{one:?} {four:?}"
            );
        }
    }
    let volumes = [&small, &large].map(|state| state.cell.unwrap().volume());
    assert!((4.0 * volumes[0] - volumes[1]).abs() < 1e-6);
}

#[test]
fn it_does_not_matter_where_the_corner_of_the_cell_is() {
    let (one, _) = outcome(gas(1, DVec2::ZERO, squeezed(800.0), 1), 100);
    // Velocities are against the mean flow, so that moved bodies are the same motion elsewhere.
    let (two, _) = outcome(gas(1, DVec2::new(3.1, -7.7), squeezed(800.0), 1), 100);
    for i in 0..2 {
        for j in 0..2 {
            assert!(
                (one[i][j] - two[i][j]).abs() < 1e-5 * one[0][0],
                "{one:?} {two:?}"
            );
        }
    }
}

#[test]
fn a_cell_is_the_same_to_the_bit_for_any_number_of_threads() {
    let states: Vec<State<Plane>> = [1, 2, 5]
        .map(|threads| outcome(gas(2, DVec2::ZERO, squeezed(800.0), threads), 100).1)
        .into();
    assert_eq!(states[0], states[1]);
    assert_eq!(states[0], states[2]);
}

#[test]
fn two_spheres_pressed_by_the_cell_carry_the_pressure() {
    // A chain of two touching spheres along x, closed through the face of the cell: the force along
    // it is σ_xx times the section.
    let mut stage = WorldBuilder::<Space>::new(coulomb(0.2), DVec3::ZERO);
    for x in [0.25, 1.25, 2.25] {
        let sphere = space::Shape::sphere(0.5).unwrap();
        stage.body(sphere, 1.0, at3(DVec3::new(x, 0.1, 2.9)), [0.0; 6]);
    }
    let stress = unit(&[(0, 0, 2.0)]);
    stage.model.cell = Some(cell(NONE, stress, vec![unit(&[(0, 0, 1.0)])], 5.0));
    let vectors = [DVec3::X * 3.0, DVec3::Y * 2.5, DVec3::Z * 3.5];
    stage.state.cell = Some(Lattice::new(vectors));
    stage.settings.activation = Activation::Predicted;
    let mut world = stage.world();
    for _ in 0..10 {
        world.step().unwrap();
        assert_eq!(world.num_contacts(), 3);
        for index in 0..3 {
            let force = world.contact(index).impulse[0] / world.report().h;
            // Tolerance of the solver.
            assert!((force - 2.0 * 2.5 * 3.5).abs() < 1e-6, "{force}");
        }
        assert!((world.cell_stress()[0][0] - 2.0).abs() < 1e-7);
    }
}

#[test]
fn cells_that_cannot_be_are_refused_by_name() {
    let refused = |side: f64, fixed: bool, mass: f64, damping: f64| {
        let mut stage = WorldBuilder::<Plane>::new(coulomb(0.2), DVec2::ZERO);
        stage.body(
            plane::Shape::disc(0.5).unwrap(),
            1.0,
            at2(0.0, 0.0),
            [0.0; 3],
        );
        if fixed {
            stage.floor();
        }
        let mut given = cell(NONE, NONE, vec![unit(&ALL)], mass);
        given.damping = damping;
        stage.model.cell = Some(given);
        let vectors = [DVec2::X * side, DVec2::Y * side.abs(), DVec2::ZERO];
        stage.state.cell = Some(Lattice::new(vectors));
        match World::new(stage.model, stage.state, stage.settings) {
            Err(WorldError::Cell { reason, .. }) => reason,
            other => panic!("{other:?}"),
        }
    };
    assert!(refused(1.9, false, 1.0, 0.0).contains("twice the largest body"));
    assert!(refused(5.0, true, 1.0, 0.0).contains("takes all bodies with it"));
    assert!(refused(5.0, false, 0.0, 0.0).contains("inertia"));
    assert!(refused(5.0, false, 1.0, -1.0).contains("damping"));
    assert!(refused(-5.0, false, 1.0, 0.0).contains("right-handed"));
}
