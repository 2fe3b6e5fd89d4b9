//! Contact points of two convex polyhedra.
//!
//! 1. Bounding spheres, then face normals as separating axes, reject most pairs.
//! 2. Overlapping bodies: the axis of least depth (`separating_axes`). Bodies separated by at most the contact margin: the closest
//!    points by GJK (`gjk`), whose normal is that of a face wherever a face is involved.
//! 3. Along this normal the two faces that face each other are projected and clipped (`projected_overlap`); every corner of the
//!    overlap whose own gap is within the contact margin is a contact point. Faces tilted by more than 25 degrees
//!    against the normal are not clipped unless the normal is that of one of the two: then edges cross (one point), are
//!    parallel (two points), or a vertex is closest.
//!
//! A contact point is a vertex of a, a vertex of b or a crossing of two edges; its feature encodes which, whichever
//! body gave the normal.

use glam::DVec3;

use super::gjk::{ClosestFeatures, GjkResult, SupportMap};
use super::pair::{
    ALONG, LocalPolyhedron, PlacedPolyhedron, PolyhedronPair, STEEP, containing, flattest,
    keep_deepest,
};
use super::projected_overlap::{
    Corner, Name, PlaneHeight, ProjectedPolygon, ProjectionFrame, overlap,
};
use super::round_shapes::{CapsuleSegment, common_ends};
use super::separating_axes::SeparatingAxis;
use super::{closest_points as nearest, gjk as apart, separating_axes as axes};
use crate::dim::{ContactPoint, Pose, Space};
use crate::space::{ConvexPolyhedron, MAX_FACE_VERTICES};

/// Appends the contact points of two polyhedra.
pub(super) fn polyhedra(
    a: (&ConvexPolyhedron, &Pose<Space>),
    b: (&ConvexPolyhedron, &Pose<Space>),
    reach: f64,
    out: &mut Vec<ContactPoint<Space>>,
) {
    let Some(pair) = PolyhedronPair::new(a, b, reach) else {
        return;
    };
    // Separating axes: faces, then all pairs of edge directions if there are few.
    let Some(faces) = axes::of_faces(&pair) else {
        return;
    };
    let least = faces.separation();
    let mut edges = None;
    let few = axes::few(&pair);
    if few && least <= 0.0 {
        edges = axes::of_directions(&pair, least);
    }
    let least = edges.map_or(least, |e: SeparatingAxis| e.separation.max(least));
    if least > reach {
        return;
    }
    // Separated, or not decided yet: closest points.
    if least > 0.0 || !few {
        let (own, start) = (LocalPolyhedron(pair.a), pair.b.shift);
        match apart::closest_features(&own, &pair.b, start, reach, pair.size) {
            GjkResult::Beyond => return,
            GjkResult::Separated(nearest) => return separate(&pair, &faces, &nearest, out),
            GjkResult::Touching => {}
        }
        if !few {
            edges = axes::of_edges(&pair, &faces);
        }
    }
    overlapping(&pair, &faces, edges, out);
}

/// Contact points of overlapping bodies, along the axis of least depth.
fn overlapping(
    pair: &PolyhedronPair,
    faces: &axes::FaceAxes,
    edges: Option<SeparatingAxis>,
    out: &mut Vec<ContactPoint<Space>>,
) {
    let from = out.len();
    let by_b = faces.b.separation > faces.a.separation + pair.bias;
    let (axis, least) = match edges {
        Some(axis) => (axis, crossing(pair, &axis, out, from)),
        None if by_b => (faces.b, face(pair, &faces.b, false, out, from)),
        None => (faces.a, face(pair, &faces.a, true, out, from)),
    };
    if !(least <= axis.separation + pair.exact) {
        out.truncate(from);
        parted(pair, &axis, out);
    }
}

/// Where the axis was preferred within the bias, or is one of many equally good ones of bodies that just touch, its
/// features may not lie over each other. Then the contact point is that of the closest points after a translation of b
/// along the axis: at such distances GJK is accurate.
fn parted(pair: &PolyhedronPair, axis: &SeparatingAxis, out: &mut Vec<ContactPoint<Space>>) {
    let n = axis.normal;
    let way = 0.5 * pair.a.radius.min(pair.b.body.radius) - axis.separation;
    let away = PlacedPolyhedron {
        shift: pair.b.shift + way * n,
        ..pair.b
    };
    let own = LocalPolyhedron(pair.a);
    if let GjkResult::Separated(near) =
        apart::closest_features(&own, &away, away.shift, f64::MAX, pair.size)
    {
        let (x, y) = near.points(&own, &away);
        let y = y - way * n;
        let gap = (y - x).dot(n);
        if gap <= pair.contact_margin {
            out.push(pair.home.touch((x, y), n, gap, number(pair, &near)));
        }
    }
}

