"""Prepares the pages as they are served: scripts and styles bundled by page, names with a hash of their content, compressed copies.

The sources are the folders of Sources/Programs/CWebAssets/Public, the prepared files are in Prepared beside it. A page names its
style sheet, its script and its other files relatively; what it names is prepared, and what that names in turn. A script that is
imported with `import()` becomes a file of its own, without the modules that its page has already.
"""

from __future__ import annotations

import collections
import gzip
import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGET = ROOT / "Sources/Programs/CWebAssets"
PUBLIC, PREPARED = TARGET / "Public", TARGET / "Prepared"
#: The digits of a content hash in a name.
HASH_DIGITS = 12
#: The smallest file in bytes of which compressed copies are worth their header fields.
LEAST_COMPRESSED = 860
#: Files that are served under their own paths, as they are.
DOCUMENTS = ["api/openapi.json", "api/openapi-jobs.json", "api/openapi-workspaces.json", "service-worker.js"]

#: The parts of a server that have pages of their own, by the names of their pages.
PARTS = ["jobs", "workspaces"]
#: The page in the place of that of a part that is not served; the server fills it in.
ABSENT = "absent"
STATIC = re.compile(r'^(?:import|export)\s+(?:(?P<what>[^"\';]*?)\s+from\s+)?"(?P<path>\.{1,2}/[^"]+)";\n', re.MULTILINE)
DYNAMIC = re.compile(r'import\("(\.{1,2}/[^"]+)"\)')
DECLARED = re.compile(r"^export\s+(?P<kind>async function\*?|function\*?|class|const)\s+(?P<name>[\w$]+)", re.MULTILINE)


class Unprepared(Exception):
    """A source that cannot be prepared: what, and where."""


def place(base: str, path: str) -> str:
    """The path in Public that a file there names relatively."""
    return os.path.normpath(os.path.join(os.path.dirname(base), path))


# MARK: Text without comments


def tokens(text: str):
    """The parts of a script: `comment`, `string` (also templates and regular expressions), `code`."""
    at, start, braces, before = 0, 0, [], ""

    def quoted(at: int, quote: str) -> int:
        while text[at] != quote:
            at += 2 if text[at] == "\\" else 1
        return at + 1

    def template(at: int) -> int:
        while text[at] != "`":
            if text[at] == "\\":
                at += 2
            elif text.startswith("${", at):
                braces.append("`")
                return at + 2
            else:
                at += 1
        return at + 1

    while at < len(text):
        one, two = text[at], text[at : at + 2]
        if two in ("//", "/*"):
            kind, end = "comment", text.find("\n", at) if two == "//" else text.find("*/", at) + 2
            end = len(text) if end < 0 else end
        elif one in "\"'":
            kind, end = "string", quoted(at + 1, one)
        elif one == "`" or (one == "}" and braces and braces[-1] == "`"):
            if one == "}":
                braces.pop()
            kind, end = "string", template(at + 1)
        elif one == "/" and is_expression(before):
            kind, end, in_class = "string", at + 1, False
            while text[end] != "/" or in_class:
                in_class = (text[end] == "[") or (in_class and text[end] != "]")
                end += 2 if text[end] == "\\" else 1
            end += 1
        else:
            if one in "{}":
                braces.append("{") if one == "{" else braces.pop()
            before = (before + one)[-12:] if not one.isspace() else before + (" " if before[-1:].isalnum() else "")
            at += 1
            continue
        if start < at:
            yield "code", text[start:at]
        yield kind, text[at:end]
        if kind == "string":
            # A value is here, unless the code of a template begins.
            before = "(" if text[end - 1] == "{" and braces[-1:] == ["`"] else "x"
        at = start = end
    if start < len(text):
        yield "code", text[start:]


def is_expression(before: str) -> bool:
    """Whether a slash behind some code begins a regular expression; behind a value it divides."""
    word = re.search(r"([\w$]+)\s*$", before)
    if word:
        return word[1] in ("return", "typeof", "case", "in", "of", "await", "else")
    return not before.rstrip().endswith((")", "]", "}"))


def stripped(text: str) -> str:
    """A script without comments, indentation and empty lines; strings and templates as they are."""
    parts = [(kind, part) for kind, part in tokens(text) if kind != "comment"]
    out = ""
    for kind, part in parts:
        if kind == "code":
            part = re.sub(r"[ \t]*\n\s*", "\n", part)
            if out.endswith("\n"):
                part = part.lstrip()
        out += part
    return out.strip("\n") + "\n"


