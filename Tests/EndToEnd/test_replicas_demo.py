"""Scripts/replicas: three servers behind a balancer, of which some are killed."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import unittest
from pathlib import Path

from program import Folder, until

SCRIPT = Path(__file__).resolve().parents[2] / "Scripts/replicas"
BOARD = "/api/stationboard?stop_id=Parent8501120&limit=2"


class ReplicasTests(unittest.TestCase):
    def setUp(self) -> None:
        self.parent = Folder()
        self.addCleanup(self.parent.remove)
        # PostgreSQL has its folder in there, and is another user's if the tests run as root.
        self.parent.path.chmod(0o755)
        self.folder = self.parent / "replicas"

    def call(self, *words: str, code: int = 0) -> str:
        """Runs the script; what it says."""
        answer = subprocess.run(
            [SCRIPT, *words, "--folder", str(self.folder)], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)
        return answer.stdout + answer.stderr

    def start(self) -> None:
        """Starts all of it; after the test, whatever is left of it is ended."""
        self.addCleanup(subprocess.run, [SCRIPT, "stop", "--folder", str(self.folder)], capture_output=True, check=False)
        said = self.call("start", "--port", "0")
        self.port = int(re.search(r"balancer +http://127\.0\.0\.1:(\d+)/", said)[1])
        self.numbers = self.processes()
        # The script, three servers, the producer and PostgreSQL.
        self.assertGreaterEqual(len(self.numbers), 6)

    def processes(self) -> list[int]:
        """Processes that have the folder in their arguments."""
        found = subprocess.run(["pgrep", "-f", "--", str(self.folder)], capture_output=True, text=True, check=False).stdout
        return [int(number) for number in found.split()]

    def ask(self, **fields: str) -> tuple[int, dict[str, str], bytes]:
        """A board, by way of the balancer."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        line.request("GET", BOARD, headers={name.replace("_", "-"): value for name, value in fields.items()})
        answer = line.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read()
        line.close()
        return found

    def check_over(self) -> None:
        """Nothing is left."""
        until(lambda: not self.processes())
        self.assertFalse(self.folder.exists())
        self.assertEqual(self.call("status", code=1), "replicas: nothing runs; Scripts/replicas start\n")

    def test_boards_go_on_while_replicas_are_killed(self):
        self.start()
        # Each replica gives the same board.
        self.assertEqual({self.ask()[1]["X-Replica"] for _ in range(6)}, {"1", "2", "3"})
        for victim, others in (("1", {"2", "3"}), ("3", {"2"})):
            said = self.call("kill", victim)
            self.assertRegex(said, rf"(?s)replica {victim} is killed.*200, by replica")
            answers = [self.ask() for _ in range(6)]
            self.assertEqual({status for status, _, _ in answers}, {200})
            self.assertEqual({fields["X-Replica"] for _, fields, _ in answers}, others)
        self.assertIn("error: replica 1 does not run", self.call("kill", "1", code=1))
        self.assertIn("error: there is no replica 4", self.call("kill", "4", code=1))
        # Another one polls, and what it fetches is shown.
        before = self.ask()[1]["x-md-rt-fetched-at"]
        until(lambda: self.ask()[1].get("x-md-rt-fetched-at", "") > before)
        until(lambda: "polls alerts, trip-updates, vehicle-positions" in self.call("status"))
        # A tag is known to a replica that was started after it was given.
        self.call("start")

        def is_known_to_all() -> bool:
            tag = self.ask()[1]["ETag"]
            answers = [self.ask(If_None_Match=tag) for _ in range(6)]
            self.assertEqual({fields["X-Replica"] for _, fields, _ in answers}, {"1", "2", "3"})
            return {status for status, _, _ in answers} == {304}

        until(is_known_to_all)
        self.assertIn("stopped", self.call("stop"))
        self.check_over()

    def test_a_stream_is_passed_on(self):
        self.start()
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        self.addCleanup(line.close)
        line.request("GET", BOARD.replace("?", "/stream?"))
        answer = line.getresponse()
        said = b""
        while b"event: snapshot" not in said:
            piece = answer.read1(65_536)
            self.assertTrue(piece, said)
            said += piece
        self.call("stop")
        # It ends with its replica.
        while answer.read1(65_536):
            pass
        self.check_over()

    def test_nothing_outlives_the_process_that_has_all_of_it(self):
        self.start()
        first = min(self.numbers, key=lambda number: Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[19])
        os.kill(first, signal.SIGKILL)
        until(lambda: not self.processes())
        self.assertEqual(self.call("stop"), "the folder is removed\n")
        self.check_over()

    def test_who_starts_it_twice_at_once_has_it_once(self):
        self.addCleanup(subprocess.run, [SCRIPT, "stop", "--folder", str(self.folder)], capture_output=True, check=False)
        first = subprocess.Popen(
            [SCRIPT, "start", "--port", "0", "--folder", str(self.folder)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        until(lambda: (self.folder / "replicas.log").exists())
        second = self.call("start", "--port", "0")
        said = first.communicate()[0]
        self.assertEqual(first.returncode, 0, said)
        address = re.search(r"balancer +http://\S+", said)[0]
        self.assertEqual(second, address + "\n")
        self.assertIn("stopped", self.call("stop"))
        self.check_over()

    def test_what_is_interrupted_leaves_nothing(self):
        first = subprocess.Popen(
            [SCRIPT, "start", "--port", "0", "--folder", str(self.folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertRegex(first.stdout.readline(), "^database ")
        first.send_signal(signal.SIGINT)
        self.assertEqual(first.communicate()[1], "interrupted; what was started ends\n")
        self.assertEqual(first.returncode, 130)
        self.check_over()

    def test_what_cannot_be_is_refused(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            self.assertEqual(
                self.call("start", "--port", port, code=1), f"error: port {port}: Address already in use; choose another one with --port\n")
        self.check_over()
        for words in (["start", "--port", "99999"], ["kill"], ["kill", ""], ["kill", "1 2"], ["stop", "1"]):
            self.assertIn("replicas: error: ", self.call(*words, code=2))
        self.start()
        # A word that no command of the script sends ends nothing.
        for line in (b"\n", b"kill\n", b"kill 1 2\n"):
            with socket.socket(socket.AF_UNIX) as control, control.makefile("rb") as answer:
                control.connect(str(self.folder / "control"))
                control.sendall(line)
                self.assertRegex(answer.read(), rb"^error: there is no command")
        self.assertEqual({self.ask()[1]["X-Replica"] for _ in range(6)}, {"1", "2", "3"})
        self.assertIn("stopped", self.call("stop"))
        self.check_over()

    def test_a_folder_of_something_else_is_left_alone(self):
        self.folder.mkdir()
        (self.folder / "precious").write_text("precious")
        for word in ("start", "stop"):
            self.assertIn("is not a folder of Scripts/replicas", self.call(word, code=1))
        self.assertEqual((self.folder / "precious").read_text(), "precious")


if __name__ == "__main__":
    unittest.main()
