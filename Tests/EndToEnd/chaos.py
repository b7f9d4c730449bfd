"""A server of everything, clients that watch it, and what goes wrong around it: the world of test_chaos."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import resource
import select
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from job_stage import isbn13
from program import PROGRAM, Folder, Server
from realtime_stage import BEGIN, LAUSANNE, QUICK, Producer, feed, instant, late
from sample_network import copy_network
from secure_stage import Authority
from watching import LONGEST, always, hanging, reply
from workspaces import git, repository

BOARD = f"/api/stationboard?stop_id={LAUSANNE}&limit=60"
WORKTREES = "/v1/git/worktrees"
#: How far the clocks of two processes may be apart for us, in seconds: how exactly the start of one can be told.
CLOCK = 2.0
#: The descriptors that a server may have.
DESCRIPTORS = 512
#: The descriptors that no connection takes (`DescriptorBudget.leastFree`).
LEAST_FREE = 32
#: How many connections a server ended because few descriptors were left.
ENDED = re.compile(r'^freshet_connections_ended_total\{reason="descriptors"\} (\d+)', re.MULTILINE)
#: How many publications have marks of their own; a mark is the delay of all trips, in seconds.
MARKS = 600
#: The marks of what must not be shown, and of what a producer publishes whose clock is a day ahead.
FALSE, AHEAD = 2 * MARKS, 2 * MARKS + 1
#: The rows of a job.
ROWS = 40
PROTOBUF = "Content-Type: application/x-protobuf"
#: What the log has only if the process dies of a fault of its own.
FATAL = re.compile(r"Fatal error|Illegal instruction|Segmentation fault|\*\*\* (Program crashed|Signal)|SIG(SEGV|ABRT|ILL|TRAP)")


#: How long a connection is idle before it may be closed for another one, in seconds (`IdleConnections`).
IDLE = 1


class Findings:
    """What clients saw: how often, and what must not be."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.lies: list[str] = []
        self.lock = threading.Lock()

    def saw(self, what: str) -> None:
        with self.lock:
            self.counts[what] += 1

    def lie(self, what: str) -> None:
        with self.lock:
            if len(self.lies) < 50:
                self.lies.append(what)
            self.counts["lies"] += 1


class MarkedProducer(Producer):
    """A producer each of whose honest publications can be told by the board: all trips have the same delay, its mark."""

    def __init__(self, clock: Callable[[], float], trips: list[str]):
        self.marked = trips
        #: The instant of each publication, by its number.
        self.made: list[int] = []
        super().__init__(clock)

    def publish_next(self) -> int:
        """Publishes; gives the number of the publication."""
        number = len(self.made)
        # Known before it can have been seen.
        while int(self.clock()) <= self.last:
            time.sleep(0.02)
        self.made.append(int(self.clock()))
        self.last = self.made[-1]
        self.put(feed(self.last, [late(trip, 1 + number % MARKS) for trip in self.marked]))
        return number

    def publication(self, mark: int) -> int | None:
        """The newest publication with a mark."""
        newest = len(self.made) - 1
        return next((number for number in range(newest, max(-1, newest - MARKS), -1) if 1 + number % MARKS == mark), None)


