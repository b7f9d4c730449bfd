"""The history of punctuality: counted as an oracle counts it, kept over kills, a full disk and damage, read as JSON, CSV and a report."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import unittest
import urllib.error
import urllib.request
from datetime import date
from pathlib import Path

import recording_writer
from program import LONGEST, PROGRAM, Folder, Server, run, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from terminal import Screen

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "Oracle"))
from edge_updates import message  # noqa: E402 (the folder has to be known first)
from gtfs_oracle import Feed  # noqa: E402
from history_day import BEGIN, LENGTH, publications, write_network  # noqa: E402
from history_oracle import HistoryOracle  # noqa: E402

#: Times as fast: three and a half hours in 21 s.
PACE = 600
DAYS = "from=2026-10-24&to=2026-10-25"
COUNTS = [
    "early", "onTime", "upTo3", "upTo5", "upTo10", "over10", "cancelled", "skipped", "replaced", "unpredicted", "unobserved", "predicted",
    "tripsSeen", "tripsMissing", "tripsUnobserved", "tripsCancelled", "tripsAdded",
]
#: Within a range of the histogram the quantile is interpolated.
RANGES = [-300, -180, -120, -60, -30, 0, 30, 60, 90, 120, 180, 240, 300, 420, 600, 900, 1200, 1800, 3600]


def ask(server: Server, path: str, **fields: str) -> tuple[int, dict, bytes]:
    """Status, fields and body of an answer."""
    request = urllib.request.Request(server.url + path, headers={name.replace("_", "-"): value for name, value in fields.items()})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as error:
        return error.code, dict(error.headers), error.read()


def report(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs `freshet report line`, to its end; freshet-lab has another command of that name."""
    return subprocess.run([PROGRAM, "report", "line", *arguments], capture_output=True, text=True, timeout=LONGEST, check=False)


def lines_of(server: Server, query: str = DAYS) -> list[dict]:
    status, body = server.get(f"/api/history/lines?{query}")
    return body["lines"] if status == 200 else []


