"""No program that a repository names runs because it is shown, or acted on without trust."""

from __future__ import annotations

import os
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from hostile_zoo import LIST, WAYS, Way, ZooTest
from program import until
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import Workspaces


class HostileTest(ZooTest):
    def test_nothing_runs_in_a_zoo_of_hostile_repositories(self):
        for way in WAYS:
            place = self.zoo.add(way.name)
            way.make(place, self.zoo.root / f"{way.name}-tree", self.zoo.program(way.name))
        # To make them is what a person does; from here on it is the server.
        for each in self.zoo.marks.iterdir():
            each.unlink()
        server = self.serve()
        trees = {way.name: self.zoo.root / f"{way.name}-tree" for way in WAYS}
        until(lambda: {str(tree) for tree in trees.values()} <= {each["path"] for each in server.worktrees()})
        for tree in trees.values():
            self.change(tree)
        until(lambda: all(
            each["git"]["unstaged"] > 0 or each["git"].get("problem") for each in server.worktrees()
            if each["path"].endswith("-tree")
        ))
        self.assertEqual(self.zoo.marked(), [], "watched")
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda each: self.looks(server, each), server.worktrees()))
        self.assertEqual(self.zoo.marked(), [], "looked at, compared, checked")
        shown = {each["path"]: each for each in server.worktrees()}
        with ThreadPoolExecutor(8) as pool:
            faults = list(pool.map(lambda way: self.acts(server, way, shown[str(trees[way.name])]), WAYS))
        self.assertEqual([fault for each in faults for fault in each], [])
        self.assertEqual(self.zoo.marked(), [], "acted on without trust")
        server.stop()
        # Every one of them would have run.
        for way in WAYS:
            if way.person:
                with self.subTest(f"{way.name} at the terminal"):
                    self.change(trees[way.name])
                    self.zoo.person(trees[way.name], *way.person)
                    self.assertIn(way.name, self.zoo.marked())
        # To remove them runs nothing either.
        for each in self.zoo.marks.iterdir():
            each.unlink()
        server = self.serve()
        until(lambda: {str(tree) for tree in trees.values()} <= {each["path"] for each in server.worktrees()})
        places = [each["id"] for each in server.worktrees() if Path(each["path"]) in trees.values()]
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda place: server.ask(f"{LIST}/{place}?force=1&delete_branch=1", "DELETE"), places))
        self.assertEqual(self.zoo.marked(), [], "removed")

    @staticmethod
    def looks(server: Workspaces, worktree: dict) -> None:
        place = f"{LIST}/{worktree['id']}"
        for path, method in (
            (place, "GET"), (f"{place}/diff", "GET"), (f"{place}/merge/check", "GET"), (f"{place}/sync/check", "GET"),
            (f"{place}/refresh", "POST"), (f"{place}/seen", "POST"), (f"/v1/sessions/workspace/{worktree['id']}", "GET"),
            (f"/v1/git/branches/{worktree['repo_id']}", "GET"),
        ):
            server.ask(path, method)

    def acts(self, server: Workspaces, way: Way, worktree: dict) -> list:
        """What is wrong with what is shown of a repository, and with what becomes of what is asked for."""
        faults = []
        trust = worktree["git"].get("trust")
        if way.key is not None:
            named = [each for each in (trust or {}).get("programs", []) if each["key"] == way.key or not way.key]
            use = "action" if way.acts else "terminal"
            if not named or trust["state"] != "untrusted" or trust["count"] != len(trust["programs"]):
                faults.append((way.name, "it is not shown", trust))
            for each in named:
                if each["use"] != use or not Path(each["file"]).is_file() or str(self.zoo.base) not in each["command"] + each["file"]:
                    faults.append((way.name, "it is not shown right", each))
        place = f"{LIST}/{worktree['id']}"
        self.change(Path(worktree["path"]))
        asked = (
            (f"{place}/merge", {}), (f"{place}/merge", {"squash": True}), (f"{place}/sync", {"strategy": "rebase"}),
            (f"{place}/sync", {"strategy": "merge"}), (f"{place}/sync", {"strategy": "merge", "fetch": True}),
            (LIST, {"repository": str(self.zoo.root / way.name / ".git"), "branch": "made"}),
        )
        # Every second one of each way, in turn; in long tests all.
        for path, body in asked[sized(WAYS.index(way) % 2, long=0)::sized(2, long=1)]:
            status, _, answer = server.ask(path, "POST", body)
            if way.key is not None and way.acts and (way.creates or path != LIST):
                if (status, answer.get("error")) != (409, "untrusted_repository") or not answer.get("files"):
                    faults.append((way.name, path, body, answer))
        return faults

    def test_nothing_runs_while_a_configuration_changes_all_the_time(self):
        names = [f"racer{number}" for number in range(3)]
        command = self.zoo.program("racer")
        for name in names:
            self.zoo.add(name)
        server = self.serve()
        if server.metric("freshet_workspaces_contained") != 1:
            self.skipTest("this kernel does not keep programs from starting others")
        stop = threading.Event()

        def race(name: str) -> None:
            config = self.zoo.root / name / ".git" / "config"
            harmless = config.read_text()
            hostile = harmless + f'[filter "evil"]\n\tclean = "{command}; cat"\n[core]\n\tfsmonitor = "{command}"\n'
            fresh = config.with_name("fresh")
            number = 0
            while not stop.is_set():
                number += 1
                fresh.write_text(hostile if number % 2 else harmless)
                os.replace(fresh, config)
                time.sleep(0.002)
                if number % 50 == 0:
                    self.change(self.zoo.root / f"{name}-tree")

        threads = [threading.Thread(target=race, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        try:
            for _ in range(sized(4, long=8)):
                for each in server.worktrees():
                    for path, method in (("/refresh", "POST"), ("/diff", "GET"), ("/merge/check", "GET")):
                        server.ask(f"{LIST}/{each['id']}{path}", method)
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        self.assertEqual(self.zoo.marked(), [])


if __name__ == "__main__":
    unittest.main()
