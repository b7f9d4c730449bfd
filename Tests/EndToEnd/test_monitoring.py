"""The dashboard and the alert rules that are delivered: every query asks for what /metrics has."""

from __future__ import annotations

import json
import re
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from boards import Producer
from job_stage import table
from program import Folder, Server, until
from sample_network import copy_network
from secure_stage import Authority

PLACE = Path(__file__).resolve().parents[2] / "Packaging/monitoring"
#: Prometheus itself adds these to every series.
ADDED = {"job", "instance"}
SELECTOR = re.compile(r"\b([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(\{[^}]*\})?(?:\[[0-9a-z]+\])?")
MATCHER = re.compile(r'([a-zA-Z_]+)\s*(=~|!=|!~|=)\s*"([^"]*)"')
GROUPED = re.compile(r"\bby\s*\(([^)]*)\)")
WORDS = {"sum", "by", "rate", "min", "max", "count", "time", "histogram_quantile", "up", "label_values"}


def series(text: str) -> dict[str, list[dict[str, str]]]:
    """The labels of all series of a text of metrics, by their names."""
    found: dict[str, list[dict[str, str]]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, labels = re.match(r"([a-z_]+)(?:\{(.*)\})? ", line).groups()
            found.setdefault(name, []).append(dict(re.findall(r'([a-z_]+)="((?:[^"\\]|\\.)*)"', labels or "")))
    return found


def problems(query: str, known: dict[str, list[dict[str, str]]]) -> list[str]:
    """What a query asks for that is not there."""
    found = []
    grouped = {label.strip() for group in GROUPED.findall(query) for label in group.split(",")}
    plain = GROUPED.sub(" ", query)
    names = []
    for name, matchers in SELECTOR.findall(plain):
        if name in WORDS or re.fullmatch(r"\d.*", name):
            continue
        names.append(name)
        matching = known.get(name, [])
        if not matching:
            found.append(f"{name} is not measured: {query}")
        for label, operator, value in MATCHER.findall(matchers):
            if label in ADDED:
                continue
            if not any(label in labels for labels in matching):
                found.append(f"{name} has no label {label}: {query}")
            elif operator == "=" and value not in {labels.get(label) for labels in matching}:
                found.append(f"{name} has no {label}={value}: {query}")
            elif operator == "=~" and not any(re.fullmatch(value, labels.get(label, "")) for labels in matching):
                found.append(f"{name} has no {label} like {value}: {query}")
    for label in grouped - ADDED:
        if not any(label in labels for name in names for labels in known.get(name, [])):
            found.append(f"nothing has the label {label}: {query}")
    if not names:
        found.append(f"asks for nothing: {query}")
    return found


class Monitoring(unittest.TestCase):
    """One server that measures everything."""

    @classmethod
    def setUpClass(cls) -> None:
        folder = Folder()
        cls.addClassCleanup(folder.remove)
        copy_network(folder.path)
        authority = Authority(folder.path)
        chain, key = authority.certificate("site")
        context = authority.context()
        producer = Producer(str(folder / "data"), "rush")
        cls.addClassCleanup(producer.close)
        with Server(
            folder / "data", "--jobs", str(folder / "jobs"), "--tls-certificate", str(chain), "--tls-key", str(key),
            "--trip-updates", f"{producer.url}/trip-updates.pb",
        ) as server:

            def ask(path: str, body: bytes | None = None) -> str:
                request = urllib.request.Request(server.url + path, data=body, headers={"Content-Type": "text/csv"})
                try:
                    with urllib.request.urlopen(request, timeout=30, context=context) as answer:
                        return answer.read().decode()
                except urllib.error.HTTPError as error:
                    return error.read().decode()

            ask("/api/stationboard?stop_id=Parent8501120")
            ask("/v1/jobs/csv_import", table(1))
            until(lambda: "freshet_realtime_matched_ratio" in ask("/metrics"))
            cls.text = ask("/metrics")
            # A failure that no board causes: a server without a timetable.
        with Server(folder / "nothing", now=None) as server:
            try:
                urllib.request.urlopen(server.url + "/api/stationboard?stop_id=x", timeout=30)
            except urllib.error.HTTPError:
                pass
            with urllib.request.urlopen(server.url + "/metrics", timeout=30) as answer:
                cls.text += answer.read().decode()
        cls.known = series(cls.text)

    def test_every_query_of_the_dashboard_is_measured(self):
        dashboard = json.loads((PLACE / "grafana-dashboard.json").read_text())
        queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
        self.assertGreater(len(queries), 15)
        self.assertEqual([problem for query in queries for problem in problems(query, self.known)], [])
        places = [tuple(panel["gridPos"][name] for name in "xy") for panel in dashboard["panels"]]
        self.assertEqual(len(set(places)), len(places))
        variables = {variable["name"] for variable in dashboard["templating"]["list"]}
        self.assertEqual(set(re.findall(r"\$\{?(\w+)", json.dumps(dashboard))), variables)

    def test_every_alert_is_measured(self):
        text = (PLACE / "alerts.yaml").read_text()
        rules = re.findall(r"- alert: (\w+)\n\s+expr: (?:>-\n)?(.*?)\n\s+for: (\w+)\n", text, re.DOTALL)
        self.assertEqual(len(rules), text.count("- alert:"))
        self.assertEqual(len({name for name, _, _ in rules}), len(rules))
        wrong = []
        for name, query, _ in rules:
            if name != "FreshetDown":
                wrong += problems(" ".join(query.split()), self.known)
        self.assertEqual(wrong, [])

    def test_a_query_for_what_is_not_there_is_found(self):
        for query in [
            "sum(freshet_nothing)", 'freshet_http_requests_total{class="9xx"}', "sum by (rout) (freshet_http_requests_total)",
            'freshet_http_requests_total{klass="5xx"}', "1 + 1",
        ]:
            self.assertEqual(len(problems(query, self.known)), 1, query)

    def test_routes_have_histograms_that_add_up(self):
        bucket = [labels for labels in self.known["freshet_http_request_duration_seconds_bucket"]]
        self.assertIn("/api/stationboard", {labels["route"] for labels in bucket})
        self.assertTrue(all(re.fullmatch(r"/[^?]*|none", labels["route"]) for labels in bucket))
        counts = dict(re.findall(
            r'^freshet_http_request_duration_seconds_(bucket\{route="/api/stationboard",method="GET",le="\+Inf"|count\{route="/api/stationboard",method="GET")\} (\d+)$',
            self.text.split("# TYPE process_resident_memory_bytes", 2)[1] + self.text, re.MULTILINE,
        ))
        self.assertEqual(len(counts), 2)
        self.assertEqual(len(set(counts.values())), 1)


if __name__ == "__main__":
    unittest.main()
