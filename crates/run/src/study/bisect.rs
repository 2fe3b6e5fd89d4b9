//! Bisection: the value of a parameter at which a condition changes.

/// An interval, and the length at which its bisection ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    pub from: f64,
    pub to: f64,
    pub tolerance: f64,
}

impl Search {
    /// Bisects the interval, whose ends have different answers, until it is no longer than the
    /// tolerance; returns its midpoint.
    pub fn run(&self, holds: impl Fn(f64) -> Result<bool, String>) -> Result<f64, String> {
        let at = |x: f64| holds(x).map_err(|reason| format!("at {x}: {reason}"));
        let (mut low, mut high) = (self.from, self.to);
        let first = at(low)?;
        if at(high)? == first {
            return Err(format!(
                "`when` is {first} at both ends, {low} and {high}: there is no change to find"
            ));
        }
        while high - low > self.tolerance {
            let middle = 0.5 * (low + high);
            // The interval cannot be divided further in floating point.
            if !(middle > low && middle < high) {
                break;
            }
            match at(middle)? == first {
                true => low = middle,
                false => high = middle,
            }
        }
        Ok(0.5 * (low + high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_change_is_within_half_the_tolerance() {
        for threshold in [0.1, 0.37, 2.9] {
            for sense in [true, false] {
                let search = Search {
                    from: 0.0,
                    to: 3.0,
                    tolerance: 1e-3,
                };
                let found = search
                    .run(|x| Ok((x > threshold) == sense))
                    .expect("a threshold");
                assert!((found - threshold).abs() <= 5e-4);
            }
        }
    }

    #[test]
    fn a_tolerance_below_rounding_ends_too() {
        let search = Search {
            from: 0.0,
            to: 3.0,
            tolerance: 1e-300,
        };
        let found = search.run(|x| Ok(x > 1.0)).expect("a threshold");
        // One spacing of doubles near 1.
        assert!((found - 1.0).abs() <= 2.3e-16);
    }

    #[test]
    fn no_change_is_said() {
        let search = Search {
            from: 1.0,
            to: 2.0,
            tolerance: 0.1,
        };
        let error = search.run(|_| Ok(true)).expect_err("no threshold");
        assert!(
            error.contains("`when` is true at both ends, 1 and 2"),
            "{error}"
        );
        let error = search
            .run(|_| Err("no motion".to_string()))
            .expect_err("no threshold");
        assert_eq!(error, "at 1: no motion");
    }
}
