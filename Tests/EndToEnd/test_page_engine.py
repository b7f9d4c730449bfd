"""The web board in Chromium: the engine's vectors, sizes, times, memory, the offline shell, and the export."""

import json
import re
import subprocess
import time
import unittest
from pathlib import Path

from boards import ROWS, STATE, STOP, BoardTest, load_side_by_side as load_tests  # noqa: F401
from program import run, until
from scale import sized

ROOT = Path(__file__).resolve().parents[2]
HOURS = sized(2, long=8)


class EngineInThePage(BoardTest):
    """What the engine is in a browser, measured."""

    def setUp(self) -> None:
        super().setUp()
        self.tab.close()
        self.tab = self.stand.browser.tab(width=self.WIDTH, height=self.HEIGHT, bare=True)

    def test_every_vector_passes_natively_under_node_and_in_the_browser_in_one_table(self):
        """The program runs the vectors it carries and sets beside them what Chromium and node made of the same files."""
        chromium, node = self.in_chromium(), self.under_node()
        answer = run("report", "vectors", str(chromium), str(node), "--json", str(self.results / "table.json"))
        print(f"\n{answer.stdout}", flush=True)
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
        table = json.loads((self.results / "table.json").read_text())
        self.assertEqual([build.split(" ")[0].split("/")[0] for build in table["builds"]], ["native", "Chrome", "node"])
        self.assertGreater(len(table["vectors"]), 400)
        # The table fails with either build: here the browser's.
        spoiled = json.loads(chromium.read_text())
        name = next(iter(spoiled["vectors"]))
        spoiled["vectors"][name] = ["step 1: alarm: expected 1, got 2"]
        chromium.write_text(json.dumps(spoiled))
        answer = run("report", "vectors", str(chromium), str(node))
        self.assertEqual(answer.returncode, 1, answer.stdout)
        self.assertRegex(answer.stdout, rf"FAIL  Chrome/\S+  {re.escape(name)}: step 1")
        # And results of other vectors do not count.
        spoiled["suite"] = "0" * 16
        chromium.write_text(json.dumps(spoiled))
        answer = run("report", "vectors", str(chromium))
        self.assertEqual(answer.returncode, 1, answer.stdout)
        self.assertIn("about other vectors", answer.stdout)

    @property
    def results(self) -> Path:
        return self.stand.folder.path

    def test_the_page_reads_what_comes_next_and_the_spread_from_a_body_and_from_a_304(self):
        tab = self.open("/?lang=en", rows=False)
        hints = tab.run("""import('/sources/engine/metadata.js').then(({ hintsOf }) => [
          hintsOf({ meta: { nextExpectedAt: '2026-11-24T07:00:20.000Z', nextExpectedSpreadMs: 9900 } }, null),
          hintsOf(null, new Headers({ 'x-md-rt-next-ms': '12345', 'x-md-rt-spread-ms': '9900', 'Cache-Control': 'private, max-age=60' })),
          hintsOf(null, new Headers({ 'x-md-rt-next-ms': 'soon', 'x-md-rt-spread-ms': '-1', 'Cache-Control': 'private, max-age=7' })),
          hintsOf({ meta: { nextExpectedAt: null, nextExpectedSpreadMs: null } }, new Headers()),
        ])""")
        self.assertEqual(hints, [
            {"nextExpectedAt": 1795503620000, "spread": 9900}, {"spread": 9900, "maxAge": 12345}, {"maxAge": 7000}, {},
        ])

    def in_chromium(self) -> Path:
        """Runs every vector in the page, with the page's own engine; the results as run-vectors.mjs writes them."""
        tab = self.open("/?lang=en", rows=False)
        runner = (ROOT / "Tests/EngineWasm/vectors.mjs").read_text()
        files = sorted((ROOT / "Sources/Engine/ConformanceVectors/Vectors").glob("*.json"))
        # The page's own address for the engine; a module of text is not allowed by the page's policy, so the
        # debugger evaluates it, as it may.
        script = re.sub(r"^export ", "", runner, flags=re.M)
        tab.call("Runtime.evaluate", expression=script + "\nglobalThis.runDocument = runDocument;")
        tab.run("Promise.all([import('/sources/engine/freshness.js'), fetch('/assets/freshness.wasm')]).then(async ([{ Engine }, answer]) => { globalThis.engine = await Engine.load(answer); })")
        outcome = {}
        for file in files:
            for result in tab.run(f"runDocument(engine, {file.read_text()})"):
                self.assertNotIn(result["id"], outcome)
                outcome[result["id"]] = result["mismatches"]
        self.assertEqual(tab.run("engine.machines"), 0, "machines were left behind")
        module = self.stand.server_bytes("/assets/freshness.wasm")
        self.assertEqual(module, (ROOT / "JavaScript/freshness/freshness.wasm").read_bytes(), "the program serves another module than the package")
        # The scripts are checked to be those of the package when they are prepared.
        self.assertEqual(self.stand.server_bytes("/assets/board.js"), (ROOT / "Sources/Programs/CWebAssets/Prepared/board.js").read_bytes())
        path = self.results / "chromium.json"
        path.write_text(json.dumps({
            "suite": fnv(b"".join(file.name.encode() + b"\0" + file.read_bytes() for file in files)),
            "runtime": self.stand.browser.call("Browser.getVersion")["product"].replace("Headless", ""),
            "module": {"bytes": len(module), "digest": fnv(module)},
            "vectors": outcome,
        }))
        return path

    def under_node(self) -> Path:
        """Runs every vector in the same module under node."""
        path = self.results / "node.json"
        module = ROOT / "JavaScript/freshness/freshness.wasm"
        subprocess.run(["node", str(ROOT / "Tests/EngineWasm/run-vectors.mjs"), str(module), "--results", str(path)], capture_output=True, check=False)
        return path

    def first_load(self):
        """Opens the page in a browser context that knows nothing of it, and notes when the first row is shown."""
        self.tab.close()
        tab = self.tab = self.stand.browser.tab(width=self.WIDTH, height=self.HEIGHT, bare=True)
        tab.call("Page.addScriptToEvaluateOnNewDocument", source="""
          new MutationObserver(() => { if (!window.firstBoard && document.querySelector('.departure:not(.vacant)')) window.firstBoard = performance.now(); })
            .observe(document, { childList: true, subtree: true });""")
        self.open()
        tab.wait("window.firstBoard > 0")
        tab.wait("performance.getEntriesByType('resource').every((one) => one.responseEnd > 0)")
        return tab

    def depth(self, tab, request: dict) -> int:
        """How many answers had to come, one after the other, before a request could be sent."""
        initiator = request["initiator"]
        frames = initiator.get("stack", {}).get("callFrames", [])
        place = initiator.get("url") or (frames[-1]["url"] if frames else None)
        before = next((one for one in tab.requests if one["url"] == place and one is not request), None)
        return 0 if before is None else 1 + self.depth(tab, before)

    def test_a_first_board_is_quick_and_small(self):
        self.open("/?lang=en", rows=False)  # The browser itself has started.
        tab = self.first_load()
        first = tab.run("window.firstBoard")
        wire = sum(response["bytes"] for response in tab.responses.values())
        # How large a board is depends on the hour.
        answers = sum(tab.responses[one["id"]]["bytes"] for one in tab.requests if "/api/" in one["url"] and one["id"] in tab.responses)
        paint = tab.run("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
        print(f"\nfirst load: board after {first:.0f} ms, first paint after {paint:.0f} ms, {wire / 1000:.1f} kB in {len(tab.responses)} answers, {answers / 1000:.1f} kB of them from the API", flush=True)
        # How long it takes is up to the machine; what makes it quick anywhere is how few answers wait for another one.
        self.assertLessEqual(self.depth(tab, tab.boards()[0]), 2, "the page, a script that it names, the board")
        self.assertLess(wire - answers, 90_000)
        sizes = []
        for _ in range(20):
            asked = len(tab.boards())
            tab.key("r")
            request = tab.next_board(asked)
            if tab.responses.get(request["id"], {}).get("status") == 304:
                sizes.append(tab.size_of(request))
            if len(sizes) == 3:
                break
        self.assertTrue(sizes, "no answer said that nothing changed")
        print(f"unchanged: {max(sizes)} bytes")
        self.assertLess(max(sizes), 2000)

    def test_hours_leave_no_memory_behind(self):
        """The page's clocks and timers run fast, and its questions are answered at once: the engine sees hours."""
        tab = self.tab
        tab.call("Page.addScriptToEvaluateOnNewDocument", source=FAST_CLOCK)
        self.open()
        tab.run(f"fastForward.answer({json.dumps(self.board())})")
        tab.run("gc()")
        before = tab.run("performance.memory.usedJSHeapSize")
        asked = tab.run(f"fastForward.run({HOURS} * 3600_000)", patience=120)
        tab.run("gc()")
        after = tab.run("performance.memory.usedJSHeapSize")
        print(f"\n{HOURS} hours: {asked} questions, heap {before / 1e6:.1f} MB, then {after / 1e6:.1f} MB", flush=True)
        # The real time that the run takes passes too, without questions.
        self.assertGreater(asked, HOURS * 3600 / 25)
        self.assertLess(asked, HOURS * 3600 / 13)
        self.assertLess(after, 50_000_000)
        self.assertLess(after - before, 10_000_000)

    def test_without_a_network_the_shell_opens_with_the_last_board_and_its_age(self):
        self.EXPECTED = re.compile("ERR_INTERNET_DISCONNECTED|Failed to load resource")
        tab = self.open()
        tab.wait("navigator.serviceWorker.ready.then(() => caches.open('shell-2')).then((shell) => shell.keys()).then((keys) => keys.some(({ url }) => url.includes('messages-')))")
        rows = self.destinations()
        tab.offline(True)
        for target in self.stand.browser.call("Target.getTargets")["targetInfos"]:
            if target["type"] == "service_worker" and target.get("browserContextId") == tab.context:
                attached = self.stand.browser.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
                self.stand.browser.call("Network.enable", attached["sessionId"])
                self.stand.browser.call("Network.emulateNetworkConditions", attached["sessionId"], offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        tab.call("Page.reload")
        tab.wait(f"document.documentElement.dataset.ready === 'yes' && {ROWS} > 2")
        self.assertIn(tab.run(STATE), ("offline", "saved", "failing"))
        self.assertRegex(tab.text(".freshness"), r"From disk, \d+\s(s|min)")
        self.assertTrue(set(self.destinations()[:4]) & set(rows))
        self.assertEqual(tab.run("document.querySelector('h1').innerText"), "Lausanne")

    def test_the_page_can_be_installed(self):
        tab = self.open()
        manifest = tab.call("Page.getAppManifest")
        self.assertEqual(manifest["errors"], [])
        self.assertEqual(json.loads(manifest["data"])["display"], "standalone")
        errors = {error["errorId"] for error in tab.call("Page.getInstallabilityErrors")["installabilityErrors"]}
        self.assertLessEqual(errors, {"in-incognito"}, "the tab of a test is one")

    def test_the_diagnostics_say_what_comes_next_and_export_what_was(self):
        tab = self.open()
        # Right after the start of the server a board has no realtime yet, and a record of it no age.
        tab.wait(f"['live', 'ageing'].includes({STATE})")
        tab.key("d")
        tab.wait("!document.querySelector('#diagnostics').hidden")
        facts = tab.text("#diagnostics .facts")
        self.assertRegex(facts, r"Next question\n[\d–].* · R\d+ ")
        tab.offline(True)
        tab.wait(r"/– · R24 no network/.test(document.querySelector('#diagnostics .facts').innerText)")
        tab.offline(False)
        tab.run("HTMLAnchorElement.prototype.click = () => {}")
        tab.run("window.blobs = []; (() => { const make = URL.createObjectURL; URL.createObjectURL = (blob) => { window.blobs.push(blob); return make(blob); }; })()")

        found = []

        def complete():
            """Whether a complete board is recorded: beside other tests the first one may be made without realtime."""
            tab.run("document.querySelector('#diagnostics .diagnostics-head button').click()")
            records = map(json.loads, tab.run("window.blobs.at(-1).text()").splitlines())
            found[:] = [record for record in records if (record.get("rtStatus"), record.get("responseMode")) == ("applied", "full")]
            return found

        until(complete)
        record = found[0]
        native = (ROOT / "Sources/Engine/FreshnessRuntime/SampleRecord.swift").read_text()
        members = re.findall(r'line\.add\("(\w+)"', native)
        evidence = (ROOT / "Sources/Engine/FreshnessRuntime/SampleEvidence.swift").read_text()
        place = members.index("generation") + 1
        members[place:place] = re.findall(r'line\.add\("(\w+)"', evidence)
        self.assertEqual([name for name in record if name not in members], [])
        self.assertEqual([name for name in members if name in record], list(record), "in the order of the native clients")
        self.assertLessEqual({"resource", "context", "generation", "startedAt", "endedAt", "status", "outcome", "serverTime", "ageMs", "responseMode", "rtStatus", "bytes", "cadenceMs"}, set(record))
        self.assertEqual((record["asked"], record["answered"]), (STOP, STOP))
        self.assertRegex(record["digest"], r"^[0-9a-f]{16}$")
        self.assertEqual((record["status"], record["outcome"], record["responseMode"]), (200, "content", "full"))
        self.assertRegex(record["resource"], rf"^GET 127\.0\.0\.1:\d+/api/stationboard\?stop_id={STOP}&")

    def test_a_page_whose_engine_does_not_load_says_so(self):
        self.EXPECTED = re.compile("wrongModule|EngineError|answered 404|Failed to load|404|preload")
        tab = self.tab
        tab.call("Fetch.enable", patterns=[{"urlPattern": "*freshness.*wasm"}])
        tab.answers = lambda url: {"status": 404, "body": "gone"}
        tab.open(self.stand.url + f"/?stop={STOP}&lang=en")
        tab.wait("!document.querySelector('#fault').hidden")
        self.assertIn("could not start", tab.text("#fault"))


def fnv(data: bytes) -> str:
    """The FNV-1a hash of some bytes, 64 bits, as 16 hexadecimal digits."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


# Time that a test moves: performance.now(), Date.now() and timers of the page, and a server that answers at once.
FAST_CLOCK = """
(() => {
  const [steady, wall, set, clear, ask] = [performance.now.bind(performance), Date.now, setTimeout.bind(window), clearTimeout.bind(window), fetch.bind(window)];
  let [ahead, isFast, board, asked, numbers] = [0, false, null, 0, 1e9];
  const due = new Map();
  performance.now = () => steady() + ahead;
  Date.now = () => Math.floor(wall() + ahead);
  window.setTimeout = (act, wait = 0, ...rest) => {
    numbers += 1;
    if (isFast) due.set(numbers, { at: steady() + ahead + Math.max(0, wait), act: () => act(...rest) });
    else { const number = numbers; due.set(number, { at: steady() + ahead + wait, act: () => act(...rest), real: set(() => { if (due.delete(number)) act(...rest); }, wait) }); }
    return numbers;
  };
  window.clearTimeout = (number) => { clear(due.get(number)?.real); due.delete(number); };
  window.fetch = async (address, options) => {
    if (!isFast || !String(address).includes('/api/stationboard?')) return ask(address, options);
    asked += 1;
    const now = new Date(Date.parse(board.meta.serverTime) + ahead).toISOString();
    const shift = (text) => text && new Date(Date.parse(text) + ahead).toISOString();
    const departures = board.departures.map((one) => ({ ...one, key: one.key + Math.floor(ahead / 60000), scheduledDeparture: shift(one.scheduledDeparture), realtimeDeparture: shift(one.realtimeDeparture), delayMin: asked % 7 }));
    const body = { ...board, departures, meta: { ...board.meta, serverTime: now, rtCacheAgeMs: 4000, nextExpectedAt: null } };
    return new Response(JSON.stringify(body), { status: 200, headers: { 'Content-Type': 'application/json', ETag: `"${asked}"`, Date: now } });
  };
  window.fastForward = {
    answer(body) { board = body; },
    async run(span) {
      isFast = true;
      for (const one of due.values()) clear(one.real);
      const end = steady() + ahead + span;
      for (let turns = 0; ; turns += 1) {
        let next = null;
        for (const [number, one] of due) if (!next || one.at < next.one.at) next = { number, one };
        if (!next || next.one.at > end) break;
        due.delete(next.number);
        ahead += Math.max(0, next.one.at - (steady() + ahead));
        next.one.act();
        // The answers of this moment arrive before time goes on.
        for (let turn = 0; turn < 12; turn += 1) await null;
        if (asked !== this.seen) { this.seen = asked; await new Promise((resolve) => set(resolve, 0)); }
        if (turns % 200 === 0) await new Promise((resolve) => set(resolve, 0));
      }
      return asked;
    },
  };
})();
"""

if __name__ == "__main__":
    unittest.main()
