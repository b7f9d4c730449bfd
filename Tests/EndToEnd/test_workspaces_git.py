"""The state of worktrees agrees with git through a random sequence of operations."""

from __future__ import annotations

import os
import random
import shutil
import statistics
import threading
import time
import unittest
from pathlib import Path

from program import Folder
from scale import sized
from workspaces import Workspaces, git, operation, repository, shown, truth, worktrees_of

OPERATIONS = int(os.environ.get("FRESHET_GIT_OPERATIONS", sized("48", long="500")))
SEED = os.environ.get("FRESHET_GIT_SEED", "6")
# Ends a wait for what never comes. Everything is looked at once a minute in any case.
LONGEST = 50
PAUSE = float(os.environ.get("FRESHET_GIT_PAUSE", "0"))


class Player:
    """Does things to worktrees as people, agents and scripts do."""

    def __init__(self, main: Path, folder: Path, seed: str):
        self.main, self.folder = main, folder
        self.random = random.Random(seed)
        self.count = 0
        self.names: list[str] = []

    def trees(self) -> list[Path]:
        return [Path(path) for path in worktrees_of(self.main)]

    def files(self, tree: Path) -> list[Path]:
        names = git(tree, "ls-files", "-z").split("\0")
        found = [tree / name for name in names if name and (tree / name).is_file()]
        return [each for each in found if not each.is_symlink() and each.name != ".gitmodules"]

    def other_branch(self) -> str:
        names = git(self.main, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()
        return self.random.choice(names)

    def step(self) -> str:
        """One operation, each kind once before one comes again; some are refused by git, as in life."""
        self.count += 1
        tree = self.random.choice(self.trees())
        if operation(tree) and self.random.random() < 0.5:
            name = self.random.choice(["do_abort", "do_go_on"])
        else:
            if not self.names:
                self.names = [name for name in dir(self) if name.startswith("do_")]
                self.random.shuffle(self.names)
            name = self.names.pop()
        getattr(self, name)(tree)
        self.mend()
        return f"{name[3:]} in {tree.name}"

    def mend(self) -> None:
        """With conflicts in .gitmodules git itself cannot tell the status any more."""
        for tree in self.trees():
            place = tree / ".gitmodules"
            if place.is_file() and "<<<<<<<" in place.read_text():
                lines = place.read_text().splitlines(keepends=True)
                place.write_text("".join(line for line in lines if line[:7] not in ("<<<<<<<", "=======", ">>>>>>>")))

    def try_git(self, tree: Path, *arguments: str) -> None:
        git(tree, *arguments, check=False)

    def do_edit(self, tree: Path) -> None:
        files = self.files(tree)
        if files:
            place = self.random.choice(files)
            lines = place.read_text(errors="replace").splitlines() or [""]
            lines[self.random.randrange(len(lines))] = f"edit {self.count}"
            place.write_text("\n".join(lines) + "\n")

    do_edit_again = do_edit_more = do_edit

    def do_replace(self, tree: Path) -> None:
        """As editors do: a new file takes the place of the old one."""
        files = self.files(tree)
        if files:
            place = self.random.choice(files)
            new = place.with_name(place.name + "~")
            new.write_text(f"replaced {self.count}\n")
            new.rename(place)

    def do_new_file(self, tree: Path) -> None:
        place = tree / self.random.choice([".", "dir0", "new dir", "a/b/c"]) / f"new {self.count}"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("new\n")

    def do_remove_file(self, tree: Path) -> None:
        files = self.files(tree)
        if len(files) > 2:
            self.random.choice(files).unlink()

    def do_rename(self, tree: Path) -> None:
        files = self.files(tree)
        if files:
            place = self.random.choice(files)
            self.try_git(tree, "mv", str(place), str(place.parent / f"renamed {self.count}"))

    def do_mode(self, tree: Path) -> None:
        files = self.files(tree)
        if files:
            self.random.choice(files).chmod(self.random.choice([0o755, 0o644]))

    def do_link(self, tree: Path) -> None:
        (tree / f"link {self.count}").symlink_to("dir0")

    def do_ignored(self, tree: Path) -> None:
        (tree / ".gitignore").write_text("build/\n*.o\n")
        (tree / "build").mkdir(exist_ok=True)
        (tree / "build" / f"{self.count}.o").write_text("o")

    def do_add(self, tree: Path) -> None:
        self.try_git(tree, "add", "-A")

    def do_commit(self, tree: Path) -> None:
        self.try_git(tree, "commit", "-q", "-a", "-m", f"commit {self.count}")

    def do_add_and_commit(self, tree: Path) -> None:
        self.do_add(tree)
        self.do_commit(tree)

    do_add_and_commit_again = do_add_and_commit

    def do_empty_commit(self, tree: Path) -> None:
        self.try_git(tree, "commit", "-q", "--allow-empty", "-m", f"empty {self.count}")

    def do_amend(self, tree: Path) -> None:
        self.try_git(tree, "commit", "-q", "--amend", "--no-edit", "--allow-empty", "-a")

    def do_stash(self, tree: Path) -> None:
        self.try_git(tree, "stash", "push", "-q", *self.random.choice([[], ["-u"]]))

    def do_unstash(self, tree: Path) -> None:
        self.try_git(tree, "stash", self.random.choice(["pop", "apply", "drop"]), "-q")

    def do_new_branch(self, tree: Path) -> None:
        self.try_git(tree, "checkout", "-q", "-b", f"branch/{self.count}")

    def do_checkout(self, tree: Path) -> None:
        self.try_git(tree, "checkout", "-q", self.other_branch())

    def do_detach(self, tree: Path) -> None:
        self.try_git(tree, "checkout", "-q", "--detach", self.other_branch())

    def do_merge(self, tree: Path) -> None:
        flag = self.random.choice(["--no-ff", "--ff", "--no-commit", "--squash"])
        self.try_git(tree, "merge", "-q", flag, self.other_branch())

    def do_rebase(self, tree: Path) -> None:
        self.try_git(tree, "rebase", "-q", self.other_branch())

    def do_rebase_with_stop(self, tree: Path) -> None:
        self.try_git(tree, "rebase", "-q", "-x", "false", "HEAD~1")

    def do_cherry_pick(self, tree: Path) -> None:
        self.try_git(tree, "cherry-pick", self.other_branch())

    def do_revert(self, tree: Path) -> None:
        self.try_git(tree, "revert", "--no-edit", "HEAD")

    def do_bisect(self, tree: Path) -> None:
        self.try_git(tree, "bisect", self.random.choice(["start", "reset"]))

    def do_abort(self, tree: Path) -> None:
        what = operation(tree)
        if what == "bisect":
            self.try_git(tree, "bisect", "reset")
        elif what == "apply":
            self.try_git(tree, "am", "--abort")
        elif what:
            self.try_git(tree, what, "--abort")

    def do_go_on(self, tree: Path) -> None:
        what = operation(tree)
        if what in ("rebase", "cherry-pick", "revert", "merge"):
            self.try_git(tree, "add", "-A")
            self.try_git(tree, what, "--continue")

    def do_reset_hard(self, tree: Path) -> None:
        self.try_git(tree, "reset", "-q", "--hard")

    def do_reset_soft(self, tree: Path) -> None:
        self.try_git(tree, "reset", "-q", "--soft", "HEAD~1")

    def do_clean(self, tree: Path) -> None:
        self.try_git(tree, "clean", "-fdq")

    def do_pack(self, tree: Path) -> None:
        self.try_git(tree, "pack-refs", "--all")

    def do_delete_branch(self, tree: Path) -> None:
        name = self.other_branch()
        if name != "main":
            self.try_git(tree, "branch", "-q", "-D", name)

    def do_tag(self, tree: Path) -> None:
        self.try_git(tree, "tag", f"tag{self.count}")

    def do_sparse(self, tree: Path) -> None:
        if self.random.random() < 0.5:
            self.try_git(tree, "sparse-checkout", "set", "dir0", "dir1")
        else:
            self.try_git(tree, "sparse-checkout", "disable")

    def do_submodule(self, tree: Path) -> None:
        inner = next((each for each in tree.glob("sub*/inner.txt")), None)
        if inner:
            inner.write_text(f"inner {self.count}\n")
        else:
            self.try_git(tree, "submodule", "--quiet", "add", str(self.folder / "inner"), f"sub{self.count}")

    def do_add_worktree(self, tree: Path) -> None:
        if len(self.trees()) < 7:
            path = self.folder / f"tree{self.count}"
            self.try_git(tree, "worktree", "add", "-q", "-b", f"tree/{self.count}", str(path), "main")

    def do_remove_worktree(self, tree: Path) -> None:
        if tree != self.main and len(self.trees()) > 3:
            self.try_git(self.main, "worktree", "remove", "--force", str(tree))

    def do_prune_worktree(self, tree: Path) -> None:
        if tree != self.main and len(self.trees()) > 4:
            shutil.rmtree(tree)
            git(self.main, "worktree", "prune")

    def do_move_worktree(self, tree: Path) -> None:
        if tree != self.main:
            self.try_git(self.main, "worktree", "move", str(tree), str(self.folder / f"moved{self.count}"))

    def do_lock(self, tree: Path) -> None:
        if tree != self.main:
            self.try_git(self.main, "worktree", "lock", "--reason", f"lock {self.count}", str(tree))

    def do_unlock(self, tree: Path) -> None:
        self.try_git(self.main, "worktree", "unlock", str(tree))


class Seen(threading.Thread):
    """Everything the list ever said, by long poll, with the moments at which it came."""

    def __init__(self, server: Workspaces):
        super().__init__(daemon=True)
        self.server, self.changed, self.ended = server, threading.Condition(), threading.Event()
        self.lists: list[tuple[float, dict[str, dict]]] = []
        self.problem: object = None
        self.start()

    def run(self) -> None:
        tag: dict[str, str] = {}
        try:
            while not self.ended.is_set():
                status, fields, body = self.server.ask("/v1/git/worktrees", **tag, Prefer="wait=2")
                tag = {"If_None_Match": fields["etag"]}
                if status == 200:
                    with self.changed:
                        self.lists.append((time.monotonic(), shown(body)))
                        self.changed.notify_all()
        except OSError as error:
            self.problem = error

    def wait_for(self, expected: dict[str, dict]) -> tuple[float, dict[str, dict] | None]:
        """Since when the list has said so without a break; the last list instead if it never does."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.lists and self.lists[-1][1] == expected, LONGEST):
                return 0, self.lists[-1][1] if self.lists else {}
            since = 0.0
            for at, each in reversed(self.lists):
                if each != expected:
                    break
                since = at
            return since, None

    def end(self) -> None:
        self.ended.set()
        self.join()


class GitTest(unittest.TestCase):
    maxDiff = None

    def test_every_change_of_a_random_sequence_is_shown(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        root = folder.path.resolve() / "work"
        main = repository(root / "main", 9)
        self.inner(root.parent / "inner")
        for number in range(3):
            git(main, "worktree", "add", "-q", "-b", f"start{number}", str(root / f"start{number}"))
        player = Player(main, root.parent, SEED)
        delays: list[tuple[float, str]] = []
        with Workspaces(folder, roots=[root]) as server:
            seen = Seen(server)
            self.wait(seen, main, "the start")
            for _ in range(OPERATIONS):
                # Nothing is looked at twice within a second: what comes sooner has to wait for that.
                time.sleep(PAUSE)
                what = f"operation {player.count + 1}: {player.step()}"
                done = time.monotonic()
                delays.append((max(self.wait(seen, main, what) - done, 0), what))
            seen.end()
            self.assertIsNone(seen.problem)
            self.assertEqual(server.stop(), 0)
        ordered = sorted(delays, reverse=True)
        times = [delay for delay, _ in ordered]
        slow = [f"{what} after {delay:.2f} s" for delay, what in ordered if delay > 1]
        print(
            f"\n{OPERATIONS} operations: shown after {statistics.median(times):.2f} s (median), "
            f"{times[len(times) // 20]:.2f} s (95 %), {times[0]:.2f} s (longest); "
            f"{len(slow)} later than 1 s: {slow}"
        )
        # A change without a notification is shown with the scan of everything, half a minute later on average; how long
        # those with a notification take depends on the machine.
        self.assertLess(times[0], max(15, 20 * statistics.median(times)), ordered[0][1])
        # With pauses, on a machine that does nothing else, all of them are.
        if PAUSE:
            self.assertLessEqual(len(slow), OPERATIONS // 100, slow)

    @staticmethod
    def inner(path: Path) -> None:
        path.mkdir(parents=True)
        git(path, "init", "-q", "-b", "main")
        (path / "inner.txt").write_text("inner\n")
        git(path, "add", ".")
        git(path, "commit", "-q", "-m", "inner")

    def wait(self, seen: Seen, main: Path, what: str) -> float:
        """Waits until what is shown is the truth, and gives since when it is."""
        expected = truth(main)
        since, other = seen.wait_for(expected)
        if other is not None:
            self.assertEqual(other, expected, what)
        return since


if __name__ == "__main__":
    unittest.main()