def compact(text: str) -> str:
    """A stripped script without what only people need: whitespace around signs, ends of lines behind signs, semicolons before braces,
    the difference between `const` and `let`; with short private names, the most frequent ones first."""
    parts = list(tokens(text))
    private = collections.Counter(name for kind, part in parts if kind == "code" for name in re.findall(r"#\w+", part))
    names = {name: f"#{digits(number)}" for number, (name, _) in enumerate(private.most_common())}
    out = ""
    for kind, part in parts:
        if kind == "code":
            part = re.sub(r"#\w+", lambda found: names[found[0]], re.sub(r" *([{}(),;:?=&|<>]) *", r"\1", part))
            part = re.sub(r"([;{,])\n", r"\1", re.sub(r"\bconst\b", "let", part)).replace(";}", "}")
            part = re.sub(r" *([*/%]) *", r"\1", re.sub(r"(?<![+]) ?\+ ?(?![+])", "+", re.sub(r"(?<=\d)_(?=\d)", "", part)))
        out += part
    return out


def inlined(text: str, exports: dict[str, str]) -> str:
    """A module with its numbers in the places of their names, and other constants with short names; what may name a property stays."""
    parts = list(tokens(text))
    code = "\n".join(part for kind, part in parts if kind == "code")
    for number, (line, name, value) in enumerate(re.findall(r"^(const ([A-Z][A-Z0-9_]*) = (?:([\d_.]+);\n)?)", code, re.MULTILINE)):
        if name not in exports and not re.search(rf"[.#]{name}\b|[{{,]\s*{name}\s*[,}}:]", code):
            cut, short = (line, value) if value else ("\0", f"_{digits(number)}")
            parts = [(kind, re.sub(rf"\b{name}\b", short, part.replace(cut, "")) if kind == "code" else part) for kind, part in parts]
    return "".join(part for _, part in parts)


