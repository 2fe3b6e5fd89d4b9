//! Map of a contact's friction cone onto a second-order cone, and Nesterov–Todd scaling.
//!
//! ```text
//! a = T x ∈ L,   b = T⁻ᵀ y ∈ L,   L = { a₀ ≥ ‖ā‖ },   x·y = a·b
//! T x = ( w xₙ , t₁ (x₁ − c xₙ) , t₂ x₂ )
//! ```
//!
//! Coulomb: w = μ, t = 1. Asymmetric in the plane: w half the opening of the interval, c its middle. Elliptic:
//! w = √(μ₁μ₂), tᵢ = w/μᵢ. Without friction L is a half-line, and the tangential rows are outside the cone: their
//! impulse is zero. The scaling V is the symmetric map with V b = V⁻¹ a = λ.

use percuss_contact::law::Law;

/// A vector of the second-order cone; entries beyond its size are zero.
pub(super) type ConeVector = [f64; 3];

/// Admissible impulses of a contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum AdmissibleSet {
    /// A second-order cone over some rows; the other rows carry no impulse.
    Cone(ConeMap),
    /// All impulses (bilateral): u = 0.
    Free,
}

/// The map T.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ConeMap {
    /// Rows of the contact that the cone contains.
    rows: [usize; 3],
    /// Number of these rows.
    pub size: usize,
    w: f64,
    c: f64,
    t: [f64; 2],
}

impl AdmissibleSet {
    /// Admissible impulses of a law; `None` if they are not a second-order cone.
    pub fn of(law: &Law, d: usize) -> Option<Self> {
        let cone = match law {
            Law::Bilateral => return Some(Self::Free),
            Law::Frictionless => ConeMap::line(),
            Law::Coulomb { mu } => ConeMap::disc(*mu, d),
            Law::StaticDynamic { friction, previous } => {
                ConeMap::disc(friction.coefficient(*previous), d)
            }
            Law::CoulombAsymmetric { plus, minus } => ConeMap {
                c: 0.5 * (plus - minus),
                ..ConeMap::disc(0.5 * (plus + minus), d)
            },
            Law::CoulombElliptic { mu1, mu2 } => ConeMap::ellipse(*mu1, *mu2),
            _ => return None,
        };
        Some(Self::Cone(cone))
    }
}

impl ConeMap {
    fn line() -> Self {
        Self {
            rows: [0, 1, 2],
            size: 1,
            w: 1.0,
            c: 0.0,
            t: [1.0; 2],
        }
    }

    fn disc(mu: f64, d: usize) -> Self {
        // Without friction the cone is a half-line.
        if mu > 0.0 && d > 1 {
            Self {
                size: d,
                w: mu,
                ..Self::line()
            }
        } else {
            Self::line()
        }
    }

    fn ellipse(mu1: f64, mu2: f64) -> Self {
        // A disc of the mean coefficient after scaling the axes.
        let mean = (mu1 * mu2).sqrt();
        if mean > 0.0 {
            let t = [mean / mu1, mean / mu2];
            return Self {
                t,
                ..Self::disc(mean, 3)
            };
        }
        // Friction along one axis or none.
        let rows = if mu1 > 0.0 { [0, 1, 2] } else { [0, 2, 1] };
        Self {
            rows,
            ..Self::disc(mu1.max(mu2), 2)
        }
    }

    /// Rows of the contact that the cone contains.
    pub fn rows(&self) -> &[usize] {
        &self.rows[..self.size]
    }

    /// a = T x, x by row of the contact.
    pub fn image(&self, x: &[f64]) -> ConeVector {
        let mut a = [self.w * x[0], 0.0, 0.0];
        for i in 1..self.size {
            a[i] = self.t[i - 1] * (x[self.rows[i]] - self.c * x[0]);
        }
        a
    }

    /// x = T⁻¹ a; rows outside the cone get zero.
    pub fn preimage(&self, a: &ConeVector, x: &mut [f64]) {
        x.fill(0.0);
        x[0] = a[0] / self.w;
        for i in 1..self.size {
            x[self.rows[i]] = a[i] / self.t[i - 1] + self.c * x[0];
        }
    }

    /// y = Tᵀ b in the order of the cone's rows.
    pub fn transpose(&self, b: &ConeVector) -> ConeVector {
        let mut y = [self.w * b[0], 0.0, 0.0];
        for i in 1..self.size {
            y[i] = self.t[i - 1] * b[i];
            y[0] -= self.c * y[i];
        }
        y
    }

    /// b = T⁻ᵀ y, y in the order of the cone's rows.
    pub fn inverse_transpose(&self, y: &ConeVector) -> ConeVector {
        let mut b = [y[0], 0.0, 0.0];
        for i in 1..self.size {
            b[i] = y[i] / self.t[i - 1];
            b[0] += self.c * y[i];
        }
        b[0] /= self.w;
        b
    }

    /// De Saxcé's shift of the velocity u, smoothed over the speed `eps`, and its gradient with
    /// respect to the tangential rows of the cone (entry 0 is unused).
    pub fn shift(&self, u: &[f64], eps: f64) -> (f64, ConeVector) {
        // w (√(‖u_t‖² + ε²) − ε), the smoothed support function, and the shift of an asymmetric interval.
        let mut square = eps * eps;
        for i in 1..self.size {
            square += (u[self.rows[i]] / self.t[i - 1]).powi(2);
        }
        let length = square.sqrt();
        let mut shift = if self.size > 1 {
            self.w * (length - eps)
        } else {
            0.0
        };
        // Gradient, and the linear part of an asymmetric interval.
        let mut slope = [0.0; 3];
        for i in 1..self.size {
            let ui = u[self.rows[i]];
            slope[i] =
                self.w * ui / (self.t[i - 1].powi(2) * length.max(f64::MIN_POSITIVE)) - self.c;
            shift -= self.c * ui;
        }
        (shift, slope)
    }

