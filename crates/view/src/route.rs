//! Queries: a fixed set of addresses, matched and never joined to a file system path.

use crate::error::ViewError;

/// Query for data of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Query {
    /// Summary of the run.
    About,
    /// Times of the recorded states.
    Frames,
    /// Shapes of the bodies.
    Shapes,
    /// Bodies of a state.
    Bodies(usize),
    /// The contacts of a step.
    Contacts(usize),
    /// The downsampled steps, all or between two times.
    Steps(Option<(f64, f64)>),
    /// History of a body.
    BodyHistory(usize),
    /// History of a contact: a, b, feature.
    ContactHistory([usize; 3]),
    /// History of all coordinates of a mechanism.
    History,
    /// Attributes of one body.
    Body(usize),
    /// The drawing of a mechanism.
    Drawing,
}

/// Maximal number of digits: every index of a table fits.
const DIGITS: usize = 10;

fn index(text: &str) -> Option<usize> {
    let plain = !text.is_empty() && text.len() <= DIGITS;
    let digits = plain && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

fn time(text: &str) -> Option<f64> {
    let plain = text.len() <= 32;
    let parsed = text.parse().ok().filter(|t: &f64| t.is_finite());
    parsed.filter(|_| plain)
}

/// Keys and values of a query string; `None` if a key is repeated.
fn pairs(query: &str) -> Option<Vec<(&str, &str)>> {
    let mut all: Vec<(&str, &str)> = Vec::new();
    for pair in query.split('&').filter(|p| !p.is_empty()) {
        let (key, value) = pair.split_once('=')?;
        if all.iter().any(|(k, _)| *k == key) {
            return None;
        }
        all.push((key, value));
    }
    Some(all)
}

/// The values of exactly these keys, in any order.
fn values<'a, const N: usize>(query: &'a str, keys: [&str; N]) -> Option<[&'a str; N]> {
    let all = pairs(query)?;
    if all.len() != N {
        return None;
    }
    let mut found = [""; N];
    for (place, key) in found.iter_mut().zip(keys) {
        *place = all.iter().find(|(k, _)| *k == key)?.1;
    }
    Some(found)
}

impl Query {
    /// Parses an address below `api/`.
    ///
    /// # Errors
    /// The address is unknown; the message lists the known ones.
    pub fn parse(path: &str, query: &str) -> Result<Self, ViewError> {
        let bad = |why: &str| ViewError::Question(why.to_string());
        let unknown = || ViewError::Absent("there is nothing at this address".into());
        let number = |text: &str| index(text).ok_or_else(|| bad("a whole number was expected"));
        let plain = |ask: Self| match query.is_empty() {
            true => Ok(ask),
            false => Err(bad("this address takes no query")),
        };
        // Addresses with an index.
        match path.split_once('/') {
            Some(("bodies", k)) => plain(Self::Bodies(number(k)?)),
            Some(("contacts", k)) => plain(Self::Contacts(number(k)?)),
            Some(("body", k)) => plain(Self::Body(number(k)?)),
            Some(_) => Err(unknown()),
            // Addresses without an index, some with a query string.
            None => match path {
                "about" => plain(Self::About),
                "frames" => plain(Self::Frames),
                "shapes" => plain(Self::Shapes),
                "drawing" => plain(Self::Drawing),
                "steps" if query.is_empty() => Ok(Self::Steps(None)),
                "steps" => {
                    let window = values(query, ["from", "to"]);
                    let window = window.and_then(|[from, to]| time(from).zip(time(to)));
                    let window = window.filter(|(from, to)| from <= to);
                    let why = "steps takes from=T0&to=T1, two times in order";
                    window.map(|w| Self::Steps(Some(w))).ok_or_else(|| bad(why))
                }
                "history" => history(query).ok_or_else(|| {
                    bad("history takes body=ID, or a=A&b=B&feature=F, or of a mechanism nothing")
                }),
                _ => Err(unknown()),
            },
        }
    }
}

fn history(query: &str) -> Option<Query> {
    if query.is_empty() {
        return Some(Query::History);
    }
    if let Some([body]) = values(query, ["body"]) {
        return index(body).map(Query::BodyHistory);
    }
    let [a, b, feature] = values(query, ["a", "b", "feature"])?;
    Some(Query::ContactHistory([
        index(a)?,
        index(b)?,
        index(feature)?,
    ]))
}
