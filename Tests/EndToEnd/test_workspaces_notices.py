"""Desktop notifications of worktrees, against a service on a bus of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
import time
import unittest
from pathlib import Path

from program import PROGRAM, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from terminal import Screen
from test_terminal_workspaces import HOSTILE, WorkspacesTest as Stage

SYSTEM = "/usr/bin/python3"
MISSING = [name for name in ("dbus-daemon", "gdbus") if shutil.which(name) is None]
if not os.access(SYSTEM, os.X_OK) or subprocess.run(
    [SYSTEM, "-c", "import dbus, gi"], capture_output=True, check=False
).returncode:
    MISSING.append("python3-dbus and python3-gi")


class Desktop:
    """A bus of its own with notifications on it."""

    def __init__(self, *options: str):
        self.bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        self.address = self.bus.stdout.readline().strip()
        self.told: list[dict] = []
        self.service = subprocess.Popen(
            [SYSTEM, str(Path(__file__).with_name("fake_notifications.py")), *options],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "DBUS_SESSION_BUS_ADDRESS": self.address},
        )
        assert json.loads(self.service.stdout.readline()) == {"ready": True}
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        for line in self.service.stdout:
            self.told.append(json.loads(line))

    @property
    def notices(self) -> list[dict]:
        """What the desktop was told."""
        return [each for each in self.told if "title" in each]

    def close(self) -> None:
        for process in (self.service, self.bus):
            process.kill()
            process.wait()
        self.thread.join()
        self.service.stdout.close()
        self.bus.stdout.close()


class Watcher:
    """The program printing one line for each change, and telling the desktop."""

    def __init__(self, url: str, environment: dict[str, str]):
        self.process = subprocess.Popen(
            [PROGRAM, "workspaces", "--server", url, "--watch", "--status-line", "--notify"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment},
        )
        self.lines: list[str] = []
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.append(line.strip())

    def close(self) -> str:
        """Ends it; gives what it complained about."""
        if self.process.stderr.closed:
            return ""
        self.process.send_signal(signal.SIGTERM)
        complaint = self.process.stderr.read()
        self.process.wait(timeout=30)
        self.thread.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return complaint


class NoticeTest(Stage):
    def watcher(self, **environment: str) -> Watcher:
        watcher = Watcher(self.server.url, environment)
        self.addCleanup(watcher.close)
        return watcher

    @unittest.skipIf(MISSING, f"missing: {', '.join(MISSING)}")
    def test_each_change_is_told_once_and_what_was_so_before_is_not(self):
        desktop = Desktop()
        self.addCleanup(desktop.close)
        old = self.agent("docs")
        old.works()
        old.asks("An old question?")
        until(lambda: self.server.named("docs")["activity"]["state"] == "needs_you")
        watcher = self.watcher(DBUS_SESSION_BUS_ADDRESS=desktop.address)
        until(lambda: watcher.lines and watcher.lines[-1].startswith("1 needs you"))
        agent = self.agent("pay")
        agent.works()
        until(lambda: "1 working" in watcher.lines[-1])
        question = 'May I "rm" \\ <b>it</b> & all? ' + HOSTILE
        agent.asks(question)
        until(lambda: len(desktop.notices) == 1)
        first = desktop.notices[0]
        self.assertEqual((first["app"], first["title"], first["replaces"]), ("freshet", "shop/pay needs you", 0))
        self.assertIn('May I "rm" \\ &lt;b&gt;it&lt;/b&gt; &amp; all?', first["text"])
        self.assertIn("漢字 ✅", first["text"])
        self.assertTrue(first["text"].isprintable())
        self.assertEqual((first["actions"], first["urgency"], first["patience"]), ([], 1, -1))
        agent.is_answered()
        until(lambda: "1 working" in watcher.lines[-1])
        agent.is_done("All is well.")
        until(lambda: len(desktop.notices) == 2)
        second = desktop.notices[1]
        self.assertEqual((second["title"], second["text"]), ("shop/pay is done", "All is well."))
        # The newer one takes the place of the older one.
        self.assertEqual(second["replaces"], first["number"])
        # The server restarts and finds everything again: none of it counts as a change.
        self.restart()
        until(lambda: "done" in watcher.lines[-1])
        other = self.agent("search")
        other.works()
        other.is_done("Found.")
        until(lambda: len(desktop.notices) == 3)
        self.assertEqual(desktop.notices[2]["title"], "shop/search is done")
        # It may have asked while no server was there; it complains about nothing else.
        self.assertRegex(watcher.close(), r"\A(freshet workspaces: 127\.0\.0\.1:\d+ refuses connections\n)?\Z")
        self.assertEqual(len(desktop.notices), 3)

    def restart(self) -> None:
        """Another life of the server on the same port."""
        port = self.server.port
        self.server.stop()
        again = subprocess.Popen(
            [PROGRAM, "serve", "--data", str(self.folder / "no-timetable"), "--port", str(port), "--log-level", "error",
             "--workspaces", str(self.main.parent), "--claude-home", str(self.logs / "none"),
             "--codex-home", str(self.logs / "none"), "--agent-logs", str(self.logs)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        self.addCleanup(again.wait)
        self.addCleanup(again.kill)

        def is_back() -> bool:
            """Whether it knows what agents did, and the watcher hears of it."""
            try:
                knows = self.server.named("pay")["activity"]["state"] == "done_unseen"
                return knows and self.server.metric("freshet_workspaces_waiting") == 1
            except OSError:
                return False

        until(is_back)

    @unittest.skipIf(MISSING, f"missing: {', '.join(MISSING)}")
    def test_a_desktop_without_markup_gets_the_text_and_the_screen_tells_it_too(self):
        desktop = Desktop("--plain")
        self.addCleanup(desktop.close)
        screen = self.screen("--notify", environment={"DBUS_SESSION_BUS_ADDRESS": desktop.address})
        agent = self.agent("pay")
        agent.works()
        self.shown(screen, r"▶ working +shop/pay")
        agent.asks("<b> & co?")
        until(lambda: len(desktop.notices) == 1)
        self.assertEqual(desktop.notices[0]["text"], "it asks for a permission: <b> & co?")

    @unittest.skipIf(MISSING, f"missing: {', '.join(MISSING)}")
    def test_a_desktop_that_does_not_answer_delays_nothing(self):
        desktop = Desktop("--silent")
        self.addCleanup(desktop.close)
        screen = self.screen("--notify", environment={"DBUS_SESSION_BUS_ADDRESS": desktop.address})
        agent = self.agent("pay")
        agent.works()
        self.shown(screen, r"▶ working +shop/pay")
        agent.asks("May I?")
        self.shown(screen, r"! needs you +shop/pay")
        until(lambda: desktop.told)
        screen.press("\r")
        self.shown(screen, r"! needs you for")
        screen.press("q")
        start = time.monotonic()
        self.assertEqual(screen.ends(), 0)
        # A few seconds on a machine that is quiet: a desktop is waited for, but not for ever.
        self.assertLess(time.monotonic() - start, 40)
        self.assertTrue(screen.is_as_before())

    def test_without_a_bus_it_says_so_once_and_goes_on(self):
        watcher = self.watcher(DBUS_SESSION_BUS_ADDRESS="", XDG_RUNTIME_DIR=str(self.folder.path))
        until(lambda: watcher.lines)
        agent = self.agent("pay")
        agent.works()
        agent.asks("May I?")
        until(lambda: "1 needs you" in watcher.lines[-1])
        complaint = watcher.close()
        self.assertIn("no session bus", complaint)
        self.assertEqual(len(complaint.splitlines()), 1)
        screen = self.screen("--notify", environment={"DBUS_SESSION_BUS_ADDRESS": "", "XDG_RUNTIME_DIR": ""})
        self.shown(screen, "no notifications")

    def test_notify_send_stands_in_and_is_started_without_a_shell(self):
        tools = self.folder.path / "tools"
        tools.mkdir()
        tool = tools / "notify-send"
        tool.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\" >> \"${0%/*}/told\"\necho end >> \"${0%/*}/told\"\n")
        tool.chmod(0o755)
        watcher = self.watcher(DBUS_SESSION_BUS_ADDRESS="unix:path=/none", PATH=str(tools))
        until(lambda: watcher.lines)
        agent = self.agent("pay")
        agent.works()
        until(lambda: "1 working" in watcher.lines[-1])
        agent.asks("$(touch x); `y` --help <i>")
        told = tools / "told"
        until(lambda: told.exists() and "end" in told.read_text())
        self.assertEqual(
            told.read_text().splitlines(),
            ["--app-name=freshet", "--icon=dialog-question", "--", "shop/pay needs you",
             "it asks for a permission: $(touch x); `y` --help &lt;i&gt;", "end"],
        )


del Stage

if __name__ == "__main__":
    unittest.main()
