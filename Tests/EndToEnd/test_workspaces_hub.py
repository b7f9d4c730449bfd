"""A hub shows the worktrees of several machines, and says of each how old that is."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hub_stage import LIST, Hub, Machine, Reporter, instant, token
from program import Folder, run, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import Stream, git, repository

#: ReportLimits.heartbeat and ReportLimits.unreachableAfter.
HEARTBEAT, UNREACHABLE = 15, 45
#: ReportLimits.readings.
READINGS = 2
READER = "a-token-of-readers-only"


class HubTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.file = self.folder.path.resolve() / "machines"

    def machine(self, name: str, **options) -> Machine:
        made = Machine(name, self.file, **options)
        self.addCleanup(made.close)
        return made

    def hub(self, *options: str, **more) -> Hub:
        made = Hub(self.folder, self.file, *options, **more)
        self.addCleanup(made.__exit__)
        return made

    def post(self, hub: Hub, name: str, body: bytes, secret: str | None, length: int | None = None) -> tuple[int, dict]:
        """Status and problem of a report that is sent by hand."""
        connection = http.client.HTTPConnection("127.0.0.1", hub.port, timeout=30)
        self.addCleanup(connection.close)
        fields = {"Content-Length": str(len(body) if length is None else length)}
        if secret is not None:
            fields["Authorization"] = f"Bearer {secret}"
        connection.request("POST", f"/v1/machines/{name}/report", body, fields)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else {}

    def assert_honest(self, hub: Hub) -> None:
        """Nothing of an unreachable machine is shown as running."""
        for each in hub.worktrees():
            if each["machine"]["state"] == "live":
                continue
            self.assertEqual(each["activity"]["state"], "unknown", each["name"])
            self.assertEqual(each["activity"]["agents"], [], each["name"])
            self.assertEqual((each["claude_activity_state"], each["has_active_claude_session"]), ("inactive", False))
            self.assertIn("unreachable since", each["activity"]["reason"])

    def test_a_reporter_that_is_killed_or_stopped_is_unreachable_and_others_are_not(self):
        machines = [self.machine(name) for name in ("laptop", "box", "tower")]
        hub = self.hub()
        for each in machines:
            each.reports(hub.url)
        until(lambda: all(hub.state(each.name, "feature") == "working" for each in machines))
        self.assertEqual(
            sorted(each["name"] for each in hub.worktrees()),
            sorted(f"{each.name}:shop/{tree}" for each in machines for tree in ("shop", "feature")))
        self.assertEqual({name: each["state"] for name, each in hub.machines().items()}, dict.fromkeys(("box", "laptop", "tower"), "live"))
        stream = Stream(hub)
        self.addCleanup(stream.close)
        stream.wait(lambda event: event["type"] == "snapshot")
        # What changes on a machine is there in a moment.
        laptop, box, tower = machines
        (laptop.tree / "new.txt").write_text("new\n")
        stream.wait(lambda event: event["type"] == "worktree:updated" and event["payload"]["updates"].get("is_dirty"))
        self.assertTrue(hub.of("laptop")["feature"]["is_dirty"])
        gone_at = time.time()
        box.reporter.process.kill()
        tower.reporter.process.send_signal(signal.SIGSTOP)
        until(lambda: self.assert_honest(hub) or all(hub.machines()[name]["state"] == "unreachable" for name in ("box", "tower")))
        self.assertGreater(time.time() - gone_at, UNREACHABLE - HEARTBEAT - 5)
        found = hub.machines()
        for name in ("box", "tower"):
            self.assertLess(instant(found[name]["unreachable_since"]), gone_at + 2)
            self.assertGreater(instant(found[name]["unreachable_since"]), gone_at - HEARTBEAT - 5)
            self.assertGreater(found[name]["age_ms"], UNREACHABLE * 1_000)
            self.assertEqual(found[name]["worktrees"], 2)
            # The list follows when the hub next checks its machines.
            since = found[name]["unreachable_since"]
            until(lambda name=name, since=since: hub.of(name)["feature"]["machine"].get("unreachable_since") == since)
        self.assertEqual(found["laptop"]["state"], "live")
        self.assertLess(found["laptop"]["age_ms"], (HEARTBEAT + 5) * 1_000)
        self.assertEqual(hub.state("laptop", "feature"), "working")
        # A follower of events is told, and gets no stale state.
        stream.wait(lambda event: event["type"] == "worktree:updated"
                    and event["payload"]["updates"].get("machine", {}).get("state") == "unreachable"
                    and event["payload"]["updates"]["activity"]["state"] == "unknown")
        shown = run("workspaces", "--server", hub.url, "--once")
        self.assertIn("box:shop/feature", shown.stdout)
        self.assertIn("unreachable since", shown.stdout)
        # One goes on, the other is started again.
        tower.reporter.process.send_signal(signal.SIGCONT)
        box.reports(hub.url)
        # What a reporter knew when it was stopped may be almost too old: its machine is live, and then not, until it reports again.
        until(lambda: all(hub.state(each.name, "feature") == "working" for each in machines)
              and {each["state"] for each in hub.machines().values()} == {"live"})
        # One that is told to end says so.
        laptop.reporter.process.terminate()
        self.assertEqual(laptop.reporter.process.wait(timeout=30), 0)
        self.assertEqual(hub.machines()["laptop"]["detail"], "its reporter has ended")
        self.assert_honest(hub)

    def test_a_hub_that_is_killed_has_everything_again_after_its_start(self):
        machines = [self.machine(name) for name in ("laptop", "box")]
        hub = self.hub()
        for each in machines:
            each.reports(hub.url)
        until(lambda: all(hub.state(each.name, "feature") == "working" for each in machines))
        ids = {each["id"] for each in hub.worktrees()}
        tag = hub.ask(LIST)[1]["etag"]
        hub.process.kill()
        hub.process.wait()
        # What changes meanwhile is not lost.
        (machines[0].tree / "new.txt").write_text("new\n")
        again = self.hub(port=hub.port)
        until(lambda: all(again.state(each.name, "feature") == "working" for each in machines))
        until(lambda: again.of("laptop")["feature"]["is_dirty"])
        self.assertEqual({each["id"] for each in again.worktrees()}, ids)
        self.assertNotEqual(again.ask(LIST)[1]["etag"].split("-")[0], tag.split("-")[0])
        self.assertTrue(all(each.reporter.process.poll() is None for each in machines))

    def test_a_server_that_does_not_answer_its_reporter_makes_the_machine_unreachable(self):
        machine = self.machine("laptop")
        hub = self.hub()
        machine.reports(hub.url)
        until(lambda: hub.state("laptop", "feature") == "working")
        machine.server.process.kill()
        machine.server.process.wait()
        until(lambda: self.assert_honest(hub) or hub.machines()["laptop"]["state"] == "unreachable")
        self.assertIn("does not reach the server", hub.machines()["laptop"]["detail"])
        self.assertIsNone(machine.reporter.process.poll())

    def test_tokens_open_one_machine_and_nothing_else(self):
        machine = self.machine("laptop")
        other = self.machine("box")
        secret = self.folder.path / "reader"
        secret.write_text(READER)
        hub = self.hub("--token-file", str(secret))
        laptop = machine.token.read_text().strip()
        whole = json.dumps({"instance": "x", "sequence": 1, "age_ms": 0, "clock_ms": 0, "changed": []}).encode()
        self.assertEqual(self.post(hub, "laptop", whole, laptop)[0], 204)
        for name, token_, expected in (
            ("laptop", None, (401, "unauthorized")), ("laptop", "", (401, "unauthorized")),
            ("laptop", laptop[:-1], (401, "unauthorized")), ("laptop", READER, (401, "unauthorized")),
            ("box", laptop, (403, "machine_forbidden")), ("nobody", laptop, (403, "machine_forbidden")),
        ):
            status, problem = self.post(hub, name, whole, token_)
            self.assertEqual((status, problem.get("error")), expected, name)
        # A machine's token reads nothing.
        self.assertEqual(hub.ask(LIST, Authorization=f"Bearer {laptop}")[0], 401)
        self.assertEqual(hub.ask("/v1/machines", Authorization=f"Bearer {laptop}")[0], 401)
        self.assertEqual(hub.ask("/v1/machines", Authorization=f"Bearer {READER}")[0], 200)
        # Reporters with a wrong token, and with that of another machine, end and say why.
        wrong = self.folder.path / "wrong"
        wrong.write_text("0" * 64)
        for place, words in ((wrong, "401"), (other.token, "403")):
            reporter = Reporter(hub.url, machine.server.url, "laptop", place)
            self.addCleanup(reporter.close)
            self.assertEqual(reporter.process.wait(timeout=60), 77)
            reporter.drain.join(timeout=30)
            self.assertIn(words, reporter.text())
        text = self.file.read_text() + "".join(hub.log)
        self.assertNotIn(laptop, text)

    def test_a_machine_comes_and_goes_with_its_line(self):
        machine = self.machine("laptop")
        hub = self.hub()
        reporter = machine.reports(hub.url)
        until(lambda: "feature" in hub.of("laptop"))
        answer = run("workspaces", "token", "laptop", "--machines-file", str(self.file), "--remove")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        until(lambda: hub.machines() == {} and hub.worktrees() == [])
        until(lambda: "refuses (401)" in reporter.text())
        self.assertIsNone(reporter.process.poll(), "it goes on trying")
        # A file that is wrong changes nothing, and is said.
        token("box", self.file)
        until(lambda: list(hub.machines()) == ["box"])
        self.file.write_text("box nonsense\n")
        until(lambda: "line 1" in json.dumps(hub.get("/health/ready")[1]))
        self.assertEqual(list(hub.machines()), ["box"])

    def test_tokens_made_at_the_same_time_are_all_in_the_file(self):
        names = [f"machine-{number}" for number in range(8)]
        link = self.folder.path / "link"
        self.file.write_text("# machines\n")
        link.symlink_to(self.file)
        with ThreadPoolExecutor(len(names)) as pool:
            secrets = list(pool.map(lambda name: token(name, link).strip(), names))
        self.assertTrue(link.is_symlink())
        hub = self.hub()
        self.assertEqual(sorted(hub.machines()), names)
        whole = json.dumps({"instance": "x", "sequence": 1, "age_ms": 0, "clock_ms": 0, "changed": []}).encode()
        self.assertEqual({self.post(hub, name, whole, secret)[0] for name, secret in zip(names, secrets)}, {204})

    def test_a_report_that_trickles_takes_the_place_of_few_others(self):
        secret = token("slow", self.file).strip()
        hub = self.hub()
        head = (f"POST /v1/machines/slow/report HTTP/1.1\r\nHost: 127.0.0.1:{hub.port}\r\nAuthorization: Bearer {secret}\r\n"
                "Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n")
        trickles = []
        for _ in range(READINGS):
            trickle = socket.create_connection(("127.0.0.1", hub.port), timeout=60)
            self.addCleanup(trickle.close)
            trickle.sendall(head.encode())
            # The server reads from now on, and the report has its place.
            self.assertEqual(trickle.recv(100), b"HTTP/1.1 100 Continue\r\n\r\n")
            trickle.sendall(b"{")
            trickles.append(trickle)
        whole = json.dumps({"instance": "x", "sequence": 1, "age_ms": 0, "clock_ms": 0, "changed": []}).encode()
        until(lambda: self.post(hub, "slow", whole, secret)[0] == 429)
        for trickle in trickles:
            answer = trickle.makefile("rb").read()
            self.assertTrue(answer.startswith(b"HTTP/1.1 408 "), answer)
            self.assertIn(b"report_too_slow", answer)
        whole = whole.replace(b'"sequence": 1', b'"sequence": 2')
        until(lambda: self.post(hub, "slow", whole, secret)[0] == 204)

    def test_a_clock_two_days_wrong_makes_nothing_older_or_younger(self):
        library = self.folder.path / "shifted_hub_clock.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, Path(__file__).with_name("shifted_clock.c")], check=True)
        machines = []
        for name, offset in (("ahead", 172_800), ("behind", -172_800), ("right", 0)):
            shift = self.folder.path / f"shift-{name}"
            shift.write_text(str(offset))
            machines.append(self.machine(name, environment={"LD_PRELOAD": str(library), "SHIFTED_CLOCK": str(shift)}))
        hub = self.hub()
        for each in machines:
            each.reports(hub.url)
        for name in ("ahead", "behind", "right"):
            with self.subTest(name):
                until(lambda name=name: hub.state(name, "feature") == "working")
                found = hub.machines()[name]
                self.assertEqual(found["state"], "live")
                self.assertLess(found["age_ms"], (HEARTBEAT + 5) * 1_000)
                tree = hub.of(name)["feature"]
                self.assertLess(tree["activity_age_seconds"], 600)
                self.assertLess(abs(instant(tree["activity"]["since"]) - time.time()), 600)
                self.assertLess(abs(instant(tree["activity"]["agents"][0]["since"]) - time.time()), 600)

    def test_what_changes_something_is_done_on_the_machine(self):
        machine = self.machine("laptop")
        hub = self.hub()
        machine.reports(hub.url)
        until(lambda: hub.state("laptop", "feature") == "working")
        place = f"{LIST}/{hub.of('laptop')['feature']['id']}"
        self.assertEqual(hub.ask(place)[0], 200)
        before = git(machine.main, "worktree", "list")
        for method, path, body in (
            ("DELETE", place, None), ("DELETE", f"{place}?force=1", None), ("POST", f"{place}/merge", {}), ("POST", f"{place}/sync", {}),
            ("POST", f"{place}/seen", None), ("POST", f"{place}/refresh", None), ("POST", f"{place}/trust", {"digest": "x"}),
            ("DELETE", f"{place}/trust", None), ("GET", f"{place}/merge/check", None), ("GET", f"{place}/diff", None),
            ("POST", LIST, {"repository": "local/shop", "branch": "new"}), ("GET", "/v1/git/branches/local/shop", None),
            ("POST", "/v1/git/checkout/local/shop", {}), ("POST", LIST, {"repository": str(machine.main), "branch": "new"}),
        ):
            status, _, problem = hub.ask(path, method, body)
            self.assertEqual((status, problem["error"]), (409, "other_machine"), f"{method} {path}: {problem}")
            self.assertIn("laptop", problem["detail"])
            self.assertEqual(problem["machine"], "laptop", f"{method} {path}")
        status, _, problem = hub.ask(f"/v1/sessions/workspace/{place.rsplit('/', 1)[1]}")
        self.assertEqual((status, problem["error"]), (404, "session_not_found"))
        self.assertIn("laptop", problem["detail"])
        self.assertEqual(git(machine.main, "worktree", "list"), before)
        # The same path on the hub's own machine is not touched either: it watches no folder.
        self.assertTrue(machine.tree.exists())

    def test_a_hub_has_worktrees_of_its_own_too(self):
        own = repository(self.folder.path.resolve() / "own" / "site")
        machine = self.machine("laptop")
        hub = self.hub(roots=[own.parent])
        machine.reports(hub.url)
        until(lambda: {each["name"] for each in hub.worktrees()} >= {"site/site", "laptop:shop/feature"})
        site = next(each for each in hub.worktrees() if each["name"] == "site/site")
        self.assertNotIn("machine", site)
        self.assertEqual(hub.ask(f"{LIST}/{site['id']}/diff")[0], 200)
        made = hub.ask(LIST, "POST", {"repository": "local/site", "branch": "new"})
        self.assertEqual(made[0], 201, made[2])
        self.assertEqual(hub.ask(LIST, "POST", {"repository": "local/shop", "branch": "new"})[2]["error"], "other_machine")
        # A machine's repository of the same name, and at the same path, takes nothing from the hub's own, one without a
        # worktree neither.
        bare = own.parent / "bare.git"
        git(own.parent, "clone", "--quiet", "--bare", str(own), str(bare))
        secret = token("evil", self.file).strip()
        until(lambda: "evil" in hub.machines())
        mine = [{"id": str(place), "repo_id": "local/site", "name": place.name, "path": str(place), "branch": "b"} for place in (own, bare)]
        whole = json.dumps({"instance": "x", "sequence": 1, "age_ms": 0, "clock_ms": 0, "changed": mine}).encode()
        self.assertEqual(self.post(hub, "evil", whole, secret)[0], 204)
        self.assertEqual(hub.ask("/v1/git/branches/local/site")[0], 200)
        # The hub finds the bare one after a while.
        until(lambda: hub.ask(LIST, "POST", {"repository": str(bare), "branch": "of-bare"})[0] == 201)

    def test_a_hostile_reporter_gets_no_more_than_its_share(self):
        secret = token("evil", self.file).strip()
        good = self.machine("laptop")
        hub = self.hub()
        good.reports(hub.url)
        until(lambda: "feature" in hub.of("laptop"))
        before = hub.of("laptop")["feature"]

        def report(sequence: int, changed: list, **more) -> bytes:
            return json.dumps({"instance": "x", "sequence": sequence, "age_ms": 0, "clock_ms": 0, "changed": changed, **more}).encode()

        def tree(id: str, **more) -> dict:
            return {"id": id, "repo_id": "r", "name": id, "path": f"/{id}", "branch": "b", **more}

        # Another's entries, by their ids and names.
        mine = [tree(before["id"], name="laptop:shop/feature"), tree("evil"),
                tree("other", machine=before["machine"])]
        self.assertEqual(self.post(hub, "evil", report(1, mine, removed=[before["id"]]), secret)[0], 204)
        self.assertEqual(hub.of("laptop")["feature"]["path"], before["path"])
        self.assertEqual({each["machine"]["name"] for each in hub.worktrees() if each["path"].endswith("evil")}, {"evil"})
        for body, status, code in (
            (b"", 400, "invalid_body"), (b"nonsense", 400, "invalid_body"), (b"[]", 400, "invalid_body"), (b"[" * 100_000, 400, "invalid_body"),
            (report(0, []), 400, "invalid_body"), (report(1, []), 409, "report_out_of_date"),
            (report(9, [], base=8), 409, "report_base_unknown"),
            (report(9, [tree(str(number)) for number in range(1_100)]), 413, "report_too_large"),
        ):
            until(lambda body=body, status=status, code=code: self.outcome(hub, body, secret) == (status, code))
        # What says that it is longer is refused before it comes.
        until(lambda: self.post(hub, "evil", b"", secret, length=1 << 40)[0] == 413)
        answers = [self.post(hub, "evil", report(number + 100, []), secret)[0] for number in range(60)]
        self.assertIn(429, answers)
        self.assertEqual(set(answers) - {204, 409, 429}, set())
        self.assertEqual(hub.of("laptop")["feature"]["machine"]["state"], "live")
        self.assertLess(len(hub.of("evil")), 3)

    def outcome(self, hub: Hub, body: bytes, secret: str) -> tuple[int, str | None]:
        """Status and code of a report, after a while if there were too many."""
        status, problem = self.post(hub, "evil", body, secret)
        return status, problem.get("error")

    def test_the_command_says_which_machines_report(self):
        machine = self.machine("laptop")
        token("silent", self.file)
        hub = self.hub()
        machine.reports(hub.url)
        until(lambda: hub.state("laptop", "feature") == "working")
        shown = run("workspaces", "--server", hub.url, "--machines")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        lines = shown.stdout.splitlines()
        self.assertEqual([line.split()[:2] for line in lines], [["laptop", "live"], ["silent", "unreachable"]])
        found = json.loads(run("workspaces", "--server", hub.url, "--machines", "--json").stdout)
        self.assertEqual([each["worktrees"] for each in found], [2, 0])
        self.assertIn("has not reported", found[1]["detail"])
        self.assertNotIn("age_ms", found[1])
        # An invalid name, and an invalid file.
        answer = run("workspaces", "report", "--to", hub.url, "--name", "a/b", "--hub-token-file", str(machine.token))
        self.assertEqual(answer.returncode, 64, answer.stderr)
        answer = run("serve", "--data", str(self.folder / "x"), "--workspaces-hub", str(self.folder / "nothing"))
        self.assertEqual(answer.returncode, 66, answer.stderr)
        self.assertIn("nothing", answer.stderr)
        self.assertNotIn("Usage", answer.stderr)
        self.assertEqual(os.stat(self.file).st_mode & 0o077, 0)


if __name__ == "__main__":
    unittest.main()
