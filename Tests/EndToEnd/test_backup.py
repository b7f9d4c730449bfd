"""`freshet backup` and `freshet restore`: folders are copied while a server writes them, and served again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import unittest
from pathlib import Path

from job_stage import JobServer, table
from program import PROGRAM, Folder, Server, limited, once, run, sample, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401

STOP = "Parent8501120"
BOARD = f"/api/stationboard?stop_id={STOP}&limit=30"
ROWS = 400


@once
def imported() -> Path:
    """A feed, and a data folder with two generations of it."""
    folder = Path(Folder().path)
    sample(folder / "feed", "--stops", "40")
    answer = run("import", str(folder / "feed"), "--data", str(folder / "data"))
    assert answer.returncode == 0, answer.stderr
    manifest = json.loads((folder / "data/manifest.json").read_text())
    feed, = manifest["feeds"]
    shutil.copytree(folder / "data/feeds/default" / feed["generation"], folder / "data/feeds/default/earlier")
    feed["earlier"] = [{"name": "earlier"}]
    (folder / "data/manifest.json").write_text(json.dumps(manifest))
    return folder


def tearDownModule() -> None:
    shutil.rmtree(imported(), ignore_errors=True)


def value(path: Path, statement: str):
    with contextlib.closing(sqlite3.connect(path)) as database:
        return database.execute(statement).fetchone()[0]


def books(folder: Path) -> list[tuple]:
    with contextlib.closing(sqlite3.connect(folder / "library.sqlite")) as database:
        return sorted(database.execute("SELECT title, authors, isbn, rating, read_count FROM library").fetchall(), key=repr)


class BackupTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.data, self.backup = self.folder / "data", self.folder / "backup"
        shutil.copytree(imported() / "data", self.data)

    def freshet(self, *arguments: str | Path, code: int = 0, cwd: Path | None = None) -> str:
        """What a command prints; what it complains of if it is to fail."""
        answer = run(*map(str, arguments), cwd=cwd)
        self.assertEqual(answer.returncode, code, answer.stderr)
        return answer.stdout if code == 0 else answer.stderr

    def board(self, data: Path) -> dict:
        with Server(data) as server:
            board = server.get(BOARD)[1]
        return {"departures": board["departures"], "tag": board["meta"].get("feedVersion")}


class Boards(BackupTest):
    def test_a_restored_folder_serves_the_same_board(self):
        private = self.data / "trusted-repositories.json"
        private.write_text('{"repositories": []}')
        private.chmod(0o600)
        for stray in ("import.lock", "manifest.json.new", "static/default.download", "feeds/default/1.partial/stops.txt"):
            (self.data / stray).parent.mkdir(parents=True, exist_ok=True)
            (self.data / stray).write_text("stray")
        with Server(self.data) as server:
            before = server.get(BOARD)[1]["departures"]
            report = json.loads(self.freshet("backup", self.backup, "--data", self.data, "--json"))
        files = [file for file in self.backup.rglob("*") if file.is_file()]
        # The list of checksums has no checksum of its own.
        self.assertEqual(len(files), report["files"] + 1)
        self.assertEqual([file for file in files if "stray" in file.read_text("latin-1")], [])
        self.assertEqual(sorted(one.name for one in self.backup.iterdir()), ["SHA256SUMS", "backup.json", "data"])
        # The generation that serves, and the one before.
        self.assertEqual(len(list((self.backup / "data/feeds/default").iterdir())), 2)
        checked = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=self.backup, capture_output=True, text=True, check=False)
        self.assertEqual((checked.returncode, checked.stdout), (0, ""))
        restored = self.folder / "again"
        self.freshet("restore", self.backup, "--data", restored)
        self.assertEqual((restored / private.name).stat().st_mode & 0o777, 0o600)
        self.assertGreater(len(before), 5)
        self.assertEqual(self.board(restored)["departures"], before)
        self.freshet("feeds", "rollback", "--data", restored)

    def test_a_generation_that_is_replaced_meanwhile_stays_until_it_is_copied(self):
        """Imports replace the manifest all the time; each backup is of one manifest, with all that it names."""
        imports = subprocess.Popen(
            ["sh", "-c", 'for one in 1 2 3 4 5 6; do "$0" import "$1" --data "$2" || exit 1; done', PROGRAM, imported() / "feed", self.data],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        self.addCleanup(imports.wait)
        made = 0
        while imports.poll() is None:
            backup = self.folder / f"backup{made}"
            self.freshet("backup", backup, "--data", self.data)
            manifest = json.loads((backup / "data/manifest.json").read_text())
            for feed in manifest["feeds"]:
                for name in [feed["generation"], *[one["name"] for one in feed.get("earlier", [])]]:
                    self.assertTrue((backup / f"data/feeds/{feed['key']}/{name}/timetable.freshet").stat().st_size > 1_000)
            made += 1
        self.assertEqual(imports.returncode, 0)
        self.assertGreater(made, 1)

    def test_a_backup_that_is_damaged_is_not_restored(self):
        self.freshet("backup", self.backup, "--data", self.data)
        timetable = next(self.backup.rglob("timetable.freshet"))
        description = self.backup / "backup.json"
        sums = self.backup / "SHA256SUMS"

        def flipped(file: Path):
            content = bytearray(file.read_bytes())
            content[len(content) // 2] ^= 1
            return bytes(content)

        cases = {
            "a flipped bit": (timetable, flipped(timetable), "timetable.freshet: is damaged"),
            "a file that is missing": (timetable, None, "timetable.freshet: is missing"),
            "a file that is cut": (timetable, timetable.read_bytes()[:-1], "timetable.freshet: is damaged"),
            "a list without a file": (sums, b"".join(line for line in sums.read_bytes().splitlines(True) if b"report.json" not in line), "files instead of"),
            "a list that is cut": (sums, sums.read_bytes()[:-100], "SHA256SUMS"),
            "no list": (sums, None, "SHA256SUMS: cannot be read"),
            "no description": (description, None, "is not a backup"),
            "a newer format": (description, b'{"format": 2, "other": 1}', "has format 2; this program reads formats up to 1"),
            "a changed description": (description, description.read_bytes() + b" ", "backup.json: is damaged"),
            "a name outside": (sums, sums.read_bytes() + b"0" * 64 + b"  ../../etc/passwd\n", "is not a checksum and the name of a file"),
            "an absolute name": (sums, sums.read_bytes() + b"0" * 64 + b"  /etc/passwd\n", "is not a checksum and the name of a file"),
        }
        for name, (file, content, said) in cases.items():
            before = file.read_bytes()
            with self.subTest(name):
                file.unlink() if content is None else file.write_bytes(content)
                restored = self.folder / "again"
                check = self.freshet("restore", self.backup, "--check", code=65)
                self.assertIn(said, check)
                self.assertIn(said, self.freshet("restore", self.backup, "--data", restored, code=65))
                self.assertEqual(list(self.folder.path.glob("again*")), [])
            file.write_bytes(before)
        self.assertIn("All ", self.freshet("restore", self.backup, "--check"))
        outside = self.folder / "elsewhere"
        self.assertIn("does not exist", self.freshet("restore", outside, "--check", code=66))

    def test_a_path_may_be_a_single_character(self):
        for command in (["backup", "b", "--data", "data"], ["restore", "b", "--check"], ["restore", "b", "--data", "d"]):
            answer = subprocess.run([PROGRAM, *command], cwd=self.folder.path, capture_output=True, text=True, check=False)
            self.assertEqual(answer.returncode, 0, (command, answer.stderr))
        self.assertEqual(self.board(self.folder / "d")["departures"], self.board(self.data)["departures"])

    def test_what_is_not_a_file_of_the_backup_is_refused_at_once(self):
        self.freshet("backup", self.backup, "--data", self.data)
        manifest, feeds = self.backup / "data/manifest.json", self.backup / "data/feeds"

        def refused(reason: str) -> None:
            for options in (["--check"], ["--data", str(self.folder / "again")]):
                self.assertIn(reason, self.freshet("restore", self.backup, *options, code=65), options)

        for name in ("backup.json", "SHA256SUMS"):
            file, aside = self.backup / name, self.folder / "aside"
            file.rename(aside)
            os.mkfifo(file)
            refused(name)
            file.unlink()
            aside.rename(file)
        for place in (manifest, feeds):
            elsewhere = self.folder / f"elsewhere-{place.name}"
            place.rename(elsewhere)
            place.symlink_to(elsewhere)
            refused(f"{place}: is a symbolic link")
            place.unlink()
            elsewhere.rename(place)
        description, sums = self.backup / "backup.json", self.backup / "SHA256SUMS"
        before = description.read_bytes()
        description.write_text(json.dumps({**json.loads(before), "files": 2**63 - 1}))
        digests = [hashlib.sha256(each).hexdigest() for each in (before, description.read_bytes())]
        sums.write_text(sums.read_text().replace(*digests))
        refused("files instead of 9223372036854775807")

    @unittest.skipUnless(os.geteuid() == 0, "another user can be taken by root only")
    def test_a_backup_of_another_user_cannot_be_read(self):
        program = self.folder / "freshet"
        shutil.copy(PROGRAM, program)
        self.freshet("backup", self.backup, "--data", self.data)
        self.folder.path.chmod(0o755)
        answer = subprocess.run(
            [program, "restore", self.backup, "--check"], cwd="/", user=65_534, group=65_534, extra_groups=[], capture_output=True, text=True,
            check=False)
        self.assertEqual(answer.returncode, 66, answer.stderr)
        self.assertIn("backup.json: cannot be read: Permission denied", answer.stderr)

    def test_a_backup_of_nothing_is_not_made(self):
        for name in ("empty", "empty-jobs"):
            (self.folder / name).mkdir()
        options = [["--data", self.folder / "empty"], ["--jobs", self.folder / "empty-jobs"],
                   ["--data", self.folder / "empty", "--jobs", self.folder / "empty-jobs"]]
        for each in options:
            with self.subTest(each):
                said = self.freshet("backup", self.backup, *each, code=66)
                self.assertIn(": no timetables, history or jobs are there", said)
        self.assertEqual(list(self.folder.path.glob("backup*")), [])

    def test_what_exists_is_not_written_over(self):
        self.freshet("backup", self.backup, "--data", self.data)
        self.assertIn("exists already", self.freshet("backup", self.backup, "--data", self.data, code=73))
        self.assertIn("is not empty", self.freshet("restore", self.backup, "--data", self.data, code=73))
        # Neither what another restore is writing, nor the place that a link leads to.
        (self.folder / "other.restoring").mkdir()
        (self.folder / "other.restoring/mine").touch()
        self.assertIn("other.restoring: exists", self.freshet("restore", self.backup, "--data", self.folder / "other", code=73))
        self.assertTrue((self.folder / "other.restoring/mine").exists())
        (self.folder / "link").symlink_to(self.folder / "nowhere")
        self.assertIn("is not a folder", self.freshet("restore", self.backup, "--data", self.folder / "link", code=73))
        (self.folder / "empty").mkdir(mode=0o711)
        (self.folder / "empty").chmod(0o711)
        here = self.freshet("restore", self.backup, "--data", ".", code=73, cwd=self.folder / "empty")
        self.assertIn(".: is the folder that this command runs in", here)
        dots = self.freshet("restore", self.backup, "--data", f"{self.folder / 'empty'}/.", code=64)
        self.assertIn("/.: ends in . or ..", dots)
        self.assertEqual(list((self.folder / "empty").iterdir()), [])
        self.freshet("restore", self.backup, "--data", self.folder / "empty")
        self.assertEqual((self.folder / "empty").stat().st_mode & 0o777, 0o711)
        self.assertIn("nothing: No such file", self.freshet("backup", self.folder / "new", "--data", self.folder / "nothing", code=66))
        self.assertIn("does not exist", self.freshet("backup", self.folder / "new", "--jobs", self.folder / "nothing", code=66))
        self.assertIn("cannot be created", self.freshet("backup", self.folder / "no/such/folder", "--data", self.data, code=73))
        self.assertEqual(list(self.folder.path.glob("*.partial")), [])

    def test_a_backup_that_cannot_be_finished_leaves_nothing(self):
        largest = max(file.stat().st_size for file in self.data.rglob("*") if file.is_file())
        answer = subprocess.run(
            list(map(str, limited(largest // 2, "backup", self.backup, "--data", self.data))), capture_output=True, text=True, check=False
        )
        self.assertEqual(answer.returncode, 73, answer.stderr)
        self.assertIn("cannot be written: File too large", answer.stderr)
        self.assertEqual(list(self.folder.path.glob("backup*")), [])
        # One that was killed leaves its remains, and the next one says so.
        (self.folder / "backup.partial").mkdir()
        self.assertIn("is left of a backup that was stopped", self.freshet("backup", self.backup, "--data", self.data, code=73))

    @unittest.skipUnless(os.geteuid() == 0, "only root may give files away")
    def test_root_gives_the_files_to_the_owner_of_the_folder(self):
        self.freshet("backup", self.backup, "--data", self.data)
        around = self.folder / "service"
        around.mkdir()
        os.chown(around, 12_345, 23_456)
        self.freshet("restore", self.backup, "--data", around / "feeds")
        owners = {(one.stat().st_uid, one.stat().st_gid) for one in [around / "feeds", *(around / "feeds").rglob("*")]}
        self.assertEqual(owners, {(12_345, 23_456)})

    def test_a_program_refuses_what_a_newer_one_wrote(self):
        """Each format has a number; its content is not touched."""
        manifest = self.data / "manifest.json"
        manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "version": 2}))
        for command in (("serve", "--port", "0"), ("feeds", "list"), ("import", str(imported() / "feed")), ("backup", str(self.backup))):
            with self.subTest(command[0]):
                said = self.freshet(*command, "--data", self.data, code=65)
                self.assertIn("has version 2 of the layout; this program reads versions up to 1: use the newer program", said)
        self.assertEqual(json.loads(manifest.read_text())["version"], 2)


#: Writes to a database until some of it is on the disk, and ends without undoing it, as a program that is killed does.
KILLED = """
import os, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA journal_mode = DELETE")
database.execute("PRAGMA cache_size = 1")
database.execute("BEGIN IMMEDIATE")
database.execute("CREATE TABLE half (content)")
database.executemany("INSERT INTO half VALUES (zeroblob(4000))", [()] * 200)
os._exit(0)
"""


class Jobs(BackupTest):
    def import_of(self, server: JobServer, rows: int = ROWS, seed: int = 1) -> dict:
        return server.start(table(rows, seed))

    def back_up(self, backup: Path) -> None:
        self.freshet("backup", backup, "--data", self.data, "--jobs", self.folder / "jobs")

    def restore(self, backup: Path, name: str) -> Path:
        """A folder with what was restored, for a server."""
        place = self.folder / name
        place.mkdir()
        self.freshet("restore", backup, "--data", place / "data", "--jobs", place / "jobs")
        return place

    def test_imports_go_on_where_the_backup_was_made(self):
        with JobServer(self.folder.path) as server:
            done = self.import_of(server, seed=2)
            finished = server.wait(done)
            lock = server.lock_library()
            waiting = self.import_of(server)
            until(lambda: server.state(waiting)["state"] == "running")
            # A writer of the library does not stop a backup.
            self.back_up(self.folder / "begun")
            lock.release()
            count = 0
            while server.state(waiting)["state"] == "running":
                self.back_up(self.folder / f"running{count}")
                count += 1
            end = server.wait(waiting)
            results = server.results(waiting)
            whole = books(self.folder / "jobs")
            epoch = value(self.folder / "jobs/jobs.sqlite", "PRAGMA user_version")
        for backup in ["begun", *[f"running{one}" for one in range(count)][-2:]]:
            with self.subTest(backup):
                place = self.restore(self.folder / backup, f"of-{backup}")
                renewed = value(place / "jobs/jobs.sqlite", "PRAGMA user_version")
                self.assertNotEqual(renewed, epoch)
                self.assertEqual(value(place / "jobs/jobs.sqlite", f"SELECT count(*) FROM job WHERE epoch != {renewed}"), 0)
                with JobServer(place) as again:
                    self.assertEqual(again.wait(waiting)["state"], "succeeded")
                    self.assertEqual(again.results(waiting), results)
                    # A number of the log before the restoration is not known: the state comes whole, with the new epoch.
                    first, *others = again.state(done, after=f"{epoch}.3")["events"]
                    self.assertEqual((first["type"], first["epoch"]), ("reconnected", renewed))
                    self.assertEqual({one["epoch"] for one in others}, {renewed})
                    self.assertEqual(len(again.state(done, after=f"{renewed}.3")["events"]), len(finished["events"]) - 3)
                self.assertEqual(books(place / "jobs"), whole)

    def test_what_a_killed_program_had_begun_to_write_is_undone(self):
        files = [self.data / "history.sqlite", *(self.folder / "jobs" / name for name in ("jobs.sqlite", "library.sqlite"))]
        with JobServer(self.folder.path) as server:
            server.wait(self.import_of(server, 20))
            until(lambda: all(file.exists() for file in files))
        whole = books(self.folder / "jobs")
        for file in files:
            subprocess.run([sys.executable, "-c", KILLED, str(file)], check=True)
            self.assertGreater(Path(f"{file}-journal").stat().st_size, 0)
        self.back_up(self.backup)
        place = self.restore(self.backup, "restored")
        self.assertEqual(books(place / "jobs"), whole)
        self.assertEqual(value(place / "data/history.sqlite", "SELECT count(*) FROM sqlite_master WHERE name = 'half'"), 0)
        subprocess.run([sys.executable, "-c", KILLED, str(files[2])], check=True)
        self.assertEqual(len(self.freshet("library", "list", "--json", "--library", files[2]).splitlines()), len(whole))
        subprocess.run([sys.executable, "-c", KILLED, str(files[0])], check=True)
        report = subprocess.run([PROGRAM, "report", "line", "42", "--data", self.data], capture_output=True, text=True, check=False)
        self.assertNotIn("readonly", report.stderr)
        self.assertEqual(list(self.folder.path.rglob("*-journal")), [])

    def test_both_parts_or_none(self):
        with JobServer(self.folder.path) as server:
            server.wait(self.import_of(server, 20))
        self.back_up(self.backup)
        place = self.folder / "place"
        self.assertIn("has jobs; name their folder", self.freshet("restore", self.backup, "--data", place, code=64))
        (self.folder / "full").mkdir()
        (self.folder / "full/mine").touch()
        self.freshet("restore", self.backup, "--data", place, "--jobs", self.folder / "full", code=73)
        library = self.backup / "jobs/library.sqlite"
        library.write_bytes(library.read_bytes()[:-1])
        self.freshet("restore", self.backup, "--data", place, "--jobs", self.folder / "other", code=65)
        self.assertEqual(list(self.folder.path.glob("place*")) + list(self.folder.path.glob("other*")), [])
        self.freshet("restore", self.backup, "--data", place, "--part", "data")
        self.assertTrue((place / "manifest.json").exists())

    def test_jobs_in_the_data_folder_and_folders_that_cannot_be_restored(self):
        with JobServer(self.folder.path) as server:
            server.wait(self.import_of(server, 20))
        whole = books(self.folder / "jobs")
        for place in ("jobs", "of/books"):
            with self.subTest(place):
                jobs = self.data / place
                jobs.parent.mkdir(exist_ok=True)
                (self.folder / "jobs").rename(jobs)
                self.freshet("backup", self.backup, "--data", self.data, "--jobs", jobs)
                restored = self.folder / "restored"
                self.freshet("restore", self.backup, "--data", restored, "--jobs", f"{restored / place}/")
                self.assertEqual(books(restored / place), whole)
                self.assertTrue((restored / "manifest.json").exists())
                self.assertEqual(list(restored.rglob("*.restoring")) + list(self.folder.path.glob("*.restoring")), [])
                jobs.rename(self.folder / "jobs")
                # Beside each other too.
                self.freshet("restore", self.backup, "--data", self.folder / "apart", "--jobs", self.folder / "apart-jobs")
                both = self.folder / "both"
                for command, within, words in [
                    ("restore", both, "is the folder of the timetables and of the jobs"),
                    ("restore", both / "data", "is in the folder of the jobs"),
                ]:
                    self.assertIn(words, self.freshet(command, self.backup, "--data", within, "--jobs", both, code=64))
                for one in (self.backup, restored, self.folder / "apart", self.folder / "apart-jobs"):
                    shutil.rmtree(one)
        self.assertIn("is the folder of the timetables and of the jobs",
                      self.freshet("backup", self.backup, "--data", self.data, "--jobs", self.data, code=64))
        self.assertIn("is in the folder of the jobs",
                      self.freshet("backup", self.backup, "--data", self.data, "--jobs", self.folder.path, code=64))
        settings = self.folder / "freshet.json"
        settings.write_text(json.dumps({"data": str(self.data), "jobs": {"folder": str(self.data)}}))
        self.freshet("backup", self.backup, "--config", settings, code=78)
        self.assertFalse(self.backup.exists())

    def test_a_broken_database_in_a_backup_is_told_in_a_sentence(self):
        with JobServer(self.folder.path) as server:
            server.wait(self.import_of(server, 20))
        self.back_up(self.backup)
        database, sums = self.backup / "jobs/jobs.sqlite", self.backup / "SHA256SUMS"
        before = hashlib.sha256(database.read_bytes()).hexdigest()
        database.write_text("not a database")
        sums.write_text(sums.read_text().replace(before, hashlib.sha256(database.read_bytes()).hexdigest()))
        said = self.freshet("restore", self.backup, "--data", self.folder / "a", "--jobs", self.folder / "b", code=65)
        self.assertIn("jobs.sqlite: it is not a database, or it is damaged", said)
        self.assertNotIn("SQLite error", said)

    def test_a_damaged_or_newer_database_is_named(self):
        with JobServer(self.folder.path) as server:
            server.wait(self.import_of(server, 200))
        jobs = self.folder / "jobs"
        for file in jobs.glob("*.sqlite"):
            with contextlib.closing(sqlite3.connect(file)) as database:
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        library = jobs / "library.sqlite"
        content = library.read_bytes()
        library.write_bytes(content[:8_192] + os.urandom(len(content) - 8_192))
        self.assertIn("library.sqlite: is damaged", self.freshet("backup", self.backup, "--jobs", jobs, code=65))
        self.assertFalse(self.backup.exists())
        library.write_bytes(content)
        with contextlib.closing(sqlite3.connect(jobs / "jobs.sqlite")) as database:
            database.execute("INSERT INTO grdb_migrations VALUES ('of a later version')")
            database.commit()
        said = self.freshet("serve", "--port", "0", "--data", self.data, "--jobs", jobs, code=65)
        self.assertIn("jobs.sqlite: was written by a newer version of this program", said)
        self.freshet("backup", self.backup, "--data", self.data, "--jobs", jobs)
        said = self.freshet("restore", self.backup, "--data", self.folder / "a", "--jobs", self.folder / "b", code=65)
        self.assertIn("jobs.sqlite: was written by a newer version of this program", said)

    def test_the_configuration_names_the_folders_and_a_signal_leaves_nothing(self):
        with JobServer(self.folder.path) as server:
            server.wait(self.import_of(server, 20))
        settings = self.folder / "freshet.json"
        settings.write_text(json.dumps({"data": str(self.data), "jobs": {"folder": str(self.folder / "jobs")}}))
        report = json.loads(self.freshet("backup", f"{self.backup}/", "--config", settings, "--json"))
        self.assertEqual(report["parts"], ["data", "jobs"])
        self.assertEqual(report["backup"], str(self.backup))
        pipe = self.folder / "jobs/inputs/pipe"
        os.mkfifo(pipe)
        self.assertIn("pipe: is not a regular file", self.freshet("backup", self.folder / "second", "--config", settings, code=66))
        pipe.unlink()
        # A file that takes long.
        with (self.data / "large.json").open("wb") as large:
            large.truncate(1 << 36)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            stopped = subprocess.Popen(
                [PROGRAM, "backup", self.folder / "second", "--config", settings], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
            self.addCleanup(stopped.stdout.close)
            until(lambda: (self.folder / "second.partial").exists())
            stopped.send_signal(number)
            self.assertEqual(stopped.wait(timeout=60), 128 + number, stopped.stdout.read())
            self.assertEqual(list(self.folder.path.glob("second*")), [])

    def test_a_signal_during_a_restoration_leaves_all_or_nothing(self):
        with JobServer(self.folder.path) as server:
            server.wait(self.import_of(server, 20))
        with (self.data / "large.json").open("wb") as large:
            large.truncate(1 << 27)
        self.back_up(self.backup)
        whole = json.loads((self.backup / "backup.json").read_text())["files"]
        place, jobs = self.folder / "place", self.folder / "place-jobs"
        ended = 0
        for round in range(9):
            number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[round % 3]
            process = subprocess.Popen(
                [PROGRAM, "restore", self.backup, "--data", place, "--jobs", jobs], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
            self.addCleanup(process.stdout.close)
            until(lambda: Path(f"{place}.restoring").exists() or place.exists())
            time.sleep(round * 0.02)
            process.send_signal(number)
            code = process.wait(timeout=60)
            left = [one for one in self.folder.path.rglob("place*/**/*") if one.is_file()]
            if code == 0:
                self.assertEqual(len(left), whole, left)
                shutil.rmtree(place)
                shutil.rmtree(jobs)
            else:
                ended += 1
                self.assertEqual(code, 128 + number, process.stdout.read())
                self.assertEqual(list(self.folder.path.glob("place*")), [])
        self.assertGreater(ended, 0)

    def test_a_server_that_was_killed_before_it_had_jobs(self):
        (self.folder / "jobs").mkdir()
        (self.folder / "jobs/jobs.sqlite").touch()
        self.back_up(self.backup)
        place = self.restore(self.backup, "restored")
        with JobServer(place) as server:
            self.assertEqual(server.wait(self.import_of(server, 20))["state"], "succeeded")

    def test_what_the_manifest_does_not_name_is_not_left_out_silently(self):
        manifest = self.data / "manifest.json"
        whole = json.loads(manifest.read_text())
        feed, = whole["feeds"]
        manifest.write_text(json.dumps({**whole, "feeds": [{**feed, "generation": "../../../outside"}]}))
        for command in (("backup", self.backup), ("feeds", "list"), ("serve", "--port", "0")):
            self.assertIn("is not the name of a folder", self.freshet(*command, "--data", self.data, code=65))
        self.assertFalse((self.folder / "outside").exists())
        manifest.write_text(json.dumps(whole))
        self.freshet("backup", f"{self.backup}-data//", "--data", f"{self.data}//")
        self.assertIn("has no jobs; leave out --jobs", self.freshet(
            "restore", f"{self.backup}-data", "--data", self.folder / "restored", "--jobs", self.folder / "jobs", code=65))
        manifest.unlink()
        self.assertIn("manifest.json: is missing, but not ", self.freshet("backup", self.backup, "--data", self.data, code=66))
        manifest.write_text(json.dumps({**whole, "feeds": [{**feed, "generation": "gone"}]}))
        self.assertIn("gone: is missing; restore it", self.freshet("serve", "--port", "0", "--data", self.data, code=65))


if __name__ == "__main__":
    unittest.main()
