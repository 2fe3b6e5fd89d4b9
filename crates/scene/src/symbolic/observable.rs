//! Observables of a mechanism: compiled expressions in state, energies, gaps, velocities and forces of constraints.

use percuss_expr::{ExprError, NodeId, Scope};
use percuss_mechanism::{PathSums, StateRef, System, SystemError, painleve};

use super::SymbolicSystem;
use super::unit::Unit;

/// State and forces at which an observable is evaluated.
#[derive(Clone, Copy)]
pub struct Sample<'a> {
    /// Time.
    pub t: f64,
    /// Positions.
    pub q: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Mean force over the step just ended, by constraint and row.
    pub forces: &'a dyn Fn(usize, usize) -> f64,
    /// Sums along the path of a sweeping process; [`PathSums::default`] for a mechanism.
    pub path: PathSums,
}

/// An input of an observable beyond the state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measured {
    pub slot: usize,
    pub what: Quantity,
}

/// The quantity behind such an input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Quantity {
    /// Mean force of a row over the last step, impulse over h.
    Force { constraint: usize, row: usize },
    /// Painlevé's γ of a contact (P15 §3).
    Gamma { constraint: usize },
    /// A sum along the path of a sweeping process.
    Path(PathSum),
}

/// What is summed along the path of a sweeping process.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PathSum {
    Variation,
    Retraction,
    Radius,
}

impl PathSum {
    pub const ALL: [Self; 3] = [Self::Variation, Self::Retraction, Self::Radius];

    /// The name of the observable.
    pub fn name(self) -> &'static str {
        match self {
            Self::Variation => "variation",
            Self::Retraction => "retraction",
            Self::Radius => "prox_radius",
        }
    }

    fn of(self, sums: PathSums) -> f64 {
        match self {
            Self::Variation => sums.variation,
            Self::Retraction => sums.retraction,
            Self::Radius => sums.radius,
        }
    }
}

/// A compiled observable of one system.
#[derive(Debug, Clone)]
pub struct Observable {
    text: String,
    unit: Unit,
    inputs: Vec<f64>,
    measured: Vec<Measured>,
}

impl SymbolicSystem {
    /// Compiles an observable: an expression in t, coordinates, velocities, definitions, parameters,
    /// `kinetic`, `potential`, `energy`, `gap_C`, `normal_speed_C`, `slip_C`, `slip2_C`, `force_C`,
    /// `friction_C`, `friction2_C`, `gamma_C`, where C is the name of a constraint; of a sweeping process also
    /// `variation`, `retraction` and `prox_radius`.
    ///
    /// # Errors
    /// The text cannot be parsed or uses an unknown name.
    pub fn observable(&mut self, text: &str) -> Result<Observable, ExprError> {
        let node = self.model.graph.parse(&self.model.scope, text)?;
        // Only the inputs that occur are evaluated.
        let slots = self.model.graph.inputs_of(node);
        let used = |m: &&Measured| slots.binary_search(&m.slot).is_ok();
        let measured: Vec<Measured> = self.model.measured.iter().filter(used).copied().collect();
        // Inputs: the state, then the slots of measured quantities.
        let last = measured.iter().map(|m| m.slot + 1).max().unwrap_or(0);
        let size = last.max(self.inputs.values.len());
        let label = format!("the observable `{text}`");
        Ok(Observable {
            text: text.to_string(),
            unit: Unit::compile(&self.model.graph, vec![(label, node)]),
            inputs: vec![0.0; size],
            measured,
        })
    }

    /// Names that observables may use.
    pub fn observable_names(&self) -> impl Iterator<Item = &str> {
        let scope: &Scope = &self.model.scope;
        scope.names()
    }
}

impl Observable {
    /// The expression.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its value at a sample of a motion of the system it was made for.
    ///
    /// # Errors
    /// A value that is not finite.
    pub fn evaluate(
        &mut self,
        system: &mut SymbolicSystem,
        sample: &Sample<'_>,
    ) -> Result<f64, SystemError> {
        // Forces of the last step, and γ at the state.
        for i in 0..self.measured.len() {
            let Measured { slot, what } = self.measured[i];
            self.inputs[slot] = match what {
                Quantity::Force { constraint, row } => (sample.forces)(constraint, row),
                Quantity::Gamma { constraint } => {
                    let at = StateRef {
                        t: sample.t,
                        q: sample.q,
                        v: sample.v,
                    };
                    painleve::gamma(system, constraint, at)?
                }
                Quantity::Path(sum) => sum.of(sample.path),
            };
        }
        // The state itself.
        system.inputs.set(sample.t, sample.q, sample.v);
        let state = system.inputs.state();
        self.inputs[..state.len()].copy_from_slice(state);
        Ok(self.unit.run_with(&self.inputs, &system.inputs)?[0])
    }
}

/// The names that observables of a constraint have beyond those of the scene.
pub(super) enum Extra {
    /// An expression.
    Node(NodeId),
    /// Measured along the motion.
    Measured(Quantity),
}

/// The value of an observable that depends on time alone. The motion is given as NaN, which
/// propagates through every expression: one that uses it has no value.
pub fn of_time(
    observable: &mut Observable,
    system: &mut SymbolicSystem,
    t: f64,
) -> Result<f64, SystemError> {
    // NaN for everything that moves.
    let q = vec![f64::NAN; system.configuration_space().num_positions()];
    let v = vec![f64::NAN; system.configuration_space().num_velocities()];
    let sample = Sample {
        t,
        q: &q,
        v: &v,
        forces: &|_, _| f64::NAN,
        path: PathSums {
            variation: f64::NAN,
            retraction: f64::NAN,
            radius: f64::NAN,
        },
    };
    observable.evaluate(system, &sample)
}
