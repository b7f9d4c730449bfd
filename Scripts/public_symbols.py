"""The public declarations of a module as paths of DocC links, read off its sources: `FreshnessClient/mutate(_:invalidating:_:sending:)`."""

from __future__ import annotations

import pathlib
import re
from collections import Counter

DECLARATION = re.compile(
    r"((?:(?:@\w+(?:\([^)]*\))?|public|package|internal|private|fileprivate|open|final|indirect|static|class(?=\s+(?:func|var|subscript))|mutating|"
    r"nonmutating|nonisolated(?:\([^)]*\))?|convenience|required|override|borrowing|consuming|lazy|weak|unowned|prefix|postfix|dynamic|isolated|"
    r"private\(set\)|fileprivate\(set\)|internal\(set\)|package\(set\)|public\(set\))\s+)*)"
    r"(struct|class|enum|actor|protocol|extension|func|var|let|init|case|subscript|typealias|associatedtype)\b"
)
TYPES = {"struct", "class", "enum", "actor", "protocol"}


def bare(text: str) -> str:
    """A source without its comments and the contents of its strings; line ends stay."""
    out, place = [], 0
    while place < len(text):
        if text.startswith("//", place):
            end = text.find("\n", place)
            place = len(text) if end < 0 else end
        elif text.startswith("/*", place):
            end = text.find("*/", place)
            place = len(text) if end < 0 else end + 2
        elif match := re.compile(r'(#*)("""|")').match(text, place):
            closing = match.group(2) + match.group(1)
            end = match.end()
            while end < len(text) and not text.startswith(closing, end):
                end += 2 if text[end] == "\\" and not match.group(1) else 1
            out.append('""' + "\n" * text.count("\n", place, end))
            place = end + len(closing)
        else:
            out.append(text[place])
            place += 1
    return "".join(out)


def parenthesized(text: str, start: int) -> tuple[str, int]:
    """What the parentheses that open at a place hold, and the place behind them."""
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] in "([{") - (text[place] in ")]}")
        if depth == 0:
            return text[start + 1:place], place + 1
    return text[start + 1:], len(text)


def labels(parameters: str, are_hidden: bool = False) -> str:
    """The labels of parameters: `_:invalidating:`; of subscripts and operators, a single name is not a label."""
    parts, depth, part = [], 0, ""
    for sign in parameters:
        depth += (sign in "([{<") - (sign in ")]}")
        if sign == ">" and not part.endswith("-"):
            depth -= 1
        if sign == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += sign
    parts.append(part)
    found = ""
    for part in parts:
        words = re.sub(r"@\w+(\([^)]*\))?", "", part).split(":")[0].split()
        if words:
            found += ("_" if are_hidden and len(words) == 1 else words[0].strip("`")) + ":"
    return found


def symbols(folder: pathlib.Path) -> Counter[str]:
    """The paths of all public declarations below a folder, and how many declarations have each; without extensions of other modules."""
    found: Counter[str] = Counter()
    for path in sorted(folder.rglob("*.swift")):
        read(bare(path.read_text()), found)
    own = {path for path in found if "/" not in path}
    return Counter({path: count for path, count in found.items() if path.split("/")[0] in own})


def read(text: str, found: Counter[str]) -> None:
    """Adds the public declarations of a source."""
    # Of each open brace: the path of its type, what it is, and whether its members are public by themselves.
    scopes: list[tuple[str | None, str, bool]] = []
    pending: tuple[str | None, str, bool] | None = None
    place, is_start = 0, True
    while place < len(text):
        sign = text[place]
        if is_start and (match := DECLARATION.match(text, place)):
            modifiers, kind = match.group(1), match.group(2)
            around = scopes[-1] if scopes else ("", "file", False)
            is_hidden = re.search(r"\b(private|fileprivate|internal|package)\b(?!\()", modifiers)
            # The members of public protocols and extensions are public, and of enumerations the cases.
            inherits = around[2] and not is_hidden and (kind == "case" or around[1] != "enum")
            is_public = bool(re.search(r"\b(public|open)\b(?!\()", modifiers)) or inherits
            if around[0] is not None:
                pending, place = declare(text, match.end(), kind, around, is_public, found) or (pending, match.end())
            else:
                place = match.end()
            is_start = False
            continue
        if sign == "{":
            scopes.append(pending or (None, "body", False))
            pending, is_start = None, True
        elif sign == "}":
            if scopes:
                scopes.pop()
            is_start = True
        elif sign in "\n;":
            is_start = True
        elif not sign.isspace():
            is_start = False
        place += 1


def declare(text, place, kind, around, is_public, found):
    """Adds one declaration; returns the scope that its braces open, and the place behind its name."""
    prefix = around[0] + "/" if around[0] else ""

    def add(name: str) -> None:
        # Default implementations have the path of the requirement.
        if is_public and not (around[1] == "extension" and found[prefix + name]):
            found[prefix + name] += 1

    if kind == "extension":
        name = re.compile(r"\s+([\w.]+)").match(text, place)
        return ((name.group(1).replace(".", "/"), kind, is_public), name.end()) if name else None
    if kind in TYPES or kind in ("typealias", "associatedtype"):
        name = re.compile(r"\s+(\w+)").match(text, place)
        if not name:
            return None
        add(name.group(1))
        if kind not in TYPES:
            return None, name.end()
        return (prefix + name.group(1), kind, is_public and kind in ("protocol", "enum")), name.end()
    if kind in ("var", "let"):
        name = re.compile(r"\s+`?(\w+)`?").match(text, place)
        if not name:
            return None
        add(name.group(1))
        return None, name.end()
    if kind == "case":
        for name in re.finditer(r"\s*`?(\w+)`?", text[place:place + 2000].split("\n")[0]):
            first = place + name.end()
            if text[first:first + 1] == "(":
                inside, _ = parenthesized(text, first)
                names = "".join((part.split(":")[0].strip() + ":" if ":" in part else "_:") for part in split(inside))
                add(f"{name.group(1)}({names})")
            else:
                add(name.group(1))
            break
        return None, place
    name = re.compile(r"\s+(?:`?(\w+)`?|([^\s(\w]+))").match(text, place) if kind == "func" else None
    start = text.find("(", name.end() if name else place)
    if start < 0 or kind == "func" and not name:
        return None
    generic = re.compile(r"\s*[?!]?\s*<").match(text, name.end() if name else place)
    if generic:
        depth, start = 0, generic.end() - 1
        while start < len(text):
            depth += (text[start] == "<") - (text[start] == ">")
            start += 1
            if depth == 0:
                break
        start = text.find("(", start)
    inside, end = parenthesized(text, start)
    title = (name.group(1) or name.group(2)) if name else kind
    add(f"{title}({labels(inside, kind == 'subscript' or bool(name and name.group(2)))})")
    return None, end


def split(text: str) -> list[str]:
    """Parts with commas between them, outside of parentheses."""
    parts, depth, part = [], 0, ""
    for sign in text:
        depth += (sign in "([{<") - (sign in ")]}>")
        if sign == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += sign
    return parts + [part]
