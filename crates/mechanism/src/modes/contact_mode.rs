//! Contact modes: structure and force sets of a constraint between two events.
//!
//! Rows come as leading *normal* rows (the unilateral row of a contact, the rows of a joint) and *parts* (sliding,
//! rolling, spinning, rows of a non-firm constraint), each with a convex set D of forces scaled by s: the normal
//! reaction of a contact, its magnitude at a joint, 1 otherwise.
//!
//! ```text
//! −U_p ∈ N_{sD}(R_p):    stick   U_p = 0,  R_p ∈ sD
//!                        slide   R_p = s·argmax_{w∈D} (−U_p·w)      maximal dissipation
//! ```
//!
//! A polygon also slides on an edge: U_p normal to it, R_p between its two vertices.

use std::ops::Range;
use std::sync::Arc;

use percuss_contact::Law;
use percuss_contact::law::{NonFirmSet, PolygonSection, Status};
use serde::{Deserialize, Serialize};

/// A convex set of forces that contains 0.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum ForceSet {
    /// One row, −minus ≤ r ≤ plus; bounds may be infinite.
    Interval { plus: f64, minus: f64 },
    /// |r| ≤ radius, two rows or more.
    Disc(f64),
    /// (r1/a)² + (r2/b)² ≤ 1.
    Ellipse([f64; 2]),
    /// A convex polygon.
    Polygon(Arc<PolygonSection>),
}

/// Scale factor s of the force sets of a constraint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SetScale {
    /// s = 1.
    Fixed,
    /// The normal reaction of a contact, never negative.
    Normal,
    /// The magnitude of the reaction of the normal rows of a joint.
    Magnitude,
}

/// Tangential rows with one force set.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FrictionPart {
    pub(crate) rows: Range<usize>,
    /// The set while sliding.
    pub(crate) slide_set: ForceSet,
    /// The set while sticking: larger with a static coefficient.
    pub(crate) stick_set: ForceSet,
}

/// Normal rows and friction parts of one constraint at one state.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConstraintStructure {
    /// Number of leading rows with a bilateral or unilateral equation.
    pub(crate) normal: usize,
    pub(crate) scale: SetScale,
    pub(crate) parts: Vec<FrictionPart>,
}

/// Mode of one part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum PartMode {
    /// Sticks: U = 0.
    Stick,
    /// One row slides with this sign of U.
    SlideSign(f64),
    /// Slides; the unit vector is the last direction of U.
    Slide(Vec<f64>),
    /// Onset of sliding: still slow; the unit vector is the direction of U̇.
    SlideOnset(Vec<f64>),
    /// Slides with the force at a vertex of the polygon.
    Vertex(usize),
    /// Slides with the force on the edge that starts at this vertex.
    Edge(usize),
}

/// Contact mode of one constraint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum ContactMode {
    /// No reaction.
    Open,
    /// Normal rows are closed; `sign` is that of the reaction of a joint with friction, `grips` the modes of the parts.
    Closed { sign: f64, grips: Vec<PartMode> },
}

impl ContactMode {
    /// Open, stick or slip.
    pub(crate) fn status(&self) -> Status {
        match self {
            Self::Open => Status::Open,
            Self::Closed { grips, .. } if grips.iter().all(|g| *g == PartMode::Stick) => {
                Status::Stick
            }
            Self::Closed { .. } => Status::Slip,
        }
    }

    /// Whether it has no reaction.
    pub(crate) fn is_open(&self) -> bool {
        *self == Self::Open
    }
}

impl ConstraintStructure {
    /// The structure of `rows` rows under the laws `slide` and `hold` (for a constraint that slid or stuck before);
    /// `None` for a set with no event-driven form.
    pub(crate) fn new(slide: &Law, hold: &Law, rows: usize) -> Option<Self> {
        let (normal, scale) = match slide {
            Law::Bilateral => (rows, SetScale::Fixed),
            Law::NonFirm(_) => (0, SetScale::Fixed),
            Law::BilateralFriction { normal_rows, .. } => (*normal_rows, SetScale::Magnitude),
            _ => (1, SetScale::Normal),
        };
        // Force sets while sliding and while sticking.
        let sets = sets(slide, rows)?;
        let held = sets_or(hold, rows, &sets);
        let mut parts: Vec<FrictionPart> = Vec::with_capacity(sets.len());
        for ((rows, set), (_, hold)) in sets.into_iter().zip(held) {
            parts.push(FrictionPart {
                rows,
                slide_set: set,
                stick_set: hold,
            });
        }
        Some(Self {
            normal,
            scale,
            parts,
        })
    }
}

