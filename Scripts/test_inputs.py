"""What a job of the tests depends on: the sources whose change can change its result."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from functools import cache
from pathlib import Path

#: The targets of one service alone: a change of them cannot change what a test of another service sees.
SERVICES = {
    "boards": [
        "FeedRecording", "FeedSimulation", "GTFS", "GTFSRealtime", "SampleNetwork", "Stationboard", "StationboardClient",
        "StationboardServer", "Timetable",
    ],
    "jobs": ["BookLibrary", "BookPipelines", "BookScan", "Books", "Jobs", "JobsClient", "JobsServer"],
    "workspaces": [
        "AgentSimulation", "AgentWatch", "Agents", "Git", "Workspaces", "WorkspacesClient", "WorkspacesServer",
        "WorkspacesTerminal", "WorktreeWatch",
    ],
}
#: The end-to-end modules that use only these services; every other module depends on all three.
MODULES = {
    ("boards",): r"test_(age|boards|compat_mesdeparts|configuration|crowd|doctor|feed|feed_catalogue|history|imports|page|"
                 r"page_(access|engine|freshness|parity|places)|realtime_\w+|replay|report|static_\w+|terminal|timetable_sharing|watch)",
    ("jobs",): r"test_(book_services|job_(?!database)\w+|jobs|library|page_(jobs|job_tokens))",
    ("workspaces",): r"test_(compat_catnip|page_workspaces|terminal_workspaces|workspaces\w*)",
    ("boards", "jobs"): r"test_(backup|data_links|database_peers|doctor_database|fair_admission|job_database|logs|monitoring|page_(package|status)|"
                        r"progress|proxies|replica_oracle|replicas|replicas_demo|shared_books|timetable_realtime|tls)",
}
#: What every job depends on.
ALWAYS = ["Package.swift", "Package.resolved", "Scripts/run-tests"]
#: What jobs depend on besides targets and modules.
ENGINE = [
    "Tests/EngineWasm", "Tests/JobsWasm", "Scripts/engine-wasm", "Scripts/engine-wasm-check", "JavaScript", "Sources/Engine/FreshnessWasm",
    "Sources/Jobs/JobsWasm", "Sources/Jobs/Jobs/Following", "Sources/Programs/CWebAssets/Public/jobs",
]
ORACLES = ["Tests/Oracle", "Tests/Contract"]
#: The code in documents and the OpenAPI documents, which test targets compare, and the vectors that one runs.
CONTRACTS = ["Sources/Programs/CWebAssets/Public/api"]
DOCUMENTS = {
    "ClientTests": ["Documentation", "Examples", "README.md"], "JobTests": [*CONTRACTS, "Tests/JobsWasm"], "StationboardTests": CONTRACTS,
    "WorktreeTests": CONTRACTS,
}


class Inputs:
    """The digests of what jobs depend on, by the name of the job."""

    def __init__(self, root: Path, scratch: Path, swift: str = "swift"):
        self.root = root
        text = subprocess.run(
            [swift, "package", "--scratch-path", str(scratch), "dump-package"], cwd=root, check=True, capture_output=True,
        ).stdout
        self.needs: dict[str, list[str]] = {}
        self.folders: dict[str, str] = {}
        for target in json.loads(text)["targets"]:
            name = target["name"]
            by_name = (next(iter(each.values()))[0] for each in target["dependencies"])
            self.needs[name] = list(by_name)
            self.folders[name] = target.get("path") or f"{'Tests' if target['type'] == 'test' else 'Sources'}/{name}"
        for names in SERVICES.values():
            if absent := [name for name in names if name not in self.needs]:
                raise SystemExit(f"run-tests: no target {', '.join(absent)}; Scripts/test_inputs.py names it")

    def key(self, job: str) -> str:
        """Changes with everything that the job depends on."""
        digest = hashlib.sha256(job.encode())
        for path in sorted(self._paths(job)):
            digest.update(f"{path}\0{self._digest(path)}\n".encode())
        return digest.hexdigest()

    def _paths(self, job: str) -> set[str]:
        paths = set(ALWAYS)
        kind, _, name = job.partition(":")
        if kind == "swift":
            paths |= self._sources(self._closure([name])) | set(DOCUMENTS.get(name, []))
        elif kind == "engine-wasm":
            paths |= self._sources(self._closure(["EngineTests"])) | set(ENGINE)
        elif kind == "exploration":
            paths |= self._sources(self._closure(["EngineTests"])) | {"Tests/EngineExploration", "Scripts/explore-engine"}
        elif kind == "javascript":
            paths |= {
                "Tests/JavaScript", "JavaScript", "Sources/Programs/CWebAssets", "Sources/Lab/Demonstration/Panel",
                "Documentation/choosing-a-preset.md", "Documentation/from-tanstack-query.md",
            }
        elif kind == "e2e":
            modules = self._modules(name)
            paths |= modules | self._sources(self._program(name))
            paths |= {"Scripts", "Tests/Contract"}
            if name in ("test_proxies", "test_monitoring"):
                paths |= {"Packaging"}
            if "Tests/EndToEnd/database.py" in paths or name == "test_replicas_demo":
                paths |= {"Tests/PostgresCluster"}
            if name == "test_page_package":
                paths |= {"JavaScript"}
            if name == "test_examples":
                paths |= {"Examples", "Makefile"} | self._sources(self._closure(["FreshetKit", "FreshnessTesting"]))
            if name == "test_example_server":
                paths |= {"Examples", "JavaScript", "Makefile"} | self._sources(self._closure(["FreshetKit", "FreshnessServer"]))
        else:
            paths |= set(ORACLES)
        return paths

    def _program(self, module: str) -> set[str]:
        """The targets of the program but those that only services which the module does not use need."""
        used = next((names for names, pattern in MODULES.items() if re.fullmatch(pattern, module)), tuple(SERVICES))
        own = self._closure([target for name in used for target in SERVICES[name]])
        others = {target for name, targets in SERVICES.items() if name not in used for target in targets}
        return self._closure(["freshet", "freshet-lab"]) - (others - own)

    def _closure(self, names: list[str]) -> set[str]:
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name in self.needs and name not in found:
                found.add(name)
                waiting += self.needs[name]
        return found

    def _sources(self, targets: set[str]) -> set[str]:
        # The pages embed the JavaScript package.
        package = {"JavaScript"} if "CWebAssets" in targets else set()
        return {self.folders[name] for name in targets} | package

    def _modules(self, module: str) -> set[str]:
        """A module of Tests/EndToEnd and those that it imports."""
        folder = self.root / "Tests/EndToEnd"
        found: set[str] = set()
        waiting = [module]
        while waiting:
            name = waiting.pop()
            path = folder / f"{name}.py"
            if name in found or not path.is_file():
                continue
            found.add(name)
            waiting += re.findall(r"^\s*(?:from|import) (\w+)", path.read_text(), re.MULTILINE)
        # What is there besides modules is read by some of them. Git does not track an empty folder.
        others = {
            path.name for path in folder.iterdir()
            if path.suffix != ".py" and path.name != "__pycache__" and (path.is_file() or any(path.iterdir()))
        }
        return {f"Tests/EndToEnd/{name}.py" for name in found} | {f"Tests/EndToEnd/{name}" for name in others}

    @cache
    def _digest(self, path: str) -> str:
        """The digest of a file, or of all files of a folder."""
        whole = self.root / path
        files = [whole] if whole.is_file() else sorted(each for each in whole.rglob("*") if each.is_file())
        digest = hashlib.sha256()
        for file in files:
            if "__pycache__" in file.parts or ".build" in file.parts:
                continue
            digest.update(f"{file.relative_to(self.root)}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
        return digest.hexdigest()
