//! Encoding of a problem in the FCLIB layout.
//!
//! Local problems are written with compressed rows and global ones with triplets, as in the public
//! collection (Siconos rejects compressed rows in the global form). The container is in
//! the HDF5 1.8 format: contiguous datasets, 32-bit integers, 64-bit floats, NUL-terminated text.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use hdf5_pure::{
    AttrValue, CharacterSet, Datatype, FileBuilder, GroupBuilder, LibVer, StringPadding,
};

use crate::check::{self, GLOBAL, LOCAL};
use crate::{
    FileError, GlobalProblem, Info, LocalProblem, ProblemFile, ProblemForm, SolutionVectors,
    SparseMatrix,
};

/// Checks and encodes a problem.
pub(crate) fn encode(path: &Path, problem: &ProblemFile) -> Result<Vec<u8>, FileError> {
    check::problem(path, problem)?;
    let encoder = Encoder { path };
    let mut file = FileBuilder::new();
    file.with_libver_bounds(LibVer::Earliest, LibVer::V18);
    // The problem with its info group, then guesses and solution.
    let mut top = match &problem.form {
        ProblemForm::Local(p) => encoder.local(&mut file, p)?,
        ProblemForm::Global(p) => encoder.global(&mut file, p)?,
    };
    encoder.info(&mut top, &problem.info)?;
    file.add_group(top.finish());
    if !problem.guesses.is_empty() {
        let mut guesses = file.create_group("guesses");
        let count = problem.guesses.len();
        encoder.integer(&mut guesses, "number_of_guesses", count)?;
        for (k, guess) in problem.guesses.iter().enumerate() {
            let mut group = guesses.create_group(&(k + 1).to_string());
            vectors(&mut group, guess);
            guesses.add_group(group.finish());
        }
        file.add_group(guesses.finish());
    }
    if let Some(solution) = &problem.solution {
        let mut group = file.create_group("solution");
        vectors(&mut group, solution);
        file.add_group(group.finish());
    }
    file.finish().map_err(|e| encoder.fault(e.to_string()))
}

/// Writes a dataset of 64-bit floats.
fn floats(group: &mut GroupBuilder, name: &str, values: &[f64]) {
    group.create_dataset(name).with_f64_data(values);
}

/// Writes the vectors of a guess or solution.
fn vectors(group: &mut GroupBuilder, x: &SolutionVectors) {
    floats(group, "u", &x.u);
    floats(group, "r", &x.r);
    if let Some(v) = &x.v {
        floats(group, "v", v);
    }
    if let Some(lambda) = &x.lambda {
        floats(group, "l", lambda);
    }
}

/// Storage scheme of a matrix.
enum Layout {
    Rows,
    Triplets,
}

/// Encodes the parts of a problem; the path is for messages.
struct Encoder<'a> {
    path: &'a Path,
}

