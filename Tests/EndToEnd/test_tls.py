"""TLS and HTTP/2, seen by openssl, curl, Python and a client that keeps to no rules."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import threading
import time
import unittest
from pathlib import Path

from browser import Browser
from job_stage import JobServer, table
from program import Folder, Server, once, run, until
from sample_network import copy_network
from secure_stage import (
    DATA, ED25519, END_HEADERS, END_STREAM, GOAWAY, HEADERS, LONG, PING, RESET, RSA, SETTINGS, Authority, Multiplexed, openssl,
)
from side_by_side import load_side_by_side as load_tests  # noqa: F401

FOLDER = Folder()
STOP = "Parent8501120"


@once
def authority() -> Authority:
    """The certificates of all tests."""
    folder = FOLDER.path / "authority"
    folder.mkdir()
    made = Authority(folder)
    made.certificate("first")
    return made


@once
def data() -> Path:
    """The sample network, imported."""
    return copy_network(FOLDER.path)


def options(name: str = "first") -> list[str]:
    """The options for a certificate."""
    authority()
    folder = FOLDER.path / "authority"
    return ["--tls-certificate", str(folder / f"{name}-chain.pem"), "--tls-key", str(folder / f"{name}.key")]


def limits(**values: int) -> list[str]:
    """The options for limits."""
    file = FOLDER.path / ("-".join(f"{name}-{value}" for name, value in values.items()) + ".json")
    file.write_text(json.dumps({"limits": values}))
    return ["--config", str(file)]


def curl(server: Server, path: str, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    """Asks with curl, which trusts the root."""
    return subprocess.run(
        ["curl", "-sS", "--max-time", "30", "--cacert", str(authority().root), "--resolve", f"boards.example:{server.port}:127.0.0.1",
         *words, f"https://localhost:{server.port}{path}"],
        capture_output=True, text=True, timeout=60, check=check,
    )


def shown(port: int, *words: str) -> str:
    """What `openssl s_client` says of a connection."""
    answer = openssl("s_client", "-connect", f"127.0.0.1:{port}", "-servername", "localhost", "-CAfile", authority().root, *words,
                     check=False)
    return answer.stdout + answer.stderr


def metric(server: Server, name: str) -> float:
    """A number of `/metrics`."""
    text = curl(server, "/metrics").stdout
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    assert found, (name, text)
    return float(found.group(1))


def tearDownModule() -> None:
    FOLDER.remove()


class Protocols(unittest.TestCase):
    """What is spoken."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server(data(), *options())
        cls.addClassCleanup(cls.server.__exit__)

    def test_only_modern_protocols_and_ciphers_are_spoken(self):
        text = shown(self.server.port, "-alpn", "h2,http/1.1")
        self.assertIn("Protocol  : TLSv1.3" if "Protocol  : " in text else "TLSv1.3", text)
        self.assertIn("ALPN protocol: h2", text)
        self.assertIn("Verify return code: 0 (ok)", text)
        self.assertIn("ECDHE-ECDSA-AES128-GCM-SHA256", shown(self.server.port, "-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"))
        for words in [
            ("-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA"), ("-tls1_2", "-cipher", "ECDHE-ECDSA-AES256-SHA384"),
            ("-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"), ("-tls1", "-cipher", "DEFAULT@SECLEVEL=0"),
        ]:
            text = shown(self.server.port, *words)
            self.assertIn("Cipher is (NONE)", text, words)
            self.assertRegex(text, "alert|no protocols available", words)
        # Nothing in common: HTTP/1.1.
        self.assertIn("No ALPN negotiated", shown(self.server.port, "-alpn", "spdy/3"))

    def test_curl_reads_over_both_versions_of_http(self):
        for words, version in [(["--http2"], "2"), (["--http1.1"], "1.1")]:
            for path in ["/health", "/api/stops/search?q=alpha", "/", "/metrics"]:
                answer = curl(self.server, path, *words, "-w", "\n%{http_version} %{http_code}")
                self.assertEqual(answer.stdout.rsplit("\n", 1)[1], f"{version} 200", (words, path))
            head = curl(self.server, "/health", *words, "-I").stdout
            self.assertRegex(head.splitlines()[0], rf"^HTTP/{version} 200")
            self.assertEqual(curl(self.server, "/nothing", *words, "-w", "%{http_code}", "-o", "/dev/null").stdout, "404")
        # One connection, many streams.
        answer = curl(self.server, "/api/stops/search?q=[10-49]", "--http2", "-Z", "--parallel-immediate", "-w", "%{http_code} ", "-o", "/dev/null")
        self.assertEqual(answer.stdout.split(), ["200"] * 40)

    def test_bytes_are_those_of_plain_http(self):
        path = f"/api/stationboard?stop_id={STOP}&limit=500"
        with Server(data()) as plain:
            wanted = subprocess.run(["curl", "-sS", plain.url + path], capture_output=True, text=True, check=True).stdout
        for words in (["--http2"], ["--http1.1"], ["--http2", "--compressed"]):
            board = json.loads(curl(self.server, path, *words).stdout)
            self.assertEqual(board["departures"], json.loads(wanted)["departures"], words)

    def test_a_stream_and_a_long_poll_work_over_both(self):
        for words in (["--http2"], ["--http1.1"]):
            process = subprocess.Popen(
                ["curl", "-sSN", "--max-time", "30", "--cacert", str(authority().root), *words, "-H", "Accept: text/event-stream",
                 f"https://localhost:{self.server.port}/api/stationboard/stream?stop_id={STOP}"],
                stdout=subprocess.PIPE, text=True,
            )
            try:
                lines = [process.stdout.readline() for _ in range(3)]
                self.assertTrue(any(line.startswith(("event:", "data:", "id:")) for line in lines), lines)
            finally:
                process.kill()
                process.wait()
                process.stdout.close()

    def test_browsers_are_asked_to_stay_with_https_but_not_for_localhost(self):
        named = curl(self.server, "/health", "-D", "-", "-o", "/dev/null", "-H", "Host: boards.example").stdout.lower()
        self.assertIn("strict-transport-security: max-age=31536000\n", named)
        self.assertNotIn("strict-transport", curl(self.server, "/health", "-I").stdout.lower())
        missing = curl(self.server, "/nothing", "-D", "-", "-o", "/dev/null", "-H", "Host: boards.example").stdout.lower()
        self.assertIn("strict-transport-security", missing)
        with Server(data(), *options(), "--hsts-seconds", "0") as server:
            self.assertNotIn("strict-transport", curl(server, "/health", "-D", "-", "-H", "Host: boards.example").stdout.lower())

    def test_plain_http_is_told_to_use_https(self):
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=LONG) as peer:
            peer.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            text = b""
            while part := peer.recv(65_536):
                text += part
        head, body = text.split(b"\r\n\r\n", 1)
        self.assertTrue(head.startswith(b"HTTP/1.1 400 "), head)
        self.assertEqual(json.loads(body)["error"], "https_required")

    def test_an_upgrade_that_is_not_granted_is_passed_over_and_the_connection_goes_on(self):
        context = authority().context("http/1.1")
        with context.wrap_socket(socket.create_connection(("127.0.0.1", self.server.port), timeout=LONG), server_hostname="localhost") as peer:
            key = base64.b64encode(os.urandom(16)).decode()
            peer.sendall((
                "GET /health HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
                "GET /version.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
            ).encode())
            text = b""
            while part := peer.recv(65_536):
                text += part
        self.assertEqual(text.count(b"HTTP/1.1 200 OK"), 2, text)

    def test_a_head_of_http2_has_the_rules_of_http1(self):
        peer = Multiplexed(self.server.port, authority().context("h2"))
        peer.request(1, _authority="", host="localhost")
        self.assertIn(b'"status"', peer.answer(1)[1])
        for stream, fields in [(3, {"_authority": ""}), (5, {"host": "other.example"})]:
            peer.request(stream, **fields)
            self.assertIn(b"invalid_host", peer.answer(stream)[1], fields)
        peer.request(9, "HEAD")
        self.assertEqual(peer.answer(9)[1], b"")
        peer.request(11, **{f"x-{number}": "1" for number in range(200)})
        self.assertIn(b"too large", peer.answer(11)[1])
        peer.request(13, big="x" * 20_000)
        self.assertIn(b"too large", peer.answer(13)[1])
        peer.request(15)
        self.assertIn(b'"status"', peer.answer(15)[1])
        # What breaks the connection itself ends it: a frame that is too long (RFC 9113, section 4.2).
        peer.send(HEADERS, END_HEADERS | END_STREAM, 17, b"x" * 20_000)
        while peer.frame() is not None:
            pass
        peer.close()


