//! The gap of two features: a smooth function of the poses of two bodies, with normal, touching point and range.
//!
//! ```text
//! gap = n·(p_b − p_a)        n from a to b, p_a and p_b on the true surfaces
//! d(gap)/dt = n·(V_b(p) − V_a(p))        exactly, also while the bodies are apart
//! ```
//!
//! The *range* is positive while the touching point is inside both features and the normal is one of theirs. It is a
//! length. A pair of features that is out of its range says nothing about the bodies; its gap is then taken to be at
//! least the distance from the range, so that it is positive.

use glam::DVec3;

use crate::features::{Edge, Face, Features, Rim, Vertex};
use crate::jet::{Jet, Placed, VectorJet};

/// Widening of the range, relative to the smaller body: of the normals, so that two flat sides that lie on each other
/// stay in range; of the ends of features, by more than the integrator takes for the end itself, so that two features
/// that meet there do not both act.
const NORMALS: f64 = 1e-9;
const ENDS: f64 = 2e-10;

/// Below this sine of their angle two edges are parallel and have no common normal; the ends of one then touch the faces
/// of the other.
const PARALLEL: f64 = 1e-7;

/// A pair of features of two bodies; side 0 or 1 says whose the first-named feature is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pair {
    /// A face of body `side`, a vertex of the other.
    FaceVertex {
        side: usize,
        face: usize,
        vertex: usize,
    },
    /// A vertex of each body.
    Vertices([usize; 2]),
    /// An edge of body `side`, a vertex of the other.
    EdgeVertex {
        side: usize,
        edge: usize,
        vertex: usize,
    },
    /// An edge of each body.
    Edges([usize; 2]),
    /// A face without end of body `side`, a rim of the other.
    FaceRim {
        side: usize,
        face: usize,
        rim: usize,
    },
}

/// Two features at one state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Touch {
    pub gap: Jet,
    /// Positive inside the range.
    pub range: Jet,
    /// Unit normal from body 0 to body 1.
    pub normal: VectorJet,
    /// The touching point.
    pub point: VectorJet,
    /// Whether the features have no single touching point here: a rim that lies flat on a face.
    pub flat: bool,
}

impl Touch {
    /// The gap that counts: no less than the distance from the range.
    pub fn effective_gap(&self) -> f64 {
        self.gap.value.max(-self.range.value)
    }

    /// The same, seen from the other body.
    fn reversed(self) -> Self {
        Self {
            normal: -self.normal,
            ..self
        }
    }
}

/// Two bodies with their features.
#[derive(Clone, Copy)]
pub(crate) struct Bodies<'a> {
    pub placed: [&'a Placed; 2],
    pub features: [&'a Features; 2],
}

/// All pairs of features of two bodies that can touch.
///
/// # Errors
/// What has no smooth gap.
pub(crate) fn pairs(a: &Features, b: &Features) -> Result<Vec<Pair>, &'static str> {
    let mut all = Vec::new();
    let round = a.rounding + b.rounding > 0.0;
    for (side, [owner, other]) in [[a, b], [b, a]].into_iter().enumerate() {
        // Rims touch half-spaces only.
        let endless = owner.faces.iter().all(|face| face.sides.is_empty());
        let half_space = endless && owner.vertices.is_empty() && owner.rims.is_empty();
        if !(other.rims.is_empty() || half_space) {
            return Err("a cylinder touches half-spaces only");
        }
        for face in 0..owner.faces.len() {
            all.extend((0..other.vertices.len()).map(|vertex| Pair::FaceVertex {
                side,
                face,
                vertex,
            }));
            all.extend((0..other.rims.len()).map(|rim| Pair::FaceRim { side, face, rim }));
        }
        if round {
            for edge in 0..owner.edges.len() {
                all.extend((0..other.vertices.len()).map(|vertex| Pair::EdgeVertex {
                    side,
                    edge,
                    vertex,
                }));
            }
        }
    }
    if round {
        for i in 0..a.vertices.len() {
            all.extend((0..b.vertices.len()).map(|j| Pair::Vertices([i, j])));
        }
    }
    for i in 0..a.edges.len() {
        all.extend((0..b.edges.len()).map(|j| Pair::Edges([i, j])));
    }
    Ok(all)
}

