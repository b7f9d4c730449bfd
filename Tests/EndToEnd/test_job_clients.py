"""What clients bear: tokens they outlive, renewals that fail, clocks that differ, events that cannot be read."""

from __future__ import annotations

import http.server
import json
import re
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from job_stage import JobServer, TokenOutage, table
from program import PROGRAM, run, until
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401

# How long a token is good, in seconds.
TOKEN = 8
# How many renewals fail first.
FAILURES = 2


class ClientTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def serve(self, name: str, *options: str) -> JobServer:
        place = self.folder / name
        place.mkdir()
        server = JobServer(place, *options)
        self.addCleanup(server.stop)
        return server

    def begin(self, name: str, *words: str) -> tuple[subprocess.Popen, Path]:
        """Runs a command of jobs beside this one; where it writes."""
        output = self.folder / f"{name}.jsonl"
        with output.open("w", encoding="utf-8") as file, (self.folder / f"{name}.log").open("w", encoding="utf-8") as log:
            process = subprocess.Popen([PROGRAM, "jobs", *words], stdout=file, stderr=log, text=True)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process, output

    def messages(self, name: str, process: subprocess.Popen, output: Path) -> list[dict]:
        """What a command that followed a job to its good end wrote."""
        code = process.wait(timeout=120)
        self.assertEqual(code, 0, (name, (self.folder / f"{name}.log").read_text()))
        messages = [json.loads(line) for line in output.read_text().splitlines()]
        return [message for message in messages if isinstance(message, dict)]


class TokenTests(ClientTests):
    def test_a_job_outlives_tokens_whose_renewal_fails_and_whose_server_has_another_time(self):
        clients = {}
        for name, now in (("past", "2019-01-01T00:00:00Z"), ("future", "2041-01-01T00:00:00Z")):
            server = self.serve(name, "--jobs-token-seconds", str(TOKEN), "--now", now)
            # The job waits for the library, for as long as the test wants.
            library = server.lock_library()
            self.addCleanup(library.release)
            network = TokenOutage(server.port, FAILURES)
            self.addCleanup(network.close)
            (self.folder / f"{name}.csv").write_bytes(table(300, seed=2))
            tokens = ["--tokens", str(self.folder / f"{name}.json")]
            began = time.monotonic()
            process = self.begin(
                name, "import", "--json", "--server", f"http://127.0.0.1:{network.port}", *tokens,
                str(self.folder / f"{name}.csv"),
            )
            clients[name] = (server, library, network, process, tokens, began)
        for name, (server, library, network, process, tokens, began) in clients.items():
            until(lambda: network.renewed > 0 and time.monotonic() > began + TOKEN * 1.5)
            self.assertEqual(network.failed, FAILURES, name)
            # The stream that was opened with the first token goes, and that token with it.
            network.cut()
            # What a token is good for is used: it is not renewed again and again.
            self.assertLessEqual(network.renewed, 2 + (time.monotonic() - began) / (TOKEN / 2 - 1), name)
            library.release()
            messages = self.messages(name, *process)
            self.assertEqual([m["type"] for m in messages].count("job_complete"), 1, name)
            self.assertEqual(messages[-1]["type"], "job_complete", name)
            # The token that is kept opens the results.
            answer = run("jobs", "results", "--json", *tokens)
            self.assertEqual(answer.returncode, 0, (name, answer.stderr))
            self.assertEqual(len(answer.stdout.splitlines()), 300, name)


class DamagedEvents(http.server.BaseHTTPRequestHandler):
    """Passes requests on to a server, but lets no WebSocket through and damages one event, each time."""

    protocol_version = "HTTP/1.0"

    DAMAGES = {
        "nan": lambda event: event.replace(b'"payload":{', b'"payload":{"share":NaN,'),
        "deep": lambda event: event.replace(b'"payload":{', b'"payload":{"deep":' + b"[" * 2_000 + b"]" * 2_000 + b","),
        "double": lambda event: re.sub(rb'"seq":(\d+)', rb'"seq":999,"seq":999', event),
        "long": lambda event: event.replace(b'"payload":{', b'"payload":{"text":"' + b"x" * 2_000_000 + b'",'),
        "end": lambda event: event.replace(b'"payload":{', b'"payload":{'[:-1] + b"NaN,"),
    }

    def do_GET(self) -> None:
        if self.path.startswith("/ws/"):
            return self.send_error(502)
        request = urllib.request.Request(self.server.target + self.path)
        for name in ("Authorization", "Last-Event-ID"):
            if name in self.headers:
                request.add_header(name, self.headers[name])
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                status, body, kind = answer.status, answer.read(), answer.headers.get("Content-Type", "")
        except urllib.error.HTTPError as error:
            return self.send_error(error.code)
        if "/events" in self.path:
            self.server.streams += 1
            body = b"\n\n".join(self._damaged(block) for block in body.split(b"\n\n"))
        elif self.server.damage == "end" and kind.startswith("application/json"):
            document = json.loads(body)
            if document.get("events"):
                document["events"][-1] = "lost"
                body = json.dumps(document).encode()
        self.send_response(status)
        if kind:
            self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def _damaged(self, block: bytes) -> bytes:
        place = b'"type":"job_complete"' if self.server.damage == "end" else b'"seq":3,'
        return self.DAMAGES[self.server.damage](block) if place in block else block

    def log_message(self, *_: object) -> None:
        pass


class DamageTests(ClientTests):
    def test_an_event_that_can_never_be_read_keeps_no_client_from_the_end(self):
        server = self.serve("server")
        job = server.start(table(sized(1_600, long=4_000)))
        self.assertGreater(server.wait(job)["lastSeq"], 6)
        watchers = {}
        for damage in DamagedEvents.DAMAGES:
            proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), DamagedEvents)
            proxy.target, proxy.damage, proxy.streams = server.url, damage, 0
            threading.Thread(target=proxy.serve_forever, daemon=True).start()
            self.addCleanup(proxy.server_close)
            self.addCleanup(proxy.shutdown)
            address = f"http://127.0.0.1:{proxy.server_address[1]}"
            tokens = self.folder / f"{damage}.json"
            tokens.write_text(json.dumps([{
                "server": address, "job": job["jobId"], "token": job["token"], "pipeline": "csv_import",
                "name": "books.csv", "startedAt": 1,
            }]))
            watchers[damage] = (proxy, self.begin(damage, "watch", "--json", "--tokens", str(tokens)))
        for damage, (proxy, process) in watchers.items():
            messages = self.messages(damage, *process)
            self.assertEqual([message["type"] for message in messages].count("job_complete"), 1, damage)
            self.assertEqual(messages[-1]["payload"]["status"], "succeeded", damage)
            numbers = [message["seq"] for message in messages if "seq" in message]
            self.assertEqual(numbers[:-1], sorted(set(numbers[:-1])), damage)
            self.assertLessEqual(proxy.streams, 6, damage)


if __name__ == "__main__":
    unittest.main()
