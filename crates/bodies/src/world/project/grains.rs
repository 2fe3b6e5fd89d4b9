//! Overlaps of discs and balls, projected away by sweeps over the touches.
//!
//! ```text
//! x ← shifts of the centres, λ_α ≥ 0:   r = g_α + n·(x_b − x_a)
//!                                        λ_α ← max(0, λ_α − r / (1/m_a + 1/m_b)),   x ← x + A⁻¹ nΔλ
//! ```
//!
//! Normals of round bodies pass through their centres: nothing turns, and a touch is a direction and a
//! number. Sweeps go on until they meet no overlap deeper than a tenth of the deepest at the beginning. An overlap
//! grows in a step by what the solver leaves of U_n times h; what a projection leaves is part of the next.
//!
//! No sweep goes beyond a touch (relaxation by more than 1): that would leave gaps, which bodies close by a
//! velocity g/h in the next step, and heaps were seen to boil. In a column of discs of a hundred layers overlaps do
//! not become smaller, and the column moves more than without (docs/decisions/0035-correction.md).

use super::super::{CLOSED, World};
use super::NEAR;
use crate::detect::{Candidate, sort_by_feature};
use crate::dim::Dim;
use crate::model::{Freedom, Model};
use crate::settings::Activation;
use crate::vector::Vector;

/// Share of the deepest overlap that a projection may leave. Less takes more sweeps and is lost in what the
/// next step adds.
const LEFT: f64 = 0.1;

/// Sweeps of a projection at most. In a box of 8,000 balls 8 leave twice the overlap of 16, 2 leave gaps that
/// the solver then has to close, and each costs a hundredth of a step.
const SWEEPS: usize = 12;

/// A touch as a sweep sees it.
#[derive(Debug, Clone, Copy)]
struct ProjectionContact<D: Dim> {
    bodies: [u32; 2],
    normal: D::Vector,
    gap: f64,
    /// 1 / (1/m_a + 1/m_b).
    mass: f64,
    /// λ.
    impulse: f64,
    /// 1 / (r_a + r_b), of those that move.
    curvature: f64,
}

/// Where a body is moved to, and 1/m; 0 for one that stays.
#[derive(Debug, Clone, Copy)]
struct ProjectedSphere<D: Dim> {
    shift: D::Vector,
    inverse: f64,
}

/// What sweeps work on.
#[derive(Debug)]
pub(in super::super) struct SphereProjection<D: Dim> {
    /// Whether every body that follows forces is free and round.
    round: bool,
    /// Whether the touches of the midpoint may tell those of the end: nothing moves but by its velocity.
    alone: bool,
    grains: Vec<ProjectedSphere<D>>,
    pushes: Vec<ProjectionContact<D>>,
    touches: Vec<crate::pose::ContactPoint<D>>,
}

