//! Polytopes and ellipsoids as parts of a non-firm set: their construction and sums.

use percuss_convex::{ConvexSet, Polyhedron, Polytope};

use super::NonFirmSet;
use crate::law::error::LawError;
use crate::law::small::{self, MAX_ROWS, dot, norm};

/// Largest number of vertices of a polytope, given or as a sum of polytopes.
const MAX_VERTICES: usize = 4096;

/// Largest number of combinations of half-spaces that are tried for a vertex.
const MAX_COMBINATIONS: usize = 200_000;

/// 0 and vertices count as inside within this share of the size of the set.
const INSIDE: f64 = 1e-10;

fn fail<T>(
    name: &'static str,
    row: usize,
    value: f64,
    expected: &'static str,
) -> Result<T, LawError> {
    Err(LawError::Set {
        name,
        row,
        value,
        expected,
    })
}

impl NonFirmSet {
    /// { r : Σ (r_i/a_i)² ≤ 1 }; a semi-axis of 0 admits no impulse in its row.
    ///
    /// # Errors
    /// A negative or non-finite semi-axis; no row or more than [`MAX_ROWS`].
    pub fn ellipsoid(axes: &[f64]) -> Result<Self, LawError> {
        let zero = vec![0.0; axes.len()];
        let mut set = Self::axis_box(&zero, &zero)?;
        for (row, axis) in axes.iter().enumerate() {
            if !(*axis >= 0.0 && axis.is_finite()) {
                return fail("semi-axis", row, *axis, "it must be a finite number >= 0");
            }
        }
        // A ball has closed forms.
        match axes.iter().all(|axis| *axis == axes[0]) {
            true => set.radius = axes[0],
            false => set.ellipsoids.push(axes.into()),
        }
        set.check_size()?;
        Ok(set)
    }

    /// The convex hull of `vertices`, given row by row; it must contain 0.
    ///
    /// # Errors
    /// A number that is not finite, no vertex or too many, 0 outside the hull.
    pub fn polytope(rows: usize, vertices: &[f64]) -> Result<Self, LawError> {
        let zero = vec![0.0; rows];
        let mut set = Self::axis_box(&zero, &zero)?;
        if let Some(i) = vertices.iter().position(|v| !v.is_finite()) {
            return fail(
                "a vertex",
                i % rows,
                vertices[i],
                "it must be a finite number",
            );
        }
        let count = vertices.len() / rows;
        if vertices.is_empty() || vertices.len() != count * rows || count > MAX_VERTICES {
            return fail(
                "the number of vertices",
                0,
                count as f64,
                "1 to 4096 vertices were expected",
            );
        }
        // 0 inside, as far as rounding of the vertices can tell.
        let size = vertices.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let far = Polytope::new(rows, vertices).and_then(|hull| hull.distance(&zero));
        let far = far.unwrap_or(f64::INFINITY);
        if far > INSIDE * size {
            return fail(
                "the distance of 0 from the polytope",
                0,
                far,
                "0 must be inside: a constraint at rest would have to push",
            );
        }
        // In one row it is an interval.
        if rows == 1 {
            let low = vertices.iter().fold(0.0_f64, |m, v| m.min(*v));
            let high = vertices.iter().fold(0.0_f64, |m, v| m.max(*v));
            return Self::interval(low, high);
        }
        set.vertices = vertices.to_vec();
        set.check_size()?;
        Ok(set)
    }

    /// { r : n·r ≤ b for every half-space }, `sides` holding n and b of each, row by row; it must be bounded and contain
    /// 0. Its vertices are enumerated.
    ///
    /// # Errors
    /// A number that is not finite, a negative bound, a set that is unbounded or has too many vertices.
    pub fn half_spaces(rows: usize, sides: &[f64]) -> Result<Self, LawError> {
        let (mut normals, mut bounds) = (Vec::new(), Vec::new());
        if rows == 0 || rows > MAX_ROWS || sides.is_empty() || !sides.len().is_multiple_of(rows + 1)
        {
            return fail(
                "the number of half-spaces",
                0,
                sides.len() as f64,
                "a normal and a bound each were expected",
            );
        }
        for (k, side) in sides.chunks_exact(rows + 1).enumerate() {
            let (normal, bound) = side.split_at(rows);
            let length = norm(normal);
            if !(length > 0.0 && length.is_finite()) {
                return fail(
                    "the length of the normal of a half-space",
                    k,
                    length,
                    "a finite number > 0 was expected",
                );
            }
            if !(bound[0] >= 0.0 && bound[0].is_finite()) {
                return fail(
                    "the bound of a half-space",
                    k,
                    bound[0],
                    "it must be a finite number >= 0: 0 must be inside",
                );
            }
            normals.extend(normal.iter().map(|x| x / length));
            bounds.push(bound[0] / length);
        }
        // Bounded: no direction along which it recedes.
        let hull = Polyhedron::new(rows, &normals, &bounds);
        let recedes = hull.and_then(|hull| hull.recession_cone().affine_dim());
        if recedes != Ok(Some(0)) {
            return fail(
                "the polytope",
                0,
                f64::INFINITY,
                "half-spaces must bound it on all sides; add { at_least }, { at_most } or \"firm\" by { sum } where a reaction is unbounded",
            );
        }
        Self::polytope(rows, &enumerate_vertices(rows, &normals, &bounds)?)
    }

