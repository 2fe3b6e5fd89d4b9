//! Tables by the Arrow C stream interface, which pandas, polars, pyarrow and DuckDB read.
//!
//! The one file of this crate with `unsafe`: the interface consists of C structures whose consumer calls back
//! through function pointers and frees by `release`. Every structure owns a box in `private_data`; `release`
//! takes the box back and drops it, once. Buffers are kept alive by the box of their array.
//!
//! ```text
//! stream ── get_schema → struct<columns>
//!        ── get_next   → one batch, then a released array: the end of the stream
//! ```
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};

use percuss_record::{ColumnValues, Table};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Values may be null (`ARROW_FLAG_NULLABLE`).
const NULLABLE: i64 = 2;

/// `struct ArrowSchema` of the Arrow C data interface.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut Schema,
    dictionary: *mut Schema,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

/// `struct ArrowArray`.
#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut Array,
    dictionary: *mut Array,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

/// `struct ArrowArrayStream`.
#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// A column in Arrow's memory layout.
struct Buffers {
    name: CString,
    format: CString,
    nulls: i64,
    length: i64,
    /// Validity, offsets and data as the format requires; an absent optional buffer is `None`.
    parts: Vec<Option<Vec<u8>>>,
}

/// Data owned by a schema.
struct SchemaOwn {
    _format: CString,
    _name: CString,
    children: Vec<*mut Schema>,
}

/// Data owned by an array.
struct ArrayOwn {
    _parts: Vec<Option<Vec<u8>>>,
    pointers: Vec<*const c_void>,
    children: Vec<*mut Array>,
}

/// Data owned by a stream: the batch, until it is taken.
struct StreamOwn {
    schema: Vec<(CString, CString)>,
    batch: Option<Vec<Buffers>>,
    rows: i64,
}

fn text(words: &str) -> CString {
    CString::new(words.replace('\0', " ")).unwrap_or_default()
}

fn bits(all: impl ExactSizeIterator<Item = bool>) -> Vec<u8> {
    let mut packed = vec![0u8; all.len().div_ceil(8)];
    for (at, bit) in all.enumerate() {
        packed[at / 8] |= u8::from(bit) << (at % 8);
    }
    packed
}

fn floats(all: impl Iterator<Item = f64>) -> Vec<u8> {
    all.flat_map(f64::to_ne_bytes).collect()
}

fn buffers(name: &str, values: &ColumnValues) -> Buffers {
    let (format, nulls, parts) = match values {
        ColumnValues::Integer(v) => {
            let data = v.iter().flat_map(|x| x.to_ne_bytes()).collect();
            ("l", 0, vec![None, Some(data)])
        }
        ColumnValues::Real(v) => ("g", 0, vec![None, Some(floats(v.iter().copied()))]),
        ColumnValues::Optional(v) => {
            let nulls = v.iter().filter(|x| x.is_none()).count();
            let data = floats(v.iter().map(|x| x.unwrap_or(0.0)));
            let valid = bits(v.iter().map(Option::is_some));
            ("g", nulls as i64, vec![Some(valid), Some(data)])
        }
        ColumnValues::Truth(v) => ("b", 0, vec![None, Some(bits(v.iter().copied()))]),
        ColumnValues::Text(v) => {
            // Large strings ("U"): 64-bit offsets, so that no table is too large.
            let mut offsets = 0i64.to_ne_bytes().to_vec();
            let mut data = Vec::new();
            for word in v {
                data.extend_from_slice(word.as_bytes());
                offsets.extend_from_slice(&(data.len() as i64).to_ne_bytes());
            }
            ("U", 0, vec![None, Some(offsets), Some(data)])
        }
    };
    Buffers {
        name: text(name),
        format: text(format),
        nulls,
        length: values.len() as i64,
        parts,
    }
}

/// A schema on the heap with its children.
fn schema(name: &CString, format: &CString, flags: i64, children: Vec<*mut Schema>) -> Schema {
    let mut own = Box::new(SchemaOwn {
        _format: format.clone(),
        _name: name.clone(),
        children,
    });
    // Pointers into the box stay valid: its content does not move.
    Schema {
        format: own._format.as_ptr(),
        name: own._name.as_ptr(),
        metadata: null(),
        flags,
        n_children: own.children.len() as i64,
        children: own.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_schema),
        private_data: Box::into_raw(own).cast(),
    }
}

