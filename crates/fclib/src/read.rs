//! Decoding of the FCLIB layout into a checked problem.
//!
//! Vectors are read first: they determine every size, and they are bounded by the file's length, so
//! nothing that a matrix header claims is allocated before it agrees with them.

use std::path::Path;

use crate::check::{self, GLOBAL, LOCAL, Size};
use crate::source::{Hdf5Source, Integers};
use crate::{
    FileError, GlobalBilateral, GlobalProblem, Info, LocalBilateral, LocalProblem, ProblemFile,
    ProblemForm, SolutionVectors, SparseMatrix,
};

/// Reads a problem from the bytes of a file.
pub(crate) fn problem(path: &Path, bytes: Vec<u8>) -> Result<ProblemFile, FileError> {
    let source = Hdf5Source::open(path, bytes)?;
    // A file may contain both forms; its guesses and solution then belong to the global one.
    let (top, form) = if source.group(GLOBAL)?.is_some() {
        (GLOBAL, ProblemForm::Global(global(&source, path)?))
    } else if source.group(LOCAL)?.is_some() {
        (LOCAL, ProblemForm::Local(local(&source, path)?))
    } else {
        return Err(not_fclib(&source));
    };
    let problem = ProblemFile {
        info: info(&source, top, form.spacedim())?,
        guesses: guesses(&source)?,
        solution: match source.group("/solution")? {
            Some(_) => Some(vectors(&source, "/solution")?),
            None => None,
        },
        form,
    };
    check::problem(path, &problem)?;
    Ok(problem)
}

/// The error for an HDF5 file without a problem: lists what is at its top.
fn not_fclib(source: &Hdf5Source) -> FileError {
    let (groups, datasets) = match source.top() {
        Ok(names) => names,
        Err(e) => return e,
    };
    let rolling = groups.iter().any(|g| g.starts_with("fclib_"));
    let mut names = groups;
    names.extend(datasets);
    // At most six names.
    let more = names.len().saturating_sub(6);
    names.truncate(6);
    let mut found = if names.is_empty() {
        "nothing".into()
    } else {
        names.join(", ")
    };
    if more > 0 {
        found += &format!(" and {more} more");
    }
    FileError::NotFclib {
        path: source.path(),
        found,
        hint: if rolling {
            " (problems with rolling friction are not supported)"
        } else {
            ""
        },
    }
}

/// Reads the local form.
fn local(source: &Hdf5Source, path: &Path) -> Result<LocalProblem, FileError> {
    let at = |name: &str| format!("{LOCAL}/{name}");
    let spacedim = source.size(&at("spacedim"))?;
    let q = source.floats(&at("vectors/q"))?;
    let mu = source.floats(&at("vectors/mu"))?;
    let rows = check::contact_rows(path, LOCAL, spacedim, &mu, &q, "q")?;
    // Vectors fix the sizes; now the matrices.
    let w = matrix(source, &at("W"), rows, rows)?;
    let has = |name: &str| Ok::<_, FileError>(source.group(&at(name))?.is_some());
    // V and R come together with s.
    let bilateral = if has("V")? || has("R")? {
        let s = source.floats(&at("vectors/s"))?;
        let equations = Size {
            value: s.len(),
            origin: "the length of vectors/s",
        };
        Some(LocalBilateral {
            v: matrix(source, &at("V"), rows, equations)?,
            r: matrix(source, &at("R"), equations, equations)?,
            s,
        })
    } else {
        None
    };
    Ok(LocalProblem {
        spacedim,
        w,
        q,
        mu,
        bilateral,
    })
}

