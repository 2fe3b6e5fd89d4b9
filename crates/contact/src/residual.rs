//! Residuals of a pair (r, u) of the one-step problem (★); independent of every solver.
//!
//! u is always recomputed from r. With κ_α = d / tr H_α, De Saxcé's shifted velocity Ũ and the velocity scale V_α
//! (see `velocity_scale`),
//!
//! ```text
//! F_α = r_α − proj_K( r_α − κ_α Ũ_α )                       (bilateral rows: F = κ u)
//! RV  = max_α ‖F_α‖ / (κ_α V_α)                             decides
//! R2² = Σ ‖F_α‖²/κ_α / max( Σ ‖r_α‖²/κ_α , Σ κ_α ‖u_α‖² , Σ κ_α ‖b_α‖² )
//! ```
//!
//! RV is the largest velocity defect of a contact. r' = r − F and Ũ' = Ũ − F/κ obey the law exactly, and the
//! velocity of a body with r' differs from that with r by Σ_α Ĝ_αᵀF_α in kinetic coordinates. RV ≤ ε therefore
//! means: the velocities are those of contacts that obey their laws, up to relative velocities of ε V_α at each
//! contact. No impulse stands in a denominator, so self-stress (impulses that cancel each other) cannot hide an
//! error (docs/solve.md).
//!
//! R2 is the square root of a ratio of energies. It changes neither with units nor with the mass scale, but its
//! denominator contains the impulses: self-stress makes it small. R1 is the same natural map with κ = 1, Euclidean
//! norms and the denominator max(‖b‖, ‖r‖, ‖u‖): the measure of the FCLIB problem collection, which depends on
//! units. R1 and R2 are reported for comparison.

use crate::law::{Law, Violations, coulomb2};
use crate::problem::Problem;
use crate::velocity_scale::VelocityScales;

/// Which residual is meant; see the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ResidualMeasure {
    /// RV, the largest velocity defect of a contact over its velocity scale V_α.
    #[default]
    Velocity,
    /// R2, a root of a ratio of energies.
    Dimensionless,
    /// R1, the measure of the FCLIB collection.
    Fclib,
}

/// All residuals of the impulses r, with u = W r + b.
#[derive(Debug, Clone, PartialEq)]
pub struct Residuals {
    /// RV: the largest velocity defect, relative to the velocity scale V_α.
    pub rv: f64,
    /// A bound of ‖v̂ − v̂*‖, the error of the velocities in the kinetic metric, v̂* the solution with the friction
    /// shifts of `r` (with frictionless laws: the solution); see [`ResidualEvaluator::evaluate`].
    pub velocity_error_bound: f64,
    /// R1: the natural map with κ = 1, Euclidean norms.
    pub r1: f64,
    /// R2: the energy ratio, dimensionless.
    pub r2: f64,
    /// The contact with the largest velocity defect; none in an empty problem.
    pub worst: Option<usize>,
    /// R4: violations of the single physical statements, each relative to the scale of the problem.
    pub violations: Violations,
}

impl Residuals {
    /// The residual in the chosen measure.
    pub fn residual(&self, measure: ResidualMeasure) -> f64 {
        match measure {
            ResidualMeasure::Velocity => self.rv,
            ResidualMeasure::Dimensionless => self.r2,
            ResidualMeasure::Fclib => self.r1,
        }
    }
}

/// Evaluates residuals; owns the buffers, so that repeated evaluations do not allocate.
#[derive(Debug, Clone)]
pub struct ResidualEvaluator {
    scratch: Vec<f64>,
    velocity: Vec<f64>,
    natural: Vec<f64>,
    velocity_scales: VelocityScales,
    /// Whether `velocity_scales` belong to the problem that the buffers were sized for.
    measured: bool,
}

/// Sums over contacts of which R1 and R2 are made.
#[derive(Default)]
struct ResidualSums {
    residual: f64,
    impulse: f64,
    velocity: f64,
    free: f64,
}

