//! Missing contacts: pairs of bodies that overlap at the midpoint and have no contact, searched for in every verified
//! step.
//!
//! Broad phase: a uniform grid of cubes as wide as the typical body; much larger bodies are tested against all.
//! Narrow phase: GJK on convex parts, each shrunk by a millionth, so that touching is not overlapping.

use std::collections::{HashMap, HashSet};

use percuss_record::RecordedShape;

use super::super::report::Location;
use super::super::vector::{V3, norm, rotate_back, scale, sub};
use super::BodiesVerifier;
use super::scene_data::{EmbedInSpace, SpatialPose};
use super::shape::{self, ConvexPart, PlacedPart};

/// Factor by which shapes are shrunk.
const SHRUNK: f64 = 1.0 - 1e-6;

/// Broad-phase data kept from step to step.
#[derive(Debug, Default)]
pub(super) struct OverlapGrid {
    /// Circumradius of each body; `None` for unbounded shapes.
    radii: Vec<Option<f64>>,
    large: Vec<usize>,
    usual: Vec<usize>,
    width: f64,
    joined: HashSet<(usize, usize)>,
}

type Cube = [i64; 3];

impl<D: EmbedInSpace> BodiesVerifier<'_, D> {
    fn prepare_pairs(&mut self) {
        if !self.pairs.radii.is_empty() {
            return;
        }
        // Bodies up to four times the median radius go into the grid, larger ones are tested one by one.
        let radii: Vec<Option<f64>> = self.shapes.iter().map(|shape| shape.radius()).collect();
        let mut known: Vec<f64> = radii.iter().flatten().copied().collect();
        known.sort_by(f64::total_cmp);
        let middle = known.get(known.len() / 2).copied().unwrap_or(1.0);
        let limit = 4.0 * middle;
        for (i, radius) in radii.iter().enumerate() {
            match radius {
                Some(radius) if *radius <= limit => {
                    self.pairs.width = self.pairs.width.max(2.0 * radius);
                    self.pairs.usual.push(i);
                }
                _ => self.pairs.large.push(i),
            }
        }
        self.pairs.radii = radii;
        // Jointed pairs without contact are excluded.
        for joint in self
            .scene
            .model
            .joints
            .iter()
            .filter(|joint| !joint.contact)
        {
            if let [Some(a), Some(b)] = [0, 1].map(|k: usize| joint.frames[k].body) {
                let (a, b) = (a as usize, b as usize);
                self.pairs.joined.insert((a.min(b), a.max(b)));
            }
        }
    }

    /// Searches for overlapping pairs without a contact.
    pub(super) fn find_missing_contacts(&mut self) {
        if self.scene.model.cell.is_some() {
            self.report
                .skip("pairs without a contact in a periodic cell are not looked for");
            return;
        }
        self.prepare_pairs();
        let touching: HashSet<(usize, usize)> = self.contacts.iter().map(|t| (t.a, t.b)).collect();
        let mut found = Vec::new();
        let mut tried = 0_usize;
        let mut odd = false;
        {
            // Narrow-phase test of one candidate pair.
            let mut attempt = |a: usize, b: usize| {
                let (a, b) = (a.min(b), a.max(b));
                let free = |i: usize| self.scene.parts[i].inverse[..2].iter().all(|x| *x > 0.0);
                let skipped = touching.contains(&(a, b)) || self.pairs.joined.contains(&(a, b));
                if skipped || !(free(a) || free(b)) || !self.close(a, b) {
                    return;
                }
                tried += 1;
                match self.overlaps(a, b) {
                    Some(true) => found.push((a, b)),
                    Some(false) => {}
                    None => odd = true,
                }
            };
            // Grid pairs, then all pairs with a large body.
            self.neighbours(&mut attempt);
            for (k, &large) in self.pairs.large.iter().enumerate() {
                for &usual in &self.pairs.usual {
                    attempt(large, usual);
                }
                for &other in &self.pairs.large[k + 1..] {
                    attempt(large, other);
                }
            }
        }
        if odd {
            self.report.skip(
                "pairs without a contact are looked for among convex shapes, compounds of them, and \
                 half-planes or half-spaces; not on chains, meshes and polygons that are not convex",
            );
        }
        for (a, b) in &found {
            let place = self.place(format!("`{}` and `{}`", self.name(*a), self.name(*b)));
            self.report.add_comparison("overlooked", 1.0, || place);
        }
        let (step, t) = (self.steps.step, self.motion.t);
        for _ in found.len()..tried.max(1) {
            self.report.add_comparison("overlooked", 0.0, || Location {
                step: Some(step),
                t: Some(t),
                what: "all pairs".into(),
            });
        }
    }

    /// Pairs of grid bodies in the same cube or in neighbouring ones.
    fn neighbours(&self, attempt: &mut dyn FnMut(usize, usize)) {
        let width = self.pairs.width.max(f64::MIN_POSITIVE);
        let cube = |x: V3| -> Cube { x.map(|c| (c / width).floor() as i64) };
        let mut grid: HashMap<Cube, Vec<usize>> = HashMap::new();
        for &i in &self.pairs.usual {
            let own = cube(self.motion.mid[i].x);
            for x in -1..=1 {
                for y in -1..=1 {
                    for z in -1..=1 {
                        let other = [own[0] + x, own[1] + y, own[2] + z];
                        for &j in grid.get(&other).map_or(&[][..], Vec::as_slice) {
                            attempt(j, i);
                        }
                    }
                }
            }
            grid.entry(own).or_default().push(i);
        }
    }

    /// Whether the bounding spheres of two bodies overlap.
    fn close(&self, a: usize, b: usize) -> bool {
        match (self.pairs.radii[a], self.pairs.radii[b]) {
            (Some(r), Some(s)) => norm(sub(self.motion.mid[a].x, self.motion.mid[b].x)) <= r + s,
            _ => true,
        }
    }

    /// Whether two bodies overlap by more than a millionth; `None` for nonconvex shapes.
    fn overlaps(&self, a: usize, b: usize) -> Option<bool> {
        let (first, second) = (&*self.shapes[a], &*self.shapes[b]);
        let (at_a, at_b) = (&self.motion.mid[a], &self.motion.mid[b]);
        match (ground(first), ground(second)) {
            (Some(_), Some(_)) => Some(false),
            (Some(up), None) => below(at_a, up, second, at_b),
            (None, Some(up)) => below(at_b, up, first, at_a),
            (None, None) => {
                let (parts, others) = (shape::convex(first)?, shape::convex(second)?);
                let meets = parts.iter().any(|part| {
                    others
                        .iter()
                        .any(|other| shape::gjk_overlap(&placed(part, at_a), &placed(other, at_b)))
                });
                Some(meets)
            }
        }
    }
}

fn placed<'a>(part: &'a ConvexPart<'a>, stand: &SpatialPose) -> PlacedPart<'a> {
    PlacedPart {
        part,
        x: stand.x,
        q: stand.q,
        factor: SHRUNK,
    }
}

/// The outward normal of a half-plane or half-space, in body axes.
fn ground(outline: &RecordedShape) -> Option<V3> {
    match outline {
        RecordedShape::HalfPlane => Some([0.0, 1.0, 0.0]),
        RecordedShape::HalfSpace => Some([0.0, 0.0, 1.0]),
        _ => None,
    }
}

/// Whether a body penetrates a half-space by more than a millionth of its size.
fn below(at: &SpatialPose, up: V3, other: &RecordedShape, stand: &SpatialPose) -> Option<bool> {
    let n = super::super::vector::rotate(at.q, up);
    let height = super::super::vector::dot(n, sub(stand.x, at.x));
    let down = rotate_back(stand.q, scale(n, -1.0));
    let parts = shape::convex(other)?;
    let reach = parts
        .iter()
        .fold(0.0_f64, |m, part| m.max(part.support(down)));
    Some(height < SHRUNK * reach - (1.0 - SHRUNK) * other.radius().unwrap_or(0.0))
}
