#!/usr/bin/env python3
"""A second world for rule R31 of the refresh engine: producers, a server, paths and a host, written from the rules alone.

The engine's own simulator and this program share no code and no model. The machines are real: `engine.mjs` drives the
WebAssembly module of the JavaScript package. Everything else, the virtual clock included, is here.

    Benchmarks/World/world.py                          every world, every preset
    Benchmarks/World/world.py --worlds "^30 s" --presets departuresWeb --seeds 16
    Benchmarks/World/world.py --module other.wasm --host folder-of-its-freshness.js

The exit status is 1 if the rule is refuted: in some world the mean or the 95th percentile of the added age is more than
5 % above blind polling, or there are more requests, both beyond noise.
"""

import argparse
import bisect
import json
import math
import random
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
HOST = HERE.parent.parent / "JavaScript" / "freshness"

SECOND = 1000
HOUR = 3_600_000
#: The wall time at which the worlds begin.
EPOCH = 1_790_000_000_000
#: How long producers and servers have been running when the host starts.
HISTORY = 40 * 60 * SECOND
#: Publications of the last minute of a run are not judged: when they would have been seen is not known.
TAIL = 60 * SECOND

#: The hosts of a seed. They start at even steps of a cadence and have the same chances, so that blind polling meets a producer in all
#: phases alike: where the period is a multiple of the cadence, one host alone would take hours to drift through them.
HOSTS = 4
CADENCES = {"departuresWeb": 15 * SECOND, "departuresNative": 20 * SECOND, "departuresWeb5s": 5 * SECOND}

#: What is allowed above blind polling.
AGE_ALLOWED = 1.05
#: The first and the last request of a run, and what gaps average to, may make so much of a difference.
REQUESTS_ALLOWED = 0.005
#: Requests that every run may have in advance: the budget of R31 begins with three quarters of an interval, however short the run is.
#: It is less than what is allowed in a run of an hour, so it counts in visits only.
ADVANCE = 0.75


# Producers: the times at which versions are made, in milliseconds, from -HISTORY to the end.

Producer = Callable[[random.Random, int], list[int]]


def grid(period: float, sigma: float = 0) -> Producer:
    """A clock with noise: each version is early or late on its own."""

    def make(rng, end):
        step = period * SECOND
        phase = rng.uniform(0, step)
        count = int((end + HISTORY) / step) + 2
        return ordered(-HISTORY + phase + k * step + rng.gauss(0, sigma * SECOND) for k in range(count))

    return make


def renewal(draw: Callable[[random.Random], float]) -> Producer:
    """Each version comes a drawn number of seconds after the one before; nothing keeps the phase."""

    def make(rng, end):
        made, at = [], -HISTORY + rng.uniform(0, 15 * SECOND)
        while at < end + TAIL:
            made.append(at)
            at += max(0.2, draw(rng)) * SECOND
        return ordered(made)

    return make


def walk(period: float, sigma: float) -> Producer:
    return renewal(lambda rng: rng.gauss(period, sigma))


def alternating(short: float, long: float) -> Producer:
    def make(rng, end):
        made, at = [], -HISTORY + rng.uniform(0, short + long) * SECOND
        while at < end + TAIL:
            made.append(at + rng.gauss(0, 200))
            at += (long if len(made) % 2 else short) * SECOND
        return ordered(made)

    return make


def missing(period: float, sigma: float, share: float) -> Producer:
    def make(rng, end):
        return [at for at in grid(period, sigma)(rng, end) if rng.random() >= share]

    return make


def doubled(period: float, sigma: float, share: float) -> Producer:
    """Some versions are followed by a corrected one, 0.5 to 4 s later."""

    def make(rng, end):
        made = grid(period, sigma)(rng, end)
        return ordered(made + [at + rng.uniform(500, 4000) for at in made if rng.random() < share])

    return make


def restarting(period: float, sigma: float) -> Producer:
    """Every 10 to 30 minutes it is away for 20 to 120 s and comes back at another phase."""

    def make(rng, end):
        made, at, until = [], -HISTORY, -HISTORY
        while at < end + TAIL:
            until = at + rng.uniform(600, 1800) * SECOND
            while at < until:
                made.append(at + rng.gauss(0, sigma * SECOND))
                at += period * SECOND
            at += rng.uniform(20, 120) * SECOND
        return ordered(made)

    return make


