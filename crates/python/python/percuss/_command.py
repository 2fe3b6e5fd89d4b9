"""The command ``percuss`` of the wheel: the same as the program, run by the extension module."""

from __future__ import annotations

import signal
import sys

from ._percuss import run_command


def main() -> int:
    """Run the command with the arguments of the process; return its exit status."""
    # Python's handler of Ctrl-C would only take a note until the command returns. With the default action the command
    # handles signals as the program does; an ignored signal (nohup) stays ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_command(["percuss", *sys.argv[1:]], [sys.executable, "-m", "percuss"])
