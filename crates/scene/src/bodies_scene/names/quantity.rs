//! The observable quantities of bodies and the words that name them in expressions.

use super::grain::{GranularQuantity, granular_quantities};

/// A quantity at the end of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantity {
    /// Time.
    Time,
    /// A column of the step report of the last step.
    Report(ReportColumn),
    /// A sum over all steps since the start.
    Total(Total),
    /// Contacts of the last step that carry an impulse.
    Contacts,
    /// Those of them that slide.
    Sliding,
    /// A quantity of one body.
    Body {
        /// Number of the body.
        body: u32,
        /// The quantity.
        what: BodyQuantity,
    },
    /// A quantity of a set of bodies: groups in their order, then regions.
    Set {
        /// Number of the set.
        set: usize,
        /// The quantity.
        what: SetQuantity,
    },
    /// A quantity of the periodic cell.
    Cell(CellQuantity),
    /// A quantity of a joint, by its number in the scene.
    Joint {
        /// Number of the joint.
        joint: usize,
        /// The quantity.
        what: JointQuantity,
    },
    /// A quantity of the contacts of a watch, by its number in the scene.
    Watch {
        /// Number of the watch.
        watch: usize,
        /// The quantity.
        what: WatchQuantity,
    },
}

/// A column of the step report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportColumn {
    /// Kinetic energy.
    Kinetic,
    /// Potential energy of gravity.
    Potential,
    /// Kinetic, potential and elastic energy.
    Energy,
    /// Iterations of the solver.
    Iterations,
    /// Residual of the solve.
    Residual,
    /// Largest penetration depth.
    Penetration,
    /// Largest constraint error of a joint.
    Drift,
    /// Energy stored in the springs of joints.
    Elastic,
}

/// A sum over all steps since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Total {
    /// Work of given forces other than gravity, joint motors and position correction included.
    Work,
    /// Energy lost in contacts, in friction and dampers of joints and in their projection.
    Dissipated,
    /// Work of moving boundaries and of a given strain rate of the cell.
    BoundaryWork,
    /// Relative error of the energy balance.
    Balance,
}

/// A side of the extent of bodies: left and right along x; bottom and top along y in the plane, along
/// z in space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Smallest x.
    Left,
    /// Largest x.
    Right,
    /// Smallest height.
    Bottom,
    /// Largest height.
    Top,
}

/// A quantity of one body. Axes count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyQuantity {
    /// A coordinate of the centre of mass.
    Position(usize),
    /// Plane: the angle, not reduced to one turn.
    Angle,
    /// Space: w, x, y, z.
    Quaternion(usize),
    /// A component of the velocity of the centre of mass.
    Velocity(usize),
    /// Magnitude of that velocity.
    Speed,
    /// Angular velocity. Plane: with its sign. Space: its magnitude.
    Spin,
    /// Angular velocity about an axis of space.
    SpinAbout(usize),
    /// Distance from the initial position.
    Displacement,
    /// Contact force, mean over the step.
    Force(usize),
    /// Moment of the contact forces about the centre, mean over the step; axis 2 in the plane.
    Torque(usize),
    /// Kinetic energy of the free coordinates.
    Kinetic,
    /// Angular momentum about the centre, space axes; axis 2 in the plane.
    Momentum(usize),
    /// Number of contacts that carry an impulse.
    Contacts,
    /// The coordinate of one side of its bounding box.
    Extent(Side),
    /// Mass; 0 for fixed and kinematic bodies.
    Mass,
}

impl BodyQuantity {
    /// Whether the contacts of the step are needed.
    pub fn touches(self) -> bool {
        matches!(self, Self::Force(_) | Self::Torque(_) | Self::Contacts)
    }
}

/// A quantity of the bodies of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetQuantity {
    /// Number of bodies.
    Count,
    /// The outermost coordinate of one side of the bounding boxes.
    Extent(Side),
    /// A quantity of the bodies, reduced to one value.
    Fold(Fold, BodyQuantity),
    /// Number of pairs that touch.
    Joints,
    /// Number of pairs that touched at the start and do not now.
    Opened,
    /// A granular measure.
    Grain(GranularQuantity),
}

/// Reduction of the values of a set to one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// Sum.
    Sum,
    /// Arithmetic mean.
    Mean,
    /// Largest value.
    Max,
    /// Smallest value.
    Min,
}

/// A quantity of the contacts of a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatchQuantity {
    /// Contacts that carry an impulse.
    Contacts,
    /// Those of them that slide.
    Sliding,
    /// Smallest gap; 0 when no contact was detected.
    Gap,
    /// Sum of the normal forces.
    Force,
    /// Sum of the magnitudes of the friction forces.
    Friction,
    /// Largest sliding speed.
    Slip,
}

