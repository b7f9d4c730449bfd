"""Three replicas of everything behind a balancer, while replicas and their database are killed at random, suspended or cut off.

FRESHET_REPLICA_KILLS kills as often as one likes, FRESHET_SEED in another order.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import re
import socket
import threading
import time
import unittest
from collections import Counter

from database import Database
from job_stage import BrokenNetwork
from namespaces import Namespace, leave_shared_network
from program import PROGRAM, run, until
from realtime_stage import BOARD, Producer, Stream, ask, instant
from replica_clients import ENDS, Job
from replicas import INTERVAL, LEASE, LEAST_GAP, NEW, REPLICAS, Replica, World
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401
from test_job_database import BOOKS, Listener, Shelf

KILLS = int(os.environ.get("FRESHET_REPLICA_KILLS", sized("40", long="200")))
SHARES = {"replica": 12, "leader": 7, "worker": 7, "database": 5, "pause": 2}
"""What 40 kills begin with; when the database goes away a replica is killed too."""
PAUSE = 10.0
"""The seconds for which the database is suspended."""
GROUP = 5
"""After so many of them everything catches up."""
READY = "/health/ready"
SCRAPE = 10.0
"""The seconds for which Prometheus waits for measurements, unless it is told otherwise."""
SLACK = 1.25
"""How much more often than once in an interval a leader may poll on the average: it gets in step with the publications."""
CONNECTIONS = 8
"""PostgresClientLimits.connections."""
SOURCES = "SELECT id, fence, owner FROM freshet_realtime.source ORDER BY id"
STORED = """
  SELECT 'job', id, state, concat_ws(' ', owner, fence, processed), md5(coalesce(checkpoint, '')) FROM freshet.job
  UNION ALL SELECT 'event', job, seq::text, md5(message), '' FROM freshet.event JOIN freshet.job ON id = job WHERE ended_at IS NOT NULL
  UNION ALL SELECT 'result', job, number::text, outcome, md5(coalesce(value, '')) FROM freshet.result ORDER BY 1, 2, 3"""
"""All that jobs have stored, but for what one that works at the moment says about that."""
SILENT = 3.0
"""The seconds after which a leader without the database polls no more (SR2)."""
TAKEOVER = 5.0
"""The seconds within which another replica polls (shared-realtime.md)."""
LOCKED = 5.0
"""The seconds for which a worker that is cut off may hold locks (PostgresJobStore.leastIdleTransactionSeconds)."""


def check_events(test: unittest.TestCase, messages: list[dict], count: int) -> None:
    """Checks that events have numbers from 1 on without a gap, and one end, which comes last, after all that a job had to do."""
    test.assertEqual([message["seq"] for message in messages], list(range(1, len(messages) + 1)))
    done = [message["payload"]["processedCount"] for message in messages if message["type"] == "job_progress"]
    test.assertEqual(done, sorted(done))
    test.assertEqual(done[-1:], [count])
    test.assertEqual([message["type"] for message in messages if message["type"] in ENDS], ["job_complete"])
    test.assertEqual(messages[-1]["type"], "job_complete")


def check_polls(test: unittest.TestCase, polls: list[tuple[float, str]], takeovers: int) -> float:
    """Checks instants of polls and who polled: one replica at a time, as often as one does, and changes were take-overs.

    Returns the seconds with a leader.
    """
    terms = [list(group) for _, group in itertools.groupby(polls, lambda poll: poll[1])]
    test.assertLessEqual(len(terms), takeovers + 1, [(term[0][1], len(term)) for term in terms])
    test.assertGreater(len(terms), 1)
    led = 0.0
    for term in terms:
        led += term[-1][0] - term[0][0]
        for before, after in itertools.pairwise(term):
            test.assertGreater(after[0] - before[0], LEAST_GAP / 2)
    # One request for each interval, and at most one more for each take-over.
    test.assertLessEqual(len(polls), led / INTERVAL * SLACK + len(terms))
    return led


def setUpModule() -> None:
    leave_shared_network()


class StormTest(unittest.TestCase):
    def test_kills_at_random_lose_nothing_and_show_nothing_twice_or_backwards(self):
        began = time.monotonic()
        world = self.world = World()
        self.addCleanup(world.close)
        world.open()
        # The library has its first books.
        world.begin_job()
        world.settle()
        self.rng = random.Random(os.environ.get("FRESHET_SEED", "7"))
        kinds = [kind for kind, share in SHARES.items() for _ in range(-(-share * KILLS // 40))]
        self.rng.shuffle(kinds)
        before = world.newest()
        importer = threading.Thread(target=lambda: world.share(world.renamed()))
        self.counts: Counter[str] = Counter()
        opened, fences = time.monotonic(), self.fences()
        for place, kind in enumerate(kinds, 1):
            if world.kills >= KILLS:
                break
            if place == len(kinds) // 3:
                importer.start()
            self.strike(kind)
            if place % GROUP == 0:
                world.settle()
        world.settle()
        importer.join()
        self.assertNotEqual(world.newest(), before)
        for replica in world.replicas:
            until(lambda replica=replica: replica.generation() == world.newest())
            self.assertEqual(replica.get(BOARD)[1]["station"]["name"], NEW)
        world.settle()
        closed = time.monotonic()
        world.stop()
        self.check_clients()
        for job in world.jobs:
            self.check_job(job)
        self.check_library()
        self.check_polls(world.trips, "trip-updates", opened, closed, fences)
        self.check_polls(world.alerts, "alerts", opened, closed, fences)
        print(f"{time.monotonic() - began:.0f} s, {world.kills} kills, {len(world.jobs)} jobs, {len(world.trips.made)} publications, "
              f"{sum(viewer.answers for viewer in world.viewers)} boards, {sum(viewer.behind for viewer in world.viewers)} behind, "
              f"{sum(stream.events for stream in world.streams)} events of {sum(stream.streams for stream in world.streams)} streams, "
              f"{sum(stream.behind for stream in world.streams)} behind, "
              + ", ".join(f"{kind} {count}" for kind, count in sorted(self.counts.items())))

    # What is killed

    def strike(self, kind: str) -> None:
        """Kills something, with a job that was just started and boards that are read."""
        world = self.world
        self.counts[kind] += 1
        world.begin_job()
        seen = [viewer.answers for viewer in world.viewers]
        if kind == "replica":
            world.kill(self.rng.choice(world.victims()))
        elif kind == "leader":
            world.kill(world.leader())
        elif kind == "worker":
            release = world.hold_library()
            try:
                world.kill(world.worker())
            finally:
                release()
        else:
            world.kills += 1
            self.take_away(kind)
        until(lambda: all(viewer.answers > before for viewer, before in zip(world.viewers, seen)))

    def take_away(self, kind: str) -> None:
        """Kills or suspends the database; meanwhile a replica is killed too, and starts."""
        world = self.world
        until(lambda: len(world.live()) == REPLICAS)
        replicas = world.live()
        self.rng.shuffle(replicas)
        for replica in replicas:
            until(lambda replica=replica: ask(replica.port, READY).status == 200)
        ends = time.monotonic() + PAUSE
        asking: list[threading.Thread] = []
        answers: list[tuple[int, str | None]] = []
        world.database.tell("kill" if kind == "database" else "pause")
        try:
            self.check_boards(replicas)
            if kind == "database":
                for replica in replicas:
                    answers.append(self.job_state(replica))
                    refused = Job(0)
                    self.assertEqual((world.start(replica.port, refused), refused.id), (None, ""))
                self.assertEqual({status for status, _ in answers}, {503})
            else:
                asked = replicas[0]
                # More requests than connections: those that get none are told so.
                asking += [
                    threading.Thread(target=lambda: answers.append(self.job_state(asked))) for _ in range(2 * CONNECTIONS)
                ]
                for thread in asking:
                    thread.start()
                until(lambda: 503 in [status for status, _ in answers])
            if world.kills < KILLS:
                world.kill(replicas.pop())
            while kind == "pause" and time.monotonic() < ends:
                self.check_boards(replicas)
                time.sleep(0.2)
            # One that starts without the database has boards too.
            until(lambda: len(world.live()) == REPLICAS)
            self.check_boards(replicas)
        finally:
            world.database.tell("start" if kind == "database" else "resume")
        for thread in asking:
            thread.join()
        for status, retry_after in answers:
            self.assertIn((status, retry_after is not None), [(200, False), (503, True)])

    def check_boards(self, replicas: list[Replica]) -> None:
        """Every replica answers with a board, and these are ready."""
        for replica in self.world.live():
            answer = ask(replica.port, BOARD)
            self.assertEqual(answer.status, 200, answer.body)
        for replica in replicas:
            answer = ask(replica.port, READY)
            self.assertEqual(answer.status, 200, answer.body)

    def job_state(self, replica: Replica) -> tuple[int, str | None]:
        """How a replica answers for the first job: status and Retry-After."""
        job = self.world.jobs[0]
        answer = ask(replica.port, f"/v1/jobs/{job.id}", authorization=f"Bearer {job.token}")
        return answer.status, answer["Retry-After"]

    def fences(self) -> dict[str, int]:
        """How often the lease of each source was given."""
        rows = self.world.database.ask("SELECT title, fence FROM freshet_realtime.source").splitlines()
        return {kind: int(row.rpartition("|")[2]) for kind in ("trip-updates", "alerts") for row in rows if kind in row}

    # The oracle

    def check_clients(self) -> None:
        """No client saw anything wrong, and all of them saw something."""
        world = self.world
        self.assertEqual(world.faults, [])
        # As many as clients can have seen while often no server polls, minus a few.
        least = len(world.trips.made) // 4
        for viewer in world.viewers:
            self.assertEqual(viewer.faults, [])
            self.assertGreater(viewer.judge.boards, least)
            # Most of what it was shown was at least as new as what it had; only that is compared.
            self.assertLess(viewer.behind, viewer.answers / 3)
        for stream in world.streams:
            self.assertEqual(stream.faults, [])
            self.assertGreater(stream.events, least)
            self.assertGreater(stream.streams, 1)

    def check_job(self, job: Job) -> None:
        """Its followers heard all of it once, and so do late ones; it has one result for each row."""
        for follower in job.followers:
            self.assertEqual(follower.faults, [])
            self.assertEqual(follower.ends, 1, job.key)
        server = self.world.replicas[job.id.encode()[0] % REPLICAS]
        messages = Listener(server, job.fields).end()
        check_events(self, messages, len(job.titles))
        self.assertEqual(messages[-1]["payload"]["counts"], {"imported": len(job.titles)}, job.key)
        self.assertEqual({follower.seq for follower in job.followers}, {len(messages)}, job.key)
        self.assertEqual(server.state(job.fields)["state"], "succeeded")
        results = server.results(job.fields)
        self.assertEqual([item["number"] for item in results], list(range(len(job.titles))), job.key)
        self.assertEqual({item["outcome"] for item in results}, {"imported"}, job.key)

    def check_library(self) -> None:
        """Each row of each job is in the library once."""
        listed = run("library", "list", "--database", self.world.database.url, "--json")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        books = Counter(json.loads(line)["title"] for line in listed.stdout.splitlines())
        wanted = Counter(title for job in self.world.jobs for title in job.titles)
        self.assertEqual((books - wanted, wanted - books), (Counter(), Counter()))

    def check_polls(self, producer: Producer, kind: str, opened: float, closed: float, fences: dict[str, int]) -> None:
        """The polls of a producer between two instants are those of leaders."""
        polls = [(question.at, question["X-Server"]) for question in producer.questions if opened <= question.at <= closed]
        takeovers = self.fences()[kind] - fences[kind]
        self.counts[f"seconds with a leader of {kind}"] = round(check_polls(self, polls, takeovers))
        self.counts[f"take-overs of {kind}"] = takeovers
        self.counts[f"replicas in turn that polled {kind}"] = sum(1 for _ in itertools.groupby(who for _, who in polls))
        self.counts[f"polls of {kind}"] = len(polls)


class Passage(BrokenNetwork):
    """A port of ours that leads to a replica in a namespace."""

    def __init__(self, namespace: Namespace, port: int):
        self.namespace = namespace
        super().__init__(port, seed=0, most=0)

    def _connect(self) -> socket.socket:
        return self.namespace.connect(self.target)


class Ruler(threading.Thread):
    """Measures how much later than it should this machine goes on, in seconds."""

    STEP = 0.05

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.late = 0.0
        self._ends = threading.Event()

    def run(self) -> None:
        while True:
            began = time.monotonic()
            if self._ends.wait(self.STEP):
                return
            self.late += time.monotonic() - began - self.STEP

    def stop(self) -> float:
        """Ends it; returns what it measured."""
        self._ends.set()
        self.join()
        return self.late


class Moved(threading.Thread):
    """Notes when another worker has a job."""

    def __init__(self, database: Database, job: str):
        super().__init__(daemon=True)
        self._fence = lambda: database.ask(f"SELECT fence FROM freshet.job WHERE id = '{job}'")
        self._before = self._fence()
        self._at: float | None = None

    def run(self) -> None:
        until(lambda: self._fence() != self._before)
        self._at = time.monotonic()

    def at(self) -> float:
        """When it was."""
        self.join()
        assert self._at is not None, "the job stays where it was"
        return self._at


class PartitionTest(unittest.TestCase):
    """A replica whose line to the database is cut, while the producer and its clients still reach it."""

    def setUp(self) -> None:
        try:
            self.line = Namespace()
        except OSError as error:
            self.skipTest(f"no network namespaces: {error}")
        self.addCleanup(self.line.close)
        self.world = World(self.line.near)
        self.addCleanup(self.world.close)
        for server in (self.world.trips, self.world.alerts):
            threading.Thread(target=server._accept, args=(self.line.listen(server.port),), daemon=True).start()

    def serve_cut_off(self, shelf: Shelf) -> Replica:
        """Starts the replica in the namespace, as the first one."""
        program = self.line.program(self.world.folder / "program", PROGRAM)
        url = f"postgres://freshet@{self.line.near}/postgres"
        replica = self.world.serve(0, "--open-library", shelf.url, url=url, program=program)
        passage = Passage(self.line, replica.port)
        self.addCleanup(passage.close)
        replica.port = passage.port
        replica.url = f"http://127.0.0.1:{passage.port}"
        self.world.replicas.append(replica)
        return replica

    def shelf(self, answers: int | None = None) -> Shelf:
        shelf = Shelf(answers)
        self.addCleanup(shelf.close)
        return shelf

    def polled_by(self, replica: Replica, since: float) -> list[float]:
        """When a replica has polled the trip updates since an instant."""
        return [question.at for question in self.world.trips.questions if question.at >= since and question["X-Server"] == replica.name]

    def sql(self, statement: str) -> list[list[str]]:
        return [row.split("|") for row in self.world.database.ask(statement).splitlines()]

    def is_locked(self, job: dict) -> bool:
        """Whether a job is locked for longer than a worker needs for a step: for a second."""
        look = f"SELECT 1 FROM freshet.job WHERE id = '{job['jobId']}' FOR UPDATE SKIP LOCKED"
        began = time.monotonic()
        while not self.sql(look):
            if time.monotonic() > began + 1:
                return True
        return False

    def test_a_replica_that_is_cut_off_polls_publishes_and_works_no_more_and_follows_when_it_is_back(self):
        world = self.world
        mine, theirs = self.shelf(answers=2), self.shelf(answers=2)
        listener = self.line.listen(int(mine.url.rpartition(":")[2]))
        threading.Thread(target=serve_also, args=(mine, listener), daemon=True).start()
        cut = self.serve_cut_off(mine)
        until(lambda: cut.generation() == world.newest())
        until(lambda: world.shown(cut) == world.trips.made[-1])
        # It leads, and works on a job that stops at its third book, and on one that stops in a batch.
        first = Job(0)
        self.assertIsNone(world.start(cut.port, first))
        until(lambda: cut.state(first.fields)["state"] == "succeeded")
        books = cut.start(json.dumps({"books": BOOKS}).encode(), "batch_enrichment", Content_Type="application/json")
        until(lambda: len(mine.asked) > 2)
        release = world.hold_library()
        table = Job(1)
        self.assertIsNone(world.start(cut.port, table))
        until(lambda: cut.metric("freshet_jobs_running") == 2)
        until(lambda: self.sql("SELECT count(*) FROM pg_locks WHERE NOT granted") != [["0"]])
        others = [world.serve(number, "--open-library", theirs.url) for number in range(1, REPLICAS)]
        world.replicas += others
        for replica in others:
            until(lambda replica=replica: world.shown(replica) == world.trips.made[-1])
        world.watch()
        listeners = [Listener(others[0], job) for job in (books, table.fields)]
        before = self.sql(SOURCES)
        leaders = {row[2] for row in before}
        self.assertEqual(len(leaders), 1)
        self.assertNotEqual(self.polled_by(cut, 0), [])
        published = int(self.sql("SELECT position FROM freshet_realtime.log")[0][0])
        at = world.trips.made[-1]
        moves = [Moved(world.database, job["jobId"]) for job in (books, table.fields)]
        ruler = Ruler()
        ruler.start()
        cut_at = time.monotonic()
        self.line.cut()
        try:
            for move in moves:
                move.start()
            # The cut may fall into the renewal of the lease, which locks the job.
            locked = LOCKED if self.is_locked(books) else 0
            release()
            world.trips.publish_next()
            until(lambda: any(self.polled_by(replica, cut_at) for replica in others))
            taken_at = min(asked for replica in others for asked in self.polled_by(replica, cut_at))
            moved = [move.at() - cut_at for move in moves]
            late = ruler.stop()
            self.assertLess(taken_at - cut_at, TAKEOVER + INTERVAL + late)
            self.assertLess(moved[0], locked + LEASE * 4 / 3 + INTERVAL + late)
            # The second one may be in a transaction.
            self.assertLess(moved[1], LOCKED + LEASE * 4 / 3 + INTERVAL + late)
            for replica in others:
                until(lambda replica=replica: world.shown(replica) == world.trips.made[-1])
            stream = self.check_cut_off(cut, at, others[0])
            # What it was looking up arrives; there is nothing that it could store.
            mine.release()
            check_events(self, listeners[1].end(), len(table.titles))
            ended_at = time.monotonic()
            # The other job goes on elsewhere, and stops again.
            until(lambda: len(theirs.asked) > 2)
            world.trips.publish_next()
            for replica in others:
                until(lambda replica=replica: world.shown(replica) == world.trips.made[-1])
            after = self.sql(SOURCES)
            self.assertEqual(self.polled_by(cut, cut_at + SILENT), [])
            self.assertEqual(self.polled_by(cut, taken_at), [])
            for old, new in zip(before, after, strict=True):
                self.assertEqual((new[0], int(new[1])), (old[0], int(old[1]) + 1))
                self.assertNotIn(new[2], leaders)
            fences = {row[0]: row[1] for row in after}
            found = set()
            for source, fence, position in self.sql("SELECT source, fence, position FROM freshet_realtime.publication"):
                self.assertEqual(fence == fences[source], int(position) > published)
                found.add(int(position) > published)
            self.assertEqual(found, {False, True})
            stored = self.sql(STORED)
            self.assertEqual(stream.events, [])
        finally:
            self.line.mend()
        back_at = time.monotonic()
        until(lambda: world.shown(cut) == world.trips.made[-1])
        # The stream begins when its server has what the client has seen.
        self.assertGreater(instant(stream.next("snapshot", "change", "verified").data["meta"]["rtFetchedAt"]), at)
        until(lambda: cut.metric("freshet_realtime_database_up") == 1)
        # It still had to store what it had looked up.
        until(lambda: cut.metric("freshet_jobs_running") == 0)
        world.trips.publish_next()
        until(lambda: world.shown(cut) == world.trips.made[-1])
        self.assertEqual(self.polled_by(cut, cut_at + SILENT), [])
        self.assertEqual(self.sql(STORED), stored)
        theirs.release()
        check_events(self, listeners[0].end(), len(BOOKS))
        for job, heard in zip((books, table.fields), listeners):
            self.assertEqual([message["seq"] for message in Listener(cut, job).end()], [message["seq"] for message in heard.messages])
        self.assertEqual([item["number"] for item in cut.results(books)], list(range(len(BOOKS))))
        listed = run("library", "list", "--database", world.database.url, "--json").stdout.splitlines()
        self.assertEqual(sorted(json.loads(line)["title"] for line in listed), sorted(first.titles + table.titles))
        # The replica that was cut off has the newest publication, and each client asks one after the other.
        for client in (*world.viewers, *world.streams):
            until(lambda client=client: client.faults or client.has_seen(world.trips.made[-1]))
        world.stop()
        for client in (*world.viewers, *world.streams):
            self.assertEqual(client.faults, [])
        # Some were sent to the one that was cut off, with what they had seen at another one.
        self.assertTrue(all(viewer.behind for viewer in world.viewers), [viewer.behind for viewer in world.viewers])
        print(f"polled {taken_at - cut_at:.1f} s after the cut, jobs elsewhere {moved[0]:.1f} ({locked:.0f} s for a lock) and {moved[1]:.1f} s after it, over {ended_at - cut_at:.1f} s after it, "
              f"all as before {time.monotonic() - back_at:.1f} s after the mend")

    def check_cut_off(self, cut: Replica, at: int, other: Replica) -> Stream:
        """It shows what it has, which grows older, and says what it does not know; gives a stream that waits for what its client has seen."""
        first = ask(cut.port, BOARD)
        began = time.monotonic()
        until(lambda: {source["leader"] for source in cut.get("/api/status")[1]["sources"]} == {"unknown"})
        second = ask(cut.port, BOARD)
        passed = time.monotonic() - began
        for answer in (first, second):
            self.assertEqual((answer.status, instant(answer["x-md-rt-fetched-at"])), (200, at))
        grown = int(second["x-md-rt-age-ms"]) - int(first["x-md-rt-age-ms"])
        self.assertGreater(int(first["x-md-rt-age-ms"]), 0)
        self.assertGreaterEqual(grown, int(passed * 1_000) - 100)
        tag = ask(other.port, BOARD)["ETag"]
        seen = ask(cut.port, BOARD, if_none_match=tag)
        self.assertEqual((seen.status, seen["x-md-rt-behind"]), (200, "1"))
        stream = Stream(cut.port, last=tag)
        self.addCleanup(stream.close)
        self.assertEqual((stream.answer.status, stream.answer.getheader("x-md-rt-behind")), (200, "1"))
        self.assertEqual(ask(cut.port, READY).status, 200)
        scrape = ask(cut.port, "/metrics")
        self.assertLess(scrape.took, SCRAPE)
        said = scrape.body.decode()
        self.assertRegex(said, r"(?m)^freshet_realtime_database_up 0$")
        self.assertEqual(set(re.findall(r"(?m)^freshet_realtime_leader\{.*\} (\d+)$", said)), {"0"})
        # It does not know how many jobs there are: it does not say 0.
        self.assertNotIn("\nfreshet_jobs{", said)
        self.assertIn("\nfreshet_jobs_running ", said)
        return stream


def serve_also(shelf: Shelf, listener: socket.socket) -> None:
    """Lets a shelf answer at another listener too."""
    while True:
        try:
            connection, address = listener.accept()
        except OSError:
            return
        shelf.serve(connection, address)


if __name__ == "__main__":
    unittest.main()
