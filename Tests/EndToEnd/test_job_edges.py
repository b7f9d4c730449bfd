"""What jobs do at their edges: two servers, commands at once, the moment of expiry, locked files, odd requests."""

from __future__ import annotations

import http.client
import http.server
import json
import re
import socket
import sqlite3
import subprocess
import tempfile
import threading
import unittest
import urllib.error
import urllib.request
from datetime import datetime, timedelta, timezone
from pathlib import Path

from job_stage import JobServer, RawSocket, table
from program import PROGRAM, run, until
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401

BEGIN = datetime(2026, 3, 28, 23, 0, tzinfo=timezone.utc)


class EdgeTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def serve(self, *options: str, **more) -> JobServer:
        server = JobServer(self.folder, *options, **more)
        self.addCleanup(server.__exit__)
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        return server

    def code(self, answer: tuple[int, bytes, dict]) -> tuple[int, str]:
        """Status and code of a problem."""
        return answer[0], json.loads(answer[1])["error"]


class FolderTests(EdgeTests):
    def test_a_folder_has_one_server_and_a_killed_one_leaves_it(self):
        server = self.serve()
        job = server.start(table(20))
        server.wait(job)
        second = subprocess.run(
            [PROGRAM, "serve", "--data", f"{self.folder}/data", "--jobs", f"{self.folder}/jobs", "--port", "0"],
            capture_output=True, text=True, timeout=60, check=False,
        )
        self.assertEqual(second.returncode, 75, second.stdout)
        self.assertIn("another server runs the jobs", second.stderr)
        server.kill()
        server = self.serve()
        self.assertEqual(len(server.results(job)), 20)

    def test_a_library_that_is_locked_is_waited_for(self):
        server = self.serve(log_level="warning")
        other = server.lock_library()
        self.addCleanup(other.release)
        job = server.start(table(300, seed=2))
        # A try takes five seconds.
        until(lambda: any("waits for a database" in line for line in server.log))
        self.assertEqual(server.state(job)["state"], "running")
        other.release()
        self.assertEqual(server.wait(job)["state"], "succeeded")
        self.assertEqual(len(server.results(job)), 300)

    def test_a_library_that_stays_locked_fails_the_job_and_says_so(self):
        server = self.serve(limits={"lockedSeconds": 1, "attemptsOfJob": 1})
        other = server.lock_library()
        self.addCleanup(other.release)
        end = server.wait(server.start(table(300, seed=2)))
        self.assertEqual(end["state"], "failed")
        error = end["events"][-1]["payload"]
        self.assertEqual((error["code"], error["retryable"]), ("database_locked", True))


class TicketTests(EdgeTests):
    def test_commands_at_once_lose_no_ticket(self):
        server = self.serve()
        book = Path(self.folder) / "books.csv"
        book.write_bytes(table(3))
        tokens = f"{self.folder}/state/jobs.json"
        command = [PROGRAM, "jobs", "import", str(book), "--server", server.url, "--tokens", tokens, "--detach"]
        started = []
        for _ in range(sized(2, long=4)):
            runs = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(8)]
            for one in runs:
                out, complaint = one.communicate(timeout=60)
                self.assertEqual(one.returncode, 0, complaint)
                started.append(out.strip())
        kept = {entry["job"] for entry in json.loads(Path(tokens).read_text())}
        self.assertEqual(kept, set(started))
        self.assertEqual({path.name for path in Path(tokens).parent.iterdir()}, {"jobs.json", "jobs.json.lock"})

    def test_a_server_is_the_same_with_a_slash_at_its_end(self):
        server = self.serve()
        book = Path(self.folder) / "books.csv"
        book.write_bytes(table(3))
        tokens = ["--tokens", f"{self.folder}/jobs.json"]
        self.assertEqual(run("jobs", "import", str(book), "--server", server.url, *tokens).returncode, 0)
        self.assertIn("books.csv", run("jobs", "list", "--server", server.url + "/", *tokens).stdout)
        self.assertEqual(run("jobs", "results", "--server", server.url + "/", *tokens).returncode, 0)

    def test_a_job_without_a_table_says_so(self):
        server = self.serve()
        options = ["--server", server.url, "--tokens", f"{self.folder}/jobs.json"]
        run("jobs", "enrich", "Dune", *options)
        answer = run("jobs", "results", "--failed-rows", *options)
        self.assertEqual(answer.returncode, 66)
        self.assertIn("no_failed_rows", answer.stderr)


