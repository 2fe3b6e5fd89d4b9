"""Contact problems u = W r + b with Coulomb's law at every contact."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any, Optional

import numpy as np

from . import _percuss
from ._percuss import InputError, NotConverged, Problem
from ._text import numeric, wrong


@dataclass(frozen=True)
class Stage:
    """One method of a solve."""

    method: str
    iterations: int
    residual: float


@dataclass(frozen=True, repr=False)
class Solution:
    """Impulses, velocities, and how they were found."""

    r: np.ndarray[Any, Any]
    u: np.ndarray[Any, Any]
    solved: bool
    residual: float
    #: The largest velocity defect of a contact over the speed at stake.
    rv: float
    r1: float
    r2: float
    iterations: int
    method: str
    outcome: str
    seconds: float
    worst: Optional[int]
    path: list[Stage] = field(default_factory=list)
    #: Iterations and residuals of all judged iterates, where they were asked for.
    history: tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]] = (
        np.empty(0, dtype=np.int64),
        np.empty(0),
    )

    def __repr__(self) -> str:
        verdict = "solved" if self.solved else "NOT solved"
        return (
            f"<percuss.Solution {verdict}: residual {self.residual:.2e} after "
            f"{self.iterations} iterations of {self.method}>"
        )


def solvers() -> list[str]:
    """Names of the solvers, the default first."""
    return _percuss.solver_names()


def problem(W: Any, b: object, mu: object) -> Problem:
    """A problem from its matrix (NumPy, or SciPy sparse of any format), b and friction.

    ``mu`` is one number, or one for each contact. The number of rows of a contact, normal first, is
    that of b over that of contacts: 3 in space, 2 in the plane; with one number ``mu`` it is 3 where 3
    divides the number of rows, else 2. Give an array of ``mu`` where both would do.
    """
    free = numeric("b", b, (None,))
    rows = free.shape[0]
    dimension, friction = _friction(mu, rows)
    indptr, indices, data = _compressed(W, rows)
    return Problem.from_rows(dimension, indptr, indices, data, free, friction)


def _friction(mu: object, rows: int) -> tuple[int, np.ndarray[Any, Any]]:
    expected = "a number, or an array with one for each contact"
    try:
        values = np.asarray(mu)
    except ValueError:
        raise wrong("mu", mu, expected) from None
    if values.dtype.kind not in "fiu" or values.ndim > 1:
        raise wrong("mu", mu, expected)
    values = values.astype(np.float64)
    if not np.isfinite(values).all() or (values < 0).any():
        raise wrong("mu", mu, "numbers that are finite and not negative")
    if values.ndim == 0 or values.shape == (1,):
        dimension = 3 if rows % 3 == 0 else 2
        if rows % dimension:
            raise InputError(f"`b`: 2 or 3 rows for each contact were expected, not {rows} in all")
        return dimension, np.full(rows // dimension, float(values.reshape(-1)[0]))
    count = values.shape[0]
    if count == 0 or rows % count or rows // count not in (1, 2, 3):
        raise InputError(
            f"`mu`: {count} entries do not fit the {rows} rows of `b`: 2 (plane) or 3 (space) rows "
            "for each contact were expected"
        )
    return rows // count, values


def _compressed(W: Any, rows: int) -> tuple[Any, Any, Any]:
    """Rows of W, of a dense array or anything with ``tocsr``."""
    if hasattr(W, "tocsr"):
        W = W.tocsr()
        if W.shape != (rows, rows):
            raise InputError(f"`W`: a matrix of {rows} x {rows} was expected, as `b` has {rows} rows, not {W.shape}")
        data = numeric("W", W.data, (None,))
        indptr = np.ascontiguousarray(W.indptr, dtype=np.int64)
        return indptr, np.ascontiguousarray(W.indices, dtype=np.int64), data
    dense = numeric("W", W, (rows, rows))
    found = dense != 0.0
    starts = np.zeros(rows + 1, dtype=np.int64)
    np.cumsum(found.sum(axis=1), out=starts[1:])
    _, indices = np.nonzero(found)
    return starts, np.ascontiguousarray(indices, dtype=np.int64), dense[found]


def solve(
    W: Any,
    b: object = None,
    mu: object = None,
    *,
    solver: str = "auto",
    tolerance: float = 1e-8,
    max_iterations: Optional[int] = None,
    measure: str = "rv",
    history: bool = False,
    start: object = None,
    require: bool = False,
) -> Solution:
    """Solves u = W r + b, 0 <= u_n + mu |u_t| and Coulomb's law at every contact.

    ``W`` is a matrix (NumPy or SciPy sparse), a :class:`Problem`, or the name of a problem file.
    Not converging is a result; with ``require=True`` it raises :class:`NotConverged`.

    >>> import numpy as np
    >>> percuss.solve(np.eye(3), [-1.0, 0.5, 0.0], 0.3).r[:2].round(6).tolist()
    [1.0, -0.3]
    """
    if isinstance(W, Problem) or isinstance(W, (str, os.PathLike)):
        if b is not None or mu is not None:
            raise InputError("`b`, `mu`: a problem has its own; give them with a matrix only")
        posed = W if isinstance(W, Problem) else Problem.read(os.fspath(W))
    else:
        if b is None:
            raise InputError("`b`: an array with one entry for each row of `W` was expected")
        if mu is None:
            raise InputError("`mu`: a number, or one for each contact, was expected")
        posed = problem(W, b, mu)
    if not isinstance(solver, str):
        raise wrong("solver", solver, f"one of {', '.join(solvers())}")
    first = None if start is None else numeric("start", start, (posed.rows,))
    answer = posed.solve(solver, tolerance, max_iterations, measure, history, first)
    answer["path"] = [Stage(*stage) for stage in answer["path"]]
    solution = Solution(**answer)
    if require and not solution.solved:
        raise NotConverged(
            f"the residual {measure.upper()} is {solution.residual:e} after {solution.iterations} "
            f"iterations of {solution.method}; {tolerance:e} was required"
        )
    return solution
