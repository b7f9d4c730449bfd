"""`freshet-lab report` on recordings of the program itself, on fakes made of them, and on random ones."""

import json
import os
import random
import re
import resource
import signal
import subprocess
import time
import unittest
from datetime import datetime, timezone
from html.parser import HTMLParser
from pathlib import Path

from program import PROGRAM, Folder, Producer, Server, run, until
from sample_network import copy_network
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / ".build/engine-wasm/vectors.json"
PERIOD = sized(1.5, long=2)
"""The interval of the clients, and of the publications, in seconds."""
RECORDED = sized(12, long=16)
"""Requests of each client: twelve are the least of which all gates can tell something."""
MOST_MEMORY = 400_000
"""Kilobytes that a report of a huge file may take, in a debug build."""


def lines_of(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def write(path, records):
    Path(path).write_text("".join(json.dumps(record) + "\n" for record in records))


class Elements(HTMLParser):
    """What a page is made of."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.links = [], []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name in ("src", "href")]


class RecordedClientsTest(unittest.TestCase):
    """Two clients, recorded together once."""

    EVERY = PERIOD
    """The interval that both were started with."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.remove)
        day = datetime.now(timezone.utc).strftime("%Y-%m-%d")
        copy_network(cls.folder.path, date=day)
        feed = Producer(cls.folder / "data", "--scenario", "storm", "--period", f"{PERIOD:g}", now=None)
        cls.addClassCleanup(feed.stop)
        # The service clock is the present: the clocks of server and clients are compared.
        now = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        server = Server(
            cls.folder / "data", "--trip-updates", f"{feed.url}/trip-updates.pb",
            "--alerts", f"{feed.url}/alerts.pb", now=now,
        )
        with server:
            until(lambda: server.get("/api/stationboard?stop_id=Parent8501120")[1]["meta"]["rtStatus"] == "applied")
            cls.files = [cls.folder / "web.jsonl", cls.folder / "native.jsonl"]
            presets = ["departuresWeb", "departuresNative"]
            clients = []
            for file, preset in zip(cls.files, presets):
                clients.append(subprocess.Popen(
                    [PROGRAM, "board", "Parent8501120", "--server", server.url, "--no-stream",
                     "--preset", preset, "--every", f"{PERIOD:g}", "--record", str(file), "--for", "600"],
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                ))
                time.sleep(0.7)
            # Only whole lines are counted.
            until(lambda: all(file.exists() and file.read_text().count("\n") >= RECORDED for file in cls.files))
            for client in clients:
                client.send_signal(signal.SIGINT)
                text, _ = client.communicate(timeout=60)
                assert client.returncode == 0, text

    def setUp(self):
        self.work = Folder()
        self.addCleanup(self.work.remove)

    def report(self, *arguments, code):
        file = self.work / "report.json"
        every = ["--every", f"{self.EVERY:g}"] if arguments[0] == "parity" else []
        answer = run("report", *map(str, arguments), "--json", str(file), *every)
        self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)
        return json.loads(file.read_text()), answer.stdout

    def failed(self, report):
        clients = report.get("clients") or [report["client"]]
        gates = [gate for client in clients for gate in client["gates"]] + report.get("gates", [])
        return {gate["id"]: gate["findings"] for gate in gates if not gate["passed"]}

    def parity(self, first, second, code):
        """The failed gates, the mechanism table's apart: it depends on what has been built."""
        vectors = ["--vectors", str(RESULTS)] if RESULTS.exists() else []
        file = self.work / "report.json"
        answer = run("report", "parity", str(first), str(second), "--json", str(file), "--every", f"{self.EVERY:g}", *vectors)
        failed = self.failed(json.loads(file.read_text()))
        table = failed.pop("mechanisms", None)
        self.assertEqual(answer.returncode, 1 if failed or table else 0, answer.stdout)
        self.assertEqual(bool(failed), bool(code), answer.stdout)
        return failed

    def test_each_client_passes(self):
        for file in self.files:
            report, text = self.report("freshness", file, code=0)
            self.assertEqual(report["verdict"], "pass")
            self.assertIn("verdict: PASS", text)
            self.assertGreaterEqual(report["client"]["samples"], 8)

    def test_both_pass_beside_each_other(self):
        self.assertEqual(self.parity(*self.files, code=0), {})

    def test_the_mechanisms_are_proved_by_both_builds_or_said_not_to_be(self):
        report, text = self.report(
            "parity", *self.files, "--vectors", self.work / "nothing.json", code=1)
        self.assertEqual(set(self.failed(report)), {"mechanisms"})
        self.assertEqual(len(report["mechanisms"]), 11)
        for row in report["mechanisms"]:
            self.assertRegex(row["builds"]["native"], r"^proved by \d+$")
            self.assertEqual(row["builds"]["WebAssembly"], "not proved")
            self.assertFalse(row["proved"])
        self.assertIn("verdict: FAIL", text)
        # Results of other vectors do not count as proof.
        results = {"suite": "0" * 16, "runtime": "a test", "module": {"bytes": 1, "digest": "0"},
                   "vectors": {name: [] for row in report["mechanisms"] for name in row["vectors"]}}
        file = self.work / "other.json"
        file.write_text(json.dumps(results))
        report, text = self.report("parity", *self.files, "--vectors", file, code=1)
        self.assertIn("about other vectors", text)
        # The right ones are.
        results["suite"] = re.search(r"this program's \((\w{16})\)", text).group(1)
        file.write_text(json.dumps(results))
        report, text = self.report("parity", *self.files, "--vectors", file, code=0)
        self.assertTrue(all(row["proved"] for row in report["mechanisms"]))
        name = report["mechanisms"][6]["vectors"][0]
        results["vectors"][name] = ["step 2: snapshot is keep, not apply"]
        file.write_text(json.dumps(results))
        report, text = self.report("parity", *self.files, "--vectors", file, code=1)
        self.assertIn(name, text)

    def test_a_cadence_that_the_clients_were_not_given(self):
        answer = run("report", "parity", *map(str, self.files), "--json", str(self.work / "report.json"))
        self.assertEqual(answer.returncode, 1, answer.stdout)
        failed = self.failed(json.loads((self.work / "report.json").read_text()))
        self.assertEqual(set(failed) - {"mechanisms"}, {"cadence_of_preset"})
        self.assertIn(f"such as {round(self.EVERY * 1000)} ms", failed["cadence_of_preset"][0]["says"])

    def test_what_cannot_be_told_is_listed(self):
        report, text = self.report("parity", *self.files, "--vectors", self.work / "nothing.json", code=1)
        self.assertIn("cannot be told without receipts:\n  whether one recording is the other", text)
        self.assertEqual(len(report["cannotBeTold"]), 6)

    def test_a_copied_file(self):
        copy = self.work / "copy.jsonl"
        copy.write_bytes(self.files[0].read_bytes())
        failed = self.parity(self.files[0], copy, code=1)
        self.assertEqual(set(failed), {"clients_independent"})
        self.assertIn("a copied file", failed["clients_independent"][0]["says"])

    def test_the_other_clients_payloads_re_timed(self):
        first, second = map(lines_of, self.files)
        bodies = [record["digest"] for record in first if record["outcome"] == "content"]
        for record in second:
            if record["outcome"] == "content" and bodies:
                record["digest"] = bodies.pop(0)
        fake = self.work / "fake.jsonl"
        write(fake, second)
        failed = self.parity(self.files[0], fake, code=1)
        self.assertEqual(set(failed), {"clients_independent"})
        self.assertIn("given to the other client", failed["clients_independent"][0]["says"])

    def test_four_samples_and_clocks_an_hour_apart_and_other_stops(self):
        fake = self.work / "fake.jsonl"
        write(fake, lines_of(self.files[0])[:4])
        report, _ = self.report("freshness", fake, code=1)
        self.assertEqual(set(self.failed(report)), {"enough_samples"})
        records = lines_of(self.files[0])
        for record in records:
            record["startedAt"] += 3_600_000
            record["endedAt"] += 3_600_000
        write(fake, records)
        report, text = self.report("freshness", fake, code=1)
        self.assertEqual(set(self.failed(report)), {"clocks_agree"})
        self.assertIn("1 h 0 min", text)
        records = lines_of(self.files[0])
        contents = [index for index, record in enumerate(records) if record["outcome"] == "content"]
        records[contents[-1]]["answered"] = "8576391"
        write(fake, records)
        report, _ = self.report("freshness", fake, code=1)
        failed = self.failed(report)
        self.assertEqual(set(failed), {"stop_echoed"})
        self.assertEqual(failed["stop_echoed"][0]["lines"], [contents[-1] + 1])

    def test_a_page_that_needs_nothing_else(self):
        page = self.work / "report.html"
        self.report("parity", *self.files, "--html", page, "--vectors", self.work / "none", code=1)
        text = page.read_text()
        elements = Elements(text)
        self.assertGreaterEqual(elements.tags.count("svg"), 6)
        self.assertEqual(elements.links, [])
        self.assertNotIn("script", elements.tags)
        self.assertNotRegex(text, r"https?://(?!127)")
        self.assertIn("prefers-color-scheme:dark", text)


