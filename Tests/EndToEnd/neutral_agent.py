"""An agent by hand: a process in a worktree, and a log of it in the neutral format."""

from __future__ import annotations

import json
import subprocess
import uuid
from datetime import datetime, timezone
from pathlib import Path


class NeutralAgent:
    """An agent that does what it is told."""

    def __init__(self, logs: Path, worktree: Path, name: str = "tester"):
        logs.mkdir(parents=True, exist_ok=True)
        self.process = subprocess.Popen(["sleep", "3600"], cwd=worktree)
        session = str(uuid.uuid4())
        self.log = (logs / f"{name}-{session}.jsonl").open("a")
        self.tell("start", agent=name, session=session, cwd=str(worktree), pid=self.process.pid)

    def tell(self, event: str, **members: object) -> None:
        """Writes a record."""
        at = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.log.write(json.dumps({"at": at, "event": event, **members}) + "\n")
        self.log.flush()

    def works(self, prompt: str = "Do it") -> None:
        """Begins to work."""
        self.tell("prompt", text=prompt)

    def asks(self, question: str) -> None:
        """Needs the user."""
        self.tell("permission", text=question)

    def is_answered(self) -> None:
        """Goes on."""
        self.tell("resolved")

    def is_done(self, message: str = "Done.") -> None:
        """Ends its work."""
        self.tell("stop", text=message)

    def close(self) -> None:
        """Ends the process."""
        self.process.kill()
        self.process.wait()
        self.log.close()
