"""Servers and feeds that are killed under load: what clients see, and for how long."""

import http.client
import json
import re
import socket
import threading
import time
import unittest

from realtime_stage import (
    BOARD, Simulator, Stage, ask, data, late, load_side_by_side as load_tests, trip,
    wait_for,
)
from watching import LONGEST, Watch

STEP = 0.6
"""The clients' backoff, in seconds: a single step."""
SLACK = 20.0
"""What a busy machine may add, in seconds: less than a poll or a stream would wait by itself."""
POLICY = {
    "every": 300, "timeout": 4_000, "retryDelay": 100, "ladder": [600], "leastInterval": 200,
    "ladderJitter": {"above": 10}, "recheck": 1_500, "spread": 0, "unchangedLimit": None,
    "unchangedFor": None,
}


class Poller(threading.Thread):
    """A client that keeps its last board, asks on, and backs off without an answer."""

    def __init__(self, port: int, place: int):
        super().__init__(daemon=True)
        self.port, self.place = port, place
        self.ended = threading.Event()
        self.seen: list[tuple[float, str, dict]] = []
        """Each outcome: when, which, and the board's `meta` if there was one."""
        self.wrong: list[str] = []
        self.tag: str | None = None

    def run(self) -> None:
        while not self.ended.is_set():
            fields = {"if_none_match": self.tag} if self.tag and self.place % 2 else {}
            if self.place % 3 == 2 and fields:
                fields["prefer"] = "wait=1"
            try:
                answer = ask(self.port, BOARD, timeout=8, **fields)
            except (OSError, http.client.HTTPException) as error:
                self.seen.append((time.monotonic(), type(error).__name__, {}))
                self.ended.wait(STEP)
                continue
            self.take(answer)
            self.ended.wait(0.1)

    def take(self, answer) -> None:
        meta = {}
        if answer.status == 200:
            meta = answer.meta
            self.tag = answer["ETag"]
            if not answer.departures:
                self.wrong.append(f"an empty board: {meta}")
            elif meta["rtStatus"] == "applied" and \
                    answer.departure(trip(2))["rawDelaySec"] is None:
                self.wrong.append("applied, and the delay is not there")
            elif meta["responseMode"] == "full" and meta["rtStatus"] != "applied":
                self.wrong.append(f"full, and {meta['rtStatus']}")
        elif answer.status != 304:
            self.wrong.append(f"{answer.status}: {answer.body[:200]}")
        self.seen.append((time.monotonic(), str(answer.status), meta))

    def well_after(self, moment: float) -> float | None:
        """How long after a moment the first answer came."""
        return next(
            (at - moment for at, what, _ in self.seen if at > moment and what in ("200", "304")),
            None,
        )


class ServerTest(unittest.TestCase):
    """kill -9 of the server, and SIGTERM."""

    def stage(self, *options, **more) -> Stage:
        stage = Stage(*options, **more)
        self.addCleanup(stage.close)
        self.at = stage.trips.publish(late(trip(2), 180))
        stage.applied(self.at)
        return stage

    def watch(self, stage) -> Watch:
        policy = data().parent / "policy.json"
        policy.write_text(json.dumps(POLICY))
        watch = Watch(f"http://127.0.0.1:{stage.port}{BOARD}", "--json", "--policy", str(policy))
        self.addCleanup(watch.close)
        watch.event("changed", first=True)
        return watch

    def test_a_server_that_is_killed_under_load(self):
        stage = self.stage()
        watches = [self.watch(stage) for _ in range(2)]
        pollers = [Poller(stage.port, place) for place in range(8)]
        for poller in pollers:
            poller.start()
            self.addCleanup(poller.ended.set)
        stream = stage.stream()
        self.addCleanup(stream.close)
        snapshot = stream.next("snapshot")
        for _ in range(3):
            wait_for(lambda: all(len(p.seen) > 3 for p in pollers), "answers for everybody")
            stage.server.process.kill()
            killed = time.monotonic()
            self.assertLess(stream.ends() - killed, SLACK, "a stream ends with its server")
            self.assertIsNotNone(stream.failure, "and not as if that was all")
            stream.close()
            stage.server.__exit__()
            for watch in watches:
                failing = watch.event("failing")
                self.assertIn(failing["kind"], {"unreachable", "broken_off", "connection_lost"})
                self.assertIn("ageMs", failing, "the last copy stays, with its age")
            wait_for(
                lambda: all(p.seen[-1][1] not in ("200", "304") for p in pollers), "refusals"
            )
            stage.restart()
            back = time.monotonic()
            for poller in pollers:
                wait_for(lambda p=poller: p.well_after(back) is not None, "an answer")
                self.assertLess(poller.well_after(back), STEP + SLACK, "within one step")
            for watch in watches:
                watch.event("recovered")
                self.assertLess(time.monotonic() - back, STEP * 1.1 + 2 * SLACK)
            stage.applied(self.at)
            stream = stage.stream(last=snapshot.id)
            self.addCleanup(stream.close)
        for poller in pollers:
            poller.ended.set()
            poller.join(timeout=LONGEST)
            self.assertEqual(poller.wrong, [])
            said = {meta["rtStatus"] for _, _, meta in poller.seen if meta}
            self.assertLessEqual(said, {"applied", "missing_cache", "stale_cache"})
            failures = {what for _, what, _ in poller.seen if what not in ("200", "304")}
            self.assertLessEqual(
                failures,
                {"ConnectionRefusedError", "ConnectionResetError", "RemoteDisconnected",
                 "IncompleteRead", "BrokenPipeError"},
            )

    def test_after_a_restart_copies_are_still_right(self):
        """Tags and tokens depend on the content only, so no client has to start over."""
        stage = self.stage()
        before = stage.board()
        stage.server.process.kill()
        stage.server.__exit__()
        stage.restart()
        stage.applied(self.at)
        self.assertEqual(stage.ask(BOARD, if_none_match=before["ETag"]).status, 304)
        token = before.meta["rtFetchedAt"]
        path = f"{BOARD}&if_board=1&since_rt={token}"
        self.assertIn(stage.ask(path).status, (200, 204))

    def test_sigterm_ends_streams_and_polls(self):
        """All of them at once, in order: an end of the stream, an answer to the poll."""
        stage = self.stage()
        tag = stage.board()["ETag"]
        streams = [stage.stream() for _ in range(10)]
        for stream in streams:
            self.addCleanup(stream.close)
            stream.next("snapshot")
        answers, threads = [], []
        for _ in range(10):
            threads.append(threading.Thread(target=lambda: answers.append(
                self.outcome(stage, if_none_match=tag, prefer="wait=50")
            )))
            threads[-1].start()
        wait_for(lambda: stage.waiting() == 20, "the polls and streams")
        idle = socket.create_connection(("127.0.0.1", stage.port))
        self.addCleanup(idle.close)
        kept = http.client.HTTPConnection("127.0.0.1", stage.port)
        self.addCleanup(kept.close)
        ask(stage.port, BOARD, connection=kept)
        began = time.monotonic()
        code = stage.server.stop()
        took = time.monotonic() - began
        print(f"SIGTERM with 10 streams, 10 long polls and idle connections: {took:.2f} s")
        self.assertEqual(code, 0)
        self.assertLess(took, 2 + SLACK)
        for thread in threads:
            thread.join(timeout=LONGEST)
        self.assertEqual(set(answers), {"304"})
        for stream in streams:
            stream.ends()
            self.assertIsNone(stream.failure, "the end of a stream is its last chunk")

    def outcome(self, stage, **fields) -> str:
        try:
            return str(stage.ask(BOARD, **fields).status)
        except (OSError, http.client.HTTPException) as error:
            return type(error).__name__

    def test_sigterm_lets_a_slow_answer_finish(self):
        stage = self.stage("--slow", "timetable=1000")
        answers = []
        client = stage.begins(lambda: answers.append(self.outcome(stage)))
        self.assertEqual(stage.server.stop(), 0)
        client.join(timeout=LONGEST)
        self.assertEqual(answers, ["200"])


