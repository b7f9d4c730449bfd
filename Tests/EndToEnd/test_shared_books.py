"""Libraries and catalogues that servers share in PostgreSQL: files that overlap, owners, dumps that replace each other."""

from __future__ import annotations

import json
import os
import re
import subprocess
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

from database import PSQL, Database
from job_stage import JobServer, isbn13
from program import PROGRAM, Folder, run, until
from sample_network import copy_network
from scale import sized

ROWS = sized(600, long=5_000)
"""Rows of a file; two files that follow each other have half of them in common."""
GROWING = sized(4_000, long=9_000)
"""Books of a library that was empty."""
LOOK = ["9780441013593"]


def rows(first: int, count: int) -> list[int]:
    return list(range(first, first + count))


def table(numbers: list[int]) -> bytes:
    """Books with numbers of their own; a third of them has no ISBN."""
    lines = ["Title,Author,ISBN13,My Rating"]
    for number in numbers:
        isbn = isbn13(number) if number % 3 else ""
        lines.append(f"Title {number},Author {number % 50},{isbn},{number % 5 + 1}")
    return ("\n".join(lines) + "\n").encode()


def dump(title: str, works: int = 40) -> bytes:
    """A dump of works whose titles have a word in common, one of them with an edition that has the number."""
    lines = []
    for number in range(1, works + 1):
        key = f"/works/OL{number}W"
        authors = [{"author": {"key": "/authors/OL1A"}}]
        value = {"key": key, "title": f"{title} {number}" if number > 1 else title, "authors": authors}
        lines.append(f"/type/work\t{key}\t1\t2020\t{json.dumps(value)}")
    edition = {"title": title, "works": [{"key": "/works/OL1W"}], "isbn_13": LOOK}
    lines.append(f"/type/edition\t/books/OL1M\t1\t2020\t{json.dumps(edition)}")
    lines.append(f"/type/author\t/authors/OL1A\t1\t2020\t{json.dumps({'name': 'Frank Herbert'})}")
    return ("\n".join(lines) + "\n").encode()


class SharedBooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = Database()
        cls.addClassCleanup(cls.database.close)
        cls.boards = Folder()
        cls.addClassCleanup(cls.boards.remove)
        copy_network(cls.boards.path)

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        # Tests of one database at the same time differ in the owner.
        self.owner = self.id().rsplit(".", 1)[1]

    def serve(self, name: str, owner: str | None = None) -> JobServer:
        """A server on the database, with a folder of its own for jobs; the owner is that of the test if none is given."""
        place = self.folder / name
        if not place.exists():
            place.mkdir()
            (place / "data").symlink_to(self.boards / "data")
        server = JobServer(
            place, "--database", self.database.url, "--library-owner", owner or self.owner, limits={"leaseSeconds": 2}
        )
        self.addCleanup(server.__exit__)
        return server

    def hold(self) -> subprocess.Popen[str]:
        """A client within a transaction."""
        client = self.database.hold()
        self.addCleanup(client.stdout.close)
        self.addCleanup(client.wait)
        return client

    def books(self, owner: str | None = None) -> list[dict]:
        """The books of an owner, that of the test if none is given."""
        answer = run("library", "list", "--json", "--database", self.database.url, "--library-owner", owner or self.owner)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        return [json.loads(line) for line in answer.stdout.splitlines()]

    def catalogue(self, command: str, *arguments: str | Path, owner: str | None = None) -> subprocess.CompletedProcess[str]:
        options = ["--database", self.database.url, "--library-owner", owner or self.owner]
        return run("catalogue", command, *map(str, arguments), *options)

    def take(self, title: str, owner: str | None = None) -> None:
        """Makes a catalogue of an owner."""
        file = self.folder / f"{title}.txt"
        file.write_bytes(dump(title))
        answer = self.catalogue("import", file, owner=owner)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("40 works, 1 editions, 1 authors, 1 ISBNs", answer.stdout)

    def enrich(self, server: JobServer) -> tuple[str, str | None]:
        """What becomes of the book with the number, and the title that it has."""
        body = json.dumps({"books": [{"isbn": LOOK[0]}]}).encode()
        job = server.start(body, "batch_enrichment", Content_Type="application/json")
        self.assertEqual(server.wait(job)["state"], "succeeded")
        [item] = server.results(job)
        return item["outcome"], item["value"].get("enriched", {}).get("title")

    def test_files_that_overlap_are_imported_on_two_servers_at_once_and_no_row_is_lost_or_doubled(self):
        servers = [self.serve(f"server{n}") for n in range(2)]
        files = [rows(n * ROWS // 2, ROWS) for n in range(4)]
        start = threading.Barrier(len(files))

        def take(number: int) -> list[dict]:
            server = servers[number % 2]
            start.wait(timeout=60)
            job = server.start(table(files[number]), Idempotency_Key=f"{self.id()} {number}")
            # The other server answers for it too.
            self.assertEqual(servers[1 - number % 2].wait(job)["state"], "succeeded")
            return server.results(job)

        with ThreadPoolExecutor(len(files)) as pool:
            results = list(pool.map(take, range(len(files))))
        union = sorted({number for file in files for number in file})
        for items, file in zip(results, files):
            self.assertEqual([item["value"]["title"] for item in items], [f"Title {number}" for number in file])
            self.assertLessEqual({item["outcome"] for item in items}, {"imported", "duplicate"})
        outcomes = [item["outcome"] for items in results for item in items]
        self.assertEqual(outcomes.count("imported"), len(union))
        self.assertEqual(outcomes.count("duplicate"), sum(map(len, files)) - len(union))
        books = self.books()
        self.assertEqual(sorted(book["title"] for book in books), sorted(f"Title {number}" for number in union))
        stars = {book["title"]: book["stars"] for book in books}
        self.assertEqual(stars, {f"Title {number}": number % 5 + 1 for number in union})

    def test_servers_of_two_owners_share_a_database_and_no_book_and_no_job(self):
        ann, ben = f"{self.owner}.ann", f"{self.owner}.ben"
        servers = {owner: self.serve(owner, owner) for owner in (ann, ben)}
        files = {ann: rows(0, 100), ben: rows(50, 100)}
        jobs = []
        for number in range(3):
            for owner, server in servers.items():
                # The same keys: each owner has its own.
                jobs.append((owner, server.start(table(files[owner]), Idempotency_Key=f"same {number}")))
        self.assertEqual(len({job["jobId"] for _, job in jobs}), len(jobs))
        for owner, job in jobs:
            self.assertEqual(servers[owner].wait(job)["state"], "succeeded")
            other = servers[ben if owner == ann else ann]
            for path in ("", "/results", "/events"):
                status, body, _ = other.ask("GET", f"/v1/jobs/{job['jobId']}{path}", token=job["token"])
                self.assertIn(status, (401, 404), body)
        for owner, file in files.items():
            self.assertEqual([book["title"] for book in self.books(owner)], [f"Title {number}" for number in file])
            mine = [servers[owner].results(job) for each, job in jobs if each == owner]
            self.assertEqual(sorted(len([item for item in items if item["outcome"] == "imported"]) for items in mine), [0, 0, 100])
            text = servers[owner].ask("GET", "/metrics")[1].decode()
            self.assertIn('\nfreshet_jobs{state="succeeded"} 3\n', text)
        self.assertEqual(self.books(f"{self.owner}.carl"), [])

    def test_a_job_waits_for_a_server_of_its_owner(self):
        mine = self.serve("mine")
        other = self.serve("other", f"{self.owner}.other")
        client = self.hold()
        first = mine.start(table(rows(0, 1)))
        self.assertEqual(mine.wait(first)["state"], "succeeded")
        # It waits before its first batch.
        self.database.say(client, f"SELECT id FROM freshet.library WHERE owner = '{self.owner}' FOR UPDATE;")
        job = mine.start(table(rows(1, 9)))
        mine.kill()
        client.stdin.close()
        # The other one looks for jobs, and works on its own.
        its = other.start(table(rows(20, 1)))
        self.assertEqual(other.wait(its)["state"], "succeeded")
        self.assertEqual(len(self.books()), 1)
        again = self.serve("again")
        self.assertEqual(again.wait(job)["state"], "succeeded")
        self.assertEqual([book["title"] for book in self.books()], [f"Title {number}" for number in range(10)])
        self.assertEqual([book["title"] for book in self.books(f"{self.owner}.other")], ["Title 20"])

    def test_a_catalogue_in_the_database_serves_all_servers_and_is_replaced_at_once(self):
        absent = self.catalogue("find", LOOK[0])
        self.assertEqual(absent.returncode, 66)
        self.assertRegex(absent.stderr, rf"freshet catalogue find: the catalogue of {re.escape(self.owner)} in \S+ does not exist\.\n")
        self.assertIn(f"freshet catalogue import FILE … --database URL --library-owner {self.owner}\n", absent.stderr)
        servers = [self.serve(f"server{n}") for n in range(2)]
        # The file in a folder is not asked.
        (self.folder / "file.txt").write_bytes(dump("File"))
        answer = run("catalogue", "import", str(self.folder / "file.txt"), "--catalogue",
                     str(self.folder / "server0/jobs/catalogue.sqlite"))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertEqual({self.enrich(server)[0] for server in servers}, {"failed"})
        self.take("Before")
        self.assertEqual({self.enrich(server) for server in servers}, {("enriched", "Before")})
        found = self.catalogue("find", LOOK[0], "--json")
        self.assertEqual(json.loads(found.stdout)["title"], "Before", found.stderr)
        self.take("After")
        self.assertEqual({self.enrich(server) for server in servers}, {("enriched", "After")})
        # A file that is not a dump replaces nothing.
        wrong = self.folder / "wrong.txt"
        wrong.write_text("what is this\n" * 10)
        answer = self.catalogue("import", wrong)
        self.assertNotEqual(answer.returncode, 0)
        self.assertIn("no work and no edition", answer.stderr)
        self.assertEqual({self.enrich(server) for server in servers}, {("enriched", "After")})
        # Another owner has none, and nothing replaces it.
        other = self.serve("other", f"{self.owner}.other")
        self.assertEqual(self.enrich(other)[0], "failed")
        self.take("Other", owner=f"{self.owner}.other")
        self.assertEqual(self.enrich(other), ("enriched", "Other"))
        self.assertEqual(self.enrich(servers[0]), ("enriched", "After"))

    def test_imports_of_one_catalogue_at_once_take_turns_and_one_that_is_killed_leaves_nothing(self):
        titles = [f"Turn{number}" for number in range(4)]
        with ThreadPoolExecutor(len(titles)) as pool:
            list(pool.map(self.take, titles))
        found = json.loads(self.catalogue("find", LOOK[0], "--json").stdout)
        self.assertIn(found["title"], titles)
        # One waits for a lock on the table of its rows, and is killed there.
        client = self.hold()
        self.database.say(client, "LOCK TABLE freshet.catalogue_isbn IN SHARE MODE;")
        victim = subprocess.Popen(
            [PROGRAM, "catalogue", "import", str(self.folder / f"{titles[0]}.txt"), "--database", self.database.url,
             "--library-owner", self.owner], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(victim.wait)
        waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'freshet.catalogue_isbn'::regclass"
        until(lambda: self.sql(waits) == "1")
        victim.kill()
        victim.wait()
        self.assertEqual(json.loads(self.catalogue("find", LOOK[0], "--json").stdout)["title"], found["title"])
        client.stdin.close()
        client.wait()
        self.take("Last")
        self.assertEqual(json.loads(self.catalogue("find", LOOK[0], "--json").stdout)["title"], "Last")
        self.assertEqual(self.sql(f"SELECT count(*) FROM freshet.catalogue WHERE owner = '{self.owner}'"), "1")
        for part in ("search", "isbn", "edition", "work", "author"):
            self.assertEqual(self.sql(f"SELECT count(*) FROM freshet.catalogue_{part} WHERE catalogue NOT IN "
                                      "(SELECT id FROM freshet.catalogue)"), "0", part)

    def sql(self, statement: str) -> str:
        return subprocess.run(
            [PSQL, "-qAtX", "-d", self.database.url, "-c", statement], capture_output=True, text=True, check=True, timeout=60
        ).stdout.strip()

    def test_a_command_says_that_the_database_has_no_tables_of_its_version(self):
        database = Database(is_migrated=False)
        self.addCleanup(database.close)
        file = self.folder / "file.txt"
        file.write_bytes(dump("None"))
        for command in (("library", "list"), ("catalogue", "find", "Dune"), ("catalogue", "import", str(file))):
            answer = run(*command, "--database", database.url)
            self.assertEqual(answer.returncode, 65, answer.stderr)
            self.assertIn("version 0, and this program needs version 4; run freshet migrate", answer.stderr)
        database.tell("stop")
        answer = run("library", "list", "--database", database.url)
        self.assertEqual(answer.returncode, 69, answer.stderr)

    def test_an_import_reads_what_it_asks_for_before_the_database_has_counted_anything(self):
        # Autovacuum is off here, so nothing ever counts.
        database = Database()
        self.addCleanup(database.close)
        table = self.folder / "books.csv"
        table.write_text("Book Id,Title,Author,ISBN13\n" + "".join(
            f"{book},Title {book},Author {book % 500},{isbn13(book)}\n" for book in range(GROWING)))
        answer = run("library", "import", str(table), "--database", database.url)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn(f"{GROWING} imported", answer.stdout)

        def entries(column: str) -> float:
            total = database.ask(f"SELECT sum({column}) FROM pg_stat_user_indexes WHERE schemaname = 'freshet'")
            return float(total) / GROWING

        # A session counts what it read at its end.
        until(lambda: entries("idx_scan") > 1)
        self.assertLess(entries("idx_tup_read"), 200, "of indexes, for each book; a plan that reads the library reads half of it")

    def test_the_environment_names_the_database_unless_a_file_is_named(self):
        table = self.folder / "books.csv"
        table.write_text("Title,Author\nDune,Frank Herbert\n")
        file = str(self.folder / "books.sqlite")
        owner = ("--library-owner", self.owner)
        with mock.patch.dict(os.environ, DATABASE_URL=self.database.url):
            answer = run("library", "import", str(table), *owner)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            listed = run("library", "list", "--library", file)
            self.assertEqual(listed.returncode, 66, "a file that is named is asked, and is not there")
            self.assertIn("Dune", run("library", "list", *owner).stdout)
            absent = run("catalogue", "find", "Dune", *owner)
            self.assertEqual(absent.returncode, 66, absent.stderr)
            self.assertIn(f"freshet catalogue import FILE … --library-owner {self.owner}\n", absent.stderr)
            self.assertIn(f"--catalogue {file}", run("catalogue", "find", "Dune", "--catalogue", file).stderr)
        self.assertEqual([book["title"] for book in self.books()], ["Dune"])
        with mock.patch.dict(os.environ, DATABASE_URL="mysql://app@db/app"):
            answer = run("library", "list")
            self.assertEqual(answer.returncode, 64, answer.stderr)
            self.assertIn("DATABASE_URL: expected postgres://", answer.stderr)
            self.assertIn("; --library FILE uses a file instead", answer.stderr)
            self.assertEqual(run("library", "list", "--library", file).returncode, 66)
        for command in (("library", "list", "--library"), ("catalogue", "find", "Dune", "--catalogue")):
            answer = run(*command, file, "--database", self.database.url)
            self.assertEqual(answer.returncode, 64, answer.stderr)
            self.assertIn(f"{command[-1]} names a file and --database a database; name one of them", answer.stderr)

    def test_a_name_that_is_not_that_of_an_owner_is_refused_before_anything_is_done(self):
        place = str(self.folder / "jobs")
        for name in ("a b", "-x", "ä", "x" * 201, "a/b"):
            for command in (
                ("library", "list", "--database", self.database.url), ("catalogue", "find", "Dune", "--database", self.database.url),
                ("serve", "--jobs", place, "--database", self.database.url),
            ):
                answer = run(*command, f"--library-owner={name}")
                self.assertEqual(answer.returncode, 64, answer.stderr)
                self.assertIn("--library-owner: expected 1 to 200 characters", answer.stderr)
        for command in (("library", "list"), ("catalogue", "find", "Dune"), ("serve", "--jobs", place, "--port", "0")):
            answer = run(*command, "--library-owner", "ann")
            self.assertEqual(answer.returncode, 64, answer.stderr)
            self.assertIn("name it with --database", answer.stderr)
        answer = run("serve", "--database", self.database.url, "--port", "0", "--library-owner", "ann")
        self.assertEqual(answer.returncode, 64, answer.stderr)
        self.assertIn("--library-owner is for the books of jobs; name a folder with --jobs", answer.stderr)
        settings = self.folder / "settings.json"
        settings.write_text(json.dumps({"jobs": {"folder": place, "database": self.database.url, "libraryOwner": "a b"}}))
        answer = run("serve", "--config", str(settings), "--port", "0")
        self.assertEqual(answer.returncode, 78, answer.stderr)
        self.assertIn("$.jobs.libraryOwner: expected 1 to 200 characters", answer.stderr)
        self.assertFalse(Path(place).exists())


if __name__ == "__main__":
    unittest.main()
