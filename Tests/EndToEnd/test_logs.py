"""Logs as JSON, and the traces and ids of requests in them, read by a parser that accepts no other JSON."""

from __future__ import annotations

import base64
import http.client
import json
import os
import re
import socket
import subprocess
import unittest
from datetime import datetime
from pathlib import Path

from job_stage import JobServer, table
from program import LAB, PROGRAM, Folder, Server, until
from realtime_stage import BEGIN, QUICK, data, feed, instant, late
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from watching import Broken, always, reply

MEMBERS = ["timestamp", "level", "logger", "message", "request_id", "span_id", "trace_id", "metadata", "truncated"]
LEVELS = {"trace", "debug", "info", "notice", "warning", "error", "critical"}
MOST_BYTES = 16_384
#: The examples of W3C Trace Context.
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
TRACEPARENT = f"00-{TRACE}-{PARENT}-01"
TRACESTATE = "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7"
TRACE_FIELD = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-0[0-3]")
#: What a feed may call a trip.
HOSTILE = 'x"}\r\n{"level":"critical","message":"\x1b[31mforged"}\x00\u2028\u202e\\'


def strict(text: str) -> dict:
    """A JSON object; numbers that JSON does not have, names that come twice and control characters are errors."""

    def members(pairs: list[tuple[str, object]]) -> dict:
        names = [name for name, _ in pairs]
        assert len(set(names)) == len(names), f"a name twice: {text}"
        return dict(pairs)

    def constant(word: str) -> None:
        raise AssertionError(f"{word} is not JSON: {text}")

    found = json.loads(text, object_pairs_hook=members, parse_constant=constant)
    assert isinstance(found, dict), text
    return found


class Log:
    """Standard error of a program, which a script writes to a file of its own."""

    def __init__(self, folder: Path, program: str | Path = PROGRAM):
        self.path = folder / "log"
        self.script = folder / "logged"
        self.script.write_text(f'#!/bin/sh\nexec "{program}" "$@" 2>"{self.path}"\n')
        self.script.chmod(0o755)

    @property
    def bytes(self) -> bytes:
        return self.path.read_bytes() if self.path.exists() else b""

    def lines(self) -> list[dict]:
        """All whole lines, each checked as one of them has to be."""
        found = []
        # Readers of lines split at different characters; none of them may be inside of one.
        text = self.bytes.decode("utf-8")
        whole = text[: text.rfind("\n") + 1]
        assert whole.splitlines() == whole.split("\n")[:-1]
        for line in whole.splitlines():
            assert len(line.encode()) < MOST_BYTES, line
            one = strict(line)
            assert list(one) == [name for name in MEMBERS if name in one], line
            assert {"timestamp", "level", "logger", "message"} <= set(one), line
            assert one["level"] in LEVELS and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", one["timestamp"])
            datetime.fromisoformat(one["timestamp"].replace("Z", "+00:00"))
            assert all(isinstance(value, str) for value in one.get("metadata", {}).values()), line
            assert ("trace_id" in one) == ("span_id" in one), line
            found.append(one)
        return found

    def find(self, message: str, **metadata: str) -> list[dict]:
        """The lines with a message and some metadata."""
        return [
            line for line in self.lines()
            if line["message"] == message and metadata.items() <= line.get("metadata", {}).items()
        ]