def changing(periods: list[float], sigma: float, every: float = 15 * 60) -> Producer:
    def make(rng, end):
        made, at, turn, until = [], -HISTORY + rng.uniform(0, 15 * SECOND), 0, -HISTORY
        while at < end + TAIL:
            until = at + every * SECOND
            while at < until:
                made.append(at + rng.gauss(0, sigma * SECOND))
                at += periods[turn % len(periods)] * SECOND
            turn += 1
        return ordered(made)

    return make


def published(period: float) -> Producer:
    """As simulated feeds are published: never early, up to an eighth of a period late."""

    def make(rng, end):
        step = period * SECOND
        phase = rng.uniform(0, step)
        count = int((end + HISTORY) / step) + 2
        return ordered(-HISTORY + phase + k * step + rng.uniform(0, 0.12 * step) for k in range(count))

    return make


def ordered(times) -> list[int]:
    """Whole milliseconds in order, none within 100 ms of the one before."""
    made: list[int] = []
    for at in sorted(times):
        made.append(int(at) if not made else max(int(at), made[-1] + 100))
    return made


# Lateness: how long after it was made the server has a version.


def prompt(rng: random.Random) -> float:
    return 0.05


def late(mean: float) -> Callable[[random.Random], float]:
    return lambda rng: 0.05 + rng.expovariate(1 / mean)


# Stamps: what a version says about when it was made.


def exact(made: int) -> int:
    return made


def whole_seconds(made: int) -> int:
    return made - made % SECOND


def ahead(by: float) -> Callable[[int], int]:
    """The producer's clock is that many seconds ahead of the server's."""
    return lambda made: made + int(by * SECOND)


# Timers of the host: how much later than requested they fire, in milliseconds.


def usual(rng: random.Random, at: float) -> float:
    return rng.uniform(50, 250) if rng.random() < 0.01 else rng.uniform(1, 15)


def on_the_second(rng: random.Random, at: float) -> float:
    """As a page's timers where the browser saves power."""
    return SECOND - at % SECOND + rng.uniform(1, 15)


# The path between the host and the server.


@dataclass(frozen=True)
class Link:
    """One way to the server. Times in milliseconds."""

    round_trip: tuple[float, float] = (130, 170)
    #: The lifetime of responses in a cache on the way; 0: no cache.
    ttl: int = 0
    states_age: bool = True
    #: The mean time between requests of other clients at each edge; 0: no other clients.
    others: float = 0
    edges: int = 1
    #: The share of requests that fail.
    loss: float = 0
    #: The share of responses that take 0.3 to 3 s longer.
    stalls: float = 0


PLAIN = Link()


@dataclass(frozen=True)
class World:
    name: str
    producer: Producer
    path: Link = PLAIN
    lateness: Callable[[random.Random], float] = prompt
    stamp: Callable[[int], int] = exact
    timers: Callable[[random.Random, float], float] = usual
    #: The host's wall clock is wrong by up to so many seconds.
    skew: float = 1.5
    #: The mean number of seconds between refreshes by a person; 0: none.
    refreshes: float = 0
    #: The server looks at the producer this often; 0: it is told.
    reads: float = 0
    #: The server is a deployed one: it asks the producer this often, 3 % more or less, and announces the 80 % quantile of
    #: the last ten waits, in a 304 as milliseconds; 0: it is not.
    polls: float = 0
    #: The length of one visit in minutes; None: the whole run is one.
    visit: float | None = None
    presets: tuple[str, ...] = ("departuresWeb", "departuresNative", "departuresWeb5s")


