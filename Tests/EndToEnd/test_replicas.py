"""Three replicas of everything behind a balancer, while replicas and their database are killed at random, stand still or are cut off.

FRESHET_REPLICA_KILLS kills as often as one likes, FRESHET_SEED in another order.
"""

from __future__ import annotations

import json
import os
import random
import threading
import time
import unittest
from collections import Counter

from job_stage import BrokenNetwork
from namespaces import Namespace
from program import PROGRAM, run, until
from realtime_stage import BOARD, Producer, ask, instant
from replica_clients import ENDS, Job
from replicas import INTERVAL, LEAST_GAP, LEASE, NEW, REPLICAS, Replica, World
from scale import sized
from test_job_database import BOOKS, Listener, Shelf

KILLS = int(os.environ.get("FRESHET_REPLICA_KILLS", sized("40", long="200")))
SHARES = {"replica": 17, "leader": 8, "worker": 8, "database": 5, "pause": 2}
"""How many of 40 kills are of which kind."""
PAUSE = 10.0
"""The seconds for which the database stands still."""
GROUP = 5
"""After so many kills everything catches up."""
READY = "/health/ready"
CONNECTIONS = 8
"""PostgresClientLimits.connections."""
TAKEOVER = 5.0
"""The seconds within which another replica polls (shared-realtime.md)."""


class StormTest(unittest.TestCase):
    def test_kills_at_random_lose_nothing_and_show_nothing_twice_or_backwards(self):
        began = time.monotonic()
        world = self.world = World()
        self.addCleanup(world.close)
        world.open()
        # The library has its first books.
        world.begin_job()
        world.settle()
        self.chance = random.Random(os.environ.get("FRESHET_SEED", "7"))
        kinds = [kind for kind, share in SHARES.items() for _ in range(-(-share * KILLS // 40))]
        self.chance.shuffle(kinds)
        imported: list[str] = []
        importer = threading.Thread(target=lambda: imported.append(world.share(world.renamed())))
        self.counts: Counter[str] = Counter()
        opened, fences = time.monotonic(), self.fences()
        while world.kills < KILLS:
            self.strike(kinds[world.kills])
            if world.kills >= KILLS // 3 and not importer.ident:
                importer.start()
            if world.kills % GROUP == 0:
                world.settle()
        world.settle()
        importer.join()
        for replica in world.replicas:
            until(lambda replica=replica: replica.generation() == imported[0])
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
              f"{sum(stream.older_beginnings for stream in world.streams)} began with an older board, "
              + ", ".join(f"{kind} {count}" for kind, count in sorted(self.counts.items())))

    # What is killed

    def strike(self, kind: str) -> None:
        """Kills something, with a job that was just started and boards that are read."""
        world = self.world
        self.counts[kind] += 1
        world.begin_job()
        seen = [viewer.answers for viewer in world.viewers]
        if kind == "replica":
            world.kill(self.chance.choice(world.victims()))
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
        """Kills the database or lets it stand still; meanwhile a replica is killed too, and starts."""
        world = self.world
        until(lambda: len(world.live()) == REPLICAS)
        replicas = world.live()
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
                    self.assertIsNone(world.start(replica.port, Job(1_000_000)))
                self.assertEqual({status for status, _ in answers}, {503})
            else:
                # More requests than connections: those that get none are told so.
                asking += [
                    threading.Thread(target=lambda: answers.append(self.job_state(replicas[0]))) for _ in range(2 * CONNECTIONS)
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

    # The referee

    def check_clients(self) -> None:
        """No client saw anything wrong, and all of them saw something."""
        world = self.world
        self.assertEqual(world.faults, [])
        for viewer in world.viewers:
            self.assertEqual(viewer.faults, [])
            self.assertGreater(viewer.judge.boards, KILLS // 4)
        for stream in world.streams:
            self.assertEqual(stream.faults, [])
            self.assertGreater(stream.events, KILLS // 4)
            self.assertGreater(stream.streams, 1)

    def check_job(self, job: Job) -> None:
        """Its followers heard all of it once, and so do late ones; it has one result for each row."""
        for follower in job.followers:
            self.assertEqual(follower.faults, [])
            self.assertEqual(follower.ends, 1, job.key)
        server = self.world.replicas[job.id.encode()[0] % REPLICAS]
        messages = Listener(server, job.fields).end()
        self.assertEqual([message["seq"] for message in messages], list(range(1, len(messages) + 1)), job.key)
        self.assertEqual([message["type"] for message in messages if message["type"] in ENDS], ["job_complete"], job.key)
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
        """One replica polled at a time, as often as one does, and changes were take-overs."""
        asked = [question for question in producer.questions if opened <= question.at <= closed]
        takeovers = self.fences()[kind] - fences[kind]
        names = [question["X-Server"] for question in asked]
        changes = sum(after != before for before, after in zip(names, names[1:]))
        self.assertLessEqual(changes, takeovers, names)
        self.assertGreater(changes, 0)
        gaps = [after.at - before.at for before, after in zip(asked, asked[1:]) if before["X-Server"] == after["X-Server"]]
        self.assertGreater(min(gaps), LEAST_GAP / 2)
        self.assertLessEqual(len(asked), (closed - opened) / INTERVAL * 1.25 + takeovers + 1)
        self.counts[f"take-overs of {kind}"] = takeovers
        self.counts[f"polls of {kind}"] = len(asked)


if __name__ == "__main__":
    unittest.main()
