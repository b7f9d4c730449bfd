"""`freshet demo`: three pages with everything in them, what a visitor breaks from its panel in Chromium, and that nothing is left of it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
import unittest
from pathlib import Path

from browser import Browser
from demo_stage import PATIENCE, DemoFolder, DemoTab, ask
from program import LAB, LONGEST, PROGRAM, Folder, once, run, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from test_age import BUSY, SHOWN_WITHIN, shown_age

#: How many ages are compared with the truth while a thing is broken.
COMPARED = 3
PANE = "document.querySelector('.pane').dataset.state"
WORKTREES = "document.querySelector('#worktree-page').dataset.state"
JOB = "document.querySelector('.job')?.dataset.state"


def patiently(tab: DemoTab, expression: str) -> None:
    """Waits for what takes up to a minute; it is asked for rarely, as each question costs the browser time."""
    end = time.monotonic() + PATIENCE
    while not tab.run(expression):
        assert time.monotonic() < end, f"never: {expression}\nconsole: {tab.console}"
        time.sleep(0.5)


#: By how much a page beside all other tests may draw too late, in seconds.
LATE = 2 * BUSY


@once
def browser() -> Browser:
    """The browser of all demonstrations."""
    made = Browser()
    unittest.addModuleCleanup(made.close)
    return made


class BrokenThings(unittest.TestCase):
    """A demonstration, whose parts are broken one after the other, as a visitor of one server does: data that is frozen by one
    thing is frozen for the next.

    Pages wait for long before they give something up. So what breaks the data and what breaks the server happens to two
    demonstrations at the same time.
    """

    def start(self, **options: int) -> None:
        """Starts it, and shows the two pages that are always there."""
        folder = DemoFolder()
        self.addCleanup(folder.remove)
        self.demo = folder.demo(**options).ready()
        self.board = self.tab(self.demo.board + "&lang=en")
        self.worktrees = self.tab(self.demo.worktrees + "?lang=en")

    def tab(self, url: str) -> DemoTab:
        tab = DemoTab(browser(), self.demo, url)
        self.addCleanup(self.assert_console, tab)
        tab.open_panel()
        return tab

    def assert_console(self, tab: DemoTab) -> None:
        self.assertEqual(
            [line for line in tab.console if not any(word in line for word in ("ERR_", "Failed to load resource", "WebSocket"))], [])

    def assert_age(self, label: str, changes: int = COMPARED) -> None:
        """Compares ages that the board draws with the time since its data was made: within a second.

        An age is drawn between the check that does not show it yet and the one that does, cut to whole units; of what answer
        its data is, is certain only for answers that came some time before.
        """
        before, last = time.time(), shown_age(self.board.text(".freshness"))
        end = time.monotonic() + PATIENCE
        while changes:
            self.assertLess(time.monotonic(), end, f"{label}: the age is not drawn any more")
            time.sleep(0.1)
            now = time.time()
            drawn = shown_age(self.board.text(".freshness"))
            after = time.time()
            if drawn is not None and drawn != last:
                age, unit = drawn
                self.assertGreater(age + unit, before - self.board.stated(), f"{label}: younger than the data is")
                certain = self.board.stated(before - SHOWN_WITHIN)
                if certain is not None:
                    self.assertLessEqual(age, after - certain + self.board.delay(certain) + LATE, f"{label}: older than the data is")
                    changes -= 1
            before, last = now, drawn

    def fresh(self, after: float = 0) -> None:
        """Waits until the board has data that was made after an instant, and says that it is live."""
        end = time.monotonic() + PATIENCE
        while (self.board.stated() or 0) <= after:
            self.assertLess(time.monotonic(), end, "no newer data came")
            time.sleep(0.5)
        patiently(self.board, f"{PANE} === 'live'")

    def panel_tells_the_truth(self, label: str) -> None:
        """The panel's truth is the time since the producer made what the board shows."""
        right, end = 0, time.monotonic() + PATIENCE
        while right < COMPARED:
            said = self.board.until_panel("/ (\\d+)\\s+s\\s+ago/.exec(document.querySelector('#truth').textContent)?.[1]")
            # The panel hears of a new board once the page has it.
            right = right + 1 if abs(int(said) - (time.time() - self.board.stated())) <= 1 + BUSY else 0
            self.assertLess(time.monotonic(), end, f"{label}: the panel says {said} s")
            time.sleep(0.5)

    def whole(self) -> None:
        self.fresh()
        self.assert_age("whole")
        self.assertTrue(self.demo.is_published(self.board.stated()), "data of a time at which nothing was published")


