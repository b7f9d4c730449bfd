"""Checks a server that has no time for boards: it was started with `--slow timetable=6000`.

It answers with the timetable alone, with 503 if that is empty, and with 503 if too many ask at once; never with an
empty success. See README.md beside this file.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

BOARD = "/api/stationboard"
# More than BoardBudget.overload.
CROWD = 2_150
# On a busy machine a burst may arrive so slowly that it is not a burst; then another one is tried.
CROWDS = 3
PATIENCE = 60


@dataclass
class OverloadRun:
    """The checks of a slow server; `run` asks and reports."""

    run: Any

    def all(self) -> None:
        """Run every check."""
        stop = self.run.stops[0]
        board = self.run.board(stop_id=stop, limit=5)
        if board:
            mode = board["meta"]["responseMode"]
            self.run.report.check(
                "without time there is the timetable alone", None if mode == "static_timeout_fallback" else mode
            )
        empty = urlencode({"stop_id": stop, "datetime": "2031-01-01T03:00:00Z"})
        self.run.ask(BOARD, f"{BOARD}?{empty}", 503, "timeout")
        for _ in range(CROWDS):
            answers = asyncio.run(self.crowd(f"{BOARD}?{urlencode({'stop_id': stop, 'limit': 1})}"))
            if any(answer.status == 503 for answer in answers):
                break
        count = Counter(answer.status for answer in answers)
        found = [f"the statuses are {dict(count)}"] if set(count) != {200, 503} else []
        for answer in answers:
            if answer.status == 200:
                body = json.loads(answer.body)
                if not body["departures"] or body["meta"]["responseMode"] != "static_timeout_fallback":
                    found.append(f"a success is {body['meta']['responseMode']} with {len(body['departures'])} departures")
        refused = [answer for answer in answers if answer.status == 503]
        for answer in refused[:5]:
            found += self.run.failures(BOARD, "GET", answer)
            if answer.json["error"] != "busy":
                found.append(f"the error is {answer.json['error']}")
        self.run.report.all(f"{CROWD} at once: boards of the timetable, or 503 busy", found)

    async def crowd(self, target: str) -> list[Any]:
        """Ask many times at once, on connections of their own."""
        gate = asyncio.Semaphore(256)

        async def one() -> Any:
            async with gate:
                reader, writer = await asyncio.open_connection(self.run.server.host, self.run.server.port)
            writer.write(f"GET {target} HTTP/1.1\r\nHost: check\r\nConnection: close\r\n\r\n".encode())
            await writer.drain()
            content = await asyncio.wait_for(reader.read(), PATIENCE)
            writer.close()
            head, _, body = content.partition(b"\r\n\r\n")
            lines = head.decode().split("\r\n")
            fields: dict[str, str] = {}
            for line in lines[1:]:
                name, _, value = line.partition(":")
                name, value = name.strip().lower(), value.strip()
                fields[name] = f"{fields[name]}, {value}" if name in fields else value
            return self.run.answer(int(lines[0].split(" ")[1]), fields, body)

        return await asyncio.gather(*(one() for _ in range(CROWD)))
