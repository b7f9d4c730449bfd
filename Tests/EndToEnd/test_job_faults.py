"""What goes wrong around jobs: locked databases, full disks, clocks that are set, servers that die, connections that break."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import unittest
from contextlib import closing
from pathlib import Path

from job_stage import JobServer, LockedLibrary, table
from program import PROGRAM, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401

HERE = Path(__file__).parent


class FaultTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def serve(self, *options: str, **settings) -> JobServer:
        server = JobServer(self.folder, *options, **settings)
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        return server

    def preload(self, name: str) -> str:
        """A library that is loaded before the others, built here."""
        compiler = next(filter(None, map(shutil.which, ["clang", "cc", "gcc"])), None)
        if compiler is None or not sys.platform.startswith("linux"):
            self.skipTest("the program is given other calls of the system on Linux only, and with a C compiler")
        library = self.folder / f"{name}.so"
        built = subprocess.run(
            [compiler, "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, HERE / f"{name}.c", "-ldl"],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(built.returncode, 0, built.stderr)
        return str(library)

    def lock(self, name: str) -> sqlite3.Connection:
        """Locks a database against writing."""
        database = sqlite3.connect(self.folder / "jobs" / name, timeout=60, isolation_level=None, check_same_thread=False)
        database.execute("BEGIN IMMEDIATE")
        self.addCleanup(database.close)
        return database

    def rows(self, query: str) -> list[tuple]:
        with closing(sqlite3.connect(self.folder / "jobs/jobs.sqlite", timeout=60)) as database:
            return database.execute(query).fetchall()

    def refused(self, server: JobServer) -> tuple[int, str, int]:
        status, body, fields = server.ask("POST", "/v1/jobs/csv_import", table(5), Content_Type="text/csv")
        return status, json.loads(body).get("error", ""), int(fields.get("Retry-After", 0))


class Stores(FaultTests):
    def test_a_start_says_that_the_database_is_locked_and_when_to_ask_again(self):
        server = self.serve()
        job = server.start(table(5))
        server.wait(job)
        database = self.lock("jobs.sqlite")
        self.assertEqual(self.refused(server), (503, "store_locked", 5))
        # What is known can be read.
        self.assertEqual(server.state(job)["state"], "succeeded")
        self.assertEqual(server.ask("POST", f"/v1/jobs/{job['jobId']}/token", b"", token=job["token"])[0], 503)
        database.close()
        server.wait(server.start(table(5)))
        self.assertEqual(os.listdir(self.folder / "jobs/inputs").__len__(), 2)

    def test_a_start_says_that_the_disk_is_full_and_nothing_is_left_of_it(self):
        full = self.folder / "full"
        server = self.serve(environment={"LD_PRELOAD": self.preload("full_disk"), "FULL_DISK": str(full)})
        job = server.start(table(5))
        server.wait(job)
        full.touch()
        self.assertEqual(self.refused(server), (507, "storage_full", 30))
        self.assertEqual(server.state(job)["state"], "succeeded")
        full.unlink()
        self.assertEqual(len(os.listdir(self.folder / "jobs/inputs")), 1)
        server.wait(server.start(table(5)))

    def test_a_server_starts_beside_a_program_that_has_locked_its_databases_and_ends_while_a_job_waits(self):
        server = self.serve()
        server.wait(server.start(table(5)))
        server.kill()
        # What a server that was killed has left of a photo goes too.
        left = self.folder / "jobs/scratch/freshet-scan-1"
        left.mkdir()
        (left / "photo").write_bytes(b"a shelf")
        locks = [self.lock("library.sqlite"), self.lock("jobs.sqlite")]
        server = self.serve()
        self.assertEqual(server.get("/v1/capabilities")[0], 200)
        self.assertEqual(os.listdir(self.folder / "jobs/scratch"), [])
        self.assertEqual((self.folder / "jobs/scratch").stat().st_mode & 0o777, 0o700)
        locks[1].close()
        job = server.start(table(20, seed=2))
        until(lambda: server.state(job)["state"] == "running")
        self.assertEqual(server.stop(), 0)
        locks[0].close()
        server = self.serve()
        self.assertEqual(server.wait(job)["state"], "succeeded")

    def test_a_server_that_was_stopped_starts_beside_a_program_that_has_locked_its_databases(self):
        server = self.serve()
        server.wait(server.start(table(5)))
        self.assertEqual(server.stop(), 0)
        # Nothing but the log that stays lets a database be opened that another process has locked.
        locks = [self.lock("library.sqlite"), self.lock("jobs.sqlite")]
        server = self.serve()
        self.assertEqual(server.get("/v1/capabilities")[0], 200)
        locks[1].close()
        job = server.start(table(20, seed=2))
        until(lambda: server.state(job)["state"] == "running")
        locks[0].close()
        self.assertEqual(server.wait(job)["state"], "succeeded")
        self.assertEqual(server.stop(), 0)
        # Everything is in the database itself all the same.
        for name in ("jobs.sqlite", "library.sqlite"):
            with closing(sqlite3.connect(f"file:{self.folder / 'jobs' / name}?immutable=1", uri=True)) as database:
                self.assertEqual(database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        with closing(sqlite3.connect(f"file:{self.folder / 'jobs/library.sqlite'}?immutable=1", uri=True)) as database:
            self.assertEqual(database.execute("SELECT count(*) FROM imports WHERE finished").fetchall(), [(2,)])

    def test_a_job_over_which_the_server_ends_three_times_is_ended_and_the_others_go_on(self):
        server = self.serve("--jobs-running", "1")
        server.wait(server.start(table(5)))
        library = LockedLibrary(self.folder)
        self.addCleanup(library.release)
        job = server.start(table(10, seed=2))
        other = server.start(table(10, seed=3))
        for times in range(1, 4):
            until(lambda: self.rows(f"SELECT 1 FROM job WHERE id = '{job['jobId']}' AND worker <> 0 AND attempt = {times}"))
            server.kill()
            server = self.serve("--jobs-running", "1")
        state = server.wait(job)
        self.assertEqual(state["state"], "failed")
        end = state["events"][-1]["payload"]
        self.assertEqual(end["code"], "job_ends_server")
        self.assertIn("ended 3 times over this job while it was at", end["message"])
        self.assertFalse(end["retryable"])
        library.release()
        self.assertEqual(server.wait(other)["state"], "succeeded")
        # One that goes on is never ended, and a server that is told to stop has not ended over its job.
        library = LockedLibrary(self.folder)
        self.addCleanup(library.release)
        patient = server.start(table(10, seed=4))
        for _ in range(4):
            until(lambda: self.rows(f"SELECT 1 FROM job WHERE id = '{patient['jobId']}' AND worker <> 0"))
            self.assertEqual(server.stop(), 0)
            server = self.serve("--jobs-running", "1")
        library.release()
        self.assertEqual(server.wait(patient)["state"], "succeeded")

    def test_a_clock_that_is_wrong_for_a_while_removes_nothing(self):
        stamp = self.folder / "offset"
        stamp.write_text("+0\n")
        server = self.serve(
            environment={"LD_PRELOAD": self.preload("shifted_clock"), "SHIFTED_CLOCK": str(stamp)}, limits={"sweepSeconds": 1})
        job = server.start(table(5))
        server.wait(job)
        made = {}
        for name, offset in (("back", -2 * 86_400), ("forward", 30 * 86_400)):
            fresh = stamp.with_suffix(".new")
            fresh.write_text(f"{offset:+d}\n")
            fresh.replace(stamp)
            made[name] = server.start(table(5, seed=offset))
            server.wait(made[name])
            # What is too old was looked for twice.
            for _ in range(2):
                seen = self.rows("SELECT at FROM seen")
                until(lambda: self.rows("SELECT at FROM seen") != seen)
        for each in (job, *made.values()):
            status, _, _ = server.ask("GET", f"/v1/jobs/{each['jobId']}/results", token=each["token"])
            self.assertEqual(status, 200)


class BreakingProxy:
    """Passes connections on; of so many starts the answer is thrown away after the server has taken the job."""

    def __init__(self, port: int, breaks: int):
        self.target, self.breaks = port, breaks
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass, args=(client,), daemon=True).start()

    def _pass(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self.target)) as server:
            first = client.recv(65_536)
            isStart = first.startswith(b"POST /v1/jobs/csv_import")
            if isStart and self.breaks > 0:
                self.breaks -= 1
                server.sendall(first)
                client.settimeout(0.5)
                try:
                    while part := client.recv(65_536):
                        server.sendall(part)
                except OSError:
                    pass
                server.recv(65_536)
                return
            server.sendall(first)
            back = threading.Thread(target=self._copy, args=(server, client), daemon=True)
            back.start()
            self._copy(client, server)
            back.join()

    @staticmethod
    def _copy(source: socket.socket, target: socket.socket) -> None:
        try:
            while part := source.recv(65_536):
                target.sendall(part)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self) -> None:
        self.listener.close()


class Starts(FaultTests):
    def begin(self, breaks: int) -> tuple[JobServer, BreakingProxy]:
        server = self.serve()
        proxy = BreakingProxy(server.port, breaks)
        self.addCleanup(proxy.close)
        (self.folder / "books.csv").write_bytes(table(20))
        return server, proxy

    def run_import(self, proxy: BreakingProxy) -> subprocess.CompletedProcess:
        return subprocess.run(
            [PROGRAM, "jobs", "import", self.folder / "books.csv", "--server", f"http://127.0.0.1:{proxy.port}",
             "--tokens", self.folder / "tokens.json"], capture_output=True, text=True, timeout=120, check=False)

    def keys(self) -> list[dict]:
        return json.loads((self.folder / "tokens.json.starts").read_text())

    def test_a_start_whose_answer_is_lost_is_sent_again_and_starts_one_job(self):
        server, proxy = self.begin(2)
        answer = self.run_import(proxy)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertRegex(answer.stderr, r"^freshet jobs import: starting with the key \S+\n")
        self.assertEqual(answer.stderr.count("asked again in"), 2, answer.stderr)
        self.assertEqual(self.rows("SELECT count(*) FROM job"), [(1,)])
        self.assertFalse((self.folder / "tokens.json.starts").exists())

    def test_the_same_command_given_again_finds_the_job_whose_start_was_never_answered(self):
        server, proxy = self.begin(1_000)
        answer = self.run_import(proxy)
        self.assertEqual(answer.returncode, 69, answer.stderr)
        key = self.keys()[0]["key"]
        self.assertEqual((self.folder / "tokens.json.starts").stat().st_mode & 0o777, 0o600)
        self.assertIn(f"the same command, or --idempotency-key {key}, finds it", answer.stderr)
        self.assertIn(f"starting with the key {key}\n", answer.stderr)
        proxy.breaks = 0
        answer = self.run_import(proxy)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn(f"starting with the key {key}\n", answer.stderr)
        self.assertEqual(self.rows("SELECT count(*) FROM job"), [(1,)])
        # Once answered, the same list may be imported again.
        self.assertEqual(self.run_import(proxy).returncode, 0)
        self.assertEqual(self.rows("SELECT count(*) FROM job"), [(2,)])


if __name__ == "__main__":
    unittest.main()
