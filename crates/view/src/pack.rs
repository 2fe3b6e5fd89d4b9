//! Binary tables: the wire format of the viewer.
//!
//! ```text
//! u32 L | L bytes of JSON | zeros up to a multiple of 8 | columns, little endian, each at a multiple of 8
//! ```
//!
//! The JSON header has `columns`, a list of `name`, `type`, `length`, `offset` (bytes from the first column)
//! and `unit`, and further metadata of the table.

use serde_json::{Map, Value, json};

/// The values of a column, by type.
#[derive(Debug, Clone, PartialEq)]
pub enum BinaryValues {
    /// 32-bit floats.
    F32(Vec<f32>),
    /// 64-bit floats.
    F64(Vec<f64>),
    /// 32-bit unsigned integers.
    U32(Vec<u32>),
    /// 32-bit signed integers.
    I32(Vec<i32>),
    /// Bytes.
    U8(Vec<u8>),
}

impl BinaryValues {
    /// Number of values.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(v) => v.len(),
            Self::F64(v) => v.len(),
            Self::U32(v) => v.len(),
            Self::I32(v) => v.len(),
            Self::U8(v) => v.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A value as a 64-bit float.
    pub fn number(&self, k: usize) -> Option<f64> {
        match self {
            Self::F32(v) => v.get(k).map(|x| f64::from(*x)),
            Self::F64(v) => v.get(k).copied(),
            Self::U32(v) => v.get(k).map(|x| f64::from(*x)),
            Self::I32(v) => v.get(k).map(|x| f64::from(*x)),
            Self::U8(v) => v.get(k).map(|x| f64::from(*x)),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::F32(_) => "f32",
            Self::F64(_) => "f64",
            Self::U32(_) => "u32",
            Self::I32(_) => "i32",
            Self::U8(_) => "u8",
        }
    }

    fn bytes(&self) -> usize {
        self.len() * size_of_kind(self.kind())
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::F32(v) => v.iter().for_each(|x| out.extend(x.to_le_bytes())),
            Self::F64(v) => v.iter().for_each(|x| out.extend(x.to_le_bytes())),
            Self::U32(v) => v.iter().for_each(|x| out.extend(x.to_le_bytes())),
            Self::I32(v) => v.iter().for_each(|x| out.extend(x.to_le_bytes())),
            Self::U8(v) => out.extend(v),
        }
    }

    fn read(kind: &str, bytes: &[u8]) -> Option<Self> {
        fn each<const N: usize, T>(bytes: &[u8], one: impl Fn([u8; N]) -> T) -> Vec<T> {
            let whole = bytes.chunks_exact(N);
            whole.filter_map(|b| b.try_into().ok()).map(one).collect()
        }
        Some(match kind {
            "f32" => Self::F32(each(bytes, f32::from_le_bytes)),
            "f64" => Self::F64(each(bytes, f64::from_le_bytes)),
            "u32" => Self::U32(each(bytes, u32::from_le_bytes)),
            "i32" => Self::I32(each(bytes, i32::from_le_bytes)),
            "u8" => Self::U8(bytes.to_vec()),
            _ => return None,
        })
    }
}

fn size_of_kind(kind: &str) -> usize {
    match kind {
        "f64" => 8,
        "u8" => 1,
        _ => 4,
    }
}

fn padded(bytes: usize) -> usize {
    bytes.next_multiple_of(8)
}

/// A column with its name and unit.
#[derive(Debug, Clone, PartialEq)]
pub struct BinaryColumn {
    /// Its name.
    pub name: String,
    /// Its unit; empty if dimensionless.
    pub unit: String,
    /// Its values.
    pub data: BinaryValues,
}

/// A binary table: columns and metadata.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BinaryTable {
    columns: Vec<BinaryColumn>,
    extra: Map<String, Value>,
}

impl BinaryTable {
    /// A table without columns.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a column.
    pub fn add(&mut self, name: impl Into<String>, unit: &str, data: BinaryValues) {
        self.columns.push(BinaryColumn {
            name: name.into(),
            unit: unit.into(),
            data,
        });
    }

    /// Adds an entry to the header.
    pub fn insert_header(&mut self, key: &str, value: impl Into<Value>) {
        self.extra.insert(key.into(), value.into());
    }

    /// The columns.
    pub fn columns(&self) -> &[BinaryColumn] {
        &self.columns
    }

    /// The values of a column by name.
    pub fn column(&self, name: &str) -> Option<&BinaryValues> {
        let found = self.columns.iter().find(|c| c.name == name)?;
        Some(&found.data)
    }

    /// The header entries other than the columns.
    pub fn extra(&self) -> &Map<String, Value> {
        &self.extra
    }

    /// Encodes the table.
    pub fn encode(&self) -> Vec<u8> {
        let mut offset = 0;
        let mut listed = Vec::with_capacity(self.columns.len());
        for column in &self.columns {
            let mut entry = json!({
                "name": column.name, "type": column.data.kind(), "length": column.data.len(),
                "offset": offset,
            });
            if !column.unit.is_empty() {
                entry["unit"] = column.unit.as_str().into();
            }
            listed.push(entry);
            offset += padded(column.data.bytes());
        }
        let mut header = self.extra.clone();
        header.insert("columns".into(), listed.into());
        let header = Value::Object(header).to_string();
        let begin = padded(4 + header.len());
        let mut out = Vec::with_capacity(begin + offset);
        // A header never reaches four gigabytes: names are omitted where there are many bodies.
        let length = u32::try_from(header.len()).unwrap_or(u32::MAX);
        out.extend(length.to_le_bytes());
        out.extend(header.as_bytes());
        out.resize(begin, 0);
        for column in &self.columns {
            column.data.write(&mut out);
            out.resize(padded(out.len()), 0);
        }
        out
    }

    /// Decodes a table.
    ///
    /// # Errors
    /// The bytes are truncated or not a binary table; the message says why.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        // Header: length and JSON.
        let head = bytes.get(..4).and_then(|b| b.try_into().ok());
        let length = head.map(u32::from_le_bytes).ok_or("it has no header")? as usize;
        let text = bytes.get(4..4 + length).ok_or("its header is cut off")?;
        let header: Value = serde_json::from_slice(text).map_err(|e| format!("its header: {e}"))?;
        let Value::Object(mut extra) = header else {
            return Err("its header is no object".into());
        };
        let data = bytes.get(padded(4 + length)..).unwrap_or(&[]);
        let listed = extra.remove("columns").ok_or("it lists no columns")?;
        let mut columns = Vec::new();
        // Columns, with overflow-safe bounds checks.
        for entry in listed.as_array().ok_or("its columns are no list")? {
            let text = |key: &str| entry[key].as_str().unwrap_or_default().to_string();
            let count = |key: &str| entry[key].as_u64().and_then(|n| usize::try_from(n).ok());
            let (name, kind) = (text("name"), text("type"));
            let cut = || format!("column `{name}` is cut off");
            let (offset, length) = count("offset").zip(count("length")).ok_or_else(cut)?;
            let bytes = length.checked_mul(size_of_kind(&kind)).ok_or_else(cut)?;
            let end = offset.checked_add(bytes).ok_or_else(cut)?;
            let values = data.get(offset..end).ok_or_else(cut)?;
            let data = BinaryValues::read(&kind, values);
            columns.push(BinaryColumn {
                unit: text("unit"),
                data: data.ok_or_else(|| format!("column `{name}` is of no known type"))?,
                name,
            });
        }
        Ok(Self { columns, extra })
    }
}
