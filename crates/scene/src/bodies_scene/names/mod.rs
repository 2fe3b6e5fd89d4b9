//! Resolves a name in an expression to the quantity it means.
//!
//! A scene may have a million bodies with thirty names each, so names are not listed but split into
//! word and owner when they occur.

pub mod grain;
pub mod quantity;

use super::SceneNames;
use quantity::{
    FOLDS, Quantity, SetQuantity, WATCHES, WHOLE, body_quantities, cell_quantities,
    joint_quantities, of_folds, set_quantities,
};

/// Largest number of bodies searched for a suggestion.
const LOOKED_AT: usize = 5000;

/// The names that observables of a scene of bodies may use.
#[derive(Debug, Clone, Copy)]
pub struct NameTable<'a> {
    /// Names of bodies, groups, regions, watches and joints.
    pub names: &'a SceneNames,
    /// Dimension, 2 or 3.
    pub dimension: usize,
    /// Names and values of the parameters.
    pub parameters: &'a [(String, f64)],
    /// Start of the run.
    pub start: f64,
}

impl NameTable<'_> {
    /// The quantity that a name means; none where the name is unknown.
    ///
    /// # Errors
    /// The name has two meanings, which the message gives.
    pub fn resolve(&self, name: &str) -> Result<Option<Quantity>, String> {
        let found = self.found(name);
        // A parameter of the same name would be ambiguous.
        if self.parameters.iter().any(|(known, _)| known == name)
            && let Some((_, what)) = found.first()
        {
            return Err(format!(
                "`{name}` is a parameter and also an observable, {what}: rename one of them"
            ));
        }
        match found.as_slice() {
            [] => Ok(None),
            [(quantity, _)] => Ok(Some(*quantity)),
            [(_, one), (_, other), ..] => Err(format!(
                "`{name}` has two meanings: {one}, and {other}: rename one of them"
            )),
        }
    }

    /// All meanings of a name, each with its description.
    fn found(&self, name: &str) -> Vec<(Quantity, String)> {
        let mut found: Vec<(Quantity, String)> = Vec::new();
        // Whole scene, periodic cell, bodies, sets, watches, joints.
        let whole = WHOLE.iter().find(|(known, _)| *known == name);
        if let Some((_, quantity)) = whole {
            found.push((*quantity, "of the whole collection".to_string()));
        }
        let cell =
            cell_quantities(self.dimension).find(|(known, _)| self.names.cell && known == name);
        if let Some((_, what)) = cell {
            found.push((Quantity::Cell(what), "of the periodic cell".to_string()));
        }
        self.body(name, &mut found);
        self.set(name, &mut found);
        self.watch(name, &mut found);
        self.joint(name, &mut found);
        found
    }

    /// All meanings of a name as an observable, in words.
    pub fn meanings(&self, name: &str) -> Vec<String> {
        let found = self.found(name).into_iter();
        found.map(|(_, what)| what).collect()
    }

    /// Meanings `NAME_word` of a body.
    fn body(&self, name: &str, found: &mut Vec<(Quantity, String)>) {
        // The word is a suffix: the name of a body may contain underscores.
        for (word, what) in body_quantities(self.dimension) {
            if let Some(owner) = before(name, word)
                && let Some(body) = self.names.bodies.iter().position(|known| known == owner)
            {
                let body = body as u32;
                found.push((
                    Quantity::Body { body, what },
                    format!("`{word}` of the body `{owner}`"),
                ));
            }
        }
    }

    /// Meanings `word_NAME` and `word_quantity_NAME` of a group or region.
    fn set(&self, name: &str, found: &mut Vec<(Quantity, String)>) {
        let mut push = |set: usize, what, words: String| {
            found.push((Quantity::Set { set, what }, words));
        };
        // Plain words, then reductions over the members.
        for (word, what) in set_quantities(self.dimension) {
            if let Some(owner) = after(name, word)
                && let Some(set) = self.set_named(owner)
            {
                push(set, what, format!("`{word}` of `{owner}`"));
            }
        }
        // Reductions: `word_quantity_NAME`.
        for (word, fold) in FOLDS {
            let Some(rest) = after(name, word) else {
                continue;
            };
            for (quantity, what) in of_folds(self.dimension) {
                if let Some(owner) = after(rest, quantity)
                    && let Some(set) = self.set_named(owner)
                {
                    let what = SetQuantity::Fold(fold, what);
                    push(set, what, format!("`{word}_{quantity}` of `{owner}`"));
                }
            }
        }
    }

    /// Meanings `word_NAME` of a watch.
    fn watch(&self, name: &str, found: &mut Vec<(Quantity, String)>) {
        for (word, what) in WATCHES {
            if let Some(owner) = after(name, word)
                && let Some(watch) = self.watch_named(owner)
            {
                found.push((
                    Quantity::Watch { watch, what },
                    format!("`{word}` of the watch `{owner}`"),
                ));
            }
        }
    }

    /// Meanings `NAME_word` of a joint.
    fn joint(&self, name: &str, found: &mut Vec<(Quantity, String)>) {
        for (word, what) in joint_quantities(self.dimension) {
            if let Some(owner) = before(name, word)
                && let Some(joint) = self.names.joints.iter().position(|known| known == owner)
            {
                found.push((
                    Quantity::Joint { joint, what },
                    format!("`{word}` of the joint `{owner}`"),
                ));
            }
        }
    }

    /// The number of a group or region: groups first.
    pub fn set_named(&self, name: &str) -> Option<usize> {
        // Groups have the first numbers, regions follow.
        let mut groups = self.names.groups.iter();
        if let Some(group) = groups.position(|(known, _)| known == name) {
            return Some(group);
        }
        let mut regions = self.names.regions.iter();
        let region = regions.position(|region| region.name == name)?;
        Some(self.names.groups.len() + region)
    }

    /// The number of a watch.
    pub fn watch_named(&self, name: &str) -> Option<usize> {
        self.names
            .watches
            .iter()
            .position(|watch| watch.name == name)
    }

    /// The number of what has impacts: a watch, or, after them, a joint with limits or play.
    pub fn event_source_named(&self, name: &str) -> Option<usize> {
        let joint = || {
            let joint = self.names.joints.iter().position(|known| known == name)?;
            let strikes = self.names.has_impacts.get(joint) == Some(&true);
            strikes.then_some(self.names.watches.len() + joint)
        };
        self.watch_named(name).or_else(joint)
    }

    /// Names of all watches, and of the joints with limits or play.
    pub fn event_source_names(&self) -> Vec<String> {
        let joints = self.names.joints.iter().zip(&self.names.has_impacts);
        let striking = joints.filter(|(_, strikes)| **strikes);
        let joints = striking.map(|(name, _)| name.clone());
        self.watch_names().into_iter().chain(joints).collect()
    }

    /// Names of all watches.
    pub fn watch_names(&self) -> Vec<String> {
        let watches = self.names.watches.iter();
        watches.map(|watch| watch.name.clone()).collect()
    }

    /// The message for an unknown name, with similar known names.
    pub fn unknown(&self, name: &str) -> String {
        // Candidates are searched for similar names.
        let mut known = self.candidates(name);
        known.sort();
        known.dedup();
        let guesses = percuss_expr::similar_names(name, &known);
        let guesses: Vec<String> = guesses.iter().map(|guess| format!("`{guess}`")).collect();
        let guess = match guesses.is_empty() {
            true => String::new(),
            false => format!("; did you mean {}?", guesses.join(" or ")),
        };
        format!("unknown name `{name}`{guess} ({})", self.known())
    }

    /// A short description of the known names, with one example of each kind.
    fn known(&self) -> String {
        // Whole scene and parameters, then one example per kind of part.
        let whole: Vec<&str> = WHOLE.iter().map(|(name, _)| *name).collect();
        let mut text = format!("known here: {}", whole.join(", "));
        let parameters: Vec<&str> = self.parameters.iter().map(|(n, _)| n.as_str()).collect();
        if !parameters.is_empty() {
            text += &format!(", parameters {}", shortened(&parameters));
        }
        if self.names.cell {
            text += "; `cell_volume`, `stress_xx` and their like of the periodic cell";
        }
        let bodies: Vec<&str> = self.names.bodies.iter().map(String::as_str).collect();
        if let Some(first) = bodies.first() {
            text += &format!(
                "; `{first}_x` and its like of the bodies {}",
                shortened(&bodies)
            );
        }
        // Groups and regions share their words.
        let groups = self.names.groups.iter().map(|(name, _)| name.as_str());
        let regions = self.names.regions.iter().map(|region| region.name.as_str());
        let sets: Vec<&str> = groups.chain(regions).collect();
        if let Some(first) = sets.first() {
            let of = shortened(&sets);
            text += &format!("; `count_{first}`, `mean_x_{first}` and their like of {of}");
        }
        // Joints and watches.
        let joints: Vec<&str> = self.names.joints.iter().map(String::as_str).collect();
        if let Some(first) = joints.first() {
            let of = shortened(&joints);
            text += &format!("; `{first}_force` and its like of the joints {of}");
        }
        let watches: Vec<&str> = self.names.watches.iter().map(|w| w.name.as_str()).collect();
        if let Some(first) = watches.first() {
            let of = shortened(&watches);
            text += &format!("; `force_{first}` and its like of the watches {of}");
        }
        text
    }

    /// Known names that may be similar to a given one.
    fn candidates(&self, name: &str) -> Vec<String> {
        let mut known: Vec<String> = WHOLE.iter().map(|(n, _)| n.to_string()).collect();
        known.extend(self.parameters.iter().map(|(n, _)| n.clone()));
        if self.names.cell {
            known.extend(cell_quantities(self.dimension).map(|(name, _)| name));
        }
        // Words of sets with every set.
        let groups = self.names.groups.iter().map(|(n, _)| n);
        let sets = groups.chain(self.names.regions.iter().map(|region| &region.name));
        // A large scene is not searched in full.
        for set in sets.take(LOOKED_AT) {
            known.extend(set_quantities(self.dimension).map(|(word, _)| format!("{word}_{set}")));
            for (word, _) in FOLDS {
                let each = of_folds(self.dimension);
                known.extend(each.map(|(q, _)| format!("{word}_{q}_{set}")));
            }
        }
        // Words of watches and joints.
        for watch in self.names.watches.iter().take(LOOKED_AT) {
            let watch = &watch.name;
            known.extend(WATCHES.iter().map(|(word, _)| format!("{word}_{watch}")));
        }
        for joint in self.names.joints.iter().take(LOOKED_AT) {
            known.extend(
                joint_quantities(self.dimension).map(|(word, _)| format!("{joint}_{word}")),
            );
        }
        // Bodies only where their name is similar.
        for body in self.similar_bodies(name) {
            known.extend(body_quantities(self.dimension).map(|(word, _)| format!("{body}_{word}")));
        }
        known
    }

    /// Bodies whose name is, or resembles, the beginning of a given name.
    fn similar_bodies(&self, name: &str) -> Vec<String> {
        let looked: Vec<String> = self.names.bodies.iter().take(LOOKED_AT).cloned().collect();
        let mut similar = Vec::new();
        // Every prefix that ends at an underscore may be the name of a body.
        for (at, _) in name.match_indices('_') {
            let owner = &name[..at];
            if self.names.bodies.iter().any(|known| known == owner) {
                similar.push(owner.to_string());
            }
            similar.extend(percuss_expr::similar_names(owner, &looked));
        }
        similar
    }
}

