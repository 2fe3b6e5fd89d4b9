//! The path of one grain from the drop to its position of rest.

use super::path::{GrainObstacle, Path};
use super::rest::{Descent, descend};
use crate::generator_dim::Vec3;
use crate::hierarchical_grid::HierarchicalGrid;

/// Largest number of segments of a path; the mean is about ten.
const PIECES: usize = 2000;

/// A grain rolling among those placed before.
#[derive(Debug)]
pub(super) struct Roll<'a> {
    cells: &'a HierarchicalGrid,
    radius: f64,
    /// Range of the centre: smallest and largest x and y.
    room: [[f64; 2]; 2],
    walls: [GrainObstacle; 5],
    touched: Vec<GrainObstacle>,
    /// The obstacle that ended the last segment, and those of zero-length segments before it: where the path is along a
    /// wall that rounding tilts towards it, for example, the wall must not be entered again and again.
    barred: Vec<GrainObstacle>,
}

impl<'a> Roll<'a> {
    /// A grain in a box of this width and depth; a depth of 0 is the plane.
    pub fn new(cells: &'a HierarchicalGrid, radius: f64, [width, depth]: [f64; 2]) -> Self {
        let across = |extent: f64| [radius, (extent - radius).max(radius)];
        let room = match depth > 0.0 {
            true => [across(width), across(depth)],
            false => [across(width), [0.0, 0.0]],
        };
        let wall = |normal: Vec3, offset: f64| GrainObstacle::Wall { normal, offset };
        Self {
            cells,
            radius,
            room,
            walls: [
                wall(Vec3::Z, radius),
                wall(Vec3::X, room[0][0]),
                wall(-Vec3::X, -room[0][1]),
                wall(Vec3::Y, room[1][0]),
                wall(-Vec3::Y, -room[1][1]),
            ],
            touched: Vec::new(),
            barred: Vec::new(),
        }
    }

    /// Drops the grain at a position given by two numbers in [0, 1); returns where it rests. `None` if it
    /// does not come to rest or rests inside an obstacle, which only rounding can cause.
    pub fn drop(&mut self, at: [f64; 2]) -> Option<Vec3> {
        let across = |axis: usize| {
            let [a, b] = self.room[axis];
            (a + (b - a) * at[axis]).clamp(a, b)
        };
        // Start above all grains.
        let height = self.cells.top() + 2.0 * self.radius;
        let mut p = self.fall(Vec3::new(across(0), across(1), height));
        // Segment by segment: contacts here, direction of descent, then fall, roll or rest.
        for _ in 0..PIECES {
            self.touch(p);
            let normals: Vec<Vec3> = self.touched.iter().map(|h| h.normal(p)).collect();
            let flat = |h: &GrainObstacle| matches!(h, GrainObstacle::Wall { .. });
            let flat: Vec<bool> = self.touched.iter().map(flat).collect();
            let barred = |h: &GrainObstacle| self.barred.contains(h);
            let barred: Vec<bool> = self.touched.iter().map(barred).collect();
            match descend(&normals, &barred, &flat) {
                Descent::Rest => return self.clear(p).then_some(p),
                Descent::Lost => return None,
                Descent::Go { along, .. } if along.is_empty() => p = self.fall(p),
                Descent::Go { along, towards } => {
                    let along: Vec<GrainObstacle> =
                        along.iter().map(|k| self.touched[*k]).collect();
                    p = self.slide(p, &along, towards)?;
                }
            }
        }
        None
    }

    /// Gap below which an obstacle is touched: the resolution of the coordinates.
    fn tiny(&self, p: Vec3) -> f64 {
        let largest = p.abs().max_element();
        1e-14 * self.radius + 2.0 * f64::EPSILON * largest
    }

    /// Collects the obstacles touched at p, with those that the last segment ended at or went along.
    fn touch(&mut self, p: Vec3) {
        // Walls and grains within the resolution of the coordinates.
        let tiny = self.tiny(p);
        let touched = &mut self.touched;
        for wall in &self.walls {
            if wall.gap(p) <= tiny && !touched.contains(wall) {
                touched.push(*wall);
            }
        }
        self.cells.near([p, p], self.radius + tiny, |grain| {
            let ball = GrainObstacle::Ball {
                centre: grain.centre,
                reach: self.radius + grain.radius,
            };
            if ball.gap(p) <= tiny && !touched.contains(&ball) {
                touched.push(ball);
            }
            true
        });
        // Obstacles that were left behind are no longer touched.
        touched.retain(|h| h.gap(p) <= 8.0 * tiny);
    }

    /// Whether a grain at p overlaps nothing. Equal grains in a crystal arrangement bar the way at angles
    /// that rounding hides: then an obstacle may be passed, or a position between nearly opposite supports
    /// be known to few digits.
    fn clear(&self, p: Vec3) -> bool {
        let least = 8.0 * self.tiny(p);
        let deepest = |radius: f64| (5e-13 * radius).max(least);
        let own = deepest(self.radius);
        let mut clear = self.walls.iter().all(|wall| wall.gap(p) >= -own);
        self.cells.near([p, p], self.radius, |grain| {
            let gap = (p - grain.centre).length() - (self.radius + grain.radius);
            clear &= gap >= -own.min(deepest(grain.radius));
            clear
        });
        clear
    }

