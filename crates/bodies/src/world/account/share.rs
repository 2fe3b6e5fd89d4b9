//! Penetrations and errors of joints beside the sizes of the bodies they are between.

use super::super::World;
use crate::dim::Dim;
use crate::joint::joint_of_feature;

/// The contact that is deepest for its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deepest {
    /// Its bodies.
    pub bodies: [u32; 2],
    /// The joint, where it is a pin in its hole.
    pub joint: Option<u32>,
    /// How deep it is.
    pub depth: f64,
    /// The same over the smallest dimension of the two bodies, or over the clearance.
    pub share: f64,
}

/// The joint that is furthest apart for its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Loosest {
    /// The joint.
    pub joint: u32,
    /// Its error, a length.
    pub drift: f64,
    /// The same over the smallest dimension of its bodies.
    pub share: f64,
}

/// Smallest dimension of a shape: its least width across one of its sides; of a compound that of its
/// thickest part, since a decomposition may have slivers. Boundaries have none: infinite.
pub(in crate::world) fn thickness<D: Dim>(shape: &D::Shape) -> f64 {
    if let Some(compound) = D::compound(shape) {
        let parts = compound.parts().iter();
        return parts
            .map(|part| thickness::<D>(&part.shape))
            .fold(0.0, f64::max);
    }
    let mut least = f64::INFINITY;
    D::sides(shape, D::Vector::default(), &mut |normal, _| {
        let width = D::support(shape, normal) + D::support(shape, -normal);
        least = least.min(width);
    });
    least
}

impl<D: Dim> World<D> {
    /// The contact of the last step that is deepest for its size; nothing where none penetrates.
    pub fn deepest(&self) -> Option<Deepest> {
        let thickness = &self.work.thickness;
        let mut deepest: Option<Deepest> = None;
        for found in self.work.detector.found() {
            let depth = -found.touch.gap;
            if depth <= 0.0 {
                continue;
            }
            let [a, b] = found.bodies.map(|body| thickness[body as usize]);
            let joint = match self.model.joints.is_empty() {
                true => None,
                false => joint_of_feature(&self.model.joints, found),
            };
            let play = joint.and_then(|joint| self.model.joints[joint].clearance.as_ref());
            let size = play.map_or(a.min(b), |clearance| clearance.play);
            let share = depth / size;
            // What is not a number is the deepest.
            if deepest.is_none_or(|known| !(share <= known.share)) {
                deepest = Some(Deepest {
                    bodies: found.bodies,
                    joint: joint.map(|joint| joint as u32),
                    depth,
                    share,
                });
            }
        }
        deepest
    }

    /// The joint that is furthest apart for its size where the bodies are now.
    pub fn loosest(&self) -> Option<Loosest> {
        let mut loosest: Option<Loosest> = None;
        for (number, joint) in self.model.joints.iter().enumerate() {
            let Some(reading) = self.joint(number) else {
                continue;
            };
            let bodies = joint.sides.iter().filter_map(|side| side.body);
            let sizes = bodies.map(|body| self.work.thickness[body as usize]);
            let size = sizes.fold(f64::INFINITY, f64::min);
            let share = reading.drift / size;
            if loosest.is_none_or(|known: Loosest| !(share <= known.share)) {
                loosest = Some(Loosest {
                    joint: number as u32,
                    drift: reading.drift,
                    share,
                });
            }
        }
        loosest
    }
}
