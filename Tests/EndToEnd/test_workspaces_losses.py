"""Nothing that git does not keep is lost by what is done to worktrees."""

from __future__ import annotations

import unittest
from pathlib import Path

from program import Folder
from workspaces import Workspaces, git, repository

LIST = "/v1/git/worktrees"
FEATURE = "feature"


class LossTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.root = self.folder.path.resolve() / "work"
        self.main = repository(self.root / "main")
        self.commit(self.main, ".gitignore", "*.env\nscratch/\nnode_modules/\nbuild/\ncache/\n")
        self.tree = self.root / FEATURE
        git(self.main, "worktree", "add", "-q", "-b", FEATURE, str(self.tree))

    def serve(self) -> None:
        self.server = Workspaces(self.folder, roots=[self.root])
        self.addCleanup(self.server.__exit__)
        self.place = f"{LIST}/{self.server.named(FEATURE)['id']}"

    def commit(self, folder: Path, name: str, text: str = "text\n", *options: str) -> str:
        (folder / name).write_text(text)
        git(folder, "add", "-f", name)
        git(folder, "commit", "-q", "-m", f"{name} {text[:10]}", *options)
        return git(folder, "rev-parse", "HEAD").strip()

    def ask(self, what: str = "", method: str = "POST", body: object = None) -> tuple[int, object]:
        status, _, answer = self.server.ask(self.place + what, method, body)
        return status, answer

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

    def test_copies_that_tools_fetched_are_no_reason_to_stay(self):
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

    def test_what_tools_make_again_is_no_reason_to_stay(self):
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
        # What a sparse checkout leaves out is no edit, nor is what is marked and the same.
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


if __name__ == "__main__":
    unittest.main()
