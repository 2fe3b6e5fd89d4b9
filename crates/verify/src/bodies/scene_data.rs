//! Data of the scene: masses, laws, prescribed motions and force fields, in one form for plane and space.
//!
//! The plane is embedded as z = 0 of space: its bodies rotate about z alone. Forces, prescribed motions and motor
//! speeds are the scene's expressions; everything that follows from them is computed here.

use percuss_scene::model::bodies::plane::Angle;
use percuss_scene::model::bodies::{
    Dim, ForceContext, Freedom, Friction, Joint, Model, PairLaw, Plane, Pose, Space, Vector,
};

use super::super::laws::{Rule, Section};
use super::super::vector::{IDENTITY, M3, Q4, V3, about_z, conjugate, product, sub};

/// Pose of a body in space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpatialPose {
    pub x: V3,
    pub q: Q4,
    /// The angle in the plane, not reduced modulo 2π.
    pub angle: f64,
}

/// Twist of a body: velocity in space axes, angular velocity in body axes.
pub type Twist = [f64; 6];

/// Constants of a body.
#[derive(Debug, Clone, Copy)]
pub struct BodyConstants {
    /// Mass and moments of inertia by component, and their inverses; 0 where the component does not follow forces.
    pub masses: [f64; 6],
    pub inverse: [f64; 6],
    pub mass: f64,
    pub movable: bool,
    pub guide: Option<usize>,
    pub material: u16,
    /// Linear drag coefficients of translation and rotation.
    pub drag: [f64; 2],
    /// Free in space with equal moments of inertia: its spin is taken about space axes.
    pub world_spin: bool,
}

/// Conversion between a dimension (plane, space) and spatial quantities.
pub trait EmbedInSpace: Dim {
    fn pose(stand: &SpatialPose) -> Pose<Self>;
    fn spatial_pose(pose: &Pose<Self>) -> SpatialPose;
    fn dofs(speed: &Twist) -> Self::Dofs;
    fn twist(dofs: &Self::Dofs) -> Twist;
    fn inertia(inertia: &Self::Inertia) -> V3;
}

impl EmbedInSpace for Plane {
    fn pose(stand: &SpatialPose) -> Pose<Self> {
        Pose {
            position: Vector::from_components(&stand.x[..2]),
            rotation: Angle::new(stand.angle),
        }
    }

    fn spatial_pose(pose: &Pose<Self>) -> SpatialPose {
        let angle = pose.rotation.angle();
        SpatialPose {
            x: [pose.position.x, pose.position.y, 0.0],
            q: about_z(angle),
            angle,
        }
    }

    fn dofs(speed: &Twist) -> [f64; 3] {
        [speed[0], speed[1], speed[5]]
    }

    fn twist(dofs: &[f64; 3]) -> Twist {
        [dofs[0], dofs[1], 0.0, 0.0, 0.0, dofs[2]]
    }

    fn inertia(inertia: &f64) -> V3 {
        [0.0, 0.0, *inertia]
    }
}

impl EmbedInSpace for Space {
    fn pose(stand: &SpatialPose) -> Pose<Self> {
        let [w, x, y, z] = stand.q;
        Pose {
            position: Vector::from_components(&stand.x),
            rotation: <Self as percuss_scene::model::bodies::geometry::Dim>::Rotation::from_xyzw(
                x, y, z, w,
            ),
        }
    }

    fn spatial_pose(pose: &Pose<Self>) -> SpatialPose {
        let q = pose.rotation;
        SpatialPose {
            x: [pose.position.x, pose.position.y, pose.position.z],
            q: [q.w, q.x, q.y, q.z],
            angle: 0.0,
        }
    }

    fn dofs(speed: &Twist) -> [f64; 6] {
        *speed
    }

    fn twist(dofs: &[f64; 6]) -> Twist {
        *dofs
    }

    fn inertia(inertia: &<Self as percuss_scene::model::bodies::geometry::Dim>::Inertia) -> V3 {
        [inertia.x, inertia.y, inertia.z]
    }
}

