//! Records of runs of bodies are read back as the run was, whole or not at all.

use percuss_bodies::{Plane, World};
use percuss_record::{
    BodyMotion, ColumnValues, Record, RecordedShape, Table, WorldRef, read_body_descriptions,
};

use crate::record_common::{PLANE, SPACE, follow, parsed, record, recorder};

/// A column as numbers, where a missing one is NaN.
fn column(table: &Table, name: &str) -> Vec<f64> {
    assert!(table.column(name).is_some(), "no column {name}");
    table.numbers(name)
}

fn texts(table: &Table, name: &str) -> Vec<String> {
    match table.column(name) {
        Some(ColumnValues::Text(all)) => all.iter().map(ToString::to_string).collect(),
        other => panic!("{name}: {other:?}"),
    }
}

/// Compares bit by bit, NaN with NaN.
fn same(table: &Table, name: &str, expected: &[f64]) {
    let found = column(table, name);
    let bits = |all: &[f64]| -> Vec<Option<u64>> {
        let one = |x: &f64| (!x.is_nan()).then_some(x.to_bits());
        all.iter().map(one).collect()
    };
    assert_eq!(bits(&found), bits(expected), "{name}");
}

/// What a run in the plane was, seen at its steps and not in its records.
#[derive(Default)]
struct Seen {
    /// step, t, body, x, y, angle, vx, vy, spin.
    bodies: [Vec<f64>; 9],
    /// step, a, b, feature, gap, x, y, normal_x, normal_y.
    contacts: [Vec<f64>; 9],
    /// begin, end, impulse of n, t1, roll1.
    rows: [[Vec<f64>; 3]; 3],
    /// step, t, h, kinetic, work, energy.
    steps: [Vec<f64>; 6],
}

impl Seen {
    fn look(&mut self, step: usize, world: &World<Plane>, wanted: bool) {
        let (s, t) = (step as f64, world.state().t);
        if step > 0 {
            let l = world.report();
            let row = [s, l.t, l.h, l.kinetic, l.work, l.energy];
            self.steps.iter_mut().zip(row).for_each(|(c, x)| c.push(x));
        }
        if !wanted {
            return;
        }
        for (k, pose) in world.state().poses.iter().enumerate() {
            let v = world.state().velocities[k];
            let (p, angle) = (pose.position, pose.rotation.angle());
            let row = [s, t, k as f64, p.x, p.y, angle, v[0], v[1], v[2]];
            self.bodies.iter_mut().zip(row).for_each(|(c, x)| c.push(x));
        }
        for k in 0..if step > 0 { world.num_contacts() } else { 0 } {
            let c = world.contact(k);
            let [a, b] = c.bodies.map(f64::from);
            let (pa, pb, n) = (c.point.point_a, c.point.point_b, c.point.normal);
            let feature = f64::from(c.point.feature);
            let (x, y) = (0.5 * (pa.x + pb.x), 0.5 * (pa.y + pb.y));
            let row = [s, a, b, feature, c.point.gap, x, y, n.x, n.y];
            self.contacts
                .iter_mut()
                .zip(row)
                .for_each(|(c, x)| c.push(x));
            for (group, rows) in self.rows.iter_mut().zip([c.begin, c.end, c.impulse]) {
                for (k, column) in group.iter_mut().enumerate() {
                    column.push(rows.get(k).copied().unwrap_or(f64::NAN));
                }
            }
        }
    }
}

#[test]
fn a_run_in_the_plane_is_read_back_bit_by_bit() {
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("run");
    let scene = parsed(PLANE);
    let mut writer = recorder(&scene, &path);
    let mut seen = Seen::default();
    let outcome = follow(
        &scene,
        &mut writer,
        &["coin_x", "t", "1/(t-t)"],
        &mut |step, view| {
            let WorldRef::Plane(world) = view else {
                panic!("not in the plane");
            };
            // Every fourth step and the last of ten.
            seen.look(step, world, step % 4 == 0 || step == 10);
        },
    );
    writer
        .add_series(&outcome.times, &outcome.series)
        .expect("written");
    writer.close(&outcome.certificate, None).expect("written");
    let record = Record::open(&path).expect("a run");
    check_states(&record, &seen);
    check_contacts(&record, &seen);
    let observed = record.table("observables", None).expect("there");
    let names: Vec<&str> = observed.columns.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["step", "t", "coin_x", "t_", "1/(t-t)"]);
    same(&observed, "coin_x", &outcome.series[0].1);
    same(&observed, "t_", &outcome.times);
    assert_eq!(observed.rows, 11);
}