    /// Falls vertically until an obstacle is touched.
    fn fall(&mut self, from: Vec3) -> Vec3 {
        let path = Path::Fall { from };
        let graze = 2.0 * self.tiny(from);
        let floor = self.walls[0];
        let (mut end, mut hit) = (path.entered(&floor, graze).unwrap_or(0.0), floor);
        let radius = self.radius;
        self.cells.below(from, radius, from.z - end, |grain| {
            let ball = GrainObstacle::Ball {
                centre: grain.centre,
                reach: radius + grain.radius,
            };
            match path.entered(&ball, graze) {
                Some(at) if at < end => (end, hit) = (at, ball),
                _ => {}
            }
            from.z - end
        });
        self.touched.clear();
        self.touched.push(hit);
        self.barred.clear();
        path.at(end)
    }

    /// Rolls along one or two obstacles until a further one is touched or one is left.
    fn slide(&mut self, p: Vec3, along: &[GrainObstacle], towards: Vec3) -> Option<Vec3> {
        // The arc, and where its supports stop carrying the grain.
        let path = arc(p, along, towards)?;
        let until = left(&path, p, along)?;
        let mut end = until;
        let graze = 2.0 * self.tiny(p);
        let mut hit = None;
        // The nearest obstacle on the arc, among walls and grains.
        let mut meet = |hindrance: GrainObstacle| {
            if along.contains(&hindrance) {
                return;
            }
            if let Some(at) = path.entered(&hindrance, graze)
                && at < end
            {
                (end, hit) = (at, Some(hindrance));
            }
        };
        for wall in &self.walls {
            meet(*wall);
        }
        self.cells.near(path.bounds(until), self.radius, |grain| {
            meet(GrainObstacle::Ball {
                centre: grain.centre,
                reach: self.radius + grain.radius,
            });
            true
        });
        // Contacts at the end of the segment.
        self.touched.clear();
        self.touched.extend_from_slice(along);
        self.touched.extend(hit);
        if end > 0.0 {
            self.barred.clear();
        }
        self.barred.extend(hit);
        Some(path.at(end))
    }
}

/// The circle on which the centre moves.
fn arc(p: Vec3, along: &[GrainObstacle], towards: Vec3) -> Option<Path> {
    let (centre, radius, axis) = match along {
        [GrainObstacle::Ball { centre, reach }] => (*centre, *reach, None),
        [
            GrainObstacle::Ball {
                centre: a,
                reach: ra,
            },
            GrainObstacle::Ball {
                centre: b,
                reach: rb,
            },
        ] => {
            // The radical plane of the two spheres; (ra − rb)(ra + rb) keeps digits.
            let d = *b - *a;
            let length = d.length();
            let axis = d / length;
            let t = 0.5 * (length + (ra - rb) * (ra + rb) / length);
            (*a + axis * t, chord(*ra, t), Some(axis))
        }
        [
            GrainObstacle::Ball { centre, reach },
            GrainObstacle::Wall { normal, offset },
        ]
        | [
            GrainObstacle::Wall { normal, offset },
            GrainObstacle::Ball { centre, reach },
        ] => {
            let t = normal.dot(*centre) - offset;
            (*centre - *normal * t, chord(*reach, t), Some(*normal))
        }
        _ => return None,
    };
    // Orthonormal directions in the plane of the circle.
    let off = |v: Vec3| axis.map_or(v, |axis| v - axis * axis.dot(v));
    let u = off(p - centre).try_normalize()?;
    let w = off(towards);
    let w = (w - u * u.dot(w)).try_normalize()?;
    Some(Path::Arc {
        centre,
        radius,
        u,
        w,
    })
}

/// √(r² − t²).
fn chord(r: f64, t: f64) -> f64 {
    ((r - t) * (r + t)).max(0.0).sqrt()
}

/// Where the first of the obstacles along which the grain moves stops carrying it, or the path stops
/// going down. An obstacle carries as long as its multiplier is positive: n·e for a single one,
/// nᵢ·e − (nᵢ·nⱼ) nⱼ·e for one of two, where nᵢ·nⱼ is constant along the circle.
fn left(path: &Path, p: Vec3, along: &[GrainObstacle]) -> Option<f64> {
    let Path::Arc {
        centre,
        radius,
        u,
        w,
    } = path
    else {
        return None;
    };
    // n·e of an obstacle along the arc: constant, cosine and sine part.
    let steep = |h: &GrainObstacle| match h {
        GrainObstacle::Ball { centre: c, reach } => [
            (*centre - *c).z / reach,
            radius / reach * u.z,
            radius / reach * w.z,
        ],
        GrainObstacle::Wall { normal, .. } => [normal.z, 0.0, 0.0],
    };
    // The lowest point of the arc.
    let bottom = Path::falls([0.0, -w.z, u.z]);
    let mut first = bottom.unwrap_or(f64::INFINITY);
    let single = [[0.0; 3]; 2];
    let (parts, c) = match along {
        [i] => ([steep(i), single[1]], 0.0),
        [i, j] => ([steep(i), steep(j)], i.normal(p).dot(j.normal(p))),
        _ => return None,
    };
    // Where the multiplier of each support vanishes.
    for k in 0..along.len() {
        let (own, other) = (parts[k], parts[1 - k]);
        let carried = [0, 1, 2].map(|m| own[m] - c * other[m]);
        first = first.min(Path::falls(carried).unwrap_or(f64::INFINITY));
    }
    first.is_finite().then_some(first)
}
