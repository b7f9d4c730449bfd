"""Makes manual pages (man(7)) of the commands, from what the program says of itself."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

#: What the program reads and writes outside of its options, for the page of the program itself.
FILES = [
    ("/etc/freshet/freshet.json", "the configuration of the service that the package installs"),
    ("/var/lib/freshet", "its data: imported feeds, jobs, libraries"),
]
ENVIRONMENT = [
    ("FRESHET_DATA", "the folder of the imported feeds, in place of --data"),
    ("FRESHET_SERVER", "the address of a server, in place of --server"),
    ("FRESHET_TOKEN", "the token that clients of /v1 send"),
    ("FRESHET_HUB_TOKEN", "the token with which a machine reports its worktrees to a hub"),
]
#: Where the programs define their exit codes.
EXIT_CODES = Path(__file__).resolve().parent.parent / "Sources/Programs/Commands/CommandFailure.swift"


def statuses() -> list[tuple[str, str]]:
    """The exit codes with what they mean, as ProgramExit documents them."""
    found = re.findall(r"^  /// (.+)\.\n  case \w+ = (\d+)$", EXIT_CODES.read_text(), re.MULTILINE)
    return [("0", "success"), *((code, said[0].lower() + said[1:]) for said, code in found)]


def escaped(text: str) -> str:
    """Text that roff shows as it is."""
    lines = []
    for line in text.replace("\\", "\\e").replace("-", "\\-").splitlines():
        lines.append("\\&" + line if line.startswith((".", "'")) else line)
    # What is not ASCII by its number, so that no locale changes the page.
    return "".join(each if ord(each) < 128 else f"\\[u{ord(each):04X}]" for each in "\n".join(lines))


def name(argument: dict) -> str:
    """The name of an argument with its dashes: --port, -h."""
    preferred = argument["preferredName"]
    return ("--" if preferred["kind"] == "long" else "-") + preferred["name"]


def shown(argument: dict) -> str:
    """An argument in a synopsis."""
    if argument["kind"] == "positional":
        text = f"\\fI{escaped(argument['valueName'])}\\fR"
    else:
        text = f"\\fB{escaped(name(argument))}\\fR"
        if argument["kind"] == "option":
            text += f" \\fI{escaped(argument['valueName'])}\\fR"
    if argument["isRepeating"]:
        text += " ..."
    return f"[{text}]" if argument["isOptional"] else text


def visible(command: dict) -> list[dict]:
    """The arguments that help shows, but for help and version, which every command has."""
    return [
        each for each in command.get("arguments", [])
        if each["shouldDisplay"] and not (
            each["kind"] == "flag" and each["preferredName"]["name"] in ("help", "version")
        )
    ]


def synopsis(path: list[str], command: dict) -> str:
    arguments = visible(command)
    positional = [each for each in arguments if each["kind"] == "positional"]
    needed = [each for each in arguments if each["kind"] != "positional" and not each["isOptional"]]
    parts = [f"\\fB{escaped(' '.join(path))}\\fR", *map(shown, needed)]
    if len(arguments) > len(positional) + len(needed):
        parts.append("[\\fIoptions\\fR]")
    if command.get("subcommands"):
        # A command with options of its own does something without another one.
        parts.append("[\\fIcommand\\fR]" if arguments else "\\fIcommand\\fR")
    return " ".join(parts + [shown(each) for each in positional])


def options(command: dict) -> list[str]:
    lines = []
    for each in visible(command):
        if each["kind"] == "positional":
            title = f"\\fI{escaped(each['valueName'])}\\fR"
        else:
            names = [
                f"\\fB{escaped(('--' if one['kind'] == 'long' else '-') + one['name'])}\\fR"
                for one in each["names"]
            ]
            title = ", ".join(names)
            if each["kind"] == "option":
                title += f" \\fI{escaped(each['valueName'])}\\fR"
        said = each.get("abstract", "")
        values = each.get("allValues")
        if values:
            said += f" One of: {', '.join(values)}."
        default = each.get("defaultValue")
        if default is not None and "efault:" not in said:
            said += f" Default: {default}."
        lines += [".TP", title, escaped(said) or "\\&"]
    return lines


def described(path: list[str], command: dict, heading: str) -> list[str]:
    """A command below the one that a page is about, and those below it."""
    lines = [f'.{heading} "{escaped(" ".join(path[1:]))}"', synopsis(path, command), ".PP"]
    lines += text(command) + options(command)
    for each in shown_commands(command):
        lines += described([*path, each["commandName"]], each, heading)
    return lines


def shown_commands(command: dict) -> list[dict]:
    return [
        each for each in command.get("subcommands", [])
        if each["shouldDisplay"] and each["commandName"] != "help"
    ]


def text(command: dict) -> list[str]:
    """What the help says before the options; lines that are indented stay as they are."""
    lines = [escaped(command["abstract"])]
    is_filled = True
    for line in command.get("discussion", "").splitlines():
        is_example = line.startswith("  ")
        if is_example == is_filled:
            lines.append(".nf" if is_example else ".fi")
            is_filled = not is_example
        lines.append(escaped(line) if line.strip() else ".PP")
    if not is_filled:
        lines.append(".fi")
    return lines


def listed(title: str, pairs: list[tuple[str, str]]) -> list[str]:
    lines = [f".SH {title}"]
    for head, said in pairs:
        lines += [".TP", f"\\fB{escaped(head)}\\fR", escaped(said)]
    return lines


def page(path: list[str], command: dict, version: str, others: list[str]) -> str:
    """One page."""
    title = "-".join(path)
    lines = [
        f'.TH {title.upper()} 1 "" "freshet {version}" "Freshet"',
        ".SH NAME", f"{escaped(title)} \\- {escaped(command['abstract'].rstrip('.'))}",
        ".SH SYNOPSIS", synopsis(path, command), ".SH DESCRIPTION", *text(command),
    ]
    given = options(command)
    if given:
        lines += [".SH OPTIONS", *given]
    below = shown_commands(command)
    if len(path) == 1:
        lines += listed("COMMANDS", [(each["commandName"], each["abstract"]) for each in below])
        if path == ["freshet"]:
            lines += listed("FILES", FILES)
        lines += listed("ENVIRONMENT", ENVIRONMENT)
    elif below:
        lines.append(".SH COMMANDS")
        for each in below:
            lines += described([*path, each["commandName"]], each, "SS")
    lines += listed("EXIT STATUS", statuses())
    lines += [".SH SEE ALSO", ", ".join(f"\\fB{escaped(each)}\\fR(1)" for each in others if each != title)]
    return "\n".join(lines) + "\n"


def write(program: Path, folder: Path, version: str) -> None:
    """Writes a page of the program, such as freshet.1, and one for each command, such as freshet-serve.1, into a folder."""
    said = subprocess.run([program, "--experimental-dump-help"], capture_output=True, check=True).stdout
    root = json.loads(said)["command"]
    commands = shown_commands(root)
    title = root["commandName"]
    titles = [title] + [f"{title}-{each['commandName']}" for each in commands]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{title}.1").write_text(page([title], root, version, titles))
    for each in commands:
        path = [title, each["commandName"]]
        (folder / f"{title}-{each['commandName']}.1").write_text(page(path, each, version, titles[:1]))
