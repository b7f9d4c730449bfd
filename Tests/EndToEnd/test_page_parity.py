"""`freshet report parity` on a recording of the web board in Chromium and one of the terminal board, and on fakes of them."""

import unittest

import test_report
from page_recording import USUAL, Storm
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401

PERIOD = sized(1.5, long=5)
"""Seconds between two publications, and the interval of both clients.

Nothing of the report is scaled: its gates know the cadence from the lines. Scripts/parity records at the usual cadence.
"""
POLICY = sized(
    USUAL + ", " + ", ".join(f"{name}: 1_500" for name in ("active", "recent", "idle")) + ", leastInterval: 1_350",
    long='preset: "departuresWeb5s"',
)
"""The page's own policy with that interval; the long one is the engine's preset of five seconds."""
RECORDED = 12
"""Answers of each."""


class BrowserBesideTerminalTest(test_report.RecordedClientsTest):
    """Everything that holds for two recordings holds for those of a page and a terminal."""

    @classmethod
    def setUpClass(cls):
        storm = Storm(PERIOD)
        cls.addClassCleanup(storm.close)
        storm.wait_for_realtime()
        cls.folder = storm.folder
        cls.files = storm.record(600, policy=POLICY, every=PERIOD, answers=RECORDED)

    def test_they_are_of_a_browser_and_of_a_terminal_at_the_same_cadence(self):
        web, native = map(test_report.lines_of, self.files)
        self.assertEqual({record["cadenceMs"] for record in web[1:]}, {round(PERIOD * 1_000)})
        self.assertEqual({record["cadenceMs"] for record in native[1:]}, {round(PERIOD * 1_000)})
        self.assertTrue(all("lang=en" in record["resource"] for record in web))
        self.assertFalse({record["requestId"] for record in web} & {record["requestId"] for record in native})


if __name__ == "__main__":
    unittest.main()
