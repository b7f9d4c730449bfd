"""Jobs as clients see them: versions, transports, tokens, restarts, bad networks."""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import os
import socket as stack_socket
import sqlite3
import tempfile
import threading
import time
import unittest
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from job_stage import JobServer, LockedLibrary, RawSocket, table
from program import run, until
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401

try:
    import websockets
except ImportError:  # Debian's own Python has it: python3-websockets
    websockets = None


def later(moment: str) -> str:
    """A second after a moment."""
    return (datetime.fromisoformat(moment.replace("Z", "+00:00")) + timedelta(seconds=1)).isoformat()


def need(value: dict, name: str, kind: type | tuple, where: str) -> object:
    """A member that a client cannot do without."""
    assert name in value and isinstance(value[name], kind) and not (kind is int and isinstance(value[name], bool)), (
        f"{where}: {name} is {value.get(name)!r}"
    )
    return value[name]


def may(value: dict, name: str, kind: type | tuple, where: str) -> None:
    """A member that may be absent or null, but nothing else."""
    if value.get(name) is not None:
        need(value, name, kind, where)


def read_strictly(message: dict, version: str) -> str:
    """Reads a message as a client does that knows one version only and takes nothing for granted but that.

    Members it does not know are passed over; so are types it does not know.
    """
    kind = need(message, "type", str, version)
    where = f"version {version}, {kind}"
    for name, type in (("jobId", str), ("pipeline", str), ("timestamp", int), ("version", str)):
        need(message, name, type, where)
    assert message["version"] == {"1": "1.0.0", "2": "2.0.0", "2.4": "2.4.0"}[version], message["version"]
    payload = need(message, "payload", dict, where)
    assert need(payload, "type", str, where) == kind
    if kind == "job_progress":
        assert 0 <= need(payload, "progress", (int, float), where) <= 1
        need(payload, "status", str, where)
        may(payload, "processedCount", int, where)
        may(payload, "currentItem", str, where)
        may(payload, "keepAlive", bool, where)
    elif kind == "job_complete" and version == "1":
        for book in need(payload, "books", list, where):
            need(book, "title", str, where)
            need(book, "author", str, where)
            may(book, "isbn", str, where)
        for error in need(payload, "errors", list, where):
            need(error, "title", str, where)
            need(error, "error", str, where)
        part, _, whole = need(payload, "successRate", str, where).partition("/")
        assert int(part) <= int(whole)
    elif kind == "job_complete":
        assert need(payload, "pipeline", str, where) == message["pipeline"]
        summary = need(payload, "summary", dict, where)
        for name in ("totalProcessed", "successCount", "failureCount", "duration"):
            need(summary, name, int, where)
        may(summary, "resourceId", str, where)
        assert summary["successCount"] + summary["failureCount"] == summary["totalProcessed"]
        if version == "2.4":
            # The clients of this version break without it.
            datetime.fromisoformat(need(payload, "expiresAt", str, where))
    return kind


class JobTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.server = JobServer(cls.folder.name, "--jobs-query-tokens")
        cls.addClassCleanup(cls.server.stop)

    def waiting(self) -> tuple[JobServer, LockedLibrary]:
        """A server of this test alone, and the lock that its imports wait for."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        server = JobServer(folder.name)
        self.addCleanup(server.stop)
        library = server.lock_library()
        self.addCleanup(library.release)
        return server, library

    def listen(self, job: dict, query: str = "", server: JobServer | None = None) -> tuple[list[dict], int, str]:
        """All messages of a socket, its close code, and the chosen subprotocol."""
        return asyncio.run(self.heard(job, query, server or self.server))

    async def heard(self, job: dict, query: str, server: JobServer) -> tuple[list[dict], int, str]:
        address = f"ws://127.0.0.1:{server.port}/ws/progress?jobId={job['jobId']}{query}"
        protocols = [f"freshet-auth.{job['token']}"]
        messages = []
        async with websockets.connect(address, subprotocols=protocols, max_size=None) as client:
            try:
                while True:
                    messages.append(json.loads(await asyncio.wait_for(client.recv(), 60)))
            except websockets.exceptions.ConnectionClosed as closed:
                return messages, closed.rcvd.code, client.subprotocol

    def test_limits_are_told_as_they_are_enforced(self):
        status, body, _ = self.server.ask("GET", "/v1/capabilities")
        told = json.loads(body)
        self.assertEqual(status, 200)
        limit = told["limits"]["csv_import"]["maxBytes"]
        status, body, _ = self.server.ask("POST", "/v1/jobs/csv_import", b"x" * (limit + 1), Content_Type="text/csv")
        self.assertEqual((status, json.loads(body)["error"]), (413, "too_large"))
        books = [{"title": "t"}] * (told["limits"]["batch_enrichment"]["maxBooks"] + 1)
        status, body, _ = self.server.ask("POST", "/v1/jobs/batch_enrichment", json.dumps({"books": books}).encode())
        self.assertEqual((status, json.loads(body)["error"]), (400, "batch_too_large"))

    def test_bad_starts_say_what_is_wrong(self):
        for path, body, status, code in [
            ("nothing", b"x", 404, "unknown_pipeline"),
            ("csv_import", b"", 400, "invalid_request"),
            ("batch_enrichment", b"{", 400, "invalid_request"),
            ("batch_enrichment", b'{"books":[]}', 400, "empty_batch"),
            ("batch_enrichment", b'{"books":[{"title":7}]}', 400, "invalid_request"),
            ("batch_enrichment", json.dumps({"books": [{"title": "t" * 501}]}).encode(), 400, "invalid_request"),
            ("batch_enrichment", json.dumps({"books": [{"title": "t", "isbn": "1" * 18}]}).encode(), 400, "invalid_request"),
        ]:
            answer, text, fields = self.server.ask("POST", f"/v1/jobs/{path}", body, Content_Type="text/csv")
            self.assertEqual((answer, json.loads(text)["error"]), (status, code), text)
            self.assertEqual(fields["Content-Type"], "application/problem+json")

    def test_a_form_and_a_raw_body_start_the_same(self):
        content = table(50)
        raw = self.server.start(content)
        form = (
            b'--XX\r\nContent-Disposition: form-data; name="file"; filename="books.csv"\r\n'
            b"Content-Type: text/csv\r\n\r\n" + content + b"\r\n--XX--\r\n"
        )
        posted = self.server.start(form, Content_Type="multipart/form-data; boundary=XX")
        # Older clients made ids of their own: they are passed over.
        named = json.loads(self.server.ask("POST", "/v1/jobs/csv_import?jobId=mine", content, Content_Type="text/csv")[1])
        self.assertNotEqual(named["jobId"], "mine")
        for job in (raw, posted, named):
            self.assertEqual(self.server.wait(job)["state"], "succeeded")
            self.assertEqual(len(self.server.results(job)), 50)

    @unittest.skipIf(websockets is None, "python3-websockets is not there")
    def test_three_versions_on_one_job_at_the_same_time(self):
        server, library = self.waiting()
        rows = sized(1_200, long=4_000)
        job = server.start(table(rows, seed=3))
        answers: dict[str, tuple] = {}
        threads = [
            threading.Thread(target=lambda version=version: answers.__setitem__(version, self.listen(job, f"&version={version}", server)))
            for version in ("1", "2", "2.4")
        ]
        for thread in threads:
            thread.start()
        until(lambda: b'freshet_job_listeners{transport="websocket"} 3\n' in server.ask("GET", "/metrics")[1])
        library.release()
        for thread in threads:
            thread.join(120)
        self.assertEqual(set(answers), {"1", "2", "2.4"})
        ends = {}
        for version, (messages, code, subprotocol) in answers.items():
            self.assertEqual(code, 1000)
            kinds = {read_strictly(message, version) for message in messages}
            self.assertLessEqual({"job_progress", "job_complete"}, kinds)
            self.assertEqual(subprotocol, f"freshet-auth.{job['token']}")
            numbered = [message for message in messages if "seq" in message]
            # Each covers those that were left out before it; none comes twice.
            last = 0
            for message in numbered:
                self.assertLessEqual(message.get("covers", message["seq"]), last + 1)
                self.assertGreater(message["seq"], last)
                last = message["seq"]
            fractions = [m["payload"]["progress"] for m in numbered if m["type"] == "job_progress"]
            self.assertEqual(fractions, sorted(fractions))
            self.assertEqual(messages[-1]["type"], "job_complete")
            self.assertEqual([m["type"] for m in messages].count("job_complete"), 1)
            ends[version] = messages[-1]
        full = ends["1"]["payload"]
        self.assertEqual(ends["1"]["version"], "1.0.0")
        part, whole = full["successRate"].split("/")
        self.assertNotIn("summary", full)
        self.assertTrue(all({"title", "author"} <= set(book) for book in full["books"]))
        summary = ends["2"]["payload"]["summary"]
        self.assertEqual((summary["successCount"], summary["totalProcessed"]), (int(part), int(whole)))
        self.assertEqual(int(whole), rows)
        self.assertNotIn("expiresAt", ends["2"]["payload"])
        newest = ends["2.4"]["payload"]
        self.assertEqual(newest["summary"], summary)
        self.assertEqual(newest["expiresAt"], server.state(job)["expiresAt"])
        self.assertLess(len(json.dumps(ends["2.4"])), 1_024)
        # Every row is one of these, always.
        self.assertEqual(sum(newest["counts"].values()), rows)

    @unittest.skipIf(websockets is None, "python3-websockets is not there")
    def test_a_late_listener_gets_the_end(self):
        job = self.server.start(table(300))
        state = self.server.wait(job)
        messages, code, _ = self.listen(job)
        self.assertEqual((messages[-1]["type"], code), ("job_complete", 1000))
        after = f"{state['epoch']}.{state['lastSeq'] - 1}"
        messages, code, _ = self.listen(job, f"&after={after}")
        self.assertEqual([message["type"] for message in messages], ["reconnected", "job_complete"])
        self.assertTrue(messages[0]["payload"]["recovered"])
        messages, _, _ = self.listen(job, "&after=1.1")
        self.assertEqual([message["type"] for message in messages], ["reconnected", "job_complete"])
        self.assertFalse(messages[0]["payload"]["recovered"])

    def test_polling_is_conditional_and_gives_the_same_events(self):
        job = self.server.start(table(300))
        state = self.server.wait(job)
        self.assertEqual([event["seq"] for event in state["events"]], list(range(1, state["lastSeq"] + 1)))
        path = f"/v1/jobs/{job['jobId']}"
        _, _, fields = self.server.ask("GET", path, token=job["token"])
        status, body, _ = self.server.ask("GET", path, token=job["token"], If_None_Match=fields["ETag"])
        self.assertEqual((status, body), (304, b""))
        path += f"?after={state['epoch']}.{state['lastSeq'] - 1}"
        _, body, _ = self.server.ask("GET", path, token=job["token"])
        self.assertEqual([event["type"] for event in json.loads(body)["events"]], ["job_complete"])

    def test_a_stream_of_events_ends_behind_the_end_and_is_not_begun_again(self):
        job = self.server.start(table(300))
        self.server.wait(job)
        status, body, fields = self.server.ask("GET", f"/v1/jobs/{job['jobId']}/events", token=job["token"])
        self.assertEqual((status, fields["Content-Type"]), (200, "text/event-stream; charset=utf-8"))
        events = [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith("data: ")]
        ids = [line[4:] for line in body.decode().splitlines() if line.startswith("id: ")]
        self.assertEqual([event["seq"] for event in events], list(range(1, len(events) + 1)))
        self.assertEqual(events[-1]["type"], "job_complete")
        status, _, _ = self.server.ask(
            "GET", f"/v1/jobs/{job['jobId']}/events", token=job["token"], Last_Event_ID=ids[-1]
        )
        self.assertEqual(status, 204)
        # A client of another log gets the state; its id does not cover the end, which comes next.
        status, body, _ = self.server.ask(
            "GET", f"/v1/jobs/{job['jobId']}/events", token=job["token"], Last_Event_ID="1.1"
        )
        again = [line[4:] for line in body.decode().splitlines() if line.startswith("id: ")]
        self.assertEqual(again, ids[-2:])
        # A stream is the last answer of its connection, and says so: a proxy that kept it would lose the next request.
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        self.addCleanup(connection.close)
        connection.request("GET", f"/v1/jobs/{job['jobId']}/events", headers={"Authorization": f"Bearer {job['token']}"})
        answer = connection.getresponse()
        self.assertIn(b"job_complete", answer.read())
        self.assertEqual(answer.getheader("Connection"), "close")

    def test_pages_of_other_origins_start_nothing(self):
        for fields, status, code in [
            ({"Origin": "https://evil.example"}, 403, "origin_forbidden"),
            ({"Origin": "null"}, 403, "origin_forbidden"),
            ({"Sec_Fetch_Site": "cross-site"}, 403, "origin_forbidden"),
            ({"Host": "evil.example"}, 421, "host_forbidden"),
        ]:
            answer, body, _ = self.server.ask("POST", "/v1/jobs/csv_import", table(5), Content_Type="text/csv", **fields)
            self.assertEqual((answer, json.loads(body)["error"]), (status, code))
            job = self.server.start(table(5))
            answer, _, _ = self.server.ask("GET", f"/ws/progress?jobId={job['jobId']}", token=job["token"], **fields)
            self.assertEqual(answer, status)
        self.server.start(table(5), Origin=self.server.url)
        for hosts in (("localhost", "evil.example"), ("evil.example", "localhost")):
            fields = "".join(f"Host: {host}\r\n" for host in hosts)
            with stack_socket.create_connection(("127.0.0.1", self.server.port), timeout=30) as client:
                client.sendall(f"GET /v1/capabilities HTTP/1.1\r\n{fields}Connection: close\r\n\r\n".encode())
                answer = b"".join(iter(lambda: client.recv(65536), b""))
            self.assertTrue(answer.startswith(b"HTTP/1.1 400 "), answer[:80])
            self.assertIn(b'"invalid_host"', answer)

    def test_tokens_open_their_own_job_only(self):
        job, other = self.server.start(table(5)), self.server.start(table(6))
        for scheme in ("Bearer ", "bearer  ", "BEARER    "):
            answer, _, _ = self.server.ask("GET", f"/v1/jobs/{job['jobId']}", Authorization=scheme + job["token"])
            self.assertEqual(answer, 200, scheme)
        for path in ("", "/results", "/events", "/failed.csv"):
            for token, status, code in [
                (None, 401, "token_missing"), (other["token"], 401, "token_invalid"),
                (job["token"].upper(), 401, "token_invalid"), ("", 401, "token_missing"),
            ]:
                answer, body, _ = self.server.ask("GET", f"/v1/jobs/{job['jobId']}{path}", token=token)
                self.assertEqual((answer, json.loads(body)["error"]), (status, code))
        answer, body, _ = self.server.ask("DELETE", f"/v1/jobs/{job['jobId']}", token=other["token"])
        self.assertEqual(answer, 401)
        answer, body, _ = self.server.ask("GET", "/v1/jobs/00000000-0000-0000-0000-000000000000", token="x")
        self.assertEqual((answer, json.loads(body)["error"]), (404, "job_not_found"))

    def test_a_token_is_renewed_and_the_old_one_has_a_grace(self):
        job = self.server.start(table(5))
        body = json.dumps({"jobId": job["jobId"], "oldToken": job["token"]}).encode()
        status, answer, _ = self.server.ask("POST", "/v1/token/refresh", body)
        fresh = json.loads(answer)
        self.assertEqual(status, 200, answer)
        self.assertNotEqual(fresh["token"], job["token"])
        for token in (job["token"], fresh["token"]):
            self.assertEqual(self.server.ask("GET", f"/v1/jobs/{job['jobId']}", token=token)[0], 200)
        for body, status in [(b"{", 400), (b"{}", 400), (b'{"jobId":"x"}', 400), (json.dumps({"jobId": job["jobId"], "oldToken": "no"}).encode(), 401)]:
            self.assertEqual(self.server.ask("POST", "/v1/token/refresh", body)[0], status, body)

    def test_sockets_are_refused_before_the_upgrade(self):
        job = self.server.start(table(5))
        wrong = RawSocket(self.server.port, {**job, "token": "wrong"})
        self.assertEqual(wrong.status, 401)
        nothing = RawSocket(self.server.port, {"jobId": "", "token": "x"})
        self.assertEqual(nothing.status, 400)
        unknown = RawSocket(self.server.port, {"jobId": "x", "token": "x"})
        self.assertEqual(unknown.status, 404)
        status, body, fields = self.server.ask("GET", f"/ws/progress?jobId={job['jobId']}", token=job["token"])
        self.assertEqual((status, fields["Sec-WebSocket-Version"]), (426, "13"))
        sound = base64.b64encode(bytes(16)).decode()
        # Key, version, and what comes of them.
        for key, version, wanted in [
            (sound, "13", 101), (None, "13", 400), ("AAAA", "13", 400), ("!" * 22 + "==", "13", 400), (sound, "8", 426),
            (None, None, 426),
        ]:
            with self.subTest(key=key, version=version):
                head = [f"GET /ws/progress?jobId={job['jobId']} HTTP/1.1", "Host: localhost", "Connection: keep-alive, Upgrade",
                        "Upgrade: h2c, websocket", f"Authorization: Bearer {job['token']}"]
                head += [f"Sec-WebSocket-Version: {version}"] if version else []
                head += [f"Sec-WebSocket-Key: {key}"] if key else []
                with stack_socket.create_connection(("127.0.0.1", self.server.port), timeout=30) as client:
                    client.sendall("\r\n".join(head).encode() + b"\r\n\r\n")
                    answer = client.recv(65_536).decode("latin-1")
                self.assertEqual(int(answer.split()[1]), wanted, answer)
        # A sound one, but not the first request of its connection: it is told to upgrade, and the connection goes on.
        line = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        self.addCleanup(line.close)
        fields = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": sound,
                  "Authorization": f"Bearer {job['token']}"}
        for path, more, wanted in (
            ("/v1/capabilities", {}, 200), (f"/ws/progress?jobId={job['jobId']}", fields, 426), ("/v1/capabilities", {}, 200),
        ):
            line.request("GET", path, headers=more)
            answer = line.getresponse()
            body = answer.read()
            self.assertEqual(answer.status, wanted, body)
            if wanted == 426:
                self.assertEqual((answer.getheader("Upgrade"), answer.getheader("Connection")), ("websocket", "Upgrade"))
                self.assertEqual(json.loads(body)["error"], "upgrade_required")
        # Nor is one a handshake whose Upgrade a proxy has removed.
        line = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        self.addCleanup(line.close)
        line.request("GET", f"/ws/progress?jobId={job['jobId']}", headers={name: fields[name] for name in list(fields)[2:]})
        self.assertEqual(line.getresponse().status, 426)
        status, _, _ = self.server.ask("GET", "/v1/capabilities", Upgrade="h2c", Connection="Upgrade")
        self.assertEqual(status, 200)

    def test_messages_that_are_not_understood_get_a_notice_and_cost_nothing(self):
        server, library = self.waiting()
        job = server.start(table(20, seed=9))
        socket = RawSocket(server.port, job)
        for text in ('{"invalid": "json"', "null", "{}", '{"type":123}', '"not an object"', '{"type":"dance"}', '{"type":"pong"}', '{"type":"ready"}'):
            socket.send(1, text.encode())
        notices, ready, ended = 0, 0, False
        while True:
            opcode, payload = socket.receive()
            if opcode == 8:
                break
            message = json.loads(payload) if opcode == 1 else {}
            notices += message.get("type") == "notice"
            ready += message.get("type") == "ready_ack"
            ended = message.get("type") == "job_complete"
            if ready:
                # That was the last of the messages; now the job ends.
                library.release()
        self.assertEqual((notices, ready, ended), (6, 1, True))
        self.assertEqual(server.ask("GET", f"/v1/jobs/{job['jobId']}", token=job["token"])[0], 200)

    def test_a_flood_of_messages_costs_the_connection_and_not_the_token(self):
        server, _ = self.waiting()
        job = server.start(table(20, seed=4))
        socket = RawSocket(server.port, job)
        try:
            for _ in range(40):
                socket.send(1, b"{}")
        except OSError:
            pass
        self.assertEqual(socket.close_code(), 4429)
        self.assertEqual(server.ask("GET", f"/v1/jobs/{job['jobId']}", token=job["token"])[0], 200)


class RestartTests(unittest.TestCase):
    def test_results_expire_and_are_remembered(self):
        with tempfile.TemporaryDirectory() as folder:
            server = JobServer(folder, "--jobs-kept", "1")
            job = server.start(table(20))
            ended = server.wait(job)
            (Path(folder) / "own.csv").write_text("Title\nThe Book of Nobody\n")
            own = run("library", "import", f"{folder}/own.csv", "--library", f"{folder}/jobs/library.sqlite")
            self.assertEqual(own.returncode, 0, own.stderr)
            server.stop()
            # The sweeper looks at the start of the server too.
            server = JobServer(folder, "--now", later(ended["expiresAt"]))
            end = time.monotonic() + 120
            while (status := server.ask("GET", f"/v1/jobs/{job['jobId']}/results", token=job["token"])[0]) == 200:
                self.assertLess(time.monotonic(), end)
                time.sleep(0.05)
            self.assertEqual(status, 410)
            self.assertEqual(server.ask("GET", f"/v1/jobs/{job['jobId']}", token=job["token"])[0], 410)
            self.assertEqual(RawSocket(server.port, job).status, 410)
            # What the library kept of the job's rows goes too, and the books and other imports stay.
            with closing(sqlite3.connect(f"{folder}/jobs/library.sqlite")) as library:
                def count(table: str, more: str = "") -> int:
                    return library.execute(f"SELECT count(*) FROM {table} {more}").fetchone()[0]

                while count("import_rows", f"WHERE job = '{job['jobId']}'") > 0:
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.05)
                self.assertEqual(count("imports"), 1)
                self.assertEqual(count("import_rows"), 1)
                self.assertGreater(count("books"), 1)
            server.stop()

    def test_a_token_that_is_too_old_is_told_from_a_wrong_one(self):
        with tempfile.TemporaryDirectory() as folder:
            server = JobServer(
                folder, "--jobs-token-seconds", "1", "--jobs-running", "1", limits={"tokenGraceSeconds": 1})
            library = server.lock_library()
            self.addCleanup(library.release)
            job = server.start(table(5))
            path = f"/v1/jobs/{job['jobId']}"
            # A token lives as long as its job; one that a newer one has replaced does not.
            time.sleep(1.5)
            self.assertEqual(server.ask("GET", path, token=job["token"])[0], 200)
            fresh = json.loads(server.ask("POST", path + "/token", b"", token=job["token"])[1])["token"]
            until(lambda: server.ask("GET", path, token=job["token"])[0] != 200)
            time.sleep(1.5)
            self.assertEqual(server.ask("GET", path, token=fresh)[0], 200)
            status, body, _ = server.ask("GET", path, token=job["token"])
            self.assertEqual((status, json.loads(body)["error"]), (401, "token_expired"))
            library.release()
            server.stop()

    def test_a_server_that_ends_lets_its_sockets_go(self):
        with tempfile.TemporaryDirectory() as folder:
            server = JobServer(folder)
            library = server.lock_library()
            self.addCleanup(library.release)
            job = server.start(table(10))
            socket = RawSocket(server.port, job)
            # A connection that asks nothing does not hold it up either.
            silent = stack_socket.create_connection(("127.0.0.1", server.port))
            self.addCleanup(silent.close)
            # A hang ends this too.
            server.stop()
            self.assertEqual(socket.close_code(), 1001)


class ProgramTests(unittest.TestCase):
    def test_import_list_results_and_failed_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            server = JobServer(folder)
            book = Path(folder) / "books.csv"
            book.write_bytes(table(400))
            options = ["--server", server.url, "--tokens", f"{folder}/state/jobs.json"]
            answer = run("jobs", "import", str(book), *options)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertIn("of 400 succeeded", answer.stdout)
            self.assertEqual(os.stat(f"{folder}/state/jobs.json").st_mode & 0o777, 0o600)
            answer = run("jobs", "list", *options)
            self.assertIn("succeeded 100 %  books.csv", answer.stdout)
            answer = run("jobs", "results", "--outcome", "failed", "--json", *options)
            failed = [json.loads(line) for line in answer.stdout.splitlines()]
            self.assertGreater(len(failed), 0)
            answer = run("jobs", "results", "--failed-rows", *options)
            corrected = Path(folder) / "corrected.csv"
            corrected.write_text(answer.stdout)
            answer = run("jobs", "import", str(corrected), "--json", *options)
            end = json.loads(answer.stdout.splitlines()[-1])
            self.assertEqual(end["payload"]["summary"]["totalProcessed"], len(failed))
            answer = run("jobs", "watch", "nothing", *options)
            self.assertEqual(answer.returncode, 66)
            self.assertIn("begins with", answer.stderr)
            server.stop()
            answer = run("jobs", "list", *options)
            self.assertEqual(answer.returncode, 69)


if __name__ == "__main__":
    unittest.main()
