"""Answers of a server with jobs beside the OpenAPI document that it serves for them, and the document itself."""

from __future__ import annotations

import json
import re
import tempfile
import unittest
from pathlib import Path

from jsonschema import Draft202012Validator, FormatChecker

from job_stage import JobServer, RawSocket, table

PROBLEM = "application/problem+json"
OPERATOR = "a-token-for-operators"


class ContractTests(unittest.TestCase):
    #: What the server is started with besides.
    options: tuple[str, ...] = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        token = Path(cls.folder.name, "operator")
        token.write_text(OPERATOR)
        cls.server = JobServer(cls.folder.name, "--jobs-running", "1", "--operator-token-file", str(token), *cls.options)
        cls.addClassCleanup(lambda: cls.server.process.poll() is None and cls.server.kill())
        status, body, fields = cls.server.ask("GET", "/openapi-jobs.json")
        assert (status, fields["Content-Type"]) == (200, "application/json; charset=utf-8"), (status, fields)
        cls.document = json.loads(body)
        cls.seen: set[tuple[str, str, int]] = set()

    def at(self, value: dict) -> dict:
        """An object, or what it refers to."""
        while "$ref" in value:
            place = self.document
            for name in value["$ref"].removeprefix("#/").split("/"):
                place = place[name]
            value = place
        return value

    def check(self, schema: dict, value: object, where: str) -> None:
        """A value is as a schema says."""
        root = {**schema, "components": self.document["components"]}
        errors = list(Draft202012Validator(root, format_checker=FormatChecker()).iter_errors(value))
        self.assertEqual([f"{where} {list(error.absolute_path)}: {error.message[:200]}" for error in errors], [])

    def ask(self, path: str, method: str, status: int, body: bytes | None = None, query: str = "", job: dict | None = None,
            token: str | None = None, **fields: str) -> object:
        """Asks, and compares the answer with the document."""
        target = path.replace("{job}", (job or {}).get("jobId", "none")) + query
        token = token or (job or {}).get("token")
        found, content, headers = self.server.ask(method, target, body, token, **fields)
        where = f"{method} {target}"
        self.assertEqual(found, status, f"{where}: {content[:200]}")
        response = self.at(self.document["paths"][path][method.lower()]["responses"][str(status)])
        self.seen.add((path, method.lower(), status))
        for name, header in response.get("headers", {}).items():
            self.assertIn(name, headers, where)
            self.check(self.at(header)["schema"], headers[name], f"{where}, {name}")
        kind = headers.get("Content-Type", "").split(";")[0]
        if not response.get("content"):
            self.assertEqual(content, b"", where)
            return None
        self.assertEqual(list(response["content"]), [kind], where)
        if not kind.endswith("json"):
            return content.decode()
        value = json.loads(content)
        self.check(response["content"][kind]["schema"], value, where)
        return value

    def test_1_the_document_is_whole(self):
        used, defined = set(), set()

        def walk(value: object) -> None:
            if isinstance(value, dict):
                if isinstance(value.get("$ref"), str):
                    used.add(value["$ref"])
                    self.at(value)
                for member in value.values():
                    walk(member)
            elif isinstance(value, list):
                for member in value:
                    walk(member)

        walk(self.document)
        for kind, members in self.document["components"].items():
            if kind != "securitySchemes":
                defined |= {f"#/components/{kind}/{name}" for name in members}
        self.assertEqual(used, defined)
        for schema in self.document["components"]["schemas"].values():
            Draft202012Validator.check_schema(schema)
        names = [operation["operationId"] for item in self.document["paths"].values()
                 for method, operation in item.items() if method != "parameters"]
        self.assertEqual(len(names), len(set(names)))
        for path, item in self.document["paths"].items():
            named = {self.at(each)["name"] for each in item.get("parameters", []) if self.at(each)["in"] == "path"}
            self.assertEqual(named, set(re.findall(r"{(\w+)}", path)))

    def test_2_answers_are_as_the_document_says(self):
        ask = self.ask
        capabilities = ask("/v1/capabilities", "GET", 200)
        self.assertEqual(set(capabilities["outcomes"]), set(self.document["components"]["schemas"]["Outcome"]["enum"]))
        self.assertEqual(set(capabilities["states"]), set(self.document["components"]["schemas"]["State"]["enum"]))
        self.assertEqual(set(capabilities["pipelines"]), set(self.document["components"]["schemas"]["Pipeline"]["enum"]))
        csv = {"Content_Type": "text/csv"}
        start = "/v1/jobs/csv_import"
        job = ask(start, "POST", 202, table(400, blanks=True), Idempotency_Key="k", **csv)
        ask(start, "POST", 409, table(3), Idempotency_Key="k", **csv)
        ask(start, "POST", 400, b"", **csv)
        ask(start, "POST", 413, b"x" * (capabilities["limits"]["csv_import"]["maxBytes"] + 1), **csv)
        ask("/v1/jobs/batch_enrichment", "POST", 400, b"{")
        ask("/v1/jobs/ai_scan", "POST", 415, b"x", Content_Type="text/plain")
        books = json.dumps({"books": [{"title": "Nothing"}]}).encode()
        enrichment = ask("/v1/jobs/batch_enrichment", "POST", 202, books)
        scan = ask("/v1/jobs/ai_scan", "POST", 202, b"no photo", Content_Type="image/jpeg")
        ask("/v1/jobs/{job}", "GET", 200, job=job)
        for each in (job, enrichment, scan):
            self.server.wait(each)
        for version in ("1", "2", "2.4"):
            for each in (job, enrichment, scan):
                state = ask("/v1/jobs/{job}", "GET", 200, query=f"?version={version}", job=each)
                self.assertIn(state["events"][-1]["type"], ("job_complete", "error"))
        ask("/v1/jobs/{job}", "GET", 400, query="?after=x", job=job)
        text = ask("/v1/jobs/{job}/events", "GET", 200, job=job)
        for line in text.splitlines():
            if line.startswith("data: "):
                self.check({"$ref": "#/components/schemas/Message"}, json.loads(line[6:]), "events")
        last = f"{state['epoch']}.{self.server.state(job)['lastSeq']}"
        ask("/v1/jobs/{job}/events", "GET", 204, job=job, Last_Event_ID=last)
        ask("/v1/jobs/{job}/events", "GET", 400, query="?version=9", job=job)
        page = ask("/v1/jobs/{job}/results", "GET", 200, query="?limit=10", job=job)
        ask("/v1/jobs/{job}/results", "GET", 200, query=f"?limit=500&after={page['next']}", job=job)
        ask("/v1/jobs/{job}/results", "GET", 200, job=enrichment)
        ask("/v1/jobs/{job}/results", "GET", 400, query="?limit=0", job=job)
        ask("/v1/jobs/{job}/failed.csv", "GET", 200, job=job)
        ask("/v1/jobs/{job}/failed.csv", "GET", 404, job=enrichment)
        for path in ("/v1/jobs/{job}", "/v1/jobs/{job}/results", "/v1/jobs/{job}/failed.csv"):
            tag = self.server.ask("GET", path.replace("{job}", job["jobId"]), token=job["token"])[2]["ETag"]
            ask(path, "GET", 304, job=job, If_None_Match=tag)
        library = self.server.lock_library()
        self.addCleanup(library.release)
        waiting = [ask(start, "POST", 202, table(10, seed=seed), **csv) for seed in range(3)]
        ask("/v1/jobs/{job}/results", "GET", 409, job=waiting[2])
        ask("/v1/jobs/{job}/failed.csv", "GET", 409, job=waiting[2])
        ask("/v1/jobs/{job}/cancel", "POST", 200, b"", job=waiting[2])
        ask("/v1/jobs/{job}", "DELETE", 200, job=waiting[1])
        ask("/v1/jobs/{job}/token", "POST", 200, b"", job=job)
        ask("/v1/jobs/{job}/token", "POST", 400, b"{", job=job)
        question = {"jobId": job["jobId"], "oldToken": job["token"]}
        ask("/v1/token/refresh", "POST", 200, json.dumps(question).encode())
        ask("/v1/token/refresh", "POST", 400, b"{}")
        ask("/v1/token/refresh", "POST", 401, json.dumps({**question, "oldToken": "no"}).encode())
        ask("/v1/token/refresh", "POST", 404, json.dumps({**question, "jobId": "none"}).encode())
        ask("/ws/progress", "GET", 400)
        query = f"?jobId={job['jobId']}"
        for status, token in ((426, job["token"]), (401, "no")):
            ask("/ws/progress", "GET", status, query=query, token=token)
        ask("/ws/progress", "GET", 404, query="?jobId=none", token="no")
        socket = RawSocket(self.server.port, job, f"&reconnect=true&after={state['epoch']}.1")
        socket.send(1, b"{}")
        socket.send(1, b'{"type":"ready"}')
        kinds = set()
        while (frame := socket.receive())[0] != 8:
            if frame[0] == 1:
                message = json.loads(frame[1])
                kinds.add(message["type"])
                self.check({"$ref": "#/components/schemas/Message"}, message, "a socket")
        ask("/v1/dead-letters", "GET", 200, token=OPERATOR)
        ask("/v1/dead-letters", "GET", 401, token="no")
        restart = "/v1/dead-letters/{job}/restart"
        ask(restart, "POST", 404, b"", job=job, token=OPERATOR)
        ask(restart, "POST", 401, b"", job=job)
        self.assertLessEqual({"reconnected", "job_progress", "job_complete"}, kinds)
        socket.socket.close()
        for path, item in self.document["paths"].items():
            for method in item.keys() - {"parameters"}:
                body = b"" if method == "post" else None
                ask(path, method.upper(), 403, body, job=job, Origin="https://evil.example")
                ask(path, method.upper(), 421, body, job=job, Host="evil.example")
                if "401" in item[method]["responses"] and "/jobs/{job}" in path:
                    ask(path, method.upper(), 401, body, job=job, token="no")
                    ask(path, method.upper(), 404, body, job={"jobId": "none", "token": "no"})

    def test_3_what_the_document_says_was_seen(self):
        said = {(path, method, int(status)) for path, item in self.document["paths"].items()
                for method in item.keys() - {"parameters"} for status in item[method]["responses"]}
        # Elsewhere: times that have to pass (410, 408), all places taken (503), full disks (507), all starts used up (429), work under way (202 of
        # cancelling), and failed jobs (202 of starting one again).
        elsewhere = {(path, method, status) for path, method, status in said
                     if status in (408, 410, 429, 503, 507, 101) or (status == 202 and ("cancel" in path or "restart" in path or method == "delete"))
                     or (status == 409 or status == 413 or status == 400) and path in ("/v1/jobs/batch_enrichment", "/v1/jobs/ai_scan")}
        self.assertEqual(said - self.seen - elsewhere, set())


class SpeakingContractTests(ContractTests):
    """The same beside the API of another app."""

    options = ("--speak", "bookstrack")


if __name__ == "__main__":
    unittest.main()
