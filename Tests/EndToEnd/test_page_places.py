"""The web board in Chromium: everything that is shown has room, and says the same in every place."""

import re
import unittest
from datetime import datetime, timedelta

from browser import LARGE_LETTERS, Browser
from boards import OTHER, ROWS, STATE, STOP, BoardTest, load_side_by_side as load_tests  # noqa: F401
from program import NOW

BANNERS = [{"id": "a", "severity": "warning", "header": "Strike", "description": "Some trains are cancelled."}]
#: What is cut off at the right of its pane, or within itself, in any row.
CUT = """
[...document.querySelectorAll('.pane')].flatMap((pane) => {
  const edge = pane.getBoundingClientRect().right;
  const parts = [...pane.querySelectorAll('.departure:not(.vacant) :is(.countdown-value, .minute-mark, .platform-name, .pill, .alert, [data-part=open]), .clock, thead th')];
  const isCut = (one) => getComputedStyle(one).overflowX !== 'visible' && one.scrollWidth > one.clientWidth;
  return parts.filter((one) => one.checkVisibility()).filter((one) => one.getBoundingClientRect().right > edge + 0.5 || isCut(one))
    .map((one) => `${one.className || one.dataset.part}: ${one.textContent}`);
})
"""
#: What of the rows is on top of something else of its row, or is cut within itself; destinations end with a sign of that.
TANGLED = """
[...document.querySelectorAll('.departure:not(.vacant)')].filter((row) => row.checkVisibility()).flatMap((row) => {
  const texts = [...row.querySelectorAll('[data-part=time], [data-part=line], .destination, .pill:first-child, .platform-name, .number, .minute-mark')]
    .filter((one) => one.checkVisibility() && one.textContent);
  const boxOf = (one) => {
    if (one.matches('.destination, .pill')) return one.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(one);
    return range.getBoundingClientRect();
  };
  const boxes = texts.map(boxOf);
  const found = texts.filter((one) => !one.matches('.destination') && getComputedStyle(one).overflowX !== 'visible' && one.scrollWidth > one.clientWidth).map((one) => `cut: ${one.textContent}`);
  boxes.forEach((box, place) => boxes.slice(place + 1).forEach((other, later) => {
    const [wide, high] = [Math.min(box.right, other.right) - Math.max(box.left, other.left), Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top)];
    // Lines of text have room above and below their letters.
    if (wide > 0.5 && high > 6) found.push(`${texts[place].textContent} on ${texts[place + 1 + later].textContent}`);
  }));
  return found;
})
"""
#: The rows that do not lie wholly above what is at the foot of a wall.
HIDDEN_ROWS = """
(() => {
  const banners = document.querySelector('[data-part=banners]');
  const end = banners.hidden ? document.querySelector('.pane').getBoundingClientRect().bottom : banners.getBoundingClientRect().top;
  return [...document.querySelectorAll('.departure, .alert-row')].filter((row) => row.getBoundingClientRect().bottom > end + 0.5).length;
})()
"""
CLOCKS = "[...document.querySelectorAll('.pane .clock')].map((one) => one.textContent)"
#: Writes down what the clocks say after every change of the page.
WATCH_CLOCKS = f"""
window.clocks = [];
new MutationObserver(() => clocks.push({CLOCKS})).observe(document.querySelector('#boards'), {{ subtree: true, childList: true, characterData: true }});
"""
HEIGHTS = "[...document.querySelectorAll('.departure')].map((row) => Math.round(row.getBoundingClientRect().height))"


