//! Table reader: keys of a table are taken one by one, and keys that are left are refused with the nearest known key.

use std::collections::HashMap;

use crate::error::{InputError, Origin, UNKNOWN_KEY};
use crate::tree::{Entry, Item, Value};

/// A number or an expression, as text with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    /// The expression.
    pub text: String,
    /// Position in the input.
    pub origin: Origin,
}

impl Formula {
    /// An expression on a line of the file.
    pub fn at_line(text: impl Into<String>, line: usize) -> Self {
        Self {
            text: text.into(),
            origin: Origin::Line(line),
        }
    }

    /// As it would be written: numbers and truth values plain, expressions of a file in quotes.
    pub fn shown(&self) -> String {
        match self.text.parse::<f64>() {
            Ok(number) => number.to_string(),
            Err(_) if matches!(self.text.as_str(), "true" | "false") => self.text.clone(),
            Err(_) if self.origin == Origin::Override => self.text.clone(),
            Err(_) => format!("\"{}\"", self.text),
        }
    }

    /// An expression given by an override.
    pub fn overriding(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            origin: Origin::Override,
        }
    }
}

/// A table being read: its position, the keys not yet taken, and the keys asked for.
pub struct Reader<'a> {
    /// The file, for messages.
    pub file: &'a str,
    /// Name of the table in messages.
    pub part: String,
    /// Line on which the table begins, from 1.
    pub line: usize,
    entries: Vec<Entry>,
    known: Vec<&'static str>,
}

impl<'a> Reader<'a> {
    /// A reader of the entries of a table.
    pub fn new(file: &'a str, part: impl Into<String>, line: usize, entries: Vec<Entry>) -> Self {
        Self {
            file,
            part: part.into(),
            line,
            entries,
            known: Vec::new(),
        }
    }

    /// A reader for a value that must be a table.
    pub fn of(
        &self,
        part: impl Into<String>,
        key: &str,
        item: Item,
    ) -> Result<Self, Box<InputError>> {
        match item.value {
            Value::Table(entries) => Ok(Self::new(self.file, part, item.line, entries)),
            _ => Err(self.expected(key, &item, "a table", "")),
        }
    }

    /// An error about this table as a whole.
    pub fn error(&self, problem: impl Into<String>, advice: impl Into<String>) -> Box<InputError> {
        Box::new(InputError {
            file: self.file.to_string(),
            origin: Origin::Line(self.line),
            part: self.part.clone(),
            key: String::new(),
            value: String::new(),
            problem: problem.into(),
            advice: advice.into(),
        })
    }

    /// An error about a key and its value.
    pub fn wrong(&self, key: &str, item: &Item, problem: String, advice: &str) -> Box<InputError> {
        Box::new(InputError {
            key: key.to_string(),
            value: item.raw.clone(),
            origin: Origin::Line(item.line),
            ..*self.error(problem, advice)
        })
    }

    /// The error for a value of another type.
    pub fn expected(&self, key: &str, item: &Item, what: &str, advice: &str) -> Box<InputError> {
        let problem = format!("{what} was expected, not {}", item.value.sort());
        self.wrong(key, item, problem, advice)
    }

