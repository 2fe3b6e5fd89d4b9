//! Shards of the runs of a study, for job arrays.

use std::fmt;
use std::str::FromStr;

/// Largest number of shards.
const MOST: usize = 100_000;

/// The shard `index` of `of`: every `of`-th run, so that slow regions of a grid are spread over the
/// shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    of: usize,
}

impl Shard {
    /// The whole study.
    pub const WHOLE: Self = Self { index: 1, of: 1 };

    /// Shard number `index`, from 1, of `of`.
    pub fn new(index: usize, of: usize) -> Option<Self> {
        ((1..=of).contains(&index) && of <= MOST).then_some(Self { index, of })
    }

    /// Its number, from 1.
    pub fn index(self) -> usize {
        self.index
    }

    /// The number of shards.
    pub fn of(self) -> usize {
        self.of
    }

    /// Whether it is the whole study.
    pub fn is_whole(self) -> bool {
        self.of == 1
    }

    /// Whether a run, counted from 0, belongs to it.
    pub fn has(self, run: usize) -> bool {
        run % self.of == self.index - 1
    }

    /// The beginning of the names of its files.
    pub fn stem(self) -> String {
        format!("shard-{:05}-of-{:05}", self.index, self.of)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // Two whole numbers with a slash.
        let numbers = text.split_once('/').and_then(|(index, of)| {
            let number = |text: &str| text.trim().parse().ok();
            Self::new(number(index)?, number(of)?)
        });
        numbers.ok_or_else(|| {
            format!("it must be I/N with whole numbers, I from 1 to N and N up to {MOST}: 3/16")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_divide_all_runs_without_overlap() {
        for of in [1, 2, 3, 16] {
            for run in 0..50 {
                let owners = (1..=of).filter_map(|k| Shard::new(k, of));
                assert_eq!(owners.filter(|shard| shard.has(run)).count(), 1);
            }
        }
    }

    #[test]
    fn only_sensible_shares_are_read() {
        assert_eq!("3/16".parse(), Ok(Shard { index: 3, of: 16 }));
        for text in ["0/4", "5/4", "1", "a/b", "1/0", "-1/3", "1/999999", "1/2/3"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }
}
