//! What the well-posedness theorems of B02 ask for, looked at by samples: regularity of the forces at the start (theorem
//! 2), their growth (theorems 3 and 17), and integrability of velocity constraints (theorem 19).
//!
//! ```text
//! Lipschitz:   |f(z₀ + εd) − f(z₀)| ≤ C ε               quotients at ε = 1e-5, 1e-8, 1e-11 along every coordinate and velocity
//! growth:      f·v ≤ l (1 + ‖v‖) ‖v‖,  |f| ≤ l (1 + d(q, q₀)),  V ≥ −l (1 + d²)       at 1e3 and 1e6 along rays from q₀
//! Frobenius:   dα_i(Y, Z) = 0 for Y, Z ∈ E = ker α       at five points, from exact derivatives of the rows
//! ```
//!
//! The growth condition is checked in the form that its proof uses: the power of the forces bounds the velocity, so that
//! drag of any power is within it, and a potential counts by its fall. In position only lines are followed; the metric is
//! that of q₀. With time t the forms α + W dt live on Q × ℝ. [X_a, X_b] = ε_abc X_c of the spins of an orientation
//! enters dα. Samples can miss what happens between them: a remark is a hint, and its absence no proof.
//!
//! Limits: joints take no part in the test of Frobenius; unilateral constraints none in any.

use percuss_mechanism::{Coordinate, State};

use super::SymbolicSystem;
use super::unit::{Inputs, Unit};

/// What a remark is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemarkKind {
    /// A force is not Lipschitz continuous at the initial state.
    Regularity,
    /// The forces grow faster than the growth condition allows.
    Growth,
    /// Velocity constraints are integrable.
    Integrable,
}

/// A remark about the equations of a mechanism.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// What it is about.
    pub kind: RemarkKind,
    /// One sentence.
    pub text: String,
}

/// Steps of the difference quotients, relative to 1 + |z|.
const STEPS: [f64; 3] = [1e-5, 1e-8, 1e-11];

/// Quotients that grow by less than this power are rounding or a smooth bend.
const POWER: f64 = 0.05;

/// A change of the force below this share of it is rounding.
const ROUNDING: f64 = 1e-12;

/// Distances along rays.
const FAR: [f64; 2] = [1e3, 1e6];

/// Sample points of Frobenius' test, and how many must have values.
const POINTS: usize = 5;
const ENOUGH: usize = 3;

/// dα(Y, Z) below this share of its terms is zero: derivatives are exact, and only rounding is left.
const EXACT: f64 = 1e-10;

impl SymbolicSystem {
    /// Remarks about the equations, from samples around the initial state.
    pub fn remarks(&mut self, initial: &State) -> Vec<Remark> {
        let mut all = self.regularity(initial);
        all.extend(self.growth(initial));
        all.extend(self.integrability(initial));
        all
    }

    /// Input vector of the initial state.
    fn inputs_at(&self, initial: &State) -> Inputs {
        let mut inputs = self.inputs.clone();
        inputs.set(initial.t, &initial.q, &initial.v);
        inputs
    }