class Logs(unittest.TestCase):
    def setUp(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        self.folder = folder.path
        self.log = Log(self.folder)

    def serve(self, *options: str, now: str | None = BEGIN, **more) -> Server:
        server = Server(
            data(), "--log-format", "json", *options, now=now,
            **{"log_level": "debug", "program": self.log.script, **more},
        )
        self.addCleanup(server.__exit__)
        return server

    def ask(self, server: Server, path: str, *fields: tuple[str, str], method: str = "GET", body: bytes | None = None):
        """Status and fields of an answer to a request with just these fields."""
        line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        line.putrequest(method, path)
        for name, value in fields:
            line.putheader(name, value)
        if body is not None:
            line.putheader("Content-Length", str(len(body)))
        line.endheaders(body)
        answer = line.getresponse()
        content = answer.read()
        line.close()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, content

    # Lines

    def test_each_line_is_an_object_whatever_a_feed_says(self):
        producer = Broken(always(reply(
            "200 OK", feed(instant(BEGIN), [late(HOSTILE + "x" * 40, 60), late("Zürich", 60)]),
            "Content-Type: application/x-protobuf")))
        self.addCleanup(producer.kill_if_alive)
        server = self.serve("--trip-updates", f"{producer.url}/{'a' * 3_000}.pb", *QUICK)
        until(lambda: self.log.find("trip updates do not match the timetable: no board shows them"))
        producer.answer = always(reply("503 Service Unavailable"))
        until(lambda: self.log.find("a realtime source fails"))
        self.assertEqual(server.stop(), 0)
        said = self.log.find("trip updates do not match the timetable: no board shows them")[0]
        self.assertEqual((said["level"], said["logger"]), ("warning", "freshet"))
        self.assertIn("forged", said["metadata"]["exampleTrip"])
        self.assertNotIn("critical", {line["level"] for line in self.log.lines()})
        for byte in [*range(10), *range(11, 32), 127]:
            self.assertNotIn(bytes([byte]), self.log.bytes)

    def test_the_default_is_the_text_it_was(self):
        broken = Broken(always(reply("503 Service Unavailable")))
        self.addCleanup(broken.kill_if_alive)
        server = Server(data(), "--trip-updates", f"{broken.url}/t.pb", *QUICK, now=BEGIN, log_level="warning",
                        program=self.log.script)
        self.addCleanup(server.__exit__)
        until(lambda: b"a realtime source fails" in self.log.bytes)
        line = next(line for line in self.log.bytes.decode().splitlines() if line.endswith("a realtime source fails"))
        self.assertRegex(
            line, r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4} warning freshet: .*reason=.*"
            r" \[StationboardServer\] a realtime source fails$")

    def test_the_configuration_says_it_too_and_the_command_line_wins(self):
        settings = self.folder / "freshet.json"
        settings.write_text('{"logFormat": "json", "logLevel": "debug"}')
        for options, is_json in [([], True), (["--log-format", "text"], False)]:
            server = Server(data(), "--config", str(settings), *options, now=BEGIN, log_level="debug",
                            program=self.log.script)
            self.ask(server, "/health/live")
            self.assertEqual(server.stop(), 0)
            self.assertEqual(self.log.bytes.startswith(b"{"), is_json, self.log.bytes[:200])
            if is_json:
                self.assertTrue(self.log.lines())
        settings.write_text('{"logFormat": "xml"}')
        answer = subprocess.run([PROGRAM, "serve", "--config", settings], capture_output=True, text=True, check=False)
        self.assertEqual(answer.returncode, 78)
        self.assertIn("$.logFormat: expected text, json", answer.stderr)
        answer = subprocess.run([PROGRAM, "serve", "--log-format", "xml"], capture_output=True, text=True, check=False)
        self.assertEqual(answer.returncode, 64)

    def test_a_feed_that_is_simulated_logs_as_json(self):
        log = Log(self.folder, LAB)
        process = subprocess.Popen(
            [log.script, "feed", "--data", data(), "--port", "0", "--log-format", "json", "--log-level", "debug"],
            stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        port = int(re.search(r"http://127\.0\.0\.1:(\d+)/", process.stdout.readline())[1])
        with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
            line.sendall(f"GET /alerts.pb HTTP/1.1\r\nHost: a\r\ntraceparent: {TRACEPARENT}\r\nConnection: close\r\n\r\n".encode())
            while line.recv(65_536):
                pass
        until(lambda: log.find("a request is answered", route="/alerts.pb"))
        said = log.find("a request is answered", route="/alerts.pb")[0]
        self.assertEqual((said["trace_id"], said["metadata"]["status"]), (TRACE, "200"))

    # Requests

    def test_a_request_is_a_part_of_its_trace(self):
        server = self.serve()
        board = "/api/stationboard?stop_id=Parent8501120"
        status, fields, _ = self.ask(server, board, ("traceparent", TRACEPARENT), ("X-Request-Id", "mine-1"))
        self.assertEqual((status, fields["x-md-request-id"], fields["x-request-id"]), (200, "mine-1", "mine-1"))
        self.assertNotIn("traceparent", fields)
        until(lambda: self.log.find("a request is answered", route="/api/stationboard"))
        said = self.log.find("a request is answered", route="/api/stationboard")[0]
        self.assertEqual((said["trace_id"], said["request_id"]), (TRACE, "mine-1"))
        self.assertNotEqual(said["span_id"], PARENT)
        self.assertNotIn("Parent8501120", json.dumps(said))
        self.assertEqual({name: said["metadata"][name] for name in ("method", "status")}, {"method": "GET", "status": "200"})

    def test_a_request_without_a_valid_trace_begins_one(self):
        server = self.serve()
        wrong = [
            [], [("traceparent", TRACEPARENT[:-1])], [("traceparent", TRACEPARENT.upper())],
            [("traceparent", TRACEPARENT), ("traceparent", TRACEPARENT)], [("traceparent", "00-" + "0" * 32 + f"-{PARENT}-01")],
            [("traceparent", "ff" + TRACEPARENT[2:])], [("traceparent", TRACEPARENT + "-more")],
        ]
        for number, fields in enumerate(wrong):
            self.ask(server, "/health/live", ("X-Request-Id", f"n{number}"), *fields)
        until(lambda: len(self.log.find("a request is answered", route="/health/live")) == len(wrong))
        said = self.log.find("a request is answered", route="/health/live")
        traces = {line["trace_id"] for line in said}
        self.assertEqual(len(traces), len(wrong))
        self.assertNotIn(TRACE, traces)
        self.assertEqual([line["request_id"] for line in said], [f"n{number}" for number in range(len(wrong))])

    def test_a_failure_always_has_an_id_and_others_only_if_asked(self):
        server = self.serve()
        status, fields, _ = self.ask(server, "/nowhere")
        self.assertEqual((status, fields["x-request-id"]), (404, fields["x-md-request-id"]))
        until(lambda: self.log.find("a request is answered", status="404"))
        self.assertEqual(self.log.find("a request is answered", status="404")[0]["request_id"], fields["x-request-id"])
        self.assertNotIn("x-request-id", self.ask(server, "/health/live")[1])
        for wrong in ["a b", "x" * 129, "é"]:
            _, fields, _ = self.ask(server, "/health/live", ("X-Request-Id", wrong))
            self.assertRegex(fields["x-request-id"], r"^sb-[0-9a-f]{12}$")

    # What a server requests

    def test_each_poll_has_a_trace_of_its_own_which_the_log_names(self):
        broken = Broken(always(reply("503 Service Unavailable")))
        self.addCleanup(broken.kill_if_alive)
        self.serve("--trip-updates", f"{broken.url}/t.pb", *QUICK)
        asked = broken.wait_for(3)
        traces = [TRACE_FIELD.fullmatch(question["traceparent"]).groups() for question in asked]
        self.assertEqual(len({trace for trace, _ in traces}), len(traces))
        self.assertEqual(len([1 for name, _ in asked[0].fields if name.lower() == "traceparent"]), 1)
        until(lambda: self.log.find("a realtime source fails"))
        said = self.log.find("a realtime source fails")[0]
        self.assertIn((said["trace_id"], said["span_id"]), [
            TRACE_FIELD.fullmatch(question["traceparent"]).groups() for question in broken.questions])
        self.assertNotIn("request_id", said)

    def test_what_a_job_asks_for_is_in_the_trace_of_its_start(self):
        library = Broken(always(reply("200 OK", b'{"docs": []}', "Content-Type: application/json")))
        self.addCleanup(library.kill_if_alive)
        server = self.serve("--jobs", str(self.folder / "jobs"), "--open-library", library.url, now=None)
        books = json.dumps({"books": [{"title": "Nobody Wrote This", "author": "Nobody"}]}).encode()

        def start(*fields: tuple[str, str]) -> None:
            status, _, _ = self.ask(
                server, "/v1/jobs/batch_enrichment", ("Content-Type", "application/json"), *fields, method="POST", body=books)
            self.assertEqual(status, 202)

        start(("traceparent", TRACEPARENT), ("tracestate", TRACESTATE), ("X-Request-Id", "start-1"))
        asked = library.wait_for(1)[0]
        self.assertEqual(TRACE_FIELD.fullmatch(asked["traceparent"])[1], TRACE)
        self.assertEqual(asked["tracestate"], TRACESTATE)
        until(lambda: self.log.find("a job runs"))
        until(lambda: self.log.find("a request is answered", route="/v1/jobs/{job}", status="202"))
        run = self.log.find("a job runs")[0]
        answered = self.log.find("a request is answered", route="/v1/jobs/{job}", status="202")[0]
        self.assertEqual((run["trace_id"], run["span_id"]), TRACE_FIELD.fullmatch(asked["traceparent"]).groups())
        self.assertEqual((answered["trace_id"], answered["request_id"]), (TRACE, "start-1"))
        self.assertNotEqual(run["span_id"], answered["span_id"])
        self.assertNotIn("request_id", run)
        before = len(library.questions)
        start(("traceparent", "not valid"), ("tracestate", TRACESTATE))
        asked = library.wait_for(before + 1)[-1]
        self.assertNotEqual(TRACE_FIELD.fullmatch(asked["traceparent"])[1], TRACE)
        self.assertIsNone(asked["tracestate"])

    # Sockets

    def test_a_socket_is_counted_by_its_route_and_is_in_its_trace(self):
        server = JobServer(self.folder, "--log-format", "json", log_level="debug")
        self.addCleanup(server.__exit__)
        job = server.start(table(2))
        server.wait(job)
        key = base64.b64encode(os.urandom(16)).decode()
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
            line.sendall(
                f"GET /ws/progress?jobId={job['jobId']} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nUpgrade: websocket\r\n"
                f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
                f"Sec-WebSocket-Protocol: freshet-auth.{job['token']}\r\ntraceparent: {TRACEPARENT}\r\n\r\n".encode())
            self.assertTrue(line.recv(65_536).startswith(b"HTTP/1.1 101 "))
            until(lambda: any('"a socket closes"' in line for line in server.log))
        said = strict(next(line for line in server.log if '"a socket closes"' in line))
        self.assertEqual((said["trace_id"], said["metadata"]["job"]), (TRACE, job["jobId"]))
        metrics = server.ask("GET", "/metrics")[1].decode()
        self.assertIn('freshet_http_requests_total{route="/ws/progress",method="GET",class="1xx"} 1\n', metrics)
        self.assertIn('freshet_http_request_duration_seconds_count{route="/ws/progress",method="GET"} 1\n', metrics)
        # A client that may not listen gets an answer, which counts as any other.
        status, _, _ = server.ask("GET", f"/ws/progress?jobId={job['jobId']}", Upgrade="websocket", Connection="Upgrade")
        self.assertGreaterEqual(status, 400)
        metrics = server.ask("GET", "/metrics")[1].decode()
        self.assertIn('freshet_http_requests_total{route="/ws/progress",method="GET",class="4xx"} 1\n', metrics)


if __name__ == "__main__":
    unittest.main()
