//! What measures of granular matter are called.

use super::super::quantity::Side;

/// The largest turn of a force chain from a contact to the next.
pub(crate) const ANGLE: f64 = std::f64::consts::FRAC_PI_4;

/// A measure of a group or region. Axes count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Grain {
    /// Share of the volume that bodies fill.
    Fraction,
    /// Mean number of neighbours that a body exchanges a force with.
    Coordination,
    /// The same without rattlers.
    CoreCoordination,
    /// Bodies that nothing holds.
    Rattlers,
    /// Love and Weber's, compression positive.
    Stress(usize, usize),
    /// Kinetic part: 1/V Σ m (v − v̄) ⊗ (v − v̄).
    KineticStress(usize, usize),
    /// Trace of the stress over the dimension.
    Pressure,
    /// Deviator over pressure.
    StressRatio,
    /// Plane: angle of the largest principal stress from the x axis, in (−π/2, π/2].
    StressAngle,
    /// Space: direction of the largest principal stress.
    StressAxis(usize),
    Fabric(usize, usize),
    /// Largest less smallest eigenvalue of the fabric.
    Anisotropy,
    /// Mean normal force.
    NormalForce,
    /// Mean of friction over its bound.
    Mobilised,
    /// Force chains: their number, mean length, greatest length.
    Chains,
    ChainLength,
    LongestChain,
    /// √(2 D′:D′) of the velocity gradient fitted to the bodies.
    ShearRate,
    /// γ̇ d √(ρ/p).
    InertialNumber,
    /// Mean diameter of the ball of the same volume.
    Size,
    /// Mass over volume of the bodies.
    Density,
    /// The largest heap of bodies that hold together by contacts: its number, its extent.
    Heap,
    HeapExtent(Side),
}

const BOTH: [(&str, Grain); 31] = [
    ("fraction", Grain::Fraction),
    ("coordination", Grain::Coordination),
    ("core_coordination", Grain::CoreCoordination),
    ("rattlers", Grain::Rattlers),
    ("stress_xx", Grain::Stress(0, 0)),
    ("stress_xy", Grain::Stress(0, 1)),
    ("stress_yx", Grain::Stress(1, 0)),
    ("stress_yy", Grain::Stress(1, 1)),
    ("kinetic_stress_xx", Grain::KineticStress(0, 0)),
    ("kinetic_stress_xy", Grain::KineticStress(0, 1)),
    ("kinetic_stress_yy", Grain::KineticStress(1, 1)),
    ("pressure", Grain::Pressure),
    ("stress_ratio", Grain::StressRatio),
    ("fabric_xx", Grain::Fabric(0, 0)),
    ("fabric_xy", Grain::Fabric(0, 1)),
    ("fabric_yy", Grain::Fabric(1, 1)),
    ("anisotropy", Grain::Anisotropy),
    ("normal_force", Grain::NormalForce),
    ("mobilised", Grain::Mobilised),
    ("chains", Grain::Chains),
    ("chain_length", Grain::ChainLength),
    ("longest_chain", Grain::LongestChain),
    ("shear_rate", Grain::ShearRate),
    ("inertial_number", Grain::InertialNumber),
    ("grain_size", Grain::Size),
    ("grain_density", Grain::Density),
    ("heap", Grain::Heap),
    ("heap_left", Grain::HeapExtent(Side::Left)),
    ("heap_right", Grain::HeapExtent(Side::Right)),
    ("heap_top", Grain::HeapExtent(Side::Top)),
    ("heap_bottom", Grain::HeapExtent(Side::Bottom)),
];

const PLANE: [(&str, Grain); 1] = [("stress_angle", Grain::StressAngle)];

const SPACE: [(&str, Grain); 14] = [
    ("stress_xz", Grain::Stress(0, 2)),
    ("stress_zx", Grain::Stress(2, 0)),
    ("stress_yz", Grain::Stress(1, 2)),
    ("stress_zy", Grain::Stress(2, 1)),
    ("stress_zz", Grain::Stress(2, 2)),
    ("kinetic_stress_xz", Grain::KineticStress(0, 2)),
    ("kinetic_stress_yz", Grain::KineticStress(1, 2)),
    ("kinetic_stress_zz", Grain::KineticStress(2, 2)),
    ("stress_axis_x", Grain::StressAxis(0)),
    ("stress_axis_y", Grain::StressAxis(1)),
    ("stress_axis_z", Grain::StressAxis(2)),
    ("fabric_xz", Grain::Fabric(0, 2)),
    ("fabric_yz", Grain::Fabric(1, 2)),
    ("fabric_zz", Grain::Fabric(2, 2)),
];

/// Words of `WORD_G` for a group or region.
pub(crate) fn of_grains(dimension: usize) -> impl Iterator<Item = (&'static str, Grain)> {
    let special: &[(&str, Grain)] = match dimension {
        2 => &PLANE,
        _ => &SPACE,
    };
    BOTH.iter().chain(special).copied()
}