class ReportInputTest(unittest.TestCase):
    """Input that was not recorded."""

    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)

    def freshness(self, path, *options):
        file = self.folder / "report.json"
        answer = run("report", "freshness", str(path), "--json", str(file), *options)
        return answer, json.loads(file.read_text()) if file.exists() else None

    def test_what_cannot_be_used(self):
        empty = self.folder / "empty.jsonl"
        empty.write_text("")
        nonsense = self.folder / "nonsense.jsonl"
        nonsense.write_text("nonsense\n{}\n")
        for path, code, words in [(self.folder / "absent", 66, "No such file"), (empty, 65, "no line of 0"),
                            (nonsense, 65, "line 1: column 1: no object begins here"),
                            (self.folder.path, 66, "directory")]:
            answer, _ = self.freshness(path)
            self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)
            self.assertIn(words, answer.stderr)
        good = '{"startedAt":1,"endedAt":2,"outcome":"content","status":200}\n'
        nonsense.write_text(good)
        answer = run("report", "freshness", str(nonsense), "--html", str(self.folder / "no/file"))
        self.assertEqual(answer.returncode, 73, answer.stderr)
        self.assertEqual(run("report", "parity", str(nonsense)).returncode, 64)
        nonsense.write_text(good)
        for key, words in ((b"too short", "16 to 4096 bytes"), (None, "cannot be read")):
            if key is not None:
                (self.folder / "key").write_bytes(key)
            path = self.folder / ("absent" if key is None else "key")
            answer = run("report", "freshness", str(nonsense), "--receipts", str(path))
            self.assertEqual((answer.returncode, answer.stdout), (66 if key is None else 65, ""), answer.stderr)
            self.assertIn(words, answer.stderr)

    def test_a_huge_file_takes_little_memory(self):
        huge = self.folder / "huge.jsonl"
        good = '{"startedAt":1,"endedAt":2,"outcome":"content","status":200}\n'
        with huge.open("w") as file:
            file.write(good)
        with huge.open("r+b") as file:
            file.truncate(1 << 25)
            file.seek(0, os.SEEK_END)
            file.write(b"\n" + good.encode())
        answer, report = self.freshness(huge)
        self.assertEqual(answer.returncode, 1)
        self.assertEqual(report["client"]["samples"], 2)
        self.assertEqual([entry["line"] for entry in report["client"]["firstBroken"]], [2])
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, MOST_MEMORY)

    def test_figures_agree_with_python(self):
        """Percentiles and gate figures of random recordings, worked out a second time."""
        for seed in range(12):
            generator = random.Random(seed)
            records, at = [], 1_795_000_000_000
            for number in range(generator.randrange(1, 90)):
                at += generator.randrange(9_000, 19_000)
                took = generator.randrange(1, 900)
                age = generator.randrange(0, 70_000)
                record = {
                    "startedAt": at, "endedAt": at + took, "durationMs": took, "status": 200,
                    "outcome": "content", "bytes": generator.randrange(1, 60_000), "cadenceMs": 15_000,
                    "generation": number, "ageMs": age,
                }
                if generator.random() < 0.85:
                    record.update(serverTime=at + took // 2, rtCacheAgeMs=age, responseMode="full",
                                  rtStatus=generator.choice(["applied", "applied", "stale_cache"]))
                if generator.random() < 0.1:
                    record.update(status=500, outcome="server_error", bytes=0)
                records.append(record)
            path = self.folder / "random.jsonl"
            write(path, records)
            _, report = self.freshness(path)
            client = report["client"]
            answers = [record for record in records if record["outcome"] == "content"]
            starts = [record["startedAt"] for record in records]
            intervals = [after - before for before, after in zip(starts, starts[1:])]
            with self.subTest(seed=seed):
                for name, figures in [
                    ("intervalMs", intervals), ("durationMs", [r["durationMs"] for r in records]),
                    ("ageMs", [r["ageMs"] for r in answers]), ("bytes", [r["bytes"] for r in answers]),
                ]:
                    self.same_figures(client[name], figures)
                gates = {gate["id"]: gate for gate in client["gates"]}
                covered = [r for r in answers if "serverTime" in r]
                self.assertEqual(gates["metadata_coverage"]["passed"],
                                 bool(answers) and len(covered) >= 0.8 * len(answers))
                applied = [r["rtCacheAgeMs"] for r in covered if r["rtStatus"] == "applied"]
                self.assertEqual(client["appliedAgeP95Ms"], percentile(applied, 95))
                self.assertEqual(gates["applied_age_p95"]["passed"],
                                 bool(applied) and percentile(applied, 95) <= 45_000)
                judged = [(after["startedAt"] - before["startedAt"], line)
                          for line, (before, after) in enumerate(zip(records, records[1:]), 2)
                          if before["outcome"] == "content"]
                short = [line for length, line in judged if length < 13_800]
                findings = gates["cadence"]["findings"]
                self.assertEqual(findings[0]["count"] if short else 0, len(short))
                if short:
                    self.assertEqual(findings[0]["lines"], short[:10])
                failures = len(records) - len(answers)
                self.assertEqual(gates["failures"]["passed"], failures * 100 <= 20 * len(records))
                self.assertEqual(gates["enough_samples"]["passed"], len(answers) >= 8)

    def same_figures(self, got, figures):
        self.assertEqual(got["count"], len(figures))
        if not figures:
            return
        self.assertEqual((got["least"], got["most"]), (min(figures), max(figures)))
        for percent in (50, 95, 99):
            self.assertEqual(got[f"p{percent}"], percentile(figures, percent))
        mean = sum(figures) / len(figures)
        deviation = (sum((value - mean) ** 2 for value in figures) / len(figures)) ** 0.5
        self.assertAlmostEqual(got["mean"], mean, delta=0.001)
        self.assertAlmostEqual(got["deviation"], deviation, delta=0.001)


def percentile(figures, percent):
    """By nearest rank."""
    if not figures:
        return None
    return sorted(figures)[max(-(-len(figures) * percent // 100), 1) - 1]


if __name__ == "__main__":
    unittest.main()
