//! Position correction of discs and spheres by projected Gauss–Seidel sweeps over the overlaps.
//!
//! ```text
//! x ← displacements of the centres, λ_α ≥ 0:   r = g_α + n·(x_b − x_a)
//!                                        λ_α ← max(0, λ_α − r / (1/m_a + 1/m_b)),   x ← x + A⁻¹ nΔλ
//! ```
//!
//! The normals of round bodies pass through their centres: no rotation, and a contact is a direction and a
//! number. Sweeps continue until they meet no overlap deeper than a tenth of the deepest one at the beginning.
//! An overlap grows in a step by the solver's residual of U_n times h; what a projection leaves is removed by
//! the next.
//!
//! Limits: no over-relaxation, which would leave gaps that bodies close with a velocity g/h in the next step; heaps
//! were seen to boil. In a column of discs of a hundred layers the overlaps do not become smaller, and the column
//! moves more than without projection (docs/decisions/0035-correction.md).

use super::{NEAR, OverlapProjection};
use crate::body::Freedom;
use crate::candidate::Candidate;
use crate::detect::sort_by_feature;
use crate::dynamics::Dynamics;
use crate::model::Model;
use crate::settings::Activation;
use crate::step::CLOSED;
use crate::step::scratch::{Detection, Midpoint, Projection};
use percuss_geometry::Vector;

/// Fraction of the deepest overlap that a projection may leave. Less takes more sweeps and is below what the
/// next step adds.
const LEFT: f64 = 0.1;

/// Largest number of sweeps of a projection. In a box of 8,000 spheres 8 leave twice the overlap of 16, 2 leave
/// gaps that the solver then has to close, and each costs a hundredth of a step.
const SWEEPS: usize = 12;

/// A contact of the projection.
#[derive(Debug, Clone, Copy)]
struct ProjectionContact<D: Dynamics> {
    bodies: [u32; 2],
    normal: D::Vector,
    gap: f64,
    /// Effective mass 1 / (1/m_a + 1/m_b).
    mass: f64,
    /// Multiplier λ.
    impulse: f64,
    /// 1 / (r_a + r_b) over the movable bodies, the scale of overlaps.
    curvature: f64,
}

/// Displacement of a body, and 1/m; 0 for one that is not free.
#[derive(Debug, Clone, Copy)]
struct ProjectedSphere<D: Dynamics> {
    shift: D::Vector,
    inverse: f64,
}

/// Scratch memory and constants of the sphere projection.
#[derive(Debug)]
pub(crate) struct SphereProjection<D: Dynamics> {
    /// Whether every movable body is free and round, without joints and cell modes: this projection applies.
    round: bool,
    /// Whether the midpoint's candidates may be reused at the end: bodies move by their velocities alone.
    alone: bool,
    grains: Vec<ProjectedSphere<D>>,
    pushes: Vec<ProjectionContact<D>>,
    touches: Vec<percuss_geometry::ContactPoint<D>>,
}

impl<D: Dynamics> SphereProjection<D> {
    pub fn new(model: &Model<D>) -> Self {
        // Movable bodies must be free discs or spheres; joints and cell modes exclude this path.
        let round = model.bodies.iter().all(|body| match body.freedom {
            Freedom::Free => D::sphere_radius(&body.shape).is_some(),
            Freedom::Partial(_) => false,
            Freedom::Kinematic(_) | Freedom::Fixed => true,
        });
        let modes = model.cell.as_ref().is_some_and(|c| !c.modes.is_empty());
        let round = round && model.joints.is_empty() && !modes;
        let inverse = |body: &crate::body::Body<D>| match body.freedom {
            Freedom::Free => 1.0 / body.mass.mass,
            _ => 0.0,
        };
        let grains = model.bodies.iter().map(|body| ProjectedSphere {
            shift: D::Vector::default(),
            inverse: inverse(body),
        });
        Self {
            round,
            alone: round && model.prescribed_motions.is_empty() && model.cell.is_none(),
            grains: if round { grains.collect() } else { Vec::new() },
            pushes: Vec::new(),
            touches: Vec::new(),
        }
    }

