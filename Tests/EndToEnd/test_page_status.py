"""The page of the status in Chromium: what it shows, in which words, for whom, and that it stays current."""

import json
import re
import unittest
import urllib.request

from browser import Browser
from program import NOW, Folder, Producer, Server, once, until
from sample_network import copy_network
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from test_page_access import CONTRASTS, TARGETS
from work_stage import check_first_load

#: Times as fast: departures are counted soon.
PACE = 120
READY = "document.querySelectorAll('.tile').length === 4 && document.querySelectorAll('.plot-bar').length > 0 && document.querySelector('[data-part=worst] table') !== null"
TEXT = "document.querySelector('main').innerText"


class Stand:
    """A producer in rush hour, a server, a browser."""

    def __init__(self) -> None:
        self.folder = Folder()
        data = copy_network(self.folder.path)
        self.producer = Producer(data, "--scenario", "rush", "--period", "60", "--pace", str(PACE))
        self.server = Server(
            data, "--trip-updates", f"{self.producer.url}/trip-updates.pb", "--alerts", f"{self.producer.url}/alerts.pb", "--pace", str(PACE),
        )
        # A page asks for the points again after a minute: it is opened once there are some.
        until(self.has_history)
        self.browser = Browser()

    def has_history(self) -> bool:
        """Whether the server has counted departures, and knows the worst lines."""
        today = self.server.get("/api/status")[1].get("today")
        day = NOW[:10]
        series = self.server.get(f"/api/history/points?from={day}T00:00:00Z&to={day}T23:00:00Z&step=900")[1].get("series", [])
        points = [point for each in series if each["kind"] == "departures" for point in each["points"]]
        return bool(today and today[0]["worst"]) and sum(point.get("onTime", 0) for point in points) > 10

    def close(self) -> None:
        self.browser.close()
        for each in (self.server, self.producer):
            each.process.kill()
            each.process.wait()
            each.drain.join(timeout=30)
            each.process.stdout.close()
        self.folder.remove()


@once
def stand() -> Stand:
    made = Stand()
    unittest.addModuleCleanup(made.close)
    return made


