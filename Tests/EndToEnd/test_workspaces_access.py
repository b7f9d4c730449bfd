"""Which clients may talk to the workspaces' part of a server."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import unittest

from program import PROGRAM, Folder, run, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import Workspaces, repository

TOKEN = "a-token-of-this-test-only"
LIST = "/v1/git/worktrees"


class AccessTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.root = self.folder.path.resolve() / "work"
        repository(self.root / "main")

    def ask(self, server, path=LIST, method="GET", host="127.0.0.1", **fields):
        """Status, fields and body of a request whose fields are exactly these."""
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        self.addCleanup(connection.close)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        if host is not None:
            connection.putheader("Host", f"{host}:{server.port}" if host == "127.0.0.1" else host)
        for name, value in fields.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.putheader("Content-Length", "0")
        connection.endheaders()
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, dict(answer.getheaders()), json.loads(text) if text else None

    def error(self, server, **arguments):
        status, fields, body = self.ask(server, **arguments)
        self.assertNotIn("Access-Control-Allow-Origin", fields)
        return status, body and isinstance(body, dict) and body.get("error")

    def two_hosts(self, server, *hosts):
        """Status and code of the answer to a request with several Host fields."""
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as client:
            fields = "".join(f"Host: {host}\r\n" for host in hosts)
            client.sendall(f"GET {LIST} HTTP/1.1\r\n{fields}Connection: close\r\n\r\n".encode())
            answer = b"".join(iter(lambda: client.recv(65536), b""))
        head, _, body = answer.partition(b"\r\n\r\n")
        found = json.loads(body)
        return int(head.split()[1]), isinstance(found, dict) and found.get("error")

    def test_a_page_of_another_origin_and_a_foreign_name_get_nothing(self):
        with Workspaces(self.folder, "--allow-host", "box.example", roots=[self.root]) as server:
            own = f"http://127.0.0.1:{server.port}"
            self.assertEqual(self.ask(server)[0], 200)
            self.assertEqual(self.ask(server, Origin=own)[0], 200)
            self.assertEqual(self.ask(server, host=f"localhost:{server.port}")[0], 200)
            self.assertEqual(self.ask(server, host="[::1]")[0], 200)
            self.assertEqual(self.ask(server, host="Box.Example:80")[0], 200)
            self.assertEqual(self.ask(server, Sec_Fetch_Site="same-origin")[0], 200)
            for origin in ("https://evil.example", "null", own.replace("127.0.0.1", "localhost"),
                           own + "0", "http://127.0.0.1", f"{own}.evil.example"):
                self.assertEqual(self.error(server, Origin=origin), (403, "origin_forbidden"), origin)
            self.assertEqual(self.error(server, Sec_Fetch_Site="cross-site"), (403, "origin_forbidden"))
            for host in ("evil.example", "127.0.0.1.evil.example", "", "localhost:x", "evil@127.0.0.1"):
                self.assertIn(self.error(server, host=host)[0], (400, 421), host)
            # Two hosts are not valid (RFC 9112, section 3.2), in either order and even if they are the same.
            for hosts in (("localhost", "evil.example"), ("evil.example", "localhost"), ("localhost", "localhost")):
                self.assertEqual(self.two_hosts(server, *hosts), (400, "invalid_host"), hosts)
            # What changes something is refused the same way, and does not happen.
            for method, path in (("POST", LIST), ("DELETE", f"{LIST}/x"), ("POST", "/v1/batch"), ("GET", "/v1/events")):
                answer = self.error(server, method=method, path=path, Origin="https://evil.example")
                self.assertEqual(answer, (403, "origin_forbidden"), path)
            # No spelling of a path goes around the guard.
            for path in ("/v1//git/worktrees", "//v1/git/worktrees/", "/v1/./git/worktrees", "/v1/%67it/worktrees",
                         "/v1/git/worktrees?x", "/V1/git/worktrees", "/v1/git/worktrees/", f"http://127.0.0.1:{server.port}{LIST}"):
                self.assertIn(self.ask(server, path=path, Origin="https://evil.example")[0], (400, 403, 404), path)

    def test_without_the_token_nothing_is_told(self):
        secret = self.folder / "token"
        secret.write_text(TOKEN + "\n")
        with Workspaces(self.folder, "--token-file", str(secret), roots=[self.root]) as server:
            for value in (None, "Bearer", f"Bearer {TOKEN}x", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN[:-1]}"):
                fields = {} if value is None else {"Authorization": value}
                for path in (LIST, f"{LIST}/x", "/v1/events", "/v1/metrics", "/v1/info"):
                    self.assertEqual(self.error(server, path=path, **fields), (401, "unauthorized"), value)
            status, fields, body = self.ask(
                server, Authorization=f"Bearer {TOKEN}", X_Codespace_Name="any"
            )
            self.assertEqual((status, len(body)), (200, 1))
            self.assertEqual(fields["Vary"].split(", ")[0], "Authorization")
            # The scheme in any case, any number of spaces; the seed system's field where there is no bearer token.
            for fields in ({"Authorization": f"Bearer  {TOKEN}"}, {"Authorization": f"bEARER   {TOKEN}"},
                           {"X_Codespace_Name": TOKEN}, {"X_Codespace_Name": TOKEN, "Authorization": "Basic eDp5"}):
                self.assertEqual(self.ask(server, **fields)[0], 200, fields)
            for fields in ({"X_Codespace_Name": "any"}, {"X_Codespace_Name": TOKEN + "x"},
                           {"X_Codespace_Name": TOKEN, "Authorization": "Bearer wrong"}):
                self.assertEqual(self.error(server, **fields), (401, "unauthorized"), fields)
            self.assertIn("X-Codespace-Name", self.ask(server, X_Codespace_Name=TOKEN)[1]["Vary"])
            self.assertNotIn(TOKEN, "".join(server.log))

    def test_others_can_connect_only_where_there_is_a_token(self):
        data = str(self.folder / "data")
        answer = run("serve", "--data", data, "--port", "0", "--host", "0.0.0.0", "--workspaces", str(self.root))
        self.assertNotEqual(answer.returncode, 0)
        self.assertIn("token", answer.stderr)
        short = self.folder / "short"
        short.write_text("short")
        answer = run("serve", "--data", data, "--workspaces", str(self.root), "--token-file", str(short))
        self.assertNotEqual(answer.returncode, 0)
        self.assertIn("at least 16", answer.stderr)
        answer = run("serve", "--data", data, "--workspaces", str(self.folder / "nowhere"))
        self.assertIn("is not a folder", answer.stderr)

    def test_a_folder_for_temporary_files_that_is_not_there_is_said_at_the_start(self):
        gone = str(self.folder / "gone")
        answer = subprocess.run(
            [PROGRAM, "serve", "--data", str(self.folder / "data"), "--port", "0", "--workspaces", str(self.root)],
            env={**os.environ, "TMPDIR": gone}, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(answer.returncode, 64, answer.stdout)
        self.assertIn(f"no temporary folder in {gone}: No such file or directory", answer.stderr)

    def test_a_socket_is_for_its_owner_only(self):
        path = str(self.folder / "socket")
        process = subprocess.Popen(
            [PROGRAM, "serve", "--data", str(self.folder / "data"), "--workspaces", str(self.root),
             "--socket", path, "--log-level", "error"], stdout=subprocess.PIPE, text=True,
        )
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        until(lambda: os.path.exists(path))
        self.assertEqual(os.stat(path).st_mode & 0o077, 0)
        until(lambda: process.stdout.readline() != "")
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            client.sendall(b"GET /v1/git/worktrees HTTP/1.1\r\nHost: anything\r\nConnection: close\r\n\r\n")
            answer = b""
            while part := client.recv(65536):
                answer += part
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 "), answer[:80])

    def test_a_socket_that_is_served_stays(self):
        path = self.folder / "socket"
        command = ["serve", "--data", str(self.folder / "data"), "--workspaces", str(self.root), "--socket", str(path)]

        def refused(reason: str) -> None:
            before = os.lstat(path).st_ino
            answer = run(*command)
            self.assertNotEqual(answer.returncode, 0)
            self.assertIn(reason, answer.stderr)
            self.assertEqual(os.lstat(path).st_ino, before)

        # Another program's, without a lock.
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(str(path))
            other.listen()
            refused("already served there")
        # The port is closed again.
        process = self.serve(command)
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(str(path))
        refused("already served there")
        process.kill()
        process.wait()
        self.assertTrue(path.exists())
        process = self.serve(command)
        process.terminate()
        process.wait()
        path.unlink(missing_ok=True)
        path.write_text("precious")
        refused("not a socket")
        self.assertEqual(path.read_text(), "precious")

    def serve(self, command: list[str]) -> subprocess.Popen:
        process = subprocess.Popen(
            [PROGRAM, *command, "--log-level", "error"], stdout=subprocess.PIPE, text=True
        )
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertIn("Serving on the socket", process.stdout.readline())
        return process


if __name__ == "__main__":
    unittest.main()
