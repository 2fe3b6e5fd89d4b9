//! STL reader, binary and text. Corners with the same coordinates become one vertex.

use std::collections::HashMap;

use glam::DVec3;

use super::Triangles;
use super::error::{MeshError, coordinate, short};

/// Bytes before the number of triangles, and of one triangle, in a binary file.
const HEAD: usize = 80;
const RECORD: usize = 50;

/// Vertices and triangles of an STL file. It is read as binary if its length agrees with its number of triangles, and
/// as text if it begins with `solid`. The normals in the file are ignored: the order of the corners determines the
/// orientation.
///
/// # Errors
/// A line of a text file, or a triangle of a binary one, that cannot be read; a length that does not agree with the
/// number of triangles.
pub fn read_stl(bytes: &[u8]) -> Result<Triangles, MeshError> {
    // Number of triangles of a binary file, after its header.
    let count = bytes
        .get(HEAD..HEAD + 4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let expected = count.map(|n| (HEAD + 4) as u64 + RECORD as u64 * u64::from(n));
    if expected == Some(bytes.len() as u64) {
        return binary(&bytes[HEAD + 4..]);
    }
    if bytes.trim_ascii_start().starts_with(b"solid") {
        return match std::str::from_utf8(bytes) {
            Ok(text) => ascii(text),
            // Names in old code pages are accepted: only the name may hold such bytes.
            Err(_) => ascii(&String::from_utf8_lossy(bytes)),
        };
    }
    Err(MeshError::File(match (count, expected) {
        (Some(n), Some(expected)) => format!(
            "no STL: it does not begin with `solid`, and a binary file of {n} triangles has {expected} \
             bytes, not {}",
            bytes.len()
        ),
        _ => format!(
            "no STL: it does not begin with `solid`, and {} bytes are too short for a binary file",
            bytes.len()
        ),
    }))
}

/// Merges equal corners into one vertex, numbered in the order of their first use.
#[derive(Default)]
struct Merge {
    vertices: Vec<DVec3>,
    known: HashMap<[u64; 3], u32>,
}

impl Merge {
    fn index(&mut self, p: DVec3) -> u32 {
        // −0 and 0 are equal.
        let p = p + DVec3::ZERO;
        let next = self.vertices.len() as u32;
        let index = *self
            .known
            .entry(p.to_array().map(f64::to_bits))
            .or_insert(next);
        if index == next {
            self.vertices.push(p);
        }
        index
    }
}

fn binary(records: &[u8]) -> Result<Triangles, MeshError> {
    let mut merge = Merge::default();
    let mut triangles = Vec::with_capacity(records.len() / RECORD);
    for (triangle, record) in records.chunks_exact(RECORD).enumerate() {
        let mut corners = [0; 3];
        // Skips the normal (12 bytes); three corners of three 32-bit numbers each.
        for (corner, bytes) in corners.iter_mut().zip(record[12..48].chunks_exact(12)) {
            let mut p = [0.0; 3];
            for (x, b) in p.iter_mut().zip(bytes.chunks_exact(4)) {
                *x = f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
            }
            if let Some(x) = p.into_iter().find(|x| !x.is_finite()) {
                let what = format!("a coordinate is {x}");
                return Err(MeshError::Triangle { triangle, what });
            }
            *corner = merge.index(DVec3::from_array(p));
        }
        triangles.push(corners);
    }
    Ok((merge.vertices, triangles))
}

/// The line expected next in a text file.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    Solid,
    Facet,
    Loop,
    Vertex(usize),
    EndLoop,
    EndFacet,
}

impl Next {
    fn name(self) -> &'static str {
        match self {
            Self::Solid => "`solid`",
            Self::Facet => "`facet` or `endsolid`",
            Self::Loop => "`outer loop`",
            Self::Vertex(_) => "`vertex`",
            Self::EndLoop => "`endloop`",
            Self::EndFacet => "`endfacet`",
        }
    }
}

fn ascii(text: &str) -> Result<Triangles, MeshError> {
    let mut merge = Merge::default();
    let mut triangles = Vec::new();
    let mut corners = [0; 3];
    let (mut next, mut last) = (Next::Solid, 0);
    for (number, content) in text.lines().enumerate() {
        let line = number + 1;
        let mut words = content.split_whitespace();
        let Some(word) = words.next() else { continue };
        last = line;
        // State machine over the keywords.
        next = match (next, word.to_ascii_lowercase().as_str()) {
            (Next::Solid, "solid") => Next::Facet,
            (Next::Facet, "facet") => Next::Loop,
            (Next::Facet, "endsolid") => Next::Solid,
            (Next::Loop, "outer") => Next::Vertex(0),
            (Next::Vertex(i), "vertex") => {
                let mut x = || coordinate(words.next(), line);
                corners[i] = merge.index(DVec3::new(x()?, x()?, x()?));
                if i < 2 {
                    Next::Vertex(i + 1)
                } else {
                    Next::EndLoop
                }
            }
            (Next::EndLoop, "endloop") => {
                triangles.push(corners);
                Next::EndFacet
            }
            (Next::EndFacet, "endfacet") => Next::Facet,
            (expected, _) => {
                let what = format!("{} was expected, `{}` found", expected.name(), short(word));
                return Err(MeshError::Line { line, what });
            }
        };
    }
    if next == Next::Solid {
        Ok((merge.vertices, triangles))
    } else {
        let what = format!("the file ends here, {} was expected", next.name());
        Err(MeshError::Line { line: last, what })
    }
}