impl Bodies<'_> {
    /// Evaluates a pair of features.
    pub fn touch(&self, pair: Pair) -> Touch {
        let body = |side: usize| (self.placed[side], self.features[side]);
        let turned = |touch: Touch, side: usize| match side {
            0 => touch,
            _ => touch.reversed(),
        };
        match pair {
            Pair::FaceVertex { side, face, vertex } => {
                let ((a, fa), (b, fb)) = (body(side), body(1 - side));
                let ends = if side == 0 { ENDS } else { -ENDS };
                let (face, vertex) = (&fa.faces[face], &fb.vertices[vertex]);
                let rounding = fb.rounding;
                turned(
                    self.face_vertex((a, face), (b, vertex, rounding), ends),
                    side,
                )
            }
            Pair::FaceRim { side, face, rim } => {
                let ((a, fa), (b, fb)) = (body(side), body(1 - side));
                turned(face_rim((a, &fa.faces[face]), (b, fb.rims[rim])), side)
            }
            Pair::EdgeVertex { side, edge, vertex } => {
                let ((a, fa), (b, fb)) = (body(side), body(1 - side));
                let (edge, vertex) = (&fa.edges[edge], &fb.vertices[vertex]);
                let rounding = fb.rounding;
                turned(self.edge_vertex((a, edge), (b, vertex, rounding)), side)
            }
            Pair::Vertices([i, j]) => {
                let ((a, fa), (b, fb)) = (body(0), body(1));
                self.vertices((a, &fa.vertices[i]), (b, &fb.vertices[j]))
            }
            Pair::Edges([i, j]) => {
                let ((a, fa), (b, fb)) = (body(0), body(1));
                self.edges((a, &fa.edges[i]), (b, &fb.edges[j]))
            }
        }
    }

    /// Rounding radii of both bodies.
    fn rounding(&self) -> f64 {
        self.features[0].rounding + self.features[1].rounding
    }

    /// The smaller bounding radius.
    pub fn size(&self) -> f64 {
        self.features[0].size.min(self.features[1].size)
    }

    /// Distance between the bounding circles or spheres; −∞ with a boundary.
    pub fn clear(&self) -> f64 {
        let [a, b] = self.placed.map(|p| p.position.value);
        (b - a).length() - self.features[0].size - self.features[1].size
    }

    /// Restricts a range to depths below which the features behind are nearer.
    fn shallow(&self, range: Jet, gap: Jet) -> Jet {
        let widths = self.features[0].width + self.features[1].width;
        if !widths.is_finite() {
            return range;
        }
        range.min(gap + Jet::constant(0.5 * widths), self.size())
    }

    /// A face of a, a vertex of b.
    fn face_vertex(
        &self,
        (a, face): (&Placed, &Face),
        (b, vertex, rounding): (&Placed, &Vertex, f64),
        ends: f64,
    ) -> Touch {
        let (normal, size) = (a.direction(face.normal), self.size());
        let centre = b.point(vertex.at);
        let gap = normal.dot(centre - a.point(face.at)) - Jet::constant(self.rounding());
        let point = centre - normal * rounding;
        let mut range = Jet::constant(size);
        // Behind the face: the nearest side is this one and not the end of it.
        let depth = if gap.value < 0.0 { gap } else { Jet::default() };
        for (at, inward) in &face.sides {
            let inside = a.direction(*inward).dot(centre - a.point(*at));
            let inside = inside + depth + Jet::constant(ends * size);
            range = range.min(inside, size);
        }
        for toward in &vertex.toward {
            let rise = normal.dot(b.direction(*toward)) * size;
            range = range.min(rise + Jet::constant(NORMALS * size), size);
        }
        if !face.sides.is_empty() {
            range = self.shallow(range, gap);
        }
        Touch {
            gap,
            range,
            normal,
            point,
            flat: false,
        }
    }

    /// A round pair by the vector from one centre to the other; the normal is arbitrary where the centres coincide.
    fn round_pair(&self, (from, to): (VectorJet, VectorJet)) -> (Touch, VectorJet) {
        let between = to - from;
        let normal = between
            .unit(1e-12 * self.size())
            .unwrap_or(VectorJet::constant(DVec3::X));
        let touch = Touch {
            gap: between.norm() - Jet::constant(self.rounding()),
            range: Jet::constant(self.size()),
            normal,
            point: from,
            flat: false,
        };
        (touch, between)
    }

    /// Narrows the range of a round pair: the vector between the centres must not fall towards a direction; `more` widens
    /// the range again.
    fn beyond(&self, touch: &mut Touch, between: VectorJet, directions: &[VectorJet], more: f64) {
        let size = self.size();
        for direction in directions {
            let rise = -between.dot(*direction) + Jet::constant(more * size);
            touch.range = touch.range.min(rise, size);
        }
    }

    /// A vertex of each, one of them round.
    fn vertices(&self, (a, first): (&Placed, &Vertex), (b, second): (&Placed, &Vertex)) -> Touch {
        let (from, to) = (a.point(first.at), b.point(second.at));
        let (mut touch, between) = self.round_pair((from, to));
        touch.point = to - touch.normal * self.features[1].rounding;
        let away: Vec<VectorJet> = first.toward.iter().map(|d| a.direction(*d)).collect();
        self.beyond(&mut touch, between, &away, -ENDS);
        let away: Vec<VectorJet> = second.toward.iter().map(|d| -b.direction(*d)).collect();
        self.beyond(&mut touch, between, &away, -ENDS);
        touch
    }

    /// An edge of a, a vertex of b, one of them round.
    fn edge_vertex(
        &self,
        (a, edge): (&Placed, &Edge),
        (b, vertex, rounding): (&Placed, &Vertex, f64),
    ) -> Touch {
        let (from, along) = (a.point(edge.from), a.direction(edge.along));
        let to = b.point(vertex.at);
        let share = along.dot(to - from);
        let foot = from + along.scaled(share);
        let (mut touch, between) = self.round_pair((foot, to));
        touch.point = to - touch.normal * rounding;
        let size = self.size();
        // Between the ends of the edge, outside of its faces, and off the vertex.
        for end in [share, Jet::constant(edge.length) - share] {
            let inside = end + Jet::constant(ENDS * size);
            touch.range = touch.range.min(inside, size);
        }
        let away: Vec<VectorJet> = edge.inward.iter().map(|d| a.direction(*d)).collect();
        self.beyond(&mut touch, between, &away, -ENDS);
        let away: Vec<VectorJet> = vertex.toward.iter().map(|d| -b.direction(*d)).collect();
        self.beyond(&mut touch, between, &away, NORMALS);
        touch
    }

    /// An edge of each.
    fn edges(&self, (a, first): (&Placed, &Edge), (b, second): (&Placed, &Edge)) -> Touch {
        let size = self.size();
        let (from, to) = (a.point(first.from), b.point(second.from));
        let (u, w) = (a.direction(first.along), b.direction(second.along));
        let cross = u.cross(w);
        let between = to - from;
        let Some(mut normal) = cross.unit(PARALLEL) else {
            // Parallel edges: never in range.
            return Touch {
                gap: Jet::constant(size),
                range: Jet::constant(-size),
                normal: VectorJet::constant(DVec3::X),
                point: from,
                flat: false,
            };
        };
        // The normal leaves a: outwards of a, or into b, or towards b where both are capsules.
        let outward = a.direction(first.outward).value - b.direction(second.outward).value;
        let outward = if outward == DVec3::ZERO {
            between.value
        } else {
            outward
        };
        if normal.value.dot(outward) < 0.0 {
            normal = -normal;
        }
        let rounding = Jet::constant(self.rounding());
        let gap = normal.dot(between) - rounding;
        // Shares of the closest points: between = s u − t w + (gap) n.
        let square = cross.dot(cross);
        let inverse = Jet {
            value: 1.0 / square.value,
            rate: -square.rate / (square.value * square.value),
        };
        let s = between.cross(w).dot(cross) * inverse;
        let t = between.cross(u).dot(cross) * inverse;
        let on_second = to + w.scaled(t);
        let point = on_second - normal * self.features[1].rounding;
        let depth = if gap.value < 0.0 { gap } else { Jet::default() };
        let mut range = Jet::constant(size);
        let ends = [
            s,
            Jet::constant(first.length) - s,
            t,
            Jet::constant(second.length) - t,
        ];
        for end in ends {
            range = range.min(end + depth + Jet::constant(-ENDS * size), size);
        }
        for inward in &first.inward {
            let rise = -normal.dot(a.direction(*inward)) * size;
            range = range.min(rise + Jet::constant(NORMALS * size), size);
        }
        for inward in &second.inward {
            let rise = normal.dot(b.direction(*inward)) * size;
            range = range.min(rise + Jet::constant(NORMALS * size), size);
        }
        if !first.inward.is_empty() || !second.inward.is_empty() {
            range = self.shallow(range, gap);
        }
        Touch {
            gap,
            range,
            normal,
            point,
            flat: false,
        }
    }
}

/// A face without end of a, a rim of b: the point of the rim that lies lowest.
fn face_rim((a, face): (&Placed, &Face), (b, rim): (&Placed, Rim)) -> Touch {
    let normal = a.direction(face.normal);
    let axis = b.direction(DVec3::Z);
    let centre = b.position + axis * rim.height;
    // The normal without its part along the axis.
    let across = normal - axis.scaled(axis.dot(normal));
    let low = across.unit(1e-9);
    let point = match low {
        Some(down) => centre - down * rim.radius,
        None => centre,
    };
    Touch {
        gap: normal.dot(point - a.point(face.at)),
        range: Jet::constant(rim.radius),
        normal,
        point,
        flat: low.is_none(),
    }
}
