"""What a board says of itself: each word is reached by its cause, and by no other."""

import asyncio
import json
import re
import signal
import threading
import time
import unittest

from program import Folder
from realtime_stage import (
    ALERTS_FRESH_FOR, BOARD, FRESH_FOR, MODES, STATUSES, Stage, alert, cancelled, feed, late,
    load_side_by_side as load_tests, trip, wait_for,
)
from watching import Document, hanging, reply

SLACK = 20
"""What a busy machine may add to an answer, in seconds; what is too slow on purpose is left out, not waited for."""
STEPS = {"rt_apply_skipped_budget", "alerts_skipped_budget"}
QUIET = "/api/stationboard?stop_id=Parent8501120&limit=8&datetime=2026-11-24T02:30:00Z" \
    "&window_minutes=30"
ALERT = {"fr": "Travaux à Lausanne", "de": "Bauarbeiten in Lausanne", "en": "Works at Lausanne"}


class ModesTest(unittest.TestCase):
    """Common ground: a stage that is cleared away."""

    def stage(self, *options, **more) -> Stage:
        stage = Stage(*options, **more)
        self.addCleanup(stage.close)
        return stage

    def says(self, answer, mode, realtime, alerts="disabled", skipped=()):
        """The status words of an answer, from every place that has them."""
        self.assertEqual(answer.status, 200)
        meta = answer.meta
        self.assertIn(meta["responseMode"], MODES)
        self.assertIn(meta["rtStatus"], STATUSES)
        told = (meta["responseMode"], meta["rtStatus"], meta["alertsStatus"], meta["skippedSteps"])
        self.assertEqual(told, (mode, realtime, alerts, list(skipped)))
        self.assertEqual(answer["x-md-rt-status"], realtime)
        self.assertEqual(answer["x-md-rt-applied"], "1" if realtime == "applied" else "0")
        self.assertEqual(answer.board["rt"]["applied"], realtime == "applied")
        self.assertEqual(answer.board["alerts"]["applied"], alerts == "applied")
        self.assertIsInstance(answer.board["alerts"]["entities"], list)
        self.assertGreater(len(answer.departures), 0)


