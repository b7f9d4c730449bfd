"""Rules that hold whatever the feed does: looked at from outside, over and over."""

import json
import threading
import time
import unittest

from realtime_stage import (
    ALERTS_FRESH_FOR, FRESH_FOR, LAUSANNE, MODES, STATUSES, Simulator, Stage, instant,
    load_side_by_side as load_tests,
)
from test_realtime_stream import patched

BUSY = f"/api/stationboard?stop_id={LAUSANNE}&limit=60"
FOR = 8
"""How long each scenario is watched, in seconds."""


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
            self.assertEqual(meta[status] == "applied", real <= most)
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
