"""Freshness on the wire: entity tags, 304, 204, languages, and answers that wait."""

import http.client
import re
import socket
import statistics
import threading
import time
import unittest

from realtime_stage import (
    BOARD, LAUSANNE, STRONG_TAG, Stage, alert, instant, late, load_side_by_side as load_tests,
    trip, wait_for,
)
from watching import LONGEST

ALERT = {"fr": "Travaux", "de": "Bauarbeiten", "it": "Lavori", "en": "Works"}
SLACK = 20
"""What a busy machine may add, in seconds."""
REQUIRED_IN_304 = ("Cache-Control", "Content-Location", "Date", "ETag", "Expires", "Vary")
"""What a 304 has to carry if a 200 would (RFC 9110 section 15.4.5)."""


class WireTest(unittest.TestCase):
    """Common ground: a stage with one publication in use."""

    def stage(self, *options, alerts=False, **more):
        stage = Stage(*options, alerts=alerts, **more)
        self.addCleanup(stage.close)
        if alerts:
            stage.alerts.publish(alerts=[alert(ALERT, stop=LAUSANNE)])
            stage.shows(lambda a: a.meta["alertsStatus"] == "applied")
            stage.trips.last = int(stage.now())
        self.at = stage.trips.publish(late(trip(2), 180))
        stage.applied(self.at)
        return stage

    def unchanged(self, answer, status=304):
        self.assertEqual(answer.status, status, answer.body)
        self.assertEqual(answer.body, b"")
        return answer


