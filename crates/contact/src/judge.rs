//! The judge: how far (r, u) is from solving (★), by code that knows no solver.
//!
//! u is always recomputed from r. With κ_α = d / tr H_α and De Saxcé's shifted velocity Ũ,
//!
//! ```text
//! F_α = r_α − proj_K( r_α − κ_α Ũ_α )                       (bilateral rows: F = κ u)
//! R2² = Σ ‖F_α‖²/κ_α / max( Σ ‖r_α‖²/κ_α , Σ κ_α ‖u_α‖² , Σ κ_α ‖b_α‖² )
//! ```
//!
//! R2 is the square root of a ratio of energies: it changes neither with units nor with the mass
//! scale. R1 is the same map with κ = 1, Euclidean norms and the denominator max(‖b‖, ‖r‖, ‖u‖):
//! the measure of the published problem collection, unit-dependent, for comparison only.

use crate::law::{Gaps, Law, coulomb2};
use crate::problem::Problem;

/// Which residual decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Measure {
    /// R2, dimensionless.
    #[default]
    Dimensionless,
    /// R1, the measure of the problem files.
    File,
}

/// The verdict on a pair (r, u).
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// R1: κ = 1, Euclidean.
    pub r1: f64,
    /// R2: dimensionless.
    pub r2: f64,
    /// The contact that contributes most to R2; none in an empty problem.
    pub worst: Option<usize>,
    /// Physical gaps, each relative to the problem's own scale.
    pub gaps: Gaps,
}

impl Judgement {
    /// The residual in the chosen measure.
    pub fn residual(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Dimensionless => self.r2,
            Measure::File => self.r1,
        }
    }
}

/// Holds the buffers a judgement needs, so that judging in a loop allocates nothing.
#[derive(Debug, Clone)]
pub struct Judge {
    scratch: Vec<f64>,
    velocity: Vec<f64>,
    natural: Vec<f64>,
}

/// Sums that make up a residual; the worst contact is tracked on the way.
#[derive(Default)]
struct Sums {
    residual: f64,
    impulse: f64,
    velocity: f64,
    free: f64,
}

impl Sums {
    #[inline(always)]
    fn add(&mut self, [residual, impulse, velocity, free]: [f64; 4]) {
        self.residual += residual;
        self.impulse += impulse;
        self.velocity += velocity;
        self.free += free;
    }

    fn ratio(&self) -> f64 {
        let scale = self.impulse.max(self.velocity).max(self.free);
        // Below this square the whole problem is at rest in every measure; the collection's own
        // rule is not to divide then.
        if scale <= f64::EPSILON * f64::EPSILON {
            self.residual.sqrt()
        } else {
            (self.residual / scale).sqrt()
        }
    }
}

impl Judge {
    /// Buffers for `problem`.
    pub fn new(problem: &Problem) -> Self {
        let mut judge = Self {
            scratch: Vec::new(),
            velocity: Vec::new(),
            natural: Vec::new(),
        };
        judge.fit(problem);
        judge
    }

    /// Sizes the buffers for another problem; allocates only if it is larger.
    pub fn fit(&mut self, problem: &Problem) {
        let widest = (0..problem.num_contacts()).map(|a| problem.dim(a)).max();
        self.scratch.resize(problem.scratch_len(), 0.0);
        self.velocity.resize(problem.num_rows(), 0.0);
        self.natural.resize(widest.unwrap_or(0), 0.0);
    }