fn check_states(record: &Record, seen: &Seen) {
    let steps = record.table("steps", None).expect("there");
    for (name, values) in ["step", "t", "h", "kinetic", "work", "energy"]
        .iter()
        .zip(&seen.steps)
    {
        same(&steps, name, values);
    }
    assert_eq!(steps.rows, 10);
    let bodies = record.table("bodies", None).expect("there");
    let columns = ["step", "t", "body", "x", "y", "angle", "vx", "vy", "spin"];
    assert_eq!(bodies.columns.len(), columns.len());
    for (name, values) in columns.iter().zip(&seen.bodies) {
        same(&bodies, name, values);
    }
    // States 0, 4, 8 and 10 of five bodies.
    assert_eq!(bodies.rows, 20);
}

fn check_contacts(record: &Record, seen: &Seen) {
    let contacts = record.table("contacts", None).expect("there");
    assert!(contacts.rows >= 9, "{}", contacts.rows);
    let columns = [
        "step", "a", "b", "feature", "gap", "x", "y", "normal_x", "normal_y",
    ];
    for (name, values) in columns.iter().zip(&seen.contacts) {
        same(&contacts, name, values);
    }
    for (prefix, group) in ["begin", "end", "impulse"].iter().zip(&seen.rows) {
        for (row, values) in ["n", "t1", "roll1"].iter().zip(group) {
            same(&contacts, &format!("{prefix}_{row}"), values);
        }
    }
    // The coin rolls with a moment, the box has none.
    let moments = column(&contacts, "impulse_roll1");
    assert!(moments.iter().any(|m| m.is_nan()) && moments.iter().any(|m| m.is_finite()));
    let status = texts(&contacts, "status");
    assert!(
        status
            .iter()
            .all(|s| ["open", "stick", "slip"].contains(&s.as_str()))
    );
}

/// The rotation of a unit quaternion as a matrix, by its formula.
fn matrix([w, x, y, z]: [f64; 4]) -> [[f64; 3]; 3] {
    [
        [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - w * z),
            2.0 * (x * z + w * y),
        ],
        [
            2.0 * (x * y + w * z),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - w * x),
        ],
        [
            2.0 * (x * z - w * y),
            2.0 * (y * z + w * x),
            1.0 - 2.0 * (x * x + y * y),
        ],
    ]
}

#[test]
fn a_run_in_space_has_quaternions_and_spins_about_space_axes() {
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("run");
    let scene = parsed(SPACE);
    let mut writer = recorder(&scene, &path);
    let mut expected: Vec<[f64; 13]> = Vec::new();
    let outcome = follow(&scene, &mut writer, &[], &mut |step, view| {
        let WorldRef::Space(world) = view else {
            panic!("not in space");
        };
        if step == 10 {
            for (pose, v) in world.state().poses.iter().zip(&world.state().velocities) {
                let (p, q) = (pose.position, pose.rotation);
                let m = matrix([q.w, q.x, q.y, q.z]);
                let spin: Vec<f64> = m
                    .iter()
                    .map(|r| r[0] * v[3] + r[1] * v[4] + r[2] * v[5])
                    .collect();
                expected.push([
                    p.x, p.y, p.z, q.w, q.x, q.y, q.z, v[0], v[1], v[2], spin[0], spin[1], spin[2],
                ]);
            }
        }
    });
    writer.close(&outcome.certificate, None).expect("written");
    let record = Record::open(&path).expect("a run");
    let columns = [
        "x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "spin_x", "spin_y", "spin_z",
    ];
    let last = record.step_rows("bodies", &columns, 10).expect("there");
    assert_eq!(last.rows, 6);
    for (k, name) in columns.iter().enumerate() {
        for (body, value) in column(&last, name).iter().enumerate() {
            // The spin is rotated by another formula here: rounding of values up to 3.
            assert!(
                (value - expected[body][k]).abs() < 1e-14,
                "{name} of {body}"
            );
        }
    }
    // Frames of contacts are orthonormal, and the impulse of the ball on the floor points down.
    let contacts = record.table("contacts", None).expect("there");
    assert!(contacts.rows > 0);
    let three = |name: &str| ["x", "y", "z"].map(|k| column(&contacts, &format!("{name}_{k}")));
    let (n, t) = (three("normal"), three("tangent"));
    for row in 0..contacts.rows {
        let dot = |a: &[Vec<f64>; 3], b: &[Vec<f64>; 3]| -> f64 {
            (0..3).map(|k| a[k][row] * b[k][row]).sum()
        };
        assert!((dot(&n, &n) - 1.0).abs() < 1e-14 && (dot(&t, &t) - 1.0).abs() < 1e-14);
        assert!(dot(&n, &t).abs() < 1e-14);
    }
    assert!(contacts.column("impulse_t2").is_some() && contacts.column("impulse_spin").is_some());
}

