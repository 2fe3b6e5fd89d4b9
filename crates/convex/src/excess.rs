//! Excess and Hausdorff distance of two closed convex sets (M99 §5).
//!
//! ```text
//! e(A, B) = sup { dist(a, B) : a ∈ A } = sup { σ_A(y) − σ_B(y) : |y| ≤ 1 }                        (M99 20)
//! h(A, B) = max(e(A, B), e(B, A))
//! ```
//!
//! The distance from B is convex, so that its supremum over a bounded polyhedral A is attained at a vertex: points,
//! segments, simplices, boxes and polytopes are exact. Other sets are searched from many directions by the monotone
//! iteration a ← argmax { ⟨y, a⟩ : a ∈ A }, y the normal A(a − p) of B at the nearest point p of a: dist(a, B) never
//! falls, and every start ends at a point where no first-order change increases it. The largest of these is a lower
//! bound of the excess; on two coordinates and smooth sets no case is known where it is not the excess.
//!
//! e is +∞ where a direction along which A recedes leads away from B.

use crate::dense::{dot, sub};
use crate::error::{ConvexError, Result};
use crate::metric::Metric;
use crate::sets::{ConvexSet, Set, Support};

/// Largest number of coordinates for which the corners of a box are listed.
const BOX_COORDINATES: usize = 10;

/// Steps of the search from one start; polyhedra need a few, smooth sets some tens.
const STEPS: usize = 200;

/// An excess e(A, B) with a pair of points that shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Excess {
    /// dist(from, B), the largest found; +∞ where A recedes away from B.
    pub value: f64,
    /// A point of A at this distance from B.
    pub from: Vec<f64>,
    /// Its nearest point in B.
    pub nearest: Vec<f64>,
    /// Whether `value` is the excess itself and not only a lower bound found by search.
    pub exact: bool,
}

impl Excess {
    /// The excess of a set over one that contains it, shown by the point `x`.
    fn none(x: Vec<f64>, exact: bool) -> Self {
        Self {
            value: 0.0,
            nearest: x.clone(),
            from: x,
            exact,
        }
    }
}

/// A set as the search sees it: a maximiser of ⟨y, ·⟩, `None` where it recedes along y.
pub type Maximiser<'a> = &'a mut dyn FnMut(&[f64]) -> Result<Option<Vec<f64>>>;

/// The nearest point of the other set.
pub type Nearest<'a> = &'a mut dyn FnMut(&[f64]) -> Result<Vec<f64>>;

/// The excess e(A, B) in a metric.
///
/// # Errors
/// Sets or metric of different dimensions, or a projection that fails.
pub fn excess(metric: &Metric, a: &Set, b: &Set) -> Result<Excess> {
    let n = a.dim();
    for got in [b.dim(), metric.dim()] {
        if got != n {
            return Err(ConvexError::Dimension {
                what: "set or metric of an excess",
                expected: n,
                got,
            });
        }
    }
    let mut nearest = |x: &[f64]| b.project_in(metric, x);
    // Vertices, where A has finitely many and does not recede.
    if let Some(corners) = vertices(a)? {
        let mut best = Excess::none(vec![0.0; n], true);
        for corner in corners {
            take(metric, &mut best, corner, &mut nearest)?;
        }
        best.exact = true;
        return Ok(best);
    }
    // Directions that have a supporting hyperplane of B: less their part along which B recedes.
    let recession = b.recession_cone();
    let mut starts = Vec::new();
    for y in directions(n) {
        let along = recession.project(&y)?;
        let y = sub(&y, &along);
        if dot(&y, &y) > 1e-20 {
            starts.push(y);
        }
    }
    let mut argmax = |y: &[f64]| {
        Ok(match a.support(y)? {
            Support::Attained { point, .. } => Some(point),
            Support::Unbounded { .. } => None,
        })
    };
    search(metric, &starts, &mut argmax, &mut nearest)
}

/// The Hausdorff distance h(A, B) in a metric.
///
/// # Errors
/// As [`excess`].
pub fn hausdorff(metric: &Metric, a: &Set, b: &Set) -> Result<f64> {
    Ok(excess(metric, a, b)?.value.max(excess(metric, b, a)?.value))
}

