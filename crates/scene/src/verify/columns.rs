//! Columns that nothing is compared with.
//!
//! What a column of the records is compared with depends on the run. This list has what is never
//! compared; the parts of this module add what they cannot compare in the run at hand. All other columns
//! are compared: a test alters each of them and expects that it is found.

use super::report::{Report, RowRange};
use super::sweeps;
use crate::file::{Scene, SceneKind};
use crate::record::Record;

/// What the solver went through, which leaves no trace in the motion.
const EFFORT: &str = "what the solver went through; the motion does not depend on it";

/// What was measured on the motion.
const MEASURED: &str = "measured on the motion, also at steps that are not recorded";

/// What tells points of a pair apart.
const LABEL: &str = "a label that tells points of a pair apart; the motion does not depend on it";

/// What mechanisms say of contacts.
const OPEN: &str =
    "mechanisms say `open` of contacts that carry an impulse, too; stick and slip are compared";

/// What bodies say of contacts.
const RESTING: &str = "a contact without velocity may be called stick or slip; that it carries an impulse or \
                       not, and that it moves, is compared";

/// What is said of contacts that may jump.
const PAINLEVE: &str = "said of a contact that may jump; the motion does not depend on it";

/// What is said of steps whose velocities are not unique.
const ANOTHER: &str = "said of another solution of the step; the motion does not depend on it";

/// Adds what is never compared, as far as the record has it.
pub(super) fn list(record: &Record, scene: &Scene, report: &mut Report) {
    let bodies = scene.kind() == SceneKind::Bodies;
    let sweep = !bodies && sweeps(scene);
    for table in &record.manifest().tables {
        for column in &table.columns {
            let why = match (&*table.name, &*column.name) {
                ("steps", "iterations" | "pairs") => EFFORT,
                ("contacts", "feature") if bodies => LABEL,
                ("contacts", "status") if bodies => RESTING,
                ("contacts", "status") if !sweep => OPEN,
                ("steps", "apart") if bodies => ANOTHER,
                ("steps" | "events", "gamma") if !sweep => PAINLEVE,
                ("observables" | "profiles" | "distributions", "step" | "t") => continue,
                ("observables" | "profiles" | "distributions", _) => MEASURED,
                _ => continue,
            };
            report.mark_unchecked(&table.name, &column.name, RowRange::All, why);
        }
    }
}
