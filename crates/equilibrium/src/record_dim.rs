//! Conversion of poses and velocities between records, pictures and `bodies`, by dimension.

use percuss_bodies::{Dim, Plane, Pose, Space, plane::Angle};
use percuss_record::BodyDescription;
use percuss_record::frame::BodyState;

/// A dimension whose poses are read from records and drawn.
pub(super) trait RecordDim: Dim {
    /// Pose and velocity of a recorded state; the spin in body axes in space.
    fn pose(place: &BodyState) -> (Pose<Self>, Self::Dofs);
    /// A recorded state with this pose, for a picture.
    fn place(pose: &Pose<Self>) -> BodyState;
    /// Name, material and shape of a body, for a picture; `None` where the shape has no drawing.
    fn name(
        name: &str,
        material: &str,
        body: &percuss_bodies::Body<Self>,
    ) -> Option<BodyDescription>;
}

impl RecordDim for Plane {
    fn pose(place: &BodyState) -> (Pose<Self>, [f64; 3]) {
        // Unit quaternion about z to an angle.
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

    fn name(
        name: &str,
        material: &str,
        body: &percuss_bodies::Body<Self>,
    ) -> Option<BodyDescription> {
        percuss_record::describe_body(name, material, body)
    }
}

impl RecordDim for Space {
    fn pose(place: &BodyState) -> (Pose<Self>, [f64; 6]) {
        // Records store quaternions scalar first.
        let [w, x, y, z] = place.rotation;
        let pose = Pose {
            position: vector::<Self>(place.position),
            rotation: <Self as percuss_bodies::geometry::Dim>::Rotation::from_xyzw(x, y, z, w),
        };
        // Records have the spin in world axes, `bodies` in body axes.
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

    fn name(
        name: &str,
        material: &str,
        body: &percuss_bodies::Body<Self>,
    ) -> Option<BodyDescription> {
        percuss_record::describe_body(name, material, body)
    }
}

fn vector<D: Dim>(point: [f64; 3]) -> D::Vector {
    use percuss_bodies::Vector;
    D::Vector::from_components(&point[..D::N])
}
