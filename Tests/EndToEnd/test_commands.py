"""Commands as people type them: with mistakes, with addresses, with --json; and what their help says."""

import functools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import unittest
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from program import LAB, LONGEST, NOW, PROGRAM, Folder, Server
from sample_network import copy_network
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from terminal import Screen
from watching import Broken, always, reply


def setUpModule():
    global folder, server
    folder = Folder()
    unittest.addModuleCleanup(folder.remove)
    server = Server(copy_network(folder.path))
    shutil.make_archive(str(folder / "served/feed"), "zip", folder / "feed")
    unittest.addModuleCleanup(server.__exit__)


#: Commands that print no facts, or print them in the form that they are for.
WITHOUT_JSON = {"serve", "demo", "library export", "workspaces report"}


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder."""

    def log_message(self, *_: object) -> None:
        pass


class CommandTest(unittest.TestCase):
    def says(self, code: int, *arguments: str, program: str = PROGRAM, cwd: str | None = None) -> str:
        """What a command says that ends with a code; some make the default folder of data where they run."""
        answer = subprocess.run(
            [program, *arguments], capture_output=True, text=True, timeout=LONGEST, check=False, cwd=cwd or folder.path,
        )
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
        said = self.says(64, "board", "x", "--server", "https://me:secret@box")
        self.assertIn('"https://…@box" has credentials', said)
        self.assertNotIn("secret", said)

    def test_a_server_that_is_not_there_may_be_started_where_it_is_local(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            closed = f"127.0.0.1:{listener.getsockname()[1]}"
        self.assertIn("Start it with: freshet serve", self.says(69, "board", "x", "--once", "--server", closed))
        self.assertIn("Start it with: freshet serve", self.says(69, "report", "line", "42", "--server", closed))
        self.assertNotIn("Start it with", self.says(69, "board", "x", "--once", "--server", "http://freshet.invalid"))

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
        missing = str(folder / "missing")
        self.assertIn("missing: cannot be read: No such file", self.says(66, "watch", server.url, "--policy", missing))
        self.assertIn("missing: No such file", self.says(66, "feeds", "list", "--data", missing))
        (folder / "garbage").write_text("{")
        for wrong in (["jobs", "list", "--tokens"], ["watch", server.url, "--policy"]):
            self.assertIn("garbage", self.says(65, *wrong, str(folder / "garbage")))
        (folder / "garbage").write_text('[{"server": "http://a", "job": 7, "token": "x"}]')
        self.assertIn("is not a job list", self.says(65, "jobs", "list", "--tokens", str(folder / "garbage")))
        device = folder / "device"
        os.mkfifo(device)
        (folder / "books3.csv").write_text("Title\nDune\n")
        for command in (["list"], ["import", str(folder / "books3.csv"), "--detach", "--server", server.url]):
            self.assertIn("it is not a regular file", self.says(65, "jobs", *command, "--tokens", str(device)))
        self.assertTrue(device.is_fifo())

    def test_no_error_repeats_a_password(self):
        settings = folder / "password.json"
        for command in (["watch"], ["import"], ["feeds", "add"], ["doctor"]):
            # What begins with a slash is a path, where files are named too.
            paths = ["//me:geheim@host/"] if command == ["watch"] else []
            for address in ("ftp://me:geheim@host/x", "http://me:geheim@host:99999/x", *paths):
                with self.subTest(command, address=address):
                    answer = subprocess.run([PROGRAM, *command, address], capture_output=True, text=True, timeout=LONGEST, check=False)
                    self.assertNotEqual(answer.returncode, 0)
                    self.assertNotIn("geheim", answer.stdout + answer.stderr)
        for wrong in (
            {"database": "mysql://me:geheim@host/x"}, {"database": "postgres://me:ge@heim@host/x"}, {"jobs": {"folder": "j", "openLibrary": "ftp://me:geheim@host"}},
            {"feeds": [{"static": "ftp://me:geheim@host/x"}]}, {"feeds": [{"tripUpdates": "ftp://me:geheim@host/x"}]},
        ):
            with self.subTest(wrong):
                settings.write_text(json.dumps(wrong))
                for command in ("serve", "doctor"):
                    answer = subprocess.run(
                        [PROGRAM, command, "--config", settings], capture_output=True, text=True, timeout=LONGEST, check=False, cwd=folder.path,
                    )
                    self.assertIn(answer.returncode, (1, 78), answer.stderr)
                    self.assertNotRegex(answer.stdout + answer.stderr, "geheim|ge@heim|heim@")

    def test_output_that_is_lost_is_a_failure(self):
        (folder / "books2.csv").write_text("Title,Author,ISBN\nDune,Frank Herbert,9780441013593\n")
        library, data = str(folder / "lost.sqlite"), str(folder / "data")
        self.says(0, "library", "import", str(folder / "books2.csv"), "--library", library)
        for command in (
            ["library", "list", "--library", library], ["library", "export", "--library", library],
            ["feeds", "list", "--json", "--data", data], ["feeds", "list", "--data", data],
            ["backup", str(folder / "lost-backup"), "--json", "--data", data],
            ["import", "--verify", "--data", data], ["--version"], ["serve", "--help"],
            ["board", "Parent8501120", "--for", "20", "--server", server.url],
        ):
            with self.subTest(command), open("/dev/full", "w", encoding="utf-8") as full:
                answer = subprocess.run([PROGRAM, *command], stdout=full, stderr=subprocess.PIPE, text=True, timeout=LONGEST, check=False)
                self.assertEqual(answer.returncode, 74, answer.stderr)
                self.assertRegex(answer.stderr, r"^freshet[ a-z]*: standard output: No space left on device\n$")

    def test_a_refusal_has_its_code(self):
        for status, code in (("401 Unauthorized", 77), ("403 Forbidden", 77), ("429 Too Many Requests", 75)):
            refusing = Broken(always(reply(status, b"{}", "Content-Type: application/problem+json")))
            self.addCleanup(refusing.kill_if_alive)
            for command in (["board", "Parent8501120", "--once"], ["workspaces", "--once"], ["report", "line", "42"]):
                with self.subTest(command, status=status):
                    said = self.says(code, *command, "--server", refusing.url)
                    self.assertRegex(said, f"^freshet .*: .*({status[:3]}|refuses|too many).*\n")

    def test_what_a_server_says_moves_no_cursor(self):
        problem = {"error": "x\u001b[2J", "detail": "bad\u001b[2Jthing\nline", "title": "t", "status": 500}
        hostile = Broken(always(reply("500 Internal Server Error", json.dumps(problem).encode(), "Content-Type: application/problem+json")))
        self.addCleanup(hostile.kill_if_alive)
        token = folder / "operator-token"
        token.write_text("0123456789abcdef")
        said = self.says(69, "jobs", "dead", "--operator-token-file", str(token), "--server", hostile.url)
        self.assertIn("bad", said)
        self.assertNotIn("\x1b", said)

    def test_a_reader_that_is_gone_is_not_told(self):
        library = str(folder / "many.sqlite")
        rows = "".join(f"Book {number},Somebody,\n" for number in range(5_000))
        (folder / "many.csv").write_text("Title,Author,ISBN\n" + rows)
        self.says(0, "library", "import", str(folder / "many.csv"), "--library", library)
        for command in ("list", "export"):
            for ignored in (False, True):
                with self.subTest(command, ignored=ignored):
                    listing = subprocess.Popen(
                        [PROGRAM, "library", command, "--library", library], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                        restore_signals=not ignored,
                    )
                    with listing.stdout as out, listing.stderr as errors:
                        out.readline()
                        out.close()
                        self.assertEqual(errors.read(), b"")
                    self.assertIn(listing.wait(LONGEST), (0,) if ignored else (0, -signal.SIGPIPE))

    def test_what_cannot_be_used_is_told_in_a_sentence(self):
        """The exit codes of the documentation, without the names of types and domains, and usage only where usage is wrong."""
        other = folder / "other"
        other.write_text("root:x:0:0\n")
        empty = folder / "empty.sqlite"
        empty.touch()
        (folder / "wrong.json").write_text('{"format": "one"}')
        broken = folder / "broken-backup"
        broken.mkdir(exist_ok=True)
        (broken / "backup.json").write_text('{"format": 1, "program": 7, "madeAt": "", "parts": [], "files": 0}')
        data, none = str(folder / "data"), str(folder / "none")
        for name, text in (("cut", "{"), ("pipe", None), ("wrong", '{"version": 1, "feeds": 7}')):
            (folder / f"manifest-{name}").mkdir(exist_ok=True)
            manifest = folder / f"manifest-{name}/manifest.json"
            os.mkfifo(manifest) if text is None else manifest.write_text(text)
        (folder / "locked-jobs/lock").mkdir(parents=True, exist_ok=True)
        (folder / "nul.json").write_text('{"data": "a\\u0000b"}')
        (folder / "percent.json").write_text('{"limits": {"networkPercent": 101}}')
        for code, words, *command in [
            *((65, "it is not valid JSON, or is cut off; restore it from a backup", *command, "--data", str(folder / "manifest-cut"))
              for command in (["serve", "--port", "0"], ["feeds", "list"], ["import", str(folder / "feed")])),
            (65, "feeds has another type than expected", "feeds", "list", "--data", str(folder / "manifest-wrong")),
            *((66, "manifest.json: cannot be read: it is not a regular file", *command, "--data", str(folder / "manifest-pipe"))
              for command in (["serve", "--port", "0"], ["feeds", "list"])),
            *((78, '$.data: expected a folder, found "a\\u0000b"', command, "--config", str(folder / "nul.json")) for command in ("serve", "doctor")),
            (78, "$.limits.networkPercent: expected a whole number, 1 to 100, found 101", "serve", "--config", str(folder / "percent.json")),
            (73, "lock: cannot be opened: Is a directory", "serve", "--jobs", str(folder / "locked-jobs"), "--data", data, "--port", "0"),
            (73, "x.html: No such file or directory", "doctor", str(folder / "feed"), "--now", NOW, "--html", f"{none}/x.html"),
            (66, "cannot be read: File name too long", "restore", "x" * 300, "--check"),
            (65, "it is not a database", "library", "list", "--library", str(other)),
            (65, "it is empty", "library", "export", "--library", str(empty)),
            (66, "it is not a file", "library", "list", "--library", str(folder.path)),
            (65, "it is not a database", "catalogue", "find", "Dune", "--catalogue", str(other)),
            (66, "No such file", "catalogue", "import", none, "--catalogue", str(folder / "c.sqlite")),
            (73, "", "serve", "--jobs", str(other), "--data", data, "--port", "0"),
            (66, "directory", "serve", "--config", "/"),
            (66, "cannot be read: No such file", "serve", "--operator-token-file", none, "--data", data, "--port", "0"),
            (66, "cannot be read: No such file", "jobs", "dead", "--operator-token-file", none),
            (66, "cannot be read: Is a directory", "workspaces", "--once", "--token-file", str(folder.path)),
            (69, "the name is not known", "serve", "--host", "nonsense.invalid", "--data", data, "--port", "0"),
            (69, "not an address of this machine", "serve", "--host", "192.0.2.1", "--data", data, "--port", "0"),
            (73, "/proc/nope: cannot be created", "serve", "--data", "/proc/nope", "--port", "0"),
            (66, "freshet backup: --config", "backup", str(folder / "b"), "--config", none),
            (65, "backup.json: is damaged: program has another type", "restore", str(broken), "--check"),
            (64, "--prefix is 1 to 32 letters", "import", "feed", "--prefix", "a b", "--data", data),
            (64, "is not an origin", "serve", "--allow-origin", "banana", "--data", data, "--port", "0"),
            (64, "--verify and --remove exclude each other", "import", "--verify", "--remove", "--data", data),
            (64, "Usage: freshet demo ", "demo", "--port", "99999"),
            (69, "no copy was received", "watch", "http://127.0.0.1:1/", "--for", "1"),
        ]:
            with self.subTest(command):
                said = self.says(code, *command)
                self.assertIn(words, said)
                for name in ("Domain", "Error Domain", "errno", "SQLITE", "SELECT", "DecodingError", "codingPath", "SocketAddressError", "history"):
                    self.assertNotIn(name, said.split("Usage:")[0])
                self.assertEqual("Usage:" in said, code == 64, said)
        (folder / "home.csv").write_text("Title,Author,ISBN\nDune,Frank Herbert,9780441013593\n")
        answer = subprocess.run(
            [PROGRAM, "jobs", "import", str(folder / "home.csv"), "--server", server.url], capture_output=True, text=True, timeout=LONGEST,
            check=False, env={**os.environ, "HOME": str(other), "XDG_STATE_HOME": ""})
        self.assertEqual((answer.returncode, "jobs.json cannot be written: Not a directory" in answer.stderr), (73, True), answer.stderr)
        self.assertIn("Usage: freshet-lab sample ", self.says(64, "sample", "--stops", "1", "--out", none, program=LAB))

    def test_a_folder_without_feeds(self):
        empty = folder / "empty"
        empty.mkdir()
        self.assertIn("No feeds in freshet-data; freshet import", self.says(0, "feeds", "list", cwd=str(empty)))
        self.assertEqual(json.loads(self.says(0, "feeds", "list", "--json", cwd=str(empty))), [])
        for command in ("check", "accept", "remove", "rollback"):
            self.says(66, "feeds", command, cwd=str(empty))
            self.assertEqual(list(empty.iterdir()), [], command)

    def test_a_token_as_json(self):
        file = str(folder / "machines")
        made = json.loads(self.says(0, "workspaces", "token", "laptop", "--machines-file", file, "--json"))
        self.assertEqual((made["machine"], len(made["token"])), ("laptop", 64))
        self.assertEqual(json.loads(self.says(0, "workspaces", "token", "laptop", "--machines-file", file, "--remove", "--json")),
                         {"machine": "laptop"})

    def test_completions_have_values(self):
        script = self.says(0, "--generate-completion-script", "bash")
        for values in (("trace", "debug", "info"), ("x-forwarded-for", "forwarded"), ("mesdeparts", "catnip")):
            self.assertIn("$'\\n'".join(f"'{value}'" for value in values), script)

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
                self.assertRegex(text[:text.index("USAGE:")], r"(?m)^  freshet ", text)
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

    def test_each_help_of_the_laboratory_has_examples_that_fit_it(self):
        waiting, seen = [[]], 0
        while waiting:
            words = waiting.pop()
            text = self.says(0, *words, "--help", program=LAB)
            below = re.findall(r"^  ([a-z-]+)(?:  |$)", text[text.index("SUBCOMMANDS:"):], re.MULTILINE) if "SUBCOMMANDS:" in text else []
            waiting += [[*words, each] for each in below]
            if not words:
                continue
            seen += 1
            command = "freshet demo" if words == ["demo"] else " ".join(["freshet-lab", *words])
            overview = re.sub(r"\n(?! )", " ", text[:text.index("USAGE:")])
            examples = [line for line in overview.split("\n") if line.startswith(f"  {command}")]
            self.assertTrue(examples, text)
            for option in re.findall(r"(?<= )--[a-z-]+", " ".join(examples)) if not below else []:
                self.assertIn(option, text[text.index("USAGE:"):], command)
        self.assertGreater(seen, 10)


if __name__ == "__main__":
    unittest.main()
