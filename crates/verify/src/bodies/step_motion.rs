//! Reconstruction of a step from its end: midpoint, initial velocities, and the balance of momentum.
//!
//! ```text
//! x_M = x_F − ½h v_F                       R_M = R_I cay(½hΩ_I),  R_F = R_I cay(½h(Ω_I + Ω_F))
//! v_L = v_I + h(g + F/m) − (h c/m) ½(v_I + v_L)
//! J(Ω_L − Ω_I) = h[(JΩ̄) × Ω̄ + M],  Ω̄ = ½(Ω_I + Ω_L)
//! A(v_F − v_L) = Σ Gᵀ S                     G at the midpoint
//! ```
//!
//! Where the state before is recorded, v_I is taken from it and the last line is a check. Otherwise the last line is
//! the equation for v_I, solved by fixed-point iteration: the result is then compared with the recorded contact
//! velocities before the step.

use super::super::vector::{
    M3, V3, add, add_scaled, add_scaled_matrix, apply, cross, dot, identity, norm, rotate,
    rotate_back, scale, solve, sub,
};
use super::read::{RecordedContactRow, RecordedState};
use super::scene_data::{EmbedInSpace, SceneData, SpatialPose, Twist};
pub(super) use super::spin::linear;

use super::spin::{free_spin, gyroscopic, size, spin, turned, unreduced_angle};

/// Iterations for v_I at most; three suffice where forces do not depend on velocity.
const ROUNDS: usize = 60;

/// Deformation of the periodic cell over a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellFlow {
    /// Velocity gradients L_I and L_F.
    pub begin: M3,
    pub end: M3,
    /// H_F, with the lattice vectors as columns.
    pub vectors: [V3; 3],
}

/// An impulse of one row on two bodies: a force at a point, or a moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct RowImpulse {
    pub bodies: [Option<usize>; 2],
    pub rotational: bool,
    pub direction: V3,
    pub at: V3,
    /// Lattice shift of the periodic image of the second body.
    pub shift: V3,
    pub size: f64,
}

/// Velocities, midpoints and impulses of a step.
#[derive(Debug, Default)]
pub(super) struct StepMotion {
    pub h: f64,
    pub t: f64,
    pub mid: Vec<SpatialPose>,
    /// v_I, v_L and v_F, angular velocities in body axes.
    pub begin: Vec<Twist>,
    pub free: Vec<Twist>,
    pub end: Vec<Twist>,
    /// A⁻¹ Σ Gᵀ S.
    pub pushed: Vec<Twist>,
    /// Sum of the absolute values of the terms of a body's balance: linear, angular.
    pub size: Vec<[f64; 2]>,
    /// Impulse and moment about the centre at the midpoint, space axes.
    impulse: Vec<[V3; 2]>,
    loads: Vec<Twist>,
    pub flow: Option<CellFlow>,
    /// Angular velocities at which gyroscopic moments of jointed bodies were evaluated, in body axes.
    pub gyroscopic_spins: Vec<Option<V3>>,
    /// Whether the midpoints are recorded.
    pub midpoint_recorded: bool,
}

impl StepMotion {
    /// Empty, for steps of this length.
    pub fn of_step(h: f64) -> Self {
        Self {
            h,
            ..Self::default()
        }
    }

