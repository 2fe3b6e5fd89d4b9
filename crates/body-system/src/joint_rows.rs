//! Rows and values of the constraint functions of a joint, and of its coordinate (limits, springs).

use glam::DVec3;
use percuss_bodies::joint::{Joint, JointCoordinate, JointKind};

use crate::coordinates::Embedded;
use crate::jet::{Placed, VectorJet};
use crate::row::Row;

/// A joint at one state: the points and axes of both sides.
pub(crate) struct PlacedJoint {
    points: [VectorJet; 2],
    axes: [[VectorJet; 3]; 2],
    angle: f64,
    dimension: usize,
}

impl PlacedJoint {
    pub fn new<D: Embedded>(joint: &Joint<D>, sides: [&Placed; 2]) -> Self {
        let point = |k: usize| sides[k].point(D::embed(joint.frames[k].point));
        let axes = |k: usize| {
            let own = joint.frames[k].axes.as_ref();
            let axis = |i: usize| own.get(i).map_or(DVec3::Z, |axis| D::embed(*axis));
            [0, 1, 2].map(|i| sides[k].direction(axis(i)))
        };
        Self {
            points: [point(0), point(1)],
            axes: [axes(0), axes(1)],
            angle: sides[1].angle - sides[0].angle - joint.reference_angle,
            dimension: D::N,
        }
    }

    /// d = x_b − x_a.
    fn separation(&self) -> VectorJet {
        self.points[1] - self.points[0]
    }

    /// d/|d|; the first axis where the points coincide.
    fn toward(&self) -> VectorJet {
        let unit = self.separation().unit(f64::MIN_POSITIVE);
        unit.unwrap_or(self.axes[0][0])
    }

    fn along(&self, direction: VectorJet) -> Row {
        Row::along(direction, self.points[1])
    }

    /// The bilateral constraints: rows and values.
    pub fn bilateral<D: Embedded>(&self, joint: &Joint<D>) -> Vec<(Row, f64)> {
        let (d, n) = (self.separation(), self.dimension);
        let [e, f] = &self.axes;
        let across = |i: usize| (self.along(e[i]), d.dot(e[i]).value);
        // e·f = 0: its row is (ω_b − ω_a)·(f × e).
        let aligned = |e: VectorJet, f: VectorJet| (Row::about(f.cross(e)), e.dot(f).value);
        let mut all: Vec<(Row, f64)> = match joint.kind {
            JointKind::Revolute | JointKind::Spherical | JointKind::Fixed => {
                (0..n).map(across).collect()
            }
            JointKind::Prismatic | JointKind::Cylindrical => (1..n).map(across).collect(),
            JointKind::Distance if joint.rigid() => {
                vec![(self.along(self.toward()), d.norm().value - joint.length)]
            }
            JointKind::Distance | JointKind::Clearance => Vec::new(),
        };
        match (joint.kind, n) {
            (JointKind::Fixed | JointKind::Prismatic, 2) => {
                all.push((Row::about(VectorJet::constant(DVec3::Z)), self.angle));
            }
            (JointKind::Fixed | JointKind::Prismatic, _) => all.extend([
                aligned(e[1], f[0]),
                aligned(e[2], f[0]),
                aligned(e[2], f[1]),
            ]),
            (JointKind::Revolute | JointKind::Cylindrical, 3) => {
                all.extend([aligned(e[1], f[0]), aligned(e[2], f[0])]);
            }
            _ => {}
        }
        all
    }

    /// The coordinate of the joint and its row.
    pub fn coordinate<D: Embedded>(&self, joint: &Joint<D>) -> (Row, f64) {
        let [e, f] = &self.axes;
        let d = self.separation();
        match (joint.coordinate, self.dimension) {
            (JointCoordinate::Angle, 2) => (Row::about(VectorJet::constant(DVec3::Z)), self.angle),
            (JointCoordinate::Angle, _) => {
                let angle = e[2].dot(f[1]).value.atan2(e[1].dot(f[1]).value);
                (Row::about(e[0]), angle)
            }
            (JointCoordinate::Displacement, _) => (self.along(e[0]), d.dot(e[0]).value),
            (JointCoordinate::Distance, _) => (self.along(self.toward()), d.norm().value),
        }
    }

    /// Distance of the points, and the row along it: a pin in a hole.
    pub fn distance(&self) -> (VectorJet, f64) {
        (self.toward(), self.separation().norm().value)
    }

    /// The point of the second side.
    pub fn point(&self) -> VectorJet {
        self.points[1]
    }
}