class HalfStream(http.server.BaseHTTPRequestHandler):
    """Passes requests on to a server, but lets no WebSocket through and breaks the first stream of events in its middle."""

    protocol_version = "HTTP/1.0"

    def do_GET(self) -> None:
        if self.path.startswith("/ws/"):
            return self.send_error(502)
        request = urllib.request.Request(self.server.target + self.path)
        for name in ("Authorization", "Last-Event-ID"):
            if name in self.headers:
                request.add_header(name, self.headers[name])
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                body, kind = answer.read(), answer.headers["Content-Type"]
        except urllib.error.HTTPError as error:
            return self.send_error(error.code)
        if "/events" in self.path:
            self.server.streams += 1
            if self.server.streams == 1:
                body = body[: body.rindex(b"\n\n", 0, len(body) // 3) + 2]
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class ProgressTests(EdgeTests):
    def test_progress_does_not_run_backwards_after_a_connection_broke(self):
        server = self.serve()
        job = server.start(table(sized(1_200, long=4_000)))
        server.wait(job)
        proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), HalfStream)
        proxy.target, proxy.streams = server.url, 0
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        self.addCleanup(proxy.server_close)
        self.addCleanup(proxy.shutdown)
        address = f"http://127.0.0.1:{proxy.server_address[1]}"
        tokens = Path(self.folder) / "jobs.json"
        tokens.write_text(json.dumps([{
            "server": address, "job": job["jobId"], "token": job["token"], "pipeline": "csv_import",
            "name": "books.csv", "startedAt": 1,
        }]))
        answer = run("jobs", "watch", "--tokens", str(tokens))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertGreaterEqual(proxy.streams, 2, answer.stderr)
        shown = [int(number) for number in re.findall(r"^(\d+) %", answer.stderr, re.MULTILINE)]
        self.assertGreater(len(shown), 2, answer.stderr)
        self.assertEqual(shown, sorted(shown), answer.stderr)


class ExpiryTests(EdgeTests):
    def test_from_the_moment_of_its_expiry_a_job_is_gone_for_all_who_had_a_token(self):
        server = self.serve("--now", BEGIN.isoformat())
        job = server.start(table(20), Idempotency_Key="k")
        state = server.wait(job)
        status, body, _ = server.ask("POST", f"/v1/jobs/{job['jobId']}/token", token=job["token"])
        self.assertEqual(status, 200)
        fresh = {**job, "token": json.loads(body)["token"]}
        server.stop()
        # The sweeper looks at the start, shortly before the moment, and then half a minute later.
        expiry = datetime.fromisoformat(state["expiresAt"].replace("Z", "+00:00"))
        server = self.serve("--now", (expiry - timedelta(seconds=10)).isoformat())
        until(lambda: server.ask("GET", f"/v1/jobs/{job['jobId']}", token=fresh["token"])[0] != 200)
        gone = (410, "job_expired")
        for one in (fresh, job):
            for method, path in (
                ("GET", ""), ("GET", "/results"), ("GET", "/failed.csv"), ("GET", "/events"),
                ("POST", "/cancel"), ("DELETE", ""), ("POST", "/token"),
            ):
                answer = server.ask(method, f"/v1/jobs/{job['jobId']}{path}", token=one["token"])
                self.assertEqual(self.code(answer), gone, path)
            body = json.dumps({"jobId": job["jobId"], "oldToken": one["token"]}).encode()
            self.assertEqual(self.code(server.ask("POST", "/v1/token/refresh", body)), gone)
            self.assertEqual(RawSocket(server.port, one).status, 410)
        # Not swept yet: it is not the sweeper that says so.
        database = sqlite3.connect(f"file:{self.folder}/jobs/jobs.sqlite?mode=ro", uri=True)
        self.addCleanup(database.close)
        (kept,) = database.execute("SELECT state FROM job WHERE id = ?", [job["jobId"]]).fetchone()
        self.assertEqual(kept, "succeeded")
        again = server.start(table(20), Idempotency_Key="k")
        self.assertNotEqual(again["jobId"], job["jobId"])
        self.assertEqual(server.wait(again)["state"], "succeeded")

    def test_a_token_that_is_renewed_again_and_again_leaves_a_bounded_trace(self):
        server = self.serve(limits={"tokensOfJob": 10})
        job = server.start(table(3))
        server.wait(job)
        for _ in range(30):
            status, body, _ = server.ask("POST", f"/v1/jobs/{job['jobId']}/token", token=job["token"])
            if status == 401:
                break
            newest = json.loads(body)["token"]
        database = sqlite3.connect(f"file:{self.folder}/jobs/jobs.sqlite?mode=ro", uri=True)
        self.addCleanup(database.close)
        (count,) = database.execute("SELECT count(*) FROM token").fetchone()
        self.assertLessEqual(count, 11)
        self.assertEqual(server.ask("GET", f"/v1/jobs/{job['jobId']}", token=newest)[0], 200)


