//! Held functions Φ of a joint, its coordinate, and their rows of G.

use super::{Coordinate, Joint, Kind, Side};
use crate::detect::Found;
use crate::dim::Dim;
use crate::model::Model;
use crate::pose::{Pose, Touch};
use crate::vector::Vector;

/// A row of G: the relative velocity of b with respect to a along a direction at a point, or their
/// relative spin about an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Row<D: Dim> {
    /// Whether it is a spin.
    pub turn: bool,
    /// Direction or axis, space axes; an axis has no meaning in the plane.
    pub direction: D::Vector,
    /// The point, in space.
    pub at: D::Vector,
}

impl<D: Dim> Row<D> {
    /// The entries of the row for a body in this placement whose spin is about `axes`.
    pub fn fill(&self, axes: &D::Rotation, position: D::Vector, out: &mut [f64]) {
        match self.turn {
            true => D::spin_row(axes, self.direction, out),
            false => D::row(axes, self.at - position, self.direction, out),
        }
    }
}

/// A function that vanishes, and its row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Held<D: Dim> {
    pub row: Row<D>,
    pub value: f64,
}

/// Features from here on are clearances: the first has this number.
const CLEARANCES: u32 = 0xFFF0_0000;

/// Both ends of a joint in space.
pub(crate) struct Ends<D: Dim> {
    /// x_a and x_b.
    pub points: [D::Vector; 2],
    /// Axes of the two sides.
    axes: [[D::Vector; 3]; 2],
    /// Angle from body a to body b (plane).
    angle: f64,
}

/// The placement of a side; the world is where it is described.
fn pose<D: Dim>(side: &Side<D>, poses: &[Pose<D>]) -> Pose<D> {
    let still = Pose {
        position: D::Vector::default(),
        rotation: D::Rotation::default(),
    };
    side.body
        .and_then(|body| poses.get(body as usize).copied())
        .unwrap_or(still)
}

impl<D: Dim> Joint<D> {
    /// Where the two ends are.
    pub(crate) fn ends(&self, poses: &[Pose<D>]) -> Ends<D> {
        let mut ends = Ends {
            points: [D::Vector::default(); 2],
            axes: [[D::Vector::default(); 3]; 2],
            angle: -self.zero,
        };
        for (k, side) in self.sides.iter().enumerate() {
            let pose = pose(side, poses);
            ends.points[k] = pose.position + D::rotate(&pose.rotation, side.point);
            for (axis, own) in ends.axes[k].iter_mut().zip(side.frame.as_ref()) {
                *axis = D::rotate(&pose.rotation, *own);
            }
            let sign = if k == 0 { -1.0 } else { 1.0 };
            ends.angle += sign * D::plane_angle(&pose.rotation);
        }
        ends
    }

    /// Appends the held functions and their rows.
    pub(crate) fn held(&self, ends: &Ends<D>, out: &mut Vec<Held<D>>) {
        let d = ends.apart();
        let [e, f] = &ends.axes;
        let along = |i: usize| Held {
            row: ends.along(e[i]),
            value: d.dot(e[i]),
        };
        // The row of e·f: (ω_b − ω_a)·(f × e).
        let aligned = |e: D::Vector, f: D::Vector| Held {
            row: ends.about(cross(f, e)),
            value: e.dot(f),
        };
        match self.kind {
            Kind::Revolute | Kind::Spherical | Kind::Fixed => out.extend((0..D::N).map(along)),
            Kind::Prismatic | Kind::Cylindrical => out.extend((1..D::N).map(along)),
            Kind::Distance if self.rigid() => out.push(Held {
                row: ends.along(ends.toward()),
                value: d.norm() - self.length,
            }),
            Kind::Distance | Kind::Clearance => {}
        }
        match (self.kind, D::N) {
            (Kind::Fixed | Kind::Prismatic, 2) => out.push(Held {
                row: ends.about(D::Vector::default()),
                value: ends.angle,
            }),
            (Kind::Fixed | Kind::Prismatic, _) => {
                out.extend([
                    aligned(e[1], f[0]),
                    aligned(e[2], f[0]),
                    aligned(e[2], f[1]),
                ]);
            }
            (Kind::Revolute | Kind::Cylindrical, 3) => {
                out.extend([aligned(e[1], f[0]), aligned(e[2], f[0])]);
            }
            _ => {}
        }
    }

    /// The coordinate.
    pub(crate) fn value(&self, ends: &Ends<D>, coordinate: Coordinate) -> f64 {
        let [e, f] = &ends.axes;
        match (coordinate, D::N) {
            (Coordinate::Turn, 2) => ends.angle,
            (Coordinate::Turn, _) => e[2].dot(f[1]).atan2(e[1].dot(f[1])),
            (Coordinate::Slide, _) => ends.apart().dot(e[0]),
            (Coordinate::Length, _) => ends.apart().norm(),
        }
    }