impl Encoder<'_> {
    /// The error for a problem that the layout cannot express.
    fn fault(&self, detail: String) -> FileError {
        FileError::Encode {
            path: self.path.into(),
            detail,
        }
    }

    /// Writes the local form.
    fn local(&self, file: &mut FileBuilder, p: &LocalProblem) -> Result<GroupBuilder, FileError> {
        let mut top = file.create_group(LOCAL.trim_start_matches('/'));
        self.integer(&mut top, "spacedim", p.spacedim)?;
        self.matrix(&mut top, "W", &p.w, Layout::Rows)?;
        // Vectors; bilateral equations add V, R and s.
        let mut list = top.create_group("vectors");
        floats(&mut list, "q", &p.q);
        floats(&mut list, "mu", &p.mu);
        if let Some(e) = &p.bilateral {
            self.matrix(&mut top, "V", &e.v, Layout::Rows)?;
            self.matrix(&mut top, "R", &e.r, Layout::Rows)?;
            floats(&mut list, "s", &e.s);
        }
        top.add_group(list.finish());
        Ok(top)
    }

    /// Writes the global form.
    fn global(&self, file: &mut FileBuilder, p: &GlobalProblem) -> Result<GroupBuilder, FileError> {
        let mut top = file.create_group(GLOBAL.trim_start_matches('/'));
        self.integer(&mut top, "spacedim", p.spacedim)?;
        self.matrix(&mut top, "M", &p.m, Layout::Triplets)?;
        self.matrix(&mut top, "H", &p.h, Layout::Triplets)?;
        // Vectors; bilateral equations add G and b.
        let mut list = top.create_group("vectors");
        floats(&mut list, "f", &p.f);
        floats(&mut list, "w", &p.w);
        floats(&mut list, "mu", &p.mu);
        if let Some(e) = &p.bilateral {
            self.matrix(&mut top, "G", &e.g, Layout::Triplets)?;
            floats(&mut list, "b", &e.b);
        }
        top.add_group(list.finish());
        Ok(top)
    }

    /// Writes the texts and the number of degrees of freedom.
    fn info(&self, top: &mut GroupBuilder, info: &Info) -> Result<(), FileError> {
        let mut group = top.create_group("info");
        let texts = [
            ("title", &info.title),
            ("description", &info.description),
            ("math_info", &info.math_info),
        ];
        for (name, text) in texts {
            self.text(&mut group, name, text)?;
        }
        // FCLIB's attribute for the number of degrees of freedom.
        if let Some(dof) = info.degrees_of_freedom {
            let dof = self.int("the number of degrees of freedom", dof)?;
            let name = "numberOfDegreeOfFreedom";
            group.set_attr(name, AttrValue::I32Array(vec![dof]));
        }
        top.add_group(group.finish());
        Ok(())
    }

    /// Writes a text as a NUL-terminated string of fixed length.
    fn text(&self, group: &mut GroupBuilder, name: &str, text: &str) -> Result<(), FileError> {
        if text.contains('\0') {
            return Err(self.fault(format!(
                "info/{name} contains a NUL character, which ends a text in this layout"
            )));
        }
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        let size = u32::try_from(bytes.len())
            .map_err(|_| self.fault(format!("info/{name} is longer than 4 GiB")))?;
        // Fixed length including the NUL, as FCLIB writes it.
        let kind = Datatype::String {
            size,
            padding: StringPadding::NullTerminate,
            charset: if text.is_ascii() {
                CharacterSet::Ascii
            } else {
                CharacterSet::Utf8
            },
        };
        let dataset = group.create_dataset(name);
        dataset.with_shape(&[]).with_raw_data(kind, bytes, 1);
        Ok(())
    }

    /// Writes a matrix.
    fn matrix(
        &self,
        top: &mut GroupBuilder,
        name: &str,
        m: &SparseMatrix,
        layout: Layout,
    ) -> Result<(), FileError> {
        let ints = |values: &[usize]| -> Result<Vec<i32>, FileError> {
            values.iter().map(|&v| self.int(name, v)).collect()
        };
        let mut group = top.create_group(name);
        let entries = self.int(name, m.val.len())?;
        self.integer(&mut group, "m", m.rows)?;
        self.integer(&mut group, "n", m.cols)?;
        let (nz, p, i) = match layout {
            Layout::Rows => (-2, ints(&m.row_ptr)?, ints(&m.col)?),
            // `i` is the row and `p` the column, as in CSparse and in existing files.
            Layout::Triplets => {
                let mut rows = Vec::with_capacity(m.val.len());
                for k in 0..m.rows {
                    rows.resize(m.row_ptr[k + 1], self.int(name, k)?);
                }
                (entries, ints(&m.col)?, rows)
            }
        };
        // The CSparse fields.
        group.create_dataset("nzmax").with_i32_data(&[entries]);
        group.create_dataset("nz").with_i32_data(&[nz]);
        group.create_dataset("p").with_i32_data(&p);
        group.create_dataset("i").with_i32_data(&i);
        floats(&mut group, "x", &m.val);
        top.add_group(group.finish());
        Ok(())
    }

    /// Writes a single integer.
    fn integer(&self, group: &mut GroupBuilder, name: &str, value: usize) -> Result<(), FileError> {
        let value = self.int(name, value)?;
        group.create_dataset(name).with_i32_data(&[value]);
        Ok(())
    }

    /// Converts to a 32-bit integer.
    fn int(&self, what: &str, value: usize) -> Result<i32, FileError> {
        i32::try_from(value).map_err(|_| {
            self.fault(format!(
                "{what} needs the integer {value}, the layout has 32 bits; split the problem"
            ))
        })
    }
}

/// Writes the bytes to the path atomically: by a temporary file and a rename; on error the old file stays.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let fault = |action: &'static str| {
        move |source: io::Error| FileError::Io {
            path: path.into(),
            action,
            source,
        }
    };
    // Write a temporary file, flush it to disk, rename it.
    let (draft, mut file) = create_beside(path).map_err(fault("create"))?;
    let written = file
        .write_all(bytes)
        .and_then(|()| file.sync_all())
        .map_err(fault("write"));
    drop(file);
    let done = written.and_then(|()| fs::rename(&draft, path).map_err(fault("replace")));
    if done.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&draft);
    }
    done
}

/// A new file in the directory of `path`: a rename is atomic only inside one file system.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    static SERIAL: AtomicUsize = AtomicUsize::new(0);
    let name = path
        .file_name()
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "it has no file name"))?;
    loop {
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        // A hidden name from process id and a serial number.
        let mut draft = OsString::from(".");
        draft.push(name);
        draft.push(format!(".{}-{serial}.part", std::process::id()));
        let draft = path.with_file_name(draft);
        match OpenOptions::new().write(true).create_new(true).open(&draft) {
            Ok(file) => return Ok((draft, file)),
            // Left over from a killed process with the same id.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
}
