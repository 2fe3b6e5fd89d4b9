//! Tessellation of shapes: polygons and lines in body axes.
//!
//! Polygons, polyhedra, chains and meshes are exact. Round shapes have their vertices on the surface, N of them
//! around: the tessellation lies inside, by at most r (1 - cos(pi/N)), for spheres by r (1 - cos(pi/N)^2).

use std::f64::consts::{PI, TAU};

use crate::body_tables::RecordedShape;
use crate::frame::BodyState;

/// A shape as polygons and lines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Surface {
    /// Vertices.
    pub points: Vec<[f64; 3]>,
    /// Open polylines.
    pub lines: Vec<Vec<usize>>,
    /// Faces, anticlockwise seen from outside.
    pub polys: Vec<Vec<usize>>,
}

/// Fineness of the tessellation of round shapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tessellation {
    /// Vertices around capsules and cylinders, and around round parts of compounds.
    pub around: usize,
    /// Whether discs and spheres are tessellated, too; otherwise they are points with a radius.
    pub balls: bool,
    /// Whether the shapes are of the plane.
    pub flat: bool,
}

impl Surface {
    /// Tessellates a shape; unbounded half-planes and half-spaces give nothing here.
    pub fn of(outline: &RecordedShape, fineness: Tessellation) -> Self {
        let mut surface = Self::default();
        surface.add(outline, fineness, true);
        surface
    }

    fn add(&mut self, outline: &RecordedShape, fine: Tessellation, alone: bool) {
        let n = fine.around;
        match outline {
            RecordedShape::Round { .. } if alone && !fine.balls => {}
            RecordedShape::Round { radius } if fine.flat => self.flat_round(0.0, *radius, n),
            RecordedShape::Round { radius } => self.round(0.0, *radius, n),
            RecordedShape::Capsule {
                half_length,
                radius,
                ..
            } if fine.flat => self.flat_round(*half_length, *radius, n),
            RecordedShape::Capsule {
                half_length,
                radius,
                ..
            } => self.round(*half_length, *radius, n),
            RecordedShape::Cylinder {
                half_length,
                radius,
            } => self.cylinder(*half_length, *radius, n),
            RecordedShape::Polygon(vertices) => {
                let corners = vertices.iter().map(|v| [v[0], v[1], 0.0]).collect();
                let all = (0..vertices.len()).collect();
                self.push(corners, Vec::new(), vec![all]);
            }
            RecordedShape::Chain { vertices, closed } => {
                let corners: Vec<_> = vertices.iter().map(|v| [v[0], v[1], 0.0]).collect();
                let all = (0..corners.len()).chain(closed.then_some(0));
                self.push(corners, vec![all.collect()], Vec::new());
            }
            RecordedShape::Polyhedron(faces) | RecordedShape::Mesh(faces) => {
                let polys = faces.faces.iter();
                let polys = polys.map(|face| face.iter().map(|k| *k as usize).collect());
                self.push(faces.vertices.clone(), Vec::new(), polys.collect());
            }
            RecordedShape::Compound(members) => {
                // Each part in its own axes, then moved to the axes of the compound.
                for member in members {
                    let first = self.points.len();
                    self.add(&member.shape, fine, false);
                    let place = BodyState::at([0.0; 3], 0.0).of_part(member);
                    for point in &mut self.points[first..] {
                        *point = place.to_space(*point);
                    }
                }
            }
            RecordedShape::HalfPlane | RecordedShape::HalfSpace => {}
        }
    }

    fn push(&mut self, points: Vec<[f64; 3]>, lines: Vec<Vec<usize>>, polys: Vec<Vec<usize>>) {
        let first = self.points.len();
        let moved = |cell: Vec<usize>| cell.into_iter().map(|k| first + k).collect();
        self.points.extend(points);
        self.lines.extend(lines.into_iter().map(moved));
        self.polys.extend(polys.into_iter().map(moved));
    }

