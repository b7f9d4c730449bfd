"""The API of MesDeparts: its clients, played by the program and by hand, against this server."""

from __future__ import annotations

import csv
import json
import subprocess
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from program import PROGRAM, Folder, Producer, Server, once, run, sample, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401

ORIGIN = "https://mesdeparts.ch"


def get(url: str, fields: dict[str, str] | None = None) -> tuple[int, dict | None, dict[str, str]]:
    """Status, JSON body if there is one, and fields of an answer."""
    request = urllib.request.Request(url, headers=fields or {})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            body = answer.read()
            return answer.status, json.loads(body) if body else None, dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read()), dict(error.headers)
