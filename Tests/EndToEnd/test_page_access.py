"""The web board in Chromium: whether everybody can use it, and whether it holds still."""

import re
import unittest

from boards import OTHER, ROWS, STATE, STOP, BoardTest, load_side_by_side as load_tests  # noqa: F401

# Every text that is shown, with the contrast to its background, and the least it may have (WCAG 2.2, 1.4.3).
CONTRASTS = """
(() => {
  const parts = (text) => text.match(/[\\d.]+/g).map(Number);
  const colour = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const srgb = (text) => { colour.clearRect(0, 0, 1, 1); colour.fillStyle = text; colour.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = colour.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255]; };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  // What is painted behind a text by a pseudo-element counts as its ground.
  const behind = (node) => { const after = getComputedStyle(node, '::after'); return after.content !== 'none' && after.zIndex === '-1' ? srgb(after.backgroundColor) : [0, 0, 0, 0]; };
  const ground = (node) => { for (let at = node; at; at = at.parentElement) for (const c of [behind(at), srgb(getComputedStyle(at).backgroundColor)]) if (c[3] > .99) return c;
    return [255, 255, 255, 1]; };
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let count = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const owner = node.parentElement;
    if (!node.data.trim() || !owner.checkVisibility({ visibilityProperty: true }) || owner.closest('.unseen, option, .skip, template')) continue;
    count += 1;
    const style = getComputedStyle(owner);
    const [a, b] = [light(srgb(style.color)), light(ground(owner))].sort((x, y) => x - y);
    const ratio = (b + .05) / (a + .05);
    const size = parseFloat(style.fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (isLarge ? 3 : 4.5)) poor.push(`${ratio.toFixed(2)} ${owner.className || owner.localName}: ${node.data.trim().slice(0, 40)}`);
  }
  return { poor, count };
})()
"""
TARGETS = """
[...document.querySelectorAll('button, select, input, a')].filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.departure, .skip'))
  .map((one) => [one, one.getBoundingClientRect()]).filter(([one, box]) => one.type !== 'checkbox' && (box.width < 40 || box.height < 40))
  .map(([one, box]) => `${one.id || one.dataset.part || one.className}: ${Math.round(box.width)} x ${Math.round(box.height)}`)
"""
SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput)
  window.shifts.push([entry.value, ...entry.sources.map(({ node }) => node?.className || node?.nodeName)]); }).observe({ type: 'layout-shift', buffered: true });
"""


BOXES = """
[...document.querySelectorAll('.pane .departure')].map((one) => one.getBoundingClientRect()).map((box) => [box.x, box.y, box.width, box.height].map(Math.round).join(' '))
"""
PLAIN = {"cancelled": False, "platformChanged": False, "flags": [], "alerts": [], "replacementType": None}
REMARKABLE = {"platformChanged": True, "previousPlatform": "1", "platform": "12", "flags": ["EXTRA_SERVICE"],
              "alerts": [{"id": "a", "severity": "warning", "header": "Construction work", "description": "Long words"}]}
GROWING = ".board tr.departure { height: auto !important; min-height: 3.5rem; contain: none !important; } .departure .remark { display: block !important; height: auto !important; } .departure .pill { display: block !important; }"
COLOURS = """
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const srgb = (text) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = text; canvas.fillRect(0, 0, 1, 1); const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data; return [r, g, b, a / 255]; };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const ground = (node) => { for (let at = node; at; at = at.parentElement) { const c = srgb(getComputedStyle(at).backgroundColor); if (c[3] > .99) return c; } return [255, 255, 255, 1]; };
  const ratio = (one, other) => { const [a, b] = [light(one), light(other)].sort((x, y) => x - y); return (b + .05) / (a + .05); };
