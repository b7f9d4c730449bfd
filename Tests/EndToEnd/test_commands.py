"""Commands as people type them: with mistakes, with addresses, with --json; and what their help says."""

import functools
import json
import re
import shutil
import subprocess
import threading
import unittest
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from program import LONGEST, PROGRAM, Folder, Server
from sample_network import copy_network
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from terminal import Screen


def setUpModule():
    global folder, server
    folder = Folder()
    unittest.addModuleCleanup(folder.remove)
    server = Server(copy_network(folder.path))
    shutil.make_archive(str(folder / "served/feed"), "zip", folder / "feed")
    unittest.addModuleCleanup(server.__exit__)


#: Commands that print no facts, or print them in the form that they are for.
WITHOUT_JSON = {"serve", "demo", "library export", "workspaces report", "workspaces token"}


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder."""

    def log_message(self, *_: object) -> None:
        pass


class CommandTest(unittest.TestCase):
    def says(self, code: int, *arguments: str) -> str:
        """What a command says that ends with a code."""
        answer = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=LONGEST, check=False)
        self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)
        return answer.stdout + answer.stderr

    def test_a_mistyped_command_is_named_with_the_nearest_one(self):
        self.assertIn('Did you mean "serve"?', self.says(64, "serv"))
        self.assertIn('freshet jobs: there is no command "lst".\nDid you mean "list"?', self.says(64, "jobs", "lst", "--json"))
        self.assertNotIn("Did you mean", self.says(64, "xyzzy"))

    def test_a_server_is_named_as_people_name_it(self):
        address = server.url.removeprefix("http://")
        self.assertIn("Lausanne", self.says(0, "board", "Parent8501120", "--once", "--server", address))
        self.assertEqual(json.loads(self.says(0, "jobs", "list", "--json", "--server", address, "--tokens", f"{folder}/none.json")), [])
        for wrong in ("ftp://localhost", "http://", "a b"):
            self.assertIn("is not an address like http://127.0.0.1:8080", self.says(64, "board", "x", "--server", wrong))

    def test_of_several_stops_a_person_chooses_one(self):
        listed = self.says(1, "board", "gare", "--once", "--server", server.url)
        names = re.findall(r"^  (\S.*?)  +(\S+)$", listed, re.MULTILINE)
        self.assertGreater(len(names), 1)
        self.assertIn('several stops fit "gare"', listed)
        screen = Screen("board", "gare", "--once", "--server", server.url)
        self.addCleanup(screen.close)
        screen.wait_for(r"Which one\?")
        screen.press("99\n")
        screen.wait_for(r"Which one\?[\s\S]*Which one\?")
        screen.press("2\n")
        said = screen.wait_for("destination")
        self.assertIn(names[1][0], said[said.rindex("Which one?"):])
        self.assertEqual(screen.ends(), 0)

    def test_a_timetable_is_imported_from_an_address(self):
        source = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder / "served")))
        threading.Thread(target=source.serve_forever, daemon=True).start()
        self.addCleanup(source.server_close)
        self.addCleanup(source.shutdown)
        address = f"http://127.0.0.1:{source.server_port}"
        data = str(folder / "downloaded")
        self.says(0, "import", f"{address}/feed.zip?key=secret", "--data", data)
        verified = json.loads(self.says(0, "import", "--verify", "--json", "--data", data))
        self.assertEqual([each["key"] for each in verified], ["default"])
        self.assertGreater(verified[0]["departures"], 0)
        said = self.says(66, "import", f"{address}/none.zip?key=secret", "--data", data)
        self.assertIn(f"freshet import: {address}/none.zip: the server answered with status 404", said)
        self.assertNotIn("secret", said)
        self.assertIn("no feed given: expected a zip archive, a folder or a URL", self.says(64, "import", "--data", data))
        self.assertIn("--header is for the URL of a feed", self.says(64, "import", "feed.zip", "--header", "A: b"))
        listed = json.loads(self.says(0, "feeds", "list", "--json", "--data", data))
        self.assertEqual((listed[0]["key"], listed[0]["earlier"]), ("default", 0))

    def test_what_is_not_there_is_not_made(self):
        library = folder / "none.sqlite"
        for command in (["list"], ["export"], ["removed"], ["restore", "1"]):
            self.assertIn("No such file", self.says(66, "library", *command, "--library", str(library)))
        said = self.says(66, "catalogue", "find", "Dune", "--catalogue", str(library))
        self.assertIn(f"freshet catalogue find: {library}: No such file.\nMake the catalogue of Open Library's dump files: ", said)
        self.assertIn(f"freshet catalogue import FILE … --catalogue {library}\n", said)
        self.assertFalse(library.exists())

    def test_books_as_json(self):
        (folder / "books.csv").write_text("Title,Author,ISBN\nDune,Frank Herbert,9780441013593\n")
        library = str(folder / "books.sqlite")
        self.says(0, "library", "import", str(folder / "books.csv"), "--library", library)
        self.assertEqual(
            [json.loads(line) for line in self.says(0, "library", "list", "--json", "--library", library).splitlines()],
            [{"title": "Dune", "authors": ["Frank Herbert"], "isbn": "9780441013593"}],
        )

    def test_books_that_were_removed_as_json(self):
        rows = ["Book Id,Title,Author,ISBN13,My Rating,Exclusive Shelf", "1,Dune,Frank Herbert,9780441013593,5,read",
                "2,Emma,Jane Austen,,4,read", "3,Kindred,Octavia E. Butler,,4,read"]
        library = str(folder / "removed.sqlite")
        for count in (4, 3):
            (folder / "goodreads_library_export.csv").write_text("\n".join(rows[:count]) + "\n")
            self.says(0, "library", "import", str(folder / "goodreads_library_export.csv"), "--library", library)
        removed, = [json.loads(line) for line in self.says(0, "library", "removed", "--json", "--library", library).splitlines()]
        self.assertEqual(removed["title"], "Kindred")
        self.assertRegex(removed["removedAt"], r"^20\d\d-\d\d-\d\dT.*Z$")
        restored = json.loads(self.says(0, "library", "restore", str(removed["number"]), "--json", "--library", library))
        self.assertEqual(restored["title"], "Kindred")

    def test_each_help_has_examples_that_fit_it(self):
        """Every command that does something shows how it is typed, with options that it has."""
        waiting, seen, without = [[]], 0, set()
        while waiting:
            words = waiting.pop()
            text = self.says(0, *words, "--help")
            below = re.findall(r"^  ([a-z]+)(?:  |$)", text[text.index("SUBCOMMANDS:"):], re.MULTILINE) if "SUBCOMMANDS:" in text else []
            waiting += [[*words, each] for each in below]
            if below:
                continue
            seen += 1
            if "  --json  " not in text:
                without.add(" ".join(words))
            command = " ".join(["freshet", *words])
            overview = text[:text.index("USAGE:")]
            examples = [line for line in re.sub(r"\n(?! )", " ", overview).split("\n") if line.startswith(f"  {command}")]
            self.assertTrue(examples, text)
            for option in re.findall(r"(?<= )--[a-z-]+", " ".join(examples)):
                self.assertIn(option, text[text.index("USAGE:"):], command)
        self.assertGreater(seen, 25)
        self.assertEqual(without, WITHOUT_JSON)


if __name__ == "__main__":
    unittest.main()
