"""Servers that share realtime through PostgreSQL: one polls for all, and all show the same.

Clients behind a round-robin balancer ask all the time, and none sees time go backwards.
"""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import threading
import time
import unittest
from pathlib import Path

from database import Database
from job_stage import Balancer
from program import Folder, Server, run, until
from realtime_stage import BEGIN, BOARD, LAUSANNE, Answer, Producer, Stream, alert, ask, data, instant, late, trip
from scale import sized

SERVERS = 3
INTERVAL = 1.0
"""The seconds between two polls of a leader, and the least."""
EVERY = sized(0.1, long=0.03)
"""The seconds between an answer and the next question of a client, unless the answer was news."""
ANSWERS = 10
"""The fewest that each client gets during a test."""
SOON = 60
"""How long anything may take on a busy machine; the simulation checks how long it takes on an idle one."""


class Wire:
    """A way to the database that can be cut: a socket in a folder of its own.

    A connection on which a server sends something that is held carries nothing more, until the end.
    """

    def __init__(self, url: str, holds: bytes | None = None):
        self.holds = holds
        self.held = 0
        self._ends = threading.Event()
        self.folder = Folder()
        self._far = next(Path(url.rpartition("host=")[2]).glob(".s.PGSQL.*[0-9]"))
        self.url = url.rpartition("host=")[0] + f"host={self.folder.path}"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.folder / self._far.name))
        self.folder.path.chmod(0o755)
        self._listener.listen(64)
        self._goes = threading.Event()
        self._goes.set()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Carries nothing more; connections stay open, as behind a router that is gone."""
        self._goes.clear()

    def mend(self) -> None:
        """Carries everything again, what waited as well."""
        self._goes.set()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near: socket.socket) -> None:
        self._goes.wait()
        with near, socket.socket(socket.AF_UNIX) as far:
            try:
                far.connect(str(self._far))
            except OSError:
                return
            back = threading.Thread(target=self._pump, args=(near, far, self.holds), daemon=True)
            back.start()
            self._pump(far, near)
            back.join()

    def _pump(self, source: socket.socket, sink: socket.socket, holds: bytes | None = None) -> None:
        try:
            while part := source.recv(65_536):
                self._goes.wait()
                if holds and holds in part:
                    self.held += 1
                    self._ends.wait()
                    break
                sink.sendall(part)
        except OSError:
            pass
        for line in (source, sink):
            try:
                line.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self) -> None:
        """Ends it."""
        self._goes.set()
        self._ends.set()
        self._listener.close()
        self.folder.remove()


class Client(threading.Thread):
    """Asks the balancer for a board all the time, with what it has seen, and keeps what went backwards.

    What it has seen is a tag, a token, or both. A 304 leaves a client its tag, so a client with only a tag remembers the time of boards.
    After news it asks several times at once, which is when another server may not have them yet.
    """

    def __init__(self, port: int, has_tag: bool, has_token: bool):
        super().__init__(daemon=True)
        self.port = port
        self.has_tag = has_tag
        self.has_token = has_token
        self.seen = ""
        self.tag: str | None = None
        self.answers = self.unchanged = self.behind = 0
        self.faults: list[str] = []
        self._at_once = 0
        self._ends = threading.Event()

    def run(self) -> None:
        while not self._ends.wait(0 if self._at_once else EVERY):
            self._at_once = max(0, self._at_once - 1)
            try:
                self._ask()
            except (OSError, http.client.HTTPException):
                continue  # The server behind the connection was killed, or is suspended.
            except Exception as error:  # noqa: BLE001 (a client that stopped must not look like one that sees nothing wrong)
                self.faults.append(repr(error))
                return

    def _ask(self) -> None:
        fields = {"if_none_match": self.tag} if self.has_tag and self.tag else {}
        since = f"&if_board=1&since_rt={self.seen}" if self.has_token and self.seen else ""
        answer = ask(self.port, BOARD + since, timeout=30, **fields)
        self.answers += 1
        if answer.status not in (200, 204, 304):
            self.faults.append(f"{answer.status} {answer.body[:200]!r}")
            return
        self.unchanged += answer.status != 200
        if answer["x-md-rt-behind"] == "1":
            self.behind += 1
            return
        if answer.status != 200 and not self.has_token:
            return
        fetched = answer["x-md-rt-fetched-at"] or ""
        if fetched < self.seen:
            self.faults.append(f"{fetched} after {self.seen}: {answer.status} {answer['ETag']} for {fields}{since}")
        if fetched > self.seen:
            # More than one for each server: others take their turns at the balancer too.
            self.seen, self._at_once = fetched, 2 * SERVERS + 1
        if answer.status == 200:
            self.tag = answer["ETag"]
            self.saw(answer)

    def saw(self, answer: Answer) -> None:
        """Notes a board that is not behind."""

    def stop(self) -> None:
        """Ends it."""
        self._ends.set()
        self.join(timeout=SOON)


class SharingTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.database = Database()
        cls.addClassCleanup(cls.database.close)
        cls.offset = instant(BEGIN) - time.time()
        cls.trips = Producer(cls.now)
        cls.alerts = Producer(cls.now)
        for producer in (cls.trips, cls.alerts):
            cls.addClassCleanup(producer.kill_if_alive)
        cls.wires = [Wire(cls.database.url) for _ in range(SERVERS)]
        for wire in cls.wires:
            cls.addClassCleanup(wire.close)
        cls.publish()
        cls.alerts.publish(alerts=[alert({"de": "Bauarbeiten"}, stop=LAUSANNE)])
        cls.servers = [cls.serve(number) for number in range(SERVERS)]
        cls.addClassCleanup(lambda: [server.__exit__() for server in cls.servers])
        cls.balancer = Balancer(cls.servers)
        cls.addClassCleanup(cls.balancer.close)

    def setUp(self):
        self.clients = [Client(self.balancer.port, *has) for has in ((True, False), (True, True), (False, True))]
        for client in self.clients:
            client.start()

    def tearDown(self):
        try:
            for client in self.clients:
                until(lambda client=client: client.answers >= ANSWERS or bool(client.faults))
        finally:
            for client in self.clients:
                client.stop()
            self.assertEqual([client.faults for client in self.clients], [[]] * len(self.clients))

    @classmethod
    def now(cls) -> float:
        """The service clocks, as near as one can tell from outside."""
        return time.time() + cls.offset

    @classmethod
    def serve(cls, number: int) -> Server:
        """A server whose requests to the producers say which one it is."""
        at = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(cls.now()))
        milliseconds = int(cls.now() % 1 * 1_000)
        server = Server(
            data(), "--trip-updates", f"{cls.trips.url}/trip-updates.pb", "--alerts", f"{cls.alerts.url}/alerts.pb",
            "--poll", f"trip-updates={int(INTERVAL * 1_000)}", "--poll", f"alerts={int(INTERVAL * 1_000)}",
            "--feed-header", f"X-Server: {number}", "--database", cls.wires[number].url,
            now=f"{at}.{milliseconds:03}Z", log_level="warning",
        )
        # Producers keep to the slowest clock: to that of a server, nothing was made in the future.
        served = instant(json.loads(ask(server.port, "/health").body)["serverTime"])
        cls.offset = min(cls.offset, served - time.time())
        return server

    @classmethod
    def publish(cls) -> int:
        """Publishes another delay; gives the publication's timestamp."""
        # Little enough that the board always shows it.
        minutes = 1 + cls.trips.number % 4
        return cls.trips.publish(late(trip(2), minutes * 60), late(trip(3), minutes * 60 + 60))

    def shows(self, server: Server, at: int) -> bool:
        """Whether a server shows a publication."""
        fetched = ask(server.port, BOARD)["x-md-rt-fetched-at"]
        return fetched is not None and instant(fetched) == at

    def all_show(self, at: int, servers: list[Server] | None = None) -> None:
        """Waits until servers show a publication."""
        for server in servers or self.servers:
            until(lambda server=server: self.shows(server, at))

    def same(self) -> list:
        """Waits until all servers show the same board, and gives their answers.

        Alerts are polled and shared by themselves: one server may know of a poll a moment before another does.
        """
        answers: list = []
        differing: list[str] = []

        def are_same() -> bool:
            answers[:] = [ask(server.port, BOARD) for server in self.servers]
            differing[:] = sorted({answer["ETag"] for answer in answers})
            for part in ("departures", "alerts", "rt"):
                shown = {json.dumps(without_ages(answer.board[part])) for answer in answers}
                if len(shown) > 1:
                    differing.extend(sorted(shown))
            return len(differing) == 1

        try:
            until(are_same)
        except AssertionError:
            self.fail("servers differ:\n" + "\n".join(differing))
        return answers

    def polled_by(self, since: float, producer: Producer | None = None) -> list[int]:
        """Which servers have asked the producer since an instant, by request."""
        with self.trips.changed:
            return [int(q["X-Server"]) for q in (producer or self.trips).questions if q.at >= since]

    def leader(self) -> int:
        """The server that polls the trip updates."""
        since = time.monotonic()
        until(lambda: len(self.polled_by(since)) > 1)
        return self.polled_by(since)[-1]

    def metric(self, number: int, name: str) -> float:
        text = ask(self.servers[number].port, "/metrics").body.decode()
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", text, re.M))

    def words(self, kind: str) -> list[str]:
        """Which server polls a kind of source, in the word of each server."""
        sources = [server.get("/api/status")[1]["sources"] for server in self.servers]
        return [source["leader"] for each in sources for source in each if source["kind"] == kind]

    def check_one_poller(self, since: float) -> None:
        """No two servers polled in turn: a server that was followed by another did not come back."""
        for producer in (self.trips, self.alerts):
            who = self.polled_by(since, producer)
            runs = [number for place, number in enumerate(who) if place == 0 or who[place - 1] != number]
            self.assertEqual(len(runs), len(set(runs)), runs)

    def knows_tokens(self) -> bool:
        """Whether any server knows the token of any other, unless a departure left since the publication."""
        self.all_show(self.publish())
        token = ask(self.servers[0].port, BOARD)["x-md-rt-fetched-at"]
        statuses = {ask(server.port, f"{BOARD}&if_board=1&since_rt={token}").status for server in self.servers}
        return statuses == {204}

    def test_one_server_polls_and_all_show_the_same(self):
        began = time.monotonic()
        for _ in range(3):
            at = self.publish()
            self.all_show(at)
            answers = self.same()
            self.assertRegex(answers[0]["ETag"], r'^"[0-9a-z]+\.[0-9a-z]+"$')
            # Any server knows the tag of any other.
            for server in self.servers:
                self.assertEqual(ask(server.port, BOARD, if_none_match=answers[0]["ETag"]).status, 304)
        until(self.knows_tokens)
        self.assertEqual(len(set(self.polled_by(began))), 1)
        asked = [q.at for q in self.trips.questions if q.at >= began]
        self.assertGreater(min(after - before for before, after in zip(asked, asked[1:])), INTERVAL / 3)
        until(lambda: sum(self.metric(n, "freshet_realtime_leader") for n in range(SERVERS)) == 2)
        for kind in ("trip-updates", "alerts"):
            # A server that was cut off before knows it a moment later.
            until(lambda kind=kind: sorted(self.words(kind)) == ["another", "another", "this_server"])
        until(lambda: all(client.unchanged > 0 for client in self.clients))

    def test_a_leader_that_is_killed_or_ends_is_replaced(self):
        for ends in (Server.__exit__, Server.stop):
            victim = self.leader()
            began = time.monotonic()
            ends(self.servers[victim])
            ended = time.monotonic()
            try:
                others = [server for number, server in enumerate(self.servers) if number != victim]
                self.all_show(self.publish(), others)
                self.check_one_poller(began)
                self.assertNotIn(victim, self.polled_by(ended))
            finally:
                self.servers[victim].__exit__()
                self.servers[victim] = self.serve(victim)
            # It shows what was published before it started.
            self.all_show(self.trips.published[-1])
            self.all_show(self.publish())

    def test_a_leader_that_stood_still_polls_no_more(self):
        victim = self.leader()
        began = time.monotonic()
        self.servers[victim].process.send_signal(signal.SIGSTOP)
        try:
            others = [server for number, server in enumerate(self.servers) if number != victim]
            self.all_show(self.publish(), others)
        finally:
            resumed = time.monotonic()
            self.servers[victim].process.send_signal(signal.SIGCONT)
        self.all_show(self.publish())
        self.assertNotIn(victim, self.polled_by(resumed))
        self.check_one_poller(began)

    def test_without_the_database_boards_go_on_and_no_server_polls(self):
        for away, back in (("pause", "resume"), ("stop", "start")):
            at = self.publish()
            self.all_show(at)
            self.database.tell(away)
            try:
                # The lease ends by the leader's own clock.
                until(lambda: time.monotonic() - self.trips.questions[-1].at > 3 * INTERVAL)
                asked = len(self.trips.questions)
                self.publish()
                for server in self.servers:
                    answer = ask(server.port, BOARD)
                    self.assertEqual((answer.status, instant(answer.meta["rtFetchedAt"])), (200, at))
                    self.assertGreater(int(answer["x-md-rt-age-ms"]), 3_000)
                until(lambda: all(
                    {s["leader"] for s in server.get("/api/status")[1]["sources"]} == {"unknown"} for server in self.servers))
                self.assertEqual(server.get("/health/ready")[0], 200)
                self.assertEqual(self.metric(0, "freshet_realtime_database_up"), 0)
                self.assertEqual(len(self.trips.questions), asked)
            finally:
                back_at = time.monotonic()
                self.database.tell(back)
            self.all_show(self.trips.published[-1])
            self.check_one_poller(back_at)

    def test_a_server_that_is_cut_off_says_that_it_is_behind(self):
        leader = self.leader()
        for cut in ((leader + 1) % SERVERS, leader):
            before = self.publish()
            self.all_show(before)
            began = time.monotonic()
            self.wires[cut].cut()
            try:
                others = [server for number, server in enumerate(self.servers) if number != cut]
                at = self.publish()
                self.all_show(at, others)
                newest = ask(others[0].port, BOARD)
                answer = ask(self.servers[cut].port, BOARD, if_none_match=newest["ETag"])
                self.assertEqual((answer.status, answer["x-md-rt-behind"]), (200, "1"))
                self.assertEqual(instant(answer["x-md-rt-fetched-at"]), before)
                self.assertGreater(answer.took, 0.9)
                token = newest["x-md-rt-fetched-at"]
                answer = ask(self.servers[cut].port, f"{BOARD}&since_rt={token}")
                self.assertEqual((answer.status, answer["x-md-rt-behind"]), (200, "1"))
                # A stream sends no older board.
                streams = [
                    Stream(self.servers[cut].port, last=newest["ETag"]),
                    Stream(self.servers[cut].port, BOARD.replace("?", "/stream?") + f"&since_rt={token}"),
                ]
                for stream in streams:
                    self.addCleanup(stream.close)
                    self.assertEqual((stream.answer.status, stream.answer.getheader("x-md-rt-behind")), (200, "1"))
                # A client that saw nothing newer gets an answer at once that does not mention it.
                answer = ask(self.servers[cut].port, BOARD)
                self.assertIsNone(answer["x-md-rt-behind"])
                stream = Stream(self.servers[cut].port)
                self.addCleanup(stream.close)
                self.assertIsNone(stream.answer.getheader("x-md-rt-behind"))
                self.assertEqual(instant(stream.next("snapshot").data["meta"]["rtFetchedAt"]), before)
                self.check_one_poller(began)
                self.assertEqual([stream.events for stream in streams], [[], []])
            finally:
                self.wires[cut].mend()
            self.all_show(at)
            answer = ask(self.servers[cut].port, BOARD, if_none_match=newest["ETag"])
            self.assertEqual((answer.status, answer["x-md-rt-behind"]), (304, None))
            for stream in streams:
                self.assertEqual(instant(stream.next("snapshot", "change", "verified").data["meta"]["rtFetchedAt"]), at)

    def test_a_request_waits_for_what_its_client_has_seen(self):
        # A server on a busy machine may be too late, and then says so.
        until(self.waits)

    def waits(self) -> bool:
        """Asks a server that was suspended for what another one shows; whether it had it in time."""
        self.all_show(self.publish())
        cut = (self.leader() + 1) % SERVERS
        found: list = []
        self.servers[cut].process.send_signal(signal.SIGSTOP)
        try:
            others = [server for number, server in enumerate(self.servers) if number != cut]
            self.all_show(self.publish(), others)
            newest = ask(others[0].port, BOARD)
            # It has not read the publication when it goes on.
            asking = threading.Thread(target=lambda: found.append(
                ask(self.servers[cut].port, BOARD, if_none_match=newest["ETag"])))
            asking.start()
            time.sleep(0.2)
        finally:
            self.servers[cut].process.send_signal(signal.SIGCONT)
        asking.join(timeout=SOON)
        self.assertIn((found[0].status, found[0]["x-md-rt-behind"]), [(304, None), (200, "1")])
        return found[0].status == 304