class StatusPage(unittest.TestCase):
    """One server for all; each test has a tab of its own."""

    def page(self, query: str = "", width: int = 1440, height: int = 900, ready: str = READY):
        tab = stand().browser.tab(width=width, height=height, bare=True)
        self.addCleanup(tab.close)
        tab.open(f"{stand().server.url}/status?lang=en{query}")
        tab.wait(ready)
        return tab

    def test_it_shows_what_the_server_says(self):
        tab = self.page()
        status = json.load(urllib.request.urlopen(f"{stand().server.url}/api/status", timeout=30))
        text = tab.run(TEXT)
        for source in status["sources"]:
            self.assertIn({"trip-updates": "Trip updates", "alerts": "Alerts"}[source["kind"]], text)
        # The simulated rush hour has lines with delays; each has a badge and shares with numbers in words.
        self.assertGreater(len(status["today"][0]["worst"]), 0)
        names = tab.run("[...document.querySelectorAll('[data-part=worst] .badge')].map((one) => one.textContent)")
        self.assertTrue(names)
        shares = tab.run("[...document.querySelectorAll('[data-part=worst] .share-bar')].map((one) => one.getAttribute('aria-label'))")
        self.assertTrue(all(re.fullmatch(r"[^:]+: \d+(, [^:]+: \d+)*", share) for share in shares), shares)
        self.assertIn("Freshet sample network", text)
        self.assertEqual(tab.console, [])
        self.assertEqual(tab.run("document.querySelectorAll('.source').length"), 2)

    def test_plots_have_words_and_tables(self):
        tab = self.page()
        labels = tab.run("[...document.querySelectorAll('.plot-area svg')].map((one) => one.getAttribute('role') + ' ' + one.getAttribute('aria-label'))")
        self.assertEqual(len(labels), 5)
        self.assertTrue(all(label.startswith("img ") and len(label) > 12 for label in labels), labels)
        tab.run("for (const one of document.querySelectorAll('.plot-card details')) one.open = true")
        tab.wait("document.querySelectorAll('.plot-card table').length === 5")
        cells = tab.run("[...document.querySelectorAll('.plot-card:first-child tbody td')].map((one) => one.textContent)")
        self.assertGreater(sum(int(cell.replace(",", "")) for cell in cells), 10)
        # The pointer reads a value.
        tab.run("""(() => { const area = document.querySelector('.plot-area'); const box = area.getBoundingClientRect();
          area.dispatchEvent(new PointerEvent('pointermove', { clientX: box.right - 0.1, clientY: box.top + 20, bubbles: true })); })()""")
        self.assertIn("on time:", tab.run("document.querySelector('.plot-read').textContent"))

    def test_a_first_page_is_small(self):
        self.page()  # The browser itself has started.
        tab = stand().browser.tab(width=1440, height=900, bare=True)
        self.addCleanup(tab.close)
        check_first_load(self, tab, f"{stand().server.url}/status?lang=en", ".plot-bar", most=90_000)

    def test_values_above_the_scale_are_marked(self):
        tab = stand().browser.tab()
        self.addCleanup(tab.close)
        tab.open(f"{stand().server.url}/status?lang=en")
        found = tab.run("""import('/sources/status/time-plot.js').then(({ TimePlot, roundUpSpan }) => [700, 7200].map((value) => {
          const plot = new TimePlot({ title: 'plotAge' });
          const rows = [[0, 10], [60, value], [120, 10]].map(([at, age]) => ({ at: at * 1000, values: [age] }));
          plot.show({ from: 0, to: 180_000, step: 60_000, zone: 'UTC', say: (name) => name, rows, top: 30, most: 1200, round: roundUpSpan,
            unit: (seconds) => `${seconds} s`, series: [{ name: 'age', place: 0, colour: 'red', kind: 'line' }] });
          return [plot.root.querySelectorAll('[data-axis=y]')[2].textContent, plot.root.querySelector('.plot-beyond')?.getAttribute('d') ?? ''];
        }))""")
        self.assertEqual(found, [["1200 s", ""], ["≥\u00a01200 s", "M333.3 0H666.7"]])

    def test_a_week_and_other_languages(self):
        tab = self.page()
        tab.click("[data-range=week]")
        tab.wait("document.querySelector('[data-range=week]').getAttribute('aria-pressed') === 'true' && document.querySelectorAll('.plot-bar').length > 0")
        for language, word in (("de", "Echtzeitquellen"), ("fr", "Sources en temps réel"), ("it", "Fonti in tempo reale")):
            tab.run(f"document.getElementById('language').value = '{language}'; document.getElementById('language').dispatchEvent(new Event('change'))")
            tab.wait(f"document.querySelector('#sources-title').textContent === '{word}'")
            left = tab.run("[...document.querySelectorAll('main *')].filter((one) => one.children.length === 0).map((one) => one.textContent).filter((text) => /^(share|column|kind|reason|count|plot|tile|state)[-A-Z]\\w+$/.test(text))")
            self.assertEqual(left, [], language)
        self.assertEqual(tab.console, [])

    def test_everybody_can_use_it(self):
        for width, height, theme in ((1440, 900, "light"), (390, 844, "dark"), (320, 640, "light")):
            tab = self.page(f"&theme={theme}", width, height)
            self.assertLessEqual(tab.run("document.documentElement.scrollWidth"), width, (width, theme))
            found = tab.run(CONTRASTS)
            self.assertEqual(found["poor"], [], (width, theme))
            self.assertGreater(found["count"], 40)
            self.assertEqual(tab.run(TARGETS), [], (width, theme))
            headings = tab.run("[...document.querySelectorAll('main h2, main h3')].map((one) => one.localName)")
            self.assertEqual(headings[0], "h2")

    def test_a_timetable_that_is_held_back_names_lines_and_stops(self):
        timetable = json.load(urllib.request.urlopen(f"{stand().server.url}/api/status", timeout=30))["timetables"][0]
        lines = [{"line": f"L{number}", "before": 100, "lost": 50, "goneOn": [], "isGone": number == 0} for number in range(7)]
        stations = [{"station": f"<S{number}>", "before": 40, "lost": 10, "isGone": number == 0} for number in range(6)]
        losses = {"before": 700, "lost": 350, "lostPercent": 50, "losingLines": 9, "losingStations": 6, "lines": lines, "stations": stations}
        tab = stand().browser.tab()
        self.addCleanup(tab.close)
        tab.open(f"{stand().server.url}/status?lang=en")
        said = {
            "en": ("<S0>is not in it", "<S1>loses 25.0\u00a0% of its departures", "and 1 more stop", "and 4 more lines"),
            "de": ("<S0>kommt nicht mehr vor", "<S1>verliert 25.0\u00a0% ihrer Abfahrten", "und 1 weitere Haltestelle", "und 4 weitere Linien"),
            "fr": ("<S0>n’y figure plus", "<S1>perd 25,0\u00a0% de ses départs", "et 1 autre arrêt", "et 4 autres lignes"),
            "it": ("<S0>non c’è più", "<S1>perde il 25,0\u00a0% delle sue partenze", "e un’altra fermata", "e altre 4 linee"),
        }
        for language, (gone, loses, stop, line) in said.items():
            with self.subTest(language):
                rows = tab.run(f"""Promise.all(['/sources/messages/messages.js', '/sources/messages/{language}/status.js', '/sources/status/match-list.js']
                  .map((path) => import(path))).then(([{{ sentences }}, messages, {{ timetableCard }}]) => {{
                    const locale = '{language}';
                    const number = (value, digits = 0) => value.toLocaleString(locale === 'de' ? 'de-CH' : locale, {{ minimumFractionDigits: digits, maximumFractionDigits: digits }});
                    const facts = {{ say: sentences(locale, messages.default), number, locale, now: Date.now() }};
                    const card = timetableCard({json.dumps({**timetable, "feed": "city", "held": "losses", "losses": losses})}, facts);
                    const lists = [...card.querySelectorAll('.lost-lines')].map((list) => [...list.children].map((row) => row.textContent));
                    return [...lists, [card.querySelector('code').textContent]];
                  }})""")
                self.assertEqual([len(each) for each in rows[:2]], [6, 6])
                self.assertEqual(rows[2], ["freshet feeds accept --prefix city"])
                self.assertEqual([rows[1][0], rows[1][1], rows[1][-1], rows[0][-1]], [gone, loses, stop, line])

    def test_it_stays_current_and_says_when_the_server_is_gone(self):
        tab = self.page()
        before = tab.run("document.querySelector('.tile dd').nextElementSibling.textContent")
        tab.wait(f"document.querySelector('.tile dd').nextElementSibling.textContent !== {json.dumps(before)}")
        self.assertEqual(tab.run("document.getElementById('status-page').dataset.state"), "live")
        tab.offline(True)
        tab.wait("['offline', 'failing'].includes(document.getElementById('status-page').dataset.state)")
        self.assertEqual(tab.run("document.querySelectorAll('.tile').length"), 4, "what was shown stays")
        tab.offline(False)
        tab.wait("document.getElementById('status-page').dataset.state === 'live'")


if __name__ == "__main__":
    unittest.main()