    /// A disc, or a plane capsule: two half discs at the ends of a segment along x.
    fn flat_round(&mut self, half_length: f64, radius: f64, n: usize) {
        let half = n.div_ceil(2);
        let (count, steps) = match half_length > 0.0 {
            true => (2 * (half + 1), half),
            false => (n, n),
        };
        // Half discs one after the other, or the full circle.
        let corner = |k: usize| {
            let (shift, angle) = match half_length > 0.0 {
                true if k <= half => (half_length, PI * (k as f64 / steps as f64 - 0.5)),
                true => {
                    let j = k - half - 1;
                    (-half_length, PI * (j as f64 / steps as f64 + 0.5))
                }
                false => (0.0, TAU * k as f64 / n as f64),
            };
            [shift + radius * angle.cos(), radius * angle.sin(), 0.0]
        };
        self.push(
            (0..count).map(corner).collect(),
            Vec::new(),
            vec![(0..count).collect()],
        );
    }

    /// A sphere, or a capsule: two hemispheres at the ends of a segment along z, as rings from the south pole.
    fn round(&mut self, half_length: f64, radius: f64, n: usize) {
        let rings = n.div_ceil(2).max(2);
        let mut heights = Vec::new();
        for k in 1..rings {
            let (sin, cos) = (PI * (k as f64 / rings as f64 - 0.5)).sin_cos();
            let (z, r) = (radius * sin, radius * cos);
            // Where the hemispheres meet the cylinder there is a ring on either side.
            let middle = 2 * k == rings;
            match half_length > 0.0 {
                true if middle => heights.extend([(-half_length, radius), (half_length, radius)]),
                true => heights.push((z + half_length.copysign(z), r)),
                false => heights.push((z, r)),
            }
        }
        let top = half_length + radius;
        self.lathe(&heights, Some((-top, top)), n);
    }

    fn cylinder(&mut self, half_length: f64, radius: f64, n: usize) {
        self.lathe(&[(-half_length, radius), (half_length, radius)], None, n);
    }

