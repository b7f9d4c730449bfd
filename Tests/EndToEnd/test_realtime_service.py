"""What a board's answer travels in: /health, debug, HEAD, gzip, /metrics."""

import gzip
import http.client
import json
import os
import re
import time
import unittest

from realtime_stage import (
    BOARD, LAUSANNE, LONGEST, STRONG_TAG, Stage, alert, ask, instant, late,
    load_side_by_side as load_tests, trip, wait_for,
)

STREAM = BOARD.replace("?", "/stream?")
VARIES = {"Date", "x-md-request-id", "x-md-rt-age-ms", "x-md-rt-poll-age-ms",
          "x-md-rt-last-poll-at", "x-md-backend-total-ms", "Content-Length"}
"""Fields that differ from answer to answer; the length does with the numbers in the body."""
LINE = re.compile(
    r'([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\.)*",?)*\})? (\S+)( \d+)?'
)
"""A sample in Prometheus' text format."""


class ServiceTest(unittest.TestCase):
    """Common ground: a stage with one publication of each kind in use."""

    def stage(self, *options, **more):
        stage = Stage(*options, alerts=True, **more)
        self.addCleanup(stage.close)
        stage.alerts.publish(alerts=[alert({"de": "Bauarbeiten"}, stop=LAUSANNE)])
        stage.shows(lambda a: a.meta["alertsStatus"] == "applied")
        stage.trips.last = int(stage.now())
        self.at = stage.trips.publish(late(trip(2), 180), late("no-such-trip", 60))
        stage.shows(lambda a: a.meta["responseMode"] == "full")
        return stage


class TurnsTest(ServiceTest):
    """While several clients ask, each has a few requests that run."""

    def connect(self, stage) -> http.client.HTTPConnection:
        """A connection of another client than the stage's own."""
        line = http.client.HTTPConnection("127.0.0.1", stage.port, timeout=LONGEST, source_address=("127.0.0.2", 0))
        self.addCleanup(line.close)
        return line

    def test_requests_that_wait_for_news_keep_no_other_of_their_client_waiting(self):
        stage = self.stage()
        tag = stage.board()["ETag"]
        # More than run at a time, each for as long as a request may wait.
        for _ in range((os.cpu_count() or 1) + 2):
            line = self.connect(stage)
            line.request("GET", BOARD, headers={"If-None-Match": tag, "Prefer": "wait=55"})
        wait_for(lambda: re.search(r"^freshet_waiting (\d+)", stage.ask("/metrics").body.decode(), re.M)[1] != "0", "a wait")
        answer = ask(stage.port, BOARD, connection=self.connect(stage))
        self.assertEqual(answer.status, 200)
        self.assertLess(answer.took, 40)

    def test_every_request_of_a_client_with_many_is_answered(self):
        """Also those behind one whose client is gone."""
        stage = self.stage()
        stage.board()
        lines = [self.connect(stage) for _ in range(24)]
        for number, line in enumerate(lines):
            line.request("GET", f"{BOARD}&window_minutes={300 + number}&debug=1")
        for line in lines[::3]:
            line.close()
        for number, line in enumerate(lines):
            if number % 3:
                answer = line.getresponse()
                self.assertEqual((answer.status, bool(answer.read())), (200, True))
        self.assertEqual(ask(stage.port, BOARD, connection=self.connect(stage)).status, 200)


