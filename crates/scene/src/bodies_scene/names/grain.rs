//! Names of the granular measures in expressions.

use super::quantity::Side;

/// A granular measure of a group or region. Axes count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GranularQuantity {
    /// Solid fraction.
    Fraction,
    /// Coordination number: mean number of neighbours with a contact force.
    Coordination,
    /// Coordination number without rattlers.
    CoreCoordination,
    /// Number of rattlers: bodies that no contacts hold.
    Rattlers,
    /// Love–Weber stress, compression positive.
    Stress(usize, usize),
    /// Kinetic stress: 1/V Σ m (v − v̄) ⊗ (v − v̄).
    KineticStress(usize, usize),
    /// Trace of the stress over the dimension.
    Pressure,
    /// Deviator of the stress over the pressure.
    StressRatio,
    /// Plane: angle of the largest principal stress from the x axis, in (−π/2, π/2].
    StressAngle,
    /// Space: direction of the largest principal stress.
    StressAxis(usize),
    /// A component of the fabric tensor, the mean of n ⊗ n over the contacts.
    Fabric(usize, usize),
    /// Anisotropy: largest less smallest eigenvalue of the fabric tensor.
    Anisotropy,
    /// Mean normal force.
    NormalForce,
    /// Mean mobilised friction: friction force over its bound.
    Mobilised,
    /// Force chains: their number.
    Chains,
    /// Force chains: their mean number of contacts.
    ChainLength,
    /// Force chains: the largest number of contacts of one.
    LongestChain,
    /// Shear rate √(2 D′:D′) of the velocity gradient fitted to the bodies.
    ShearRate,
    /// Inertial number γ̇ d √(ρ/p).
    InertialNumber,
    /// Mean diameter of the disc or ball of the same volume.
    Size,
    /// Mass over volume of the bodies.
    Density,
    /// The largest heap of bodies joined by contacts: its number of bodies.
    Heap,
    /// Extent of the largest heap.
    HeapExtent(Side),
}

const BOTH: [(&str, GranularQuantity); 31] = [
    // Solid fraction, coordination, rattlers.
    ("fraction", GranularQuantity::Fraction),
    ("coordination", GranularQuantity::Coordination),
    ("core_coordination", GranularQuantity::CoreCoordination),
    ("rattlers", GranularQuantity::Rattlers),
    // Love–Weber stress and kinetic stress.
    ("stress_xx", GranularQuantity::Stress(0, 0)),
    ("stress_xy", GranularQuantity::Stress(0, 1)),
    ("stress_yx", GranularQuantity::Stress(1, 0)),
    ("stress_yy", GranularQuantity::Stress(1, 1)),
    ("kinetic_stress_xx", GranularQuantity::KineticStress(0, 0)),
    ("kinetic_stress_xy", GranularQuantity::KineticStress(0, 1)),
    ("kinetic_stress_yy", GranularQuantity::KineticStress(1, 1)),
    ("pressure", GranularQuantity::Pressure),
    ("stress_ratio", GranularQuantity::StressRatio),
    // Fabric and contact forces.
    ("fabric_xx", GranularQuantity::Fabric(0, 0)),
    ("fabric_xy", GranularQuantity::Fabric(0, 1)),
    ("fabric_yy", GranularQuantity::Fabric(1, 1)),
    ("anisotropy", GranularQuantity::Anisotropy),
    ("normal_force", GranularQuantity::NormalForce),
    ("mobilised", GranularQuantity::Mobilised),
    // Force chains.
    ("chains", GranularQuantity::Chains),
    ("chain_length", GranularQuantity::ChainLength),
    ("longest_chain", GranularQuantity::LongestChain),
    // Shear rate, inertial number, grain size and density.
    ("shear_rate", GranularQuantity::ShearRate),
    ("inertial_number", GranularQuantity::InertialNumber),
    ("grain_size", GranularQuantity::Size),
    ("grain_density", GranularQuantity::Density),
    // The largest heap.
    ("heap", GranularQuantity::Heap),
    ("heap_left", GranularQuantity::HeapExtent(Side::Left)),
    ("heap_right", GranularQuantity::HeapExtent(Side::Right)),
    ("heap_top", GranularQuantity::HeapExtent(Side::Top)),
    ("heap_bottom", GranularQuantity::HeapExtent(Side::Bottom)),
];

const PLANE: [(&str, GranularQuantity); 1] = [("stress_angle", GranularQuantity::StressAngle)];

const SPACE: [(&str, GranularQuantity); 14] = [
    // Third components of the stress.
    ("stress_xz", GranularQuantity::Stress(0, 2)),
    ("stress_zx", GranularQuantity::Stress(2, 0)),
    ("stress_yz", GranularQuantity::Stress(1, 2)),
    ("stress_zy", GranularQuantity::Stress(2, 1)),
    ("stress_zz", GranularQuantity::Stress(2, 2)),
    ("kinetic_stress_xz", GranularQuantity::KineticStress(0, 2)),
    ("kinetic_stress_yz", GranularQuantity::KineticStress(1, 2)),
    ("kinetic_stress_zz", GranularQuantity::KineticStress(2, 2)),
    // Principal direction of the stress, third components of the fabric.
    ("stress_axis_x", GranularQuantity::StressAxis(0)),
    ("stress_axis_y", GranularQuantity::StressAxis(1)),
    ("stress_axis_z", GranularQuantity::StressAxis(2)),
    ("fabric_xz", GranularQuantity::Fabric(0, 2)),
    ("fabric_yz", GranularQuantity::Fabric(1, 2)),
    ("fabric_zz", GranularQuantity::Fabric(2, 2)),
];

/// Words of `WORD_G` for a group or region.
pub fn granular_quantities(
    dimension: usize,
) -> impl Iterator<Item = (&'static str, GranularQuantity)> {
    let special: &[(&str, GranularQuantity)] = match dimension {
        2 => &PLANE,
        _ => &SPACE,
    };
    BOTH.iter().chain(special).copied()
}