/// The model of a scene, with constants for each body.
#[derive(Debug)]
pub struct SceneData<D: Dim> {
    pub model: Model<D>,
    pub parts: Vec<BodyConstants>,
    /// Poses of the bodies with prescribed motions at the start of their motions.
    pub motion_origins: Vec<SpatialPose>,
    poses: Vec<Pose<D>>,
    speeds: Vec<D::Dofs>,
    loads: Vec<D::Dofs>,
}

/// Index in a twist of a component of the dimension.
fn component<D: Dim>(k: usize) -> usize {
    match (D::N, k) {
        (2, 2) => 5,
        _ => k,
    }
}

impl<D: EmbedInSpace> SceneData<D> {
    pub fn new(model: Model<D>) -> Self {
        let drag = |i: usize| model.drag.get(i).copied().unwrap_or_default();
        let part = |(i, body): (usize, &percuss_scene::model::bodies::Body<D>)| {
            let m = body.mass.mass;
            // Inverse masses of the free components alone.
            let moments = D::inertia(&body.mass.inertia);
            let masses = [m, m, m, moments[0], moments[1], moments[2]];
            let mut inverse = [0.0; 6];
            for k in 0..D::DOF {
                if body.freedom.is_free(k) {
                    let at = component::<D>(k);
                    inverse[at] = 1.0 / masses[at];
                }
            }
            let drag = drag(i);
            BodyConstants {
                masses,
                inverse,
                mass: m,
                movable: body.freedom.movable(),
                guide: match body.freedom {
                    Freedom::Kinematic(guide) => Some(guide as usize),
                    _ => None,
                },
                material: body.material,
                drag: [drag.translation, drag.rotation],
                world_spin: body.freedom == Freedom::Free
                    && D::N == 3
                    && masses[3] == masses[4]
                    && masses[4] == masses[5],
            }
        };
        let parts = model.bodies.iter().enumerate().map(part).collect();
        Self {
            parts,
            motion_origins: Vec::new(),
            poses: Vec::new(),
            speeds: Vec::new(),
            loads: Vec::new(),
            model,
        }
    }

    /// Computes the origins of the prescribed motions from the poses at the start.
    pub fn set_motion_origins(&mut self, start: &[SpatialPose], t: f64) {
        // A prescribed motion is relative to its origin: origin = start pose less the motion at the start.
        let still = SpatialPose {
            x: [0.0; 3],
            q: IDENTITY,
            angle: 0.0,
        };
        self.motion_origins = vec![still; self.model.prescribed_motions.len()];
        for (part, stand) in self.parts.iter().zip(start) {
            let Some(guide) = part.guide else { continue };
            let (Some(given), Some(anchor)) = (
                self.model.prescribed_motions.get_mut(guide),
                self.motion_origins.get_mut(guide),
            ) else {
                continue;
            };
            let (moved, _) = given.at(&D::pose(&still), t);
            let moved = D::spatial_pose(&moved);
            *anchor = SpatialPose {
                x: sub(stand.x, moved.x),
                q: product(conjugate(moved.q), stand.q),
                angle: stand.angle - moved.angle,
            };
        }
    }

    /// Pose and twist of a kinematic body by its prescribed motion.
    pub fn prescribed_state(&mut self, guide: usize, t: f64) -> Option<(SpatialPose, Twist)> {
        let anchor = D::pose(self.motion_origins.get(guide)?);
        let (pose, dofs) = self.model.prescribed_motions.get_mut(guide)?.at(&anchor, t);
        Some((D::spatial_pose(&pose), D::twist(&dofs)))
    }

    /// Whether there are force fields beyond gravity and drag.
    pub fn has_fields(&self) -> bool {
        !self.model.force_fields.is_empty()
    }

    /// Force fields: forces in space axes and moments in body axes.
    pub fn loads(&mut self, t: f64, stands: &[SpatialPose], speeds: &[Twist], out: &mut [Twist]) {
        // Conversion to the dimension of the scene, then all force fields.
        self.poses.clear();
        self.poses.extend(stands.iter().map(D::pose));
        self.speeds.clear();
        self.speeds.extend(speeds.iter().map(D::dofs));
        self.loads.clear();
        self.loads.resize(stands.len(), D::ZERO_VELOCITY);
        for field in &mut self.model.force_fields {
            let scenery = ForceContext {
                t,
                poses: &self.poses,
                velocities: &self.speeds,
                bodies: &self.model.bodies,
            };
            field.add_loads(&scenery, &mut self.loads);
        }
        for (out, load) in out.iter_mut().zip(&self.loads) {
            *out = D::twist(load);
        }
    }