class TagTest(WireTest):
    """Entity tags identify what people see."""

    def test_a_tag_is_strong_and_quoted(self):
        answer = self.stage().board()
        self.assertRegex(answer["ETag"], f"^{STRONG_TAG.pattern}$")
        self.assertEqual(answer.meta["entityTag"], answer["ETag"])

    def test_time_alone_does_not_change_it(self):
        """Ages and clocks are not what people see; request identities are not either."""
        stage = self.stage()
        first = stage.board()
        second = stage.shows(
            lambda a: a.meta["rtCacheAgeMs"] > first.meta["rtCacheAgeMs"] + 1_000
        )
        self.assertEqual(first["ETag"], second["ETag"])
        self.assertEqual(first.departures, second.departures)
        self.assertNotEqual(first.meta["requestId"], second.meta["requestId"])

    def test_a_publication_that_says_the_same_does_not_change_it(self):
        stage = self.stage()
        first = stage.board()
        at = stage.trips.publish(late(trip(2), 180))
        second = stage.applied(at)
        self.assertEqual(first["ETag"], second["ETag"])
        self.assertGreater(second.meta["rtFetchedAt"], first.meta["rtFetchedAt"])

    def test_a_publication_about_another_stop_does_not_change_it(self):
        stage = self.stage()
        first = stage.board()
        elsewhere = stage.ask("/api/stationboard?stop_id=Parent8503000&limit=60").departures
        here = {one["trip_id"] for one in stage.ask(BOARD + "0").departures}
        other = next(one["trip_id"] for one in elsewhere if one["trip_id"] not in here)
        at = stage.trips.publish(late(trip(2), 180), late(other, 300))
        self.assertEqual(stage.applied(at)["ETag"], first["ETag"])

    def test_whatever_people_see_changes_it(self):
        stage = self.stage(alerts=True)
        tags = [stage.board()["ETag"]]

        def changed(do):
            do()
            tags.append(stage.shows(lambda a: a["ETag"] != tags[-1])["ETag"])

        changed(lambda: stage.trips.publish(late(trip(2), 240)))
        changed(lambda: stage.trips.publish(late(trip(2), 240, platform="8501120:0:9")))
        changed(lambda: stage.alerts.publish(alerts=[alert({"de": "Anders"}, stop=LAUSANNE)]))
        changed(lambda: stage.alerts.publish())
        changed(lambda: stage.trips.publish(late(trip(4), 60)))
        self.assertEqual(len(set(tags)), len(tags))

    def test_what_looks_the_same_has_the_same_tag(self):
        """More room than departures, another spelling of the stop's window: the same board."""
        stage = self.stage()
        plain = stage.board("00")
        for path in (
            f"/api/stationboard?stop_id={LAUSANNE}&limit=400",
            f"/api/stationboard?limit=450&stop_id={LAUSANNE}",
            f"/api/stationboard?stationId={LAUSANNE}&limit=500",
            f"/api/stationboard?stop_id={LAUSANNE}&limit=500&window_minutes=210",
        ):
            answer = stage.ask(path)
            self.assertEqual(answer.departures, stage.board("00").departures)
            self.assertEqual(answer["ETag"], stage.board("00")["ETag"], path)
        self.assertNotEqual(plain["ETag"], stage.board()["ETag"], "fewer departures")

    def test_no_tag_serves_two_languages(self):
        stage = self.stage(alerts=True)
        boards = {lang: stage.board(f"&lang={lang}") for lang in ALERT}
        for lang, answer in boards.items():
            self.assertEqual(answer.board["banners"][0]["header"], ALERT[lang])
        self.assertEqual(len({answer["ETag"] for answer in boards.values()}), 4)
        for mine, answer in boards.items():
            for other in boards:
                status = stage.ask(f"{BOARD}&lang={other}", if_none_match=answer["ETag"]).status
                self.assertEqual(status, 304 if mine == other else 200, (mine, other))

    def test_places_in_two_languages(self):
        """Without any alert: the names of the places alone make another board."""
        stage = self.stage()
        french, german = stage.board("00&lang=fr"), stage.board("00&lang=de")
        places = [{one["destination"] for one in answer.departures} for answer in (french, german)]
        self.assertIn("Genève", places[0])
        self.assertIn("Genf", places[1])
        self.assertNotEqual(french["ETag"], german["ETag"])
        again = stage.ask(f"{BOARD}00&lang=de", if_none_match=french["ETag"])
        self.assertEqual(again.status, 200)

    def test_languages_by_header_poison_nothing(self):
        """Without lang the header decides, the answer says so, and a parameter beats it."""
        stage = self.stage(alerts=True)
        for lang, header in (("fr", "fr-CH, en;q=0.5"), ("it", "it"), ("en", "x, en;q=0.1")):
            answer = stage.board(accept_language=header)
            self.assertEqual(answer.board["banners"][0]["header"], ALERT[lang], header)
            self.assertIn("accept-language", answer["Vary"].lower())
            self.assertEqual(answer["ETag"], stage.board(f"&lang={lang}")["ETag"])
            other = stage.board("&lang=de", accept_language=header)
            self.assertEqual(other.board["banners"][0]["header"], ALERT["de"])


