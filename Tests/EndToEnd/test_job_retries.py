"""Jobs that fail for a reason that passes are tried again, end as dead letters, and are started again; jobs wait for their instant.

Each test runs with a folder and with a shared database.
"""

from __future__ import annotations

import json
import threading
import unittest
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, urlparse

from database import Database
from job_stage import JobServer
from program import Folder, run, until
from test_book_services import photo


class Provider:
    """Answers like Open Library's search, or with 503 while it is down."""

    def __init__(self) -> None:
        self.is_down = True
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                title = parse_qs(urlparse(self.path).query).get("title", [""])[0]
                docs = [{"key": "/works/OL1W", "title": title, "author_name": ["Somebody"]}]
                body = json.dumps({"numFound": 1, "docs": docs}).encode()
                self.send_response(503 if provider.is_down else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class RetryTests(unittest.TestCase):
    #: The options that name the database.
    options: tuple[str, ...] = ()

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)

    def serve(self, *options: str, **limits: int) -> JobServer:
        limits = {"leastRetrySeconds": 1, "mostRetrySeconds": 1, "leaseSeconds": 1, **limits}
        (self.folder / "server").mkdir()
        server = JobServer(self.folder / "server", *self.options, *options, limits=limits, log_level="critical")
        self.addCleanup(server.__exit__)
        return server

    def run_jobs(self, server: JobServer, *arguments: str) -> str:
        """The output of freshet jobs."""
        answer = run("jobs", *arguments, "--server", server.url, "--tokens", str(self.folder / "tokens.json"))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return answer.stdout

    def test_a_job_whose_service_is_down_goes_on_when_it_is_back(self):
        provider = Provider()
        self.addCleanup(provider.close)
        server = self.serve("--open-library", provider.url, attemptsOfJob=100)
        books = json.dumps({"books": [{"title": f"Book {n}", "author": "Somebody"} for n in range(3)]})
        job = server.start(books.encode(), "batch_enrichment", Content_Type="application/json")
        until(lambda: server.state(job)["failedAttempts"] > 0)
        state = server.state(job)
        self.assertEqual((state["maxAttempts"], state["lastError"]["code"]), (100, "provider_unavailable"))
        provider.is_down = False
        state = server.wait(job)
        self.assertEqual(state["state"], "succeeded")
        self.assertNotIn("runAt", state)
        self.assertEqual([item["outcome"] for item in server.results(job)], ["enriched"] * 3)
        events = server.state(job, after=f"{state['epoch']}.0")["events"]
        self.assertEqual([event["seq"] for event in events], list(range(1, state["lastSeq"] + 1)))
        retries = [event["payload"]["retry"] for event in events if "retry" in event["payload"]]
        self.assertEqual([retry["failedAttempts"] for retry in retries], list(range(1, state["failedAttempts"] + 1)))
        self.assertEqual({event["type"] for event in events[-1:]}, {"job_complete"})

    def test_after_the_last_attempt_an_operator_starts_it_again(self):
        # The port is closed.
        server = self.serve("--vision", "http://127.0.0.1:9/v1/books", attemptsOfJob=2)
        job = server.start(photo(1), "ai_scan", Content_Type="image/png")
        state = server.wait(job)
        self.assertEqual((state["state"], state["failedAttempts"]), ("failed", 2))
        self.assertEqual([event["type"] for event in state["events"]].count("error"), 1)
        letters = json.loads(self.run_jobs(server, "dead", "--json"))
        self.assertEqual([(letter["job"], letter["code"]) for letter in letters], [(job["jobId"], "scan_unavailable")])
        again = self.run_jobs(server, "restart", job["jobId"]).strip()
        told = json.loads(self.run_jobs(server, "restart", job["jobId"], "--json"))
        self.assertEqual(told, {"job": again, "restarted": job["jobId"]})
        state = server.state(job)
        self.assertEqual((state["state"], state["restartedAs"]), ("failed", again))
        answer = run("jobs", "watch", again, "--server", server.url, "--tokens", str(self.folder / "tokens.json"))
        self.assertEqual(answer.returncode, 1, answer.stderr)
        letters = json.loads(self.run_jobs(server, "dead", "--json"))
        self.assertEqual([letter["job"] for letter in letters], [again])
        self.assertIn(b"\nfreshet_jobs_dead 1", server.ask("GET", "/metrics")[1])
        # For operators only.
        for path, method in (("/v1/dead-letters", "GET"), (f"/v1/dead-letters/{again}/restart", "POST")):
            status, body, _ = server.ask(method, path, b"" if method == "POST" else None, X_Forwarded_For="192.0.2.1")
            self.assertEqual((status, json.loads(body)["error"]), (401, "token_missing"))

    def test_a_job_waits_for_its_instant_and_can_be_canceled(self):
        server = self.serve()
        later = (datetime.now(timezone.utc) + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        status, body, _ = server.ask(
            "POST", f"/v1/jobs/csv_import?priority=high&run_at={quote(later)}", b"Title\nDune\n", Content_Type="text/csv")
        self.assertEqual(status, 202, body)
        job = json.loads(body)
        other = server.start(b"Title\nEmma\n")
        self.assertEqual(server.wait(other)["state"], "succeeded")
        state = server.state(job)
        self.assertEqual((state["state"], state["priority"], state["runAt"]), ("queued", "high", later))
        status, body, _ = server.ask("POST", f"/v1/jobs/{job['jobId']}/cancel", b"", token=job["token"])
        self.assertEqual((status, json.loads(body)["state"]), (200, "canceled"))
        for query, what in (("priority=urgent", "high, normal, low"), ("run_at=soon", "an instant like"),
                            ("run_at=2099-01-01T00:00:00Z", "at most 604800 seconds ahead")):
            status, body, _ = server.ask("POST", f"/v1/jobs/csv_import?{query}", b"Title\nDune\n", Content_Type="text/csv")
            self.assertEqual((status, json.loads(body)["error"]), (400, "invalid_request"))
            self.assertIn(what, json.loads(body)["detail"])


class SharedRetryTests(RetryTests):
    @classmethod
    def setUpClass(cls):
        cls.database = Database()
        cls.addClassCleanup(cls.database.close)
        cls.options = ("--database", cls.database.url)


if __name__ == "__main__":
    unittest.main()