    /// u = W r + b of the last judgement.
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }

    /// The residual of impulses `r` in one measure.
    pub fn residual(&mut self, problem: &Problem, r: &[f64], measure: Measure) -> f64 {
        problem.velocity_into(r, &mut self.scratch, &mut self.velocity);
        let velocity = std::mem::take(&mut self.velocity);
        let value = self.residual_of(problem, r, &velocity, measure);
        self.velocity = velocity;
        value
    }

    /// The residual of a pair (r, u) whose u is known to be W r + b.
    pub fn residual_of(
        &mut self,
        problem: &Problem,
        r: &[f64],
        u: &[f64],
        measure: Measure,
    ) -> f64 {
        let mut sums = Sums::default();
        for (a, rows) in problem.offset().windows(2).enumerate() {
            let rows = rows[0]..rows[1];
            let b = &problem.free()[rows.clone()];
            let parts = match (problem.law(a), &r[rows.clone()], &u[rows], b) {
                // Nearly all contacts of the plane.
                (Law::Coulomb { mu }, &[r_n, r_t], &[u_n, u_t], &[b_n, b_t]) => {
                    let kappa = weight(problem, a, measure);
                    flat_parts(*mu, kappa, [[r_n, r_t], [u_n, u_t], [b_n, b_t]])
                }
                _ => self.parts(problem, a, r, u, measure),
            };
            sums.add(parts);
        }
        sums.ratio()
    }

    /// Both residuals, the worst contact and the physical gaps of impulses `r`.
    pub fn judge(&mut self, problem: &Problem, r: &[f64]) -> Judgement {
        problem.velocity_into(r, &mut self.scratch, &mut self.velocity);
        let u = std::mem::take(&mut self.velocity);
        let (mut file, mut own) = (Sums::default(), Sums::default());
        let mut worst = (0, 0.0);
        for a in 0..problem.num_contacts() {
            file.add(self.parts(problem, a, r, &u, Measure::File));
            let parts = self.parts(problem, a, r, &u, Measure::Dimensionless);
            own.add(parts);
            if parts[0] > worst.1 {
                worst = (a, parts[0]);
            }
        }
        let gaps = physical_gaps(problem, r, &u);
        self.velocity = u;
        Judgement {
            r1: file.ratio(),
            r2: own.ratio(),
            worst: (problem.num_contacts() > 0).then_some(worst.0),
            gaps,
        }
    }

    /// What a contact adds to the sums: residual, impulse, velocity and free velocity.
    fn parts(
        &mut self,
        problem: &Problem,
        a: usize,
        r: &[f64],
        u: &[f64],
        measure: Measure,
    ) -> [f64; 4] {
        let rows = problem.rows(a);
        let kappa = weight(problem, a, measure);
        let (r, b) = (&r[rows.clone()], &problem.free()[rows.clone()]);
        let u = &u[rows];
        match (problem.law(a), r, u, b) {
            (Law::Coulomb { mu }, &[r_n, r_t], &[u_n, u_t], &[b_n, b_t]) => {
                flat_parts(*mu, kappa, [[r_n, r_t], [u_n, u_t], [b_n, b_t]])
            }
            (law, ..) => {
                let f = &mut self.natural[..r.len()];
                law.natural_residual(kappa, r, u, f);
                weighted(kappa, [f, r, u, b])
            }
        }
    }
}

/// The same for a contact of the plane with Coulomb's law: (r, u, b).
#[inline(always)]
fn flat_parts(mu: f64, kappa: f64, [r, u, b]: [[f64; 2]; 3]) -> [f64; 4] {
    let f = coulomb2::natural_residual(mu, kappa, r, u);
    weighted(kappa, [&f, &r, &u, &b])
}

/// ‖F‖²/κ, ‖r‖²/κ, κ‖u‖² and κ‖b‖².
#[inline(always)]
fn weighted(kappa: f64, [f, r, u, b]: [&[f64]; 4]) -> [f64; 4] {
    [
        square(f) / kappa,
        square(r) / kappa,
        kappa * square(u),
        kappa * square(b),
    ]
}

/// κ of a contact in a measure.
#[inline(always)]
fn weight(problem: &Problem, a: usize, measure: Measure) -> f64 {
    match measure {
        Measure::Dimensionless => problem.kappa(a),
        Measure::File => 1.0,
    }
}

/// R4: violations in physical terms, made relative by U = max |b|, R = max |r|, E = Σ κ ‖b‖².
fn physical_gaps(problem: &Problem, r: &[f64], u: &[f64]) -> Gaps {
    let mut total = Gaps::default();
    let mut energy = 0.0;
    for a in 0..problem.num_contacts() {
        let rows = problem.rows(a);
        energy += problem.kappa(a) * square(&problem.free()[rows.clone()]);
        let gaps = problem.law(a).gaps(&r[rows.clone()], &u[rows]);
        total.normal_velocity_violation = total
            .normal_velocity_violation
            .max(gaps.normal_velocity_violation);
        total.cone_violation = total.cone_violation.max(gaps.cone_violation);
        total.bilateral_violation = total.bilateral_violation.max(gaps.bilateral_violation);
        total.normal_complementarity += gaps.normal_complementarity;
        total.tangential_dissipation_gap += gaps.tangential_dissipation_gap;
    }
    let speed = largest(problem.free());
    let impulse = largest(r);
    total.normal_velocity_violation = relative(total.normal_velocity_violation, speed);
    total.bilateral_violation = relative(total.bilateral_violation, speed);
    total.cone_violation = relative(total.cone_violation, impulse);
    total.normal_complementarity = relative(total.normal_complementarity, energy);
    total.tangential_dissipation_gap = relative(total.tangential_dissipation_gap, energy);
    total
}

fn relative(value: f64, scale: f64) -> f64 {
    if scale > 0.0 { value / scale } else { value }
}

#[inline(always)]
fn square(x: &[f64]) -> f64 {
    match x {
        [a, b] => a * a + b * b,
        _ => x.iter().map(|v| v * v).sum(),
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, v| m.max(v.abs()))
}