def worlds() -> list[World]:
    made = [World("1 s clean", grid(1)), World("1 s sigma 0.3", grid(1, 0.3))]
    for period in (15, 20, 30, 60):
        made.append(World(f"{period} s clean", grid(period)))
        made += [World(f"{period} s sigma {sigma}", grid(period, sigma)) for sigma in (0.3, 1, 2, 5)]
    made += [World(f"{period} s walk {sigma}", walk(period, sigma)) for period, sigma in ((15, 1), (15, 5), (30, 1), (30, 5))]
    made += [
        World("uniform 17-45 s", renewal(lambda rng: rng.uniform(17, 45))),
        World("Poisson 15 s", renewal(lambda rng: rng.expovariate(1 / 15))),
        World("Poisson 60 s", renewal(lambda rng: rng.expovariate(1 / 60))),
        World("20 s missing 10 %", missing(20, 0.3, 0.1)),
        World("30 s missing 30 %", missing(30, 0.3, 0.3)),
        World("30 s doubled 20 %", doubled(30, 0.3, 0.2)),
        World("15 s restarts", restarting(15, 0.3)),
        World("30 s restarts", restarting(30, 0.3)),
        World("changes 15/20/30 s", changing([15, 20, 30], 0.3)),
        World("changes 30/33 s", changing([30, 33], 0.3)),
        World("alternating 10/20 s", alternating(10, 20)),
        World("alternating 20/40 s", alternating(20, 40)),
        World("30 s stamped, 1 s late", grid(30), lateness=late(1)),
        World("30 s stamped, 4 s late", grid(30), lateness=late(4)),
        World("30 s sigma 0.3, server reads every 5 s", grid(30, 0.3), reads=5),
        World("30 s sigma 0.3, server reads every 12 s", grid(30, 0.3), reads=12),
        World("15 s visits of 5 min", grid(15), visit=5),
        World("30 s sigma 1 visits of 5 min", grid(30, 1), visit=5),
        World("uniform 17-45 s visits of 5 min", renewal(lambda rng: rng.uniform(17, 45)), visit=5),
    ]
    made += [World(f"{period} s sigma 0.3", grid(period, 0.3)) for period in (5, 8, 12, 14, 16, 22, 45)]
    made += [World(f"{period} s clean", grid(period)) for period in (5, 12, 15.1, 22, 37)]
    made += [
        World("30 s sigma 0.3, stamps in whole seconds", grid(30, 0.3), stamp=whole_seconds),
        World("15 s clean, stamps in whole seconds", grid(15), stamp=whole_seconds),
        World("30 s sigma 0.3, stamps 5 s ahead", grid(30, 0.3), stamp=ahead(5)),
        World("30 s sigma 0.3, stamps 20 s behind", grid(30, 0.3), stamp=ahead(-20)),
        World("15 s clean, stamps 20 s behind", grid(15), stamp=ahead(-20)),
        World("60 s clean, stamps 20 s behind", grid(60), stamp=ahead(-20)),
        World("30 s sigma 0.3, timers on the second", grid(30, 0.3), timers=on_the_second),
        World("30 s sigma 0.3, device clock wrong", grid(30, 0.3), skew=600),
        World("15 s sigma 0.3, a person asks every 45 s", grid(15, 0.3), refreshes=45),
        World("30 s sigma 1, a person asks every 45 s", grid(30, 1), refreshes=45),
    ]
    slow = Link(round_trip=(1000, 4000))
    made += [
        World("15 s slow", grid(15), slow),
        World("30 s slow", grid(30), slow),
        World("30 s sigma 1 slow", grid(30, 1), slow),
        World("30 s sigma 0.3, 3 % lost", grid(30, 0.3), Link(loss=0.03)),
    ]
    for ttl in (10, 15):
        for states_age in (True, False):
            for others, warmth in ((0, "cold"), (2000, "warm")):
                path = Link(ttl=ttl * SECOND, states_age=states_age, others=others)
                words = f"cache {ttl} s {'with' if states_age else 'no'} Age {warmth}"
                made.append(World(f"30 s {words}", grid(30), path))
                if warmth == "warm":
                    made.append(World(f"15 s sigma 1 {words}", grid(15, 1), path))
    for states_age in (True, False):
        path = Link(ttl=10 * SECOND, states_age=states_age, others=2000, edges=2)
        words = f"two edges 10 s {'with' if states_age else 'no'} Age"
        made.append(World(f"30 s {words}", grid(30), path))
        made.append(World(f"uniform 17-45 s {words}", renewal(lambda rng: rng.uniform(17, 45)), path))
    for period in (3, 15, 20, 30):
        for words, polls in (("real server", 15), ("real server, told at once", 0.2)):
            feed = published(period)
            made.append(World(f"{period} s {words}", feed, Link(stalls=0.05), stamp=whole_seconds, polls=polls))
    return made


