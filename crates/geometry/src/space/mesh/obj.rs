//! Wavefront OBJ reader: vertices and faces; all other lines are ignored.

use glam::DVec3;

use super::Triangles;
use super::error::{MeshError, coordinate, short};

/// Vertices and triangles of a Wavefront OBJ file. Reads `v x y z` and `f a b c …` with entries `i`, `i/t`, `i//n`,
/// `i/t/n`, counted from 1 or, negative, back from the last vertex. A polygon is triangulated as a fan about its first
/// vertex. A backslash at the end of a line continues it.
///
/// # Errors
/// A `v` or `f` line that cannot be read, a vertex that does not exist: the message names the line.
pub fn read_obj(text: &str) -> Result<Triangles, MeshError> {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    // Largest vertex number used and its line: vertices may follow the faces that use them.
    let mut largest = (0, 0);
    let mut lines = text.lines().enumerate();
    while let Some((number, first)) = lines.next() {
        let line = number + 1;
        // Join continued lines, strip comments.
        let mut joined = String::new();
        let mut text = first;
        while let Some(part) = text.trim_end().strip_suffix('\\') {
            joined.push_str(part);
            joined.push(' ');
            text = lines.next().map_or("", |(_, next)| next);
        }
        if !joined.is_empty() {
            joined.push_str(text);
            text = &joined;
        }
        let text = text.split('#').next().unwrap_or("");
        let mut words = text.split_whitespace();
        match words.next() {
            Some("v") => {
                let mut next = || coordinate(words.next(), line);
                vertices.push(DVec3::new(next()?, next()?, next()?));
            }
            Some("f") => {
                let top = face(words, vertices.len(), line, &mut triangles)?;
                if top > largest.0 {
                    largest = (top, line);
                }
            }
            _ => {}
        }
    }
    if largest.0 > vertices.len() {
        let (vertex, line) = largest;
        let what = format!(
            "vertex {vertex} does not exist: the file has {}",
            vertices.len()
        );
        return Err(MeshError::Line { line, what });
    }
    Ok((vertices, triangles))
}

/// Reads a face and returns its largest vertex number, from 1.
fn face<'a>(
    words: impl Iterator<Item = &'a str>,
    known: usize,
    line: usize,
    triangles: &mut Vec<[u32; 3]>,
) -> Result<usize, MeshError> {
    let (mut first, mut last) = (None, None);
    let (mut count, mut top) = (0usize, 0);
    for word in words {
        let number = vertex(word, known).map_err(|what| MeshError::Line { line, what })?;
        top = top.max(number as usize);
        let index = number - 1;
        count += 1;
        match (first, last) {
            (None, _) => first = Some(index),
            (Some(_), None) => last = Some(index),
            (Some(apex), Some(before)) => {
                triangles.push([apex, before, index]);
                last = Some(index);
            }
        }
    }
    if count < 3 {
        let what = format!("a face needs at least 3 vertices, {count} given");
        return Err(MeshError::Line { line, what });
    }
    Ok(top)
}

/// A vertex number, from 1.
fn vertex(word: &str, known: usize) -> Result<u32, String> {
    let entry = word.split('/').next().unwrap_or("");
    let number: i64 = entry
        .parse()
        .map_err(|_| format!("`{}` is no vertex number", short(word)))?;
    // Negative numbers count back from the last vertex read so far.
    let from_one = if number < 0 {
        i64::try_from(known)
            .unwrap_or(i64::MAX)
            .saturating_add(number)
            .saturating_add(1)
    } else {
        number
    };
    match u32::try_from(from_one) {
        Ok(n) if n > 0 => Ok(n),
        _ if number == 0 => Err("vertices are counted from 1, 0 given".into()),
        _ => Err(format!(
            "vertex {number} does not exist: {known} vertices so far"
        )),
    }
}
