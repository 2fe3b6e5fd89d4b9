"""Writes the test files of this folder with h5py, an HDF5 implementation of its own.

They hold what the layout allows and the public collection does not show: compressed and chunked
datasets, other integer widths, big-endian and single-precision numbers, compressed columns,
unsorted and duplicate entries, bilateral rows, two dimensions, the newest container format.
"""

import h5py
import numpy as np


def matrix(group, name, shape, nz, p, i, x, ints="<i4", floats="<f8", **options):
    g = group.create_group(name)
    for key, value in (("m", shape[0]), ("n", shape[1]), ("nz", nz), ("nzmax", len(x))):
        g.create_dataset(key, data=np.array([value], dtype=ints))
    g.create_dataset("p", data=np.array(p, dtype=ints), **options)
    g.create_dataset("i", data=np.array(i, dtype=ints), **options)
    g.create_dataset("x", data=np.array(x, dtype=floats), **options)


def local(path, ints, floats, libver, **options):
    """Two plane contacts, W = [[2,1,0,0],[1,3,0,0],[0,0,4,0],[0,0,0.5,5]] by columns."""
    with h5py.File(path, "w", libver=libver) as f:
        top = f.create_group("fclib_local")
        top["spacedim"] = np.array([2], dtype=ints)
        matrix(top, "W", (4, 4), -1, [0, 2, 4, 6, 7], [1, 0, 0, 1, 2, 3, 3],
               [1, 2, 1, 3, 4, 0.5, 5], ints, floats, **options)
        matrix(top, "V", (4, 1), 2, [0, 0], [0, 3], [0.5, -0.25], ints, floats)
        matrix(top, "R", (1, 1), -2, [0, 1], [0], [8], ints, floats)
        vectors = top.create_group("vectors")
        vectors.create_dataset("q", data=np.array([-1, 0.5, -2, 0.25], dtype=floats), **options)
        vectors.create_dataset("mu", data=np.array([0.5, 0], dtype=floats))
        vectors.create_dataset("s", data=np.array([0.125], dtype=floats))
        info = top.create_group("info")
        info["title"] = "plane"  # of variable length
        info.attrs["numberOfInvolvedDS"] = 2
        solution = f.create_group("solution")
        solution["u"] = np.array([0, 1, 2, 3], dtype=floats)
        solution.create_dataset("r", (4,), dtype=floats)  # never written
        solution["l"] = np.array([7], dtype=floats)


local("h5py_old.hdf5", "<i4", "<f8", "earliest")
local("h5py_big_endian.hdf5", ">i8", ">f8", "earliest")
local("h5py_small_types.hdf5", "i1", "<f4", "earliest")
local("h5py_gzip.hdf5", "<i2", "<f8", "earliest", chunks=(2,), compression="gzip", shuffle=True)
local("h5py_latest.hdf5", "<i4", "<f8", "latest", chunks=(3,))
with h5py.File("h5py_global.hdf5", "w") as f:
    top = f.create_group("fclib_global")
    top["spacedim"] = np.array([3], dtype="i4")
    # Triplets: i is the row, p the column; the entry (0, 0) comes in two parts.
    matrix(top, "M", (2, 2), 3, [0, 1, 0], [0, 1, 0], [1.5, 4, 0.5])
    matrix(top, "H", (2, 3), 4, [2, 0, 1, 0], [1, 0, 1, 1], [3, 1, 2, 0])
    matrix(top, "G", (2, 1), -1, [0, 1], [1], [1])
    top["vectors/f"] = np.array([-1.0, 1.0])
    top["vectors/w"] = np.array([0.25, 0.0, 0.0])
    top["vectors/mu"] = np.array([0.75])
    top["vectors/b"] = np.array([0.5])
    f["guesses/number_of_guesses"] = np.array([2], dtype="i4")
    for k in (1, 2):
        f[f"guesses/{k}/u"] = np.array([k, 0.0, 0.0])
        f[f"guesses/{k}/r"] = np.array([0.0, k, 0.0])
        f[f"guesses/{k}/v"] = np.array([1.0, k])
        f[f"guesses/{k}/l"] = np.array([-1.0 * k])
for name, options in (("contiguous", {}), ("chunked", {"chunks": (1024,)})):
    with h5py.File(f"h5py_huge_{name}.hdf5", "w") as f:
        f["fclib_local/spacedim"] = np.array([3], dtype="i4")
        f["fclib_local/vectors/mu"] = np.array([0.5])
        # 8 TiB by its header, nothing in the file.
        f.create_dataset("fclib_local/vectors/q", (1 << 40,), dtype="f8", **options)
