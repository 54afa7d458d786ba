"""TSPLIB's text, which CVRPLIB uses too: fields and sections, in any order, none ignored.

G. Reinelt, "TSPLIB95", 1995. What a reader does not know is refused by name: where a limit on the
length of routes is left out, another problem is solved.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from problems.errors import UserError
from problems.sets.files import File, first_word
from problems.shared.routing import as_coordinates

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SECTION = re.compile(r"([A-Z]\w*_SECTION)\b\s*:?(.*)", re.IGNORECASE)
FIELD = re.compile(r"([A-Z][^:]*):(.*)|([A-Z]\w*)\b(.*)", re.IGNORECASE)
END = re.compile(r"(^|\s)EOF\s*$", re.IGNORECASE)

REMARKS = {"NAME", "COMMENT"}
"""Fields that say nothing about the problem."""

DESCRIPTIVE = {
    *REMARKS,
    "TYPE",
    "DIMENSION",
    "EDGE_WEIGHT_TYPE",
    "EDGE_WEIGHT_FORMAT",
    "DISPLAY_DATA_TYPE",
    "NODE_COORD_TYPE",
}
"""Fields that every reader knows."""


@dataclass(frozen=True, slots=True)
class Text:
    """A file taken apart: its fields by key in capitals, the lines of its sections by name."""

    name: str
    fields: Mapping[str, str]
    sections: Mapping[str, Sequence[str]]

    @property
    def size(self) -> int:
        """The number of nodes announced. Raises UserError where there is none."""
        number = self.fields.get("DIMENSION", "")
        if not (number.isdecimal() and len(number) < 10):
            raise UserError(f"{self.name}: its DIMENSION is {number or 'missing'}, not a number")
        return int(number)

    def expect(
        self,
        kind: str,
        weights: Collection[str],
        fields: Collection[str],
        sections: Collection[str],
    ) -> str:
        """The kind of its distances, one of `weights`.

        Raises UserError for a file of another type than `kind`, for other distances, and for what
        is neither in `fields` and `sections` nor describes the file.
        """
        found = self.fields.get("TYPE", kind)
        distances = self.fields.get("EDGE_WEIGHT_TYPE", "")
        if found != kind or distances not in weights:
            *most, last = weights
            known = f"{', '.join(most)} or {last}" if most else last
            raise UserError(
                f"{self.name}: expected a {kind} with {known} distances, "
                f"found {found} with {distances or 'none'}"
            )
        if self.fields.get("NODE_COORD_TYPE", "TWOD_COORDS") not in ("TWOD_COORDS", "NO_COORDS"):
            raise UserError(f"{self.name}: its nodes do not lie in the plane (NODE_COORD_TYPE)")
        known_words = {*DESCRIPTIVE, *fields, *sections}
        unknown = [word for word in (*self.fields, *self.sections) if word not in known_words]
        if unknown:
            raise UserError(
                f"{self.name}: not understood: {', '.join(unknown)}; without that it could be "
                f"another problem than the {kind} here"
            )
        return distances

    def rows(self, section: str, width: int) -> dict[str, list[str]]:
        """The lines of a section by the node whose number they begin with, in their order.

        Raises UserError unless there is one for every node announced, of `width` values.
        """
        found: dict[str, list[str]] = {}
        for line in self.sections.get(section, ()):
            number, *values = line.split()
            node = number.lstrip("0") or "0"
            if len(values) != width:
                raise UserError(
                    f"{self.name}: {line!r} in {section}, not a node and {width} values"
                )
            if node in found:
                raise UserError(f"{self.name}: {section} has node {node} twice")
            found[node] = values
        if len(found) != self.size or not found:
            raise UserError(
                f"{self.name}: its nodes are not the {self.size} announced: "
                f"{section} has {len(found)}"
            )
        return found

    def coordinates(self, section: str) -> NDArray[np.float64]:
        """The nodes of a section, x and y a row. Raises UserError."""
        return as_coordinates([*self.rows(section, 2).values()], self.name)


def take_apart(file: File) -> Text:
    """The fields and sections of a file, whatever their order; `#` begins a comment line.

    Raises UserError for a binary file, a section or a field given twice, and a line that is
    neither.
    """
    fields: dict[str, str] = {}
    sections: dict[str, list[str]] = {}
    section = ""
    for number, whole in enumerate(file.text().split("\n"), start=1):
        line = END.sub("", whole.strip())
        if not line or line.startswith("#"):
            continue
        if found := SECTION.fullmatch(line):
            section = found[1].upper()
            if section in sections:
                raise UserError(f"{file.name}: {section} is there twice")
            rest = found[2].strip()
            sections[section] = [rest] if rest else []
        elif found := FIELD.fullmatch(line):
            key = (found[1] or found[3]).strip().upper()
            value = (found[2] or found[4] or "").strip()
            if key not in REMARKS:
                value = first_word(value).upper()
                if fields.get(key, value) != value:
                    raise UserError(f"{file.name}: {key} is {fields[key]} and {value}")
            fields[key] = value
        elif section:
            sections[section].append(line)
        else:
            raise UserError(f"{file.name}: line {number} is neither a field nor in a section")
    return Text(file.name, fields, sections)
