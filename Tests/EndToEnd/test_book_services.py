"""Enrichment and scans with catalogues and services that have trouble, over HTTP."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.request
import zlib
from pathlib import Path
from unittest import mock

from job_stage import JobServer
from program import run
from side_by_side import load_side_by_side as load_tests  # noqa: F401

BOOKS = Path(__file__).resolve().parents[1] / "Books"
TOKEN = "only for this test"
#: Held by the test that sets a variable of the environment while it starts a server.
ENVIRONMENT = threading.Lock()


class Service:
    """One of the services of Tests/Books."""

    def __init__(self, program: str, *arguments: str):
        self.process = subprocess.Popen(
            [sys.executable, BOOKS / program, *arguments], stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{self.process.stdout.readline().strip()}"

    def requests(self) -> list:
        """What was asked so far."""
        with urllib.request.urlopen(self.url + "/requests") as answer:
            return json.loads(answer.read())

    def stop(self) -> None:
        """Ends it."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def troubles(*words: str) -> list[str]:
    return [part for word in words for part in ("--trouble", word)]


def photo(number: int) -> bytes:
    """A PNG of 64 by 64 points that is like no other."""
    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    rows = b"".join(b"\0" + bytes([(number * 7 + row) % 256] * 64) for row in range(64))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 64, 64, 8, 0, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def form(photos: list[bytes]) -> tuple[bytes, str]:
    """A form with photos as its files."""
    parts = b"".join(
        f'--part\r\nContent-Disposition: form-data; name="photo"; filename="{number}.png"\r\n'
        "Content-Type: image/png\r\n\r\n".encode() + content + b"\r\n" for number, content in enumerate(photos))
    return parts + b"--part--\r\n", "multipart/form-data; boundary=part"


