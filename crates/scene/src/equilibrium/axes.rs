//! What the two dimensions read and draw.

use bodies::{Dim, Plane, Pose, Space, plane::Angle};

use crate::picture::BodyState;
use crate::record::BodyDescription;

/// A dimension whose placements come from records and go to pictures.
pub(super) trait RecordDim: Dim {
    /// Placement and velocity as the records hold them.
    fn pose(place: &BodyState) -> (Pose<Self>, Self::Dofs);
    /// A placement for a picture.
    fn place(pose: &Pose<Self>) -> BodyState;
    /// What a body is, for a picture.
    fn name(name: &str, material: &str, body: &bodies::Body<Self>) -> Option<BodyDescription>;
}

impl RecordDim for Plane {
    fn pose(place: &BodyState) -> (Pose<Self>, [f64; 3]) {
        let [w, _, _, z] = place.rotation;
        let pose = Pose {
            position: vector::<Self>(place.position),
            rotation: Angle::new(2.0 * z.atan2(w)),
        };
        (pose, [place.velocity[0], place.velocity[1], place.spin[2]])
    }

    fn place(pose: &Pose<Self>) -> BodyState {
        BodyState::at(
            [pose.position.x, pose.position.y, 0.0],
            pose.rotation.angle(),
        )
    }

    fn name(name: &str, material: &str, body: &bodies::Body<Self>) -> Option<BodyDescription> {
        crate::record::describe_body(name, material, body)
    }
}

impl RecordDim for Space {
    fn pose(place: &BodyState) -> (Pose<Self>, [f64; 6]) {
        let [w, x, y, z] = place.rotation;
        let pose = Pose {
            position: vector::<Self>(place.position),
            rotation: <Self as Dim>::Rotation::from_xyzw(x, y, z, w),
        };
        let [a, b, c] = place.velocity;
        let [p, q, r] = place.spin;
        (
            pose,
            Self::spin_to_body(&pose.rotation, &[a, b, c, p, q, r]),
        )
    }

    fn place(pose: &Pose<Self>) -> BodyState {
        let q = pose.rotation;
        BodyState {
            rotation: [q.w, q.x, q.y, q.z],
            ..BodyState::at(pose.position.to_array(), 0.0)
        }
    }

    fn name(name: &str, material: &str, body: &bodies::Body<Self>) -> Option<BodyDescription> {
        crate::record::describe_body(name, material, body)
    }
}

fn vector<D: Dim>(point: [f64; 3]) -> D::Vector {
    use bodies::Vector;
    D::Vector::from_components(&point[..D::N])
}
