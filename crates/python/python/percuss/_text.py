"""Scene text from Python values: a small writer of TOML, and the checks of arguments."""

from __future__ import annotations

import json
import math
import numbers
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any, Union

import numpy as np

from ._percuss import InputError

#: What may stand for a number: a number, or an expression in parameters (and where it makes sense `t`).
Number = Union[float, int, str]

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def wrong(argument: str, value: object, expected: str) -> InputError:
    """The exception for an argument that is not right."""
    shown = repr(value)
    if len(shown) > 72:
        shown = shown[:72] + "..."
    return InputError(f"`{argument}` = {shown}: {expected} was expected")


def toml(argument: str, value: object) -> str:
    """A value as TOML; numbers must be finite."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        x = float(value)
        if not math.isfinite(x):
            raise wrong(argument, x, "a finite number")
        return repr(x)
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, os.PathLike):
        return _quoted(os.fspath(value))
    if isinstance(value, np.ndarray):
        return _array(argument, value)
    if isinstance(value, Mapping):
        inner = ", ".join(
            f"{_key(argument, k)} = {toml(f'{argument}.{k}', v)}" for k, v in value.items()
        )
        return "{ " + inner + " }" if inner else "{}"
    if isinstance(value, Sequence):
        return "[" + ", ".join(toml(argument, item) for item in value) + "]"
    raise wrong(argument, value, "a number, a text, an array or a table (dict)")


def _quoted(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"{ascii(text)}: a text that is valid Unicode was expected") from None
    # The escapes of JSON are among those of TOML, but for DEL.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _array(argument: str, value: np.ndarray[Any, Any]) -> str:
    if value.dtype.kind not in "fiub":
        return toml(argument, value.tolist())
    if value.dtype.kind == "f" and not np.isfinite(value).all():
        raise wrong(argument, value, "an array of finite numbers")
    # `repr` of a Python float is the shortest text with the same bits.
    return toml(argument, value.tolist()) if value.ndim else toml(argument, value.item())


def _key(argument: str, key: object) -> str:
    if not isinstance(key, str):
        raise wrong(argument, key, "a text as a key")
    return key if _BARE.match(key) else json.dumps(key)


def lines(keys: Mapping[str, object]) -> str:
    """Keys and values; keys without a value are left out."""
    given = ((key, value) for key, value in keys.items() if value is not None)
    return "".join(f"{_key(key, key)} = {toml(key, value)}\n" for key, value in given)


def table(kind: str, keys: Mapping[str, object], many: bool = True) -> str:
    """A table of a scene."""
    head = f"[[{kind}]]" if many else f"[{kind}]"
    return f"{head}\n{lines(keys)}"


def name(argument: str, value: object) -> str:
    """A name of a body, a group, a material."""
    if not isinstance(value, str) or not _NAME.match(value):
        raise wrong(argument, value, "a name (letters, digits, `_`, no digit first)")
    return value


def number(argument: str, value: object) -> Number:
    """A finite number or an expression."""
    if isinstance(value, str):
        if not value.strip():
            raise wrong(argument, value, "a number or an expression")
        return value
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise wrong(argument, value, "a number or an expression (text)")
    x = float(value)
    if not math.isfinite(x):
        raise wrong(argument, value, "a finite number")
    return x


def positive(argument: str, value: object) -> float:
    """A positive, finite number."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise wrong(argument, value, "a positive number")
    x = float(value)
    if not (x > 0.0 and math.isfinite(x)):
        raise wrong(argument, value, "a positive, finite number")
    return x


def whole(argument: str, value: object, least: int = 1) -> int:
    """A whole number."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise wrong(argument, value, f"a whole number, {least} or more,")
    if int(value) < least:
        raise wrong(argument, value, f"a whole number, {least} or more,")
    return int(value)


def vector(argument: str, value: object, count: int) -> list[Number]:
    """A vector of numbers or expressions."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise wrong(argument, value, f"a vector of {count} numbers or expressions")
    if len(value) != count:
        raise wrong(argument, value, f"a vector of {count} numbers or expressions")
    return [number(argument, entry) for entry in value]


def numeric(argument: str, value: object, shape: tuple[int | None, ...]) -> np.ndarray[Any, Any]:
    """An array of finite numbers of a shape; `None` is any length."""
    words = " x ".join("n" if n is None else str(n) for n in shape)
    expected = f"an array of numbers of shape {words}"
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "fiu":
            raise TypeError
    except (TypeError, ValueError):
        raise wrong(argument, value, expected) from None
    if array.ndim != len(shape) or any(
        want is not None and want != have for want, have in zip(shape, array.shape)
    ):
        have = " x ".join(str(n) for n in array.shape) or "a single number"
        raise InputError(f"`{argument}`: {expected} was expected, not {have}")
    array = np.ascontiguousarray(array, dtype=np.float64)
    if not np.isfinite(array).all():
        at = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise InputError(f"`{argument}`: the entry at {at} is {array[at]}; {expected}, all finite, was expected")
    return array
