#!/usr/bin/env python3
"""Measures the program on generated timetables, always beside something it did not write.

Usage: run.py PROGRAM [--huge] [--json FILE]

Ratios are what counts: the two sides of each run one after the other on the same machine. The
thresholds stand in thresholds.json; the exit code is 1 if one is missed.
"""

import argparse
import csv
import json
import os
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
import urllib.request
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORK = HERE.parent / ".freshet/bench"
DAY = "2026-11-24"
NOW = "2026-11-24T07:00:00Z"
NETWORKS = {"200 stops": (200, None), "10,000 stops": (10_000, 5_000_000),
            "30,000 stops": (30_000, 20_000_000)}
HUGE = {"50 million": (30_000, 50_000_000)}
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


def network(program, name, stops, stop_times):
    """A generated feed, as a folder and as a zip; kept between runs."""
    folder = WORK / name.replace(",", "").replace(" ", "-")
    archive = folder.with_suffix(".zip")
    if not archive.exists():
        shutil.rmtree(folder, ignore_errors=True)
        options = ["--stop-times", str(stop_times)] if stop_times else []
        run(program, "sample", "--stops", str(stops), "--date", DAY, "--out", folder, *options)
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


def sqlite_import(folder):
    """Wall seconds of sqlite3's own .import of stop_times.txt, without indexes."""
    database = WORK / "baseline.sqlite"
    database.unlink(missing_ok=True)
    seconds, _ = run("sqlite3", database, "PRAGMA journal_mode=OFF", "PRAGMA synchronous=OFF",
                     ".mode csv", f".import '{folder / 'stop_times.txt'}' stop_times",
                     stderr=subprocess.DEVNULL)
    database.unlink(missing_ok=True)
    return seconds


