"""The app BooksTrack against a server that speaks its API: played by freshet-lab compat, and a hundred short jobs at a time."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import http.client
import json
import os
import random
import struct
import tempfile
import unittest
import uuid
from concurrent.futures import ThreadPoolExecutor

from job_stage import JobServer, RawSocket, table
from program import Server, run, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from test_book_services import Service, photo

OPEN = ("--speak", "bookstrack")
#: Refuses the parts of the app that send no token, or send it in the query.
CLOSED = (*OPEN, "--no-jobs-query-tokens", "--no-jobs-bare-ids")
#: The addresses that the app has and the native API has not.
ADDRESSES = [
    ("POST", "/api/import/csv-gemini"), ("POST", "/api/v2/imports"), ("GET", "/api/v2/imports/x"),
    ("GET", "/api/v2/imports/x/results"), ("GET", "/api/v2/imports/x/stream"), ("POST", "/v1/enrichment/batch"), ("POST", "/api/enrichment/batch"),
    ("POST", "/api/enrichment/start"), ("POST", "/api/enrichment/cancel"), ("POST", "/api/batch-enrich"),
    ("POST", "/api/scan-bookshelf"), ("POST", "/api/scan-bookshelf/batch"), ("POST", "/api/scan-bookshelf/cancel"),
    ("GET", "/v1/csv/results/x"), ("GET", "/v1/csv/status/x"), ("POST", "/v1/csv/cancel/x"),
    ("GET", "/v1/scan/results/x"), ("GET", "/api/job-state/x"), ("POST", "/api/token/refresh"),
]


def form(content: bytes, boundary: str = "B-1") -> tuple[bytes, str]:
    """A table as the app sends it, and its media type."""
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="import.csv"\r\nContent-Type: text/csv\r\n\r\n'
    return head.encode() + content + f"\r\n--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


class Stage(unittest.TestCase):
    """Servers of a test."""

    def serve(self, *options: str, limits: dict[str, int] | None = None, log_level: str = "error") -> JobServer:
        """A server in a folder of its own."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        server = JobServer(folder.name, *options, limits=limits, log_level=log_level)
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        return server

    def upload(self, server: JobServer, rows: int = 20, path: str = "/api/v2/imports", **fields: str) -> dict:
        """Starts an import as the app does."""
        body, kind = form(table(rows))
        status, answer, _ = server.ask("POST", path, body, Content_Type=kind, **fields)
        self.assertIn(status, (200, 202), answer)
        return json.loads(answer)


class AppSocket(RawSocket):
    """A socket with the token where a part of the app has it."""

    def __init__(self, port: int, job: dict):
        super().__init__(port, {"jobId": f"{job['jobId']}&token={job['token']}", "token": ""})


