//! What a step consists of: its contacts, its end, its impulses.

use super::super::report::Rows;
use super::given::{self, Flat};
use super::motion::Push;
use super::read::{self, Bodies};
use super::{Tables, VerifyError, Walk, joints};

impl<D: Flat> Walk<'_, D> {
    /// Drops contacts that name no bodies, or have other rows than their law.
    pub(super) fn sift(&mut self) {
        let mut touches = std::mem::take(&mut self.touches);
        touches.retain(|touch| {
            let known = touch.a < self.names.len() && touch.b < self.names.len();
            let pair = self.given.pair(touch.a, touch.b, touch.feature);
            let wide = pair.map(|pair| given::width(pair, self.plane));
            let width = if self.plane { 3 } else { 6 };
            // Columns of rows that the law does not have are empty.
            let blank = (0..width).all(|k| {
                let empty = k >= touch.rows;
                [&touch.begin, &touch.end, &touch.impulse].map(|all| all[k].is_nan()) == [empty; 3]
            });
            let right = known && wide == Some(touch.rows) && blank;
            if !right {
                let what = format!(
                    "{} has {} rows, its law has {}",
                    self.pair_name(touch),
                    touch.rows,
                    wide.unwrap_or(0)
                );
                let place = self.place(what);
                self.report.note("rows", f64::INFINITY, || place);
            }
            right
        });
        self.touches = touches;
    }

    /// v_F, and where it is recorded the midpoint.
    pub(super) fn set_end(
        &mut self,
        tables: &mut Tables<'_>,
        last: &Bodies,
    ) -> Result<(), VerifyError> {
        let motion = &mut self.motion;
        motion.end.clone_from(&last.speeds);
        motion.mid.clone_from(&last.stands);
        motion.fixed_mid = false;
        motion.first.clear();
        motion.first.resize(last.stands.len(), None);
        let Some(stream) = &mut tables.midpoints else {
            return Ok(());
        };
        let group = stream.at(last.step)?;
        motion.fixed_mid = group.rows > 0;
        let mut told = Vec::with_capacity(group.rows);
        for row in 0..group.rows {
            let (body, stand, speed) = read::state_row(&group, row, self.plane);
            if let (Some(mid), Some(end)) = (motion.mid.get_mut(body), motion.end.get_mut(body)) {
                (*mid, *end) = (stand, speed);
                motion.first[body] = read::first_spin(&group, row, stand.q);
                told.push((body, motion.first[body].is_some()));
            }
        }
        if motion.fixed_mid {
            self.compare_midpoints(&told);
        }
        Ok(())
    }

    /// Every body that follows forces has one midpoint, in their order; those that joints turn and whose moments are
    /// unequal have the spin by which their gyroscopic moment was taken.
    fn compare_midpoints(&mut self, told: &[(usize, bool)]) {
        let model = &self.given.model;
        let sides = model.joints.iter().flat_map(|joint| &joint.frames);
        let joined: Vec<usize> = sides.filter_map(|s| s.body).map(|b| b as usize).collect();
        let turned = |i: usize| {
            let uneven = model
                .bodies
                .get(i)
                .is_some_and(|b| !D::has_isotropic_inertia(&b.mass.inertia));
            D::N == 3 && uneven && joined.contains(&i)
        };
        let movable = (0..self.given.parts.len()).filter(|i| self.given.parts[*i].movable);
        let wanted = movable.map(|i| (i, turned(i)));
        let off = if wanted.eq(told.iter().copied()) {
            0.0
        } else {
            f64::INFINITY
        };
        if told.iter().any(|(_, first)| *first) {
            let why = "found by a first solution of the step that is not recorded; the moment that it makes is compared";
            let columns = ["first_x", "first_y", "first_z"];
            self.report
                .unread_all("midpoints", &columns, Rows::All, why);
        }
        let place = self.place("`midpoints`: its bodies, or `first_x` and those beside it");
        self.report.note("rows", off, || place);
    }

    /// The impulses of contacts and joints.
    pub(super) fn set_pushes(&mut self) {
        self.pushes.clear();
        for touch in &self.touches {
            for row in 0..touch.rows {
                let (direction, turn) = touch.row(row, self.plane);
                self.pushes.push(Push {
                    bodies: [Some(touch.a), Some(touch.b)],
                    turn,
                    direction,
                    at: touch.at,
                    shift: touch.shift,
                    size: touch.impulse[row],
                });
            }
        }
        joints::pushes(&self.joints, &self.given.model.joints, &mut self.pushes);
    }
}
