"""Runs: of scenes, of worlds, their tables and pictures."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import percuss as pc
import pytest

from conftest import block_world


@pytest.fixture(scope="module")
def wall() -> pc.Run:
    return pc.run("wall-perfect", until=0.05, findings=False, threads=1)


def test_a_run_has_its_certificate_and_tables(wall: pc.Run) -> None:
    assert wall.status == "finished"
    assert wall.certificate["ok"] is True
    assert wall.certificate["steps"] == 50
    steps = wall.tables["steps"]
    assert steps.rows == 50
    assert steps["residual"].max() == wall.certificate["worst_residual"]
    assert "bodies" in wall.tables and len(wall.tables) >= 4
    assert "certificate ok" in repr(wall)


def test_findings_are_measured_as_the_command_measures_them() -> None:
    run = pc.run("ball-e05")
    assert run.ok
    assert run.findings and all(f["ok"] is not False for f in run.findings)


def test_a_missing_table_or_column_raises_with_those_there_are(wall: pc.Run) -> None:
    with pytest.raises(pc.InputError, match="there is no table `step`; it has .*steps"):
        wall.tables["step"]
    with pytest.raises(pc.InputError, match="no column `colour`"):
        wall.tables["steps"]["colour"]


def test_tables_go_to_arrow_bit_by_bit(wall: pc.Run) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    for name in wall.tables:
        table = wall.tables[name]
        arrow = table.to_arrow()
        assert arrow.num_rows == table.rows
        assert arrow.column_names == table.columns
        arrow.validate(full=True)
        chunks = sorted(wall.directory.glob(f"{name}-*.parquet"))
        # The files as another reader reads them.
        import pyarrow.parquet as parquet

        stored = pyarrow.concat_tables([parquet.read_table(chunk) for chunk in chunks])
        for column in table.columns:
            ours, theirs = arrow[column].to_pylist(), stored[column].to_pylist()
            assert ours == theirs or np.array_equal(np.array(ours), np.array(theirs), equal_nan=True)


def test_tables_go_to_polars_and_pandas(wall: pc.Run) -> None:
    table = wall.tables["steps"]
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(table)["residual"].to_list() == table["residual"].tolist()
    pandas = pytest.importorskip("pandas")
    assert isinstance(table.to_pandas(), pandas.DataFrame)


def test_a_stream_that_nobody_takes_is_freed(wall: pc.Run) -> None:
    for _ in range(100):
        wall.tables["steps"].__arrow_c_stream__()


def test_plots_and_pictures_are_drawn(wall: pc.Run, tmp_path: Path) -> None:
    assert "energy" in wall.plots
    drawing = wall.drawing("energy")
    assert drawing.svg.startswith("<") and drawing.png.startswith(b"\x89PNG")
    drawing.save(tmp_path / "energy.png")
    assert (tmp_path / "energy.png").stat().st_size > 1000
    assert wall.plot("picture") is not None
    html = wall._repr_html_()
    assert "certificate" in html and "<svg" in html
    with pytest.raises(pc.InputError):
        wall.drawing("no such plot")


def test_plots_with_matplotlib(wall: pc.Run) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure = wall.plot("energy")
    assert figure.axes[0].lines
    assert isinstance(wall.plot("picture"), pc.Drawing)


def test_a_run_is_verified(wall: pc.Run) -> None:
    report = wall.verify(every=10)
    assert report["ok"] is True and report["checks"]


def test_a_recorded_world_is_a_run_like_any_other(tmp_path: Path) -> None:
    world = block_world()
    world.finding("creep", "final(block_x)", expected=0, tolerance=1e-9)
    course = world.run(until=0.1, out=tmp_path / "run", every=10, observe=["kinetic", "block_y"])
    assert course.run is not None and course.run.ok
    assert course.run.findings[0]["ok"] is True
    assert len(course.t) == 101 and len(course["kinetic"]) == 101
    assert pc.verify(tmp_path / "run")["ok"] is True
    again = pc.open(tmp_path / "run")
    assert again.tables["bodies"].rows == 11 * 2
    assert again.picture().svg


def test_a_world_with_callables_is_recorded_but_not_computed_without_them(tmp_path: Path) -> None:
    world = pc.World(gravity=[0, -10], step=1e-3)
    world.material("m", density=1)
    world.law()
    world.half_plane(motion=lambda t: [0.01 * np.sin(30 * t), 0.0], name="ground")
    world.disc(0.1, position=[0, 0.1])
    course = world.run(until=0.05, out=tmp_path / "run")
    assert course.run is not None and course.run.status == "finished"
    assert course.run.picture().svg
    with pytest.raises(pc.InputError, match="given by a program.*ground"):
        pc.verify(tmp_path / "run")
    with pytest.raises(pc.InputError, match="callable"):
        world.to_scene()


def test_a_place_that_is_taken_is_refused(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("x")
    with pytest.raises(pc.Error):
        pc.run("ball-e05", out=tmp_path)


def test_progress_is_told() -> None:
    told: list[float] = []
    world = block_world()
    world.run(until=2.0, progress=lambda share, t, words: told.append(share))
    assert all(0 <= share <= 1 for share in told)


INTERRUPTED = """
    import sys, percuss as pc, threading, os, signal, time
    out = sys.argv[1]
    def kill():
        # Not before there is something to stop.
        while not os.path.exists(out): time.sleep(0.01)
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=kill, daemon=True).start()
    try:
        pc.run("wall-perfect", out, until=1000, findings=False)
    except KeyboardInterrupt:
        run = pc.open(out)
        print(run.status, run.reached > 0)
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interruption_stops_between_steps_and_leaves_a_checkpoint(tmp_path: Path) -> None:
    out = tmp_path / "run"
    code = textwrap.dedent(INTERRUPTED)
    done = subprocess.run(
        [sys.executable, "-c", code, str(out)], capture_output=True, text=True, timeout=300
    )
    assert done.stdout.split() == ["interrupted", "True"], done.stderr
    assert list(out.glob("checkpoint*")), list(out.iterdir())
    assert signal.SIGINT


def test_an_interrupted_world_is_resumed_to_the_same_bits(tmp_path: Path) -> None:
    whole = block_world(friction=0.2)
    whole.run(until=0.2, out=tmp_path / "whole", every=5)

    class Stop(Exception):
        pass

    def stop(w: pc.World) -> None:
        if w.time > 0.1:
            raise Stop

    broken = block_world(friction=0.2)
    with pytest.raises(Stop):
        broken.run(until=0.2, out=tmp_path / "broken", every=5, callback=stop)
    assert pc.open(tmp_path / "broken").status == "interrupted"
    resumed = pc.resume(tmp_path / "broken")
    assert resumed.status == "finished"
    ours, theirs = resumed.tables["bodies"], pc.open(tmp_path / "whole").tables["bodies"]
    for column in ours:
        assert np.array_equal(ours[column], theirs[column]), column


def test_a_scene_is_checked_without_running() -> None:
    assert pc.check("wall").kind == "bodies"
    with pytest.raises(pc.InputError, match="mue"):
        pc.check("wall", set={"mue": 0.1})
