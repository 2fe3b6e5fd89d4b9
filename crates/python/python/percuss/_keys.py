"""Scene text from Python values.

Keyword arguments become the keys of a scene file, so that one reader checks them and one set of
messages speaks of them. Numbers, words, lists, dicts and NumPy arrays are understood; ``None`` leaves
a key out.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ._percuss import InputError

__all__ = ["Table", "scene_text", "value_text"]

#: Keys and values of one table of a scene.
Table = Mapping[str, Any]

_BARE = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")

#: Deepest nesting of lists and dicts; the scene language needs six.
_DEEPEST = 16


def _key(name: object, where: str) -> str:
    if not isinstance(name, str):
        raise InputError(f"`{where}`: a key is {name!r}; a word was expected")
    if name and set(name) <= _BARE:
        return name
    return _text(name, where)


def _text(value: str, where: str) -> str:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"`{where}`: {value!r} is no text") from None
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def value_text(value: Any, where: str, depth: int = 0) -> str:
    """A value as TOML.

    >>> value_text({"plus": 0.2, "minus": [1, 2.0]}, "friction")
    '{ plus = 0.2, minus = [1, 2.0] }'
    """
    if depth > _DEEPEST:
        raise InputError(f"`{where}`: it is nested more than {_DEEPEST} deep")
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biufUO":
            raise InputError(f"`{where}`: an array of {value.dtype}; real numbers were expected")
        value = value.tolist()
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise InputError(f"`{where} = {value}`: the number is too large")
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InputError(f"`{where} = {value}`: a finite number was expected")
        return repr(value)
    if isinstance(value, str):
        return _text(value, where)
    if isinstance(value, Mapping):
        pairs = [
            f"{_key(k, where)} = {value_text(v, f'{where}.{k}', depth + 1)}"
            for k, v in value.items()
            if v is not None
        ]
        return "{ " + ", ".join(pairs) + " }" if pairs else "{}"
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        parts = [value_text(v, f"{where}[{k}]", depth + 1) for k, v in enumerate(value)]
        return "[" + ", ".join(parts) + "]"
    kind = type(value).__name__
    raise InputError(
        f"`{where}`: {kind} is not understood; a number, an expression in a string, a list or a "
        "dict was expected"
    )


def _lines(table: Table, where: str) -> list[str]:
    return [
        f"{_key(key, where)} = {value_text(value, f'{where}.{key}')}"
        for key, value in table.items()
        if value is not None
    ]


def _mapping(value: Any, where: str) -> Table:
    if not isinstance(value, Mapping):
        kind = type(value).__name__
        raise InputError(f"`{where}`: a dict of keys was expected, not {kind}")
    return value


def scene_text(keys: Table) -> str:
    """The text of a scene: plain values first, dicts as ``[tables]``, lists of dicts as ``[[tables]]``.

    >>> print(scene_text({"kind": "sweep", "run": {"until": 1.0}, "contact": [{"name": "a"}]}))
    kind = "sweep"
    <BLANKLINE>
    [run]
    until = 1.0
    <BLANKLINE>
    [[contact]]
    name = "a"
    <BLANKLINE>
    """
    plain: list[str] = []
    rest: list[str] = []
    for key, value in keys.items():
        if value is None:
            continue
        name = _key(key, "scene")
        if isinstance(value, Mapping):
            rest += ["", f"[{name}]", *_lines(value, str(key))]
        elif (
            isinstance(value, Sequence)
            and not isinstance(value, str)
            and len(value) > 0
            and all(isinstance(item, Mapping) for item in value)
        ):
            for k, item in enumerate(value):
                rest += ["", f"[[{name}]]", *_lines(_mapping(item, key), f"{key}[{k}]")]
        elif isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 0:
            continue
        else:
            plain.append(f"{name} = {value_text(value, str(key))}")
    return "\n".join([*plain, *rest]) + "\n"


def overrides(values: Table | None, where: str = "set") -> list[tuple[str, str]]:
    """Keys and values as ``--set`` has them.

    >>> overrides({"mu": 0.3, "law": "poisson"})
    [('mu', '0.3'), ('law', 'poisson')]
    """
    pairs: list[tuple[str, str]] = []
    for key, value in (values or {}).items():
        if not isinstance(key, str):
            raise InputError(f"`{where}`: a key is {key!r}; a word was expected")
        if isinstance(value, str):
            _text(value, f"{where}.{key}")
            pairs.append((key, value))
        else:
            pairs.append((key, value_text(value, f"{where}.{key}")))
    return pairs
