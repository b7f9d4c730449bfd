"""Drives a headless Chromium over its debugging pipe (the DevTools protocol), with nothing but Python."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import urlsplit

#: The shell is Chromium without windows: a tab of it costs half.
NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
PROGRAM = next((path for path in map(shutil.which, NAMES) if path), NAMES[0])
LONGEST = 90.0
"""Seconds that end a wait for what never comes, on a busy machine too."""
SWITCHES = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-extensions", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--hide-scrollbars", "--mute-audio", "--remote-debugging-pipe",
    "--enable-precise-memory-info", "--js-flags=--expose-gc",
    # Every window of Chromium loads two pages for its address field, which are not shown here: most of what a tab costs.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
]
#: The pages' scripts as they are written: the program serves them bundled, and tests import single modules from here.
SOURCES = Path(__file__).resolve().parents[2] / "Sources/Programs/CWebAssets/Public"
#: Text at 130 %, as a person chooses it for all pages.
LARGE_LETTERS = "--blink-settings=defaultFontSize=21,defaultFixedFontSize=17"
KEYS = {
    "Enter": ("Enter", 13, "\r"), "Escape": ("Escape", 27, ""), "Tab": ("Tab", 9, ""),
    "ArrowDown": ("ArrowDown", 40, ""), "ArrowUp": ("ArrowUp", 38, ""), "Space": ("Space", 32, " "),
}


def date_of(body: object) -> str:
    """The `Date` of an answer: the server's time in its body, for a server whose clock is another, else now."""
    meta = body.get("meta") if isinstance(body, dict) else None
    stated = meta.get("serverTime") if isinstance(meta, dict) else None
    moment = datetime.fromisoformat(stated.replace("Z", "+00:00")) if isinstance(stated, str) else datetime.now(timezone.utc)
    return moment.strftime("%a, %d %b %Y %H:%M:%S GMT")


class ProtocolError(Exception):
    """The browser refused a command, or a page threw."""


def high_pipe() -> tuple[int, int]:
    """A pipe whose ends have high numbers, so that 3 and 4 are free in a child; no other number stays
    open, or the end of one side would not be the end of the pipe."""
    ends = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 20) for end in ends)
    for end in ends:
        os.close(end)
    return high


