"""The tutorials run, and the figures in them are asserted by themselves.

Notebooks are JSON with cells of code; running these in one namespace needs no Jupyter, whose fifty
packages would be the heaviest part of the tests. What they would add, the display of results, is
called here by hand: the last expression of a cell is shown as a notebook would.
"""

import ast
import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "docs" / "tutorials"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_there_are_five():
    assert [path.name[0] for path in NOTEBOOKS] == ["1", "2", "3", "4", "5"]


def shown(value):
    """What a notebook calls to show a value."""
    for name in ("_repr_html_", "_repr_svg_", "_repr_png_"):
        method = getattr(value, name, None)
        if callable(method):
            seen = method()
            # Figures of others may leave it to their own displays; ours show something.
            assert seen or not type(value).__module__.startswith("percuss"), name
    repr(value)


def run_cell(source, namespace, name):
    tree = ast.parse(source, name)
    last = None
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)
    exec(compile(tree, name, "exec"), namespace)
    if last is not None:
        value = eval(compile(last, name, "eval"), namespace)
        if value is not None:
            shown(value)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_tutorial(path):
    pytest.importorskip("matplotlib").use("Agg")
    namespace = {"__name__": "__main__"}
    for k, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] == "code":
            run_cell("".join(cell["source"]), namespace, f"{path.name}, cell {k + 1}")
    import matplotlib.pyplot as plt

    plt.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_hold_no_outputs(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    for cell in notebook["cells"]:
        assert cell.get("outputs", []) == [] and cell.get("execution_count") is None
    first = notebook["cells"][0]
    assert first["cell_type"] == "markdown" and first["source"][0].startswith("# ")
    said = sum(len("".join(c["source"])) for c in notebook["cells"] if c["cell_type"] == "markdown")
    assert said > 800, "a tutorial explains"
    assert any("assert" in "".join(c["source"]) for c in notebook["cells"])