    /// Forces that are not Lipschitz at the initial state.
    fn regularity(&mut self, initial: &State) -> Vec<Remark> {
        let model = &mut self.model;
        let n = model.coordinates.dimension();
        // f = Q − ∂V.
        let mut outputs = Vec::new();
        for (j, &given) in model.given.iter().enumerate() {
            let slope = match model.potential {
                None => percuss_expr::Graph::ZERO,
                Some(v) => model.coordinates.derivative_along(&mut model.graph, v, j),
            };
            outputs.push((String::new(), model.graph.sub(given, slope)));
        }
        let mut unit = Unit::compile(&self.model.graph, outputs);
        let start = self.inputs_at(initial);
        let Ok(base) = unit.run(&start).map(<[f64]>::to_vec) else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for slot in 1..start.values.len() {
            let mut worst: Option<(f64, usize)> = None;
            for sign in [1.0, -1.0] {
                let quotients: Option<Vec<Vec<f64>>> = STEPS
                    .iter()
                    .map(|step| {
                        let mut moved = start.clone();
                        let step = step * (1.0 + moved.values[slot].abs());
                        moved.values[slot] += sign * step;
                        let values = unit.run(&moved).ok()?;
                        let change = values.iter().zip(&base).map(|(a, b)| (a - b).abs());
                        // A change within rounding is none.
                        let real = change
                            .zip(&base)
                            .map(|(c, b)| match c > ROUNDING * b.abs() {
                                true => c / step,
                                false => 0.0,
                            });
                        Some(real.collect())
                    })
                    .collect();
                let Some(quotients) = quotients else { continue };
                for j in 0..n {
                    let [wide, middle, narrow] =
                        [quotients[0][j], quotients[1][j], quotients[2][j]];
                    if !(wide > 0.0 && middle > 0.0 && narrow > 0.0) {
                        continue;
                    }
                    let powers = [
                        (middle / wide).log10() / 3.0,
                        (narrow / middle).log10() / 3.0,
                    ];
                    let power = powers[0].min(powers[1]);
                    if power > POWER && worst.is_none_or(|(known, _)| power > known) {
                        worst = Some((power, j));
                    }
                }
            }
            if let Some((power, j)) = worst {
                let exponent = (1.0 - power).max(0.0);
                let how = match exponent < POWER {
                    true => "it jumps there".to_string(),
                    false => format!("it changes like the power {exponent:.2} of the distance"),
                };
                found.push(Remark {
                    kind: RemarkKind::Regularity,
                    text: format!(
                        "the force along `{}` is not Lipschitz continuous in `{}` at the start: {how}. The \
                         motion found is one; others may begin at the same state (B02 counter-example 1)",
                        self.names[self.chart.num_positions() + j],
                        self.names[slot - 1],
                    ),
                });
            }
        }
        found
    }

    /// Forces that grow too fast.
    fn growth(&mut self, initial: &State) -> Vec<Remark> {
        let outputs = self.model.given.iter().map(|&node| (String::new(), node));
        let mut given = Unit::compile(&self.model.graph, outputs.collect());
        let start = self.inputs_at(initial);
        let (n, positions) = (initial.v.len(), initial.q.len());
        let mut found = Vec::new();
        // Power over the square of the speed, along each velocity and along all.
        let directions = directions(n);
        let along_velocity = |given: &mut Unit, direction: &[f64], far: f64| {
            let mut moved = start.clone();
            for (value, d) in moved.values[1 + positions..].iter_mut().zip(direction) {
                *value = far * d;
            }
            let force = given.run(&moved).ok()?;
            let power: f64 = force.iter().zip(direction).map(|(f, d)| f * d).sum();
            Some(power / far)
        };
        for direction in &directions {
            let [near, far] = FAR.map(|far| along_velocity(&mut given, direction, far));
            if let Some(power) = power(near, far) {
                found.push(growth_remark(
                    &format!(
                        "the power of the forces grows like the power {:.2} of the speed",
                        power + 2.0
                    ),
                    &self.ray(direction, positions),
                ));
                break;
            }
        }
        // Position: lines alone.
        let lines: Vec<bool> = self.lines();
        for direction in directions.iter().filter(|d| {
            let mut all = d.iter().zip(&lines);
            all.all(|(d, line)| *d == 0.0 || *line)
        }) {
            let place = |far: f64| {
                let mut q = initial.q.clone();
                self.chart.integrate(&mut q, direction, far);
                q
            };
            let force = |given: &mut Unit, far: f64| {
                let mut moved = start.clone();
                moved.set(initial.t, &place(far), &initial.v);
                let force = given.run(&moved).ok()?;
                Some(force.iter().map(|f| f * f).sum::<f64>().sqrt() / far)
            };
            let [near, far] = FAR.map(|far| force(&mut given, far));
            let places = FAR.map(&place);
            let fall = |system: &mut Self, q: &[f64], far: f64| {
                use percuss_mechanism::System;
                let value = system.potential(initial.t, q).ok()?;
                Some(-value / (far * far))
            };
            let what = if let Some(power) = power(near, far) {
                format!(
                    "the forces grow like the power {:.2} of the distance",
                    power + 1.0
                )
            } else {
                let near = fall(self, &places[0], FAR[0]);
                let far = fall(self, &places[1], FAR[1]);
                let Some(power) = power(near, far) else {
                    continue;
                };
                format!(
                    "the potential falls like the power {:.2} of the distance",
                    power + 2.0
                )
            };
            found.push(growth_remark(&what, &self.ray(direction, 0)));
            break;
        }
        found
    }

