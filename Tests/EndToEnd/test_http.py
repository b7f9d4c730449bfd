"""What every server does with requests that are old, odd or broken (RFC 9110, RFC 9112)."""

from __future__ import annotations

import json
import re
import socket
import unittest

from test_connections import KINDS, PATIENT, ConnectionTest, Peer
from side_by_side import load_side_by_side as load_tests  # noqa: F401

class HTTPTest(ConnectionTest):
    def rest(self, peer: Peer) -> bytes:
        """Everything until the server closes the connection; raises an error if it does not."""
        while part := peer.socket.recv(65_536):
            peer.text += part
        return peer.text

    def status(self, server, text: str | bytes) -> tuple[int, dict, dict[str, str]]:
        """Status, problem and fields of the answer to a request, behind which the server ends the connection."""
        peer = self.peer(server)
        peer.send(text)
        status, body, fields = peer.answer()
        self.assertEqual(fields.get("connection"), "close", text)
        self.assertEqual(self.rest(peer), b"", text)
        return status, json.loads(body), fields


class VersionTests(HTTPTest):
    def test_http_1_0_goes_on_only_when_it_is_asked_to(self):
        """RFC 9112, section 9.3."""
        cases = (("", "close"), ("Connection: close\r\n", "close"), ("Connection: keep-alive\r\n", "keep-alive"),
                 ("Connection: Keep-Alive\r\n", "keep-alive"), ("Connection: keep-alive, close\r\n", "close"))
        for kind in KINDS:
            with self.serve(kind, PATIENT) as server:
                for path in ("/version.json", "/nothing"):
                    for field, expected in cases:
                        with self.subTest(kind, path=path, field=field):
                            peer = self.peer(server)
                            question = f"GET {path} HTTP/1.0\r\nHost: localhost\r\n{field}\r\n"
                            peer.send(question)
                            _, body, fields = peer.answer()
                            self.assertEqual(fields["connection"], expected)
                            self.assertTrue(json.loads(body))
                            if expected == "close":
                                self.assertEqual(self.rest(peer), b"")
                            else:
                                peer.send(question)
                                self.assertEqual(peer.answer()[1], body)

    def test_http_1_0_gets_no_chunks(self):
        """RFC 9112, section 6.1: a stream ends with its connection."""
        with self.serve("workspaces", PATIENT) as server:
            for field in ("", "Connection: keep-alive\r\n"):
                peer = self.peer(server)
                peer.send(f"GET /v1/events HTTP/1.0\r\nHost: localhost\r\n{field}\r\n")
                while b"retry: " not in peer.text:
                    part = peer.socket.recv(65_536)
                    self.assertTrue(part, peer.text)
                    peer.text += part
                head, content = peer.text.split(b"\r\n\r\n", 1)
                self.assertNotIn(b"chunked", head.lower())
                self.assertIn(b"connection: close", head.lower())
                self.assertTrue(content.startswith(b"retry: "), content)
                peer.socket.close()

    def test_http_1_0_with_a_transfer_coding_is_refused(self):
        """RFC 9112, section 6.1: its framing is faulty."""
        for kind in KINDS:
            with self.serve(kind, PATIENT) as server:
                text = "POST /version.json HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
                self.assertEqual(self.status(server, text)[0], 400)

    def test_what_is_not_a_request_is_told_so_in_words(self):
        with self.serve("boards", PATIENT) as server:
            for before in (0, 1):
                peer = self.peer(server)
                for _ in range(before):
                    peer.send("GET /version.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    self.assertEqual(peer.answer()[0], 200)
                peer.send("GARBAGE\r\n\r\n")
                status, body, fields = peer.answer()
                self.assertEqual((status, fields["content-type"]), (400, "application/problem+json"))
                self.assertEqual(json.loads(body)["error"], "bad_request")


class TargetTests(HTTPTest):
    def test_the_authority_of_an_absolute_target_is_the_host(self):
        """RFC 9112, section 3.2.2."""
        with self.serve("workspaces", PATIENT) as server:
            for target, expected in (("http://localhost/v1/info", 200), ("/v1/info", 200), ("http://evil.example/v1/info", 421),
                                     ("http://evil@localhost/v1/info", 400)):
                for version in ("1.0", "1.1"):
                    peer = self.peer(server)
                    peer.send(f"GET {target} HTTP/{version}\r\nHost: localhost\r\n\r\n")
                    self.assertEqual(peer.answer()[0], expected, target)


class FramingTests(HTTPTest):
    BROKEN = {
        "a size with a bad extension": b"5;a\nb\r\nhello\r\n0\r\n\r\n", "a size with 0x": b"0x5\r\nhello\r\n0\r\n\r\n",
        "a size below 0": b"-5\r\nhello\r\n0\r\n\r\n", "a size that is too large": b"fffffffffffffffff\r\nhello\r\n0\r\n\r\n",
        "no line end behind a chunk": b"5\r\nhello0\r\n\r\n", "no size": b"\r\nhello\r\n0\r\n\r\n",
    }

    def test_broken_content_is_the_clients_fault(self):
        """No answer of 5xx, and nothing in the log."""
        with self.serve("jobs", PATIENT) as server:
            head = b"POST /v1/jobs/csv_import HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
            for name, content in self.BROKEN.items():
                with self.subTest(name):
                    status, problem, _ = self.status(server, head + b"Transfer-Encoding: chunked\r\n\r\n" + content)
                    self.assertEqual((status, problem["error"]), (400, "bad_request"))
            with self.subTest("a coding that is not one"):
                self.assertEqual(self.status(server, head + b"Transfer-Encoding: xchunked\r\n\r\n")[0], 400)
            # Clients that hang up in their content.
            for fields in (b"Content-Length: 100\r\n", b"Transfer-Encoding: chunked\r\n"):
                peer = self.peer(server)
                peer.send(head + fields + b"\r\n5\r\nhello\r\n")
                peer.socket.shutdown(socket.SHUT_WR)
                self.assertIn(self.rest(peer).split(b" ")[1:2], ([b"400"], []))
            # Nothing of it was a failure of the server's.
            peer = self.peer(server)
            peer.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
            for line in peer.answer()[1].decode().splitlines():
                if re.match(r"freshet_http_responses_total\{status=\"5", line):
                    self.assertTrue(line.endswith(" 0"), line)
            self.assertNotIn("request failed", "".join(server.log))

    def test_transfer_codings_other_than_chunks_are_not_supported(self):
        """RFC 9112, section 6.1."""
        for kind in KINDS:
            with self.serve(kind, PATIENT) as server:
                for path in ("/version.json", "/nothing"):
                    text = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"
                    status, problem, _ = self.status(server, text)
                    self.assertEqual((status, problem["error"]), (501, "not_implemented"))


class MethodTests(HTTPTest):
    def test_a_method_is_refused_where_there_is_something_and_nothing_is_404(self):
        """RFC 9110, section 15.5.6."""
        paths = {
            "boards": {"/api/stationboard": "GET, HEAD, OPTIONS", "/": "GET, HEAD, OPTIONS", "/metrics": "GET, HEAD, OPTIONS"},
            "workspaces": {
                "/v1/git/worktrees": "GET, HEAD, POST", "/v1/git/worktrees/x": "GET, HEAD, DELETE", "/v1/git/worktrees/x/diff": "GET, HEAD",
                "/v1/git/worktrees/x/merge": "POST", "/v1/git/worktrees/x/merge/check": "GET, HEAD", "/v1/git/worktrees/x/seen": "POST",
                "/v1/git/checkout/a/b": "POST", "/v1/git/branches/a": "GET, HEAD", "/v1/sessions/workspace/x": "GET, HEAD",
                "/v1/events": "GET, HEAD", "/v1/batch": "POST", "/v1/info": "GET, HEAD", "/workspaces": "GET, HEAD",
            },
            "jobs": {"/v1/capabilities": "GET, HEAD", "/v1/jobs/csv_import": "POST", "/jobs": "GET, HEAD"},
        }
        for kind in KINDS:
            with self.serve(kind, PATIENT) as server:
                for path, allowed in paths[kind].items():
                    for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
                        if method in allowed:
                            continue
                        with self.subTest(kind, path=path, method=method):
                            peer = self.peer(server)
                            peer.send(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                            status, body, fields = peer.answer()
                            self.assertEqual((status, fields.get("allow")), (405, allowed))
                            self.assertEqual(json.loads(body)["error"], "method_not_allowed")
                for method in ("GET", "POST", "DELETE", "OPTIONS"):
                    for path in ("/nothing", "/api/nothing", "/v1/git/nothing", "/v1/nothing"):
                        peer = self.peer(server)
                        peer.send(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                        self.assertEqual(peer.answer()[0], 404, f"{kind}: {method} {path}")

    def test_a_service_that_is_not_there_names_the_option_that_starts_it(self):
        with self.serve("boards", PATIENT) as server:
            for paths, option in ((("/v1/git/worktrees", "/v1/events", "/workspaces"), "--workspaces"),
                                  (("/v1/jobs/csv_import", "/v1/capabilities", "/jobs", "/ws/progress"), "--jobs")):
                for path in paths:
                    for method in ("GET", "POST"):
                        peer = self.peer(server)
                        peer.send(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                        status, body, _ = peer.answer()
                        self.assertEqual(status, 404, path)
                        self.assertIn(f"freshet serve {option} FOLDER", json.loads(body)["detail"], path)

    def test_a_browser_sees_a_page_that_names_the_option(self):
        with self.serve("boards", PATIENT) as server:
            browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
            for path, option, heads in (
                ("/workspaces", "--workspaces", {"de-CH,de;q=0.9": "Arbeitsbäume", "en": "Worktrees", "ja": "Worktrees"}),
                ("/jobs", "--jobs", {"fr": "Tâches", "it": "Lavori", "en": "Jobs"}),
            ):
                for language, head in heads.items():
                    peer = self.peer(server)
                    peer.send(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {browser}\r\nAccept-Language: {language}\r\n\r\n")
                    status, body, fields = peer.answer()
                    text = body.decode()
                    self.assertEqual((status, fields["content-type"]), (404, "text/html; charset=utf-8"))
                    self.assertIn("Accept-Language", fields["vary"])
                    self.assertIn(f"<code>freshet serve {option} FOLDER</code>", text)
                    self.assertEqual(re.findall(r"<h1[^>]*>([^<]*)</h1>", text), [head])
                    self.assertEqual(len(re.findall(r"<html", text)), 1)
                    # What the page names is there.
                    for asset in re.findall(r'href="(/[^"]*)"', text):
                        peer = self.peer(server)
                        peer.send(f"GET {asset} HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        self.assertEqual(peer.answer()[0], 200, asset)
                for accept, method in (("application/json", "GET"), ("*/*", "GET"), (browser, "POST")):
                    peer = self.peer(server)
                    peer.send(f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\nContent-Length: 0\r\n\r\n")
                    status, body, fields = peer.answer()
                    self.assertEqual((status, json.loads(body)["error"]), (404, "not_found"))
                    self.assertIn("Accept", fields["vary"])

    def test_a_304_varies_as_the_200_does(self):
        """RFC 9110, section 15.4.5."""
        with self.serve("boards", PATIENT) as server:
            for path in ("/", "/assets/board.js", "/openapi.json", "/assets/icon.svg"):
                peer = self.peer(server)
                ask = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n"
                peer.send(ask + "\r\n")
                status, _, whole = peer.answer()
                peer.send(f"{ask}If-None-Match: {whole['etag']}\r\n\r\n")
                unchanged, _, fields = peer.answer()
                self.assertEqual((status, unchanged), (200, 304), path)
                self.assertIn("Accept-Encoding", whole["vary"])
                for name in ("vary", "etag", "cache-control"):
                    self.assertEqual(fields.get(name), whole.get(name), f"{path} {name}")


class OwnerTests(HTTPTest):
    TABLE = b"Title,Author\nDune,Frank Herbert\n"

    def start(self, server, source: str, key: str, token: str = "") -> dict:
        peer = Peer.__new__(Peer)
        peer.text = b""
        peer.socket = socket.create_connection(("127.0.0.1", server.port), timeout=60, source_address=(source, 0))
        self.addCleanup(peer.socket.close)
        field = f"Authorization: Bearer {token}\r\n" if token else ""
        peer.send(f"POST /v1/jobs/csv_import HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nIdempotency-Key: {key}\r\n"
                  f"{field}Content-Length: {len(self.TABLE)}\r\n\r\n".encode() + self.TABLE)
        status, body, _ = peer.answer()
        self.assertEqual(status, 202, body)
        return json.loads(body)

    def test_an_idempotency_key_belongs_to_who_used_it(self):
        with self.serve("jobs", PATIENT) as server:
            first = self.start(server, "127.0.0.1", "key")["jobId"]
            self.assertEqual(self.start(server, "127.0.0.1", "key")["jobId"], first)
            # The key and the content of another client open nothing.
            other = self.start(server, "127.0.0.2", "key")["jobId"]
            self.assertNotEqual(other, first)
            self.assertEqual(self.start(server, "127.0.0.2", "key")["jobId"], other)
            # Who says who they are is the same client from everywhere.
            own = self.start(server, "127.0.0.1", "key", "secret")["jobId"]
            self.assertNotIn(own, (first, other))
            self.assertEqual(self.start(server, "127.0.0.2", "key", "secret")["jobId"], own)


if __name__ == "__main__":
    unittest.main()
