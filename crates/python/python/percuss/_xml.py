"""XML without surprises: elements, attributes, lines; no document types, no entities of one's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional
from xml.parsers import expat

from ._percuss import InputError

#: Deepest nesting and largest number of elements of a file.
_DEEPEST, _MOST = 64, 200_000


@dataclass
class Element:
    """An element with its line."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)

    def all(self, tag: str) -> list[Element]:
        """Children of a name."""
        return [child for child in self.children if child.tag == tag]

    def one(self, tag: str) -> Optional[Element]:
        """The first child of a name."""
        found = self.all(tag)
        return found[0] if found else None


def parse(data: bytes, origin: str) -> Element:
    """The root element. Document types, and with them entities, are refused before they are read."""
    parser = expat.ParserCreate()
    stack: list[Element] = []
    roots: list[Element] = []
    count = 0

    def refuse(*_: object) -> None:
        raise InputError(
            f"{origin}:{parser.CurrentLineNumber}: a document type (<!DOCTYPE …>) is refused: files "
            "of robots have none, and entities could expand without end. Remove it"
        )

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > _MOST or len(stack) >= _DEEPEST:
            raise InputError(f"{origin}: more than {_MOST} elements, or nested deeper than {_DEEPEST}")
        element = Element(tag, dict(attributes), parser.CurrentLineNumber)
        (stack[-1].children if stack else roots).append(element)
        stack.append(element)

    def end(_: str) -> None:
        stack.pop()

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise InputError(f"{origin}: no XML: {error}") from None
    if not roots:
        raise InputError(f"{origin}: no element")
    return roots[0]
