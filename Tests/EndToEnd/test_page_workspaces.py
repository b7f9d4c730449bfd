"""The page of worktrees in a real, headless Chromium."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
import unittest
from pathlib import Path

from browser import LONGEST
from program import Folder, Server, until
from side_by_side import SideBySide
from work_stage import WorkPageTest, answer_of, browser
from workspaces import Workspaces, git, repository

TOKEN = "a-token-of-this-test-only"
STATE = "document.querySelector('#worktree-page').dataset.state"
ORDER = "[...document.querySelectorAll('.card')].map((card) => card.dataset.state + ' ' + card.querySelector('.path').textContent.split('/').pop())"


def load_tests(loader, tests, pattern) -> SideBySide:
    """A tab for each test, a few at a time: each has a server of its own, and all have one browser."""
    suite = SideBySide([tests])
    suite.most = 5
    return suite


class Agent:
    """An agent that writes the neutral log, and has a process of its own.

    Agents that name one process, or a process and the one that started it, are one agent for the server.
    """

    def __init__(self, test: unittest.TestCase, logs: Path, worktree: Path, name: str = "tester"):
        logs.mkdir(parents=True, exist_ok=True)
        self.path = logs / f"{name}-{worktree.name}.jsonl"
        process = subprocess.Popen(["sleep", "3600"], cwd=worktree)
        test.addCleanup(process.wait)
        test.addCleanup(process.kill)
        session = f"{name} {worktree.name}"
        self.tell("start", agent=name, session=session, cwd=str(worktree), version="1", pid=process.pid)

    def tell(self, event: str, **members: object) -> None:
        at = int(time.time() * 1000)
        with self.path.open("a") as file:
            file.write(json.dumps({"at": at, "event": event, **members}) + "\n")


class WorktreesTest(WorkPageTest):
    """A repository with three linked worktrees, and a server."""

    OPTIONS: tuple[str, ...] = ()

    def setUp(self) -> None:
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        base = self.folder.path.resolve()
        self.main = repository(base / "work" / "main")
        self.trees = {}
        for name in ("asks", "done", "works"):
            self.trees[name] = base / "work" / name
            git(self.main, "worktree", "add", "-q", "-b", f"topic/{name}", str(self.trees[name]))
        self.logs = base / "logs"
        self.server = Workspaces(
            self.folder, "--claude-home", str(base / "claude"), "--codex-home", str(base / "codex"),
            "--agent-logs", str(self.logs), *self.OPTIONS, roots=[self.main.parent],
        )
        self.addCleanup(self.server.__exit__)
        # The tab goes before the server does.
        super().setUp()

    def agent(self, tree: str, **options: str) -> Agent:
        """An agent in a worktree."""
        return Agent(self, self.logs, self.trees[tree], **options)

    def open(self, cards: int = 4) -> None:
        self.go(f"{self.server.url}/workspaces?lang=en")
        self.tab.wait(f"document.querySelectorAll('.card').length === {cards}")

    def card(self, name: str) -> str:
        """The selector of a card."""
        tree = {"main": self.main, **self.trees}[name]
        found = "[...document.querySelectorAll('.card')].find((card) => card.querySelector('.path').textContent === " + json.dumps(str(tree)) + ")"
        return f"[data-id=\"{self.tab.wait(f'{found}?.dataset.id')}\"]"

    def text(self, name: str, part: str) -> str:
        return self.tab.run(f"document.querySelector({json.dumps(self.card(name))}).querySelector('[data-part={part}]').textContent")


class ListOnThePage(WorktreesTest):
    """What is shown, and how fresh."""

    def test_on_a_small_phone_with_large_letters_nothing_is_cut(self):
        self.check_large_letters(f"{self.server.url}/workspaces", "document.querySelectorAll('.card').length === 4")

    def test_a_stream_is_not_opened_again_before_the_time_that_it_named(self):
        """WHATWG HTML: retry, as a minimum; it ends as soon as it began."""
        ended = {"status": 200, "headers": {"Content-Type": "text/event-stream"}, "body": "retry: 6000\n\n"}
        self.tab.call("Fetch.enable", patterns=[{"urlPattern": "*/v1/events*"}])
        self.tab.intercept(lambda url: ended if "/v1/events" in url else None)
        first = len(self.tab.requests)
        self.open()

        def streams() -> list[dict]:
            return [request for request in self.tab.requests[first:] if "/v1/events" in request["url"]]

        deadline = time.monotonic() + LONGEST
        while len(streams()) < 3:
            self.assertLess(time.monotonic(), deadline, "no third stream")
            time.sleep(0.05)
        times = [request["at"] for request in streams()]
        for earlier, later in zip(times, times[1:]):
            self.assertGreaterEqual(later - earlier, 5.9)

    def test_states_todos_words_and_git_are_shown_as_they_change(self):
        tab = self.tab
        self.open()
        tab.wait(f"['live', 'ageing'].includes({STATE})")
        self.assertRegex(tab.text("#worktree-page [data-part=detail]"), r"updated \d+\s?s ago")
        asking, done, working = (self.agent(name) for name in ("asks", "done", "works"))
        for agent in (asking, done, working):
            agent.tell("prompt", text="Do <b>this</b> & that")
        working.tell("title", text="The quiet refactoring")
        working.tell("todos", todos=[
            {"content": "Read it", "status": "completed"}, {"content": "Change it", "status": "in_progress"}, {"content": "Try it", "status": "pending"},
        ])
        working.tell("message", text="Begun.")
        asking.tell("permission", text="rm -r build")
        done.tell("stop", text="It is finished.")
        tab.wait(f"JSON.stringify({ORDER}) === '[\"needs_you asks\",\"done_unseen done\",\"working works\",\"unknown main\"]'")
        self.assertEqual(self.text("works", "title"), "The quiet refactoring")
        tab.wait(f"document.querySelectorAll({json.dumps(self.card('works') + ' .todo')}).length === 3")
        self.assertEqual(self.text("works", "todocount"), "1 of 3 tasks done")
        # What agents write is text, whatever it looks like.
        self.assertIn("Do <b>this</b> & that", self.text("works", "words"))
        self.assertIn("It is finished.", self.text("done", "words"))
        self.assertRegex(self.text("asks", "since"), r"^for \d+\s?s$")
        self.assertIn("1 needs you", tab.text("[data-part=summary]"))
        self.assertRegex(tab.run("document.title"), r"^\(1\) ")
        # Git: what git itself says.
        tree = self.trees["works"]
        (tree / "dir0" / "file0.txt").write_text("other\n")
        (tree / "new.txt").write_text("new\n")
        tab.wait(f"document.querySelector({json.dumps(self.card('works'))}).querySelector('[data-part=git]').innerText.includes('1 changed')")
        self.assertIn("1 new", self.text("works", "git"))
        git(tree, "add", ".")
        git(tree, "commit", "-q", "-m", "second")
        tab.wait(f"document.querySelector({json.dumps(self.card('works'))}).querySelector('[data-part=git]').innerText.includes('1 ahead of main')")
        self.assertIn("everything committed", self.text("works", "git"))
        # The stream brought all of it: the list was asked for a few times only.
        asked = [request for request in tab.requests if "/v1/git/worktrees?since=" in request["url"]]
        self.assertLess(len(asked), 8)
        self.assertEqual(len([request for request in tab.requests if request["url"].endswith("/v1/events")]), 1)

    def test_marking_as_seen_takes_effect(self):
        agent = self.agent("done")
        agent.tell("prompt", text="Go")
        agent.tell("stop", text="Done.")
        self.open()
        self.tab.wait(f"document.querySelector({json.dumps(self.card('done'))}).dataset.state === 'done_unseen'")
        self.press(f"{self.card('done')} [data-act=seen]")
        self.tab.wait(f"document.querySelector({json.dumps(self.card('done'))}).dataset.state === 'idle'")
        self.assertFalse(self.tab.run(f"document.querySelector({json.dumps(self.card('done') + ' [data-act=seen]')}).checkVisibility()"))

    def test_a_conflict_and_an_operation_are_named(self):
        self.conflict()
        git(self.trees["works"], "merge", "main", check=False)
        self.open()
        self.tab.wait(f"document.querySelector({json.dumps(self.card('works'))}).querySelector('[data-part=conflicts]').textContent.includes('dir0/file0.txt')")
        self.assertIn("merge in progress", self.text("works", "git"))
        self.assertIn("1 conflict", self.text("works", "git"))

    def conflict(self) -> None:
        """The main worktree and `works` change the same line."""
        for tree, word in ((self.main, "one"), (self.trees["works"], "other")):
            (tree / "dir0" / "file0.txt").write_text(word + "\n")
            git(tree, "commit", "-q", "-a", "-m", word)

    def test_the_difference_is_shown_by_file(self):
        (self.trees["works"] / "dir0" / "file0.txt").write_text("<script>alert(1)</script>\n")
        self.open()
        self.press(f"{self.card('works')} [data-act=diff]")
        self.tab.wait("document.querySelectorAll('#diff-files details').length === 1")
        self.assertIn("dir0/file0.txt", self.tab.text("#diff-files summary"))
        self.assertIn("+<script>alert(1)</script>", self.tab.text("#diff-files .added"))
        self.tab.key("Escape")
        self.tab.wait("!document.querySelector('#diff').open")

    def test_a_line_that_begins_with_dashes_is_not_a_heading(self):
        text = "diff --git a/x.sql b/x.sql\nindex 1..2 100644\n--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n same\n\\ No newline at end of file\n"
        lines = self.go(f"{self.server.url}/workspaces").run(f"import('/sources/worktrees/diff-sheet.js').then(({{ linesOf }}) => linesOf({json.dumps(text)}))")
        self.assertEqual([(line["kind"], line["line"]) for line in lines], [
            ("hunk", "@@ -1,2 +1,2 @@"), ("removed", "--- old"), ("added", "+++ new"), ("same", " same"), ("hunk", "\\ No newline at end of file"),
        ])

    def test_reasons_are_told_in_the_language_of_the_page(self):
        asking = self.agent("asks")
        asking.tell("prompt", text="Go")
        asking.tell("permission", text="rm -r build")
        self.go(f"{self.server.url}/workspaces?lang=de")
        self.tab.wait(f"document.querySelector({json.dumps(self.card('asks') + ' .reason')}).textContent === 'Fragt um Erlaubnis: rm -r build'")
        sentences = self.tab.run("import('/sources/worktrees/agent-reason.js').then(({ REASONS }) => Object.keys(REASONS))")
        source = (Path(__file__).resolve().parents[2] / "Sources/Worktrees/Agents/Activity/ActivityFusion.swift").read_text()
        self.assertGreater(len(sentences), 10)
        self.assertEqual([sentence for sentence in sentences if f'"{sentence}' not in source], [])
        said = re.findall(r'(?:reason: |reason = |\?\? |case \.\w+: |what = )"([^"\\:]+)', source)
        self.assertEqual([sentence for sentence in said if sentence not in sentences], [])

    def test_every_language_is_complete(self):
        self.check_languages(f"{self.server.url}/workspaces", {"fr": "Arbres de travail", "de": "Arbeitsbäume", "it": "Alberi di lavoro", "en": "Worktrees"})

    def test_everybody_can_use_it(self):
        agent = self.agent("asks")
        agent.tell("prompt", text="Go")
        agent.tell("question", text="Which way?")
        self.open()
        self.tab.wait(f"document.querySelector({json.dumps(self.card('asks'))}).dataset.state === 'needs_you'")
        self.tab.wait(f"['live', 'ageing'].includes({STATE})")
        self.check_access()

    def test_keys_move_and_open(self):
        tab = self.tab
        self.open()
        tab.key("ArrowDown")
        tab.key("ArrowDown")
        self.assertEqual(tab.run("[...document.querySelectorAll('.card')].indexOf(document.activeElement)"), 1)
        tab.key("d")
        tab.wait("document.querySelector('#diff').open")
        tab.key("Escape")
        tab.wait("!document.querySelector('#diff').open")
        tab.key("n")
        tab.wait("document.querySelector('#creation').open")
        tab.key("Escape")
        tab.key("?")
        tab.wait("document.querySelector('#help').open")

    def test_a_first_list_is_quick_and_small(self):
        self.open()  # The browser itself has started, and the server has looked.
        self.check_first_load(f"{self.server.url}/workspaces?lang=en", ".card", most=90_000)

    def test_several_agents_in_one_worktree_are_named(self):
        first = self.agent("works", name="claude-code")
        first.tell("prompt", text="Go")
        second = self.agent("works", name="codex")
        second.tell("prompt", text="Look")
        second.tell("question", text="Which way?")
        self.open()
        card = self.card("works")
        self.tab.wait(f"document.querySelector({json.dumps(card)}).dataset.state === 'needs_you' && document.querySelectorAll({json.dumps(card + ' .agents li')}).length === 2")
        agents = self.tab.run(f"[...document.querySelectorAll({json.dumps(card + ' .agents li')})].map((one) => one.innerText)")
        self.assertRegex(agents[0], r"^Codex Needs you for \d+\s?s\s.*Which way\?")
        self.assertRegex(agents[1], r"^Claude Code Working for \d+\s?s")

    def test_a_notice_comes_while_the_page_is_hidden_and_only_if_turned_on(self):
        tab = self.tab
        tab.call("Page.addScriptToEvaluateOnNewDocument", source="""
          window.notices = [];
          window.Notification = class extends EventTarget {
            static permission = 'default';
            static async requestPermission() { return (Notification.permission = window.answer ?? 'granted'); }
            constructor(title, { body, tag }) { super(); window.notices.push([title, body, tag]); }
          };
          document.hasFocus = () => false;""")
        self.open()
        agent = self.agent("asks")
        agent.tell("prompt", text="Go")
        agent.tell("question", text="Which way?")
        tab.wait(f"document.querySelector({json.dumps(self.card('asks'))}).dataset.state === 'needs_you'")
        self.assertEqual(tab.run("window.notices"), [])
        tab.run("window.answer = 'denied', document.querySelector('#notify').click()")
        tab.wait("document.querySelector('#notify-note').textContent !== '' && !document.querySelector('#notify').checked")
        tab.run("window.answer = 'granted', document.querySelector('#notify').click()")
        tab.wait("document.querySelector('#notify-note').textContent === '' && document.querySelector('#notify').checked")
        agent = self.agent("works")
        agent.tell("title", text="A title")
        agent.tell("prompt", text="Go")
        agent.tell("permission", text="rm -r build")
        tab.wait("window.notices.length === 1")
        title, text, _ = tab.run("window.notices[0]")
        self.assertEqual(title, "A title: Needs you")
        self.assertIn("rm -r build", text)

    def test_nothing_is_wider_than_a_phone(self):
        self.tab.size(360, 740, mobile=True)
        self.open()
        self.assertLessEqual(self.tab.run("document.documentElement.scrollWidth"), 360)


class ActionsOnThePage(WorktreesTest):
    """What changes something, and what refuses."""

    EXPECTED = re.compile(r"\b409\b")

    def test_a_worktree_is_made_and_deleted(self):
        tab = self.tab
        self.open()
        self.press("[data-part=create]")
        tab.wait("document.querySelector('#creation').open && document.querySelector('#creation-repository').options.length === 1")
        tab.run("document.querySelector('#creation-branch').focus()")
        tab.type("topic/made")
        tab.key("Enter")
        # The stream may tell of it before the answer comes, with which the sheet closes.
        tab.wait("document.querySelectorAll('.card').length === 5 && !document.querySelector('#creation').open")
        made = self.main.parent / "main.worktrees" / "topic-made"
        self.assertTrue(made.is_dir())
        self.trees["made"] = made
        self.press(f"{self.card('made')} [data-act=remove]")
        tab.wait("document.querySelector('#action').open")
        self.press("#action-go")
        tab.wait("document.querySelectorAll('.card').length === 4")
        self.assertFalse(made.exists())
        tab.wait("document.querySelector('[data-part=note]').textContent.includes('is gone')")

    def test_a_refusal_says_why_and_in_which_files_and_may_be_passed_over(self):
        tab = self.tab
        (self.trees["works"] / "precious.txt").write_text("not committed\n")
        self.open()
        self.press(f"{self.card('works')} [data-act=remove]")
        tab.wait("document.querySelector('#action').open")
        self.press("#action-go")
        tab.wait("document.querySelector('#action-message').innerText.includes('Something is not committed')")
        self.assertIn("precious.txt", tab.text("#action-files"))
        self.assertTrue(self.trees["works"].is_dir())
        self.assertEqual(tab.text("#action-go"), "Delete all the same")
        self.press("#action-go")
        tab.wait("document.querySelectorAll('.card').length === 3")
        self.assertFalse(self.trees["works"].exists())

    def test_what_is_not_shown_is_listed_with_its_reason(self):
        tab = self.tab
        hidden = repository(self.main.parent / ".hidden")
        git(self.main, "worktree", "add", "-q", "-b", "gone", str(self.main.parent / "gone"))
        shutil.rmtree(self.main.parent / "gone")
        until(lambda: {"hidden", "missing_worktree"} <= {each["reason"] for each in self.server.ask("/v1/git/omissions")[2]})
        self.open()
        self.assertFalse(tab.run("document.querySelector('[data-part=omissions]').open"))
        self.press("[data-part=omissions] summary")
        tab.wait("document.querySelectorAll('[data-part=omitted] li').length === 2")
        told = tab.text("[data-part=omitted]")
        self.assertIn(f"{hidden} lies in a folder whose name begins with a dot.", told)
        self.assertIn(f"git names the worktree {self.main.parent / 'gone'}, and its folder is not there.", told)
        # In the language of the page, also when that changes.
        tab.run("const language = document.querySelector('#language'); language.value = 'de'; language.dispatchEvent(new Event('change', { bubbles: true }))")
        tab.wait("document.querySelector('[data-part=omitted]').innerText.includes('liegt in einem Ordner, dessen Name mit einem Punkt beginnt')")

    def test_what_may_be_passed_over_is_what_the_table_of_the_server_says(self):
        tab = self.tab
        (self.trees["works"] / "precious.txt").write_text("not committed\n")
        table = self.server.ask("/v1/git/refusals")[2]
        for entry in table:
            if entry["code"] == "worktree_dirty":
                entry["overrides"] = {}
        self.open()
        tab.run(
            "const real = window.fetch; window.fetch = (address, options) => address === '/v1/git/refusals' ? "
            f"Promise.resolve(new Response({json.dumps(json.dumps(table))})) : real(address, options)"
        )
        self.press(f"{self.card('works')} [data-act=remove]")
        tab.wait("document.querySelector('#action').open")
        self.press("#action-go")
        tab.wait("document.querySelector('#action-message').innerText.includes('Something is not committed')")
        self.assertEqual(tab.text("#action-go"), "Delete")
        self.assertTrue(self.trees["works"].is_dir())

    def test_what_was_done_is_taken_back_by_a_button(self):
        tab = self.tab
        tree = self.trees["works"]
        (tree / "precious.txt").write_text("not committed\n")
        process = subprocess.Popen(["sleep", "3600"], cwd=tree)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.open()
        self.press(f"{self.card('works')} [data-act=remove]")
        tab.wait("document.querySelector('#action').open")
        self.press("#action-go")
        tab.wait(f"document.querySelector('#action-message').innerText.includes('sleep ({process.pid})')")
        self.assertTrue(tree.exists())
        self.press("#action-go")
        tab.wait("document.querySelectorAll('.card').length === 3")
        self.assertFalse(tree.exists())
        tab.wait("document.querySelector('[data-part=undo]').checkVisibility()")
        self.press("[data-part=undo]")
        tab.wait("document.querySelector('[data-part=note]').textContent.endsWith('is there again.')")
        tab.wait("document.querySelectorAll('.card').length === 4")
        self.assertEqual((tree / "precious.txt").read_text(), "not committed\n")
        # Later it is in a list.
        process.kill()
        process.wait()
        (tree / "precious.txt").unlink()
        git(tree, "commit", "-q", "--allow-empty", "-m", "mine")
        self.press(f"{self.card('works')} [data-act=merge]")
        tab.wait("document.querySelector('#action-message').innerText.includes('no conflicts')")
        before = git(self.main, "rev-parse", "HEAD")
        self.press("#action-go")
        tab.wait("!document.querySelector('#action').open")
        self.assertNotEqual(git(self.main, "rev-parse", "HEAD"), before)
        self.open()
        self.assertFalse(tab.run("document.querySelector('[data-part=undo]').checkVisibility()"))
        self.press("[data-part=restores] summary")
        tab.wait("document.querySelectorAll('[data-restore]').length === 1")
        self.assertIn("something was merged into main", tab.text("[data-part=points]"))
        self.press("[data-restore]")
        until(lambda: git(self.main, "rev-parse", "HEAD") == before)
        tab.wait("document.querySelector('[data-part=note]').textContent.includes('as it was before the merge')")

    def test_what_is_pressed_stays_until_it_is_released(self):
        """A browser sends no click if the pressed element moves: the list waits for the end of a press."""
        tab = self.tab
        self.open()
        first = "document.querySelector('.card .path').textContent"
        button = f"{self.card('asks')} [data-act=merge]"
        tab.run(f"document.querySelector({json.dumps(button)}).scrollIntoView({{ block: 'center' }})")
        tab.run(f"addEventListener('click', () => {{ window.firstAtClick = {first}; }}, true)")
        # A finger touches without having been over the button.
        x, y = tab.hover(button)
        tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
        tab.mouse("mousePressed", x, y)
        before = tab.run(first)
        self.assertNotEqual(before, str(self.trees["works"]))
        # An agent that begins puts its worktree first.
        agent = self.agent("works")
        agent.tell("prompt", text="Do it")
        agent.tell("permission", text="rm -r build")
        tab.wait("document.title.startsWith('(1)')")
        self.assertEqual(tab.run(first), before)
        tab.mouse("mouseReleased", x, y)
        tab.wait("document.querySelector('#action').open")
        self.assertEqual(tab.run("window.firstAtClick"), before)
        tab.key("Escape")
        tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
        tab.wait(f"{first} === {json.dumps(str(self.trees['works']))}")

    def test_under_the_mouse_cards_keep_their_place(self):
        """What is under the mouse stays there while the list changes; the order follows when the mouse has left."""
        tab = self.tab
        self.open()
        button = f"{self.card('done')} [data-act=merge]"
        top = f"document.querySelector({json.dumps(button)}).getBoundingClientRect().top"
        order = "[...document.querySelectorAll('.card .path')].map((path) => path.textContent)"
        tab.run(f"document.querySelector({json.dumps(button)}).scrollIntoView({{ block: 'center' }})")
        tab.hover(button)
        before, place = tab.run(order), tab.run(top)
        asking = self.agent("asks")
        asking.tell("prompt", text="Go")
        asking.tell("todos", todos=[{"content": "Read it", "status": "in_progress"}])
        asking.tell("message", text="A card of many lines is higher. " * 20)
        last = self.agent("works")
        last.tell("prompt", text="Go")
        last.tell("permission", text="rm -r build")

        # The mouse is moved a little, as a hand does: one that rests for long holds nothing.
        def shown() -> bool:
            tab.hover(button)
            return tab.run(f"document.title.startsWith('(1)') && document.querySelector({json.dumps(self.card('asks') + ' .said')}).innerText.includes('many lines')")

        until(shown)
        self.assertEqual(tab.run(order), before)
        self.assertAlmostEqual(tab.run(top), place, delta=1)
        tab.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
        tab.wait(f"{order}[0] === {json.dumps(str(self.trees['works']))}")

    def test_what_a_repository_would_run_is_shown_and_trusted_with_a_press(self):
        tab = self.tab
        git(self.main, "config", "filter.none.clean", "<b>evil</b>")
        self.open()
        card = self.card("works")
        tab.wait(f"document.querySelector({json.dumps(card)}).innerText.includes('names 1 program')")
        self.press(f"{card} [data-act=merge]")
        tab.wait("document.querySelector('#action').open")
        tab.wait("document.querySelector('#action-message').innerText.includes('no conflicts')")
        self.press("#action-go")
        tab.wait("document.querySelector('#action-message').innerText.includes('not trusted')")
        self.assertIn("filter.none.clean = <b>evil</b>", tab.text("#action-files"))
        tab.key("Escape")
        tab.wait("!document.querySelector('#action').open")
        self.press(f"{card} [data-act=trust]")
        tab.wait("document.querySelector('#action').open")
        self.assertIn(f"filter.none.clean = <b>evil</b> ({self.main}/.git/config)", tab.text("#action-files"))
        self.press("#action-go")
        tab.wait("!document.querySelector('#action').open")
        tab.wait(f"document.querySelector({json.dumps(card)}).innerText.includes('is trusted')")
        # Each worktree of the repository is read by itself.
        until(lambda: self.server.named("asks")["git"]["trust"]["state"] == "trusted")
        self.press(f"{card} [data-act=trust]")
        tab.wait("document.querySelector('#action-title').innerText.includes('Trust no more')")
        self.press("#action-go")
        tab.wait(f"document.querySelector({json.dumps(card)}).innerText.includes('untrusted')")

    def test_a_merge_that_would_conflict_says_so_before_and_leaves_everything(self):
        tab = self.tab
        ListOnThePage.conflict(self)
        head = git(self.main, "rev-parse", "HEAD")
        self.open()
        self.press(f"{self.card('works')} [data-act=merge]")
        tab.wait("document.querySelector('#action-files').innerText.includes('dir0/file0.txt')")
        self.assertIn("conflicts", tab.text("#action-message"))
        # It is not offered, nor done with Enter.
        self.assertFalse(tab.run("document.querySelector('#action-go').checkVisibility()"))
        tab.run("document.querySelector('#action-form').requestSubmit()")
        self.assertEqual([request for request in tab.requests if request["url"].endswith("/merge")], [])
        self.assertEqual(git(self.main, "rev-parse", "HEAD"), head)
        # Another worktree can be merged.
        tab.key("Escape")
        tab.wait("!document.querySelector('#action').open")
        self.press(f"{self.card('asks')} [data-act=merge]")
        tab.wait("document.querySelector('#action-message').innerText.includes('no conflicts')")
        self.assertTrue(tab.run("document.querySelector('#action-go').checkVisibility()"))

    def test_a_merge_into_which_a_conflict_came_meanwhile_leaves_everything(self):
        tab = self.tab
        (self.trees["works"] / "dir0" / "file0.txt").write_text("theirs\n")
        git(self.trees["works"], "commit", "-q", "-a", "-m", "theirs")
        self.open()
        self.press(f"{self.card('works')} [data-act=merge]")
        tab.wait("document.querySelector('#action-message').innerText.includes('no conflicts')")
        (self.main / "dir0" / "file0.txt").write_text("ours\n")
        git(self.main, "commit", "-q", "-a", "-m", "ours")
        head = git(self.main, "rev-parse", "HEAD")
        self.press("#action-go")
        tab.wait("document.querySelector('#action-message').innerText.includes('everything is as before')")
        self.assertIn("dir0/file0.txt", tab.text("#action-files"))
        self.assertEqual(git(self.main, "rev-parse", "HEAD"), head)

    def test_what_the_server_says_is_said_in_the_language_of_the_page(self):
        tab = self.tab
        (self.trees["works"] / "precious.txt").write_text("not committed\n")
        self.go(f"{self.server.url}/workspaces?lang=de")
        tab.wait("document.querySelectorAll('.card').length === 4")
        self.press(f"{self.card('works')} [data-act=remove]")
        tab.wait("document.querySelector('#action').open")
        self.press("#action-go")
        tab.wait("document.querySelector('#action-message').innerText.trim() === 'Etwas ist nicht committet.'")
        self.press("#action-go")
        tab.wait("document.querySelector('[data-part=note]').textContent.endsWith('ist gelöscht.')")
        said = tab.run("""import('/sources/messages/messages.js').then(({ sentences }) => Promise.all(['fr', 'it'].map(async (language) => {
          const say = sentences(language, (await import(`/sources/messages/${language}/worktrees.js`)).default);
          return [1, 2].map((count) => say('todosDone', { count, total: 3 }));
        })))""")
        self.assertEqual(said, [["1 tâche faite sur 3", "2 tâches faites sur 3"], ["1 attività su 3 finita", "2 attività su 3 finite"]])

    def test_a_merge_and_a_sync_are_done(self):
        tab = self.tab
        tree = self.trees["works"]
        (tree / "more.txt").write_text("more\n")
        git(tree, "add", ".")
        git(tree, "commit", "-q", "-m", "more")
        self.open()
        self.press(f"{self.card('works')} [data-act=merge]")
        tab.wait("document.querySelector('#action-message').innerText.includes('no conflicts')")
        self.press("#action-go")
        tab.wait("!document.querySelector('#action').open")
        until(lambda: (self.main / "more.txt").exists())
        self.press(f"{self.card('asks')} [data-act=sync]")
        tab.wait("document.querySelector('#action-message').innerText.includes('no conflicts')")
        self.press("#action-go")
        tab.wait("!document.querySelector('#action').open")
        until(lambda: (self.trees["asks"] / "more.txt").exists())


class FailuresOnThePage(WorktreesTest):
    """What the server says in trouble, played."""

    EXPECTED = re.compile(r"Failed to load resource")

    def test_a_list_without_worktrees_says_so_and_offers_none(self):
        tab = self.tab
        tab.call("Fetch.enable", patterns=[{"urlPattern": "*/v1/*"}])
        empty = {"status": 200, "body": {"revision": "g-1", "full": True, "changed": [], "removed": []}}
        tab.intercept(lambda url: empty if "?since=" in url else {"fail": "ConnectionRefused"})
        self.go(f"{self.server.url}/workspaces?lang=en")
        tab.wait("document.querySelector('[data-part=empty]').checkVisibility()")
        self.assertFalse(tab.run("document.querySelector('[data-part=create]').checkVisibility()"))

    def test_failures_before_the_first_list_and_after_it_are_named(self):
        tab = self.tab
        tab.call("Fetch.enable", patterns=[{"urlPattern": "*/v1/*"}])
        answers = {"now": {"status": 500, "body": {}}}
        tab.intercept(lambda url: answers["now"])
        self.go(f"{self.server.url}/workspaces?lang=en")
        tab.wait("document.querySelector('[data-part=trouble]').checkVisibility()")
        self.assertIn("Server error (500)", tab.text("[data-part=trouble]"))
        answers["now"] = {"status": 403, "body": {"status": 403, "error": "origin_forbidden", "detail": "pages of other origins may not ask"}}
        self.press("[data-part=again]")
        tab.wait("document.querySelector('[data-part=trouble]').innerText.includes('Pages of other origins may not ask')")
        answers["now"] = None
        self.press("[data-part=again]")
        tab.wait("document.querySelectorAll('.card').length === 4 && !document.querySelector('[data-part=trouble]').checkVisibility()")
        for status, fields, words in ((410, {}, "does not exist any more"), (429, {"Retry-After": "20"}, "busy")):
            answers["now"] = {"status": status, "headers": fields, "body": {"status": status}}
            tab.offline(True)
            tab.wait(f"{STATE} === 'offline'")
            tab.offline(False)
            tab.wait(f"{STATE} === 'failing'")
            tab.run("document.querySelector('[data-part=refresh]').click()")
            tab.wait(f"document.querySelector('#worktree-page [data-part=state]').textContent.includes({json.dumps(words)})")
            # What is known stays, with its age.
            self.assertEqual(tab.run("document.querySelectorAll('.card').length"), 4)
            self.assertRegex(tab.text("#worktree-page [data-part=detail]"), r"updated \d+\s?s ago")
            answers["now"] = None
            tab.run("document.querySelector('[data-part=refresh]').click()")
            tab.wait(f"['live', 'ageing'].includes({STATE})")


class TroubleOnThePage(WorktreesTest):
    """Tokens, and servers that are gone."""

    EXPECTED = re.compile(r"\b401\b|ERR_|Failed to load|net::")

    def setUp(self) -> None:
        secret = Path(self.enterContext(_file(TOKEN)))
        self.OPTIONS = ("--token-file", str(secret))
        super().setUp()

    def test_the_token_is_asked_for_kept_in_the_tab_and_never_in_the_address(self):
        tab = self.tab
        self.go(f"{self.server.url}/workspaces?lang=en")
        tab.wait("!document.querySelector('#token-form').hidden")
        self.assertEqual(tab.run(STATE), "failing")
        self.assertEqual(tab.run("document.querySelectorAll('.card').length"), 0)
        for token, isRight in (("wrong", False), (TOKEN, True)):
            tab.run("document.querySelector('#token').focus()")
            tab.type(token)
            tab.key("Enter")
            if isRight:
                tab.wait("document.querySelectorAll('.card').length === 4 && document.querySelector('#token-form').hidden")
            else:
                tab.wait("document.querySelector('#token-refused').textContent !== ''")
        tab.wait(f"['live', 'ageing'].includes({STATE})")
        self.assertNotIn(TOKEN, tab.run("location.href + JSON.stringify(localStorage) + document.cookie"))
        self.assertIn(TOKEN, tab.run("JSON.stringify(sessionStorage)"))
        self.assertFalse([request for request in tab.requests if TOKEN in request["url"]])
        # It is there after a reload, and not in another tab.
        tab.open(f"{self.server.url}/workspaces?lang=en")
        tab.wait("document.querySelectorAll('.card').length === 4")
        other = browser().tab()
        self.addCleanup(other.close)
        other.open(f"{self.server.url}/workspaces?lang=en")
        other.wait("document.querySelector('#token-form') && !document.querySelector('#token-form').hidden")

    def test_a_server_that_is_gone_takes_nothing_off_the_page(self):
        tab = self.tab
        self.go(f"{self.server.url}/workspaces?lang=en")
        tab.wait("!document.querySelector('#token-form').hidden")
        tab.run("document.querySelector('#token').focus()")
        tab.type(TOKEN)
        tab.key("Enter")
        tab.wait("document.querySelectorAll('.card').length === 4")
        self.server.stop()
        tab.wait(f"{STATE} === 'failing'")
        self.assertEqual(tab.run("document.querySelectorAll('.card').length"), 4)
        self.assertRegex(tab.text("#worktree-page [data-part=detail]"), r"updated \d+\s?s ago")


class PageIsThereOnlyWithItsPart(WorkPageTest):
    """The page, and what leads to it."""

    def test_it_is_linked_and_served_only_if_worktrees_are(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        repository(folder.path / "work" / "main")
        with Workspaces(folder, roots=[folder.path / "work"]) as server:
            self.check_page_is_guarded(f"{server.url}/workspaces")
            self.assertIn('href="/workspaces"', answer_of(f"{server.url}/")[2])
            self.assertNotIn('href="/jobs"', answer_of(f"{server.url}/")[2])
            self.assertNotIn('href="/jobs"', answer_of(f"{server.url}/workspaces")[2])
            self.assertEqual(answer_of(f"{server.url}/jobs")[0], 404)
        with Server(folder / "no-timetable", now=None) as server:
            for path in ("/workspaces", "/jobs", "/assets/workspaces.html", "/assets/jobs.html"):
                self.assertEqual(answer_of(server.url + path)[0], 404, path)
            self.assertNotIn("data-service", answer_of(f"{server.url}/")[2])


class _file:
    """A file with a text, for as long as a test needs it."""

    def __init__(self, text: str):
        self.folder = Folder()
        self.path = self.folder / "secret"
        self.path.write_text(text + "\n")

    def __enter__(self) -> str:
        return str(self.path)

    def __exit__(self, *_: object) -> None:
        self.folder.remove()


if __name__ == "__main__":
    unittest.main()