/// Sets of the law `hold`, or the others where it has a different structure.
fn sets_or(
    hold: &Law,
    rows: usize,
    otherwise: &[(Range<usize>, ForceSet)],
) -> Vec<(Range<usize>, ForceSet)> {
    match sets(hold, rows) {
        Some(held) if held.len() == otherwise.len() => held,
        _ => otherwise.to_vec(),
    }
}

/// Rows and force sets of the parts of a law.
fn sets(law: &Law, rows: usize) -> Option<Vec<(Range<usize>, ForceSet)>> {
    // A disc in one dimension is an interval.
    let disc = |range: Range<usize>, mu: f64| {
        let set = if range.len() == 1 {
            ForceSet::Interval {
                plus: mu,
                minus: mu,
            }
        } else {
            ForceSet::Disc(mu)
        };
        (range, set)
    };
    // Friction, rolling and spinning parts.
    let parts = match law {
        Law::Frictionless | Law::Bilateral => Vec::new(),
        Law::Coulomb { .. } | Law::StaticDynamic { .. } if rows == 1 => Vec::new(),
        Law::Coulomb { mu } => vec![disc(1..rows, *mu)],
        Law::StaticDynamic { friction, previous } => {
            vec![disc(1..rows, friction.coefficient(*previous))]
        }
        Law::CoulombAsymmetric { plus, minus } => {
            let (plus, minus) = (*plus, *minus);
            vec![(1..2, ForceSet::Interval { plus, minus })]
        }
        Law::CoulombElliptic { mu1, mu2 } => vec![(1..3, ForceSet::Ellipse([*mu1, *mu2]))],
        Law::CoulombPolygon(section) => vec![(1..3, ForceSet::Polygon(section.clone()))],
        Law::Rolling {
            mu,
            mu_roll,
            mu_spin,
        } => {
            let mut parts = vec![disc(1..3, *mu), disc(3..5, *mu_roll)];
            if rows == 6 {
                parts.push(disc(5..6, *mu_spin));
            }
            parts
        }
        Law::RollingPlane { mu, mu_roll } => vec![disc(1..2, *mu), disc(2..3, *mu_roll)],
        Law::BilateralFriction { normal_rows, mu } => vec![disc(*normal_rows..rows, *mu)],
        Law::NonFirm(set) => return nonfirm(set),
    };
    Some(parts)
}

/// Force sets of a non-firm constraint: a box row by row, a ball, or in two rows an ellipse or a polygon; other sums of
/// several rows have no such form.
fn nonfirm(set: &NonFirmSet) -> Option<Vec<(Range<usize>, ForceSet)>> {
    let (lower, upper, radius) = (set.lower(), set.upper(), set.radius());
    let rows = set.rows();
    if !set.is_box_and_ball() {
        return nonfirm_part(set);
    }
    // Independent intervals.
    if rows == 1 || radius == 0.0 {
        let row = |i: usize| {
            let set = ForceSet::Interval {
                plus: upper[i] + radius,
                minus: radius - lower[i],
            };
            (i..i + 1, set)
        };
        return Some((0..rows).map(row).collect());
    }
    // A ball alone.
    let flat = lower.iter().chain(upper).all(|&b| b == 0.0);
    flat.then(|| vec![(0..rows, ForceSet::Disc(radius))])
}

/// The force set of a non-firm constraint with a polytope or an ellipsoid: in two rows an ellipse or a polygon that is
/// the only part.
fn nonfirm_part(set: &NonFirmSet) -> Option<Vec<(Range<usize>, ForceSet)>> {
    let rows = set.rows();
    let ellipsoids: Vec<&[f64]> = set.ellipsoids().collect();
    let flat = set.lower().iter().chain(set.upper()).all(|&b| b == 0.0) && set.radius() == 0.0;
    if rows != 2 || !flat {
        return None;
    }
    match (ellipsoids.as_slice(), set.vertices()) {
        ([axes], []) => Some(vec![(0..2, ForceSet::Ellipse([axes[0], axes[1]]))]),
        ([], corners) => {
            let corners: Vec<[f64; 2]> = corners.chunks_exact(2).map(|v| [v[0], v[1]]).collect();
            let section = PolygonSection::new(&hull(corners)).ok()?;
            Some(vec![(0..2, ForceSet::Polygon(Arc::new(section)))])
        }
        _ => None,
    }
}

