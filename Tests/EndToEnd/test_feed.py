"""freshet-lab feed and freshet-lab record, as a person types them."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import unittest
import urllib.request

from program import LAB, NOW, Folder, run
from sample_network import copy_network
from side_by_side import load_side_by_side as load_tests  # noqa: F401


class FeedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.remove)
        cls.data = cls.folder / "data"
        copy_network(cls.folder.path)

    def feed(self, *options: str) -> tuple[subprocess.Popen, str]:
        process = subprocess.Popen(
            [LAB, "feed", "--data", str(self.data), "--port", "0", "--now", NOW, *options],
            stdout=subprocess.PIPE, text=True,
        )

        def end():
            process.kill()
            process.wait()
            process.stdout.close()

        self.addCleanup(end)
        return process, process.stdout.readline().split()[1].rsplit("/", 1)[0]

    def test_alerts_about_agencies_name_those_of_the_timetable(self):
        with open(self.folder / "feed" / "agency.txt", newline="") as file:
            known = {row["agency_id"] for row in csv.DictReader(file)}
        named = set()
        for seed in range(1, 6):
            _, url = self.feed("--scenario", "storm", "--seed", str(seed))
            with urllib.request.urlopen(f"{url}/alerts.json") as answer:
                for entity in json.load(answer)["entity"]:
                    for selector in entity["alert"].get("informed_entity", []):
                        named.add(selector.get("agency_id"))
        named.discard(None)
        self.assertTrue(named)
        self.assertLessEqual(named, known)

    def test_a_recording_says_what_it_does_and_ends_with_ctrl_c(self):
        _, url = self.feed("--period", "0.2")
        file = self.folder / "typed.rec"
        with subprocess.Popen(
            [LAB, "record", "--trip-updates", f"{url}/trip-updates.pb", "--into", str(file),
             "--trip-updates-every", "0.2"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        ) as process:
            self.assertIn(str(file), process.stdout.readline())
            self.assertIn("200 new", process.stdout.readline())
            process.send_signal(signal.SIGINT)
            rest = process.stdout.read()
            self.assertEqual(process.wait(timeout=60), 0)
        self.assertIn("freshet serve --replay", rest.splitlines()[-1])

    def test_an_address_without_its_scheme_is_an_error_that_says_so(self):
        for text in ("127.0.0.1:8090/t.pb", "localhost/t.pb"):
            answer = run("record", "--trip-updates", text, "--into", str(self.folder / "x.rec"))
            self.assertEqual(answer.returncode, 64)
            self.assertIn(f"http://{text}", answer.stderr)
            self.assertFalse((self.folder / "x.rec").exists())

    def test_a_port_that_is_taken_says_what_to_do(self):
        _, url = self.feed()
        port = url.rsplit(":", 1)[1]
        answer = run("feed", "--data", str(self.data), "--port", port)
        self.assertEqual(answer.returncode, 69)
        self.assertIn("--port", answer.stderr)
        self.assertIn(port, answer.stderr)


if __name__ == "__main__":
    unittest.main()
