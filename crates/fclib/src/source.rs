//! Datasets of an HDF5 file as plain vectors, with a bound on the memory that a file can demand.
//!
//! A damaged file can declare any size. Contiguous data cannot be larger than the file, so a larger claim is
//! rejected before anything is allocated; compressed data can, so all that is decoded from one file
//! is bounded by [`EXPANSION`] times its length plus [`ALLOWANCE`].

use std::cell::Cell;
use std::path::{Path, PathBuf};

use hdf5_reader::error::Error;
use hdf5_reader::group::Group;
use hdf5_reader::messages::datatype::StringSize;
use hdf5_reader::{ByteOrder, Dataset, Datatype, Hdf5File, OpenOptions};

use crate::FileError;

/// Decoded bytes allowed for each byte of the file. Compression of contact problems stays well
/// below: values hardly compress, indices at most from 8 bytes to a few bits.
const EXPANSION: u64 = 64;
/// Decoded bytes allowed to any file in addition, so that a tiny compressed one is not rejected.
const ALLOWANCE: u64 = 1 << 20;

/// An open HDF5 file.
pub(crate) struct Hdf5Source<'a> {
    file: Hdf5File,
    path: &'a Path,
    length: u64,
    /// Decoded bytes still allowed.
    budget: Cell<u64>,
}

impl<'a> Hdf5Source<'a> {
    /// Opens a file held in memory.
    pub(crate) fn open(path: &'a Path, bytes: Vec<u8>) -> Result<Self, FileError> {
        // Memory budget from the file's length.
        let length = bytes.len() as u64;
        let budget = length.saturating_mul(EXPANSION).saturating_add(ALLOWANCE);
        let limit = usize::try_from(budget).unwrap_or(usize::MAX);
        // The first bytes tell what a file that is not HDF5 may be.
        let first = bytes[..bytes.len().min(40)].to_vec();
        let options = OpenOptions::default()
            .with_max_read_bytes(limit)
            .with_max_chunk_bytes(limit)
            .with_max_object_header_bytes(bytes.len());
        let file = Hdf5File::from_vec_with_options(bytes, options).map_err(|e| match e {
            Error::InvalidMagic => not_hdf5(path, &first),
            other => damaged(path, &other),
        })?;
        // A truncated file is shorter than its header states.
        let header = file.superblock();
        if header.base_address == 0 && header.eof_address > length {
            return Err(FileError::Damaged {
                path: path.into(),
                detail: format!(
                    "the file is {length} bytes long but its header says {}: it was cut short",
                    header.eof_address
                ),
            });
        }
        Ok(Self {
            file,
            path,
            length,
            budget: Cell::new(budget),
        })
    }

    /// The file's name, for messages.
    pub(crate) fn path(&self) -> PathBuf {
        self.path.into()
    }

    /// Names of the groups and of the datasets at the top of the file.
    pub(crate) fn top(&self) -> Result<(Vec<String>, Vec<String>), FileError> {
        let root = self.file.root_group().map_err(|e| damaged(self.path, &e))?;
        root.member_names().map_err(|e| damaged(self.path, &e))
    }

    /// The group `at`, `None` when there is none.
    pub(crate) fn group(&self, at: &str) -> Result<Option<Group>, FileError> {
        match self.file.group(at) {
            Ok(group) => Ok(Some(group)),
            Err(e) if is_absent(&e) => Ok(None),
            Err(e) => Err(damaged(self.path, &e)),
        }
    }

    /// The dataset `at`, `None` when there is none.
    fn dataset(&self, at: &str) -> Result<Option<Dataset>, FileError> {
        match self.file.dataset(at) {
            Ok(dataset) => Ok(Some(dataset)),
            Err(e) if is_absent(&e) => Ok(None),
            Err(e) => Err(damaged(self.path, &e)),
        }
    }

    /// The dataset `at`; an error when there is none.
    fn required(&self, at: &str) -> Result<Dataset, FileError> {
        self.dataset(at)?.ok_or_else(|| FileError::Missing {
            path: self.path(),
            dataset: at.into(),
        })
    }

    /// Charges a dataset to the memory budget; returns the number of its elements.
    fn charge_budget(&self, dataset: &Dataset) -> Result<usize, FileError> {
        let fail = |e: Error| damaged(self.path, &e);
        let bytes = dataset.raw_byte_len().map_err(fail)? as u64;
        let elements = dataset.num_elements().map_err(fail)?;
        // Numbers take 8 bytes each in memory, whatever their stored size.
        let decoded = elements.saturating_mul(8).max(bytes);
        let contiguous = dataset.chunks().is_none();
        if (contiguous && bytes > self.length) || decoded > self.budget.get() {
            return Err(FileError::Damaged {
                path: self.path(),
                detail: format!(
                    "{} claims {bytes} bytes in a file of {} bytes",
                    dataset.name(),
                    self.length
                ),
            });
        }
        // Charge it.
        self.budget.set(self.budget.get() - decoded);
        // At most the budget, which is a multiple of the length of a file held in memory.
        Ok(elements as usize)
    }

