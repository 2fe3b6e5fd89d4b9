//! Intervals of the event-driven integrator: their ends, energies and signs.

use mechanism::{Kind, System, SystemError};

use super::dense;
use super::{State, Walk};

impl Walk<'_> {
    /// One interval between recorded instants.
    pub(super) fn interval(
        &mut self,
        before: Option<&State>,
        last: &State,
    ) -> Result<(), SystemError> {
        self.report.skip(
            "event-driven: forces between recorded instants are integrals that the records do not hold, so \
             that momentum and laws within an interval are not compared",
        );
        self.compare_place(last)?;
        let (t, n) = (last.t, last.v.len());
        for k in 0..self.touches.len() {
            let touch = self.touches[k].clone();
            let what = self.name(touch.constraint);
            let ends = [
                ("end", Some(last), &touch.end),
                ("begin", before, &touch.begin),
            ];
            for (check, state, recorded) in ends {
                let Some(state) = state else { continue };
                let (off, _) =
                    self.row_off(touch.constraint, state.t, &state.q, &state.v, recorded)?;
                let place = self.place(what.clone());
                self.report.note(check, off, || place);
            }
            let kind = self.system.constraints()[touch.constraint].kind;
            if kind == Kind::Contact {
                let size: f64 = touch.impulse.iter().map(|s| s.abs()).sum();
                let off = (-touch.impulse[0]).max(0.0) / size.max(f64::MIN_POSITIVE);
                let place = self.place(what);
                self.report
                    .note("laws", off / self.settings.tolerance, || place);
            }
        }
        let (mut mass, mut force) = (vec![0.0; n * n], vec![0.0; n]);
        self.system
            .dynamics(t, &last.q, &last.v, &mut mass, &mut force)?;
        let kinetic = dense::energy(&mass, &last.v);
        self.compare_energies(last, kinetic)?;
        if let Some(before) = before {
            self.system
                .dynamics(before.t, &before.q, &before.v, &mut mass, &mut force)?;
            let first = dense::energy(&mass, &before.v);
            // At the start the velocity is the one before impacts at the first instant.
            self.compare_balance(kinetic - first, &[kinetic, first]);
        }
        Ok(())
    }
}
