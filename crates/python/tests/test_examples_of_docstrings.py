"""The examples in docstrings are run."""

import doctest
import importlib

import pytest

MODULES = [
    "_assembly", "_constraints", "_derivatives", "_functions", "_keys", "_lagrangian", "_mechanism",
    "_model", "_robot", "_rows", "_surfaces", "_sweeping", "_trajectory", "_urdf", "_writer", "_xml", "sets",
]  # fmt: skip
WITH_EXAMPLES = {
    "_assembly", "_derivatives", "_functions", "_keys", "_lagrangian", "_mechanism", "_robot",
    "_surfaces", "_sweeping", "sets",
}  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    if name == "_lagrangian":
        pytest.importorskip("sympy")
    module = importlib.import_module(f"percuss.{name}")
    result = doctest.testmod(module)
    assert result.failed == 0
    assert (result.attempted > 0) == (name in WITH_EXAMPLES)
