"""A data folder with links in it: what root does not follow, and which users may read what the program makes."""

from __future__ import annotations

import os
import shutil
import subprocess
import unittest
from pathlib import Path

from program import LONGEST, PROGRAM, Folder, Server, run
from sample_network import copy_network
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from test_static_feeds import Publisher, feed

STRANGER = 54_321
"""A user that is neither root nor the one that runs the tests."""


class DataLinks(unittest.TestCase):
    def setUp(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        self.folder = folder.path.resolve()
        copy_network(self.folder)
        self.data, self.outside = self.folder / "data", self.folder / "outside"
        # What an import removes that it takes for generations which no manifest names.
        for place in ("", "victim", "victim/documents"):
            (self.outside / place).mkdir()
            (self.outside / place / "secret.txt").write_text("alias,stop_id\nof-root,8501120\n")
            (self.outside / place / "secret.txt").chmod(0o600)

    def seen(self) -> dict[str, tuple[int, str]]:
        """All that is outside of the data folder."""
        return {
            str(path): (path.stat().st_mode, path.read_text() if path.is_file() else "") for path in sorted(self.outside.rglob("*"))
        }

    def link(self, name: str, target: str, owner: int | None) -> None:
        """A link in place of what has that name in the data folder."""
        place = self.data / name
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        place.parent.mkdir(exist_ok=True)
        place.symlink_to(self.outside / target)
        if owner is not None:
            os.lchown(place, owner, owner)

    @unittest.skipUnless(os.geteuid() == 0, "only root can give a link to another user")
    def test_root_follows_no_link_of_another_user(self):
        commands = {
            "import": [str(self.folder / "feed")], "feeds list": [], "feeds check": ["--trip-updates", str(self.folder / "t.pb")],
            "feeds add": ["http://127.0.0.1:9/x.zip"], "feeds accept": [], "feeds rollback": [], "feeds remove": [],
            "import --verify": [], "import --remove": [], "backup": [str(self.folder / "backup")], "serve": ["--port", "0"],
        }
        links = {
            "import.lock": "new-file", "manifest.json": "secret.txt", "manifest.json.new": "secret.txt", "sources.json": "secret.txt",
            "aliases.csv": "secret.txt", "feeds": "", "feeds/default": "victim", "static": "victim", "static/default.download": "secret.txt",
            "shared": "", "history.sqlite": "secret.txt", "history.sqlite-wal": "new-file", "anything": "secret.txt",
        }
        whole = self.folder / "whole"
        self.data.rename(whole)
        before = self.seen()
        for name, target in links.items():
            for command, more in commands.items():
                with self.subTest(name, command=command):
                    shutil.rmtree(self.data, ignore_errors=True)
                    shutil.copytree(whole, self.data)
                    self.link(name, target, STRANGER)
                    answer = run(*command.split(), *more, "--data", str(self.data))
                    self.assertEqual(answer.returncode, 73, answer.stdout + answer.stderr)
                    self.assertIn(f"{name}: is a link that the user {STRANGER} placed", answer.stderr)
                    self.assertNotIn("of-root", answer.stdout + answer.stderr)
                    self.assertEqual(self.seen(), before)
        # The folder itself.
        shutil.rmtree(self.data)
        self.data.symlink_to(whole)
        os.lchown(self.data, STRANGER, STRANGER)
        answer = run("import", str(self.folder / "feed"), "--data", str(self.data))
        self.assertEqual(answer.returncode, 73)
        self.assertIn(f"data: is a link that the user {STRANGER} placed", answer.stderr)
        answer = run("doctor", "--data", str(self.data))
        self.assertIn("fail  data links", answer.stdout)

    def test_a_link_of_ones_own_is_followed_and_a_lock_never_is(self):
        disk = self.folder / "disk"
        disk.mkdir()
        shutil.rmtree(self.data / "feeds")
        (self.data / "manifest.json").unlink()
        (self.data / "feeds").symlink_to(disk)
        self.assertEqual(run("import", str(self.folder / "feed"), "--data", str(self.data)).returncode, 0)
        self.assertEqual([path.name for path in disk.iterdir()], ["default"])
        before = self.seen()
        self.link("import.lock", "new-file", None)
        answer = run("import", str(self.folder / "feed"), "--data", str(self.data))
        self.assertEqual(answer.returncode, 73)
        self.assertIn("import.lock: cannot be opened: it is a link; remove it", answer.stderr)
        self.assertEqual(self.seen(), before)
        (self.data / "import.lock").unlink()
        # What is written is a new file, and not what a link leads to.
        self.link("manifest.json.new", "secret.txt", None)
        self.assertEqual(run("import", str(self.folder / "feed"), "--data", str(self.data)).returncode, 0)
        self.assertEqual(self.seen(), before)

    def test_others_write_nothing_that_is_made_and_read_no_secret(self):
        """Whatever the umask is."""
        data, jobs = self.folder / "made/data", self.folder / "made/jobs"
        publisher = Publisher(self)
        publisher.publish(feed(), "a")
        careless = self.folder / "careless"
        careless.write_text(f'#!/bin/sh\numask 0\nexec "{PROGRAM}" "$@"\n')
        careless.chmod(0o755)
        added = subprocess.run(
            [careless, "feeds", "add", publisher.url, "--header", "Authorization: Bearer s3cret", "--data", data],
            capture_output=True, text=True, timeout=LONGEST, check=False)
        self.assertEqual(added.returncode, 0, added.stdout + added.stderr)
        with Server(data, "--jobs", str(jobs), program=careless) as server:
            self.assertEqual(server.get("/health/live")[0], 200)
        seen = 0
        for path in [data, jobs, *data.rglob("*"), *jobs.rglob("*")]:
            mode = path.stat().st_mode & 0o777
            self.assertEqual(mode & 0o022, 0, f"{path}: {mode:o}")
            if path.name in ("sources.json", "inputs") or path.suffix == ".sqlite" and path.name != "stops.sqlite":
                self.assertEqual(mode & 0o077, 0, f"{path}: {mode:o}")
                seen += 1
        self.assertGreaterEqual(seen, 4)


if __name__ == "__main__":
    unittest.main()