class RequestTests(EdgeTests):
    def test_a_method_that_a_path_does_not_take_is_405_and_allow_says_which_it_takes(self):
        server = self.serve()
        job = server.start(table(3))
        server.wait(job)
        here = f"/v1/jobs/{job['jobId']}"
        paths = {
            "/v1/capabilities": "GET, HEAD", "/v1/token/refresh": "POST", "/v1/jobs/csv_import": "POST",
            "/v1/jobs/AI-scan": "POST", here: "GET, HEAD, DELETE", here + "/cancel": "POST", here + "/token": "POST",
            here + "/events": "GET, HEAD", here + "/results": "GET, HEAD", here + "/failed.csv": "GET, HEAD",
            "/ws/progress": "GET, HEAD",
        }
        for path, allowed in paths.items():
            for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"):
                with self.subTest(path=path, method=method):
                    if method in allowed.split(", "):
                        if method == "GET":
                            self.assertNotEqual(server.ask(method, path)[0], 405)
                        continue
                    status, content, fields = server.ask(method, path, token=job["token"])
                    self.assertEqual((status, fields.get("Allow")), (405, allowed))
                    if method != "HEAD":
                        self.assertEqual(json.loads(content)["error"], "method_not_allowed")
        # An unknown path is a 404 with every method, and so is an unknown pipeline.
        self.assertEqual(server.ask("PUT", "/v1/jobs")[0], 404)
        self.assertEqual(server.ask("PUT", here + "/other")[0], 404)
        self.assertEqual(self.code(server.ask("POST", "/v1/jobs/csv_inport", b""))[0], 404)

    def test_the_head_of_a_stream_has_no_length_and_the_connection_goes_on(self):
        server = self.serve()
        job = server.start(table(3))
        server.wait(job)
        asked = (f"HEAD /v1/jobs/{job['jobId']}/events HTTP/1.1\r\nHost: localhost\r\n"
                 f"Authorization: Bearer {job['token']}\r\n\r\n").encode()
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
            got = b""
            for count in (1, 2, 3):
                client.sendall(asked)
                while got.count(b"\r\n\r\n") < count:
                    part = client.recv(65_536)
                    self.assertTrue(part, got)
                    got += part
        for head in got.split(b"\r\n\r\n")[:3]:
            self.assertTrue(head.startswith(b"HTTP/1.1 200"), got)
            self.assertIn(b"text/event-stream", head)
            self.assertNotIn(b"content-length", head.lower())
        self.assertTrue(got.endswith(b"\r\n\r\n"))

    def test_the_state_has_another_tag_for_another_token(self):
        server = self.serve()
        job = server.start(table(3))
        server.wait(job)
        path = f"/v1/jobs/{job['jobId']}"
        _, content, fields = server.ask("GET", path, token=job["token"])
        fresh = json.loads(server.ask("POST", path + "/token", b"", token=job["token"])[1])
        status, later, other = server.ask("GET", path, token=job["token"], If_None_Match=fields["ETag"])
        self.assertNotEqual(json.loads(content)["tokenExpiresAt"], json.loads(later)["tokenExpiresAt"])
        self.assertEqual(status, 200)
        self.assertEqual(server.ask("GET", path, token=job["token"], If_None_Match=other["ETag"])[0], 304)
        self.assertEqual(server.ask("GET", path, token=fresh["token"])[0], 200)

    def test_limits_hold_together(self):
        server = self.serve(limits={"pageItems": 50, "booksBytes": 8 << 20, "books": 20_000, "titleCharacters": 2_000})
        job = server.start(table(120))
        server.wait(job)
        limits = json.loads(server.ask("GET", "/v1/capabilities")[1])["limits"]["results"]
        self.assertEqual((limits["pageItems"], limits["pageItemsByDefault"]), (50, 50))
        path = f"/v1/jobs/{job['jobId']}/results"
        page = json.loads(server.ask("GET", path, token=job["token"])[1])
        self.assertEqual(len(page["items"]), 50)
        self.assertEqual(server.ask("GET", path + "?limit=51", token=job["token"])[0], 400)
        for outcome in (",", "imported,,failed", "imported,"):
            self.assertEqual(server.ask("GET", f"{path}?outcome={outcome}", token=job["token"])[0], 400, outcome)
        books = [{"title": f"{number} " + "x" * 1_500} for number in range(1_000)]
        many = server.start(json.dumps({"books": books}).encode(), "batch_enrichment", Content_Type="application/json")
        self.assertEqual(server.wait(many)["state"], "succeeded")
        # A letter may have many accents, and each of them counts.
        bomb = json.dumps({"books": [{"title": "a" + "\u0301" * 2_000}]}).encode()
        self.assertEqual(self.code(server.ask("POST", "/v1/jobs/batch_enrichment", bomb)), (400, "invalid_request"))

    def test_parameters_of_a_form_are_not_looked_for_inside_of_quotes(self):
        server = self.serve()
        form = (b'--b\r\nContent-Disposition: form-data; name="note; filename=x"\r\n\r\nno file\r\n'
                b'--b\r\nContent-Disposition: form-data; name = "file"; filename="a;b \\"c\\".csv"; name=other\r\n\r\n'
                + table(4) + b"\r\n--b--\r\n")
        job = server.start(form, Content_Type='multipart/form-data; note="; boundary=no"; boundary=b')
        self.assertEqual(server.wait(job)["state"], "succeeded")
        self.assertEqual(len(server.results(job)), 4)

    def test_odd_requests_are_answered_for_what_they_are(self):
        server = self.serve()
        job = server.start(table(20))
        state = server.wait(job)
        with self.subTest("a long request for a token"):
            body = json.dumps({"jobId": job["jobId"], "oldToken": "x" * 5_000}).encode()
            self.assertEqual(self.code(server.ask("POST", "/v1/token/refresh", body)), (413, "too_large"))
        with self.subTest("a packed table"):
            answer = server.ask("POST", "/v1/jobs/csv_import", table(1), Content_Encoding="gzip")
            self.assertEqual(self.code(answer), (415, "unsupported_media_type"))
        with self.subTest("a table that cannot be read"):
            for content in (b"PK\x03\x04" + bytes(200), b"Title,Author\nA\x00,B\n", b"nothing\nof use\n"):
                failed = server.start(content)
                self.assertEqual(server.wait(failed)["state"], "failed")
                answer = server.ask("GET", f"/v1/jobs/{failed['jobId']}/failed.csv", token=failed["token"])
                self.assertEqual(self.code(answer), (404, "no_failed_rows"))
        with self.subTest("the tag of another place in another log"):
            path = f"/v1/jobs/{job['jobId']}?after="
            _, known, fields = server.ask("GET", f"{path}{state['epoch']}.1", token=job["token"])
            tag = {key.lower(): value for key, value in fields.items()}["etag"]
            self.assertEqual(
                server.ask("GET", f"{path}{state['epoch']}.1", token=job["token"], If_None_Match=tag)[0], 304
            )
            status, other, _ = server.ask("GET", f"{path}7.1", token=job["token"], If_None_Match=tag)
            self.assertEqual(status, 200)
            self.assertNotEqual(known, other)
        with self.subTest("sockets that break the protocol are counted"):
            library = server.lock_library()
            self.addCleanup(library.release)
            running = server.start(table(10))
            for frame in ({"opcode": 3}, {"opcode": 1, "payload": b"\xff"}, {"opcode": 1, "payload": bytes(70_000)}):
                listener = RawSocket(server.port, running)
                listener.send(**frame)
                listener.close_code()
                listener.socket.close()

            def counted() -> bool:
                _, text, _ = server.ask("GET", "/metrics")
                return all(
                    f'freshet_job_socket_closes_total{{code="{code}"}}' in text.decode() for code in (1002, 1007, 1009)
                )

            until(counted)

    def raw(self, server: JobServer, text: str) -> socket.socket:
        """Sends the beginning of a request."""
        client = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        self.addCleanup(client.close)
        client.sendall(text.encode())
        return client

    def test_what_is_declared_as_too_long_is_refused_before_it_comes(self):
        server = self.serve(limits={"csvBytes": 1_000, "booksBytes": 1_000, "photos": 1, "photoBytes": 1_000})
        clients = []
        # A form may have more around its file.
        for path, kind, length in (
            ("/v1/jobs/csv_import", "text/csv", 1_001), ("/v1/jobs/csv_import", "text/csv", 10**18),
            ("/v1/jobs/csv_import", "text/csv", 2**64 - 1), ("/v1/jobs/batch_enrichment", "application/json", 1_001),
            ("/v1/jobs/ai_scan", "image/png", 1_001), ("/v1/token/refresh", "application/json", 5_000),
            ("/v1/jobs/csv_import", "multipart/form-data; boundary=x", 1_000 + (64 << 10) + 1),
        ):
            for expect in ("", "Expect: 100-continue\r\n"):
                client = self.raw(
                    server,
                    f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
                    f"Content-Length: {length}\r\n{expect}\r\n",
                )
                clients.append((path, length, expect, client))
        # The server waits a moment before it ends a connection: for all of them at the same time.
        for path, length, expect, client in clients:
            with self.subTest(path, length=length, expect=expect):
                # The answer and the end come though nothing of the content does.
                answer = b"".join(iter(lambda: client.recv(65_536), b"")).lower()
                self.assertTrue(answer.startswith(b"http/1.1 413 "), answer)
                self.assertIn(b"\r\nconnection: close\r\n", answer)
                self.assertIn(b'"too_large"', answer)
        # What is as long as it may be is waited for.
        client = self.raw(
            server,
            "POST /v1/jobs/csv_import HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 1000\r\n\r\n",
        )
        client.settimeout(0.5)
        with self.assertRaises(TimeoutError):
            client.recv(1)

    def test_a_client_that_waits_for_a_word_gets_one(self):
        server = self.serve()
        body = table(5)
        head = (
            "POST /v1/jobs/csv_import HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
            f"Content-Length: {len(body)}\r\nExpect: 100-continue\r\n"
        )
        for _ in range(3):
            client = self.raw(server, head + "\r\n")
            word = client.recv(65_536)
            self.assertTrue(word.startswith(b"HTTP/1.1 100 "), word)
            self.assertTrue(word.endswith(b"\r\n\r\n"), word)
            client.sendall(body)
            answer = client.recv(65_536)
            self.assertTrue(answer.startswith(b"HTTP/1.1 202 "), answer)
            # The connection goes on.
            client.sendall(b"GET /v1/capabilities HTTP/1.1\r\nHost: localhost\r\n\r\n")
            answer = b""
            while b"defaultVersion" not in answer:
                answer += client.recv(65_536)
        # An answer in place of the word is the last one, since the content may or may not come.
        changes = (("csv_import", "nothing"), ("Content-Type", "Content-Encoding: gzip\r\nContent-Type"))
        for client in [self.raw(server, head.replace(*change) + "\r\n") for change in changes]:
            answer = b"".join(iter(lambda: client.recv(65_536), b""))
            self.assertRegex(answer, rb"^HTTP/1.1 4(04|15) ")
            self.assertIn(b"\r\nconnection: close\r\n", answer.lower())
        # HTTP/1.0 knows no word.
        client = self.raw(server, head.replace("HTTP/1.1", "HTTP/1.0") + "\r\n")
        client.settimeout(0.5)
        with self.assertRaises(TimeoutError):
            client.recv(1)
        client.settimeout(30)
        client.sendall(body)
        self.assertTrue(client.recv(65_536).startswith(b"HTTP/1.1 202 "))