def digits(number: int) -> str:
    """A number in letters: a … z, aa, ab, …"""
    return (digits(number // 26 - 1) if number >= 26 else "") + chr(ord("a") + number % 26)


def style(path: str, seen: tuple[str, ...] = ()) -> str:
    """A style sheet with those it imports, without comments."""
    if path in seen:
        raise Unprepared(f"{path} imports itself")
    text = re.sub(r"/\*.*?\*/", "", (PUBLIC / path).read_text(), flags=re.DOTALL)
    text = re.sub(r'@import "([^"]+)";', lambda found: style(place(path, found[1]), (*seen, path)), text)
    return re.sub(r"\s*([{};,])\s*", r"\1", re.sub(r"\n\s*", "\n", text)).strip() + "\n"


# MARK: Scripts


class Script:
    """A module as the body of a function that returns its exports."""

    def __init__(self, path: str):
        self.path = path
        text = stripped((PUBLIC / path).read_text())
        self.imports: list[str] = []
        self.exports: dict[str, str] = {}
        text = STATIC.sub(self._static, text)
        text = DECLARED.sub(lambda found: self._declared(found), text)
        if re.search(r"^export default ", text, re.MULTILINE):
            text = re.sub(r"^export default ", "const defaultExport = ", text, flags=re.MULTILINE)
            self.exports["default"] = "defaultExport"
        if found := re.search(r"^(?:import|export)\b(?!\().*", text, re.MULTILINE):
            raise Unprepared(f'{path}: "{found[0][:60]}" is a form of import or export that Scripts/web_assets.py does not know')
        self.dynamic = [place(path, name) for name in DYNAMIC.findall(text)]
        self.body = inlined(text, self.exports)

    def _declared(self, found: re.Match) -> str:
        self.exports[found["name"]] = found["name"]
        return f"{found['kind']} {found['name']}"

    def _static(self, found: re.Match) -> str:
        target = place(self.path, found["path"])
        self.imports.append(target)
        what = found["what"] or ""
        named = re.fullmatch(r"(?:(?P<default>[\w$]+))?(?:,\s*)?(?:\{(?P<names>[^}]*)\})?", what.strip(), re.DOTALL)
        if named is None:
            raise Unprepared(f'{self.path}: import "{what}"')
        pairs = [("default", named["default"])] if named["default"] else []
        for each in filter(None, (name.strip() for name in (named["names"] or "").split(","))):
            source, _, local = each.partition(" as ")
            pairs.append((source.strip(), (local or source).strip()))
        if found[0].startswith("export"):
            for source, local in pairs:
                self.exports[local] = f"{variable(target)}.{source}"
            return ""
        taken = ", ".join(source if source == local else f"{source}: {local}" for source, local in pairs)
        return f"const {{ {taken} }} = {variable(target)};\n" if pairs else ""

    def wrapped(self) -> str:
        """The module as a constant."""
        members = ", ".join(name if name == value else f"{name}: {value}" for name, value in self.exports.items())
        return f"const {variable(self.path)} = (() => {{\n{self.body}return {{ {members} }};\n}})();\n"


#: The modules in the order in which they are first named.
MODULES: dict[str, str] = {}


def variable(path: str) -> str:
    """The name of a module in a bundle, which is the same in all of them: short, and of no other thing."""
    return MODULES.setdefault(path, f"${digits(len(MODULES))}")


class Bundler:
    """All scripts of one page, and the files that it loads later."""

    def __init__(self, asset):
        #: Returns the address of a file in Public: `asset(path)`.
        self.asset = asset
        self.scripts: dict[str, Script] = {}

    def script(self, path: str) -> Script:
        if path not in self.scripts:
            self.scripts[path] = Script(path)
        return self.scripts[path]

    def order(self, entry: str, without: frozenset[str] = frozenset()) -> list[str]:
        """The modules that an entry needs, each behind those it imports."""
        found: list[str] = []

        def visit(path: str, above: tuple[str, ...]) -> None:
            if path in above:
                raise Unprepared(f"modules import each other in a circle: {' → '.join((*above, path))}")
            if path in found or path in without:
                return
            for each in self.script(path).imports:
                visit(each, (*above, path))
            found.append(path)

        visit(entry, ())
        return found

    def bundle(self, entry: str, publish) -> str:
        """The script of a page; `publish(name, text)` takes a file and returns its address."""
        modules = self.order(entry)
        known = frozenset(modules)
        addresses: dict[str, str] = {}
        shared: set[str] = set()
        for target in dict.fromkeys(each for path in modules for each in self.script(path).dynamic):
            text, used = self.chunk(target, known)
            shared |= used
            addresses[target] = publish(chunk_name(target), text)
        text = "".join(self.script(path).wrapped() for path in modules)
        text = self.linked(text, modules, addresses)
        if addresses:
            members = ", ".join(sorted(map(variable, shared)))
            text = f"const later = (address, loaded) => import(address).then(({{ define }}) => (loaded[address] ??= define({{ {members} }})));\nconst loaded = {{}};\n" + text
        return compact(text)

    def chunk(self, entry: str, known: frozenset[str]) -> tuple[str, set[str]]:
        """A script that is loaded later, and the modules of the page that it uses."""
        if entry in known:
            raise Unprepared(f"{entry} is imported both at once and later")
        modules = self.order(entry, known)
        if late := [path for path in modules if self.script(path).dynamic]:
            raise Unprepared(f"{late[0]} is loaded later and loads others later")
        used = {each for path in modules for each in self.script(path).imports if each in known}
        members = ", ".join(sorted(map(variable, used)))
        body = self.linked("".join(self.script(path).wrapped() for path in modules), modules, {})
        return compact(f"export const define = ({{ {members} }}) => {{\n{body}return {variable(entry)};\n}};\n"), used

    def linked(self, text: str, modules: list[str], addresses: dict[str, str]) -> str:
        """A script with the addresses of the files that it names."""
        text = named_files(text, self.asset)
        for path in modules:
            for name in DYNAMIC.findall(self.script(path).body):
                text = text.replace(f'import("{name}")', f'later("{addresses[place(path, name)]}", loaded)')
        return text


def chunk_name(path: str) -> str:
    """`messages-de-board.js` of messages/de/board.js."""
    return path.replace("/", "-")


def named_files(text: str, asset) -> str:
    """A text with the addresses of the files of /assets/ that it names in quotes."""
    return re.sub(r'"/assets/([\w.-]+)"', lambda found: f'"{asset(found[1])}"', text)


# MARK: Everything


class Preparation:
    """The prepared files: by name, bytes, and the source file if that is served as it is."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.origins: dict[str, pathlib.Path] = {}
        self.pages: dict[str, bytes] = {}
        self.sources: set[str] = set()
        self.addresses: dict[str, str] = {}
        for page in sorted((PUBLIC / "pages").glob("*.html")):
            self.add(page.stem, self.page(f"pages/{page.name}"))

    def add(self, stem: str, text: str) -> None:
        """A page, and the page without the lines about the parts that a server may not have."""
        parts = [] if stem == ABSENT else [part for part in PARTS if part != stem]
        for count in range(len(parts) + 1):
            for off in itertools.combinations(parts, count):
                lines = [line for line in text.split("\n") if not any(f'data-service="{part}"' in line for part in off)]
                self.pages["-".join([stem, *(f"no-{part}" for part in off)]) + ".html"] = "\n".join(lines).encode()

    def publish(self, name: str, data: bytes | str, origin: pathlib.Path | None = None) -> str:
        data = data.encode() if isinstance(data, str) else data
        if self.files.get(name, data) != data:
            raise Unprepared(f"two pages need different files of the name {name}")
        self.files[name] = data
        if origin:
            self.origins[name] = origin
        stem, _, kind = name.rpartition(".")
        self.addresses[name] = f"/assets/{stem}.{content_hash(data)}.{kind}"
        return self.addresses[name]

    def asset(self, name: str) -> str:
        """The address of an icon or a WebAssembly module."""
        if name not in self.addresses:
            folder = {"freshness.wasm": "engine", "jobs.wasm": "jobs"}.get(name, "icons")
            self.file(f"{folder}/{name}")
        return self.addresses[name]

    def file(self, path: str) -> str:
        """The address of a file that a page names."""
        source = PUBLIC / path
        if not source.is_file():
            raise Unprepared(f"{path} is named and not there")
        self.sources.add(path)
        name = source.name
        if name.endswith(".css"):
            return self.publish(name, style(path))
        if name.endswith(".webmanifest"):
            return self.publish(name, named_files(source.read_text(), self.asset))
        if name.endswith(".js"):
            bundler = Bundler(self.asset)
            address = self.publish(f"{path.split('/')[0]}.js", bundler.bundle(path, self.publish))
            self.sources |= set(bundler.scripts)
            return address
        return self.publish(name, source.read_bytes(), source.resolve())

    def page(self, path: str) -> str:
        self.sources.add(path)
        text = re.sub(r"\n\s+", "\n", (PUBLIC / path).read_text())
        return re.sub(r'(href|src)="(\.\./[^"]+)"', lambda found: f'{found[1]}="{self.file(place(path, found[2]))}"', text)

    def unused(self) -> list[str]:
        """The sources that no page names."""
        imported = {path for path in self.sources if path.endswith(".css")}
        while added := {place(path, name) for path in imported for name in re.findall(r'@import "([^"]+)"', (PUBLIC / path).read_text())} - imported:
            imported |= added
        present = {str(path.relative_to(PUBLIC)) for path in PUBLIC.rglob("*") if path.is_file() and not str(path.relative_to(PUBLIC)).startswith("engine/")}
        return sorted(present - self.sources - imported - set(DOCUMENTS) - {"package.json"})

    def table(self) -> str:
        """assets.c: every file with its bytes, its hash and its compressed copies."""
        lines = [
            '#include "CWebAssets.h"', "",
            "// Written by Scripts/check-assets --write from the files in Public: the pages become part of the program, which can be",
            "// moved and still serves them.", "",
        ]
        rows = []

        def embed(kind: str, number: int, path: str) -> tuple[str, str]:
            lines.extend([f"static const unsigned char {kind}_{number}[] = {{", f'#embed "{path}"', "};"])
            return f"{kind}_{number}", f"sizeof({kind}_{number})"

        entries = [(name, data, self.origins.get(name), "FreshetWebAssetHashed") for name, data in self.files.items()]
        entries += [(name, data, None, "FreshetWebAssetPage") for name, data in self.pages.items()]
        entries += [(path.split("/")[-1], (PUBLIC / path).read_bytes(), PUBLIC / path, "FreshetWebAssetDocument") for path in DOCUMENTS]
        for number, (name, data, origin, kind) in enumerate(sorted(entries, key=lambda each: each[0])):
            path = os.path.relpath(origin, TARGET) if origin else f"Prepared/{name}"
            cells = [*embed("bytes", number, path)]
            for coding, ending in (("gzip", "gz"), ("brotli", "br")):
                copy = f"Prepared/{name}.{ending}"
                cells += embed(coding, number, copy) if kind != "FreshetWebAssetDocument" and (TARGET / copy).exists() else ("0", "0")
            rows.append(f'  {{ "{name}", "{content_hash(data)}", {kind}, {", ".join(cells)} }},')
        lines += ["", "static const FreshetWebAsset assets[] = {", *rows, "};", ""]
        lines += ["const FreshetWebAsset *freshet_web_assets(void) { return assets; }", ""]
        lines += ["size_t freshet_web_asset_count(void) { return sizeof(assets) / sizeof(assets[0]); }", ""]
        return "\n".join(lines)


def content_hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:HASH_DIGITS]


# MARK: Compressed copies
NODE_BROTLI = """
const { brotliCompressSync, brotliDecompressSync, constants } = require("node:zlib");
const [way] = process.argv.slice(1);
const data = require("node:fs").readFileSync(0);
const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22, [constants.BROTLI_PARAM_SIZE_HINT]: data.length,
  [constants.BROTLI_PARAM_NPOSTFIX]: data[0] === 0 ? 2 : 0 } }; // A module, no text.
