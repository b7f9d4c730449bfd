#!/usr/bin/env python3
"""Measures unchanged answers about worktrees beside hello-world: a 304 builds no body.

Usage: workspaces.py PROGRAM [--json FILE]

Ratios are what counts: the two sides of each round one after the other on the same server. The
thresholds are in thresholds.json; the exit code is 1 if one is missed.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
import urllib.request

from stand import ROUNDS, WORK, finish, load

COUNTS = [10, 200]
LIST = "/v1/git/worktrees"
ENVIRONMENT = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}


def git(folder, *arguments):
    subprocess.run(["git", "-c", "user.name=Bench", "-c", "user.email=bench@example.org", *arguments],
                   cwd=folder, env=ENVIRONMENT, check=True, capture_output=True)


def worktrees(count):
    """A repository with so many worktrees."""
    root = WORK / f"worktrees-{count}"
    shutil.rmtree(root, ignore_errors=True)
    main = root / "main"
    main.mkdir(parents=True)
    git(main, "init", "-q", "-b", "main")
    for number in range(20):
        (main / f"file{number}.txt").write_text("text\n" * 50)
    git(main, "add", ".")
    git(main, "commit", "-q", "-m", "first")
    for number in range(count - 1):
        git(main, "worktree", "add", "-q", "-b", f"branch{number}", str(root / f"tree{number}"))
    return root


def get(url):
    """The tag and the bytes of an answer."""
    with urllib.request.urlopen(url, timeout=60) as answer:
        return answer.headers.get("ETag"), answer.read()


def measure(program):
    WORK.mkdir(parents=True, exist_ok=True)
    figures = {}
    for count in COUNTS:
        root = worktrees(count)
        process = subprocess.Popen(
            [program, "serve", "--data", str(WORK / "no-timetable"), "--port", "0", "--log-level", "error",
             "--workspaces", str(root)], stdout=subprocess.PIPE, text=True)
        try:
            url = re.search(r"http://\S+", process.stdout.readline()).group(0).rstrip("/")
            deadline = time.monotonic() + 120
            while True:
                tag, body = get(url + LIST)
                if sum(each["cache_status"]["is_cached"] for each in json.loads(body)) == count:
                    break
                if time.monotonic() > deadline:
                    sys.exit(f"{count} worktrees were never looked at")
                time.sleep(0.2)
            item = f"{LIST}/{json.loads(body)[0]['id']}"
            item_tag, _ = get(url + item)
            sides = {"list": (LIST, {"If-None-Match": tag}), "item": (item, {"If-None-Match": item_tag})}
            figure = {"list_bytes": len(body), "list_200_per_s": load(url, [LIST], 8).per_s}
            for name, request in sides.items():
                rounds = []
                for _ in range(ROUNDS):
                    hello = load(url, ["/version.json"], 8)
                    unchanged = load(url, [request], 8)
                    rounds.append((unchanged.per_s / hello.per_s, unchanged.per_s, unchanged.bytes))
                ratio, per_second, size = statistics.median_low(rounds)
                figure[name] = {"ratio": ratio, "per_s": per_second, "bytes": size}
            if get(url + LIST)[0] != tag:
                sys.exit("something changed meanwhile")
            figures[str(count)] = figure
        finally:
            process.terminate()
            process.wait()
            shutil.rmtree(root, ignore_errors=True)
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    figures = measure(options.program)
    print("| worktrees | list | lists a second | 304 a second, ÷ `/version.json` | of an item | bytes of a 304 |")
    print("|---|---|---|---|---|---|")
    for count, figure in figures.items():
        print(f"| {count} | {figure['list_bytes'] / 1e3:.1f} kB | {figure['list_200_per_s']:,.0f} "
              f"| {figure['list']['per_s']:,.0f}, {figure['list']['ratio']:.2f} | {figure['item']['ratio']:.2f} "
              f"| {figure['list']['bytes']:.0f} |")
    found = {
        "hello_over_worktrees_304": max(1 / figure[kind]["ratio"] for figure in figures.values()
                                        for kind in ["list", "item"]),
    }
    sys.exit(finish(figures, found, options.json))


if __name__ == "__main__":
    main()
