"""Nothing that git does not keep is lost by what is done to worktrees."""

from __future__ import annotations

import unittest
from feature_stage import FEATURE, LIST, FeatureTest
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import git, repository


class LossTest(FeatureTest):
    IGNORED = "*.env\nscratch/\nnode_modules/\nbuild/\ncache/\n"

    def hook(self, name: str, script: str) -> None:
        place = self.main / ".git" / "hooks" / name
        place.parent.mkdir(exist_ok=True)
        place.write_text("#!/bin/sh\n" + script)
        place.chmod(0o755)

    def trust(self) -> None:
        """Trusts what the configuration names now, hooks among it."""
        status, answer = self.ask("/refresh")
        self.assertEqual(status, 200, answer)
        status, answer = self.ask("/trust", body={"digest": answer["git"]["trust"]["digest"]})
        self.assertEqual(status, 200, answer)

    def refuses(self, error: str, files: list[str] | None, what: str = "", method: str = "DELETE", body: object = None) -> dict:
        status, answer = self.ask(what, method, body)
        self.assertEqual((status, answer.get("error")), (409, error), answer)
        if files is not None:
            self.assertEqual(answer.get("files"), files, answer)
        self.assertTrue(self.tree.exists())
        return answer

    def goes(self, what: str = "") -> None:
        status, answer = self.ask(what, "DELETE")
        self.assertEqual(status, 200, answer)
        self.assertFalse(self.tree.exists())

    # MARK: What was begun

    def test_a_merge_that_git_has_not_written_down_is_undone(self):
        """As of a git that is ended, or out of time, while `pre-merge-commit` runs: all is staged, and no merge is in progress."""
        self.commit(self.tree, "ours.txt")
        self.commit(self.main, "theirs.txt")
        self.serve()
        self.hook("pre-merge-commit", "kill -TERM $PPID\nsleep 1\n")
        self.trust()
        before = self.head(self.main), self.head(self.tree)
        for what, body in (("/merge", {}), ("/sync", {"strategy": "merge"})):
            status, answer = self.ask(what, body=body)
            self.assertEqual(status, 502, answer)
            for place in (self.main, self.tree):
                self.assertEqual(git(place, "status", "--porcelain"), "", what)
            self.assertEqual((self.head(self.main), self.head(self.tree)), before)
        # What was staged there meanwhile is not the result, and stays.
        self.hook("pre-merge-commit", "echo more > more.txt\ngit add more.txt\nkill -TERM $PPID\nsleep 1\n")
        self.trust()
        status, answer = self.ask("/merge")
        self.assertEqual(status, 502, answer)
        self.assertEqual(git(self.main, "status", "--porcelain"), "A  more.txt\nA  ours.txt\n")

    def test_a_rebase_that_git_could_not_write_down_is_named_as_such(self):
        """As on a full disk: no other process has begun it."""
        self.commit(self.tree, "ours.txt")
        self.commit(self.main, "theirs.txt")
        self.serve()
        self.hook("post-checkout", ': > "$(git rev-parse --git-dir)/rebase-merge/onto"\nkill -TERM $PPID\nsleep 1\n')
        self.trust()
        status, answer = self.ask("/sync", body={"strategy": "rebase"})
        self.assertEqual((status, answer["error"]), (502, "git_failed"), answer)
        self.assertIn("git rebase --quit", answer["detail"])
        self.assertNotIn("somebody else", answer["detail"])

    # MARK: What lies within a worktree

    def test_a_worktree_within_an_ignored_folder_keeps_the_one_around_it_in_any_case(self):
        for name, hidden in (("seen", "scratch/seen"), ("hidden", "scratch/.hidden/deep/er/than/that/is")):
            inner = self.tree / hidden
            git(self.main, "worktree", "add", "-q", str(inner), "-b", name)
            (inner / "work.txt").write_text("work")
            self.serve()
            for way in ("", "?force=1", "?ignored=1"):
                self.refuses("nested_worktree", [str(inner)], way)
            self.assertEqual((inner / "work.txt").read_text(), "work")
            git(self.main, "worktree", "remove", "--force", str(inner))
        self.goes()

    def test_a_repository_within_an_ignored_folder_keeps_the_one_around_it(self):
        inner = repository(self.tree / "scratch" / "inner")
        self.serve()
        self.refuses("nested_repository", ["scratch/inner"])
        self.refuses("nested_repository", ["scratch/inner"], "?ignored=1")
        git(inner.parent, "clone", "-q", "--bare", str(inner), "bare")
        self.refuses("nested_repository", ["scratch/bare", "scratch/inner"])
        self.goes("?force=1")

    def test_copies_that_tools_fetched_are_not_a_reason_to_stay(self):
        copy = self.tree / "build" / "copy"
        copy.parent.mkdir()
        git(copy.parent, "clone", "-q", str(self.main), str(copy))
        git(copy.parent, "clone", "-q", "--mirror", str(self.main), "mirror")
        (copy / "edit").write_text("an edit")
        self.serve()
        self.refuses("nested_repository", ["build/copy"])
        (copy / "edit").unlink()
        git(copy, "-c", "user.name=T", "-c", "user.email=t@example.org", "commit", "-q", "--allow-empty", "-m", "own")
        self.refuses("nested_repository", ["build/copy"])
        git(copy, "push", "-q", "origin", "HEAD:refs/heads/pushed")
        self.goes()

    def test_what_git_ignores_is_named_and_goes_only_if_it_may(self):
        for name in ("k.env", "scratch/notes", "node_modules/a/x", "build/out", "cache/x"):
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / name).write_text("mine")
        (self.tree / "cache" / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
        self.serve()
        self.refuses("ignored_files", ["k.env", "scratch/"])
        self.commit(self.tree, "new.txt")
        before = git(self.main, "rev-parse", "main")
        self.refuses("ignored_files", ["k.env", "scratch/"], "/merge", "POST", {"auto_cleanup": True})
        self.assertEqual(git(self.main, "rev-parse", "main"), before)
        self.goes("?ignored=1")

    def test_what_tools_make_again_is_not_a_reason_to_stay(self):
        for name in ("node_modules/a/x", "build/out"):
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / name).write_text("made")
        # Nor is a repository whose files are committed, as tests have them.
        git(self.tree, "clone", "-q", "--bare", str(self.main), "fixture")
        (self.tree / "fixture" / "refs" / "keep").write_text("")
        git(self.tree, "add", ".")
        git(self.tree, "commit", "-q", "-m", "fixture")
        self.serve()
        self.goes()

    def test_edits_that_git_was_told_not_to_see_count(self):
        for mark in ("assume-unchanged", "skip-worktree"):
            git(self.tree, "update-index", f"--{mark}", "dir0/file0.txt")
            (self.tree / "dir0" / "file0.txt").write_text("hidden\n")
            self.serve()
            self.assertFalse(self.server.named(FEATURE)["is_dirty"])
            self.refuses("worktree_dirty", ["dir0/file0.txt"])
            git(self.tree, "update-index", f"--no-{mark}", "dir0/file0.txt")
            git(self.tree, "checkout", "-q", ".")
        # A file left out by a sparse checkout is not an edit, nor is a marked but unchanged file.
        git(self.tree, "update-index", "--assume-unchanged", "dir1/file1.txt")
        git(self.tree, "sparse-checkout", "set", "dir1")
        self.assertFalse((self.tree / "dir0").exists())
        self.goes()

    def test_a_worktree_with_a_submodule_goes_if_the_submodule_has_nothing_of_its_own(self):
        inner = repository(self.folder.path / "inner")
        git(self.tree, "submodule", "--quiet", "add", str(inner), "sub")
        git(self.tree, "commit", "-q", "-m", "submodule")
        sub = self.tree / "sub"
        for name, value in (("user.name", "Test"), ("user.email", "test@example.org")):
            git(sub, "config", name, value)
        self.serve()
        (sub / "new").write_text("new")
        self.refuses("worktree_dirty", None)
        git(self.tree, "config", "submodule.sub.ignore", "all")
        self.refuses("worktree_dirty", ["new"])
        (sub / "new").unlink()
        (sub / "dir0" / "file0.txt").write_text("stashed\n")
        git(sub, "stash", "-q")
        self.refuses("worktree_unmerged", None)
        git(sub, "stash", "drop", "-q")
        head = git(sub, "rev-parse", "HEAD").strip()
        self.commit(sub, "own")
        git(sub, "checkout", "-q", "--detach", head)
        self.refuses("worktree_unmerged", None)
        # The commit is there without the folder as well.
        git(self.tree, "submodule", "--quiet", "deinit", "-f", "sub")
        self.refuses("worktree_unmerged", None)
        git(self.tree, "submodule", "--quiet", "update", "--init")
        git(sub, "push", "-q", "origin", "main:pushed")
        self.goes()

    # MARK: Merges

    def test_a_merge_and_a_sync_write_over_nothing_that_git_does_not_track(self):
        for source, target, operation in ((self.tree, self.main, "merge"), (self.main, self.tree, "sync")):
            with self.subTest(operation):
                self.commit(source, f"{operation}.env", "theirs\n")
                own = target / f"{operation}.env"
                own.write_text("own\n")
                self.serve()
                self.refuses("would_overwrite", [own.name], f"/{operation}/check", "GET")
                self.refuses("would_overwrite", [own.name], f"/{operation}", "POST", {"strategy": "merge"})
                self.assertEqual(own.read_text(), "own\n")
                # A file where a folder comes, and a folder where a file comes.
                own.unlink()
                own.mkdir()
                (own / "x.env").write_text("own\n")
                self.refuses("would_overwrite", [f"{own.name}/x.env"], f"/{operation}", "POST", {})
                (own / "x.env").unlink()
                status, answer = self.ask(f"/{operation}", "POST", {})
                self.assertEqual(status, 200, answer)
                self.assertEqual(own.read_text(), "theirs\n")

    def test_a_rebase_writes_over_nothing_on_its_way(self):
        self.commit(self.tree, "way.env", "theirs\n")
        git(self.tree, "rm", "-q", "way.env")
        git(self.tree, "commit", "-q", "-m", "away")
        self.commit(self.main, "other.txt")
        (self.tree / "way.env").write_text("own\n")
        self.serve()
        self.refuses("would_overwrite", ["way.env"], "/sync", "POST", {"strategy": "rebase"})
        status, answer = self.ask("/sync", "POST", {"strategy": "merge"})
        self.assertEqual(status, 200, answer)
        self.assertEqual((self.tree / "way.env").read_text(), "own\n")

    def test_a_rebase_that_is_given_up_leaves_edits_that_git_was_told_not_to_see(self):
        self.commit(self.tree, "both.txt", "theirs\n")
        self.commit(self.main, "both.txt", "ours\n")
        self.serve()
        place = self.tree / "dir0" / "file0.txt"
        place.write_text("hidden\n")
        git(self.tree, "update-index", "--assume-unchanged", "dir0/file0.txt")
        self.refuses("worktree_dirty", ["dir0/file0.txt"], "/sync", "POST", {"strategy": "rebase"})
        self.refuses("merge_conflict", None, "/sync", "POST", {"strategy": "merge"})
        git(self.tree, "update-index", "--no-assume-unchanged", "dir0/file0.txt")
        git(self.tree, "update-index", "--skip-worktree", "dir0/file0.txt")
        self.refuses("merge_conflict", None, "/sync", "POST", {"strategy": "rebase"})
        self.assertEqual(place.read_text(), "hidden\n")

    def test_a_merge_follows_renames_to_edits_that_git_was_told_not_to_see(self):
        """The one that is merged into has renamed the file, so its new name is written, which the other does not know."""
        for source, target, operation in ((self.tree, self.main, "merge"), (self.main, self.tree, "sync")):
            with self.subTest(operation):
                old, new = f"{operation}-old.txt", f"{operation}-new.txt"
                lines = "".join(f"line {number}\n" for number in range(40))
                self.commit(self.main, old, lines)
                git(self.tree, "merge", "-q", "main")
                self.commit(source, old, lines.replace("line 3\n", "line three\n"))
                git(target, "mv", old, new)
                git(target, "commit", "-q", "-m", "renamed")
                git(target, "update-index", "--assume-unchanged", new)
                (target / new).write_text(lines + "hidden\n")
                self.serve()
                self.refuses("worktree_dirty", [new], f"/{operation}", "POST", {"strategy": "merge"})
                self.assertEqual((target / new).read_text(), lines + "hidden\n")
                git(target, "update-index", "--no-assume-unchanged", new)
                git(target, "checkout", "-q", new)
                status, answer = self.ask(f"/{operation}", "POST", {"strategy": "merge"})
                self.assertEqual(status, 200, answer)

    def test_a_rebase_writes_over_nothing_where_renames_of_folders_lead_it(self):
        """Git puts what is new in a folder that the other side renamed into its new place, and writes over what it ignores there."""
        for configured in ("conflict", "true"):
            with self.subTest(configured):
                for number in range(4):
                    place = self.main / configured / "old"
                    place.mkdir(parents=True, exist_ok=True)
                    self.commit(self.main, f"{configured}/old/{number}.txt", f"text {configured} {number}\n" * 20)
                git(self.tree, "merge", "-q", "--no-edit", "main")
                git(self.main, "merge", "-q", "--no-edit", "feature")
                git(self.tree, "merge", "-q", "--ff-only", "main")
                git(self.main, "config", "merge.directoryRenames", configured)
                (self.tree / configured / "old" / "x.env").write_text("theirs\n")
                git(self.tree, "add", "--force", f"{configured}/old/x.env")
                git(self.tree, "commit", "-q", "-m", "new in the old folder")
                git(self.main, "mv", f"{configured}/old", f"{configured}/new")
                git(self.main, "commit", "-q", "-m", "folder renamed")
                own = self.tree / configured / "new" / "x.env"
                own.parent.mkdir()
                own.write_text("own\n")
                self.serve()
                self.refuses("would_overwrite", [f"{configured}/new/x.env"], "/sync", "POST", {"strategy": "rebase"})
                self.assertEqual(own.read_text(), "own\n")
                own.unlink()
                status, answer = self.ask("/sync", "POST", {"strategy": "rebase"})
                self.assertEqual(status, 200 if configured == "true" else 409, answer)
                git(self.tree, "reset", "-q", "--hard", "main")

    def test_an_action_knows_a_commit_of_a_moment_ago(self):
        self.serve()
        for strategy in ("rebase", "merge"):
            for number in range(2):
                head = self.commit(self.main, "new.txt", f"{strategy} {number}\n")
                status, answer = self.ask("/sync", "POST", {"strategy": strategy})
                self.assertEqual(status, 200, answer)
                self.assertEqual(git(self.tree, "merge-base", "HEAD", head).strip(), head)
        for number in range(2):
            head = self.commit(self.main, "new.txt", f"create {number}\n")
            status, _, answer = self.server.ask(LIST, "POST", {"repository": "local/main", "branch": f"new{number}"})
            self.assertEqual((status, answer["worktree"]["commit_hash"]), (201, head), answer)
        self.commit(self.tree, "new.txt", "theirs\n")
        self.commit(self.main, "new.txt", "ours\n")
        for operation in ("merge", "sync"):
            self.assertTrue(self.ask(f"/{operation}/check", "GET")[1]["has_conflicts"])

    def test_a_check_is_made_with_the_branch_that_is_merged_into(self):
        bare = self.folder.path / "remote.git"
        git(self.main, "clone", "-q", "--bare", str(self.main), str(bare))
        git(self.main, "remote", "add", "origin", str(bare))
        git(self.main, "fetch", "-q", "origin")
        git(self.main, "remote", "set-head", "origin", "main")
        self.commit(self.tree, "both.txt", "theirs\n")
        self.commit(self.main, "both.txt", "ours, not pushed\n")
        self.serve()
        status, answer = self.ask("/merge/check", "GET")
        self.assertEqual((status, answer["conflict_files"]), (200, ["both.txt"]))

    def test_a_merge_is_made_whatever_the_configuration_says(self):
        settings = (
            ("branch.main.mergeOptions", "--no-commit", False), ("branch.main.mergeOptions", "--squash", False),
            ("branch.main.mergeOptions", "-s ours", True), ("merge.ff", "false", True),
        )
        self.serve()
        for number, (name, value, squash) in enumerate(settings):
            with self.subTest(f"{name}={value}, squash {squash}"):
                file = f"file{number}"
                git(self.tree, "reset", "-q", "--hard", "main")
                head = self.commit(self.tree, file)
                before = git(self.main, "rev-parse", "main")
                git(self.main, "config", name, value)
                status, answer = self.ask("/merge", "POST", {"squash": squash})
                git(self.main, "config", "--unset", name)
                self.assertEqual(status, 200, answer)
                self.assertNotEqual(git(self.main, "rev-parse", "main"), before)
                self.assertEqual(git(self.main, "status", "--porcelain"), "")
                self.assertTrue((self.main / file).exists())
                if not squash:
                    self.assertEqual(git(self.main, "merge-base", "main", head).strip(), head)

    def test_what_a_failing_hook_left_is_undone_and_kept(self):
        for hook, squash in (("pre-commit", True), ("pre-merge-commit", False)):
            with self.subTest(hook):
                git(self.tree, "reset", "-q", "--hard", "main")
                (self.tree / "dir0" / "file0.txt").write_text(f"{hook}\n")
                git(self.tree, "commit", "-q", "-a", "-m", hook)
                self.commit(self.main, "apart.txt", hook, "--no-verify")
                git(self.main, "update-index", "--assume-unchanged", "dir2/file2.txt")
                (self.main / "dir2" / "file2.txt").write_text("hidden\n")
                self.hook(hook, "echo hooked >> dir0/file0.txt; echo made > made.txt; exit 1\n")
                before = git(self.main, "rev-parse", "main")
                self.serve()
                self.trust()
                status, answer = self.ask("/merge", "POST", {"squash": squash, "auto_cleanup": True})
                self.assertEqual((status, answer["error"]), (502, "git_failed"), answer)
                self.assertIn("stash", answer["detail"])
                self.assertTrue(self.tree.exists())
                self.assertEqual(git(self.main, "rev-parse", "main"), before)
                self.assertEqual(git(self.main, "status", "--porcelain"), "?? made.txt\n")
                self.assertFalse((self.main / ".git" / "MERGE_HEAD").exists())
                self.assertIn("hooked", git(self.main, "show", "stash@{0}:dir0/file0.txt"))
                self.assertEqual((self.main / "dir2" / "file2.txt").read_text(), "hidden\n")
                git(self.main, "stash", "drop", "-q")
                (self.main / "made.txt").unlink()
                (self.main / ".git" / "hooks" / hook).unlink()


if __name__ == "__main__":
    unittest.main()