class ListeningTests(unittest.TestCase):
    def test_a_database_that_does_not_answer_when_a_server_begins_to_listen_ends_no_server(self):
        database = Database()
        self.addCleanup(database.close)
        wire = Wire(database.url, holds=b"LISTEN")
        self.addCleanup(wire.close)
        with Server(data(), "--trip-updates", "http://127.0.0.1:1/x.pb", "--database", wire.url, log_level="warning") as server:
            # Realtime and timetables listen; both try again after a while.
            until(lambda: wire.held >= 4 or server.process.poll() is not None)
            self.assertIsNone(server.process.poll(), "".join(server.log))
            self.assertEqual(ask(server.port, BOARD).status, 200)


def without_ages(part: object) -> object:
    """A part of a board but for what passes with time."""
    if isinstance(part, dict):
        return {name: without_ages(value) for name, value in part.items() if not re.search(r"(?i)age|poll|next|spread", name)}
    return [without_ages(value) for value in part] if isinstance(part, list) else part


class SchemaTests(unittest.TestCase):
    def test_a_server_starts_only_with_the_tables_of_its_version(self):
        database = Database(is_migrated=False)
        self.addCleanup(database.close)
        options = ("--data", str(data()), "--port", "0", "--trip-updates", "http://127.0.0.1:1/x.pb")
        answer = run("serve", *options, "--database", database.url)
        self.assertEqual(answer.returncode, 65, answer.stderr)
        self.assertIn("version 0, and this program needs version 2; run freshet migrate", answer.stderr)
        self.assertIn("schema freshet_realtime, version 2, was version 0", database.migrate().stdout)
        with Server(data(), "--trip-updates", "http://127.0.0.1:1/x.pb", "--database", database.url) as server:
            self.assertEqual(server.get("/health/ready")[0], 200)
        # Without it a server starts too.
        database.tell("stop")
        with Server(data(), "--trip-updates", "http://127.0.0.1:1/x.pb", "--database", database.url) as server:
            self.assertEqual(ask(server.port, BOARD).status, 200)
            self.assertEqual(ask(server.port, BOARD)["x-md-rt-status"], "missing_cache")


if __name__ == "__main__":
    unittest.main()
