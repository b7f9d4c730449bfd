"""Boards as server-sent events: snapshot, changes, resumption, and slow or vanished clients."""

import json
import os
import signal
import socket
import statistics
import threading
import time
import unittest
from contextlib import suppress

from program import Folder
from realtime_stage import (
    BOARD, FEW, LAUSANNE, STRONG_TAG, Stage, ask, feed, instant, late,
    load_side_by_side as load_tests, trip, wait_for,
)

STREAM = BOARD.replace("?", "/stream?")
BUDGET = 5
"""How long a board may take, in seconds."""
BEAT = 15
"""The time between two signs of life, in seconds."""
SLACK = 20
"""What a busy machine may add, in seconds."""


def patched(board: dict, change: dict) -> dict:
    """A board with a change, as a client makes it."""
    rows = {one["key"]: one for one in board["departures"]}
    for key in change["removed"]:
        del rows[key]
    rows |= {one["key"]: one for one in change["departures"]}
    rest = {k: v for k, v in change.items() if k not in {"removed", "departures", "order"}}
    return {**board, **rest, "departures": [rows[key] for key in change["order"]]}


def visible(board: dict) -> dict:
    """What people see of a board."""
    return {key: board[key] for key in ("station", "departures", "banners", "noService")}


class StreamTest(unittest.TestCase):
    """Common ground: a stage with one publication in use, and streams that are closed."""

    def stage(self, *options, **more):
        stage = Stage(*options, **more)
        self.addCleanup(stage.close)
        self.at = stage.trips.publish(late(trip(2), 180))
        stage.applied(self.at)
        return stage

    def open(self, stage, path="", **fields):
        stream = stage.stream(path, **fields)
        self.addCleanup(stream.close)
        return stream


class EventTest(StreamTest):
    """What comes, and when."""

    def test_a_stream_begins_with_the_board(self):
        stage = self.stage()
        stream = self.open(stage)
        self.assertEqual(stream.answer.status, 200)
        self.assertEqual(stream.answer.getheader("Content-Type").split(";")[0], "text/event-stream")
        self.assertEqual(stream.answer.getheader("Cache-Control"), "no-store")
        snapshot = stream.next()
        self.assertEqual(snapshot.name, "snapshot")
        board = stage.board()
        self.assertEqual(visible(snapshot.data), visible(board.board))
        self.assertEqual(snapshot.id, board["ETag"])
        self.assertRegex(snapshot.id, f"^{STRONG_TAG.pattern}$")
        self.assertEqual(snapshot.data["meta"]["responseMode"], "full")

    def test_changes_lead_to_the_board(self):
        """Delays, order, rows that go: patched boards equal those that are asked for."""
        stage = self.stage()
        stream = self.open(stage)
        board = stream.next("snapshot").data
        for updates in (
            [late(trip(2), 240)],
            [late(trip(2), 240), late(trip(0), 3000)],
            [late(trip(0), 20_000), late(trip(3), 60, platform="8501120:0:9")],
            [late(trip(3), 120)],
        ):
            stage.trips.publish(*updates)
            change = stream.next("change")
            board = patched(board, change.data)
            asked = stage.board()
            self.assertEqual(visible(board), visible(asked.board))
            self.assertEqual(change.id, asked["ETag"])
            self.assertEqual(len(board["departures"]), FEW)

    def test_a_change_is_small(self):
        stage = self.stage()
        stream = self.open(stage, STREAM + "0")
        snapshot = stream.next("snapshot")
        stage.trips.publish(late(trip(2), 240))
        change = stream.next("change")
        self.assertEqual([one["trip_id"] for one in change.data["departures"]], [trip(2)])
        self.assertLess(len(change.text), len(snapshot.text) / 3)

    def test_changes_come_at_once(self):
        stage = self.stage()
        stream = self.open(stage)
        stream.next("snapshot")
        waits = []
        for seconds in (240, 300, 360, 420, 480):
            stage.trips.publish(late(trip(2), seconds))
            event = stream.next("change")
            self.assertEqual(event.data["departures"][0]["rawDelaySec"], seconds)
            waits.append(event.at - stage.trips.first_served(stage.trips.number))
        print("stream: from the feed's bytes to the event, ms:", [round(1000 * w) for w in waits])
        # A stream that told changes with its signs of life only would take half of their distance, in the middle.
        self.assertLess(statistics.median(waits), BEAT / 3)

    def test_time_alone_is_told_too(self):
        """A train that left leaves the board without any publication."""
        stage = self.stage(begin="2026-11-24T07:12:40Z")
        stream = self.open(stage)
        first = stream.next("snapshot").data["departures"][0]
        # The delay of another row may be shown first.
        while not (change := stream.next("change")).data["removed"]:
            pass
        self.assertEqual(change.data["removed"], [first["key"]])
        gone = instant(first["scheduledDeparture"]) + 45
        self.assertGreater(stage.now(), gone - 1.5)
        self.assertLess(stage.now(), gone + SLACK)

    def test_a_publication_without_a_change_still_tells_its_age(self):
        """Otherwise the age on the screen grows while the server has newer data."""
        stage = self.stage()
        stream = self.open(stage)
        snapshot = stream.next("snapshot")
        self.assertEqual(instant(snapshot.data["meta"]["rtFetchedAt"]), self.at)
        at = stage.trips.publish(late(trip(2), 180))
        told = stream.next()
        self.assertEqual((told.name, told.id), ("verified", snapshot.id))
        self.assertEqual(set(told.data), {"rt", "alerts", "meta"})
        self.assertEqual(told.data["alerts"]["fetchedAt"], told.data["meta"]["alertsFetchedAt"])
        self.assertEqual(instant(told.data["meta"]["rtFetchedAt"]), at)
        self.assertGreaterEqual(instant(told.data["meta"]["nextExpectedAt"]), at + at - self.at)

    def test_a_source_that_is_asked_in_vain_tells_nothing(self):
        """Polls that bring nothing new cost the clients nothing."""
        stage = self.stage()
        stream = self.open(stage)
        stream.next("snapshot")
        stage.trips.wait_for_next(8)
        self.assertEqual([event.name for event in stream.events], ["snapshot"])

    def test_a_bad_moment_does_not_last(self):
        """A stream that was opened while the server was suspended has realtime when it runs again."""
        stage = self.stage("--slow", "timetable=1000")
        streams = []
        client = threading.Thread(target=lambda: streams.append(self.open(stage)))
        client.start()
        time.sleep(0.4)
        stage.server.process.send_signal(signal.SIGSTOP)
        time.sleep(BUDGET + 0.5)
        stage.server.process.send_signal(signal.SIGCONT)
        client.join()
        streams[0].next("snapshot")
        stage.trips.publish(late(trip(2), 240))
        board = streams[0].next("change").data
        self.assertEqual(board["meta"]["rtStatus"], "applied")

    def test_signs_of_life(self):
        stage = self.stage()
        began = time.monotonic()
        stream = self.open(stage)
        stream.next("snapshot")
        first = wait_for(lambda: stream.comments, "a comment", within=BEAT + SLACK)[0]
        self.assertGreater(first.at - began, BEAT - 4)
        self.assertLess(first.at - began, BEAT + SLACK)

    def test_a_bad_question_is_an_error(self):
        stage = self.stage()
        for path, status in (
            ("/api/stationboard/stream", 400),
            ("/api/stationboard/stream?stop_id=nowhere", 404),
            (f"{STREAM}&window_minutes=long", 400),
        ):
            answer = stage.ask(path)
            self.assertEqual(answer.status, status, path)
            self.assertIn("error", answer.board)

    def test_languages(self):
        stage = self.stage()
        names = {
            lang: self.open(stage, f"/api/stationboard/stream?stop_id=Parent8501008&lang={lang}")
            .next("snapshot") for lang in ("fr", "de")
        }
        self.assertEqual(names["fr"].data["station"]["name"], "Genève")
        self.assertEqual(names["de"].data["station"]["name"], "Genf")
        self.assertNotEqual(names["fr"].id, names["de"].id)


