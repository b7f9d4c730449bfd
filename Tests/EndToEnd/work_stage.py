"""A browser for the pages of worktrees and jobs, and what their tests share."""

from __future__ import annotations

import atexit
import json
import re
import threading
import unittest
import urllib.error
import urllib.request

from browser import LARGE_LETTERS, Browser, Tab
from test_page_access import CONTRASTS, RING, TARGETS

LANGUAGES = ("fr", "de", "it", "en")
#: What is cut within itself, or is beyond the edge of the page.
CUT = """
[...document.querySelectorAll('h1, h2, h3, button, label, a, p, li, time, code, .pill, .path')].filter((one) => one.checkVisibility() && one.textContent && !one.matches('.skip, .unseen'))
  .filter((one) => (getComputedStyle(one).overflowX !== 'visible' && one.scrollWidth > one.clientWidth) || one.getBoundingClientRect().right > 320.5)
  .map((one) => `${one.tagName} ${one.className}: ${one.textContent}`)
"""
#: How many lines the name of the page takes, and of how many words it is.
LINES_AND_WORDS = """
(() => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector('h1'));
  return [new Set([...range.getClientRects()].map((one) => Math.round(one.top))).size, document.querySelector('h1').textContent.trim().split(/\\s+/).length];
})()
"""
#: Tabs of tests that run side by side cover each other, and are to run as fast as if they did not.
SWITCHES = (
    "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
)
_browsers: list[Browser] = []
_lock = threading.Lock()


def browser() -> Browser:
    """The one browser of this run."""
    with _lock:
        if not _browsers:
            _browsers.append(Browser(*SWITCHES))
            atexit.register(_browsers[0].close)
        return _browsers[0]


def answer_of(url: str, **fields: str) -> tuple[int, dict[str, str], str]:
    """Status, fields (names in small letters) and text of an answer."""
    request = urllib.request.Request(url, headers={name.replace("_", "-"): value for name, value in fields.items()})
    try:
        answer = urllib.request.urlopen(request, timeout=30)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return answer.status, {name.lower(): value for name, value in answer.headers.items()}, answer.read().decode()


class WorkPageTest(unittest.TestCase):
    """A test with a tab of its own; at its end nothing may be on the console."""

    WIDTH, HEIGHT = 1280, 900
    #: What a test expects the browser itself to say, such as a failed request.
    EXPECTED = re.compile(r"$^")

    def setUp(self) -> None:
        self.tab = browser().tab(width=self.WIDTH, height=self.HEIGHT)
        self.addCleanup(self._leave)
        # Of several tabs one has the focus; each behaves as if it were that one.
        self.tab.call("Emulation.setFocusEmulationEnabled", enabled=True)

    def _leave(self) -> None:
        said = [line for line in self.tab.console if not self.EXPECTED.search(line)]
        self.tab.close()
        self.assertEqual(said, [])

    def go(self, url: str) -> Tab:
        """Opens a page and waits until it runs."""
        self.tab.open(url)
        self.tab.wait("document.documentElement.dataset.ready === 'yes'")
        return self.tab

    def press(self, selector: str) -> None:
        """Presses an element, wherever it is on the page."""
        self.tab.run(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{ block: 'center' }})")
        self.tab.click(selector)

    def check_large_letters(self, url: str, ready: str) -> None:
        """At 320 px and with text at 130 % nothing is cut, nothing is wider than the page, and its name is not broken (WCAG 1.4.4, 1.4.10)."""
        large = Browser(LARGE_LETTERS)
        self.addCleanup(large.close)
        tab = large.tab(width=320, height=640)
        tab.size(320, 640, 2, True)
        for language in LANGUAGES:
            tab.open(f"{url}?lang={language}")
            tab.wait("document.documentElement.dataset.ready === 'yes'")
            tab.wait(ready)
            with self.subTest(language):
                self.assertEqual(tab.run(CUT), [])
                self.assertEqual(tab.run("document.documentElement.scrollWidth"), 320)
                self.assertLessEqual(tab.run("document.querySelector('.skip').getBoundingClientRect().bottom"), 0)
                lines, words = tab.run(LINES_AND_WORDS)
                self.assertLessEqual(lines, words)

    def check_access(self) -> None:
        """Contrasts in light and dark, sizes of what is pressed, names of what is operated, a ring on what has the focus."""
        tab = self.tab
        for scheme in ("light", "dark"):
            tab.media(prefers_color_scheme=scheme)
            found = tab.run(CONTRASTS)
            self.assertGreater(found["count"], 5)
            self.assertEqual(found["poor"], [], scheme)
        self.assertEqual(tab.run(TARGETS.replace(".skip", ".skip, .pick, textarea")), [])
        nodes = tab.call("Accessibility.getFullAXTree")["nodes"]
        controls = [
            node for node in nodes
            if not node["ignored"] and node["role"]["value"] in ("button", "link", "textbox", "checkbox", "combobox", "progressbar", "DisclosureTriangle")
        ]
        self.assertGreater(len(controls), 3)
        self.assertEqual([node["role"]["value"] for node in controls if not node.get("name", {}).get("value")], [])
        poor: list[str] = []
        tab.run("document.activeElement.blur()")
        for _ in range(12):
            tab.key("Tab")
            poor += tab.run(RING)
        self.assertEqual(poor, [])

    def check_languages(self, url: str, titles: dict[str, str]) -> None:
        """Every language is there, whole, with the same places in its sentences."""
        tab = self.tab
        words = {}
        page = "jobs" if url.endswith("/jobs") else "worktrees"
        for language in LANGUAGES:
            self.go(f"{url}?lang={language}")
            self.assertEqual(tab.run("document.documentElement.lang"), language)
            self.assertIn(titles[language], tab.run("document.title"))
            self.assertNotRegex(tab.run("document.body.innerText"), r"undefined|\bNaN\b|\{\w+\}|\b(?:state|outcome|job|do|by)-\w")
            words[language] = tab.run(f"import('/sources/messages/{language}/{page}.js').then((words) => words.default)")
        for language in LANGUAGES:
            self.assertEqual(set(words[language]), set(words["en"]))
            for name, form in words[language].items():
                self.assertEqual(places(form), places(words["en"][name]), f"{language} {name}")

    def check_first_load(self, url: str, shown: str, most: int) -> None:
        """What is shown weighs little; a second start asks for the page only.

        `shown`: the selector of what a person comes for; `most`: bytes on the wire. How soon it
        is shown is only printed: beside other tests that is the time of the machine.
        """
        tab = browser().tab(width=self.WIDTH, height=self.HEIGHT, bare=True)
        self.addCleanup(tab.close)
        check_first_load(self, tab, url, shown, most)

    def check_page_is_guarded(self, url: str) -> None:
        """The policy lets no script of others run, nor another page show this one in a frame."""
        status, fields, text = answer_of(url)
        self.assertEqual(status, 200)
        policy = fields["content-security-policy"]
        self.assertIn("script-src 'self' 'wasm-unsafe-eval'", policy)
        self.assertIn("frame-ancestors 'none'", policy)
        self.assertNotIn("unsafe-inline", policy)
        self.assertNotIn("access-control-allow-origin", fields)
        self.assertNotRegex(text, r"<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=")
        self.assertEqual(answer_of(url, If_None_Match=fields["etag"])[0], 304)


