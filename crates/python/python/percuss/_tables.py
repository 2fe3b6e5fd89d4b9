"""Tables of a run: columns as NumPy arrays, the whole by the Arrow PyCapsule interface."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import Any, Optional

import numpy as np

from ._percuss import Columns
from ._warnings import warn_renamed


class Table(Mapping[str, Any]):
    """A table of a run: a mapping of its columns to NumPy arrays.

    Anything that reads the Arrow PyCapsule interface takes it as it is: ``pyarrow.table(table)``,
    ``polars.DataFrame(table)``, ``pandas.DataFrame.from_arrow(table)`` (pandas 3).
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._cache: dict[str, Any] = {}

    @property
    def name(self) -> str:
        """Its name."""
        return self._columns.name

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._columns.names

    @property
    def rows(self) -> int:
        """Number of rows."""
        return len(self._columns)

    def __getitem__(self, column: str) -> Any:
        renamed = None if column in self.columns else self._columns.renamed(column)
        if renamed is not None:
            column, sentence = renamed
            warn_renamed([sentence])
        if column not in self._cache:
            values = self._columns.column(column)
            if isinstance(values, list):
                values = np.array(values, dtype=np.str_)
            values.flags.writeable = False
            self._cache[column] = values
        return self._cache[column]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> object:
        return self._columns.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> Any:
        """The table as a ``pyarrow.Table``."""
        return _library("pyarrow").table(self)

    def to_pandas(self) -> Any:
        """The table as a ``pandas.DataFrame``."""
        return _library("pandas").DataFrame({name: self[name] for name in self})

    def to_polars(self) -> Any:
        """The table as a ``polars.DataFrame``."""
        return _library("polars").DataFrame(self)

    def __repr__(self) -> str:
        shown = ", ".join(self.columns[:8]) + (", ..." if len(self.columns) > 8 else "")
        return f"<percuss.Table {self.name}: {self.rows} rows of {shown}>"

    def _repr_html_(self) -> str:
        from html import escape

        names = self.columns
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = ""
        for row in range(min(self.rows, 10)):
            cells = (self[name][row] for name in names)
            body += "<tr>" + "".join(f"<td>{escape(_short(x))}</td>" for x in cells) + "</tr>"
        more = f"<p>{self.rows} rows</p>" if self.rows > 10 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _library(name: str) -> Any:
    """A library that is used where it is there."""
    return importlib.import_module(name)


def _short(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)
