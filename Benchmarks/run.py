#!/usr/bin/env python3
"""Measures the program on generated timetables, always beside something it did not write.

Usage: run.py PROGRAM [--huge] [--json FILE]

Ratios are what counts: the two sides of each run one after the other on the same machine. The
thresholds are in thresholds.json; the exit code is 1 if one is missed.
"""

import argparse
import random
import shutil
import statistics
import subprocess
import sys

from crowd import KINDS, Crowd, ordinary
from generations import replaced
from stand import (BOARD, NETWORKS, ROUNDS, WORK, Server, finish, imported, load, network, run,
                   stations)

HUGE = {"50 million": (30_000, 50_000_000)}


def sqlite_import(folder):
    """Wall seconds of sqlite3's own .import of stop_times.txt, without indexes."""
    database = WORK / "baseline.sqlite"
    database.unlink(missing_ok=True)
    seconds, _ = run("sqlite3", database, "PRAGMA journal_mode=OFF", "PRAGMA synchronous=OFF",
                     ".mode csv", f".import '{folder / 'stop_times.txt'}' stop_times",
                     stderr=subprocess.DEVNULL)
    database.unlink(missing_ok=True)
    return seconds


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
        server = Server(program, data)
        figure["restart_s"] = server.started
        rng = random.Random(1)
        sets = {"busy": [BOARD + id for id in ids[:20]], "quiet": [BOARD + id for id in ids[-20:]],
                "random": [BOARD + id for id in rng.sample(ids, min(1_000, len(ids)))]}
        hellos = []
        for kind, paths in sets.items():
            rounds = []
            for _ in range(ROUNDS):
                hello = load(server.url, ["/version.json"], 8).per_s
                boards = load(server.url, paths, 8)
                rounds.append((boards.per_s / hello, boards.per_s, boards.p99_ms))
                hellos.append(hello)
            ratio, per_second, loaded = statistics.median_low(rounds)
            alone = load(server.url, paths, 1)
            figure[kind] = {"per_s": per_second, "over_hello": ratio, "p50_ms": alone.p50_ms,
                            "p99_ms": alone.p99_ms, "p99_ms_8": loaded}
        figure["hello_per_s"] = statistics.median_low(hellos)
        words = ["lausanne", "bel air", "zuerich hb", "geneve gare", "bern", "st francois", "lausane"]
        search = [f"/api/stops/search?limit=10&q={word.replace(' ', '%20')}" for word in words]
        alone = load(server.url, search, 1)
        # Other queries each time: what found nothing is remembered.
        letters = "bcdfghjklmnpqrstvwxz"
        misses = ["".join(rng.choices(letters, k=rng.randint(2, 3))) + "qx" for _ in range(5_000)]
        nothing = load(server.url, [f"/api/stops/search?limit=10&q={word}" for word in misses], 1)
        figure["search_nothing_over_ordinary"] = nothing.p50_ms / alone.p50_ms
        figure["search"] = {"per_s": load(server.url, search, 8).per_s, "p50_ms": alone.p50_ms,
                            "p99_ms": alone.p99_ms}
        figure["loaded_mb"] = server.resident() / 1e6
        # What another client's 64 connections do to the boards of one that asks all the time: beside those of the
        # most expensive requests, beside as many of ordinary boards, and alone.
        over = {}
        for kind in [ordinary, *KINDS]:
            rounds = []
            for _ in range(ROUNDS):
                calm = load(server.url, sets["random"], 1).p99_ms
                with Crowd(server.url, kind, ids):
                    beside = load(server.url, sets["random"], 1).p99_ms
                rounds.append((beside / calm, beside))
            over[kind.__name__] = statistics.median_low(rounds)
        figure["crowd"] = {name: {"over_alone": ratio, "p99_ms": beside} for name, (ratio, beside) in over.items()}
        expensive = [over[kind.__name__] for kind in KINDS]
        figure["board_p99_beside_crowd"] = max(ratio for ratio, _ in expensive)
        figure["board_p99_expensive_over_ordinary"] = max(beside for _, beside in expensive) / over["ordinary"][1]
        figure["resident_mb"] = server.resident() / 1e6
        server.stop()
        if stops == 30_000:
            figure["generations"] = replaced(program, data, stops, ids)
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
    line("resident after load, after expensive requests",
         lambda f: f"{f['loaded_mb']:,.0f}, {f['resident_mb']:,.0f} MB")
    line("hello-world (/version.json) a second", lambda f: f"{f['hello_per_s']:,.0f}")
    for kind in ["busy", "quiet", "random"]:
        line(f"boards a second, {kind} stops", lambda f: f"{f[kind]['per_s']:,.0f}")
        line(f"÷ hello-world, {kind}", lambda f: f"{f[kind]['over_hello']:.2f}")
        line(f"p50 / p99, {kind}, one client",
             lambda f: f"{f[kind]['p50_ms']:.2f} / {f[kind]['p99_ms']:.2f} ms")
    line("searches a second", lambda f: f"{f['search']['per_s']:,.0f}")
    line("search that finds nothing ÷ search", lambda f: f"{f['search_nothing_over_ordinary']:.2f}")
    line("board p99 beside 64 connections of expensive requests ÷ alone", lambda f: f"{f['board_p99_beside_crowd']:.2f}")
    line("the same ÷ beside 64 connections of ordinary boards", lambda f: f"{f['board_p99_expensive_over_ordinary']:.2f}")
    for kind, title in [("next", "the next timetable"), ("other", "another network")]:
        line(f"import of {title} while boards are read", lambda f: f"{f['generations'][kind]['import_s']:.1f} s")
        line("its comparison, 14 days", lambda f: f"{f['generations'][kind]['comparison_s']:.2f} s")
        line("boards meanwhile, p50 / p99",
             lambda f: f"{f['generations'][kind]['p50_ms']:.2f} / {f['generations'][kind]['p99_ms']:.2f} ms")
        line("peak of the server", lambda f: f"{f['generations'][kind]['peak_mb']:,.0f} MB")
    line("search p50 / p99", lambda f: f"{f['search']['p50_ms']:.1f} / {f['search']['p99_ms']:.1f} ms")


def judged(figures):
    """The figures that have a threshold."""
    large = figures["30,000 stops"]
    return {
        "import_over_sqlite": large["import_over_sqlite"],
        "import_peak_mb": large["peak_mb"],
        "resident_mb": large["resident_mb"],
        "restart_s": large["restart_s"],
        "board_below_hello": max(1 / figures[name][kind]["over_hello"]
                                 for name in NETWORKS for kind in ["busy", "quiet", "random"]),
        "board_p99_ms": max(figures[name][kind]["p99_ms"]
                            for name in NETWORKS for kind in ["busy", "quiet", "random"]),
        "comparison_14_days_s": max(found["comparison_s"] for found in large["generations"].values()),
        "search_nothing_over_ordinary": large["search_nothing_over_ordinary"],
        "board_p99_beside_crowd": max(figures[name]["board_p99_beside_crowd"] for name in NETWORKS),
        "board_p99_expensive_over_ordinary": max(figures[name]["board_p99_expensive_over_ordinary"] for name in NETWORKS),
        "large_over_small_p50": large["random"]["p50_ms"] / figures["200 stops"]["random"]["p50_ms"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--huge", action="store_true", help="also import 50 million stop times")
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    figures = measure(options.program, options.huge)
    table(figures)
    return finish(figures, judged(figures), options.json)


if __name__ == "__main__":
    sys.exit(main())