@dataclass
class Judge:
    """Checks the boards that one client sees, in order."""

    name: str
    world: World
    newest: int = -1

    def board(self, board: dict, asked: float) -> None:
        """A board, or an event with some rows; `asked` is the service clock before it was requested, 0 if not known."""
        meta, now = board["meta"], self.world.now()
        server = instant(meta["serverTime"])
        if server > now + CLOCK or asked and server < asked - CLOCK:
            self.lie(f"the server's time {meta['serverTime']} is not between {asked} and {now}")
        rows = board.get("departures", [])
        marks = {row["rawDelaySec"] for row in rows if row.get("rawDelaySec") is not None}
        if len(marks) > 1:
            self.lie(f"rows of several publications: {sorted(marks)}")
        fetched = meta.get("rtFetchedAt") and instant(meta["rtFetchedAt"])
        if fetched:
            age = meta["rtCacheAgeMs"]
            if age is not None and abs(server - fetched - age / 1_000) > 0.002:
                self.lie(f"{meta['rtFetchedAt']} is {age} ms before {meta['serverTime']}")
            if fetched > server:
                self.lie(f"realtime of the future: {meta['rtFetchedAt']} at {meta['serverTime']}")
        if not marks:
            return
        self.world.findings.saw("boards with realtime")
        mark = marks.pop()
        if mark == AHEAD:
            # When it was made is unknown, except that it did not exist before.
            if not fetched or fetched > self.world.ahead_since + CLOCK:
                self.lie(f"a feed of tomorrow, from {self.world.ahead_since} on, is shown as of {meta.get('rtFetchedAt')}")
            return
        number = self.world.trips.publication(mark)
        if number is None:
            return self.lie(f"a mark that was never published: {mark}")
        truth = self.world.trips.made[number]
        if not fetched or fetched > truth:
            self.lie(f"publication {number} of {truth} is shown as of {meta.get('rtFetchedAt')}")
        if number < self.newest:
            self.lie(f"publication {number} after {self.newest}")
        self.newest = max(self.newest, number)

    def lie(self, what: str) -> None:
        self.world.findings.lie(f"{self.name}: {what}")


@dataclass
class Job:
    """A job that a client started, or tries to."""

    key: str
    first: int
    id: str = ""
    token: str = ""
    events: list[tuple[int, bool]] = field(default_factory=list)

    @property
    def table(self) -> bytes:
        """Rows like those of no other job."""
        lines = ["Title,Author,ISBN13,My Rating"]
        lines += [f'"Book {n}, a novel","Author {n % 97}",{isbn13(n)},{n % 6}' for n in range(self.first, self.first + ROWS)]
        return ("\r\n".join(lines) + "\r\n").encode()


