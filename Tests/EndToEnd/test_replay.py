"""Recordings of a producer in trouble, replayed, against what they say by their documentation."""

from __future__ import annotations

import datetime
import subprocess
import time
import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import recording
from program import LAB, LONGEST, NOW, Folder, Server, run
from sample_network import copy_network
from side_by_side import load_side_by_side as load_tests  # noqa: F401

PACE = 10
# Slower than it was recorded: a busy machine too sees most of what was in use.
SLOWER = 5
STOP = "Parent8501120"
BOARD = f"/api/stationboard?stop_id={STOP}&limit=100"
# Seconds of the machine that are recorded.
LENGTH = 8
# Milliseconds of the recording after which a board has shown what came.
LONG_ENOUGH = 2_000
# Seconds after which a board that has something newer will not come back to something older.
PATIENCE = 10


def milliseconds(text: str) -> int:
    return round(datetime.datetime.fromisoformat(text).timestamp() * 1_000)


def instant(value: int) -> str:
    return datetime.datetime.fromtimestamp(value / 1_000, datetime.UTC).isoformat(
        timespec="milliseconds"
    )


def rows(board: dict) -> dict[str, tuple]:
    """What realtime does to each departure."""
    return {
        row["key"]: (
            row["rawDelaySec"], row["realtimeDeparture"], row["cancelled"], row["status"],
            row["platform"], row["platformChanged"], row["replacementType"], row["stopEvent"],
            row["realtimeAt"], [alert["id"] for alert in row["alerts"]],
        )
        for row in board["departures"]
    }


def published(answer: recording.Answer) -> int:
    """When the content of an answer was made: never after it came, whatever its producer's clock says."""
    return min(recording.header(answer.body)[0] * 1_000, answer.arrival)