    /// Reconstructs midpoint and initial velocities of the step that ends at `last`.
    pub fn reconstruct<D: EmbedInSpace>(
        &mut self,
        given: &mut SceneData<D>,
        before: Option<&RecordedState>,
        last: &RecordedState,
        pushes: &[RowImpulse],
    ) {
        let count = given.parts.len();
        // Start: v_I of the state before, otherwise v_F as first iterate.
        self.begin.clear();
        self.begin.extend_from_slice(match before {
            Some(before) => &before.twists,
            None => &self.end,
        });
        if !self.midpoint_recorded {
            self.mid.clear();
            self.mid.extend_from_slice(&last.poses);
        }
        self.free.resize(count, [0.0; 6]);
        self.pushed.resize(count, [0.0; 6]);
        self.loads.resize(count, [0.0; 6]);
        // Kinematic bodies, and the midpoint where it is known from the beginning.
        self.set_given(given);
        if let (Some(before), false) = (before, self.midpoint_recorded) {
            for i in (0..count).filter(|&i| given.parts[i].movable) {
                self.mid[i] = self.midpoint_from_begin::<D>(&before.poses[i], &before.twists[i]);
            }
        }
        // Fixed-point iteration for v_I; one pass where v_I is recorded.
        let mut least = f64::INFINITY;
        for _ in 0..ROUNDS {
            if before.is_none() && !self.midpoint_recorded {
                for i in (0..count).filter(|&i| given.parts[i].movable) {
                    self.mid[i] = self.midpoint_from_end::<D>(&last.poses[i], i);
                }
            }
            self.gather(given, pushes);
            self.set_free(given);
            if before.is_some() {
                return;
            }
            // Residual of A(v_F − v_L) = Σ Gᵀ S, added to v_I.
            let mut left = 0.0_f64;
            for i in (0..count).filter(|&i| given.parts[i].movable) {
                for k in 0..6 {
                    let rest = self.end[i][k] - self.pushed[i][k] - self.free[i][k];
                    let scale = self.size[i][k / 3];
                    if given.parts[i].inverse[k] > 0.0 && rest != 0.0 {
                        self.begin[i][k] += rest;
                        left = left.max(rest.abs() / scale);
                    }
                }
            }
            // Stop at rounding, or when the residual no longer decreases.
            if left <= f64::EPSILON || (left <= 1e-13 && left >= 0.5 * least) {
                break;
            }
            least = least.min(left);
        }
        self.gather(given, pushes);
        self.set_free(given);
    }

    /// Kinematic and fixed bodies: pose at the midpoint, velocities before and after.
    fn set_given<D: EmbedInSpace>(&mut self, given: &mut SceneData<D>) {
        for i in 0..given.parts.len() {
            let part = given.parts[i];
            if part.movable {
                continue;
            }
            (self.begin[i], self.end[i]) = ([0.0; 6], [0.0; 6]);
            let Some(guide) = part.guide else { continue };
            let (h, t) = (self.h, self.t);
            if let (Some((stand, _)), Some((_, first)), Some((_, last))) = (
                given.prescribed_state(guide, t - 0.5 * h),
                given.prescribed_state(guide, t - h),
                given.prescribed_state(guide, t),
            ) {
                self.mid[i] = stand;
                (self.begin[i], self.end[i]) = (first, last);
            }
        }
    }

    /// Midpoint pose from the state before.
    fn midpoint_from_begin<D: EmbedInSpace>(
        &self,
        stand: &SpatialPose,
        speed: &Twist,
    ) -> SpatialPose {
        let half = 0.5 * self.h;
        let mut x = add_scaled(stand.x, linear(speed), half);
        if let Some(flow) = &self.flow {
            x = add_scaled(x, apply(&flow.begin, stand.x), half);
        }
        SpatialPose {
            x,
            q: turned::<D>(stand, half, spin(speed)),
            angle: unreduced_angle::<D>(stand.angle, half * speed[5]),
        }
    }

    /// The same for comparisons from outside.
    pub fn ahead_of<D: EmbedInSpace>(&self, stand: &SpatialPose, speed: &Twist) -> SpatialPose {
        self.midpoint_from_begin::<D>(stand, speed)
    }

