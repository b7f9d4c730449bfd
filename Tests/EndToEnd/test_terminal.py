"""The terminal board in a pseudo terminal, as a person sees it."""

import http.server
import json
import re
import signal
import threading
import time
import unittest
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from program import Folder, Producer, Server, run
from sample_network import copy_network
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from terminal import LONGEST, Screen


class Retold(http.server.ThreadingHTTPServer):
    """A server whose boards say other things of their departures than the one behind it, and that has no stream."""

    daemon_threads = True

    def __init__(self, origin, changes):
        self.origin, self.changes = origin, changes
        super().__init__(("127.0.0.1", 0), Retelling)
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class Retelling(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            if "/stream" in self.path:
                raise urllib.error.HTTPError(self.path, 404, "no stream", {}, None)
            with urllib.request.urlopen(self.server.origin + self.path, timeout=30) as answer:
                status, body = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, body = error.code, b"{}"
        if status == 200 and self.path.startswith("/api/stationboard?"):
            board = json.loads(body)
            for departure, change in zip(board["departures"], self.server.changes):
                departure.update(change)
            body = json.dumps(board).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class TerminalTest(unittest.TestCase):
    """One server for all tests here."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.remove)
        copy_network(cls.folder.path)

    def screen(self, *arguments, **options):
        screen = Screen(*arguments, **options)
        self.addCleanup(screen.close)
        return screen

    def board(self, server, *options, **more):
        screen = self.screen("board", "lausanne", "--server", server.url, *options, **more)
        screen.wait_until(lambda rows: "Lausanne" in rows[0] and "timetable only" in rows[-2], "a board")
        return screen

    def test_the_board_stays_honest_when_the_server_goes(self):
        with Server(self.folder / "data") as server:
            screen = self.board(server, "--every", "1")
            self.assertIn("\x1b[", screen.text, "colours on a terminal")
            self.assertRegex(screen.shows()[1], r" in$", "the last column is drawn")
            before = screen.shows()
            server.process.kill()
        # The rows stay, the age grows, and the line below says why.
        rows = screen.wait_until(lambda rows: "refuses connections" in rows[-2], "a reason")
        self.assertEqual(rows[2][:20], before[2][:20])
        screen.wait_until(lambda rows: re.search(r"updated ([3-9]|\d\d) s ago", rows[-2]), "older")
        screen.process.send_signal(signal.SIGINT)
        self.assertEqual(screen.ends(), 0)
        self.assertTrue(screen.is_as_before())

    def test_the_terminal_is_as_before_on_every_way_out(self):
        with Server(self.folder / "data") as server:
            # Its time runs while the others end; it must be there first.
            timed = self.board(server, "--for", "10")
            for end in ["q", "\x03", signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, "for"]:
                with self.subTest(end=end):
                    screen = timed if end == "for" else self.board(server)
                    # What a screen shows is what was read from it: the timed one may have ended meanwhile.
                    self.assertFalse(screen.is_as_before(), "the board has the terminal")
                    if isinstance(end, signal.Signals):
                        screen.process.send_signal(end)
                    elif end != "for":
                        screen.press(end)
                    self.assertEqual(screen.ends(), 0)
                    self.assertTrue(screen.is_as_before())

    def test_a_stopped_board_gives_the_terminal_back_and_takes_it_again(self):
        with Server(self.folder / "data") as server:
            screen = self.board(server)
            screen.process.send_signal(signal.SIGTSTP)
            deadline = time.monotonic() + LONGEST
            while not (screen.is_as_before() and screen.is_stopped()) and time.monotonic() < deadline:
                screen.more(0.1)
            self.assertTrue(screen.is_as_before())
            self.assertTrue(screen.is_stopped(), "a shell continues only what has stopped")
            screen.text = ""
            screen.process.send_signal(signal.SIGCONT)
            screen.wait_until(lambda rows: "Lausanne" in rows[0], "a board again")
            screen.press("q")
            self.assertEqual(screen.ends(), 0)

    def test_a_filter(self):
        with Server(self.folder / "data") as server:
            screen = self.board(server)
            rows = screen.shows()
            line = rows[2].split()[0]
            screen.press(f"fl:{line}\r")
            rows = screen.wait_until(lambda rows: f"[l:{line}]" in rows[-1], "a filter")
            shown = [row for row in rows[2:-2] if row]
            self.assertTrue(shown)
            self.assertEqual({row.split()[0] for row in shown}, {line})
            screen.press("fnothing\r")
            # What was typed before is there to be changed.
            screen.wait_until(lambda rows: "No departure fits" in rows[2], "nothing")
            screen.press("\x1b")
            screen.wait_until(lambda rows: "[" not in rows[-1] and "fits" not in rows[2], "all again")

    def test_help_and_the_way_out_are_named_however_narrow_it_is(self):
        with Server(self.folder / "data") as server:
            for language, start in (("en", "? help   q quit"), ("it", "? aiuto   q esci"), ("de", "? Hilfe   q Ende"), ("fr", "? aide   q quitter")):
                screen = self.screen("board", "lausanne", "--server", server.url, "--lang", language)
                screen.wait_until(lambda rows: rows[-1].startswith(start), start)
                for columns in (60, 30):
                    screen.resize(columns, 20)
                    rows = screen.wait_until(lambda rows: len(rows) == 20 and rows[-1].startswith(start), f"{start} at {columns}")
                    self.assertLess(len(rows[-1]), columns)
                screen.wait_until(lambda rows: rows[-1].endswith(" …"), "that there is more")
                screen.press("?")
                screen.resize(100, 20)
                rows = screen.wait_until(lambda rows: any("↑ ↓" in row and "○" in row for row in rows), "keys and signs")
                self.assertTrue(all(any(sign in row for row in rows) for sign in "!◀→●◐○▲"), rows)
                screen.press("\x1b")
                screen.press("/")
                screen.wait_until(lambda rows: "enter" in rows[-1] and "esc" in rows[-1], "what ends a search")

    def test_stops_left_out_new_ends_headways_and_old_predictions_are_told(self):
        plain = {"flags": [], "delayMin": None, "status": "UNKNOWN", "cancelled": False, "realtimeDeparture": None,
                 "realtimeAt": None, "realtimeFreshness": None, "platformChanged": False}
        with Server(self.folder / "data") as server:
            board = server.get("/api/stationboard?stop_id=Parent8501120&limit=1")[1]
            now = datetime.fromisoformat(board["meta"]["serverTime"])
            soon = (now + timedelta(minutes=9)).isoformat().replace("+00:00", "Z")
            old = (now - timedelta(minutes=10)).isoformat().replace("+00:00", "Z")
            hour = timedelta(hours=1)

            def by_phone(until: datetime) -> dict:
                booking = {"bookBy": until.isoformat().replace("+00:00", "Z"), "noticeMinutes": None, "phone": "0800 1", "message": None}
                return {**plain, "certainty": "on_demand", "boarding": "phone_agency", "booking": booking}

            changes = [
                {**plain, "skippedStops": ["Pully", "Lutry"]}, {**plain, "flags": ["SHORT_TURN"], "endsAt": "Vevey"},
                {**plain, "certainty": "headway", "headwaySec": 600}, {**plain, "certainty": "interpolated"},
                {**plain, "scheduledDeparture": soon, "realtimeDeparture": soon, "realtimeAt": old, "realtimeFreshness": "stale"},
                {**plain, "certainty": "on_demand", "boarding": "phone_agency", "uncertaintySec": 60},
                {**plain, "certainty": "on_demand", "boarding": "ask_driver"},
                {**plain, "vehicle": {"status": "STOPPED_AT", "stopsAway": 0, "occupancy": None}},
                {**plain, "vehicle": {"status": "IN_TRANSIT_TO", "stopsAway": 0, "occupancy": "FULL"}},
                {**plain, "continuesAs": [{"trip_id": "next", "line": "N42"}]},
                by_phone(now - hour), by_phone(now + hour), by_phone(now + 24 * hour),
                {**plain, "tripShortName": "2418"}, {**plain, "tripShortName": "9" * 80},
            ]
            retold = Retold(server.url, changes)
            self.addCleanup(retold.close)
            screen = self.screen("board", "lausanne", "--server", retold.url, "--no-stream", "--lang", "en")
            rows = screen.wait_until(lambda rows: len(rows) == 20 and "not Pully" in rows[2], "a stop that is left out")
            self.assertRegex(rows[2], r" not Pully \+1 | skips 2 ")
            self.assertRegex(rows[3], r" to Vevey only | ends ")
            self.assertRegex(rows[4], r"≈\d\d:\d\d .*every 10'")
            self.assertRegex(rows[5], r"≈\d\d:\d\d ")
            self.assertRegex(rows[6], r" ◐\d+'")
            self.assertRegex(rows[7], r"≈\d\d:\d\d .*phone first")
            self.assertRegex(rows[8], r" \d\d:\d\d .*on request")
            self.assertRegex(rows[9], r"at the stop")
            self.assertRegex(rows[10], r" full ")
            self.assertRegex(rows[11], r" goes on as N42 | then N42 ")
            # The board does not ask for a call when it is too late, and says until when today.
            self.assertRegex(rows[12], r" booking ended ")
            until = (now + hour).astimezone(ZoneInfo(board["station"]["timezone"]))
            self.assertRegex(rows[13], rf" ☎ by {until:%H:%M} ")
            self.assertRegex(rows[14], r" phone first ")
            # The number of a train, where there is room for it.
            self.assertRegex(rows[15], r" no\. 2418 ")
            self.assertRegex(rows[16], r" \d\d:\d\d ")
            self.assertNotIn("999", rows[16])

    def test_an_alert_has_its_details_and_addresses(self):
        alert = {"id": "a", "severity": "WARNING", "effect": "DETOUR", "cause": "CONSTRUCTION", "header": "Bridge closed",
                 "description": "No trams this week.", "effectDetail": "Trams turn at the station.", "causeDetail": "Bridge closed",
                 "url": "https://example.org/a", "image": {"url": "https://example.org/a.png", "alternativeText": "Map"}}
        with Server(self.folder / "data") as server:
            retold = Retold(server.url, [{"alerts": [alert]}])
            self.addCleanup(retold.close)
            screen = self.screen("board", "lausanne", "--server", retold.url, "--no-stream", "--lang", "en")
            screen.wait_until(lambda rows: len(rows) > 2 and rows[2].startswith("!"), "a departure with an alert")
            screen.press("a")
            rows = screen.wait_until(lambda rows: any("Bridge closed" in row for row in rows), "the alert")
            first = next(number for number, row in enumerate(rows) if "Bridge closed" in row)
            # The cause is said in the header.
            self.assertEqual([row.strip() for row in rows[first + 1:first + 6]], [
                "No trams this week.", "Trams turn at the station.", "https://example.org/a", "Map: https://example.org/a.png", ""])

    def test_replacements_ends_that_come_early_and_other_platforms_are_told(self):
        late = {"delayMin": 7, "status": "DELAYED"}
        changes = [
            {"flags": ["REPLACEMENT_SERVICE"], "delayMin": None}, {"flags": ["SHORT_TURN"], "delayMin": None},
            {"flags": ["SHORT_TURN_TERMINUS", "REPLACEMENT_SERVICE"], **late},
            {"platform": "7", "previousPlatform": "5", "platformChanged": True, **late}, {"flags": ["EXTRA_SERVICE"], **late},
        ]
        with Server(self.folder / "data") as server:
            retold = Retold(server.url, changes)
            self.addCleanup(retold.close)
            screen = self.screen("board", "lausanne", "--server", retold.url, "--no-stream", "--lang", "en")
            rows = screen.wait_until(lambda rows: len(rows) == 20 and "replacement" in rows[2], "a replacement")
            self.assertIn("ends early", rows[3])
            self.assertRegex(rows[4], r"repl\. ends \+7 ")
            self.assertRegex(rows[5], r"5→7 .* \+7 ")
            self.assertRegex(rows[6], r"extra \+7 ")
            screen.resize(44, 20)
            rows = screen.wait_until(lambda rows: len(rows) == 20 and re.search(r" repl\. ", rows[2]), "it is short")
            self.assertRegex(rows[3], r" ends ")
            self.assertRegex(rows[4], r" ends \+7 ")
            # There is no column for platforms, and a change is told all the same.
            self.assertRegex(rows[5], r" →7 \+7 ")
            for row in rows:
                self.assertLessEqual(len(row), 44)
            screen.resize(38, 20)
            screen.wait_until(lambda rows: len(rows) == 20 and re.search(r" →7 \+7 ", rows[5]), "a change on a narrow one")

    def test_another_stop_is_found_and_opened(self):
        with Server(self.folder / "data") as server:
            screen = self.board(server)
            screen.press("/genev")
            screen.wait_until(lambda rows: any(row.startswith("› Genève") for row in rows), "matches")
            # Typing continues without waiting for the matches: Return opens the first of them once they are there.
            screen.press("e\r")
            screen.wait_until(lambda rows: "Genève" in rows[0] and re.search(r"\d\d:\d\d", rows[2]),
                              "the other board")
            screen.press("?")
            screen.wait_until(lambda rows: any("filter" in row for row in rows[1:4]), "the keys")
            screen.press("\x1b")
            screen.press("a")
            screen.wait_until(lambda rows: "No disruptions" in rows[1], "no disruptions")

    def test_realtime_comes_by_the_stream(self):
        now = "2026-11-24T07:00:00Z"
        feed = Producer(self.folder / "data", "--scenario", "storm", "--period", "2", now=now)
        self.addCleanup(feed.stop)
        sources = ["--trip-updates", f"{feed.url}/trip-updates.pb", "--alerts", f"{feed.url}/alerts.pb"]
        with Server(self.folder / "data", *sources, now=now) as server:
            screen = self.screen("board", "lausanne", "--server", server.url)
            rows = screen.wait_until(
                lambda rows: re.search(r"● live( for \d+ of \d+)? · updated \d+ s ago · stream", rows[-2])
                and any(re.search(r"\+\d+ +\d+'", row) for row in rows[2:-2]), "delays by the stream")
            drawn_before = len(screen.text)
            # A change comes without a request: the rows are drawn again, one by one.
            screen.wait_until(lambda new: new[2:-2] != rows[2:-2], "another board")
            self.assertNotIn("\x1b[2J", screen.text[drawn_before:], "nothing is cleared for a change")

    def test_another_size(self):
        with Server(self.folder / "data") as server:
            screen = self.board(server)
            for columns, height in [(40, 10), (30, 6), (200, 50), (20, 3), (90, 20)]:
                screen.resize(columns, height)
                screen.wait_until(
                    lambda rows: len(rows) == height and "Laus" in rows[0], f"{columns} by {height}")

    def test_languages(self):
        with Server(self.folder / "data") as server:
            for language, words in [("fr", "horaire seul · mis à jour il y a"), ("de", "nur Fahrplan · vor"),
                                    ("it", "solo orario · aggiornato"), ("en", "timetable only · updated")]:
                screen = self.screen("board", "lausanne", "--server", server.url, "--lang", language)
                screen.wait_until(lambda rows: words in rows[-2], words)

    def test_lines_where_there_is_no_terminal(self):
        with Server(self.folder / "data") as server:
            options = ["board", "lausanne", "--server", server.url, "--for", "6"]
            record = self.folder / "record.jsonl"
            with ThreadPoolExecutor() as threads:
                plain = threads.submit(run, *options)
                as_json = threads.submit(run, *options, "--json")
                recorded = threads.submit(run, *options, "--record", str(record))
            answer = plain.result()
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertNotIn("\x1b", answer.stdout)
            self.assertRegex(answer.stdout, r"timetable only · updated \d+ s ago")
            answer = as_json.result()
            lines = [json.loads(line) for line in answer.stdout.splitlines()]
            self.assertEqual(lines[0]["event"], "board")
            self.assertEqual((lines[0]["marker"], lines[0]["reason"]), ("reduced", "disabled"))
            self.assertTrue(lines[0]["board"]["departures"])
            self.assertEqual(recorded.result().returncode, 0)
            records = [json.loads(line) for line in record.read_text().splitlines()]
            self.assertEqual(records[0]["asked"], records[0]["answered"])
            self.assertEqual(records[0]["rtStatus"], "disabled")

    def test_sixteen_colours(self):
        with Server(self.folder / "data") as server:
            for environment, pattern in [
                ({"TERM": "xterm", "COLORTERM": ""}, r"\x1b\[1;\d\d;4\dm"),
                ({"TERM": "xterm-256color", "COLORTERM": ""}, r"\x1b\[1;38;5;\d+;48;5;\d+m"),
                ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, r"48;2;\d+;\d+;\d+m"),
            ]:
                screen = self.board(server, environment=environment)
                self.assertRegex(screen.text, pattern)

    def test_no_color_is_respected(self):
        with Server(self.folder / "data") as server:
            screen = self.screen(
                "board", "lausanne", "--once", "--server", server.url, environment={"NO_COLOR": "1"}
            )
            text = screen.wait_for(r"timetable only")
            self.assertNotIn("\x1b[1;38", text)

    def test_an_import_draws_a_bar(self):
        screen = self.screen(
            "import", str(self.folder / "feed"), "--data", str(self.folder / "other")
        )
        screen.wait_for("█")
        screen.wait_for("stop times a second")


if __name__ == "__main__":
    unittest.main()
