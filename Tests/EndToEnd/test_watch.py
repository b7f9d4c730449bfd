"""`freshet watch` against servers that are broken on purpose."""

import gzip
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
import unittest
from email.utils import formatdate
from pathlib import Path

from program import PROGRAM, Folder, run
from side_by_side import SideBySide
from test_terminal import Screen
from watching import (
    JSON, LONGEST, NOT_MODIFIED, TOO_MANY, Broken, Document, Watch, always, forbidden, hanging,
    in_turn, reply,
)

FAST = {
    "every": 300, "timeout": 30_000, "retryDelay": 100, "ladder": [300, 600, 1200],
    "ladderJitter": {"above": 10}, "leastInterval": 200, "recheck": 1500, "recheckGone": 1500, "spread": 0,
    "unchangedLimit": None, "unchangedFor": None,
}
"""The constants of most tests: as the presets have them, and ten times as fast; only a timeout that a test is about
(TIMEOUT) is shorter than a busy machine needs for an answer."""
TIMEOUT = 2_000
"""The timeout of tests of timeouts, in milliseconds."""
LAST_STEP = 1.2 * 1.1
"""The last step of that ladder with its jitter, in seconds."""
SLACK = 20
"""What a busy machine may add to a wait, in seconds; the program's own figures are held against narrower bounds."""
EARLY = 0.02
"""How much earlier than promised a wait may seem to end, since clocks are read in milliseconds."""

GOOD = Document(b'{"n": 1}', '"good"')
BETTER = Document(b'{"n": 2}', '"better"')
UNAVAILABLE = always(reply("503 Service Unavailable"))


def load_tests(loader, tests, pattern) -> SideBySide:
    """Nearly all of the time is waiting."""
    suite = SideBySide([tests])
    suite.most = 14
    return suite


class WatchTest(unittest.TestCase):
    """Common ground: servers, programs and policies that are gone after the test."""

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)

    def broken(self, answer):
        server = Broken(answer)
        self.addCleanup(server.kill_if_alive)
        return server

    def policy(self, **changes):
        """A policy file with the fast constants and some changes."""
        path = self.folder / f"policy-{len(os.listdir(self.folder.path))}.json"
        path.write_text(json.dumps({**FAST, **changes}))
        return str(path)

    def start(self, *arguments, **options):
        watch = Watch(*arguments, **options)
        self.addCleanup(watch.close)
        return watch

    def watch(self, server, *options, path="/", **changes):
        """Watches a server with the fast constants, and prints JSON Lines."""
        return self.start(
            server.url + path, "--json", "--policy", self.policy(**changes), *options
        )

    def after_a_copy(self, answer, *options, **changes):
        """Watches a server that is all right once, and gives this answer from then on."""
        server = self.broken(in_turn(GOOD, answer))
        watch = self.watch(server, *options, **changes)
        watch.event("changed", first=True)
        return server, watch

    def keeps_its_copy(self, watch, failing):
        """The failure is shown beside the copy and its age, and is not reported as a change."""
        self.assertIn("ageMs", failing)
        self.assertGreaterEqual(failing["ageMs"], 0)
        self.assertEqual(len(watch.events("changed")), 1)

    def recovers(self, server, watch):
        """The server is all right again: the copy is confirmed and the failure gone."""
        server.answer = GOOD
        watch.event("recovered")
        self.assertEqual(len(watch.events("changed")), 1)
        server.answer = BETTER
        change = watch.event("changed")
        self.assertEqual(change["differences"], [{"place": "n", "was": "1", "becomes": "2"}])

    def only_sends_tags(self, server, *tags):
        sent = {question["If-None-Match"] for question in server.questions}
        self.assertLessEqual(sent, {None, *tags})


