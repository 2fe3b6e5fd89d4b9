#!/usr/bin/env python3
"""One problem, one method of Siconos: prints its processor seconds and where it got.

usage: peer.py PROBLEM METHOD TOLERANCE IMPULSES      METHOD: NSGS NSGS:full NSN_AC PROX ADMM
       peer.py --version

PROBLEM is a binary file that ./bench writes (little endian): contacts and non-zeros of W as two 64-bit
integers, then row pointers and columns of W (64-bit integers), its values, q and mu (64-bit floats).
IMPULSES receives the impulses as 64-bit floats; ./bench judges them itself.
Needs python3-siconos and scipy.
"""
import sys
import time
import warnings

warnings.filterwarnings("ignore")


def load(path):
    import numpy as np
    from scipy import sparse

    with open(path, "rb") as file:
        data = file.read()
    contacts, nonzeros = np.frombuffer(data, "<i8", 2)
    rows = 3 * contacts
    at = 16

    def take(kind, count):
        nonlocal at
        part = np.frombuffer(data, kind, count, at).copy()
        at += 8 * count
        return part

    pointers, columns = take("<i8", rows + 1), take("<i8", nonzeros)
    values, q, mu = take("<f8", nonzeros), take("<f8", rows), take("<f8", contacts)
    matrix = sparse.csr_matrix((values, columns, pointers), shape=(rows, rows))
    return int(contacts), matrix, q, mu


def options(numerics, method, tolerance):
    """Default settings of each method with this tolerance and more iterations than it will need."""
    number, iterations = {
        "NSGS": (numerics.SICONOS_FRICTION_3D_NSGS, 10**8),
        "NSGS:full": (numerics.SICONOS_FRICTION_3D_NSGS, 10**8),
        "NSN_AC": (numerics.SICONOS_FRICTION_3D_NSN_AC, 10**4),
        "PROX": (numerics.SICONOS_FRICTION_3D_PROX, 10**5),
        "ADMM": (numerics.SICONOS_FRICTION_3D_ADMM, 10**7),
    }[method]
    chosen = numerics.SolverOptions(number)
    chosen.dparam[numerics.SICONOS_DPARAM_TOL] = tolerance
    chosen.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = iterations
    if number == numerics.SICONOS_FRICTION_3D_NSGS:
        chosen.iparam[numerics.SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = (
            numerics.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL
            if method == "NSGS:full"
            else numerics.SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_LIGHT_WITH_FULL_FINAL
        )
    return chosen


def main():
    from siconos import numerics

    if sys.argv[1:] == ["--version"]:
        import scipy.sparse  # noqa: F401 (without it nothing can be read)

        print("found")
        return
    path, method, tolerance, output = sys.argv[1:]
    import numpy as np

    contacts, matrix, q, mu = load(path)
    if method.startswith("NSGS"):
        # The storage by blocks that this method is written for.
        _, blocks = numerics.SBM_from_csparse(3, matrix.tocsc())
        stored = numerics.NM_new_SBM(3 * contacts, 3 * contacts, blocks)
        problem = numerics.frictionContactProblem_new_with_data(3, contacts, stored, q, mu)
    else:
        problem = numerics.FrictionContactProblem(3, contacts, matrix.tocsc(), q, mu)
    numerics.numerics_set_verbose(0)
    reaction, velocity = np.zeros(3 * contacts), np.zeros(3 * contacts)
    chosen = options(numerics, method, float(tolerance))
    start = time.process_time()
    numerics.fc3d_driver(problem, reaction, velocity, chosen)
    seconds = time.process_time() - start
    reaction.astype("<f8").tofile(output)
    print(repr(seconds))


if __name__ == "__main__":
    main()
