"""Proxies in front of the server: whose word about clients counts, and nginx and Caddy with the configurations that are delivered."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import unittest
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from job_stage import JobServer, table
from program import Folder, run, until
from secure_stage import LONG, Authority
from side_by_side import load_side_by_side as load_tests  # noqa: F401

CONFIGURATIONS = Path(__file__).resolve().parents[2] / "Packaging/proxies"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
CADDY = shutil.which("caddy")
#: So few starts of jobs tell clients apart.
STARTS = {"startsAtOnceOfClient": 2, "startsPerMinuteOfClient": 1}


def start(server: JobServer, **fields: str) -> int:
    """The status of an answer to the start of a job."""
    status, _, _ = server.ask("POST", "/v1/jobs/csv_import", table(1), Content_Type="text/csv", **fields)
    return status


class Words(unittest.TestCase):
    """Whose word about clients counts."""

    def serve(self, *options: str) -> JobServer:
        folder = Folder()
        self.addCleanup(folder.remove)
        server = JobServer(folder.path, *options, limits=STARTS)
        self.addCleanup(server.__exit__)
        return server

    def test_only_a_named_proxy_tells_clients_apart(self):
        server = self.serve("--trusted-proxy", "127.0.0.1")
        for client in ["203.0.113.7", "203.0.113.8", "2001:db8::1"]:
            self.assertEqual([start(server, X_Forwarded_For=client) for _ in range(3)], [202, 202, 429], client)
        # One network of IPv6 is one client, and what comes before the client's address counts for nothing.
        self.assertEqual(start(server, X_Forwarded_For="2001:db8::2"), 429)
        self.assertEqual(start(server, X_Forwarded_For="198.51.100.1, 203.0.113.7"), 429)
        self.assertEqual(start(server, X_Forwarded_For="203.0.113.7, 127.0.0.1"), 429)
        self.assertEqual(start(server, X_Forwarded_For="203.0.113.9, nonsense"), 202)

        server = self.serve("--trusted-proxy", "192.0.2.1")
        answers = [start(server, X_Forwarded_For=f"203.0.113.{number}", Forwarded=f"for=203.0.113.{number}") for number in range(3)]
        self.assertEqual(answers, [202, 202, 429])

    def test_forwarded_is_read_where_it_is_chosen(self):
        server = self.serve("--trusted-proxy", "127.0.0.0/8", "--forwarded-field", "forwarded")
        for client in ["203.0.113.7", '"[2001:db8::1]:80"']:
            answers = [start(server, Forwarded=f"for={client};proto=https", X_Forwarded_For=f"198.51.100.{number}") for number in range(3)]
            self.assertEqual(answers, [202, 202, 429], client)

    def test_what_is_not_an_address_ends_the_start(self):
        for word in ["localhost", "10.0.0.1/8", "0.0.0.0/0"]:
            answer = run("serve", "--port", "0", "--trusted-proxy", word)
            self.assertEqual(answer.returncode, 64)
            self.assertIn(f'--trusted-proxy "{word}" is not an address or a range', answer.stderr)
        self.assertEqual(run("serve", "--port", "0", "--forwarded-field", "x-real-ip").returncode, 64)


def free_port() -> int:
    """An unused port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class InFront(unittest.TestCase):
    """A proxy with the configuration that is delivered, with other ports and another certificate."""

    def proxy(self, folder: Path, port: int) -> AbstractContextManager[int]:
        """The proxy in front of a port; its own port."""
        raise NotImplementedError

    @contextmanager
    def running(self, command: list[str], port: int, log: Path, **environment: str):
        with log.open("ab") as file:
            process = subprocess.Popen(command, stdout=file, stderr=file, env={**os.environ, **environment})

        def is_up() -> bool:
            assert process.poll() is None, log.read_text()
            with socket.socket() as peer:
                return peer.connect_ex(("127.0.0.1", port)) == 0

        try:
            until(is_up)
            yield
        finally:
            process.terminate()
            process.wait(timeout=30)

    def requests_streams_uploads_and_sockets_pass(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        authority = Authority(folder.path)
        authority.certificate("site")
        with JobServer(
            folder.path, "--trusted-proxy", "127.0.0.1", "--allow-host", "boards.example", limits=STARTS
        ) as server, self.proxy(folder.path, server.port) as port:

            def curl(path: str, *words: str) -> str:
                return subprocess.run(
                    ["curl", "-sS", "--max-time", "30", "--cacert", str(authority.root), "--resolve", f"boards.example:{port}:127.0.0.1",
                     *words, f"https://boards.example:{port}{path}"],
                    capture_output=True, text=True, timeout=60, check=True,
                ).stdout

            self.assertEqual(curl("/version.json", "--http2", "-o", "/dev/null", "-w", "%{http_version} %{http_code}"), "2 200")
            head = curl("/version.json", "-D", "-", "-o", "/dev/null").lower()
            self.assertIn("strict-transport-security: max-age=31536000", head)
            (folder / "books.csv").write_bytes(table(5))
            words = ["--data-binary", f"@{folder / 'books.csv'}", "-H", "Content-Type: text/csv"]
            job = json.loads(curl("/v1/jobs/csv_import", *words))
            self.assertIn("jobId", job)
            # All come from one address, whatever they write.
            spoofed = ["-H", "X-Forwarded-For: 203.0.113.7", "-H", "Forwarded: for=203.0.113.7"]
            self.assertIn("jobId", json.loads(curl("/v1/jobs/csv_import", *words, *spoofed)))
            self.assertEqual(curl("/v1/jobs/csv_import", *words, *spoofed, "-o", "/dev/null", "-w", "%{http_code}"), "429")
            # A stream: its events arrive while it is open.
            process = subprocess.Popen(
                ["curl", "-sSN", "--max-time", "30", "--cacert", str(authority.root), "--resolve", f"boards.example:{port}:127.0.0.1",
                 "-H", f"Authorization: Bearer {job['token']}", "-H", "Accept: text/event-stream",
                 f"https://boards.example:{port}/v1/jobs/{job['jobId']}/events"],
                stdout=subprocess.PIPE, text=True,
            )
            try:
                self.assertRegex(process.stdout.readline() + process.stdout.readline(), "event|data|id|retry|:")
            finally:
                process.kill()
                process.wait()
                process.stdout.close()
            # The proxy keeps the connection of this request for the next one, which cannot become a WebSocket.
            curl("/version.json")
            context = authority.context("http/1.1")
            with context.wrap_socket(
                socket.create_connection(("127.0.0.1", port), timeout=LONG), server_hostname="boards.example"
            ) as peer:
                peer.sendall((
                    f"GET /ws/progress?jobId={job['jobId']} HTTP/1.1\r\nHost: boards.example:{port}\r\nUpgrade: websocket\r\n"
                    f"Connection: Upgrade\r\nAuthorization: Bearer {job['token']}\r\nSec-WebSocket-Version: 13\r\n"
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
                ).encode())
                text = peer.recv(65_536)
                said = [file.read_text() for file in folder.path.glob("error.log")]
                self.assertTrue(text.startswith(b"HTTP/1.1 101 "), (text, said))
                self.assertIn(b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", text)


@unittest.skipUnless(NGINX, "nginx is not installed: the configuration for it is not tried")
class Nginx(InFront):
    @contextmanager
    def proxy(self, folder: Path, port: int):
        own = free_port()
        text = (CONFIGURATIONS / "nginx.conf").read_text()
        for old, new in [
            ("127.0.0.1:8080", f"127.0.0.1:{port}"), ("listen 443 ssl", f"listen 127.0.0.1:{own} ssl"),
            ("    listen [::]:443 ssl http2;\n", ""),
            ("/etc/letsencrypt/live/boards.example/fullchain.pem", str(folder / "site-chain.pem")),
            ("/etc/letsencrypt/live/boards.example/privkey.pem", str(folder / "site.key")),
        ]:
            self.assertIn(old, text)
            text = text.replace(old, new)
        places = "".join(
            f"{name}_temp_path {folder}/{name};\n" for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        )
        user = "user root;\n" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(
            f"daemon off;\n{user}pid {folder}/nginx.pid;\nerror_log {folder}/error.log;\nevents {{}}\n"
            f"http {{\naccess_log off;\n{places}{text}\n}}\n"
        )
        with self.running([NGINX, "-c", str(folder / "nginx.conf"), "-p", str(folder)], own, folder / "error.log"):
            yield own

    def test_requests_streams_uploads_and_sockets_pass_nginx(self):
        self.requests_streams_uploads_and_sockets_pass()


@unittest.skipUnless(CADDY, "Caddy is not installed: the configuration for it is not tried")
class Caddy(InFront):
    @contextmanager
    def proxy(self, folder: Path, port: int):
        own = free_port()
        text = (CONFIGURATIONS / "Caddyfile").read_text()
        for old, new in [
            ("127.0.0.1:8080", f"127.0.0.1:{port}"),
            ("boards.example {\n", f"boards.example:{own} {{\n\tbind 127.0.0.1\n\ttls {folder}/site-chain.pem {folder}/site.key\n"),
        ]:
            self.assertIn(old, text)
            text = text.replace(old, new)
        (folder / "Caddyfile").write_text(f"{{\n\tadmin off\n\tauto_https off\n}}\n{text}")
        command = [CADDY, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
        places = {name: str(folder / "caddy") for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME")}
        with self.running(command, own, folder / "caddy.log", **places):
            yield own

    def test_requests_streams_uploads_and_sockets_pass_caddy(self):
        self.requests_streams_uploads_and_sockets_pass()


if __name__ == "__main__":
    unittest.main()
