"""Servers that share timetables through PostgreSQL: an import on one machine serves on all, and one of them asks the sources."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import threading
import time
import unittest
from pathlib import Path

from database import PSQL, Database
from job_stage import Balancer
from program import NOW, PROGRAM, Folder, Server, run, until
from test_static_feeds import Publisher, feed

SERVERS = 3
INTERVAL = 0.6
"""The seconds between two checks of a source."""
BOARD = "/api/stationboard?stop_id=s0&limit=3"


class Client(threading.Thread):
    """Asks the balancer for a board all the time, and keeps what is not one."""

    def __init__(self, port: int):
        super().__init__(daemon=True)
        self.port = port
        self.answers = 0
        self.faults: list[str] = []
        self._ends = threading.Event()

    def run(self) -> None:
        while not self._ends.wait(0.03):
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            try:
                connection.request("GET", BOARD)
                answer = connection.getresponse()
                body = json.loads(answer.read())
                self.answers += 1
                if answer.status != 200 or len(body["departures"]) != 3:
                    self.faults.append(f"{answer.status}: {body}")
            except (OSError, http.client.HTTPException):
                continue  # The server behind the connection was killed.
            finally:
                connection.close()

    def stop(self) -> None:
        self._ends.set()
        self.join()


class LostCommit:
    """A way to the database that carries the commit of a change and not its answer, and perhaps nothing more after that."""

    def __init__(self, database: Database, folder: Path, ends: bool):
        options, place = database.url.split("host=")
        self.url = f"{options}host={folder}"
        self.far = f"{place}/.s.PGSQL.5432"
        self.ends = ends
        self.lost = 0
        folder.mkdir()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / ".s.PGSQL.5432"))
        self.listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            if self.lost and self.ends:
                near.close()
                continue
            far = socket.socket(socket.AF_UNIX)
            far.connect(self.far)
            state = {"is_committing": False}
            for ends in ((near, far, True), (far, near, False)):
                threading.Thread(target=self._pump, args=(*ends, state), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, outgoing: bool, state: dict[str, bool]) -> None:
        try:
            while data := source.recv(65_536):
                if state["is_committing"]:
                    break  # It has been made.
                if outgoing and b"COMMIT" in data and not self.lost:
                    self.lost += 1
                    state["is_committing"] = True
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def close(self) -> None:
        """Accepts no more connections."""
        self.listener.close()


class Stage(unittest.TestCase):
    """A database, and servers with data folders of their own."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.database = Database()
        cls.addClassCleanup(cls.database.close)
        cls.folder = Folder()
        cls.addClassCleanup(cls.folder.remove)
        cls.servers = []
        cls.addClassCleanup(lambda: [server.__exit__() for server in cls.servers])
        cls.imports = 0

    @classmethod
    def place(cls, name: object) -> Path:
        """The data folder of a machine."""
        return cls.folder / f"machine-{name}"

    @classmethod
    def serve(cls, name: object, *options: str, **more: object) -> Server:
        """A server of a machine."""
        return Server(cls.place(name), "--database", cls.database.url, *options, log_level="warning", **more)

    @classmethod
    def archive(cls, *arguments: object, **how: object) -> Path:
        """A feed as a file."""
        cls.imports += 1
        path = cls.folder / f"feed-{cls.imports}.zip"
        path.write_bytes(feed(*arguments, note=str(cls.imports), **how))
        return path

    def command(self, machine: object, *arguments: str, code: int = 0) -> str:
        """What a command says that runs on a machine."""
        answer = run(*arguments, "--data", str(self.place(machine)), "--database", self.database.url)
        self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)
        return answer.stdout + answer.stderr

    def sql(self, statement: str) -> str:
        """What the database says."""
        return subprocess.run(
            [PSQL, "-qAtX", "-d", self.database.url, "-c", f"SET search_path TO freshet_timetables; {statement}"],
            capture_output=True, text=True, check=True,
        ).stdout.strip()

    @staticmethod
    def release(client: subprocess.Popen[str]) -> None:
        """Ends a client of the database, and with it what it locks."""
        client.stdin.close()
        client.wait()
        client.stdout.close()

    @staticmethod
    def serving(server: Server, key: str = "default") -> str:
        """The generation that a server serves; empty for none."""
        feeds = {feed["key"]: feed["generation"] for feed in server.get("/health")[1]["feeds"]}
        return feeds.get(key, "")

    def newest(self, key: str = "default") -> str:
        """The generation that the database has."""
        entry = self.sql(f"SELECT entry FROM feed WHERE key = '{key}'")
        return json.loads(entry)["generation"] if entry else ""

    def all_serve(self, key: str = "default", servers: list[Server] | None = None) -> str:
        """Waits until servers serve what the database has; its name."""
        newest = self.newest(key)
        for server in servers or self.servers:
            until(lambda server=server: self.serving(server, key) == newest)
        return newest

    @staticmethod
    def metric(server: Server, name: str) -> float:
        with_label = re.compile(rf"^{name}(?:{{[^}}]*}})? (\S+)$", re.M)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return sum(float(value) for value in with_label.findall(text))

    @staticmethod
    def shared(server: Server) -> tuple[str, str]:
        """State and detail of what a server says of shared timetables."""
        entries = server.get("/health/ready")[1].get("dependencies", [])
        found = [entry for entry in entries if entry["name"] == "timetables.shared"]
        return (found[0]["state"], found[0].get("detail", "")) if found else ("", "")

    @staticmethod
    def words(server: Server, key: str = "default") -> str:
        """The word of /api/status; empty before there is one."""
        entries = server.get("/api/status")[1].get("timetables", [])
        return {entry["feed"]: entry["shared"] for entry in entries}.get(key, "")


