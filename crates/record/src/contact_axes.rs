//! Point, axes and impulse of a contact in the table `contacts` of a run of bodies.

use super::reader::Table;

/// The columns that [`ContactAxes::read`] reads, in this order.
pub fn contact_axes_columns(flat: bool) -> &'static [&'static str] {
    match flat {
        true => &["x", "y", "normal_x", "normal_y", "impulse_n", "impulse_t1"],
        false => &[
            "x",
            "y",
            "z",
            "normal_x",
            "normal_y",
            "normal_z",
            "tangent_x",
            "tangent_y",
            "tangent_z",
            "impulse_n",
            "impulse_t1",
            "impulse_t2",
        ],
    }
}

/// Where a contact is, its axes, and the impulse on the second body along them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactAxes {
    /// The contact point; in the plane z = 0.
    pub point: [f64; 3],
    /// Unit normal, from the first body to the second.
    pub normal: [f64; 3],
    /// Directions of the rows `t1` and `t2`.
    pub tangents: [[f64; 3]; 2],
    /// Normal impulse.
    pub impulse_n: f64,
    /// Impulses along the tangents; NaN without friction.
    pub impulse_t: [f64; 2],
}

impl ContactAxes {
    /// Reads a row of a table whose columns from `first` on are [`contact_axes_columns`].
    pub fn read(table: &Table, row: usize, first: usize, flat: bool) -> Self {
        let at = |k: usize| {
            table
                .values
                .get(first + k)
                .map_or(f64::NAN, |v| v.number(row))
        };
        let three = |k: usize| [at(k), at(k + 1), at(k + 2)];
        let (point, n, t1, impulse_n, impulse_t) = match flat {
            true => {
                let n = [at(2), at(3), 0.0];
                // In the plane there is one tangential row, along the normal turned by +90°.
                let second = if at(5).is_nan() { f64::NAN } else { 0.0 };
                (
                    [at(0), at(1), 0.0],
                    n,
                    [-n[1], n[0], 0.0],
                    at(4),
                    [at(5), second],
                )
            }
            false => (three(0), three(3), three(6), at(9), [at(10), at(11)]),
        };
        // t2 = n × t1.
        let t2 = [
            n[1] * t1[2] - n[2] * t1[1],
            n[2] * t1[0] - n[0] * t1[2],
            n[0] * t1[1] - n[1] * t1[0],
        ];
        Self {
            point,
            normal: n,
            tangents: [t1, t2],
            impulse_n,
            impulse_t,
        }
    }

    /// The tangential impulses, 0 without friction.
    pub fn tangential(&self) -> [f64; 2] {
        self.impulse_t.map(|s| if s.is_nan() { 0.0 } else { s })
    }

    /// The impulse on the second body in space axes.
    pub fn impulse(&self) -> [f64; 3] {
        let (n, [t1, t2], [s1, s2]) = (self.normal, self.tangents, self.tangential());
        std::array::from_fn(|k| self.impulse_n * n[k] + s1 * t1[k] + s2 * t2[k])
    }
}