class ConditionTest(WireTest):
    """If-None-Match, and since_rt with if_board."""

    def test_304_carries_what_it_has_to(self):
        stage = self.stage()
        full = stage.board()
        answer = self.unchanged(stage.ask(BOARD, if_none_match=full["ETag"]))
        for name in REQUIRED_IN_304:
            if full[name] is not None:
                self.assertIsNotNone(answer[name], name)
        self.assertEqual(answer["ETag"], full["ETag"])
        self.assertEqual(answer["Vary"], full["Vary"])
        self.assertIn(answer["Content-Length"], (None, str(len(full.body))))
        # How fresh it is, the fields say: there is no body to say it.
        self.assertEqual(instant(answer["x-md-rt-fetched-at"]), self.at)
        self.assertGreaterEqual(int(answer["x-md-rt-age-ms"]), full.meta["rtCacheAgeMs"])

    def test_forms_of_if_none_match(self):
        stage = self.stage()
        tag = stage.board()["ETag"]
        for matching in (tag, f"W/{tag}", f'"x", {tag}', f'"x" , W/"y",{tag} ,"z"', "*"):
            self.unchanged(stage.ask(BOARD, if_none_match=matching))
        for other in ('"x"', 'W/"x", "y"', tag.strip('"'), '"*"', "", f'"{tag}"'):
            answer = stage.ask(BOARD, if_none_match=other)
            self.assertEqual(answer.status, 200, other)

    def test_304_ends_with_a_change(self):
        stage = self.stage()
        tag = stage.board()["ETag"]
        at = stage.trips.publish(late(trip(2), 300))
        answer = stage.applied(at)
        self.assertEqual(stage.ask(BOARD, if_none_match=tag).status, 200)
        self.unchanged(stage.ask(BOARD, if_none_match=answer["ETag"]))

    def since(self, stage, token, more="&if_board=1", **fields):
        return stage.ask(f"{BOARD}{more}&since_rt={token}", **fields)

    def test_204_with_a_token_and_a_board(self):
        stage = self.stage()
        token = stage.board().meta["rtFetchedAt"]
        answer = self.unchanged(self.since(stage, token), 204)
        self.assertEqual(answer["x-md-rt-reason"], "unchanged_since_rt")
        self.assertEqual(answer["x-md-rt-applied"], "0")
        self.assertEqual(instant(answer["x-md-rt-fetched-at"]), self.at)
        self.assertIsNone(answer["Content-Length"], "RFC 9110 section 8.6")
        self.unchanged(self.since(stage, self.at * 1000), 204)
        self.unchanged(self.since(stage, token, "&has_board=yes"), 204)

    def test_no_204_otherwise(self):
        stage = self.stage()
        token = stage.board().meta["rtFetchedAt"]
        for more in ("", "&if_board=0"):
            self.assertEqual(self.since(stage, token, more).status, 200, "no board")
        self.assertEqual(self.since(stage, (self.at - 1) * 1000).status, 200, "an older token")
        self.assertEqual(stage.ask(f"{BOARD}&if_board=1").status, 200, "no token")
        for bad in ("yesterday", "12345", "2026-11-24"):
            answer = self.since(stage, bad)
            self.assertEqual(answer.status, 400, bad)
            self.assertEqual(answer.board["error"], "invalid_since_rt")

    def test_a_token_from_before_a_change(self):
        stage = self.stage()
        token = stage.board().meta["rtFetchedAt"]
        at = stage.trips.publish(late(trip(2), 300))
        stage.applied(at)
        answer = self.since(stage, token)
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.departure(trip(2))["rawDelaySec"], 300)
        self.unchanged(self.since(stage, answer.meta["rtFetchedAt"]), 204)

    def test_a_new_alert_is_not_a_204(self):
        """The token is of trip updates; what people see is more than that."""
        stage = self.stage(alerts=True)
        token = stage.board().meta["rtFetchedAt"]
        self.unchanged(self.since(stage, token), 204)
        stage.alerts.publish(alerts=[alert({"de": "Streik"}, stop=LAUSANNE)])
        wait_for(
            lambda: stage.ask("/api/stationboard?stop_id=8501120&limit=3").board["banners"][0]
            ["header"] == "Streik", "the new alert",
        )
        answer = self.since(stage, token)
        self.assertEqual(answer.status, 200, "an alert came after the board of the client")
        self.assertEqual(answer.board["banners"][0]["header"], "Streik")

    def test_realtime_that_ages_is_not_a_204(self):
        other = Stage(
            begin="2026-11-24T07:05:00Z",
            ready=lambda s: s.trips.publish(late(trip(2), 180), age=33),
        )
        self.addCleanup(other.close)
        token = other.has_status("applied").meta["rtFetchedAt"]
        self.unchanged(self.since(other, token), 204)
        other.has_status("stale_cache")
        self.assertEqual(self.since(other, token).status, 200)

    def test_if_none_match_comes_first(self):
        stage = self.stage()
        answer = stage.board()
        token = answer.meta["rtFetchedAt"]
        self.unchanged(self.since(stage, token, if_none_match=answer["ETag"]), 304)
        self.assertEqual(self.since(stage, token, if_none_match='"other"').status, 200)

    def test_caching_is_private_and_aligned(self):
        """Without a rhythm a copy is asked about each time; with one it is good until the next."""
        stage = self.stage()
        first = stage.board()
        self.assertIsNone(first.meta["nextExpectedAt"])
        self.assertEqual(first["Cache-Control"], "private, no-cache")
        time.sleep(3)
        at = stage.trips.publish(late(trip(2), 181))
        answer = stage.applied(at)
        expected = instant(answer.meta["nextExpectedAt"])
        # A period after the last one, and as much later as that took to get here: a part of a second
        # until it appeared, for its time is a whole one, and the poll.
        self.assertGreaterEqual(expected, at + (at - self.at))
        self.assertLess(expected, at + (at - self.at) + SLACK)
        age = int(re.search(r"private, max-age=(\d+), must-revalidate", answer["Cache-Control"])[1])
        self.assertLessEqual(age, expected - instant(answer.meta["serverTime"]) + 0.01)
        self.assertGreater(age + 1, expected - instant(answer.meta["serverTime"]) - 0.01)

    def test_a_promise_that_is_not_kept(self):
        """Late by more than a period, nothing is foretold any more."""
        stage = self.stage()
        time.sleep(2)
        stage.applied(stage.trips.publish(late(trip(2), 181)))
        answer = stage.shows(lambda a: a.meta["nextExpectedAt"] is None)
        self.assertEqual(answer["Cache-Control"], "private, no-cache")
        self.assertEqual(answer.meta["rtStatus"], "applied")


