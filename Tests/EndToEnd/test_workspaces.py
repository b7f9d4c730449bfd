"""Worktrees over HTTP: conditions, deltas, waits, events, and what people have done."""

from __future__ import annotations

import os
import threading
import time
import unittest
from pathlib import Path

from program import Folder, run, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import Stream, Workspaces, git, repository

LIST = "/v1/git/worktrees"
# What the seed system's app cannot do without, and the types of what it reads beside.
REQUIRED = {"id": str, "repo_id": str, "name": str, "path": str, "branch": str}
READ = {
    "source_branch": str, "has_been_renamed": bool, "commit_hash": str, "commit_count": int,
    "commits_behind": int, "is_dirty": bool, "has_conflicts": bool, "created_at": str,
    "last_accessed": str, "session_title_history": list, "has_active_claude_session": bool,
    "claude_activity_state": str, "has_commits_ahead_of_remote": bool, "todos": list,
    "cache_status": dict, "git": dict, "activity": dict, "revision": int,
}


class WorkspacesTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.root = self.folder.path.resolve() / "work"
        self.main = repository(self.root / "main")
        self.linked = self.root / "linked"
        git(self.main, "worktree", "add", "-q", "-b", "work", str(self.linked))
        self.server = self.enterContext(Workspaces(self.folder, roots=[self.root]))

    def commit(self, folder: Path, text: str, name: str = "dir0/file0.txt") -> None:
        (folder / name).write_text(text)
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", text)

    def until_shown(self, name: str, condition) -> dict:
        until(lambda: condition(self.server.named(name)))
        return self.server.named(name)

    def test_the_list_has_the_names_and_types_of_the_seed_system(self):
        worktrees = self.server.worktrees()
        self.assertEqual([each["path"] for each in worktrees], [str(self.linked), str(self.main)])
        for each in worktrees:
            for name, kind in {**REQUIRED, **READ}.items():
                self.assertIsInstance(each.get(name), kind, name)
            self.assertRegex(each["id"], r"^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$")
            self.assertEqual(each["repo_id"], "local/main")
            self.assertEqual(each["claude_activity_state"], "inactive")
            self.assertEqual(each["cache_status"], {"is_cached": True, "is_loading": False})
            self.assertGreaterEqual(each["git_age_seconds"], 0)
        self.assertEqual(worktrees[0]["name"], "main/linked")
        status, fields, body = self.server.ask(f"{LIST}/{worktrees[0]['id']}")
        self.assertEqual(status, 200)
        for age in ("git_age_seconds", "activity_age_seconds"):
            body.pop(age), worktrees[0].pop(age)
        self.assertEqual(body, worktrees[0])

    def test_a_tag_holds_while_nothing_changes_and_for_no_other_life_of_the_server(self):
        _, fields, worktrees = self.server.ask(LIST)
        tag = fields["etag"]
        self.assertRegex(tag, r'^"[0-9a-f]+-\d+"$')
        identifier = self.server.named("linked")["id"]
        for value in (tag, f"W/{tag}", "*", f'"other", {tag}', tag.strip('"')):
            status, fields, body = self.server.ask(LIST, If_None_Match=value)
            self.assertEqual((status, fields.get("etag"), body), (304, tag, None), value)
            self.assertEqual(fields["cache-control"], "private, no-cache")
        for _ in range(3):
            self.server.ask(f"{LIST}/{identifier}/refresh", "POST")
        self.assertEqual(self.server.ask(LIST, If_None_Match=tag)[0], 304)
        self.assertEqual(self.server.ask(LIST, If_None_Match='"other-1"')[0], 200)
        item = self.server.ask(f"{LIST}/{identifier}")[1]["etag"]
        # A change in one worktree leaves the tag of the other.
        (self.main / "new").write_text("new")
        self.until_shown("main", lambda it: it["is_dirty"])
        self.assertEqual(self.server.ask(LIST, If_None_Match=tag)[0], 200)
        self.assertEqual(self.server.ask(f"{LIST}/{identifier}", If_None_Match=item)[0], 304)
        tag = self.server.ask(LIST)[1]["etag"]
        self.assertEqual(self.server.stop(), 0, self.server.log)
        with Workspaces(self.folder, roots=[self.root]) as again:
            self.assertEqual(again.ask(LIST, If_None_Match=tag)[0], 200)
            self.assertEqual(again.named("linked")["id"], identifier)

    def test_a_delta_has_what_changed_and_what_is_gone(self):
        _, fields, body = self.server.ask(f"{LIST}?since=nothing")
        self.assertTrue(body["full"])
        self.assertEqual(len(body["changed"]), 2)
        revision = body["revision"]
        self.assertEqual(fields["etag"], f'"{revision}"')
        _, _, body = self.server.ask(f"{LIST}?since={revision}")
        self.assertEqual((body["full"], body["changed"], body["removed"]), (False, [], []))
        (self.main / "new").write_text("new")
        self.until_shown("main", lambda it: it["git"]["untracked"] == 1)
        _, _, body = self.server.ask(f"{LIST}?since={revision}")
        self.assertEqual([each["path"] for each in body["changed"]], [str(self.main)])
        identifier = self.server.named("linked")["id"]
        git(self.main, "worktree", "remove", str(self.linked))
        until(lambda: len(self.server.worktrees()) == 1)
        _, _, body = self.server.ask(f"{LIST}?since={revision}")
        self.assertEqual(body["removed"], [identifier])
        generation, number = revision.rsplit("-", 1)
        for unknown in (f"{generation}-{int(number) + 1000}", f"x-{number}", f"{generation}--1"):
            self.assertTrue(self.server.ask(f"{LIST}?since={unknown}")[2]["full"], unknown)

    def test_a_request_that_waits_is_answered_when_something_changes(self):
        _, fields, body = self.server.ask(f"{LIST}?since=")
        for path in (LIST, f"{LIST}/{self.server.named('linked')['id']}", f"{LIST}?since={fields['etag'][1:-1]}"):
            tag = self.server.ask(path)[1]["etag"]
            began = time.monotonic()
            status, fields, _ = self.server.ask(path, If_None_Match=tag, Prefer="wait=1")
            self.assertEqual((status, fields["preference-applied"]), (304, "wait=1"))
            self.assertGreater(time.monotonic() - began, 0.9)
            number = len(list(self.linked.iterdir()))
            threading.Timer(0.3, (self.linked / f"new{number}").write_text, ["new"]).start()
            status, fields, body = self.server.ask(path, If_None_Match=tag, Prefer="wait=30")
            self.assertEqual(status, 200)
            self.assertNotEqual(fields["etag"], tag)

    def test_a_batch_answers_each_part_by_itself(self):
        identifier = self.server.named("linked")["id"]
        tag = self.server.ask(f"{LIST}/{identifier}")[1]["etag"]
        status, _, body = self.server.ask("/v1/batch", "POST", {"requests": [
            {"path": LIST}, {"path": f"{LIST}/{identifier}", "if_none_match": tag},
            {"path": f"{LIST}/{identifier}/diff"}, {"path": f"{LIST}/nobody"},
            {"path": f"/v1/sessions/workspace/{identifier}"}, {"path": "/v1/events"},
        ]})
        self.assertEqual(status, 200)
        self.assertEqual([each["status"] for each in body["responses"]], [200, 304, 200, 404, 404, 404])
        self.assertEqual(len(body["responses"][0]["body"]), 2)
        self.assertNotIn("body", body["responses"][1])
        self.assertEqual(body["responses"][3]["body"]["error"], "worktree_not_found")
        self.assertEqual(body["responses"][4]["body"]["error"], "session_not_found")
        # Queries are read as those of requests are: percent-encoded, and `since` without a value is one.
        revision = self.server.ask(LIST + "?since=")[2]["revision"]
        escaped = revision.replace("-", "%2D")
        queries = ("?since=", "?since", f"?since={revision}", f"?since={escaped}", "?since=+")
        parts = self.server.ask("/v1/batch", "POST", {"requests": [{"path": LIST + each} for each in queries]})[2]
        for query, part in zip(queries, parts["responses"]):
            alone = self.server.ask(LIST + query)[2]
            for found in (part["body"], alone):
                self.assertEqual((found["revision"], found["full"]), (revision, query in ("?since=", "?since", "?since=+")), query)
        too_many = {"requests": [{"path": LIST}] * 33}
        self.assertEqual(self.server.ask("/v1/batch", "POST", too_many)[0], 400)
        status, _, body = self.server.ask("/v1/batch", "POST", {"requests": [{"path": 1}]})
        self.assertEqual((status, body["error"]), (400, "invalid_body"))
        self.assertIn("$.requests[0].path", body["detail"])

    def test_a_diff_has_commits_edits_and_new_files_and_its_tag_holds(self):
        self.commit(self.linked, "committed\n")
        (self.linked / "dir1" / "file1.txt").write_text("edited\n")
        (self.linked / "new file").write_text("one\ntwo\n")
        (self.linked / "pic").write_bytes(b"\0\1")
        (self.linked / "outside").symlink_to("/etc/passwd")
        repository(self.linked / "inner")
        git(self.linked, "rm", "-q", "dir2/file2.txt")
        it = self.until_shown("linked", lambda it: it["git"]["untracked"] == 4 and it["git"]["staged"] == 1)
        path = f"{LIST}/{it['id']}/diff"
        status, fields, body = self.server.ask(path)
        self.assertEqual(status, 200)
        self.assertEqual(body["fork_commit"], git(self.main, "rev-parse", "main").strip())
        found = {each["file_path"]: each for each in body["file_diffs"]}
        self.assertEqual({name: each["change_type"] for name, each in found.items()}, {
            "dir0/file0.txt": "modified", "dir1/file1.txt": "modified", "dir2/file2.txt": "deleted",
            "new file": "added (untracked)", "pic": "added (untracked)", "outside": "added (untracked)",
            "inner/": "added (untracked)",
        })
        self.assertEqual(body["total_files"], 7)
        self.assertIn("+committed", found["dir0/file0.txt"]["diff_text"])
        self.assertIn("+one\n+two\n", found["new file"]["diff_text"])
        self.assertEqual(
            {name: each["omitted"] for name, each in found.items() if "omitted" in each},
            {"pic": "binary", "outside": "symbolic_link", "inner/": "repository"},
        )
        self.assertNotIn("diff_text", found["outside"])
        self.assertEqual(self.server.ask(path, If_None_Match=fields["etag"])[0], 304)
        # The counts stay the same, the diff does not.
        (self.linked / "dir1" / "file1.txt").write_text("edited again\n")
        until(lambda: self.server.ask(path, If_None_Match=fields["etag"])[0] == 200)
        self.assertIn("edited again", str(self.server.ask(path)[2]))

    def test_a_repository_without_a_commit_shows_its_new_files(self):
        for hash in ("sha1", "sha256"):
            folder = self.root / hash
            folder.mkdir()
            git(folder, "init", "-q", f"--object-format={hash}")
            (folder / "staged").write_text("one\n")
            git(folder, "add", "staged")
            (folder / "new").write_text("two\n")
            until(lambda: any(each["path"] == str(folder) for each in self.server.worktrees()))
            it = self.until_shown(hash, lambda it: it["git"]["staged"] == 1 and it["git"]["untracked"] == 1)
            status, _, body = self.server.ask(f"{LIST}/{it['id']}/diff")
            self.assertEqual(status, 200, body)
            self.assertEqual(body["fork_commit"], "")
            texts = {each["file_path"]: each["diff_text"] for each in body["file_diffs"]}
            self.assertEqual(set(texts), {"staged", "new"})
            self.assertIn("+one\n", texts["staged"])
            status, _, body = self.server.ask(LIST, "POST", {"repository": str(folder), "branch": "x"})
            self.assertEqual((status, body["error"]), (400, "invalid_parameter"))
            self.assertIn("no commit yet", body["detail"])

    def test_an_operation_that_waits_without_a_conflict_is_none(self):
        (self.linked / "dir0" / "file0.txt").write_text("edited\n")
        git(self.linked, "commit", "-q", "-a", "-m", "edited")
        git(self.linked, "revert", "--no-commit", "HEAD")
        it = self.until_shown("linked", lambda it: it["git"].get("operation"))
        # The seed system's clients are to show that it needs attention.
        self.assertEqual((it["has_conflicts"], it["git"]["conflict_count"]), (True, 0))
        answer = run("workspaces", "--server", self.server.url, "--status-line")
        self.assertEqual(answer.stdout, "1 dirty\n")
        git(self.linked, "revert", "--abort")
        self.commit(self.main, "other\n")
        git(self.linked, "merge", "main", check=False)
        self.until_shown("linked", lambda it: it["git"]["conflict_count"] == 1)
        self.until_shown("main", lambda it: not it["is_dirty"])
        answer = run("workspaces", "--server", self.server.url, "--status-line")
        self.assertEqual(answer.stdout, "1 in conflict · 1 dirty\n")

    def test_a_stream_begins_with_a_snapshot_and_goes_on_with_what_changed(self):
        stream = Stream(self.server)
        self.addCleanup(stream.close)
        first, event = stream.wait(lambda event: event["type"] == "snapshot")
        self.assertEqual(len(event["payload"]["worktrees"]), 2)
        self.assertEqual(first, event["payload"]["revision"])
        identifier = self.server.named("linked")["id"]
        (self.linked / "new").write_text("new")
        last, event = stream.wait(lambda event: event["type"] == "worktree:updated")
        self.assertEqual(event["payload"]["worktree_id"], identifier)
        updates = event["payload"]["updates"]
        self.assertEqual((updates["is_dirty"], updates["git"]["untracked"]), (True, 1))
        self.assertNotIn("path", updates)
        git(self.main, "worktree", "add", "-q", "-b", "third", str(self.root / "third"))
        stream.wait(lambda event: event["type"] == "worktree:created")
        # git makes a worktree in steps: it may be seen before its branch is.
        stream.wait(lambda event: "third" in (
            event["payload"].get("worktree", {}).get("branch"), event["payload"].get("updates", {}).get("branch"),
        ))
        git(self.main, "worktree", "remove", "--force", str(self.linked))
        stream.wait(lambda event: event["type"] == "worktree:deleted" and event["payload"]["worktree_id"] == identifier)
        stream.close()
        # Coming back with an id that is known: what is missing, without a snapshot.
        again = Stream(self.server, last)
        self.addCleanup(again.close)
        again.wait(lambda event: event["type"] == "worktree:deleted")
        again.wait(lambda event: event["type"] == "worktree:created")
        self.assertFalse([event for _, event in again.events if event["type"] in ("snapshot", "reset")])
        # With one that is not: a reset and a snapshot.
        other = Stream(self.server, "another-7")
        self.addCleanup(other.close)
        other.wait(lambda event: event["type"] == "snapshot")
        self.assertEqual([event["type"] for _, event in other.events][:2], ["reset", "snapshot"])
        # Streams end when the server does.
        self.assertEqual(self.server.stop(), 0, self.server.log)

    def test_worktrees_are_made_and_removed_with_care(self):
        status, fields, body = self.server.ask(LIST, "POST", {"repository": "local/main", "branch": "feature/one"})
        self.assertEqual(status, 201, body)
        made = Path(body["worktree"]["path"])
        self.assertTrue((made / "dir0" / "file0.txt").is_file())
        self.assertEqual(body["worktree"]["branch"], "feature/one")
        place = fields["location"]
        self.assertEqual(self.server.ask(place)[2]["id"], body["worktree"]["id"])
        for asked, status, error in (
            ({"repository": "local/main", "branch": "feature/one"}, 409, "already_exists"),
            ({"repository": "local/main", "branch": "work", "name": "other"}, 409, "already_exists"),
            ({"repository": "local/none", "branch": "x"}, 404, "repository_not_found"),
            ({"repository": "local/main", "name": "../x"}, 400, "invalid_parameter"),
            ({"repository": "local/main", "branch": "a..b", "name": "x"}, 400, "invalid_parameter"),
            ({"repository": "local/main", "branch": "x", "source": "--force"}, 400, "invalid_parameter"),
            ({"branch": "x"}, 400, "invalid_body"),
            ({"repository": "local/main", "branch": "x", "source": "nowhere"}, 400, "invalid_parameter"),
            ({"repository": "local/main", "branch": "x", "source": "a b"}, 400, "invalid_parameter"),
            ({"repository": "local/main", "branch": "x", "source": "HEAD^{tree}"}, 400, "invalid_parameter"),
            ({"repository": "local/main", "branch": "feature"}, 409, "already_exists"),
            ({"repository": "local/main", "branch": "work/more"}, 409, "already_exists"),
        ):
            code, _, body = self.server.ask(LIST, "POST", asked)
            self.assertEqual((code, body["error"]), (status, error), asked)
            self.assertNotIn("fatal", body["detail"])
        # Not committed: the files are named, and nothing is touched.
        (made / "precious").write_text("work")
        code, _, body = self.server.ask(place, "DELETE")
        self.assertEqual((code, body["error"], body["files"]), (409, "worktree_dirty", ["precious"]))
        self.commit(made, "precious work\n")
        code, _, body = self.server.ask(place + "?delete_branch=1", "DELETE")
        self.assertEqual((code, body["error"]), (409, "worktree_unmerged"))
        git(self.main, "worktree", "lock", str(made))
        code, _, body = self.server.ask(place + "?force=1", "DELETE")
        self.assertEqual((code, body["error"]), (409, "worktree_locked"))
        git(self.main, "worktree", "unlock", str(made))
        code, _, body = self.server.ask(place, "DELETE")
        self.assertEqual(code, 200, body)
        self.assertFalse(made.exists())
        self.assertIn("feature/one", git(self.main, "branch", "--list", "feature/one"))
        self.assertEqual(self.server.ask(place, "DELETE")[0], 404)
        code, _, body = self.server.ask(f"{LIST}/{self.server.named('main')['id']}?force=1", "DELETE")
        self.assertEqual((code, body["error"]), (409, "main_worktree"))

    def test_a_merge_and_a_sync_are_checked_first_and_undone_if_they_fail(self):
        place = f"{LIST}/{self.server.named('linked')['id']}"
        self.commit(self.linked, "theirs\n")
        self.commit(self.main, "ours\n")
        self.until_shown("linked", lambda it: (it["commit_count"], it["commits_behind"]) == (1, 1))
        before = [git(folder, "rev-parse", "HEAD") for folder in (self.main, self.linked)]
        for operation in ("merge", "sync"):
            status, _, body = self.server.ask(f"{place}/{operation}/check")
            self.assertEqual((status, body["has_conflicts"], body["conflict_files"]), (200, True, ["dir0/file0.txt"]))
            for strategy in ("rebase", "merge"):
                status, _, body = self.server.ask(f"{place}/{operation}", "POST", {"strategy": strategy})
                self.assertEqual((status, body["error"], body["conflict_files"]), (409, "merge_conflict", ["dir0/file0.txt"]))
                self.assertEqual(body["worktree_path"], str(self.linked))
        self.assertEqual(before, [git(folder, "rev-parse", "HEAD") for folder in (self.main, self.linked)])
        for folder in (self.main, self.linked):
            self.assertEqual(git(folder, "status", "--porcelain"), "")
        git(self.linked, "reset", "-q", "--hard", "HEAD~1")
        self.commit(self.linked, "apart\n", "dir1/file1.txt")
        self.until_shown("linked", lambda it: not it["is_dirty"] and it["commit_count"] == 1)
        self.assertFalse(self.server.ask(f"{place}/sync/check")[2]["has_conflicts"])
        status, _, body = self.server.ask(f"{place}/sync", "POST", {})
        self.assertEqual((status, body["worktree"]["commits_behind"]), (200, 0), body)
        (self.main / "wip").write_text("wip")
        status, _, body = self.server.ask(f"{place}/merge", "POST")
        self.assertEqual((status, body["error"], body["files"]), (409, "worktree_dirty", ["wip"]))
        (self.main / "wip").unlink()
        status, _, body = self.server.ask(f"{place}/merge", "POST", {"squash": True})
        self.assertEqual(status, 200, body)
        self.assertEqual((self.main / "dir1" / "file1.txt").read_text(), "apart\n")
        self.assertEqual(git(self.main, "rev-list", "--merges", "HEAD"), "")

    def test_reading_writes_nothing_in_the_repositories(self):
        self.commit(self.linked, "theirs\n")
        (self.linked / "dir1" / "file1.txt").write_text("edited\n")
        (self.linked / "new").write_text("new\n")
        place = f"{LIST}/{self.until_shown('linked', lambda it: it['git']['untracked'] == 1)['id']}"

        def stamps() -> dict[str, tuple]:
            found = {}
            for folder, _, files in os.walk(self.root):
                for name in [".", *files]:
                    facts = os.lstat(os.path.join(folder, name))
                    found[os.path.join(folder, name)] = (facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
            return found

        before = stamps()
        for _ in range(3):
            for path in (LIST, place, f"{place}/diff", "/v1/git/branches/local/main", "/v1/metrics"):
                if path == "/v1/metrics":
                    self.server.metric("x")
                else:
                    self.assertEqual(self.server.ask(path)[0], 200, path)
            self.assertEqual(self.server.ask(f"{place}/refresh", "POST")[0], 200)
        self.assertEqual(self.different(before, stamps()), set())
        # To merge, git marks objects it has already as young; it writes none.
        for operation in ("merge", "sync"):
            self.assertEqual(self.server.ask(f"{place}/{operation}/check")[0], 200)
        after = stamps()
        self.assertEqual(after.keys(), before.keys())
        self.assertEqual([name for name in self.different(before, after) if "/.git/objects/" not in name], [])
        _, _, names = self.server.ask("/v1/git/branches/local/main")
        self.assertEqual(names, ["main", "work"])

    @staticmethod
    def different(before: dict, after: dict) -> set:
        return {name for name in after.keys() | before if after.get(name) != before.get(name)}

    def test_repositories_are_found_wherever_they_are_and_as_they_come(self):
        nested = repository(self.main / "vendor" / "nested")
        bare = self.root / "bare.git"
        git(self.root, "clone", "-q", "--bare", str(self.main), str(bare))
        git(bare, "worktree", "add", "-q", str(self.root / "of-bare"), "work")
        git(self.main, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(bare), "module")
        self.assertEqual(self.server.stop(), 0, self.server.log)
        with Workspaces(self.folder, roots=[self.root]) as server:
            paths = {each["path"] for each in server.worktrees()}
            self.assertEqual(paths, {
                str(self.main), str(self.linked), str(nested), str(self.root / "of-bare"),
            })
            fresh = repository(self.root / "fresh")
            until(lambda: str(fresh) in {each["path"] for each in server.worktrees()})


if __name__ == "__main__":
    unittest.main()
