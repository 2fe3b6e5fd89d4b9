//! Admissible impulses of one contact as a conic constraint.
//!
//! ```text
//! S = B x,     F x + c ∈ C        C: products of half-lines and second-order cones
//! ```
//!
//! A sticking contact may have any impulse of its cone, a sliding one only those that oppose
//! its velocity, S_t = −μ S_n u_t/|u_t| (M88 12.2), an open one none, a joint any.
//! The forms are scaled so that F x is a distance from the boundary, whatever the friction.

use percuss_contact::law::Law;

use crate::error::StaticsError;

/// Friction coefficients above this count as infinite: S_t is free where S_n > 0.
pub const INFINITE_FRICTION: f64 = 1e6;

/// State of a contact: the face of its cone that contains its impulse.
#[derive(Debug, Clone, PartialEq)]
pub enum Face {
    /// Open: S = 0.
    Open,
    /// Sticking: any impulse of its cone.
    Stick,
    /// Sliding: S_i = S_n d_i in the rows that have an entry; the others (a rolling moment
    /// of a contact that slides without rolling) may be anywhere in their section. Row 0 is the normal and
    /// its entry is not read.
    Slip(Vec<Option<f64>>),
}

/// Kind of the cone of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ConeKind {
    /// Every form ≥ 0.
    NonNegative,
    /// Second-order cone: the first form is at least the norm of the others.
    SecondOrder,
}

/// An affine form a·x + c.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AffineForm {
    pub a: Vec<f64>,
    pub c: f64,
}

/// Forms whose values lie in one cone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConeBlock {
    pub kind: ConeKind,
    pub forms: Vec<AffineForm>,
}

/// The admissible impulses of one contact: S = B x, F x + c ∈ C.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ImpulseDomain {
    /// Rows of the contact.
    pub rows: usize,
    /// Number of unknowns.
    pub unknowns: usize,
    /// B, rows × unknowns, row-major.
    pub basis: Vec<f64>,
    pub blocks: Vec<ConeBlock>,
    /// ‖x‖ is at most this times S_n; infinite where S_n bounds nothing.
    pub reach: f64,
}

impl ImpulseDomain {
    /// The domain of a contact with its law, in a given state.
    pub fn new(contact: usize, law: &Law, rows: usize, face: &Face) -> Result<Self, StaticsError> {
        match face {
            Face::Open => Ok(Self::nothing(rows)),
            Face::Slip(tied) if law.normal() => Self::cone(contact, law, rows, tied),
            Face::Slip(_) | Face::Stick => Self::cone(contact, law, rows, &[]),
        }
    }

    /// S = 0.
    pub fn nothing(rows: usize) -> Self {
        Self {
            rows,
            unknowns: 0,
            basis: Vec::new(),
            blocks: Vec::new(),
            reach: 0.0,
        }
    }

    /// All admissible impulses of a law; rows with an entry in `tied` are that multiple of S_n.
    fn cone(
        contact: usize,
        law: &Law,
        rows: usize,
        tied: &[Option<f64>],
    ) -> Result<Self, StaticsError> {
        let refused = || StaticsError::Law {
            contact,
            law: law.name(),
        };
        // One builder call per part of the section.
        let mut cone = DomainBuilder::new(rows, tied);
        match law {
            Law::Frictionless => cone.normal(),
            Law::Coulomb { mu } => cone.disc(1, rows - 1, *mu),
            Law::StaticDynamic { friction, previous } => {
                cone.disc(1, rows - 1, friction.coefficient(*previous));
            }
            Law::CoulombAsymmetric { .. } if cone.tied(1, 1) => cone.normal(),
            Law::CoulombElliptic { .. } | Law::CoulombPolygon(_) if cone.tied(1, 2) => {
                cone.normal();
            }
            Law::CoulombAsymmetric { plus, minus } => {
                cone.half(*plus, &[(1, -1.0)]);
                cone.half(*minus, &[(1, 1.0)]);
                cone.reach += plus.max(*minus).powi(2);
                cone.normal();
            }
            Law::CoulombElliptic { mu1, mu2 } => cone.ellipse(*mu1, *mu2),
            Law::CoulombPolygon(section) => cone.polygon(section.vertices()),
            Law::Rolling {
                mu,
                mu_roll,
                mu_spin,
            } => {
                cone.disc(1, 2, *mu);
                cone.disc(3, 2, *mu_roll);
                if rows == 6 {
                    cone.disc(5, 1, *mu_spin);
                }
            }
            Law::RollingPlane { mu, mu_roll } => {
                cone.disc(1, 1, *mu);
                cone.disc(2, 1, *mu_roll);
            }
            Law::Bilateral => cone.reach = f64::INFINITY,
            Law::NonFirm(_) | Law::BilateralFriction { .. } => return Err(refused()),
        }
        Ok(cone.domain())
    }

