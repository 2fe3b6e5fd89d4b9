//! Static model of bodies in contact: the contact map G of `statics` from poses, contact points and laws.
//!
//! The coordinates of a body are its free velocity components, rotations times the radius of gyration
//! ρ_k = √(I_k/m), so that a balance of forces and torques has one unit; rows of G are divided by ρ_k accordingly.

use percuss_bodies::{Body, Detector, Dim, Friction, Model, Pose, contact_law};
use percuss_contact::law::{Law, Status};
use percuss_statics::{ContactAssembly, ContactAssemblyBuilder, StaticsError};

/// Closed-contact tolerance relative to the bounding radii of the two bodies: a smaller gap counts as closed. Faces
/// meant to touch have gaps of the order of rounding; faces drawn apart are far above.
pub const CLOSED: f64 = 1e-6;

/// Largest number of rows of a contact and of coordinates of a body.
const WIDE: usize = 6;

/// A closed contact point with its frame and law.
#[derive(Debug, Clone)]
pub(super) struct StaticContact<D: Dim> {
    pub bodies: [u32; 2],
    pub at: D::Vector,
    /// Unit normal, from the first body to the second, then tangents.
    pub frame: Vec<D::Vector>,
    pub law: Law,
    pub rows: usize,
}

/// The coordinates of a movable body in the static model.
#[derive(Debug, Clone)]
pub(super) struct BodyCoordinates {
    pub first: usize,
    /// Velocity components that are free.
    components: Vec<usize>,
    /// By component: 1 for translations, the radius of gyration for rotations.
    radius: Vec<f64>,
    pub mass: f64,
}

/// Contact map and coordinates of all bodies.
#[derive(Debug)]
pub(super) struct StaticModel {
    pub system: ContactAssembly,
    /// By body; `None` for bodies that do not follow forces.
    pub seats: Vec<Option<BodyCoordinates>>,
}

impl StaticModel {
    /// Assembles G of these bodies and contacts.
    pub fn new<D: Dim>(
        bodies: &[Body<D>],
        poses: &[Pose<D>],
        spots: &[StaticContact<D>],
    ) -> Result<Self, StaticsError> {
        let mut builder = ContactAssemblyBuilder::new();
        let mut first = 0;
        let mut groups = Vec::with_capacity(bodies.len());
        // Columns: one group of coordinates per movable body.
        let seats: Vec<Option<BodyCoordinates>> = bodies
            .iter()
            .map(|body| {
                let seat = seat(body, first);
                groups.push(
                    seat.as_ref()
                        .map(|seat| builder.add_group(seat.components.len())),
                );
                first += seat.as_ref().map_or(0, |seat| seat.components.len());
                seat
            })
            .collect();
        // Rows: one block per contact and movable body; −G for the first body, +G for the second.
        for spot in spots {
            let mut blocks: Vec<(usize, Vec<f64>)> = Vec::new();
            for (&body, sign) in spot.bodies.iter().zip([-1.0, 1.0]) {
                let i = body as usize;
                if let (Some(seat), Some(group)) = (&seats[i], groups[i]) {
                    blocks.push((group, block(spot, &poses[i], seat, sign)));
                }
            }
            let touches: Vec<(usize, &[f64])> = blocks
                .iter()
                .map(|(group, block)| (*group, block.as_slice()))
                .collect();
            builder.add_contact(spot.law.clone(), spot.rows, &touches)?;
        }
        Ok(Self {
            system: builder.build(),
            seats,
        })
    }

    /// Generalised forces by coordinate, from forces and torques of the bodies.
    pub fn load<D: Dim>(&self, loads: &[D::Dofs]) -> Vec<f64> {
        let mut out = vec![0.0; self.system.num_coordinates()];
        for (seat, load) in self.seats.iter().zip(loads) {
            let Some(seat) = seat else {
                continue;
            };
            for (k, component) in seat.components.iter().enumerate() {
                out[seat.first + k] = load.as_ref()[*component] / seat.radius[*component];
            }
        }
        out
    }

