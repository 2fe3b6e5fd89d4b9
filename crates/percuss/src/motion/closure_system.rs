//! The system of a mechanism of closures, as the integrators see it.

use percuss_contact::law::Status;
use percuss_contact::{Law, Restitution};
use percuss_mechanism::{ConfigurationSpace, Constraint, StateRef, System, SystemError};

use super::closure_constraint::{At, ClosureConstraint, Matrix, Row, Scalar};

/// The system of a mechanism of closures.
pub(super) struct ClosureSystem<const N: usize> {
    pub space: ConfigurationSpace,
    pub names: [String; N],
    pub mass: Matrix<N>,
    pub force: Row<N>,
    pub potential: Option<Scalar<N>>,
    pub constraints: Vec<Constraint>,
    pub parts: Vec<ClosureConstraint<N>>,
    /// v⁺ = F(q, v⁻).
    pub impact_map: Option<ImpactMap<N>>,
    /// η of the LZB law.
    pub exponent: f64,
}

/// An impact map: the state before the impact, and the names of the closed contacts.
pub(super) type ImpactMap<const N: usize> = Box<dyn FnMut(&At<N>, &[&str]) -> [f64; N] + Send>;

/// Refuses values that are not finite.
fn all_finite(values: &[f64], t: f64, what: impl FnOnce() -> String) -> Result<(), SystemError> {
    match values.iter().find(|value| !value.is_finite()) {
        None => Ok(()),
        Some(value) => Err(SystemError {
            what: what(),
            problem: format!("is {value}"),
            t,
        }),
    }
}

impl<const N: usize> System for ClosureSystem<N> {
    fn configuration_space(&self) -> &ConfigurationSpace {
        &self.space
    }

    fn position_name(&self, i: usize) -> String {
        self.names.get(i).cloned().unwrap_or_default()
    }

    fn velocity_name(&self, i: usize) -> String {
        format!("{}_dot", self.position_name(i))
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
        // A by rows, then K.
        let matrix = (self.mass)(&At::new(t, q, &[]));
        mass.copy_from_slice(matrix.as_flattened());
        force.copy_from_slice(&(self.force)(&At::new(t, q, v)));
        all_finite(mass, t, || "an entry of the mass matrix".into())?;
        all_finite(force, t, || "a force".into())
    }

    fn potential(&mut self, t: f64, q: &[f64]) -> Result<f64, SystemError> {
        let Some(potential) = &mut self.potential else {
            return Ok(0.0);
        };
        let value = potential(&At::new(t, q, &[]));
        all_finite(&[value], t, || "the potential energy".into())?;
        Ok(value)
    }

    fn gaps(&mut self, t: f64, q: &[f64], gaps: &mut [f64]) -> Result<(), SystemError> {
        let at = At::new(t, q, &[]);
        let parts = self.parts.iter_mut();
        let with_gap = parts.filter_map(|part| part.gap.as_mut().map(|gap| (&part.name, gap)));
        for (value, (name, gap)) in gaps.iter_mut().zip(with_gap) {
            *value = gap(&at);
            all_finite(&[*value], t, || format!("the gap of `{name}`"))?;
        }
        Ok(())
    }

    fn rows(
        &mut self,
        constraint: usize,
        t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        let at = At::new(t, q, &[]);
        let part = &mut self.parts[constraint];
        for (row, out) in part.rows.iter_mut().zip(jacobian.chunks_exact_mut(N)) {
            out.copy_from_slice(&row(&at));
        }
        boundary.fill(0.0);
        if let (Some(rate), Some(first)) = (&mut part.boundary, boundary.first_mut()) {
            *first = rate(&at);
        }
        all_finite(jacobian, t, || format!("a row of `{}`", part.name))?;
        all_finite(boundary, t, || {
            format!("the boundary velocity of `{}`", part.name)
        })
    }

    fn bias(
        &mut self,
        constraint: usize,
        t: f64,
        q: &[f64],
        v: &[f64],
        bias: &mut [f64],
    ) -> Result<(), SystemError> {
        let at = At::new(t, q, v);
        let part = &mut self.parts[constraint];
        // Time-stepping schemes do not need it: 0 where it is not given.
        for (out, given) in bias.iter_mut().zip(&mut part.bias) {
            *out = given.as_mut().map_or(0.0, |given| given(&at));
        }
        all_finite(bias, t, || {
            format!("the second derivative of `{}`", part.name)
        })
    }

    fn law(
        &mut self,
        constraint: usize,
        at: StateRef<'_>,
        h: f64,
        previous: Status,
    ) -> Result<Law, SystemError> {
        let part = &self.parts[constraint];
        let mut law = part.law_over(h).map_err(|problem| SystemError {
            what: format!("the law of `{}`", part.name),
            problem,
            t: at.t,
        })?;
        // Static and dynamic coefficients follow the status of the step before.
        if let Law::StaticDynamic { previous: last, .. } = &mut law {
            *last = previous;
        }
        Ok(law)
    }

    fn restitution(
        &mut self,
        constraint: usize,
        _at: StateRef<'_>,
    ) -> Result<Restitution, SystemError> {
        Ok(Restitution {
            normal: self.parts[constraint].restitution,
            tangential: 0.0,
        })
    }

    fn impact_map(
        &mut self,
        at: StateRef<'_>,
        closed: &[usize],
        after: &mut [f64],
    ) -> Result<bool, SystemError> {
        let Some(map) = &mut self.impact_map else {
            return Ok(false);
        };
        let names: Vec<&str> = closed
            .iter()
            .map(|i| self.parts[*i].name.as_str())
            .collect();
        after.copy_from_slice(&map(&At::new(at.t, at.q, at.v), &names));
        Ok(true)
    }

    fn contact_stiffness(
        &mut self,
        constraint: usize,
        _at: StateRef<'_>,
    ) -> Result<f64, SystemError> {
        Ok(self.parts[constraint].stiffness)
    }

    fn stiffness_exponent(&self) -> f64 {
        self.exponent
    }
}
