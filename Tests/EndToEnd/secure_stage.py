"""What tests of TLS and HTTP/2 share: certificates made by openssl, and a client of HTTP/2 that keeps to no rules."""

from __future__ import annotations

import socket
import ssl
import struct
import subprocess
import threading
from pathlib import Path

LONG = 40
#: Options of `openssl req` for a new key.
P256 = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256")
RSA = ("-newkey", "rsa:2048")
ED25519 = ("-newkey", "ed25519")
#: Types of frames (RFC 9113, section 6).
DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY, WINDOW, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1


def openssl(*words: str | Path, given: str = "", check: bool = True) -> subprocess.CompletedProcess[str]:
    """Runs openssl."""
    return subprocess.run(["openssl", *map(str, words)], input=given, capture_output=True, text=True, timeout=60, check=check)


class Authority:
    """A root, an intermediate one, and certificates for localhost and boards.example."""

    def __init__(self, folder: str | Path):
        self.folder = Path(folder)
        self.root = self.folder / "root.pem"
        self._guard = threading.Lock()
        self._pair("root", "/CN=Test Root", None, "CA:TRUE")
        self._pair("middle", "/CN=Test Intermediate", "root", "CA:TRUE,pathlen:0")

    def _pair(self, name: str, subject: str, issuer: str | None, basic: str, *dates: str, names: str = "",
              kind: tuple[str, ...] = P256) -> None:
        key, request, pem = (self.folder / f"{name}.{end}" for end in ("key", "csr", "pem"))
        openssl("req", "-new", *kind, "-nodes", "-keyout", key, "-out", request,
                "-subj", subject)
        extensions = self.folder / f"{name}.ext"
        extensions.write_text(f"basicConstraints=critical,{basic}\n" + (f"subjectAltName={names}\n" if names else ""))
        if issuer is None:
            openssl("x509", "-req", "-in", request, "-signkey", key, "-days", "30", "-extfile", extensions, "-out", pem)
        else:
            openssl("x509", "-req", "-in", request, "-CA", self.folder / f"{issuer}.pem", "-CAkey", self.folder / f"{issuer}.key",
                    "-CAcreateserial", *(dates or ("-days", "20")), "-extfile", extensions, "-out", pem)

    def certificate(self, name: str, *dates: str, kind: tuple[str, ...] = P256) -> tuple[Path, Path]:
        """A chain and its key; `dates` are options of `openssl x509`, `kind` those of `openssl req` for the key."""
        # One at a time: they share a file of serial numbers.
        with self._guard:
            self._pair(name, f"/CN={name}", "middle", "CA:FALSE", *dates, names="DNS:localhost,DNS:boards.example,IP:127.0.0.1", kind=kind)
        chain = self.folder / f"{name}-chain.pem"
        chain.write_text((self.folder / f"{name}.pem").read_text() + (self.folder / "middle.pem").read_text())
        return chain, self.folder / f"{name}.key"

    def context(self, *protocols: str) -> ssl.SSLContext:
        """What a client that trusts the root speaks TLS with."""
        context = ssl.create_default_context(cafile=str(self.root))
        if protocols:
            context.set_alpn_protocols(list(protocols))
        return context


def field(name: str, value: str) -> bytes:
    """A field in HPACK, without an index and without Huffman (RFC 7541, section 6.2.2)."""
    return b"\x00" + _text(name) + _text(value)


def _text(text: str) -> bytes:
    size, raw = len(text), text.encode()
    if size < 127:
        return bytes([size]) + raw
    head, size = b"\x7f", size - 127
    while size >= 128:
        head += bytes([size % 128 + 128])
        size //= 128
    return head + bytes([size]) + raw


class Multiplexed:
    """A connection of HTTP/2, frame by frame."""

    def __init__(self, port: int, context: ssl.SSLContext, window: int = 65_535):
        self.socket = context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=LONG), server_hostname="localhost")
        assert self.socket.selected_alpn_protocol() == "h2"
        self.waiting = b""
        self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        self.send(SETTINGS, 0, 0, struct.pack(">HI", 4, window))
        # Those of the server were sent with the end of the handshake.
        self.send(SETTINGS, ACK, 0)

    def send(self, kind: int, flags: int, stream: int, content: bytes = b"") -> None:
        """Sends a frame."""
        self.socket.sendall(struct.pack(">I", len(content))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + content)

    def request(self, stream: int, method: str = "GET", path: str = "/health", end: bool = True, **fields: str) -> None:
        """Sends the head of a request; `_` in names of fields means `-`."""
        block = field(":method", method) + field(":scheme", "https") + field(":path", path)
        fields.setdefault("_authority", "localhost")
        for name, value in fields.items():
            if name == "_authority" and value:
                block += field(":authority", value)
        for name, value in fields.items():
            if name != "_authority":
                block += field(name.replace("_", "-"), value)
        parts = [block[place:place + 16_384] for place in range(0, len(block), 16_384)]
        for number, part in enumerate(parts):
            flags = (END_HEADERS if number == len(parts) - 1 else 0) | (END_STREAM if end and number == 0 else 0)
            self.send(CONTINUATION if number else HEADERS, flags, stream, part)

    def frame(self) -> tuple[int, int, int, bytes] | None:
        """The next frame, as type, flags, stream and content; `None` at the end of the connection."""
        head = self._take(9)
        if head is None:
            return None
        content = self._take(int.from_bytes(head[:3], "big")) or b""
        return head[3], head[4], int.from_bytes(head[5:9], "big"), content

    def _take(self, count: int) -> bytes | None:
        while len(self.waiting) < count:
            try:
                part = self.socket.recv(65_536)
            except (ConnectionError, ssl.SSLEOFError, ssl.SSLError):
                return None
            if not part:
                return None
            self.waiting += part
        taken, self.waiting = self.waiting[:count], self.waiting[count:]
        return taken

    def until(self, *kinds: int, stream: int | None = None) -> tuple[int, int, int, bytes] | None:
        """The next frame of one of the types; `None` if the connection ends before."""
        while (frame := self.frame()) is not None:
            if frame[0] in kinds and (stream is None or frame[2] == stream):
                return frame
        return None

    def answer(self, stream: int) -> tuple[bytes, bytes]:
        """The block of fields and the content of an answer."""
        block, content = b"", b""
        while (frame := self.frame()) is not None:
            if frame[2] != stream:
                continue
            assert frame[0] != RESET, frame
            if frame[0] == HEADERS:
                block += frame[3]
            elif frame[0] == DATA:
                content += frame[3]
                if frame[3]:
                    for place in (0, stream):
                        self.send(WINDOW, 0, place, struct.pack(">I", len(frame[3])))
            if frame[1] & END_STREAM and frame[0] in (DATA, HEADERS):
                return block, content
        raise AssertionError("the connection ended")

    def close(self) -> None:
        """Ends the connection."""
        self.socket.close()
