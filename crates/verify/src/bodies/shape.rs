//! Surfaces and support functions of shapes, as the table `names` describes them; overlap of convex parts by GJK.
//!
//! Distance of a point from the surface: closed forms for round shapes, otherwise the minimum over edges or
//! triangles. Support function σ(n) = max n·x of convex shapes, with the point that attains it.

use percuss_record::{Faces, RecordedShape};

use super::super::vector::{
    IDENTITY, Q4, V3, add, add_scaled, cross, dot, norm, rotate, rotate_back, scale, sub, unit,
};

/// Distance of a point, in body axes, from the surface.
pub(super) fn distance(outline: &RecordedShape, p: V3) -> f64 {
    match outline {
        RecordedShape::Round { radius } => (norm(p) - radius).abs(),
        RecordedShape::Capsule {
            half_length,
            radius,
            along,
        } => (norm(sub(p, on_axis(p, *along, *half_length))) - radius).abs(),
        RecordedShape::Cylinder {
            half_length,
            radius,
        } => {
            // Radial and axial distance: inside the larger one, outside both.
            let (out, up) = (p[0].hypot(p[1]) - radius, p[2].abs() - half_length);
            match out <= 0.0 && up <= 0.0 {
                true => out.max(up).abs(),
                false => out.max(0.0).hypot(up.max(0.0)),
            }
        }
        RecordedShape::HalfPlane => p[1].abs(),
        RecordedShape::HalfSpace => p[2].abs(),
        RecordedShape::Polygon(vertices) => edges(vertices, true, p),
        RecordedShape::Chain { vertices, closed } => edges(vertices, *closed, p),
        RecordedShape::Polyhedron(faces) | RecordedShape::Mesh(faces) => of_faces(faces, p),
        RecordedShape::Compound(members) => members.iter().fold(f64::INFINITY, |least, member| {
            let local = rotate_back(member.rotation, sub(p, member.position));
            least.min(distance(&member.shape, local))
        }),
    }
}

/// The nearest point of a segment centred at the origin.
fn on_axis(p: V3, axis: V3, half: f64) -> V3 {
    scale(axis, dot(p, axis).clamp(-half, half))
}

fn edges(vertices: &[[f64; 2]], closed: bool, p: V3) -> f64 {
    let count = vertices.len();
    let last = if closed {
        count
    } else {
        count.saturating_sub(1)
    };
    (0..last).fold(f64::INFINITY, |least, k| {
        let at = |k: usize| [vertices[k % count][0], vertices[k % count][1], 0.0];
        least.min(norm(sub(p, on_segment(at(k), at(k + 1), p))))
    })
}