class PlayerTests(Stage):
    """Every step of the app, over networks of three latencies."""

    def play(self, server: JobServer, *options: str) -> tuple[int, dict]:
        """The exit code and the report of freshet-lab compat."""
        answer = run("compat", server.url, "--as", "bookstrack", "--json", *options)
        return answer.returncode, json.loads(answer.stdout)

    def test_every_step_ends_as_the_app_needs_at_0_40_and_300_ms(self):
        server = self.serve(*OPEN)
        with ThreadPoolExecutor(3) as pool:
            reports = list(pool.map(lambda ms: self.play(server, "--latency-ms", str(ms)), (0, 40, 300)))
        for code, report in reports:
            faults = [(step["client"], step["asked"], step["faults"]) for step in report["steps"] if not step["passed"]]
            self.assertEqual((code, faults), (0, []))
            self.assertGreaterEqual(len(report["steps"]), 40)
            # Who never says ready is waited for.
            slow = [step for step in report["steps"] if "without token and ready" in step["asked"]]
            self.assertEqual(len(slow), 2)

    def test_a_completion_that_carries_the_books_carries_all_of_them(self):
        """The first generation saves the books of its message and asks for no others."""
        server = self.serve(*OPEN, limits={"embeddedItems": 50})
        code, report = self.play(server, "--with", "rows=120")
        faults = [(step["client"], step["asked"], step["faults"]) for step in report["steps"] if not step["passed"]]
        self.assertEqual((code, faults), (0, []))

    def test_a_scan_of_a_million_values_is_refused_while_it_is_read(self):
        server = self.serve(*OPEN)
        body = b'{"images":[' + b"[]," * 1_000_000 + b"1]}"
        status, answer, _ = server.ask("POST", "/api/scan-bookshelf/batch", body, Content_Type="application/json")
        self.assertEqual(status, 400, answer[:300])
        self.assertIn("more than 1000 values", answer.decode() if isinstance(answer, bytes) else answer)

    def test_the_books_of_a_photo_are_where_they_are_in_it(self):
        shelf = photo(1)
        boxes = [{"x": 0.1, "y": 0.2, "width": 0.05, "height": 0.6}, None]
        books = [{"title": f"Book {number}", "author": "Somebody", "confidence": 0.9 - number / 10, "boundingBox": box}
                 for number, box in enumerate(boxes)]
        service = Service("vision_service.py", json.dumps({hashlib.sha256(shelf).hexdigest(): books}))
        self.addCleanup(service.stop)
        server = self.serve(*OPEN, "--vision", service.url + "/v1/books")
        file = server.folder / "shelf.png"
        file.write_bytes(shelf)
        code, report = self.play(server, "--with", f"photo={file}")
        faults = [(step["client"], step["asked"], step["faults"]) for step in report["steps"] if not step["passed"]]
        self.assertEqual((code, faults), (0, []))
        asked = [step["asked"] for step in report["steps"] if step["client"] == "scan"]
        self.assertEqual(len([path for path in asked if path.endswith(("/results",)) or "/scan/results/" in path]), 2, asked)
        # And a server that finds nothing in it is told apart.
        blind = Service("vision_service.py", json.dumps({hashlib.sha256(shelf).hexdigest(): []}))
        self.addCleanup(blind.stop)
        code, report = self.play(self.serve(*OPEN, "--vision", blind.url + "/v1/books"), "--with", f"photo={file}", "--pace", "20")
        self.assertEqual(code, 1)
        failed = {step["client"] for step in report["steps"] if not step["passed"]}
        self.assertLessEqual(failed, {"scan", "scan of photos"})
        self.assertIn("scan of photos", failed)
        answer = run("compat", server.url, "--as", "bookstrack", "--with", "photo=/nowhere.jpg")
        self.assertEqual(answer.returncode, 64, answer.stderr)

    def test_with_the_options_exactly_those_steps_fail_that_send_no_token_or_send_it_in_the_query(self):
        code, report = self.play(self.serve(*CLOSED), "--pace", "20")
        self.assertEqual(code, 1)
        failed = {step["client"] for step in report["steps"] if not step["passed"]}
        passed = {step["client"] for step in report["steps"]} - failed
        self.assertIn("import, first app", passed)
        self.assertIn("cancel", passed)
        self.assertIn("return", passed)
        for step in report["steps"]:
            if not step["passed"]:
                self.assertTrue(any("401" in fault for fault in step["faults"]), step)

    def test_a_server_that_does_not_speak_it_fails_and_has_none_of_its_addresses(self):
        server = self.serve("--jobs-query-tokens")
        code, report = self.play(server, "--pace", "20")
        self.assertEqual((code, report["passed"]), (1, False))
        for method, path in ADDRESSES:
            status, body, _ = server.ask(method, path, b"{}" if method == "POST" else None)
            self.assertEqual((status, json.loads(body)["error"]), (404, "not_found"), path)