class PlacesOnThePage(BoardTest):
    """Walls, two boards, phones."""

    EXPECTED = re.compile(r"\b404\b")

    def both(self, view: str = "") -> None:
        """Opens two boards, with every remark that a row can have."""
        self.tab.intercept(self.remarkable)
        self.open(f"/?stop={STOP}&stop2={OTHER}&lang={self.language}{view}", rows=False)
        self.tab.wait("[...document.querySelectorAll('.pane')].every((pane) => pane.querySelectorAll('.departure:not(.vacant)').length > 2)")

    language = "en"

    def remarkable(self, url: str) -> dict | None:
        if "/api/stationboard?" not in url:
            return None
        stop = OTHER if OTHER in url else STOP
        body = self.board(stop, f"limit=60&include_alerts=1&lang={self.language}")
        body["departures"] = [row for row in body["departures"] if not row["cancelled"]]
        for number, row in enumerate(body["departures"]):
            row["realtimeDeparture"] = row["realtimeDeparture"] or row["scheduledDeparture"]
            if number % 4 == 0:
                row.update(rawDelaySec=540, delayMin=9, displayedDelayMin=9, flags=["SHORT_TURN"], platform="12")
            if number % 4 == 1:
                row.update(flags=["REPLACEMENT_SERVICE"], alerts=[{"id": "x", "header": "Works", "description": "Long"}])
        body["banners"] = BANNERS
        return {"status": 200, "body": body}

    def test_two_boards_on_a_wall_and_on_a_desktop_are_whole_in_every_language(self):
        for view, width, height in (("&mode=wall", 1920, 1080), ("&mode=wall", 1366, 768), ("", 1280, 860)):
            for self.language in ("fr", "de", "it", "en"):
                with self.subTest(f"{view} {width} {self.language}"):
                    self.tab.size(width, height)
                    self.both(view)
                    self.assertEqual(self.tab.run(CUT), [])

    def test_the_trip_says_the_time_that_the_delay_of_its_row_makes(self):
        self.open()
        body = self.received()
        row = next(row for row in body["departures"] if re.match("IC|IR|S", row["line"]) and row["scheduledDeparture"] > NOW.replace("07:00", "07:10"))
        at = row["scheduledDeparture"]
        # 130 s are 3 min, rounded up, though the clock still shows two minutes more then.
        row.update(cancelled=False, flags=[], alerts=[], status="DELAYED", rawDelaySec=130, delayMin=3, displayedDelayMin=3, realtimeDeparture=later(at, 130))
        other = {"stop_sequence": row["stop_sequence"] + 1, "name": "Next", "scheduledArrival": later(at, 600), "scheduledDeparture": later(at, 600),
                 "realtimeDeparture": later(at, 730), "realtimeArrival": later(at, 730)}
        soon = {**other, "stop_sequence": row["stop_sequence"] + 2, "realtimeDeparture": later(at, 650), "realtimeArrival": later(at, 650)}
        here = {"stop_sequence": row["stop_sequence"], "name": "Here", "scheduledArrival": at, "scheduledDeparture": at, "realtimeDeparture": later(at, 130)}
        body["departures"] = [row]

        def answer(url: str) -> dict | None:
            if "/api/stationboard?" in url:
                return {"status": 200, "body": body}
            return {"status": 200, "body": {"trip": {}, "stops": [here, other, soon]}} if "/api/trips/" in url else None

        self.tab.intercept(answer)
        self.tab.key("R", modifiers=8)
        self.tab.wait(f"{ROWS} === 1 && document.querySelector('.departure .pill')?.textContent.startsWith('+3 min')")
        self.tab.run("document.querySelector('.departure [data-part=open]').click()")
        self.tab.wait("document.querySelectorAll('#trip-stops li').length === 3")
        said = self.tab.run("[...document.querySelectorAll('#trip-stops li')].map((one) => [one.querySelector('time').textContent, one.querySelector('.stop-expected')?.textContent ?? null])")
        self.assertEqual([minutes(expected.removeprefix("expected ")) - minutes(time) if expected else None for time, expected in said], [3, 3, None])

    def test_the_trip_marks_approximate_times_as_the_board_does(self):
        self.open()
        body = self.received()
        row = body["departures"][0]
        at = row["scheduledDeparture"]
        stops = [{"stop_sequence": row["stop_sequence"] + place, "name": f"Stop {place}", "scheduledArrival": later(at, 60 * place),
                  "scheduledDeparture": later(at, 60 * place), "certainty": "interpolated" if place == 1 else "exact", "uncertaintySec": 90 if place == 1 else None} for place in range(3)]
        # A trip that only realtime has: nothing schedules its stops.
        stops.append({"stop_sequence": row["stop_sequence"] + 3, "name": "Extra", "realtimeDeparture": later(at, 240), "certainty": None})
        for headway, marked in ((None, [False, True, False, False]), (600, [True, True, True, False])):
            def answer(url: str) -> dict | None:
                told = [{**stop, "certainty": "headway", "uncertaintySec": None} if headway and stop["certainty"] else stop for stop in stops]
                return {"status": 200, "body": {"trip": {"headwaySec": headway}, "stops": told}} if "/api/trips/" in url else None

            self.tab.intercept(answer)
            self.tab.run("document.querySelector('.departure [data-part=open]').click()")
            self.tab.wait("document.querySelectorAll('#trip-stops li').length === 4")
            said = self.tab.run("[...document.querySelectorAll('#trip-stops li time')].map((one) => [one.textContent.startsWith('≈'), one.scrollWidth > one.clientWidth + 0.5])")
            self.assertEqual(said, [[mark, False] for mark in marked])
            notes = self.tab.run("[...document.querySelectorAll('#trip-stops .stop-note')].map((one) => one.textContent)")
            self.assertEqual([note for note in notes if "±" in note], [] if headway else ["± 2 min"])
            self.tab.run("document.getElementById('trip').close()")
            self.tab.wait("document.getElementById('trip').open === false")

    def test_the_trip_says_where_its_vehicle_is_how_full_and_what_it_runs_next(self):
        self.open(f"/?stop={STOP}&lang=en")
        row = self.received()["departures"][0]
        stops = [{"stop_sequence": place, "name": f"Stop {place}", "scheduledDeparture": later(row["scheduledDeparture"], 60 * place)} for place in range(3)]
        vehicle = {"status": "INCOMING_AT", "stop_sequence": 1, "occupancy": "FEW_SEATS_AVAILABLE", "occupancyPercent": 55, "wheelchair": False, "seenAt": row["scheduledDeparture"],
                   "carriages": [{"label": "7", "occupancy": "FULL", "occupancyPercent": None}, {"label": None, "occupancy": None, "occupancyPercent": None}]}
        following = [{"trip_id": "U", "line": "07", "destination": "Deep"}, {"trip_id": "V", "line": None, "destination": None}]
        told = {"status": 200, "body": {"trip": {"vehicle": vehicle, "continuesAs": following}, "stops": stops}}
        self.tab.intercept(lambda url: told if "/api/trips/" in url else None)
        self.tab.run("document.querySelector('.departure [data-part=open]').click()")
        self.tab.wait("document.querySelectorAll('#trip-stops li').length === 3")
        self.assertRegex(self.tab.run("document.getElementById('trip-note').textContent"), r"few seats \(55\s%\) · Carriage 7: full · wheelchairs cannot board · seen \d+\s\w+ ago$")
        self.assertEqual(self.tab.run("[...document.querySelectorAll('#trip-stops .stop-note')].map((one) => one.textContent)"), ["", "the vehicle is coming", "continues as line 7 to Deepcontinues as line –"])

    def test_alerts_link_to_what_their_agency_says_and_shows_and_fetch_nothing(self):
        self.open(f"/?stop={STOP}&lang=en")
        body = self.received()
        row = body["departures"][0]
        image = {"url": "https://agency.test/map.png", "alternativeText": "map of the <closed> stop"}
        row.update(alerts=[
            {"id": "a", "header": "Works", "url": "https://agency.test/works?a=1&b=2", "image": image},
            {"id": "b", "header": "More works", "url": "javascript:alert(1)", "image": {"url": "HTTP://agency.test/b.png", "alternativeText": None}},
            {"id": "c", "header": "Still more", "url": None, "image": {"url": "data:image/png;base64,AA", "alternativeText": "x"}},
        ])
        body["departures"] = [row]
        asked = []

        def answer(url: str) -> dict | None:
            asked.append(url)
            if "/api/stationboard?" in url:
                return {"status": 200, "body": body}
            return {"status": 200, "body": {"trip": {}, "stops": []}} if "/api/trips/" in url else None

        self.tab.intercept(answer)
        self.tab.key("R", modifiers=8)
        self.tab.wait(f"{ROWS} === 1")
        self.tab.run("document.querySelector('.departure [data-part=open]').click()")
        self.tab.wait("document.querySelectorAll('#trip-alerts .trip-alert').length === 3")
        links = self.tab.run("[...document.querySelectorAll('#trip-alerts a')].map((one) => [one.textContent, one.getAttribute('href'), one.target, one.rel])")
        away = ["_blank", "noopener noreferrer"]
        self.assertEqual(links, [
            ["more about this", "https://agency.test/works?a=1&b=2", *away], ["image: map of the <closed> stop", image["url"], *away],
            ["image", "HTTP://agency.test/b.png", *away],
        ])
        self.assertFalse([url for url in asked if "agency.test" in url])
        self.assertEqual(self.tab.run("performance.getEntriesByType('resource').filter((one) => /agency/.test(one.name)).length"), 0)

    def test_delays_are_rounded_as_the_server_rounds_them(self):
        self.open("/?lang=en", rows=False)
        found = self.tab.run("import('/sources/board/departure.js').then(({ minutesOfDelay }) => [true, false].map((ofTrain) => [-119, -61, -59, 0, 29, 30, 60, 61, 120, 121].map((seconds) => minutesOfDelay(seconds, ofTrain))))")
        # Sources/Boards/StationboardServer/Board/DelayReading.swift
        self.assertEqual(found, [[-1, -1, 0, 0, 0, 0, 0, 2, 2, 3], [-1, -1, 0, 0, 0, 1, 1, 2, 2, 3]])

    def test_a_board_that_is_confirmed_keeps_the_time_of_the_server(self):
        tab = self.open()
        tab.wait("document.querySelector('.freshness').checkVisibility()")
        # Between two questions there may be a publication: more of them on a busy machine.
        for _ in range(20):
            asked = len(tab.boards())
            tab.key("r")
            if tab.responses.get(tab.next_board(asked)["id"], {}).get("status") == 304:
                break
        else:
            self.fail("no 304 in twenty questions")
        server = self.board()["meta"]["serverTime"]
        hours = (int(server[11:13]) + 1) % 24  # Zurich in November
        self.assertLessEqual(abs(minutes(tab.text(".clock")[:5]) - hours * 60 - int(server[14:16])), 1)

    def test_the_rows_of_a_wall_stay_as_they_are_when_the_next_answer_comes(self):
        self.tab.size(1920, 1080)
        self.tab.intercept(self.remarkable)
        self.open(f"/?stop={STOP}&lang=en&mode=wall")
        first = self.tab.run(HEIGHTS)
        self.assertEqual(self.tab.run(HIDDEN_ROWS), 0)
        for _ in range(2):
            asked = len(self.tab.boards())
            self.tab.key("R", modifiers=8)
            self.tab.next_board(asked)
            self.tab.wait("!document.querySelector('.pane').hasAttribute('data-loading')")
            self.assertEqual(self.tab.run(HEIGHTS), first)
        self.tab.run("document.querySelector('.departure .alert:not([hidden])').click()")
        self.tab.wait("document.querySelector('.alert-row') !== null")
        self.assertEqual(self.tab.run(HIDDEN_ROWS), 0, "no row is cut by an alert that is open")
        self.assertLess(self.tab.run(ROWS), len(first))

    def test_the_first_remark_is_never_shortened_on_a_phone(self):
        for width in (320, 360, 390):
            self.tab.size(width, 780, 2, True)
            for self.language in ("fr", "de", "it", "en"):
                self.tab.intercept(self.remarkable)
                self.open(f"/?stop={STOP}&lang={self.language}")
                cut = self.tab.run("[...document.querySelectorAll('.departure:not(.vacant) .pill:first-child')].filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent)")
                with self.subTest(f"{width} {self.language}"):
                    self.assertEqual(cut, [])

    def gravest(self, url: str) -> dict | None:
        """Boards with long names of lines, delays and waits of two digits, platforms of two digits, and approximate times."""
        answer = self.remarkable(url)
        for number, row in enumerate(answer["body"]["departures"] if answer else ()):
            row.update(line=("IR 90", "RE33", "S1", "CEUSA", "Blue-W")[number % 5], platform="12", cancelled=False, status="DELAYED", flags=[],
                       rawDelaySec=840, delayMin=14, displayedDelayMin=14, platformChanged=False, alerts=[])
            row["realtimeDeparture"] = later(row["scheduledDeparture"], 840)
            if number % 3 == 2:
                row.update(certainty="interpolated", uncertaintySec=240, realtimeDeparture=None, rawDelaySec=None, delayMin=None, displayedDelayMin=None, status="UNKNOWN")
        return answer

    def test_nothing_of_a_row_is_cut_or_covered_on_a_phone_and_with_large_letters(self):
        """WCAG 1.4.4 and 1.4.10."""
        large = Browser(LARGE_LETTERS)
        self.addCleanup(large.close)
        usual = self.tab
        for text, browser in ((100, None), (130, large)):
            if browser:
                self.tab = browser.tab(width=1280, height=900)
            self.assertEqual(self.tab.run("getComputedStyle(document.documentElement).fontSize"), f"{round(16 * text / 100)}px")
            for width, height, view in ((320, 640, ""), (360, 740, ""), (390, 844, ""), (844, 390, ""), (1280, 860, ""), (1280, 860, f"&stop2={OTHER}")):
                self.tab.size(width, height, 2, width < 1000)
                self.tab.intercept(self.gravest)
                self.open(f"/?stop={STOP}&lang={self.language}{view}", rows=False)
                self.tab.wait("[...document.querySelectorAll('.pane')].every((pane) => pane.querySelectorAll('.departure:not(.vacant)').length > 2)")
                with self.subTest(f"{text} % {width} {view}"):
                    self.assertEqual(self.tab.run(TANGLED), [])
                    self.assertEqual(self.tab.run("[document.documentElement.scrollWidth <= innerWidth, ...[...document.querySelectorAll('.station-line h1')].map((one) => one.scrollWidth <= one.clientWidth)]"),
                                     [True] * (3 if view else 2))
        self.tab.close()
        self.tab = usual

    def test_two_boards_show_one_clock(self):
        """Also at the moment when one of them learns that the time is another."""
        self.tab.size(1280, 860)
        self.both()

        def minutes_ahead(url: str) -> dict | None:
            answer = self.remarkable(url)
            if answer and OTHER in url:
                meta = answer["body"]["meta"]
                meta["serverTime"] = (datetime.fromisoformat(meta["serverTime"]) + timedelta(minutes=3)).isoformat()
            return answer

        first, second = self.tab.run(CLOCKS)
        self.assertEqual(first, second)
        self.tab.intercept(minutes_ahead)
        self.tab.run(WATCH_CLOCKS)
        self.tab.run("document.querySelectorAll('.pane')[1].querySelector('[data-part=refresh]').click()")
        self.tab.wait("clocks.length > 0 && clocks.at(-1)[1].slice(0, 5) >= " + f"'{datetime.fromisoformat(f'2000-01-01T{second}') + timedelta(minutes=2):%H:%M}'")
        self.assertEqual([pair for pair in self.tab.run("clocks") if pair[0] != pair[1]], [])

    def test_the_sign_of_alerts_stands_in_one_column(self):
        for width, height in ((390, 844), (1280, 860)):
            with self.subTest(width):
                self.tab.size(width, height, 1, width < 500)
                self.tab.intercept(self.remarkable)
                tab = self.open()
                # In one go: an answer that comes between would hide them again.
                places = tab.run("""(() => {
                  for (const alert of document.querySelectorAll('.departure .alert')) alert.hidden = false;
                  document.querySelectorAll('.departure')[2].classList.add('off');
                  return [...new Set([...document.querySelectorAll('.departure:not(.vacant) .alert')].map((one) => Math.round(one.getBoundingClientRect().x)))];
                })()""")
                self.assertEqual(len(places), 1, places)

    def test_a_stop_that_is_not_there_is_not_asked_for_again_and_has_no_star(self):
        tab = self.open("/?stop=nowhere&lang=en", rows=False)
        tab.wait("!document.querySelector('[data-part=message]').hidden")
        self.assertEqual(tab.text(".freshness").strip(), "Stop not found")
        self.assertFalse(tab.run("document.querySelector('[data-part=star]').checkVisibility()"))

    def test_a_phone_with_two_boards_says_so_and_leads_to_the_other_one(self):
        self.tab.size(390, 844, 2, True)
        self.both()
        tab = self.tab
        tab.wait("document.querySelector('.jump').innerText.includes('Lausanne, gare')")
        tab.click(".jump")
        tab.wait("Math.abs(document.querySelectorAll('.pane')[1].getBoundingClientRect().y) < 2")
        # Its words come with the answer for the first board.
        tab.wait("document.activeElement.innerText === 'Show Lausanne'")
        self.assertEqual(tab.run("document.activeElement.dataset.to"), "above")
        tab.size(1280, 860)
        self.assertFalse(tab.run("document.querySelector('.jump').checkVisibility()"))

    def test_the_diagnostics_are_in_the_language_and_the_time_of_the_board(self):
        self.tab.size(390, 844, 2, True)
        tab = self.open(f"/?stop={STOP}&lang=fr")
        tab.wait(f"['live', 'ageing'].includes({STATE})")
        tab.key("d")
        # The newest board: the first one may have come before the server had realtime.
        rows = "[...document.querySelectorAll('#diagnostics tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"
        news = f"{rows}.find((row) => row[1] === '200 nouveau contenu')"
        tab.wait(f"{news} !== undefined")
        row = tab.run(news)
        self.assertRegex(row[3], r"^\d+,\d\sko$")
        self.assertEqual(row[5], "temps réel")
        self.assertLessEqual(abs(minutes(row[0][:5]) - minutes(tab.text(".clock")[:5])), 1)
        # One line of controls, above the bar at the foot.
        boxes = tab.run("[...document.querySelectorAll('.diagnostics-head > *'), document.querySelector('#diagnostics')].map((one) => one.getBoundingClientRect()).map(({ y, height }) => [y, y + height])")
        self.assertTrue(all(top < boxes[1][1] and end > boxes[1][0] for top, end in boxes[:3]), boxes)
        self.assertLessEqual(boxes[3][1], tab.run("document.querySelector('.topbar').getBoundingClientRect().y") + 1)

    def test_ages_never_read_backwards(self):
        self.open("/?lang=en", rows=False)
        said = self.tab.run("import('/sources/shared/times.js').then(({ duration }) => [0, 59, 60, 89, 119, 120, 3599, 5400].map(duration))")
        self.assertEqual([text.replace("\u00a0", " ") for text in said], ["0 s", "59 s", "1 min", "1 min", "1 min", "2 min", "59 min", "1 h 30 min"])


def later(instant: str, seconds: int) -> str:
    """An instant of the API some seconds later."""
    return (datetime.fromisoformat(instant.replace("Z", "+00:00")) + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


def minutes(text: str) -> int:
    """A time of day in minutes."""
    return int(text[:2]) * 60 + int(text[3:5])


if __name__ == "__main__":
    unittest.main()