pub(super) fn on_segment(a: V3, b: V3, p: V3) -> V3 {
    let e = sub(b, a);
    let square = dot(e, e);
    let share = if square > 0.0 {
        (dot(sub(p, a), e) / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    add_scaled(a, e, share)
}

fn of_faces(faces: &Faces, p: V3) -> f64 {
    let mut least = f64::INFINITY;
    for face in &faces.faces {
        let at = |k: usize| faces.vertices[face[k] as usize];
        // Fan of triangles; the distance so far prunes distant planes.
        for k in 1..face.len().saturating_sub(1) {
            least = least.min(of_triangle([at(0), at(k), at(k + 1)], p, least));
        }
    }
    least
}

/// Distance from a triangle; infinite where its plane alone is farther than `known`.
pub(super) fn of_triangle([a, b, c]: [V3; 3], p: V3, known: f64) -> f64 {
    let n = unit(cross(sub(b, a), sub(c, a)));
    let height = dot(sub(p, a), n);
    if height.abs() > known {
        return f64::INFINITY;
    }
    // Foot of the perpendicular inside: distance from the plane, otherwise from an edge.
    let foot = add_scaled(p, n, -height);
    let inside = [(a, b), (b, c), (c, a)]
        .iter()
        .all(|(v, w)| dot(cross(sub(*w, *v), sub(foot, *v)), n) >= 0.0);
    if inside && norm(n) > 0.0 {
        return height.abs();
    }
    [(a, b), (b, c), (c, a)]
        .iter()
        .map(|(v, w)| norm(sub(p, on_segment(*v, *w, p))))
        .fold(f64::INFINITY, f64::min)
}

/// A convex part: the Minkowski sum of a core and a ball.
#[derive(Debug, Clone)]
pub(super) struct ConvexPart<'a> {
    core: Core<'a>,
    pub radius: f64,
    /// Its position in body axes.
    pub x: V3,
    pub q: Q4,
}

#[derive(Debug, Clone, Copy)]
enum Core<'a> {
    Point,
    Segment(V3),
    Flat(&'a [[f64; 2]]),
    Solid(&'a [V3]),
    Cylinder { half_length: f64, radius: f64 },
}

fn part(core: Core<'_>, radius: f64) -> Option<Vec<ConvexPart<'_>>> {
    Some(vec![ConvexPart {
        core,
        radius,
        x: [0.0; 3],
        q: IDENTITY,
    }])
}

/// The convex parts of a shape; `None` for boundaries and nonconvex shapes.
pub(super) fn convex(outline: &RecordedShape) -> Option<Vec<ConvexPart<'_>>> {
    match outline {
        RecordedShape::Round { radius } => part(Core::Point, *radius),
        RecordedShape::Capsule {
            half_length,
            radius,
            along,
        } => part(Core::Segment(scale(*along, *half_length)), *radius),
        RecordedShape::Cylinder {
            half_length,
            radius,
        } => part(
            Core::Cylinder {
                half_length: *half_length,
                radius: *radius,
            },
            0.0,
        ),
        RecordedShape::Polygon(vertices) => match turns_left(vertices) {
            true => part(Core::Flat(vertices), 0.0),
            false => None,
        },
        RecordedShape::Polyhedron(faces) => part(Core::Solid(&faces.vertices), 0.0),
        RecordedShape::Compound(members) => {
            // Parts at their poses in the compound.
            let mut all = Vec::new();
            for member in members {
                for mut inner in convex(&member.shape)? {
                    inner.x = member.position;
                    inner.q = member.rotation;
                    all.push(inner);
                }
            }
            Some(all)
        }
        RecordedShape::HalfPlane
        | RecordedShape::HalfSpace
        | RecordedShape::Chain { .. }
        | RecordedShape::Mesh(_) => None,
    }
}

fn turns_left(vertices: &[[f64; 2]]) -> bool {
    let count = vertices.len();
    (0..count).all(|k| {
        let [a, b, c] = [k, k + 1, k + 2].map(|i| vertices[i % count]);
        (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) >= 0.0
    })
}

impl ConvexPart<'_> {
    /// Support point of the core along n, in body axes.
    fn support_point(&self, n: V3) -> V3 {
        let own = rotate_back(self.q, n);
        let point = match self.core {
            Core::Point => [0.0; 3],
            Core::Segment(half) => scale(half, if dot(half, own) < 0.0 { -1.0 } else { 1.0 }),
            Core::Flat(vertices) => {
                let all = vertices.iter().map(|v| [v[0], v[1], 0.0]);
                farthest(all, own)
            }
            Core::Solid(vertices) => farthest(vertices.iter().copied(), own),
            Core::Cylinder {
                half_length,
                radius,
            } => {
                // Rim point of the upper or lower disc.
                let across = own[0].hypot(own[1]);
                let share = if across > 0.0 { radius / across } else { 0.0 };
                let up = if own[2] < 0.0 {
                    -half_length
                } else {
                    half_length
                };
                [own[0] * share, own[1] * share, up]
            }
        };
        add(self.x, rotate(self.q, point))
    }

    /// Support function σ(n) for a unit vector in body axes.
    pub fn support(&self, n: V3) -> f64 {
        dot(self.support_point(n), n) + self.radius
    }
}

fn farthest(points: impl Iterator<Item = V3>, n: V3) -> V3 {
    let mut best = ([0.0; 3], f64::NEG_INFINITY);
    for point in points {
        let reach = dot(point, n);
        if reach > best.1 {
            best = (point, reach);
        }
    }
    best.0
}

/// A convex part at the pose of its body, shrunk about the body's centre by a factor.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedPart<'a> {
    pub part: &'a ConvexPart<'a>,
    pub x: V3,
    pub q: Q4,
    pub factor: f64,
}

impl PlacedPart<'_> {
    fn support_point(&self, n: V3) -> V3 {
        let local = self.part.support_point(rotate_back(self.q, n));
        add_scaled(self.x, rotate(self.q, local), self.factor)
    }
}

