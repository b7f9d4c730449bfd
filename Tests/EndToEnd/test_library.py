"""`freshet library` and `freshet catalogue` on exports with damage and on dumps, from outside."""

import csv
import io
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from contextlib import closing
from pathlib import Path

from program import PROGRAM, limited, run
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401

BOOKS = Path(__file__).resolve().parents[1] / "Books"
sys.path.insert(0, str(BOOKS))

import book_check  # noqa: E402  (beside these tests)
import book_exports  # noqa: E402

ROWS = sized(1_500, long=10_000)
MOST_SECONDS = 10
"""What an import of 10,000 rows may take, in seconds of a processor: a busy machine does not make it longer."""
MOST_MEMORY = 200_000
"""Kilobytes that an import may take, in a debug build."""


class Library(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.library = str(self.path / "library.sqlite")

    def tearDown(self):
        self.folder.cleanup()

    def put(self, name: str, content: bytes) -> str:
        file = self.path / name
        file.write_bytes(content)
        return str(file)

    def take(self, file: str) -> dict:
        """Imports a file; the memory of this one process is part of what comes back."""
        with tempfile.TemporaryFile("w+") as printed:
            process = subprocess.Popen(
                [PROGRAM, "library", "import", file, "--library", self.library, "--json"],
                stdout=printed, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            printed.seek(0)
            text = printed.read()
        self.assertEqual(process.returncode, 0, text)
        self.kilobytes = usage.ru_maxrss
        self.seconds = usage.ru_utime + usage.ru_stime
        return json.loads(text)

    def check(self, service: str) -> None:
        export = book_exports.Export(service, ROWS, seed=11)
        counts = self.take(self.put(f"{service}.csv", export.bytes))
        self.assertGreater(counts.pop("seconds"), 0)
        self.assertEqual(counts, export.counts)
        self.assertLess(self.seconds, MOST_SECONDS)
        self.assertLess(self.kilobytes, MOST_MEMORY)
        database = sqlite3.connect(self.library)
        self.assertEqual(database.execute("SELECT count(*) FROM library").fetchone()[0], export.counts["imported"])
        failures = {str(row): json.loads(problems)[0]["code"] for row, problems in
                    database.execute("SELECT row, problems FROM failed_rows")}
        self.assertEqual(failures, export.failures)
        # A reader that shares nothing with the program says the same.
        second = book_check.Library()
        told = second.take(export.bytes)
        self.assertEqual(counts, told["counts"])
        self.assertEqual({row: [code] for row, code in failures.items()}, told["failures"])
        titles = {title for title, in database.execute("SELECT title FROM library")}
        self.assertLessEqual(len(titles - export.titles), export.counts["imported"] // 100)
        database.close()
        # Again: nothing is new.
        again = self.take(self.put(f"{service}.csv", export.bytes))
        self.assertEqual((again["imported"], again["updated"]), (0, 0))
        self.assertEqual(again["duplicates"], export.counts["imported"] + export.counts["duplicates"])
        again.pop("seconds")
        self.assertEqual(again, second.take(export.bytes)["counts"])
        # Later, with other ratings: each of those books is updated, and no other.
        newer = book_exports.Export(service, ROWS, seed=11, newer=True)
        later = self.take(self.put(f"{service}-newer.csv", newer.bytes))
        later.pop("seconds")
        self.assertEqual(later["updated"], len(newer.changed))
        self.assertEqual(later, second.take(newer.bytes)["counts"])

    def test_goodreads(self):
        self.check("goodreads")

    def test_storygraph(self):
        self.check("storygraph")

    def test_librarything(self):
        self.check("librarything")

    def test_bookwyrm(self):
        self.check("bookwyrm")

    def test_failed_rows_are_corrected_with_pythons_csv_and_imported_again(self):
        for service in book_exports.SERVICES:
            with self.subTest(service):
                self.library = str(self.path / f"{service}.sqlite")
                self.correct(service)

    def correct(self, service: str) -> None:
        export = book_exports.Export(service, sized(400, long=2_000), seed=5)
        mark = export.service.delimiter
        file = self.put(f"{service}.csv", export.bytes)
        second = book_check.Library()
        second.take(export.bytes)
        self.take(file)
        table = Path(file + ".failed.csv").read_bytes()
        rows = list(csv.reader(io.StringIO(table.decode("utf-8-sig"), newline=""), delimiter=mark))
        header, rows = rows[0], rows[1:]
        self.assertEqual(header[:2], ["Import row", "Import problem"])
        self.assertEqual(header[2:], export.service.header)
        self.assertEqual([row[0] for row in rows], sorted(export.failures, key=int))
        title = header.index("Title" if "Title" in header else "title")
        corrected = io.StringIO(newline="")
        writer = csv.writer(corrected, delimiter=mark)
        writer.writerow(header)
        for number, row in enumerate(rows):
            if export.failures[row[0]] == "quote_unclosed":
                # The whole row is one field; a person takes it apart. Here the quote and the delimiter go.
                row = row[:2] + row[2].replace(f'"Open{mark} ', "Open ").split(mark)
            row = row[:len(header)]
            row[title] = row[title].strip() or f"Found again {number}"
            for place, name in enumerate(header):
                if name.lower().startswith("isbn"):
                    row[place] = ""
            writer.writerow(row)
        content = corrected.getvalue().encode()
        counts = self.take(self.put(f"{service}-corrected.csv", content))
        counts.pop("seconds")
        self.assertEqual((counts["rows"], counts["failed"]), (export.counts["failed"], 0))
        self.assertEqual(counts, second.take(content)["counts"])
        # What was corrected is there, and correcting it once more changes nothing.
        again = self.take(self.put(f"{service}-again.csv", content))
        self.assertEqual((again["imported"], again["updated"]), (0, 0))

    def test_a_book_whose_number_is_broken_is_imported_and_keeps_what_stands_there(self):
        rows = ("Dune,Frank Herbert,9780441013594", "Emma,Jane Austen,9.78044E+12", "Kindred,Octavia E. Butler,0807083697",
                "Beloved,Toni Morrison,12345", "Dune Messiah,Frank Herbert,9780593098233", ",Nobody,9780441013594")
        file = self.put("books.csv", ("Title,Author,ISBN13\n" + "\n".join(rows) + "\n").encode())
        counts = self.take(file)
        self.assertEqual((counts["rows"], counts["imported"], counts["failed"]), (6, 5, 1))
        with closing(sqlite3.connect(self.library)) as database:
            told = {row: json.loads(problems) for row, problems in
                    database.execute("SELECT row, problems FROM import_rows WHERE problems <> '[]'")}
        self.assertEqual({row: problems[0]["code"] for row, problems in told.items()}, {
            1: "isbn_checksum", 2: "isbn_excel_damaged", 3: "isbn_checksum", 4: "isbn_length", 6: "title_missing"})
        self.assertEqual((told[1][0]["value"], told[1][0]["proposal"]), ("9780441013594", "9780441013593"))
        # The original text is exported as it came in, and comes back with the same warnings.
        out, other = str(self.path / "out.csv"), str(self.path / "other.sqlite")
        self.assertEqual(run("library", "export", "--library", self.library, "-o", out).returncode, 0)
        with open(out, newline="", encoding="utf-8") as exported:
            self.assertEqual([row["ISBN13"] for row in csv.DictReader(exported)],
                             ["9780441013594", "9.78044E+12", "0807083697", "12345", "9780593098233"])
        counts = json.loads(run("library", "import", out, "--library", other, "--json").stdout)
        self.assertEqual((counts["imported"], counts["failed"]), (5, 0))
        # The right number completes the book.
        counts = self.take(self.put("right.csv", b"Title,Author,ISBN13\nDune,Frank Herbert,9780441013593\n"))
        self.assertEqual(counts["updated"], 1)
        with closing(sqlite3.connect(self.library)) as database:
            self.assertEqual(database.execute("SELECT isbn, isbn_text FROM books WHERE title = 'Dune'").fetchall(),
                             [("9780441013593", None)])

    def test_another_edition_is_another_book_whatever_the_order_of_rows(self):
        first, second, third = "9780441013593", "9780261103573", "9780261102385"
        for number, (rows, imported, books) in enumerate((
            (["", second], 1, {first, second}), ([second, ""], 1, {first, second}), (["", first], 0, {first}),
            (["", second, third, second, ""], 2, {first, second, third}), (["", "", third], 1, {first, third}),
        )):
            with self.subTest(rows):
                self.library = str(self.path / f"{number}.sqlite")
                check = book_check.Library()
                before = f"Title,Author,ISBN13\nEd,Au,{first}\n".encode()
                self.take(self.put("before.csv", before))
                check.take(before)
                content = ("Title,Author,ISBN13\n" + "".join(f"Ed,Au,{isbn}\n" for isbn in rows)).encode()
                counts = self.take(self.put("rows.csv", content))
                counts.pop("seconds")
                self.assertEqual((counts["imported"], counts["duplicates"]), (imported, len(rows) - imported))
                self.assertEqual(counts, check.take(content)["counts"])
                with closing(sqlite3.connect(self.library)) as database:
                    found = {isbn for isbn, in database.execute("SELECT isbn FROM books")}
                self.assertEqual(found, books)

    def test_an_export_of_the_library_is_the_same_library(self):
        export = book_exports.Export("librarything", sized(400, long=1_000), seed=3)
        self.take(self.put("books.tsv", export.bytes))
        out = str(self.path / "out.csv")
        self.assertEqual(run("library", "export", "--library", self.library, "-o", out).returncode, 0)
        with open(out, newline="", encoding="utf-8") as exported:
            rows = list(csv.DictReader(exported))
        self.assertEqual(len(rows), export.counts["imported"])
        other = str(self.path / "other.sqlite")
        answer = run("library", "import", out, "--library", other, "--json")
        counts = json.loads(answer.stdout)
        self.assertEqual((counts["imported"], counts["failed"]), (export.counts["imported"], 0))
        names = "title, authors, isbn, status, rating, shelves, finished, added, publisher, pages, review"
        query = f"SELECT {names} FROM library ORDER BY id"
        self.assertEqual(sqlite3.connect(self.library).execute(query).fetchall(),
                         sqlite3.connect(other).execute(query).fetchall())

    def test_books_with_one_title_stay_apart_in_an_export(self):
        header = "Book Id,Title,Author,ISBN13,My Rating,Exclusive Shelf\n"
        books = [("1", "C", "", "1"), ("2", "C++", "", "2"), ("3", "C#", "", "3"), ("4", "Dune", "", "4"),
                 ("5", "Dune", "9780441013593", "5"), ("6", "Dune", "9780441172719", "1"), ("7", "Dune", "", "2")]
        rows = "".join(f"{entry},{title},A Author,{isbn},{rating},read\n" for entry, title, isbn, rating in books)
        counts = self.take(self.put("goodreads.csv", (header + rows).encode()))
        self.assertEqual(counts["imported"], len(books))
        out = str(self.path / "out.csv")
        self.assertEqual(run("library", "export", "--library", self.library, "-o", out).returncode, 0)
        query = "SELECT title, isbn, rating FROM library ORDER BY id"
        before = sqlite3.connect(self.library).execute(query).fetchall()
        # Into an empty library, into that one again, and into the one that it is of.
        other = str(self.path / "other.sqlite")
        for library in (other, other, self.library):
            answer = run("library", "import", out, "--library", library, "--json")
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertEqual(sqlite3.connect(library).execute(query).fetchall(), before)
        self.assertEqual(json.loads(answer.stdout)["duplicates"], len(books))

    def test_authors_and_shelves_with_separators_in_them_come_back(self):
        header = "Book Id,Title,Author,ISBN13,Exclusive Shelf,Bookshelves\n"
        self.take(self.put("goodreads.csv", (
            header + '1,Why We Can\'t Wait,"Martin Luther King, Jr.",,read,history\n'
            '2,Home,"O\'Brien, Jr., Pat",9780441013593,"sci; fi, old",best\n'
            '3,Odd,"A; B;;C|D;",,read,"a, b"\n4,Emma,Jane Austen,,read,\n').encode()))
        self.take(self.put("numbers.csv", b"ISBN\n9780261103573\n"))
        out = str(self.path / "out.csv")
        self.assertEqual(run("library", "export", "--library", self.library, "-o", out).returncode, 0)
        with open(out, newline="", encoding="utf-8") as exported:
            rows = list(csv.DictReader(exported))
        self.assertEqual([row["Authors"] for row in rows[:2]], ["Martin Luther King, Jr.", "O'Brien, Jr., Pat"])
        query = "SELECT title, authors, isbn, status, shelves FROM library ORDER BY id"
        with closing(sqlite3.connect(self.library)) as database:
            before = database.execute(query).fetchall()
        self.assertIn(("Odd", "A; B;;C|D;", None, "read", "a; b"), before)
        # Into another library, and twice into the one that it came from.
        other = str(self.path / "other.sqlite")
        for library, name in ((other, "imported"), (self.library, "duplicates"), (self.library, "duplicates")):
            counts = json.loads(run("library", "import", out, "--library", library, "--json").stdout)
            self.assertEqual((counts["rows"], counts[name], counts["failed"]), (5, 5, 0), counts)
            with closing(sqlite3.connect(library)) as database:
                self.assertEqual(database.execute(query).fetchall(), before)

    def test_an_export_never_takes_the_place_of_the_library(self):
        self.take(self.put("books.csv", b"Title,Author\nDune,Frank Herbert\n"))
        os.symlink(self.library, self.path / "link.csv")
        os.link(self.library, self.path / "hard.csv")
        with closing(sqlite3.connect(self.library)) as held:
            held.execute("SELECT count(*) FROM library").fetchall()
            for name in ("library.sqlite", "link.csv", "hard.csv", "./library.sqlite", "library.sqlite-wal"):
                answer = run("library", "export", "--library", self.library, "-o", f"{self.path}/{name}")
                self.assertNotEqual(answer.returncode, 0, name)
                self.assertIn("the library itself", answer.stderr)
        self.assertIn("Dune", run("library", "list", "--library", self.library).stdout)
        self.assertEqual([name for name in os.listdir(self.path) if "partial" in name], [])

    def test_an_export_that_fails_leaves_the_old_file(self):
        rows = "".join(f"Book {number} with a title,Author {number}\n" for number in range(3_000))
        self.take(self.put("books.csv", f"Title,Author\n{rows}".encode()))
        out = self.path / "out.csv"
        out.write_text("the old one")
        out.chmod(0o640)
        # The disk is full after 64 KiB.
        failed = subprocess.run(
            limited(1 << 16, "library", "export", "--library", self.library, "-o", out), capture_output=True, text=True)
        self.assertNotEqual(failed.returncode, 0)
        self.assertEqual(out.read_text(), "the old one")
        self.assertEqual([name for name in os.listdir(self.path) if "partial" in name], [])
        link = self.path / "link.csv"
        link.symlink_to(out)
        answer = run("library", "export", "--library", self.library, "-o", str(link))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertTrue(link.is_symlink())
        self.assertEqual(len(out.read_text().splitlines()), 3_001)
        self.assertEqual(out.stat().st_mode & 0o777, 0o640)

    def test_a_list_comes_through_a_pipe(self):
        content = b"Title,Author,ISBN13\nDune,Frank Herbert,9780441013593\n,Bad,9780441013594\n"
        answer = subprocess.run(
            [PROGRAM, "library", "import", "/dev/stdin", "--library", self.library, "--json"], input=content,
            capture_output=True, cwd=self.path, timeout=60)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        counts = json.loads(answer.stdout)
        self.assertEqual((counts["imported"], counts["failed"]), (1, 1))
        self.assertIn("Bad", (self.path / "stdin.failed.csv").read_text())
        shell = subprocess.run(
            ["bash", "-c", f'exec "$0" library import <(cat books.csv) --library "$1" --json', PROGRAM, self.library],
            capture_output=True, cwd=os.path.dirname(self.put("books.csv", content)), timeout=60)
        self.assertEqual(shell.returncode, 0, shell.stderr)
        self.assertEqual(json.loads(shell.stdout)["duplicates"], 1)
        long = subprocess.run(
            [PROGRAM, "library", "import", "/dev/stdin", "--library", self.library],
            input=b"Title\n" + b"x" * 99 + b"\n" * (11 << 20), capture_output=True, timeout=60)
        self.assertNotEqual(long.returncode, 0)
        self.assertIn(b"longer than 10485760 bytes", long.stderr)

    def test_more_rows_are_taken_if_that_is_asked_for(self):
        file = self.put("many.csv", b"Title\n" + b"".join(b"Book %d\n" % number for number in range(10_001)))
        answer = run("library", "import", file, "--library", self.library)
        self.assertNotEqual(answer.returncode, 0)
        self.assertIn("more than 10000 rows; --max-rows allows more, up to 1000000", answer.stderr)
        answer = run("library", "import", file, "--library", self.library, "--json", "--max-rows", "10001")
        self.assertEqual(json.loads(answer.stdout)["imported"], 10_001)
        for number in ("0", "1000001", "many"):
            self.assertNotEqual(run("library", "import", file, "--max-rows", number).returncode, 0)

    def test_headers_with_line_breaks_are_read_and_wide_ones_refused_for_what_they_are(self):
        file = self.put("broken.csv", b'"Book\r\nTitle","Date\nRead",Author\nDune,2024-01-02,Frank Herbert\n,,x\n')
        counts = self.take(file)
        self.assertEqual((counts["imported"], counts["failed"]), (1, 1))
        with closing(sqlite3.connect(self.library)) as database:
            self.assertEqual(database.execute("SELECT title, finished FROM library").fetchall(),
                             [("Dune", "2024-01-02")])
            self.assertEqual(database.execute("SELECT line FROM failed_rows").fetchall(), [(5,)])
        # The failed rows have the same header and are read too.
        counts = self.take(file + ".failed.csv")
        self.assertEqual((counts["rows"], counts["failed"]), (1, 1))
        for content, words in (
            (b"Title," + b",".join(b"c%d" % number for number in range(299)) + b"\nDune\n", "has 300 columns"),
            (b'Title,"Author\nDune,"Frank"\n', "no title"), (b'"Title,Author\nDune,Frank\n', "no title"),
        ):
            answer = run("library", "import", self.put("bad.csv", content), "--library", self.library)
            self.assertNotEqual(answer.returncode, 0)
            self.assertIn(words, answer.stderr)

    def test_bad_files_are_refused_with_what_is_wrong(self):
        for content, words in ((b"", "empty"), (b"PK\x03\x04xx", "Excel"), (b"a,b\n1,2\n", "no title"),
                               (b"Title\n" * 10_002, "10000"), (b"Title\n", "no row")):
            answer = run("library", "import", self.put("bad.csv", content), "--library", self.library)
            self.assertNotEqual(answer.returncode, 0)
            self.assertIn(words, answer.stderr)

    def test_an_import_killed_at_any_moment_leaves_a_sound_library(self):
        export = book_exports.Export("goodreads", sized(1_500, long=5_000), seed=9)
        file = self.put("books.csv", export.bytes)

        def books() -> int:
            """How many books there are so far."""
            try:
                with closing(sqlite3.connect(f"file:{self.library}?mode=ro", uri=True)) as library:
                    return library.execute("SELECT count(*) FROM library").fetchone()[0]
            except sqlite3.Error:
                return 0  # There is no library yet.

        rng = random.Random(9)
        killed = 0
        # Before there is anything, and then after more and more of it.
        for share in (0, 0, 0.2, 0.4, 0.6):
            wanted = share * export.counts["imported"]
            process = subprocess.Popen([PROGRAM, "library", "import", file, "--library", self.library],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while process.poll() is None and not (os.path.exists(self.library) and books() >= wanted):
                time.sleep(0.002)
            time.sleep(rng.random() * 0.03)
            process.kill()
            killed += process.wait() == -signal.SIGKILL
        # One that is fast may be over.
        self.assertGreaterEqual(killed, 2)
        counts = self.take(file)
        self.assertEqual(counts["failed"], export.counts["failed"])
        database = sqlite3.connect(self.library)
        self.assertEqual(database.execute("PRAGMA integrity_check").fetchone()[0], "ok")
        self.assertEqual(database.execute("SELECT count(*) FROM library").fetchone()[0], export.counts["imported"])


class Catalogue(unittest.TestCase):
    def test_dumps_become_a_catalogue_that_finds_books(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([sys.executable, BOOKS / "library_dump.py", folder, sized("800", long="5000")],
                                  capture_output=True, text=True, check=True)
            counts = json.loads(made.stdout)
            files = sorted(str(path) for path in Path(folder).glob("ol_dump_*.txt.gz"))
            catalogue = str(Path(folder) / "catalogue.sqlite")
            answer = run("catalogue", "import", *files, "--catalogue", catalogue)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            self.assertIn(f"{counts['works']} works, {counts['editions']} editions", answer.stdout)
            self.assertIn(f"{counts['rejected']} rejected", answer.stdout)
            answer = run("catalogue", "import", *files, "--catalogue", catalogue, "--json")
            self.assertEqual((answer.returncode, answer.stderr), (0, ""))
            told = json.loads(answer.stdout)
            self.assertEqual({name: told[name] for name in ("works", "editions", "rejected")},
                             {name: counts[name] for name in ("works", "editions", "rejected")})
            self.assertEqual((len(told["examples"]), told["isDoubtful"]), (min(10, counts["rejected"]), False))
            found = run("catalogue", "find", "9780441478125", "--catalogue", catalogue)
            self.assertIn("The Left Hand of Darkness · Ursula K. Le Guin", found.stdout)
            found = run("catalogue", "find", "les miserables", "--author", "Hugo, Victor", "--catalogue", catalogue)
            self.assertIn("Les Misérables", found.stdout)
            unsure = run("catalogue", "find", "Dune", "--catalogue", catalogue)
            self.assertEqual(unsure.returncode, 1)
            self.assertIn("not sure: Dune", unsure.stdout)
            missing = run("catalogue", "find", "Xyzzy", "--catalogue", catalogue)
            self.assertEqual((missing.returncode, missing.stdout, missing.stderr), (1, "not found\n", ""))
            missing = run("catalogue", "find", "Xyzzy", "--json", "--catalogue", catalogue)
            self.assertEqual((missing.returncode, missing.stdout, missing.stderr), (1, "", "not found\n"))
            # A file that is not a dump does not take the place of a good catalogue.
            wrong = Path(folder) / "wrong.csv"
            wrong.write_text("Title,Author\nDune,Frank Herbert\nEmma,Jane Austen\n")
            before = Path(catalogue).read_bytes()
            answer = run("catalogue", "import", str(wrong), "--catalogue", catalogue)
            self.assertNotEqual(answer.returncode, 0)
            self.assertIn("no work and no edition in 3 lines", answer.stderr)
            self.assertEqual(Path(catalogue).read_bytes(), before)
            self.assertFalse(Path(catalogue + ".partial").exists())
            # Some of it: the good lines are taken, and the rest is told of.
            answer = run("catalogue", "import", str(wrong), *files, "--catalogue", catalogue)
            self.assertEqual(answer.returncode, 0)
            self.assertNotIn("may be damaged", answer.stderr)
            wrong.write_text("Title,Author\n" * 1_000)
            answer = run("catalogue", "import", str(wrong), *files, "--catalogue", catalogue)
            self.assertEqual(answer.returncode, 0)
            self.assertRegex(answer.stderr, r"1\d\d\d of \d+ lines were rejected; a file may be damaged or no dump")


if __name__ == "__main__":
    unittest.main()
