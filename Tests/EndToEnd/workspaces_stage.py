"""Worktrees in every state, for pictures and for manual inspection."""

from __future__ import annotations

from pathlib import Path

from neutral_agent import NeutralAgent
from program import Folder, until
from workspaces import Workspaces, git, repository


class WorkspacesStage:
    """A server of two repositories, with agents that work, ask, are done and rest."""

    def __init__(self) -> None:
        self.folder = Folder()
        base = self.folder.path.resolve()
        self.logs = base / "agents"
        self.code = base / "code"
        self.shop = repository(self.code / "shop", files=6)
        self.site = repository(self.code / "site")
        for name in ("payments", "search", "invoices", "mobile-login", "flaky-tests", "upgrade-swift", "docs"):
            git(self.shop, "worktree", "add", "-q", "-b", name, str(self.code / name))
        git(self.site, "worktree", "add", "-q", "-b", "redesign", str(self.code / "redesign"))
        self.agents: list[NeutralAgent] = []
        self._change()
        self.server = Workspaces(
            self.folder, "--claude-home", str(base / "none"), "--codex-home", str(base / "none"),
            "--agent-logs", str(self.logs), roots=[self.code],
        )
        self._play()

    def _commit(self, folder: Path, path: str, old: str, new: str, message: str) -> None:
        place = folder / path
        place.write_text(place.read_text().replace(old, new))
        git(folder, "commit", "-qam", message)

    def _change(self) -> None:
        """What git has to say."""
        code = self.code
        self._commit(code / "payments", "dir0/file0.txt", "line 4\n", "let total = items.sum()\n", "Sum items")
        self._commit(code / "payments", "dir1/file1.txt", "line 2\n", "", "Remove what nobody calls")
        (code / "payments" / "refunds.txt").write_text("".join(f"refund {number}\n" for number in range(1, 7)))
        place = code / "payments" / "dir2" / "file2.txt"
        place.write_text(place.read_text().replace("line 7", "line seven"))
        self._commit(code / "search", "dir0/file3.txt", "line 1\n", "words.lowercased()\n", "Ignore case")
        (code / "search" / "notes.txt").write_text("Rank by distance first.\n")
        self._commit(code / "invoices", "dir1/file4.txt", "line 9\n", "line IX\n", "Round half to even")
        self._commit(code / "upgrade-swift", "dir0/file0.txt", "line 4\n", "let total: Int\n", "Swift 6")
        self._commit(self.shop, "dir0/file0.txt", "line 4\n", "var total = 0\n", "Count from zero")
        git(code / "upgrade-swift", "rebase", "main", check=False)
        (code / "redesign" / "dir0" / "file0.txt").write_text("<main>\n")

    def _play(self) -> None:
        """What the agents do; two of them ask, and in the end all is known."""
        def agent(name: str, kind: str, title: str, prompt: str, done: int, *steps: str) -> NeutralAgent:
            made = NeutralAgent(self.logs, self.code / name, kind)
            self.agents.append(made)
            made.works(prompt)
            made.tell("title", text=title)
            if steps:
                made.tell("todos", todos=[
                    {"content": step, "status": "completed" if place < done else "in_progress" if place == done else "pending"}
                    for place, step in enumerate(steps)])
            return made

        agent("payments", "claude", "Refunds in one step", "A customer wants the money back. Make refunds one step, with tests.",
              2, "Read how orders are paid", "Write a test that fails", "Add the refund", "Say so in the receipt",
              "Remove the old form").asks("Bash: swift test --filter RefundTests")
        agent("search", "codex", "Search ignores case", "Search should not care about capitals or accents.",
              1, "Fold the index", "Fold the question", "Measure it").tell("tool", id="1", name="edit", text="dir0/file3.txt")
        agent("invoices", "claude", "Rounding of invoices", "Totals are a cent off for three items.", 3,
              "Find where it rounds", "Round once, at the end", "Test with 10,000 invoices").is_done(
            "The total is rounded once now, half to even. All 214 tests pass, and the three invoices you named are right to the cent.")
        agent("flaky-tests", "aider", "Tests that fail at night", "Find out why the nightly tests fail at 02:00.", 0,
              "Run them with the clock at 02:00", "Mend what is found").tell("tool", id="1", name="run", text="make test")
        agent("mobile-login", "claude", "Login with a passkey", "Let people log in with a passkey.", 2, "Read", "Write").is_done("Passkeys work.")
        agent("redesign", "codex", "A calmer start page", "Less on the start page, please.", 1, "Draw", "Build").is_done(
            "The start page has three things on it now.")
        until(lambda: self.state("mobile-login") == self.state("redesign") == "done_unseen" and self.state("payments") == "needs_you")
        self.server.ask(f"/v1/git/worktrees/{self.server.named('mobile-login')['id']}/seen", "POST")
        until(lambda: self.state("mobile-login") == "idle")

    def state(self, name: str) -> str:
        """What is done in a worktree."""
        return self.server.named(name)["activity"]["state"]

    def close(self) -> None:
        for each in self.agents:
            each.close()
        self.server.__exit__()
        self.folder.remove()