class Server:
    """The program serving a data folder."""

    def __init__(self, program, data):
        before = time.monotonic()
        self.process = subprocess.Popen(
            [program, "serve", "--data", str(data), "--port", "0", "--now", NOW, "--log-level", "error"],
            stdout=subprocess.PIPE, text=True)
        self.url = re.search(r"http://\S+", self.process.stdout.readline()).group(0).rstrip("/")
        with urllib.request.urlopen(f"{self.url}/api/stationboard?stop_id=Parent8503000&limit=20") as answer:
            answer.read()
        self.started = time.monotonic() - before

    def resident(self):
        """Resident bytes now."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) * 1024

    def stop(self):
        self.process.terminate()
        self.process.wait()


def load(url, paths, connections):
    """Requests per second and latencies in milliseconds of wrk on random paths."""
    script = WORK / "paths.lua"
    quoted = ",".join(json.dumps(path) for path in paths)
    script.write_text(f"local paths = {{{quoted}}}\nmath.randomseed(1)\n"
                      "request = function() return wrk.format('GET', paths[math.random(#paths)]) end\n")
    out = subprocess.run(["wrk", "-t1", f"-c{connections}", f"-d{SECONDS}", "--latency", "-s", script, url],
                         capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in out:
        sys.exit(out)
    units = {"us": 0.001, "ms": 1, "s": 1_000}

    def latency(share):
        value, unit = re.search(rf"{share}%\s+([\d.]+)(us|ms|s)", out).groups()
        return float(value) * units[unit]

    return float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1)), latency(50), latency(99)


def stations(folder, data):
    """Station ids of a feed from busy to quiet, those with departures."""
    with open(folder / "stops.txt", encoding="utf-8", newline="") as file:
        ids = [row["stop_id"] for row in csv.DictReader(file)]
    path = next(Path(data).glob("feeds/default/*/stops.sqlite"))
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        rows = database.execute("SELECT stop FROM place WHERE departures > 0 ORDER BY departures DESC")
        return [ids[stop] for (stop,) in rows]


def measure(program, huge):
    WORK.mkdir(parents=True, exist_ok=True)
    figures = {}
    for name, (stops, stop_times) in NETWORKS.items():
        folder, archive = network(program, name, stops, stop_times)
        data = WORK / f"data-{stops}"
        report, rows, seconds, peak = imported(program, archive, data)
        figure = {"stop_times": rows, "import_s": seconds, "rows_per_s": rows / seconds,
                  "peak_mb": peak / 1e6, "timetable_mb": report["timetableBytes"] / 1e6}
        if stops == 30_000:
            baseline = sqlite_import(folder)
            figure["sqlite_import_s"] = baseline
            figure["import_over_sqlite"] = seconds / baseline
        ids = stations(folder, data)
        board = "/api/stationboard?limit=20&stop_id="
        server = Server(program, data)
        figure["restart_s"] = server.started
        chance = random.Random(1)
        sets = {"busy": [board + id for id in ids[:20]], "quiet": [board + id for id in ids[-20:]],
                "random": [board + id for id in chance.sample(ids, min(1_000, len(ids)))]}
        hellos = []
        for kind, paths in sets.items():
            rounds = []
            for _ in range(ROUNDS):
                hello, _, _ = load(server.url, ["/version.json"], 8)
                per_second, _, loaded = load(server.url, paths, 8)
                rounds.append((per_second / hello, per_second, loaded))
                hellos.append(hello)
            ratio, per_second, loaded = statistics.median_low(rounds)
            _, middle, worst = load(server.url, paths, 1)
            figure[kind] = {"per_s": per_second, "over_hello": ratio, "p50_ms": middle,
                            "p99_ms": worst, "p99_ms_8": loaded}
        figure["hello_per_s"] = statistics.median_low(hellos)
        words = ["lausanne", "bel air", "zuerich hb", "geneve gare", "bern", "st francois", "lausane"]
        search = [f"/api/stops/search?limit=10&q={word.replace(' ', '%20')}" for word in words]
        per_second, _, _ = load(server.url, search, 8)
        _, middle, worst = load(server.url, search, 1)
        figure["search"] = {"per_s": per_second, "p50_ms": middle, "p99_ms": worst}
        figure["resident_mb"] = server.resident() / 1e6
        server.stop()
        figures[name] = figure
    if huge:
        for name, (stops, stop_times) in HUGE.items():
            folder, archive = network(program, name, stops, stop_times)
            data = WORK / "data-huge"
            report, rows, seconds, peak = imported(program, archive, data)
            figures[name] = {"stop_times": rows, "import_s": seconds, "rows_per_s": rows / seconds,
                             "peak_mb": peak / 1e6, "timetable_mb": report["timetableBytes"] / 1e6}
            shutil.rmtree(data, ignore_errors=True)
    return figures


def table(figures):
    """The figures as Markdown."""
    names = list(figures)

    def line(title, value):
        cells = []
        for name in names:
            try:
                cells.append(value(figures[name]))
            except KeyError:
                cells.append("–")
        print(f"| {title} | " + " | ".join(cells) + " |")

    print("| | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 1) + "|")
    line("stop times", lambda f: f"{f['stop_times']:,}")
    line("import from the zip", lambda f: f"{f['import_s']:.1f} s")
    line("stop times a second", lambda f: f"{f['rows_per_s']:,.0f}")
    line("peak memory of the import", lambda f: f"{f['peak_mb']:,.0f} MB")
    line("timetable file", lambda f: f"{f['timetable_mb']:,.1f} MB")
    line("sqlite3 .import of stop_times.txt", lambda f: f"{f['sqlite_import_s']:.1f} s")
    line("import ÷ sqlite3 .import", lambda f: f"{f['import_over_sqlite']:.2f}")
    line("start to first board", lambda f: f"{f['restart_s']:.2f} s")
    line("resident after load", lambda f: f"{f['resident_mb']:,.0f} MB")
    line("hello-world (/version.json) a second", lambda f: f"{f['hello_per_s']:,.0f}")
    for kind in ["busy", "quiet", "random"]:
        line(f"boards a second, {kind} stops", lambda f: f"{f[kind]['per_s']:,.0f}")
        line(f"÷ hello-world, {kind}", lambda f: f"{f[kind]['over_hello']:.2f}")
        line(f"p50 / p99, {kind}, one client",
             lambda f: f"{f[kind]['p50_ms']:.2f} / {f[kind]['p99_ms']:.2f} ms")
    line("searches a second", lambda f: f"{f['search']['per_s']:,.0f}")
    line("search p50 / p99", lambda f: f"{f['search']['p50_ms']:.1f} / {f['search']['p99_ms']:.1f} ms")


def judge(figures):
    """The thresholds that were missed."""
    limits = json.loads((HERE / "thresholds.json").read_text())
    large = figures["30,000 stops"]
    found = {
        "import_over_sqlite": large["import_over_sqlite"],
        "import_peak_mb": large["peak_mb"],
        "resident_mb": large["resident_mb"],
        "restart_s": large["restart_s"],
        "board_below_hello": max(1 / figures[name][kind]["over_hello"]
                                 for name in NETWORKS for kind in ["busy", "quiet", "random"]),
        "board_p99_ms": max(figures[name][kind]["p99_ms"]
                            for name in NETWORKS for kind in ["busy", "quiet", "random"]),
        "large_over_small_p50": large["random"]["p50_ms"] / figures["200 stops"]["random"]["p50_ms"],
    }
    missed = [f"{name}: {value:.2f}; at most {limits[name]}" for name, value in found.items()
              if value > limits[name]]
    return missed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--huge", action="store_true", help="also import 50 million stop times")
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    figures = measure(options.program, options.huge)
    table(figures)
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")
    missed = judge(figures)
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