impl ResidualSums {
    #[inline(always)]
    fn add(&mut self, [residual, impulse, velocity, free]: [f64; 4]) {
        self.residual += residual;
        self.impulse += impulse;
        self.velocity += velocity;
        self.free += free;
    }

    fn ratio(&self) -> f64 {
        let scale = self.impulse.max(self.velocity).max(self.free);
        // Below this square everything is at rest in every measure; like FCLIB, do not divide then.
        if scale <= f64::EPSILON * f64::EPSILON {
            self.residual.sqrt()
        } else {
            (self.residual / scale).sqrt()
        }
    }
}

impl ResidualEvaluator {
    /// Buffers for `problem`.
    pub fn new(problem: &Problem) -> Self {
        let mut evaluator = Self {
            scratch: Vec::new(),
            velocity: Vec::new(),
            natural: Vec::new(),
            velocity_scales: VelocityScales::default(),
            measured: false,
        };
        evaluator.resize_for(problem);
        evaluator
    }

    /// Sizes the buffers for another problem; allocates only if it is larger.
    pub fn resize_for(&mut self, problem: &Problem) {
        // The widest contact sizes the buffer of one natural residual.
        let widest = (0..problem.num_contacts()).map(|a| problem.dim(a)).max();
        self.scratch.resize(problem.scratch_len(), 0.0);
        self.velocity.resize(problem.num_rows(), 0.0);
        self.natural.resize(widest.unwrap_or(0), 0.0);
        self.measured = false;
    }

    /// Computes the velocity scales V_α of `problem` unless they are known.
    fn ensure_velocity_scales(&mut self, problem: &Problem) {
        if !self.measured {
            self.velocity_scales.compute(problem);
            self.measured = true;
        }
    }

