"""Repositories that name programs, in each way that git knows, and the marks that these leave when they run."""

from __future__ import annotations

import shutil
import subprocess
import unittest
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from program import Folder
from workspaces import ENVIRONMENT, Workspaces, git, repository

LIST = "/v1/git/worktrees"


class Zoo:
    """A folder of repositories with a worktree each, and the marks that their programs leave."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self.base = folder.path.resolve()
        self.root = self.base / "zoo"
        self.marks = self.base / "marks"
        self.home = self.base / "home"
        self.programs = self.base / "programs"
        for each in (self.root, self.marks, self.home, self.programs):
            each.mkdir()
        (self.home / ".gitconfig").write_text("[user]\n\tname = Test\n\temail = test@example.org\n")
        self.template = repository(self.base / "template")
        self.commit(self.template, ".gitattributes", "*.dat filter=evil diff=evil merge=evil\n")
        lines = [f"line {number}\n" for number in range(20)]
        self.commit(self.template, "a.dat", "".join(lines))
        git(self.template, "branch", "feature")
        lines[1] = "main\n"
        self.commit(self.template, "a.dat", "".join(lines))
        git(self.template, "checkout", "-q", "feature")
        lines[1], lines[15] = "line 1\n", "feature\n"
        self.commit(self.template, "a.dat", "".join(lines))
        git(self.template, "checkout", "-q", "main")

    @staticmethod
    def commit(folder: Path, name: str, text: str) -> None:
        (folder / name).write_text(text)
        git(folder, "add", "-f", name)
        git(folder, "commit", "-q", "-m", name)

    def add(self, name: str) -> Path:
        """A new repository with a worktree called `NAME-tree`, still harmless."""
        place = self.root / name
        shutil.copytree(self.template, place, symlinks=True)
        git(place, "worktree", "add", "-q", str(self.root / f"{name}-tree"), "feature")
        return place

    def program(self, name: str) -> str:
        """A program that leaves a mark."""
        place = self.programs / name
        place.write_text(f"#!/bin/sh\necho ran >> '{self.marks / name}'\nexit 0\n")
        place.chmod(0o755)
        return str(place)

    def marked(self) -> list[str]:
        """The programs that ran."""
        return sorted(each.name for each in self.marks.iterdir())

    def serve(self, **more) -> Workspaces:
        """A server whose person has a home without programs."""
        return Workspaces(
            self.folder, "--claude-home", str(self.base / "none"), "--codex-home", str(self.base / "none"),
            "--agent-logs", str(self.base / "none"), roots=[self.root],
            environment={"HOME": str(self.home), "XDG_CONFIG_HOME": str(self.home / ".config"), **more},
        )

    def person(self, folder: Path, *command: str) -> None:
        """What a person at the terminal does, as whom all of it runs."""
        environment = {name: value for name, value in ENVIRONMENT.items() if name not in ("GIT_EDITOR", "GIT_ALLOW_PROTOCOL")}
        subprocess.run(
            ["git", *command], cwd=folder, capture_output=True, check=False, timeout=60, input=b"protocol=http\nhost=localhost\n\n",
            env={**environment, "GIT_CONFIG_GLOBAL": str(self.home / ".gitconfig"), "GIT_TERMINAL_PROMPT": "0"},
        )


@dataclass
class Way:
    """One way in which a repository names a program."""

    name: str
    #: Makes a repository hostile: gets it, its worktree and the command.
    make: Callable[[Path, Path, str], None]
    #: The key under which it is shown; None if no configuration of this worktree names it.
    key: str | None
    #: Whether something that is done would run it.
    acts: bool = True
    #: Whether the configuration of a new worktree would name it too.
    creates: bool = True
    #: What a person would do that runs it; nothing where that takes a terminal or a network.
    person: list[str] | None = None


def configure(*pairs: tuple[str, str]) -> Callable[[Path, Path, str], None]:
    """Sets values in which COMMAND is the command."""
    def make(place: Path, _: Path, command: str) -> None:
        for key, value in pairs:
            git(place, "config", "--add", key.replace("COMMAND", command), value.replace("COMMAND", command))
    return make


def hook(name: str, folder: str = ".git/hooks") -> Callable[[Path, Path, str], None]:
    """Makes a hook."""
    def make(place: Path, _: Path, command: str) -> None:
        file = place / folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{command}\n")
        file.chmod(0o755)
    return make


def both(*steps: Callable[[Path, Path, str], None]) -> Callable[[Path, Path, str], None]:
    def make(place: Path, tree: Path, command: str) -> None:
        for step in steps:
            step(place, tree, command)
    return make


def included(place: Path, _: Path, command: str) -> None:
    (place / ".git" / "more").write_text(f'[filter "evil"]\n\tclean = "{command}; cat"\n')
    git(place, "config", "include.path", "more")


def included_for_branch(place: Path, _: Path, command: str) -> None:
    (place / ".git" / "more").write_text(f'[filter "evil"]\n\tclean = "{command}; cat"\n')
    git(place, "config", "includeIf.onbranch:feature.path", "more")


def included_for_worktree(place: Path, tree: Path, command: str) -> None:
    (place / ".git" / "more").write_text(f'[filter "evil"]\n\tclean = "{command}; cat"\n')
    git(place, "config", f"includeIf.gitdir:{place}/.git/worktrees/{tree.name}.path", str(place / ".git" / "more"))


def of_worktree(place: Path, tree: Path, command: str) -> None:
    git(place, "config", "extensions.worktreeConfig", "true")
    git(tree, "config", "--worktree", "filter.evil.clean", f"{command}; cat")


def bytes_in_name(place: Path, _: Path, command: str) -> None:
    """The name of a driver need not be UTF-8, and may hold what separates keys from values."""
    with open(place / ".git" / "config", "ab") as file:
        file.write(b'[filter "\xff=x.y"]\n\tclean = "' + command.encode() + b'; cat"\n\trequired = true\n')
    (place / ".git" / "info").mkdir(exist_ok=True)
    with open(place / ".git" / "info" / "attributes", "wb") as file:
        file.write(b"*.dat filter=\xff=x.y\n")


def attributes_elsewhere(place: Path, _: Path, command: str) -> None:
    (place / ".git" / "attributes").write_text("*.txt filter=other\n")
    git(place, "config", "core.attributesFile", str(place / ".git" / "attributes"))
    git(place, "config", "filter.other.clean", f"{command}; cat")


def nested(place: Path, tree: Path, command: str, link: bool) -> None:
    inner = repository(tree / "inner")
    Zoo.commit(inner, ".gitattributes", "*.txt filter=evil\n")
    if link:
        git(tree, "add", "inner")
        git(tree, "commit", "-q", "-m", "link")
    git(inner, "config", "filter.evil.clean", f"{command}; cat")
    git(inner, "config", "core.fsmonitor", command)


def submodule(place: Path, tree: Path, command: str) -> None:
    source = repository(place.parent.parent / "modules" / place.name)
    Zoo.commit(source, ".gitattributes", "*.txt filter=evil\n")
    git(tree, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(source), "inner")
    git(tree, "commit", "-q", "-m", "submodule")
    git(tree / "inner", "config", "filter.evil.clean", f"{command}; cat")


def promised(place: Path, tree: Path, command: str) -> None:
    """An object is missing, and would be asked for by a transport that is a program."""
    for key, value in (
        ("core.repositoryFormatVersion", "1"), ("extensions.partialClone", "origin"), ("remote.origin.promisor", "true"),
        ("remote.origin.url", f"ext::{command}"), ("protocol.ext.allow", "always"),
    ):
        git(place, "config", key, value)
    name = git(tree, "rev-parse", "HEAD:a.dat").strip()
    loose = place / ".git" / "objects" / name[:2] / name[2:]
    loose.chmod(0o600)
    loose.unlink()


FETCH = ["fetch", "origin"]
STATUS = ["status"]
FILTER = "filter.evil."
WAYS = [
    Way("clean", configure((FILTER + "clean", "COMMAND; cat")), FILTER + "clean", person=STATUS),
    Way("clean-required", configure((FILTER + "clean", "COMMAND; cat"), (FILTER + "required", "true")), FILTER + "clean", person=STATUS),
    Way("process", configure((FILTER + "process", "COMMAND")), FILTER + "process", person=STATUS),
    Way("process-required", configure((FILTER + "process", "COMMAND"), (FILTER + "required", "true")), FILTER + "process", person=STATUS),
    Way("smudge", configure((FILTER + "smudge", "COMMAND; cat")), FILTER + "smudge", person=["checkout", "HEAD~1", "--", "a.dat"]),
    Way("lfs-and-more", configure((FILTER + "clean", "git-lfs clean -- %f; COMMAND")), FILTER + "clean", person=STATUS),
    Way("lfs-extension", configure(("lfs.extension.evil.clean", "COMMAND %f")), "lfs.extension.evil.clean"),
    Way("lfs-transfer", configure(("lfs.customtransfer.evil.path", "COMMAND")), "lfs.customtransfer.evil.path"),
    Way("name-in-bytes", bytes_in_name, "", person=STATUS),
    Way("attributes-file", attributes_elsewhere, "filter.other.clean", person=["diff", "HEAD"]),
    Way("included", included, FILTER + "clean", person=STATUS),
    Way("included-for-branch", included_for_branch, FILTER + "clean", creates=False, person=STATUS),
    Way("included-for-worktree", included_for_worktree, FILTER + "clean", creates=False, person=STATUS),
    Way("config-of-worktree", of_worktree, FILTER + "clean", creates=False, person=STATUS),
    Way("textconv", configure(("diff.evil.textconv", "COMMAND")), "diff.evil.textconv", acts=False, person=["diff", "main"]),
    Way("diff-command", configure(("diff.evil.command", "COMMAND")), "diff.evil.command", acts=False, person=["diff", "main"]),
    Way("diff-external", configure(("diff.external", "COMMAND")), "diff.external", acts=False, person=["diff", "main"]),
    Way("merge-driver", configure(("merge.evil.driver", "COMMAND %A")), "merge.evil.driver", person=["merge-tree", "--write-tree", "main", "feature"]),
    Way("fsmonitor", configure(("core.fsmonitor", "COMMAND")), "core.fsmonitor", person=STATUS),
    Way("fsmonitor-hook", configure(("core.fsmonitor", "COMMAND"), ("core.fsmonitorHookVersion", "2")), "core.fsmonitor", person=STATUS),
    Way("hooks-path", both(hook("post-checkout", ".evil"), hook("reference-transaction", ".evil"), lambda place, _, __: git(place, "config", "core.hooksPath", str(place / ".evil"))) , "core.hookspath", person=["branch", "x"]),
    *(Way(f"hook-{name}", hook(name), f"hook {name}", person=person) for name, person in (
        ("post-checkout", ["checkout", "-q", "-b", "x"]), ("post-index-change", ["add", "-u"]),
        ("reference-transaction", ["branch", "x"]), ("pre-rebase", ["-c", "rebase.autoStash=true", "rebase", "-f", "HEAD~1"]),
        ("post-merge", None), ("pre-merge-commit", None), ("prepare-commit-msg", ["commit", "--allow-empty", "-m", "x"]),
        ("post-rewrite", ["commit", "--amend", "--allow-empty", "-m", "x"]), ("pre-auto-gc", None),
    )),
    Way("ssh-command", configure(("core.sshCommand", "COMMAND"), ("remote.origin.url", "ssh://localhost/x")), "core.sshcommand", person=FETCH),
    Way("git-proxy", configure(("core.gitProxy", "COMMAND"), ("remote.origin.url", "git://localhost/x")), "core.gitproxy", person=FETCH),
    Way("alternate-refs", configure(("core.alternateRefsCommand", "COMMAND")), "core.alternaterefscommand"),
    Way("upload-pack", configure(("remote.origin.url", "."), ("remote.origin.uploadpack", "COMMAND")), "remote.origin.uploadpack", person=FETCH),
    Way("receive-pack", configure(("remote.origin.url", "."), ("remote.origin.receivepack", "COMMAND")), "remote.origin.receivepack", person=["push", "origin", "feature:x"]),
    Way("transport", configure(("remote.origin.url", "ext::COMMAND"), ("protocol.ext.allow", "always")), "remote.origin.url", person=FETCH),
    Way("instead-of", configure(("remote.origin.url", "https://example.org/x"), ("url.ext::COMMAND.insteadOf", "https://example.org/x"), ("protocol.allow", "always")), "", person=FETCH),
    Way("vcs", configure(("remote.origin.url", "x"), ("remote.origin.vcs", "ext"), ("protocol.ext.allow", "always")), "remote.origin.vcs"),
    Way("promised", promised, "remote.origin.url", person=["show", "HEAD:a.dat"]),
    Way("credentials", configure(("credential.helper", "!COMMAND"), ("remote.origin.url", "http://localhost:9/x")), "credential.helper", person=["credential", "fill"]),
    Way("signatures", configure(("gpg.program", "COMMAND"), ("commit.gpgSign", "true"), ("log.showSignature", "true")), "gpg.program", person=["commit", "--allow-empty", "-m", "x"]),
    Way("pager", configure(("core.pager", "COMMAND"), ("pager.status", "COMMAND"), ("pager.diff", "COMMAND"), ("pager.config", "COMMAND")), "core.pager", acts=False),
    Way("editor", configure(("core.editor", "COMMAND"), ("sequence.editor", "COMMAND")), "core.editor", acts=False, person=["commit", "--amend"]),
    Way("ask-password", configure(("core.askPass", "COMMAND")), "core.askpass", acts=False),
    Way("alias", configure(("alias.status", "!COMMAND"), ("alias.x", "!COMMAND")), "alias.status", acts=False, person=["x"]),
    Way("hook-by-configuration", configure(("hook.evil.command", "COMMAND"), ("hook.evil.event", "post-checkout")), "hook.evil.command"),
    Way("later-variable", configure(("core.runThisToo", "COMMAND")), "core.runthistoo"),
    Way("submodule-update", configure(("submodule.inner.update", "!COMMAND"), ("submodule.recurse", "true")), "submodule.inner.update"),
    Way("nested", lambda place, tree, command: nested(place, tree, command, link=False), None),
    Way("nested-link", lambda place, tree, command: nested(place, tree, command, link=True), None, person=STATUS),
    Way("submodule", submodule, None, person=STATUS),
]


class ZooTest(unittest.TestCase):
    """A test with a zoo of its own."""

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.zoo = Zoo(self.folder)

    def serve(self, **more) -> Workspaces:
        server = self.zoo.serve(**more)
        self.addCleanup(server.__exit__)
        return server

    @staticmethod
    def change(tree: Path) -> None:
        """Changes files, or changes them back; they keep their size, so that git has to read them to know."""
        for place in (tree, tree / "inner"):
            for file in [*place.glob("*.dat"), *place.glob("dir*/*.txt")]:
                text = file.read_text()
                file.write_text(text.replace("LINE 5", "line 5") if "LINE 5" in text else text.replace("line 5", "LINE 5"))