    /// Final pose from the state before, x_F = x_I + ½h(v_I + v_F).
    pub fn end_from_begin<D: EmbedInSpace>(
        &self,
        stand: &SpatialPose,
        i: usize,
        h: f64,
    ) -> SpatialPose {
        let (begin, end) = (&self.begin[i], &self.end[i]);
        let drift = add(linear(begin), linear(end));
        let mut x = add_scaled(stand.x, drift, 0.5 * h);
        if let Some(flow) = &self.flow {
            // Mean flow by the trapezoidal rule: implicit in x_F.
            let mean = add_scaled_matrix(&flow.begin, &flow.end, 1.0);
            let right = add_scaled(x, apply(&mean, stand.x), 0.25 * h);
            x = solve(&add_scaled_matrix(&identity(), &mean, -0.25 * h), right);
        }
        let both = add(spin(begin), spin(end));
        SpatialPose {
            x,
            q: turned::<D>(stand, 0.5 * h, both),
            angle: unreduced_angle::<D>(stand.angle, 0.5 * h * both[2]),
        }
    }

    /// Final pose from the midpoint.
    pub fn end_from_midpoint<D: EmbedInSpace>(&self, mid: &SpatialPose, i: usize) -> SpatialPose {
        let (h, begin, end) = (self.h, &self.begin[i], &self.end[i]);
        // Back to the initial rotation, then over the whole step.
        let first = SpatialPose {
            q: turned::<D>(mid, -0.5 * h, spin(begin)),
            angle: unreduced_angle::<D>(mid.angle, -0.5 * h * begin[5]),
            ..*mid
        };
        let both = add(spin(begin), spin(end));
        SpatialPose {
            x: add_scaled(mid.x, linear(end), 0.5 * h),
            q: turned::<D>(&first, 0.5 * h, both),
            angle: unreduced_angle::<D>(first.angle, 0.5 * h * both[2]),
        }
    }

    /// Midpoint pose from the final pose.
    fn midpoint_from_end<D: EmbedInSpace>(&self, stand: &SpatialPose, i: usize) -> SpatialPose {
        let (h, begin, end) = (self.h, &self.begin[i], &self.end[i]);
        let x = match &self.flow {
            None => add_scaled(stand.x, linear(end), -0.5 * h),
            Some(flow) => {
                let mean = add_scaled_matrix(&flow.begin, &flow.end, 1.0);
                let drift = add(linear(begin), linear(end));
                let right = add_scaled(stand.x, apply(&mean, stand.x), -0.25 * h);
                let right = add_scaled(right, drift, -0.5 * h);
                let first = solve(&add_scaled_matrix(&identity(), &mean, 0.25 * h), right);
                let rate = add(linear(begin), apply(&flow.begin, first));
                add_scaled(first, rate, 0.5 * h)
            }
        };
        let both = add(spin(begin), spin(end));
        let first = SpatialPose {
            q: turned::<D>(stand, -0.5 * h, both),
            angle: unreduced_angle::<D>(stand.angle, -0.5 * h * both[2]),
            ..*stand
        };
        SpatialPose {
            x,
            q: turned::<D>(&first, 0.5 * h, spin(begin)),
            angle: unreduced_angle::<D>(first.angle, 0.5 * h * begin[5]),
        }
    }

    /// Σ Gᵀ S by body: impulse, moment about the centre, and the absolute values of the terms.
    fn sum_up(&self, count: usize, pushes: &[RowImpulse]) -> (Vec<[V3; 2]>, Vec<[f64; 2]>) {
        let mut impulse = vec![[[0.0; 3]; 2]; count];
        let mut size = vec![[0.0; 2]; count];
        for push in pushes {
            for (side, sign) in [(0, -1.0), (1, 1.0)] {
                let Some(i) = push.bodies[side].filter(|&i| i < count) else {
                    continue;
                };
                let s = sign * push.size;
                // Lever arm from the centre, of b to its periodic image.
                let lever = match side {
                    0 => sub(push.at, self.mid[i].x),
                    _ => sub(sub(push.at, self.mid[i].x), push.shift),
                };
                let moment = match push.rotational {
                    true => push.direction,
                    false => {
                        let [sum, _] = &mut impulse[i];
                        *sum = add_scaled(*sum, push.direction, s);
                        size[i][0] += s.abs();
                        cross(lever, push.direction)
                    }
                };
                let [_, sum] = &mut impulse[i];
                *sum = add_scaled(*sum, moment, s);
                let arm = if push.rotational { 1.0 } else { norm(lever) };
                size[i][1] += s.abs() * arm;
            }
        }
        (impulse, size)
    }

