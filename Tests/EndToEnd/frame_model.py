"""RFC 6455 as a model: random frames of a client, right and wrong ones, and what a server has to say to them."""

from __future__ import annotations

import json
import random
import struct
from dataclasses import dataclass, field

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
LONGEST = 64 << 10
# Codes that a Close may have: section 7.4.1, the registry of section 7.4.2, and the two free ranges.
SENDABLE = {*range(1000, 1004), *range(1007, 1015), *range(3000, 5000)}
KNOWN = {"ready": "ready_ack", "ping": "pong"}


@dataclass
class Frame:
    """A frame as it is on the wire."""

    opcode: int
    payload: bytes = b""
    final: bool = True
    masked: bool = True
    reserved: int = 0
    # Whether its length is written longer than it needs to be.
    waste: bool = False

    def bytes(self, rng: random.Random) -> bytes:
        """The frame."""
        mark = 0x80 if self.masked else 0
        head = bytes([(0x80 if self.final else 0) | self.reserved << 4 | self.opcode])
        size = len(self.payload)
        if size > 65_535 or self.waste and size > 125:
            head += bytes([mark | 127]) + struct.pack(">Q", size)
        elif size > 125 or self.waste:
            head += bytes([mark | 126]) + struct.pack(">H", size)
        else:
            head += bytes([mark | size])
        if not self.masked:
            return head + self.payload
        mask = bytes(rng.randrange(256) for _ in range(4))
        whole = mask * (size // 4 + 1)
        return head + mask + bytes(left ^ right for left, right in zip(self.payload, whole))


@dataclass
class Said:
    """What a server says to frames: pongs, answers to messages, and how it closes."""

    pongs: list[bytes] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    # None: it goes on.
    close: int | None = None


def expected(frames: list[Frame]) -> Said:
    """What the server has to say."""
    said = Said()
    message: tuple[int, bytes] | None = None
    for frame in frames:
        if frame.waste and len(frame.payload) <= 65_535:
            said.close = 1002
        elif frame.opcode >= 8 and len(frame.payload) > 125 or frame.opcode >= 8 and not frame.final:
            said.close = 1002
        elif len(frame.payload) > LONGEST:
            said.close = 1009
        elif frame.reserved or not frame.masked or frame.opcode not in (0, TEXT, BINARY, CLOSE, PING, PONG):
            said.close = 1002
        elif frame.opcode == CLOSE:
            said.close = closes(frame.payload)
        elif frame.opcode == PING:
            said.pongs.append(frame.payload)
        elif frame.opcode == PONG:
            pass
        elif (frame.opcode == 0) != (message is not None):
            said.close = 1002
        else:
            kind, before = message or (frame.opcode, b"")
            whole = before + frame.payload
            if len(whole) > LONGEST:
                said.close = 1009
            elif kind == TEXT and not may_begin(whole, frame.final):
                said.close = 1007
            elif frame.final:
                message = None
                if answer := reply(whole):
                    said.answers.append(answer)
            else:
                message = (kind, whole)
        if said.close is not None:
            return said
    return said


def closes(payload: bytes) -> int:
    """The code a server answers a Close with; 1005 means none."""
    if not payload:
        return 1005
    if len(payload) == 1:
        return 1002
    code = struct.unpack(">H", payload[:2])[0]
    if code not in SENDABLE:
        return 1002
    try:
        payload[2:].decode()
    except UnicodeDecodeError:
        return 1007
    return code


def may_begin(text: bytes, whole: bool) -> bool:
    """Whether bytes are UTF-8, or the beginning of it."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        # What is cut off at the end may still become a character; what is wrong never.
        return not whole and error.reason == "unexpected end of data"
    return True


def reply(text: bytes) -> str | None:
    """The type of the answer to a message."""
    try:
        kind = json.loads(text.decode("utf-8", "replace"))["type"]
    except (ValueError, TypeError, KeyError, IndexError):
        return "notice"
    return None if kind == "pong" else KNOWN.get(kind, "notice") if isinstance(kind, str) else "notice"


def frames(rng: random.Random, most: int = 12) -> list[Frame]:
    """Frames as a client sends them, with something wrong in one of three."""
    found: list[Frame] = []
    for _ in range(rng.randint(1, most)):
        kind = rng.random()
        if kind < 0.35:
            found += message(rng)
        elif kind < 0.6:
            found.append(Frame(rng.choice([PING, PONG]), bytes(rng.randrange(256) for _ in range(rng.choice([0, 1, 125])))))
        elif kind < 0.65:
            found.append(Frame(CLOSE, close_payload(rng)))
        elif kind < 0.75:
            found.append(wrong(rng))
        else:
            found.append(Frame(TEXT, json.dumps({"type": rng.choice(["ready", "ping", "pong"])}).encode()))
    return found


def message(rng: random.Random) -> list[Frame]:
    """A message in fragments, with control frames between them."""
    text = rng.choice([
        '{"type":"ping","note":"grüße 漢字 🜁"}', '{"type":"ready"}', '{"type":"pong"}', "[1]", "{", "",
        '{"type":"ping","long":"' + "x" * rng.choice([200, 3_000, 60_000]) + '"}',
    ]).encode()
    cuts = sorted(rng.randint(0, len(text)) for _ in range(rng.randint(0, 4)))
    parts = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)])]
    kind = rng.choice([TEXT, TEXT, BINARY])
    found = []
    for number, part in enumerate(parts):
        found.append(Frame(kind if number == 0 else 0, part, final=number == len(parts) - 1))
        if number < len(parts) - 1 and rng.random() < 0.5:
            found.append(Frame(rng.choice([PING, PONG]), bytes([number])))
    return found


def close_payload(rng: random.Random) -> bytes:
    """The payload of a Close, right or wrong."""
    code = rng.choice([1000, 1001, 3000, 4999, rng.randrange(65_536)])
    return rng.choice([b"", b"\x03", struct.pack(">H", code), struct.pack(">H", code) + rng.choice([b"bye", "é".encode(), b"\xff"])])


def wrong(rng: random.Random) -> Frame:
    """A frame that breaks a rule."""
    return rng.choice([
        Frame(TEXT, b"{}", masked=False), Frame(TEXT, b"{}", reserved=rng.randint(1, 7)),
        Frame(rng.choice([3, 4, 5, 6, 7, 11, 12, 13, 14, 15]), b"x"), Frame(PING, b"x", final=False),
        Frame(TEXT, b"{}", waste=True), Frame(PING, b"x", waste=True), Frame(BINARY, b"x" * rng.randint(126, 300), waste=True),
        Frame(PING, b"x" * rng.randint(126, 300)), Frame(0, b"x"), Frame(TEXT, b"\xc3\x28"), Frame(TEXT, b"\xed\xa0\x80"),
        Frame(TEXT, b"\xf4\x90\x80\x80"), Frame(TEXT, b"\xc0\xaf", final=False), Frame(TEXT, b"x" * (LONGEST + 1)),
    ])