/// Reads the global form.
fn global(source: &Hdf5Source, path: &Path) -> Result<GlobalProblem, FileError> {
    let at = |name: &str| format!("{GLOBAL}/{name}");
    let spacedim = source.size(&at("spacedim"))?;
    let f = source.floats(&at("vectors/f"))?;
    let w = source.floats(&at("vectors/w"))?;
    let mu = source.floats(&at("vectors/mu"))?;
    let columns = check::contact_rows(path, GLOBAL, spacedim, &mu, &w, "w")?;
    // Sizes from the vectors.
    let dof = Size {
        value: f.len(),
        origin: "the length of vectors/f",
    };
    let bilateral = if source.group(&at("G"))?.is_some() {
        let b = source.floats(&at("vectors/b"))?;
        let equations = Size {
            value: b.len(),
            origin: "the length of vectors/b",
        };
        let g = matrix(source, &at("G"), dof, equations)?;
        Some(GlobalBilateral { g, b })
    } else {
        None
    };
    Ok(GlobalProblem {
        spacedim,
        m: matrix(source, &at("M"), dof, dof)?,
        h: matrix(source, &at("H"), dof, columns)?,
        f,
        w,
        mu,
        bilateral,
    })
}

/// Reads the texts and the number of degrees of freedom.
fn info(source: &Hdf5Source, top: &str, spacedim: usize) -> Result<Info, FileError> {
    let at = format!("{top}/info");
    let Some(group) = source.group(&at)? else {
        return Ok(Info::default());
    };
    let text = |name: &str| {
        let text = source.text(&format!("{at}/{name}"))?;
        Ok::<_, FileError>(text.unwrap_or_default())
    };
    let count = |name: &str, factor: usize| -> Result<Option<usize>, FileError> {
        let Some(value) = source.attribute(&group, &at, name)? else {
            return Ok(None);
        };
        let size = usize::try_from(value).ok();
        match size.and_then(|n| n.checked_mul(factor)) {
            Some(dof) => Ok(Some(dof)),
            None => Err(source.bad_index(&format!("{at}/{name}"), 0, value, "a count >= 0")),
        }
    };
    // Rigid bodies: 6 degrees of freedom, 3 in the plane.
    let per_body = if spacedim == 3 { 6 } else { 3 };
    Ok(Info {
        title: text("title")?,
        description: text("description")?,
        math_info: text("math_info")?,
        degrees_of_freedom: match count("numberOfDegreeOfFreedom", 1)? {
            Some(dof) => Some(dof),
            None => count("numberOfInvolvedDS", per_body)?,
        },
    })
}

/// Reads the guesses.
fn guesses(source: &Hdf5Source) -> Result<Vec<SolutionVectors>, FileError> {
    if source.group("/guesses")?.is_none() {
        return Ok(Vec::new());
    }
    let count = source.size("/guesses/number_of_guesses")?;
    // The count is only a claim: the list grows as guesses are found, and the first missing one
    // is an error.
    let mut list = Vec::new();
    for k in 1..=count {
        list.push(vectors(source, &format!("/guesses/{k}"))?);
    }
    Ok(list)
}

/// Reads the vectors of a guess or solution.
fn vectors(source: &Hdf5Source, at: &str) -> Result<SolutionVectors, FileError> {
    Ok(SolutionVectors {
        u: source.floats(&format!("{at}/u"))?,
        r: source.floats(&format!("{at}/r"))?,
        v: source.floats_if_present(&format!("{at}/v"))?,
        lambda: source.floats_if_present(&format!("{at}/l"))?,
    })
}

/// Storage scheme of a matrix (`nz` of the layout).
enum Storage {
    Rows,
    Columns,
    Triplets(usize),
}

