"""The oracle of test_replicas finds what is wrong: each rule that it checks is broken here on purpose."""

from __future__ import annotations

import json
import unittest
from collections.abc import Callable
from datetime import datetime, timezone
from types import SimpleNamespace
from unittest import mock

from realtime_stage import Answer, Event
from replica_clients import BoardJudge, Follower, Job, StreamViewer, Viewer
from replicas import INTERVAL
from test_replicas import check_events, check_polls

START = 1_700_000_000
COUNT = 450


class Published:
    """Publications: the delay of number n is n + 1 seconds, and it is of n seconds after the start."""

    def __init__(self, count: int = 10):
        self.made = [START + number for number in range(count)]

    def publication(self, delay: int) -> int | None:
        return delay - 1 if 0 < delay <= len(self.made) else None


def text(at: float) -> str:
    return datetime.fromtimestamp(at, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def board(number: int | None, *more: int | None, of: int | None = None) -> dict:
    """A board with a row of each of these publications, as of one; None has no realtime."""
    at = number if of is None else of
    rows = [{"rawDelaySec": None if each is None else each + 1} for each in (number, *more)]
    return {"departures": rows, "meta": {} if at is None else {"rtFetchedAt": text(START + at)}}


def progress(seq: int, done: int, **more: int) -> dict:
    return {"type": "job_progress", "seq": seq, "epoch": 1, "payload": {"processedCount": done}, **more}


def ended(seq: int, kind: str = "job_complete") -> dict:
    return {"type": kind, "seq": seq, "epoch": 1, "payload": {}}


GOOD = [progress(1, 0), progress(2, 200), progress(3, COUNT), ended(4)]


class OracleTests(unittest.TestCase):
    def refuses(self, check: Callable, *arguments: object) -> None:
        """A check fails."""
        with self.assertRaises(AssertionError):
            check(unittest.TestCase(), *arguments)

    def test_events_of_a_job(self):
        check_events(self, GOOD, COUNT)
        for name, messages in {
            "nothing": [],
            "no end": GOOD[:3],
            "a gap": [GOOD[0], GOOD[2], GOOD[3]],
            "a gap at the beginning": GOOD[1:],
            "one twice": [*GOOD[:2], *GOOD[1:]],
            "another order": [GOOD[1], GOOD[0], *GOOD[2:]],
            "two ends": [*GOOD, ended(5)],
            "an end of each kind": [*GOOD[:3], ended(4, "error"), ended(5)],
            "a failure": [*GOOD[:3], ended(4, "error")],
            "more after the end": [*GOOD, progress(5, COUNT)],
            "progress that goes back": [progress(1, 0), progress(2, 200), progress(3, 100), progress(4, COUNT), ended(5)],
            "an end before all is done": [GOOD[0], GOOD[1], ended(3)],
            "more than there is to do": [GOOD[0], progress(2, COUNT + 200), ended(3)],
        }.items():
            with self.subTest(name):
                self.refuses(check_events, messages, COUNT)

    def follow(self, *messages: dict) -> Follower:
        follower = Follower(0, Job(0, rows=1))
        for message in messages:
            follower.take(json.dumps(message))
        return follower

    def test_what_a_follower_hears(self):
        for messages in (GOOD, [GOOD[0], progress(3, COUNT, covers=2), GOOD[3]], [GOOD[0], {"type": "ping"}, *GOOD[1:]]):
            follower = self.follow(*messages)
            self.assertEqual((follower.faults, follower.ends, follower.seq), ([], 1, 4))
        for name, messages in {
            "a gap": [GOOD[0], *GOOD[2:]],
            "a gap at the beginning": GOOD[1:],
            "one twice": [*GOOD[:2], *GOOD[1:]],
            "one that stands for too few": [GOOD[0], progress(4, COUNT, covers=3)],
            "two ends": [*GOOD, ended(5)],
            "more after the end": [*GOOD, progress(5, COUNT)],
            "a state in place of events": [{"type": "reconnected", "payload": {"recovered": False}}, *GOOD],
        }.items():
            with self.subTest(name):
                self.assertNotEqual(self.follow(*messages).faults, [])
        for status, retry_after in ((404, "1"), (500, "1"), (503, None)):
            follower = self.follow()
            follower.stop()
            follower.refused(status, retry_after)
            self.assertEqual(len(follower.faults), 1)

    def test_boards_of_one_client(self):
        for name, boards in {
            "rows of two publications": [board(1, 2)],
            "a delay of nobody": [board(20, of=3)],
            "older than it says": [board(1, of=2)],
            "newer than it says": [board(2, of=1)],
            "content that goes back": [board(2), board(1)],
        }.items():
            with self.subTest(name):
                judge = BoardJudge(Published())
                found = [judge.fault(each) for each in boards]
                self.assertTrue(found[-1], found)
                self.assertFalse(any(found[:-1]), found)
        judge = BoardJudge(Published())
        self.assertEqual([judge.fault(board(*each)) for each in ((1,), (1, 1), (2,), (2, None), (None,))], [""] * 5)
        self.assertEqual((judge.boards, judge.newest), (4, 2))
        self.assertTrue(judge.fault_of_whole(board(None, of=2)))
        self.assertFalse(judge.fault_of_whole(board(2, None)))
        self.assertFalse(judge.fault_of_whole(board(None)))

    def watch(self, has_tag: bool, has_token: bool, *answers: tuple[int, int | None, dict]) -> Viewer:
        """A viewer that gets answers: status, instant of the publication, more fields."""
        left = iter(answers)

        def ask(*_: object, **__: object) -> Answer:
            answer = next(left, None)
            if answer is None:
                viewer._ends.set()
                raise ConnectionError
            status, number, more = answer
            fields = {"ETag": '"a.1"', **({} if number is None else {"x-md-rt-fetched-at": text(START + number)}), **more}
            return Answer(status, list(fields.items()), json.dumps(board(number)).encode(), 0)

        viewer = Viewer(0, Published(), has_tag, has_token)
        with mock.patch("test_realtime_sharing.ask", ask):
            viewer.run()
        return viewer

    def test_a_viewer_sees_time_go_backwards(self):
        behind = {"x-md-rt-behind": "1"}
        for has in ((True, False), (True, True), (False, True)):
            self.assertEqual(self.watch(*has, (200, 1, {}), (200, 1, {}), (200, 2, {})).faults, [])
            viewer = self.watch(*has, (200, 2, {}), (200, 1, behind), (200, 2, {}))
            self.assertEqual((viewer.faults, viewer.behind, viewer.judge.boards), ([], 1, 2))
            self.assertTrue(viewer.has_seen(START + 2))
            self.assertFalse(viewer.has_seen(START + 3))
            for name, answers in {
                "an older board": [(200, 2, {}), (200, 1, {})],
                "a board without realtime": [(200, 2, {}), (200, None, {})],
                "an error": [(200, 2, {}), (500, 2, {})],
                "no board": [(200, 2, {}), (404, 3, {})],
            }.items():
                with self.subTest(name, has=has):
                    self.assertNotEqual(self.watch(*has, *answers).faults, [])
        # Who compares instants notices them at answers without a board too.
        self.assertNotEqual(self.watch(True, True, (200, 2, {}), (304, 1, {})).faults, [])
        self.assertNotEqual(self.watch(False, True, (200, 2, {}), (204, 1, {})).faults, [])

    def stream(self, *events: tuple[str, dict]) -> StreamViewer:
        viewer = StreamViewer(0, Published())
        viewer._heard = lambda _: iter([Event(name, "1", json.dumps(data)) for name, data in events])
        viewer._follow(SimpleNamespace(), None)
        return viewer

    def test_a_stream_goes_backwards(self):
        kept = {"meta": {"rtFetchedAt": text(START + 2)}}
        viewer = self.stream(("snapshot", board(1)), ("change", board(2)), ("verified", kept))
        self.assertEqual((viewer.faults, viewer.events), ([], 3))
        self.assertTrue(viewer.has_seen(START + 2))
        for name, events in {
            "older rows": [("snapshot", board(2)), ("change", board(1, of=2))],
            "an older instant": [("snapshot", board(2)), ("change", board(1))],
            "an older instant without rows": [("snapshot", board(3)), ("verified", kept)],
            "no instant": [("snapshot", board(2)), ("verified", {"meta": {}})],
            "a mixture": [("snapshot", board(2, 3))],
        }.items():
            with self.subTest(name):
                self.assertNotEqual(self.stream(*events).faults, [])

    def test_a_client_that_fails_is_noticed(self):
        viewer = StreamViewer(0, Published())
        viewer._run = lambda: [][0]
        viewer.run()
        self.assertEqual(len(viewer.faults), 1)
        broken = self.watch(True, True, (200, 1, {}), "no answer")  # type: ignore[arg-type]
        self.assertEqual(len(broken.faults), 1)

    def polls(self, *terms: tuple[str, int], pause: float = INTERVAL) -> list[tuple[float, str]]:
        """Polls of replicas in turn, so many of each."""
        names = [name for name, count in terms for _ in range(count)]
        return [(place * pause, name) for place, name in enumerate(names)]

    def test_polls_of_a_producer(self):
        self.assertAlmostEqual(check_polls(self, self.polls(("a", 10), ("b", 10)), 1), 18 * INTERVAL)
        for name, polls, takeovers in (
            ("nobody", [], 1),
            ("one that is never replaced", self.polls(("a", 20)), 1),
            ("a change that is no take-over", self.polls(("a", 10), ("b", 10), ("c", 10)), 1),
            ("a leader that does not stop", self.polls(("a", 10), ("b", 5), ("a", 1), ("b", 5)), 1),
            ("two in turn", self.polls(*[("a", 1), ("b", 1)] * 10), 1),
            ("twice at once", [*self.polls(("a", 10), ("b", 10)), (19 * INTERVAL + 0.01, "b")], 1),
            ("too often", self.polls(("a", 20), ("b", 20), pause=INTERVAL / 2), 1),
        ):
            with self.subTest(name):
                self.refuses(check_polls, polls, takeovers)


if __name__ == "__main__":
    unittest.main()
