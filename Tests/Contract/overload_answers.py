"""Checks a server that has no time for boards.

It answers with the timetable alone, with 503 if that is empty, and with 503 if too many ask at once; never with an
empty success. See README.md beside this file.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

BOARD = "/api/stationboard"
# BoardBudget.overload, and some more.
MOST, CROWD = 2_048, 2_150
# How many connections are opened before the server has accepted them.
BATCH = 100


@dataclass
class OverloadRun:
    """The checks of a server without time."""

    run: Any

    def slow(self) -> None:
        """Check a server with `--slow timetable=6000`."""
        stop = self.run.stops[0]
        board = self.run.board(stop_id=stop, limit=5)
        if board:
            mode = board["meta"]["responseMode"]
            self.run.report.check(
                "without time there is the timetable alone", None if mode == "static_timeout_fallback" else mode
            )
        empty = urlencode({"stop_id": stop, "datetime": "2031-01-01T03:00:00Z"})
        self.run.ask(BOARD, f"{BOARD}?{empty}", 503, "timeout")

    def crowded(self) -> None:
        """Check a server with `--slow crowd`: it answers no request until there are so many that it refuses one."""
        answers = asyncio.run(self.crowd(f"{BOARD}?{urlencode({'stop_id': self.run.stops[0], 'limit': 1})}"))
        count = Counter(answer.status for answer in answers)
        found = [f"the statuses are {dict(count)}"] if set(count) != {200, 503} or count[200] < MOST else []
        for answer in answers:
            if answer.status == 200:
                body = json.loads(answer.body)
                if not body["departures"] or body["meta"]["responseMode"] not in ("full", "degraded_static"):
                    found.append(f"a success is {body['meta']['responseMode']} with {len(body['departures'])} departures")
        refused = [answer for answer in answers if answer.status == 503]
        for answer in refused[:5]:
            found += self.run.failures(BOARD, "GET", answer)
            if answer.json["error"] != "busy":
                found.append(f"the error is {answer.json['error']}")
        self.run.report.all(f"{CROWD} at once: boards, or 503 busy", found)

    async def crowd(self, target: str) -> list[Any]:
        """Ask many times at once, on connections of their own."""

        async def ask() -> asyncio.StreamReader:
            reader, writer = await asyncio.open_connection(self.run.server.host, self.run.server.port)
            writer.write(f"GET {target} HTTP/1.1\r\nHost: check\r\nConnection: close\r\n\r\n".encode())
            await writer.drain()
            writers.append(writer)
            return reader

        async def answer(reader: asyncio.StreamReader) -> Any:
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
            lines = head.decode().split("\r\n")
            fields: dict[str, str] = {}
            for line in lines[1:]:
                name, _, value = line.partition(":")
                name, value = name.strip().lower(), value.strip()
                fields[name] = f"{fields[name]}, {value}" if name in fields else value
            return self.run.answer(int(lines[0].split(" ")[1]), fields, body)

        readers: list[asyncio.StreamReader] = []
        writers: list[asyncio.StreamWriter] = []
        while len(readers) < CROWD:
            readers += await asyncio.gather(*(ask() for _ in range(min(BATCH, CROWD - len(readers)))))
            # The system keeps few connections for a server that does not get to accept them. Until it refuses one, none ends.
            while len(readers) <= MOST and self.accepted() < len(readers):
                await asyncio.sleep(0.02)
        answers = await asyncio.gather(*map(answer, readers))
        for writer in writers:
            writer.close()
        return answers

    def accepted(self) -> int:
        """How many connections the server has."""
        found = re.search(rb"(?m)^freshet_connections (\d+)", self.run.server.ask("/metrics").body)
        return int(found[1])