    /// Whether each velocity is that of a line.
    fn lines(&self) -> Vec<bool> {
        let kinds = self.chart.coordinates().iter();
        kinds
            .flat_map(|kind| vec![*kind == Coordinate::Length; kind.num_velocities()])
            .collect()
    }

    /// The names along a direction; `from` is the first name, of positions or of velocities.
    fn ray(&self, direction: &[f64], from: usize) -> String {
        let signed = |(i, d): (usize, &f64)| {
            let sign = if *d < 0.0 { "-" } else { "" };
            (*d != 0.0).then(|| format!("{sign}{}", self.names[from + i]))
        };
        let names: Vec<String> = direction.iter().enumerate().filter_map(signed).collect();
        names.join(", ")
    }

    /// Velocity constraints that are integrable, each by itself and all together.
    fn integrability(&mut self, initial: &State) -> Vec<Remark> {
        let constraints = self.model.nonholonomic.clone();
        let mut found = Vec::new();
        let mut told = 0;
        for k in 0..constraints.len() {
            if self.is_integrable(&constraints[k..=k], initial) {
                found.push(integrable_remark(&format!(
                    "the velocity constraint `{}` is",
                    constraints[k].0
                )));
                told += 1;
            }
        }
        if constraints.len() > 1
            && told < constraints.len()
            && self.is_integrable(&constraints, initial)
        {
            let names: Vec<String> = constraints
                .iter()
                .map(|(name, _)| format!("`{name}`"))
                .collect();
            let who = format!("the velocity constraints {} together are", names.join(", "));
            found.push(integrable_remark(&who));
        }
        found
    }

    /// Frobenius' condition for these constraints at all sample points.
    fn is_integrable(
        &mut self,
        constraints: &[(String, Vec<percuss_expr::lagrange::VelocityRow>)],
        initial: &State,
    ) -> bool {
        let model = &mut self.model;
        let (graph, coordinates) = (&mut model.graph, &model.coordinates);
        let n = coordinates.dimension();
        // Components of α, then their derivatives along each velocity and by time; W is the component of time.
        let rows: Vec<Vec<_>> = constraints
            .iter()
            .flat_map(|(_, rows)| rows)
            .map(|row| {
                let mut all = row.gradient.clone();
                all.push(row.boundary);
                all
            })
            .collect();
        let mut outputs = Vec::new();
        for row in &rows {
            for &component in row {
                outputs.push((String::new(), component));
                for j in 0..n {
                    let slope = coordinates.derivative_along(graph, component, j);
                    outputs.push((String::new(), slope));
                }
                outputs.push((String::new(), coordinates.time_derivative(graph, component)));
            }
        }
        let mut unit = Unit::compile(&self.model.graph, outputs);
        let spins = self.spins();
        let mut seen = 0;
        for point in 0..POINTS {
            let inputs = self.sample(initial, point);
            let Ok(values) = unit.run(&inputs) else {
                continue;
            };
            if !is_closed(values, n, rows.len(), &spins) {
                return false;
            }
            seen += 1;
        }
        seen >= ENOUGH
    }

    /// First velocity of each orientation.
    fn spins(&self) -> Vec<usize> {
        let (mut first, mut spins) = (0, Vec::new());
        for kind in self.chart.coordinates() {
            if *kind == Coordinate::Orientation {
                spins.push(first);
            }
            first += kind.num_velocities();
        }
        spins
    }

    /// A sample point: the initial state, moved along velocities that no symmetry shares.
    fn sample(&self, initial: &State, point: usize) -> Inputs {
        // Multiples of the golden ratio modulo 1, in (−½, ½).
        let draw =
            |i: usize| (((point * 7 + i + 1) as f64) * 0.618_033_988_749_894_9).fract() - 0.5;
        let mut q = initial.q.clone();
        let size = q.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        let step: Vec<f64> = (0..initial.v.len()).map(draw).collect();
        let far = if point == 0 { 0.25 } else { 1.0 };
        self.chart.integrate(&mut q, &step, far * size.min(10.0));
        self.chart.normalise(&mut q);
        let mut inputs = self.inputs.clone();
        inputs.set(
            initial.t + 0.3 * point as f64,
            &q,
            &vec![0.0; initial.v.len()],
        );
        inputs
    }
}

