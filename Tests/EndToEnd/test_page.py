"""The web board in a real, headless Chromium: what a person can do with it."""

import json
import re
import unittest

from boards import OTHER, ROWS, STATE, STOP, BoardTest, load_side_by_side as load_tests  # noqa: F401


class BoardOnThePage(BoardTest):
    """Search, board, changes, links, keys."""

    def test_a_person_searches_a_stop_and_sees_its_board_change_within_a_tick(self):
        tab = self.open("/?lang=en", rows=False)
        tab.key("/")
        tab.wait("document.activeElement.id === 'stop-search'")
        tab.type("lausanne ga")
        tab.wait("document.querySelectorAll('[role=option]').length > 0")
        tab.key("ArrowDown")
        self.assertEqual(tab.run("document.activeElement.getAttribute('aria-activedescendant')"), "stop-suggestion-0")
        chosen = tab.text("#stop-suggestion-0 .suggestion-name")
        tab.key("Enter")
        tab.wait(f"{ROWS} > 2")
        self.assertEqual(tab.text("h1"), chosen)
        self.assertIn("stop=", tab.run("location.search"))
        tab.wait(f"['live', 'ageing'].includes({STATE})")
        before = tab.run("document.querySelector('[data-part=rows]').innerText")
        # The board asks every 15 s.
        tab.wait(f"document.querySelector('[data-part=rows]').innerText !== {json.dumps(before)}")

    def test_the_rows_are_those_of_the_api(self):
        self.open()
        self.assertGreater(len(self.shows_what_it_received()), 10)

    def test_every_language_is_complete(self):
        words = self.tab_words()
        for language, (title, view) in {
            "fr": ("Départs", "Par minute"), "de": ("Abfahrten", "Nach Minuten"), "it": ("Partenze", "Per minuto"), "en": ("Departures", "By minute"),
        }.items():
            with self.subTest(language):
                tab = self.open(f"/?stop={STOP}&lang={language}")
                self.assertEqual(tab.run("document.documentElement.lang"), language)
                self.assertIn(title, tab.run("document.title"))
                self.assertEqual(tab.run("document.querySelector('[data-part=views]').selectedOptions[0].text"), view)
                self.assertNotRegex(tab.run("document.body.innerText"), r"undefined|\bNaN\b|\{\w+\}")
                self.assertEqual(set(words[language]), set(words["en"]))
                for name, form in words[language].items():
                    self.assertEqual(places(form), places(words["en"][name]), name)

    def tab_words(self):
        self.open("/?lang=en", rows=False)
        return {language: self.tab.run(f"import('/sources/messages/{language}/board.js').then((words) => words.default)") for language in ("fr", "de", "it", "en")}

    def test_a_link_shows_what_was_shown(self):
        tab = self.open()
        line = tab.run("document.querySelector('.departure [data-part=line]').textContent")
        tab.click("[data-part=filters]")
        tab.wait("document.querySelector('#filters').open")
        tab.run(f"[...document.querySelectorAll('#filter-lines .choice')].find((one) => one.textContent === {json.dumps(line)}).querySelector('input').click()")
        tab.key("Escape")
        tab.wait("!document.querySelector('#filters').open")
        self.assertIn(f"lines={line}", tab.run("location.search"))
        lines = "new Set([...document.querySelectorAll('.departure:not(.vacant) [data-part=line]')].map((one) => one.textContent)).size"
        self.assertEqual(tab.run(lines), 1)
        self.shows_what_it_received(lambda departure: name_of(departure["line"]) == line)
        self.open(tab.run("location.href").removeprefix(self.stand.url))
        self.shows_what_it_received(lambda departure: name_of(departure["line"]) == line)

    def test_views_by_line_and_trains(self):
        tab = self.open(f"/?stop={OTHER}&lang=en")
        self.freeze()
        everything = self.destinations()
        views = tab.run("[...document.querySelector('[data-part=views]').options].map((one) => one.value)")
        self.assertIn("lines", views)
        tab.run("(() => { const views = document.querySelector('[data-part=views]'); views.value = 'lines'; views.dispatchEvent(new Event('change', { bubbles: true })); })()")
        self.assertIn("view=lines", tab.run("location.search"))
        lines = tab.run("[...document.querySelectorAll('.departure:not(.vacant) [data-part=line]')].map((one) => one.textContent)")
        self.assertEqual(lines, sorted(lines, key=lambda name: (len(name), name)) if all(name.isdigit() for name in lines) else lines)
        self.assertNotEqual(self.destinations(), everything)
        grouped = [line for index, line in enumerate(lines) if index == 0 or lines[index - 1] != line]
        self.assertEqual(len(grouped), len(set(grouped)), "the rows of a line stand together")

    def test_a_favourite_is_kept_and_home_opens_at_the_start(self):
        tab = self.open()
        tab.click("[data-part=star]")
        self.assertEqual(tab.run("document.querySelector('[data-part=star]').getAttribute('aria-pressed')"), "true")
        tab.click("#favourites-open")
        self.assertEqual(tab.text(".favourite-name"), "Lausanne")
        tab.click("#favourites-list [aria-pressed]")
        tab.key("Escape")
        self.open(f"/?stop={OTHER}&lang=en")
        self.open("/?lang=en")
        self.assertEqual(tab.text("h1"), "Lausanne")

    def test_a_trip_opens_with_its_calls_and_closes_with_escape(self):
        tab = self.open()
        tab.key("ArrowDown")
        self.assertEqual(tab.run("document.activeElement.dataset.part"), "open")
        tab.key("Enter")
        tab.wait("document.querySelector('#trip').open && document.querySelectorAll('#trip-stops li').length > 1")
        self.assertEqual(tab.run("document.querySelectorAll('#trip-stops [aria-current=location]').length"), 1)
        self.assertIn("Lausanne", tab.text("#trip-stops .here .stop-name"))
        self.assertIn("trip=", tab.run("location.search"))
        link = tab.run("location.href").removeprefix(self.stand.url)
        tab.key("Escape")
        # The address follows the end of the dialog, which the browser tells a moment later.
        tab.wait("!document.querySelector('#trip').open && !location.search.includes('trip=')")
        self.assertEqual(tab.run("document.activeElement.dataset.part"), "open", "the focus is back on the row")
        self.open(link)
        tab.wait("document.querySelector('#trip').open")

    def test_two_boards_stand_side_by_side_and_are_asked_for_once_each(self):
        tab = self.open(f"/?stop={STOP}&stop2={OTHER}&lang=en")
        tab.wait("[...document.querySelectorAll('.pane')].every((pane) => pane.querySelectorAll('.departure:not(.vacant)').length > 2)")
        self.assertEqual(tab.run("[...document.querySelectorAll('h1')].map((one) => one.innerText)"), ["Lausanne", "Lausanne, gare"])
        self.assertEqual(len(tab.boards()), 2)
        left, right = tab.run("[...document.querySelectorAll('.pane')].map((pane) => pane.getBoundingClientRect().x)")
        self.assertLess(left, right)
        tab.run("document.querySelectorAll('[data-part=close]')[1].click()")
        self.assertEqual(tab.run("document.querySelectorAll('.pane').length"), 1)
        self.assertNotIn("stop2", tab.run("location.search"))

    def test_back_and_forth_through_the_history(self):
        tab = self.open()
        tab.run("document.querySelector('#stop-search').focus()")
        tab.type("lausanne gare")
        tab.wait("document.querySelectorAll('[role=option]').length > 0")
        tab.key("Enter")
        tab.wait("document.querySelector('h1').innerText === 'Lausanne, gare'")
        tab.run("history.back()")
        tab.wait(f"document.querySelector('h1').innerText === 'Lausanne' && {ROWS} > 2")

    def test_embedded_the_board_stands_alone(self):
        tab = self.open(f"/?stop={STOP}&lang=en&mode=embed")
        self.assertFalse(tab.run("document.querySelector('.topbar').checkVisibility()"))
        self.assertTrue(tab.run("document.querySelector('.freshness').checkVisibility()"))

    def test_a_wall_fills_its_screen_and_does_not_scroll(self):
        self.tab.size(1920, 1080)
        tab = self.open(f"/?stop={STOP}&lang=en&view=wall")
        self.assertEqual(tab.run("document.documentElement.scrollHeight"), 1080)
        last = tab.run("[...document.querySelectorAll('.departure')].at(-1).getBoundingClientRect().bottom")
        self.assertGreater(last, 1080 * 0.85)
        self.assertLessEqual(last, 1080)

    def test_an_unknown_stop_says_so_and_leads_back_to_the_search(self):
        self.EXPECTED = re.compile("404")
        tab = self.open("/?stop=nowhere&lang=en", rows=False)
        tab.wait("!document.querySelector('[data-part=message]').hidden")
        self.assertIn("not in the timetable", tab.text("[data-part=message]"))
        tab.click("[data-part=messageaction]")
        self.assertEqual(tab.run("document.activeElement.id"), "stop-search")

    def test_the_clock_is_that_of_the_stop_and_of_the_server(self):
        tab = self.open()
        server = self.board()["meta"]["serverTime"]
        hours = (int(server[11:13]) + 1) % 24  # Zurich in November
        shown = tab.text(".clock")
        self.assertRegex(shown, r"^\d\d:\d\d:\d\d$")
        minutes = int(shown[:2]) * 60 + int(shown[3:5])
        self.assertLessEqual(abs(minutes - hours * 60 - int(server[14:16])), 1)

    def test_the_theme_can_be_chosen(self):
        tab = self.open(f"/?stop={STOP}&lang=en&theme=dark")
        dark = tab.run("getComputedStyle(document.querySelector('.departure')).backgroundColor")
        tab.run("(() => { const theme = document.querySelector('#theme'); theme.value = 'light'; theme.dispatchEvent(new Event('change')); })()")
        self.assertNotEqual(tab.run("getComputedStyle(document.querySelector('.departure')).backgroundColor"), dark)
        self.assertIn("theme=light", tab.run("location.search"))

    def test_nearby_stops_by_the_position_of_the_device(self):
        tab = self.open("/?lang=en", rows=False)
        self.stand.browser.call("Browser.grantPermissions", permissions=["geolocation"], browserContextId=tab.context)
        tab.call("Emulation.setGeolocationOverride", latitude=46.517, longitude=6.629, accuracy=10)
        tab.click("#nearby")
        tab.wait("document.querySelectorAll('[role=option]').length > 1")
        self.assertIn("Lausanne", tab.text("#stop-suggestion-0"))
        self.assertRegex(tab.text("#stop-suggestion-1 .suggestion-note"), r"\d+\sm")


def name_of(line):
    """A line's name as the page writes it: without leading zeros."""
    return re.sub(r"^([A-Za-z]*)0+(?=\d)", r"\1", (line or "").strip())


def places(form):
    """The places of a sentence that its values fill in."""

    forms = [form] if isinstance(form, str) else form.values()
    return {place for one in forms for place in re.findall(r"\{(\w+)\}", one)}


if __name__ == "__main__":
    unittest.main()
