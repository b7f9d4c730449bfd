#!/usr/bin/env python3
"""Measures the tolerant decoder beside Foundation's JSONDecoder on the same messages of jobs.

Usage: decoding.py PROGRAM [--json FILE]

PROGRAM is the benchmark of Benchmarks/Decoding. JSONDecoder reads the members that a client shows; the
tolerant decoder reads every member of every version, keeps the message, and looks for deviations. It may
not cost more. The threshold is in thresholds.json; the exit code is 1 if it is missed.
"""

import argparse
import json
import subprocess
import sys

from stand import finish


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--json", help="write the figures to this file")
    options = parser.parse_args()
    out = subprocess.run([options.program], check=True, capture_output=True, text=True).stdout
    figures = [json.loads(line) for line in out.splitlines()]
    print("| message | bytes | JobMessageReader | JSONDecoder | ratio |")
    print("|---|---|---|---|---|")
    for figure in figures:
        figure["ratio"] = figure["reader_us"] / figure["json_decoder_us"]
        print(f"| {figure['name']} | {figure['bytes']:,} | {figure['reader_us']:,.1f} µs | "
              f"{figure['json_decoder_us']:,.1f} µs | {figure['ratio']:.2f} |")
    found = {"decoder_over_json_decoder": max(figure["ratio"] for figure in figures)}
    return finish(figures, found, options.json)


if __name__ == "__main__":
    sys.exit(main())
