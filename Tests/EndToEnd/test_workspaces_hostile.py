"""No program that a repository names runs because somebody looks at it, or acts on it without trust."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import threading
import time
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from program import Folder, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401
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


class HostileTest(unittest.TestCase):
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

    def test_nothing_runs_in_a_zoo_of_hostile_repositories(self):
        for way in WAYS:
            place = self.zoo.add(way.name)
            way.make(place, self.zoo.root / f"{way.name}-tree", self.zoo.program(way.name))
        # To make them is what a person does; from here on it is the server.
        for each in self.zoo.marks.iterdir():
            each.unlink()
        server = self.serve()
        trees = {way.name: self.zoo.root / f"{way.name}-tree" for way in WAYS}
        until(lambda: {str(tree) for tree in trees.values()} <= {each["path"] for each in server.worktrees()})
        for tree in trees.values():
            self.change(tree)
        until(lambda: all(
            each["git"]["unstaged"] > 0 or each["git"].get("problem") for each in server.worktrees()
            if each["path"].endswith("-tree")
        ))
        self.assertEqual(self.zoo.marked(), [], "watched")
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda each: self.looks(server, each), server.worktrees()))
        self.assertEqual(self.zoo.marked(), [], "looked at, compared, checked")
        shown = {each["path"]: each for each in server.worktrees()}
        with ThreadPoolExecutor(8) as pool:
            faults = list(pool.map(lambda way: self.acts(server, way, shown[str(trees[way.name])]), WAYS))
        self.assertEqual([fault for each in faults for fault in each], [])
        self.assertEqual(self.zoo.marked(), [], "acted on without trust")
        server.stop()
        # Every one of them would have run.
        for way in WAYS:
            if way.person:
                with self.subTest(f"{way.name} at the terminal"):
                    self.change(trees[way.name])
                    self.zoo.person(trees[way.name], *way.person)
                    self.assertIn(way.name, self.zoo.marked())
        # To remove them runs nothing either.
        for each in self.zoo.marks.iterdir():
            each.unlink()
        server = self.serve()
        until(lambda: {str(tree) for tree in trees.values()} <= {each["path"] for each in server.worktrees()})
        places = [each["id"] for each in server.worktrees() if Path(each["path"]) in trees.values()]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda place: server.ask(f"{LIST}/{place}?force=1&delete_branch=1", "DELETE"), places))
        self.assertEqual(self.zoo.marked(), [], "removed")

    @staticmethod
    def looks(server: Workspaces, worktree: dict) -> None:
        place = f"{LIST}/{worktree['id']}"
        for path, method in (
            (place, "GET"), (f"{place}/diff", "GET"), (f"{place}/merge/check", "GET"), (f"{place}/sync/check", "GET"),
            (f"{place}/refresh", "POST"), (f"{place}/seen", "POST"), (f"/v1/sessions/workspace/{worktree['id']}", "GET"),
            (f"/v1/git/branches/{worktree['repo_id']}", "GET"),
        ):
            server.ask(path, method)

    def acts(self, server: Workspaces, way: Way, worktree: dict) -> list:
        """What is wrong with what is shown of a repository, and with what becomes of what is asked for."""
        faults = []
        trust = worktree["git"].get("trust")
        if way.key is not None:
            named = [each for each in (trust or {}).get("programs", []) if each["key"] == way.key or not way.key]
            use = "action" if way.acts else "terminal"
            if not named or trust["state"] != "untrusted" or trust["count"] != len(trust["programs"]):
                faults.append((way.name, "it is not shown", trust))
            for each in named:
                if each["use"] != use or not Path(each["file"]).is_file() or str(self.zoo.base) not in each["command"] + each["file"]:
                    faults.append((way.name, "it is not shown right", each))
        place = f"{LIST}/{worktree['id']}"
        self.change(Path(worktree["path"]))
        for path, body in (
            (f"{place}/merge", {}), (f"{place}/merge", {"squash": True}), (f"{place}/sync", {"strategy": "rebase"}),
            (f"{place}/sync", {"strategy": "merge"}), (f"{place}/sync", {"strategy": "merge", "fetch": True}),
            (LIST, {"repository": str(self.zoo.root / way.name / ".git"), "branch": "made"}),
        ):
            status, _, answer = server.ask(path, "POST", body)
            if way.key is not None and way.acts and (way.creates or path != LIST):
                if (status, answer.get("error")) != (409, "untrusted_repository") or not answer.get("files"):
                    faults.append((way.name, path, body, answer))
        return faults

    def test_nothing_runs_while_a_configuration_changes_all_the_time(self):
        names = [f"racer{number}" for number in range(3)]
        command = self.zoo.program("racer")
        for name in names:
            self.zoo.add(name)
        server = self.serve()
        if server.metric("freshet_workspaces_contained") != 1:
            self.skipTest("this kernel does not keep programs from starting others")
        stop = threading.Event()

        def race(name: str) -> None:
            config = self.zoo.root / name / ".git" / "config"
            harmless = config.read_text()
            hostile = harmless + f'[filter "evil"]\n\tclean = "{command}; cat"\n[core]\n\tfsmonitor = "{command}"\n'
            fresh = config.with_name("fresh")
            number = 0
            while not stop.is_set():
                number += 1
                fresh.write_text(hostile if number % 2 else harmless)
                os.replace(fresh, config)
                time.sleep(0.002)
                if number % 50 == 0:
                    self.change(self.zoo.root / f"{name}-tree")

        threads = [threading.Thread(target=race, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        try:
            for _ in range(8):
                for each in server.worktrees():
                    for path, method in (("/refresh", "POST"), ("/diff", "GET"), ("/merge/check", "GET")):
                        server.ask(f"{LIST}/{each['id']}{path}", method)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        self.assertEqual(self.zoo.marked(), [])

    # MARK: Trust

    def trusted(self, server: Workspaces, name: str) -> dict:
        return server.named(name)["git"].get("trust") or {}

    def test_trust_is_for_what_was_seen_and_ends_when_it_changes(self):
        place = self.zoo.add("filtered")
        command = self.zoo.program("filtered")
        git(place, "config", "filter.evil.clean", f"{command}; cat")
        git(place, "config", "filter.evil.smudge", "cat")
        server = self.serve()
        tree = self.zoo.root / "filtered-tree"
        path = f"{LIST}/{server.named('filtered-tree')['id']}"
        digest = self.trusted(server, "filtered-tree")["digest"]
        status, _, answer = server.ask(f"{path}/trust", "POST", {"digest": "0" * 64})
        self.assertEqual((status, answer["error"]), (409, "configuration_changed"))
        self.assertEqual(server.ask(f"{path}/trust", "POST", {})[0], 400)
        self.assertEqual(self.zoo.marked(), [])
        status, _, answer = server.ask(f"{path}/trust", "POST", {"digest": digest})
        self.assertEqual((status, answer["worktree"]["git"]["trust"]["state"]), (200, "trusted"), answer)
        until(lambda: all(self.trusted(server, name).get("state") == "trusted" for name in ("filtered", "filtered-tree")))
        file = self.zoo.base / "no-timetable" / "trusted-repositories.json"
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        self.assertEqual(json.loads(file.read_text()), [{"digests": [digest], "repository": str(place / ".git")}])
        # Git sees it now as a person at the terminal does, and it may be merged.
        self.change(tree)
        until(lambda: self.zoo.marked() == ["filtered"])
        git(tree, "commit", "-q", "-a", "-m", "more")
        status, _, answer = server.ask(f"{path}/merge", "POST", {})
        self.assertEqual(status, 200, answer)
        # The trust is kept.
        server.__exit__()
        server = self.serve()
        until(lambda: self.trusted(server, "filtered-tree").get("state") == "trusted")
        # Another command is another configuration; the same again is trusted again.
        git(place, "config", "filter.evil.clean", f"{command} again; cat")
        until(lambda: self.trusted(server, "filtered-tree").get("state") == "untrusted")
        (self.zoo.marks / "filtered").unlink()
        self.change(tree)
        until(lambda: server.named("filtered-tree")["git"]["unstaged"] > 0)
        self.change(tree)
        status, _, answer = server.ask(f"{path}/sync", "POST", {})
        self.assertEqual((status, answer["error"]), (409, "untrusted_repository"), answer)
        self.assertEqual(self.zoo.marked(), [])
        git(place, "config", "filter.evil.clean", f"{command}; cat")
        until(lambda: self.trusted(server, "filtered-tree").get("state") == "trusted")
        status, _, answer = server.ask(f"{path}/trust", "DELETE")
        self.assertEqual((status, answer["worktree"]["git"]["trust"]["state"]), (200, "untrusted"), answer)
        git(place, "config", "--remove-section", "filter.evil")
        until(lambda: not self.trusted(server, "filtered-tree"))

    def test_a_hook_that_changes_is_another_one(self):
        place = self.zoo.add("hooked")
        command = self.zoo.program("hooked")
        hook("post-checkout")(place, place, command)
        server = self.serve()
        shown = server.named("hooked")
        self.assertEqual([each["key"] for each in shown["git"]["trust"]["programs"]], ["hook post-checkout"])
        path = f"{LIST}/{shown['id']}"
        made = {"repository": str(place), "branch": "made"}
        self.assertEqual(server.ask(LIST, "POST", made)[2]["error"], "untrusted_repository")
        server.ask(f"{path}/trust", "POST", {"digest": shown["git"]["trust"]["digest"]})
        status, _, answer = server.ask(LIST, "POST", made)
        self.assertEqual((status, self.zoo.marked()), (201, ["hooked"]), answer)
        hook("post-checkout")(place, place, f"{command} # changed")
        until(lambda: self.trusted(server, "hooked").get("state") == "untrusted")
        self.assertEqual(server.ask(LIST, "POST", {**made, "branch": "other"})[2]["error"], "untrusted_repository")
        (place / ".git" / "hooks" / "post-checkout").chmod(0o644)
        until(lambda: not self.trusted(server, "hooked"))
        self.assertEqual(server.ask(LIST, "POST", {**made, "branch": "other"})[0], 201)

    # MARK: What is no danger

    def test_what_git_lfs_installs_is_no_danger(self):
        tools = self.zoo.base / "tools"
        tools.mkdir()
        (tools / "git-lfs").write_text(
            f"#!/bin/sh\nwhile IFS= read -r line; do printf '%s\\n' \"$line\"; done\n{{ echo >> '{self.zoo.marks}/lfs-wrote'; }} 2>/dev/null\nexit 0\n"
        )
        (tools / "git-lfs").chmod(0o755)
        with open(self.zoo.home / ".gitconfig", "a") as file:
            file.write('[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\trequired = true\n')
        place = self.zoo.add("large")
        tree = self.zoo.root / "large-tree"
        for each in (place, tree):
            (each / ".gitattributes").write_text("*.dat filter=lfs\n")
            git(each, "commit", "-q", "-a", "-m", "attributes")
        server = self.serve(PATH=f"{tools}:{os.environ['PATH']}")
        until(lambda: not server.named("large-tree")["is_dirty"])
        self.assertNotIn("trust", server.named("large-tree")["git"])
        # The same content, written again: only the filter tells.
        file = tree / "a.dat"
        text = file.read_text()
        file.write_text("other\n")
        until(lambda: server.named("large-tree")["git"]["unstaged"] == 1)
        file.write_text(text)
        until(lambda: server.named("large-tree")["git"]["unstaged"] == 0)
        self.assertNotIn("problem", server.named("large-tree")["git"])
        if server.metric("freshet_workspaces_contained") == 1:
            self.assertEqual(self.zoo.marked(), [], "it writes in the folder of git-lfs only")

    def test_what_is_harmless_is_not_called_untrusted(self):
        place = self.zoo.add("usual")
        for key, value in (
            ("remote.origin.url", "git@example.org:owner/usual.git"), ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
            ("branch.main.remote", "origin"), ("branch.main.merge", "refs/heads/main"), ("core.autocrlf", "input"),
            ("branch.main.vscode-merge-base", "origin/main"), ("remote.origin.gh-resolved", "base"), ("pull.rebase", "true"),
            ("core.fsmonitor", "true"), ("submodule.active", "."), ("diff.renames", "copies"), ("merge.conflictStyle", "zdiff3"),
            ("gpg.format", "ssh"), ("core.ignoreCase", "false"), ("credential.helper", ""), ("advice.ignoredHook", "false"),
            ("gitflow.path.hooks", "/x/.git/hooks"), ("alias.st", "status"), ("lfs.repositoryformatversion", "0"),
            ("url.git@example.org:.insteadOf", "https://example.org/"), ("protocol.file.allow", "always"), ("hub.protocol", "ssh"),
        ):
            git(place, "config", key, value)
        server = self.serve()
        self.assertNotIn("trust", server.named("usual")["git"])
        status, _, answer = server.ask(LIST, "POST", {"repository": str(place), "branch": "made"})
        self.assertEqual(status, 201, answer)

    def test_what_the_person_chose_for_all_repositories_is_theirs(self):
        with open(self.zoo.home / ".gitconfig", "a") as file:
            # It runs as at the terminal, and writes in the repository only.
            file.write(f'[filter "evil"]\n\tclean = "{self.zoo.program("own")}; echo ran >> {self.zoo.root}/own/.git/annex/own; cat"\n')
            file.write(f'[include]\n\tpath = {self.zoo.root}/shared\n')
        (self.zoo.root / "shared").write_text(f'[filter "shared"]\n\tclean = "{self.zoo.program("shared")}; cat"\n')
        place = self.zoo.add("own")
        mark = place / ".git" / "annex" / "own"
        mark.parent.mkdir()
        (place / ".git" / "info" / "attributes").write_text("*.txt filter=shared\n")
        server = self.serve()
        # A file in a watched folder does not count as the user's own, even if the user's configuration includes it.
        self.assertEqual([each["key"] for each in self.trusted(server, "own")["programs"]], ["filter.shared.clean"])
        self.change(self.zoo.root / "own-tree")
        until(lambda: mark.exists() and server.named("own-tree")["git"]["unstaged"] > 0)
        contained = server.metric("freshet_workspaces_contained") == 1
        self.assertEqual(self.zoo.marked(), [] if contained else ["own"])

    # MARK: Outside

    def test_a_repository_outside_of_the_watched_folders_is_not_acted_on(self):
        outside = self.zoo.base / "outside"
        shutil.copytree(self.zoo.template, outside, symlinks=True)
        tree = self.zoo.root / "inside"
        git(outside, "worktree", "add", "-q", str(tree), "feature")
        server = self.serve()
        until(lambda: len(server.worktrees()) == 2)
        for each in server.worktrees():
            self.assertEqual(each["git"]["outside"], str(outside / ".git"))
        path = f"{LIST}/{server.named('inside')['id']}"
        for target, method, body in (
            (f"{path}/merge", "POST", {}), (f"{path}/sync", "POST", {}), (path, "DELETE", None), (f"{path}?force=1", "DELETE", None),
            (LIST, "POST", {"repository": str(outside), "branch": "made"}),
        ):
            status, _, answer = server.ask(target, method, body)
            self.assertEqual((status, answer["error"]), (409, "outside_watched_folders"), answer)
        self.assertTrue(tree.exists())


if __name__ == "__main__":
    unittest.main()