class OutageTest(WatchTest):
    """Servers that are gone, silent, slow or break off."""

    def test_a_server_that_is_killed_and_restarted(self):
        server = self.broken(GOOD)
        watch = self.watch(server)
        watch.event("changed", first=True)
        watch.event("request", outcome="unchanged", status=304)
        server.kill()
        failing = watch.event("failing", kind="unreachable")
        self.assertIn(f"127.0.0.1:{server.port} refuses connections", failing["says"])
        self.keeps_its_copy(watch, failing)
        # The ladder in order, from its first step, and no second line about the same failure.
        for _ in range(4):
            watch.event("request", outcome="unreachable")
        # The line of the first one may come before or after the one of the failure.
        asked = [event for event in watch.events("request") if event["outcome"] == "unreachable"]
        gaps = [b["startedAt"] - a["endedAt"] for a, b in zip(asked, asked[1:])]
        for gap, step in zip(gaps, [FAST["retryDelay"], 300, 600, 1200, 1200]):
            self.assertGreaterEqual(gap, step - 1)
            self.assertLess(gap, step * 1.1 + SLACK * 1000)
        self.assertEqual(len(watch.events("failing")), 1)
        server.start()
        began = time.monotonic()
        recovered = watch.event("recovered")
        self.assertLess(time.monotonic() - began, LAST_STEP + SLACK)
        self.assertLess(recovered["ageMs"], recovered["changedAgoMs"] - 1_000, "a copy that was confirmed is fresh")
        self.assertGreater(recovered["changedAgoMs"], 2_000, "and it is the old one")
        self.assertEqual(recovered["failuresInARow"], 0)
        self.assertEqual(server.questions[-1]["If-None-Match"], '"good"')
        self.recovers_to_better(server, watch)

    def recovers_to_better(self, server, watch):
        self.assertEqual(len(watch.events("changed")), 1)
        server.answer = BETTER
        change = watch.event("changed")
        self.assertEqual(change["entityTag"], '"better"')
        self.assertFalse(change["first"])

    def test_a_server_that_is_not_there_yet(self):
        server = self.broken(GOOD)
        server.kill()
        watch = self.watch(server)
        failing = watch.event("failing", kind="unreachable")
        self.assertNotIn("ageMs", failing, "no copy has no age")
        server.start()
        watch.event("changed", first=True)
        watch.event("recovered")

    def test_the_age_grows_while_the_server_is_down(self):
        server, watch = self.after_a_copy(UNAVAILABLE)
        arrived = time.monotonic()
        watch.event("failing", kind="server_error")
        server.answer = always(reply("500 Internal Server Error"))
        first = watch.event("failing", status=500)
        server.answer = always(reply("502 Bad Gateway"))
        second = watch.event("failing", status=502)
        upper = (time.monotonic() - arrived + SLACK) * 1000
        self.assertGreaterEqual(second["ageMs"] - first["ageMs"], 590, "a step of the ladder")
        self.assertLess(second["ageMs"], upper)
        # R37: the time in which the answer came is part of the age.
        self.assertGreaterEqual(second["ageMs"], second["verifiedAgoMs"])

    def test_a_silent_server_ends_by_timeout(self):
        """A half-open socket: it accepts and never answers."""
        server, watch = self.after_a_copy(hanging, timeout=TIMEOUT)
        request = watch.event("request", outcome="timed_out")
        self.assertGreaterEqual(request["durationMs"], TIMEOUT - 1)
        self.assertLess(request["durationMs"], TIMEOUT + SLACK * 1000)
        failing = watch.event("failing", kind="timed_out", says="no answer in time")
        self.keeps_its_copy(watch, failing)
        self.recovers(server, watch)

    def test_a_listener_that_is_not_served(self):
        """The kernel takes the connection; no process ever reads from it."""
        listener = socket.socket()
        self.addCleanup(listener.close)
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        watch = self.start(url, "--json", "--policy", self.policy(timeout=TIMEOUT))
        failing = watch.event("failing", kind="timed_out")
        self.assertNotIn("ageMs", failing)

    def test_a_kept_connection_that_died_is_replaced(self):
        """The connection of the first answer never answers again; a new one does."""

        def first_only(question, line):
            if question.connection == 1 and len(server.questions) > 1:
                line.left()
                return None
            return GOOD(question, line)

        server = self.broken(first_only)
        watch = self.watch(server, timeout=TIMEOUT)
        watch.event("changed", first=True)
        watch.event("request", outcome="timed_out")
        watch.event("request", outcome="unchanged")
        self.assertEqual(watch.events("failing"), [], "one silent retry is enough")
        self.assertNotEqual(server.questions[-1].connection, 1)

    def test_a_kept_connection_that_the_server_closes_is_not_a_failure(self):
        """Every second request finds its connection closed in its face."""

        def moody(question, line):
            seen = sum(1 for one in server.questions if one.connection == question.connection)
            return GOOD(question, line) if seen == 1 else None

        server = self.broken(moody)
        watch = self.watch(server)
        for _ in range(4):
            watch.event("request", outcome="unchanged")
        self.assertEqual(watch.events("failing"), [])
        outcomes = {one["outcome"] for one in watch.events("request")}
        self.assertEqual(outcomes, {"content", "unchanged"})

    def test_a_slow_loris(self):
        """The head, or the body, comes byte by byte; the time of the whole answer counts."""
        endless = b"x" * 10_000
        chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        slow = {
            "head": b"HTTP/1.1 200 OK\r\nX-Endless: " + endless,
            "status line": b"HTTP/1.1 200 " + endless,
            "body": b"HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n" + endless,
            "chunks": chunked + b"1\r\nx\r\n" * 1_000,
        }
        for name, content in slow.items():
            with self.subTest(name):
                gone = []
                server, watch = self.after_a_copy(
                    lambda question, line, content=content: gone.append(line.dribble(content)),
                    timeout=TIMEOUT,
                )
                request = watch.event("request", outcome="timed_out")
                self.assertGreaterEqual(request["durationMs"], TIMEOUT - 1)
                self.assertLess(request["durationMs"], TIMEOUT + SLACK * 1000)
                failing = watch.event("failing", kind="timed_out")
                self.keeps_its_copy(watch, failing)
                self.recovers(server, watch)
                self.assertEqual(gone, [False] * len(gone), "the connection was closed")
                self.assertGreater(len(gone), 1)

    def test_a_slow_answer_that_ends_in_time(self):
        content = reply("200 OK", b"[1]", JSON)
        server = self.broken(lambda question, line: None if line.dribble(content, 0.002) else None)
        watch = self.watch(server)
        self.assertEqual(watch.event("changed", first=True)["bytes"], 3)
        self.assertEqual(watch.events("failing"), [])

    def test_the_ten_seconds_of_the_preset(self):
        server = self.broken(hanging)
        slow = self.broken(lambda question, line: line.dribble(b"HTTP/1.1 200 " + b"x" * 9_999))
        watches = [self.start(one.url, "--json") for one in [server, slow]]
        for watch in watches:
            request = watch.event("request", outcome="timed_out")
            self.assertGreaterEqual(request["durationMs"], 9_999)
            self.assertLess(request["durationMs"], 10_000 + SLACK * 1000)

    def breaks(self, answer, says, kind="unreachable"):
        """The answer breaks off: the copy stays, and the reason is told."""
        server, watch = self.after_a_copy(answer)
        failing = watch.event("failing", kind=kind)
        self.assertRegex(failing["says"], says)
        self.keeps_its_copy(watch, failing)
        self.recovers(server, watch)
        self.only_sends_tags(server, '"good"', '"better"')

    def test_a_body_shorter_than_its_length(self):
        whole = reply("200 OK", b'{"n": 2}' + b" " * 500, JSON, 'ETag: "short"')

        def short(question, line):
            line.send(whole[:-400])

        self.breaks(short, "closed the connection in the middle of its answer")

    def test_chunks_that_break_off(self):
        head = b'HTTP/1.1 200 OK\r\nETag: "short"\r\nTransfer-Encoding: chunked\r\n\r\n'

        def short(question, line):
            line.send(head + b"5\r\n[1,2]\r\n")

        self.breaks(short, "closed the connection in the middle of its answer")

    def test_a_head_that_breaks_off(self):
        def short(question, line):
            line.send(b"HTTP/1.1 200 OK\r\nContent-Type: appl")

        self.breaks(short, "closed the connection")

    def test_a_connection_that_is_closed_without_an_answer(self):
        self.breaks(lambda question, line: None, "closed the connection without an answer")

    def test_a_connection_that_is_reset(self):
        def before(question, line):
            line.reset()

        def within(question, line):
            line.send(b'HTTP/1.1 200 OK\r\nETag: "torn"\r\nContent-Length: 50\r\n\r\n[1,2')
            # The client has to read what came before the reset overtakes it.
            line.left(0.1)
            line.reset()

        for answer in [before, within]:
            with self.subTest(answer.__name__):
                self.breaks(answer, "broke the connection off|closed the connection")

    def test_something_that_is_not_http(self):
        self.breaks(
            lambda question, line: line.send(b"SSH-2.0-OpenSSH_9.2\r\n") and None,
            "does not speak HTTP",
        )

    def test_a_body_until_the_end_of_the_connection(self):
        """An HTTP/1.0 response without a length is valid."""
        old = b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nhello"
        server = self.broken(lambda question, line: line.send(old) and None)
        watch = self.watch(server, "--body")
        self.assertEqual(watch.event("changed")["body"], "hello")

    def test_an_interim_answer_is_passed_over(self):
        early = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n"
        server = self.broken(lambda question, line: early + GOOD(question, line))
        watch = self.watch(server)
        self.assertEqual(watch.event("changed")["bytes"], 8)
        watch.event("request", outcome="unchanged")