class BoundaryTests(Stage):
    """What the app's addresses do not open, and what they leave as it is."""

    def test_an_id_alone_opens_nothing_unless_that_is_allowed_and_only_jobs_of_the_app(self):
        closed, opened = self.serve(*CLOSED), self.serve(*OPEN)
        for server, expected in ((closed, 401), (opened, 200)):
            job = self.upload(server)
            server.wait(job)
            for path in (f"/v1/jobs/{job['jobId']}/results", f"/api/v2/imports/{job['jobId']}"):
                self.assertEqual(server.ask("GET", path)[0], expected, path)
                self.assertEqual(server.ask("GET", path, token="0" * 64)[0], 401, path)
                self.assertEqual(server.ask("GET", path, token=job["token"])[0], 200, path)
            native = server.start(table(3))
            server.wait(native)
            for path in (f"/v1/jobs/{native['jobId']}/results", f"/v1/scan/results/{native['jobId']}"):
                self.assertIn(server.ask("GET", path)[0], (401, 404), path)
            status, body, _ = server.ask("POST", "/api/enrichment/cancel", json.dumps({"jobId": native["jobId"]}).encode())
            self.assertIn(status, (401, 404), body)

    def test_the_native_api_is_the_same_beside_it(self):
        plain, speaking = self.serve(), self.serve(*OPEN)
        for path in ("/v1/capabilities", "/openapi-jobs.json", "/jobs", "/v1/jobs/x", "/v1/jobs/x/results", "/ws/progress?jobId=x"):
            first, second = (server.ask("GET", path) for server in (plain, speaking))
            self.assertEqual(first[:2], second[:2], path)
        for server in (plain, speaking):
            job = server.start(table(30))
            state = server.wait(job)
            self.assertEqual(state["events"][-1]["version"], "2.4.0")
            status, body, _ = server.ask("GET", f"/v1/jobs/{job['jobId']}/results", token=job["token"])
            self.assertEqual((status, len(json.loads(body)["items"])), (200, 30))
            self.assertEqual(server.ask("GET", f"/v1/jobs/{job['jobId']}/results")[0], 401)
            self.assertEqual(server.ask("DELETE", f"/v1/jobs/{job['jobId']}", token=job["token"])[0], 200)
            socket = RawSocket(server.port, job)
            opcode, payload = socket.receive()
            # At once, and without a word of the client.
            self.assertEqual((opcode, json.loads(payload)["type"]), (1, "job_started"))
            self.assertEqual(socket.close_code(), 1000)

    def test_a_job_of_the_app_is_one_of_the_service(self):
        server = self.serve(*OPEN)
        job = self.upload(server)
        state = server.wait(job)
        self.assertEqual((state["state"], state["pipeline"]), ("succeeded", "csv_import"))
        status, body, _ = server.ask("GET", f"/v1/jobs/{job['jobId']}/failed.csv", token=job["token"])
        self.assertEqual(status, 200, body)
        # Who offers the native subprotocol is not part of the app: all of its messages come, at once.
        socket = RawSocket(server.port, job)
        messages = [json.loads(socket.receive()[1]) for _ in state["events"]]
        self.assertEqual(messages, state["events"])

    def test_pages_of_other_origins_may_not_use_it(self):
        server = self.serve(*OPEN)
        body, kind = form(table(3))
        status, answer, _ = server.ask("POST", "/api/v2/imports", body, Content_Type=kind, Origin="https://evil.example")
        self.assertEqual((status, json.loads(answer)["success"]), (403, False))
        job = self.upload(server)
        server.wait(job)
        status, _, _ = server.ask("GET", f"/v1/jobs/{job['jobId']}/results", Origin="https://evil.example")
        self.assertEqual(status, 403)

    def test_ids_that_the_app_chooses(self):
        server = self.serve(*OPEN)
        chosen = str(uuid.uuid4()).upper()

        def enrich(books: list, job: object = chosen, path: str = "/v1/enrichment/batch") -> tuple[int, dict]:
            body = json.dumps({"jobId": job, "books": books}).encode()
            status, answer, _ = server.ask("POST", path, body, Content_Type="application/json")
            return status, json.loads(answer)

        first = enrich([{"title": "A", "author": "B"}])
        again = enrich([{"title": "A", "author": "B"}], path="/api/enrichment/batch")
        self.assertEqual([first[0], again[0]], [202, 202])
        self.assertEqual([first[1]["jobId"], again[1]["jobId"]], [chosen, chosen])
        self.assertNotEqual(first[1]["token"], again[1]["token"])
        # Another list under the same id is another request, and the first one's job is as it was.
        self.assertEqual(enrich([{"title": "C"}])[0], 409)
        server.wait({"jobId": chosen, "token": first[1]["token"]})
        status, body, _ = server.ask("GET", f"/v1/jobs/{chosen}/results")
        self.assertEqual([book["title"] for book in json.loads(body)["data"]["enrichedBooks"]], ["A"])
        for job in ("job-1", "../../x", 7):
            self.assertEqual(enrich([{"title": "A"}], job)[0], 400, job)
        for books, code in (([], "EMPTY_BATCH"), ([{"title": "A"}] * 101, "BATCH_TOO_LARGE"), ([{"title": "x" * 501}], "INVALID_REQUEST")):
            status, answer = enrich(books, str(uuid.uuid4()))
            self.assertEqual((status, answer["error"]["code"], answer["success"]), (400, code, False))

    def test_refusals_are_in_its_envelope(self):
        server = self.serve(*OPEN, limits={"csvBytes": 100, "startsAtOnceOfClient": 2, "startsPerMinuteOfClient": 1})
        body, kind = form(b"Title\n" + b"x" * 200_000)
        status, answer, _ = server.ask("POST", "/api/v2/imports", body, Content_Type=kind)
        self.assertEqual((status, json.loads(answer)["error"]["code"]), (413, "FILE_TOO_LARGE"))
        small, kind = form(b"Title\nA\n")
        answers = [server.ask("POST", "/api/import/csv-gemini", small, Content_Type=kind) for _ in range(3)]
        self.assertEqual([answer[0] for answer in answers], [200, 200, 429])
        error = json.loads(answers[2][1])["error"]
        self.assertEqual(error["code"], "RATE_LIMIT_EXCEEDED")
        self.assertEqual(error["details"]["retryAfter"], int(answers[2][2]["Retry-After"]))
        status, answer, _ = server.ask("POST", "/api/token/refresh", b"{}")
        self.assertEqual((status, json.loads(answer)["error"]["code"]), (400, "INVALID_REQUEST"))
        status, answer, _ = server.ask("GET", f"/v1/csv/results/{uuid.uuid4()}")
        self.assertEqual((status, json.loads(answer)["error"]["code"]), (404, "NOT_FOUND"))

    def test_the_log_says_which_parts_of_the_app_are_refused(self):
        for options, words in (
            (CLOSED, "--no-jobs-query-tokens and --no-jobs-bare-ids"),
            ((*OPEN, "--no-jobs-bare-ids"), "refused by --no-jobs-bare-ids"), (OPEN, None),
            (("--speak", "bookstrack,catnip"), "--speak catnip serves nothing without --workspaces"),
        ):
            server = self.serve(*options, log_level="notice")
            server.stop()
            said = [line for line in server.log if "BooksTrack" in line or "serves nothing" in line]
            self.assertEqual([words in line for line in said], [True] if words else [], said)
        with tempfile.TemporaryDirectory() as folder:
            server = Server(f"{folder}/data", "--speak", "bookstrack", now=None, log_level="notice")
            server.stop()
            self.assertTrue(any("--speak bookstrack serves nothing without --jobs" in line for line in server.log), server.log)

    def test_tokens_in_queries_open_jobs_of_the_app_only(self):
        server = self.serve(*OPEN)
        own, native = self.upload(server), server.start(table(3))
        for job in (own, native):
            server.wait(job)
        status, body, _ = server.ask("GET", f"/api/v2/imports/{own['jobId']}?token={own['token']}")
        self.assertEqual(status, 200, body)
        status, body, _ = server.ask("GET", f"/v1/jobs/{native['jobId']}?token={native['token']}")
        self.assertEqual(status, 401, body)
        closed = self.serve(*CLOSED)
        own = self.upload(closed)
        self.assertEqual(closed.ask("GET", f"/api/v2/imports/{own['jobId']}?token={own['token']}")[0], 401)

    def test_an_id_means_the_same_in_either_case_and_with_a_slash_behind_it(self):
        server = self.serve(*CLOSED)
        for chosen in (None, str(uuid.uuid4()).upper(), str(uuid.uuid4()), "5C0ffee0-1234-4abc-8def-0123456789aB"):
            if chosen is None:
                job = self.upload(server)
            else:
                body = json.dumps({"jobId": chosen, "books": [{"title": "A"}]}).encode()
                status, answer, _ = server.ask("POST", "/v1/enrichment/batch", body, Content_Type="application/json")
                self.assertEqual(status, 202, answer)
                job = json.loads(answer)
                self.assertEqual(job["jobId"].lower(), chosen.lower())
                # The same start in the other case is the same job.
                body = json.dumps({"jobId": chosen.swapcase(), "books": [{"title": "A"}]}).encode()
                status, answer, _ = server.ask("POST", "/v1/enrichment/batch", body, Content_Type="application/json")
                self.assertEqual((status, json.loads(answer)["jobId"]), (202, job["jobId"]))
            server.wait(job)
            shapes = set()
            for name in (job["jobId"].upper(), job["jobId"].lower()):
                for path in (f"/v1/jobs/{name}/results", f"/v1/jobs/{name}/results/", f"/api/v2/imports/{name}/results/"):
                    status, body, _ = server.ask("GET", path, token=job["token"])
                    self.assertEqual(status, 200, (path, body))
                    shapes.add(tuple(sorted(json.loads(body))))
                status, body, _ = server.ask("DELETE", f"/v1/jobs/{name}/", token=job["token"])
                self.assertEqual((status, json.loads(body)["success"]), (200, True), body)
                socket = RawSocket(server.port, {"jobId": name, "token": job["token"]}, protocol="bookstrack-auth.")
                self.assertEqual(socket.status, 101)
                socket.socket.close()
            self.assertEqual(len(shapes), 1, shapes)
            body = json.dumps({"jobId": job["jobId"].swapcase(), "oldToken": job["token"]}).encode()
            self.assertEqual(server.ask("POST", "/api/token/refresh", body)[0], 200)

    def test_a_job_that_failed_has_no_results(self):
        server = self.serve(*OPEN)
        body, kind = form(b"\xff\xfe\x00no table")
        status, answer, _ = server.ask("POST", "/api/v2/imports", body, Content_Type=kind)
        self.assertEqual(status, 202, answer)
        job = json.loads(answer)
        state = server.wait(job)
        self.assertEqual(state["state"], "failed", state)
        for path in ("/v1/jobs/{}/results", "/api/v2/imports/{}/results", "/v1/csv/results/{}"):
            status, answer, _ = server.ask("GET", path.format(job["jobId"]))
            error = json.loads(answer)
            self.assertEqual((status, error["success"], error["error"]["code"]), (404, False, "NOT_FOUND"))
            self.assertIn(state["events"][-1]["payload"]["message"], error["error"]["message"])

    def test_what_is_unknown_or_gone_is_told_in_its_envelope_without_a_token(self):
        server = self.serve(*OPEN, limits={"resultSeconds": 1})
        gone = self.upload(server)
        results = f"/v1/jobs/{gone['jobId']}/results"
        until(lambda: server.ask("GET", results)[0] == 404)

        def is_missing(answer: tuple[int, dict]) -> None:
            status, problem = answer
            self.assertEqual((status, problem.get("success"), problem["error"]["code"]), (404, False, "NOT_FOUND"), problem)

        def asked(method: str, path: str, **more: str) -> tuple[int, dict]:
            status, answer, _ = server.ask(method, path, **more)
            return status, json.loads(answer)

        unknown = str(uuid.uuid4())
        for name in (gone["jobId"], unknown, unknown.upper()):
            for path in (f"/v1/jobs/{name}/results", f"/v1/jobs/{name}/results/", f"/ws/progress?jobId={name}"):
                is_missing(asked("GET", path))
            is_missing(asked("DELETE", f"/v1/jobs/{name}"))
            is_missing(self.handshake(server, f"/ws/progress?jobId={name}"))
        # A good token of a job that is gone makes no difference, wherever it is.
        is_missing(asked("GET", results, token=gone["token"]))
        is_missing(self.handshake(server, f"/ws/progress?jobId={gone['jobId']}&token={gone['token']}"))
        is_missing(self.handshake(server, f"/ws/progress?jobId={gone['jobId']}", "bookstrack-auth." + gone["token"]))
        # Who brings a token to an id that nothing has, or asks for what cannot be an id, is not known to be the app.
        self.assertEqual(asked("GET", f"/v1/jobs/{unknown}/results", token="0" * 64)[1]["error"], "job_not_found")
        self.assertEqual(asked("GET", "/v1/jobs/x/results")[1]["error"], "token_missing")
        # Where ids alone open nothing, they tell nothing.
        self.assertEqual(self.serve(*CLOSED).ask("GET", f"/v1/jobs/{unknown}/results")[0], 401)

    def handshake(self, server: JobServer, path: str, protocol: str | None = None) -> tuple[int, dict | None]:
        """The status and the problem of a handshake."""
        fields = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13",
                  "Sec_WebSocket_Key": base64.b64encode(os.urandom(16)).decode()}
        if protocol:
            fields["Sec_WebSocket_Protocol"] = protocol
        line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        self.addCleanup(line.close)
        line.request("GET", path, headers={name.replace("_", "-"): value for name, value in fields.items()})
        answer = line.getresponse()
        return answer.status, None if answer.status == 101 else json.loads(answer.read())

    def test_a_socket_that_does_not_open_says_what_is_wrong(self):
        server = self.serve(*OPEN)
        job = self.upload(server)
        path = f"/ws/progress?jobId={job['jobId']}&token={job['token']}"
        for version in ("3", "x", "2.5"):
            status, answer = self.handshake(server, f"{path}&version={version}")
            self.assertEqual((status, answer["error"]["code"]), (400, "INVALID_REQUEST"), answer)
            self.assertIn(f'version is "{version}"; expected: 1, 2, 2.4', answer["error"]["message"])
        self.assertEqual(self.handshake(server, f"{path}&version=2")[0], 101)
        self.assertEqual(self.handshake(server, f"/ws/progress?jobId={job['jobId']}&token=0")[0], 401)
        # A slash behind the path is passed here too; without an upgrade it is said that one is needed.
        self.assertEqual(self.handshake(server, path.replace("?", "/?"))[0], 101)
        native = server.start(table(1))
        self.assertEqual(self.handshake(server, f"/ws/progress/?jobId={native['jobId']}", "freshet-auth." + native["token"])[0], 101)
        for address in (path, path.replace("?", "/?")):
            status, answer, fields = server.ask("GET", address)
            self.assertEqual((status, json.loads(answer)["success"], fields["Upgrade"]), (426, False, "websocket"), answer)

    def test_a_canceled_job_is_told_as_far_as_it_came(self):
        server = self.serve(*OPEN)
        lock = server.lock_library()
        job = self.upload(server, rows=400)
        status, answer, _ = server.ask("DELETE", f"/v1/jobs/{job['jobId']}")
        self.assertEqual(status, 200, answer)
        lock.release()
        state = server.wait(job)
        self.assertEqual(state["state"], "canceled")
        done = state["events"][-1]["payload"]["summary"]["totalProcessed"]
        self.assertLess(done, 400)
        socket = AppSocket(server.port, job)
        socket.send(1, b'{"type":"ready"}')
        message = {"type": ""}
        while message["type"] != "job_complete":
            message = json.loads(socket.receive()[1])
        self.assertEqual(socket.close_code(), 1001)
        told = {"progress": message["data"]["progress"], "processedCount": message["data"]["processedItems"], "totalCount": message["data"]["totalItems"]}
        self.assertEqual(message["data"]["currentStatus"], "Canceled")
        payload = message["payload"]
        self.assertEqual((len(payload["books"]) + len(payload["errors"]), payload["summary"]["totalProcessed"]), (done, done))
        status, answer, _ = server.ask("GET", f"/api/v2/imports/{job['jobId']}/stream")
        event = json.loads(answer.decode().split("event: completed\n")[1].split("data: ")[1].splitlines()[0])
        self.assertEqual(event["status"], "canceled")
        told_there = json.loads(server.ask("GET", f"/api/v2/imports/{job['jobId']}")[1])["data"]
        for name, value in told.items():
            self.assertEqual((event[name], told_there.get(name, 0)), (value, value), name)
        self.assertLess(told["progress"], 1)

    def test_the_same_import_twice_is_two_jobs_as_at_the_original(self):
        server = self.serve(*OPEN)
        first, second = self.upload(server), self.upload(server)
        self.assertNotEqual(first["jobId"], second["jobId"])
        created = []
        for job in (first, second):
            server.wait(job)
            created.append(json.loads(server.ask("GET", f"/api/v2/imports/{job['jobId']}/results")[1])["data"]["booksCreated"])
        self.assertEqual((min(created), max(created) > 0), (0, True), created)

    def test_who_comes_back_hears_where_the_job_stands_and_never_less(self):
        server = self.serve(*OPEN)
        lock = server.lock_library()
        job = self.upload(server, rows=400)
        first = AppSocket(server.port, job)
        first.send(1, b'{"type":"ready"}')
        while json.loads(first.receive()[1])["type"] == "ready_ack":
            pass
        back = AppSocket(server.port, {**job, "token": job["token"] + "&reconnect=true"})
        back.send(1, b'{"type":"ready"}')
        types = [json.loads(back.receive()[1])["type"] for _ in range(2)]
        self.assertEqual(types, ["ready_ack", "reconnected"])
        lock.release()
        heard = []
        while not heard or heard[-1]["type"] != "job_complete":
            heard.append(json.loads(back.receive()[1]))
        self.assertLessEqual({message["type"] for message in heard[:-1]}, {"job_progress"})
        shares = [message["payload"]["progress"] for message in heard[:-1]]
        self.assertEqual(shares, sorted(shares))
        # And once it is over.
        server.wait(job)
        again = AppSocket(server.port, {**job, "token": job["token"] + "&reconnect=true"})
        again.send(1, b'{"type":"ready"}')
        messages = [json.loads(again.receive()[1]) for _ in range(3)]
        self.assertEqual([message["type"] for message in messages], ["ready_ack", "reconnected", "job_complete"])
        self.assertEqual(messages[1]["payload"]["progress"], 1)
        self.assertEqual(messages[1]["payload"]["processed_count"], 400)

    def test_forty_imports_at_once_all_start(self):
        # As many as wait usually, for longer: the machine may be busy.
        server = self.serve(*OPEN, limits={"uploadWaitSeconds": 120})
        with ThreadPoolExecutor(40) as pool:
            jobs = list(pool.map(lambda _: self.upload(server), range(40)))
        self.assertEqual(len({job["jobId"] for job in jobs}), 40)

    def test_a_server_that_ends_waits_for_no_ready_and_the_job_goes_on_after_it(self):
        server = self.serve(*OPEN)
        lock = server.lock_library()
        job = self.upload(server)
        socket = AppSocket(server.port, job)
        self.assertEqual(socket.status, 101)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(socket.close_code(), 1001)
        lock.release()
        again = JobServer(server.folder, *OPEN)
        self.addCleanup(again.stop)
        socket = AppSocket(again.port, job)
        socket.send(1, b'{"type":"nonsense"}')
        socket.send(1, b'{"type":"ping"}')
        socket.send(1, b'{"type":"ready"}')
        types = []
        while "job_complete" not in types:
            types.append(json.loads(socket.receive()[1])["type"])
        self.assertEqual((types[:2], set(types[2:-1]) - {"job_started", "job_progress"}), (["pong", "ready_ack"], set()))
        self.assertEqual(socket.close_code(), 1000)

    def test_results_come_after_the_end_and_a_job_can_be_stopped(self):
        server = self.serve(*OPEN)
        lock = server.lock_library()
        job = self.upload(server)
        status, answer, _ = server.ask("GET", f"/api/v2/imports/{job['jobId']}/results")
        self.assertEqual((status, json.loads(answer)["error"]["code"]), (409, "JOB_NOT_FINISHED"))
        status, answer, _ = server.ask("DELETE", f"/v1/jobs/{job['jobId']}", X_Auth_Token=job["token"])
        self.assertEqual((status, json.loads(answer)["data"]["status"]), (200, "canceled"))
        lock.release()
        self.assertEqual(server.wait(job)["state"], "canceled")
        status, answer, _ = server.ask("GET", f"/api/v2/imports/{job['jobId']}")
        self.assertEqual(json.loads(answer)["data"]["status"], "CANCELLED")


