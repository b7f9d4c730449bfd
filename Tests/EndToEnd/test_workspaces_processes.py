"""A process that lives in a worktree keeps it as it is, whatever program it is."""

from __future__ import annotations

import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from program import Folder
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import Workspaces, git, repository

LIST = "/v1/git/worktrees"
AGENTS = (
    "claude", "codex", "gemini", "opencode", "aider", "cursor-agent", "amp", "copilot", "qwen", "goose", "crush",
    "agent", "agy", "kimi", "grok", "droid", "pi", "auggie", "kiro-cli", "devin", "an-agent-of-tomorrow",
)
"""Names of agents: some are known to the program, some are not."""
OTHERS = ("shell", "script", "editor", "open-file", "open-folder", "mapped-shared", "mapped-private", "program-inside", "subfolder", "socket", "relative-socket", "folder-of-a-thread", "file-of-a-thread", "thread-that-is-left")
"""Other ways in which a process uses a worktree."""


#: Ways in which a thread uses it and the first thread of its process does not.
THREADS = ("folder-of-a-thread", "file-of-a-thread", "thread-that-is-left")
#: Ways that take a namespace of mounts, which not every machine gives to everybody.
NAMESPACES = ("bound-folder", "bound-subfolder", "bound-file", "bound-socket", "overlay-folder", "overlay-file", "root")
if subprocess.run(("unshare", "-Urm", "true"), capture_output=True, check=False).returncode == 0:
    OTHERS += NAMESPACES
PYTHON = """import os, socket, sys
what, tree, other = sys.argv[1:]
if what == "root":
    os.chroot(tree)
elif what in ("bound-folder", "bound-subfolder", "overlay-folder"):
    os.chdir(other)
elif what in ("mapped-shared", "mapped-private"):
    import mmap
    with open(tree + "/dir0/file0.txt", "r+b") as file:
        memory = mmap.mmap(file.fileno(), 0, mmap.MAP_SHARED if what == "mapped-shared" else mmap.MAP_PRIVATE)
elif what in ("bound-file", "overlay-file"):
    file = open(other + "/file0.txt")
elif what.endswith("of-a-thread") or what == "thread-that-is-left":
    import ctypes, threading
    system, is_there = ctypes.CDLL(None), threading.Event()
    def run():
        # CLONE_FS and CLONE_FILES: from here on they are the thread's own.
        if what == "folder-of-a-thread":
            assert system.unshare(0x200) == 0
            os.chdir(tree)
        elif what == "file-of-a-thread":
            assert system.unshare(0x400) == 0
            os.open(tree + "/dir0/file0.txt", os.O_RDONLY)
        else:
            os.chdir(tree)
        is_there.set()
        if what == "thread-that-is-left":
            while not open("/proc/self/stat").read().rpartition(")")[2].startswith(" Z"):
                pass
            print("ready", flush=True)
        os.read(0, 1) if what == "thread-that-is-left" else threading.Event().wait()
        os._exit(0)
    threading.Thread(target=run, daemon=True).start()
    is_there.wait()
    if what == "thread-that-is-left":
        system.pthread_exit(None)
else:
    if what == "relative-socket":
        os.chdir(tree)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("socket" if what == "relative-socket" else (tree if what == "socket" else other) + "/socket")
    listener.listen()
print("ready", flush=True)
sys.stdin.read()
"""


class ProcessTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.remove)
        cls.root = cls.folder.path.resolve() / "work"
        cls.bin = cls.folder.path.resolve() / "bin"
        cls.bin.mkdir()
        # Actions on one repository wait for each other.
        mains = [repository(cls.root / f"main{number}") for number in range(6)]
        for main in mains:
            (main / ".gitignore").write_text("ignored/\n")
            git(main, "add", ".")
            git(main, "commit", "-q", "-m", "ignore")
        cls.mains = {name: mains[number % len(mains)] for number, name in enumerate((*AGENTS, *OTHERS, "named"))}
        for name in (*AGENTS, *OTHERS):
            git(cls.mains[name], "worktree", "add", "-q", "-b", name, str(cls.root / name))
            (cls.root / name / f"{name}.txt").write_text("mine\n")
            git(cls.root / name, "add", ".")
            git(cls.root / name, "commit", "-q", "-m", name)
        cls.server = Workspaces(cls.folder, roots=[cls.root])
        cls.addClassCleanup(cls.server.__exit__)

    def copy(self, name: str, folder: Path | None = None) -> Path:
        """A program of that name that waits for five minutes."""
        place = (folder or self.bin) / name
        shutil.copy("/bin/sleep", place)
        return place

    def start(self, *command: str | Path, cwd: Path, **more) -> subprocess.Popen:
        process = subprocess.Popen([str(each) for each in command], cwd=cwd, stdout=subprocess.DEVNULL, **more)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process: subprocess.Popen) -> None:
        process.kill()
        process.wait()

    def refuses(self, process: subprocess.Popen, tree: Path, name: str) -> None:
        """Nothing is done to the worktree, and the answer names the process."""
        asked = (
            ("DELETE", "", None), ("DELETE", "?force=1", None), ("DELETE", "?force=1&ignored=1&delete_branch=1", None),
            ("POST", "/merge", {"auto_cleanup": True}), ("POST", "/sync", {"strategy": "rebase"}),
            ("POST", "/sync", {"strategy": "merge"}),
        )
        # Every third one of each agent and every second one of each other way, in turn; in long tests all.
        ways = AGENTS if tree.name in AGENTS else OTHERS
        step = sized(3 if ways is AGENTS else 2, long=1)
        place = f"{LIST}/{self.server.named(tree.name)['id']}"
        head = git(tree, "rev-parse", "HEAD")
        main = git(self.mains[tree.name], "rev-parse", "main")
        for method, what, body in asked[ways.index(tree.name) % step::step]:
            with self.subTest(f"{method} {what} {body}"):
                status, _, answer = self.server.ask(place + what, method, body)
                self.assertEqual((status, answer["error"]), (409, "agent_active"), answer)
                known = {each["pid"]: each["name"] for each in answer.get("processes", [])}
                if "processes" in answer:
                    self.assertIn(process.pid, known, answer)
                    self.assertEqual(known[process.pid], name[:15], answer)
                    self.assertIn(f"process {process.pid}", answer["detail"])
        self.assertTrue((tree / f"{tree.name}.txt").exists())
        self.assertEqual(git(tree, "rev-parse", "HEAD"), head)
        self.assertEqual(git(self.mains[tree.name], "rev-parse", "main"), main)

    def goes(self, tree: Path, what: str = "") -> None:
        place = f"{LIST}/{self.server.named(tree.name)['id']}"
        status, _, answer = self.server.ask(place + what, "DELETE")
        self.assertEqual(status, 200, answer)
        self.assertFalse(tree.exists())

    def try_agent(self, name: str) -> None:
        tree = self.root / name
        process = self.start(self.copy(name), "300", cwd=tree)
        self.refuses(process, tree, name)
        self.end(process)
        # An agent that was known may be known for a moment as one that has ended.
        self.goes(tree, "?force=1")

    def try_way(self, way: str) -> None:
        tree = self.root / way
        name = "sleep"
        if way == "shell":
            process = self.start("/bin/sh", "-c", "read line", cwd=tree, stdin=subprocess.PIPE)
            name = "sh"
        elif way == "script":
            script = self.bin / "tool.py"
            script.write_text(f"#!{sys.executable}\nimport sys; sys.stdin.read()\n")
            script.chmod(0o755)
            process = self.start(script, cwd=tree, stdin=subprocess.PIPE)
            name = "tool.py"
        elif way == "editor":
            process = self.start(self.copy("vim"), "300", cwd=tree)
            name = "vim"
        elif way == "open-file":
            with open(tree / "dir0" / "file0.txt", "rb") as file:
                process = self.start("/bin/sleep", "300", cwd=self.bin, stdin=file)
        elif way == "open-folder":
            # A descriptor of a folder, as programs have that work relative to it.
            command = f"exec 3<'{tree / 'dir1'}'; exec /bin/sleep 300"
            process = self.start("/bin/bash", "-c", command, cwd=self.bin)
        elif way in ("socket", "relative-socket", "mapped-shared", "mapped-private", *NAMESPACES, *THREADS):
            process = self.stranger(way, tree)
            name = Path(f"/proc/{process.pid}/comm").read_text().strip()
        elif way == "program-inside":
            (tree / "ignored").mkdir()
            process = self.start(self.copy("server", tree / "ignored"), "300", cwd=self.bin)
            name = "server"
        else:
            process = self.start("/bin/sleep", "300", cwd=tree / "dir2")
        if way in ("shell", "script", "open-folder"):
            self.settle(process, name)
        self.refuses(process, tree, name)
        self.end(process)
        self.goes(tree, "?ignored=1")

    def stranger(self, way: str, tree: Path) -> subprocess.Popen:
        """A process that uses a worktree in a way of its own, by another path in a namespace of its own."""
        other = self.bin / f"other-{way}"
        other.mkdir()
        command = [sys.executable, "-c", PYTHON, way, str(tree), str(other)]
        if way in NAMESPACES:
            source = tree / "dir0" if way in ("bound-subfolder", "bound-file", "overlay-file") else tree
            mount = "true" if way == "root" else f"mount --bind '{source}' '{other}'"
            if way.startswith("overlay"):
                # Linux wants the upper layer elsewhere than in an overlay.
                mount = (f"mount -t tmpfs none '{other}' && mkdir '{other}/up' '{other}/work' '{other}/all' && mount -t overlay none "
                         f"-o 'lowerdir={source},upperdir={other}/up,workdir={other}/work' '{other}/all'")
                other = other / "all"
                command = [sys.executable, "-c", PYTHON, way, str(tree), str(other)]
            command = ["unshare", "-Urm", "sh", "-c", f'{mount} && exec "$@"', "sh", *command]
        process = subprocess.Popen(command, cwd=self.bin, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.end, process)
        self.assertEqual(process.stdout.readline(), "ready\n")
        return process

    def settle(self, process: subprocess.Popen, name: str) -> None:
        """Waits until a process is the program that it is to become."""
        place = Path(f"/proc/{process.pid}/comm")
        while process.poll() is None and place.read_text().strip() != name[:15]:
            pass

    def test_a_process_that_is_named_is_not_a_reason_and_keeps_its_folder(self):
        tree = self.root / "named"
        git(self.mains["named"], "worktree", "add", "-q", "-b", "named", str(tree))
        first = self.start(self.copy("first"), "300", cwd=tree)
        second = self.start(self.copy("second"), "300", cwd=tree)
        while not any(each["path"] == str(tree) for each in self.server.worktrees()):
            pass
        place = f"{LIST}/{self.server.named('named')['id']}"
        status, _, answer = self.server.ask(f"{place}?processes={first.pid}", "DELETE")
        self.assertEqual((status, [each["pid"] for each in answer["processes"]]), (409, [second.pid]), answer)
        status, _, answer = self.server.ask(f"{place}?processes=x", "DELETE")
        self.assertEqual((status, answer["error"]), (400, "invalid_parameter"))
        status, _, answer = self.server.ask(f"{place}?processes={first.pid},{second.pid}", "DELETE")
        self.assertEqual(status, 200, answer)
        self.assertFalse(tree.exists())
        # What lives there goes with the folder, and comes back with it.
        self.assertTrue(Path(f"/proc/{first.pid}/cwd").resolve().exists())
        status, _, answer = self.server.ask(f"/v1/git/restore/{answer['restore']['id']}", "POST")
        self.assertEqual(status, 200, answer)
        self.assertEqual(Path(f"/proc/{first.pid}/cwd").resolve(), tree)
        self.assertEqual(Path(f"/proc/{second.pid}/cwd").resolve(), tree)