/// A quantity of the periodic cell. Rows and columns count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellQuantity {
    /// A component of a vector of the cell.
    Vector(usize, usize),
    /// Volume of the cell; in the plane its area.
    Volume,
    /// Strain ∫ L dt since the start.
    Strain(usize, usize),
    /// Stress of the contact forces, mean over the step, compression positive.
    Stress(usize, usize),
    /// Solid fraction.
    Fraction,
    /// Coordination number of the m-core of the force network.
    Coordination,
    /// Rattlers: bodies outside it.
    Rattlers,
    /// Unbalanced force: mean net force on bodies over the mean normal force.
    Unbalanced,
}

/// Names of quantities of the cell.
pub fn cell_quantities(dimension: usize) -> impl Iterator<Item = (String, CellQuantity)> {
    let axes = &["x", "y", "z"][..dimension];
    // Components of vectors, strain and stress, one name for each pair of axes.
    let pairs = (0..dimension).flat_map(move |i| (0..dimension).map(move |j| (i, j)));
    let components = pairs.flat_map(move |(i, j)| {
        let of = |word: &str| format!("{word}_{}{}", axes[i], axes[j]);
        [
            (of("cell"), CellQuantity::Vector(i, j)),
            (of("strain"), CellQuantity::Strain(i, j)),
            (of("stress"), CellQuantity::Stress(i, j)),
        ]
    });
    let plain = [
        ("cell_volume", CellQuantity::Volume),
        ("cell_fraction", CellQuantity::Fraction),
        ("cell_coordination", CellQuantity::Coordination),
        ("cell_rattlers", CellQuantity::Rattlers),
        ("cell_unbalanced", CellQuantity::Unbalanced),
    ];
    let plain = plain.map(|(name, what)| (name.to_string(), what));
    plain.into_iter().chain(components)
}

/// A quantity of a joint. Axes count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointQuantity {
    /// Rotation angle; 0 for kinds that have none.
    Angle,
    /// Displacement along the axis, or distance of the two points.
    Slide,
    /// Rate of the coordinate.
    Speed,
    /// Magnitude of the force.
    Force,
    /// A component of the force.
    ForceAlong(usize),
    /// Plane: with its sign. Space: its magnitude.
    Torque,
    /// A component of the torque.
    TorqueAbout(usize),
    /// Power of the motor, mean over the step.
    Power,
    /// Largest constraint error, angles times the length scale of the joint.
    Drift,
}

/// `NAME_what` of a joint, in the plane and in space.
const JOINT: [(&str, JointQuantity); 9] = [
    // Angle, displacement and speed along the free axis.
    ("angle", JointQuantity::Angle),
    ("slide", JointQuantity::Slide),
    ("speed", JointQuantity::Speed),
    // Reactions, power of the motor, drift.
    ("force", JointQuantity::Force),
    ("force_x", JointQuantity::ForceAlong(0)),
    ("force_y", JointQuantity::ForceAlong(1)),
    ("torque", JointQuantity::Torque),
    ("power", JointQuantity::Power),
    ("drift", JointQuantity::Drift),
];

const JOINT_SPACE: [(&str, JointQuantity); 4] = [
    ("force_z", JointQuantity::ForceAlong(2)),
    ("torque_x", JointQuantity::TorqueAbout(0)),
    ("torque_y", JointQuantity::TorqueAbout(1)),
    ("torque_z", JointQuantity::TorqueAbout(2)),
];

/// Words of `NAME_what` of a joint in a dimension.
pub fn joint_quantities(dimension: usize) -> impl Iterator<Item = (&'static str, JointQuantity)> {
    let special: &[(&str, JointQuantity)] = match dimension {
        2 => &[],
        _ => &JOINT_SPACE,
    };
    JOINT.iter().chain(special).copied()
}

/// Names of quantities of the whole scene.
pub const WHOLE: [(&str, Quantity); 15] = [
    ("t", Quantity::Time),
    // Step report of the last step.
    ("kinetic", Quantity::Report(ReportColumn::Kinetic)),
    ("potential", Quantity::Report(ReportColumn::Potential)),
    ("energy", Quantity::Report(ReportColumn::Energy)),
    ("iterations", Quantity::Report(ReportColumn::Iterations)),
    ("residual", Quantity::Report(ReportColumn::Residual)),
    ("penetration", Quantity::Report(ReportColumn::Penetration)),
    ("drift", Quantity::Report(ReportColumn::Drift)),
    ("elastic", Quantity::Report(ReportColumn::Elastic)),
    // Contacts of the last step.
    ("contacts", Quantity::Contacts),
    ("sliding", Quantity::Sliding),
    // Sums over all steps since the start.
    ("work", Quantity::Total(Total::Work)),
    ("dissipated", Quantity::Total(Total::Dissipated)),
    ("boundary_work", Quantity::Total(Total::BoundaryWork)),
    ("balance", Quantity::Total(Total::Balance)),
];

