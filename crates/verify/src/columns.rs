//! Columns of the records that are not verified.
//!
//! Which columns can be verified depends on the run. This list has the columns that never are; the other modules add
//! those that cannot be verified in the run at hand. All other columns are compared: a test alters each of them and
//! expects that the alteration is found.

use percuss_record::Record;
use percuss_scene::{Scene, SceneKind};

use super::report::{Report, RowRange};
use super::sweeps;

/// Solver statistics (iterations, solver used): the motion does not depend on them.
const EFFORT: &str = "what the solver went through; the motion does not depend on it";

/// Quantities measured on the motion, also at steps that are not recorded.
const MEASURED: &str = "measured on the motion, also at steps that are not recorded";

/// The feature number that distinguishes contact points of a pair.
const LABEL: &str = "a label that tells points of a pair apart; the motion does not depend on it";

/// The status of constraints of mechanisms.
const OPEN: &str =
    "mechanisms say `open` of contacts that carry an impulse, too; stick and slip are compared";

/// The status of contacts of bodies.
const RESTING: &str = "a contact without velocity may be called stick or slip; that it carries an impulse or \
                       not, and that it moves, is compared";

/// Warnings of a Painlevé paradox: the contact may jump.
const PAINLEVE: &str = "said of a contact that may jump; the motion does not depend on it";

/// Warnings of steps whose velocities are not unique.
const ANOTHER: &str = "said of another solution of the step; the motion does not depend on it";

/// Lists the columns that are never verified, as far as the record has them.
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