#[test]
fn names_say_what_every_body_of_the_plane_is() {
    let here = tempfile::tempdir().expect("a folder");
    let run = record(PLANE, &here.path().join("plane"), &[]);
    let table = run.table("names", None).expect("there");
    assert_eq!(
        texts(&table, "name"),
        ["floor", "ramp", "box", "pill", "coin"]
    );
    assert_eq!(
        texts(&table, "group"),
        ["", "", "all", "light all", "light all"]
    );
    assert_eq!(
        texts(&table, "material"),
        ["stone", "stone", "stone", "wood", "wood"]
    );
    assert_eq!(
        texts(&table, "motion"),
        ["fixed", "fixed", "free", "free", "free"]
    );
    let mass = column(&table, "mass");
    assert!(mass[0].is_nan() && (mass[2] - 2000.0 * 0.08).abs() < 1e-9);
    let all = read_body_descriptions(&run).expect("readable");
    assert_eq!(*all[0].shape, RecordedShape::HalfPlane);
    let chain = RecordedShape::Chain {
        vertices: vec![[3.0, 0.0], [2.0, 0.2], [1.5, 1.0]],
        closed: false,
    };
    assert_eq!(*all[1].shape, chain);
    let RecordedShape::Polygon(corners) = &*all[2].shape else {
        panic!("{:?}", all[2]);
    };
    assert_eq!(corners.len(), 4);
    assert!(
        corners
            .iter()
            .all(|c| c[0].abs() == 0.2 && c[1].abs() == 0.1)
    );
    let pill = RecordedShape::Capsule {
        half_length: 0.15,
        radius: 0.1,
        along: [1.0, 0.0, 0.0],
    };
    assert_eq!((&*all[3].shape, all[3].motion), (&pill, BodyMotion::Free));
    assert_eq!(*all[4].shape, RecordedShape::Round { radius: 0.25 });
}

#[test]
fn names_say_what_every_body_of_space_is() {
    let here = tempfile::tempdir().expect("a folder");
    let run = record(SPACE, &here.path().join("space"), &[]);
    let all = read_body_descriptions(&run).expect("readable");
    assert_eq!(*all[0].shape, RecordedShape::HalfSpace);
    let RecordedShape::Polyhedron(brick) = &*all[2].shape else {
        panic!("{:?}", all[2]);
    };
    // Euler's formula, and faces that name every vertex three times.
    assert_eq!((brick.vertices.len(), brick.faces.len()), (8, 6));
    let mut uses = [0; 8];
    brick
        .faces
        .iter()
        .flatten()
        .for_each(|k| uses[*k as usize] += 1);
    assert_eq!(uses, [3; 8]);
    assert!(
        matches!(&*all[3].shape, RecordedShape::Cylinder { radius, half_length } if (*radius, *half_length) == (0.1, 0.2))
    );
    assert!(
        matches!(&*all[4].shape, RecordedShape::Capsule { along, .. } if *along == [0.0, 0.0, 1.0])
    );
    assert!(matches!(&*all[5].shape, RecordedShape::Polyhedron(rock) if rock.vertices.len() == 5));
}
