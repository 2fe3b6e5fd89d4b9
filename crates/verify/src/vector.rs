//! Three-vectors, 3×3 matrices and unit quaternions; no code is shared with the engine.
//!
//! A rotation is the unit quaternion (w, x, y, z) from body axes to space axes. An angular velocity Ω in body axes
//! that is constant for a time h updates it by the Cayley map, R ← R cay(hΩ), the unit quaternion along (1, ½hΩ).

/// A vector of space; the plane is z = 0.
pub(super) type V3 = [f64; 3];

/// A quaternion w, x, y, z.
pub(super) type Q4 = [f64; 4];

/// A 3×3 matrix, row by row.
pub(super) type M3 = [[f64; 3]; 3];

/// The identity rotation.
pub(super) const IDENTITY: Q4 = [1.0, 0.0, 0.0, 0.0];

pub(super) fn add(a: V3, b: V3) -> V3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn sub(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn scale(a: V3, s: f64) -> V3 {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// a + s b.
pub(super) fn add_scaled(a: V3, b: V3, s: f64) -> V3 {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

pub(super) fn dot(a: V3, b: V3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: V3, b: V3) -> V3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

pub(super) fn norm(a: V3) -> f64 {
    dot(a, a).sqrt()
}

/// a/|a|; 0 for the zero vector.
pub(super) fn unit(a: V3) -> V3 {
    let length = norm(a);
    if length > 0.0 {
        scale(a, 1.0 / length)
    } else {
        [0.0; 3]
    }
}

/// Hamilton product of two quaternions.
pub(super) fn product(a: Q4, b: Q4) -> Q4 {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

pub(super) fn conjugate(q: Q4) -> Q4 {
    [q[0], -q[1], -q[2], -q[3]]
}

pub(super) fn unit_quaternion(q: Q4) -> Q4 {
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 {
        q.map(|x| x / length)
    } else {
        q
    }
}

/// Components in space axes of a vector given in body axes.
pub(super) fn rotate(q: Q4, v: V3) -> V3 {
    let r = [q[1], q[2], q[3]];
    let once = add(cross(r, v), scale(v, q[0]));
    add_scaled(v, cross(r, once), 2.0)
}

/// Components in body axes of a vector given in space axes.
pub(super) fn rotate_back(q: Q4, v: V3) -> V3 {
    rotate(conjugate(q), v)
}

/// R cay(a), the Cayley update of a rotation.
pub(super) fn cayley(q: Q4, a: V3) -> Q4 {
    unit_quaternion(product(q, [1.0, 0.5 * a[0], 0.5 * a[1], 0.5 * a[2]]))
}

/// The rotation about z by an angle.
pub(super) fn about_z(angle: f64) -> Q4 {
    let (sin, cos) = (0.5 * angle).sin_cos();
    [cos, 0.0, 0.0, sin]
}

/// Matrix times vector.
pub(super) fn apply(m: &M3, v: V3) -> V3 {
    [dot(m[0], v), dot(m[1], v), dot(m[2], v)]
}

/// A + s B.
pub(super) fn add_scaled_matrix(a: &M3, b: &M3, s: f64) -> M3 {
    std::array::from_fn(|i| add_scaled(a[i], b[i], s))
}

pub(super) fn identity() -> M3 {
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
}

/// Double contraction A : B.
pub(super) fn contract(a: &M3, b: &M3) -> f64 {
    (0..3).map(|i| dot(a[i], b[i])).sum()
}

/// Solves M x = v by Cramer's rule; not finite where M is singular.
pub(super) fn solve(m: &M3, v: V3) -> V3 {
    let columns: M3 = std::array::from_fn(|j| [m[0][j], m[1][j], m[2][j]]);
    let all = dot(columns[0], cross(columns[1], columns[2]));
    [
        dot(v, cross(columns[1], columns[2])) / all,
        dot(columns[0], cross(v, columns[2])) / all,
        dot(columns[0], cross(columns[1], v)) / all,
    ]
}