class ResumeTest(StreamTest):
    """Clients that come back."""

    def test_nothing_new(self):
        stage = self.stage()
        stream = self.open(stage)
        last = stream.next("snapshot").id
        stream.close()
        again = self.open(stage, last=last)
        stage.trips.publish(late(trip(2), 240))
        again.next("change")
        heard = [event.name for event in again.events]
        self.assertLessEqual(set(heard), {"verified", "change"}, "the client has the board already")

    def test_something_new(self):
        """The changes since, as if the client had never been away."""
        stage = self.stage()
        stream = self.open(stage)
        snapshot = stream.next("snapshot")
        stage.trips.publish(late(trip(2), 240))
        board = patched(snapshot.data, stream.next("change").data)
        stream.close()
        stage.applied(stage.trips.publish(late(trip(2), 240), late(trip(0), 3_000)))
        asked = stage.applied(stage.trips.publish(late(trip(2), 300), late(trip(0), 3_000)))
        for last, mine in ((snapshot.id, snapshot.data), (stream.events[-1].id, board)):
            event = self.open(stage, last=last).next()
            self.assertEqual(event.name, "change")
            self.assertEqual(visible(patched(mine, event.data)), visible(asked.board))
            self.assertEqual(event.id, asked["ETag"])

    def test_an_unknown_id(self):
        stage = self.stage()
        stream = self.open(stage, last='"of-another-server"')
        self.assertEqual(stream.next().name, "reset")
        self.assertEqual(stream.next().name, "snapshot")

    def test_after_a_restart_of_the_server(self):
        """An id is what people see: the same board has the same id in the next process."""
        stage = self.stage()
        stream = self.open(stage)
        last = stream.next("snapshot").id
        stage.server.process.kill()
        stream.ends()
        stage.server.__exit__()
        stage.restart()
        stage.applied(self.at)
        again = self.open(stage, last=last)
        stage.trips.publish(late(trip(2), 240))
        self.assertEqual(again.next("change", "snapshot", "reset").name, "change")


