//! Assembles the data of a step: its contacts, its final velocities and midpoint, its impulses.

use super::super::report::RowRange;
use super::read::{self, RecordedState};
use super::scene_data::EmbedInSpace;
use super::step_motion::RowImpulse;
use super::{BodiesVerifier, Tables, VerifyError, joints, scene_data as given};

impl<D: EmbedInSpace> BodiesVerifier<'_, D> {
    /// Drops contacts that refer to no bodies, or have other rows than their law.
    pub(super) fn drop_invalid_contacts(&mut self) {
        let mut touches = std::mem::take(&mut self.contacts);
        touches.retain(|touch| {
            let known = touch.a < self.names.len() && touch.b < self.names.len();
            let pair = self.scene.pair(touch.a, touch.b, touch.feature);
            let wide = pair.map(|pair| given::width(pair, self.plane));
            let width = if self.plane { 3 } else { 6 };
            // Columns of rows that the law does not have are empty.
            let blank = (0..width).all(|k| {
                let empty = k >= touch.rows;
                [&touch.begin, &touch.end, &touch.impulse].map(|all| all[k].is_nan()) == [empty; 3]
            });
            // A contact that fails is reported and dropped, so that the rest can be verified.
            let right = known && wide == Some(touch.rows) && blank;
            if !right {
                let what = format!(
                    "{} has {} rows, its law has {}",
                    self.pair_name(touch),
                    touch.rows,
                    wide.unwrap_or(0)
                );
                let place = self.place(what);
                self.report.add_comparison("rows", f64::INFINITY, || place);
            }
            right
        });
        self.contacts = touches;
    }

    /// Sets v_F, and the midpoint where it is recorded.
    pub(super) fn set_end(
        &mut self,
        tables: &mut Tables<'_>,
        last: &RecordedState,
    ) -> Result<(), VerifyError> {
        // Without midpoints: v_F as recorded.
        let motion = &mut self.motion;
        motion.end.clone_from(&last.twists);
        motion.mid.clone_from(&last.poses);
        motion.midpoint_recorded = false;
        motion.gyroscopic_spins.clear();
        motion.gyroscopic_spins.resize(last.poses.len(), None);
        let Some(stream) = &mut tables.midpoints else {
            return Ok(());
        };
        let group = stream.at(last.step)?;
        motion.midpoint_recorded = group.rows > 0;
        let mut told = Vec::with_capacity(group.rows);
        // With midpoints: pose of the evaluation, and the velocity before the correction.
        for row in 0..group.rows {
            let (body, stand, speed) = read::state_row(&group, row, self.plane);
            if let (Some(mid), Some(end)) = (motion.mid.get_mut(body), motion.end.get_mut(body)) {
                (*mid, *end) = (stand, speed);
                motion.gyroscopic_spins[body] = read::first_spin(&group, row, stand.q);
                told.push((body, motion.gyroscopic_spins[body].is_some()));
            }
        }
        if motion.midpoint_recorded {
            self.compare_midpoints(&told);
        }
        Ok(())
    }

    /// Every body that follows forces has one midpoint, in order; jointed bodies with unequal moments of inertia also
    /// have the angular velocity at which their gyroscopic moment was evaluated.
    fn compare_midpoints(&mut self, told: &[(usize, bool)]) {
        let model = &self.scene.model;
        let sides = model.joints.iter().flat_map(|joint| &joint.frames);
        let joined: Vec<usize> = sides.filter_map(|s| s.body).map(|b| b as usize).collect();
        // Gyroscopic moments occur in space, with unequal moments of inertia.
        let turned = |i: usize| {
            let uneven = model
                .bodies
                .get(i)
                .is_some_and(|b| !D::has_isotropic_inertia(&b.mass.inertia));
            let persistent = self
                .contacts
                .iter()
                .any(|touch| (touch.a == i || touch.b == i) && self.persistent_before(touch));
            D::N == 3 && uneven && (joined.contains(&i) || persistent)
        };
        let movable = (0..self.scene.parts.len()).filter(|i| self.scene.parts[*i].movable);
        let wanted = movable.map(|i| (i, turned(i)));
        // Which contacts persist is not known where the step before is not recorded.
        let unknown =
            self.persistent.projected && self.persistent.before(self.steps.step).is_none();
        let same = match unknown {
            true => wanted.map(|(i, _)| i).eq(told.iter().map(|(i, _)| *i)),
            false => wanted.eq(told.iter().copied()),
        };
        let off = if same { 0.0 } else { f64::INFINITY };
        if told.iter().any(|(_, first)| *first) {
            let why = "found by a first solution of the step that is not recorded; the moment that it makes is compared";
            let columns = ["first_x", "first_y", "first_z"];
            self.report
                .mark_all_unchecked("midpoints", &columns, RowRange::All, why);
        }
        let place = self.place("`midpoints`: its bodies, or `first_x` and those beside it");
        self.report.add_comparison("rows", off, || place);
    }

    /// Collects the row impulses of contacts, then of joints.
    pub(super) fn set_pushes(&mut self) {
        self.impulses.clear();
        for touch in &self.contacts {
            for row in 0..touch.rows {
                let (direction, turn) = touch.row(row, self.plane);
                self.impulses.push(RowImpulse {
                    bodies: [Some(touch.a), Some(touch.b)],
                    rotational: turn,
                    direction,
                    at: touch.at,
                    shift: touch.shift,
                    size: touch.impulse[row],
                });
            }
        }
        joints::joint_impulses(&self.joints, &self.scene.model.joints, &mut self.impulses);
    }
}
