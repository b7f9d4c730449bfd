"""What `freshet doctor` says of a server that is to run, and of one that runs."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import unittest
from pathlib import Path

from program import NOW, PROGRAM, Folder, Server, run
from realtime_stage import BEGIN, data, feed, instant, late, trip
from sample_network import copy_network
from secure_stage import Authority
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from watching import Broken, always, reply

PROTOBUF = "Content-Type: application/x-protobuf"


class Doctor(unittest.TestCase):
    def setUp(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        self.folder = folder.path.resolve()
        self.settings: dict = {"data": str(self.folder / "data"), "port": 0}

    def ask(self, *options: str, code: int, now: str = NOW) -> dict[str, dict]:
        """The checks by name; the exit code is as it should be."""
        path = self.folder / "freshet.json"
        path.write_text(json.dumps(self.settings))
        path.chmod(0o600)
        answer = run("doctor", "--config", str(path), "--json", "--now", now, *options)
        self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)
        said = json.loads(answer.stdout)
        self.assertEqual(said["isGood"], code == 0)
        found: dict[str, dict] = {}
        for check in said["checks"]:
            self.assertIn(check["state"], ("ok", "warn", "fail"))
            self.assertTrue(check["state"] == "ok" or check.get("advice"), check)
            found[check["name"]] = check
        return found

    def states(self, checks: dict[str, dict]) -> dict[str, str]:
        return {name: check["state"] for name, check in checks.items()}

    def test_a_server_as_it_should_be(self):
        copy_network(self.folder)
        authority = Authority(self.folder)
        chain, key = authority.certificate("site")
        source = Broken(always(reply("200 OK", feed(instant(NOW), [late(trip(0), 60)]), PROTOBUF)))
        self.addCleanup(source.kill_if_alive)
        archive = Broken(always(reply("200 OK", b"PK", "Content-Type: application/zip")))
        self.addCleanup(archive.kill_if_alive)
        self.settings |= {
            "tls": {"certificate": str(chain), "key": str(key)}, "jobs": {"folder": str(self.folder / "jobs")},
            "feeds": [{"static": archive.url + "/gtfs.zip", "tripUpdates": source.url + "/t.pb", "leastMatchedPercent": 1}],
        }
        checks = self.ask(code=0)
        self.assertLessEqual(
            {"version", "configuration", "open files", "data", "timetable default", "source of default", "trip-updates", "jobs",
             "certificate", "port", "clock"}, set(checks))
        self.assertNotIn("fail", self.states(checks).values(), checks)
        self.assertEqual(len(source.questions), 1)
        # Nothing is made or changed.
        self.assertFalse((self.folder / "jobs").exists())

    def test_what_does_not_work_is_named_with_what_to_do(self):
        copy_network(self.folder)
        source = Broken(always(reply("401 Unauthorized")))
        self.addCleanup(source.kill_if_alive)
        archive = Broken(always(reply("404 Not Found")))
        self.addCleanup(archive.kill_if_alive)
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        (self.folder / "short").write_text("abc")
        (self.folder / "jobs").write_text("a file")
        self.settings |= {
            "port": taken.getsockname()[1], "operatorTokenFile": str(self.folder / "short"),
            "jobs": {"folder": str(self.folder / "jobs")},
            "tls": {"certificate": str(self.folder / "short"), "key": str(self.folder / "short")},
            "feeds": [{"static": archive.url + "/gtfs.zip", "tripUpdates": source.url + "/t.pb"},
                      {"prefix": "bus", "alerts": source.url + "/a.pb"}],
        }
        checks = self.ask(code=1)
        states = self.states(checks)
        for name in ["source of default", "trip-updates", "alerts bus", "jobs", "certificate", "operators", "port"]:
            self.assertEqual(states[name], "fail", checks)
        self.assertIn("404", checks["source of default"]["sentence"])
        self.assertIn("401", checks["trip-updates"]["sentence"])
        self.assertNotIn("abc", json.dumps(checks))
        self.assertEqual(states["timetable default"], "ok")

    def test_a_timetable_that_is_over_and_one_that_ends_soon(self):
        copy_network(self.folder)
        self.assertEqual(self.ask(code=0, now="2027-09-17T08:00:00Z")["timetable default"]["state"], "warn")
        self.assertEqual(self.ask(code=1, now="2027-10-17T08:00:00Z")["timetable default"]["state"], "fail")

    def test_a_server_that_runs_and_one_without_anything(self):
        checks = self.ask(code=0)
        self.assertEqual(checks["timetables"]["state"], "warn")
        with Server(data(), now=BEGIN) as server:
            self.settings["port"] = server.port
            checks = self.ask(code=0)
            self.assertIn("freshet serves", checks["port"]["sentence"])

    def test_a_clock_that_is_wrong(self):
        copy_network(self.folder)
        archive = Broken(always(reply("200 OK", b"PK", "Date: Wed, 01 Jan 2020 00:00:00 GMT")))
        self.addCleanup(archive.kill_if_alive)
        self.settings["feeds"] = [{"static": archive.url + "/gtfs.zip"}]
        checks = self.ask(code=1)
        self.assertEqual(checks["clock"]["state"], "fail")
        self.assertIn("ahead", checks["clock"]["sentence"])

    def test_few_open_files_are_told(self):
        copy_network(self.folder)
        answer = subprocess.run(
            ["sh", "-c", f'ulimit -n 300; exec "{PROGRAM}" doctor --data "{self.folder}/data" --now {NOW}'],
            capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertIn("warn  open files", answer.stdout)
        self.assertIn("ulimit -n", answer.stdout)

    def test_what_others_may_read_or_write_is_told(self):
        copy_network(self.folder)
        self.settings["feeds"] = [{"tripUpdates": str(self.folder / "none.pb"), "headers": {"Authorization": "Bearer secret-1"}}]
        path = self.folder / "freshet.json"
        path.write_text(json.dumps(self.settings))
        path.chmod(0o644)
        os.chmod(self.folder / "data", 0o777)
        answer = run("doctor", "--config", str(path), "--now", NOW)
        self.assertEqual(answer.returncode, 1)
        self.assertIn("can be read by others", answer.stdout)
        self.assertIn("written by everybody", answer.stdout)
        self.assertNotIn("secret-1", answer.stdout + answer.stderr)

    def test_what_a_server_refuses_is_found_before_it_starts(self):
        copy_network(self.folder)
        self.settings["historyDays"] = 0
        short = self.folder / "short"
        short.write_text("abc")
        jobs = {"folder": str(self.folder / "jobs")}
        for settings, code, name in [
            ({"workspacesHub": str(self.folder / "nohub")}, 66, "worktrees"),
            ({"workspacesHub": str(short)}, 65, "worktrees"),
            ({"receiptKey": str(self.folder / "nokey")}, 66, "receipts"),
            ({"receiptKey": str(short)}, 65, "receipts"),
            ({"trustedProxies": ["banana"]}, 78, "proxies"),
            ({"host": "0.0.0.0", "jobs": jobs}, 78, "jobs' clients"),
            ({"limits": {"conections": 4}}, 78, "limits"),
            ({"limits": {"networkPercent": 101}}, 78, "limits"),
            ({"feeds": [{"alerts": "ftp://example.org/a.pb"}]}, 78, "realtime"),
            ({"jobs": jobs | {"limits": {"row": 4}}}, 78, "jobs' settings"),
            ({"jobs": jobs | {"libraryOwner": "ann"}}, 78, "database"),
            ({"operatorTokenFile": str(self.folder / "notoken")}, 66, "operators"),
            ({"operatorTokenFile": str(short)}, 65, "operators"),
            ({"tls": {"certificate": str(short)}}, 78, "certificate"),
            ({"tls": {"certificate": str(short), "key": str(self.folder / "none")}}, 65, "certificate"),
            ({"tls": {"certificate": str(self.folder / "none"), "key": str(short)}}, 66, "certificate"),
        ]:
            with self.subTest(settings):
                before, self.settings = self.settings, self.settings | settings
                try:
                    path = self.folder / "serve.json"
                    path.write_text(json.dumps(self.settings))
                    refused = run("serve", "--config", str(path))
                    self.assertEqual(refused.returncode, code, refused.stderr)
                    self.assertNotIn("Usage", refused.stderr)
                    checks = self.ask(code=1)
                    self.assertEqual({name for name, check in checks.items() if check["state"] == "fail"}, {name})
                    # In the same words, without the file.
                    said = refused.stderr.strip().splitlines()[-1].removeprefix("freshet serve: ")
                    self.assertEqual(checks[name]["sentence"], said.removeprefix(f"--config {path}: "))
                finally:
                    self.settings = before
        self.ask(code=0)

    def test_a_configuration_that_is_wrong_and_options_that_do_not_fit(self):
        path = self.folder / "wrong.json"
        path.write_text('{"prot": 1}')
        answer = run("doctor", "--config", str(path))
        self.assertEqual(answer.returncode, 78)
        self.assertIn("$.prot", answer.stderr)
        self.assertEqual(run("doctor", "feed.zip", "--config", str(path)).returncode, 64)
        self.assertEqual(run("doctor", "--html", "page.html").returncode, 64)


if __name__ == "__main__":
    unittest.main()