class FeedTest(unittest.TestCase):
    """kill -9 of `freshet-lab feed`."""

    def test_a_feed_that_is_killed(self):
        """Boards stay, the age grows, and all is well one step after it is back."""
        simulator = Simulator("--period", "1", "--scenario", "rush")
        stage = Stage(trips=False, ready=simulator.ready)
        self.addCleanup(simulator.kill)
        self.addCleanup(stage.close)
        more = "0"
        stage.shows(
            lambda a: a.meta["responseMode"] == "full" and a.meta["rtAppliedCount"] and not a.board["rt"]["lastError"], more)

        def failed() -> int:
            """How many polls of the trip updates have failed."""
            polls = re.findall(
                rb'(?m)^freshet_realtime_polls_total\{.*kind="trip_updates",outcome="(\w+)"\} (\d+)$', stage.ask("/metrics").body)
            return sum(int(count) for outcome, count in polls if outcome not in (b"content", b"unchanged"))

        simulator.kill()
        # On a busy machine polls fail before it too, while a publication is on its way to the board: a poll that fails now
        # comes behind that.
        before = failed()
        wait_for(lambda: failed() > before, "a failed poll")
        stage.shows(lambda a: a.board["rt"]["lastError"], more, "word of the failure")
        last = stage.board(more)
        delays = {one["key"]: one["rawDelaySec"] for one in last.departures}
        ages, times = [last.meta["rtCacheAgeMs"]], [last.at]
        began = time.monotonic()
        while time.monotonic() < began + 3:
            answer = stage.board(more)
            ages.append(answer.meta["rtCacheAgeMs"])
            times.append(answer.at)
            self.assertEqual(answer.meta["rtFetchedAt"], last.meta["rtFetchedAt"])
            for one in answer.departures:
                self.assertEqual(one["rawDelaySec"], delays.get(one["key"], one["rawDelaySec"]))
            time.sleep(0.1)
        self.assertEqual(ages, sorted(ages), "the age grows")
        grown = (ages[-1] - ages[0]) / 1000
        self.assertAlmostEqual(grown, times[-1] - times[0], delta=0.01)
        simulator.start(stage.begin())
        back = time.monotonic()
        stage.shows(
            lambda a: a.meta["rtFetchedAt"] > last.meta["rtFetchedAt"], more, "a newer publication"
        )
        print(f"feed: used again {time.monotonic() - back:.2f} s after it was back")
        # The last step of the ladder of --poll 200: two minutes, 75 times as fast, and its jitter.
        self.assertLess(time.monotonic() - back, 1.6 * 1.2 + SLACK)
        self.assertEqual(stage.shows(lambda a: a.meta["responseMode"] == "full", more).status, 200)


if __name__ == "__main__":
    unittest.main()
