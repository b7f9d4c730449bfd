"""The sample network and the data folder of its import: made once for all modules of a run, and copied for each."""

from __future__ import annotations

import atexit
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from program import DAY, once, run


@once
def shared() -> Path:
    """Where what is made once is kept: Scripts/run-tests has a folder for all modules; one that runs alone has its own."""
    place = os.environ.get("FRESHET_TEST_FIXTURES")
    if not place:
        place = tempfile.mkdtemp(prefix="freshet-fixtures-")
        atexit.register(shutil.rmtree, place, ignore_errors=True)
    return Path(place)


def made_once(name: str, make: Callable[[Path], None]) -> Path:
    """A folder that its first user fills while the others wait. It is read-only."""
    place = shared() / name
    with open(shared() / f"{name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            # What ended in the middle of it has left something.
            part = shared() / f"{name}.part"
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            make(part)
            part.rename(place)
    return place


def network(*options: str, date: str = DAY) -> Path:
    """A folder with the sample network of a day in ``feed`` and its import in ``data``, which must not be changed."""

    def make(folder: Path) -> None:
        for arguments in (
            ("sample", "--date", date, "--out", str(folder / "feed"), *options),
            ("import", str(folder / "feed"), "--data", str(folder / "data")),
        ):
            answer = run(*arguments)
            assert answer.returncode == 0, answer.stderr

    return made_once("network-" + hashlib.sha256("\0".join((date, *options)).encode()).hexdigest()[:16], make)


def copy_network(folder: str | Path, *options: str, date: str = DAY) -> Path:
    """Copies the sample network of a day to ``feed`` in a folder, and its import to ``data``, which it gives."""
    made = network(*options, date=date)
    for name in ("feed", "data"):
        shutil.copytree(made / name, Path(folder) / name)
    return Path(folder) / "data"
