"""The measurements of all three services, read by the parser of Prometheus' own client."""

from __future__ import annotations

import http.client
import json
import tempfile
import unittest
import urllib.request

from job_stage import JobServer, table
from program import Folder, Server, until
from realtime_stage import BEGIN, BOARD, Stage, data
from workspaces import Stream, Workspaces, repository

try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:  # Debian's own Python has it: python3-prometheus-client
    text_string_to_metric_families = None

MOST_ROUTES = 64


class Measurements:
    """What a server says of itself, checked as histograms have to be."""

    def __init__(self, url: str):
        with urllib.request.urlopen(url, timeout=30) as answer:
            text = answer.read().decode("utf-8")
        self.families: dict = {}
        for family in text_string_to_metric_families(text):
            # The parser takes `_total` away from counters: a gauge may have the name that is left.
            name = family.name + ("_total" if family.type == "counter" else "")
            assert name not in self.families, f"{name} twice"
            self.families[name] = family
        for family in self.families.values():
            if family.type == "histogram":
                self._check(family)

    @staticmethod
    def _check(family) -> None:
        """Buckets grow, the last is +Inf and equals the count, and there is a sum."""
        series: dict = {}
        for sample in family.samples:
            labels = frozenset((name, value) for name, value in sample.labels.items() if name != "le")
            found = series.setdefault(labels, {"buckets": []})
            if sample.name.endswith("_bucket"):
                found["buckets"].append((float(sample.labels["le"]), sample.value))
            else:
                found[sample.name.removeprefix(family.name)] = sample.value
        assert series, family.name
        for labels, found in series.items():
            bounds, counts = zip(*found["buckets"])
            assert list(bounds) == sorted(set(bounds)), (family.name, labels, bounds)
            assert list(counts) == sorted(counts), (family.name, labels, counts)
            assert bounds[-1] == float("inf") and counts[-1] == found["_count"], (family.name, labels)
            assert found["_sum"] >= 0, (family.name, labels)

    def count(self, name: str, resource: str, **labels: str) -> float:
        """How many samples a histogram has, or the value of a counter."""
        labels["resource"] = resource
        family = self.families.get(name)
        return sum(
            sample.value for sample in (family.samples if family else [])
            if sample.name in (f"{name}_count", name) and labels.items() <= sample.labels.items()
        )

    @property
    def routes(self) -> set[str]:
        """All routes that are told apart."""
        return {
            sample.labels["resource"] for name, family in self.families.items() if name.startswith("freshet_served_")
            for sample in family.samples if "resource" in sample.labels
        }


