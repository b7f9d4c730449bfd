"""The API of MesDeparts: its clients, played by the program and by hand, against this server."""

from __future__ import annotations

import csv
import json
import subprocess
import threading
import unittest
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from zoneinfo import ZoneInfo

from program import LAB, Folder, Server, run, sample
from realtime_stage import BEGIN, BOARD, LAUSANNE, Stage, cancelled, data, instant, late, trip
from side_by_side import load_side_by_side as load_tests  # noqa: F401

ORIGIN = "https://mesdeparts.ch"
ZURICH = ZoneInfo("Europe/Zurich")
SPEAK = ("--speak", "mesdeparts")
FAST = ("--pace", "1000")


def get(url: str, method: str = "GET", **fields: str) -> tuple[int, dict | None, dict[str, str]]:
    """Status, JSON body if there is one, and fields of an answer."""
    names = {name.replace("_", "-"): value for name, value in fields.items()}

    def lower(answer) -> dict[str, str]:
        return {name.lower(): value for name, value in answer.headers.items()}

    request = urllib.request.Request(url, headers=names, method=method)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            body = answer.read()
            return answer.status, json.loads(body) if body else None, lower(answer)
    except urllib.error.HTTPError as error:
        body = error.read()
        return error.code, json.loads(body) if body else None, lower(error)


def play(url: str, *options: str) -> tuple[int, dict]:
    """The exit code and the report of the played clients."""
    answer = run("compat", url, "--as", "mesdeparts", "--json", *options)
    assert answer.returncode in (0, 1), answer.stderr
    return answer.returncode, json.loads(answer.stdout)


def faults(report: dict) -> list[str]:
    """The faults of a report, with what was asked."""
    return [f"{step['asked']}: {fault}" for step in report["steps"] for fault in step["faults"]]


def local(seconds: float) -> tuple[str, str]:
    """Date and time as the page writes them."""
    at = datetime.fromtimestamp(seconds, ZURICH)
    return f"{at:%Y-%m-%d}", f"{at:%H:%M}"