class SourceTest(ModesTest):
    """What becomes of realtime when its source is well, ill, or not there."""

    def test_no_source(self):
        stage = self.stage(trips=False)
        answer = stage.board()
        self.says(answer, "full", "disabled")
        self.assertIsNone(answer.meta["rtFetchedAt"])
        self.assertEqual(answer["x-md-rt-age-ms"], "-1")

    def test_a_source_that_has_not_answered_yet(self):
        def silent(stage):
            stage.trips.answer = hanging

        stage = self.stage(ready=silent)
        stage.trips.wait_for(1)
        answer = stage.board()
        self.says(answer, "degraded_static", "missing_cache")
        self.assertFalse(answer.board["rt"]["available"])
        # The source says nothing for as long as the longest wait of a test.
        self.assertLess(answer.took, 20, "no request waits for a source")

    def test_a_source_that_is_not_served(self):
        def dead(stage):
            stage.trips.kill()

        stage = self.stage(ready=dead)
        self.says(stage.shows(lambda a: a.board["rt"]["lastError"]), "degraded_static",
                  "missing_cache")

    def test_a_fresh_feed(self):
        stage = self.stage()
        at = stage.trips.publish(late(trip(2), 180))
        answer = stage.applied(at)
        self.says(answer, "full", "applied")
        self.assertGreater(answer.meta["rtAppliedCount"], 0)
        self.assertEqual(answer.departure(trip(2))["rawDelaySec"], 180)
        self.assertAlmostEqual(answer.meta["rtCacheAgeMs"] / 1000, answer.at - at, delta=0.01)
        self.assertAlmostEqual(answer.at, stage.now(), delta=15)
        self.assertIsNone(answer.board["rt"]["lastError"])

    def test_a_quiet_stop_is_neither_missing_nor_live(self):
        """The feed is there and fresh; that it says nothing of a stop is told by its coverage."""
        stage = self.stage()
        stage.trips.publish()
        self.says(stage.has_status("partial"), "degraded_static", "partial")
        stage.trips.publish(late("no-such-trip", 60))
        answer = stage.shows(lambda a: a.meta["rtCoverage"]["tripUpdates"] == 1)
        self.says(answer, "degraded_static", "partial")
        self.assertEqual(answer.meta["rtAppliedCount"], 0)
        self.assertEqual(answer.meta["rtCoverage"]["matched"], 0)
        self.assertEqual(answer.meta["rtCoverage"]["withoutEffect"], {"unknown_trip": 1})
        stage.trips.publish(late("no-such-trip", 60), late(trip(2), 60))
        answer = stage.has_status("applied")
        self.assertEqual([answer.meta["rtCoverage"][name] for name in ("live", "matched")], [1, 1])

    def test_a_feed_that_gets_old(self):
        """By time alone, with a source that answers all the while; delays and their age stay."""
        stage = self.stage()
        at = stage.trips.publish(late(trip(2), 180), age=FRESH_FOR - 12)
        self.says(stage.applied(at), "full", "applied")
        answer = stage.has_status("stale_cache")
        self.says(answer, "degraded_static", "stale_cache")
        self.assertGreaterEqual(answer.at + 0.001 - at, FRESH_FOR)
        self.assertGreaterEqual(answer.meta["rtCacheAgeMs"], FRESH_FOR * 1000)
        self.assertEqual(answer.departure(trip(2))["rawDelaySec"], 180)
        self.assertEqual(answer.departure(trip(2))["realtimeFreshness"], "ageing")
        stage.trips.publish(late(trip(2), 240))
        self.says(stage.has_status("applied"), "full", "applied")

    def test_an_old_feed_at_once(self):
        stage = self.stage()
        stage.trips.publish(late(trip(2), 180), age=600)
        answer = stage.has_status("stale_cache")
        self.says(answer, "degraded_static", "stale_cache")
        self.assertEqual(answer.departure(trip(2))["realtimeFreshness"], "stale")

    def test_bytes_that_are_not_a_feed(self):
        def corrupt(stage):
            stage.trips.put(b"<html>maintenance</html>")

        stage = self.stage(ready=corrupt)
        answer = stage.has_status("guarded_error")
        self.says(answer, "degraded_static", "guarded_error")
        self.assertTrue(answer.board["rt"]["lastError"])

    def test_corrupt_bytes_after_a_good_feed(self):
        """The good feed serves on; once it is old the cause is told."""
        stage = self.stage()
        at = stage.trips.publish(late(trip(2), 180), age=FRESH_FOR - 12)
        stage.applied(at)
        stage.trips.put(feed(stage.now(), [late(trip(2), 999)])[:-3])
        answer = stage.shows(lambda a: a.board["rt"]["lastError"])
        self.assertEqual(answer.departure(trip(2))["rawDelaySec"], 180)
        answer = stage.has_status("guarded_error")
        self.assertGreaterEqual(answer.at + 0.001 - at, FRESH_FOR)
        self.says(answer, "degraded_static", "guarded_error")
        self.assertEqual(answer.departure(trip(2))["rawDelaySec"], 180)

    def test_a_source_that_is_right_again_is_not_guarded(self):
        """Corrupt bytes, then the old feed again, unchanged: it is old, and nothing is wrong."""
        stage = self.stage()
        good = feed(stage.now() - FRESH_FOR + 15, [late(trip(2), 180)])
        stage.trips.put(good)
        stage.has_status("applied")
        stage.trips.put(b"\xff\xff\xff")
        stage.shows(lambda a: a.board["rt"]["lastError"])
        stage.trips.put(good)
        stage.trips.wait_for_next(2)
        answer = stage.shows(lambda a: a.meta["rtStatus"] != "applied")
        self.says(answer, "degraded_static", "stale_cache")
        self.assertIsNone(answer.board["rt"]["lastError"])

    def test_a_server_error_from_the_start(self):
        stage = self.stage()
        stage.trips.fail("500 Internal Server Error")
        answer = stage.shows(lambda a: "500" in (a.board["rt"]["lastError"] or ""))
        self.says(answer, "degraded_static", "missing_cache")

    def test_server_errors_after_a_good_feed(self):
        stage = self.stage()
        at = stage.trips.publish(late(trip(2), 180), age=FRESH_FOR - 12)
        stage.applied(at)
        stage.trips.fail("500 Internal Server Error")
        self.says(stage.shows(lambda a: "500" in (a.board["rt"]["lastError"] or "")), "full",
                  "applied")
        answer = stage.has_status("stale_cache")
        self.says(answer, "degraded_static", "stale_cache")
        self.assertEqual(answer.departure(trip(2))["rawDelaySec"], 180)
        stage.trips.publish(late(trip(2), 60))
        answer = stage.has_status("applied")
        self.assertIsNone(answer.board["rt"]["lastError"])

    def test_an_error_is_forgotten_when_the_source_says_that_nothing_changed(self):
        stage = self.stage()
        stage.applied(stage.trips.publish(late(trip(2), 180)))
        well = stage.trips.answer
        stage.trips.fail("500 Internal Server Error")
        stage.shows(lambda a: "500" in (a.board["rt"]["lastError"] or ""))
        stage.trips.answer = well
        stage.shows(lambda a: a.board["rt"]["lastError"] is None, wanted="the error's end")

    def test_a_token_that_is_missing(self):
        """The cause is told, in the answer and in /health; with the token all is well."""

        def guarded(question, line):
            if question["Authorization"] != "Bearer secret-token":
                return reply("401 Unauthorized", b"", 'WWW-Authenticate: Bearer')
            return reply("200 OK", feed(time.time() + offset[0], [late(trip(2), 90)]))

        offset = [0.0]

        def ready(stage):
            offset[0] = stage.offset
            stage.trips.answer = guarded

        stage = self.stage(ready=ready)
        answer = stage.shows(lambda a: a.board["rt"]["lastError"])
        self.says(answer, "degraded_static", "missing_cache")
        self.assertRegex(answer.board["rt"]["lastError"], "401|refuses|credential|unauthori[sz]ed")
        self.assertFalse(json.loads(stage.ask("/health").body)["hasToken"])
        other = self.stage("--feed-header", "Authorization: Bearer secret-token", ready=ready)
        answer = other.has_status("applied")
        self.says(answer, "full", "applied")
        self.assertTrue(json.loads(other.ask("/health").body)["hasToken"])
        for path in ("/health", "/metrics", BOARD + "&debug=1"):
            self.assertNotIn(b"secret-token", other.ask(path).body)

    def test_a_file_as_source(self):
        """Rewritten, broken, removed, and restored."""
        folder = Folder()
        self.addCleanup(folder.remove)
        path = folder / "updates.pb"
        stage = self.stage("--trip-updates", str(path), trips=False)
        answer = stage.shows(lambda a: a.board["rt"]["lastError"])
        self.says(answer, "degraded_static", "missing_cache")
        self.assertEqual(answer.board["rt"]["lastError"], "the source cannot be reached")

        def write(body):
            (folder / "new").write_bytes(body)
            (folder / "new").rename(path)

        write(feed(stage.now(), [late(trip(2), 180)]))
        self.says(stage.has_status("applied"), "full", "applied")
        write(b"nonsense")
        answer = stage.shows(lambda a: a.board["rt"]["lastError"])
        self.assertEqual(answer.departure(trip(2))["rawDelaySec"], 180)
        path.unlink()
        stage.shows(lambda a: "cannot be reached" in (a.board["rt"]["lastError"] or ""))
        write(feed(stage.now() + 1, [late(trip(2), 240)]))
        stage.shows(lambda a: a.departure(trip(2))["rawDelaySec"] == 240)

    def test_a_feed_in_its_json_form(self):
        stage = self.stage()
        entity = {"id": "1", "tripUpdate": {
            "trip": {"tripId": trip(2), "startDate": "20261124"},
            "stopTimeUpdate": [{"stopSequence": 1, "departure": {"delay": 240}}],
        }}
        document = {"header": {"gtfsRealtimeVersion": "2.0", "timestamp": str(int(stage.now()))},
                    "entity": [entity]}
        stage.trips.answer = Document(json.dumps(document).encode(), '"1"')
        answer = stage.has_status("applied")
        self.assertEqual(answer.departure(trip(2))["rawDelaySec"], 240)

    def test_a_source_that_asks_for_a_pause_gets_it(self):
        def limited(stage):
            stage.trips.fail("429 Too Many Requests", "Retry-After: 3")

        stage = self.stage(ready=limited)
        stage.trips.wait_for(2)
        first, second, *_ = stage.trips.questions
        self.assertGreaterEqual(second.at - first.at, 2.9)