    /// Vertices of the polytope of this set plus `factor` times another.
    pub(super) fn added_vertices(&self, factor: f64, other: &Self) -> Result<Vec<f64>, LawError> {
        if factor == 0.0 || other.vertices.is_empty() {
            return Ok(self.vertices.clone());
        }
        let d = self.rows();
        let scaled: Vec<f64> = other.vertices.iter().map(|v| factor * v).collect();
        if self.vertices.is_empty() {
            return Ok(scaled);
        }
        // Sums of vertices: their hull is the sum of the hulls.
        let count = self.vertices.len() / d * (scaled.len() / d);
        if count > MAX_VERTICES {
            return fail(
                "the number of vertices of a sum of polytopes",
                0,
                count as f64,
                "at most 4096 were expected",
            );
        }
        let mut sum = Vec::with_capacity(count * d);
        for v in self.vertices.chunks_exact(d) {
            for w in scaled.chunks_exact(d) {
                sum.extend(v.iter().zip(w).map(|(v, w)| v + w));
            }
        }
        Ok(sum)
    }

    /// Ellipsoids of this set and `factor` times those of another; equal shapes are not merged.
    pub(super) fn added_ellipsoids(&self, factor: f64, other: &Self) -> Vec<Box<[f64]>> {
        let mut all = self.ellipsoids.clone();
        if factor > 0.0 {
            let scaled = |axes: &[f64]| axes.iter().map(|a| factor * a).collect();
            all.extend(other.ellipsoids.iter().map(|axes| scaled(axes)));
        }
        all
    }

    /// Refuses sums whose parts do not fit the buffers of the local solve.
    pub(super) fn check_size(&self) -> Result<(), LawError> {
        let size = self.num_parts() * self.rows();
        match self.is_box_and_ball() || size <= MAX_ROWS {
            true => Ok(()),
            false => fail(
                "rows times parts of a sum",
                0,
                size as f64,
                "at most 32 were expected",
            ),
        }
    }
}

/// The vertices of a bounded polytope: solutions of `rows` of its equations that satisfy all others.
fn enumerate_vertices(rows: usize, normals: &[f64], bounds: &[f64]) -> Result<Vec<f64>, LawError> {
    let count = bounds.len();
    let mut combinations = 1.0_f64;
    for i in 0..rows.min(count) {
        combinations *= (count - i) as f64 / (i + 1) as f64;
    }
    if combinations > MAX_COMBINATIONS as f64 {
        return fail(
            "combinations of half-spaces",
            0,
            combinations,
            "at most 200000 were expected; give { vertices }",
        );
    }
    let size = bounds.iter().fold(0.0_f64, |m, b| m.max(*b));
    let mut vertices: Vec<f64> = Vec::new();
    let mut chosen: Vec<usize> = (0..rows).collect();
    loop {
        // Intersection of the chosen sides.
        let mut matrix: Vec<f64> = chosen
            .iter()
            .flat_map(|&k| normals[k * rows..(k + 1) * rows].to_vec())
            .collect();
        let mut x: Vec<f64> = chosen.iter().map(|&k| bounds[k]).collect();
        let regular = small::solve(&mut matrix, rows, &mut x) && norm(&x).is_finite();
        let reach = size.max(norm(&x));
        let inside = regular
            && (0..count)
                .all(|k| dot(&normals[k * rows..(k + 1) * rows], &x) <= bounds[k] + INSIDE * reach);
        let known = vertices.chunks_exact(rows).any(|v| {
            v.iter()
                .zip(&x)
                .all(|(v, x)| (v - x).abs() <= INSIDE * reach)
        });
        if inside && !known {
            vertices.extend_from_slice(&x);
        }
        // Next combination in lexicographic order.
        let Some(i) = (0..rows).rev().find(|&i| chosen[i] < count - rows + i) else {
            break;
        };
        chosen[i] += 1;
        for j in i + 1..rows {
            chosen[j] = chosen[j - 1] + 1;
        }
    }
    Ok(vertices)
}
