"""The answers about worktrees have the form that the OpenAPI document of workspaces says."""

from __future__ import annotations

import copy
import json
import re
import unittest
from pathlib import Path

try:
    from jsonschema import Draft202012Validator
except ImportError:
    Draft202012Validator = None

from program import Folder, run, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import Stream, Workspaces, git, repository

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "Sources/Programs/CWebAssets/Public/api/openapi-workspaces.json"
LIST = "/v1/git/worktrees"
METHODS = ("get", "post", "delete")


def closed(schema: object) -> object:
    """The same schema, in which a member that is not described is a fault: the server tells nothing more."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: closed(each) for name, each in schema.items()}
    if "properties" in found and found.get("type") == "object":
        found["additionalProperties"] = False
    return found


@unittest.skipIf(Draft202012Validator is None, "jsonschema is not there")
class ContractTest(unittest.TestCase):
    #: What the server is started with beside its folders, and the status of a checkout then.
    options: tuple[str, ...] = ()
    checkout = 201

    @classmethod
    def setUpClass(cls):
        cls.document = json.loads(DOCUMENT.read_text())
        cls.schemas = closed(copy.deepcopy(cls.document["components"]["schemas"]))

    def setUp(self):
        self.asked: set[tuple[str, str]] = set()

    def faults(self, schema: object, value: object) -> list[str]:
        whole = {"components": {"schemas": self.schemas}, **closed(schema)}
        return [f"{error.json_path}: {error.message[:200]}" for error in Draft202012Validator(whole).iter_errors(value)]

    def ask(self, path: str, target: str, method: str = "GET", status: int | None = 200, body: object = None, **fields: str):
        """Asks, and compares status, type and form with the document; any status the document knows with None."""
        operation = self.document["paths"][path][method.lower()]
        self.asked.add((path, method.lower()))
        code, names, content = self.server.ask(target, method, body, **fields)
        answers = operation["responses"]
        if status is None:
            self.assertIn(str(code), answers, content)
        else:
            self.assertEqual(code, status, content)
        described = answers.get(str(code)) or answers["default"]
        if code == 304:
            self.assertIsNone(content)
        else:
            kind = names["content-type"].split(";")[0]
            self.assertEqual(kind, "application/problem+json" if code >= 400 else "application/json")
            self.assertEqual(self.faults(described["content"][kind]["schema"], content), [], target)
        for name, field in described.get("headers", {}).items():
            if field.get("required"):
                self.assertIn(name.lower(), names, target)
        return content, names

    def ask_again(self, path: str, target: str):
        """Asks with the tag of the answer before, until nothing has changed in between: what git and agents did is still being read."""
        def is_unchanged() -> bool:
            _, names = self.ask(path, target)
            return self.ask(path, target, status=None, If_None_Match=names["etag"])[0] is None

        until(is_unchanged)

    def test_the_document_is_sound(self):
        self.assertEqual(self.document["openapi"], "3.1.0")
        names = []
        for path, item in self.document["paths"].items():
            declared = {each["name"] for each in item.get("parameters", []) if each["in"] == "path"}
            self.assertEqual(declared, set(re.findall(r"{(\w+)}", path)), path)
            names += [item[method]["operationId"] for method in METHODS if method in item]
        self.assertEqual(len(names), len(set(names)))
        text = json.dumps(self.document)
        for name in set(re.findall(r'"#/components/schemas/(\w+)"', text)):
            self.assertIn(name, self.schemas)
            Draft202012Validator.check_schema(self.schemas[name])
        used = set(re.findall(r'"#/components/schemas/(\w+)"', text))
        self.assertEqual(set(self.schemas) - used - {"Envelope", "Snapshot"}, set(), "every schema is used")
        # A wrong answer is a fault.
        self.assertNotEqual(self.faults({"$ref": "#/components/schemas/Info"}, {"name": 1, "version": "1"}), [])
        self.assertNotEqual(self.faults({"$ref": "#/components/schemas/Info"}, {"name": "a", "version": "1", "x": 1}), [])

    def test_every_operation_answers_as_described(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        base = folder.path.resolve()
        main = repository(base / "work" / "main")
        trees = []
        for number in range(3):
            tree = base / "work" / f"tree{number}"
            git(main, "worktree", "add", "-q", "-b", f"branch{number}", str(tree))
            trees.append(tree)
        home = base / "agents"
        answer = run(
            "agent-sim", "--home", str(home), "--minutes", "8", "--pace", "120", "--seed", "2", "--edit", "--commit",
            "--truth", "/dev/null", "--worktrees", str(trees[0]), str(trees[1]),
        )
        self.assertEqual(answer.returncode, 0, answer.stderr)
        # A rebase that waits, with conflicts.
        for place, text in ((main, "ours\n"), (trees[2], "theirs\n")):
            (place / "dir0" / "file0.txt").write_text(text)
            git(place, "commit", "-q", "-a", "-m", text)
        git(trees[2], "rebase", "main", check=False)
        answer = run("workspaces", "token", "laptop", "--machines-file", str(base / "machines"))
        self.assertEqual(answer.returncode, 0, answer.stderr)
        secret = answer.stdout.strip()
        self.server = self.enterContext(Workspaces(
            folder, "--workspaces-hub", str(base / "machines"), "--claude-home", str(home / "claude"), "--codex-home", str(home / "codex"), "--agent-logs",
            str(home / "agents"), *self.options, roots=[main.parent],
        ))
        until(lambda: len(self.server.worktrees()) == 4 and self.server.named("tree2")["has_conflicts"])
        until(lambda: self.server.named("tree0")["todos"] and self.server.named("tree1")["todos"])
        self.assertEqual(self.server.ask("/openapi-workspaces.json")[2], self.document)

        content, names = self.ask(LIST, LIST)
        self.ask(LIST, f"{LIST}?since=0")
        self.ask(LIST, f"{LIST}?since={names['etag'].strip(chr(34))}")
        self.ask_again(LIST, LIST)
        for each in content:
            place = f"{LIST}/{each['id']}"
            self.ask_again(LIST + "/{id}", place)
            self.ask(LIST + "/{id}/diff", f"{place}/diff")
            self.ask(LIST + "/{id}/refresh", f"{place}/refresh", "POST")
            _, _, session = self.server.ask(f"/v1/sessions/workspace/{each['id']}")
            self.ask("/v1/sessions/workspace/{id}", f"/v1/sessions/workspace/{each['id']}",
                     status=404 if "error" in session else 200)
        tree = f"{LIST}/{self.server.named('tree0')['id']}"
        for name in ("merge", "sync"):
            self.ask(f"{LIST}/{{id}}/{name}/check", f"{tree}/{name}/check")
        self.ask("/v1/git/branches/{repository}", "/v1/git/branches/local/main")
        self.ask("/v1/info", "/v1/info")
        self.ask(LIST + "/{id}", f"{LIST}/nothing", status=404)
        self.ask(LIST + "/{id}/diff", f"{LIST}/nothing/diff", status=404)
        self.ask("/v1/batch", "/v1/batch", "POST", body={"requests": [{"path": LIST}, {"path": f"{LIST}/nothing"}]})
        self.ask("/v1/batch", "/v1/batch", "POST", status=400, body={"requests": 1})
        self.assertGreater(self.server.metric("freshet_workspaces"), 0)
        self.asked.add(("/v1/metrics", "get"))
        stream = Stream(self.server)
        self.addCleanup(stream.close)
        _, event = stream.wait(lambda event: event["type"] == "snapshot")
        self.assertEqual(self.faults({"$ref": "#/components/schemas/Snapshot"}, event["payload"]), [])
        self.asked.add(("/v1/events", "get"))

        # A configuration that names a program: shown, trusted, and not any more.
        git(main, "config", "filter.none.clean", "cat")
        until(lambda: "trust" in self.server.named("tree0")["git"])
        content, _ = self.ask(LIST + "/{id}", tree)
        self.ask(LIST + "/{id}/trust", f"{tree}/trust", "POST", status=409, body={"digest": "none"})
        self.ask(LIST + "/{id}/trust", f"{tree}/trust", "POST", body={"digest": content["git"]["trust"]["digest"]})
        self.ask(LIST + "/{id}/trust", f"{tree}/trust", "DELETE")
        git(main, "config", "--remove-section", "filter.none")
        until(lambda: not any("trust" in each["git"] for each in self.server.worktrees()))

        # What changes something: made, brought together, removed.
        made, _ = self.ask(LIST, LIST, "POST", status=201, body={"repository": "local/main", "branch": "made"})
        place = f"{LIST}/{made['worktree']['id']}"
        self.ask(LIST, LIST, "POST", status=409, body={"repository": "local/main", "branch": "made"})
        self.ask("/v1/git/checkout/{owner}/{repository}", "/v1/git/checkout/local/main?branch=main", "POST", status=self.checkout)
        code, _, _ = self.server.ask(f"{place}/seen", "POST")
        self.assertIn(code, (200, 202, 204))
        self.asked.add((LIST + "/{id}/seen", "post"))
        self.ask(LIST + "/{id}/sync", f"{place}/sync", "POST", body={})
        (Path(made["worktree"]["path"]) / "new").write_text("new\n")
        self.ask(LIST + "/{id}", place, "DELETE", status=409)
        (Path(made["worktree"]["path"]) / "new").unlink()
        (Path(made["worktree"]["path"]) / "dir1" / "file1.txt").write_text("made\n")
        git(Path(made["worktree"]["path"]), "commit", "-q", "-a", "-m", "made")
        self.ask(LIST + "/{id}/merge", f"{place}/merge", "POST", body={})
        self.ask(LIST + "/{id}", place, "DELETE")
        points, _ = self.ask("/v1/git/restore", "/v1/git/restore")
        self.assertEqual([each["kind"] for each in points], ["delete", "merge"])
        self.ask("/v1/git/restore/{id}", f"/v1/git/restore/{points[0]['id']}", "POST")
        self.ask("/v1/git/restore/{id}", f"/v1/git/restore/{points[1]['id']}", "DELETE")
        self.ask("/v1/git/restore/{id}", f"/v1/git/restore/{points[1]['id']}", "POST", status=404)
        self.ask("/v1/git/omissions", "/v1/git/omissions")
        # Another machine reports a worktree as this server shows it, and is silent then.
        self.assertEqual([each["state"] for each in self.ask("/v1/machines", "/v1/machines")[0]], ["unreachable"])
        report = {"instance": "one", "sequence": 1, "age_ms": 0, "clock_ms": 0, "changed": self.server.worktrees()}
        self.assertEqual(self.faults({"$ref": "#/components/schemas/Report"}, report), [])
        place = "/v1/machines/laptop/report"
        self.ask("/v1/machines/{name}/report", place, "POST", status=401, body=report)
        self.assertEqual(self.server.ask(place, "POST", report, Authorization=f"Bearer {secret}")[0], 204)
        content, _ = self.ask(LIST, LIST)
        self.assertEqual({each["machine"]["name"] for each in content if "machine" in each}, {"laptop"})
        self.assertEqual([each["state"] for each in self.ask("/v1/machines", "/v1/machines")[0]], ["live"])
        place = f"{LIST}/{next(each['id'] for each in content if 'machine' in each)}"
        self.ask(LIST + "/{id}/diff", f"{place}/diff", status=409)
        table, _ = self.ask("/v1/git/refusals", "/v1/git/refusals")
        self.assertEqual(len({each["code"] for each in table}), len(table))
        # The page says every refusal of an action in its own words.
        words = {code for code in re.findall(r'"refused-(\w+)"', (DOCUMENT.parent.parent / "messages/en/work.js").read_text())}
        self.assertEqual({each["code"] for each in table if each["status"] in (409, 502, 503, 504, 507)} - words, set())
        every = {(path, method) for path, item in self.document["paths"].items() for method in METHODS if method in item}
        self.assertEqual(every - self.asked, set(), "every operation was asked")


class SpeakingContractTest(ContractTest):
    """Native answers are as described where another client's are served too."""

    options = ("--speak", "catnip")
    checkout = 200
    test_the_document_is_sound = None


if __name__ == "__main__":
    unittest.main()
