"""The command in the wheel: the script ``percuss`` and ``python -m percuss``."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import percuss as pc
import pytest

SCRIPT = Path(sysconfig.get_path("scripts")) / ("percuss.exe" if os.name == "nt" else "percuss")
WAYS = [[str(SCRIPT)], [sys.executable, "-m", "percuss"]]


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(SCRIPT), *arguments], cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("way", WAYS, ids=["script", "module"])
def test_both_ways_lead_to_the_command(way: list[str]) -> None:
    done = subprocess.run([*way, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"percuss {pc.__version__}\n")


def test_it_knows_all_built_in_scenes(tmp_path: Path) -> None:
    done = command(tmp_path, "examples")
    assert done.returncode == 0
    assert all(example.name in done.stdout for example in pc.examples())


def test_a_run_is_recorded_verified_and_exported_with_the_page(tmp_path: Path) -> None:
    assert command(tmp_path, "run", "ball-e05", "-o", "run", "--quiet").returncode == 0
    assert command(tmp_path, "verify", "run").returncode == 0
    assert command(tmp_path, "export", "run", "--html", "run.html").returncode == 0
    page = (tmp_path / "run.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and len(page) > 500_000


def test_statuses_are_those_of_the_program(tmp_path: Path) -> None:
    done = command(tmp_path, "run", "there-is-no-such-scene")
    assert done.returncode == 2 and "there-is-no-such-scene" in done.stderr
    assert "Traceback" not in done.stderr
    done = command(tmp_path, "no-such-command")
    assert done.returncode == 2 and "no-such-command" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_a_run_after_its_step(tmp_path: Path) -> None:
    run = subprocess.Popen(
        [str(SCRIPT), "run", "wall-perfect", "-o", "run"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    manifest = tmp_path / "run" / "run.json"
    for _ in range(600):
        if manifest.exists() or run.poll() is not None:
            break
        time.sleep(0.05)
    # The steps have begun a little after the manifest is there.
    time.sleep(0.5)
    run.send_signal(signal.SIGINT)
    _, said = run.communicate(timeout=120)
    assert run.returncode == 130 and "interrupted" in said
    assert command(tmp_path, "show", "run").returncode in (0, 1)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_an_ignored_ctrl_c_stays_ignored(tmp_path: Path) -> None:
    run = subprocess.Popen(
        [str(SCRIPT), "run", "ball-e05", "-o", "run", "--quiet"],
        cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    # Signals all the time, from the start of the interpreter to the end of the command.
    while run.poll() is None:
        run.send_signal(signal.SIGINT)
        time.sleep(0.02)
    assert run.returncode == 0
