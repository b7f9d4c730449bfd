"""Nothing is written outside of a worktree and its repository, wherever its configuration and its files lead."""

from __future__ import annotations

import os
import shutil
import threading
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from program import Folder, until
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from work_losing import walk
from workspaces import Workspaces, git, repository

LIST = "/v1/git/worktrees"
RESTORE = "/v1/git/restore"


class Case:
    """A repository with a worktree, and another repository that it leads to."""

    def __init__(self, base: Path, name: str, inside: bool = False):
        self.name = name
        self.root = base / "work" / name
        self.main = self.repository(self.root / "main")
        self.tree = self.root / "feature"
        git(self.main, "worktree", "add", "-q", "-b", "feature", str(self.tree))
        self.commit(self.tree, "feature.txt")
        self.commit(self.main, "main.txt")
        self.git = self.main / ".git"
        self.directory = self.git / "worktrees" / "feature"
        #: What is not to be touched.
        self.victim = self.repository((base / "work" if inside else base / "outside") / f"{name}-victim")

    @classmethod
    def repository(cls, path: Path) -> Path:
        found = repository(path)
        git(found, "branch", "spare")
        return found

    @staticmethod
    def commit(folder: Path, name: str) -> None:
        (folder / name).write_text(f"{name} of {folder}\n")
        git(folder, "add", name)
        git(folder, "commit", "-q", "-m", name)

    def link(self, name: str, folder: Path | None = None) -> None:
        """Replaces a part of the repository by a link to that of the victim."""
        place = (folder or self.git) / name
        if place.is_dir():
            shutil.rmtree(place)
        elif place.exists():
            place.unlink()
        place.symlink_to(self.victim / ".git" / name)


def main_worktree(it: Case) -> None:
    git(it.main, "config", "core.worktree", str(it.victim))


def relative(it: Case) -> None:
    git(it.main, "config", "core.worktree", os.path.relpath(it.victim, it.git))


def not_there(it: Case) -> None:
    git(it.main, "config", "core.worktree", str(it.root / "nothing"))


def included(it: Case) -> None:
    (it.git / "more").write_text(f"[core]\n\tworktree = {it.victim}\n")
    git(it.main, "config", "include.path", "more")


def of_one_worktree(it: Case) -> None:
    git(it.main, "config", "extensions.worktreeConfig", "true")
    git(it.tree, "config", "--worktree", "core.worktree", str(it.victim))


def of_all(it: Case) -> None:
    git(it.main, "config", "extensions.worktreeConfig", "true")
    git(it.main, "config", "core.worktree", str(it.victim))


def bare(it: Case) -> None:
    git(it.main, "config", "core.bare", "true")


def common_of_main(it: Case) -> None:
    (it.git / "commondir").write_text(f"{it.victim}/.git\n")


def common_of_linked(it: Case) -> None:
    (it.directory / "commondir").write_text(f"{it.victim}/.git\n")


def repository_in_repository(it: Case) -> None:
    (it.git / ".git").write_text(f"gitdir: {it.victim}/.git\n")


def directory_elsewhere(it: Case) -> None:
    place = it.victim / "directory"
    shutil.copytree(it.directory, place)
    (place / "commondir").write_text(f"{it.git}\n")
    (it.tree / ".git").write_text(f"gitdir: {place}\n")


def main_of_another(it: Case) -> None:
    (it.tree / ".git").write_text(f"gitdir: {it.victim}/.git\n")


def worktree_of_another(it: Case) -> None:
    (it.directory / "gitdir").write_text(f"{it.victim}/.git\n")


def linked(*names: str) -> Callable[[Case], None]:
    def make(it: Case) -> None:
        for name in names:
            it.link(name)
    return make


def index(it: Case) -> None:
    it.link("index", it.directory)
    it.link("index")


def main_folder(it: Case) -> None:
    """Where worktrees are made."""
    it.main.with_name("main.worktrees").symlink_to(it.victim)


#: How each leads elsewhere, the worktrees that git would be led from, and whether nothing may be done in any.
CASES: dict[str, tuple[Callable[[Case], None], set[str]]] = {
    "core-worktree": (main_worktree, {"main"}), "core-worktree-relative": (relative, {"main"}),
    "core-worktree-not-there": (not_there, {"main"}), "core-worktree-included": (included, {"main"}),
    "core-worktree-of-one": (of_one_worktree, {"feature"}), "core-worktree-of-all": (of_all, {"main", "feature"}),
    "core-bare": (bare, set()), "commondir": (common_of_main, set()), "commondir-of-linked": (common_of_linked, set()),
    "git-in-git": (repository_in_repository, set()), "directory-elsewhere": (directory_elsewhere, set()),
    "main-of-another": (main_of_another, set()), "worktree-of-another": (worktree_of_another, set()),
    "refs": (linked("refs"), set()), "heads": (linked("refs/heads"), set()), "logs": (linked("logs"), set()),
    "log-of-heads": (linked("logs/refs/heads"), set()), "objects": (linked("objects"), set()),
    "packed-refs": (linked("packed-refs"), set()), "config": (linked("config"), set()), "index": (index, set()),
    "main-worktrees": (main_folder, set()),
}


class ElsewhereTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.base = self.folder.path.resolve()
        (self.base / "work").mkdir()

    def serve(self) -> Workspaces:
        server = Workspaces(self.folder, roots=[self.base / "work"])
        self.addCleanup(server.__exit__)
        return server

    def test_nothing_is_written_where_a_repository_leads_out(self):
        self.leads(inside=False)

    def test_nothing_is_written_where_a_repository_leads_to_another(self):
        self.leads(inside=True)

    def leads(self, inside: bool) -> None:
        cases = {}
        # Each way once, out of the folder or into another repository of it; in long tests both.
        chosen = [name for place, name in enumerate(CASES) if sized((place % 3 == 0) == inside, long=True)]
        for name, make in ((name, CASES[name][0]) for name in chosen):
            it = Case(self.base, f"{name}-{'in' if inside else 'out'}", inside)
            if name == "packed-refs":
                git(it.victim, "pack-refs", "--all")
            make(it)
            cases[name] = it
        before = {name: walk(it.victim) for name, it in cases.items()}
        server = self.serve()

        def shown(it: Case) -> dict[str, dict]:
            return {Path(each["path"]).name: each for each in listed if Path(each["path"]).parent == it.root}

        def is_read() -> bool:
            """Whether every repository has been found, and every worktree been read: many repositories come one after another."""
            nonlocal listed
            listed = server.worktrees()
            return all(each["cache_status"]["is_cached"] or "problem" in each["git"] for each in listed) and all(
                CASES[name][1] <= shown(it).keys() for name, it in cases.items())

        listed: list[dict] = []
        until(is_read)
        for name, it in cases.items():
            for tree in CASES[name][1]:
                self.assertIn("outside", shown(it)[tree]["git"], (name, tree))
        with ThreadPoolExecutor(4) as pool:
            faults = [fault for found in pool.map(lambda name: self.acts(server, name, cases[name]), cases) for fault in found]
        self.assertEqual(faults, [])
        for name, it in cases.items():
            self.assertEqual(walk(it.victim), before[name], name)

    def acts(self, server: Workspaces, name: str, it: Case) -> list:
        """Does everything to each worktree, and gives what was not refused though it leads elsewhere."""
        faults = []
        trees = [each for each in server.worktrees() if Path(each["path"]).is_relative_to(it.root)]
        for tree in trees:
            place = f"{LIST}/{tree['id']}"
            for what in ("/merge/check", "/sync/check", "/diff"):
                server.ask(place + what)
            for method, what, body in (
                ("POST", "/sync", {"strategy": "rebase"}), ("POST", "/sync", {"strategy": "merge"}),
                ("POST", "/merge", {}), ("POST", "/merge", {"squash": True}),
                ("DELETE", "?force=1&ignored=1&delete_branch=1", None),
            ):
                status, _, answer = server.ask(place + what, method, body)
                leads = Path(tree["path"]).name in CASES[name][1]
                if leads and (status, answer["error"]) != (409, "outside_watched_folders"):
                    faults.append((name, tree["path"], what, status, answer))
        server.ask(LIST, "POST", {"repository": str(it.main), "branch": "made"})
        server.ask(LIST, "POST", {"repository": str(it.git), "branch": "made2"})
        for point in server.ask(RESTORE)[2]:
            if Path(point["path"]).is_relative_to(it.root):
                server.ask(f"{RESTORE}/{point['id']}", "POST")
        return faults

    def test_what_leads_to_the_worktree_itself_is_not_a_danger(self):
        it = Case(self.base, "itself")
        git(it.main, "config", "core.worktree", "..")
        server = self.serve()
        shown = {each["path"]: each for each in server.worktrees()}
        self.assertNotIn("outside", shown[str(it.main)]["git"])
        place = f"{LIST}/{shown[str(it.tree)]['id']}"
        for what in ("/sync", "/merge"):
            status, _, answer = server.ask(place + what, "POST", {})
            self.assertEqual(status, 200, answer)
        self.assertTrue((it.main / "feature.txt").exists() and (it.tree / "main.txt").exists())
        git(it.main, "config", "core.worktree", str(it.victim))
        until(lambda: "outside" in server.named("main")["git"])
        self.assertEqual(server.named("main")["git"]["outside"], str(it.victim))
        git(it.main, "config", "--unset", "core.worktree")
        until(lambda: "outside" not in server.named("main")["git"])

    def test_nothing_is_written_elsewhere_while_the_configuration_changes(self):
        it = Case(self.base, "racing")
        config = it.git / "config"
        plain = config.read_text()
        hostile = plain + f"[core]\n\tworktree = {it.victim}\n"
        before = walk(it.victim)
        server = self.serve()
        place = f"{LIST}/{server.named('feature')['id']}"
        stop = threading.Event()

        def race() -> None:
            number = 0
            # As often as git reads it a few times, and not as often as this machine can.
            while not stop.wait(0.001):
                number += 1
                fresh = config.with_name("fresh")
                fresh.write_text(hostile if number % 2 else plain)
                os.replace(fresh, config)

        thread = threading.Thread(target=race)
        thread.start()
        try:
            for number in range(8):
                Case.commit(it.tree, f"more{number}.txt")
                for what in ("/sync", "/merge"):
                    server.ask(place + what, "POST", {})
        finally:
            stop.set()
            thread.join()
        self.assertEqual(walk(it.victim), before)


if __name__ == "__main__":
    unittest.main()