    /// The row of the coordinate.
    pub(crate) fn coordinate_row(&self, ends: &Ends<D>) -> Row<D> {
        match self.coordinate {
            Coordinate::Turn => ends.about(ends.axes[0][0]),
            Coordinate::Slide => ends.along(ends.axes[0][0]),
            Coordinate::Length => ends.along(ends.toward()),
        }
    }

    /// Rows that dry friction acts in: the coordinate's, or all turns of a spherical joint.
    pub(crate) fn rub_rows(&self, ends: &Ends<D>) -> ([Row<D>; 3], usize) {
        let e = &ends.axes[0];
        match self.kind {
            Kind::Spherical => ([0, 1, 2].map(|k| ends.about(e[k])), 3),
            _ => ([self.coordinate_row(ends); 3], 1),
        }
    }

    /// The size of the reaction that friction is scaled by: across the joint's own axis where it has
    /// one in space, otherwise all of it. `impulse` is that of the held rows.
    pub(crate) fn pressed(&self, impulse: &[f64]) -> f64 {
        let rows = match (self.kind, D::N) {
            (Kind::Revolute, 3) => 1..3,
            (Kind::Revolute | Kind::Spherical, n) => 0..n,
            (Kind::Prismatic | Kind::Cylindrical, n) => 0..n - 1,
            _ => 0..0,
        };
        let parts = impulse.get(rows).unwrap_or(&[]);
        parts.iter().map(|s| s * s).sum::<f64>().sqrt()
    }
}

impl<D: Dim> Ends<D> {
    /// d = x_b − x_a.
    pub fn apart(&self) -> D::Vector {
        self.points[1] - self.points[0]
    }

    /// The joint's own axis.
    pub fn axis(&self) -> D::Vector {
        self.axes[0][0]
    }

    /// Whether axes of the two sides that should be the same are opposite: the first, or any.
    pub fn opposed(&self, all: bool) -> bool {
        let [e, f] = &self.axes;
        let count = if all { D::N } else { 1 };
        e.iter().zip(f).take(count).any(|(e, f)| !(e.dot(*f) > 0.0))
    }

    /// d/|d|; the first axis where the points coincide.
    fn toward(&self) -> D::Vector {
        let (d, length) = (self.apart(), self.apart().norm());
        if length > 0.0 {
            d * (1.0 / length)
        } else {
            self.axes[0][0]
        }
    }

    fn along(&self, direction: D::Vector) -> Row<D> {
        Row {
            turn: false,
            direction,
            at: self.points[1],
        }
    }

    fn about(&self, axis: D::Vector) -> Row<D> {
        Row {
            turn: true,
            direction: axis,
            at: self.points[1],
        }
    }
}

/// The vector product in space; 0 in the plane, where axes are not asked for.
fn cross<V: Vector>(a: V, b: V) -> V {
    match (a.slice(), b.slice()) {
        (&[a0, a1, a2], &[b0, b1, b2]) => {
            V::of(&[a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])
        }
        _ => V::default(),
    }
}

/// The joint that a feature belongs to, if it is one of a clearance.
pub(crate) fn joint_of_feature<D: Dim>(joints: &[Joint<D>], found: &Found<D>) -> Option<usize> {
    let joint = found.touch.feature.checked_sub(CLEARANCES)? as usize;
    let known = joints.get(joint)?;
    known.clearance.as_ref().map(|_| joint)
}

/// The touches of pins in their holes whose gap is within reach, sorted as those of a detector.
///
/// ```text
/// gap = play − |d|,   normal −d/|d| on the pin: exact, hole and pin being round
/// ```
pub(crate) fn clearances<D: Dim>(
    model: &Model<D>,
    poses: &[Pose<D>],
    growth: &[f64],
    out: &mut Vec<Found<D>>,
) {
    out.clear();
    for (number, joint) in model.joints.iter().enumerate() {
        let (Some(clearance), [Some(a), Some(b)]) =
            (&joint.clearance, joint.sides.map(|side| side.body))
        else {
            continue;
        };
        let ends = joint.ends(poses);
        let (length, toward) = (ends.apart().norm(), ends.toward());
        let gap = clearance.play - length;
        let reach = |body: u32| growth.get(body as usize).copied().unwrap_or(0.0);
        if gap > reach(a) + reach(b) {
            continue;
        }
        let hole = clearance.pin + clearance.play;
        let on_hole = ends.points[0] + toward * hole;
        let on_pin = ends.points[1] + toward * clearance.pin;
        let feature = CLEARANCES + number as u32;
        let ordered = a < b;
        let (point_a, point_b) = if ordered {
            (on_hole, on_pin)
        } else {
            (on_pin, on_hole)
        };
        out.push(Found {
            bodies: if ordered { [a, b] } else { [b, a] },
            shift: [0; 3],
            touch: Touch {
                point_a,
                point_b,
                normal: if ordered { -toward } else { toward },
                gap,
                feature,
            },
        });
    }
    out.sort_by_key(|found| (found.bodies, found.touch.feature));
}
