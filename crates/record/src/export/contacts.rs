//! The contacts of a state as VTK points with arrays, and lines between the bodies in contact.

use std::collections::HashMap;

use super::body_surfaces::BodySurfaces;
use super::step_reader::StepRows;
use super::vtp::{DataArray, PolyData};
use crate::contact_axes::{ContactAxes, contact_axes_columns};
use crate::frame::BodyState;

/// Columns of `contacts` that are read.
pub fn columns(flat: bool) -> Vec<&'static str> {
    let both: &[&str] = &["step", "t", "a", "b", "feature", "status", "gap"];
    [both, contact_axes_columns(flat)].concat()
}

/// One contact.
struct Contact {
    bodies: [usize; 2],
    at: [f64; 3],
    normal: [f64; 3],
    /// Impulse on the second body in space axes, its normal component, and the norm of the tangential one.
    impulse: [f64; 3],
    along: f64,
    across: f64,
}

fn contact(slab: &StepRows, row: usize, flat: bool) -> Contact {
    let axes = ContactAxes::read(&slab.table, row, 7, flat);
    let [t1, t2] = axes.tangential();
    let body = |k: usize| usize::try_from(slab.integer(row, k)).unwrap_or(0);
    Contact {
        bodies: [body(2), body(3)],
        at: axes.point,
        normal: axes.normal,
        impulse: axes.impulse(),
        along: axes.impulse_n,
        across: t1.hypot(t2),
    }
}

fn read_contacts(slab: Option<&StepRows>, flat: bool) -> Vec<Contact> {
    let rows = slab.map_or(0, |slab| slab.table.rows);
    let one = |row: usize| slab.map(|slab| contact(slab, row, flat));
    (0..rows).filter_map(one).collect()
}

/// A vertex for every contact.
pub fn points(slab: Option<&StepRows>, flat: bool) -> PolyData {
    let contacts = read_contacts(slab, flat);
    let mut poly = PolyData {
        points: contacts.iter().map(|c| c.at).collect(),
        ..PolyData::default()
    };
    for k in 0..contacts.len() {
        poly.verts.push(k, [0]);
    }
    let rows = 0..contacts.len();
    let gap = |row: usize| slab.map_or(f64::NAN, |slab| slab.number(row, 6));
    let feature = |row: usize| slab.map_or(0, |slab| slab.integer(row, 4));
    // Status as a number: 0 open, 1 stick, 2 slip.
    let status = |row: usize| match slab.map_or("", |slab| slab.text(row, 5)) {
        "stick" => 1,
        "slip" => 2,
        _ => 0,
    };
    let normals: Vec<[f64; 3]> = contacts.iter().map(|c| c.normal).collect();
    let impulses: Vec<[f64; 3]> = contacts.iter().map(|c| c.impulse).collect();
    let body = |side: usize| contacts.iter().map(|c| c.bodies[side] as i64).collect();
    poly.point_data = vec![
        DataArray::integers("a", body(0)),
        DataArray::integers("b", body(1)),
        DataArray::integers("feature", rows.clone().map(feature).collect()),
        DataArray::integers("status", rows.clone().map(status).collect()),
        DataArray::reals("gap", rows.map(gap).collect()),
        DataArray::vectors("normal", &normals),
        DataArray::vectors("impulse", &impulses),
        DataArray::reals("impulse_n", contacts.iter().map(|c| c.along).collect()),
        DataArray::reals("impulse_t", contacts.iter().map(|c| c.across).collect()),
    ];
    poly
}

/// A line for every contact that carries an impulse: from centre to centre, or to the contact point where a body has
/// no centre (boundaries) or was not recorded. In a periodic cell to the nearest images.
pub fn contact_lines(
    slab: Option<&StepRows>,
    company: &BodySurfaces,
    state: &[(usize, BodyState)],
    cell: Option<&[[f64; 3]; 3]>,
) -> PolyData {
    let centres: HashMap<usize, [f64; 3]> = state.iter().map(|(k, p)| (*k, p.position)).collect();
    let contacts = read_contacts(slab, company.flat);
    let mut poly = PolyData::default();
    let (mut along, mut across, mut a, mut b) = (vec![], vec![], vec![], vec![]);
    for contact in contacts
        .iter()
        .filter(|c| c.along != 0.0 || c.across != 0.0)
    {
        let first = poly.points.len();
        for body in contact.bodies {
            let bounded = company.bodies.get(body).and_then(|b| b.shape.radius());
            let centre = bounded.and_then(|_| centres.get(&body)).copied();
            // End of the line: centre, nearest image of the centre, or contact point.
            let end = match (centre, cell) {
                (None, _) => contact.at,
                (Some(centre), None) => centre,
                (Some(centre), Some(cell)) => nearest(centre, contact.at, cell),
            };
            poly.points.push(end);
        }
        poly.lines.push(first, [0, 1]);
        along.push(contact.along);
        across.push(contact.across);
        a.push(contact.bodies[0] as i64);
        b.push(contact.bodies[1] as i64);
    }
    poly.cell_data = vec![
        DataArray::integers("a", a),
        DataArray::integers("b", b),
        DataArray::reals("impulse_n", along),
        DataArray::reals("impulse_t", across),
    ];
    poly
}

/// The periodic image of a point that is nearest to another, by rounding the lattice coordinates of their difference.
fn nearest(point: [f64; 3], to: [f64; 3], cell: &[[f64; 3]; 3]) -> [f64; 3] {
    let [u, v, w] = *cell;
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    };
    let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| a[k] * b[k]).sum::<f64>();
    // Reciprocal lattice vectors, times the volume.
    let rows = [cross(v, w), cross(w, u), cross(u, v)];
    let volume = dot(u, rows[0]);
    let away: [f64; 3] = std::array::from_fn(|k| to[k] - point[k]);
    let shift = rows.map(|row| (dot(row, away) / volume).round());
    match shift.iter().all(|s| s.is_finite()) {
        true => {
            std::array::from_fn(|k| point[k] + (0..3).map(|j| shift[j] * cell[j][k]).sum::<f64>())
        }
        false => point,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_the_nearest_ones_in_a_skewed_cell() {
        let cell = [[4.0, 0.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 1.0]];
        let point = [0.1, 0.2, 0.0];
        let target = [0.1 + 2.0 * 4.0 - 1.0 + 0.3, 0.2 - 3.0 - 0.2, 0.0];
        let found = nearest(point, target, &cell);
        // Rounding of sums of a few numbers of order 10.
        let away = (found[0] - target[0] + 0.3).abs() + (found[1] - target[1] - 0.2).abs();
        assert!(away < 1e-14, "{found:?}");
    }
}
