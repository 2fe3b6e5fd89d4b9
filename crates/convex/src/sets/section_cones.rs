//! Friction cones over a disc, an ellipse, an interval or a product of discs.

use super::{
    ConvexSet, HalfSpace, PolarCone, PolyhedralCone, Scale, Set, Support, cone_support,
    methods_of_cones,
};
use crate::cone::{project_circular, project_elliptic, project_interval, project_rolling};
use crate::conic::{ConeKind, ConicForm};
use crate::error::{ConvexError, Result, check_len, check_non_negative};

/// Section D of the cone.
#[derive(Debug, Clone, PartialEq)]
enum Section {
    Disc { dim: usize, mu: f64 },
    Ellipse { mu1: f64, mu2: f64 },
    Interval { plus: f64, minus: f64 },
}

/// The friction cone { (n, t) : n ≥ 0, t ∈ n D } with D a disc, an ellipse or an interval. With an interval it is a
/// polyhedral cone of the plane.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondOrderCone {
    section: Section,
}

impl SecondOrderCone {
    /// |t| ≤ mu n in R^dim, dim ≥ 1.
    pub fn circular(dim: usize, mu: f64) -> Result<Self> {
        if dim == 0 {
            return Err(ConvexError::NoElement {
                what: "coordinates of the cone",
            });
        }
        check_non_negative("cone coefficient mu", mu)?;
        Ok(Self {
            section: Section::Disc { dim, mu },
        })
    }

    /// (t1/mu1)² + (t2/mu2)² ≤ n² in R³; a zero coefficient forces its component to zero.
    pub fn elliptic(mu1: f64, mu2: f64) -> Result<Self> {
        check_non_negative("cone coefficient mu1", mu1)?;
        check_non_negative("cone coefficient mu2", mu2)?;
        Ok(Self {
            section: Section::Ellipse { mu1, mu2 },
        })
    }

    /// −minus n ≤ t ≤ plus n in R² (M88 §13).
    pub fn interval(plus: f64, minus: f64) -> Result<Self> {
        check_non_negative("cone coefficient mu_plus", plus)?;
        check_non_negative("cone coefficient mu_minus", minus)?;
        Ok(Self {
            section: Section::Interval { plus, minus },
        })
    }
}

impl ConvexSet for SecondOrderCone {
    fn dim(&self) -> usize {
        match self.section {
            Section::Disc { dim, .. } => dim,
            Section::Ellipse { .. } => 3,
            Section::Interval { .. } => 2,
        }
    }
    fn affine_dim(&self) -> Result<Option<usize>> {
        Ok(Some(match self.section {
            Section::Disc { dim, mu } if mu > 0.0 => dim,
            Section::Disc { .. } => 1,
            Section::Ellipse { mu1, mu2 } => 1 + usize::from(mu1 > 0.0) + usize::from(mu2 > 0.0),
            Section::Interval { plus, minus } => 1 + usize::from(plus + minus > 0.0),
        }))
    }
    fn project(&self, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        let mut p = z.to_vec();
        match self.section {
            Section::Disc { mu, .. } => project_circular(&mut p, mu),
            Section::Ellipse { mu1, mu2 } => project_elliptic(&mut p, mu1, mu2),
            Section::Interval { plus, minus } => project_interval(&mut p, plus, minus),
        }
        Ok(p)
    }
    fn conic_form(&self) -> ConicForm {
        let n = self.dim();
        let mut form = ConicForm::whole(n, 0);
        // Widths of the section along the tangential axes.
        let widths = match self.section {
            Section::Disc { mu, .. } => vec![mu; n - 1],
            Section::Ellipse { mu1, mu2 } => vec![mu1, mu2],
            Section::Interval { plus, minus } => {
                form.push(ConeKind::NonNegative, &[plus, -1.0], &[0.0]);
                form.push(ConeKind::NonNegative, &[minus, 1.0], &[0.0]);
                form.push_axis(ConeKind::NonNegative, 0, 1.0, 0.0);
                return form;
            }
        };
        // Second-order block, with equations for zero widths.
        push_cone(&mut form, 1, &widths);
        form
    }
    methods_of_cones!();
    fn polar(&self) -> Option<Set> {
        // Polar of a cone over a disc or an ellipse: minus the cone with inverse coefficients.
        let normal = |n: usize| (0..n).map(|i| f64::from(i == 0)).collect::<Vec<_>>();
        let below = |cone: SecondOrderCone| Scale::new(cone.into(), -1.0).ok().map(Set::from);
        let rows = |rows: &[f64], n: usize| {
            PolyhedralCone::from_inequalities(n, rows)
                .ok()
                .map(Set::from)
        };
        match self.section {
            Section::Disc { dim, mu } if mu > 0.0 && dim > 1 => {
                below(Self::circular(dim, 1.0 / mu).ok()?)
            }
            Section::Disc { dim, .. } => HalfSpace::new(&normal(dim), 0.0).ok().map(Set::from),
            Section::Ellipse { mu1, mu2 } if mu1 > 0.0 && mu2 > 0.0 => {
                below(Self::elliptic(1.0 / mu1, 1.0 / mu2).ok()?)
            }
            // n ± mu1 t1 ± mu2 t2 ≤ 0 with at least one coefficient zero.
            Section::Ellipse { mu1, mu2 } => rows(&[1.0, mu1, mu2, 1.0, -mu1, -mu2], 3),
            Section::Interval { plus, minus } => rows(&[1.0, plus, 1.0, -minus], 2),
        }
    }
}