    /// Acceleration of gravity.
    pub fn gravity(&self) -> V3 {
        let mut g = [0.0; 3];
        for (g, value) in g.iter_mut().zip(self.model.gravity.components()) {
            *g = *value;
        }
        g
    }

    /// Imposed velocity gradient and stress of the cell at a time.
    pub fn control(&mut self, t: f64) -> (M3, M3) {
        let cell = self.model.cell.as_mut();
        let control = cell.and_then(|cell| cell.control.as_mut());
        let given = control.map_or_else(Default::default, |control| control.at(t));
        (given.rate, given.stress)
    }

    /// Whether the cell deforms.
    pub fn flows(&self) -> bool {
        let cell = self.model.cell.as_ref();
        cell.is_some_and(|cell| cell.control.is_some() || !cell.modes.is_empty())
    }

    /// The law between two bodies, with its restitution: by material, or that of a pin joint with clearance.
    pub fn pair(&self, a: usize, b: usize, feature: u32) -> Option<&PairLaw> {
        if let Some(joint) = clearance_of(feature, &self.model.joints) {
            return joint.clearance.as_ref().map(|clearance| &clearance.law);
        }
        let (a, b) = (self.parts.get(a)?.material, self.parts.get(b)?.material);
        Some(self.model.materials.law(a, b).0)
    }
}

/// The joint with clearance that a contact feature belongs to: such features are numbered from a fixed offset on.
pub(super) fn clearance_of<D: Dim>(feature: u32, joints: &[Joint<D>]) -> Option<&Joint<D>> {
    let number = feature.checked_sub(0xFFF0_0000)? as usize;
    joints.get(number).filter(|joint| joint.clearance.is_some())
}

/// The rules of a law: two where the friction coefficient depends on the status of the contact before, which a
/// thinned record does not have.
pub(super) fn rules(pair: &PairLaw, plane: bool) -> Vec<Rule> {
    let rows = if plane { 1 } else { 2 };
    let disc = |mu: f64| Rule::Cone(Section::Discs(vec![(mu, rows)]));
    // Rolling and spinning resistance: a product of discs.
    if pair.rolling > 0.0 || pair.spinning > 0.0 {
        let mu = match pair.friction {
            Friction::Coulomb(mu) => mu,
            _ => 0.0,
        };
        let mut discs = vec![(mu, rows), (pair.rolling, rows)];
        if !plane {
            discs.push((pair.spinning, 1));
        }
        return vec![Rule::Cone(Section::Discs(discs))];
    }
    // One rule for each friction section; static and dynamic coefficients give two.
    match &pair.friction {
        Friction::None => vec![Rule::Cone(Section::Nothing)],
        Friction::Coulomb(mu) if *mu == 0.0 => vec![Rule::Cone(Section::Nothing)],
        Friction::Coulomb(mu) => vec![disc(*mu)],
        Friction::Asymmetric { plus, minus } => vec![Rule::Cone(Section::Interval {
            plus: *plus,
            minus: *minus,
        })],
        Friction::Elliptic { mu1, mu2, .. } => vec![Rule::Cone(Section::Ellipse([*mu1, *mu2]))],
        Friction::Polygon { section, .. } => {
            vec![Rule::Cone(Section::Polygon(section.vertices().to_vec()))]
        }
        Friction::StaticDynamic(both) => vec![disc(both.mu_static), disc(both.mu_dynamic)],
    }
}

/// Number of rows of a contact with this law.
pub(super) fn width(pair: &PairLaw, plane: bool) -> usize {
    let plain = if plane { 2 } else { 3 };
    match &pair.friction {
        _ if pair.rolling > 0.0 || pair.spinning > 0.0 => {
            if plane {
                3
            } else {
                6
            }
        }
        Friction::None => 1,
        Friction::Coulomb(mu) if *mu == 0.0 => 1,
        _ => plain,
    }
}