class PlayerTest(unittest.TestCase):
    """freshet-lab compat against this server, at every latency."""

    def test_the_clients_work_at_every_latency(self):
        stage = Stage(*SPEAK, alerts=True)
        self.addCleanup(stage.close)
        stage.alerts.publish()
        stage.shows(lambda answer: answer.meta["alertsStatus"] == "applied", "&include_alerts=1", "alerts")
        stage.publishes(late(trip(1), 240), late(trip(2), 60, platform="5"), cancelled(trip(3)))
        ids = f"ids={LAUSANNE},8501120:0:3"
        players = [
            subprocess.Popen(
                [LAB, "compat", stage.server.url, "--as", "mesdeparts", "--json", "--latency-ms", str(latency), *FAST,
                 "--with", ids, "--with", f"stop={LAUSANNE}"],
                stdout=subprocess.PIPE, text=True,
            )
            for latency in (0, 40, 300)
        ]
        for latency, player in zip((0, 40, 300), players):
            output, _ = player.communicate(timeout=120)
            report = json.loads(output)
            self.assertEqual(faults(report), [], f"{latency} ms")
            self.assertEqual(player.returncode, 0)
            self.assertEqual(report["latencyMs"], latency)
            clients = {step["client"] for step in report["steps"]}
            self.assertEqual(clients, {"web", "iOS", "schema", "probes", "freshet"})
            self.assertGreaterEqual(len(report["steps"]), 20)
            # Bytes that wait in the relay cannot come earlier, however fast the machine is.
            requests = [step for step in report["steps"] if step["asked"].startswith("GET") and step["client"] in ("web", "iOS")]
            self.assertTrue(all(step["milliseconds"] >= 2 * latency for step in requests))

    def test_it_is_a_page_that_gets_204(self):
        stage = Stage(*SPEAK)
        self.addCleanup(stage.close)
        for _ in range(20):
            stage.applied(stage.trips.publish(late(trip(1), 240)))
            code, report = play(stage.server.url, *FAST, "--with", f"stop={LAUSANNE}", "--with", "polls=6")
            self.assertEqual((code, faults(report)), (0, []))
            polls = next(step["asked"] for step in report["steps"] if step["asked"].startswith("6 polls"))
            if polls == "6 polls: 6 × 204, 0 × 200":
                return
            # A full minute came between the publication and the polls: time has changed the board.
        self.fail(polls)

    def test_a_feed_as_quick_as_the_polls(self):
        """Each poll finds a newer publication: that is told apart from a server that never answers 204."""
        stage = Stage(*SPEAK)
        self.addCleanup(stage.close)

        def asked(path: str) -> str:
            # The polls of the page; what it asks beyond them comes just after a publication, once in a while.
            if "if_board=1" in path and "soon" not in path:
                asks.append(path)
                if len(asks) <= 3 or len(asks) % 3 == 0:
                    stage.publishes(late(trip(1), 240))
            return path.replace("since_rt=", spoiled) if "soon" not in path else path

        for spoiled, code in (("since_rt=", 0), ("other=", 1)):
            asks: list[str] = []
            stage.publishes(late(trip(1), 240))
            spoiler = Spoiler(stage.server.url, lambda _, *answer: answer, asked)
            self.addCleanup(spoiler.close)
            found, report = play(spoiler.url, *FAST, "--with", "polls=3", "--with", "trips=0", "--with", f"stop={LAUSANNE}")
            text = next(step["asked"] for step in report["steps"] if step["asked"].startswith("3 polls"))
            self.assertEqual(text, "3 polls: 0 × 204, 3 × 200, 3 of them newer")
            self.assertEqual(found, code, faults(report))
            if code:
                self.assertEqual(faults(report), [f"{text}: no 204, but 200 with the board that the page has, of 2 publications"])
            else:
                self.assertGreater(len(asks), 3)

    def test_a_bare_station_number_is_the_station(self):
        with Server(data(), now=BEGIN) as server:
            boards = {
                name: get(f"{server.url}/api/stationboard?stop_id={name}&limit=60")[1]
                for name in (LAUSANNE, "8501120", "8501120P", "ch:1:sloid:1120", "8501120:0:3")
            }
        keys = {name: [row["key"] for row in board["departures"]] for name, board in boards.items()}
        own = {row["stop_id"] for row in boards[LAUSANNE]["departures"]}
        self.assertIn("8501120", own, "departures without a platform have the number itself as their stop_id")
        for name in ("8501120", "8501120P", "ch:1:sloid:1120"):
            self.assertEqual(keys[name], keys[LAUSANNE], name)
            self.assertEqual(boards[name]["resolved"], {**boards[LAUSANNE]["resolved"], "source": "alias"}, name)
        # A platform's own id means the platform.
        self.assertLess(len(keys["8501120:0:3"]), len(keys[LAUSANNE]))

    def test_lines_for_people(self):
        server = Server(data(), *SPEAK)
        with server:
            answer = run("compat", server.url.removeprefix("http://"), "--as", "mesdeparts", *FAST)
        self.assertEqual(answer.returncode, 0, answer.stdout)
        lines = answer.stdout.splitlines()
        self.assertEqual(lines[0], f"mesdeparts against {server.url}")
        self.assertTrue(all(line.startswith("ok    ") for line in lines[1:-1]), answer.stdout)
        self.assertRegex(lines[-1], r"^all \d+ steps end as the client needs$")

    def test_a_server_that_is_not_there(self):
        code, report = play("http://127.0.0.1:1", *FAST)
        self.assertEqual(code, 1)
        self.assertTrue(faults(report))

    def test_options_that_cannot_be(self):
        for options in (
            ("--as", "dutch"), ("--latency-ms", "60001"), ("--pace", "0"), ("--with", "polls"), ("--with", "colour=red"),
            ("--with", "polls=many"),
        ):
            named = () if "--as" in options else ("--as", "mesdeparts")
            answer = run("compat", "http://127.0.0.1:1", *named, *options)
            self.assertEqual(answer.returncode, 64, options)
            self.assertIn(options[0] if options[0] != "--with" else options[1].split("=")[0], answer.stderr)


