"""A demonstration, as `freshet demo` starts it, and its panel in a browser."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone
from pathlib import Path

from browser import Browser, Tab
from program import LAB, LONGEST, PROGRAM, Folder

#: As long as a network has to be silent before the pages give it up, and a source to be asked again, twice over.
PATIENCE = 180


def commands() -> dict[int, list[str]]:
    """The command lines of all processes."""
    found = {}
    for place in Path("/proc").iterdir():
        if not place.name.isdigit():
            continue
        try:
            words = (place / "cmdline").read_bytes().decode(errors="replace").split("\0")
            state = (place / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if words[0] and state != "Z":
            found[int(place.name)] = words
    return found


class Demo:
    """`freshet demo`, small, in a folder of its own."""

    def __init__(self, folder: Path, *options: str, program: str = PROGRAM, books: int = 2_000, agents: int = 3):
        self.folder = folder
        environment = {**os.environ, "PATH": f"{Path(LAB).parent}:{os.environ['PATH']}"}
        self.process = subprocess.Popen(
            [program, "demo", "--folder", str(folder), "--stops", "100", "--agents", str(agents), "--books", str(books), "--port", "0", *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
        )
        self.output = ""

    def ready(self) -> "Demo":
        """Waits until it has printed its addresses."""
        found: dict[str, str] = {}
        while len(found) < 4:
            line = self.process.stdout.readline()
            assert line, f"the demonstration has ended: {self.output}"
            self.output += line
            if match := re.match(r"(Departures|Worktrees|Jobs) +(http://\S+)$", line):
                found[match[1]] = match[2]
            elif match := re.search(r"panel alone: (http://\S+)/$", line):
                found["panel"] = match[1]
        self.board, self.worktrees, self.jobs, self.panel = found["Departures"], found["Worktrees"], found["Jobs"], found["panel"]
        self.url = self.jobs.removesuffix("/jobs")
        return self

    def processes(self) -> dict[int, list[str]]:
        """What runs of it: every process that names its folder."""
        return {number: words for number, words in commands().items() if any(str(self.folder) in word for word in words)}

    def child(self, command: str) -> int:
        """The process that runs a command of one of the programs."""
        found = [number for number, words in self.processes().items() if words[1:2] == [command]]
        assert len(found) == 1, f"{command}: {self.processes()}"
        return found[0]

    def producer(self) -> str:
        """The address of the simulated producer, as the server was given it."""
        words = commands()[self.child("serve")]
        return words[words.index("--trip-updates") + 1].removesuffix("/trip-updates.pb")

    def is_published(self, instant: float) -> bool:
        """Whether the producer made a publication at an instant, in whole seconds."""
        text = datetime.fromtimestamp(instant + 0.999, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        with urllib.request.urlopen(f"{self.producer()}/truth.json?stop=Parent8501120&at={text}", timeout=LONGEST) as answer:
            return json.load(answer)["source_time"] == instant

    def stated(self) -> float:
        """When the data was made of the boards that the server has now, as its answers say."""
        with urllib.request.urlopen(f"{self.url}/api/stationboard?stop_id=Parent8501120&limit=1", timeout=LONGEST) as answer:
            return datetime.fromisoformat(answer.headers["x-md-rt-fetched-at"].replace("Z", "+00:00")).timestamp()

    def end(self, number: int = signal.SIGINT) -> int:
        """Ends it, and returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.output += self.process.stdout.read()
        return self.process.wait(timeout=LONGEST)

    def kill(self) -> None:
        """Ends whatever is left."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        for number in self.processes():
            try:
                os.kill(number, signal.SIGKILL)
            except ProcessLookupError:
                pass


def ask(method: str, url: str, **headers: str) -> tuple[int, str]:
    """Status and body of an answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, method=method, headers=named), timeout=LONGEST) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


