//! Collects the contact points of a mesh, each feature once.

use glam::DVec3;

use crate::dim::{ContactPoint, Pose, Space};
use crate::space::mesh::{EdgeConvexity, Mesh};

/// A feature of the mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum MeshFeature {
    /// The facet of a triangle.
    Facet(u32),
    Edge(u32),
    Vertex(u32),
}

/// Appends the contact points of a mesh and one body, with the state of the two passes.
pub(super) struct MeshCollector<'a> {
    pub out: &'a mut Vec<ContactPoint<Space>>,
    pub mesh: &'a Mesh,
    /// Pose of the mesh.
    pub pose: &'a Pose<Space>,
    pub contact_margin: f64,
    /// Points closer than this with the same normal coincide.
    pub near: f64,
    /// Index of the first contact point of this pair.
    pub from: usize,
    /// Number of features of the other body.
    pub parts: u32,
    /// A triangle that must be the shortest exit for its points.
    pub exit: Option<u32>,
    /// Whether something doubtful was deferred to the second pass.
    pub doubt: bool,
    /// Second pass: the points before this index are firm; only doubtful ones are added.
    pub firm: Option<usize>,
}

impl MeshCollector<'_> {
    fn feature(&self, spot: MeshFeature, part: u32) -> u32 {
        let (triangles, edges) = (
            self.mesh.triangles.len() as u32,
            self.mesh.edges.len() as u32,
        );
        let number = match spot {
            MeshFeature::Facet(t) => self.mesh.facets[t as usize],
            MeshFeature::Edge(e) => triangles.wrapping_add(e),
            MeshFeature::Vertex(v) => triangles.wrapping_add(edges).wrapping_add(v),
        };
        number.wrapping_mul(self.parts).wrapping_add(part)
    }

    /// Whether features may repeat because 32 bits do not suffice.
    fn wraps(&self) -> bool {
        let all = self.mesh.triangles.len() + self.mesh.edges.len() + self.mesh.vertices.len();
        all as u64 * u64::from(self.parts) > 1 << 32
    }

    /// Whether triangle t may add points in this pass, with normal n. It is doubtful (`second`) if a normal that is not
    /// allowed has a larger gap: then its face adds points without a shorter exit, the rest is deferred.
    pub fn accepts_triangle(&mut self, t: u32, n: DVec3, second: bool) -> bool {
        if self.firm.is_some() {
            self.exit = None;
            return second;
        }
        // First pass: firm normals, and doubtful ones of the face itself.
        let face = n.dot(self.mesh.normals[t as usize]) > 1.0 - 1e-12;
        self.exit = second.then_some(t);
        self.doubt |= second && !face;
        face || !second
    }

    /// Whether the point x, in the axes of the mesh, has a shorter exit from the solid beyond a convex edge.
    fn elsewhere(&mut self, x: DVec3) -> bool {
        let Some(t) = self.exit else { return false };
        // Depth below the own plane against those beyond the convex edges.
        let depth = |t: u32| self.mesh.normals[t as usize].dot(self.mesh.corners(t)[0] - x);
        let own = depth(t);
        let shorter = self.mesh.sides[t as usize].iter().any(|e| {
            let edge = &self.mesh.edges[*e as usize];
            let [first, second] = edge.triangles;
            let other = if first == t { second } else { first };
            edge.convexity == EdgeConvexity::Convex && depth(other) < own - self.near
        });
        self.doubt |= shorter;
        shorter
    }

    /// Adds a pair of points in the axes of the mesh.
    pub fn push(&mut self, a: DVec3, b: DVec3, normal: DVec3, spot: MeshFeature, part: u32) {
        let gap = (b - a).dot(normal);
        if !(gap <= self.contact_margin) || self.elsewhere(b) {
            return;
        }
        let place = |x: DVec3| self.pose.position + self.pose.rotation * x;
        self.add(ContactPoint {
            point_a: place(a),
            point_b: place(b),
            normal: (self.pose.rotation * normal).normalize(),
            gap,
            feature: self.feature(spot, part),
        });
    }

    /// Adds a contact point given in world axes whose feature is not yet encoded: writes it at `end` unless it is known
    /// already; returns whether it did.
    pub fn settle(
        &mut self,
        end: usize,
        mut touch: ContactPoint<Space>,
        spot: MeshFeature,
        part: u32,
    ) -> bool {
        touch.feature = self.feature(spot, part);
        let b = self.pose.rotation.conjugate() * (touch.point_b - self.pose.position);
        if self.elsewhere(b) {
            return false;
        }
        let new = !self.known(end, &mut touch);
        if new {
            self.out[end] = touch;
        }
        new
    }

    fn add(&mut self, mut touch: ContactPoint<Space>) {
        if !self.known(self.out.len(), &mut touch) {
            self.out.push(touch);
        }
    }

    /// Whether a firm contact point accounts for a doubtful one: its distance is at most twice the depth.
    fn explained(&self, touch: &ContactPoint<Space>) -> bool {
        let end = self.firm.unwrap_or(self.from);
        self.out[self.from..end].iter().any(|t| {
            let better = t.gap >= touch.gap || touch.gap > 0.0;
            better && t.point_a.distance(touch.point_a) <= 2.0 * touch.gap.abs() + self.near
        })
    }

    /// Whether a contact point is known among those before `end`; a new one gets a free feature.
    fn known(&mut self, end: usize, touch: &mut ContactPoint<Space>) -> bool {
        if self.explained(touch) {
            return true;
        }
        let wraps = self.wraps();
        let firm = self.firm.unwrap_or(self.from) - self.from;
        for (k, known) in self.out[self.from..end].iter_mut().enumerate() {
            let close = known.point_a.distance_squared(touch.point_a) <= self.near * self.near;
            let alike = close && known.normal.dot(touch.normal) > 1.0 - 1e-12;
            if alike || (known.feature == touch.feature && !wraps) {
                // Two triangles found one feature: separated, the smaller gap is the distance; overlapping, the smaller
                // depth is the shortest exit.
                let apart = touch.gap > 0.0 && known.gap > 0.0;
                if k >= firm && (touch.gap > known.gap) != apart {
                    let feature = known.feature;
                    *known = ContactPoint { feature, ..*touch };
                }
                return true;
            }
        }
        // Features wrap: the next free number.
        while wraps
            && self.out[self.from..end]
                .iter()
                .any(|t| t.feature == touch.feature)
        {
            touch.feature = touch.feature.wrapping_add(1);
        }
        false
    }
}
