//! Columns of the tables of a run of bodies, with units and meaning.

use percuss_bodies::Dim;

use super::super::column::{Column, ColumnType};
use super::super::tables::{gamma, meaning, step, time};
use super::joint_tables as aside;

/// Tables of every run of bodies in the order of the manifest; the optional ones (`cell`, `midpoints`, `joints`,
/// `observables`, `profiles`, `distributions`) follow them.
pub const BODY_TABLES: [&str; 4] = ["names", "steps", "bodies", "contacts"];

/// Names of the coordinate axes.
pub(super) const AXES: [&str; 3] = ["x", "y", "z"];

/// Names of the rows of a contact, in the order of the laws.
pub(super) fn row_names<D: Dim>() -> &'static [&'static str] {
    match D::N {
        2 => &["n", "t1", "roll1"],
        _ => &["n", "t1", "t2", "roll1", "roll2", "spin"],
    }
}

/// The columns of a table; empty for an unknown name.
pub fn columns<D: Dim>(table: &str) -> Vec<Column> {
    match table {
        "names" => names(),
        "steps" => steps(),
        "bodies" => bodies::<D>(),
        "contacts" => contacts::<D>(),
        "cell" => cell::<D>(),
        "midpoints" => aside::midpoints::<D>(),
        "joints" => aside::joints::<D>(),
        "end_contacts" => aside::end_contacts::<D>(),
        _ => Vec::new(),
    }
}

/// The columns of `observables`; an expression that has the name of an earlier column gets `_` appended.
pub(super) fn observables<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<Column> {
    let mut columns = vec![step(), time()];
    for text in texts {
        let mut name = text.to_string();
        while columns.iter().any(|c| c.name == name) {
            name.push('_');
        }
        let meaning = format!("`{text}` at the end of the step");
        columns.push(Column::new(
            name,
            ColumnType::Real,
            "as the observable",
            meaning,
        ));
    }
    columns
}

pub(super) fn real(name: &str, unit: &str, meaning: &str) -> Column {
    Column::new(name, ColumnType::Real, unit, meaning)
}

pub(super) fn body(name: &str, meaning: &str) -> Column {
    Column::new(name, ColumnType::Integer, "1", meaning)
}

fn names() -> Vec<Column> {
    let text = |name: &str, meaning: &str| Column::new(name, ColumnType::Text, "1", meaning);
    let shape = "disc, sphere, capsule, cylinder, polygon, polyhedron, half_plane, half_space, \
                 chain, mesh or compound";
    let outline = "JSON: vertices, and faces or closed, in body axes; empty where there is none";
    vec![
        body("body", "number of the body, from 0"),
        text("name", "name of the body"),
        text("group", "groups it belongs to, separated by spaces"),
        text("material", "name of its material"),
        text("motion", "what it obeys: free, partly, guided or fixed"),
        real(
            "mass",
            "mass",
            "its mass; absent where forces do not move it",
        )
        .or_null(),
        text("shape", shape),
        real("radius", "length", "radius of a round shape").or_null(),
        real(
            "half_length",
            "length",
            "half the length of a capsule's segment or of a cylinder",
        )
        .or_null(),
        text("outline", outline),
    ]
}

fn steps() -> Vec<Column> {
    let count = |name: &str, meaning: &str| Column::new(name, ColumnType::Integer, "1", meaning);
    let penetration = "largest -gap at the midpoint of the step, where contacts are detected";
    let drift = "largest error of a joint at the end of the step";
    let gain = "energy gained through contacts and joints, relative to the turnover";
    let forced = "energy that the forces would give in the step to bodies at rest";
    let apart = "how far the velocities of another solution of the step are, over the speed at stake; 0 where \
                 none was found";
    let reached = "whether the residual reached its tolerance";
    let energies = |name: &str, meaning: &str| real(name, "energy", meaning);
    let mut columns = vec![
        step(),
        time(),
        real("h", "time", "length of the step"),
        count("active", "contacts that took part"),
        count("pairs", "pairs of bodies whose boxes meet"),
        real("residual", "1", meaning::RESIDUAL),
        count("iterations", "iterations of the solver"),
        Column::new("reached", ColumnType::Truth, "1", reached),
        real("penetration", "length", penetration),
        real("drift", "length", drift),
        real("momentum", "1", meaning::MOMENTUM),
        energies("kinetic", "kinetic energy at the end of the step"),
        energies("potential", "potential energy at the end of the step"),
        energies("work", "work of the given forces over the step"),
        energies("impact", "work of the normal impulses over the step"),
        energies("sliding", "work of the tangential impulses over the step"),
        energies("boundary", "work of moving boundaries on the bodies"),
        energies("motor", "work of motors of joints"),
        energies("spring", "work of springs and dampers of joints"),
        energies("joint_friction", "work of friction in joints"),
        energies(
            "bilateral",
            "work of the bilateral rows of joints, with the projection of their drift",
        ),
        energies(
            "elastic",
            "energy of springs of joints at the end of the step",
        ),
        real("energy", "1", meaning::ENERGY),
        real("gain", "1", gain),
        real("excess", "1", meaning::EXCESS),
        energies("turnover", meaning::TURNOVER),
        energies("forced", forced),
        energies("lasting", meaning::LASTING),
    ];
    columns.extend(sizes());
    columns.extend([
        Column::new("mixed", ColumnType::Truth, "1", meaning::MIXED),
        real("apart", "1", apart),
        // Null where no contact slides.
        gamma().or_null(),
    ]);
    columns
}

