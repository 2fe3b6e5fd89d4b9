//! Sampled motion: states and forces from the records or from memory, for observables.

use percuss_mechanism::{PathSums, System, SystemError, mean_force};
use percuss_record::{CellValue, MechanismLayout, Record, RecordError, Table};
use percuss_run::Trajectory;
use percuss_scene::{Observable, Sample, Scene, SymbolicSystem};

/// Constraint, row and mean force.
type Force = (usize, usize, f64);

/// States of a motion with the mean forces of the steps that end at them.
pub(super) struct SampledMotion {
    t: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    positions: usize,
    velocities: usize,
    /// End of each state's forces in the list.
    ends: Vec<usize>,
    forces: Vec<Force>,
    /// Sums along the path at each state of a sweeping process; empty for a mechanism.
    path: Vec<PathSums>,
}

impl SampledMotion {
    /// The recorded states of a run; forces only `with_forces`, since that table is the largest.
    pub(super) fn of_record(
        record: &Record,
        scene: &Scene,
        system: &SymbolicSystem,
        with_forces: bool,
    ) -> Result<Self, RecordError> {
        let chart = system.configuration_space();
        let states = record.table("coordinates", None)?;
        let mut track = Self::empty(chart.num_positions(), chart.num_velocities());
        // Columns: step, t, positions, velocities.
        for row in 0..states.rows {
            let column = |c: usize| states.values.get(c).map_or(f64::NAN, |v| v.number(row));
            track.t.push(column(1));
            let (p, s) = (track.positions, track.velocities);
            track.q.extend((2..2 + p).map(column));
            track.v.extend((2 + p..2 + p + s).map(column));
        }
        if scene.is_sweeping_process() {
            track.add_path(record, &states)?;
        }
        if with_forces {
            let layout = MechanismLayout::of_scene(scene, system);
            track.add_forces(record, &layout, &states)?;
        } else {
            track.ends = vec![0; states.rows];
        }
        Ok(track)
    }

    fn empty(positions: usize, velocities: usize) -> Self {
        Self {
            t: Vec::new(),
            q: Vec::new(),
            v: Vec::new(),
            positions,
            velocities,
            ends: Vec::new(),
            forces: Vec::new(),
            path: Vec::new(),
        }
    }

    /// Reads the sums along the path; NaN where a step is not recorded.
    fn add_path(&mut self, record: &Record, states: &Table) -> Result<(), RecordError> {
        let names = ["step", "variation", "retraction", "prox_radius"];
        let steps = record.table("steps", Some(&names))?;
        let columns = names.map(|name| steps.numbers(name));
        let mut row = 0;
        for number in states.numbers("step") {
            while columns[0].get(row).is_some_and(|s| *s < number) {
                row += 1;
            }
            let here = columns[0].get(row).is_some_and(|s| *s == number);
            let value = |k: usize| match columns[k].get(row) {
                Some(value) if here => *value,
                _ => f64::NAN,
            };
            // The start has no step, and no path yet.
            self.path.push(match number == 0.0 {
                true => PathSums {
                    radius: f64::NAN,
                    ..PathSums::default()
                },
                false => PathSums {
                    variation: value(1),
                    retraction: value(2),
                    radius: value(3),
                },
            });
        }
        Ok(())
    }

    /// Reads the forces. All three tables are sorted by step: one merge pass.
    fn add_forces(
        &mut self,
        record: &Record,
        layout: &MechanismLayout,
        states: &Table,
    ) -> Result<(), RecordError> {
        let steps = record.table("steps", Some(&["step", "h"]))?;
        let contacts = record.table("contacts", None)?;
        let impulses: Vec<String> = layout
            .groups()
            .iter()
            .map(|g| format!("impulse_{g}"))
            .collect();
        let impulses: Vec<Vec<f64>> = impulses.iter().map(|n| contacts.numbers(n)).collect();
        let (step_of, h) = (steps.numbers("step"), steps.numbers("h"));
        let (touch_step, names) = (contacts.numbers("step"), contacts.column("constraint"));
        let (mut next_step, mut next_touch) = (0, 0);
        // Merge: steps and contacts up to the step of each state.
        for (number, t) in states.numbers("step").into_iter().zip(self.t.clone()) {
            while step_of.get(next_step).is_some_and(|s| *s < number) {
                next_step += 1;
            }
            let length = match step_of.get(next_step) {
                Some(s) if *s == number => h[next_step],
                _ => f64::NAN,
            };
            while touch_step.get(next_touch).is_some_and(|s| *s <= number) {
                let name = names.map(|n| n.cell(next_touch));
                self.add_touch(layout, name, &impulses, next_touch, (t, length));
                next_touch += 1;
            }
            self.ends.push(self.forces.len());
        }
        Ok(())
    }

    fn add_touch(
        &mut self,
        layout: &MechanismLayout,
        name: Option<CellValue<'_>>,
        impulses: &[Vec<f64>],
        touch: usize,
        (t, length): (f64, f64),
    ) {
        let Some(CellValue::Text(name)) = name else {
            return;
        };
        let Some(constraint) = layout.constraints.iter().position(|c| c == name) else {
            return;
        };
        for (row, slot) in layout.column_groups(constraint).iter().enumerate() {
            let impulse = impulses.get(*slot).and_then(|i| i.get(touch));
            let force = impulse.map_or(0.0, |s| mean_force(*s, t, length));
            self.forces.push((constraint, row, force));
        }
    }

    /// All states of a motion in memory.
    pub(super) fn of_trajectory(trajectory: &Trajectory) -> Self {
        let chart = trajectory.chart();
        let mut track = Self::empty(chart.num_positions(), chart.num_velocities());
        for state in 0..trajectory.len() {
            track.t.push(trajectory.times()[state]);
            track.q.extend_from_slice(trajectory.position(state));
            track.v.extend_from_slice(trajectory.velocity(state));
            let h = trajectory.step_report(state).h;
            for touch in trajectory.constraint_reports(state) {
                for (row, impulse) in touch.impulse.iter().enumerate() {
                    let force = mean_force(*impulse, track.t[state], h);
                    track.forces.push((touch.constraint, row, force));
                }
            }
            track.ends.push(track.forces.len());
            track.path.push(trajectory.step_report(state).path);
        }
        track
    }

    /// Times of the states.
    pub(super) fn times(&self) -> &[f64] {
        &self.t
    }

    /// The values of an observable at all states; NaN where it is undefined.
    pub(super) fn values(
        &self,
        system: &mut SymbolicSystem,
        observable: &mut Observable,
    ) -> (Vec<f64>, Option<SystemError>) {
        let mut failed = None;
        let mut first = 0;
        let mut values = Vec::with_capacity(self.t.len());
        // Forces of a state are the slice up to its end.
        for (state, &t) in self.t.iter().enumerate() {
            let forces = &self.forces[first..self.ends[state]];
            first = self.ends[state];
            let force = |constraint: usize, row: usize| {
                let found = forces.iter().find(|f| (f.0, f.1) == (constraint, row));
                found.map_or(0.0, |f| f.2)
            };
            let sample = Sample {
                t,
                q: &self.q[state * self.positions..(state + 1) * self.positions],
                v: &self.v[state * self.velocities..(state + 1) * self.velocities],
                forces: &force,
                path: self.path.get(state).copied().unwrap_or_default(),
            };
            values.push(
                observable
                    .evaluate(system, &sample)
                    .unwrap_or_else(|error| {
                        failed.get_or_insert(error);
                        f64::NAN
                    }),
            );
        }
        (values, failed)
    }
}
