"""How trip updates are resolved whose ids the timetable does not have: the ladder, stated a second time.

Rung 2 exchanges a piece of the id, as most unknown ids of the feed need it; rung 3 takes route, start time, start
date and last stop. Both want the trip to be the only one that fits, and the update the only one that fits the trip.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date, timedelta

from gtfs_oracle import Trip, parse_date, parse_time
from realtime_wire import Event, StopUpdate, TripUpdate

SAMPLED, FEWEST, LEAST_SHARE, LEAST_FITTING, MOST_CHANCE = 256, 10, 30, 90, 20
MOST_RENAMINGS, TRIED, NAMESAKES = 4, 8, 4
LONGEST_ID, MOST_PARTS, AFFIX_PARTS = 128, 24, 6
FITTING, EARLY, PLANNED = 3 * 3600, 600, 600
_PART = re.compile(rb"[0-9]+|[A-Za-z\x80-\xff]+|[^0-9A-Za-z\x80-\xff]", re.DOTALL)

# A renaming: where (0 prefix, 1 suffix, 2 + number for one part), what the feed has, what the timetable has.
Renaming = tuple[int, bytes, bytes]


def parts_of(text: str | None) -> list[bytes] | None:
    """Return the parts of an id; None if it is beyond a limit."""
    data = (text or "").encode("utf-8")
    parts = _PART.findall(data)
    return parts if data and len(data) <= LONGEST_ID and len(parts) <= MOST_PARTS else None


def rests(parts: list[bytes]) -> Iterator[tuple[tuple[int, bytes, bytes], bytes]]:
    """Yield every way to take a piece out: where with what is left, and the piece."""
    count = len(parts)
    for end in range(min(AFFIX_PARTS, count - 1) + 1):
        yield (0, b"", b"".join(parts[end:])), b"".join(parts[:end])
    for start in range(max(1, count - AFFIX_PARTS), count + 1):
        yield (1, b"".join(parts[:start]), b""), b"".join(parts[start:])
    for place in range(1, count - 1):
        yield (2 + place, b"".join(parts[:place]), b"".join(parts[place + 1 :])), parts[place]


def renamed(parts: list[bytes], renaming: Renaming) -> str | None:
    """Return the id of the timetable for an id of the feed; None if the renaming is not of it."""
    place, given, own = renaming
    for (where, head, tail), piece in rests_anywhere(parts, place):
        if where == place and piece == given:
            return (head + own + tail).decode("utf-8", "replace")
    return None


def rests_anywhere(parts: list[bytes], place: int) -> Iterator[tuple[tuple[int, bytes, bytes], bytes]]:
    """Yield what `rests` does, for pieces of any length."""
    count = len(parts)
    if place == 0:
        cuts = [(0, end) for end in range(count)]
    elif place == 1:
        cuts = [(start, count) for start in range(1, count + 1)]
    else:
        cuts = [(place - 2, place - 1)] if place - 1 < count else []
    for start, end in cuts:
        yield (place, b"".join(parts[:start]), b"".join(parts[end:])), b"".join(parts[start:end])


class Ladder:
    """Resolves updates of a realtime feed that their ids do not."""

    def __init__(self, realtime) -> None:
        """Take the realtime feed, with its timetable."""
        self.realtime, self.feed = realtime, realtime.feed
        self.renamings: list[Renaming] = []
        # What was found: the number of the update, the instance, and the rung.
        self.found: dict[int, tuple[object, int]] = {}

    def climb(self, unresolved: list[tuple[int, str]], taken: set[tuple]) -> dict[int, object]:
        """Return the instances of updates by their numbers; count the rest as discarded.

        ``unresolved`` has the numbers of updates with the reasons; ``taken`` the trips that others have by their ids.
        """
        self._learn(unresolved)
        result: dict[int, object] = {}
        left = []
        claims = []
        for number, reason in unresolved:
            found = self._by_renaming(number) if reason == "unknown trip" else []
            if len(found) == 1:
                claims.append((number, found[0]))
            elif found:
                self.realtime.discarded["ambiguous"] += 1
            else:
                left.append((number, reason))
        self._claim(claims, 2, taken, result)
        claims = []
        for number, reason in left:
            found = self._by_start(self.realtime.updates[number])
            if len(found) == 1:
                claims.append((number, found[0]))
            else:
                self.realtime.discarded["ambiguous" if found else reason] += 1
        self._claim(claims, 3, taken, result)
        return result

    def _claim(self, claims: list[tuple[int, object]], rung: int, taken: set[tuple], result: dict) -> None:
        claimants: dict[tuple, set[str | None]] = defaultdict(set)
        for number, instance in claims:
            claimants[identity(instance)].add(self.realtime.updates[number].trip_id)
        for number, instance in claims:
            key = identity(instance)
            if key in taken:
                self.realtime.discarded["claimed"] += 1
            elif len(claimants[key]) > 1:
                self.realtime.discarded["ambiguous"] += 1
            else:
                result[number] = instance
                self.found[number] = (instance, rung)
        taken |= {key for key in claimants if len(claimants[key]) == 1}

    # Rung 2

    def _given(self, number: int) -> str | None:
        update = self.realtime.updates[number]
        return update.trip_id or update.original_id

    def _by_renaming(self, number: int) -> list:
        parts = parts_of(self._given(number))
        found = {}
        for renaming in self.renamings if parts else []:
            instance = self._try(number, parts, renaming)[1]
            if instance is not None:
                found[identity(instance)] = instance
        return list(found.values())

    def _try(self, number: int, parts: list[bytes], renaming: Renaming):
        """Return whether the renamed id is known, and the instance if everything else fits."""
        trip = self.feed.trips.get(renamed(parts, renaming) or "")
        if trip is None or not trip.calls:
            return False, None
        update = self.realtime.updates[number]
        instance = self.realtime.instance_of(update, trip)
        fits = instance is not None and self.fit(update, instance, False) is not None
        return True, instance if fits else None

    def _learn(self, unresolved: list[tuple[int, str]]) -> None:
        ids: list[tuple[int, list[bytes]]] = []
        seen: set[str] = set()
        for number, reason in unresolved:
            text = self._given(number)
            if reason != "unknown trip" or text in seen or not self.realtime.updates[number].stops:
                continue
            parts = parts_of(text)
            if parts:
                seen.add(text)
                ids.append((number, parts))
        while len(self.renamings) < MOST_RENAMINGS and len(ids) >= FEWEST:
            step = -(-len(ids) // SAMPLED)
            for renaming in self._candidates([parts for _, parts in ids[::step]]):
                outcomes = [self._try(number, parts, renaming) for number, parts in ids]
                found = [(number, i) for (number, _), (_, i) in zip(ids, outcomes) if i is not None]
                fitting = len(found)
                known = sum(is_known for is_known, _ in outcomes)
                if (
                    fitting >= FEWEST
                    and fitting * 100 >= len(ids) * LEAST_SHARE
                    and fitting * 100 >= known * LEAST_FITTING
                    and self._chances(found) * 100 <= fitting * MOST_CHANCE
                ):
                    self.renamings.append(renaming)
                    ids = [one for one, (_, instance) in zip(ids, outcomes) if instance is None]
                    break
            else:
                return

    def _chances(self, found: list[tuple[int, object]]) -> int:
        """Return how many updates fit the trip of another one at least as well as their own."""
        count = 0
        for place, (number, own) in enumerate(found):
            other = found[(place + len(found) // 2) % len(found)][1]
            update = self.realtime.updates[number]
            chance = self.fit(update, other, False)
            count += chance is not None and chance <= self.fit(update, own, False)
        return count

    def _candidates(self, sample: list[list[bytes]]) -> list[Renaming]:
        """Return the renamings that explain most ids of a sample, the best first."""
        wanted = {rest for parts in sample for rest, _ in rests(parts)}
        own: dict[tuple, list[bytes]] = defaultdict(list)
        for trip in self.feed.trips.values():
            parts = parts_of(trip.trip_id) if trip.calls else None
            for rest, piece in rests(parts) if parts else ():
                if rest in wanted:
                    own[rest].append(piece)
        explained: dict[Renaming, set[int]] = defaultdict(set)
        for number, parts in enumerate(sample):
            for rest, piece in rests(parts):
                others = [other for other in own[rest] if other != piece]
                if len(others) <= NAMESAKES:
                    for other in others:
                        explained[(rest[0], piece, other)].add(number)
        counts = {renaming: len(numbers) for renaming, numbers in explained.items()}
        ranked = [renaming for renaming, count in counts.items() if count * 4 >= len(sample)]
        ranked.sort(key=lambda r: (-counts[r], len(r[1]) + len(r[2]), r[0], r[1], r[2]))
        return ranked[:TRIED]

    # Rung 3

    def _by_start(self, update: TripUpdate) -> list:
        start, day = parse_time(update.start_time or ""), parse_date(update.start_date or "")
        if update.route_id is None or start is None or day is None or not update.stops:
            return []
        found = []
        for trip in self.feed.trips.values():
            if not trip.calls or trip.route.route_id != update.route_id:
                continue
            for begins, on in ((start, day), (start + 86_400, day - timedelta(days=1))):
                instance = self._starting(trip, begins, on)
                if instance is not None and self.fit(update, instance, True) is not None:
                    found.append(instance)
        return found

    def _starting(self, trip: Trip, begins: int, on: date):
        if not self.feed.services[trip.service_id].runs_on(on):
            return None
        if trip.frequencies:
            is_run = trip.runs().get(begins, False)
            return self.realtime.run_of(trip, begins, begins, on) if is_run else None
        if trip.calls[0].departure != begins:
            return None
        return self.realtime.run_of(trip, None, begins, on)

    # What fits

    def fit(self, update: TripUpdate, instance, to_last: bool) -> float | None:
        """Return how far the first time of an update is from the timetable; None if route, stops or times do not fit."""
        trip, calls = instance.trip, instance.trip.calls
        if update.route_id in self.feed.routes and update.route_id != trip.route.route_id:
            return None
        if update.direction is not None:
            if self.realtime.directions.get(trip.trip_id) not in (None, update.direction):
                return None
        start = calls[0].departure if instance.start is None else instance.start
        given = parse_time(update.start_time or "")
        if given is not None and start not in (given, given + 86_400):
            return None
        following = 0
        deviations = []
        for number, stop in enumerate(update.stops):
            is_last = to_last and number == len(update.stops) - 1
            place = self._place(stop, calls, following, is_last)
            if place is None or is_last and stop.stop_id is None:
                return None
            times = ((stop.arrival, calls[place].arrival), (stop.departure, calls[place].departure))
            for event, planned in times:
                if not plausible(event, instance.origin + planned):
                    return None
                if event is not None and event.time is not None:
                    deviations.append(abs(event.time - instance.origin - planned))
            following = place + 1
        if to_last and following != len(calls):
            return None
        return deviations[0] if deviations else float("inf")

    def _place(self, stop: StopUpdate, calls: list, following: int, is_last: bool) -> int | None:
        named = None
        if stop.stop_id is not None:
            named = self.realtime.place(stop.stop_id).stop_id
            if named is None:
                return None

        def is_there(index: int) -> bool:
            return named is None or self.realtime.same_station(calls[index].stop_id, named)

        ahead = [index for index in range(following, len(calls)) if is_there(index)]
        if stop.sequence is not None:
            return next((i for i in ahead if calls[i].sequence == stop.sequence), None)
        if named is None or not ahead:
            return None
        return ahead[-1] if is_last and ahead[-1] == len(calls) - 1 else ahead[0]


def plausible(event: Event | None, scheduled: int) -> bool:
    """Tell whether the time of an event, and its time less its delay, are near the timetable."""
    if event is None or event.time is None:
        return True
    deviation = event.time - scheduled
    if not -EARLY <= deviation <= FITTING:
        return False
    return event.delay is None or abs(deviation - event.delay) <= PLANNED


def identity(instance) -> tuple:
    """Return what makes an instance one."""
    return instance.trip.trip_id, instance.day, instance.start


def rungs(ladder: Ladder) -> Counter[int]:
    """Return how many updates each rung resolved."""
    return Counter(rung for _, rung in ladder.found.values())