    /// ½ ‖Σ Gᵀ S‖² in the metric A⁻¹: the kinetic energy that these impulses give to bodies at rest.
    pub fn energy_of<D: EmbedInSpace>(&self, given: &SceneData<D>, pushes: &[RowImpulse]) -> f64 {
        let (impulse, _) = self.sum_up(given.parts.len(), pushes);
        let mut sum = 0.0;
        let movable = |i: &usize| given.parts[*i].movable;
        for i in (0..impulse.len()).filter(movable) {
            let (part, [impulse, moment]) = (&given.parts[i], impulse[i]);
            let moment = rotate_back(self.mid[i].q, moment);
            for k in 0..3 {
                sum += part.inverse[k] * impulse[k] * impulse[k];
                sum += part.inverse[3 + k] * moment[k] * moment[k];
            }
        }
        0.5 * sum
    }

    /// The projection of velocities at the end of the step as a step of its own: q_F for the midpoint, u_F for the
    /// velocities before, and the free velocity u_F′ − A⁻¹ Σ Gᵀ(S + S′). `pushes` are the impulses S + S′.
    pub fn projection<D: EmbedInSpace>(
        &self,
        given: &SceneData<D>,
        last: &RecordedState,
        pushes: &[RowImpulse],
    ) -> Self {
        let count = given.parts.len();
        let mut end = Self {
            t: self.t,
            mid: last.poses.clone(),
            begin: self.end.clone(),
            end: last.twists.clone(),
            free: last.twists.clone(),
            pushed: vec![[0.0; 6]; count],
            ..Self::of_step(self.h)
        };
        for i in 0..count {
            if !given.parts[i].movable {
                (end.end[i], end.free[i]) = (self.end[i], self.end[i]);
            } else if given.parts[i].world_spin {
                // Spins of bodies with equal moments of inertia are the same about space axes.
                let spin = rotate_back(last.poses[i].q, rotate(self.mid[i].q, spin(&self.end[i])));
                end.begin[i][3..].copy_from_slice(&spin);
            }
        }
        end.gather(given, pushes);
        for i in (0..count).filter(|i| given.parts[*i].movable) {
            for k in 0..6 {
                end.free[i][k] -= end.pushed[i][k];
            }
        }
        end
    }

    /// A⁻¹ Σ Gᵀ S of other impulses, by body.
    pub fn pushed_by<D: EmbedInSpace>(
        &self,
        given: &SceneData<D>,
        pushes: &[RowImpulse],
    ) -> Vec<Twist> {
        let (sums, _) = self.sum_up(given.parts.len(), pushes);
        let each = sums.iter().enumerate().map(|(i, [impulse, moment])| {
            let (part, moment) = (&given.parts[i], rotate_back(self.mid[i].q, *moment));
            std::array::from_fn(|k| match k < 3 {
                true => part.inverse[k] * impulse[k],
                false => part.inverse[k] * moment[k - 3],
            })
        });
        each.collect()
    }

    /// Computes A⁻¹ Σ Gᵀ S and the scales of the balances.
    fn gather<D: EmbedInSpace>(&mut self, given: &SceneData<D>, pushes: &[RowImpulse]) {
        let count = given.parts.len();
        (self.impulse, self.size) = self.sum_up(count, pushes);
        for i in 0..count {
            let part = &given.parts[i];
            if !part.movable {
                self.size[i] = [size(&self.end[i], 0), size(&self.end[i], 3)];
                self.pushed[i] = [0.0; 6];
                continue;
            }
            let [impulse, moment] = self.impulse[i];
            let moment = rotate_back(self.mid[i].q, moment);
            let largest = |from: usize| {
                part.inverse[from..from + 3]
                    .iter()
                    .fold(0.0, |m: f64, x| m.max(*x))
            };
            self.size[i][0] *= largest(0);
            self.size[i][1] *= largest(3);
            for k in 0..3 {
                self.pushed[i][k] = part.inverse[k] * impulse[k];
                self.pushed[i][3 + k] = part.inverse[3 + k] * moment[k];
            }
            for (at, first) in [(0, 0), (1, 3)] {
                self.size[i][at] += size(&self.end[i], first) + size(&self.begin[i], first);
            }
        }
    }