    /// u = W r + b of the last evaluation.
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }

    /// The residual of impulses `r` in one measure.
    pub fn residual(&mut self, problem: &Problem, r: &[f64], measure: ResidualMeasure) -> f64 {
        problem.velocity_into(r, &mut self.scratch, &mut self.velocity);
        let velocity = std::mem::take(&mut self.velocity);
        let value = self.residual_of(problem, r, &velocity, measure);
        self.velocity = velocity;
        value
    }

    /// The residual of a pair (r, u); u must be W r + b.
    pub fn residual_of(
        &mut self,
        problem: &Problem,
        r: &[f64],
        u: &[f64],
        measure: ResidualMeasure,
    ) -> f64 {
        if measure == ResidualMeasure::Velocity {
            return self.velocity_residual(problem, r, u).0;
        }
        // R1 and R2: sums of squares over contacts.
        let mut sums = ResidualSums::default();
        for (a, rows) in problem.offset().windows(2).enumerate() {
            let rows = rows[0]..rows[1];
            let b = &problem.free_velocity()[rows.clone()];
            let parts = match (problem.law(a), &r[rows.clone()], &u[rows], b) {
                // Fast path: planar Coulomb contacts.
                (Law::Coulomb { mu }, &[r_n, r_t], &[u_n, u_t], &[b_n, b_t]) => {
                    let kappa = weight(problem, a, measure);
                    planar_contributions(*mu, kappa, [[r_n, r_t], [u_n, u_t], [b_n, b_t]])
                }
                _ => self.contributions(problem, a, r, u, measure),
            };
            sums.add(parts);
        }
        sums.ratio()
    }

    /// All residuals, the worst contact and the violations of impulses `r`.
    ///
    /// The bound of the velocity error: r' = r − F and Ũ − F/κ obey the laws. Let r* solve the convex problem whose
    /// shifts are those of r. The laws are monotone, ⟨r' − r*, Ũ − F/κ − Ũ*⟩ ≤ 0, and with W = ĜĜᵀ
    ///
    /// ```text
    /// ‖v̂' − v̂*‖² ≤ ⟨r' − r*, F/κ − W F⟩,      ‖v̂ − v̂*‖ ≤ 2 ‖ĜᵀF‖ + ( Σ ‖r' − r*‖ ‖F‖/κ )^½
    /// ```
    ///
    /// r* is not known: 3‖r‖ replaces ‖r' − r*‖, which makes this a bound where a solution of that size exists.
    pub fn evaluate(&mut self, problem: &Problem, r: &[f64]) -> Residuals {
        problem.velocity_into(r, &mut self.scratch, &mut self.velocity);
        let u = std::mem::take(&mut self.velocity);
        // R1 and R2.
        let (mut file, mut own) = (ResidualSums::default(), ResidualSums::default());
        for a in 0..problem.num_contacts() {
            file.add(self.contributions(problem, a, r, &u, ResidualMeasure::Fclib));
            own.add(self.contributions(problem, a, r, &u, ResidualMeasure::Dimensionless));
        }
        // RV, the bound of the velocity error, R4.
        let (rv, worst) = self.velocity_residual(problem, r, &u);
        let velocity_error = self.velocity_error_bound(problem, r, &u);
        let gaps = relative_violations(problem, r, &u);
        self.velocity = u;
        Residuals {
            rv,
            velocity_error_bound: velocity_error,
            r1: file.ratio(),
            r2: own.ratio(),
            worst: (problem.num_contacts() > 0).then_some(worst),
            violations: gaps,
        }
    }

    /// RV of each contact of impulses `r`, into `defects`.
    pub fn velocity_defects(&mut self, problem: &Problem, r: &[f64], defects: &mut Vec<f64>) {
        problem.velocity_into(r, &mut self.scratch, &mut self.velocity);
        self.ensure_velocity_scales(problem);
        let (scales, natural) = (self.velocity_scales.get(), &mut self.natural);
        defects.clear();
        let contacts = 0..problem.num_contacts();
        let velocity = &self.velocity;
        defects.extend(contacts.map(|a| velocity_defect(problem, a, r, velocity, scales, natural)));
    }

    /// RV and the contact where it occurs. A defect that is not a number counts as infinite.
    fn velocity_residual(&mut self, problem: &Problem, r: &[f64], u: &[f64]) -> (f64, usize) {
        self.ensure_velocity_scales(problem);
        let (scales, natural) = (self.velocity_scales.get(), &mut self.natural);
        let mut worst = (0.0, 0);
        for a in 0..problem.num_contacts() {
            let defect = velocity_defect(problem, a, r, u, scales, natural);
            if defect > worst.0 {
                worst = (defect, a);
            }
        }
        worst
    }

    /// The bound 2 ‖ĜᵀF‖ + ( 3 Σ ‖r‖ ‖F‖/κ )^½ of the velocity error; see [`ResidualEvaluator::evaluate`].
    fn velocity_error_bound(&mut self, problem: &Problem, r: &[f64], u: &[f64]) -> f64 {
        let mut natural = vec![0.0; r.len()];
        let mut work = 0.0;
        // F of all contacts and Σ ‖r‖ ‖F‖/κ.
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
        let rows = natural
            .iter()
            .zip(changed.iter().zip(problem.free_velocity()));
        let moved: f64 = rows.map(|(f, (u, b))| f * (u - b)).sum();
        2.0 * moved.max(0.0).sqrt() + (3.0 * work).sqrt()
    }

    /// Contribution of one contact to the sums: ‖F‖²/κ, ‖r‖²/κ, κ‖u‖² and κ‖b‖².
    fn contributions(
        &mut self,
        problem: &Problem,
        a: usize,
        r: &[f64],
        u: &[f64],
        measure: ResidualMeasure,
    ) -> [f64; 4] {
        let rows = problem.rows(a);
        let kappa = weight(problem, a, measure);
        let (r, b) = (&r[rows.clone()], &problem.free_velocity()[rows.clone()]);
        let u = &u[rows];
        match (problem.law(a), r, u, b) {
            (Law::Coulomb { mu }, &[r_n, r_t], &[u_n, u_t], &[b_n, b_t]) => {
                planar_contributions(*mu, kappa, [[r_n, r_t], [u_n, u_t], [b_n, b_t]])
            }
            (law, ..) => {
                let f = &mut self.natural[..r.len()];
                law.natural_residual(kappa, r, u, f);
                weighted(kappa, [f, r, u, b])
            }
        }
    }
}