class ClientTest(StreamTest):
    """Clients that do not read, or are gone."""

    def memory(self, stage) -> int:
        """The resident memory of the server, in bytes."""
        with open(f"/proc/{stage.server.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def sockets(self, stage) -> int:
        """The open sockets of the server. Its databases are opened when they are first written."""
        count, folder = 0, f"/proc/{stage.server.process.pid}/fd"
        for name in os.listdir(folder):
            with suppress(FileNotFoundError):
                count += os.readlink(f"{folder}/{name}").startswith("socket:")
        return count

    def released(self, stage, sockets, what):
        """Waits until no request waits and the sockets are closed."""
        began = time.monotonic()
        wait_for(lambda: stage.waiting() == 0, "no waiters")
        wait_for(lambda: self.sockets(stage) <= sockets + 2, "closed sockets")
        print(f"{what}: released {time.monotonic() - began:.2f} s after the clients had gone")
        self.assertEqual(ask(stage.port, BOARD).status, 200)

    def test_a_client_that_does_not_read(self):
        """Tick after tick: the server keeps nothing for it, and then it gets the newest board."""
        # With limits of which a busy machine stays clear: what is tested is memory, not when a reader is given up.
        settings = Folder()
        self.addCleanup(settings.remove)
        (settings / "settings.json").write_text(json.dumps({"limits": {"stalledSeconds": 600}}))
        stage = self.stage("--config", str(settings / "settings.json"))
        lazy = []
        for _ in range(20):
            line = socket.socket()
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.connect(("127.0.0.1", stage.port))
            self.addCleanup(line.close)
            path = f"/api/stationboard/stream?stop_id={LAUSANNE}&limit=500&window_minutes=720"
            line.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            lazy.append(line)
        reader = self.open(stage)
        reader.next("snapshot")
        board = stage.ask(f"/api/stationboard?stop_id={LAUSANNE}&limit=500&window_minutes=720")
        everyone = [one["trip_id"] for one in board.departures]

        def tick(seconds):
            stage.trips.put(feed(stage.now(), [late(one, seconds) for one in everyone]))
            reader.next("change")

        for round_ in range(20):
            tick(60 + round_)
        before = self.memory(stage)
        for round_ in range(40):
            tick(600 + round_)
        grown = self.memory(stage) - before
        size = len(board.body)
        print(f"stream: 40 ticks of {size / 1e6:.2f} MB and {len(lazy)} clients that do not read:"
              f" {grown / 1e6:+.1f} MB of memory")
        self.assertLess(grown, len(lazy) * 3 * size)
        # Then one of them reads: what was under way, and soon the newest, without those between.
        line, heard = lazy[0], b""
        line.settimeout(30)
        while b'"rawDelaySec":639' not in heard:
            part = line.recv(1 << 16)
            self.assertTrue(part, "the stream ended")
            heard += part
        print(f"stream: {heard.count(b'event: ')} of 61 events for one that read late")
        self.assertLess(heard.count(b"event: "), 45, "coalesced")

    def test_a_client_that_is_gone(self):
        stage = self.stage()
        sockets = self.sockets(stage)
        streams = [self.open(stage) for _ in range(20)]
        for stream in streams:
            stream.next("snapshot")
        self.assertEqual(stage.waiting(), 20)
        for stream in streams:
            stream.close()
        self.released(stage, sockets, "stream")

    def test_a_poller_that_is_gone(self):
        """A long poll ends with its client."""
        stage = self.stage()
        tag = stage.board()["ETag"]
        sockets = self.sockets(stage)
        lines = []
        for _ in range(20):
            line = socket.create_connection(("127.0.0.1", stage.port))
            line.sendall(
                f"GET {BOARD} HTTP/1.1\r\nHost: x\r\nIf-None-Match: {tag}\r\n"
                "Prefer: wait=50\r\n\r\n".encode()
            )
            lines.append(line)
        wait_for(lambda: stage.waiting() == 20, "the polls")
        for line in lines:
            line.close()
        self.released(stage, sockets, "long poll")

    def test_a_client_that_is_gone_before_the_first_event(self):
        """A request must not be lost in the long-poll limiter while the board is rendered."""
        stage = Stage("--slow", "timetable=1500")
        self.addCleanup(stage.close)
        stage.trips.publish()
        sockets = self.sockets(stage)
        lines = []
        for _ in range(20):
            line = socket.create_connection(("127.0.0.1", stage.port))
            line.sendall(f"GET {STREAM} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            lines.append(line)
        wait_for(lambda: stage.waiting() == 20, "the streams")
        for line in lines:
            line.close()
        self.released(stage, sockets, "stream before its first event")


if __name__ == "__main__":
    unittest.main()
