"""Listeners that come late: an hour after the end, after the results were removed, with expired tokens."""

from __future__ import annotations

import json
import tempfile
import time
import unittest
from datetime import datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

from job_stage import JobServer, RawSocket, table
from program import until
from side_by_side import load_side_by_side as load_tests  # noqa: F401

BEGIN = datetime(2026, 3, 28, 23, 0, tzinfo=timezone.utc)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class LateTests(unittest.TestCase):
    """One job, and a server whose clock has another time at each start."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def serve(self, after: timedelta = timedelta(), *options: str) -> JobServer:
        """A server whose clock shows so much after the beginning."""
        server = JobServer(self.folder, "--now", (BEGIN + after).isoformat(), *options)
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        return server

    def ended(self) -> tuple[dict, dict]:
        """A job that is over, and its state."""
        server = self.serve()
        job = server.start(table(300, blanks=True))
        state = server.wait(job)
        server.stop()
        return job, state

    def status(self, server: JobServer, job: dict, path: str = "", method: str = "GET") -> tuple[int, str]:
        """Status and code of an answer."""
        status, body, _ = server.ask(method, f"/v1/jobs/{job['jobId']}{path}", token=job["token"])
        return status, (json.loads(body).get("error", "") if status >= 400 else "")

    def over_socket(self, server: JobServer, job: dict, query: str = "") -> tuple[list[dict], int]:
        """All messages of a socket and the code it closes with."""
        socket = RawSocket(server.port, job, query)
        self.assertEqual(socket.status, 101)
        messages = []
        while True:
            opcode, payload = socket.receive()
            if opcode == 8:
                socket.socket.close()
                return messages, int.from_bytes(payload[:2], "big")
            if opcode == 1:
                messages.append(json.loads(payload))

    def over_stream(self, server: JobServer, job: dict, last: str | None = None) -> tuple[int, list[dict]]:
        """Status and events of a stream."""
        fields = {"Last_Event_ID": last} if last else {}
        status, body, _ = server.ask("GET", f"/v1/jobs/{job['jobId']}/events", token=job["token"], **fields)
        return status, [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith("data: ")]

    def test_an_hour_late_everything_is_there_over_all_transports(self):
        job, before = self.ended()
        server = self.serve(HOUR)
        events = before["events"]
        self.assertEqual(server.state(job)["events"], events)
        self.assertEqual(self.over_socket(server, job), (events, 1000))
        self.assertEqual(self.over_stream(server, job), (200, events))
        half = f"{before['epoch']}.{len(events) // 2}"
        rest = events[len(events) // 2:]
        messages, code = self.over_socket(server, job, f"&after={half}")
        self.assertEqual((messages[0]["type"], messages[0]["payload"]["recovered"]), ("reconnected", True))
        self.assertEqual((messages[1:], code), (rest, 1000))
        status, streamed = self.over_stream(server, job, half)
        self.assertEqual((status, streamed[1:]), (200, rest))
        self.assertEqual(server.state(job, half)["events"], rest)
        self.assertEqual(len(server.results(job)), 300)

    def test_the_clock_may_also_run_faster(self):
        # An hour in less than four seconds, with the server running.
        server = self.serve(timedelta(), "--pace", "1000")
        job = server.start(table(50))
        state = server.wait(job)
        ended = datetime.fromisoformat(state["updatedAt"].replace("Z", "+00:00"))
        until(lambda: parsedate_to_datetime(server.ask("GET", "/v1/capabilities")[2]["Date"]) > ended + HOUR)
        messages, code = self.over_socket(server, job)
        self.assertEqual((messages, code), (state["events"], 1000))
        self.assertEqual(len(server.results(job)), 50)

    def test_results_that_are_gone_are_410_on_every_way_and_404_only_when_the_job_is_forgotten(self):
        job, _ = self.ended()
        server = self.serve(DAY - timedelta(minutes=5))
        self.assertEqual(self.status(server, job, "/results"), (200, ""))
        server.stop()
        server = self.serve(DAY + timedelta(minutes=5))
        gone = (410, "job_expired")
        end = time.monotonic() + 120
        while self.status(server, job, "/results") != gone:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        for path in ("", "/results", "/failed.csv", "/events"):
            self.assertEqual(self.status(server, job, path), gone, path)
        self.assertEqual(self.status(server, job, "/cancel", "POST"), gone)
        self.assertEqual(self.status(server, job, method="DELETE"), gone)
        self.assertEqual(RawSocket(server.port, job).status, 410)
        # Another client learns nothing of it.
        self.assertEqual(self.status(server, {**job, "token": "0" * 64}), (401, "token_invalid"))
        server.stop()
        server = self.serve(DAY * 7)
        self.assertEqual(self.status(server, job), gone)
        server.stop()
        server = self.serve(DAY * 9)
        while (found := self.status(server, job)) != (404, "job_not_found"):
            self.assertEqual(found, gone)
            self.assertLess(time.monotonic(), end + 60)
            time.sleep(0.05)
        self.assertEqual(RawSocket(server.port, job).status, 404)

    def test_a_token_lives_as_long_as_its_job_and_a_replaced_one_opens_nothing_on_any_way(self):
        server = self.serve(timedelta(), "--jobs-running", "1")
        # The job is not over before the server is stopped.
        library = server.lock_library()
        self.addCleanup(library.release)
        job = server.start(table(10))
        path = f"/v1/jobs/{job['jobId']}/token"
        old, job = job, {**job, "token": json.loads(server.ask("POST", path, b"", token=job["token"])[1])["token"]}
        server.kill()
        # Days later; the library is still locked.
        server = self.serve(DAY * 3, "--jobs-running", "1")
        self.assertEqual(self.status(server, job), (200, ""))
        socket = RawSocket(server.port, job)
        self.assertEqual(socket.status, 101)
        wanted = (401, "token_expired")
        for path in ("", "/events", "/results", "/failed.csv"):
            self.assertEqual(self.status(server, old, path), wanted, path)
        self.assertEqual(RawSocket(server.port, old).status, 401)
        self.assertEqual(self.status(server, old, "/token", "POST"), wanted)
        self.assertEqual(self.status(server, old, "/cancel", "POST"), wanted)
        library.release()
        server.wait(job)
        self.assertEqual(self.status(server, job, "/results"), (200, ""))

    def test_the_token_of_another_job_opens_nothing_on_any_way(self):
        server = self.serve()
        job, other = server.start(table(20)), server.start(table(20))
        stranger = {**job, "token": other["token"]}
        refused = (401, "token_invalid")
        for path, method in [
            ("", "GET"), ("/results", "GET"), ("/failed.csv", "GET"), ("/events", "GET"), ("/token", "POST"),
            ("/cancel", "POST"), ("", "DELETE"),
        ]:
            self.assertEqual(self.status(server, stranger, path, method), refused, path)
        self.assertEqual(RawSocket(server.port, stranger).status, 401)
        body = json.dumps({"jobId": job["jobId"], "oldToken": other["token"]}).encode()
        self.assertEqual(server.ask("POST", "/v1/token/refresh", body)[0], 401)
        self.assertEqual(server.wait(job)["state"], "succeeded")


if __name__ == "__main__":
    unittest.main()