class HistoryTest(unittest.TestCase):
    """One network and one day for all."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.remove)
        write_network(cls.folder / "feed")
        cls.feed = Feed(cls.folder / "feed")

    def data(self) -> Path:
        """A data folder of its own with the timetable."""
        folder = Folder()
        self.addCleanup(folder.remove)
        answer = run("import", str(self.folder / "feed"), "--data", str(folder / "data"))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return folder / "data"

    # The oracle

    def test_counts_are_those_of_the_oracle(self):
        day = publications(self.feed, 1)
        oracle = HistoryOracle(self.feed, day[0][0])
        for instant, content in day:
            oracle.publish(instant, content)
        oracle.advance(BEGIN + LENGTH + 86_400)
        data = self.data()
        recording_writer.write(data.parent / "day.rec", day)
        wanted = {key: {name: counts[name] for name in COUNTS} for key, counts in oracle.counts.items()}
        trips = sum(counts["tripsSeen"] + counts["tripsMissing"] + counts["tripsUnobserved"] for counts in wanted.values())
        with Server(data, "--replay", str(data.parent / "day.rec"), "--pace", str(PACE), "--history-days", "90", now=None) as server:
            until(lambda: sum(line["trips"] for line in lines_of(server)) >= trips)
            metrics = urllib.request.urlopen(server.url + "/metrics", timeout=30).read().decode()
            self.assertIn(f'freshet_realtime_feeds_total{{feed="default",kind="trip_updates",verdict="new"}} {len(day)}\n', metrics)
            found = {}
            for service_day in ("2026-10-24", "2026-10-25"):
                for line in lines_of(server, f"day={service_day}"):
                    found[service_day, line["route_id"]] = line
            self.assertEqual(
                {key: {name: line[name] for name in COUNTS} for key, line in found.items()},
                {(key[0].isoformat(), key[1]): counts for key, counts in wanted.items()},
            )
            self.assertGreater(sum(line["predicted"] for line in found.values()), 800)
            for (service_day, route), line in found.items():
                self.check_quantiles(line, sorted(oracle.delays[oracle_key(service_day, route)]))
            status, body = server.get(f"/api/history/lines/r2?{DAYS}")
            self.assertEqual(status, 200)
            self.assertEqual([entry["day"] for entry in body["days"]], ["2026-10-24", "2026-10-25"])
            self.assertEqual(body["total"]["predicted"], sum(entry["predicted"] for entry in body["days"]))
            self.check_answers(server)
            self.check_reports(server, data, found)

    def check_quantiles(self, line: dict, delays: list[int]) -> None:
        """Median and 90 % lie in the range that their departure is in."""
        for name, share in (("medianDelaySec", 0.5), ("p90DelaySec", 0.9)):
            if not delays:
                self.assertNotIn(name, line)
                continue
            truth = delays[max(0, -(-len(delays) * int(share * 10) // 10) - 1)]
            low = max([bound for bound in RANGES if bound <= truth], default=RANGES[0])
            high = min([bound for bound in RANGES if bound > truth], default=RANGES[-1])
            self.assertTrue(low <= line[name] <= high, (line["route_id"], name, line[name], truth))

    # Answers

    def check_answers(self, server: Server) -> None:
        """Conditions, CSV, and what is asked wrongly."""
        path = f"/api/history/lines?{DAYS}"
        status, fields, body = ask(server, path)
        self.assertEqual(status, 200)
        self.assertEqual(ask(server, path, If_None_Match=fields["ETag"])[0], 304)
        for other in (ask(server, path, Accept="text/csv"), ask(server, path + "&format=csv")):
            self.assertEqual((other[0], other[1]["Content-Type"].split(";")[0]), (200, "text/csv"))
            self.assertNotEqual(other[1]["ETag"], fields["ETag"])
            rows = list(csv.DictReader(other[2].decode().splitlines()))
            lines = json.loads(body)["lines"]
            self.assertEqual([row["route_id"] for row in rows], [line["route_id"] for line in lines])
            for row, line in zip(rows, lines):
                self.assertEqual([row[name] for name in COUNTS], [str(line[name]) for name in COUNTS])
        span = "from=2026-10-24T22:00:00Z&to=2026-10-25T02:00:00Z&step=900"
        series = {entry["kind"]: entry["points"] for entry in server.get(f"/api/history/points?{span}")[1]["series"]}
        ages = [point for point in series["trip-updates"] if "ageMaxSec" in point]
        self.assertGreater(max(point["ageMaxSec"] for point in ages), 500, "the gap of ten minutes is seen")
        self.assertTrue(all(point["ageMinSec"] <= point["ageMeanSec"] <= point["ageMaxSec"] for point in ages))
        self.assertGreater(sum(point["onTime"] for point in series["departures"]), 100)
        self.assertIn(b"trip-updates", ask(server, f"/api/history/points?{span}&format=csv")[2])
        for wrong, status, code in [
            ("lines?day=25.10.2026", 400, "invalid_parameter"), ("lines?from=2026-10-26&to=2026-10-25", 400, "invalid_parameter"),
            ("lines?from=2020-01-01&to=2026-10-25", 400, "invalid_parameter"), ("lines?day=2026-10-25&from=2026-10-24", 400, "invalid_parameter"),
            ("lines?format=xml", 400, "invalid_parameter"), (f"lines?line={'x' * 201}", 400, "invalid_parameter"),
            ("lines/nothing?day=2026-10-25", 404, "unknown_line"), ("points?step=7", 400, "invalid_parameter"), ("points?from=yesterday", 400, "invalid_parameter"),
            ("points?from=2026-01-01T00:00:00Z&to=2026-10-25T00:00:00Z", 400, "invalid_parameter"),
            ("points?from=2026-10-25T00:00:00Z&to=2026-10-24T00:00:00Z", 400, "invalid_parameter"),
        ]:
            answered, _, body = ask(server, f"/api/history/{wrong}")
            self.assertEqual((answered, json.loads(body)["error"]), (status, code), wrong)

    def check_reports(self, server: Server, data: Path, found: dict) -> None:
        """The command says what the server says, from the server and from the file."""
        days = ["--from", "2026-10-24", "--to", "2026-10-25"]
        # What was counted last may not be written yet: the file is compared with itself, asked both ways.
        for place in (["--server", server.url], ["--data", str(data)]):
            answer = report("3", *days, "--json", *place)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            said = json.loads(answer.stdout)
            self.assertEqual((said["routes"], said["line"], said["operator"]), (["r2"], "3", "Zürich"))
            for entry in said["days"]:
                self.assertEqual({name: entry[name] for name in COUNTS}, {name: found[entry["day"], "r2"][name] for name in COUNTS})
        rows = list(csv.DictReader(report("r2", *days, "--csv", "--data", str(data)).stdout.splitlines()))
        self.assertEqual([row["day"] for row in rows], ["2026-10-24", "2026-10-25"])
        text = report("3", "--day", "2026-10-25", "--server", server.url).stdout
        shown = found["2026-10-25", "r2"]
        self.assertRegex(text, rf"Line 3, Zürich\n2026-10-25\n")
        self.assertRegex(text, rf"on time +{shown['onTime']} ")
        self.assertRegex(text, "█")
        self.assertTrue(all(len(line) <= 80 for line in text.splitlines()), text)
        for options, code, said in [
            (["3", "--day", "2026-02-30"], 64, "not a day"), (["3", "--json", "--csv"], 64, "either"), (["99", "--day", "2026-10-25"], 1, "nothing was counted"),
            (["3", "--day", "2026-10-25", "--agency", "Rome"], 1, '--agency "Zürich"'), (["3", "--to", "2026-10-25"], 64, "needs --from"),
        ]:
            answer = report(*options, "--server", server.url)
            self.assertEqual(answer.returncode, code, answer.stderr)
            self.assertIn(said, answer.stderr)
        answer = report("3", "--data", str(data.parent / "nowhere"))
        self.assertEqual((answer.returncode, "there is no history" in answer.stderr), (66, True), answer.stderr)

        self.check_two_agencies(data, days)

    def check_two_agencies(self, data: Path, days: list[str]) -> None:
        """A line of a name that two agencies have is one of them, and the command asks which."""
        folder = data.parent / "two-agencies"
        folder.mkdir()
        with contextlib.closing(sqlite3.connect(data / "history.sqlite")) as source, contextlib.closing(sqlite3.connect(folder / "history.sqlite")) as copy:
            source.backup(copy)
            copy.execute("INSERT INTO line (feed, route, name, agency, type) SELECT feed, 'r9', name, 'Rome', type FROM line WHERE route = 'r2'")
            columns = ", ".join(row[1] for row in copy.execute("PRAGMA table_info(line_day)") if row[1] != "line")
            copy.execute(
                f"INSERT INTO line_day (line, {columns}) SELECT (SELECT id FROM line WHERE route = 'r9'), {columns} FROM line_day"
                " WHERE line = (SELECT id FROM line WHERE route = 'r2')"
            )
            copy.commit()
        os.chmod(folder / "history.sqlite", 0o600)
        answer = report("3", *days, "--data", str(folder))
        self.assertEqual(answer.returncode, 1, answer.stderr)
        for said in ('several agencies have a line "3"', '--agency "Rome"   (r9)', '--agency "Zürich"   (r2)'):
            self.assertIn(said, answer.stderr)
        screen = Screen("report", "line", "3", *days, "--data", str(folder))
        self.addCleanup(screen.close)
        listed = screen.wait_for(r"Which one\?")
        self.assertRegex(listed, r'Several agencies have a line "3":\r\n +1  Rome +r9\r\n +2  Zürich +r2\r\n')
        screen.press("1\n")
        screen.wait_for("Line 3, Rome")
        self.assertEqual(screen.ends(), 0)
        screen = Screen("report", "line", "3", *days, "--data", str(folder))
        self.addCleanup(screen.close)
        screen.wait_for(r"Which one\?")
        screen.press("\n")
        screen.wait_for("no agency was chosen; name one with --agency")
        self.assertEqual(screen.ends(), 1)
        answer = report("3", *days, "--agency", "rome", "--json", "--data", str(folder))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        said = json.loads(answer.stdout)
        self.assertEqual((said["routes"], said["operator"]), (["r9"], "Rome"))

    # Kills, damage, a full disk

    def full_disk(self, folder: Path) -> str:
        """The library that makes the disk of one program full, built here."""
        compiler = next(filter(None, map(shutil.which, ["clang", "cc", "gcc"])), None)
        if compiler is None or not sys.platform.startswith("linux"):
            self.skipTest("the program is given other calls of the system on Linux only, and with a C compiler")
        library = folder / "full_disk.so"
        source = Path(__file__).with_name("full_disk.c")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True, timeout=60)
        return str(library)

    def now_and_feed(self) -> tuple[str, Path]:
        """A service clock at which trips run, and a feed of them in a file."""
        updates = []
        for number, trip in enumerate(("e0.4", "e2.4", "e4.4")):
            stops = [message(f1=place * 2 + 1, f3=message(f1=75)) for place in range(6)]
            updates.append(message(f1=f"u{number}", f3=message(f1=message(f1=trip, f3="20261025"), f2=stops)))
        # The service day begins twelve hours before noon, at 23:00Z; the trips began 70 minutes later.
        content = message(f1=message(f1="2.0", f3=BEGIN + 7_920), f2=updates)
        folder = Folder()
        self.addCleanup(folder.remove)
        (folder / "feed.pb").write_bytes(content)
        return "2026-10-25T00:12:00Z", folder / "feed.pb"

    def server(self, data: Path, now: str, feed: Path, **options) -> Server:
        return Server(data, "--trip-updates", str(feed), "--poll", "trip-updates=200", "--pace", "20", now=now, **options)

    def counted(self, server: Server) -> int:
        return sum(line["predicted"] for line in lines_of(server, "day=2026-10-25"))

    def test_a_killed_server_goes_on_and_counts_nothing_twice(self):
        data = self.data()
        now, feed = self.now_and_feed()
        with self.server(data, now, feed) as server:
            until(lambda: self.counted(server) >= 2)
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
        with contextlib.closing(sqlite3.connect(data / "history.sqlite")) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
        # Another start sees departures that are counted already; each is counted once.
        with self.server(data, "2026-10-25T00:16:00Z", feed) as server:
            until(lambda: self.counted(server) == 18)
            until(lambda: sum(line["tripsSeen"] for line in lines_of(server, "day=2026-10-25")) == 3)
            self.assertEqual(self.counted(server), 18)
            code = server.stop()
            self.assertEqual(code, 0)
        # What is written at the end is all that was counted.
        rows = report("3", "--data", str(data), "--day", "2026-10-25", "--json")
        self.assertEqual(json.loads(rows.stdout)["total"]["predicted"], 6, rows.stderr)

    def test_two_servers_of_one_folder(self):
        data = self.data()
        now, feed = self.now_and_feed()
        with self.server(data, now, feed) as first, self.server(data, now, feed, log_level="warning") as second:
            until(lambda: self.counted(first) >= 2)
            until(lambda: any("another server writes the history" in line for line in second.log))
            until(lambda: self.counted(second) >= 2)
            self.assertLessEqual(self.counted(second), 18)

    def test_a_damaged_file_is_set_aside(self):
        data = self.data()
        now, feed = self.now_and_feed()
        (data / "history.sqlite").write_bytes(os.urandom(20_000))
        with self.server(data, now, feed, log_level="warning") as server:
            until(lambda: self.counted(server) >= 2)
            said = [line for line in server.log if "set aside" in line]
            self.assertEqual(len(said), 1, server.log)
            self.assertTrue((data / "history.sqlite.damaged").exists())
            self.assertIn("history.sqlite.damaged", said[0])

    def test_a_newer_file_is_left_alone(self):
        data = self.data()
        now, feed = self.now_and_feed()
        with self.server(data, now, feed) as server:
            until(lambda: (data / "history.sqlite").exists() and server.get("/api/history/lines")[0] == 200)
            server.stop()
        with contextlib.closing(sqlite3.connect(data / "history.sqlite")) as database:
            database.execute("PRAGMA user_version = 9")
        before = content_of(data)
        with self.server(data, now, feed, log_level="warning") as server:
            until(lambda: any("version 9" in line for line in server.log))
            self.assertEqual(server.get("/api/history/lines")[0], 503)
            self.assertEqual(server.get("/api/stationboard?stop_id=s0-0")[0], 200)
        self.assertEqual(content_of(data), before)

    def test_a_full_disk_stops_the_history_and_nothing_else(self):
        data = self.data()
        now, feed = self.now_and_feed()
        full = data.parent / "full"
        environment = {"LD_PRELOAD": self.full_disk(data.parent), "FULL_DISK": str(full)}
        with self.server(data, now, feed, environment=environment, log_level="notice") as server:
            until(lambda: self.counted(server) >= 2)
            full.touch()
            until(lambda: any("is not written" in line for line in server.log))
            ready = server.get("/health/ready")[1]
            until(lambda: [each["state"] for each in server.get("/health/ready")[1]["dependencies"] if each["name"] == "history"] == ["degraded"])
            self.assertTrue(ready["ok"])
            self.assertIn("\nfreshet_history_failing 1\n", ask(server, "/metrics")[2].decode())
            self.assertEqual(server.get("/api/stationboard?stop_id=s0-0")[0], 200)
            until(lambda: not server.get("/api/status")[1]["history"]["isWritten"])
            full.unlink()
            until(lambda: any("is written again" in line for line in server.log))
            self.assertIn("\nfreshet_history_failing 0\n", ask(server, "/metrics")[2].decode())
            # Nothing that was counted meanwhile is lost.
            until(lambda: self.counted(server) == 18)
            self.assertEqual(len([line for line in server.log if "is not written" in line]), 1, server.log)

    def test_a_server_without_history(self):
        data = self.data()
        with Server(data, "--history-days", "0", now="2026-10-24T23:12:00Z") as server:
            status, _, body = ask(server, "/api/history/lines")
            self.assertEqual((status, json.loads(body)["error"]), (404, "history_off"))
            until(lambda: server.get("/api/status")[0] == 200)
            self.assertNotIn("history", server.get("/api/status")[1])
            self.assertFalse((data / "history.sqlite").exists())

    def test_the_status_names_no_address(self):
        data = self.data()
        now, feed = self.now_and_feed()
        address = "http://user:secret@127.0.0.1:1/trip-updates.pb?key=secret"
        with Server(data, "--trip-updates", address.replace("user:secret@", ""), "--trip-updates", str(feed), "--poll", "trip-updates=200", now=now) as server:
            until(lambda: [each["state"] for each in server.get("/api/status")[1].get("sources", [])] == ["failing", "ok"])
            text = json.dumps(server.get("/api/status")[1])
            for secret in ("secret", "127.0.0.1", "trip-updates.pb", str(feed), str(data)):
                self.assertNotIn(secret, text)
            status, fields, _ = ask(server, "/api/status")
            self.assertEqual(ask(server, "/api/status", If_None_Match=fields["ETag"])[0] in (200, 304), True)


def content_of(data: Path) -> tuple:
    """All that the file of a history holds."""
    with contextlib.closing(sqlite3.connect(data / "history.sqlite")) as database:
        return database.execute("PRAGMA user_version").fetchone(), list(database.iterdump())


def oracle_key(service_day: str, route: str) -> tuple[date, str]:
    """A line as the oracle names it."""
    return date.fromisoformat(service_day), route


if __name__ == "__main__":
    unittest.main()
