//! Checks of declared pictures.

use super::context::{Context, at};
use percuss_input::InputError;
use percuss_input::tables::bodies::BodiesSpec;

/// Checks that instants have values, windows have an extent and views have a direction.
pub(super) fn check(context: &mut Context<'_>, spec: &BodiesSpec) -> Result<(), Box<InputError>> {
    for picture in &spec.pictures {
        let part = format!("picture `{}`", picture.name);
        context.numbers(at(&part, "at"), &picture.at)?;
        if let Some(view) = &picture.view {
            context.direction(at(&part, "view"), view, "the view")?;
        }
        let (Some(low), Some(high)) = (&picture.low, &picture.high) else {
            for (key, corner) in [("low", &picture.low), ("high", &picture.high)] {
                if let Some(corner) = corner {
                    context.numbers(at(&part, key), corner)?;
                }
            }
            continue;
        };
        let from = context.numbers(at(&part, "low"), low)?;
        let to = context.numbers(at(&part, "high"), high)?;
        for (i, (a, b)) in from.iter().zip(&to).enumerate() {
            if a >= b {
                let problem = format!("from {a} to {b} along axis {} there is nothing", i + 1);
                let advice = "`low` must be below `high`";
                return Err(context.wrong(at(&part, "high"), &high[i], problem, advice));
            }
        }
    }
    Ok(())
}