class HealthTest(ServiceTest):
    """/health, and debug=1."""

    def test_health(self):
        stage = self.stage()
        answer = stage.ask("/health")
        health = json.loads(answer.body)
        self.assertEqual(answer.status, 200)
        self.assertEqual((health["ok"], health["status"]), (True, "ok"))
        self.assertEqual(health["port"], stage.port)
        self.assertTrue(health["ENABLE_RT"])
        self.assertFalse(health["hasToken"])
        self.assertIn("no-store", answer["Cache-Control"])
        self.assertLess(abs(instant(health["serverTime"]) - stage.now()), 20)

    def test_a_source_in_trouble_does_not_make_the_server_unhealthy(self):
        """Boards are served: restarting the server would not help."""
        stage = self.stage()
        stage.trips.fail("500 Internal Server Error")
        stage.shows(lambda a: "500" in (a.board["rt"]["lastError"] or ""))
        answer = stage.ask("/health")
        self.assertEqual(answer.status, 200)
        self.assertTrue(json.loads(answer.body)["ok"])

    def test_a_feed_that_matches_nothing_is_said_and_a_feed_that_matches_ends_that(self):
        stage = self.stage()
        for updates, status, realtime, counts in (
            ([late("gone", 60), late("gone-too", 60)], "degraded", "matches_nothing", (2, 0)),
            ([late("gone", 60), late(trip(2), 60)], "ok", "ok", (2, 1)),
        ):
            # A publication of much fewer trips is not believed at once: these have as many.
            at = stage.trips.publish(*updates)
            stage.shows(lambda a: instant(a.meta["rtFetchedAt"]) == at)
            answer = stage.ask("/health")
            health = json.loads(answer.body)
            said = health["feeds"][0]["realtime"]
            self.assertEqual((answer.status, health["ok"], health["status"]), (200, True, status))
            self.assertEqual((said["status"], said["tripUpdates"], said["matched"]), (realtime, *counts))
            self.assertEqual(said["withoutEffect"], {"unknown_trip": counts[0] - counts[1]})
            metrics = stage.ask("/metrics").body.decode()
            self.assertRegex(metrics, rf'without_effect\w*{{[^}}]*reason="unknown_trip"[^}}]*}} {counts[0] - counts[1]}\n')

    def test_debug(self):
        stage = self.stage()
        debug = stage.board("&debug=1").board["debug"]
        self.assertEqual(debug["stopResolution"]["canonicalId"], LAUSANNE)
        counted = debug["rt"]["tripUpdates"]
        self.assertEqual((counted["applied"], counted["unmatched"]), (1, 1))
        self.assertEqual(debug["rt"]["alerts"]["alerts"], 1)
        self.assertNotIn("debug", stage.board().board)
        self.assertNotIn("debug", stage.board("&debug=0").board)

    def test_debug_answers_are_always_whole(self):
        """They are requested by hand and are part of no stored copy."""
        stage = self.stage()
        answer = stage.board("&debug=1")
        again = stage.ask(BOARD + "&debug=1", if_none_match=answer["ETag"])
        self.assertEqual(again.status, 200)
        self.assertIn("debug", again.board)

    def test_debug_says_which_steps_were_left_out(self):
        stage = Stage("--slow", "realtime=4900")
        self.addCleanup(stage.close)
        debug = stage.board("&debug=1").board["debug"]
        self.assertTrue(debug["latencySafe"]["degradedMode"])
        self.assertIn("rt_apply_skipped_budget", debug["latencySafe"]["degradedReasons"])


class HeadTest(ServiceTest):
    """HEAD is GET without a body."""

    def test_head_has_the_fields_of_get(self):
        stage = self.stage()
        for path in (BOARD, "/health", "/metrics", "/version.json"):
            get, head = stage.ask(path), stage.ask(path, method="HEAD")
            self.assertEqual(head.status, get.status, path)
            self.assertEqual(head.body, b"")
            names = {name.lower() for name in VARIES}
            for name, value in get.fields:
                if name.lower() not in names:
                    self.assertEqual(head[name], value, f"{path} {name}")
            if head["Content-Length"] is not None and path != "/metrics":
                self.assertAlmostEqual(int(head["Content-Length"]), len(get.body), delta=60)

    def test_head_is_conditional(self):
        stage = self.stage()
        tag = stage.board()["ETag"]
        answer = stage.ask(BOARD, method="HEAD", if_none_match=tag)
        self.assertEqual((answer.status, answer.body), (304, b""))

    def test_head_of_a_stream_ends_and_leaves_nothing(self):
        stage = self.stage()
        for _ in range(5):
            answer = stage.ask(STREAM, method="HEAD", timeout=60)
            self.assertEqual((answer.status, answer.body), (200, b""))
            self.assertEqual(answer["Content-Type"].split(";")[0], "text/event-stream")
        wait_for(lambda: Metrics(stage)["freshet_waiting"] == 0, "no waiters")

    def test_other_methods_are_refused(self):
        stage = self.stage()
        for method in ("POST", "PUT", "DELETE"):
            answer = stage.ask(BOARD, method=method)
            self.assertIn(answer.status, (404, 405), method)
            self.assertIn("error", answer.board)