# The server.


@dataclass
class Feed:
    """What a producer made in a run, and when the server had it."""

    made: list[int]
    visible: list[int]
    #: What each version says about when it was made.
    stamps: list[int]
    gaps: dict[int, list[int]] = field(default_factory=dict)

    @staticmethod
    def of(world: World, seed: int, end: int) -> "Feed":
        rng = random.Random(f"feed {world.name} {seed}")
        made = world.producer(rng, end)
        phase = rng.uniform(0, world.reads)
        visible, latest = [], -math.inf
        poll = -HISTORY / SECOND - rng.uniform(0, 2 * world.polls)
        for at in made:
            seen = at / SECOND + world.lateness(rng)
            if world.reads:
                seen = math.ceil((seen - phase) / world.reads) * world.reads + phase
            if world.polls:
                while poll < seen:
                    poll += world.polls * rng.uniform(0.97, 1.03)
                seen = poll
            latest = max(latest, seen)
            visible.append(int(latest * SECOND))
        return Feed(made, visible, [world.stamp(at) for at in made])

    def newest(self, at: float) -> int:
        return bisect.bisect_right(self.visible, at) - 1

    def observed(self, version: int) -> list[int]:
        """From one version made to the next one had, of the last thirty; sorted."""
        known = self.gaps.get(version)
        if known is None:
            first = max(0, version - 30)
            known = self.gaps[version] = sorted(self.visible[k + 1] - self.stamps[k] for k in range(first, version))
        return known


Hint = Callable[[Feed, int, float], tuple[int | None, int | None]]


def no_hint(feed: Feed, version: int, at: float):
    return None, None