"""
SIGNS = "(() => {" + COLOURS + """
  const poor = [];
  for (const sign of document.querySelectorAll('button svg.sign, .freshness > svg.sign, .search-field svg.sign')) {
    if (!sign.checkVisibility({ visibilityProperty: true })) continue;
    const value = ratio(srgb(getComputedStyle(sign).color), ground(sign));
    if (value < 3) poor.push(`${value.toFixed(2)} ${sign.closest('button')?.id || sign.closest('[data-part]')?.dataset.part}`);
  }
  for (const box of document.querySelectorAll('.tool, .message button, .more button')) {
    if (!box.checkVisibility({ visibilityProperty: true })) continue;
    const value = ratio(srgb(getComputedStyle(box).borderTopColor), ground(box.parentElement));
    if (value < 3 && ratio(ground(box), ground(box.parentElement)) < 3) poor.push(`${value.toFixed(2)} edge of ${box.dataset.part}`);
  }
  return poor;
})()"""
RING = "(() => {" + COLOURS + """
  const active = document.activeElement;
  if (active === document.body || active.classList.contains('skip')) return [];
  const owner = [active, active.closest('.search-field')].filter(Boolean).map((node) => ['', '::after'].map((part) => [node, getComputedStyle(node, part)])).flat()
    .find(([, style]) => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2);
  if (!owner) return [`no ring on ${active.id || active.dataset.part}`];
  const [node, style] = owner;
  // Inside a box the ring is on the box itself, outside on what is around it.
  const behind = parseFloat(style.outlineOffset) < 0 ? ground(node) : ground(node.parentElement);
  const value = ratio(srgb(style.outlineColor), behind);
  return value < 3 ? [`${value.toFixed(2)} ring of ${active.id || active.dataset.part}`] : [];
})()"""


class AccessToThePage(BoardTest):
    """Names, roles, contrast, keys, sizes, and nothing that jumps."""

    def tree(self) -> list[dict]:
        """The nodes of the accessibility tree that are not ignored."""
        nodes = self.tab.call("Accessibility.getFullAXTree")["nodes"]
        return [
            {"role": node["role"]["value"], "name": node.get("name", {}).get("value", ""), "properties": {one["name"]: one["value"].get("value") for one in node.get("properties", [])}}
            for node in nodes if not node["ignored"]
        ]

    def test_everything_that_can_be_operated_has_a_name_and_the_board_is_a_table(self):
        self.open()
        tree = self.tree()
        controls = [node for node in tree if node["role"] in ("button", "combobox", "textbox", "checkbox", "listbox", "link", "MenuListPopup")]
        self.assertGreater(len(controls), 10)
        self.assertEqual([node for node in controls if not node["name"] and node["role"] != "MenuListPopup"], [])
        roles = {node["role"] for node in tree}
        self.assertLessEqual({"banner", "main", "search", "table", "row", "columnheader", "rowheader", "cell", "heading", "contentinfo"}, roles)
        table = next(node for node in tree if node["role"] == "table")
        self.assertEqual(table["name"], "Departures: Lausanne")
        rows = [node for node in tree if node["role"] == "row"]
        self.assertGreater(len(rows), 10)

    def test_a_row_reads_as_a_sentence(self):
        tab = self.open()
        words = tab.run(
            "[...document.querySelectorAll('.departure:not(.vacant)')].map((row) => [...row.querySelectorAll('*')].filter((one) => one.children.length === 0"
            " && !one.closest('[aria-hidden]')).map((one) => one.textContent.trim()).filter(Boolean).join(' '))"
        )
        self.assertTrue(any(re.search(r"^\d\d:\d\d (Train|Bus|Metro|Tram) .+ in \d+ minutes?$", row) for row in words), words[:4])

    def test_every_text_can_be_read_on_its_ground(self):
        for theme in ("light", "dark"):
            for stop in (STOP, OTHER):
                with self.subTest(f"{theme} {stop}"):
                    self.open(f"/?stop={stop}&lang=en&theme={theme}")
                    found = self.tab.run(CONTRASTS)
                    self.assertGreater(found["count"], 40)
                    self.assertEqual(found["poor"], [])

    def test_a_degraded_line_can_be_read_too(self):
        tab = self.open()
        for state in ("live", "ageing", "timetable", "reduced", "stale", "kept", "saved", "offline", "failing"):
            with self.subTest(state):
                tab.run(f"document.querySelector('.pane').dataset.state = '{state}'")
                self.assertEqual(tab.run(CONTRASTS)["poor"], [])

    def test_what_is_pressed_is_large_enough_for_a_thumb(self):
        self.tab.size(390, 844, 2, True)
        tab = self.open()
        self.assertEqual(tab.run(TARGETS), [])
        self.assertEqual(tab.run("document.documentElement.scrollWidth"), 390, "nothing to scroll sideways")
        self.assertGreater(tab.run("document.querySelector('.topbar').getBoundingClientRect().top"), 700, "under the thumb")

    def test_a_narrow_and_an_enlarged_page_hold_everything(self):
        for width in (320, 360, 768, 1024):
            with self.subTest(width):
                self.tab.size(width, 800)
                tab = self.open(f"/?stop={STOP}&lang=de")
                self.assertEqual(tab.run("document.documentElement.scrollWidth"), width)

    def test_the_keyboard_alone_reaches_everything(self):
        tab = self.open()
        reached = set()
        for _ in range(14):
            tab.key("Tab")
            reached.add(tab.run("document.activeElement.id || document.activeElement.dataset.part || document.activeElement.className"))
            outline = tab.run("(() => { const one = document.activeElement; const box = one.closest('.search-field') ?? one;"
                              " return [box, one].some((node) => ['', '::after'].some((part) => getComputedStyle(node, part).outlineStyle !== 'none')); })()")
            self.assertTrue(outline, f"the focus is seen on {sorted(reached)}")
        self.assertLessEqual({"skip", "stop-search", "nearby", "favourites-open", "settings-open", "star", "refresh", "views", "filters", "open"}, reached)
        tab.key("?")
        tab.wait("document.querySelector('#help').open")
        tab.key("Escape")
        tab.wait("!document.querySelector('#help').open")
        tab.key("d")
        tab.wait("!document.querySelector('#diagnostics').hidden")

    def test_single_letters_can_be_switched_off(self):
        tab = self.open()
        tab.run("document.querySelector('#keys').click()")
        tab.key("d")
        self.assertTrue(tab.run("document.querySelector('#diagnostics').hidden"))

    def test_a_screen_reader_is_told_politely(self):
        tab = self.open()
        tab.wait("document.querySelector('#announcement').textContent !== ''")
        self.assertRegex(tab.run("document.querySelector('#announcement').textContent"), r"^Lausanne: \d+ departures$")
        self.assertEqual(tab.run("document.querySelector('#announcement').getAttribute('role')"), "status")
        self.assertEqual(tab.run("document.querySelector('.freshness [role=status], .freshness[aria-live]')"), None, "ages are not read aloud every second")
        tab.offline(True)
        tab.wait("document.querySelector('#announcement').textContent === 'Lausanne: Offline'")

    def test_nothing_moves_with_reduced_motion(self):
        self.tab.media(prefers_reduced_motion="reduce")
        tab = self.open()
        moving = tab.run("document.getAnimations().filter((one) => one.playState === 'running').length")
        self.assertEqual(moving, 0)

    def test_nothing_jumps_when_rows_change(self):
        for size in ((1280, 900, 1, False), (390, 844, 2, True)):
            with self.subTest(size[0]):
                before, shifts, after = self.turned(size)
                self.assertEqual(shifts, [])
                self.assertGreater(len(before), 8)
                for boxes in after:
                    self.assertEqual(boxes[:len(before)], before, "every place is where it was")

    def test_a_page_whose_rows_grow_would_be_caught(self):
        """The same turns on a page that is broken on purpose: rows as high as their content."""
        before, shifts, after = self.turned((1280, 900, 1, False), broken=GROWING)
        self.assertNotEqual(shifts, [], "the browser's own measure notices")
        self.assertTrue(any(boxes[:len(before)] != before for boxes in after), "and so do the boxes")

    def turned(self, size: tuple, broken: str = "") -> tuple[list, list, list]:
        """Rows leave, come, swap, are cancelled, moved, and get remarks, alerts and messages: where the places were
        before, the shifts that the browser noticed, and where the places were after each turn."""
        tab = self.tab
        tab.size(*size)
        tab.call("Page.addScriptToEvaluateOnNewDocument", source=SHIFTS)
        # The last turn of another size has few rows.
        tab.intercept(None)
        self.open()
        tab.wait(f"['live', 'ageing'].includes({STATE})")
        body = self.board()
        plain = [{**departure, **PLAIN} for departure in body["departures"]]
        if broken:
            tab.run(f"document.adoptedStyleSheets = [Object.assign(new CSSStyleSheet(), {{}})]; document.adoptedStyleSheets[0].replaceSync({broken!r})")
        self.answer(body, plain, [], -1)
        tab.run("scrollTo(0, 0)")
        tab.run("new Promise((resolve) => setTimeout(resolve, 700))")
        before, after = tab.run(BOXES), []
        tab.run("window.shifts.length = 0")
        orders = (plain[1:], plain[3:], [plain[1], plain[0], *plain[4:]], plain, plain[:5])
        for turn, left in enumerate(orders):
            left = [{**departure, **REMARKABLE, "cancelled": turn % 2 == 0} if index % 3 == turn % 3 else departure for index, departure in enumerate(left)]
            banners = [{"severity": "warning", "header": "Line closed", "description": "Until noon", "affected": []}] if turn % 2 else []
            self.answer(body, left, banners, turn)
            tab.run("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 150))))")
            after.append(tab.run(BOXES))
        # A shift is told a little later, and only once the page has been drawn again.
        tab.run("new Promise((resolve) => setTimeout(resolve, 600))")
        return before, tab.run("window.shifts"), after

    def answer(self, body: dict, departures: list[dict], banners: list[dict], turn: int) -> None:
        """Gives the page a board, and waits until it shows it."""
        first = {**departures[0], "destination": f"Turn {turn}"}
        answer = {**body, "departures": [first, *departures[1:]], "banners": banners}
        self.tab.intercept(lambda url: {"status": 200, "body": answer} if "/api/stationboard?" in url else None)
        self.tab.run("document.querySelector('[data-part=refresh]').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
        self.tab.wait(f"document.querySelector('[data-part=open]').textContent === 'Turn {turn}'")

    def test_everything_that_opens_can_be_read_too(self):
        """Every kind of row, every dialog and every message, in both schemes."""
        for theme in ("light", "dark"):
            tab = self.open(f"/?stop={STOP}&lang=en&theme={theme}")
            departures = self.received()["departures"]
            kinds = [{"cancelled": True}, {"status": "SKIPPED_STOP"}, {"rawDelaySec": -120, "delayMin": -2, "displayedDelayMin": -2}, {"displayedDelayMin": 7, "delayMin": 7, "rawDelaySec": 400},
                     {"platformChanged": True, "previousPlatform": "1", "platform": "12"}, {"flags": ["EXTRA_SERVICE"]}, {"replacementType": "bus"}, {"flags": ["SHORT_TURN"]},
                     {"alerts": [{"id": "a", "severity": "warning", "header": "Construction work", "description": "Long words"}]}]
            rows = [{**departure, **kinds[index % len(kinds)]} for index, departure in enumerate(departures)]
            banners = [{"severity": "warning", "header": "Line closed", "description": "Until noon", "affected": []}] * 2
            self.answer(self.received(), rows, banners, 0)
            tab.wait("document.querySelectorAll('.pill').length > 6")
            steps = {
                "rows": "1", "alert": "document.querySelector('[data-part=alert]:not([hidden])').click()", "messages": "document.querySelector('.banner-toggle').click()",
                "settings": "document.querySelector('#settings-open').click()", "help": "document.querySelector('#settings').close(); document.querySelector('#help').showModal()",
                "favourites": "document.querySelector('#help').close(); document.querySelector('[data-part=star]').click(); document.querySelector('#favourites-open').click()",
                "filters": "document.querySelector('#favourites').close(); document.querySelector('[data-part=filters]').click()",
                "trip": "document.querySelector('#filters').close(); document.querySelectorAll('[data-part=open]')[3].click()",
                "diagnostics": "document.querySelector('#trip').close(); document.querySelector('#diagnostics-open').click()",
            }
            for name, step in steps.items():
                with self.subTest(f"{theme} {name}"):
                    tab.run(step)
                    if name == "trip":
                        tab.wait("document.querySelectorAll('#trip-stops li').length > 1")
                    found = tab.run(CONTRASTS)
                    self.assertGreater(found["count"], 40)
                    self.assertEqual(found["poor"], [])

    def test_every_control_shows_where_it_ends_and_where_the_focus_is(self):
        """WCAG 2.2, 1.4.11: signs, edges and the ring of the focus have a contrast of 3 to what is around them."""
        for theme in ("light", "dark"):
            with self.subTest(theme):
                tab = self.open(f"/?stop={STOP}&lang=en&theme={theme}")
                self.assertEqual(tab.run(SIGNS), [])
                poor = []
                for _ in range(16):
                    tab.key("Tab")
                    poor += tab.run(RING)
                self.assertEqual(poor, [])

    def test_the_keyboard_alone_goes_through_every_dialog_and_back(self):
        tab = self.open()
        opened = {
            "settings": ("#settings-open", "#settings"), "favourites": ("#favourites-open", "#favourites"),
            "filters": ("[data-part=filters]", "#filters"), "trip": (".departure [data-part=open]", "#trip"),
        }
        for name, (opener, dialog) in opened.items():
            with self.subTest(name):
                tab.run(f"document.querySelector({opener!r}).focus()")
                tab.key("Enter")
                tab.wait(f"document.querySelector({dialog!r}).open")
                if name == "trip":
                    tab.wait("document.querySelectorAll('#trip-stops li').length > 1")
                inside = tab.run(f"document.querySelector({dialog!r}).contains(document.activeElement)")
                self.assertTrue(inside, "the focus is in what was opened")
                count = tab.run(f"[...document.querySelectorAll({dialog!r} + ' :is(button, select, input)')].filter((one) => one.checkVisibility() && !one.disabled).length")
                reached = set()
                for _ in range(count + 2):
                    reached.add(tab.run(f"(() => {{ const list = [...document.querySelectorAll({dialog!r} + ' :is(button, select, input)')]; return list.indexOf(document.activeElement); }})()"))
                    tab.key("Tab")
                self.assertEqual(len(reached - {-1}), count, "Tab reaches every control of it")
                self.assertFalse(tab.run("document.querySelector('.topbar').contains(document.activeElement)"), "and nothing behind it")
                tab.key("Escape")
                tab.wait(f"!document.querySelector({dialog!r}).open")
                self.assertTrue(tab.run(f"document.activeElement === document.querySelector({opener!r})"), "the focus is back where it came from")

    def test_the_search_is_a_combobox_that_the_arrows_walk_through(self):
        tab = self.open()
        tab.key("/")
        tab.type("lausanne")
        tab.wait("document.querySelectorAll('[role=option]').length > 2")
        self.assertEqual(tab.run("document.querySelector('#stop-search').getAttribute('aria-expanded')"), "true")
        for number in range(2):
            tab.key("ArrowDown")
            self.assertEqual(tab.run("document.querySelector('[role=option][aria-selected=true]').id"), f"stop-suggestion-{number}")
        tab.key("Escape")
        self.assertEqual(tab.run("document.querySelector('#stop-search').getAttribute('aria-expanded')"), "false")
        self.assertEqual(tab.text("h1"), "Lausanne", "nothing was chosen")

    def test_a_change_is_told_once_and_an_unchanged_board_says_nothing(self):
        tab = self.open()
        tab.wait("document.querySelector('#announcement').textContent !== ''")
        body = self.received()
        rows = [{**departure, "cancelled": False, "status": "ON_TIME"} for departure in body["departures"]]
        self.answer(body, rows, [], 0)
        tab.run("document.querySelector('#announcement').textContent = ''")
        # The gap between two sentences is twenty seconds; no one is flooded.
        tab.run("(() => { const now = performance.now.bind(performance); performance.now = () => now() + 21000; })()")
        self.answer(body, [rows[0], {**rows[1], "cancelled": True}, *rows[2:]], [], 1)
        tab.wait("document.querySelector('#announcement').textContent !== ''")
        self.assertRegex(tab.run("document.querySelector('#announcement').textContent"), r" to .+: Cancelled")
        tab.run("document.querySelector('#announcement').textContent = ''")
        self.answer(body, [rows[0], {**rows[1], "cancelled": True}, *rows[2:]], [], 2)
        tab.run("new Promise((resolve) => setTimeout(resolve, 300))")
        self.assertEqual(tab.run("document.querySelector('#announcement').textContent"), "")


if __name__ == "__main__":
    unittest.main()
