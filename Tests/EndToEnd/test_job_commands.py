"""`freshet jobs` as a person types it, and what `freshet serve` is told of jobs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from job_stage import JobServer, RawSocket, isbn13, table
from program import PROGRAM, Server, run, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401

BOOKS = Path(__file__).resolve().parent.parent / "Books"
# The system's Python draws photos: it has python3-pil.
DRAWS = next(
    (python for python in (sys.executable, "/usr/bin/python3")
     if subprocess.run([python, "-c", "import PIL"], capture_output=True, check=False).returncode == 0), None,
)
READS = shutil.which("zbarimg") and shutil.which("tesseract")


class OpenLibrary:
    """A server that answers like Open Library, with some trouble first."""

    def __init__(self, *trouble: str):
        options = [part for word in trouble for part in ("--trouble", word)]
        self.process = subprocess.Popen(
            [sys.executable, BOOKS / "open_library.py", *options], stdout=subprocess.PIPE, text=True
        )
        self.url = f"http://127.0.0.1:{int(self.process.stdout.readline())}"

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class CommandTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def serve(self, *options: str) -> JobServer:
        server = JobServer(self.folder, *options)
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        self.options = ["--server", server.url, "--tokens", f"{self.folder}/tokens.json"]
        return server

    def jobs(self, *words: str, code: int = 0) -> str:
        """What a command says; it ends with a code."""
        answer = run("jobs", *words, *self.options)
        self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)
        return answer.stdout + answer.stderr

    def test_rows_without_anything_are_neither_success_nor_failure(self):
        server = self.serve()
        book = self.folder / "books.csv"
        rows = [f"Book {number},Author,{isbn13(number)},3" for number in range(10)]
        rows[3:3] = [",,,", ",,,"]
        rows.append(f",Author,{isbn13(7)[:-1]}{(int(isbn13(7)[-1]) + 1) % 10},0")
        book.write_text("\n".join(["Title,Author,ISBN13,My Rating", *rows]) + "\n")
        said = self.jobs("import", str(book))
        succeeded, whole = map(int, re.search(r"(\d+) of (\d+) succeeded", said).groups())
        counts = {name: int(count) for name, count in re.findall(r"^  (\w+): (\d+)$", said, re.M)}
        self.assertEqual(counts["blank"], 2)
        self.assertEqual((sum(counts.values()), counts["failed"]), (13, 1))
        self.assertEqual((succeeded, whole), (13 - 2 - counts.get("failed", 0), 11))
        credential = json.loads(Path(f"{self.folder}/tokens.json").read_text())[0]
        state = server.state({"jobId": credential["job"], "token": credential["token"]})
        summary = state["events"][-1]["payload"]["summary"]
        self.assertEqual(summary["successCount"] + summary["failureCount"], summary["totalProcessed"])
        self.assertEqual(state["status"], f"done: {succeeded} of {whole} succeeded")

    def test_a_job_that_failed_before_its_first_row_has_no_numbers_and_jobs_stand_in_columns(self):
        self.serve()
        notes = self.folder / "notes.csv"
        notes.write_bytes(b"\x00\x01\x02 nothing that is a table")
        said = self.jobs("import", str(notes), code=1)
        self.assertRegex(said, r"(?m)^\w{8} failed$")
        self.assertIn("(file_not_text)", said)
        books = self.folder / "books.csv"
        books.write_bytes(table(20))
        self.assertIn(" of 20 succeeded", self.jobs("import", str(books)))
        lines = self.jobs("list").splitlines()
        self.assertEqual({line.index(name) for line, name in zip(lines, ("books.csv", "notes.csv"))}, {lines[0].index("books.csv")})
        self.assertTrue(all("  import  " in line for line in lines), lines)

    def test_a_job_that_is_stopped_says_how_far_it_came(self):
        server = self.serve()
        books = self.folder / "books.csv"
        # It may be over before it hears of it.
        for seed in range(5):
            books.write_bytes(table(10_000, seed=seed))
            with subprocess.Popen([PROGRAM, "jobs", "import", str(books), *self.options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as command:
                said = []
                for line in command.stderr:
                    said.append(line)
                    if re.match(r"[1-8]\d % ", line):
                        entry = json.loads((self.folder / "tokens.json").read_text())[0]
                        server.ask("POST", f"/v1/jobs/{entry['job']}/cancel", b"", token=entry["token"])
                        break
                said += command.stderr.readlines()
                ended = command.stdout.read()
            # The percents are those of the rows.
            for line in said:
                if found := re.match(r"(\d+) % .*?([\d,]+) of ([\d,]+)", line):
                    percent, done, total = (int(number.replace(",", "")) for number in found.groups())
                    self.assertEqual(percent, done * 100 // total, line)
            if "canceled" in ended:
                break
        self.assertRegex(ended, r"(?m)^\w{8} canceled in [\d.]+ s after [\d,]+ of 10,000: [\d,]+ succeeded$")

    def test_a_table_comes_through_a_pipe(self):
        server = self.serve()
        answer = subprocess.run(
            [PROGRAM, "jobs", "import", "/dev/stdin", *self.options], input=b"Title,Author\nDune,Frank Herbert\n",
            capture_output=True, timeout=60)
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
        self.assertIn(b"1 of 1 succeeded", answer.stdout)
        self.assertIn("there is no such file", self.jobs("import", f"{self.folder}/none.csv", code=66))
        self.assertIn("that is a folder", self.jobs("import", str(self.folder), code=66))
        server.stop()

    def test_books_are_enriched_from_the_catalogue_and_then_from_a_server(self):
        made = self.folder / "dump"
        made.mkdir()
        subprocess.run([sys.executable, BOOKS / "library_dump.py", made, "50"], capture_output=True, check=True)
        files = sorted(str(path) for path in made.glob("ol_dump_*.txt.gz"))
        (self.folder / "jobs").mkdir()
        answer = run("catalogue", "import", *files, "--catalogue", str(self.folder / "jobs/catalogue.sqlite"))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        library = OpenLibrary("503", "429-later", "garbage")
        self.addCleanup(library.stop)
        server = self.serve("--open-library", library.url)
        said = self.jobs("enrich", "978-0-441-01359-3", "Les Misérables / Victor Hugo", "No such book at all / Nobody")
        self.assertIn("2 of 3 succeeded", said)
        self.assertIn("enriched: 2", said)
        self.assertIn("failed: 1", said)
        self.assertIn("No such book at all", said)
        results = [json.loads(line) for line in self.jobs("results", "--json").splitlines()]
        self.assertEqual([item["outcome"] for item in results], ["enriched", "enriched", "failed"])
        self.assertIn("Dune", json.dumps(results[0], ensure_ascii=False))
        self.assertEqual(len([json.loads(line) for line in self.jobs("results", "--outcome", "failed", "--json").splitlines()]), 1)
        # From a file, and not waited for.
        listed = self.folder / "list.json"
        listed.write_text(json.dumps({"books": [{"title": "Kindred", "author": "Octavia E. Butler"}]}))
        job = json.loads(self.jobs("enrich", "--file", str(listed), "--detach", "--json"))["job"]
        self.assertIn("1 of 1 succeeded", self.jobs("watch", job))
        self.assertRegex(self.jobs("list"), r"(?m)^\w{8}  \d{4}-\d\d-\d\d \d\d:\d\d  enrich  ")
        # What cannot be asked is said at once, by the server and in its words.
        listed.write_text(json.dumps({"books": [{"title": "x" * 501}]}))
        self.assertIn("books[0].title is longer than 500", self.jobs("enrich", "--file", str(listed), code=65))
        listed.write_text("{")
        self.assertIn("line 1, column 2", self.jobs("enrich", "--file", str(listed), code=65))
        self.assertIn("there is no such file", self.jobs("enrich", "--file", "/no/such/file", code=66))
        self.jobs("enrich", code=64)
        self.assertEqual(server.stop(), 0)
        self.assertIn(server.url.removeprefix("http://"), self.jobs("list", code=69))

    @unittest.skipUnless(DRAWS and READS, "python3-pil, zbar-tools and tesseract-ocr are needed")
    def test_a_shelf_is_scanned(self):
        made = self.folder / "dump"
        made.mkdir()
        subprocess.run([sys.executable, BOOKS / "library_dump.py", made, "50"], capture_output=True, check=True)
        (self.folder / "jobs").mkdir()
        files = sorted(str(path) for path in made.glob("ol_dump_*.txt.gz"))
        answer = run("catalogue", "import", *files, "--catalogue", str(self.folder / "jobs/catalogue.sqlite"))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        photo, second = self.folder / "shelf.jpg", self.folder / "more.jpg"
        subprocess.run(
            [DRAWS, BOOKS / "shelf_photo.py", photo, "--spine", "Kindred|Octavia E. Butler",
             "--spine", "Quite Another Book|Nobody Known", "--barcode", "9780441013593"], check=True,
        )
        subprocess.run([DRAWS, BOOKS / "shelf_photo.py", second, "--barcode", "9780441478125"], check=True)
        server = self.serve()
        said = self.jobs("scan", str(photo), str(second), "--json")
        messages = [json.loads(line) for line in said.splitlines() if line.startswith("{")]
        end = messages[-1]
        self.assertEqual((end["type"], end["pipeline"]), ("job_complete", "ai_scan"))
        summary = end["payload"]["summary"]
        self.assertEqual(summary["photosProcessed"], 2)
        self.assertEqual(summary["approved"] + summary["needsReview"], summary["totalDetected"])
        self.assertGreaterEqual(summary["approved"], 2)
        results = [json.loads(line) for line in self.jobs("results", "--json").splitlines()]
        approved = json.dumps([item for item in results if item["outcome"] == "approved"])
        self.assertIn("Dune", approved)
        self.assertIn("The Left Hand of Darkness", approved)
        self.assertIn("more.jpg", self.jobs("list"))
        # A file that is not a photo fails its job, and the message says so.
        broken = self.folder / "broken.jpg"
        broken.write_bytes(b"this is no photo")
        self.jobs("scan", str(broken), code=1)
        self.assertIn("there is no such file", self.jobs("scan", "/no/such/photo.jpg", code=66))
        self.assertEqual(server.stop(), 0)


class ServeTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_file_says_what_options_do_not(self):
        path = self.folder / "settings.json"
        settings = {
            "data": str(self.folder / "data"), "allowedHosts": ["books.example"],
            "jobs": {"folder": str(self.folder / "jobs"), "keptSeconds": 77, "tokenSeconds": 88, "running": 3,
                     "limits": {"csvRows": 4, "photos": 2}, "queryTokens": True, "openLibrary": "http://127.0.0.1:9"},
        }
        path.write_text(json.dumps(settings))
        with Server(self.folder / "data", "--config", str(path), "--jobs-kept", "66", now=None) as server:
            server.folder = self.folder
            status, told = server.get("/v1/capabilities")
            self.assertEqual(status, 200)
            limits = told["limits"]
            self.assertEqual(limits["results"]["keptSeconds"], 66, "the option wins")
            self.assertEqual(limits["tokens"]["seconds"], 88)
            self.assertEqual(limits["jobs"]["running"], 3)
            self.assertEqual((limits["csv_import"]["maxRows"], limits["ai_scan"]["maxPhotos"]), (4, 2))
            job = json.loads(JobServer.ask(server, "POST", "/v1/jobs/csv_import", table(3), Content_Type="text/csv")[1])
            self.assertEqual(server.get(f"/v1/jobs/{job['jobId']}?token={job['token']}")[0], 200)
            for host, status in (("books.example:81", 200), ("127.0.0.1", 200), ("evil.example", 421)):
                self.assertEqual(JobServer.ask(server, "GET", "/v1/capabilities", Host=host)[0], status, host)
            server.stop()
        path.write_text(json.dumps({"jobs": {"limits": {"rows": 4}}}))
        answer = run("serve", "--config", str(path), "--port", "0")
        self.assertEqual(answer.returncode, 78, answer.stderr)
        self.assertNotIn("Usage", answer.stderr)
        self.assertIn("$.jobs.limits.rows: expected one of attemptsOfJob, authorCharacters", answer.stderr)
        for jobs, place in (
            ({"folder": 7}, "$.jobs.folder"), ({"running": 0}, "$.jobs.running"), ({"queryTokens": "yes"}, "$.jobs.queryTokens"),
            ({"runing": 4}, "$.jobs.runing"), ({"openLibrary": "ftp://h"}, "$.jobs.openLibrary"), ([], "$.jobs"),
        ):
            path.write_text(json.dumps({"jobs": jobs}))
            answer = run("serve", "--config", str(path), "--port", "0")
            self.assertEqual(answer.returncode, 78, answer.stderr)
            self.assertIn(place, answer.stderr)

    def test_on_every_address_a_server_wants_to_know_its_names(self):
        for host in ("0.0.0.0", "::"):
            answer = run(
                "serve", "--data", str(self.folder / "data"), "--jobs", str(self.folder / "jobs"), "--host", host, "--port", "0",
            )
            self.assertEqual(answer.returncode, 64, answer.stdout + answer.stderr)
            self.assertIn(f"--jobs on {host} needs --allow-host", answer.stderr)
        process = subprocess.Popen(
            [os.environ["FRESHET"], "serve", "--data", str(self.folder / "data"), "--jobs", str(self.folder / "jobs"),
             "--host", "0.0.0.0", "--port", "0", "--allow-host", "books.example"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        port = None
        while port is None:
            line = process.stdout.readline()
            self.assertTrue(line)
            port = re.search(r"Serving http://0\.0\.0\.0:(\d+)/", line)
        server = type("", (), {"url": f"http://127.0.0.1:{port.group(1)}"})
        for host, wanted in (("books.example", 200), ("localhost", 200), ("evil.example", 421), ("192.0.2.1", 421)):
            self.assertEqual(JobServer.ask(server, "GET", "/v1/capabilities", Host=host)[0], wanted, host)

    def test_metrics_count_jobs(self):
        server = JobServer(self.folder)
        self.addCleanup(lambda: server.process.poll() is None and server.stop())

        def metrics() -> dict[str, float]:
            text = server.ask("GET", "/metrics")[1].decode()
            return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in text.splitlines() if line[:1] != "#"}

        before = metrics()
        self.assertEqual(before['freshet_jobs{state="succeeded"}'], 0)
        # It goes on when the socket was heard.
        library = server.lock_library()
        self.addCleanup(library.release)
        job = server.start(table(300), Idempotency_Key="k")
        server.start(table(300), Idempotency_Key="k")
        server.ask("POST", "/v1/jobs/csv_import", b"", Content_Type="text/csv")
        socket = RawSocket(server.port, job)
        socket.send(1, b"{}")
        until(lambda: metrics()["freshet_job_notices_total"] == 1)
        library.release()
        self.assertEqual(socket.close_code(), 1000)
        state = server.wait(job)
        server.ask("GET", f"/v1/jobs/{job['jobId']}/events", token=job["token"])
        after = metrics()
        self.assertEqual(after['freshet_jobs{state="succeeded"}'], 1)
        self.assertEqual(after['freshet_job_starts_total{outcome="started"}'], 1)
        self.assertEqual(after['freshet_job_starts_total{outcome="repeated"}'], 1)
        self.assertEqual(after['freshet_job_starts_total{outcome="refused"}'], 1)
        self.assertEqual(after['freshet_job_endings_total{ending="succeeded"}'], 1)
        events = sum(value for name, value in after.items() if name.startswith("freshet_job_events_total"))
        self.assertEqual(events, state["lastSeq"])
        self.assertEqual(after["freshet_job_notices_total"], 1)
        self.assertEqual(after['freshet_job_socket_closes_total{code="1000"}'], 1)
        self.assertEqual(after['freshet_job_listeners{transport="websocket"}'], 0)
        self.assertGreaterEqual(after['freshet_job_messages_total{transport="websocket"}'], 1)
        self.assertEqual(after['freshet_job_messages_total{transport="sse"}'], state["lastSeq"])
        self.assertEqual((after["freshet_jobs_running"], after["freshet_jobs_stuck"]), (0, 0))


if __name__ == "__main__":
    unittest.main()
