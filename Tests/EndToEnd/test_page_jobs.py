"""The page of jobs in a real, headless Chromium."""

from __future__ import annotations

import base64
import json
import re
import shutil
import tempfile
import time
import unittest
from pathlib import Path

from job_stage import BrokenNetwork, JobServer, LockedLibrary, isbn13, table
from program import until
from scale import sized
from side_by_side import SideBySide
from work_stage import LANGUAGES, WorkPageTest, answer_of, browser

LEFT = ("0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011", "0110111", "0001011")
CARD = "document.querySelector('.job')"
ENDS = """
window.ends = [];
new MutationObserver(() => window.ends.push(document.querySelector('#announcement').textContent)).observe(document.querySelector('#announcement'), { childList: true, characterData: true, subtree: true });
"""


def bars(isbn: str) -> str:
    """The bars of an EAN-13 that begins with 9, from left to right."""
    right = ["".join("10"[int(bar)] for bar in code) for code in LEFT]
    first = [LEFT[int(digit)] if kind == "L" else right[int(digit)][::-1] for digit, kind in zip(isbn[1:7], "LGGLGL")]
    return "101" + "".join(first) + "01010" + "".join(right[int(digit)] for digit in isbn[7:]) + "101"


class Tabs(SideBySide):
    """Tests that run at the same time, each in a tab of one browser."""

    most = 5


def setUpModule() -> None:
    browser()


def load_tests(loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: str | None) -> SideBySide:
    return Tabs([tests])