class Keys(unittest.TestCase):
    """Keys of other kinds than the elliptic ones of the other tests."""

    def test_keys_of_rsa_and_ed25519_serve(self):
        for name, kind, signed in [("rsa", RSA, "RSA-PSS"), ("ed25519", ED25519, "(?:Ed|ed|ED)25519")]:
            with self.subTest(name):
                authority().certificate(name, kind=kind)
                with Server(data(), *options(name)) as server:
                    text = shown(server.port)
                    self.assertIn("Verify return code: 0 (ok)", text)
                    self.assertRegex(text, f"Peer signature type: {signed}")
                    answer = curl(server, "/health", "--http2", "-w", "\n%{http_version} %{http_code}")
                    self.assertEqual(answer.stdout.rsplit("\n", 1)[1], "2 200")


class Pages(unittest.TestCase):
    """A browser, which accepts the key of the server and no other untrusted one."""

    def test_a_board_is_kept_fresh_over_http2(self):
        authority()
        key = openssl("x509", "-in", FOLDER.path / "authority/first.pem", "-pubkey", "-noout").stdout
        raw = subprocess.run(["openssl", "pkey", "-pubin", "-outform", "DER"], input=key.encode(), capture_output=True, check=True).stdout
        digest = base64.b64encode(hashlib.sha256(raw).digest()).decode()
        with Server(data(), *options()) as server:
            browser = Browser(f"--ignore-certificate-errors-spki-list={digest}")
            self.addCleanup(browser.close)
            tab = browser.tab()
            tab.open(f"https://localhost:{server.port}/?stop={STOP}&lang=en")
            tab.wait("document.querySelectorAll('.departure:not(.vacant)').length > 0")
            self.assertTrue(tab.run("isSecureContext"))
            protocols = tab.run("[...new Set(performance.getEntries().filter(e => e.nextHopProtocol).map(e => e.nextHopProtocol))].join()")
            self.assertEqual(protocols, "h2")
            # Long polls, streams and refreshes go the same way.
            count = tab.run("performance.getEntriesByType('resource').filter(e => e.name.includes('/api/stationboard')).length")
            tab.key("r")
            tab.wait(f"performance.getEntriesByType('resource').filter(e => e.name.includes('/api/stationboard')).length > {count}")
            self.assertEqual(server.stop(), 0)


