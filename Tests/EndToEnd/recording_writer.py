"""Writes recordings of feeds by their documentation (Documentation/feed-recording.md), for tests that make up what arrived."""

from __future__ import annotations

import struct
from pathlib import Path

MASK = (1 << 64) - 1
PRIMES = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def _turn(value: int, count: int) -> int:
    return ((value << count) | (value >> (64 - count))) & MASK


def _round(state: int, lane: int) -> int:
    return _turn((state + lane * PRIMES[1]) & MASK, 31) * PRIMES[0] & MASK


def xxh64(data: bytes) -> int:
    """XXH64 with seed 0."""
    place = 0
    if len(data) >= 32:
        states = [(PRIMES[0] + PRIMES[1]) & MASK, PRIMES[1], 0, -PRIMES[0] & MASK]
        while place + 32 <= len(data):
            states = [_round(state, lane) for state, lane in zip(states, struct.unpack_from("<4Q", data, place))]
            place += 32
        value = sum(_turn(state, count) for state, count in zip(states, (1, 7, 12, 18))) & MASK
        for state in states:
            value = ((value ^ _round(0, state)) * PRIMES[0] + PRIMES[3]) & MASK
    else:
        value = PRIMES[4]
    value = (value + len(data)) & MASK
    while place + 8 <= len(data):
        value ^= _round(0, struct.unpack_from("<Q", data, place)[0])
        value = (_turn(value, 27) * PRIMES[0] + PRIMES[3]) & MASK
        place += 8
    if place + 4 <= len(data):
        value ^= struct.unpack_from("<I", data, place)[0] * PRIMES[0] & MASK
        value = (_turn(value, 23) * PRIMES[1] + PRIMES[2]) & MASK
        place += 4
    for byte in data[place:]:
        value = _turn(value ^ (byte * PRIMES[4] & MASK), 11) * PRIMES[0] & MASK
    for shift, prime in ((33, PRIMES[1]), (29, PRIMES[2])):
        value = (value ^ (value >> shift)) * prime & MASK
    return value ^ (value >> 32)


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<H", len(data)) + data


def write(path: Path, bodies: list[tuple[int, bytes]], feed: str = "trip-updates") -> None:
    """Write a recording of one source: each body with its arrival in seconds since 1970."""
    with path.open("wb") as file:
        file.write(b"FRESHREC" + struct.pack("<II", 1, 0))

        def record(payload: bytes) -> int:
            place = file.tell()
            file.write(struct.pack("<IIQ", len(payload), len(payload) ^ 0xFFFFFFFF, xxh64(payload)) + payload)
            return place

        record(b"\x01" + struct.pack("<H", 0) + _text(feed) + _text("http://localhost/trip-updates.pb"))
        for arrival, body in bodies:
            offset = record(b"\x02" + body)
            record(b"\x03" + struct.pack("<HqqHq", 0, arrival * 1_000, 20, 200, offset) + _text("") + b"\x00")