class DemoTab(Tab):
    """A page with the panel in it."""

    def __init__(self, browser: Browser, demo: Demo, url: str, **options):
        self.demo = demo
        self.contexts: dict[int, str] = {}
        #: Of each board that the page has received: when its head came, when its data was made, as it says, and how long it took.
        self.received: list[tuple[float, float, float]] = []
        super().__init__(browser, bare=True, **options)
        # What turns while a page tries again costs more than everything else.
        self.media(prefers_reduced_motion="reduce")
        self.open(url)
        self.wait("document.documentElement.dataset.ready === 'yes'")

    def _heard(self, method: str, event: dict) -> None:
        if method == "Runtime.executionContextCreated":
            self.contexts[event["context"]["id"]] = event["context"]["origin"]
        elif method == "Runtime.executionContextDestroyed":
            self.contexts.pop(event["executionContextId"], None)
        elif method == "Runtime.executionContextsCleared":
            self.contexts.clear()
        elif method == "Network.responseReceived" and "/api/stationboard?" in event["response"]["url"]:
            fields = {name.lower(): value for name, value in event["response"]["headers"].items()}
            if event["response"]["status"] in (200, 304) and (made := fields.get("x-md-rt-fetched-at")):
                asked = next(request["at"] for request in reversed(self.requests) if request["id"] == event["requestId"])
                self.received.append((time.time(), datetime.fromisoformat(made.replace("Z", "+00:00")).timestamp(), event["timestamp"] - asked))
        super()._heard(method, event)

    def in_panel(self, expression: str) -> object:
        """The value of an expression in the panel's frame, or None if the frame is not there yet."""
        found = [number for number, origin in list(self.contexts.items()) if origin == self.demo.panel]
        if not found:
            return None
        result = self.call("Runtime.evaluate", expression=expression, contextId=found[-1], returnByValue=True, awaitPromise=True)
        return None if "exceptionDetails" in result else result["result"].get("value")

    def until_panel(self, expression: str) -> object:
        """Waits until an expression is true in the panel."""
        end = time.monotonic() + LONGEST
        while not (value := self.in_panel(expression)):
            assert time.monotonic() < end, f"never in the panel: {expression}"
            time.sleep(0.05)
        return value

    def press(self, selector: str) -> None:
        """Presses an element of the panel with the mouse, once it lies still in the view."""
        box = f"(() => {{ const box = document.querySelector({json.dumps(selector)})?.getBoundingClientRect(); return box?.width ? [box.x + box.width / 2, box.y + box.height / 2, innerHeight] : null; }})()"
        last = None
        while True:
            inner = self.until_panel(box)
            outer = self.run("(() => { const box = document.querySelector('#demo-panel').getBoundingClientRect(); return [box.x, box.y]; })()")
            place = (inner[0] + outer[0], inner[1] + outer[1])
            if place == last and inner[1] < inner[2]:
                break
            last = place
            time.sleep(0.05)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, *place)

    def open_panel(self) -> None:
        """Opens the panel."""
        self.until_panel("document.querySelectorAll('#faults li').length > 0")
        self.press("#fold")
        self.until_panel("!document.querySelector('#content').hidden")

    def set(self, fault: str, is_broken: bool) -> None:
        """Breaks or mends a thing with its switch."""
        wanted = "true" if is_broken else "false"
        self.press(f"[data-fault={fault}]")
        self.until_panel(f"document.querySelector('[data-fault={fault}]').getAttribute('aria-checked') === '{wanted}'")

    def mend(self) -> None:
        """Mends everything."""
        self.press("#mend")
        self.until_panel("document.querySelector('#mend').disabled")

    def stated(self, until: float | None = None) -> float | None:
        """When the newest data was made of the boards that the page has received, or had until an instant, as their answers say."""
        return max((made for at, made, _ in self.received if until is None or at <= until), default=None)

    def delay(self, made: float) -> float:
        """How long the slowest answer with that data took: a page counts it as age, as it cannot know when in between the answer was made."""
        return max(delay for _, other, delay in self.received if other == made)


class DemoFolder(Folder):
    """A temporary folder, whose demonstrations are ended with it."""

    def __init__(self):
        super().__init__()
        self.demos: list[Demo] = []

    def demo(self, *options: str, **more) -> Demo:
        """Starts a demonstration in it."""
        started = Demo(self.path.resolve() / "demo", *options, **more)
        self.demos.append(started)
        return started

    def remove(self) -> None:
        for demo in self.demos:
            demo.kill()
        super().remove()
