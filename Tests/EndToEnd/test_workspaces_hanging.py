"""A repository in which git hangs delays no other one."""

from __future__ import annotations

import os
import shutil
import threading
import unittest
from collections.abc import Callable
from pathlib import Path

from program import Folder, Server, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import Workspaces, git, operation, repository


def pipe(*names: str) -> Callable[[Path], None]:
    """Puts pipes where git has files."""
    def make(place: Path) -> None:
        for name in names:
            file = place / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.unlink(missing_ok=True)
            os.mkfifo(file)
    return make


def included(place: Path) -> None:
    os.mkfifo(place / "pipe")
    git(place, "config", "include.path", "../pipe")


def ignoring(place: Path) -> None:
    os.mkfifo(place / "pipe")
    git(place, "config", "core.excludesFile", str(place / "pipe"))


def device(place: Path) -> None:
    (place / ".git" / "config").unlink()
    (place / ".git" / "config").symlink_to("/dev/zero")


def huge(place: Path) -> None:
    with open(place / ".git" / "config", "ab") as file:
        file.truncate(64 << 30)


#: What makes git hang in a repository, and whether that is told without git.
WAYS: dict[str, tuple[Callable[[Path], None], bool]] = {
    "config": (pipe(".git/config"), True), "head": (pipe(".git/HEAD"), False), "device": (device, True), "huge": (huge, True),
    "packed": (pipe(".git/packed-refs"), True), "index": (pipe(".git/index"), True), "exclude": (pipe(".git/info/exclude"), True),
    "alternates": (pipe(".git/objects/info/alternates"), True), "included": (included, False), "ignoring": (ignoring, False),
    "ignore": (pipe(".gitignore", "dir0/.gitignore"), False), "attributes": (pipe(".gitattributes"), False),
}