class SharingTest(Stage):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        # They start with empty data folders.
        cls.servers += [cls.serve(number) for number in range(SERVERS)]
        answer = run("import", str(cls.archive()), "--data", str(cls.place(0)), "--database", cls.database.url)
        assert answer.returncode == 0, answer.stderr
        for server in cls.servers:
            until(lambda server=server: cls.serving(server))

    def setUp(self) -> None:
        self.all_serve()

    def test_an_import_on_one_machine_serves_on_all_without_a_gap(self):
        balancer = Balancer(self.servers)
        self.addCleanup(balancer.close)
        client = Client(balancer.port)
        client.start()
        for machine in (1, "of an importer"):
            before = self.newest()
            self.command(machine, "import", str(self.archive(range(1, 12))))
            committed = time.monotonic()
            self.assertNotEqual(self.all_serve(), before)
            self.assertLess(time.monotonic() - committed, 10)
        client.stop()
        self.assertEqual(client.faults, [])
        self.assertGreater(client.answers, 10)
        boards = [server.get(BOARD)[1]["departures"] for server in self.servers]
        self.assertTrue(boards[0] == boards[1] == boards[2])
        for server in self.servers:
            until(lambda server=server: self.words(server) == "current" and self.shared(server)[0] == "ok")
            self.assertEqual(self.metric(server, "freshet_timetables_behind_seconds"), 0)
        positions = {self.metric(server, "freshet_timetables_position") for server in self.servers}
        self.assertEqual(positions, {int(self.sql("SELECT position FROM log"))})
        # Without the database no command changes a data folder that has its timetables from there.
        answer = run("import", str(self.archive()), "--data", str(self.place(0)))
        self.assertEqual(answer.returncode, 75, answer.stderr)
        self.assertIn("--database", answer.stderr)

    def test_a_killed_importer_leaves_nothing_visible_and_its_remains_go(self):
        before = self.newest()
        client = self.database.hold()
        self.database.say(client, "LOCK TABLE freshet_timetables.chunk IN EXCLUSIVE MODE;")
        importer = subprocess.Popen(
            [PROGRAM, "import", str(self.archive()), "--data", str(self.place("killed")), "--database", self.database.url],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        until(lambda: self.sql("SELECT count(*) FROM generation WHERE artifact IS NULL") == "1")
        # Another machine does not import the same feed at the same time.
        said = self.command(1, "import", str(self.archive()), code=75)
        self.assertIn("another machine is importing or changing the feed default", said)
        self.assertIn("Nothing was changed", said)
        importer.send_signal(signal.SIGKILL)
        importer.wait()
        self.release(client)
        self.assertEqual({self.serving(server) for server in self.servers}, {before})
        self.assertEqual(self.newest(), before)
        # A server removes them when the lock is free, or the next importer does.
        until(lambda: self.sql("SELECT count(*) FROM generation") == "1")
        self.assertEqual(self.sql("SELECT count(DISTINCT generation) FROM chunk"), "1")
        self.command("killed", "import", str(self.archive()))
        self.assertNotEqual(self.all_serve(), before)

    def test_a_stopped_importer_is_replaced_and_changes_nothing_when_it_goes_on(self):
        client = self.database.hold()
        self.database.say(client, "LOCK TABLE freshet_timetables.chunk IN EXCLUSIVE MODE;")
        importer = subprocess.Popen(
            [PROGRAM, "import", str(self.archive()), "--data", str(self.place("stopped")), "--database", self.database.url],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        until(lambda: self.sql("SELECT count(*) FROM generation WHERE artifact IS NULL") == "1")
        importer.send_signal(signal.SIGSTOP)
        try:
            self.release(client)
            self.command(1, "import", str(self.archive()))
            after = self.all_serve()
        finally:
            importer.send_signal(signal.SIGCONT)
        _, said = importer.communicate(timeout=60)
        self.assertEqual(importer.returncode, 75, said)
        self.assertIn("another machine", said)
        self.assertEqual((self.newest(), self.all_serve()), (after, after))
        until(lambda: self.sql("SELECT count(*) FROM generation") == "1")

    def test_a_lost_answer_to_a_commit_is_found_out(self):
        before = self.newest()
        network = LostCommit(self.database, self.folder / "lost", ends=False)
        self.addCleanup(network.close)
        answer = run("import", str(self.archive()), "--data", str(self.place("lost")), "--database", network.url)
        self.assertEqual((answer.returncode, network.lost), (0, 1), answer.stderr)
        self.assertNotEqual(self.all_serve(), before)
        self.assertEqual(self.sql("SELECT count(*) FROM change WHERE id = (SELECT change FROM feed WHERE key = 'default')"), "1")

    def test_an_unknown_outcome_is_called_unknown(self):
        before = self.newest()
        network = LostCommit(self.database, self.folder / "gone", ends=True)
        self.addCleanup(network.close)
        answer = run("import", str(self.archive()), "--data", str(self.place("gone")), "--database", network.url)
        self.assertEqual((answer.returncode, network.lost), (69, 1), answer.stderr)
        self.assertIn("it is unknown whether the change is stored", answer.stderr)
        self.assertNotIn("Nothing was changed", answer.stderr)
        # It was; the next one is made of it.
        self.assertNotEqual(self.all_serve(), before)
        self.command("gone", "import", str(self.archive()))
        self.all_serve()

    def test_a_damaged_timetable_is_refused_and_what_serves_goes_on(self):
        before = self.newest()
        victim = self.servers[2]
        victim.process.send_signal(signal.SIGSTOP)
        try:
            self.command(0, "import", str(self.archive()))
            damage = "UPDATE chunk SET content = set_byte(content, 99, get_byte(content, 99) # 1) WHERE file = 'timetable.freshet'"
            self.sql(damage)
        finally:
            victim.process.send_signal(signal.SIGCONT)
        until(lambda: "(checksum)" in self.shared(victim)[1])
        self.assertEqual(self.shared(victim)[0], "degraded")
        self.assertEqual((self.serving(victim), victim.get("/health/ready")[0]), (before, 200))
        self.assertEqual(victim.get(BOARD)[0], 200)
        self.assertGreater(self.metric(victim, "freshet_timetables_behind_seconds"), 0)
        self.assertGreater(self.metric(victim, "freshet_timetables_refused_total"), 0)
        until(lambda: self.words(victim) == "refused")
        self.assertIn("cannot be used: what serves goes on", "".join(victim.log))
        # A server that knows another version refuses it likewise; the next one is right.
        self.sql("UPDATE generation SET artifact = replace(artifact, '\"layout\":1', '\"layout\":9')")
        until(lambda: "install the newer version" in self.shared(victim)[1])
        self.assertEqual(self.serving(victim), before)
        self.command(0, "import", str(self.archive()))
        self.all_serve()
        until(lambda: self.shared(victim)[0] == "ok")

    def test_an_empty_folder_gets_the_newest_also_after_a_kill(self):
        client = self.database.hold()
        self.database.say(client, "LOCK TABLE freshet_timetables.chunk IN ACCESS EXCLUSIVE MODE;")
        partial = self.place("new") / "shared/default"
        with self.serve("new") as server:
            # Its first fetch stops.
            until(lambda: list(partial.glob("*.partial")))
            self.assertEqual(server.get("/health/ready")[0], 503)
            until(lambda: "being fetched" in self.shared(server)[1])
        self.assertFalse((self.place("new") / "manifest.json").exists())
        self.release(client)
        with self.serve("new") as server:
            self.all_serve(servers=[server])
            self.assertEqual(server.get(BOARD)[0], 200)
            self.assertEqual(list(partial.glob("*.partial")), [])
            fetched = self.metric(server, "freshet_timetables_fetched_bytes_total")
            stored = self.sql("SELECT sum(octet_length(content)) FROM chunk")
            self.assertEqual(fetched, int(stored))
        # It starts again with what it has.
        with self.serve("new") as server:
            self.assertEqual(self.serving(server), self.newest())
            self.assertEqual(self.metric(server, "freshet_timetables_fetched_bytes_total"), 0)

    def test_a_damaged_folder_is_repaired_at_once(self):
        with self.serve("broken") as server:
            newest = self.all_serve(servers=[server])
        place = self.place("broken") / "feeds/default" / newest / "timetable.freshet"
        place.write_bytes(b"damaged")
        with self.serve("broken") as server:
            began = time.monotonic()
            self.all_serve(servers=[server])
            self.assertLess(time.monotonic() - began, 15)
            until(lambda: self.shared(server)[0] == "ok")
            # It was fetched once.
            self.assertEqual(self.metric(server, "freshet_timetables_fetched_total"), 1)

    def test_a_full_disk_changes_nothing_that_serves(self):
        with self.serve("full") as server:
            before = self.all_serve(servers=[server])
        limited = self.folder / "limited"
        limited.write_text(f"#!/bin/bash\ntrap '' XFSZ\nulimit -f 24\nexec {PROGRAM} \"$@\"\n")
        limited.chmod(0o755)
        with self.serve("full", "--history-days", "0", program=limited) as server:
            self.command(0, "import", str(self.archive()))
            self.all_serve()
            until(lambda: "File too large" in self.shared(server)[1])
            self.assertEqual(self.serving(server), before)
            self.assertEqual(server.get(BOARD)[0], 200)
        with self.serve("full") as server:
            self.all_serve(servers=[server])

    def test_without_the_database_boards_go_on_and_nothing_is_imported(self):
        before = self.newest()
        self.database.tell("stop")
        try:
            for server in self.servers:
                until(lambda server=server: self.words(server) == "unknown")
                self.assertEqual((server.get(BOARD)[0], self.serving(server)), (200, before))
                self.assertEqual(server.get("/health/ready")[0], 200)
                until(lambda server=server: "the database cannot be reached" in self.shared(server)[1])
                self.assertEqual(self.metric(server, "freshet_timetables_database_up"), 0)
            said = self.command(0, "import", str(self.archive()), code=69)
            self.assertIn("Nothing was changed", said)
            self.assertNotIn(":@", said)
            # A server starts without it, with what it has.
            with self.serve(1) as server:
                self.assertEqual(self.serving(server), before)
        finally:
            self.database.tell("start")
        self.command(0, "import", str(self.archive()))
        self.assertNotEqual(self.all_serve(), before)

    def test_taking_a_feed_out_reaches_all(self):
        self.command(0, "import", str(self.archive()), "--prefix", "city")
        self.all_serve("city")
        self.command(2, "import", "--remove", "--prefix", "city")
        for server in self.servers:
            until(lambda server=server: self.serving(server, "city") == "")
        self.assertEqual(self.sql("SELECT count(*) FROM generation WHERE feed = 'city'"), "0")
        self.command(1, "import", "--remove", "--prefix", "city", code=66)
        for server in self.servers:
            self.assertEqual(server.get(BOARD)[0], 200)


class SourceTest(Stage):
    """A source that all servers are told of."""

    def asked(self) -> int:
        return len(self.publisher.seen)

    def test_one_server_asks_the_source_and_all_serve_what_came(self):
        self.publisher = publisher = Publisher(self)
        publisher.publish(feed(), "a")
        settings = self.folder / "settings.json"
        settings.write_text(json.dumps({"feeds": [{"static": publisher.url}]}))
        options = ("--config", str(settings), "--poll", f"static={int(INTERVAL * 1_000)}")
        self.servers += [self.serve(number, *options) for number in range(SERVERS)]
        until(self.newest)
        first = self.all_serve()
        self.assertEqual(publisher.whole, 1)
        # As many requests as of one server.
        began, asked = time.monotonic(), self.asked()
        until(lambda: self.asked() >= asked + 4)
        took = time.monotonic() - began
        self.assertGreater(took, 3 * 0.8 * INTERVAL)
        publisher.publish(feed(range(1, 12)), "b")
        until(lambda: self.newest() != first)
        second = self.all_serve()
        self.assertEqual(publisher.whole, 1)
        # The source is asked on, whichever server ends.
        for victim in (0, 1):
            self.servers[victim].process.kill()
            self.servers[victim].process.wait()
            asked = self.asked()
            until(lambda asked=asked: self.asked() >= asked + 2)
        publisher.publish(feed(range(1, 13)), "c")
        until(lambda: self.newest() not in (first, second))
        third = self.all_serve(servers=self.servers[2:])
        # Back to the one before, by a machine that has nothing yet, and forth again.
        self.command("elsewhere", "feeds", "rollback")
        self.assertEqual(self.all_serve(servers=self.servers[2:]), second)
        self.command("elsewhere", "feeds", "accept")
        self.assertEqual(self.all_serve(servers=self.servers[2:]), third)
        self.assertEqual(int(self.sql("SELECT count(*) FROM generation")), 3)
        # Without the database no server asks.
        self.database.tell("stop")
        try:
            until(lambda: self.metric(self.servers[2], "freshet_timetables_database_up") == 0)
            asked = self.asked()
            time.sleep(4 * INTERVAL)
            self.assertLessEqual(self.asked(), asked + 1)
        finally:
            self.database.tell("start")
        until(lambda: self.asked() >= asked + 2)


class WaitingTest(Stage):
    """A timetable that begins later."""

    def test_damage_of_a_timetable_that_waits_is_repaired_before_its_day(self):
        publisher = Publisher(self)
        publisher.publish(feed(), "a")
        settings = self.folder / "settings.json"
        settings.write_text(json.dumps({"feeds": [{"static": publisher.url}]}))
        self.servers.append(self.serve(0, "--config", str(settings), "--poll", f"static={int(INTERVAL * 1_000)}"))
        until(self.newest)
        self.all_serve()
        publisher.publish(feed(first="20270101", last="20271231"), "b")

        def waiting() -> str:
            return (json.loads(self.sql("SELECT entry FROM feed")).get("waiting") or {}).get("name", "")

        until(waiting)
        place = self.place(1) / "feeds/default" / waiting() / "stops.sqlite"
        with self.serve(1):
            until(place.exists)
        sound = place.read_bytes()
        place.write_bytes(sound[:-1] + bytes([sound[-1] ^ 1]))
        with self.serve(1) as server:
            until(lambda: [sound] == [found.read_bytes() for found in place.parent.glob(place.name)])
            until(lambda: self.shared(server)[0] == "ok")
            self.assertEqual(self.serving(server), self.newest())
            self.assertIn("waits for its first day is damaged", "".join(server.log))


class SchemaTest(unittest.TestCase):
    def test_a_server_and_an_import_need_the_tables_of_their_version(self):
        database = Database(is_migrated=False)
        self.addCleanup(database.close)
        folder = Folder()
        self.addCleanup(folder.remove)
        answer = run("serve", "--data", str(folder.path), "--port", "0", "--database", database.url)
        self.assertEqual(answer.returncode, 65, answer.stderr)
        self.assertIn("version 0, and this program needs version 3; run freshet migrate", answer.stderr)
        (folder / "feed.zip").write_bytes(feed())
        answer = run("import", str(folder / "feed.zip"), "--data", str(folder / "data"), "--database", database.url)
        self.assertEqual(answer.returncode, 65, answer.stderr)
        self.assertIn("run freshet migrate", answer.stderr)
        self.assertIn("schema freshet_timetables, version 3, was version 0", database.migrate().stdout)
        # A timetable that was imported before is shared on demand.
        run("import", str(folder / "feed.zip"), "--data", str(folder / "data"))
        with Server(folder / "data", "--database", database.url, now=NOW) as server:
            until(lambda: Stage.words(server) == "only_here")
            answer = run("feeds", "share", "--data", str(folder / "data"), "--database", database.url)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            until(lambda: Stage.metric(server, "freshet_timetables_position") == 1)


if __name__ == "__main__":
    unittest.main()
