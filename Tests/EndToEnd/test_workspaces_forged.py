"""Restore points that another user wrote, and those of repositories that were moved or copied."""

from __future__ import annotations

import json
import os
import shutil
import unittest
from collections.abc import Callable
from pathlib import Path

from feature_stage import LIST, FeatureTest
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from work_losing import walk
from workspaces import Workspaces, git, repository

RESTORE = "/v1/git/restore"


def identity(path: str) -> str:
    """The id of a worktree, as the program makes it from the path (WorkspaceIdentity.swift)."""
    def fnv(basis: int) -> int:
        for byte in path.encode():
            basis = (basis ^ byte) * 0x100_0000_01B3 & (1 << 64) - 1
        return basis
    high = fnv(0xCBF2_9CE4_8422_2325) & ~0xF000 | 0x8000
    low = fnv(0x6C62_272E_07BB_0142) & ~(3 << 62) | 2 << 62
    text = f"{high:016x}{low:016x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


class ForgedTest(FeatureTest):
    def setUp(self):
        super().setUp()
        self.outside = self.folder.path.resolve() / "outside"
        (self.outside / "deep").mkdir(parents=True)
        (self.outside / "deep" / "precious.txt").write_text("only here\n")
        (self.outside / ".git").write_text(f"gitdir: {self.main}/.git/worktrees/feature\n")

    def deleted(self, what: str = "") -> tuple[dict, Path]:
        """A point of a worktree that was deleted, and its folder."""
        self.serve()
        point = self.does(f"?ignored=1{what}", method="DELETE")["restore"]
        return point, self.main / ".git" / "freshet" / "restore" / point["id"]

    def again(self, *roots: Path) -> None:
        """A server that starts with what is there now."""
        self.server.__exit__()
        self.server = Workspaces(self.folder, roots=list(roots) or [self.root])
        self.addCleanup(self.server.__exit__)

    def change(self, kept: Path, **members: object) -> None:
        """Writes members of a record; those of the point with `point_` before."""
        record = json.loads((kept / "record.json").read_text())
        for name, value in members.items():
            if name.startswith("point_"):
                record["point"][name.removeprefix("point_")] = value
            else:
                record[name] = value
        if "point_path" in members:
            record["point"]["worktree_id"] = identity(record["point"]["path"])
        (kept / "record.json").write_text(json.dumps(record))

    def points(self) -> list[dict]:
        return self.server.ask(RESTORE)[2]

    def unusable(self) -> list[str]:
        """What is said of points that cannot be used."""
        found = self.server.ask("/v1/git/omissions")[2]
        return [each["detail"] for each in found if each["reason"] == "unusable_restore_point"]

    def asks(self, name: str, method: str = "POST") -> tuple[int, dict]:
        status, _, answer = self.server.ask(f"{RESTORE}/{name}", method)
        return status, answer

    # MARK: Forged

    def test_nothing_that_a_record_or_a_link_names_is_moved_or_removed(self):
        point, genuine = self.deleted()
        copy = self.folder.path.resolve() / "genuine"
        shutil.copytree(genuine, copy, symlinks=True)
        outside = walk(self.outside)

        def link(name: str, target: Path) -> Callable[[Path], None]:
            def make(kept: Path) -> None:
                if (kept / name).is_dir():
                    shutil.rmtree(kept / name)
                else:
                    (kept / name).unlink()
                (kept / name).symlink_to(target)
            return make

        def without(kept: Path) -> None:
            shutil.rmtree(kept / "tree")
            self.change(kept, tree=str(self.outside), age=1e9, countedAt=1)

        def all_of_it(kept: Path) -> None:
            shutil.rmtree(kept)
            kept.symlink_to(copy)

        ways: dict[str, Callable[[Path], None]] = {
            "a path in the record": without,
            "a link for the folder": link("tree", self.outside),
            "a link for the git directory": link("git", self.outside / "deep"),
            "a link for the record": link("record.json", copy / "record.json"),
            "a link for all of it": all_of_it,
            "a trash of nobody": lambda kept: (
                shutil.rmtree(kept / "tree"), self.change(kept, point_path=str(self.outside / "deep" / "feature"))),
            "an id that leads elsewhere": lambda kept: self.change(kept, point_id="../../../../../outside"),
            "another repository's git directory": lambda kept: (kept / "git" / "commondir").write_text("/elsewhere/.git\n"),
        }
        for way, make in ways.items():
            with self.subTest(way):
                self.server.__exit__()
                make(genuine)
                before = walk(self.main)
                self.again()
                self.assertNotIn(point["id"], [each["id"] for each in self.points()])
                for method in ("POST", "DELETE"):
                    status, answer = self.asks(point["id"], method)
                    self.assertEqual((status, answer["error"]), (404, "restore_point_not_found"), answer)
                self.assertEqual(walk(self.outside), outside)
                self.assertTrue((copy / "tree" / ".git").exists())
                if "path in the record" not in way and "trash of nobody" not in way:
                    self.assertTrue(any(point["id"] in each for each in self.unusable()), self.unusable())
                    # Never acted on: not by the sweep of the start either.
                    self.assertEqual(walk(self.main), before)
                self.server.__exit__()
                genuine.unlink() if genuine.is_symlink() else shutil.rmtree(genuine)
                shutil.copytree(copy, genuine, symlinks=True)
        for folder in ("freshet", "freshet/restore"):
            with self.subTest(f"a link for {folder}"):
                self.server.__exit__()
                place = self.main / ".git" / folder
                moved = self.folder.path.resolve() / "moved"
                shutil.move(place, moved)
                place.symlink_to(moved)
                kept = walk(moved)
                self.again()
                self.assertEqual(self.points(), [])
                self.assertEqual(self.asks(point["id"], "DELETE")[0], 404)
                self.assertEqual(walk(moved), kept)
                self.server.__exit__()
                place.unlink()
                shutil.move(moved, place)
        self.again()
        self.assertEqual([each["id"] for each in self.points()], [point["id"]])
        self.assertEqual(self.asks(point["id"])[0], 200)

    def test_a_worktree_is_not_brought_to_a_place_that_is_not_its_own(self):
        point, kept = self.deleted()
        other = repository(self.root / "other")
        home = self.folder.path.resolve() / "home"
        home.mkdir()
        (self.root / "way").symlink_to(home)
        for path, error in (
            (self.folder.path.resolve() / "home" / "autostart", "outside_watched_folders"),
            (other / ".vscode", "already_exists"), (other / ".git" / "more" / "hooks", "outside_watched_folders"),
            (self.root / "way" / "autostart", "already_exists"),
        ):
            with self.subTest(path=str(path)):
                self.change(kept, point_path=str(path))
                self.again()
                status, answer = self.asks(point["id"])
                self.assertEqual((status, answer.get("error")), (409, error), answer)
                self.assertFalse(path.exists())
                self.assertTrue((kept / "tree" / ".git").exists() and (kept / "git" / "HEAD").exists())
        # A record that says that its repository was moved leads nowhere else either.
        self.change(kept, point_path="/x/y/z", common="/x/a/.git")
        self.again()
        status, answer = self.asks(point["id"])
        self.assertEqual((status, list(home.iterdir())), (409, []) if status != 200 else (200, []), answer)

    def test_no_worktree_comes_back_as_a_git_directory(self):
        point, kept = self.deleted()
        for name in (".git", ".GIT", ".git/modules/x"):
            with self.subTest(name):
                self.change(kept, point_path=str(self.root / name))
                self.again()
                status, answer = self.asks(point["id"])
                self.assertIn(status, (404, 409), answer)
                self.assertFalse((self.root / ".git").exists())
                self.assertTrue((kept / "tree" / ".git").exists())

    def test_settings_that_a_record_names_run_nothing(self):
        git(self.main, "config", "branch.feature.remote", "origin")
        point, kept = self.deleted("&delete_branch=1&force=1")
        record = json.loads((kept / "record.json").read_text())
        genuine = record["branch"]["settings"]
        self.assertEqual(genuine, [{"key": "branch.feature.remote", "value": "origin"}])
        for key in ("core.fsmonitor", "core.hookspath", "filter.x.clean", "branch.main.remote", "include.path"):
            with self.subTest(key):
                record["branch"]["settings"] = [*genuine, {"key": key, "value": "touch /tmp/x"}]
                (kept / "record.json").write_text(json.dumps(record))
                config = (self.main / ".git" / "config").read_bytes()
                self.again()
                self.assertEqual(self.asks(point["id"])[0], 404)
                self.assertEqual(len(self.unusable()), 1)
                self.assertEqual((self.main / ".git" / "config").read_bytes(), config)
        record["branch"]["settings"] = [
            *genuine, {"key": "branch.feature.pushremote", "value": "ext::sh -c touch"},
            {"key": "branch.feature.mergeoptions", "value": "--strategy=evil"},
        ]
        (kept / "record.json").write_text(json.dumps(record))
        # The log goes where git has it, and nowhere else.
        logs = self.main / ".git" / "logs" / "refs" / "heads"
        self.again()
        status, answer = self.asks(point["id"])
        self.assertEqual(status, 200, answer)
        self.assertIn("pushremote", answer["message"])
        settings = git(self.main, "config", "--local", "--get-regexp", r"^branch\.feature")
        self.assertEqual(settings, "branch.feature.remote origin\n")
        self.assertTrue((logs / "feature").is_file())

    def test_the_log_of_a_branch_is_not_written_through_a_link(self):
        point, kept = self.deleted("&delete_branch=1&force=1")
        logs = self.main / ".git" / "logs" / "refs" / "heads"
        shutil.rmtree(logs)
        logs.symlink_to(self.outside / "deep")
        self.again()
        before = walk(self.outside)
        status, answer = self.asks(point["id"])
        self.assertNotEqual(status, 200, answer)
        self.assertEqual(walk(self.outside), before)
        self.assertTrue((kept / "tree" / ".git").exists())

    def test_a_ref_of_a_point_that_leads_to_a_branch_takes_no_branch_along(self):
        point, _ = self.deleted()
        for number, name in enumerate(("refs/heads/main", "refs/heads/feature")):
            git(self.main, "symbolic-ref", f"refs/freshet/restore/{point['id']}/{number}", name)
        heads = git(self.main, "for-each-ref", "refs/heads")
        self.again()
        status, answer = self.asks(point["id"], "DELETE")
        self.assertEqual(status, 200, answer)
        self.assertEqual(git(self.main, "for-each-ref", "refs/heads"), heads)
        self.assertEqual(git(self.main, "for-each-ref", "refs/freshet"), "")

    def test_refs_of_a_point_that_lie_elsewhere_are_not_removed(self):
        other = repository(self.root / "other")
        point, _ = self.deleted()
        refs = self.main / ".git" / "refs" / "freshet" / "restore" / point["id"]
        refs.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(refs, ignore_errors=True)
        refs.symlink_to(other / ".git" / "refs" / "heads")
        heads = git(other, "for-each-ref")
        self.again()
        self.asks(point["id"], "DELETE")
        self.assertEqual(git(other, "for-each-ref"), heads)

    def test_a_point_does_not_move_the_branch_of_another_repository(self):
        other = repository(self.root / "other")
        first = self.head(other)
        second = self.commit(other, "more.txt")
        self.commit(self.tree, "new.txt")
        self.serve()
        point = self.does("/merge", {})["restore"]
        kept = self.main / ".git" / "freshet" / "restore" / point["id"]
        self.change(kept, point_path=str(other), point_head=first, point_result=second, common=None)
        self.again()
        status, answer = self.asks(point["id"])
        self.assertEqual((status, answer["error"]), (404, "worktree_not_found"), answer)
        self.assertEqual(self.head(other), second)

    # MARK: Moved and copied

    def test_a_repository_that_was_moved_loses_nothing(self):
        for way in ("the repository", "everything"):
            with self.subTest(way):
                (self.tree / "mine.env").write_text("ignored\n")
                (self.tree / "new.txt").write_text("new\n")
                point, _ = self.deleted("&force=1")
                files = {name: each[2] for name, each in walk(self.main / ".git/freshet/restore" / point["id"] / "tree").items()}
                if way == "everything":
                    root = self.root.with_name("elsewhere")
                    os.rename(self.root, root)
                    self.root, self.main, self.tree = root, root / self.main.name, root / "feature"
                else:
                    os.rename(self.main, self.root / "renamed")
                    self.main = self.root / "renamed"
                self.again()
                self.assertEqual([(each["id"], each["path"]) for each in self.points()], [(point["id"], str(self.tree))])
                status, answer = self.asks(point["id"])
                self.assertEqual(status, 200, answer)
                found = {name: each[2] for name, each in walk(self.tree).items()}
                self.assertEqual({**found, b".git": None}, {**files, b".git": None})
                self.assertEqual(git(self.tree, "status", "--porcelain"), "?? new.txt\n")
                self.assertEqual(git(self.tree, "symbolic-ref", "HEAD").strip(), "refs/heads/feature")
                self.assertIn(f"worktree {self.tree}\n", git(self.main, "worktree", "list", "--porcelain"))
                self.assertEqual(git(self.main, "fsck", "--strict"), "")

    def test_a_copy_of_a_repository_has_points_of_its_own(self):
        point, kept = self.deleted()
        second = self.root.with_name("copy")
        shutil.copytree(self.root, second, symlinks=True)
        self.again(self.root, second)
        found = {each["path"]: each["id"] for each in self.points()}
        self.assertEqual(set(found), {str(self.tree), str(second / "feature")})
        self.assertEqual(found[str(self.tree)], point["id"])
        copied = found[str(second / "feature")]
        self.assertNotEqual(copied, point["id"])
        # Not its record, which is replaced from time to time, with what was counted of its age.
        before = [walk(kept / part) for part in ("tree", "git")]
        status, answer = self.asks(copied, "DELETE")
        self.assertEqual(status, 200, answer)
        self.assertFalse((second / "main/.git/freshet").exists())
        for part, old in zip(("tree", "git"), before):
            self.assertEqual({name: each[2] for name, each in walk(kept / part).items()},
                             {name: each[2] for name, each in old.items()})
        status, answer = self.asks(point["id"])
        self.assertEqual(status, 200, answer)
        self.assertEqual(git(self.tree, "status", "--porcelain"), "")
        self.assertEqual(git(second / "main", "rev-parse", "feature"), git(self.main, "rev-parse", "feature"))

    @unittest.skipUnless(os.path.isdir("/dev/shm"), "there is no second file system that everybody may write to")
    def test_a_copy_does_not_take_the_trash_on_another_file_system(self):
        import tempfile

        other = Path(tempfile.mkdtemp(dir="/dev/shm")).resolve()
        self.addCleanup(shutil.rmtree, other, True)
        git(self.main, "worktree", "remove", str(self.tree))
        self.tree = other / "feature"
        git(self.main, "worktree", "add", "-q", str(self.tree), "feature")
        point, _ = self.deleted()
        second = self.root.with_name("copy")
        shutil.copytree(self.root, second, symlinks=True)
        self.again(second)
        self.assertEqual(self.points(), [])
        self.assertIn(str(self.main), "".join(self.unusable()))
        for method in ("POST", "DELETE"):
            self.assertEqual(self.asks(point["id"], method)[0], 404)
        trash = other / ".freshet-trash" / point["id"]
        self.assertTrue((trash / ".git").is_file())
        self.again(self.root)
        self.assertEqual(self.asks(point["id"])[0], 200)
        self.assertTrue((self.tree / ".git").is_file() and not trash.exists())

    def test_a_worktree_outside_of_the_watched_folders_has_its_trash_beside_it(self):
        away = self.folder.path.resolve() / "away"
        git(self.main, "worktree", "remove", str(self.tree))
        self.tree = away / "feature"
        git(self.main, "worktree", "add", "-q", str(self.tree), "feature")
        self.serve()
        point = self.does(method="DELETE")["restore"]
        self.assertTrue((away / ".freshet-trash" / point["id"] / ".git").is_file())
        self.assertEqual(self.asks(point["id"])[0], 200)
        self.assertTrue((self.tree / ".git").is_file())
        self.assertFalse((away / ".freshet-trash").exists())
        self.place = f"{LIST}/{self.server.named('feature')['id']}"


if __name__ == "__main__":
    unittest.main()
