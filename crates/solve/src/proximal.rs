//! Proximal Newton: full semismooth steps with a small proximal term, nothing in between.
//!
//! ```text
//! ( A + B (Ŵ + α) ) dx = −F(x, u),      x⁺ = x + dx
//! ```
//!
//! A structure of blocks that slides in many joints at once is nearly isostatic: what sweeps leave behind
//! lies in modes in which bodies move while gaps hardly change, eigenvalues of Ŵ of 1e-4 and less. Sweeps
//! then lose a few per cent of the residual in a hundred. A proximal term well above these eigenvalues only
//! creeps along them; one below 1e-4 changes the status of many contacts at once and wanders. Between the
//! two one value serves; it falls only while every step more than halves the residual, when the contacts have
//! found their status and the rest is a linear system.
//!
//! The iterates are left as they are, outside the cones where Newton's method puts them: that is where
//! it keeps which contacts are about to open or to slide. Projected or swept in between, the same steps
//! do not arrive. What is judged is a projected copy. One iteration is one factorisation.

use contact::Problem;

use crate::goal::{BestIterate, Goal, Outcome, Report, Solver};
use crate::linear::NewtonSystem;
use crate::plane::{PlanarVelocitySystem, PlanarNewton};
use crate::tangent::AlartCurnierJacobian;

/// How it proceeds.
#[derive(Debug, Clone, PartialEq)]
pub struct ProximalNewtonParams {
    /// Largest number of iterations if the goal does not say. Most walls need 5 to 20.
    pub max_iterations: usize,
    /// α, relative to the diagonal of Ŵ, which is about 1.
    pub proximal: f64,
    /// Factor of α after a step that more than halved the residual; any other puts it back.
    pub reduce: f64,
    /// Share of the tolerance down to which a few more steps are worth their time.
    pub target: f64,
}

impl Default for ProximalNewtonParams {
    fn default() -> Self {
        Self {
            max_iterations: 30,
            // 1e-3 to 1e-2 take about as many steps, 3e-2 creeps, 1e-4 wanders.
            proximal: 3e-3,
            reduce: 0.3,
            target: 1.0,
        }
    }
}

/// Times the tolerance: an iterate whose own measure is above this is not judged.
const NEARLY: f64 = 1.5;

/// α never falls below this: dependent contacts must stay factorable.
const LEAST: f64 = 1e-9;

/// Times what the linear model of a step leaves, F = −α B dx: a residual below this says that no contact of weight
/// changed its status, and that the step was short because of α.
const FORESEEN: f64 = 1.5;

/// α is at most this times the root of the residual. Friction is not monotone: along a mode in which Ŵ and the laws
/// together have a negative eigenvalue −λ a step multiplies what is left by α/(α − λ), which grows unless α is
/// well below λ.
const NEARING: f64 = 0.1;

/// Steps beyond the tolerance at most.
const BEYOND: usize = 8;

/// See the module.
#[derive(Debug, Default)]
pub struct ProximalNewton {
    /// How it proceeds.
    pub params: ProximalNewtonParams,
    plane: PlanarVelocitySystem,
    flat: PlanarNewton,
    any: GeneralNewton,
    /// The iterate's copy in the cones.
    inside: Vec<f64>,
}

/// The steps, for whatever can be written with a tangent.
#[derive(Debug, Default)]
struct GeneralNewton {
    system: Option<NewtonSystem>,
    tangent: AlartCurnierJacobian,
    iterate: Vec<f64>,
    /// ‖F‖ that the linear model of the last step leaves.
    expected: f64,
}

impl GeneralNewton {
    fn begin(&mut self, problem: &Problem, impulse: &[f64]) {
        self.system = Some(NewtonSystem::reuse_or_new(self.system.take(), problem));
        self.tangent.fit(problem);
        self.iterate.clear();
        self.iterate.extend_from_slice(impulse);
        self.expected = 0.0;
    }

