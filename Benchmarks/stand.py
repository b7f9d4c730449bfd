"""The basis of every measurement of the program: networks, a server, and load on it."""

import atexit
import csv
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
import urllib.request
import zipfile
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
WORK = HERE.parent / ".freshet/bench"
DAY = "2026-11-24"
NOW = "2026-11-24T07:00:00Z"
NETWORKS = {"200 stops": (200, None), "10,000 stops": (10_000, 5_000_000),
            "30,000 stops": (30_000, 20_000_000)}
BOARD = "/api/stationboard?limit=20&stop_id="
SECONDS = 2
ROUNDS = 5


def run(*command, **options):
    """Runs a command; wall seconds and peak resident bytes."""
    before = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, **options)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(map(str, command))} failed with {status}")
    return time.monotonic() - before, usage.ru_maxrss * 1024


def network(program, name, stops, stop_times, seed=1):
    """A generated feed, as a folder and as a zip; kept between runs."""
    folder = WORK / name.replace(",", "").replace(" ", "-")
    archive = folder.with_suffix(".zip")
    if not archive.exists():
        shutil.rmtree(folder, ignore_errors=True)
        options = ["--stop-times", str(stop_times)] if stop_times else []
        run(Path(program).with_name("freshet-lab"), "sample", "--stops", str(stops), "--date", DAY, "--out", folder,
            "--seed", str(seed), *options)
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
            for file in sorted(folder.iterdir()):
                target.write(file, file.name)
    return folder, archive


def imported(program, archive, data):
    """The import's report, wall seconds and peak memory."""
    shutil.rmtree(data, ignore_errors=True)
    seconds, peak = run(program, "import", archive, "--data", data, stderr=subprocess.DEVNULL)
    report = json.loads(next(Path(data).glob("feeds/default/*/report.json")).read_text())
    rows = {file["file"]: file["rows"] for file in report["files"]}["stop_times.txt"]
    return report, rows, seconds, peak


class Server:
    """The program serving a data folder."""

    def __init__(self, program, data, *options, now=NOW, stderr=None):
        before = time.monotonic()
        self.process = subprocess.Popen(
            [program, "serve", "--data", str(data), "--port", "0", "--now", now, "--log-level", "error",
             *options],
            stdout=subprocess.PIPE, stderr=stderr, text=True)
        # A measurement that fails leaves no server that takes time from the next one.
        atexit.register(self.stop)
        self.url = re.search(r"http://\S+", self.process.stdout.readline()).group(0).rstrip("/")
        self.get("/api/stationboard?stop_id=Parent8503000&limit=20")
        self.started = time.monotonic() - before

    def get(self, path):
        """The header fields and the body of an answer."""
        with urllib.request.urlopen(self.url + path) as answer:
            return answer.headers, answer.read()

    def resident(self, field="VmRSS"):
        """Resident bytes now; with VmHWM, the most there ever were."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{field}:\s+(\d+)", text).group(1)) * 1024

    def processor(self):
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.process.terminate()
        self.process.wait()


class Load(NamedTuple):
    """What a load met: answers, answers a second, latencies in milliseconds, bytes of an answer."""

    count: int
    per_s: float
    p50_ms: float
    p99_ms: float
    bytes: float


def load(url, requests, connections, in_order=False):
    """Runs wrk on paths, or pairs of a path and header fields: chosen at random, or one after another."""
    script = WORK / "requests.lua"
    pairs = [(request, {}) if isinstance(request, str) else request for request in requests]
    quoted = ",".join("{" + json.dumps(path) + ",{"
                      + ",".join(f"[{json.dumps(name)}]={json.dumps(value)}" for name, value in fields.items())
                      + "}}" for path, fields in pairs)
    choice = "place = place % #all + 1" if in_order else "place = math.random(#all)"
    script.write_text(f"local all = {{{quoted}}}\nlocal place = 0\nmath.randomseed(1)\n"
                      f"request = function()\n{choice}\n"
                      "return wrk.format('GET', all[place][1], all[place][2]) end\n")
    out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{SECONDS}", "--latency", "-s", script, url],
                         capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in out or "Socket errors" in out:
        sys.exit(out)
    units = {"us": 0.001, "ms": 1, "s": 1_000}
    sizes = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30}

    def latency(share):
        value, unit = re.search(rf"{share}%\s+([\d.]+)(us|ms|s)", out).groups()
        return float(value) * units[unit]

    count, size, unit = re.search(r"(\d+) requests in \S+ ([\d.]+)([KMG]?B) read", out).groups()
    return Load(int(count), float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)), latency(50), latency(99),
                float(size) * sizes[unit] / int(count))


def stations(folder, data):
    """Station ids of a feed from busy to quiet, those with departures."""
    with open(folder / "stops.txt", encoding="utf-8", newline="") as file:
        ids = [row["stop_id"] for row in csv.DictReader(file)]
    path = next(Path(data).glob("feeds/default/*/stops.sqlite"))
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        rows = database.execute("SELECT stop FROM place WHERE departures > 0 ORDER BY departures DESC")
        return [ids[stop] for (stop,) in rows]


def missed(found):
    """The thresholds that were missed."""
    limits = json.loads((HERE / "thresholds.json").read_text())
    return [f"{name}: {value:.2f}; at most {limits[name]}" for name, value in found.items()
            if value > limits[name]]


def finish(figures, found, file):
    """Keeps the figures, tells what was missed; the exit code."""
    if file:
        Path(file).write_text(json.dumps(figures, indent=2) + "\n")
    lines = missed(found)
    for line in lines:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if lines else 0
