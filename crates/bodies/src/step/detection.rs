//! Detection of the candidates at the midpoint, once a step.

use super::CLOSED_IF_LOADED;
use super::cell_step;
use super::free_velocity::speed_bound;
use super::scratch::{Detection, FreeVelocity, Midpoint, ModelCache};
use crate::candidate::Candidate;
use crate::detect::Detector;
use crate::dynamics::Dynamics;
use crate::joint;
use crate::model::Model;
use crate::settings::{Activation, Integrator, Settings};
use percuss_geometry::Pose;

/// Detects the candidates at the midpoint. The margin of a body covers its motion until the next detection if
/// contacts are activated by prediction; otherwise it is the tolerance of loaded contacts, 1e-6 of its radius.
pub(crate) fn detect<D: Dynamics>(
    model: &Model<D>,
    settings: &Settings,
    cache: &ModelCache<D>,
    midpoint: &Midpoint<D>,
    free: &FreeVelocity<D>,
    out: &mut Detection<D>,
) {
    let flow = cell_step::flow_bound(model, free);
    // Margin from the speed bound of each body's free motion.
    if settings.activation == Activation::Predicted || settings.integrator == Integrator::Projected
    {
        let (h, bodies) = (settings.step, &model.bodies);
        let mut squares = 0.0;
        for (i, margin) in out.aabb_margin.iter_mut().enumerate() {
            *margin = speed_bound(&bodies[i], &free.velocity[i]);
            squares += *margin * *margin;
        }
        // An impact may make a body faster than its free velocity: the root-mean-square speed is added to
        // its own.
        let usual = (squares / bodies.len().max(1) as f64).sqrt();
        for (margin, size) in out.aabb_margin.iter_mut().zip(&cache.gap_scale) {
            *margin = CLOSED_IF_LOADED * size + h * (*margin + usual + 2.0 * flow * size);
        }
    }
    let place = (model, midpoint.lattice.as_ref());
    out.detector
        .detect_model(place, &midpoint.poses, &out.aabb_margin);
    // Excluded pairs of jointed bodies; pins in holes within the margin.
    if !model.joints.is_empty() {
        joint::clearance_candidates(
            &model.joints,
            &midpoint.poses,
            &out.aabb_margin,
            &mut out.clearance_candidates,
        );
        out.detector
            .exclude_and_insert(&cache.joints.excluded, &out.clearance_candidates);
    }
}

/// Removes the excluded pairs from a detector's candidates and adds the pins in holes at these poses, without margin.
pub(crate) fn apply_joints<D: Dynamics>(
    model: &Model<D>,
    cache: &ModelCache<D>,
    poses: &[Pose<D>],
    pins: &mut Vec<Candidate<D>>,
    detector: &mut Detector<D>,
) {
    if !model.joints.is_empty() {
        joint::clearance_candidates(&model.joints, poses, &[], pins);
        detector.exclude_and_insert(&cache.joints.excluded, pins);
    }
}