    /// Velocities of the bodies, from velocities by coordinate.
    pub fn velocities<D: Dim>(&self, coordinates: &[f64]) -> Vec<D::Dofs> {
        let of = |seat: &Option<BodyCoordinates>| {
            let mut velocity = D::ZERO_VELOCITY;
            if let Some(seat) = seat {
                for (k, component) in seat.components.iter().enumerate() {
                    velocity.as_mut()[*component] =
                        coordinates[seat.first + k] / seat.radius[*component];
                }
            }
            velocity
        };
        self.seats.iter().map(of).collect()
    }
}

fn seat<D: Dim>(body: &Body<D>, first: usize) -> Option<BodyCoordinates> {
    if !body.freedom.movable() {
        return None;
    }
    // Radii of gyration of the rotations.
    let masses = D::mass_diagonal(&body.mass);
    let mass = body.mass.mass;
    let radius = masses
        .as_ref()
        .iter()
        .enumerate()
        .map(|(k, m)| match k < D::N {
            true => 1.0,
            false => (m / mass).sqrt(),
        });
    Some(BodyCoordinates {
        first,
        components: (0..D::DOF).filter(|k| body.freedom.is_free(*k)).collect(),
        radius: radius.collect(),
        mass,
    })
}

/// The rows of G of a contact for one of its bodies.
fn block<D: Dim>(
    spot: &StaticContact<D>,
    pose: &Pose<D>,
    seat: &BodyCoordinates,
    sign: f64,
) -> Vec<f64> {
    // Lever arm of the contact point about the centre of mass.
    let lever = spot.at - pose.position;
    let mut out = Vec::with_capacity(spot.rows * seat.components.len());
    for i in 0..spot.rows {
        let mut row = [0.0; WIDE];
        match i < D::N {
            true => D::linear_jacobian_row(&pose.rotation, lever, spot.frame[i], &mut row),
            // Rolling about the tangents, spinning about the normal.
            false => {
                D::angular_jacobian_row(&pose.rotation, spot.frame[(i - D::N + 1) % D::N], &mut row)
            }
        }
        out.extend(
            seat.components
                .iter()
                .map(|k| sign * row[*k] / seat.radius[*k]),
        );
    }
    out
}

/// Contact detection at given poses: the contact points whose gap is closed to [`CLOSED`].
pub(super) fn detect_closed_contacts<D: Dim>(
    model: &Model<D>,
    poses: &[Pose<D>],
) -> Vec<StaticContact<D>> {
    // Unbounded shapes count with size 0.
    let size = |body: &Body<D>| {
        let radius = D::bounding_radius(&body.shape);
        if radius.is_finite() { radius } else { 0.0 }
    };
    // Detect with AABBs enlarged by the tolerance, then keep the closed points.
    let growth: Vec<f64> = model
        .bodies
        .iter()
        .map(|body| CLOSED * size(body))
        .collect();
    let mut detector = Detector::new(1);
    detector.detect(&model.bodies, poses, &growth);
    let mut spots = Vec::new();
    for found in detector.candidates() {
        let [a, b] = found.bodies.map(|i| &model.bodies[i as usize]);
        let touch = &found.point;
        if touch.gap > CLOSED * (size(a) + size(b)) {
            continue;
        }
        let (pair, first) = model.materials.law(a.material, b.material);
        // Anisotropic friction has its axes fixed to one of the bodies.
        let frame = match &pair.friction {
            Friction::Elliptic { along, .. } | Friction::Polygon { along, .. } => {
                let owner = found.bodies[if first { 0 } else { 1 }] as usize;
                D::contact_frame_along(touch.normal, along, &poses[owner].rotation)
            }
            _ => D::contact_frame(touch.normal),
        };
        // Static friction: contacts of a configuration at rest stick.
        let (law, rows) = contact_law::<D>(pair, Status::Stick);
        spots.push(StaticContact {
            bodies: found.bodies,
            at: (touch.point_a + touch.point_b) * 0.5,
            frame: frame.as_ref().to_vec(),
            law,
            rows,
        });
    }
    spots
}
