//! Constrained random walk: increasing points that end at a given point and avoid given intervals.
//!
//! ```text
//! 0 = x_0 < x_1 < … < x_m = end,   x_{j+1} − x_j ∈ [a, b],   x_j ∉ bars for 0 < j < m
//! S_0 = {end},   S_{i+1} = (S_i − [a, b]) \ bars,   ∪ S_i = all points from which the end can be reached
//! ```
//!
//! S_i − [a, b] turns an interval [p, q] into [p − b, q − a]: the S_i are unions of at most as many
//! intervals as there are gaps between bars. Each step is uniform (by length) in what is both within
//! reach and in some S_i; where that is only points, as with a = b, one of them is taken.

use crate::random::SplitMix64;

/// Largest number of steps of a walk.
pub(super) const MOST: usize = 2000;

/// Intervals that miss each other by this fraction of the whole meet: rounding of sums of steps.
const SAME: f64 = 1e-12;

type Interval = [f64; 2];

/// All walks with the same step, end and bars.
pub(super) struct ConstrainedWalk {
    step: Interval,
    end: f64,
    slack: f64,
    /// Points from which the end can be reached, in ascending order, disjoint.
    good: Vec<Interval>,
}

impl ConstrainedWalk {
    /// Walks from 0 to `end`; `bars` are open intervals in ascending order of their middles.
    pub fn new(step: Interval, end: f64, bars: &[Interval]) -> Self {
        let slack = SAME * end;
        let allowed = allowed(end, bars);
        let mut good: Vec<Interval> = vec![[end, end]];
        let mut last = good.clone();
        // Backward reachable sets S_i of the end.
        for _ in 0..MOST {
            last = earlier(&last, step, &allowed, slack);
            if last.is_empty() {
                break;
            }
            good.extend(&last);
        }
        Self {
            step,
            end,
            slack,
            good: united(good),
        }
    }

    /// Draws the points of a random walk, 0 and the end included; `None` if there is none.
    pub fn draw(&self, random: &mut SplitMix64) -> Option<Vec<f64>> {
        let mut points = vec![0.0];
        let mut x = 0.0;
        while x < self.end {
            // Within one step of the end the walk ends.
            if (self.step[0] - self.slack..=self.step[1] + self.slack).contains(&(self.end - x)) {
                points.push(self.end);
                return Some(points);
            }
            let reach = [x + self.step[0], x + self.step[1]];
            x = self.pick(reach, random)?;
            points.push(x);
        }
        None
    }

    /// Draws a point within reach from which the end can be reached.
    fn pick(&self, reach: Interval, random: &mut SplitMix64) -> Option<f64> {
        // Intervals of good points within reach.
        let from = self.good.partition_point(|i| i[1] < reach[0] - self.slack);
        let within = || {
            let rest = self.good[from..].iter();
            rest.take_while(|i| i[0] <= reach[1] + self.slack).map(|i| {
                let low = i[0].max(reach[0]);
                // Slack may exchange the two ends.
                [low, i[1].min(reach[1]).max(low)]
            })
        };
        let count = within().count();
        let total: f64 = within().map(|[a, b]| b - a).sum();
        let share = random.uniform();
        // Only isolated points: choose one; otherwise uniform by length.
        if total <= self.slack {
            let number = ((share * count as f64) as usize).min(count.checked_sub(1)?);
            return within().nth(number).map(|[a, _]| a);
        }
        // Position by cumulative length.
        let mut left = share * total;
        let mut last = None;
        for [a, b] in within() {
            if left <= b - a {
                return Some(a + left);
            }
            left -= b - a;
            last = Some(b);
        }
        last
    }
}

/// The parts of [0, end] outside the bars.
fn allowed(end: f64, bars: &[Interval]) -> Vec<Interval> {
    let mut all = Vec::new();
    let mut from = 0.0_f64;
    for bar in bars {
        if bar[0] >= from {
            all.push([from, bar[0]]);
        }
        from = from.max(bar[1]);
    }
    if from <= end {
        all.push([from, end]);
    }
    all
}

/// The allowed points from which one step leads into a set.
fn earlier(set: &[Interval], [a, b]: Interval, allowed: &[Interval], slack: f64) -> Vec<Interval> {
    let before = united(set.iter().map(|i| [i[0] - b, i[1] - a]).collect());
    let mut all = Vec::new();
    let (mut i, mut j) = (0, 0);
    // Merge of two ascending lists of intervals.
    while let (Some(p), Some(q)) = (before.get(i), allowed.get(j)) {
        let low = p[0].max(q[0]);
        let high = p[1].min(q[1]);
        if high >= low - slack {
            all.push([low.min(high), high]);
        }
        match p[1] < q[1] {
            true => i += 1,
            false => j += 1,
        }
    }
    all
}

/// The union of intervals as disjoint ones in ascending order.
fn united(mut intervals: Vec<Interval>) -> Vec<Interval> {
    intervals.sort_by(|p, q| p[0].total_cmp(&q[0]));
    let mut all: Vec<Interval> = Vec::with_capacity(intervals.len());
    for interval in intervals {
        match all.last_mut() {
            Some(last) if interval[0] <= last[1] => last[1] = last[1].max(interval[1]),
            _ => all.push(interval),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_exist_exactly_where_a_search_over_a_lattice_finds_them() {
        // Steps and ends are whole numbers, bars end at quarters: so do all intervals of solutions,
        // which are closed, and a lattice of quarters meets each of them.
        let mut random = SplitMix64::new(7, "walks");
        let mut whole = |most: f64| (random.uniform() * most).floor();
        let (mut some, mut none) = (0, 0);
        for _ in 0..400 {
            let step = {
                let a = 2.0 + whole(3.0);
                [a, a + whole(3.0)]
            };
            let end = 6.0 + whole(14.0);
            let mut middles: Vec<f64> = (0..3).map(|_| 1.0 + whole(end - 1.0)).collect();
            middles.sort_by(f64::total_cmp);
            let wide = whole(2.0) + 0.25;
            let bars: Vec<Interval> = middles.iter().map(|m| [m - wide, m + wide]).collect();
            let fine = 0.25;
            let count = (end / fine) as usize;
            let free = |k: usize| {
                let x = k as f64 * fine;
                !bars.iter().any(|bar| bar[0] < x && x < bar[1])
            };
            let mut can = vec![false; count + 1];
            can[count] = true;
            for k in (0..count).rev() {
                let (a, b) = ((step[0] / fine) as usize, (step[1] / fine) as usize);
                let leads = (k + a..=(k + b).min(count)).any(|next| can[next]);
                can[k] = leads && (k == 0 || free(k));
            }
            let found =
                ConstrainedWalk::new(step, end, &bars).draw(&mut SplitMix64::new(1, "draw"));
            assert_eq!(found.is_some(), can[0], "{step:?} {end} {bars:?}");
            match found {
                None => none += 1,
                Some(points) => {
                    some += 1;
                    for pair in points.windows(2) {
                        let length = pair[1] - pair[0];
                        assert!(length > step[0] - 1e-10 && length < step[1] + 1e-10);
                    }
                    for x in &points[1..points.len() - 1] {
                        assert!(
                            bars.iter()
                                .all(|b| *x <= b[0] + 1e-10 || *x >= b[1] - 1e-10)
                        );
                    }
                }
            }
        }
        assert!(some > 50 && none > 50, "{some} {none}");
    }
}
