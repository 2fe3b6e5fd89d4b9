//! Energies and works of a step against the recorded energy balance.
//!
//! ```text
//! T = ½ v·A v,   V = −Σ m g·x,   work = A(v_L − v_I)·½(v_F + v_I)
//! impact, sliding = Σ ½ S (U_I + U_F) of normal and other rows,   boundary = −Σ ½ S (W_I + W_F)
//! T_F − T_I = work + impact + sliding + boundary + motor + spring + friction + bilateral      every step
//! ```
//!
//! `friction` is the column `joint_friction`, the friction work of joints; `bilateral` the work of bilateral joint rows.

use super::super::vector::{add_scaled_matrix, apply, contract, dot};
use super::BodiesVerifier;
use super::read::RecordedState;
use super::recorded_steps::{COLUMNS, ELASTIC, KINETIC, POTENTIAL, WORK};
use super::scene_data::{EmbedInSpace, Twist};

impl<D: EmbedInSpace> BodiesVerifier<'_, D> {
    /// Kinetic energy of all bodies that follow forces.
    pub(super) fn kinetic(&self, speeds: &[Twist]) -> f64 {
        let mut sum = 0.0;
        for (part, v) in self.scene.parts.iter().zip(speeds) {
            for k in (0..6).filter(|&k| part.inverse[k] > 0.0) {
                sum += part.masses[k] * v[k] * v[k];
            }
        }
        0.5 * sum
    }

    fn potential(&self, last: &RecordedState) -> f64 {
        let gravity = self.scene.gravity();
        let mut sum = 0.0;
        for (part, stand) in self.scene.parts.iter().zip(&last.poses) {
            for k in (0..3).filter(|&k| part.inverse[k] > 0.0) {
                sum -= part.mass * gravity[k] * stand.x[k];
            }
        }
        sum
    }

    /// Rates of the cell scaled to unit mass: half the sum of their squares is the kinetic energy ½ M Σ q̇² B:B.
    pub(super) fn cell_hats(&self, rate: &[[f64; 3]; 3]) -> Vec<f64> {
        let Some(cell) = &self.scene.model.cell else {
            return Vec::new();
        };
        let modes = cell.modes.iter();
        modes
            .map(|mode| {
                let square = contract(mode, mode);
                contract(rate, mode) / square * (cell.mass * square).sqrt()
            })
            .collect()
    }

    /// Energies at the start, from which the balance of the first step begins.
    pub(super) fn begin_energy(&mut self, start: &RecordedState, flow: Option<[[f64; 3]; 3]>) {
        let mut kinetic = self.kinetic(&start.twists);
        if let Some(rate) = flow {
            kinetic += 0.5 * self.cell_hats(&rate).iter().map(|x| x * x).sum::<f64>();
        }
        self.steps.begin(kinetic);
        self.begin_stake();
    }

    /// Energy that gravity feeds into bodies at rest in one step: a lower bound of the energy scale.
    pub(super) fn begin_stake(&mut self) {
        let (g, h) = (self.scene.gravity(), self.motion.h);
        let heavy = self.scene.parts.iter().filter(|part| part.movable);
        let mass: f64 = heavy.map(|part| part.mass).sum();
        self.steps.gravity_energy = 0.5 * mass * h * h * dot(g, g);
    }

    /// Energies of a state whose step cannot be reconstructed.
    pub(super) fn compare_end_energy(&mut self, last: &RecordedState) {
        let Some(row) = self.steps.row else { return };
        if self.scene.flows() {
            return;
        }
        let (kinetic, potential) = (self.kinetic(&last.twists), self.potential(last));
        let scale = kinetic.max(potential.abs()).max(self.steps.gravity_energy);
        let scale = scale.max(self.steps.floor());
        for (what, off) in [
            ("kinetic", kinetic - row[KINETIC]),
            ("potential", potential - row[POTENTIAL]),
        ] {
            let place = self.place(what);
            let off = if off == 0.0 { 0.0 } else { off.abs() / scale };
            self.report.add_comparison("energy", off, || place);
        }
    }

    pub(super) fn compare_energy(&mut self, last: &RecordedState) {
        let (impact, sliding, boundary, size) = self.works();
        let mut joints = self.joint_works(last);
        // The projection at the end of the step.
        let end = self.persistent.works;
        let (impact, sliding, boundary) = (
            impact + end.impact,
            sliding + end.sliding,
            boundary + end.boundary,
        );
        if !self.scene.model.joints.is_empty() {
            joints.held -= end.impact + end.sliding + end.boundary;
        }
        let motion = &self.motion;
        // Work of the forces, and the energy they give to bodies at rest.
        let (mut work, mut at_stake) = (0.0, 0.0);
        for (i, part) in self.scene.parts.iter().enumerate() {
            for k in (0..6).filter(|&k| part.inverse[k] > 0.0) {
                let change = motion.free[i][k] - motion.begin[i][k];
                work += part.masses[k] * change * 0.5 * (motion.begin[i][k] + motion.end[i][k]);
                at_stake += 0.5 * part.masses[k] * change * change;
            }
        }
        let mut kinetic = self.kinetic(&last.twists);
        if let (Some(flow), Some(free)) = (motion.flow, self.cell_free) {
            let [begin, free, end] =
                [&flow.begin, &free, &flow.end].map(|rate| self.cell_hats(rate));
            for m in 0..end.len() {
                let change = free[m] - begin[m];
                work += change * 0.5 * (begin[m] + end[m]);
                // The pressure on a cell of grains at rest.
                at_stake += 0.5 * change * change;
                kinetic += 0.5 * end[m] * end[m];
            }
        }
        let Some(row) = self.steps.row else { return };
        // Works in the order of the columns of `steps`.
        let own = [
            work,
            impact + joints.limit,
            sliding,
            boundary + joints.boundary,
            joints.motor,
            joints.spring,
            joints.friction,
            joints.held,
        ];
        let scale = own
            .iter()
            .fold(kinetic.max(size).max(at_stake), |m, w| m.max(w.abs()));
        let scale = scale
            .max(self.kinetic(&motion.begin))
            .max(self.steps.floor());
        // Differences relative to the largest energy or work of the step.
        let over = |x: f64| if x == 0.0 { 0.0 } else { x.abs() / scale };
        let mut found = vec![("kinetic", over(kinetic - row[KINETIC]))];
        for (k, value) in own.iter().enumerate() {
            found.push((COLUMNS[WORK + k], over(value - row[WORK + k])));
        }
        found.push(("elastic", over(joints.elastic - row[ELASTIC])));
        let potential = self.potential(last);
        let size = potential.abs().max(scale).max(self.steps.gravity_energy);
        let off = (potential - row[POTENTIAL]).abs();
        found.push(("potential", if off == 0.0 { 0.0 } else { off / size }));
        for (what, off) in found {
            let place = self.place(what);
            self.report.add_comparison("energy", off, || place);
        }
        self.compare_depth();
    }

    /// Works of the contacts (impact, sliding, boundary), and the sum of their absolute values.
    fn works(&self) -> (f64, f64, f64, f64) {
        let (mut impact, mut sliding, mut boundary, mut size) = (0.0, 0.0, 0.0, 0.0);
        let motion = &self.motion;
        let held = |v: &[Twist]| -> Vec<Twist> {
            let given = self.scene.parts.iter().zip(v);
            given
                .map(|(part, v)| if part.movable { [0.0; 6] } else { *v })
                .collect()
        };
        // Velocities of fixed and kinematic bodies alone give W.
        let (first, last) = (held(&motion.begin), held(&motion.end));
        let mut at = 0;
        for touch in &self.contacts {
            let branch = motion.branch_vector(touch);
            for row in 0..touch.rows {
                let push = &self.impulses[at];
                at += 1;
                let s = push.size;
                let mut mean = 0.5
                    * (motion.row_velocity(push, &motion.begin)
                        + motion.row_velocity(push, &motion.end));
                let mut carried =
                    0.5 * (motion.row_velocity(push, &first) + motion.row_velocity(push, &last));
                // Mean flow of the cell; its imposed part works as a boundary.
                if let (Some(flow), false) = (&motion.flow, push.rotational) {
                    let both = add_scaled_matrix(&flow.begin, &flow.end, 1.0);
                    mean += 0.5 * dot(push.direction, apply(&both, branch));
                    let given = self.without_modes(&both);
                    carried += 0.5 * dot(push.direction, apply(&given, branch));
                }
                size += (s * mean).abs();
                boundary -= s * carried;
                match row {
                    0 => impact += s * mean,
                    _ => sliding += s * mean,
                }
            }
        }
        (impact, sliding, boundary, size)
    }

    /// A velocity gradient of the cell without the modes that follow the stress.
    pub(super) fn without_modes(&self, rate: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
        let modes = self.scene.model.cell.iter().flat_map(|cell| &cell.modes);
        modes.fold(*rate, |rate, mode| {
            let part = contract(&rate, mode) / contract(mode, mode);
            add_scaled_matrix(&rate, mode, -part)
        })
    }

    fn compare_depth(&mut self) {
        let deepest = self.contacts.iter().fold(0.0_f64, |m, t| m.max(-t.gap));
        let Some(recorded) = self.steps.penetration() else {
            return;
        };
        let place = self.place("all contacts");
        let size = deepest.max(recorded).max(f64::MIN_POSITIVE);
        let off = (deepest - recorded).abs() / size;
        self.report.add_comparison("penetration", off, || place);
    }
}
