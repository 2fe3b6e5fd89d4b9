//! Projection of frictional rows in the kinetic metric ([`percuss_mechanism::projection_coefficients`]).
//!
//! ```text
//! U' = U − c U_Φ,      G' = G − c Φ,   W' = W − c W_Φ,   c with G' A⁻¹ Φᵀ = 0             (B02 §6.1, example 13)
//! ```
//!
//! Where the constraints Φ are kept, U_Φ = 0 and U' = U. The bias is that of U − c U_Φ with U_Φ = 0: the rate of c takes
//! no part.

use percuss_mechanism::{Constraint, ConstraintKind, SystemError, projection_coefficients};

use super::SymbolicSystem;
use super::constraints::Collector;
use percuss_input::tables::ProjectSpec;
use percuss_input::{InputError, value_error};

/// A projection as it is read: constraint, its first frictional row, part of the file, what it is projected on.
pub(super) struct ProjectionSource {
    constraint: usize,
    first: usize,
    part: String,
    onto: ProjectSpec,
}

/// Frictional rows from `first` on are projected onto the complement of the rows of the constraints `onto`.
#[derive(Debug, Clone)]
pub(super) struct Projection {
    first: usize,
    onto: Vec<usize>,
}

/// Number of rows of a constraint that fix a velocity: these rows are gradients that a projection may name.
fn held_rows(constraint: &Constraint) -> usize {
    match constraint.kind {
        ConstraintKind::Contact => 1,
        ConstraintKind::Joint | ConstraintKind::Nonholonomic => constraint.rows,
        ConstraintKind::FrictionJoint { normal_rows } => normal_rows,
        ConstraintKind::NonFirm => 0,
    }
}

impl Collector<'_> {
    /// Asks for the projection of the last constraint from row `first` on.
    pub(super) fn project(&mut self, part: &str, first: usize, onto: Option<&ProjectSpec>) {
        if let Some(onto) = onto {
            self.projections.push(ProjectionSource {
                constraint: self.constraints.len() - 1,
                first,
                part: part.to_string(),
                onto: onto.clone(),
            });
        }
    }

    /// Resolves the names of all projections, when all constraints are known. Returns whether there is one.
    pub(super) fn resolve_projections(&mut self) -> Result<bool, Box<InputError>> {
        for source in std::mem::take(&mut self.projections) {
            let onto = match &source.onto {
                ProjectSpec::Joints => {
                    let joint = |(i, c): (usize, &Constraint)| {
                        let known = matches!(
                            c.kind,
                            ConstraintKind::Joint | ConstraintKind::FrictionJoint { .. }
                        );
                        known.then_some(i)
                    };
                    self.constraints
                        .iter()
                        .enumerate()
                        .filter_map(joint)
                        .collect()
                }
                ProjectSpec::Named(words) => {
                    let mut onto = Vec::new();
                    for word in words {
                        let known = self.constraints.iter().position(|c| c.name == word.text);
                        match known.filter(|i| held_rows(&self.constraints[*i]) > 0) {
                            Some(i) => onto.push(i),
                            None => {
                                let problem = format!(
                                    "there is no joint, contact or velocity constraint `{}`",
                                    word.text
                                );
                                let advice = "Write true for all joints, or names of constraints";
                                return Err(value_error(
                                    self.file,
                                    &source.part,
                                    "project",
                                    word,
                                    problem,
                                    advice,
                                ));
                            }
                        }
                    }
                    onto
                }
            };
            self.touching[source.constraint].projection = Some(Projection {
                first: source.first,
                onto,
            });
        }
        Ok(self
            .touching
            .iter()
            .any(|programs| programs.projection.is_some()))
    }
}

/// What is subtracted from the frictional rows of a constraint.
struct Part {
    first: usize,
    /// Constraint and row of each row of Φ.
    place: Vec<(usize, usize)>,
    /// c, frictional rows by rows of Φ.
    coefficients: Vec<f64>,
    held: Vec<f64>,
    boundary: Vec<f64>,
}

impl SymbolicSystem {
    /// The constraints that the rows of one are projected on, with its first projected row; `None` without a projection.
    pub fn projected_onto(&self, constraint: usize) -> Option<(usize, &[usize])> {
        let projection = self.touching[constraint].projection.as_ref()?;
        Some((projection.first, &projection.onto))
    }

