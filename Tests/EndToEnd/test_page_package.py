"""The JavaScript package in Chromium: pages that are built from nothing but its folder, without and with React."""

from __future__ import annotations

import re
import shutil
import subprocess
import unittest

from boards import STOP, BoardTest, load_side_by_side as load_tests, stand  # noqa: F401
from package_pages import PACKAGE, REACT, PackageServer
from program import Folder, until

#: An interval without jitter, and short: the tests wait for what happens, not for the clock.
POLICY = "{ every: 400, jitter: 'none', unchangedLimit: null, unchangedFor: null }"

PLAIN = f"""<!doctype html><html lang="en"><title>Plain</title><body></body>
<script type="module">
  import {{ FreshnessClient }} from "/freshness/index.js";
  const client = new FreshnessClient({{ policy: {POLICY} }});
  window.client = client;
  window.seen = {{}};
  window.watch = (name, address, options) => {{
    window.seen[name] = [];
    return client.resource(address, options).subscribe(({{ value }}) => value && window.seen[name].at(-1) !== value.number && window.seen[name].push(value.number));
  }};
  window.ready = true;
</script></html>"""

REACT_PAGE = f"""<!doctype html><html lang="en"><title>React</title><body><div id="root"></div></body>
<script src="/react.development.js"></script>
<script src="/react-dom.development.js"></script>
<script type="importmap">{{ "imports": {{ "react": "/react.js", "freshness/": "/freshness/" }} }}</script>
<script type="module">
  import {{ FreshnessClient }} from "freshness/index.js";
  import {{ FreshnessProvider, useAge, useFresh, useMutation }} from "freshness/react.js";
  const {{ createElement: h, StrictMode }} = React;
  window.client = new FreshnessClient({{ policy: {POLICY} }});
  window.drawn = {{ number: 0, age: 0 }};

  function Number_({{ name }}) {{
    const {{ value, state, error, isLoading, refresh }} = useFresh("/api/value");
    window.drawn.number += 1;
    window.refresh = refresh;
    return h("p", {{ id: name, "data-state": state }}, isLoading && value === null ? "…" : `${{value?.number}} ${{error?.message ?? ""}}`);
  }}
  function Age() {{
    const seconds = useAge(useFresh("/api/value"));
    window.drawn.age += 1;
    return h("p", {{ id: "age" }}, seconds === null ? "" : String(seconds));
  }}
  window.states = [];
  function Counter() {{
    const snapshot = useFresh("/api/value");
    const add = useMutation((number) => fetch("/api/value", {{ method: "PUT", body: JSON.stringify({{ number }}) }}), {{
      snapshot, optimistic: (value, number) => ({{ ...value, number }}), invalidates: ["others"],
    }});
    useFresh("/api/value?other", {{ key: "other", tags: ["others"], policy: {{ every: 600_000 }} }});
    window.add = (number) => add.mutate(number).catch((error) => error.status);
    const seen = [snapshot.value?.number ?? null, snapshot.state, add.isPending, add.error?.status ?? null].join(" ");
    if (window.states.at(-1) !== seen) window.states.push(seen);
    return h("p", {{ id: "counter" }}, seen);
  }}
  function Nothing() {{
    return h("p", {{ id: "nothing" }}, useFresh(null).state);
  }}
  const root = ReactDOM.createRoot(document.getElementById("root"));
  window.show = (isShown) => root.render(h(StrictMode, null, h(FreshnessProvider, {{ client: window.client }},
    isShown ? [h(Number_, {{ key: 1, name: "one" }}), h(Number_, {{ key: 2, name: "two" }}), h(Age, {{ key: 3 }}), h(Nothing, {{ key: 4 }}), window.counts && h(Counter, {{ key: 5 }})] : h("p", null, "gone"))));
  window.show(true);
  window.ready = true;
</script></html>"""


