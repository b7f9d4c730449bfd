"""The worktrees on the whole terminal, as a person sees and changes them."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from neutral_agent import NeutralAgent
from program import PROGRAM, Folder, run, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from terminal import LONGEST, Screen
from workspaces import Workspaces, git, repository

#: What an agent may write: none of it may steer the terminal.
HOSTILE = "\x1b[31mred\x1b[2J\x07 \x9b31m \u202etrap \x1b]0;title\x07 漢字 ✅"


class WorkspacesTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        base = self.folder.path.resolve()
        self.logs = base / "agents"
        self.main = repository(base / "work" / "shop")
        self.trees = {}
        for name in ("pay", "search", "docs"):
            self.trees[name] = base / "work" / name
            git(self.main, "worktree", "add", "-q", "-b", name, str(self.trees[name]))
        self.server = self.enterContext(self.serve())

    def serve(self) -> Workspaces:
        return Workspaces(
            self.folder, "--claude-home", str(self.logs / "none"), "--codex-home", str(self.logs / "none"),
            "--agent-logs", str(self.logs), roots=[self.main.parent],
        )

    def agent(self, name: str) -> NeutralAgent:
        agent = NeutralAgent(self.logs, self.trees[name])
        self.addCleanup(agent.close)
        return agent

    def screen(self, *options: str, **more) -> Screen:
        screen = Screen("workspaces", "--server", self.server.url, *options, **more)
        self.addCleanup(screen.close)
        screen.wait_until(
            lambda rows: any("shop/docs" in row for row in rows) and re.search(r"\d s ago", rows[-2]), "a list")
        return screen

    def shown(self, screen: Screen, pattern: str, what: str | None = None) -> list[str]:
        """Waits until a row fits a pattern."""
        return screen.wait_until(lambda rows: any(re.search(pattern, row) for row in rows), what or pattern)

    def point(self, screen: Screen, name: str) -> None:
        """Moves the cursor to a worktree."""
        def pointed(rows: list[str]) -> str | None:
            """The worktree under the cursor; rows themselves change at any time."""
            found = [re.search(r"shop/\S+", row) for row in rows if row.startswith("›")]
            return found[0][0] if found and found[0] else None

        for _ in range(10):
            before = pointed(screen.wait_until(pointed, "a cursor"))
            if before == f"shop/{name}":
                return
            screen.press("j")
            screen.wait_until(lambda rows: pointed(rows) not in (None, before), "another row")
        raise AssertionError(f"{name} was never under the cursor:\n" + "\n".join(screen.shows()))

    def commit(self, name: str, path: str, text: str) -> None:
        place = (self.main if name == "shop" else self.trees[name]) / path
        place.write_text(text)
        git(place.parent, "add", "-A")
        git(place.parent, "commit", "-qm", text.strip())


class ShowingTest(WorkspacesTest):
    def test_states_todos_and_details_come_by_themselves(self):
        screen = self.screen()
        agent = self.agent("pay")
        agent.works("Make the payment work")
        self.shown(screen, r"▶ working +shop/pay")
        agent.tell("todos", todos=[{"content": "Write a test", "status": "completed"},
                                   {"content": "Mend the reader", "status": "in_progress"}])
        self.shown(screen, r"▶ working +shop/pay .*1/2")
        before = len(screen.text)
        agent.asks("Allow rm -rf build?")
        rows = self.shown(screen, r"! needs you +shop/pay")
        self.assertIn("1 needs you", rows[0])
        self.assertRegex(rows[-2], r"^● \d+ s ago · events")
        # Rows are drawn one by one: nothing flickers.
        self.assertNotIn("\x1b[2J", screen.text[before:])
        screen.press("\r")
        for pattern in (r"! needs you for", r"Allow rm -rf build\?", r"✓ Write a test", r"▶ Mend the reader",
                        r"Make the payment work"):
            self.shown(screen, pattern)
        agent.is_answered()
        agent.is_done("All tests are green.")
        self.shown(screen, r"✓ done for")
        self.shown(screen, r"All tests are green\.")
        screen.press("\x1b")
        self.shown(screen, r"✓ done +shop/pay")
        screen.press("s")
        self.shown(screen, r"‖ idle +shop/pay")

    def test_what_was_seen_stays_seen_when_the_server_starts_again(self):
        agent = self.agent("pay")
        agent.works()
        agent.is_done("All is well.")
        screen = self.screen()
        self.shown(screen, r"✓ done +shop/pay")
        screen.press("s")
        self.shown(screen, r"‖ idle +shop/pay")
        self.server.stop()
        again = self.enterContext(self.serve())
        until(lambda: again.named("pay")["activity"]["state"] != "unknown")
        self.assertEqual(again.named("pay")["activity"]["state"], "idle")
        agent.works()
        agent.is_done()
        until(lambda: again.named("pay")["activity"]["state"] == "done_unseen")

    def test_a_diff_is_shown_and_follows_the_files(self):
        (self.trees["pay"] / "dir0" / "file0.txt").write_text("another\n")
        screen = self.screen()
        self.point(screen, "pay")
        screen.press("d")
        self.shown(screen, r"^\+another")
        rows = self.shown(screen, r"^dir0/file0.txt  modified  \+1 -12")
        self.assertIn("1 file", rows[0])
        (self.trees["pay"] / "dir0" / "file0.txt").write_text("a third\n")
        self.shown(screen, r"^\+a third")
        screen.press("\x1b")
        self.shown(screen, r"shop/pay .*●1")

    def test_what_agents_write_never_steers_the_terminal(self):
        agent = self.agent("pay")
        agent.works(HOSTILE)
        agent.tell("todos", todos=[{"content": HOSTILE, "status": "in_progress"}])
        agent.tell("title", text=HOSTILE)
        agent.tell("message", text=HOSTILE)
        agent.asks(HOSTILE)
        (self.trees["pay"] / "dir0" / "file0.txt").write_text(HOSTILE + "\n")
        screen = self.screen()
        self.shown(screen, r"! needs you +shop/pay")
        screen.press("\r")
        self.shown(screen, r"asked")
        screen.press("d")
        self.shown(screen, r"^\+.*red")
        # Styles, places, and what switches screens: `shows` refuses anything else.
        screen.shows()
        allowed = re.compile(r"\x1b\[(?:[0-9;]*[mHK]|2J|\?(?:1049|2004|2026|25|7)[hl])")
        self.assertIsNone(re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]",
                                    allowed.sub("", screen.text).replace("\r", "")))

    def test_the_list_stays_honest_when_the_server_goes(self):
        screen = self.screen("--no-stream")
        self.server.process.kill()
        rows = self.shown(screen, r"^▲ \d+ s ago · .*refuses connections")
        self.assertTrue(any("shop/pay" in row for row in rows), "the rows stay")
        self.shown(screen, r"^▲ ([3-9]|\d\d) s ago")

    def test_every_size(self):
        screen = self.screen()
        for columns, rows in [(20, 10), (20, 3), (40, 12), (200, 50), (12, 2), (90, 20)]:
            screen.resize(columns, rows)
            shown = screen.wait_until(
                lambda lines: len(lines) == rows and re.search(r"\d+ s ago|\d+ …", lines[-2]), f"{columns} by {rows}")
            if rows > 9:
                self.assertTrue(any("pay" in line for line in shown), shown)

    def test_colours_as_the_environment_says(self):
        agent = self.agent("pay")
        agent.works()
        agent.asks("May I?")
        screen = self.screen()
        self.shown(screen, r"! needs you +shop/pay")
        self.assertIn("\x1b[7m", screen.text, "the cursor")
        self.assertRegex(screen.text, r"\x1b\[1;33m1 needs you")
        plain = self.screen(environment={"NO_COLOR": "1"})
        rows = self.shown(plain, r"^› ! needs you +shop/pay")
        self.assertTrue(rows)
        self.assertNotRegex(plain.text, r"\x1b\[[0-9;]+m")

    def test_lines_where_there_is_no_terminal(self):
        answer = run("workspaces", "--server", self.server.url)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertNotIn("\x1b", answer.stdout)
        self.assertEqual(len(answer.stdout.splitlines()), 4)
        answer = run("workspaces", "--server", self.server.url, "--status-line")
        self.assertEqual(answer.stdout, "4 quiet\n")
        screen = Screen("workspaces", "--server", self.server.url, "--once")
        self.addCleanup(screen.close)
        self.assertEqual(screen.ends(), 0)
        self.assertNotIn("\x1b[?1049h", screen.text)
        for options in (["--once", "--watch"], ["--json", "--status-line"], ["--notify"]):
            self.assertEqual(run("workspaces", "--server", self.server.url, *options).returncode, 64)

    def test_lines_for_other_programs_are_whole_and_in_columns(self):
        agent = self.agent("pay")
        agent.works()
        words = "Allow " + "all of these words, " * 5 + "to the end?"
        agent.asks(words)
        self.commit("search", "dir1/new.txt", "theirs\n")

        def is_told() -> bool:
            lines = run("workspaces", "--server", self.server.url).stdout
            return "needs you: " in lines and any("shop/search" in line and "+1" in line for line in lines.splitlines())

        until(is_told)
        lines = run("workspaces", "--server", self.server.url).stdout.splitlines()
        self.assertTrue(any(line.endswith("to the end?") for line in lines), lines)
        pay, search = (next(line for line in lines if f"shop/{name}" in line) for name in ("pay", "search"))
        self.assertEqual(search.index("+1"), pay.index("needs you") - max(len("+1"), 2) - 2, lines)
        self.assertFalse(any("unknown" in line for line in lines), lines)

    def test_a_network_that_costs_is_polled(self):
        screen = self.screen("--metered")
        rows = self.shown(screen, r"metered · next in")
        self.assertNotIn("events", rows[-2])
        self.assertEqual(self.server.metric("freshet_workspaces_waiting"), 0)


class EndingTest(WorkspacesTest):
    def test_the_terminal_is_as_before_on_every_way_out(self):
        for end in ["q", "\x03", signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, "for"]:
            with self.subTest(end=end):
                screen = self.screen(*(["--for", "6"] if end == "for" else []))
                self.assertIn("\x1b[?1049h", screen.text, "the worktrees have the terminal")
                if end != "for":
                    # The one that ends by itself may have done so.
                    self.assertFalse(screen.is_as_before())
                if isinstance(end, signal.Signals):
                    screen.process.send_signal(end)
                elif end != "for":
                    screen.press(end)
                self.assertEqual(screen.ends(), 0)
                self.assertTrue(screen.is_as_before())

    def test_a_stopped_one_gives_the_terminal_back_and_takes_it_again(self):
        screen = self.screen()
        screen.process.send_signal(signal.SIGTSTP)
        deadline = time.monotonic() + LONGEST
        while not (screen.is_as_before() and screen.is_stopped()) and time.monotonic() < deadline:
            screen.more(0.1)
        self.assertTrue(screen.is_as_before())
        self.assertTrue(screen.is_stopped())
        screen.text = ""
        screen.process.send_signal(signal.SIGCONT)
        self.shown(screen, r"shop/pay")
        screen.press("q")
        self.assertEqual(screen.ends(), 0)


class ChangingTest(WorkspacesTest):
    def test_a_merge_is_checked_first_and_its_conflicts_are_shown(self):
        self.commit("pay", "dir0/file0.txt", "theirs\n")
        self.commit("shop", "dir0/file0.txt", "ours\n")
        head = git(self.main, "rev-parse", "HEAD")
        screen = self.screen()
        self.shown(screen, r"shop/pay .*\+1 -1")
        self.point(screen, "pay")
        screen.press("m")
        rows = self.shown(screen, r"conflicts in 1 file\. Nothing was changed")
        self.assertIn("  dir0/file0.txt", rows)
        screen.press("y")
        screen.press("\x1b")
        self.shown(screen, r"› .*shop/pay")
        self.assertEqual(git(self.main, "rev-parse", "HEAD"), head)

    def test_a_merge_and_a_sync_are_done_after_a_yes_and_shown_at_once(self):
        self.commit("pay", "dir1/new.txt", "theirs\n")
        screen = self.screen("--no-stream")
        self.shown(screen, r"shop/pay .*\+1")
        self.point(screen, "pay")
        screen.press("m")
        self.shown(screen, r"There are no conflicts\. 1 commit would be merged")
        self.assertFalse((self.main / "dir1" / "new.txt").exists())
        screen.press("y")
        self.shown(screen, r"pay is merged into main")
        self.assertTrue((self.main / "dir1" / "new.txt").exists())
        screen.press("g")
        self.shown(screen, r"shop/search .*-")
        self.point(screen, "search")
        screen.press("u")
        self.shown(screen, r"There are no conflicts\. It lacks")
        screen.press("y")
        self.shown(screen, r"search has what main has")
        self.assertTrue((self.trees["search"] / "dir1" / "new.txt").exists())
        # A local action is followed by a burst, so that its effect is seen soon also without a stream.
        screen.wait_until(
            lambda rows: any("shop/search" in row and "-" not in row.split("shop/search")[1] for row in rows), "level")

    def test_a_merge_that_is_refused_names_the_files(self):
        self.commit("pay", "dir1/new.txt", "theirs\n")
        (self.main / "wip.txt").write_text("wip")
        screen = self.screen()
        self.shown(screen, r"shop/pay .*\+1")
        self.point(screen, "pay")
        screen.press("m")
        self.shown(screen, r"would be merged|wip\.txt")
        screen.press("y")
        rows = self.shown(screen, r"^  wip\.txt")
        self.assertFalse((self.main / "dir1" / "new.txt").exists(), rows)

    def test_nothing_is_deleted_without_a_yes_and_what_is_precious_only_by_its_word(self):
        (self.trees["docs"] / "precious.txt").write_text("work")
        screen = self.screen()
        self.shown(screen, r"shop/docs .*●1")
        self.point(screen, "docs")
        screen.press("D")
        self.shown(screen, r"Delete the worktree shop/docs\?")
        screen.press("\r")
        screen.press("\x1b")
        self.shown(screen, r"› .*shop/docs")
        screen.press("D")
        self.shown(screen, r"The branch docs stays")
        screen.press("y")
        self.shown(screen, r"^  precious\.txt")
        self.shown(screen, r"type delete and press enter")
        screen.press("y\r")
        self.assertTrue((self.trees["docs"] / "precious.txt").exists())
        screen.press("\x7fdelete\r")
        self.shown(screen, r"is gone")
        self.assertFalse(self.trees["docs"].exists())
        self.assertIn("docs", git(self.main, "branch", "--list", "docs"))
        screen.wait_until(lambda rows: not any("shop/docs" in row for row in rows[:-1]), "two left")

    def test_what_was_deleted_is_chosen_from_a_list_and_brought_back(self):
        (self.trees["docs"] / "precious.txt").write_text("work")
        identity = self.server.named("docs")["id"]
        screen = self.screen()
        screen.resize(160, 20)  # The message begins with a path.
        screen.press("z")
        self.shown(screen, r"There is nothing to take back")
        screen.press("\x1b")
        for name, force in (("docs", "?force=1"), ("pay", "")):
            place = f"/v1/git/worktrees/{identity if name == 'docs' else self.server.named(name)['id']}{force}"
            status, _, answer = self.server.ask(place, "DELETE")
            self.assertEqual(status, 200, answer)
        screen.wait_until(lambda rows: not any(re.search(r"shop/(docs|pay) ", row) for row in rows[:-1]), "two are gone")
        screen.press("z")
        # The newest first; the cursor goes to the one before.
        self.shown(screen, r"^› shop/pay deleted \(pay, .*kept for 6 days|^› shop/pay deleted")
        self.assertFalse(self.trees["docs"].exists())
        screen.press("j")
        self.shown(screen, r"^› shop/docs deleted \(docs, ")
        screen.press("y")
        self.shown(screen, r"is there again, as it was")
        self.shown(screen, r"shop/docs .*●1")
        self.assertEqual((self.trees["docs"] / "precious.txt").read_text(), "work")
        self.assertFalse(self.trees["pay"].exists())
        # What the server refuses is told, and the list is there again.
        self.trees["pay"].mkdir()
        screen.press("z")
        self.shown(screen, r"^› shop/pay deleted")
        screen.press("y")
        self.shown(screen, r"is there already|already")
        self.trees["pay"].rmdir()
        screen.press("\x1b")
        self.shown(screen, r"^› shop/pay deleted")
        screen.press("y")
        self.shown(screen, r"is there again, as it was")

    def test_what_is_pasted_changes_nothing(self):
        screen = self.screen()
        self.assertIn("\x1b[?2004h", screen.text)
        self.point(screen, "docs")
        screen.press("\x1b[200~Dyq\x1b[201~")
        screen.press("/")
        screen.press("\x1b[200~shop/docs\r\x1b[201~")
        screen.wait_until(lambda rows: rows[-1] == "/ shop/docs▏", "a filter")
        self.assertTrue(self.trees["docs"].exists())
        screen.press("\x1b")
        screen.press("q")
        self.assertEqual(screen.ends(), 0)
        self.assertGreater(screen.text.rfind("\x1b[?2004l"), screen.text.rfind("\x1b[?2004h"))

    def test_a_worktree_is_made(self):
        screen = self.screen()
        screen.resize(160, 20)  # The message begins with a path.
        screen.press("n")
        self.shown(screen, r"^› branch")
        screen.press("fix/one\r")
        self.shown(screen, r"is there with fix/one")
        self.shown(screen, r"shop/.*one")
        self.assertIn("fix/one", git(self.main, "branch", "--list", "fix/one"))
        screen.press("n")
        screen.press("fix/one\r")
        self.shown(screen, r"checked out|is there|exists")
        screen.press("\x1b")
        screen.press("q")
        self.assertEqual(screen.ends(), 0)


@unittest.skipUnless(shutil.which("tmux"), "tmux is not there: apt-get install tmux")
class TmuxTest(WorkspacesTest):
    def tmux(self, *arguments: str) -> str:
        return subprocess.run(
            ["tmux", "-S", self.socket, *arguments], capture_output=True, text=True, check=False,
            env={**os.environ, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"},
        ).stdout

    def test_a_terminal_that_others_wrote_shows_the_same(self):
        agent = self.agent("pay")
        agent.works()
        agent.asks(HOSTILE)
        self.socket = str(self.folder.path / "tmux")
        self.addCleanup(self.tmux, "kill-server")
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "20",
                  f"{PROGRAM} workspaces --server {self.server.url}; echo ended with $?; sleep 600")
        self.tmux("set", "-g", "status", "off")
        text = ""

        def shows(pattern: str) -> bool:
            nonlocal text
            text = self.tmux("capture-pane", "-p")
            return re.search(pattern, text, re.MULTILINE) is not None

        until(lambda: shows(r"^› ! needs you +shop/pay"))
        self.assertIn("red", text)
        for columns in (40, 20, 120):
            self.tmux("resize-window", "-x", str(columns), "-y", "16")
            until(lambda: shows(r"^› !.* .*pay.*\n(.*\n)*● \d+ s ago"))
            self.assertLessEqual(max(map(len, text.splitlines())), columns)
        self.tmux("send-keys", "Enter")
        until(lambda: shows(r"^agents ─"))
        self.tmux("send-keys", "Escape")
        until(lambda: shows(r"^› ! needs you"))
        self.tmux("send-keys", "q")
        # The screen of before is back.
        until(lambda: shows(r"^ended with 0"))
        self.assertNotIn("needs you", text)


if __name__ == "__main__":
    unittest.main()