class Sockets(unittest.TestCase):
    """WebSockets and uploads."""

    def test_jobs_run_over_tls(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        with JobServer(folder.path, *options()) as server:
            file = folder / "books.csv"
            file.write_bytes(table(30))
            for words in (["--http2"], ["--http1.1"]):
                answer = curl(server, "/v1/jobs/csv_import", *words, "--data-binary", f"@{file}", "-H", "Content-Type: text/csv")
                job = json.loads(answer.stdout)
                self.assertIn("jobId", job, answer.stdout)
            big = folder / "big.csv"
            big.write_bytes(table(200_000))
            answer = curl(server, "/v1/jobs/csv_import", "--http2", "--data-binary", f"@{big}", "-H", "Content-Type: text/csv", "-w", "\n%{http_code}")
            self.assertIn(answer.stdout.rsplit("\n", 1)[1], {"202", "413"})
            context = authority().context("http/1.1")
            with context.wrap_socket(socket.create_connection(("127.0.0.1", server.port), timeout=LONG), server_hostname="localhost") as peer:
                key = base64.b64encode(os.urandom(16)).decode()
                peer.sendall((
                    f"GET /ws/progress?jobId={job['jobId']} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    f"Authorization: Bearer {job['token']}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n"
                ).encode())
                text = peer.recv(65_536)
                self.assertTrue(text.startswith(b"HTTP/1.1 101 "), text)
                while b"{" not in text:
                    part = peer.recv(65_536)
                    self.assertTrue(part, text)
                    text += part


class Files(unittest.TestCase):
    """Files that are wrong, and files that change."""

    def test_a_file_that_is_wrong_is_named_with_what_to_do(self):
        made = authority()
        chain, key = made.certificate("good")
        other, other_key = made.certificate("other")
        old, old_key = made.certificate("old", "-days", "-1")
        folder = FOLDER.path
        locked = folder / "locked.key"
        openssl("pkey", "-in", key, "-aes256", "-passout", "pass:secret", "-out", locked)
        turned = folder / "turned.pem"
        turned.write_text((made.folder / "middle.pem").read_text() + (made.folder / "good.pem").read_text())
        broken, empty = folder / "broken.pem", folder / "empty.pem"
        broken.write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
        empty.write_text("")
        huge = folder / "huge.pem"
        huge.write_bytes(b"x" * ((1 << 20) + 1))
        for certificate, private, code, words in [
            (folder / "absent.pem", key, 66, ["absent.pem", "no such file"]),
            (folder, key, 66, ["is not a file"]),
            (chain, folder / "absent.key", 66, ["absent.key", "no such file"]),
            (key, key, 65, ["is a private key", "--tls-key"]),
            (chain, chain, 65, ["is a certificate", "--tls-certificate"]),
            (chain, locked, 65, ["locked.key", "encrypted", "openssl pkey"]),
            (chain, other_key, 65, ["other.key", "is not the key of the certificate in", "good-chain.pem"]),
            (old, old_key, 65, ["old-chain.pem", "expired on 20", "renew"]),
            (turned, key, 65, ["turned.pem", "must come first"]),
            (broken, key, 65, ["broken.pem", "damaged"]),
            (empty, key, 65, ["empty.pem", "has no certificate"]),
            (huge, key, 65, ["huge.pem", "longer than"]),
        ]:
            answer = run("serve", "--data", str(data()), "--port", "0", "--tls-certificate", str(certificate), "--tls-key", str(private))
            self.assertEqual(answer.returncode, code, (certificate, private, answer.stderr))
            for word in words:
                self.assertIn(word, answer.stderr)
            self.assertNotIn("Usage", answer.stderr)
        answer = run("serve", "--data", str(data()), "--port", "0", "--tls-certificate", str(chain))
        self.assertEqual(answer.returncode, 64)
        self.assertIn("needs --tls-key", answer.stderr)
        self.assertIn("\nUsage: freshet serve ", answer.stderr)
        self.assertIn("See 'freshet serve --help'", answer.stderr)
        settings = folder / "tls.json"
        settings.write_text(json.dumps({"tls": {"certificate": str(chain), "key": str(other_key)}}))
        answer = run("serve", "--data", str(data()), "--port", "0", "--config", str(settings))
        self.assertEqual(answer.returncode, 65, answer.stderr)

    def test_new_files_are_used_without_a_lost_request_and_wrong_ones_are_not(self):
        made = authority()
        folder = FOLDER.path / "live"
        folder.mkdir()
        first, second, third = (made.certificate(name) for name in ("one", "two", "three"))
        chain, key = folder / "chain.pem", folder / "key.pem"

        def install(pair: tuple[Path, Path]) -> None:
            for source, target in zip(pair, (chain, key)):
                fresh = target.with_suffix(".new")
                shutil.copyfile(source, fresh)
                fresh.replace(target)

        install(first)
        with Server(data(), "--tls-certificate", str(chain), "--tls-key", str(key), log_level="notice") as server:
            answers, failures, ends = [], [], threading.Event()

            def ask(keeps: bool) -> None:
                context = made.context("http/1.1")
                peer = None
                while not ends.is_set():
                    try:
                        if peer is None:
                            peer = context.wrap_socket(
                                socket.create_connection(("127.0.0.1", server.port), timeout=LONG), server_hostname="localhost"
                            )
                        peer.sendall(b"GET /version.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
                        text = b""
                        while b"}" not in text:
                            part = peer.recv(65_536)
                            assert part, "cut"
                            text += part
                        answers.append(text.split(b" ", 2)[1])
                        if not keeps:
                            peer.close()
                            peer = None
                    except (OSError, AssertionError) as error:
                        failures.append(repr(error))
                        peer = None
                if peer is not None:
                    peer.close()

            threads = [threading.Thread(target=ask, args=(number % 2 == 0,), daemon=True) for number in range(4)]
            for thread in threads:
                thread.start()

            def name() -> str:
                return re.search(r"subject=CN = (\w+)", shown(server.port)).group(1)

            self.assertEqual(name(), "one")
            install(second)
            until(lambda: name() == "two")
            # Wrong files: said once, and nothing else happens.
            key.write_bytes(first[1].read_bytes())
            until(lambda: any("stays in use" in line and "is not the key" in line for line in server.log))
            self.assertEqual(metric(server, "freshet_tls_certificate_rejected"), 1)
            self.assertEqual(name(), "two")
            install(third)
            server.process.send_signal(signal.SIGHUP)
            until(lambda: name() == "three")
            self.assertEqual(metric(server, "freshet_tls_certificate_rejected"), 0)
            ends.set()
            for thread in threads:
                thread.join()
            self.assertEqual(failures, [])
            self.assertGreater(len(answers), 50)
            self.assertEqual(set(answers), {b"200"})
            self.assertEqual(server.stop(), 0)


class Limits(unittest.TestCase):
    """Clients that keep to no rules."""

    def test_a_handshake_that_takes_too_long_ends(self):
        with Server(data(), *options(), *limits(handshakeSeconds=1)) as server:
            for content in [b"", b"\x16\x03\x01\x02\x00"]:
                with socket.create_connection(("127.0.0.1", server.port), timeout=LONG) as peer:
                    peer.sendall(content)
                    self.assertEqual(peer.recv(1), b"")
            self.assertEqual(metric(server, 'freshet_connections_ended_total{reason="slow_handshake"}'), 2)

    def test_connections_without_a_request_give_way(self):
        with Server(data(), *options(), *limits(connections=32)) as server:
            context = authority().context("h2")
            peers = [Multiplexed(server.port, context) for _ in range(20)]
            raw = [socket.create_connection(("127.0.0.1", server.port), timeout=LONG) for _ in range(40)]
            answer = curl(server, "/health", "--http2", "-o", "/dev/null", "-w", "%{http_code}")
            self.assertEqual(answer.stdout, "200")
            for peer in raw:
                peer.close()
            for peer in peers:
                peer.close()

    def test_an_idle_connection_of_http2_is_told_to_go(self):
        with Server(data(), *options(), *limits(idleSeconds=1, closeSeconds=1)) as server:
            peer = Multiplexed(server.port, authority().context("h2"))
            self.assertIsNotNone(peer.until(GOAWAY))
            while peer.frame() is not None:
                pass
            peer.close()
            peer = Multiplexed(server.port, authority().context("h2"))
            peer.request(1)
            peer.answer(1)
            self.assertIsNotNone(peer.until(GOAWAY))
            while peer.frame() is not None:
                pass
            peer.close()

    def test_streams_are_limited_and_their_resets_too(self):
        with Server(data(), *options(), *limits(streams=5, resets=20)) as server:
            peer = Multiplexed(server.port, authority().context("h2"))
            frame = peer.until(SETTINGS)
            values = dict(struct.unpack(">HI", frame[3][place:place + 6]) for place in range(0, len(frame[3]), 6))
            self.assertEqual(values[3], 5)
            self.assertEqual(values[6], 64 << 10)
            for number in range(6):
                peer.request(2 * number + 1, "POST", "/api/stops/search", end=False)
            frame = peer.until(RESET, GOAWAY)
            self.assertIsNotNone(frame)
            peer.close()
            # Rapid resets (CVE-2023-44487).
            peer = Multiplexed(server.port, authority().context("h2"))
            try:
                for number in range(200):
                    peer.request(2 * number + 1, path="/api/stops/search?q=alpha")
                    peer.send(RESET, 0, 2 * number + 1, struct.pack(">I", 8))
            except OSError:
                pass
            frame = peer.until(GOAWAY)
            self.assertTrue(frame is None or struct.unpack(">I", frame[3][4:8])[0] == 11, frame)
            while peer.frame() is not None:
                pass
            peer.close()
            # And frames that ask for nothing.
            peer = Multiplexed(server.port, authority().context("h2"))
            try:
                for _ in range(500):
                    peer.send(PING, 0, 0, b"12345678")
            except OSError:
                pass
            frame = peer.until(GOAWAY)
            self.assertTrue(frame is None or struct.unpack(">I", frame[3][4:8])[0] == 11, frame)
            while peer.frame() is not None:
                pass
            peer.close()
            self.assertEqual(curl(server, "/health", "--http2", "-o", "/dev/null", "-w", "%{http_code}").stdout, "200")

    def test_a_stream_that_sends_or_takes_nothing_is_reset_and_others_go_on(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        chosen = limits(stalledSeconds=1, bodySlackSeconds=1, bodyBytesPerSecond=1_000)
        with JobServer(folder.path, *options(), *chosen) as server:
            peer = Multiplexed(server.port, authority().context("h2"), window=10)
            peer.request(1, path="/")
            frame = peer.until(RESET, stream=1)
            self.assertIsNotNone(frame)
            peer.request(3, "HEAD")
            self.assertIsNotNone(peer.until(HEADERS, stream=3))
            peer.close()
            peer = Multiplexed(server.port, authority().context("h2"))
            peer.request(1, "POST", "/v1/jobs/csv_import", end=False, content_type="text/csv", content_length="100000")
            ends = time.monotonic() + LONG
            peer.socket.settimeout(0.7)
            frame = None
            while frame is None and time.monotonic() < ends:
                try:
                    frame = peer.until(RESET, HEADERS, stream=1)
                except TimeoutError:
                    peer.send(DATA, 0, 1, b"Title")
            self.assertIsNotNone(frame)
            peer.socket.settimeout(LONG)
            peer.request(3)
            self.assertIn(b'"status"', peer.answer(3)[1])
            peer.close()


if __name__ == "__main__":
    unittest.main()
