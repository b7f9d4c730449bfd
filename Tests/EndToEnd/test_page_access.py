"""The web board in Chromium: whether everybody can use it, and whether it holds still."""

import re
import unittest

from boards import OTHER, ROWS, STATE, STOP, BoardTest

# Every text that is shown, with the contrast to what it stands on, and the least it may have (WCAG 2.2, 1.4.3).
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
        for state in ("live", "ageing", "timetable", "reduced", "stale", "held", "saved", "offline", "failing"):
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

    def test_nothing_moves_for_who_wishes_for_less_motion(self):
        self.tab.media(prefers_reduced_motion="reduce")
        tab = self.open()
        moving = tab.run("document.getAnimations().filter((one) => one.playState === 'running').length")
        self.assertEqual(moving, 0)

    def test_nothing_jumps_when_rows_change(self):
        tab = self.tab
        tab.call("Page.addScriptToEvaluateOnNewDocument", source=SHIFTS)
        self.open()
        tab.wait(f"['live', 'ageing'].includes({STATE})")
        tab.run("window.shifts.length = 0")
        body = self.board()
        departures = body["departures"]
        for turn, left in enumerate(([*departures[1:]], [*departures[3:]], [departures[1], departures[0], *departures[4:]], departures)):
            for index, departure in enumerate(left):
                if index % 3 == turn % 3:
                    departure.update(cancelled=turn % 2 == 0, platformChanged=True, previousPlatform="1", platform="12", flags=["EXTRA_SERVICE"],
                                     alerts=[{"id": "a", "severity": "warning", "header": "Construction work", "description": "Long words"}])
            banners = [{"severity": "warning", "header": "Line closed", "description": "Until noon", "affected": []}] if turn % 2 else []
            answer = {**body, "departures": left, "banners": banners, "meta": {**body["meta"], "entityTag": f'"{turn}"'}}
            tab.intercept(lambda url, answer=answer: {"status": 200, "body": answer} if "/api/stationboard?" in url else None)
            tab.run("document.querySelector('[data-part=refresh]').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
            tab.wait(f"document.querySelector('[data-part=open]').textContent === {left[0]['destination']!r}")
            tab.run("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 100))))")
        self.assertEqual(tab.run("window.shifts"), [])
        self.assertGreater(tab.run(ROWS), 10)


if __name__ == "__main__":
    unittest.main()
