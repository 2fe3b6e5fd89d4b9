"""The package as it is installed: import time, examples of the docstrings, the sample."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import percuss as pc
import pytest

ROOT = Path(__file__).resolve().parents[3]


def test_import_is_light() -> None:
    """Nothing but NumPy comes with it: the time itself is in benches/cost.py."""
    code = "import percuss, sys; print([m for m in ('matplotlib', 'pandas', 'polars', 'pyarrow', 'scipy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("name", ["percuss", "percuss._scenes", "percuss._world", "percuss._runs", "percuss._problems"])
def test_examples_of_the_docstrings_hold(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), extraglobs={"percuss": pc})
    assert result.failed == 0


def test_every_public_name_has_a_docstring_and_is_typed() -> None:
    for name in pc.__all__:
        if name not in ("STATUS", "__version__"):
            assert getattr(pc, name).__doc__, name
    package = Path(pc.__file__).parent
    assert (package / "py.typed").exists() and (package / "_percuss.pyi").exists()


def test_stubs_and_module_have_the_same_names() -> None:
    from percuss import _percuss

    stub = (Path(pc.__file__).parent / "_percuss.pyi").read_text()
    for name in dir(_percuss):
        if not name.startswith("__"):
            assert f"class {name}" in stub or f"def {name}" in stub, name


def test_the_sample_runs() -> None:
    subprocess.run([sys.executable, str(Path(__file__).with_name("sample.py"))], check=True)


def test_the_examples_of_the_page_run(tmp_path: Path) -> None:
    page = ROOT / "docs" / "python.md"
    blocks = page.read_text(encoding="utf-8").split("```python\n")[1:]
    assert blocks
    code = "\n".join(block.split("```")[0] for block in blocks)
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
