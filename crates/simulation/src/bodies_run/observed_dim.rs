//! The dimension as observables see it, beyond what stepping needs.

use percuss_bodies::geometry::ClippedVolume;
use percuss_bodies::{Dynamics, MassProperties, Plane, Pose, Space, Vector, World};

use percuss_body_system::BodyDim;
use percuss_record::WorldRef;
use percuss_scene::bodies_scene::{BodiesSetup, BuiltBodies};

/// The plane or space, as observables see it. Axial vectors have three entries in both: in the
/// plane the first two are 0.
pub trait ObservedDim: Dynamics + ClippedVolume + BodyDim {
    /// The vertical axis.
    const UP: usize;
    /// The angle of a rotation in the plane; 0 in space.
    fn angle(rotation: &Self::Rotation) -> f64;
    /// The rotation as a quaternion w, x, y, z.
    fn quaternion(rotation: &Self::Rotation) -> [f64; 4];
    /// Angular velocity in world axes.
    fn spin(pose: &Pose<Self>, velocity: &Self::Dofs) -> [f64; 3];
    /// lever × force.
    fn moment(lever: Self::Vector, force: Self::Vector) -> [f64; 3];
    /// Direction of the moment of a rolling or spinning row, in world axes.
    fn axis(direction: Self::Vector) -> [f64; 3];
    /// Angular momentum about the centre of mass, world axes.
    fn momentum(mass: &MassProperties<Self>, pose: &Pose<Self>, velocity: &Self::Dofs) -> [f64; 3];
    /// The world as observers see it.
    fn view(world: &World<Self>) -> WorldRef<'_>;
    /// The built bodies, where they are of this dimension.
    fn setup(built: BuiltBodies) -> Option<BodiesSetup<Self>>;
}

impl ObservedDim for Plane {
    const UP: usize = 1;

    fn angle(rotation: &Self::Rotation) -> f64 {
        rotation.angle()
    }

    fn quaternion(rotation: &Self::Rotation) -> [f64; 4] {
        // Rotation about z.
        let (sin, cos) = (0.5 * rotation.angle()).sin_cos();
        [cos, 0.0, 0.0, sin]
    }

    fn spin(_pose: &Pose<Self>, velocity: &[f64; 3]) -> [f64; 3] {
        [0.0, 0.0, velocity[2]]
    }

    fn moment(lever: Self::Vector, force: Self::Vector) -> [f64; 3] {
        [0.0, 0.0, lever.perp_dot(force)]
    }

    fn axis(_direction: Self::Vector) -> [f64; 3] {
        [0.0, 0.0, 1.0]
    }

    fn momentum(mass: &MassProperties<Self>, _: &Pose<Self>, velocity: &[f64; 3]) -> [f64; 3] {
        [0.0, 0.0, mass.inertia * velocity[2]]
    }

    fn view(world: &World<Self>) -> WorldRef<'_> {
        WorldRef::Plane(world)
    }

    fn setup(built: BuiltBodies) -> Option<BodiesSetup<Self>> {
        match built {
            BuiltBodies::Plane(setup) => Some(setup),
            BuiltBodies::Space(_) => None,
        }
    }
}

impl ObservedDim for Space {
    const UP: usize = 2;

    fn angle(_rotation: &Self::Rotation) -> f64 {
        0.0
    }

    fn quaternion(rotation: &Self::Rotation) -> [f64; 4] {
        // The array is x, y, z, w.
        let [x, y, z, w] = rotation.to_array();
        [w, x, y, z]
    }

    fn spin(pose: &Pose<Self>, velocity: &[f64; 6]) -> [f64; 3] {
        // Body axes to world axes.
        let spin = Self::Vector::from_components(&velocity[3..6]);
        (pose.rotation * spin).to_array()
    }

    fn moment(lever: Self::Vector, force: Self::Vector) -> [f64; 3] {
        lever.cross(force).to_array()
    }

    fn axis(direction: Self::Vector) -> [f64; 3] {
        direction.to_array()
    }

    fn momentum(mass: &MassProperties<Self>, pose: &Pose<Self>, velocity: &[f64; 6]) -> [f64; 3] {
        let spin = Self::Vector::from_components(&velocity[3..6]);
        (pose.rotation * (mass.inertia * spin)).to_array()
    }

    fn view(world: &World<Self>) -> WorldRef<'_> {
        WorldRef::Space(world)
    }

    fn setup(built: BuiltBodies) -> Option<BodiesSetup<Self>> {
        match built {
            BuiltBodies::Space(setup) => Some(setup),
            BuiltBodies::Plane(_) => None,
        }
    }
}
