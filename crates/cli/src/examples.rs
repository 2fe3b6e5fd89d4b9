//! `percuss examples`: the built-in scenes.

use clap::Args;
use serde::Serialize;

use crate::error::{CommandError, CommandStatus};
use crate::output;
use crate::text_table;

/// List the built-in systems: name, title, source
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    percuss examples\n  \
    percuss examples --json\n  \
    percuss examples --show pendulum > mine.toml    copy a scene to change it\n\n\
    Any of the names can be given to `percuss run`.")]
pub struct ExamplesArgs {
    /// Print one JSON object: {"examples": [{"name", "title", "source"}]}
    #[arg(long)]
    pub(crate) json: bool,

    /// Print the whole scene file of one of them
    #[arg(long, value_name = "NAME", conflicts_with = "json")]
    show: Option<String>,

    /// Names only
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Serialize)]
struct Example {
    name: String,
    title: String,
    source: String,
}

/// Runs the command.
pub fn run(args: &ExamplesArgs) -> Result<CommandStatus, CommandError> {
    // Text of one scene.
    if let Some(name) = &args.show {
        let text = percuss_scene::builtin::text(name).ok_or_else(|| {
            CommandError::Input(format!(
                "there is no built-in scene `{name}`; `percuss examples` lists them"
            ))
        })?;
        output::print(text)?;
        return Ok(CommandStatus::Success);
    }
    // List of all scenes.
    let all = percuss_scene::builtin::list()?;
    if args.json {
        let examples: Vec<Example> = all
            .into_iter()
            .map(|e| Example {
                name: e.name,
                title: e.title,
                source: e.source,
            })
            .collect();
        output::print_json(&serde_json::json!({ "examples": examples }))?;
        return Ok(CommandStatus::Success);
    }
    let text = if args.quiet {
        all.iter().map(|e| format!("{}\n", e.name)).collect()
    } else {
        let rows: Vec<[String; 3]> = all
            .into_iter()
            .map(|e| [e.name, e.title, e.source])
            .collect();
        text_table::aligned(&rows)
    };
    output::print(&text)?;
    Ok(CommandStatus::Success)
}
