"""The packages in Examples: they are built as an app's package is, and the app runs against a server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
import unittest
from pathlib import Path

from boards import PERIOD, STOP, Producer
from job_stage import JobServer, table
from program import Folder, Server, once, until
from sample_network import copy_network
from workspaces import Workspaces, git, repository

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "Examples"
#: One place for all of them: what they share is compiled once.
SCRATCH = ROOT / ".build/examples"
SWIFT = os.environ.get("SWIFT", "swift")
SCREENS = ["BoardScreen", "WorktreesScreen", "ImportScreen"]
LONGEST = 540
#: The options with which the package itself is built for its tests.
WHOLE = re.search(r"^WHOLE = (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].replace("$(DEBUG_INFO)", "none").split()


def build(name: str, scratch: Path = SCRATCH) -> None:
    """Builds a package of Examples with the versions of this one; from the same cache of repositories."""
    package = EXAMPLES / name
    resolved = ROOT / "Package.resolved"
    if resolved.is_file():
        shutil.copy(resolved, package / "Package.resolved")
    done = subprocess.run(
        [SWIFT, "build", "--package-path", str(package), "--scratch-path", str(scratch), "--explicit-target-dependency-import-check", "error", *WHOLE],
        capture_output=True, text=True, timeout=LONGEST, check=False,
    )
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]


@once
def app() -> Path:
    """The built app."""
    build("ThreeScreens")
    return SCRATCH / "debug/ThreeScreens"


class Screen:
    """A screen of the app in a terminal: what it printed, and whether it goes on."""

    def __init__(self, *words: str):
        self.process = subprocess.Popen([app(), *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.text = ""
        self.reader = threading.Thread(target=self._read)
        self.reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            self.text += line

    @property
    def shown(self) -> list[str]:
        """The lines of the newest screen that is complete."""
        screens = self.text.split("\n\n")
        return screens[-2].split("\n") if len(screens) > 1 else []

    @property
    def footer(self) -> str:
        return self.shown[-1] if self.shown else ""

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()


class PackageTest(unittest.TestCase):
    def folder(self) -> Folder:
        folder = Folder()
        self.addCleanup(folder.remove)
        return folder

    def test_the_consumer_without_settings_is_built(self) -> None:
        build("PlainConsumer")

    def test_the_consumer_with_the_settings_of_xcode_is_built(self) -> None:
        build("XcodeConsumer")

    def test_the_app_brings_one_package_besides_ours(self) -> None:
        app()
        done = subprocess.run(
            [SWIFT, "package", "--package-path", str(EXAMPLES / "ThreeScreens"), "--scratch-path", str(SCRATCH), "show-dependencies",
             "--format", "flatlist"],
            capture_output=True, text=True, timeout=LONGEST, check=True,
        )
        # A package by path is named after its folder.
        self.assertEqual(set(done.stdout.split()) - {ROOT.name.lower()}, {"swift-http-types"}, done.stderr)

    def test_a_screen_has_at_most_fifteen_lines_and_two_imports(self) -> None:
        for name in SCREENS:
            text = (EXAMPLES / f"ThreeScreens/Sources/ThreeScreens/{name}.swift").read_text()
            screen = re.search(r"^struct .*?^}$", text, re.MULTILINE | re.DOTALL)[0]
            self.assertLessEqual(len([line for line in screen.split("\n") if line.strip()]), 15, name)
            self.assertLessEqual(len(re.findall(r"^import ", text, re.MULTILINE)), 2, name)

    def test_the_screens_fit_the_models(self) -> None:
        app()
        swiftc = shutil.which("swiftc") or str(Path(SWIFT).with_name("swiftc"))
        folder = self.folder()
        stub = Path(__file__).with_name("swiftui") / "SwiftUI.swift"
        module = ["-swift-version", "6", "-parse-as-library"]
        done = subprocess.run(
            [swiftc, *module, "-emit-module", "-module-name", "SwiftUI", "-emit-module-path", str(folder / "SwiftUI.swiftmodule"), str(stub)],
            capture_output=True, text=True, timeout=LONGEST, check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        sources = sorted(map(str, (EXAMPLES / "ThreeScreens/Sources/ThreeScreens").glob("*.swift")))
        done = subprocess.run(
            [swiftc, *module, "-typecheck", "-I", str(folder.path), "-I", str(SCRATCH / "debug/Modules"), "-warnings-as-errors", *sources],
            capture_output=True, text=True, timeout=LONGEST, check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)


class AppTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Folder()
        self.addCleanup(self.folder.remove)

    def screen(self, *words: str | Path) -> Screen:
        screen = Screen(*map(str, words))
        self.addCleanup(screen.close)
        return screen

    def boards(self) -> tuple[Producer, Server]:
        """A server of boards with a producer of realtime."""
        data = copy_network(self.folder.path)
        producer = Producer(str(data), "calm")
        self.addCleanup(producer.close)
        return producer, Server(data, "--trip-updates", f"{producer.url}/trip-updates.pb", "--poll", f"trip-updates={PERIOD * 500}")

    def test_the_board_ages_outlives_its_server_and_comes_back_from_disk(self) -> None:
        copies = self.folder / "copies"
        _, server = self.boards()
        with server:
            screen = self.screen("board", server.url, STOP, copies)
            until(lambda: screen.footer.startswith(("live", "ageing")) and len(screen.shown) > 3)
            self.assertRegex(screen.footer, r"updated \d+ s ago")
            ages: set[str] = set()
            until(lambda: bool(ages.add(screen.footer)) or len(ages) > 2)
        until(lambda: screen.footer.startswith("failing"))
        rows = screen.shown[:-1]
        self.assertGreater(len(rows), 2)
        screen.close()
        again = self.screen("board", server.url, STOP, copies)
        until(lambda: len(again.shown) > 3 and again.footer.startswith("failing"))
        self.assertEqual(again.shown[:-1], rows)
        self.assertNotRegex(again.text, r"(?m)^(live|ageing)")

    def test_a_worktree_that_is_deleted_goes_at_once_and_one_that_the_server_keeps_comes_back(self) -> None:
        main = repository(self.folder / "work/project")
        for name in ("one", "two"):
            git(main, "worktree", "add", "-q", "-b", name, str(main.parent / name))
        (main.parent / "two/new.txt").write_text("not committed\n")
        with Workspaces(self.folder, roots=[main.parent]) as server:
            screen = self.screen("worktrees", server.url, "/one")
            until(lambda: "changed" in screen.text)
            until(lambda: bool(screen.shown) and not any("/one" in row for row in screen.shown))
            self.assertFalse((main.parent / "one").exists())
            screen.close()
            refused = self.screen("worktrees", server.url, "/two")
            until(lambda: "refused: " in refused.text)
            until(lambda: any("/two" in row for row in refused.shown))
            self.assertTrue((main.parent / "two/new.txt").exists())
            self.assertIn("unconfirmed", refused.text)

    def test_an_import_shows_its_progress_its_end_and_every_row(self) -> None:
        rows = 40
        (self.folder / "books.csv").write_bytes(table(rows))
        with JobServer(self.folder.path) as server:
            screen = self.screen("import", server.url, self.folder / "books.csv")
            self.assertEqual(screen.process.wait(timeout=60), 0, screen.text)
            screen.reader.join()
            self.assertEqual(len(screen.shown) - 2, rows, screen.text[-500:])
            self.assertTrue(screen.shown[0].startswith("100 %"), screen.shown[0])


if __name__ == "__main__":
    unittest.main()
