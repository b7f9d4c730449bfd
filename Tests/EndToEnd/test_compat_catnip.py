"""catnip's client at a server that speaks its language, and native clients at the same server."""

from __future__ import annotations

import json
import re
import threading
import unittest
import urllib.parse
from pathlib import Path

from neutral_agent import NeutralAgent
from program import Folder, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401
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
    ("GET", "/v1/auth/status"), ("POST", "/v1/pty/start"), ("POST", "/v1/pty/prompt"), ("POST", "/v1/claude/messages"),
    ("POST", LIST + "/x/pr"), ("PUT", LIST + "/x/pr"),
]


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
        agent = NeutralAgent(self.logs, tree, "claude")
        self.addCleanup(agent.close)
        agent.works("Make it so.")
        agent.tell("title", text="So it is")
        agent.tell("message", text="I am on it.")
        agent.tell("todos", todos=TODOS)
        for number, name in enumerate(("Bash", "Bash", "Read")):
            agent.tell("tool", id=str(number), name=name, text="x")
        until(lambda: any(len(each["todos"]) == 4 for each in server.worktrees()))
        return server.named("tree")

    def session(self, server: Workspaces, it: dict) -> dict:
        """Its session once all three tools are in use."""
        place = f"/v1/sessions/workspace/{it['id']}"
        until(lambda: len(server.ask(place)[2].get("stats", {}).get("activeToolNames", [])) >= 2)
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
        for method, address in ADDRESSES[-5:]:
            status, _, problem = server.ask(address, method, {}, **FIELDS)
            self.assertEqual(status, 501, problem)
            self.assertTrue(problem["error"])

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
        # Somebody uses it: then one more is meant.
        path = Path(answers[0][2]["worktree"]["path"])
        (path / "mine.txt").write_text("mine\n")
        create()
        self.assertNotIn(answers[-1][2]["worktree"]["id"], made)
        self.assertEqual(len(git(self.main, "worktree", "list").splitlines()), 3)
        # What is named is made, or refused.
        self.assertEqual(server.ask(place, "POST", {"name": "main-x"}, **FIELDS)[0], 200)
        self.assertEqual(server.ask(place, "POST", {"name": "main-x"}, **FIELDS)[0], 409)
        # And deleted, as its client does it.
        (path / "mine.txt").unlink()
        self.assertEqual(server.ask(f"{LIST}/{made.pop()}", "DELETE", **FIELDS)[0], 200)
        self.assertFalse(path.exists())

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