    /// Whether this projection applies to the model.
    pub(super) fn round(&self) -> bool {
        self.round
    }

    /// Adds a contact of the state that is projected if its gap is at most `reach`, the contact margin.
    fn add(&mut self, bodies: [u32; 2], (normal, gap): (D::Vector, f64), reach: f64) {
        if gap > reach {
            return;
        }
        let [a, b] = bodies.map(|i| self.grains[i as usize].inverse);
        self.pushes.push(ProjectionContact {
            bodies,
            normal,
            gap,
            mass: 1.0 / (a + b),
            impulse: 0.0,
            curvature: NEAR / reach,
        });
    }

    /// The deepest overlap relative to the radii.
    fn deepest(&self) -> f64 {
        let shares = self.pushes.iter().map(|p| -p.gap * p.curvature);
        shares.fold(0.0, f64::max)
    }

    /// Sweeps until the remaining overlap is small; false if there is nothing to correct.
    fn solve(&mut self) -> bool {
        let deepest = self.deepest();
        if deepest <= CLOSED {
            return false;
        }
        // Stop at a tenth of the initial depth, or at the tolerance of closed gaps.
        let enough = (LEFT * deepest).max(CLOSED);
        for grain in &mut self.grains {
            grain.shift = D::Vector::default();
        }
        let Self { grains, pushes, .. } = self;
        for round in 0..SWEEPS {
            let worst = sweep(grains, pushes, round % 2 == 1);
            if worst <= enough {
                break;
            }
        }
        true
    }
}

/// Two contacts from different parts of the list.
type Pair<'a, D> = (&'a mut ProjectionContact<D>, &'a mut ProjectionContact<D>);

/// One sweep over all contacts; returns the deepest overlap met, relative to the radii. The list is in the
/// order of bodies: neighbouring contacts depend on each other, so that four distant parts are visited in turn
/// for instruction-level parallelism.
fn sweep<D: Dynamics>(
    grains: &mut [ProjectedSphere<D>],
    pushes: &mut [ProjectionContact<D>],
    back: bool,
) -> f64 {
    let mut worst = [0.0_f64; 4];
    // Four equal parts of the list, and up to three contacts that remain.
    let length = pushes.len() / 4;
    let (first, second) = pushes.split_at_mut(2 * length);
    let (one, two) = first.split_at_mut(length);
    let (three, rest) = second.split_at_mut(length);
    let (four, rest) = rest.split_at_mut(length);
    let all = one.iter_mut().zip(two).zip(three.iter_mut().zip(four));
    // Four independent dependency chains.
    let mut visit = |((a, b), (c, d)): (Pair<'_, D>, Pair<'_, D>)| {
        worst[0] = worst[0].max(a.visit(grains));
        worst[1] = worst[1].max(b.visit(grains));
        worst[2] = worst[2].max(c.visit(grains));
        worst[3] = worst[3].max(d.visit(grains));
    };
    // Sweeps alternate their direction (symmetric Gauss–Seidel).
    match back {
        false => all.for_each(&mut visit),
        true => all.rev().for_each(&mut visit),
    }
    for push in rest {
        worst[0] = worst[0].max(push.visit(grains));
    }
    worst.into_iter().fold(0.0, f64::max)
}

impl<D: Dynamics> ProjectionContact<D> {
    /// Local solve of one contact: projects λ and moves both bodies; returns the overlap met, relative to the
    /// radii.
    #[inline(always)]
    fn visit(&mut self, grains: &mut [ProjectedSphere<D>]) -> f64 {
        let [a, b] = self.bodies.map(|i| i as usize);
        let n = self.normal;
        // Gap at the displaced centres.
        let gap = self.gap + n.dot(grains[b].shift - grains[a].shift);
        let impulse = (self.impulse - gap * self.mass).max(0.0);
        let change = impulse - self.impulse;
        self.impulse = impulse;
        let (by_a, by_b) = (change * grains[a].inverse, change * grains[b].inverse);
        grains[a].shift -= n * by_a;
        grains[b].shift += n * by_b;
        -gap * self.curvature
    }
}