class BrokenData(BrokenThings):
    def test_everything_that_breaks_the_data_or_a_clock(self):
        self.start(books=10, agents=1)
        self.whole()
        self.panel_tells_the_truth("whole")
        self.producer_down_and_half_a_feed()
        self.clock_of_the_producer()
        self.clock_of_the_browser()

    def producer_down_and_half_a_feed(self) -> None:
        self.board.set("producerDown", True)
        patiently(self.board, f"{PANE} !== 'live'")
        self.assert_age("producer down")
        self.board.set("halfFeed", True)
        # On a busy machine the page may still miss what the server got before.
        frozen = self.demo.stated()
        until(lambda: self.board.stated() == frozen)
        self.board.set("producerDown", False)
        self.assert_age("half a feed", changes=8)
        self.assertEqual(self.board.stated(), frozen, "half a feed was believed")
        self.board.mend()
        self.fresh(after=frozen)

    def clock_of_the_producer(self) -> None:
        self.board.set("producerClock", True)
        # The age then counts from the arrival, at which nothing was published.
        end = time.monotonic() + PATIENCE
        while self.demo.is_published(self.board.stated()):
            self.assertLess(time.monotonic(), end, "no publication with the wrong clock arrived")
            time.sleep(0.5)
        self.assert_age("the producer's clock a day ahead")
        self.board.until_panel("document.querySelector('#truth').textContent.includes('tomorrow')")
        self.panel_tells_the_truth("the producer's clock a day ahead")
        self.assertLess(abs(time.time() - self.board.stated()), 3_600)
        self.board.set("producerClock", False)

    def clock_of_the_browser(self) -> None:
        self.board.set("browserClock", True)
        for tab in (self.board, self.worktrees):
            tab.wait("Date.now() - (performance.timeOrigin + performance.now()) > 86000000 && new Date().getTime() - Date.now() < 1000")
        self.assert_age("the browser's clock a day ahead")
        age, unit = shown_age(self.worktrees.text(".freshness"))
        self.assertLess(age, 60)
        self.board.set("browserClock", False)
        self.board.wait("Math.abs(Date.now() - (performance.timeOrigin + performance.now())) < 3600000")


class BrokenServer(BrokenThings):
    def test_everything_that_breaks_the_server_or_what_it_looks_at(self):
        self.start()
        self.jobs = self.tab(self.demo.jobs + "?lang=en")
        self.whole()
        self.worktrees.wait("document.querySelectorAll('.card').length === 4")
        self.worktrees.wait(f"{WORKTREES} === 'live'")
        self.jobs.wait(f"{JOB} === 'succeeded'")
        self.assertIn("2,000 of 2,000 succeeded", self.jobs.text(".job"))
        self.agents_and_git()
        self.server_killed_in_an_import()
        self.network_cut()
        self.nobody_else_breaks_anything()
        self.ends_without_a_trace()

    def agents_and_git(self) -> None:
        agents = self.demo.child("agent-sim")

        def state() -> str:
            return Path(f"/proc/{agents}/stat").read_text().rsplit(")", 1)[1].split()[0]

        self.worktrees.set("agentsFrozen", True)
        until(lambda: state() == "T")
        self.worktrees.set("agentsFrozen", False)
        until(lambda: state() != "T")
        self.worktrees.set("gitHangs", True)
        patiently(self.worktrees, "[...document.querySelectorAll('.card')].some((card) => card.textContent.includes('info/exclude'))")
        self.assertEqual(self.worktrees.run(WORKTREES), "live")
        self.worktrees.set("gitHangs", False)
        patiently(self.worktrees, "![...document.querySelectorAll('.card')].some((card) => card.textContent.includes('info/exclude'))")

    def server_killed_in_an_import(self) -> None:
        self.jobs.set("serverSlow", True)
        self.jobs.press("#import")
        self.jobs.wait(f"document.querySelectorAll('.job').length === 2 && {JOB} === 'running'")
        killed = self.demo.child("serve")
        self.jobs.set("serverKilled", True)
        self.assertNotIn(killed, self.demo.processes())
        self.jobs.wait("document.querySelector('.job').textContent.includes('connecting again')")
        for tab, state in ((self.board, PANE), (self.worktrees, WORKTREES)):
            patiently(tab, f"{state} === 'failing'")
        frozen = self.board.stated()
        self.assert_age("server killed")
        self.assertEqual(self.board.stated(), frozen)
        self.jobs.mend()
        patiently(self.jobs, f"{JOB} === 'succeeded'")
        self.assertIn("2,000 of 2,000 succeeded", self.jobs.text(".job"))
        self.assertIn("2,000 imported", self.jobs.text(".job"), "rows were imported twice, or not at all")
        patiently(self.worktrees, f"{WORKTREES} === 'live'")
        self.fresh(after=frozen)

    def network_cut(self) -> None:
        self.board.set("networkCut", True)
        frozen = self.board.stated()
        self.assert_age("network cut")
        for tab, state in ((self.worktrees, WORKTREES), (self.board, PANE)):
            patiently(tab, f"['failing', 'offline'].includes({state})")
        self.assertEqual(self.board.stated(), frozen, "something came through")
        # The panel is reachable, and says the same in each page.
        self.worktrees.until_panel("document.querySelector('[data-fault=networkCut]').getAttribute('aria-checked') === 'true'")
        self.worktrees.mend()
        patiently(self.worktrees, f"{WORKTREES} === 'live'")
        self.fresh(after=frozen)
        self.assert_age("mended")

    def nobody_else_breaks_anything(self) -> None:
        """Requests of other pages, and of names that were made to mean this machine, are refused."""
        panel, token = self.demo.panel, self.board.in_panel("document.documentElement.dataset.token")
        broken = f"{panel}/broken/networkCut"
        for status, method, url, fields in (
            (403, "PUT", broken, {}),
            (403, "PUT", broken, {"x_demo_token": token[:-1] + "-"}),
            (403, "PUT", broken, {"x_demo_token": token, "origin": self.demo.url}),
            (403, "GET", f"{panel}/state", {}),
            (403, "POST", f"{panel}/books", {}),
            (421, "GET", f"{panel}/panel", {"host": "panel.example"}),
            (421, "PUT", broken, {"x_demo_token": token, "host": "panel.example"}),
            (404, "PUT", f"{panel}/broken/everything", {"x_demo_token": token}),
        ):
            self.assertEqual(ask(method, url, **fields)[0], status, f"{method} {url} {fields}")
        self.assertNotIn('"isBroken":true', ask("GET", f"{panel}/state", x_demo_token=token)[1])

    def ends_without_a_trace(self) -> None:
        """Ctrl-C, in the middle of broken things."""
        self.worktrees.set("gitHangs", True)
        self.worktrees.set("agentsFrozen", True)
        self.worktrees.set("serverSlow", True)
        port = int(self.demo.url.rsplit(":", 1)[1])
        self.assertEqual(self.demo.end(), 0, self.demo.output)
        self.assertFalse(self.demo.folder.exists())
        until(lambda: not self.demo.processes())
        with socket.socket() as one:
            self.assertNotEqual(one.connect_ex(("127.0.0.1", port)), 0)