class GzipTest(ServiceTest):
    """Boards compressed, for clients that accept it."""

    PATH = f"/api/stationboard?stop_id={LAUSANNE}&limit=60"

    def test_boards_are_compressed_for_those_who_ask(self):
        stage = self.stage()
        plain = stage.ask(self.PATH)
        self.assertIsNone(plain["Content-Encoding"])
        for accepted in ("gzip", "gzip, deflate, br", "br;q=1.0, gzip;q=0.5", "x-gzip", "*"):
            answer = stage.ask(self.PATH, accept_encoding=accepted)
            if accepted in ("x-gzip", "*") and answer["Content-Encoding"] is None:
                continue
            self.assertEqual(answer["Content-Encoding"], "gzip", accepted)
            board = json.loads(gzip.decompress(answer.body))
            self.assertEqual(board["departures"], plain.departures)
            self.assertLess(len(answer.body), len(plain.body) / 4)
            self.assertEqual(int(answer["Content-Length"]), len(answer.body))
            self.assertIn("accept-encoding", answer["Vary"].lower())

    def test_clients_do_not_get_what_they_refuse(self):
        stage = self.stage()
        for accepted in ("gzip;q=0", "identity", "", "br", "*;q=0, identity", "gzip;q=0.0", "gzipped"):
            answer = stage.ask(self.PATH, accept_encoding=accepted)
            self.assertIsNone(answer["Content-Encoding"], accepted)
            self.assertIn("accept-encoding", answer["Vary"].lower())

    def test_tags_of_compressed_boards(self):
        """Other bytes have another strong tag (RFC 9110 section 8.8.3.3); both answer to 304."""
        stage = self.stage()
        plain = stage.ask(self.PATH)
        packed = stage.ask(self.PATH, accept_encoding="gzip")
        self.assertNotEqual(packed["ETag"], plain["ETag"])
        self.assertRegex(packed["ETag"], f"^{STRONG_TAG.pattern}$")
        for tag, accepted in ((packed["ETag"], "gzip"), (plain["ETag"], "identity")):
            answer = stage.ask(self.PATH, if_none_match=tag, accept_encoding=accepted)
            self.assertEqual((answer.status, answer.body), (304, b""))
            self.assertEqual(answer["ETag"], tag)
            self.assertIsNone(answer["Content-Encoding"])
        # A copy in one form does for a client that now asks for the other: it sees the same.
        for tag in (packed["ETag"], plain["ETag"], f'"x", W/{packed["ETag"]}'):
            for accepted in ("gzip", "identity"):
                answer = stage.ask(self.PATH, if_none_match=tag, accept_encoding=accepted)
                self.assertEqual(answer.status, 304, (tag, accepted))
        stage.trips.publish(late(trip(2), 300))
        stage.shows(lambda a: a.departure(trip(2))["rawDelaySec"] == 300)
        for tag in (packed["ETag"], plain["ETag"]):
            answer = stage.ask(self.PATH, if_none_match=tag, accept_encoding="gzip")
            self.assertEqual(answer.status, 200)

    def test_the_tag_of_a_compressed_board_waits_too(self):
        stage = self.stage()
        tag = stage.ask(self.PATH, accept_encoding="gzip")["ETag"]
        answer = stage.ask(self.PATH, if_none_match=tag, prefer="wait=1", accept_encoding="gzip")
        self.assertEqual(answer.status, 304)
        self.assertGreaterEqual(answer.took, 0.95)

    def test_the_tag_of_a_compressed_board_resumes_a_stream(self):
        stage = self.stage()
        tag = stage.ask(BOARD, accept_encoding="gzip")["ETag"]
        stream = stage.stream(last=tag)
        self.addCleanup(stream.close)
        stage.trips.publish(late(trip(2), 300))
        self.assertEqual(stream.next("change", "snapshot", "reset").name, "change")

    def test_streams_are_never_compressed(self):
        """A compressor would hold events back."""
        stage = self.stage()
        stream = stage.stream(accept_encoding="gzip, deflate")
        self.addCleanup(stream.close)
        self.assertIsNone(stream.answer.getheader("Content-Encoding"))
        self.assertEqual(stream.next().name, "snapshot")

    def test_head_of_a_compressed_board(self):
        stage = self.stage()
        answer = stage.ask(self.PATH, method="HEAD", accept_encoding="gzip")
        self.assertEqual((answer.status, answer.body), (200, b""))
        self.assertEqual(answer["ETag"], stage.ask(self.PATH, accept_encoding="gzip")["ETag"])

    def test_errors_may_be_compressed_but_stay_errors(self):
        stage = self.stage()
        answer = stage.ask("/api/stationboard?stop_id=nowhere", accept_encoding="gzip")
        body = gzip.decompress(answer.body) if answer["Content-Encoding"] else answer.body
        self.assertEqual(answer.status, 404)
        self.assertEqual(json.loads(body)["error"], "stop_not_found")


