"""Merges and syncs lose nothing and can be taken back; what was deleted comes back, also to a repository that went on."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import unittest
from pathlib import Path

from feature_stage import LIST, FeatureTest
from program import run
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from work_losing import walk
from workspaces import Workspaces, git, repository

RESTORE = "/v1/git/restore"
#: Another file system than that of temporary folders.
SHARED_MEMORY = "/dev/shm"
DAY = 86_400


class RestoreTest(FeatureTest):
    def refuses(self, error: str, what: str, body: object) -> dict:
        before, refs = (self.head(self.tree), self.head(self.main), walk(self.tree)), git(self.main, "for-each-ref")
        status, answer = self.ask(what, "POST", body)
        self.assertEqual((status, answer["error"]), (409, error), answer)
        self.assertEqual((self.head(self.tree), self.head(self.main), walk(self.tree)), before)
        self.assertEqual(git(self.main, "for-each-ref"), refs)
        return answer

    def restore(self, point: dict, status: int = 200, body: object = None) -> dict:
        code, _, answer = self.server.ask(f"{RESTORE}/{point['id']}", "POST", body)
        self.assertEqual(code, status, answer)
        return answer

    # MARK: Sync

    def test_a_rebase_does_not_drop_what_only_a_merge_commit_has(self):
        self.commit(self.tree, "one.txt")
        git(self.tree, "checkout", "-q", "-b", "side")
        self.commit(self.tree, "side.txt")
        git(self.tree, "checkout", "-q", "feature")
        self.commit(self.tree, "two.txt")
        git(self.tree, "merge", "-q", "--no-commit", "side")
        self.commit(self.tree, "only-in-merge.txt")
        self.commit(self.main, "main.txt")
        self.serve()
        answer = self.refuses("merge_commits", "/sync", {"strategy": "rebase"})
        self.assertIn("1 merge commit", answer["detail"])
        self.refuses("merge_commits", "/sync", {"strategy": "rebase", "rewrite_pushed": True})
        self.does("/sync", {"strategy": "merge"})
        self.assertTrue((self.tree / "only-in-merge.txt").exists())
        self.assertTrue((self.tree / "main.txt").exists())
        # There is nothing to rebase any more, so nothing to refuse.
        self.assertNotIn("restore", self.does("/sync", {"strategy": "rebase"}))

    def test_a_rebase_rewrites_what_is_pushed_only_if_it_is_told_to(self):
        remote = self.folder.path / "remote.git"
        git(self.main, "clone", "-q", "--bare", str(self.main), str(remote))
        git(self.main, "remote", "add", "origin", str(remote))
        git(self.main, "fetch", "-q", "origin")
        self.commit(self.tree, "one.txt")
        git(self.tree, "push", "-q", "-u", "origin", "feature")
        pushed = self.head(self.tree)
        self.commit(self.tree, "two.txt")
        git(self.main, "push", "-q", "origin", "main")
        self.commit(self.main, "main.txt")
        git(self.main, "push", "-q", "origin", "main")
        self.serve()
        answer = self.refuses("pushed_commits", "/sync", {"strategy": "rebase"})
        self.assertIn("1 commit", answer["detail"])
        before = self.head(self.tree)
        answer = self.does("/sync", {"strategy": "rebase", "rewrite_pushed": True})
        self.assertEqual(answer["restore"]["head"], before)
        self.restore(answer["restore"])
        self.assertEqual(self.head(self.tree), before)
        # What is not pushed is rebased as before, and what a merge adds rewrites nothing.
        git(self.tree, "push", "-q", "origin", ":feature")
        self.does("/sync", {"strategy": "rebase"})
        self.assertNotEqual(self.head(self.tree, "HEAD~"), pushed)

    def test_a_rebase_moves_no_other_branch_whatever_the_configuration_says(self):
        for name in ("updateRefs", "autoSquash", "autoStash"):
            git(self.main, "config", f"rebase.{name}", "true")
        self.commit(self.tree, "one.txt")
        git(self.tree, "branch", "lower")
        lower = self.head(self.tree)
        self.commit(self.tree, "two.txt")
        git(self.tree, "commit", "-q", "--amend", "-m", "fixup! one.txt text")
        self.commit(self.main, "main.txt")
        self.serve()
        self.does("/sync", {"strategy": "rebase"})
        self.assertEqual(self.head(self.main, "lower"), lower)
        self.assertEqual(git(self.tree, "rev-list", "--count", "main..HEAD").strip(), "2")

    def test_a_sync_can_be_taken_back_and_that_too(self):
        for strategy in ("rebase", "merge"):
            with self.subTest(strategy):
                self.commit(self.tree, f"{strategy}.txt")
                self.commit(self.main, f"main-{strategy}.txt")
                (self.tree / "mine.env").write_text("mine\n")
                self.serve()
                before, files = self.head(self.tree), walk(self.tree)
                answer = self.does("/sync", {"strategy": strategy})
                after = self.head(self.tree)
                point = answer["restore"]
                self.assertEqual((point["kind"], point["head"], point["result"]), ("sync", before, after))
                self.assertEqual(self.head(self.main, point["ref"]), before)
                self.assertIn(point, self.server.ask(RESTORE)[2])
                answer = self.restore(point)
                self.assertEqual(self.head(self.tree), before)
                self.assertEqual(git(self.tree, "symbolic-ref", "HEAD").strip(), "refs/heads/feature")
                self.assertEqual({name: each[2] and each[2][:2] for name, each in walk(self.tree).items()},
                                 {name: each[2] and each[2][:2] for name, each in files.items()})
                self.assertEqual(git(self.main, "for-each-ref", point["ref"]), "")
                self.restore(point, 404)
                self.restore(answer["restore"])
                self.assertEqual(self.head(self.tree), after)

    def test_a_sync_that_changes_nothing_or_fails_leaves_no_point(self):
        self.serve()
        self.assertNotIn("restore", self.does("/sync", {}))
        self.commit(self.tree, "both.txt", "theirs\n")
        self.commit(self.main, "both.txt", "ours\n")
        for strategy in ("rebase", "merge"):
            self.assertEqual(self.ask("/sync", "POST", {"strategy": strategy})[1]["error"], "merge_conflict")
        self.assertEqual(self.server.ask(RESTORE)[2], [])
        self.assertEqual(git(self.main, "for-each-ref", "refs/freshet"), "")
        self.assertFalse((self.main / ".git" / "freshet").exists())

    # MARK: Merge

    def test_a_merge_can_be_taken_back(self):
        for squash in (False, True):
            with self.subTest(squash=squash):
                self.commit(self.tree, f"{squash}.txt")
                self.serve()
                before = self.head(self.main)
                point = self.does("/merge", {"squash": squash})["restore"]
                self.assertEqual((point["kind"], point["head"], point["path"]), ("merge", before, str(self.main)))
                self.assertTrue((self.main / f"{squash}.txt").exists())
                self.restore(point)
                self.assertEqual(self.head(self.main), before)
                self.assertEqual(git(self.main, "status", "--porcelain"), "")
                self.assertFalse((self.main / f"{squash}.txt").exists())

    def test_a_merge_that_cleans_up_names_both(self):
        self.commit(self.tree, "new.txt")
        self.serve()
        files = walk(self.tree)
        answer = self.does("/merge", {"auto_cleanup": True})
        self.assertFalse(self.tree.exists())
        self.assertEqual(answer["removed"]["kind"], "delete")
        self.restore(answer["removed"])
        self.assertEqual(walk(self.tree), files)
        self.restore(answer["restore"])
        self.assertFalse((self.main / "new.txt").exists())

    def test_what_came_since_is_not_taken_back(self):
        self.commit(self.tree, "new.txt")
        self.serve()
        before = self.head(self.main)
        point = self.does("/merge", {})["restore"]
        (self.main / "dir0" / "file0.txt").write_text("edit\n")
        self.assertEqual(self.restore(point, 409)["error"], "worktree_dirty")
        later = self.commit(self.main, "later.txt")
        git(self.main, "commit", "-q", "-a", "-m", "edit")
        answer = self.restore(point, 409)
        self.assertEqual(answer["error"], "worktree_unmerged")
        self.assertIn(point["ref"], answer["detail"])
        self.assertEqual(self.head(self.main, "HEAD~"), later)
        self.assertEqual(self.head(self.main, point["ref"]), before)

    def test_a_restore_writes_over_nothing(self):
        git(self.tree, "rm", "-q", "dir0/file0.txt")
        git(self.tree, "commit", "-q", "-m", "away")
        self.serve()
        point = self.does("/merge", {})["restore"]
        (self.main / ".git" / "info" / "exclude").write_text("dir0/\n")
        (self.main / "dir0").mkdir(exist_ok=True)
        (self.main / "dir0" / "file0.txt").write_text("ignored, and mine\n")
        answer = self.restore(point, 409)
        self.assertEqual((answer["error"], answer["files"]), ("would_overwrite", ["dir0/file0.txt"]))
        self.assertEqual((self.main / "dir0" / "file0.txt").read_text(), "ignored, and mine\n")

    def test_an_edit_that_git_does_not_see_is_not_written_over(self):
        for mark in ("assume-unchanged", "skip-worktree"):
            for target, source, what, body in (
                (self.main, self.tree, "/merge", {}), (self.tree, self.main, "/sync", {"strategy": "merge"}),
                (self.tree, self.main, "/sync", {"strategy": "rebase"}),
            ):
                with self.subTest(f"{mark} {what} {body}"):
                    git(self.tree, "reset", "-q", "--hard", "main")
                    (source / "dir0" / "file0.txt").write_text(f"{mark} {what} {body}\n")
                    git(source, "commit", "-q", "-a", "-m", "theirs")
                    git(target, "update-index", f"--{mark}", "dir0/file0.txt")
                    (target / "dir0" / "file0.txt").write_text("hidden\n")
                    self.serve()
                    answer = self.refuses("worktree_dirty", what, body)
                    self.assertEqual(answer["files"], ["dir0/file0.txt"])
                    self.assertEqual((target / "dir0" / "file0.txt").read_text(), "hidden\n")
                    git(target, "update-index", f"--no-{mark}", "dir0/file0.txt")
                    git(target, "checkout", "-q", "-f", "HEAD", "--", ".")
                    self.does(what, body)

    # MARK: Delete

    def test_a_worktree_comes_back_beside_a_branch_that_went_on(self):
        head = self.commit(self.tree, "work.txt")
        (self.tree / "new.txt").write_text("new\n")
        self.serve()
        files = walk(self.tree)
        for step in ("moved", "checked out", "in the way"):
            with self.subTest(step):
                point = self.does("?force=1", method="DELETE")["restore"]
                self.assertEqual(point["head"], head)
                if step == "moved":
                    git(self.main, "branch", "-f", "feature", "main")
                elif step == "checked out":
                    git(self.main, "branch", "-f", "feature", head)
                    git(self.main, "worktree", "add", "-q", str(self.root / "other"), "feature")
                else:
                    git(self.main, "branch", "-q", "-D", "feature")
                    git(self.main, "branch", "feature/inner")
                feature = git(self.main, "for-each-ref", "refs/heads/feature")
                answer = self.restore(point)
                self.assertIn("HEAD is detached", answer["message"])
                self.assertEqual(self.head(self.tree), head)
                self.assertEqual(git(self.tree, "status", "--porcelain"), "?? new.txt\n")
                self.assertEqual(git(self.main, "for-each-ref", "refs/heads/feature"), feature)
                self.assertEqual(walk(self.tree), files)
                if step == "moved":
                    git(self.main, "branch", "-f", "feature", head)
                    git(self.tree, "checkout", "-q", "feature")
                    files = walk(self.tree)
                elif step == "checked out":
                    git(self.main, "worktree", "remove", str(self.root / "other"))
                    git(self.tree, "checkout", "-q", "feature")
                    files = walk(self.tree)

    def test_a_worktree_whose_head_cannot_be_written_stays_in_the_trash(self):
        """As on a full disk: not half of it comes back, on a branch without a commit."""
        self.commit(self.tree, "one.txt")
        self.serve()
        kept = self.head(self.tree)
        point = self.does("?delete_branch=1&force=1", method="DELETE")["restore"]
        git(self.main, "branch", "feature", "main")
        trash = self.main / ".git" / "freshet" / "restore" / point["id"]
        # What is written first, before it takes the place of HEAD.
        obstacle = trash / "git" / "HEAD.freshet-new"
        obstacle.mkdir()
        answer = self.restore(point, 502)
        self.assertIn("nothing was moved", answer["detail"])
        self.assertFalse(self.tree.exists())
        self.assertTrue((trash / "git").is_dir())
        self.assertEqual([each["id"] for each in self.server.ask(RESTORE)[2]], [point["id"]])
        obstacle.rmdir()
        self.assertIn("detached", self.restore(point)["message"])
        self.assertEqual(self.head(self.tree), kept)

    def test_the_log_of_a_branch_that_was_made_again_keeps_what_only_it_has(self):
        git(self.main, "config", "branch.feature.remote", "origin")
        amended = self.commit(self.tree, "work.txt")
        git(self.main, "worktree", "remove", str(self.tree))
        # Only the log of the branch has the amended commit: that of HEAD goes with the worktree.
        git(self.main, "worktree", "add", "-q", str(self.tree), "feature")
        git(self.tree, "commit", "-q", "--amend", "-m", "other words")
        head = self.head(self.tree)
        log = git(self.main, "reflog", "show", "--format=%H %gs", "feature").splitlines()
        self.serve()
        point = self.does("?force=1&delete_branch=1", method="DELETE")["restore"]
        git(self.main, "branch", "feature", head)
        self.restore(point)
        found = git(self.main, "reflog", "show", "--format=%H %gs", "feature").splitlines()
        self.assertEqual(found[-len(log):], log)
        self.assertIn(amended, " ".join(found))
        self.assertEqual(git(self.main, "config", "branch.feature.remote").strip(), "origin")
        self.assertEqual(git(self.tree, "symbolic-ref", "HEAD").strip(), "refs/heads/feature")
        # A branch that stayed keeps its log as it is.
        log = git(self.main, "reflog", "show", "--format=%H %gs", "feature")
        self.restore(self.does("?force=1", method="DELETE")["restore"])
        self.assertEqual(git(self.main, "reflog", "show", "--format=%H %gs", "feature"), log)

    def test_a_restore_refuses_where_something_is_in_its_place(self):
        self.serve()
        files = walk(self.tree)
        point = self.does(method="DELETE")["restore"]
        self.tree.mkdir()
        answer = self.restore(point, 409)
        self.assertEqual((answer["error"], answer["files"]), ("already_exists", [str(self.tree)]))
        self.tree.rmdir()
        other = self.root / "elsewhere" / "feature"
        git(self.main, "worktree", "add", "-q", "--detach", str(other))
        answer = self.restore(point, 409)
        self.assertEqual(answer["error"], "already_exists")
        git(self.main, "worktree", "remove", str(other))
        self.restore(point)
        self.assertEqual(walk(self.tree), files)

    @unittest.skipUnless(os.path.isdir(SHARED_MEMORY), "there is no second file system that everybody may write to")
    def test_a_worktree_on_another_file_system_goes_to_a_trash_beside_it_and_comes_back(self):
        other = Path(tempfile.mkdtemp(dir=SHARED_MEMORY)).resolve()
        self.addCleanup(shutil.rmtree, other, True)
        self.assertNotEqual(other.stat().st_dev, self.main.stat().st_dev)
        git(self.main, "worktree", "remove", str(self.tree))
        self.tree = other / "feature"
        git(self.main, "worktree", "add", "-q", str(self.tree), "feature")
        head = self.commit(self.tree, "work.txt")
        (self.tree / "precious.env").write_text("only here\n")
        self.serve()
        files = walk(self.tree)
        trash = other / ".freshet-trash"
        for way in ("restored", "removed for good"):
            with self.subTest(way):
                point = self.does("?ignored=1", method="DELETE")["restore"]
                self.assertFalse(self.tree.exists())
                self.assertEqual([each.name for each in trash.iterdir()], [point["id"]])
                self.assertEqual(trash.stat().st_mode & 0o777, 0o700)
                self.assertEqual((trash / point["id"] / "precious.env").read_text(), "only here\n")
                self.assertFalse((self.main / ".git" / "freshet" / "restore" / point["id"] / "tree").exists())
                self.assertEqual([each["id"] for each in self.server.ask(RESTORE)[2]], [point["id"]])
                # A server that starts again knows it too.
                self.server.__exit__()
                self.server = Workspaces(self.folder, roots=[self.root])
                self.addCleanup(self.server.__exit__)
                self.assertEqual([each["id"] for each in self.server.ask(RESTORE)[2]], [point["id"]])
                if way == "restored":
                    self.restore(point)
                    self.assertEqual(walk(self.tree), files)
                    self.assertEqual(self.head(self.tree), head)
                    self.place = f"{LIST}/{self.server.named('feature')['id']}"
                else:
                    status, _, answer = self.server.ask(f"{RESTORE}/{point['id']}", "DELETE")
                    self.assertEqual(status, 200, answer)
                    self.restore(point, 404)
                # Nothing is left of the trash once nothing is in it.
                self.assertFalse(trash.exists())

    def test_a_point_can_be_removed_for_good(self):
        self.commit(self.tree, "work.txt")
        (self.tree / "closed").mkdir()
        (self.tree / "closed" / "file").write_text("x")
        (self.tree / "closed").chmod(0o500)
        self.serve()
        point = self.does("?force=1&delete_branch=1", method="DELETE")["restore"]
        self.assertGreater(point["kept_commits"], 0)
        status, _, answer = self.server.ask(f"{RESTORE}/{point['id']}", "DELETE")
        self.assertEqual((status, answer["id"]), (200, point["id"]), answer)
        self.assertFalse((self.main / ".git" / "freshet").exists())
        self.assertEqual(git(self.main, "for-each-ref", "refs/freshet"), "")
        self.restore(point, 404)
        for name in ("..", "%2e%2e", "x", "../../hooks"):
            status, _, answer = self.server.ask(f"{RESTORE}/{name}", "POST")
            self.assertEqual(status, 404, answer)

    def test_what_was_deleted_is_kept_for_seven_days_also_by_a_server_that_starts_again(self):
        self.commit(self.tree, "work.txt")
        self.serve()
        files = walk(self.tree)
        point = self.does(method="DELETE")["restore"]
        record = self.main / ".git" / "freshet" / "restore" / point["id"] / "record.json"

        def starts(age: float | None = None, counted: float = 0) -> list[dict]:
            """Starts the server again, with a point that was kept for so long already."""
            self.server.__exit__()
            if age is not None:
                known = json.loads(record.read_text())
                known["age"] = age
                known["countedAt"] -= counted
                record.write_text(json.dumps(known))
            self.server = Workspaces(self.folder, roots=[self.root])
            self.addCleanup(self.server.__exit__)
            return self.server.ask(RESTORE)[2]

        self.assertEqual([each["id"] for each in starts()], [point["id"]])
        # A clock that was put forward by a year counts as a day.
        self.assertEqual([each["id"] for each in starts(0, 365 * DAY)], [point["id"]])
        self.wait(lambda: json.loads(record.read_text())["age"] == DAY)
        # What a record says of its age is not believed alone: its files are not that old.
        self.assertEqual([each["id"] for each in starts(70 * DAY, DAY)], [point["id"]])
        self.wait(lambda: json.loads(record.read_text())["age"] == 71 * DAY)
        self.assertEqual([each["id"] for each in self.server.ask(RESTORE)[2]], [point["id"]])
        self.restore(point)
        self.assertEqual(walk(self.tree), files)

    def wait(self, condition) -> None:
        """Asks until something is so."""
        while not condition():
            self.server.ask("/v1/info")

    def test_the_command_line_lists_and_takes_back(self):
        self.serve()
        files = walk(self.tree)
        point = self.does(method="DELETE")["restore"]
        server = ("workspaces", "--server", self.server.url)
        answer = run(*server, "--restore-points")
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertTrue(answer.stdout.startswith(point["id"]) and f"{self.tree} was deleted" in answer.stdout, answer.stdout)
        self.assertEqual(json.loads(run(*server, "--restore-points", "--json").stdout), [point])
        answer = run(*server, "--restore", point["id"])
        self.assertEqual((answer.returncode, answer.stdout), (0, f"{self.tree} is there again, as it was\n"), answer.stderr)
        self.assertEqual(walk(self.tree), files)
        answer = run(*server, "--restore", point["id"])
        self.assertEqual(answer.returncode, 1)
        self.assertIn("there is no restore point", answer.stderr)

    def test_what_is_not_shown_is_listed_with_its_reason(self):
        hidden = repository(self.root / ".hidden")
        deep = self.root / "a" / "b" / "c" / "d" / "e" / "f"
        repository(deep)
        git(self.root, "init", "-q", "-b", "main", "--separate-git-dir", str(self.root / "apart.git"), str(self.root / "apart"))
        git(self.main, "worktree", "add", "-q", "-b", "gone", str(self.root / "gone"))
        shutil.rmtree(self.root / "gone")
        broken = repository(self.root / "broken")
        (broken / ".git" / "config").write_text("[core\n")
        self.serve()
        self.wait(lambda: any(each["path"] == str(broken / ".git") for each in self.server.ask("/v1/git/omissions")[2]))
        found = {(each["reason"], each["path"]) for each in self.server.ask("/v1/git/omissions")[2]}
        self.assertEqual(found, {
            ("hidden", str(hidden)), ("too_deep", str(deep.parent)), ("missing_worktree", str(self.root / "gone")),
            ("separate_git_dir", str(self.root / "apart.git")), ("git_failed", str(broken / ".git")),
        })
        answer = run("workspaces", "--server", self.server.url, "--omissions")
        self.assertEqual((answer.returncode, len(answer.stdout.splitlines())), (0, 5), answer.stdout)
        self.assertIn("--separate-git-dir", answer.stdout)

    def test_an_accident_in_the_middle_of_a_delete_loses_nothing(self):
        """As a server leaves it that is killed between two steps."""
        (self.tree / "new.env").write_text("new\n")
        self.serve()
        files, directory = walk(self.tree), self.main / ".git" / "worktrees" / "feature"
        point = self.does("?ignored=1", method="DELETE")["restore"]
        kept = self.main / ".git" / "freshet" / "restore" / point["id"]
        # The folder was moved, its git directory was not.
        directory.parent.mkdir(exist_ok=True)
        shutil.move(kept / "git", directory)
        self.restore(point)
        self.assertEqual(walk(self.tree), files)
        point = self.does("?ignored=1", method="DELETE")["restore"]
        kept = self.main / ".git" / "freshet" / "restore" / point["id"]
        # Nothing was moved yet: there is nothing to restore.
        directory.parent.mkdir(exist_ok=True)
        shutil.move(kept / "git", directory)
        shutil.move(kept / "tree", self.tree)
        self.assertEqual(self.server.ask(RESTORE)[2], [])
        self.assertEqual(walk(self.tree), files)


if __name__ == "__main__":
    unittest.main()