impl<D: Dim> SphereProjection<D> {
    pub(in super::super) fn new(model: &Model<D>) -> Self {
        let round = model.bodies.iter().all(|body| match body.freedom {
            Freedom::Free => D::sphere_radius(&body.shape).is_some(),
            Freedom::Partial(_) => false,
            Freedom::Kinematic(_) | Freedom::Fixed => true,
        });
        let modes = model.cell.as_ref().is_some_and(|c| !c.modes.is_empty());
        let round = round && model.joints.is_empty() && !modes;
        let inverse = |body: &crate::model::Body<D>| match body.freedom {
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

    /// Whether this world is one of grains.
    pub(super) fn round(&self) -> bool {
        self.round
    }

    /// A touch of the state that is projected, if its gap is within reach.
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

    /// The deepest overlap as a share of the radii.
    fn deepest(&self) -> f64 {
        let shares = self.pushes.iter().map(|p| -p.gap * p.curvature);
        shares.fold(0.0, f64::max)
    }

    /// Sweeps until what is left is small; whether anything is to be moved.
    fn solve(&mut self) -> bool {
        let deepest = self.deepest();
        if deepest <= CLOSED {
            return false;
        }
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

/// Two touches from different parts of the list.
type Pair<'a, D> = (&'a mut ProjectionContact<D>, &'a mut ProjectionContact<D>);

/// One visit of every touch; the deepest overlap met, as a share of the radii. Touches are listed by
/// bodies: neighbours in the list wait for each other, those far apart do not.
fn sweep<D: Dim>(grains: &mut [ProjectedSphere<D>], pushes: &mut [ProjectionContact<D>], back: bool) -> f64 {
    let mut worst = [0.0_f64; 4];
    let length = pushes.len() / 4;
    let (first, second) = pushes.split_at_mut(2 * length);
    let (one, two) = first.split_at_mut(length);
    let (three, rest) = second.split_at_mut(length);
    let (four, rest) = rest.split_at_mut(length);
    let all = one.iter_mut().zip(two).zip(three.iter_mut().zip(four));
    let mut visit = |((a, b), (c, d)): (Pair<'_, D>, Pair<'_, D>)| {
        worst[0] = worst[0].max(a.visit(grains));
        worst[1] = worst[1].max(b.visit(grains));
        worst[2] = worst[2].max(c.visit(grains));
        worst[3] = worst[3].max(d.visit(grains));
    };
    match back {
        false => all.for_each(&mut visit),
        true => all.rev().for_each(&mut visit),
    }
    for push in rest {
        worst[0] = worst[0].max(push.visit(grains));
    }
    worst.into_iter().fold(0.0, f64::max)
}

impl<D: Dim> ProjectionContact<D> {
    #[inline(always)]
    fn visit(&mut self, grains: &mut [ProjectedSphere<D>]) -> f64 {
        let [a, b] = self.bodies.map(|i| i as usize);
        let n = self.normal;
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

impl<D: Dim> World<D> {
    /// One projection of the state at the end of a step in a world of grains.
    pub(super) fn project_spheres(&mut self) {
        self.scratch.sphere_projection.pushes.clear();
        match self.midpoint_candidates_suffice() {
            true => self.push_again(),
            false => self.push_near(),
        }
        if self.scratch.sphere_projection.solve() {
            let grains = &self.scratch.sphere_projection.grains;
            for (pose, grain) in self.state.poses.iter_mut().zip(grains) {
                if grain.inverse > 0.0 && grain.shift.is_finite() {
                    pose.position += grain.shift;
                }
            }
        }
    }

    /// Whether the touches of the midpoint are all that can be near at the end: no body went farther
    /// since than detection reached beyond it.
    fn midpoint_candidates_suffice(&self) -> bool {
        let work = &self.scratch;
        if !work.sphere_projection.alone || self.settings.activation != Activation::Predicted {
            return false;
        }
        let ways = self.state.poses.iter().zip(&work.mid);
        let mut within = ways.zip(work.aabb_margin.iter().zip(&work.projection_margin));
        within.all(|((end, mid), (growth, near))| {
            (end.position - mid.position).norm() + near <= *growth
        })
    }

    /// The touches of a new detection.
    fn push_near(&mut self) {
        let detector = self.detect_for_projection();
        let work = &mut self.scratch;
        for found in detector.candidates() {
            let [a, b] = found.bodies.map(|i| work.projection_margin[i as usize]);
            let touch = (found.point.normal, found.point.gap);
            work.sphere_projection.add(found.bodies, touch, a + b);
        }
        work.projection_detector = Some(detector);
    }

    /// The touches of the midpoint where they are now.
    fn push_again(&mut self) {
        let Self {
            scratch: work, state, model, ..
        } = self;
        let mut last = [u32::MAX; 2];
        for Candidate { bodies, .. } in work.detector.candidates() {
            // A pair with several points is looked at once.
            if std::mem::replace(&mut last, *bodies) == *bodies {
                continue;
            }
            let [a, b] = bodies.map(|i| i as usize);
            let reach = work.projection_margin[a] + work.projection_margin[b];
            let shapes = [&model.bodies[a].shape, &model.bodies[b].shape];
            let poses = [&state.poses[a], &state.poses[b]];
            if let [Some(ra), Some(rb)] = shapes.map(D::sphere_radius) {
                if let Some(touch) = D::sphere_contact_point((ra, poses[0]), (rb, poses[1]), reach) {
                    work.sphere_projection.add(*bodies, (touch.normal, touch.gap), reach);
                }
                continue;
            }
            let mut touches = std::mem::take(&mut work.sphere_projection.touches);
            touches.clear();
            let [one, two] = [0, 1].map(|side| (shapes[side], poses[side]));
            D::contact_points(one, two, reach, &mut touches);
            sort_by_feature(&mut touches);
            for touch in &touches {
                work.sphere_projection.add(*bodies, (touch.normal, touch.gap), reach);
            }
            work.sphere_projection.touches = touches;
        }
    }
}

#[cfg(test)]
mod tests;
