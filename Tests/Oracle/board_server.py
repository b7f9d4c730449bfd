"""Asks a server for boards, all over one connection."""

from __future__ import annotations

import http.client
import json
import urllib.parse


class BoardServer:
    """A server of boards; a new connection for each board would cost it twice the time."""

    def __init__(self, address: str, prefix: str = "") -> None:
        """Take the server's address and the prefix of its ids (empty for none)."""
        place = urllib.parse.urlsplit(address)
        kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
        if place.scheme not in kinds or not place.hostname:
            raise ValueError(f"{address} is not an address of a server")
        self.prefix = prefix + ":" if prefix else ""
        self._path = place.path.rstrip("/")
        self._connection = kinds[place.scheme](place.hostname, place.port, timeout=60)

    def board(self, **query: object) -> object:
        """Ask for a board; raises OSError or ValueError when there is no proper answer."""
        path = f"{self._path}/api/stationboard?{urllib.parse.urlencode(query)}"
        try:
            status, text = self._get(path)
        except ConnectionError:
            # The server may have closed what was idle.
            self._connection.close()
            status, text = self._get(path)
        if status != 200:
            raise OSError(f"HTTP status {status}: {text[:300].decode('utf-8', 'replace')}")
        return json.loads(text)

    def _get(self, path: str) -> tuple[int, bytes]:
        try:
            self._connection.request("GET", path)
            answer = self._connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            if isinstance(error, OSError):
                raise
            raise OSError(f"{type(error).__name__}: {error}") from error
