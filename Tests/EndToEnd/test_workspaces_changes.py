"""Changes that are easy to miss, each by itself: they are shown soon, and no tag hides them meanwhile."""

from __future__ import annotations

import threading
import time
import unittest
from collections.abc import Callable
from pathlib import Path

from program import Folder
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import Workspaces, git, repository, shown, truth

LIST = "/v1/git/worktrees"
# Everything is looked at once a minute in any case; what is seen well before was seen by itself. On a machine that is
# quiet it takes a second; a busy one gets most of the minute.
LONGEST = 40
# Nothing is looked at twice within a second: a worktree that was not scanned for longer has no change left.
REST = 1.3


class ChangeTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.base = self.folder.path.resolve()
        self.root = self.base / "work"
        self.main = repository(self.root / "main", 3)
        home = self.base / "home"
        home.mkdir()
        self.home = home

    def serve(self) -> None:
        self.server = self.enterContext(Workspaces(
            self.folder, roots=[self.root], environment={"HOME": str(self.home), "XDG_CONFIG_HOME": ""}
        ))
        self.until(lambda: all(each["cache_status"]["is_cached"] for each in self.server.worktrees()))
        # What the start brings with it is over.
        self.rests()

    def rests(self) -> None:
        """Waits until the server has looked at all that it was told of."""
        looks, since = -1.0, time.monotonic()
        while time.monotonic() - since < REST:
            now = self.server.metric("freshet_workspaces_scans_total")
            if now != looks:
                looks, since = now, time.monotonic()
            time.sleep(0.1)

    def until(self, condition: Callable[[], object], most: float = LONGEST) -> float:
        begin = time.monotonic()
        while not condition():
            self.assertLess(time.monotonic() - begin, most, "it never came")
            time.sleep(0.03)
        return time.monotonic() - begin

    def shows(self, name: str, **state: object) -> float:
        """Waits until a worktree has some state, and gives how long that took."""
        def now() -> bool:
            it = self.server.named(name)
            known = {**it, **it["git"]}
            return all(known.get(key) == value for key, value in state.items())
        return self.until(now)

    def diff(self, name: str = "main", **fields: str) -> tuple[int, dict[str, str], object]:
        return self.server.ask(f"{LIST}/{self.server.named(name)['id']}/diff", **fields)

    # MARK: Content

    def test_a_file_in_a_folder_that_was_empty(self):
        (self.main / "dir0" / "before").mkdir()
        self.serve()
        (self.main / "dir0" / "before" / "file").write_text("x")
        self.shows("main", untracked=1)
        (self.main / "new").mkdir()
        (self.main / "a" / "b" / "c").mkdir(parents=True)
        self.rests()
        status, fields, _ = self.diff()
        self.assertEqual(status, 200)
        (self.main / "new" / "file").write_text("x")
        # The tag says no more than is known.
        self.until(lambda: self.diff(If_None_Match=fields["etag"])[0] == 200)
        self.shows("main", untracked=2)
        (self.main / "a" / "b" / "c" / "file").write_text("x")
        self.shows("main", untracked=3)
        (self.main / "a" / "b" / "c" / "file").unlink()
        self.shows("main", untracked=2)

    def test_folders_that_come_one_after_the_other_while_they_are_listed(self):
        self.serve()
        place = self.main / "deep"
        for number in range(40):
            place = place / f"n{number}"
            place.mkdir(parents=True)
            time.sleep(0.04)
        self.rests()
        (place / "file").write_text("x")
        self.shows("main", untracked=1)

    def test_folders_that_are_ignored_are_not_watched(self):
        (self.main / ".gitignore").write_text("out/\n")
        git(self.main, "add", ".")
        git(self.main, "commit", "-q", "-m", "ignore")
        for number in range(100):
            (self.main / "out" / f"o{number}" / "inner").mkdir(parents=True)
        self.serve()
        watches = self.server.metric("freshet_workspaces_watches")
        self.assertLess(watches, 60)
        # What is not ignored any more is.
        (self.main / ".gitignore").write_text("")
        self.until(lambda: self.server.metric("freshet_workspaces_watches") > watches + 100)
        (self.main / "out" / "o7" / "inner" / "file").write_text("x")
        self.shows("main", untracked=1)

    def test_a_file_that_is_written_and_stays_open(self):
        self.serve()
        with open(self.main / "dir0" / "file0.txt", "a", encoding="utf-8") as file:
            # What opening it says is over before the first word.
            self.rests()
            file.write("held\n")
            file.flush()
            self.shows("main", unstaged=1)
            status, fields, body = self.diff()
            self.assertIn("+held", str(body))
            file.write("more\n")
            file.flush()
            self.until(lambda: self.diff(If_None_Match=fields["etag"])[0] == 200)
            self.assertIn("+more", str(self.diff()[2]))

    def test_who_waits_for_another_diff_gets_it_though_the_counts_are_equal(self):
        place = self.main / "dir0" / "file0.txt"
        place.write_text("one\n")
        self.serve()
        for text in ("two\n", "three\n"):
            _, fields, _ = self.diff()
            self.rests()
            answers: list[tuple[float, tuple]] = []
            identifier = self.server.named("main")["id"]

            def wait() -> None:
                answer = self.server.ask(f"{LIST}/{identifier}/diff", If_None_Match=fields["etag"], Prefer="wait=30")
                answers.append((time.monotonic(), answer))

            waiting = threading.Thread(target=wait)
            waiting.start()
            self.until(lambda: self.server.metric("freshet_workspaces_waiting") == 1)
            self.assertFalse(answers)
            begin = time.monotonic()
            place.write_text(text)
            waiting.join()
            at, (status, answer, body) = answers[0]
            self.assertEqual((status, answer["preference-applied"]), (200, "wait=30"))
            self.assertIn("+" + text.strip(), str(body))
            self.assertLess(at - begin, LONGEST)
            print(f"\na diff that was waited for came after {at - begin:.2f} s")

    def test_who_waits_for_a_diff_is_not_woken_by_what_changes_nothing_in_it(self):
        (self.main / ".gitignore").write_text("*.o\n")
        git(self.main, "add", ".")
        git(self.main, "commit", "-q", "-m", "ignore")
        (self.main / "new folder").mkdir()
        (self.main / "new folder" / "file").write_text("x")
        self.serve()
        _, fields, _ = self.diff()
        ended = threading.Event()

        def build() -> None:
            number = 0
            while not ended.wait(0.05):
                (self.main / "dir0" / f"{number}.o").write_text("o")
                number += 1

        building = threading.Thread(target=build)
        building.start()
        try:
            status, answer, _ = self.diff(If_None_Match=fields["etag"], Prefer="wait=3")
        finally:
            ended.set()
            building.join()
        self.assertEqual((status, answer["preference-applied"], answer["etag"]), (304, "wait=3", fields["etag"]))

    # MARK: Git

    def test_counts_of_a_shallow_clone_that_becomes_whole(self):
        for number in range(6):
            git(self.main, "commit", "-q", "--allow-empty", "-m", f"more {number}")
        git(self.main, "branch", "side", "HEAD~5")
        git(self.main, "checkout", "-q", "side")
        git(self.main, "commit", "-q", "--allow-empty", "-m", "side")
        git(self.main, "checkout", "-q", "main")
        address = f"file://{self.main}"
        git(self.root, "clone", "-q", "--depth", "1", "--no-single-branch", "-b", "side", address, "clone")
        self.serve()
        self.shows("clone", commit_count=1, commits_behind=1)
        git(self.root / "clone", "fetch", "-q", "--unshallow")
        self.shows("clone", commit_count=1, commits_behind=5)
        # A commit may be replaced by one with another past.
        clone = self.root / "clone"
        git(clone, "replace", "--graft", "HEAD", "HEAD~1~1")
        self.shows("clone", commits_behind=6)
        git(clone, "replace", "-d", git(clone, "rev-parse", "HEAD").strip())
        self.shows("clone", commits_behind=5)

    def test_an_entry_of_the_stash_that_is_not_the_first_is_dropped(self):
        for number in range(3):
            (self.main / "dir0" / "file0.txt").write_text(f"{number}\n")
            git(self.main, "stash", "-q")
        git(self.main, "worktree", "add", "-q", "-b", "linked", str(self.root / "linked"))
        self.serve()
        self.shows("main", stashes=3)
        git(self.main, "stash", "drop", "-q", "stash@{1}")
        self.shows("main", stashes=2)
        self.shows("linked", stashes=2)
        git(self.main, "stash", "drop", "-q", "stash@{1}")
        self.shows("linked", stashes=1)

    # MARK: Places

    def test_a_folder_around_worktrees_gets_another_name(self):
        outside = self.root / "group" / "deeper"
        git(self.main, "worktree", "add", "-q", "-b", "linked", str(outside / "linked"))
        self.serve()
        (self.root / "group").rename(self.root / "renamed")
        self.until(lambda: len(self.server.worktrees()) == 1)
        git(self.main, "worktree", "repair", str(self.root / "renamed" / "deeper" / "linked"))
        self.until(lambda: shown(self.server.worktrees()) == truth(self.main))
        (self.root / "renamed" / "deeper").rename(self.root / "renamed" / "again")
        linked = self.root / "renamed" / "again" / "linked"
        git(self.main, "worktree", "repair", str(linked))
        self.until(lambda: shown(self.server.worktrees()) == truth(self.main))
        (linked / "new").write_text("x")
        self.shows("linked", untracked=1)
        # It comes as a whole: one that is made there may be looked at before it is one.
        repository(self.base / "another").rename(self.root / "renamed" / "another")
        self.until(lambda: any(each["name"].endswith("/another") for each in self.server.worktrees()))


if __name__ == "__main__":
    unittest.main()
