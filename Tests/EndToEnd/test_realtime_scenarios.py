"""Feeds with a rhythm, and feeds that storm: what clients gain, and rules that always hold."""

import json
import statistics
import threading
import time
import unittest
from dataclasses import dataclass, field

from realtime_stage import (
    ALERTS_FRESH_FOR, BOARD, FRESH_FOR, LAUSANNE, MODES, PROTOBUF, STATUSES, Simulator, Stage, ask,
    feed, instant, late, load_side_by_side as load_tests, trip,
)
from test_realtime_stream import patched
from watching import reply

BUSY = f"/api/stationboard?stop_id={LAUSANNE}&limit=60"
FOR = 8
"""How long each scenario is watched, in seconds."""


@dataclass
class Client:
    """A client that polls once in a period, and what age it had on its screen."""

    name: str
    port: int
    period: float
    phase: float = 0.0
    after: float | None = None
    """How long after ``nextExpectedAt`` it asks; None for one that asks blindly."""
    slack: float = 0.0
    """How much earlier than a period after its last request it may ask."""
    requests: int = 0
    shown: list[tuple[float, float]] = field(default_factory=list)
    """Moments of arrival, with the moment at which the data shown would have had no age."""

    def run(self, until: float) -> None:
        due = time.monotonic() + self.phase
        while due < until:
            time.sleep(max(due - time.monotonic(), 0))
            began = time.monotonic()
            answer = ask(self.port, BOARD)
            now = time.monotonic()
            self.requests += 1
            meta = answer.meta
            self.shown.append((now, now - meta["rtCacheAgeMs"] / 1000))
            due += self.period
            if self.after is not None and meta["nextExpectedAt"]:
                ahead = instant(meta["nextExpectedAt"]) - instant(meta["serverTime"])
                due = max(now + ahead + self.after, began + self.period - self.slack)
                due = min(due, began + 2 * self.period)

    def mean_age(self, begin: float, end: float) -> float:
        """The mean age on the screen over a time, in seconds."""
        total = 0.0
        moments = [*self.shown, (end, 0.0)]
        for (at, origin), (following, _) in zip(moments, moments[1:]):
            first, last = max(at, begin), min(following, end)
            if last > first:
                total += ((first - origin) + (last - origin)) / 2 * (last - first)
        return total / (end - begin)


