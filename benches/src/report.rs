//! Tables of a benchmark run, and their insertion into the documentation.

use serde_json::Value;

use crate::ratio::Ratio;

/// A text table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(head: &[&str]) -> Self {
        Self {
            head: head.iter().map(ToString::to_string).collect(),
            rows: Vec::new(),
        }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// As Markdown: the first column left-aligned, the others right-aligned.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let mut text = line(&self.head);
        let rule = (0..self.head.len()).map(|k| if k == 0 { "---" } else { "---:" });
        text += &line(&rule.map(String::from).collect::<Vec<_>>());
        for row in &self.rows {
            text += &line(row);
        }
        text
    }
}

/// Result of a section.
#[derive(Debug, Clone)]
pub struct Part {
    pub name: &'static str,
    /// Paragraphs and tables in Markdown.
    pub blocks: Vec<String>,
    /// All measured values.
    pub figures: Value,
    /// The ratios to other programs or limits.
    pub ratios: Vec<Ratio>,
    /// Whether a regression was found (counters that grew).
    pub failed: bool,
}

impl Part {
    pub fn new(name: &'static str) -> Self {
        Self {
            name,
            blocks: Vec::new(),
            figures: Value::Null,
            ratios: Vec::new(),
            failed: false,
        }
    }

    pub fn say(&mut self, text: impl Into<String>) {
        self.blocks.push(text.into());
    }

    pub fn table(&mut self, table: &Table) {
        self.blocks.push(table.markdown().trim_end().to_string());
    }

    pub fn markdown(&self) -> String {
        self.blocks.join("\n\n")
    }
}

/// Inserts `text` between the markers of a section; the error names a missing marker.
pub fn replace(document: &str, name: &str, text: &str) -> Result<String, String> {
    // Markers of the section.
    let (open, close) = (
        format!("<!-- bench {name} -->"),
        format!("<!-- end {name} -->"),
    );
    let start = document
        .find(&open)
        .ok_or_else(|| format!("no marker {open}"))?
        + open.len();
    let length = document[start..]
        .find(&close)
        .ok_or_else(|| format!("no marker {close}"))?;
    Ok(format!(
        "{}\n{}\n{}",
        &document[..start],
        text.trim_end(),
        &document[start + length..]
    ))
}

/// A sentence on a target.
pub fn aim(what: &str, met: bool) -> String {
    let verdict = if met { "reached" } else { "not reached" };
    format!("Aim: {what}: {verdict}.")
}

/// Three significant digits, without an exponent where that is readable.
pub fn short(x: f64) -> String {
    let size = x.abs();
    if !x.is_finite() {
        return "–".into();
    }
    if size == 0.0 {
        return "0".into();
    }
    // Scientific notation for very large and small numbers.
    if !(1e-3..1e5).contains(&size) {
        return format!("{x:.1e}");
    }
    let decimals = (2 - size.log10().floor() as i32).max(0) as usize;
    format!("{x:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_markdown_with_numbers_to_the_right() {
        let mut table = Table::new(&["engine", "ms"]);
        table.row(["percuss".into(), short(0.4561)]);
        let text = "| engine | ms |\n| --- | ---: |\n| percuss | 0.456 |\n";
        assert_eq!(table.markdown(), text);
    }

    #[test]
    fn only_what_is_between_the_markers_changes() {
        let old =
            "a\n<!-- bench x -->\nold\n<!-- end x -->\nb\n<!-- bench y -->\nkept\n<!-- end y -->\n";
        let new = replace(old, "x", "new\n").expect("markers");
        assert_eq!(new, old.replace("old", "new"));
        assert_eq!(replace(&new, "x", "new").expect("markers"), new);
        assert!(replace(old, "z", "").is_err());
        assert!(replace("<!-- bench x -->", "x", "").is_err());
    }

    #[test]
    fn numbers_have_three_digits() {
        let shown = [0.0, 1234.4, 0.012_345, 99_999.0, 2.5e-7, f64::NAN].map(short);
        assert_eq!(shown, ["0", "1234", "0.0123", "99999", "2.5e-7", "–"]);
    }
}
