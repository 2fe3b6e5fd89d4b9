//! Observables of bodies in the plane, against closed forms and numbers made by hand.

use crate::watch_common::{BALL, BLOCK, edited, last, observed, series};

/// Relative error of quantities that the contact solver computes to 1e-6.
const SOLVED: f64 = 1e-5;

#[track_caller]
fn close(value: f64, exact: f64, tolerance: f64) {
    assert!(
        (value - exact).abs() <= tolerance,
        "{value} instead of {exact}"
    );
}

#[test]
fn a_resting_block_presses_with_its_weight() {
    let names = [
        "block_force_y",
        "block_force_x",
        "block_torque",
        "floor_force_y",
        "block_contacts",
        "contacts",
        "sliding",
        "contacts_foot",
        "sliding_foot",
        "force_foot",
        "slip_foot",
        "gap_foot",
    ];
    let values = last(BLOCK, names);
    let exact = [
        20.0, 0.0, 0.0, -20.0, 2.0, 2.0, 0.0, 2.0, 0.0, 20.0, 0.0, 0.0,
    ];
    for ((name, value), exact) in names.iter().zip(values).zip(exact) {
        assert!(
            (value - exact).abs() <= 20.0 * SOLVED,
            "{name}: {value} instead of {exact}"
        );
    }
    // Two feet may spread each other apart: friction is not determined, but bounded by mu times 20 N.
    let [friction] = last(BLOCK, ["friction_foot"]);
    assert!(
        (0.0..=10.0 * (1.0 + SOLVED)).contains(&friction),
        "{friction}"
    );
    let outcome = observed(BLOCK, &["force_foot", "contacts", "block_force_y"]);
    for of in ["force_foot", "contacts", "block_force_y"] {
        assert_eq!(
            series(&outcome, of)[0],
            0.0,
            "the start has no contacts: {of}"
        );
    }
}

#[test]
fn friction_is_seen_where_it_sticks_and_where_it_slides() {
    // Pulled with 6 N, less than the 10 N of mu m g: it sticks.
    let pulled = |force: &str| {
        edited(
            BLOCK,
            &[("mass = 2\n", &format!("mass = 2\nforce = [{force}, 0]\n"))],
        )
    };
    let [friction, slip, sliding, x] = last(
        &pulled("6"),
        [
            "friction_foot",
            "slip_foot",
            "sliding_foot",
            "block_force_x",
        ],
    );
    close(friction, 6.0, 20.0 * SOLVED);
    close(slip, 0.0, SOLVED);
    close(sliding, 0.0, 0.0);
    close(x, -6.0, 20.0 * SOLVED);
    // With 14 N it is accelerated by (14 - 10)/2; after 0.1 s it has 0.2 m/s.
    let [friction, slip, sliding, v, contacts] = last(
        &pulled("14"),
        [
            "friction_foot",
            "slip_foot",
            "sliding",
            "block_vx",
            "contacts",
        ],
    );
    close(friction, 10.0, 20.0 * SOLVED);
    close(v, 0.2, SOLVED);
    close(slip, 0.2, SOLVED);
    close(sliding, contacts, 0.0);
}

#[test]
fn a_push_beside_the_centre_is_balanced_by_the_torque_of_the_floor() {
    // 4 N downwards 0.25 m to the right of the centre: the floor gives 24 N and turns back 1 N m.
    let edits = [("mass = 2\n", "mass = 2\nforce = [0, -4]\nat = [0.25, 0]\n")];
    let [force, torque] = last(&edited(BLOCK, &edits), ["block_force_y", "block_torque"]);
    close(force, 24.0, 24.0 * SOLVED);
    close(torque, 1.0, 24.0 * SOLVED);
}

#[test]
fn extents_follow_the_rotation() {
    let edits = [
        (
            "position = [0, 0.25]",
            "position = [3, 5]\nangle = \"pi/2\"\nvelocity = [1, 2]\nspin = 4",
        ),
        ("gravity = [0, \"-g\"]\n", ""),
        ("until = 0.1", "until = 0.01"),
    ];
    let text = edited(BLOCK, &edits);
    let names = [
        "block_top",
        "block_bottom",
        "block_left",
        "block_right",
        "block_angle",
        "block_spin",
        "block_speed",
        "block_kinetic",
        "block_momentum",
        "block_mass",
    ];
    let outcome = observed(&text, &names);
    // Moment of inertia of the box: 2 (1 + 0.25)/12.
    let inertia = 2.0 * 1.25 / 12.0;
    let exact = [
        5.5,
        4.5,
        2.75,
        3.25,
        std::f64::consts::FRAC_PI_2,
        4.0,
        5.0_f64.sqrt(),
        5.0 + 8.0 * inertia,
        4.0 * inertia,
        2.0,
    ];
    for (name, exact) in names.iter().zip(exact) {
        // Sine and cosine of a right angle: rounding.
        close(series(&outcome, name)[0], exact, 1e-14);
    }
    close(series(&outcome, "block_angle")[1], exact[4] + 0.04, 1e-14);
}

#[test]
fn the_energy_of_a_ball_that_lands_is_lost_and_the_balance_closes() {
    let text = edited(
        BALL,
        &[("e = 0.0", "e = 0.6"), ("until = 1.0", "until = 2.0")],
    );
    let outcome = observed(
        &text,
        &["energy", "dissipated", "work", "balance", "boundary_work"],
    );
    let (energy, lost) = (series(&outcome, "energy"), series(&outcome, "dissipated"));
    for k in 0..energy.len() {
        // Rounding of some thousand sums of 30 J.
        close(energy[0] - energy[k], lost[k], 1e-10);
        close(series(&outcome, "work")[k], 0.0, 1e-10);
        assert!(series(&outcome, "balance")[k] < 1e-12);
    }
    // 2 kg from 1 m: 20 J, of which 1 - 0.36 go with the first impact.
    let after = energy.len() * 6 / 20;
    assert!((lost[after] - 12.8).abs() < 0.2, "{}", lost[after]);
}

#[test]
fn given_forces_and_moving_boundaries_do_their_work() {
    // A constant force of 3 N along x, no friction: work = force times way.
    let pushed = edited(
        BLOCK,
        &[
            ("mu = 0.5", "mu = 0"),
            ("mass = 2\n", "mass = 2\nforce = [3, 0]\n"),
        ],
    );
    let [work, x, kinetic] = last(&pushed, ["work", "block_x", "kinetic"]);
    close(work, 3.0 * x, 1e-12);
    close(kinetic, work, 1e-9);
    // A floor that rises by 0.3 m lifts 2 kg: 6 J, to what the block still moves at the end.
    let lift = "motion = { y = \"0.15*(1 - cos(pi*t/0.5))\" }";
    let lifted = edited(
        BLOCK,
        &[("fixed = true", lift), ("until = 0.1", "until = 0.5")],
    );
    let [work, lifted, energy, rise, balance] = last(
        &lifted,
        ["work", "boundary_work", "energy", "block_y", "balance"],
    );
    close(work, 0.0, 1e-9);
    close(rise, 0.25 + 0.3, 2e-4);
    close(lifted, energy - 20.0 * 0.25, 1e-6);
    assert!(balance < 1e-6, "{balance}");
}
