//! Coordinates of bodies: which entries of q and v belong to a body, and where the body then is.

use glam::{DMat3, DQuat, DVec2, DVec3};
use percuss_bodies::{Dynamics, Freedom};
use percuss_geometry::rotation::Angle;
use percuss_geometry::{Plane, Pose, Space};
use percuss_mechanism::Coordinate;

use crate::features::Featured;
use crate::jet::{Placed, VectorJet};

/// A dimension as a part of space: the plane is z = 0.
pub(crate) trait Embedded: Dynamics + Featured {
    /// A vector of the dimension in space.
    fn embed(vector: Self::Vector) -> DVec3;
    /// The body at a pose with a velocity.
    fn placed(pose: &Pose<Self>, velocity: &Self::Dofs) -> Placed;
    /// Entries of a row of G by velocity component: factors of the velocity of the centre and of the spin, in world axes.
    fn entries(placed: &Placed, factors: [DVec3; 2]) -> Self::Dofs;
    /// The pose of a body with other coordinates where `slot` says so.
    fn pose(slot: &Slot, rest: &Pose<Self>, q: &[f64]) -> Pose<Self>;
    /// Writes the coordinates of a pose.
    fn write(slot: &Slot, pose: &Pose<Self>, q: &mut [f64]);
    /// Kind of the coordinate of velocity component `k`: a component alone, or the first of an orientation; `None` for
    /// the others of an orientation.
    fn coordinate(k: usize) -> Option<Coordinate>;
    /// Gyroscopic moment −Ω × IΩ in body axes, by velocity component.
    fn gyroscopic(masses: &Self::Dofs, velocity: &Self::Dofs) -> Self::Dofs;
}

/// A dimension whose bodies have an event-driven motion: the plane and space.
#[allow(private_bounds)]
pub trait BodyDim: Embedded {}

impl BodyDim for Plane {}
impl BodyDim for Space {}

/// The coordinates of one body: component of its velocity, first position, first velocity.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Slot {
    pub entries: Vec<(usize, usize, usize)>,
}

impl Slot {
    /// Appends the coordinates of a body.
    ///
    /// # Errors
    /// A body of space whose rotation is locked in part.
    pub fn append<D: Embedded>(
        freedom: Freedom,
        coordinates: &mut Vec<Coordinate>,
    ) -> Result<Self, &'static str> {
        let mut slot = Self::default();
        let mut k = 0;
        while k < D::DOF {
            let Some(kind) = D::coordinate(k) else {
                k += 1;
                continue;
            };
            let width = kind.num_velocities();
            let free = (k..k + width).filter(|&i| freedom.is_free(i)).count();
            if free == width {
                let p = coordinates.iter().map(|c| c.num_positions()).sum();
                let s = coordinates.iter().map(|c| c.num_velocities()).sum();
                slot.entries.push((k, p, s));
                coordinates.push(kind);
            } else if free > 0 {
                return Err("it may turn about some axes only");
            }
            k += width;
        }
        Ok(slot)
    }

    /// The velocity of the body.
    pub fn velocity<D: Embedded>(&self, v: &[f64]) -> D::Dofs {
        let mut all = D::ZERO_VELOCITY;
        self.scatter::<D>(|k, s| all.as_mut()[k] = v[s]);
        all
    }

    /// Calls `visit` with each velocity component of the body and its place in v.
    pub fn scatter<D: Embedded>(&self, mut visit: impl FnMut(usize, usize)) {
        for &(k, _, s) in &self.entries {
            let width = D::coordinate(k).map_or(1, Coordinate::num_velocities);
            (0..width).for_each(|i| visit(k + i, s + i));
        }
    }
}

impl Embedded for Plane {
    fn embed(vector: DVec2) -> DVec3 {
        vector.extend(0.0)
    }

    fn placed(pose: &Pose<Self>, velocity: &[f64; 3]) -> Placed {
        Placed {
            position: VectorJet {
                value: pose.position.extend(0.0),
                rate: DVec3::new(velocity[0], velocity[1], 0.0),
            },
            rotation: DMat3::from_rotation_z(pose.rotation.angle()),
            spin: DVec3::Z * velocity[2],
            angle: pose.rotation.angle(),
        }
    }

    fn entries(_placed: &Placed, [linear, angular]: [DVec3; 2]) -> [f64; 3] {
        [linear.x, linear.y, angular.z]
    }

    fn pose(slot: &Slot, rest: &Pose<Self>, q: &[f64]) -> Pose<Self> {
        let mut pose = *rest;
        for &(k, p, _) in &slot.entries {
            match k {
                0 | 1 => pose.position[k] = q[p],
                _ => pose.rotation = Angle::new(q[p]),
            }
        }
        pose
    }

    fn write(slot: &Slot, pose: &Pose<Self>, q: &mut [f64]) {
        for &(k, p, _) in &slot.entries {
            q[p] = match k {
                0 | 1 => pose.position[k],
                _ => pose.rotation.angle(),
            };
        }
    }

    fn coordinate(k: usize) -> Option<Coordinate> {
        Some(match k {
            0 | 1 => Coordinate::Length,
            _ => Coordinate::Angle,
        })
    }

    fn gyroscopic(_masses: &[f64; 3], _velocity: &[f64; 3]) -> [f64; 3] {
        [0.0; 3]
    }
}

impl Embedded for Space {
    fn embed(vector: DVec3) -> DVec3 {
        vector
    }

    fn placed(pose: &Pose<Self>, velocity: &[f64; 6]) -> Placed {
        let [x, y, z, a, b, c] = *velocity;
        let rotation = DMat3::from_quat(pose.rotation);
        Placed {
            position: VectorJet {
                value: pose.position,
                rate: DVec3::new(x, y, z),
            },
            rotation,
            spin: rotation * DVec3::new(a, b, c),
            angle: 0.0,
        }
    }

    fn entries(placed: &Placed, [linear, angular]: [DVec3; 2]) -> [f64; 6] {
        let own = placed.rotation.transpose() * angular;
        [linear.x, linear.y, linear.z, own.x, own.y, own.z]
    }

    fn pose(slot: &Slot, rest: &Pose<Self>, q: &[f64]) -> Pose<Self> {
        let mut pose = *rest;
        for &(k, p, _) in &slot.entries {
            match k {
                0..=2 => pose.position[k] = q[p],
                _ => {
                    let turned = DQuat::from_xyzw(q[p + 1], q[p + 2], q[p + 3], q[p]);
                    pose.rotation = turned.normalize();
                }
            }
        }
        pose
    }

    fn write(slot: &Slot, pose: &Pose<Self>, q: &mut [f64]) {
        for &(k, p, _) in &slot.entries {
            match k {
                0..=2 => q[p] = pose.position[k],
                _ => {
                    let r = pose.rotation;
                    q[p..p + 4].copy_from_slice(&[r.w, r.x, r.y, r.z]);
                }
            }
        }
    }

    fn coordinate(k: usize) -> Option<Coordinate> {
        match k {
            0..=2 => Some(Coordinate::Length),
            3 => Some(Coordinate::Orientation),
            _ => None,
        }
    }

    fn gyroscopic(masses: &[f64; 6], velocity: &[f64; 6]) -> [f64; 6] {
        let spin = DVec3::new(velocity[3], velocity[4], velocity[5]);
        let inertia = DVec3::new(masses[3], masses[4], masses[5]);
        let moment = -spin.cross(inertia * spin);
        [0.0, 0.0, 0.0, moment.x, moment.y, moment.z]
    }
}