    /// Takes a key and remembers it as known.
    pub fn take(&mut self, key: &'static str) -> Option<Item> {
        self.known.push(key);
        let at = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.remove(at).item)
    }

    /// The keys not yet taken, with their line numbers.
    pub fn lines(&self) -> Vec<(String, usize)> {
        let entries = self.entries.iter();
        entries.map(|e| (e.key.clone(), e.line)).collect()
    }

    /// Takes all keys that are left, for tables whose keys are names given by the user.
    pub fn take_all(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.entries)
    }

    /// Refuses the first key that was not taken, and suggests the nearest known key.
    pub fn finish(self) -> Result<(), Box<InputError>> {
        let Some(entry) = self.entries.first() else {
            return Ok(());
        };
        let known: Vec<String> = self.known.iter().map(|key| key.to_string()).collect();
        // The nearest of the keys that were asked for.
        let guess = match percuss_expr::similar_names(&entry.key, &known).first() {
            Some(nearest) => format!("; did you mean `{nearest}`?"),
            None => String::new(),
        };
        // All keys that were asked for, sorted for the message.
        let mut names: Vec<&str> = self.known.clone();
        names.sort_unstable();
        names.dedup();
        Err(Box::new(InputError {
            origin: Origin::Line(entry.line),
            key: entry.key.clone(),
            problem: format!(
                "{UNKNOWN_KEY} `{}`{guess} (known here: {})",
                entry.key,
                names.join(", ")
            ),
            ..*self.error("", "")
        }))
    }

    /// A required string.
    pub fn text(&mut self, key: &'static str) -> Result<String, Box<InputError>> {
        match self.text_if(key)? {
            Some(text) => Ok(text),
            None => Err(self.missing(key)),
        }
    }

    /// The error for a missing key, or for a key that looks like a misspelling of it.
    pub fn missing(&self, key: &str) -> Box<InputError> {
        self.misspelt(key)
            .unwrap_or_else(|| self.error(format!("the key `{key}` is missing"), ""))
    }

    /// The error for a key that is not known here and looks like `key`.
    pub fn misspelt(&self, key: &str) -> Option<Box<InputError>> {
        // A key left over that is similar to the wanted one.
        let wanted = [key.to_string()];
        let near = |entry: &&Entry| !percuss_expr::similar_names(&entry.key, &wanted).is_empty();
        let entry = self.entries.iter().find(near)?;
        Some(Box::new(InputError {
            origin: Origin::Line(entry.line),
            key: entry.key.clone(),
            problem: format!("{UNKNOWN_KEY} `{}`; did you mean `{key}`?", entry.key),
            ..*self.error("", "")
        }))
    }

    /// An optional string.
    pub fn text_if(&mut self, key: &'static str) -> Result<Option<String>, Box<InputError>> {
        match self.take(key) {
            None => Ok(None),
            Some(Item {
                value: Value::Text(text),
                ..
            }) => Ok(Some(text)),
            Some(item) => Err(self.expected(key, &item, "a text", "")),
        }
    }

    /// An optional boolean with its line.
    pub fn truth_if(
        &mut self,
        key: &'static str,
    ) -> Result<Option<(bool, usize)>, Box<InputError>> {
        match self.take(key) {
            None => Ok(None),
            Some(Item {
                value: Value::Truth(truth),
                line,
                ..
            }) => Ok(Some((truth, line))),
            Some(item) => Err(self.expected(key, &item, "true or false", "")),
        }
    }

    /// An optional number or expression.
    pub fn formula_if(&mut self, key: &'static str) -> Result<Option<Formula>, Box<InputError>> {
        self.take(key)
            .map(|item| self.to_formula(key, item))
            .transpose()
    }

    /// A required number or expression.
    pub fn formula(&mut self, key: &'static str) -> Result<Formula, Box<InputError>> {
        match self.formula_if(key)? {
            Some(formula) => Ok(formula),
            None => Err(self.missing(key)),
        }
    }

    /// Optional: one number or expression, or a nonempty array of them.
    pub fn formulas_if(
        &mut self,
        key: &'static str,
    ) -> Result<Option<Vec<Formula>>, Box<InputError>> {
        match self.take(key) {
            None => Ok(None),
            Some(Item {
                value: Value::List(items),
                line,
                raw,
            }) => {
                // An empty array is refused.
                if items.is_empty() {
                    let value = Value::List(items);
                    let item = Item { line, raw, value };
                    let problem = "the array is empty".to_string();
                    return Err(self.wrong(key, &item, problem, ""));
                }
                let all = items.into_iter().map(|item| self.to_formula(key, item));
                all.collect::<Result<_, _>>().map(Some)
            }
            Some(item) => Ok(Some(vec![self.to_formula(key, item)?])),
        }
    }

    /// Whether the key is given and not yet taken.
    pub fn has(&self, key: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == key)
    }

    /// Converts a value to a number or an expression.
    pub fn to_formula(&self, key: &str, item: Item) -> Result<Formula, Box<InputError>> {
        match item.value {
            Value::Text(text) => Ok(Formula::at_line(text, item.line)),
            // Shortest text that gives the same number back.
            Value::Number(number) if number.is_finite() => {
                Ok(Formula::at_line(format!("{number:?}"), item.line))
            }
            Value::Number(_) => {
                let problem = "a finite number was expected".to_string();
                Err(self.wrong(key, &item, problem, ""))
            }
            _ => Err(self.expected(key, &item, "a number or an expression in a string", "")),
        }
    }

    /// An optional integer from 1.
    pub fn count_if(&mut self, key: &'static str) -> Result<Option<usize>, Box<InputError>> {
        // 2⁵³: above it, not every integer is a double.
        const LARGEST: f64 = 9_007_199_254_740_992.0;
        match self.take(key) {
            None => Ok(None),
            Some(Item {
                value: Value::Number(n),
                ..
            }) if (1.0..=LARGEST).contains(&n) && n.fract() == 0.0 => Ok(Some(n as usize)),
            Some(item) => {
                let problem = "a whole number from 1 was expected".to_string();
                Err(self.wrong(key, &item, problem, ""))
            }
        }
    }

    /// An array of tables `[[key]]`; empty where there is none.
    pub fn tables(&mut self, key: &'static str) -> Result<Vec<Item>, Box<InputError>> {
        match self.take(key) {
            None => Ok(Vec::new()),
            Some(Item {
                value: Value::List(items),
                ..
            }) => Ok(items),
            Some(item) => {
                let advice = format!("It is written [[{key}]], once for each");
                Err(self.expected(key, &item, "an array of tables", &advice))
            }
        }
    }
}

/// A named expression: a parameter or a definition.
#[derive(Debug, Clone, PartialEq)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// The number or expression.
    pub formula: Formula,
}

/// `[parameters]` or `[definitions]`: names given by the user.
pub fn named(root: &mut Reader<'_>, key: &'static str) -> Result<Vec<Named>, Box<InputError>> {
    let Some(item) = root.take(key) else {
        return Ok(Vec::new());
    };
    let mut table = root.of(format!("[{key}]"), key, item)?;
    let mut all = Vec::new();
    for entry in table.take_all() {
        let formula = table.to_formula(&entry.key, entry.item)?;
        all.push(Named {
            name: entry.key,
            formula,
        });
    }
    Ok(all)
}

/// The tables `[[key]]`, each with a unique `name`.
pub fn parts<'a>(
    root: &mut Reader<'a>,
    key: &'static str,
    word: &str,
) -> Result<Vec<(String, Reader<'a>)>, Box<InputError>> {
    let mut all: Vec<(String, Reader<'a>)> = Vec::new();
    let mut lines: HashMap<String, usize> = HashMap::new();
    for (index, item) in root.tables(key)?.into_iter().enumerate() {
        let mut reader = root.of(format!("{word} {}", index + 1), key, item)?;
        let name = reader.text("name")?;
        reader.part = format!("{word} `{name}`");
        // Names are unique among tables of one kind.
        if let Some(first) = lines.insert(name.clone(), reader.line) {
            let problem = format!("the name is used twice, first on line {first}");
            return Err(reader.error(problem, "Give each its own name"));
        }
        all.push((name, reader));
    }
    Ok(all)
}