process.stdout.write(way === "compress" ? brotliCompressSync(data, options) : brotliDecompressSync(data));
"""


def brotli(data: bytes, way: str) -> bytes | None:
    """Compressed or decompressed bytes, or None if this machine has no brotli."""
    if shutil.which("node"):
        command = ["node", "-e", NODE_BROTLI, way]
    elif shutil.which("brotli"):
        command = ["brotli", "--stdout", *(["--best"] if way == "compress" else ["--decompress"]), "-"]
    else:
        return None
    return subprocess.run(command, input=data, capture_output=True, check=True).stdout


def is_copied(name: str, data: bytes) -> bool:
    """Whether a file has compressed copies."""
    return name != f"{ABSENT}.html" and len(data) >= LEAST_COMPRESSED


def write(prepared: Preparation) -> None:
    """Writes the prepared files, their copies and assets.c; copies of what has not changed stay as they are."""
    PREPARED.mkdir(exist_ok=True)
    wanted: set[str] = set()
    for name, data in {**prepared.files, **prepared.pages}.items():
        if name not in prepared.origins:
            put(PREPARED / name, data)
            wanted.add(name)
        if not is_copied(name, data):
            continue
        for ending, compress in (("gz", lambda data: gzip.compress(data, 9, mtime=0)), ("br", lambda data: brotli(data, "compress"))):
            copy = PREPARED / f"{name}.{ending}"
            if decompressed(copy) != data:
                copied = compress(data)
                if copied is None:
                    copy.unlink(missing_ok=True)
                    continue
                copy.write_bytes(copied)
            wanted.add(copy.name)
    for path in PREPARED.iterdir():
        if path.name not in wanted:
            path.unlink()
    put(TARGET / "assets.c", prepared.table().encode())


def put(path: pathlib.Path, data: bytes) -> None:
    if not path.exists() or path.read_bytes() != data:
        path.write_bytes(data)


def decompressed(copy: pathlib.Path) -> bytes | None:
    """The content of a compressed copy, or None if it is absent or cannot be read here."""
    if not copy.exists():
        return None
    try:
        return gzip.decompress(copy.read_bytes()) if copy.suffix == ".gz" else brotli(copy.read_bytes(), "decompress")
    except (OSError, subprocess.CalledProcessError):
        return None


def failures(prepared: Preparation) -> list[str]:
    """What of the prepared files is not as the sources say."""
    found = [f"no page names Sources/Programs/CWebAssets/Public/{path}" for path in prepared.unused()]
    stale = []
    for name, data in {**prepared.files, **prepared.pages}.items():
        path = PREPARED / name
        if name not in prepared.origins and (not path.exists() or path.read_bytes() != data):
            stale.append(name)
        for ending in ("gz", "br"):
            copy = PREPARED / f"{name}.{ending}"
            held = decompressed(copy)
            # Without brotli on this machine its copies cannot be looked into.
            is_unknown = ending == "br" and held is None and brotli(b"", "compress") is None
            if copy.exists() and held != data and not is_unknown:
                stale.append(copy.name)
            if not copy.exists() and ending == "gz" and is_copied(name, data):
                stale.append(copy.name)
    if not stale and (TARGET / "assets.c").read_text() != prepared.table():
        stale.append("assets.c")
    return found + [f"{name} is not of the present sources of the pages: Scripts/check-assets --write" for name in stale]


def sizes(prepared: Preparation) -> str:
    """The sizes of all files as JSON: bytes, with gzip, with brotli."""
    length = lambda path: path.stat().st_size if path.exists() else None  # noqa: E731
    return json.dumps({name: [len(data), length(PREPARED / f"{name}.gz"), length(PREPARED / f"{name}.br")] for name, data in sorted(prepared.files.items())}, indent=1)