class AlertsTest(ModesTest):
    """What becomes of alerts."""

    def test_fresh_alerts(self):
        stage = self.stage(alerts=True)
        stage.trips.publish(late(trip(2), 60))
        stage.alerts.publish(alerts=[alert(ALERT, stop="Parent8501120")])
        answer = stage.shows(lambda a: a.meta["alertsStatus"] == "applied" and
                             a.meta["rtStatus"] == "applied")
        self.says(answer, "full", "applied", "applied")
        self.assertEqual([one["header"] for one in answer.board["banners"]], [ALERT["fr"]])

    def test_alerts_that_are_not_wanted(self):
        """The feature is off for the request: not skipped, and not less than full."""
        stage = self.stage(alerts=True)
        stage.trips.publish(late(trip(2), 60))
        stage.alerts.publish(alerts=[alert(ALERT, stop="Parent8501120")])
        stage.shows(lambda a: a.board["banners"] and a.meta["rtStatus"] == "applied")
        for more in ("&include_alerts=0", "&includeAlerts=no"):
            answer = stage.board(more)
            self.says(answer, "full", "applied", "disabled")
            self.assertFalse(answer.board["alerts"]["includeRequested"])
            self.assertEqual(answer.board["banners"], [])
            self.assertEqual(answer.board["alerts"]["entities"], [])

    def test_alerts_that_have_not_come(self):
        stage = self.stage(alerts=True)
        stage.trips.publish(late(trip(2), 60))
        answer = stage.has_status("applied")
        self.says(answer, "degraded_static", "applied", "missing_cache")

    def test_alerts_that_get_old(self):
        stage = self.stage(alerts=True)
        stage.trips.publish(late(trip(2), 60))
        at = stage.alerts.publish(alerts=[alert(ALERT, stop="Parent8501120")],
                                  age=ALERTS_FRESH_FOR - 15)
        stage.shows(lambda a: a.meta["alertsStatus"] == "applied")
        answer = stage.shows(lambda a: a.meta["alertsStatus"] != "applied")
        self.assertGreaterEqual(answer.at + 0.001 - at, ALERTS_FRESH_FOR)
        self.assertEqual(answer.meta["alertsStatus"], "stale_cache")
        self.assertEqual(answer.meta["responseMode"], "degraded_static")
        self.assertEqual(len(answer.board["banners"]), 1, "old alerts are shown, as old")

    def test_alerts_that_are_not_a_feed(self):
        stage = self.stage(alerts=True)
        stage.trips.publish(late(trip(2), 60))
        stage.alerts.put(b"nonsense")
        answer = stage.shows(lambda a: a.meta["alertsStatus"] == "guarded_error" and
                             a.meta["rtStatus"] == "applied")
        self.says(answer, "degraded_static", "applied", "guarded_error")

    def test_alerts_without_trip_updates(self):
        stage = self.stage(trips=False, alerts=True)
        stage.alerts.publish(alerts=[alert(ALERT, stop="Parent8501120")])
        answer = stage.shows(lambda a: a.meta["alertsStatus"] == "applied")
        self.says(answer, "full", "disabled", "applied")

    def test_prose_cancels_nothing(self):
        stage = self.stage(alerts=True)
        stage.trips.publish(cancelled(trip(3)))
        stage.alerts.publish(alerts=[alert({"de": "Der Zug hält nicht und fällt aus"},
                                           trip=trip(2))])
        answer = stage.shows(lambda a: a.departure(trip(2))["alerts"] and
                             a.departure(trip(3))["cancelled"])
        self.assertFalse(answer.departure(trip(2))["cancelled"])