def places(form: object) -> set[str]:
    """The places of a sentence that are filled in."""
    texts = [form] if isinstance(form, str) else list(form.values())
    return {place for text in texts for place in re.findall(r"\{(\w+)\}", text)}


FILES = "performance.getEntriesByType('resource').filter(({ name }) => name.includes('/assets/'))"


def check_first_load(test: unittest.TestCase, tab: Tab, url: str, shown: str, most: int) -> None:
    """What is shown weighs little, in one script and one language; a second start asks for no file again."""
    tab.call("Page.addScriptToEvaluateOnNewDocument", source=f"""
      new MutationObserver(() => {{ if (!window.firstShown && document.querySelector({json.dumps(shown)})?.checkVisibility()) window.firstShown = performance.now(); }})
        .observe(document, {{ childList: true, subtree: true, attributes: true }});""")

    def start() -> None:
        tab.call("Page.navigate", url="about:blank")
        tab.wait("location.href === 'about:blank'")
        tab.open(url)
        tab.wait("window.firstShown > 0")
        tab.wait("performance.getEntriesByType('resource').every((one) => one.responseEnd > 0)")

    start()
    first = tab.run("window.firstShown")
    wire = sum(response["bytes"] for response in tab.responses.values())
    # How large they are depends on the day.
    answers = sum(tab.responses[one["id"]]["bytes"] for one in tab.requests if "/api/" in one["url"] and one["id"] in tab.responses)
    paint = tab.run("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
    print(f"\n{url.rsplit('/', 1)[1].split('?')[0]}: shown after {first:.0f} ms, first paint after {paint:.0f} ms, {wire / 1000:.1f} kB in {len(tab.responses)} answers, {answers / 1000:.1f} kB of them from the API", flush=True)
    test.assertLess(wire - answers, most)
    names = [name.rsplit("/", 1)[1] for name in tab.run(f"{FILES}.map(({{ name }}) => name)")]
    test.assertEqual([name for name in names if not re.search(r"\.[0-9a-f]{12}\.\w+$", name)], [])
    scripts = [name for name in names if name.endswith(".js")]
    test.assertEqual([name for name in scripts if name.startswith("messages-")], [name for name in scripts if name.startswith("messages-en-")])
    start()
    again = tab.run(f"{FILES}.map(({{ name, transferSize }}) => [name, transferSize])")
    test.assertGreater(len(again), 2)
    test.assertEqual([name for name, size in again if size > 0], [])