    /// Computes the free velocity v_L.
    fn set_free<D: EmbedInSpace>(&mut self, given: &mut SceneData<D>) {
        let (h, t) = (self.h, self.t);
        match given.has_fields() {
            true => given.loads(t - 0.5 * h, &self.mid, &self.begin, &mut self.loads),
            false => self.loads.fill([0.0; 6]),
        }
        let gravity = given.gravity();
        for i in 0..given.parts.len() {
            let part = &given.parts[i];
            if !part.movable {
                self.free[i] = self.end[i];
                continue;
            }
            let (begin, load) = (self.begin[i], self.loads[i]);
            let mut free = begin;
            let moment = spin(&load);
            // Rotation with gyroscopic moment, then translation.
            let turn = free_spin::<D>(&part.masses, spin(&begin), moment, h);
            free[3..].copy_from_slice(&turn);
            for k in 0..3 {
                free[k] += h * (gravity[k] + load[k] / part.mass);
            }
            // Drag by the midpoint rule; held components are zero.
            for k in 0..6 {
                if !(part.inverse[k] > 0.0) {
                    free[k] = 0.0;
                    continue;
                }
                self.size[i][k / 3] += (free[k] - begin[k]).abs();
                let share = 0.5 * h * part.drag[k / 3] * part.inverse[k];
                if share > 0.0 {
                    free[k] = (begin[k] * (1.0 - share) + (free[k] - begin[k])) / (1.0 + share);
                }
            }
            // Jointed bodies: gyroscopic moment at the recorded angular velocity.
            if let Some(first) = self.gyroscopic_spins.get(i).copied().flatten() {
                let moment = |end: V3| gyroscopic(&part.masses, spin(&begin), end);
                let (wanted, taken) = (moment(first), moment(spin(&free)));
                for k in 0..3 {
                    free[3 + k] += h * part.inverse[3 + k] * (wanted[k] - taken[k]);
                }
            }
            if let Some(flow) = &self.flow {
                // Peculiar velocity in a deforming cell: −L c.
                let c = linear(&begin);
                let middle = add_scaled(c, apply(&flow.begin, c), -0.5 * h);
                let change = scale(apply(&flow.begin, middle), h);
                for k in 0..3 {
                    free[k] -= change[k];
                }
            }
            self.free[i] = free;
        }
    }

    /// Relative velocity of a row, b minus a, for the velocities `v`.
    pub fn row_velocity(&self, push: &RowImpulse, v: &[Twist]) -> f64 {
        let mut sum = 0.0;
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let Some(i) = push.bodies[side].filter(|&i| i < v.len()) else {
                continue;
            };
            let spin = rotate(self.mid[i].q, spin(&v[i]));
            let velocity = match push.rotational {
                true => spin,
                false => {
                    let mut lever = sub(push.at, self.mid[i].x);
                    if side == 1 {
                        lever = sub(lever, push.shift);
                    }
                    add(linear(&v[i]), cross(spin, lever))
                }
            };
            sum += sign * dot(push.direction, velocity);
        }
        sum
    }

    /// Branch vector ℓ, from the centre of a to that of the periodic image of b.
    pub fn branch_vector(&self, touch: &RecordedContactRow) -> V3 {
        add(sub(self.mid[touch.b].x, self.mid[touch.a].x), touch.shift)
    }
}