class Browser:
    """One browser; each tab has storage of its own."""

    def __init__(self, *switches: str):
        self.profile = tempfile.mkdtemp(prefix="freshet-chromium-")
        to_read, self._write = high_pipe()
        self._read, to_write = high_pipe()

        def connect() -> None:
            os.dup2(to_read, 3)
            os.dup2(to_write, 4)

        self.process = subprocess.Popen(
            [PROGRAM, *SWITCHES, f"--user-data-dir={self.profile}", *switches, "about:blank"],
            # With pass_fds, 3 and 4 would have to be open in this process at the moment of the fork; what it opens is closed
            # by exec anyway.
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._number = 0
        self._lock = threading.Condition()
        #: Apart from the lock above: a full pipe must not keep the answers from being read.
        self._writing = threading.Lock()
        self._answers: dict[int, dict] = {}
        self._listeners: dict[str, Callable[[str, dict], None]] = {}
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        rest = b""
        try:
            while piece := os.read(self._read, 1 << 20):
                *messages, rest = (rest + piece).split(b"\0")
                for message in map(json.loads, messages):
                    self._take(message)
        except BrokenPipeError:
            pass  # A listener answered, and the browser was gone.
        finally:
            os.close(self._read)

    def _take(self, message: dict) -> None:
        if "id" in message:
            with self._lock:
                self._answers[message["id"]] = message
                self._lock.notify_all()
        elif listener := self._listeners.get(message.get("sessionId", "")):
            listener(message["method"], message["params"])

    def send(self, method: str, parameters: dict, session: str | None = None) -> int:
        """Sends a command and waits for nothing."""
        with self._writing:
            self._number += 1
            message = {"id": self._number, "method": method, "params": parameters}
            if session:
                message["sessionId"] = session
            data = json.dumps(message).encode() + b"\0"
            while data:
                data = data[os.write(self._write, data):]
            return self._number

    def call(self, method: str, session: str | None = None, patience: float = LONGEST, /, **parameters: object) -> dict:
        """Sends a command and returns its result."""
        number = self.send(method, parameters, session)
        with self._lock:
            if not self._lock.wait_for(lambda: number in self._answers, patience):
                raise ProtocolError(f"{method} was not answered")
            answer = self._answers.pop(number)
        if "error" in answer:
            raise ProtocolError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def listen(self, session: str, listener: Callable[[str, dict], None]) -> None:
        """Tells the listener every event of a session."""
        self._listeners[session] = listener

    def tab(self, **options: object) -> "Tab":
        """A new tab with empty storage."""
        return Tab(self, **options)

    def close(self) -> None:
        """Ends the browser."""
        # Pages still send requests, whose answers would have no receiver.
        self._listeners = {}
        try:
            self.send("Browser.close", {})
            self.process.wait(timeout=10)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self._thread.join(timeout=10)
        os.close(self._write)
        shutil.rmtree(self.profile, ignore_errors=True)


class Tab:
    """A page: what a person does with it, and what it asked and said; a bare one without interception of the API."""

    def __init__(self, browser: Browser, width: int = 1280, height: int = 800, bare: bool = False):
        self.browser = browser
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        target = browser.call(
            "Target.createTarget", url="about:blank", browserContextId=self.context, newWindow=True,
            width=width, height=height,
        )
        self.target = target["targetId"]
        attached = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)
        self.session = attached["sessionId"]
        self.console: list[str] = []
        self.requests: list[dict] = []
        self.responses: dict[str, dict] = {}
        self.heads: dict[str, int] = {}
        #: The requests whose answers have come to their end, or failed.
        self.ended: set[str] = set()
        self.answers: Callable[[str], dict | None] | None = None
        browser.listen(self.session, self._heard)
        for domain in ("Page", "Runtime", "Network", "Log", "Performance"):
            self.call(f"{domain}.enable")
        if not bare:
            # A service worker that is just being installed would handle requests before `intercept`; and
            # interception that begins later can lose the request that is sent in that moment.
            self.call("Network.setBypassServiceWorker", bypass=True)
        self.call("Fetch.enable", patterns=[{"urlPattern": "*/sources/*"}, *([] if bare else [{"urlPattern": "*/api/*"}])])
        self.size(width, height)

    def call(self, method: str, patience: float = LONGEST, /, **parameters: object) -> dict:
        """Sends a command about this tab."""
        return self.browser.call(method, self.session, patience, **parameters)

    def _heard(self, method: str, event: dict) -> None:
        if method == "Runtime.consoleAPICalled" and event["type"] in ("error", "warning", "assert"):
            self.console.append(" ".join(str(item.get("value", item.get("description"))) for item in event["args"]))
        elif method == "Runtime.exceptionThrown":
            details = event["exceptionDetails"]
            self.console.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded" and event["entry"]["level"] in ("error", "warning"):
            self.console.append(f"{event['entry']['text']} {event['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent":
            # The browser's clock is that of time.monotonic(): when the request was sent, not when it was heard of.
            request = event["request"]
            self.requests.append({"id": event["requestId"], "url": request["url"], "at": event["timestamp"], "headers": request["headers"], "initiator": event["initiator"]})
        elif method == "Network.responseReceived":
            self.responses[event["requestId"]] = {"status": event["response"]["status"], "headers": event["response"]["headers"], "bytes": 0}
        elif method == "Network.responseReceivedExtraInfo":
            self.heads[event["requestId"]] = len(event.get("headersText", ""))
        elif method == "Network.loadingFinished":
            if event["requestId"] in self.responses:
                self.responses[event["requestId"]]["bytes"] = event["encodedDataLength"]
            self.ended.add(event["requestId"])
        elif method == "Network.loadingFailed":
            self.ended.add(event["requestId"])
        elif method == "Fetch.requestPaused" and urlsplit(event["request"]["url"]).path.startswith("/sources/"):
            self._answer_source(event)
        elif method == "Fetch.requestPaused" and self.answers:
            # What answers may take its time; other tabs are heard meanwhile.
            threading.Thread(target=self._answer, args=[event], daemon=True).start()
        elif method == "Fetch.requestPaused":
            self._paused(event)

    # What the network does

    def intercept(self, answers: Callable[[str], dict | None] | None) -> None:
        """Answers the API in the server's place: `{status, headers, body}`, `{fail: reason}`,
        `{hang: true}` for no answer at all, or nothing to let one pass."""
        self.answers = answers

    def _answer(self, event: dict) -> None:
        try:
            self._paused(event)
        except OSError:
            pass  # The browser was gone.

    def _answer_source(self, event: dict) -> None:
        """A module as it is written, for `import('/sources/board/departure.js')`."""
        path = SOURCES / urlsplit(event["request"]["url"]).path.removeprefix("/sources/")
        self.browser.send("Fetch.fulfillRequest", {
            "requestId": event["requestId"], "responseCode": 200 if path.is_file() else 404,
            "responseHeaders": [{"name": "Content-Type", "value": "text/javascript"}],
            "body": base64.b64encode(path.read_bytes() if path.is_file() else b"").decode(),
        }, self.session)

    def _paused(self, event: dict) -> None:
        answer = self.answers(event["request"]["url"]) if self.answers else None
        identity = {"requestId": event["requestId"]}
        if answer is None:
            self.browser.send("Fetch.continueRequest", identity, self.session)
        elif "hang" in answer:
            pass  # Nothing comes.
        elif "fail" in answer:
            self.browser.send("Fetch.failRequest", {**identity, "errorReason": answer["fail"]}, self.session)
        else:
            body = answer.get("body", "")
            text = body if isinstance(body, str) else json.dumps(body)
            headers = {"Content-Type": "application/json", "Date": date_of(body), **answer.get("headers", {})}
            self.browser.send("Fetch.fulfillRequest", {
                **identity, "responseCode": answer["status"],
                "responseHeaders": [{"name": name, "value": str(value)} for name, value in headers.items()],
                "body": base64.b64encode(text.encode()).decode(),
            }, self.session)

    def offline(self, is_offline: bool) -> None:
        """Takes the network away, or gives it back."""
        self.call("Network.emulateNetworkConditions", offline=is_offline, latency=0, downloadThroughput=-1, uploadThroughput=-1)

    def size_of(self, request: dict) -> int:
        """The bytes that an answer took on the wire."""
        return max(self.responses[request["id"]]["bytes"], self.heads.get(request["id"], 0))

    def boards(self, since: int = 0) -> list[dict]:
        """The requests for boards, from a place in the list of all on."""
        return [request for request in self.requests[since:] if "/api/stationboard?" in request["url"]]

    def answered_boards(self) -> list[dict]:
        """The requests for boards whose answers have come."""
        return [request for request in self.boards() if request["id"] in self.ended]

    def next_board(self, since: int, timeout: float = LONGEST) -> dict:
        """The first request for a board after so many of them, once its answer has come or failed."""
        end = time.monotonic() + timeout
        while True:
            asked = self.boards()[since:]
            if asked and asked[0]["id"] in self.ended:
                return asked[0]
            if time.monotonic() > end:
                raise AssertionError(f"{len(asked)} requests after {since}, and no answer, in {timeout} s")
            time.sleep(0.02)

    # What a person does

    def open(self, url: str) -> None:
        """Goes to an address and waits until the page has loaded."""
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def key(self, name: str, modifiers: int = 0) -> None:
        """Presses a key."""
        code, number, text = KEYS.get(name, ("", ord(name[0].upper()), name))
        common = {"key": name, "code": code, "windowsVirtualKeyCode": number, "modifiers": modifiers}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text: str) -> None:
        """Types a text into what has the focus."""
        self.call("Input.insertText", text=text)

    def click(self, selector: str) -> None:
        """Moves the mouse to the middle of an element, and presses once the element is under it."""
        x, y = self.hover(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y)

    def hover(self, selector: str) -> tuple[float, float]:
        """Moves the mouse to the middle of an element; returns the point, once the element is under it.

        An element may move while the mouse is on its way to it: then it is followed, as a hand does.
        """
        end = time.monotonic() + LONGEST
        while True:
            x, y = self.run(
                f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                " return [box.x + box.width / 2, box.y + box.height / 2]; })()"
            )
            self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
            under = self.run(
                f"(() => {{ const wanted = document.querySelector({json.dumps(selector)}); const found = document.elementFromPoint({x}, {y});"
                " return found === wanted || wanted.contains(found) || (found?.closest('label')?.contains(wanted) ?? false) ? null"
                " : found?.outerHTML.slice(0, 120) ?? 'nothing'; })()"
            )
            if under is None:
                return x, y
            if time.monotonic() > end:
                raise AssertionError(f"over {selector} lies {under}")

    def mouse(self, kind: str, x: float, y: float) -> None:
        """Presses (`mousePressed`) or releases (`mouseReleased`) the left button at a point."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def size(self, width: int, height: int, scale: float = 1, mobile: bool = False) -> None:
        """Gives the page another size."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)

    def media(self, **features: str) -> None:
        """Sets media features: prefers_color_scheme="dark"."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": name.replace("_", "-"), "value": value} for name, value in features.items()])

    # What is there

    def run(self, expression: str, patience: float = LONGEST) -> object:
        """The value of an expression, awaited."""
        result = self.call("Runtime.evaluate", patience, expression=expression, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise ProtocolError(details.get("exception", {}).get("description") or details["text"])
        return result["result"].get("value")

    def wait(self, expression: str, timeout: float = LONGEST) -> object:
        """Waits until an expression is true."""
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            try:
                if value := self.run(expression):
                    return value
            except ProtocolError:
                pass  # Between two documents there is nothing to ask.
            time.sleep(0.05)
        raise AssertionError(f"not in {timeout} s: {expression}\nconsole: {self.console}")

    def text(self, selector: str) -> str:
        """The text that an element shows; empty without one."""
        return self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def screenshot(self, path: str) -> None:
        """Takes a picture of what is in view."""
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self) -> None:
        """Closes the tab and forgets its storage."""
        self.browser.call("Target.closeTarget", targetId=self.target)
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)