/// Iterations of GJK at most.
const ROUNDS: usize = 100;

/// Whether two convex parts overlap, by the Gilbert–Johnson–Keerthi algorithm: the point of least norm of the
/// Minkowski difference of their cores, on simplices of at most four vertices, lies within the sum of their radii.
pub(super) fn gjk_overlap(a: &PlacedPart<'_>, b: &PlacedPart<'_>) -> bool {
    // The balls of the parts are added to the distance of the cores.
    let radii = a.factor * a.part.radius + b.factor * b.part.radius;
    let mut simplex: Vec<V3> = vec![sub(
        b.support_point([1.0, 0.0, 0.0]),
        a.support_point([-1.0, 0.0, 0.0]),
    )];
    let mut near = simplex[0];
    for _ in 0..ROUNDS {
        let length = norm(near);
        if length <= radii {
            return true;
        }
        // Support point of the Minkowski difference towards the origin.
        let n = scale(near, -1.0 / length);
        let next = sub(b.support_point(n), a.support_point(scale(n, -1.0)));
        // Separating plane through `next`: a lower bound of the distance.
        let bound = -dot(next, n);
        if bound > radii || length - bound <= 1e-12 * length {
            return length <= radii;
        }
        // A simplex of four vertices contains the origin.
        simplex.push(next);
        (near, simplex) = closest_on_simplex(&simplex);
        if simplex.len() == 4 {
            return true;
        }
    }
    // Not converged: counts as separate, since no overlap is proven.
    false
}

/// The point of least norm of a simplex, and the vertices that span its face. Four vertices: the origin is inside.
fn closest_on_simplex(simplex: &[V3]) -> (V3, Vec<V3>) {
    let count = simplex.len();
    let mut best: Option<(f64, V3, Vec<V3>)> = None;
    // All faces of the simplex.
    for mask in 1_usize..1 << count {
        let chosen: Vec<V3> = (0..count)
            .filter(|k| mask >> k & 1 == 1)
            .map(|k| simplex[k])
            .collect();
        let Some(point) = of_least_norm(&chosen) else {
            continue;
        };
        let far = norm(point);
        if best.as_ref().is_none_or(|(known, _, _)| far < *known) {
            best = Some((far, point, chosen));
        }
    }
    best.map_or(([0.0; 3], simplex.to_vec()), |(_, point, chosen)| {
        (point, chosen)
    })
}

/// The point of least norm of the affine hull of some points, if it is inside their convex hull.
fn of_least_norm(points: &[V3]) -> Option<V3> {
    let (first, rest) = points.split_first()?;
    let edges: Vec<V3> = rest.iter().map(|p| sub(*p, *first)).collect();
    let m = edges.len();
    // Normal equations of the barycentric coordinates.
    let mut matrix = [[0.0; 4]; 3];
    for i in 0..m {
        for j in 0..m {
            matrix[i][j] = dot(edges[i], edges[j]);
        }
        matrix[i][3] = -dot(edges[i], *first);
    }
    let shares = eliminate(&mut matrix, m)?;
    let inside = shares[..m].iter().all(|s| *s >= 0.0) && shares[..m].iter().sum::<f64>() <= 1.0;
    inside.then(|| {
        let parts = edges.iter().zip(shares);
        parts.fold(*first, |point, (edge, share)| {
            add_scaled(point, *edge, share)
        })
    })
}

/// Solves m equations in place by Gaussian elimination; `None` where they are singular.
fn eliminate(matrix: &mut [[f64; 4]; 3], m: usize) -> Option<[f64; 3]> {
    for k in 0..m {
        // Partial pivoting.
        let pivot = (k..m).max_by(|a, b| matrix[*a][k].abs().total_cmp(&matrix[*b][k].abs()))?;
        matrix.swap(k, pivot);
        if !(matrix[k][k].abs() > 0.0) {
            return None;
        }
        for i in k + 1..m {
            let factor = matrix[i][k] / matrix[k][k];
            for j in (k..m).chain([3]) {
                matrix[i][j] -= factor * matrix[k][j];
            }
        }
    }
    // Back substitution.
    let mut out = [0.0; 3];
    for k in (0..m).rev() {
        let known: f64 = (k + 1..m).map(|j| matrix[k][j] * out[j]).sum();
        out[k] = (matrix[k][3] - known) / matrix[k][k];
    }
    Some(out)
}