    /// See [`PlaneNewton::look`].
    fn residual_norm(&mut self, problem: &Problem) -> f64 {
        self.tangent.set(problem, &self.iterate);
        self.tangent.size(&self.iterate)
    }

    /// See [`PlaneNewton::advance`].
    fn advance(&mut self, problem: &Problem, alpha: f64) -> bool {
        let AlartCurnierJacobian {
            root,
            step,
            df_dx,
            df_du,
            ..
        } = &mut self.tangent;
        let system = self.system.as_mut();
        if !system.is_some_and(|system| system.solve(df_dx, df_du, alpha, step)) {
            return false;
        }
        for ((x, step), root) in self.iterate.iter_mut().zip(step).zip(root) {
            *x += *step * *root;
        }
        self.expected = alpha * self.tangent.df_du_step_norm(problem);
        true
    }

    /// Whether the last step did what its linear model said: what is left then is due to α.
    fn as_expected(&self) -> bool {
        self.tangent.norm() <= FORESEEN * self.expected
    }

    fn inside(&self, problem: &Problem, impulse: &mut [f64]) {
        impulse.copy_from_slice(&self.iterate);
        for a in 0..problem.num_contacts() {
            problem.law(a).project(&mut impulse[problem.rows(a)]);
        }
    }
}

impl ProximalNewton {
    /// With the given parameters.
    pub fn new(params: ProximalNewtonParams) -> Self {
        Self {
            params,
            ..Self::default()
        }
    }

    /// The measure of the iterate, from which a step may follow.
    fn look(&mut self, problem: &Problem, flat: bool) -> f64 {
        match flat {
            true => self.flat.residual_norm(&self.plane),
            false => self.any.residual_norm(problem),
        }
    }

    fn advance(&mut self, problem: &Problem, flat: bool, alpha: f64) -> bool {
        match flat {
            true => self.flat.advance(&mut self.plane, alpha),
            false => self.any.advance(problem, alpha),
        }
    }

    fn set_inside(&mut self, problem: &Problem, flat: bool) {
        match flat {
            true => self.flat.inside(&self.plane, &mut self.inside),
            false => self.any.inside(problem, &mut self.inside),
        }
    }
}

impl Solver for ProximalNewton {
    fn name(&self) -> &'static str {
        "proximal"
    }

    fn solve(&mut self, problem: &Problem, impulse: &mut [f64], goal: &Goal) -> Report {
        let mut best = BestIterate::new(problem, impulse, goal);
        let limit = goal.max_iterations.unwrap_or(self.params.max_iterations);
        let limit = limit.min(self.params.max_iterations);
        let flat = self.plane.fit(problem);
        if flat {
            self.flat.begin(&self.plane, impulse);
        } else {
            self.any.begin(problem, impulse);
        }
        self.inside.resize(impulse.len(), 0.0);
        let (mut iterations, mut outcome) = (0, Outcome::Exhausted);
        let (mut alpha, mut last, mut beyond) = (self.params.proximal, f64::INFINITY, 0);
        loop {
            let size = self.look(problem, flat);
            let judged = size <= NEARLY * best.r2_target() || best.keeps_history();
            if iterations > 0 && (judged || iterations == limit) {
                self.set_inside(problem, flat);
                best.offer(problem, &self.inside, iterations);
            }
            if iterations == limit || best.within_fraction(self.params.target) {
                break;
            }
            beyond += usize::from(best.reached());
            if beyond > BEYOND {
                break;
            }
            let foreseen = !flat && self.any.as_expected();
            alpha = if (size <= 0.5 * last || foreseen) && last.is_finite() {
                (self.params.reduce * alpha).max(LEAST)
            } else {
                self.params.proximal
            };
            if !flat {
                alpha = alpha.min(NEARING * size.sqrt()).max(LEAST);
            }
            last = size;
            iterations += 1;
            if !self.advance(problem, flat, alpha) {
                outcome = Outcome::Stalled;
                break;
            }
        }
        best.finish(self.name(), iterations, outcome, impulse)
    }
}