/// An array on the heap with its children.
fn array(length: i64, nulls: i64, parts: Vec<Option<Vec<u8>>>, children: Vec<*mut Array>) -> Array {
    let pointer = |part: &Option<Vec<u8>>| part.as_ref().map_or(null(), |p| p.as_ptr().cast());
    let mut own = Box::new(ArrayOwn {
        pointers: parts.iter().map(pointer).collect(),
        _parts: parts,
        children,
    });
    // Pointers into the box stay valid: its content does not move.
    Array {
        length,
        null_count: nulls,
        offset: 0,
        n_buffers: own.pointers.len() as i64,
        n_children: own.children.len() as i64,
        buffers: own.pointers.as_mut_ptr(),
        children: own.children.as_mut_ptr(),
        dictionary: null_mut(),
        release: Some(release_array),
        private_data: Box::into_raw(own).cast(),
    }
}

/// Frees a schema and its remaining children.
unsafe extern "C" fn release_schema(schema: *mut Schema) {
    // SAFETY: the consumer calls this once with a structure that `schema` made; `private_data` is
    // its box, and each child is a box of its own whose release, if it still has one, is this.
    unsafe {
        let own = Box::from_raw((*schema).private_data.cast::<SchemaOwn>());
        for child in own.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*schema).release = None;
    }
}

/// Frees an array and its remaining children.
unsafe extern "C" fn release_array(array: *mut Array) {
    // SAFETY: as for a schema; a child that the consumer moved out has no release any more.
    unsafe {
        let own = Box::from_raw((*array).private_data.cast::<ArrayOwn>());
        for child in own.children {
            if let Some(release) = (*child).release {
                release(child);
            }
            drop(Box::from_raw(child));
        }
        (*array).release = None;
    }
}

unsafe extern "C" fn get_schema(stream: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: the consumer gives a stream that is not released and room for a schema, which it
    // has not written: the value is put there without reading what was.
    unsafe {
        let own = &*(*stream).private_data.cast::<StreamOwn>();
        let child = |(name, format): &(CString, CString)| {
            Box::into_raw(Box::new(schema(name, format, NULLABLE, Vec::new())))
        };
        let children = own.schema.iter().map(child).collect();
        out.write(schema(&text(""), &text("+s"), 0, children));
    }
    0
}

unsafe extern "C" fn get_next(stream: *mut Stream, out: *mut Array) -> c_int {
    // SAFETY: as for `get_schema`; nobody else has the stream while this runs.
    unsafe {
        let own = &mut *(*stream).private_data.cast::<StreamOwn>();
        let rows = own.rows;
        let Some(batch) = own.batch.take() else {
            // A released array marks the end of the stream.
            let mut end = array(0, 0, Vec::new(), Vec::new());
            release_array(&raw mut end);
            out.write(end);
            return 0;
        };
        let child = |column: Buffers| {
            let made = array(column.length, column.nulls, column.parts, Vec::new());
            Box::into_raw(Box::new(made))
        };
        let children = batch.into_iter().map(child).collect();
        out.write(array(rows, 0, vec![None], children));
    }
    0
}

unsafe extern "C" fn get_last_error(_stream: *mut Stream) -> *const c_char {
    // Neither call can fail.
    null()
}

unsafe extern "C" fn release_stream(stream: *mut Stream) {
    // SAFETY: the consumer calls this once with a stream that `stream` made.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<StreamOwn>()));
        (*stream).release = None;
    }
}

/// A stream that no consumer has taken is released with its capsule.
#[repr(transparent)]
struct OwnedStream(Stream);

// SAFETY: the stream owns all it points to, and is used by one thread at a time, the one that holds
// the capsule.
unsafe impl Send for OwnedStream {}

impl Drop for OwnedStream {
    fn drop(&mut self) {
        if let Some(release) = self.0.release {
            // SAFETY: the stream was made below and nobody has released it: its release is there.
            unsafe { release(&raw mut self.0) };
        }
    }
}

/// A table as a capsule `arrow_array_stream`.
pub fn stream<'py>(py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyCapsule>> {
    let columns = table.columns.iter().zip(&table.values);
    let batch: Vec<Buffers> = columns
        .map(|(column, values)| buffers(&column.name, values))
        .collect();
    let own = StreamOwn {
        schema: batch
            .iter()
            .map(|column| (column.name.clone(), column.format.clone()))
            .collect(),
        rows: table.rows as i64,
        batch: Some(batch),
    };
    let stream = Stream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release_stream),
        private_data: Box::into_raw(Box::new(own)).cast(),
    };
    // The first field of the capsule's value is the stream: a consumer reads the pointer as one.
    PyCapsule::new_with_value(py, OwnedStream(stream), c"arrow_array_stream")
}