class Services(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """A catalogue with the books that a dump of Open Library has, for tests to copy."""
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        dump = Path(folder.name) / "dump"
        subprocess.run([sys.executable, BOOKS / "library_dump.py", dump, "200"], capture_output=True, check=True)
        cls.imported = Path(folder.name) / "catalogue.sqlite"
        answer = run("catalogue", "import", *sorted(map(str, dump.glob("*.gz"))), "--catalogue", str(cls.imported))
        assert answer.returncode == 0, answer.stderr

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "jobs").mkdir()

    def service(self, program: str, *arguments: str) -> Service:
        service = Service(program, *arguments)
        self.addCleanup(service.stop)
        return service

    def serve(self, *options: str, token: str = "") -> JobServer:
        """A server with, or without, a token for the service that reads photos."""
        with ENVIRONMENT, mock.patch.dict(os.environ, {"FRESHET_VISION_TOKEN": token} if token else {}):
            # What becomes of one attempt: retries of jobs have tests of their own.
            server = JobServer(self.folder, *options, **({} if "--config" in options else {"limits": {"attemptsOfJob": 1}}))
        self.addCleanup(server.stop)
        return server

    def catalogue(self) -> None:
        """Gives the server the catalogue."""
        shutil.copy(self.imported, self.folder / "jobs/catalogue.sqlite")

    def enrich(self, server: JobServer, *books: dict) -> list[dict]:
        """The results of looking books up."""
        job = server.start(json.dumps({"books": list(books)}).encode(), "batch_enrichment",
                           Content_Type="application/json")
        self.assertEqual(server.wait(job)["state"], "succeeded")
        return server.results(job)

    def scan(self, server: JobServer, *photos: bytes) -> tuple[dict, list[dict]]:
        """How a scan ended, and its results."""
        content, kind = form(list(photos))
        job = server.start(content, "ai_scan", Content_Type=kind)
        state = server.wait(job)
        return state, server.results(job) if state["state"] == "succeeded" else []

    # A new catalogue

    def test_a_catalogue_that_is_imported_while_the_server_runs_serves_the_next_job(self):
        server = self.serve()
        place = str(self.folder / "jobs/catalogue.sqlite")

        def known(*titles: str) -> list[str | None]:
            items = self.enrich(server, *({"title": title, "author": "Au Thor"} for title in titles))
            return [item["outcome"] for item in items]

        def dump(title: str) -> None:
            lines = [("author", 1, {"name": "Au Thor"}),
                     ("work", 2, {"title": title, "authors": [{"author": {"key": "/authors/OL1A"}}]})]
            file = self.folder / "ol_dump.txt"
            file.write_text("".join(
                f"/type/{kind}\t/{kind}s/OL{number}{kind[0].upper()}\t1\t2020-01-01T00:00:00\t{json.dumps(said)}\n"
                for kind, number, said in lines))
            answer = run("catalogue", "import", str(file), "--catalogue", place)
            self.assertEqual(answer.returncode, 0, answer.stderr)

        first, second = "The First Summer", "Another Winter"
        self.assertEqual(known(first, second), ["failed", "failed"])
        dump(first)
        taken = known(first, second)
        self.assertNotEqual(taken[0], "failed")
        self.assertEqual(taken[1], "failed")
        dump(second)
        taken = known(first, second)
        self.assertEqual(taken[0], "failed")
        self.assertNotEqual(taken[1], "failed")
        # A file that is not a catalogue does not replace one.
        Path(place + ".new").write_text("nothing of the kind")
        os.replace(place + ".new", place)
        self.assertNotEqual(known(second)[0], "failed")
        descriptors = f"/proc/{server.process.pid}/fd"
        if os.path.isdir(descriptors):
            links = []
            for name in os.listdir(descriptors):
                try:
                    links.append(os.readlink(f"{descriptors}/{name}"))
                except FileNotFoundError:
                    continue
            self.assertLessEqual(len({link for link in links if "catalogue.sqlite" in link}), 1, links)

    # Open Library

    def test_what_the_catalogue_does_not_know_the_service_is_asked_until_it_answers(self):
        self.catalogue()
        library = self.service("open_library.py", *troubles("503", "429-later", "slow", "cut", "500"))
        server = self.serve("--open-library", library.url)
        items = self.enrich(
            server, {"title": "Dune", "isbn": "9780441013593"}, {"title": "Dune", "author": "Frank Herbert"})
        self.assertEqual([item["value"]["provider"] for item in items], ["dump", "dump"])
        self.assertEqual(library.requests(), [], "who is known at home is not asked for elsewhere")
        began = time.monotonic()
        items = self.enrich(server, {"title": "No Title At All", "author": "No Title"})
        self.assertEqual(items[0]["outcome"], "failed")
        # 503, then 429 with `Retry-After: 1`, then an answer that is slow: three attempts, and the wait is kept.
        self.assertEqual(len(library.requests()), 3)
        self.assertGreaterEqual(time.monotonic() - began, 1)

    def test_trouble_costs_its_own_book_only_and_says_what_it_was(self):
        # No catalogue: everything is asked of the service, one question after the other.
        library = self.service("open_library.py", *troubles("garbage"))
        server = self.serve("--open-library", library.url)
        dune = {"title": "Dune", "author": "Frank Herbert"}
        items = self.enrich(server, {"title": "Les Misérables", "author": "Victor Hugo"})
        self.assertEqual((items[0]["outcome"], items[0]["problems"][0]["code"]), ("failed", "provider_unreadable"))
        items = self.enrich(server, dune, {"title": "Nobody Wrote This"}, dune)
        self.assertEqual([item["outcome"] for item in items], ["enriched", "failed", "enriched"])
        self.assertEqual(items[1]["problems"][0]["code"], "not_found")
        self.assertEqual(items[0]["value"]["enriched"]["isbn"], "9780441013593")
        self.assertEqual(items[0]["value"]["provider"], "openlibrary")
        # The same question is asked once.
        self.assertEqual(sum("title=Dune&" in path for path in library.requests()), 1)

    def test_a_service_that_wants_to_be_left_alone_for_long_is(self):
        library = self.service("open_library.py", *troubles("429-tomorrow"))
        server = self.serve("--open-library", library.url)
        # A day later is too late: the job ends all the same.
        items = self.enrich(server, {"title": "Dune", "author": "Frank Herbert"})
        self.assertEqual((items[0]["outcome"], items[0]["problems"][0]["code"]), ("failed", "provider_busy"))
        self.assertTrue(items[0]["problems"][0]["retryable"])
        # It is so for later jobs, and their items say it.
        items = self.enrich(server, {"title": "Kindred"}, {"title": "Emma"})
        for item in items:
            self.assertEqual(item["problems"][0]["code"], "provider_busy")
            self.assertIn("asked us to retry after", item["problems"][0]["message"])
        self.assertEqual(len(library.requests()), 1)

    # A vision model

    def vision(self, seen: dict[bytes, list], *words: str) -> tuple[JobServer, Service]:
        """A server whose photos a service reads."""
        self.catalogue()
        books = {hashlib.sha256(content).hexdigest(): list for content, list in seen.items()}
        service = self.service("vision_service.py", json.dumps(books), "--token", TOKEN, *troubles(*words))
        return self.serve("--vision", service.url + "/v1/books", token=TOKEN), service

    def test_books_are_approved_from_the_threshold_on_and_else_wait_for_a_look(self):
        first, second = photo(1), photo(2)
        box = {"x": 0.1, "y": 0.2, "width": 0.05, "height": 0.6}
        server, _ = self.vision({
            first: [
                {"title": "Dune", "author": "Frank Herbert", "confidence": 0.93, "boundingBox": box},
                {"title": "Kindred", "author": "Octavia E. Butler", "confidence": 0.8},
                {"title": "Piranesi", "author": "Susanna Clarke", "confidence": 0.79},
                {"title": "Neuromancer", "author": "William Gibson"},
                {"title": "Beloved", "author": "Somebody Else", "confidence": 0.99},
                {"title": "A Book That Nobody Knows", "author": "Nobody", "confidence": 0.99},
                {"author": "no title"},
            ],
            second: [
                {"isbn": "978-0-441-01359-3", "confidence": 97},
                {"title": "Piranesi", "author": "Susanna Clarke", "confidence": "0.95"},
            ],
        })
        state, items = self.scan(server, first, second)
        outcomes = {item["value"]["title"]: item["outcome"] for item in items}
        self.assertEqual(outcomes, {
            "Dune": "approved", "Kindred": "approved", "Piranesi": "approved", "Neuromancer": "needs_review",
            "Beloved": "needs_review", "A Book That Nobody Knows": "needs_review",
        })
        found = {item["value"]["title"]: item for item in items}
        # The same book in two photos is one, with what the surer one says.
        self.assertEqual(len(items), 6)
        self.assertEqual(found["Dune"]["value"]["confidence"], 0.97)
        self.assertEqual(found["Piranesi"]["value"]["photo"], 1)
        self.assertEqual(found["Neuromancer"]["problems"][0]["code"], "confidence_unknown")
        self.assertEqual(found["Beloved"]["problems"][0]["code"], "match_unsure")
        self.assertEqual(found["A Book That Nobody Knows"]["problems"][0]["code"], "not_found")
        summary = state["events"][-1]["payload"]["summary"]
        self.assertEqual((summary["approved"], summary["needsReview"], summary["photosProcessed"]), (3, 3, 2))

    def test_a_busy_service_is_asked_again_when_it_says(self):
        shelf = photo(3)
        server, service = self.vision(
            {shelf: [{"title": "Dune", "author": "Frank Herbert", "confidence": 1}]}, "429-later", "503", "slow")
        state, items = self.scan(server, shelf)
        self.assertEqual([item["outcome"] for item in items], ["approved"])
        asked = service.requests()
        self.assertEqual([request["status"] for request in asked], [429, 503, 200])
        self.assertGreaterEqual(asked[1]["at"] - asked[0]["at"], 1)
        self.assertEqual(state["progress"], 1)

    def test_wrong_answers_cost_their_own_photo_only(self):
        photos = [photo(number) for number in range(10, 15)]
        books = {content: [{"title": "Dune", "author": "Frank Herbert", "confidence": 1}] for content in photos}
        server, service = self.vision(books, "garbage", "list", "huge", "400")
        _, items = self.scan(server, *photos)
        self.assertEqual([item["outcome"] for item in items], ["failed"] * 4 + ["approved"])
        self.assertEqual(
            [item["problems"][0]["code"] for item in items[:4]],
            ["scan_answer_unreadable"] * 3 + ["scan_unavailable"])
        self.assertEqual(len(service.requests()), 5, "what another attempt cannot mend is not asked for again")

    def test_a_scan_of_which_no_photo_can_be_read_fails_and_says_why(self):
        shelf = photo(4)
        server, service = self.vision({shelf: []}, "429-tomorrow")
        state, _ = self.scan(server, shelf)
        self.assertEqual(state["state"], "failed")
        end = state["events"][-1]["payload"]
        self.assertIn("answers with 429", json.dumps(end))
        self.assertTrue(end["retryable"])
        self.assertEqual(len(service.requests()), 1)

    def test_another_token_is_refused_and_never_told_of(self):
        shelf = photo(5)
        service = self.service("vision_service.py", "{}", "--token", "another")
        server = self.serve("--vision", service.url, token=TOKEN)
        state, _ = self.scan(server, shelf)
        self.assertEqual(state["state"], "failed")
        self.assertIn("401", json.dumps(state["events"][-1]))
        self.assertNotIn(TOKEN, json.dumps(state))

    def test_the_service_may_stand_in_the_configuration(self):
        service = self.service("vision_service.py", "{}", "--token", "another")
        settings = self.folder / "freshet.json"
        settings.write_text(json.dumps({"jobs": {"vision": service.url + "/v1/books"}}))
        state, _ = self.scan(self.serve("--config", str(settings)), photo(6))
        self.assertEqual(state["state"], "failed")
        self.assertEqual([each["status"] for each in service.requests()], [401])


if __name__ == "__main__":
    unittest.main()