/// Reads a matrix of the expected size in any storage scheme.
fn matrix(
    source: &Hdf5Source,
    name: &str,
    rows: Size,
    cols: Size,
) -> Result<SparseMatrix, FileError> {
    let at = |part: &str| format!("{name}/{part}");
    let path = source.path();
    if source.group(name)?.is_none() {
        return Err(FileError::Missing {
            path,
            dataset: name.into(),
        });
    }
    // Sizes, then the storage scheme.
    check::size(&path, &at("m"), source.size(&at("m"))?, "rows", rows)?;
    check::size(&path, &at("n"), source.size(&at("n"))?, "columns", cols)?;
    let (rows, cols) = (rows.value, cols.value);
    let tag = source.integer(&at("nz"))?;
    let storage = match (tag, usize::try_from(tag)) {
        (-2, _) => Storage::Rows,
        (-1, _) => Storage::Columns,
        (_, Ok(count)) => Storage::Triplets(count),
        _ => {
            let expected = "-2 (compressed rows), -1 (compressed columns) or a number of triplets";
            return Err(source.bad_index(&at("nz"), 0, tag, expected));
        }
    };
    // CSparse's fields: pointers or columns, indices, values.
    let p = source.integers(&at("p"))?;
    let i = source.integers(&at("i"))?;
    let x = source.floats(&at("x"))?;
    match storage {
        Storage::Rows => compressed(source, name, (rows, cols), (&p, &i, x)),
        Storage::Columns => {
            compressed(source, name, (cols, rows), (&p, &i, x)).map(|m| m.transposed())
        }
        Storage::Triplets(count) => {
            for (part, found) in [("p", p.len()), ("i", i.len()), ("x", x.len())] {
                at_least(source, &at(part), found, count, "entries, as nz says")?;
            }
            // `i` is the row and `p` the column, as in CSparse; FCLIB's header states the
            // opposite of what its files contain.
            let row = indices(source, &at("i"), &i, count, rows)?;
            let col = indices(source, &at("p"), &p, count, cols)?;
            let get = (|k: usize| row[k], |k: usize| col[k], |k: usize| x[k]);
            Ok(SparseMatrix::from_entries(
                rows, cols, count, get.0, get.1, get.2,
            ))
        }
    }
}

/// Compressed storage: `p` has one pointer more than there are major lines (rows or columns), `i` the minor index.
fn compressed(
    source: &Hdf5Source,
    name: &str,
    (major, minor): (usize, usize),
    (p, i, mut x): (&Integers, &Integers, Vec<f64>),
) -> Result<SparseMatrix, FileError> {
    let at = |part: &str| format!("{name}/{part}");
    // One pointer per line and one at the end.
    if p.len() != major + 1 {
        return Err(FileError::Shape {
            path: source.path(),
            dataset: at("p"),
            expected: format!("{} long", major + 1),
            found: format!("{} long", p.len()),
            hint: "it needs one pointer for each row (column) and one at the end".into(),
        });
    }
    // Pointers start at 0 and never decrease.
    let mut row_ptr = Vec::with_capacity(p.len());
    let mut last = 0;
    for k in 0..p.len() {
        let pointer = p.get(k);
        match usize::try_from(pointer) {
            Ok(next) if (k > 0 || next == 0) && next >= last => last = next,
            _ => {
                let expected = format!("{last} or more, pointers start at 0 and never decrease");
                return Err(source.bad_index(&at("p"), k, pointer, &expected));
            }
        }
        row_ptr.push(last);
    }
    for (part, found) in [("i", i.len()), ("x", x.len())] {
        at_least(source, &at(part), found, last, "entries, as p says")?;
    }
    // Entries beyond the last pointer are unused capacity.
    x.truncate(last);
    // Sort the columns and sum duplicates.
    let matrix = SparseMatrix {
        rows: major,
        cols: minor,
        row_ptr,
        col: indices(source, &at("i"), i, last, minor)?,
        val: x,
    };
    Ok(matrix.into_canonical())
}

/// An error if a dataset has fewer entries than needed.
fn at_least(
    source: &Hdf5Source,
    dataset: &str,
    found: usize,
    needed: usize,
    why: &str,
) -> Result<(), FileError> {
    if found >= needed {
        return Ok(());
    }
    Err(FileError::Shape {
        path: source.path(),
        dataset: dataset.into(),
        expected: format!("at least {needed} {why}"),
        found: format!("{found} entries"),
        hint: "the matrix was not written completely".into(),
    })
}

/// The first `count` integers as indices below `bound`.
fn indices(
    source: &Hdf5Source,
    dataset: &str,
    values: &Integers,
    count: usize,
    bound: usize,
) -> Result<Vec<usize>, FileError> {
    let mut list = Vec::with_capacity(count);
    for k in 0..count {
        let value = values.get(k);
        match usize::try_from(value) {
            Ok(index) if index < bound => list.push(index),
            _ => {
                let expected = format!("an index from 0 to below {bound}, the size of the matrix");
                return Err(source.bad_index(dataset, k, value, &expected));
            }
        }
    }
    Ok(list)
}
