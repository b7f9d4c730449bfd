"""What Scripts/generate-jobs-wire and Scripts/generate-engine-wire share: a table of a wire form gives a codec in Swift and one in JavaScript."""

from __future__ import annotations

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
#: The longest line of a Swift file, and of a JavaScript file.
WIDTH = 100
JAVASCRIPT_WIDTH = 120


def grouped(number: int) -> str:
    return f"{number:_}"


def literal(value: object) -> str:
    """A value of JSON as JavaScript, with names without quotes."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name}: {literal(member)}" for name, member in value.items()) + " }" if value else "{}"
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
