//! What a step consists of: its contacts, its end, its impulses.

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
            let right = known && wide == Some(touch.rows);
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
        for row in 0..group.rows {
            let (body, stand, speed) = read::state_row(&group, row, self.plane);
            if let (Some(mid), Some(end)) = (motion.mid.get_mut(body), motion.end.get_mut(body)) {
                (*mid, *end) = (stand, speed);
                motion.first[body] = read::first_spin(&group, row, stand.q);
            }
        }
        Ok(())
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
