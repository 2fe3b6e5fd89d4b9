//! Measures of lists: clusters, shares, spread, slope.

use crate::finding::value::{Absent, Value, Valued};

/// A measure of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfList {
    Distinct,
    Clusters,
    Share,
    Spread,
    Count,
    Smallest,
    Largest,
    Item,
}

impl OfList {
    /// The measure of a name, and how many numbers follow the list.
    pub fn named(name: &str) -> Option<(Self, usize)> {
        Some(match name {
            "distinct" => (Self::Distinct, 1),
            "clusters" => (Self::Clusters, 1),
            "share" => (Self::Share, 2),
            "spread" => (Self::Spread, 0),
            "count" => (Self::Count, 0),
            "smallest" => (Self::Smallest, 0),
            "largest" => (Self::Largest, 0),
            "item" => (Self::Item, 1),
            _ => return None,
        })
    }
}

/// The value of a measure of a list.
pub fn evaluate(what: OfList, items: &[f64], numbers: &[f64]) -> Valued<Value> {
    let number = |i: usize| numbers.get(i).copied().unwrap_or(f64::NAN);
    // The number of items has a meaning for an empty list, too.
    if what == OfList::Count {
        return Ok(Value::Number(items.len() as f64));
    }
    if items.is_empty() {
        return Err(Absent::because("the list is empty"));
    }
    let smallest = items.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = items.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Ok(match what {
        OfList::Distinct => Value::Number(centres(items, tolerance(number(0))?).len() as f64),
        OfList::Clusters => Value::List(centres(items, tolerance(number(0))?)),
        // Share of items within [low, high].
        OfList::Share => {
            let within = |x: &&f64| number(0) <= **x && **x <= number(1);
            let count = items.iter().filter(within).count();
            Value::Number(count as f64 / items.len() as f64)
        }
        OfList::Spread => Value::Number(largest - smallest),
        OfList::Count => Value::Number(items.len() as f64),
        OfList::Smallest => Value::Number(smallest),
        OfList::Largest => Value::Number(largest),
        OfList::Item => {
            // Items count from 1.
            let k = number(0);
            let inside = k >= 1.0 && k <= items.len() as f64 && k.fract() == 0.0;
            if !inside {
                let length = items.len();
                return Err(Absent::because(format!(
                    "there is no item {k} in a list of {length}; items are counted from 1"
                )));
            }
            Value::Number(items[k as usize - 1])
        }
    })
}

/// The slope of the regression line of y over x.
pub fn slope(x: &[f64], y: &[f64]) -> Valued<Value> {
    if x.len() != y.len() || x.len() < 2 {
        return Err(Absent::because(format!(
            "a slope takes two lists of one length, from 2 on; these have {} and {}",
            x.len(),
            y.len()
        )));
    }
    // Least squares of y over x.
    let n = x.len() as f64;
    let (mean_x, mean_y) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let (mut square, mut product) = (0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        square += (x - mean_x) * (x - mean_x);
        product += (x - mean_x) * (y - mean_y);
    }
    let slope = product / square;
    match slope.is_finite() {
        true => Ok(Value::Number(slope)),
        false => Err(Absent::because(
            "the first list of a slope has one value only, or values that are not finite",
        )),
    }
}

/// Checks a tolerance.
fn tolerance(value: f64) -> Valued<f64> {
    match value >= 0.0 && value.is_finite() {
        true => Ok(value),
        false => Err(Absent::because(format!(
            "a tolerance from 0 was expected, not {value}"
        ))),
    }
}

/// Means of clusters of values, ascending. In ascending order a value joins the cluster while it is
/// within the tolerance of its smallest member: all members of a cluster agree within the
/// tolerance.
fn centres(items: &[f64], tolerance: f64) -> Vec<f64> {
    let mut sorted = items.to_vec();
    sorted.sort_by(f64::total_cmp);
    // Clusters in ascending order.
    let mut groups: Vec<Vec<f64>> = Vec::new();
    for value in sorted {
        match groups.last_mut() {
            Some(group) if value - group[0] <= tolerance => group.push(value),
            _ => groups.push(vec![value]),
        }
    }
    // Mean as smallest plus mean excess: exact for a cluster of equal values.
    let mean = |group: &Vec<f64>| {
        let excess: f64 = group.iter().map(|x| x - group[0]).sum();
        group[0] + excess / group.len() as f64
    };
    groups.iter().map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ITEMS: [f64; 6] = [3.0, 1.0, 1.05, 2.0, 1.0, 3.04];

    fn of(what: OfList, numbers: &[f64]) -> Value {
        evaluate(what, &ITEMS, numbers).expect("a value")
    }

    #[test]
    fn values_that_agree_within_the_tolerance_are_one() {
        assert_eq!(of(OfList::Distinct, &[0.1]), Value::Number(3.0));
        assert_eq!(of(OfList::Distinct, &[0.0]), Value::Number(5.0));
        let Value::List(centres) = of(OfList::Clusters, &[0.1]) else {
            panic!("a list");
        };
        let expected = [(1.0 + 1.0 + 1.05) / 3.0, 2.0, 3.02];
        for (centre, expected) in centres.iter().zip(expected) {
            // A few roundings of numbers near 3.
            assert!((centre - expected).abs() < 1e-14);
        }
    }

    #[test]
    fn a_chain_of_near_values_is_not_one_value() {
        let chain: Vec<f64> = (0..11).map(f64::from).collect();
        // 0..2, 3..5, 6..8, 9..10.
        let distinct = evaluate(OfList::Distinct, &chain, &[2.0]);
        assert_eq!(distinct, Ok(Value::Number(4.0)));
    }

    #[test]
    fn shares_extremes_and_items() {
        assert_eq!(of(OfList::Share, &[1.0, 2.0]), Value::Number(4.0 / 6.0));
        assert_eq!(of(OfList::Spread, &[]), Value::Number(3.04 - 1.0));
        assert_eq!(of(OfList::Count, &[]), Value::Number(6.0));
        assert_eq!(of(OfList::Smallest, &[]), Value::Number(1.0));
        assert_eq!(of(OfList::Largest, &[]), Value::Number(3.04));
        assert_eq!(of(OfList::Item, &[3.0]), Value::Number(1.05));
        let absent = evaluate(OfList::Item, &ITEMS, &[7.0]);
        let reason = "there is no item 7 in a list of 6; items are counted from 1";
        assert_eq!(absent, Err(Absent::because(reason)));
    }

    #[test]
    fn an_empty_list_has_no_extremes() {
        assert_eq!(evaluate(OfList::Count, &[], &[]), Ok(Value::Number(0.0)));
        assert!(evaluate(OfList::Largest, &[], &[]).is_err());
    }
}
