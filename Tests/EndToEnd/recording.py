"""Reads recordings of feeds by their documentation (Documentation/feed-recording.md), and nothing else."""

from __future__ import annotations

import functools
import struct
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Answer:
    """One recorded answer; times are milliseconds since 1970."""

    feed: str
    arrival: int
    duration: int
    status: int
    failure: str
    body: bytes | None
    fields: dict[str, str] = field(default_factory=dict)
    offset: int = 0


class _Reader:
    def __init__(self, payload: bytes):
        self.payload, self.place = payload, 1

    def take(self, form: str):
        size = struct.calcsize(form)
        (value,) = struct.unpack_from(form, self.payload, self.place)
        self.place += size
        return value

    def text(self) -> str:
        count = self.take("<H")
        value = self.payload[self.place:self.place + count].decode()
        self.place += count
        return value


def read(path: Path) -> list[Answer]:
    """All answers of a recording without damage, in the order of the file."""
    data = Path(path).read_bytes()
    assert data[:8] == b"FRESHREC", "no recording"
    assert struct.unpack_from("<II", data, 8) == (1, 0), "another version"
    place, sources, bodies, answers = 16, {}, {}, []
    while place < len(data):
        length, inverted = struct.unpack_from("<II", data, place)
        assert length ^ inverted == 0xFFFFFFFF, f"damaged at {place}"
        payload = data[place + 16:place + 16 + length]
        reader = _Reader(payload)
        if payload[0] == 1:
            number = reader.take("<H")
            sources[number] = (reader.text(), reader.text())
        elif payload[0] == 2:
            bodies[place] = payload[1:]
        elif payload[0] == 3:
            source, arrival, duration = reader.take("<H"), reader.take("<q"), reader.take("<q")
            status, body = reader.take("<H"), reader.take("<q")
            failure = reader.text()
            fields = {reader.text(): reader.text() for _ in range(reader.take("<B"))}
            answers.append(Answer(
                sources[source][0], arrival, duration, status, failure, bodies.get(body), fields,
                place,
            ))
        else:
            raise AssertionError(f"unknown kind {payload[0]} at {place}")
        place += 16 + length
    return answers


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place


@functools.lru_cache(maxsize=1_000)
def header(body: bytes) -> tuple[int, int] | None:
    """The timestamp of a feed and how many entities it has; None if the feed is incomplete."""

    def fields(data: bytes):
        place = 0
        while place < len(data):
            tag, place = _varint(data, place)
            if tag & 7 == 0:
                value, place = _varint(data, place)
            elif tag & 7 == 2:
                count, place = _varint(data, place)
                if place + count > len(data):
                    raise IndexError
                value, place = data[place:place + count], place + count
            else:
                raise IndexError
            yield tag >> 3, value

    try:
        parts = list(fields(body))
        first = next(dict(fields(value)) for number, value in parts if number == 1)
        return first[3], sum(number == 2 for number, _ in parts)
    except (IndexError, StopIteration, KeyError):
        return None


class _Doubt:
    """A doubt about a feed: it ends with three publications that agree, or after 120 s."""

    def __init__(self, must_advance: bool):
        self.must_advance = must_advance
        self.clear()

    def clear(self) -> None:
        self.since, self.count, self.body, self.stamp = 0, 0, None, 0

    def ends(self, answer: Answer, stamp: int) -> bool:
        second = answer.arrival // 1_000
        if self.count == 0:
            self.since, self.count = second, 1
        elif self.body != answer.body:
            if self.must_advance and stamp < self.stamp:
                self.since, self.count = second, 1
            else:
                self.count += 1
        self.body, self.stamp = answer.body, stamp
        return self.count >= 3 or second - self.since >= 120


def in_use(answers: list[Answer], feed: str, until: int, patience: int = 8_000) -> list[Answer]:
    """The answers whose content a careful listener took into use, one after the other.

    It has doubts about a feed that is older than the one it has, or less than half of it; it never uses one
    that is empty or cut.
    """
    used: list[Answer] = []
    stamp = entities = 0
    older, smaller = _Doubt(must_advance=True), _Doubt(must_advance=False)
    last = None
    for answer in sorted((a for a in answers if a.feed == feed), key=lambda a: a.arrival):
        if answer.arrival > until or answer.duration > patience or answer.body is None:
            continue
        if answer.status not in (200, 304) or answer.body == last:
            continue
        last = answer.body
        found = header(answer.body)
        if found is None:
            continue
        if used and answer.body == used[-1].body:
            older.clear()
            smaller.clear()
            continue
        if used and found[0] < stamp and not older.ends(answer, found[0]):
            continue
        if used and entities >= 20 and found[1] * 2 < entities:
            if not smaller.ends(answer, found[0]):
                continue
        stamp, entities = found
        older.clear()
        smaller.clear()
        used.append(answer)
    return used