class Metrics(dict):
    """The samples of /metrics by their name with labels; the format is checked on the way."""

    def __init__(self, stage):
        super().__init__()
        answer = stage.ask("/metrics")
        assert answer.status == 200, answer.body
        self.content_type = answer["Content-Type"]
        self.kinds: dict[str, str] = {}
        text = answer.body.decode("utf-8")
        assert text.endswith("\n")
        families: list[str] = []
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                _, _, name, kind = line.split(" ")
                assert name not in self.kinds, f"a second TYPE of {name}"
                assert kind in {"counter", "gauge", "histogram", "summary", "untyped"}
                self.kinds[name] = kind
                families.append(name)
            elif not line.startswith("#") and line:
                found = LINE.fullmatch(line)
                assert found, f"no sample: {line}"
                name, labels, value, _ = found.groups()
                family = re.sub(r"_(bucket|sum|count)$", "", name)
                assert families and families[-1] in (name, family), f"{name} is elsewhere"
                key = name + (labels or "")
                assert key not in self, f"{key} twice"
                self[key] = float(value)

    def of(self, name: str) -> dict[str, float]:
        """All samples of a name."""
        return {key: value for key, value in self.items() if key.split("{")[0] == name}


class MetricsTest(ServiceTest):
    """/metrics, for Prometheus."""

    def test_the_format(self):
        metrics = Metrics(self.stage())
        self.assertRegex(metrics.content_type, r"^text/plain; version=0\.0\.4")
        for name, kind in metrics.kinds.items():
            self.assertEqual(kind == "counter", name.endswith("_total"), name)

    def test_answers_are_counted_by_kind(self):
        stage = self.stage()
        answer = stage.board()
        before = Metrics(stage)
        stage.ask(BOARD, if_none_match=answer["ETag"])
        stage.ask(f"{BOARD}&if_board=1&since_rt={answer.meta['rtFetchedAt']}")
        stage.board()
        stage.ask("/api/stationboard?stop_id=Parent8503000&limit=3")
        after = Metrics(stage)

        def grown(kind):
            key = f'freshet_boards_total{{answer="{kind}"}}'
            return after[key] - before[key]

        self.assertEqual(grown("not_modified"), 1)
        self.assertEqual(grown("no_content"), 1)
        self.assertEqual(grown("reused") + grown("made"), 2)
        self.assertGreaterEqual(grown("made"), 1)

    def test_who_waits_is_counted(self):
        stage = self.stage()
        streams = [stage.stream() for _ in range(3)]
        for stream in streams:
            self.addCleanup(stream.close)
            stream.next("snapshot")
        self.assertEqual(Metrics(stage)["freshet_waiting"], 3)

    def test_realtime_is_measured(self):
        """The age of what is in use, and what could not be used."""
        stage = self.stage()
        metrics = Metrics(stage)
        source = 'feed="default",kind="trip_updates"'
        age = metrics[f"freshet_realtime_age_seconds{{{source}}}"]
        self.assertLess(abs(age - (stage.now() - self.at)), 20)
        self.assertEqual(metrics[f"freshet_realtime_entities{{{source}}}"], 2)
        self.assertEqual(metrics['freshet_realtime_trips{feed="default",effect="applied"}'], 1)
        nobody = 'freshet_realtime_trips_without_effect{feed="default",reason="unknown_trip"}'
        self.assertEqual(metrics[nobody], 1)

    def test_what_sources_do_is_counted(self):
        stage = self.stage()
        before = Metrics(stage)
        stage.trips.put(b"nonsense")
        stage.shows(lambda a: a.board["rt"]["lastError"])
        stage.trips.fail("500 Internal Server Error")
        stage.shows(lambda a: "500" in (a.board["rt"]["lastError"] or ""))
        after = Metrics(stage)
        source = 'feed="default",kind="trip_updates"'

        def grown(name, **labels):
            more = "".join(f',{key}="{value}"' for key, value in labels.items())
            key = f"freshet_realtime_{name}_total{{{source}{more}}}"
            return after.get(key, 0) - before.get(key, 0)

        self.assertEqual(grown("feeds", verdict="corrupt"), 1)
        self.assertGreaterEqual(grown("polls", outcome="server_error"), 1)
        self.assertEqual(grown("polls", outcome="content"), 1)


if __name__ == "__main__":
    unittest.main()