class BudgetTest(ModesTest):
    """Phases that are too slow are left out, and the answer says which."""

    def slow(self, *slow, **more):
        stage = self.stage(*(word for one in slow for word in ("--slow", one)), alerts=True, **more)
        stage.trips.publish(late(trip(2), 180))
        stage.alerts.publish(alerts=[alert(ALERT, stop="Parent8501120")])
        # Boards are slow here and may leave realtime out: the figures say when both feeds are in use.
        for kind in (b"trip_updates", b"alerts"):
            figure = b'\nfreshet_realtime_entities{feed="default",kind="' + kind + b'"} 1\n'
            wait_for(lambda: figure in stage.ask("/metrics").body, f"{kind} in use")
        return stage

    def test_slow_realtime(self):
        answer = self.slow("realtime=4900").board()
        self.says(answer, "degraded_static", "skipped_budget", "skipped_budget",
                  ["rt_apply_skipped_budget", "alerts_skipped_budget"])
        self.assertIsNone(answer.departure(trip(2))["realtimeDeparture"])
        self.assertLess(answer.took, 6 + SLACK)

    def test_slow_realtime_without_alerts(self):
        answer = self.slow("realtime=4900").board("&include_alerts=0")
        self.says(answer, "degraded_static", "skipped_budget", "disabled",
                  ["rt_apply_skipped_budget"])

    def test_slow_alerts(self):
        answer = self.slow("alerts=4900").board()
        self.says(answer, "degraded_static", "applied", "skipped_budget",
                  ["alerts_skipped_budget"])
        self.assertEqual(answer.departure(trip(2))["rawDelaySec"], 180)
        self.assertEqual(answer.board["banners"], [])

    def test_slow_but_in_time(self):
        """Slowness that fits the budget changes nothing."""
        stage = self.slow("realtime=300", "alerts=300", "timetable=300")
        answer = stage.shows(lambda a: a.meta["responseMode"] == "full")
        self.says(answer, "full", "applied", "applied")
        self.assertGreaterEqual(answer.took, 0.9)

    def test_no_time_for_the_timetable(self):
        """No copy: the timetable alone, and it says so; never an empty success."""
        answer = self.slow("timetable=6000").board()
        self.says(answer, "static_timeout_fallback", "skipped_budget", "skipped_budget",
                  ["rt_apply_skipped_budget", "alerts_skipped_budget"])
        self.assertLess(answer.took, 6 + SLACK)
        self.assertIsNone(answer["x-md-stale"])

    def test_no_time_and_nothing_to_show(self):
        answer = self.slow("timetable=6000").ask(QUIET)
        self.assertEqual(answer.status, 503)
        self.assertEqual(answer.board["error"], "timeout")
        self.assertGreaterEqual(int(answer["Retry-After"]), 1)

    def test_disabled_is_not_skipped(self):
        """What is not there cannot be left out."""
        stage = self.stage("--slow", "timetable=6000", trips=False)
        answer = stage.board()
        self.assertEqual(answer.meta["rtStatus"], "disabled")
        self.assertEqual(answer.meta["alertsStatus"], "disabled")
        self.assertEqual(answer.meta["responseMode"], "static_timeout_fallback")

    def stood_still(self, stage):
        """The answer to a request in the middle of which the server was suspended."""
        answers = []
        client = stage.begins(lambda: answers.append(stage.board()))
        stage.server.process.send_signal(signal.SIGSTOP)
        time.sleep(5)
        stage.server.process.send_signal(signal.SIGCONT)
        client.join()
        self.assertGreater(answers[0].took, 5)
        return answers[0]

    def test_a_server_that_stood_still_has_a_copy(self):
        """Time that is over is over, whatever took it: the last board is shown as what it is."""
        stage = self.slow("timetable=1500")
        before = stage.shows(lambda a: a.meta["responseMode"] == "full")
        answer = self.stood_still(stage)
        self.says(answer, "stale_cache_fallback", "applied", "applied",
                  ["rt_apply_skipped_budget", "alerts_skipped_budget"])
        self.assertEqual(answer["x-md-stale"], "1")
        self.assertEqual(answer["x-md-stale-reason"], "stationboard_timeout")
        self.assertEqual(answer.departures, before.departures)
        self.assertGreater(answer.meta["rtCacheAgeMs"], before.meta["rtCacheAgeMs"] + 5_000)
        stage.shows(lambda a: a.meta["responseMode"] == "full")

    def test_a_server_that_stood_still_without_a_copy(self):
        answer = self.stood_still(self.slow("timetable=1500"))
        self.says(answer, "static_timeout_fallback", "skipped_budget", "skipped_budget",
                  ["rt_apply_skipped_budget", "alerts_skipped_budget"])
        self.assertIsNone(answer["x-md-stale"])

    def test_nothing_runs_at_all(self):
        """An empty board says why."""
        stage = self.slow()
        answer = stage.ask(QUIET)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.departures, [])
        self.assertEqual(answer.board["noService"]["reason"], "no_service_in_time_window")
        self.assertIsNone(stage.board().board["noService"])