    /// Tᵀ Θ T in the order of the cone's rows, Θ = V⁻².
    pub fn metric(&self, scaling: &NesterovToddScaling) -> [ConeVector; 3] {
        // Columns Tᵀ V⁻² T e_j.
        let mut columns = [[0.0; 3]; 3];
        let mut x = [0.0; 3];
        for (j, column) in columns.iter_mut().enumerate().take(self.size) {
            x[self.rows[j]] = 1.0;
            let a = self.image(&x);
            x[self.rows[j]] = 0.0;
            *column = self.transpose(&scaling.divide(&scaling.divide(&a)));
        }
        columns
    }
}

/// a₀² − ‖ā‖² without cancellation of the squares.
fn det(a: &ConeVector) -> f64 {
    let tail = a[1].hypot(a[2]);
    (a[0] - tail) * (a[0] + tail)
}

/// x∘y, the Jordan product of the second-order cone.
pub(super) fn jordan_product(x: &ConeVector, y: &ConeVector) -> ConeVector {
    [
        x[0] * y[0] + x[1] * y[1] + x[2] * y[2],
        x[0] * y[1] + y[0] * x[1],
        x[0] * y[2] + y[0] * x[2],
    ]
}

/// z with x∘z = y (division in the Jordan algebra).
pub(super) fn jordan_quotient(x: &ConeVector, y: &ConeVector) -> ConeVector {
    let first = (x[0] * y[0] - x[1] * y[1] - x[2] * y[2]) / det(x);
    [
        first,
        (y[1] - first * x[1]) / x[0],
        (y[2] - first * x[2]) / x[0],
    ]
}

/// Largest α with a + α da in the cone; infinite if there is no bound.
pub(super) fn max_step(a: &ConeVector, da: &ConeVector) -> f64 {
    // Coefficients of det(a + α da).
    let square = det(da);
    let half = a[0] * da[0] - a[1] * da[1] - a[2] * da[2];
    let rest = det(a);
    let root = half * half - square * rest;
    // Roots of square α² + 2 half α + rest: the smallest positive one, by the stable formula.
    let mut alpha = f64::INFINITY;
    if root >= 0.0 {
        let s = -half - half.signum() * root.sqrt();
        for candidate in [rest / s, s / square] {
            if candidate > 0.0 && candidate < alpha {
                alpha = candidate;
            }
        }
    }
    // The first component must stay positive.
    if da[0] < 0.0 {
        alpha = alpha.min(-a[0] / da[0]);
    }
    alpha
}

/// The Nesterov–Todd scaling V of a pair (a, b) inside the cone.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct NesterovToddScaling {
    point: ConeVector,
    eta: f64,
    /// λ = V b = V⁻¹ a.
    pub lambda: ConeVector,
}

impl NesterovToddScaling {
    /// `None` when rounding has put a or b on the boundary.
    pub fn new(a: &ConeVector, b: &ConeVector) -> Option<Self> {
        let (da, db) = (det(a), det(b));
        if !(da > 0.0 && db > 0.0 && a[0] > 0.0 && b[0] > 0.0) {
            return None;
        }
        // Scaling point of the normalised vectors, and the ratio of their determinants.
        let (da, db) = (da.sqrt(), db.sqrt());
        let cosine = (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / (da * db);
        let gamma = (0.5 * (1.0 + cosine)).sqrt();
        let half = 0.5 / gamma;
        let mut scaling = Self {
            point: [
                half * (a[0] / da + b[0] / db),
                half * (a[1] / da - b[1] / db),
                half * (a[2] / da - b[2] / db),
            ],
            eta: (da / db).sqrt(),
            lambda: [0.0; 3],
        };
        scaling.lambda = scaling.multiply(b);
        Some(scaling)
    }

    /// V z.
    pub fn multiply(&self, z: &ConeVector) -> ConeVector {
        self.apply(z, 1.0, self.eta)
    }

    /// V⁻¹ z.
    pub fn divide(&self, z: &ConeVector) -> ConeVector {
        self.apply(z, -1.0, 1.0 / self.eta)
    }

    fn apply(&self, z: &ConeVector, sign: f64, eta: f64) -> ConeVector {
        let [w0, w1, w2] = self.point;
        let along = w1 * z[1] + w2 * z[2];
        let tail = sign * z[0] + along / (1.0 + w0);
        [
            eta * (w0 * z[0] + sign * along),
            eta * (z[1] + w1 * tail),
            eta * (z[2] + w2 * tail),
        ]
    }
}

/// b = T⁻ᵀ(u + g eₙ) with its scaling, if the eigenvalues of a∘b stay within a factor 100 of γ. It removes the
/// difference between y and u + g eₙ that the curvature of g has caused.
pub(super) fn refit(
    cone: &ConeMap,
    a: &ConeVector,
    u: &[f64],
    shift: f64,
    gap: f64,
) -> Option<(ConeVector, NesterovToddScaling)> {
    // y = u + g eₙ, mapped into the cone.
    let mut y = [u[0] + shift, 0.0, 0.0];
    for (i, &row) in cone.rows().iter().enumerate().skip(1) {
        y[i] = u[row];
    }
    let b = cone.inverse_transpose(&y);
    let scaling = NesterovToddScaling::new(a, &b)?;
    let [first, x, y] = scaling.lambda;
    let tail = x.hypot(y);
    let (low, high) = ((first - tail).powi(2), (first + tail).powi(2));
    (low > 0.01 * gap && high < 100.0 * gap).then_some((b, scaling))
}