    /// The bytes of a dataset as stored.
    fn raw(&self, dataset: &Dataset) -> Result<Vec<u8>, FileError> {
        self.charge_budget(dataset)?;
        let raw = dataset.read_raw_bytes();
        raw.map_err(|e| damaged(self.path, &e))
    }

    /// All floating-point numbers of a dataset, in storage order.
    pub(crate) fn floats(&self, at: &str) -> Result<Vec<f64>, FileError> {
        let dataset = self.required(at)?;
        let wrong = || self.wrong_type(at, "32 or 64-bit floating-point numbers", dataset.dtype());
        let count = self.charge_budget(&dataset)?;
        // Read in place: a copy of the largest array would double the cost of reading.
        let values = match dataset.dtype() {
            Datatype::FloatingPoint { size: 8, .. } => {
                let mut values = vec![0.0f64; count];
                dataset.read_into(&mut values).map(|()| values)
            }
            Datatype::FloatingPoint { size: 4, .. } => {
                let mut values = vec![0.0f32; count];
                let done = dataset.read_into(&mut values);
                done.map(|()| values.into_iter().map(f64::from).collect())
            }
            _ => return Err(wrong()),
        };
        values.map_err(|e| damaged(self.path, &e))
    }

    /// Like [`Self::floats`], `None` when the dataset is absent.
    pub(crate) fn floats_if_present(&self, at: &str) -> Result<Option<Vec<f64>>, FileError> {
        match self.dataset(at)? {
            None => Ok(None),
            Some(_) => self.floats(at).map(Some),
        }
    }

    /// All integers of a dataset, in storage order.
    pub(crate) fn integers(&self, at: &str) -> Result<Integers, FileError> {
        let dataset = self.required(at)?;
        let Some(coding) = IntegerEncoding::of(dataset.dtype()) else {
            return Err(self.wrong_type(at, "integers of 8 to 64 bits", dataset.dtype()));
        };
        let raw = self.raw(&dataset)?;
        Ok(Integers { raw, coding })
    }

    /// The single integer of a dataset.
    pub(crate) fn integer(&self, at: &str) -> Result<i64, FileError> {
        let values = self.integers(at)?;
        match values.len() {
            1 => Ok(values.get(0)),
            _ => Err(FileError::Shape {
                path: self.path(),
                dataset: at.into(),
                expected: "one integer".into(),
                found: format!("{} integers", values.len()),
                hint: "write it again as one number".into(),
            }),
        }
    }

    /// The single integer of a dataset, which must be a size.
    pub(crate) fn size(&self, at: &str) -> Result<usize, FileError> {
        let value = self.integer(at)?;
        usize::try_from(value).map_err(|_| self.bad_index(at, 0, value, "a size >= 0"))
    }

    /// A text up to its first NUL, `None` when the dataset is absent. Bytes that are not
    /// UTF-8 are replaced: a comment in an old encoding must not prevent reading the problem.
    pub(crate) fn text(&self, at: &str) -> Result<Option<String>, FileError> {
        let Some(dataset) = self.dataset(at)? else {
            return Ok(None);
        };
        match dataset.dtype() {
            Datatype::String {
                size: StringSize::Fixed(_),
                ..
            } => {
                // Fixed length: cut at the first NUL.
                let raw = self.raw(&dataset)?;
                let end = raw.iter().position(|&b| b == 0).unwrap_or(raw.len());
                Ok(Some(String::from_utf8_lossy(&raw[..end]).into_owned()))
            }
            Datatype::String { .. } | Datatype::VarLen { .. } => {
                // One text, which cannot be longer than the file: many references to one text could demand any memory.
                let count = self.charge_budget(&dataset)?;
                if count != 1 {
                    return Err(FileError::Shape {
                        path: self.path(),
                        dataset: at.into(),
                        expected: "one text".into(),
                        found: format!("{count} texts"),
                        hint: "write it again as one text".into(),
                    });
                }
                let text = dataset.read_string();
                text.map(Some).map_err(|e| damaged(self.path, &e))
            }
            other => Err(self.wrong_type(at, "text", other)),
        }
    }

    /// An integer attribute of a group, `None` when it is absent.
    pub(crate) fn attribute(
        &self,
        group: &Group,
        at: &str,
        name: &str,
    ) -> Result<Option<i64>, FileError> {
        let attribute = match group.attribute(name) {
            Ok(attribute) => attribute,
            Err(e) if is_absent(&e) => return Ok(None),
            Err(e) => return Err(damaged(self.path, &e)),
        };
        // Exactly one integer.
        let single = IntegerEncoding::of(&attribute.datatype)
            .filter(|coding| coding.width == attribute.raw_data.len())
            .map(|coding| coding.value(&attribute.raw_data));
        if single.is_none() {
            let at = format!("{at}/{name}");
            return Err(self.wrong_type(&at, "one integer", &attribute.datatype));
        }
        Ok(single)
    }