#: A page around the React example of the README, compiled.
READ_ME_PAGE = f"""<!doctype html><html lang="en"><title>README</title><body><div id="root"></div></body>
<script src="/react.development.js"></script>
<script src="/react-dom.development.js"></script>
<script type="importmap">{{ "imports": {{ "react": "/react.js", "@freshet/freshness/react": "/freshness/react.js" }} }}</script>
<script type="module">
  import {{ Board }} from "/board.js";
  ReactDOM.createRoot(document.getElementById("root")).render(React.createElement(Board, {{ stop: "{STOP}" }}));
  window.ready = true;
</script></html>"""


class PackageTest(BoardTest):
    """A test with a server of its own for the pages."""

    def setUp(self) -> None:
        super().setUp()
        example = (PACKAGE / "example.html").read_text()
        self.server = PackageServer({"/plain": PLAIN, "/react": REACT_PAGE, "/freshness/": example}, upstream=self.stand.url)
        self.addCleanup(self.server.close)

    def go(self, path: str, until: str = "window.ready === true"):
        """Opens a page and waits for it."""
        self.tab.open(self.server.url + path)
        self.tab.wait(until)
        return self.tab

    def test_the_example_page_shows_a_board_and_its_age(self):
        tab = self.go("/freshness/", "/^updated .+ ago$/.test(document.querySelector('fresh-age').textContent)")
        self.assertLessEqual(len((PACKAGE / "example.html").read_text().splitlines()), 10)
        board = self.board(STOP, "")
        tab.wait("document.querySelector('fresh-value').textContent.length > 1")
        self.assertIn(tab.text("fresh-value"), [departure["destination"] for departure in board["departures"]])
        self.assertEqual(tab.run("document.querySelector('fresh-age').getAttribute('role')"), "timer")
        self.assertIn(tab.run("document.querySelector('fresh-age').getAttribute('state')"), ("live", "ageing", "old"))
        # Both elements and the panel share one resource.
        self.assertEqual(len({request["url"] for request in tab.boards()}), 1)
        self.assertEqual(tab.run("import('/freshness/client.js').then(({ FreshnessClient }) => FreshnessClient.shared.resources.length)"), 1)
        # The age grows without a request.
        before = tab.text("fresh-age")
        tab.wait(f"document.querySelector('fresh-age').textContent !== '{before}'")

    def test_a_react_component_shows_a_change_before_it_is_confirmed_and_takes_a_refused_one_back(self):
        tab = self.tab
        tab.call("Page.addScriptToEvaluateOnNewDocument", source="window.counts = true;")
        self.go("/react")
        tab.wait("document.querySelector('#counter')?.textContent === '1 live false '")
        before = len([one for one in self.server.addresses if one.endswith("?other")])
        # A refused change is shown, and taken back.
        self.server.refuses = 409
        self.EXPECTED = re.compile(r"\b409\b")
        self.assertEqual(tab.run("window.add(50)"), 409)
        tab.wait("document.querySelector('#counter').textContent === '1 live false 409'")
        self.assertIn("50 unconfirmed true ", tab.run("window.states"))
        # One that the server accepts is unconfirmed until the server's own value says so.
        self.server.refuses = None
        tab.run("window.states.length = 0")
        tab.run("window.add(7).then(() => 1)")
        tab.wait("document.querySelector('#counter').textContent === '7 live false '")
        history = tab.run("window.states")
        self.assertIn("7 unconfirmed true ", history)
        self.assertEqual([one for one in history[history.index("7 unconfirmed true "):] if not one.startswith("7 ")], [])
        # The value that has the tag is asked for with each, although its time has not come.
        until(lambda: len([one for one in self.server.addresses if one.endswith("?other")]) >= before + 2)

    def test_the_panel_shows_causes_counters_and_samples(self):
        tab = self.go("/freshness/", "document.querySelector('fresh-value').textContent.length > 1")
        panel = "document.querySelector('freshness-devtools').shadowRoot"
        self.assertEqual(tab.run(f"{panel}.querySelector('summary').textContent"), "Freshness · 1 resource")
        tab.run(f"{panel}.querySelector('details').open = true")
        tab.wait(f"{panel}.querySelectorAll('.samples tbody tr').length > 0")
        tab.wait(f"/· R(31 after the change|10 cadence)/.test({panel}.querySelector('.facts').textContent)")
        self.assertRegex(tab.run(f"{panel}.querySelector('.facts').textContent"), r"Requests\d+ · \d+ % unchanged")
        self.assertRegex(tab.run(f"{panel}.querySelector('.samples tbody').textContent"), r"200 content")
        title = tab.run(f"{panel}.querySelector('h2').textContent")
        self.assertRegex(title, rf"^http://127.*stop_id={STOP} · (live|ageing|old) · updated .* ago$")
        asked = len(self.server.asked)
        tab.run(f"{panel}.querySelector('button').click()")
        until(lambda: len(self.server.asked) > asked)
        # There are no observers any more, so nothing is requested.
        tab.run("document.querySelectorAll('fresh-value, fresh-age').forEach((one) => one.remove())")
        tab.wait(f"/unwatched/.test({panel}.querySelector('.facts').textContent)")

    def test_elements_take_other_addresses_and_say_what_changed(self):
        tab = self.go("/plain")
        tab.run("import('/freshness/elements.js').then(() => 1)")
        tab.run("""(() => {
          window.heard = [];
          const one = document.createElement('fresh-value');
          one.client = window.client;
          one.setAttribute('path', 'number');
          one.addEventListener('fresh', ({ detail }) => window.heard.push(detail.value?.number ?? null));
          document.body.append(one);
          one.setAttribute('src', '/api/value');
        })()""")
        tab.wait("document.querySelector('fresh-value').textContent === '1'")
        number = self.server.change()
        tab.wait(f"document.querySelector('fresh-value').textContent === '{number}'")
        self.assertEqual([one for one in tab.run("window.heard") if one], [1, number])
        tab.run("document.querySelector('fresh-value').setAttribute('path', 'not.there')")
        tab.wait("document.querySelector('fresh-value').textContent === ''")
        self.assertEqual(tab.run("document.querySelector('fresh-value').getAttribute('state')"), "live")

    def test_a_plain_page_gets_values_by_request_event_stream_and_web_socket(self):
        tab = self.go("/plain")
        push = "{ ...window.client.policy, push: { heartbeat: 60_000 } }"
        tab.run("window.watch('polled', '/api/value')")
        tab.run(f"window.watch('events', '/api/value', {{ key: 'events', policy: {push}, stream: {{ address: '/api/events' }} }})")
        tab.run(f"window.watch('socket', '/api/value', {{ key: 'socket', policy: {push}, stream: {{ address: '{self.server.socket_url}', transport: 'webSocket' }} }})")
        tab.wait("window.client.resources.filter(({ snapshot }) => snapshot.isStreaming).length === 2")
        for _ in range(3):
            number = self.server.change()
            tab.wait(f"Object.values(window.seen).every((list) => list.at(-1) === {number})")
        self.assertEqual(tab.run("window.client.resources.map(({ snapshot }) => snapshot.state)"), ["live"] * 3)
        self.assertEqual(tab.run("window.client.engine.then((engine) => engine.machines)"), 3)
        tab.run("window.client.close()")
        self.assertEqual(tab.run("window.client.engine.then((engine) => engine.machines)"), 0)

    def test_a_date_in_whole_seconds_makes_nothing_younger(self):
        """The age is never below the truth, to the millisecond, and above it by the second of the `Date` at most (R37)."""
        tab = self.go("/plain")
        tab.run("""(() => {
          window.looks = { date: [], exact: [] };
          window.dated = (name, serverTime) => {
            const resource = window.client.resource('/api/dated', { key: name, about: (value) => ({ madeAt: value.madeAt, serverTime: serverTime(value) }) });
            resource.subscribe(({ value }) => {
              if (value === null) return;
              // The truth first: the age, which is read after it, can only be greater.
              const truth = Date.now() - Date.parse(value.madeAt);
              const excess = resource.age - truth;
              window.looks[name].push({ excess, made: Date.parse(value.madeAt), took: resource.diagnostics().ring.at(-1)?.durationMs ?? 0 });
            }, { ticking: true });
          };
          window.dated('date', () => null);
          window.dated('exact', (value) => value.serverTime);
        })()""")
        # Many answers, each at another place in its second.
        tab.wait("Object.values(window.looks).every((looks) => new Set(looks.map(({ made }) => made)).size >= 8)")
        #: What clocks in whole milliseconds are off by.
        noise = 5
        for name, most in (("date", 999), ("exact", 0)):
            looks = tab.run(f"window.looks.{name}")
            longest = max(look["took"] for look in looks)
            with self.subTest(name):
                self.assertGreaterEqual(min(look["excess"] for look in looks), -noise, "younger than the data is")
                self.assertLessEqual(max(look["excess"] for look in looks), most + longest + noise, "older than the data can be")

    def test_held_requests_leave_connections_to_the_others(self):
        """Seven resources with long polls over HTTP/1.1: a browser has six connections to a server (R39)."""
        tab = self.go("/plain")
        tab.run("window.longPolling = (number) => window.watch(number, `/api/held/${number}`, { policy: { ...window.client.policy, longPoll: 60_000 } })")
        tab.run("[1, 2, 3, 4, 5, 6].forEach(window.longPolling)")
        asked = lambda number: self.server.addresses.count(f"/api/held/{number}")  # noqa: E731
        # Three are held, which are counted when they are answered. The other three are polled.
        until(lambda: self.server.holding == 3 and sum(asked(number) >= 4 for number in range(1, 7)) == 3)
        tab.run("window.longPolling(7)")
        tab.wait("window.seen[7].length === 1")
        self.assertEqual((self.server.holding, self.server.released), (3, 0), "the first copy waited for a held request")
        # A refresh takes the place of the long poll of its resource.
        held = next(number for number in range(1, 7) if asked(number) == 1)
        tab.run(f"window.client.resources[{held} - 1].refresh()")
        until(lambda: asked(held) >= 2)
        self.assertEqual(self.server.released, 0)
        number = self.server.change()
        tab.wait(f"Object.values(window.seen).every((list) => list.at(-1) === {number})")
        # The canceled one was held by the server alone, which notices that when it answers.
        self.assertLessEqual(self.server.most_held, 4)

    def test_a_page_out_of_sight_pauses_and_without_a_network_says_so(self):
        self.EXPECTED = re.compile("ERR_INTERNET_DISCONNECTED|Failed to load resource")
        tab = self.go("/plain")
        tab.run("window.watch('polled', '/api/value')")
        tab.wait("window.seen.polled.length > 0")
        state = "(() => { const { snapshot, nextRequest } = window.client.resources[0]; return [snapshot.state, nextRequest.cause].join(' '); })()"
        see = "Object.defineProperty(document, 'hidden', {{ configurable: true, value: {} }}); document.dispatchEvent(new Event('visibilitychange'))"
        tab.run(see.format("true"))
        tab.wait(f"{state} === 'live paused'")
        number, asked = self.server.change(), len(self.server.asked)
        tab.run(see.format("false"))
        tab.wait(f"window.seen.polled.at(-1) === {number}")
        self.assertGreater(len(self.server.asked), asked)
        tab.offline(True)
        tab.wait(f"{state} === 'offline offline'")
        self.assertEqual(tab.run("window.client.resources[0].snapshot.value.number"), number)
        age = tab.run("window.client.resources[0].age")
        tab.wait(f"window.client.resources[0].age > {age} + 300")
        number = self.server.change()
        tab.offline(False)
        tab.wait(f"window.seen.polled.at(-1) === {number}")
        tab.wait("window.client.resources[0].snapshot.state === 'live'")

    def test_ages_go_on_from_the_clock_of_the_producer(self):
        tab = self.go("/plain")
        tab.run("""window.client.resource('/api/value', { about: () => ({ madeAt: Date.now() - 100_000, serverTime: Date.now() }) }).first().then(() => 1)""")
        age = tab.run("window.client.resource('/api/value').age")
        self.assertGreaterEqual(age, 100_000)
        self.assertLess(age, 200_000)

    @unittest.skipUnless(all(path.exists() for path in REACT.values()), "React is not installed (node-react, node-react-dom)")
    def test_react_components_share_a_resource_and_are_drawn_when_it_changes(self):
        tab = self.go("/react", "document.querySelector('#one')?.textContent.startsWith('1')")
        tab.wait("document.querySelector('#two').textContent.startsWith('1')")
        self.assertEqual(tab.text("#nothing"), "loading")
        # React's StrictMode mounts everything twice; the resource is asked for once at a time, at its interval.
        self.assertEqual(tab.run("window.client.engine.then((engine) => engine.machines)"), 1)
        # Answers that change nothing draw nothing but the age.
        tab.wait("Number(document.querySelector('#age').textContent) >= 0")
        drawn, asked = tab.run("window.drawn.number"), len(self.server.asked)
        until(lambda: len(self.server.asked) > asked + 3)
        self.assertEqual(tab.run("window.drawn.number"), drawn)
        number = self.server.change()
        for name in ("one", "two"):
            tab.wait(f"document.querySelector('#{name}').textContent.startsWith('{number}')")

    @unittest.skipUnless(all(path.exists() for path in REACT.values()), "React is not installed (node-react, node-react-dom)")
    def test_react_components_see_errors_beside_the_value_and_stop_with_their_page(self):
        self.EXPECTED = re.compile("503")
        tab = self.go("/react", "document.querySelector('#one')?.textContent.startsWith('1')")
        self.server.status = 503
        tab.wait("document.querySelector('#one').dataset.state === 'failing'")
        self.assertRegex(tab.text("#one"), r"^1 .*/api/value: the server failed \(503\): out of order")
        age = int(tab.text("#age"))
        tab.wait(f"Number(document.querySelector('#age').textContent) > {age}")
        self.server.status = 200
        tab.run("window.refresh()")
        tab.wait("document.querySelector('#one').dataset.state === 'live'")
        tab.run("window.show(false)")
        tab.wait("window.client.resources[0].diagnostics().appearance.hasObservers === false")
        self.assertEqual(tab.run("window.client.resources[0].nextRequest.cause"), "unwatched")
        # Shown again, the value is there at once, and is asked for.
        asked = len(self.server.asked)
        tab.run("window.show(true)")
        tab.wait("document.querySelector('#one')?.textContent.startsWith('1')")
        until(lambda: len(self.server.asked) > asked)

    @unittest.skipUnless(shutil.which("tsc") and all(path.exists() for path in REACT.values()), "TypeScript or React is not installed")
    def test_the_react_example_of_the_readme_shows_a_board(self):
        example = re.search(r"```jsx\n(.*?)```", (PACKAGE / "README.md").read_text(), re.DOTALL)[1]
        folder = Folder()
        self.addCleanup(folder.remove)
        (folder / "board.jsx").write_text(example)
        subprocess.run(
            ["tsc", "--allowJs", "--jsx", "react", "--target", "es2022", "--module", "es2022", "--noResolve", "--outDir", str(folder / "out"), str(folder / "board.jsx")],
            check=True, capture_output=True,
        )
        self.server.pages |= {"/readme": READ_ME_PAGE, "/board.js": (folder / "out/board.js").read_text()}
        tab = self.go("/readme")
        tab.wait("document.querySelector('h2')?.textContent === 'Lausanne'")
        tab.wait(r"/^\d+ s$/.test(document.querySelector('small').textContent)")
        self.assertIn(tab.run("document.querySelector('section').dataset.state"), ("live", "ageing", "old"))
        asked = len(self.server.asked)
        tab.click("button")
        until(lambda: len(self.server.asked) > asked)


if __name__ == "__main__":
    unittest.main()
