"""The page of jobs with servers whose tokens are short-lived and whose pages of results are small."""

from __future__ import annotations

import re
import time
import unittest

from job_stage import TokenOutage, table
from program import until
from test_page_jobs import ENDS, JobsTest, load_tests, setUpModule  # noqa: F401

# How long a token is good, in seconds.
TOKEN = 8


class ShortTokens(JobsTest):
    """Tokens that end long before the job does."""

    OPTIONS = ("--jobs-token-seconds", str(TOKEN))
    EXPECTED = re.compile(r"WebSocket connection|\b503\b|ERR_")

    def test_a_job_outlives_its_tokens_though_renewals_fail(self):
        tab = self.tab
        library = self.lock_library()
        network = TokenOutage(self.server.port, failures=2)
        self.addCleanup(network.close)
        self.open(f"http://127.0.0.1:{network.port}")
        tab.run(ENDS)
        began = time.monotonic()
        self.choose("#table-file", self.file(table(300)))
        until(lambda: network.renewed > 0 and time.monotonic() > began + TOKEN * 1.5)
        self.assertEqual(network.failed, 2)
        network.cut()
        # What a token is good for is used: it is not renewed again and again.
        self.assertLessEqual(network.renewed, 2 + (time.monotonic() - began) / (TOKEN / 2 - 1))
        library.release()
        self.wait("succeeded")
        self.assertEqual(len([end for end in tab.run("window.ends") if end]), 1)
        self.press(".job [data-act=results]")
        tab.wait("document.querySelectorAll('.job tbody tr').length === 50")


class ShortPages(JobsTest):
    """A server that gives few results at a time."""

    LIMITS = {"pageItems": 20, "pageItemsByDefault": 20}

    def test_all_results_are_shown_however_few_come_at_a_time(self):
        tab = self.tab
        self.open()
        self.drop(("books.csv", "text/csv", table(50)))
        self.wait("succeeded")
        self.press(".job [data-act=results]")
        for first, last in ((1, 20), (21, 40), (41, 50)):
            tab.wait(f"document.querySelector('.job [data-part=place]').textContent.startsWith('{first}–{last} ')")
            self.assertEqual(tab.run("document.querySelectorAll('.job tbody tr').length"), last - first + 1)
            if last < 50:
                self.press(".job [data-act=next]")
        self.press(".job [data-act=previous]")
        tab.wait("document.querySelector('.job [data-part=place]').textContent.startsWith('21–40 ')")


if __name__ == "__main__":
    unittest.main()