class RateTest(WatchTest):
    """429 and 503: the server says when it wants to be asked again."""

    def pause(self, status, *fields, kind="throttled", **changes):
        """The wait between such an answer and the next request, in seconds."""
        refusal = always(reply(status, b"", *fields))
        server, watch = self.after_a_copy(in_turn(refusal, GOOD), **changes)
        failing = watch.event("failing", kind=kind, status=int(status[:3]))
        self.keeps_its_copy(watch, failing)
        self.next_in = failing["nextInMs"] / 1000
        watch.event("recovered")
        _, refused, after = server.wait_for(3)[:3]
        self.assertTrue(after.is_conditional)
        return failing, after.at - refused.answered_at

    next_in = 0.0
    """The wait as the program tells it, in seconds."""

    def waits(self, wait, least, most=None):
        self.assertGreaterEqual(wait, least - EARLY)
        self.assertLessEqual(self.next_in, (most or least) + EARLY)
        self.assertLess(wait, (most or least) + SLACK)

    def test_seconds(self):
        failing, wait = self.pause(TOO_MANY, "Retry-After: 2")
        self.waits(wait, 2)
        self.assertIn("a pause of 2 s (429)", failing["says"])
        self.assertGreater(failing["nextInMs"], 1_500)
        failing, wait = self.pause("503 Service Unavailable", "Retry-After: 2")
        self.waits(wait, 2)
        self.assertIn("a pause of 2 s (503)", failing["says"])

    def test_dates_are_measured_by_the_servers_clock(self):
        """All three forms, and a server whose clock is three hours off."""
        now = int(time.time()) + 3 * 3_600
        forms = ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"]
        for form in forms:
            with self.subTest(form):
                _, wait = self.pause(
                    TOO_MANY,
                    f"Date: {formatdate(now, usegmt=True)}",
                    f"Retry-After: {time.strftime(form, time.gmtime(now + 2))}",
                )
                self.waits(wait, 2)

    def test_a_date_without_the_servers_clock(self):
        """It cannot be measured, and the device's clock may be wrong: a minute, or the cap (R39)."""
        field = f"Retry-After: {formatdate(int(time.time()) + 3, usegmt=True)}"
        _, watch = self.after_a_copy(always(reply(TOO_MANY, b"", field)))
        failing = watch.event("failing", kind="throttled", status=429)
        self.assertIn("a pause of 60 s", failing["says"])
        self.assertGreater(failing["nextInMs"], 60_000 - SLACK * 1_000)
        _, wait = self.pause(TOO_MANY, field, retryAfterCap=1_500)
        self.waits(wait, 1.5)

    def test_a_wait_that_is_too_long_is_cut(self):
        for value in ["86400", "99999999999999999999", "Fri, 31 Dec 9999 23:59:59 GMT"]:
            with self.subTest(value):
                _, wait = self.pause(
                    TOO_MANY, f"Retry-After: {value}", retryAfterCap=1_500
                )
                self.waits(wait, 1.5)

    def test_without_a_wait_the_ladder_counts(self):
        for fields in [[], ["Retry-After: soon"], ["Retry-After: -1"], ["Retry-After: 0"]]:
            with self.subTest(fields):
                _, wait = self.pause(TOO_MANY, *fields)
                self.waits(wait, 0.3, 0.33)

    def test_a_short_wait_does_not_shorten_the_ladder(self):
        _, wait = self.pause("503 Service Unavailable", "Retry-After: 1", ladder=[2_000])
        self.waits(wait, 2, 2.2)

    def test_503_without_a_wait(self):
        """A failure like any other: one silent retry, then the ladder."""
        server, watch = self.after_a_copy(UNAVAILABLE)
        failing = watch.event("failing", kind="server_error", status=503)
        self.assertEqual(failing["says"], "the server failed (503)")
        self.keeps_its_copy(watch, failing)
        asked = server.wait_for(5)[1:]
        gaps = [after.at - before.answered_at for before, after in zip(asked, asked[1:])]
        for gap, step in zip(gaps, [0.1, 0.3, 0.6]):
            self.waits(gap, step, step * 1.1)
        self.recovers(server, watch)

    def test_the_first_answer_is_429(self):
        server = self.broken(in_turn(always(reply(TOO_MANY, b"", "Retry-After: 1")), GOOD))
        watch = self.watch(server)
        failing = watch.event("failing", kind="throttled")
        self.assertNotIn("ageMs", failing)
        watch.event("changed", first=True)
        self.waits(server.questions[1].at - server.questions[0].answered_at, 1)