class StartTests(EdgeTests):
    #: The permits come back so slowly that a test does not see it.
    LIMITS = {"startsAtOnceOfClient": 3, "startsPerMinuteOfClient": 1, "startsAtOnce": 4, "startsPerMinute": 1}

    def refusal(self, answer: tuple[int, bytes, dict]) -> tuple[int, str, int]:
        """Status, code and Retry-After of a refusal."""
        status, body, fields = answer
        return status, json.loads(body)["error"], int(fields["Retry-After"])

    def send(self, server: JobServer, content: bytes = table(2), source: str = "127.0.0.1", **fields: str):
        """Starts a job from an address."""
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30, source_address=(source, 0))
        self.addCleanup(connection.close)
        fields = {"Content-Type": "text/csv", **{name.replace("_", "-"): value for name, value in fields.items()}}
        connection.request("POST", "/v1/jobs/csv_import", content, fields)
        answer = connection.getresponse()
        return answer.status, answer.read(), dict(answer.getheaders())

    def test_one_client_starts_so_many_jobs_and_all_together_so_many(self):
        server = self.serve(limits=self.LIMITS)
        _, body, _ = server.ask("GET", "/v1/capabilities")
        told = json.loads(body)["limits"]["jobs"]
        self.assertEqual({name: told[name] for name in self.LIMITS}, self.LIMITS)
        # What starts no job does not count.
        for _ in range(6):
            self.assertEqual(self.send(server, b"")[0], 400)
            self.assertEqual(self.send(server, Content_Encoding="gzip")[0], 415)
        # A repetition does not count, neither before nor after the permits are used up.
        first = json.loads(self.send(server, Idempotency_Key="k")[1])
        for _ in range(6):
            status, body, _ = self.send(server, Idempotency_Key="k")
            self.assertEqual((status, json.loads(body)["jobId"]), (202, first["jobId"]))
        for _ in range(2):
            self.assertEqual(self.send(server)[0], 202)
        status, code, wait = self.refusal(self.send(server))
        self.assertEqual((status, code), (429, "too_many_starts"))
        self.assertTrue(1 <= wait <= 60, wait)
        self.assertEqual(self.refusal(self.send(server, Idempotency_Key="new"))[0], 429)
        self.assertEqual(self.send(server, Idempotency_Key="k")[0], 202)
        # What a client says of its address is not believed; another one has permits of its own, all together have not.
        self.assertEqual(self.send(server, X_Forwarded_For="192.0.2.7", Forwarded="for=192.0.2.7")[0], 429)
        self.assertEqual(self.send(server, source="127.0.0.2")[0], 202)
        status, code, wait = self.refusal(self.send(server, source="127.0.0.3"))
        self.assertEqual((status, code), (429, "too_many_starts"))
        # Everything else is as it was.
        self.assertEqual(server.wait(first)["state"], "succeeded")
        _, metrics, _ = server.ask("GET", "/metrics")
        self.assertIn('freshet_job_starts_total{outcome="limited"} 4\n', metrics.decode())

    def test_a_command_waits_and_starts_its_job_once(self):
        # The permit does not come back before a command on a busy machine has asked for it.
        limits = {"startsAtOnceOfClient": 1, "startsPerMinuteOfClient": 8}
        server = self.serve(limits=limits)
        server.start(table(2))
        book = Path(self.folder) / "books.csv"
        book.write_bytes(table(3))
        answer = run("jobs", "import", str(book), "--server", server.url, "--tokens", f"{self.folder}/jobs.json")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertRegex(answer.stderr, r"asked again in [1-8] s\n")
        database = sqlite3.connect(f"file:{self.folder}/jobs/jobs.sqlite?mode=ro", uri=True)
        self.addCleanup(database.close)
        self.assertEqual(database.execute("SELECT count(*) FROM job").fetchone(), (2,))


if __name__ == "__main__":
    unittest.main()