class HangingTest(unittest.TestCase):
    def test_a_repository_that_git_has_not_answered_for_is_named(self):
        """The list does not wait for it, and says what it lacks."""
        folder = Folder()
        self.addCleanup(folder.remove)
        root = folder.path.resolve() / "work"
        slow, fast = repository(root / "slow"), repository(root / "fast")
        wrapper = folder / "bin" / "git"
        wrapper.parent.mkdir()
        wrapper.write_text(
            f"#!/bin/sh\ncase \"$PWD $*\" in *{slow}*) while [ ! -e {folder / 'go'} ]; do sleep 0.05; done;; esac\n"
            f"exec {shutil.which('git')} \"$@\"\n")
        wrapper.chmod(0o755)
        server = Server(
            folder / "no-timetable", "--workspaces", str(root), now=None,
            environment={"PATH": f"{wrapper.parent}:{os.environ['PATH']}"})
        self.addCleanup(server.__exit__)

        def paths() -> list[str]:
            return [each["path"] for each in server.get("/v1/git/worktrees")[1]]

        def omissions() -> list[tuple[str, str]]:
            return [(each["reason"], each["path"]) for each in server.get("/v1/git/omissions")[1]]

        until(lambda: paths() == [str(fast)])
        self.assertEqual(omissions(), [("pending", str(slow / ".git"))])
        (folder / "go").touch()
        until(lambda: sorted(paths()) == [str(fast), str(slow)])
        self.assertEqual(omissions(), [])

    def test_many_that_git_hangs_in_delay_no_other(self):
        """More than git may run in at a time: each is given up as soon as it waits for a pipe, not when its time is over."""
        folder = Folder()
        self.addCleanup(folder.remove)
        root = folder.path.resolve() / "work"
        bad = [root / f"a{number}" for number in range(24)]
        for place in bad:
            pipe(".gitignore", "dir0/.gitignore", ".gitattributes")(repository(place))
        server = Workspaces(folder, roots=[root])
        self.addCleanup(server.__exit__)

        def problems() -> list[str]:
            return [each["git"].get("problem", "") for each in server.worktrees()]

        until(lambda: len(problems()) == len(bad) and all(problems()))
        self.assertEqual([each for each in problems() if "waits for a pipe" not in each], [])

    def test_a_server_that_ends_leaves_no_git_behind(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        root = folder.path.resolve() / "work"
        for number in range(3):
            included(repository(root / f"a{number}"))

        def gits() -> list[int]:
            found = []
            for number in filter(str.isdigit, os.listdir("/proc")):
                try:
                    if os.readlink(f"/proc/{number}/cwd").startswith(str(root)):
                        found.append(int(number))
                except OSError:
                    pass
            return found

        server = Workspaces(folder, roots=[root])
        self.addCleanup(server.__exit__)
        # Each is given up after a while and tried again.
        until(gits)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(gits(), [])

    def ends_during(self, hook: str, action: str, body: dict, extra: str = "") -> tuple[Path, Path]:
        """Ends the server while a hook of the person hangs in an action, and gives the two worktrees."""
        folder = Folder()
        self.addCleanup(folder.remove)
        base = folder.path.resolve()
        main = repository(base / "work" / "main")
        tree = base / "work" / "tree"
        git(main, "worktree", "add", "-q", "-b", "tree", str(tree))
        for place in (main, tree):
            (place / f"{place.name}.txt").write_text("new\n")
            git(place, "add", ".")
            git(place, "commit", "-q", "-m", place.name)
        (base / "hooks").mkdir()
        (base / ".gitconfig").write_text(f"[core]\n\thooksPath = {base / 'hooks'}\n")
        server = Workspaces(folder, roots=[base / "work"], environment={"HOME": str(base)})
        self.addCleanup(server.__exit__)
        place = f"/v1/git/worktrees/{server.named('tree')['id']}/{action}"
        script = base / "hooks" / hook
        begun = main / ".git" / "begun"
        script.write_text(f"#!/bin/sh\n{extra}\necho $$ > '{begun}'\nsleep 300\nsleep 300\n")
        script.chmod(0o755)
        answers: list[tuple] = []
        asking = threading.Thread(target=lambda: answers.append(server.ask(place, "POST", body)))
        asking.start()
        until(lambda: begun.exists() and begun.read_text())
        hanging = int(begun.read_text())
        self.assertEqual(server.stop(), 0)
        asking.join()
        # Who asked is told, and nothing of it runs on.
        self.assertEqual(answers[0][0], 502, answers)
        self.assertIn("the server ends", answers[0][2]["detail"])
        until(lambda: not Path(f"/proc/{hanging}").exists())
        self.assertEqual(list(main.rglob("*.lock")), [])
        return main, tree

    def test_a_server_that_ends_gives_up_an_action_that_hangs_and_undoes_it(self):
        """A minute later an operator would kill the server, with the action half done and git still running."""
        for hook, action, body, extra in (
            ("pre-rebase", "sync", {"strategy": "rebase"}, ""),
            ("post-rewrite", "sync", {"strategy": "rebase"}, "trap '' TERM"),
            ("commit-msg", "sync", {"strategy": "merge"}, ""),
            ("reference-transaction", "merge", {}, "trap '' TERM"),
        ):
            with self.subTest(hook=hook):
                for place in self.ends_during(hook, action, body, extra):
                    self.assertEqual(git(place, "status", "--porcelain"), "")
                    self.assertEqual(operation(place), None)
                    self.assertEqual(git(place, "log", "-1", "--format=%s").strip(), place.name)

    def test_a_repository_in_which_git_hangs_delays_no_other(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        root = folder.path.resolve() / "work"
        for name, (make, _) in WAYS.items():
            make(repository(root / name))
        for number in range(4):
            repository(root / f"z{number}")
        server = Workspaces(folder, roots=[root])
        self.addCleanup(server.__exit__)
        good = {str(root / f"z{number}") for number in range(4)}

        def known() -> set[str]:
            return {each["path"] for each in server.worktrees() if each["cache_status"]["is_cached"]}

        until(lambda: good <= known())
        for each in server.worktrees():
            if each["path"] in good:
                self.assertNotIn("problem", each["git"])
        # Nothing waits for them later either: each change is seen while they hang.
        for number in range(6):
            (root / f"z{number % 4}" / f"new{number}.txt").write_text("new\n")
            until(lambda number=number: server.named(f"z{number % 4}")["git"]["untracked"] == 1 + number // 4)
        # What is wrong is said, by files of which kind.
        def told() -> str:
            omitted = [each["detail"] for each in server.ask("/v1/git/omissions")[2]]
            return "\n".join(omitted + [each["git"].get("problem", "") for each in server.worktrees()])

        for name, (_, isTold) in WAYS.items():
            if isTold:
                # By what they are, and not because git took too long.
                until(lambda name=name: any(
                    f"{root / name}/.git/" in line and ("is not a file" in line or "bytes" in line) for line in told().splitlines()))
        # One that was mended is read again.
        shutil.rmtree(root / "config" / ".git")
        git(root / "config", "init", "-q", "-b", "main")
        until(lambda: str(root / "config") in known() and "problem" not in server.named("config")["git"])


if __name__ == "__main__":
    unittest.main()
