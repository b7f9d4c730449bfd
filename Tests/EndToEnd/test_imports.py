"""Imports that go wrong, and imports under a running server."""

import csv
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import threading
import time
import unittest
import zipfile

import feed_bombs
from program import PROGRAM, Folder, Server, limited, run, sample
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401

KILLS = sized(6, long=50)
#: What the import of a small archive may take in all, in kibibytes: generous, and less than a bomb took before.
MOST_MEMORY = 170 << 10
STOP_TIMES = sized("15000", long="90000")


class ImportsTest(unittest.TestCase):
    """Every test begins with a feed that serves, and it must still serve at the end."""

    @classmethod
    def setUpClass(cls):
        cls.shared = Folder()
        cls.addClassCleanup(cls.shared.remove)
        sample(cls.shared / "feed", "--stop-times", STOP_TIMES)
        sample(cls.shared / "other", "--stop-times", STOP_TIMES, "--seed", "2")
        answer = run("import", str(cls.shared / "feed"), "--data", str(cls.shared / "data"))
        assert answer.returncode == 0, answer.stderr

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.data = str(self.folder / "data")
        shutil.copytree(self.shared / "data", self.data)

    def copy(self, name="bad"):
        target = self.folder / name
        shutil.copytree(self.shared / "feed", target)
        return target

    def fails(self, feed, *words, **options):
        """The import fails with exit code 65 or another and says these words; the old feed still serves."""
        answer = run("import", str(feed), "--data", self.data, *options.get("options", ()))
        self.assertEqual(answer.returncode, options.get("code", 65), answer.stdout + answer.stderr)
        for word in words:
            self.assertIn(word, answer.stderr)
        self.assertNotIn("Fatal error", answer.stderr)
        self.serves()
        return answer

    def serves(self):
        answer = run("import", "--verify", "--data", self.data)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        with Server(self.data) as server:
            status, board = server.get("/api/stationboard?stop_id=Parent8501120&limit=3")
            self.assertEqual(status, 200)
            self.assertEqual(len(board["departures"]), 3)

    @staticmethod
    def damaged(row):
        """A row of stop_times.txt whose arrival is not a valid time."""
        return re.sub(r",(\d+):(\d\d):", r",\1h\2:", row, count=1)

    def zipped(self, folder, name="feed.zip"):
        path = self.folder / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(folder.iterdir()):
                archive.write(file, file.name)
        return path

    def test_a_missing_feed(self):
        self.fails(self.folder / "nothing.zip", "nothing.zip", code=66)

    def test_something_that_is_not_a_zip(self):
        path = self.folder / "feed.zip"
        path.write_bytes(b"this is not a zip archive" * 100)
        self.fails(path, "not a readable zip archive")

    def test_a_truncated_zip(self):
        path = self.zipped(self.shared / "feed")
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        self.fails(path, "not a readable zip archive")

    def test_a_zip_with_a_damaged_member(self):
        path = self.zipped(self.shared / "feed")
        content = bytearray(path.read_bytes())
        with zipfile.ZipFile(path) as archive:
            place = archive.getinfo("stop_times.txt").header_offset + 5_000
        for index in range(place, place + 64):
            content[index] ^= 0xFF
        path.write_bytes(content)
        self.fails(path, "stop_times.txt", "damaged")

    def test_a_zip_bomb(self):
        path = self.folder / "bomb.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted((self.shared / "feed").iterdir()):
                if file.name != "stop_times.txt":
                    archive.write(file, file.name)
            with archive.open("stop_times.txt", "w", force_zip64=True) as member:
                member.write(b"trip_id,arrival_time,departure_time,stop_id,stop_sequence\n")
                # Long rows: reading a byte costs less than reading a row.
                for _ in range(sized(80, long=300)):
                    member.write(b" " * 1_000_000 + b"\n")
        self.fails(path, "stop_times.txt", "zip bomb")

    def test_small_archives_take_no_memory(self):
        """Feeds of some kilobytes whose rows say the same again and again: each took 200 to 300 MB."""
        for name, rows, file in (("frequencies", 1_000, "frequencies.txt"), ("names of stops", 15_500, "stops.txt")):
            with self.subTest(name):
                path = feed_bombs.write(self.folder / "bomb.zip", name, rows)
                self.assertLess(path.stat().st_size, 200_000)
                data = self.folder / "bombed"
                process = subprocess.Popen(
                    [PROGRAM, "import", str(path), "--data", str(data)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                )
                said = process.stdout.read()
                process.stdout.close()
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                self.assertEqual(process.returncode, 65, said)
                self.assertRegex(said, rf"{file}, line \d+: more than \d+ bytes would be kept of this feed of {path.stat().st_size} bytes")
                self.assertLess(used.ru_maxrss, MOST_MEMORY, said)

    def test_required_files_that_are_missing(self):
        for name in ["agency.txt", "stops.txt", "routes.txt", "trips.txt", "stop_times.txt"]:
            with self.subTest(name):
                feed = self.copy(f"without-{name}")
                (feed / name).unlink()
                self.fails(feed, name, "missing")

    def test_a_required_column_that_is_missing(self):
        feed = self.copy()
        path = feed / "stop_times.txt"
        path.write_text(path.read_text().replace("stop_sequence", "stop_sequens", 1))
        self.fails(feed, "stop_times.txt", "stop_sequence")

    def test_an_empty_calendar(self):
        feed = self.copy()
        (feed / "calendar_dates.txt").unlink()
        path = feed / "calendar.txt"
        path.write_text(path.read_text().splitlines()[0] + "\n")
        self.fails(feed, "no service runs")

    def test_an_unknown_time_zone(self):
        feed = self.copy()
        path = feed / "agency.txt"
        path.write_text(path.read_text().replace("Europe/Zurich", "Europe/Atlantis"))
        self.fails(feed, "agency.txt", "line 2", "Europe/Atlantis")

    def test_malformed_rows_below_the_threshold_are_reported_and_skipped(self):
        feed = self.copy()
        path = feed / "stop_times.txt"
        lines = path.read_text().splitlines()
        lines[10] = self.damaged(lines[10])
        path.write_text("\n".join(lines) + "\n")
        answer = run("import", str(feed), "--data", self.data)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("stop_times.txt:11, arrival_time", answer.stdout)
        self.serves()

    def test_malformed_rows_above_the_threshold_are_fatal(self):
        feed = self.copy()
        path = feed / "stop_times.txt"
        lines = path.read_text().splitlines()
        damaged = 0
        for index in range(1, len(lines)):
            if index % 20 > 6 and self.damaged(lines[index]) != lines[index]:
                lines[index] = self.damaged(lines[index])
                damaged += 1
        path.write_text("\n".join(lines) + "\n")
        answer = self.fails(feed, "stop_times.txt", f"of {len(lines) - 1} rows are malformed", "line 8", "arrival_time")
        # The message says how to let the rest serve, and what that is.
        percent, trips, departures = re.search(r"--max-rejected (\d+) the rest would serve: trips (\d+), departures (\d+)", answer.stderr).groups()
        self.fails(feed, "malformed", options=("--max-rejected", str(int(percent) - 1)))
        answer = run("import", str(feed), "--data", self.data, "--max-rejected", percent, "--json")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        report = json.loads(answer.stdout)
        self.assertEqual((report["trips"], report["departures"]), (int(trips), int(departures)))
        reasons = {file["file"]: file["reasons"] for file in report["files"]}["stop_times.txt"]
        self.assertEqual(reasons[0]["kind"], "invalid_value")
        self.assertEqual(sum(reason["rows"] for reason in reasons if reason.get("column") == "arrival_time"), damaged)

    @staticmethod
    def sections(path):
        """The sections of a timetable file but the first, which says when it was imported."""
        content = path.read_bytes()
        found = {}
        for place in range(64, 64 + 32 * struct.unpack_from("<I", content, 12)[0], 32):
            number, size, start, count, _ = struct.unpack_from("<IIQQQ", content, place)
            found[number] = content[start:start + size * count]
        return {number: found[number] for number in found if number != 1}

    def timetable(self, feed, *options):
        data = self.folder / "encoded"
        answer = run("import", str(feed), "--data", str(data), "--json", *options)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        path, = data.glob("feeds/default/*/timetable.freshet")
        return self.sections(path), json.loads(answer.stdout)

    def test_other_encodings_and_separators(self):
        """What Python writes in another encoding, with another separator, is the same timetable to the last byte."""
        plain = self.copy("plain")
        names = {"Lausanne": "Święta Łąka", "Bern": "Wrocław Główny", "Zürich": "Źródła", "Genève": "Gdańsk Żabianka"}
        for path in plain.iterdir():
            text = path.read_text(encoding="utf-8")
            for name, other in names.items():
                text = text.replace(name, other)
            # Letters that the code pages lack.
            text = text.encode("cp1250", "replace").decode("cp1250").encode("iso8859-2", "replace").decode("iso8859-2")
            path.write_text(text, encoding="utf-8")
        expected, _ = self.timetable(plain)
        self.assertIn("Wrocław Główny".encode(), expected[3])
        for codec, separator, options, shown in [
            ("utf-16", ",", (), "UTF-16LE"), ("utf-16-be", ";", (), "UTF-16BE"), ("utf-32-le", "\t", (), "UTF-32LE"), ("utf-8", ";", (), None),
            ("utf-8-sig", "\t", (), None), ("cp1250", ",", ("--encoding", "cp1250"), "windows-1250"), ("cp1250", ";", (), None),
            ("iso8859-2", ",", (), None), ("iso8859-2", "\t", ("--encoding", "latin2"), "ISO-8859-2"),
        ]:
            with self.subTest(codec=codec, separator=separator, options=options):
                feed = self.folder / f"{codec}{ord(separator)}{len(options)}"
                feed.mkdir()
                for path in plain.iterdir():
                    with path.open(encoding="utf-8", newline="") as file:
                        rows = list(csv.reader(file))
                    with (feed / path.name).open("w", encoding=codec, newline="") as file:
                        csv.writer(file, delimiter=separator, lineterminator="\n").writerows(rows)
                sections, report = self.timetable(self.zipped(feed), *options)
                self.assertEqual([number for number in expected if sections[number] != expected[number]], [])
                self.assertEqual({file.get("encoding") for file in report["files"]}, {shown})
                legacy = {"cp1250": "windows-1250", "iso8859-2": "ISO-8859-2"}.get(codec) if not options else None
                self.assertEqual(report.get("encoding", {}).get("name"), legacy)

    def test_bytes_that_are_not_a_table(self):
        for content, words in [
            (b"PK\x03\x04\x14\x00\x06\x00", "its first bytes are, in hexadecimal, 50 4b 3 4"),
            (b"<!DOCTYPE html>\n<html>\n", 'the header is one name: "<!DOCTYPE html>"'),
        ]:
            with self.subTest(words):
                feed = self.copy(f"no-table-{len(content)}")
                (feed / "stops.txt").write_bytes(content)
                self.fails(feed, "stops.txt", words)

    def test_no_space_left(self):
        """A limit on file size simulates the full disk: the write fails in the same place."""
        answer = subprocess.run(
            limited(200_000, "import", str(self.shared / "feed"), "--data", self.data),
            capture_output=True, text=True, timeout=120, check=False,
        )
        self.assertEqual(answer.returncode, 73, answer.stderr)
        self.assertIn("cannot be written", answer.stderr)
        self.serves()
        left = [name for name in os.listdir(f"{self.data}/feeds/default") if "partial" in name]
        self.assertEqual(left, [])

    def test_output_that_cannot_be_written(self):
        """A full disk under the report loses the report, which the code says, and not the timetable."""
        with open("/dev/full", "w", encoding="utf-8") as full:
            answer = subprocess.run(
                [PROGRAM, "import", str(self.shared / "other"), "--data", self.data],
                stdout=full, stderr=full, timeout=120, check=False,
            )
            self.assertEqual(answer.returncode, 74)
            with Server(self.data) as server:
                answer = subprocess.run(
                    [PROGRAM, "board", "Parent8501120", "--once", "--server", server.url],
                    stdout=full, stderr=subprocess.PIPE, timeout=120, check=False,
                )
            self.assertEqual(answer.returncode, 74)
        self.serves()

    def test_kill_at_random_moments(self):
        """kill -9, many times: the old feed serves, and never half of a new one."""
        other = str(self.shared / "other")
        began = time.monotonic()
        answer = run("import", other, "--data", str(self.folder / "elsewhere"))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        whole = time.monotonic() - began
        rng = random.Random(1)
        with Server(self.data) as server:
            interrupted = 0
            while interrupted < KILLS:
                began = time.monotonic()
                process = subprocess.Popen(
                    [PROGRAM, "import", other, "--data", self.data],
                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                )
                try:
                    process.wait(timeout=rng.uniform(0, whole))
                    # The machine has more time now than before.
                    whole = min(whole, time.monotonic() - began)
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    interrupted += process.wait() == -signal.SIGKILL
                answer = run("import", "--verify", "--data", self.data)
                self.assertEqual(answer.returncode, 0, answer.stderr)
                status, board = server.get("/api/stationboard?stop_id=Parent8501120&limit=3")
                self.assertEqual(status, 200)
                self.assertEqual(len(board["departures"]), 3)
        self.serves()
        # What the killed imports left behind goes with the next one.
        answer = run("import", other, "--data", self.data)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual(len(os.listdir(f"{self.data}/feeds/default")), 1)

    def test_a_new_import_is_taken_over_without_a_failed_request(self):
        with Server(self.data) as server:
            before = server.get("/health")[1]["feeds"][0]["generation"]
            failures = []
            done = threading.Event()

            def ask():
                while not done.is_set():
                    status, body = server.get("/api/stationboard?stop_id=Parent8503000&limit=5")
                    if status != 200 or len(body["departures"]) != 5:
                        failures.append((status, body))

            threads = [threading.Thread(target=ask, daemon=True) for _ in range(4)]
            for thread in threads:
                thread.start()
            answer = run("import", str(self.shared / "other"), "--data", self.data)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            deadline = time.monotonic() + 120
            after = before
            while after == before and time.monotonic() < deadline:
                after = server.get("/health")[1]["feeds"][0]["generation"]
            done.set()
            for thread in threads:
                thread.join()
            self.assertNotEqual(after, before)
            self.assertEqual(failures, [])

    def test_the_report_as_json(self):
        answer = run("import", str(self.zipped(self.shared / "feed")), "--data", self.data, "--json")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        report = json.loads(answer.stdout)
        self.assertEqual(report["timeZone"], "Europe/Zurich")
        self.assertGreater(report["timetableBytes"], 0)
        rows = {file["file"]: file["rows"] for file in report["files"]}
        with open(self.shared / "feed" / "stop_times.txt", encoding="utf-8") as file:
            self.assertEqual(rows["stop_times.txt"], sum(1 for _ in file) - 1)


if __name__ == "__main__":
    unittest.main()