class Spoiler:
    """A server that passes questions on and spoils the answers."""

    def __init__(self, url: str, spoil, asked=lambda path: path):
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                fields = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "accept-encoding")}
                request = urllib.request.Request(url + asked(self.path), headers=fields)
                try:
                    answer = urllib.request.urlopen(request, timeout=60)
                except urllib.error.HTTPError as error:
                    answer = error
                with answer:
                    status, body = answer.status, answer.read()
                    kept = {
                        name.lower(): value for name, value in answer.headers.items()
                        if name.lower() not in ("content-length", "connection", "transfer-encoding", "date", "server")
                    }
                status, body, kept = spoil(self.path, status, body, kept)
                self.send_response(status)
                for name, value in kept.items():
                    self.send_header(name, value)
                if status != 204:
                    self.send_header("content-length", str(len(body)))
                self.end_headers()
                if status != 204:
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class JudgementTest(unittest.TestCase):
    """The player sees what the clients would trip over, and names it."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(data(), *SPEAK)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def spoiled(self, spoil, *options: str) -> list[str]:
        spoiler = Spoiler(self.server.url, spoil)
        self.addCleanup(spoiler.close)
        code, report = play(spoiler.url, *FAST, "--with", "polls=1", *options)
        found = faults(report)
        self.assertEqual(code, 1 if found else 0)
        return found

    def board(self, change):
        def spoil(path, status, body, fields):
            if path.startswith("/api/stationboard") and status == 200:
                board = json.loads(body)
                change(board)
                body = json.dumps(board).encode()
            return status, body, fields

        return self.spoiled(spoil)

    def assertNames(self, found: list[str], text: str):
        self.assertTrue(any(text in fault for fault in found), f"{text}: {found}")

    def test_nothing_spoiled_is_right(self):
        self.assertEqual(self.spoiled(lambda path, status, body, fields: (status, body, fields)), [])

    def test_members_of_other_types(self):
        def change(board):
            board["departures"][2]["delayMin"] = "3"
            del board["departures"][1]["cancelled"]
            board["rt"]["instance"]["pid"] = None
            board["rt"]["reason"] = "partial"

        found = self.board(change)
        self.assertNames(found, 'departures[2].delayMin: expected a whole number, found "3"')
        self.assertNames(found, "departures[1].cancelled: expected a boolean, found nothing")
        self.assertNames(found, "rt.instance.pid: expected a whole number, found null")
        self.assertNames(found, 'rt.reason: expected one of "fresh", "stale"')

    def test_instants_and_fractions(self):
        def change(board):
            board["departures"][0]["scheduledDeparture"] = "soon"
            board["meta"]["rtCacheAgeMs"] = 1.5

        found = self.board(change)
        self.assertNames(found, 'departures[0].scheduledDeparture: expected RFC 3339, found "soon"')
        self.assertNames(found, "meta.rtCacheAgeMs: expected a whole number, found 1.5")

    def test_a_closed_server(self):
        def spoil(path, status, body, fields):
            fields.pop("access-control-allow-origin", None)
            return status, body, fields

        self.assertNames(self.spoiled(spoil), "access-control-allow-origin: expected * or https://mesdeparts.ch, found nothing")

    def test_details_of_another_trip(self):
        def spoil(path, status, body, fields):
            if path.startswith("/api/connections"):
                answer = json.loads(body)
                for connection in answer["connections"]:
                    connection["sections"][0]["departure"]["departureTimestamp"] += 600
                body = json.dumps(answer).encode()
            return status, body, fields

        self.assertNames(self.spoiled(spoil), "departureTimestamp: expected")

    def test_details_that_are_missing(self):
        def spoil(path, status, body, fields):
            if path.startswith(("/api/connections", "/api/journey")):
                return 404, b'{"error":"not_found"}', fields
            return status, body, fields

        found = self.spoiled(spoil)
        self.assertNames(found, 'status: expected 200, found 404 {"error":"not_found"}')
        self.assertEqual(len(found), 4, found)

    def test_a_204_with_nothing_to_keep(self):
        def spoil(path, status, body, fields):
            if path.startswith("/api/stationboard") and "limit=20" in path:
                return 204, b"", fields
            return status, body, fields

        self.assertNames(self.spoiled(spoil), "status: expected 200, found 204")

    def test_what_is_not_json(self):
        def spoil(path, status, body, fields):
            return status, body[:-1] if path.startswith("/api/stationboard") and status == 200 else body, fields

        self.assertNames(self.spoiled(spoil), "the body is not JSON: line 1, column ")

    def test_a_terminal_is_not_steered(self):
        def spoil(path, status, body, fields):
            return 500, b"\x1b[2Jgone\xe2\x80\xae", fields

        spoiler = Spoiler(self.server.url, spoil)
        self.addCleanup(spoiler.close)
        answer = run("compat", spoiler.url, "--as", "mesdeparts", *FAST)
        self.assertEqual(answer.returncode, 1)
        self.assertIn("gone", answer.stdout)
        self.assertNotIn("\x1b", answer.stdout)
        self.assertNotIn("\u202e", answer.stdout)


class RealtimeJudgementTest(unittest.TestCase):
    """The player compares what is told twice: tokens of a 204, texts with numbers, delays with prognoses."""

    @classmethod
    def setUpClass(cls):
        cls.stage = Stage(*SPEAK)

    @classmethod
    def tearDownClass(cls):
        cls.stage.close()

    def judged(self, path_begins: str, change=None, drop: str | None = None) -> list[str]:
        """The faults of a server whose answers at an address are changed, or miss a field."""
        def spoil(path, status, body, fields):
            if drop and "since_rt=" in path and status in (200, 204):
                # Whether the board is the same is a matter of time; here every poll is told that it is.
                status, body = 204, b""
                fields["x-md-rt-fetched-at"] = "2026-11-24T07:00:00.000Z"
            if path.startswith(path_begins):
                fields.pop(drop, None)
                if change is not None and status == 200:
                    answer = json.loads(body)
                    for stop in self.stops(answer):
                        change(stop)
                    body = json.dumps(answer).encode()
            return status, body, fields

        self.stage.publishes(late(trip(1), 240))
        spoiler = Spoiler(self.stage.server.url, spoil)
        self.addCleanup(spoiler.close)
        code, report = play(spoiler.url, *FAST, "--with", f"polls={2 if drop else 0}", "--with", "trips=20",
                            "--with", f"stop={LAUSANNE}")
        found = faults(report)
        self.assertEqual(code, 1 if found else 0)
        return found

    @staticmethod
    def stops(answer: dict) -> list[dict]:
        """The stops of connections and journeys."""
        sections = [section for each in answer.get("connections", []) for section in each["sections"]]
        journeys = [section["journey"] for section in sections] + ([answer["journey"]] if "journey" in answer else [])
        return [stop for journey in journeys for stop in journey["passList"]] + [section["departure"] for section in sections]

    def test_each_of_several_publications_at_once_is_seen(self):
        with ThreadPoolExecutor(4) as pool:
            boards = list(pool.map(lambda _: self.stage.publishes(late(trip(1), 240)), range(8)))
        self.assertGreaterEqual(len({board.meta["rtFetchedAt"] for board in boards}), 8)

    def test_nothing_spoiled_is_right_and_a_row_is_late(self):
        self.assertEqual(self.judged("/none"), [])
        board = get(f"{self.stage.server.url}/api/stationboard?stop_id={LAUSANNE}&limit=60")[1]
        self.assertIn(4, [row["delayMin"] for row in board["departures"]])

    def test_a_204_without_the_next_token(self):
        self.assertEqual(self.judged("/api/stationboard", drop="x-none"), [])
        found = self.judged("/api/stationboard", drop="x-md-rt-fetched-at")
        self.assertTrue(found and all("x-md-rt-fetched-at: expected the instant" in fault for fault in found), found)
        found = self.judged("/api/stationboard", drop="access-control-expose-headers")
        self.assertTrue(found and all("access-control-expose-headers: expected x-md-rt-fetched-at" in fault for fault in found), found)

    def test_times_that_contradict_their_numbers(self):
        def other_zone(stop):
            stop["departure"] = stop["departure"] and stop["departure"].replace("+0100", "+0200")

        for address, times in (("/api/connections", other_zone), ("/api/journey", other_zone)):
            found = self.judged(address, times)
            self.assertTrue(any("].departureTimestamp: expected" in fault for fault in found), found)
        found = self.judged("/api/journey", lambda stop: stop.update(arrival=stop["arrival"] and "soon"))
        self.assertTrue(any('].arrival: expected a local time with its offset, found "soon"' in fault for fault in found), found)

    def test_a_prognosis_that_is_missing_or_another(self):
        found = self.judged("/api/connections", lambda stop: stop.update(delay=stop["delay"] and stop["delay"] + 3))
        self.assertTrue(any("].delay: expected 4 min as the prognosis has it, found 7" in fault for fault in found), found)
        found = self.judged("/api/connections", lambda stop: stop.update(prognosis=None, delay=None))
        self.assertTrue(any("prognosis.departure: expected" in fault and "found nothing" in fault for fault in found), found)


class TokenTest(unittest.TestCase):
    """since_rt with either of the two instants of a board."""

    def ask(self, stage: Stage, token: str):
        return stage.ask(f"{BOARD}&lang=fr&if_board=1&since_rt={urllib.parse.quote(token)}")

    def tokens(self, answer) -> dict[str, str]:
        rt = answer.board["rt"]
        return {"own": answer.meta["rtFetchedAt"], "page": rt["cacheFetchedAt"], "arrival": rt["cacheFetchedAt"]}

    def test_the_page_gets_as_many_204_as_our_own(self):
        stage = Stage(*SPEAK)
        self.addCleanup(stage.close)
        stage.applied(stage.trips.publish(late(trip(1), 60)))
        first = stage.ask(f"{BOARD}&lang=fr")
        held = self.tokens(first)
        self.assertNotEqual(held["own"], held["page"], "the two instants of a board are not the same")
        rounds = {name: [] for name in held}
        # Polls, with publications between some of them: one that changes the board, one that changes nothing in it.
        for number in range(16):
            if number % 4 == 2:
                stage.applied(stage.trips.publish(late(trip(1), 60 + 60 * (number // 8))))
            for name in held:
                answer = self.ask(stage, held[name])
                rounds[name].append(answer.status)
                if answer.status == 200:
                    held[name] = self.tokens(answer)[name]
                elif name == "page":
                    # The page takes the next token from the field.
                    held[name] = answer["x-md-rt-fetched-at"]
        self.assertEqual(rounds["page"], rounds["own"])
        self.assertEqual(rounds["arrival"], rounds["own"])
        self.assertGreaterEqual(rounds["own"].count(204), 8)
        self.assertGreaterEqual(rounds["own"].count(200), 2)

    def test_an_arrival_from_before_a_change_is_not_a_token(self):
        stage = Stage(*SPEAK)
        self.addCleanup(stage.close)
        stage.applied(stage.trips.publish(late(trip(1), 60)))
        old = stage.board().board["rt"]["cacheFetchedAt"]
        self.assertEqual(self.ask(stage, old).status, 204)
        stage.applied(stage.trips.publish(late(trip(1), 600)))
        answer = self.ask(stage, old)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.departure(trip(1))["rawDelaySec"], 600)
        # An instant near one of the two does not match.
        rt = answer.board["rt"]
        for text in (rt["cacheFetchedAt"], rt["fetchedAt"]):
            milliseconds = round(instant(text) * 1000)
            self.assertEqual(self.ask(stage, str(milliseconds)).status, 204)
            self.assertEqual(self.ask(stage, str(milliseconds + 1)).status, 200)

    def test_without_the_dialect_one_instant_counts(self):
        stage = Stage()
        self.addCleanup(stage.close)
        stage.applied(stage.trips.publish(late(trip(1), 60)))
        rt = stage.board().board["rt"]
        self.assertEqual(self.ask(stage, rt["fetchedAt"]).status, 204)
        self.assertEqual(self.ask(stage, rt["cacheFetchedAt"]).status, 200)


class DetailsTest(unittest.TestCase):
    """Connections and journeys as views of trips."""

    def rows(self, url: str, stop: str = LAUSANNE, more: str = "") -> list[dict]:
        status, board, _ = get(f"{url}/api/stationboard?stop_id={stop}&limit=60&lang=fr{more}")
        self.assertEqual(status, 200)
        return board["departures"]

    def connections(self, url: str, row: dict, stop: str = LAUSANNE, limit: int = 16) -> list[dict]:
        date, time = local(instant(row["scheduledDeparture"]))
        query = urllib.parse.urlencode(
            {"from": stop, "to": row["destination"], "date": date, "time": time, "limit": limit}
        )
        status, answer, _ = get(f"{url}/api/connections?{query}")
        self.assertEqual(status, 200)
        self.assertLessEqual(len(answer["connections"]), limit)
        return answer["connections"]

    def compare(self, url: str, row: dict, stop: str = LAUSANNE) -> dict:
        """Finds the trip of a row, and compares its stops with those of the native answer."""
        scheduled = instant(row["scheduledDeparture"])
        found = [
            connection["sections"][0] for connection in self.connections(url, row, stop)
            if connection["sections"][0]["journey"]["id"] == row["trip_id"]
            and connection["sections"][0]["departure"]["departureTimestamp"] == scheduled
        ]
        self.assertEqual(len(found), 1, row["key"])
        section = found[0]
        journey = section["journey"]
        self.assertEqual((journey["category"], journey["number"]), (row["category"], row["number"]))
        self.assertEqual(journey["operator"], row["operator"])
        query = urllib.parse.urlencode({"service_date": row["serviceDate"], "lang": "fr"})
        trip_id = urllib.parse.quote(row["trip_id"], safe="")
        status, native, _ = get(f"{url}/api/trips/{trip_id}?{query}")
        self.assertEqual(status, 200)
        begin = next(
            place for place, call in enumerate(native["stops"])
            if call["stop_id"] == row["stop_id"] and call["scheduledDeparture"] and instant(call["scheduledDeparture"]) == scheduled
        )
        calls = journey["passList"]
        self.assertEqual(calls[0]["station"]["id"], stop)
        self.assertEqual(section["departure"], calls[0])
        self.assertEqual(section["arrival"], calls[-1])
        for call, own in zip(calls, native["stops"][begin:]):
            for name, member in (("arrival", "Arrival"), ("departure", "Departure")):
                planned, known = own[f"scheduled{member}"], own[f"realtime{member}"]
                self.assertEqual(call[f"{name}Timestamp"], planned and instant(planned))
                self.assertEqual(call[name] and instant(call[name]), planned and instant(planned))
                self.assertEqual(
                    call["prognosis"][name] and instant(call["prognosis"][name]), known and instant(known)
                )
                if call[name]:
                    # The clocks of the place, with their offset.
                    at = datetime.fromtimestamp(instant(planned), ZURICH)
                    self.assertEqual(call[name], f"{at:%Y-%m-%dT%H:%M:%S%z}")
        for call, own in zip(calls[1:], native["stops"][begin + 1:]):
            self.assertEqual(call["station"]["id"], own["stationId"])
        return section

    def test_every_row_of_a_board_has_its_trip(self):
        with Server(data(), *SPEAK) as server:
            rows = self.rows(server.url)
            self.assertGreater(len(rows), 30)
            for row in rows:
                section = self.compare(server.url, row)
                self.assertGreaterEqual(len(section["journey"]["passList"]), 2)

    def test_the_night_in_which_an_hour_comes_twice(self):
        with Server(data(), *SPEAK, now="2026-10-24T23:45:00Z") as server:
            rows = self.rows(server.url, more="&window_minutes=300")
            self.assertTrue(rows)
            for row in rows:
                self.compare(server.url, row)

    def test_realtime_is_in_it(self):
        stage = Stage(*SPEAK)
        self.addCleanup(stage.close)
        at = stage.trips.publish(late(trip(1), 240), late(trip(2), 60, platform="5"), cancelled(trip(3)))
        stage.applied(at)
        url = stage.server.url
        rows = {row["trip_id"]: row for row in self.rows(url)}
        first = self.compare(url, rows[trip(1)])["departure"]
        self.assertEqual(first["delay"], 4)
        self.assertEqual(
            instant(first["prognosis"]["departure"]), instant(rows[trip(1)]["realtimeDeparture"])
        )
        second = self.compare(url, rows[trip(2)])["departure"]
        self.assertEqual(second["prognosis"]["platform"], rows[trip(2)]["platform"])
        third = self.compare(url, rows[trip(3)])
        self.assertTrue(third["journey"]["cancelled"])

    def test_two_stops_are_named(self):
        with Server(data(), *SPEAK) as server:
            row = next(row for row in self.rows(server.url) if row["category"] == "IC")
            whole = self.compare(server.url, row)["journey"]["passList"]
            self.assertGreater(len(whole), 3)
            between = whole[2]["station"]
            for target in (between["name"], between["id"]):
                connections = self.connections(server.url, {**row, "destination": target})
                same = [c for c in connections if c["sections"][0]["journey"]["id"] == row["trip_id"]]
                self.assertEqual(len(same), 1)
                calls = same[0]["sections"][0]["journey"]["passList"]
                self.assertEqual(calls, whole[:3])
                self.assertEqual(same[0]["to"]["station"], between)
            # By the name of the stop, as the page asks the second time.
            named = self.connections(server.url, row, stop="Lausanne")
            self.assertIn(row["trip_id"], [c["sections"][0]["journey"]["id"] for c in named])

    def test_a_whole_journey(self):
        with Server(data(), *SPEAK) as server:
            row = self.rows(server.url)[0]
            query = urllib.parse.urlencode({"id": row["trip_id"], "passlist": 1})
            status, answer, fields = get(f"{server.url}/api/journey?{query}", Origin=ORIGIN)
            self.assertEqual(status, 200)
            self.assertEqual(fields["access-control-allow-origin"], "*")
            native = get(f"{server.url}/api/trips/{urllib.parse.quote(row['trip_id'], safe='')}")[1]
            names = [call["station"]["name"] for call in answer["journey"]["passList"]]
            self.assertEqual(names, [call["name"] for call in native["stops"]])

    def test_what_is_wrong(self):
        with Server(data(), *SPEAK) as server:
            for path, status, error in (
                ("/api/connections", 400, "missing_from_to"), ("/api/connections?from=8501120", 400, "missing_from_to"),
                ("/api/connections?from=&to=x", 400, "missing_from_to"),
                (f"/api/connections?from={LAUSANNE}&to=x&date=today", 400, "invalid_parameter"),
                (f"/api/connections?from={LAUSANNE}&to=x&time=25:00", 400, "invalid_parameter"),
                (f"/api/connections?from={LAUSANNE}&to=x&limit=some", 400, "invalid_parameter"),
                ("/api/journey", 400, "missing_id"), ("/api/journey?id=none", 404, "trip_not_found"),
                (f"/api/journey?id={'x' * 300}", 400, "invalid_parameter"),
            ):
                answer = get(server.url + path, Origin=ORIGIN)
                self.assertEqual((answer[0], answer[1]["error"]), (status, error), path)
                self.assertEqual(answer[2]["access-control-allow-origin"], "*")
            # An unknown stop is an empty answer: the page asks again, with the name.
            for place in ("Parent0000000", "Nowhere", "x" * 300):
                status, answer, _ = get(f"{server.url}/api/connections?from={place}&to=x")
                self.assertEqual((status, answer["connections"]), (200, []))

    def test_pages_of_other_origins(self):
        with Server(data(), *SPEAK) as server:
            for path in ("/api/connections", "/api/journey", "/api/stationboard"):
                status, _, fields = get(
                    server.url + path, "OPTIONS", Origin=ORIGIN, Access_Control_Request_Method="GET"
                )
                self.assertEqual(status, 204)
                self.assertEqual(fields["access-control-allow-origin"], "*")
                self.assertIn("GET", fields["access-control-allow-methods"])

    def test_the_older_search(self):
        with Server(data(), *SPEAK) as server:
            new = get(f"{server.url}/api/stops/search?q=lausanne")[1]
            self.assertEqual(get(f"{server.url}/api/search?q=lausanne")[1], new)


class WithoutTest(unittest.TestCase):
    """Without the option the dialect is not served, and with it the native API is unchanged."""

    @classmethod
    def setUpClass(cls):
        # Time alone does not change the few departures of Lausanne then.
        cls.plain = Server(data(), now=BEGIN)
        cls.speaking = Server(data(), *SPEAK, now=BEGIN)

    @classmethod
    def tearDownClass(cls):
        for server in (cls.plain, cls.speaking):
            server.__exit__()

    def test_there_is_nothing(self):
        for path in ("/api/connections?from=a&to=b", "/api/journey?id=x", "/api/search?q=lausanne"):
            self.assertEqual(get(self.plain.url + path)[0], 404, path)
        _, board, _ = get(self.plain.url + BOARD)
        self.assertTrue(all("debug" not in row for row in board["departures"]))
        self.assertIsNone(board["rt"]["instance"]["pid"])
        code, report = play(self.plain.url, *FAST, "--with", "polls=0")
        self.assertEqual(code, 1)
        found = "\n".join(faults(report))
        for wanted in ("expected 200, found 404", "rt.instance.pid: expected a whole number", "debug: expected an object"):
            self.assertIn(wanted, found)

    def test_native_answers_are_the_same(self):
        def shape(value):
            if isinstance(value, dict):
                return {name: shape(member) for name, member in value.items()}
            if isinstance(value, list):
                return [shape(element) for element in value]
            return type(value).__name__

        def content(board):
            return [board["station"], board["departures"], board["banners"], board["noService"], board["resolved"]]

        trips = get(self.plain.url + BOARD)[1]["departures"][0]["trip_id"]
        for path in (
            BOARD, f"{BOARD}&debug=1", "/api/stops/search?q=lausanne", "/api/stops/nearby?lat=46.5&lon=6.6",
            f"/api/trips/{urllib.parse.quote(trips, safe='')}", "/api/stationboard?stop_id=none", "/health",
        ):
            plain, speaking = get(self.plain.url + path), get(self.speaking.url + path)
            self.assertEqual(plain[0], speaking[0], path)
            if "departures" in speaking[1]:
                for row in speaking[1]["departures"]:
                    self.assertEqual(row.pop("debug")["source"], "scheduled")
                speaking[1]["rt"]["instance"] = plain[1]["rt"]["instance"]
                self.assertEqual(content(plain[1]), content(speaking[1]))
            self.assertEqual(shape(plain[1]), shape(speaking[1]), path)
            different = {"date", "etag", "x-md-request-id", "x-request-id", "x-md-backend-total-ms", "content-length"}
            fields = [{n: v for n, v in each[2].items() if n not in different} for each in (plain, speaking)]
            self.assertEqual(*fields)


class AliasTest(unittest.TestCase):
    """Ids and names of the original feed, from a file."""

    #: Those of the app, which the repository has.
    APP = Path(__file__).resolve().parents[2] / "Examples/MesDeparts/aliases.csv"
    #: The stations of the app's aliases.
    PLACES = {
        "8503000": "Zürich HB", "8587057": "Genève, gare Cornavin", "8506302": "St. Gallen",
        "8587387": "Genève, Bel-Air", "8501008": "Genève",
    }

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)

    def file(self, text: str) -> str:
        path = self.folder / "aliases.csv"
        path.write_text(text)
        return str(path)

    def data(self, aliases: str) -> str:
        """A data folder of the sample network, with its aliases and the stations of the app's."""
        sample(self.folder / "feed")
        stops = self.folder / "feed/stops.txt"
        names = stops.read_text().splitlines()[0].split(",")
        known = {row[names.index("stop_id")].removeprefix("Parent") for row in csv.reader(stops.open())}
        with stops.open("a") as file:
            for number, (stop, name) in enumerate(self.PLACES.items()):
                if stop in known:
                    continue
                row = {"stop_id": f"Parent{stop}", "stop_name": name, "stop_lat": "47.1", "stop_lon": f"8.{number}",
                       "location_type": "1"}
                csv.writer(file, lineterminator="\n").writerow([row.get(each, "") for each in names])
        answer = run("import", str(self.folder / "feed"), "--data", str(self.folder / "data"), "--aliases", aliases)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return str(self.folder / "data")

    def test_each_is_asked_for_like_its_stop(self):
        file = self.file(f"alias,stop_id\nch:1:sloid:old:77,{LAUSANNE}\nLozanna,{LAUSANNE}\nnowhere,Parent0000000\n")
        with Server(self.data(file), *SPEAK) as server:
            wanted = get(f"{server.url}/api/stationboard?stop_id={LAUSANNE}")[1]
            for query in ("stop_id=ch:1:sloid:old:77", "stationId=ch:1:sloid:old:77", "stationName=LOZANNA", "stop_id=Lozanna", "stop_id=LOZANNA"):
                status, board, _ = get(f"{server.url}/api/stationboard?{query}")
                self.assertEqual(status, 200, query)
                self.assertEqual(board["departures"], wanted["departures"])
                self.assertEqual(board["resolved"]["source"], "alias")
            # Two names of one place do not conflict.
            both = get(f"{server.url}/api/stationboard?stop_id=Lozanna&stationId={LAUSANNE}")
            self.assertEqual(both[0], 200)
            row = wanted["departures"][0]
            query = urllib.parse.urlencode({"from": "lozanna", "to": row["destination"], "date": "2026-11-24", "time": "08:00"})
            self.assertTrue(get(f"{server.url}/api/connections?{query}")[1]["connections"])
            self.assertEqual(get(f"{server.url}/api/stationboard?stop_id=nowhere")[0], 404)
            # The same file answers the search.
            self.assertEqual(get(f"{server.url}/api/stops/search?q=lozana")[1]["stops"][0]["stop_id"], LAUSANNE)

    def test_those_of_the_app(self):
        rows = list(csv.DictReader(self.APP.open()))
        self.assertEqual((len(rows), {row["stop_id"] for row in rows}), (26, set(self.PLACES)))
        with Server(self.data(str(self.APP)), *SPEAK) as server:
            for row in rows:
                query = urllib.parse.quote(row["alias"])
                for place in (f"stationName={query}", f"stop_id={query}"):
                    status, board, _ = get(f"{server.url}/api/stationboard?{place}")
                    self.assertEqual((status, board["resolved"]["canonicalId"]), (200, f"Parent{row['stop_id']}"), row)
                first = get(f"{server.url}/api/stops/search?q={query}")[1]["stops"][0]
                self.assertEqual(first["stop_id"], f"Parent{row['stop_id']}", row)

    def test_a_file_that_cannot_be_used(self):
        sample(self.folder / "feed")
        long = self.folder / "long.csv"
        long.write_text("alias,stop_id\n" + "x" * 257 + ",1\n")
        for file, wanted in ((self.file("a,b\n1,2\n"), "alias"), (str(self.folder / "none.csv"), "none.csv"),
                             (str(long), "256")):
            answer = run("import", str(self.folder / "feed"), "--data", str(self.folder / "data"), "--aliases", file)
            self.assertEqual(answer.returncode, 66 if "none" in wanted else 65)
            self.assertIn(wanted, answer.stderr)


if __name__ == "__main__":
    unittest.main()
