"""A person trusts what the configuration of a repository runs, as it was seen; what is harmless needs no trust."""

from __future__ import annotations

import json
import os
import shutil
import stat
import unittest

from hostile_zoo import LIST, ZooTest, hook
from program import until
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import Workspaces, git


class TrustTest(ZooTest):
    def trusted(self, server: Workspaces, name: str) -> dict:
        return server.named(name)["git"].get("trust") or {}

    def test_trust_is_for_what_was_seen_and_ends_when_it_changes(self):
        place = self.zoo.add("filtered")
        command = self.zoo.program("filtered")
        git(place, "config", "filter.evil.clean", f"{command}; cat")
        git(place, "config", "filter.evil.smudge", "cat")
        server = self.serve()
        tree = self.zoo.root / "filtered-tree"
        path = f"{LIST}/{server.named('filtered-tree')['id']}"
        digest = self.trusted(server, "filtered-tree")["digest"]
        status, _, answer = server.ask(f"{path}/trust", "POST", {"digest": "0" * 64})
        self.assertEqual((status, answer["error"]), (409, "configuration_changed"))
        self.assertEqual(server.ask(f"{path}/trust", "POST", {})[0], 400)
        self.assertEqual(self.zoo.marked(), [])
        status, _, answer = server.ask(f"{path}/trust", "POST", {"digest": digest})
        self.assertEqual((status, answer["worktree"]["git"]["trust"]["state"]), (200, "trusted"), answer)
        until(lambda: all(self.trusted(server, name).get("state") == "trusted" for name in ("filtered", "filtered-tree")))
        file = self.zoo.base / "no-timetable" / "trusted-repositories.json"
        self.assertEqual(stat.S_IMODE(file.stat().st_mode), 0o600)
        self.assertEqual(json.loads(file.read_text()), [{"digests": [digest], "repository": str(place / ".git")}])
        # Git sees it now as a person at the terminal does, and it may be merged.
        self.change(tree)
        until(lambda: self.zoo.marked() == ["filtered"])
        git(tree, "commit", "-q", "-a", "-m", "more")
        status, _, answer = server.ask(f"{path}/merge", "POST", {})
        self.assertEqual(status, 200, answer)
        # The trust is kept.
        server.__exit__()
        server = self.serve()
        until(lambda: self.trusted(server, "filtered-tree").get("state") == "trusted")
        # Another command is another configuration; the same again is trusted again.
        git(place, "config", "filter.evil.clean", f"{command} again; cat")
        until(lambda: self.trusted(server, "filtered-tree").get("state") == "untrusted")
        (self.zoo.marks / "filtered").unlink()
        self.change(tree)
        until(lambda: server.named("filtered-tree")["git"]["unstaged"] > 0)
        self.change(tree)
        status, _, answer = server.ask(f"{path}/sync", "POST", {})
        self.assertEqual((status, answer["error"]), (409, "untrusted_repository"), answer)
        self.assertEqual(self.zoo.marked(), [])
        git(place, "config", "filter.evil.clean", f"{command}; cat")
        until(lambda: self.trusted(server, "filtered-tree").get("state") == "trusted")
        status, _, answer = server.ask(f"{path}/trust", "DELETE")
        self.assertEqual((status, answer["worktree"]["git"]["trust"]["state"]), (200, "untrusted"), answer)
        git(place, "config", "--remove-section", "filter.evil")
        until(lambda: not self.trusted(server, "filtered-tree"))

    def test_a_hook_that_changes_is_another_one(self):
        place = self.zoo.add("hooked")
        command = self.zoo.program("hooked")
        hook("post-checkout")(place, place, command)
        server = self.serve()
        shown = server.named("hooked")
        self.assertEqual([each["key"] for each in shown["git"]["trust"]["programs"]], ["hook post-checkout"])
        path = f"{LIST}/{shown['id']}"
        made = {"repository": str(place), "branch": "made"}
        self.assertEqual(server.ask(LIST, "POST", made)[2]["error"], "untrusted_repository")
        server.ask(f"{path}/trust", "POST", {"digest": shown["git"]["trust"]["digest"]})
        status, _, answer = server.ask(LIST, "POST", made)
        self.assertEqual((status, self.zoo.marked()), (201, ["hooked"]), answer)
        hook("post-checkout")(place, place, f"{command} # changed")
        until(lambda: self.trusted(server, "hooked").get("state") == "untrusted")
        self.assertEqual(server.ask(LIST, "POST", {**made, "branch": "other"})[2]["error"], "untrusted_repository")
        (place / ".git" / "hooks" / "post-checkout").chmod(0o644)
        until(lambda: not self.trusted(server, "hooked"))
        self.assertEqual(server.ask(LIST, "POST", {**made, "branch": "other"})[0], 201)

    # MARK: What is not dangerous

    def test_what_git_lfs_installs_is_not_a_danger(self):
        tools = self.zoo.base / "tools"
        tools.mkdir()
        (tools / "git-lfs").write_text(
            f"#!/bin/sh\nwhile IFS= read -r line; do printf '%s\\n' \"$line\"; done\n{{ echo >> '{self.zoo.marks}/lfs-wrote'; }} 2>/dev/null\nexit 0\n"
        )
        (tools / "git-lfs").chmod(0o755)
        with open(self.zoo.home / ".gitconfig", "a") as file:
            file.write('[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\trequired = true\n')
        place = self.zoo.add("large")
        tree = self.zoo.root / "large-tree"
        for each in (place, tree):
            (each / ".gitattributes").write_text("*.dat filter=lfs\n")
            git(each, "commit", "-q", "-a", "-m", "attributes")
        server = self.serve(PATH=f"{tools}:{os.environ['PATH']}")
        until(lambda: not server.named("large-tree")["is_dirty"])
        self.assertNotIn("trust", server.named("large-tree")["git"])
        # The same content, written again: only the filter tells.
        file = tree / "a.dat"
        text = file.read_text()
        file.write_text("other\n")
        until(lambda: server.named("large-tree")["git"]["unstaged"] == 1)
        file.write_text(text)
        until(lambda: server.named("large-tree")["git"]["unstaged"] == 0)
        self.assertNotIn("problem", server.named("large-tree")["git"])
        if server.metric("freshet_workspaces_contained") == 1:
            self.assertEqual(self.zoo.marked(), [], "it writes in the folder of git-lfs only")

    def test_what_is_harmless_is_not_called_untrusted(self):
        place = self.zoo.add("usual")
        for key, value in (
            ("remote.origin.url", "git@example.org:owner/usual.git"), ("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"),
            ("branch.main.remote", "origin"), ("branch.main.merge", "refs/heads/main"), ("core.autocrlf", "input"),
            ("branch.main.vscode-merge-base", "origin/main"), ("remote.origin.gh-resolved", "base"), ("pull.rebase", "true"),
            ("core.fsmonitor", "true"), ("submodule.active", "."), ("diff.renames", "copies"), ("merge.conflictStyle", "zdiff3"),
            ("gpg.format", "ssh"), ("core.ignoreCase", "false"), ("credential.helper", ""), ("advice.ignoredHook", "false"),
            ("gitflow.path.hooks", "/x/.git/hooks"), ("alias.st", "status"), ("lfs.repositoryformatversion", "0"),
            ("url.git@example.org:.insteadOf", "https://example.org/"), ("protocol.file.allow", "always"), ("hub.protocol", "ssh"),
        ):
            git(place, "config", key, value)
        server = self.serve()
        self.assertNotIn("trust", server.named("usual")["git"])
        status, _, answer = server.ask(LIST, "POST", {"repository": str(place), "branch": "made"})
        self.assertEqual(status, 201, answer)

    def test_what_the_person_chose_for_all_repositories_is_theirs(self):
        with open(self.zoo.home / ".gitconfig", "a") as file:
            # It runs as at the terminal, and writes in the repository only.
            file.write(f'[filter "evil"]\n\tclean = "{self.zoo.program("own")}; echo ran >> {self.zoo.root}/own/.git/annex/own; cat"\n')
            file.write(f'[include]\n\tpath = {self.zoo.root}/shared\n')
        (self.zoo.root / "shared").write_text(f'[filter "shared"]\n\tclean = "{self.zoo.program("shared")}; cat"\n')
        place = self.zoo.add("own")
        mark = place / ".git" / "annex" / "own"
        mark.parent.mkdir()
        (place / ".git" / "info" / "attributes").write_text("*.txt filter=shared\n")
        server = self.serve()
        # A file in a watched folder does not count as the user's own, even if the user's configuration includes it.
        self.assertEqual([each["key"] for each in self.trusted(server, "own")["programs"]], ["filter.shared.clean"])
        self.change(self.zoo.root / "own-tree")
        until(lambda: mark.exists() and server.named("own-tree")["git"]["unstaged"] > 0)
        contained = server.metric("freshet_workspaces_contained") == 1
        self.assertEqual(self.zoo.marked(), [] if contained else ["own"])

    # MARK: Outside

    def test_a_repository_outside_of_the_watched_folders_is_not_acted_on(self):
        outside = self.zoo.base / "outside"
        shutil.copytree(self.zoo.template, outside, symlinks=True)
        tree = self.zoo.root / "inside"
        git(outside, "worktree", "add", "-q", str(tree), "feature")
        server = self.serve()
        until(lambda: len(server.worktrees()) == 2)
        for each in server.worktrees():
            self.assertEqual(each["git"]["outside"], str(outside / ".git"))
        path = f"{LIST}/{server.named('inside')['id']}"
        for target, method, body in (
            (f"{path}/merge", "POST", {}), (f"{path}/sync", "POST", {}), (path, "DELETE", None), (f"{path}?force=1", "DELETE", None),
            (LIST, "POST", {"repository": str(outside), "branch": "made"}),
        ):
            status, _, answer = server.ask(target, method, body)
            self.assertEqual((status, answer["error"]), (409, "outside_watched_folders"), answer)
        self.assertTrue(tree.exists())


if __name__ == "__main__":
    unittest.main()
