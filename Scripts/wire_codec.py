"""What Scripts/generate-jobs-wire and Scripts/generate-engine-wire share: the records and choices of a wire form, and their codec in Swift.

A table has the records and the choices (enumerations with values) by name, each with its members in the order in which they are written,
and each member with its kind: a plain kind, or the name of an enumeration, a set, a record or a choice; `kind?` may be missing, and
`[kind:least-most]` is a list of this length. Cases have the numbers from 1. `in` and `out` name what the module reads and writes. `types` has the names
in Swift: with parentheses, such as `Policy(every: active)`, the initializer has these members only, and the others are set after it.

What only one language needs is part of a member, too. In Swift, `_ member` has no label. In JavaScript, the members of `...kind` stand
among those around them, as `null` if it is missing, and `kind=value` is absent where it has this value.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import pathlib
import re
import sys
from collections.abc import Iterable

ROOT = pathlib.Path(__file__).resolve().parent.parent
#: The longest line of a Swift file, and of a JavaScript file.
WIDTH = 100
JAVASCRIPT_WIDTH = 120
KIND = re.compile(r"(?:\.\.\.)?(?P<list>\[)?(?P<base>\w+)(?(list):(?P<least>\w+)-(?P<most>\w+)\])(?P<optional>\?)?(?:=.+)?")
#: The words of Swift that are names of members.
RESERVED = {"is"}


@dataclasses.dataclass(frozen=True)
class Kind:
    """The kind of a member, as Swift reads and writes it."""

    base: str
    is_optional: bool = False
    bounds: tuple[str, str] | None = None

    @classmethod
    def of(cls, text: str) -> Kind:
        found = KIND.fullmatch(text)
        assert found, f"{text} is not a kind"
        return cls(found["base"], bool(found["optional"]), (found["least"], found["most"]) if found["list"] else None)


@dataclasses.dataclass(frozen=True)
class Member:
    """A member of a record or of a case."""

    name: str
    kind: Kind
    is_labeled: bool

    @property
    def label(self) -> str:
        return f"{self.name}: " if self.is_labeled else ""

    @property
    def value(self) -> str:
        """Its name as an expression of Swift."""
        return f"`{self.name}`" if self.name in RESERVED else self.name


class Table:
    """The records and choices of a table, checked."""

    def __init__(self, table: dict, plain: set[str], numbered: set[str] = frozenset()) -> None:
        self.version: int = table["version"]
        self.types: dict[str, str] = table["types"]
        self.records = {name: members(each) for name, each in table["records"].items()}
        self.choices = {name: {case: members(each) for case, each in cases.items()} for name, cases in table["choices"].items()}
        self.roots: dict[str, list[str]] = {way: table[way] for way in ("in", "out")}
        self.plain = plain
        self.numbered = numbered
        names = [*self.records, *self.choices, *numbered]
        assert len(set(names)) == len(names) and set(names) == set(self.types) and not plain & set(names), "names"
        for name in [*self.records, *self.choices]:
            for member in self.members(name):
                assert member.kind.base in plain | set(names), f"{name}: {member.kind.base} is unknown"
        assert {each for way in self.roots for each in self.used(way)} == {*self.records, *self.choices}, "not everything is used"

    def members(self, name: str) -> list[Member]:
        """All members of a record or choice."""
        groups = [self.records[name]] if name in self.records else self.choices[name].values()
        return [member for each in groups for member in each]

    def used(self, way: str) -> list[str]:
        """The names that the messages of one way need, in the order of the table."""
        found: set[str] = set()
        waiting = list(self.roots[way])
        while waiting:
            name = waiting.pop()
            if name not in found and (name in self.records or name in self.choices):
                found.add(name)
                waiting += [member.kind.base for member in self.members(name)]
        return [name for name in [*self.records, *self.choices] if name in found]

    def type(self, name: str) -> str:
        """The name in Swift."""
        return self.types[name].partition("(")[0]

    def is_flagged(self, kind: Kind) -> bool:
        """Whether a flag before a value that may be missing says that it is there."""
        return kind.is_optional

    def bound(self, name: str) -> int:
        """The value of a bound of a list."""
        return int(name)

    @functools.cache
    def longest(self, kind: Kind) -> int:
        """The most words of a kind."""
        if kind.bounds:
            return 1 + self.bound(kind.bounds[1]) * self.longest(Kind(kind.base))
        if self.is_flagged(kind):
            return 1 + self.longest(Kind(kind.base))
        sums = [sum(self.longest(member.kind) for member in each) for each in self.choices.get(kind.base, {}).values()]
        if sums:
            return 1 + max(sums)
        return sum(self.longest(member.kind) for member in self.records[kind.base]) if kind.base in self.records else 1


def members(group: dict[str, str]) -> list[Member]:
    return [Member(name.removeprefix("_ "), Kind.of(kind), not name.startswith("_ ")) for name, kind in group.items()]


class SwiftCodec:
    """The codec in Swift; a wire form says how it calls its words."""

    readable, writable = "", ""
    reader, reading, comment_of_reading = "", "", []
    writer, writing, comment_of_writing = "", "", []
    read_number, unknown_number, write_number = "", "", ""

    def __init__(self, table: Table) -> None:
        self.table = table

    def read(self, kind: Kind) -> str:
        """The expression that reads a value."""
        raise NotImplementedError

    def write(self, kind: Kind, value: str, depth: int) -> list[str]:
        """The lines that write a value."""
        raise NotImplementedError

    def extensions(self, names: Iterable[str]) -> list[str]:
        """What records and choices get: what the module reads is read, what it writes is written."""
        table, lines = self.table, []
        reading, writing = table.used("in"), table.used("out")
        for name in names:
            parts, is_record = [], name in table.records
            if name in reading:
                parts.append([*self.comment_of_reading, f"  {self.reading} {{", *(self.read_record(name) if is_record else self.read_choice(name)), "  }"])
            if name in writing:
                parts.append([*self.comment_of_writing, f"  {self.writing} {{", *(self.write_record(name) if is_record else self.write_choice(name)), "  }"])
            conformances = [each for each, used in ((self.readable, reading), (self.writable, writing)) if each and name in used]
            lines += ["", f"extension {table.type(name)}{': ' if conformances else ''}{', '.join(conformances)} {{"]
            lines += ["\n\n".join("\n".join(part) for part in parts), "}"]
        return lines

    def read_record(self, name: str) -> list[str]:
        members = self.table.records[name]
        if "(" not in self.table.types[name]:
            values = [f"      {member.label}{self.read(member.kind)}" for member in members]
            return ["    self.init(", ",\n".join(values), "    )"]
        labels = dict(re.findall(r"(\w+): (\w+)", self.table.types[name]))
        count = len(labels)
        assert list(labels.values()) == [member.name for member in members[:count]], f"the initializer of {name} has other members first"
        values = [f"{label}: {self.read(member.kind)}" for label, member in zip(labels, members)]
        return [f"    self.init({', '.join(values)})", *(f"    {member.value} = {self.read(member.kind)}" for member in members[count:])]

    def write_record(self, name: str) -> list[str]:
        return [line for member in self.table.records[name] for line in self.write(member.kind, member.value, 2)]

    def read_choice(self, name: str) -> list[str]:
        lines = [f"    switch try {self.read_number} {{"]
        for number, (case, members) in enumerate(self.table.choices[name].items(), 1):
            values = [f"{member.label}{self.read(member.kind)}" for member in members]
            line = f"    case {number}: self = .{case}" + (f"({', '.join(values)})" if values else "")
            if len(line) <= WIDTH:
                lines.append(line)
            elif len(line) - len(f"    case {number}: ") + 6 <= WIDTH:
                lines += [f"    case {number}:", f"      self = .{case}({', '.join(values)})"]
            else:
                lines += [f"    case {number}:", f"      self = .{case}(", ",\n".join(f"        {value}" for value in values), "      )"]
        return [*lines, f"    default: throw {self.unknown_number}", "    }"]

    def write_choice(self, name: str) -> list[str]:
        lines = ["    switch self {"]
        for number, (case, members) in enumerate(self.table.choices[name].items(), 1):
            values = [f"let {member.value}" for member in members]
            lines.append(f"    case .{case}" + (f"({', '.join(values)}):" if values else f": try {self.write_number}({number})"))
            if members:
                lines += [f"      try {self.write_number}({number})", *(line for member in members for line in self.write(member.kind, member.value, 3))]
        return [*lines, "    }"]


# MARK: Files


def grouped(number: int) -> str:
    return f"{number:_}"


def literal(value: object) -> str:
    """A value of JSON as JavaScript, with names without quotes; labels are for Swift."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name.removeprefix('_ ')}: {literal(member)}" for name, member in value.items()) + " }" if value else "{}"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    return json.dumps(value)


def publish(script: str, table: pathlib.Path, files: dict[pathlib.Path, str]) -> int:
    """Writes the generated files; with --check, says which of them are not current. Returns the status to exit with."""
    stale = []
    for path, text in files.items():
        if path.exists() and path.read_text() == text:
            continue
        if "--check" in sys.argv:
            stale.append(path)
        else:
            path.write_text(text)
    for path in stale:
        print(f"{path.relative_to(ROOT)} is not of the present {table.relative_to(ROOT)}: Scripts/{script}", file=sys.stderr)
    return 1 if stale else 0