def compare(port: int, period: float, seconds: float, after: float, slack: float, blind: int = 6):
    """Runs blind clients of every phase and one that asks when it is told to.

    Gives the blind clients' mean age and requests, and those of the other.
    """
    told = Client("told", port, period, 0.1, after, slack)
    clients = [Client("blind", port, period, period * (n + 0.5) / blind) for n in range(blind)]
    begin = time.monotonic()
    until = begin + seconds
    threads = [threading.Thread(target=c.run, args=[until]) for c in [told, *clients]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # Not the first two periods: the one that is told has to hear it first.
    ages = [(c.mean_age(begin + 2 * period, until), c.requests) for c in [told, *clients]]
    (mine, asked), others = ages[0], ages[1:]
    return (
        statistics.mean(age for age, _ in others), statistics.mean(count for _, count in others),
        mine, asked,
    )


class RhythmTest(unittest.TestCase):
    """A producer with a rhythm of three seconds, five times as fast as a real one."""

    PERIOD = 3

    def compare(self, late_by: float):
        """Both kinds of clients, with a producer whose publications come so much later."""
        stage = Stage()
        self.addCleanup(stage.close)

        def publication(question, line):
            at = int((stage.now() - late_by) // self.PERIOD * self.PERIOD)
            tag = f'"{at}"'
            if question["If-None-Match"] == tag:
                return reply("304 Not Modified", None, f"ETag: {tag}")
            body = feed(at, [late(trip(2), 60 + at % 600)])
            return reply("200 OK", body, PROTOBUF, f"ETag: {tag}")

        stage.trips.answer = publication
        stage.shows(lambda a: a.meta["nextExpectedAt"])
        blind, requests, told, asked = compare(
            stage.port, self.PERIOD, 6 * self.PERIOD, after=0.4, slack=0.24
        )
        print(f"rhythm of {self.PERIOD} s, {late_by} s late: mean age {blind:.2f} s blind with"
              f" {requests:.1f} requests, {told:.2f} s when told with {asked}")
        self.assertLessEqual(asked, requests + 1)
        self.assertGreaterEqual(blind - told, self.PERIOD / 5)

    def test_asking_when_told_lowers_the_age(self):
        self.compare(0)

    def test_asking_when_told_lowers_the_age_with_a_producer_that_needs_its_time(self):
        """What counts is when the server has the data, not what time the data says."""
        self.compare(1.3)


def seen(board: dict) -> str:
    """What people see of a board, as text; when the realtime was published is not part of it."""
    rows = [{k: v for k, v in one.items() if k != "realtimeAt"} for one in board["departures"]]
    meta = board["meta"]
    return json.dumps([
        board["station"], rows, board["banners"], board["noService"], meta["rtStatus"],
        meta["alertsStatus"],
    ])


class ScenarioTest(unittest.TestCase):
    """The simulator's scenarios, twenty times as fast as real feeds."""

    def watch(self, scenario: str, seed: int):
        simulator = Simulator("--period", "0.7", "--scenario", scenario, "--seed", str(seed))
        self.stage = Stage(trips=False, ready=simulator.ready)
        self.addCleanup(simulator.kill)
        self.addCleanup(self.stage.close)
        stream = self.stage.stream(BUSY.replace("?", "/stream?"))
        self.addCleanup(stream.close)
        self.boards: dict[str, str] = {}
        self.counted = {"answers": 0, "changes": 0}
        ends = time.monotonic() + FOR
        pollers = [threading.Thread(target=self.poll, args=[ends, lang]) for lang in ("fr", "de")]
        self.failures: list[BaseException] = []
        for poller in pollers:
            poller.start()
        for poller in pollers:
            poller.join()
        if self.failures:
            raise self.failures[0]
        self.follow(stream)
        print(f"{scenario}: {self.counted}, {len(self.boards)} different boards")
        self.assertGreater(len(self.boards), 4, "there was something to see")

    def poll(self, ends: float, lang: str) -> None:
        try:
            tag, last = None, {}
            while time.monotonic() < ends:
                fields = {"if_none_match": tag} if tag and self.counted["answers"] % 2 else {}
                answer = self.stage.ask(f"{BUSY}&lang={lang}", **fields)
                self.counted["answers"] += 1
                if answer.status == 200:
                    self.check(answer, last)
                    tag, last = answer["ETag"], answer.meta
                else:
                    self.assertEqual((answer.status, answer["ETag"]), (304, tag))
                time.sleep(0.02)
        except BaseException as error:  # noqa: BLE001 (told by the test)
            self.failures.append(error)

    def check(self, answer, last: dict) -> None:
        """The words, the ages and the tag of an answer agree with each other."""
        meta = answer.meta
        self.assertGreater(len(answer.departures), 0)
        self.assertIn(meta["responseMode"], MODES)
        self.assertIn(meta["rtStatus"], STATUSES)
        self.assertEqual(meta["skippedSteps"], [])
        words = {meta["rtStatus"], meta["alertsStatus"]}
        self.assertEqual(meta["responseMode"] == "full", words == {"applied"})
        for status, fetched, age, most in (
            ("rtStatus", "rtFetchedAt", "rtCacheAgeMs", FRESH_FOR),
            ("alertsStatus", "alertsFetchedAt", "alertsCacheAgeMs", ALERTS_FRESH_FOR),
        ):
            if meta[fetched] is None:
                self.assertIn(meta[status], {"missing_cache", "guarded_error"})
                continue
            real = max(instant(meta["serverTime"]) - instant(meta[fetched]), 0)
            self.assertAlmostEqual(meta[age] / 1000, real, delta=0.002)
            self.assertEqual(meta[status] in ("applied", "partial"), real <= most, meta)
        if last and last["rtFetchedAt"]:
            self.assertIsNotNone(meta["rtFetchedAt"], "what was there does not vanish")
        text, tag = seen(answer.board), answer["ETag"]
        self.assertEqual(self.boards.setdefault(tag, text), text, "one tag, one board")

    def follow(self, stream) -> None:
        """The stream leads to boards with the tags it says."""
        board = None
        for event in list(stream.events):
            if event.name == "snapshot":
                board = event.data
            elif event.name == "change":
                board = patched(board, event.data)
                self.counted["changes"] += 1
            else:
                self.assertEqual(event.name, "verified")
                board = {**board, **event.data}
            text = seen(board)
            self.assertEqual(self.boards.setdefault(event.id, text), text, "one id, one board")
            self.assertEqual(board["meta"]["entityTag"], event.id)
        self.assertGreater(self.counted["changes"], 0)

    def test_storm(self):
        self.watch("storm", 3)

    def test_chaos(self):
        self.watch("chaos", 5)


if __name__ == "__main__":
    unittest.main()