    /// Surface of revolution: rings about z with these heights and radii from below, closed by poles or by polygons.
    fn lathe(&mut self, rings: &[(f64, f64)], poles: Option<(f64, f64)>, n: usize) {
        let mut points = Vec::with_capacity(rings.len() * n + 2);
        // Vertices of the rings.
        for (z, r) in rings {
            points.extend((0..n).map(|k| {
                let (sin, cos) = (TAU * k as f64 / n as f64).sin_cos();
                [r * cos, r * sin, *z]
            }));
        }
        let mut polys = Vec::new();
        // Quadrilaterals between neighbouring rings.
        for ring in 1..rings.len() {
            let (low, high) = ((ring - 1) * n, ring * n);
            polys.extend((0..n).map(|k| {
                let next = (k + 1) % n;
                vec![low + k, low + next, high + next, high + k]
            }));
        }
        let last = rings.len().saturating_sub(1) * n;
        // Closed by triangles at the poles, or by end polygons; all faces anticlockwise from outside.
        match poles {
            Some((south, north)) => {
                let (s, t) = (points.len(), points.len() + 1);
                points.extend([[0.0, 0.0, south], [0.0, 0.0, north]]);
                polys.extend((0..n).map(|k| vec![s, (k + 1) % n, k]));
                polys.extend((0..n).map(|k| vec![t, last + k, last + (k + 1) % n]));
            }
            None => {
                polys.push((0..n).rev().collect());
                polys.push((last..last + n).collect());
            }
        }
        self.push(points, Vec::new(), polys);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body_tables::ShapePart;

    fn fine(around: usize, flat: bool) -> Tessellation {
        Tessellation {
            around,
            balls: true,
            flat,
        }
    }

    /// Volume inside the faces by the divergence theorem, V = sum of (a · b × c)/6 over triangles:
    /// positive only if all faces are seen anticlockwise from outside.
    fn volume(surface: &Surface) -> f64 {
        let mut sum = 0.0;
        for face in &surface.polys {
            for k in 2..face.len() {
                let [a, b, c] = [face[0], face[k - 1], face[k]].map(|i| surface.points[i]);
                sum += a[0] * (b[1] * c[2] - b[2] * c[1])
                    + a[1] * (b[2] * c[0] - b[0] * c[2])
                    + a[2] * (b[0] * c[1] - b[1] * c[0]);
            }
        }
        sum / 6.0
    }

    /// Every edge belongs to two faces that run through it in opposite directions.
    fn closed(surface: &Surface) -> bool {
        let mut edges = std::collections::HashMap::new();
        for face in &surface.polys {
            for k in 0..face.len() {
                *edges
                    .entry((face[k], face[(k + 1) % face.len()]))
                    .or_insert(0) += 1;
            }
        }
        edges
            .iter()
            .all(|((a, b), n)| *n == 1 && edges.get(&(*b, *a)) == Some(&1))
    }

    #[test]
    fn round_solids_are_closed_and_fill_their_volume() {
        let (h, r) = (0.7, 0.4);
        let ball = 4.0 / 3.0 * PI * r * r * r;
        let pipe = PI * r * r * 2.0 * h;
        let capsule = RecordedShape::Capsule {
            half_length: h,
            radius: r,
            along: [0.0, 0.0, 1.0],
        };
        let cylinder = RecordedShape::Cylinder {
            half_length: h,
            radius: r,
        };
        let cases = [
            (RecordedShape::Round { radius: r }, ball),
            (capsule, ball + pipe),
            (cylinder, pipe),
        ];
        for (outline, expected) in cases {
            for n in [3, 4, 5, 16, 17] {
                let surface = Surface::of(&outline, fine(n, false));
                assert!(closed(&surface), "{outline:?} with {n}");
                assert!(volume(&surface) > 0.0 && volume(&surface) < expected);
            }
            // An inscribed n-gon lacks 2π²/3n² of its circle, a meridian in n/2 chords another π²/n²
            // of its ball. The next terms are smaller by about (2π/n)² = 0.0024.
            let n = 128;
            let missing = 1.0 - volume(&Surface::of(&outline, fine(n, false))) / expected;
            let round = if expected == pipe {
                0.0
            } else {
                ball / expected
            };
            let leading = PI * PI * (2.0 / 3.0 + round) / (n * n) as f64;
            assert!(
                (missing / leading - 1.0).abs() < 0.01,
                "{outline:?}: {missing}"
            );
        }
    }

    #[test]
    fn flat_shapes_are_one_polygon_with_their_area() {
        let (h, r) = (0.7, 0.4);
        let area = |surface: &Surface| {
            let face = &surface.polys[0];
            let cross = |k: usize| {
                let [a, b] = [face[k], face[(k + 1) % face.len()]].map(|i| surface.points[i]);
                a[0] * b[1] - a[1] * b[0]
            };
            0.5 * (0..face.len()).map(cross).sum::<f64>()
        };
        let capsule = RecordedShape::Capsule {
            half_length: h,
            radius: r,
            along: [1.0, 0.0, 0.0],
        };
        let n = 256;
        let disc = area(&Surface::of(
            &RecordedShape::Round { radius: r },
            fine(n, true),
        ));
        // A regular polygon of n corners exactly.
        let exact = 0.5 * n as f64 * r * r * (TAU / n as f64).sin();
        assert!((disc - exact).abs() < 1e-12, "{disc}");
        let pill = area(&Surface::of(&capsule, fine(n, true)));
        assert!((pill - (exact + 4.0 * h * r)).abs() < 1e-12, "{pill}");
        // Spheres are left to glyphs by default.
        let plain = Tessellation {
            balls: false,
            ..fine(16, true)
        };
        let none = Surface::of(&RecordedShape::Round { radius: r }, plain);
        assert_eq!(none, Surface::default());
    }

    #[test]
    fn parts_of_compounds_are_where_they_belong() {
        let half = 0.5_f64.sqrt();
        let square = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [0.0, 2.0]];
        let compound = RecordedShape::Compound(vec![ShapePart {
            shape: RecordedShape::Polygon(square),
            position: [5.0, 6.0, 0.0],
            // A quarter turn about z.
            rotation: [half, 0.0, 0.0, half],
        }]);
        let surface = Surface::of(&compound, fine(8, true));
        let expected = [[5.0, 6.0], [5.0, 7.0], [3.0, 7.0], [3.0, 6.0]];
        for (point, expected) in surface.points.iter().zip(expected) {
            // A rotation of numbers of order 1 by a rounded quaternion.
            assert!((point[0] - expected[0]).abs() + (point[1] - expected[1]).abs() < 1e-14);
        }
    }
}
