"""A PostgreSQL server of its own for measurements, and connections to it without any library."""

import atexit
import glob
import os
import re
import shutil
import socket
import struct
import subprocess
from pathlib import Path

from stand import HERE

CLUSTER = HERE.parent / "Tests/PostgresCluster/cluster"
TICK = os.sysconf("SC_CLK_TCK")


def tool(name):
    """A program of PostgreSQL, which Debian does not put into the path."""
    found = shutil.which(name) or max(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), default=None)
    if not found:
        raise SystemExit(f"{name} is missing (Debian: postgresql)")
    return found


class Cluster:
    """A server on a Unix socket in a temporary folder; it ends with this process."""

    def __init__(self, *options):
        self.process = subprocess.Popen([CLUSTER, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        start_new_session=True)
        atexit.register(self.stop)
        self.url = self.process.stdout.readline().strip()
        if not self.url.startswith("postgres:"):
            raise SystemExit("PostgreSQL did not start (Debian: postgresql)")
        self.folder = Path(self.url.partition("host=")[2])
        self.pid = int((self.folder / "data/postmaster.pid").read_text().split()[0])

    def processes(self):
        """The ids of the server's processes."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return [self.pid, *map(int, children)]

    def processor(self):
        """Seconds of processor time so far, also of connections that have ended."""
        total = 0
        for number in self.processes():
            try:
                fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            total += sum(map(int, fields[11:15] if number == self.pid else fields[11:13]))
        return total / TICK

    def sql(self, statement):
        """What a statement gives, as text."""
        return subprocess.run([tool("psql"), "-qAtX", "-d", self.url, "-v", "ON_ERROR_STOP=1", "-c", statement],
                              capture_output=True, text=True, check=True).stdout.strip()

    def pgbench(self, script, clients, seconds, *options):
        """Transactions a second of a custom script, and the processor time of the server for one, in seconds."""
        file = self.folder.parent / f"{self.folder.name}.pgbench"
        file.write_text(script)
        try:
            before = self.processor()
            out = subprocess.run(
                [tool("pgbench"), "-n", "-f", file, "-c", str(clients), "-j", "1", "-T", str(seconds), *options, self.url],
                capture_output=True, text=True, check=True).stdout
        finally:
            file.unlink()
        count = int(re.search(r"actually processed: (\d+)", out)[1])
        return float(re.search(r"tps = ([\d.]+)", out)[1]), (self.processor() - before) / count

    def stop(self):
        if not self.process.stdin.closed:
            self.process.stdin.close()
            self.process.wait()


class Wire:
    """A connection that speaks the protocol itself, so that what a client adds is nearly nothing."""

    def __init__(self, cluster):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(next(cluster.folder.glob(".s.PGSQL.*[0-9]"))))
        start = b"".join(text.encode() + b"\0" for text in ("user", "freshet", "database", "postgres", ""))
        self.socket.sendall(struct.pack("!ii", 8 + len(start), 196_608) + start)
        self.rest = b""
        self.read(b"Z")

    def fileno(self):
        return self.socket.fileno()

    def message(self):
        """The next message: its kind and its content."""
        while len(self.rest) < 5 or len(self.rest) < 1 + struct.unpack_from("!i", self.rest, 1)[0]:
            piece = self.socket.recv(1 << 20)
            if not piece:
                raise SystemExit("PostgreSQL closed a connection")
            self.rest += piece
        end = 1 + struct.unpack_from("!i", self.rest, 1)[0]
        kind, content, self.rest = self.rest[:1], self.rest[5:end], self.rest[end:]
        if kind == b"E":
            raise SystemExit(content.replace(b"\0", b" ").decode(errors="replace"))
        return kind, content

    def read(self, last):
        """Messages up to one of a kind."""
        found = []
        while not found or found[-1][0] != last:
            found.append(self.message())
        return found

    def send(self, sql):
        """Sends a statement whose rows come in binary, as freshet's do."""
        def part(kind, content):
            return kind + struct.pack("!i", len(content) + 4) + content

        self.socket.sendall(
            part(b"P", b"\0" + sql.encode() + b"\0\0\0") + part(b"B", b"\0\0\0\0\0\0\0\1\0\1")
            + part(b"E", b"\0\0\0\0\0") + part(b"S", b""))

    def drain(self, count):
        """Reads an answer of about so many bytes without looking at it; how many there were."""
        got = 0
        while True:
            piece = self.socket.recv(1 << 20)
            got += len(piece)
            # ReadyForQuery is the last message of an answer.
            if got >= count and piece.endswith(b"Z\0\0\0\5I"):
                return got

    def discard(self):
        """Reads and drops what comes until the connection is closed."""
        try:
            while self.socket.recv(1 << 16):
                pass
        except OSError:
            pass

    def query(self, sql):
        """Runs a statement."""
        self.send(sql)
        return self.read(b"Z")

    def close(self):
        self.socket.close()
