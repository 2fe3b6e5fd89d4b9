//! The free velocity: u_L = u_I + h A⁻¹K at the midpoint, gyroscopic terms and drag implicit.

use super::{World, check};
use crate::dim::Dim;
use crate::error::WorldError;
use crate::model::{Body, Drag, Freedom, Scenery};
use crate::vector::Vector;

/// A bound of the speed of the points of a body.
pub(super) fn speed_bound<D: Dim>(body: &Body<D>, velocity: &D::Dofs) -> f64 {
    let v = velocity.as_ref();
    let (move_, turn) = v.split_at(D::N);
    let spin = norm(turn);
    let turning = if spin > 0.0 {
        spin * D::radius(&body.shape)
    } else {
        0.0
    };
    norm(move_) + turning
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl<D: Dim> World<D> {
    /// Writes u_L of every movable body to `end`, and the given velocity at the end of the step of
    /// every guided one.
    pub(super) fn set_free_velocity(&mut self, t_end: f64) -> Result<(), WorldError> {
        self.add_fields(t_end - 0.5 * self.settings.step)?;
        let (model, state, work) = (&mut self.model, &self.state, &mut self.work);
        let h = self.settings.step;
        work.end.resize(model.bodies.len(), D::REST);
        let (bodies, drag, gravity) = (&model.bodies, &model.drag, model.gravity);
        let loads = &work.loads;
        work.detector.team().over(&mut work.end, |from, end| {
            for (k, end) in end.iter_mut().enumerate() {
                let i = from + k;
                *end = match bodies[i].freedom {
                    Freedom::Fixed | Freedom::Guided(_) => D::REST,
                    Freedom::Free | Freedom::Partial(_) => {
                        let load = loads.get(i).copied().unwrap_or(D::REST);
                        let drag = drag.get(i).copied().unwrap_or_default();
                        free::<D>(&bodies[i], &state.velocities[i], gravity, &load, drag, h)
                    }
                };
            }
        });
        for &i in &work.guided {
            let i = i as usize;
            if let Freedom::Guided(guide) = model.bodies[i].freedom {
                let anchor = &state.anchors[guide as usize];
                let (pose, velocity) = model.guides[guide as usize].at(anchor, t_end);
                check::pose(i, t_end, &pose)?;
                if !velocity.as_ref().iter().all(|v| v.is_finite()) {
                    return Err(check::not_finite(i, "given velocity", t_end));
                }
                work.end[i] = velocity;
            }
        }
        self.set_free_cell(t_end)
    }

    /// Loads of the fields at the midpoint.
    fn add_fields(&mut self, t: f64) -> Result<(), WorldError> {
        let (model, work) = (&mut self.model, &mut self.work);
        work.loads.clear();
        if model.fields.is_empty() {
            return Ok(());
        }
        work.loads.resize(model.bodies.len(), D::REST);
        let scenery = Scenery {
            t,
            poses: &work.mid,
            velocities: &self.state.velocities,
            bodies: &model.bodies,
        };
        for field in &mut model.fields {
            field.add(&scenery, &mut work.loads);
        }
        for (i, load) in work.loads.iter().enumerate() {
            let movable = model.bodies[i].freedom.movable();
            if movable && !load.as_ref().iter().all(|f| f.is_finite()) {
                return Err(check::not_finite(i, "force", t));
            }
        }
        Ok(())
    }
}

/// u_L of one body. Drag acts on the mean velocity: m(v_L − v_I) = h(F − c ½(v_I + v_L)).
fn free<D: Dim>(
    body: &Body<D>,
    begin: &D::Dofs,
    gravity: D::Vector,
    load: &D::Dofs,
    drag: Drag,
    h: f64,
) -> D::Dofs {
    let mass = body.mass.mass;
    let mut end = *begin;
    D::turn_freely(&body.mass.inertia, &mut end, &load.as_ref()[D::N..], h);
    let masses = D::masses(&body.mass);
    for (k, v) in end.as_mut().iter_mut().enumerate() {
        if !body.freedom.follows(k) {
            *v = 0.0;
            continue;
        }
        let (m, c) = if k < D::N {
            *v += h * (gravity.slice()[k] + load.as_ref()[k] / mass);
            (mass, drag.translation)
        } else {
            (masses.as_ref()[k], drag.rotation)
        };
        if c > 0.0 {
            // The free change, with c on the mean of begin and end.
            let (u, change) = (begin.as_ref()[k], *v - begin.as_ref()[k]);
            let share = 0.5 * h * c / m;
            *v = (u * (1.0 - share) + change) / (1.0 + share);
        }
    }
    end
}
