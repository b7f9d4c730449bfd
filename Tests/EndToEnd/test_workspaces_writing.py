"""Git writes in the repository and its worktrees only, and runs nothing that a repository names, whatever signing and filters the user has configured."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
import time
import unittest
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from hostile_zoo import LIST, Zoo
from program import Folder, until
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from workspaces import Workspaces, git, repository

LFS = '[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n\trequired = true\n'
#: A git in front of git, that changes the configuration in the moment between its reading by the server and the start of a command.
RACING_GIT = r"""
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **words) {
  const char *common = getenv("GIT_COMMON_DIR") ? getenv("GIT_COMMON_DIR") : getenv("GIT_DIR");
  int place = 1;
  while (place < count && words[place][0] == '-') place += strcmp(words[place], "-c") ? 1 : 2;
  for (const char *each = COMMANDS; common && place < count && *each; each += strlen(each) + 1) {
    if (strcmp(each, words[place])) continue;
    char from[4096], to[4096];
    snprintf(from, sizeof from, "%s/hostile", common);
    snprintf(to, sizeof to, "%s/config", common);
    if (rename(from, to)) continue;
    snprintf(to, sizeof to, "%s/raced", common);
    close(open(to, O_CREAT | O_WRONLY, 0600));
  }
  execv(GIT, words);
  return 127;
}
"""
#: A git-lfs that is a program, as the real one is: it gives back what it gets, and writes where it should not.
FAKE_LFS = r"""
#include <stdio.h>
#include <string.h>
int main(int count, char **words) {
  if (count < 2 || (strcmp(words[1], "clean") && strcmp(words[1], "smudge"))) return 1;
  FILE *ran = fopen(RAN, "a");
  if (ran) fclose(ran);
  FILE *mark = fopen(MARK, "w");
  if (mark) fclose(mark);
  for (int byte; (byte = getchar()) != EOF;) putchar(byte);
  return 0;
}
"""


class WritingTest(unittest.TestCase):
    def setUp(self):
        self.folder = Folder()
        self.addCleanup(self.folder.remove)
        self.zoo = Zoo(self.folder)
        #: A file that is not to be touched.
        self.victim = self.zoo.base / "victim"
        self.victim.write_text("precious\n")

    def serve(self, **more) -> Workspaces:
        server = self.zoo.serve(**more)
        self.addCleanup(server.__exit__)
        if server.metric("freshet_workspaces_contained") != 1:
            self.skipTest("this kernel does not keep programs from writing")
        return server

    def own(self, text: str) -> None:
        """Adds to what the person has configured."""
        with open(self.zoo.home / ".gitconfig", "a") as file:
            file.write(text)

    def script(self, name: str, text: str) -> Path:
        place = self.zoo.programs / name
        place.write_text(f"#!/bin/sh\n{text}")
        place.chmod(0o755)
        return place

    def lfs(self, place: Path) -> str:
        """Installs a git-lfs that tells in the repository that it ran; gives the search path."""
        tools = self.zoo.base / "tools"
        tools.mkdir(exist_ok=True)
        (place / ".git" / "lfs").mkdir(exist_ok=True)
        subprocess.run(
            ["cc", "-x", "c", "-", "-o", str(tools / "git-lfs"), f'-DMARK="{self.victim}"', f'-DRAN="{place}/.git/lfs/ran"'],
            input=FAKE_LFS.encode(), check=True,
        )
        self.own(LFS)
        return f"{tools}:{os.environ['PATH']}"

    def place(self, server: Workspaces, name: str) -> str:
        return f"{LIST}/{server.named(name)['id']}"

    def assert_untouched(self) -> None:
        self.assertEqual(self.victim.read_text(), "precious\n")

    # MARK: Writing

    def test_links_among_what_git_writes_are_refused_before_anything_is_done(self):
        names = {
            "message": "MERGE_MSG", "edited": "COMMIT_EDITMSG", "tree": "AUTO_MERGE", "squash": "SQUASH_MSG",
            "log": "logs/refs/heads/main", "deep-log": "logs/refs/heads/deep/er", "objects": "objects/free", "heads": "refs/heads/deep",
            "bytes": b"refs/heads/\xff".decode(errors="surrogateescape"), "gone": "MERGE_MODE",
        }
        for name, path in names.items():
            repo = self.zoo.add(name)
            git(repo, "config", "commit.gpgSign", "true")
            target = self.zoo.base / "elsewhere" / name
            target.mkdir(parents=True)
            link = repo / ".git" / path
            if name == "objects":
                # One that holds no object, as a commit whose object is gone cannot be merged anyway.
                link = next(place for place in (link.with_name(f"{number:02x}") for number in range(256)) if not place.exists())
            link.parent.mkdir(parents=True, exist_ok=True)
            if link.is_dir():
                shutil.rmtree(link)
            link.unlink(missing_ok=True)
            leads = {"objects": target, "heads": target, "gone": target / "nothing"}.get(name, self.victim)
            link.symlink_to(leads)
        server = self.serve()
        for name in names:
            with self.subTest(name):
                before = git(self.zoo.root / name, "rev-parse", "main")
                for what in ("merge", "sync"):
                    status, _, answer = server.ask(f"{self.place(server, f'{name}-tree')}/{what}", "POST", {})
                    self.assertEqual((status, answer["error"]), (409, "outside_watched_folders"), (what, answer))
                self.assertEqual(git(self.zoo.root / name, "rev-parse", "main"), before)
                self.assertEqual(git(self.zoo.root / name, "status", "--porcelain", "--untracked-files=no"), "")
                self.assertEqual(list((self.zoo.base / "elsewhere" / name).iterdir()), [])
        self.assert_untouched()

    def test_links_that_come_and_go_lead_nowhere(self):
        repo = self.zoo.add("racing")
        tree = self.zoo.root / "racing-tree"
        git(repo, "config", "commit.gpgSign", "true")
        git(repo, "config", "merge.verifySignatures", "true")
        server = self.serve()
        stop = threading.Event()

        def race() -> None:
            number = 0
            while not stop.is_set():
                number += 1
                for name in ("MERGE_MSG", "COMMIT_EDITMSG", "AUTO_MERGE", "MERGE_MODE", "ORIG_HEAD"):
                    link = repo / ".git" / name
                    with contextlib.suppress(OSError):
                        if number % 2:
                            link.unlink(missing_ok=True)
                            link.symlink_to(self.victim)
                        elif link.is_symlink():
                            link.unlink()
                time.sleep(0.001)

        thread = threading.Thread(target=race)
        thread.start()
        try:
            for number in range(6):
                (tree / f"more{number}").write_text("more\n")
                git(tree, "add", ".")
                git(tree, "-c", "commit.gpgSign=false", "commit", "-q", "-m", "more")
                for body in ({}, {"squash": True}):
                    server.ask(f"{self.place(server, 'racing-tree')}/merge", "POST", body)
        finally:
            stop.set()
            thread.join()
        self.assert_untouched()

    def test_the_persons_own_programs_write_in_the_repository_only(self):
        """Each runs in the midst of a merge, where a link may lead, and writes where it may and where it may not."""
        repo = self.zoo.add("own")
        for what in ("signs", "hooks", "filters"):
            (repo / ".git" / what).mkdir(exist_ok=True)

        def attempt(what: str) -> str:
            return f"echo x > '{repo}/.git/{what}/ran'\necho x 2>/dev/null > '{self.victim}'\n"

        signer = self.script("gpg", attempt("signs") + 'cat > /dev/null\necho "[GNUPG:] BEGIN_SIGNING" >&2\necho "[GNUPG:] SIG_CREATED " >&2\n'
                             "echo '-----BEGIN PGP SIGNATURE-----'\necho x\necho '-----END PGP SIGNATURE-----'\n")
        hooks = self.zoo.programs / "hooks"
        hooks.mkdir()
        shutil.move(self.script("prepare-commit-msg", attempt("hooks") + "exit 0\n"), hooks)
        smudge = self.script("smudge", attempt("filters") + "cat\n")
        self.own(f"[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = {signer}\n[core]\n\thooksPath = {hooks}\n[filter \"evil\"]\n\tsmudge = {smudge}\n")
        server = self.serve()
        status, _, answer = server.ask(f"{self.place(server, 'own-tree')}/merge", "POST", {})
        self.assertEqual(status, 200, answer)
        for what in ("signs", "hooks", "filters"):
            self.assertTrue((repo / ".git" / what / "ran").exists(), what)
        self.assertIn("BEGIN PGP SIGNATURE", git(repo, "cat-file", "commit", "main"))
        self.assert_untouched()

    def test_the_persons_git_lfs_writes_in_the_repository_only(self):
        repo = self.zoo.add("large")
        (repo / ".git" / "info").mkdir(exist_ok=True)
        (repo / ".git" / "info" / "attributes").write_text("*.dat filter=lfs\n")
        server = self.serve(PATH=self.lfs(repo))
        until(lambda: not server.named("large-tree")["is_dirty"])
        for what, body in (("sync", {"strategy": "merge"}), ("merge", {})):
            (repo / ".git" / "lfs" / "ran").unlink(missing_ok=True)
            status, _, answer = server.ask(f"{self.place(server, 'large-tree')}/{what}", "POST", body)
            self.assertEqual(status, 200, answer)
            self.assertTrue((repo / ".git" / "lfs" / "ran").exists(), f"{what} runs git-lfs")
        status, _, answer = server.ask(LIST, "POST", {"repository": str(repo), "branch": "made"})
        self.assertEqual(status, 201, answer)
        self.assertEqual((Path(answer["worktree"]["path"]) / "a.dat").read_text(), (repo / "a.dat").read_text())
        self.assert_untouched()

    # MARK: Running

    def test_a_signature_that_the_repository_wants_needs_trust(self):
        repo = self.zoo.add("signed")
        self.own(f"[gpg]\n\tprogram = {self.script('gpg', f'echo >> {self.zoo.marks}/signed; exit 1')}\n")
        git(repo, "config", "commit.gpgSign", "true")
        server = self.serve()
        trust = server.named("signed")["git"]["trust"]
        self.assertEqual([(each["key"], each["use"]) for each in trust["programs"]], [("commit.gpgsign", "signature")])
        path = self.place(server, "signed-tree")
        status, _, answer = server.ask(f"{path}/merge", "POST", {})
        self.assertEqual((status, self.zoo.marked()), (200, []), answer)
        self.assertNotIn("gpgsig", git(repo, "cat-file", "commit", "main"))
        server.ask(f"{path}/trust", "POST", {"digest": trust["digest"]})
        (self.zoo.root / "signed-tree" / "more").write_text("more\n")
        git(self.zoo.root / "signed-tree", "add", "more")
        git(self.zoo.root / "signed-tree", "-c", "commit.gpgSign=false", "commit", "-q", "-m", "more")
        server.ask(f"{path}/merge", "POST", {})
        self.assertEqual(self.zoo.marked(), ["signed"])

    def racing(self, *commands: str) -> Path:
        """A folder with a git in whose commands the configuration `hostile` of a repository takes the place of the one that was read."""
        tools = self.zoo.base / "racing"
        tools.mkdir()
        words = "".join(f"{command}\\0" for command in commands)
        real = git(self.zoo.base, "--exec-path").strip() + "/git"
        subprocess.run(["cc", "-x", "c", "-", "-o", str(tools / "git"), f'-DCOMMANDS="{words}"', f'-DGIT="{real}"'],
                       input=RACING_GIT.encode(), check=True)
        return tools

    @contextlib.contextmanager
    def raced(self, repo: Path, hostile: str) -> Iterator[None]:
        """Something during which a configuration changes; it has to, and nothing that it names may run."""
        config = repo / ".git" / "config"
        harmless = config.read_text()
        (repo / ".git" / "hostile").write_text(harmless + hostile)
        for each in (repo / ".git").glob("ran-*"):
            each.unlink()
        yield
        self.assertTrue((repo / ".git" / "raced").exists(), "the configuration did not change")
        self.assertEqual([each.name for each in (repo / ".git").glob("ran-*")], [])
        (repo / ".git" / "raced").unlink()
        config.write_text(harmless)

    def hostile(self, repo: Path, **more: str) -> str:
        """A configuration whose programs leave marks in the repository, where they may write."""
        text = ""
        for key, value in {
            'filter "evil"/clean': "{}; cat", 'filter "evil"/smudge': "{}; cat", 'merge "evil"/driver': "{}", "gpg/program": "{}",
            "commit/gpgSign": "true", "merge/verifySignatures": "true", "core/fsmonitor": "{}", "core/hooksPath": f"{repo}/.git/evil",
            **more,
        }.items():
            section, name = key.rsplit("/", 1)
            program = self.script(f"{repo.name}-{name}", f"echo >> '{repo}/.git/ran-{name}'\nexit 1\n")
            text += f'[{section}]\n\t{name} = "{value.format(program)}"\n'
        hooks = repo / ".git" / "evil"
        hooks.mkdir(exist_ok=True)
        for name in ("reference-transaction", "post-checkout", "post-merge", "pre-merge-commit", "prepare-commit-msg", "post-index-change"):
            shutil.copy(self.script(f"{repo.name}-hook", f"echo >> '{repo}/.git/ran-hook'\n"), hooks / name)
        return text

    def test_nothing_runs_that_is_named_after_the_configuration_was_read(self):
        """A signature that the repository wants, and the person's git-lfs, open no way to a shell."""
        names = ["plain", "signing", "large"]
        for name in names:
            self.zoo.add(name)
        git(self.zoo.root / "signing", "config", "commit.gpgSign", "true")
        search = self.lfs(self.zoo.root / "large")
        (self.zoo.root / "large" / ".git" / "info").mkdir(exist_ok=True)
        (self.zoo.root / "large" / ".git" / "info" / "attributes").write_text("*.txt filter=lfs\n")
        tools = self.racing("merge", "rebase", "commit", "worktree")
        server = self.serve(PATH=f"{tools}:{search}")
        for name in names:
            repo, tree = self.zoo.root / name, self.zoo.root / f"{name}-tree"
            path = self.place(server, tree.name)
            hostile = self.hostile(repo)
            for number, (what, body) in enumerate((("sync", {"strategy": "merge"}), ("merge", {}), ("sync", {}), ("merge", {"squash": True}))):
                with self.subTest(name=name, what=what, body=body):
                    changed = repo if what == "sync" else tree
                    file = changed / "a.dat"
                    lines = file.read_text().splitlines()
                    lines[18 if what == "sync" else 8] = f"number {number}"
                    file.write_text("\n".join(lines) + "\n")
                    git(changed, "-c", "commit.gpgSign=false", "commit", "-q", "-a", "-m", f"more {number}")
                    with self.raced(repo, hostile):
                        server.ask(f"{path}/{what}", "POST", body)
                    for each in (repo, tree):
                        for undo in ("merge", "rebase"):
                            git(each, undo, "--abort", check=False)
                        git(each, "reset", "-q", "--hard")
        # A person at the terminal would run them.
        repo = self.zoo.root / "plain"
        hostile = self.hostile(repo)
        with open(repo / ".git" / "config", "a") as file:
            file.write(hostile)
        self.zoo.person(repo, "-c", "commit.gpgSign=false", "checkout", "-q", "HEAD~1")
        self.assertIn("ran-smudge", [each.name for each in (repo / ".git").glob("ran-*")])

    @unittest.skipUnless(shutil.which("gpg") and shutil.which("gpgconf"), "there is no GnuPG")
    def test_the_persons_gnupg_signs_and_opens_no_way_to_a_shell(self):
        home = {**os.environ, "HOME": str(self.zoo.home)}
        home.pop("GNUPGHOME", None)
        (self.zoo.home / ".gnupg").mkdir(mode=0o700)
        self.addCleanup(subprocess.run, ["gpgconf", "--kill", "all"], env=home, capture_output=True, check=False)
        subprocess.run(["gpg", "--batch", "--passphrase", "", "--quick-gen-key", "Test <test@example.org>", "default", "default", "never"],
                       env=home, capture_output=True, check=True)
        # What has to be started is started for it.
        subprocess.run(["gpgconf", "--kill", "all"], env=home, capture_output=True, check=True)
        self.own("[commit]\n\tgpgSign = true\n")
        repo = self.zoo.add("signed")
        server = self.serve(PATH=f"{self.racing('merge')}:{os.environ['PATH']}")
        # A merge driver that cannot run is a conflict.
        with self.raced(repo, self.hostile(repo).replace('merge "evil"', 'merge "other"')):
            status, _, answer = server.ask(f"{self.place(server, 'signed-tree')}/merge", "POST", {})
        self.assertEqual(status, 200, answer)
        self.assertEqual(git(repo, "log", "-1", "--format=%P", "main").count(" "), 1, "a merge")
        subprocess.run(["git", "verify-commit", "main"], cwd=repo, env=home, capture_output=True, check=True)

    def test_what_a_submodule_names_does_not_run_beside_git_lfs(self):
        """Not even what a shell does by itself."""
        repo = self.zoo.add("large")
        tree = self.zoo.root / "large-tree"
        source = repository(self.zoo.base / "modules" / "inner")
        Zoo.commit(source, ".gitattributes", "*.txt filter=evil\n")
        git(tree, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(source), "inner")
        git(tree, "commit", "-q", "-m", "submodule")
        search = self.lfs(repo)
        mark = repo / ".git" / "lfs" / "shell"
        git(tree / "inner", "config", "filter.evil.clean", f"echo ran > '{mark}'; while read -r line; do echo $line; done")
        (tree / ".gitattributes").write_text("*.dat filter=lfs\n")
        server = self.serve(PATH=search)
        until(lambda: server.named("large-tree")["git"]["unstaged"] == 1)
        # Of the same size, so that git has to read them to know.
        for file in (tree / "a.dat", tree / "inner" / "dir0" / "file0.txt"):
            file.write_text(file.read_text().replace("line 5", "LINE 5"))
        until(lambda: server.named("large-tree")["git"]["unstaged"] == 3)
        self.assertTrue((repo / ".git" / "lfs" / "ran").exists(), "git-lfs runs")
        self.assertFalse(mark.exists())
        self.assert_untouched()
        # A person at the terminal would run it.
        self.zoo.person(tree / "inner", "status")
        self.assertTrue(mark.exists())

    # MARK: Fetching

    @contextlib.contextmanager
    def remote(self, repo: Path) -> Iterator[str]:
        """Serves a repository by HTTP, with a cookie for everybody."""
        bare = self.zoo.base / "served" / "remote.git"
        bare.parent.mkdir()
        git(self.zoo.base, "clone", "-q", "--bare", str(repo), str(bare))
        git(bare, "update-server-info")

        class Handler(SimpleHTTPRequestHandler):
            def end_headers(self) -> None:
                self.send_header("Set-Cookie", "evil=1; Max-Age=1000000")
                super().end_headers()

            def send_head(self):
                if "locked" not in self.path:
                    return super().send_head()
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="x"')
                self.end_headers()
                return None

            def log_message(self, *_: object) -> None:
                pass

        web = ThreadingHTTPServer(("127.0.0.1", 0), lambda *each: Handler(*each, directory=str(bare.parent)))
        thread = threading.Thread(target=web.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{web.server_port}/remote.git"
        finally:
            web.shutdown()
            thread.join()
            web.server_close()

    def fetchable(self, name: str, url: str) -> Path:
        repo = self.zoo.add(name)
        git(repo, "config", "remote.origin.url", url)
        git(repo, "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
        return repo

    def test_a_fetch_asks_for_trust_of_the_files_and_authorities_that_a_repository_names(self):
        settings = {
            "cookies": [("http.cookieFile", str(self.victim)), ("http.saveCookies", "true")],
            "key": [("http.sslKey", str(self.victim))], "certificate": [("http.https://example.org/.sslCert", str(self.victim))],
            "authorities": [("http.sslCAInfo", str(self.victim))], "verification": [("http.sslVerify", "false")],
            "proxy": [("http.proxy", "http://127.0.0.1:9")], "proxy-of-remote": [("remote.origin.proxy", "http://127.0.0.1:9")],
            "delegation": [("http.delegation", "always")], "later": [("http.whateverIsLater", str(self.victim))],
        }
        with self.remote(self.zoo.template) as url:
            for name, pairs in settings.items():
                repo = self.fetchable(name, url)
                for key, value in pairs:
                    git(repo, "config", key, value)
            server = self.serve()
            for name, pairs in settings.items():
                with self.subTest(name):
                    trust = server.named(f"{name}-tree")["git"]["trust"]
                    self.assertEqual([each["use"] for each in trust["programs"]], ["fetch"] * len(pairs))
                    path = f"{self.place(server, f'{name}-tree')}/sync"
                    status, _, answer = server.ask(path, "POST", {"strategy": "merge", "fetch": True})
                    self.assertEqual((status, answer["error"], len(answer["files"])), (409, "untrusted_repository", len(pairs)), answer)
                    status, _, answer = server.ask(path, "POST", {"strategy": "merge"})
                    self.assertEqual(status, 200, answer)
        self.assert_untouched()

    def test_a_fetch_writes_in_the_repository_only(self):
        with self.remote(self.zoo.template) as url:
            self.fetchable("fetching", url)
            self.own(f"[http]\n\tcookieFile = {self.victim}\n\tsaveCookies = true\n")
            server = self.serve()
            path = self.place(server, "fetching-tree")
            status, _, answer = server.ask(f"{path}/sync", "POST", {"strategy": "merge", "fetch": True})
            self.assertEqual(status, 200, answer)
        self.assertIn("origin/feature", git(self.zoo.root / "fetching", "branch", "-r"))
        self.assert_untouched()

    def test_a_fetch_runs_nothing_that_is_named_after_the_configuration_was_read(self):
        with self.remote(self.zoo.template) as url:
            repo = self.fetchable("racing", url)
            lender = self.zoo.add("lender")
            (repo / ".git" / "objects" / "info" / "alternates").write_text(f"{lender}/.git/objects\n")
            server = self.serve(PATH=f"{self.racing('fetch')}:{os.environ['PATH']}")
            path = self.place(server, "racing-tree")
            served = self.zoo.base / "served" / "remote.git"
            for number, (address, more) in enumerate((
                (url, {"core/alternateRefsCommand": "{}", "gc/recentObjectsHook": "{}", "gc/auto": "1", 'remote "origin"/uploadpack': "{}"}),
                (url, {'url "ext::sh -c {}% "/insteadOf': "http://", "protocol/allow": "always"}),
                (str(served), {'remote "origin"/uploadpack': "{}"}), ("ssh://localhost/x", {"core/sshCommand": "{}"}),
                ("git://localhost:9/x", {"core/gitProxy": "{}"}), (url.replace("remote", "locked"), {"credential/helper": "!{}", "core/askPass": "{}"}),
                (url.replace("remote", "locked"), {f'credential "{url}"/helper': "!{}"}),
            )):
                with self.subTest(address=address, more=more):
                    git(served, "update-ref", f"refs/heads/new{number}", git(self.zoo.template, "rev-parse", "main").strip())
                    git(served, "update-server-info")
                    git(repo, "config", "remote.origin.url", address)
                    (repo / "new").write_text(f"{number}\n")
                    hostile = self.hostile(repo, **more)
                    with self.raced(repo, hostile):
                        server.ask(f"{path}/sync", "POST", {"strategy": "merge", "fetch": True})


if __name__ == "__main__":
    unittest.main()
