"""The web board in Chromium: how it stays fresh, and what it says when it cannot (seeds 000 and 001)."""

import datetime
import re
import time
import unittest
from zoneinfo import ZoneInfo

from browser import LONGEST
from boards import OTHER, ROWS, STATE, STOP, BoardTest, load_side_by_side as load_tests  # noqa: F401

#: The least time between two questions of the schedule, in seconds (Policy.departuresWeb, less its jitter): a question
#: that comes sooner was asked for another reason.
CADENCE = 13.0


class FreshnessOfThePage(BoardTest):
    """Offline, hidden, switched, refused, degraded."""

    EXPECTED = re.compile(r"\b(429|500|503)\b|Failed to load resource|ERR_INTERNET_DISCONNECTED|ERR_FAILED")

    def window(self, state: str) -> None:
        browser = self.stand.browser
        window = browser.call("Browser.getWindowForTarget", targetId=self.tab.target)["windowId"]
        browser.call("Browser.setWindowBounds", windowId=window, bounds={"windowState": state})

    def age(self) -> int:
        """The seconds that the freshness line speaks of."""
        found = re.search(r"updated (\d+)\s(s|min) ago", self.tab.text(".freshness"))
        self.assertIsNotNone(found, self.tab.text(".freshness"))
        return int(found.group(1)) * (60 if found.group(2) == "min" else 1)

    def assert_one_question(self, asked: int, why: str) -> None:
        """The questions since then are one, and perhaps that of the next cadence on a machine that is slow."""
        first, *others = self.tab.boards(0)[asked:]
        self.assertEqual([other["at"] - first["at"] for other in others if other["at"] - first["at"] < CADENCE], [], why)

    def test_offline_the_rows_stay_and_the_age_grows_and_back_it_recovers_with_one_request(self):
        tab = self.open()
        tab.offline(True)
        tab.wait(f"{STATE} === 'offline'")
        rows = self.destinations()
        self.assertIn("Offline", tab.text(".freshness"))
        asked = len(tab.boards())
        first = self.age()
        tab.wait(f"+/updated (\\d+)/.exec(document.querySelector('.freshness').innerText)[1] >= {first + 3}")
        # What has left makes room; nothing else comes or goes.
        shown = self.destinations()
        self.assertTrue(any(shown[:len(rows) - gone] == rows[gone:] for gone in range(4)), (rows, shown))
        self.assertEqual(len(tab.boards()), asked, "nothing is asked offline (R24)")
        tab.offline(False)
        tab.wait(f"['live', 'ageing'].includes({STATE})")
        time.sleep(1.5)
        self.assert_one_question(asked, "one request, not more")
        self.assertLess(self.age(), 45, "realtime that is older than this is not live")

    def test_hidden_nothing_is_asked_and_shown_again_one_request_goes_out_at_once(self):
        tab = self.open()
        self.window("minimized")
        tab.wait("document.hidden")
        asked = len(tab.boards())
        time.sleep(16.5)  # Longer than the cadence: a request would be due.
        self.assertEqual(len(tab.boards()), asked, "nothing is requested while the page is hidden (R11)")
        shown = time.monotonic()
        self.window("normal")
        request = tab.next_board(asked)
        # At once: not at a next time of the schedule. A busy machine needs seconds to bring a window back.
        self.assertLess(request["at"] - shown, CADENCE)
        time.sleep(2)
        self.assert_one_question(asked, "and no second one (R11)")

    def test_another_stop_clears_the_rows_at_once(self):
        tab = self.open()
        tab.intercept(lambda url: {"fail": "Failed"} if OTHER in url and "/api/stationboard?" in url else None)
        tab.run("document.querySelector('#stop-search').focus()")
        tab.type("lausanne gare")
        tab.wait("document.querySelectorAll('[role=option]').length > 0")
        tab.key("Enter")
        tab.wait("document.querySelector('h1').innerText === 'Lausanne, gare'")
        self.assertEqual(tab.run(ROWS), 0, "no row of the stop before (R4)")
        tab.intercept(None)
        tab.wait(f"{ROWS} > 2")

    def test_a_429_keeps_the_board_and_obeys_retry_after(self):
        tab = self.open()
        problem = {"type": "about:blank", "title": "Too Many Requests", "status": 429, "error": "busy"}
        tab.intercept(lambda url: {"status": 429, "headers": {"Retry-After": "8"}, "body": problem} if "/api/stationboard?" in url else None)
        rows = self.destinations()
        tab.key("r")
        tab.wait(f"{STATE} === 'failing'")
        self.assertIn("busy", tab.text(".freshness"))
        self.assertRegex(tab.text(".freshness"), r"trying again in \d\s+s")
        self.assertTrue(set(self.destinations()) & set(rows), "an error never erases a board (R22)")
        asked = len(tab.boards())
        at = tab.boards()[-1]["at"]
        tab.key("r")
        tab.intercept(None)
        tab.wait(f"['live', 'ageing'].includes({STATE})")
        self.assertGreaterEqual(tab.boards()[asked]["at"] - at, 7.9, "Retry-After binds a person too (R21)")

    def test_a_500_is_retried_once_silently_and_then_said(self):
        tab = self.open()
        tab.intercept(lambda url: {"status": 500, "body": {}} if "/api/stationboard?" in url else None)
        rows = self.destinations()
        asked = len(tab.boards())
        tab.key("r")
        tab.wait(f"{STATE} === 'failing'")
        self.assertGreaterEqual(len(tab.boards()), asked + 2, "one silent retry (R7)")
        first, second = (request["at"] for request in tab.boards()[asked:asked + 2])
        self.assertGreater(second - first, 0.65)
        self.assertIn("Server error (500)", tab.text(".freshness"))
        self.assertTrue(set(self.destinations()) & set(rows))
        tab.intercept(None)
        tab.wait(f"['live', 'ageing'].includes({STATE})")

    def test_an_unreadable_answer_and_a_dead_server_are_told_apart(self):
        tab = self.open()
        tab.intercept(lambda url: {"status": 200, "body": "<html>"} if "/api/stationboard?" in url else None)
        tab.key("r")
        tab.wait("document.querySelector('.freshness').innerText.includes('Unreadable answer')")
        tab.intercept(lambda url: {"fail": "ConnectionRefused"} if "/api/stationboard?" in url else None)
        tab.key("r")
        tab.wait("document.querySelector('.freshness').innerText.includes('cannot be reached')")
        self.assertGreater(tab.run(ROWS), 2)

    def test_every_mode_and_status_has_its_own_words(self):
        body = self.board()
        states = {
            ("full", "applied", None): ("live", "Live"),
            ("full", "applied", (15, 12, 0, 9)): ("live", "Live for 12 of 15"),
            ("full", "applied", (0, 0, 0, 9)): ("timetable", "no live data yet"),
            ("degraded_static", "partial", (4, 0, 0, 9)): ("timetable", "no live data here"),
            ("degraded_static", "partial", (4, 0, 0, 0)): ("reduced", "does not fit"),
            ("full", "partial", None): ("reduced", "Partly live"),
            ("degraded_static", "skipped_budget", None): ("reduced", "left out"),
            ("degraded_static", "missing_cache", None): ("stale", "Timetable – no live data"),
            ("degraded_static", "stale_cache", None): ("stale", "too old"),
            ("degraded_static", "stale_cache", (4, 0, 0, 0)): ("reduced", "does not fit"),
            ("degraded_static", "stale_cache", (4, 0, 3, 9)): ("stale", "Live data is old"),
            ("degraded_static", "guarded_error", None): ("stale", "Timetable – live data in error"),
            ("degraded_static", "guarded_error", (4, 0, 3, 9)): ("stale", "Live data is old – source in error"),
            ("full", "disabled", None): ("timetable", "Timetable only"),
            ("degraded_static", "applied", None): ("reduced", "Limited service"),
            ("stale_cache_fallback", "applied", None): ("reduced", "Recent copy"),
            ("static_timeout_fallback", "applied", None): ("reduced", "ran out of time"),
            ("something_new", "applied", None): ("reduced", "uncertain"),
        }
        said = {}
        self.open()
        for (mode, status, counts), (state, words) in states.items():
            with self.subTest(f"{mode} {status} {counts}"):
                applied = status == "applied"
                answer = {**body, "rt": {**body["rt"], "applied": applied}}
                coverage = counts and dict(zip(("departures", "live", "old", "matched"), counts), tripUpdates=25)
                answer["meta"] = {**body["meta"], "responseMode": mode, "rtStatus": status, "rtCacheAgeMs": 4000, "nextExpectedAt": None,
                                  "rtCoverage": coverage}
                self.tab.intercept(lambda url, answer=answer: {"status": 200, "body": answer} if "/api/stationboard?" in url else None)
                self.tab.key("R", modifiers=8)
                self.tab.wait(f"{STATE} === '{state}' && document.querySelector('.freshness').innerText.includes({words!r})")
                said[self.tab.text(".freshness strong")] = (mode, status, counts)
        # That nothing fits the timetable is said in the same words of an old feed.
        self.assertEqual(len(said), len(set(states.values())), "no two others of them look the same")

    def test_old_predictions_are_marked_on_their_rows_also_while_nothing_is_heard(self):
        """Label and rows come from one decision: the age of the prediction."""
        body = self.board()
        known = datetime.datetime.fromisoformat(body["meta"]["serverTime"])
        def row(number, age, freshness):
            each = body["departures"][number]
            leaves = known + datetime.timedelta(minutes=number + 3)
            at = None if age is None else (known - datetime.timedelta(seconds=age)).isoformat().replace("+00:00", "Z")
            when = leaves.isoformat().replace("+00:00", "Z")
            return {**each, "cancelled": False, "status": "ON_TIME", "stopEvent": None, "flags": [], "scheduledDeparture": when,
                    "realtimeDeparture": at and when, "realtimeAt": at, "realtimeFreshness": freshness}
        rows = [row(0, 10, "fresh"), row(1, 100, "ageing"), row(2, 400, "stale"), row(3, 177, "ageing"), row(4, None, None)]
        answer = {**body, "departures": rows}
        answer["meta"] = {**body["meta"], "rtStatus": "stale_cache", "responseMode": "degraded_static", "nextExpectedAt": None,
                          "rtCoverage": {"departures": 5, "live": 3, "old": 1, "tripUpdates": 4, "matched": 4}}
        tab = self.open()
        tab.intercept(lambda url: {"status": 200, "body": answer} if "/api/stationboard?" in url else None)
        tab.key("R", modifiers=8)
        marks = "[...document.querySelectorAll('.departure:not(.vacant)')].map((row) => row.dataset.realtime).join(' ')"
        tab.wait(f"{STATE} === 'stale' && document.querySelector('.freshness').innerText.includes('Live data is old')")
        # The fourth gets old while the server is not heard.
        tab.intercept(lambda url: {"fail": "ConnectionRefused"} if "/api/stationboard?" in url else None)
        tab.key("r")
        tab.wait(f"{STATE} === 'failing'")
        tab.wait(f"/^(fresh|ageing) ageing stale stale none$/.test({marks})")
        shown = tab.run("""[...document.querySelectorAll('.departure:not(.vacant) .countdown-value')].map((value) =>
          [getComputedStyle(value, '::before').content !== 'none', value.textContent.includes('prediction of')].map(Number).join(''))""")
        self.assertEqual(shown[2], "11", "an old prediction has its mark and says its age")
        self.assertEqual(shown[4], "00", "the timetable has no mark")

    def test_stops_left_out_new_ends_and_headways_are_told_in_every_language(self):
        body = self.board()
        known = datetime.datetime.fromisoformat(body["meta"]["serverTime"])
        hour = datetime.timedelta(hours=1)

        def by_phone(until: datetime.datetime) -> dict:
            booking = {"bookBy": until.isoformat().replace("+00:00", "Z"), "noticeMinutes": None, "phone": "0800 1", "message": None}
            return {"certainty": "on_demand", "boarding": "phone_agency", "booking": booking}

        changes = [
            {"skippedStops": ["Pully", "Lutry"]}, {"flags": ["SHORT_TURN"], "endsAt": "Vevey"},
            {"certainty": "headway", "headwaySec": 600}, {"certainty": "interpolated", "uncertaintySec": 100}, {},
            {"certainty": "on_demand", "boarding": "phone_agency"}, {"certainty": "on_demand", "boarding": "ask_driver"},
            {"vehicle": {"status": "STOPPED_AT", "stopsAway": 0, "occupancy": "FULL"}}, {"vehicle": {"status": "STOPPED_AT", "stopsAway": 2, "occupancy": "FULL"}},
            by_phone(known - hour), by_phone(known + hour), by_phone(known + 24 * hour),
        ]
        rows = []
        for number, change in enumerate(changes):
            leaves = (known + datetime.timedelta(minutes=number + 3)).isoformat().replace("+00:00", "Z")
            rows.append({**body["departures"][number], "cancelled": False, "status": "UNKNOWN", "stopEvent": None, "flags": [],
                         "scheduledDeparture": leaves, "realtimeDeparture": None, "realtimeAt": None, "realtimeFreshness": None,
                         "rawDelaySec": None, "delayMin": None, "displayedDelayMin": None, "replacementType": None,
                         "platformChanged": False, "alerts": [], "certainty": "exact", "uncertaintySec": None, "headwaySec": None,
                         "boarding": None, "booking": None, "vehicle": None, "skippedStops": [], "endsAt": None, **change})
        answer = {**body, "departures": rows}
        until = f"{(known + hour).astimezone(ZoneInfo(body['station']['timezone'])):%H:%M}"
        said = {
            "en": ("Does not stop at Pully, Lutry", "Ends at Vevey", "every 10 min", "Phone first", "On request", "At the stop", "Full",
                   "Booking closed", f"Phone before {until} · 0800 1", "Phone first · 0800 1"),
            "de": ("Hält nicht in Pully, Lutry", "Endet in Vevey", "alle 10 min", "Anruf nötig", "Auf Verlangen", "Am Halt", "Voll",
                   "Buchung geschlossen", f"Anruf bis {until} · 0800 1", "Anruf nötig · 0800 1"),
            "fr": ("Ne s’arrête pas à Pully, Lutry", "Terminus Vevey", "toutes les 10 min", "Sur appel", "Sur demande", "À l’arrêt", "Complet",
                   "Réservation close", f"Appeler avant {until} · 0800 1", "Sur appel · 0800 1"),
            "it": ("Non ferma a Pully, Lutry", "Termina a Vevey", "ogni 10 min", "Su chiamata", "A richiesta", "In fermata", "Pieno",
                   "Prenotazione chiusa", f"Chiamare entro {until} · 0800 1", "Su chiamata · 0800 1"),
        }
        for language, words in said.items():
            with self.subTest(language):
                tab = self.open(f"/?stop={STOP}&lang={language}")
                tab.intercept(lambda url: {"status": 200, "body": answer} if "/api/stationboard?" in url else None)
                tab.key("R", modifiers=8)
                tab.wait("document.querySelector('.pill.skips') !== null")
                pills = tab.run("[...document.querySelectorAll('.departure:not(.vacant) :is(.pill.skips, .pill.shortTurn, .pill.headway)')].map((pill) => pill.textContent)")
                self.assertEqual(len(pills), len(words))
                for text, word in zip(pills, words):
                    self.assertIn(word, text)
                self.assertNotIn("0800", pills[7], "no number is shown when it is too late")
                times = tab.run("[...document.querySelectorAll('.departure:not(.vacant) .time')].map((time) => time.textContent[0] === '≈')")
                self.assertEqual(times, [number in (2, 3) for number in range(len(changes))])
                title = tab.run("document.querySelectorAll('.departure:not(.vacant) [data-part=time]')[3].title")
                self.assertEqual(title, "± 2 min")
                minutes = tab.run("[...document.querySelectorAll('.departure:not(.vacant) .number')].map((number) => number.textContent[0] === '≈')")
                self.assertEqual(minutes, [number in (2, 3) for number in range(len(changes))])
                tab.intercept(None)

    def test_a_booking_closes_on_its_row_while_nothing_is_heard(self):
        """The board of the server does not change with that instant, so the page has to watch it."""
        tab = self.open()
        given = []

        def answer(url: str) -> dict | None:
            if "/api/stationboard?" not in url:
                return None
            if given:
                return {"fail": "ConnectionRefused"}
            body = self.board()
            until = datetime.datetime.fromisoformat(body["meta"]["serverTime"]) + datetime.timedelta(seconds=20)
            booking = {"bookBy": until.isoformat().replace("+00:00", "Z"), "noticeMinutes": None, "phone": None, "message": None}
            body["departures"][8].update(cancelled=False, status="UNKNOWN", stopEvent=None, flags=[], boarding="phone_agency", booking=booking)
            given.append(body)
            return {"status": 200, "body": body}

        tab.intercept(answer)
        tab.key("R", modifiers=8)
        pills = "[...document.querySelectorAll('.departure:not(.vacant) .pill.headway')].map((pill) => pill.textContent).join('|')"
        tab.wait(f"/Phone before \\d\\d:\\d\\d/.test({pills})")
        tab.wait(f"{pills}.includes('Booking closed')")
        self.assertNotIn("Phone", tab.run(pills))

    def test_no_state_is_cut_on_a_phone_in_any_language(self):
        """What a board rests on must be readable to its end, and so must the time of the next attempt."""
        names = ("live", "timetableOnly", "livePartial", "liveFor", "liveNotYet", "liveNone", "liveNoMatch", "liveOldError", "liveSkipped", "liveMissing", "liveStale", "liveError", "liveUnknown", "liveOld", "modeDegraded", "modeCopy",
                 "modeTimeout", "kept", "savedBoard", "fromDisk", "unconfirmed", "offline", "failedTimeout", "failedUnreadable", "failedBusy", "failedServer", "failedNoTimetable",
                 "failedUnreachable", "failedRefused", "failedUnauthorised", "failedGone")
        self.tab.size(360, 780, 2, True)
        for language in ("fr", "de", "it", "en"):
            tab = self.open(f"/?stop={STOP}&lang={language}")
            cut = tab.run(f"""Promise.all([import('/sources/messages/messages.js'), import('/sources/messages/{language}/board.js')]).then(([{{ sentences }}, messages]) => {{
              const say = sentences({language!r}, messages.default);
              const cut = [];
              const fits = (part, text) => {{
                const node = document.querySelector(`.freshness ${{part}}`).cloneNode();
                document.querySelector('.freshness p').append(node);
                node.textContent = text;
                if (node.scrollWidth > node.clientWidth) cut.push(text);
                node.remove();
              }};
              for (const name of {list(names)!r}) fits('strong', say(name, {{ status: 503 }}));
              fits('[data-part=detail]', `${{say('updatedAgo', {{ age: '59 min' }})}} · ${{say('tryingAgainIn', {{ span: '20 s' }})}}`);
              return cut;
            }})""")
            with self.subTest(language):
                self.assertEqual(cut, [])

    def test_live_data_that_fails_once_is_kept_and_says_so(self):
        tab = self.open()
        tab.wait(f"{STATE} === 'live'")
        body = self.board()
        for departure in body["departures"]:
            departure.update(realtimeDeparture=None, delayMin=None, rawDelaySec=None, displayedDelayMin=None, status="UNKNOWN", destination="Nowhere")
        body["rt"]["applied"] = False
        body["meta"].update(rtStatus="missing_cache", responseMode="degraded_static")
        tab.intercept(lambda url: {"status": 200, "body": body} if "/api/stationboard?" in url else None)
        tab.key("r")
        tab.wait(f"{STATE} === 'kept'")
        self.assertNotIn("Nowhere", self.destinations(), "the better board stays (R20)")
        tab.key("R", modifiers=8)
        tab.wait("document.querySelector('[data-part=open]').textContent === 'Nowhere'")

    def test_the_age_does_not_follow_a_clock_that_is_set_back(self):
        tab = self.open()
        tab.offline(True)
        tab.wait(f"{STATE} === 'offline'")
        before, began = self.age(), time.monotonic()
        tab.run("(() => { const now = Date.now; Date.now = () => now() - 3600_000; })()")
        # It grows, and by no more than the time that passes.
        tab.wait(f"+/updated (\\d+)/.exec(document.querySelector('.freshness').innerText)[1] >= {before + 2}")
        self.assertLessEqual(self.age(), before + time.monotonic() - began + 2)

    def test_an_unchanged_board_is_confirmed_by_its_tag(self):
        tab = self.open()
        tab.wait("document.querySelector('.freshness').checkVisibility()")
        # Between two questions there may be a publication: more of them on a busy machine.
        for _ in range(20):
            asked = len(tab.boards())
            tab.key("r")
            request = tab.next_board(asked)
            if tab.responses.get(request["id"], {}).get("status") == 304:
                self.assertIn("If-None-Match", request["headers"])
                self.assertIn(tab.size_of(request), range(100, 2000))
                return
        self.fail("no 304 in twenty questions")

    def test_a_stream_is_not_opened_again_before_the_time_that_it_named(self):
        """WHATWG HTML: retry, as a minimum; it ends as soon as it began."""
        ended = {"status": 200, "headers": {"Content-Type": "text/event-stream"}, "body": "retry: 6000\n\n"}
        self.tab.intercept(lambda url: ended if "/api/stationboard/stream" in url else None)
        first = len(self.tab.requests)
        tab = self.open(f"/?stop={STOP}&lang=en&updates=stream")

        def streams() -> list[dict]:
            return [request for request in tab.requests[first:] if "/api/stationboard/stream" in request["url"]]

        deadline = time.monotonic() + LONGEST
        while len(streams()) < 3:
            self.assertLess(time.monotonic(), deadline, "no third stream")
            time.sleep(0.05)
        times = [request["at"] for request in streams()]
        for earlier, later in zip(times, times[1:]):
            self.assertGreaterEqual(later - earlier, 5.9)

    def test_the_stream_brings_changes_where_it_is_requested(self):
        tab = self.open(f"/?stop={STOP}&lang=en&updates=stream")
        tab.wait("true")
        streams = [request for request in tab.requests if "/api/stationboard/stream" in request["url"]]
        self.assertEqual(len(streams), 1)
        asked = len(tab.boards())
        before = tab.text("[data-part=rows]")
        tab.wait(f"document.querySelector('[data-part=rows]').innerText !== {before!r}")
        self.assertLessEqual(len(tab.boards()), asked + 1, "the stream replaces polling (R33)")


if __name__ == "__main__":
    unittest.main()
