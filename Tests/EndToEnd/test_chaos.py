"""An hour of chaos, or a minute of it: feeds fail, clients are slow, files and disks are full, the server is killed.

While clients watch boards, worktrees and jobs of one server, everything goes wrong around it. It may not crash, lose descriptors
or memory, show anything younger than it is, go back, or lose a job or do it twice.

  FRESHET=… FRESHET_LAB=… python3 Tests/EndToEnd/test_chaos.py [SECONDS]

Rounds are counted, not timed: a busy machine takes longer over them. `make test-long` repeats them for an hour, SECONDS for that long.
"""

from __future__ import annotations

import statistics
import sys
import time
import unittest

from chaos import (
    SlowClients, World, descriptors_are_spent, disk_is_full, feed_troubles, feeds_fail, hangups, producer_is_down,
)
from job_stage import LockedLibrary
from scale import sized

#: For how long rounds are repeated, in seconds; 0 for the least number of them.
SECONDS = sized(0, long=3_600)
#: The rounds of a server before it is killed, while such rounds are due; and the least of the last one, which is not.
KILLED, LEAST = 1, 4
#: The rounds after which descriptors and memory are at their level: all caches have been filled once.
WARM = 2
#: How many more descriptors there may be after a round than after the warm ones: a few of git and of polls that are always under
#: way. A round opens about a hundred, so that a leak of one in fifty would be more than this within ten rounds.
MORE_DESCRIPTORS = 12
#: How much more memory there may be, in bytes. Freed pages go back to the system late, and every thread has an arena of its own;
#: a board is 10 kB, and a round makes some hundred, so that a leak of all of them would be more than this within ten rounds.
MORE_MEMORY = 32 << 20


class Chaos(unittest.TestCase):
    def test_nothing_crashes_leaks_or_lies(self):
        began = time.monotonic()
        world = World()
        self.addCleanup(world.close)
        world.watch()
        names = list(feed_troubles(world))
        rounds = 0

        def once() -> None:
            """One round of everything."""
            nonlocal rounds
            rounds += 1
            running = [world.start_job() for _ in range(2)]
            slow = SlowClients(world)
            for job in running:
                world.try_start(job)
            share = [names[(rounds * 4 + place) % len(names)] for place in range(4)]
            feeds_fail(world, share)
            hangups(world, rounds)
            disk_is_full(world)
            descriptors_are_spent(world)
            producer_is_down(world)
            slow.leave()
            for job in running:
                world.finish(job)
                world.check_job(job)
            world.check_alive()

        def is_over(part: float) -> bool:
            return time.monotonic() - began >= SECONDS * part

        # Servers that are killed in the middle of it.
        while True:
            for _ in range(KILLED):
                once()
            # The library is locked, so that jobs are in the middle of their work.
            library = LockedLibrary(world.path)
            running = [world.start_job() for _ in range(3)]
            for job in running:
                world.try_start(job)
            world.until(lambda: world.is_running(running), "a job that runs")
            world.kill()
            library.release()
            for job in running:
                world.finish(job)
                world.check_job(job)
            if is_over(1 / 3):
                break
        # One that is not, and has to stay as it is.
        levels: list[tuple[int, int]] = []
        while len(levels) < LEAST or not is_over(1):
            once()
            levels.append(self.level(world, levels))
        for job in world.jobs:
            world.finish(job)
            world.check_job(job)
        number = len(world.commits) - 1
        answer = world.ask("/health")
        self.assertEqual(world.stop(), 0, world.log[-4_000:])
        world.check_library()
        self.summary(world, rounds, levels, time.monotonic() - began)
        self.assertEqual(world.findings.lies, [])
        self.assertEqual(answer[0], 200)
        self.assertGreater(number, 0)
        for what in ["boards with realtime", "polls: 304", "waits: 200", "stream: change", "worktrees: 200", "kills",
                     "full disks", "spent descriptors", "answers without descriptors", "certificates", "slow clients", "feeds: down"]:
            self.assertGreater(world.findings.counts[what], 0, world.findings.counts)
        missing = [name for name in names if not world.findings.counts[f"feeds: {name}"]]
        self.assertEqual(missing, [])
        self.leaks(levels)

    def level(self, world: World, before: list[tuple[int, int]]) -> tuple[int, int]:
        """Descriptors and memory once a round is over and its clients are gone."""
        if len(before) > WARM:
            most = max(count for count, _ in before[:WARM]) + MORE_DESCRIPTORS
            world.until(lambda: len(world.descriptors) <= most, f"{most} descriptors or fewer: {world.descriptors}")
        # The least of a while: git runs and polls come and go.
        samples = []
        for _ in range(20):
            samples.append((len(world.descriptors), world.memory))
            time.sleep(0.05)
        return min(count for count, _ in samples), min(memory for _, memory in samples)

    def leaks(self, levels: list[tuple[int, int]]) -> None:
        """Neither may grow after the warm rounds."""
        warm, rest = levels[:WARM], levels[WARM:]
        last = rest[-max(1, len(rest) // 3):]
        self.assertLessEqual(
            statistics.median(count for count, _ in last), max(count for count, _ in warm) + MORE_DESCRIPTORS, levels)
        self.assertLessEqual(
            statistics.median(memory for _, memory in last), max(memory for _, memory in warm) + MORE_MEMORY, levels)

    @staticmethod
    def summary(world: World, rounds: int, levels: list[tuple[int, int]], seconds: float) -> None:
        counts = world.findings.counts
        print(f"{seconds:.0f} s, {rounds} rounds, {world.kills} kills, {len(world.jobs)} jobs, {len(world.trips.made)} publications,"
              f" {len(world.commits)} commits")
        print("  " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
        shown = levels if len(levels) <= 12 else levels[:4] + levels[-8:]
        print("  descriptors and MB after rounds: " + ", ".join(f"{count} {memory / 1e6:.0f}" for count, memory in shown))
        for lie in world.findings.lies:
            print(f"  LIE {lie}")


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1].isdigit():
        SECONDS = int(sys.argv.pop(1))
    unittest.main()