/// `NAME_what` of a body, in the plane and in space.
const BODY: [(&str, BodyQuantity); 16] = [
    // Position and velocity.
    ("x", BodyQuantity::Position(0)),
    ("y", BodyQuantity::Position(1)),
    ("vx", BodyQuantity::Velocity(0)),
    ("vy", BodyQuantity::Velocity(1)),
    ("speed", BodyQuantity::Speed),
    ("spin", BodyQuantity::Spin),
    // Displacement, contact forces, energy.
    ("displacement", BodyQuantity::Displacement),
    ("force_x", BodyQuantity::Force(0)),
    ("force_y", BodyQuantity::Force(1)),
    ("kinetic", BodyQuantity::Kinetic),
    ("contacts", BodyQuantity::Contacts),
    // Extent of the bounding box, mass.
    ("top", BodyQuantity::Extent(Side::Top)),
    ("bottom", BodyQuantity::Extent(Side::Bottom)),
    ("left", BodyQuantity::Extent(Side::Left)),
    ("right", BodyQuantity::Extent(Side::Right)),
    ("mass", BodyQuantity::Mass),
];

const BODY_PLANE: [(&str, BodyQuantity); 3] = [
    ("angle", BodyQuantity::Angle),
    ("torque", BodyQuantity::Torque(2)),
    ("momentum", BodyQuantity::Momentum(2)),
];

const BODY_SPACE: [(&str, BodyQuantity); 16] = [
    // Third components.
    ("z", BodyQuantity::Position(2)),
    ("vz", BodyQuantity::Velocity(2)),
    ("force_z", BodyQuantity::Force(2)),
    // Angular velocity by axis, orientation as a quaternion.
    ("spin_x", BodyQuantity::SpinAbout(0)),
    ("spin_y", BodyQuantity::SpinAbout(1)),
    ("spin_z", BodyQuantity::SpinAbout(2)),
    ("qw", BodyQuantity::Quaternion(0)),
    ("qx", BodyQuantity::Quaternion(1)),
    ("qy", BodyQuantity::Quaternion(2)),
    ("qz", BodyQuantity::Quaternion(3)),
    // Moments of the contact forces, angular momentum.
    ("torque_x", BodyQuantity::Torque(0)),
    ("torque_y", BodyQuantity::Torque(1)),
    ("torque_z", BodyQuantity::Torque(2)),
    ("momentum_x", BodyQuantity::Momentum(0)),
    ("momentum_y", BodyQuantity::Momentum(1)),
    ("momentum_z", BodyQuantity::Momentum(2)),
];

/// Words of `NAME_what` of a body in a dimension.
pub fn body_quantities(dimension: usize) -> impl Iterator<Item = (&'static str, BodyQuantity)> {
    let special: &[(&str, BodyQuantity)] = match dimension {
        2 => &BODY_PLANE,
        _ => &BODY_SPACE,
    };
    BODY.iter().chain(special).copied()
}

/// The body quantities Q that `sum_Q_G` and its like may reduce.
pub fn of_folds(dimension: usize) -> impl Iterator<Item = (&'static str, BodyQuantity)> {
    body_quantities(dimension).filter(|(_, what)| {
        // Quantities whose sum, mean or extremum over bodies has a meaning.
        matches!(
            what,
            BodyQuantity::Position(_)
                | BodyQuantity::Velocity(_)
                | BodyQuantity::Speed
                | BodyQuantity::Spin
                | BodyQuantity::Displacement
                | BodyQuantity::Kinetic
                | BodyQuantity::Mass
                | BodyQuantity::Contacts
                | BodyQuantity::Force(_)
        )
    })
}

/// Words of the reductions `WORD_Q_G`.
pub const FOLDS: [(&str, Fold); 4] = [
    ("sum", Fold::Sum),
    ("mean", Fold::Mean),
    ("max", Fold::Max),
    ("min", Fold::Min),
];

/// Words of `WORD_G` for a group or region.
const SETS: [(&str, SetQuantity); 7] = [
    // Number of members, extent, touching pairs.
    ("count", SetQuantity::Count),
    ("top", SetQuantity::Extent(Side::Top)),
    ("bottom", SetQuantity::Extent(Side::Bottom)),
    ("left", SetQuantity::Extent(Side::Left)),
    ("right", SetQuantity::Extent(Side::Right)),
    ("joints", SetQuantity::Joints),
    ("opened", SetQuantity::Opened),
];

/// Words of `WORD_G`, granular measures included.
pub fn set_quantities(dimension: usize) -> impl Iterator<Item = (&'static str, SetQuantity)> {
    let grains =
        granular_quantities(dimension).map(|(word, what)| (word, SetQuantity::Grain(what)));
    SETS.iter().copied().chain(grains)
}

/// Words of `WORD_W` for a watch.
pub const WATCHES: [(&str, WatchQuantity); 6] = [
    ("contacts", WatchQuantity::Contacts),
    ("sliding", WatchQuantity::Sliding),
    ("gap", WatchQuantity::Gap),
    ("force", WatchQuantity::Force),
    ("friction", WatchQuantity::Friction),
    ("slip", WatchQuantity::Slip),
];
