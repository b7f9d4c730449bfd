"""Ways to have work in a worktree, and everything about a worktree that may not be lost."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import stat
from collections.abc import Callable
from pathlib import Path

from workspaces import git, repository


class Way:
    """A repository with a worktree on `feature`, in use."""

    def __init__(self, root: Path, name: str):
        self.root = root / name
        self.main = self.root / "main"
        shutil.copytree(self._template(root), self.main)
        self.tree = self.root / "feature"
        git(self.main, "worktree", "add", "-q", "-b", "feature", str(self.tree))
        self.must: list[tuple[Path, str]] = []
        """Commits and other objects that have to stay, with the repository they are of."""

    @staticmethod
    def _template(root: Path) -> Path:
        """The repository with which each of them begins, made once beside the root."""
        place = root.with_name(f"{root.name}-template")
        if not place.exists():
            repository(place)
            (place / ".gitignore").write_text("*.env\nscratch/\nbuild/\nnode_modules/\n")
            git(place, "add", ".")
            git(place, "commit", "-q", "-m", "ignore")
        return place

    @property
    def directory(self) -> Path:
        """The git directory of the worktree."""
        return self.main / ".git" / "worktrees" / "feature"

    def commit(self, text: str = "work\n", folder: Path | None = None) -> str:
        folder = folder or self.tree
        (folder / "work.txt").write_text(text)
        git(folder, "add", "-f", "work.txt")
        git(folder, "commit", "-q", "-m", f"work {text[:20]}")
        return self.keep(git(folder, "rev-parse", "HEAD").strip(), folder)

    def keep(self, name: str, folder: Path | None = None) -> str:
        place = self.main / ".git"
        if folder not in (None, self.tree):
            place = Path(git(folder, "rev-parse", "--path-format=absolute", "--git-common-dir").strip())
        self.must.append((place, name))
        return name

    def submodule(self) -> Path:
        inner = repository(self.root / ".inner")
        git(self.tree, "submodule", "--quiet", "add", str(inner), "sub")
        git(self.tree, "commit", "-q", "-m", "submodule")
        sub = self.tree / "sub"
        for key, value in (("user.name", "Test"), ("user.email", "test@example.org")):
            git(sub, "config", key, value)
        return sub

    def conflict(self) -> None:
        """Commits on both sides that do not go together."""
        self.commit("theirs\n")
        (self.main / "work.txt").write_text("ours\n")
        git(self.main, "add", ".")
        git(self.main, "commit", "-q", "-m", "ours")


# MARK: The ways

WAYS: dict[str, Callable[[Way], None]] = {}


def way(make: Callable[[Way], None]) -> Callable[[Way], None]:
    WAYS[make.__name__.replace("_", "-")] = make
    return make


@way
def nothing(it): pass


@way
def modified(it): (it.tree / "dir0" / "file0.txt").write_text("edit\n")


@way
def staged(it):
    (it.tree / "dir0" / "file0.txt").write_text("staged\n")
    git(it.tree, "add", ".")
    it.keep(git(it.tree, "rev-parse", ":dir0/file0.txt").strip())


@way
def staged_and_modified(it):
    staged(it)
    (it.tree / "dir0" / "file0.txt").write_text("newer\n")


@way
def staged_and_removed(it):
    (it.tree / "new.txt").write_text("only in the index\n")
    git(it.tree, "add", ".")
    it.keep(git(it.tree, "rev-parse", ":new.txt").strip())
    (it.tree / "new.txt").unlink()


@way
def intent_to_add(it):
    (it.tree / "new.txt").write_text("new\n")
    git(it.tree, "add", "-N", "new.txt")


@way
def removed(it): (it.tree / "dir0" / "file0.txt").unlink()


@way
def removed_and_staged(it): git(it.tree, "rm", "-q", "dir0/file0.txt")


@way
def renamed(it): git(it.tree, "mv", "dir0/file0.txt", "dir0/other.txt")


@way
def executable(it): (it.tree / "dir0" / "file0.txt").chmod(0o755)


@way
def link_instead_of_a_file(it):
    (it.tree / "dir0" / "file0.txt").unlink()
    (it.tree / "dir0" / "file0.txt").symlink_to("../dir1/file1.txt")


@way
def folder_instead_of_a_file(it):
    (it.tree / "dir0" / "file0.txt").unlink()
    (it.tree / "dir0" / "file0.txt").mkdir()
    (it.tree / "dir0" / "file0.txt" / "inner").write_text("inner\n")


@way
def untracked(it): (it.tree / "new.txt").write_text("new\n")


@way
def untracked_folder(it):
    (it.tree / "a" / "b").mkdir(parents=True)
    (it.tree / "a" / "b" / "new.txt").write_text("new\n")


@way
def empty_folders(it): (it.tree / "empty" / "deep" / "er").mkdir(parents=True)


@way
def links_that_lead_out(it):
    (it.tree / "scratch").mkdir()
    (it.tree / "scratch" / "out").symlink_to(it.root)
    (it.tree / "scratch" / "nowhere").symlink_to("/nothing/is/here")


@way
def names_that_are_no_text(it):
    for name in (b"caf\xe9.txt", b"two\nlines", b" blank ", b"-dash", b"\xff\xfe", "zoë".encode(), "zoe\u0308".encode()):
        with open(os.path.join(os.fsencode(it.tree), name), "wb") as file:
            file.write(name)


@way
def pipes(it): os.mkfifo(it.tree / "pipe.env")


@way
def hard_links(it):
    (it.tree / "one.env").write_text("one\n")
    os.link(it.tree / "one.env", it.tree / "two.env")


@way
def folder_without_rights(it):
    (it.tree / "scratch").mkdir()
    (it.tree / "scratch" / "file").write_text("x")
    (it.tree / "scratch").chmod(0o500)


@way
def ignored_file(it): (it.tree / "secret.env").write_text("KEY=1\n")


@way
def ignored_folder(it):
    (it.tree / "scratch").mkdir()
    (it.tree / "scratch" / "notes.md").write_text("notes\n")


@way
def only_copy_among_results_of_builds(it):
    (it.tree / "build").mkdir()
    (it.tree / "build" / "only-copy.md").write_text("the only copy\n")


@way
def ignore_file_of_its_own(it):
    (it.tree / "own").mkdir()
    (it.tree / "own" / ".gitignore").write_text("*\n")
    (it.tree / "own" / "work.md").write_text("work\n")


@way
def ignored_by_info_exclude(it):
    (it.main / ".git" / "info" / "exclude").write_text("mine/\n")
    (it.tree / "mine").mkdir()
    (it.tree / "mine" / "work.md").write_text("work\n")


@way
def assume_unchanged(it):
    git(it.tree, "update-index", "--assume-unchanged", "dir0/file0.txt")
    (it.tree / "dir0" / "file0.txt").write_text("hidden\n")


@way
def skip_worktree(it):
    git(it.tree, "update-index", "--skip-worktree", "dir0/file0.txt")
    (it.tree / "dir0" / "file0.txt").write_text("hidden\n")


@way
def sparse_checkout(it):
    git(it.tree, "sparse-checkout", "set", "dir1")
    it.commit()


@way
def file_outside_of_a_sparse_cone(it):
    git(it.tree, "sparse-checkout", "init", "--cone")
    git(it.tree, "sparse-checkout", "set", "dir0")
    (it.tree / "elsewhere").mkdir()
    (it.tree / "elsewhere" / "mine.txt").write_text("mine\n")


@way
def file_below_a_long_path(it):
    folder = it.tree / "scratch" / Path(*["d" * 200] * 16)
    folder.mkdir(parents=True)
    (folder / "only.txt").write_text("only\n")


@way
def unix_socket(it):
    with socket.socket(socket.AF_UNIX) as listener:
        # The path of a socket is short: by the descriptor of its folder.
        place = os.open(it.tree, os.O_RDONLY)
        listener.bind(f"/proc/self/fd/{place}/s.sock")
        os.close(place)


@way
def settings_of_the_worktree(it):
    git(it.main, "config", "extensions.worktreeConfig", "true")
    git(it.tree, "config", "--worktree", "user.name", "Somebody")


@way
def settings_of_the_branch(it):
    git(it.tree, "config", "branch.feature.description", "what\nit is about")
    git(it.tree, "config", "branch.feature.remote", ".")


@way
def swap_file(it): (it.tree / ".first.txt.swp").write_bytes(b"b0VIM 9.0\0")


@way
def racy_edit(it):
    place = it.tree / "dir0" / "file0.txt"
    facts, text = place.stat(), place.read_text()
    git(it.tree, "update-index", "--refresh")
    place.write_text("X" + text[1:])
    os.utime(place, ns=(facts.st_atime_ns, facts.st_mtime_ns))


@way
def commit_on_the_branch(it): it.commit()


@way
def detached_commit(it):
    git(it.tree, "checkout", "-q", "--detach")
    it.commit()


@way
def detached_commit_with_a_tag(it):
    detached_commit(it)
    git(it.tree, "tag", "-a", "-m", "kept", "kept")


@way
def commit_in_the_log_of_head_alone(it):
    it.commit()
    git(it.tree, "reset", "-q", "--hard", "HEAD~")


@way
def amended_commit(it):
    it.commit("first\n")
    (it.tree / "work.txt").write_text("second\n")
    git(it.tree, "commit", "-q", "-a", "--amend", "-m", "amended")
    it.keep(git(it.tree, "rev-parse", "HEAD").strip())


@way
def many_commits_in_the_log_of_head_alone(it):
    for number in range(8):
        it.commit(f"number {number}\n")
        git(it.tree, "reset", "-q", "--hard", "main")


@way
def commit_in_a_ref_of_the_worktree(it):
    head = it.commit()
    git(it.tree, "update-ref", "refs/worktree/kept", head)
    git(it.tree, "reset", "-q", "--hard", "HEAD~")
    git(it.tree, "reflog", "expire", "--expire=now", "--all")


@way
def tag_object_in_a_ref_of_the_worktree(it):
    it.commit()
    git(it.tree, "tag", "-a", "-m", "kept", "kept")
    tag = it.keep(git(it.tree, "rev-parse", "kept").strip())
    git(it.tree, "update-ref", "refs/worktree/tag", tag)
    git(it.tree, "tag", "-d", "kept")


@way
def blob_and_tree_in_refs_of_the_worktree(it):
    (it.tree / "blob.env").write_text("a blob\n")
    blob = it.keep(git(it.tree, "hash-object", "-w", "blob.env").strip())
    git(it.tree, "update-ref", "refs/worktree/blob", blob)
    it.commit()
    tree = it.keep(git(it.tree, "rev-parse", "HEAD^{tree}").strip())
    git(it.tree, "update-ref", "refs/worktree/tree", tree)
    git(it.tree, "reset", "-q", "--hard", "HEAD~")


@way
def commit_in_orig_head_alone(it):
    it.commit()
    git(it.tree, "reset", "-q", "--hard", "HEAD~")
    git(it.tree, "reflog", "expire", "--expire=now", "--all")


@way
def commit_in_fetch_head_alone(it):
    other = it.root / ".other"
    git(it.root, "clone", "-q", str(it.main), str(other))
    for key, value in (("user.name", "Test"), ("user.email", "test@example.org")):
        git(other, "config", key, value)
    (other / "theirs.txt").write_text("theirs\n")
    git(other, "add", ".")
    git(other, "commit", "-q", "-m", "theirs")
    git(it.tree, "fetch", "-q", str(other), "HEAD")
    it.keep(git(it.tree, "rev-parse", "FETCH_HEAD").strip())


@way
def commit_in_a_ref_of_another_name(it):
    git(it.tree, "checkout", "-q", "--detach")
    git(it.tree, "update-ref", "refs/wip/mine", it.commit())


@way
def head_outside_of_branches(it):
    git(it.tree, "update-ref", "refs/catnip/mine", "HEAD")
    git(it.tree, "symbolic-ref", "HEAD", "refs/catnip/mine")
    it.commit()


@way
def branch_without_a_commit(it):
    git(it.tree, "checkout", "-q", "--orphan", "empty")
    (it.tree / "new.txt").write_text("new\n")
    git(it.tree, "add", ".")
    it.keep(git(it.tree, "rev-parse", ":new.txt").strip())


@way
def stash(it):
    (it.tree / "dir0" / "file0.txt").write_text("stashed\n")
    git(it.tree, "stash", "-q")
    it.keep(git(it.tree, "rev-parse", "stash@{0}").strip())


@way
def stash_that_was_dropped(it):
    (it.tree / "dir0" / "file0.txt").write_text("stashed\n")
    git(it.tree, "stash", "-q")
    kept = it.keep(git(it.tree, "rev-parse", "stash@{0}").strip())
    git(it.tree, "stash", "drop", "-q")
    git(it.tree, "update-ref", "refs/worktree/dropped", kept)


@way
def merge_that_waits(it):
    it.conflict()
    git(it.tree, "merge", "main", check=False)


@way
def merge_with_resolved_paths(it):
    merge_that_waits(it)
    (it.tree / "work.txt").write_text("both\n")
    git(it.tree, "add", "work.txt")
    it.keep(git(it.tree, "rev-parse", ":work.txt").strip())


@way
def rebase_that_waits(it):
    it.conflict()
    git(it.tree, "rebase", "main", check=False)


@way
def rebase_with_autostash(it):
    it.conflict()
    (it.tree / "dir0" / "file0.txt").write_text("set aside\n")
    git(it.tree, "rebase", "--autostash", "main", check=False)
    it.keep((it.directory / "rebase-merge" / "autostash").read_text().strip())


@way
def cherry_pick_that_waits(it):
    it.conflict()
    git(it.tree, "cherry-pick", "main", check=False)


@way
def revert_that_waits(it):
    it.commit("one\n")
    it.commit("two\n")
    git(it.tree, "revert", "--no-edit", "HEAD~", check=False)


@way
def mails_that_wait(it):
    it.conflict()
    patch = it.root / ".patch"
    patch.write_text(git(it.main, "format-patch", "-1", "--stdout", "main"))
    git(it.tree, "am", str(patch), check=False)


@way
def bisect_that_waits(it):
    first = git(it.tree, "rev-parse", "HEAD").strip()
    for number in range(4):
        it.commit(f"{number}\n")
    git(it.tree, "bisect", "start", "HEAD", first)


@way
def locked(it): git(it.main, "worktree", "lock", "--reason", "mine", str(it.tree))


@way
def submodule(it): it.submodule()


@way
def submodule_with_an_edit(it): (it.submodule() / "dir0" / "file0.txt").write_text("edit\n")


@way
def submodule_with_a_commit(it): it.commit(folder=it.submodule())


@way
def submodule_with_a_tag(it):
    sub = it.submodule()
    head = git(sub, "rev-parse", "HEAD").strip()
    it.commit(folder=sub)
    git(sub, "tag", "kept")
    git(sub, "reset", "-q", "--hard", head)
    git(sub, "reflog", "expire", "--expire=now", "--all")


@way
def submodule_with_a_ref_of_another_name(it):
    sub = it.submodule()
    head = git(sub, "rev-parse", "HEAD").strip()
    git(sub, "update-ref", "refs/wip/mine", it.commit(folder=sub))
    git(sub, "reset", "-q", "--hard", head)


@way
def submodule_with_a_stash(it):
    sub = it.submodule()
    (sub / "dir0" / "file0.txt").write_text("stashed\n")
    git(sub, "stash", "-q")
    it.keep(git(sub, "rev-parse", "stash").strip(), sub)


@way
def submodule_with_a_commit_in_its_log_alone(it):
    sub = it.submodule()
    head = git(sub, "rev-parse", "HEAD").strip()
    it.commit(folder=sub)
    git(sub, "reset", "-q", "--hard", head)


@way
def submodule_that_is_checked_out_no_more(it):
    sub = it.submodule()
    it.commit(folder=sub)
    git(it.tree, "submodule", "--quiet", "deinit", "-f", "sub")


@way
def repository_within(it):
    inner = repository(it.tree / "scratch" / "inner")
    it.keep(git(inner, "rev-parse", "HEAD").strip(), inner)


@way
def bare_repository_within(it):
    (it.tree / "scratch").mkdir()
    git(it.tree, "clone", "-q", "--bare", "--no-hardlinks", str(it.main), "scratch/bare.git")


@way
def clone_among_packages(it):
    (it.tree / "node_modules").mkdir()
    git(it.tree, "clone", "-q", "--no-hardlinks", str(it.main), "node_modules/clone")
    (it.tree / "node_modules" / "clone" / "mine.env").write_text("ignored there\n")


@way
def clone_among_packages_with_a_tag(it):
    clone_among_packages(it)
    clone = it.tree / "node_modules" / "clone"
    it.commit(folder=clone)
    git(clone, "tag", "kept")
    git(clone, "reset", "-q", "--hard", "HEAD~")


@way
def worktree_within(it):
    inner = it.tree / "scratch" / "inner"
    git(it.main, "worktree", "add", "-q", "-b", "inner", str(inner))
    (inner / "new.txt").write_text("new\n")


# MARK: Everything about a worktree

def walk(root: Path) -> dict[bytes, tuple]:
    """Every name below a folder: kind, rights, content, and of files when they were written."""
    found = {}
    top = os.fsencode(root)
    pending = [top]
    while pending:
        folder = pending.pop()
        for entry in os.scandir(folder):
            facts = entry.stat(follow_symlinks=False)
            kind = stat.S_IFMT(facts.st_mode)
            content: object = None
            if kind == stat.S_IFLNK:
                content = os.readlink(entry.path)
            elif kind == stat.S_IFREG:
                with open(entry.path, "rb") as file:
                    content = hashlib.sha256(file.read()).hexdigest(), facts.st_size, facts.st_mtime_ns
            found[entry.path[len(top) + 1:]] = (facts.st_mode, facts.st_nlink if kind == stat.S_IFREG else 0, content)
            if kind == stat.S_IFDIR:
                pending.append(entry.path)
    return found


def everything(it: Way) -> dict[str, object]:
    """What has to be the same after a worktree was brought back: every bit of its files and of its git directory (such as
    its index), its branch with log and settings, and what git says."""
    files, directory = walk(it.tree), walk(it.directory)
    common = it.main / ".git"
    head = (it.directory / "HEAD").read_text().strip()
    # Where git keeps refs in another way than in files, HEAD and the logs say nothing.
    assert (common / "refs/heads").is_dir() and not head.endswith(".invalid"), "refs are not in files"
    log = common / "logs" / head.removeprefix("ref: ")
    sections = [line for line in git(it.main, "config", "--local", "--list").splitlines() if line.startswith("branch.")]
    status = git(it.tree, "status", "--porcelain=v2", "--branch", "--ignored", "--untracked-files=all", "-z")
    commit = status.partition("# branch.oid ")[2].partition("\0")[0]
    assert commit, status
    return {
        "files": files, "git directory": directory,
        "log of the branch": log.read_bytes() if head.startswith("ref: ") and log.exists() else None,
        "settings of the branch": sorted(sections),
        "refs": sorted(
            line for line in git(it.tree, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
            if not line.startswith("refs/freshet/")),
        "head": commit.removeprefix("(initial)"),
        "symbolic head": head.removeprefix("ref: ") if head.startswith("ref: ") else "",
        "status": status,
        "log": git(it.tree, "reflog", "show", "--format=%H %gd %gs", "HEAD", check=False),
        "worktrees": sorted(git(it.main, "worktree", "list", "--porcelain").splitlines()),
    }