class SlowNetwork:
    """Delays the bytes of connections to a server, each way."""

    def __init__(self, port: int, seconds: float):
        self.target, self.seconds = port, seconds

    async def open(self) -> int:
        """Opens a port."""
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=512)
        return self.server.sockets[0].getsockname()[1]

    async def _serve(self, reader, writer) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        await asyncio.gather(self._pump(reader, far_writer), self._pump(far_reader, writer))

    async def _pump(self, reader, writer) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                data = await reader.read(65_536)
            except OSError:
                data = b""
            loop.call_later(self.seconds, self._write, writer, data)
            if not data:
                return

    @staticmethod
    def _write(writer, data: bytes) -> None:
        try:
            writer.write(data) if data else writer.close()
        except (OSError, RuntimeError):
            pass


class Phone:
    """The app on a network: starts an import, opens the socket, pings first, and says ready late."""

    def __init__(self, port: int, version: str | None, rng: random.Random):
        self.port, self.version = port, version
        self.pause = rng.uniform(0, 1.5)
        # How many messages came before `ready` was sent, and how long it took to be heard, from before the socket opened;
        # if it never was, how long the whole took.
        self.early = 0
        self.seconds = 0.0
        self.messages: list[dict] = []

    async def follow(self) -> None:
        """One job, to its last message."""
        body, kind = form(table(5))
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        head = f"POST /api/import/csv-gemini HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
        writer.write(head.encode() + f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
        answer = await reader.read()
        writer.close()
        status, content = int(answer.split()[1]), answer.split(b"\r\n\r\n", 1)[1]
        assert status == 200, answer
        job = json.loads(content)
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        query = f"jobId={job['jobId']}&token={job['token']}" + (f"&version={self.version}" if self.version else "")
        key = base64.b64encode(os.urandom(16)).decode()
        began = asyncio.get_running_loop().time()
        writer.write(
            f"GET /ws/progress?{query} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        head = await reader.readuntil(b"\r\n\r\n")
        assert b" 101 " in head, head
        self.send(writer, 9, b"")
        reading = asyncio.create_task(self.receive(reader))
        opcode, _ = await reading
        while opcode != 10:
            self.early += opcode == 1
            opcode, _ = await self.receive(reader)
        reading = asyncio.create_task(self.receive(reader))
        done, _ = await asyncio.wait({reading}, timeout=self.pause)
        self.early += len(done)
        self.send(writer, 1, b'{"type":"ready"}')
        while True:
            opcode, payload = await reading
            if opcode == 1:
                self.messages.append(json.loads(payload))
                if self.messages[-1]["type"] == "ready_ack":
                    self.seconds = asyncio.get_running_loop().time() - began
                if self.messages[-1]["type"] in ("job_complete", "error"):
                    self.seconds = self.seconds or asyncio.get_running_loop().time() - began
                    break
            assert opcode != 8, payload
            reading = asyncio.create_task(self.receive(reader))
        self.send(writer, 8, struct.pack(">H", 1001))
        writer.close()

    @staticmethod
    def send(writer, opcode: int, payload: bytes) -> None:
        """Sends a short frame."""
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[place % 4] for place, byte in enumerate(payload))
        writer.write(bytes([0x80 | opcode, 0x80 | len(payload)]) + mask + masked)

    @staticmethod
    async def receive(reader) -> tuple[int, bytes]:
        """The next frame."""
        first, length = await reader.readexactly(2)
        if length == 126:
            length = struct.unpack(">H", await reader.readexactly(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", await reader.readexactly(8))[0]
        return first & 15, await reader.readexactly(length)


class ShortJobTests(Stage):
    """A hundred jobs that are over long before the app is ready, with 40 ms each way."""

    #: The members that the types of a version require in a completion.
    REQUIRED = {
        "1": {"books", "errors", "successRate"}, "2": {"summary", "expiresAt"}, "2.4": {"summary", "expiresAt"},
        None: {"books", "errors", "successRate", "summary", "expiresAt"},
    }

    def test_a_hundred_ends_of_each_kind_and_none_is_lost(self):
        server = self.serve(*OPEN, limits={"uploadWaitSeconds": 120})
        rng = random.Random(16)

        async def crowd() -> dict:
            port = await SlowNetwork(server.port, 0.04).open()
            phones = {version: [Phone(port, version, rng) for _ in range(100)] for version in self.REQUIRED}
            for group in phones.values():
                await asyncio.gather(*(phone.follow() for phone in group))
            return phones

        phones = asyncio.run(crowd())
        for version, group in phones.items():
            ends = [phone.messages[-1] for phone in group]
            self.assertEqual(len(ends), 100)
            self.assertEqual({end["type"] for end in ends}, {"job_complete"}, version)
            for phone in group:
                # On a machine that stops for so long the server does not wait for ready.
                if phone.seconds < 10:
                    self.assertEqual((phone.early, phone.messages[0]["type"]), (0, "ready_ack"))
                self.assertEqual([message["type"] for message in phone.messages].count("job_complete"), 1)
            for end in ends:
                self.assertLessEqual(self.REQUIRED[version], set(end["payload"]), version)
                for other in set().union(*self.REQUIRED.values()) - self.REQUIRED[version]:
                    self.assertNotIn(other, end["payload"], version)


if __name__ == "__main__":
    unittest.main()