/// Exponent of the growth between the two distances; `None` where there is none.
fn power(near: Option<f64>, far: Option<f64>) -> Option<f64> {
    let (near, far) = (near?, far?);
    let power = (far / near).log10() / (FAR[1] / FAR[0]).log10();
    (near > 0.0 && far > 0.0 && power > POWER).then_some(power)
}

/// Each velocity alone and all together, in both senses.
fn directions(n: usize) -> Vec<Vec<f64>> {
    let mut all = Vec::new();
    for i in 0..n {
        for sign in [1.0, -1.0] {
            let mut one = vec![0.0; n];
            one[i] = sign;
            all.push(one);
        }
    }
    all.push(vec![1.0; n]);
    all.push(vec![-1.0; n]);
    all
}

fn growth_remark(what: &str, along: &str) -> Remark {
    Remark {
        kind: RemarkKind::Growth,
        text: format!(
            "{what} along {along}, more than the growth condition allows (B02 theorems 3 and 17): the \
             motion may end in a finite time (B02 counter-example 2)"
        ),
    }
}

fn integrable_remark(who: &str) -> Remark {
    Remark {
        kind: RemarkKind::Integrable,
        text: format!(
            "{who} integrable (Frobenius' condition holds at {POINTS} points; B02 theorem 19): a function of \
             the position stays constant, and as a [[joint]] it would not drift"
        ),
    }
}

/// Whether dα_i(Y, Z) vanishes for all Y, Z of the kernel of all α, at one point.
fn is_closed(values: &[f64], n: usize, rows: usize, spins: &[usize]) -> bool {
    let (size, block) = (n + 1, n + 2);
    // Component c of α_i, and its derivative along j (n: time).
    let component = |i: usize, c: usize| values[(i * size + c) * block];
    let slope = |i: usize, c: usize, j: usize| values[(i * size + c) * block + 1 + j];
    let forms: Vec<Vec<f64>> = (0..rows)
        .map(|i| (0..size).map(|c| component(i, c)).collect())
        .collect();
    let kernel = kernel(&forms, size);
    for i in 0..rows {
        // dα(X_a, X_b) = X_a α_b − X_b α_a − α([X_a, X_b]).
        let mut d = vec![0.0; size * size];
        for a in 0..size {
            for b in 0..size {
                d[a * size + b] = slope(i, b, a) - slope(i, a, b);
            }
        }
        for &s in spins {
            for (a, b, c) in [(0, 1, 2), (1, 2, 0), (2, 0, 1)] {
                d[(s + a) * size + s + b] -= component(i, s + c);
                d[(s + b) * size + s + a] += component(i, s + c);
            }
        }
        // The scale is that of the derivatives and of the form itself.
        let scale = d
            .iter()
            .chain(&forms[i])
            .fold(0.0_f64, |m, x| m.max(x.abs()));
        for y in &kernel {
            for z in &kernel {
                let mut sum = 0.0;
                for a in 0..size {
                    for b in 0..size {
                        sum += y[a] * d[a * size + b] * z[b];
                    }
                }
                if sum.abs() > EXACT * scale {
                    return false;
                }
            }
        }
    }
    true
}

/// An orthonormal basis of the common kernel of the forms.
fn kernel(forms: &[Vec<f64>], size: usize) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let mut kernel: Vec<Vec<f64>> = Vec::new();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    // What is left of a vector after the parts along others; twice, for rounding.
    let remains = |vector: &[f64], others: &[&Vec<f64>]| {
        let mut left = vector.to_vec();
        for _ in 0..2 {
            for other in others {
                let along = dot(&left, other);
                left.iter_mut()
                    .zip(*other)
                    .for_each(|(l, o)| *l -= along * o);
            }
        }
        left
    };
    let scaled =
        |vector: &[f64], length: f64| vector.iter().map(|x| x / length).collect::<Vec<f64>>();
    for form in forms {
        let left = remains(form, &basis.iter().collect::<Vec<_>>());
        let length = dot(&left, &left).sqrt();
        if length > 1e-10 * dot(form, form).sqrt() {
            basis.push(scaled(&left, length));
        }
    }
    for i in 0..size {
        let mut unit = vec![0.0; size];
        unit[i] = 1.0;
        let others: Vec<&Vec<f64>> = basis.iter().chain(&kernel).collect();
        let left = remains(&unit, &others);
        let length = dot(&left, &left).sqrt();
        if length > 1e-6 {
            kernel.push(scaled(&left, length));
        }
    }
    kernel
}
