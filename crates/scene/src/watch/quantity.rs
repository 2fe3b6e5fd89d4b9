//! What can be observed of a collection, one quantity each.

use super::grains::{Grain, of_grains};

/// A quantity at the end of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Quantity {
    /// Time.
    Time,
    /// A column of the account of the last step.
    Account(Account),
    /// A sum over all steps since the start.
    Total(Total),
    /// Contacts of the last step that carry an impulse.
    Contacts,
    /// Those of them that slide.
    Sliding,
    /// Of one body.
    Body { body: u32, what: OfBody },
    /// Of the bodies of a set: groups in their order, then regions.
    Set { set: usize, what: OfSet },
    /// Of the periodic cell.
    Cell(OfCell),
    /// Of a joint, by its place in the cast.
    Joint { joint: usize, what: OfJoint },
    /// Of the contacts of a watch, by its place in the cast.
    Watch { watch: usize, what: OfWatch },
}

/// A column of the account of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Account {
    Kinetic,
    Potential,
    Energy,
    Iterations,
    Residual,
    Penetration,
    Drift,
    Elastic,
}

/// A sum over all steps since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Total {
    Work,
    Dissipated,
    BoundaryWork,
    Balance,
}

/// A side of the extent of bodies: left and right along x; bottom and top along y in the plane, along
/// z in space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Left,
    Right,
    Bottom,
    Top,
}

/// A quantity of one body. Axes count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OfBody {
    Position(usize),
    /// Plane: the angle, not reduced.
    Angle,
    /// Space: w, x, y, z.
    Quaternion(usize),
    Velocity(usize),
    Speed,
    /// Plane: with its sign. Space: its size.
    Spin,
    /// About an axis of space.
    SpinAbout(usize),
    /// Distance from where it was at the start.
    Displacement,
    /// Contact force, mean over the step.
    Force(usize),
    /// Moment of the contact forces about the centre, mean over the step; axis 2 in the plane.
    Torque(usize),
    Kinetic,
    /// Angular momentum about the centre, space axes; axis 2 in the plane.
    Momentum(usize),
    Contacts,
    Extent(Side),
    Mass,
}

impl OfBody {
    /// Whether contacts must be looked at.
    pub fn touches(self) -> bool {
        matches!(self, Self::Force(_) | Self::Torque(_) | Self::Contacts)
    }
}

/// What is made of the bodies of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OfSet {
    Count,
    Extent(Side),
    Fold(Fold, OfBody),
    /// Pairs that touch.
    Joints,
    /// Pairs that touched at the first step and do not now.
    Opened,
    /// A measure of granular matter.
    Grain(Grain),
}

/// How numbers become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    Sum,
    Mean,
    Max,
    Min,
}

/// A quantity of the contacts of a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OfWatch {
    /// Those that carry an impulse.
    Contacts,
    /// Those of them that slide.
    Sliding,
    /// Smallest gap seen; 0 when none was detected.
    Gap,
    /// Sum of the normal forces.
    Force,
    /// Sum of the sizes of the friction forces.
    Friction,
    /// Largest sliding speed.
    Slip,
}

/// A quantity of the periodic cell. Rows and columns count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OfCell {
    /// A component of a vector of the cell.
    Vector(usize, usize),
    Volume,
    /// ∫ L dt since the beginning.
    Strain(usize, usize),
    /// From contacts, mean over the step, compressive where positive.
    Stress(usize, usize),
    /// Share of the volume that bodies fill.
    Fraction,
    /// Mean number of contacts of what carries force.
    Coordination,
    /// Bodies that carry none.
    Rattlers,
    /// Mean net force on bodies over the mean normal force.
    Unbalanced,
}

/// Names of quantities of the cell.
pub(super) fn of_cell(dimension: usize) -> impl Iterator<Item = (String, OfCell)> {
    let axes = &["x", "y", "z"][..dimension];
    let pairs = (0..dimension).flat_map(move |i| (0..dimension).map(move |j| (i, j)));
    let components = pairs.flat_map(move |(i, j)| {
        let of = |word: &str| format!("{word}_{}{}", axes[i], axes[j]);
        [
            (of("cell"), OfCell::Vector(i, j)),
            (of("strain"), OfCell::Strain(i, j)),
            (of("stress"), OfCell::Stress(i, j)),
        ]
    });
    let plain = [
        ("cell_volume", OfCell::Volume),
        ("cell_fraction", OfCell::Fraction),
        ("cell_coordination", OfCell::Coordination),
        ("cell_rattlers", OfCell::Rattlers),
        ("cell_unbalanced", OfCell::Unbalanced),
    ];
    let plain = plain.map(|(name, what)| (name.to_string(), what));
    plain.into_iter().chain(components)
}

/// A quantity of a joint. Axes count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OfJoint {
    Angle,
    Slide,
    Speed,
    /// Size of the force.
    Force,
    ForceAlong(usize),
    /// Plane: with its sign. Space: its size.
    Torque,
    TorqueAbout(usize),
    Power,
    Drift,
}

/// `NAME_what` of a joint, in the plane and in space.
const JOINT: [(&str, OfJoint); 9] = [
    ("angle", OfJoint::Angle),
    ("slide", OfJoint::Slide),
    ("speed", OfJoint::Speed),
    ("force", OfJoint::Force),
    ("force_x", OfJoint::ForceAlong(0)),
    ("force_y", OfJoint::ForceAlong(1)),
    ("torque", OfJoint::Torque),
    ("power", OfJoint::Power),
    ("drift", OfJoint::Drift),
];

const JOINT_SPACE: [(&str, OfJoint); 4] = [
    ("force_z", OfJoint::ForceAlong(2)),
    ("torque_x", OfJoint::TorqueAbout(0)),
    ("torque_y", OfJoint::TorqueAbout(1)),
    ("torque_z", OfJoint::TorqueAbout(2)),
];