class JobsTest(WorkPageTest):
    """A server with jobs."""

    OPTIONS: tuple[str, ...] = ()
    LIMITS: dict[str, int] | None = None
    #: Whether the tests of the class have one server together: none of them stops it or makes its jobs wait.
    IS_SHARED = False

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        if cls.IS_SHARED:
            folder = tempfile.TemporaryDirectory()
            cls.addClassCleanup(folder.cleanup)
            cls.server = JobServer(folder.name, *cls.OPTIONS, limits=cls.LIMITS)
            cls.addClassCleanup(cls.server.__exit__)

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        if not self.IS_SHARED:
            self.server = JobServer(folder.name, *self.OPTIONS, limits=self.LIMITS)
            self.addCleanup(self.server.__exit__)
        # The tab goes before the server does.
        super().setUp()

    def lock_library(self) -> LockedLibrary:
        """Makes imports wait for as long as a test wants."""
        library = self.server.lock_library()
        self.addCleanup(library.release)
        return library

    def open(self, base: str | None = None) -> None:
        self.go(f"{base or self.server.url}/jobs?lang=en")
        self.tab.wait("document.querySelector('#start-limits').textContent !== ''")

    def choose(self, selector: str, *files: Path) -> None:
        """Chooses files as a person would."""
        root = self.tab.call("DOM.getDocument")["root"]["nodeId"]
        node = self.tab.call("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.tab.call("DOM.setFileInputFiles", nodeId=node, files=[str(file) for file in files])

    def drop(self, *files: tuple[str, str, bytes]) -> None:
        """Drops files: name, type, content."""
        for name, kind, content in files:
            self.tab.run(f"""(window.dropped ??= new DataTransfer()).items.add(new File(
              [Uint8Array.from(atob({json.dumps(base64.b64encode(content).decode())}), (one) => one.charCodeAt(0))],
              {json.dumps(name)}, {{ type: {json.dumps(kind)} }})), 0""")
        self.tab.run("document.querySelector('#drop').dispatchEvent(new DragEvent('drop', { dataTransfer: window.dropped, bubbles: true, cancelable: true })), delete window.dropped")

    def file(self, content: bytes, name: str = "books.csv") -> Path:
        path = self.folder / name
        path.write_bytes(content)
        return path

    def kept(self) -> list[dict]:
        """The jobs that the tab keeps, as clients of the API name them."""
        jobs = json.loads(self.tab.run("sessionStorage.getItem('visit.jobs') ?? '[]'"))
        return [{"jobId": job["id"], "token": job["token"]} for job in jobs]

    def press(self, selector: str) -> None:
        """Presses an element that stays where it is: cards move while they fill."""
        self.tab.wait(f"""new Promise((go) => {{
          const place = () => JSON.stringify(document.querySelector({json.dumps(selector)})?.getBoundingClientRect() ?? null);
          const before = place();
          setTimeout(() => go(before !== "null" && before === place()), 50);
        }})""")
        super().press(selector)

    def wait_until_live(self) -> None:
        """Waits until the first card is connected: before, what is to be pressed moves as the card fills."""
        self.tab.wait(f"{CARD}?.querySelector('[data-part=heard]').textContent.startsWith('live connection')", timeout=120)

    def wait(self, state: str) -> None:
        self.tab.wait(f"{CARD}?.dataset.state === {json.dumps(state)}", timeout=120)


class ImportOnThePage(JobsTest):
    """From a table to its results."""

    IS_SHARED = True

    def test_a_table_is_imported_and_every_row_is_accounted_for(self):
        tab = self.tab
        self.open()
        tab.run(ENDS)
        self.choose("#table-file", self.file(table(600, seed=7)))
        self.wait("succeeded")
        self.assertEqual([end for end in tab.run("window.ends") if end], ["Import: books.csv: Done"])
        job = self.kept()[0]
        items = self.server.results(job)
        counts = {outcome: sum(item["outcome"] == outcome for item in items) for outcome in {item["outcome"] for item in items}}
        shown = dict(reversed(mark.split(" ", 1)) for mark in tab.run("[...document.querySelectorAll('.job [data-part=counts] li')].map((one) => one.textContent)"))
        self.assertEqual({name: int(count) for name, count in shown.items()}, counts)
        self.assertEqual(sum(counts.values()), 600)
        # All pages of the table together are the results.
        self.press(".job [data-act=results]")
        seen: list[str] = []
        for page in range(12):
            tab.wait(f"document.querySelector('.job [data-part=place]').textContent.startsWith('{page * 50 + 1}–')")
            seen += tab.run("[...document.querySelectorAll('.job tbody tr')].map((row) => row.cells[1].textContent + '|' + row.cells[2].textContent)")
            if page < 11:
                self.press(".job [data-act=next]")
        self.assertTrue(tab.run("document.querySelector('.job [data-act=next]').disabled"))
        self.assertEqual(seen, [f"{item['outcome']}|{item.get('value', {}).get('title', '')}" for item in items])
        # One outcome only.
        tab.run("(() => { const choice = document.querySelector('.job [data-part=outcome]'); choice.value = 'failed'; choice.dispatchEvent(new Event('change', { bubbles: true })); })()")
        tab.wait(f"document.querySelector('.job [data-part=place]').textContent.endsWith(' of {counts['failed']}')")
        self.assertTrue(all(tab.run("[...document.querySelectorAll('.job tbody tr')].map((row) => row.cells[5].textContent)")))
        # When the results go is a hint, counted down.
        self.assertRegex(tab.text(".job [data-part=expiry]"), r"kept for another 2[34]")

    def test_on_a_small_phone_with_large_letters_nothing_is_cut(self):
        self.check_large_letters(f"{self.server.url}/jobs", "document.querySelector('#drop').checkVisibility()")

    def test_failed_rows_are_saved_as_the_server_has_them(self):
        tab = self.tab
        self.open()
        self.drop(("books.csv", "text/csv", table(300, seed=3)))
        self.wait("succeeded")
        place = self.folder / "downloads"
        place.mkdir()
        tab.browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(place), browserContextId=tab.context)
        self.press(".job [data-act=failed]")
        # What is not whole yet has another name.
        until(lambda: list(place.glob("*.csv")))
        found = list(place.glob("*.csv"))
        job = self.kept()[0]
        status, body, _ = self.server.ask("GET", f"/v1/jobs/{job['jobId']}/failed.csv", token=job["token"])
        self.assertEqual((status, found[0].read_bytes()), (200, body))

    @unittest.skipUnless(shutil.which("zbarimg"), "nothing reads barcodes here")
    def test_a_photo_with_a_barcode_gives_its_book_and_how_sure_that_is(self):
        tab = self.tab
        self.open()
        tab.run(f"""new Promise((go) => {{
          const bars = {json.dumps(bars(isbn13(5)))};
          const canvas = Object.assign(document.createElement('canvas'), {{ width: 900, height: 500 }});
          const pen = canvas.getContext('2d');
          pen.fillStyle = 'white';
          pen.fillRect(0, 0, 900, 500);
          pen.fillStyle = 'black';
          [...bars].forEach((bar, index) => bar === '1' && pen.fillRect(150 + index * 6, 100, 6, 300));
          canvas.toBlob((photo) => {{
            const dropped = new DataTransfer();
            dropped.items.add(new File([photo], 'shelf.png', {{ type: 'image/png' }}));
            // Anywhere on the page will do.
            document.querySelector('h1').dispatchEvent(new DragEvent('drop', {{ dataTransfer: dropped, bubbles: true, cancelable: true }}));
            go(true);
          }});
        }})""")
        self.wait("succeeded")
        self.assertEqual(tab.text(".job h3"), "Scan: shelf.png")
        self.press(".job [data-act=results]")
        tab.wait("document.querySelectorAll('.job tbody tr').length === 1")
        self.assertEqual(tab.text(".job tbody .result-isbn"), isbn13(5))
        self.assertRegex(tab.text(".job tbody .result-outcome"), r"^(certain|to be looked at) · \d+%$")

    def test_books_are_completed_and_lines_are_read(self):
        tab = self.tab
        self.open()
        lines = f"A Wizard of Earthsea; Ursula K. Le Guin\n\n{isbn13(5)}\nPiranesi\tSusanna Clarke\t{isbn13(6)}\n"
        self.assertEqual(tab.run(f"import('/sources/jobs/book-list.js').then(({{ booksOf }}) => booksOf({json.dumps(lines)}))"), [
            {"title": "A Wizard of Earthsea", "author": "Ursula K. Le Guin"}, {"isbn": isbn13(5)},
            {"title": "Piranesi", "author": "Susanna Clarke", "isbn": isbn13(6)},
        ])
        tab.run("document.querySelector('#book-entry').open = true")
        tab.run("document.querySelector('#book-lines').focus()")
        tab.type(lines)
        self.press("#book-form button")
        tab.wait(f"['succeeded', 'failed'].includes({CARD}?.dataset.state)", timeout=120)
        self.assertIn("Completion: 3 books", tab.text(".job h3"))

    def test_what_is_too_much_or_mixed_is_said_before_it_is_sent(self):
        tab = self.tab
        self.open()
        for files, words in (
            ([("a.csv", "text/csv", b"x"), ("b.csv", "text/csv", b"x")], "One table at a time"),
            ([("a.csv", "text/csv", b"x"), ("b.png", "image/png", b"x")], "one kind at a time"),
            ([("a.csv", "text/csv", b"")], "is empty"),
            ([(f"{number}.png", "image/png", b"x") for number in range(6)], "At most 5 photos"),
        ):
            self.drop(*files)
            tab.wait(f"document.querySelector('#start-message').textContent.includes({json.dumps(words)})")
        self.assertFalse([request for request in tab.requests if re.search(r"/v1/jobs/\w+$", request["url"])])
        self.assertEqual(self.kept(), [])

    def test_every_language_is_complete(self):
        self.check_languages(f"{self.server.url}/jobs", {"fr": "Tâches", "de": "Aufträge", "it": "Lavori", "en": "Jobs"})

    def test_everybody_can_use_it(self):
        self.open()
        self.drop(("books.csv", "text/csv", table(40)))
        self.wait("succeeded")
        self.press(".job [data-act=results]")
        self.tab.wait("document.querySelectorAll('.job tbody tr').length > 10")
        self.check_access()

    def test_a_first_page_is_quick_and_small(self):
        self.open()  # The browser itself has started.
        self.check_first_load(f"{self.server.url}/jobs?lang=en", "#drop", most=50_000)

    def test_nothing_is_wider_than_a_phone(self):
        self.tab.size(360, 740, mobile=True)
        self.open()
        self.drop(("books.csv", "text/csv", table(40)))
        self.wait("succeeded")
        self.press(".job [data-act=results]")
        self.tab.wait("document.querySelectorAll('.job tbody tr').length > 10")
        self.assertLessEqual(self.tab.run("document.documentElement.scrollWidth"), 360)

    def test_the_page_is_linked_and_served_only_if_jobs_are(self):
        self.check_page_is_guarded(f"{self.server.url}/jobs")
        self.assertIn('href="/jobs"', answer_of(f"{self.server.url}/")[2])
        self.assertNotIn('href="/workspaces"', answer_of(f"{self.server.url}/")[2])
        self.assertEqual(answer_of(f"{self.server.url}/workspaces")[0], 404)


    def card(self, language: str, **run: object) -> dict[str, str]:
        """What the card of a job says that is played; members of the run in place of those of one that goes on."""
        played = {
            "job": {"id": "x", "pipeline": "csv_import", "name": "books.csv"}, "state": "running", "ending": None, "isOver": False, "completion": None, "heardAt": None,
            "isLive": True, "transport": "webSocket", "progress": {"fraction": 0.694, "processed": 6600, "total": 10_000, "current": None, "sentence": "importing"}, **run,
        }
        return self.tab.run(f"""Promise.all([import('/sources/jobs/job-card.js'), import('/sources/messages/messages.js'), import('/sources/messages/{language}/jobs.js')]).then(([{{ JobCard }}, {{ sentences, LOCALES }}, words]) => {{
          const page = {{ say: sentences('{language}', words.default), locale: LOCALES['{language}'], clock: {{ now: () => 0 }} }};
          const card = new JobCard({json.dumps(played)}, page);
          card.speak();
          const text = (name) => card.parts[name].textContent;
          return {{ ...Object.fromEntries(['step', 'percent', 'expiry', 'trouble'].map((name) => [name, text(name).replace(/\\s/g, ' ')])), bar: card.parts.bar.value, results: !card.parts.results.hidden }};
        }})""")

    def test_the_bar_says_what_the_numbers_say(self):
        self.open()
        shown = self.card("en")
        self.assertEqual((shown["step"], shown["percent"], shown["bar"]), ("6,600 of 10,000", "66%", 0.66))
        almost = self.card("en", progress={"fraction": 0.9999, "processed": 9_999, "total": 10_000, "current": None, "sentence": ""})
        self.assertEqual(almost["percent"], "99%")
        # Without a total there is only what the server says.
        self.assertEqual(self.card("en", progress={"fraction": 0.25, "processed": 3, "total": None, "current": None, "sentence": "reading"})["percent"], "25%")

    def test_a_job_that_was_stopped_says_how_far_it_came(self):
        self.open()
        ended = {"kind": "ended", "ending": "canceled", "total": 1_200, "successes": 1_149, "failures": 51, "counts": [["imported", 1_149], ["failed", 51]], "isPartial": True, "expiresAt": 86_400_000}
        progress = {"fraction": 0.2, "processed": 1_200, "total": 10_000, "current": None, "sentence": ""}
        for language, words in (
            ("en", "Stopped after 1,200 of 10,000 rows: 1,149 succeeded"), ("de", "Beendet nach 1’200 von 10’000 Zeilen: 1’149 gelungen"),
            ("fr", "Arrêté après 1 200 lignes sur 10 000 : 1 149 réussies"), ("it", "Fermato dopo 1200 righe su 10’000: 1149 riuscite"),
        ):
            shown = self.card(language, state="canceled", ending="ended", isOver=True, completion=ended, progress=progress)
            self.assertEqual(re.sub(r"(\d)[’', ]?(\d{3})\b", r"\1\2", shown["step"]), re.sub(r"(\d)[’', ]?(\d{3})\b", r"\1\2", words))
            self.assertTrue(shown["results"])
        self.assertIn("24 h", self.card("en", state="canceled", ending="ended", isOver=True, completion=ended, progress=progress)["expiry"])

    def test_a_job_without_results_promises_none_and_says_why_in_the_language_of_the_page(self):
        tab = self.tab
        for language, words in (("de", "Die Datei ist kein Text; die Tabelle als CSV speichern."), ("it", "Il file non è testo; salva la tabella come CSV.")):
            self.go(f"{self.server.url}/jobs?lang={language}")
            tab.wait("document.querySelector('#start-limits').textContent !== ''")
            self.drop(("notes.csv", "text/csv", b"\x00\x01\x02 nothing that is a table"))
            self.wait("failed")
            self.assertEqual(tab.text(".job [data-part=trouble]"), words)
            self.assertEqual(tab.text(".job [data-part=expiry]"), "")
            self.assertFalse(tab.run("document.querySelector('.job [data-act=results]').checkVisibility()"))
            # After a drop the heading has the focus, without a focus ring.
            self.assertEqual(tab.run("[document.activeElement.textContent.includes('notes.csv'), getComputedStyle(document.activeElement).outlineStyle]"), [True, "none"])
            tab.run("sessionStorage.clear()")

    def test_every_code_of_the_server_has_a_sentence(self):
        sources = Path(__file__).resolve().parent.parent.parent / "Sources/Jobs"
        codes: set[str] = set()
        for file in ("Books/Rows/RowProblem", "Books/ImportFileError", "BookScan/ScanError", "BookLibrary/Catalogue/BookProvider",
                     "Jobs/Model/JobProblemCode"):
            text = (sources / f"{file}.swift").read_text()
            cases = re.search(r"enum (?:Code|JobProblemCode)\b.*?\n(?:  )?\}", text, re.S).group()
            codes |= {raw or name for name, raw in re.findall(r'^ +case (\w+)(?: = "(\w+)")?$', cases, re.M)}
        for folder in ("BookPipelines", "JobsServer"):
            for file in (sources / folder).rglob("*.swift"):
                codes |= set(re.findall(r'\bcode: "(\w+)"', file.read_text()))
        self.assertGreater(len(codes), 60)
        self.open()
        for language in LANGUAGES:
            words = self.tab.run(f"import('/sources/messages/{language}/problems.js').then((words) => words.default)")
            self.assertEqual(codes - set(words), set(), language)
            self.assertTrue(all(isinstance(phrase, str) and phrase and not phrase.endswith(".") for phrase in words.values()), language)

    def test_remarks_keep_what_stands_in_the_table_and_what_is_unknown(self):
        self.open()
        remarks = [
            {"code": "isbn_checksum", "field": "ISBN (13)", "message": "ISBN (13): the check digit of the ISBN is wrong (9780000000232)"},
            {"code": "quote_unclosed", "message": "a quote opens a field and is never closed (\"A (b)\")"}, {"code": "titleless", "message": "something new"}, {"code": "titleless"}, {},
            {"code": "photo_unreadable", "message": "photo 2: the file is no photo (it has 3 bytes)"},
            {"code": "title_differs", "field": "title", "message": "the ISBN is that of \"Emma (annotated)\""}, {"code": 7, "message": 8},
            {"code": "isbn_music", "field": "ISBN", "message": "ISBN: the number is that of printed music (ISMN), not of a book (9790060115615)"},
        ]
        said = self.tab.run(f"""Promise.all([import('/sources/jobs/job-problems.js'), import('/sources/messages/messages.js'), import('/sources/messages/de/jobs.js')]).then(async ([{{ remarkInWords, failureInWords, learnProblems }}, {{ sentences }}, words]) => {{
          await learnProblems('de');
          const say = sentences('de', words.default);
          return [...{json.dumps(remarks)}.map((remark) => remarkInWords(remark, say)), failureInWords({{ code: 'host_forbidden', message: 'no' }}, say), failureInWords(null, say), failureInWords({{ code: 'new', message: 'as it came' }}, say)];
        }})""")
        self.assertEqual(said, [
            "ISBN (13): die Prüfziffer der ISBN stimmt nicht (9780000000232)", 'ein Anführungszeichen wird nie geschlossen ("A (b)")', "something new", "titleless", "",
            "Foto 2: das Foto ist nicht lesbar", "die ISBN gehört zu einem anderen Titel", 7,
            "ISBN: die Nummer ist die von Noten und nicht eines Buches (9790060115615)", "Der Server kennt sich nicht unter diesem Namen.", "", "as it came",
        ])