class OverloadTest(ModesTest):
    """More requests than the server can serve."""

    CROWD, OVERLOAD, REQUESTS, BATCH = 512, 2_048, 2_200, 100

    async def ask(self, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET {BOARD} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        return reader, writer

    async def answer(self, reader, writer):
        try:
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        finally:
            writer.close()
        return int(head.split()[1]), head.decode("latin-1").lower(), body

    async def all(self, stage):
        asked = []
        while len(asked) < self.REQUESTS:
            asked += await asyncio.gather(*(self.ask(stage.port) for _ in range(self.BATCH)))
            # The system keeps few connections for a server that does not get to accept them. Until it refuses one, none ends.
            while len(asked) <= self.OVERLOAD and self.accepted(stage) < len(asked):
                await asyncio.sleep(0.02)
        return await asyncio.wait_for(asyncio.gather(*(self.answer(*ends) for ends in asked)), 300)

    def accepted(self, stage):
        """How many connections the server has."""
        return int(re.search(rb"(?m)^freshet_connections (\d+)", stage.ask("/metrics").body)[1])

    def test_overload(self):
        # Boards are held until one is refused: they become too many however slowly the requests come.
        stage = self.stage("--slow", "crowd")
        stage.trips.publish(late(trip(2), 180))
        figure = b'\nfreshet_realtime_entities{feed="default",kind="trip_updates"} 1\n'
        wait_for(lambda: figure in stage.ask("/metrics").body, "the trip updates in use")
        is_over = threading.Event()

        def publish():
            while not is_over.wait(1):
                stage.trips.publish(late(trip(2), 180))

        # Realtime stays fresh, however long the crowd takes.
        publishing = threading.Thread(target=publish)
        publishing.start()
        self.addCleanup(publishing.join)
        self.addCleanup(is_over.set)
        answers = asyncio.run(self.all(stage))
        modes = {}
        for status, head, body in answers:
            if status == 200:
                board = json.loads(body)
                self.assertGreater(len(board["departures"]), 0, "never an empty success")
                key = (board["meta"]["responseMode"], board["meta"]["rtStatus"])
                applied = key == ("full", "applied")
                self.assertEqual(applied, not board["meta"]["skippedSteps"])
            else:
                key = status
                self.assertEqual(status, 503, body)
                self.assertIn("\r\nretry-after: ", head)
                self.assertEqual(json.loads(body)["error"], "busy")
            modes[key] = modes.get(key, 0) + 1
        # A request that was held long may have time for realtime but not for alerts.
        self.assertLessEqual(
            set(modes), {("full", "applied"), ("degraded_static", "applied"), ("degraded_static", "skipped_budget"), 503}
        )
        self.assertGreater(modes.get(("degraded_static", "skipped_budget"), 0), 0, modes)
        self.assertGreater(modes.get(503, 0), 0, modes)
        wait_for(lambda: stage.board().meta["responseMode"] == "full", "the end of the crowd")


if __name__ == "__main__":
    unittest.main()