/// What `NAME_what` may be of a joint.
pub(super) fn of_joint(dimension: usize) -> impl Iterator<Item = (&'static str, OfJoint)> {
    let special: &[(&str, OfJoint)] = match dimension {
        2 => &[],
        _ => &JOINT_SPACE,
    };
    JOINT.iter().chain(special).copied()
}

/// Names of quantities that belong to the whole collection.
pub(super) const WHOLE: [(&str, Quantity); 15] = [
    ("t", Quantity::Time),
    ("kinetic", Quantity::Account(Account::Kinetic)),
    ("potential", Quantity::Account(Account::Potential)),
    ("energy", Quantity::Account(Account::Energy)),
    ("iterations", Quantity::Account(Account::Iterations)),
    ("residual", Quantity::Account(Account::Residual)),
    ("penetration", Quantity::Account(Account::Penetration)),
    ("drift", Quantity::Account(Account::Drift)),
    ("elastic", Quantity::Account(Account::Elastic)),
    ("contacts", Quantity::Contacts),
    ("sliding", Quantity::Sliding),
    ("work", Quantity::Total(Total::Work)),
    ("dissipated", Quantity::Total(Total::Dissipated)),
    ("boundary_work", Quantity::Total(Total::BoundaryWork)),
    ("balance", Quantity::Total(Total::Balance)),
];

/// `NAME_what` of a body, in the plane and in space.
const BODY: [(&str, OfBody); 16] = [
    ("x", OfBody::Position(0)),
    ("y", OfBody::Position(1)),
    ("vx", OfBody::Velocity(0)),
    ("vy", OfBody::Velocity(1)),
    ("speed", OfBody::Speed),
    ("spin", OfBody::Spin),
    ("displacement", OfBody::Displacement),
    ("force_x", OfBody::Force(0)),
    ("force_y", OfBody::Force(1)),
    ("kinetic", OfBody::Kinetic),
    ("contacts", OfBody::Contacts),
    ("top", OfBody::Extent(Side::Top)),
    ("bottom", OfBody::Extent(Side::Bottom)),
    ("left", OfBody::Extent(Side::Left)),
    ("right", OfBody::Extent(Side::Right)),
    ("mass", OfBody::Mass),
];

const BODY_PLANE: [(&str, OfBody); 3] = [
    ("angle", OfBody::Angle),
    ("torque", OfBody::Torque(2)),
    ("momentum", OfBody::Momentum(2)),
];

const BODY_SPACE: [(&str, OfBody); 16] = [
    ("z", OfBody::Position(2)),
    ("vz", OfBody::Velocity(2)),
    ("force_z", OfBody::Force(2)),
    ("spin_x", OfBody::SpinAbout(0)),
    ("spin_y", OfBody::SpinAbout(1)),
    ("spin_z", OfBody::SpinAbout(2)),
    ("qw", OfBody::Quaternion(0)),
    ("qx", OfBody::Quaternion(1)),
    ("qy", OfBody::Quaternion(2)),
    ("qz", OfBody::Quaternion(3)),
    ("torque_x", OfBody::Torque(0)),
    ("torque_y", OfBody::Torque(1)),
    ("torque_z", OfBody::Torque(2)),
    ("momentum_x", OfBody::Momentum(0)),
    ("momentum_y", OfBody::Momentum(1)),
    ("momentum_z", OfBody::Momentum(2)),
];

/// What `NAME_what` may be of a body.
pub(super) fn of_body(dimension: usize) -> impl Iterator<Item = (&'static str, OfBody)> {
    let special: &[(&str, OfBody)] = match dimension {
        2 => &BODY_PLANE,
        _ => &BODY_SPACE,
    };
    BODY.iter().chain(special).copied()
}

/// Q of `sum_Q_G` and its like.
pub(super) fn of_folds(dimension: usize) -> impl Iterator<Item = (&'static str, OfBody)> {
    of_body(dimension).filter(|(_, what)| {
        matches!(
            what,
            OfBody::Position(_)
                | OfBody::Velocity(_)
                | OfBody::Speed
                | OfBody::Spin
                | OfBody::Displacement
                | OfBody::Kinetic
                | OfBody::Mass
                | OfBody::Contacts
                | OfBody::Force(_)
        )
    })
}

/// Words of `WORD_Q_G`.
pub(super) const FOLDS: [(&str, Fold); 4] = [
    ("sum", Fold::Sum),
    ("mean", Fold::Mean),
    ("max", Fold::Max),
    ("min", Fold::Min),
];

/// Words of `WORD_G` for a group or region.
const SETS: [(&str, OfSet); 7] = [
    ("count", OfSet::Count),
    ("top", OfSet::Extent(Side::Top)),
    ("bottom", OfSet::Extent(Side::Bottom)),
    ("left", OfSet::Extent(Side::Left)),
    ("right", OfSet::Extent(Side::Right)),
    ("joints", OfSet::Joints),
    ("opened", OfSet::Opened),
];

/// Words of `WORD_G`, measures of granular matter among them.
pub(super) fn of_sets(dimension: usize) -> impl Iterator<Item = (&'static str, OfSet)> {
    let grains = of_grains(dimension).map(|(word, what)| (word, OfSet::Grain(what)));
    SETS.iter().copied().chain(grains)
}

/// Words of `WORD_W` for a watch.
pub(super) const WATCHES: [(&str, OfWatch); 6] = [
    ("contacts", OfWatch::Contacts),
    ("sliding", OfWatch::Sliding),
    ("gap", OfWatch::Gap),
    ("force", OfWatch::Force),
    ("friction", OfWatch::Friction),
    ("slip", OfWatch::Slip),
];