class ReplayTest(unittest.TestCase):
    """One recording of the simulator in chaos, for all tests here."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.remove)
        cls.data = cls.folder / "data"
        cls.file = cls.folder / "chaos.rec"
        copy_network(cls.folder.path)
        # Chaos may keep nearly everything that is good away for as long as this, the more on a busy machine.
        for seed in range(10, 20):
            cls.record(seed)
            cls.answers = recording.read(cls.file)
            if not cls.what_it_lacks():
                break
        cls.first = min(answer.arrival for answer in cls.answers)
        cls.last = max(answer.arrival for answer in cls.answers)

    @classmethod
    def sources(cls) -> set[tuple[int, int]]:
        """The publications of both feeds that were in use together for long enough to be seen on a board."""
        spans = Counter()
        moments = sorted({answer.arrival for answer in cls.answers})
        for moment, next_one in zip(moments, moments[1:]):
            used = [recording.in_use(cls.answers, feed, moment) for feed in ("trip-updates", "alerts")]
            if all(used):
                spans[tuple(published(each[-1]) for each in used)] += next_one - moment
        return {sources for sources, span in spans.items() if span >= LONG_ENOUGH}

    @classmethod
    def record(cls, seed: int) -> None:
        """Records a simulator in chaos."""
        cls.file.unlink(missing_ok=True)
        with subprocess.Popen(
            [LAB, "feed", "--data", str(cls.data), "--port", "0", "--scenario", "chaos",
             "--seed", str(seed), "--period", "2", "--pace", str(PACE), "--now", NOW],
            stdout=subprocess.PIPE, text=True,
        ) as feed:
            try:
                began = time.monotonic()
                url = feed.stdout.readline().split()[1].rsplit("/", 1)[0]
                # The simulator's clock, as far as it can be told from here, and a little more: the recorder needs
                # time to start, and what comes before it was made is another matter.
                now = milliseconds(NOW) + int((time.monotonic() - began) * PACE * 1_000) + 5_000
                answer = run(
                    "record", "--trip-updates", f"{url}/trip-updates.pb",
                    "--alerts", f"{url}/alerts.pb", "--trip-updates-every", "1",
                    "--alerts-every", "3", "--into", str(cls.file), "--now", instant(now),
                    "--pace", str(PACE), "--for", str(LENGTH),
                )
                assert answer.returncode == 0, answer.stderr
            finally:
                feed.terminate()

    def boards(self, *options: str, until: int, now: str | None = None) -> list[tuple[dict, float]]:
        """The boards of a replay until an instant, as they come, and how many seconds each took."""
        boards = []
        with Server(self.data, "--replay", str(self.file), *options, now=now) as server:
            while True:
                began = time.monotonic()
                _, board = server.get(BOARD)
                boards.append((board, time.monotonic() - began))
                if milliseconds(board["meta"]["serverTime"]) > until:
                    return boards
                time.sleep(0.2)

    @classmethod
    def what_it_lacks(cls) -> list[str]:
        """What makes a replay hard and the recording has not."""
        trips = [answer for answer in cls.answers if answer.feed == "trip-updates"]
        end = max(answer.arrival for answer in cls.answers)
        used = {feed: recording.in_use(cls.answers, feed, end) for feed in ("trip-updates", "alerts")}
        taken = {id(answer.body) for answer in used["trip-updates"]}
        newest = max((a for a in cls.answers if a.feed == "alerts"), key=lambda a: a.arrival)
        has = {
            "contents": len({answer.body for answer in trips if answer.status == 200}) > 3,
            "not modified": any(answer.status == 304 for answer in trips),
            "refused": any(
                answer.status not in (200, 304) or not answer.body or answer.duration > 8_000
                or answer.feed == "trip-updates" and id(answer.body) not in taken
                for answer in cls.answers
            ),
            "publications in use": len({published(each) for each in used["trip-updates"]}) > 4,
            "alerts before the newest": any(each is not newest for each in used["alerts"]),
            "sources": len(cls.sources()) > 3,
        }
        return [name for name, is_there in has.items() if not is_there]

    def test_the_recording_has_what_makes_a_replay_hard(self):
        self.assertEqual(self.what_it_lacks(), [])

    def test_each_board_rests_on_the_publication_that_the_recording_had_then(self):
        # Realtime is indexed behind everything else that a machine does, so a busy one may be late: then once more, slowly.
        late = self.rests_on_the_publication_of_its_time(SLOWER)
        if late:
            late = self.rests_on_the_publication_of_its_time(1)
        self.assertEqual(late, [])

    def rests_on_the_publication_of_its_time(self, pace: float) -> list[str]:
        """The boards of a replay that are too late."""
        boards = self.boards("--pace", str(pace), until=self.last)
        # Never too early; how late depends on how busy the machine is: six seconds of it, and more where its answers
        # took long as well.
        slack = (6_000 + 10_000 * max(took for _, took in boards)) * pace
        late = []
        seen = []
        for board, took in boards:
            made = board["rt"]["fetchedAt"]
            at = milliseconds(board["meta"]["serverTime"])
            if made is None:
                self.assertEqual(seen, [], "no realtime after there was some")
                if at >= self.first + 10_000 + slack:
                    late.append(f"no realtime at {at}")
                continue
            # The board was made at some time of its answer.
            used = recording.in_use(self.answers, "trip-updates", at + round(1_000 * took * pace))
            before = recording.in_use(self.answers, "trip-updates", at - slack)
            possible = {published(answer) for answer in used[max(len(before) - 1, 0):]}
            self.assertTrue(possible, f"too early at {at}")
            self.assertLessEqual(milliseconds(made), max(possible), f"too early at {at}")
            if milliseconds(made) < min(possible):
                late.append(f"{made} at {at}, not {min(possible)}")
            if made not in seen:
                seen.append(made)
        all_used = recording.in_use(self.answers, "trip-updates", self.last)
        expected = {published(answer) for answer in all_used}
        self.assertTrue({milliseconds(made) for made in seen} <= expected)
        if len(seen) <= 2:
            late.append(f"only {len(seen)} publications were seen")
        return late

    def test_two_replays_give_the_same_boards(self):
        def replay(pace: float) -> dict:
            of_source = {}
            for board, _ in self.boards("--pace", str(pace), until=self.last):
                made = (board["rt"]["fetchedAt"], board["alerts"]["fetchedAt"])
                of_source.setdefault(made, {}).update(rows(board))
            return of_source

        # A busy machine sees less of a replay, and more of it the slower it goes.
        for pace in (SLOWER, SLOWER / 2, SLOWER / 5):
            with ThreadPoolExecutor(2) as both:
                found = list(both.map(replay, [pace] * 2))
            common = [made for made in found[0] if made in found[1] and None not in made]
            if len(common) > 2:
                break
        self.assertGreater(len(common), 2)
        compared = 0
        for made in common:
            for key in found[0][made].keys() & found[1][made].keys():
                self.assertEqual(found[0][made][key], found[1][made][key], (made, key))
                compared += 1
        self.assertGreater(compared, 50)

    def test_a_replay_equals_a_server_that_is_given_the_recorded_content(self):
        compared = with_realtime = 0
        for at in self.quiet_instants():
            trips = recording.in_use(self.answers, "trip-updates", at)[-1]
            alerts = recording.in_use(self.answers, "alerts", at)[-1]
            (self.folder / "trips.pb").write_bytes(trips.body)
            (self.folder / "alerts.pb").write_bytes(alerts.body)
            live_options = (
                "--trip-updates", str(self.folder / "trips.pb"),
                "--alerts", str(self.folder / "alerts.pb"),
            )
            # A busy machine may have come through to these contents when they are too old to be applied, or not before
            # newer ones: then once more, on a slower clock.
            for pace in (1, 0.5, 0.2, 0.1):
                both = []
                for options in (("--replay", str(self.file)), live_options):
                    with Server(self.data, *options, "--pace", str(pace), now=instant(at)) as server:
                        both.append(self.settled(server, trips, alerts))
                if all(board and board[feed]["applied"] for board in both for feed in ("rt", "alerts")):
                    break
            self.assertTrue(all(both), "the contents were passed each time")
            self.assertEqual(
                [banner["id"] for banner in both[0]["banners"]],
                [banner["id"] for banner in both[1]["banners"]],
            )
            replayed, live = rows(both[0]), rows(both[1])
            # A departure may leave the board between the two questions.
            common = replayed.keys() & live.keys()
            self.assertGreaterEqual(len(common), max(len(replayed), len(live)) - 2)
            for key in common:
                self.assertEqual(replayed[key], live[key], key)
                with_realtime += replayed[key][0] is not None
            compared += len(common)
        self.assertGreater(compared, 50)
        self.assertGreater(with_realtime, 10)

    def quiet_instants(self) -> list[int]:
        """Instants after which nothing else comes into use for a while, so that both can be asked."""

        def used(at: int) -> list[int]:
            return [
                len(recording.in_use(self.answers, feed, at)) for feed in ("trip-updates", "alerts")
            ]

        def says_something(at: int) -> bool:
            # Chaos may begin with a feed that has a time and nothing else; it is applied to no row.
            last = [recording.in_use(self.answers, feed, at)[-1:] for feed in ("trip-updates", "alerts")]
            return all(found and recording.header(found[0].body)[1] > 0 for found in last)

        instants = [at for at in range(self.first, self.last, 250) if says_something(at)]
        # As long as there is: a busy machine needs seconds for two servers.
        for span in (20_000, 15_000, 10_000, 8_000, 6_000, 4_000):
            quiet = [at for at in instants if at + span <= self.last and used(at) == used(at + span)]
            if quiet:
                break
        return quiet[:1] + [self.last]

    def settled(
        self, server: Server, trips: recording.Answer, alerts: recording.Answer | None = None
    ) -> dict | None:
        """The first board that rests on these answers: a replay that starts in the middle comes
        through what was before. None if it has come to newer ones."""

        def is_passed(found: str | None, answer: recording.Answer | None) -> bool:
            return bool(found and answer) and milliseconds(found) > recording.header(answer.body)[0] * 1_000

        def rests(found: str, answer: recording.Answer) -> bool:
            # A server that gets the content later believes more of a clock that is ahead.
            return published(answer) <= milliseconds(found) <= recording.header(answer.body)[0] * 1_000

        end, seen = time.monotonic() + LONGEST, None
        while time.monotonic() < end:
            _, board = server.get(BOARD)
            # A busy machine comes through slowly; it must come on.
            if (fetched := board["rt"]["fetchedAt"]) != seen:
                end, seen = time.monotonic() + LONGEST, fetched
            if fetched and rests(fetched, trips) and (
                alerts is None
                or board["alerts"]["fetchedAt"] and rests(board["alerts"]["fetchedAt"], alerts)
            ):
                return board
            # Content of a producer whose clock is ahead may look newer than what comes after it.
            is_newer = is_passed(fetched, trips) or is_passed(board["alerts"]["fetchedAt"], alerts)
            if is_newer and time.monotonic() > end - LONGEST + PATIENCE:
                return None
            time.sleep(0.2)
        raise AssertionError(f"no board that rests on {published(trips)}: {board['rt']} {board['alerts']} {server.log}")

    def test_the_clock_starts_with_the_recording_unless_it_is_told(self):
        with Server(self.data, "--replay", str(self.file), now=None) as server:
            _, board = server.get(BOARD)
            at = milliseconds(board["meta"]["serverTime"])
            self.assertTrue(self.first <= at < self.first + 30_000, at - self.first)

    def test_after_the_end_the_source_stands_still_and_boards_go_stale(self):
        end = instant(self.last - 2_000)
        with Server(
            self.data, "--replay", str(self.file), "--pace", "60", now=end, log_level="notice"
        ) as server:
            limit = time.monotonic() + LONGEST
            # The second one if the last content of the recording is one that is not believed.
            stale = {"stale_cache", "guarded_error"}
            words, sources = [], set()
            while time.monotonic() < limit and not (words and words[-1] in stale):
                # What was asked before the end is told may be older than the end.
                has_ended = any("has ended" in line for line in server.log)
                _, board = server.get(BOARD)
                if has_ended:
                    sources.add(board["rt"]["fetchedAt"])
                    words.append(board["meta"]["rtStatus"])
                time.sleep(0.2)
            self.assertIn(words[-1] if words else None, stale, words)
            self.assertEqual(len(sources), 1)
            self.assertGreaterEqual(board["rt"]["ageSeconds"], 45)
            self.assertTrue(any(row["rawDelaySec"] is not None for row in board["departures"]))
            # A held request that kept the server alive would keep it for ever, and stop() does not wait that long.
            self.assertEqual(server.stop(), 0)
            self.assertEqual(sum("has ended" in line for line in server.log), 1, server.log)

    def test_what_is_whole_in_a_damaged_recording_is_used_and_the_damage_told(self):
        damaged = self.folder / "damaged.rec"
        data = bytearray(self.file.read_bytes())
        victim = sorted(
            (a for a in self.answers if a.feed == "alerts"), key=lambda a: a.arrival
        )[-1]
        data[victim.offset + 20] ^= 0xFF
        damaged.write_bytes(data)
        with Server(
            self.data, "--replay", str(damaged), now=instant(self.last), log_level="warning"
        ) as server:
            made = recording.in_use(self.answers, "trip-updates", self.last)[-1]
            self.assertTrue(self.settled(server, made))
            server.stop()
            said = [line for line in server.log if f"at byte {victim.offset}" in line]
            self.assertEqual(len(said), 1, server.log)
            self.assertIn("the rest is used", said[0])

    def test_what_cannot_be_replayed_is_a_clear_error(self):
        text = self.folder / "text.rec"
        text.write_text("not a recording, but long enough for the header of one")
        empty = self.folder / "empty.rec"
        empty.write_bytes(b"FRESHREC" + (1).to_bytes(4, "little") + bytes(4))
        serve = ("serve", "--data", str(self.data), "--port", "0", "--replay")
        for path, word, code in (
            (self.folder / "absent.rec", "No such file", 66), (text, "not a recording", 65),
            (empty, "no answers", 66), (self.folder.path, "regular file", 66),
        ):
            answer = run(*serve, str(path))
            self.assertEqual(answer.returncode, code, path)
            self.assertIn(str(path), answer.stderr)
            self.assertIn(word, answer.stderr)
        for more, word in (
            (("--trip-updates", "http://127.0.0.1:1/t.pb"), "--trip-updates"),
            (("--alerts", "alerts.pb"), "--alerts"),
            (("--feed-header", "Authorization: Bearer x"), "--feed-header"),
            (("--replay", "other.rec"), "two"),
            (("--now", "yesterday"), "--now"),
            (("--pace", "0"), "--pace"),
        ):
            answer = run(*serve, str(self.file), *more)
            self.assertEqual(answer.returncode, 64, (more, answer.stderr))
            self.assertIn(word, answer.stderr)


if __name__ == "__main__":
    unittest.main()
