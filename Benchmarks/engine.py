#!/usr/bin/env python3
"""Measures the refresh engine beside a task and an actor for each poller.

Usage: engine.py PROGRAM [--json FILE]

PROGRAM is the benchmark of Benchmarks/Engine. Each part is a process of its own: 100,000 resources
with an observer each, polled every 10 s against a server inside the process. The cycles of a machine are also compared with hashing a
kilobyte in the same process, a ratio that a slower or busier processor moves much less. The thresholds are
in thresholds.json; the exit code is 1 if one is missed.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    figures = {part: json.loads(subprocess.run([options.program, part], check=True,
                                               capture_output=True).stdout)
               for part in ["machines", "client", "pollers"]}
    machines, client, pollers = figures["machines"], figures["client"], figures["pollers"]
    print("| 100,000 resources | machine alone | engine | task and actor each |")
    print("|---|---|---|---|")
    print(f"| processor time a poll | {machines['cycle_ns'] / 1000:.2f} µs alone, "
          f"{machines['schedule_cycle_ns'] / 1000:.2f} µs among all, "
          f"{machines['following_cycle_ns'] / 1000:.2f} µs following a producer | {client['us_per_poll']:.1f} µs | "
          f"{pollers['us_per_poll']:.1f} µs |")
    print(f"| bytes a resource | {machines['bytes_per_resource']:,.0f} | "
          f"{client['bytes_per_resource']:,.0f} | {pollers['bytes_per_resource']:,.0f} |")
    print(f"| bytes a further observer | – | {client['bytes_per_observer']:,.0f} | "
          f"{pollers['bytes_per_observer']:,.0f} |")
    found = {
        "engine_cycle_us": machines["cycle_ns"] / 1000,
        "engine_cycle_over_hash": machines["cycle_over_hash"],
        "engine_following_over_hash": machines["following_over_hash"],
        "engine_machine_bytes": machines["bytes_per_resource"],
        "engine_cpu_over_pollers": client["us_per_poll"] / pollers["us_per_poll"],
        "engine_bytes_over_pollers": client["bytes_per_resource"] / pollers["bytes_per_resource"],
    }
    limits = json.loads((HERE / "thresholds.json").read_text())
    missed = [f"{name}: {value:.2f}; at most {limits[name]}" for name, value in found.items()
              if value > limits[name]]
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
