#!/usr/bin/env python3
"""Compares screens that ask when they are told to with screens that poll blindly, on a real server with a real clock.

Usage: live_ab.py PROGRAM [--minutes N] [--hosts N] [--scenario NAME …] [--json FILE]

For each scenario of the simulated feed, one server and one feed run as they are deployed, and beside them as many aligned
as blind hosts of the same engine (ab_hosts.mjs, under node), which differ in nothing but R31. Prints the age on the
screens as a mean over time and as a 95th percentile, and the requests of an hour. The exit code is 1 if in a scenario the
aligned screens are older on average than the blind ones, or ask more often.
"""

import argparse
import contextlib
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCENARIOS = ["calm", "rush", "storm", "chaos"]
STOP = "Parent8501120"
STOPS = 200
# Room for noise: two groups of the same hosts differ by this much.
NOISE = 0.02


def started(command, pattern):
    """A process, and the address that it prints first."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in process.stdout:
        if found := re.search(pattern, line):
            return process, found[1]
    raise SystemExit(f"{command[1]} has not started")


def lab(program):
    """freshet-lab, which is beside the program."""
    return Path(program).with_name("freshet-lab")


class Scenario:
    """A feed, a server, and the hosts that watch a board of it."""

    def __init__(self, program, data, name, hosts, seconds):
        self.name = name
        self.feed, feed = started(
            [lab(program), "feed", "--data", str(data), "--scenario", name, "--port", "0"],
            r"Publishing (http://[^ ]*)/trip-updates\.pb",
        )
        self.server, address = started(
            [program, "serve", "--data", str(data), "--port", "0", "--trip-updates", f"{feed}/trip-updates.pb",
             "--alerts", f"{feed}/alerts.pb"],
            r"Serving (http://\S+?)/?$",
        )
        self.hosts = subprocess.Popen(
            ["node", str(HERE / "ab_hosts.mjs"), f"{address}/api/stationboard?stop_id={STOP}&limit=10", str(hosts),
             str(seconds)],
            stdout=subprocess.PIPE, text=True,
        )

    def result(self):
        said, _ = self.hosts.communicate()
        if self.hosts.returncode:
            raise SystemExit(f"the hosts of {self.name} ended with {self.hosts.returncode}")
        return json.loads(said)

    def close(self):
        for process in (self.hosts, self.server, self.feed):
            process.kill()
            process.wait()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program")
    arguments.add_argument("--minutes", type=float, default=9)
    arguments.add_argument("--hosts", type=int, default=8, help="of each kind")
    arguments.add_argument("--scenario", action="append", choices=SCENARIOS)
    arguments.add_argument("--json", type=Path)
    options = arguments.parse_args()
    results = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        folder = Path(folder)
        for command in (
            [lab(options.program), "sample", "--stops", str(STOPS), "--out", str(folder / "feed")],
            [options.program, "import", str(folder / "feed"), "--data", str(folder / "data")],
        ):
            subprocess.run(command, check=True, capture_output=True)
        running = []
        for name in options.scenario or SCENARIOS:
            one = Scenario(options.program, folder / "data", name, options.hosts, options.minutes * 60)
            stack.callback(one.close)
            running.append(one)
        for one in running:
            results[one.name] = one.result()
    print(f"{'':8}{'blind: mean':>13}{'p95':>8}{'an hour':>9}{'aligned: mean':>15}{'p95':>8}{'an hour':>9}{'ratio':>8}")
    missed = False
    for name, each in results.items():
        blind, aligned = each["blind"], each["aligned"]
        ratio = aligned["mean"] / blind["mean"]
        # One host more or less that starts at the edge of the period does not count as a difference.
        is_missed = ratio > 1 + NOISE or aligned["requests"] > blind["requests"] * 1.05
        missed = missed or is_missed
        print(f"{name:8}{blind['mean']:11.1f} s{blind['p95']:6.1f} s{blind['requests']:9.0f}"
              f"{aligned['mean']:13.1f} s{aligned['p95']:6.1f} s{aligned['requests']:9.0f}{ratio:8.2f}"
              f"{'  MISSED' if is_missed else ''}")
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
