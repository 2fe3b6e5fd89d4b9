//! An error at a place of a text, shown with a mark below the place.

/// An error at a place of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextError {
    /// Byte offset in the whole text.
    pub at: usize,
    /// Bytes to underline.
    pub width: usize,
    /// The problem and what was expected.
    pub problem: String,
}

impl TextError {
    /// An error at a byte offset.
    pub fn new(at: usize, width: usize, problem: impl Into<String>) -> Self {
        Self {
            at,
            width,
            problem: problem.into(),
        }
    }

    /// The message with the line of the text and a mark below the place.
    pub fn render(&self, text: &str) -> String {
        // The line of the error, from line feed to line feed.
        let at = floor_boundary(text, self.at);
        let begin = text[..at].rfind('\n').map_or(0, |i| i + 1);
        let end = text[at..].find('\n').map_or(text.len(), |i| at + i);
        let stop = floor_boundary(text, (at + self.width).clamp(at, end));
        // Marks count characters, not bytes.
        let indent = " ".repeat(text[begin..at].chars().count());
        let marks = "^".repeat(text[at..stop].chars().count().max(1));
        let line: String = text[begin..end]
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect();
        format!("{}\n  | {line}\n  | {indent}{marks}", self.problem)
    }
}

/// The last character boundary at or before an offset.
fn floor_boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at)
        .rev()
        .find(|&i| text.is_char_boundary(i))
        .unwrap_or(0)
}
