"""A database whose clients are gone without a word, behind a line that is cut."""

from __future__ import annotations

import subprocess
import time
import unittest

from database import PSQL, Database
from namespaces import Namespace, leave_shared_network
from program import PROGRAM, Folder, Server, until
from sample_network import copy_network

DEAD_PEER = 20.0
"""PostgresClientLimits.deadPeerSeconds."""
SLACK = 10.0
"""What a busy machine may add, in seconds."""


def setUpModule() -> None:
    leave_shared_network()


class PeerTests(unittest.TestCase):
    def setUp(self) -> None:
        try:
            self.line = Namespace()
        except OSError as error:
            self.skipTest(f"no network namespaces: {error}")
        self.addCleanup(self.line.close)
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        copy_network(self.folder / "data")
        self.database = Database(address=self.line.near)
        self.addCleanup(self.database.close)
        self.url = f"postgres://freshet@{self.line.near}/postgres"

    def sessions(self, name: str) -> int:
        """How many sessions of programs in the namespace the database has, by their name."""
        return int(self.database.ask(
            f"SELECT count(*) FROM pg_stat_activity WHERE client_addr = '{self.line.far}' AND application_name = '{name}'"))

    def test_the_sessions_of_a_server_that_is_cut_off_end_soon(self):
        program = self.line.program(self.folder / "program", PROGRAM)
        server = Server(
            self.folder / "data", "--jobs", str(self.folder / "jobs"), "--trip-updates", "http://127.0.0.1:1/x.pb",
            "--database", self.url, program=program, now=None, log_level="critical",
        )
        self.addCleanup(server.__exit__)
        # One that sets no bounds is kept for hours: what follows is not the work of the system.
        other = subprocess.Popen(
            [str(self.line.program(self.folder / "other", PSQL)), "-qAtX", "-d", f"{self.url}?application_name=other"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
        )
        self.addCleanup(other.wait)
        self.addCleanup(other.stdin.close)
        self.addCleanup(other.kill)
        # Listeners, leases and jobs have connections of their own.
        until(lambda: self.sessions("freshet") >= 4 and self.sessions("other") == 1)
        before = self.sessions("freshet")
        began = time.monotonic()
        self.line.cut()
        try:
            until(lambda: self.sessions("freshet") == 0)
            passed = time.monotonic() - began
            self.assertEqual(self.sessions("other"), 1)
        finally:
            self.line.mend()
        print(f"{before} sessions ended {passed:.1f} s after the cut")
        # None of them was closed by its client, whose word did not arrive.
        self.assertGreater(passed, DEAD_PEER / 2)
        self.assertLess(passed, DEAD_PEER + SLACK)
        until(lambda: self.sessions("freshet") > 0)


if __name__ == "__main__":
    unittest.main()