class World:
    """Everything, in a folder of its own."""

    def __init__(self, seed: int = 1):
        self.findings = Findings()
        self.random = random.Random(seed)
        self.folder = Folder()
        self.path = self.folder.path.resolve()
        self.data = copy_network(self.path)
        self.authority = Authority(self.path)
        self.chain, self.key = self.path / "chain.pem", self.path / "key.pem"
        self.renew("first")
        self.context = self.authority.context()
        self.full = self.path / "full"
        self.ends = threading.Event()
        self.offset = instant(BEGIN) - time.time()
        self.commits: list[str] = []
        self.main = repository(self.path / "repositories/main")
        git(self.main, "worktree", "add", "-q", "-b", "work", str(self.path / "repositories/work"))
        self.work = self.path / "repositories/work"
        self.commit()
        self.server: Server | None = None
        self.port = 0
        self.kills = 0
        trips = self._trips()
        self.trips = MarkedProducer(self.now, trips)
        self.alerts = Producer(self.now)
        self.trips.publish_next()
        self.alerts.put(feed(self.now()))
        self.jobs: list[Job] = []
        self.judges: list[Judge] = []
        self.threads: list[threading.Thread] = []
        self.start()

    def _trips(self) -> list[str]:
        """The trips of the next hours at the stop."""
        with Server(self.data, now=BEGIN) as server:
            _, board = server.get(f"/api/stationboard?stop_id={LAUSANNE}&limit=200&window_minutes=180")
            return sorted({row["trip_id"] for row in board["departures"]})

    # The server

    def now(self) -> float:
        """The service clock, as near as one can tell from outside."""
        return time.time() + self.offset

    def start(self) -> None:
        """Starts the server, on the port it had before if it had one."""
        library = self.path / "full_disk.so"
        if not library.exists():
            compiler = next(filter(None, map(shutil.which, ["clang", "cc", "gcc"])), None)
            assert compiler, "a C compiler is needed"
            source = Path(__file__).with_name("full_disk.c")
            subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
            script = self.path / "program"
            script.write_text(f'#!/bin/sh\nulimit -n {DESCRIPTORS}\nexec "{PROGRAM}" "$@"\n')
            script.chmod(0o755)
        at = datetime.fromtimestamp(self.now(), timezone.utc).isoformat(timespec="milliseconds")
        self.server = Server(
            self.data, "--port", str(self.port), "--jobs", str(self.path / "jobs"), "--workspaces", str(self.path / "repositories"),
            "--tls-certificate", str(self.chain), "--tls-key", str(self.key), "--history-days", "30",
            "--trip-updates", f"{self.trips.url}/trip-updates.pb", "--alerts", f"{self.alerts.url}/alerts.pb", *QUICK,
            now=at.replace("+00:00", "Z"), log_level="warning", program=self.path / "program",
            environment={"LD_PRELOAD": str(library), "FULL_DISK": str(self.full)},
        )
        self.port = self.server.port
        # The server's clock began a little later than it was told to.
        before = time.time()
        served = instant(json.loads(self.ask("/health")[2])["serverTime"])
        self.offset = served - (before + time.time()) / 2

    def kill(self) -> None:
        """Ends the server without a word, and starts another one."""
        self.check_alive()
        self.server.process.kill()
        self.server.process.wait(timeout=LONGEST)
        self.kills += 1
        self.findings.saw("kills")
        self.start()

    def check_alive(self) -> None:
        """Fails if the server has ended by itself, or said that it is about to."""
        assert self.server.process.poll() is None, f"the server died: {self.log}"
        assert not FATAL.search(self.log), self.log

    @property
    def log(self) -> str:
        return "".join(self.server.log)

    def connection(self, timeout: float = LONGEST) -> http.client.HTTPSConnection:
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=self.context)

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, line: http.client.HTTPConnection | None = None,
        **fields: str,
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, fields and body of an answer; fields are named like `if_none_match`."""
        own = line or self.connection()
        try:
            own.request(method, path, body, {name.replace("_", "-"): value for name, value in fields.items()})
            answer = own.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        finally:
            if line is None:
                own.close()

    def asks(self, path: str, method: str = "GET", body: bytes | None = None, **fields: str) -> tuple[int, dict[str, str], bytes] | None:
        """An answer; `None` if the connection fails, as it may while things go wrong."""
        try:
            return self.ask(path, method, body, **fields)
        except (OSError, http.client.HTTPException):
            self.findings.saw("requests that failed")
            return None

    def renew(self, name: str) -> None:
        """Puts a new certificate in place."""
        chain, key = self.authority.certificate(name)
        for new, place in [(key, self.key), (chain, self.chain)]:
            part = place.with_suffix(".new")
            shutil.copy(new, part)
            os.replace(part, place)

    def commit(self) -> None:
        """Commits something in the worktree."""
        (self.work / "news.txt").write_text(f"{len(self.commits)}\n")
        git(self.work, "add", ".")
        git(self.work, "commit", "-q", "-m", f"number {len(self.commits)}")
        self.commits.append(git(self.work, "rev-parse", "HEAD").strip())

    # What is measured

    @property
    def descriptors(self) -> list[str]:
        """What the open files of the server are."""
        found = []
        folder = f"/proc/{self.server.process.pid}/fd"
        for name in os.listdir(folder):
            try:
                found.append(os.readlink(f"{folder}/{name}"))
            except FileNotFoundError:
                continue
        return found

    @property
    def memory(self) -> int:
        """The resident bytes of the server."""
        pages = Path(f"/proc/{self.server.process.pid}/statm").read_text().split()[1]
        return int(pages) * resource.getpagesize()

    def until(self, fits: Callable[[], object], wanted: str) -> object:
        """Waits for something, for as long as a busy machine may need."""
        end = time.monotonic() + LONGEST
        while not (found := fits()):
            self.check_alive()
            assert time.monotonic() < end, f"{wanted} did not come within {LONGEST} s; {self.findings.lies}; {self.log[-2000:]}"
            time.sleep(0.05)
        return found

    # Clients that watch

    def watch(self) -> None:
        """Starts all clients that watch until the end."""
        for name, work in [
            ("poll", self._polls), ("wait", self._waits), ("stream", self._streams), ("worktrees", self._worktrees),
            ("events of worktrees", self._work_events), ("commits", self._commits), ("publications", self._publications),
        ]:
            self._begin(name, work)

    def _begin(self, name: str, work: Callable[[], None]) -> None:
        def run() -> None:
            while not self.ends.is_set():
                try:
                    work()
                except (OSError, http.client.HTTPException):
                    # The server was killed, or its descriptors are spent.
                    self.findings.saw(f"connections that ended: {name}")
                    self.ends.wait(0.2)
                except Exception as error:  # noqa: BLE001 (a client that fails would see nothing any more)
                    self.findings.lie(f"{name}: {type(error).__name__}: {error}")
                    self.ends.wait(0.2)

        thread = threading.Thread(target=run, daemon=True)
        self.threads.append(thread)
        thread.start()

    def _judge(self, name: str) -> Judge:
        judge = next((judge for judge in self.judges if judge.name == name), None)
        if judge is None:
            judge = Judge(name, self)
            self.judges.append(judge)
        return judge

    def _polls(self) -> None:
        judge, tag, line = self._judge("poll"), "", self.connection()
        with closing(line):
            while not self.ends.wait(0.15):
                asked = self.now()
                status, fields, body = self.ask(BOARD, line=line, **({"if_none_match": tag} if tag else {}))
                self.findings.saw(f"polls: {status}")
                if status == 200:
                    judge.board(json.loads(body), asked)
                    tag = fields["etag"]
                elif status not in (304, 429, 503):
                    judge.lie(f"{status}: {body[:200]}")

    def _waits(self) -> None:
        judge, tag, line = self._judge("wait"), '"none"', self.connection()
        with closing(line):
            while not self.ends.is_set():
                status, fields, body = self.ask(BOARD, line=line, if_none_match=tag, prefer="wait=5")
                self.findings.saw(f"waits: {status}")
                if status == 200:
                    # It may have waited: when it was made is not known.
                    judge.board(json.loads(body), 0)
                    tag = fields["etag"]
                elif status not in (304, 429, 503):
                    judge.lie(f"{status}: {body[:200]}")
                else:
                    self.ends.wait(0.2)

    def _events(self, path: str, last: str = "", **fields: str) -> object:
        """The events of a stream, as name, id and data, until it ends."""
        with closing(self.connection(timeout=40)) as line:
            names = {"Accept": "text/event-stream", **{name.replace("_", "-"): value for name, value in fields.items()}}
            if last:
                names["Last-Event-ID"] = last
            line.request("GET", path, headers=names)
            answer = line.getresponse()
            if answer.status != 200:
                answer.read()
                yield "status", "", str(answer.status)
                return
            name, identifier, data = "message", "", []
            while text := answer.readline():
                text = text.decode().rstrip("\r\n")
                kind, _, value = text.partition(":")
                value = value.removeprefix(" ")
                if not text:
                    if data:
                        yield name, identifier, "\n".join(data)
                    name, data = "message", []
                elif kind == "event":
                    name = value
                elif kind == "id":
                    identifier = value
                elif kind == "data":
                    data.append(value)
                if self.ends.is_set():
                    return

    def _streams(self) -> None:
        judge = self._judge("stream")
        for name, _, data in self._events(BOARD.replace("?", "/stream?")):
            self.findings.saw(f"stream: {name}")
            if name in ("snapshot", "change", "verified"):
                judge.board(json.loads(data), 0)
        self.ends.wait(0.2)

    def _worktrees(self) -> None:
        newest, tag, line = -1, "", self.connection()
        with closing(line):
            while not self.ends.wait(0.2):
                # What has been committed by now; more may come while the server looks.
                status, fields, body = self.ask(WORKTREES, line=line, **({"if_none_match": tag} if tag else {}))
                self.findings.saw(f"worktrees: {status}")
                if status != 200:
                    if status not in (304, 429, 503):
                        self.findings.lie(f"worktrees: {status}: {body[:200]}")
                    continue
                tag = fields.get("etag", "")
                heads = [one["commit_hash"] for one in json.loads(body) if one["path"] == str(self.work)]
                if not heads:
                    self.findings.saw("worktrees that are not known yet")
                    continue
                # A commit is noted just after it is made.
                end = time.monotonic() + 10
                while heads[0] not in self.commits and time.monotonic() < end:
                    time.sleep(0.01)
                if heads[0] not in self.commits:
                    self.findings.lie(f"worktrees: a commit that was never made: {heads[0]}")
                    continue
                number = self.commits.index(heads[0])
                if number < newest:
                    self.findings.lie(f"worktrees: commit {number} after {newest}")
                newest = max(newest, number)

    def _work_events(self) -> None:
        for name, _, _ in self._events("/v1/events"):
            self.findings.saw(f"events of worktrees: {name}")
        self.ends.wait(0.2)

    def _commits(self) -> None:
        while not self.ends.wait(1):
            self.commit()

    def _publications(self) -> None:
        while not self.ends.wait(2):
            with self.publishing:
                if not self.trouble:
                    self.trips.publish_next()

    #: Held while a producer is in trouble, or changes.
    publishing = threading.Lock()
    trouble = ""
    #: When the producer whose clock is ahead published.
    ahead_since = 0.0

    # Jobs

    def start_job(self) -> Job:
        """A client that starts a job, as often as it has to, with the same key."""
        job = Job(f"key-{len(self.jobs)}", len(self.jobs) * ROWS)
        self.jobs.append(job)
        return job

    def try_start(self, job: Job) -> int | None:
        """One attempt; the status, or `None` if nothing is known of it."""
        answer = self.asks("/v1/jobs/csv_import", "POST", job.table, content_type="text/csv", idempotency_key=job.key)
        if answer is None:
            return None
        status, _, body = answer
        self.findings.saw(f"starts of jobs: {status}")
        if status == 202:
            started = json.loads(body)
            if job.id and job.id != started["jobId"]:
                self.findings.lie(f"{job.key} is two jobs: {job.id} and {started['jobId']}")
            job.id, job.token = started["jobId"], started["token"]
        return status

    def finish(self, job: Job) -> None:
        """Starts a job until it is known to be started, and waits for its end."""
        self.until(lambda: job.id or self.try_start(job) == 202, f"the start of {job.key}")
        def over() -> bool:
            answer = self.asks(f"/v1/jobs/{job.id}", authorization=f"Bearer {job.token}")
            if answer is None or answer[0] in (429, 503):
                return False
            assert answer[0] == 200, (job, answer)
            state = json.loads(answer[2])["state"]
            assert state not in ("failed", "canceled", "expired"), answer
            return state == "succeeded"
        self.until(over, f"the end of {job.key}")

    def is_running(self, jobs: list[Job]) -> bool:
        """Whether one of some jobs has begun."""
        for job in jobs:
            answer = job.id and self.asks(f"/v1/jobs/{job.id}", authorization=f"Bearer {job.token}")
            if answer and answer[0] == 200 and json.loads(answer[2])["state"] == "running":
                return True
        return False

    def check_job(self, job: Job) -> None:
        """Each row has one result, the events have no gap, and the last of them alone ends the job."""
        items: list[dict] = []
        while True:
            after = items[-1]["number"] if items else -1
            status, _, body = self.ask(f"/v1/jobs/{job.id}/results?limit=500&after={after}", authorization=f"Bearer {job.token}")
            assert status == 200, body
            page = json.loads(body)
            items += page["items"]
            if "next" not in page:
                break
        numbers = [item["number"] for item in items]
        if len(numbers) != ROWS or len(set(numbers)) != ROWS or {item["outcome"] for item in items} != {"imported"}:
            self.findings.lie(f"{job.key}: results {numbers} {Counter(item['outcome'] for item in items)}")
        seqs, ends = [], []
        for name, identifier, data in self._events(f"/v1/jobs/{job.id}/events", authorization=f"Bearer {job.token}"):
            if name == "status":
                break
            if identifier:
                seqs.append(int(identifier.rsplit(".", 1)[1]))
            if json.loads(data)["type"] in ("job_complete", "error"):
                ends.append(seqs[-1])
                break
        if seqs != list(range(1, len(seqs) + 1)) or ends != seqs[-1:]:
            self.findings.lie(f"{job.key}: events {seqs}, ends {ends}")

    def check_library(self) -> None:
        """Every book of every job is there, once."""
        with closing(sqlite3.connect(f"file:{self.path}/jobs/library.sqlite?mode=ro", uri=True)) as library:
            titles = Counter(title for (title,) in library.execute("SELECT title FROM books"))
        wanted = {f"Book {number}, a novel" for job in self.jobs for number in range(job.first, job.first + ROWS)}
        if twice := [title for title, count in titles.items() if count > 1]:
            self.findings.lie(f"books twice: {twice[:5]}")
        if set(titles) != wanted:
            self.findings.lie(f"books lost: {sorted(wanted - set(titles))[:5]}, too many: {sorted(set(titles) - wanted)[:5]}")

    # The end

    def stop(self) -> int:
        """Ends the clients and asks the server to end; its exit code."""
        self.ends.set()
        for thread in self.threads:
            thread.join(timeout=LONGEST)
        self.check_alive()
        self.server.process.send_signal(signal.SIGTERM)
        code = self.server.process.wait(timeout=LONGEST)
        self.server.drain.join(timeout=LONGEST)
        return code

    def close(self) -> None:
        """Leaves nothing behind."""
        self.ends.set()
        if self.server and self.server.process.poll() is None:
            self.server.process.kill()
            self.server.process.wait()
        for producer in (self.trips, self.alerts):
            producer.kill_if_alive()
        self.folder.remove()


# Troubles: each comes, is seen, and goes.


def feed_troubles(world: World) -> dict[str, Callable]:
    """How a producer may answer when it should publish."""
    now = world.now()

    def made(at: float, mark: int = FALSE) -> bytes:
        return feed(at, [late(trip, mark) for trip in world.trips.marked])

    content = made(now)

    def dribble(question, line) -> None:
        line.dribble(reply("200 OK", content, PROTOBUF))

    def reset(question, line) -> None:
        line.reset()

    def cut(question, line) -> None:
        line.send(reply("200 OK", content, PROTOBUF)[: len(content) // 2])

    return {
        "503": always(reply("503 Service Unavailable", b"in trouble")),
        "404": always(reply("404 Not Found")),
        "401": always(reply("401 Unauthorized")),
        "429": always(reply("429 Too Many Requests", b"", "Retry-After: 1")),
        "redirected": always(reply("302 Found", b"", "Location: /trip-updates.pb")),
        "garbage": always(reply("200 OK", os.urandom(2_000), PROTOBUF)),
        "page": always(reply("200 OK", b"<html>Please log in</html>", "Content-Type: text/html")),
        "empty": always(reply("200 OK", b"", PROTOBUF)),
        "half": always(reply("200 OK", content[: len(content) // 2], PROTOBUF)),
        "backdated": always(reply("200 OK", made(now - 3_600), PROTOBUF)),
        "future": always(reply("200 OK", made(now + 86_400, AHEAD), PROTOBUF)),
        "cut": cut, "reset": reset, "silent": hanging, "dribbling": dribble,
        "endless": always(reply("200 OK", None, PROTOBUF, "Content-Length: 99999999999")),
    }


def feeds_fail(world: World, names: list[str]) -> None:
    """A producer answers in wrong ways, one after the other; boards go on, and its next feed is shown."""
    for name in names:
        with world.publishing:
            world.trouble = name
            if name == "future":
                world.ahead_since = world.now()
            world.trips.answer = feed_troubles(world)[name]
            world.findings.saw(f"feeds: {name}")
            # Asked twice, so that the first answer has been looked at; one that is silent is not asked again soon.
            world.trips.wait_for(len(world.trips.questions) + (1 if name in ("silent", "dribbling") else 2))
            status, _, _ = world.ask(BOARD)
            assert status == 200, (name, status)
            world.trouble = ""
            number = world.trips.publish_next()
        seen = world._judge("poll")
        world.until(lambda: seen.newest >= number, f"a publication after {name}")


def producer_is_down(world: World) -> None:
    """Nothing listens where a producer was."""
    with world.publishing:
        world.trouble = "down"
        world.trips.kill()
        assert world.ask(BOARD)[0] == 200
        world.trips.start()
        world.trouble = ""
        number = world.trips.publish_next()
    world.findings.saw("feeds: down")
    seen = world._judge("poll")
    world.until(lambda: seen.newest >= number, "a publication after an outage")


class SlowClients:
    """Clients that read nothing, send a byte now and then, or leave in the middle; from another network."""

    def __init__(self, world: World, count: int = 12):
        self.sockets: list[socket.socket] = []
        self.ends = threading.Event()
        for number in range(count):
            try:
                plain = socket.create_connection(("127.0.0.1", world.port), timeout=LONGEST, source_address=("127.0.0.2", 0))
                line = world.context.wrap_socket(plain, server_hostname="localhost")
                kind = number % 4
                if kind == 0:
                    # Reads nothing of a stream.
                    line.sendall(f"GET {BOARD.replace('?', '/stream?')} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                elif kind == 1:
                    line.sendall(b"GET /api/stationboard?stop_id=")
                elif kind == 2:
                    line.sendall(b"POST /v1/jobs/csv_import HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\nContent-Length: 5000\r\n\r\nTitle")
                else:
                    # Many requests, no answer of which it reads.
                    line.sendall(f"GET {BOARD} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode() * 20)
                self.sockets.append(line)
                world.findings.saw("slow clients")
            except OSError:
                world.findings.saw("slow clients that were not let in")
        threading.Thread(target=self._dribble, daemon=True).start()

    def _dribble(self) -> None:
        while not self.ends.wait(0.5):
            for line in self.sockets[1::4] + self.sockets[2::4]:
                try:
                    line.sendall(b"x")
                except OSError:
                    pass

    def leave(self) -> None:
        """They go without a word."""
        self.ends.set()
        for line in self.sockets:
            line.close()


def hangups(world: World, number: int) -> None:
    """SIGHUPs, with and without a new certificate, and with a wrong one."""
    pid = world.server.process.pid

    def serial() -> str:
        plain = socket.create_connection(("127.0.0.1", world.port), timeout=LONGEST)
        with world.context.wrap_socket(plain, server_hostname="localhost") as line:
            return line.getpeercert()["serialNumber"]

    before = serial()
    world.chain.write_text("not a certificate\n")
    os.kill(pid, signal.SIGHUP)
    world.until(lambda: "the certificate before stays in use" in world.log, "a word about the wrong certificate")
    assert serial() == before
    world.renew(f"certificate{number}")
    for _ in range(3):
        os.kill(pid, signal.SIGHUP)
    world.until(lambda: serial() != before, "the new certificate")
    world.findings.saw("certificates")


def disk_is_full(world: World) -> None:
    """Nothing can be written: boards go on, a start is refused or kept, and afterwards all is as before."""
    job = world.start_job()
    world.full.touch()
    try:
        status = world.try_start(job)
        assert status in (507, 503, None), status
        assert world.ask(BOARD)[0] == 200
        world.findings.saw("full disks")
    finally:
        world.full.unlink()
    world.finish(job)


def descriptors_are_spent(world: World) -> None:
    """Connections take what the server may open: it keeps some for itself, and afterwards all is as before."""
    pid = world.server.process.pid

    def refused() -> int:
        return int(ENDED.search(world.ask("/metrics")[2].decode())[1])

    before = refused()
    with closing(world.connection()) as line:
        assert world.ask(BOARD, line=line)[0] == 200
        answered = time.monotonic()
        _, most = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (len(world.descriptors) + LEAST_FREE + 8, most))
        said, held = len(world.log), []
        try:
            for _ in range(30):
                try:
                    held.append(socket.create_connection(("127.0.0.1", world.port), timeout=5, source_address=("127.0.0.3", 0)))
                except OSError:
                    break
            assert select.select(held, [], [], LONGEST)[0], "no connection was refused"
            for _ in range(3):
                try:
                    assert world.ask(BOARD, line=line)[0] == 200
                    answered = time.monotonic()
                    world.findings.saw("answers without descriptors")
                except ConnectionError:
                    # A connection that has been idle for a second gives up its place to one that comes.
                    idle = time.monotonic() - answered
                    assert idle >= IDLE, f"a connection ended that had been idle for {idle} s"
                    break
        finally:
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (most, most))
            for one in held:
                one.close()
    world.until(lambda: (answer := world.asks(BOARD)) and answer[0] == 200, "an answer to a new connection")
    assert refused() > before
    world.findings.saw("spent descriptors")
    assert "Too many open files" not in world.log[said:], world.log[said:]
