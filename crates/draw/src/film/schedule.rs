//! Film schedule: which recorded states a film shows, and for how long.

use percuss_record::PlotError;

/// Speed of a film.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FilmSpeed {
    /// Seconds of the motion per second of the film.
    Speed(f64),
    /// Chosen from the duration: real time where that lasts 2 to 15 seconds, otherwise as near to it as keeps
    /// the film neither too short nor too long.
    Auto,
    /// Every N-th recorded state is a frame.
    EveryNth(usize),
}

/// Time window, frame rate and speed of a film.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FilmSchedule {
    /// Start of the time window.
    pub from: Option<f64>,
    /// End of the time window.
    pub until: Option<f64>,
    /// Frames per second.
    pub fps: f64,
    /// Speed.
    pub pace: FilmSpeed,
}

/// A frame: a recorded state and the number of film frames for which it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilmFrame {
    /// Index among the recorded states.
    pub state: usize,
    /// Frames of the film in which it is seen.
    pub count: usize,
}

/// Maximal number of frames: half an hour at 30 per second.
const MOST: f64 = 54_000.0;

impl FilmSchedule {
    /// Speed for a motion of this duration: seconds of the motion per second of the film.
    pub fn speed(&self, lasts: f64) -> f64 {
        match self.pace {
            FilmSpeed::Speed(speed) => speed,
            FilmSpeed::EveryNth(_) => f64::NAN,
            FilmSpeed::Auto if (2.0..=15.0).contains(&lasts) => 1.0,
            FilmSpeed::Auto if lasts > 0.0 => crate::axis::nice_floor(lasts / 5.0),
            FilmSpeed::Auto => 1.0,
        }
    }

    /// The frames, from the recorded times in ascending order.
    ///
    /// # Errors
    /// No state lies in the time window, or there would be too many frames.
    pub fn frames(&self, times: &[f64]) -> Result<Vec<FilmFrame>, PlotError> {
        let (Some(first), Some(last)) = (times.first(), times.last()) else {
            return Err(PlotError::Nothing("no state is recorded".into()));
        };
        // States in the time window.
        let low = self.from.unwrap_or(*first).max(*first);
        let high = self.until.unwrap_or(*last).min(*last);
        let begin = times.partition_point(|t| *t < low);
        let end = times.partition_point(|t| *t <= high);
        if begin >= end {
            return Err(PlotError::Nothing(format!(
                "there is no recorded state between {} and {}: the states go from t = {first} to {last}",
                self.from.unwrap_or(*first),
                self.until.unwrap_or(*last),
            )));
        }
        // Every N-th state, one frame each.
        if let FilmSpeed::EveryNth(every) = self.pace {
            let states = (begin..end).step_by(every.max(1));
            return Ok(states.map(|state| FilmFrame { state, count: 1 }).collect());
        }
        // Otherwise the nearest state at each frame time; repeated states are merged.
        let speed = self.speed(high - low);
        let count = ((high - low) / speed * self.fps).floor() + 1.0;
        if !(count <= MOST) {
            return Err(PlotError::Nothing(format!(
                "the film would have {count} frames, more than {MOST}: give a larger --speed or a \
                 smaller --fps"
            )));
        }
        let mut frames: Vec<FilmFrame> = Vec::new();
        for k in 0..count as usize {
            let t = low + k as f64 / self.fps * speed;
            let state = nearest(times, t).clamp(begin, end - 1);
            match frames.last_mut() {
                Some(frame) if frame.state == state => frame.count += 1,
                _ => frames.push(FilmFrame { state, count: 1 }),
            }
        }
        Ok(frames)
    }
}

/// Index of the time nearest to `t`; the earlier of two.
pub(super) fn nearest(times: &[f64], t: f64) -> usize {
    let after = times.partition_point(|x| *x < t);
    match (after.checked_sub(1), times.get(after)) {
        (None, _) => 0,
        (Some(before), Some(late)) if late - t < t - times[before] => after,
        (Some(before), _) => before,
    }
}
