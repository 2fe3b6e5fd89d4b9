"""Opens records and exports of percuss with the programs that people read them with.

usage: check.py PERCUSS RUN [RUN ...]

Every table of every run is read by polars, DuckDB, pandas (pyarrow) and fastparquet, and every value is
compared with what `percuss table` prints. Runs of bodies are exported for ParaView, and VTK's own reader
(through pyvista) must find the bodies, contacts, arrays and times of the records. Prints one line for each
thing that holds; ends with status 1 at the first that does not.
"""

import glob
import io
import json
import math
import os
import subprocess
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pyvista as pv

PERCUSS = sys.argv[1]


def percuss(*arguments):
    done = subprocess.run([PERCUSS, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"percuss {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def require(holds, what):
    if not holds:
        sys.exit(f"FAILED: {what}")


def expected(run, table):
    """The stored columns of a table as `percuss table` prints them: lists with None for null."""
    names = [c["name"] for c in table["columns"]]
    # Names may hold commas (observables), which separate columns on the command line: all are asked for,
    # and those that are joined (names of bodies) are left out here.
    rows = json.loads(percuss("table", run, table["name"], "--format", "json"))
    return {name: [row[name] for row in rows] for name in names}


def same(found, wanted, real):
    """Whether values are equal bit for bit; a number that is not finite is null in JSON."""
    if len(found) != len(wanted):
        return False
    for a, b in zip(found, wanted):
        if a is None or (isinstance(a, float) and not math.isfinite(a)):
            if b is not None:
                return False
        elif real:
            if b is None or float(a) != float(b):
                return False
        elif a != b:
            return False
    return True


def readers(files):
    """Columns of a table by each reader, as Python values."""
    frame = pl.read_parquet(files)
    yield "polars", {name: frame[name].to_list() for name in frame.columns}
    with duckdb.connect() as session:
        relation = session.execute(f"SELECT * FROM read_parquet({files})")
        names = [d[0] for d in relation.description]
        rows = relation.fetchall()
    yield "duckdb", {name: [row[k] for row in rows] for k, name in enumerate(names)}
    for engine in ("pyarrow", "fastparquet"):
        parts = [pd.read_parquet(file, engine=engine) for file in files]
        frame = pd.concat(parts, ignore_index=True)
        yield f"pandas ({engine})", {name: frame[name].tolist() for name in frame.columns}


def check_tables(run, manifest):
    for table in manifest["tables"]:
        files = sorted(glob.glob(os.path.join(run, table["name"] + "-*.parquet")))
        wanted = expected(run, table)
        for reader, found in readers(files):
            for column in table["columns"]:
                name, real = column["name"], column["type"] == "real"
                values = found.get(name)
                require(values is not None, f"{run}: {reader}: {table['name']} has no `{name}`")
                good = same(values, wanted[name], real)
                require(good, f"{run}: {reader}: {table['name']}.{name} has other values")
        for file in files:
            notes = pq.read_schema(file).metadata
            require(notes[b"percuss.table"].decode() == table["name"], f"{file}: names its table")
            told = json.loads(notes[b"percuss.columns"])
            require(told == table["columns"], f"{file}: explains its columns as run.json does")
            require(pq.read_metadata(file).num_row_groups == 1, f"{file}: one row group")
    print(f"{run}: {len(manifest['tables'])} tables alike in 4 readers")


def series(folder, name):
    """Times and files of a series, by VTK's reader of collections."""
    reader = pv.get_reader(os.path.join(folder, name + ".pvd"))
    for k, t in enumerate(reader.time_values):
        reader.set_active_time_point(k)
        yield t, reader.read()[0]


def check_export(run, manifest):
    every = 3
    names = pl.read_parquet(os.path.join(run, "names-*.parquet"))
    bodies = pl.read_parquet(os.path.join(run, "bodies-*.parquet"))
    contacts = pl.read_parquet(os.path.join(run, "contacts-*.parquet"))
    flat = "z" not in bodies.columns
    axes = ["x", "y"] if flat else ["x", "y", "z"]
    first = bodies.filter(pl.col("step") == bodies["step"][0])
    steps = bodies["step"].unique(maintain_order=True).to_list()[::every]
    round_ones = names.filter(pl.col("shape").is_in(["disc", "sphere"])).height
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "vtk")
        percuss("export", run, "--vtk", out, "--every", str(every), "--tessellate", "8", "--chains", "-q")
        points, shapes, touches, chains = (list(series(out, s)) for s in ("bodies", "shapes", "contacts", "chains"))
        require(len(points) == len(shapes) == len(touches) == len(steps), f"{run}: states exported")
        for k, step in enumerate(steps):
            state = bodies.filter(pl.col("step") == step)
            t, mesh = points[k]
            require(t == state["t"][0] == touches[k][0] == shapes[k][0], f"{run}: time of state {k}")
            require(mesh.n_points == mesh.n_verts == names.height, f"{run}: number of bodies")
            where = state.select(axes).to_numpy()
            require((mesh.points[:, : len(axes)] == where).all(), f"{run}: positions")
            require((mesh["body"] == state["body"].to_numpy()).all(), f"{run}: numbers of bodies")
            speed = state.select([f"v{a}" for a in axes]).to_numpy()
            require((mesh["velocity"][:, : len(axes)] == speed).all(), f"{run}: velocities")
            moved = where - first.select(axes).to_numpy()
            require((mesh["displacement"][:, : len(axes)] == moved).all(), f"{run}: displacements")
            mass = names["mass"].fill_null(float("nan")).to_numpy()
            require(np.array_equal(mesh["mass"], mass, equal_nan=True), f"{run}: masses")
            for array in ("group", "material", "speed", "spin", "radius", "size", "rotation"):
                require(array in mesh.point_data, f"{run}: array {array}")
            _, surface = shapes[k]
            require(surface.n_cells > 0, f"{run}: surfaces")
            require(set(surface["body"]) == set(range(names.height)), f"{run}: every body has a surface")
            check_contacts(run, contacts, step, flat, axes, touches[k][1], chains[k][1])
        check_shapes(run, names, shapes[0][1], points[0][1], round_ones, flat)
    print(f"{run}: {len(steps)} states alike in VTK")


def check_contacts(run, contacts, step, flat, axes, mesh, lines):
    found = contacts.filter(pl.col("step") == step)
    require(mesh.n_points == found.height, f"{run}: number of contacts at step {step}")
    if found.height == 0:
        return
    require((mesh.points[:, : len(axes)] == found.select(axes).to_numpy()).all(), f"{run}: contact points")
    require((mesh["a"] == found["a"].to_numpy()).all(), f"{run}: first bodies")
    require((mesh["b"] == found["b"].to_numpy()).all(), f"{run}: second bodies")
    require((mesh["gap"] == found["gap"].to_numpy()).all(), f"{run}: gaps")
    status = [["open", "stick", "slip"].index(s) for s in found["status"]]
    require((mesh["status"] == status).all(), f"{run}: status")
    along = found["impulse_n"].to_numpy()
    require((mesh["impulse_n"] == along).all(), f"{run}: normal impulses")
    normal = np.zeros((found.height, 3))
    normal[:, : len(axes)] = found.select([f"normal_{a}" for a in axes]).to_numpy()
    tangent = np.zeros((found.height, 3))
    if flat:
        tangent[:, 0], tangent[:, 1] = -normal[:, 1], normal[:, 0]
    else:
        tangent = found.select([f"tangent_{a}" for a in axes]).to_numpy()
    impulse = along[:, None] * normal + found["impulse_t1"].fill_null(0).to_numpy()[:, None] * tangent
    if not flat:
        across = np.cross(normal, tangent)
        impulse = impulse + found["impulse_t2"].fill_null(0).to_numpy()[:, None] * across
    # Three products and two sums in another order: a few units in the last place of the largest term.
    scale = np.abs(impulse).max() + 1e-300
    require(np.abs(mesh["impulse"] - impulse).max() <= 4e-15 * scale, f"{run}: impulse vectors")
    carried = mesh["impulse_n"][(mesh["impulse_n"] != 0) | (mesh["impulse_t"] != 0)]
    require(lines.n_lines == len(carried), f"{run}: lines of contacts that carry something")
    require(np.array_equal(lines["impulse_n"], carried), f"{run}: impulses of the lines")


def check_shapes(run, names, surface, points, round_ones, flat):
    """Corners of what is drawn of a round body are on it."""
    radius = points["radius"]
    require((radius > 0).sum() == round_ones, f"{run}: radii of discs and balls")
    for body in np.flatnonzero(radius > 0)[:5]:
        cells = surface.extract_cells(np.flatnonzero(surface["body"] == body))
        away = np.linalg.norm(cells.points - points.points[body], axis=1)
        # Rounding of a rotated and moved point.
        slack = 1e-12 * (1 + np.abs(points.points[body]).max())
        require(np.abs(away - radius[body]).max() <= slack, f"{run}: corners on the ball")


for run in sys.argv[2:]:
    with open(os.path.join(run, "run.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    check_tables(run, manifest)
    if any(table["name"] == "bodies" for table in manifest["tables"]):
        check_export(run, manifest)
print("python: all well")