/// The largest excess found from the directions `starts`.
///
/// # Errors
/// A maximiser or a projection fails.
pub fn search(
    metric: &Metric,
    starts: &[Vec<f64>],
    argmax: Maximiser<'_>,
    nearest: Nearest<'_>,
) -> Result<Excess> {
    let n = metric.dim();
    let mut best: Option<Excess> = None;
    for start in starts {
        let mut y = start.clone();
        let mut here = Excess::none(vec![0.0; n], false);
        for step in 0..STEPS {
            // A recedes along a normal of B: the distance has no bound.
            let Some(point) = argmax(&y)? else {
                here = Excess {
                    value: f64::INFINITY,
                    ..here
                };
                break;
            };
            let before = here.value;
            if step == 0 {
                here = Excess::none(point.clone(), false);
            }
            take(metric, &mut here, point, nearest)?;
            // No gain beyond rounding: a local maximum, or a point of B.
            if !(here.value > before * (1.0 + 1e-14)) || here.value == 0.0 {
                break;
            }
            metric.apply_into(&sub(&here.from, &here.nearest), &mut y);
        }
        if best.as_ref().is_none_or(|b| here.value > b.value) {
            best = Some(here);
        }
    }
    Ok(best.unwrap_or_else(|| Excess::none(vec![0.0; n], false)))
}

/// Keeps the farther of two points of A.
fn take(metric: &Metric, best: &mut Excess, point: Vec<f64>, nearest: Nearest<'_>) -> Result<()> {
    let p = nearest(&point)?;
    let far = metric.norm(&sub(&point, &p));
    if far > best.value {
        *best = Excess {
            value: far,
            from: point,
            nearest: p,
            exact: best.exact,
        };
    }
    Ok(())
}

/// Directions that cover the sphere: both in one coordinate, 32 in the plane, those to the points of a lattice else.
pub fn directions(n: usize) -> Vec<Vec<f64>> {
    match n {
        0 => Vec::new(),
        1 => vec![vec![1.0], vec![-1.0]],
        2 => (0..32)
            .map(|k| {
                let angle = std::f64::consts::PI * f64::from(k) / 16.0;
                vec![angle.cos(), angle.sin()]
            })
            .collect(),
        3 => {
            let five = || (-2..=2).map(f64::from);
            let all = five().flat_map(|x| five().flat_map(move |y| five().map(move |z| [x, y, z])));
            all.filter(|d| d.iter().any(|v| *v != 0.0))
                .map(|d| d.to_vec())
                .collect()
        }
        // Axes and diagonals of two axes.
        _ => {
            let mut all = Vec::new();
            for i in 0..n {
                for (j, signs) in (i..n).map(|j| (j, [1.0, -1.0])) {
                    for (a, b) in signs.iter().flat_map(|a| signs.map(|b| (*a, b))) {
                        let mut d = vec![0.0; n];
                        d[i] = a;
                        if i != j {
                            d[j] = b;
                        } else if b < 0.0 {
                            continue;
                        }
                        all.push(d);
                    }
                }
            }
            all
        }
    }
}

/// The points whose hull the set is, where they are few and known.
fn vertices(set: &Set) -> Result<Option<Vec<Vec<f64>>>> {
    let n = set.dim();
    let extreme = |y: &[f64]| Ok::<_, ConvexError>(set.support(y)?.point().map(<[f64]>::to_vec));
    Ok(match set {
        Set::Point(_) => extreme(&vec![0.0; n])?.map(|p| vec![p]),
        Set::Segment(segment) => Some(segment.ends().map(<[f64]>::to_vec).to_vec()),
        Set::Polytope(polytope) => Some(polytope.vertices().map(<[f64]>::to_vec).collect()),
        // Total times each axis.
        Set::Simplex(_) => {
            let axes = (0..n).map(|i| {
                let mut y = vec![0.0; n];
                y[i] = 1.0;
                extreme(&y)
            });
            axes.collect::<Result<Option<Vec<_>>>>()?
        }
        Set::AxisBox(_) if n <= BOX_COORDINATES => {
            let corners = (0..1_usize << n).map(|mask| {
                let y: Vec<f64> = (0..n)
                    .map(|i| if mask >> i & 1 == 1 { 1.0 } else { -1.0 })
                    .collect();
                extreme(&y)
            });
            corners.collect::<Result<Option<Vec<_>>>>()?
        }
        _ => None,
    })
}