/// Clips the faces against each other along the normal of one of them. Returns the least gap.
fn face(
    pair: &PolyhedronPair,
    axis: &SeparatingAxis,
    of_a: bool,
    out: &mut Vec<ContactPoint<Space>>,
    from: usize,
) -> f64 {
    let n = axis.normal;
    let (fa, fb) = if of_a {
        (axis.first, pair.opposing(axis.second as u32, n))
    } else {
        (pair.facing(axis.second as u32, n), axis.first)
    };
    lay(pair, n, fa, fb, out, from)
}

/// The contact of two crossing edges, with the adjacent faces if these are not steep.
fn crossing(
    pair: &PolyhedronPair,
    axis: &SeparatingAxis,
    out: &mut Vec<ContactPoint<Space>>,
    from: usize,
) -> f64 {
    let n = axis.normal;
    let (a, b) = (pair.a, &pair.b);
    let (e, f) = (&a.edges[axis.first], &b.body.edges[axis.second]);
    // The adjacent face of each edge that is most parallel to the contact plane.
    let tilt_a = |face: u32| a.faces[face as usize].normal.dot(n);
    let tilt_b = |face: u32| -b.normal(face as usize).dot(n);
    let fa = if tilt_a(e.right) > tilt_a(e.left) + 1e-9 {
        e.right
    } else {
        e.left
    };
    let fb = if tilt_b(f.right) > tilt_b(f.left) + 1e-9 {
        f.right
    } else {
        f.left
    };
    if tilt_a(fa) >= STEEP && tilt_b(fb) >= STEEP {
        let least = lay(pair, n, fa as usize, fb as usize, out, from);
        if least <= axis.separation + pair.exact {
            return least;
        }
        // The deepest point was merged with a corner next to it; it follows here.
    }
    // Closest points of the two edges.
    let (p, q) = a.edge_ends(axis.first);
    let (x, y) = (b.at(f.from), b.at(f.to));
    let (s, t) = nearest::of_segments(p, q, x, y);
    let (p, x) = (p + s * (q - p), x + t * (y - x));
    let gap = (x - p).dot(n);
    let feature = pair.crossing(axis.first as u32, axis.second as u32);
    let touch = pair.home.touch((p, x), n, gap, feature);
    keep_deepest(touch, pair.contact_margin, out, from);
    gap
}

/// Contact points of separated bodies.
fn separate(
    pair: &PolyhedronPair,
    faces: &axes::FaceAxes,
    near: &ClosestFeatures,
    out: &mut Vec<ContactPoint<Space>>,
) {
    let from = out.len();
    // A vertex over a face: as accurate as the face normal, however small the distance.
    let flush = near.distance - 1e-15 * pair.size;
    let doubtful = near.count < 3 && near.distance <= 1e-11 * pair.size;
    let by_b = faces.b.separation > faces.a.separation + pair.bias;
    let axis = if by_b { &faces.b } else { &faces.a };
    if axis.separation >= flush || (doubtful && axis.separation > 0.0) {
        if face(pair, axis, !by_b, out, from) <= near.distance + pair.exact {
            return;
        }
        out.truncate(from);
    }
    // Adjacent faces clipped along the normal, else parallel edges, else the closest points alone.
    let n = near.normal;
    let fa = containing(pair.a, &near.a[..near.count], n);
    let fb = containing(pair.b.body, &near.b[..near.count], pair.b.back * -n);
    let tilts = (pair.a.faces[fa].normal.dot(n), -pair.b.normal(fb).dot(n));
    let mut least = f64::INFINITY;
    if tilts.0 >= STEEP && tilts.1 >= STEEP {
        least = lay(pair, n, fa, fb, out, from);
    }
    if least == f64::INFINITY {
        least = along(pair, near, out, from);
    }
    if least > near.distance + pair.exact {
        let points = near.points(&LocalPolyhedron(pair.a), &pair.b);
        let touch = pair
            .home
            .touch(points, n, near.distance, number(pair, near));
        keep_deepest(touch, pair.contact_margin, out, from);
    }
}

/// Feature of the closest points: a vertex of b before one of a before a crossing.
fn number(pair: &PolyhedronPair, near: &ClosestFeatures) -> u32 {
    let (a, b) = (&near.a[..near.count], &near.b[..near.count]);
    let other = |list: &[u32]| list.iter().copied().find(|v| *v != list[0]);
    match (other(a), other(b)) {
        (_, None) => pair.vertex_of_b(b[0]),
        (None, _) => pair.vertex_of_a(a[0]),
        (Some(i), Some(j)) => {
            let first = pair.a.edge_between(a[0], i);
            let second = pair.b.body.edge_between(b[0], j);
            match (first, second) {
                (Some(e), Some(f)) => pair.crossing(e, f),
                _ => pair.vertex_of_a(a[0]),
            }
        }
    }
}

