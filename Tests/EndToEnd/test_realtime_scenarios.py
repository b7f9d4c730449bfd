"""Feeds with a rhythm, and feeds that storm: what clients gain, and rules that always hold."""

import json
import threading
import time
import unittest
from collections.abc import Callable
from dataclasses import dataclass

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
class Foretold:
    """A publication: when the server said it would have it, and when it had it, by the server's clock."""

    said: float
    had: float

    @property
    def wait(self) -> float:
        """How long the data is there before a client asks that asks when it is told to."""
        return self.said - self.had


def publications(port: int, suffices: Callable[[list[Foretold]], bool], longest: float) -> list[Foretold]:
    """Watches a board until publications that were foretold and came suffice."""
    found: list[Foretold] = []
    made, said = None, None
    ends = time.monotonic() + longest
    while not suffices(found) and time.monotonic() < ends:
        meta = ask(port, BOARD).meta
        if made is not None and meta["rtFetchedAt"] != made and said is not None:
            found.append(Foretold(said, instant(meta["serverTime"])))
        made = meta["rtFetchedAt"]
        # What was said last before the publication came is what a client would have gone by.
        said = instant(meta["nextExpectedAt"]) if meta["nextExpectedAt"] else None
        time.sleep(0.05)
    return found


class RhythmTest(unittest.TestCase):
    """A producer with a rhythm of three seconds, five times as fast as a real one."""

    PERIOD = 3
    AFTER = 0.5
    """How long after the foretold moment a client asks."""
    LAST, IN_TIME, MOST = 5, 4, 12
    """So many of the last ones are in time, after at most so many."""

    def in_time(self, found: list[Foretold]) -> int:
        """How many of the last publications are there when a client asks that was told when, and have not waited for long."""
        # The first tells when the server began to listen, not the producer's rhythm.
        return sum(0 <= one.wait + self.AFTER <= self.PERIOD / 3 for one in found[1:][-self.LAST:])

    def compare(self, late_by: float):
        """A client that asks when it is told finds data that has not waited for long.

        One that asks blindly once in a period finds data that has waited for half a period on average. Most and
        not all, and not from the first on: on a busy machine the server itself may be late.
        """
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
        found = publications(
            stage.port,
            lambda found: self.in_time(found) >= self.IN_TIME or len(found) > self.MOST,
            2 * self.MOST * self.PERIOD,
        )
        waits = [round(one.wait + self.AFTER, 2) for one in found]
        print(f"rhythm of {self.PERIOD} s, {late_by} s late: publications waited {waits} s for who is told")
        self.assertGreaterEqual(self.in_time(found), self.IN_TIME, waits)

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