/// Vertices of the convex hull of points of the plane, anticlockwise (Andrew's monotone chain).
fn hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let size = points.iter().flatten().fold(0.0_f64, |m, x| m.max(x.abs()));
    let turn = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
        (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    };
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while let [.., a, b] = chain[..]
                && turn(a, b, p) <= 1e-14 * size * size
            {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut all = half(&mut points.iter().copied());
    all.extend(half(&mut points.iter().rev().copied()));
    all
}

impl ForceSet {
    /// Whether it contains no force but 0.
    pub(crate) fn is_zero(&self) -> bool {
        match self {
            Self::Interval { plus, minus } => *plus == 0.0 && *minus == 0.0,
            Self::Disc(radius) => *radius == 0.0,
            Self::Ellipse(axes) => *axes == [0.0; 2],
            Self::Polygon(_) => false,
        }
    }

    /// The set of impulses at an instant: bounded forces give none.
    pub(crate) fn impulsive(&self) -> Self {
        let keep = |b: f64| if b.is_infinite() { b } else { 0.0 };
        match self {
            Self::Interval { plus, minus } => Self::Interval {
                plus: keep(*plus),
                minus: keep(*minus),
            },
            _ => Self::Disc(0.0),
        }
    }

    /// The point of D of maximal dissipation, argmax −u·w. An infinite value says that no force of the set can be
    /// reached by this sliding.
    pub(crate) fn max_dissipation_force(&self, u: &[f64], grip: &PartMode) -> Vec<f64> {
        match (self, grip) {
            (_, PartMode::Stick) => vec![0.0; u.len()],
            (Self::Interval { plus, minus }, PartMode::SlideSign(sign)) => {
                vec![if *sign > 0.0 { -minus } else { *plus }]
            }
            (Self::Disc(radius), _) if norm(u) > 0.0 => scaled(u, -radius / norm(u)),
            (Self::Ellipse(axes), _) => {
                // Support point of the ellipse.
                let length = (axes[0] * u[0]).hypot(axes[1] * u[1]);
                if length == 0.0 {
                    return vec![0.0; 2];
                }
                (0..2).map(|i| -axes[i] * axes[i] * u[i] / length).collect()
            }
            (Self::Polygon(section), PartMode::Vertex(k) | PartMode::Edge(k)) => {
                section.vertices()[*k].to_vec()
            }
            _ => vec![0.0; u.len()],
        }
    }

    /// Distance of the force `f` inside s·D, in units of force; negative outside.
    pub(crate) fn margin(&self, s: f64, f: &[f64]) -> f64 {
        match self {
            Self::Interval { plus, minus } => {
                let bound = |b: f64| if b.is_infinite() { b } else { s * b };
                (bound(*plus) - f[0]).min(f[0] + bound(*minus))
            }
            Self::Disc(radius) => s * radius - norm(f),
            Self::Ellipse(axes) => {
                // Gauge of the ellipse, in units of the shorter axis; an axis of length 0 admits no force.
                let term = |i: usize| if f[i] == 0.0 { 0.0 } else { f[i] / axes[i] };
                let gauge = term(0).hypot(term(1));
                let unit = axes[0].min(axes[1]);
                if gauge.is_finite() {
                    unit * (s - gauge)
                } else {
                    -norm(f)
                }
            }
            Self::Polygon(section) => {
                let v = section.vertices();
                // Smallest distance to an edge.
                let edge = |k: usize| {
                    let (p, n) = (v[k], outward(v, k));
                    n[0] * (s * p[0] - f[0]) + n[1] * (s * p[1] - f[1])
                };
                (0..v.len()).map(edge).fold(f64::INFINITY, f64::min)
            }
        }
    }
}

/// Unit outward normal of edge k of a counter-clockwise polygon.
pub(crate) fn outward(v: &[[f64; 2]], k: usize) -> [f64; 2] {
    let e = along(v, k);
    [e[1], -e[0]]
}

/// Unit vector along edge k.
pub(crate) fn along(v: &[[f64; 2]], k: usize) -> [f64; 2] {
    let (p, q) = (v[k], v[(k + 1) % v.len()]);
    let (x, y) = (q[0] - p[0], q[1] - p[1]);
    let length = x.hypot(y);
    [x / length, y / length]
}

/// Length of edge k.
pub(crate) fn length(v: &[[f64; 2]], k: usize) -> f64 {
    let (p, q) = (v[k], v[(k + 1) % v.len()]);
    (q[0] - p[0]).hypot(q[1] - p[1])
}

pub(crate) fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

pub(crate) fn scaled(x: &[f64], s: f64) -> Vec<f64> {
    x.iter().map(|x| s * x).collect()
}
