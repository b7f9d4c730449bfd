"""The web board in a real, headless Chromium."""

import re
import shutil
import subprocess
import tempfile
import unittest

from program import Folder, Server, run, sample


NAMES = ["chromium", "chromium-browser", "google-chrome"]
BROWSER = next((path for path in map(shutil.which, NAMES) if path), NAMES[0])


class PageTest(unittest.TestCase):
    """The page is opened as a browser opens it; what its scripts made of it is read back."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.remove)
        sample(cls.folder / "feed")
        answer = run("import", str(cls.folder / "feed"), "--data", str(cls.folder / "data"))
        assert answer.returncode == 0, answer.stderr
        cls.server = Server(cls.folder / "data")
        cls.addClassCleanup(cls.server.__exit__)

    def open(self, path):
        """The document after the scripts ran, and what the console said."""
        profile = tempfile.mkdtemp(prefix="freshet-chromium-")
        self.addCleanup(shutil.rmtree, profile, True)
        answer = subprocess.run(
            [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             f"--user-data-dir={profile}", "--enable-logging=stderr", "--virtual-time-budget=5000",
             "--dump-dom", self.server.url + path],
            capture_output=True, text=True, timeout=120, check=False,
        )
        console = re.findall(r"CONSOLE[^\]]*\] (.*)", answer.stderr)
        return answer.stdout, console

    def test_a_board_is_drawn_and_the_console_is_silent(self):
        page, console = self.open("/?stop=Parent8501120&lang=en")
        self.assertIn("Lausanne", page)
        self.assertIn("Timetable only", page)
        _, board = self.server.get("/api/stationboard?stop_id=Parent8501120&limit=20&lang=en")
        for departure in board["departures"][2:8]:
            self.assertIn(departure["destination"], page)
        self.assertEqual(console, [])

    def test_every_language_has_its_page(self):
        for language, words in {
            "fr": "Horaire", "de": "Fahrplan", "it": "Orario", "en": "Timetable",
        }.items():
            with self.subTest(language):
                page, console = self.open(f"/?stop=Parent8501008&lang={language}")
                self.assertRegex(page, rf'<html[^>]* lang="{language}"')
                self.assertIn(words, page)
                self.assertEqual(console, [])

    def test_an_unknown_stop_leads_back_to_the_search(self):
        page, _ = self.open("/?stop=nowhere&lang=en")
        self.assertIn("role=\"combobox\"", page)
        self.assertNotIn("undefined", page)


if __name__ == "__main__":
    unittest.main()