/// Appends |(t_i/width_i)| ≤ n on the columns first.., with equations where a width vanishes.
fn push_cone(form: &mut ConicForm, first: usize, widths: &[f64]) {
    let n = form.columns();
    let widest = widths.iter().fold(0.0_f64, |m, &w| m.max(w));
    if widest == 0.0 {
        form.push_axis(ConeKind::NonNegative, 0, 1.0, 0.0);
    }
    // |(t_i · widest/width_i)| ≤ widest · n: entries of order one for a disc.
    let mut rows = vec![0.0; n];
    rows[0] = widest;
    for (i, &w) in widths.iter().enumerate() {
        if w == 0.0 {
            form.push_axis(ConeKind::Zero, first + i, 1.0, 0.0);
        } else {
            let mut row = vec![0.0; n];
            row[first + i] = widest / w;
            rows.extend(row);
        }
    }
    if widest > 0.0 {
        let count = rows.len() / n;
        form.push(ConeKind::SecondOrder, &rows, &vec![0.0; count]);
    }
}

/// { (n, x_1, x_2, …) : |x_i| ≤ radius_i n }: friction with rolling and spinning resistance
/// (M99 §7.2).
#[derive(Debug, Clone, PartialEq)]
pub struct RollingCone {
    radii: Vec<f64>,
    sizes: Vec<usize>,
}

impl RollingCone {
    /// One radius ≥ 0 and one size ≥ 1 per block.
    pub fn new(radii: &[f64], sizes: &[usize]) -> Result<Self> {
        check_len("block sizes", sizes.len(), radii.len())?;
        for &r in radii {
            check_non_negative("rolling cone radius", r)?;
        }
        if sizes.contains(&0) {
            return Err(ConvexError::Invalid {
                what: "block size",
                value: 0.0,
                expected: "at least 1",
            });
        }
        Ok(Self {
            radii: radii.to_vec(),
            sizes: sizes.to_vec(),
        })
    }
}

impl ConvexSet for RollingCone {
    fn dim(&self) -> usize {
        1 + self.sizes.iter().sum::<usize>()
    }
    fn affine_dim(&self) -> Result<Option<usize>> {
        let blocks = self.radii.iter().zip(&self.sizes);
        Ok(Some(
            1 + blocks
                .filter(|(r, _)| **r > 0.0)
                .map(|(_, s)| s)
                .sum::<usize>(),
        ))
    }
    fn project(&self, z: &[f64]) -> Result<Vec<f64>> {
        self.check(z)?;
        let mut p = z.to_vec();
        project_rolling(&mut p, &self.radii, &self.sizes);
        Ok(p)
    }
    fn conic_form(&self) -> ConicForm {
        let mut form = ConicForm::whole(self.dim(), 0);
        // One second-order cone per block, all with the same normal.
        let mut first = 1;
        for (&r, &size) in self.radii.iter().zip(&self.sizes) {
            push_cone(&mut form, first, &vec![r; size]);
            first += size;
        }
        form.push_axis(ConeKind::NonNegative, 0, 1.0, 0.0);
        form
    }
    methods_of_cones!();
    /// { n + Σ radius_i |x_i| ≤ 0 }.
    fn polar(&self) -> Option<Set> {
        PolarCone::new(self.clone().into()).ok().map(Set::from)
    }
}