class Folders(unittest.TestCase):
    def setUp(self):
        self.folder = DemoFolder()
        self.addCleanup(self.folder.remove)

    def test_what_was_left_by_a_kill_is_ended_and_removed_by_the_next_one(self):
        """Which gets another port, as its own is taken, and keeps its folder."""
        first = self.folder.demo().ready()
        second = self.folder.demo()
        self.assertEqual(second.process.wait(timeout=LONGEST), 69)
        second.output += second.process.stdout.read()
        self.assertIn("another demonstration runs there", second.output)
        left = [first.child("serve"), first.child("agent-sim")]
        first.process.kill()
        first.process.wait()
        self.assertTrue(set(left) <= set(first.processes()), "there is nothing to clean")
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            third = self.folder.demo("--keep", "--port", str(port)).ready()
        self.assertIn("processes that were still running: 2", third.output)
        self.assertIn(f"port {port} is taken", third.output)
        self.assertEqual(ask("GET", third.url + "/health/live")[0], 200)
        until(lambda: not set(left) & set(third.processes()))
        self.assertEqual(third.end(signal.SIGTERM), 0)
        self.assertIn(f"Kept: {third.folder}", third.output)
        self.assertTrue((third.folder / "data").is_dir())
        until(lambda: not third.processes())

    def test_no_folder_of_other_things_is_touched(self):
        place = self.folder / "own"
        place.mkdir()
        (place / "thesis.txt").write_text("All of it.")
        done = run("demo", "--folder", str(place))
        self.assertEqual((done.returncode, (place / "thesis.txt").read_text()), (73, "All of it."))
        self.assertIn("has files that no demonstration made", done.stderr)
        (self.folder / "link").symlink_to(place)
        done = run("demo", "--folder", str(self.folder / "link"))
        self.assertEqual(done.returncode, 73)
        self.assertIn("not a folder of your own", done.stderr)
        for options in (["--books", "10001"], ["--agents", "0"], ["--period", "0.5"], ["--stops", "99"]):
            done = run("demo", "--folder", str(self.folder / "none"), *options)
            self.assertEqual(done.returncode, 64, options)
            self.assertIn(options[0], done.stderr)
        self.assertFalse((self.folder / "none").exists())


class WithoutTheLab(unittest.TestCase):
    def test_the_program_says_what_to_install(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        program = folder / "freshet"
        shutil.copy(PROGRAM, program)
        done = subprocess.run([program, "demo"], env={**os.environ, "PATH": "/nowhere"}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 69)
        self.assertRegex(done.stderr, "^freshet demo: .*install the package freshet-lab\n$")
        done = subprocess.run([LAB, "demo", "--program", str(folder / "absent")], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 69)
        self.assertIn("install the package freshet", done.stderr)


if __name__ == "__main__":
    unittest.main()