def quantile_hint(share: float) -> Hint:
    """The quantile of what was observed, of those that are still possible; nothing once all experience is exceeded."""

    def hint(feed, version, at):
        gaps = feed.observed(version)
        rest = gaps[bisect.bisect_right(gaps, at - feed.stamps[version]):]
        if len(gaps) < 5 or len(rest) < 2:
            return None, None
        spread = (rest[int(0.9 * (len(rest) - 1))] - rest[len(rest) // 2]) // 2
        return feed.stamps[version] + rest[int(share * (len(rest) - 1))], min(max(spread, 200), 2000)

    return hint


def oracle_hint(feed: Feed, version: int, at: float):
    """When the next version is really there; no server knows it."""
    return (feed.visible[version + 1], 0) if version + 1 < len(feed.visible) else (None, None)


def cautious_hint(feed: Feed, version: int, at: float):
    """The median of five gaps and the greatest of the last twenty lags behind it."""
    made = feed.stamps
    recent = sorted(made[k + 1] - made[k] for k in range(max(0, version - 5), version))
    if not recent:
        return None, None
    median = recent[len(recent) // 2]
    lags = [feed.visible[k + 1] - made[k] - median for k in range(max(0, version - 20), version)]
    return made[version] + median + max(0, *lags), None


def served_hint(feed: Feed, version: int, at: float):
    """As deployed servers state it: the 80 % quantile of the last ten waits, and nothing while the version is late."""
    waits = sorted(feed.visible[k + 1] - feed.stamps[k] for k in range(max(0, version - 10), version))
    if not waits:
        return None, None
    expected = feed.stamps[version] + waits[math.ceil(0.8 * len(waits)) - 1]
    return (expected, 0) if expected > at else (None, None)


#: The hints of each way to poll; blind polling differs in its policy.
WAYS: dict[str, Hint] = {
    "blind": no_hint,
    # Blind polling with other chances: what noise alone does to the ratios.
    "again": no_hint,
    "learned": no_hint,
    "hint": quantile_hint(0.8),
    "median": quantile_hint(0.5),
    "cautious": cautious_hint,
    "oracle": oracle_hint,
    # As "hint", but an answer without a body states it as max-age only, in whole seconds.
    "fields": quantile_hint(0.8),
}


class Edge:
    """A cache on the way, warmed by other clients."""

    def __init__(self, path: Link, rng: random.Random):
        self.path, self.rng = path, rng
        self.stored = -math.inf
        self.next_other = -10 * SECOND if path.others else math.inf

    def look(self, at: float) -> tuple[float, bool]:
        """When the answer that is given at `at` was made by the server, and whether that is now."""
        path = self.path
        # Other clients refresh what is stale; of those that come while it is fresh nothing is left.
        while self.next_other <= at:
            expires = self.stored + path.ttl
            if self.next_other >= expires:
                self.stored = self.next_other
            elif expires > at:
                break
            self.next_other = max(self.next_other, expires) + self.rng.expovariate(1 / path.others)
        if at - self.stored < path.ttl:
            return self.stored, False
        self.stored = at
        return at, True


# A host.


class Run:
    """One host with one machine, from its start to the end of the run."""

    def __init__(self, key: int, world: World, way: str, seed: int, feed: Feed, begin: int, end: int):
        self.key, self.world, self.way, self.feed, self.begin, self.end = key, world, way, feed, begin, end
        self.hint = served_hint if way == "hint" and world.polls else WAYS[way]
        # The chances of a host are the same whichever way it polls.
        self.rng = random.Random(f"host {world.name} {seed} {end}{' again' if way == 'again' else ''}")
        self.skew = int(self.rng.uniform(-world.skew, world.skew) * SECOND)
        path = world.path
        self.edges = [Edge(path, random.Random(f"edge {seed} {n} {end}")) for n in range(path.edges)] if path.ttl else []
        self.now = begin
        self.timer: float = begin
        self.answer: tuple[float, list] | None = None
        self.generation = None
        self.starts: list[int] = []
        #: What is on the screen, from when.
        self.screen: list[tuple[int, int]] = []
        self.coming = None
        self.is_started = False
        self.person = begin + self.next_refresh()

    def next_refresh(self) -> float:
        return self.rng.expovariate(1 / self.world.refreshes) * SECOND if self.world.refreshes else math.inf

    def event(self) -> list | None:
        """What happens next; None at the end."""
        rng = self.rng
        if self.is_started and self.person <= self.timer and (self.answer is None or self.person <= self.answer[0]):
            at, tail = self.person, [5]
            self.person += self.next_refresh()
        elif self.answer is not None and self.answer[0] <= self.timer:
            at, tail = self.answer
            self.answer = None
        else:
            at, tail = self.timer, [1 if self.is_started else 0]
            self.is_started = True
            self.timer = math.inf
        if at >= self.end:
            return None
        if len(tail) > 1:
            self.coming = tail[5] - 1 if tail[0] == 2 else None
        self.now = max(self.now, int(at))
        return [self.key, self.now, rng.getrandbits(32), *tail]

    def take(self, effect: list) -> None:
        alarm, snapshot, cancel, request = effect
        rng = self.rng
        if cancel is not None:
            self.answer = None
        if snapshot == "apply" and self.coming is not None:
            self.screen.append((self.now, self.coming))
        self.coming = None
        if alarm is None:
            self.timer = math.inf
        else:
            at = max(alarm, self.now)
            self.timer = at + self.world.timers(rng, at)
        if request is not None:
            self.ask(request)

    def ask(self, request: list) -> None:
        generation, validator, question, identity = request
        rng, path, feed = self.rng, self.world.path, self.feed
        self.starts.append(self.now)
        total = rng.uniform(*path.round_trip)
        up = total * rng.uniform(0.35, 0.65)
        if path.loss and rng.random() < path.loss:
            self.answer = (self.now + 800, [4, generation, question, identity, "unreachable"])
            return
        reached = self.now + up
        served, transit, extra = reached, 0, 0
        if self.edges:
            edge = self.edges[rng.randrange(len(self.edges))]
            served, is_new = edge.look(reached)
            if is_new:
                extra = 40
            elif path.states_age:
                transit = int((reached - served) // SECOND) * SECOND
        version = feed.newest(served)
        kind = 3 if validator is not None and validator == version + 1 else 2
        expected, spread = self.hint(feed, version, served)
        max_age = None
        if self.world.polls and kind == 3 and expected is not None:
            max_age, expected = max(0, int(expected - served)), None
        if self.way == "fields" and kind == 3:
            if expected is not None:
                max_age = max(0, int((expected - served) // SECOND)) * SECOND or None
            expected = spread = None
        server_time = EPOCH + int(served)
        if kind == 3:
            server_time -= server_time % SECOND
        if path.stalls and rng.random() < path.stalls:
            extra += rng.uniform(300, 3000)
        arrived = self.now + total + extra
        stamp = feed.stamps[version]
        marks = [server_time, EPOCH + stamp, max(0, int(served) - stamp), transit]
        hints = [None if expected is None else EPOCH + int(expected), max_age, spread]
        device = EPOCH + int(arrived) + self.skew
        self.answer = (arrived, [kind, generation, question, identity, version + 1, version + 1, *marks, *hints, device])


# Measures.


@dataclass
class Sums:
    """The measures of a seed."""

    #: Of each version: how long it was made and not on the screen, and the gap before it; in milliseconds.
    delays: list[tuple[int, int]] = field(default_factory=list)
    weight: int = 0
    added: int = 0
    hours: float = 0
    runs: int = 0
    requests: int = 0
    least_gap: int = 1 << 60
    #: How often something older replaced what was on the screen (R36).
    back: int = 0


def measure(run: Run, sums: Sums) -> None:
    """Adds a run.

    A version that is made at m and on the screen d later makes what is shown older than need be by its gap to the
    version before it, for d. So the mean of d, weighted by these gaps, is the time average of the added age.
    """
    made, screen = run.feed.made, run.screen
    if not screen:
        raise SystemExit(f"{run.world.name}: nothing was ever shown")
    begin, newest = screen[0]
    last = run.end - TAIL if run.end - begin > 3 * TAIL else run.end - TAIL // 2
    delays: dict[int, int] = {}
    for n, (since, version) in enumerate(screen):
        until = screen[n + 1][0] if n + 1 < len(screen) else run.end
        k = version + 1
        while k < len(made) and made[k] < until:
            delays[k] = delays.get(k, 0) + until - max(since, made[k])
            k += 1
    for k in range(bisect.bisect_left(made, begin), bisect.bisect_left(made, last)):
        delay, gap = delays.get(k, 0), made[k] - made[k - 1]
        sums.delays.append((delay, gap))
        sums.added += gap * delay
        sums.weight += gap
    sums.hours += (run.end - run.begin) / HOUR
    sums.runs += 1
    sums.requests += len(run.starts)
    sums.back += sum(after < before for (_, before), (_, after) in zip(screen, screen[1:]))
    sums.least_gap = min([sums.least_gap, *(b - a for a, b in zip(run.starts, run.starts[1:]))])


class Total:
    """The measures of all seeds, to be added up once or in resamples."""

    #: The share of the greatest delays that is kept: enough for the 95th percentile of every resample.
    KEPT = 0.3

    def __init__(self, parts: list[Sums]):
        self.parts = parts
        self.known: dict[tuple[int, ...], tuple[float, float, float]] = {}
        found = [(delay, gap, seed) for seed, part in enumerate(parts) for delay, gap in part.delays]
        found.sort(reverse=True)
        self.greatest, enough = [], self.KEPT * sum(part.weight for part in parts)
        for entry in found:
            self.greatest.append(entry)
            enough -= entry[1]
            if enough < 0:
                break

    def figures(self, times: tuple[int, ...]) -> tuple[float, float, float]:
        """Mean and 95th percentile in seconds, requests an hour; each seed counted so many times."""
        if times not in self.known:
            self.known[times] = self.computed(times)
        return self.known[times]

    def computed(self, times: tuple[int, ...]) -> tuple[float, float, float]:
        weight = sum(n * part.weight for n, part in zip(times, self.parts))
        above, delay = 0.05 * weight, 0
        for delay, gap, seed in self.greatest:
            above -= gap * times[seed]
            if above < 0:
                break
        mean = sum(n * part.added for n, part in zip(times, self.parts)) / weight
        hours = sum(n * part.hours for n, part in zip(times, self.parts))
        return mean / SECOND, delay / SECOND, sum(n * part.requests for n, part in zip(times, self.parts)) / hours


RESAMPLES = 300
#: Student's t at 97.5 % by degrees of freedom, from 2 on.
STUDENT = [4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13]


def intervals(count: int, value: Callable[[tuple[int, ...]], list[float]]) -> list[tuple[float, float, float]]:
    """Each value with its 95 % interval: percentiles over resampled seeds, widened for how few they are."""
    rng = random.Random("resamples")
    samples = []
    for _ in range(RESAMPLES):
        times = [0] * count
        for _ in range(count):
            times[rng.randrange(count)] += 1
        samples.append(value(tuple(times)))
    student = STUDENT[count - 3] if count - 3 < len(STUDENT) else 2.05
    wider = student / 1.96 * math.sqrt(count / (count - 1))
    found = []
    for centre, column in zip(value((1,) * count), zip(*samples)):
        ordinal = sorted(column)
        low, high = ordinal[int(0.025 * RESAMPLES)], ordinal[int(0.975 * RESAMPLES)]
        found.append((centre, centre - wider * max(0, centre - low), centre + wider * max(0, high - centre)))
    return found


def compare(way: Total, blind: Total) -> dict:
    """The figures of a way and how they compare with blind polling in the same worlds."""

    def value(times):
        own, base = way.figures(times), blind.figures(times)
        return [*own, own[0] / base[0], own[1] / base[1], own[2] - base[2]]

    names = ["mean", "p95", "requests", "meanRatio", "p95Ratio", "moreRequests"]
    found = dict(zip(names, intervals(len(way.parts), value)))
    faults = [name for name in ("mean", "p95") if found[f"{name}Ratio"][1] > AGE_ALLOWED]
    runs_an_hour = sum(part.runs for part in way.parts) / sum(part.hours for part in way.parts)
    allowed = max(REQUESTS_ALLOWED * blind.figures((1,) * len(blind.parts))[2], ADVANCE * runs_an_hour)
    if found["moreRequests"][1] > allowed:
        faults.append("requests")
    doubts = [name for name in ("mean", "p95") if name not in faults and found[f"{name}Ratio"][0] > AGE_ALLOWED]
    if "requests" not in faults and found["moreRequests"][0] > allowed:
        doubts.append("requests")
    least_gap = min(part.least_gap for part in way.parts) / SECOND
    back = sum(part.back for part in way.parts) / sum(part.hours for part in way.parts)
    return {**found, "leastGap": least_gap, "backAnHour": back, "refuted": faults, "unsure": doubts}


# Running it.


class Bridge:
    def __init__(self, host: Path, module: Path):
        order = ["node", str(HERE / "engine.mjs"), str(host), str(module)]
        self.process = subprocess.Popen(order, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1 << 20)

    def call(self, message: dict):
        self.process.stdin.write(json.dumps(message, separators=(",", ":")) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the engine ended")
        return json.loads(line)

    def close(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def policy_of(preset: str, way: str) -> dict:
    return {"preset": preset, "alignment": None} if way in ("blind", "again") else {"preset": preset}


def simulate(bridge: Bridge, world: World, presets: list[str], ways: list[str], seeds: int, hours: float) -> dict:
    """The sums of each preset and way, by seed."""
    end = int(hours * HOUR)
    feeds = [Feed.of(world, seed, end) for seed in range(seeds)]
    length = int(world.visit * 60 * SECOND) if world.visit else end
    runs, owners, machines = [], [], []
    for preset in presets:
        for way in ways:
            for seed in range(seeds):
                for begin in range(0, end - length + 1, length):
                    for host in range(HOSTS):
                        start = begin + host * CADENCES[preset] // HOSTS
                        run = Run(len(runs), world, way, seed, feeds[seed], start, begin + length)
                        runs.append(run)
                        owners.append((preset, way, seed))
                        machines.append([run.key, policy_of(preset, way)])
    bridge.call({"create": machines})
    live = runs
    while live:
        going = [(run, event) for run in live if (event := run.event()) is not None]
        if not going:
            break
        for (run, _), effect in zip(going, bridge.call({"step": [event for _, event in going]})):
            run.take(effect)
        live = [run for run, _ in going]
    bridge.call({"destroy": [run.key for run in runs]})
    found = {(preset, way): [Sums() for _ in range(seeds)] for preset in presets for way in ways}
    for run, (preset, way, seed) in zip(runs, owners):
        measure(run, found[preset, way][seed])
    return found


HEADER = """| world | preset | way | mean s | p95 s | requests/h | mean ÷ blind | p95 ÷ blind | least gap s | |
|---|---|---|---|---|---|---|---|---|---|"""


def row(world: str, preset: str, way: str, found: dict) -> str:
    def ratio(name):
        centre, low, high = found[name]
        return f"{centre:.2f} ({low:.2f}–{high:.2f})"

    ratios = ["", ""] if way == "blind" else [ratio("meanRatio"), ratio("p95Ratio")]
    verdict = "**refuted**: " + ", ".join(found["refuted"]) if found["refuted"] else ""
    if not verdict and found["unsure"]:
        verdict = "unsure: " + ", ".join(found["unsure"])
    if found["backAnHour"] > 0:
        verdict += f"{'; ' if verdict else ''}back {found['backAnHour']:.1f} times an hour"
    figures = [f"{found['mean'][0]:.1f}", f"{found['p95'][0]:.1f}", f"{found['requests'][0]:.0f}"]
    return "| " + " | ".join([world, preset, way, *figures, *ratios, f"{found['leastGap']:.1f}", verdict]) + " |"


def summary(records: list[dict]) -> str:
    """Of each preset and way: how many worlds, how many refute the rule, and the geometric means of the ratios."""
    lines = ["| preset | way | worlds | refuted | unsure | mean ÷ blind | p95 ÷ blind | requests ÷ blind | worst mean | worst p95 |"]
    lines.append("|" + "---|" * 10)
    blind = {(record["world"], record["preset"]): record["requests"][0] for record in records if record["way"] == "blind"}
    for preset, way in dict.fromkeys((record["preset"], record["way"]) for record in records if record["way"] != "blind"):
        own = [record for record in records if (record["preset"], record["way"]) == (preset, way)]
        columns = [[record[name][0] for record in own] for name in ("meanRatio", "p95Ratio")]
        columns.append([record["requests"][0] / blind[record["world"], preset] for record in own])
        middles = [math.exp(sum(map(math.log, column)) / len(own)) for column in columns]
        counts = [len(own), sum(bool(record["refuted"]) for record in own), sum(bool(record["unsure"]) for record in own)]
        figures = [f"{value:.2f}" for value in (*middles, max(columns[0]), max(columns[1]))]
        lines.append("| " + " | ".join([preset, way, *map(str, counts), *figures]) + " |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--module", type=Path, default=HOST / "freshness.wasm", help="the engine's WebAssembly module")
    parser.add_argument("--host", type=Path, default=HOST, help="the folder of the freshness.js that speaks its wire form")
    parser.add_argument("--worlds", default="", help="a pattern that the names of the worlds match")
    parser.add_argument("--presets", default="departuresWeb,departuresNative,departuresWeb5s")
    parser.add_argument("--ways", default="blind,learned,hint", help=f"of {', '.join(WAYS)}")
    parser.add_argument("--seeds", type=int, default=12)
    parser.add_argument("--hours", type=float, default=1, help="of each run")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    parser.add_argument("--list", action="store_true", help="name the worlds")
    given = parser.parse_args()
    chosen = [world for world in worlds() if re.search(given.worlds, world.name)]
    if given.list:
        print("\n".join(world.name for world in chosen))
        return 0
    ways = given.ways.split(",")
    if "blind" not in ways or not set(ways) <= set(WAYS) or given.seeds < 3:
        parser.error("--ways has blind among known ones, and --seeds is 3 or more")
    bridge = Bridge(given.host, given.module)
    records, refuted = [], 0
    began = time.monotonic()
    print(HEADER)
    for world in chosen:
        presets = [preset for preset in given.presets.split(",") if preset in world.presets]
        found = simulate(bridge, world, presets, ways, given.seeds, given.hours)
        for preset in presets:
            blind = Total(found[preset, "blind"])
            for way in ways:
                total = blind if way == "blind" else Total(found[preset, way])
                result = compare(total, blind)
                refuted += bool(result["refuted"])
                records.append({"world": world.name, "preset": preset, "way": way, **result})
                print(row(world.name, preset, way, result), flush=True)
    bridge.close()
    if given.json:
        given.json.write_text(json.dumps(records, indent=1) + "\n")
    judged = sum(record["way"] != "blind" for record in records)
    print(f"\n{summary(records)}\n\n{refuted} of {judged} refute the rule; {time.monotonic() - began:.0f} s.")
    return 1 if refuted else 0


if __name__ == "__main__":
    sys.exit(main())
