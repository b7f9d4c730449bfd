"""Liveness and readiness of a server, access to the reasons, and shutdown."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import threading
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from job_stage import JobServer
from program import Folder, Server, once, run, until
from sample_network import copy_network
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import repository

FOLDER = Folder()
TOKEN = "operators-token-0123456789"


@once
def data() -> Path:
    """The sample network, imported."""
    return copy_network(FOLDER.path)


def tearDownModule() -> None:
    FOLDER.remove()


def ask(server: Server, path: str = "/health/ready", **fields: str) -> tuple[int, dict, dict]:
    """Status, content and fields of an answer."""
    request = urllib.request.Request(server.url + path)
    for name, value in fields.items():
        request.add_header(name.replace("_", "-"), value)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.load(answer), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error), dict(error.headers)


def states(server: Server) -> dict[str, str]:
    """The dependencies by name."""
    return {entry["name"]: entry["state"] for entry in ask(server)[1]["dependencies"]}


class Readiness(unittest.TestCase):
    """What is asked for decides what is ready."""

    def folder(self) -> Path:
        folder = Folder()
        self.addCleanup(folder.remove)
        return folder.path

    def test_boards_are_ready_with_a_timetable(self):
        with Server(data()) as server:
            until(lambda: ask(server)[0] == 200)
            status, content, fields = ask(server)
            self.assertEqual((content["ok"], content["status"]), (True, "ready"))
            self.assertEqual([entry["name"] for entry in content["dependencies"]], ["timetable", "history"])
            self.assertRegex(content["dependencies"][0]["since"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
            self.assertEqual(fields["Cache-Control"], "no-store")
            self.assertEqual(ask(server, "/health/live")[:2], (200, {"ok": True, "status": "live"}))
            self.assertEqual(ask(server, "/health")[1]["status"], "ok")

    def test_boards_without_a_timetable_live_and_are_not_ready_until_one_comes(self):
        folder = self.folder()
        with Server(folder) as server:
            until(lambda: ask(server)[1].get("dependencies"))
            status, content, fields = ask(server)
            self.assertEqual((status, content["status"]), (503, "not_ready"))
            self.assertEqual(fields["Retry-After"], "2")
            since = content["dependencies"][0]
            self.assertEqual((since["state"], since["required"]), ("down", True))
            self.assertIn("import", since["detail"])
            self.assertEqual(ask(server, "/health/live")[0], 200)
            data()
            self.assertEqual(run("import", str(FOLDER.path / "feed"), "--data", str(folder)).returncode, 0)
            until(lambda: ask(server)[0] == 200)
            self.assertGreaterEqual(ask(server)[1]["dependencies"][0]["since"], since["since"])

    def test_worktrees_and_jobs_alone_are_ready_without_a_timetable(self):
        folder = self.folder()
        repository(folder / "code" / "project")
        with Server(folder / "data", "--workspaces", str(folder / "code"), now=None) as server:
            until(lambda: ask(server)[0] == 200)
            self.assertEqual(states(server), {"worktrees": "ok"})
            self.assertEqual(ask(server, "/health")[0], 503)
        with JobServer(folder) as server:
            until(lambda: ask(server)[0] == 200)
            self.assertEqual(states(server), {"jobs": "ok"})

    def test_a_source_that_fails_is_named_and_does_not_make_boards_unready(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            port = closed.getsockname()[1]
        with Server(data(), "--trip-updates", f"http://127.0.0.1:{port}/updates.pb") as server:
            until(lambda: "cannot be reached" in json.dumps(ask(server)[1]))
            status, content, _ = ask(server)
            self.assertEqual(status, 200)
            entry = next(entry for entry in content["dependencies"] if entry["name"] == "realtime.trip-updates.1")
            self.assertEqual((entry["state"], entry["required"]), ("degraded", False))

    def test_only_operators_see_what_it_depends_on(self):
        with Server(data()) as server:
            until(lambda: ask(server)[0] == 200)
            self.assertIn("dependencies", ask(server)[1])
            # What a proxy on this machine passes on, and what a page asks that another name led here.
            for fields in [
                {"X-Forwarded-For": "203.0.113.7"}, {"Forwarded": "for=203.0.113.7"}, {"Via": "1.1 proxy"},
                {"Host": "rebound.example"}, {"Origin": "https://other.example"}, {"Sec-Fetch-Site": "cross-site"},
            ]:
                status, content, _ = ask(server, **fields)
                self.assertEqual((status, content), (200, {"ok": True, "status": "ready"}), fields)
        with Server(data(), environment={"FRESHET_OPERATOR_TOKEN": TOKEN}) as server:
            until(lambda: ask(server)[0] == 200)
            for word in [None, "Bearer wrong", f"Bearer {TOKEN}x", f"Basic {TOKEN}", "Bearer "]:
                fields = {"Authorization": word} if word is not None else {}
                self.assertNotIn("dependencies", ask(server, **fields)[1], word)
            self.assertIn("dependencies", ask(server, Authorization=f"Bearer {TOKEN}", X_Forwarded_For="203.0.113.7")[1])
        file = self.folder() / "token"
        file.write_text("short")
        answer = run("serve", "--port", "0", "--operator-token-file", str(file))
        self.assertEqual(answer.returncode, 65)
        self.assertNotIn("Usage", answer.stderr)
        self.assertNotIn("short", answer.stderr.replace("too short", ""))


class Ending(unittest.TestCase):
    """Unready, drain, close, and bounded."""

    def test_clients_see_complete_answers_through_the_drain(self):
        with Server(data(), "--drain-seconds", "2", now=None) as server:
            until(lambda: ask(server)[0] == 200)
            problems: list[str] = []
            counts = {"before": 0, "draining": 0}
            draining = threading.Event()

            def load(keeps: bool) -> None:
                connection = None
                while True:
                    try:
                        if connection is None:
                            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
                            connection.connect()
                    except ConnectionRefusedError:
                        return
                    try:
                        connection.request("GET", "/api/stationboard?stop_id=Parent8501120")
                        answer = connection.getresponse()
                        body = answer.read()
                        json.loads(body)
                        if answer.status != 200:
                            problems.append(f"{answer.status} {body[:200]!r}")
                        counts["draining" if draining.is_set() else "before"] += 1
                        if not keeps or answer.getheader("Connection") == "close":
                            connection.close()
                            connection = None
                    except (http.client.HTTPException, OSError, ValueError) as error:
                        # A connection that was accepted and closed before its request was read lost nothing that was answered.
                        if server.process.poll() is None and not isinstance(error, (ConnectionResetError, http.client.RemoteDisconnected)):
                            problems.append(repr(error))
                        elif draining.is_set() and time.monotonic() < self.closes - 0.5:
                            problems.append(f"too early: {error!r}")
                        connection = None

            threads = [threading.Thread(target=load, args=(number % 2 == 0,), daemon=True) for number in range(4)]
            self.closes = float("inf")
            for thread in threads:
                thread.start()
            until(lambda: counts["before"] > 20)
            self.closes = time.monotonic() + 2
            server.process.send_signal(signal.SIGTERM)
            until(lambda: ask(server)[1]["status"] == "draining")
            draining.set()
            status, content, fields = ask(server)
            self.assertEqual((status, content["ok"]), (503, False))
            self.assertEqual(fields["Connection"], "close")
            self.assertEqual(ask(server, "/health/live")[0], 200)
            self.assertEqual(server.process.wait(timeout=30), 0)
            for thread in threads:
                thread.join(timeout=30)
                self.assertFalse(thread.is_alive())
            self.assertEqual(problems, [])
            self.assertGreater(counts["draining"], 20)

    def test_the_end_is_bounded_whatever_clients_do(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        with JobServer(folder.path, "--close-seconds", "1", log_level="warning") as server:
            peer = socket.create_connection(("127.0.0.1", server.port), timeout=30)
            peer.sendall(
                b"POST /v1/jobs/csv_import HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 1000\r\n\r\nTitle"
            )
            until(lambda: ask(server)[0] == 200)
            began = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.process.wait(timeout=30), 0)
            self.assertGreaterEqual(time.monotonic() - began, 0.9)
            server.drain.join(timeout=30)
            self.assertTrue(any("cut off" in line for line in server.log), server.log)
            peer.close()

    def test_an_idle_server_ends_at_once(self):
        with Server(data()) as server:
            until(lambda: ask(server)[0] == 200)
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.process.wait(timeout=15), 0)


if __name__ == "__main__":
    unittest.main()