class WaitTest(WireTest):
    """Prefer: wait (RFC 7240)."""

    def test_304_after_the_wait(self):
        stage = self.stage()
        tag = stage.board()["ETag"]
        answer = self.unchanged(stage.ask(BOARD, if_none_match=tag, prefer="wait=2"))
        self.assertEqual(answer["Preference-Applied"], "wait=2")
        self.assertGreaterEqual(answer.took, 1.95)
        self.assertLess(answer.took, 2 + SLACK)

    def test_204_after_the_wait(self):
        stage = self.stage()
        token = stage.board().meta["rtFetchedAt"]
        path = f"{BOARD}&if_board=1&since_rt={token}"
        answer = self.unchanged(stage.ask(path, prefer="respond-async, wait=1"), 204)
        self.assertEqual(answer["Preference-Applied"], "wait=1")
        self.assertGreaterEqual(answer.took, 0.95)

    def test_without_a_condition_no_request_waits(self):
        stage = self.stage()
        for fields in ({}, {"if_none_match": '"other"'}):
            answer = stage.board(prefer="wait=50", **fields)
            self.assertLess(answer.took, 50 - SLACK)
            self.assertIsNone(answer["Preference-Applied"])

    def test_what_is_not_a_wait_is_ignored(self):
        stage = self.stage()
        tag = stage.board()["ETag"]
        for prefer in ("wait", "wait=", "wait=soon", "wait=-5", "wait=0", "handling=lenient"):
            answer = self.unchanged(stage.ask(BOARD, if_none_match=tag, prefer=prefer))
            self.assertLess(answer.took, SLACK, prefer)
            self.assertIsNone(answer["Preference-Applied"], prefer)

    def test_what_does_not_change_the_board_ends_no_wait(self):
        stage = self.stage()
        tag = stage.board()["ETag"]
        answers = []
        client = threading.Thread(
            target=lambda: answers.append(stage.ask(BOARD, if_none_match=tag, prefer="wait=4"))
        )
        client.start()
        for _ in range(3):
            time.sleep(1)
            stage.trips.publish(late(trip(2), 180))
        client.join()
        self.assertGreaterEqual(answers[0].took, 3.9)
        self.unchanged(answers[0])

    def raw(self, stage, text: str, *, half: bool = False) -> bytes:
        """What comes for these bytes until the server closes; half: nothing more will be sent."""
        with socket.create_connection(("127.0.0.1", stage.port), timeout=LONGEST) as line:
            line.sendall(text.encode())
            if half:
                line.shutdown(socket.SHUT_WR)
            heard = b""
            while part := line.recv(1 << 16):
                heard += part
        return heard

    def test_a_connection_that_waited_is_used_again(self):
        stage = self.stage()
        tag = stage.board()["ETag"]
        line = http.client.HTTPConnection("127.0.0.1", stage.port, timeout=LONGEST)
        self.addCleanup(line.close)
        for prefer in ("wait=1", "wait=1", "handling=strict"):
            self.unchanged(stage.ask(BOARD, if_none_match=tag, prefer=prefer, connection=line))
        self.assertEqual(stage.ask(BOARD, connection=line).status, 200)

    def test_a_client_that_closed_its_half(self):
        """It has nothing more to ask, and still wants its answer."""
        stage = self.stage()
        tag = stage.board()["ETag"]
        question = f"GET {BOARD} HTTP/1.1\r\nHost: x\r\nIf-None-Match: {tag}\r\n"
        for more in ("", "Prefer: wait=1\r\n"):
            heard = self.raw(stage, f"{question}{more}\r\n", half=True)
            self.assertIn(heard.split(b" ")[1:2], ([b"304"], []), more)
            if not more:
                self.assertTrue(heard)

    def test_a_request_behind_one_that_waits(self):
        """Pipelined: the answer that waited says that nothing comes behind it."""
        stage = self.stage()
        tag = stage.board()["ETag"]
        with socket.create_connection(("127.0.0.1", stage.port), timeout=LONGEST) as peer:
            peer.sendall(
                f"GET {BOARD} HTTP/1.1\r\nHost: x\r\nIf-None-Match: {tag}\r\nPrefer: wait=1\r\n\r\n"
                "GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
            )
            heard = b""
            while b"\r\n\r\n" not in heard:
                part = peer.recv(4_096)
                self.assertTrue(part, heard)
                heard += part
        self.assertTrue(heard.startswith(b"HTTP/1.1 304 "))
        self.assertIn(b"\r\nconnection: close\r\n", heard.lower())

    def test_a_crowd_of_polls(self):
        """All of them hear of a change, at once."""
        stage = self.stage()
        tag = stage.board()["ETag"]
        arrived = []

        def poll():
            answer = stage.ask(BOARD, if_none_match=tag, prefer="wait=30")
            arrived.append((time.monotonic(), answer.status))

        clients = [threading.Thread(target=poll) for _ in range(150)]
        for client in clients:
            client.start()
        wait_for(lambda: stage.waiting() == len(clients), "all polls")
        stage.trips.publish(late(trip(2), 300))
        for client in clients:
            client.join()
        served = stage.trips.first_served(stage.trips.number)
        print(f"long poll: the last of {len(clients)} after"
              f" {1000 * (max(at for at, _ in arrived) - served):.0f} ms")
        self.assertEqual({status for _, status in arrived}, {200})
        self.assertEqual(stage.waiting(), 0)

    def test_a_change_ends_the_wait(self):
        """At once: soon after the server has asked its source and got the change."""
        stage = self.stage()
        answer, late_by = stage.board(), []
        for round_ in range(5):
            answers = []
            tag = answer["ETag"]
            client = threading.Thread(target=lambda: answers.append(
                (stage.ask(BOARD, if_none_match=tag, prefer="wait=20"), time.monotonic())
            ))
            client.start()
            stage.trips.wait_for_next()
            stage.trips.publish(late(trip(2), 300 + 60 * round_))
            client.join()
            answer, arrived = answers[0]
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer["Preference-Applied"], "wait=20")
            self.assertEqual(answer.departure(trip(2))["rawDelaySec"], 300 + 60 * round_)
            late_by.append(arrived - stage.trips.first_served(stage.trips.number))
        print("long poll: from the feed's bytes to the answer, ms:",
              [round(1000 * one) for one in late_by])
        # Without the change they would come at the end of the wait.
        self.assertLess(statistics.median(late_by), 10)


if __name__ == "__main__":
    unittest.main()
