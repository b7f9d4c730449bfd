"""What must not be lost: servers that are killed in the middle of jobs, networks that break again and again.

FRESHET_JOB_KILLS and FRESHET_JOB_CUTS make both as long as one likes.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from job_stage import BrokenNetwork, JobServer, LossTests, Watcher, table
from program import PROGRAM
from scale import sized
from side_by_side import load_side_by_side as load_tests  # noqa: F401

KILLS = int(os.environ.get("FRESHET_JOB_KILLS", sized("4", long="50")))
CUTS = int(os.environ.get("FRESHET_JOB_CUTS", sized("24", long="500")))
ROWS = sized(2_000, long=10_000)
OUTCOMES = {"imported", "updated", "duplicate", "failed", "blank"}


class RestartTests(LossTests):
    def imported(self, folder: Path) -> list[tuple]:
        """The books of a library, without what differs from one import to the next."""
        database = sqlite3.connect(f"file:{folder}/jobs/library.sqlite?mode=ro", uri=True)
        books = database.execute("SELECT title, isbn, rating_quarters FROM books ORDER BY id").fetchall()
        database.close()
        return books

    def stored(self, folder: Path, job: dict) -> list[tuple[int, dict]]:
        """The events of a job as they are stored."""
        database = sqlite3.connect(f"file:{folder}/jobs/jobs.sqlite?mode=ro", uri=True)
        rows = database.execute("SELECT seq, message FROM event WHERE job = ? ORDER BY seq", (job["jobId"],)).fetchall()
        database.close()
        return [(seq, json.loads(message)) for seq, message in rows]

    def test_killed_at_random_moments_a_job_ends_as_if_nothing_had_happened(self):
        rng = random.Random(os.environ.get("FRESHET_SEED", "7"))
        content = table(ROWS, seed=11, blanks=True)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            server = JobServer(folder)
            began = time.monotonic()
            job = server.start(content)
            server.wait(job)
            whole = time.monotonic() - began
            wanted = [(item["number"], item["outcome"]) for item in server.results(job)]
            self.assertEqual({outcome for _, outcome in wanted}, OUTCOMES - {"updated"})
            books = self.imported(folder)
            server.stop()
        kills, attempts = 0, []
        while kills < KILLS:
            with self.subTest(kills=kills), tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                server = JobServer(folder)
                port = server.port
                job = server.start(content)
                watcher = Watcher(folder, "kill", job, port)
                # Most jobs are killed once, some again while they come back.
                for _ in range(min(KILLS - kills, rng.choice([1, 1, 2, 3]))):
                    time.sleep(rng.random() * whole)
                    server.kill()
                    kills += 1
                    server = JobServer(folder, "--port", str(port))
                state = server.wait(job)
                self.assertEqual(state["state"], "succeeded")
                results = server.results(job)
                self.assertEqual([(item["number"], item["outcome"]) for item in results], wanted)
                self.check_messages(watcher.messages(120))
                events = self.stored(folder, job)
                self.assertEqual([seq for seq, _ in events], list(range(1, len(events) + 1)))
                kinds = [event["type"] for _, event in events]
                self.assertEqual((kinds[0], kinds[-1]), ("job_started", "job_complete"))
                self.assertEqual(set(kinds[1:-1]), {"job_progress"})
                done = [event["payload"]["processedCount"] for _, event in events[1:-1]]
                self.assertEqual(done, sorted(done))
                counts = events[-1][1]["payload"]["counts"]
                self.assertEqual(sum(counts.values()), ROWS)
                self.assertLessEqual(set(counts), OUTCOMES)
                self.assertEqual(self.imported(folder), books)
                attempts.append(len(events))
                server.stop()
        print(f"\n{kills} kills over {len(attempts)} imports of {whole:.1f} s; "
              f"{min(attempts)} to {max(attempts)} events each")


class NetworkTests(LossTests):
    def test_whatever_the_network_does_every_client_ends_with_the_end_once(self):
        jobs = max(6, CUTS // 10)
        seeds = random.Random(os.environ.get("FRESHET_SEED", "5"))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            server = JobServer(folder, "--jobs-running", "1")
            networks = [
                BrokenNetwork(
                    server.port, seeds.randrange(1 << 30), most=CUTS // 6 + 1,
                    blocks=number % 3 == 2, silent=0.02 if CUTS >= 1_000 else 0,
                )
                for number in range(6)
            ]
            began = time.monotonic()
            watchers, ended = [], 0
            # Most cuts come while the jobs wait, which needs no processor; the rest while they run.
            library = server.lock_library()
            rows = sized((200, 1_000), long=(500, 6_000))
            # One job at a time is worked on, so the others are cut while they wait and while they run.
            while len(watchers) < jobs or sum(network.broken for network in networks) < CUTS:
                self.assertLess(time.monotonic() - began, 1_200, "the network does not break often enough")
                if sum(network.broken for network in networks) >= CUTS * 2 // 3:
                    library.release()
                waiting = sum(watcher.process.poll() is None for watcher in watchers)
                if waiting >= min(jobs, 100):
                    time.sleep(0.05)
                    continue
                number = len(watchers)
                network = networks[number % len(networks)]
                content = table(seeds.randint(*rows), seed=number, blanks=True)
                watchers.append(Watcher(folder, str(number), server.start(content), network.port))
            for watcher in watchers:
                messages = watcher.messages(300)
                self.check_messages(messages, watcher.job["jobId"])
                results = server.results(watcher.job)
                self.assertEqual([item["number"] for item in results], list(range(len(results))))
                counts = messages[-1]["payload"]["counts"]
                self.assertEqual(sum(counts.values()), len(results))
                found: dict[str, int] = {}
                for item in results:
                    found[item["outcome"]] = found.get(item["outcome"], 0) + 1
                self.assertEqual({key: value for key, value in counts.items() if value}, found)
                ended += 1
            broken = sum(network.broken for network in networks)
            self.assertGreaterEqual(broken, CUTS)
            kinds = {kind: sum(network.kinds[kind] for network in networks) for kind in networks[0].kinds}
            print(f"\n{broken} disconnections ({kinds}) over {ended} jobs in {time.monotonic() - began:.0f} s")
            for network in networks:
                network.close()
            server.stop()


if __name__ == "__main__":
    unittest.main()