    /// The same with the section of the cone taken at a given N instead of S_n: forms take
    /// N + β (S_n − N) in place of S_n, so that sliding dilates by the share β of normality.
    pub fn fixed_section(mut self, normal: f64, beta: f64) -> Self {
        if self.reach == f64::INFINITY {
            return self;
        }
        let mut tangential = false;
        // Replace a S_n by a (1 − β) N + a β S_n in every form with a tangential part.
        for block in &mut self.blocks {
            let disc = block.kind == ConeKind::SecondOrder;
            for form in &mut block.forms {
                let Some((a, others)) = form.a.split_first_mut() else {
                    continue;
                };
                if *a != 0.0 && (disc || others.iter().any(|entry| *entry != 0.0)) {
                    tangential = true;
                    form.c += *a * (1.0 - beta) * normal;
                    *a *= beta;
                }
            }
        }
        // Without S_n in the other forms, S_n ≥ 0 needs its own.
        if tangential {
            let mut a = vec![0.0; self.unknowns];
            a[0] = 1.0;
            self.blocks.push(positive(vec![a]));
        }
        self
    }

    /// Unknowns x of an impulse S: every unknown equals one row.
    pub fn unknowns_of(&self, rows: &[f64]) -> Vec<f64> {
        let own = |k: usize| {
            let row = (0..self.rows).find(|row| {
                let entries = &self.basis[row * self.unknowns..(row + 1) * self.unknowns];
                (0..self.unknowns).all(|j| entries[j] == if j == k { 1.0 } else { 0.0 })
            });
            row.map_or(0.0, |row| rows[row])
        };
        (0..self.unknowns).map(own).collect()
    }

    /// S = B x.
    pub fn expand(&self, x: &[f64], rows: &mut [f64]) {
        for (i, row) in rows.iter_mut().enumerate() {
            *row = (0..self.unknowns)
                .map(|k| self.basis[i * self.unknowns + k] * x[k])
                .sum();
        }
    }

    /// Violation of F x + c ∈ C: the largest over the blocks.
    pub fn cone_violation(&self, x: &[f64]) -> f64 {
        let value = |form: &AffineForm| form.c + dot(&form.a, x);
        let mut worst = 0.0_f64;
        for block in &self.blocks {
            match block.kind {
                ConeKind::NonNegative => {
                    for form in &block.forms {
                        worst = worst.max(-value(form));
                    }
                }
                // Norm of the tail minus the head.
                ConeKind::SecondOrder => {
                    let mut forms = block.forms.iter().map(value);
                    let head = forms.next().unwrap_or(0.0);
                    let tail = forms.map(|v| v * v).sum::<f64>().sqrt();
                    worst = worst.max(tail - head);
                }
            }
        }
        worst
    }
}

/// Scalar product.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A block of homogeneous forms ≥ 0.
fn positive(forms: Vec<Vec<f64>>) -> ConeBlock {
    ConeBlock {
        kind: ConeKind::NonNegative,
        forms: forms
            .into_iter()
            .map(|a| AffineForm { a, c: 0.0 })
            .collect(),
    }
}

/// Collects the blocks of a domain.
struct DomainBuilder {
    rows: usize,
    /// Rows that are a fixed multiple of S_n (0 included).
    held: Vec<Option<f64>>,
    blocks: Vec<ConeBlock>,
    /// Square of the bound of ‖S‖/S_n.
    reach: f64,
    /// Whether S_n bounds ‖S‖.
    bounded: bool,
}

impl DomainBuilder {
    /// A builder with the tied rows held.
    fn new(rows: usize, tied: &[Option<f64>]) -> Self {
        let entry = |row: usize| tied.get(row).copied().flatten().filter(|_| row > 0);
        let held: Vec<Option<f64>> = (0..rows).map(entry).collect();
        Self {
            rows,
            reach: 1.0 + held.iter().flatten().map(|d| d * d).sum::<f64>(),
            held,
            blocks: Vec::new(),
            bounded: true,
        }
    }

    /// Whether all these rows are held.
    fn tied(&self, first: usize, count: usize) -> bool {
        count > 0 && self.held[first..first + count].iter().all(Option::is_some)
    }

    /// A form with one entry.
    fn unit(&self, row: usize, value: f64) -> Vec<f64> {
        let mut a = vec![0.0; self.rows];
        a[row] = value;
        a
    }

