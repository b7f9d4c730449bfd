"""freshet serve --config."""

from __future__ import annotations

import json
import os
import threading
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock

from program import Folder, Server, run, until
from sample_network import copy_network

SECRET = "Bearer s3cr3t-of-this-test"


class ConfigurationTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.remove)
        copy_network(cls.folder.path)

    def write(self, settings: object, mode: int = 0o600) -> str:
        folder = Folder()
        self.addCleanup(folder.remove)
        path = folder / "settings.json"
        path.write_text(json.dumps(settings))
        path.chmod(mode)
        return str(path)

    def producer(self) -> tuple[str, dict[str, str | None]]:
        """A server that refuses; it notes the credentials it was asked with, by path."""
        seen: dict[str, str | None] = {}

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                seen[self.path] = self.headers["Authorization"]
                self.send_error(404)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_port}", seen

    def test_each_source_gets_its_own_fields_options_win_and_no_secret_is_logged(self):
        url, seen = self.producer()
        path = self.write({
            "data": str(self.folder / "nowhere"), "port": 1,
            "feeds": [
                {"tripUpdates": f"{url}/file", "alerts": f"{url}/a",
                 "headers": {"Authorization": {"env": "TEST_KEY"}}},
                {"prefix": "bus", "tripUpdates": f"{url}/bus"},
            ],
        })
        with mock.patch.dict(os.environ, {"TEST_KEY": SECRET}):
            server = Server(
                self.folder / "data", "--config", path, "--trip-updates", f"{url}/option",
                log_level="trace",
            )
        with server:
            until(lambda: len(seen) >= 3)
            status, _ = server.get("/api/stationboard?stop_id=Parent8501120&limit=1")
            self.assertEqual(status, 200)
            server.stop()
        self.assertEqual(seen, {"/option": None, "/a": SECRET, "/bus": None})
        self.assertNotIn(SECRET, "".join(server.log))
        self.assertNotIn("can be read by others", "".join(server.log))

    def test_a_file_with_credentials_that_others_can_read_draws_a_warning(self):
        url, _ = self.producer()
        feeds = [{"alerts": f"{url}/a", "headers": {"Authorization": SECRET}}]
        for mode, warns in ((0o644, True), (0o600, False)):
            path = self.write({"feeds": feeds}, mode)
            with Server(self.folder / "data", "--config", path, log_level="warning") as server:
                server.stop()
            log = "".join(server.log)
            self.assertEqual("can be read by others" in log, warns, log)
            self.assertNotIn(SECRET, log)

    def test_what_is_wrong_is_named_and_shows_no_secret(self):
        for settings, place in (
            ({"feeds": [{"alerts": 7}]}, "$.feeds[0].alerts"),
            ({"feeds": [{"alerts": "ftp://h/a"}]}, "$.feeds[0].alerts"),
            ({"prot": 1}, "$.prot"),
            ({"feeds": [{"alerts": "a", "headers": {"Authorization": [SECRET]}}]},
             "$.feeds[0].headers.Authorization"),
            ({"feeds": [{"alerts": "a", "headers": {"If-None-Match": SECRET}}]}, "$.feeds[0]"),
        ):
            path = self.write(settings)
            answer = run("serve", "--config", path, "--port", "0", cwd=self.folder.path)
            self.assertEqual(answer.returncode, 78, answer.stderr)
            self.assertIn(path, answer.stderr)
            self.assertIn(place, answer.stderr)
            self.assertNotIn(SECRET, answer.stderr)
            # All settings are validated before the server creates anything.
            self.assertFalse((self.folder / "freshet-data").exists())
        answer = run("serve", "--config", str(self.folder / "absent.json"))
        self.assertEqual(answer.returncode, 66)
        self.assertIn("absent.json", answer.stderr)


if __name__ == "__main__":
    unittest.main()
