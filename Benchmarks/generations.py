"""What it takes to replace the timetable that serves by one of its size, while boards are read."""

import contextlib
import http.server
import json
import re
import subprocess
import threading

from readers import Reader
from stand import BOARD, WORK, Server, network

# The same stations and lines with 2.5 % fewer departures, and a network most of whose small stations have other names.
NEXT = {"next": (19_500_000, 1), "other": (20_000_000, 2)}
PERIOD = 0.01


@contextlib.contextmanager
def published(archive):
    """The address of a file."""
    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=archive.parent)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{archive.name}"
    server.shutdown()
    server.server_close()


def replaced(program, data, stops, ids):
    """For each of the generations that come: seconds of its import and comparison, and boards meanwhile."""
    found = {}
    for name, (stop_times, seed) in NEXT.items():
        _, archive = network(program, f"{stops} stops {name}", stops, stop_times, seed)
        with published(archive) as url:
            # Held back, so that the same timetable serves in each round.
            config = WORK / "generations.json"
            config.write_text(json.dumps({"feeds": [{"static": url, "maxLostPercent": 0}]}))
            server = Server(program, data, "--config", config, "--log-level", "info", stderr=subprocess.PIPE)
            reader = Reader(server.url, [BOARD + id for id in ids[:200]], PERIOD)
            event = judged(server)
            samples = sorted(sample.seconds * 1_000 for sample in reader.stop())
            found[name] = {"comparison_s": float(event["comparisonSeconds"]), "import_s": float(event["importSeconds"]),
                           "p50_ms": samples[len(samples) // 2],
                           "p99_ms": samples[len(samples) * 99 // 100], "peak_mb": server.resident("VmHWM") / 1e6}
            server.stop()
    return found


def judged(server):
    """What the log says of the timetable that came."""
    for line in server.process.stderr:
        event = dict(re.findall(r"(\w+)=(\S+)", line))
        if "comparisonSeconds" in event:
            return event
    raise SystemExit("no timetable was compared")