    /// G and W of one constraint as the scene writes it: neither scaled to a distance nor projected.
    ///
    /// # Errors
    /// A value that is not finite.
    pub fn written_rows(
        &mut self,
        constraint: usize,
        t: f64,
        q: &[f64],
        jacobian: &mut [f64],
        boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        self.inputs.set_position(t, q);
        let out = self.touching[constraint]
            .rows
            .run_at_position(&self.inputs)?;
        // Outputs: G by rows, then W.
        let (g, w) = out.split_at(jacobian.len());
        jacobian.copy_from_slice(g);
        boundary.copy_from_slice(w);
        Ok(())
    }

    /// The part to be subtracted from the rows `jacobian` at the positions of the inputs.
    fn projected_part(
        &mut self,
        constraint: usize,
        jacobian: &[f64],
    ) -> Result<Option<Part>, SystemError> {
        let n = self.chart.num_velocities();
        let Some(Projection { first, onto }) = self.touching[constraint].projection.clone() else {
            return Ok(None);
        };
        let (mut place, mut held, mut boundary) = (Vec::new(), Vec::new(), Vec::new());
        for other in onto {
            let (all, count) = (
                self.constraints[other].rows,
                held_rows(&self.constraints[other]),
            );
            let out = self.touching[other].rows.run_at_position(&self.inputs)?;
            held.extend_from_slice(&out[..count * n]);
            boundary.extend_from_slice(&out[all * n..all * n + count]);
            place.extend((0..count).map(|row| (other, row)));
        }
        let Some(mass) = &mut self.mass else {
            return Ok(None);
        };
        let mass = mass.run_at_position(&self.inputs)?;
        let found = projection_coefficients(mass, n, &held, &jacobian[first * n..]);
        let coefficients = found.ok_or_else(|| SystemError {
            what: format!("the projection of `{}`", self.constraints[constraint].name),
            problem: "needs a mass matrix that is positive definite".to_string(),
            t: self.inputs.values[0],
        })?;
        Ok(Some(Part {
            first,
            place,
            coefficients,
            held,
            boundary,
        }))
    }

    /// Projects the rows G and W of a constraint at the positions of the inputs.
    pub(super) fn project_rows(
        &mut self,
        constraint: usize,
        jacobian: &mut [f64],
        boundary: &mut [f64],
    ) -> Result<(), SystemError> {
        let n = self.chart.num_velocities();
        let Some(part) = self.projected_part(constraint, jacobian)? else {
            return Ok(());
        };
        let rows = jacobian[part.first * n..].chunks_exact_mut(n);
        let both = rows.zip(&mut boundary[part.first..]);
        for ((row, w), c) in both.zip(part.coefficients.chunks_exact(part.place.len())) {
            for (k, c) in c.iter().enumerate() {
                let held = &part.held[k * n..(k + 1) * n];
                row.iter_mut().zip(held).for_each(|(g, h)| *g -= c * h);
                *w -= c * part.boundary[k];
            }
        }
        Ok(())
    }

    /// Projects the bias of a constraint at the inputs; `jacobian` are its rows before the projection.
    pub(super) fn project_bias(
        &mut self,
        constraint: usize,
        bias: &mut [f64],
    ) -> Result<(), SystemError> {
        if self.touching[constraint].projection.is_none() {
            return Ok(());
        }
        let n = self.chart.num_velocities();
        let rows = self.constraints[constraint].rows;
        let out = self.touching[constraint]
            .rows
            .run_at_position(&self.inputs)?;
        let jacobian = out[..rows * n].to_vec();
        let Some(part) = self.projected_part(constraint, &jacobian)? else {
            return Ok(());
        };
        for (k, (other, row)) in part.place.iter().enumerate() {
            let held = self.touching[*other].bias.run(&self.inputs)?[*row];
            let rows = part.coefficients.chunks_exact(part.place.len());
            for (b, c) in bias[part.first..].iter_mut().zip(rows) {
                *b -= c[k] * held;
            }
        }
        Ok(())
    }
}
