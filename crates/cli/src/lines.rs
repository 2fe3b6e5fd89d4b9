//! Rows as CSV or JSON text, written in pieces so that memory does not grow with the table.

use clap::ValueEnum;
use percuss_record::CellValue;
use serde_json::Value;

use crate::error::CommandError;
use crate::output::quoted;

/// How a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// A heading and one line for each row; nothing stands for null.
    Csv,
    /// An array of objects.
    Json,
}

/// Text is written in pieces of about this many bytes.
const PIECE: usize = 1 << 16;

/// Receiver of the pieces.
type Out<'a> = dyn FnMut(&[u8]) -> Result<(), CommandError> + 'a;

/// Writes rows one after the other.
pub struct RowTextWriter<'a> {
    format: TableFormat,
    /// Encoded names in front of the values of an object; `None` for a repeated name.
    keys: Vec<Option<Vec<u8>>>,
    text: Vec<u8>,
    /// Number of rows begun.
    rows: usize,
    column: usize,
    out: &'a mut Out<'a>,
}

impl<'a> RowTextWriter<'a> {
    /// For rows of these columns; `heading`: whether CSV begins with their names.
    pub fn new(
        format: TableFormat,
        columns: &[String],
        heading: bool,
        out: &'a mut Out<'a>,
    ) -> Self {
        // In JSON a repeated key is written once.
        let key = |(k, name): (usize, &String)| {
            let first = !columns[..k].contains(name);
            let text = Value::from(name.as_str()).to_string();
            first.then(|| format!("{text}:").into_bytes())
        };
        let mut lines = Self {
            format,
            keys: columns.iter().enumerate().map(key).collect(),
            text: Vec::with_capacity(PIECE + 4096),
            rows: 0,
            column: 0,
            out,
        };
        // CSV heading.
        if format == TableFormat::Csv && heading {
            let names: Vec<String> = columns.iter().map(|c| quoted(c)).collect();
            lines.text.extend(names.join(",").as_bytes());
            lines.text.push(b'\n');
        }
        lines
    }

    /// Begins a row.
    pub fn begin(&mut self) {
        self.column = 0;
        if self.format == TableFormat::Json {
            let before: &[u8] = if self.rows == 0 { b"[\n  {" } else { b",\n  {" };
            self.text.extend(before);
        }
        self.rows += 1;
    }

    /// The next value of the row.
    pub fn cell(&mut self, cell: CellValue<'_>) {
        let k = self.column;
        self.column += 1;
        match self.format {
            TableFormat::Csv => {
                if k > 0 {
                    self.text.push(b',');
                }
            }
            TableFormat::Json => {
                let Some(Some(key)) = self.keys.get(k) else {
                    return;
                };
                if k > 0 {
                    self.text.push(b',');
                }
                self.text.extend(key);
            }
        }
        match (cell, self.format) {
            (CellValue::Integer(x), _) => self.text.extend(x.to_string().as_bytes()),
            (CellValue::Truth(x), _) => self.text.extend(x.to_string().as_bytes()),
            (CellValue::Real(x), _) if x.is_finite() => self.json(&x),
            // JSON has no NaN and no infinity; readers of CSV know them by name.
            (CellValue::Real(x), TableFormat::Csv) => self.text.extend(x.to_string().as_bytes()),
            (CellValue::Text(x), TableFormat::Csv) => self.text.extend(quoted(x).as_bytes()),
            (CellValue::Text(x), TableFormat::Json) => self.json(&x),
            (CellValue::Null, TableFormat::Csv) => {}
            (CellValue::Null | CellValue::Real(_), TableFormat::Json) => self.text.extend(b"null"),
        }
    }

    /// The next value of the row, of any JSON type.
    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.cell(CellValue::Null),
            Value::Bool(x) => self.cell(CellValue::Truth(*x)),
            Value::String(x) => self.cell(CellValue::Text(x)),
            other if self.format == TableFormat::Csv => {
                self.cell(CellValue::Text(&other.to_string()))
            }
            // Any other JSON value is written in place of null.
            other => {
                let k = self.column;
                self.cell(CellValue::Null);
                if self.keys.get(k).is_some_and(Option::is_some) {
                    self.text.truncate(self.text.len() - b"null".len());
                    self.json(other);
                }
            }
        }
    }

    /// Appends a value as JSON. Writing to memory cannot fail.
    fn json(&mut self, value: &impl serde::Serialize) {
        let _ = serde_json::to_writer(&mut self.text, value);
    }

    /// Ends a row.
    pub fn end(&mut self) -> Result<(), CommandError> {
        self.text.push(match self.format {
            TableFormat::Csv => b'\n',
            TableFormat::Json => b'}',
        });
        match self.text.len() >= PIECE {
            true => self.pass_on(),
            false => Ok(()),
        }
    }

    /// Ends the table.
    pub fn close(mut self) -> Result<(), CommandError> {
        if self.format == TableFormat::Json {
            let end: &[u8] = if self.rows == 0 { b"[]\n" } else { b"\n]\n" };
            self.text.extend(end);
        }
        self.pass_on()
    }

    fn pass_on(&mut self) -> Result<(), CommandError> {
        (self.out)(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(format: TableFormat, columns: &[&str], rows: &[Vec<CellValue<'_>>]) -> String {
        let columns: Vec<String> = columns.iter().map(|c| (*c).into()).collect();
        let mut all = Vec::new();
        let mut out = |piece: &[u8]| {
            all.extend_from_slice(piece);
            Ok(())
        };
        let mut lines = RowTextWriter::new(format, &columns, true, &mut out);
        for row in rows {
            lines.begin();
            row.iter().for_each(|cell| lines.cell(*cell));
            lines.end().expect("nothing refuses");
        }
        lines.close().expect("nothing refuses");
        String::from_utf8(all).expect("text")
    }

    #[test]
    fn values_of_all_sorts_are_written_in_both_formats() {
        let row = vec![
            CellValue::Integer(-3),
            CellValue::Real(1e-7),
            CellValue::Real(f64::NAN),
            CellValue::Text("a,\"b\""),
            CellValue::Truth(true),
            CellValue::Null,
        ];
        let columns = ["i", "x", "y", "text", "truth", "none"];
        let csv = written(TableFormat::Csv, &columns, std::slice::from_ref(&row));
        assert_eq!(
            csv,
            "i,x,y,text,truth,none\n-3,1e-7,NaN,\"a,\"\"b\"\"\",true,\n"
        );
        let json = written(TableFormat::Json, &columns, &[row.clone(), row]);
        let read: Value = serde_json::from_str(&json).expect("JSON");
        let expected = serde_json::json!({
            "i": -3, "x": 1e-7, "y": null, "text": "a,\"b\"", "truth": true, "none": null
        });
        assert_eq!(read, serde_json::json!([expected, expected]));
        assert_eq!(written(TableFormat::Json, &columns, &[]), "[]\n");
    }

    #[test]
    fn a_column_asked_for_twice_is_one_key_of_an_object() {
        let row = vec![
            CellValue::Integer(1),
            CellValue::Integer(1),
            CellValue::Integer(2),
        ];
        let json = written(TableFormat::Json, &["a", "a", "b"], &[row]);
        assert_eq!(json, "[\n  {\"a\":1,\"b\":2}\n]\n");
    }
}
