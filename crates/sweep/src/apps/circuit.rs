//! A rectifier: source, resistor, inductor and ideal diode in series feed a capacitor with a load.
//!
//! ```text
//! L i̇ = V(t) − R i − v + d,   0 ≤ d ⊥ i ≥ 0        (d: voltage across the blocking diode)
//! C v̇ = i − v/R_load
//! ```
//!
//! With x = (i, v), the energy metric diag(L, C) and K = { i ≥ 0 } this is the perturbed process
//! −dx ∈ N_K(x) + f(t, x) dt, f = −(V − R i − v)/L, −(i − v/R_load)/C.

use super::positive;
use crate::error::Result;
use crate::metric::Metric;
use crate::polyhedron::{ConstraintRows, MovingPolyhedron};
use crate::process::Process;

/// Component values of the circuit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rectifier {
    /// Inductance L.
    pub inductance: f64,
    /// Capacitance C.
    pub capacitance: f64,
    /// Resistance R in series.
    pub resistance: f64,
    /// Resistance of the load.
    pub load: f64,
}

impl Rectifier {
    /// The process for the source V(t) from the state (i, v).
    pub fn process(
        &self,
        t0: f64,
        start: [f64; 2],
        source: impl Fn(f64) -> f64 + Send + 'static,
    ) -> Result<Process<MovingPolyhedron>> {
        positive("inductance", self.inductance)?;
        positive("capacitance", self.capacitance)?;
        positive("load", self.load)?;
        let parts = *self;
        // The diode: −i ≤ 0.
        let rows = ConstraintRows::dense(2, &[-1.0, 0.0])?;
        let set = MovingPolyhedron::new(rows, |_, b| b[0] = 0.0)?.with_rates(|_, b| b[0] = 0.0);
        let metric = Metric::diagonal(&[self.inductance, self.capacitance])?;
        let process = Process::new(set, t0, &start)?.with_metric(metric)?;
        // f = −(voltage across L)/L, −(current into C)/C.
        Ok(process.with_perturbation(move |t, x, f| {
            let drive = source(t) - parts.resistance * x[0] - x[1];
            f[0] = -drive / parts.inductance;
            f[1] = -(x[0] - x[1] / parts.load) / parts.capacitance;
        }))
    }
}