/// Two parallel edges: both ends of their common interval. Returns the least gap.
fn along(
    pair: &PolyhedronPair,
    near: &ClosestFeatures,
    out: &mut Vec<ContactPoint<Space>>,
    from: usize,
) -> f64 {
    let n = near.normal;
    let (a, b) = (pair.a, &pair.b);
    // The adjacent edges that are most nearly orthogonal to the normal.
    let ends = (
        flattest(a, near.a[0], n),
        flattest(b.body, near.b[0], b.back * n),
    );
    let (Some(i), Some(j)) = ends else {
        return f64::INFINITY;
    };
    let ia = [near.a[0].min(i), near.a[0].max(i)];
    let ib = [near.b[0].min(j), near.b[0].max(j)];
    let first = CapsuleSegment {
        ends: ia.map(|i| LocalPolyhedron(a).at(i)),
        radius: 0.0,
    };
    let second = CapsuleSegment {
        ends: ib.map(|j| b.at(j)),
        radius: 0.0,
    };
    let (u, v) = (
        first.ends[1] - first.ends[0],
        second.ends[1] - second.ends[0],
    );
    if u.cross(v).length() > ALONG * u.length() * v.length() {
        return f64::INFINITY;
    }
    let mut least = f64::INFINITY;
    for (x, y, k) in common_ends(&first, &second, u.length(), pair.same)
        .into_iter()
        .flatten()
    {
        let gap = (y - x).dot(n);
        let feature = match k {
            0 | 1 => pair.vertex_of_a(ia[k as usize]),
            _ => pair.vertex_of_b(ib[k as usize - 2]),
        };
        least = least.min(gap);
        keep_deepest(
            pair.home.touch((x, y), n, gap, feature),
            pair.contact_margin,
            out,
            from,
        );
    }
    least
}

/// Clips face fa of a and face fb of b against each other along n. Returns the least gap.
fn lay(
    pair: &PolyhedronPair,
    n: DVec3,
    fa: usize,
    fb: usize,
    out: &mut Vec<ContactPoint<Space>>,
    from: usize,
) -> f64 {
    let sides = pair
        .a
        .face_loop(fa)
        .len()
        .max(pair.b.body.face_loop(fb).len());
    // Buffers of fixed size, the smallest that suffices.
    match sides {
        0..=4 => lay_sized::<4>(pair, n, fa, fb, out, from),
        5..=16 => lay_sized::<16>(pair, n, fa, fb, out, from),
        _ => lay_sized::<MAX_FACE_VERTICES>(pair, n, fa, fb, out, from),
    }
}

fn lay_sized<const N: usize>(
    pair: &PolyhedronPair,
    n: DVec3,
    fa: usize,
    fb: usize,
    out: &mut Vec<ContactPoint<Space>>,
    from: usize,
) -> f64 {
    let frame = ProjectionFrame::new(n);
    let (a, b) = (pair.a, &pair.b);
    // Both faces in the projection frame.
    let (mut below, mut above) = (ProjectedPolygon::<N>::new(), ProjectedPolygon::<N>::new());
    let (corners, edges) = (a.face_loop(fa), a.face_edges(fa));
    for (i, e) in corners.iter().zip(edges) {
        below.push(frame.local(a.vertices[*i as usize]), *i, *e);
    }
    let (corners, edges) = (b.body.face_loop(fb), b.body.face_edges(fb));
    // In reverse order, because the face of b is seen from inside.
    for k in (0..corners.len()).rev() {
        let edge = edges[if k == 0 { corners.len() - 1 } else { k - 1 }];
        above.push(frame.local(b.at(corners[k])), corners[k], edge);
    }
    below.close();
    above.close();
    let floor = PlaneHeight::new(frame.local(a.faces[fa].normal), below.first());
    let roof = PlaneHeight::new(frame.local(b.normal(fb)), above.first());
    // Contact points at the corners of the overlap.
    let mut least = f64::INFINITY;
    overlap(
        (&below, floor),
        (&above, roof),
        pair.same,
        &mut |c: Corner| {
            let gap = c.b.z - c.a.z;
            least = least.min(gap);
            if gap <= pair.contact_margin {
                let feature = match c.name {
                    Name::A(i) => pair.vertex_of_a(i),
                    Name::B(j) => pair.vertex_of_b(j),
                    Name::Crossing(i, j) => pair.crossing(i, j),
                };
                let points = (frame.back(c.a), frame.back(c.b));
                keep_deepest(
                    pair.home.touch(points, n, gap, feature),
                    pair.contact_margin,
                    out,
                    from,
                );
            }
        },
    );
    least
}