/// ‖F‖/(κ V) of one contact, V_α from `scales`; infinite where it is not a number. With V = 0 any defect is infinitely
/// large.
#[inline(always)]
fn velocity_defect(
    problem: &Problem,
    a: usize,
    r: &[f64],
    u: &[f64],
    scales: &[f64],
    natural: &mut [f64],
) -> f64 {
    let (rows, kappa, scale) = (problem.rows(a), problem.kappa(a), scales[a]);
    let (r, u) = (&r[rows.clone()], &u[rows]);
    let square = match (problem.law(a), r, u) {
        // Fast path: planar Coulomb contacts.
        (Law::Coulomb { mu }, &[r_n, r_t], &[u_n, u_t]) => square(&coulomb2::natural_residual(
            *mu,
            kappa,
            [r_n, r_t],
            [u_n, u_t],
        )),
        (law, ..) => {
            let f = &mut natural[..r.len()];
            law.natural_residual(kappa, r, u, f);
            square(f)
        }
    };
    let defect = match square {
        0.0 => 0.0,
        _ => square.sqrt() / (kappa * scale),
    };
    if defect.is_nan() {
        f64::INFINITY
    } else {
        defect
    }
}

/// As [`ResidualEvaluator::contributions`] for a planar Coulomb contact: (r, u, b).
#[inline(always)]
fn planar_contributions(mu: f64, kappa: f64, [r, u, b]: [[f64; 2]; 3]) -> [f64; 4] {
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

/// κ of a contact in the given measure.
#[inline(always)]
fn weight(problem: &Problem, a: usize, measure: ResidualMeasure) -> f64 {
    match measure {
        ResidualMeasure::Velocity | ResidualMeasure::Dimensionless => problem.kappa(a),
        ResidualMeasure::Fclib => 1.0,
    }
}

/// R4: violations in physical terms, made relative by U = max |b|, R = max |r|, E = Σ κ ‖b‖².
fn relative_violations(problem: &Problem, r: &[f64], u: &[f64]) -> Violations {
    let mut total = Violations::default();
    let mut energy = 0.0;
    // Maxima of the violations, sums of the energies.
    for a in 0..problem.num_contacts() {
        let rows = problem.rows(a);
        energy += problem.kappa(a) * square(&problem.free_velocity()[rows.clone()]);
        let gaps = problem.law(a).violations(&r[rows.clone()], &u[rows]);
        total.normal_velocity_violation = total
            .normal_velocity_violation
            .max(gaps.normal_velocity_violation);
        total.cone_violation = total.cone_violation.max(gaps.cone_violation);
        total.bilateral_violation = total.bilateral_violation.max(gaps.bilateral_violation);
        total.normal_complementarity += gaps.normal_complementarity;
        total.tangential_dissipation_gap += gaps.tangential_dissipation_gap;
    }
    // Make them relative.
    let speed = largest(problem.free_velocity());
    let impulse = largest(r);
    total.normal_velocity_violation = relative(total.normal_velocity_violation, speed);
    total.bilateral_violation = relative(total.bilateral_violation, speed);
    total.cone_violation = relative(total.cone_violation, impulse);
    total.normal_complementarity = relative(total.normal_complementarity, energy);
    total.tangential_dissipation_gap = relative(total.tangential_dissipation_gap, energy);
    total
}

/// value / scale; the value itself where the scale is zero.
fn relative(value: f64, scale: f64) -> f64 {
    if scale > 0.0 { value / scale } else { value }
}

/// ‖x‖²; written out for two entries.
#[inline(always)]
fn square(x: &[f64]) -> f64 {
    match x {
        [a, b] => a * a + b * b,
        _ => x.iter().map(|v| v * v).sum(),
    }
}

/// Largest absolute value.
fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, v| m.max(v.abs()))
}
