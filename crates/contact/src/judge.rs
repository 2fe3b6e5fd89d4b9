//! The judge: how far (r, u) is from solving (★), by code that knows no solver.
//!
//! u is always recomputed from r. With κ_α = d / tr H_α, De Saxcé's shifted velocity Ũ and V_α the speed at
//! stake (see `speed`),
//!
//! ```text
//! F_α = r_α − proj_K( r_α − κ_α Ũ_α )                       (bilateral rows: F = κ u)
//! RV  = max_α ‖F_α‖ / (κ_α V_α)                             decides
//! R2² = Σ ‖F_α‖²/κ_α / max( Σ ‖r_α‖²/κ_α , Σ κ_α ‖u_α‖² , Σ κ_α ‖b_α‖² )
//! ```
//!
//! RV is the largest velocity defect of a contact. r' = r − F and Ũ' = Ũ − F/κ obey the law exactly, and the
//! velocity of a body with r' differs from that with r by Σ_α Ĝ_αᵀF_α in kinetic coordinates. RV ≤ ε
//! says: the velocities are those of contacts that obey their laws, but for relative velocities of ε V_α at each of
//! them. No impulse stands in a denominator, so that impulses that cancel each other hide nothing (docs/solve.md).
//!
//! R2 is the square root of a ratio of energies. It changes neither with units nor with the mass scale, but divides
//! by the impulses: self-stress makes it small. R1 is the same map with κ = 1, Euclidean norms and the
//! denominator max(‖b‖, ‖r‖, ‖u‖): the measure of the published problem collection, unit-dependent. Both
//! are reported for comparison.

use crate::law::{Gaps, Law, coulomb2};
use crate::problem::Problem;
use crate::speed::Speeds;

/// A residual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Measure {
    /// RV, the largest velocity defect of a contact over the speed at stake.
    #[default]
    Velocity,
    /// R2, dimensionless.
    Dimensionless,
    /// R1, the measure of the problem files.
    File,
}

/// The verdict on a pair (r, u).
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// RV: the largest velocity defect, relative to the speed at stake.
    pub rv: f64,
    /// A bound of ‖v̂ − v̂*‖, the error of the velocities in the kinetic metric, v̂* the solution with the friction
    /// shifts of `r` (for one contact law without friction: the solution): see [`Judge::judge`].
    pub velocity_error: f64,
    /// R1: κ = 1, Euclidean.
    pub r1: f64,
    /// R2: dimensionless.
    pub r2: f64,
    /// The contact with the largest velocity defect; none in an empty problem.
    pub worst: Option<usize>,
    /// Physical gaps, each relative to the problem's own scale.
    pub gaps: Gaps,
}

impl Judgement {
    /// The residual in the chosen measure.
    pub fn residual(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Velocity => self.rv,
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
    speeds: Speeds,
    /// Whether the speeds are those of the problem that the buffers were sized for.
    measured: bool,
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
            speeds: Speeds::default(),
            measured: false,
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
        self.measured = false;
    }

    /// Has the speeds at stake of `problem` ready.
    fn measure_speeds(&mut self, problem: &Problem) {
        if !self.measured {
            self.speeds.compute(problem);
            self.measured = true;
        }
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
        if measure == Measure::Velocity {
            return self.velocity_residual(problem, r, u).0;
        }
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

    /// All residuals, the worst contact and the physical gaps of impulses `r`.
    ///
    /// The error of the velocities: r' = r − F and Ũ − F/κ obey the laws. Let r* solve the convex problem whose
    /// shifts are those of r. The laws are monotone, ⟨r' − r*, Ũ − F/κ − Ũ*⟩ ≤ 0, and with W = ĜĜᵀ
    ///
    /// ```text
    /// ‖v̂' − v̂*‖² ≤ ⟨r' − r*, F/κ − W F⟩,      ‖v̂ − v̂*‖ ≤ 2 ‖ĜᵀF‖ + ( Σ ‖r' − r*‖ ‖F‖/κ )^½
    /// ```
    ///
    /// r* is not known: 3‖r‖ stands for ‖r' − r*‖, which makes this a bound where a solution of that size exists.
    pub fn judge(&mut self, problem: &Problem, r: &[f64]) -> Judgement {
        problem.velocity_into(r, &mut self.scratch, &mut self.velocity);
        let u = std::mem::take(&mut self.velocity);
        let (mut file, mut own) = (Sums::default(), Sums::default());
        for a in 0..problem.num_contacts() {
            file.add(self.parts(problem, a, r, &u, Measure::File));
            own.add(self.parts(problem, a, r, &u, Measure::Dimensionless));
        }
        let (rv, worst) = self.velocity_residual(problem, r, &u);
        let velocity_error = self.velocity_error(problem, r, &u);
        let gaps = physical_gaps(problem, r, &u);
        self.velocity = u;
        Judgement {
            rv,
            velocity_error,
            r1: file.ratio(),
            r2: own.ratio(),
            worst: (problem.num_contacts() > 0).then_some(worst),
            gaps,
        }
    }

    /// RV and the contact where it is found. A defect that is not a number is the largest.
    fn velocity_residual(&mut self, problem: &Problem, r: &[f64], u: &[f64]) -> (f64, usize) {
        self.measure_speeds(problem);
        let Self {
            natural, speeds, ..
        } = self;
        let mut worst = (0.0, 0);
        for (a, rows) in problem.offset().windows(2).enumerate() {
            let (kappa, speed) = (problem.kappa(a), speeds.get()[a]);
            let (r, u) = (&r[rows[0]..rows[1]], &u[rows[0]..rows[1]]);
            let square = match (problem.law(a), r, u) {
                // Nearly all contacts of the plane.
                (Law::Coulomb { mu }, &[r_n, r_t], &[u_n, u_t]) => square(
                    &coulomb2::natural_residual(*mu, kappa, [r_n, r_t], [u_n, u_t]),
                ),
                (law, ..) => {
                    let f = &mut natural[..r.len()];
                    law.natural_residual(kappa, r, u, f);
                    square(f)
                }
            };
            // Where nothing is at stake any defect is infinite.
            let defect = match square {
                0.0 => 0.0,
                _ => square.sqrt() / (kappa * speed),
            };
            if !(defect <= worst.0) {
                worst = (
                    if defect.is_nan() {
                        f64::INFINITY
                    } else {
                        defect
                    },
                    a,
                );
            }
        }
        worst
    }

    /// 2 ‖ĜᵀF‖ + ( 3 Σ ‖r‖ ‖F‖/κ )^½.
    fn velocity_error(&mut self, problem: &Problem, r: &[f64], u: &[f64]) -> f64 {
        let mut natural = vec![0.0; r.len()];
        let mut work = 0.0;
        for a in 0..problem.num_contacts() {
            let (rows, kappa) = (problem.rows(a), problem.kappa(a));
            let f = &mut natural[rows.clone()];
            problem
                .law(a)
                .natural_residual(kappa, &r[rows.clone()], &u[rows.clone()], f);
            work += (square(&r[rows]) * square(f)).sqrt() / kappa;
        }
        // F·W F = ‖ĜᵀF‖².
        let mut changed = vec![0.0; r.len()];
        problem.velocity_into(&natural, &mut self.scratch, &mut changed);
        let rows = natural.iter().zip(changed.iter().zip(problem.free()));
        let moved: f64 = rows.map(|(f, (u, b))| f * (u - b)).sum();
        2.0 * moved.max(0.0).sqrt() + (3.0 * work).sqrt()
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
        Measure::Velocity | Measure::Dimensionless => problem.kappa(a),
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