    /// The error for an integer out of range.
    pub(crate) fn bad_index(
        &self,
        at: &str,
        index: usize,
        value: i64,
        expected: &str,
    ) -> FileError {
        FileError::Value {
            path: self.path(),
            dataset: at.into(),
            index,
            value: value.to_string(),
            expected: expected.into(),
        }
    }

    /// The error for elements of the wrong type.
    fn wrong_type(&self, at: &str, expected: &'static str, found: &Datatype) -> FileError {
        FileError::WrongType {
            path: self.path(),
            dataset: at.into(),
            expected,
            found: describe(found),
        }
    }
}

/// Whether an error means that the object does not exist.
fn is_absent(error: &Error) -> bool {
    match error {
        Error::Context { source, .. } => is_absent(source),
        Error::GroupNotFound(_) | Error::DatasetNotFound(_) | Error::AttributeNotFound(_) => true,
        _ => false,
    }
}

/// The error for a broken HDF5 structure.
fn damaged(path: &Path, error: &Error) -> FileError {
    FileError::Damaged {
        path: path.into(),
        detail: error.to_string(),
    }
}

/// The error for a file without the HDF5 signature; recognises empty files and git-lfs pointers.
fn not_hdf5(path: &Path, first: &[u8]) -> FileError {
    // Printable start of the file.
    let text: String = first
        .iter()
        .take(24)
        .flat_map(|b| std::ascii::escape_default(*b))
        .map(char::from)
        .collect();
    let (first, hint) = if first.is_empty() {
        ("it is empty".into(), "fetch or write it again")
    } else if first.starts_with(b"version https://git-lfs") {
        (
            format!("it starts with \"{text}\""),
            "this is a git-lfs pointer: fetch the file itself with `git lfs pull`",
        )
    } else {
        (
            format!("it starts with \"{text}\""),
            "give a problem file in the FCLIB HDF5 layout",
        )
    };
    FileError::NotHdf5 {
        path: path.into(),
        first,
        hint,
    }
}

/// An element type in words.
fn describe(datatype: &Datatype) -> String {
    match datatype {
        Datatype::FixedPoint { size, .. } => format!("{}-bit integers", u32::from(*size) * 8),
        Datatype::FloatingPoint { size, .. } => {
            format!("{}-bit floating-point numbers", u32::from(*size) * 8)
        }
        Datatype::String { .. } => "text".into(),
        Datatype::VarLen { .. } => "elements of variable length".into(),
        Datatype::Compound { .. } => "compound elements".into(),
        Datatype::Array { .. } => "array elements".into(),
        Datatype::Enum { .. } => "enumerated elements".into(),
        _ => "elements of another kind".into(),
    }
}

/// The integers of a dataset as stored, decoded on demand: saves a copy of the index arrays.
pub(crate) struct Integers {
    raw: Vec<u8>,
    coding: IntegerEncoding,
}

impl Integers {
    /// Number of integers.
    pub(crate) fn len(&self) -> usize {
        self.raw.len() / self.coding.width
    }

    /// Integer `k`, which must be below the number of integers.
    pub(crate) fn get(&self, k: usize) -> i64 {
        let width = self.coding.width;
        self.coding.value(&self.raw[k * width..(k + 1) * width])
    }
}

/// Encoding of an integer: 1, 2, 4 or 8 bytes, sign and byte order.
#[derive(Clone, Copy)]
struct IntegerEncoding {
    width: usize,
    signed: bool,
    big: bool,
}

impl IntegerEncoding {
    /// The encoding of an HDF5 type; `None` for other types.
    fn of(datatype: &Datatype) -> Option<Self> {
        match datatype {
            Datatype::FixedPoint {
                size: size @ (1 | 2 | 4 | 8),
                signed,
                byte_order,
            } => Some(Self {
                width: usize::from(*size),
                signed: *signed,
                big: *byte_order == ByteOrder::BigEndian,
            }),
            _ => None,
        }
    }

    /// The integer in `bytes`, which are `width` long.
    fn value(self, bytes: &[u8]) -> i64 {
        // Little-endian bytes in an 8-byte buffer.
        let mut buffer = [0; 8];
        buffer[..self.width].copy_from_slice(bytes);
        if self.big {
            buffer[..self.width].reverse();
        }
        // Shifting to the top and back extends the sign.
        let shift = 64 - 8 * self.width;
        let bits = u64::from_le_bytes(buffer) << shift;
        if self.signed {
            (bits as i64) >> shift
        } else {
            // Nothing in the layout reaches 2^63; the range checks reject it.
            i64::try_from(bits >> shift).unwrap_or(i64::MAX)
        }
    }
}