class BodyTest(WatchTest):
    """Bodies that cannot be used."""

    def is_unusable(self, content, says, **changes):
        """The copy stays, the reason is told, and the tag of the body is never sent back."""
        server, watch = self.after_a_copy(always(content), **changes)
        failing = watch.event("failing")
        self.assertRegex(failing["says"], says)
        self.keeps_its_copy(watch, failing)
        self.recovers(server, watch)
        self.only_sends_tags(server, '"good"', '"better"')
        return failing

    def test_corrupt_json(self):
        bad = 'ETag: "bad"'
        for body in [b'{"n": ', b"<html>", b"", b'{"n": "\xff"}', b'{"n": 1} trailing']:
            with self.subTest(body):
                failing = self.is_unusable(reply("200 OK", body, JSON, bad), r"JSON|no body")
                self.assertEqual(failing["kind"], "undecodable")
                self.assertEqual(failing["status"], 200)
        problem = "Content-Type: application/geo+json; charset=utf-8"
        self.is_unusable(reply("200 OK", b"[", problem, bad), "the Content-Type is JSON, but the body is not valid JSON")

    def test_corrupt_json_at_first(self):
        bad = always(reply("200 OK", b"{", JSON, 'ETag: "bad"'))
        server = self.broken(in_turn(bad, bad, bad, GOOD))
        watch = self.watch(server)
        failing = watch.event("failing", kind="undecodable")
        self.assertNotIn("ageMs", failing)
        watch.event("changed", first=True)
        self.assertEqual([one["If-None-Match"] for one in server.questions[:4]], [None] * 4)

    def test_text_that_looks_like_broken_json_is_text(self):
        server = self.broken(Document(b'{"n": ', '"text"', ["Content-Type: text/plain"]))
        watch = self.watch(server)
        watch.event("changed", first=True)
        watch.event("request", outcome="unchanged")

    def test_corrupt_gzip(self):
        whole = gzip.compress(b'{"n": 3}' + b" " * 2_000 + os.urandom(500).hex().encode())
        changed = bytearray(whole)
        for index in range(100, 140):
            changed[index] ^= 0xFF
        checksum = whole[:-8] + bytes(4) + whole[-4:]
        bodies = {
            "no gzip": b'{"n": 3}', "cut": whole[: len(whole) // 2], "changed": bytes(changed),
            "checksum": checksum,
        }
        for name, body in bodies.items():
            with self.subTest(name):
                fields = ["Content-Type: text/plain", "Content-Encoding: gzip", 'ETag: "bad"']
                content = reply("200 OK", body, *fields)
                self.is_unusable(content, "compressed content that cannot be read")

    def test_gzip(self):
        """The decompressed body counts, and a 304 may carry the encoding too."""
        body = gzip.compress(b'{"n": 1}')
        server = self.broken(Document(body, '"gzip"', [JSON, "Content-Encoding: gzip"]))
        watch = self.watch(server, "--body")
        self.assertEqual(watch.event("changed")["body"], '{"n": 1}')
        watch.event("request", outcome="unchanged")
        self.assertIn("gzip", server.questions[0]["Accept-Encoding"])

    def test_a_huge_body(self):
        """67108864 bytes are the limit: announced, sent in chunks, and hidden in gzip."""
        def announced(question, line):
            line.send(b'HTTP/1.1 200 OK\r\nETag: "huge"\r\nContent-Length: 67108865\r\n\r\n')
            self.assertTrue(line.left(), "the client does not wait for the rest")

        def chunked(question, line):
            line.send(b'HTTP/1.1 200 OK\r\nETag: "huge"\r\nTransfer-Encoding: chunked\r\n\r\n')
            chunk = b"100000\r\n" + bytes(1 << 20) + b"\r\n"
            while line.send(chunk):
                pass

        bomb = gzip.compress(bytes((64 << 20) + 1), 6)

        def compressed(question, line):
            return reply("200 OK", bomb, "Content-Encoding: gzip", 'ETag: "huge"')

        watches = []
        for answer in [announced, chunked, compressed]:
            server, watch = self.after_a_copy(answer)
            watches.append((answer.__name__, server, watch))
        for name, server, watch in watches:
            with self.subTest(name):
                failing = watch.event("failing")
                self.assertIn("larger than 67108864 bytes", failing["says"])
                self.assertEqual(failing["kind"], "undecodable")
                self.keeps_its_copy(watch, failing)
                self.recovers(server, watch)
                self.only_sends_tags(server, '"good"', '"better"')

    def test_a_huge_head(self):
        def huge(question, line):
            line.send(b"HTTP/1.1 200 OK\r\n")
            number = 0
            while line.send(f"X-{number}: {'x' * 1_000}\r\n".encode()):
                number += 1

        server, watch = self.after_a_copy(huge)
        failing = watch.event("failing")
        self.assertIn("head of the answer is larger than", failing["says"])
        self.keeps_its_copy(watch, failing)
        self.recovers(server, watch)


class ValidatorTest(WatchTest):
    """Entity tags and dates: right, wrong, odd and absent."""

    def test_a_304_that_speaks_of_another_copy(self):
        """It confirms nothing: the whole is asked for at once, once."""
        lie = always(reply(NOT_MODIFIED, None, 'ETag: "other"'))
        # A question of the schedule would come much later.
        server, watch = self.after_a_copy(in_turn(lie, BETTER), every=5_000)
        change = watch.event("changed")
        self.assertEqual(change["entityTag"], '"better"')
        first, second, third = server.wait_for(3)[:3]
        self.assertEqual(
            [one["If-None-Match"] for one in (first, second, third)], [None, '"good"', None]
        )
        self.assertLess(third.at - second.answered_at, 4, "at once")
        self.assertEqual(watch.events("failing"), [])

    def test_a_server_that_always_says_304_about_another_copy(self):
        """A copy that is never confirmed is not called fresh, and the server not hammered."""
        lie = always(reply(NOT_MODIFIED, None, 'ETag: "other"'))
        server, watch = self.after_a_copy(lie)
        failing = watch.event("failing")
        self.keeps_its_copy(watch, failing)
        self.assertLessEqual(len(server.questions), 5)
        self.recovers(server, watch)

    def test_a_304_to_a_first_request(self):
        """One unconditional request, then a failure that can be seen."""
        server = self.broken(always(reply(NOT_MODIFIED, None, 'ETag: "good"')))
        watch = self.watch(server, ladder=[4_000])
        failing = watch.event("failing", kind="missing_body", status=304)
        self.assertIn("without a condition", failing["says"])
        self.assertNotIn("ageMs", failing)
        asked = server.wait_for(3)
        self.assertFalse(any(one.is_conditional for one in asked))
        self.assertLess(asked[1].at - asked[0].answered_at, 3.5, "at once")
        self.assertGreaterEqual(asked[2].at - asked[1].answered_at, 4 - EARLY, "the ladder")
        self.assertEqual(watch.events("changed"), [])
        server.answer = GOOD
        watch.event("changed", first=True)
        watch.event("recovered")

    def test_a_204_to_a_first_request(self):
        server = self.broken(always(reply("204 No Content", None)))
        watch = self.watch(server)
        watch.event("failing", kind="missing_body", status=204)
        self.assertEqual(watch.events("changed"), [])

    def test_without_validators_bodies_are_compared(self):
        server = self.broken(Document(b'{"n": 1}'))
        watch = self.watch(server)
        watch.event("changed", first=True)
        for _ in range(3):
            watch.event("request", outcome="content", changed=False)
        self.assertEqual(sum(one["changed"] for one in watch.events("request")), 1)
        server.answer = Document(b'{"n": 2}')
        change = watch.event("changed")
        self.assertEqual(change["differences"], [{"place": "n", "was": "1", "becomes": "2"}])
        self.assertFalse(any(one.is_conditional for one in server.questions))
        self.assertEqual(len(watch.events("changed")), 2)

    def test_a_tag_that_moves_alone_is_not_a_change(self):
        tags = iter(range(1_000))

        def moving(question, line):
            return reply("200 OK", b'{"n": 1}', JSON, f'ETag: "{next(tags)}"')

        server = self.broken(moving)
        watch = self.watch(server)
        asked = server.wait_for(5)
        self.assertEqual(
            [one["If-None-Match"] for one in asked[:5]], [None, '"0"', '"1"', '"2"', '"3"']
        )
        watch.event("request", changed=False)
        self.assertEqual(len(watch.events("changed")), 1)

    def test_last_modified_alone(self):
        """The date is sent back as received, even if it is not valid."""
        dates = ["Tue, 24 Nov 2026 07:00:00 GMT", "Tuesday, 24-Nov-26 07:00:00 GMT", "yesterday"]
        for date in dates:
            with self.subTest(date):
                def dated(question, line, date=date):
                    if question["If-Modified-Since"] == date:
                        return reply(NOT_MODIFIED, None, f"Last-Modified: {date}")
                    return reply("200 OK", b'{"n": 1}', JSON, f"Last-Modified: {date}")

                server = self.broken(dated)
                watch = self.watch(server)
                watch.event("request", outcome="unchanged", conditional=True)
                self.assertIsNone(server.questions[1]["If-None-Match"])
                self.assertEqual(len(watch.events("changed")), 1)

    def test_tags_go_back_as_they_came(self):
        """Weak, without quotes, with commas, and with bytes that are not ASCII."""
        tags = [
            'W/"weak"', "bare", 'w/"lower"', '"with, comma"', '""', '"caf\xe9"', '"half', "W/bare",
            '"a"b"', '"' + "x" * 4_000 + '"',
        ]
        for tag in tags:
            with self.subTest(tag[:20]):
                server = self.broken(Document(b'{"n": 1}', tag))
                watch = self.watch(server)
                watch.event("request", outcome="unchanged", status=304)
                asked = server.wait_for(2)
                sent = [value for name, value in asked[1].fields if name == "If-None-Match"]
                self.assertEqual(sent, [tag])

    def test_a_server_that_ignores_conditions(self):
        server = self.broken(always(reply("200 OK", b'{"n": 1}', JSON, 'ETag: "good"')))
        watch = self.watch(server)
        for _ in range(3):
            watch.event("request", outcome="content", status=200)
        self.assertEqual(len(watch.events("changed")), 1)

    def test_a_wrong_validator_is_found_out(self):
        """A server that says 304 for ever is asked for the whole now and then."""
        stuck = always(reply(NOT_MODIFIED, None, 'ETag: "good"'))

        def frozen(question, line):
            return stuck(question, line) if question.is_conditional else BETTER(question, line)

        server = self.broken(in_turn(GOOD, frozen))
        watch = self.watch(server, unchangedLimit=3)
        watch.event("changed", first=True)
        watch.event("changed", entityTag='"better"')
        conditions = [one.is_conditional for one in server.questions[:5]]
        self.assertEqual(conditions, [False, True, True, True, False])


class StatusTest(WatchTest):
    """Answers that a repetition would not change, and redirections."""

    def rejects(self, status, kind, says, *fields, answer=None):
        server, watch = self.after_a_copy(always(answer or reply(status, b"", *fields)))
        failing = watch.event("failing", kind=kind, status=int(status[:3]))
        self.assertIn(says, failing["says"])
        self.keeps_its_copy(watch, failing)
        self.assertGreater(failing["nextInMs"], 1_000, "not soon")
        self.recovers(server, watch)
        asked = server.wait_for(3)
        self.assertGreaterEqual(asked[2].at - asked[1].answered_at, 1.5 - EARLY)
        return failing

    def test_404(self):
        self.rejects("404 Not Found", "refused", "refuses the question (404)")

    def test_401(self):
        challenge = "WWW-Authenticate: Basic"
        self.rejects("401 Unauthorized", "unauthorised", "refuses access (401)", challenge)

    def test_410(self):
        self.rejects("410 Gone", "gone", "gone for good (410)")

    def test_what_the_server_says_about_it_is_told(self):
        self.rejects(
            "403 Forbidden", "unauthorised", "refuses access (403): the key has expired",
            answer=forbidden("the key has expired"),
        )

    def test_404_at_first(self):
        content = reply("404 Not Found", b'{"error": "nothing"}', JSON, 'ETag: "404"')
        server = self.broken(always(content))
        watch = self.watch(server)
        watch.event("failing", kind="refused", status=404)
        server.wait_for(2)
        self.assertFalse(any(one.is_conditional for one in server.questions))
        self.assertEqual(watch.events("changed"), [])

    def test_a_redirection_is_followed(self):
        """The condition goes along: it is about the document at the end of the chain."""

        def moved(question, line):
            if question.path == "/old":
                return reply("302 Found", b"elsewhere", "Location: /new?a=1")
            return GOOD(question, line)

        server = self.broken(moved)
        watch = self.watch(server, path="/old")
        watch.event("changed", first=True)
        watch.event("request", outcome="unchanged", status=304)
        asked = server.wait_for(2, "/new?a=1")
        self.assertEqual(asked[1]["If-None-Match"], '"good"')

    def test_another_origin_is_not_told_credentials(self):
        target = self.broken(GOOD)
        moved = reply("307 Temporary Redirect", b"", f"Location: {target.url}/")
        server = self.broken(always(moved))
        fields = ["--header", "Authorization: Bearer secret", "--header", "X-Own: 1"]
        watch = self.watch(server, *fields)
        watch.event("changed", first=True)
        self.assertEqual(server.questions[0]["Authorization"], "Bearer secret")
        self.assertIsNone(target.questions[0]["Authorization"])
        self.assertIsNone(target.questions[0]["X-Own"], "a field of one's own may be a secret too")

    def test_a_redirection_in_a_circle(self):
        circle = always(reply("301 Moved Permanently", b"", "Location: /"))
        server, watch = self.after_a_copy(circle)
        failing = watch.event("failing", kind="undecodable", status=301)
        self.assertIn("the server redirects to /", failing["says"])
        self.keeps_its_copy(watch, failing)
        self.assertLessEqual(len(server.questions), 1 + 6 + 6 + 6)
        self.recovers(server, watch)

    def test_a_redirection_to_nowhere(self):
        for location in [[], ["Location: ftp://127.0.0.1/x"], ["Location: "]]:
            with self.subTest(location):
                server, watch = self.after_a_copy(always(reply("302 Found", b"", *location)))
                failing = watch.event("failing", kind="undecodable", status=302)
                self.keeps_its_copy(watch, failing)


class StreamTest(WatchTest):
    """`--events`: a stream says that the document changed."""

    PUSH = {"heartbeat": 400, "safetyPoll": 60_000, "leastGap": 100, "openTimeout": 800}
    HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

    def streaming(self, stream, **changes):
        """A document at `/` and a stream at `/events`."""

        def answer(question, line):
            chosen = stream if question.path == "/events" else self.document
            return chosen(question, line)

        self.document = GOOD
        server = self.broken(answer)
        changes = {"push": self.PUSH, **changes}
        watch = self.watch(server, "--events", f"{server.url}/events", **changes)
        watch.event("changed", first=True)
        return server, watch

    def test_a_change_is_seen_within_a_second(self):
        """With the constants that `--events` brings along."""
        told = []
        verified = threading.Event()

        def stream(question, line):
            line.send(self.HEAD)
            # The opening asks once; on a busy machine that takes longer than the rest.
            verified.wait(LONGEST)
            # Longer than the least gap between two requests (1 s), so that nothing holds it back.
            line.left(1.3)
            self.document = BETTER
            told.append(time.monotonic())
            line.send(b"data: changed\n\n")
            line.left()

        server, watch = self.streaming(stream, push=None)
        # One request at the opening: what happened before it was not announced.
        server.wait_for(2, "/")
        watch.event("request", outcome="unchanged")
        verified.set()
        self.assertEqual(server.wait_for(1, "/events")[0]["Accept"], "text/event-stream")
        change = watch.event("changed")
        # The poll that backs up the stream would come minutes later.
        self.assertLess(time.monotonic() - told[0], SLACK)
        self.assertEqual(change["entityTag"], '"better"')
        self.assertTrue(change["isStreaming"])
        self.assertEqual(len(server.wait_for(3, "/")), 3, "the stream replaces polling")

    def test_a_flood_of_news_is_one_request_now_and_then(self):
        """Each request sees news that it may have missed, and the next one keeps the gap."""

        def flood(question, line):
            line.send(self.HEAD)
            while not line.left(0.002) and line.send(b"data: changed\n\n"):
                pass

        server, watch = self.streaming(flood, push={**self.PUSH, "leastGap": 300})
        # The first copy and the opening need no gap; what news asks for does.
        server.wait_for(7, "/")
        self.document = BETTER
        watch.event("changed")
        # By the clock of the program: how late a request arrives is not its doing.
        asked = watch.events("request")[2:]
        self.assertGreater(len(asked), 3)
        for before, after in zip(asked, asked[1:]):
            self.assertGreaterEqual(after["startedAt"] - before["startedAt"], 300 - 1000 * EARLY)

    def test_heartbeats_keep_a_stream_alive(self):
        def beating(question, line):
            line.send(self.HEAD)
            while not line.left(0.1):
                line.send(b": beat\n\n")
                beats.append(time.monotonic())
                if len(beats) == 65:
                    self.document = BETTER
                    line.send(b"data: changed\n\n")

        beats = []
        # The watchdog waits for 3 s, so that a busy machine does not look dead.
        server, watch = self.streaming(beating, push={**self.PUSH, "heartbeat": 1_200})
        change = watch.event("changed")
        self.assertGreater(beats[64] - beats[0], 6, "twice as long as the watchdog waits")
        self.assertTrue(change["isStreaming"])
        self.assertEqual(len(server.wait_for(1, "/events")), 1)
        self.assertLessEqual(len(server.wait_for(3, "/")), 3)

    def test_a_silent_stream_falls_back_to_polling(self):
        def silent(question, line):
            line.send(self.HEAD)
            line.left()

        server, watch = self.streaming(silent)
        opened = server.wait_for(1, "/events")[0].at
        asked = server.wait_for(6, "/")
        # After 2.5 heartbeats; then at the normal interval, with the next try beside it.
        self.assertGreaterEqual(asked[3].at - opened, 1.0 - EARLY)
        self.assertLess(asked[5].at - asked[3].at, 3 * 0.3 + 0.4 + SLACK)
        self.document = BETTER
        change = watch.event("changed")
        self.assertEqual(change["entityTag"], '"better"')
        self.assertEqual(watch.events("failing"), [], "a lost stream is no failure of the document")
        server.wait_for(2, "/events")

    def test_streams_that_never_come_about(self):
        streams = {
            "404": always(reply("404 Not Found")),
            "503": UNAVAILABLE,
            "another type": always(reply("200 OK", b"data: x\n\n", "Content-Type: text/html")),
            "no head": hanging,
            "closed": lambda question, line: None,
            "empty": lambda question, line: line.send(self.HEAD) and None,
        }
        for name, stream in streams.items():
            with self.subTest(name):
                server, watch = self.streaming(stream)
                server.wait_for(4, "/")
                self.document = BETTER
                began = time.monotonic()
                watch.event("changed")
                self.assertLess(time.monotonic() - began, 0.3 + SLACK, "polled as without a stream")
                self.assertEqual(watch.events("failing"), [])
                self.assertGreaterEqual(len(server.wait_for(2, "/events")), 2, "tried again")

    def test_204_ends_the_stream_for_good(self):
        """As the WHATWG text says: no further attempt, and polling as if there were no stream."""
        server, watch = self.streaming(always(reply("204 No Content", None)))
        server.wait_for(12, "/")
        self.document = BETTER
        watch.event("changed")
        self.assertEqual(len(server.wait_for(1, "/events")), 1)
        # A request that comes late makes one gap short, but not most of them.
        gaps = [b.at - a.at for a, b in zip(server.questions[3:], server.questions[4:])]
        self.assertGreaterEqual(statistics.median(gaps), 0.2)

    def test_a_stream_that_ends_resyncs(self):
        """Each loss leads to one request, and the stream is opened again."""

        def short(question, line):
            line.send(self.HEAD + b"data: first\n\n")
            line.left(0.3)
            return None

        server, watch = self.streaming(short)
        server.wait_for(3, "/events")
        self.document = BETTER
        watch.event("changed")
        self.assertEqual(watch.events("failing"), [])

    def test_a_stream_without_end_of_line(self):
        """An event larger than the limit ends the stream, not the program."""

        def endless(question, line):
            line.send(self.HEAD + b"data: ")
            while line.send(b"x" * 65_536):
                pass

        server, watch = self.streaming(endless)
        server.wait_for(2, "/events")
        self.document = BETTER
        watch.event("changed")


class ClockTest(WatchTest):
    """The clock of the device is set by a day."""

    def shifting(self):
        """The library that moves the wall clock of one program, built here."""
        compiler = next(filter(None, map(shutil.which, ["clang", "cc", "gcc"])), None)
        if compiler is None or not sys.platform.startswith("linux"):
            self.skipTest("the wall clock is moved on Linux only, and with a C compiler")
        library = self.folder / "shifted_clock.so"
        source = Path(__file__).with_name("shifted_clock.c")
        options = ["-shared", "-fPIC", "-O1", "-Wall", "-Werror"]
        built = subprocess.run(
            [compiler, *options, "-o", str(library), str(source)],
            capture_output=True, text=True, timeout=60, check=False,
        )
        self.assertEqual(built.returncode, 0, built.stderr)
        return library

    @staticmethod
    def set(stamp, offset):
        """Sets the clock; the file is never empty in between."""
        fresh = stamp.with_suffix(".new")
        fresh.write_text(f"{offset:+d}\n")
        fresh.replace(stamp)

    def jump(self, offset):
        library = self.shifting()
        stamp = self.folder / "offset"
        self.set(stamp, 0)
        # An age the server tells, so that there is something to move.
        def aged(question, line):
            date = f"Date: {formatdate(usegmt=True)}"
            return Document(b'{"n": 1}', '"aged"', [JSON, "Age: 100", date])(question, line)

        server = self.broken(aged)
        watch = self.start(
            server.url, "--json", "--policy", self.policy(),
            environment={"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(stamp)},
        )
        change = watch.event("changed", first=True)
        self.assertLess(abs(change["ageMs"] - 100_000), SLACK * 1000)
        before = watch.event("request", outcome="unchanged")
        self.assertLess(abs(before["skewMs"]), SLACK * 1000)
        self.set(stamp, offset)
        # The jump has arrived when the measured skew shows it; nothing else may.
        deadline = time.monotonic() + 90
        after = before
        while abs(after["skewMs"] - offset * 1000) > SLACK * 1000:
            after = watch.event("request", outcome="unchanged")
            self.assertLess(time.monotonic(), deadline, "the clock never jumped")
        self.assertLess(after["startedAt"] - before["startedAt"], 90_000)
        server.answer = UNAVAILABLE
        failing = watch.event("failing", kind="server_error")
        asked = watch.events("request")
        good = [one for one in asked if one["outcome"] == "unchanged"][-1]
        failed = [one for one in asked if one["outcome"] == "server_error"][1]
        since = failed["endedAt"] - good["endedAt"]
        self.assertLess(since, 90_000, "records are dated by the monotonic clock")
        self.assertLess(abs(failing["ageMs"] - 100_000 - since), SLACK * 1000)
        self.assertLess(abs(failing["verifiedAgoMs"] - since), SLACK * 1000)
        # A date in Retry-After is held against the server's clock, not the device's.
        refused = []

        def pause(question, line):
            refused.append(question)
            now = int(time.time())
            return reply(
                TOO_MANY, b"", f"Date: {formatdate(now, usegmt=True)}",
                f"Retry-After: {formatdate(now + 3, usegmt=True)}",
            )

        server.answer = in_turn(pause, aged)
        failing = watch.event("failing", kind="throttled")
        self.assertIn("a pause of 3 s", failing["says"])
        watch.event("recovered")
        after = server.questions[server.questions.index(refused[0]) + 1]
        self.assertGreaterEqual(after.at - refused[0].answered_at, 3 - EARLY)
        self.assertLess(after.at - refused[0].answered_at, 3 + SLACK)

    def test_a_day_forward(self):
        self.jump(86_400)

    def test_a_day_back(self):
        self.jump(-86_400)


class TextTest(WatchTest):
    """What people see: on a pipe and on a terminal."""

    CLOCK = r"^\d\d:\d\d:\d\d  "

    def plain(self, server, *options, **changes):
        return self.start(server.url, "--policy", self.policy(**changes), *options)

    def test_the_lines_of_a_pipe(self):
        server = self.broken(GOOD)
        watch = self.plain(server)
        watch.text(self.CLOCK + 'first copy: 8 B, application/json, "good"$')
        self.assertRegex(
            watch.text("updated"),
            r"^  ● updated \d+ s ago · changed \d+ s ago · (next in \d+ s|requesting …) · [1-9]\d* requests?, 0 × 304$",
        )
        server.answer = BETTER
        watch.text(self.CLOCK + r'changed after \d+\.\d s, "better"$')
        self.assertEqual(watch.text("n:"), "    n: 1 → 2")
        server.answer = UNAVAILABLE
        self.assertRegex(watch.text("failing"), self.CLOCK + r"failing: the server failed \(503\)$")
        self.assertRegex(
            watch.text("updated"),
            r"^  ✗ updated \d+ s ago · changed \d+ s ago · next try in \d+ s"
            r" · the server failed \(503\) · ",
        )
        server.answer = BETTER
        self.assertRegex(watch.text("recovered"), self.CLOCK + r"recovered after \d+\.\d s$")
        watch.text(r"^  ● updated \d+ s ago")
        self.assertNotIn("\x1b", "\n".join(watch.lines), "no colours on a pipe")

    def test_no_copy_yet(self):
        server = self.broken(UNAVAILABLE)
        watch = self.plain(server)
        watch.text(r"failing: the server failed \(503\)")
        watch.text(r"^  ✗ no copy yet · next try in \d+ s · the server failed \(503\)")

    def test_changes_of_a_text(self):
        plain = ["Content-Type: text/plain"]
        server = self.broken(Document(b"one\ntwo\nthree\n", '"1"', plain))
        watch = self.plain(server)
        watch.text("first copy")
        server.answer = Document(b"one\nzwei\nthree\nfour\n", '"2"', plain)
        watch.text("^    line 2: two → zwei$")
        watch.text("^    line 4: new: four$")
        server.answer = Document(b"\x00\x01\xff", '"3"', ["Content-Type: application/octet-stream"])
        watch.text("^    20 B → 3 B$")

    def test_a_server_cannot_steer_the_terminal(self):
        """Control characters in bodies, types and problems are taken out."""
        evil = "\x1b]0;owned\x07\x1b[2J\u202e"
        server = self.broken(Document(b'{"n": 1}', '"1"'))
        watch = self.plain(server, "--body")
        watch.text("first copy")
        server.answer = Document(f"one{evil}".encode(), '"2"', ["Content-Type: text/plain"])
        watch.text("changed after")
        server.answer = Document(f"two{evil}".encode(), '"3"', ["Content-Type: text/plain"])
        watch.text("line 1")
        server.answer = always(forbidden(f"no{evil}"))
        watch.text("refuses access")
        for character in "\x1b\x07\u202e":
            self.assertNotIn(character, "\n".join(watch.lines))

    def screen(self, *arguments, **options):
        screen = Screen("watch", *arguments, **options)
        self.addCleanup(screen.close)
        return screen

    def test_the_freshness_line_counts_up_and_shows_a_failure(self):
        server = self.broken(GOOD)
        screen = self.screen(server.url, "--policy", self.policy(every=10_000, ladder=[1_500]))
        screen.wait_for("first copy: 8 B, application/json")
        screen.wait_for(r"\x1b\[32m●\x1b\[0m updated [1-4] s ago · changed [1-4] s ago")
        screen.wait_for("updated [5-9] s ago · changed [5-9] s ago")
        server.kill()
        screen.wait_for(r"failing: 127\.0\.0\.1:\d+ refuses connections")
        screen.wait_for(r"\x1b\[31m✗\x1b\[0m updated \d+ s ago[^\r]* · 127\.0\.0\.1:\d+ refuses")
        screen.text = ""
        first = int(re.search(r"updated (\d+) s ago", screen.wait_for(r"updated \d+ s ago"))[1])
        screen.wait_for("updated (%s) s ago" % "|".join(str(first + more) for more in range(2, 30)))
        server.start()
        screen.text = ""
        screen.wait_for(r"(?s)recovered after .*\x1b\[32m●\x1b\[0m updated \d+ s ago")

    def test_a_long_reason_does_not_push_the_age_off_the_line(self):
        down = always(forbidden("the service is closed for maintenance " * 8))
        server = self.broken(in_turn(GOOD, down))
        screen = self.screen(server.url, "--policy", self.policy())
        screen.wait_for("failing: the server refuses access")
        screen.text = ""
        screen.wait_for("\x1b\\[K.*✗.*\r")
        self.assertRegex(screen.text, r"✗[^\r]*updated \d+ s ago")

    def test_no_color_is_respected(self):
        server = self.broken(GOOD)
        screen = self.screen(server.url, environment={"NO_COLOR": "1"})
        self.assertNotIn("\x1b[32m", screen.wait_for("● updated"))

    def test_ctrl_c_on_a_terminal(self):
        """The freshness line goes, the summary stays."""
        server = self.broken(GOOD)
        screen = self.screen(server.url)
        screen.wait_for(r"● updated|●.*updated \d+ s ago")
        screen.process.send_signal(signal.SIGINT)
        screen.wait_for(r"\r\x1b\[K1 requests?, 0 % not modified, 8 B of bodies\r\n")
        self.assertIn(screen.process.wait(timeout=60), [0, 130])


class EndTest(WatchTest):
    """How it ends, and what it leaves behind."""

    def told_to_end(self, number):
        """Ends with its summary and a clean exit code, whatever it was doing."""
        server = self.broken(GOOD)
        watch = self.start(server.url)
        watch.text(r"updated \d+ s ago")
        code = watch.signal(number)
        self.assertRegex(watch.lines[-1], "^1 requests?, 0 % not modified, 8 B of bodies$")
        self.assertIn(code, [0, 128 + number])
        self.assertEqual(watch.errors, [])

    def test_ctrl_c(self):
        self.told_to_end(signal.SIGINT)

    def test_sigterm(self):
        self.told_to_end(signal.SIGTERM)

    def test_ctrl_c_during_a_request(self):
        server = self.broken(hanging)
        watch = self.start(server.url)
        server.wait_for(1)
        began = time.monotonic()
        code = watch.signal(signal.SIGINT)
        self.assertLess(time.monotonic() - began, SLACK, "does not wait for the request")
        self.assertEqual(watch.lines, ["1 request, 0 % not modified, 0 B of bodies"])
        # A script must not take it for a document that was watched.
        self.assertEqual(watch.errors, [f"freshet watch: {server.url}: no copy was received"])
        self.assertEqual(code, 69)

    def test_ctrl_c_leaves_whole_lines(self):
        server = self.broken(GOOD)
        record = self.folder / "record.jsonl"
        watch = self.watch(server, "--record", str(record))
        for _ in range(3):
            watch.event("request", outcome="unchanged")
        watch.signal(signal.SIGINT)
        asked = watch.events("request")
        kept = [json.loads(line) for line in record.read_text().splitlines()]
        self.assertTrue(record.read_text().endswith("\n"))
        self.assertLessEqual(abs(len(kept) - len(asked)), 1)

    def test_a_closed_pipe(self):
        """As with `| head -1`: it ends at its next line, quietly."""
        server = self.broken(GOOD)
        watch = subprocess.Popen(
            [PROGRAM, "watch", server.url, "--json", "--policy", self.policy()],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        head = subprocess.run(
            ["head", "-1"], stdin=watch.stdout, capture_output=True, timeout=60, check=True
        )
        watch.stdout.close()
        # The first request and the copy that it brought are told by two streams; either may come first.
        self.assertIn(json.loads(head.stdout)["event"], ("request", "changed"))
        code = watch.wait(timeout=60)
        with watch.stderr as errors:
            self.assertEqual(errors.read(), b"")
        self.assertIn(code, [0, -signal.SIGPIPE, 128 + signal.SIGPIPE])

    def test_a_full_disk_under_the_output(self):
        """Not a closed pipe: a truncated file must be reported as an error."""
        server = self.broken(GOOD)
        with open("/dev/full", "w", encoding="utf-8") as full:
            answer = subprocess.run(
                [PROGRAM, "watch", server.url, "--for", "20"], stdout=full, stderr=subprocess.PIPE,
                timeout=90, check=False, text=True,
            )
        self.assertEqual(answer.returncode, 74)
        self.assertNotEqual(answer.stderr, "")

    def test_changes(self):
        server = self.broken(Document(b'{"n": 1}', '"1"'))
        watch = self.watch(server, "--changes", "3")
        for number in [2, 3]:
            watch.event("changed")
            server.answer = Document(b'{"n": %d}' % number, f'"{number}"')
        self.assertEqual(watch.end(), 0)
        self.assertEqual(len(watch.events("changed")), 3)

    def test_for(self):
        server = self.broken(GOOD)
        began = time.monotonic()
        answer = run("watch", server.url, "--policy", self.policy(), "--for", "1.5")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertGreaterEqual(time.monotonic() - began, 1.5)
        self.assertLess(time.monotonic() - began, 1.5 + SLACK)
        self.assertRegex(
            answer.stdout.splitlines()[-1], r"^\d+ requests, \d+ % not modified, 8 B of bodies$"
        )

    def test_every(self):
        server = self.broken(GOOD)
        watch = self.start(server.url, "--json", "--every", "0.4")
        asked = [watch.event("request") for _ in range(5)]
        for before, after in zip(asked, asked[1:]):
            self.assertGreaterEqual(after["startedAt"] - before["startedAt"], 359)
            self.assertLess(after["startedAt"] - before["startedAt"], 440 + SLACK * 1000)

    def test_record(self):
        """A line for each request is appended to what is there."""
        server = self.broken(GOOD)
        record = self.folder / "record.jsonl"
        record.write_text('{"before": true}\n')
        watch = self.watch(server, "--record", str(record))
        watch.event("request", outcome="unchanged")
        server.kill()
        watch.event("failing")
        first, *kept = [json.loads(line) for line in record.read_text().splitlines()]
        self.assertEqual(first, {"before": True})
        self.assertEqual([one["outcome"] for one in kept[:2]], ["content", "unchanged"])
        self.assertEqual(kept[-1]["outcome"], "unreachable")
        for one in kept:
            self.assertEqual(one["resource"], f"GET 127.0.0.1:{server.port}/")
            self.assertLess(abs(one["startedAt"] / 1000 - time.time()), 60)
            self.assertEqual(one["endedAt"] - one["startedAt"], one["durationMs"])

    def test_a_record_that_cannot_be_written(self):
        server = self.broken(GOOD)
        for path, code in [(str(self.folder / "no" / "such"), 73), (str(self.folder.path), 73), ("/dev/full", 74)]:
            with self.subTest(path):
                answer = run("watch", server.url, "--record", path, "--for", "10", timeout=60)
                self.assertEqual(answer.returncode, code)
                self.assertIn(f"--record {path}: ", answer.stderr)
                self.assertNotIn("Domain=", answer.stderr)

    def refuses(self, *arguments, says, code=64):
        """The exit code, and a message that names what is wrong, and where."""
        answer = run("watch", *arguments, timeout=60)
        self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)
        self.assertEqual(answer.stdout, "")
        first = answer.stderr.splitlines()[0]
        for words in says:
            self.assertIn(words, first)
        self.assertNotIn("Domain=", first)
        self.assertNotIn("UserInfo", first)

    def test_bad_arguments(self):
        url = "http://127.0.0.1:9/"
        cases = [
            ([], ["<address>"]),
            ([""], ["not an address"]),
            (["/path"], ["/path"]),
            (["http://"], ["http://"]),
            (["ftp://example.org/"], ["ftp://example.org/", "http"]),
            (["http://user:secret@example.org/"], ["credentials", "--header"]),
            ([url, "second"], ["second"]),
            ([url, "--every", "0"], ["--every", "0.2"]),
            ([url, "--every", "often"], ["--every", "often"]),
            ([url, "--every", "nan"], ["--every"]),
            ([url, "--for", "0"], ["--for"]),
            ([url, "--for", "inf"], ["--for"]),
            ([url, "--changes", "0"], ["--changes"]),
            ([url, "--preset", "fast"], ["fast", "--preset", "workspaces"]),
            ([url, "--header", "nothing"], ["--header", "nothing", "Name: value"]),
            ([url, "--header", "If-None-Match: x"], ["--header", "If-None-Match"]),
            ([url, "--header", "X: a\nb"], ["--header", "X"]),
            ([url, "--events", "ftp://x"], ["ftp://x"]),
            ([url, "--frobnicate"], ["--frobnicate"]),
        ]
        for arguments, says in cases:
            with self.subTest(arguments):
                self.refuses(*arguments, says=says)

    def test_a_port_that_is_none(self):
        self.refuses("http://127.0.0.1:99999/", "--for", "1", says=["99999"])

    def test_the_option_with_a_bad_address_is_named(self):
        self.refuses("http://127.0.0.1:9/", "--events", "ftp://x", says=["--events", "ftp://x"])

    def test_a_policy_that_cannot_be_read(self):
        url = "http://127.0.0.1:9/"
        for path in [str(self.folder / "missing.json"), str(self.folder.path)]:
            with self.subTest(path):
                self.refuses(url, "--policy", path, says=["--policy", path], code=66)

    def test_a_policy_that_is_none(self):
        url = "http://127.0.0.1:9/"
        cases = [
            ("", ["line 1"]),
            ('{"every": 300,\n oops}', ["line 2, column 2"]),
            ('{"every": 3}', ["every", "3", "100"]),
            ('{"every": 300, "evry": 3}', ["evry"]),
            ('{"idle": 300}', ["preset", "every"]),
            ('{"preset": "fast"}', ["preset", "fast", "workspaces"]),
            ('{"every": 300, "timeout": "1 s"}', ["timeout"]),
            ('{"every": 300, "every": 400}', ["every"]),
            ('{"every": 300, "ladder": [-1]}', ["ladder", "-1"]),
            ('{"every": 300, "push": {"heart": 1}}', ["push", "heart"]),
        ]
        for text, says in cases:
            with self.subTest(text):
                path = self.folder / "bad.json"
                path.write_text(text)
                self.refuses(url, "--policy", str(path), says=[f"--policy {path}", *says], code=65)


if __name__ == "__main__":
    unittest.main()
