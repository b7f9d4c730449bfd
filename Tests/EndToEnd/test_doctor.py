"""What `freshet doctor` says of feeds, held against what is in them."""

from __future__ import annotations

import http.server
import json
import threading
import unittest
import zipfile
from datetime import date, timedelta
from html.parser import HTMLParser
from pathlib import Path

from program import Folder, run
from side_by_side import load_side_by_side as load_tests  # noqa: F401

#: A Wednesday.
TODAY = date(2026, 3, 4)
NOW = "2026-03-04T09:00:00+01:00"
EVIL = '<script>alert("1")</script>'


def day(offset: int) -> str:
    return (TODAY + timedelta(days=offset)).strftime("%Y%m%d")


class Feed:
    """Two lines over three stops; every file is a list of rows that a test may change."""

    def __init__(self) -> None:
        self.files: dict[str, list[list[str]]] = {
            "agency.txt": [["agency_id", "agency_name", "agency_url", "agency_timezone"],
                           ["a", "City Buses", "https://example.org", "Europe/Zurich"]],
            "stops.txt": [["stop_id", "stop_name", "stop_lat", "stop_lon"],
                          ["s1", "Station", "46.5", "6.6"], ["s2", "Market", "46.51", "6.61"], ["s3", "Lake", "46.52", "6.62"]],
            "routes.txt": [["route_id", "agency_id", "route_short_name", "route_long_name", "route_type"],
                           ["r1", "a", "1", "", "3"], ["r2", "a", "2", "", "3"]],
            "trips.txt": [["route_id", "service_id", "trip_id"],
                          ["r1", "daily", "t1"], ["r1", "daily", "t2"], ["r2", "week", "t3"]],
            "stop_times.txt": [["trip_id", "arrival_time", "departure_time", "stop_id", "stop_sequence"]],
            "calendar.txt": [["service_id", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
                              "start_date", "end_date"],
                             ["daily", *"1111111", day(-10), day(100)], ["week", *"1111100", day(-10), day(100)]],
        }
        for trip, hour in (("t1", 8), ("t2", 12), ("t3", 9)):
            for place, stop in enumerate(["s1", "s2", "s3"]):
                time = f"{hour:02}:{place * 10:02}:00"
                self.files["stop_times.txt"].append([trip, time, time, stop, str(place + 1)])

    def write(self, path: Path, encoding: str = "utf-8") -> str:
        with zipfile.ZipFile(path, "w") as archive:
            for name, rows in self.files.items():
                with archive.open(name, "w") as file:
                    file.write("\r\n".join(
                        ",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows).encode(encoding))
        return str(path)

    def departures(self) -> list[int]:
        """Of each of 14 days, from its files alone; the last stop of a trip has none."""
        calendar = {row[0]: row for row in self.files["calendar.txt"][1:]}
        found = []
        for offset in range(14):
            each = TODAY + timedelta(days=offset)
            runs = [row[2] for row in self.files["trips.txt"][1:]
                    if calendar[row[1]][1 + each.weekday()] == "1"
                    and calendar[row[1]][8] <= each.strftime("%Y%m%d") <= calendar[row[1]][9]]
            found.append(sum(sum(row[0] == trip for row in self.files["stop_times.txt"]) - 1 for trip in runs))
        return found


class Page(HTMLParser):
    """The texts and elements of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data + "\n"


class DoctorTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.feed = Feed()

    def ask(self, *options: str, feed: str | None = None):
        feed = feed or self.feed.write(self.folder / "feed.zip")
        return run("doctor", feed, *options, "--now", NOW)

    def diagnosis(self, *options: str, code: int) -> dict:
        answer = self.ask("--json", *options)
        self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)
        return json.loads(answer.stdout)

    def findings(self, *options: str, code: int) -> list[tuple[str, str, list[str]]]:
        return [(each["weight"], each["sentence"], each["details"]) for each in self.diagnosis(*options, code=code)["findings"]]

    def test_a_feed_of_which_nothing_is_lost(self):
        self.feed.files["stop_times.txt"] += [["t1", "08:30:00", "08:30:00", "s1", "4"]]
        found = self.diagnosis(code=0)
        # Without the lake no stop is without a departure.
        self.assertEqual(found["findings"], [])
        service = found["facts"]["service"]
        self.assertEqual(service["departures"], self.feed.departures())
        self.assertGreater(sum(service["departures"]), 0)
        self.assertEqual((service["stations"], service["lines"], found["facts"]["agencies"]), (3, 2, ["City Buses"]))
        self.assertEqual((found["facts"]["serviceFrom"], found["facts"]["serviceUntil"]), ("2026-02-22", "2026-06-12"))
        text = self.ask().stdout
        self.assertIn("This feed serves, and passengers lose nothing.", text)
        self.assertIn(f"{sum(service['departures'])} in the next 14 days", text)

    def test_days_on_which_boards_are_empty(self):
        calendar = self.feed.files["calendar.txt"]
        for first, last, code, sentence in (
            (-30, -2, 1, "Every board is empty: the last day of service was 2026-03-02, 2 days ago."),
            (5, 50, 1, "Every board is empty until 2026-03-09, the first day of service, in 5 days."),
            (-30, -1, 1, "Every board is empty: the last day of service was 2026-03-03, yesterday."),
            (-30, 0, 1, "Every board is empty after 2026-03-04, the last day of service, today."),
            (-5, 3, 1, "Every board is empty after 2026-03-07, the last day of service, in 3 days."),
        ):
            for row in calendar[1:]:
                row[8:] = [day(first), day(last)]
            self.assertIn(("lost", sentence), [each[:2] for each in self.findings(code=code)])
        for row in calendar[1:]:
            row[8:] = [day(-5), day(60)]
            row[1:8] = "1111100"
        weekend = [(TODAY + timedelta(days=offset)).isoformat() for offset in range(14)
                   if (TODAY + timedelta(days=offset)).weekday() > 4]
        self.assertIn(("noted", "On 4 of the next 14 days nothing departs:", weekend), self.findings(code=0))

    def test_what_is_left_out_is_told_in_terms_of_passengers(self):
        self.feed.files["stop_times.txt"].append(["nobody", "08:00:00", "08:00:00", "s1", "1"])
        self.feed.files["routes.txt"].append(["r3", "a", "", "", "3"])
        self.feed.files["routes.txt"].append(["r4", "a", "4", "", "3"])
        self.feed.files["stops.txt"].append(["s4", "Nowhere", "", ""])
        self.feed.files["stops.txt"][2][1] = ""
        found = self.findings(code=1)
        rows = next(each for each in found if "stop_times.txt" in each[1])
        self.assertEqual(rows[:2], ("lost", "1 of 10 rows of stop_times.txt cannot be used: departures are missing."))
        self.assertRegex(rows[2][0], r'line 11, trip_id: .*"nobody" is not in trips.txt')
        self.assertIn(("lost", "No name: 1 of 4 lines; boards show the id.", ["r3"]), found)
        self.assertIn(("lost", "No name: 1 of 4 stations; boards and the search show the id.", ["s2"]), found)
        self.assertIn(("noted", "No departure on any day: 2 of 4 lines.", ["r3", "4"]), found)
        empty = next(each for each in found if "always empty, since" in each[1])
        self.assertEqual(sorted(empty[2]), ["Lake", "Nowhere"])
        self.assertEqual([each[0] for each in found], sorted(each[0] for each in found))

    def test_rows_that_repeat_others_exactly_lose_nothing(self):
        rows = self.feed.files["stop_times.txt"]
        # Of the trip that is being read, and of one before it.
        rows += [list(rows[-1]), list(rows[1])]
        found = [each[:2] for each in self.findings(code=0)]
        said = ("noted", "2 rows of stop_times.txt repeat another row exactly; nothing is lost.")
        self.assertIn(said, found)
        self.assertEqual([each for each in found if each[0] != "noted"], [])
        rows.append([rows[1][0], "07:00:00", "07:00:00", *rows[1][3:]])
        found = self.findings(code=1)
        self.assertIn(said, [each[:2] for each in found])
        lost = [each for each in found if each[0] == "lost"]
        self.assertEqual([each[1] for each in lost], ["1 of 12 rows of stop_times.txt cannot be used: departures are missing."])
        self.assertEqual(lost[0][2], ["line 13, stop_sequence: stop_sequence 1 appears twice in the trip"])

    def test_texts_that_are_not_in_unicode(self):
        self.feed.files["stops.txt"][3][1] = "Łódź"
        answer = self.ask("--json", feed=self.feed.write(self.folder / "feed.zip", encoding="cp1250"))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        sentences = [each["sentence"] for each in json.loads(answer.stdout)["findings"]]
        self.assertEqual(len([each for each in sentences if "not UTF-8" in each and "windows-1250" in each]), 1, sentences)
        self.assertIn('"Łódź"', answer.stdout)
        answer = self.ask("--encoding", "windows-1252", feed=str(self.folder / "feed.zip"))
        self.assertIn("£ódŸ", answer.stdout)

    def test_nothing_serves_or_nothing_is_there(self):
        del self.feed.files["stop_times.txt"]
        found = self.diagnosis(code=65)
        self.assertNotIn("facts", found)
        self.assertEqual(found["findings"][0]["weight"], "refused")
        self.assertIn("stop_times.txt", found["findings"][0]["sentence"])
        answer = self.ask(feed=str(self.folder / "gone.zip"))
        self.assertEqual((answer.returncode, answer.stdout), (66, ""))
        self.assertIn("No such file", answer.stderr)
        self.assertEqual(self.ask("--least-matched", "101").returncode, 64)

    def test_the_page_has_everything_and_runs_nothing_of_the_feed(self):
        self.feed.files["stops.txt"][3][1] = EVIL
        self.feed.files["agency.txt"][1][1] = EVIL
        path = self.folder / "page.html"
        answer = self.ask("--html", str(path))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        page = Page(path.read_text())
        self.assertNotIn("script", page.tags)
        self.assertEqual(page.text.count(EVIL), 2, "the operator, and the stop where nothing departs")
        for line in ("This feed serves, and passengers lose nothing.", "Wed 2026-03-04"):
            self.assertIn(line, page.text)
        counts = self.feed.departures()
        self.assertEqual(page.text.count("\n" + str(counts[0]) + "\n"), counts.count(counts[0]))
        gone = self.ask("--html", str(self.folder / "no/such/page.html"))
        self.assertEqual(gone.returncode, 73)
        self.assertIn("page.html", gone.stderr)

    def realtime(self, name: str, *trips: str, alerts: int = 0) -> str:
        """A feed message in JSON."""
        start = TODAY.strftime("%Y%m%d")
        entities = [
            {"id": trip, "tripUpdate": {"trip": {"tripId": trip, "startDate": start}, "stopTimeUpdate": [
                {"stopSequence": 1, "departure": {"delay": 60}}]}} for trip in trips]
        entities += [
            {"id": f"alert-{number}", "alert": {"informedEntity": [{"stopId": "s1"}], "headerText": {
                "translation": [{"text": "Works", "language": "en"}]}}} for number in range(alerts)]
        path = self.folder / name
        # 08:59 in Zurich.
        path.write_text(json.dumps({"header": {"gtfsRealtimeVersion": "2.0", "timestamp": 1772611140}, "entity": entities}))
        return str(path)

    def test_realtime_that_fits_and_realtime_that_does_not(self):
        fits, alien = self.realtime("fits.json", "t1", "t3", alerts=2), self.realtime("alien.json", "x1", "x2", "x3")
        empty = self.realtime("empty.json")
        found = self.diagnosis(fits, code=0)["realtime"]
        self.assertEqual(found[0]["source"], fits)
        self.assertEqual(found[0]["sentences"][0], "2 of 2 trip updates match a trip of the timetable")
        self.assertIn("2 of 2 alerts are about something that the timetable has", found[0]["sentences"])
        found = self.diagnosis(fits, alien, empty, str(self.folder / "gone.pb"), code=1)["realtime"]
        self.assertEqual([each["isGood"] for each in found], [True, False, True, False])
        self.assertEqual(found[1]["sentences"][0], "0 of 3 trip updates match a trip of the timetable")
        self.assertEqual(found[2]["sentences"], ["it has no trip updates, vehicle positions or alerts now"])
        self.assertIn("gone.pb", " ".join(found[3]["sentences"]))
        self.assertIn("but realtime does not fit (2).", self.ask(fits, alien, empty, str(self.folder / "gone.pb")).stdout)

    def test_the_help_names_all_kinds_of_realtime(self):
        text = " ".join(run("doctor", "--help").stdout.split())
        self.assertIn("each of trip updates, vehicle positions, alerts, or several of these", text)

    def test_a_feed_and_realtime_at_addresses_get_the_fields_that_are_given(self):
        archive = Path(self.feed.write(self.folder / "feed.zip")).read_bytes()
        live = Path(self.realtime("live.json", "t1")).read_bytes()
        asked: list[tuple[str, str | None]] = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                asked.append((self.path, self.headers.get("X-Key")))
                body = archive if self.path.startswith("/feed") else live
                found = self.headers.get("X-Key") in ("one", "two")
                self.send_response(200 if found else 403)
                self.send_header("Content-Type", "application/json" if body is live else "application/zip")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        place = f"http://127.0.0.1:{server.server_port}"
        answer = self.ask(f"{place}/live?key=secret", "--header", "X-Key: one", "--feed-header", "X-Key: two",
                          feed=f"{place}/feed.zip?key=secret")
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
        self.assertEqual(asked, [("/feed.zip?key=secret", "one"), ("/live?key=secret", "two")])
        self.assertNotIn("secret", answer.stdout + answer.stderr)
        self.assertIn("1 of 1 trip updates match", answer.stdout)
        answer = self.ask(feed=f"{place}/feed.zip")
        self.assertEqual(answer.returncode, 66)
        self.assertIn("403", answer.stderr)


if __name__ == "__main__":
    unittest.main()