/// Penetration and joint drift relative to the size of bodies.
fn sizes() -> [Column; 4] {
    let deep = "largest penetration over the smallest dimension of its bodies, of a pin over its clearance";
    let loose = "largest error of a joint over the smallest dimension of its bodies";
    let sunk = "the same over the smallest dimension of its bodies, of a pin over its clearance";
    [
        real("penetration_share", "1", deep),
        real("drift_share", "1", loose),
        real("resting", "length", meaning::RESTING),
        real("resting_share", "1", sunk),
    ]
}

pub(super) fn bodies<D: Dim>() -> Vec<Column> {
    let mut columns = vec![step(), time(), body("body", "number of the body")];
    let axes = &AXES[..D::N];
    for axis in axes {
        let meaning = "position of the centre of mass (of a boundary: of its origin)";
        columns.push(real(axis, "length", meaning));
    }
    match D::N {
        2 => columns.push(real("angle", "rad", "angle, anticlockwise, not reduced")),
        _ => {
            let meaning = "unit quaternion from body axes to space axes";
            let names = ["qw", "qx", "qy", "qz"];
            columns.extend(names.map(|name| real(name, "1", meaning)));
        }
    }
    for axis in axes {
        let meaning = "velocity of the centre of mass at the end of the step (right limit)";
        columns.push(real(&format!("v{axis}"), "length/time", meaning));
    }
    match D::N {
        2 => columns.push(real("spin", "rad/time", "angular velocity")),
        _ => columns.extend(axes.iter().map(|axis| {
            let meaning = "angular velocity about space axes";
            real(&format!("spin_{axis}"), "rad/time", meaning)
        })),
    }
    columns
}

pub(super) fn contacts<D: Dim>() -> Vec<Column> {
    let feature = "which point of the pair: the same number from step to step";
    let mut columns = vec![
        step(),
        time(),
        body("a", "number of the first body"),
        body("b", "number of the second body, above a"),
        body("feature", feature),
        Column::new("status", ColumnType::Text, "1", "open, stick or slip"),
        real("gap", "length", "gap at the midpoint of the step"),
    ];
    let axes = &AXES[..D::N];
    for axis in axes {
        let meaning = "middle of the two points, at the midpoint of the step";
        columns.push(real(axis, "length", meaning));
    }
    for axis in axes {
        let meaning = "unit normal, from a to b";
        columns.push(real(&format!("normal_{axis}"), "1", meaning));
    }
    if D::N == 3 {
        for axis in axes {
            let meaning = "direction of row t1; that of t2 is normal x tangent";
            columns.push(real(&format!("tangent_{axis}"), "1", meaning));
        }
    }
    let kinds = [
        ("begin", "velocity of b relative to a before the step"),
        ("end", "velocity of b relative to a after the step"),
        ("impulse", "impulse on b over the step"),
    ];
    for (prefix, meaning) in kinds {
        for row in row_names::<D>() {
            let moment = row.starts_with("roll") || *row == "spin";
            let unit = match (prefix, moment) {
                ("impulse", false) => "force*time",
                ("impulse", true) => "force*length*time",
                (_, false) => "length/time",
                (_, true) => "rad/time",
            };
            let column = real(&format!("{prefix}_{row}"), unit, meaning);
            columns.push(if *row == "n" {
                column
            } else {
                column.or_null()
            });
        }
    }
    columns
}

/// Lattice shift of the periodic image of b.
pub fn shifts<D: Dim>() -> Vec<Column> {
    let meaning = "where the image of b that touches is, from b, at the midpoint of the step";
    let axes = AXES[..D::N].iter();
    axes.map(|axis| real(&format!("shift_{axis}"), "length", meaning))
        .collect()
}

/// Lattice vectors and strain rates of the periodic cell.
fn cell<D: Dim>() -> Vec<Column> {
    let mut columns = vec![step(), time()];
    for vector in &["a", "b", "c"][..D::N] {
        for axis in &AXES[..D::N] {
            let meaning = format!("vector {vector} of the periodic cell, along {axis}");
            columns.push(real(&format!("{vector}_{axis}"), "length", &meaning));
        }
    }
    for (prefix, when) in [("rate", "after"), ("begin", "before")] {
        for i in &AXES[..D::N] {
            for j in &AXES[..D::N] {
                let meaning = format!("L_{i}{j}, rate of deformation {when} the step");
                columns.push(real(&format!("{prefix}_{i}{j}"), "1/time", &meaning));
            }
        }
    }
    columns
}
