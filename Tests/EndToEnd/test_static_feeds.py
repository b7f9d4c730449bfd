"""Timetables that come by themselves: a server of feeds that changes them, and the program that follows."""

from __future__ import annotations

import io
import json
import re
import threading
import unittest
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from program import Folder, Server, run, until

DAYS = "monday,tuesday,wednesday,thursday,friday,saturday,sunday"
SECRET = "Bearer s3cr3t-of-this-test"


def feed(lines=range(1, 11), first="20260101", last="20261231", sundays=None, note="", zone="Europe/Zurich") -> bytes:
    """A zip of a small network: each line leaves every hour; `sundays`: the lines that run on Sundays too."""
    lines = list(lines)
    on_sundays = set(lines if sundays is None else sundays)
    trips = [f"t{line}-{hour},r{line},{'d' if line in on_sundays else 'w'}" for line in lines for hour in range(6, 22)]
    times = [
        f"t{line}-{hour},{hour + late}:00:00,{hour + late}:00:00,s{late},{late + 1}"
        for line in lines for hour in range(6, 22) for late in (0, 1)
    ]
    files = {
        "agency.txt": ["agency_id,agency_name,agency_url,agency_timezone", f"a,A,http://a,{zone}"],
        "stops.txt": ["stop_id,stop_name,stop_lat,stop_lon", "s0,One,47,8", "s1,Two,47.1,8"],
        "routes.txt": ["route_id,agency_id,route_short_name,route_long_name,route_type",
                       *(f"r{line},a,{line},,3" for line in lines)],
        "calendar.txt": [f"service_id,{DAYS},start_date,end_date",
                         f"d,1,1,1,1,1,1,1,{first},{last}", f"w,1,1,1,1,1,1,0,{first},{last}"],
        "trips.txt": ["trip_id,route_id,service_id", *trips],
        "stop_times.txt": ["trip_id,arrival_time,departure_time,stop_id,stop_sequence", *times],
        "note.txt": [note],
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, rows in files.items():
            archive.writestr(name, "\n".join(rows) + "\n")
    return buffer.getvalue()


class Publisher:
    """Publishes one file, conditionally, and notes how it is asked for that file."""

    path = "/feed.zip"

    def __init__(self, test: unittest.TestCase) -> None:
        self.body, self.tag, self.modified, self.location = b"", "", "", ""
        self.declared = 0
        self.status = 200
        self.whole = 0
        self.unchanged = 0
        self.failed = 0
        self.seen: list[str | None] = []
        self.stuck = threading.Event()
        self.released = threading.Event()
        publisher = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                publisher.answer(self)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}{self.path}"
        test.addCleanup(self.server.server_close)
        test.addCleanup(self.server.shutdown)
        test.addCleanup(self.released.set)

    def publish(self, body: bytes, tag: str, modified: str = "", status: int = 200, extra: int = 0) -> None:
        """What is answered from now on; `extra`: bytes that are declared and never come."""
        self.whole = self.unchanged = self.failed = 0
        self.body, self.modified, self.status, self.declared = body, modified, status, len(body) + extra
        self.tag = f'"{tag}"'

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        if handler.path != self.path:
            # Its port was another server's before, such as that of a replica that was killed, whose clients ask on.
            handler.send_error(404)
            return
        self.seen.append(handler.headers["Authorization"])
        if not re.match(r"freshet/\d", handler.headers["User-Agent"] or ""):
            # As some producers do.
            handler.send_error(403)
            return
        if self.location:
            handler.send_response(302)
            handler.send_header("Location", self.location)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        if self.status != 200:
            handler.send_error(self.status)
            self.failed += 1
            return
        if handler.headers["If-None-Match"] == self.tag:
            handler.send_response(304)
            handler.send_header("ETag", self.tag)
            handler.end_headers()
            self.unchanged += 1
            return
        handler.send_response(200)
        handler.send_header("ETag", self.tag)
        if self.modified:
            handler.send_header("Last-Modified", self.modified)
        handler.send_header("Content-Length", str(self.declared))
        handler.end_headers()
        handler.wfile.write(self.body)
        handler.wfile.flush()
        if self.tag == '"stuck"':
            self.stuck.set()
            self.released.wait()
        handler.close_connection = True
        self.whole += 1


class StaticFeedsTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.data = str(self.folder / "data")
        self.publisher = Publisher(self)

    def serve(self, **settings) -> Server:
        path = self.folder / "settings.json"
        path.write_text(json.dumps({"feeds": [{"static": self.publisher.url, **settings}]}))
        path.chmod(0o600)
        return Server(self.data, "--config", str(path), "--poll", "static=200", log_level="info")

    def health(self, server: Server) -> dict:
        return server.get("/health")[1]

    def serving(self, server: Server) -> str:
        feeds = self.health(server)["feeds"]
        return feeds[0]["generation"] if feeds else ""

    def feeds(self, *arguments: str) -> str:
        answer = run("feeds", *arguments, "--data", self.data, "--now", "2026-11-24T07:00:00Z")
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
        return answer.stdout

    def test_the_right_generation_serves_whatever_the_publisher_does(self):
        publisher = self.publisher
        publisher.publish(feed(), "a", "Mon, 23 Nov 2026 00:00:00 GMT")
        with self.serve() as server:
            until(lambda: self.serving(server))
            first = self.serving(server)
            _, board = server.get("/api/stationboard?stop_id=s0&limit=3")
            self.assertEqual(len(board["departures"]), 3)
            # Nothing is asked for again that did not change.
            until(lambda: publisher.unchanged >= 3)
            self.assertEqual(publisher.whole, 1)

            def stays(body, tag, says, **how):
                publisher.publish(body, tag, **how)
                until(lambda: publisher.unchanged >= 2 and says in self.feeds("list"))
                self.assertEqual(publisher.whole, 1, "it was downloaded more than once")
                self.assertEqual(self.serving(server), first)

            def told() -> dict:
                return server.get("/api/status")[1]["timetables"][0]

            stays(b"<html>log in</html>" * 50, "broken", "not a readable zip archive")
            stays(feed(note="o"), "older", "older", modified="Sun, 22 Nov 2026 00:00:00 GMT")
            stays(feed(last="20261120"), "expired", "its last day is over")
            stays(feed(zone="Asia/Tokyo"), "zone", "leave about an hour or more earlier or later: check agency_timezone")
            stays(feed(range(90, 100)), "other", "line 1 gone (")
            # The one before was held back as well, for what it would change.
            until(lambda: (now := told()).get("held") == "losses" and {line["isGone"] for line in now["losses"]["lines"]} == {True})
            losses = told()["losses"]
            self.assertEqual([losses["lostPercent"], losses["lost"]], [100, losses["before"]])
            # Trips end at the second stop, so that nothing leaves there.
            stop = {"station": "One", "before": losses["before"], "lost": losses["before"], "isGone": False}
            self.assertEqual(losses["stations"], [stop])
            self.assertNotIn("127.0.0.1", json.dumps(told()), "the page is public")
            self.assertIn("held back", "".join(self.health(server)["warnings"]))
            # Half a file: it is asked for again, later, and never serves.
            whole = feed(note="half")
            publisher.publish(whole[: len(whole) // 2], "half", extra=len(whole) - len(whole) // 2)
            until(lambda: publisher.whole >= 2)
            self.assertEqual(self.serving(server), first)
            publisher.publish(b"", "", status=500)
            until(lambda: publisher.failed >= 2)
            self.assertEqual(self.serving(server), first)
            # A good one serves, and what was held back is gone.
            publisher.publish(feed(note="good"), "good", "Tue, 24 Nov 2026 00:00:00 GMT")
            until(lambda: self.serving(server) != first)
            second = self.serving(server)
            self.assertEqual(self.health(server)["warnings"], [])
            # One that begins later waits.
            publisher.publish(feed(first="20261210", last="20271231"), "future")
            until(lambda: publisher.unchanged >= 2)
            self.assertEqual(self.serving(server), second)
            self.assertTrue(self.health(server)["feeds"][0]["waiting"])
            # A person goes back, and forth again.
            self.feeds("rollback")
            until(lambda: self.serving(server) == first)
            self.feeds("accept")
            until(lambda: self.serving(server) == second)
            server.stop()

    def test_a_line_that_is_gone_on_sundays_is_held_back_until_it_is_accepted(self):
        publisher = self.publisher
        publisher.publish(feed(), "a")
        with self.serve(maxLostPercent=1) as server:
            until(lambda: self.serving(server))
            first = self.serving(server)
            publisher.publish(feed(sundays=range(3, 11)), "b")
            until(lambda: publisher.unchanged >= 1)
            text = self.feeds("list")
            self.assertIn("line 1 gone on Sundays", text)
            self.assertIn("line 2 gone on Sundays", text)
            self.assertIn("2.9 % of 2240 departures lost", text)
            self.assertEqual(self.serving(server), first)
            self.feeds("accept")
            until(lambda: self.serving(server) != first)
            self.assertEqual(self.health(server)["warnings"], [])

    def test_a_process_that_is_killed_during_a_download_loses_nothing(self):
        publisher = self.publisher
        publisher.publish(feed(), "a")
        with self.serve() as server:
            until(lambda: self.serving(server))
            first = self.serving(server)
            publisher.publish(feed(note="b")[:500], "stuck", extra=10_000)
            self.assertTrue(publisher.stuck.wait(timeout=60))
            server.process.kill()
            server.process.wait()
        publisher.publish(feed(note="b"), "b")
        with self.serve() as server:
            until(lambda: self.serving(server) not in ("", first))

    def test_credentials_do_not_follow_to_another_origin(self):
        other = Publisher(self)
        other.publish(feed(), "a")
        self.publisher.location = other.url
        with self.serve(headers={"Authorization": SECRET}) as server:
            until(lambda: self.serving(server))
            server.stop()
            self.assertNotIn(SECRET, "".join(server.log))
        self.assertEqual(set(self.publisher.seen), {SECRET})
        self.assertEqual(set(other.seen), {None})

    def test_a_timetable_that_ends_soon_is_warned_of(self):
        self.publisher.publish(feed(last="20261128"), "a")
        with self.serve() as server:
            until(lambda: self.serving(server))
            self.assertEqual(
                self.health(server)["warnings"], ["the timetable of the feed default ends on 2026-11-28"]
            )
            until(lambda: any("ends soon" in line for line in server.log))

    def test_a_source_is_added_checked_and_removed_on_the_command_line(self):
        self.publisher.publish(b"nothing", "x")
        answer = run("feeds", "add", self.publisher.url, "--data", self.data)
        self.assertEqual(answer.returncode, 1)
        self.assertIn("not a readable zip archive", answer.stdout)
        self.publisher.publish(feed(), "a")
        self.assertIn("a new timetable serves", self.feeds("add", self.publisher.url, "--header", f"Authorization: {SECRET}"))
        self.assertEqual((self.folder / "data" / "sources.json").stat().st_mode & 0o077, 0)
        self.assertIn("nothing new", self.feeds("check"))
        self.assertEqual((self.publisher.whole, self.publisher.unchanged), (1, 1))
        listed = self.feeds("list")
        self.assertRegex(listed, re.escape(self.publisher.url))
        self.assertNotIn(SECRET, listed)
        # A server that runs follows what was added.
        self.feeds("remove")
        with Server(self.data) as server:
            self.assertEqual(self.health(server)["feeds"], [])
            self.feeds("add", self.publisher.url)
            until(lambda: self.serving(server))

    def test_what_came_of_a_feed_as_json(self):
        def told(*arguments: str, code: int = 0) -> dict:
            answer = run("feeds", *arguments, "--json", "--data", self.data, "--now", "2026-11-24T07:00:00Z")
            self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)
            return json.loads(answer.stdout)

        self.publisher.publish(feed(), "a")
        added = told("add", self.publisher.url, "--max-lost", "1")
        self.assertEqual((added["key"], added["outcome"], added["isUsable"]), ("default", "serves", True))
        self.publisher.publish(feed(sundays=range(3, 11)), "b")
        checked = told("check")
        self.assertEqual((checked["isGood"], checked["timetable"]["outcome"], checked["realtime"]), (True, "held", []))
        self.assertIn("line 1 gone on Sundays", " ".join(checked["timetable"]["changes"]))
        self.assertRegex(" ".join(checked["timetable"]["changes"]), r"stop One: \d\.\d % of its departures lost")
        held = checked["timetable"]["generation"]
        # Nothing new came, and a person still has to accept it.
        checked = told("check")["timetable"]
        self.assertEqual((checked["outcome"], checked["held"]["name"]), ("unchanged", held))
        self.assertIn("line 1 gone on Sundays", " ".join(checked["held"]["changes"]))
        said = self.feeds("check")
        self.assertIn(f"{held} is still held back: ", said)
        self.assertRegex(said, r"stop One: \d\.\d % of its departures lost")
        self.assertIn("take it with: freshet feeds accept\n", said)
        doctor = run("doctor", "--data", self.data, "--now", "2026-11-24T07:00:00Z").stdout
        self.assertRegex(doctor, r"a new one is held back: \d\.\d % of the departures would be lost; line 1 gone on Sundays")
        self.assertEqual(told("accept"), {"key": "default", "generation": held})
        self.assertEqual(told("rollback"), {"key": "default", "generation": added["generation"]})
        self.publisher.publish(b"nothing", "c")
        refused = told("check", code=1)
        self.assertEqual((refused["isGood"], refused["timetable"]["outcome"]), (False, "refused"))
        self.assertIn("not a readable zip archive", refused["timetable"]["reason"])
        self.assertEqual(told("remove"), {"key": "default"})

    def test_another_encoding_and_another_limit_read_the_same_file_again(self):
        whole = io.BytesIO(feed())
        published = io.BytesIO()
        with zipfile.ZipFile(whole) as archive, zipfile.ZipFile(published, "w") as other:
            for name in archive.namelist():
                text = archive.read(name).decode().replace("s0,One", "s0,Вокзал")
                if name == "trips.txt":
                    text += "".join(f"x{number},r1,never\n" for number in range(200))
                other.writestr(name, text.encode("cp1251"))
        self.publisher.publish(published.getvalue(), "a")
        answer = run("feeds", "add", self.publisher.url, "--data", self.data)
        self.assertEqual(answer.returncode, 1)
        self.assertIn("trips.txt: 200 of 360 rows are malformed, more than 50 %", answer.stdout)
        self.assertIn("With --max-rejected 56 the rest would serve: trips 160, departures 160", answer.stdout)
        limit = ("--max-rejected", "56")
        self.assertIn("a new timetable serves", self.feeds("add", self.publisher.url, *limit))
        with Server(self.data) as server:
            def name():
                return server.get("/api/stationboard?stop_id=s0&limit=1")[1]
            before = json.dumps(name(), ensure_ascii=False)
            self.assertNotIn("Вокзал", before)
            self.assertIn("a new timetable serves", self.feeds("add", self.publisher.url, *limit, "--encoding", "cp1251"))
            until(lambda: "Вокзал" in json.dumps(name(), ensure_ascii=False))
            # Nothing is read again that is read in the same way.
            self.assertIn("nothing new", self.feeds("check"))
        answer = run("feeds", "add", self.publisher.url, "--encoding", "cp9999", "--data", self.data)
        self.assertEqual(answer.returncode, 64)

    def test_an_encoding_that_is_not_known_ends_the_start(self):
        path = self.folder / "config.json"
        path.write_text(json.dumps({"feeds": [{"static": self.publisher.url, "encoding": "cp9999"}]}))
        answer = run("serve", "--config", str(path), "--data", self.data, "--port", "0")
        self.assertEqual(answer.returncode, 78)
        self.assertIn("$.feeds[0].encoding: expected one of UTF-8, ", answer.stderr)


if __name__ == "__main__":
    unittest.main()