class FollowingOnThePage(JobsTest):
    """Reloads, cancelling, bad networks."""

    OPTIONS = ("--jobs-running", "1")
    EXPECTED = re.compile(r"WebSocket connection|\b502\b|ERR_")

    def test_a_job_that_waits_is_cancelled_and_a_reload_goes_on_and_tells_no_end_twice(self):
        tab = self.tab
        # One at a time: what comes behind this one waits.
        library = self.lock_library()
        self.server.start(table(2))
        self.open()
        self.choose("#table-file", self.file(table(500), "first.csv"))
        tab.wait("document.querySelectorAll('.job').length === 1")
        self.choose("#table-file", self.file(table(400, seed=2), "second.csv"))
        tab.wait("document.querySelectorAll('.job').length === 2")
        self.wait_until_live()
        self.press(".job [data-act=cancel]")
        tab.wait(f"['canceling', 'canceled'].includes({CARD}.dataset.state)")
        tab.open(f"{self.server.url}/jobs?lang=en")
        tab.wait("document.documentElement.dataset.ready === 'yes' && document.querySelectorAll('.job').length === 2")
        library.release()
        tab.wait("[...document.querySelectorAll('.job')].every((job) => ['succeeded', 'canceled'].includes(job.dataset.state))", timeout=120)
        states = {title: state for title, state in tab.run("[...document.querySelectorAll('.job')].map((job) => [job.querySelector('h3').textContent, job.dataset.state])")}
        self.assertEqual(states["Import: first.csv"], "succeeded")
        self.assertEqual(states["Import: second.csv"], "canceled")
        self.assertEqual(self.server.wait(self.kept()[0])["state"], "canceled")
        self.assertFalse([request for request in tab.requests if any(job["token"] in request["url"] for job in self.kept())])
        # Both ends are known: after another reload nothing is told.
        tab.open(f"{self.server.url}/jobs?lang=en")
        tab.wait("document.querySelectorAll('.job').length === 2 && [...document.querySelectorAll('.job')].every((job) => ['succeeded', 'canceled'].includes(job.dataset.state))", timeout=120)
        self.assertEqual(tab.text("#announcement"), "")

    def test_the_machine_that_follows_is_loaded_for_the_first_job_and_again_if_that_fails(self):
        tab = self.tab
        modules = lambda: [request for request in tab.requests if request["url"].endswith(".wasm")]  # noqa: E731
        tab.call("Fetch.enable", patterns=[{"urlPattern": "*/assets/jobs.*.wasm"}])
        tab.intercept(lambda url: {"fail": "ConnectionReset"})
        self.open()
        self.assertEqual(modules(), [])
        self.choose("#table-file", self.file(table(50)))
        tab.wait(f"{CARD}?.querySelector('[data-part=heard]').textContent.startsWith('connecting again')")
        until(lambda: len(modules()) >= 2)
        tab.intercept(None)
        self.wait("succeeded")
        self.assertEqual(len(self.server.results(self.kept()[0])), 50)

    def test_a_job_that_goes_on_is_taken_off_only_when_that_was_said(self):
        tab = self.tab
        self.lock_library()
        self.open()
        self.choose("#table-file", self.file(table(100)))
        self.wait("running")
        self.wait_until_live()
        self.press(".job [data-act=forget]")
        tab.wait("document.querySelector('.job [data-part=trouble]').textContent.includes('the way to its results is lost')")
        self.assertEqual(len(self.kept()), 1)
        self.press(".job [data-act=forget]")
        tab.wait("document.querySelectorAll('.job').length === 0")
        self.assertEqual(self.kept(), [])

    def test_a_server_that_is_killed_takes_no_job_off_the_page_and_its_end_comes_once(self):
        tab = self.tab
        library = self.lock_library()
        self.open()
        tab.run(ENDS)
        rows = sized(600, long=3_000)
        self.choose("#table-file", self.file(table(rows)))
        self.wait_until_live()
        self.server.kill()
        library.release()
        tab.wait("document.querySelector('.job [data-part=heard]').textContent.startsWith('connecting again')")
        self.server = JobServer(self.folder, "--port", str(self.server.port), *self.OPTIONS)
        self.addCleanup(self.server.__exit__)
        self.wait("succeeded")
        self.assertEqual(len([end for end in tab.run("window.ends") if end]), 1)
        marks = tab.run("[...document.querySelectorAll('.job [data-part=counts] li')].map((one) => one.textContent)")
        self.assertEqual(sum(int(mark.split(" ", 1)[0].replace(",", "")) for mark in marks), rows)

    def test_where_no_web_socket_comes_through_the_end_comes_all_the_same_and_once(self):
        network = BrokenNetwork(self.server.port, seed=4, most=0, blocks=True)
        self.addCleanup(network.close)
        tab = self.tab
        library = self.lock_library()
        self.open(f"http://127.0.0.1:{network.port}")
        tab.run(ENDS)
        self.choose("#table-file", self.file(table(sized(800, long=4_000))))
        # It goes on when the page listens.
        until(lambda: any(request["url"].endswith("/events") for request in tab.requests))
        library.release()
        self.wait("succeeded")
        self.assertEqual(len([end for end in tab.run("window.ends") if end]), 1)

    def test_where_no_stream_comes_through_either_it_asks(self):
        network = BrokenNetwork(self.server.port, seed=4, most=0, blocks=True)
        self.addCleanup(network.close)
        tab = self.tab
        tab.call("Fetch.enable", patterns=[{"urlPattern": "*/events"}])
        tab.intercept(lambda url: {"fail": "ConnectionReset"})
        library = self.lock_library()
        self.open(f"http://127.0.0.1:{network.port}")
        tab.run(ENDS)
        self.choose("#table-file", self.file(table(sized(400, long=2_000))))
        asked = re.compile(r"/v1/jobs/[0-9a-f-]{36}(\?after=[\d.]+)?$")
        until(lambda: any(asked.search(request["url"]) for request in tab.requests))
        library.release()
        self.wait("succeeded")
        self.assertEqual(len([end for end in tab.run("window.ends") if end]), 1)

    def test_a_clock_that_is_set_moves_nothing(self):
        """The wall clock goes back ten minutes; the moments that the machine is told do not."""
        found = self.go(f"{self.server.url}/jobs?lang=en").run("""
        Promise.all([import('/sources/jobs/job-run.js'), import('/sources/jobs/follow-machine.js')]).then(async ([{ expiryOf, JobRun }, { FollowMachine }]) => {
          const moments = [];
          const handle = FollowMachine.prototype.handle;
          FollowMachine.prototype.handle = function (event, now) {
            moments.push(now);
            return [];
          };
          const run = new JobRun({ id: 'x', token: 't', tokenExpiry: null }, { api: {}, onChange() {}, onKeep() {}, onEnd() {} });
          const real = Date.now;
          await run.start();
          const before = expiryOf({ expiresIn: 60 });
          Date.now = () => real() - 600000;
          await run.start();
          const after = expiryOf({ expiresIn: 60 });
          Date.now = real;
          FollowMachine.prototype.handle = handle;
          return [moments[1] >= moments[0], after >= before, Math.abs(moments[0] - real()) < 60000];
        })""")
        self.assertEqual(found, [True, True, True])

    def test_characters_that_reorder_a_text_are_shown(self):
        found = self.go(f"{self.server.url}/jobs?lang=en").run("""
        import('/sources/shared/dom.js').then(({ newElement, setAttribute, setText, shown }) => {
          const node = newElement('p', '', 'rm \\u202Ecod.exe');
          const first = node.textContent;
          setText(node, '\\u2066a\\u2069');
          setAttribute(node, 'title', '\\u202Db');
          setAttribute(node, 'data-id', '\\u202Db');
          return [first, node.textContent, node.title, node.dataset.id, shown('a\\u200Eb')];
        })""")
        self.assertEqual(found, ["rm <U+202E>cod.exe", "<U+2066>a<U+2069>", "<U+202D>b", "\u202Db", "a\u200Eb"])

    def test_messages_are_read_whatever_they_are(self):
        shapes = ["", "null", "[]", "7", '{"type":5,"payload":{"progress":NaN}}', '{"type":"job_progress"}', '{"type":"job_progress","payload":{"progress":"x","totalCount":"12"}}', '{"type":"surprise","payload":[1]}',
                  '{"type":"error","payload":null}', '{"type":"job_complete","epoch":"1","seq":"9","payload":{"counts":{"imported":"3","new":2,"none":null},"expiresAt":"soon"}}',
                  '\ufeff{"type":"job_progress","epoch":1,"seq":2,"payload":{}}']
        read = self.go(f"{self.server.url}/jobs?lang=en").run(f"import('/sources/jobs/job-messages.js').then(({{ readMessage }}) => {json.dumps(shapes)}.map(readMessage))")
        self.assertEqual(read[:5], [None] * 5)
        self.assertEqual([message["body"]["kind"] for message in read[5:]], ["progress", "progress", "other", "ended", "ended", "progress"])
        self.assertEqual((read[6]["body"]["fraction"], read[6]["body"]["total"]), (None, 12))
        self.assertEqual(read[9]["position"], {"epoch": 1, "seq": 9})
        self.assertEqual(read[10]["position"], {"epoch": 1, "seq": 2})
        self.assertEqual((read[9]["body"]["counts"], read[9]["body"]["expiresAt"]), ([["imported", 3], ["new", 2]], None))