/// Words of observables: those after the name of a body, those before the name of a group or
/// region, those before the name of a watch.
pub fn words(dimension: usize) -> [Vec<String>; 3] {
    // Plain words and reductions of sets.
    let of_sets = set_quantities(dimension).map(|(word, _)| word.to_string());
    let folds = FOLDS.iter().flat_map(|(fold, _)| {
        let each = of_folds(dimension);
        each.map(move |(quantity, _)| format!("{fold}_{quantity}"))
    });
    [
        body_quantities(dimension)
            .map(|(word, _)| word.to_string())
            .collect(),
        of_sets.chain(folds).collect(),
        WATCHES.iter().map(|(word, _)| word.to_string()).collect(),
    ]
}

/// NAME of `NAME_word`.
fn before<'a>(name: &'a str, word: &str) -> Option<&'a str> {
    name.strip_suffix(word)?.strip_suffix('_')
}

/// NAME of `word_NAME`.
fn after<'a>(name: &'a str, word: &str) -> Option<&'a str> {
    name.strip_prefix(word)?.strip_prefix('_')
}

/// The first few of a list.
fn shortened(names: &[&str]) -> String {
    const SHOWN: usize = 8;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len() > SHOWN {
        true => format!("{shown} and {} more", names.len() - SHOWN),
        false => shown,
    }
}