    /// S_n ≥ 0.
    fn normal(&mut self) {
        let a = self.unit(0, 1.0);
        self.blocks.push(positive(vec![a]));
    }

    /// bound · S_n + Σ entries ≥ 0.
    fn half(&mut self, bound: f64, entries: &[(usize, f64)]) {
        let mut a = self.unit(0, bound);
        for (row, value) in entries {
            a[*row] = *value;
        }
        // Unit length: the form is a distance.
        let norm = dot(&a, &a).sqrt();
        a.iter_mut().for_each(|entry| *entry /= norm);
        self.blocks.push(positive(vec![a]));
    }

    /// Disc: ‖S over these rows‖ ≤ mu S_n.
    fn disc(&mut self, first: usize, count: usize, mu: f64) {
        // Degenerate discs: held rows, radius zero, infinite friction, one row.
        if self.tied(first, count) {
            return self.normal();
        }
        self.reach += mu * mu;
        if count == 0 || mu == 0.0 {
            (first..first + count).for_each(|row| self.held[row] = Some(0.0));
            return self.normal();
        }
        if mu >= INFINITE_FRICTION {
            self.bounded = false;
            return self.normal();
        }
        if count == 1 {
            self.half(mu, &[(first, 1.0)]);
            return self.half(mu, &[(first, -1.0)]);
        }
        // Cosine of the cone's half-angle: the form is a distance.
        let scale = 1.0 / (1.0 + mu * mu).sqrt();
        let mut forms = vec![self.unit(0, mu * scale)];
        forms.extend((first..first + count).map(|row| self.unit(row, scale)));
        self.second_order(forms);
    }

    /// Elliptic section.
    fn ellipse(&mut self, mu1: f64, mu2: f64) {
        let most = mu1.max(mu2);
        self.reach += most * most;
        if most >= INFINITE_FRICTION {
            self.bounded = false;
        }
        // S_n ≥ |(S_i/mu_i)|; an axis of length zero is held.
        let mut forms = vec![self.unit(0, 1.0)];
        for (row, mu) in [(1, mu1), (2, mu2)] {
            if mu == 0.0 {
                self.held[row] = Some(0.0);
            } else {
                forms.push(self.unit(row, 1.0 / mu));
            }
        }
        // Scale by the smaller semi-axis, so that the form measures the distance from the boundary.
        let scale = mu1.min(mu2).clamp(1e-3, 1.0);
        for form in &mut forms {
            form.iter_mut().for_each(|entry| *entry *= scale);
        }
        self.second_order(forms);
    }

    /// Polygonal section: one half-plane per edge.
    fn polygon(&mut self, vertices: &[[f64; 2]]) {
        for (k, v) in vertices.iter().enumerate() {
            let w = vertices[(k + 1) % vertices.len()];
            let outward = [w[1] - v[1], v[0] - w[0]];
            let bound = outward[0] * v[0] + outward[1] * v[1];
            self.half(bound, &[(1, -outward[0]), (2, -outward[1])]);
            self.reach = self.reach.max(1.0 + v[0] * v[0] + v[1] * v[1]);
        }
        self.normal();
    }

    /// Appends a second-order cone.
    fn second_order(&mut self, forms: Vec<Vec<f64>>) {
        self.blocks.push(ConeBlock {
            kind: ConeKind::SecondOrder,
            forms: forms
                .into_iter()
                .map(|a| AffineForm { a, c: 0.0 })
                .collect(),
        });
    }

    /// Eliminates the held rows in favour of the normal, which is the first unknown.
    fn domain(self) -> ImpulseDomain {
        // Unknowns: the rows that are not held.
        let kept: Vec<usize> = (0..self.rows)
            .filter(|row| self.held[*row].is_none())
            .collect();
        let unknowns = kept.len();
        let mut basis = vec![0.0; self.rows * unknowns];
        for (k, row) in kept.iter().enumerate() {
            basis[row * unknowns + k] = 1.0;
        }
        // Held rows are multiples of the normal.
        for (row, tie) in self.held.iter().enumerate() {
            if let Some(tie) = tie {
                basis[row * unknowns] = *tie;
            }
        }
        // Restrict the forms to the remaining unknowns.
        let mut blocks = self.blocks;
        for form in blocks.iter_mut().flat_map(|block| &mut block.forms) {
            form.a = kept.iter().map(|row| form.a[*row]).collect();
        }
        let reach = match self.bounded {
            true => self.reach.sqrt(),
            false => f64::INFINITY,
        };
        ImpulseDomain {
            rows: self.rows,
            unknowns,
            basis,
            blocks,
            reach,
        }
    }
}
