"""`freshet-lab report parity` on a recording of the web board in Chromium and one of the terminal board, and on fakes of them."""

import json
import unittest

import test_report
from page_recording import USUAL, Storm
from program import run
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401

PERIOD = sized(1.5, long=5)
"""Seconds between two publications, and the interval of both clients.

Nothing of the report is scaled: its gates know the cadence from the lines. Scripts/parity records at the usual cadence.
"""
POLICY = sized(
    USUAL + ", " + ", ".join(f"{name}: 1_500" for name in ("active", "recent", "idle")) + ", leastInterval: 1_350",
    long='preset:"departuresWeb5s"',
)
"""The page's own policy with that interval; the long one is the engine's preset of five seconds."""
RECORDED = 12
"""Answers of each."""


class BrowserBesideTerminalTest(test_report.RecordedClientsTest):
    """Everything that holds for two recordings holds for those of a page and a terminal."""

    EVERY = PERIOD

    @classmethod
    def setUpClass(cls):
        storm = Storm(PERIOD, poll=PERIOD / 2)
        cls.addClassCleanup(storm.close)
        storm.wait_for_realtime()
        cls.folder, cls.key = storm.folder, storm.key
        cls.files = storm.record(600, policy=POLICY, every=PERIOD, answers=RECORDED)

    def test_they_are_of_a_browser_and_of_a_terminal_at_the_same_cadence(self):
        web, native = map(test_report.lines_of, self.files)
        self.assertEqual({record["cadenceMs"] for record in web[1:]}, {round(PERIOD * 1_000)})
        self.assertEqual({record["cadenceMs"] for record in native[1:]}, {round(PERIOD * 1_000)})
        self.assertTrue(all("lang=en" in record["resource"] for record in web))
        self.assertFalse({record["requestId"] for record in web} & {record["requestId"] for record in native})

    def verified(self, *files):
        """The failed gates with receipts, the mechanism table's apart."""
        file = self.work / "verified.json"
        answer = run("report", "parity", *map(str, files), "--json", str(file), "--every", f"{PERIOD:g}", "--receipts", str(self.key))
        report = json.loads(file.read_text())
        self.assertEqual(report["cannotBeTold"], [], answer.stdout)
        return {name: findings for name, findings in self.failed(report).items() if name != "mechanisms"}

    def test_every_answer_carries_a_receipt_and_each_follows_the_one_before(self):
        self.assertEqual(self.verified(*self.files), {})
        web, native = map(test_report.lines_of, self.files)
        self.assertTrue(all(";c=page;" in record["receipt"] for record in web))
        self.assertTrue(all(";c=program;" in record["receipt"] for record in native))
        self.assertTrue(all(f";n={record['generation']};p=" in record["receipt"] for record in web[1:] + native[1:]))

    def test_with_receipts_nothing_can_be_edited_left_out_or_copied(self):
        edits = {
            "an age and its source time": lambda lines: lines[5].update(
                rtFetchedAt=lines[5]["rtFetchedAt"] + 500, rtCacheAgeMs=lines[5]["rtCacheAgeMs"] - 500),
            "a stop": lambda lines: [line.update(asked="Parent8503000") for line in lines],
            "an answer left out": lambda lines: (lines.pop(4), [line.update(generation=n) for n, line in enumerate(lines, 1)]),
            "a request id": lambda lines: lines[3].update(requestId="invented"),
            "a receipt left out": lambda lines: lines[3].pop("receipt"),
        }
        for place in (0, 1):
            for name, edit in edits.items():
                with self.subTest(name, client=place):
                    files = list(self.files)
                    lines = test_report.lines_of(files[place])
                    edit(lines)
                    files[place] = self.work / "edited.jsonl"
                    test_report.write(files[place], lines)
                    self.assertIn("receipts", self.verified(*files))
        # Two recordings of one kind of client are not a page beside a terminal.
        self.assertIn("page_and_program", self.verified(self.files[1], self.files[1]))
        # Another key verifies nothing.
        (self.work / "other.key").write_text("another key of another server")
        answer = run("report", "freshness", str(self.files[0]), "--receipts", str(self.work / "other.key"))
        self.assertEqual(answer.returncode, 1, answer.stdout)
        self.assertIn("or of another key", answer.stdout)


if __name__ == "__main__":
    unittest.main()
