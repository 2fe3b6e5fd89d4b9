"""Problems: solve, files, matrices of any kind."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import percuss as pc
import pytest

DATA = Path(__file__).resolve().parents[3] / "data" / "fclib"


def packing(contacts: int = 20, seed: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """W = G G^T + a little, b towards contact."""
    random = np.random.default_rng(seed)
    g = random.normal(size=(3 * contacts, 4 * contacts))
    b = random.normal(size=3 * contacts)
    b[::3] -= 1.0
    return g @ g.T / contacts, b, np.full(contacts, 0.4)


def coulomb_gap(w: np.ndarray, b: np.ndarray, mu: np.ndarray, r: np.ndarray) -> float:
    """How far (r, u) is from Coulomb's law, by the projection onto the cone."""
    u = (w @ r + b).reshape(-1, 3)
    r = r.reshape(-1, 3)
    worst = 0.0
    for k in range(len(r)):
        shifted = u[k] + np.array([mu[k] * np.hypot(*u[k][1:]), 0, 0])
        worst = max(worst, float(np.abs(r[k] - project(r[k] - shifted, mu[k])).max()))
    return worst


def project(x: np.ndarray, mu: float) -> np.ndarray:
    n, t = x[0], np.hypot(*x[1:])
    if t <= mu * n:
        return x
    if mu * t <= -n:
        return np.zeros(3)
    normal = (n + mu * t) / (1 + mu * mu)
    return np.concatenate([[normal], mu * normal * x[1:] / t])


@pytest.mark.parametrize("solver", pc.solvers())
def test_every_solver_answers_with_a_judged_residual(solver: str) -> None:
    w, b, mu = packing()
    answer = pc.solve(w, b, mu, solver=solver, tolerance=1e-8, history=True)
    assert answer.u == pytest.approx(w @ answer.r + b, abs=1e-9 * np.abs(b).max() * 100)
    assert answer.method and answer.path
    if answer.solved:
        # The natural map of a problem whose entries are of order 1 to 10.
        assert coulomb_gap(w, b, mu, answer.r) < 1e-5
        assert len(answer.history[0]) == len(answer.history[1]) > 0
    else:
        assert answer.residual > 1e-8


def test_the_default_solves() -> None:
    w, b, mu = packing(40)
    answer = pc.solve(w, b, mu)
    assert answer.solved, answer
    assert "solved" in repr(answer)


def test_one_contact_slides_as_by_hand() -> None:
    # u_n = r_n - 1 = 0, sliding against the tangent: r_t = -mu r_n.
    r = pc.solve(np.eye(3), [-1.0, 0.5, 0.0], 0.3).r
    assert r == pytest.approx([1.0, -0.3, 0.0], abs=1e-8)
    plane = pc.solve(np.eye(2), [-1.0, 0.5], [0.3]).r
    assert plane == pytest.approx([1.0, -0.3], abs=1e-8)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "lil"])
def test_sparse_matrices_of_any_format_give_the_same(form: str) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    w, b, mu = packing(8)
    dense = pc.solve(w, b, mu).r
    assert np.array_equal(pc.solve(getattr(sparse, f"{form}_matrix")(w), b, mu).r, dense)


def test_files_of_the_collection_are_solved() -> None:
    files = sorted(DATA.glob("*.hdf5"))
    assert files, DATA
    problem = pc.Problem.read(files[0])
    assert str(problem.contacts) in repr(problem)
    answer = pc.solve(problem, tolerance=1e-6)
    assert answer.u == pytest.approx(problem.velocity(answer.r), abs=1e-12)
    assert problem.judge(answer.r)["r2"] == answer.r2
    assert pc.solve(files[0], tolerance=1e-6).r == pytest.approx(answer.r)


def test_not_converging_is_a_result_unless_it_is_required() -> None:
    w, b, mu = packing(40)
    answer = pc.solve(w, b, mu, solver="nlgs", max_iterations=1, tolerance=1e-14)
    assert not answer.solved
    with pytest.raises(pc.NotConverged, match="1.*e-14 was required"):
        pc.solve(w, b, mu, solver="nlgs", max_iterations=1, tolerance=1e-14, require=True)