class ResultsThatGo(JobsTest):
    """Only the server's word ends what is kept."""

    #: Long enough for a page on a busy machine to hear of the end before.
    OPTIONS = ("--jobs-kept", "4")
    EXPECTED = re.compile(r"\b410\b")

    def test_the_hint_runs_out_and_then_the_server_says_that_they_are_gone(self):
        tab = self.tab
        self.open()
        self.drop(("books.csv", "text/csv", table(30)))
        self.wait("succeeded")
        tab.wait("document.querySelector('.job [data-part=expiry]').textContent.includes('may be gone')")
        self.assertEqual(tab.run(f"{CARD}.dataset.state"), "succeeded")
        end = time.monotonic() + 120
        while tab.run(f"{CARD}.dataset.state") != "gone":
            self.assertLess(time.monotonic(), end)
            tab.run("(() => { const button = document.querySelector('.job [data-act=results]'); button.click(); if (button.getAttribute('aria-expanded') === 'true') document.querySelector('.job [data-part=outcome]').dispatchEvent(new Event('change')); })()")
            time.sleep(0.3)
        self.assertIn("gone", tab.text(".job .state"))


class ManyStartsTest(JobsTest):
    """A server that lets a client start one job every eight seconds."""

    LIMITS = {"startsAtOnceOfClient": 1, "startsPerMinuteOfClient": 8}
    EXPECTED = re.compile("status of 429")

    def test_a_page_that_started_too_many_says_so_and_sends_again_by_itself(self):
        tab = self.tab
        self.open()
        self.server.start(table(2))
        self.drop(("books.csv", "text/csv", table(5)))
        tab.wait("/books.csv is sent again in [1-8]\\u00a0s/.test(document.querySelector('#start-message').textContent)")
        self.wait("succeeded")
        self.assertEqual(tab.text("#start-message"), "")
        posted = [request for request in tab.requests if re.search(r"/v1/jobs/\w+$", request["url"])]
        self.assertEqual(len(posted), 2)
        self.assertEqual(len(self.kept()), 1)


if __name__ == "__main__":
    unittest.main()
