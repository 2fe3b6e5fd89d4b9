//! Observed order of convergence (Richardson).
//!
//! ```text
//! p = log₂( Σ |x_h − x_{h/2}| / Σ |x_{h/2} − x_{h/4}| )        (Richardson), sums over instants
//! ```
//!
//! The position of an impact within a step changes the error at a single instant by as much as the
//! error itself; sums over many instants average this. Instants count as long as no difference is
//! larger than [`VISIBLE`], since later ones show the divergence of motions and not the error of
//! the scheme, and only where the smaller difference is above the effect of tolerance and rounding
//! alone.

use serde::Serialize;

/// Relative difference of configurations beyond which an expansion in h has no meaning.
const VISIBLE: f64 = 1e-2;

/// Ratio of a difference to the effect of tolerance and rounding above which it counts.
const CLEAR: f64 = 3.0;

/// Relative differences below this are rounding.
const ROUNDING: f64 = 1e-13;

/// Number of parts of the time for which the order is given.
const PARTS: usize = 4;

/// Smallest number of instants of a part.
const FEWEST: usize = 3;

/// The observed orders.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Orders {
    /// Order of the configurations.
    pub configuration: Order,
    /// Order of the energy.
    pub energy: Order,
}

/// An observed order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Order {
    /// Over all instants that count.
    pub order: Option<f64>,
    /// The first and the last of them.
    pub span: Option<[f64; 2]>,
    /// Over parts of that time.
    pub parts: Vec<Over>,
    /// Why there is no order.
    pub reason: Option<String>,
}

/// The order over a part of the time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Over {
    /// Start of the part.
    pub from: f64,
    /// Its end.
    pub to: f64,
    /// The order there, where enough instants count.
    pub order: Option<f64>,
}

impl Order {
    /// No order, and why.
    pub(super) fn absent(reason: impl Into<String>) -> Self {
        Self {
            order: None,
            span: None,
            parts: Vec::new(),
            reason: Some(reason.into()),
        }
    }
}

/// Relative differences at one instant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub t: f64,
    /// |x_h − x_{h/2}|.
    pub coarse: f64,
    /// |x_{h/2} − x_{h/4}|.
    pub fine: f64,
    /// Effect of tolerance and rounding alone.
    pub floor: f64,
}

/// Number of instants before configurations differ visibly.
pub(super) fn comparable(pairs: &[Pair]) -> usize {
    pairs.iter().take_while(|p| p.coarse <= VISIBLE).count()
}

/// The order from differences over time, at instants before configurations differ visibly.
pub(super) fn order(pairs: &[Pair]) -> Order {
    // Instants whose finer difference is clearly above tolerance and rounding.
    let counts = |p: &&Pair| p.fine > CLEAR * p.floor.max(ROUNDING) && p.coarse.is_finite();
    let used: Vec<Pair> = pairs.iter().filter(counts).copied().collect();
    // No instant counts: the reason.
    let (Some(first), Some(last)) = (used.first(), used.last()) else {
        let same = pairs.iter().all(|p| p.fine <= CLEAR * ROUNDING);
        return Order::absent(match (pairs.len() <= 1, same) {
            (true, _) => "the motions differ visibly from the start",
            (false, true) => "the runs agree to rounding",
            (false, false) => "the differences are those of tolerance and rounding",
        });
    };
    let (from, to) = (first.t, last.t);
    // Equal parts of the time span.
    let part = |k: usize| {
        let at = |k: usize| from + (to - from) * k as f64 / PARTS as f64;
        let (low, high) = (at(k), at(k + 1));
        let own = used
            .iter()
            .filter(|p| p.t >= low && (p.t < high || k + 1 == PARTS));
        let own: Vec<Pair> = own.copied().collect();
        Over {
            from: low,
            to: high,
            order: (own.len() >= FEWEST).then(|| ratio(&own)).flatten(),
        }
    };
    Order {
        order: ratio(&used),
        span: Some([from, to]),
        parts: (0..PARTS).map(part).collect(),
        reason: None,
    }
}

/// log₂ of the ratio of the summed differences.
fn ratio(pairs: &[Pair]) -> Option<f64> {
    let coarse: f64 = pairs.iter().map(|p| p.coarse).sum();
    let fine: f64 = pairs.iter().map(|p| p.fine).sum();
    let order = (coarse / fine).log2();
    order.is_finite().then_some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(error: impl Fn(f64, f64) -> f64) -> Vec<Pair> {
        let at = |t: f64| Pair {
            t,
            coarse: (error(t, 1.0) - error(t, 0.5)).abs(),
            fine: (error(t, 0.5) - error(t, 0.25)).abs(),
            floor: 0.0,
        };
        (0..=100).map(|k| at(0.1 * f64::from(k))).collect()
    }

    #[test]
    fn the_order_is_that_of_the_leading_term() {
        for p in 1..=3 {
            let found = order(&pairs(|t, h| 1e-5 * t * h.powi(p)));
            let value = found.order.unwrap_or_default();
            assert!((value - f64::from(p)).abs() < 1e-12, "{value}");
            assert_eq!(found.parts.len(), 4);
        }
    }

    #[test]
    fn instants_after_the_divergence_and_below_the_floor_do_not_count() {
        // Order 2 up to t = 5, then differences of order 1.
        let parting = pairs(|t, h| match t < 5.0 {
            true => 1e-6 * t * h * h,
            false => (t + 10.0 * h).sin(),
        });
        let found = order(&parting[..comparable(&parting)]);
        assert!((found.order.unwrap_or_default() - 2.0).abs() < 1e-12);
        assert!(found.span.is_some_and(|[_, to]| to < 5.0));
        let mut noisy = pairs(|t, h| 1e-8 * t * h * h);
        noisy.iter_mut().for_each(|p| p.floor = 1e-7);
        assert_eq!(order(&noisy).order, None);
    }
}