impl<D: Dynamics> OverlapProjection<'_, D> {
    /// One projection of the state at the end of a step.
    pub(super) fn project_spheres(&mut self, midpoint: &Midpoint<D>, detection: &Detection<D>) {
        self.scratch.spheres.pushes.clear();
        match self.midpoint_candidates_suffice(midpoint, detection) {
            true => self.push_again(detection),
            false => self.push_near(),
        }
        // Apply the displacements of the centres.
        if self.scratch.spheres.solve() {
            let grains = &self.scratch.spheres.grains;
            for (pose, grain) in self.state.poses.iter_mut().zip(grains) {
                if grain.inverse > 0.0 && grain.shift.is_finite() {
                    pose.position += grain.shift;
                }
            }
        }
    }

    /// Whether the midpoint's candidates contain all near pairs at the end of the step: no body has moved
    /// farther since then than its margin in detection.
    fn midpoint_candidates_suffice(
        &self,
        midpoint: &Midpoint<D>,
        detection: &Detection<D>,
    ) -> bool {
        if !self.scratch.spheres.alone || self.settings.activation != Activation::Predicted {
            return false;
        }
        // Way since the midpoint plus the projection's margin against the margin of detection.
        let ways = self.state.poses.iter().zip(&midpoint.poses);
        let mut within = ways.zip(
            detection
                .aabb_margin
                .iter()
                .zip(&self.cache.projection_margin),
        );
        within.all(|((end, mid), (growth, near))| {
            (end.position - mid.position).norm() + near <= *growth
        })
    }

    /// Contacts by a new detection.
    fn push_near(&mut self) {
        let detector = self.detect_for_projection();
        for found in detector.candidates() {
            let [a, b] = found
                .bodies
                .map(|i| self.cache.projection_margin[i as usize]);
            let touch = (found.point.normal, found.point.gap);
            self.scratch.spheres.add(found.bodies, touch, a + b);
        }
        self.scratch.detector = Some(detector);
    }

    /// Contacts of the midpoint's candidate pairs at their present poses.
    fn push_again(&mut self, detection: &Detection<D>) {
        let Self {
            scratch: Projection { spheres, .. },
            cache,
            state,
            model,
            ..
        } = self;
        let mut last = [u32::MAX; 2];
        for Candidate { bodies, .. } in detection.detector.candidates() {
            // A pair with several points is visited once.
            if std::mem::replace(&mut last, *bodies) == *bodies {
                continue;
            }
            let [a, b] = bodies.map(|i| i as usize);
            let reach = cache.projection_margin[a] + cache.projection_margin[b];
            let shapes = [&model.bodies[a].shape, &model.bodies[b].shape];
            let poses = [&state.poses[a], &state.poses[b]];
            // Two spheres: closed form.
            if let [Some(ra), Some(rb)] = shapes.map(D::sphere_radius) {
                if let Some(touch) = D::sphere_contact_point((ra, poses[0]), (rb, poses[1]), reach)
                {
                    spheres.add(*bodies, (touch.normal, touch.gap), reach);
                }
                continue;
            }
            // Sphere against a boundary: narrow phase at the present poses.
            let mut touches = std::mem::take(&mut spheres.touches);
            touches.clear();
            let [one, two] = [0, 1].map(|side| (shapes[side], poses[side]));
            D::contact_points(one, two, reach, &mut touches);
            sort_by_feature(&mut touches);
            for touch in &touches {
                spheres.add(*bodies, (touch.normal, touch.gap), reach);
            }
            spheres.touches = touches;
        }
    }
}

#[cfg(test)]
mod tests;
