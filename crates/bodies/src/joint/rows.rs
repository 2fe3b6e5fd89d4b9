//! Constraint functions Φ of a joint, its coordinate, and their Jacobian rows; candidates of pins in holes.

use super::{Joint, JointCoordinate, JointFrame, JointKind};
use crate::candidate::Candidate;
use crate::dynamics::Dynamics;
use percuss_geometry::{ContactPoint, Pose, Vector};

/// Row of G: the velocity of b relative to a along a direction at a point, or their relative spin about an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct JacobianRow<D: Dynamics> {
    /// Whether the row is a relative spin.
    pub angular: bool,
    /// Direction or axis, world axes; ignored for angular rows of the plane.
    pub direction: D::Vector,
    /// The point, in world coordinates.
    pub at: D::Vector,
}

impl<D: Dynamics> JacobianRow<D> {
    /// Entries of the row for a body at this position whose spin is about `axes`.
    pub fn fill(&self, axes: &D::Rotation, position: D::Vector, out: &mut [f64]) {
        match self.angular {
            true => D::angular_jacobian_row(axes, self.direction, out),
            false => D::linear_jacobian_row(axes, self.at - position, self.direction, out),
        }
    }
}

/// A bilateral constraint: the value of its function Φ and its row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BilateralConstraint<D: Dynamics> {
    pub row: JacobianRow<D>,
    pub value: f64,
}

/// Feature number of the clearance of joint 0; that of joint j is larger by j. Hashed features of compound
/// shapes may lie in the same range: a coincidence has a probability of about (number of joints)/2³² per
/// contact point.
pub const CLEARANCES: u32 = 0xFFF0_0000;

/// Both frames of a joint in world coordinates.
pub(crate) struct PlacedFrames<D: Dynamics> {
    /// x_a and x_b.
    pub points: [D::Vector; 2],
    /// Axes of the two frames.
    axes: [[D::Vector; 3]; 2],
    /// Angle from body a to body b (plane).
    angle: f64,
}

/// Pose of a frame's body; the identity for the world.
fn pose<D: Dynamics>(side: &JointFrame<D>, poses: &[Pose<D>]) -> Pose<D> {
    let still = Pose {
        position: D::Vector::default(),
        rotation: D::Rotation::default(),
    };
    side.body
        .and_then(|body| poses.get(body as usize).copied())
        .unwrap_or(still)
}

impl<D: Dynamics> Joint<D> {
    /// Both frames in world coordinates.
    pub(crate) fn placed_frames(&self, poses: &[Pose<D>]) -> PlacedFrames<D> {
        let mut ends = PlacedFrames {
            points: [D::Vector::default(); 2],
            axes: [[D::Vector::default(); 3]; 2],
            angle: -self.reference_angle,
        };
        for (k, side) in self.frames.iter().enumerate() {
            // Point and axes of the frame in world coordinates; angle of b minus angle of a.
            let pose = pose(side, poses);
            ends.points[k] = pose.position + D::rotate(&pose.rotation, side.point);
            for (axis, own) in ends.axes[k].iter_mut().zip(side.axes.as_ref()) {
                *axis = D::rotate(&pose.rotation, *own);
            }
            let sign = if k == 0 { -1.0 } else { 1.0 };
            ends.angle += sign * D::plane_angle(&pose.rotation);
        }
        ends
    }

    /// Appends the bilateral constraints with values and rows.
    pub(crate) fn bilateral_constraints(
        &self,
        ends: &PlacedFrames<D>,
        out: &mut Vec<BilateralConstraint<D>>,
    ) {
        // Linear constraint d·e_i at x_b.
        let d = ends.separation();
        let [e, f] = &ends.axes;
        let along = |i: usize| BilateralConstraint {
            row: ends.along(e[i]),
            value: d.dot(e[i]),
        };
        // The row of e·f: (ω_b − ω_a)·(f × e).
        let aligned = |e: D::Vector, f: D::Vector| BilateralConstraint {
            row: ends.about(cross(f, e)),
            value: e.dot(f),
        };
        // Translations.
        match self.kind {
            JointKind::Revolute | JointKind::Spherical | JointKind::Fixed => {
                out.extend((0..D::N).map(along))
            }
            JointKind::Prismatic | JointKind::Cylindrical => out.extend((1..D::N).map(along)),
            JointKind::Distance if self.rigid() => out.push(BilateralConstraint {
                row: ends.along(ends.toward()),
                value: d.norm() - self.length,
            }),
            JointKind::Distance | JointKind::Clearance => {}
        }
        // Rotations.
        match (self.kind, D::N) {
            (JointKind::Fixed | JointKind::Prismatic, 2) => out.push(BilateralConstraint {
                row: ends.about(D::Vector::default()),
                value: ends.angle,
            }),
            (JointKind::Fixed | JointKind::Prismatic, _) => {
                out.extend([
                    aligned(e[1], f[0]),
                    aligned(e[2], f[0]),
                    aligned(e[2], f[1]),
                ]);
            }
            (JointKind::Revolute | JointKind::Cylindrical, 3) => {
                out.extend([aligned(e[1], f[0]), aligned(e[2], f[0])]);
            }
            _ => {}
        }
    }

    /// Value of a coordinate.
    pub(crate) fn value(&self, ends: &PlacedFrames<D>, coordinate: JointCoordinate) -> f64 {
        let [e, f] = &ends.axes;
        match (coordinate, D::N) {
            (JointCoordinate::Angle, 2) => ends.angle,
            // Angle of f_2 about axis 1, from e_2.
            (JointCoordinate::Angle, _) => e[2].dot(f[1]).atan2(e[1].dot(f[1])),
            (JointCoordinate::Displacement, _) => ends.separation().dot(e[0]),
            (JointCoordinate::Distance, _) => ends.separation().norm(),
        }
    }

