//! `percuss view`: serves the viewer page of a run and opens it in a browser.

use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::Args;
use percuss_view::{FollowedRun, Options, Server, ViewError};

use crate::console;
use crate::error::{CommandError, CommandStatus};
use crate::output;

impl From<ViewError> for CommandError {
    fn from(error: ViewError) -> Self {
        match error.is_fault() {
            true => Self::Machine(error.to_string()),
            false => Self::Input(error.to_string()),
        }
    }
}

/// Look at a run in the browser, also while it is under way
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    percuss view runs/wall-1\n  \
    percuss view runs/wall-1 --no-browser --port 8080    print the address, open nothing\n  \
    ssh -L 8080:127.0.0.1:8080 host                      then open the printed address here; add\n                                                       \
    --compress to percuss view on a slow line\n\n\
    The page is served on this machine alone, at an address with a secret in it. Ctrl-C ends it.\n\
    Exit status: 0 ended by Ctrl-C; 2 this is not the directory of a run; 3 the port is taken, or\n\
    the run cannot be read.")]
pub struct ViewArgs {
    /// The directory of a run
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// Port of the address [default: any free one]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,

    /// Serve at ::1 instead of 127.0.0.1
    #[arg(long)]
    ipv6: bool,

    /// Compress all that is sent: for a browser behind a slow line (ssh)
    #[arg(long)]
    compress: bool,

    /// Open no browser
    #[arg(long)]
    no_browser: bool,

    /// Only the address, no messages
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn run(args: &ViewArgs) -> Result<CommandStatus, CommandError> {
    let run = FollowedRun::open(&args.directory)?;
    let options = Options {
        port: args.port.unwrap_or(0),
        ipv6: args.ipv6,
        compress: args.compress,
        ..Options::default()
    };
    let server = Server::bind(run, options).map_err(|error| refused(args, &error))?;
    // Ctrl-C stops the server.
    let stopper = server.stopper();
    ctrlc::set_handler(move || stopper.stop()).map_err(|error| {
        CommandError::Machine(format!("cannot listen to Ctrl-C: {error}; run again"))
    })?;
    let address = server.address();
    output::print(&format!("{address}\n"))?;
    // A browser that cannot be opened is not an error: the address is printed.
    if !args.no_browser {
        match open(&address) {
            Ok(()) => {}
            Err(why) if !args.quiet => console::message(&why),
            Err(_) => {}
        }
    }
    if !args.quiet {
        console::message(&format!(
            "showing {} at this address, on this machine alone; Ctrl-C ends it",
            args.directory.display()
        ));
    }
    server.serve().map_err(|error| {
        CommandError::Machine(format!(
            "the server cannot go on: {error}; start percuss view again"
        ))
    })?;
    Ok(CommandStatus::Success)
}

fn refused(args: &ViewArgs, error: &io::Error) -> CommandError {
    let host = if args.ipv6 { "::1" } else { "127.0.0.1" };
    // Advice by cause.
    CommandError::Machine(match (error.kind(), args.port) {
        (io::ErrorKind::AddrInUse, Some(port)) => format!(
            "port {port} of {host} is taken by another program; name another one, or leave --port out \
             for any that is free"
        ),
        (io::ErrorKind::PermissionDenied, Some(port)) => format!(
            "port {port} of {host} is not yours to use; name one above 1023, or leave --port out"
        ),
        _ if args.ipv6 => {
            format!("cannot serve at {host}: {error}; leave --ipv6 out")
        }
        _ => format!(
            "cannot serve at {host}: {error}; see whether the machine has a loopback address"
        ),
    })
}

/// Opens an address in the user's browser; the error is a sentence.
fn open(address: &str) -> Result<(), String> {
    let note = |why: &str| format!("no browser was opened ({why}); open the address yourself");
    let mut command = if cfg!(target_os = "macos") {
        Command::new("open")
    } else if cfg!(windows) {
        let mut command = Command::new("cmd");
        command.args(["/C", "start", ""]);
        command
    } else {
        let screen = ["DISPLAY", "WAYLAND_DISPLAY"];
        let seen = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        if !screen.iter().any(seen) {
            return Err(note("there is no screen"));
        }
        Command::new("xdg-open")
    };
    let quiet = command.arg(address).stdin(Stdio::null());
    let quiet = quiet.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = quiet.spawn().map_err(|error| note(&error.to_string()))?;
    // The child process is waited for, or it would remain a zombie.
    std::thread::spawn(move || child.wait());
    Ok(())
}