@unittest.skipIf(text_string_to_metric_families is None, "no python3-prometheus-client")
class MetricsTest(unittest.TestCase):
    """Histograms by route, of as many routes as the program has."""

    def test_boards(self):
        stage = Stage()
        self.addCleanup(stage.close)
        url, route = f"http://127.0.0.1:{stage.port}/metrics", "/api/stationboard"
        answer = stage.board()
        before = Measurements(url)
        stage.board()
        self.assertEqual(stage.ask(BOARD, if_none_match=answer["ETag"]).status, 304)
        self.assertEqual(stage.ask(BOARD, if_none_match=answer["ETag"], prefer="wait=1")["Preference-Applied"], "wait=1")
        self.assertEqual(stage.ask(BOARD, if_none_match="*", prefer="wait=30")["Preference-Applied"], None)
        after = Measurements(url)
        latency = "freshet_served_latency_seconds"
        self.assertEqual(after.count(latency, route, kind="read") - before.count(latency, route, kind="read"), 3)
        self.assertEqual(after.count(latency, route, kind="wait"), 1)
        self.assertEqual(after.count("freshet_served_wait_seconds", route), 1)
        self.assertEqual(after.count("freshet_served_total", route, kind="wait", status="304"), 1)
        stream = stage.stream()
        self.addCleanup(stream.close)
        stream.next("snapshot")
        until(lambda: Measurements(url).count("freshet_served_total", route + "/stream", kind="event") >= 1)
        for stop in range(MOST_ROUTES + 10):
            stage.ask(f"/api/stationboard?stop_id=nowhere{stop}")
            stage.ask(f"/api/none{stop}")
        self.assertEqual(Measurements(url).routes, {route, route + "/stream"})

    def test_jobs(self):
        with tempfile.TemporaryDirectory() as folder, JobServer(folder) as server:
            url = server.url + "/metrics"
            job = server.start(table(3))
            state = server.wait(job)
            path = f"/v1/jobs/{job['jobId']}"
            _, _, fields = server.ask("GET", path, token=job["token"])
            self.assertEqual(server.ask("GET", path, token=job["token"], If_None_Match=fields["ETag"])[0], 304)
            server.results(job)
            self.assertEqual(server.ask("GET", path + "/events", token=job["token"])[0], 200)
            found = Measurements(url)
            self.assertGreaterEqual(found.count("freshet_served_total", "/v1/jobs/:job", kind="read", status="200"), 2)
            self.assertEqual(found.count("freshet_served_total", "/v1/jobs/:job", kind="read", status="304"), 1)
            self.assertEqual(found.count("freshet_served_latency_seconds", "/v1/jobs/:job/results", kind="read"), 1)
            self.assertGreaterEqual(
                found.count("freshet_served_total", "/v1/jobs/:job/events", kind="event"), 1, json.dumps(state)
            )
            self.assertFalse([route for route in found.routes if job["jobId"] in route])

    def test_worktrees(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        repository(folder.path.resolve() / "main")
        server = self.enterContext(Workspaces(folder))
        url, route = server.url + "/v1/metrics", "/v1/git/worktrees"
        until(server.worktrees)
        _, fields, body = server.ask(route)
        self.assertEqual(server.ask(route, if_none_match=fields["etag"], prefer="wait=1")[1]["preference-applied"], "wait=1")
        server.ask(f"{route}/{body[0]['id']}")
        stream = Stream(server)
        self.addCleanup(stream.close)
        stream.wait(lambda event: event["type"] == "snapshot")
        until(lambda: Measurements(url).count("freshet_served_total", "/v1/events", kind="event") >= 1)
        found = Measurements(url)
        self.assertEqual(found.count("freshet_served_wait_seconds", route), 1)
        self.assertEqual(found.count("freshet_served_latency_seconds", route + "/:id", kind="read"), 1)
        self.assertFalse([each for each in found.routes if body[0]["id"] in each])

    def test_every_kind_of_service_counts_requests_failures_and_durations_by_route(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        repository(folder.path.resolve() / "roots/main")
        server = self.enterContext(Server(
            data(), "--workspaces", str(folder.path.resolve() / "roots"), "--jobs", str(folder / "jobs"), now=BEGIN))

        def seen() -> dict[tuple[str, str, str], float]:
            with urllib.request.urlopen(server.url + "/metrics", timeout=30) as answer:
                families = {family.name: family for family in text_string_to_metric_families(answer.read().decode())}
            requests = families.get("freshet_http_requests")
            counts = {
                (sample.labels["route"], sample.labels["method"], sample.labels["class"]): sample.value
                for sample in (requests.samples if requests else [])}
            durations = families.get("freshet_http_request_duration_seconds")
            counts |= {
                (sample.labels["route"], sample.labels["method"], "duration"): sample.value
                for sample in (durations.samples if durations else []) if sample.name.endswith("_count")}
            return counts

        def asks(path: str, route: str, kind: str, method: str = "GET", body: bytes | None = None, **fields: str):
            """One request is one more of its route and class, and one more duration."""
            before = seen()
            line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            line.request(method, path, body, {name.replace("_", "-"): value for name, value in fields.items()})
            answer = line.getresponse()
            # A stream has no end: its head is all there is to wait for.
            content = b"" if answer.getheader("Content-Type", "").startswith("text/event-stream") else answer.read()
            after = seen()
            more = {key: value - before.get(key, 0) for key, value in after.items() if value != before.get(key, 0)}
            for key in [("/metrics", "GET", "2xx"), ("/metrics", "GET", "duration")]:
                self.assertEqual(more.pop(key), 1)
            self.assertEqual(more, {(route, method, kind): 1, (route, method, "duration"): 1}, path)
            line.close()
            return content, answer

        stop = "stop_id=Parent8501120"
        asks("/health/live", "/health/live", "2xx")
        asks(f"/api/stationboard?{stop}", "/api/stationboard", "2xx")
        asks("/api/stationboard", "/api/stationboard", "4xx")
        asks(f"/api/stationboard/stream?{stop}", "/api/stationboard/stream", "2xx", Accept="text/event-stream")
        asks("/v1/git/worktrees", "/v1/git/worktrees", "2xx")
        asks("/v1/git/worktrees/none", "/v1/git/worktrees/{id}", "4xx")
        asks("/v1/events", "/v1/events", "2xx", Accept="text/event-stream")
        body, _ = asks("/v1/jobs/csv_import", "/v1/jobs/{job}", "2xx", "POST", table(3), Content_Type="text/csv")
        asks("/v1/jobs/nothing", "/v1/jobs/{job}", "4xx", "POST", table(3), Content_Type="text/csv")
        job = json.loads(body)
        path, token = f"/v1/jobs/{job['jobId']}", f"Bearer {job['token']}"
        asks(path, "/v1/jobs/{job}", "2xx", Authorization=token)
        asks(path, "/v1/jobs/{job}", "4xx")
        asks(path + "/events", "/v1/jobs/{job}/events", "2xx", Authorization=token, Accept="text/event-stream")
        asks("/", "/", "2xx", Accept="text/html")
        asks("/nowhere", "none", "4xx")
        asks("/v1/git/worktrees", "none", "4xx", "PUT")


if __name__ == "__main__":
    unittest.main()
