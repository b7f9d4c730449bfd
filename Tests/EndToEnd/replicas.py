"""Replicas of everything over one database, behind a balancer without affinity, with producers and clients: the stage of test_replicas."""

from __future__ import annotations

import json
import re
import shutil
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from datetime import datetime, timezone
from pathlib import Path

from chaos import FATAL, MarkedProducer
from database import Database
from job_stage import Balancer, JobServer
from program import Folder, Server, run, until
from realtime_stage import BEGIN, BOARD, LAUSANNE, Producer, alert, ask, instant
from replica_clients import Job, SocketFollower, StreamFollower, StreamViewer, Viewer
from sample_network import network

REPLICAS = 3
INTERVAL = 1.0
"""The seconds between two polls of a leader."""
LEAST_GAP = INTERVAL / 3
"""The least seconds between two polls: the floor of the schedule, as much faster as the interval is."""
LAG = 10.0
"""How much slower, in seconds, the producers' clock is than that of any replica, which begins a little after it was told to."""
SKEW = 2.0
"""How much more the clock of each replica is ahead than that of the one before it, in seconds."""
LEASE = 2
"""limits.leaseSeconds of the jobs."""
OLD, NEW = "Lausanne", "Lausanne-Gare"
"""The name of the stop in the first timetable, and in the second one."""


class RoundRobin(Balancer):
    """Connects each client to the next replica that lets it in."""

    def _connect(self) -> socket.socket:
        for _ in self.servers:
            try:
                return super()._connect()
            except ConnectionRefusedError:
                continue
        raise ConnectionRefusedError("no replica is there")


