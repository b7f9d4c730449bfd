"""A PostgreSQL server for tests, which ends with them."""

from __future__ import annotations

import glob
import shutil
import subprocess
from pathlib import Path

from program import run

SCRIPT = Path(__file__).resolve().parents[1] / "PostgresCluster/cluster"
PSQL = shutil.which("psql") or max(glob.glob("/usr/lib/postgresql/*/bin/psql"), default="psql")


class Database:
    """A server with the tables of freshet, on a Unix socket in a temporary folder, and at an address if there is one."""

    def __init__(self, is_migrated: bool = True, address: str | None = None) -> None:
        self.process = subprocess.Popen(
            [SCRIPT, *([f"listen_addresses={address}"] if address else [])], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        self.url = self.process.stdout.readline().strip()
        assert self.url != "missing", "PostgreSQL is not installed: make test installs Debian's postgresql"
        assert self.url, "PostgreSQL did not start"
        if is_migrated:
            self.migrate()

    def migrate(self, *options: str) -> subprocess.CompletedProcess[str]:
        """Runs freshet migrate."""
        answer = run("migrate", "--database", self.url, *options)
        assert answer.returncode == 0, answer.stderr
        return answer

    def tell(self, word: str) -> None:
        """Stops the server without a word to its clients ("stop"), or kills its processes ("kill"), and starts it again
        ("start"); or suspends it ("pause") and continues it ("resume")."""
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline().strip() == word

    def connections(self) -> int:
        """How many connections freshet has to it."""
        return int(self.ask("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'freshet'"))

    def ask(self, sql: str) -> str:
        """Returns what a statement gives, a row a line."""
        return subprocess.run(
            [PSQL, "-qAtX", "-d", self.url, "-c", sql], capture_output=True, text=True, check=True
        ).stdout.strip()

    def hold(self) -> subprocess.Popen[str]:
        """A client within a transaction: what it locks, by lines on its input, is locked until its input ends."""
        client = subprocess.Popen([PSQL, "-qAtX", "-d", self.url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.say(client, "BEGIN;")
        return client

    @staticmethod
    def say(client: subprocess.Popen[str], statement: str) -> None:
        """Lets a client run a statement without rows, and waits for its end."""
        client.stdin.write(statement + "\n\\echo done\n")
        client.stdin.flush()
        while (line := client.stdout.readline().strip()) != "done":
            assert line or client.poll() is None, statement

    def close(self) -> None:
        """Ends the server and removes all of it."""
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()
