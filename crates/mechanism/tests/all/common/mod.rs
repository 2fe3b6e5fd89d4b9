//! Systems given by closures, and runs of the event-driven integrator.

use percuss_contact::law::Status;
use percuss_contact::{Law, Restitution};
use percuss_mechanism::{
    ConfigurationSpace, Constraint, ConstraintKind, Event, EventDriven, EventKind, Integrator,
    Scheme, Settings, State, StateRef, System, SystemError,
};

type Dynamics = Box<dyn Fn(f64, &[f64], &[f64], &mut [f64], &mut [f64])>;
type Gaps = Box<dyn Fn(f64, &[f64], &mut [f64])>;
type Rows = Box<dyn Fn(usize, f64, &[f64], &mut [f64], &mut [f64])>;
type Bias = Box<dyn Fn(usize, f64, &[f64], &[f64], &mut [f64])>;
type Potential = Box<dyn Fn(f64, &[f64]) -> f64>;
type Laws = Box<dyn Fn(usize, StateRef<'_>, f64, Status) -> Law>;

/// A system given by closures.
pub struct Model {
    pub chart: ConfigurationSpace,
    pub constraints: Vec<Constraint>,
    pub dynamics: Dynamics,
    pub potential: Potential,
    pub gaps: Gaps,
    pub rows: Rows,
    pub bias: Bias,
    pub law: Laws,
    pub restitution: Box<dyn Fn(usize) -> f64>,
}

impl Model {
    /// `n` lengths of unit mass with a force, no constraint.
    pub fn new(n: usize, force: impl Fn(f64, &[f64], &[f64], &mut [f64]) + 'static) -> Self {
        Self {
            chart: ConfigurationSpace::euclidean(n),
            constraints: Vec::new(),
            dynamics: Box::new(move |t, q, v, mass, k| {
                mass.fill(0.0);
                (0..n).for_each(|i| mass[i * n + i] = 1.0);
                force(t, q, v, k);
            }),
            potential: Box::new(|_, _| 0.0),
            gaps: Box::new(|_, _, _| {}),
            rows: Box::new(|_, _, _, _, _| {}),
            bias: Box::new(|_, _, _, _, bias| bias.fill(0.0)),
            law: Box::new(|_, _, _, _| Law::Frictionless),
            restitution: Box::new(|_| 0.0),
        }
    }

    pub fn constraint(mut self, name: &str, kind: ConstraintKind, rows: usize) -> Self {
        self.constraints.push(Constraint::new(name, kind, rows));
        self
    }

    pub fn dynamics(
        mut self,
        f: impl Fn(f64, &[f64], &[f64], &mut [f64], &mut [f64]) + 'static,
    ) -> Self {
        self.dynamics = Box::new(f);
        self
    }

    pub fn chart(mut self, chart: ConfigurationSpace) -> Self {
        self.chart = chart;
        self
    }

    pub fn potential(mut self, f: impl Fn(f64, &[f64]) -> f64 + 'static) -> Self {
        self.potential = Box::new(f);
        self
    }

    pub fn gaps(mut self, f: impl Fn(f64, &[f64], &mut [f64]) + 'static) -> Self {
        self.gaps = Box::new(f);
        self
    }

    pub fn rows(
        mut self,
        f: impl Fn(usize, f64, &[f64], &mut [f64], &mut [f64]) + 'static,
    ) -> Self {
        self.rows = Box::new(f);
        self
    }

    pub fn bias(mut self, f: impl Fn(usize, f64, &[f64], &[f64], &mut [f64]) + 'static) -> Self {
        self.bias = Box::new(f);
        self
    }

    pub fn law(mut self, f: impl Fn(usize, StateRef<'_>, f64, Status) -> Law + 'static) -> Self {
        self.law = Box::new(f);
        self
    }

    pub fn restitution(mut self, f: impl Fn(usize) -> f64 + 'static) -> Self {
        self.restitution = Box::new(f);
        self
    }
}

impl System for Model {
    fn configuration_space(&self) -> &ConfigurationSpace {
        &self.chart
    }
    fn position_name(&self, i: usize) -> String {
        format!("q{i}")
    }
    fn velocity_name(&self, i: usize) -> String {
        format!("v{i}")
    }
    fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }
    fn dynamics(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        mass: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), SystemError> {
        (self.dynamics)(t, q, v, mass, force);
        Ok(())
    }
    fn potential(&mut self, t: f64, q: &[f64]) -> Result<f64, SystemError> {
        Ok((self.potential)(t, q))
    }
    fn gaps(&mut self, t: f64, q: &[f64], gaps: &mut [f64]) -> Result<(), SystemError> {
        (self.gaps)(t, q, gaps);
        Ok(())
    }
    fn rows(
        &mut self,
        c: usize,
        t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        jacobian.fill(0.0);
        boundary.fill(0.0);
        (self.rows)(c, t, q, jacobian, boundary);
        Ok(())
    }
    fn bias(
        &mut self,
        c: usize,
        t: f64,
        q: &[f64],
        v: &[f64],
        bias: &mut [f64],
    ) -> Result<(), SystemError> {
        (self.bias)(c, t, q, v, bias);
        Ok(())
    }
    fn law(
        &mut self,
        c: usize,
        at: StateRef<'_>,
        h: f64,
        previous: Status,
    ) -> Result<Law, SystemError> {
        Ok((self.law)(c, at, h, previous))
    }
    fn restitution(&mut self, c: usize, _at: StateRef<'_>) -> Result<Restitution, SystemError> {
        Ok(Restitution {
            normal: (self.restitution)(c),
            tangential: 0.0,
        })
    }
}

/// A point on a line under gravity `g`, bouncing with restitution `e`.
pub fn ball(g: f64, e: f64) -> Model {
    Model::new(1, move |_, _, _, k| k[0] = -g)
        .constraint("floor", ConstraintKind::Contact, 1)
        .potential(move |_, q| g * q[0])
        .gaps(|_, q, gaps| gaps[0] = q[0])
        .rows(|_, _, _, g, _| g[0] = 1.0)
        .restitution(move |_| e)
}

/// The integrator from a state, with an output interval.
pub fn start(model: Model, step: f64, t: f64, q: &[f64], v: &[f64]) -> EventDriven<Model> {
    let settings = Settings {
        scheme: Scheme::Event,
        step,
        ..Settings::default()
    };
    let initial = State {
        t,
        q: q.to_vec(),
        v: v.to_vec(),
        impulse: Vec::new(),
        status: Vec::new(),
    };
    EventDriven::new(model, settings, initial).unwrap()
}

/// Results of a run.
pub struct Run {
    pub states: Vec<State>,
    pub events: Vec<Event>,
    pub worst_residual: f64,
    pub worst_penetration: f64,
    pub worst_drift: f64,
    pub worst_energy: f64,
    pub worst_momentum: f64,
    pub missed: usize,
}

/// Runs `steps` output intervals.
pub fn run(motion: &mut EventDriven<Model>, steps: usize) -> Run {
    let mut run = Run {
        states: vec![motion.state().clone()],
        events: Vec::new(),
        worst_residual: 0.0,
        worst_penetration: 0.0,
        worst_drift: 0.0,
        worst_energy: 0.0,
        worst_momentum: 0.0,
        missed: 0,
    };
    for _ in 0..steps {
        motion.advance().unwrap();
        run.states.push(motion.state().clone());
        run.events.extend_from_slice(motion.events());
        let ledger = motion.step_report();
        run.worst_residual = run.worst_residual.max(ledger.residual);
        run.worst_penetration = run.worst_penetration.max(ledger.penetration);
        run.worst_drift = run.worst_drift.max(ledger.drift);
        run.worst_energy = run.worst_energy.max(ledger.energy);
        run.worst_momentum = run.worst_momentum.max(ledger.momentum);
        run.missed += usize::from(!ledger.reached);
    }
    run
}

impl Run {
    /// Instants of the events of a contact that `pick` accepts.
    pub fn instants(&self, constraint: usize, pick: impl Fn(&EventKind) -> bool) -> Vec<f64> {
        let mine = self.events.iter().filter(|e| e.constraint == constraint);
        mine.filter(|e| pick(&e.kind)).map(|e| e.t).collect()
    }

    pub fn impacts(&self, constraint: usize) -> Vec<f64> {
        self.instants(constraint, |k| matches!(k, EventKind::Impact { .. }))
    }

    pub fn last(&self) -> &State {
        &self.states[self.states.len() - 1]
    }
}

/// Asserts |a − b| ≤ tolerance.
#[track_caller]
pub fn close(a: f64, b: f64, tolerance: f64) {
    assert!(
        (a - b).abs() <= tolerance,
        "{a:.17} is not {b:.17}: off by {:e}",
        (a - b).abs()
    );
}