class Replica(JobServer):
    """A server of boards, realtime, timetables and jobs."""

    def __init__(self, world: World, number: int, run_number: int, *options: str, url: str | None = None, program: Path | None = None):
        self.number = number
        self.name = f"{number}.{run_number}"
        began = world.now() + LAG + number * SKEW
        at = datetime.fromtimestamp(began, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        Server.__init__(
            self, world.place(number), "--jobs", str(world.folder / f"jobs-{number}"), "--config", str(world.settings),
            "--trip-updates", f"{world.trips.url}/trip-updates.pb", "--alerts", f"{world.alerts.url}/alerts.pb",
            "--poll", f"trip-updates={int(INTERVAL * 1_000)}", "--poll", f"alerts={int(INTERVAL * 1_000)}",
            "--feed-header", f"X-Server: {self.name}", "--database", url or world.database.url, *options,
            now=at, log_level="warning", program=program,
        )

    def check_alive(self) -> None:
        """Fails if it has ended by itself."""
        said = "".join(self.log)
        assert self.process.poll() is None and not FATAL.search(said), f"{self.name} ended by itself: {said}"

    def metric(self, name: str) -> float:
        """The sum of a measurement over its labels."""
        text = ask(self.port, "/metrics").body.decode()
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", text, re.M))

    def generation(self) -> str:
        """The timetable that it serves; empty for none."""
        return next((feed["generation"] for feed in self.get("/health")[1]["feeds"] if feed["key"] == "default"), "")


class World:
    """A database, replicas, a balancer, producers and clients, in a folder of its own."""

    def __init__(self, address: str | None = None):
        self.folder = Folder()
        self.database = Database(address=address)
        self.offset = instant(BEGIN) - LAG - time.time()
        self.settings = self.folder / "settings.json"
        # No job ends for the replicas that are killed over it.
        self.settings.write_text(json.dumps({"jobs": {"limits": {"leaseSeconds": LEASE, "crashesOfJob": 1_000_000}}}))
        self.trips = MarkedProducer(self.now, self._trips())
        self.alerts = Producer(self.now)
        self.trips.publish_next()
        self.alerts.publish(alerts=[alert({"de": "Bauarbeiten"}, stop=LAUSANNE)])
        self.replicas: list[Replica] = []
        self.balancer = RoundRobin(self.replicas)
        self.jobs: list[Job] = []
        self.faults: list[str] = []
        self.viewers: list[Viewer] = []
        self.streams: list[StreamViewer] = []
        self.kills = 0
        self._runs = 0
        self._starts: dict[int, Future[None]] = {}
        self._pool = ThreadPoolExecutor(REPLICAS)
        self._ends = threading.Event()
        self._publisher = threading.Thread(target=self.publish, daemon=True)
        try:
            self.share(network() / "feed")
        except BaseException:
            self.close()
            raise

    def now(self) -> float:
        """The producers' clock."""
        return time.time() + self.offset

    def place(self, number: object) -> Path:
        """The data folder of a machine."""
        return self.folder / f"machine-{number}"

    @staticmethod
    def _trips() -> list[str]:
        """The trips of the next hours at the stop."""
        with Server(network() / "data", now=BEGIN) as server:
            _, board = server.get(f"/api/stationboard?stop_id={LAUSANNE}&limit=200&window_minutes=180")
            return sorted({row["trip_id"] for row in board["departures"]})

    # Timetables

    def share(self, feed: Path) -> None:
        """Imports a timetable on a machine without a server, as often as it takes until it is stored."""
        while True:
            answer = run("import", str(feed), "--data", str(self.place("importer")), "--database", self.database.url)
            if answer.returncode == 0:
                return
            # The database is away, or an import before this one, whose outcome is unknown, still has the lease.
            assert answer.returncode in (69, 75), answer.stdout + answer.stderr

    def newest(self) -> str:
        """The generation that the database has."""
        return json.loads(self.database.ask("SELECT entry FROM freshet_timetables.feed WHERE key = 'default'"))["generation"]

    def renamed(self) -> Path:
        """The same timetable with another name of the stop."""
        feed = self.folder / "renamed"
        shutil.copytree(network() / "feed", feed)
        stops = feed / "stops.txt"
        stops.write_text(stops.read_text().replace(f",{OLD},", f",{NEW},"))
        return feed

    # Replicas

    def open(self) -> None:
        """Starts replicas, publications and clients."""
        for number in range(REPLICAS):
            self.replicas.append(self.serve(number))
        for replica in self.replicas:
            until(lambda replica=replica: replica.generation() == self.newest())
        self._publisher.start()
        self.watch()

    def watch(self) -> None:
        """Starts clients that watch boards until the end."""
        for has in ((True, False), (True, True), (False, True)):
            self.viewers.append(Viewer(self.balancer.port, self.trips, *has))
        self.streams += [StreamViewer(self.balancer.port, self.trips) for _ in range(2)]
        for client in (*self.viewers, *self.streams):
            client.start()

    def serve(self, number: int, *options: str, **more: object) -> Replica:
        """Starts a replica."""
        self._runs += 1
        return Replica(self, number, self._runs, *options, **more)

    def check_clock(self, replica: Replica) -> None:
        """Fails if the clock of a replica is behind that of the producers, for which it began too slowly."""
        served = instant(replica.get("/health")[1]["serverTime"])
        assert served > self.now(), f"{replica.name} took longer than {LAG} s to begin"

    def kill(self, replica: Replica) -> None:
        """Ends a replica without a word, and starts another one in its place."""
        replica.check_alive()
        replica.kill()
        self.kills += 1
        self._starts[replica.number] = self._pool.submit(self._restart, replica)

    def _restart(self, before: Replica) -> None:
        before.__exit__()
        after = self.replicas[before.number] = self.serve(before.number)
        self.check_clock(after)

    def live(self) -> list[Replica]:
        """The replicas that are there."""
        for number, start in list(self._starts.items()):
            if start.done():
                start.result()
                del self._starts[number]
        return [replica for replica in self.replicas if replica.number not in self._starts]

    def victims(self) -> list[Replica]:
        """The replicas that may be killed: another one is left."""
        until(lambda: len(self.live()) > 1)
        return self.live()

    def leader(self) -> Replica:
        """The replica that polls the trip updates."""
        found: list[Replica] = []

        def is_known() -> bool:
            newest = self.trips.questions[-1]
            found[:] = [replica for replica in self.victims() if replica.name == newest["X-Server"]]
            return bool(found) and time.monotonic() - newest.at < 2 * INTERVAL

        until(is_known)
        return found[0]

    def worker(self) -> Replica:
        """A replica that works on a job."""
        found: list[Replica] = []

        def is_known() -> bool:
            found[:] = [replica for replica in self.victims() if replica.metric("freshet_jobs_running")]
            return bool(found)

        until(is_known)
        return found[0]

    def hold_library(self) -> Callable[[], None]:
        """Suspends imports before their next batch; returns a function that continues them."""
        client = self.database.hold()
        self.database.say(client, "SELECT id FROM freshet.library FOR UPDATE;")

        def release() -> None:
            client.stdin.close()
            client.wait()
            client.stdout.close()

        return release

    # Publications and jobs

    def publish(self) -> None:
        """Publishes until the end."""
        while not self._ends.wait(0.5):
            self.trips.publish_next()

    def begin_job(self) -> Job:
        """Starts a job, as soon as a replica takes it, with a client for each transport that follows it."""
        job = Job(len(self.jobs))
        self.jobs.append(job)
        threading.Thread(target=self._begin, args=(job,), daemon=True).start()
        return job

    def _begin(self, job: Job) -> None:
        while not job.id and not self._ends.wait(0.1):
            try:
                answer = self.start(self.balancer.port, job)
            except OSError:
                continue
            if answer is not None:
                self.faults.append(f"the start of {job.key}: {answer}")
        job.followers += [kind(self.balancer.port, job) for kind in (StreamFollower, SocketFollower)]
        for follower in job.followers:
            follower.start()
        job.is_followed.set()

    @staticmethod
    def start(port: int, job: Job) -> str | None:
        """Tries to start a job; returns what is wrong with the answer."""
        status, fields, body = job.post(port)
        if status == 202:
            started = json.loads(body)
            if job.id and started["jobId"] != job.id:
                return f"two jobs: {job.id} and {started['jobId']}"
            job.id, job.token = started["jobId"], started["token"]
        elif status != 503 or not fields.get("retry-after"):
            return f"{status}, Retry-After {fields.get('retry-after')}: {body[:200]}"
        return None

    def is_over(self, job: Job) -> bool:
        """Whether the clients of a job have followed it to its end."""
        return job.is_followed.is_set() and not any(follower.is_alive() for follower in job.followers)

    def settle(self) -> None:
        """Waits until all replicas are there and show a publication of now, as clients see, all jobs are over, and the producers are polled."""
        until(lambda: len(self.live()) == REPLICAS)
        at = self.trips.made[-1]
        for replica in self.replicas:
            replica.check_alive()
            until(lambda replica=replica: self.shown(replica) >= at)
            until(lambda replica=replica: replica.get("/health/ready")[0] == 200)
        for client in (*self.viewers, *self.streams):
            until(lambda client=client: client.faults or client.has_seen(at))
        for job in self.jobs:
            until(lambda job=job: self.is_over(job))
        # One replica polls for a while.
        for producer in (self.trips, self.alerts):
            asked = len(producer.questions)
            until(lambda producer=producer, asked=asked: len(producer.questions) > asked + 2)

    @staticmethod
    def shown(replica: Replica) -> float:
        """The instant of the publication that a replica shows; 0 for none."""
        fetched = ask(replica.port, BOARD)["x-md-rt-fetched-at"]
        return instant(fetched) if fetched else 0

    # The end

    def stop(self) -> None:
        """Ends the clients."""
        self._ends.set()
        for client in (*self.viewers, *self.streams):
            client.stop()

    def close(self) -> None:
        """Leaves nothing behind."""
        self.stop()
        for job in self.jobs:
            for follower in job.followers:
                follower.stop()
        self._pool.shutdown()
        # From the last one to the first, whichever of them fails.
        with ExitStack() as stack:
            stack.callback(self.folder.remove)
            stack.callback(self.database.close)
            for producer in (self.trips, self.alerts):
                stack.callback(producer.kill_if_alive)
            for replica in self.replicas:
                stack.callback(replica.__exit__)
            stack.callback(self.balancer.close)
