//! The table of contact laws from laws between names of bodies and materials.

use std::collections::{HashMap, HashSet};

use percuss_bodies::Materials;

use super::builder::{LawBetween, WorldBuilder};
use crate::body::Dimension;
use crate::error::{Error, Result, within};

/// Classes of bodies that no law tells apart: the materials of the engine.
pub(super) struct Classes {
    /// Class of each body.
    pub of: Vec<u16>,
    /// Name of the body that a class consists of, where a law names it, and name of the material.
    keys: Vec<(Option<String>, String)>,
}

impl Classes {
    pub fn new<D: Dimension>(builder: &WorldBuilder<D>) -> Result<Self> {
        let is_body = |name: &str| builder.bodies.iter().any(|(body, _)| body == name);
        let is_material = |name: &str| builder.bodies.iter().any(|(_, b)| b.material == name);
        // Every name of a law must be one of the two, and not both.
        let mut named: HashSet<&str> = HashSet::new();
        for law in &builder.laws {
            for name in &law.between {
                match (is_body(name), is_material(name)) {
                    (true, true) => {
                        let problem = format!("`{name}` is both a body and a material");
                        return Err(Error::part(title(law), problem));
                    }
                    (true, false) => drop(named.insert(name)),
                    (false, true) => {}
                    (false, false) => {
                        let known = builder.bodies.iter().map(|(name, _)| name.as_str());
                        let error = Error::unknown("body or material", quoted(name), known);
                        return Err(within(title(law), error));
                    }
                }
            }
        }
        // One class for each material, and one for each body that a law names.
        let mut numbers: HashMap<(Option<String>, String), u16> = HashMap::new();
        let mut classes = Self {
            of: Vec::with_capacity(builder.bodies.len()),
            keys: Vec::new(),
        };
        for (name, body) in &builder.bodies {
            let own = named.contains(name.as_str()).then(|| name.clone());
            let key = (own, body.material.clone());
            let class = match numbers.get(&key) {
                Some(class) => *class,
                None => {
                    let next = u16::try_from(classes.keys.len()).map_err(|_| {
                        Error::part("world", "more than 65536 materials and bodies with laws")
                    })?;
                    classes.keys.push(key.clone());
                    numbers.insert(key, next);
                    next
                }
            };
            classes.of.push(class);
        }
        Ok(classes)
    }

    /// How closely a name fits a class: 2 by its body, 1 by its material, `None` not at all.
    fn fit(&self, name: &str, class: usize) -> Option<u8> {
        let (body, material) = &self.keys[class];
        if body.as_deref() == Some(name) {
            return Some(2);
        }
        (material == name).then_some(1)
    }

    /// The table of laws: for each pair of classes the law that fits it most closely.
    pub fn materials<D: Dimension>(&self, builder: &WorldBuilder<D>) -> Result<Materials> {
        let default = builder.default_law.checked("default law")?;
        let mut laws = Vec::with_capacity(builder.laws.len());
        for law in &builder.laws {
            laws.push(law.law.checked(&title(law))?);
        }
        let mut table = Materials::new(self.keys.len().max(1), &default);
        for a in 0..self.keys.len() {
            for b in a..self.keys.len() {
                if let Some((number, swapped)) = self.closest(&builder.laws, a, b)? {
                    let (first, second) = if swapped { (b, a) } else { (a, b) };
                    table.set(first, second, laws[number].clone());
                }
            }
        }
        Ok(table)
    }

    /// The law that fits a pair of classes most closely, and whether it names them in the other order.
    fn closest(&self, laws: &[LawBetween], a: usize, b: usize) -> Result<Option<(usize, bool)>> {
        let rank = |law: &LawBetween, a: usize, b: usize| {
            let [first, second] = &law.between;
            Some(self.fit(first, a)? + self.fit(second, b)?)
        };
        let mut best: Option<(u8, usize, bool)> = None;
        for (number, law) in laws.iter().enumerate() {
            let (plain, swapped) = (rank(law, a, b), rank(law, b, a));
            let Some(fit) = plain.max(swapped) else {
                continue;
            };
            match best {
                Some((known, other, _)) if known == fit => {
                    let problem = format!("it fits the same bodies as the {}", title(&laws[other]));
                    return Err(Error::part(title(law), problem));
                }
                Some((known, ..)) if known > fit => {}
                _ => best = Some((fit, number, plain < swapped)),
            }
        }
        Ok(best.map(|(_, number, swapped)| (number, swapped)))
    }
}

/// A law in messages.
fn title(law: &LawBetween) -> String {
    let [a, b] = &law.between;
    format!("law between `{a}` and `{b}`")
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}
