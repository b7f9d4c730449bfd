"""catnip's client at a server that speaks its language, and native clients at the same server."""

from __future__ import annotations

import copy
import json
import re
import threading
import unittest
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

try:
    from jsonschema import Draft202012Validator
except ImportError:
    Draft202012Validator = None

from neutral_agent import NeutralAgent
from program import Folder, run, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from test_workspaces_contract import DOCUMENT, closed
from workspaces import Stream, Workspaces, git, repository

LIST = "/v1/git/worktrees"
#: The fields of each of its client's requests, also of those without a body.
FIELDS = {"Content_Type": "application/json", "X_Codespace_Name": "a-codespace"}
WHOLE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)")
TODOS = [
    {"content": "Read", "status": "completed"}, {"content": "Write", "status": "in_progress"},
    {"content": "Ask", "status": "blocked"}, {"content": "Dance", "status": "cancelled"},
]
ADDRESSES = [
    ("GET", "/v1/sessions/workspace?workspace=x"), ("GET", "/v1/sessions"), ("GET", "/v1/sessions/active"),
    ("GET", "/v1/claude/sessions"), ("GET", "/v1/claude/session?worktree_path=x"),
    ("GET", "/v1/claude/todos?worktree_path=x"), ("GET", "/v1/claude/latest-message?worktree_path=x"),
    ("GET", "/v1/auth/status"), ("GET", "/v1/codespace"), ("GET", "/v1/pty?session=x"), ("GET", "/v1/pty/status"), ("POST", "/v1/pty/start"), ("POST", "/v1/pty/prompt"), ("POST", "/v1/claude/messages"),
    ("POST", LIST + "/x/pr"), ("PUT", LIST + "/x/pr"),
]


#: What its client asks from its start to the deletion of a worktree, in its order.
STEPS = [
    "GET /v1/auth/status", "GET /v1/codespace", "GET /v1/info", "GET /v1/git/worktrees", "GET /v1/claude/settings", "GET /v1/claude/sessions",
    "GET /v1/sessions/workspace/ID", "GET /v1/sessions/workspace?workspace=PATH",
    "GET /v1/claude/latest-message?worktree_path=PATH", "GET /v1/git/worktrees/ID/diff",
    "GET /v1/sessions/workspace/ID", "GET /v1/sessions/workspace/ID", "GET /v1/sessions/workspace/ID",
    "GET /v1/git/branches/local%2Fmain", "POST /v1/git/checkout/local/main?branch=main; the answer is lost on the way",
    "POST /v1/git/checkout/local/main?branch=main, asked again", "GET /v1/git/worktrees", "DELETE /v1/git/worktrees/ID",
    "GET /v1/git/worktrees", "GET /v1/info",
]


class Original(BaseHTTPRequestHandler):
    """A little of the server that the client was written for, with its unquoted tags; it notes what it is asked."""

    protocol_version = "HTTP/1.1"
    tag = "5f3c" * 16
    nameless = {"id": "2", "branch": "sun", "repo_id": "acme/shop", "path": "/workspace/shop/sun"}
    worktree = {
        "id": "1", "name": "shop/moon", "branch": "moon", "repo_id": "acme/shop", "path": "/workspace/shop/moon",
        "claude_activity_state": "inactive", "last_accessed": "2026-11-23T08:30:31.123456789Z",
    }

    def do_GET(self) -> None:
        self.server.asked.append((self.path, dict(self.headers.items())))
        # It does not know what a native client adds.
        self.path = self.path.partition("?since=")[0]
        if self.path == "/v1/codespace":
            body = b'event: status\ndata: {"message":"Starting"}\n\nevent: success\ndata: {"message":"Connected"}\n\n'
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        answers = {"/v1/auth/status": {"authenticated": True}, "/v1/info": {"version": "0.9"}, LIST: getattr(self.server, "list", [self.worktree]),
                   "/v1/claude/sessions": {}, "/v1/claude/settings": {"authenticated": False}}
        body = json.dumps(answers[self.path]).encode() if self.path in answers else b""
        status = 200 if body else 404
        if self.path == LIST and self.headers.get("If-None-Match") == self.tag:
            status, body = 304, b""
        self.send_response(status)
        if self.path == LIST:
            self.send_header("ETag", self.tag)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


class CatnipTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.base = self.folder.path.resolve()
        self.main = repository(self.base / "work" / "main")
        self.logs = self.base / "logs"

    def serve(self, *options: str, **more) -> Workspaces:
        """A server of the repository."""
        return self.enterContext(Workspaces(
            self.folder, "--claude-home", str(self.base / "none"), "--codex-home", str(self.base / "none"),
            "--agent-logs", str(self.logs), *options, roots=[self.main.parent], **more,
        ))

    def agent(self, server: Workspaces) -> dict:
        """A worktree in which an agent works, with todos in words of its own and two tools in use."""
        tree = self.base / "work" / "tree"
        git(self.main, "worktree", "add", "-q", "-b", "tree", str(tree))
        agent = self.tester = NeutralAgent(self.logs, tree, "claude")
        self.addCleanup(agent.close)
        agent.works("Make it so.")
        agent.tell("title", text="So it is")
        agent.tell("message", text="I am on it.")
        agent.tell("todos", todos=TODOS)
        for number, name in enumerate(("Bash", "Bash", "Read")):
            agent.tell("tool", id=str(number), name=name, text="x")
        until(lambda: any(len(each["todos"]) == 4 for each in server.worktrees()))
        # Known once its repository was looked at, which agents do not wait for.
        until(lambda: server.named("tree")["created_at"] and server.named("tree")["last_accessed"])
        return server.named("tree")

    def session(self, server: Workspaces, it: dict) -> dict:
        """Its session once all three tools are in use."""
        place = f"/v1/sessions/workspace/{it['id']}"

        def used() -> int:
            names = server.ask(place)[2].get("stats", {}).get("activeToolNames", [])
            return sum(names.values()) if isinstance(names, dict) else len(names)

        until(lambda: used() == 3)
        status, _, session = server.ask(place, **FIELDS)
        self.assertEqual(status, 200, session)
        return session

    def test_a_session_and_a_list_with_everything(self):
        server = self.serve("--speak", "catnip")
        it = self.agent(server)
        self.assertEqual([each["status"] for each in it["todos"]], ["completed", "in_progress", "pending", "completed"])
        self.assertEqual([each.get("originalStatus") for each in it["todos"]], [None, None, "blocked", "cancelled"])
        for name in ("created_at", "last_accessed"):
            self.assertRegex(it[name], WHOLE.pattern + "$")
        session = self.session(server, it)
        self.assertEqual(session["stats"]["activeToolNames"], {"Bash": 2, "Read": 1})
        self.assertIs(type(session["sessionInfo"]["lastDuration"]), int)
        self.assertRegex(session["sessionInfo"]["sessionStartTime"], WHOLE.pattern + "$")
        self.assertEqual(session["todos"], it["todos"])
        # The same by its path, as older builds of the app ask.
        path = urllib.parse.quote(it["path"], safe="")
        status, fields, same = server.ask(f"/v1/sessions/workspace?workspace={path}", **FIELDS)
        self.assertEqual((status, same["sessionInfo"]["worktreePath"]), (200, it["path"]))
        # The tag comes back as it went.
        until(lambda: server.ask(f"/v1/sessions/workspace/{it['id']}", If_None_Match=server.ask(
            f"/v1/sessions/workspace/{it['id']}")[1]["etag"], **FIELDS)[0] == 304)

        status, _, message = server.ask(f"/v1/claude/latest-message?worktree_path={it['path']}", **FIELDS)
        self.assertEqual((status, message), (200, {"content": it["latest_claude_message"], "isError": False}))
        quiet = server.named("main")
        self.assertEqual(server.ask(f"/v1/claude/latest-message?worktree_path={quiet['path']}")[2]["content"], "")
        self.assertEqual(server.ask("/v1/claude/latest-message?worktree_path=/nowhere")[0], 404)
        # A path is the same with slashes behind it.
        for slashes in ("/", "//"):
            for path in ("/v1/claude/latest-message?worktree_path=", "/v1/claude/session?worktree_path=", "/v1/sessions/workspace?workspace="):
                self.assertEqual(server.ask(path + it["path"] + slashes)[0], 200, path + slashes)
        self.assertEqual(server.ask("/v1/claude/latest-message")[0], 400)
        self.assertEqual(server.ask(f"/v1/claude/todos?worktree_path={it['path']}")[2], it["todos"])
        status, _, summaries = server.ask("/v1/claude/sessions", **FIELDS)
        self.assertEqual((status, list(summaries)), (200, [it["path"]]))
        self.assertIs(type(summaries[it["path"]]["turnCount"]), int)
        self.assertIs(summaries[it["path"]]["isActive"], True)
        self.assertEqual(server.ask(f"/v1/claude/session?worktree_path={it['path']}")[2], summaries[it["path"]])
        self.assertEqual(server.ask(f"/v1/claude/session?worktree_path={quiet['path']}")[0], 404)
        for address in ("/v1/sessions", "/v1/sessions/active"):
            record = server.ask(address)[2][it["path"]]
            self.assertEqual(record["claude_session_uuid"], session["sessionInfo"]["currentSessionId"])
            self.assertNotIn("ended_at", record)
        self.assertEqual(server.ask("/v1/auth/status", **FIELDS)[2], {"authenticated": True})
        self.assertEqual(server.ask("/v1/info", **FIELDS)[0], 200)
        for method, address in ADDRESSES[-7:]:
            status, _, problem = server.ask(address, method, None if method == "GET" else {}, **FIELDS)
            self.assertEqual((status, problem["title"]), (501, "Not Implemented"), problem)
            self.assertTrue(problem["error"])
        # The app shows the title of a problem that it does not know.
        for method, address in (("DELETE", LIST + "/nope"), ("GET", LIST + "/nope/diff"), ("POST", "/v1/git/checkout/a/nope?branch=main")):
            status, _, problem = server.ask(address, method, {} if method == "POST" else None, **FIELDS)
            self.assertEqual((status, problem["title"]), (404, "Not Found"), problem)

        # What native clients are told holds here too, to the last member.
        if Draft202012Validator is not None:
            schemas = closed(copy.deepcopy(json.loads(DOCUMENT.read_text())["components"]["schemas"]))
            for name, value in (("Session", session), ("Worktree", it), ("Worktree", quiet)):
                whole = {"components": {"schemas": schemas}, **{"$ref": f"#/components/schemas/{name}"}}
                faults = [error.message[:200] for error in Draft202012Validator(whole).iter_errors(value)]
                self.assertEqual(faults, [], name)

        answer = run("workspaces", "--server", server.url, "--json")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        native = next(each for each in json.loads(answer.stdout) if each["id"] == it["id"])
        self.assertEqual([each["status"] for each in native["todos"]], [each["status"] for each in TODOS])

        # Events carry the same.
        stream = Stream(server)
        self.addCleanup(stream.close)
        _, event = stream.wait(lambda event: event["type"] == "snapshot")
        shown = next(each for each in event["payload"]["worktrees"] if each["id"] == it["id"])
        self.assertEqual(shown["todos"], it["todos"])
        _, _, delta = server.ask(f"{LIST}?since=0")
        self.assertEqual(next(each for each in delta["changed"] if each["id"] == it["id"])["todos"], it["todos"])
        _, _, batch = server.ask("/v1/batch", "POST", {"requests": [{"path": f"{LIST}/{it['id']}"}]})
        self.assertEqual(batch["responses"][0]["body"]["todos"], it["todos"])
        self.tester.tell("todos", todos=[{"content": "Rest", "status": "deferred"}])
        for kind, place in (("worktree:todos_updated", "todos"), ("worktree:updated", "updates")):
            _, event = stream.wait(lambda event: event["type"] == kind and "Rest" in json.dumps(event["payload"]))
            found = event["payload"][place]
            entry = (found if isinstance(found, list) else found["todos"])[0]
            self.assertEqual((entry["status"], entry["originalStatus"]), ("pending", "deferred"))

    def play(self, server: str, *options: str) -> tuple[int, dict]:
        """What comes of playing the client; its waits are short, its limits are its own."""
        answer = run("compat", server, "--as", "catnip", "--pace", "50", "--json", *options)
        self.assertIn(answer.returncode, (0, 1), answer.stderr)
        return answer.returncode, json.loads(answer.stdout)

    def world(self, *options: str) -> tuple[Workspaces, dict]:
        """A server, and a worktree in which an agent works and something is changed."""
        server = self.serve(*options)
        it = self.agent(server)
        (Path(it["path"]) / "new.txt").write_text("new\n")
        self.session(server, it)
        until(lambda: server.named("tree")["is_dirty"])
        return server, it

    def client_at(self, latency: int) -> None:
        server, it = self.world("--speak", "catnip")
        code, report = self.play(server.url, "--latency-ms", str(latency), "--with", f"workspace={it['path']}",
                                 "--with", "create=local/main")
        self.assertEqual([step for step in report["steps"] if not step["passed"]], [])
        self.assertEqual((code, report["passed"], report["latencyMs"]), (0, True, latency))
        asked = [re.sub(r"/(?!v1)[0-9a-f-]{36}", "/ID", step["asked"]).replace(it["path"], "PATH")
                 for step in report["steps"]]
        self.assertEqual(asked, STEPS)
        self.assertEqual(len(git(self.main, "worktree", "list").splitlines()), 2)

    def test_its_client_at_a_server_nearby(self):
        self.client_at(0)

    def test_its_client_over_a_network(self):
        self.client_at(40)

    def test_its_client_over_a_slow_network(self):
        self.client_at(300)

    def test_a_server_that_does_not_speak_breaks_it(self):
        server, it = self.world()
        code, report = self.play(server.url, "--with", f"workspace={it['path']}", "--with", "create=local/main")
        self.assertEqual((code, report["passed"]), (1, False))
        faults: dict[str, list[str]] = {}
        for step in report["steps"]:
            faults.setdefault(step["asked"], []).extend(step["faults"])
        self.assertIn("status: expected 200, found 404", faults["GET /v1/auth/status"][0])
        self.assertIn("[1].todos[2].status", "".join(faults["GET /v1/git/worktrees"]))
        session = "".join(faults[f"GET /v1/sessions/workspace/{it['id']}"])
        self.assertIn("stats.activeToolNames: expected an object", session)
        lost = [step for step in report["steps"] if step["asked"].startswith("POST /v1/git/checkout")]
        self.assertIn("status: expected 200, found 201", lost[0]["faults"][0])

    def test_it_asks_as_its_client_does(self):
        original = ThreadingHTTPServer(("127.0.0.1", 0), Original)
        original.asked = []
        thread = threading.Thread(target=original.serve_forever, daemon=True)
        thread.start()
        self.addCleanup(original.server_close)
        self.addCleanup(original.shutdown)
        code, report = self.play(f"http://127.0.0.1:{original.server_port}", "--with", "token=abc", "--with", "polls=2")
        self.assertEqual(code, 1)
        for path, fields in original.asked:
            self.assertEqual(fields["Authorization"], "Bearer abc", path)
            self.assertEqual(fields["Content-Type"], "application/json", path)
            self.assertEqual(fields.get("X-Codespace-Name"), None if path == "/v1/auth/status" else "compat", path)
        # The tag goes back as it came, without quotes.
        tags = [fields.get("If-None-Match") for path, fields in original.asked if path == LIST]
        self.assertEqual(tags, [None, Original.tag, Original.tag])
        failed = {step["asked"]: "".join(step["faults"]) for step in report["steps"] if not step["passed"]}
        self.assertIn("[0].last_accessed", failed.pop("GET " + LIST))
        self.assertIn("the client shows a sheet", failed.pop("GET /v1/claude/settings"))
        self.assertIn("Failed to fetch message", failed.pop(
            "GET /v1/claude/latest-message?worktree_path=/workspace/shop/moon"))
        self.assertEqual(failed, {})

    def test_a_repeated_create_makes_one_worktree(self):
        server = self.serve("--speak", "catnip")
        place = "/v1/git/checkout/local/main?branch=main"
        answers: list[tuple] = []

        def create() -> None:
            answers.append(server.ask(place, "POST", **FIELDS))

        # The first answer is lost on the way, and the person asks again and again.
        threads = [threading.Thread(target=create) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        create()
        self.assertEqual([status for status, _, _ in answers], [200] * 4, answers)
        made = {body["worktree"]["id"] for _, _, body in answers}
        self.assertEqual(len(made), 1)
        self.assertEqual(len(git(self.main, "worktree", "list").splitlines()), 2)
        self.assertTrue({"id", "name", "branch", "repo_id", "path"} <= set(answers[0][2]["worktree"]))
        # It is in use, so another one is created.
        path = Path(answers[0][2]["worktree"]["path"])
        (path / "mine.txt").write_text("mine\n")
        create()
        self.assertNotIn(answers[-1][2]["worktree"]["id"], made)
        self.assertEqual(len(git(self.main, "worktree", "list").splitlines()), 3)
        # What is done to one that git shows as clean is use too.
        (self.main / ".git/info/exclude").write_text("*.ignored\nnode_modules/\n")
        self.assertEqual(self.after_use(server, lambda path: (path / "notes.ignored").write_text("mine\n")), 1)
        self.assertEqual(self.after_use(server, self.stash), 1)
        # A stash of another worktree, and a folder that tools make again, are not part of it.
        self.assertEqual(self.after_use(server, lambda _: self.stash(self.main)), 0)
        self.assertEqual(self.after_use(server, self.remade), 0)
        # What is named is made, or refused.
        self.assertEqual(server.ask(place, "POST", {"name": "main-x"}, **FIELDS)[0], 200)
        self.assertEqual(server.ask(place, "POST", {"name": "main-x"}, **FIELDS)[0], 409)
        # And deleted, as its client does it.
        (path / "mine.txt").unlink()
        self.assertEqual(server.ask(f"{LIST}/{made.pop()}", "DELETE", **FIELDS)[0], 200)
        self.assertFalse(path.exists())

    def after_use(self, server: Workspaces, use) -> int:
        """How many worktrees a checkout makes that comes after the newest one was used."""
        place = "/v1/git/checkout/local/main?branch=main"
        newest = server.ask(place, "POST", **FIELDS)[2]["worktree"]
        use(Path(newest["path"]))
        again = server.ask(place, "POST", **FIELDS)[2]["worktree"]
        return int(again["id"] != newest["id"])

    @staticmethod
    def stash(path: Path) -> None:
        """Changes a file of a worktree and puts the change aside."""
        (path / "dir0" / "file0.txt").write_text("aside\n")
        git(path, "stash")

    @staticmethod
    def remade(path: Path) -> None:
        """Fills a folder that git ignores and any package manager makes again."""
        (path / "node_modules").mkdir()
        (path / "node_modules" / "x.js").write_text("x\n")

    def test_beside_it_a_native_create_is_as_ever(self):
        server = self.serve("--speak", "catnip")
        wanted = {"repository": server.named("main")["repo_id"], "name": "fresh", "source": "main"}
        self.assertEqual(server.ask(LIST, "POST", wanted)[0], 201)
        self.assertEqual(server.ask(LIST, "POST", wanted)[0], 409)
        # The checkout has another status, and the document of the API says so.
        document = json.loads(DOCUMENT.read_text())["paths"]["/v1/git/checkout/{owner}/{repository}"]["post"]["responses"]
        status, _, answer = server.ask("/v1/git/checkout/local/main?branch=main", "POST", {})
        self.assertIn(str(status), document)
        self.assertIn("worktree", answer)

    def test_our_client_reads_its_server(self):
        original = ThreadingHTTPServer(("127.0.0.1", 0), Original)
        original.asked = []
        thread = threading.Thread(target=original.serve_forever, daemon=True)
        thread.start()
        self.addCleanup(original.server_close)
        self.addCleanup(original.shutdown)
        original.list = [Original.worktree | {"claude_activity_state": "active"}, Original.nameless,
                         Original.worktree | {"id": "3", "path": "/w/3", "claude_activity_state": "running"}]
        answer = run("workspaces", "--server", f"http://127.0.0.1:{original.server_port}", "--json")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        shown = {each["id"]: each["activity"]["state"] for each in json.loads(answer.stdout)}
        self.assertEqual(shown, {"1": "working", "3": "idle"})
        self.assertIn("unreadable: [1].name", answer.stderr)

    def test_without_speak_nothing_of_it_is_there(self):
        server = self.serve()
        it = self.agent(server)
        self.assertEqual([each["status"] for each in it["todos"]], [each["status"] for each in TODOS])
        self.assertFalse(any("originalStatus" in each for each in it["todos"]))
        session = self.session(server, it)
        self.assertEqual(sorted(session["stats"]["activeToolNames"]), ["Bash", "Bash", "Read"])
        self.assertNotIn("allSessions", session)
        for method, address in ADDRESSES:
            # The item that a name of the list's address leads to is an address of its own.
            if method == "GET" or address.startswith("/v1/c") or address.startswith("/v1/p"):
                self.assertEqual(server.ask(address, method, None if method == "GET" else {})[0], 404, address)
        self.assertEqual(server.ask("/v1/git/checkout/local/main", "POST")[0], 201)
        self.assertEqual(server.ask("/v1/git/checkout/local/main", "POST")[0], 201)
        self.assertEqual(len(git(self.main, "worktree", "list").splitlines()), 4)

    def test_pages_of_others_and_strangers_get_nothing(self):
        token = "a-token-of-a-person"
        server = self.serve("--speak", "catnip", environment={"FRESHET_TOKEN": token})
        for method, address in ADDRESSES:
            body = None if method == "GET" else {}
            status, fields, _ = server.ask(address, method, body)
            self.assertEqual(status, 401, address)
            self.assertNotIn("access-control-allow-origin", fields, address)
            status, fields, _ = server.ask(
                address, method, body, Origin="https://elsewhere.example", Authorization=f"Bearer {token}")
            self.assertEqual(status, 403, address)
            self.assertNotIn("access-control-allow-origin", fields, address)
            status, _, _ = server.ask(address, "OPTIONS", Origin="https://elsewhere.example",
                                      Access_Control_Request_Method=method)
            self.assertGreaterEqual(status, 400, address)
        self.assertEqual(server.ask("/v1/auth/status", Authorization=f"Bearer {token}", **FIELDS)[0], 200)


if __name__ == "__main__":
    unittest.main()