    /// Jacobian row of the joint's coordinate.
    pub(crate) fn coordinate_row(&self, ends: &PlacedFrames<D>) -> JacobianRow<D> {
        match self.coordinate {
            JointCoordinate::Angle => ends.about(ends.axes[0][0]),
            JointCoordinate::Displacement => ends.along(ends.axes[0][0]),
            JointCoordinate::Distance => ends.along(ends.toward()),
        }
    }

    /// Rows in which dry friction acts: that of the coordinate, or all rotations of a spherical joint.
    pub(crate) fn friction_rows(&self, ends: &PlacedFrames<D>) -> ([JacobianRow<D>; 3], usize) {
        let e = &ends.axes[0];
        match self.kind {
            JointKind::Spherical => ([0, 1, 2].map(|k| ends.about(e[k])), 3),
            _ => ([self.coordinate_row(ends); 3], 1),
        }
    }

    /// Norm of the reaction that bounds friction: across the joint's axis if it has one in space, otherwise of
    /// all linear rows. `impulse` is that of the held rows.
    pub(crate) fn reaction_norm(&self, impulse: &[f64]) -> f64 {
        // Linear held rows that count; in space those across the axis.
        let rows = match (self.kind, D::N) {
            (JointKind::Revolute, 3) => 1..3,
            (JointKind::Revolute | JointKind::Spherical, n) => 0..n,
            (JointKind::Prismatic | JointKind::Cylindrical, n) => 0..n - 1,
            _ => 0..0,
        };
        let parts = impulse.get(rows).unwrap_or(&[]);
        parts.iter().map(|s| s * s).sum::<f64>().sqrt()
    }
}

impl<D: Dynamics> PlacedFrames<D> {
    /// d = x_b − x_a.
    pub fn separation(&self) -> D::Vector {
        self.points[1] - self.points[0]
    }

    /// Axis of the joint.
    pub fn axis(&self) -> D::Vector {
        self.axes[0][0]
    }

    /// Whether axes of the two frames that should coincide are opposite: the first, or any.
    pub fn opposed(&self, all: bool) -> bool {
        let [e, f] = &self.axes;
        let count = if all { D::N } else { 1 };
        e.iter().zip(f).take(count).any(|(e, f)| !(e.dot(*f) > 0.0))
    }

    /// d/|d|; the first axis where the points coincide.
    fn toward(&self) -> D::Vector {
        let (d, length) = (self.separation(), self.separation().norm());
        if length > 0.0 {
            d * (1.0 / length)
        } else {
            self.axes[0][0]
        }
    }

    /// Linear row along a direction at x_b.
    fn along(&self, direction: D::Vector) -> JacobianRow<D> {
        JacobianRow {
            angular: false,
            direction,
            at: self.points[1],
        }
    }

    /// Angular row about an axis.
    fn about(&self, axis: D::Vector) -> JacobianRow<D> {
        JacobianRow {
            angular: true,
            direction: axis,
            at: self.points[1],
        }
    }
}

/// Vector product in space; 0 in the plane, where axes are not used.
fn cross<V: Vector>(a: V, b: V) -> V {
    match (a.components(), b.components()) {
        (&[a0, a1, a2], &[b0, b1, b2]) => {
            V::from_components(&[a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])
        }
        _ => V::default(),
    }
}

/// The joint whose pin a candidate is, judged by its feature alone; `None` for contacts of shapes.
pub(crate) fn clearance_joint<D: Dynamics>(
    joints: &[Joint<D>],
    found: &Candidate<D>,
) -> Option<usize> {
    let joint = found.point.feature.checked_sub(CLEARANCES)? as usize;
    let known = joints.get(joint)?;
    known.clearance.as_ref().map(|_| joint)
}

/// Candidates of pins in their holes with gap ≤ the sum of the two bodies' `growth` (margins), sorted like
/// those of a detector.
///
/// ```text
/// gap = play − |d|,   normal −d/|d| on the pin: exact, hole and pin being round
/// ```
pub(crate) fn clearance_candidates<D: Dynamics>(
    joints: &[Joint<D>],
    poses: &[Pose<D>],
    growth: &[f64],
    out: &mut Vec<Candidate<D>>,
) {
    out.clear();
    for (number, joint) in joints.iter().enumerate() {
        let (Some(clearance), [Some(a), Some(b)]) =
            (&joint.clearance, joint.frames.map(|side| side.body))
        else {
            continue;
        };
        let ends = joint.placed_frames(poses);
        let (length, toward) = (ends.separation().norm(), ends.toward());
        // The pin touches the hole where its centre is off by the play.
        let gap = clearance.play - length;
        let reach = |body: u32| growth.get(body as usize).copied().unwrap_or(0.0);
        if gap > reach(a) + reach(b) {
            continue;
        }
        // Points on the surfaces of hole and pin, along the line of centres.
        let hole = clearance.pin + clearance.play;
        let on_hole = ends.points[0] + toward * hole;
        let on_pin = ends.points[1] + toward * clearance.pin;
        let feature = CLEARANCES + number as u32;
        // The normal points from the body of smaller index to the other one.
        let ordered = a < b;
        let (point_a, point_b) = if ordered {
            (on_hole, on_pin)
        } else {
            (on_pin, on_hole)
        };
        out.push(Candidate {
            bodies: if ordered { [a, b] } else { [b, a] },
            image: [0; 3],
            point: ContactPoint {
                point_a,
                point_b,
                normal: if ordered { -toward } else { toward },
                gap,
                feature,
            },
        });
    }
    out.sort_by_key(|found| (found.bodies, found.point.feature));
}