def _test(method: str, name: str):
    return lambda self: getattr(self, method)(name)


for _name in AGENTS:
    setattr(ProcessTest, f"test_an_agent_called_{_name.replace('-', '_')}_keeps_its_worktree", _test("try_agent", _name))
for _name in OTHERS:
    setattr(ProcessTest, f"test_a_process_keeps_a_worktree_by_{_name.replace('-', '_')}", _test("try_way", _name))


class TargetTest(unittest.TestCase):
    def test_a_merge_is_not_made_under_a_process(self):
        folder = Folder()
        self.addCleanup(folder.remove)
        root = folder.path.resolve() / "work"
        main = repository(root / "main")
        tree = main / "trees" / "feature"
        git(main, "worktree", "add", "-q", "-b", "feature", str(tree))
        (main / ".git" / "info" / "exclude").write_text("trees/\n")
        (tree / "new.txt").write_text("new\n")
        git(tree, "add", ".")
        git(tree, "commit", "-q", "-m", "new")
        server = self.enterContext(Workspaces(folder, roots=[root]))
        place = f"{LIST}/{server.named('feature')['id']}"
        process = subprocess.Popen(["/bin/sleep", "300"], cwd=main)
        self.addCleanup(ProcessTest.end, process)
        status, _, answer = server.ask(f"{place}/merge", "POST", {})
        self.assertEqual((status, answer["error"]), (409, "agent_active"), answer)
        self.assertFalse((main / "new.txt").exists())
        ProcessTest.end(process)
        # A process in a worktree within is not one of the worktree around it.
        inner = subprocess.Popen(["/bin/sleep", "300"], cwd=tree)
        self.addCleanup(ProcessTest.end, inner)
        status, _, answer = server.ask(f"{place}/merge", "POST", {})
        self.assertEqual(status, 200, answer)
        self.assertTrue((main / "new.txt").exists())
        status, _, answer = server.ask(f"/v1/git/restore/{answer['restore']['id']}", "POST", {})
        self.assertEqual(status, 200, answer)
        status, _, answer = server.ask(f"{place}/merge", "POST", {"processes": [inner.pid], "auto_cleanup": True})
        self.assertEqual(status, 200, answer)
        self.assertFalse(tree.exists())


if __name__ == "__main__":
    unittest.main()
