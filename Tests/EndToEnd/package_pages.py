"""Serves pages that are built from nothing but the JavaScript package, with a small live API beside it."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
import urllib.error
import urllib.request
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import websockets

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "JavaScript/freshness"
#: React as Debian packages it: browsers load it as scripts.
REACT = {name: Path(f"/usr/share/nodejs/{name}/umd/{name}.development.js") for name in ("react", "react-dom")}
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".wasm": "application/wasm", ".json": "application/json"}
#: What a bundler does with `import … from "react"`, for a React that is there as a script.
REACT_MODULE = "export const { createContext, createElement, useCallback, useContext, useMemo, useRef, useState, useSyncExternalStore } = window.React;"


def files_of_the_package() -> set[str]:
    """The files that package.json ships."""
    manifest = json.loads((PACKAGE / "package.json").read_text())
    return {path.name for pattern in manifest["files"] for path in PACKAGE.glob(pattern)} | {"package.json"}


class PackageServer:
    """The shipped files under /freshness/, pages, a value that a test changes, its streams; other paths of an API come from
    another server."""

    def __init__(self, pages: dict[str, str], upstream: str | None = None):
        self.pages = dict(pages)
        self.upstream = upstream
        self.files = files_of_the_package()
        self.number = 1
        self.status = 200
        self.asked: list[dict[str, str]] = []
        self.addresses: list[str] = []
        #: The status with which a change is refused.
        self.refuses: int | None = None
        #: Long polls of /api/held/N: how many are held now, were held at most, and have been answered.
        self.holding = self.most_held = self.released = 0
        self._changed = threading.Condition()
        self._is_over = False
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                try:
                    outer.answer(self)
                except OSError:
                    self.close_connection = True  # The page has gone, and its questions with it.

            def do_PUT(self) -> None:
                outer.write(self)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.loop = asyncio.new_event_loop()
        self.talking = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.talking.start()
        self.sockets = asyncio.run_coroutine_threadsafe(self.listen(), self.loop).result()
        self.socket_url = f"ws://127.0.0.1:{self.sockets.sockets[0].getsockname()[1]}/"

    def change(self) -> int:
        """Another value; its number."""
        with self._changed:
            self.number += 1
            self._changed.notify_all()
            return self.number

    def write(self, request: BaseHTTPRequestHandler) -> None:
        """A change that a page makes: the value, unless it is refused."""
        number = json.loads(request.rfile.read(int(request.headers["Content-Length"])))["number"]
        if self.refuses is not None:
            return self.send(request, self.refuses, b'{"detail": "not now"}', TYPES[".json"])
        with self._changed:
            self.number = number
            self._changed.notify_all()
        self.send(request, 200, b"{}", TYPES[".json"])

    def value(self) -> dict:
        """The value now."""
        return {"number": self.number, "meta": {"serverTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}}

    # Answers

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        path = request.path.split("?")[0]
        if path in self.pages:
            kind = TYPES[".js" if path.endswith(".js") else ".html"]
            return self.send(request, 200, self.pages[path].encode(), kind)
        if path == "/react.js":
            return self.send(request, 200, REACT_MODULE.encode(), TYPES[".js"])
        if found := re.fullmatch(r"/(react|react-dom)\.development\.js", path):
            return self.send(request, 200, REACT[found[1]].read_bytes(), TYPES[".js"])
        if path.startswith("/freshness/") and path.removeprefix("/freshness/") in self.files:
            file = PACKAGE / path.removeprefix("/freshness/")
            return self.send(request, 200, file.read_bytes(), TYPES[file.suffix])
        if path == "/api/value":
            return self.send_value(request)
        if path == "/api/dated":
            return self.send_dated(request)
        if path.startswith("/api/held/"):
            self.hold(request)
            return self.send_value(request)
        if path == "/api/events":
            return self.stream(request)
        if path.startswith("/api/") and self.upstream:
            return self.forward(request)
        self.send(request, 204 if path == "/favicon.ico" else 404, b"", "text/plain")

    def hold(self, request: BaseHTTPRequestHandler) -> None:
        """Holds a long poll until the value changes, however long it asks to wait."""
        if "Prefer" not in request.headers:
            return
        with self._changed:
            self.holding += 1
            self.most_held = max(self.most_held, self.holding)
            self._changed.wait_for(lambda: self._is_over or request.headers.get("If-None-Match") != f'"{self.number}"')
            self.holding -= 1
            self.released += 1

    @staticmethod
    def send(request: BaseHTTPRequestHandler, status: int, body: bytes, kind: str, **fields: str) -> None:
        request.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "no-store", **fields}.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)

    def send_value(self, request: BaseHTTPRequestHandler) -> None:
        self.asked.append(dict(request.headers.items()))
        self.addresses.append(request.path)
        tag = f'"{self.number}"'
        if self.status != 200:
            return self.send(request, self.status, b'{"detail": "out of order"}', TYPES[".json"])
        if request.headers.get("If-None-Match") == tag:
            request.send_response(304)
            request.send_header("ETag", tag)
            return request.end_headers()
        self.send(request, 200, json.dumps(self.value()).encode(), TYPES[".json"], ETag=tag)

    def send_dated(self, request: BaseHTTPRequestHandler) -> None:
        """Data made in the last tenth of the second before, each time later; the time now is in `Date` in whole seconds, in the document in
        milliseconds."""
        now = time.time()
        made, served = (f"{datetime.fromtimestamp(one, timezone.utc):%Y-%m-%dT%H:%M:%S}.{int(one % 1 * 1000):03}Z" for one in (int(now) - 0.1 + now % 1 / 10, now))
        self.send(request, 200, json.dumps({"madeAt": made, "serverTime": served}).encode(), TYPES[".json"])

    def stream(self, request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "text/event-stream")
        request.send_header("Connection", "close")
        request.end_headers()
        for value in self.values():
            request.wfile.write(f"data: {json.dumps(value)}\n\n".encode() if value else b": alive\n\n")
            request.wfile.flush()

    async def listen(self):
        """Opens the WebSocket's port."""
        return await websockets.serve(self.speak, "127.0.0.1", 0)

    async def speak(self, socket) -> None:
        """The same values over a WebSocket."""
        values = self.values()
        while (value := await self.loop.run_in_executor(None, next, values, self)) is not self:
            if value:
                await socket.send(json.dumps(value))

    def values(self):
        """The values as they change, and nothing now and then, so that what is gone is noticed."""
        known = None
        while not self._is_over:
            with self._changed:
                self._changed.wait_for(lambda: self._is_over or self.number != known, 0.5)
                value = self.value() if self.number != known else None
                known = self.number
            yield value

    def forward(self, request: BaseHTTPRequestHandler) -> None:
        """Another server's answer, as it is."""
        fields = {name: request.headers[name] for name in ("If-None-Match", "Accept", "Prefer") if name in request.headers}
        self.asked.append(fields)
        try:
            answer = urllib.request.urlopen(urllib.request.Request(self.upstream + request.path, headers=fields), timeout=60)
        except urllib.error.HTTPError as refusal:
            answer = refusal
        with answer:
            body = answer.read()
            request.send_response(answer.status)
            for name, value in answer.headers.items():
                if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                    request.send_header(name, value)
            request.send_header("Content-Length", str(len(body)))
            request.end_headers()
            if answer.status not in (204, 304):
                request.wfile.write(body)

    def close(self) -> None:
        """Ends the server and every stream."""
        self._is_over = True
        with self._changed:
            self._changed.notify_all()
        self.sockets.close()
        asyncio.run_coroutine_threadsafe(self.sockets.wait_closed(), self.loop).result(30)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.talking.join(30)
        self.loop.close()
        self.server.shutdown()
        self.server.server_close()
