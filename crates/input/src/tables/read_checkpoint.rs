//! Reads the checkpoint policy: `[checkpoint]`.

use super::checkpoint::CheckpointPolicy;
use crate::{InputError, Reader, Value};

/// `[checkpoint]`, or the default policy.
pub fn cadence(root: &mut Reader<'_>) -> Result<CheckpointPolicy, Box<InputError>> {
    let mut cadence = CheckpointPolicy::default();
    let Some(item) = root.take("checkpoint") else {
        return Ok(cadence);
    };
    let mut reader = root.of("[checkpoint]", "checkpoint", item)?;
    cadence.every = reader.count_if("every")?;
    if let Some(item) = reader.take("seconds") {
        cadence.seconds = match item.value {
            Value::Number(seconds) if seconds >= 0.0 && seconds.is_finite() => seconds,
            _ => {
                let problem = "a number of seconds >= 0 was expected".to_string();
                let advice = "0 is never; `every` counts steps instead";
                return Err(reader.wrong("seconds", &item, problem, advice));
            }
        };
    }
    if let Some(keep) = reader.count_if("keep")? {
        cadence.keep = keep;
    }
    reader.finish()?;
    Ok(cadence)
}
